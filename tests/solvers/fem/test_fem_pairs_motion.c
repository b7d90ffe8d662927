/* test_fem_pairs_motion.c -- do surfaces that touch each other in implicit steps do what mechanics says, and does
 * nothing ever pass? f64. */
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

static pio_contact_report report_of(pio_sim *sim)
{
    pio_contact_report r;
    piola_error error;
    if (piola_engine_fem.contact(sim, &r, &error)) fail_msg("%s", error.message);
    return r;
}

/* ---- balance and crossings --------------------------------------------------------------------------------------- */

/* The largest unbalanced force where nothing is held, over the size of those that hold; nothing has crossed. */
static void is_balanced(fem_case *c, pio_sim *sim, double limit, const char *what)
{
    double *f = fem_case_read(sim, "internal_force"), *load = fem_case_read(sim, "external_force"), out = 0, held = 0;
    char *fixed = calloc((size_t)c->n * D, 1);
    assert_non_null(fixed);
    for (int h = 0; h < c->fem.n_constrained; h++) fixed[c->constrained_node[h] * D + c->constrained_axis[h]] = 1;
    for (int i = 0; i < c->n * D; i++) {
        if (fixed[i])
            held += fabs(f[i]);
        else
            out = fmax(out, fabs(f[i] - load[i]));
    }
    assert_true(held > 0);
    fem_case_below(what, out / held, limit, 0);
    assert_int_equal(fem_case_crossings(c, sim), 0);
    free(fixed);
    free(load);
    free(f);
}

/* ---- statics ----------------------------------------------------------------------------------------------------- */

/* A hairpin: a strip of thickness 0.1 around a half circle, with two legs that are 0.5 apart. */
static void hairpin(const double s[3], double x[3])
{
    const double pi = 3.14159265358979323846, leg = 1.2, bend = pi * 0.3, along = s[0] * (2 * leg + bend);
    const double across = 0.1 * (0.5 - s[1]);
    const double angle = along < leg ? 0 : along > leg + bend ? pi : (along - leg) / 0.3;
    const double radius = 0.3 + across;
    x[0] = radius * sin(angle) + (along < leg ? along - leg : along > leg + bend ? leg + bend - along : 0);
    x[1] = 0.3 - radius * cos(angle);
    x[2] = 0.2 * s[2] + 0.03 * s[0];
}

static void strip(fem_case *c, pio_element_type type, int steps, double press)
{
    const fem_material m = fem_material_of(PIO_HYPER_NEO_HOOKEAN, 1e5);
    fem_case_begin(c, 1, steps);
    fem_case_grid(c, (fem_grid){type, type, {26, 2, 1}, hairpin, 0});
    fem_case_matter(c, &m, 1, 1);
    const int ramp = fem_case_curve(c, 2, (double[]){0, steps}, (double[]){0, 1});
    const int zero = fem_case_support(c, 0, -1);
    for (int i = 0; i < c->n; i++) /* the lower leg lies on what holds it */
        for (int a = 0; a < D; a++)
            if (c->rest[i * D + 1] < -0.049 && c->rest[i * D] < 0.01) fem_case_hold(c, i, a, zero);
    if (D == 3) fem_case_hold_side(c, 2, 0, 2, zero); /* its end does not slip sideways */
    fem_case_load(c, PIO_TRACTION, 1, 0, fem_case_value(c, 0, -press, 0), ramp);
    fem_case_pairs(c, 2000, 0.02, 1, ROOM);
    c->fem.halvings = 8;
    c->fem.newton_iterations = 100; /* where its end slips, it goes far */
}

/* A tenth of the load would bend the upper leg through the lower one; it is pressed on it instead. */
static void a_strip_folds_on_itself(void **unused)
{
    (void)unused;
    for (int k = 0; k < 2; k++) {
        static fem_case c;
        piola_error error;
        strip(&c, k ? simplex : box, 4, D == 2 ? 150 : 110);
        pio_sim *sim = fem_case_start(&c);
        for (int step = 0; step < 4; step++) {
            pio_step_record record;
            if (piola_engine_fem.advance(sim, 1, &error)) fail_msg("%s", error.message);
            assert_true(piola_engine_fem.record(sim, step, &record));
            const pio_contact_report r = report_of(sim);
            print_message("  %s: step %d: %d parts, %d iterations, %d of solves, least distance %.3g m, %d pairs\n",
                          fem_type_names[k ? simplex : box], step, record.parts, record.newton_iterations,
                          record.linear_iterations, r.nearest, (int)r.pairs);
            is_balanced(&c, sim, 1e-10, "  out of balance, of what is held");
        }
        const pio_contact_report r = report_of(sim);
        assert_true(r.pairs > 10 && r.parted < r.met && r.nearest > 0 && r.nearest < 0.017);
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
}

/* ---- motions ----------------------------------------------------------------------------------------------------- */

/* Blocks 0.02 apart that do not fit each other: their nodes are not above each other. */
static void apart(const double s[3], double x[3])
{
    const int upper = s[1] > 0.5;
    x[0] = s[0] + (upper ? 0.07 : 0);
    x[1] = upper ? 0.42 + (s[1] - 0.6) : s[1];
    x[2] = s[2] + (upper ? 0.05 : 0);
}

/* Two blocks that approach each other, obliquely. */
static void collide(fem_case *c, pio_element_type type, pio_integrator integrator, double dt, int steps, double speed)
{
    fem_material m = fem_material_of(PIO_HYPER_NEO_HOOKEAN, 1e4);
    m.density = 1;
    fem_case_begin(c, dt, steps);
    fem_case_blocks(c, (fem_grid){type, type, {3, 5, 2}, apart, 0});
    fem_case_matter(c, &m, 1, 1);
    fem_case_motion(c, integrator, 0, 0, 0);
    for (int i = 0; i < c->n; i++) {
        c->initial_velocity[i * D] = fem_case_body(c, i) ? -0.3 * speed : 0;
        c->initial_velocity[i * D + 1] = fem_case_body(c, i) ? -speed : 0.5 * speed;
    }
    fem_case_pairs(c, 500, 0.015, 0, ROOM);
    c->fem.halvings = 6;
}

/* All of the bodies, at states 1 and `steps` in a sample each. */
static int observe_all(fem_case *c, pio_observable type, int steps)
{
    const int o = fem_case_observe(c, type, 2);
    double *w = (double *)(uintptr_t)c->observation[o].weight;
    for (int i = 0; i < (type == PIO_STRAIN_ENERGY ? c->elements : c->n * D); i++) w[i] = 1;
    for (int k = 0; k < 2; k++) fem_case_sample(c, o, k ? steps : 1, k, 1);
    return o;
}

/* Differences of the angular momenta about three centres have the linear one. */
static void momentum(fem_case *c, const double *sample, double *linear, double *angular)
{
    enum { MOMENTS = D == 3 ? 3 : 1 };
    double size = 0;
    *linear = *angular = 0;
    for (int m = 0; m < MOMENTS; m++) {
        double change[3];
        for (int a = 0; a < 3; a++) {
            const double *L = sample + 2 * MOMENTS * a + m;
            change[a] = L[MOMENTS] - L[0];
            size = fmax(size, fabs(L[0]));
            *angular = fmax(*angular, fabs(change[a]));
        }
        for (int a = 0; a < 3; a++) *linear = fmax(*linear, fabs(change[a] - change[(a + 1) % 3]));
    }
    *linear /= size;
    *angular /= size;
    (void)c;
}

/* Linear momentum stays to the tolerance of the solves, and nothing crosses; energy is what the rule of time leaves. */
static void colliding_blocks_keep_momentum(void **unused)
{
    static const struct {
        pio_integrator integrator;
        const char *name;
        double loss; /* of energy, at most */
    } runs[] = {{PIO_BACKWARD_EULER, "backward Euler", 0.6}, {PIO_BDF2, "BDF2", 0.1}, {PIO_NEWMARK, "Newmark", 0.02}};
    enum { STEPS = 180 };
    (void)unused;
    for (int k = 0; k < 3; k++) {
        static fem_case c;
        double sample[FEM_SAMPLES] = {0}, linear, angular;
        collide(&c, k % 2 ? simplex : box, runs[k].integrator, 5e-4, STEPS, 2);
        observe_all(&c, PIO_KINETIC_ENERGY, STEPS);
        observe_all(&c, PIO_STRAIN_ENERGY, STEPS);
        for (int a = 0; a < 3; a++) {
            const int o = observe_all(&c, PIO_ANGULAR_MOMENTUM, STEPS);
            for (int b = 0; b < 3; b++) c.observation[o].center[b] = b == a ? 3 : 0;
        }
        pio_sim *sim = fem_case_create(&c, 0, 1);
        fem_case_forward(&c, sim, NULL, sample);
        const pio_contact_report r = report_of(sim);
        const double before = sample[0] + sample[2], after = sample[1] + sample[3];
        momentum(&c, sample + 4, &linear, &angular);
        print_message(
            "  %s: energy %.6g J before, %.6g J after; %d nodes met, %d parted, least distance %.3g m; angular "
            "momentum %.2g off\n",
            runs[k].name, before, after, (int)r.met, (int)r.parted, r.nearest, angular);
        assert_true(r.met > 0 && r.parted == r.met && r.nearest > 0 && r.nearest < 0.015);
        fem_case_below("  energy after the bounce, less 1", after / before - 1, runs[k].loss, 0);
        fem_case_below("  change of linear momentum, relative", linear, 1e-9, 0);
        assert_int_equal(fem_case_crossings(&c, sim), 0);
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
}

/* Steps in which bodies would go through each other many times over: directions are shortened. */
static void fast_blocks_do_not_pass_in_few_steps(void **unused)
{
    static const pio_integrator integrator[] = {PIO_BACKWARD_EULER, PIO_BDF2, PIO_NEWMARK};
    (void)unused;
    for (int k = 0; k < 3; k++) {
        static fem_case c;
        collide(&c, k % 2 ? box : simplex, integrator[k], 4e-3, 12, 25);
        pio_sim *sim = fem_case_solve(&c);
        const pio_contact_report r = report_of(sim);
        print_message("  integrator %d: least distance %.3g m, %d pairs, %d nodes met\n", (int)integrator[k], r.nearest,
                      (int)r.pairs, (int)r.met);
        assert_true(r.met > 0 && r.nearest > 0);
        assert_int_equal(fem_case_crossings(&c, sim), 0);
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
}

/* ---- bits, room and refusals ------------------------------------------------------------------------------------- */

static void threads_make_no_difference(void **unused)
{
    (void)unused;
    for (int moves = 0; moves < 2; moves++) {
        uint64_t hash[3];
        for (int threads = 1; threads <= 3; threads++) {
            static fem_case c;
            if (moves)
                collide(&c, simplex, PIO_NEWMARK, 1e-3, 40, 4);
            else
                strip(&c, simplex, 2, 150);
            pio_sim *sim = fem_case_create(&c, 0, threads);
            fem_case_forward(&c, sim, NULL, NULL);
            hash[threads - 1] = fem_case_hash_state(sim);
            print_message("  %d threads: %016llx, %d pairs\n", threads, (unsigned long long)hash[threads - 1],
                          (int)report_of(sim).pairs);
            piola_engine_fem.destroy(sim);
            fem_case_free(&c);
        }
        assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
    }
}

static void refused(fem_case *c, piola_status status, const char *what)
{
    piola_error error;
    assert_int_equal(fem_case_try(c, NULL, 0, &error), status);
    print_message("  %s\n", error.message);
    if (!strstr(error.message, what)) fail_msg("not '%s'", what);
    fem_case_free(c);
}

static void what_cannot_be_is_refused(void **unused)
{
    static fem_case c;
    (void)unused;
    strip(&c, box, 2, 150);
    c.fem.pairs.room = 3;
    refused(&c, PIOLA_NO_MEMORY, "contact.pairs: ");
    collide(&c, box, PIO_NEWMARK, 1e-3, 40, 4);
    c.fem.pairs.room = 2;
    refused(&c, PIOLA_NO_MEMORY, "contact.pairs: ");
    strip(&c, box, 2, 150);
    c.fem.linear = PIO_SOLVE_DIRECT;
    refused(&c, PIOLA_BAD_DATA, "no factor follows");
    collide(&c, box, PIO_NEWMARK, 1e-3, 4, 4);
    c.fem.integrator = PIO_REVERSIBLE_EULER;
    refused(&c, PIOLA_BAD_DATA, "reversible integrators and modal analysis have none");
    collide(&c, box, PIO_NEWMARK, 1e-3, 4, 0); /* onto the lower block */
    for (int i = 0; i < c.n; i++) c.initial_displacement[i * D + 1] = fem_case_body(&c, i) ? -0.02 + 1e-9 : 0;
    refused(&c, PIOLA_NUMERICAL, "a gap between them would be right");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_strip_folds_on_itself),
        cmocka_unit_test(colliding_blocks_keep_momentum),
        cmocka_unit_test(fast_blocks_do_not_pass_in_few_steps),
        cmocka_unit_test(threads_make_no_difference),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
