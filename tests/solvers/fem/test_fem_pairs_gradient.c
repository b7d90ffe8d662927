/* test_fem_pairs_gradient.c -- is the adjoint the derivative where surfaces touch each other?
 *
 * Taylor remainders (host/verify/taylor.h) for every element, of a ring whose ends touch and of two blocks, with
 * respect to the stiffness and the distance of contact, shape, thickness, materials and the start. f64. */
#include "tests/solvers/fem/fem_case_pairs.h"
#include "tests/solvers/fem/fem_taylor.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { D = FEM_DIM, STEPS = 3, ROOM = 20000 };
static const pio_element_type box = FEM_DIM == 2 ? PIO_QUAD4 : PIO_HEX8, simplex = FEM_DIM == 2 ? PIO_TRI3 : PIO_TET4;

static void observe_everything(fem_case *c)
{
    static const pio_observable type[] = {PIO_DISPLACEMENT, PIO_MEAN_VELOCITY, PIO_KINETIC_ENERGY};
    for (int k = 0; k < 3; k++) {
        const int o = fem_case_observe(c, type[k], 2);
        fem_case_sample(c, o, STEPS, 0, 0.1);
        fem_case_sample(c, o, 0, 1, 0.03);
        fem_case_sample(c, o, 1, 1, 0.05);
        fem_case_sample(c, o, 2, 1, -0.04);
    }
}

static void design_everything(fem_case *c)
{
    const pio_pairs_desc *p = &c->fem.pairs;
    fem_case_design(c, PIO_PAIR_STIFFNESS, -1, FEM_SCALAR, fem_logarithmic(log(p->stiffness), 0.4), 0);
    fem_case_design(c, PIO_PAIR_DISTANCE, -1, FEM_SCALAR, fem_linear(p->distance, 0.1 * p->distance), 0);
    fem_case_design(c, PIO_POSITION, -1, FEM_EACH, fem_linear(0, 0.01), 0);
    if (D == 2) fem_case_design(c, PIO_THICKNESS, -1, FEM_EACH, fem_linear(0.9, 0.1), 0);
    fem_case_design(c, PIO_DISPLACED, -1, FEM_GROUPS, fem_linear(0, 0.003), 0);
    fem_case_design_matter(c);
}

static void matter(fem_case *c)
{
    fem_material m[2] = {fem_material_of(PIO_HYPER_NEO_HOOKEAN, 1000), fem_material_of(PIO_HYPER_ST_VENANT, 1500)};
    m[0].density = 3, m[1].density = 2;
    fem_case_matter(c, m, 2, 0.9);
    fem_case_motion(c, PIO_LEAPFROG, 1, 0, 0);
    for (int i = 0; i < c->n * D; i++) c->initial_velocity[i] = 0.2 * fem_case_random(c);
}

/* How near the surfaces came: without contact a test would show nothing. */
static void check(taylor_run *t, fem_case *c, const char *what)
{
    pio_contact_report report;
    piola_error error;
    observe_everything(c);
    design_everything(c);
    taylor_begin(t, c, 0.2);
    if (piola_engine_fem.contact(t->sim, &report, &error)) fail_msg("%s", error.message);
    print_message("  %s: %d pairs, least distance %.3g m of %.3g m\n", what, (int)report.pairs, report.nearest,
                  c->fem.pairs.distance);
    assert_true(report.pairs > 0 && report.nearest > 0 && report.nearest < 0.8 * c->fem.pairs.distance);
    everything(t);
    design_by_design(t);
    taylor_end(t, what);
    fem_case_free(c);
}

static void adjoint_is_the_derivative_where_a_ring_touches_itself(void **unused)
{
    (void)unused;
    for (int type = 0; type < FEM_TYPES; type++) {
        static taylor_run t;
        static fem_case c;
        if (D == 3 && fem_types[type] != PIO_TET4 && fem_types[type] != PIO_HEX8) continue;
        fem_case_begin(&c, 0.0005, STEPS);
        fem_case_grid(&c, (fem_grid){fem_types[type], fem_types[type], {12, 2, 1}, fem_case_ring, 0});
        matter(&c);
        fem_case_close_ring(&c, 0.05);
        fem_case_pairs(&c, 20, 0.06, 1, ROOM);
        check(&t, &c, fem_type_names[fem_types[type]]);
    }
}

static void apart(const double s[3], double x[3])
{
    const int upper = s[1] > 0.5;
    x[0] = s[0] + (upper ? 0.07 : 0);
    x[1] = upper ? 0.45 + (s[1] - 0.6) : s[1];
    x[2] = s[2] + (upper ? 0.05 : 0);
}

static void adjoint_is_the_derivative_where_blocks_touch(void **unused)
{
    (void)unused;
    for (int k = 0; k < 2; k++) {
        static taylor_run t;
        static fem_case c;
        fem_case_begin(&c, 0.0005, STEPS);
        fem_case_blocks(&c, (fem_grid){k ? simplex : box, k ? simplex : box, {3, 5, 2}, apart, 0});
        matter(&c);
        fem_case_pairs(&c, 20, 0.08, 0, ROOM);
        check(&t, &c, k ? "simplices" : "boxes");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adjoint_is_the_derivative_where_a_ring_touches_itself),
        cmocka_unit_test(adjoint_is_the_derivative_where_blocks_touch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
