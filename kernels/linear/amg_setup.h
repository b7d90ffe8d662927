/* amg_setup.h -- the numbers of a multilevel preconditioner by smoothed aggregation (Vanek, Mandel and Brezina 1996).
 *
 *     B = rigid motions of the rows, where they are now    B_a = Q_a C_a of each aggregate a, Q_a orthonormal
 *     P = (1 - 4/(3 lambda) D^-1 A) Q                      the next matrix is P^T A P, and its rows have the modes C_a
 *
 * lambda is the largest eigenvalue of D^-1 A, D being the diagonal blocks, by Lanczos's method in the inner product of
 * D, which conjugate gradients carry out (Golub and Van Loan 2013, section 11.3). Modes, of amg_modes.h, are about the
 * mean place of each aggregate: a rotation about another place is one about that and a translation. An aggregate of two
 * nodes, or of nodes in a row, has fewer modes than AMG_MODES: columns of Q are zeros, and what stands in the next
 * matrix for them are rows and columns of zeros. An unknown that is held has no mode, too.
 *
 * Matrices are in the digits of the fields, since A times a rigid motion is a small difference of large numbers; what
 * the cycle of amg.h multiplies by has those of `narrow`. */
#ifndef PIOLA_KERNELS_AMG_SETUP_H
#define PIOLA_KERNELS_AMG_SETUP_H

#include "kernels/base/quad.h"
#include "kernels/linear/amg_modes.h"

/* ---- matrices ------------------------------------------------------------------------------------------------- */

/* Sets n numbers to zeros. */
PIO_FN void amg_zero(wide *s, int n)
{
    for (int k = 0; k < n; k++) s[k] = W(0);
}

/* Sets block row i of (A + A^T)/2 in the digits of a preconditioner, and the sum of its blocks in the place of the
 * diagonal one where that is wanted. */
PIO_FN void amg_narrow(int i, const amg_narrow_args *a)
{
    const int size = a->size, n = size * size;
    wide sum[AMG_MODES * AMG_MODES];
    amg_zero(sum, n);
    for (int k = a->row_start[i]; k < a->row_start[i + 1]; k++) {
        const real *m = a->value + (ptrdiff_t)k * n;
        const real *t = a->value + (ptrdiff_t)(a->mirror ? a->mirror[k] : k) * n;
        for (int c = 0; c < size; c++)
            for (int d = 0; d < size; d++) {
                const int turned = a->mirror ? d * size + c : c * size + d;
                const real mean = R(0.5) * (m[c * size + d] + t[turned]);
                sum[c * size + d] += W(mean);
                a->out[(ptrdiff_t)k * n + c * size + d] = NARROW(mean);
            }
    }
    for (int q = 0; q < n && a->diagonal; q++) a->out[(ptrdiff_t)a->diagonal[i] * n + q] = NARROW(sum[q]);
}

/* Inverts the symmetric matrix at m [n][n] in place by elimination without pivots, as a positive definite one allows.
 * Rows of zeros stay zeros. Returns 1, or 0 where it is not positive definite. */
PIO_FN int amg_invert_small(int n, wide *m)
{
    wide largest[AMG_MODES];
    for (int k = 0; k < n; k++) largest[k] = m[k * n + k];
    for (int k = 0; k < n; k++) {
        const wide pivot = m[k * n + k];
        if (!(pivot > W(1e-12) * largest[k])) {
            if (!(pivot >= W(-1e-12) * largest[k])) return 0; /* NaN, too */
            for (int j = 0; j < n; j++) m[k * n + j] = m[j * n + k] = W(0);
            continue;
        }
        const wide inverse = W(1) / pivot;
        m[k * n + k] = W(1);
        for (int j = 0; j < n; j++) m[k * n + j] *= inverse;
        for (int i = 0; i < n; i++) {
            const wide f = i == k ? W(0) : m[i * n + k];
            if (i == k) continue;
            m[i * n + k] = W(0);
            for (int j = 0; j < n; j++) m[i * n + j] -= f * m[k * n + j];
        }
    }
    return 1;
}

/* Sets the inverse of diagonal block i; zeros where it is not positive definite. */
PIO_FN void amg_invert(int i, const amg_invert_args *a)
{
    wide m[AMG_MODES * AMG_MODES];
    const int size = a->size;
    const real *block = a->value + (ptrdiff_t)a->diagonal[i] * size * size;
    for (int c = 0; c < size; c++)
        for (int d = 0; d < size; d++) m[c * size + d] = W(0.5) * (W(block[c * size + d]) + W(block[d * size + c]));
    const int right = amg_invert_small(size, m);
    if (!right) atomic_min_u64(a->fault, (uint64_t)i);
    for (int k = 0; k < size * size; k++) a->inverse[(ptrdiff_t)i * size * size + k] = NARROW(right ? m[k] : W(0));
}

/* Adds A_ik Q_k to s, of `size` rows; that is a constant where this is used. */
PIO_FN void amg_add_tentative(wide *s, const real *m, const real *q, int size)
{
    for (int c = 0; c < size; c++)
        for (int d = 0; d < size; d++) {
            const wide f = W(m[c * size + d]);
            for (int n = 0; n < AMG_MODES; n++) s[c * AMG_MODES + n] += f * W(q[d * AMG_MODES + n]);
        }
}

/* Sets row i of P, `size` being a constant. */
PIO_FN void amg_smooth_row(int i, const amg_smooth_args *a, int size)
{
    const int n = size * AMG_MODES;
    const wide omega = W(4) / (W(3) * *a->lambda);
    for (int e = a->p_start[i]; e < a->p_start[i + 1]; e++) {
        wide s[AMG_MODES * AMG_MODES];
        amg_zero(s, n);
        for (int k = a->row_start[i]; k < a->row_start[i + 1]; k++)
            if (a->aggregate[a->column[k]] == a->p_column[e])
                amg_add_tentative(s, a->value + (ptrdiff_t)k * size * size, a->tentative + (ptrdiff_t)a->column[k] * n,
                                  size);
        const real *own = a->tentative + (ptrdiff_t)i * n;
        const int of_own = a->aggregate[i] == a->p_column[e];
        for (int c = 0; c < size; c++)
            for (int m = 0; m < AMG_MODES; m++) {
                wide t = of_own ? W(own[c * AMG_MODES + m]) : W(0);
                for (int d = 0; d < size; d++)
                    t -= omega * W(a->inverse[((ptrdiff_t)i * size + c) * size + d]) * s[d * AMG_MODES + m];
                a->p[(ptrdiff_t)e * n + c * AMG_MODES + m] = NARROW(t);
            }
    }
}

/* Sets row i of P. */
PIO_FN void amg_smooth(int i, const amg_smooth_args *a)
{
    if (a->size == DIM)
        amg_smooth_row(i, a, DIM);
    else
        amg_smooth_row(i, a, AMG_MODES);
}

/* Returns where `wanted` is among ascending columns, which have it at `at` or later. */
PIO_FN int amg_find(const int *column, int at, int wanted)
{
    while (column[at] < wanted) at++;
    return at;
}

#if PIO_LANE_LOOPS
/* Blocks of a row of a product that are added up at a time, and quads of their rows: what is past the end of a row is
 * computed and not used. */
enum { AMG_TOGETHER = 32, AMG_QUADS = (AMG_MODES + QUAD - 1) / QUAD };

typedef struct {
    quad row[AMG_MODES][AMG_QUADS];
} amg_sum;

/* Sets the first `rows` rows of n blocks to zeros; `rows` is a constant. */
PIO_FN void amg_sums_zero(amg_sum *s, int n, int rows)
{
    for (int b = 0; b < n; b++)
        for (int c = 0; c < rows; c++)
            for (int k = 0; k < AMG_QUADS; k++) s[b].row[c][k] = quad_zero();
}

/* Stores n blocks of rows x columns, which are constants. */
PIO_FN void amg_sums_store(amg_sum *s, int n, int rows, int columns, real *out)
{
    for (int b = 0; b < n; b++)
        for (int c = 0; c < rows; c++) {
            const real *row = (const real *)s[b].row[c];
            for (int k = 0; k < columns; k++) out[((ptrdiff_t)b * rows + c) * columns + k] = row[k];
        }
}

/* Adds the block A_ik times the block P_kg to a sum; the sizes are constants. */
PIO_FN void amg_add_product(amg_sum *s, const real *m, const narrow *p, int size, int next_size)
{
    quad q[AMG_MODES][AMG_QUADS];
    const int quads = (next_size + QUAD - 1) / QUAD;
    PIO_UNROLL_ALL
    for (int d = 0; d < size; d++) {
        PIO_UNROLL_ALL
        for (int k = 0; k < quads; k++) q[d][k] = quad_widen(p + d * next_size + k * QUAD);
    }
    PIO_UNROLL_ALL
    for (int c = 0; c < size; c++) {
        PIO_UNROLL_ALL
        for (int k = 0; k < quads; k++) {
            quad sum = s->row[c][k];
            PIO_UNROLL_ALL
            for (int d = 0; d < size; d++) sum = quad_fma(sum, m[c * size + d], q[d][k]);
            s->row[c][k] = sum;
        }
    }
}

/* Adds the transposed block P_ig times the block (A P)_ik to a sum; the sizes are constants. */
PIO_FN void amg_add_transposed(amg_sum *s, const narrow *p, const real *m, int size, int next_size)
{
    const int quads = (next_size + QUAD - 1) / QUAD;
    PIO_UNROLL_ALL
    for (int k = 0; k < quads; k++) {
        quad q[AMG_MODES];
        PIO_UNROLL_ALL
        for (int r = 0; r < size; r++) q[r] = quad_load(m + r * next_size + k * QUAD);
        PIO_UNROLL_ALL
        for (int c = 0; c < next_size; c++) {
            quad sum = s->row[c][k];
            PIO_UNROLL_ALL
            for (int r = 0; r < size; r++) sum = quad_fma(sum, R(p[r * next_size + c]), q[r]);
            s->row[c][k] = sum;
        }
    }
}
#endif

/* No memory is shared. */
typedef struct {
    int unused;
} amg_multiply_shared;

/* Sets row i of A P, of blocks of size x next_size, which are constants. On CUDA a lane has entries of its own in a
 * block. */
PIO_FN void amg_multiply_row(int i, const amg_multiply_args *a, int size, int next_size)
{
    const int n = size * next_size, begin = a->ap_start[i], end = a->ap_start[i + 1];
#if PIO_LANE_LOOPS
    amg_sum sums[AMG_TOGETHER];
    for (int first = begin; first < end; first += AMG_TOGETHER) {
        const int blocks = end - first < AMG_TOGETHER ? end - first : AMG_TOGETHER;
        const int last = a->ap_column[first + blocks - 1];
        amg_sums_zero(sums, blocks, size);
        for (int k = a->row_start[i]; k < a->row_start[i + 1]; k++) {
            const real *m = a->value + (ptrdiff_t)k * size * size;
            const int j = a->column[k];
            int at = first;
            for (int e = a->p_start[j]; e < a->p_start[j + 1]; e++) {
                if (a->p_column[e] < a->ap_column[first] || a->p_column[e] > last) continue;
                at = amg_find(a->ap_column, at, a->p_column[e]);
                amg_add_product(sums + (at - first), m, a->p + (ptrdiff_t)e * n, size, next_size);
            }
        }
        amg_sums_store(sums, blocks, size, next_size, a->ap + (ptrdiff_t)first * n);
    }
#else
    for (int k = begin; k < end; k++)
        LANES (q, n) a->ap[(ptrdiff_t)k * n + q] = R(0);
    for (int k = a->row_start[i]; k < a->row_start[i + 1]; k++) {
        const real *m = a->value + (ptrdiff_t)k * size * size;
        const int j = a->column[k];
        int at = begin;
        for (int e = a->p_start[j]; e < a->p_start[j + 1]; e++) {
            at = amg_find(a->ap_column, at, a->p_column[e]);
            real *out = a->ap + (ptrdiff_t)at * n;
            const narrow *p = a->p + (ptrdiff_t)e * n;
            LANES (q, n) {
                real s = out[q];
                for (int d = 0; d < size; d++) s += m[q / next_size * size + d] * R(p[d * next_size + q % next_size]);
                out[q] = s;
            }
        }
    }
#endif
}

/* Sets row i of A P. */
PIO_FN void amg_multiply(int i, amg_multiply_shared *sh, const amg_multiply_args *a)
{
    (void)sh;
    if (a->size == DIM && a->next_size == DIM)
        amg_multiply_row(i, a, DIM, DIM);
    else if (a->size == DIM)
        amg_multiply_row(i, a, DIM, AMG_MODES);
    else
        amg_multiply_row(i, a, AMG_MODES, AMG_MODES);
}

typedef amg_multiply_shared amg_galerkin_shared;

/* Sets row g of P^T (A P), of blocks of next_size x next_size; the sizes are constants. Rows of A P are added in
 * ascending order. On CUDA a lane has entries of its own. */
PIO_FN void amg_galerkin_row(int g, const amg_galerkin_args *a, int size, int next_size)
{
    const int n = next_size * next_size, begin = a->next_start[g], end = a->next_start[g + 1];
#if PIO_LANE_LOOPS
    amg_sum sums[AMG_TOGETHER];
    for (int first = begin; first < end; first += AMG_TOGETHER) {
        const int blocks = end - first < AMG_TOGETHER ? end - first : AMG_TOGETHER;
        const int last = a->next_column[first + blocks - 1];
        amg_sums_zero(sums, blocks, next_size);
        for (int t = a->t_start[g]; t < a->t_start[g + 1]; t++) {
            const int i = a->t_row[t];
            const narrow *p = a->p + (ptrdiff_t)a->t_entry[t] * size * next_size;
            int at = first;
            for (int k = a->ap_start[i]; k < a->ap_start[i + 1]; k++) {
                if (a->ap_column[k] < a->next_column[first] || a->ap_column[k] > last) continue;
                at = amg_find(a->next_column, at, a->ap_column[k]);
                amg_add_transposed(sums + (at - first), p, a->ap + (ptrdiff_t)k * size * next_size, size, next_size);
            }
        }
        amg_sums_store(sums, blocks, next_size, next_size, a->next + (ptrdiff_t)first * n);
    }
#else
    LANES (q, n)
        for (int k = begin; k < end; k++) a->next[(ptrdiff_t)k * n + q] = R(0);
    for (int t = a->t_start[g]; t < a->t_start[g + 1]; t++) {
        const int i = a->t_row[t];
        const narrow *p = a->p + (ptrdiff_t)a->t_entry[t] * size * next_size;
        int at = begin;
        for (int k = a->ap_start[i]; k < a->ap_start[i + 1]; k++) {
            const real *m = a->ap + (ptrdiff_t)k * size * next_size;
            at = amg_find(a->next_column, at, a->ap_column[k]);
            real *out = a->next + (ptrdiff_t)at * n;
            LANES (q, n)
                for (int r = 0; r < size; r++)
                    out[q] += R(p[r * next_size + q / next_size]) * m[r * next_size + q % next_size];
        }
    }
#endif
}

/* Sets row g of P^T (A P). */
PIO_FN void amg_galerkin(int g, amg_galerkin_shared *sh, const amg_galerkin_args *a)
{
    (void)sh;
    if (a->size == DIM && a->next_size == DIM)
        amg_galerkin_row(g, a, DIM, DIM);
    else if (a->size == DIM)
        amg_galerkin_row(g, a, DIM, AMG_MODES);
    else
        amg_galerkin_row(g, a, AMG_MODES, AMG_MODES);
}

typedef struct {
    int unused; /* no memory is shared */
} amg_dense_shared;

/* Sets block row i of a matrix with all of its numbers, and of its diagonal. */
PIO_FN void amg_dense(int i, amg_dense_shared *sh, const amg_dense_args *a)
{
    const int size = a->size, n = a->rows * size;
    (void)sh;
    LANES (k, size * n) a->dense[(ptrdiff_t)i * size * n + k] = W(0);
    TEAM_SYNC();
    LANES (k, a->row_start[i + 1] - a->row_start[i]) {
        const int block = a->row_start[i] + k;
        for (int c = 0; c < size; c++)
            for (int d = 0; d < size; d++) {
                const wide value = W(a->value[((ptrdiff_t)block * size + c) * size + d]);
                a->dense[((ptrdiff_t)i * size + c) * n + (ptrdiff_t)a->column[block] * size + d] = value;
                if (a->column[block] == i && c == d) a->own[(ptrdiff_t)i * size + c] = value;
            }
    }
}

typedef amg_dense_shared amg_eliminate_shared;

/* Sets row i of a matrix that is being inverted after the elimination of unknown k, as amg_invert_small. */
PIO_FN void amg_eliminate(int i, amg_eliminate_shared *sh, const amg_eliminate_args *a)
{
    const int n = a->n, k = a->k;
    const wide *m = a->from + (ptrdiff_t)i * n, *row = a->from + (ptrdiff_t)k * n;
    wide *out = a->to + (ptrdiff_t)i * n;
    const wide pivot = row[k];
    const int right = pivot > W(1e-12) * a->own[k];
    const wide inverse = right ? W(1) / pivot : W(0), f = i == k ? W(0) : m[k] * inverse;
    (void)sh;
    if (!right && !(pivot >= W(-1e-12) * a->own[k])) atomic_min_u64(a->fault, 0);
    LANES (j, n) {
        const wide value = i == k ? inverse * m[j] : m[j] - f * row[j];
        out[j] = j == k ? (i == k ? inverse : -f) : value;
    }
}

/* ---- the largest eigenvalue of D^-1 A -------------------------------------------------------------------------- */

/* Sets D^-1 times block i of x, `size` being a constant. */
PIO_FN void amg_scale_block(narrow *out, const narrow *inverse, const narrow *x, int size)
{
    for (int c = 0; c < size; c++) {
        narrow s = inverse[c * size] * x[0];
        for (int d = 1; d < size; d++) s += inverse[c * size + d] * x[d];
        out[c] = s;
    }
}

/* Sets block i of r to numbers that no wave has, and z and p to D^-1 r. What is stiff has as much of r . D^-1 r as what
 * is soft: ten steps would not see it otherwise. */
PIO_FN void amg_lanczos_begin(int i, const amg_lanczos_begin_args *a)
{
    const int size = a->size;
    const narrow *inverse = a->inverse + (ptrdiff_t)i * size * size;
    narrow *r = a->r + (ptrdiff_t)i * size, *z = a->z + (ptrdiff_t)i * size, *p = a->p + (ptrdiff_t)i * size;
    for (int c = 0; c < size; c++) {
        const uint32_t bits = ((uint32_t)i * (uint32_t)size + (uint32_t)c) * 2654435761u; /* golden ratio, Knuth 1973 */
        const wide own = W(inverse[c * size + c]);
        r[c] = own > W(0) ? NARROW((W((int)(bits >> 12)) * W(0x1p-20) - W(0.5)) / sqrt(own)) : NARROW(0);
    }
    amg_scale_block(z, inverse, r, size);
    for (int c = 0; c < size; c++) p[c] = z[c];
}

/* Sets block i of r and z after a step along p. */
PIO_FN void amg_lanczos_advance(int i, const amg_lanczos_advance_args *a)
{
    const int size = a->size;
    narrow *r = a->r + (ptrdiff_t)i * size, *z = a->z + (ptrdiff_t)i * size;
    const narrow *q = a->q + (ptrdiff_t)i * size;
    const narrow step = a->dots[1] < W(0) ? NARROW(-a->dots[0] / a->dots[1]) : NARROW(0);
    for (int c = 0; c < size; c++) r[c] += step * q[c];
    amg_scale_block(z, a->inverse + (ptrdiff_t)i * size * size, r, size);
}

/* Sets number i of the next direction. */
PIO_FN void amg_lanczos_direction(int i, const amg_lanczos_direction_args *a)
{
    const narrow keep = a->dots[0] > W(0) ? NARROW(a->dots[2] / a->dots[0]) : NARROW(0);
    a->p[i] = a->z[i] + keep * a->p[i];
}

/* Returns whether the tridiagonal matrix of n rows has an eigenvalue above x: a pivot of T - x is not negative. */
PIO_FN int amg_exceeds(int n, const wide *diagonal, const wide *square, wide x)
{
    wide pivot = diagonal[0] - x;
    for (int k = 1; k < n && pivot < W(0); k++) pivot = diagonal[k] - x - square[k - 1] / pivot;
    return !(pivot < W(0));
}

/* Sets lambda and the coefficients of a Chebyshev polynomial of degree two on [lambda/10, 1.05 lambda] (Saad 2003,
 * algorithm 12.1): d = D^-1 r FIRST, then d = KEEP d + SECOND D^-1 r. */
PIO_FN void amg_lanczos_end(int i, const amg_lanczos_end_args *a)
{
    wide diagonal[AMG_LANCZOS], square[AMG_LANCZOS], last = W(0);
    int n = 0;
    (void)i;
    diagonal[0] = W(0);
    for (; n < AMG_LANCZOS; n++) {
        const wide rz = a->dots[2 * n], pq = -a->dots[2 * n + 1], next = a->dots[2 * n + 2];
        if (!(pq > W(0)) || !(rz > W(1e-12) * a->dots[0])) break;
        diagonal[n] = pq / rz + last;
        square[n] = next * pq / (rz * rz) * (pq / rz);
        last = next * pq / (rz * rz);
    }
    wide low = W(0), high = W(1);
    while (n && amg_exceeds(n, diagonal, square, high) && high < W(1e6)) high = W(2) * high;
    for (int k = 0; k < 40; k++) {
        const wide middle = W(0.5) * (low + high);
        if (n && amg_exceeds(n, diagonal, square, middle))
            low = middle;
        else
            high = middle;
    }
    const wide lambda = W(1.05) * (n ? high : W(1)); /* ten steps are a little low */
    const wide middle = W(0.5) * (lambda + W(0.1) * lambda), half = W(0.5) * (lambda - W(0.1) * lambda);
    const wide sigma = middle / half, rho = W(1) / (W(2) * sigma - W(1) / sigma);
    *a->lambda = lambda;
    a->coefficients[AMG_FIRST] = NARROW(W(1) / middle);
    a->coefficients[AMG_KEEP] = NARROW(rho / sigma);
    a->coefficients[AMG_SECOND] = NARROW(W(2) * rho / half);
}

/* Returns term i of a dot product. */
PIO_FN wide amg_dot(int i, const amg_dot_args *a)
{
    return W(a->a[i]) * W(a->b[i]);
}

#endif
