/* command_doctor.c -- piola doctor: lists the engines and libraries, and tests whether the engines compute correctly.
 *
 * The self-test of an engine: a spinning elastic block in free flight, and its gradient. Whatever the elasticity does,
 *   momentum:  mean velocity at T = v0 + g T          flight:  d(mean position at T)/dv0 = T
 *   bits:      samples and gradient of one thread = those of three */
#include "host/base/modules.h"
#include "host/base/fail.h"
#include "host/base/json.h"
#include "host/base/output.h"
#include "host/bench/bench_case.h"
#include "host/command/doctor_modules.h"
#include "piola.h"

#include <hdf5.h>
#include <math.h>
#include <nlopt.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>
#include <zlib.h>

enum { MOST_ENGINES = 32, MOST_LIBRARIES = 4 };

typedef struct {
    char name[64], reason[512], device[128], driver[64], isa[96], failure[512];
    char direct[128], no_direct[512];   /* its library of direct solvers, or why it has none */
    char product[128], no_product[512]; /* its library of products, or why it has none */
    bool runs, passed;
    double momentum, flight, threshold; /* relative errors, and their upper limit */
    int differing;                      /* how many of the compared numbers differ */
} engine_report;

typedef struct {
    const char *name;
    char compiled[32], found[32]; /* version of its header, "" if that is unknown; version of the library */
} library_report;

typedef struct {
    engine_report engines[MOST_ENGINES];
    int n_engines, running, failed;
    int threads; /* OpenMP threads, before an engine sets their number for the process */
    char folder[PIO_PATH];
    library_report libraries[MOST_LIBRARIES];
    pio_doctor_module modules[PIO_DOCTOR_MODULES];
} report;

/* ---- self-test ------------------------------------------------------------------------------------------ */

typedef struct {
    double samples[2 * PIO_BENCH_CASE_SAMPLES], gradient[3];
} outcome;

static piola_status simulate(const pio_engine *engine, const pio_bench_case *bench_case, outcome *out,
                             piola_error *error)
{
    const int dim = engine->dimension;
    double z_bar[3];
    pio_sim *sim = NULL;
    pio_engine_bytes bytes;
    pio_schedule schedule = pio_schedule_store_all(bench_case->desc.steps, 1);
    const pio_sweep sweep = {.objective = pio_bench_case_objective};
    const pio_sweep_arrays arrays = {.z = bench_case->velocity,
                                     .samples = out->samples,
                                     .n_samples = 2 * dim,
                                     .value_bar = out->gradient,
                                     .z_bar = z_bar};
    pio_sweep_result result;
    memset(out, 0, sizeof *out);
    piola_status rc = engine->create(&bench_case->desc, &sim, &bytes, error);
    if (rc) return rc;
    rc = pio_gradient(engine, sim, &schedule, &arrays, &sweep, &result, error);
    engine->destroy(sim);
    return rc;
}

static void judge(engine_report *r, const pio_bench_case *t, const outcome *one, const outcome *three, int dim)
{
    double scale = 0;
    r->momentum = r->flight = 0;
    for (int a = 0; a < dim; a++) {
        const double want = t->velocity[a] + t->desc.gravity[a] * t->duration, v = one->samples[dim + a];
        scale = fmax(scale, fabs(want));
        const double flight = fabs(one->gradient[a] - (a == 0 ? t->duration : 0)) / t->duration;
        if (!(fabs(v - want) <= r->momentum)) r->momentum = fabs(v - want); /* a NaN remains */
        if (!(flight <= r->flight)) r->flight = flight;
        r->differing += memcmp(&one->samples[a], &three->samples[a], sizeof(double)) != 0;
        r->differing += memcmp(&one->samples[dim + a], &three->samples[dim + a], sizeof(double)) != 0;
        r->differing += memcmp(&one->gradient[a], &three->gradient[a], sizeof(double)) != 0;
    }
    r->momentum /= scale;
    r->passed = r->momentum <= r->threshold && r->flight <= r->threshold && r->differing == 0;
    if (!r->passed) snprintf(r->failure, sizeof r->failure, "a measured value exceeds its threshold");
}

static void self_test(engine_report *r, const pio_engine *engine)
{
    const int dim = engine->dimension;
    pio_bench_case_options options = {.dimension = dim,
                                      .cells = dim == 3 ? 6 : 12,
                                      .per_cell = dim == 3 ? 8 : 4,
                                      .law = PIO_HYPER_NEO_HOOKEAN,
                                      .steps = 50,
                                      .threads = 1,
                                      .adjoint = true,
                                      .spin = 20};
    pio_bench_case bench_case;
    outcome one, three;
    piola_error error = {0};
    r->threshold = strcmp(engine->precision, "f64") ? 1e-5 : 1e-12;
    piola_status rc = pio_bench_case_create(&bench_case, &options, &error);
    if (!rc) rc = simulate(engine, &bench_case, &one, &error);
    bench_case.desc.threads = 3;
    if (!rc) rc = simulate(engine, &bench_case, &three, &error);
    if (rc)
        snprintf(r->failure, sizeof r->failure, "%.500s", error.message);
    else
        judge(r, &bench_case, &one, &three, dim);
    pio_bench_case_free(&bench_case);
}

/* ---- engines -------------------------------------------------------------------------------------------- */

/* Tests one module by its own name, because pio_engine_open() opens only the best one of a device. */
static void test_engine(engine_report *r)
{
    pio_engine_module module;
    piola_error error = {0};
    if (pio_engine_open_module(&module, r->name, &error)) {
        snprintf(r->failure, sizeof r->failure, "%.500s", error.message);
        return;
    }
    snprintf(r->driver, sizeof r->driver, "%s", module.driver);
    snprintf(r->isa, sizeof r->isa, "%s", module.table->isa);
    if (module.fem->direct(0, r->direct, &error)) snprintf(r->no_direct, sizeof r->no_direct, "%.500s", error.message);
    if (module.fem->product(0, r->product, &error))
        snprintf(r->no_product, sizeof r->no_product, "%.500s", error.message);
    self_test(r, module.table);
    pio_engine_close(&module);
}

static void examine_engines(report *r)
{
    pio_module_folder(r->folder, sizeof r->folder);
    for (int i = 0; i < MOST_ENGINES; i++) {
        engine_report *e = &r->engines[i];
        if (!pio_engine_list(i, e->name, &e->runs, e->reason, e->device)) break;
        r->n_engines++;
        if (!e->runs) continue;
        r->running++;
        test_engine(e);
        r->failed += !e->passed;
    }
}

static void examine_libraries(report *r)
{
    unsigned major = 0, minor = 0, patch = 0;
    int version[3] = {0};
    library_report *l = r->libraries;
    H5get_libversion(&major, &minor, &patch);
    nlopt_version(&version[0], &version[1], &version[2]);
    l[0].name = "HDF5";
    snprintf(l[0].compiled, sizeof l[0].compiled, "%d.%d.%d", H5_VERS_MAJOR, H5_VERS_MINOR, H5_VERS_RELEASE);
    snprintf(l[0].found, sizeof l[0].found, "%u.%u.%u", major, minor, patch);
    l[1].name = "NLopt";
    snprintf(l[1].found, sizeof l[1].found, "%d.%d.%d", version[0], version[1], version[2]);
    l[2].name = "libyaml";
    snprintf(l[2].found, sizeof l[2].found, "%s", yaml_get_version_string());
    l[3].name = "zlib";
    snprintf(l[3].compiled, sizeof l[3].compiled, "%s", ZLIB_VERSION);
    snprintf(l[3].found, sizeof l[3].found, "%s", zlibVersion());
}

/* ---- reports -------------------------------------------------------------------------------------------- */

static void print_engines(const report *r)
{
    printf("Engines%s%s\n", r->running ? " in " : "", r->folder);
    for (int i = 0; i < r->n_engines; i++) {
        const engine_report *e = &r->engines[i];
        printf("  %-24s %-3s  %s%s%s\n", e->name, e->runs ? "yes" : "no", e->runs ? e->device : e->reason,
               e->driver[0] ? ", " : "", e->driver);
    }
}

/* Prints the libraries of each device, which is the first part of an engine's name; its engines have the same ones. */
static void print_libraries(const report *r, const char *title, bool products)
{
    const char *last = "";
    printf("\n%s\n", title);
    for (int i = 0; i < r->n_engines; i++) {
        const engine_report *e = &r->engines[i];
        const size_t n = strcspn(e->name, "_");
        if (!e->runs || !strncmp(last, e->name, n + 1)) continue;
        const char *has = products ? e->product : e->direct, *lacks = products ? e->no_product : e->no_direct;
        printf("  %-14.*s %s\n", (int)n, e->name, has[0] ? has : lacks);
        last = e->name;
    }
}

static void print_self_tests(const report *r)
{
    printf("\nSelf-test: a spinning block in free flight, forward and back (measured <= threshold)\n");
    printf("  %-24s %-22s %-22s %-12s\n", "engine", "momentum v0 + g T", "d x/d v0 = T", "bits differ");
    for (int i = 0; i < r->n_engines; i++) {
        const engine_report *e = &r->engines[i];
        if (!e->runs) continue;
        printf("  %-24s %8.1e <= %-10.0e %8.1e <= %-10.0e %3d <= 0     %s%s%s\n", e->name, e->momentum, e->threshold,
               e->flight, e->threshold, e->differing, e->passed ? "pass" : "FAIL", e->failure[0] ? ": " : "",
               e->failure);
    }
}

/* Returns whether --isa accepts an instruction set here: one of its engines runs. */
static bool isa_runs(const report *r, const char *isa)
{
    bool runs = false;
    for (int i = 0; i < r->n_engines; i++) runs |= r->engines[i].runs && !strcmp(r->engines[i].isa, isa);
    return runs;
}

static void print_isas(const report *r)
{
    const char *isa;
    bool taken = false;
    printf("\nInstruction sets of CPU engines, for --isa\n");
    for (int i = 0; (isa = pio_engine_isa(i)); i++) {
        const bool runs = isa_runs(r, isa);
        printf("  %-24s %-3s%s\n", isa, runs ? "yes" : "no", runs && !taken ? "  default" : "");
        taken |= runs;
    }
}

static void print_report(const report *r)
{
    printf("piola %s\n\n", PIOLA_VERSION);
    print_engines(r);
    print_isas(r);
    printf("\nLibraries        compiled   found\n");
    for (int i = 0; i < MOST_LIBRARIES; i++)
        printf("  %-14s %-10s %s\n", r->libraries[i].name, r->libraries[i].compiled[0] ? r->libraries[i].compiled : "-",
               r->libraries[i].found);
    print_libraries(r, "Direct solvers of finite elements", false);
    print_libraries(r, "Products of matrix and vector, beside Piola's own", true);
    pio_doctor_modules_print(r->modules);
    printf("\nCPU threads: %d (OpenMP %d)\n", r->threads, _OPENMP);
    print_self_tests(r);
    if (r->running) printf("\n%d of %d engines that run pass the self-test\n", r->running - r->failed, r->running);
}

static void json_isas(pio_json *json, const report *r)
{
    const char *isa;
    bool taken = false;
    pio_json_begin_array(json, "instruction_sets");
    for (int i = 0; (isa = pio_engine_isa(i)); i++) {
        const bool runs = isa_runs(r, isa);
        pio_json_begin_object(json, NULL);
        pio_json_string(json, "name", isa);
        pio_json_bool(json, "runs", runs);
        pio_json_bool(json, "default", runs && !taken);
        pio_json_end_object(json);
        taken |= runs;
    }
    pio_json_end_array(json);
}

static void json_engine(pio_json *json, const engine_report *e)
{
    pio_json_begin_object(json, NULL);
    pio_json_string(json, "name", e->name);
    pio_json_bool(json, "runs", e->runs);
    pio_json_string(json, "device", e->runs ? e->device : NULL);
    pio_json_string(json, "driver", e->driver[0] ? e->driver : NULL);
    pio_json_string(json, "isa", e->isa[0] ? e->isa : NULL);
    pio_json_string(json, "reason", e->runs ? NULL : e->reason);
    if (e->runs) {
        pio_json_string(json, "direct_solver", e->direct[0] ? e->direct : NULL);
        pio_json_string(json, "matrix_product", e->product[0] ? e->product : NULL);
        pio_json_begin_object(json, "self_test");
        pio_json_bool(json, "passed", e->passed);
        pio_json_string(json, "failure", e->failure[0] ? e->failure : NULL);
        pio_json_double(json, "momentum", e->momentum);
        pio_json_double(json, "flight", e->flight);
        pio_json_double(json, "threshold", e->threshold);
        pio_json_integer(json, "differing", e->differing);
        pio_json_end_object(json);
    }
    pio_json_end_object(json);
}

static piola_status print_json(const report *r, piola_error *error)
{
    pio_json json;
    pio_json_to_file(&json, stdout, 2);
    pio_json_begin_object(&json, NULL);
    pio_json_string(&json, "program", "piola " PIOLA_VERSION);
    pio_json_bool(&json, "healthy", r->running > 0 && r->failed == 0);
    pio_json_integer(&json, "threads", r->threads);
    pio_json_integer(&json, "openmp", _OPENMP);
    pio_json_begin_array(&json, "libraries");
    for (int i = 0; i < MOST_LIBRARIES; i++) {
        const library_report *l = &r->libraries[i];
        pio_json_begin_object(&json, NULL);
        pio_json_string(&json, "name", l->name);
        pio_json_string(&json, "compiled", l->compiled[0] ? l->compiled : NULL);
        pio_json_string(&json, "found", l->found);
        pio_json_end_object(&json);
    }
    pio_json_end_array(&json);
    pio_doctor_modules_json(r->modules, &json);
    json_isas(&json, r);
    pio_json_begin_array(&json, "engines");
    for (int i = 0; i < r->n_engines; i++) json_engine(&json, &r->engines[i]);
    pio_json_end_array(&json);
    pio_json_end_object(&json);
    return pio_json_finish(&json, error);
}

piola_status piola_doctor(bool json, piola_error *error)
{
    report *r = calloc(1, sizeof *r);
    if (!r) return pio_fail_memory(error, sizeof *r, "a report");
    r->threads = omp_get_max_threads();
    examine_engines(r);
    examine_libraries(r);
    pio_doctor_modules_find(r->modules);
    piola_status rc = PIOLA_OK;
    if (json)
        rc = print_json(r, error);
    else
        print_report(r);
    if (!rc) rc = pio_output_flush(error);
    const int running = r->running, failed = r->failed;
    free(r);
    if (rc) return rc;
    if (!running) return pio_fail(error, PIOLA_UNAVAILABLE, "no engine runs on this machine");
    if (failed) return pio_fail(error, PIOLA_NO, "%d of %d engines fail the self-test", failed, running);
    return PIOLA_OK;
}
