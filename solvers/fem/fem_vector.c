/* fem_vector.c -- what all parts of a mesh's step are made of: elements and constants as kernels take them, vectors of
 * nodes, the curves of time that loads and supports have, constrained unknowns. */
#include "solvers/fem/fem.h"
#include "solvers/fem/fem_contact.h"
#include "solvers/fem/fem_vary.h"

/* clang-format off */
fem_block fem_block_of(const fem_sim *f, const fem_element_block *p, int rule)
{
    return (fem_block){.rule = f->mesh.rule[rule][p->type],
                       .dilatations = rule == RULE_STIFFNESS ? p->dilatations : 0, .plane = f->mesh.plane,
                       .n = p->n, .first = p->first,
                       .first_element_node = p->first_element_node,
                       .node = p->node, .rest = f->mesh.rest,
                       .thick = f->materials.has_thickness ? f->materials.thickness : NULL};
}

fem_matter fem_matter_of(const fem_sim *f)
{
    return (fem_matter){.elements = f->mesh.elements, .law = f->materials.law, .k = f->materials.k,
                        .density = f->materials.actual, .heat = f->materials.heat, .relative = f->materials.relative,
                        .choice = f->materials.choice};
}

void fem_element_forces(fem_sim *f, const fem_force_args *a)
{
    if (a->b.dilatations)
        pio_map_with(&f->base.queue, fem_dilated_force, a->b.n, NULL, a);
    else
        pio_map_with(&f->base.queue, fem_force, a->b.n, NULL, a);
}

void fem_element_forces_adj(fem_sim *f, const fem_force_adj_args *a)
{
    if (a->fwd.b.dilatations)
        pio_map_with(&f->base.queue, fem_dilated_force_adj, a->fwd.b.n, NULL, a);
    else
        pio_map_with(&f->base.queue, fem_force_adj, a->fwd.b.n, NULL, a);
}

void fem_combine(fem_sim *f, double a, const real *x, double b, const real *y, real *out)
{
    pio_map(&f->base.queue, point_axpby, f->mesh.nodes, NULL, .a = (real)a, .b = (real)b, .x = x, .y = y, .out = out);
}

void fem_mask_constrained(fem_sim *f, int keep_constrained, real *x)
{
    pio_map(&f->base.queue, fem_mask, f->mesh.nodes, NULL, .constrained = f->supports.constrained,
            .keep_constrained = keep_constrained,
            .x = x);
}

void fem_add_element_dofs(fem_sim *f, const real *in, real *out)
{
    pio_map(&f->base.queue, fem_node_sum, f->mesh.nodes, NULL,
            .start = f->mesh.dof_start, .element_node = f->mesh.dof_list, .in = in, .scale = 1, .out = out);
}

void fem_zero_points(fem_sim *f, real *x)
{
    pio_queue_zero(&f->base.queue, x, sizeof *x * DIM * (size_t)f->mesh.nodes);
}

void fem_curves(fem_sim *f, fem_span span, double *factor)
{
    pio_map(&f->base.queue, fem_curve, f->curves.n_curves, NULL,
            .step = f->step, .h = f->stepping.dt, .index = span.step, .substep = span.part, .substeps = span.parts,
            .start = f->curves.start, .t = f->curves.t,
            .value = f->curves.value, .out = factor);
    fem_vary_in_time(f, span);
    fem_obstacles_at(f, span);
}

void fem_supports_sum(fem_sim *f)
{
    pio_queue *q = &f->base.queue;
    for (int s = 0; s < f->supports.plain; s++) {
        pio_sum(q, design_sum, f->supports.n_constrained, NULL, f->base.scalar,
                .n = f->supports.n_constrained, .stored = 1, .index = f->supports.support, .group = s,
                .bar = f->supports.contribution);
        pio_map(q, add_scalar, 1, NULL, .term = f->base.scalar, .total = f->supports.value_bar + s);
    }
}

/* value_bar of every support from the total cotangent of its unknowns. */
void fem_supports_adj(fem_sim *f, const real *u1_bar)
{
    if (!f->supports.n_constrained) return;
    pio_map(&f->base.queue, fem_prescribe_adj, f->supports.n_constrained, NULL,
            .node = f->supports.node, .axis = f->supports.axis, .support = f->supports.support,
            .curve = f->supports.curve, .factor = f->curves.factor, .u_bar = u1_bar,
            .contribution = f->supports.contribution);
    fem_supports_sum(f);
    fem_vary_supports_adj(f, f->supports.contribution);
}
/* clang-format on */
