/* fem_forces.c -- internal and external forces of a mesh, and their adjoints: elements write the contributions to their
 * nodes, and each node adds those of its elements. */
#include "solvers/fem/fem_contact.h"
#include "solvers/fem/fem_control.h"
#include "solvers/fem/fem_pairs.h"
#include "solvers/fem/fem_vary.h"

/* clang-format off */
void fem_elastic(fem_sim *f, const real *u, real *out)
{
    pio_queue *q = &f->base.queue;
    for (const fem_element_block *p = f->mesh.block; p < f->mesh.block + f->mesh.n_blocks; p++) {
        fem_element_forces(f, &(fem_force_args){.b = fem_block_of(f, p, RULE_STIFFNESS), .m = fem_matter_of(f), .u = u,
                                                .out = f->mesh.dof_out});
        fem_fibre_forces(f, p, u, f->mesh.dof_out);
    }
    fem_zero_points(f, out);
    fem_add_element_dofs(f, f->mesh.dof_out, out);
    fem_springs(f, u, out);
    pio_halo(q, out);
}

void fem_internal(fem_sim *f, const real *u, real *out)
{
    fem_elastic(f, u, out);
    fem_contact_forces(f, u, out);
    fem_pairs_forces(f, u, fem_slip_velocity(f, u), out);
}

/* u_bar += (df/du)^T y, v_bar likewise; with `parameters` the same for constants, thickness and rest positions. */
void fem_internal_adj(fem_sim *f, const real *u, const real *y, real *u_bar, real *v_bar, int parameters)
{
    pio_queue *q = &f->base.queue;
    for (const fem_element_block *p = f->mesh.block; p < f->mesh.block + f->mesh.n_blocks; p++) {
        fem_element_forces_adj(f, &(fem_force_adj_args){
                .fwd = {.b = fem_block_of(f, p, RULE_STIFFNESS), .m = fem_matter_of(f), .u = u}, .y = y,
                .u_bar = f->mesh.dof_out, .rest_bar = parameters ? f->mesh.dof_rest : NULL,
                .k_bar = parameters ? f->materials.k_bar : NULL,
                .heat_bar = parameters ? f->materials.heat_bar : NULL,
                .thick_bar = parameters && f->materials.has_thickness ? f->materials.thickness_bar : NULL});
        fem_fibre_forces_adj(f, p, u, y, parameters);
    }
    if (parameters) fem_fibre_collect(f);
    fem_add_element_dofs(f, f->mesh.dof_out, u_bar);
    if (parameters) fem_add_element_dofs(f, f->mesh.dof_rest, f->mesh.rest_bar);
    fem_springs_adj(f, u, y, u_bar, parameters);
    pio_halo(q, u_bar);
    fem_contact_forces_adj(f, u, y, u_bar, v_bar, parameters);
    fem_pairs_forces_adj(f, u, y, (fem_friction_bars){.u = u_bar, .v = v_bar, .parameters = parameters});
}

/* The same with all parameters, and the forces themselves into out. */
void fem_internal_both(fem_sim *f, const real *u, const real *y, real *u_bar, real *out)
{
    pio_queue *q = &f->base.queue;
    for (const fem_element_block *p = f->mesh.block; p < f->mesh.block + f->mesh.n_blocks; p++) {
        fem_element_forces_adj(f, &(fem_force_adj_args){
                .fwd = {.b = fem_block_of(f, p, RULE_STIFFNESS), .m = fem_matter_of(f), .u = u}, .y = y,
                .u_bar = f->mesh.dof_out, .rest_bar = f->mesh.dof_rest, .k_bar = f->materials.k_bar,
                .heat_bar = f->materials.heat_bar,
                .thick_bar = f->materials.has_thickness ? f->materials.thickness_bar : NULL,
                .force = f->mesh.dof_force});
        fem_fibre_forces(f, p, u, f->mesh.dof_force);
        fem_fibre_forces_adj(f, p, u, y, 1);
    }
    fem_fibre_collect(f);
    fem_zero_points(f, out);
    fem_add_element_dofs(f, f->mesh.dof_force, out);
    fem_add_element_dofs(f, f->mesh.dof_out, u_bar);
    fem_add_element_dofs(f, f->mesh.dof_rest, f->mesh.rest_bar);
    fem_springs(f, u, out);
    fem_springs_adj(f, u, y, u_bar, 1);
    pio_halo(q, out);
    pio_halo(q, u_bar);
    fem_contact_forces(f, u, out);
    fem_contact_forces_adj(f, u, y, u_bar, NULL, 1);
    fem_pairs_forces(f, u, NULL, out);
    fem_pairs_forces_adj(f, u, y, (fem_friction_bars){.u = u_bar, .parameters = 1});
}

/* ---- external forces -------------------------------------------------------------------------------------- */

static fem_body_force_args body_args(const fem_sim *f, const fem_load *l)
{
    return (fem_body_force_args){.b = fem_block_of(f, &f->mesh.block[l->block], RULE_MASS), .n = l->desc.n,
                                 .element = l->owner,
                                 .scale = l->desc.scale,
                                 .value = l->varies ? l->varies->value : f->loads.values + 3 * l->desc.value,
                                 .stride = l->varies ? l->varies->desc.components : 0,
                                 .factor = fem_factor_of(f, l),
                                 .out = f->mesh.dof_out};
}

static int dead_faces(const fem_load *l)
{
    return l->desc.kind == PIO_TRACTION || l->desc.kind == PIO_PRESSURE;
}

static void zero_faces(fem_sim *f)
{
    pio_queue_zero(&f->base.queue, f->faces.dof_out, sizeof *f->faces.dof_out * DIM * (size_t)f->faces.element_dofs);
}

static void body_force(fem_sim *f, const fem_load *l)
{
    pio_queue *q = &f->base.queue;
    const fem_body_force_args a = body_args(f, l);
    pio_queue_zero(q, f->mesh.dof_out, sizeof *f->mesh.dof_out * DIM * (size_t)f->mesh.element_dofs);
    pio_map_with(q, fem_body_force, a.n, NULL, &a);
    fem_add_element_dofs(f, f->mesh.dof_out, f->forces.external);
}

static void weight(fem_sim *f)
{
    for (const fem_element_block *p = f->mesh.block; p < f->mesh.block + f->mesh.n_blocks; p++)
        pio_map(&f->base.queue, fem_weight, p->n, NULL,
                .b = fem_block_of(f, p, RULE_MASS), .m = fem_matter_of(f), .step = f->step, .out = f->mesh.dof_out);
    fem_add_element_dofs(f, f->mesh.dof_out, f->forces.external);
}

void fem_external(fem_sim *f, fem_span span, const real *u)
{
    pio_queue *q = &f->base.queue;
    fem_curves(f, span, f->curves.factor);
    fem_activate(f, span);
    f->forces.external_of = span.part == span.parts - 1 && u == f->state.u ? span.step + 1 : -1;
    if (!fem_leaps(f)) fem_zero_points(f, f->forces.external);
    if (f->motion.lumped)
        fem_lumped_weight(f);
    else if (!f->loads.weightless)
        weight(f);
    if (!f->loads.n_loads) return;
    zero_faces(f);
    fem_to_vertices(f, f->mesh.rest, f->faces.rest);
    for (const fem_load *l = f->loads.load; l < f->loads.load + f->loads.n_loads; l++) {
        if (l->desc.kind == PIO_BODY_FORCE) body_force(f, l);
        if (!dead_faces(l)) continue;
        const fem_face_args a = fem_faces_of(f, l, f->faces.rest);
        pio_map_with(q, fem_face, l->desc.n, NULL, &a);
    }
    fem_add_faces(f, f->faces.dof_out, 1, f->forces.external);
    if (!f->loads.has_followers) return;
    pio_queue_copy(q, f->forces.dead, f->forces.external, sizeof *f->forces.external * DIM * (size_t)f->mesh.nodes);
    fem_follow(f, u);
}

static void body_force_adj(fem_sim *f, const fem_load *l)
{
    pio_queue *q = &f->base.queue;
    pio_queue_zero(q, f->mesh.dof_rest, sizeof *f->mesh.dof_rest * DIM * (size_t)f->mesh.element_dofs);
    pio_map(q, fem_body_force_adj, l->desc.n, NULL, .fwd = body_args(f, l), .y = f->forces.external_bar,
            .rest_bar = f->mesh.dof_rest,
            .thick_bar = f->materials.has_thickness ? f->materials.thickness_bar : NULL,
            .value_contribution = l->value_contribution, .point_bar = l->varies ? l->varies->value_bar : NULL);
    fem_value_adj(f, l);
    fem_vary_load_adj(f, l, f->mesh.dof_rest);
    fem_add_element_dofs(f, f->mesh.dof_rest, f->mesh.rest_bar);
}

/* From external_bar at the step's time to density, thickness, gravity, values of loads and rest positions. */
static void loads_adj(fem_sim *f, const real *u)
{
    pio_queue *q = &f->base.queue;
    real *y = f->faces.force; /* [vertices][DIM] cotangents of vertex forces */
    zero_faces(f);
    if (f->loads.has_followers) fem_places(f, u);
    fem_to_vertices(f, f->forces.external_bar, y);
    for (const fem_load *l = f->loads.load; l < f->loads.load + f->loads.n_loads; l++) {
        if (l->desc.kind == PIO_BODY_FORCE) body_force_adj(f, l);
        if (!dead_faces(l) && !fem_follower(l)) continue;
        pio_map(q, fem_face_adj, l->desc.n, NULL,
                .fwd = fem_faces_of(f, l, fem_follower(l) ? f->faces.place : f->faces.rest), .y = y,
                .rest_bar = f->faces.dof_out, .faces = l->desc.n, .value_contribution = l->value_contribution,
                .point_bar = l->varies ? l->varies->value_bar : l->couple_bar,
                .thick_contribution = l->thick_contribution);
        fem_value_adj(f, l);
        fem_vary_load_adj(f, l, f->faces.dof_out);
        fem_couple_load_adj(f, l, f->faces.dof_out);
    }
    fem_add_faces(f, f->faces.dof_out, 1, f->mesh.rest_bar);
}

/* From external_bar to density, thickness, gravity and rest positions. */
static void weight_adj(fem_sim *f)
{
    pio_queue *q = &f->base.queue;
    for (const fem_element_block *p = f->mesh.block; p < f->mesh.block + f->mesh.n_blocks; p++)
        pio_map(q, fem_weight_adj, p->n, NULL,
                .fwd = {.b = fem_block_of(f, p, RULE_MASS), .m = fem_matter_of(f), .step = f->step},
                .y = f->forces.external_bar, .rest_bar = f->mesh.dof_rest, .density_bar = f->materials.actual_bar,
                .thick_bar = f->materials.has_thickness ? f->materials.thickness_bar : NULL,
                .gravity_contribution = f->loads.gravity_contribution);
    fem_add_element_dofs(f, f->mesh.dof_rest, f->mesh.rest_bar);
    for (int c = 0; c < DIM; c++) {
        pio_sum(q, field_sum, f->mesh.elements, NULL, f->base.scalar,
                .n = f->mesh.elements, .components = DIM, .component = c, .in = f->loads.gravity_contribution);
        pio_map(q, add_scalar, 1, NULL, .term = f->base.scalar, .total = f->base.gravity_bar + c);
    }
}

void fem_external_adj(fem_sim *f, const real *u)
{
    if (f->motion.lumped)
        fem_lumped_weight_adj(f);
    else if (!f->loads.weightless)
        weight_adj(f);
    if (f->loads.n_loads) loads_adj(f, u);
    fem_zero_points(f, f->forces.external_bar);
}
/* clang-format on */
