/* test_fem_pairs_implicit.c -- where surfaces touch each other in implicit steps: is the matrix, with its blocks that
 * are beside the assembled ones, the derivative of the forces, and the adjoint the derivative of a run?
 *
 * Taylor remainders (host/verify/taylor.h) for every element and integrator, of a ring whose ends are pressed against
 * each other and of two blocks, with respect to the stiffness and the distance of contact, loads, supports, shape,
 * thickness, materials and the start; and where they rub with respect to friction. f64. */
#include "tests/sanitized.h"
#include "tests/solvers/fem/fem_case_pairs.h"
#include "tests/solvers/fem/fem_taylor.h"

#include "solvers/fem/fem_pairs.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { D = FEM_DIM, STEPS = 3, ROOM = 20000 };
static const pio_element_type box = FEM_DIM == 2 ? PIO_QUAD4 : PIO_HEX8, simplex = FEM_DIM == 2 ? PIO_TRI3 : PIO_TET4;
static const pio_integrator integrators[] = {PIO_STATIC, PIO_BACKWARD_EULER, PIO_BDF2, PIO_NEWMARK};
static const char *const names[] = {"static", "backward Euler", "BDF2", "Newmark"};

/* ---- what touches ------------------------------------------------------------------------------------------------ */

static void matter(fem_case *c, pio_integrator integrator)
{
    fem_material m[2] = {fem_material_of(PIO_HYPER_NEO_HOOKEAN, 1000), fem_material_of(PIO_HYPER_ST_VENANT, 1500)};
    m[0].density = 3, m[1].density = 2;
    fem_case_matter(c, m, 2, 0.9);
    c->fem.halvings = integrator == PIO_STATIC ? 5 : 0; /* how a motion is cut changes what is computed */
    c->desc.gravity[1] = -0.3;
    if (integrator == PIO_STATIC) return;
    fem_case_motion(c, integrator, 0, 5, 0.001);
    for (int i = 0; i < c->n * D; i++) c->initial_velocity[i] = 0.2 * fem_case_random(c);
}

/* One end is held, and the other is pressed on it, from which it cannot slide. */
static void ring(fem_case *c, pio_element_type type, pio_integrator integrator)
{
    fem_case_begin(c, integrator == PIO_STATIC ? 0.3 : 0.02, STEPS);
    const double T = c->desc.dt * STEPS;
    const int ramp = fem_case_curve(c, 2, (double[]){0, T}, (double[]){0.4, 1});
    fem_case_grid(c, (fem_grid){type, type, {12, 2, 1}, fem_case_ring, 0});
    matter(c, integrator);
    fem_case_clamp(c, 0, 0);
    for (int a = 0; a < D; a++)
        if (a != 1) fem_case_hold_side(c, 0, 1, a, fem_case_support(c, 0, -1));
    fem_case_load(c, PIO_TRACTION, 0, 1, fem_case_value(c, 0.3, D == 2 ? -40 : -50, 0.1), ramp);
    if (integrator != PIO_STATIC) fem_case_close_ring(c, 0.09);
    for (int h = 0; integrator != PIO_STATIC && h < c->fem.n_constrained; h++) /* what is held begins where it is */
        c->initial_displacement[c->constrained_node[h] * D + c->constrained_axis[h]] = 0;
    fem_case_pairs(c, 100, 0.06, 1, ROOM);
}

/* In space one is turned, so that no edges are parallel. */
static void apart(const double s[3], double x[3])
{
    const int upper = s[1] > 0.5;
    const double turn = upper && D == 3 ? 0.4 : 0;
    x[0] = s[0] * cos(turn) + s[2] * sin(turn) + (upper ? 0.13 : 0);
    x[1] = upper ? 0.45 + (s[1] - 0.6) : s[1];
    x[2] = s[2] * cos(turn) - s[0] * sin(turn) + (upper ? 0.21 : 0);
}

/* The lower block is held, and the upper one is moved down on it by its top. */
static void blocks(fem_case *c, pio_element_type type, pio_integrator integrator)
{
    fem_case_begin(c, integrator == PIO_STATIC ? 0.3 : D == 2 ? 0.02 : 0.005, STEPS);
    const int ramp = fem_case_curve(c, 2, (double[]){0, c->desc.dt * STEPS}, (double[]){0, 1});
    fem_case_blocks(c, (fem_grid){type, type, {3, 5, 2}, apart, 0});
    matter(c, integrator);
    const int zero = fem_case_support(c, 0, -1), down = fem_case_support(c, -0.06, ramp);
    fem_case_hold_side(c, 1, 0, 1, zero);
    fem_case_hold_side(c, 1, 0, 0, zero);
    if (D == 3) fem_case_hold_side(c, 1, 0, 2, zero);
    for (int a = 0; a < D; a++) fem_case_hold_side(c, 1, 1, a, a == 1 ? down : zero);
    fem_case_pairs(c, 100, 0.08, 0, ROOM);
}

/* The upper block is moved along, too, so that it slides; or the ring's ends rub. */
static void rubbing(fem_case *c, int what, pio_element_type type, pio_integrator integrator)
{
    (what ? blocks : ring)(c, type, integrator);
    if (what) {
        const int ramp = fem_case_curve(c, 2, (double[]){0, c->desc.dt * STEPS}, (double[]){0, 1});
        const int along = fem_case_support(c, integrator == PIO_STATIC ? 0.1 : 0.03, ramp);
        for (int h = 0; h < c->fem.n_constrained; h++)
            if (c->constrained_axis[h] == 0 && fem_case_body(c, c->constrained_node[h]))
                c->constrained_support[h] = along;
    }
    c->fem.pairs.friction = 0.6;
    c->fem.pairs.friction_velocity = integrator == PIO_STATIC ? 0.002 : what ? 0.05 : 0.005;
}

/* ---- the matrix -------------------------------------------------------------------------------------------------- */

static double norm(const real *x, int n)
{
    double square = 0;
    for (int i = 0; i < n; i++) square += (double)x[i] * (double)x[i];
    return sqrt(square);
}

/* The product of the assembled matrix, of that beside it alone, and of forces by elements and pairs, with x where
 * free. */
static void products(pio_sim *sim, const real *x, real *matrix, real *beside, real *forces, int n)
{
    fem_sim *f = fem_of(sim);
    pio_queue *q = &sim->queue;
    const size_t bytes = sizeof *x * (size_t)n;
    const pio_linop op = pio_bsr_operator(&f->matrix.bsr, PIO_SYMMETRIC, PIO_UNPRECONDITIONED);
    pio_bsr alone = f->matrix.bsr;
    alone.beside.items = 0;
    const pio_linop without = pio_bsr_operator(&alone, PIO_SYMMETRIC, PIO_UNPRECONDITIONED);
    pio_queue_upload(q, f->newton.rhs, x, bytes);
    assert_int_equal(op.apply(op.context, f->newton.rhs, f->newton.lambda), 0);
    pio_queue_download(q, matrix, f->newton.lambda, bytes);
    assert_int_equal(without.apply(without.context, f->newton.rhs, f->newton.lambda), 0);
    pio_queue_download(q, beside, f->newton.lambda, bytes);
    for (int i = 0; i < n; i++) beside[i] = matrix[i] - beside[i];
    fem_zero_points(f, f->newton.lambda);
    fem_internal_adj(f, f->state.u, f->newton.rhs, f->newton.lambda, NULL, 0);
    fem_condense(f, f->newton.lambda);
    pio_queue_download(q, forces, f->newton.lambda, bytes);
    assert_false(pio_queue_failed(q));
}

/* Products with the matrix are those of forces, to rounding; nearly nothing of the pairs' part would be right without
 * what is beside. The projected one is no less than the other, and never negative. */
static void the_matrix_is_the_derivative_of_the_forces(void **unused)
{
    (void)unused;
    for (int k = 0; k < 2; k++) {
        static fem_case c;
        double worst = 0, part = 0, least = 1e300;
        (k ? blocks : ring)(&c, k ? simplex : box, PIO_STATIC);
        pio_sim *sim = fem_case_solve(&c);
        fem_sim *f = fem_of(sim);
        const int n = c.n * D;
        real *x = calloc((size_t)n, 4 * sizeof *x), *matrix = x + n, *beside = x + 2 * n, *forces = x + 3 * n;
        assert_non_null(x);
        for (int trial = 0; trial < 8; trial++) {
            double positive = 0, whole = 0;
            for (int i = 0; i < n; i++) x[i] = (real)fem_case_random(&c);
            for (int h = 0; h < c.fem.n_constrained; h++) x[c.constrained_node[h] * D + c.constrained_axis[h]] = 0;
            fem_jacobian(f, fem_whole(STEPS - 1), f->state.u);
            products(sim, x, matrix, beside, forces, n);
            for (int i = 0; i < n; i++) {
                worst = fmax(worst, fabs((double)(matrix[i] - forces[i])) / norm(forces, n));
                whole += (double)(x[i] * matrix[i]);
            }
            part = fmax(part, norm(beside, n) / norm(matrix, n));
            fem_projected_jacobian(f, fem_whole(STEPS - 1), f->state.u);
            products(sim, x, matrix, beside, forces, n);
            for (int i = 0; i < n; i++) positive += (double)(x[i] * matrix[i]);
            assert_true(positive > 0 && positive >= whole * (1 - 1e-12));
            least = fmin(least, positive / whole);
        }
        print_message("  %s: beside the matrix up to %.2g of a product, x . P x at least %.6g x . K x\n",
                      k ? "blocks" : "ring", part, least);
        assert_true(part > 1e-3);
        fem_case_below("  matrix less forces, of a product", worst, 1e-14, 0);
        free(x);
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
}

/* x . K y and y . K^T x agree, and K^T x is the adjoint of forces, by elements and pairs, at velocities that change
 * with the displacement, to rounding; K x itself would be wrong. */
static void the_matrix_of_surfaces_that_rub_is_transposed_in_an_adjoint(void **unused)
{
    double control = 0;
    (void)unused;
    for (int what = 0; what < 2; what++) {
        static fem_case c;
        double dots = 0, worst = 0;
        rubbing(&c, what, what ? simplex : box, PIO_STATIC);
        pio_sim *sim = fem_case_solve(&c);
        fem_sim *f = fem_of(sim);
        pio_queue *q = &sim->queue;
        const int n = c.n * D;
        const size_t bytes = sizeof(real) * (size_t)n;
        real *x = calloc((size_t)n, 5 * sizeof *x), *y = x + n, *Kx = x + 2 * n, *Ky = x + 3 * n, *forces = x + 4 * n;
        assert_non_null(x);
        fem_jacobian(f, fem_whole(STEPS - 1), f->state.u);
        const pio_linop op = pio_bsr_operator(&f->matrix.bsr, PIO_GENERAL, PIO_UNPRECONDITIONED),
                        transposed = pio_linop_transposed(&op);
        for (int trial = 0; trial < 8; trial++) {
            for (int i = 0; i < n; i++) x[i] = (real)fem_case_random(&c), y[i] = (real)fem_case_random(&c);
            for (int h = 0; h < c.fem.n_constrained; h++)
                x[c.constrained_node[h] * D + c.constrained_axis[h]] =
                    y[c.constrained_node[h] * D + c.constrained_axis[h]] = 0;
            pio_queue_upload(q, f->newton.rhs, y, bytes);
            assert_int_equal(op.apply(op.context, f->newton.rhs, f->newton.lambda), 0);
            pio_queue_download(q, Ky, f->newton.lambda, bytes);
            pio_queue_upload(q, f->newton.rhs, x, bytes);
            assert_int_equal(op.apply(op.context, f->newton.rhs, f->newton.lambda), 0);
            pio_queue_download(q, forces, f->newton.lambda, bytes);
            assert_int_equal(transposed.apply(transposed.context, f->newton.rhs, f->newton.lambda), 0);
            pio_queue_download(q, Kx, f->newton.lambda, bytes);
            for (int i = 0; i < n; i++) control = fmax(control, fabs((double)(forces[i] - Kx[i])) / norm(Kx, n));
            fem_zero_points(f, f->newton.lambda);
            fem_zero_points(f, f->newton.trial);
            fem_internal_adj(f, f->state.u, f->newton.rhs, f->newton.lambda, f->newton.trial, 0);
            fem_combine(f, 1, f->newton.lambda, 1 / c.desc.dt, f->newton.trial, f->newton.lambda);
            fem_condense(f, f->newton.lambda);
            pio_queue_download(q, forces, f->newton.lambda, bytes);
            double dot = 0;
            for (int i = 0; i < n; i++) {
                worst = fmax(worst, fabs((double)(Kx[i] - forces[i])) / norm(forces, n));
                dot += (double)(x[i] * Ky[i] - y[i] * Kx[i]);
            }
            dots = fmax(dots, fabs(dot) / (norm(x, n) * norm(Ky, n)));
        }
        assert_false(pio_queue_failed(q));
        print_message("  %s: not transposed it would be %.2g off\n", what ? "blocks" : "ring", control);
        fem_case_below("  x . K y less y . K^T x", dots, 1e-14, 0);
        fem_case_below("  transposed matrix less forces, of a product", worst, 1e-14, 0);
        free(x);
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
    assert_true(control > 1e-3);
}

/* ---- gradients --------------------------------------------------------------------------------------------------- */

static void observe_everything(fem_case *c, int moves)
{
    static const pio_observable type[] = {PIO_DISPLACEMENT, PIO_COMPLIANCE, PIO_REACTION, PIO_MEAN_VELOCITY};
    for (int k = 0; k < 3 + moves; k++) {
        const int o = fem_case_observe(c, type[k], 2);
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
    if (p->friction > 0) {
        fem_case_design(c, PIO_PAIR_FRICTION, -1, FEM_SCALAR, fem_linear(p->friction, 0.1), 0);
        fem_case_design(c, PIO_PAIR_FRICTION_VELOCITY, -1, FEM_SCALAR, fem_logarithmic(log(p->friction_velocity), 0.4),
                        0);
    }
    fem_case_design(c, PIO_POSITION, -1, FEM_EACH, fem_linear(0, 0.01), 0);
    if (D == 2) fem_case_design(c, PIO_THICKNESS, -1, FEM_EACH, fem_linear(0.9, 0.1), 0);
    if (c->fem.n_loads && c->load[0].kind == PIO_TRACTION)
        fem_case_design(c, PIO_LOAD, -1, FEM_SCALAR, fem_linear(c->value[0][1], 5), 0);
    if (!c->fem.n_loads) fem_case_design(c, PIO_SUPPORT, -1, FEM_SCALAR, fem_linear(-0.06, 0.01), 1);
    if (moves) fem_case_design(c, PIO_DISPLACED, -1, FEM_GROUPS, fem_linear(0, 0.003), 0);
    if (moves) fem_case_design(c, PIO_VELOCITY, -1, FEM_GROUPS, fem_linear(0, 0.1), 0);
    fem_case_design_matter(c);
}

/* How near the surfaces came: without contact a test would show nothing. `by`: the linear solver that there is. */
static void check(taylor_run *t, fem_case *c, pio_integrator integrator, int each, const char *by, const char *what)
{
    pio_contact_report report;
    piola_error error;
    observe_everything(c, integrator != PIO_STATIC);
    design_everything(c, integrator != PIO_STATIC);
    taylor_begin(t, c, 0.2);
    if (piola_engine_fem.contact(t->sim, &report, &error)) fail_msg("%s", error.message);
    print_message("  %s: %d pairs, least distance %.3g m of %.3g m; %s\n", what, (int)report.pairs, report.nearest,
                  c->fem.pairs.distance, fem_of(t->sim)->linear.solver);
    assert_true(report.pairs > 0 && report.nearest > 0 && report.nearest < 0.8 * c->fem.pairs.distance);
    assert_non_null(strstr(fem_of(t->sim)->linear.solver, by));
    if (c->fem.pairs.friction > 0) {
        print_message("  pairs %d stuck, %d between, %d slid; by mu %.3g, by e %.3g\n", (int)report.rub_stuck,
                      (int)report.rub_between, (int)report.rub_slid, t->z_bar[2], t->z_bar[3]);
        assert_true(report.rubs && report.rub_between + report.rub_slid > 0 && fabs(t->z_bar[2]) > 0);
    }
    everything(t);
    if (each) design_by_design(t);
    taylor_end(t, what);
    fem_case_free(c);
}

static void adjoint_is_the_derivative_where_a_ring_is_pressed_on_itself(void **unused)
{
    (void)unused;
    for (int type = 0; type < FEM_TYPES; type++) {
        static taylor_run t;
        static fem_case c;
        if (D == 3 && fem_types[type] != PIO_TET4 && fem_types[type] != PIO_HEX8) continue;
        ring(&c, fem_types[type], PIO_STATIC);
        check(&t, &c, PIO_STATIC, fem_types[type] == box, "conjugate gradients", fem_type_names[fem_types[type]]);
    }
}

static void adjoint_is_the_derivative_of_every_integrator(void **unused)
{
    (void)unused;
    for (int k = 0; k < 4; k++)
        for (int what = 0; what < 2; what++) {
            static taylor_run t;
            static fem_case c;
            if (k == 0 && what == 0) continue;
            (what ? blocks : ring)(&c, (k + what) % 2 ? simplex : box, integrators[k]);
            check(&t, &c, integrators[k], k == 0 || k == 3, "conjugate gradients", names[k]);
        }
}

static void adjoint_is_the_derivative_where_surfaces_rub_in_every_integrator(void **unused)
{
    (void)unused;
    for (int k = 0; k < 4; k++)
        for (int what = 0; what < 2; what++) {
            static taylor_run t;
            static fem_case c;
            rubbing(&c, what, (k + what) % 2 ? simplex : box, integrators[k]);
            check(&t, &c, integrators[k], D == 2, "GMRES", names[k]);
        }
}

/* The second step is taken in two parts and the third in four, as one is that has failed: friction depends on how a
 * step is taken, in the static run too, and the gradient goes through every part. */
static void adjoint_goes_through_the_parts_of_steps_in_which_surfaces_rub(void **unused)
{
    (void)unused;
    for (int k = 0; k < 4; k++) {
        static taylor_run t;
        static fem_case c;
        rubbing(&c, 1, box, integrators[k]);
        c.fem.halvings = 5;
        observe_everything(&c, k > 0);
        design_everything(&c, k > 0);
        taylor_begin(&t, &c, 0.2);
        const double whole = t.J0;
        for (int s = 0; s < STEPS; s++) fem_of(t.sim)->stepping.records[s].parts = 1 << s;
        piola_engine_fem.repeat(t.sim, 1);
        t.J0 = fem_case_gradient(&c, t.sim, NULL, t.z, t.z_bar);
        everything(&t);
        for (int s = 0; s < STEPS; s++) assert_int_equal(fem_of(t.sim)->stepping.records[s].parts, 1 << s);
        print_message("  %s: J %.8g, in whole steps %.8g\n", names[k], t.J0, whole);
        assert_true(fabs(t.J0 - whole) > 1e-6 * fabs(whole));
        taylor_end(&t, names[k]);
        fem_case_free(&c);
    }
}

/* The products of every method of solution have the pairs, and so have adjoints by them. */
static void every_solver_has_the_pairs(void **unused)
{
    static const char *const solver[] = {"conjugate gradients with multigrid", "GMRES", "MINRES with pressures"};
    (void)unused;
    for (int k = 0; k < 3; k++) {
        static taylor_run t;
        static fem_case c;
        blocks(&c, box, PIO_STATIC);
        if (k == 0) c.fem.preconditioner = PIO_PRECONDITIONER_MULTIGRID;
        if (k == 1) fem_case_load(&c, PIO_FOLLOWER, 0, 1, fem_case_value(&c, 15, 0, 0), 0);
        for (int b = 0; k == 2 && b < c.fem.n_blocks; b++) c.block[b].dilatation = PIO_DILATATION_PROJECTED;
        for (int e = 0; k == 2 && e < c.elements; e++) { /* nearly incompressible */
            c.law[e] = PIO_HYPER_NEO_HOOKEAN;
            c.parameters[e * PIO_LAW_CONSTANTS + 1] = 0.492;
        }
        check(&t, &c, PIO_STATIC, 0, solver[k], solver[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_matrix_is_the_derivative_of_the_forces),
        cmocka_unit_test(adjoint_is_the_derivative_where_a_ring_is_pressed_on_itself),
        cmocka_unit_test(adjoint_is_the_derivative_of_every_integrator),
        cmocka_unit_test(the_matrix_of_surfaces_that_rub_is_transposed_in_an_adjoint),
        cmocka_unit_test(adjoint_is_the_derivative_where_surfaces_rub_in_every_integrator),
        cmocka_unit_test(adjoint_goes_through_the_parts_of_steps_in_which_surfaces_rub),
        cmocka_unit_test(every_solver_has_the_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
