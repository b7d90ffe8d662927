/* command_bench.c -- piola bench mpm: the measurements of bench.c, as a report for people or as JSON. */
#include "host/command/command_bench.h"

#include "host/base/fail.h"
#include "host/base/json.h"
#include "host/results/manifest.h"
#include "host/scene/words.h"
#include "host/base/output.h"

#include <stdio.h>
#include <stdlib.h>

piola_bench_options piola_bench_options_default(void)
{
    return (piola_bench_options){.particles = 1000000,
                                 .dimension = 3,
                                 .steps = 10,
                                 .device = "auto",
                                 .precision = "f32",
                                 .law = "neo_hookean",
                                 .plasticity = "none",
                                 .box = "tight",
                                 .start = "sorted"};
}

/* ---- report for people ------------------------------------------------------------------------------------ */

static void print_case(const pio_bench *b)
{
    const pio_engine *e = b->engine.table;
    const pio_bench_case_options *o = &b->options;
    printf("piola %s bench mpm, commit %s\n", PIOLA_VERSION, pio_build_commit());
    printf("engine    %s %s %dD %s on %s%s%s\n", e->device, e->precision, e->dimension, e->isa, b->engine.device,
           b->engine.driver[0] ? ", " : "", b->engine.driver);
    printf("case      %s%s%s%s%s, %lld particles, %d per cell, %s; %lld cells occupied, %lld nodes active of %lld\n",
           piola_laws[o->law], o->plasticity ? ", " : "", o->plasticity ? pio_plastic_words[o->plasticity] : "",
           o->viscosity > 0 ? ", viscous" : "", o->fibres ? ", fibres" : "", (long long)b->particles, o->per_cell,
           o->shuffled ? "shuffled" : "sorted by cell", (long long)b->cells, (long long)b->nodes, (long long)b->box);
    printf("memory    %.1f bytes per particle of a state, %.2f GB with %lld states\n",
           (double)b->bytes.state / (double)b->particles, 1e-9 * (double)b->bytes.total, (long long)o->steps);
    printf(
        "method    %lld steps per repetition; best (median) of %d repetitions after one that is not timed; the whole\n"
        "          gradient includes the start, keeping every state and the observations\n",
        (long long)o->steps, PIO_BENCH_REPETITIONS);
    printf("check     d x/d v0 = %.9g s; exact: %.9g s\n", b->slope, b->duration);
}

/* Decimals of ns: a GPU takes less than one for a particle. */
static int decimals(const pio_bench *b)
{
    return b->on_cpu ? 1 : 3;
}

static void print_spread(const pio_bench *b, pio_spread s)
{
    printf("  %8.*f (%8.*f)", decimals(b), s.best, decimals(b), s.median);
}

static void print_times(const pio_bench *b)
{
    printf("\nns per particle-step%s\n", b->on_cpu ? " and core (CPU time)" : " (wall time)");
    printf(
        "threads            forward    forward, storing             adjoint      whole gradient  gradient/forward\n");
    for (int i = 0; i < b->n_rows; i++) {
        const pio_bench_row *r = &b->rows[i];
        printf("%7d", r->threads);
        print_spread(b, r->forward_cpu);
        print_spread(b, r->storing_cpu);
        print_spread(b, r->adjoint_cpu);
        print_spread(b, r->gradient_cpu);
        printf("  %8.2f\n", r->gradient_cpu.best / r->forward_cpu.best);
    }
}

static void print_scaling(const pio_bench *b)
{
    const pio_bench_row *one = &b->rows[0];
    printf("\nwall time per step, ms, and speed-up over one thread\n");
    printf("threads            forward  speed-up      whole gradient  speed-up\n");
    for (int i = 0; i < b->n_rows; i++) {
        const pio_bench_row *r = &b->rows[i];
        printf("%7d", r->threads);
        print_spread(b, (pio_spread){1e3 * r->forward_wall.best, 1e3 * r->forward_wall.median});
        printf("  %8.2f", one->forward_wall.best / r->forward_wall.best);
        print_spread(b, (pio_spread){1e3 * r->gradient_wall.best, 1e3 * r->gradient_wall.median});
        printf("  %8.2f\n", one->gradient_wall.best / r->gradient_wall.best);
    }
}

static double gradient_bytes(const pio_traffic *t)
{
    return t->forward + t->store + t->restore + t->adjoint;
}

static void print_bytes(const pio_bench *b)
{
    const pio_traffic *t = &b->traffic;
    const double n = (double)b->particles;
    printf("\nbytes per particle-step: forward %.0f, storing a state %.0f, restoring it %.0f, adjoint %.0f, whole "
           "gradient "
           "%.0f\n",
           t->forward / n, t->store / n, t->restore / n, t->adjoint / n, gradient_bytes(t) / n);
    printf("(counted: every array that a stage must read or write, once per stage; caches spare some, write-allocation "
           "adds "
           "some)\n");
    printf("threads  copy GB/s (read + write)   forward GB/s  share   gradient GB/s  share\n");
    for (int i = 0; i < b->n_rows; i++) {
        const pio_bench_row *r = &b->rows[i];
        const double forward = t->forward / r->forward_wall.best, gradient = gradient_bytes(t) / r->gradient_wall.best;
        printf("%7d  %24.1f  %13.1f  %4.0f%%  %14.1f  %4.0f%%\n", r->threads, 1e-9 * r->copy, 1e-9 * forward,
               100 * forward / r->copy, 1e-9 * gradient, 100 * gradient / r->copy);
    }
}

static int by_gradient(const void *a, const void *b)
{
    const pio_bench_kernel *p = a, *q = b;
    return p->gradient > q->gradient ? -1 : p->gradient < q->gradient;
}

/* Prints what a kernel does per particle and its share of the least time, or a dash where that is not counted. */
static void print_work(const pio_bench *b, const pio_bench_kernel *k)
{
    const pio_kernel_work *w = pio_bench_work(b, k->name);
    const double n = (double)b->particles, share = pio_bench_share(b, k);
    if (!w || !(share > 0)) return;
    const pio_bench_row *most = &b->rows[b->n_rows - 1];
    printf(" %8.0f %10.0f  %5.0f%% of %s", w->bytes / n, w->operations / n, 100 * share,
           w->bytes / most->copy > w->operations / most->fma ? "copy" : "FMA");
}

static void print_kernels(const pio_bench *b)
{
    const double each = 1e9 / ((double)b->options.steps * (double)b->particles);
    double rest[2] = {0};
    printf("\nkernels, timed in a run of their own with %d thread%s: wall ns per particle-step and share\n",
           b->rows[b->n_rows - 1].threads, b->rows[b->n_rows - 1].threads == 1 ? "" : "s");
    if (b->rows[b->n_rows - 1].fma > 0)
        printf("(this machine: copy %.1f GB/s, FMA %.1f Gflop/s in %s; the last columns: counted bytes and operations "
               "of a\n"
               "particle, and the least time of the slower of both, as a share; what fits into caches may exceed a "
               "copy)\n",
               1e-9 * b->rows[b->n_rows - 1].copy, 1e-9 * b->rows[b->n_rows - 1].fma, b->engine.table->precision);
    const int digits = decimals(b) + 1;
    printf("%-22s %16s %16s %8s %10s\n", "", "forward", "whole gradient", "bytes", "operations");
    for (int i = 0; i < b->n_kernels; i++) {
        const pio_bench_kernel *k = &b->kernels[i];
        const double f = k->forward / b->kernel_forward, g = k->gradient / b->kernel_gradient;
        if (f < 0.005 && g < 0.005) {
            rest[0] += k->forward;
            rest[1] += k->gradient;
            continue;
        }
        printf("%-22s %8.*f  %5.1f%% %8.*f  %5.1f%%", k->name, digits, each * k->forward, 100 * f, digits,
               each * k->gradient, 100 * g);
        print_work(b, k);
        printf("\n");
    }
    printf("%-22s %8.*f  %5.1f%% %8.*f  %5.1f%%\n", "all others", digits, each * rest[0],
           100 * rest[0] / b->kernel_forward, digits, each * rest[1], 100 * rest[1] / b->kernel_gradient);
}

/* ---- report for programs ---------------------------------------------------------------------------------- */

static void json_spread(pio_json *json, const char *key, pio_spread s)
{
    pio_json_begin_object(json, key);
    pio_json_double(json, "best", s.best);
    pio_json_double(json, "median", s.median);
    pio_json_end_object(json);
}

static void json_case(pio_json *json, const pio_bench *b)
{
    pio_bench_engine_json(json, &b->engine);
    pio_json_begin_object(json, "case");
    pio_bench_material_json(json, &b->options);
    pio_json_integer(json, "particles", b->particles);
    pio_json_integer(json, "per_cell", b->options.per_cell);
    pio_json_integer(json, "cells", b->cells);
    pio_json_integer(json, "nodes", b->nodes);
    pio_json_string(json, "box", b->options.loose ? "loose" : "tight");
    pio_json_integer(json, "box_nodes", b->box);
    pio_json_string(json, "start", b->options.shuffled ? "shuffled" : "sorted");
    pio_json_integer(json, "steps", b->options.steps);
    pio_json_integer(json, "repetitions", PIO_BENCH_REPETITIONS);
    pio_json_end_object(json);
    pio_json_begin_object(json, "check");
    pio_json_double(json, "slope", b->slope);
    pio_json_double(json, "exact", b->duration);
    pio_json_end_object(json);
}

static void json_rows(pio_json *json, const pio_bench *b)
{
    pio_json_string(json, "time", b->on_cpu ? "cpu" : "wall");
    pio_json_begin_array(json, "threads");
    for (int i = 0; i < b->n_rows; i++) {
        const pio_bench_row *r = &b->rows[i];
        pio_json_begin_object(json, NULL);
        pio_json_integer(json, "threads", r->threads);
        pio_json_begin_object(json, "ns_per_particle_step");
        json_spread(json, "forward", r->forward_cpu);
        json_spread(json, "forward_storing", r->storing_cpu);
        json_spread(json, "adjoint", r->adjoint_cpu);
        json_spread(json, "gradient", r->gradient_cpu);
        pio_json_end_object(json);
        pio_json_double(json, "gradient_over_forward", r->gradient_cpu.best / r->forward_cpu.best);
        pio_json_begin_object(json, "wall_seconds_per_step");
        json_spread(json, "forward", r->forward_wall);
        json_spread(json, "gradient", r->gradient_wall);
        pio_json_end_object(json);
        pio_json_double(json, "copy_bytes_per_second", r->copy);
        if (r->fma > 0) pio_json_double(json, "fma_per_second", r->fma);
        pio_json_double(json, "forward_share_of_copy", b->traffic.forward / r->forward_wall.best / r->copy);
        pio_json_double(json, "gradient_share_of_copy", gradient_bytes(&b->traffic) / r->gradient_wall.best / r->copy);
        pio_json_end_object(json);
    }
    pio_json_end_array(json);
}

static void json_bytes(pio_json *json, const pio_bench *b)
{
    const double n = (double)b->particles;
    pio_json_begin_object(json, "bytes");
    pio_json_integer(json, "total", (int64_t)b->bytes.total);
    pio_json_double(json, "state_per_particle", (double)b->bytes.state / n);
    pio_json_begin_object(json, "per_particle_step");
    pio_json_double(json, "forward", b->traffic.forward / n);
    pio_json_double(json, "store", b->traffic.store / n);
    pio_json_double(json, "restore", b->traffic.restore / n);
    pio_json_double(json, "adjoint", b->traffic.adjoint / n);
    pio_json_double(json, "gradient", gradient_bytes(&b->traffic) / n);
    pio_json_end_object(json);
    pio_json_end_object(json);
}

static void json_kernels(pio_json *json, const pio_bench *b)
{
    const double each = 1e9 / ((double)b->options.steps * (double)b->particles);
    pio_json_begin_array(json, "kernels");
    for (int i = 0; i < b->n_kernels; i++) {
        const pio_bench_kernel *k = &b->kernels[i];
        if (!(k->gradient > 0) && !(k->forward > 0)) continue;
        pio_json_begin_object(json, NULL);
        pio_json_string(json, "name", k->name);
        pio_json_double(json, "forward_ns", each * k->forward);
        pio_json_double(json, "forward_share", k->forward / b->kernel_forward);
        pio_json_double(json, "gradient_ns", each * k->gradient);
        pio_json_double(json, "gradient_share", k->gradient / b->kernel_gradient);
        const pio_kernel_work *w = pio_bench_work(b, k->name);
        if (w) pio_json_double(json, "bytes", w->bytes / (double)b->particles);
        if (w) pio_json_double(json, "operations", w->operations / (double)b->particles);
        if (pio_bench_share(b, k) > 0) pio_json_double(json, "share_of_machine", pio_bench_share(b, k));
        pio_json_end_object(json);
    }
    pio_json_end_array(json);
}

static void write_json(pio_json *json, const pio_bench *b)
{
    pio_json_begin_object(json, NULL);
    pio_json_string(json, "command", "bench mpm");
    pio_json_string(json, "program", "piola " PIOLA_VERSION);
    pio_json_string(json, "commit", pio_build_commit());
    json_case(json, b);
    json_rows(json, b);
    json_bytes(json, b);
    pio_bench_calls_json(json, &b->calls);
    json_kernels(json, b);
    pio_json_end_object(json);
}

static piola_status report(pio_bench *b, const piola_bench_options *o, const pio_figures *old, piola_error *error)
{
    piola_status rc = PIOLA_OK;
    pio_json json;
    qsort(b->kernels, (size_t)b->n_kernels, sizeof *b->kernels, by_gradient);
    if (o->json) {
        pio_json_to_file(&json, stdout, 2);
        write_json(&json, b);
        rc = pio_json_finish(&json, error);
    } else {
        print_case(b);
        print_times(b);
        if (b->on_cpu) print_scaling(b);
        print_bytes(b);
        pio_bench_calls_print(&b->calls);
        print_kernels(b);
    }
    if (!rc && o->compare) {
        pio_json_to_memory(&json, 0);
        write_json(&json, b);
        rc = pio_bench_compare_print(old, o->compare, &json, error);
    }
    return rc ? rc : pio_output_flush(error);
}

piola_status piola_bench_mpm(const piola_bench_options *options, piola_error *error)
{
    pio_figures old;
    if (options->sizes) return pio_bench_mpm_sizes(options, error);
    pio_bench *b = calloc(1, sizeof *b);
    if (!b) return pio_fail_memory(error, sizeof *b, "a benchmark");
    piola_status rc = pio_bench_compare_open(&old, options->compare, options->json, "bench mpm", error);
    if (!rc) rc = pio_bench_mpm_prepare(b, options, error);
    if (!rc) rc = pio_bench_measure(b, error);
    if (!rc) rc = report(b, options, &old, error);
    pio_engine_close(&b->engine);
    pio_figures_free(&old);
    free(b);
    return rc;
}
