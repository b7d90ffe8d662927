/* test_fem_follow_gradient.c -- is the adjoint the derivative where loads depend on the displacement, and of body
 * forces?
 *
 * A follower pressure, springs along the normal, along the axes and at a node, and a body force, together: Taylor
 * remainders
 * (host/verify/taylor.h) for every element, law, integrator and for each observation alone. */
#include "tests/solvers/fem/fem_taylor.h"
#include "tests/sanitized.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { D = FEM_DIM, STEPS = 3 };
enum { PRESSURE, FOUNDATION, SPRINGS, NODE, BODY };
static const pio_element_type box = FEM_DIM == 2 ? PIO_QUAD4 : PIO_HEX8;
/* Of even and of odd cells. */
static const pio_element_type cells[2][3][2] = {{{PIO_TRI3, PIO_QUAD4}, {PIO_QUAD9, PIO_TRI6}, {PIO_QUAD4, PIO_QUAD4}},
                                                {{PIO_HEX8, PIO_HEX8}, {PIO_TET4, PIO_TET4}, {PIO_TET10, PIO_TET10}}};

static void sheared(const double s[3], double x[3])
{
    x[0] = 1.2 * s[0] + 0.2 * s[1];
    x[1] = 0.7 * s[1] + 0.1 * s[0] * s[0];
    x[2] = 0.6 * s[2] + 0.1 * s[1];
}

/* The loads in the order of the enum; constrained at one side, of which one edge moves. */
static void structure(fem_case *c, int laws, pio_element_type even, pio_element_type odd, pio_integrator integrator)
{
    fem_material m[2] = {fem_material_of((pio_hyper_law)(laws % FEM_LAWS), 1000),
                         fem_material_of((pio_hyper_law)((laws + 4) % FEM_LAWS), 1500)};
    const int moves = integrator != PIO_STATIC;
    m[0].density = 3, m[1].density = 2;
    fem_case_begin(c, integrator == PIO_LEAPFROG ? 0.0008 : moves ? 0.02 : 0.3, STEPS);
    c->random = 5 + (uint64_t)laws;
    const double T = c->desc.dt * STEPS;
    const int ramp = fem_case_curve(c, 3, (double[]){0, 0.3 * T, T}, (double[]){0.2, 0.5, 1});
    const int wave = fem_case_curve(c, 3, (double[]){0, 0.5 * T, T}, (double[]){0.6, -0.4, 1});
    fem_case_grid(c, (fem_grid){even, odd, {2, 2, 1}, sheared, 0.15});
    fem_case_matter(c, m, 2, 0.9);
    const int moved = fem_case_support(c, 0.03, ramp), zero = fem_case_support(c, 0, -1);
    for (int a = 0; a < D; a++) fem_case_hold_side(c, 0, 0, a, a == 1 ? moved : zero);
    const double values[5][3] = {{80, 0, 0}, {300, 0, 0}, {150, 90, 120}, {20, 30, 25}, {30, -50, 20}};
    for (int k = 0; k < 5; k++) fem_case_value(c, values[k][0], values[k][1], values[k][2]);
    fem_case_load(c, PIO_FOLLOWER, 1, 1, PRESSURE, wave);
    fem_case_load(c, PIO_FOLLOWER, 0, 1, PRESSURE, ramp);
    fem_case_load(c, PIO_FOUNDATION, 1, 0, FOUNDATION, -1);
    fem_case_load(c, PIO_SPRINGS, 0, 1, SPRINGS, -1);
    for (int l = 0; l < c->fem.n_loads; l++) c->load[l].scale = 0.5 + 0.25 * l;
    fem_case_springs(c, fem_case_at(c, c->lines[0] - 1, c->lines[1] - 1, 0), NODE);
    fem_case_body_force(c, c->fem.n_blocks - 1, BODY, wave);
    c->desc.gravity[1] = -9.81;
    if (!moves) return;
    fem_case_motion(c, integrator, 0, 5, 0.001);
    for (int i = 0; i < c->n * D; i++) {
        c->initial_velocity[i] = 0.3 * fem_case_random(c);
        c->initial_displacement[i] = 0.005 * fem_case_random(c);
    }
}

static int observe_everything(fem_case *c, int reactions)
{
    static const pio_observable type[] = {PIO_DISPLACEMENT, PIO_COMPLIANCE, PIO_REACTION};
    for (int k = 0; k < 2 + reactions; k++) {
        const int o = fem_case_observe(c, type[k], 2);
        fem_case_sample(c, o, STEPS, 0, 0.1);
        fem_case_sample(c, o, 0, 1, 0.03);
        fem_case_sample(c, o, 1, 1, 0.05);
        fem_case_sample(c, o, 2, 1, -0.04);
    }
    return 2 + reactions;
}

static void design_everything(fem_case *c, int moves)
{
    static const double value[] = {80, 300, 0, 0, 0};
    fem_case_design(c, PIO_POSITION, -1, FEM_EACH, fem_linear(0, 0.05), 0);
    for (int k = 0; k < 5; k++)
        fem_case_design(c, PIO_LOAD, -1, FEM_SCALAR,
                        (fem_transform){k == FOUNDATION,
                                        k == FOUNDATION ? log(300)
                                        : k > 1         ? 60
                                                        : value[k],
                                        k == FOUNDATION ? 0.3 : 25},
                        k);
    fem_case_design(c, PIO_SUPPORT, -1, FEM_SCALAR, fem_linear(0.03, 0.02), 0);
    fem_case_design(c, PIO_GRAVITY, -1, FEM_SCALAR, fem_linear(-9, 2), 0);
    if (D == 2) fem_case_design(c, PIO_THICKNESS, -1, FEM_EACH, fem_linear(0.9, 0.1), 0);
    if (moves) fem_case_design(c, PIO_DISPLACED, -1, FEM_GROUPS, fem_linear(0, 0.01), 0);
    fem_case_design_matter(c);
}

static void adjoint_is_the_derivative_for_every_law_and_element(void **unused)
{
    (void)unused;
    for (int laws = 0; laws < FEM_LAWS + FEM_TYPES; laws += TEST_SANITIZED ? 5 : D - 1) { /* 3D: every other */
        static taylor_run t;
        static fem_case c;
        char what[160];
        const pio_element_type *type = cells[D - 2][laws % 3];
        const pio_element_type alone = laws < FEM_LAWS ? type[0] : fem_types[laws - FEM_LAWS];
        structure(&c, laws, alone, laws < FEM_LAWS ? type[1] : alone, PIO_STATIC);
        observe_everything(&c, 1);
        design_everything(&c, 0);
        taylor_begin(&t, &c, 0.2);
        everything(&t);
        if (laws < 4) design_by_design(&t);
        snprintf(what, sizeof what, "%s, %s", fem_law_names[laws % FEM_LAWS], fem_type_names[alone]);
        taylor_end(&t, what);
        fem_case_free(&c);
    }
}

static void adjoint_is_the_derivative_for_every_integrator(void **unused)
{
    static const char *const names[] = {"static", "backward Euler", "BDF2", "Newmark", "leapfrog"};
    (void)unused;
    for (pio_integrator i = PIO_BACKWARD_EULER; i <= PIO_LEAPFROG; i++) {
        static taylor_run t;
        static fem_case c;
        structure(&c, (int)i, box, box, i);
        observe_everything(&c, i != PIO_LEAPFROG);
        design_everything(&c, 1);
        taylor_begin(&t, &c, 0.2);
        everything(&t);
        design_by_design(&t);
        taylor_end(&t, names[i]);
        fem_case_free(&c);
    }
}

static void adjoint_is_the_derivative_for_every_observation_alone(void **unused)
{
    static const char *const names[] = {"displacement", "compliance", "reaction"};
    (void)unused;
    for (int moves = 0; moves < 2; moves++)
        for (int kept = 0; kept < 3; kept++) {
            static taylor_run t;
            static fem_case c;
            char what[80];
            structure(&c, 3, box, box, moves ? PIO_NEWMARK : PIO_STATIC);
            observe_everything(&c, 1);
            design_everything(&c, moves);
            for (int o = 0, k = 0; o < c.desc.n_observations; o++)
                for (int s = 0; s < c.observation[o].samples * c.observation[o].components; s++, k++)
                    if (o != kept) c.linear[k] = c.square[k] = 0;
            taylor_begin(&t, &c, 0.2);
            everything(&t);
            snprintf(what, sizeof what, "%s alone, %s", names[kept], moves ? "Newmark" : "static");
            taylor_end(&t, what);
            fem_case_free(&c);
        }
}

static void wrong_gradients_are_refused(void **unused)
{
    static taylor_run t;
    static fem_case c;
    (void)unused;
    structure(&c, 3, box, box, PIO_STATIC);
    observe_everything(&c, 1);
    design_everything(&c, 0);
    taylor_begin(&t, &c, 0.2);
    t.quiet = 1;
    for (int k = 1; k <= 5; k++) { /* the loads' values, one after another */
        const int one = fem_case_design_first(&c, k);
        t.z_bar[one] *= 1.0001;
        assert_int_equal(single_direction(&t, "scaled by 1.0001", one), PIO_TAYLOR_FAILED);
        t.z_bar[one] /= 1.0001;
    }
    print_message("  5 wrong gradients: %d refused, %d passed\n", t.failed, t.passed);
    piola_engine_fem.destroy(t.sim);
    fem_case_free(&c);
}

static void states_and_gradients_have_the_same_bits_for_any_number_of_threads(void **unused)
{
    static const int threads[] = {1, 2, 3, 8};
    uint64_t first = 0;
    (void)unused;
    for (int k = 0; k < 4; k++) {
        static fem_case c;
        static double z[FEM_VARIABLES], z_bar[FEM_VARIABLES];
        structure(&c, 3, cells[D - 2][0][0], cells[D - 2][0][1], PIO_STATIC);
        observe_everything(&c, 1);
        design_everything(&c, 0);
        pio_sim *sim = fem_case_create(&c, c.desc.steps, threads[k]);
        fem_case_gradient(&c, sim, NULL, z, z_bar);
        uint64_t hash = fem_case_hash(FEM_HASH_START, z_bar, sizeof *z_bar * (size_t)c.variables);
        fem_case_forward(&c, sim, z, NULL);
        hash ^= fem_case_hash_state(sim);
        print_message("  %d threads: %016llx\n", threads[k], (unsigned long long)hash);
        if (k) assert_int_equal(hash, first);
        first = hash;
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adjoint_is_the_derivative_for_every_law_and_element),
        cmocka_unit_test(adjoint_is_the_derivative_for_every_integrator),
        cmocka_unit_test(adjoint_is_the_derivative_for_every_observation_alone),
        cmocka_unit_test(wrong_gradients_are_refused),
        cmocka_unit_test(states_and_gradients_have_the_same_bits_for_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
