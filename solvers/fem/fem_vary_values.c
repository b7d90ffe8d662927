/* fem_vary_values.c -- the values of loads and supports that vary, and of all else that does, by the kernels of
 * kernels/fem/fem_vary.h, and their adjoints; fem_vary.c sets quantities of elements and nodes to them. */
#include "solvers/fem/fem.h"
#include "solvers/fem/fem_vary.h"

#include <math.h>
#include <stdio.h>

/* ---- values ----------------------------------------------------------------------------------------------- */

/* What kernels know of the items: nodes of a face or of an element with the rule of the load, or of an element, or a
 * node itself, with their mean. */
static fem_vary_args args_of(const fem_sim *f, const fem_varying *v)
{
    fem_vary_args a = {.p = f->varies.programs,
                       .components = v->desc.components,
                       .rest = f->mesh.rest,
                       .step = f->step,
                       .out = v->value};
    for (int c = 0; c < 3; c++) {
        a.program[c] = v->desc.program[c];
        a.number[c] = v->desc.number[c];
    }
    const fem_load *l = fem_varies_load(v) ? &f->loads.load[v->desc.which] : NULL;
    const int elements = l ? !l->vertex : !fem_varies_support(v) && !fem_varies_nodes(v);
    const fem_element_block *b = &f->mesh.block[l ? l->block : v->block];
    if (l) a.rule = l->rule;
    if (!l) a.rule = (fem_rule){.nodes = elements ? fem_nodes_of(b->type) : 1};
    a.node = elements ? b->node : l ? l->vertex : v->item;
    a.item = !elements ? NULL : l ? l->owner : v->item;
    a.first = elements ? b->first : 0;
    return a;
}

void fem_vary_set(fem_sim *f, const fem_varying *v)
{
    const fem_vary_args a = args_of(f, v);
    pio_map_with(&f->base.queue, fem_vary, v->n, NULL, &a);
    if (fem_varies_support(v))
        pio_queue_copy(&f->base.queue, f->supports.value + v->desc.which, v->value, sizeof *v->value * (size_t)v->n);
}

void fem_vary_in_time(fem_sim *f, fem_span span)
{
    const fem_span of = f->varies.span;
    if (!f->varies.in_time) return;
    if (f->varies.set && of.step == span.step && of.part == span.part && of.parts == span.parts) return;
    for (const fem_varying *v = f->varies.list; v < f->varies.list + f->varies.n; v++)
        if (v->desc.in_time) fem_vary_set(f, v);
    f->varies.span = span;
    f->varies.set = 1;
}

/* Returns whether the sum of all values is finite, in as many parts as the memory of sums needs. */
static int sum_is_finite(fem_sim *f, const fem_varying *v)
{
    pio_queue *q = &f->base.queue;
    const size_t all = (size_t)v->n * (size_t)v->points * (size_t)v->desc.components, most = (size_t)f->base.sum_items;
    int finite = 1;
    for (size_t at = 0; at < all; at += most) {
        double sum = 0;
        pio_sum(q, fem_vary_sum, (int)(all - at < most ? all - at : most), NULL, f->base.scalar,
                .contribution = v->value + at);
        pio_queue_download(q, &sum, f->base.scalar, sizeof sum);
        finite &= isfinite(sum) != 0;
    }
    return finite;
}

int fem_vary_is_finite(fem_sim *f, char what[48])
{
    for (const fem_varying *v = f->varies.list; v < f->varies.list + f->varies.n; v++) {
        if ((!fem_varies_load(v) && !fem_varies_support(v)) || sum_is_finite(f, v)) continue;
        if (fem_varies_load(v))
            snprintf(what, 48, "loads[%d]", f->loads.load[v->desc.which].desc.value);
        else
            snprintf(what, 48, "a support");
        return 0;
    }
    return 1;
}

/* ---- adjoint ---------------------------------------------------------------------------------------------- */

void fem_vary_values_adj(fem_sim *f, const fem_varying *v, int first_element_node, real *rest_bar)
{
    pio_queue *q = &f->base.queue;
    pio_map(q, fem_vary_adj, v->n, NULL, .fwd = args_of(f, v), .n = v->n, .out_bar = v->value_bar,
            .first_element_node = first_element_node, .rest_bar = rest_bar, .constants = f->varies.designed,
            .contribution = f->varies.contribution);
    for (int k = 0; k < f->varies.designed; k++) {
        if (!(v->constants >> k & 1)) continue;
        pio_sum(q, fem_vary_sum, v->n, NULL, f->base.scalar,
                .contribution = f->varies.contribution + (ptrdiff_t)k * v->n);
        pio_map(q, add_scalar, 1, NULL, .term = f->base.scalar, .total = f->varies.constant_bar + k);
    }
}

void fem_vary_load_adj(fem_sim *f, const fem_load *l, real *rest_bar)
{
    if (!l->varies) return;
    fem_vary_values_adj(f, l->varies, l->vertex ? l->first_element_node : f->mesh.block[l->block].first_element_node,
                        rest_bar);
}

void fem_vary_supports_adj(fem_sim *f, const real *contribution)
{
    for (const fem_varying *v = f->varies.list; v < f->varies.list + f->varies.n; v++) {
        if (!fem_varies_support(v)) continue;
        pio_map(&f->base.queue, design_each, f->supports.n_constrained, NULL, .n = f->supports.n_constrained,
                .components = 1, .index = v->index, .bar = contribution, .value_bar = v->value_bar, .stored = 1);
        fem_vary_values_adj(f, v, -1, f->mesh.rest_bar);
    }
}
