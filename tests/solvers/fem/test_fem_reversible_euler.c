/* test_fem_reversible_euler.c -- does residual-coded backward Euler go back to where it came from, every bit of it; is
 * it still backward Euler; how many bits does it remember; and what does it refuse? Its gradient:
 * test_fem_reversible_euler_gradient.c. */
#include "tests/solvers/fem/fem_euler_case.h"
#include "tests/sanitized.h"

enum { MANY = TEST_SANITIZED ? 200 : FEM_DIM == 2 ? 10000 : 1000 };

/* ---- out and back ---------------------------------------------------------------------------------------------- */

static void many_steps_out_and_back_return_every_bit_on_any_number_of_threads(void **unused)
{
    uint64_t first = 0;
    (void)unused;
    for (int threads = 1; threads <= 3; threads++) {
        static fem_case c;
        piola_error error = {0};
        moving(&c, MANY, 3, box, box);
        pio_sim *sim = started(&c, (int64_t)MANY * 40 * c.n, threads);
        must(engine->advance(sim, MANY, &error), &error, "out");
        const uint64_t hash = fem_case_hash_state(sim);
        for (int s = 0; s < MANY; s++) must(engine->inverse_step(sim, &error), &error, "back");
        const double bits = out_and_back(sim, &c, MANY); /* and once more */
        print_message("  %d threads: %d steps out and back, %.2f bits; last state %016llx\n", threads, MANY, bits,
                      (unsigned long long)hash);
        if (threads > 1) assert_int_equal(hash, first);
        first = hash;
        engine->destroy(sim);
        fem_case_free(&c);
    }
}

static void every_element_and_law_goes_back(void **unused)
{
    (void)unused;
    for (int k = 0; k < FEM_TYPES; k++)
        for (int law = 0; law < FEM_LAWS; law += D == 2 ? 1 : 3) {
            static fem_case c;
            moving(&c, 20, law, fem_types[k], fem_types[k]);
            pio_sim *sim = started(&c, 20 * (int64_t)(40 * c.n + 64), 1);
            print_message("  %s, %s: %.2f bits\n", fem_type_names[fem_types[k]], fem_law_names[law],
                          out_and_back(sim, &c, 20));
            engine->destroy(sim);
            fem_case_free(&c);
        }
}

/* Springs, a foundation, a follower pressure: forces of the displacement that are no elements'. */
static void loads_that_follow_and_springs_go_back(void **unused)
{
    static fem_case c;
    (void)unused;
    moving(&c, 50, 3, box, box);
    fem_case_load(&c, PIO_FOLLOWER, 1, 1, fem_case_value(&c, 20, 0, 0), 1);
    fem_case_load(&c, PIO_FOUNDATION, 1, 0, fem_case_value(&c, 300, 0, 0), -1);
    fem_case_springs(&c, fem_case_at(&c, 2, 0, 0), fem_case_value(&c, 40, 50, 60));
    pio_sim *sim = started(&c, 1 << 20, 1);
    print_message("  %.2f bits\n", out_and_back(sim, &c, 50));
    engine->destroy(sim);
    fem_case_free(&c);
}

static void a_run_has_the_same_bits_with_a_residual_log_and_without(void **unused)
{
    uint64_t hash[2];
    (void)unused;
    for (int k = 0; k < 2; k++) {
        static fem_case c;
        piola_error error = {0};
        moving(&c, 30, 3, box, box);
        pio_sim *sim = started(&c, k ? 1 << 20 : 0, 1);
        must(engine->advance(sim, 30, &error), &error, "out");
        hash[k] = fem_case_hash_state(sim);
        engine->destroy(sim);
        fem_case_free(&c);
    }
    assert_int_equal(hash[0], hash[1]);
}

/* A bit of the state that is planted before the way back ends in another first state; one in the end is counted as one
 * word. */
static void a_planted_bit_is_found(void **unused)
{
    static fem_case c;
    piola_error error = {0};
    (void)unused;
    moving(&c, 40, 3, box, box);
    pio_sim *sim = started(&c, 1 << 20, 1);
    must(engine->advance(sim, 40, &error), &error, "out");
    const size_t words = 4 * (size_t)(c.n * D);
    uint32_t *state = calloc(words, sizeof *state);
    for (int k = 0; k < 2; k++) {
        must(engine->state_out(sim, state, &error), &error, "state_out");
        state[words / 2 + 4 * D] ^= 1;
        must(engine->state_in(sim, state, engine->step(sim), &error), &error, "state_in");
        for (int s = 0; s < 40 && !k; s++) must(engine->inverse_step(sim, &error), &error, "back");
        if (k) must(engine->load(sim, 0, &error), &error, "load");
        if (k) must(engine->state_out(sim, state, &error), &error, "state_out");
        if (k) state[words / 2 + 4 * D] ^= 1;
        if (k) must(engine->state_in(sim, state, 0, &error), &error, "state_in");
        print_message("  %lld of %zu words differ\n", (long long)differs(sim, 0), words);
        assert_true(k ? differs(sim, 0) == 1 : differs(sim, 0) > 1);
    }
    free(state);
    engine->destroy(sim);
    fem_case_free(&c);
}

/* ---- what it is ------------------------------------------------------------------------------------------------ */

static void it_is_backward_euler_but_for_rounding(void **unused)
{
    enum { STEPS = 100 };
    double *u[2], worst = 0, way = 0;
    int n = 0;
    (void)unused;
    for (int k = 0; k < 2; k++) {
        static fem_case c;
        piola_error error = {0};
        moving(&c, STEPS, 3, box, box);
        c.fem.integrator = k ? PIO_BACKWARD_EULER : PIO_REVERSIBLE_EULER;
        pio_sim *sim = fem_case_create(&c, 0, 1);
        must(engine->start(sim, NULL, &error), &error, "start");
        must(engine->advance(sim, STEPS, &error), &error, "advance");
        u[k] = fem_case_read(sim, "displacement");
        n = c.n * D;
        engine->destroy(sim);
        fem_case_free(&c);
    }
    for (int i = 0; i < n; i++) worst = fmax(worst, fabs(u[0][i] - u[1][i])), way = fmax(way, fabs(u[1][i]));
    fem_case_below("difference from backward Euler over the displacement", worst / way, 1e-10, 1e-3);
    free(u[0]);
    free(u[1]);
}

/* ---- what is refused ------------------------------------------------------------------------------------------- */

static void a_residual_log_that_is_too_short_says_what_would_do(void **unused)
{
    static fem_case c;
    piola_error error = {0};
    (void)unused;
    moving(&c, 200, 3, box, box);
    pio_sim *sim = started(&c, 1 << 20, 1);
    must(engine->advance(sim, 200, &error), &error, "out");
    const int64_t needed = residual_log_bytes(sim);
    engine->destroy(sim);
    for (int k = 0; k < 2; k++) { /* reported by the step after, or where the run is checked */
        sim = started(&c, k ? needed - 4 : needed / 2, 1);
        piola_status rc = engine->advance(sim, 200, &error);
        assert_int_equal(rc, k ? PIOLA_OK : PIOLA_NO_MEMORY);
        if (k) assert_int_equal(engine->check(sim, &error), PIOLA_NO_MEMORY);
        print_message("  %s\n", error.message);
        assert_non_null(strstr(error.message, "the residual log is too short"));
        const char *about = strstr(error.message, "about ");
        const double named = about ? atof(about + 6) : 0;
        assert_true(named > 0.7 * (double)needed && named < 1.4 * (double)needed);
        assert_int_equal(engine->inverse_step(sim, &error), PIOLA_NO_MEMORY);
        engine->destroy(sim);
    }
    sim = started(&c, needed, 1);
    out_and_back(sim, &c, 200);
    engine->destroy(sim);
    sim =
        started(&c, needed / 2, 1); /* of a run whose first state is not kept there is no record, and nothing is said */
    must(engine->start(sim, NULL, &error), &error, "start");
    must(engine->advance(sim, 200, &error), &error, "out");
    must(engine->check(sim, &error), &error, "check");
    assert_int_equal(residual_log_bytes(sim), 0);
    assert_int_equal(engine->inverse_step(sim, &error), PIOLA_USAGE);
    engine->destroy(sim);
    fem_case_free(&c);
}

static void refused(fem_case *c, const char *words)
{
    pio_sim *sim = NULL;
    pio_engine_bytes bytes;
    piola_error error = {0};
    fem_case_describe(c, 0, 1);
    assert_int_equal(engine->create(&c->desc, &sim, &bytes, &error), PIOLA_BAD_DATA);
    print_message("  %s\n", error.message);
    assert_non_null(strstr(error.message, words));
    assert_null(sim);
    fem_case_free(c);
}

static void what_has_no_inverse_is_refused_by_name(void **unused)
{
    static fem_case c;
    (void)unused;
    moving(&c, 3, 3, box, box);
    c.fem.lumped = 0;
    refused(&c, "consistent masses");
    moving(&c, 3, 3, box, box);
    fem_case_sample(&c, fem_case_observe(&c, PIO_REACTION, 1), 3, 0, 1);
    refused(&c, "reactions");
    moving(&c, 3, 3, box, box);
    c.fem.integrator = PIO_NEWMARK;
    c.desc.residual_log = 4096;
    refused(&c, "a residual log of 4096 bytes");
}

static void steps_without_a_record_have_no_inverse(void **unused)
{
    static fem_case c;
    piola_error error = {0};
    (void)unused;
    for (int k = 0; k < 3; k++) { /* no residual log; the beginning; a state from elsewhere */
        moving(&c, 5, 3, box, box);
        pio_sim *sim = started(&c, k ? 1 << 16 : 0, 1);
        must(engine->advance(sim, 5, &error), &error, "out");
        must(engine->save(sim, 1, &error), &error, "save");
        if (k == 1)
            for (int s = 0; s < 5; s++) must(engine->inverse_step(sim, &error), &error, "back");
        if (k == 2) must(engine->load(sim, 0, &error), &error, "load");
        if (k == 2) must(engine->load(sim, 1, &error), &error, "load");
        assert_int_equal(engine->inverse_step(sim, &error), PIOLA_USAGE);
        print_message("  %s\n", error.message);
        engine->destroy(sim);
        fem_case_free(&c);
    }
}

/* ---- bits ------------------------------------------------------------------------------------------------------ */

static void longer(const double s[3], double x[3])
{
    x[0] = 200 * s[0];
    x[1] = s[1];
    x[2] = s[2];
}

/* A chain: elements of unit edge in a row, everything across constrained, stiffness k = E and mass m = 1 for each unit
 * of length. A linear step keeps 1/(1 + h^2 K/m) of each mode, so that log2 det(1 + h^2 K/m) bits are lost, of a chain
 * of n masses the mean of log2(1 + 4 k h^2/m sin^2(x)) over its modes: no code can do with less. Modes in which the
 * sides of the chain move apart have shear stiffness besides; from rest they are not excited, but their rounding errors
 * are coded too. */
static double chain_bits(double ratio, double strain, double tolerance)
{
    enum { STEPS = 40 };
    const fem_material m = {.law = PIO_HYPER_LINEAR, .parameters = {ratio, 0}, .density = 1};
    static fem_case c;
    fem_case_begin(&c, 1, STEPS);
    c.fem.newton_tolerance = tolerance;
    fem_case_grid(&c, (fem_grid){box, box, {200, 1, 1}, longer, 0});
    fem_case_matter(&c, &m, 1, 1);
    const int zero = fem_case_support(&c, 0, -1);
    for (int i = 0; i < c.n; i++)
        for (int a = 0; a < D; a++)
            if (a > 0 || fem_case_on_side(&c, i, 0, 0)) fem_case_hold(&c, i, a, zero);
    fem_case_motion(&c, PIO_REVERSIBLE_EULER, 1, 0, 0);
    for (int i = 0; i < c.n; i++) {
        const double s = c.rest[i * D] / 200;
        c.initial_displacement[i * D] = strain * 60 * sin(3.3 * s);
        c.initial_velocity[i * D] = strain * sin(20 * s) * s;
    }
    pio_sim *sim = started(&c, (int64_t)STEPS * 9 * c.n * D + 4096, 1);
    const double bits = out_and_back(sim, &c, STEPS);
    engine->destroy(sim);
    fem_case_free(&c);
    return bits;
}

static void a_step_is_remembered_in_few_bits(void **unused)
{
    static const double ratio[] = {0.01, 1, 100, 1e4}, expected[] = {0.2, 2, 8, 14};
    const double tolerance = fem_case_is_f32() ? 1e-3 : 1e-10;
    (void)unused;
    for (int k = 0; k < 4; k++) {
        double least = 0;
        for (int i = 0; i < 1000; i++)
            least += log2(1 + 4 * ratio[k] * pow(sin(0.5 * M_PI * (i + 0.5) / 1000), 2)) / 1000;
        const double bits = chain_bits(ratio[k], 0.01, tolerance);
        print_message("  k h^2/m = %-5g: %.2f bits per unknown and step; predicted %g, lost by the chain %.2f (limit: "
                      "lost + 2.5)\n",
                      ratio[k], bits, expected[k], least);
        assert_true(bits < least + 2.5);
    }
    print_message("  control, whole numbers as they are: 64 bits\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_steps_out_and_back_return_every_bit_on_any_number_of_threads),
        cmocka_unit_test(every_element_and_law_goes_back),
        cmocka_unit_test(loads_that_follow_and_springs_go_back),
        cmocka_unit_test(a_run_has_the_same_bits_with_a_residual_log_and_without),
        cmocka_unit_test(a_planted_bit_is_found),
        cmocka_unit_test(it_is_backward_euler_but_for_rounding),
        cmocka_unit_test(a_residual_log_that_is_too_short_says_what_would_do),
        cmocka_unit_test(what_has_no_inverse_is_refused_by_name),
        cmocka_unit_test(steps_without_a_record_have_no_inverse),
        cmocka_unit_test(a_step_is_remembered_in_few_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
