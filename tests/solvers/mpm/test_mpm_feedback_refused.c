/* test_mpm_feedback_refused.c -- are descriptions of networks, knots and values of control that cannot be right
 * refused, and why? */
#include "tests/solvers/mpm/mpm_walker.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void refused(walker *w, const char *what)
{
    pio_engine_bytes bytes;
    piola_error error = {0};
    assert_int_equal(piola_engine.measure(&w->c.desc, &bytes, &error), PIOLA_BAD_DATA);
    print_message("  %s\n", error.message);
    if (!strstr(error.message, what)) fail_msg("'%s' does not say '%s'", error.message, what);
}

static void wrong_knots_and_values_are_refused(void **unused)
{
    static walker w;
    (void)unused;
    walk(&w, 1, 10);
    observe(&w);
    design(&w);
    piola_engine.destroy(case_create(&w.c, 0, 1)); /* right as it is, and the description is filled in */
    w.knots[2].count = 3;
    refused(&w, "channel 2: 3 knots; its signal has at least 4");
    w.knots[2].count = VALUES - WEIGHTS + 1;
    refused(&w, "are not all among the 88 control values");
    w.knots[2].count = KNOTS + 1;
    refused(&w, "channel 3: control value 80 is another's, too");
    w.knots[2].count = KNOTS;
    w.knots[2].span = 0;
    refused(&w, "channel 2: its knots span 0 s");
    w.knots[2].span = 1;
    w.values[3] = (double)INFINITY;
    refused(&w, "control value 3: inf must be finite");
    w.values[3] = 1;
    w.c.design[1].components = VALUES - WEIGHTS + 1;
    refused(&w, "design 1 of control: 1 x 15 values from 74 on, for 88 values");
    w.c.design[1].components = KNOTS + CORNERS;
    w.channel_weight[1][0] = -1;
    refused(&w, "the weight -1 of channel 0 must be 0 or above");
    w.channel_weight[1][0] = 1;
    w.c.sample_weight[0].step = 0;
    refused(&w, "at the end of a step would be right");
    case_free(&w.c);
}

static void wrong_networks_are_refused(void **unused)
{
    static walker w;
    (void)unused;
    walk(&w, 1, 10);
    piola_engine.destroy(case_create(&w.c, 0, 1));
    w.network.hidden = 5;
    refused(&w, "network 0: up to 4 hidden layers");
    w.network.hidden = 2;
    w.network.first = 3;
    refused(&w, "network 0: channels 3 to 4 are not all among the 4");
    w.network.first = 1;
    refused(&w, "channel 0: it is the output of 0 networks");
    w.network.first = 0;
    w.network.weights = 20;
    refused(&w, "network 0: 74 weights from 20 on are not all among the 88");
    w.network.weights = 0;
    w.network.clocks = VALUES - 3;
    refused(&w, "network 0: frequencies and phases of 2 clocks from 85 on are not all among the 88 control values");
    w.network.clocks = FREQUENCIES - 1;
    refused(&w, "network 0: control value 83 is another's, too");
    w.network.clocks = FREQUENCIES;
    w.input[1].clock = CLOCKS;
    refused(&w, "network 0, input 1: clock 2 is none of the 2");
    w.input[1].clock = 0;
    w.input[2].axis = CASE_DIM;
    refused(&w, "network 0, input 2: there is no kind 2 along axis");
    w.input[2].axis = 0;
    w.input[2].scale = 0;
    refused(&w, "the scale 0 above 0");
    w.input[2].scale = 1;
    w.input[2].of = 3;
    refused(&w, "network 0, input 2: a mean over no particles");
    w.input[2].of = 0;
    case_wall(&w.c, 1, 0, PIO_WALL_PENALTY, 2);
    for (int a = 0; a < CASE_DIM; a++)
        for (int side = 0; side < 2; side++) w.c.desc.grid.wall[a][side] = PIO_WALL_PENALTY;
    w.c.desc.reversible = 1;
    w.c.desc.penalty = 1e4;
    refused(&w, "apic would be right, or signals");
    case_free(&w.c);
}

/* h sqrt((lambda + 2 mu + |q|)/rho)/dx of the largest knot q, and of a network's limit: with these it is 0.7. */
static void too_strong_a_knot_or_limit_is_a_fault_of_the_time_step(void **unused)
{
    const double h = 2e-3, dx = 0.1, modulus = 2e4 * 0.7 / (1.3 * 0.4), q = pow(0.7 * dx / h, 2) * 1000 - modulus;
    (void)unused;
    for (int limit = 0; limit < 2; limit++) {
        static walker w;
        piola_error error = {0};
        walk(&w, 1, 10);
        if (limit)
            w.c.channels[1].amplitude = q;
        else
            w.values[WEIGHTS + 2] = -q;
        pio_sim *sim = case_create(&w.c, 0, 1);
        assert_int_equal(piola_engine.start(sim, NULL, &error), PIOLA_OK);
        assert_int_equal(piola_engine.check(sim, &error), PIOLA_NUMERICAL);
        print_message("  %s\n", error.message);
        assert_non_null(strstr(error.message, "cross 0.7 cells in one time step"));
        piola_engine.destroy(sim);
        case_free(&w.c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_knots_and_values_are_refused),
        cmocka_unit_test(wrong_networks_are_refused),
        cmocka_unit_test(too_strong_a_knot_or_limit_is_a_fault_of_the_time_step),
    };
    return _cmocka_run_group_tests("refused control", tests, sizeof tests / sizeof *tests, NULL, NULL);
}
