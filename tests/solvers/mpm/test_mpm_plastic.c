/* test_mpm_plastic.c -- plastic particles in the engine: their gradients by Taylor remainders and whatever states are
 * kept, what they do, and what is refused. */
#include "solvers/mpm/mpm.h"
#include "tests/solvers/mpm/mpm_taylor.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { D = CASE_DIM, STEPS = 24, LAWS_HERE = 5, VISCOSITY = 10 /* Pa s */ };

/* Waves of about 12 m/s where bodies of 1 to 2 m/s meet a corner: strains of a tenth, of which most flow. */
static const struct {
    const char *name;
    pio_plastic_law law;
    double yield[PIO_PLASTIC_CONSTANTS];
} plastics[LAWS_HERE] = {{"von Mises", PIO_VON_MISES, {1500, 8000, 0}},
                         {"Drucker-Prager", PIO_DRUCKER_PRAGER, {0.6, 800, 0}},
                         {"Herschel-Bulkley", PIO_HERSCHEL_BULKLEY, {900, 150, 0.6}},
                         {"snow", PIO_SNOW, {0.01, 0.006, 3}},
                         {"dry sand", PIO_DRUCKER_PRAGER, {0.5, 0, 0}}};

static case_body body_of(int law, double density)
{
    return (case_body){.law = plastics[law].law == PIO_SNOW ? PIO_HYPER_FIXED_COROTATED : PIO_HYPER_HENCKY,
                       .parameter_form = 1,
                       .parameters = {4e4, 6e4},
                       .density = density};
}

/* One of two bodies is viscous, too. `crowd` of elastic particles beside them: so many that compact states are
 * smaller. */
static void corner(mpm_case *c, int law, int64_t steps, int crowd)
{
    const int other = (law + 1) % LAWS_HERE;
    case_body bodies[2] = {body_of(law, 1000), body_of(other, 1300)};
    bodies[0].viscosity = VISCOSITY;
    mpm_corner(c, law, bodies, steps, law % 2, 2);
    const double lo[3] = {0.4, 0.4, 0.4}, hi[3] = {0.6, 0.6, 0.6};
    if (crowd) case_block(c, &bodies[0], lo, hi, 5, 0.1);
    case_plastic(c, 0, plastics[law].law, plastics[law].yield);
    case_plastic(c, 1, plastics[other].law, plastics[other].yield);
}

static void design_everything(mpm_case *c, int law)
{
    static const case_per per[] = {CASE_SCALAR, CASE_GROUPS, CASE_EACH};
    const double dx = c->desc.grid.spacing;
    case_design(c, PIO_VELOCITY, -1, CASE_EACH, 0, 0, 1);
    case_design(c, PIO_POSITION, -1, CASE_EACH, 0, 0, dx);
    for (int body = 0; body < 2; body++) {
        const int of = (law + body) % LAWS_HERE;
        for (int k = 0; k < PIO_PLASTIC_CONSTANTS; k++) {
            const double value = plastics[of].yield[k];
            if (!(value > 0)) continue;
            case_design(c, (pio_quantity)(PIO_YIELD_0 + k), body, per[(of + k) % 3], k % 2, k % 2 ? log(value) : value,
                        k % 2 ? 0.2 : 0.2 * value);
        }
        case_design(c, PIO_LAW_PARAMETER_0, body, per[(of + 1) % 3], 0, 4e4, 8e3);
        case_design(c, PIO_LAW_PARAMETER_1, body, per[(of + 2) % 3], 0, 6e4, 8e3);
    }
    case_design(c, PIO_DENSITY, 0, CASE_GROUPS, 0, 1000, 100);
    case_design(c, PIO_VISCOSITY, 0, CASE_GROUPS, 0, VISCOSITY, VISCOSITY / 4.0);
}

/* Fraction of the particles that remember to have flowed; sand remembers only where it opened. */
static double flowed(pio_sim *sim, int64_t n)
{
    double *a = case_read(sim, "hardening", n), count = 0;
    for (int64_t i = 0; i < n; i++) count += fabs(a[i]) > 1e-9;
    free(a);
    return count / (double)n;
}

/* A kink lies where any particle begins to flow, in any step: windows are ten times smaller than for elastic bodies. */
static void begin(mpm_taylor *t, mpm_case *c, int law, int64_t steps)
{
    corner(c, law, steps, 0);
    mpm_observe_everything(c, 0.35);
    design_everything(c, law);
    mpm_taylor_begin(t, c, 0.2);
    t->shrink = 1e-1;
    t->tolerance = 1e-6;
}

static void adjoint_is_the_derivative_for_every_plastic_law(void **unused)
{
    (void)unused;
    for (int law = 0; law < LAWS_HERE; law += D - 1) { /* in 3D three pairs, in which each law is */
        static mpm_taylor t;
        static mpm_case c;
        char what[96];
        begin(&t, &c, law, STEPS);
        case_forward(&c, t.sim, t.z);
        const double fraction = flowed(t.sim, c.n);
        snprintf(what, sizeof what, "%s and %s, %.0f %% of the particles flowed or opened (more than 15)",
                 plastics[law].name, plastics[(law + 1) % LAWS_HERE].name, 100 * fraction);
        assert_true(fraction > 0.15);
        mpm_taylor_all(&t);
        mpm_taylor_end(&t, what);
        case_free(&c);
    }
}

/* The same check of a gradient that is off by 1e-4, or has the sign of one plastic constant wrong, or none of the flow
 * in it. */
static void wrong_gradients_are_refused(void **unused)
{
    static mpm_taylor t;
    static mpm_case c;
    static double h[CASE_VARIABLES], other[CASE_VARIABLES];
    (void)unused;
    begin(&t, &c, 0, STEPS);
    t.quiet = 1;
    const int n = c.variables, yield = case_design_first(&c, 2); /* design 2: the first plastic constant */
    for (int i = 0; i < n; i++) t.z_bar[i] *= 1.0001;
    mpm_taylor_gradient(&t, h, 0, n);
    assert_int_equal(mpm_taylor_direction(&t, "scaled by 1.0001, gradient", h), PIO_TAYLOR_FAILED);
    for (int i = 0; i < n; i++) t.z_bar[i] /= 1.0001;
    t.z_bar[yield] *= -1;
    mpm_taylor_single(h, yield);
    assert_int_equal(mpm_taylor_direction(&t, "a yield stress with its sign wrong", h), PIO_TAYLOR_FAILED);
    t.z_bar[yield] *= -1;

    /* limits that nothing reaches: the gradient of elastic bodies */
    for (int64_t i = 0; i < c.n; i++) c.yield[PIO_PLASTIC_CONSTANTS * i] = c.plasticity[i] == PIO_VON_MISES ? 1e9 : 1.5;
    for (int64_t i = 0; i < c.n; i++) c.yield[PIO_PLASTIC_CONSTANTS * i + 1] = 1e9;
    const int designs = c.desc.n_designs;
    c.desc.n_designs = 2;
    pio_sim *elastic = case_create(&c, STEPS, 1);
    case_gradient(&c, elastic, NULL, t.z, other);
    piola_engine.destroy(elastic);
    c.desc.n_designs = designs;
    memcpy(t.z_bar, other, sizeof *other * (size_t)(2 * D * c.n));
    mpm_taylor_random(&t, h, 0, (int)(2 * D * c.n));
    assert_int_equal(mpm_taylor_direction(&t, "the gradient of elastic bodies", h), PIO_TAYLOR_FAILED);
    assert_int_equal(t.passed, 0);
    print_message("  3 wrong gradients are refused\n");
    piola_engine.destroy(t.sim);
    case_free(&c);
}

/* Whole and compact states, few and many; one thread and two. */
static void gradients_have_the_same_bits_whatever_is_kept(void **unused)
{
    (void)unused;
    for (int law = 0; law < LAWS_HERE; law++) {
        uint64_t hash[6];
        int64_t near[6];
        for (int i = 0; i < 6; i++) {
            static mpm_case c;
            static double z[CASE_VARIABLES], z_bar[CASE_VARIABLES];
            pio_kinks kinks;
            corner(&c, law, STEPS, 1);
            mpm_observe_everything(&c, 0.35);
            design_everything(&c, law);
            c.desc.slot_nodes = i % 2 ? 1000 : 0;
            for (int k = 0; k < c.variables; k++) z[k] = 0.1 * sin(k);
            pio_sim *sim = case_create(&c, STEPS, 1 + i % 3 % 2);
            assert_true((mpm_of(sim)->slots.node_room > 0) == i % 2);
            pio_schedule few = pio_schedule_checkpoint(STEPS, 3, 0, 1);
            case_gradient(&c, sim, i < 2 ? NULL : &few, z, z_bar);
            pio_schedule_end(&few);
            hash[i] = case_hash(case_hash_gradients(sim, c.n), z_bar, sizeof *z_bar * (size_t)c.variables);
            near[i] = case_kinks(sim, "plastic", &kinks);
            assert_true(near[i] >= 0 && kinks.tolerance > 0);
            piola_engine.destroy(sim);
            case_free(&c);
        }
        print_message("  %s: %016llx, %lld near a change of branch\n", plastics[law].name, (unsigned long long)hash[0],
                      (long long)near[0]);
        for (int i = 1; i < 6; i++) {
            assert_true(hash[i] == hash[0]);
            assert_true(near[i] == near[0]);
        }
    }
}

/* ---- what they do -------------------------------------------------------------------------------------------- */

/* Dry sand at rest without weight lies at the tip of its cone: every particle in every step is near a change of
 * branch. */
static void what_lies_on_a_kink_is_counted(void **unused)
{
    static mpm_case c;
    const double yield[] = {0.5, 0, 0}, lo[3] = {0.3, 0.3, 0.3}, hi[3] = {0.5, 0.5, 0.5};
    const case_body body = body_of(4, 1000);
    pio_kinks kinks;
    double z_bar[1];
    (void)unused;
    case_init(&c, 10, 10, 10, 0.1, 1e-3, 7);
    case_block(&c, &body, lo, hi, 2, 0);
    case_plastic(&c, 0, PIO_DRUCKER_PRAGER, yield);
    case_sample(&c, case_observe(&c, PIO_MEAN_POSITION, 0, 1), 7, 0, 1);
    pio_sim *sim = case_create(&c, 7, 2);
    case_gradient(&c, sim, NULL, NULL, z_bar);
    case_forward(&c, sim, NULL); /* which is not of the last gradient */
    const int64_t near = case_kinks(sim, "plastic", &kinks);
    print_message("  %lld %s, within %.1g, of %lld\n", (long long)near, kinks.what, kinks.tolerance,
                  (long long)(7 * c.n));
    assert_true(near == 7 * c.n);
    piola_engine.destroy(sim);
    case_free(&c);
}

/* Largest |dev tau|, in units of its limit, over particles of body 0; -1 where the field is not there. */
static double largest_mises(pio_sim *sim, const mpm_case *c)
{
    double *F = case_read(sim, "F", c->n), *a = case_read(sim, "hardening", c->n), worst = 0;
    double *e33 = D == 2 ? case_read(sim, "e33", c->n) : NULL;
    for (int64_t p = 0; p < c->n; p++) {
        mat m;
        double e[3] = {0, 0, e33 ? e33[p] : 0}, square = 0;
        if (c->body[p]) continue;
        for (int i = 0; i < D * D; i++) m.m[i / D][i % D] = (real)F[p * D * D + i];
        const mat_svd s = svd_of(m);
        for (int i = 0; i < D; i++) e[i] = log((double)s.sigma.x[i]);
        const double mean = (e[0] + e[1] + e[2]) / 3;
        for (int i = 0; i < 3; i++) square += (e[i] - mean) * (e[i] - mean);
        const double *y = c->yield + PIO_PLASTIC_CONSTANTS * p;
        worst = fmax(worst, sqrt(6 * square) * c->parameters[PIO_LAW_CONSTANTS * p] / (y[0] + y[1] * a[p]));
    }
    free(F);
    free(a);
    free(e33);
    return worst;
}

static void stress_stays_within_the_yield_stress(void **unused)
{
    static mpm_case c;
    static double z[CASE_VARIABLES];
    (void)unused;
    corner(&c, 0, 60, 0);
    pio_sim *sim = case_create(&c, 0, 1);
    case_forward(&c, sim, z);
    const double plastic = largest_mises(sim, &c);
    piola_engine.destroy(sim);
    for (int64_t i = 0; i < c.n; i++) c.plasticity[i] = PIO_ELASTIC;
    sim = case_create(&c, 0, 1);
    case_forward(&c, sim, z);
    assert_int_equal(piola_engine.components(sim, "hardening"), 0);
    piola_engine.destroy(sim);
    case_below("largest von Mises stress over its limit, less 1", plastic - 1, 1e-12, 1e-4);
    case_free(&c);
}

/* ---- what is refused ----------------------------------------------------------------------------------------- */

static mpm_case *block(int law, const double yield[PIO_PLASTIC_CONSTANTS])
{
    static mpm_case c;
    const double lo[3] = {0.3, 0.3, 0.3}, hi[3] = {0.5, 0.5, 0.5};
    const case_body body = body_of(law, 1000);
    case_init(&c, 10, 10, 10, 0.1, 2e-3, 40);
    case_block(&c, &body, lo, hi, 2, 0);
    case_plastic(&c, 0, plastics[law].law, yield ? yield : plastics[law].yield);
    piola_engine.destroy(case_create(&c, 0, 1)); /* right as it is, and its tables are set */
    return &c;
}

static void cannot_be(const mpm_case *c, const char *says)
{
    pio_sim *sim = NULL;
    pio_engine_bytes bytes;
    piola_error error;
    assert_int_equal(piola_engine.create(&c->desc, &sim, &bytes, &error), PIOLA_BAD_DATA);
    print_message("  %s\n", error.message);
    assert_non_null(strstr(error.message, says));
    assert_null(sim);
}

static void descriptions_that_cannot_be_are_refused(void **unused)
{
    (void)unused;
    mpm_case *c = block(0, NULL);
    c->plasticity[2] = PIO_PLASTIC_LAWS;
    cannot_be(c, "particle 2: there is no plastic law 5");
    c->plasticity[2] = PIO_SNOW;
    cannot_be(c, "particle 2: plastic law 4 needs the elastic law 2");
    c->plasticity[2] = PIO_ELASTIC;
    c->desc.reversible = 1;
    cannot_be(c, "plastic flow loses energy");
    c->desc.reversible = 0;
    case_design(c, PIO_YIELD_1, -1, CASE_SCALAR, 0, 0, 1);
    c->desc.designs = c->design;
    for (int64_t i = 0; i < c->n; i++) c->plasticity[i] = PIO_ELASTIC;
    cannot_be(c, "no particle has one");
    case_free(c);
}

static void fails(mpm_case *c, piola_failure_kind kind, const char *says, const char *and)
{
    piola_error error;
    pio_sim *sim = case_create(c, 0, 2);
    assert_int_equal(piola_engine.start(sim, NULL, &error), PIOLA_OK);
    assert_int_equal(piola_engine.advance(sim, c->desc.steps, &error), PIOLA_OK);
    assert_int_equal(piola_engine.check(sim, &error), PIOLA_NUMERICAL);
    print_message("  %s\n", error.message);
    assert_non_null(strstr(error.message, says));
    assert_non_null(strstr(error.message, and));
    assert_int_equal(error.failure.kind, kind);
    piola_engine.destroy(sim);
    case_free(c);
}

static void faults_are_named(void **unused)
{
    static const double bad[][PIO_PLASTIC_CONSTANTS] = {{-1, 0, 0}, {1.6, 0, 0}, {1, 0, 1}, {1, 0, 0}};
    static const char *const says[] = {"von_mises", "drucker_prager", "herschel_bulkley", "snow"};
    const double hard[] = {0.001, 0.001, 60};
    (void)unused;
    for (int law = 0; law < 4; law++) fails(block(law, bad[law]), PIOLA_FAILED_CONSTANTS, says[law], "particle 0 at");
    mpm_case *c = block(3, hard);
    for (int64_t i = 0; i < c->n; i++) c->velocity[i * D] = -4 * (c->position[i * D] - 0.4); /* towards each other */
    fails(c, PIOLA_FAILED_TIME_STEP, "snow compressed to Jp =", "a time step of at most");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_have_the_same_bits_whatever_is_kept),
        cmocka_unit_test(what_lies_on_a_kink_is_counted),
        cmocka_unit_test(stress_stays_within_the_yield_stress),
        cmocka_unit_test(descriptions_that_cannot_be_are_refused),
        cmocka_unit_test(faults_are_named),
    };
    const struct CMUnitTest taylor[] = {
        cmocka_unit_test(adjoint_is_the_derivative_for_every_plastic_law),
        cmocka_unit_test(wrong_gradients_are_refused),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return case_is_f32() ? failed : failed + cmocka_run_group_tests(taylor, NULL, NULL);
}
