/* fem_jacobian.c -- the matrix of a mesh: K(u), with springs, follower loads and the rates of an implicit step where it
 * has them. */
#include "solvers/fem/fem.h"

/* clang-format off */
void fem_tangents(fem_sim *f, const real *u)
{
    pio_queue *q = &f->base.queue;
    for (const fem_element_block *p = f->mesh.block; p < f->mesh.block + f->mesh.n_blocks; p++)
        pio_map(q, fem_tangent, p->n, NULL,
                .b = fem_block_of(f, p, RULE_STIFFNESS), .m = fem_matter_of(f), .u = u, .node_pair = p->node_pair,
                .node_pairs = p->node_pairs, .first_node_pair = p->first_node_pair, .out = f->matrix.block_out);
    fem_spring_stiffness(f);
}

void fem_assemble_matrix(fem_sim *f)
{
    pio_map(&f->base.queue, fem_assemble, f->matrix.graph.blocks, NULL,
            .blocks = f->matrix.graph.blocks, .row = f->matrix.block_row, .column = f->matrix.bsr.column,
            .start = f->matrix.block_start, .source = f->matrix.block_source, .element_matrices = f->matrix.block_out,
            .constrained = f->supports.constrained, .out = f->matrix.bsr.value);
}

static void assemble(fem_sim *f, fem_span span, const real *u)
{
    f->matrix.at = u;
    f->matrix.span = span;
    if (f->motion.integrator != PIO_STATIC) {
        const fem_rate_set r = fem_rates_at(f, span);
        fem_inertial_matrix(f, r.a.d, r.v.d);
    }
    fem_assemble_matrix(f);
}

void fem_jacobian(fem_sim *f, fem_span span, const real *u)
{
    fem_tangents(f, u);
    fem_follow_stiffness(f, u);
    f->matrix.projected = 0;
    assemble(f, span, u);
}

void fem_projected_jacobian(fem_sim *f, fem_span span, const real *u)
{
    pio_queue *q = &f->base.queue;
    for (const fem_element_block *p = f->mesh.block; p < f->mesh.block + f->mesh.n_blocks; p++)
        pio_map(q, fem_tangent_projected, p->n, NULL,
                .b = fem_block_of(f, p, RULE_STIFFNESS), .m = fem_matter_of(f), .u = u, .node_pair = p->node_pair,
                .node_pairs = p->node_pairs, .first_node_pair = p->first_node_pair, .out = f->matrix.block_out);
    fem_spring_stiffness(f);
    fem_follow_stiffness(f, u);
    f->matrix.projected = 1;
    assemble(f, span, u);
}
/* clang-format on */
