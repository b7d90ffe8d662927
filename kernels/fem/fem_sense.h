/* fem_sense.h -- what networks (kernels/control/network.h) read of a mesh: weighted means of places X + u or velocities
 * of nodes along an axis, with weights that are constants of the scene; and the adjoint. */
#ifndef PIOLA_KERNELS_FEM_SENSE_H
#define PIOLA_KERNELS_FEM_SENSE_H

#include "kernels/base/fields.h"
#include "kernels/base/vocabulary.h"
#include "kernels/fem/fem_sense_args.h"

/* Returns the term of node n in the mean that an input is, m or m/s. */
PIO_FN wide fem_sense(int n, const fem_sense_args *a)
{
    const ptrdiff_t at = (ptrdiff_t)n * DIM + a->input->axis;
    const wide weight = W(a->weight[n]);
    if (a->input->kind == PIO_INPUT_VELOCITY) return weight * W(a->v[at]);
    return weight * (W(a->rest[at]) + W(a->u[at]));
}

/* Adjoint of fem_sense for node n and all inputs: adds to the cotangents of its place at rest, displacement and
 * velocity. */
PIO_FN void fem_sense_adj(int n, const fem_sense_adj_args *b)
{
    for (int i = 0; i < b->inputs; i++) {
        const network_input *j = &b->input[i];
        const ptrdiff_t at = (ptrdiff_t)n * DIM + j->axis;
        if (j->kind < PIO_INPUT_POSITION) continue;
        const real bar = R(W(b->weight[(ptrdiff_t)b->set[i] * b->nodes + n]) * b->means_bar[i]);
        if (j->kind == PIO_INPUT_VELOCITY) {
            b->v_bar[at] += bar;
        } else {
            b->u_bar[at] += bar;
            b->rest_bar[at] += bar;
        }
    }
}

#endif
