/* test_fem_pairs_drag.c -- do surfaces of meshes that slide on each other in implicit steps do what Coulomb's law says?
 * f64. */
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
static const pio_element_type box = FEM_DIM == 2 ? PIO_QUAD4 : PIO_HEX8, simplex = FEM_DIM == 2 ? PIO_TRI3 : PIO_TET4;
static const double g = 9.81, slope = 0.5235987755982988, young = 2e5, density = 1000, height = 0.05;
static const double reach = 1e-4, stiffness = 2000, dt = 2e-3;
static double angle; /* of the lower block, rad */
static const pio_integrator integrators[] = {PIO_BACKWARD_EULER, PIO_BDF2, PIO_NEWMARK};
static const char *const names[] = {"backward Euler", "BDF2", "Newmark"};

/* -B'(s) of Li et al. 2020, and the distance at which the points of one side press with p. */
static double gap_of(double p)
{
    double low = 0, high = 1;
    for (int k = 0; k < 200; k++) {
        const double s = (low + high) / 2, at = 2 * (s - 1) * log(s) + (s - 1) * (s - 1) / s;
        if (stiffness / 2 * at > p)
            low = s;
        else
            high = s;
    }
    return reach * low;
}

/* A block of 0.1 x 0.05 (x 0.05) m on one of 1.6 x 0.05 (x 0.2) m, at the gap that its weight makes. Over an element of
 * the lower one it passes none of that one's nodes, where two pieces press at a time. */
static void laid(const double s[3], double x[3])
{
    const int upper = s[1] > 0.5;
    const double along = upper ? 0.55 + 0.1 * s[0] : 1.6 * s[0];
    const double across =
        upper ? gap_of(density * g * height * cos(angle)) + height * (s[1] - 0.6) / 0.4 : height * (s[1] / 0.4 - 1);
    x[0] = cos(angle) * along - sin(angle) * across;
    x[1] = sin(angle) * along + cos(angle) * across;
    x[2] = upper ? 0.02 + height * s[2] : 0.2 * s[2];
}

/* The upper one has the speed v down the lower one, which is held everywhere. */
static void slide(fem_case *c, pio_integrator integrator, int steps, double v, double mu, double e)
{
    fem_material m = fem_material_of(PIO_HYPER_NEO_HOOKEAN, young);
    m.density = density;
    fem_case_begin(c, dt, steps);
    fem_case_blocks(c, (fem_grid){box, box, {4, 5, 2}, laid, 0});
    fem_case_matter(c, &m, 1, 0.05);
    fem_case_motion(c, integrator, 0, 0, 1e-3);
    c->desc.gravity[1] = -g;
    c->fem.newton_tolerance = 1e-9;
    const int zero = fem_case_support(c, 0, -1);
    for (int i = 0; i < c->n; i++) {
        const int upper = fem_case_body(c, i);
        c->initial_velocity[i * D] = upper ? -v * cos(angle) : 0;
        c->initial_velocity[i * D + 1] = upper ? -v * sin(angle) : 0;
        for (int a = 0; a < D && !upper; a++) fem_case_hold(c, i, a, zero);
    }
    fem_case_pairs(c, stiffness, reach, 0, ROOM);
    c->fem.pairs.friction = mu;
    c->fem.pairs.friction_velocity = e;
}

/* The mean of a field down the slope over the mass of the upper body, whose elements are equal, or with `side` over the
 * area of its lower side. */
static double down(fem_case *c, pio_sim *sim, const char *field, int side)
{
    double *v = fem_case_read(sim, field), sum = 0;
    int count = 0;
    for (int k = 0; k < c->block[0].n * mesh_nodes_of[box]; k++) {
        const int i = c->block[0].nodes[k];
        const double across = cos(angle) * c->rest[i * D + 1] - sin(angle) * c->rest[i * D];
        if (!fem_case_body(c, i) || (side && across > height / 4)) continue;
        sum -= cos(angle) * v[i * D] + sin(angle) * v[i * D + 1];
        count++;
    }
    free(v);
    return sum / count;
}

static void advance(pio_sim *sim, int steps)
{
    piola_error error;
    if (piola_engine_fem.advance(sim, steps, &error)) fail_msg("advance: %s", error.message);
}

static pio_contact_report report_of(pio_sim *sim)
{
    pio_contact_report r;
    piola_error error;
    if (piola_engine_fem.contact(sim, &r, &error)) fail_msg("%s", error.message);
    return r;
}

/* ---- Coulomb's law ----------------------------------------------------------------------------------------------- */

/* On the level and on an incline, between 0.1 s and 0.16 s, once the start has died away. */
static void a_block_slides_with_g_sin_less_mu_cos(void **unused)
{
    (void)unused;
    for (int k = 0; k < 3; k++)
        for (int run = 0; run < 3; run++) {
            static fem_case c;
            angle = run ? slope : 0;
            const double mu = run < 2 ? 0.3 : 0, expected = g * (sin(angle) - mu * cos(angle));
            slide(&c, integrators[k], 80, run ? 0 : 0.8, mu, 1e-3);
            pio_sim *sim = fem_case_start(&c);
            advance(sim, 50);
            const double before = down(&c, sim, "velocity", 0);
            advance(sim, 30);
            const double a = (down(&c, sim, "velocity", 0) - before) / (30 * dt);
            const pio_contact_report r = report_of(sim);
            print_message("  %s, %s, mu %g: %.6g m/s^2, expected %.6g; pairs %d stuck, %d between, %d slid\n", names[k],
                          run ? "incline" : "level", mu, a, expected, (int)r.rub_stuck, (int)r.rub_between,
                          (int)r.rub_slid);
            fem_case_below("acceleration over that expected, less 1", a / expected - 1, 0.005, 0);
            assert_true(r.rubs == (mu > 0) && (r.rub_slid > 0) == r.rubs);
            piola_engine_fem.destroy(sim);
            fem_case_free(&c);
        }
}

/* Below the angle of friction it creeps at less than 1e-4 m/s; above it slides. In space a step of Newmark's rule,
 * which damps nothing that rings, finds no balance with so small a friction velocity. */
static void a_block_below_the_angle_of_friction_sticks(void **unused)
{
    (void)unused;
    angle = slope;
    for (int k = 0; k < (D == 2 ? 3 : 2); k++)
        for (int slips = 0; slips < 2; slips++) {
            static fem_case c;
            const double mu = slips ? 0.5 : 0.8;
            slide(&c, integrators[k], 100, 0, mu, 2e-5);
            pio_sim *sim = fem_case_start(&c);
            advance(sim, 50);
            const double before = down(&c, sim, "displacement", 0);
            advance(sim, 50);
            const double v = (down(&c, sim, "displacement", 0) - before) / (50 * dt);
            const pio_contact_report r = report_of(sim);
            print_message("  %s, mu %g: %.4g m/s from 0.1 s to 0.2 s; pairs %d stuck, %d between, %d slid\n", names[k],
                          mu, v, (int)r.rub_stuck, (int)r.rub_between, (int)r.rub_slid);
            if (slips)
                assert_true(v > 0.05 && r.rub_slid > r.rub_stuck);
            else
                fem_case_below("creep, m/s", v, 1e-4, 0);
            piola_engine_fem.destroy(sim);
            fem_case_free(&c);
        }
}

/* A mesh that moves takes a block along: with mu g until it is as fast. */
static void a_moving_mesh_carries_a_block_along(void **unused)
{
    (void)unused;
    angle = 0;
    for (int k = 0; k < 3; k++) {
        static fem_case c;
        const double mu = 0.4, belt = 0.3;
        slide(&c, integrators[k], 100, 0, mu, 1e-4);
        const int runs = fem_case_curve(&c, 2, (double[]){0, 1}, (double[]){0, 1});
        const int along = fem_case_support(&c, -belt, runs);
        for (int h = 0; h < c.fem.n_constrained; h++)
            if (c.constrained_axis[h] == 0) c.constrained_support[h] = along;
        pio_sim *sim = fem_case_start(&c);
        advance(sim, 30);
        const double slow = down(&c, sim, "velocity", 0);
        advance(sim, 70);
        const double fast = down(&c, sim, "velocity", 0);
        print_message("  %s: %.5g m/s after 0.06 s, %.5g m/s after 0.2 s\n", names[k], slow, fast);
        fem_case_below("speed after 0.06 s over mu g t, less 1", slow / (mu * g * 0.06) - 1, 0.03, 0);
        fem_case_below("speed in the end over the belt's, less 1", fast / belt - 1, 0.005, 0);
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
}

/* The way in T is v T - mu g T^2/2; backward Euler has T (T + dt) for T^2. */
static void derivative_of_the_way_by_mu_is_that_of_coulomb(void **unused)
{
    (void)unused;
    angle = 0;
    for (int k = 0; k < 3; k++) {
        static fem_case c;
        const int steps = 75;
        const double T = steps * dt, mu = 0.3, z[1] = {0}, square = T * (T + (k ? 0 : dt));
        double z_bar[1];
        slide(&c, integrators[k], steps, 0.8, mu, 1e-3);
        const int o = fem_case_observe(&c, PIO_DISPLACEMENT, 1);
        double *w = (double *)(uintptr_t)c.observation[o].weight;
        int count = 0;
        for (int i = 0; i < c.n; i++) count += fem_case_body(&c, i);
        for (int i = 0; i < c.n * D; i++) w[i] = i % D == 0 && fem_case_body(&c, i / D) ? -1.0 / count : 0;
        fem_case_sample(&c, o, c.desc.steps, 0, 1);
        for (int a = 0; a < D; a++) c.linear[a] = a == 0, c.square[a] = 0;
        fem_case_design(&c, PIO_PAIR_FRICTION, -1, FEM_SCALAR, fem_linear(mu, 1), 0);
        pio_sim *sim = fem_case_create(&c, c.desc.steps + 1, 1);
        const double way = fem_case_gradient(&c, sim, NULL, z, z_bar);
        const double expected = 0.8 * T - mu * g * square / 2, by_mu = -g * square / 2;
        print_message("  %s: way %.6g m, expected %.6g; by mu %.6g m, expected %.6g\n", names[k], way, expected,
                      z_bar[0], by_mu);
        fem_case_below("way over that expected, less 1", way / expected - 1, 0.01, 0);
        fem_case_below("derivative over that expected, less 1", z_bar[0] / by_mu - 1, 0.01, 0);
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
}

/* The upper block's top is pressed down and pulled along, in load steps: the lower one holds with mu times what presses
 * it, or sticks. Without friction, in space, edges that pass each other hold a little. */
static void a_static_block_is_held_by_mu_times_what_presses(void **unused)
{
    (void)unused;
    angle = 0;
    for (int k = 0; k < 3; k++) {
        static fem_case c;
        const double mu = k == 1 ? 0 : 0.5, way = k == 2 ? 1e-4 : 0.02;
        double sample[FEM_SAMPLES];
        slide(&c, PIO_BACKWARD_EULER, 10, 0, mu, 1e-5);
        c.desc.dt = 0.1;
        c.fem.integrator = PIO_STATIC;
        c.fem.halvings = 6;
        c.desc.gravity[1] = 0;
        const int press = fem_case_curve(&c, 3, (double[]){0, 0.2, 1}, (double[]){0, 1, 1});
        const int pull = fem_case_curve(&c, 3, (double[]){0, 0.2, 1}, (double[]){0, 0, 1});
        const int support[3] = {fem_case_support(&c, way, pull), fem_case_support(&c, -1e-3, press), 0};
        for (int a = 0; a < D; a++) fem_case_hold_side(&c, 1, 1, a, support[a]);
        const int o = fem_case_observe(&c, PIO_REACTION, 1);
        double *w = (double *)(uintptr_t)c.observation[o].weight;
        for (int i = 0; i < c.n * D; i++) w[i] = fem_case_body(&c, i / D);
        fem_case_sample(&c, o, 10, 0, 1);
        pio_sim *sim = fem_case_create(&c, 0, 1);
        fem_case_forward(&c, sim, NULL, sample);
        const pio_contact_report r = report_of(sim);
        print_message("  mu %g, way %g m: %.6g N along, %.6g N down; pairs %d stuck, %d between, %d slid\n", mu, way,
                      sample[0], -sample[1], (int)r.rub_stuck, (int)r.rub_between, (int)r.rub_slid);
        assert_true(sample[1] < -0.1);
        if (D == 3 && k == 1)
            fem_case_below("force along over that down", sample[0] / -sample[1], 0.005, 0);
        else if (k == 2)
            assert_true(sample[0] > 0 && sample[0] < -0.5 * mu * sample[1]); /* it sticks */
        else
            fem_case_below("force along over that down, less mu", sample[0] / -sample[1] - mu, 1e-3, 0);
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
}

/* ---- what stays, and what is lost -------------------------------------------------------------------------------- */

/* All of the bodies, at states `first` and `steps` in a sample each. */
static int observe_all(fem_case *c, pio_observable type, int first, int steps)
{
    const int o = fem_case_observe(c, type, 2);
    double *w = (double *)(uintptr_t)c->observation[o].weight;
    for (int i = 0; i < (type == PIO_STRAIN_ENERGY ? c->elements : c->n * D); i++) w[i] = 1;
    for (int k = 0; k < 2; k++) fem_case_sample(c, o, k ? steps : first, k, 1);
    return o;
}

/* By Newmark's rule, which loses nothing, without damping and on the level: what the motion loses is the friction of
 * each node along the way, the mean of its values before and after a step, times its way, summed over nodes and
 * steps. In space edges pass each other within a step, and the rule does not keep the energy of that. */
static void energy_that_is_lost_is_the_work_of_friction(void **unused)
{
    enum { PARTS = 60 };
    (void)unused;
    angle = 0;
    for (int rough = 0; rough < (D == 2 ? 2 : 0); rough++) {
        static fem_case c;
        double sample[FEM_SAMPLES] = {0}, work = 0;
        slide(&c, PIO_NEWMARK, PARTS, 0.8, rough ? 0.3 : 0, 1e-3);
        c.desc.dt = 1e-3;
        fem_case_motion(&c, PIO_NEWMARK, 0, 0, 0);
        for (int i = 0; i < c.n; i++) c.initial_velocity[i * D] = fem_case_body(&c, i) ? -0.8 : 0;
        observe_all(&c, PIO_KINETIC_ENERGY, 0, PARTS);
        observe_all(&c, PIO_STRAIN_ENERGY, 0, PARTS);
        pio_sim *sim = fem_case_create(&c, 0, 1);
        fem_case_forward(&c, sim, NULL, sample);
        piola_engine_fem.destroy(sim);
        sim = fem_case_start(&c);
        double *force = fem_case_read(sim, "contact_force"), *place = fem_case_read(sim, "displacement");
        for (int p = 0; p < PARTS; p++) {
            advance(sim, 1);
            double *after = fem_case_read(sim, "contact_force"), *to = fem_case_read(sim, "displacement");
            for (int i = 0; i < c.n * D; i += D) work -= (force[i] + after[i]) / 2 * (to[i] - place[i]);
            free(force);
            free(place);
            force = after;
            place = to;
        }
        free(force);
        free(place);
        const double lost = sample[0] + sample[2] - sample[1] - sample[3];
        print_message("  %s: %.6g J lost of %.6g J, work of friction %.6g J\n", rough ? "rough" : "smooth", lost,
                      sample[0] + sample[2], work);
        fem_case_below("lost energy less work, of the work", (lost - work) / (rough ? work : 1), 0.01, 0);
        assert_true(rough ? work > 0.02 : fabs(work) < 1e-4);
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
}

/* Blocks 0.02 apart that do not fit each other: their nodes are not above each other. */
static void apart(const double s[3], double x[3])
{
    const int upper = s[1] > 0.5;
    x[0] = s[0] + (upper ? 0.07 : 0);
    x[1] = upper ? 0.42 + (s[1] - 0.6) : s[1];
    x[2] = s[2] + (upper ? 0.05 : 0);
}

/* Two free blocks that approach each other, obliquely. */
static void collide(fem_case *c, pio_element_type type, pio_integrator integrator, int steps, double mu)
{
    fem_material m = fem_material_of(PIO_HYPER_NEO_HOOKEAN, 1e4);
    m.density = 1;
    fem_case_begin(c, 5e-4, steps);
    fem_case_blocks(c, (fem_grid){type, type, {3, 5, 2}, apart, 0});
    fem_case_matter(c, &m, 1, 1);
    fem_case_motion(c, integrator, 0, 0, 0);
    for (int i = 0; i < c->n; i++) {
        c->initial_velocity[i * D] = fem_case_body(c, i) ? -1.2 : 0.4;
        c->initial_velocity[i * D + 1] = fem_case_body(c, i) ? -2 : 1;
    }
    fem_case_pairs(c, 500, 0.015, 0, ROOM);
    c->fem.pairs.friction = mu;
    c->fem.pairs.friction_velocity = 0.01;
}

/* Moments about centres c and c' differ by (c' - c) x p. Energy is lost, more than without friction. */
static void colliding_blocks_keep_linear_momentum_and_lose_energy(void **unused)
{
    enum { STEPS = 90, MOMENTS = D == 3 ? 3 : 1 };
    (void)unused;
    for (int k = 0; k < 3; k++) {
        double left[2];
        for (int rough = 0; rough < 2; rough++) {
            static fem_case c;
            double sample[FEM_SAMPLES] = {0}, worst = 0, size = 0;
            collide(&c, k % 2 ? simplex : box, integrators[k], STEPS, rough ? 0.5 : 0);
            observe_all(&c, PIO_KINETIC_ENERGY, 1, STEPS);
            observe_all(&c, PIO_STRAIN_ENERGY, 1, STEPS);
            for (int a = 0; a < 4; a++) {
                const int o = observe_all(&c, PIO_ANGULAR_MOMENTUM, 1, STEPS);
                for (int b = 0; b < 3; b++) c.observation[o].center[b] = b + 1 == a ? 3 : 0;
            }
            pio_sim *sim = fem_case_create(&c, 0, 1);
            fem_case_forward(&c, sim, NULL, sample);
            const pio_contact_report r = report_of(sim);
            left[rough] = (sample[1] + sample[3]) / (sample[0] + sample[2]);
            print_message("  %s, mu %g: %.6g of the energy left; %d nodes met; pairs %d stuck, %d between, %d slid\n",
                          names[k], c.fem.pairs.friction, left[rough], (int)r.met, (int)r.rub_stuck, (int)r.rub_between,
                          (int)r.rub_slid);
            assert_true(r.met > 0 && (r.rub_slid > 0) == rough);
            for (int a = 1; a < 4; a++)
                for (int m = 0; m < MOMENTS; m++) {
                    const double *L = sample + 4 + 2 * MOMENTS * a + m, *about = sample + 4 + m;
                    worst = fmax(worst, fabs(L[MOMENTS] - about[MOMENTS] - (L[0] - about[0])));
                    size = fmax(size, fabs(L[0] - about[0]));
                }
            fem_case_below("  change of linear momentum, relative", worst / size, 1e-9, 0);
            assert_int_equal(fem_case_crossings(&c, sim), 0);
            piola_engine_fem.destroy(sim);
            fem_case_free(&c);
        }
        assert_true(left[1] < left[0] - 0.01);
    }
}

/* ---- bits and refusals ------------------------------------------------------------------------------------------- */

/* The last run has four slots, so that states are computed again. */
static void threads_and_slots_make_no_difference(void **unused)
{
    enum { STEPS = 24 };
    static double z[FEM_VARIABLES], z_bar[FEM_VARIABLES];
    (void)unused;
    for (int k = 0; k < 3; k++) {
        uint64_t hash[4][2];
        for (int run = 0; run < 4; run++) {
            static fem_case c;
            collide(&c, simplex, integrators[k], STEPS, 0.5);
            const int o = fem_case_observe(&c, PIO_DISPLACEMENT, 1);
            fem_case_sample(&c, o, STEPS, 0, 1);
            fem_case_design(&c, PIO_PAIR_FRICTION, -1, FEM_SCALAR, fem_linear(0.5, 0.1), 0);
            fem_case_design(&c, PIO_POSITION, -1, FEM_EACH, fem_linear(0, 0.01), 0);
            pio_schedule few = pio_schedule_checkpoint(STEPS, 4, 0, 1);
            pio_sim *sim = fem_case_create(&c, run < 3 ? STEPS + 1 : 4, run < 3 ? run + 1 : 2);
            fem_case_gradient(&c, sim, run < 3 ? NULL : &few, z, z_bar);
            pio_schedule_end(&few);
            hash[run][0] = fem_case_hash_state(sim);
            hash[run][1] = fem_case_hash(FEM_HASH_START, z_bar, sizeof *z_bar * (size_t)c.variables);
            print_message("  %s, run %d: state %016llx, gradient %016llx, %d pairs slid\n", names[k], run,
                          (unsigned long long)hash[run][0], (unsigned long long)hash[run][1],
                          (int)report_of(sim).rub_slid);
            assert_true(report_of(sim).rub_slid > 0);
            piola_engine_fem.destroy(sim);
            fem_case_free(&c);
        }
        for (int run = 1; run < 4; run++) assert_true(hash[0][0] == hash[run][0] && hash[0][1] == hash[run][1]);
    }
}

static void what_cannot_be_is_refused(void **unused)
{
    static const double number[3][2] = {{-0.1, 0.01}, {NAN, 0.01}, {0.5, 1e-10}};
    piola_error error;
    (void)unused;
    for (int k = 0; k < 5; k++) {
        static fem_case c;
        collide(&c, box, PIO_BACKWARD_EULER, 1, 0.5);
        if (k < 3) {
            c.fem.pairs.friction = number[k][0];
            c.fem.pairs.friction_velocity = number[k][1];
        }
        if (k == 3) c.fem.linear = PIO_SOLVE_DIRECT;
        if (k == 4) c.fem.integrator = PIO_MODAL;
        assert_int_equal(fem_case_try(&c, NULL, 0, &error), PIOLA_BAD_DATA);
        print_message("  %s\n", error.message);
        assert_non_null(strstr(error.message, k < 3 ? "contact: friction" : k == 3 ? "direct" : "modal"));
        fem_case_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_slides_with_g_sin_less_mu_cos),
        cmocka_unit_test(a_block_below_the_angle_of_friction_sticks),
        cmocka_unit_test(derivative_of_the_way_by_mu_is_that_of_coulomb),
        cmocka_unit_test(a_moving_mesh_carries_a_block_along),
        cmocka_unit_test(a_static_block_is_held_by_mu_times_what_presses),
        cmocka_unit_test(energy_that_is_lost_is_the_work_of_friction),
        cmocka_unit_test(colliding_blocks_keep_linear_momentum_and_lose_energy),
        cmocka_unit_test(threads_and_slots_make_no_difference),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
