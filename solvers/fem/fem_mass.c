/* fem_mass.c -- forces of the masses and of damping, for given rates: their adjoints, their contribution to the
 * Jacobian, the weight of lumped masses. C = alpha M + beta K at rest (Rayleigh's). */
#include "solvers/fem/fem.h"

/* clang-format off */
static void add_element_dofs(fem_sim *f, const real *in, real *out)
{
    fem_add_element_dofs(f, in, out);
    pio_halo(&f->base.queue, out);
}

/* out += M x, each element's times its factor */
static void mass_times(fem_sim *f, const real *factor, const real *x, real *out)
{
    for (const fem_element_block *p = f->mesh.block; p < f->mesh.block + f->mesh.n_blocks; p++)
        pio_map(&f->base.queue, fem_inertia, p->n, NULL,
                .b = fem_block_of(f, p, RULE_MASS), .lumped = f->motion.lumped, .density = f->materials.actual,
                .factor = factor, .x = x,
                .out = f->mesh.dof_out);
    add_element_dofs(f, f->mesh.dof_out, out);
}

static void mass_times_adj(fem_sim *f, const real *factor, real *factor_bar, const real *x, const real *y, real *x_bar)
{
    for (const fem_element_block *p = f->mesh.block; p < f->mesh.block + f->mesh.n_blocks; p++)
        pio_map(&f->base.queue, fem_inertia_adj, p->n, NULL,
                .fwd = {.b = fem_block_of(f, p, RULE_MASS), .lumped = f->motion.lumped, .density = f->materials.actual,
                        .factor = factor, .x = x},
                .y = y, .x_bar = f->mesh.dof_out, .rest_bar = f->mesh.dof_rest, .density_bar = f->materials.actual_bar,
                .factor_bar = factor_bar, .thick_bar = f->materials.has_thickness ? f->materials.thickness_bar : NULL);
    if (x_bar) add_element_dofs(f, f->mesh.dof_out, x_bar);
    add_element_dofs(f, f->mesh.dof_rest, f->mesh.rest_bar);
}

static fem_matter damping_matter(const fem_sim *f)
{
    return (fem_matter){.elements = f->mesh.elements, .law = f->damping.law, .k = f->damping.k,
                        .density = f->materials.actual};
}

void fem_mass_force(fem_sim *f, const real *a, real *out)
{
    mass_times(f, NULL, a, out);
}

void fem_damping_force(fem_sim *f, const real *v, real *out)
{
    if (f->damping.alpha) mass_times(f, f->damping.alpha, v, out);
    if (!f->damping.beta) return;
    for (const fem_element_block *p = f->mesh.block; p < f->mesh.block + f->mesh.n_blocks; p++)
        fem_element_forces(f, &(fem_force_args){.b = fem_block_of(f, p, RULE_STIFFNESS), .m = damping_matter(f), .u = v,
                                                .out = f->mesh.dof_out});
    add_element_dofs(f, f->mesh.dof_out, out);
}

void fem_mass_force_adj(fem_sim *f, const real *a, const real *y, real *a_bar)
{
    mass_times_adj(f, NULL, NULL, a, y, a_bar);
}

void fem_damping_force_adj(fem_sim *f, const real *v, const real *y, real *v_bar)
{
    if (f->damping.alpha) mass_times_adj(f, f->damping.alpha, f->damping.alpha_bar, v, y, v_bar);
    if (!f->damping.beta) return;
    for (const fem_element_block *p = f->mesh.block; p < f->mesh.block + f->mesh.n_blocks; p++)
        fem_element_forces_adj(f, &(fem_force_adj_args){
                .fwd = {.b = fem_block_of(f, p, RULE_STIFFNESS), .m = damping_matter(f), .u = v}, .y = y,
                .u_bar = f->mesh.dof_out, .rest_bar = f->mesh.dof_rest, .k_bar = f->damping.k_bar,
                .thick_bar = f->materials.has_thickness ? f->materials.thickness_bar : NULL});
    if (v_bar) add_element_dofs(f, f->mesh.dof_out, v_bar);
    add_element_dofs(f, f->mesh.dof_rest, f->mesh.rest_bar);
}

/* Element matrices += ca M + cv C. */
void fem_inertial_matrix(fem_sim *f, double ca, double cv)
{
    pio_queue *q = &f->base.queue;
    for (const fem_element_block *p = f->mesh.block; p < f->mesh.block + f->mesh.n_blocks; p++) {
        pio_map(q, fem_mass_matrix, p->n, NULL,
                .b = fem_block_of(f, p, RULE_MASS), .lumped = f->motion.lumped, .density = f->materials.actual,
                .alpha = f->damping.alpha, .ca = ca,
                .cv = cv, .node_pair = p->node_pair, .node_pairs = p->node_pairs, .first_node_pair = p->first_node_pair,
                .out = f->matrix.block_out);
        if (f->damping.beta && cv > 0)
            pio_map(q, fem_damping_matrix, p->n, NULL,
                    .b = fem_block_of(f, p, RULE_STIFFNESS), .m = damping_matter(f), .cv = cv,
                    .node_pair = p->node_pair, .node_pairs = p->node_pairs, .first_node_pair = p->first_node_pair,
                    .out = f->matrix.block_out);
    }
}

/* ---- weight ----------------------------------------------------------------------------------------------- */

/* Gravity acts on the masses that move: where these are lumped, f_ext += M g, so that a body at rest within itself
 * falls so. */
void fem_lumped_weight(fem_sim *f)
{
    if (fem_leaps(f)) {
        pio_map(&f->base.queue, fem_node_weight, f->mesh.nodes, NULL, .step = f->step, .mass = f->motion.mass,
                .out = f->forces.external);
        return;
    }
    pio_map(&f->base.queue, point_uniform, f->mesh.nodes, NULL, .step = f->step, .axis = -1, .out = f->motion.drag);
    fem_mass_force(f, f->motion.drag, f->forces.external);
}

static void gravity_adj(fem_sim *f)
{
    pio_queue *q = &f->base.queue;
    for (int c = 0; c < DIM; c++) {
        pio_map(q, point_uniform, f->mesh.nodes, NULL, .step = f->step, .axis = c, .out = f->motion.drag);
        pio_sum(q, point_dot, f->mesh.nodes, NULL, f->base.scalar, .x = f->motion.inertia, .y = f->motion.drag);
        pio_map(q, add_scalar, 1, NULL, .term = f->base.scalar, .total = f->base.gravity_bar + c);
    }
}

/* The leapfrog's weights are the same in every step: their cotangents are added up, and fem_leapfrog_end takes them
 * all. */
void fem_lumped_weight_adj(fem_sim *f)
{
    pio_queue *q = &f->base.queue;
    if (fem_leaps(f)) {
        fem_combine(f, 1, f->motion.weight_bar, 1, f->forces.external_bar, f->motion.weight_bar);
        return;
    }
    pio_map(q, point_uniform, f->mesh.nodes, NULL, .step = f->step, .axis = -1, .out = f->motion.drag);
    pio_queue_zero(q, f->motion.inertia, sizeof(real) * DIM * (size_t)f->mesh.nodes);
    fem_mass_force_adj(f, f->motion.drag, f->forces.external_bar, f->motion.inertia);
    gravity_adj(f);
}

void fem_node_weights_adj(fem_sim *f)
{
    pio_map(&f->base.queue, fem_node_weight_adj, f->mesh.nodes, NULL, .fwd = {.step = f->step, .mass = f->motion.mass},
            .out_bar = f->motion.weight_bar, .mass_bar = f->motion.mass_bar, .gravity_contribution = f->motion.inertia);
    gravity_adj(f);
}
/* clang-format on */
