/* test_product.c -- the seam to libraries of products, with libraries that are plain loops (product_sample.c): solvers
 * do not notice whose product it is, unless it is wrong, and a library that cannot be used is reported. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define CASE_SMALL 1
#include "solvers/engine/clock.h"
#include "tests/solvers/linear/krylov_case.h"

enum { F32 = sizeof(real) == 4 };
static const double eps = F32 ? (double)FLT_EPSILON : DBL_EPSILON;

/* The library of this name through the loader, as an engine finds it. */
static piola_status library(const char *name, const pio_product_table **table, char says[128], piola_error *error)
{
    pio_backend backend = pio_backend_cpu;
    backend.product = name;
    *error = (piola_error){0};
    return pio_product_library(&backend, 0, table, says, error);
}

static void open_case(system_case *s, case_matrix kind, const char *name)
{
    const pio_product_table *table;
    piola_error error = {0};
    char says[128];
    if (case_open(s, kind, &error)) fail_msg("%s", error.message);
    if (!name) return;
    if (library(name, &table, says, &error)) fail_msg("%s", error.message);
    if (pio_bsr_use(&s->a, table, 0, &error)) fail_msg("%s", error.message);
}

static void close_case(system_case *s)
{
    pio_product_free(&s->a.product);
    case_close(s);
}

/* |y - A x| / (|A| |x|), or of A^T, where y is the engine's and A x the host's in double. */
static double defect(system_case *s, int transposed)
{
    const pio_linop op = pio_bsr_operator(&s->a, PIO_GENERAL, 0);
    put(s, s->x, s->wanted, UNKNOWNS);
    assert_int_equal((transposed ? op.apply_transposed : op.apply)(op.context, s->x, s->b), 0);
    host_apply(s, transposed, 1, s->wanted, s->product);
    const double size = length(s->product);
    get(s, s->b, s->got);
    host_apply(s, transposed, 0, s->wanted, s->product);
    for (int i = 0; i < UNKNOWNS; i++) s->product[i] -= s->got[i];
    return length(s->product) / size;
}

static void every_library_multiplies_by_the_matrix_and_by_its_transposed(void **state)
{
    static const char *const names[] = {NULL, "sample_right", "sample_forward", "sample_unturned"};
    (void)state;
    for (int n = 0; n < 4; n++)
        for (int transposed = 0; transposed < 2; transposed++) {
            system_case s;
            open_case(&s, CONVECTION, names[n]);
            const double wrong = defect(&s, transposed);
            const int lies = n == 3 && transposed; /* negative control */
            print_message("%-15s %-3s: error %.1e of |A| |x| (%s %.1e)\n", names[n] ? names[n] : "own",
                          transposed ? "A^T" : "A", wrong, lies ? "more than" : "limit", lies ? 1e-2 : 4 * eps);
            assert_true(lies ? wrong > 1e-2 : wrong <= 4 * eps);
            close_case(&s);
        }
}

/* The solution found with a library against the known one; NULL: with Piola's own products. */
static double solved(case_matrix matrix, pio_linop_kind kind, pio_linear_method method, int transposed,
                     const char *name, int *iterations)
{
    system_case s;
    pio_krylov_result r;
    piola_error error = {0};
    double rounding;
    open_case(&s, matrix, name);
    const pio_linop op = pio_bsr_operator(&s.a, kind, 1), transpose = pio_linop_transposed(&op);
    const pio_krylov_options o = {
        .method = method, .tolerance = F32 ? 2e-6 : 1e-13, .max_iterations = 5000, .check_every = 1};
    case_right(&s, transposed);
    if (pio_krylov_solve(&s.krylov, &s.queue,
                         &(pio_krylov_system){.op = transposed ? &transpose : &op, .b = s.b, .x = s.x}, &o, &r, &error))
        fail_msg("%s", error.message);
    true_residual(&s, transposed, &rounding);
    const double wrong = solution_error(&s);
    *iterations = r.iterations;
    close_case(&s);
    return wrong;
}

static void every_method_finds_the_same_solution_with_a_library(void **state)
{
    static const struct {
        case_matrix matrix;
        pio_linop_kind kind;
        pio_linear_method method;
        int transposed;
        const char *what;
    } solves[] = {{CONTRAST, PIO_SPD, PIO_PCG, 0, "PCG"},
                  {INDEFINITE, PIO_SYMMETRIC, PIO_MINRES, 0, "MINRES"},
                  {CONVECTION, PIO_GENERAL, PIO_GMRES, 0, "GMRES"},
                  {CONVECTION, PIO_GENERAL, PIO_GMRES, 1, "GMRES, A^T"}};
    const double limit = F32 ? 2e-3 : 1e-10;
    (void)state;
    for (size_t k = 0; k < sizeof solves / sizeof *solves; k++) {
        int own, by;
        const double first =
            solved(solves[k].matrix, solves[k].kind, solves[k].method, solves[k].transposed, NULL, &own);
        const double second =
            solved(solves[k].matrix, solves[k].kind, solves[k].method, solves[k].transposed, "sample_right", &by);
        print_message("%-10s own: error %.1e, %d iterations; library: %.1e, %d iterations (limit %.0e)\n",
                      solves[k].what, first, own, second, by, limit);
        assert_true(first <= limit && second <= limit);
        assert_true(abs(own - by) <= 2 + own / 5);
    }
    int iterations;
    const double lied =
        solved(CONVECTION, PIO_GENERAL, PIO_GMRES, 1, "sample_unturned", &iterations); /* negative control */
    print_message("A for A^T: error %.1e (more than 0.01)\n", lied);
    assert_true(lied > 0.01);
}

/* Without transposed products, A^T x is made by the kernel, and nothing else is. */
static void what_a_library_lacks_is_made_by_the_kernel(void **state)
{
    static const char *const names[] = {NULL, "sample_right", "sample_forward"};
    (void)state;
    for (int n = 0; n < 3; n++) {
        system_case s;
        open_case(&s, CONVECTION, names[n]);
        memset(s.queue.timer, 0, sizeof s.queue.timer);
        s.queue.clock = pio_clock;
        defect(&s, 0);
        defect(&s, 1);
        const int64_t own = s.queue.timer[KERNEL_bsr_apply].calls;
        const int64_t by_transpose = s.queue.timer[KERNEL_bsr_apply_transposed].calls;
        const int64_t by = s.queue.timer[KERNEL_PRODUCT].calls;
        print_message("%-15s kernels: A %lld, A^T %lld; library: %lld\n", names[n] ? names[n] : "own", (long long)own,
                      (long long)by_transpose, (long long)by);
        assert_int_equal(own, n == 0);
        assert_int_equal(by_transpose, n != 1);
        assert_int_equal(by, n == 0 ? 0 : n == 1 ? 2 : 1);
        close_case(&s);
    }
}

static void a_product_that_fails_ends_the_solve_with_what_the_library_says(void **state)
{
    system_case s;
    pio_krylov_result r;
    piola_error error = {0};
    (void)state;
    open_case(&s, CONTRAST, "sample_failing");
    const pio_linop op = pio_bsr_operator(&s.a, PIO_SPD, 1);
    const pio_krylov_options o = {.method = PIO_PCG, .tolerance = 1e-6, .max_iterations = 100, .check_every = 1};
    const piola_status rc =
        pio_krylov_solve(&s.krylov, &s.queue, &(pio_krylov_system){.op = &op, .b = s.b, .x = s.x}, &o, &r, &error);
    print_message("status %d: %s\n", (int)rc, error.message);
    assert_int_equal(rc, PIOLA_UNAVAILABLE);
    assert_non_null(strstr(error.message, "a product by a library failed on cpu: the sample is tired"));
    close_case(&s);
}

static void a_library_that_cannot_be_used_says_why(void **state)
{
    static const struct {
        const char *name, *says;
    } cases[] = {{NULL, "no library of products for cpu: the device has none"},
                 {"nowhere", "piola_product_nowhere.so"},
                 {"sample_old", "piola_product_sample_old.so is of another build of Piola"},
                 {"sample_absent", "this sample does not run"}};
    const pio_product_table *table;
    piola_error error;
    char says[128];
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        assert_int_equal(library(cases[k].name, &table, says, &error), PIOLA_UNAVAILABLE);
        print_message("%s\n", error.message);
        assert_null(table);
        assert_non_null(strstr(error.message, cases[k].says));
    }
    assert_int_equal(library("sample_right", &table, says, &error), PIOLA_OK);
    assert_string_equal(says, "sample 1.0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_library_multiplies_by_the_matrix_and_by_its_transposed),
        cmocka_unit_test(every_method_finds_the_same_solution_with_a_library),
        cmocka_unit_test(what_a_library_lacks_is_made_by_the_kernel),
        cmocka_unit_test(a_product_that_fails_ends_the_solve_with_what_the_library_says),
        cmocka_unit_test(a_library_that_cannot_be_used_says_why),
    };
    return cmocka_run_group_tests_name("product", tests, NULL, NULL);
}
