/* test_product_gpu.c -- products by cuSPARSE on a GPU against Piola's kernel there and against the host: A x and A^T x,
 * equal bits every time, whatever y held, and after the values have changed. Exit code 77 (skipped) where there is no
 * device.
 *
 * TEST_LIBRARY may name another library, of the CPU's backend, so that the comparison itself is tested without a
 * GPU. */
#include "kernels/backend/table.h"
#include "solvers/linear/bsr.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SKIPPED = 77, SIDE = DIM == 3 ? 21 : 96, NODES = DIM == 3 ? SIDE * SIDE * SIDE : SIDE * SIDE };
enum { UNKNOWNS = NODES * DIM, DD = DIM * DIM, MOST = NODES * (DIM == 3 ? 27 : 9) };

/* cudaErrorStubLibrary, cudaErrorInsufficientDriver, cudaErrorNoDevice (CUDA runtime API, cudaError_t) */
static int means_no_device(int code)
{
    return code == 34 || code == 35 || code == 100;
}

typedef struct {
    pio_arena arena;
    pio_queue queue;
    pio_bsr a;
    real *x, *y;                               /* device */
    int row_start[NODES + 1], column[MOST], n; /* host */
    real value[(size_t)MOST * DD], in[UNKNOWNS], out[3][UNKNOWNS];
    double exact[UNKNOWNS], size[UNKNOWNS]; /* A x and |A| |x| in double */
} product_case;

static real number(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (real)((double)(*state >> 11) * 0x1p-52 - 1);
}

/* Every node of a grid and its neighbours. */
static void fill_structure(product_case *c)
{
    for (int i = 0; i < NODES; i++) {
        c->row_start[i] = c->n;
        for (int q = 0; q < (DIM == 3 ? 27 : 9); q++) {
            int j = 0, inside = 1;
            for (int axis = 0, rest = i, way = q, step = 1; axis < DIM; axis++, rest /= SIDE, way /= 3, step *= SIDE) {
                const int to = rest % SIDE + way % 3 - 1;
                inside = inside && to >= 0 && to < SIDE;
                j += to * step;
            }
            if (inside) c->column[c->n++] = j;
        }
    }
    c->row_start[NODES] = c->n;
}

static void fill_values(product_case *c, uint64_t seed)
{
    for (ptrdiff_t i = 0; i < (ptrdiff_t)c->n * DD; i++) c->value[i] = number(&seed);
    for (int i = 0; i < UNKNOWNS; i++) c->in[i] = number(&seed);
    pio_queue_upload(&c->queue, c->a.value, c->value, sizeof(real) * (size_t)c->n * DD);
    pio_queue_upload(&c->queue, c->x, c->in, sizeof c->in);
}

static void layout(product_case *c)
{
    pio_bsr_layout(&c->a, &c->arena, NODES, c->n);
    c->x = pio_arena_take(&c->arena, sizeof *c->x * UNKNOWNS);
    c->y = pio_arena_take(&c->arena, sizeof *c->y * UNKNOWNS);
}

static void exact_product(product_case *c, int transposed)
{
    memset(c->exact, 0, sizeof c->exact);
    memset(c->size, 0, sizeof c->size);
    for (int i = 0; i < NODES; i++)
        for (int k = c->row_start[i]; k < c->row_start[i + 1]; k++)
            for (int b = 0; b < DD; b++) {
                const int row = i * DIM + b / DIM, column = c->column[k] * DIM + b % DIM;
                const int to = transposed ? column : row, from = transposed ? row : column;
                const double term = (double)c->value[(ptrdiff_t)k * DD + b] * (double)c->in[from];
                c->exact[to] += term;
                c->size[to] += fabs(term);
            }
}

/* The largest |y - A x| / (|A| |x|) of the rows. */
static double defect(const product_case *c, const real *y)
{
    double worst = 0;
    for (int i = 0; i < UNKNOWNS; i++) {
        const double off = fabs((double)y[i] - c->exact[i]) / c->size[i];
        if (!(off <= worst)) worst = off; /* NaN stays */
    }
    return worst;
}

/* y = A x into out[which], over numbers that are none. */
static void multiply(product_case *c, int transposed, int which)
{
    const pio_linop op = pio_bsr_operator(&c->a, PIO_GENERAL, 0);
    for (int i = 0; i < UNKNOWNS; i++) c->out[which][i] = (real)NAN;
    pio_queue_upload(&c->queue, c->y, c->out[which], sizeof c->out[which]);
    (void)(transposed ? op.apply_transposed : op.apply)(op.context, c->x, c->y);
    pio_queue_download(&c->queue, c->out[which], c->y, sizeof c->out[which]);
}

/* Returns how many of the checks fail. A sum of up to 27 DIM terms is rounded once for each of them at most. */
static int compare(product_case *c, const pio_product *library, int transposed, uint64_t seed)
{
    const double limit = 27 * DIM * (sizeof(real) == 4 ? (double)FLT_EPSILON : DBL_EPSILON);
    int failed = 0;
    fill_values(c, seed);
    exact_product(c, transposed);
    c->a.product = (pio_product){0};
    multiply(c, transposed, 0);
    c->a.product = *library;
    multiply(c, transposed, 1);
    multiply(c, transposed, 2);
    if (pio_queue_failed(&c->queue)) {
        printf("FAILED: %s\n", c->queue.error.message);
        return 1;
    }
    const double own = defect(c, c->out[0]), by = defect(c, c->out[1]);
    const int repeats = !memcmp(c->out[1], c->out[2], sizeof c->out[1]);
    failed += !(own <= limit) + !(by <= limit) + !repeats;
    c->out[1][UNKNOWNS / 2] += (real)(10 * limit * c->size[UNKNOWNS / 2]); /* negative control */
    const double spoiled = defect(c, c->out[1]);
    failed += !(spoiled > limit);
    printf("%s %-3s: own %.1e, library %.1e of |A| |x| (limit %.1e); %s; spoiled %.1e%s\n",
           failed ? "FAILED" : "passed", transposed ? "A^T" : "A", own, by, limit,
           repeats ? "equal bits" : "bits differ from run to run", spoiled,
           transposed && !library->table->transposes ? " (the library has none: Piola's kernel)" : "");
    return failed;
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0); /* what was printed before a crash is seen */
#ifdef TEST_LIBRARY
    pio_backend with = pio_backend_cpu;
    const pio_backend *backend = &with;
    with.product = TEST_LIBRARY;
#else
    const pio_backend *backend = &pio_backend_cuda;
#endif
    const pio_product_table *table;
    pio_device_info info;
    piola_error error = {0};
    char name[128];
    product_case *c = calloc(1, sizeof *c);
    if (!c) return 71;
    c->arena.backend = c->queue.backend = backend;
    const int rc = backend->open(0, 0, &info, &c->queue.stream);
    if (rc) {
        printf("%s: %s: %s\n", means_no_device(rc) ? "skipped" : "FAILED", backend->name, backend->error_text(rc));
        free(c);
        return means_no_device(rc) ? SKIPPED : 1;
    }
    fill_structure(c);
    layout(c);
    int failed = pio_arena_create(&c->arena, backend, c->arena.used) != 0;
    c->queue.arena = &c->arena;
    layout(c);
    const pio_product_matrix host = {NODES, c->n, DIM, 8 * (int)sizeof(real), c->row_start, c->column, NULL};
    size_t bytes = 0;
    if (failed || pio_bsr_structure(&c->a, &c->queue, c->row_start, c->column, &error) ||
        pio_product_library(backend, 0, &table, name, &error) || pio_product_predict(table, 0, &host, &bytes, &error) ||
        pio_bsr_use(&c->a, table, 0, &error)) {
        printf("FAILED: %s\n", error.message);
        failed = 1;
    } else {
        pio_product library = c->a.product;
        printf("%s on %s: %d block rows, %d blocks of %dx%d, %d bits, %zu bytes of workspace\n", name, info.name, NODES,
               c->n, DIM, DIM, host.bits, bytes);
        for (uint64_t seed = 1; seed <= 2; seed++)
            for (int transposed = 0; transposed < 2; transposed++) failed += compare(c, &library, transposed, seed);
        pio_product_free(&library);
    }
    pio_arena_destroy(&c->arena);
    backend->close(c->queue.stream);
    free(c);
    printf("%d failed\n", failed);
    return failed > 0;
}
