/* test_transfer.c -- the pure functions of the grid: spline weights and walls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "kernels/mpm/mpm_grid.h"
#include "kernels/mpm/mpm_transfer.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SAMPLES = 400 };
static const double EPS = sizeof(real) == 4 ? (double)FLT_EPSILON : DBL_EPSILON;

static uint64_t seed;
static double uniform(double lo, double hi)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return lo + (hi - lo) * (double)(seed >> 11) * 0x1p-53;
}

/* The larger; NaN if one of them is, so that it is never lost. */
static double worse(double a, double b)
{
    return isnan(a) || isnan(b) ? (double)NAN : a > b ? a : b;
}

static void report(const char *what, double measured, double bound)
{
    printf("%-52s %8.1e  bound %.1e\n", what, measured, bound);
    if (!(measured <= bound)) fail_msg("%s", what);
}

static void splines_reproduce_what_quadratics_do(void **state)
{
    double one = 0, linear = 0, second = 0, flat = 0, slope = 0, lanes = 0;
    (void)state;
    seed = 9;
    for (int i = 0; i < SAMPLES; i++) {
        vec f;
        for (int a = 0; a < DIM; a++) f.x[a] = (real)(i == 0 ? 0.5 : i == 1 ? 1 : uniform(0.5, 1.5));
        const spline s = spline_at(f);
        for (int a = 0; a < DIM; a++) {
            double w = 0, wo = 0, woo = 0, dw = 0, dwo = 0;
            for (int o = 0; o < 3; o++) {
                const double r = o - (double)f.x[a];
                assert_true(s.w[a][o] >= R(0));
                w += (double)s.w[a][o];
                wo += (double)s.w[a][o] * o;
                woo += (double)s.w[a][o] * r * r;
                dw += (double)s.dw[a][o];
                dwo += (double)s.dw[a][o] * o;
            }
            one = worse(one, fabs(w - 1));
            linear = worse(linear, fabs(wo - (double)f.x[a]));
            second = worse(second, fabs(woo - 0.25)); /* D = dx^2/4 of APIC */
            flat = worse(flat, fabs(dw));
            slope = worse(slope, fabs(dwo - 1));
        }
        for (int q = 0; q < STENCIL_PAD; q++) {
            const int at[3] = {DIM == 3 ? q / 9 : q / 3, DIM == 3 ? q / 3 % 3 : q % 3, q % 3};
            double w = q < STENCIL;
            for (int a = 0; a < DIM && q < STENCIL; a++) w *= (double)s.w[a][at[a]];
            lanes = worse(lanes, fabs((double)lane_weight(q, f.x) - w));
        }
    }
    report("sum w - 1", one, 4 * EPS);
    report("sum w o - f", linear, 4 * EPS);
    report("sum w (o - f)^2 - 1/4", second, 4 * EPS);
    report("sum dw", flat, 4 * EPS);
    report("sum dw o - 1", slope, 4 * EPS);
    report("weights of the lanes", lanes, 4 * EPS);
}

static int differ(real a, real b)
{
    return memcmp(&a, &b, sizeof a) != 0;
}

/* What a GPU computes for a lane is what a CPU reads for it, to the bit. */
static void tables_of_lanes_and_their_arithmetic_agree(void **state)
{
    int wrong = 0, control = 0;
    (void)state;
    for (int a = 0; a < DIM; a++)
        for (int q = 0; q < STENCIL_PAD; q++) {
            wrong += differ(lane_o_table[a][q], lane_o_picked(a, q));
            wrong += differ(lane_alpha_table[a][q], lane_alpha_picked(a, q));
            wrong += differ(lane_beta_table[a][q], lane_beta_picked(a, q));
            wrong += differ(lane_gamma_table[a][q], lane_gamma_picked(a, q));
            control += differ(lane_o_table[a][q], lane_o_picked(DIM - 1 - a, q));
        }
    assert_int_equal(wrong, 0);
    assert_true(control > 0);
}

/* One wall of this kind at one side of axis 0; the other faces are out of reach. */
static int passes(int kind, int side, int node, double normal)
{
    mpm_box box;
    memset(&box, 0, sizeof box);
    for (int a = 0; a < DIM; a++) {
        box.face[a][0] = -1;
        box.face[a][1] = 100;
        box.wall[a][0] = box.wall[a][1] = PIO_WALL_STICKY;
    }
    box.face[0][side] = side ? 7 : 2;
    box.wall[0][side] = kind;
    int index[DIM];
    for (int a = 0; a < DIM; a++) index[a] = 5;
    index[0] = node;
    vec v;
    for (int a = 0; a < DIM; a++) v.x[a] = (real)(a == 0 ? normal : 1);
    return wall_free_mask(&box, index, v);
}

static void walls_hold_what_their_kind_says(void **state)
{
    enum { ALL = (1 << DIM) - 1 };
    (void)state;
    for (int side = 0; side < 2; side++) {
        const double into = side ? 1 : -1, away = -into;
        const int at = side ? 7 : 2, beyond = side ? 8 : 1, before = side ? 6 : 3;
        for (int kind = PIO_WALL_STICKY; kind <= PIO_WALL_SEPARATE; kind++)
            for (int sign = -1; sign <= 1; sign += 2) assert_int_equal(passes(kind, side, before, sign), ALL);
        for (int node = at < beyond ? at : beyond; node <= (at > beyond ? at : beyond); node++) {
            assert_int_equal(passes(PIO_WALL_STICKY, side, node, into), 0);
            assert_int_equal(passes(PIO_WALL_STICKY, side, node, away), 0);
            assert_int_equal(passes(PIO_WALL_SLIP, side, node, into), ALL & ~1);
            assert_int_equal(passes(PIO_WALL_SLIP, side, node, away), ALL & ~1);
            assert_int_equal(passes(PIO_WALL_SEPARATE, side, node, into), ALL & ~1);
            assert_int_equal(passes(PIO_WALL_SEPARATE, side, node, away), ALL);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splines_reproduce_what_quadratics_do),
        cmocka_unit_test(tables_of_lanes_and_their_arithmetic_agree),
        cmocka_unit_test(walls_hold_what_their_kind_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
