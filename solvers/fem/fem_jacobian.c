/* fem_jacobian.c -- the matrix of a mesh: K(u), with springs, follower loads and the rates of an implicit step where it
 * has them. */
#include "solvers/fem/fem_contact.h"
#include "solvers/fem/fem_control.h"
#include "solvers/fem/fem_pairs.h"

#include <math.h>

/* clang-format off */
/* The element matrices of one block, as they are or projected. */
static void block_tangents(fem_sim *f, const fem_element_block *p, const real *u, int projected)
{
    pio_queue *q = &f->base.queue;
    const fem_tangent_args a = {.b = fem_block_of(f, p, RULE_STIFFNESS), .m = fem_matter_of(f), .u = u,
                                .reduced = f->linear.pressure.reduced ? f->linear.pressure.moduli : NULL,
                                .node_pair = p->node_pair, .node_pairs = p->node_pairs,
                                .first_node_pair = p->first_node_pair, .out = f->matrix.block_out};
    if (p->dilatations && projected)
        pio_map_with(q, fem_dilated_tangent_projected, p->n, NULL, &a);
    else if (p->dilatations)
        pio_map_with(q, fem_dilated_tangent, p->n, NULL, &a);
    else if (projected)
        pio_map_with(q, fem_tangent_projected, p->n, NULL, &a);
    else
        pio_map_with(q, fem_tangent, p->n, NULL, &a);
    fem_fibre_stiffness(f, p, projected);
}

void fem_tangents(fem_sim *f, const real *u)
{
    for (const fem_element_block *p = f->mesh.block; p < f->mesh.block + f->mesh.n_blocks; p++)
        block_tangents(f, p, u, 0);
    fem_spring_stiffness(f);
    fem_contact_blocks(f, u, 0);
}

void fem_assemble_matrix(fem_sim *f)
{
    pio_map(&f->base.queue, fem_assemble, f->matrix.graph.blocks, NULL,
            .blocks = f->matrix.graph.blocks, .row = f->matrix.block_row, .column = f->matrix.bsr.column,
            .start = f->matrix.block_start, .source = f->matrix.block_source, .weight = f->matrix.block_weight,
            .element_matrices = f->matrix.block_out,
            .constrained = f->supports.constrained, .out = f->matrix.bsr.value);
    f->matrix.bsr.beside = (bsr_beside){0};
}

static void assemble(fem_sim *f, fem_span span, const real *u)
{
    f->matrix.at = u;
    f->linear.pressure.opened = 0;
    f->matrix.span = span;
    const fem_rate_set r = fem_rates_at(f, span);
    if (f->motion.integrator != PIO_STATIC) fem_inertial_matrix(f, r.a.d, r.v.d);
    fem_assemble_matrix(f);
    f->matrix.bsr.beside = fem_pairs_beside(f);
    f->matrix.constant.valid = f->matrix.constant.possible && !f->matrix.projected && !f->linear.pressure.reduced;
    f->matrix.constant.factored = 0;
    f->matrix.constant.ca = r.a.d;
    f->matrix.constant.cv = r.v.d;
}

/* Whether the matrix at hand is that of the span's end. Where iterations solve, it is assembled anew all the same: that
 * is little work beside them. */
static int is_there(const fem_sim *f, fem_span span)
{
    const fem_constant_matrix *c = &f->matrix.constant;
    const fem_rate_set r = fem_rates_at(f, span);
    return c->valid && f->linear.direct.table && f->linear.standby.by_factor && !f->linear.pressure.count &&
           !(fabs(r.a.d - c->ca) > 0) && !(fabs(r.v.d - c->cv) > 0);
}

void fem_jacobian(fem_sim *f, fem_span span, const real *u)
{
    if (is_there(f, span)) {
        f->matrix.at = u;
        f->matrix.span = span;
        return;
    }
    fem_tangents(f, u);
    fem_follow_stiffness(f, u);
    f->matrix.projected = 0;
    assemble(f, span, u);
}

void fem_projected_jacobian(fem_sim *f, fem_span span, const real *u)
{
    for (const fem_element_block *p = f->mesh.block; p < f->mesh.block + f->mesh.n_blocks; p++)
        block_tangents(f, p, u, 1);
    fem_spring_stiffness(f);
    fem_contact_blocks(f, u, 1);
    fem_follow_stiffness(f, u);
    f->matrix.projected = 1;
    assemble(f, span, u);
}

void fem_pressure_reduce(fem_sim *f, int reduced)
{
    fem_sim_pressure *s = &f->linear.pressure;
    const int opened = s->opened;
    if (!s->count) return;
    if (reduced)
        for (const fem_element_block *p = f->mesh.block; p < f->mesh.block + f->mesh.n_blocks; p++)
            pio_map(&f->base.queue, fem_pressure_moduli, p->n, NULL, .b = fem_block_of(f, p, RULE_STIFFNESS),
                    .m = fem_matter_of(f), .moduli = s->moduli);
    s->reduced = reduced;
    (f->matrix.projected ? fem_projected_jacobian : fem_jacobian)(f, f->matrix.span, f->matrix.at);
    s->opened = opened;
}
/* clang-format on */
