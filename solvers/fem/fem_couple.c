/* fem_couple.c -- moments on faces: their tractions, from the moments of area of all faces that share one
 * (kernels/fem/fem_couple.h). Area and first moments come first, then the centroid and the second moments about it. */
#include "solvers/fem/fem.h"

/* clang-format off */
/* The numbers of a load's couple. */
static wide *couple_of(const fem_sim *f, const fem_load *l)
{
    return f->loads.couples + (ptrdiff_t)COUPLE_NUMBERS * l->desc.value;
}

static wide *couple_bar_of(const fem_sim *f, const fem_load *l)
{
    return f->loads.couples_bar + (ptrdiff_t)COUPLE_NUMBERS * l->desc.value;
}

/* Whether it is the first load that has its value. */
static int is_first(const fem_sim *f, const fem_load *l)
{
    int first = 1;
    for (const fem_load *k = f->loads.load; k < l; k++) first &= k->desc.value != l->desc.value;
    return first;
}

/* Adds what the faces of a load have of number `which`. */
static void add_integral(fem_sim *f, const fem_load *l, int which)
{
    pio_queue *q = &f->base.queue;
    pio_sum(q, fem_couple_integral, l->desc.n, NULL, f->base.scalar, .f = fem_faces_of(f, l, f->faces.rest),
            .which = which, .couple = couple_of(f, l));
    pio_map(q, add_scalar, 1, NULL, .term = f->base.scalar, .total = couple_of(f, l) + which);
}

void fem_couples(fem_sim *f)
{
    pio_queue *q = &f->base.queue;
    const fem_load *loads = f->loads.load, *end = loads + f->loads.n_loads;
    if (!f->loads.has_moments) return;
    pio_queue_zero(q, f->loads.couples, COUPLE_NUMBERS * sizeof *f->loads.couples * (size_t)f->loads.n_values);
    fem_to_vertices(f, f->mesh.rest, f->faces.rest);
    for (const fem_load *l = loads; l < end; l++) {
        if (l->desc.moment) add_integral(f, l, COUPLE_AREA);
        for (int c = 0; l->desc.moment && c < DIM; c++) add_integral(f, l, COUPLE_FIRST + c);
    }
    for (const fem_load *l = loads; l < end; l++)
        if (l->desc.moment && is_first(f, l)) pio_map(q, fem_couple_center, 1, NULL, .couple = couple_of(f, l));
    for (const fem_load *l = loads; l < end; l++)
        for (int k = 0; l->desc.moment && k < (DIM == 3 ? 6 : 2); k++) add_integral(f, l, COUPLE_SECOND + k);
    for (const fem_load *l = loads; l < end; l++)
        if (l->desc.moment && is_first(f, l))
            pio_map(q, fem_couple_solve, 1, NULL, .moment = f->loads.values + 3 * l->desc.value,
                    .couple = couple_of(f, l));
    for (const fem_load *l = loads; l < end; l++)
        if (l->desc.moment)
            pio_map(q, fem_couple, l->desc.n, NULL, .f = fem_faces_of(f, l, f->faces.rest), .couple = couple_of(f, l),
                    .out = l->couple_value);
}

void fem_couple_load_adj(fem_sim *f, const fem_load *l, real *rest_bar)
{
    static const int of[] = {COUPLE_TURN, COUPLE_CENTER};
    pio_queue *q = &f->base.queue;
    if (!l->desc.moment) return;
    pio_map(q, fem_couple_adj, l->desc.n, NULL,
            .fwd = {.f = fem_faces_of(f, l, f->faces.rest), .couple = couple_of(f, l)}, .faces = l->desc.n,
            .out_bar = l->couple_bar, .rest_bar = rest_bar, .contribution = l->couple_contribution);
    for (int k = 0; k < 6; k++) {
        pio_sum(q, fem_vary_sum, l->desc.n, NULL, f->base.scalar,
                .contribution = l->couple_contribution + (ptrdiff_t)k * l->desc.n);
        pio_map(q, add_scalar, 1, NULL, .term = f->base.scalar, .total = couple_bar_of(f, l) + of[k / 3] + k % 3);
    }
}

void fem_couples_adj(fem_sim *f)
{
    pio_queue *q = &f->base.queue;
    const fem_load *loads = f->loads.load, *end = loads + f->loads.n_loads;
    if (!f->loads.has_moments) return;
    for (const fem_load *l = loads; l < end; l++) {
        if (!l->desc.moment || !is_first(f, l)) continue;
        pio_map(q, fem_couple_solve_adj, 1, NULL,
                .fwd = {.moment = f->loads.values + 3 * l->desc.value, .couple = couple_of(f, l)},
                .moment_bar = f->loads.values_bar + 3 * l->desc.value, .couple_bar = couple_bar_of(f, l));
        pio_map(q, fem_couple_center_adj, 1, NULL, .fwd = {.couple = couple_of(f, l)},
                .couple_bar = couple_bar_of(f, l));
    }
    pio_queue_zero(q, f->faces.dof_out, sizeof *f->faces.dof_out * DIM * (size_t)f->faces.element_dofs);
    fem_to_vertices(f, f->mesh.rest, f->faces.rest);
    for (const fem_load *l = loads; l < end; l++) {
        if (!l->desc.moment) continue;
        pio_map(q, fem_couple_integral_adj, l->desc.n, NULL,
                .fwd = {.f = fem_faces_of(f, l, f->faces.rest), .couple = couple_of(f, l)},
                .couple_bar = couple_bar_of(f, l), .rest_bar = f->faces.dof_out,
                .thick_contribution = l->thick_contribution);
        if (l->thick_contribution)
            pio_map(q, fem_face_thick, 1, NULL,
                    .faces = l->desc.n, .owner = l->owner, .contribution = l->thick_contribution,
                    .thick_bar = f->materials.thickness_bar);
    }
    fem_add_faces(f, f->faces.dof_out, 1, f->mesh.rest_bar);
}
/* clang-format on */
