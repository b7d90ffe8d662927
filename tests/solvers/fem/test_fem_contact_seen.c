/* test_fem_contact_seen.c -- what objectives see of contact between surfaces: forces, gaps and pressures, and their
 * derivatives.
 *
 * Values are compared with the fields of nodes. Taylor remainders (host/verify/taylor.h) for every integrator, of two
 * blocks beside a wall, one of which is moved down on the other, and of a ring that touches itself, with respect to the
 * stiffness and the distance of contact, the wall, shape, thickness, materials and the start. f64. */
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

enum { D = FEM_DIM, STEPS = 3, ROOM = 20000, LOWER = 0, UPPER = 1 };
static const pio_element_type box = FEM_DIM == 2 ? PIO_QUAD4 : PIO_HEX8, simplex = FEM_DIM == 2 ? PIO_TRI3 : PIO_TET4;
static const pio_integrator integrators[] = {PIO_STATIC, PIO_BACKWARD_EULER, PIO_BDF2, PIO_NEWMARK, PIO_LEAPFROG};
static const char *const names[] = {"static", "backward Euler", "BDF2", "Newmark", "leapfrog"};

/* ---- what touches ------------------------------------------------------------------------------------------------ */

/* In space one is turned, so that no edges are parallel. */
static void apart(const double s[3], double x[3])
{
    const int upper = s[1] > 0.5;
    const double turn = upper && D == 3 ? 0.4 : 0;
    x[0] = s[0] * cos(turn) + s[2] * sin(turn) + (upper ? 0.13 : 0);
    x[1] = upper ? 0.45 + (s[1] - 0.6) + 0.02 * s[0] : s[1];
    x[2] = s[2] * cos(turn) - s[0] * sin(turn) + (upper ? 0.21 : 0);
}

static void matter(fem_case *c, pio_integrator integrator)
{
    fem_material m[2] = {fem_material_of(PIO_HYPER_NEO_HOOKEAN, 1000), fem_material_of(PIO_HYPER_ST_VENANT, 1500)};
    m[0].density = 3, m[1].density = 2;
    fem_case_matter(c, m, 2, 0.9);
    c->desc.gravity[1] = -0.3;                          /* static runs have a density, too */
    c->fem.halvings = integrator == PIO_STATIC ? 5 : 0; /* how a motion is cut changes what is computed */
    if (integrator == PIO_STATIC) return;
    fem_case_motion(c, integrator, integrator == PIO_LEAPFROG, integrator == PIO_LEAPFROG ? 0 : 5,
                    integrator == PIO_LEAPFROG ? 0 : 0.001);
    for (int i = 0; i < c->n * D; i++) c->initial_velocity[i] = 0.2 * fem_case_random(c);
}

/* The lower block is held at its bottom, and the upper one is moved down by its top; both may touch a wall on the
 * left. */
static void blocks(fem_case *c, pio_element_type type, pio_integrator integrator)
{
    const int leaps = integrator == PIO_LEAPFROG;
    fem_case_begin(c, integrator == PIO_STATIC ? 0.3 : leaps ? 0.0005 : D == 2 ? 0.02 : 0.005, STEPS);
    const int ramp = fem_case_curve(c, 2, (double[]){0, c->desc.dt * STEPS}, (double[]){0, 1});
    fem_case_blocks(c, (fem_grid){type, type, {3, 5, 2}, apart, 0});
    matter(c, integrator);
    const int zero = fem_case_support(c, 0, -1), down = fem_case_support(c, leaps ? -0.01 : -0.06, ramp);
    for (int a = 0; a < D; a++) {
        fem_case_hold_side(c, 1, 0, a, zero);
        fem_case_hold_side(c, 1, 1, a, a == 1 ? down : zero);
    }
    fem_case_pairs(c, leaps ? 20 : 100, 0.08, 0, ROOM);
    pio_obstacle_desc *wall = fem_case_obstacle(c, PIO_PLANE, 20, 0.09);
    wall->position[0] = -0.05;
    wall->normal[0] = 1;
}

/* A ring whose ends come near each other. */
static void ring(fem_case *c)
{
    fem_case_begin(c, 0.0005, STEPS);
    fem_case_grid(c, (fem_grid){box, box, {12, 2, 1}, fem_case_ring, 0});
    matter(c, PIO_LEAPFROG);
    fem_case_close_ring(c, 0.05);
    fem_case_pairs(c, 20, 0.06, 1, ROOM);
}

/* An observation of surfaces. */
static pio_observation_desc *between(fem_case *c, pio_observable type, int samples, int body, int other)
{
    pio_observation_desc *d = &c->observation[fem_case_observe(c, type, samples)];
    d->obstacle = -1;
    d->body = body;
    d->other = other;
    return d;
}

/* The pressure on the surface of a body, as its mean or as a norm. */
static void pressure(fem_case *c, int samples, int body, pio_measure measure)
{
    pio_observation_desc *d = &c->observation[fem_case_observe(c, PIO_CONTACT_PRESSURE, samples)];
    double *weight = (double *)(uintptr_t)d->weight; /* the case's own */
    for (int i = 0; i < c->n * D; i++) weight[i] = c->fem.pairs.itself || fem_case_body(c, i / D) == body;
    d->measure = measure;
    d->power = 4;
    d->size = 20;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* What is seen of blocks in the last state is what the fields of nodes have. */
static void what_is_observed_is_what_fields_have(void **unused)
{
    static fem_case c;
    double y[FEM_SAMPLES], sum[2][3] = {{0}}, nearest = 1e300;
    (void)unused;
    blocks(&c, box, PIO_STATIC);
    c.desc.n_obstacles = 0;
    between(&c, PIO_CONTACT_FORCE, 1, LOWER, UPPER);
    between(&c, PIO_CONTACT_FORCE, 1, UPPER, -1);
    between(&c, PIO_GAP, 1, LOWER, UPPER);
    between(&c, PIO_GAP, 1, UPPER, UPPER);
    pressure(&c, 1, LOWER, PIO_MEAN);
    for (int o = 0; o < 5; o++) fem_case_sample(&c, o, STEPS, 0, 1);
    pio_sim *sim = fem_case_start(&c);
    fem_case_forward(&c, sim, NULL, y);
    double *force = fem_case_read(sim, "contact_force"), *gap = fem_case_read(sim, "gap");
    double *pressed = fem_case_read(sim, "contact_pressure"), most = 0, mean = 0, area = 0;
    for (int i = 0; i < c.n; i++) {
        const int body = fem_case_body(&c, i);
        double square = 0;
        for (int a = 0; a < D; a++) {
            sum[body][a] += force[i * D + a];
            square += force[i * D + a] * force[i * D + a];
        }
        most = fmax(most, sqrt(square));
        nearest = fmin(nearest, gap[i]);
        if (body == LOWER) mean += sqrt(square);
        if (body == LOWER && square > 0) area += sqrt(square) / pressed[i];
    }
    double worst = 0, balance = 0;
    for (int a = 0; a < D; a++) {
        worst = fmax(worst, fmax(fabs(y[a] - sum[LOWER][a]), fabs(y[D + a] - sum[UPPER][a])));
        balance = fmax(balance, fabs(y[a] + y[D + a]));
    }
    print_message("  the lower block gets (%.4g, %.4g) N, %.4g m away, and its mean pressure is %.4g Pa\n", y[0], y[1],
                  y[2 * D], y[2 * D + 2]);
    assert_true(most > 0.1 && y[1] < 0);
    fem_case_below("  forces less sums of nodes', of the largest", worst / most, 1e-13, 0);
    fem_case_below("  both sides' forces together, of the largest", balance / most, 1e-13, 0);
    fem_case_below("  the gap less the least of nodes, of it", fabs(y[2 * D] - nearest) / nearest, 1e-15, 0);
    fem_case_below("  a gap that there is none of less the distance", fabs(y[2 * D + 1] - c.fem.pairs.distance), 0, 0);
    /* the lower block is 1 by 0.4, in the plane 0.9 thick and in space 1 deep; its mean is over all of its surface */
    const double surface = D == 2 ? 0.9 * 2 * 1.4 : 2 * (1 + 0.4 + 0.4);
    assert_true(area > 0 && area < surface);
    fem_case_below("  the mean pressure less all forces by the surface, of it",
                   fabs(y[2 * D + 2] - mean / surface) / y[2 * D + 2], 1e-13, 0);
    free(force);
    free(gap);
    free(pressed);
    piola_engine_fem.destroy(sim);
    fem_case_free(&c);
}

/* Returns whether an observation of surfaces is refused, and says why. */
static int refuses(const char *what, pio_observable type, int obstacle, double distance, pio_measure measure)
{
    static fem_case c;
    piola_error error;
    blocks(&c, box, PIO_STATIC);
    pio_observation_desc *d = between(&c, type, 1, LOWER, UPPER);
    d->obstacle = obstacle;
    d->measure = measure;
    c.fem.pairs.distance = distance;
    c.desc.n_obstacles = type == PIO_CONTACT_PRESSURE && !(distance > 0) ? 0 : c.desc.n_obstacles;
    if (!c.desc.n_obstacles) c.fem.n_contacts = 0;
    const piola_status rc = fem_case_try(&c, NULL, 0, &error);
    print_message("  %s: %s\n", what, error.message);
    fem_case_free(&c);
    return rc == PIOLA_BAD_DATA;
}

static void what_cannot_be_seen_is_refused(void **unused)
{
    (void)unused;
    assert_true(refuses("no contact of surfaces", PIO_CONTACT_FORCE, -1, 0, PIO_MEAN));
    assert_true(refuses("no contact of surfaces", PIO_GAP, -1, 0, PIO_MEAN));
    assert_true(refuses("no such obstacle", PIO_GAP, 1, 0.08, PIO_MEAN));
    assert_true(refuses("no contact at all", PIO_CONTACT_PRESSURE, 0, 0, PIO_MEAN));
    assert_true(refuses("a maximum", PIO_CONTACT_PRESSURE, 0, 0.08, PIO_MAXIMUM));
}

/* ---- gradients --------------------------------------------------------------------------------------------------- */

static void sample_all(fem_case *c, int observations)
{
    for (int o = 0; o < observations; o++) {
        fem_case_sample(c, o, STEPS, 0, 0.1);
        fem_case_sample(c, o, 0, 1, 0.03);
        fem_case_sample(c, o, 1, 1, 0.05);
        fem_case_sample(c, o, 2, 1, -0.04);
    }
}

static void design_everything(fem_case *c, int moves)
{
    const pio_pairs_desc *p = &c->fem.pairs;
    fem_case_design(c, PIO_PAIR_STIFFNESS, -1, FEM_SCALAR, fem_logarithmic(log(p->stiffness), 0.4), 0);
    fem_case_design(c, PIO_PAIR_DISTANCE, -1, FEM_SCALAR, fem_linear(p->distance, 0.1 * p->distance), 0);
    if (c->desc.n_obstacles) {
        fem_case_design(c, PIO_OBSTACLE_POSITION, -1, FEM_SCALAR, fem_linear(-0.05, 0.01), 0);
        fem_case_design(c, PIO_OBSTACLE_ROTATION, -1, FEM_SCALAR, fem_linear(0, 0.02), 0);
        fem_case_design(c, PIO_OBSTACLE_STIFFNESS, -1, FEM_SCALAR, fem_logarithmic(log(20), 0.4), 0);
        fem_case_design(c, PIO_OBSTACLE_DISTANCE, -1, FEM_SCALAR, fem_linear(0.09, 0.01), 0);
    }
    fem_case_design(c, PIO_POSITION, -1, FEM_EACH, fem_linear(0, 0.01), 0);
    if (D == 2) fem_case_design(c, PIO_THICKNESS, -1, FEM_EACH, fem_linear(0.9, 0.1), 0);
    if (moves) fem_case_design(c, PIO_DISPLACED, -1, FEM_GROUPS, fem_linear(0, 0.003), 0);
    fem_case_design_matter(c);
}

/* How near the surfaces came: without contact a test would show nothing. */
static void check(taylor_run *t, fem_case *c, int each, const char *what)
{
    pio_contact_report report;
    piola_error error;
    taylor_begin(t, c, 0.2);
    if (piola_engine_fem.contact(t->sim, &report, &error)) fail_msg("%s", error.message);
    print_message("  %s: %d pairs, least distance %.3g m of %.3g m\n", what, (int)report.pairs, report.nearest,
                  c->fem.pairs.distance);
    assert_true(report.pairs > 0 && report.nearest > 0 && report.nearest < 0.8 * c->fem.pairs.distance);
    everything(t);
    if (each) design_by_design(t);
    taylor_end(t, what);
    fem_case_free(c);
}

static void adjoint_is_the_derivative_of_what_is_seen_between_blocks(void **unused)
{
    (void)unused;
    for (int k = 0; k < 5; k++) {
        static taylor_run t;
        static fem_case c;
        blocks(&c, k % 2 ? simplex : box, integrators[k]);
        between(&c, PIO_CONTACT_FORCE, 2, LOWER, UPPER);
        between(&c, PIO_CONTACT_FORCE, 2, UPPER, -1);
        between(&c, PIO_GAP, 2, UPPER, -1);
        between(&c, PIO_GAP, 2, LOWER, LOWER);
        pressure(&c, 2, LOWER, PIO_MEAN);
        pressure(&c, 2, UPPER, PIO_PNORM);
        sample_all(&c, 6);
        design_everything(&c, integrators[k] != PIO_STATIC);
        check(&t, &c, k == 0 || k == 4, names[k]);
    }
}

/* Each kind by itself, lest one hide another. */
static void adjoint_is_the_derivative_of_each_kind(void **unused)
{
    static const char *const kinds[] = {"force", "gap", "mean pressure", "norm of pressure"};
    (void)unused;
    for (int kind = 0; kind < 4; kind++) {
        static taylor_run t;
        static fem_case c;
        blocks(&c, box, PIO_NEWMARK);
        if (kind == 0) between(&c, PIO_CONTACT_FORCE, 2, LOWER, UPPER);
        if (kind == 1) between(&c, PIO_GAP, 2, LOWER, -1);
        if (kind >= 2) pressure(&c, 2, LOWER, kind == 2 ? PIO_MEAN : PIO_PNORM);
        sample_all(&c, 1);
        design_everything(&c, 1);
        check(&t, &c, 0, kinds[kind]);
    }
}

static void adjoint_is_the_derivative_of_the_gap_of_a_body_with_itself(void **unused)
{
    static taylor_run t;
    static fem_case c;
    (void)unused;
    ring(&c);
    between(&c, PIO_GAP, 2, 0, 0);
    pressure(&c, 2, 0, PIO_PNORM);
    sample_all(&c, 2);
    design_everything(&c, 1);
    check(&t, &c, 1, "ring");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_observed_is_what_fields_have),
        cmocka_unit_test(what_cannot_be_seen_is_refused),
        cmocka_unit_test(adjoint_is_the_derivative_of_what_is_seen_between_blocks),
        cmocka_unit_test(adjoint_is_the_derivative_of_each_kind),
        cmocka_unit_test(adjoint_is_the_derivative_of_the_gap_of_a_body_with_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
