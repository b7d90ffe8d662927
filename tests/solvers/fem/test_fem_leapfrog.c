/* test_fem_leapfrog.c -- of which time are the velocities of the leapfrog, and does it go back the way it came? f64. */
#include "tests/solvers/fem/fem_case.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { D = FEM_DIM };
static const pio_element_type box = FEM_DIM == 2 ? PIO_QUAD4 : PIO_HEX8;

/* The velocity of the leapfrog after n steps is that at (n - 1/2) h, of a fall g (n - 1/2) h. */
static void velocities_of_the_leapfrog_are_those_of_the_middle_of_a_step(void **unused)
{
    const double h = 0.02, g = -9.81;
    const fem_material m = fem_material_of(PIO_HYPER_NEO_HOOKEAN, 1e4);
    static fem_case c;
    piola_error error;
    double worst = 0;
    (void)unused;
    fem_case_begin(&c, h, 12);
    fem_case_grid(&c, (fem_grid){box, box, {2, 2, 2}, NULL, 0.2});
    fem_case_matter(&c, &m, 1, 0.7);
    c.desc.gravity[1] = g;
    fem_case_motion(&c, PIO_LEAPFROG, 1, 0, 0);
    pio_sim *sim = fem_case_create(&c, 0, 1);
    if (piola_engine_fem.start(sim, NULL, &error)) fail_msg("start: %s", error.message);
    for (int n = 0; n <= 12; n++) {
        double *v = fem_case_read(sim, "velocity");
        for (int i = 0; i < c.n; i++) worst = fmax(worst, fabs(v[i * D + 1] - (n ? g * (n - 0.5) * h : 0)));
        free(v);
        if (n < 12 && piola_engine_fem.advance(sim, 1, &error)) fail_msg("step %d: %s", n, error.message);
    }
    fem_case_below("leapfrog: velocity less that half a step before, m/s", worst, 1e-10, 1);
    piola_engine_fem.destroy(sim);
    fem_case_free(&c);
}

/* Steps of a heavy body that hangs and swings, from displacements and velocities (NULL: random ones); places after 0,
 * steps - 1, steps and steps + 1. */
static void swing(const double *place, const double *velocity, int steps, double *out[4])
{
    const fem_material m = {.law = PIO_HYPER_NEO_HOOKEAN, .parameters = {1000, 0.3}, .density = 3};
    static fem_case c;
    piola_error error;
    fem_case_begin(&c, 0.001, steps + 1);
    fem_case_grid(&c, (fem_grid){box, box, {2, 3, 1}, NULL, 0.2});
    fem_case_matter(&c, &m, 1, 0.8);
    fem_case_clamp(&c, 1, 1);
    c.desc.gravity[1] = -9.81;
    fem_case_motion(&c, PIO_LEAPFROG, 1, 0, 0);
    for (int i = 0; i < c.n * D; i++) {
        const double free = !fem_case_on_side(&c, i / D, 1, 1);
        c.initial_displacement[i] = place ? place[i] : free * 0.01 * fem_case_random(&c);
        c.initial_velocity[i] = velocity ? velocity[i] : free * 0.5 * fem_case_random(&c);
    }
    pio_sim *sim = fem_case_create(&c, 0, 1);
    if (piola_engine_fem.start(sim, NULL, &error)) fail_msg("start: %s", error.message);
    for (int k = 0; k < 4; k++) {
        const int count = k == 0 ? 0 : k == 1 ? steps - 1 : 1;
        if (piola_engine_fem.advance(sim, count, &error)) fail_msg("swing: %s", error.message);
        out[k] = fem_case_read(sim, "displacement");
    }
    piola_engine_fem.destroy(sim);
    fem_case_free(&c);
}

/* From the end of a motion, with the velocity there turned round, the leapfrog goes back where it came from: v(t) is
 * (u(t + h) - u(t - h))/(2h). */
static void the_leapfrog_goes_back_the_way_it_came(void **unused)
{
    enum { SWINGS = 400, NUMBERS = D * (D == 2 ? 12 : 24) };
    double *there[4], *back[4], turned[NUMBERS], worst = 0, way = 0;
    (void)unused;
    swing(NULL, NULL, SWINGS, there);
    for (int i = 0; i < NUMBERS; i++) turned[i] = (there[1][i] - there[3][i]) / (2 * 0.001);
    swing(there[2], turned, SWINGS, back);
    for (int i = 0; i < NUMBERS; i++) {
        worst = fmax(worst, fabs(back[2][i] - there[0][i]));
        way = fmax(way, fabs(there[2][i] - there[0][i]));
    }
    assert_true(way > 0.005);
    fem_case_below("leapfrog: distance from the start over the way", worst / way, 1e-9, 1);
    for (int k = 0; k < 4; k++) free(there[k]), free(back[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(velocities_of_the_leapfrog_are_those_of_the_middle_of_a_step),
        cmocka_unit_test(the_leapfrog_goes_back_the_way_it_came),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
