/* test_fem_tangent.c -- is the assembled matrix the derivative of the forces, symmetric, with constrained unknowns as
 * unit rows and columns? And does one solve each way, adjoint and tangent, give the same derivative?
 *
 * The forces' product with the derivative, fem_force_adj, is itself compared with the dual build by
 * test_every_kernel. */
#include "tests/solvers/fem/fem_case.h"

#include "solvers/fem/fem.h"

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

/* Every law in a block of irregular elements of one type, one side clamped and one unknown of each fifth node
 * constrained. */
static pio_sim *block(fem_case *c, pio_element_type type)
{
    fem_material m[FEM_LAWS];
    fem_case_begin(c, 1, 1);
    if (fem_case_is_f32()) c->fem.adjoint_tolerance = 2e-5;
    fem_case_grid(c, (fem_grid){type, type, {3, D == 2 ? 3 : 2, 2}, NULL, 0.2});
    for (int law = 0; law < FEM_LAWS; law++) m[law] = fem_material_of((pio_hyper_law)law, 1000 + 100 * law);
    fem_case_matter(c, m, FEM_LAWS, 0.8);
    assert_true(c->elements >= FEM_LAWS);
    fem_case_clamp(c, 0, 0);
    const int zero = fem_case_support(c, 0, -1);
    for (int i = 0; i < c->n; i++)
        if (i % 5 == 0 && !fem_case_on_side(c, i, 0, 0)) fem_case_hold(c, i, i % D, zero);
    pio_sim *sim = fem_case_create(c, 1, 1);
    piola_error error;
    assert_int_equal(piola_engine_fem.start(sim, NULL, &error), PIOLA_OK);
    return sim;
}

static int is_constrained(const fem_case *c, int unknown)
{
    for (int h = 0; h < c->fem.n_constrained; h++)
        if (c->constrained_node[h] * D + c->constrained_axis[h] == unknown) return 1;
    return 0;
}

/* Random numbers up to `size`; zero where constrained, if requested. */
static real *numbers(fem_case *c, double size, int free_only)
{
    real *x = malloc(sizeof *x * (size_t)(c->n * D));
    if (!x) fail_msg("out of memory");
    for (int i = 0; i < c->n * D; i++) {
        const double r = size * fem_case_random(c);
        x[i] = (real)(free_only && is_constrained(c, i) ? 0 : r);
    }
    return x;
}

static void up(pio_sim *sim, real *device, const real *host, int n)
{
    pio_queue_upload(&sim->queue, device, host, sizeof *host * (size_t)n);
}

static void down(pio_sim *sim, real *host, const real *device, int n)
{
    pio_queue_download(&sim->queue, host, device, sizeof *host * (size_t)n);
    assert_false(pio_queue_failed(&sim->queue));
}

/* out = K x with the assembled matrix; and (df/du) x by elements. */
static void by_matrix(pio_sim *sim, const real *x, real *out, int n)
{
    fem_sim *f = fem_of(sim);
    const pio_linop op = pio_bsr_operator(&f->matrix.bsr, PIO_SYMMETRIC, 0);
    up(sim, f->newton.rhs, x, n);
    pio_arena_open(&sim->arena);
    assert_int_equal(op.apply(op.context, f->newton.rhs, f->newton.du), 0);
    pio_arena_close(&sim->arena);
    down(sim, out, f->newton.du, n);
}

static void by_elements(pio_sim *sim, const real *x, real *out, int n)
{
    fem_sim *f = fem_of(sim);
    up(sim, f->newton.y, x, n);
    pio_queue_zero(&sim->queue, f->newton.lambda, sizeof(real) * (size_t)n);
    fem_internal_adj(f, f->state.u, f->newton.y, f->newton.lambda, NULL, 0);
    down(sim, out, f->newton.lambda, n);
}

static double dot(const real *a, const real *b, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++) s += (double)a[i] * (double)b[i];
    return s;
}

typedef struct {
    double product, constrained, symmetry;
} errors;

static errors compare(fem_case *c, pio_sim *sim)
{
    const int n = c->n * D;
    fem_sim *f = fem_of(sim);
    real *x = numbers(c, 1, 1), *y = numbers(c, 1, 0), *z = numbers(c, 1, 0);
    real *K_x = numbers(c, 0, 0), *f_x = numbers(c, 0, 0);
    errors e = {0};
    fem_jacobian(f, fem_whole(0), f->state.u);
    by_matrix(sim, x, K_x, n);
    by_elements(sim, x, f_x, n);
    const double size = sqrt(dot(f_x, f_x, n) / n);
    for (int i = 0; i < n; i++)
        if (!is_constrained(c, i)) e.product = fmax(e.product, fabs((double)(K_x[i] - f_x[i])) / size);
    by_matrix(sim, y, K_x, n); /* constrained unknowns are their own image, and reach no other */
    for (int i = 0; i < n; i++)
        if (is_constrained(c, i)) e.constrained = fmax(e.constrained, fabs((double)(K_x[i] - y[i])));
    for (int i = 0; i < n; i++) x[i] = is_constrained(c, i) ? 0 : y[i];
    by_matrix(sim, x, f_x, n);
    for (int i = 0; i < n; i++)
        if (!is_constrained(c, i)) e.constrained = fmax(e.constrained, fabs((double)(K_x[i] - f_x[i])) / size);
    const double zKy = dot(z, K_x, n), scale = sqrt(dot(K_x, K_x, n) * dot(z, z, n));
    by_matrix(sim, z, K_x, n);
    e.symmetry = fabs(zKy - dot(y, K_x, n)) / scale;
    free(x);
    free(y);
    free(z);
    free(K_x);
    free(f_x);
    return e;
}

static void the_matrix_is_the_derivative_of_the_forces_for_every_element_and_law(void **unused)
{
    (void)unused;
    for (int t = 0; t < FEM_TYPES; t++) {
        static fem_case c;
        char what[96];
        pio_sim *sim = block(&c, fem_types[t]);
        real *u = numbers(&c, 0.02, 0);
        up(sim, fem_of(sim)->state.u, u, c.n * D);
        const errors e = compare(&c, sim);
        snprintf(what, sizeof what, "%s: K x against the adjoint of the forces", fem_type_names[fem_types[t]]);
        fem_case_below(what, e.product, 1e-12, 2e-5);
        snprintf(what, sizeof what, "%s: rows and columns of constrained unknowns", fem_type_names[fem_types[t]]);
        fem_case_below(what, e.constrained, 0, 0);
        snprintf(what, sizeof what, "%s: y . K x - x . K y", fem_type_names[fem_types[t]]);
        fem_case_below(what, e.symmetry, 1e-14, 1e-5);
        /* not vacuous: the forces are not linear */
        fem_jacobian(fem_of(sim), fem_whole(0), fem_of(sim)->state.u);
        for (int i = 0; i < c.n * D; i++) u[i] *= (real)1.001;
        up(sim, fem_of(sim)->state.u, u, c.n * D);
        real *x = numbers(&c, 1, 1), *K_x = numbers(&c, 0, 0), *f_x = numbers(&c, 0, 0);
        by_matrix(sim, x, K_x, c.n * D);
        by_elements(sim, x, f_x, c.n * D);
        double other = 0;
        for (int i = 0; i < c.n * D; i++)
            other = fmax(other, is_constrained(&c, i) ? 0 : fabs((double)(K_x[i] - f_x[i])));
        print_message("  %s: at another displacement it is off by %.2g N/m\n", fem_type_names[fem_types[t]], other);
        assert_true(other > 1e-3);
        free(x);
        free(K_x);
        free(f_x);
        free(u);
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
}

/* dJ/dp = g . u_dot = lambda . b with K u_dot = b and K^T lambda = g. */
static void adjoint_and_tangent_have_the_same_derivative(void **unused)
{
    (void)unused;
    for (int t = 0; t < FEM_TYPES; t++) {
        static fem_case c;
        char what[96];
        pio_sim *sim = block(&c, fem_types[t]);
        fem_sim *f = fem_of(sim);
        const int n = c.n * D;
        real *b = numbers(&c, 1, 1), *g = numbers(&c, 1, 1), *u_dot = numbers(&c, 0, 0), *lambda = numbers(&c, 0, 0);
        int32_t iterations;
        double residual;
        piola_error error;
        fem_jacobian(f, fem_whole(0), f->state.u);
        for (int way = 0; way < 2; way++) {
            up(sim, f->newton.rhs, way ? g : b, n);
            pio_queue_zero(&sim->queue, f->newton.lambda, sizeof(real) * (size_t)n);
            if (fem_solve_adjoint(f, f->newton.rhs, f->newton.lambda, f->linear.adjoint_tolerance, &iterations,
                                  &residual, &error))
                fail_msg("%s", error.message);
            down(sim, way ? lambda : u_dot, f->newton.lambda, n);
        }
        const double one = dot(g, u_dot, n), other = dot(lambda, b, n);
        snprintf(what, sizeof what, "%s: (g . u_dot)/(lambda . b) - 1", fem_type_names[fem_types[t]]);
        fem_case_below(what, one / other - 1, 1e-9, 1e-3);
        free(b);
        free(g);
        free(u_dot);
        free(lambda);
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
}

/* The laws that are linear in one modulus: r_dot = f_int of the constants times E_dot/E. */
static int has_modulus(int law)
{
    return law != PIO_HYPER_MOONEY_RIVLIN && law != PIO_HYPER_OGDEN;
}

/* u_dot at one unknown, for the direction E_dot of the moduli, from K u_dot = -r_dot at the state u. */
static double tangent(fem_case *c, pio_sim *sim, const double *E_dot, int unknown)
{
    fem_sim *f = fem_of(sim);
    const int n = c->n * D;
    real *u_dot = numbers(c, 0, 0), *k = malloc(sizeof *k * field_size(c->elements, PIO_LAW_CONSTANTS));
    int32_t iterations;
    double residual;
    piola_error error;
    if (!k) fail_msg("out of memory");
    fem_jacobian(f, fem_whole(0), f->state.u);
    pio_queue_download(&sim->queue, k, f->materials.k, sizeof *k * field_size(c->elements, PIO_LAW_CONSTANTS));
    for (int e = 0; e < c->elements; e++)
        for (int i = 0; i < PIO_LAW_CONSTANTS; i++)
            k[field_at(c->elements, PIO_LAW_CONSTANTS, i, e)] *= (real)(E_dot[e] / c->parameters[5 * e]);
    pio_queue_upload(&sim->queue, f->materials.k, k, sizeof *k * field_size(c->elements, PIO_LAW_CONSTANTS));
    fem_internal(f, f->state.u, f->forces.internal);
    fem_combine(f, -1, f->forces.internal, 0, f->forces.internal, f->newton.rhs);
    fem_mask_constrained(f, 0, f->newton.rhs);
    pio_queue_zero(&sim->queue, f->newton.lambda, sizeof(real) * (size_t)n);
    if (fem_solve_adjoint(f, f->newton.rhs, f->newton.lambda, f->linear.adjoint_tolerance, &iterations, &residual,
                          &error))
        fail_msg("%s", error.message);
    down(sim, u_dot, f->newton.lambda, n);
    const double value = (double)u_dot[unknown];
    free(u_dot);
    free(k);
    return value;
}

/* dJ/dE . E_dot by the engine's adjoint, and by the tangent of the equilibrium that it stepped to; J is one
 * displacement. */
static void the_gradient_by_every_modulus_is_the_tangent_seen_from_the_other_side(void **unused)
{
    (void)unused;
    for (int t = 0; t < FEM_TYPES; t++) {
        static fem_case c;
        static double z[FEM_VARIABLES], z_bar[FEM_VARIABLES], E_dot[FEM_VARIABLES];
        fem_material m[FEM_LAWS];
        double gradient = 0, other = 0;
        int laws = 0;
        char what[96];
        fem_case_begin(&c, 1, 1);
        if (fem_case_is_f32()) c.fem.adjoint_tolerance = 2e-5;
        fem_case_grid(&c, (fem_grid){fem_types[t], fem_types[t], {3, D == 2 ? 3 : 2, 2}, NULL, 0.2});
        for (int law = 0; law < FEM_LAWS; law++)
            if (has_modulus(law)) m[laws++] = fem_material_of((pio_hyper_law)law, 1000);
        fem_case_matter(&c, m, laws, 0.8);
        fem_case_clamp(&c, 0, 0);
        fem_case_load(&c, PIO_TRACTION, 0, 1, fem_case_value(&c, 30, -20, 10), 0);
        const int node = fem_case_at(&c, c.lines[0] - 1, 0, 0);
        fem_case_observe_node(&c, node, 1);
        fem_case_design(&c, PIO_LAW_PARAMETER_0, -1, FEM_EACH, fem_linear(1000, 1), 0);
        pio_sim *sim = fem_case_create(&c, 1, 1);
        fem_case_gradient(&c, sim, NULL, z, z_bar);
        for (int e = 0; e < c.elements; e++) {
            E_dot[e] = 100 * fem_case_random(&c);
            gradient += z_bar[e] * E_dot[e];
            other += z_bar[e] * fabs(E_dot[e]); /* of another direction */
        }
        fem_case_forward(&c, sim, z, NULL);
        const double forward = tangent(&c, sim, E_dot, node * D + 1);
        snprintf(what, sizeof what, "%s, %d moduli: (dJ/dE . E_dot)/u_dot - 1", fem_type_names[fem_types[t]],
                 c.elements);
        fem_case_below(what, gradient / forward - 1, 1e-9, 2e-3);
        assert_true(fabs(other / forward - 1) > 0.01); /* not vacuous */
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_matrix_is_the_derivative_of_the_forces_for_every_element_and_law),
        cmocka_unit_test(adjoint_and_tangent_have_the_same_derivative),
        cmocka_unit_test(the_gradient_by_every_modulus_is_the_tangent_seen_from_the_other_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
