/* test_fem_elastica.c -- does a slender beam of quadratic elements bend far as the elastica does? */
#include "tests/solvers/fem/fem_case.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

enum { D = FEM_DIM };

static void to_beam(const double s[3], double x[3])
{
    x[0] = 20 * s[0];
    x[1] = s[1];
    x[2] = s[2];
}

/* Displacement y of the tip of a cantilever of modulus 1e6 Pa, 20 m by 1 m (by 1 m), under a dead load
 * k = P L^2/(E I). */
static void bend_beam(pio_element_type type, double k, double y[FEM_SAMPLES])
{
    static fem_case c;
    const fem_material m = {.law = PIO_HYPER_ST_VENANT, .parameters = {1e6, 0}};
    fem_case_begin(&c, 0.1, 10);
    c.fem.newton_tolerance = 1e-11;
    const int ramp = fem_case_curve(&c, 2, (double[]){0, 1}, (double[]){0, 1});
    fem_case_grid(&c, (fem_grid){type, type, {20, 1, 1}, to_beam, 0});
    fem_case_matter(&c, &m, 1, 0.8);
    fem_case_clamp(&c, 0, 0);
    fem_case_load(&c, PIO_TRACTION, 0, 1, fem_case_value(&c, 0, k * 1e6 / 12 / (20 * 20), 0), ramp);
    fem_case_observe_node(&c, fem_case_at(&c, c.lines[0] - 1, 1, 0), 1);
    pio_sim *sim = fem_case_create(&c, 0, 2);
    fem_case_forward(&c, sim, NULL, y);
    piola_engine_fem.destroy(sim);
    fem_case_free(&c);
}

/* The tip as in the tables of the elastica (Bisshopp and Drucker 1945), with complete elements of degree two and with
 * serendipity elements, which bend nearly alike. */
static void a_slender_beam_bends_as_the_elastica(void **unused)
{
    static const double table[3][3] = {{1, 0.301721, 0.056433}, {2, 0.493457, 0.160642}, {5, 0.713792, 0.387628}};
    const double L = 20;
    (void)unused;
    for (int i = 0; i < (D == 2 ? 3 : 1); i++) {
        double y[2][FEM_SAMPLES];
        for (int t = 3; t < FEM_TYPES; t++) {
            const char *name = fem_type_names[fem_types[t]];
            double *of = y[t - 3];
            char what[64];
            bend_beam(fem_types[t], table[i][0], of);
            snprintf(what, sizeof what, "elastica, %s, k = %g: w/L = %.6f", name, table[i][0], of[1] / L);
            fem_case_below(what, of[1] / L / table[i][1] - 1, 0.01, 0);
            snprintf(what, sizeof what, "elastica, %s, k = %g: u/L = %.6f", name, table[i][0], -of[0] / L);
            fem_case_below(what, -of[0] / L / table[i][2] - 1, 0.01, 0);
        }
        fem_case_below("deflection of serendipity elements over the others', less 1", y[1][1] / y[0][1] - 1, 1e-3, 0);
    }
    double y[FEM_SAMPLES]; /* negative control: elements of degree one are too stiff in shear */
    bend_beam(fem_types[1], table[0][0], y);
    print_message("  elastica, %s, k = 1: off by %.3g (at least 0.1)\n", fem_type_names[fem_types[1]],
                  y[1] / L / table[0][1] - 1);
    assert_true(fabs(y[1] / L / table[0][1] - 1) > 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slender_beam_bends_as_the_elastica),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
