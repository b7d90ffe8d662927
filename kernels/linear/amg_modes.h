/* amg_modes.h -- rigid motions of the nodes of aggregates, from which a multilevel preconditioner interpolates; see
 * amg_setup.h. */
#ifndef PIOLA_KERNELS_AMG_MODES_H
#define PIOLA_KERNELS_AMG_MODES_H

#include "kernels/base/vec.h"
#include "kernels/linear/amg_args.h"

/* A block of at most AMG_MODES rows and columns. */
typedef struct {
    wide m[AMG_MODES][AMG_MODES];
} amg_block;

/* Returns a block of zeros. */
PIO_FN amg_block amg_block_zero(void)
{
    amg_block r;
    for (int c = 0; c < AMG_MODES; c++)
        for (int d = 0; d < AMG_MODES; d++) r.m[c][d] = W(0);
    return r;
}

/* Returns component c of a rotation about the origin, about axis k of three or the only one of two, at x. */
PIO_FN wide amg_rotation(int k, int c, const wide *x)
{
#if PIO_DIM == 3
    const int next = (k + 1) % 3, last = (k + 2) % 3;
    return c == next ? -x[last] : c == last ? x[next] : W(0);
#else
    (void)k;
    return c ? x[0] : -x[1];
#endif
}

/* Returns the modes of row i about `center`: of a node (modes is NULL) those of its displacement, of an aggregate those
 * of its amplitudes. */
PIO_FN amg_block amg_modes_of(int i, const wide *place, const int *constrained, const wide *modes, const wide *center)
{
    amg_block b = amg_block_zero();
    wide x[DIM];
    for (int c = 0; c < DIM; c++) x[c] = place[(ptrdiff_t)i * DIM + c] - center[c];
    if (modes) { /* of its own centre: a rotation about another place is that, and a translation */
        const wide *own = modes + (ptrdiff_t)i * AMG_MODES * AMG_MODES;
        for (int r = 0; r < AMG_MODES; r++) {
            for (int m = 0; m < AMG_MODES; m++) b.m[r][m] = own[r * AMG_MODES + m];
            for (int k = 0; k < AMG_MODES - DIM; k++)
                for (int c = 0; c < DIM; c++) b.m[r][DIM + k] += own[r * AMG_MODES + c] * amg_rotation(k, c, x);
        }
        return b;
    }
    for (int c = 0; c < DIM; c++) {
        if (constrained && constrained[i] >> c & 1) continue;
        b.m[c][c] = W(1);
        for (int k = 0; k < AMG_MODES - DIM; k++) b.m[c][DIM + k] = amg_rotation(k, c, x);
    }
    return b;
}

/* Sets where row i is. Rotations about places as they are cost no energy where strains are finite, and about those at
 * rest where they are small. */
PIO_FN void amg_place(int i, const amg_place_args *a)
{
    const int node = a->node ? a->node[i] : i, moves = !(a->constrained[i] & AMG_AT_REST);
    for (int c = 0; c < DIM; c++) {
        const ptrdiff_t at = (ptrdiff_t)node * DIM + c;
        a->place[(ptrdiff_t)i * DIM + c] = moves ? W(a->rest[at]) + W(a->u[at]) : W(a->rest[at]);
    }
}

/* Sets the mean place of aggregate g, and W and C: Cholesky's factor of B^T B = C^T C, C upper triangular, and W with
 * C W = 1 but for the modes that depend on those before them, or are zeros. */
PIO_FN void amg_modes(int g, const amg_modes_args *a)
{
    const int begin = a->member_start[g], end = a->member_start[g + 1];
    wide center[DIM];
    amg_block gram = amg_block_zero(), c = amg_block_zero(), w = amg_block_zero();
    for (int d = 0; d < DIM; d++) {
        center[d] = W(0);
        for (int k = begin; k < end; k++) center[d] += a->place[(ptrdiff_t)a->member[k] * DIM + d];
        center[d] = center[d] / W(end - begin);
        a->center[(ptrdiff_t)g * DIM + d] = center[d];
    }
    for (int k = begin; k < end; k++) {
        const amg_block b = amg_modes_of(a->member[k], a->place, a->constrained, a->modes, center);
        for (int r = 0; r < a->size; r++)
            for (int m = 0; m < AMG_MODES; m++)
                for (int n = m; n < AMG_MODES; n++) gram.m[m][n] += b.m[r][m] * b.m[r][n];
    }
    for (int m = 0; m < AMG_MODES; m++) {
        wide rest = gram.m[m][m];
        for (int k = 0; k < m; k++) rest -= c.m[k][m] * c.m[k][m];
        if (!(rest > W(1e-10) * gram.m[m][m])) continue; /* what is left is rounding */
        c.m[m][m] = sqrt(rest);
        w.m[m][m] = W(1) / c.m[m][m];
        for (int n = m + 1; n < AMG_MODES; n++) {
            wide s = gram.m[m][n];
            for (int k = 0; k < m; k++) s -= c.m[k][m] * c.m[k][n];
            c.m[m][n] = s * w.m[m][m];
        }
        for (int k = 0; k < m; k++)
            for (int r = 0; r <= k; r++) w.m[r][m] -= w.m[r][k] * c.m[k][m] * w.m[m][m];
    }
    for (int m = 0; m < AMG_MODES; m++)
        for (int n = 0; n < AMG_MODES; n++) {
            const ptrdiff_t at = ((ptrdiff_t)g * AMG_MODES + m) * AMG_MODES + n;
            a->basis[at] = w.m[m][n];
            a->coarse_modes[at] = c.m[m][n];
        }
}

/* Sets row i of Q: its modes times W. */
PIO_FN void amg_tentative(int i, const amg_tentative_args *a)
{
    real *out = a->tentative + (ptrdiff_t)i * a->size * AMG_MODES;
    const int g = a->aggregate[i];
    for (int k = 0; k < a->size * AMG_MODES; k++) out[k] = R(0);
    if (g < 0) return;
    const amg_block b = amg_modes_of(i, a->place, a->constrained, a->modes, a->center + (ptrdiff_t)g * DIM);
    const wide *w = a->basis + (ptrdiff_t)g * AMG_MODES * AMG_MODES;
    for (int r = 0; r < a->size; r++)
        for (int m = 0; m < AMG_MODES; m++) {
            wide s = W(0);
            for (int k = 0; k <= m; k++) s += b.m[r][k] * w[k * AMG_MODES + m];
            out[r * AMG_MODES + m] = (real)s;
        }
}

#endif
