/* fem_taylor.c -- see fem_taylor.h. */
#include "tests/solvers/fem/fem_taylor.h"

#include "tests/sanitized.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char *const quantities[PIO_CONTROL_VALUES + 1] = {[PIO_POSITION] = "position",
                                                               [PIO_VELOCITY] = "velocity",
                                                               [PIO_LAW_PARAMETER_0] = "law parameter 0",
                                                               [PIO_LAW_PARAMETER_1] = "law parameter 1",
                                                               [PIO_LAW_PARAMETER_2] = "law parameter 2",
                                                               [PIO_LAW_PARAMETER_3] = "law parameter 3",
                                                               [PIO_LAW_PARAMETER_4] = "law parameter 4",
                                                               [PIO_DENSITY] = "density",
                                                               [PIO_THICKNESS] = "thickness",
                                                               [PIO_RELATIVE_DENSITY] = "relative density",
                                                               [PIO_CHOICE] = "choice",
                                                               [PIO_EXPANSION] = "expansion",
                                                               [PIO_TEMPERATURE] = "temperature",
                                                               [PIO_MASS_DAMPING] = "mass damping",
                                                               [PIO_STIFFNESS_DAMPING] = "stiffness damping",
                                                               [PIO_DISPLACED] = "displaced",
                                                               [PIO_GRAVITY] = "gravity",
                                                               [PIO_AMPLITUDE] = "amplitude",
                                                               [PIO_FREQUENCY] = "frequency",
                                                               [PIO_PHASE] = "phase",
                                                               [PIO_CONTROL_VALUES] = "knots",
                                                               [PIO_LOAD] = "load",
                                                               [PIO_SUPPORT] = "support",
                                                               [PIO_OBSTACLE_POSITION] = "obstacle position",
                                                               [PIO_OBSTACLE_ROTATION] = "obstacle rotation",
                                                               [PIO_OBSTACLE_FRICTION] = "obstacle friction",
                                                               [PIO_OBSTACLE_FRICTION_VELOCITY] = "friction velocity",
                                                               [PIO_OBSTACLE_STIFFNESS] = "obstacle stiffness",
                                                               [PIO_OBSTACLE_DISTANCE] = "obstacle distance",
                                                               [PIO_OBSTACLE_SCALE] = "obstacle scale",
                                                               [PIO_OBSTACLE_SHIFT] = "obstacle shift",
                                                               [PIO_OBSTACLE_ANGLE] = "obstacle angle",
                                                               [PIO_PAIR_STIFFNESS] = "contact stiffness",
                                                               [PIO_PAIR_DISTANCE] = "contact distance",
                                                               [PIO_PAIR_FRICTION] = "contact friction",
                                                               [PIO_PAIR_FRICTION_VELOCITY] =
                                                                   "contact friction velocity",
                                                               [PIO_NAMED_CONSTANT] = "named constant"};

/* Returns the name of a quantity of meshes. */
static const char *name_of(pio_quantity quantity)
{
    assert_non_null(quantities[quantity]);
    return quantities[quantity];
}

/* One direction h, e halved eight times from `first` (of the largest component of z), both signs. */
static void difference(taylor_run *t, const char *name, double first, pio_taylor_row *row)
{
    enum { HALVED = 9 };
    double step[HALVED], plus[HALVED], minus[HALVED], largest = 0;
    static double z[FEM_VARIABLES];
    pio_taylor_direction d = {
        .name = name, .J0 = t->J0, .n = HALVED, .step = step, .plus = plus, .minus = minus, .tolerance = t->tolerance};
    const int n = t->c->variables;
    for (int i = 0; i < n; i++) {
        d.adjoint += t->z_bar[i] * t->h[i];
        d.scale += fabs(t->z_bar[i] * t->h[i]);
        largest = fmax(largest, fabs(t->h[i]));
    }
    for (int k = 0; k < HALVED; k++) {
        step[k] = ldexp(first / largest, -k);
        for (int i = 0; i < n; i++) z[i] = t->z[i] + step[k] * t->h[i];
        plus[k] = fem_case_forward(t->c, t->sim, z, NULL);
        for (int i = 0; i < n; i++) z[i] = t->z[i] - step[k] * t->h[i];
        minus[k] = fem_case_forward(t->c, t->sim, z, NULL);
    }
    pio_taylor_check(&d, row);
}

/* A derivative that is small needs larger steps: where the first window cannot decide, there is a second. */
static pio_taylor_verdict direction(taylor_run *t, const char *name)
{
    pio_taylor_row row;
    difference(t, name, 0.02, &row);
    if (row.verdict == PIO_TAYLOR_INCONCLUSIVE) {
        difference(t, name, 0.1, &row);
        t->again++;
    }
    if (row.verdict == PIO_TAYLOR_PASSED)
        t->passed++, t->worst = fmax(t->worst, row.remainder);
    else if (row.verdict == PIO_TAYLOR_FAILED)
        t->failed++;
    else
        t->undecided++;
    if (row.verdict != PIO_TAYLOR_PASSED && !t->quiet)
        print_message("  %s: %s: %s\n", name, pio_taylor_verdict_name(row.verdict), row.reason);
    return row.verdict;
}

pio_taylor_verdict random_direction(taylor_run *t, const char *name, int first, int count)
{
    memset(t->h, 0, sizeof t->h);
    for (int i = first; i < first + count; i++) t->h[i] = fem_case_random(t->c);
    return direction(t, name);
}

pio_taylor_verdict gradient_direction(taylor_run *t, const char *name, int first, int count)
{
    memset(t->h, 0, sizeof t->h);
    memcpy(t->h + first, t->z_bar + first, sizeof *t->h * (size_t)count);
    return direction(t, name);
}

pio_taylor_verdict single_direction(taylor_run *t, const char *name, int variable)
{
    memset(t->h, 0, sizeof t->h);
    t->h[variable] = 1;
    return direction(t, name);
}

int steepest(const taylor_run *t, int first, int count)
{
    int most = first;
    for (int i = first; i < first + count; i++)
        if (fabs(t->z_bar[i]) > fabs(t->z_bar[most])) most = i;
    return most;
}

void taylor_begin(taylor_run *t, fem_case *c, double spread)
{
    *t = (taylor_run){.c = c, .tolerance = 1e-7};
    for (int i = 0; i < c->variables; i++) t->z[i] = spread * fem_case_random(c);
    t->sim = fem_case_create(c, c->desc.steps, 1);
    t->J0 = fem_case_gradient(c, t->sim, NULL, t->z, t->z_bar);
}

void taylor_end(taylor_run *t, const char *what)
{
    print_message("  %s: %d variables, %d directions passed (%d in the second window), remainder at most %.2g of "
                  "|<g,h>| (limit %.1g), %d failed, %d "
                  "undecided\n",
                  what, t->c->variables, t->passed, t->again, t->worst, t->tolerance, t->failed, t->undecided);
    piola_engine_fem.destroy(t->sim);
    assert_true(t->passed > 0);
    assert_int_equal(t->failed + t->undecided, 0);
}

void everything(taylor_run *t)
{
    random_direction(t, "everything, random", 0, t->c->variables);
    gradient_direction(t, "everything, gradient", 0, t->c->variables);
}

void design_by_design(taylor_run *t)
{
    for (int d = 0; d < t->c->desc.n_designs && !TEST_SANITIZED; d++) {
        const pio_design_desc *e = &t->c->design[d];
        const int first = fem_case_design_first(t->c, d), count = fem_case_design_count(t->c, d);
        char name[96];
        int at = snprintf(name, sizeof name, "%s (design %d, %d variables, %s), ", name_of(e->quantity), d, count,
                          e->logarithmic ? "log" : "linear");
        snprintf(name + at, sizeof name - (size_t)at, "gradient");
        gradient_direction(t, name, first, count);
        if (count == 1) continue;
        snprintf(name + at, sizeof name - (size_t)at, "random");
        random_direction(t, name, first, count);
        snprintf(name + at, sizeof name - (size_t)at, "single");
        single_direction(t, name, steepest(t, first, count));
    }
}
