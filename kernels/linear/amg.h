/* amg.h -- the cycle of a multilevel preconditioner (levels: amg_args.h; setup: amg_setup.h):
 *
 *     x = S(b)          two steps of a Chebyshev polynomial of D^-1 A from x = 0
 *     x += P M(P^T (b - A x))    by the next level; by the inverse on the coarsest one
 *     x = S(b, x)       two steps again, from x
 *
 * It is symmetric, and positive definite where lambda is not too small: conjugate gradients and MINRES permit it. */
#ifndef PIOLA_KERNELS_AMG_H
#define PIOLA_KERNELS_AMG_H

#include "kernels/base/quad.h"
#include "kernels/linear/amg_setup.h"
#include "kernels/linear/bsr.h"

/* Sets number i of r/|r|. */
PIO_FN void amg_enter(int i, const amg_enter_args *a)
{
    a->b[i] = *a->square > W(0) ? NARROW(W(a->r[i]) / sqrt(*a->square)) : NARROW(0);
}

/* Sets number i of |r| x. */
PIO_FN void amg_leave(int i, const amg_leave_args *a)
{
    a->y[i] = (real)(W(a->x[i]) * sqrt(*a->square));
}

/* Sets block i of the first step from x = 0. */
PIO_FN void amg_open(int i, const amg_open_args *a)
{
    const int size = a->size;
    const narrow first = a->coefficients[AMG_FIRST];
    const narrow *inverse = a->inverse + (ptrdiff_t)i * size * size, *b = a->b + (ptrdiff_t)i * size;
    narrow *d = a->d + (ptrdiff_t)i * size;
    amg_scale_block(d, inverse, b, size);
    for (int c = 0; c < size; c++) d[c] *= first;
}

/* ---- products with A ------------------------------------------------------------------------------------------ *
 *
 * Where unknowns are displacements, row i of A v is sum_j A_ij (v_j - v_i) + (sum_j A_ij) v_i, and the last sum has the
 * place of A_ii: what is much stiffer than the rest may move as a whole, and rounding of large terms that cancel would
 * be as large as the small forces that move it. */

typedef struct {
    narrow sum[TEAM_LANES + AMG_MODES * AMG_MODES]; /* over the blocks of each row, of each a_rc v_c */
} amg_rows_shared;

#if PIO_LANE_LOOPS && PIO_VECTOR_QUADS
/* Sums over the blocks of a row of each a_rc (v_c - own_c), four entries of a block in a register; of an odd number of
 * entries the last is alone. */
typedef struct {
    narrow_quad four[AMG_MODES * AMG_MODES / QUAD];
    narrow last;
} amg_entries;

/* What the entries of a block are multiplied by: registers k, k + cycle, ... of them by number k. */
typedef struct {
    narrow_quad four[3];
    narrow last;
} amg_factors;

/* Returns those of v_c - own_c, own NULL being 0; `size` is a constant: 2, 3 or 6. What is read past it is not used. */
PIO_FN amg_factors amg_factors_of(const narrow *v, const narrow *own, int size)
{
    amg_factors f;
    narrow_quad a = narrow_load(v), b = a;
    if (own) a -= narrow_load(own);
    f.last = a[2];
    if (size == 2) {
        f.four[0] = f.four[1] = f.four[2] = __builtin_shufflevector(a, a, 0, 1, 0, 1);
    } else if (size == 3) {
        f.four[0] = __builtin_shufflevector(a, a, 0, 1, 2, 0);
        f.four[1] = f.four[2] = __builtin_shufflevector(a, a, 1, 2, 0, 1);
    } else {
        b = narrow_load(v + 2);
        if (own) b -= narrow_load(own + 2);
        f.four[0] = a;
        f.four[1] = __builtin_shufflevector(a, b, 6, 7, 0, 1);
        f.four[2] = b;
    }
    return f;
}

/* Adds the block at m, entry by entry times its factor. */
PIO_FN void amg_entries_add(amg_entries *s, const narrow *m, const amg_factors *f, int size)
{
    const int n = size * size, cycle = size == 2 ? 1 : size == 3 ? 2 : 3;
    PIO_UNROLL_ALL
    for (int k = 0; k < n / QUAD; k++) s->four[k] += narrow_load(m + k * QUAD) * f->four[k % cycle];
    if (n % QUAD) s->last += m[n - 1] * f->last;
}

/* Sets `size` numbers of row i of A v; `size` is a constant. Each a_rc v_c has a sum of its own until the end. */
PIO_FN void amg_row(narrow *out, int i, const amg_matrix *a, const narrow *v, int size)
{
    const int n = size * size, end = a->row_start[i + 1];
    const narrow *own = a->diagonal ? v + (ptrdiff_t)i * size : NULL;
    const narrow_quad zero = {0};
    amg_entries s;
    PIO_UNROLL_ALL
    for (int k = 0; k < n / QUAD; k++) s.four[k] = zero;
    s.last = NARROW(0);
    for (int k = a->row_start[i]; k < end; k++) {
        const narrow *m = a->value + (ptrdiff_t)k * n;
        const amg_factors f = amg_factors_of(v + (ptrdiff_t)a->column[k] * size, own, size);
        PIO_PREFETCH((const char *)m + BSR_AHEAD, 0);
        amg_entries_add(&s, m, &f, size);
    }
    if (own) {
        const amg_factors f = amg_factors_of(own, NULL, size);
        amg_entries_add(&s, a->value + (ptrdiff_t)a->diagonal[i] * n, &f, size);
    }
    PIO_UNROLL_ALL
    for (int c = 0; c < size; c++) {
        PIO_UNROLL_ALL
        for (int d = 0; d < size; d++) {
            const int k = c * size + d;
            const narrow term = k == n - 1 && n % QUAD ? s.last : s.four[k / QUAD][k % QUAD];
            out[c] = d ? out[c] + term : term;
        }
    }
}
#elif PIO_LANE_LOOPS
/* Sets `size` numbers of row i of A v; `size` is a constant. Each a_rc v_c has a sum of its own until the end. */
PIO_FN void amg_row(narrow *out, int i, const amg_matrix *a, const narrow *v, int size)
{
    narrow s[AMG_MODES * AMG_MODES], own[AMG_MODES];
    for (int c = 0; c < size; c++) own[c] = a->diagonal ? v[(ptrdiff_t)i * size + c] : NARROW(0);
    PIO_UNROLL_ALL
    for (int q = 0; q < size * size; q++) s[q] = NARROW(0);
    const int end = a->row_start[i + 1];
    for (int k = a->row_start[i]; k < end; k++) {
        const narrow *m = a->value + (ptrdiff_t)k * size * size, *x = v + (ptrdiff_t)a->column[k] * size;
        PIO_PREFETCH((const char *)m + BSR_AHEAD, 0);
        PIO_UNROLL_ALL
        for (int q = 0; q < size * size; q++) s[q] += m[q] * (x[q % size] - own[q % size]);
    }
    const narrow *sum = a->value + (a->diagonal ? (ptrdiff_t)a->diagonal[i] : 0) * size * size;
    PIO_UNROLL_ALL
    for (int q = 0; q < size * size; q++) s[q] += sum[q] * own[q % size];
    for (int c = 0; c < size; c++) {
        out[c] = s[c * size];
        for (int d = 1; d < size; d++) out[c] += s[c * size + d];
    }
}
#else
/* Sets sh->sum to that of rows first, ...: a lane has one entry (r, c) of each block of a row. */
PIO_FN void amg_row_sums(amg_rows_shared *sh, int first, int rows, const amg_matrix *a, const narrow *v, int size)
{
    const int n = size * size;
    LANES (q, AMG_ROWS(size) * n) {
        const int i = first + q / n, e = q % n, c = e % size;
        const int begin = q / n < rows ? a->row_start[i] : 0, end = q / n < rows ? a->row_start[i + 1] : 0;
        const int shifts = a->diagonal != NULL && q / n < rows;
        const narrow own = shifts ? v[(ptrdiff_t)i * size + c] : NARROW(0);
        narrow s = NARROW(0);
        _Pragma("unroll 8") for (int k = begin; k < end; k++) s +=
            a->value[(ptrdiff_t)k * n + e] * (v[(ptrdiff_t)a->column[k] * size + c] - own);
        sh->sum[q] = shifts ? s + a->value[(ptrdiff_t)a->diagonal[i] * n + e] * own : s;
    }
    TEAM_SYNC();
}

/* Sets `size` numbers of row first + j of A v from the sums. */
PIO_FN void amg_row_of(narrow *out, const amg_rows_shared *sh, int j, int size)
{
    for (int c = 0; c < size; c++) {
        const narrow *s = sh->sum + (j * size + c) * size;
        out[c] = s[0];
        for (int d = 1; d < size; d++) out[c] += s[d];
    }
}
#endif

/* Ends a step of the smoother in row i, with A v of it; `size` is a constant. */
PIO_FN void amg_smoothen_row(int i, const narrow *av, const amg_smoothen_args *a, int size)
{
    const ptrdiff_t at = (ptrdiff_t)i * size;
    const narrow keep = a->second ? a->coefficients[AMG_KEEP] : NARROW(0);
    const narrow factor = a->coefficients[a->second ? AMG_SECOND : AMG_FIRST];
    narrow r[AMG_MODES], d[AMG_MODES];
    for (int c = 0; c < size; c++) a->r_out[at + c] = r[c] = a->r[at + c] - av[c];
    amg_scale_block(d, a->inverse + at * size, r, size);
    for (int c = 0; c < size; c++) {
        const narrow step = a->second ? keep * a->v[at + c] + factor * d[c] : factor * d[c];
        a->d[at + c] = step;
        a->x_out[at + c] = a->x[at + c] + step;
    }
}

/* Makes a step of the smoother in the rows of team t, `size` being a constant. */
PIO_FN void amg_smoothen_rows(int t, amg_rows_shared *sh, const amg_smoothen_args *a, int size)
{
    const int first = t * AMG_ROWS(size),
              rows = a->a.rows - first < AMG_ROWS(size) ? a->a.rows - first : AMG_ROWS(size);
#if PIO_LANE_LOOPS
    (void)sh;
    for (int j = 0; j < rows; j++) {
        narrow av[AMG_MODES];
        amg_row(av, first + j, &a->a, a->v, size);
        amg_smoothen_row(first + j, av, a, size);
    }
#else
    amg_row_sums(sh, first, rows, &a->a, a->v, size);
    LANES (j, rows) {
        narrow av[AMG_MODES];
        amg_row_of(av, sh, j, size);
        amg_smoothen_row(first + j, av, a, size);
    }
#endif
}

/* Makes a step of the smoother. */
PIO_FN void amg_smoothen(int t, amg_rows_shared *sh, const amg_smoothen_args *a)
{
    if (a->a.size == DIM)
        amg_smoothen_rows(t, sh, a, DIM);
    else
        amg_smoothen_rows(t, sh, a, AMG_MODES);
}
typedef amg_rows_shared amg_smoothen_shared;

/* Sets the rows of team t of r - A v, `size` being a constant. */
PIO_FN void amg_residual_rows(int t, amg_rows_shared *sh, const amg_residual_args *a, int size)
{
    const int first = t * AMG_ROWS(size),
              rows = a->a.rows - first < AMG_ROWS(size) ? a->a.rows - first : AMG_ROWS(size);
#if PIO_LANE_LOOPS
    (void)sh;
#else
    amg_row_sums(sh, first, rows, &a->a, a->v, size);
#endif
    LANES (j, rows) {
        const ptrdiff_t at = (ptrdiff_t)(first + j) * size;
        narrow av[AMG_MODES];
#if PIO_LANE_LOOPS
        amg_row(av, first + j, &a->a, a->v, size);
#else
        amg_row_of(av, sh, j, size);
#endif
        for (int c = 0; c < size; c++) a->out[at + c] = (a->r ? a->r[at + c] : NARROW(0)) - av[c];
    }
}

/* Sets r - A v. */
PIO_FN void amg_residual(int t, amg_rows_shared *sh, const amg_residual_args *a)
{
    if (a->a.size == DIM)
        amg_residual_rows(t, sh, a, DIM);
    else
        amg_residual_rows(t, sh, a, AMG_MODES);
}
typedef amg_rows_shared amg_residual_shared;

/* ---- between levels ------------------------------------------------------------------------------------------- */

/* How many blocks ahead of the one in use the next are prefetched: they lie far from each other. */
enum { AMG_LATER = 12 };

typedef struct {
    narrow sum[TEAM_LANES][AMG_MODES]; /* of the blocks of each lane */
} amg_restrict_shared;

/* Adds blocks begin, begin + step, ... < end of a column of P, transposed, times r to s; the sizes are constants. */
PIO_FN void amg_restrict_blocks(narrow *s, int begin, int step, int end, const amg_restrict_args *a, int size,
                                int next_size)
{
    for (int t = begin; t < end; t += step) {
        const int later = t + AMG_LATER * step < end ? t + AMG_LATER * step : t;
        PIO_PREFETCH(a->p + (ptrdiff_t)a->t_entry[later] * size * next_size, 0);
        PIO_PREFETCH(a->p + ((ptrdiff_t)a->t_entry[later] + 1) * size * next_size - 1, 0);
        PIO_PREFETCH(a->r + (ptrdiff_t)a->t_row[later] * size, 0);
        const narrow *p = a->p + (ptrdiff_t)a->t_entry[t] * size * next_size;
        const narrow *r = a->r + (ptrdiff_t)a->t_row[t] * size;
        for (int c = 0; c < size; c++)
            for (int q = 0; q < next_size; q++) s[q] += p[c * next_size + q] * r[c];
    }
}

/* Sets block g of P^T r; the sizes are constants. On CUDA a lane has every 32nd block. */
PIO_FN void amg_restrict_row(int g, amg_restrict_shared *sh, const amg_restrict_args *a, int size, int next_size)
{
    const int begin = a->t_start[g], end = a->t_start[g + 1];
#if PIO_LANE_LOOPS
    narrow s[AMG_MODES];
    (void)sh;
    for (int q = 0; q < next_size; q++) s[q] = NARROW(0);
    amg_restrict_blocks(s, begin, 1, end, a, size, next_size);
    for (int q = 0; q < next_size; q++) a->b[(ptrdiff_t)g * next_size + q] = s[q];
#else
    LANES (j, TEAM_LANES) {
        narrow s[AMG_MODES];
        for (int q = 0; q < next_size; q++) s[q] = NARROW(0);
        amg_restrict_blocks(s, begin + j, TEAM_LANES, end, a, size, next_size);
        for (int q = 0; q < next_size; q++) sh->sum[j][q] = s[q];
    }
    TEAM_SYNC();
    LANES (q, next_size) {
        narrow s = sh->sum[0][q];
        for (int j = 1; j < TEAM_LANES; j++) s += sh->sum[j][q];
        a->b[(ptrdiff_t)g * next_size + q] = s;
    }
#endif
}

/* Sets block g of P^T r. */
PIO_FN void amg_restrict(int g, amg_restrict_shared *sh, const amg_restrict_args *a)
{
    if (a->size == DIM && a->next_size == DIM)
        amg_restrict_row(g, sh, a, DIM, DIM);
    else if (a->size == DIM)
        amg_restrict_row(g, sh, a, DIM, AMG_MODES);
    else
        amg_restrict_row(g, sh, a, AMG_MODES, AMG_MODES);
}

/* Adds block i of P e to x; the sizes are constants. */
PIO_FN void amg_prolong_row(int i, const amg_prolong_args *a, int size, int next_size)
{
    narrow *x = a->x + (ptrdiff_t)i * size;
    for (int k = a->p_start[i]; k < a->p_start[i + 1]; k++) {
        const narrow *p = a->p + (ptrdiff_t)k * size * next_size;
        const narrow *e = a->e + (ptrdiff_t)a->p_column[k] * next_size;
        for (int c = 0; c < size; c++) {
            narrow s = NARROW(0);
            for (int q = 0; q < next_size; q++) s += p[c * next_size + q] * e[q];
            x[c] += s;
        }
    }
}

/* Adds block i of P e to x. */
PIO_FN void amg_prolong(int i, const amg_prolong_args *a)
{
    if (a->size == DIM && a->next_size == DIM)
        amg_prolong_row(i, a, DIM, DIM);
    else if (a->size == DIM)
        amg_prolong_row(i, a, DIM, AMG_MODES);
    else
        amg_prolong_row(i, a, AMG_MODES, AMG_MODES);
}

/* Sets number i of the solution of the coarsest level. */
PIO_FN void amg_coarsest(int i, const amg_coarsest_args *a)
{
    const wide *row = a->inverse + (ptrdiff_t)i * a->n;
    wide s = W(0);
    for (int j = 0; j < a->n; j++) s += row[j] * W(a->b[j]);
    a->x[i] = NARROW(s);
}

#endif
