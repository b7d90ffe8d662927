/* Room kernels/linear: products with block matrices, the vector operations of Krylov methods, and the refinement
 * of direct solves. */
/* bsr.h -- sparse matrices of DIM x DIM blocks, as FEM assembles them: products, transposed products, block-Jacobi.
 *
 * A node vector is [nodes][DIM], the DIM numbers of a node side by side, dense in memory; a matrix is block compressed
 * sparse rows (BSR): the entries of block row i are k = row_start[i] .. row_start[i+1]-1, entry k is the block
 * value[k][DIM][DIM], row-major, in block column column[k], ascending within a row. This is cuSPARSE's layout of BSR
 * with CUSPARSE_ORDER_ROW. Its own load and store helpers are below: field_at of vec.h is for particles and grids.
 *
 * The structure is symmetric: with (i,j) there is (j,i), and mirror[k] is where. So the transposed product gathers
 * too. */
#ifndef PIOLA_KERNELS_BSR_H
#define PIOLA_KERNELS_BSR_H

#include "kernels/linear/bsr_args.h"
#include "kernels/base/quad.h"
#include "kernels/base/vec.h"

/* Returns the vector of node i. */
PIO_FN vec point_load(const real *a, int i)
{
    vec r;
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) r.x[c] = a[(ptrdiff_t)i * DIM + c];
    return r;
}

/* Sets the vector of node i. */
PIO_FN void point_store(real *a, int i, vec v)
{
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) a[(ptrdiff_t)i * DIM + c] = v.x[c];
}

/* Returns block k of a matrix, entry [r][c] in row r and column c. */
PIO_FN mat block_load(const real *a, int k)
{
    mat r;
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) {
        PIO_UNROLL
        for (int d = 0; d < DIM; d++) r.m[c][d] = a[(ptrdiff_t)k * (DIM * DIM) + DIM * c + d];
    }
    return r;
}

/* Sets block k of a matrix. */
PIO_FN void block_store(real *a, int k, mat v)
{
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) {
        PIO_UNROLL
        for (int d = 0; d < DIM; d++) a[(ptrdiff_t)k * (DIM * DIM) + DIM * c + d] = v.m[c][d];
    }
}

/* ---- products -------------------------------------------------------------------------------------------- */

/* Returns the vector of the sums sum_c s_rc of each row r. Each product a_rc x_c has a sum of its own until here:
 * DIM*DIM short chains of additions, not DIM long ones. */
PIO_FN vec row_sums(mat s)
{
    vec r;
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) {
        r.x[c] = s.m[c][0];
        PIO_UNROLL
        for (int d = 1; d < DIM; d++) r.x[c] += s.m[c][d];
    }
    return r;
}

/* How far ahead of the block in use the next are prefetched, bytes: a page. A core's own prefetch stops at its
 * border. */
enum { BSR_AHEAD = 4096 };

/* The sums over the blocks of a row of a_rc x_c, of each entry (r, c): quads of entries 0 .. 3 and 4 .. 7 of a block,
 * and its last; on a GPU a matrix. */
#if PIO_VECTOR_QUADS
typedef struct {
    quad q[DIM - 1];
    real last; /* in 3D */
} block_sums;

/* Returns sums that are 0. */
PIO_FN block_sums block_sums_zero(void)
{
    block_sums s;
    PIO_UNROLL
    for (int c = 0; c < DIM - 1; c++) s.q[c] = quad_zero();
    s.last = R(0);
    return s;
}

/* Adds the block at `m` times the vector at `x`. */
PIO_FN void block_sums_add(block_sums *s, const real *m, const real *x)
{
#if PIO_DIM == 3
    s->q[0] = quad_fma_quad(s->q[0], quad_load(m), quad_of(x[0], x[1], x[2], x[0]));
    s->q[1] = quad_fma_quad(s->q[1], quad_load(m + QUAD), quad_of(x[1], x[2], x[0], x[1]));
    s->last += m[2 * QUAD] * x[2];
#else
    s->q[0] = quad_fma_quad(s->q[0], quad_load(m), quad_of(x[0], x[1], x[0], x[1]));
#endif
}

/* Returns the sums as a matrix. */
PIO_FN mat block_sums_mat(block_sums s)
{
    mat r;
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) {
        PIO_UNROLL
        for (int d = 0; d < DIM; d++) {
            const int k = DIM * c + d;
            r.m[c][d] = k == QUAD * (DIM - 1) ? s.last : quad_number(s.q[k / QUAD % (DIM - 1)], k % QUAD);
        }
    }
    return r;
}
#else
typedef mat block_sums;

/* Returns sums that are 0. */
PIO_FN block_sums block_sums_zero(void)
{
    return mat_diag(R(0));
}

/* Adds the block at `m` times the vector at `x`. */
PIO_FN void block_sums_add(block_sums *s, const real *m, const real *x)
{
    const mat block = block_load(m, 0);
    const vec v = point_load(x, 0);
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) {
        PIO_UNROLL
        for (int d = 0; d < DIM; d++) s->m[c][d] += block.m[c][d] * v.x[d];
    }
}

/* Returns the sums as a matrix. */
PIO_FN mat block_sums_mat(block_sums s)
{
    return s;
}
#endif

#if PIO_LANE_LOOPS
/* Sets block row i of y = A x. */
PIO_FN void bsr_row(int i, const bsr_apply_args *a)
{
    block_sums s = block_sums_zero();
    const int end = a->row_start[i + 1];
    for (int k = a->row_start[i]; k < end; k++) {
        const real *m = a->value + (ptrdiff_t)k * (DIM * DIM);
        PIO_PREFETCH((const char *)m + BSR_AHEAD, 0);
        block_sums_add(&s, m, a->x + (ptrdiff_t)a->column[k] * DIM);
    }
    point_store(a->y, i, row_sums(block_sums_mat(s)));
}
#endif

typedef struct {
    real sum[BSR_ROWS * DIM * DIM]; /* over the blocks of each row, of each a_rc x_c */
} bsr_apply_shared;

/* Sets block rows BSR_ROWS t, ... of y = A x. On CUDA a lane has one entry (r, c) of each block of a row, so that
 * neighbouring lanes read neighbouring numbers; it adds in the order of bsr_row. */
PIO_FN void bsr_apply(int t, bsr_apply_shared *sh, const bsr_apply_args *a)
{
    const int first = t * BSR_ROWS, rows = a->rows - first < BSR_ROWS ? a->rows - first : BSR_ROWS;
#if PIO_LANE_LOOPS
    (void)sh;
    for (int i = first; i < first + rows; i++) bsr_row(i, a);
#else
    LANES (j, BSR_ROWS * DIM * DIM) {
        const int i = first + j / (DIM * DIM), e = j % (DIM * DIM), c = e % DIM;
        const int begin = i < a->rows ? a->row_start[i] : 0, end = i < a->rows ? a->row_start[i + 1] : 0;
        real s = R(0);
        _Pragma("unroll 8") /* loads of so many blocks are under way */
            for (int k = begin; k < end; k++) s +=
            a->value[(ptrdiff_t)k * (DIM * DIM) + e] * a->x[(ptrdiff_t)a->column[k] * DIM + c];
        sh->sum[j] = s;
    }
    TEAM_SYNC();
    LANES (j, BSR_ROWS * DIM) {
        const real *s = sh->sum + j * DIM;
        real y = s[0];
        PIO_UNROLL
        for (int c = 1; c < DIM; c++) y += s[c];
        if (j < rows * DIM) a->y[(ptrdiff_t)first * DIM + j] = y;
    }
#endif
}

/* Sets block row i of y = A^T x: the sum over its columns j of the block (j,i), transposed, times x_j. */
PIO_FN void bsr_apply_transposed(int i, const bsr_apply_transposed_args *a)
{
    mat s = mat_diag(R(0));
    const int end = a->row_start[i + 1];
    for (int k = a->row_start[i]; k < end; k++) {
        const mat m = block_load(a->value, a->mirror[k]);
        const vec x = point_load(a->x, a->column[k]);
        PIO_UNROLL
        for (int c = 0; c < DIM; c++) {
            PIO_UNROLL
            for (int d = 0; d < DIM; d++) s.m[c][d] += m.m[d][c] * x.x[d];
        }
    }
    point_store(a->y, i, row_sums(s));
}

/* Sets block row i of y = |A| |x|, entry by entry: what rounding of x by eps changes A x by, over eps. */
PIO_FN void bsr_magnitude(int i, const bsr_magnitude_args *a)
{
    vec s;
    for (int c = 0; c < DIM; c++) s.x[c] = R(0);
    for (int k = a->row_start[i]; k < a->row_start[i + 1]; k++) {
        const mat m = block_load(a->value, k);
        const vec x = point_load(a->x, a->column[k]);
        for (int c = 0; c < DIM; c++)
            for (int d = 0; d < DIM; d++) s.x[c] += fabs(m.m[c][d] * x.x[d]);
    }
    point_store(a->y, i, s);
}

/* Returns the number of the block of a place with place n of its group; with `transposed` of the latter with it. */
PIO_FN int bsr_beside_block(const bsr_beside *b, int place, int n, int transposed)
{
    const int own = place % b->size, first = place - own;
    return transposed ? (first + n) * b->size + own : place * b->size + n;
}

/* Adds to the row of item k of y = (A + B) x, or (A + B)^T x, what the blocks B beside A have there. */
PIO_FN void bsr_beside_apply(int k, const bsr_beside_apply_args *a)
{
    const bsr_beside *b = &a->b;
    vec sum = vec_zero();
    for (int j = b->start[k]; j < b->start[k + 1]; j++) {
        const int place = b->list[j], own = place % b->size, first = place - own;
        for (int n = 0; n < b->size; n++) {
            if (n == own) continue;
            const vec x = point_load(a->x, b->row[b->member[first + n]]);
            const mat m = block_load(b->value, bsr_beside_block(b, place, n, a->transposed));
            sum = vec_axpby(R(1), sum, R(1), a->transposed ? mat_t_apply(m, x) : mat_apply(m, x));
        }
    }
    point_store(a->y, b->row[k], vec_axpby(R(1), point_load(a->y, b->row[k]), R(1), sum));
}

/* The same with absolute values of all numbers, see bsr_magnitude. */
PIO_FN void bsr_beside_magnitude(int k, const bsr_beside_magnitude_args *a)
{
    const bsr_beside *b = &a->b;
    vec sum = point_load(a->y, b->row[k]);
    for (int j = b->start[k]; j < b->start[k + 1]; j++) {
        const int place = b->list[j], own = place % b->size, first = place - own;
        for (int n = 0; n < b->size; n++) {
            if (n == own) continue;
            const vec x = point_load(a->x, b->row[b->member[first + n]]);
            const mat m = block_load(b->value, place * b->size + n);
            for (int c = 0; c < DIM; c++)
                for (int d = 0; d < DIM; d++) sum.x[c] += fabs(m.m[c][d] * x.x[d]);
        }
    }
    point_store(a->y, b->row[k], sum);
}

/* ---- block-Jacobi ---------------------------------------------------------------------------------------- */

/* Returns what `fault` is lowered to where a block row is wrong, 2 row + kind, kind BLOCK_...: the smallest is that of
 * the lowest row. */
PIO_FN uint64_t block_fault(int row, int kind)
{
    return ((uint64_t)row << 1) | (uint64_t)kind;
}

/* Sets the inverse of diagonal block i, by cofactors of the block divided by its largest entry. |det| is at most the
 * product of the rows' lengths (Hadamard 1893), whatever the scale of the rows: a block whose determinant is less than
 * `threshold` times that is singular to the precision of `real`. */
PIO_FN void bsr_invert_diagonal(int i, const bsr_invert_diagonal_args *a)
{
    mat m = block_load(a->value, a->diagonal[i]);
    real largest = R(0), bound = R(1);
    int kind = -1;
    for (int c = 0; c < DIM; c++)
        for (int d = 0; d < DIM; d++) {
            if (!is_finite(m.m[c][d])) kind = BLOCK_NOT_FINITE;
            largest = fabs(m.m[c][d]) > largest ? fabs(m.m[c][d]) : largest;
        }
    m = mat_scale(largest > R(0) ? R(1) / largest : R(0), m);
    for (int c = 0; c < DIM; c++) {
        real square = R(0);
        for (int d = 0; d < DIM; d++) square += m.m[c][d] * m.m[c][d];
        bound *= sqrt(square);
    }
    const mat cof = mat_cofactor(m);
    const real det = mat_det(m, cof);
    if (kind < 0 && !(fabs(det) > a->threshold * bound)) kind = BLOCK_SINGULAR;
    if (kind >= 0) atomic_min_u64(a->fault, block_fault(i, kind));
    block_store(a->inverse, i, kind < 0 ? mat_scale(R(1) / (det * largest), mat_transpose(cof)) : mat_diag(R(0)));
}

/* Sets block row i of y = D^-1 x, or of D^-T x, where D are the diagonal blocks. */
PIO_FN void bsr_jacobi(int i, const bsr_jacobi_args *a)
{
    const mat m = block_load(a->inverse, i);
    const vec x = point_load(a->x, i);
    point_store(a->y, i, a->transposed ? mat_t_apply(m, x) : mat_apply(m, x));
}

#endif
