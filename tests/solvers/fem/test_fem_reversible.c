/* test_fem_reversible.c -- does the reversible leapfrog go back to where it came from, every bit of it; is it still the
 * leapfrog; and what does it refuse? Its gradient: test_fem_reversible_gradient.c. */
#include "tests/solvers/fem/fem_leap_case.h"
#include "tests/sanitized.h"

/* ---- out and back ---------------------------------------------------------------------------------------------- */

static void ten_thousand_steps_out_and_back_return_every_bit_on_any_number_of_threads(void **unused)
{
    enum { STEPS = TEST_SANITIZED ? 400 : 10000, MIDDLE = STEPS / 2 };
    uint64_t first = 0;
    (void)unused;
    for (int threads = 1; threads <= 3; threads++) {
        static fem_case c;
        leap_moving(&c, PIO_REVERSIBLE_LEAPFROG, STEPS, 3, leap_box, leap_box);
        pio_sim *sim = leap_started(&c, 2, threads);
        leap_out(sim, MIDDLE);
        piola_error error = {0};
        must(engine->save(sim, 1, &error), &error, "save");
        leap_out(sim, STEPS - MIDDLE);
        const int64_t changed = leap_differs(sim, 0);
        const uint64_t last = fem_case_hash_state(sim);
        leap_back(sim, STEPS - MIDDLE);
        const int64_t middle = leap_differs(sim, 1);
        leap_back(sim, MIDDLE);
        const int64_t words = leap_differs(sim, 0);
        print_message("  %d threads: %lld of %d words changed by %d steps, %lld differ after as many back (at the "
                      "middle %lld); last state %016llx\n",
                      threads, (long long)changed, 4 * D * c.n, STEPS, (long long)words, (long long)middle,
                      (unsigned long long)last);
        assert_true(changed > 2 * D * c.n);
        assert_int_equal(middle, 0);
        assert_int_equal(words, 0);
        assert_int_equal(engine->step(sim), 0);
        leap_out(sim, STEPS); /* the same way once more */
        assert_true(fem_case_hash_state(sim) == last);
        if (threads > 1) assert_true(last == first);
        first = last;
        engine->destroy(sim);
        fem_case_free(&c);
    }
}

/* So many elements that loops have several threads (kernels/backend/cpu.c). */
static void a_mesh_of_many_elements_goes_back_on_any_number_of_threads(void **unused)
{
    enum { STEPS = TEST_SANITIZED ? 3 : 60, ALONG = FEM_DIM == 2 ? 48 : 10 };
    uint64_t first = 0;
    (void)unused;
    for (int threads = 1; threads <= 3; threads++) {
        static fem_case c;
        const fem_material m = {.law = PIO_HYPER_NEO_HOOKEAN, .parameters = {1000, 0.3}, .density = 3};
        const pio_element_type type = FEM_DIM == 2 ? PIO_TRI3 : PIO_TET4;
        fem_case_begin(&c, 1e-5, STEPS);
        fem_case_grid(&c, (fem_grid){type, type, {ALONG, ALONG, ALONG}, NULL, 0.2});
        fem_case_matter(&c, &m, 1, 0.8);
        fem_case_clamp(&c, 1, 1);
        c.desc.gravity[1] = -9.81;
        fem_case_motion(&c, PIO_REVERSIBLE_LEAPFROG, 1, 0, 0);
        for (int i = 0; i < c.n * D; i++) c.initial_velocity[i] = 0.5 * fem_case_random(&c);
        assert_true(c.elements > 4096);
        pio_sim *sim = leap_started(&c, 1, threads);
        leap_out(sim, STEPS);
        const uint64_t last = fem_case_hash_state(sim);
        leap_back(sim, STEPS);
        print_message("  %d elements, %d threads: %lld words differ; last state %016llx\n", c.elements, threads,
                      (long long)leap_differs(sim, 0), (unsigned long long)last);
        assert_int_equal(leap_differs(sim, 0), 0);
        if (threads > 1) assert_true(last == first);
        first = last;
        engine->destroy(sim);
        fem_case_free(&c);
    }
}

static void every_element_and_law_goes_back(void **unused)
{
    enum { STEPS = TEST_SANITIZED ? 3 : 40 };
    int pairs = 0;
    (void)unused;
    for (int k = 0; k < FEM_TYPES; k++)
        for (int law = 0; law < FEM_LAWS; law++) {
            static fem_case c;
            leap_moving(&c, PIO_REVERSIBLE_LEAPFROG, STEPS, law, fem_types[k], fem_types[k]);
            pio_sim *sim = leap_started(&c, 1, 1);
            leap_out(sim, STEPS);
            const int64_t changed = leap_differs(sim, 0);
            leap_back(sim, STEPS);
            if (leap_differs(sim, 0) || changed < 2 * D * c.n)
                fail_msg("%s, %s: %lld words differ, %lld had changed", fem_type_names[fem_types[k]],
                         fem_law_names[law], (long long)leap_differs(sim, 0), (long long)changed);
            pairs++;
            engine->destroy(sim);
            fem_case_free(&c);
        }
    print_message("  %d pairs of element and law: %d steps out and back, no word differs\n", pairs, STEPS);
}

/* A bit of the state that is planted half-way ends in another first state, and one in the end is counted as one
 * word. */
static void a_planted_bit_is_found(void **unused)
{
    enum { STEPS = 20 };
    static fem_case c;
    piola_error error = {0};
    pio_engine_bytes bytes;
    pio_sim *sim = NULL;
    (void)unused;
    leap_moving(&c, PIO_REVERSIBLE_LEAPFROG, STEPS, 3, leap_box, leap_box);
    fem_case_describe(&c, 1, 1);
    must(engine->create(&c.desc, &sim, &bytes, &error), &error, "create");
    assert_int_equal(bytes.state, 16 * D * c.n);
    must(engine->start(sim, NULL, &error), &error, "start");
    must(engine->save(sim, 0, &error), &error, "save");
    leap_out(sim, STEPS);
    unsigned char *state = malloc(bytes.state);
    assert_non_null(state);
    for (int end = 0; end < 2; end++) {
        must(engine->state_out(sim, state, &error), &error, "out");
        state[8 * (size_t)(D * fem_case_at(&c, 2, 1, 0)) + 5] ^= 1; /* of its 2^40: f32 sees it */
        must(engine->state_in(sim, state, engine->step(sim), &error), &error, "in");
        if (!end) leap_back(sim, STEPS);
        const int64_t words = leap_differs(sim, 0);
        print_message("  a bit planted %s: %lld words differ\n", end ? "at the start" : "at the end of the way out",
                      (long long)words);
        assert_true(end ? words == 1 : words > 1);
        must(engine->load(sim, 0, &error), &error, "load");
    }
    free(state);
    engine->destroy(sim);
    fem_case_free(&c);
}

/* ---- is it the leapfrog? --------------------------------------------------------------------------------------- */

static void it_goes_where_the_leapfrog_goes(void **unused)
{
    enum { STEPS = TEST_SANITIZED ? 50 : 1000 };
    double *u[2], *v[2], worst = 0, way = 0, fast = 0, other = 0;
    static fem_case c;
    (void)unused;
    for (int k = 0; k < 2; k++) {
        leap_moving(&c, k ? PIO_LEAPFROG : PIO_REVERSIBLE_LEAPFROG, STEPS, 3, leap_box, leap_box);
        pio_sim *sim = leap_started(&c, 1, 1);
        leap_out(sim, STEPS);
        u[k] = fem_case_read(sim, "displacement");
        v[k] = fem_case_read(sim, "velocity");
        engine->destroy(sim);
        if (!k) fem_case_free(&c);
    }
    for (int i = 0; i < c.n * D; i++) {
        worst = fmax(worst, fabs(u[0][i] - u[1][i]));
        way = fmax(way, fabs(u[1][i]));
        other = fmax(other, fabs(v[0][i] - v[1][i]));
        fast = fmax(fast, fabs(v[1][i]));
    }
    fem_case_below("displacements less the leapfrog's, relative", worst / way, 1e-11, 2e-3);
    fem_case_below("velocities less the leapfrog's, relative", other / fast, 1e-11, 2e-3);
    for (int k = 0; k < 2; k++) free(u[k]), free(v[k]);
    fem_case_free(&c);
}

/* A free body in motion: kinetic energy (of the velocities half a step before and after) plus strain energy. */
static void its_energy_does_not_drift(void **unused)
{
    enum { STEPS = TEST_SANITIZED ? 200 : 10000, SEEN = 24 };
    static fem_case c;
    const fem_material m = {.law = PIO_HYPER_NEO_HOOKEAN, .parameters = {1000, 0.3}, .density = 3};
    double sample[FEM_SAMPLES], mean[2] = {0}, low = INFINITY, high = 0;
    (void)unused;
    fem_case_begin(&c, 0.0005, STEPS);
    fem_case_grid(&c, (fem_grid){leap_box, leap_box, {2, 2, 1}, leap_map, 0.1});
    fem_case_matter(&c, &m, 1, 0.8);
    fem_case_motion(&c, PIO_REVERSIBLE_LEAPFROG, 1, 0, 0);
    for (int i = 0; i < c.n * D; i++) {
        c.initial_velocity[i] = 0.3 * fem_case_random(&c);
        c.initial_displacement[i] = 0.005 * fem_case_random(&c);
    }
    const int kinetic = fem_case_observe(&c, PIO_KINETIC_ENERGY, SEEN),
              strain = fem_case_observe(&c, PIO_STRAIN_ENERGY, SEEN);
    for (int s = 0; s < SEEN; s++) { /* SEEN/2 instants at either end */
        const int64_t n = 1 + (s < SEEN / 2 ? 7 * s : STEPS - 2 - 7 * (SEEN - 1 - s));
        fem_case_sample(&c, kinetic, n, s, 0.5);
        fem_case_sample(&c, kinetic, n + 1, s, 0.5);
        fem_case_sample(&c, strain, n, s, 1);
    }
    double *weight = malloc(sizeof *weight * (size_t)(c.n * D + c.elements)), *element_weight = weight + c.n * D;
    assert_non_null(weight);
    for (int i = 0; i < c.n * D; i++) weight[i] = 1;
    for (int e = 0; e < c.elements; e++) element_weight[e] = 1;
    c.observation[kinetic].weight = weight;
    c.observation[strain].weight = element_weight;
    pio_sim *sim = fem_case_create(&c, 1, 1);
    fem_case_forward(&c, sim, NULL, sample);
    for (int s = 0; s < SEEN; s++) {
        const double energy = sample[s] + sample[SEEN + s];
        mean[s >= SEEN / 2] += energy / (SEEN / 2);
        low = fmin(low, energy);
        high = fmax(high, energy);
    }
    fem_case_below("energy: range over the mean", (high - low) / mean[0], 2e-3, 2e-3);
    fem_case_below("energy: mean at the end over that at the start, less 1", mean[1] / mean[0] - 1, 1e-3, 1e-3);
    engine->destroy(sim);
    fem_case_free(&c);
    free(weight);
}

/* ---- refusals -------------------------------------------------------------------------------------------------- */

static void refused(fem_case *c, const char *words)
{
    piola_error error = {0};
    const piola_status rc = fem_case_try(c, NULL, 0, &error);
    print_message("  %s\n", error.message);
    assert_int_equal(rc, PIOLA_BAD_DATA);
    assert_non_null(strstr(error.message, words));
    fem_case_free(c);
}

static void what_has_no_inverse_is_refused_by_name(void **unused)
{
    static fem_case c;
    piola_error error = {0};
    (void)unused;
    for (int k = 0; k < 2; k++) {
        leap_moving(&c, PIO_REVERSIBLE_LEAPFROG, 4, 3, leap_box, leap_box);
        fem_case_motion(&c, PIO_REVERSIBLE_LEAPFROG, 1, k == 0, k == 1);
        refused(&c, "damping");
    }
    leap_moving(&c, PIO_REVERSIBLE_LEAPFROG, 4, 3, leap_box, leap_box);
    fem_case_design(&c, PIO_MASS_DAMPING, -1, FEM_SCALAR, fem_linear(5, 3), 0);
    refused(&c, "damping");
    leap_moving(&c, PIO_REVERSIBLE_LEAPFROG, 4, 3, leap_box, leap_box);
    fem_case_observe(&c, PIO_REACTION, 1);
    refused(&c, "reactions");
    for (int k = 0; k < 2; k++) {
        leap_moving(&c, k ? PIO_REVERSIBLE_LEAPFROG : PIO_LEAPFROG, 4, 3, leap_box, leap_box);
        pio_sim *sim = leap_started(&c, 1, 1);
        if (!k) leap_out(sim, 2);
        assert_int_equal(engine->inverse_step(sim, &error), PIOLA_USAGE);
        print_message("  %s\n", error.message);
        engine->destroy(sim);
        fem_case_free(&c);
    }
}

/* A free body flies past what the lattice holds; a velocity does not fit at the start. */
static void a_number_off_the_lattice_is_an_error_with_step_and_node(void **unused)
{
    (void)unused;
    for (int k = 0; k < 2; k++) {
        static fem_case c;
        piola_error error = {0};
        const fem_material m = {.law = PIO_HYPER_NEO_HOOKEAN, .parameters = {1000, 0.3}, .density = 3};
        fem_case_begin(&c, 0.0005, 400);
        fem_case_grid(&c, (fem_grid){leap_box, leap_box, {2, 2, 1}, leap_map, 0.1});
        fem_case_matter(&c, &m, 1, 0.8);
        fem_case_motion(&c, PIO_REVERSIBLE_LEAPFROG, 1, 0, 0);
        for (int i = 0; i < c.n; i++) c.initial_velocity[i * D] = (k ? 20 : 1.4) / c.desc.dt;
        assert_int_equal(fem_case_try(&c, NULL, 0, &error), PIOLA_NUMERICAL);
        print_message("  %s\n", error.message);
        assert_non_null(strstr(error.message, "lattice"));
        assert_int_equal(error.failure.of, PIOLA_FAILED_NODE);
        assert_in_range(error.failure.item, 0, c.n - 1);
        assert_true(k || (error.failure.step > 100 && error.failure.step < 300));
        fem_case_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ten_thousand_steps_out_and_back_return_every_bit_on_any_number_of_threads),
        cmocka_unit_test(a_mesh_of_many_elements_goes_back_on_any_number_of_threads),
        cmocka_unit_test(every_element_and_law_goes_back),
        cmocka_unit_test(a_planted_bit_is_found),
        cmocka_unit_test(it_goes_where_the_leapfrog_goes),
        cmocka_unit_test(its_energy_does_not_drift),
        cmocka_unit_test(what_has_no_inverse_is_refused_by_name),
        cmocka_unit_test(a_number_off_the_lattice_is_an_error_with_step_and_node),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
