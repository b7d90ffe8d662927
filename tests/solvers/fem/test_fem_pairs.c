/* test_fem_pairs.c -- do surfaces that touch each other do what mechanics says, and does nothing ever pass? f64. */
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

/* Blocks 0.02 apart that do not fit each other: their nodes are not above each other. */
static void apart(const double s[3], double x[3])
{
    const int upper = s[1] > 0.5;
    x[0] = s[0] + (upper ? 0.07 : 0);
    x[1] = upper ? 0.42 + (s[1] - 0.6) : s[1];
    x[2] = s[2] + (upper ? 0.05 : 0);
}

static pio_contact_report report_of(pio_sim *sim)
{
    pio_contact_report r;
    piola_error error;
    if (piola_engine_fem.contact(sim, &r, &error)) fail_msg("%s", error.message);
    return r;
}

/* Two blocks that approach each other, obliquely. */
static void collide(fem_case *c, pio_element_type type, double dt, int steps, double speed)
{
    fem_material m = fem_material_of(PIO_HYPER_NEO_HOOKEAN, 1e4);
    m.density = 1;
    fem_case_begin(c, dt, steps);
    fem_case_blocks(c, (fem_grid){type, type, {3, 5, 2}, apart, 0});
    fem_case_matter(c, &m, 1, 1);
    fem_case_motion(c, PIO_LEAPFROG, 1, 0, 0);
    for (int i = 0; i < c->n; i++) {
        c->initial_velocity[i * D] = fem_case_body(c, i) ? -0.3 * speed : 0;
        c->initial_velocity[i * D + 1] = fem_case_body(c, i) ? -speed : 0.5 * speed;
    }
    fem_case_pairs(c, 500, 0.015, 0, ROOM);
}

/* ---- what stays -------------------------------------------------------------------------------------------------- */

/* All of the bodies, at states 1 and `steps` in a sample each. */
static int observe_all(fem_case *c, pio_observable type, int steps)
{
    const int o = fem_case_observe(c, type, 2);
    double *w = (double *)(uintptr_t)c->observation[o].weight;
    for (int i = 0; i < (type == PIO_STRAIN_ENERGY ? c->elements : c->n * D); i++) w[i] = 1;
    for (int k = 0; k < 2; k++) fem_case_sample(c, o, k ? steps : 1, k, 1);
    return o;
}

/* Angular momenta about three centres have those of all axes and, by their differences, the linear momentum; the
 * leapfrog keeps them to rounding, and its energy but for what of it is not the integrator's own. */
static void colliding_blocks_keep_energy_and_momentum(void **unused)
{
    enum { STEPS = 900, MOMENTS = D == 3 ? 3 : 1 };
    (void)unused;
    for (int k = 0; k < 2; k++) {
        static fem_case c;
        double sample[FEM_SAMPLES] = {0}, worst = 0, size = 0;
        collide(&c, k ? simplex : box, 1e-4, STEPS, 2);
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
        print_message(
            "  %s: energy %.6g J before, %.6g J after; %d nodes met, %d parted, least distance %.3g m, %d pairs "
            "at most\n",
            fem_type_names[k ? simplex : box], before, after, (int)r.met, (int)r.parted, r.nearest, (int)r.pairs);
        assert_true(r.met > 0 && r.parted == r.met && r.nearest > 0 && r.nearest < 0.015);
        fem_case_below("  energy after the bounce, less 1", after / before - 1, 0.01, 0);
        for (int a = 0; a < 3; a++)
            for (int m = 0; m < MOMENTS; m++) {
                const double *L = sample + 4 + 2 * MOMENTS * a + m;
                worst = fmax(worst, fabs(L[MOMENTS] - L[0]));
                size = fmax(size, fabs(L[0]));
            }
        fem_case_below("  change of momenta about three centres, relative", worst / size, 1e-12, 0);
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
}

/* ---- what never happens ------------------------------------------------------------------------------------------ */

/* The number behind these words in a message, or 0. */
static double number_after(const char *message, const char *words)
{
    const char *at = strstr(message, words);
    return at ? strtod(at + strlen(words), NULL) : 0;
}

/* An explicit step that would pass ends with the time step that is right, and with the stiffness where the barrier is
 * too weak for the speed: with what it says the run comes through at once, or when it has said it twice. */
static void an_explicit_step_that_would_pass_ends_with_what_is_right(void **unused)
{
    static const struct {
        double speed, stiffness, dt;
    } blow[] = {{5, 2000, 1.6e-3}, {0.5, 500, 1.6e-3}, {5, 100, 4e-4},
                {20, 100, 2e-4},   {20, 100, 5e-5},    {60, 100, 5e-5}};
    int weak = 0, failed = 0;
    (void)unused;
    for (size_t k = 0; k < sizeof blow / sizeof *blow; k++) {
        double dt = blow[k].dt, stiffness = blow[k].stiffness;
        int runs = 0;
        for (;; runs++) {
            static fem_case c;
            piola_error error;
            collide(&c, box, dt, (int)(0.06 / blow[k].speed / dt), blow[k].speed);
            c.fem.pairs.stiffness = stiffness;
            const piola_status rc = fem_case_try(&c, NULL, 0, &error);
            fem_case_free(&c);
            if (!rc) break;
            print_message("  %g m/s: %s\n", blow[k].speed, error.message);
            assert_int_equal(rc, PIOLA_NUMERICAL);
            assert_int_equal(error.failure.kind, PIOLA_FAILED_CONTACT);
            const double right = number_after(error.message, "time step of "),
                         stiffer = number_after(error.message, "`contact.stiffness` of ");
            assert_true(right > 1e-7 && (right < dt || stiffer > 0) && runs < 2);
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

/* ---- bits -------------------------------------------------------------------------------------------------------- */

static void threads_make_no_difference(void **unused)
{
    uint64_t hash[3];
    (void)unused;
    for (int threads = 1; threads <= 3; threads++) {
        static fem_case c;
        collide(&c, simplex, 1e-4, 200, 4);
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

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

static void refused(fem_case *c, piola_status status, const char *what, const char *also)
{
    piola_error error;
    assert_int_equal(fem_case_try(c, NULL, 0, &error), status);
    print_message("  %s\n", error.message);
    if (!strstr(error.message, what)) fail_msg("not '%s'", what);
    if (!strstr(error.message, also)) fail_msg("not '%s'", also);
    fem_case_free(c);
}

static void what_cannot_be_is_refused(void **unused)
{
    static fem_case c;
    (void)unused;
    collide(&c, box, 1e-4, 1, 0); /* the upper block is moved into the lower one */
    for (int i = 0; i < c.n; i++) c.initial_displacement[i * D + 1] = fem_case_body(&c, i) ? -0.1 : 0;
    refused(&c, PIOLA_NUMERICAL, "passes through a face", " is 0.08 m deep in bodies[");
    collide(&c, box, 1e-4, 1, 0); /* onto it: a node of each body, of the surfaces that touch */
    for (int i = 0; i < c.n; i++) c.initial_displacement[i * D + 1] = fem_case_body(&c, i) ? -0.02 + 1e-9 : 0;
    refused(&c, PIOLA_NUMERICAL, "of bodies[1] are 1e-09 m apart; a gap between them would be right",
            "of bodies[0] and");
    for (int hole = 0; hole < 2; hole++) { /* into it, or where nothing is */
        collide(&c, box, 1e-4, 1, 0);
        for (int i = 0; i < c.n; i++)
            for (int a = 0; a < D; a++)
                if (fem_case_body(&c, i)) {
                    const double centre[3] = {0.52, 0.19 + (hole ? 0.5 : 0), 0.53}, X = c.rest[i * D + a];
                    const double middle[3] = {0.57, 0.62, 0.55};
                    c.initial_displacement[i * D + a] = centre[a] + 0.2 * (X - middle[a]) - X;
                }
        if (!hole) refused(&c, PIOLA_NUMERICAL, "of bodies[1] is inside bodies[0]", "whose nearest node");
        if (hole) assert_int_equal(fem_case_try(&c, NULL, 0, &(piola_error){0}), PIOLA_OK);
        if (hole) fem_case_free(&c);
    }
    collide(&c, box, 1e-4, 1, 0); /* elements are 0.2 high and 1/3 wide */
    c.fem.pairs.itself = 1;
    c.fem.pairs.distance = 0.25;
    refused(&c, PIOLA_NUMERICAL, D == 2 ? "are 0.2 m apart" : "m apart; a `contact.distance` of less", "at rest");
    collide(&c, box, 1e-4, 200, 4);
    c.fem.pairs.room = 2;
    refused(&c, PIOLA_NO_MEMORY, "contact.pairs: ", "would be right");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colliding_blocks_keep_energy_and_momentum),
        cmocka_unit_test(an_explicit_step_that_would_pass_ends_with_what_is_right),
        cmocka_unit_test(threads_make_no_difference),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
