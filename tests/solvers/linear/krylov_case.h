/* krylov_case.h -- systems of equations with a known solution for test_krylov.c: springs between the nodes of a grid.
 *
 * Every node is joined to its 3^DIM - 1 neighbours, those outside the grid being fixed. A spring along the unit vector
 * d has the block k (d d^T + 0.2 I): stiff along, soft across. 17^3 or 72^2 nodes: over 10^4 unknowns, and more nodes
 * than one thread is given. */
#ifndef PIOLA_TESTS_KRYLOV_CASE_H
#define PIOLA_TESTS_KRYLOV_CASE_H

#include "tests/sanitized.h"
#include "solvers/linear/direct.h"
#include "solvers/linear/krylov.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifndef CASE_SMALL /* 1: a tenth of the unknowns */
#define CASE_SMALL 0
#endif
#ifndef CASE_BACKEND
#define CASE_BACKEND pio_backend_cpu
#endif
#ifndef CASE_RESTART /* of GMRES */
#define CASE_RESTART 60
#endif

enum {
    SIDE = DIM == 3 ? (TEST_SANITIZED || CASE_SMALL ? 9 : 17) : (TEST_SANITIZED || CASE_SMALL ? 36 : 72),
    NODES = DIM == 3 ? SIDE * SIDE * SIDE : SIDE * SIDE,
    UNKNOWNS = NODES * DIM
};
enum { CASE_COLUMNS = CASE_SMALL ? 3 : 1 }; /* right-hand sides there is room for */
enum { DD = DIM * DIM, MOST_BLOCKS = NODES * (DIM == 3 ? 27 : 9), RESTART = CASE_RESTART };

/* CONTRAST: stiffness from 1 to 100. INDEFINITE: equal springs, less 1.5 times the Rayleigh quotient of the lowest sine
 * wave. CONVECTION: CONTRAST and a wind that carries values along, antisymmetric between neighbours. NOTHING: zeros. */
typedef enum { CONTRAST, INDEFINITE, CONVECTION, NOTHING } case_matrix;

static pio_stream case_stream; /* of a backend that needs to be opened */

typedef struct {
    pio_arena arena;
    pio_queue queue;
    pio_bsr a;
    pio_krylov krylov;
    pio_direct direct; /* where a table is given, one analysed before the case is opened */
    real *b, *x;       /* device [CASE_COLUMNS][UNKNOWNS] */
    int blocks;
    int *row_start, *column;        /* host */
    double *value, *wanted, *right; /* host: blocks, solution, b = A wanted */
    double *got, *product;
} system_case;

static inline double noise(const char *name, int i)
{
    uint64_t v = (uint64_t)i * UINT64_C(0x9e3779b97f4a7c15);
    for (; *name; name++) v = (v ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
    v = (v ^ (v >> 31)) * UINT64_C(0xbf58476d1ce4e5b9);
    return (double)((v ^ (v >> 27)) >> 11) * 0x1p-53;
}

/* y = A x, or A^T x, in double; `magnitudes`: |A| |x| */
static inline void host_apply(const system_case *s, int transposed, int magnitudes, const double *x, double *y)
{
    memset(y, 0, sizeof *y * UNKNOWNS);
    for (int i = 0; i < NODES; i++)
        for (int k = s->row_start[i]; k < s->row_start[i + 1]; k++)
            for (int c = 0; c < DD; c++) {
                const int row = i * DIM + c / DIM, col = s->column[k] * DIM + c % DIM;
                const int to = transposed ? col : row, from = transposed ? row : col;
                const double term = s->value[(ptrdiff_t)k * DD + c] * x[from];
                y[to] += magnitudes ? fabs(term) : term;
            }
}

static inline double length(const double *v)
{
    double sum = 0;
    for (int i = 0; i < UNKNOWNS; i++) sum += v[i] * v[i];
    return sqrt(sum);
}

static inline void node_place(int node, int at[DIM])
{
    for (int c = DIM - 1; c >= 0; c--, node /= SIDE) at[c] = node % SIDE;
}

/* Block of the spring from node i towards neighbour q, and where that is: -1, outside. */
static inline int spring(case_matrix kind, int i, int q, double block[DD])
{
    int at[DIM], j = 0, square = 0, outside = 0;
    double d[DIM], wind = 0;
    node_place(i, at);
    for (int c = DIM - 1; c >= 0; c--, q /= 3) d[c] = q % 3 - 1;
    for (int c = 0; c < DIM; c++) {
        const int to = at[c] + (int)d[c];
        outside = outside || to < 0 || to >= SIDE;
        j = j * SIDE + to;
        square += (int)(d[c] * d[c]);
        wind += d[c] * (c + 1);
    }
    const double k = kind == INDEFINITE ? 1 : pow(10, noise("k", i) + (outside ? 0.5 : noise("k", j)));
    for (int c = 0; c < DD; c++)
        block[c] = k * (d[c / DIM] * d[c % DIM] / square + (c % (DIM + 1) == 0 ? 0.2 : 0)) *
                   (kind == CONVECTION ? 1 + 0.4 * wind / (DIM + 1) : 1);
    return outside ? -1 : j;
}

static inline void case_fill(system_case *s, case_matrix kind)
{
    const int centre = DIM == 3 ? 13 : 4, neighbours = DIM == 3 ? 27 : 9;
    s->blocks = 0;
    for (int i = 0; i < NODES; i++) {
        int diagonal = -1;
        double sum[DD] = {0}, block[DD];
        s->row_start[i] = s->blocks;
        for (int q = 0; q < neighbours; q++) {
            if (q == centre) {
                diagonal = s->blocks;
                s->column[s->blocks++] = i;
                continue;
            }
            const int j = spring(kind, i, q, block);
            for (int c = 0; c < DD; c++) sum[c] += block[c];
            if (j < 0) continue;
            for (int c = 0; c < DD; c++) s->value[(ptrdiff_t)s->blocks * DD + c] = -block[c];
            s->column[s->blocks++] = j;
        }
        memcpy(s->value + (ptrdiff_t)diagonal * DD, sum, sizeof sum);
    }
    s->row_start[NODES] = s->blocks;
    if (kind == NOTHING) memset(s->value, 0, sizeof *s->value * (size_t)s->blocks * DD);
    if (kind != INDEFINITE) return;
    for (int i = 0; i < NODES; i++) {
        int at[DIM];
        node_place(i, at);
        for (int c = 0; c < DIM; c++) {
            s->got[i * DIM + c] = 1;
            for (int a = 0; a < DIM; a++) s->got[i * DIM + c] *= sin(acos(-1) * (at[a] + 1) / (SIDE + 1));
        }
    }
    host_apply(s, 0, 0, s->got, s->product);
    double shift = 0;
    for (int i = 0; i < UNKNOWNS; i++) shift += 1.5 * s->got[i] * s->product[i];
    shift /= length(s->got) * length(s->got);
    for (int i = 0; i < NODES; i++)
        for (int k = s->row_start[i]; k < s->row_start[i + 1]; k++)
            for (int c = 0; c < DIM && s->column[k] == i; c++) s->value[(ptrdiff_t)k * DD + c * (DIM + 1)] -= shift;
}

/* Host numbers to the device, rounded to `real`; `host` then holds the rounded ones. */
static inline void put(system_case *s, real *device, double *host, size_t n)
{
    real *rounded = malloc(sizeof *rounded * n);
    if (!rounded) abort();
    for (size_t i = 0; i < n; i++) {
        rounded[i] = (real)host[i];
        host[i] = (double)rounded[i];
    }
    pio_queue_upload(&s->queue, device, rounded, sizeof *rounded * n);
    free(rounded);
}

static inline void put_values(system_case *s)
{
    put(s, s->a.value, s->value, (size_t)s->blocks * DD);
}

static inline void get(system_case *s, const real *device, double *host)
{
    real *stored = malloc(sizeof *stored * UNKNOWNS);
    if (!stored) abort();
    pio_queue_download(&s->queue, stored, device, sizeof *stored * UNKNOWNS);
    for (int i = 0; i < UNKNOWNS; i++) host[i] = (double)stored[i];
    free(stored);
}

static inline void layout(system_case *s)
{
    pio_bsr_layout(&s->a, &s->arena, NODES, s->blocks);
    pio_krylov_layout(&s->krylov, &s->arena, UNKNOWNS, 1u << PIO_PCG | 1u << PIO_MINRES | 1u << PIO_GMRES, RESTART);
    s->b = pio_arena_take(&s->arena, sizeof *s->b * UNKNOWNS * CASE_COLUMNS);
    s->x = pio_arena_take(&s->arena, sizeof *s->x * UNKNOWNS * CASE_COLUMNS);
    if (s->direct.table) pio_direct_layout(&s->direct, &s->arena, CASE_COLUMNS);
    s->queue.sum_work = pio_arena_take(&s->arena, sizeof(double) * PIO_SUM_WORK(UNKNOWNS));
}

/* b = A wanted, or A^T wanted, for a smooth and rough `wanted`; x = 0. */
static inline void case_right(system_case *s, int transposed)
{
    for (int i = 0; i < UNKNOWNS; i++) s->wanted[i] = sin(0.01 * i) + noise("solution", i) - 0.5;
    host_apply(s, transposed, 0, s->wanted, s->right);
    put(s, s->b, s->right, UNKNOWNS);
    pio_queue_zero(&s->queue, s->x, sizeof *s->x * UNKNOWNS);
}

/* How a case is solved by elimination; NULL: it is not. */
typedef struct {
    const pio_direct_table *table;
    pio_linear_method method;
    pio_linop_kind kind;
    double most;
} case_direct;

/* 0, or what went wrong in `error`. */
static inline piola_status case_open_with(system_case *s, case_matrix kind, const case_direct *w, piola_error *error)
{
    *s = (system_case){.arena.backend = &CASE_BACKEND, .queue.backend = &CASE_BACKEND, .queue.stream = case_stream};
    const size_t bytes = sizeof(double) * UNKNOWNS;
    s->row_start = malloc(sizeof *s->row_start * (NODES + 1));
    s->column = malloc(sizeof *s->column * MOST_BLOCKS);
    s->value = malloc(sizeof *s->value * MOST_BLOCKS * DD);
    s->wanted = malloc(4 * bytes);
    if (!s->row_start || !s->column || !s->value || !s->wanted) abort();
    s->right = s->wanted + UNKNOWNS;
    s->got = s->right + UNKNOWNS;
    s->product = s->got + UNKNOWNS;
    case_fill(s, kind);
    if (w) {
        const pio_direct_choice choice = {.table = w->table, .method = w->method, .kind = w->kind, .most = w->most};
        const pio_direct_blocks blocks = {.rows = NODES, .row_start = s->row_start, .column = s->column};
        const piola_status refused = pio_direct_analyse(&s->direct, &choice, &blocks, error);
        if (refused) return refused;
    }
    layout(s);
    if (pio_arena_create(&s->arena, &CASE_BACKEND, s->arena.used)) abort();
    s->queue.arena = &s->arena;
    layout(s);
    piola_status rc = pio_bsr_structure(&s->a, &s->queue, s->row_start, s->column, error);
    if (!rc && w) rc = pio_direct_begin(&s->direct, &s->queue, &s->a, error);
    if (rc) return rc;
    put_values(s);
    case_right(s, 0);
    return kind == NOTHING || w ? PIOLA_OK : pio_bsr_invert_diagonal(&s->a, error);
}

static inline piola_status case_open(system_case *s, case_matrix kind, piola_error *error)
{
    return case_open_with(s, kind, NULL, error);
}

static inline void case_close(system_case *s)
{
    pio_direct_free(&s->direct);
    if (s->arena.base) pio_arena_destroy(&s->arena);
    free(s->row_start);
    free(s->column);
    free(s->value);
    free(s->wanted);
}

/* |b - A x| / |b| by the host, in double; *rounding: what `real` may have added to the engine's own. Leaves x in
 * `got`. */
static inline double true_residual(system_case *s, int transposed, double *rounding)
{
    get(s, s->x, s->got);
    host_apply(s, transposed, 1, s->got, s->product);
    *rounding = 4 * (sizeof(real) == 4 ? (double)FLT_EPSILON : DBL_EPSILON) * length(s->product) / length(s->right);
    host_apply(s, transposed, 0, s->got, s->product);
    for (int i = 0; i < UNKNOWNS; i++) s->product[i] = s->right[i] - s->product[i];
    return length(s->product) / length(s->right);
}

/* |x - wanted| / |wanted|, after true_residual */
static inline double solution_error(system_case *s)
{
    for (int i = 0; i < UNKNOWNS; i++) s->product[i] = s->got[i] - s->wanted[i];
    return length(s->product) / length(s->wanted);
}

static int produced[PIOLA_FAILURES]; /* how often each kind of failure was met */

/* Checks what callers read of a failure: its kind, and how far the solve came. */
static inline void expect_failure(const pio_krylov_result *r, const piola_failure *f)
{
    static const piola_failure_kind kinds[] = {
        [KRYLOV_RUNNING] = PIOLA_FAILED_NOT,          [KRYLOV_LIMIT] = PIOLA_FAILED_LINEAR_LIMIT,
        [KRYLOV_STAGNATED] = PIOLA_FAILED_STAGNATION, [KRYLOV_NEGATIVE_CURVATURE] = PIOLA_FAILED_NEGATIVE_CURVATURE,
        [KRYLOV_BREAKDOWN] = PIOLA_FAILED_SINGULAR,   [KRYLOV_PRECONDITIONER] = PIOLA_FAILED_PRECONDITIONER,
        [KRYLOV_NOT_FINITE] = PIOLA_FAILED_NOT_FINITE};
    assert_int_equal(f->kind, kinds[r->stop]);
    produced[f->kind]++;
    if (f->kind == PIOLA_FAILED_NOT) return;
    assert_int_equal(f->of, PIOLA_FAILED_NOWHERE);
    assert_int_equal(f->step, -1);
    assert_true(isnan(r->relative) ? isnan(f->residual) : !(fabs(f->residual - r->relative) > 0));
}

#endif
