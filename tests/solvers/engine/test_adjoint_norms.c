/* test_adjoint_norms.c -- are the norms those of the cotangents that can be read, and is the step that a failure names
 * the first whose cotangents are too large for one? */
#include "tests/solvers/fem/fem_case.h"
#include "tests/solvers/mpm/mpm_case.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { STEPS = 40, SAMPLES = 64, MIDDLE = 25 };

/* J = sum of linear_k times sample k, and how a gradient of it went. */
typedef struct {
    sample_terms terms; /* first: the objective's context */
    const pio_engine *engine;
    pio_engine_desc *desc;
    pio_sim *sim;
    int samples;
    double linear[SAMPLES], z[SAMPLES];
    pio_adjoint_norm read[STEPS + 1]; /* what frames showed */
} subject;

static double root_of_squares(pio_sim *sim, const pio_engine *engine, const char *field)
{
    const int64_t n = engine->items(sim, field) * engine->components(sim, field);
    double *values = malloc(sizeof *values * (size_t)(n + 1)), sum = 0;
    piola_error error;
    assert_non_null(values);
    if (engine->read(sim, field, values, &error)) fail_msg("%s: %s", field, error.message);
    for (int64_t i = 0; i < n; i++) sum += values[i] * values[i];
    free(values);
    return sqrt(sum);
}

static piola_status on_adjoint(void *context, int64_t frame, int64_t step, piola_error *error)
{
    subject *s = context;
    const int fem = s->desc->fem != NULL;
    (void)error;
    assert_int_equal(frame, step);
    s->read[step].position[1] = root_of_squares(s->sim, s->engine, fem ? "adj_displacement" : "adj_position");
    s->read[step].velocity[1] = root_of_squares(s->sim, s->engine, "adj_velocity");
    s->read[step].speed = root_of_squares(s->sim, s->engine, "velocity");
    if (fem) s->read[step].place = root_of_squares(s->sim, s->engine, "displacement");
    return PIOLA_OK;
}

/* All states kept; frames of every state. The simulation stays. */
static piola_status adjoint_sweep(subject *s, int frames, piola_error *error)
{
    int64_t number[STEPS + 1];
    double samples[2 * SAMPLES];
    pio_schedule all = pio_schedule_window(pio_schedule_store_all(STEPS - s->desc->first, 1), s->desc->first);
    pio_engine_bytes bytes;
    pio_sweep_result result;
    for (int64_t k = 0; k <= STEPS; k++) number[k] = k;
    const pio_sweep sweep = {.context = s,
                             .frames = number,
                             .n_frames = frames ? STEPS + 1 : 0,
                             .on_adjoint = on_adjoint,
                             .objective = sample_terms_objective};
    s->desc->slots = all.slots;
    s->terms = (sample_terms){s->samples, s->linear, NULL};
    if (s->engine->create(s->desc, &s->sim, &bytes, error)) fail_msg("create: %s", error->message);
    return pio_gradient(s->engine, s->sim, &all,
                        &(pio_sweep_arrays){.z = s->z, .samples = samples, .n_samples = s->samples}, &sweep, &result,
                        error);
}

static void near(const char *what, double worst, double limit)
{
    print_message("  %-72s %.2g (limit %.2g)\n", what, worst, limit);
    if (!(worst <= limit)) fail_msg("%s: %g", what, worst);
}

static double off(double measured, double right)
{
    return fabs(measured - right) / (fabs(right) > 0 ? fabs(right) : 1);
}

/* Norms of a sweep whose frames were read; they are left in `norms`. */
static void compare_with_frames(const subject *s, pio_adjoint_norm norms[STEPS + 1], const char *name)
{
    char what[120];
    double worst = 0, largest = 0;
    assert_int_equal(s->engine->adjoint_norms(s->sim, NULL), STEPS + 1);
    assert_int_equal(s->engine->adjoint_norms(s->sim, norms), STEPS + 1);
    for (int64_t k = 0; k <= STEPS; k++) {
        const pio_adjoint_norm *n = &norms[k], *r = &s->read[k];
        assert_int_equal(n->step, k);
        worst = fmax(worst, off(n->position[1], r->position[1]));
        worst = fmax(worst, off(n->velocity[1], r->velocity[1]));
        worst = fmax(worst, off(n->speed, r->speed));
        if (s->desc->fem) worst = fmax(worst, off(n->place, r->place));
        largest = fmax(largest, n->velocity[1]);
    }
    snprintf(what, sizeof what, "%s: norms against those of the fields, relative", name);
    near(what, worst, case_is_f32() ? 1e-6 : 1e-13);
    assert_true(largest > 0);
}

/* What arrives at state `at`, which the last sample observes, is what it has where it is not: of J without that
 * sample. */
static void compare_arrivals(subject *s, const pio_adjoint_norm *norms, int64_t at, const char *name)
{
    static pio_adjoint_norm without[STEPS + 1];
    piola_error error;
    char what[120];
    double worst = 0;
    s->linear[s->samples - 1] = 0;
    assert_int_equal(adjoint_sweep(s, 0, &error), PIOLA_OK);
    s->engine->adjoint_norms(s->sim, without);
    s->engine->destroy(s->sim);
    worst =
        fmax(off(norms[at].position[0], without[at].position[1]), off(norms[at].velocity[0], without[at].velocity[1]));
    snprintf(what, sizeof what, "%s: what arrives at an observed state, relative", name);
    near(what, worst, case_is_f32() ? 1e-6 : 1e-13);
    worst =
        fmax(off(norms[at].position[1], without[at].position[1]), off(norms[at].velocity[1], without[at].velocity[1]));
    print_message("  control: with the source %.2g (over 1e-3)\n", worst);
    assert_true(worst > 1e-3);
}

static subject subject_of(const pio_engine *engine, pio_engine_desc *desc, int samples)
{
    subject s = {.engine = engine, .desc = desc, .samples = samples};
    assert_true(samples <= SAMPLES);
    for (int k = 0; k < samples; k++) s.linear[k] = 1 + 0.3 * sin(k);
    return s;
}

/* A block that falls on the floor; observed in the middle of the run (the last sample, between two states or not) and
 * at its end. */
static subject falling(mpm_case *c, double past)
{
    const case_body body = {
        .law = PIO_HYPER_NEO_HOOKEAN, .parameters = {4e4, 0.3}, .density = 1000, .velocity = {0.5, -3, 0.2}};
    const double lo[3] = {0.5, 0.21, 0.5}, hi[3] = {0.9, 0.5, 0.8};
    case_init(c, 16, 14, 14, 0.1, 2e-3, STEPS);
    case_wall(c, 1, 0, PIO_WALL_SLIP, 2);
    c->desc.gravity[1] = -9.81;
    case_block(c, &body, lo, hi, 2, 0.3);
    const int x = case_observe(c, PIO_MEAN_POSITION, 0, 1), d = case_observe_distance(c, 0, 1, 0.3);
    case_sample(c, x, STEPS, 0, 1);
    case_sample(c, d, past > 0 ? MIDDLE + 1 : MIDDLE, 0, 10)->past = past;
    piola_engine.destroy(case_create(c, 0, 1)); /* fills the description */
    return subject_of(&piola_engine, &c->desc, c->samples);
}

static void norms_of_particles_are_those_of_their_cotangents(void **unused)
{
    static pio_adjoint_norm norms[STEPS + 1];
    (void)unused;
    for (int k = 0; k < 2; k++) {
        static mpm_case c;
        piola_error error;
        subject s = falling(&c, k ? 0.4 : 0);
        if (adjoint_sweep(&s, 1, &error)) fail_msg("%s", error.message);
        if (k) /* frames show a state before what is observed between it and the one before */
            s.engine->adjoint_norms(s.sim, norms);
        else
            compare_with_frames(&s, norms, "particles");
        s.engine->destroy(s.sim);
        compare_arrivals(&s, norms, k ? MIDDLE + 1 : MIDDLE, k ? "particles, between states" : "particles");
        case_free(&c);
    }
}

static void norms_of_meshes_are_those_of_their_cotangents(void **unused)
{
    static const pio_integrator integrators[] = {PIO_BACKWARD_EULER, PIO_LEAPFROG};
    static const char *const names[] = {"backward Euler", "leapfrog"};
    static pio_adjoint_norm norms[STEPS + 1];
    const pio_element_type box = FEM_DIM == 2 ? PIO_QUAD4 : PIO_HEX8;
    (void)unused;
    for (int k = 0; k < 2; k++) {
        const fem_material m = fem_material_of(PIO_HYPER_NEO_HOOKEAN, 1000);
        static fem_case c;
        piola_error error;
        fem_case_begin(&c, 1e-3, STEPS);
        fem_case_grid(&c, (fem_grid){box, box, {2, 3, 1}, NULL, 0.2});
        fem_case_matter(&c, &m, 1, 0.8);
        c.desc.gravity[1] = -9.81;
        fem_case_motion(&c, integrators[k], 1, 0, 0); /* constrained nowhere: frames show the cotangents as they are */
        for (int i = 0; i < c.n * FEM_DIM; i++) c.initial_velocity[i] = 0.5 * fem_case_random(&c);
        fem_case_sample(&c, fem_case_observe(&c, PIO_DISPLACEMENT, 1), STEPS, 0, 1);
        fem_case_sample(&c, fem_case_observe(&c, PIO_KINETIC_ENERGY, 1), MIDDLE, 0, 1);
        fem_case_describe(&c, 0, 1);
        subject s = subject_of(&piola_engine_fem, &c.desc, c.samples);
        if (adjoint_sweep(&s, 1, &error)) fail_msg("%s", error.message);
        compare_with_frames(&s, norms, names[k]);
        s.engine->destroy(s.sim);
        compare_arrivals(&s, norms, MIDDLE, names[k]);
        fem_case_free(&c);
    }
}

/* ---- too large ------------------------------------------------------------------------------------------------ */

/* One particle in free fall, or one mesh, whose mean velocity is observed in every state: cotangents grow by `weight`
 * in each. */
static subject observed_always(mpm_case *c, fem_case *mesh, double weight)
{
    const case_body body = {.law = PIO_HYPER_NEO_HOOKEAN, .parameters = {4e4, 0.3}, .density = 1000};
    const double x[3] = {0.75, 0.75, 0.75};
    subject s;
    if (c) {
        case_init(c, 16, 16, 16, 0.1, 1e-3, STEPS);
        case_particle(c, &body, x, 1e-3);
        const int v = case_observe(c, PIO_MEAN_VELOCITY, 0, 1);
        for (int64_t k = 0; k <= STEPS; k++) case_sample(c, v, k, 0, 1);
        piola_engine.destroy(case_create(c, 0, 1));
        s = subject_of(&piola_engine, &c->desc, c->samples);
    } else {
        const pio_element_type box = FEM_DIM == 2 ? PIO_QUAD4 : PIO_HEX8;
        const fem_material m = fem_material_of(PIO_HYPER_NEO_HOOKEAN, 1e-3);
        fem_case_begin(mesh, 1e-3, STEPS);
        fem_case_grid(mesh, (fem_grid){box, box, {1, 1, 1}, NULL, 0});
        fem_case_matter(mesh, &m, 1, 0.8);
        fem_case_motion(mesh, PIO_LEAPFROG, 1, 0, 0);
        const int v = fem_case_observe(mesh, PIO_MEAN_VELOCITY, 1);
        for (int64_t k = 0; k <= STEPS; k++) fem_case_sample(mesh, v, k, 0, 1);
        fem_case_describe(mesh, 0, 1);
        s = subject_of(&piola_engine_fem, &mesh->desc, mesh->samples);
    }
    for (int k = 0; k < s.samples; k++) s.linear[k] = weight;
    return s;
}

/* The first state, going back, with a sum of squares that is not finite; -1: none. Step by step, with no driver. */
static int64_t first_too_large(subject *s)
{
    pio_engine_bytes bytes;
    piola_error error;
    double bar[SAMPLES];
    int64_t found = -1;
    s->desc->slots = STEPS;
    assert_int_equal(s->engine->create(s->desc, &s->sim, &bytes, &error), PIOLA_OK);
    assert_int_equal(s->engine->start(s->sim, s->z, &error), PIOLA_OK);
    for (int64_t k = 0; k < STEPS; k++) {
        assert_int_equal(s->engine->save(s->sim, k, &error), PIOLA_OK);
        assert_int_equal(s->engine->advance(s->sim, 1, &error), PIOLA_OK);
    }
    memcpy(bar, s->linear, sizeof bar);
    assert_int_equal(s->engine->adjoint_begin(s->sim, bar, &error), PIOLA_OK);
    for (int64_t k = STEPS - 1; k >= 0 && found < 0; k--) {
        assert_int_equal(s->engine->load(s->sim, k, &error), PIOLA_OK);
        assert_int_equal(s->engine->adjoint_step(s->sim, &error), PIOLA_OK);
        const double x = root_of_squares(s->sim, s->engine, s->desc->fem ? "adj_displacement" : "adj_position");
        if (!isfinite(x) || !isfinite(root_of_squares(s->sim, s->engine, "adj_velocity"))) found = k;
    }
    s->engine->destroy(s->sim);
    return found;
}

static void a_failure_names_the_first_step_whose_cotangents_overflow(void **unused)
{
    const double weight = case_is_f32() ? 3e37 : 1.2e153;
    (void)unused;
    for (int fem = 0; fem < 2; fem++) {
        static mpm_case c;
        static fem_case mesh;
        piola_error error = {0};
        subject s = observed_always(fem ? NULL : &c, &mesh, weight);
        const int64_t right = first_too_large(&s);
        assert_int_equal(adjoint_sweep(&s, 0, &error), PIOLA_NUMERICAL);
        s.engine->destroy(s.sim);
        print_message("  %s\n  step %d, found step by step: %d\n", error.message, (int)error.failure.step, (int)right);
        assert_true(right > 0 && right < STEPS - 1);
        assert_int_equal(error.failure.kind, PIOLA_FAILED_GRADIENT);
        assert_int_equal(error.failure.step, right);
        assert_non_null(strstr(error.message, "gradient.window"));
        s.desc->first = right + 1; /* the longest window that the message names */
        assert_int_equal(adjoint_sweep(&s, 0, &error), PIOLA_OK);
        s.engine->destroy(s.sim);
        s.desc->first = right - 1; /* what is observed of the state at a window's beginning is outside */
        assert_int_equal(adjoint_sweep(&s, 0, &error), PIOLA_NUMERICAL);
        s.engine->destroy(s.sim);
        s.desc->first = 0;
        for (int k = 0; k < s.samples; k++) s.linear[k] = weight / STEPS; /* control */
        assert_int_equal(adjoint_sweep(&s, 0, &error), PIOLA_OK);
        assert_int_equal(s.engine->check_adjoint(s.sim, &error), PIOLA_OK);
        s.engine->destroy(s.sim);
        fem ? fem_case_free(&mesh) : case_free(&c);
    }
}

static void of_a_long_run_some_thousands_are_kept_and_the_step_is_bracketed(void **unused)
{
    static mpm_case c;
    const case_body body = {.law = PIO_HYPER_NEO_HOOKEAN, .parameters = {4e4, 0.3}, .density = 1000};
    const double x[3] = {0.75, 0.75, 0.75};
    (void)unused;
    case_init(&c, 16, 16, 16, 0.1, 1e-5, 10000);
    case_particle(&c, &body, x, 1e-3);
    const int v = case_observe(&c, PIO_MEAN_VELOCITY, 0, 1);
    case_sample(&c, v, 10000, 0, 1);
    case_sample(&c, v, 777, 0, 1);
    pio_sim *sim = case_create(&c, 0, 1);
    const int64_t n = piola_engine.adjoint_norms(sim, NULL);
    print_message("  10000 steps: %d norms\n", (int)n);
    assert_true(n > 1000 && n <= 2050);
    piola_engine.destroy(sim);
    c.desc.adjoint = 0;
    sim = case_create(&c, 0, 1);
    assert_int_equal(piola_engine.adjoint_norms(sim, NULL), 0);
    piola_engine.destroy(sim);
    case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(norms_of_particles_are_those_of_their_cotangents),
        cmocka_unit_test(norms_of_meshes_are_those_of_their_cotangents),
        cmocka_unit_test(a_failure_names_the_first_step_whose_cotangents_overflow),
        cmocka_unit_test(of_a_long_run_some_thousands_are_kept_and_the_step_is_bracketed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
