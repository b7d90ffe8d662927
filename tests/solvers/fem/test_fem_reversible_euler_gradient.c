/* test_fem_reversible_euler_gradient.c -- is the gradient of residual-coded backward Euler its derivative, and the same
 * bits whether states are stored or steps reversed? f64. */
#include "tests/solvers/fem/fem_euler_case.h"
#include "tests/solvers/fem/fem_motion.h"

enum { FEW = 6 };

static void observe_and_design(fem_case *c)
{
    static const pio_observable type[] = {PIO_DISPLACEMENT, PIO_MEAN_VELOCITY, PIO_KINETIC_ENERGY,
                                          PIO_COMPLIANCE,   PIO_DISTANCE,      PIO_STRAIN_ENERGY};
    for (int k = 0; k < 6; k++) {
        const int o = fem_case_observe(c, type[k], 2);
        fem_case_sample(c, o, FEW, 0, 1);
        fem_case_sample(c, o, 0, 1, 0.3);
        fem_case_sample(c, o, 2, 1, 0.5);
        pio_sample_weight *last = fem_case_sample(c, o, 3, 1, -0.4);
        if (type[k] == PIO_DISTANCE) last->past = 0.6;
    }
    fem_motion_design(c);
}

/* A step so long that Newton's method, with few iterations, fails: it is taken in parts. */
static void in_parts(fem_case *c)
{
    c->desc.dt = 0.25;
    c->fem.newton_iterations = 4;
    c->fem.halvings = 6;
}

static int most_parts(pio_sim *sim)
{
    int most = 0;
    for (int s = 0; s < FEW; s++) {
        pio_step_record record;
        assert_true(engine->record(sim, s, &record));
        if (record.parts > most) most = record.parts;
    }
    return most;
}

static void the_gradient_is_the_derivative(void **unused)
{
    static const pio_element_type cells[2][2][2] = {{{PIO_TRI3, PIO_QUAD4}, {PIO_QUAD9, PIO_TRI6}},
                                                    {{PIO_HEX8, PIO_HEX8}, {PIO_TET10, PIO_TET10}}};
    (void)unused;
    for (int k = 0; k < 3; k++) {
        static taylor_run t;
        static fem_case c;
        moving(&c, FEW, 3 + k, cells[D - 2][k % 2][0], cells[D - 2][k % 2][1]);
        if (k == 2) in_parts(&c);
        observe_and_design(&c);
        c.fem.newton_tolerance = 1e-12;
        taylor_begin(&t, &c, 0.2);
        const int parts = most_parts(t.sim);
        assert_true((parts > 1) == (k == 2));
        engine->repeat(t.sim, 1);
        everything(&t);
        if (D == 2) design_by_design(&t);
        if (k == 0) { /* negative controls */
            t.quiet = 1;
            for (int i = 0; i < c.variables; i++) t.z_bar[i] *= 1.0001;
            const int failed = t.failed;
            assert_int_equal(gradient_direction(&t, "scaled by 1.0001", 0, c.variables), PIO_TAYLOR_FAILED);
            t.failed = failed;
        }
        char what[80];
        snprintf(what, sizeof what, "%s and %s, at most %d parts", fem_type_names[cells[D - 2][k % 2][0]],
                 fem_type_names[cells[D - 2][k % 2][1]], parts);
        taylor_end(&t, what);
        fem_case_free(&c);
    }
}

static uint64_t hash_of(pio_sim *sim, const fem_case *c, const double *z_bar)
{
    return fem_case_hash(fem_case_hash_gradients(sim), z_bar, sizeof *z_bar * (size_t)c->variables);
}

/* Forward, and back by the inverse of each step; `before`: all are reversed and run once more before the turn. */
static uint64_t gradient_by_inverse_steps(fem_case *c, int threads, int before, int sweeps)
{
    static double z[FEM_VARIABLES], z_bar[FEM_VARIABLES];
    double y[FEM_SAMPLES], y_bar[FEM_SAMPLES];
    piola_error error = {0};
    const sample_terms terms = fem_case_terms(c);
    c->desc.residual_log = 1 << 20;
    pio_sim *sim = fem_case_create(c, 1, threads);
    must(engine->start(sim, z, &error), &error, "start");
    must(engine->save(sim, 0, &error), &error, "save");
    for (int sweep = 0; sweep < sweeps; sweep++) {
        must(engine->advance(sim, FEW, &error), &error, "out");
        for (int s = 0; s < FEW && before; s++) must(engine->inverse_step(sim, &error), &error, "back");
        if (before) must(engine->start(sim, z, &error), &error, "start");
        if (before) must(engine->save(sim, 0, &error), &error, "save");
        if (before) must(engine->advance(sim, FEW, &error), &error, "out again");
        must(engine->check(sim, &error), &error, "check");
        must(engine->samples(sim, y, &error), &error, "samples");
        sample_terms_value(&terms, y, y_bar);
        must(engine->adjoint_begin(sim, y_bar, &error), &error, "turn");
        for (int s = FEW - 1; s >= 0; s--) {
            must(engine->inverse_step(sim, &error), &error, "back");
            assert_int_equal(engine->step(sim), s);
            must(engine->adjoint_step(sim, &error), &error, "reverse");
        }
        assert_int_equal(differs(sim, 0), 0);
        memset(z_bar, 0, sizeof z_bar);
        must(engine->adjoint_end(sim, NULL, z_bar, &error), &error, "end");
    }
    const uint64_t hash = hash_of(sim, c, z_bar);
    engine->destroy(sim);
    c->desc.residual_log = 0;
    return hash;
}

static void the_gradient_has_the_same_bits_whether_states_are_stored_or_steps_reversed(void **unused)
{
    (void)unused;
    for (int parts = 0; parts < 2; parts++) {
        static fem_case c;
        static double z[FEM_VARIABLES], z_bar[FEM_VARIABLES];
        moving(&c, FEW, 3, box, box);
        if (parts) in_parts(&c);
        observe_and_design(&c);
        pio_sim *sim = fem_case_create(&c, FEW, 1);
        fem_case_gradient(&c, sim, NULL, z, z_bar);
        const uint64_t all = hash_of(sim, &c, z_bar);
        const int most = most_parts(sim);
        assert_true((most > 1) == parts);
        for (int slots = 1; slots <= FEW; slots++) {
            pio_schedule s = pio_schedule_checkpoint(FEW, slots, 0, 1);
            memset(z_bar, 0, sizeof z_bar);
            fem_case_gradient(&c, sim, &s, z, z_bar);
            assert_true(hash_of(sim, &c, z_bar) == all);
            pio_schedule_end(&s);
        }
        engine->destroy(sim);
        for (int threads = 1; threads <= 3; threads++)
            for (int k = 0; k < 3; k++)
                assert_true(gradient_by_inverse_steps(&c, threads, k == 1, k == 2 ? 2 : 1) == all);
        print_message("  %016llx, at most %d parts: all states, 1 to %d of them, and none\n", (unsigned long long)all,
                      most, FEW);
        fem_case_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gradient_is_the_derivative),
        cmocka_unit_test(the_gradient_has_the_same_bits_whether_states_are_stored_or_steps_reversed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
