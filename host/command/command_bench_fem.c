/* command_bench_fem.c -- piola bench fem: the measurements of bench_fem.c, as a report for people or as JSON. */
#include "host/bench/bench_fem.h"
#include "host/command/command_bench.h"

#include "host/base/fail.h"
#include "host/base/json.h"
#include "host/scene/law.h"
#include "host/model/model.h"
#include "host/scene/words.h"
#include "host/base/output.h"
#include "host/base/threads.h"
#include "host/results/manifest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

piola_bench_fem_options piola_bench_fem_options_default(void)
{
    return (piola_bench_fem_options){.device = "auto", .precision = "f64", .law = "neo_hookean"};
}

static piola_status prepare(pio_fem_bench *b, const piola_bench_fem_options *o, piola_error *error)
{
    const char *name = o->element ? o->element : o->dimension == 2 ? "quad4" : "hex8";
    size_t type = PIO_TRI3;
    const pio_law law = pio_law_named(o->law, LAWS_HYPERELASTIC);
    while (type < PIO_ELEMENT_TYPES && strcmp(pio_elements[type].name, name)) type++;
    if (law < 0) return pio_fail(error, PIOLA_USAGE, "a mesh has no law '%.60s'; neo_hookean would be right", o->law);
    if (type == PIO_ELEMENT_TYPES)
        return pio_fail(error, PIOLA_USAGE, "unknown element '%.60s'; hex8 would be right", name);
    int preconditioner = 0;
    while (o->preconditioner && pio_preconditioner_words[preconditioner] &&
           strcmp(pio_preconditioner_words[preconditioner], o->preconditioner))
        preconditioner++;
    if (!pio_preconditioner_words[preconditioner])
        return pio_fail(error, PIOLA_USAGE, "unknown preconditioner '%.60s'; multigrid would be right",
                        o->preconditioner);
    const int dim = pio_elements[type].dimension;
    if (o->dimension && o->dimension != dim)
        return pio_fail(error, PIOLA_USAGE, "%s is an element of %dD; leave --dimension %d out", name, dim,
                        o->dimension);
    if (o->cells < 0 || o->tolerance < 0 || o->tolerance >= 1)
        return pio_fail(error, PIOLA_USAGE, "a benchmark needs at least one cell and a tolerance between 0 and 1");
    if (strcmp(o->precision, "f32") && strcmp(o->precision, "f64"))
        return pio_fail(error, PIOLA_USAGE, "unknown precision '%.60s': f32 or f64", o->precision);
    b->options = (pio_bench_fem_case_options){
        .type = (pio_element_type)type,
        .cells = o->cells   ? o->cells
                 : dim == 3 ? 31
                            : 512,
        .law = (pio_hyper_law)law,
        .force = dim == 3 ? 20 : 2,
        .tolerance = o->tolerance > 0 ? o->tolerance : pio_fem_tolerance(!strcmp(o->precision, "f32")),
        .threads = o->threads,
        .preconditioner = (pio_preconditioner_choice)preconditioner};
    const piola_status rc = pio_threads_check(o->threads, error);
    return rc ? rc : pio_engine_open(&b->engine, o->device, o->isa, o->precision, dim, error);
}

/* ---- report for people ------------------------------------------------------------------------------------ */

static void print_case(const pio_fem_bench *b)
{
    const pio_engine *e = b->engine.fem;
    const pio_bench_fem_case_options *o = &b->options;
    const pio_step_record *r = &b->record;
    printf("piola %s bench fem, commit %s\n", PIOLA_VERSION, pio_build_commit());
    printf("engine    %s %s %dD %s on %s%s%s\n", e->device, e->precision, e->dimension, e->isa, b->engine.device,
           b->engine.driver[0] ? ", " : "", b->engine.driver);
    printf("case      %s, %d cells per axis, %lld %s elements, %lld unknowns, %lld blocks of %dx%d\n",
           piola_laws[o->law], o->cells, (long long)b->elements, pio_elements[o->type].name, (long long)b->unknowns,
           (long long)b->blocks, e->dimension, e->dimension);
    printf("          one side of a %s of 1 m fixed, %g N across the other; E = 1000 Pa, nu = 0.3; tolerance %g\n",
           e->dimension == 3 ? "cube" : "square", o->force, o->tolerance);
    printf("method    one load step, then the gradient with respect to the force and the moduli of every element;\n"
           "          best (median) of %d repetitions after one that is not timed\n",
           PIO_FEM_BENCH_REPETITIONS);
    printf("check     deflection %.12g m; sum c dJ/dc + F dJ/dF is %.1e of F dJ/dF\n", b->J, b->defect);
    printf("solver    %s\n", b->bytes.solver);
    printf("          %d Newton iterations to %.1e with %d of the linear solver; %d of the adjoint's to %.1e\n",
           r->newton_iterations, r->residual, r->linear_iterations, r->adjoint_iterations, r->adjoint_residual);
    printf("memory    arena %.3f GB%s, matrix %.3f GB; process at most %.3f GB\n", 1e-9 * (double)b->bytes.total,
           b->on_cpu ? " (in the process)" : " (on the device)", 1e-9 * b->matrix_bytes,
           1e-9 * (double)b->process_peak);
}

static void print_spread(pio_spread s)
{
    printf("  %8.3f (%8.3f)", s.best, s.median);
}

static void print_times(const pio_fem_bench *b)
{
    printf("\nseconds              forward       CPU time, forward             adjoint       CPU time, adjoint  "
           "adjoint/forward\n");
    for (int i = 0; i < b->n_rows; i++) {
        const pio_fem_bench_row *r = &b->rows[i];
        printf("%2d thread%s", r->threads, r->threads == 1 ? " " : "s");
        print_spread(r->forward);
        print_spread(r->forward_cpu);
        print_spread(r->adjoint);
        print_spread(r->adjoint_cpu);
        printf("  %8.2f\n", r->adjoint.best / r->forward.best);
    }
    if (b->n_rows > 1)
        printf("speed-up %d threads over 1: forward %.2f, adjoint %.2f\n", b->rows[b->n_rows - 1].threads,
               b->rows[0].forward.best / b->rows[b->n_rows - 1].forward.best,
               b->rows[0].adjoint.best / b->rows[b->n_rows - 1].adjoint.best);
}

/* Returns whether each product reads its matrix from memory. A matrix in a cache is read faster than a copy moves bytes
 * that no cache holds. */
static bool from_memory(const pio_fem_bench *b)
{
    return b->bytes.cache > 0 && b->product_bytes > 2 * (double)b->bytes.cache;
}

/* Returns the product's B/s over those of a copy; NaN if the two cannot be compared. */
static double product_fraction(const pio_fem_bench *b, double seconds)
{
    return from_memory(b) ? b->product_bytes / seconds / b->rows[b->n_rows - 1].copy : (double)NAN;
}

static void print_product(const pio_fem_bench *b, const char *by, double seconds)
{
    const double copy = 1e-9 * b->rows[b->n_rows - 1].copy;
    printf("matrix-vector product %9.3f ms, %.1f GB/s", 1e3 * seconds, 1e-9 * b->product_bytes / seconds);
    if (from_memory(b))
        printf(": %.0f%% of the %.1f GB/s that a copy reads and writes (%s)\n", 100 * product_fraction(b, seconds),
               copy, by);
    else if (b->bytes.cache)
        printf(" (%s); no fraction of a copy's %.1f GB/s: its %.1f MB are less than twice the last-level cache of %.1f "
               "MB\n",
               by, copy, 1e-6 * b->product_bytes, 1e-6 * (double)b->bytes.cache);
    else
        printf(" (%s); no fraction of a copy's %.1f GB/s: the size of the last-level cache is unknown\n", by, copy);
}

static void print_kernels(const pio_fem_bench *b)
{
    const pio_fem_bench_row *last = &b->rows[b->n_rows - 1];
    printf("\nkernels, timed in a run of their own with %d thread%s, wall time\n", last->threads,
           last->threads == 1 ? "" : "s");
    printf("assembly              %9.3f ms, %.0f ns per element\n", 1e3 * b->assembly, b->element);
    print_product(b, b->bytes.product, b->product);
    if (b->library[0]) print_product(b, b->library, b->library_product);
    printf("solver's iteration    %9.3f ms\n", 1e3 * b->iteration);
    printf("Newton iteration      %9.3f ms (of %d, in the runs above)\n",
           1e3 * last->forward.best / b->record.newton_iterations, b->record.newton_iterations);
    printf("\n%-26s  forward s          adjoint s\n", "");
    for (int p = 0; p < PIO_FEM_PARTS; p++)
        printf("%-26s %8.3f  %5.1f%%  %8.3f  %5.1f%%\n", pio_fem_bench_part_names[p], b->part[p][0],
               100 * b->part[p][0] / b->kernel_forward, b->part[p][1], 100 * b->part[p][1] / b->kernel_adjoint);
    printf("\n%-22s  calls  forward s          calls  adjoint s\n", "");
    for (int i = 0; i < b->n_kernels; i++) {
        const pio_fem_bench_kernel *k = &b->kernels[i];
        if (k->forward < 0.005 * b->kernel_forward && k->adjoint < 0.005 * b->kernel_adjoint) continue;
        printf("%-22s %6lld  %8.3f  %5.1f%%  %6lld  %8.3f  %5.1f%%\n", k->name, (long long)k->forward_calls, k->forward,
               100 * k->forward / b->kernel_forward, (long long)k->adjoint_calls, k->adjoint,
               100 * k->adjoint / b->kernel_adjoint);
    }
}

/* ---- report for programs ---------------------------------------------------------------------------------- */

static void json_case(pio_json *json, const pio_fem_bench *b)
{
    const pio_engine *e = b->engine.fem;
    pio_json_begin_object(json, "engine");
    pio_json_string(json, "device", e->device);
    pio_json_string(json, "precision", e->precision);
    pio_json_integer(json, "dimension", e->dimension);
    pio_json_string(json, "isa", e->isa);
    pio_json_string(json, "device_name", b->engine.device);
    pio_json_string(json, "driver", b->engine.driver);
    pio_json_end_object(json);
    pio_json_begin_object(json, "case");
    pio_json_string(json, "law", piola_laws[b->options.law]);
    pio_json_string(json, "element", pio_elements[b->options.type].name);
    pio_json_integer(json, "cells", b->options.cells);
    pio_json_integer(json, "elements", b->elements);
    pio_json_integer(json, "unknowns", b->unknowns);
    pio_json_integer(json, "blocks", b->blocks);
    pio_json_double(json, "force", b->options.force);
    pio_json_double(json, "tolerance", b->options.tolerance);
    pio_json_integer(json, "repetitions", PIO_FEM_BENCH_REPETITIONS);
    pio_json_end_object(json);
    pio_json_begin_object(json, "check");
    pio_json_double(json, "deflection", b->J);
    pio_json_double(json, "identity_defect", b->defect);
    pio_json_end_object(json);
    pio_json_begin_object(json, "solver");
    pio_json_string(json, "linear", b->bytes.solver);
    pio_json_integer(json, "newton_iterations", b->record.newton_iterations);
    pio_json_integer(json, "linear_iterations", b->record.linear_iterations);
    pio_json_integer(json, "adjoint_iterations", b->record.adjoint_iterations);
    pio_json_double(json, "residual", b->record.residual);
    pio_json_double(json, "adjoint_residual", b->record.adjoint_residual);
    pio_json_end_object(json);
    pio_json_begin_object(json, "bytes");
    pio_json_integer(json, "arena", (int64_t)b->bytes.total);
    pio_json_double(json, "matrix", b->matrix_bytes);
    pio_json_integer(json, "process_peak", b->process_peak);
    pio_json_integer(json, "last_level_cache", (int64_t)b->bytes.cache);
    pio_json_end_object(json);
}

static void json_spread(pio_json *json, const char *key, pio_spread s)
{
    pio_json_begin_object(json, key);
    pio_json_double(json, "best", s.best);
    pio_json_double(json, "median", s.median);
    pio_json_end_object(json);
}

static void json_rows(pio_json *json, const pio_fem_bench *b)
{
    pio_json_begin_array(json, "threads");
    for (int i = 0; i < b->n_rows; i++) {
        const pio_fem_bench_row *r = &b->rows[i];
        pio_json_begin_object(json, NULL);
        pio_json_integer(json, "threads", r->threads);
        json_spread(json, "forward_seconds", r->forward);
        json_spread(json, "forward_cpu_seconds", r->forward_cpu);
        json_spread(json, "adjoint_seconds", r->adjoint);
        json_spread(json, "adjoint_cpu_seconds", r->adjoint_cpu);
        pio_json_double(json, "adjoint_over_forward", r->adjoint.best / r->forward.best);
        pio_json_double(json, "copy_bytes_per_second", r->copy);
        pio_json_end_object(json);
    }
    pio_json_end_array(json);
}

static void json_kernels(pio_json *json, const pio_fem_bench *b)
{
    pio_json_begin_object(json, "parts");
    pio_json_double(json, "assembly_seconds", b->assembly);
    pio_json_double(json, "assembly_ns_per_element", b->element);
    pio_json_double(json, "product_seconds", b->product);
    pio_json_double(json, "product_bytes", b->product_bytes);
    pio_json_double(json, "product_share_of_copy", product_fraction(b, b->product));
    pio_json_double(json, "iteration_seconds", b->iteration);
    pio_json_double(json, "newton_seconds", b->rows[b->n_rows - 1].forward.best / b->record.newton_iterations);
    pio_json_end_object(json);
    pio_json_begin_object(json, "library");
    pio_json_string(json, "product", b->library[0] ? b->library : NULL);
    if (b->library[0]) pio_json_double(json, "product_seconds", b->library_product);
    if (b->library[0]) pio_json_double(json, "product_share_of_copy", product_fraction(b, b->library_product));
    pio_json_end_object(json);
    pio_json_begin_array(json, "kernels");
    for (int i = 0; i < b->n_kernels; i++) {
        const pio_fem_bench_kernel *k = &b->kernels[i];
        pio_json_begin_object(json, NULL);
        pio_json_string(json, "name", k->name);
        pio_json_string(json, "part", pio_fem_bench_part_names[pio_fem_bench_part_of(k->name)]);
        pio_json_integer(json, "forward_calls", k->forward_calls);
        pio_json_double(json, "forward_seconds", k->forward);
        pio_json_double(json, "forward_share", k->forward / b->kernel_forward);
        pio_json_integer(json, "adjoint_calls", k->adjoint_calls);
        pio_json_double(json, "adjoint_seconds", k->adjoint);
        pio_json_double(json, "adjoint_share", k->adjoint / b->kernel_adjoint);
        pio_json_end_object(json);
    }
    pio_json_end_array(json);
}

static void write_json(pio_json *json, const pio_fem_bench *b)
{
    pio_json_begin_object(json, NULL);
    pio_json_string(json, "command", "bench fem");
    pio_json_string(json, "program", "piola " PIOLA_VERSION);
    pio_json_string(json, "commit", pio_build_commit());
    json_case(json, b);
    json_rows(json, b);
    pio_bench_calls_json(json, &b->calls);
    json_kernels(json, b);
    pio_json_end_object(json);
}

static int by_time(const void *a, const void *b)
{
    const pio_fem_bench_kernel *p = a, *q = b;
    const double x = p->forward + p->adjoint, y = q->forward + q->adjoint;
    return x > y ? -1 : x < y;
}

static piola_status report(pio_fem_bench *b, const piola_bench_fem_options *o, const pio_figures *old,
                           piola_error *error)
{
    piola_status rc = PIOLA_OK;
    pio_json json;
    qsort(b->kernels, (size_t)b->n_kernels, sizeof *b->kernels, by_time);
    if (o->json) {
        pio_json_to_file(&json, stdout, 2);
        write_json(&json, b);
        rc = pio_json_finish(&json, error);
    } else {
        print_case(b);
        print_times(b);
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

piola_status piola_bench_fem(const piola_bench_fem_options *options, piola_error *error)
{
    pio_fem_bench *b = calloc(1, sizeof *b);
    if (!b) return pio_fail_memory(error, sizeof *b, "a benchmark");
    pio_figures old;
    piola_status rc = pio_bench_compare_open(&old, options->compare, options->json, "bench fem", error);
    if (!rc) rc = prepare(b, options, error);
    if (!rc) rc = pio_fem_bench_measure(b, error);
    if (!rc) rc = report(b, options, &old, error);
    pio_engine_close(&b->engine);
    pio_figures_free(&old);
    free(b);
    return rc;
}
