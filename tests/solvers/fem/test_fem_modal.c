/* test_fem_modal.c -- are the modes those of mechanics, none missed, and their derivatives exact? */
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

enum { D = FEM_DIM };
static const pio_element_type box = FEM_DIM == 2 ? PIO_QUAD4 : PIO_HEX8;
static const pio_element_type square = FEM_DIM == 2 ? PIO_QUAD9 : PIO_HEX27;

static double size[3] = {1, 1, 1};
static const double rest[FEM_VARIABLES]; /* z = 0 */

static void stretched(const double s[3], double x[3])
{
    for (int a = 0; a < 3; a++) x[a] = s[a] * size[a];
}

/* A box of one material whose modes are wanted; supports are still to be given. */
static void body(fem_case *c, int modes, fem_grid grid, const fem_material *m, int lumped)
{
    fem_case_begin(c, 1, modes);
    fem_case_grid(c, grid);
    fem_case_matter(c, m, 1, 0.7);
    c->fem.integrator = PIO_MODAL;
    c->fem.lumped = lumped;
    c->fem.repeated = 1e-6;
    c->fem.direct_memory = 1e12;
}

static pio_step_record record_of(const pio_sim *sim, int mode)
{
    pio_step_record r;
    assert_true(piola_engine_fem.record(sim, mode - 1, &r));
    assert_int_equal(r.modes_found, r.modes_counted);
    return r;
}

/* The largest residual of all modes, which is compared with rounding. */
static void check_residuals(const pio_sim *sim, int modes)
{
    double worst = 0;
    for (int k = 1; k <= modes; k++) worst = fmax(worst, record_of(sim, k).residual);
    fem_case_below("residual of the modes, relative", worst, 1e-8, 0);
}

/* ---- known modes ------------------------------------------------------------------------------------------- */

/* A rod of n elements of E = 1, density 1, nu = 0, which moves along its axis alone: with consistent masses lambda = 6
 * (1 - cos t)/((2 + cos t) h^2), lumped 2 (1 - cos t)/h^2, t = (2 k - 1) pi/(2 n) (Hughes 2000, section 7.3), and
 * without elements ((2 k - 1) pi/(2 L))^2. */
static void a_rod_has_the_frequencies_of_its_elements_to_rounding(void **unused)
{
    enum { MODES = 4, CELLS = 24 };
    const fem_material m = {.law = PIO_HYPER_LINEAR, .parameters = {1, 0}, .density = 1};
    (void)unused;
    memcpy(size, (double[]){12, 1, 1}, sizeof size);
    for (int lumped = 0; lumped < 2; lumped++) {
        static fem_case c;
        double worst = 0, off = 0;
        body(&c, MODES, (fem_grid){box, box, {CELLS, 1, 1}, stretched, 0}, &m, lumped);
        const int zero = fem_case_support(&c, 0, -1);
        fem_case_hold_side(&c, 0, 0, 0, zero);
        for (int i = 0; i < c.n; i++)
            for (int a = 1; a < D; a++) fem_case_hold(&c, i, a, zero);
        pio_sim *sim = fem_case_solve(&c);
        for (int k = 1; k <= MODES; k++) {
            const double h = 12.0 / CELLS, t = (2 * k - 1) * M_PI / (2 * CELLS), w = (2 * k - 1) * M_PI / 24;
            const double exact = (lumped ? 2 : 6 / (2 + cos(t))) * (1 - cos(t)) / (h * h);
            const pio_step_record r = record_of(sim, k);
            worst = fmax(worst, fabs(r.eigenvalue / exact - 1));
            off = fmax(off, fabs(r.eigenvalue / (w * w) - 1));
            assert_true(fabs(r.frequency - sqrt(r.eigenvalue) / (2 * M_PI)) <= 1e-15 * r.frequency);
        }
        check_residuals(sim, MODES);
        fem_case_below(lumped ? "rod, lumped: eigenvalues, relative" : "rod, consistent: eigenvalues, relative", worst,
                       1e-10, 0);
        assert_true(off > 1e-4); /* negative control: that of the continuum is another number */
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
}

/* Shapes are those of a sine, mass-normalised, and orthogonal by the masses: lumped ones, here h/2 and h of a rod. */
static void shapes_are_normalised_by_the_masses_and_have_their_sign(void **unused)
{
    enum { CELLS = 24 };
    const fem_material m = {.law = PIO_HYPER_LINEAR, .parameters = {1, 0}, .density = 1};
    static fem_case c;
    double worst = 0;
    (void)unused;
    memcpy(size, (double[]){12, 1, 1}, sizeof size);
    body(&c, 2, (fem_grid){box, box, {CELLS, 1, 1}, stretched, 0}, &m, 1);
    const int zero = fem_case_support(&c, 0, -1);
    fem_case_hold_side(&c, 0, 0, 0, zero);
    for (int i = 0; i < c.n; i++)
        for (int a = 1; a < D; a++) fem_case_hold(&c, i, a, zero);
    pio_sim *sim = fem_case_solve(&c);
    double *u = fem_case_read(sim, "displacement"); /* of the second mode, which is the state now */
    /* phi = a sin(3 pi x/(2 L)) with a^2 (A L/2) = 1; the largest values are first where the sine is 1, and last */
    const double a = sqrt(2 / (12 * (D == 2 ? 0.7 : 1)));
    double sign = 0;
    for (int i = 0; i < c.n; i++)
        if (fabs(c.rest[i * D] - 4) < 1e-9) sign = u[i * D] > 0 ? 1 : -1;
    for (int i = 0; i < c.n; i++) worst = fmax(worst, fabs(u[i * D] - sign * a * sin(3 * M_PI * c.rest[i * D] / 24)));
    fem_case_below("second shape, less the sine", worst, 1e-9, 0);
    double most = 0, first = 0;
    for (int i = 0; i < c.n * D; i++) most = fmax(most, fabs(u[i]));
    for (int i = c.n * D - 1; i >= 0; i--)
        if (fabs(u[i]) >= most * (1 - 1e-6)) first = u[i];
    assert_true(first > 0);
    free(u);
    piola_engine_fem.destroy(sim);
    fem_case_free(&c);
}

/* A cantilever 20 : 1 in quadratic elements against Timoshenko's slope of the first bending mode: Euler and Bernoulli's
 * 1.8751^2 sqrt(E I/(rho A L^4)) is corrected by about 1 %. Finer meshes lower it, and converge. */
static void a_cantilever_bends_at_the_frequency_of_beam_theory(void **unused)
{
    const fem_material m = {.law = PIO_HYPER_LINEAR, .parameters = {1000, 0}, .density = 2};
    const double L = 20, exact = 1.875104068711961 * 1.875104068711961 / (L * L) * sqrt(1000.0 / 2 / 12) / (2 * M_PI);
    double f[3];
    (void)unused;
    memcpy(size, (double[]){L, 1, 1}, sizeof size);
    for (int fine = 0; fine < 3; fine++) {
        static fem_case c;
        body(&c, 2, (fem_grid){square, square, {2 << fine, 1, 1}, stretched, 0}, &m, 0);
        fem_case_clamp(&c, 0, 0);
        pio_sim *sim = fem_case_solve(&c);
        f[fine] = record_of(sim, 1).frequency;
        print_message("  %d elements: %.9g Hz, by Euler and Bernoulli %.9g Hz\n", 2 << fine, f[fine], exact);
        check_residuals(sim, 2);
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
    assert_true(f[0] > f[1] && f[1] > f[2]);
    assert_true(f[1] - f[2] < (f[0] - f[1]) / 4); /* second order at least */
    /* rotatory inertia and shear: of the relative size (1 + 2 (1 + nu) 6/5) (r/L)^2 times about 2.3, r^2 = 1/12 */
    fem_case_below("finest over beam theory, less 1", f[2] / exact - 1, 5e-3, 0);
    assert_true(f[2] < exact);
}

static void a_free_body_has_the_rigid_motions_at_zero(void **unused)
{
    enum { RIGID = D == 2 ? 3 : 6 };
    double f[2] = {0};
    (void)unused;
    memcpy(size, (double[]){4, 1, 1}, sizeof size);
    for (int law = 0; law < FEM_LAWS; law++) {
        static fem_case c;
        fem_material m = fem_material_of((pio_hyper_law)law, 1000);
        body(&c, RIGID + 2, (fem_grid){box, box, {6, 2, 2}, stretched, 0.2}, &m, 0);
        pio_sim *sim = fem_case_solve(&c);
        for (int k = 1; k <= RIGID; k++) assert_true(record_of(sim, k).frequency <= 0);
        f[law > 0] = record_of(sim, RIGID + 1).frequency;
        print_message("  %s: %.12g Hz\n", fem_law_names[law], f[law > 0]);
        assert_true(f[law > 0] > 0);
        if (law == PIO_HYPER_MOONEY_RIVLIN || law == PIO_HYPER_OGDEN) f[1] = f[0]; /* of other constants */
        if (law) fem_case_below("the same as of the linear law, relative", f[1] / f[0] - 1, 1e-10, 0);
        check_residuals(sim, RIGID + 2);
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
    static fem_case c; /* rigid motions are a cluster whose end is sought beyond the modes that are wanted */
    const fem_material m = fem_material_of(PIO_HYPER_LINEAR, 1000);
    body(&c, 1, (fem_grid){box, box, {6, 2, 2}, stretched, 0.2}, &m, 0);
    pio_sim *sim = fem_case_solve(&c);
    assert_int_equal(record_of(sim, 1).modes_found, RIGID);
    piola_engine_fem.destroy(sim);
    fem_case_free(&c);
}

/* A rigid block of mass m on springs k: frequency sqrt(k/m)/(2 pi) where the block is stiff; the springs at its nodes
 * act along the axes. */
static void a_stiff_block_on_springs_has_the_frequency_of_a_mass_on_a_spring(void **unused)
{
    const fem_material m = {.law = PIO_HYPER_LINEAR, .parameters = {1e9, 0.3}, .density = 3};
    static fem_case c;
    const double mass = 3 * (D == 2 ? 0.7 : 1), area = D == 2 ? 0.7 : 1;
    (void)unused;
    memcpy(size, (double[]){1, 1, 1}, sizeof size);
    body(&c, 3, (fem_grid){box, box, {3, 3, 3}, stretched, 0}, &m, 0);
    fem_case_load(&c, PIO_SPRINGS, 1, 0, fem_case_value(&c, 50, 2000, 90), -1); /* per area */
    pio_sim *sim = fem_case_solve(&c);
    const double exact = sqrt(2000 * area / mass) / (2 * M_PI);
    double nearest = INFINITY;
    for (int k = 1; k <= 3; k++) {
        const double f = record_of(sim, k).frequency;
        print_message("  %.9g Hz\n", f);
        assert_true(f > 0);
        if (fabs(f - exact) < fabs(nearest - exact)) nearest = f;
    }
    if (D == 2) fem_case_below("mass on a spring, relative", nearest / exact - 1, 1e-5, 0);
    piola_engine_fem.destroy(sim);
    fem_case_free(&c);
}

/* ---- clusters, errors, bits -------------------------------------------------------------------------------- */

static void hold_all_sides(fem_case *c)
{
    const int zero = fem_case_support(c, 0, -1);
    for (int i = 0; i < c->n; i++) {
        int on = 0;
        for (int a = 0; a < D; a++) on |= fem_case_on_side(c, i, a, 0) | fem_case_on_side(c, i, a, 1);
        for (int a = 0; a < D && on; a++) fem_case_hold(c, i, a, zero);
    }
}

/* A square (cube) that is clamped all around vibrates along each axis at one frequency: D equal ones. */
static void symmetric(fem_case *c, int modes, int first, int last)
{
    const fem_material m = {.law = PIO_HYPER_LINEAR, .parameters = {1000, 0.3}, .density = 2.5};
    memcpy(size, (double[]){1, 1, 1}, sizeof size);
    body(c, modes, (fem_grid){box, box, {4, 4, 4}, stretched, 0}, &m, 0);
    hold_all_sides(c);
    const int o = fem_case_observe(c, PIO_EIGENFREQUENCY, 1);
    for (int k = first; k <= last; k++) fem_case_sample(c, o, k, 0, 1.0 / (last - first + 1));
    fem_case_design(c, PIO_LAW_PARAMETER_0, -1, FEM_EACH, fem_linear(1000, 1000), 0);
    fem_case_design(c, PIO_DENSITY, -1, FEM_EACH, fem_linear(2.5, 2.5), 0);
    fem_case_design(c, PIO_POSITION, -1, FEM_EACH, fem_linear(0, 1), 0);
}

static void one_of_repeated_frequencies_has_no_derivative_and_their_mean_has(void **unused)
{
    static fem_case c;
    static taylor_run t;
    piola_error error = {0};
    (void)unused;
    symmetric(&c, D + 1, 1, 1);
    assert_int_equal(fem_case_try(&c, rest, 1, &error), PIOLA_NUMERICAL);
    print_message("  %s\n", error.message);
    assert_int_equal(error.failure.kind, PIOLA_FAILED_REPEATED);
    assert_non_null(strstr(error.message, "repeated"));
    fem_case_free(&c);
    symmetric(&c, 1, 1, 1); /* the others are not among the modes that are wanted */
    assert_int_equal(fem_case_try(&c, rest, 1, &error), PIOLA_NUMERICAL);
    print_message("  %s\n", error.message);
    assert_int_equal(error.failure.kind, PIOLA_FAILED_REPEATED);
    assert_non_null(strstr(error.message, "time.modes"));
    fem_case_free(&c);
    symmetric(&c, D + 1, 1, D);
    taylor_begin(&t, &c, 0); /* at the symmetric design itself */
    for (int k = 2; k <= D; k++)
        fem_case_below("repeated: relative difference",
                       record_of(t.sim, k).eigenvalue / record_of(t.sim, 1).eigenvalue - 1, 1e-10, 0);
    everything(&t);
    design_by_design(&t);
    taylor_end(&t, "mean of repeated frequencies");
    fem_case_free(&c);
}

static void rigid_motions_have_no_derivative_and_too_many_modes_are_refused(void **unused)
{
    static fem_case c;
    piola_error error = {0};
    const fem_material m = fem_material_of(PIO_HYPER_LINEAR, 1000);
    (void)unused;
    memcpy(size, (double[]){2, 1, 1}, sizeof size);
    body(&c, 7, (fem_grid){box, box, {3, 2, 2}, stretched, 0.2}, &m, 0);
    fem_case_sample(&c, fem_case_observe(&c, PIO_EIGENFREQUENCY, 1), 1, 0, 1);
    fem_case_design(&c, PIO_DENSITY, -1, FEM_SCALAR, fem_linear(2, 1), 0);
    assert_int_equal(fem_case_try(&c, rest, 1, &error), PIOLA_NUMERICAL);
    print_message("  %s\n", error.message);
    assert_non_null(strstr(error.message, "rigid motion"));
    c.desc.steps = c.n * D;
    assert_int_equal(fem_case_try(&c, rest, 0, &error), PIOLA_BAD_DATA);
    print_message("  %s\n", error.message);
    assert_non_null(strstr(error.message, "free unknowns"));
    fem_case_free(&c);
}

static void modes_have_the_same_bits_for_any_number_of_threads_and_every_time(void **unused)
{
    static const int threads[] = {1, 3, 1};
    uint64_t hash[3], other = 0;
    (void)unused;
    memcpy(size, (double[]){3, 1, 1}, sizeof size);
    for (int run = 0; run < 3; run++) {
        static fem_case c;
        const fem_material m = fem_material_of(PIO_HYPER_LINEAR, 1000);
        body(&c, 8, (fem_grid){box, box, {12, 4, 3}, stretched, 0.2}, &m, 0);
        pio_sim *sim = fem_case_create(&c, 0, threads[run]);
        piola_error error;
        if (piola_engine_fem.start(sim, NULL, &error) || piola_engine_fem.advance(sim, 8, &error))
            fail_msg("%s", error.message);
        double *u = fem_case_read(sim, "displacement");
        hash[run] = fem_case_hash(FEM_HASH_START, u, sizeof *u * (size_t)(c.n * D));
        for (int k = 1; k <= 8; k++) {
            const double f = record_of(sim, k).frequency;
            hash[run] = fem_case_hash(hash[run], &f, sizeof f);
        }
        u[0] += 1e-15; /* negative control */
        other = fem_case_hash(FEM_HASH_START, u, sizeof *u * (size_t)(c.n * D));
        free(u);
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
    print_message("  %016llx\n", (unsigned long long)hash[0]);
    assert_true(hash[1] == hash[0] && hash[2] == hash[0] && other != hash[0]);
}

/* ---- derivatives ------------------------------------------------------------------------------------------- */

static void two_bodies(fem_case *c, pio_hyper_law law, pio_element_type even, pio_element_type odd, int lumped)
{
    fem_material m[2] = {fem_material_of(law, 1000), fem_material_of(law, 1500)};
    m[0].density = 2.4;
    m[1].density = 2.6;
    memcpy(size, (double[]){2, 1, 0.8}, sizeof size);
    body(c, 7, (fem_grid){even, odd, {3, 2, 2}, stretched, 0.2}, m, lumped);
    fem_case_matter(c, m, 2, 0.7);
    fem_case_clamp(c, 0, 0);
    fem_case_load(c, PIO_SPRINGS, 0, 1, fem_case_value(c, 30, 20, 10), -1);
    fem_case_load(c, PIO_FOUNDATION, 1, 1, fem_case_value(c, 40, 0, 0), -1);
    const int o = fem_case_observe(c, PIO_EIGENFREQUENCY, 3), mass = fem_case_observe(c, PIO_MASS, 1);
    fem_case_sample(c, o, 1, 0, 1);
    fem_case_sample(c, o, 4, 1, 1);
    fem_case_sample(c, o, 2, 2, 0.5);
    fem_case_sample(c, o, 3, 2, 0.5);
    fem_case_sample(c, mass, 7, 0, 1);
    fem_case_design_matter(c);
    fem_case_design(c, PIO_POSITION, -1, FEM_EACH, fem_linear(0, 0.05), 0);
    if (D == 2) fem_case_design(c, PIO_THICKNESS, -1, FEM_EACH, fem_linear(0.7, 0.1), 0);
    fem_case_design(c, PIO_LOAD, -1, FEM_SCALAR, fem_linear(30, 5), 0);
    fem_case_design(c, PIO_LOAD, -1, FEM_SCALAR, fem_linear(40, 5), 1);
}

static void derivatives_pass_taylors_test(void **unused)
{
    (void)unused;
    for (int law = 0; law < FEM_LAWS; law++) {
        static fem_case c;
        static taylor_run t;
        char what[100];
        two_bodies(&c, (pio_hyper_law)law, box, box, law % 2);
        taylor_begin(&t, &c, 0.3);
        everything(&t);
        design_by_design(&t);
        snprintf(what, sizeof what, "%s, %s masses", fem_law_names[law], law % 2 ? "lumped" : "consistent");
        taylor_end(&t, what);
        fem_case_free(&c);
    }
}

static void derivatives_pass_with_projected_dilatation(void **unused)
{
    static fem_case c;
    static taylor_run t;
    (void)unused;
    two_bodies(&c, PIO_HYPER_NEO_HOOKEAN, box, box, 0);
    for (int b = 0; b < c.fem.n_blocks; b++) c.block[b].dilatation = PIO_DILATATION_PROJECTED;
    taylor_begin(&t, &c, 0.3);
    check_residuals(t.sim, 7);
    t.z_bar[3] *= 1.001; /* negative control: a gradient that is off by a thousandth in one number */
    t.quiet = 1;
    assert_int_equal(single_direction(&t, "wrong", 3), PIO_TAYLOR_FAILED);
    t.z_bar[3] /= 1.001;
    t.quiet = t.passed = t.failed = t.undecided = 0;
    everything(&t);
    design_by_design(&t);
    taylor_end(&t, "projected dilatation");
    fem_case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rod_has_the_frequencies_of_its_elements_to_rounding),
        cmocka_unit_test(shapes_are_normalised_by_the_masses_and_have_their_sign),
        cmocka_unit_test(a_cantilever_bends_at_the_frequency_of_beam_theory),
        cmocka_unit_test(a_free_body_has_the_rigid_motions_at_zero),
        cmocka_unit_test(a_stiff_block_on_springs_has_the_frequency_of_a_mass_on_a_spring),
        cmocka_unit_test(one_of_repeated_frequencies_has_no_derivative_and_their_mean_has),
        cmocka_unit_test(rigid_motions_have_no_derivative_and_too_many_modes_are_refused),
        cmocka_unit_test(modes_have_the_same_bits_for_any_number_of_threads_and_every_time),
        cmocka_unit_test(derivatives_pass_taylors_test),
        cmocka_unit_test(derivatives_pass_with_projected_dilatation),
    };
    return cmocka_run_group_tests_name("fem_modal", tests, NULL, NULL);
}
