/* test_fem_element.c -- the tables of finite elements: shape functions, their derivatives, nodes in VTK's order,
 * quadrature.
 *
 * What is expected is written down here a second time, from the definitions: places of nodes in mesh_pieces.h,
 * integrals of monomials in closed form. */
#include "kernels/fem/fem_element.h"
#include "solvers/engine/engine.h"
#include "tests/host/mesh/mesh_pieces.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static const char *const names[PIO_ELEMENT_TYPES] = {"point1", "line2", "line3", "tri3", "tri6",  "quad4", "quad8",
                                                     "quad9",  "tet4",  "tet10", "hex8", "hex20", "hex27"};
static const double rounding = sizeof(real) == 4 ? 2e-6 : 4e-15;

/* Of this dimension or less: 2D kernels have room for nine nodes. */
static int exists(int type)
{
    return type >= PIO_LINE2 && element_rdim[type] <= DIM;
}

static void below(const char *type, const char *what, double measured, double limit)
{
    print_message("  %-6s %-52s %.2g (limit %.2g)\n", type, what, measured, limit);
    if (!(measured <= limit)) fail_msg("%s, %s: %.9g is beyond %.3g", type, what, measured, limit);
}

/* Point number i in the element: a low-discrepancy sequence (Weyl), folded into the simplex. */
static void inside(int type, int i, real xi[3])
{
    static const double step[3] = {0.8191725133961645, 0.6710436067037893, 0.5497004779019703};
    double x[3] = {0}, sum = 0;
    for (int c = 0; c < element_rdim[type]; c++) sum += x[c] = fmod(0.5 + i * step[c], 1);
    for (int c = 0; c < 3; c++) xi[c] = R(0);
    for (int c = 0; c < element_rdim[type]; c++)
        xi[c] = R(mesh_is_simplex(type) ? (sum > 1 ? x[c] / (1.01 * sum) : x[c]) : 2 * x[c] - 1);
}

static void node_place(int type, int a, real xi[3])
{
    const int *at = mesh_node_place(type, a);
    for (int c = 0; c < 3; c++)
        xi[c] = c >= element_rdim[type] ? R(0) : mesh_is_simplex(type) ? R(0.5) * R(at[c]) : R(at[c]) - R(1);
}

static void tables_know_nodes_and_dimension_of_every_type(void **unused)
{
    (void)unused;
    for (int type = 0; type < PIO_ELEMENT_TYPES; type++) {
        assert_int_equal(element_nodes[type], mesh_nodes_of[type]);
        assert_int_equal(element_rdim[type], mesh_dim_of[type]);
        assert_int_equal(element_is_simplex(type), mesh_is_simplex(type));
        if (exists(type)) assert_true(element_nodes[type] <= ELEMENT_NODES);
        for (int rule = 0; rule < RULES && exists(type); rule++)
            assert_true(element_points[rule][type] <= ELEMENT_POINTS);
    }
}

static void shape_functions_sum_to_one_and_their_derivatives_to_zero(void **unused)
{
    (void)unused;
    for (int type = 0; type < PIO_ELEMENT_TYPES; type++) {
        double one = 0, zero = 0;
        for (int i = 0; i < 100 && exists(type); i++) {
            real xi[3];
            double sum = -1, d[3] = {0};
            inside(type, i, xi);
            for (int a = 0; a < element_nodes[type]; a++) {
                const fem_shape s = element_shape(type, a, xi);
                sum += (double)s.N;
                for (int c = 0; c < 3; c++) d[c] += (double)s.d[c];
            }
            one = fmax(one, fabs(sum));
            zero = fmax(zero, fmax(fabs(d[0]), fmax(fabs(d[1]), fabs(d[2]))));
        }
        if (!exists(type)) continue;
        below(names[type], "|sum N - 1|", one, rounding);
        below(names[type], "|sum dN|", zero, 4 * rounding);
    }
}

static void a_shape_function_is_one_at_its_node_and_zero_at_the_others(void **unused)
{
    (void)unused;
    for (int type = 0; type < PIO_ELEMENT_TYPES; type++) {
        double worst = 0;
        for (int b = 0; b < element_nodes[type] && exists(type); b++) {
            real xi[3];
            node_place(type, b, xi);
            for (int a = 0; a < element_nodes[type]; a++)
                worst = fmax(worst, fabs((double)element_shape(type, a, xi).N - (a == b)));
        }
        if (exists(type)) below(names[type], "|N_a(node b) - delta_ab|", worst, rounding);
    }
}

/* N is of degree two along every axis, so that central differences are exact, whatever the step. */
static void derivatives_are_those_of_the_shape_functions(void **unused)
{
    const double h = 0.25;
    (void)unused;
    for (int type = 0; type < PIO_ELEMENT_TYPES; type++) {
        double worst = 0;
        for (int i = 0; i < 40 && exists(type); i++)
            for (int a = 0; a < element_nodes[type]; a++)
                for (int c = 0; c < 3; c++) {
                    real xi[3];
                    inside(type, i, xi);
                    const double d = (double)element_shape(type, a, xi).d[c];
                    if (c >= element_rdim[type]) {
                        worst = fmax(worst, fabs(d));
                        continue;
                    }
                    xi[c] += R(h);
                    const double plus = (double)element_shape(type, a, xi).N;
                    xi[c] -= R(2 * h);
                    worst = fmax(worst, fabs((plus - (double)element_shape(type, a, xi).N) / (2 * h) - d));
                }
        if (exists(type)) below(names[type], "|dN - difference|", worst, 4 * rounding);
    }
}

/* ---- quadrature ------------------------------------------------------------------------------------------ */

static double monomial(const int power[3], const real xi[3])
{
    double x = 1;
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < power[c]; k++) x *= (double)xi[c];
    return x;
}

/* [-1, 1]^dim: product of 2/(p + 1), or 0; simplex: p! q! r!/(p + q + r + dim)! */
static double integral(int type, const int power[3])
{
    double value = 1;
    int total = element_rdim[type];
    for (int c = 0; c < element_rdim[type]; c++) {
        total += power[c];
        value *= !mesh_is_simplex(type) ? (power[c] % 2 ? 0 : 2.0 / (power[c] + 1)) : tgamma(power[c] + 1.0);
    }
    return mesh_is_simplex(type) ? value / tgamma(total + 1.0) : value;
}

/* Largest error over the monomials of this degree: in all for simplices, along every axis for products. */
static double quadrature_error(int type, int points, int degree)
{
    const int dim = element_rdim[type], simplex = mesh_is_simplex(type);
    double worst = 0;
    int p[3];
    for (p[0] = 0; p[0] <= degree; p[0]++)
        for (p[1] = 0; p[1] <= (dim > 1 ? degree : 0); p[1]++)
            for (p[2] = 0; p[2] <= (dim > 2 ? degree : 0); p[2]++) {
                double sum = 0;
                if (simplex && p[0] + p[1] + p[2] > degree) continue;
                for (int q = 0; q < points; q++) {
                    real xi[3];
                    const double w = (double)element_point(type, points, q, xi);
                    sum += w * monomial(p, xi);
                }
                worst = fmax(worst, fabs(sum - integral(type, p)));
            }
    return worst;
}

static int degree_of(int type, int points)
{
    if (!mesh_is_simplex(type)) return mesh_is_quadratic(type) ? 5 : 3;
    if (points == 1) return 1;
    if (element_rdim[type] == 2) return points == 3 ? 2 : 4;
    return points == 4 ? 2 : points == 8 ? 3 : 5;
}

static void quadrature_is_exact_to_its_degree_and_no_further(void **unused)
{
    (void)unused;
    for (int type = 0; type < PIO_ELEMENT_TYPES; type++)
        for (int rule = 0; rule < RULES && exists(type); rule++) {
            const int points = element_points[rule][type], degree = degree_of(type, points);
            char what[64];
            snprintf(what, sizeof what, "%d points, error at degree %d", points, degree);
            below(names[type], what, quadrature_error(type, points, degree), 4 * rounding);
            const double next = quadrature_error(type, points, degree + 1);
            print_message("  %-6s %d points, error at degree %d: %.2g\n", names[type], points, degree + 1, next);
            assert_true(next > 1e-5);
        }
}

static void points_lie_inside_and_weights_are_positive(void **unused)
{
    (void)unused;
    for (int type = 0; type < PIO_ELEMENT_TYPES; type++)
        for (int rule = 0; rule < RULES && exists(type); rule++)
            for (int q = 0; q < element_points[rule][type]; q++) {
                real xi[3];
                double sum = 0;
                assert_true(element_point(type, element_points[rule][type], q, xi) > 0);
                for (int c = 0; c < element_rdim[type]; c++) {
                    sum += (double)xi[c];
                    assert_true(mesh_is_simplex(type) ? xi[c] > 0 : fabs((double)xi[c]) < 1);
                }
                if (mesh_is_simplex(type)) assert_true(sum < 1);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_know_nodes_and_dimension_of_every_type),
        cmocka_unit_test(shape_functions_sum_to_one_and_their_derivatives_to_zero),
        cmocka_unit_test(a_shape_function_is_one_at_its_node_and_zero_at_the_others),
        cmocka_unit_test(derivatives_are_those_of_the_shape_functions),
        cmocka_unit_test(quadrature_is_exact_to_its_degree_and_no_further),
        cmocka_unit_test(points_lie_inside_and_weights_are_positive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
