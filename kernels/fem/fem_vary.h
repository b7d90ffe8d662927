/* fem_vary.h -- values that vary in space and time, as expressions have them (kernels/base/expression.h), and the
 * adjoint, which goes to named constants and to rest positions: at integration points of the faces and elements of
 * loads, at constrained unknowns, in the middle of elements, at nodes. */
#ifndef PIOLA_KERNELS_FEM_VARY_H
#define PIOLA_KERNELS_FEM_VARY_H

#include "kernels/base/expression.h"
#include "kernels/fem/fem_vary_args.h"
#include "kernels/linear/bsr.h"

/* Returns the weight of node n in the place of point q: the shape function there, or that of the mean. */
PIO_FN real fem_vary_weight(const fem_rule *r, int q, int n)
{
    return r->points ? r->N[q * r->nodes + n] : R(1) / R(r->nodes);
}

/* Returns the place of point q of an item with these nodes, and the time. */
PIO_FN expression_at fem_vary_at(const fem_vary_args *a, const int *node, int q)
{
    expression_at at;
    vec X = vec_zero();
    for (int n = 0; n < a->rule.nodes; n++)
        X = vec_axpby(R(1), X, fem_vary_weight(&a->rule, q, n), point_load(a->rest, node[n]));
    for (int c = 0; c < 3; c++) at.x[c] = c < DIM ? W(X.x[c]) : W(0);
    at.t = W(a->step->t);
    return at;
}

/* Returns the nodes of item i. */
PIO_FN const int *fem_vary_nodes(const fem_vary_args *a, int i)
{
    return a->node + (ptrdiff_t)(a->item ? a->item[i] - a->first : i) * a->rule.nodes;
}

/* Sets the values at all points of item i. */
PIO_FN void fem_vary(int i, const fem_vary_args *a)
{
    const int points = a->rule.points ? a->rule.points : 1, *node = fem_vary_nodes(a, i);
    wide v[PIO_PROGRAM_OPS];
    for (int q = 0; q < points; q++) {
        const expression_at at = fem_vary_at(a, node, q);
        wide *out = a->out + ((ptrdiff_t)i * points + q) * a->components;
        for (int c = 0; c < a->components; c++)
            out[c] = a->program[c] < 0 ? a->number[c] : expression_value(&a->p, a->program[c], &at, v);
    }
}

/* Sets the contributions of item i to the cotangents of constants, and adds to those of its nodes' rest positions. */
PIO_FN void fem_vary_adj(int i, const fem_vary_adj_args *s)
{
    const fem_vary_args *a = &s->fwd;
    const int points = a->rule.points ? a->rule.points : 1, nodes = a->rule.nodes, *node = fem_vary_nodes(a, i);
    const ptrdiff_t first = s->first_element_node + (node - a->node);
    wide v[PIO_PROGRAM_OPS];
    expression_bar bars;
    bars.constant = s->contribution + i;
    bars.constants = s->constants;
    bars.stride = s->n;
    for (int k = 0; k < s->constants; k++) s->contribution[(ptrdiff_t)k * s->n + i] = W(0);
    for (int q = 0; q < points; q++) {
        const expression_at at = fem_vary_at(a, node, q);
        const wide *y_bar = s->out_bar + ((ptrdiff_t)i * points + q) * a->components;
        for (int c = 0; c < 3; c++) bars.x[c] = W(0);
        for (int c = 0; c < a->components; c++) {
            if (a->program[c] < 0) continue;
            expression_value(&a->p, a->program[c], &at, v);
            expression_value_adj(&a->p, a->program[c], &at, v, y_bar[c], &bars);
        }
        for (int n = 0; n < nodes; n++) {
            real *X_bar = s->rest_bar + (s->first_element_node < 0 ? (ptrdiff_t)node[n] : first + n) * DIM;
            for (int c = 0; c < DIM; c++) X_bar[c] += fem_vary_weight(&a->rule, q, n) * R(bars.x[c]);
        }
    }
}

/* Returns the contribution of item i. */
PIO_FN wide fem_vary_sum(int i, const fem_vary_sum_args *a)
{
    return a->contribution[i];
}

#endif
