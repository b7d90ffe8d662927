/* test_fem_contact.c -- do meshes that touch obstacles do what mechanics says, and does nothing ever pass? f64. */
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

/* -B'(s) of Li et al. 2020, by its definition. */
static double pressure_of(double s)
{
    return s < 1 ? 2 * (s - 1) * log(s) + (s - 1) * (s - 1) / s : 0;
}

/* The distance at which the barrier presses with p. */
static double gap_of(double p, double stiffness, double distance)
{
    double low = 0, high = 1;
    for (int k = 0; k < 200; k++) {
        const double s = (low + high) / 2;
        if (stiffness * pressure_of(s) > p)
            low = s;
        else
            high = s;
    }
    return distance * low;
}

static void lift(const double s[3], double x[3])
{
    for (int a = 0; a < 3; a++) x[a] = s[a] + (a == 1 ? 0.1 : 0);
}

static pio_obstacle_desc *floor_below(fem_case *c, double stiffness, double distance)
{
    pio_obstacle_desc *o = fem_case_obstacle(c, PIO_PLANE, stiffness, distance);
    o->normal[1] = 1;
    return o;
}

static pio_contact_report report_of(pio_sim *sim)
{
    pio_contact_report r;
    piola_error error;
    if (piola_engine_fem.contact(sim, &r, &error)) fail_msg("%s", error.message);
    return r;
}

/* ---- statics ----------------------------------------------------------------------------------------------------- */

/* A column of nu = 0 on a floor under a pressure p: every node of its lower side has the gap at which the barrier
 * presses with p less what soft springs at its top carry, and in between it is compressed evenly. Elements whose shape
 * functions have integrals above 0 do so to rounding. */
static void a_pressed_block_has_the_gap_of_the_barrier(void **unused)
{
    const fem_material m = {.law = PIO_HYPER_LINEAR, .parameters = {1000, 0}, .density = 1};
    const double p = 7, soft = 1e-3, stiffness = 5, distance = 0.03;
    (void)unused;
    for (int type = 0; type < FEM_TYPES; type++) {
        static fem_case c;
        double worst = 0, largest = 0, top = 0;
        int nodes = 0;
        if (D == 3 && (fem_types[type] == PIO_TET10 || fem_types[type] == PIO_HEX20)) continue;
        fem_case_begin(&c, 1, 1);
        fem_case_grid(&c, (fem_grid){fem_types[type], fem_types[type], {2, 3, 2}, lift, 0.2});
        fem_case_matter(&c, &m, 1, 0.6);
        const int zero = fem_case_support(&c, 0, -1);
        fem_case_hold_side(&c, 0, 0, 0, zero);
        if (D == 3) fem_case_hold_side(&c, 2, 0, 2, zero);
        fem_case_load(&c, PIO_TRACTION, 1, 1, fem_case_value(&c, 0, -p, 0), 0);
        fem_case_load(&c, PIO_FOUNDATION, 1, 1, fem_case_value(&c, soft, 0, 0), -1);
        fem_case_contact(&c, 1, 0);
        floor_below(&c, stiffness, distance);
        pio_sim *sim = fem_case_solve(&c);
        double *u = fem_case_read(sim, "displacement");
        for (int i = 0; i < c.n; i++)
            if (fem_case_on_side(&c, i, 1, 1)) top += u[i * D + 1], nodes++;
        const double carried = -soft * top / nodes, gap = gap_of(p - carried, stiffness, distance);
        for (int i = 0; i < c.n; i++) {
            const double at = c.rest[i * D + 1] + u[i * D + 1];
            if (fem_case_on_side(&c, i, 1, 0)) worst = fmax(worst, fabs(at - gap) / gap);
            for (int a = 0; a < D; a++)
                if (a != 1) largest = fmax(largest, fabs(u[i * D + a]));
        }
        fem_case_below(fem_type_names[fem_types[type]], worst, 1e-8, 0);
        fem_case_below("  sideways, m", largest, 1e-9, 0);
        fem_case_below("  least gap of the report, relative", report_of(sim).gap / gap - 1, 1e-8, 0);
        free(u);
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
}

/* Where a barrier is as thin as 1e-9 of the body, places are rounded to 1e-7 of it: forces balance as well as that
 * allows, and the gap is right to as many digits. */
static void a_block_is_pressed_on_a_barrier_as_thin_as_rounding_allows(void **unused)
{
    const fem_material m = {.law = PIO_HYPER_LINEAR, .parameters = {1000, 0}, .density = 1};
    const double p = 7, stiffness = 5, distance = 1e-9, gap = gap_of(p, stiffness, distance);
    static fem_case c;
    (void)unused;
    fem_case_begin(&c, 1, 1);
    fem_case_grid(&c, (fem_grid){box, box, {2, 3, 2}, NULL, 0});
    fem_case_matter(&c, &m, 1, 0.6);
    const int zero = fem_case_support(&c, 0, -1), down = fem_case_support(&c, -p / 1000, -1);
    fem_case_hold_side(&c, 0, 0, 0, zero);
    if (D == 3) fem_case_hold_side(&c, 2, 0, 2, zero);
    fem_case_hold_side(&c, 1, 1, 1, down);
    fem_case_contact(&c, 1, 0);
    floor_below(&c, stiffness, distance)->position[1] = -1.5 * distance;
    pio_sim *sim = fem_case_solve(&c);
    double *u = fem_case_read(sim, "displacement"), worst = 0;
    for (int i = 0; i < c.n; i++)
        if (fem_case_on_side(&c, i, 1, 0))
            worst = fmax(worst, fabs(c.rest[i * D + 1] + u[i * D + 1] + 1.5 * distance - gap) / gap);
    fem_case_below("gap, less that of the barrier", worst, 1e-5, 0);
    free(u);
    piola_engine_fem.destroy(sim);
    fem_case_free(&c);
}

/* A block that is pressed on a ball, by supports: what those hold is what the obstacle gives, whatever the element. The
 * internal forces are those of the body and of the barrier, which balance where nothing is held. */
static void supports_push_a_block_on_a_ball_in_parts_of_a_step(void **unused)
{
    (void)unused;
    for (int type = 0; type < FEM_TYPES; type++) {
        static fem_case c;
        const fem_material m = fem_material_of(PIO_HYPER_NEO_HOOKEAN, 1000);
        double free_force = 0, held = 0;
        fem_case_begin(&c, 1, 2);
        fem_case_grid(&c, (fem_grid){fem_types[type], fem_types[type], {3, 2, 2}, lift, 0.1});
        fem_case_matter(&c, &m, 1, 0.6);
        const int ramp = fem_case_curve(&c, 2, (double[]){0, 2}, (double[]){0, 1});
        const int moved = fem_case_support(&c, -0.25, ramp), zero = fem_case_support(&c, 0, -1);
        for (int a = 0; a < D; a++) fem_case_hold_side(&c, 1, 1, a, a == 1 ? moved : zero);
        fem_case_contact(&c, 1, 0);
        pio_obstacle_desc *ball = fem_case_obstacle(&c, PIO_BALL, 10, 0.02);
        ball->radius = 0.8;
        ball->position[0] = 0.45;
        ball->position[1] = -0.81;
        ball->position[2] = 0.5;
        c.fem.halvings = 6;
        pio_sim *sim = fem_case_solve(&c);
        double *f = fem_case_read(sim, "internal_force");
        for (int i = 0; i < c.n; i++) {
            held += fem_case_on_side(&c, i, 1, 1) ? f[i * D + 1] : 0;
            for (int a = 0; a < D && !fem_case_on_side(&c, i, 1, 1); a++)
                free_force = fmax(free_force, fabs(f[i * D + a]));
        }
        const pio_contact_report r = report_of(sim);
        print_message("  %s: %.3g N, least gap %.3g m, %d points\n", fem_type_names[fem_types[type]], held, r.gap,
                      (int)r.began);
        assert_true(held < -1 && r.gap > 0 && r.gap < 0.02 && r.began > 0);
        fem_case_below("  out of balance, of what is held", free_force / -held, 1e-9, 0);
        free(f);
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
}

/* ---- what never happens ------------------------------------------------------------------------------------------ */

/* A block of 0.2 of its speed of sound, which in one step goes much farther than a thin plate is thick. */
static void thrown(fem_case *c, pio_integrator integrator, double dt, int steps, double speed, int plate)
{
    fem_material m = fem_material_of(PIO_HYPER_NEO_HOOKEAN, 1e4);
    m.density = 1;
    fem_case_begin(c, dt, steps);
    fem_case_grid(c, (fem_grid){box, box, {3, 3, 2}, lift, 0});
    fem_case_matter(c, &m, 1, 1);
    fem_case_motion(c, integrator, integrator == PIO_LEAPFROG, 0, 0);
    for (int i = 0; i < c->n; i++) c->initial_velocity[i * D + 1] = -speed;
    c->fem.newton_tolerance = 1e-8;
    c->fem.halvings = 8;
    for (int side = 0; side < 2; side++)
        for (int a = 0; a < D; a++) fem_case_contact(c, a, side);
    if (!plate) {
        floor_below(c, 50, 0.02)->position[1] = -1e6;
        return;
    }
    pio_obstacle_desc *o = fem_case_obstacle(c, PIO_BOX, 50, 0.02);
    for (int a = 0; a < 3; a++) o->size[a] = a == 1 ? 0.04 : 3;
    o->position[0] = o->position[2] = 0.5;
    o->position[1] = -0.05;
}

static double lowest(fem_case *c, pio_sim *sim)
{
    double *u = fem_case_read(sim, "displacement"), least = INFINITY;
    for (int i = 0; i < c->n; i++) least = fmin(least, c->rest[i * D + 1] + u[i * D + 1]);
    free(u);
    return least;
}

static void a_thrown_block_does_not_pass_a_thin_plate(void **unused)
{
    static const pio_integrator integrator[] = {PIO_BACKWARD_EULER, PIO_BDF2, PIO_NEWMARK};
    static const char *const names[] = {"backward Euler", "BDF2", "Newmark"};
    (void)unused;
    for (int k = 0; k < 3; k++) {
        static fem_case c;
        double least[2];
        for (int plate = 0; plate < 2; plate++) {
            thrown(&c, integrator[k], 0.02, 4, 20, plate);
            pio_sim *sim = fem_case_solve(&c);
            const pio_contact_report r = report_of(sim);
            least[plate] = lowest(&c, sim);
            if (plate) assert_true(r.gap > 0 && r.began > 0);
            piola_engine_fem.destroy(sim);
            fem_case_free(&c);
        }
        print_message("  %s: lowest place with the plate %.4g m, without it %.4g m\n", names[k], least[1], least[0]);
        assert_true(least[1] > -0.03);
        assert_true(least[0] < -1); /* else the test would prove nothing */
    }
}

/* The number behind these words in a message, or 0. */
static double number_after(const char *message, const char *words)
{
    const char *at = strstr(message, words);
    return at ? strtod(at + strlen(words), NULL) : 0;
}

/* The leapfrog has no step limit of its own: it ends with the time step that is right, and with the stiffness where the
 * barrier is too weak for the speed. With what it says the run comes through at once, or when it has said it twice. */
static void an_explicit_step_that_would_pass_ends_with_what_is_right(void **unused)
{
    static const struct {
        double speed, stiffness, dt;
    } blow[] = {{10, 500, 1.6e-3}, {2, 100, 1.6e-3}, {10, 100, 4e-4},
                {10, 100, 1e-4},   {40, 100, 2e-4},  {40, 100, 2e-5}};
    int weak = 0, failed = 0;
    (void)unused;
    for (size_t k = 0; k < sizeof blow / sizeof *blow; k++) {
        double dt = blow[k].dt, stiffness = blow[k].stiffness;
        int runs = 0;
        for (;; runs++) {
            static fem_case c;
            piola_error error;
            thrown(&c, PIO_LEAPFROG, dt, (int)(0.4 / blow[k].speed / dt), blow[k].speed, 1);
            c.obstacle[0].stiffness = stiffness;
            const piola_status rc = fem_case_try(&c, NULL, 0, &error);
            fem_case_free(&c);
            if (!rc) break;
            print_message("  %g m/s: %s\n", blow[k].speed, error.message);
            assert_int_equal(rc, PIOLA_NUMERICAL);
            assert_int_equal(error.failure.kind, PIOLA_FAILED_CONTACT);
            const double right = number_after(error.message, "time step of "),
                         stiffer = number_after(error.message, "obstacles with a `stiffness` of ");
            assert_true(right > 1e-6 && (right < dt || stiffer > 0) && runs < 2);
            assert_true(stiffer == 0 || stiffer > stiffness);
            weak += stiffer > 0;
            stiffness = stiffer > 0 ? stiffer : stiffness;
            dt = right;
        }
        print_message("  %g m/s: through with steps of %.3g s and a stiffness of %.4g Pa\n", blow[k].speed, dt,
                      stiffness);
        failed += runs > 0;
    }
    assert_true(failed > 3 && weak > 0); /* else the test would prove less */
}

/* ---- energy ------------------------------------------------------------------------------------------------------ */

static void an_elastic_block_bounces_with_its_energy(void **unused)
{
    enum { STEPS = 700 };
    static fem_case c;
    double sample[4] = {0};
    (void)unused;
    thrown(&c, PIO_LEAPFROG, 2e-4, STEPS, 2, 1);
    c.obstacle[0].position[1] = 0.05;
    const int kinetic = fem_case_observe(&c, PIO_KINETIC_ENERGY, 2),
              strain = fem_case_observe(&c, PIO_STRAIN_ENERGY, 2);
    for (int o = 0; o < 2; o++) { /* all of the body */
        double *w = (double *)(uintptr_t)c.observation[o ? strain : kinetic].weight;
        for (int i = 0; i < (o ? c.elements : c.n * D); i++) w[i] = 1;
    }
    for (int k = 0; k < 2; k++) {
        fem_case_sample(&c, kinetic, k ? STEPS : 1, k, 1);
        fem_case_sample(&c, strain, k ? STEPS : 1, k, 1);
    }
    pio_sim *sim = fem_case_create(&c, 0, 1);
    fem_case_forward(&c, sim, NULL, sample);
    const pio_contact_report r = report_of(sim);
    const double before = sample[0] + sample[2], after = sample[1] + sample[3];
    print_message("  energy %.6g J before, %.6g J after; %d points touched, %d left, least gap %.3g m\n", before, after,
                  (int)r.began, (int)r.ended, r.gap);
    assert_true(r.began > 0 && r.ended == r.began);
    fem_case_below("energy after the bounce, less 1", after / before - 1, 0.01, 0);
    piola_engine_fem.destroy(sim);
    fem_case_free(&c);
}

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

static void a_start_that_overlaps_is_refused_with_node_obstacle_and_depth(void **unused)
{
    (void)unused;
    for (int moving = 0; moving < 2; moving++) {
        static fem_case c;
        piola_error error;
        thrown(&c, moving ? PIO_NEWMARK : PIO_BACKWARD_EULER, 0.01, 1, 0, 1);
        floor_below(&c, 5, 0.02)->position[1] = 0.15;
        assert_int_equal(fem_case_try(&c, NULL, 0, &error), PIOLA_NUMERICAL);
        print_message("  %s\n", error.message);
        assert_int_equal(error.failure.kind, PIOLA_FAILED_CONTACT);
        assert_int_equal(error.failure.of, PIOLA_FAILED_NODE);
        assert_non_null(strstr(error.message, "0.05 m deep in obstacles[1]"));
        fem_case_free(&c);
    }
}

/* Floors, of which one rises through all of the gap and into where the body was, while one turns, carry it along: the
 * step has as few parts as it has without them. */
static void obstacles_that_move_carry_the_body_along(void **unused)
{
    static const double rise[2][PIO_MOTION_NUMBERS] = {{0, 0, 0, 0, 0}, {1, 0, 0.3, 0, 0}},
                        turn[2][PIO_MOTION_NUMBERS] = {{0, 0, 0, 0, 0}, {1, 0, 0.2, 0, 0.15}};
    (void)unused;
    for (int k = 0; k < 4; k++) {
        static fem_case c;
        pio_step_record record;
        const fem_material m = fem_material_of(PIO_HYPER_NEO_HOOKEAN, 1000);
        fem_case_begin(&c, 1, 1);
        fem_case_grid(&c, (fem_grid){box, box, {3, 3, 2}, lift, 0});
        fem_case_matter(&c, &m, 1, 1);
        if (k / 2) fem_case_motion(&c, PIO_NEWMARK, 0, 0, 0);
        fem_case_clamp(&c, 1, 1);
        fem_case_contact(&c, 1, 0);
        c.fem.halvings = 4;
        pio_obstacle_desc *o = floor_below(&c, 10, 0.02);
        o->position[0] = 0.5;
        o->turns[2] = 1;
        o->motion = k % 2 ? &turn[0][0] : &rise[0][0];
        o->n_points = 2;
        pio_sim *sim = fem_case_solve(&c);
        assert_true(piola_engine_fem.record(sim, 0, &record));
        const pio_contact_report r = report_of(sim);
        print_message("  %s, %s: lowest place %.4g m, least gap %.3g m, %d iterations in %d parts\n",
                      k / 2 ? "in motion" : "static", k % 2 ? "turning" : "rising", lowest(&c, sim), r.gap,
                      (int)record.newton_iterations, (int)record.parts);
        assert_true(r.gap > 0 && r.gap < 0.02 && record.parts <= 4);
        assert_true(lowest(&c, sim) > (k % 2 ? 0.1 : 0.3));
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pressed_block_has_the_gap_of_the_barrier),
        cmocka_unit_test(a_block_is_pressed_on_a_barrier_as_thin_as_rounding_allows),
        cmocka_unit_test(supports_push_a_block_on_a_ball_in_parts_of_a_step),
        cmocka_unit_test(a_thrown_block_does_not_pass_a_thin_plate),
        cmocka_unit_test(an_explicit_step_that_would_pass_ends_with_what_is_right),
        cmocka_unit_test(an_elastic_block_bounces_with_its_energy),
        cmocka_unit_test(a_start_that_overlaps_is_refused_with_node_obstacle_and_depth),
        cmocka_unit_test(obstacles_that_move_carry_the_body_along),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
