/* mpm_taylor.c -- see mpm_taylor.h. */
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

void mpm_corner(mpm_case *c, int number, const case_body bodies[2], int64_t steps, int upper, int kinds)
{
    const int nodes[3] = {11, 11, 9};
    const double dx = 0.1;
    case_init(c, nodes[0], nodes[1], nodes[2], dx, 2e-3, steps);
    c->random = 7 + (uint64_t)number;
    for (int a = 0; a < D; a++) case_wall(c, a, upper, (pio_wall)((number + a) % kinds), upper ? nodes[a] - 3 : 2);
    c->desc.gravity[1] = upper ? 9.81 : -9.81;
    case_body one = bodies[0], two = bodies[1];
    const double v1[3] = {-1.4, -0.9, -0.6}, v2[3] = {-0.5, -2.2, -0.4};
    double lo[2][3] = {{0.27, 0.26, 0.26}, {0.3, 0.6, 0.3}}, hi[2][3] = {{0.57, 0.56, 0.36}, {0.5, 0.8, 0.4}};
    for (int a = 0; a < 3; a++) {
        one.velocity[a] = upper ? -v1[a] : v1[a];
        two.velocity[a] = upper ? -v2[a] : v2[a];
        for (int b = 0; b < 2 && upper; b++) {
            const double low = lo[b][a];
            lo[b][a] = dx * (nodes[a] - 1) - hi[b][a];
            hi[b][a] = dx * (nodes[a] - 1) - low;
        }
        memcpy(two.centre, lo[1], sizeof lo[1]);
    }
    two.spin[0][1] = 1.1;
    two.spin[1][0] = -1.4;
    case_block(c, &one, lo[0], hi[0], 2, 0.3);
    case_block(c, &two, lo[1], hi[1], 2, 0.3);
}

void mpm_observe_everything(mpm_case *c, double past)
{
    const int64_t N = c->desc.steps;
    const int position = case_observe(c, PIO_MEAN_POSITION, 0, 2), velocity = case_observe(c, PIO_MEAN_VELOCITY, 1, 1);
    const int energy = case_observe(c, PIO_KINETIC_ENERGY, 1, 2), distance = case_observe_distance(c, 0, 2, 0.1);
    const int front = case_observe(c, PIO_FRONT, 0, 1);
    c->observation[front].axis = D - 1;
    c->observation[front].sharpness = 15;
    case_sample(c, position, N, 0, 1);
    case_sample(c, position, N / 2, 1, 1);
    for (int64_t s = N / 3; s <= N; s++) case_sample(c, velocity, s, 0, 1 / (double)(N - N / 3 + 1));
    for (int64_t s = 0; s <= N / 2; s++) case_sample(c, energy, s, 0, 0.1 / (double)(N / 2 + 1));
    case_sample(c, energy, N, 1, 0.1);
    case_sample(c, distance, N / 2, 0, 1);
    case_sample(c, distance, N, 1, 1)->past = past;
    case_sample(c, front, N, 0, 1);
}

void mpm_design_motion(mpm_case *c)
{
    const double dx = c->desc.grid.spacing;
    case_design(c, PIO_VELOCITY, 0, CASE_SCALAR, 0, 0, 1);
    case_design(c, PIO_POSITION, 0, CASE_SCALAR, 0, 0, dx);
    case_design(c, PIO_VELOCITY, 1, CASE_EACH, 0, 0, 1);
    case_design(c, PIO_POSITION, 1, CASE_EACH, 0, 0, dx);
    case_design(c, PIO_GRAVITY, -1, CASE_SCALAR, 0, -2, 10);
}

static const char *const quantities[] = {[PIO_POSITION] = "position",
                                         [PIO_VELOCITY] = "velocity",
                                         [PIO_LAW_PARAMETER_0] = "law parameter 0",
                                         [PIO_LAW_PARAMETER_1] = "law parameter 1",
                                         [PIO_LAW_PARAMETER_2] = "law parameter 2",
                                         [PIO_LAW_PARAMETER_3] = "law parameter 3",
                                         [PIO_LAW_PARAMETER_4] = "law parameter 4",
                                         [PIO_DENSITY] = "density",
                                         [PIO_GRAVITY] = "gravity",
                                         [PIO_OBSTACLE_POSITION] = "obstacle's position",
                                         [PIO_OBSTACLE_ROTATION] = "obstacle's rotation",
                                         [PIO_OBSTACLE_FRICTION] = "friction",
                                         [PIO_OBSTACLE_FRICTION_VELOCITY] = "friction velocity",
                                         [PIO_OBSTACLE_STIFFNESS] = "obstacle's stiffness",
                                         [PIO_OBSTACLE_DISTANCE] = "obstacle's distance",
                                         [PIO_OBSTACLE_SCALE] = "obstacle's scale",
                                         [PIO_OBSTACLE_SHIFT] = "obstacle's shift",
                                         [PIO_OBSTACLE_ANGLE] = "obstacle's angle",
                                         [PIO_YIELD_0] = "yield 0",
                                         [PIO_YIELD_1] = "yield 1",
                                         [PIO_YIELD_2] = "yield 2",
                                         [PIO_VISCOSITY] = "viscosity",
                                         [PIO_FLIP] = "FLIP",
                                         [PIO_AMPLITUDE] = "amplitude",
                                         [PIO_CONTROL_VALUES] = "values of control",
                                         [PIO_FRICTION] = "friction between fields",
                                         [PIO_REGULARISATION_VELOCITY] = "velocity of contact or friction"};

/* One direction h, e halved ten times from `first` (of the largest component of z), both signs. */
static void difference(mpm_taylor *t, const char *name, const double *h, double first, pio_taylor_row *row)
{
    enum { STEPS = 11 };
    double step[STEPS], plus[STEPS], minus[STEPS], largest = 0;
    static double z[CASE_VARIABLES];
    pio_taylor_direction d = {
        .name = name, .J0 = t->J0, .n = STEPS, .step = step, .plus = plus, .minus = minus, .tolerance = t->tolerance};
    const int n = t->c->variables;
    for (int i = 0; i < n; i++) {
        d.adjoint += t->z_bar[i] * h[i];
        d.scale += fabs(t->z_bar[i] * h[i]);
        largest = fmax(largest, fabs(h[i]));
    }
    for (int k = 0; k < STEPS; k++) {
        step[k] = ldexp(first / largest, -k);
        for (int i = 0; i < n; i++) z[i] = t->z[i] + step[k] * h[i];
        plus[k] = case_forward(t->c, t->sim, z);
        for (int i = 0; i < n; i++) z[i] = t->z[i] - step[k] * h[i];
        minus[k] = case_forward(t->c, t->sim, z);
    }
    pio_taylor_check(&d, row);
}

/* A direction passes when it does so in one of three windows of steps. J is smooth at z but not far from it: its
 * curvature jumps where a particle crosses into another cell, and its slope where a node leaves a separating wall; and
 * derivatives that are small need large steps. A wrong gradient passes in none. */
pio_taylor_verdict mpm_taylor_direction(mpm_taylor *t, const char *name, const double *h)
{
    static const double firsts[] = {2e-3, 2e-2, 2e-4};
    pio_taylor_row row[3];
    int tried = 0;
    do difference(t, name, h, firsts[tried] * (t->shrink > 0 ? t->shrink : 1), &row[tried]);
    while (row[tried].verdict != PIO_TAYLOR_PASSED && ++tried < 3);
    if (tried < 3) {
        t->passed++;
        t->again += tried > 0;
        t->worst = fmax(t->worst, row[tried].remainder);
        return PIO_TAYLOR_PASSED;
    }
    for (int i = 0; i < 3 && !t->quiet; i++)
        print_message("  %s: %s: %s\n", name, pio_taylor_verdict_name(row[i].verdict), row[i].reason);
    if (row[0].verdict == PIO_TAYLOR_FAILED)
        t->failed++;
    else
        t->undecided++;
    return row[0].verdict;
}

void mpm_taylor_random(mpm_taylor *t, double *h, int first, int count)
{
    memset(h, 0, sizeof *h * CASE_VARIABLES);
    for (int i = first; i < first + count; i++) h[i] = case_random(t->c);
}

void mpm_taylor_gradient(const mpm_taylor *t, double *h, int first, int count)
{
    memset(h, 0, sizeof *h * CASE_VARIABLES);
    memcpy(h + first, t->z_bar + first, sizeof *h * (size_t)count);
}

void mpm_taylor_single(double *h, int variable)
{
    memset(h, 0, sizeof *h * CASE_VARIABLES);
    h[variable] = 1;
}

/* The variable that matters most, or the last one that matters a fifth as much. */
static int pick_variable(const mpm_taylor *t, int first, int count, int last)
{
    int most = first, other = first;
    for (int i = first; i < first + count; i++)
        if (fabs(t->z_bar[i]) > fabs(t->z_bar[most])) most = i;
    for (int i = first; i < first + count; i++)
        if (i != most && fabs(t->z_bar[i]) > 0.2 * fabs(t->z_bar[most])) other = i;
    return last ? other : most;
}

void mpm_taylor_begin(mpm_taylor *t, mpm_case *c, double spread)
{
    *t = (mpm_taylor){.c = c, .tolerance = 1e-7};
    for (int i = 0; i < c->variables; i++) t->z[i] = spread * case_random(c);
    t->sim = case_create(c, c->desc.steps, 1);
    t->J0 = case_gradient(c, t->sim, NULL, t->z, t->z_bar);
}

/* For all variables and then design by design: a random direction, the gradient itself, two single variables. */
void mpm_taylor_all(mpm_taylor *t)
{
    static double h[CASE_VARIABLES];
    mpm_case *c = t->c;
    char name[96];
    mpm_taylor_random(t, h, 0, c->variables);
    mpm_taylor_direction(t, "everything, random", h);
    mpm_taylor_gradient(t, h, 0, c->variables);
    mpm_taylor_direction(t, "everything, gradient", h);
    for (int d = 0; d < c->desc.n_designs; d++) {
        const pio_design_desc *e = &c->design[d];
        const int first = case_design_first(c, d), count = case_design_count(c, d);
        const char *what = quantities[e->quantity], *how = e->logarithmic ? "log" : "linear";
        snprintf(name, sizeof name, "%s (design %d, %d variables, %s), random", what, d, count, how);
        mpm_taylor_random(t, h, first, count);
        mpm_taylor_direction(t, name, h);
        snprintf(name, sizeof name, "%s (design %d, %d variables, %s), gradient", what, d, count, how);
        mpm_taylor_gradient(t, h, first, count);
        mpm_taylor_direction(t, name, h);
        for (int k = 0; k < 2 && k < count; k++) {
            const int variable = pick_variable(t, first, count, k);
            snprintf(name, sizeof name, "%s (design %d, variable %d)", what, d, variable - first);
            mpm_taylor_single(h, variable);
            mpm_taylor_direction(t, name, h);
        }
    }
}

void mpm_taylor_end(mpm_taylor *t, const char *what)
{
    print_message("  %s: %d directions passed (%d not in the first window), remainder at most %.2g of |<g,h>| (limit "
                  "%.1g), %d failed, %d undecided\n",
                  what, t->passed, t->again, t->worst, t->tolerance, t->failed, t->undecided);
    piola_engine.destroy(t->sim);
    assert_true(t->passed > 0);
    assert_int_equal(t->failed + t->undecided, 0);
}
