/* test_fem_direct.c -- does elimination solve what conjugate gradients solve, and what they cannot? Which is taken by
 * itself? */
#include "solvers/fem/fem.h"
#include "tests/solvers/fem/fem_case.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { D = FEM_DIM };
static const pio_element_type box = FEM_DIM == 2 ? PIO_QUAD4 : PIO_HEX8;
static const double ALL = 1e12; /* bytes */

static double stretch[3] = {1, 1, 1};

static void stretched(const double s[3], double x[3])
{
    for (int a = 0; a < 3; a++) x[a] = s[a] * stretch[a];
}

/* A box clamped on the left and pulled on the right, as fine as given; J is where a corner of the right goes. */
static void block(fem_case *c, pio_hyper_law law, const int cells[3], const double size[3], double along, double across,
                  pio_solve linear)
{
    const fem_material m = {.law = law, .parameters = {1000, 0.3}, .density = 2};
    fem_case_begin(c, 0.5, 2);
    c->random = 5;
    memcpy(stretch, size, sizeof stretch);
    fem_case_grid(c, (fem_grid){box, box, {cells[0], cells[1], cells[2]}, stretched, 0});
    fem_case_matter(c, &m, 1, 1);
    fem_case_clamp(c, 0, 0);
    const int ramp = fem_case_curve(c, 2, (double[]){0, 1}, (double[]){0, 1});
    fem_case_load(c, PIO_TRACTION, 0, 1, fem_case_value(c, along, across, 0), ramp);
    fem_case_observe_node(c, fem_case_at(c, c->lines[0] - 1, 0, 0), 1);
    fem_case_design(c, PIO_LAW_PARAMETER_0, -1, FEM_EACH, fem_linear(1000, 1000), 0);
    fem_case_design(c, PIO_LOAD, -1, FEM_SCALAR, fem_linear(0, 1), 0);
    c->fem.linear = linear;
    c->fem.direct_memory = ALL;
}

/* z of the reference state: moduli 1000 + 1000 z, the load itself */
static void start_of(const fem_case *c, double *z)
{
    memset(z, 0, sizeof *z * FEM_VARIABLES);
    memcpy(z + fem_case_design_first(c, 1), c->value[0], sizeof *z * D);
}

/* |a - b|/|b| */
static double difference(const double *a, const double *b)
{
    double off = 0, size = 0;
    for (int i = 0; i < FEM_VARIABLES; i++) {
        off += (a[i] - b[i]) * (a[i] - b[i]);
        size += b[i] * b[i];
    }
    return sqrt(off / size);
}

static void elimination_and_conjugate_gradients_agree(void **unused)
{
    static const pio_integrator list[] = {PIO_STATIC, PIO_NEWMARK, PIO_BDF2, PIO_BACKWARD_EULER};
    (void)unused;
    for (int k = 0; k < 4; k++) {
        static fem_case c;
        static double z[FEM_VARIABLES], z_bar[2][FEM_VARIABLES];
        double J[2];
        for (int way = 0; way < 2; way++) {
            pio_step_record r;
            block(&c, PIO_HYPER_NEO_HOOKEAN, (int[]){6, 3, 2}, (double[]){2, 1, 1}, 30, 30,
                  way ? PIO_SOLVE_DIRECT : PIO_SOLVE_PCG);
            if (list[k] != PIO_STATIC) fem_case_motion(&c, list[k], 0, 0.01, 0.001);
            start_of(&c, z);
            pio_sim *sim = fem_case_create(&c, 2, 1);
            J[way] = fem_case_gradient(&c, sim, NULL, z, z_bar[way]);
            assert_true(piola_engine_fem.record(sim, 1, &r));
            print_message(
                "  integrator %d, %s: J %.15g, %d Newton iterations with %d of the solver's, adjoint %d to %.1e\n",
                (int)list[k], way ? "direct" : "pcg", J[way], r.newton_iterations, r.linear_iterations,
                r.adjoint_iterations, r.adjoint_residual);
            assert_true(!way || r.linear_iterations == r.newton_iterations);
            piola_engine_fem.destroy(sim);
            fem_case_free(&c);
        }
        fem_case_below("relative difference of J", J[1] / J[0] - 1, 1e-9, 1e-3);
        fem_case_below("relative difference of the gradient", difference(z_bar[1], z_bar[0]), 1e-9, 2e-3);
    }
}

/* A follower pressure makes the matrix unsymmetric: LU, and for the adjoint its transposed solve, against
 * GMRES. */
static void with_loads_that_follow_lu_and_gmres_agree_and_the_adjoint_is_transposed(void **unused)
{
    static double z_bar[2][FEM_VARIABLES];
    double J[2];
    (void)unused;
    for (int way = 0; way < 2; way++) {
        static fem_case c;
        static double z[FEM_VARIABLES];
        pio_engine_bytes bytes;
        piola_error error;
        pio_step_record r;
        block(&c, PIO_HYPER_NEO_HOOKEAN, (int[]){6, 3, 2}, (double[]){2, 1, 1}, 10, 10,
              way ? PIO_SOLVE_DIRECT : PIO_SOLVE_PCG);
        fem_case_load(&c, PIO_FOLLOWER, 1, 1, fem_case_value(&c, 40, 0, 0), 0);
        start_of(&c, z);
        fem_case_describe(&c, 2, 1);
        if (piola_engine_fem.measure(&c.desc, &bytes, &error)) fail_msg("%s", error.message);
        assert_non_null(strstr(bytes.solver, way ? ", LU" : "GMRES"));
        pio_sim *sim = fem_case_create(&c, 2, 1);
        J[way] = fem_case_gradient(&c, sim, NULL, z, z_bar[way]);
        assert_true(piola_engine_fem.record(sim, 1, &r));
        print_message("  %s: J %.15g, %d Newton iterations with %d of the solver's, adjoint %d to %.1e\n", bytes.solver,
                      J[way], r.newton_iterations, r.linear_iterations, r.adjoint_iterations, r.adjoint_residual);
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
    fem_case_below("relative difference of J", J[1] / J[0] - 1, 1e-9, 1e-3);
    fem_case_below("relative difference of the gradient", difference(z_bar[1], z_bar[0]), 1e-9,
                   1e-2); /* f32: GMRES is accepted at 2e-3 */
}

/* A cantilever a hundred times as long as high, where rounding ends conjugate gradients at a residual of 1e-7: of its
 * linear law J + dJ/d(log E) = 0 and J = F dJ/dF. */
static void the_adjoint_of_a_slender_cantilever_is_as_exact_by_pcg_as_directly(void **unused)
{
    (void)unused;
    if (fem_case_is_f32()) skip(); /* u rounded to 7 digits unbalances a fifth of this load: no f32 can know it */
    for (int way = 0; way < 2; way++) {
        static fem_case c;
        static double z[FEM_VARIABLES], z_bar[FEM_VARIABLES];
        block(&c, PIO_HYPER_LINEAR, (int[]){100, 1, 1}, (double[]){100, 1, 1}, 0, 1e-6,
              way ? PIO_SOLVE_DIRECT : PIO_SOLVE_PCG);
        c.fem.newton_tolerance = c.fem.adjoint_tolerance = 1e-10;
        start_of(&c, z);
        pio_step_record r;
        double by_E = 0, by_F = 0;
        pio_sim *sim = fem_case_create(&c, 2, 1);
        const double J = fem_case_gradient(&c, sim, NULL, z, z_bar);
        const int load = fem_case_design_first(&c, 1);
        for (int i = 0; i < load; i++) by_E += z_bar[i];
        for (int a = 0; a < D; a++) by_F += z_bar[load + a] * z[load + a];
        assert_true(piola_engine_fem.record(sim, 1, &r));
        print_message("  %s: J %.12g, adjoint %d iterations\n", way ? "direct" : "pcg", J, r.adjoint_iterations);
        fem_case_below("residual of the adjoint", r.adjoint_residual, 1e-10, 1e-10);
        fem_case_below("E dJ/dE + J, relative", (by_E + J) / J, 1e-9, 1e-9);
        /* a residual of forces of 1e-10 may leave that much of the displacement */
        fem_case_below("F dJ/dF - J, relative", (by_F - J) / J, 1e-7, 1e-7);
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
}

/* A beam 40 times as long as high, nearly incompressible, whose elements have moduli 1 and 1e-6 in turn. That u is
 * rounded unbalances 1e-6 of the load, and the matrix resists rigid motions with a few per cent of what the beam does:
 * of the linear law J = F dJ/dF all the same, in which J has nothing of the adjoint, and dJ/dF nothing of J. */
static void gradients_of_uneven_beams_are_exact_by_both_solvers(void **unused)
{
    static double z_bar[2][FEM_VARIABLES];
    static const char *const ways[] = {"direct", "pcg"};
    (void)unused;
    if (fem_case_is_f32()) skip(); /* u rounded to 7 digits unbalances more than the load */
    for (int way = 0; way < 2; way++) {
        static fem_case c;
        static double z[FEM_VARIABLES];
        pio_step_record r;
        block(&c, PIO_HYPER_LINEAR, (int[]){40, 1, 1}, (double[]){40, 1, 1}, 0, 1e-9,
              way ? PIO_SOLVE_PCG : PIO_SOLVE_DIRECT);
        for (int e = 0; e < c.elements; e++) c.parameters[5 * e + 1] = 0.499;
        c.fem.newton_tolerance = c.fem.adjoint_tolerance = 1e-10;
        c.fem.linear_iterations = 1000000;
        start_of(&c, z);
        const int load = fem_case_design_first(&c, 1);
        for (int e = 1; e < load; e += 2) z[e] = 1e-6 - 1;
        pio_sim *sim = fem_case_create(&c, 2, 1);
        const double J = fem_case_gradient(&c, sim, NULL, z, z_bar[way]);
        double by_E = 0, by_F = 0;
        for (int e = 0; e < load; e++) by_E += z_bar[way][e] * (z[e] + 1);
        for (int a = 0; a < D; a++) by_F += z_bar[way][load + a] * z[load + a];
        assert_true(piola_engine_fem.record(sim, 1, &r));
        print_message("  %s: J %.12g, residual %.2e, adjoint %d iterations\n", ways[way], J, r.residual,
                      r.adjoint_iterations);
        fem_case_below("residual of the adjoint", r.adjoint_residual, 1e-10, 1e-10);
        fem_case_below("E dJ/dE + J, relative", (by_E + J) / J, 1e-9, 1e-9);
        fem_case_below("F dJ/dF - J, relative", (by_F - J) / J, 1e-9, 1e-9);
        fem_case_below("gradient off that of elimination, relative", difference(z_bar[way], z_bar[0]), 1e-6, 1e-6);
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
}

/* A follower pressure of no size makes the matrix one for GMRES, which alone comes to 1e-12 here. */
static void rounding_does_not_end_an_adjoint_by_gmres(void **unused)
{
    static fem_case c;
    static double z[FEM_VARIABLES], z_bar[FEM_VARIABLES];
    pio_step_record r;
    double by_F = 0;
    (void)unused;
    if (fem_case_is_f32()) skip();
    block(&c, PIO_HYPER_LINEAR, (int[]){8, 1, 1}, (double[]){8, 1, 1}, 0, 1e-6, PIO_SOLVE_PCG);
    fem_case_load(&c, PIO_FOLLOWER, 1, 1, fem_case_value(&c, 0, 0, 0), 0);
    c.fem.newton_tolerance = 1e-10;
    c.fem.adjoint_tolerance = 1e-15;
    start_of(&c, z);
    pio_sim *sim = fem_case_create(&c, 2, 1);
    const double J = fem_case_gradient(&c, sim, NULL, z, z_bar);
    const int load = fem_case_design_first(&c, 1);
    for (int a = 0; a < D; a++) by_F += z_bar[load + a] * z[load + a];
    assert_true(piola_engine_fem.record(sim, 1, &r));
    print_message("  J %.12g, adjoint %d iterations\n", J, r.adjoint_iterations);
    fem_case_below("residual of the adjoint", r.adjoint_residual, 1e-15, 1e-15);
    fem_case_below("F dJ/dF - J, relative", (by_F - J) / J, 1e-6, 1e-6);
    piola_engine_fem.destroy(sim);
    fem_case_free(&c);
}

static piola_status chosen(fem_case *c, pio_engine_bytes *bytes, piola_error *error)
{
    *error = (piola_error){0};
    fem_case_describe(c, 0, 1);
    const piola_status rc = piola_engine_fem.measure(&c->desc, bytes, error);
    if (!rc)
        print_message("  %s: %s (%zu bytes of %zu)\n", bytes->solver, bytes->solver_why, bytes->library, bytes->total);
    return rc;
}

/* In the plane a factor is always little work. */
static void auto_eliminates_in_slender_and_plane_bodies_and_iterates_in_thick_ones(void **unused)
{
    static const int cells[][3] = {{60, 2, 2}, {D == 2 ? 50 : 9, D == 2 ? 50 : 9, 9}};
    (void)unused;
    for (int thick = 0; thick < 2; thick++) {
        static fem_case c;
        pio_engine_bytes bytes;
        piola_error error;
        block(&c, PIO_HYPER_LINEAR, cells[thick], (double[]){1, 1, 1}, 0, 1, PIO_SOLVE_AUTO);
        assert_int_equal(chosen(&c, &bytes, &error), PIOLA_OK);
        assert_int_equal(!strncmp(bytes.solver, "MUMPS", 5), !thick || D == 2);
        assert_int_equal(bytes.library > 0, !thick || D == 2);
        assert_true(strstr(bytes.solver_why, "operations") != NULL);
        c.fem.direct_memory = 1000;
        assert_int_equal(chosen(&c, &bytes, &error), PIOLA_OK);
        assert_null(strstr(bytes.solver, "MUMPS"));
        assert_true((thick && D == 3) || strstr(bytes.solver_why, "and 1000 are allowed") != NULL);
        assert_int_equal(bytes.library, 0);
        fem_case_free(&c);
    }
}

static void elimination_that_takes_too_much_memory_is_refused_before_it_starts(void **unused)
{
    static fem_case c;
    pio_engine_bytes bytes;
    piola_error error;
    pio_sim *sim = NULL;
    char needed[64];
    (void)unused;
    block(&c, PIO_HYPER_LINEAR, (int[]){20, 4, 3}, (double[]){1, 1, 1}, 0, 1, PIO_SOLVE_DIRECT);
    assert_int_equal(chosen(&c, &bytes, &error), PIOLA_OK);
    snprintf(needed, sizeof needed, "needs %zu bytes, and %zu are allowed", bytes.library, bytes.library - 1);
    c.fem.direct_memory = (double)bytes.library - 1;
    assert_int_equal(chosen(&c, &bytes, &error), PIOLA_NO_MEMORY);
    print_message("  %s\n", error.message);
    assert_non_null(strstr(error.message, needed));
    assert_non_null(strstr(error.message, "solver.direct_memory"));
    assert_int_equal(piola_engine_fem.create(&c.desc, &sim, &bytes, &error), PIOLA_NO_MEMORY);
    assert_null(sim);
    fem_case_free(&c);
}

static void elimination_gives_the_same_bits_every_time_for_any_number_of_threads(void **unused)
{
    static const int threads[] = {1, 1, 3};
    uint64_t hash[3];
    (void)unused;
    for (int run = 0; run < 3; run++) {
        static fem_case c;
        static double z[FEM_VARIABLES], z_bar[FEM_VARIABLES];
        block(&c, PIO_HYPER_NEO_HOOKEAN, (int[]){30, 6, 2}, (double[]){5, 1, 1}, 3, 3, PIO_SOLVE_DIRECT);
        start_of(&c, z);
        pio_sim *sim = fem_case_create(&c, 2, threads[run]);
        fem_case_gradient(&c, sim, NULL, z, z_bar);
        hash[run] = fem_case_hash(fem_case_hash_gradients(sim), z_bar, sizeof z_bar);
        print_message("  %d threads: %016llx\n", threads[run], (unsigned long long)hash[run]);
        z_bar[3] += 1e-9; /* negative control */
        assert_true(fem_case_hash(fem_case_hash_gradients(sim), z_bar, sizeof z_bar) != hash[run]);
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
    assert_true(hash[1] == hash[0] && hash[2] == hash[0]);
}

/* A column pressed beyond its buckling load stays straight, as nothing pushes it aside: K has negative pivots, of which
 * symmetric forces know nothing. The adjoint of a force across does. Projected directions lead away from such a state
 * as soon as rounding pushes: where they end is another equilibrium, and J is not compared. */
static void at_an_unstable_state_negative_pivots_are_counted_and_adjoints_exact(void **unused)
{
    static const char *const ways[] = {"pcg", "direct, projected", "direct, then conjugate gradients"};
    static double z_bar[3][FEM_VARIABLES];
    double J[3];
    (void)unused;
    for (int way = 0; way < 3; way++) {
        static fem_case c;
        static double z[FEM_VARIABLES];
        int indefinite = 0, projected = 0;
        block(&c, PIO_HYPER_NEO_HOOKEAN, (int[]){16, 2, 2}, (double[]){8, 1, 1}, -20, 0,
              way ? PIO_SOLVE_DIRECT : PIO_SOLVE_PCG);
        c.fem.projection = way == 1 ? PIO_PROJECT_AUTO : PIO_PROJECT_NEVER;
        c.fem.newton_iterations = 400; /* as it buckles */
        start_of(&c, z);
        pio_sim *sim = fem_case_create(&c, 2, 1);
        J[way] = fem_case_gradient(&c, sim, NULL, z, z_bar[way]);
        for (int s = 0; s < 2; s++) {
            pio_step_record r;
            assert_true(piola_engine_fem.record(sim, s, &r));
            indefinite += r.indefinite;
            projected += r.projected;
            print_message(
                "  %s, step %d: %d Newton iterations, %d projected, %d of the solver's, %d indefinite; adjoint "
                "%d to %.1e\n",
                ways[way], s, r.newton_iterations, r.projected, r.linear_iterations, r.indefinite, r.adjoint_iterations,
                r.adjoint_residual);
            assert_true(!way || r.adjoint_iterations <= 2);
        }
        assert_int_equal(indefinite > 0, way > 0);
        assert_int_equal(projected, way == 1 ? indefinite : 0);
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
    fem_case_below("relative difference of J", J[2] / J[0] - 1, 1e-8, 1e-2);
    fem_case_below("relative difference of the gradient", difference(z_bar[2], z_bar[0]), 1e-6, 5e-2);
}

/* Of the linear law K + ca M + cv C is constant: one factor serves all steps and their adjoints. BDF2 begins with a
 * step of Euler's, so that it has two forward, and that of its first step's adjoint is made again. */
static void a_constant_matrix_is_factorised_once_over_a_whole_motion(void **unused)
{
    static const struct {
        pio_integrator integrator;
        int factors;
    } ways[] = {{PIO_BACKWARD_EULER, 1}, {PIO_BDF2, 3}, {PIO_STATIC, 1}};
    static double z_bar[2][FEM_VARIABLES];
    (void)unused;
    for (int k = 0; k < 3; k++) {
        double J[2];
        for (int way = 0; way < 3; way++) {
            static fem_case c;
            static double z[FEM_VARIABLES];
            block(&c, way == 2 ? PIO_HYPER_NEO_HOOKEAN : PIO_HYPER_LINEAR, (int[]){6, 3, 2}, (double[]){2, 1, 1}, 0.3,
                  0.3, way ? PIO_SOLVE_DIRECT : PIO_SOLVE_PCG);
            c.desc.steps = 6;
            c.desc.dt = 1.0 / 6;
            for (int i = 0; i < c.desc.n_sample_weights; i++) c.sample_weight[i].step = 6;
            if (ways[k].integrator != PIO_STATIC) fem_case_motion(&c, ways[k].integrator, 0, 0.01, 0.001);
            start_of(&c, z);
            pio_sim *sim = fem_case_create(&c, 6, 1);
            const double value = fem_case_gradient(&c, sim, NULL, z, z_bar[way == 1]);
            const int factors = (int)((const fem_sim *)sim)->linear.direct.factorisations;
            print_message("  integrator %d, way %d: J %.12g, %d factorisations\n", (int)ways[k].integrator, way, value,
                          factors);
            if (way < 2) J[way] = value;
            if (way == 1) {
                assert_int_equal(factors, ways[k].factors);
                fem_case_below("difference of J from that of pcg, relative", J[1] / J[0] - 1, 1e-9, 1e-3);
                fem_case_below("difference of the gradient, relative", difference(z_bar[1], z_bar[0]), 1e-9, 5e-3);
            }
            if (way == 2) assert_true(factors >= 12); /* one and more in each step, and one in its adjoint */
            piola_engine_fem.destroy(sim);
            fem_case_free(&c);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elimination_and_conjugate_gradients_agree),
        cmocka_unit_test(with_loads_that_follow_lu_and_gmres_agree_and_the_adjoint_is_transposed),
        cmocka_unit_test(the_adjoint_of_a_slender_cantilever_is_as_exact_by_pcg_as_directly),
        cmocka_unit_test(gradients_of_uneven_beams_are_exact_by_both_solvers),
        cmocka_unit_test(rounding_does_not_end_an_adjoint_by_gmres),
        cmocka_unit_test(auto_eliminates_in_slender_and_plane_bodies_and_iterates_in_thick_ones),
        cmocka_unit_test(elimination_that_takes_too_much_memory_is_refused_before_it_starts),
        cmocka_unit_test(elimination_gives_the_same_bits_every_time_for_any_number_of_threads),
        cmocka_unit_test(a_constant_matrix_is_factorised_once_over_a_whole_motion),
        cmocka_unit_test(at_an_unstable_state_negative_pivots_are_counted_and_adjoints_exact),
    };
    return cmocka_run_group_tests_name("fem_direct", tests, NULL, NULL);
}
