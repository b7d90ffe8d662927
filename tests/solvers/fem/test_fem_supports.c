/* test_fem_supports.c -- bodies whose supports move, and then rest: their rates, reactions and motion. f64.
 *
 * A support ramps by V t until T and holds. Its velocity is V and then 0, its acceleration that of one span, and what a
 * damped body pulls it with comes to the static reaction. A mass on a spring that such a base excites has a closed
 * form. */
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

static const char *const names[] = {"static", "backward Euler", "BDF2", "Newmark", "leapfrog"};
static const pio_element_type box = FEM_DIM == 2 ? PIO_QUAD4 : PIO_HEX8;

/* ---- a damped body comes to rest ------------------------------------------------------------------------- */

enum { DAMPED_STEPS = 1500, RAMP_STEPS = 25 };
#define MOVE 0.04

/* A block of 3 x 2 cells, clamped at x = 0; x = 1 is drawn out by MOVE in RAMP_STEPS, and kept there. `integrator`
 * static: the end alone. */
static void drawn(fem_case *c, pio_integrator integrator, int lumped)
{
    const fem_material m = {.law = PIO_HYPER_NEO_HOOKEAN, .parameters = {1000, 0.3}, .density = 3};
    const int moves = integrator != PIO_STATIC;
    const double h = 0.004;
    fem_case_begin(c, moves ? h : 1, moves ? DAMPED_STEPS : 1);
    c->fem.newton_tolerance = 1e-11;
    fem_case_grid(c, (fem_grid){box, box, {3, 2, 1}, NULL, 0.2});
    fem_case_matter(c, &m, 1, 0.9);
    fem_case_clamp(c, 0, 0);
    const int ramp = fem_case_curve(c, 3, (double[]){0, h * RAMP_STEPS, h * DAMPED_STEPS}, (double[]){0, 1, 1});
    fem_case_hold_side(c, 0, 1, 0, fem_case_support(c, MOVE, moves ? ramp : -1));
    if (moves) fem_case_motion(c, integrator, lumped, 12, 0.004);
    c->random = 77; /* of the weights, which are those of the static run */
    static const pio_observable type[] = {PIO_REACTION, PIO_DISPLACEMENT, PIO_MEAN_VELOCITY, PIO_KINETIC_ENERGY};
    for (int k = 0; k < (moves ? 4 : 2); k++) fem_case_sample(c, fem_case_observe(c, type[k], 1), c->desc.steps, 0, 1);
}

static void a_damped_body_comes_to_the_static_reaction_when_its_support_rests(void **unused)
{
    double rest[FEM_SAMPLES], y[FEM_SAMPLES];
    static fem_case c;
    (void)unused;
    drawn(&c, PIO_STATIC, 0);
    pio_sim *sim = fem_case_create(&c, 0, 1);
    fem_case_forward(&c, sim, NULL, rest);
    piola_engine_fem.destroy(sim);
    fem_case_free(&c);
    const double speed = MOVE / (0.004 * RAMP_STEPS);
    for (pio_integrator i = PIO_BACKWARD_EULER; i <= PIO_NEWMARK; i++)
        for (int lumped = 0; lumped < 2; lumped++) {
            char what[120];
            double off[2] = {0}, size[2] = {0};
            drawn(&c, i, lumped);
            sim = fem_case_create(&c, 0, 1);
            fem_case_forward(&c, sim, NULL, y);
            for (int k = 0; k < 2 * D; k++) {
                off[k / D] = fmax(off[k / D], fabs(y[k] - rest[k]));
                size[k / D] = fmax(size[k / D], fabs(rest[k]));
            }
            const char *masses = lumped ? "lumped" : "consistent";
            snprintf(what, sizeof what, "%s, %s masses: reaction over the static one, less 1", names[i], masses);
            fem_case_below(what, off[0] / size[0], 1e-7, 1);
            snprintf(what, sizeof what, "%s, %s masses: displacement over the static one, less 1", names[i], masses);
            fem_case_below(what, off[1] / size[1], 1e-7, 1);
            double fastest = 0;
            for (int k = 0; k < D; k++) fastest = fmax(fastest, fabs(y[2 * D + k]));
            snprintf(what, sizeof what, "%s, %s masses: velocity over the support's while it moved", names[i], masses);
            fem_case_below(what, fastest / speed, 1e-7, 1);
            snprintf(what, sizeof what, "%s, %s masses: kinetic energy over 3 kg speed^2/2", names[i], masses);
            fem_case_below(what, y[3 * D] / (1.5 * speed * speed), 1e-12, 1);
            piola_engine_fem.destroy(sim);
            fem_case_free(&c);
        }
}

/* ---- a base that ramps ----------------------------------------------------------------------------------- */

/* An element of unit edge, constrained across, whose side x = 0 is the base, u = V t until T and then V T; its other
 * side is one free mass.
 * E = 2, rho = 4: omega^2 = 2 E/rho = 1 with lumped masses, 3 E/rho = 1.5 with consistent ones, of which half a mass
 * couples. */
enum { HOLD = 1 };
#define RAMP_V 0.3
#define END 2.5

static void based(fem_case *c, pio_integrator integrator, int lumped, int spans)
{
    const fem_material m = {.law = PIO_HYPER_LINEAR, .parameters = {2, 0}, .density = 4};
    fem_case_begin(c, END / spans, spans);
    c->fem.newton_tolerance = 1e-12;
    fem_case_grid(c, (fem_grid){box, box, {1, 1, 1}, NULL, 0});
    fem_case_matter(c, &m, 1, 1);
    const int ramp = fem_case_curve(c, 3, (double[]){0, HOLD, END}, (double[]){0, 1, 1});
    const int base = fem_case_support(c, RAMP_V * HOLD, ramp), zero = fem_case_support(c, 0, -1);
    for (int i = 0; i < c->n; i++)
        for (int a = 0; a < D; a++)
            if (a > 0 || fem_case_on_side(c, i, 0, 0)) fem_case_hold(c, i, a, a > 0 ? zero : base);
    fem_case_motion(c, integrator, lumped, 0, 0);
}

/* Of the free mass at END: at T its velocity jumps by half the base's jump V where masses are consistent. */
static double excited(int lumped)
{
    const double omega = sqrt(lumped ? 1.0 : 1.5), V = RAMP_V, T = HOLD, t = END - T;
    const double off = -V / omega * sin(omega * T), v = V - V * cos(omega * T) + (lumped ? 0 : 0.5 * V);
    return V * T + off * cos(omega * t) + v / omega * sin(omega * t);
}

static double computed(pio_integrator integrator, int lumped, int spans)
{
    static fem_case c;
    piola_error error;
    based(&c, integrator, lumped, spans);
    pio_sim *sim = fem_case_create(&c, 0, 1);
    if (piola_engine_fem.start(sim, NULL, &error) || piola_engine_fem.advance(sim, spans, &error))
        fail_msg("%s: %s", names[integrator], error.message);
    double *u = fem_case_read(sim, "displacement");
    const double value = u[fem_case_at(&c, 1, 0, 0) * D];
    free(u);
    piola_engine_fem.destroy(sim);
    fem_case_free(&c);
    return value;
}

/* Lumped masses feel the base by the spring alone: the integrator's own order. Consistent ones feel its acceleration
 * too, the jump at T: in Newmark's motion it comes one span late, which is order 1; BDF2's three spans of it, 9/4, -3/2
 * and 1/4 of the jump, have their centre at T. */
static void a_mass_on_a_base_that_ramps_moves_as_its_closed_form(void **unused)
{
    (void)unused;
    for (pio_integrator i = PIO_BACKWARD_EULER; i <= PIO_LEAPFROG; i++)
        for (int lumped = i == PIO_LEAPFROG; lumped < 2; lumped++) {
            double error[2];
            char what[120];
            for (int k = 0; k < 2; k++) error[k] = fabs(computed(i, lumped, 400 << k) - excited(lumped));
            const int order = i == PIO_BACKWARD_EULER || (i == PIO_NEWMARK && !lumped) ? 1 : 2;
            snprintf(what, sizeof what, "%s, %s masses: error %.2e, %.2e; %d - rate", names[i],
                     lumped ? "lumped" : "consistent", error[0], error[1], order);
            fem_case_below(what, fmax(0, order - log2(error[0] / error[1])), 0.05, 1);
            snprintf(what, sizeof what, "%s, %s masses: error over the motion of the base", names[i],
                     lumped ? "lumped" : "consistent");
            fem_case_below(what, error[1] / (RAMP_V * HOLD), order == 2 ? 1e-4 : 5e-3, 1);
        }
}

/* Rates of the base at every span: V and then 0; the sum of h a is the jump -V, within one span of its time (BDF2:
 * three). */
static void rates_of_a_support_are_those_of_its_course(void **unused)
{
    enum { SPANS = 50, LAST = 20 }; /* spans of the ramp */
    (void)unused;
    for (pio_integrator i = PIO_BACKWARD_EULER; i <= PIO_NEWMARK; i++) {
        static fem_case c;
        piola_error error;
        double impulse = 0, worst_v = 0, worst_a = 0;
        char what[120];
        based(&c, i, 0, SPANS);
        const int node = fem_case_at(&c, 0, 0, 0), memory = i == PIO_BDF2 ? 4 : 1;
        const double h = END / SPANS;
        pio_sim *sim = fem_case_create(&c, 0, 1);
        if (piola_engine_fem.start(sim, NULL, &error)) fail_msg("start: %s", error.message);
        for (int n = 1; n <= SPANS; n++) {
            if (piola_engine_fem.advance(sim, 1, &error)) fail_msg("step %d: %s", n, error.message);
            double *v = fem_case_read(sim, "velocity"), *a = fem_case_read(sim, "acceleration");
            const double speed = v[node * D], acceleration = a[node * D];
            impulse += h * acceleration;
            if (n <= LAST) worst_v = fmax(worst_v, fabs(speed - RAMP_V));
            if (n <= LAST || n > LAST + memory) worst_a = fmax(worst_a, fabs(acceleration));
            if (n > LAST + memory) worst_v = fmax(worst_v, fabs(speed));
            free(v), free(a);
        }
        snprintf(what, sizeof what, "%s: velocity of the support, m/s, off by", names[i]);
        fem_case_below(what, worst_v, 1e-12, 1);
        snprintf(what, sizeof what, "%s: acceleration of the support but at the jump, m/s^2", names[i]);
        fem_case_below(what, worst_a, 1e-10, 1);
        snprintf(what, sizeof what, "%s: sum of h a less the jump of the velocity, m/s", names[i]);
        fem_case_below(what, impulse + RAMP_V, 1e-12, 1);
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_damped_body_comes_to_the_static_reaction_when_its_support_rests),
        cmocka_unit_test(a_mass_on_a_base_that_ramps_moves_as_its_closed_form),
        cmocka_unit_test(rates_of_a_support_are_those_of_its_course),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
