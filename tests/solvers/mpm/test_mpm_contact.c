/* test_mpm_contact.c -- do bodies with velocity fields meet, slide and part as they must? Is the adjoint right? */
#include "kernels/mpm/mpm_contact.h"
#include "solvers/mpm/mpm.h"
#include "tests/solvers/mpm/mpm_taylor.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { D = CASE_DIM };

/* ---- two fields at one place ------------------------------------------------------------------------------- */

/* Random pairs of every kind: momentum is kept to rounding, energy falls, and with friction it falls no less. */
static void contact_of_a_pair_keeps_momentum_and_takes_energy(void **unused)
{
    enum { PAIRS = 100000 };
    mpm_case c = {.random = 5};
    double worst = 0, gained = -1;
    int acted = 0;
    (void)unused;
    for (int i = 0; i < PAIRS; i++) {
        contact_pair before, after;
        contact_place at = {.mu = (real)(0.5 + 0.5 * case_random(&c)), .regularisation = (real)0.1};
        double energy[2] = {0, 0}, p = 0, size = 0;
        at.filling = (real)(0.8 + 0.4 * case_random(&c));
        for (int s = 0; s < 2; s++) {
            before.m[s] = (real)exp(3 * case_random(&c));
            for (int a = 0; a < D; a++) {
                before.v[s].x[a] = (real)case_random(&c);
                before.G[s].x[a] = (real)(0.5 * case_random(&c));
            }
        }
        for (int a = 0; a < D; a++) at.free_component[a] = 1;
        after = before;
        contact_pair_act(&after, &at);
        for (int a = 0; a < D; a++) {
            p = 0;
            for (int s = 0; s < 2; s++) {
                const double m = (double)before.m[s], u = (double)before.v[s].x[a], v = (double)after.v[s].x[a];
                p += m * (v - u);
                size += m * fabs(u);
                energy[0] += m * u * u / 2;
                energy[1] += m * v * v / 2;
            }
            worst = fmax(worst, fabs(p) / size);
        }
        acted += energy[1] < 0.999 * energy[0];
        gained = fmax(gained, (energy[1] - energy[0]) / energy[0]);
    }
    print_message("  %d pairs, contact took energy of %d\n", PAIRS, acted);
    assert_true(acted > PAIRS / 10 && acted < PAIRS);
    case_below("change of momentum / sum m |v|", worst, 1e-14, 1e-5);
    case_below("largest gain of energy (negative: all lose), relative", fmax(gained, 0), 1e-14, 1e-5);
}

/* Gradients of one way, as above a sheet on a thick body, with |G_2| = x |G_1|: then N = (x^5/256 - 1)/(x^5/256 + 1)
 * along them, whose slope in ln x is at most 5/2. */
static void the_normal_turns_slowly_where_both_gradients_point_one_way(void **unused)
{
    double step = 1e-3, steepest = 0, before = -1, N = 0;
    (void)unused;
    for (int i = 0; i <= 4000; i++) {
        contact_pair p = {.m = {1, 1}};
        const contact_place at = {.regularisation = (real)0.1, .filling = 1, .free_component = {1, 1}};
        p.G[0].x[1] = (real)0.1;
        p.G[1].x[1] = (real)(0.1 * exp(step * i - 1));
        N = (double)contact_intermediates_of(&p, &at).N.x[1];
        steepest = fmax(steepest, (N - before) / step);
        before = N;
    }
    case_below("steepest change of N over ln(|G_2|/|G_1|), 5/2 exactly", steepest - 2.5, 1e-4, 1e-2);
    case_below("N where the second's gradient is twenty times the first's", N - 1, 1e-3, 1e-3);
}

/* A random pair, and cotangents of what becomes of it. */
static void random_pair(mpm_case *c, contact_pair *p, contact_pair *bar)
{
    memset(bar, 0, sizeof *bar);
    for (int s = 0; s < 2; s++) {
        p->m[s] = (real)exp(3 * case_random(c));
        for (int a = 0; a < D; a++) {
            p->v[s].x[a] = (real)case_random(c);
            p->G[s].x[a] = (real)(0.5 * case_random(c));
            bar->v[s].x[a] = (real)case_random(c);
        }
    }
}

/* Contact has no velocity of its own but the regularisation's. So with that and all others smaller by 2^-26, down to
 * the least that is accepted, it does the same to the bit, derivatives too, where powers of them fit in `real`. */
static void contact_at_the_least_regularisation_is_contact_at_a_large_one_to_the_bit(void **unused)
{
    enum { PAIRS = 20000 };
    const real less = (real)ldexp(1, -26);
    mpm_case c = {.random = 8};
    int differ = 0, acted = 0;
    (void)unused;
    for (int i = 0; i < PAIRS; i++) {
        contact_pair p, small, p_bar, small_bar;
        contact_place at = {.mu = (real)(0.5 + 0.5 * case_random(&c)), .regularisation = (real)0.07}, near;
        contact_place bar[2] = {{0}};
        random_pair(&c, &p, &p_bar);
        at.filling = (real)(0.8 + 0.4 * case_random(&c));
        for (int a = 0; a < D; a++) at.free_component[a] = 1;
        near = at;
        near.regularisation *= less;
        small = p;
        small_bar = p_bar;
        for (int s = 0; s < 2; s++) small.v[s] = vec_scale(less, p.v[s]);
        if (i % 4 == 0) small.v[1] = small.v[0], p.v[1] = p.v[0]; /* at rest on each other */
        contact_pair_adj(&p, &at, &p_bar, &bar[0]);
        contact_pair_adj(&small, &near, &small_bar, &bar[1]);
        contact_pair_act(&p, &at);
        contact_pair_act(&small, &near);
        acted += fabs((double)bar[0].filling) > 0;
        int same = bar[1].mu == less * bar[0].mu && bar[1].filling == less * bar[0].filling;
        same &= bar[1].regularisation == bar[0].regularisation;
        for (int s = 0; s < 2; s++)
            for (int a = 0; a < D; a++)
                same &= small.v[s].x[a] == less * p.v[s].x[a] && small_bar.v[s].x[a] == p_bar.v[s].x[a] &&
                        small_bar.G[s].x[a] == less * p_bar.G[s].x[a];
        differ += !same;
    }
    print_message("  %d pairs (%d touch) regularised by %.3g m/s, %d differ from 0.07 m/s (threshold 0)\n", PAIRS,
                  acted, (double)(less * (real)0.07), differ);
    assert_true(acted > PAIRS / 10);
    assert_int_equal(differ, 0);
}

/* ---- an incline ---------------------------------------------------------------------------------------------- */

static const double tilt = 0.52359877559829887, g0 = 9.81; /* 30 degrees */

/* A block on a slab that sticks to the floor; gravity is tilted. Ends after T = steps h; J is how far the block has
 * come along x since step `from`. `across`: particles of a cell. */
static void incline(mpm_case *c, int across, double friction, double speed, int64_t from, int64_t steps)
{
    const double dx = 0.1, dt = 2e-3, lo[2][3] = {{0.3, 0.3, 0.3}, {0.5, 0.6, 0.3}},
                 hi[2][3] = {{4.2, 0.6, 0.5}, {0.9, 0.8, 0.5}};
    case_init(c, 47, 13, 9, dx, dt, steps);
    case_wall(c, 1, 0, PIO_WALL_STICKY, 3);
    case_wall(c, 2, 0, PIO_WALL_SLIP, 3);
    case_wall(c, 2, 1, PIO_WALL_SLIP, 5);
    c->desc.gravity[0] = g0 * sin(tilt);
    c->desc.gravity[1] = -g0 * cos(tilt);
    case_body b = {.law = PIO_HYPER_NEO_HOOKEAN, .parameters = {4e5, 0.3}, .density = 1000};
    const int slab = case_block(c, &b, lo[0], hi[0], across, 0);
    b.velocity[0] = speed;
    const int block = case_block(c, &b, lo[1], hi[1], across, 0);
    case_field(c, slab, 0);
    case_field(c, block, 1);
    c->desc.friction = friction;
    c->desc.regularisation_velocity = 0.01;
    const int o = case_observe(c, PIO_MEAN_POSITION, block, 2);
    case_sample(c, o, from, 0, 1);
    case_sample(c, o, steps, 1, 1);
    memset(c->linear, 0, sizeof c->linear);
    memset(c->square, 0, sizeof c->square);
    c->linear[0] = -1;
    c->linear[D] = 1;
}

/* s = v t + g (sin - mu cos) t^2/2. From rest, block and slab vibrate against each other, and friction holds the block
 * now and then while it is slow; so it begins with 1 m/s. */
static void a_block_slides_down_an_incline_as_Coulomb_says(void **unused)
{
    static const double frictions[] = {0, 0.2};
    (void)unused;
    for (int i = 0; i < 2; i++) {
        const int64_t steps = i ? 500 : 400;
        mpm_case c;
        double z = 0, slope = 0;
        incline(&c, 2, frictions[i], 1, 0, steps);
        case_design(&c, PIO_FRICTION, -1, CASE_SCALAR, 0, frictions[i], 1);
        const double T = (double)steps * c.desc.dt, exact = T + g0 / 2 * T * T * (sin(tilt) - frictions[i] * cos(tilt));
        pio_sim *sim = case_create(&c, steps, 1);
        const double s = case_gradient(&c, sim, NULL, &z, &slope), exact_slope = -g0 / 2 * T * T * cos(tilt);
        print_message("  friction %g: %.5f m in %g s, exact %.5f; d/d mu %.5f, exact %.9g\n", frictions[i], s, T, exact,
                      slope, exact_slope);
        case_below("way / exact - 1", s / exact - 1, 0.01, 0.01);
        if (i > 0) case_below("d way/d friction / exact - 1", slope / exact_slope - 1, 0.01, 0.01);
        piola_engine.destroy(sim);
        case_free(&c);
    }
}

/* tan 30 degrees is 0.577. Friction that is smooth holds nothing at rest: the block creeps while it vibrates. */
static void a_block_stays_where_friction_is_above_the_slope(void **unused)
{
    mpm_case c;
    double z = 0;
    (void)unused;
    incline(&c, 2, 0.8, 0, 400, 500);
    pio_sim *sim = case_create(&c, 0, 1);
    const double s = case_forward(&c, sim, &z);
    case_below("way from 0.8 s to 1 s / that without friction", s / (g0 / 2 * sin(tilt) * (1 - 0.64)), 0.02, 0.02);
    piola_engine.destroy(sim);
    case_free(&c);
}

/* ---- meeting and parting ------------------------------------------------------------------------------------- */

/* Two blocks side by side with a slanted place to each other; relative velocity along x: meeting (+) or parting (-).
 * The second is of light and heavy particles: how full a node is does not depend on what a field weighs. */
static void two_blocks(mpm_case *c, double meeting, int64_t steps)
{
    const double lo[2][3] = {{0.5, 0.5, 0.4}, {0.8, 0.55, 0.4}}, hi[2][3] = {{0.8, 0.8, 0.6}, {1.1, 0.85, 0.6}};
    case_init(c, 18, 14, 12, 0.1, 1e-3, steps);
    case_body b = {
        .law = PIO_HYPER_NEO_HOOKEAN, .parameters = {2e4, 0.3}, .density = 1000, .velocity = {meeting, 0.1, 0.05}};
    const int one = case_block(c, &b, lo[0], hi[0], 2, 0.1);
    b.velocity[0] = -meeting;
    b.density = 1500;
    const int two = case_block(c, &b, lo[1], hi[1], 2, 0.1);
    for (int64_t i = 0; i < c->n; i++)
        if (c->body[i] == two) c->density[i] *= i % 3 ? 0.4 : 3;
    case_field(c, one, 0);
    case_field(c, two, 1);
    c->desc.friction = 0.4;
    c->desc.regularisation_velocity = 0.01;
}

/* Momentum in p, angular momentum with the affine part in p[D], sum m |v| in p[D + 1]. */
static void momenta(const mpm_case *c, pio_sim *sim, int body, double p[D + 2])
{
    const double dx = c->desc.grid.spacing;
    double *x = case_read(sim, "position", c->n), *v = case_read(sim, "velocity", c->n);
    double *m = case_read(sim, "mass", c->n), *C = case_read(sim, "C", c->n);
    memset(p, 0, sizeof(double) * (D + 2));
    for (int64_t i = 0; i < c->n; i++) {
        if (body >= 0 && c->body[i] != body) continue;
        for (int a = 0; a < D; a++) p[a] += m[i] * v[i * D + a];
        p[D] += m[i] * (x[i * D] * v[i * D + 1] - x[i * D + 1] * v[i * D] +
                        dx * dx / 4 * (C[i * D * D + D] - C[i * D * D + 1]));
        p[D + 1] += m[i] * hypot(v[i * D], v[i * D + 1]);
    }
    free(x), free(v), free(m), free(C);
}

static void run(mpm_case *c, pio_sim *sim, int body, double before[D + 2], double after[D + 2])
{
    piola_error error;
    if (piola_engine.start(sim, NULL, &error)) fail_msg("start: %s", error.message);
    momenta(c, sim, body, before);
    if (piola_engine.advance(sim, c->desc.steps, &error)) fail_msg("advance: %s", error.message);
    if (piola_engine.check(sim, &error)) fail_msg("check: %s", error.message);
    momenta(c, sim, body, after);
}

static void a_collision_keeps_momentum_and_angular_momentum(void **unused)
{
    mpm_case c;
    double p[2][D + 2], worst = 0, one[2][D + 2];
    (void)unused;
    two_blocks(&c, 0.5, 200);
    pio_sim *sim = case_create(&c, 0, 1);
    run(&c, sim, 0, one[0], one[1]);
    run(&c, sim, -1, p[0], p[1]);
    for (int a = 0; a < D; a++) worst = fmax(worst, fabs(p[1][a] - p[0][a]) / p[0][D + 1]);
    print_message("  block one: momentum %.4g before, %.4g after\n", one[0][0], one[1][0]);
    assert_true(one[1][0] < 0.2 * one[0][0]); /* they did meet */
    case_below("change of momentum / sum m |v|", worst, 1e-13, 1e-5);
    case_below("change of angular momentum / sum m |v|, per metre", (p[1][D] - p[0][D]) / p[0][D + 1], 1e-13, 1e-5);
    piola_engine.destroy(sim);
    case_free(&c);
}

/* Blocks that touch fly apart as if the other were not there; in one field they would tear at each other. */
static void blocks_that_part_feel_nothing_of_each_other(void **unused)
{
    double change[2];
    (void)unused;
    for (int fields = 1; fields <= 2; fields++) {
        mpm_case c;
        double p[2][D + 2];
        two_blocks(&c, -0.5, 100);
        if (fields == 1) c.desc.particles.fields = 1;
        pio_sim *sim = case_create(&c, 0, 1);
        run(&c, sim, 0, p[0], p[1]);
        change[fields - 1] = fabs(p[1][0] - p[0][0]) / p[0][D + 1];
        piola_engine.destroy(sim);
        case_free(&c);
    }
    case_below("change of a block's momentum, two fields", change[1], 1e-13, 1e-5);
    print_message("  in one field: %.3g\n", change[0]);
    assert_true(change[0] > 1e-2);
}

/* Bodies that share no node: the grids behind one another, their walls and their nodes' sums, are those of one grid to
 * the bit. */
static void fields_of_bodies_far_apart_change_no_bit(void **unused)
{
    uint64_t hash[2], adjoint[2];
    (void)unused;
    for (int fields = 1; fields <= 2; fields++) {
        mpm_case c;
        static double z[CASE_VARIABLES], z_bar[CASE_VARIABLES];
        const double lo[2][3] = {{0.25, 0.25, 0.3}, {1.25, 0.22, 0.3}}, hi[2][3] = {{0.55, 0.5, 0.5}, {1.55, 0.5, 0.5}};
        case_init(&c, 20, 12, 10, 0.1, 2e-3, 60);
        case_wall(&c, 0, 0, PIO_WALL_SLIP, 2);
        case_wall(&c, 0, 1, PIO_WALL_STICKY, 16);
        case_wall(&c, 1, 0, PIO_WALL_SLIP, 2);
        case_wall(&c, 2, 0, PIO_WALL_SEPARATE, 2);
        c.desc.gravity[1] = -9.81;
        const case_body one = {
            .law = PIO_HYPER_HENCKY, .parameters = {2e4, 0.3}, .density = 1000, .velocity = {-1, -0.5, -0.5}};
        const case_body two = {.law = PIO_TAIT, .parameters = {2e4, 7, 5}, .density = 1000, .velocity = {0.6, 0, -0.5}};
        case_block(&c, &one, lo[0], hi[0], 2, 0.2);
        case_block(&c, &two, lo[1], hi[1], 2, 0.2);
        case_field(&c, 0, 0);
        case_field(&c, 1, fields - 1);
        c.desc.friction = 0.3;
        c.desc.regularisation_velocity = 0.1;
        const int o = case_observe(&c, PIO_KINETIC_ENERGY, 0, 1);
        case_sample(&c, o, 60, 0, 1);
        memset(c.square, 0, sizeof c.square);
        case_design(&c, PIO_POSITION, 0, CASE_EACH, 0, 0, 0.1);
        pio_sim *sim = case_create(&c, 60, 1);
        case_gradient(&c, sim, NULL, z, z_bar);
        adjoint[fields - 1] = case_hash_gradients(sim, c.n);
        case_forward(&c, sim, z);
        hash[fields - 1] = case_hash_state(sim, c.n);
        piola_engine.destroy(sim);
        case_free(&c);
    }
    print_message("  hashes of states %016llx, %016llx, of gradients %016llx, %016llx\n", (unsigned long long)hash[0],
                  (unsigned long long)hash[1], (unsigned long long)adjoint[0], (unsigned long long)adjoint[1]);
    assert_true(hash[0] == hash[1] && adjoint[0] == adjoint[1]);
}

/* ---- derivatives ------------------------------------------------------------------------------------------- */

static void corner(mpm_case *c, int number)
{
    static const case_body bodies[3] = {
        {.law = PIO_HYPER_NEO_HOOKEAN, .parameters = {2e4, 0.3}, .density = 1000},
        {.law = PIO_HYPER_HENCKY, .parameter_form = 1, .parameters = {8e3, 1.2e4}, .density = 1300, .viscosity = 20},
        {.law = PIO_TAIT, .parameters = {2e4, 7, 20}, .density = 1300}};
    const case_body both[2] = {bodies[0], bodies[1 + number]};
    mpm_corner(c, number, both, 40, number, 2);
    mpm_observe_everything(c, 0.35);
    case_field(c, 0, 0);
    case_field(c, 1, 1);
    c->desc.friction = 0.4;
    c->desc.regularisation_velocity = 0.1;
    c->desc.flip = number ? 0.5 : 0;
}

static void design(mpm_case *c, case_per per)
{
    case_design(c, PIO_FRICTION, -1, CASE_SCALAR, 0, 0.4, 0.2);
    case_design(c, PIO_VELOCITY, -1, per, 0, 0, 1);
    case_design(c, PIO_POSITION, -1, per, 0, 0, 0.1);
    case_design(c, PIO_LAW_PARAMETER_0, 0, CASE_SCALAR, 1, log(2e4), 0.3);
    case_design(c, PIO_GRAVITY, -1, CASE_SCALAR, 0, -2, 10);
    case_design(c, PIO_DENSITY, -1, per, 1, log(1000), 0.3);
}

static void adjoint_is_the_derivative_with_contact(void **unused)
{
    (void)unused;
    for (int number = 0; number < 2; number++) {
        static mpm_taylor t;
        static mpm_case c;
        corner(&c, number);
        design(&c, CASE_EACH);
        mpm_taylor_begin(&t, &c, 0.1);
        print_message("  d J/d friction = %.4g of J\n", t.z_bar[0] / 0.2 / t.J0);
        assert_true(fabs(t.z_bar[0]) > 1e-6 * fabs(t.J0));
        mpm_taylor_all(&t);
        mpm_taylor_end(&t, number ? "a solid and a fluid, with FLIP" : "two solids");
        case_free(&c);
    }
}

static void wrong_gradients_of_contact_are_refused(void **unused)
{
    static mpm_taylor t;
    static mpm_case c;
    static double h[CASE_VARIABLES];
    (void)unused;
    corner(&c, 0);
    design(&c, CASE_EACH);
    mpm_taylor_begin(&t, &c, 0.1);
    t.quiet = 1;
    mpm_taylor_single(h, 0);
    t.z_bar[0] *= 1.0001;
    assert_int_equal(mpm_taylor_direction(&t, "friction scaled by 1.0001", h), PIO_TAYLOR_FAILED);
    t.z_bar[0] *= -1;
    assert_int_equal(mpm_taylor_direction(&t, "friction flipped", h), PIO_TAYLOR_FAILED);
    const int first = case_design_first(&c, 2), n = case_design_count(&c, 2);
    for (int i = 0; i < n; i++) t.z_bar[first + i] *= 1.0001;
    mpm_taylor_gradient(&t, h, first, n);
    assert_int_equal(mpm_taylor_direction(&t, "places scaled by 1.0001", h), PIO_TAYLOR_FAILED);
    print_message("  3 wrong gradients: %d refused, %d undecided, %d passed\n", t.failed, t.undecided, t.passed);
    assert_int_equal(t.passed, 0);
    piola_engine.destroy(t.sim);
    case_free(&c);
}

/* Whole states, compact ones, and three threads. */
static void gradients_have_the_same_bits_for_every_schedule_and_number_of_threads(void **unused)
{
    uint64_t hash[3];
    (void)unused;
    for (int i = 0; i < 3; i++) {
        static mpm_case c;
        static double z[CASE_VARIABLES], z_bar[CASE_VARIABLES];
        incline(&c, D == 3 ? 3 : 8, 0.2, 1, 0, 40);
        assert_true(c.n > 4096); /* below, maps over particles have one thread */
        design(&c, CASE_GROUPS);
        c.desc.slot_nodes = i ? 47 * 9 * (D == 3 ? 5 : 1) : 0;
        pio_schedule few = pio_schedule_checkpoint(40, 4, 0, 1);
        pio_sim *sim = case_create(&c, 40, i == 2 ? 3 : 1);
        case_gradient(&c, sim, i ? &few : NULL, z, z_bar);
        hash[i] = case_hash(case_hash_gradients(sim, c.n), z_bar, sizeof *z_bar * (size_t)c.variables);
        assert_true((mpm_of(sim)->slots.node_room > 0) == (i > 0));
        pio_schedule_end(&few);
        piola_engine.destroy(sim);
        case_free(&c);
    }
    print_message("  gradients' hashes %016llx, %016llx, %016llx\n", (unsigned long long)hash[0],
                  (unsigned long long)hash[1], (unsigned long long)hash[2]);
    assert_true(hash[0] == hash[1] && hash[1] == hash[2]);
}

/* ---- what is refused ---------------------------------------------------------------------------------------- */

static void refused(mpm_case *c, const char *words)
{
    pio_engine_bytes bytes;
    piola_error error = {0};
    assert_int_equal(piola_engine.measure(&c->desc, &bytes, &error), PIOLA_BAD_DATA);
    print_message("  %s\n", error.message);
    assert_non_null(strstr(error.message, words));
}

static void fields_that_cannot_be_are_refused_by_name(void **unused)
{
    mpm_case c;
    (void)unused;
    two_blocks(&c, 0.5, 1);
    pio_sim *sim = case_create(&c, 0, 1); /* completes the description */
    piola_engine.destroy(sim);
    pio_engine_desc *d = &c.desc;
    d->particles.fields = CONTACT_FIELDS + 1;
    refused(&c, "from 1 to 4 are possible");
    d->particles.fields = 3;
    refused(&c, "no particle is in velocity field 2");
    d->particles.fields = 2;
    c.field[5] = 7;
    refused(&c, "particle 5: velocity field 7 is none of the 2");
    c.field[5] = 0;
    d->friction = -0.1;
    refused(&c, "friction of -0.1");
    d->friction = 0.3;
    d->regularisation_velocity = 0;
    refused(&c, "contact sets in at 0 m/s");
    d->regularisation_velocity = 0.1;
    d->reversible = 1;
    refused(&c, "the reversible integrator has one field");
    d->reversible = 0;
    const pio_grid_desc grid = d->grid;
    for (int a = 0; a < D; a++) d->grid.nodes[a] = D == 3 ? 900 : 27000; /* fits an int, but not with one grid beyond */
    refused(&c, "a grid of 1458000000 nodes is too large");
    d->grid = grid;
    d->particles.fields = 1;
    case_design(&c, PIO_FRICTION, -1, CASE_SCALAR, 0, 0.3, 1);
    refused(&c, "one velocity field has no friction");
    case_free(&c);
}

int main(void)
{
    const struct CMUnitTest physics[] = {
        cmocka_unit_test(contact_of_a_pair_keeps_momentum_and_takes_energy),
        cmocka_unit_test(the_normal_turns_slowly_where_both_gradients_point_one_way),
        cmocka_unit_test(contact_at_the_least_regularisation_is_contact_at_a_large_one_to_the_bit),
        cmocka_unit_test(fields_of_bodies_far_apart_change_no_bit),
        cmocka_unit_test(a_collision_keeps_momentum_and_angular_momentum),
        cmocka_unit_test(blocks_that_part_feel_nothing_of_each_other),
        cmocka_unit_test(a_block_slides_down_an_incline_as_Coulomb_says),
        cmocka_unit_test(a_block_stays_where_friction_is_above_the_slope),
        cmocka_unit_test(gradients_have_the_same_bits_for_every_schedule_and_number_of_threads),
        cmocka_unit_test(fields_that_cannot_be_are_refused_by_name),
    };
    const struct CMUnitTest taylor[] = {
        cmocka_unit_test(adjoint_is_the_derivative_with_contact),
        cmocka_unit_test(wrong_gradients_of_contact_are_refused),
    };
    const int failed = cmocka_run_group_tests(physics, NULL, NULL);
    return case_is_f32() ? failed : failed + cmocka_run_group_tests(taylor, NULL, NULL);
}
