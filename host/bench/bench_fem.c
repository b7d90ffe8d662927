/* bench_fem.c -- see bench_fem.h. A gradient touches all pages before anything is timed; kernels are timed in a run of
 * their own, because their timers wait after each kernel; copies are measured last, because their memory would count in
 * the peak of the process. */
#include "host/bench/bench_fem.h"

#include "host/base/fail.h"
#include "solvers/engine/clock.h"
#include "solvers/driver/driver.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

const char *const pio_fem_bench_part_names[PIO_FEM_PARTS] = {
    [PIO_FEM_ASSEMBLY] = "assembly",
    [PIO_FEM_PRODUCT] = "matrix-vector products",
    [PIO_FEM_SOLVER] = "rest of the linear solver",
    [PIO_FEM_FORCES] = "forces, energies, all others",
};

static bool begins(const char *name, const char *with)
{
    return !strncmp(name, with, strlen(with));
}

pio_fem_bench_part pio_fem_bench_part_of(const char *kernel)
{
    if (begins(kernel, "fem_tangent") || begins(kernel, "fem_assemble")) return PIO_FEM_ASSEMBLY;
    if (begins(kernel, "bsr_apply") || begins(kernel, "product")) return PIO_FEM_PRODUCT;
    static const char *const solver[] = {"amg_", "bsr_", "gmres_", "krylov_", "minres_", "pcg_", "refine_"};
    for (size_t i = 0; i < sizeof solver / sizeof *solver; i++)
        if (begins(kernel, solver[i])) return PIO_FEM_SOLVER;
    return PIO_FEM_FORCES;
}

/* ---- one simulation --------------------------------------------------------------------------------------- */

typedef struct {
    const pio_engine *engine;
    pio_bench_fem_case bench_case;
    pio_sim *sim;
    double samples[2 * PIO_BENCH_FEM_CASE_SAMPLES], *value_bar;
    double cpu, wall;              /* s, when the forward sweep ended */
    pio_fem_bench_kernel *kernels; /* [PIO_FEM_BENCH_TIMERS] sums of the kernels' timers, or NULL */
    double forward[2], adjoint[2]; /* s of the last sweep: wall and CPU time */
    pio_bench_calls calls;
    double J;
} runner;

static void take_timers(runner *r, bool back)
{
    const char *name;
    int64_t calls;
    double seconds;
    for (int i = 0; r->kernels && i < PIO_FEM_BENCH_TIMERS && r->engine->timer(r->sim, i, &name, &calls, &seconds);
         i++) {
        r->kernels[i].name = name;
        *(back ? &r->kernels[i].adjoint_calls : &r->kernels[i].forward_calls) = calls;
        *(back ? &r->kernels[i].adjoint : &r->kernels[i].forward) = seconds;
    }
    r->engine->timer_reset(r->sim);
}

static piola_status objective(void *context, int64_t number, const double *samples, double *J, double *samples_bar,
                              piola_error *error)
{
    runner *r = context;
    (void)error, (void)number;
    *J = r->J = pio_bench_fem_case_objective(samples, samples_bar);
    take_timers(r, false);
    r->cpu = pio_cpu_clock();
    r->wall = pio_clock();
    return PIOLA_OK;
}

static piola_status sweep(runner *r, piola_error *error)
{
    pio_schedule schedule = pio_schedule_store_all(1, 1);
    const pio_sweep around = {.context = r, .objective = objective};
    const pio_sweep_arrays arrays = {.z = r->bench_case.z,
                                     .samples = r->samples,
                                     .n_samples = PIO_BENCH_FEM_CASE_SAMPLES,
                                     .value_bar = r->value_bar};
    pio_sweep_result result;
    r->engine->timer_reset(r->sim);
    const double cpu = pio_cpu_clock(), wall = pio_clock();
    piola_status rc = pio_gradient(r->engine, r->sim, &schedule, &arrays, &around, &result, error);
    if (!rc) rc = r->engine->check(r->sim, error);
    r->forward[0] = r->wall - wall;
    r->forward[1] = r->cpu - cpu;
    r->adjoint[0] = pio_clock() - r->wall;
    r->adjoint[1] = pio_cpu_clock() - r->cpu;
    r->calls = (pio_bench_calls){result.forward_calls, result.adjoint_calls, 1};
    take_timers(r, true);
    return rc;
}

static piola_status open_runner(runner *r, pio_fem_bench *b, int threads, bool timing, piola_error *error)
{
    pio_bench_fem_case_options options = b->options;
    options.threads = threads;
    options.timing = timing;
    *r = (runner){.engine = b->engine.fem};
    piola_status rc = pio_bench_fem_case_create(&r->bench_case, &options, error);
    if (rc) return rc;
    r->value_bar = malloc(sizeof *r->value_bar * (size_t)r->bench_case.variables);
    if (!r->value_bar)
        return pio_fail_memory(error, sizeof *r->value_bar * (size_t)r->bench_case.variables, "a gradient");
    rc = r->engine->create(&r->bench_case.desc, &r->sim, &b->bytes, error);
    return rc ? rc : sweep(r, error);
}

static void close_runner(runner *r)
{
    if (r->sim) r->engine->destroy(r->sim);
    free(r->value_bar);
    free(r->kernels);
    pio_bench_fem_case_free(&r->bench_case);
}

/* ---- bytes of a product ----------------------------------------------------------------------------------- */

/* Counts the blocks of the matrix: pairs of nodes that share an element. PIOLA_NO_MEMORY. */
static piola_status count_blocks(const pio_bench_fem_case *t, int64_t *blocks, piola_error *error)
{
    const pio_block_desc *b = &t->block;
    const int per = pio_elements[b->type].nodes;
    const size_t nodes = (size_t)t->mesh.n_nodes, element_nodes = (size_t)b->n * (size_t)per;
    int32_t *start = calloc(nodes + 2, sizeof *start), *element = malloc(sizeof *element * element_nodes);
    int32_t *seen = calloc(nodes, sizeof *seen); /* [nodes] 1 + number of the last row that had this column */
    *blocks = 0;
    for (size_t c = 0; start && c < element_nodes; c++) start[b->nodes[c] + 2]++;
    for (size_t i = 0; start && i < nodes; i++) start[i + 2] += start[i + 1];
    for (size_t c = 0; start && element && c < element_nodes; c++) element[start[b->nodes[c] + 1]++] = (int32_t)c / per;
    for (size_t i = 0; start && element && seen && i < nodes; i++)
        for (int32_t k = start[i]; k < start[i + 1]; k++)
            for (int c = 0; c < per; c++) {
                const int32_t column = b->nodes[(int64_t)element[k] * per + c];
                if (seen[column] == (int32_t)i + 1) continue;
                seen[column] = (int32_t)i + 1;
                ++*blocks;
            }
    const bool had = start && element && seen;
    free(start);
    free(element);
    free(seen);
    return had ? PIOLA_OK : pio_fail_memory(error, sizeof *start * (2 * nodes + element_nodes), "counting blocks");
}

static piola_status count(pio_fem_bench *b, const pio_bench_fem_case *t, piola_error *error)
{
    const double real = strcmp(b->engine.fem->precision, "f64") ? 4 : 8, dim = b->engine.fem->dimension;
    const piola_status rc = count_blocks(t, &b->blocks, error);
    b->nodes = t->mesh.n_nodes;
    b->elements = t->mesh.n_cells;
    b->unknowns = b->nodes * b->engine.fem->dimension;
    b->matrix_bytes = (double)b->blocks * (dim * dim * real + 4);
    b->product_bytes = b->matrix_bytes + (double)b->nodes * (4 + 2 * dim * real);
    return rc;
}

/* ---- one number of threads -------------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static pio_spread spread_of(double v[PIO_FEM_BENCH_REPETITIONS])
{
    qsort(v, PIO_FEM_BENCH_REPETITIONS, sizeof *v, by_size);
    return (pio_spread){v[0], v[PIO_FEM_BENCH_REPETITIONS / 2]};
}

static piola_status measure_row(pio_fem_bench *b, int threads, piola_error *error)
{
    runner r;
    double time[4][PIO_FEM_BENCH_REPETITIONS] = {{0}};
    pio_fem_bench_row *row = &b->rows[b->n_rows];
    piola_status rc = open_runner(&r, b, threads, false, error);
    for (int i = 0; !rc && i < PIO_FEM_BENCH_REPETITIONS; i++) {
        rc = sweep(&r, error);
        time[0][i] = r.forward[0];
        time[1][i] = r.forward[1];
        time[2][i] = r.adjoint[0];
        time[3][i] = r.adjoint[1];
    }
    *row = (pio_fem_bench_row){.threads = threads,
                               .forward = spread_of(time[0]),
                               .forward_cpu = spread_of(time[1]),
                               .adjoint = spread_of(time[2]),
                               .adjoint_cpu = spread_of(time[3])};
    if (!rc && !r.engine->record(r.sim, 0, &b->record))
        rc = pio_fail(error, PIOLA_INTERNAL, "a mesh's engine has no record of its step");
    if (!rc) b->defect = pio_bench_fem_case_defect(&r.bench_case, r.value_bar);
    if (!rc && b->n_rows == 0) rc = count(b, &r.bench_case, error);
    b->J = r.J;
    b->calls = r.calls;
    b->n_rows++;
    close_runner(&r);
    return rc;
}

/* ---- kernels ---------------------------------------------------------------------------------------------- */

static void sum_kernels(pio_fem_bench *b, const pio_fem_bench_kernel *all)
{
    const pio_step_record *record = &b->record;
    double assembly[2] = {0}, product[2] = {0}; /* s; number of calls */
    for (int i = 0; i < PIO_FEM_BENCH_TIMERS && all[i].name; i++) {
        const pio_fem_bench_kernel *k = &all[i];
        const pio_fem_bench_part part = pio_fem_bench_part_of(k->name);
        const int64_t calls = k->forward_calls + k->adjoint_calls;
        if (!calls) continue;
        if (b->n_kernels < PIO_BENCH_KERNELS) b->kernels[b->n_kernels++] = *k;
        b->kernel_forward += k->forward;
        b->kernel_adjoint += k->adjoint;
        b->part[part][0] += k->forward;
        b->part[part][1] += k->adjoint;
        if (part == PIO_FEM_ASSEMBLY) assembly[0] += k->forward + k->adjoint;
        if (!strcmp(k->name, "fem_assemble")) assembly[1] += (double)calls;
        if (part == PIO_FEM_PRODUCT) product[0] += k->forward + k->adjoint, product[1] += (double)calls;
    }
    const double iterations = record->linear_iterations + record->adjoint_iterations;
    b->assembly = assembly[0] / assembly[1];
    b->element = 1e9 * b->assembly / (double)b->elements;
    b->product = product[0] / product[1];
    b->iteration = 0;
    for (int back = 0; back < 2; back++)
        b->iteration += (b->part[PIO_FEM_PRODUCT][back] + b->part[PIO_FEM_SOLVER][back]) / iterations;
}

static piola_status timed_run(runner *r, pio_fem_bench *b, int threads, piola_error *error)
{
    piola_status rc = open_runner(r, b, threads, true, error);
    if (!rc) rc = pio_bench_has_room(r->engine, r->sim, error);
    if (rc) return rc;
    r->kernels = calloc(PIO_FEM_BENCH_TIMERS, sizeof *r->kernels);
    if (!r->kernels) return pio_fail_memory(error, PIO_FEM_BENCH_TIMERS * sizeof *r->kernels, "the times of kernels");
    return sweep(r, error);
}

static piola_status measure_kernels(pio_fem_bench *b, int threads, piola_error *error)
{
    runner r;
    const piola_status rc = timed_run(&r, b, threads, error);
    if (!rc) sum_kernels(b, r.kernels);
    close_runner(&r);
    return rc;
}

/* Measures the products of a library in the same run, if the device has one. */
static piola_status measure_library(pio_fem_bench *b, int threads, piola_error *error)
{
    runner r;
    pio_fem_bench other = *b;
    double seconds = 0, calls = 0;
    if (b->engine.fem->product(0, b->library, NULL)) return PIOLA_OK;
    other.options.product = PIO_CUSPARSE;
    const piola_status rc = timed_run(&r, &other, threads, error);
    for (int i = 0; !rc && i < PIO_FEM_BENCH_TIMERS && r.kernels[i].name; i++) {
        const pio_fem_bench_kernel *k = &r.kernels[i];
        if (!begins(k->name, "product")) continue;
        seconds += k->forward + k->adjoint;
        calls += (double)(k->forward_calls + k->adjoint_calls);
    }
    b->library_product = seconds / calls;
    close_runner(&r);
    return rc;
}

/* ---- the measurement -------------------------------------------------------------------------------------- */

/* Measures the rate of a copy; on a GPU by a copy of so many particles of the same engine that they fill 200 MB in
 * f64. */
static piola_status measure_copy(pio_fem_bench *b, pio_fem_bench_row *row, piola_error *error)
{
    const int dim = b->engine.table->dimension;
    const pio_bench_case_options options = {.dimension = dim,
                                            .cells = dim == 3 ? 50 : 500,
                                            .per_cell = dim == 3 ? 8 : 4,
                                            .law = PIO_HYPER_NEO_HOOKEAN,
                                            .steps = 1,
                                            .adjoint = true};
    pio_bench_case bench_case;
    pio_sim *sim = NULL;
    pio_engine_bytes bytes;
    if (b->on_cpu) return pio_bench_copy_cpu(row->threads, &row->copy, error);
    piola_status rc = pio_bench_case_create(&bench_case, &options, error);
    if (!rc) rc = b->engine.table->create(&bench_case.desc, &sim, &bytes, error);
    if (!rc) rc = b->engine.table->start(sim, bench_case.velocity, error);
    if (!rc) rc = pio_bench_copy_gpu(b->engine.table, sim, bytes.state, &row->copy, error);
    if (sim) b->engine.table->destroy(sim);
    pio_bench_case_free(&bench_case);
    return rc;
}

piola_status pio_fem_bench_measure(pio_fem_bench *b, piola_error *error)
{
    b->on_cpu = !strcmp(b->engine.table->device, "cpu");
    const int most = !b->on_cpu ? 1 : b->options.threads ? b->options.threads : omp_get_max_threads();
    struct rusage usage;
    piola_status rc = PIOLA_OK;
    for (int threads = 1; !rc && b->n_rows < PIO_BENCH_ROWS; threads = 2 * threads < most ? 2 * threads : most) {
        rc = measure_row(b, threads, error);
        if (threads == most) break;
    }
    if (!rc) rc = measure_kernels(b, most, error);
    if (!rc && !getrusage(RUSAGE_SELF, &usage)) b->process_peak = 1024 * (int64_t)usage.ru_maxrss;
    if (!rc) rc = measure_library(b, most, error);
    for (int i = 0; !rc && i < b->n_rows; i++) rc = measure_copy(b, &b->rows[i], error);
    const double limit = strcmp(b->engine.fem->precision, "f64") ? 1e-2 : 1e3 * b->options.tolerance;
    if (!rc && !(b->defect <= limit))
        rc = pio_fail(error, PIOLA_INTERNAL, "sum c dJ/dc + F dJ/dF of the benchmark is %.3g of F dJ/dF; at most %.3g",
                      b->defect, limit);
    return rc;
}
