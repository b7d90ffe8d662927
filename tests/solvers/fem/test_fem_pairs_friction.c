/* test_fem_pairs_friction.c -- do surfaces of meshes that slide on each other do what Coulomb's law says, and is the
 * adjoint the derivative? f64. */
#include "tests/solvers/fem/fem_case_pairs.h"
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

enum { D = FEM_DIM, ROOM = 20000 };
static const pio_element_type box = FEM_DIM == 2 ? PIO_QUAD4 : PIO_HEX8, simplex = FEM_DIM == 2 ? PIO_TRI3 : PIO_TET4;
static const double g = 9.81, young = 2e5, density = 1000, height = 0.05, reach = 1e-4, stiffness = 2000, dt = 1e-4;

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
    x[0] = upper ? 0.43 + 0.1 * s[0] : 1.6 * s[0];
    x[1] = upper ? gap_of(density * g * height) + height * (s[1] - 0.6) / 0.4 : height * (s[1] / 0.4 - 1);
    x[2] = upper ? 0.02 + height * s[2] : 0.2 * s[2];
}

/* The upper one has the speed v along the lower one, which is held everywhere. */
static void slide(fem_case *c, int steps, double v, double mu, double e)
{
    fem_material m = fem_material_of(PIO_HYPER_NEO_HOOKEAN, young);
    m.density = density;
    fem_case_begin(c, dt, steps);
    fem_case_blocks(c, (fem_grid){box, box, {4, 5, 2}, laid, 0});
    fem_case_matter(c, &m, 1, 0.05);
    fem_case_motion(c, PIO_LEAPFROG, 1, 0, 1e-3);
    c->desc.gravity[1] = -g;
    const int zero = fem_case_support(c, 0, -1);
    for (int i = 0; i < c->n; i++) {
        c->initial_velocity[i * D] = fem_case_body(c, i) ? v : 0;
        for (int a = 0; a < D && !fem_case_body(c, i); a++) fem_case_hold(c, i, a, zero);
    }
    fem_case_pairs(c, stiffness, reach, 0, ROOM);
    c->fem.pairs.friction = mu;
    c->fem.pairs.friction_velocity = e;
}

/* The mean of a field along the first axis over the mass of the upper body, whose elements are equal, or with `side`
 * over the area of its lower side. */
static double along(fem_case *c, pio_sim *sim, const char *field, int side)
{
    double *v = fem_case_read(sim, field), sum = 0;
    int count = 0;
    for (int k = 0; k < c->block[0].n * mesh_nodes_of[box]; k++) {
        const int i = c->block[0].nodes[k];
        if (!fem_case_body(c, i) || (side && c->rest[i * D + 1] > height / 4)) continue;
        sum += v[i * D];
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

/* Between 0.05 s and 0.15 s, once the start has died away. Without friction it keeps its speed. */
static void a_block_that_slides_on_a_block_loses_speed_at_mu_g(void **unused)
{
    (void)unused;
    for (int rough = 0; rough < 2; rough++) {
        static fem_case c;
        const double mu = rough ? 0.3 : 0;
        slide(&c, 1500, 1, mu, 1e-3);
        pio_sim *sim = fem_case_start(&c);
        advance(sim, 500);
        const double before = along(&c, sim, "velocity", 0);
        advance(sim, 1000);
        const double a = (before - along(&c, sim, "velocity", 0)) / 0.1;
        const pio_contact_report r = report_of(sim);
        print_message("  mu %g: %.6g m/s^2, expected %.6g; pairs %d stuck, %d between, %d slid\n", mu, a, mu * g,
                      (int)r.rub_stuck, (int)r.rub_between, (int)r.rub_slid);
        if (rough)
            fem_case_below("loss of speed over mu g, less 1", a / (mu * g) - 1, 0.005, 0);
        else
            fem_case_below("loss of speed, over g", a / g, 1e-3, 0);
        assert_true(r.rubs == rough && (r.rub_slid > 0) == rough && r.rub_stuck == 0);
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
}

/* In the end it creeps not at all, for nothing pulls, but it rings. On its way it comes through every speed. */
static void a_block_comes_to_rest(void **unused)
{
    static fem_case c;
    (void)unused;
    slide(&c, 4000, 0.3, 0.5, 1e-5);
    pio_sim *sim = fem_case_start(&c);
    advance(sim, 3000);
    const double before = along(&c, sim, "displacement", 0);
    advance(sim, 1000);
    const double way = along(&c, sim, "displacement", 0), expected = 0.3 * 0.3 / (2 * 0.5 * g);
    const pio_contact_report r = report_of(sim);
    print_message("  way %.6g m, expected %.6g; then %.3g m/s; pairs %d stuck, %d between, %d slid\n", way, expected,
                  (way - before) / (1000 * dt), (int)r.rub_stuck, (int)r.rub_between, (int)r.rub_slid);
    fem_case_below("speed at rest, m/s", (way - before) / (1000 * dt), 1e-5, 0);
    fem_case_below("way over that expected, less 1", way / expected - 1, 0.03, 0);
    assert_true(r.rub_stuck > 0 && r.rub_slid > 0);
    piola_engine_fem.destroy(sim);
    fem_case_free(&c);
}

/* The way in T is v T - mu g T^2/2. */
static void derivative_of_the_way_by_mu_is_that_of_coulomb(void **unused)
{
    static fem_case c;
    const double T = 0.15, mu = 0.3, z[1] = {0};
    double z_bar[1];
    (void)unused;
    slide(&c, (int)(T / dt + 0.5), 1, mu, 1e-3);
    const int o = fem_case_observe(&c, PIO_DISPLACEMENT, 1);
    double *w = (double *)(uintptr_t)c.observation[o].weight;
    int count = 0;
    for (int i = 0; i < c.n; i++) count += fem_case_body(&c, i);
    for (int i = 0; i < c.n * D; i++) w[i] = i % D == 0 && fem_case_body(&c, i / D) ? 1.0 / count : 0;
    fem_case_sample(&c, o, c.desc.steps, 0, 1);
    for (int a = 0; a < D; a++) c.linear[a] = a == 0, c.square[a] = 0;
    fem_case_design(&c, PIO_PAIR_FRICTION, -1, FEM_SCALAR, fem_linear(mu, 1), 0);
    pio_sim *sim = fem_case_create(&c, c.desc.steps + 1, 1);
    const double way = fem_case_gradient(&c, sim, NULL, z, z_bar);
    const double expected = T - mu * g * T * T / 2, by_mu = -g * T * T / 2;
    print_message("  way %.6g m, expected %.6g; by mu %.6g m, expected %.6g\n", way, expected, z_bar[0], by_mu);
    fem_case_below("way over that expected, less 1", way / expected - 1, 0.01, 0);
    fem_case_below("derivative over that expected, less 1", z_bar[0] / by_mu - 1, 0.01, 0);
    piola_engine_fem.destroy(sim);
    fem_case_free(&c);
}

/* ---- what stays, and what is lost -------------------------------------------------------------------------------- */

/* All of the bodies, at states 1 and `steps` in a sample each. */
static int observe_all(fem_case *c, pio_observable type, int steps)
{
    const int o = fem_case_observe(c, type, 2);
    double *w = (double *)(uintptr_t)c->observation[o].weight;
    for (int i = 0; i < (type == PIO_STRAIN_ENERGY ? c->elements : c->n * D); i++) w[i] = 1;
    for (int k = 0; k < 2; k++) fem_case_sample(c, o, k ? steps : 1, k, 1);
    return o;
}

/* Without damping, on the level: what the motion loses is what presses it back, its mass times the loss of speed, times
 * the way of its lower side, summed over parts of the time. Without friction it loses nothing of note. */
static void energy_that_is_lost_is_the_work_of_friction(void **unused)
{
    enum { PARTS = 300, EACH = 4 };
    (void)unused;
    for (int rough = 0; rough < 2; rough++) {
        static fem_case c;
        double sample[FEM_SAMPLES] = {0}, work = 0;
        slide(&c, 1 + PARTS * EACH, 1, rough ? 0.3 : 0, 1e-3);
        fem_case_motion(&c, PIO_LEAPFROG, 1, 0, 0);
        for (int i = 0; i < c.n; i++) c.initial_velocity[i * D] = fem_case_body(&c, i) ? 1 : 0;
        observe_all(&c, PIO_KINETIC_ENERGY, 1 + PARTS * EACH);
        observe_all(&c, PIO_STRAIN_ENERGY, 1 + PARTS * EACH);
        pio_sim *sim = fem_case_create(&c, 0, 1);
        fem_case_forward(&c, sim, NULL, sample);
        piola_engine_fem.destroy(sim);
        sim = fem_case_start(&c);
        advance(sim, 1);
        const double mass = density * 0.1 * height * 0.05;
        double speed = along(&c, sim, "velocity", 0), place = along(&c, sim, "displacement", 1);
        for (int p = 0; p < PARTS; p++) {
            advance(sim, EACH);
            const double v = along(&c, sim, "velocity", 0), x = along(&c, sim, "displacement", 1);
            work += mass * (speed - v) / (EACH * dt) * (x - place);
            speed = v;
            place = x;
        }
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
static void collide(fem_case *c, pio_element_type type, int steps, double speed, double mu)
{
    fem_material m = fem_material_of(PIO_HYPER_NEO_HOOKEAN, 1e4);
    m.density = 1;
    fem_case_begin(c, dt, steps);
    fem_case_blocks(c, (fem_grid){type, type, {3, 5, 2}, apart, 0});
    fem_case_matter(c, &m, 1, 1);
    fem_case_motion(c, PIO_LEAPFROG, 1, 0, 0);
    for (int i = 0; i < c->n; i++) {
        c->initial_velocity[i * D] = fem_case_body(c, i) ? -0.6 * speed : 0.2 * speed;
        c->initial_velocity[i * D + 1] = fem_case_body(c, i) ? -speed : 0.5 * speed;
    }
    fem_case_pairs(c, 500, 0.015, 0, ROOM);
    c->fem.pairs.friction = mu;
    c->fem.pairs.friction_velocity = 0.01;
}

/* Moments about centres c and c' differ by (c' - c) x p. Energy is lost, but no more than there was. */
static void colliding_blocks_keep_linear_momentum_and_lose_energy(void **unused)
{
    enum { STEPS = 900, MOMENTS = D == 3 ? 3 : 1 };
    (void)unused;
    for (int k = 0; k < 2; k++) {
        static fem_case c;
        double sample[FEM_SAMPLES] = {0}, worst = 0, size = 0;
        collide(&c, k ? simplex : box, STEPS, 2, 0.5);
        observe_all(&c, PIO_KINETIC_ENERGY, STEPS);
        observe_all(&c, PIO_STRAIN_ENERGY, STEPS);
        for (int a = 0; a < 4; a++) {
            const int o = observe_all(&c, PIO_ANGULAR_MOMENTUM, STEPS);
            for (int b = 0; b < 3; b++) c.observation[o].center[b] = b + 1 == a ? 3 : 0;
        }
        pio_sim *sim = fem_case_create(&c, 0, 1);
        fem_case_forward(&c, sim, NULL, sample);
        const pio_contact_report r = report_of(sim);
        const double before = sample[0] + sample[2], after = sample[1] + sample[3];
        print_message("  %s: energy %.6g J before, %.6g J after; %d nodes met; pairs %d stuck, %d between, %d slid\n",
                      fem_type_names[k ? simplex : box], before, after, (int)r.met, (int)r.rub_stuck,
                      (int)r.rub_between, (int)r.rub_slid);
        assert_true(r.met > 0 && r.rub_slid > 0 && after < 0.95 * before && after > 0);
        for (int a = 1; a < 4; a++)
            for (int m = 0; m < MOMENTS; m++) {
                const double *L = sample + 4 + 2 * MOMENTS * a + m, *about = sample + 4 + m;
                worst = fmax(worst, fabs(L[MOMENTS] - about[MOMENTS] - (L[0] - about[0])));
                size = fmax(size, fabs(L[0] - about[0]));
            }
        fem_case_below("  change of linear momentum, relative", worst / size, 1e-12, 0);
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
}

/* ---- bits and refusals ------------------------------------------------------------------------------------------- */

static void observe_everything(fem_case *c)
{
    static const pio_observable type[] = {PIO_DISPLACEMENT, PIO_MEAN_VELOCITY, PIO_KINETIC_ENERGY};
    const int steps = (int)c->desc.steps;
    for (int k = 0; k < 3; k++) {
        const int o = fem_case_observe(c, type[k], 2);
        fem_case_sample(c, o, steps, 0, 0.1);
        fem_case_sample(c, o, 0, 1, 0.03);
        fem_case_sample(c, o, steps / 2, 1, 0.05);
        fem_case_sample(c, o, steps - 1, 1, -0.04);
    }
}

static void design_everything(fem_case *c)
{
    const pio_pairs_desc *p = &c->fem.pairs;
    fem_case_design(c, PIO_PAIR_FRICTION, -1, FEM_SCALAR, fem_linear(p->friction, 0.1), 0);
    fem_case_design(c, PIO_PAIR_FRICTION_VELOCITY, -1, FEM_SCALAR, fem_logarithmic(log(p->friction_velocity), 0.4), 0);
    fem_case_design(c, PIO_PAIR_STIFFNESS, -1, FEM_SCALAR, fem_logarithmic(log(p->stiffness), 0.4), 0);
    fem_case_design(c, PIO_PAIR_DISTANCE, -1, FEM_SCALAR, fem_linear(p->distance, 0.1 * p->distance), 0);
    fem_case_design(c, PIO_POSITION, -1, FEM_EACH, fem_linear(0, 0.01), 0);
    if (D == 2) fem_case_design(c, PIO_THICKNESS, -1, FEM_EACH, fem_linear(0.9, 0.1), 0);
    fem_case_design(c, PIO_DISPLACED, -1, FEM_GROUPS, fem_linear(0, 0.003), 0);
    fem_case_design(c, PIO_VELOCITY, -1, FEM_GROUPS, fem_linear(0, 0.1), 0);
    fem_case_design_matter(c);
}

static void threads_make_no_difference(void **unused)
{
    uint64_t hash[3][2];
    static double z[FEM_VARIABLES], z_bar[FEM_VARIABLES];
    (void)unused;
    for (int threads = 1; threads <= 3; threads++) {
        static fem_case c;
        collide(&c, simplex, 150, 4, 0.5);
        observe_everything(&c);
        fem_case_design(&c, PIO_PAIR_FRICTION, -1, FEM_SCALAR, fem_linear(0.5, 0.1), 0);
        fem_case_design(&c, PIO_POSITION, -1, FEM_EACH, fem_linear(0, 0.01), 0);
        pio_sim *sim = fem_case_create(&c, c.desc.steps, threads);
        fem_case_gradient(&c, sim, NULL, z, z_bar);
        hash[threads - 1][0] = fem_case_hash_state(sim);
        hash[threads - 1][1] = fem_case_hash(FEM_HASH_START, z_bar, sizeof *z_bar * (size_t)c.variables);
        print_message("  %d threads: state %016llx, gradient %016llx, %d pairs slid\n", threads,
                      (unsigned long long)hash[threads - 1][0], (unsigned long long)hash[threads - 1][1],
                      (int)report_of(sim).rub_slid);
        assert_true(report_of(sim).rub_slid > 0);
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
    for (int k = 0; k < 2; k++) assert_true(hash[0][k] == hash[1][k] && hash[0][k] == hash[2][k]);
}

static void what_cannot_be_is_refused(void **unused)
{
    static const double number[3][2] = {{-0.1, 0.01}, {NAN, 0.01}, {0.5, 1e-10}};
    static fem_case c;
    piola_error error;
    (void)unused;
    for (int k = 0; k < 3; k++) {
        collide(&c, box, 1, 0, 0);
        c.fem.pairs.friction = number[k][0];
        c.fem.pairs.friction_velocity = number[k][1];
        assert_int_equal(fem_case_try(&c, NULL, 0, &error), PIOLA_BAD_DATA);
        print_message("  %s\n", error.message);
        assert_non_null(strstr(error.message, "contact: friction"));
        fem_case_free(&c);
    }
    collide(&c, box, 1, 0, 0);
    fem_case_design(&c, PIO_PAIR_FRICTION, -1, FEM_SCALAR, fem_linear(0.5, 0.1), 0);
    c.fem.pairs.distance = 0;
    c.fem.n_contacts = 0;
    assert_int_equal(fem_case_try(&c, NULL, 0, &error), PIOLA_BAD_DATA);
    print_message("  %s\n", error.message);
    assert_non_null(strstr(error.message, "of a contact that there is"));
    fem_case_free(&c);
}

/* ---- the adjoint ------------------------------------------------------------------------------------------------- */

static void matter(fem_case *c, double mu)
{
    fem_material m[2] = {fem_material_of(PIO_HYPER_NEO_HOOKEAN, 1000), fem_material_of(PIO_HYPER_ST_VENANT, 1500)};
    m[0].density = 3, m[1].density = 2;
    fem_case_matter(c, m, 2, 0.9);
    fem_case_motion(c, PIO_LEAPFROG, 1, 0.3, 1e-5);
    for (int i = 0; i < c->n * D; i++) c->initial_velocity[i] = 0.2 * fem_case_random(c);
    const int zero = fem_case_support(c, 0, -1);
    fem_case_hold(c, 0, 0, zero);
    fem_case_pairs(c, 20, 0.08, 0, ROOM);
    c->fem.pairs.friction = mu;
    c->fem.pairs.friction_velocity = 0.1;
}

/* The negative control: with the derivative by friction of the first design too large by 1e-4, its direction fails. */
static void check(taylor_run *t, fem_case *c, const char *what)
{
    observe_everything(c);
    design_everything(c);
    taylor_begin(t, c, 0.2);
    const pio_contact_report r = report_of(t->sim);
    print_message("  %s: %d pairs, %d stuck, %d between, %d slid; by mu %.3g, by e %.3g\n", what, (int)r.pairs,
                  (int)r.rub_stuck, (int)r.rub_between, (int)r.rub_slid, t->z_bar[0], t->z_bar[1]);
    assert_true(r.rub_between + r.rub_slid > 0 && fabs(t->z_bar[0]) > 0);
    everything(t);
    design_by_design(t);
    t->quiet = 1;
    const int failed = t->failed;
    const double right = t->z_bar[0];
    t->z_bar[0] *= 1 + 1e-4;
    const pio_taylor_verdict wrong = single_direction(t, "wrong", 0);
    t->z_bar[0] = right;
    t->failed = failed;
    assert_int_equal(wrong, PIO_TAYLOR_FAILED);
    taylor_end(t, what);
    fem_case_free(c);
}

/* In space the upper one is turned, so that no edges are parallel, where second derivatives jump. */
static void near(const double s[3], double x[3])
{
    apart(s, x);
    if (s[1] < 0.5) return;
    const double turn = D == 3 ? 0.3 : 0, X[2] = {x[0] - 0.5, x[2] - 0.5};
    x[0] = 0.5 + cos(turn) * X[0] - sin(turn) * X[1];
    x[1] += 0.03;
    x[2] = 0.5 + sin(turn) * X[0] + cos(turn) * X[1];
}

static void adjoint_is_the_derivative_where_blocks_rub(void **unused)
{
    (void)unused;
    for (int k = 0; k < 2; k++) {
        static taylor_run t;
        static fem_case c;
        fem_case_begin(&c, 0.0005, 4);
        fem_case_blocks(&c, (fem_grid){k ? simplex : box, k ? simplex : box, {3, 5, 2}, near, 0});
        matter(&c, 0.6);
        check(&t, &c, k ? "simplices" : "boxes");
    }
}

static void adjoint_is_the_derivative_where_a_ring_rubs_itself(void **unused)
{
    static taylor_run t;
    static fem_case c;
    (void)unused;
    fem_case_begin(&c, 0.0005, 4);
    fem_case_grid(
        &c, (fem_grid){D == 2 ? PIO_QUAD9 : PIO_HEX8, D == 2 ? PIO_QUAD9 : PIO_HEX8, {12, 2, 1}, fem_case_ring, 0});
    matter(&c, 0.6);
    c.fem.n_contacts = 0;
    fem_case_close_ring(&c, 0.05);
    fem_case_pairs(&c, 20, 0.06, 1, ROOM);
    c.fem.pairs.friction = 0.6;
    c.fem.pairs.friction_velocity = 0.1;
    check(&t, &c, "ring");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_that_slides_on_a_block_loses_speed_at_mu_g),
        cmocka_unit_test(a_block_comes_to_rest),
        cmocka_unit_test(derivative_of_the_way_by_mu_is_that_of_coulomb),
        cmocka_unit_test(energy_that_is_lost_is_the_work_of_friction),
        cmocka_unit_test(colliding_blocks_keep_linear_momentum_and_lose_energy),
        cmocka_unit_test(threads_make_no_difference),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(adjoint_is_the_derivative_where_blocks_rub),
        cmocka_unit_test(adjoint_is_the_derivative_where_a_ring_rubs_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
