/* fem_lattice.h -- a mesh's motion on a lattice: displacements and velocities in whole quanta, [nodes][DIM] each, that
 * steps add to and, reversed, subtract from to the bit (lattice.h). The same kernel computes the increment in both
 * directions. */
#ifndef PIOLA_KERNELS_FEM_LATTICE_H
#define PIOLA_KERNELS_FEM_LATTICE_H

#include "kernels/fem/fem_lattice_args.h"
#include "kernels/fem/fem.h"
#include "kernels/base/lattice.h"

/* Returns Q(x) in quanta, `per` of them in a unit, and 0 where the component is constrained. Where x is out of the
 * lattice's range, it returns 0 and lowers the fault of the step to one of the node. */
PIO_FN int64_t fem_lattice_quanta(int constrained, double x, double per, fem_step *step, int node)
{
    if (!constrained && !lattice_holds(x, per)) {
        atomic_min_u64(&step->fault, fem_fault_at(step->index, node, FEM_OFF_LATTICE));
        return 0;
    }
    return constrained ? 0 : lattice_of(x, per);
}

/* Sets displacement and velocity of a node from its quanta. */
PIO_FN void fem_lattice_read(int i, const fem_lattice_read_args *a)
{
    for (int c = 0; c < DIM; c++) {
        const ptrdiff_t at = (ptrdiff_t)i * DIM + c;
        a->u[at] = R(lattice_value(a->s.u[at], a->s.per_metre));
        a->v[at] = R(lattice_value(a->s.v[at], a->s.per_speed));
    }
}

/* Sets the free components of a node to Q(x), in quanta; constrained ones stay. */
PIO_FN void fem_lattice_round(int i, const fem_lattice_round_args *a)
{
    for (int c = 0; c < DIM; c++) {
        const ptrdiff_t at = (ptrdiff_t)i * DIM + c;
        if (!(a->constrained[i] >> c & 1)) a->out[at] = fem_lattice_quanta(0, (double)a->x[at], a->per, a->step, i);
    }
}

/* Moves a node along its velocity by Q(h v) where it is free, or with sign -1 back by the same quanta. */
PIO_FN void fem_lattice_drift(int i, const fem_lattice_drift_args *a)
{
    for (int c = 0; c < DIM; c++) {
        const ptrdiff_t at = (ptrdiff_t)i * DIM + c;
        const double increment = a->h * lattice_value(a->s.v[at], a->s.per_speed);
        a->s.u[at] += a->sign * fem_lattice_quanta(a->constrained[i] >> c & 1, increment, a->s.per_metre, a->step, i);
    }
}

/* Adds the force's impulse to the velocity of a node, or with sign -1 subtracts it. */
PIO_FN void fem_lattice_kick(int i, const fem_lattice_kick_args *a)
{
    for (int c = 0; c < DIM; c++) {
        const ptrdiff_t at = (ptrdiff_t)i * DIM + c;
        const double change = a->h * ((double)a->force[at] / (double)a->mass[at]);
        a->out[at] =
            a->v[at] + a->sign * fem_lattice_quanta(a->constrained[i] >> c & 1, change, a->per_speed, a->step, i);
    }
}

/* Sets x + sign y of a node, in quanta. */
PIO_FN void fem_lattice_sum(int i, const fem_lattice_sum_args *a)
{
    for (int c = 0; c < DIM; c++) {
        const ptrdiff_t at = (ptrdiff_t)i * DIM + c;
        a->out[at] = a->x[at] + a->sign * a->y[at];
    }
}

/* Sets displacement and velocity of constrained unknown i from its curve. */
PIO_FN void fem_lattice_constrain(int i, const fem_lattice_constrain_args *a)
{
    const int s = a->support[i], curve = a->curve[s], node = a->node[i];
    const ptrdiff_t at = (ptrdiff_t)node * DIM + a->axis[i];
    const double value = (double)a->value[s], change = curve < 0 ? 0 : (double)(a->after[curve] - a->before[curve]);
    double place = value * (curve < 0 ? 1 : (double)a->now[curve]), moved = value * change;
    if (a->before_value) {
        place = (double)a->now_value[s] * (curve < 0 ? 1 : (double)a->now[curve]);
        moved = curve < 0 ? value - (double)a->before_value[s]
                          : value * (double)a->after[curve] - (double)a->before_value[s] * (double)a->before[curve];
    }
    a->s.u[at] = fem_lattice_quanta(0, place, a->s.per_metre, a->step, node);
    a->s.v[at] = fem_lattice_quanta(0, moved / a->h, a->s.per_speed, a->step, node);
}

#endif
