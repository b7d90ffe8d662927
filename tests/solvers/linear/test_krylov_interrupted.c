/* test_krylov_interrupted.c -- does a linear solve that is requested to stop do so at its next check, and leave nothing
 * behind? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/solvers/linear/krylov_case.h"

#include <stdio.h>
#include <string.h>

static int checks_left;

static const char *after_some_checks(void)
{
    return checks_left-- > 0 ? NULL : "a test";
}

static piola_status solve_with(system_case *s, const pio_linop *op, const pio_krylov_options *o, pio_krylov_result *r,
                               piola_error *error)
{
    *error = (piola_error){0};
    pio_queue_zero(&s->queue, s->x, sizeof *s->x * UNKNOWNS);
    return pio_krylov_solve(&s->krylov, &s->queue, &(pio_krylov_system){.op = op, .b = s->b, .x = s->x}, o, r, error);
}

/* Interrupted at the first checks, or at any later, a solve reports it and checks no more; the next has the bits of
 * one that never was. */
static void an_interruption_ends_a_solve_at_its_next_check(void **state)
{
    static const char *const names[] = {"PCG", "MINRES", "GMRES"};
    static const pio_linear_method methods[] = {PIO_PCG, PIO_MINRES, PIO_GMRES};
    (void)state;
    for (int m = 0; m < 3; m++) {
        system_case s;
        pio_krylov_result whole, r;
        piola_error error;
        pio_krylov_options o = {.method = methods[m], .tolerance = 1e-10, .max_iterations = 5000, .check_every = 3};
        if (case_open(&s, CONTRAST, &error)) fail_msg("%s", error.message);
        const pio_linop op = pio_bsr_operator(&s.a, PIO_SPD, 1);
        if (solve_with(&s, &op, &o, &whole, &error)) fail_msg("%s", error.message);
        const double solution = solution_error(&s);
        o.interrupted = after_some_checks;
        for (int checks = 0; checks < whole.downloads; checks = checks < 8 ? checks + 1 : 2 * checks) {
            checks_left = checks;
            assert_int_equal(solve_with(&s, &op, &o, &r, &error), PIOLA_INTERRUPTED);
            assert_int_equal(r.downloads, checks + 1);
            assert_non_null(strstr(error.message, "interrupted by a test after "));
        }
        print_message("%-6s interrupted at checks among %d, at last: %s\n", names[m], (int)whole.downloads,
                      error.message);
        checks_left = 1 << 20;
        if (solve_with(&s, &op, &o, &r, &error)) fail_msg("%s", error.message);
        assert_int_equal(r.iterations, whole.iterations);
        assert_true(fabs(solution_error(&s) - solution) <= 0);
        case_close(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(an_interruption_ends_a_solve_at_its_next_check)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
