/* test_fem_reversible_gradient.c -- is the adjoint that rides on reversed states the derivative, and has it the same
 * bits whatever way states come back? f64. */
#include "tests/solvers/fem/fem_leap_case.h"
#include "tests/solvers/fem/fem_motion.h"
#include "tests/solvers/fem/fem_taylor.h"

enum { STEPS = 6 };

static void observed(fem_case *c)
{
    static const pio_observable type[] = {PIO_DISPLACEMENT, PIO_MEAN_VELOCITY, PIO_KINETIC_ENERGY, PIO_COMPLIANCE,
                                          PIO_DISTANCE};
    fem_motion_observe(c, type, sizeof type / sizeof *type);
}

static void designed(fem_case *c)
{
    fem_case_design(c, PIO_POSITION, -1, FEM_EACH, fem_linear(0, 0.02), 0);
    fem_case_design(c, PIO_VELOCITY, -1, FEM_EACH, fem_linear(0, 0.2), 0);
    fem_case_design(c, PIO_DISPLACED, -1, FEM_GROUPS, fem_linear(0, 0.003), 0);
    fem_case_design(c, PIO_GRAVITY, -1, FEM_SCALAR, fem_linear(-9, 2), 0);
    fem_case_design(c, PIO_LOAD, -1, FEM_SCALAR, fem_linear(6, 2), 0);
    fem_case_design(c, PIO_LOAD, -1, FEM_SCALAR, fem_linear(10, 3), LEAP_FOLLOWER);
    fem_case_design(c, PIO_SUPPORT, -1, FEM_SCALAR, fem_linear(0.02, 0.01), 0);
    fem_case_design(c, PIO_SUPPORT, -1, FEM_SCALAR, fem_linear(0, 0.01), 1);
    if (D == 2) fem_case_design(c, PIO_THICKNESS, -1, FEM_EACH, fem_linear(0.9, 0.1), 0);
    fem_case_design_matter(c);
}

static void set_up(fem_case *c, pio_integrator integrator, int law, pio_element_type even, pio_element_type odd)
{
    leap_moving(c, integrator, STEPS, law, even, odd);
    observed(c);
    designed(c);
}

static void its_adjoint_is_the_derivative(void **unused)
{
    static const pio_element_type cells[2][2][2] = {{{PIO_TRI3, PIO_QUAD4}, {PIO_QUAD9, PIO_TRI6}},
                                                    {{PIO_HEX8, PIO_HEX8}, {PIO_TET10, PIO_TET10}}};
    (void)unused;
    for (int k = 0; k < 2; k++) {
        static taylor_run t;
        static fem_case c;
        set_up(&c, PIO_REVERSIBLE_LEAPFROG, 3 + 2 * k, cells[D - 2][k][0], cells[D - 2][k][1]);
        taylor_begin(&t, &c, 0.2);
        t.tolerance = 1e-6;
        everything(&t);
        if (D == 2) design_by_design(&t);
        taylor_end(&t, k ? "reversible leapfrog, quadratic elements" : "reversible leapfrog");
        fem_case_free(&c);
    }
}

static void a_wrong_gradient_is_refused(void **unused)
{
    static taylor_run t;
    static fem_case c;
    (void)unused;
    set_up(&c, PIO_REVERSIBLE_LEAPFROG, 3, leap_box, leap_box);
    taylor_begin(&t, &c, 0.2);
    t.quiet = 1;
    t.tolerance = 1e-6;
    for (int i = 0; i < c.variables; i++) t.z_bar[i] *= 1.0001;
    assert_int_equal(gradient_direction(&t, "scaled by 1.0001", 0, c.variables), PIO_TAYLOR_FAILED);
    engine->destroy(t.sim);
    fem_case_free(&c);
}

/* The derivative of J by samples at z. */
static void cotangents(const fem_case *c, pio_sim *sim, double *samples_bar)
{
    double samples[FEM_SAMPLES];
    piola_error error = {0};
    must(engine->samples(sim, samples, &error), &error, "samples");
    const sample_terms terms = fem_case_terms(c);
    sample_terms_value(&terms, samples, samples_bar);
}

/* Forward, and back by inverse steps. */
static uint64_t reversed(fem_case *c, pio_sim *sim, const double *z, double *z_bar)
{
    double samples_bar[FEM_SAMPLES];
    piola_error error = {0};
    must(engine->start(sim, z, &error), &error, "start");
    must(engine->save(sim, 0, &error), &error, "save");
    leap_out(sim, c->desc.steps);
    cotangents(c, sim, samples_bar);
    must(engine->adjoint_begin(sim, samples_bar, &error), &error, "begin");
    for (int64_t s = 0; s < c->desc.steps; s++) {
        must(engine->inverse_step(sim, &error), &error, "back");
        must(engine->adjoint_step(sim, &error), &error, "reverse");
    }
    assert_int_equal(leap_differs(sim, 0), 0);
    must(engine->adjoint_end(sim, NULL, z_bar, &error), &error, "end");
    return fem_case_hash(fem_case_hash_gradients(sim), z_bar, sizeof *z_bar * (size_t)c->variables);
}

static void the_gradient_has_the_same_bits_stored_checkpointed_and_reversed(void **unused)
{
    static double z[FEM_VARIABLES], z_bar[FEM_VARIABLES];
    static fem_case c;
    (void)unused;
    set_up(&c, PIO_REVERSIBLE_LEAPFROG, 3, leap_box, leap_box);
    pio_sim *sim = fem_case_create(&c, STEPS, 1);
    for (int i = 0; i < c.variables; i++) z[i] = 0.1 * fem_case_random(&c);
    fem_case_gradient(&c, sim, NULL, z, z_bar);
    const uint64_t all = fem_case_hash(fem_case_hash_gradients(sim), z_bar, sizeof *z_bar * (size_t)c.variables);
    print_message("  stored        %016llx\n", (unsigned long long)all);
    for (int slots = 1; slots < STEPS; slots++) {
        pio_schedule s = pio_schedule_checkpoint(STEPS, slots, 0, 1);
        fem_case_gradient(&c, sim, &s, z, z_bar);
        const uint64_t hash = fem_case_hash(fem_case_hash_gradients(sim), z_bar, sizeof *z_bar * (size_t)c.variables);
        print_message("  %d checkpoints %016llx\n", slots, (unsigned long long)hash);
        assert_true(hash == all);
        pio_schedule_end(&s);
    }
    for (int again = 0; again < 2; again++) {
        const uint64_t hash = reversed(&c, sim, z, z_bar);
        print_message("  reversed      %016llx\n", (unsigned long long)hash);
        assert_true(hash == all);
    }
    engine->destroy(sim);
    fem_case_free(&c);
}

static void the_gradient_is_that_of_the_leapfrog(void **unused)
{
    static double z[FEM_VARIABLES], z_bar[2][FEM_VARIABLES];
    static fem_case c;
    double worst = 0, most = 0;
    (void)unused;
    for (int k = 0; k < 2; k++) {
        set_up(&c, k ? PIO_LEAPFROG : PIO_REVERSIBLE_LEAPFROG, 3, leap_box, leap_box);
        pio_sim *sim = fem_case_create(&c, STEPS, 1);
        fem_case_gradient(&c, sim, NULL, z, z_bar[k]);
        engine->destroy(sim);
        if (!k) fem_case_free(&c);
    }
    for (int i = 0; i < c.variables; i++) {
        worst = fmax(worst, fabs(z_bar[0][i] - z_bar[1][i]));
        most = fmax(most, fabs(z_bar[1][i]));
    }
    fem_case_below("gradient less the leapfrog's, relative", worst / most, 1e-11, 1);
    fem_case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(its_adjoint_is_the_derivative),
        cmocka_unit_test(a_wrong_gradient_is_refused),
        cmocka_unit_test(the_gradient_has_the_same_bits_stored_checkpointed_and_reversed),
        cmocka_unit_test(the_gradient_is_that_of_the_leapfrog),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
