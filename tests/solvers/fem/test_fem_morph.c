/* test_fem_morph.c -- nodes that follow a surface whose rest positions are designed: where they come to rest, and the
 * derivative through them. f64. */
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

enum { D = FEM_DIM, ALL = (1 << FEM_DIM) - 1, CELLS = 3 };

/* The case's own arrays; it lives until the next one. */
static int32_t *follows;
static double *stiffness, *direction;

static void sheared(const double s[3], double x[3])
{
    x[0] = 1.2 * s[0] + 0.2 * s[1];
    x[1] = 0.7 * s[1];
    x[2] = 0.6 * s[2] + 0.1 * s[1];
}

static int on_surface(const fem_case *c, int node)
{
    int on = 0;
    for (int a = 0; a < D; a++) on |= fem_case_on_side(c, node, a, 0) || fem_case_on_side(c, node, a, 1);
    return on;
}

/* A clamped, pulled and heavy block whose inner nodes follow; `graded`: stiffness differs from element to element. */
static void block(fem_case *c, pio_element_type type, int graded)
{
    const fem_material m = fem_material_of(PIO_HYPER_NEO_HOOKEAN, 1000);
    fem_case_begin(c, 1, 1);
    fem_case_grid(c, (fem_grid){type, type, {CELLS, CELLS, CELLS}, sheared, 0.15});
    fem_case_matter(c, &m, 1, 0.9);
    fem_case_clamp(c, 0, 0);
    fem_case_load(c, PIO_TRACTION, 0, 1, fem_case_value(c, 50, -28, 12), 0);
    c->desc.gravity[1] = -0.06;
    free(follows), free(stiffness), free(direction);
    follows = calloc((size_t)c->n, sizeof *follows);
    stiffness = calloc(5 * (size_t)c->elements, sizeof *stiffness);
    direction = calloc(D * (size_t)c->n, sizeof *direction);
    assert_true(follows && stiffness && direction);
    for (int i = 0; i < c->n; i++) {
        follows[i] = on_surface(c, i) ? 0 : ALL;
        for (int a = 0; a < D; a++) direction[i * D + a] = (a == 1 ? 0.8 : 0.6 / sqrt(D - 1));
    }
    for (int e = 0; e < c->elements; e++) {
        stiffness[5 * e] = graded ? 1 + e % 3 : 7;
        stiffness[5 * e + 1] = 0.3;
    }
    c->fem.follows = follows;
    c->fem.follow_parameters = stiffness;
}

/* Design 0 is of the surface's nodes alone, with `components` of each. */
static void design_surface(fem_case *c, int components)
{
    const int d = fem_case_design(c, PIO_POSITION, -1, FEM_EACH, fem_linear(0, 0.05), 0);
    int32_t *index = (int32_t *)(uintptr_t)c->design[d].index;
    int32_t groups = 0;
    for (int i = 0; i < c->n; i++) index[i] = follows[i] == ALL || (follows[i] && components < D) ? -1 : groups++;
    c->variables += groups * components - c->design[d].groups * c->design[d].components;
    c->design[d].groups = groups;
    c->design[d].components = components;
    if (components == 1) c->design[d].direction = direction;
}

/* When the surface moves as x -> x + A x, a homogeneous elastic body moves so inside, for every irregular mesh. */
static void inner_nodes_follow_an_affine_move_exactly(void **unused)
{
    static const double A[3][3] = {{0.1, 0.05, -0.02}, {-0.07, 0.08, 0.03}, {0.02, -0.04, -0.06}};
    (void)unused;
    for (int t = 0; t < FEM_TYPES; t++)
        for (int graded = 0; graded < 2; graded++) {
            static fem_case c;
            static double z[FEM_VARIABLES];
            char what[120];
            double worst = 0, largest = 0;
            piola_error error;
            block(&c, fem_types[t], graded);
            design_surface(&c, D);
            const pio_design_desc *d = &c.design[0];
            for (int i = 0; i < c.n; i++)
                for (int a = 0; d->index[i] >= 0 && a < D; a++) {
                    double w = 0;
                    for (int b = 0; b < D; b++) w += A[a][b] * c.rest[i * D + b];
                    z[d->index[i] * D + a] = (w - d->a) / d->b;
                }
            pio_sim *sim = fem_case_create(&c, 0, 1);
            if (piola_engine_fem.start(sim, z, &error)) fail_msg("start: %s", error.message);
            double *rest = fem_case_read(sim, "rest_position");
            for (int i = 0; i < c.n; i++)
                for (int a = 0; a < D; a++) {
                    double x = c.rest[i * D + a];
                    for (int b = 0; b < D; b++) x += A[a][b] * c.rest[i * D + b];
                    worst = fmax(worst, fabs(rest[i * D + a] - x));
                    largest = fmax(largest, fabs(x - c.rest[i * D + a]));
                }
            snprintf(what, sizeof what, "%s: distance from the affine move over its size",
                     fem_type_names[fem_types[t]]);
            if (!graded)
                fem_case_below(what, worst / largest, 1e-10, 1);
            else
                assert_true(worst / largest > 1e-4); /* the stiffness of elements matters, and the test would see it */
            free(rest);
            piola_engine_fem.destroy(sim);
            fem_case_free(&c);
        }
}

/* Free along all axes inside, along two (2D: one) on two sides, and nowhere on the others. */
static void let_sides_slide(const fem_case *c)
{
    for (int i = 0; i < c->n; i++) {
        follows[i] = ALL;
        for (int a = 0; a < D; a++)
            for (int side = 0; side < 2; side++)
                if (fem_case_on_side(c, i, a, side)) follows[i] &= a == 1 && side == 1 ? 0 : ALL & ~(1 << a);
    }
}

static void observe(fem_case *c)
{
    const int u = fem_case_observe(c, PIO_DISPLACEMENT, 1), work = fem_case_observe(c, PIO_COMPLIANCE, 1),
              volume = fem_case_observe(c, PIO_VOLUME, 1);
    fem_case_sample(c, u, 1, 0, 1);
    fem_case_sample(c, work, 1, 0, 0.1);
    fem_case_sample(c, volume, 1, 0, 1);
}

static void adjoint_through_the_update_is_the_derivative(void **unused)
{
    (void)unused;
    for (int t = 0; t < FEM_TYPES; t++)
        for (int components = 1; components <= D; components += D - 1) {
            static taylor_run run;
            static fem_case c;
            char what[120];
            block(&c, fem_types[t], 1);
            if (components == 1) let_sides_slide(&c);
            design_surface(&c, components);
            observe(&c);
            taylor_begin(&run, &c, 0.2);
            everything(&run);
            random_direction(&run, "random", 0, c.variables);
            snprintf(what, sizeof what, "%s, %s", fem_type_names[fem_types[t]],
                     components == 1 ? "along directions, sides slide" : "all components");
            taylor_end(&run, what);
            fem_case_free(&c);
        }
}

/* A follower pressure makes the Jacobian general, for which GMRES solves; the update's matrix stays symmetric. */
static void a_mesh_follows_beside_a_load_that_follows(void **unused)
{
    (void)unused;
    for (int inertia = 0; inertia < 2; inertia++) {
        static taylor_run run;
        static fem_case c;
        block(&c, fem_types[1], 1);
        fem_case_load(&c, PIO_FOLLOWER, 1, 1, fem_case_value(&c, 30, 0, 0), 0);
        if (inertia) fem_case_motion(&c, PIO_NEWMARK, 0, 1, 0.01);
        design_surface(&c, D);
        observe(&c);
        taylor_begin(&run, &c, 0.2);
        everything(&run);
        taylor_end(&run, inertia ? "a follower pressure, Newmark" : "a follower pressure");
        fem_case_free(&c);
    }
}

/* The update's matrix has no part of the contact of an earlier step: a run has the same bits when it is repeated. */
static void a_mesh_follows_beside_an_obstacle(void **unused)
{
    static taylor_run run;
    static fem_case c;
    (void)unused;
    block(&c, fem_types[1], 1);
    fem_case_contact(&c, 1, 0);
    pio_obstacle_desc *plane = fem_case_obstacle(&c, PIO_PLANE, 40, 0.06);
    plane->normal[1] = 1;
    plane->position[1] = -0.04;
    design_surface(&c, D);
    observe(&c);
    taylor_begin(&run, &c, 0.2);
    assert_true(fem_case_forward(&c, run.sim, run.z, NULL) == run.J0);
    everything(&run);
    taylor_end(&run, "an obstacle");
    fem_case_free(&c);
}

/* The gradient of a mesh in which nothing follows is that of another function. */
static void a_gradient_without_the_update_is_refused(void **unused)
{
    static taylor_run run;
    static fem_case c;
    static double z_bar[FEM_VARIABLES];
    (void)unused;
    block(&c, fem_types[1], 1);
    design_surface(&c, D);
    observe(&c);
    taylor_begin(&run, &c, 0.2);
    c.fem.follows = NULL;
    pio_sim *rigid = fem_case_create(&c, 1, 1);
    fem_case_gradient(&c, rigid, NULL, run.z, z_bar);
    piola_engine_fem.destroy(rigid);
    memcpy(run.z_bar, z_bar, sizeof run.z_bar);
    run.quiet = 1;
    assert_int_equal(gradient_direction(&run, "without the update, gradient", 0, c.variables), PIO_TAYLOR_FAILED);
    assert_int_equal(random_direction(&run, "without the update, random", 0, c.variables), PIO_TAYLOR_FAILED);
    piola_engine_fem.destroy(run.sim);
    fem_case_free(&c);
}

static void bits_are_the_same_for_any_number_of_threads_and_again(void **unused)
{
    static fem_case c;
    static double z[FEM_VARIABLES], one[FEM_VARIABLES], other[FEM_VARIABLES];
    static const int threads[] = {1, 2, 3, 8};
    (void)unused;
    block(&c, fem_types[1], 1);
    design_surface(&c, D);
    observe(&c);
    for (int v = 0; v < c.variables; v++) z[v] = 0.2 * fem_case_random(&c);
    for (int k = 0; k < 4; k++) {
        pio_sim *sim = fem_case_create(&c, 1, threads[k]);
        for (int again = 0; again < 2; again++) {
            fem_case_gradient(&c, sim, NULL, z, k || again ? other : one);
            if (k || again) assert_memory_equal(one, other, sizeof *one * (size_t)c.variables);
        }
        piola_engine_fem.destroy(sim);
    }
    print_message("  %d variables, 4 numbers of threads, twice each: equal bits\n", c.variables);
    fem_case_free(&c);
}

static void a_surface_that_goes_through_itself_is_a_fault_of_an_element(void **unused)
{
    static fem_case c;
    static double z[FEM_VARIABLES];
    piola_error error;
    (void)unused;
    block(&c, fem_types[1], 1);
    design_surface(&c, D);
    const pio_design_desc *d = &c.design[0];
    for (int i = 0; i < c.n; i++)
        if (fem_case_on_side(&c, i, 1, 1)) z[d->index[i] * D + 1] = -1 / d->b; /* the top, 1 m down */
    assert_int_equal(fem_case_try(&c, z, 0, &error), PIOLA_NUMERICAL);
    print_message("  %s\n", error.message);
    assert_non_null(strstr(error.message, "no positive volume at rest"));
    fem_case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inner_nodes_follow_an_affine_move_exactly),
        cmocka_unit_test(adjoint_through_the_update_is_the_derivative),
        cmocka_unit_test(a_mesh_follows_beside_a_load_that_follows),
        cmocka_unit_test(a_mesh_follows_beside_an_obstacle),
        cmocka_unit_test(a_gradient_without_the_update_is_refused),
        cmocka_unit_test(bits_are_the_same_for_any_number_of_threads_and_again),
        cmocka_unit_test(a_surface_that_goes_through_itself_is_a_fault_of_an_element),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(follows), free(stiffness), free(direction);
    return failed;
}
