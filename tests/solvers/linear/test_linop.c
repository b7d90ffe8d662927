/* test_linop.c -- a method that assumes more than an operator promises is an error that says what would be right. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "solvers/linear/linop.h"

static void every_pairing_is_accepted_or_refused_as_the_theory_says(void **state)
{
    (void)state;
    static const int right[7][3] = {{1, 0, 0}, {1, 0, 0}, {1, 1, 0}, {1, 1, 0}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}};
    for (int m = PIO_CHOLESKY; m <= PIO_GMRES; m++)
        for (int k = PIO_SPD; k <= PIO_GENERAL; k++) {
            piola_error error = {0};
            const piola_status rc = pio_linop_accepts((pio_linear_method)m, (pio_linop_kind)k, &error);
            print_message("method %d, kind %d: status %d, %s\n", m, k, (int)rc, error.message);
            assert_int_equal(rc, right[m][k] ? PIOLA_OK : PIOLA_BAD_DATA);
            assert_int_equal(error.message[0] != 0, !right[m][k]);
        }
}

static void a_refusal_names_a_method_that_is_right(void **state)
{
    (void)state;
    piola_error error;
    pio_linop_accepts(PIO_PCG, PIO_SYMMETRIC, &error);
    assert_non_null(strstr(error.message, "use MINRES"));
    pio_linop_accepts(PIO_MINRES, PIO_GENERAL, &error);
    assert_non_null(strstr(error.message, "use GMRES"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pairing_is_accepted_or_refused_as_the_theory_says),
        cmocka_unit_test(a_refusal_names_a_method_that_is_right),
    };
    return cmocka_run_group_tests_name("linop", tests, NULL, NULL);
}
