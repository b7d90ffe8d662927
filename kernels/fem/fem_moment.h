/* fem_moment.h -- moments about a centre c at rest in space, with the deformed place for an arm, and their adjoint.
 *
 *     m = sum_i (X_i + u_i - c) x (w_i f_i)
 *
 * f are reactions, and m their moment; or the momenta M v of the nodes, and m the angular momentum: with consistent
 * masses M it is that of the body, since place and velocity are both sum_i N_i (.)_i. In 2D m is the third number. */
#ifndef PIOLA_KERNELS_FEM_MOMENT_H
#define PIOLA_KERNELS_FEM_MOMENT_H

#include "kernels/fem/fem_moment_args.h"
#include "kernels/fem/fem.h"

/* Returns the axes whose product is the moment: m = d_first f_second - d_second f_first. */
PIO_FN int moment_axis(const fem_moment_args *a, int number)
{
    return DIM == 2 ? number : (a->axis + 1 + number) % 3;
}

/* Returns component c of the arm of node i, m. */
PIO_FN wide moment_arm(const fem_moment_args *a, int i, int c)
{
    const ptrdiff_t at = (ptrdiff_t)i * DIM + c;
    return W(a->rest[at]) - W(a->center[c]) + W(a->u[at]);
}

/* Returns the term of node i. */
PIO_FN wide fem_moment(int i, const fem_moment_args *a)
{
    const int p = moment_axis(a, 0), q = moment_axis(a, 1);
    const ptrdiff_t at = (ptrdiff_t)i * DIM;
    return moment_arm(a, i, p) * W(a->weight[at + q]) * W(a->force[at + q]) -
           moment_arm(a, i, q) * W(a->weight[at + p]) * W(a->force[at + p]);
}

/* Adds the cotangents of displacement, rest position and force of node i. */
PIO_FN void fem_moment_adj(int i, const fem_moment_adj_args *b)
{
    const fem_moment_args *a = &b->fwd;
    const int p = moment_axis(a, 0), q = moment_axis(a, 1);
    const ptrdiff_t at = (ptrdiff_t)i * DIM;
    const wide bar = W(b->scale) * *b->sample_bar;
    const real by_p = R(bar * W(a->weight[at + q]) * W(a->force[at + q]));
    const real by_q = R(-bar * W(a->weight[at + p]) * W(a->force[at + p]));
    b->u_bar[at + p] += by_p;
    b->u_bar[at + q] += by_q;
    b->rest_bar[at + p] += by_p;
    b->rest_bar[at + q] += by_q;
    b->force_bar[at + q] += R(bar * moment_arm(a, i, p)) * a->weight[at + q];
    b->force_bar[at + p] -= R(bar * moment_arm(a, i, q)) * a->weight[at + p];
}

#endif
