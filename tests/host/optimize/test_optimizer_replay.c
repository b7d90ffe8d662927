/* test_optimizer_replay.c -- a run that is resumed from its record ends with the same bits. */
#include "tests/host/optimize/optimizer_bench.h"

static void replay_gives_the_same_bits_and_computes_only_what_is_new(void **state)
{
    (void)state;
    for (int type = PIO_ADAM; type <= PIO_GRADIENT_DESCENT; type++) {
        bench b;
        pio_optimizer_result whole, part;
        record r = new_record(6, 0);
        set_up(&b, (pio_optimizer_type)type, 6, rosenbrock);
        b.d.max_iterations = 40;
        b.lower[2] = 0.2, b.upper[2] = 0.9, b.z0[2] = 0.5;
        b.t.record = &r;
        assert_int_equal(pio_optimize(&b.p, &b.d, &whole, NULL), PIOLA_OK);
        size_t all = b.t.calls;
        assert_int_equal(r.size, all);
        const size_t parts[] = {0, 1, all / 3, all - 1, all};
        for (size_t i = 0; i < 5; i++) {
            size_t known = parts[i];
            b.t.calls = b.t.recorded = 0;
            b.t.iterations = 0;
            record again = new_record(6, 0);
            again.size = known;
            b.t.record = &again;
            b.p.replay = r.list;
            b.p.n_replay = known;
            assert_int_equal(pio_optimize(&b.p, &b.d, &part, NULL), PIOLA_OK);
            assert_int_equal(b.t.calls, all - known);
            assert_int_equal(b.t.recorded, all - known);
            assert_int_equal(part.replayed, known);
            assert_int_equal(part.evaluations, all);
            assert_int_equal(part.iterations, whole.iterations);
            assert_memory_equal(&part.J, &whole.J, sizeof(double));
            assert_memory_equal(part.z, whole.z, 6 * sizeof(double));
            assert_memory_equal(part.gradient, whole.gradient, 6 * sizeof(double));
            assert_memory_equal(again.J + known, r.J + known, (all - known) * sizeof(double));
            assert_memory_equal(again.z + 6 * known, r.z + 6 * known, 6 * (all - known) * sizeof(double));
            printf("%-5s %zu of %zu replayed: computed %zu (threshold %zu), J bits equal\n",
                   pio_optimizer_name(b.d.type), known, all, b.t.calls, all - known);
            pio_optimizer_result_free(&part);
            free_record(&again);
        }
        pio_optimizer_result_free(&whole);
        free_record(&r);
    }
}

/* What a damaged record has lost is computed again and reported under its number, and nothing else is. */
static void a_hole_in_the_record_is_computed_again(void **state)
{
    (void)state;
    for (int type = PIO_ADAM; type <= PIO_MMA; type++) {
        bench b;
        pio_optimizer_result whole, part;
        record r = new_record(6, 0), again = new_record(6, 0);
        set_up(&b, (pio_optimizer_type)type, 6, rosenbrock);
        b.d.max_iterations = 40;
        b.t.record = &r;
        assert_int_equal(pio_optimize(&b.p, &b.d, &whole, NULL), PIOLA_OK);
        const size_t all = b.t.calls, hole = all / 2;
        pio_evaluation *list = calloc(all, sizeof *list);
        for (size_t k = 0; k < all; k++)
            if (k != hole) list[k] = r.list[k];
        b.t.calls = b.t.recorded = 0;
        b.t.iterations = 0;
        again.size = hole; /* where the bench expects the next evaluation */
        b.t.record = &again;
        b.p.replay = list;
        b.p.n_replay = all;
        assert_int_equal(pio_optimize(&b.p, &b.d, &part, NULL), PIOLA_OK);
        assert_int_equal(b.t.calls, 1);
        assert_int_equal(b.t.recorded, 1);
        assert_int_equal(part.replayed, all - 1);
        assert_memory_equal(&again.J[hole], &r.J[hole], sizeof(double));
        assert_memory_equal(part.z, whole.z, 6 * sizeof(double));
        assert_memory_equal(&part.J, &whole.J, sizeof(double));
        printf("%-5s evaluation %zu of %zu was lost: computed 1, J bits equal\n", pio_optimizer_name(b.d.type), hole,
               all);
        pio_optimizer_result_free(&whole);
        pio_optimizer_result_free(&part);
        free_record(&r);
        free_record(&again);
        free(list);
    }
}

static void a_record_that_differs_in_the_last_bit_is_refused(void **state)
{
    (void)state;
    for (int type = PIO_ADAM; type <= PIO_GRADIENT_DESCENT; type++) {
        for (int kind = 0; kind < 2; kind++) {
            bench b;
            pio_optimizer_result r;
            piola_error error;
            record rec = new_record(2, 0);
            set_up(&b, (pio_optimizer_type)type, 2, rosenbrock);
            b.d.max_iterations = 12;
            b.t.record = &rec;
            assert_int_equal(pio_optimize(&b.p, &b.d, &r, NULL), PIOLA_OK);
            pio_optimizer_result_free(&r);
            size_t at = 5;
            if (kind == 0) rec.z[2 * at + 1] = nextafter(rec.z[2 * at + 1], 10);
            if (kind == 1) rec.gradient[2 * (at - 1)] *= 1.01; /* the path turns off at the next point that uses it */
            b.p.replay = rec.list;
            b.p.n_replay = rec.size;
            b.t.calls = 0;
            b.t.iterations = 0;
            b.t.record = NULL;
            assert_int_equal(pio_optimize(&b.p, &b.d, &r, &error), PIOLA_BAD_DATA);
            printf("%s\n", error.message);
            if (kind == 0) assert_non_null(strstr(error.message, "evaluation 5 "));
            assert_int_equal(b.t.calls, 0);
            assert_int_equal(r.reason, PIO_STOP_FAILED);
            assert_true(r.J < 25);
            pio_optimizer_result_free(&r);
            free_record(&rec);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replay_gives_the_same_bits_and_computes_only_what_is_new),
        cmocka_unit_test(a_hole_in_the_record_is_computed_again),
        cmocka_unit_test(a_record_that_differs_in_the_last_bit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
