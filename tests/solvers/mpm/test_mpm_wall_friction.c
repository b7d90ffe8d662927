/* test_mpm_wall_friction.c -- do walls of the grid rub as Coulomb's law says, do those that stick while pressed let go,
 * and has all of it the derivatives of what it does?
 *
 * By a block on a wall that gravity tilts, and by Taylor remainders of bodies thrown into rough corners. */
#include "tests/solvers/mpm/mpm_taylor.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { D = CASE_DIM, STEPS = 800, NODES = 18 };
static const double g = 9.81, slope = 0.52359877559829887 /* 30 degrees */, dx = 0.1, dt = 1e-3, e = 1e-3;

/* ---- a block on a slope ------------------------------------------------------------------------------------------ */

typedef struct {
    pio_wall kind;
    int axis, side; /* of the wall; the block slides along the axis after it */
    double friction;
    double leaves; /* this factor of gravity across the wall: 1 presses, -1 takes the block off */
    double speed;  /* along the wall at the start, m/s: what slides from the start on never sticks */
} sliding;

/* J = the block's mean velocity at the end, component by component; design 0: the friction, if the wall can have it. */
static void block_on_wall(mpm_case *c, const sliding *s)
{
    const int across = s->axis, along = (s->axis + 1) % D, n = D == 2 ? 30 : NODES;
    int nodes[3] = {n, n, n};
    double lo[3], hi[3];
    nodes[along] = nodes[across] = 50;
    case_init(c, nodes[0], nodes[1], nodes[2], dx, dt, STEPS);
    const int face = s->side ? nodes[across] - 3 : 2;
    for (int a = 0; a < 3; a++) lo[a] = (a == along ? 4 : 6) * dx, hi[a] = lo[a] + (a == along ? 5 : 4) * dx;
    lo[across] = s->side ? (face - 3) * dx : face * dx;
    hi[across] = lo[across] + 3 * dx;
    case_wall(c, across, s->side, s->kind, face);
    c->desc.grid.wall_friction[across][s->side] = s->friction;
    c->desc.grid.wall_friction_velocity = e;
    c->desc.gravity[along] = g * sin(slope);
    c->desc.gravity[across] = (s->side ? 1 : -1) * g * cos(slope) * s->leaves;
    case_body b = {.law = PIO_HYPER_NEO_HOOKEAN, .parameters = {1e5, 0.3, 0}, .density = 1000, .viscosity = 800};
    b.velocity[along] = s->speed;
    case_block(c, &b, lo, hi, 2, 0);
    const int v = case_observe(c, PIO_MEAN_VELOCITY, 0, 1);
    case_sample(c, v, STEPS, 0, 1);
    memset(c->linear, 0, sizeof c->linear);
    memset(c->square, 0, sizeof c->square);
    c->linear[along] = 1;
}

/* Returns the mean velocity at the end along the wall, and sets that out of it. */
static double velocity(const sliding *s, double *out)
{
    static mpm_case c;
    block_on_wall(&c, s);
    pio_sim *sim = case_create(&c, 0, 1);
    const double v = case_forward(&c, sim, NULL);
    c.linear[(s->axis + 1) % D] = 0;
    c.linear[s->axis] = s->side ? -1 : 1;
    *out = case_forward(&c, sim, NULL);
    piola_engine.destroy(sim);
    case_free(&c);
    return v;
}

static const sliding walls[] = {{PIO_WALL_SLIP, 1, 0, 0.2, 1, 1},
                                {PIO_WALL_SEPARATE, 1, 0, 0.2, 1, 1},
                                {PIO_WALL_SLIP, 0, 1, 0.4, 1, 1},
                                {PIO_WALL_SEPARATE, D - 1, 1, 0.4, 1, 1}};
enum { WALLS = 4 };

static void a_block_slides_down_with_g_sin_less_mu_cos(void **unused)
{
    const double T = STEPS * dt;
    double worst = 0, out;
    (void)unused;
    for (int i = 0; i < WALLS; i++) {
        const double right = g * (sin(slope) - walls[i].friction * cos(slope)),
                     v = (velocity(&walls[i], &out) - walls[i].speed) / T;
        print_message("  wall %d: acceleration %.5f, g (sin - mu cos) = %.5f m/s2; out of the wall %.2g m/s\n", i, v,
                      right, out);
        worst = fmax(worst, fabs(v / right - 1));
    }
    case_below("its acceleration, relative", worst, 5e-3, 5e-3);
    sliding smooth = walls[0];
    smooth.friction = 0;
    const double free = (velocity(&smooth, &out) - smooth.speed) / T;
    print_message("  without friction %.5f, g sin = %.5f\n", free, g * sin(slope));
    assert_true(fabs(free / (g * sin(slope)) - 1) < 1e-4); /* the control: 30 to 70 % more */
}

/* Where it holds, the velocity w with mu w/sqrt(w^2 + e^2) = tan is left. */
static void a_block_rests_where_friction_exceeds_the_slope(void **unused)
{
    const double ratio = tan(slope) / 0.8, creep = e * ratio / sqrt(1 - ratio * ratio);
    double worst = 0, out;
    (void)unused;
    for (int i = 0; i < WALLS; i++) {
        sliding s = walls[i];
        s.friction = 0.8;
        s.speed = 0;
        const double v = velocity(&s, &out);
        print_message("  wall %d, friction 0.8: creeps at %.4g mm/s, by the regularisation %.4g mm/s\n", i, 1e3 * v,
                      1e3 * creep);
        worst = fmax(worst, fabs(v));
    }
    case_below("velocity of a block at rest, of e", worst / e, 2, 2);
}

static void a_wall_that_sticks_while_pressed_holds_and_lets_go(void **unused)
{
    const double T = STEPS * dt;
    double out;
    (void)unused;
    sliding s = {PIO_WALL_STICKY_SEPARATE, 1, 0, 0, 1, 0};
    const double held = velocity(&s, &out);
    print_message("  pressed: %.4g mm/s along the wall, e tan = %.4g mm/s\n", 1e3 * held, 1e3 * e * tan(slope));
    assert_true(fabs(held) < 2 * e * tan(slope));
    s.leaves = -1;
    const double gone = velocity(&s, &out);
    print_message("  taken off: %.6f m/s along, %.6f out; g T sin = %.6f, g T cos = %.6f\n", gone, out,
                  g * T * sin(slope), g * T * cos(slope));
    case_below("velocity along the wall against that of free fall, relative", gone / (g * T * sin(slope)) - 1, 1e-9,
               1e-4);
    case_below("velocity out of it, relative", out / (g * T * cos(slope)) - 1, 1e-9, 1e-4);
    s.kind = PIO_WALL_STICKY; /* the control, which holds it */
    assert_true(velocity(&s, &out) < 0.5 * gone);
}

static void the_velocity_falls_by_g_cos_for_each_friction(void **unused)
{
    const double T = STEPS * dt;
    double worst = 0;
    (void)unused;
    for (int i = 0; i < WALLS; i++) {
        static mpm_case c;
        double z[1] = {0}, z_bar[1];
        block_on_wall(&c, &walls[i]);
        c.design[case_design(&c, PIO_WALL_FRICTION, -1, CASE_SCALAR, 0, walls[i].friction, 1)].which =
            2 * walls[i].axis + walls[i].side;
        pio_sim *sim = case_create(&c, STEPS, 1);
        case_gradient(&c, sim, NULL, z, z_bar);
        print_message("  wall %d: dv/dmu = %.5f m/s, -g T cos = %.5f m/s\n", i, z_bar[0], -g * T * cos(slope));
        worst = fmax(worst, fabs(z_bar[0] / (-g * T * cos(slope)) - 1));
        piola_engine.destroy(sim);
        case_free(&c);
    }
    case_below("dv/dmu against -g T cos, relative", worst, 1e-2, 1e-2);
}

/* ---- kinks and refusals ------------------------------------------------------------------------------------------ */

static void a_resting_block_is_near_kinks_and_a_falling_one_is_not(void **unused)
{
    int64_t near[2];
    (void)unused;
    for (int falls = 0; falls < 2; falls++) {
        static mpm_case c;
        double z[1] = {0}, z_bar[1];
        pio_kinks kinks;
        const sliding s = {PIO_WALL_SLIP, 1, 0, 0.8, 1, 0};
        block_on_wall(&c, &s);
        c.desc.steps = c.sample_weight[0].step = 60;
        if (falls) case_wall(&c, 1, 0, PIO_WALL_SLIP, -1);
        if (falls) c.desc.gravity[1] = 0;
        c.design[case_design(&c, PIO_WALL_FRICTION, -1, CASE_SCALAR, 0, 0.8, 1)].which = 2;
        pio_sim *sim = case_create(&c, 60, 1);
        case_gradient(&c, sim, NULL, z, z_bar);
        near[falls] = case_kinks(sim, "friction with a wall", &kinks);
        piola_engine.destroy(sim);
        case_free(&c);
    }
    print_message("  %d nodes times steps near a kink at rest, %d in free fall\n", (int)near[0], (int)near[1]);
    assert_true(near[0] > 0 && near[1] == 0);
}

static void refused(mpm_case *c, const char *words)
{
    piola_error error = {0};
    pio_engine_bytes bytes;
    case_describe(c);
    assert_int_equal(piola_engine.measure(&c->desc, &bytes, &error), PIOLA_BAD_DATA);
    print_message("  %s\n", error.message);
    assert_non_null(strstr(error.message, words));
    case_free(c);
}

static void what_cannot_be_is_refused(void **unused)
{
    static mpm_case c;
    static const sliding s = {PIO_WALL_SLIP, 1, 0, 0.2, 1, 1};
    (void)unused;
    block_on_wall(&c, &s);
    c.desc.grid.wall_friction[1][0] = -0.1;
    refused(&c, "friction of -0.1");
    block_on_wall(&c, &s);
    case_wall(&c, 1, 0, PIO_WALL_STICKY, 2);
    refused(&c, "neither slips nor separates");
    block_on_wall(&c, &s);
    c.desc.grid.wall_friction_velocity = 0;
    refused(&c, "sets in at 0 m/s");
    block_on_wall(&c, &s);
    c.desc.reversible = 1;
    refused(&c, "reversible");
    block_on_wall(&c, &s);
    case_wall(&c, 1, 0, PIO_WALL_STICKY_SEPARATE, 2);
    c.desc.grid.wall_friction[1][0] = 0;
    c.design[case_design(&c, PIO_WALL_FRICTION, -1, CASE_SCALAR, 0, 0.2, 1)].which = 2;
    refused(&c, "design 0");
}

/* ---- Taylor ------------------------------------------------------------------------------------------------------ */

/* Two bodies thrown into a corner whose walls rub: slip and separating ones, or (number 2) some that stick while
 * pressed. */
static void corner(mpm_case *c, int number)
{
    static const pio_wall kinds[3][3] = {{PIO_WALL_SLIP, PIO_WALL_SEPARATE, PIO_WALL_SLIP},
                                         {PIO_WALL_SEPARATE, PIO_WALL_SLIP, PIO_WALL_SEPARATE},
                                         {PIO_WALL_STICKY_SEPARATE, PIO_WALL_SLIP, PIO_WALL_STICKY_SEPARATE}};
    static const case_body bodies[2] = {{.law = PIO_HYPER_NEO_HOOKEAN, .parameters = {2e4, 0.3}, .density = 1000},
                                        {.law = PIO_TAIT, .parameters = {2e4, 7, 20}, .density = 1300}};
    const int upper = number == 1;
    mpm_corner(c, number, bodies, 40, upper, 2);
    for (int a = 0; a < D; a++) {
        case_wall(c, a, upper, kinds[number][a], c->desc.grid.face[a][upper]);
        c->desc.grid.wall_friction[a][upper] = kinds[number][a] == PIO_WALL_STICKY_SEPARATE ? 0 : 0.3;
    }
    c->desc.grid.wall_friction_velocity = 0.2;
    mpm_observe_everything(c, 0.35);
    mpm_design_motion(c);
    case_design(c, PIO_DENSITY, -1, CASE_GROUPS, 1, log(1000), 0.3);
    for (int a = 0; a < D; a++)
        if (kinds[number][a] != PIO_WALL_STICKY_SEPARATE)
            c->design[case_design(c, PIO_WALL_FRICTION, -1, CASE_SCALAR, 0, 0.4, 0.2)].which = 2 * a + upper;
}

static void the_adjoint_is_the_derivative_in_rough_corners(void **unused)
{
    (void)unused;
    for (int number = 0; number < 3; number++) {
        static mpm_taylor t;
        static mpm_case c;
        char what[64];
        corner(&c, number);
        mpm_taylor_begin(&t, &c, 0.3);
        snprintf(what, sizeof what, "corner %d", number);
        mpm_taylor_all(&t);
        mpm_taylor_end(&t, what);
        case_free(&c);
    }
}

static void a_friction_of_the_wrong_wall_is_refused(void **unused)
{
    static mpm_taylor t;
    static mpm_case c;
    static double h[CASE_VARIABLES];
    (void)unused;
    corner(&c, 0);
    mpm_taylor_begin(&t, &c, 0.3);
    t.quiet = 1;
    const int mu = case_design_first(&c, c.desc.n_designs - D);
    mpm_taylor_single(h, mu);
    assert_int_equal(mpm_taylor_direction(&t, "as it is", h), PIO_TAYLOR_PASSED);
    t.z_bar[mu] = t.z_bar[mu + 1];
    assert_int_equal(mpm_taylor_direction(&t, "the other wall's", h), PIO_TAYLOR_FAILED);
    piola_engine.destroy(t.sim);
    case_free(&c);
}

int main(void)
{
    const struct CMUnitTest physics[] = {
        cmocka_unit_test(a_block_slides_down_with_g_sin_less_mu_cos),
        cmocka_unit_test(a_block_rests_where_friction_exceeds_the_slope),
        cmocka_unit_test(a_wall_that_sticks_while_pressed_holds_and_lets_go),
        cmocka_unit_test(the_velocity_falls_by_g_cos_for_each_friction),
        cmocka_unit_test(a_resting_block_is_near_kinks_and_a_falling_one_is_not),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    const struct CMUnitTest taylor[] = {
        cmocka_unit_test(the_adjoint_is_the_derivative_in_rough_corners),
        cmocka_unit_test(a_friction_of_the_wrong_wall_is_refused),
    };
    const int failed = cmocka_run_group_tests(physics, NULL, NULL);
    return case_is_f32() ? failed : failed + cmocka_run_group_tests(taylor, NULL, NULL);
}
