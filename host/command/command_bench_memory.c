/* command_bench_memory.c -- piola bench memory: the measurements of bench_memory.c, as a report for people or as JSON.
 */
#include "host/bench/bench_memory.h"
#include "host/base/fail.h"
#include "host/base/json.h"
#include "host/model/model.h"
#include "host/base/output.h"
#include "host/base/threads.h"
#include "host/results/manifest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FEM_CELLS = 8, MESHES = 3, CASES = PIO_MEMORY_PARTICLES + MESHES };

piola_bench_memory_options piola_bench_memory_options_default(void)
{
    return (piola_bench_memory_options){.particles = 8000, .steps = 1000, .device = "auto", .precision = "f32"};
}

static double recomputed(const pio_memory_case *c, const pio_memory_row *row)
{
    return (double)(row->plan.forward_steps + row->plan.inverse_steps) / (double)c->steps;
}

/* Returns the bytes of kept states and of the residual log, per step. */
static double kept_per_step(const pio_memory_case *c, const pio_memory_row *row)
{
    const double residual_log = row->plan.strategy == SCENE_REVERSE ? c->costs.log_bytes_per_step : 0;
    return (double)row->slots * (double)c->bytes.state / (double)c->steps + residual_log;
}

static const char *row_name(const pio_memory_row *row)
{
    return row->plan.strategy == SCENE_REVERSE      ? "reverse"
           : row->plan.strategy == SCENE_CHECKPOINT ? "checkpoint"
                                                    : "store";
}

static void print_case(const pio_memory_case *c)
{
    printf(
        "\n%s       %s: %lld %s, %lld steps of %.3g ms; a state is kept %s in %zu bytes (%.1f each), everything else "
        "%.1f MB\n",
        c->method, c->integrator, (long long)c->items, c->method[0] == 'm' ? "particles" : "nodes", (long long)c->steps,
        1e3 * c->forward / (double)c->steps, c->compact ? "as the step to it" : "whole", c->bytes.state,
        (double)c->bytes.state / (double)c->items, 1e-6 * (double)c->bytes.total);
    printf("costs     a step %.3g ms, its adjoint %.3g ms; a state kept %.3g ms, restored %.3g ms; to disk %.3g ms, "
           "back %.3g ms\n",
           1e3 * c->costs.forward, 1e3 * c->costs.adjoint, 1e3 * c->costs.store, 1e3 * c->costs.restore,
           1e3 * c->costs.write, 1e3 * c->costs.read);
    if (c->costs.inverse_step > 0)
        printf("reversal  an inverse step %.3g ms, its adjoint after that %.3g ms, %.0f bytes of the residual log a "
               "step: %.2f bits per degree of freedom\n",
               1e3 * c->costs.inverse_step, 1e3 * c->costs.adjoint_after, c->costs.log_bytes_per_step,
               8 * c->costs.log_bytes_per_step / (3 * (double)c->items));
    printf("check     gradients of all rows have %s\n", c->same ? "the same bits" : "DIFFERENT BITS");
    printf("%-12s %8s %8s %12s %18s %20s %12s\n", "", "states", "on disk", "bytes/step", "steps run/steps",
           "gradient/forward", "predicted");
    for (int i = 0; i < c->n_rows; i++) {
        const pio_memory_row *r = &c->rows[i];
        printf("%-12s %8lld %8lld %12.0f %18.3f %20.2f %12.2f\n", row_name(r), (long long)r->slots, (long long)r->kept,
               kept_per_step(c, r), recomputed(c, r), r->gradient / c->forward, r->predicted);
    }
}

static void json_case(pio_json *json, const pio_memory_case *c)
{
    pio_json_begin_object(json, NULL);
    pio_json_string(json, "method", c->method);
    pio_json_string(json, "integrator", c->integrator);
    pio_json_integer(json, "items", c->items);
    pio_json_integer(json, "steps", c->steps);
    pio_json_integer(json, "state_bytes", (int64_t)c->bytes.state);
    pio_json_bool(json, "compact", c->compact);
    pio_json_integer(json, "other_bytes", (int64_t)c->bytes.total);
    pio_json_double(json, "forward_seconds", c->forward);
    pio_json_double(json, "residual_log_bytes_per_step", c->costs.log_bytes_per_step);
    pio_json_bool(json, "same_bits", c->same);
    pio_json_begin_array(json, "rows");
    for (int i = 0; i < c->n_rows; i++) {
        const pio_memory_row *r = &c->rows[i];
        pio_json_begin_object(json, NULL);
        pio_json_string(json, "strategy", row_name(r));
        pio_json_integer(json, "states", r->slots);
        pio_json_integer(json, "states_on_disk", r->kept);
        pio_json_double(json, "bytes_per_step", kept_per_step(c, r));
        pio_json_double(json, "recomputation", recomputed(c, r));
        pio_json_double(json, "gradient_over_forward", r->gradient / c->forward);
        pio_json_double(json, "predicted", r->predicted);
        pio_json_end_object(json);
    }
    pio_json_end_array(json);
    pio_json_end_object(json);
}

static piola_status report(const pio_memory_case c[CASES], const pio_engine_module *e, bool as_json, piola_error *error)
{
    pio_json json;
    if (!as_json) {
        printf("piola %s bench memory, commit %s\n", PIOLA_VERSION, pio_build_commit());
        printf("engine    %s %s %dD %s on %s%s%s\n", e->table->device, e->table->precision, e->table->dimension,
               e->table->isa, e->device, e->driver[0] ? ", " : "", e->driver);
        printf("method    best of %d after one that is not timed; wall time; disk: the current folder\n",
               PIO_MEMORY_REPETITIONS);
        for (int i = 0; i < CASES; i++) print_case(&c[i]);
        return pio_output_flush(error);
    }
    pio_json_to_file(&json, stdout, 2);
    pio_json_begin_object(&json, NULL);
    pio_json_string(&json, "command", "bench memory");
    pio_json_string(&json, "program", "piola " PIOLA_VERSION);
    pio_json_begin_array(&json, "cases");
    for (int i = 0; i < CASES; i++) json_case(&json, &c[i]);
    pio_json_end_array(&json);
    pio_json_end_object(&json);
    const piola_status rc = pio_json_finish(&json, error);
    return rc ? rc : pio_output_flush(error);
}

piola_status piola_bench_memory(const piola_bench_memory_options *o, piola_error *error)
{
    static const char *const here = ".";
    static const pio_integrator of_meshes[MESHES] = {PIO_LEAPFROG, PIO_REVERSIBLE_LEAPFROG, PIO_REVERSIBLE_EULER};
    pio_engine_module engine = {0};
    pio_memory_case c[CASES];
    if (o->particles < 1 || o->steps < 1)
        return pio_fail(error, PIOLA_USAGE, "a benchmark needs at least one particle and step");
    if (strcmp(o->precision, "f32") && strcmp(o->precision, "f64"))
        return pio_fail(error, PIOLA_USAGE, "unknown precision '%.60s': f32 or f64", o->precision);
    const pio_bench_case_options particles = {.dimension = 3,
                                              .cells = (int)fmax(1, round(cbrt((double)o->particles / 8))),
                                              .per_cell = 8,
                                              .law = PIO_HYPER_NEO_HOOKEAN,
                                              .steps = o->steps,
                                              .threads = o->threads};
    const pio_bench_fem_case_options mesh = {.type = PIO_HEX8,
                                             .cells = FEM_CELLS,
                                             .law = PIO_HYPER_NEO_HOOKEAN,
                                             .force = 0.2,
                                             .tolerance = pio_fem_tolerance(!strcmp(o->precision, "f32")),
                                             .threads = o->threads};
    piola_status rc = pio_threads_check(o->threads, error);
    if (!rc) rc = pio_engine_open(&engine, o->device, o->isa, o->precision, 3, error);
    int n = 0, same = 1;
    for (int i = 0; !rc && i < PIO_MEMORY_PARTICLES; i++)
        rc = pio_bench_memory_mpm(&c[n++], &engine, particles, (pio_memory_particles)i, here, error);
    for (size_t i = 0; !rc && i < MESHES; i++)
        rc = pio_bench_memory_fem(&c[n++], &engine, mesh, of_meshes[i],
                                  of_meshes[i] == PIO_REVERSIBLE_EULER ? (o->steps + 9) / 10 : o->steps, here, error);
    if (!rc) rc = report(c, &engine, o->json, error);
    pio_engine_close(&engine);
    for (int i = 0; !rc && i < CASES; i++) same &= c[i].same;
    if (!rc && !same)
        rc = pio_fail(error, PIOLA_INTERNAL,
                      "gradients of the benchmark differ from one strategy of keeping states to another");
    return rc;
}
