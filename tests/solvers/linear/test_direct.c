/* test_direct.c -- sparse direct solves over block matrices with the library of the CPU: right where they are right,
 * and loud where they are not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define CASE_SMALL 1
#include "tests/solvers/linear/krylov_case.h"

#include <stdio.h>

enum { F32 = sizeof(real) == 4 };
static const double eps = F32 ? (double)FLT_EPSILON : DBL_EPSILON;
static const char *const kinds[] = {"positive definite", "symmetric", "general"};
static const case_matrix matrices[] = {[PIO_SPD] = CONTRAST, [PIO_SYMMETRIC] = INDEFINITE, [PIO_GENERAL] = CONVECTION};
static const double ALL = 1e12; /* bytes */

static const pio_direct_table *library(void)
{
    char message[PIO_DIRECT_TEXT] = "", name[128] = "";
    const pio_direct_table *table = pio_direct_open("mumps", message);
    if (!table) fail_msg("%s", message);
    assert_int_equal(table->probe(0, name, message), PIO_DIRECT_OK);
    return table;
}

static void open_case(system_case *s, case_matrix matrix, case_direct w)
{
    piola_error error = {0};
    if (case_open_with(s, matrix, &w, &error)) fail_msg("%s", error.message);
}

static piola_status factor(system_case *s, int transposed, int *negative, piola_error *error)
{
    *error = (piola_error){0};
    return pio_direct_factor(&s->direct, transposed, negative, error);
}

/* The residual to 1e-13 in twice the digits; then x itself is right to its rounding. */
static double solves(system_case *s, int transposed, double tolerance, const char *what)
{
    const pio_direct_request w = {.transposed = transposed, .columns = 1, .b = s->b, .x = s->x, .tolerance = tolerance};
    pio_direct_result r;
    piola_error error = {0};
    double rounding;
    pio_queue_zero(&s->queue, s->x, sizeof *s->x * UNKNOWNS);
    if (pio_direct_solve(&s->direct, &w, &r, &error)) fail_msg("%s: %s", what, error.message);
    const double truth = true_residual(s, transposed, &rounding), wrong = solution_error(s);
    print_message("%-34s residual %.1e (limit %.0e) after %d solves; of the rounded x %.1e (limit %.1e); error %.1e\n",
                  what, r.relative, tolerance, r.solves, truth, rounding, wrong);
    assert_true(r.relative <= tolerance && r.solves >= 1);
    assert_true(truth <= rounding + r.relative);
    return wrong;
}

static void every_method_solves_what_it_accepts_and_refuses_the_rest(void **state)
{
    (void)state;
    static const pio_linear_method methods[] = {PIO_CHOLESKY, PIO_LDLT, PIO_LU};
    for (int m = 0; m < 3; m++)
        for (int k = PIO_SPD; k <= PIO_GENERAL; k++) {
            system_case s;
            piola_error error = {0};
            int negative;
            char what[80];
            const case_direct w = {library(), methods[m], (pio_linop_kind)k, ALL};
            const int accepted = !pio_linop_accepts(methods[m], (pio_linop_kind)k, NULL);
            snprintf(what, sizeof what, "%s, %s", pio_direct_method_name(methods[m]), kinds[k]);
            const piola_status rc = case_open_with(&s, matrices[k], &w, &error);
            if (!accepted) {
                print_message("%-34s %s\n", what, error.message);
                assert_int_equal(rc, PIOLA_BAD_DATA);
                assert_non_null(strstr(error.message, "use "));
            } else {
                assert_int_equal(rc, PIOLA_OK);
                assert_int_equal(factor(&s, 0, &negative, &error), PIOLA_OK);
                assert_true(solves(&s, 0, 1e-13, what) < (F32 ? 1e-3 : 1e-10));
                assert_int_equal(negative > 0, methods[m] == PIO_LDLT && k == PIO_SYMMETRIC);
            }
            case_close(&s);
        }
    system_case s;
    piola_error error;
    const case_direct qr = {library(), PIO_QR, PIO_GENERAL, ALL};
    assert_int_equal(case_open_with(&s, CONVECTION, &qr, &error), PIOLA_BAD_DATA);
    assert_non_null(strstr(error.message, "has no QR"));
    case_close(&s);
}

/* Blocks on the diagonal alone, with entries whose signs are known. */
static void negative_pivots_are_counted_and_cholesky_wants_none(void **state)
{
    (void)state;
    for (int cholesky = 0; cholesky < 2; cholesky++) {
        system_case s;
        piola_error error;
        int negative, wanted = 0;
        open_case(&s, NOTHING, (case_direct){library(), cholesky ? PIO_CHOLESKY : PIO_LDLT, PIO_SPD, ALL});
        for (int i = 0; i < NODES; i++)
            for (int k = s.row_start[i]; k < s.row_start[i + 1]; k++)
                for (int c = 0; c < DIM && s.column[k] == i; c++) {
                    const int below = (i * DIM + c) % 7 == 3;
                    s.value[(ptrdiff_t)k * DD + c * (DIM + 1)] = below ? -2 : 3 + c;
                    wanted += below;
                }
        put_values(&s);
        case_right(&s, 0);
        const piola_status rc = factor(&s, 0, &negative, &error);
        print_message("%s: %d negative pivots (%d are right), status %d %s\n", cholesky ? "Cholesky" : "LDL^T",
                      negative, wanted, (int)rc, error.message);
        assert_int_equal(negative, wanted);
        assert_int_equal(rc, cholesky ? PIOLA_NUMERICAL : PIOLA_OK);
        if (cholesky)
            assert_non_null(strstr(error.message, "not positive definite"));
        else
            assert_true(solves(&s, 0, 1e-13, "a diagonal matrix") < eps);
        case_close(&s);
    }
}

static void an_unsymmetric_matrix_is_solved_transposed(void **state)
{
    (void)state;
    pio_direct_table one_way = *library(); /* as a library whose factors of A do not solve with its transpose */
    one_way.transposes = 0;
    const pio_direct_table *tables[] = {library(), &one_way};
    for (int t = 0; t < 2; t++) {
        system_case s;
        piola_error error;
        pio_direct_result r;
        int negative;
        double rounding;
        open_case(&s, CONVECTION, (case_direct){tables[t], PIO_LU, PIO_GENERAL, ALL});
        case_right(&s, 1);
        assert_int_equal(factor(&s, 1, &negative, &error), PIOLA_OK);
        const double right = solves(&s, 1, 1e-13, t ? "A^T by a factor of A^T" : "A^T by a factor of A");
        assert_true(right < (F32 ? 1e-3 : 1e-10));
        const pio_direct_request wrong = {.columns = 1, .b = s.b, .x = s.x}; /* negative control: A for A^T */
        const piola_status rc = pio_direct_solve(&s.direct, &wrong, &r, &error);
        assert_int_equal(rc, t ? PIOLA_INTERNAL : PIOLA_OK);
        if (!t) {
            true_residual(&s, 1, &rounding);
            print_message("A for A^T: error %.2g (more than 0.01 is right)\n", solution_error(&s));
            assert_true(solution_error(&s) > 0.01);
        }
        case_close(&s);
    }
}

static struct {
    const pio_direct_table *table;
    int analyses, factorisations, solves;
} counted;

static pio_direct_outcome count_analysis(int device, pio_factor_kind kind, const pio_direct_pattern *p, size_t most,
                                         void **out, pio_direct_forecast *forecast, char *message)
{
    counted.analyses++;
    return counted.table->analyse(device, kind, p, most, out, forecast, message);
}

static pio_direct_outcome count_factor(void *f, pio_stream stream, const double *value, int *negative, char *message)
{
    counted.factorisations++;
    return counted.table->factorise(f, stream, value, negative, message);
}

static pio_direct_outcome count_solve(void *f, pio_stream stream, int transposed, int columns, double *x, char *message)
{
    counted.solves++;
    return counted.table->solve(f, stream, transposed, columns, x, message);
}

static void one_analysis_serves_many_factorisations(void **state)
{
    (void)state;
    system_case s;
    piola_error error;
    int negative;
    counted.table = library();
    pio_direct_table counting = *counted.table;
    counting.analyse = count_analysis;
    counting.factorise = count_factor;
    counting.solve = count_solve;
    open_case(&s, CONTRAST, (case_direct){&counting, PIO_LDLT, PIO_SYMMETRIC, ALL});
    for (int k = 0; k < 3; k++) {
        for (ptrdiff_t i = 0; i < (ptrdiff_t)s.blocks * DD; i++) s.value[i] *= k % 2 ? 0.375 : 17;
        put_values(&s);
        case_right(&s, 0);
        assert_int_equal(factor(&s, 0, &negative, &error), PIOLA_OK);
        solves(&s, 0, 1e-13, "other values, same pattern");
    }
    print_message("%d analyses (1 is right), %d factorisations (3), %d solves (3 or more)\n", counted.analyses,
                  counted.factorisations, counted.solves);
    assert_int_equal(counted.analyses, 1);
    assert_int_equal(counted.factorisations, 3);
    assert_true(counted.solves >= 3);
    assert_int_equal(s.direct.analyses, counted.analyses);
    assert_int_equal(s.direct.factorisations, counted.factorisations);
    assert_int_equal(s.direct.solves, counted.solves);
    case_close(&s);
}

static void what_needs_more_bytes_than_allowed_is_refused_before_it_starts(void **state)
{
    (void)state;
    system_case s;
    piola_error error = {0};
    char bytes[32];
    open_case(&s, CONTRAST, (case_direct){library(), PIO_CHOLESKY, PIO_SPD, ALL});
    const size_t needed = s.direct.forecast.bytes;
    print_message("%d unknowns: %zu bytes, %.3g operations\n", UNKNOWNS, needed, s.direct.forecast.operations);
    assert_true(needed > sizeof(double) * (size_t)s.direct.entries && s.direct.forecast.operations > UNKNOWNS);
    case_close(&s);
    const case_direct exact = {library(), PIO_CHOLESKY, PIO_SPD, (double)needed};
    assert_int_equal(case_open_with(&s, CONTRAST, &exact, &error), PIOLA_OK);
    case_close(&s);
    const case_direct less = {library(), PIO_CHOLESKY, PIO_SPD, (double)needed - 1};
    assert_int_equal(case_open_with(&s, CONTRAST, &less, &error), PIOLA_NO_MEMORY);
    print_message("%s\n", error.message);
    snprintf(bytes, sizeof bytes, "needs %zu bytes", needed);
    assert_non_null(strstr(error.message, bytes));
    snprintf(bytes, sizeof bytes, "and %zu are allowed", needed - 1);
    assert_non_null(strstr(error.message, bytes));
    case_close(&s);
}

static void a_matrix_that_cannot_be_eliminated_is_an_error_with_numbers(void **state)
{
    (void)state;
    static const char *const names[] = {"zeros", "a row of zeros", "a number that is none"};
    static const pio_linear_method methods[] = {PIO_CHOLESKY, PIO_LDLT, PIO_LU};
    for (int m = 0; m < 3; m++)
        for (int bad = 0; bad < 3; bad++) {
            system_case s;
            piola_error error;
            int negative;
            open_case(&s, bad ? CONTRAST : NOTHING, (case_direct){library(), methods[m], PIO_SPD, ALL});
            for (int i = 0; bad == 1 && i < NODES; i++)
                for (int k = s.row_start[i]; k < s.row_start[i + 1]; k++)
                    if (i == 5 || s.column[k] == 5) memset(s.value + (ptrdiff_t)k * DD, 0, sizeof(double) * DD);
            if (bad == 2) s.value[0] = (double)NAN;
            put_values(&s);
            piola_status rc = factor(&s, 0, &negative, &error);
            const pio_direct_request w = {.columns = 1, .b = s.b, .x = s.x, .tolerance = 1e-10};
            pio_direct_result r;
            if (!rc) rc = pio_direct_solve(&s.direct, &w, &r, &error);
            print_message("%s of %s: %s\n", pio_direct_method_name(methods[m]), names[bad], error.message);
            assert_int_equal(rc, PIOLA_NUMERICAL);
            assert_true(error.message[0] != '\0');
            case_close(&s);
        }
}

static uint64_t bits(const double *x)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < sizeof(double) * UNKNOWNS; i++)
        hash = (hash ^ ((const unsigned char *)x)[i]) * UINT64_C(1099511628211);
    return hash;
}

/* Random numbers that others draw, and threads, change nothing. */
static void the_same_matrix_gives_the_same_bits(void **state)
{
    (void)state;
    static const pio_linear_method methods[] = {PIO_CHOLESKY, PIO_LDLT, PIO_LU};
    for (int m = 0; m < 3; m++) {
        uint64_t hash[3];
        for (int run = 0; run < 3; run++) {
            system_case s;
            piola_error error;
            pio_device_info info;
            pio_stream stream;
            int negative;
            assert_int_equal(pio_backend_cpu.open(0, 1 + run, &info, &stream), 0);
            for (int k = 0; k < 1000 * run + 1; k++) (void)rand();
            open_case(&s, CONTRAST, (case_direct){library(), methods[m], PIO_SPD, ALL});
            assert_int_equal(factor(&s, 0, &negative, &error), PIOLA_OK);
            solves(&s, 0, 1e-13, pio_direct_method_name(methods[m]));
            hash[run] = bits(s.got);
            s.got[7] *= 1 + 2 * DBL_EPSILON; /* negative control */
            assert_true(bits(s.got) != hash[run]);
            case_close(&s);
        }
        assert_true(hash[1] == hash[0] && hash[2] == hash[0]);
    }
}

static void many_right_hand_sides_are_solved_at_once(void **state)
{
    (void)state;
    system_case s;
    piola_error error;
    pio_direct_result r;
    int negative;
    double worst = 0;
    open_case(&s, CONVECTION, (case_direct){library(), PIO_LU, PIO_GENERAL, ALL});
    for (int c = 1; c < CASE_COLUMNS; c++) { /* b, 2 b, 3 b */
        for (int i = 0; i < UNKNOWNS; i++) s.got[i] = (c + 1) * s.right[i];
        put(&s, s.b + c * UNKNOWNS, s.got, UNKNOWNS);
    }
    assert_int_equal(factor(&s, 0, &negative, &error), PIOLA_OK);
    const pio_direct_request w = {.columns = CASE_COLUMNS, .b = s.b, .x = s.x, .tolerance = 1e-13};
    if (pio_direct_solve(&s.direct, &w, &r, &error)) fail_msg("%s", error.message);
    for (int c = 0; c < CASE_COLUMNS; c++) {
        get(&s, s.x + c * UNKNOWNS, s.got);
        for (int i = 0; i < UNKNOWNS; i++) s.got[i] /= c + 1;
        const double wrong = solution_error(&s);
        if (wrong > worst) worst = wrong;
    }
    print_message("%d columns, residual %.1e, error %.1e\n", CASE_COLUMNS, r.relative, worst);
    assert_true(r.relative <= 1e-13 && worst < (F32 ? 1e-3 : 1e-10));
    const pio_direct_request more = {.columns = CASE_COLUMNS + 1, .b = s.b, .x = s.x};
    assert_int_equal(pio_direct_solve(&s.direct, &more, &r, &error), PIOLA_INTERNAL);
    case_close(&s);
}

/* A residual far below the rounding of x itself: refinement carries x in twice the digits. */
static void refinement_goes_beyond_the_digits_of_a_double(void **state)
{
    (void)state;
    system_case s;
    piola_error error;
    int negative;
    open_case(&s, CONTRAST, (case_direct){library(), PIO_CHOLESKY, PIO_SPD, ALL});
    assert_int_equal(factor(&s, 0, &negative, &error), PIOLA_OK);
    solves(&s, 0, 1e-24, "refined");
    const pio_direct_request w = {.columns = 1, .b = s.b, .x = s.x, .tolerance = 1e-60}; /* negative control */
    pio_direct_result r;
    assert_int_equal(pio_direct_solve(&s.direct, &w, &r, &error), PIOLA_NUMERICAL);
    print_message("%s\n", error.message);
    case_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_solves_what_it_accepts_and_refuses_the_rest),
        cmocka_unit_test(negative_pivots_are_counted_and_cholesky_wants_none),
        cmocka_unit_test(an_unsymmetric_matrix_is_solved_transposed),
        cmocka_unit_test(one_analysis_serves_many_factorisations),
        cmocka_unit_test(what_needs_more_bytes_than_allowed_is_refused_before_it_starts),
        cmocka_unit_test(a_matrix_that_cannot_be_eliminated_is_an_error_with_numbers),
        cmocka_unit_test(the_same_matrix_gives_the_same_bits),
        cmocka_unit_test(many_right_hand_sides_are_solved_at_once),
        cmocka_unit_test(refinement_goes_beyond_the_digits_of_a_double),
    };
    return cmocka_run_group_tests_name("direct", tests, NULL, NULL);
}
