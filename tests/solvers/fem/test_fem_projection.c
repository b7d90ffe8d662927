/* test_fem_projection.c -- does a matrix without negative curvature help Newton's method where the true one is
 * indefinite, and change nothing else: not where it is positive definite, and not the gradient? */
#include "tests/solvers/fem/fem_case.h"

#include "solvers/fem/fem.h"
#include "tests/sanitized.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { D = FEM_DIM };

static double z_none[FEM_VARIABLES];

/* ---- a column that buckles --------------------------------------------------------------------------------- */

static void to_column(const double s[3], double x[3])
{
    x[0] = 10 * s[0];
    x[1] = s[1];
    x[2] = s[2];
}

/* A clamped column under a dead load of more than twice Euler's, pi^2 E I/(4 L^2) = 2.1 N in 3D, all of it in one step,
 * and a thousandth of that across, so that it knows where to go. */
static void column(fem_case *c, pio_hyper_law law)
{
    const fem_material m = fem_material_of(law, 1000);
    fem_case_begin(c, 1, 1);
    c->fem.newton_tolerance = 1e-9;
    c->fem.newton_iterations = 100;
    fem_case_grid(c, (fem_grid){fem_types[3], fem_types[3], {12, 1, 1}, to_column, 0});
    fem_case_matter(c, &m, 1, 1);
    fem_case_clamp(c, 0, 0);
    fem_case_load(c, PIO_TRACTION, 0, 1, fem_case_value(c, -5, 0.001, 0), 0);
}

typedef struct {
    piola_failure_kind failed;
    pio_step_record record;
    double across; /* displacement of the loaded end */
    uint64_t bits;
} outcome;

static outcome run(fem_case *c, pio_projection projection)
{
    outcome o = {0};
    pio_sim *sim = NULL;
    piola_error error = {0};
    c->fem.projection = projection;
    fem_case_describe(c, 0, 1);
    if (piola_engine_fem.create(&c->desc, &sim, NULL, &error)) fail_msg("create: %s", error.message);
    assert_int_equal(piola_engine_fem.start(sim, NULL, &error), PIOLA_OK);
    if (piola_engine_fem.advance(sim, 1, &error)) o.failed = error.failure.kind;
    assert_true(piola_engine_fem.record(sim, 0, &o.record));
    double *u = fem_case_read(sim, "displacement");
    o.across = u[D * fem_case_at(c, c->lines[0] - 1, 0, 0) + 1];
    free(u);
    o.bits = fem_case_hash_state(sim);
    piola_engine_fem.destroy(sim);
    return o;
}

static void a_column_of_every_law_buckles_in_one_step_with_projection_and_not_without(void **unused)
{
    static const char *const names[] = {"auto", "never"};
    int solved[2] = {0}, iterations[2] = {0}, laws = 0;
    (void)unused;
    for (int law = PIO_HYPER_FIXED_COROTATED; law < FEM_LAWS; law += TEST_SANITIZED ? 3 : 1, laws++)
        for (int p = PIO_PROJECT_AUTO; p <= PIO_PROJECT_NEVER; p++) {
            static fem_case c;
            column(&c, (pio_hyper_law)law);
            const outcome o = run(&c, (pio_projection)p);
            print_message("  %s, %s: %s, %d iterations, %d of them projected, %d linear; the end goes %.3g m across\n",
                          fem_law_names[law], names[p],
                          o.failed == PIOLA_FAILED_NOT           ? "solved"
                          : o.failed == PIOLA_FAILED_LINE_SEARCH ? "no lower potential"
                                                                 : "failed",
                          o.record.newton_iterations, o.record.projected, o.record.linear_iterations, o.across);
            solved[p] += !o.failed;
            iterations[p] += o.failed ? 100 : o.record.newton_iterations;
            assert_int_equal(o.record.projected > 0, p == PIO_PROJECT_AUTO);
            if (!o.failed) assert_true(o.across > 1); /* not the straight column, which is in balance too, nearly */
            fem_case_free(&c);
        }
    print_message("  %d laws: solved %d with projection and %d without; iterations, a failure for 100: %d and %d\n",
                  laws, solved[0], solved[1], iterations[0], iterations[1]);
    assert_int_equal(solved[0], laws);
    if (!TEST_SANITIZED) { /* of a third of the laws */
        assert_true(solved[1] < laws);
        assert_true(iterations[0] < 0.95 * iterations[1]);
    }
}

/* ---- the matrix -------------------------------------------------------------------------------------------- */

/* x . K x with the assembled matrix. */
static double curvature(pio_sim *sim, real *x, int n)
{
    fem_sim *f = fem_of(sim);
    const pio_linop op = pio_bsr_operator(&f->matrix.bsr, PIO_SYMMETRIC, 0);
    double product = 0;
    pio_queue_upload(&sim->queue, f->newton.rhs, x, sizeof *x * (size_t)n);
    pio_arena_open(&sim->arena);
    assert_int_equal(op.apply(op.context, f->newton.rhs, f->newton.du), 0);
    for (int i = 0; i < n; i++) product += (double)x[i] * (double)f->newton.du[i];
    pio_arena_close(&sim->arena);
    return product;
}

/* The straight column, pressed together by 5 %: bending it costs negative energy. */
static void the_projected_matrix_of_a_pressed_column_has_no_negative_curvature(void **unused)
{
    (void)unused;
    for (int law = PIO_HYPER_FIXED_COROTATED; law < FEM_LAWS; law++) {
        static fem_case c;
        column(&c, (pio_hyper_law)law);
        pio_sim *sim = fem_case_create(&c, 0, 1);
        fem_sim *f = fem_of(sim);
        const int n = c.n * D;
        real *u = calloc((size_t)n, sizeof *u), *x = calloc((size_t)n, sizeof *x);
        if (!u || !x) fail_msg("out of memory");
        piola_error error;
        assert_int_equal(piola_engine_fem.start(sim, NULL, &error), PIOLA_OK);
        for (int i = 0; i < c.n; i++) { /* u = -X/20; x: bent as by Euler's load, with the rotation of its sections */
            const double s = c.rest[i * D] / 10, a = 1.5707963267948966;
            u[i * D] = (real)(-0.05 * c.rest[i * D]);
            if (s > 0) x[i * D + 1] = (real)(1 - cos(a * s));
            if (s > 0) x[i * D] = (real)(-(c.rest[i * D + 1] - 0.5) * a / 10 * sin(a * s));
        }
        pio_queue_upload(&sim->queue, f->state.u, u, sizeof *u * (size_t)n);
        fem_jacobian(f, fem_whole(0), f->state.u);
        const double plain = curvature(sim, x, n);
        fem_projected_jacobian(f, fem_whole(0), f->state.u);
        const double projected = curvature(sim, x, n);
        double least = projected;
        for (int t = 0; t < 50; t++) {
            for (int i = 0; i < n; i++) x[i] = (real)fem_case_random(&c);
            least = fmin(least, curvature(sim, x, n));
        }
        print_message("  %s: x . K x of bending %.3g, projected %.3g, of 50 random x at least %.3g N m\n",
                      fem_law_names[law], plain, projected, least);
        assert_true(plain < 0 && projected > 0 && least > 0);
        free(u);
        free(x);
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
}

/* ---- where it changes nothing ------------------------------------------------------------------------------- */

/* A block between two plates that come together by 30 %: single points are indefinite, the block is not. */
static void pressed_block(fem_case *c, pio_hyper_law law)
{
    const fem_material m = fem_material_of(law, 1000);
    fem_case_begin(c, 1, 1);
    c->fem.newton_iterations = 100;
    fem_case_grid(c, (fem_grid){fem_types[1], fem_types[1], {5, 5, 3}, NULL, 0.2});
    fem_case_matter(c, &m, 1, 1);
    fem_case_clamp(c, 0, 0);
    for (int a = 0; a < D; a++) fem_case_hold_side(c, 0, 1, a, fem_case_support(c, a ? 0 : -0.3, -1));
}

static void auto_and_never_are_the_same_bits_where_the_matrix_is_positive_definite(void **unused)
{
    (void)unused;
    for (int law = PIO_HYPER_FIXED_COROTATED; law < FEM_LAWS; law++) {
        static fem_case c;
        outcome o[3];
        for (int p = PIO_PROJECT_AUTO; p <= PIO_PROJECT_ALWAYS; p++) {
            pressed_block(&c, (pio_hyper_law)law);
            o[p] = run(&c, (pio_projection)p);
            assert_int_equal(o[p].failed, PIOLA_FAILED_NOT);
            fem_case_free(&c);
        }
        print_message("  %s: %d, %d and always %d iterations, %d, %d and %d projected\n", fem_law_names[law],
                      o[0].record.newton_iterations, o[1].record.newton_iterations, o[2].record.newton_iterations,
                      o[0].record.projected, o[1].record.projected, o[2].record.projected);
        assert_true(o[0].bits == o[1].bits && o[0].record.newton_iterations == o[1].record.newton_iterations);
        assert_int_equal(o[0].record.projected + o[1].record.projected, 0);
        assert_int_equal(o[2].record.projected, o[2].record.newton_iterations);
        assert_true(o[2].bits != o[0].bits); /* another path, whose end is compared below */
    }
}

/* dJ/dE of every element and dJ/dX at the equilibrium that this path leads to. */
static pio_sim *gradient_of(fem_case *c, pio_hyper_law law, pio_projection projection, double *z_bar)
{
    pressed_block(c, law);
    c->fem.projection = projection;
    fem_case_sample(c, fem_case_observe(c, PIO_DISPLACEMENT, 1), 1, 0, 1);
    fem_case_sample(c, fem_case_observe(c, PIO_REACTION, 1), 1, 0, 0.01);
    fem_case_design(c, PIO_LAW_PARAMETER_0, -1, FEM_EACH, fem_linear(c->parameters[0], 0.2 * c->parameters[0]), 0);
    fem_case_design(c, PIO_POSITION, -1, FEM_EACH, fem_linear(0, 0.1), 0);
    pio_sim *sim = fem_case_create(c, 1, 1);
    fem_case_gradient(c, sim, NULL, z_none, z_bar);
    return sim;
}

/* The solution of the adjoint's equation with the assembled matrix, for some right-hand side. */
static void adjoint_of(pio_sim *sim, real *lambda, int n)
{
    fem_sim *f = fem_of(sim);
    int32_t iterations;
    double residual;
    piola_error error;
    for (int i = 0; i < n; i++) lambda[i] = (real)sin(1 + i);
    pio_queue_upload(&sim->queue, f->newton.rhs, lambda, sizeof *lambda * (size_t)n);
    fem_mask_constrained(f, 0, f->newton.rhs);
    pio_queue_zero(&sim->queue, f->newton.lambda, sizeof *lambda * (size_t)n);
    assert_int_equal(fem_solve_adjoint(f, f->newton.rhs, f->newton.lambda, f->linear.adjoint_tolerance, &iterations,
                                       &residual, &error),
                     PIOLA_OK);
    pio_queue_download(&sim->queue, lambda, f->newton.lambda, sizeof *lambda * (size_t)n);
}

/* |a - b|/|a| */
static double apart(const double *a, const double *b, int n)
{
    double off = 0, size = 0;
    for (int i = 0; i < n; i++) {
        off += (a[i] - b[i]) * (a[i] - b[i]);
        size += a[i] * a[i];
    }
    return sqrt(off / size);
}

static void the_gradient_is_that_of_the_true_matrix(void **unused)
{
    (void)unused;
    for (int law = PIO_HYPER_FIXED_COROTATED; law < FEM_LAWS; law += TEST_SANITIZED ? 3 : 1) {
        static fem_case c;
        static double never[FEM_VARIABLES], always[FEM_VARIABLES], plain[FEM_VARIABLES], projected[FEM_VARIABLES];
        char what[96];
        pio_sim *sim = gradient_of(&c, (pio_hyper_law)law, PIO_PROJECT_NEVER, never);
        fem_sim *f = fem_of(sim);
        fem_case_forward(&c, sim, z_none, NULL);
        fem_jacobian(f, fem_whole(0), f->state.u);
        adjoint_of(sim, plain, c.n * D);
        fem_projected_jacobian(f, fem_whole(0), f->state.u);
        adjoint_of(sim, projected, c.n * D);
        const double control = apart(plain, projected, c.n * D);
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
        sim = gradient_of(&c, (pio_hyper_law)law, PIO_PROJECT_ALWAYS, always);
        snprintf(what, sizeof what, "%s: gradient after always - after never", fem_law_names[law]);
        fem_case_below(what, apart(never, always, c.variables), 1e-8, 0);
        print_message("    an adjoint of the projected matrix would be off by %.2g\n", control);
        assert_true(control > 1e-3);
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_column_of_every_law_buckles_in_one_step_with_projection_and_not_without),
        cmocka_unit_test(the_projected_matrix_of_a_pressed_column_has_no_negative_curvature),
        cmocka_unit_test(auto_and_never_are_the_same_bits_where_the_matrix_is_positive_definite),
        cmocka_unit_test(the_gradient_is_that_of_the_true_matrix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
