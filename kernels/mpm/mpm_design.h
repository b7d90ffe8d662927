/* mpm_design.h -- designs (kernels/base/design.h) of what only particles have: their positions, and gravity. */
#ifndef PIOLA_KERNELS_MPM_DESIGN_H
#define PIOLA_KERNELS_MPM_DESIGN_H

#include "kernels/mpm/mpm_design_args.h"
#include "kernels/mpm/mpm.h"

/* Sets base node and offset of particle p, moved by value - base metres from its reference; one without a group stays
 * where it is, and one that would leave the grid is a fault. */
PIO_FN void design_move(int p, const design_move_args *a)
{
    int base[DIM], now[DIM];
    if (a->index[p] < 0) return;
    int to = a->cell[p];
    node_index(&a->box, a->reference_cell[p], base);
    node_index(&a->box, to, now);
    for (int k = 0; k < a->components; k++) {
        const int c = a->first + k;
        const ptrdiff_t at = field_at(a->n, DIM, c, p);
        const wide value = a->value[(ptrdiff_t)a->index[p] * a->components + k];
        const wide move = (value - W(a->base[k])) / W(a->box.dx);
        const wide g = W(a->reference_offset[at]) + move, shift = floor(g - W(0.5)), b = W(base[c]) + shift;
        if (!(b >= 0 && b <= W(a->box.nodes[c] - 3))) {
            atomic_min_u64(&a->step->fault, fault_key(0, p, FAULT_LEFT_GRID));
            return;
        }
        a->offset[at] = R(g - shift);
        to += node_step(&a->box, c, (int)b) - node_step(&a->box, c, now[c]);
    }
    a->cell[p] = to;
}

/* Sets gravity, or some of its components, in the step block; the one item is 0. */
PIO_FN void design_gravity(int i, const design_gravity_args *a)
{
    (void)i;
    for (int c = 0; c < a->components; c++) a->step->gravity[a->first + c] = R(a->value[c]);
}

#endif
