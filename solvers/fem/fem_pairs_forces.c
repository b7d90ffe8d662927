/* fem_pairs_forces.c -- what pairs of surfaces give to internal forces, by their potential and by friction. */
#include "solvers/fem/fem_pairs_friction.h"

/* clang-format off */
void fem_pairs_forces(fem_sim *f, const real *u, const real *v, real *out)
{
    const fem_sim_pairs *s = &f->pairs;
    const fem_pair_args a = fem_pairs_of(f, u, s->out);
    if (!s->on) return;
    fem_pairs_find(f, u);
    pio_map_with(&f->base.queue, fem_pair, s->room, &s->found->count, &a);
    fem_pairs_drag(f, u, v);
    fem_pairs_add(f, s->out, out);
}

void fem_pairs_forces_adj(fem_sim *f, const real *u, const real *y, fem_friction_bars bar)
{
    const fem_sim_pairs *s = &f->pairs;
    if (!s->on) return;
    fem_pairs_find(f, u);
    pio_map(&f->base.queue, fem_pair_adj, s->room, &s->found->count, .fwd = fem_pairs_of(f, u, NULL), .pairs = s->room,
            .y = y, .u_bar = s->out, .rest_bar = bar.parameters ? s->rest_out : NULL, .area_bar = s->area_out,
            .grip_bar = s->grip_out);
    fem_pairs_drag_adj(f, u, y, bar);
    fem_pairs_add(f, s->out, bar.u);
    if (bar.parameters) fem_pairs_parameters_adj(f);
}
/* clang-format on */
