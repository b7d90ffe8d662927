/* test_krylov_launches.c -- PCG in few launches: what PCG in more of them computes, in 4 launches an iteration, and no
 * check but after so many iterations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/solvers/linear/krylov_case.h"

/* From x = 0. */
static piola_status solve_with(system_case *s, const pio_linop *op, const pio_krylov_options *o, pio_krylov_result *r,
                               piola_error *error)
{
    *error = (piola_error){0};
    pio_queue_zero(&s->queue, s->x, sizeof *s->x * UNKNOWNS);
    return pio_krylov_solve(&s->krylov, &s->queue, &(pio_krylov_system){.op = op, .b = s->b, .x = s->x}, o, r, error);
}

/* Solves as `o` says, and again in few launches with a check every so many iterations. Where bits must be equal, all
 * that is known must be; where another order of the products in M^-1 r rounds otherwise, the method must stop for the
 * same reason after about as many iterations. Returns the number of launches of the second. */
static int64_t solves_the_same(system_case *s, const pio_linop *op, pio_krylov_options o, int check_every,
                               int equal_bits, pio_krylov_result *r)
{
    pio_krylov_result plain;
    piola_error error;
    double *first = malloc(sizeof *first * UNKNOWNS);
    assert_non_null(first);
    const piola_status rc = solve_with(s, op, &o, &plain, &error);
    get(s, s->x, first);
    o.check_every = check_every;
    o.few_launches = 1;
    const int64_t before = s->queue.counts.launches;
    assert_int_equal(solve_with(s, op, &o, r, &error), rc);
    const int64_t launches = s->queue.counts.launches - before;
    get(s, s->x, s->got);
    assert_int_equal(r->stop, plain.stop);
    assert_true(abs(r->iterations - plain.iterations) <= 2 + plain.iterations / 20);
    if (equal_bits) {
        assert_memory_equal(first, s->got, sizeof *first * UNKNOWNS);
        assert_true(r->iterations == plain.iterations && r->restarts == plain.restarts);
        assert_memory_equal(&r->residual, &plain.residual, sizeof r->residual);
        assert_memory_equal(&r->value, &plain.value, sizeof r->value);
    }
    free(first);
    return launches;
}

/* Without a preconditioner also the bits of PCG in more launches. */
static void few_launches_and_their_checks_change_no_bit(void **state)
{
    static const int checks[] = {1, 4, 7, 16, 1000};
    (void)state;
    for (int c = 0; c < 8; c++) {
        const int jacobi = c & 1, definite = !(c & 2), limited = c & 4;
        system_case s;
        piola_error error = {0};
        if (case_open(&s, definite ? CONTRAST : INDEFINITE, &error)) fail_msg("%s", error.message);
        const pio_linop op = pio_bsr_operator(&s.a, PIO_SPD, jacobi);
        pio_krylov_options o = {.method = PIO_PCG,
                                .tolerance = sizeof(real) == 4 ? 1e-4 : 1e-10,
                                .max_iterations = limited ? 5 : 5000,
                                .check_every = 1};
        for (int l = 0; l < 5; l++) {
            pio_krylov_result r;
            const int64_t launches = solves_the_same(&s, &op, o, checks[l], !jacobi || l > 0, &r);
            const int batches = (r.iterations + checks[l] - 1) / checks[l];
            print_message("%d iterations, stop %d, a check every %d: %d launches\n", r.iterations, r.stop, checks[l],
                          (int)launches);
            o.few_launches = jacobi; /* what the next are compared with */
            if (r.restarts) continue;
            assert_int_equal(r.downloads, batches);
            assert_int_equal(launches, 5 + jacobi + batches * (4 * checks[l] + 3));
        }
        case_close(&s);
    }
}

static void no_right_hand_side_gives_zero(void **state)
{
    (void)state;
    system_case s;
    pio_krylov_result r;
    piola_error error = {0};
    const pio_krylov_options o = {
        .method = PIO_PCG, .tolerance = 1e-4, .max_iterations = 100, .check_every = 16, .few_launches = 1};
    if (case_open(&s, CONTRAST, &error)) fail_msg("%s", error.message);
    const pio_linop op = pio_bsr_operator(&s.a, PIO_SPD, 1);
    put(&s, s.x, s.wanted, UNKNOWNS);
    pio_queue_zero(&s.queue, s.b, sizeof *s.b * UNKNOWNS);
    assert_int_equal(
        pio_krylov_solve(&s.krylov, &s.queue, &(pio_krylov_system){.op = &op, .b = s.b, .x = s.x}, &o, &r, &error),
        PIOLA_OK);
    get(&s, s.x, s.got);
    assert_true(r.iterations == 0 && r.downloads == 1 && length(s.got) <= 0 && r.relative <= 0);
    case_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_launches_and_their_checks_change_no_bit),
        cmocka_unit_test(no_right_hand_side_gives_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
