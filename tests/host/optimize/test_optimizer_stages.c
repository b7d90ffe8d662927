/* test_optimizer_stages.c -- problems whose objective becomes another from stage to stage: when stages end, that only
 * the last one counts, and that a resumed run goes through the same ones. */
#include "tests/host/optimize/optimizer_bench.h"

enum { STAGES = 3, VARIABLES = 6 };

static int stage, begun; /* the stage at hand; how many were begun */

static void begin_stage(void *context, int number)
{
    (void)context;
    assert_int_equal(number, stage + 1);
    stage = number;
    begun++;
}

/* A parabola about another point in each stage; what comes before the last has lower values. */
static double moving(const task *t, const double *z, double *g)
{
    double J = stage < STAGES - 1 ? -100 : 3;
    for (size_t i = 0; i < t->n; i++) {
        const double w = 1 + (double)i, d = z[i] - 0.1 * (double)i - 0.2 * stage;
        J += w * d * d;
        g[i] = 2 * w * d;
    }
    return J;
}

static void set_up_stages(bench *b, pio_optimizer_type type, int evaluations)
{
    set_up(b, type, VARIABLES, moving);
    for (size_t i = 0; i < VARIABLES; i++) b->lower[i] = -2, b->upper[i] = 2;
    b->p.stages = STAGES;
    b->p.begin_stage = begin_stage;
    b->d.stage_evaluations = evaluations;
    b->d.max_iterations = 20000;
    b->d.stop_gradient = 1e-5;
    stage = begun = 0;
}

static double off(const double *z)
{
    double truth[VARIABLES];
    for (size_t i = 0; i < VARIABLES; i++) truth[i] = 0.1 * (double)i + 0.2 * (STAGES - 1);
    return distance(z, truth, VARIABLES);
}

static void only_the_last_stage_converges_and_has_the_best_point(void **state)
{
    (void)state;
    for (int type = PIO_ADAM; type <= PIO_GRADIENT_DESCENT; type++)
        for (int evaluations = 5; evaluations <= 500; evaluations += 495) {
            bench b;
            pio_optimizer_result r;
            set_up_stages(&b, (pio_optimizer_type)type, evaluations);
            assert_int_equal(pio_optimize(&b.p, &b.d, &r, NULL), PIOLA_OK);
            say("three stages", &b, &r);
            printf("  %d stages begun after the first (threshold %d), J %.9g, %.2e from the minimum of the last "
                   "(threshold 1e-4)\n",
                   begun, STAGES - 1, r.J, off(r.z));
            assert_int_equal(begun, STAGES - 1);
            assert_int_equal(r.stage, STAGES - 1);
            assert_true(r.converged && r.J >= 3 && off(r.z) < 1e-4);
            assert_int_equal(r.evaluations, b.t.calls);
            assert_int_equal(b.t.iterations, r.iterations + 1);
            pio_optimizer_result_free(&r);
        }
}

/* The control of the test above: without stages the run ends at the first minimum. */
static void without_stages_the_run_ends_at_the_first_minimum(void **state)
{
    (void)state;
    bench b;
    pio_optimizer_result r;
    set_up_stages(&b, PIO_MMA, 5);
    b.p.stages = 1;
    assert_int_equal(pio_optimize(&b.p, &b.d, &r, NULL), PIOLA_OK);
    printf("one stage: J %.9g, %.2e from the minimum of the last stage (must exceed 0.1)\n", r.J, off(r.z));
    assert_int_equal(begun, 0);
    assert_true(r.converged && r.J < 0 && off(r.z) > 0.1);
    pio_optimizer_result_free(&r);
}

static void a_stage_takes_no_more_evaluations_than_it_has(void **state)
{
    (void)state;
    for (int type = PIO_ADAM; type <= PIO_GRADIENT_DESCENT; type++) {
        bench b;
        pio_optimizer_result r;
        set_up_stages(&b, (pio_optimizer_type)type, 4);
        b.d.stop_gradient = 0;
        b.d.stop_relative_objective = 0;
        b.t.fail_at = 2 * 4 + 1; /* the first evaluation of the last stage, which cannot be computed */
        b.t.fail_with = PIOLA_NUMERICAL;
        assert_int_equal(pio_optimize(&b.p, &b.d, &r, NULL), PIOLA_NUMERICAL);
        printf("%s: the last stage began after %d evaluations (threshold 8): %s\n", pio_optimizer_name(b.d.type),
               (int)b.t.calls - 1, r.sentence);
        assert_int_equal(stage, STAGES - 1);
        assert_int_equal(b.t.calls, 9);
        assert_non_null(strstr(r.sentence, "stage 3 of 3 cannot begin"));
        pio_optimizer_result_free(&r);
    }
}

static void a_run_that_ends_in_an_earlier_stage_has_not_converged(void **state)
{
    (void)state;
    bench b;
    pio_optimizer_result r;
    set_up_stages(&b, PIO_ADAM, 50);
    b.d.stop_gradient = 0;
    b.d.max_iterations = 60;
    assert_int_equal(pio_optimize(&b.p, &b.d, &r, NULL), PIOLA_NO);
    printf("%s\n", r.sentence);
    assert_false(r.converged);
    assert_int_equal(r.stage, 1);
    assert_non_null(strstr(r.sentence, "in stage 2 of 3"));
    pio_optimizer_result_free(&r);
    set_up_stages(&b, PIO_ADAM, 0);
    assert_int_equal(pio_optimize(&b.p, &b.d, &r, NULL), PIOLA_USAGE);
    pio_optimizer_result_free(&r);
}

static void a_resumed_run_goes_through_the_same_stages_with_the_same_bits(void **state)
{
    (void)state;
    for (int type = PIO_ADAM; type <= PIO_GRADIENT_DESCENT; type++) {
        bench b;
        pio_optimizer_result whole, part;
        record r = new_record(VARIABLES, 0);
        set_up_stages(&b, (pio_optimizer_type)type, 6);
        b.d.max_iterations = 40;
        b.t.record = &r;
        pio_optimize(&b.p, &b.d, &whole, NULL);
        const size_t all = b.t.calls;
        for (size_t known = 0; known <= all; known++) {
            record again = new_record(VARIABLES, 0);
            set_up_stages(&b, (pio_optimizer_type)type, 6);
            b.d.max_iterations = 40;
            again.size = known;
            b.t.record = &again;
            b.p.replay = r.list;
            b.p.n_replay = known;
            pio_optimize(&b.p, &b.d, &part, NULL);
            assert_int_equal(b.t.calls, all - known);
            assert_int_equal(part.stage, whole.stage);
            assert_memory_equal(&part.J, &whole.J, sizeof(double));
            assert_memory_equal(part.z, whole.z, VARIABLES * sizeof(double));
            pio_optimizer_result_free(&part);
            free_record(&again);
        }
        printf("%s: replays of 0 to %zu evaluations have the bits of the whole run\n", pio_optimizer_name(b.d.type),
               all);
        pio_optimizer_result_free(&whole);
        free_record(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_the_last_stage_converges_and_has_the_best_point),
        cmocka_unit_test(without_stages_the_run_ends_at_the_first_minimum),
        cmocka_unit_test(a_stage_takes_no_more_evaluations_than_it_has),
        cmocka_unit_test(a_run_that_ends_in_an_earlier_stage_has_not_converged),
        cmocka_unit_test(a_resumed_run_goes_through_the_same_stages_with_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
