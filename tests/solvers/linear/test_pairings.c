/* test_pairings.c -- every kind of operator with every method, and of elimination with every library that the device
 * has. What a method accepts it solves, to a known solution, and the rest is an error; an operator that breaks its
 * promise is reported by the kind of failure. On a GPU (CASE_BACKEND) the exit code is 77, skipped, where there is
 * none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define CASE_SMALL 1
#define CASE_RESTART 400 /* an indefinite operator takes GMRES more vectors than block-Jacobi leaves a definite one */
#include "tests/solvers/linear/krylov_case.h"

#include <stdio.h>

#ifndef CASE_METHODS /* how many methods are tried; GMRES, the last, makes millions of sums */
#define CASE_METHODS (PIO_GMRES + 1)
#endif
enum { F32 = sizeof(real) == 4, METHODS = CASE_METHODS, KINDS = PIO_GENERAL + 1 };
static const char *const methods[] = {"Cholesky", "PCG", "LDL^T", "MINRES", "LU", "QR", "GMRES"};
static const char *const kinds[] = {"positive definite", "symmetric", "general"};
static const case_matrix matrices[] = {[PIO_SPD] = CONTRAST, [PIO_SYMMETRIC] = INDEFINITE, [PIO_GENERAL] = CONVECTION};
/* The library's own residual in double; x is rounded to `real`. */
static const double tolerance[] = {F32 ? 2e-6 : 1e-13, 1e-13}, close_to = F32 ? 2e-3 : 1e-10;
static const double ALL = 1e12; /* bytes */

static int iterative(int method)
{
    return method == PIO_PCG || method == PIO_MINRES || method == PIO_GMRES;
}

/* Libraries of the device that are installed, and their names. */
static const pio_direct_table *libraries[3];
static char library_names[3][128];
static int n_libraries;

static void find_libraries(void)
{
    for (int i = 0; i < 2 && CASE_BACKEND.direct[i]; i++) {
        char message[PIO_DIRECT_TEXT] = "";
        const pio_direct_table *table = pio_direct_open(CASE_BACKEND.direct[i], message);
        if (table && table->probe(0, library_names[n_libraries], message) == PIO_DIRECT_OK)
            libraries[n_libraries++] = table;
        else
            print_message("no library %s: %s\n", CASE_BACKEND.direct[i], message);
    }
}

/* Of elimination. */
static int has(int l, int method)
{
    static const pio_factor_kind factors[] = {[PIO_CHOLESKY] = PIO_FACTOR_CHOLESKY,
                                              [PIO_LDLT] = PIO_FACTOR_LDLT,
                                              [PIO_LU] = PIO_FACTOR_LU,
                                              [PIO_QR] = PIO_FACTOR_QR};
    return libraries[l]->kinds >> factors[method] & 1u;
}

/* Iterative methods need no library: they are tried with the first. */
static int tried(int l, int method)
{
    return iterative(method) ? l == 0 : has(l, method);
}

/* What a solve came to. `residual`: |b - A x|/|b| as it is reported. */
typedef struct {
    piola_status rc;
    piola_error error;
    double residual, wrong;
} outcome;

static void iterate(system_case *s, pio_linear_method method, pio_linop_kind kind, double to, outcome *o)
{
    const pio_linop op = pio_bsr_operator(&s->a, kind, 1);
    const pio_krylov_options options = {.method = method, .tolerance = to, .max_iterations = 5000, .check_every = 1};
    pio_krylov_result r;
    o->rc = pio_krylov_solve(&s->krylov, &s->queue, &(pio_krylov_system){.op = &op, .b = s->b, .x = s->x}, &options, &r,
                             &o->error);
    o->residual = r.relative;
}

static void eliminate(system_case *s, double to, outcome *o)
{
    const pio_direct_request w = {.columns = 1, .b = s->b, .x = s->x, .tolerance = to};
    pio_direct_result r = {.relative = (double)NAN};
    int negative;
    o->rc = pio_direct_factor(&s->direct, 0, &negative, &o->error);
    if (!o->rc) o->rc = pio_direct_solve(&s->direct, &w, &r, &o->error);
    o->residual = r.relative;
}

/* Solve the system of this matrix as one of this kind with library l. `spoil`, if not NULL, changes the values
 * before. */
static outcome attempt(int l, int method, pio_linop_kind kind, case_matrix matrix, double to,
                       void (*spoil)(system_case *))
{
    system_case s;
    outcome o = {.residual = (double)NAN, .wrong = (double)NAN};
    const case_direct w = {libraries[l], (pio_linear_method)method, kind, ALL};
    double rounding;
    o.rc = case_open_with(&s, matrix, iterative(method) ? NULL : &w, &o.error);
    if (!o.rc && spoil) {
        spoil(&s);
        put_values(&s);
    }
    if (!o.rc && iterative(method))
        iterate(&s, (pio_linear_method)method, kind, to, &o);
    else if (!o.rc)
        eliminate(&s, to, &o);
    if (!o.rc) {
        true_residual(&s, 0, &rounding);
        o.wrong = solution_error(&s);
    }
    case_close(&s);
    return o;
}

static int accepts(int method, int kind)
{
    return !pio_linop_accepts((pio_linear_method)method, (pio_linop_kind)kind, NULL);
}

/* One pairing; 1: solved, 0: refused. */
static int pair(int l, int m, int k)
{
    const double to = tolerance[!iterative(m)];
    const outcome o = attempt(l, m, (pio_linop_kind)k, matrices[k], to, NULL);
    print_message("%-14s %-9s %-18s ", iterative(m) ? "" : library_names[l], methods[m], kinds[k]);
    if (!accepts(m, k) || (!iterative(m) && !has(l, m))) {
        print_message("refused: %s\n", o.error.message);
        assert_int_equal(o.rc, PIOLA_BAD_DATA);
        assert_non_null(strstr(o.error.message, accepts(m, k) ? "this library has no" : "use "));
        assert_int_equal(o.error.failure.kind, PIOLA_FAILED_NOT);
        return 0;
    }
    if (o.rc) fail_msg("%s", o.error.message);
    print_message("residual %.1e (limit %.0e), error %.1e (limit %.0e)\n", o.residual, to, o.wrong, close_to);
    assert_true(o.residual <= to && o.wrong <= close_to);
    return 1;
}

static void what_a_method_accepts_it_solves_and_the_rest_it_refuses(void **state)
{
    int solved = 0, expected = 0;
    (void)state;
    assert_true(n_libraries > 0);
    for (int l = 0; l < n_libraries; l++)
        for (int m = 0; m < METHODS; m++)
            for (int k = 0; k < KINDS; k++) {
                if (iterative(m) && l) continue;
                solved += pair(l, m, k);
                expected += tried(l, m) && k <= (m <= PIO_PCG      ? PIO_SPD
                                                 : m <= PIO_MINRES ? PIO_SYMMETRIC
                                                                   : PIO_GENERAL);
            }
    print_message("%d pairings solved, %d are to be\n", solved, expected);
    assert_int_equal(solved, expected);
    assert_true(solved >=
                1 + 2 + 3 + 1 + 3); /* PCG, MINRES, GMRES; of a library Cholesky and one for general operators */
}

/* Node 5 is joined to nothing. */
static void loosen(system_case *s)
{
    for (int i = 0; i < NODES; i++)
        for (int k = s->row_start[i]; k < s->row_start[i + 1]; k++)
            if (i == 5 || s->column[k] == 5) memset(s->value + (ptrdiff_t)k * DD, 0, sizeof(double) * DD);
}

static void expect(const outcome *o, piola_failure_kind kind, const char *says, const char *what)
{
    print_message("%-30s failure %d (%d is right), residual %.2g: %s\n", what, (int)o->error.failure.kind, (int)kind,
                  o->error.failure.residual, o->error.message);
    assert_int_equal(o->rc, PIOLA_NUMERICAL);
    assert_int_equal(o->error.failure.kind, kind);
    assert_non_null(strstr(o->error.message, says));
}

static void an_indefinite_operator_that_was_promised_definite_has_negative_curvature(void **state)
{
    static const int takes[] = {PIO_CHOLESKY, PIO_PCG};
    (void)state;
    for (int m = 0; m < 2; m++) {
        const outcome o = attempt(0, takes[m], PIO_SPD, INDEFINITE, tolerance[!iterative(takes[m])], NULL);
        expect(&o, PIOLA_FAILED_NEGATIVE_CURVATURE, m ? "negative curvature" : "not positive definite",
               methods[takes[m]]);
    }
}

static void a_singular_operator_is_found_by_every_method_that_can_find_it(void **state)
{
    static const int eliminates[] = {PIO_LDLT, PIO_LU, PIO_QR}, iterates[] = {PIO_MINRES, PIO_GMRES};
    (void)state;
    for (int m = 0; m < 3; m++) {
        if (!has(0, eliminates[m])) continue;
        const outcome o = attempt(0, eliminates[m], PIO_SPD, CONTRAST, 1e-10, loosen);
        expect(&o, PIOLA_FAILED_SINGULAR, "singular", methods[eliminates[m]]);
    }
    const outcome by_cholesky = attempt(0, PIO_CHOLESKY, PIO_SPD, CONTRAST, 1e-10, loosen);
    /* a library that stops at a pivot need not know whether it is zero or below */
    const int below = by_cholesky.error.failure.kind == PIOLA_FAILED_NEGATIVE_CURVATURE;
    expect(&by_cholesky, below ? PIOLA_FAILED_NEGATIVE_CURVATURE : PIOLA_FAILED_SINGULAR,
           below ? "not positive definite" : "singular", "Cholesky");
    for (int m = 0; m < 2; m++) { /* zeros; of a singular operator whose range has b nothing is reported */
        system_case s;
        outcome o = {.residual = (double)NAN};
        piola_error error = {0};
        if (case_open(&s, NOTHING, &error)) fail_msg("%s", error.message);
        for (int i = 0; i < UNKNOWNS; i++) s.right[i] = noise("right", i);
        put(&s, s.b, s.right, UNKNOWNS);
        const pio_linop op = pio_bsr_operator(&s.a, PIO_SYMMETRIC, 0);
        const pio_krylov_options options = {
            .method = (pio_linear_method)iterates[m], .tolerance = 1e-6, .max_iterations = 100, .check_every = 1};
        pio_krylov_result r;
        o.rc = pio_krylov_solve(&s.krylov, &s.queue, &(pio_krylov_system){.op = &op, .b = s.b, .x = s.x}, &options, &r,
                                &o.error);
        expect(&o, PIOLA_FAILED_SINGULAR, "singular", methods[iterates[m]]);
        case_close(&s);
    }
}

static void a_tolerance_beyond_rounding_is_stagnation_with_the_residual_that_was_reached(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        if (!tried(0, m)) continue;
        const double to = !iterative(m) ? 1e-60 : F32 ? 1e-10 : 1e-18;
        const outcome o = attempt(0, m, PIO_SPD, CONTRAST, to, NULL);
        expect(&o, PIOLA_FAILED_STAGNATION, iterative(m) ? "stagnates" : "falls no further", methods[m]);
        assert_true(o.error.failure.residual > to && o.error.failure.residual < (F32 ? 1e-4 : 1e-12));
        assert_true(!(fabs(o.error.failure.residual - o.residual) > 0));
    }
}

/* cudaErrorStubLibrary, cudaErrorInsufficientDriver, cudaErrorNoDevice (CUDA runtime API, cudaError_t) */
static int means_no_device(int code)
{
    return code == 34 || code == 35 || code == 100;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_method_accepts_it_solves_and_the_rest_it_refuses),
        cmocka_unit_test(an_indefinite_operator_that_was_promised_definite_has_negative_curvature),
        cmocka_unit_test(a_singular_operator_is_found_by_every_method_that_can_find_it),
        cmocka_unit_test(a_tolerance_beyond_rounding_is_stagnation_with_the_residual_that_was_reached),
    };
    pio_device_info info;
    const int rc = CASE_BACKEND.open(0, 2, &info, &case_stream);
    if (rc) {
        printf("%s: %s\n", means_no_device(rc) ? "skipped" : "FAILED", CASE_BACKEND.error_text(rc));
        return means_no_device(rc) ? 77 : 1;
    }
    find_libraries();
    const int failed = cmocka_run_group_tests_name("pairings", tests, NULL, NULL);
    CASE_BACKEND.close(case_stream);
    return failed;
}
