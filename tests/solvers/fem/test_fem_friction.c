/* test_fem_friction.c -- do meshes that slide on obstacles do what Coulomb's law says? f64. */
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
static const double g = 9.81, slope = 0.5235987755982988, young = 2e5, density = 1000, height = 0.05;
static const double distance = 1e-4, stiffness = 2000;
static double angle; /* of the plane that the block lies on, rad */

/* -B'(s) of Li et al. 2020, and the distance at which the barrier presses with p. */
static double gap_of(double p)
{
    double low = 0, high = 1;
    for (int k = 0; k < 200; k++) {
        const double s = (low + high) / 2, at = 2 * (s - 1) * log(s) + (s - 1) * (s - 1) / s;
        if (stiffness * at > p)
            low = s;
        else
            high = s;
    }
    return distance * low;
}

/* A block of 0.1 x 0.05 (x 0.05) m on the plane, which the weight presses. */
static void laid(const double s[3], double x[3])
{
    const double along = 0.1 * (s[0] - 0.5), across = height * s[1] + gap_of(density * g * height * cos(angle));
    x[0] = cos(angle) * along - sin(angle) * across;
    x[1] = sin(angle) * along + cos(angle) * across;
    x[2] = height * s[2];
}

static pio_obstacle_desc *block(fem_case *c, pio_integrator integrator, double dt, int steps, double mu, double e)
{
    fem_material m = fem_material_of(PIO_HYPER_NEO_HOOKEAN, young);
    m.density = density;
    fem_case_begin(c, dt, steps);
    fem_case_grid(c, (fem_grid){box, box, {4, 2, 2}, laid, 0});
    fem_case_matter(c, &m, 1, 0.05);
    if (integrator != PIO_STATIC) fem_case_motion(c, integrator, integrator == PIO_LEAPFROG, 0, 1e-3);
    c->desc.gravity[1] = integrator == PIO_STATIC ? 0 : -g;
    c->fem.newton_tolerance = 1e-9;
    fem_case_contact(c, 1, 0);
    pio_obstacle_desc *plane = fem_case_obstacle(c, PIO_PLANE, stiffness, distance);
    plane->normal[0] = -sin(angle);
    plane->normal[1] = cos(angle);
    plane->friction = mu;
    plane->friction_velocity = e;
    return plane;
}

/* Gives the block the speed v down the plane. */
static void push(fem_case *c, double v)
{
    for (int i = 0; i < c->n; i++) {
        c->initial_velocity[i * D] = -v * cos(angle);
        c->initial_velocity[i * D + 1] = -v * sin(angle);
    }
}

/* The mean of a field down the plane. */
static double down(fem_case *c, pio_sim *sim, const char *field)
{
    double *v = fem_case_read(sim, field), sum = 0;
    for (int i = 0; i < c->n; i++) sum -= cos(angle) * v[i * D] + sin(angle) * v[i * D + 1];
    free(v);
    return sum / c->n;
}

static void advance(pio_sim *sim, int steps)
{
    piola_error error;
    if (piola_engine_fem.advance(sim, steps, &error)) fail_msg("advance: %s", error.message);
}

static const pio_integrator motions[] = {PIO_BACKWARD_EULER, PIO_BDF2, PIO_NEWMARK, PIO_LEAPFROG};
static const char *const names[] = {"backward Euler", "BDF2", "Newmark", "leapfrog"};

static double step_of(pio_integrator integrator)
{
    return integrator == PIO_LEAPFROG ? 2e-5 : 2e-3;
}

/* ---- an incline -------------------------------------------------------------------------------------------------- */

/* Between 0.1 s and 0.2 s, once the start has died away. */
static void a_block_slides_with_g_sin_less_mu_cos(void **unused)
{
    (void)unused;
    angle = slope;
    for (int k = 0; k < 4; k++)
        for (int rough = 0; rough < 2; rough++) {
            static fem_case c;
            const double dt = step_of(motions[k]), mu = rough ? 0.3 : 0;
            const int half = (int)(0.1 / dt + 0.5);
            const double expected = g * (sin(slope) - mu * cos(slope));
            block(&c, motions[k], dt, 2 * half, mu, 1e-3);
            pio_sim *sim = fem_case_start(&c);
            advance(sim, half);
            const double before = down(&c, sim, "velocity");
            advance(sim, half);
            const double a = (down(&c, sim, "velocity") - before) / (half * dt);
            print_message("  %s, mu %g: %.6g m/s^2, expected %.6g\n", names[k], mu, a, expected);
            fem_case_below("acceleration over that expected, less 1", a / expected - 1, 0.005, 0);
            piola_engine_fem.destroy(sim);
            fem_case_free(&c);
        }
}

/* Friction that is 0.72 of its size at the speed at which the block creeps. Stresses even out over a way of many times
 * e t, and Newmark's rule does not damp what rings meanwhile: of backward Euler alone that speed is found. */
static void a_block_below_the_angle_of_friction_sticks(void **unused)
{
    (void)unused;
    angle = slope;
    for (int k = 0; k < 4; k++)
        for (int slips = 0; slips < 2; slips++) {
            static fem_case c;
            const double dt = step_of(motions[k]), mu = slips ? 0.5 : 0.8, e = 2e-5;
            const double part = tan(slope) / mu, creep = e * part / sqrt(fabs(1 - part * part));
            block(&c, motions[k], dt, 2 * (int)(0.1 / dt + 0.5), mu, e);
            pio_sim *sim = fem_case_start(&c);
            advance(sim, (int)(0.1 / dt + 0.5));
            const double before = down(&c, sim, "displacement");
            advance(sim, (int)(0.1 / dt + 0.5));
            const double v = (down(&c, sim, "displacement") - before) / 0.1;
            print_message("  %s, mu %g: %.4g m/s from 0.1 s to 0.2 s\n", names[k], mu, v);
            if (slips) {
                assert_true(v > 0.05);
            } else {
                fem_case_below("creep, m/s", v, 1e-4, 0);
                if (k == 0) fem_case_below("of that when stresses have evened out, less 1", v / creep - 1, 0.3, 0);
            }
            piola_engine_fem.destroy(sim);
            fem_case_free(&c);
        }
}

/* The way down the plane in T is v T + g (sin - mu cos) T^2/2. */
static void derivative_of_the_way_by_mu_is_that_of_coulomb(void **unused)
{
    static const pio_integrator second_order[] = {PIO_BDF2, PIO_NEWMARK, PIO_LEAPFROG};
    static const char *const which[] = {"BDF2", "Newmark", "leapfrog"};
    (void)unused;
    angle = slope;
    for (int k = 0; k < 3; k++) {
        static fem_case c;
        const double dt = step_of(second_order[k]), T = 0.2, mu = 0.3, z[1] = {0};
        double z_bar[1];
        block(&c, second_order[k], dt, (int)(T / dt + 0.5), mu, 1e-3);
        push(&c, 0.2);
        const int o = fem_case_observe(&c, PIO_DISPLACEMENT, 1);
        double *w = (double *)(uintptr_t)c.observation[o].weight;
        for (int i = 0; i < c.n * D; i++) w[i] = i % D == 0 ? -cos(angle) / c.n : i % D == 1 ? -sin(angle) / c.n : 0;
        fem_case_sample(&c, o, c.desc.steps, 0, 1);
        for (int a = 0; a < D; a++) c.linear[a] = a < 2, c.square[a] = 0;
        fem_case_design(&c, PIO_OBSTACLE_FRICTION, -1, FEM_SCALAR, fem_linear(mu, 1), 0);
        pio_sim *sim = fem_case_create(&c, c.desc.steps + 1, 1);
        const double way = fem_case_gradient(&c, sim, NULL, z, z_bar);
        const double a = g * (sin(slope) - mu * cos(slope)), expected = 0.2 * T + a * T * T / 2;
        const double by_mu = -g * cos(slope) * T * T / 2;
        print_message("  %s: way %.6g m, expected %.6g; by mu %.6g m, expected %.6g\n", which[k], way, expected,
                      z_bar[0], by_mu);
        fem_case_below("way over that expected, less 1", way / expected - 1, 0.01, 0);
        fem_case_below("derivative over that expected, less 1", z_bar[0] / by_mu - 1, 0.01, 0);
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
}

/* ---- work -------------------------------------------------------------------------------------------------------- */

static double energy_of(const double *sample, int kinetic, int strain, int k)
{
    return sample[kinetic + k] + sample[strain + k];
}

/* On a level floor: what the motion loses is the force of the floor along it times the way, summed over parts of the
 * time. Without friction it loses nothing of note. */
static void energy_that_is_lost_is_the_work_of_friction(void **unused)
{
    enum { PARTS = 12, EACH = 10 };
    static const pio_integrator integrator[] = {PIO_NEWMARK, PIO_LEAPFROG};
    (void)unused;
    angle = 0;
    for (int k = 0; k < 2; k++)
        for (int rough = 0; rough < 2; rough++) {
            static fem_case c;
            const int each = k ? EACH * 50 : EACH;
            double sample[FEM_SAMPLES] = {0}, way[PARTS + 1] = {0}, work = 0;
            block(&c, integrator[k], k ? 2e-5 : 1e-3, PARTS * each, rough ? 0.4 : 0, 1e-3);
            push(&c, 1);
            for (int o = 0; o < 2; o++) {
                const int at = fem_case_observe(&c, o ? PIO_STRAIN_ENERGY : PIO_KINETIC_ENERGY, 2);
                double *w = (double *)(uintptr_t)c.observation[at].weight;
                for (int i = 0; i < (o ? c.elements : c.n * D); i++) w[i] = 1;
                fem_case_sample(&c, at, 0, 0, 1);
                fem_case_sample(&c, at, PARTS * each, 1, 1);
            }
            const int force = fem_case_observe(&c, PIO_CONTACT_FORCE, PARTS);
            for (int p = 0; p < PARTS; p++)
                for (int s = 0; s < each; s++) fem_case_sample(&c, force, p * each + s + 1, p, 1.0 / each);
            pio_sim *sim = fem_case_create(&c, 0, 1);
            fem_case_forward(&c, sim, NULL, sample);
            piola_engine_fem.destroy(sim);
            sim = fem_case_start(&c);
            for (int p = 1; p <= PARTS; p++) {
                advance(sim, each);
                way[p] = down(&c, sim, "displacement");
            }
            for (int p = 0; p < PARTS; p++) work += sample[4 + p * D] * (way[p + 1] - way[p]);
            const double lost = energy_of(sample, 0, 2, 0) - energy_of(sample, 0, 2, 1);
            print_message("  %s, %s: %.6g J lost of %.6g J, work of friction %.6g J\n", names[k + 2],
                          rough ? "rough" : "smooth", lost, energy_of(sample, 0, 2, 0), work);
            fem_case_below("lost energy less work, of the work", (lost - work) / (rough ? work : 1), 0.01, 0);
            assert_true(rough ? work > 0.02 : fabs(work) < 1e-9);
            piola_engine_fem.destroy(sim);
            fem_case_free(&c);
        }
}

/* ---- obstacles that move, and statics ---------------------------------------------------------------------------- */

/* A belt takes a block along: with mu g until it is as fast as the belt. */
static void a_belt_carries_a_block_along(void **unused)
{
    static const double belt[2][PIO_MOTION_NUMBERS] = {{0, 0, 0, 0, 0}, {1, -0.3, 0, 0, 0}};
    (void)unused;
    angle = 0;
    for (int k = 0; k < 4; k++) {
        static fem_case c;
        const double dt = step_of(motions[k]), mu = 0.4;
        pio_obstacle_desc *o = block(&c, motions[k], dt, (int)(0.2 / dt + 0.5), mu, 1e-4);
        o->motion = &belt[0][0];
        o->n_points = 2;
        pio_sim *sim = fem_case_start(&c);
        advance(sim, (int)(0.06 / dt + 0.5));
        const double slow = down(&c, sim, "velocity");
        advance(sim, (int)c.desc.steps - (int)(0.06 / dt + 0.5));
        const double fast = down(&c, sim, "velocity");
        print_message("  %s: %.5g m/s after 0.06 s, %.5g m/s after 0.2 s\n", names[k], slow, fast);
        fem_case_below("speed after 0.06 s over mu g t, less 1", slow / (mu * g * 0.06) - 1, 0.03, 0);
        fem_case_below("speed in the end over the belt's, less 1", fast / 0.3 - 1, 0.005, 0);
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
}

/* The upper side of a block is pressed down and pulled along, in load steps: the floor holds with mu times what presses
 * it, or sticks. */
static void a_static_block_is_held_by_mu_times_what_presses(void **unused)
{
    (void)unused;
    angle = 0;
    for (int k = 0; k < 3; k++) {
        static fem_case c;
        const double mu = k == 1 ? 0 : 0.5, way = k == 2 ? 1e-4 : 0.02, e = 1e-5;
        double sample[FEM_SAMPLES];
        block(&c, PIO_STATIC, 0.1, 10, mu, e);
        const int press = fem_case_curve(&c, 3, (double[]){0, 0.2, 1}, (double[]){0, 1, 1});
        const int pull = fem_case_curve(&c, 3, (double[]){0, 0.2, 1}, (double[]){0, 0, 1});
        const int down_by = fem_case_support(&c, -1e-3, press), along = fem_case_support(&c, way, pull);
        for (int a = 0; a < 2; a++) fem_case_hold_side(&c, 1, 1, a, a ? down_by : along);
        const int zero = fem_case_support(&c, 0, -1);
        if (D == 3) fem_case_hold_side(&c, 1, 1, 2, zero);
        c.fem.halvings = 6;
        const int o = fem_case_observe(&c, PIO_CONTACT_FORCE, 1);
        fem_case_sample(&c, o, 10, 0, 1);
        pio_sim *sim = fem_case_create(&c, 0, 1);
        fem_case_forward(&c, sim, NULL, sample);
        print_message("  mu %g, way %g m: %.6g N along, %.6g N up\n", mu, way, sample[0], sample[1]);
        assert_true(sample[1] > 0.1);
        if (k == 2)
            assert_true(sample[0] < 0 && -sample[0] < 0.5 * mu * sample[1]); /* it sticks */
        else
            fem_case_below("force along over that up, less mu", -sample[0] / sample[1] - mu, 1e-3, 0);
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_slides_with_g_sin_less_mu_cos),
        cmocka_unit_test(a_block_below_the_angle_of_friction_sticks),
        cmocka_unit_test(derivative_of_the_way_by_mu_is_that_of_coulomb),
        cmocka_unit_test(energy_that_is_lost_is_the_work_of_friction),
        cmocka_unit_test(a_belt_carries_a_block_along),
        cmocka_unit_test(a_static_block_is_held_by_mu_times_what_presses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
