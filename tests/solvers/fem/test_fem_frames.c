/* test_fem_frames.c -- is what frames of the adjoint hold the derivative of J with respect to the state at that time?
 *
 * A motion that begins anew at a frame, with its displacement and velocity, ends as the whole one did: the gradient of
 * its start, and differences of J, must be the adjoint at the frame. BDF2 remembers the state before, so there the
 * running simulation's own displacement and velocity are changed. Forces: sum over frames of adj_force . force is what
 * J gains when the load's value is scaled. */
#include "solvers/fem/fem.h"
#include "tests/solvers/fem/fem_case.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { D = FEM_DIM, STEPS = 5, MOST = 512, DIRECTIONS = 3 };

static const char *const names[] = {"static", "backward Euler", "BDF2", "Newmark", "leapfrog"};

/* What an adjoint sweep showed at state k. */
typedef struct {
    double u[MOST], v[MOST], adj_u[MOST], adj_v[MOST], adj_f[MOST], f[MOST];
} frame;

typedef struct {
    sample_terms terms; /* first: the objective's context */
    fem_case *c;
    pio_sim *sim;
    frame at[STEPS + 1];
    int shown, passed; /* frames */
    double J, samples[2 * FEM_SAMPLES], z_bar[FEM_VARIABLES];
} adjoint_sweep;

static void take(const adjoint_sweep *s, const char *field, double *out)
{
    if (!piola_engine_fem.components(s->sim, field)) return;
    double *values = fem_case_read(s->sim, field);
    assert_true(s->c->n * D <= MOST);
    memcpy(out, values, sizeof *out * (size_t)(s->c->n * D));
    free(values);
}

static piola_status on_state(void *context, int64_t k, int64_t step, piola_error *error)
{
    adjoint_sweep *s = context;
    (void)error;
    assert_int_equal(k, step);
    take(s, "displacement", s->at[k].u);
    take(s, "velocity", s->at[k].v);
    take(s, "external_force", s->at[k].f);
    return PIOLA_OK;
}

static piola_status on_adjoint(void *context, int64_t k, int64_t step, piola_error *error)
{
    adjoint_sweep *s = context;
    (void)error;
    assert_int_equal(k, step);
    s->shown++;
    take(s, "adj_displacement", s->at[k].adj_u);
    take(s, "adj_velocity", s->at[k].adj_v);
    return PIOLA_OK;
}

static piola_status on_passed(void *context, int64_t k, int64_t step, piola_error *error)
{
    adjoint_sweep *s = context;
    (void)error;
    assert_int_equal(k, step);
    s->passed++;
    take(s, "adj_force", s->at[k].adj_f);
    return PIOLA_OK;
}

/* The gradient of `c`, which is created here and stays, with all frames or without. */
static void sweep(adjoint_sweep *s, fem_case *c, const double *z, int frames)
{
    static const int64_t number[] = {0, 1, 2, 3, 4, 5};
    pio_schedule all = pio_schedule_store_all(c->desc.steps, 1);
    pio_sweep_result result;
    piola_error error;
    memset(s, 0, sizeof *s);
    s->terms = fem_case_terms(c);
    s->c = c;
    s->sim = fem_case_create(c, c->desc.steps, 1);
    const pio_sweep how = {.context = s,
                           .frames = number,
                           .n_frames = frames ? c->desc.steps + 1 : 0,
                           .on_state = on_state,
                           .on_adjoint = on_adjoint,
                           .on_passed = on_passed,
                           .objective = sample_terms_objective};
    if (pio_gradient(&piola_engine_fem, s->sim, &all,
                     &(pio_sweep_arrays){.z = z, .samples = s->samples, .n_samples = c->samples, .z_bar = s->z_bar},
                     &how, &result, &error))
        fail_msg("gradient: %s", error.message);
    s->J = result.J;
}

static void end(adjoint_sweep *s)
{
    piola_engine_fem.destroy(s->sim);
    fem_case_free(s->c);
}

/* ---- the body --------------------------------------------------------------------------------------------- */

static void sheared(const double s[3], double x[3])
{
    x[0] = 1.2 * s[0] + 0.2 * s[1];
    x[1] = 0.7 * s[1] + 0.1 * s[0] * s[0];
    x[2] = 0.6 * s[2] + 0.1 * s[1];
}

enum { TRACTION, FOLLOWER, SPRING };

/* From state `first` on, with displacements u and velocities v (NULL: random numbers at the start): two laws, heavy,
 * pulled, constrained at a side, on springs, under a follower pressure; nothing depends on time. */
static void body(fem_case *c, pio_integrator integrator, int follower, int64_t first, const double *u, const double *v)
{
    const pio_element_type even = D == 2 ? PIO_TRI3 : PIO_HEX8, odd = D == 2 ? PIO_QUAD4 : PIO_HEX8;
    fem_material m[2] = {fem_material_of(PIO_HYPER_NEO_HOOKEAN, 1000), fem_material_of(PIO_HYPER_ST_VENANT, 1500)};
    m[0].density = 3, m[1].density = 2;
    fem_case_begin(c, integrator == PIO_LEAPFROG ? 0.0008 : 0.02, STEPS - first);
    c->random = 5;
    fem_case_grid(c, (fem_grid){even, odd, {2, 2, 1}, sheared, 0.15});
    fem_case_matter(c, m, 2, 0.9);
    fem_case_clamp(c, 0, 0);
    fem_case_load(c, PIO_TRACTION, 0, 1, fem_case_value(c, 5, -8, 2), 0);
    if (follower) {
        fem_case_load(c, PIO_FOLLOWER, 1, 1, fem_case_value(c, 6, 0, 0), 0);
        fem_case_springs(c, fem_case_at(c, 2, 2, 0), fem_case_value(c, 40, 30, 20));
        c->desc.gravity[1] = -9.81;
    }
    if (integrator == PIO_STATIC) return;
    fem_case_motion(c, integrator, integrator == PIO_LEAPFROG, 5, 0.001);
    for (int i = 0; i < c->n * D; i++) {
        c->initial_velocity[i] = 0.3 * fem_case_random(c);
        c->initial_displacement[i] = 0.005 * fem_case_random(c);
        if (v) c->initial_velocity[i] = v[i];
        if (u) c->initial_displacement[i] = u[i];
    }
    for (int h = 0; h < c->fem.n_constrained; h++) { /* where a support puts them */
        const int at = c->constrained_node[h] * D + c->constrained_axis[h];
        c->initial_velocity[at] = c->initial_displacement[at] = 0;
    }
}

/* States 2 and the last; those before `first` are gone, with their part of J. */
static void observe(fem_case *c, pio_integrator integrator, int64_t first)
{
    static const pio_observable type[] = {PIO_DISPLACEMENT, PIO_COMPLIANCE, PIO_MEAN_VELOCITY, PIO_KINETIC_ENERGY,
                                          PIO_REACTION};
    for (int k = 0; k < 5; k++) {
        if (integrator == PIO_STATIC && (k == 2 || k == 3)) continue;
        if (integrator == PIO_LEAPFROG && k == 4) continue;
        const int o = fem_case_observe(c, type[k], 2);
        fem_case_sample(c, o, STEPS - first, 0, 1);
        /* backward Euler's and BDF2's acceleration is that of the step before, which a new start has not */
        const int of_now = k < 4 || integrator == PIO_STATIC || integrator == PIO_NEWMARK;
        if (first <= 2 && of_now) fem_case_sample(c, o, 2 - first, 1, 0.5);
    }
}

static double largest(const double *x, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

static double apart(const double *x, const double *y, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i] - y[i]));
    return most / largest(y, n);
}

static double dot(const double *x, const double *y, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

/* ---- motions ---------------------------------------------------------------------------------------------- */

/* J of the motion that begins at state k with u and v. */
static double begun_at(pio_integrator integrator, int64_t k, const double *u, const double *v)
{
    static fem_case c;
    body(&c, integrator, 1, k, u, v);
    observe(&c, integrator, k);
    pio_sim *sim = fem_case_create(&c, 0, 1);
    const double J = fem_case_forward(&c, sim, NULL, NULL);
    piola_engine_fem.destroy(sim);
    fem_case_free(&c);
    return J;
}

/* Central differences of J along directions of displacement and of velocity, against the adjoint: the largest relative
 * error. */
static double differences(pio_integrator integrator, int64_t k, const frame *at, const fem_case *c)
{
    const int n = c->n * D;
    double worst = 0;
    for (int d = 0; d < 2 * DIRECTIONS; d++) {
        const int of_u = d < DIRECTIONS;
        const double e = of_u ? 1e-5 : 1e-3, *bar = of_u ? at->adj_u : at->adj_v;
        double J[2], h[MOST], there[MOST];
        fem_case random = {.random = 3 + (uint64_t)d};
        for (int i = 0; i < n; i++) h[i] = fem_case_random(&random);
        for (int constrained = 0; constrained < c->fem.n_constrained; constrained++)
            h[c->constrained_node[constrained] * D + c->constrained_axis[constrained]] = 0;
        for (int side = 0; side < 2; side++) {
            for (int i = 0; i < n; i++) there[i] = (of_u ? at->u : at->v)[i] + (side ? -e : e) * h[i];
            J[side] = begun_at(integrator, k, of_u ? there : at->u, of_u ? at->v : there);
        }
        worst = fmax(worst, fabs((J[0] - J[1]) / (2 * e) / dot(bar, h, n) - 1));
    }
    return worst;
}

static void the_adjoint_of_a_frame_is_the_gradient_of_a_motion_that_begins_there(void **unused)
{
    static const pio_integrator of[] = {PIO_BACKWARD_EULER, PIO_NEWMARK, PIO_LEAPFROG};
    static adjoint_sweep whole, rest;
    (void)unused;
    for (size_t m = 0; m < sizeof of / sizeof *of; m++) {
        static fem_case c, again;
        char what[96];
        body(&c, of[m], 1, 0, NULL, NULL);
        observe(&c, of[m], 0);
        sweep(&whole, &c, NULL, 1);
        assert_int_equal(whole.shown, STEPS + 1);
        /* 0, 2, 3; of the leapfrog 0, for its first kick is half of one: a motion that begins is no motion that goes
         * on */
        for (int k = 0; k < (of[m] == PIO_LEAPFROG ? 1 : STEPS); k += k == 2 ? 1 : 2) {
            const frame *at = &whole.at[k];
            double u_bar[MOST], v_bar[MOST];
            body(&again, of[m], 1, k, at->u, at->v);
            observe(&again, of[m], k);
            sweep(&rest, &again, NULL, 0);
            take(&rest, "grad_displacement", u_bar);
            take(&rest, "grad_velocity", v_bar);
            snprintf(what, sizeof what, "%s, state %d: adjoint and gradient of a start there, displacement",
                     names[of[m]], k);
            fem_case_below(what, apart(at->adj_u, u_bar, c.n * D), k ? 1e-11 : 1e-15, 0);
            snprintf(what, sizeof what, "%s, state %d: velocity", names[of[m]], k);
            fem_case_below(what, apart(at->adj_v, v_bar, c.n * D), k ? 1e-11 : 1e-15, 0);
            end(&rest);
            const double off = differences(of[m], k, at, &c);
            snprintf(what, sizeof what, "%s, state %d: adjoint and differences of J", names[of[m]], k);
            fem_case_below(what, off, 2e-6, 0);
            frame wrong = *at;
            for (int i = 0; i < c.n * D; i++) wrong.adj_u[i] *= 1.0001;
            assert_true(differences(of[m], k, &wrong, &c) > 5e-5);
        }
        end(&whole);
    }
}

/* J of the whole motion, in which the field `which` of state k gains e h. */
static double pushed(fem_case *c, int which, int64_t k, const double *h, double e)
{
    pio_sim *sim = fem_case_start(c);
    fem_sim *f = fem_of(sim);
    piola_error error;
    double samples[FEM_SAMPLES];
    if (piola_engine_fem.advance(sim, k, &error)) fail_msg("advance: %s", error.message);
    real *field = fem_state(f, f->state.u, which); /* an engine of the CPU */
    for (int i = 0; i < c->n * D; i++) field[i] += (real)(e * h[i]);
    f->forces.external_of = -1; /* external forces may depend on it */
    if (piola_engine_fem.advance(sim, c->desc.steps - k, &error)) fail_msg("advance: %s", error.message);
    if (piola_engine_fem.samples(sim, samples, &error)) fail_msg("samples: %s", error.message);
    const sample_terms terms = fem_case_terms(c);
    piola_engine_fem.destroy(sim);
    return sample_terms_value(&terms, samples, NULL);
}

static void the_adjoint_of_a_frame_is_the_derivative_with_earlier_states_kept(void **unused)
{
    static const pio_integrator of[] = {PIO_BACKWARD_EULER, PIO_BDF2, PIO_LEAPFROG};
    static adjoint_sweep whole;
    (void)unused;
    for (size_t m = 0; m < sizeof of / sizeof *of; m++)
        for (int k = 1; k < STEPS; k += 2) { /* 1, 3: states that are not observed */
            static fem_case c;
            char what[96];
            double h[MOST];
            body(&c, of[m], 1, 0, NULL, NULL);
            observe(&c, of[m], 0);
            for (int i = 0; i < c.n * D; i++) h[i] = fem_case_random(&c);
            for (int i = 0; i < c.fem.n_constrained; i++) h[c.constrained_node[i] * D + c.constrained_axis[i]] = 0;
            sweep(&whole, &c, NULL, 1);
            for (int of_u = 0; of_u < 2; of_u++) {
                const int which = of_u ? STATE_U : STATE_V;
                const double e = of_u ? 1e-5 : 1e-3;
                const double slope = (pushed(&c, which, k, h, e) - pushed(&c, which, k, h, -e)) / (2 * e);
                const frame *at = &whole.at[k];
                snprintf(what, sizeof what, "%s, state %d: adjoint and differences, %s changed", names[of[m]], k,
                         of_u ? "displacement" : "velocity");
                fem_case_below(what, slope / dot(of_u ? at->adj_u : at->adj_v, h, c.n * D) - 1, 2e-6, 0);
                assert_true(fabs(slope / dot(of_u ? at[1].adj_u : at[1].adj_v, h, c.n * D) - 1) > 1e-3);
            }
            end(&whole);
        }
}

static void frames_do_not_change_the_gradient(void **unused)
{
    static adjoint_sweep with, without;
    (void)unused;
    for (pio_integrator i = PIO_STATIC; i <= PIO_LEAPFROG; i++) {
        static fem_case c, d;
        fem_case *const both[] = {&c, &d};
        for (int k = 0; k < 2; k++) {
            body(both[k], i, 1, 0, NULL, NULL);
            observe(both[k], i, 0);
            fem_case_design(both[k], PIO_POSITION, -1, FEM_EACH, fem_linear(0, 0.1), 0);
            fem_case_design(both[k], PIO_LOAD, -1, FEM_SCALAR, fem_linear(6, 2), FOLLOWER);
            fem_case_design_matter(both[k]);
        }
        double *z = calloc((size_t)c.variables, sizeof *z);
        assert_non_null(z);
        sweep(&with, &c, z, 1);
        sweep(&without, &d, z, 0);
        assert_int_equal(with.shown, STEPS + 1);
        assert_int_equal(with.passed, STEPS + 1);
        assert_int_equal(without.shown + without.passed, 0);
        assert_memory_equal(with.z_bar, without.z_bar, sizeof *z * (size_t)c.variables);
        assert_true(largest(with.z_bar, c.variables) > 0);
        free(z);
        end(&with);
        end(&without);
    }
}

/* ---- forces ----------------------------------------------------------------------------------------------- */

/* Dead forces are in proportion to the one value that there is: sum over states and nodes of adj_force . force = value
 * . dJ/dvalue. */
static void adjoint_forces_times_forces_are_the_gradient_of_their_value(void **unused)
{
    static adjoint_sweep s;
    (void)unused;
    for (pio_integrator i = PIO_STATIC; i <= PIO_NEWMARK; i++) {
        static fem_case c;
        char what[96];
        const double value[] = {5, -8, 2};
        double sum = 0, z[3] = {0};
        body(&c, i, 0, 0, NULL, NULL);
        observe(&c, i, 0);
        const int curve = fem_case_curve(&c, 2, (double[]){0, STEPS * c.desc.dt}, (double[]){0.2, 1});
        c.load[0].curve = curve;
        fem_case_design(&c, PIO_LOAD, -1, FEM_SCALAR, fem_linear(0, 1), TRACTION);
        memcpy(z, value, sizeof *z * D);
        sweep(&s, &c, z, 1);
        const double slope = dot(s.z_bar, z, D);
        for (int k = 0; k <= STEPS; k++) sum += dot(s.at[k].adj_f, s.at[k].f, c.n * D);
        snprintf(what, sizeof what, "%s: sum of adj_force . force and value . dJ/dvalue, relative", names[i]);
        fem_case_below(what, (sum - slope) / slope, 1e-12, 0);
        assert_true(fabs(dot(s.at[2].adj_f, s.at[2].f, c.n * D)) > 1e-4 * fabs(slope)); /* each state counts */
        assert_true(largest(s.at[STEPS].adj_f, c.n * D) > 0);
        end(&s);
    }
}

/* Of objectives that observe no force the adjoint force is lambda, K^T lambda = dJ/du: of a displacement of a linear
 * body what the unit force there does, and twice that where the force's own work is observed. */
static void a_static_adjoint_force_is_the_answer_to_what_is_observed(void **unused)
{
    static adjoint_sweep s;
    static fem_case c;
    const fem_material m = fem_material_of(PIO_HYPER_LINEAR, 1000);
    double u[2][MOST];
    (void)unused;
    for (int of_work = 0; of_work < 2; of_work++) {
        fem_case_begin(&c, 1, 1);
        fem_case_grid(
            &c, (fem_grid){D == 2 ? PIO_QUAD4 : PIO_HEX8, D == 2 ? PIO_QUAD4 : PIO_HEX8, {2, 2, 1}, sheared, 0.15});
        fem_case_matter(&c, &m, 1, 1);
        fem_case_clamp(&c, 0, 0);
        fem_case_load(&c, PIO_TRACTION, 0, 1, fem_case_value(&c, 1, -2, 0.5), 0);
        const int o = fem_case_observe(&c, of_work ? PIO_COMPLIANCE : PIO_DISPLACEMENT, 1);
        fem_case_sample(&c, o, 1, 0, 1);
        memset(c.square, 0, sizeof c.square);
        for (int k = 0; k < D; k++) c.linear[k] = 1;
        sweep(&s, &c, NULL, 1);
        memcpy(u[of_work], s.at[1].u, sizeof u[of_work]);
        for (int i = 0; i < c.n * D && of_work; i++) u[1][i] *= 2;
        if (of_work)
            fem_case_below("linear: adj_force of the work is 2 u", apart(s.at[1].adj_f, u[1], c.n * D), 1e-12, 0);
        if (!of_work) {
            const double *weight = c.observation[0].weight;
            double g[MOST];
            memcpy(g, weight, sizeof *g * (size_t)(c.n * D));
            for (int h = 0; h < c.fem.n_constrained; h++) g[c.constrained_node[h] * D + c.constrained_axis[h]] = 0;
            fem_case_below("adj_displacement of a weighted displacement is its weights",
                           apart(s.at[1].adj_u, g, c.n * D), 1e-14, 0);
            assert_true(largest(s.at[0].adj_u, c.n * D) <= 0 && largest(s.at[0].adj_f, c.n * D) <= 0);
        }
        end(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_adjoint_of_a_frame_is_the_gradient_of_a_motion_that_begins_there),
        cmocka_unit_test(the_adjoint_of_a_frame_is_the_derivative_with_earlier_states_kept),
        cmocka_unit_test(frames_do_not_change_the_gradient),
        cmocka_unit_test(adjoint_forces_times_forces_are_the_gradient_of_their_value),
        cmocka_unit_test(a_static_adjoint_force_is_the_answer_to_what_is_observed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
