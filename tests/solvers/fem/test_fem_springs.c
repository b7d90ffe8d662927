/* test_fem_springs.c -- do springs and body forces do what mechanics says?
 *
 * Their kernels are compared with the dual build by test_every_kernel, gradients by test_fem_follow_gradient. */
#include "tests/solvers/fem/fem_case.h"

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
static const pio_element_type box = FEM_DIM == 2 ? PIO_QUAD4 : PIO_HEX8;

static void block(fem_case *c, pio_element_type type)
{
    const fem_material m = fem_material_of(PIO_HYPER_NEO_HOOKEAN, 1000);
    fem_case_begin(c, 1, 1);
    fem_case_grid(c, (fem_grid){type, type, {3, 2, 2}, NULL, 0.2});
    fem_case_matter(c, &m, 1, 0.7);
}

/* A column of E = 1000, nu = 0 on a foundation k, under a traction t along it: u = t/k + t x/E, exactly. */
static void a_column_on_springs_sinks_by_the_load_over_the_stiffness(void **unused)
{
    const fem_material m = {.law = PIO_HYPER_LINEAR, .parameters = {1000, 0}, .density = 1};
    const double k = 70, t = -3;
    (void)unused;
    for (int type = 0; type < FEM_TYPES; type++)
        for (int axes = 0; axes < 2; axes++) {
            static fem_case c;
            double worst = 0;
            char what[100];
            fem_case_begin(&c, 1, 1);
            fem_case_grid(&c, (fem_grid){fem_types[type], fem_types[type], {2, 3, 2}, NULL, 0.2});
            fem_case_matter(&c, &m, 1, 0.6);
            const int zero = fem_case_support(&c, 0, -1);
            fem_case_hold_side(&c, 0, 0, 0, zero);
            if (D == 3) fem_case_hold_side(&c, 2, 0, 2, zero);
            fem_case_load(&c, PIO_TRACTION, 1, 1, fem_case_value(&c, 0, t, 0), 0);
            if (axes)
                fem_case_load(&c, PIO_SPRINGS, 1, 0, fem_case_value(&c, 5, k, 9), -1);
            else
                fem_case_load(&c, PIO_FOUNDATION, 1, 0, fem_case_value(&c, k, 0, 0), -1);
            pio_sim *sim = fem_case_solve(&c);
            double *u = fem_case_read(sim, "displacement");
            for (int i = 0; i < c.n * D; i++)
                worst = fmax(worst, fabs(u[i] - (i % D == 1 ? t / k + t / 1000 * c.rest[i] : 0)));
            snprintf(what, sizeof what, "%s, springs along %s: displacement, m", fem_type_names[fem_types[type]],
                     axes ? "the axes" : "the normal");
            fem_case_below(what, worst, 1e-12, 0);
            free(u);
            piola_engine_fem.destroy(sim);
            fem_case_free(&c);
        }
}

/* Springs at three nodes (2D: two) carry the total force that is applied, each its fraction of the stiffness. */
static void springs_at_nodes_carry_what_is_applied(void **unused)
{
    static fem_case c;
    double carried[3] = {0}, worst = 0;
    (void)unused;
    block(&c, box);
    const int value = fem_case_value(&c, 40, 50, 60), last = c.lines[0] - 1;
    const int node[3] = {fem_case_at(&c, 0, 0, 0), fem_case_at(&c, last, 0, 0), fem_case_at(&c, 0, c.lines[1] - 1, 0)};
    for (int k = 0; k < D; k++) fem_case_springs(&c, node[k], value);
    fem_case_load(&c, PIO_TRACTION, 1, 1, fem_case_value(&c, 2, -3, 1), 0);
    pio_sim *sim = fem_case_solve(&c);
    double *u = fem_case_read(sim, "displacement");
    for (int k = 0; k < D; k++)
        for (int a = 0; a < D; a++) carried[a] += c.value[value][a] * u[node[k] * D + a];
    const double area = D == 2 ? 0.7 : 1;
    for (int a = 0; a < D; a++) worst = fmax(worst, fabs(carried[a] - area * c.value[value + 1][a]));
    fem_case_below("springs at nodes: carried less applied, N", worst, 1e-9, 0);
    free(u);
    piola_engine_fem.destroy(sim);
    fem_case_free(&c);
}

/* A force per volume rho g on some elements is the weight of those elements, were they alone heavy. */
static void a_body_force_is_the_weight_of_as_much(void **unused)
{
    static const double g[3] = {3, -9, 2};
    (void)unused;
    for (int k = 0; k < FEM_TYPES; k++) {
        double *force[2], worst = 0, size = 0;
        int n = 0;
        for (int weight = 0; weight < 2; weight++) {
            static fem_case c;
            block(&c, fem_types[k]);
            c.desc.steps = 0;
            for (int e = 0; e < c.elements; e++) c.density[e] = weight && e % 4 != 3 ? 1.5 : 0;
            for (int a = 0; a < D && weight; a++) c.desc.gravity[a] = g[a];
            if (!weight) fem_case_body_force(&c, 0, fem_case_value(&c, 1.5 * g[0], 1.5 * g[1], 1.5 * g[2]), 0);
            pio_sim *sim = fem_case_start(&c);
            force[weight] = fem_case_read(sim, "external_force");
            n = c.n * D;
            piola_engine_fem.destroy(sim);
            fem_case_free(&c);
        }
        for (int i = 0; i < n; i++) {
            worst = fmax(worst, fabs(force[0][i] - force[1][i]));
            size = fmax(size, fabs(force[1][i]));
        }
        assert_true(size > 0.01);
        fem_case_below(fem_type_names[fem_types[k]], worst / size, 1e-14, 0);
        free(force[0]);
        free(force[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_column_on_springs_sinks_by_the_load_over_the_stiffness),
        cmocka_unit_test(springs_at_nodes_carry_what_is_applied),
        cmocka_unit_test(a_body_force_is_the_weight_of_as_much),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
