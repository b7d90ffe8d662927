/* fem_place.h -- how far material points are from given places, and the adjoint.
 *
 *     y = sum_p q_p |x_p - Y_p|^2/P,   x_p = sum_a N_a (X_a + (1 - s) u_a + s u0_a)
 *
 * The sum is over the nodes of the element that point p lies in, with the values N of its shape functions there, which
 * do not change: the point moves with the element, at rest too. q: weight of the point, P: their sum, s: weight of the
 * step before. */
#ifndef PIOLA_KERNELS_FEM_PLACE_H
#define PIOLA_KERNELS_FEM_PLACE_H

#include "kernels/fem/fem_place_args.h"
#include "kernels/fem/fem.h"

/* Returns q_p/P. */
PIO_FN double place_fraction(const fem_place_args *a, int p)
{
    return (a->point_weight ? a->point_weight[p] : 1) / a->total;
}

/* Returns component c of x_p - Y_p, m, or 0 where p has no place at this time. */
PIO_FN wide place_off(const fem_place_args *a, int p, int c)
{
    const double Y = a->given[(ptrdiff_t)p * DIM + c];
    wide off = W(-Y);
    if (!(Y - Y >= 0)) return W(0);
    for (int j = a->start[p]; j < a->start[p + 1]; j++) {
        const ptrdiff_t at = (ptrdiff_t)a->node[j] * DIM + c;
        wide x = W(a->rest[at]) + W(a->past ? 1 - a->past_weight : 1) * W(a->u[at]);
        if (a->past) x += W(a->past_weight) * W(a->past[at]);
        off += W(a->shape[j]) * x;
    }
    return off;
}

/* Returns the term of point p. */
PIO_FN wide fem_place(int p, const fem_place_args *a)
{
    wide sum = W(0);
    for (int c = 0; c < DIM; c++) {
        const wide off = place_off(a, p, c);
        sum += off * off;
    }
    return W(place_fraction(a, p)) * sum;
}

/* Sets the cotangent of the place of point p. */
PIO_FN void fem_place_adj(int p, const fem_place_adj_args *b)
{
    const wide bar = W(2 * b->scale * place_fraction(&b->fwd, p)) * *b->sample_bar;
    for (int c = 0; c < DIM; c++) b->place_bar[(ptrdiff_t)p * DIM + c] = R(bar * place_off(&b->fwd, p, c));
}

/* Adds the cotangents of node i. */
PIO_FN void fem_place_node_adj(int i, const fem_place_node_adj_args *b)
{
    for (int c = 0; c < DIM; c++) {
        const ptrdiff_t at = (ptrdiff_t)i * DIM + c;
        real sum = R(0);
        for (int j = b->start[i]; j < b->start[i + 1]; j++)
            sum += b->shape[j] * b->place_bar[(ptrdiff_t)b->point[j] * DIM + c];
        b->u_bar[at] += R(1 - b->past_weight) * sum;
        b->rest_bar[at] += sum;
        if (b->past_bar) b->past_bar[at] += R(b->past_weight) * sum;
    }
}

#endif
