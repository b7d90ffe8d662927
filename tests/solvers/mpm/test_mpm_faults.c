/* test_mpm_faults.c -- is every way a run can fail found, named and harmless?
 *
 * Each fault comes from a set-up that a user could write. The message names step, particle and value and is the same
 * for any number of threads; nothing outside the arrays is written: the arena ends at pages that cannot be touched, and
 * what is constant during a run keeps its bits. */
#include "tests/solvers/mpm/mpm_fenced.h"

#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { D = CASE_DIM };

/* Hash of the arrays that do not change once a run has started; they lie side by side. */
static uint64_t constants_hash(const pio_sim *base)
{
    const mpm_sim *sim = (const mpm_sim *)base;
    const char *first = (const char *)sim->material.law, *end = (const char *)sim->grid.lists.count;
    assert_true(end > first);
    return case_hash(CASE_HASH_START, first, (size_t)(end - first));
}

/* Every particle once, every cell one whose stencil lies in the grid. */
static void assert_state_is_whole(const pio_sim *base)
{
    const mpm_sim *sim = (const mpm_sim *)base;
    for (int k = 0; k < 2; k++) {
        const mpm_state *s = &sim->particles.state[k];
        int64_t sum = 0;
        for (int i = 0; i < sim->particles.n; i++) {
            int index[DIM];
            assert_true(s->id[i] >= 0 && s->id[i] < sim->particles.n);
            sum += s->id[i];
            assert_true(s->cell[i] >= 0 && s->cell[i] < sim->grid.nodes);
            node_index(&sim->grid.box, s->cell[i], index);
            for (int a = 0; a < DIM; a++) assert_true(index[a] <= sim->grid.box.nodes[a] - 3);
        }
        assert_int_equal(sum, (int64_t)sim->particles.n * (sim->particles.n - 1) / 2);
    }
}

/* ---- the faults ------------------------------------------------------------------------------------------ */

typedef struct {
    const char *name;
    void (*set_up)(mpm_case *c, double *z); /* z: [variables], if there are designs */
    const char *expected[4];                /* all of these are in the message */
    int before;                             /* found before the first step */
    piola_failure_kind kind;
} fault_case;

/* 168 or 175 cells and more than 4096 particles: the backend runs less than that on one thread in any case. */
static const double lo[3] = {0.5, 0.5, 0.4}, hi[3] = {D == 2 ? 1.9 : 1.2, D == 2 ? 1.7 : 1.0, 0.9};

static void block(mpm_case *c, pio_law law, double k0, double k1, double k2, double speed)
{
    case_init(c, 30, 24, 15, 0.1, 1e-3, 40);
    case_body b = {.law = law, .parameters = {k0, k1, k2}, .density = 1000, .velocity = {speed, 0, 0}};
    case_block(c, &b, lo, hi, D == 2 ? 5 : 3, 0.2);
    assert_true(c->n > 4096);
}

static void too_fast(mpm_case *c, double *z)
{
    (void)z;
    block(c, PIO_HYPER_NEO_HOOKEAN, 1e4, 0.3, 0, 1);
    c->desc.gravity[1] = 3000; /* reaches 50 m/s, half a cell a step, in step 16 */
}

static void far_too_fast(mpm_case *c, double *z)
{
    (void)z;
    block(c, PIO_HYPER_NEO_HOOKEAN, 1e4, 0.3, 0, 3e5); /* 3000 cells in one step: out of the grid and far beyond */
}

static void not_a_number(mpm_case *c, double *z)
{
    block(c, PIO_HYPER_FIXED_COROTATED, 1e4, 0.3, 0, 1);
    case_design(c, PIO_VELOCITY, 0, CASE_EACH, 0, 0, 1);
    z[9 * D] = NAN; /* of particle 9; its neighbours catch it in the same step */
}

static void infinite(mpm_case *c, double *z)
{
    block(c, PIO_TAIT, 1e4, 7, 1, 1);
    case_design(c, PIO_VELOCITY, 0, CASE_EACH, 0, 0, 1);
    z[9 * D] = INFINITY;
}

/* A lone particle keeps its velocity gradient, here -1.1/h along x: it would shrink to -0.1 of its length. */
static void inside_out(mpm_case *c, double *z)
{
    (void)z;
    block(c, PIO_HYPER_NEO_HOOKEAN, 1e4, 0.3, 0, 0);
    case_body b = {.law = PIO_HYPER_NEO_HOOKEAN, .parameters = {1e4, 0.3, 0}, .density = 1000};
    const double x[3] = {2.42, 2.01, 0.85};
    b.spin[0][0] = -1.1 / c->desc.dt;
    memcpy(b.centre, x, sizeof x);
    case_particle(c, &b, x, 1e-4);
}

/* Two blocks meet head on, each at 0.8 of a cell a step, with a limit that allows it. */
static void crushed(mpm_case *c, double *z)
{
    (void)z;
    case_init(c, 30, 24, 15, 0.1, 1e-3, 40);
    c->desc.cfl = 0.95;
    case_body one = {.law = PIO_HYPER_NEO_HOOKEAN, .parameters = {1e4, 0.3}, .density = 1000, .velocity = {80, 0, 0}},
              two = one;
    const double hi1[3] = {1.3, hi[1], hi[2]}, lo2[3] = {1.6, lo[1], lo[2]}, hi2[3] = {2.4, hi[1], hi[2]};
    two.velocity[0] = -80;
    case_block(c, &one, lo, hi1, 2, 0);
    case_block(c, &two, lo2, hi2, 2, 0);
}

static void out_of_the_grid(mpm_case *c, double *z)
{
    (void)z;
    block(c, PIO_TAIT, 1e4, 7, 1, -30);
}

static void placed_outside(mpm_case *c, double *z)
{
    block(c, PIO_HYPER_NEO_HOOKEAN, 1e4, 0.3, 0, 0);
    case_design(c, PIO_POSITION, 0, CASE_SCALAR, 0, 0, 1);
    z[1] = 1.5;
}

static void too_stiff(mpm_case *c, double *z)
{
    (void)z;
    block(c, PIO_HYPER_NEO_HOOKEAN, 1e4, 0.3, 0, 0);
    c->parameters[PIO_LAW_CONSTANTS * 5] = 1e8; /* particle 5: c = 366.9 m/s, 3.669 cells a step */
    c->parameters[PIO_LAW_CONSTANTS * 6] = 1e9;
}

static void too_stiff_fluid(mpm_case *c, double *z)
{
    block(c, PIO_LINEAR_FLUID, 1e4, 1, 1, 0);
    case_design(c, PIO_LAW_PARAMETER_0, 0, CASE_EACH, 1, 9, 1);
    z[3] = 12;
}

static void too_viscous(mpm_case *c, double *z)
{
    (void)z;
    block(c, PIO_TAIT, 1e4, 7, 1, 0);
    c->parameters[PIO_LAW_CONSTANTS * 4 + 2] = 5000;
}

static void young_negative(mpm_case *c, double *z)
{
    block(c, PIO_HYPER_NEO_HOOKEAN, 1e4, 0.3, 0, 0);
    case_design(c, PIO_LAW_PARAMETER_0, 0, CASE_EACH, 0, 1e4, 1e4);
    z[7] = -1.5;
}

static void poisson_too_large(mpm_case *c, double *z)
{
    (void)z;
    block(c, PIO_HYPER_FIXED_COROTATED, 1e4, 0.3, 0, 0);
    c->parameters[PIO_LAW_CONSTANTS * 11 + 1] = 0.55;
}

static void poisson_one_half(mpm_case *c, double *z)
{
    (void)z;
    block(c, PIO_HYPER_NEO_HOOKEAN, 1e4, 0.3, 0, 0);
    c->parameters[PIO_LAW_CONSTANTS * 1 + 1] = 0.5; /* lambda is infinite */
}

static void density_zero(mpm_case *c, double *z)
{
    block(c, PIO_LINEAR_FLUID, 1e4, 1, 1, 0);
    case_design(c, PIO_DENSITY, 0, CASE_EACH, 0, 1000, 1000);
    z[2] = -1;
}

static void viscosity_negative(mpm_case *c, double *z)
{
    (void)z;
    block(c, PIO_TAIT, 1e4, 7, 1, 0);
    c->parameters[PIO_LAW_CONSTANTS * 8 + 2] = -1;
}

static void gamma_zero(mpm_case *c, double *z)
{
    block(c, PIO_TAIT, 1e4, 7, 1, 0);
    case_design(c, PIO_LAW_PARAMETER_1, 0, CASE_EACH, 0, 7, 7);
    z[10] = -1;
}

static const fault_case faults[] = {
    {"faster than the CFL limit",
     too_fast,
     {"step 16 (t = 0.017 s)", "particle 0 at (", "0.51 cells in one step", "limit = 0.5"},
     0,
     PIOLA_FAILED_CFL},
    {"very much faster",
     far_too_fast,
     {"step 0 (", "particle 0 at (", "velocity (300000, ", "3000 cells"},
     0,
     PIOLA_FAILED_CFL},
    {"not a number", not_a_number, {"step 0 (", "particle ", "nan", "not finite"}, 0, PIOLA_FAILED_NOT_FINITE},
    {"infinite", infinite, {"step 0 (", "particle ", "not finite", ""}, 0, PIOLA_FAILED_NOT_FINITE},
    {"inverted", inside_out, {"step 0 (", "at (2.42, 2.01", "inverted", "det F = -0.1;"}, 0, PIOLA_FAILED_INVERTED},
    {"crushed", crushed, {"step ", "particle ", "inverted", "det F = -"}, 0, PIOLA_FAILED_INVERTED},
    {"out of the grid",
     out_of_the_grid,
     {"step ", "particle ", "left the grid", "velocity (-30"},
     0,
     PIOLA_FAILED_LEFT_GRID},
    {"placed outside",
     placed_outside,
     {"step 0, particle ", "initial position", "outside the grid", ""},
     1,
     PIOLA_FAILED_START_OUTSIDE},
    {"wave CFL",
     too_stiff,
     {"step 0, particle 5 at (", "366.9 m/s", "3.669 cells", "0.0001363 s"},
     1,
     PIOLA_FAILED_TIME_STEP},
    {"wave CFL of a fluid",
     too_stiff_fluid,
     {"step 0, particle 3 at (", "m/s", "cells", "would be right"},
     1,
     PIOLA_FAILED_TIME_STEP},
    {"viscous limit",
     too_viscous,
     {"step 0, particle 4 at (", "viscosity 5000 Pa s", "density 1000", "needs a time step"},
     1,
     PIOLA_FAILED_TIME_STEP},
    {"Young's modulus negative",
     young_negative,
     {"step 0, particle 7 at (", "(-5000, 0.3)", "1000 kg/m3", "outside"},
     1,
     PIOLA_FAILED_CONSTANTS},
    {"Poisson's ratio too large",
     poisson_too_large,
     {"step 0, particle 11 at (", "(10000, 0.55)", "nu < 1/2", ""},
     1,
     PIOLA_FAILED_CONSTANTS},
    {"Poisson's ratio 1/2",
     poisson_one_half,
     {"step 0, particle 1 at (", "(10000, 0.5)", "nu < 1/2", ""},
     1,
     PIOLA_FAILED_CONSTANTS},
    {"density zero",
     density_zero,
     {"step 0, particle 2 at (", "density 0 kg/m3", "must be positive", ""},
     1,
     PIOLA_FAILED_CONSTANTS},
    {"viscosity negative",
     viscosity_negative,
     {"step 0, particle 8 at (", "(10000, 7, -1)", "not negative", ""},
     1,
     PIOLA_FAILED_CONSTANTS},
    {"gamma zero",
     gamma_zero,
     {"step 0, particle 10 at (", "(10000, 0, 1)", "gamma must be positive", ""},
     1,
     PIOLA_FAILED_CONSTANTS},
};
enum { FAULTS = sizeof faults / sizeof *faults };

/* Run the case far beyond its fault; the message goes to *error. */
static piola_status run_into(const fault_case *f, int threads, piola_error *error)
{
    static mpm_case c;
    static double z[CASE_VARIABLES];
    memset(z, 0, sizeof z);
    f->set_up(&c, z);
    const int o = case_observe(&c, PIO_MEAN_POSITION, 0, 1);
    for (int64_t s = 0; s <= 40; s += 2) case_sample(&c, o, s, 0, 1);
    pio_sim *sim = fenced_create(&c, threads);
    piola_error other;
    if (piola_engine.start(sim, z, &other)) fail_msg("start: %s", other.message);
    const uint64_t before = constants_hash(sim);
    piola_status rc = piola_engine.check(sim, error);
    if (f->before != (rc != PIOLA_OK)) fail_msg("%s: after start: %s", f->name, rc ? error->message : "no fault");
    if (!f->before) {
        /* found in the same words at once and long after */
        if (piola_engine.advance(sim, 40, &other)) fail_msg("advance: %s", other.message);
        rc = piola_engine.check(sim, error);
        if (piola_engine.advance(sim, 7, &other)) fail_msg("advance: %s", other.message);
        assert_int_equal(piola_engine.check(sim, &other), rc);
        assert_string_equal(other.message, error->message);
        assert_state_is_whole(sim);
    }
    assert_true(constants_hash(sim) == before);
    /* and the simulation can be started again */
    if (c.variables > 0) {
        memset(z, 0, sizeof z);
        if (piola_engine.start(sim, z, &other) || piola_engine.check(sim, &other))
            fail_msg("%s: not to be started again: %s", f->name, other.message);
    }
    piola_engine.destroy(sim);
    case_free(&c);
    return rc;
}

static void every_fault_names_step_particle_and_value_for_any_number_of_threads(void **unused)
{
    static const int threads[] = {1, 3, 8};
    (void)unused;
    for (int i = 0; i < FAULTS; i++) {
        piola_error first, error;
        for (int t = 0; t < 3; t++) {
            const piola_status rc = run_into(&faults[i], threads[t], t ? &error : &first);
            if (t == 0) print_message("  %s: %s\n", faults[i].name, rc ? first.message : "NO FAULT");
            assert_int_equal(rc, PIOLA_NUMERICAL);
            if (t > 0) assert_string_equal(error.message, first.message);
            assert_int_equal((t ? &error : &first)->status, PIOLA_NUMERICAL);
            const piola_failure *failure = &(t ? &error : &first)->failure;
            int particle = -1, step = -1;
            assert_non_null(strstr(first.message, "particle "));
            sscanf(strstr(first.message, "particle "), "particle %d", &particle);
            sscanf(first.message, "step %d", &step);
            assert_int_equal(failure->kind, faults[i].kind);
            assert_int_equal(failure->of, PIOLA_FAILED_PARTICLE);
            assert_int_equal(failure->item, particle); /* as the words say */
            assert_int_equal(failure->step, step);
            for (int k = 0; k < 4 && t == 0 && faults[i].expected[k]; k++)
                if (!strstr(first.message, faults[i].expected[k]))
                    fail_msg("%s: '%s' is not in: %s", faults[i].name, faults[i].expected[k], first.message);
        }
    }
}

/* Those of particles, and those that meshes have too. */
static void every_kind_of_failure_has_a_case(void **unused)
{
    (void)unused;
    for (int kind = PIOLA_FAILED_CONSTANTS; kind <= PIOLA_FAILED_CFL; kind++) {
        int cases = 0;
        if (kind > PIOLA_FAILED_INVERTED && kind < PIOLA_FAILED_START_OUTSIDE) continue;
        for (int i = 0; i < FAULTS; i++) cases += (int)faults[i].kind == kind;
        if (!cases) fail_msg("no case of failure number %d", kind);
    }
}

static void a_run_without_faults_reports_none(void **unused)
{
    static mpm_case c;
    piola_error error;
    (void)unused;
    block(&c, PIO_HYPER_NEO_HOOKEAN, 1e4, 0.3, 0, 1);
    pio_sim *sim = fenced_create(&c, 2);
    assert_int_equal(piola_engine.start(sim, NULL, &error), PIOLA_OK);
    const uint64_t before = constants_hash(sim);
    assert_int_equal(piola_engine.check(sim, &error), PIOLA_OK);
    assert_int_equal(piola_engine.advance(sim, 40, &error), PIOLA_OK);
    assert_int_equal(piola_engine.check(sim, &error), PIOLA_OK);
    assert_true(constants_hash(sim) == before);
    assert_state_is_whole(sim);
    piola_engine.destroy(sim);
    case_free(&c);
}

/* The driver ends with the same status, whether it runs forward only or for a gradient. */
static void a_gradient_ends_with_the_fault_of_its_forward_run(void **unused)
{
    static mpm_case c;
    piola_error forward, gradient;
    double samples[16] = {0}, z_bar[1];
    pio_sweep_result result;
    const pio_sweep sweep = {0};
    const pio_sweep_arrays arrays = {.samples = samples, .z_bar = z_bar};
    (void)unused;
    too_fast(&c, NULL);
    pio_sim *sim = case_create(&c, 40, 1);
    pio_schedule all = pio_schedule_store_all(40, 1);
    assert_int_equal(pio_forward(&piola_engine, sim, 40, &arrays, &sweep, &result, &forward), PIOLA_NUMERICAL);
    assert_int_equal(pio_gradient(&piola_engine, sim, &all, &arrays, &sweep, &result, &gradient), PIOLA_NUMERICAL);
    assert_string_equal(forward.message, gradient.message);
    piola_engine.destroy(sim);
    case_free(&c);
}

static void descriptions_that_cannot_be_are_refused(void **unused)
{
    static mpm_case c;
    piola_error error;
    pio_sim *sim = NULL;
    pio_engine_bytes bytes;
    (void)unused;
    block(&c, PIO_HYPER_NEO_HOOKEAN, 1e4, 0.3, 0, 0);
    piola_engine.destroy(case_create(&c, 0, 1)); /* right as it is */
    c.position[D * 3] = 99;
    assert_int_equal(piola_engine.create(&c.desc, &sim, &bytes, &error), PIOLA_BAD_DATA);
    print_message("  %s\n", error.message);
    assert_non_null(strstr(error.message, "particle 3 at (99"));
    assert_null(sim);
    c.position[D * 3] = NAN;
    assert_int_equal(piola_engine.create(&c.desc, &sim, &bytes, &error), PIOLA_BAD_DATA);
    c.position[D * 3] = 0.6;
    c.desc.grid.nodes[1] = 4;
    assert_int_equal(piola_engine.create(&c.desc, &sim, &bytes, &error), PIOLA_BAD_DATA);
    print_message("  %s\n", error.message);
    c.desc.grid.nodes[1] = 14;
    c.desc.particles.n = 0;
    assert_int_equal(piola_engine.create(&c.desc, &sim, &bytes, &error), PIOLA_BAD_DATA);
    c.desc.particles.n = c.n;
    c.desc.steps = -1;
    assert_int_equal(piola_engine.create(&c.desc, &sim, &bytes, &error), PIOLA_BAD_DATA);
    c.desc.steps = 40;
    c.desc.size -= 4;
    assert_int_equal(piola_engine.create(&c.desc, &sim, &bytes, &error), PIOLA_INTERNAL);
    c.desc.size += 4;
    c.desc.slots = (int64_t)1 << 24; /* terabytes */
    assert_int_equal(piola_engine.create(&c.desc, &sim, &bytes, &error), PIOLA_NO_MEMORY);
    print_message("  %s\n", error.message);
    assert_non_null(strstr(error.message, "bytes of device memory"));
    case_free(&c);
}

/* ---- the guard ------------------------------------------------------------------------------------------- */

typedef enum { THROUGH_THE_ENGINE, DIRECTLY, WHILE_OPEN, PAST_THE_END } access_kind;

/* In a child of its own, with PIOLA_GUARD set or not: how reading the velocities ends (a wait status). */
static int read_in_a_child(access_kind kind, const char *guard)
{
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        mpm_case c;
        piola_error error;
        signal(SIGSEGV, SIG_DFL); /* a sanitizer would catch it */
        const int silent = open("/dev/null", O_WRONLY);
        if (silent >= 0) dup2(silent, 2);
        setenv("PIOLA_GUARD", guard, 1);
        block(&c, PIO_HYPER_NEO_HOOKEAN, 1e4, 0.3, 0, 1);
        pio_sim *sim = kind == PAST_THE_END ? fenced_create(&c, 1) : case_create(&c, 0, 1);
        if (piola_engine.start(sim, NULL, &error) || piola_engine.advance(sim, 3, &error)) _exit(3);
        volatile real value = 0;
        if (kind == THROUGH_THE_ENGINE) {
            double *v = case_read(sim, "velocity", c.n);
            value = (real)v[0];
            free(v);
        } else if (kind == PAST_THE_END) {
            value = *(volatile real *)(sim->arena.base + sim->arena.size);
        } else {
            if (kind == WHILE_OPEN) pio_arena_open(&sim->arena);
            value = *(volatile real *)mpm_of(sim)->particles.state[mpm_of(sim)->particles.current].velocity;
            if (kind == WHILE_OPEN) pio_arena_close(&sim->arena);
        }
        _exit(value > R(0.5) && value < R(1.5) ? 0 : 4);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static int died_of_segv(int status)
{
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
}
static int ended_well(int status)
{
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Runs first: a process that has had a team of threads cannot start another after a fork. */
static void a_host_access_to_device_memory_faults_under_the_guard(void **unused)
{
    (void)unused;
    assert_true(ended_well(read_in_a_child(THROUGH_THE_ENGINE, "1")));
    assert_true(died_of_segv(read_in_a_child(DIRECTLY, "1")));
    assert_true(ended_well(read_in_a_child(WHILE_OPEN, "1")));
    assert_true(ended_well(read_in_a_child(DIRECTLY, "0")));       /* without the guard it goes unnoticed on a CPU */
    assert_true(died_of_segv(read_in_a_child(PAST_THE_END, "0"))); /* and the fence of this test holds */
    print_message("  guarded: engine reads, host dies by SIGSEGV; unguarded: host reads; fence: dies by SIGSEGV\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_host_access_to_device_memory_faults_under_the_guard),
        cmocka_unit_test(every_fault_names_step_particle_and_value_for_any_number_of_threads),
        cmocka_unit_test(every_kind_of_failure_has_a_case),
        cmocka_unit_test(a_run_without_faults_reports_none),
        cmocka_unit_test(a_gradient_ends_with_the_fault_of_its_forward_run),
        cmocka_unit_test(descriptions_that_cannot_be_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
