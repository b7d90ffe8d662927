/* bench.c -- see bench.h. A gradient touches all pages before anything is timed; kernels are timed in a run of their
 * own, because their timers wait after each kernel. */
#include "host/bench/bench.h"
#include "host/base/fail.h"
#include "solvers/engine/clock.h"
#include "solvers/driver/driver.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { COPY_BYTES = 256 << 20 };

typedef struct {
    pio_bench *bench;
    const pio_engine *engine;
    pio_bench_case bench_case;
    pio_sim *sim;
    pio_bench_calls calls;
    double samples[2 * PIO_BENCH_CASE_SAMPLES], value_bar[3], z_bar[3];
} runner;

/* ---- one repetition --------------------------------------------------------------------------------------- */

typedef struct {
    double forward_cpu, storing_cpu, adjoint_cpu, gradient_cpu, forward_wall, gradient_wall; /* s, of all steps */
} repetition;

static piola_status run_forward(runner *r, repetition *t, piola_error *error)
{
    const pio_engine *e = r->engine;
    piola_status rc = e->start(r->sim, r->bench_case.velocity, error);
    /* The steps before those that are timed sort the particles and end with the observations. */
    if (!rc) rc = e->advance(r->sim, r->bench_case.desc.steps, error);
    if (!rc) rc = e->check(r->sim, error);
    if (rc) return rc;
    e->timer_reset(r->sim);
    const double cpu = pio_cpu_clock(), wall = pio_clock();
    rc = e->advance(r->sim, r->bench_case.desc.steps, error);
    if (!rc) rc = e->check(r->sim, error);
    t->forward_cpu = pio_cpu_clock() - cpu;
    t->forward_wall = pio_clock() - wall;
    return rc;
}

static piola_status run_gradient(runner *r, repetition *t, piola_error *error)
{
    double turned = 0;
    const int dim = r->engine->dimension;
    pio_schedule schedule = pio_schedule_store_all(r->bench_case.desc.steps, 1);
    const pio_sweep sweep = {.context = &turned, .objective = pio_bench_case_objective};
    const pio_sweep_arrays arrays = {.z = r->bench_case.velocity,
                                     .samples = r->samples,
                                     .n_samples = 2 * dim,
                                     .value_bar = r->value_bar,
                                     .z_bar = r->z_bar};
    pio_sweep_result result;
    r->engine->timer_reset(r->sim);
    const double cpu = pio_cpu_clock(), wall = pio_clock();
    const piola_status rc = pio_gradient(r->engine, r->sim, &schedule, &arrays, &sweep, &result, error);
    const double end = pio_cpu_clock();
    r->calls = (pio_bench_calls){result.forward_calls, result.adjoint_calls, r->bench_case.desc.steps};
    t->gradient_wall = pio_clock() - wall;
    t->gradient_cpu = end - cpu;
    t->storing_cpu = turned - cpu;
    t->adjoint_cpu = end - turned;
    if (!r->bench->on_cpu) { /* the processor waits while a GPU works, so wall time is measured */
        t->forward_cpu = t->forward_wall;
        t->gradient_cpu = t->gradient_wall;
        t->storing_cpu = result.forward_seconds;
        t->adjoint_cpu = result.adjoint_seconds;
    }
    return rc;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Returns the spread of the member at `offset` of every repetition, times `factor`. */
static pio_spread spread_of(const repetition *all, size_t offset, double factor)
{
    double v[PIO_BENCH_REPETITIONS];
    for (int i = 0; i < PIO_BENCH_REPETITIONS; i++) memcpy(&v[i], (const char *)&all[i] + offset, sizeof *v);
    qsort(v, PIO_BENCH_REPETITIONS, sizeof *v, by_size);
    return (pio_spread){factor * v[0], factor * v[PIO_BENCH_REPETITIONS / 2]};
}

/* ---- one number of threads -------------------------------------------------------------------------------- */

static void copy_blocks(char *to, const char *from, int threads)
{
    enum { BLOCKS = 64 };
    const size_t size = COPY_BYTES / BLOCKS;
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int i = 0; i < BLOCKS; i++) memcpy(to + (size_t)i * size, from + (size_t)i * size, size);
}

piola_status pio_bench_copy_cpu(int threads, double *rate, piola_error *error)
{
    char *from = malloc(COPY_BYTES), *to = malloc(COPY_BYTES);
    double best = HUGE_VAL;
    if (from && to) {
        memset(from, 1, COPY_BYTES);
        for (int i = 0; i <= PIO_BENCH_REPETITIONS; i++) {
            const double start = pio_clock();
            copy_blocks(to, from, threads);
            if (i > 0) best = fmin(best, pio_clock() - start);
        }
        *rate = 2.0 * COPY_BYTES / best;
    }
    const bool had = from && to;
    free(from);
    free(to);
    return had ? PIOLA_OK : pio_fail_memory(error, 2u * COPY_BYTES, "measuring the copy bandwidth");
}

piola_status pio_bench_copy_gpu(const pio_engine *engine, pio_sim *sim, size_t state, double *rate, piola_error *error)
{
    piola_status rc = PIOLA_OK;
    double best = HUGE_VAL;
    for (int i = 0; !rc && i <= PIO_BENCH_REPETITIONS; i++) {
        const double start = pio_clock();
        rc = engine->save(sim, i % 2, error); /* into the other slot, since a state in a slot is not copied */
        if (!rc) rc = engine->check(sim, error);
        if (i > 0) best = fmin(best, pio_clock() - start);
    }
    *rate = 2.0 * (double)state / best;
    return rc;
}

static piola_status measure_copy(runner *r, int threads, double *rate, piola_error *error)
{
    if (r->bench->on_cpu) return pio_bench_copy_cpu(threads, rate, error);
    return pio_bench_copy_gpu(r->engine, r->sim, r->bench->bytes.state, rate, error);
}

static piola_status open_runner(runner *r, pio_bench *b, int threads, bool timing, piola_error *error)
{
    pio_bench_case_options options = b->options;
    options.threads = threads;
    options.timing = timing;
    options.adjoint = true;
    *r = (runner){.bench = b, .engine = b->engine.table};
    piola_status rc = pio_bench_case_create(&r->bench_case, &options, error);
    if (rc) return rc;
    b->particles = r->bench_case.desc.particles.n;
    rc = r->engine->create(&r->bench_case.desc, &r->sim, &b->bytes, error);
    if (!rc) rc = run_gradient(r, &(repetition){0}, error);
    return rc;
}

static void close_runner(runner *r)
{
    if (r->sim) r->engine->destroy(r->sim);
    pio_bench_case_free(&r->bench_case);
}

static piola_status measure_row(pio_bench *b, int threads, piola_error *error)
{
    runner r;
    repetition all[PIO_BENCH_REPETITIONS] = {{0}};
    pio_bench_row *row = &b->rows[b->n_rows];
    piola_status rc = open_runner(&r, b, threads, false, error);
    for (int i = 0; !rc && i < PIO_BENCH_REPETITIONS; i++) {
        rc = run_forward(&r, &all[i], error);
        if (!rc) rc = run_gradient(&r, &all[i], error);
    }
    if (!rc) rc = measure_copy(&r, threads, &row->copy, error);
    if (!rc && b->on_cpu)
        row->fma = pio_bench_fma(threads, b->engine.table->isa, !strcmp(b->engine.table->precision, "f64"));
    if (!rc && b->n_rows == 0) rc = pio_bench_count(b, &r.bench_case, error);
    const double steps = (double)b->options.steps, each = 1e9 / (steps * (double)b->particles);
    row->threads = threads;
    row->forward_cpu = spread_of(all, offsetof(repetition, forward_cpu), each);
    row->storing_cpu = spread_of(all, offsetof(repetition, storing_cpu), each);
    row->adjoint_cpu = spread_of(all, offsetof(repetition, adjoint_cpu), each);
    row->gradient_cpu = spread_of(all, offsetof(repetition, gradient_cpu), each);
    row->forward_wall = spread_of(all, offsetof(repetition, forward_wall), 1 / steps);
    row->gradient_wall = spread_of(all, offsetof(repetition, gradient_wall), 1 / steps);
    b->calls = r.calls; /* with kernels that are timed, nothing would be a graph */
    b->slope = r.value_bar[0];
    b->duration = r.bench_case.duration;
    b->n_rows++;
    close_runner(&r);
    return rc;
}

/* ---- kernels ---------------------------------------------------------------------------------------------- */

piola_status pio_bench_has_room(const pio_engine *engine, pio_sim *sim, piola_error *error)
{
    const char *name;
    int64_t calls;
    double seconds;
    if (!engine->timer(sim, PIO_BENCH_TIMERS, &name, &calls, &seconds)) return PIOLA_OK;
    return pio_fail(error, PIOLA_INTERNAL, "the engine has more than %d timers of kernels", PIO_BENCH_TIMERS);
}

static piola_status measure_kernels(pio_bench *b, int threads, piola_error *error)
{
    runner r;
    repetition t = {0};
    const char *name;
    int64_t calls;
    double seconds;
    piola_status rc = open_runner(&r, b, threads, true, error);
    if (!rc) rc = pio_bench_has_room(r.engine, r.sim, error);
    if (!rc) rc = run_forward(&r, &t, error);
    double forward[PIO_BENCH_TIMERS] = {0};
    for (int i = 0; !rc && i < PIO_BENCH_TIMERS && r.engine->timer(r.sim, i, &name, &calls, &seconds); i++)
        forward[i] = seconds;
    if (!rc) rc = run_gradient(&r, &t, error);
    for (int i = 0; !rc && i < PIO_BENCH_TIMERS && r.engine->timer(r.sim, i, &name, &calls, &seconds); i++) {
        if (!(forward[i] > 0) && !(seconds > 0)) continue;
        if (b->n_kernels < PIO_BENCH_KERNELS)
            b->kernels[b->n_kernels++] = (pio_bench_kernel){name, forward[i], seconds};
        b->kernel_forward += forward[i];
        b->kernel_gradient += seconds;
    }
    close_runner(&r);
    return rc;
}

piola_status pio_bench_measure(pio_bench *b, piola_error *error)
{
    b->on_cpu = !strcmp(b->engine.table->device, "cpu");
    const int most = !b->on_cpu ? 1 : b->options.threads ? b->options.threads : omp_get_max_threads();
    piola_status rc = PIOLA_OK;
    for (int threads = b->only_most ? most : 1; !rc && b->n_rows < PIO_BENCH_ROWS;
         threads = 2 * threads < most ? 2 * threads : most) {
        rc = measure_row(b, threads, error);
        if (threads == most) break;
    }
    if (!rc && !b->only_most) rc = measure_kernels(b, most, error);
    if (!rc && !(fabs(b->slope / b->duration - 1) <= 1e-3))
        rc = pio_fail(error, PIOLA_INTERNAL, "d x/d v0 of the benchmark is %.9g s and must be %.9g s", b->slope,
                      b->duration);
    return rc;
}
