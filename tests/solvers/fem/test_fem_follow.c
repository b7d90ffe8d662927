/* test_fem_follow.c -- do follower pressures do what mechanics says, and is their stiffness right?
 *
 * Their derivatives by kernels are compared with the dual build by test_every_kernel, gradients by
 * test_fem_follow_gradient. */
#include "tests/solvers/fem/fem_case.h"

#include "solvers/fem/fem.h"

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
static const pio_element_type curved = FEM_DIM == 2 ? PIO_QUAD9 : PIO_HEX27;

/* The external forces in the displacement u. */
static void forces_at(pio_sim *sim, const double *u, double *force, int n)
{
    fem_sim *f = fem_of(sim);
    pio_queue_upload(&sim->queue, f->newton.trial, u, sizeof *u * (size_t)n);
    fem_external(f, fem_whole(0), f->newton.trial);
    pio_queue_download(&sim->queue, force, f->forces.external, sizeof *force * (size_t)n);
    assert_false(pio_queue_failed(&sim->queue));
}

/* x . K y of the assembled matrix. */
static double product(pio_sim *sim, const double *x, const double *y, int n)
{
    fem_sim *f = fem_of(sim);
    const pio_linop op = pio_bsr_operator(&f->matrix.bsr, f->matrix.kind, 0);
    double *Ky = malloc(sizeof *Ky * (size_t)n), sum = 0;
    pio_queue_upload(&sim->queue, f->newton.rhs, y, sizeof *y * (size_t)n);
    assert_int_equal(op.apply(op.context, f->newton.rhs, f->newton.du), 0);
    pio_queue_download(&sim->queue, Ky, f->newton.du, sizeof *Ky * (size_t)n);
    for (int i = 0; i < n; i++) sum += x[i] * Ky[i];
    free(Ky);
    return sum;
}

static double *randoms(fem_case *c, double size)
{
    double *x = malloc(sizeof *x * (size_t)(c->n * D));
    for (int i = 0; i < c->n * D; i++) x[i] = size * fem_case_random(c);
    return x;
}

/* A block under the pressure 30 on its first `sides` sides, constrained nowhere. */
static void pressed(fem_case *c, pio_element_type type, pio_load_kind kind, int sides)
{
    const fem_material m = fem_material_of(PIO_HYPER_NEO_HOOKEAN, 1000);
    fem_case_begin(c, 1, 0);
    fem_case_grid(c, (fem_grid){type, type, {3, 2, 2}, NULL, 0.2});
    fem_case_matter(c, &m, 1, 0.7);
    const int value = fem_case_value(c, 30, 0, 0);
    for (int s = 0; s < sides; s++) fem_case_load(c, kind, s / 2, s % 2, value, 0);
}

/* ---- forces ----------------------------------------------------------------------------------------------- */

/* The sum of the forces over that of their sizes. */
static double imbalance(const double *force, int n)
{
    double sum[3] = {0}, size = 0, worst = 0;
    for (int i = 0; i < n; i++) sum[i % D] += force[i], size += fabs(force[i]);
    for (int a = 0; a < D; a++) worst = fmax(worst, fabs(sum[a]));
    return worst / size;
}

static void on_a_closed_surface_following_forces_cancel_however_it_deforms(void **unused)
{
    (void)unused;
    for (int k = 0; k < FEM_TYPES; k++)
        for (int open = 0; open < 2; open++) {
            static fem_case c;
            char what[100];
            pressed(&c, fem_types[k], PIO_FOLLOWER, 2 * D - open);
            pio_sim *sim = fem_case_start(&c);
            double *u = randoms(&c, 0.1), *force = randoms(&c, 0);
            forces_at(sim, u, force, c.n * D);
            snprintf(what, sizeof what, "%s, %s surface: sum of forces over their sizes", fem_type_names[fem_types[k]],
                     open ? "open" : "closed");
            const double sum = imbalance(force, c.n * D);
            if (open)
                print_message("  %-72s %.3g (at least 0.01)\n", what, sum);
            else
                fem_case_below(what, sum, 1e-14, 0);
            assert_true(!open || sum > 0.01);
            free(u);
            free(force);
            piola_engine_fem.destroy(sim);
            fem_case_free(&c);
        }
}

/* The forces of a face that was turned by an angle are those at rest, turned; dead ones stay. */
static void forces_of_a_turned_face_are_turned_with_it(void **unused)
{
    const double cosine = cos(0.7), sine = sin(0.7);
    (void)unused;
    for (int dead = 0; dead < 2; dead++) {
        static fem_case c;
        double worst = 0, size = 0;
        pressed(&c, curved, dead ? PIO_PRESSURE : PIO_FOLLOWER, 2);
        pio_sim *sim = fem_case_start(&c);
        double *u = randoms(&c, 0), *rest = randoms(&c, 0), *turned = randoms(&c, 0);
        forces_at(sim, u, rest, c.n * D);
        for (int i = 0; i < c.n; i++) {
            const double *X = c.rest + i * D;
            u[i * D] = cosine * X[0] - sine * X[1] - X[0];
            u[i * D + 1] = sine * X[0] + cosine * X[1] - X[1];
        }
        forces_at(sim, u, turned, c.n * D);
        for (int i = 0; i < c.n; i++) {
            const double *f = rest + i * D, *g = turned + i * D;
            worst = fmax(worst, hypot(g[0] - (cosine * f[0] - sine * f[1]), g[1] - (sine * f[0] + cosine * f[1])));
            size = fmax(size, hypot(f[0], f[1]));
        }
        if (!dead) fem_case_below("following: difference from forces turned by 0.7 rad", worst / size, 1e-14, 0);
        if (dead) print_message("  dead: the same is %.3g (at least 0.1)\n", worst / size);
        assert_true(!dead || worst / size > 0.1);
        free(u);
        free(rest);
        free(turned);
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
}

/* Schweizerhof and Ramm 1984: a closed surface under one pressure has a potential, -p times the volume. */
static void the_load_stiffness_is_symmetric_where_there_is_a_potential_and_else_not(void **unused)
{
    (void)unused;
    for (int open = 0; open < 2; open++) {
        static fem_case c;
        pressed(&c, curved, PIO_FOLLOWER, 2 * D - open);
        pio_sim *sim = fem_case_start(&c);
        fem_sim *f = fem_of(sim);
        const int n = c.n * D;
        double *u = randoms(&c, 0.02), *x = randoms(&c, 1), *y = randoms(&c, 1);
        pio_queue_upload(&sim->queue, f->newton.trial, u, sizeof *u * (size_t)n);
        fem_external(f, fem_whole(0), f->newton.trial);
        pio_queue_zero(&sim->queue, f->matrix.block_out, sizeof(real) * D * D * (size_t)f->matrix.element_blocks);
        fem_follow_stiffness(f, f->newton.trial);
        fem_assemble_matrix(f);
        const double xKy = product(sim, x, y, n), yKx = product(sim, y, x, n);
        const double ratio = fabs(xKy - yKx) / (fabs(xKy) + fabs(yKx));
        if (!open) fem_case_below("closed surface: x . K y less y . K x, relative", ratio, 1e-12, 0);
        if (open) print_message("  open surface: the same is %.3g (at least 1e-3)\n", ratio);
        assert_true(!open || ratio > 1e-3);
        free(u);
        free(x);
        free(y);
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
}

/* ---- closed forms ----------------------------------------------------------------------------------------- */

/* s with P(s I) = -p s^(D-1) for neo-Hookean E, nu: P = mu (s - 1/s) + lambda D ln s/s. Dead: P = -p. */
static double stretch(double E, double nu, double p, int dead)
{
    const double mu = E / (2 * (1 + nu)), lambda = E * nu / ((1 + nu) * (1 - 2 * nu));
    double low = 0.2, high = 2;
    for (int i = 0; i < 200; i++) {
        const double s = (low + high) / 2;
        const double P = mu * (s - 1 / s) + lambda * D * log(s) / s + p * (dead ? 1 : pow(s, D - 1));
        *(P > 0 ? &high : &low) = s;
    }
    return (low + high) / 2;
}

/* All sides of a block pressed (a dead pressure: pulled, under which alone it is stable), three of them rollers: its
 * size changes evenly, at finite strain. */
static void a_block_under_pressure_shrinks_by_the_root_of_its_law(void **unused)
{
    (void)unused;
    for (int k = 0; k < FEM_TYPES; k++)
        for (int dead = 0; dead < 2; dead++) {
            static fem_case c;
            double worst = 0;
            char what[100];
            pressed(&c, fem_types[k], dead ? PIO_PRESSURE : PIO_FOLLOWER, 2 * D);
            c.desc.steps = 1;
            const double p = c.value[0][0] = dead ? -200 : 400;
            const int zero = fem_case_support(&c, 0, -1);
            for (int a = 0; a < D; a++) fem_case_hold_side(&c, a, 0, a, zero);
            pio_sim *sim = fem_case_solve(&c);
            double *u = fem_case_read(sim, "displacement");
            const double s = stretch(1000, 0.3, p, dead), other = stretch(1000, 0.3, p, !dead);
            for (int i = 0; i < c.n * D; i++) worst = fmax(worst, fabs(u[i] - (s - 1) * c.rest[i]));
            snprintf(what, sizeof what, "%s, %s: |u - (s - 1) X|, s = %.6f (else %.6f)", fem_type_names[fem_types[k]],
                     dead ? "dead" : "following", s, other);
            fem_case_below(what, worst, 1e-10, 0);
            assert_true(fabs(s - other) > 0.01);
            free(u);
            piola_engine_fem.destroy(sim);
            fem_case_free(&c);
        }
}

/* A quarter of a tube, inner radius 1 and outer 2, plane strain, under inner pressure: Lame's solution (Timoshenko and
 * Goodier 1970, section 28): u = (1 + nu) p/(E (b^2 - 1)) ((1 - 2 nu) r + b^2/r). */
static void widen_tube(pio_element_type type)
{
    const double E = 1000, nu = 0.3, p = 0.01, b = 2, pi = acos(-1);
    const fem_material m = {.law = PIO_HYPER_NEO_HOOKEAN, .parameters = {E, nu}, .density = 1};
    double error[2];
    for (int r = 0; r < 2; r++) {
        static fem_case c;
        fem_case_begin(&c, 1, 1);
        fem_case_grid(&c, (fem_grid){type, type, {2 << r, 3 << r, 1}, NULL, 0});
        for (int k = 0; k < c.lines[2]; k++)
            for (int j = 0; j < c.lines[1]; j++)
                for (int i = 0; i < c.lines[0]; i++) { /* nodes between vertices on the circles too */
                    if (fem_case_at(&c, i, j, k) < 0) continue;
                    double *X = c.rest + D * fem_case_at(&c, i, j, k);
                    const double radius = 1 + (b - 1) * i / (c.lines[0] - 1), angle = pi / 2 * j / (c.lines[1] - 1);
                    X[0] = radius * cos(angle);
                    X[1] = radius * sin(angle);
                    if (D == 3) X[D - 1] = 0.3 * k / (c.lines[2] - 1);
                }
        fem_case_matter(&c, &m, 1, 1);
        const int zero = fem_case_support(&c, 0, -1);
        fem_case_hold_side(&c, 1, 0, 1, zero);
        fem_case_hold_side(&c, 1, 1, 0, zero);
        for (int i = 0; i < c.n && D == 3; i++) fem_case_hold(&c, i, 2, zero);
        fem_case_load(&c, PIO_FOLLOWER, 0, 0, fem_case_value(&c, p, 0, 0), 0);
        pio_sim *sim = fem_case_solve(&c);
        double *u = fem_case_read(sim, "displacement");
        error[r] = 0;
        for (int i = 0; i < c.n; i++) {
            const double radius = hypot(c.rest[i * D], c.rest[i * D + 1]);
            const double exact = (1 + nu) * p / (E * (b * b - 1)) * ((1 - 2 * nu) * radius + b * b / radius);
            error[r] = fmax(error[r], fabs(hypot(u[i * D], u[i * D + 1]) - exact) / exact);
        }
        free(u);
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
    print_message("  %s, %d and %d elements across: errors %.3g and %.3g\n", fem_type_names[type], 2, 4, error[0],
                  error[1]);
    fem_case_below("radial displacement against Lame's, relative", error[1], 1e-3, 0);
    fem_case_below("3 - its rate", fmax(0, 3 - log2(error[0] / error[1])), 0.2, 0);
}

static void a_tube_under_inner_pressure_widens_as_lame_says(void **unused)
{
    (void)unused;
    widen_tube(curved);
    widen_tube(FEM_DIM == 2 ? PIO_QUAD8 : PIO_HEX20);
}

/* ---- load stiffness --------------------------------------------------------------------------------------- */

static void longish(const double s[3], double x[3])
{
    x[0] = 3 * s[0];
    x[1] = s[1];
    x[2] = 0.7 * s[2];
}

enum { PRESSURE = 0 };

/* Clamped at one end, pressed from above so that it bends far. */
static void beam(fem_case *c, pio_load_kind kind)
{
    const fem_material m = fem_material_of(PIO_HYPER_NEO_HOOKEAN, 1000);
    fem_case_begin(c, 1, 1);
    fem_case_grid(c, (fem_grid){box, box, {6, 2, 2}, longish, 0.1});
    fem_case_matter(c, &m, 1, 0.8);
    fem_case_clamp(c, 0, 0);
    fem_case_load(c, kind, 1, 1, fem_case_value(c, 6, 0, 0), 0);
    fem_case_observe_node(c, fem_case_at(c, c->lines[0] - 1, 0, 0), 0);
}

/* x = K^-1 b, or K^-T b, of the assembled matrix. */
static void solve(fem_sim *f, int transposed, const real *b, real *x)
{
    piola_error error = {0};
    pio_krylov_result result;
    assert_int_equal(pio_bsr_invert_diagonal(&f->matrix.bsr, &error), PIOLA_OK);
    const pio_linop op = pio_bsr_operator(&f->matrix.bsr, f->matrix.kind, 1), turned = pio_linop_transposed(&op);
    const pio_krylov_options options = {
        .method = PIO_GMRES, .tolerance = 1e-12, .max_iterations = 5000, .check_every = 1};
    pio_queue_zero(&f->base.queue, x, sizeof *x * D * (size_t)f->mesh.nodes);
    if (pio_krylov_solve(&f->linear.krylov, &f->base.queue,
                         &(pio_krylov_system){.op = transposed ? &turned : &op, .b = b, .x = x}, &options, &result,
                         &error))
        fail_msg("%s", error.message);
}

/* Newton's method without any search: residuals, and how many there are above rounding. */
static int newton(fem_sim *f, int with_loads, double *residual, int most)
{
    int k = 0;
    for (; k < most; k++) {
        fem_external(f, fem_whole(0), f->newton.trial);
        fem_internal(f, f->newton.trial, f->forces.internal);
        fem_combine(f, 1, f->forces.external, -1, f->forces.internal, f->newton.rhs);
        fem_mask_constrained(f, 0, f->newton.rhs);
        pio_sum(&f->base.queue, point_dot, f->mesh.nodes, NULL, f->newton.scalars, .x = f->newton.rhs,
                .y = f->newton.rhs);
        pio_queue_download(&f->base.queue, &residual[k], f->newton.scalars, sizeof *residual);
        residual[k] = sqrt(residual[k]);
        if (residual[k] < 1e-10 * residual[0]) break;
        fem_tangents(f, f->newton.trial);
        pio_queue_zero(&f->base.queue, f->matrix.block_out + (size_t)f->matrix.element_blocks * D * D,
                       sizeof(real) * D * D * (size_t)f->matrix.face_blocks);
        if (with_loads) fem_follow_stiffness(f, f->newton.trial);
        fem_assemble_matrix(f);
        solve(f, 0, f->newton.rhs, f->newton.lambda);
        fem_combine(f, 1, f->newton.trial, 1, f->newton.lambda, f->newton.trial);
    }
    return k;
}

/* log(r3/r2)/log(r2/r1) of the last three residuals. */
static double order(const double *r, int last)
{
    return log(r[last] / r[last - 1]) / log(r[last - 1] / r[last - 2]);
}

static void newton_is_quadratic_with_the_load_stiffness_and_not_without(void **unused)
{
    double orders[2];
    int counts[2];
    (void)unused;
    for (int with = 0; with < 2; with++) {
        static fem_case c;
        double residual[60];
        beam(&c, PIO_FOLLOWER);
        pio_sim *sim = fem_case_start(&c);
        fem_sim *f = fem_of(sim);
        pio_queue_zero(&sim->queue, f->newton.trial, sizeof(real) * D * (size_t)c.n);
        counts[with] = newton(f, with, residual, 60);
        orders[with] = order(residual, counts[with]);
        print_message("  %s the load stiffness: %d iterations, order %.3f;", with ? "with" : "without", counts[with],
                      orders[with]);
        for (int k = 0; k <= counts[with] && k < 9; k++) print_message(" %.1e", residual[k]);
        print_message("\n");
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
    assert_true(orders[1] > 1.7); /* 2 in the limit */
    assert_true(orders[0] < 1.3); /* 1: linear */
    assert_true(counts[1] < 12 && counts[0] > counts[1] + 3);
}

static double J_at(fem_case *c, pio_sim *sim, double z)
{
    return fem_case_forward(c, sim, &z, NULL);
}

/* dJ/dp = lambda . f_ext/p with K^T lambda = dJ/du. The same with K is something else. */
static void an_adjoint_without_the_transposition_is_wrong(void **unused)
{
    static fem_case c;
    double z = 0, exact = 0, h = 1e-3, found[2];
    (void)unused;
    beam(&c, PIO_FOLLOWER);
    fem_case_design(&c, PIO_LOAD, -1, FEM_SCALAR, fem_linear(6, 1), PRESSURE);
    pio_sim *sim = fem_case_create(&c, 1, 1);
    const double difference =
        (8 * (J_at(&c, sim, h) - J_at(&c, sim, -h)) - J_at(&c, sim, 2 * h) + J_at(&c, sim, -2 * h)) / (12 * h);
    fem_case_gradient(&c, sim, NULL, &z, &exact);
    fem_case_forward(&c, sim, &z, NULL);
    fem_sim *f = fem_of(sim);
    double *g = randoms(&c, 0);
    g[fem_case_at(&c, c.lines[0] - 1, 0, 0) * D] = 1;
    fem_external(f, fem_whole(0), f->state.u);
    fem_jacobian(f, fem_whole(0), f->state.u);
    fem_mask_constrained(f, 0, f->forces.external);
    pio_queue_upload(&sim->queue, f->newton.rhs, g, sizeof *g * (size_t)(c.n * D));
    for (int transposed = 0; transposed < 2; transposed++) {
        solve(f, transposed, f->newton.rhs, f->newton.lambda);
        pio_sum(&sim->queue, point_dot, f->mesh.nodes, NULL, f->newton.scalars, .x = f->newton.lambda,
                .y = f->forces.external);
        pio_queue_download(&sim->queue, &found[transposed], f->newton.scalars, sizeof *found);
        found[transposed] /= 6;
    }
    fem_case_below("the engine's gradient against differences, relative", exact / difference - 1, 1e-8, 0);
    fem_case_below("the transposed solve against differences, relative", found[1] / difference - 1, 1e-8, 0);
    print_message("  without transposition: %.3g (at least 1e-3)\n", fabs(found[0] / difference - 1));
    assert_true(fabs(found[0] / difference - 1) > 1e-3);
    free(g);
    piola_engine_fem.destroy(sim);
    fem_case_free(&c);
}

static void methods_for_symmetric_matrices_refuse_a_load_that_follows(void **unused)
{
    static fem_case c;
    (void)unused;
    for (int dead = 0; dead < 2; dead++) {
        piola_error error = {0};
        beam(&c, dead ? PIO_PRESSURE : PIO_FOLLOWER);
        pio_sim *sim = fem_case_start(&c);
        const pio_linop_kind kind = fem_of(sim)->matrix.kind;
        assert_int_equal(kind, dead ? PIO_SYMMETRIC : PIO_GENERAL);
        assert_int_equal(pio_linop_accepts(PIO_MINRES, kind, &error), dead ? PIOLA_OK : PIOLA_BAD_DATA);
        if (!dead) print_message("  %s\n", error.message);
        assert_int_equal(pio_linop_accepts(PIO_GMRES, kind, &error), PIOLA_OK);
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_a_closed_surface_following_forces_cancel_however_it_deforms),
        cmocka_unit_test(forces_of_a_turned_face_are_turned_with_it),
        cmocka_unit_test(the_load_stiffness_is_symmetric_where_there_is_a_potential_and_else_not),
        cmocka_unit_test(a_block_under_pressure_shrinks_by_the_root_of_its_law),
        cmocka_unit_test(a_tube_under_inner_pressure_widens_as_lame_says),
        cmocka_unit_test(newton_is_quadratic_with_the_load_stiffness_and_not_without),
        cmocka_unit_test(an_adjoint_without_the_transposition_is_wrong),
        cmocka_unit_test(methods_for_symmetric_matrices_refuse_a_load_that_follows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
