/* test_fem_contact_show.c -- are forces, pressures and gaps of contact at nodes what mechanics says, and does a run not
 * notice that they are read? f64. */
#include "tests/solvers/fem/fem_case_pairs.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { D = FEM_DIM, ROOM = 20000 };
static const pio_element_type box = FEM_DIM == 2 ? PIO_QUAD4 : PIO_HEX8;

/* ---- obstacles --------------------------------------------------------------------------------------------------- */

static void lift(const double s[3], double x[3])
{
    for (int a = 0; a < 3; a++) x[a] = s[a] + (a == 1 ? 0.1 : 0);
}

/* A column of nu = 0 that a pressure p presses on a floor, with springs at its top that take a thousandth: the floor's
 * pressure is the rest at every node of the lower side and 0 at all others, and its forces are that times the area.
 * Gaps are those of the places, and of all other nodes the distance. */
static void a_floor_presses_as_the_load_does(void **unused)
{
    const fem_material m = {.law = PIO_HYPER_LINEAR, .parameters = {1000, 0}, .density = 1};
    const double p = 7, soft = 1e-3, distance = 0.03, thick = 0.6, area = D == 2 ? thick : 1;
    static fem_case c;
    double pressed = 0, elsewhere = 0, gaps = 0, sum = 0, sideways = 0, top = 0;
    int nodes = 0, below = 0;
    (void)unused;
    fem_case_begin(&c, 1, 1);
    fem_case_grid(&c, (fem_grid){box, box, {2, 3, 2}, lift, 0.2});
    fem_case_matter(&c, &m, 1, D == 2 ? thick : 1);
    const int zero = fem_case_support(&c, 0, -1);
    fem_case_hold_side(&c, 0, 0, 0, zero);
    if (D == 3) fem_case_hold_side(&c, 2, 0, 2, zero);
    fem_case_load(&c, PIO_TRACTION, 1, 1, fem_case_value(&c, 0, -p, 0), 0);
    fem_case_load(&c, PIO_FOUNDATION, 1, 1, fem_case_value(&c, soft, 0, 0), -1);
    fem_case_contact(&c, 1, 0);
    fem_case_obstacle(&c, PIO_PLANE, 5, distance)->normal[1] = 1;
    pio_sim *sim = fem_case_solve(&c);
    double *u = fem_case_read(sim, "displacement"), *force = fem_case_read(sim, "contact_force");
    double *pressure = fem_case_read(sim, "contact_pressure"), *gap = fem_case_read(sim, "gap");
    for (int i = 0; i < c.n; i++)
        if (fem_case_on_side(&c, i, 1, 1)) top += u[i * D + 1], nodes++;
    const double held = p + soft * top / nodes;
    for (int i = 0; i < c.n; i++) {
        const int touches = fem_case_on_side(&c, i, 1, 0);
        const double at = touches ? c.rest[i * D + 1] + u[i * D + 1] : distance;
        below += touches;
        gaps = fmax(gaps, fabs(gap[i] - at) / distance);
        if (touches) pressed = fmax(pressed, fabs(pressure[i] / held - 1));
        if (!touches) elsewhere = fmax(elsewhere, fabs(pressure[i]));
        sum += force[i * D + 1];
        for (int a = 0; a < D; a++)
            if (a != 1) sideways = fmax(sideways, fabs(force[i * D + a]));
    }
    assert_true(below == 3 * (D == 2 ? 1 : 3));
    fem_case_below("pressure at the floor, of the load's, less 1", pressed, 1e-8, 0);
    fem_case_below("pressure elsewhere, Pa", elsewhere, 0, 0);
    fem_case_below("sum of forces, of the load, less 1", sum / (held * area) - 1, 1e-8, 0);
    fem_case_below("forces along the floor, N", sideways, 0, 0);
    fem_case_below("gaps, of the distance", gaps, 1e-12, 0);
    free(u);
    free(force);
    free(pressure);
    free(gap);
    piola_engine_fem.destroy(sim);
    fem_case_free(&c);
}

/* ---- surfaces ---------------------------------------------------------------------------------------------------- */

/* Blocks 0.02 apart that do not fit each other: their nodes are not above each other. */
static void apart(const double s[3], double x[3])
{
    const int upper = s[1] > 0.5;
    x[0] = s[0] + (upper ? 0.07 : 0);
    x[1] = upper ? 0.42 + (s[1] - 0.6) : s[1];
    x[2] = s[2] + (upper ? 0.05 : 0);
}

static void collide(fem_case *c, int steps)
{
    fem_material m = fem_material_of(PIO_HYPER_NEO_HOOKEAN, 1e4);
    m.density = 1;
    fem_case_begin(c, 1e-4, steps);
    fem_case_blocks(c, (fem_grid){box, box, {3, 5, 2}, apart, 0});
    fem_case_matter(c, &m, 1, 1);
    fem_case_motion(c, PIO_LEAPFROG, 1, 0, 0);
    for (int i = 0; i < c->n; i++) c->initial_velocity[i * D + 1] = fem_case_body(c, i) ? -4 : 2;
    fem_case_pairs(c, 500, 0.015, 0, ROOM);
}

/* What blocks do to each other as they collide is balanced, presses where gaps are less than the distance and nowhere
 * else, and the run goes on to the same bits whether it is read or not. */
static void blocks_press_on_each_other(void **unused)
{
    enum { STEPS = 80 };
    uint64_t hash[2];
    (void)unused;
    for (int reads = 0; reads < 2; reads++) {
        static fem_case c;
        piola_error error;
        double sum[3] = {0}, size = 0;
        int pressed = 0, wrong = 0;
        collide(&c, STEPS);
        pio_sim *sim = fem_case_create(&c, 0, 1);
        assert_int_equal(piola_engine_fem.start(sim, NULL, &error), PIOLA_OK);
        for (int step = 0; step < STEPS; step++) {
            assert_int_equal(piola_engine_fem.advance(sim, 1, &error), PIOLA_OK);
            if (!reads || step % 4) continue;
            double *force = fem_case_read(sim, "contact_force"), *pressure = fem_case_read(sim, "contact_pressure");
            double *gap = fem_case_read(sim, "gap");
            for (int i = 0; i < c.n; i++) {
                for (int a = 0; a < D; a++) {
                    sum[a] += force[i * D + a];
                    size += fabs(force[i * D + a]);
                }
                pressed += pressure[i] > 0;
                wrong += (pressure[i] > 0 && !(gap[i] < 0.015)) || !(gap[i] > 0) || gap[i] > 0.015;
            }
            free(force);
            free(pressure);
            free(gap);
        }
        hash[reads] = fem_case_hash_state(sim);
        if (reads) {
            print_message("  %d nodes were pressed\n", pressed);
            assert_true(pressed > 20);
            assert_int_equal(wrong, 0);
            for (int a = 0; a < D; a++) fem_case_below("sum of forces, relative", sum[a] / size, 1e-13, 0);
        }
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
    assert_true(hash[0] == hash[1]);
}

/* Without contact there are no such fields. */
static void a_mesh_without_contact_has_none(void **unused)
{
    static fem_case c;
    const fem_material m = fem_material_of(PIO_HYPER_NEO_HOOKEAN, 1e4);
    (void)unused;
    fem_case_begin(&c, 1, 1);
    fem_case_grid(&c, (fem_grid){box, box, {1, 1, 1}, lift, 0});
    fem_case_matter(&c, &m, 1, 1);
    const int zero = fem_case_support(&c, 0, -1);
    for (int a = 0; a < D; a++) fem_case_hold_side(&c, 1, 0, a, zero);
    pio_sim *sim = fem_case_create(&c, 0, 1);
    assert_int_equal(piola_engine_fem.components(sim, "contact_force"), 0);
    assert_int_equal(piola_engine_fem.components(sim, "contact_pressure"), 0);
    assert_int_equal(piola_engine_fem.components(sim, "gap"), 0);
    piola_engine_fem.destroy(sim);
    fem_case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_floor_presses_as_the_load_does),
                                       cmocka_unit_test(blocks_press_on_each_other),
                                       cmocka_unit_test(a_mesh_without_contact_has_none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
