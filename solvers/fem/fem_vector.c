/* fem_vector.c -- what all parts of a mesh's step are made of: elements and constants as kernels take them, vectors of
 * nodes, the curves of time that loads and supports have, held unknowns. */
#include "solvers/fem/fem.h"

/* clang-format off */
fem_block fem_block_of(const fem_sim *f, const fem_part *p, int rule)
{
    return (fem_block){.rule = f->rule[rule][p->type], .n = p->n, .first = p->first, .corner = p->corner,
                       .node = p->node, .rest = f->rest, .thick = f->thickness ? f->thick : NULL};
}

fem_matter fem_matter_of(const fem_sim *f)
{
    return (fem_matter){.elements = f->elements, .law = f->law, .k = f->k, .density = f->density};
}

void fem_combine(fem_sim *f, double a, const real *x, double b, const real *y, real *out)
{
    pio_map(&f->base.queue, point_axpby, f->nodes, NULL, .a = (real)a, .b = (real)b, .x = x, .y = y, .out = out);
}

void fem_held(fem_sim *f, int keep_held, real *x)
{
    pio_map(&f->base.queue, fem_mask, f->nodes, NULL, .held = f->held, .keep_held = keep_held, .x = x);
}

void fem_add_corners(fem_sim *f, const real *in, real *out)
{
    pio_map(&f->base.queue, fem_node_sum, f->nodes, NULL,
            .start = f->corner_start, .corner = f->corner_list, .in = in, .scale = 1, .out = out);
}

void fem_zero_points(fem_sim *f, real *x)
{
    pio_queue_zero(&f->base.queue, x, sizeof *x * DIM * (size_t)f->nodes);
}

void fem_curves(fem_sim *f, fem_span span, double *factor)
{
    pio_map(&f->base.queue, fem_curve, f->n_curves, NULL,
            .step = f->step, .h = f->dt, .index = span.step, .part = span.part, .parts = span.parts,
            .start = f->curve_start, .t = f->curve_t,
            .value = f->curve_value, .out = factor);
}

void fem_supports_sum(fem_sim *f)
{
    pio_queue *q = &f->base.queue;
    for (int s = 0; s < f->n_supports; s++) {
        pio_sum(q, design_sum, f->n_held, NULL, f->base.scalar,
                .n = f->n_held, .stored = 1, .index = f->held_support, .group = s, .bar = f->held_share);
        pio_map(q, add_scalar, 1, NULL, .term = f->base.scalar, .total = f->support_bar + s);
    }
}

/* value_bar of every support from the total cotangent of its unknowns. */
void fem_supports_adj(fem_sim *f, const real *u1_bar)
{
    if (!f->n_held) return;
    pio_map(&f->base.queue, fem_prescribe_adj, f->n_held, NULL,
            .node = f->held_node, .axis = f->held_axis, .support = f->held_support, .curve = f->support_curve,
            .factor = f->factor, .u_bar = u1_bar, .share = f->held_share);
    fem_supports_sum(f);
}
/* clang-format on */
