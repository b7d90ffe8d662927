/* fem_follow.c -- loads that depend on the displacement (kernels/fem/fem_follow.h): follower pressures, which make the
 * Jacobian general, and springs, which count as internal forces. Their blocks of the matrix are those of the node
 * pairs of a face: vertices are nodes here (surface.h, the identity). */
#include "solvers/fem/fem.h"

int fem_follower(const fem_load *l)
{
    return l->desc.kind == PIO_FOLLOWER;
}

int fem_spring_load(const fem_load *l)
{
    return l->desc.kind == PIO_SPRINGS || l->desc.kind == PIO_FOUNDATION;
}

/* clang-format off */
void fem_places(fem_sim *f, const real *u)
{
    fem_to_vertices(f, f->mesh.rest, f->faces.rest);
    fem_to_vertices(f, u, f->faces.u);
    fem_combine(f, 1, f->faces.rest, 1, f->faces.u, f->faces.place);
}

/* Of loads of the other kinds nothing is to be added. */
static void begin(fem_sim *f, const real *u)
{
    pio_queue_zero(&f->base.queue, f->faces.dof_out, sizeof *f->faces.dof_out * DIM * (size_t)f->faces.element_dofs);
    fem_places(f, u);
}

/* ---- pressures -------------------------------------------------------------------------------------------- */

void fem_follow(fem_sim *f, const real *u)
{
    pio_queue *q = &f->base.queue;
    if (!f->loads.has_followers) return;
    pio_queue_copy(q, f->forces.external, f->forces.dead, sizeof *f->forces.external * DIM * (size_t)f->mesh.nodes);
    begin(f, u);
    for (const fem_load *l = f->loads.load; l < f->loads.load + f->loads.n_loads; l++) {
        if (!fem_follower(l)) continue;
        const fem_face_args a = fem_faces_of(f, l, f->faces.place);
        pio_map_with(q, fem_face, l->desc.n, NULL, &a);
    }
    fem_add_faces(f, f->faces.dof_out, 1, f->forces.external);
}

void fem_follow_adj(fem_sim *f, const real *u, const real *y, real *u_bar)
{
    if (!f->loads.has_followers) return;
    begin(f, u);
    fem_to_vertices(f, y, f->faces.force);
    for (const fem_load *l = f->loads.load; l < f->loads.load + f->loads.n_loads; l++)
        if (fem_follower(l))
            pio_map(&f->base.queue, fem_face_adj, l->desc.n, NULL,
                    .fwd = fem_faces_of(f, l, f->faces.place), .y = f->faces.force, .rest_bar = f->faces.dof_out,
                    .faces = l->desc.n, .value_contribution = l->value_contribution,
                    .thick_contribution = l->thick_contribution);
    fem_add_faces(f, f->faces.dof_out, 1, u_bar);
}

void fem_follow_times(fem_sim *f, const real *u, const real *du, real *out)
{
    if (!f->loads.has_followers) return;
    begin(f, u);
    fem_to_vertices(f, du, f->faces.force);
    for (const fem_load *l = f->loads.load; l < f->loads.load + f->loads.n_loads; l++)
        if (fem_follower(l))
            pio_map(&f->base.queue, fem_face_tan, l->desc.n, NULL,
                    .fwd = fem_faces_of(f, l, f->faces.place), .du = f->faces.force, .out = f->faces.dof_out);
    fem_add_faces(f, f->faces.dof_out, -1, out);
}

void fem_follow_stiffness(fem_sim *f, const real *u)
{
    if (!f->loads.has_followers) return;
    fem_places(f, u);
    for (const fem_load *l = f->loads.load; l < f->loads.load + f->loads.n_loads; l++)
        if (fem_follower(l))
            pio_map(&f->base.queue, fem_face_matrix, l->desc.n, NULL,
                    .fwd = fem_faces_of(f, l, f->faces.place), .first_node_pair = l->first_node_pair,
                    .out = f->matrix.block_out);
}

/* ---- springs ---------------------------------------------------------------------------------------------- */

static fem_spring_args spring_args(const fem_sim *f, const fem_load *l)
{
    return (fem_spring_args){.f = fem_faces_of(f, l, f->faces.rest), .normal = l->desc.kind == PIO_FOUNDATION,
                             .u = f->faces.u};
}

void fem_springs(fem_sim *f, const real *u, real *out)
{
    pio_queue *q = &f->base.queue;
    if (!f->loads.has_springs) return;
    begin(f, u);
    for (const fem_load *l = f->loads.load; l < f->loads.load + f->loads.n_loads; l++) {
        if (!fem_spring_load(l)) continue;
        const fem_spring_args a = spring_args(f, l);
        pio_map_with(q, fem_spring, l->desc.n, NULL, &a);
    }
    fem_add_faces(f, f->faces.dof_out, 1, out);
}

void fem_springs_adj(fem_sim *f, const real *u, const real *y, real *u_bar, int parameters)
{
    pio_queue *q = &f->base.queue;
    if (!f->loads.has_springs) return;
    begin(f, u);
    fem_to_vertices(f, y, f->faces.force);
    if (parameters) pio_queue_zero(q, f->faces.dof_rest,
            sizeof *f->faces.dof_rest * DIM * (size_t)f->faces.element_dofs);
    for (const fem_load *l = f->loads.load; l < f->loads.load + f->loads.n_loads; l++) {
        if (!fem_spring_load(l)) continue;
        pio_map(q, fem_spring_adj, l->desc.n, NULL,
                .fwd = spring_args(f, l), .y = f->faces.force, .u_bar = f->faces.dof_out, .faces = l->desc.n,
                .rest_bar = parameters ? f->faces.dof_rest : NULL,
                .value_contribution = parameters ? l->value_contribution : NULL,
                .thick_contribution = parameters ? l->thick_contribution : NULL);
        if (parameters) fem_value_adj(f, l);
    }
    fem_add_faces(f, f->faces.dof_out, 1, u_bar);
    if (parameters) fem_add_faces(f, f->faces.dof_rest, 1, f->mesh.rest_bar);
}

void fem_spring_stiffness(fem_sim *f)
{
    pio_queue *q = &f->base.queue;
    if (!f->loads.has_springs) return;
    fem_to_vertices(f, f->mesh.rest, f->faces.rest);
    for (const fem_load *l = f->loads.load; l < f->loads.load + f->loads.n_loads; l++)
        if (fem_spring_load(l))
            pio_map(q, fem_spring_matrix, l->desc.n, NULL, .fwd = spring_args(f, l),
                    .first_node_pair = l->first_node_pair, .out = f->matrix.block_out);
}
/* clang-format on */
