/* test_mpm_reversible_gradient.c -- is the reversible integrator's adjoint the derivative of its steps, and the same
 * bits whichever way the states come back? Taylor remainders in f64. */
#include "tests/solvers/mpm/mpm_reversible_case.h"
#include "tests/solvers/mpm/mpm_taylor.h"

enum { D = CASE_DIM };

/* Into a corner of penalty walls; the second body has the third material after the first's. */
static void corner(mpm_case *c, int number, int64_t steps, int upper)
{
    const case_body bodies[2] = {case_body_of(&materials[number], 1000),
                                 case_body_of(&materials[(number + 3) % MATERIALS], 1300)};
    mpm_corner(c, number, bodies, steps, upper, 1);
    c->desc.reversible = 1;
    c->desc.penalty = D == 3 ? 3e4 : 2e4;
    for (int a = 0; a < D; a++) c->desc.grid.wall[a][upper] = PIO_WALL_PENALTY;
}

/* Every quantity that there is, viscosity aside. */
static void design_everything(mpm_case *c, int number)
{
    static const case_per per[] = {CASE_SCALAR, CASE_GROUPS, CASE_EACH};
    mpm_design_motion(c);
    for (int body = 0; body < 2; body++) {
        const case_material *m = &materials[(number + 3 * body) % MATERIALS];
        for (int k = 0; k < PIO_LAW_CONSTANTS; k++) {
            const double value = m->parameters[k];
            if (!(fabs(value) > 0) || (m->law == PIO_LINEAR_FLUID && k == 1)) continue;
            case_design(c, (pio_quantity)(PIO_LAW_PARAMETER_0 + k), body, per[(number + body + k) % 3], 0, value,
                        0.3 * value);
        }
        case_design(c, PIO_DENSITY, body, per[(number + body + 2) % 3], 1, log(body ? 1300 : 1000), 0.3);
    }
}

static void the_adjoint_is_the_derivative_for_every_law_parameter_and_observation(void **unused)
{
    (void)unused;
    for (int number = 0; number < MATERIALS; number++) {
        static mpm_taylor t;
        static mpm_case c;
        char what[160];
        if ((D == 3 || TEST_SANITIZED) && number % 3) continue;
        corner(&c, number, 40, number % 2);
        if (number % 4 == 2) c.desc.damping = 5;
        mpm_observe_everything(&c, 0.35);
        design_everything(&c, number);
        mpm_taylor_begin(&t, &c, 0.3);
        if (c.desc.damping > 0) t.tolerance = 1e-6; /* kept bits are noise of 2^-46 dx/h in velocities */
        snprintf(what, sizeof what, "%s and %s%s", materials[number].name, materials[(number + 3) % MATERIALS].name,
                 c.desc.damping > 0 ? ", damped" : "");
        mpm_taylor_all(&t);
        mpm_taylor_end(&t, what);
        case_free(&c);
    }
}

/* The same check and directions, but a gradient that is off by 1e-4, or has one sign wrong. */
static void wrong_gradients_are_refused(void **unused)
{
    static mpm_taylor t;
    static mpm_case c;
    static double h[CASE_VARIABLES];
    (void)unused;
    corner(&c, 0, 40, 0);
    mpm_observe_everything(&c, 0.35);
    design_everything(&c, 0);
    mpm_taylor_begin(&t, &c, 0.3);
    t.quiet = 1;
    const int first = case_design_first(&c, 3), n = c.variables; /* design 3: positions, each */
    for (int i = 0; i < n; i++) t.z_bar[i] *= 1.0001;
    mpm_taylor_gradient(&t, h, 0, n);
    assert_int_equal(mpm_taylor_direction(&t, "scaled by 1.0001, gradient", h), PIO_TAYLOR_FAILED);
    for (int i = 0; i < n; i++) t.z_bar[i] /= 1.0001;
    t.z_bar[first] *= -1;
    mpm_taylor_single(h, first);
    assert_int_equal(mpm_taylor_direction(&t, "one flipped sign, single", h), PIO_TAYLOR_FAILED);
    assert_int_equal(t.passed, 0);
    print_message("  2 wrong gradients: %d refused, %d undecided, %d passed\n", t.failed, t.undecided, t.passed);
    piola_engine.destroy(t.sim);
    case_free(&c);
}

/* ---- whichever way the states come back
 * --------------------------------------------------------------------------- */

/* By inverse_step() alone: forward, and back with the adjoint of each step after its inverse. */
static double gradient_by_reversal(mpm_case *c, pio_sim *sim, const double *z, double *z_bar)
{
    double samples[256], samples_bar[256];
    piola_error error;
    must(piola_engine.start(sim, z, &error), "start", &error);
    must(piola_engine.save(sim, 0, &error), "save", &error);
    forwards(sim, c->desc.steps);
    must(piola_engine.samples(sim, samples, &error), "samples", &error);
    const sample_terms terms = case_terms(c);
    const double J = sample_terms_value(&terms, samples, samples_bar);
    must(piola_engine.adjoint_begin(sim, samples_bar, &error), "turn", &error);
    for (int64_t s = 0; s < c->desc.steps; s++) {
        must(piola_engine.inverse_step(sim, &error), "inverse_step", &error);
        must(piola_engine.adjoint_step(sim, &error), "reverse", &error);
    }
    must(piola_engine.adjoint_end(sim, NULL, z_bar, &error), "end", &error);
    assert_int_equal(differing(sim, 0), 0);
    return J;
}

/* J, dJ/dz, gradients and cotangents, of a run by a schedule, or (NULL) by reversal. */
static uint64_t gradient_bits(mpm_case *c, pio_schedule *schedule, int threads)
{
    static double z[CASE_VARIABLES], z_bar[CASE_VARIABLES];
    for (int i = 0; i < c->variables; i++) z[i] = 0.1 * sin(i);
    pio_sim *sim = case_create(c, schedule ? schedule->slots : 1, threads);
    const double J = schedule ? case_gradient(c, sim, schedule, z, z_bar) : gradient_by_reversal(c, sim, z, z_bar);
    uint64_t hash = case_hash_gradients(sim, c->n);
    hash = case_hash(hash, &J, sizeof J);
    hash = case_hash(hash, z_bar, sizeof *z_bar * (size_t)c->variables);
    piola_engine.destroy(sim);
    return hash;
}

/* A solid with driven fibres and a fluid; damped or not, with what is observed between two steps. */
static void driven(mpm_case *c, int64_t steps, double damping)
{
    const pio_channel_desc beat = {.signal = PIO_SINE, .amplitude = 4e3, .frequency = 8, .phase = 0.3};
    const double fibre[3] = {1, 0.5, -0.2};
    pio_engine_bytes bytes;
    piola_error error;
    collision(c, &materials[6], &materials[9], steps);
    case_channel(c, &beat, 0, fibre);
    mpm_observe_everything(c, 0.35);
    design_everything(c, 6);
    case_design(c, PIO_AMPLITUDE, -1, CASE_SCALAR, 0, 4e3, 8e3);
    case_design(c, PIO_FREQUENCY, -1, CASE_SCALAR, 0, 8, 1);
    c->desc.damping = damping;
    pio_sim *sim = case_create(c, 1, 1);
    piola_engine.destroy(sim);
    must(piola_engine.measure(&c->desc, &bytes, &error), "measure", &error);
    c->desc.residual_log = (int64_t)bytes.residual_log;
}

static void a_gradient_has_the_same_bits_by_storing_checkpoints_and_reversal(void **unused)
{
    enum { STEPS = TEST_SANITIZED ? 20 : 120 };
    (void)unused;
    for (int damped = 0; damped < 2; damped++) {
        mpm_case c;
        driven(&c, STEPS, damped ? 400 : 0);
        const int64_t residual_log = c.desc.residual_log;
        const uint64_t reversal = gradient_bits(&c, NULL, 2), one = gradient_bits(&c, NULL, 1);
        c.desc.residual_log = 0;
        pio_schedule all = pio_schedule_store_all(STEPS, 1), some = pio_schedule_checkpoint(STEPS, 4, 0, 1);
        const uint64_t stored = gradient_bits(&c, &all, 2);
        const uint64_t checkpointed = gradient_bits(&c, &some, 2);
        pio_schedule_end(&some);
        print_message(
            "  %d steps, %s, a residual log of %d bytes: reversal %016llx, on one thread %016llx, stored %016llx, "
            "checkpoints %016llx\n",
            STEPS, damped ? "damped" : "undamped", (int)residual_log, (unsigned long long)reversal,
            (unsigned long long)one, (unsigned long long)stored, (unsigned long long)checkpointed);
        assert_true(reversal == one && reversal == stored && reversal == checkpointed);
        if (damped && !TEST_SANITIZED) assert_true(residual_log > 0);
        case_free(&c);
    }
}

/* Activation and between-step distances have their adjoint, too. */
static void the_adjoint_is_the_derivative_with_driven_fibres(void **unused)
{
    static mpm_taylor t;
    static mpm_case c;
    static double h[CASE_VARIABLES];
    (void)unused;
    driven(&c, 60, 0);
    mpm_taylor_begin(&t, &c, 0.2);
    const int first = case_design_first(&c, c.desc.n_designs - 2);
    mpm_taylor_random(&t, h, 0, c.variables);
    mpm_taylor_direction(&t, "everything, random", h);
    for (int k = 0; k < 2; k++) {
        mpm_taylor_single(h, first + k);
        mpm_taylor_direction(&t, k ? "frequency" : "amplitude", h);
    }
    mpm_taylor_end(&t, "driven fibres");
    case_free(&c);
}

int main(void)
{
    const struct CMUnitTest bits[] = {
        cmocka_unit_test(a_gradient_has_the_same_bits_by_storing_checkpoints_and_reversal),
    };
    const struct CMUnitTest taylor[] = {
        cmocka_unit_test(the_adjoint_is_the_derivative_for_every_law_parameter_and_observation),
        cmocka_unit_test(the_adjoint_is_the_derivative_with_driven_fibres),
        cmocka_unit_test(wrong_gradients_are_refused),
    };
    const int failed = cmocka_run_group_tests(bits, NULL, NULL);
    return case_is_f32() ? failed : failed + cmocka_run_group_tests(taylor, NULL, NULL);
}
