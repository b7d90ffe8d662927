/* test_mpm_reversible_gradient.c -- is the reversible integrator's adjoint the derivative of its steps, and the same bits whichever
 * way the states come back? Taylor remainders in f64. */
#include "tests/mpm_reversible_case.h"
#include "tests/mpm_taylor.h"

enum { D = CASE_DIM };

/* Into a corner of penalty walls; the second body has the third material after the first's. */
static void corner(mpm_case *c, int number, int64_t steps, int upper)
{
    const case_body bodies[2] = {body_of(&materials[number], 1000),
                                 body_of(&materials[(number + 3) % MATERIALS], 1300)};
    mpm_corner(c, number, bodies, steps, upper, 1);
    c->desc.reversible = 1;
    c->desc.penalty = 3e4;
    for (int a = 0; a < D; a++) c->desc.grid.wall[a][upper] = PIO_WALL_PENALTY;
}

/* Every quantity that there is, viscosity aside. */
static void design_everything(mpm_case *c, int number)
{
    const double dx = c->desc.grid.spacing;
    static const case_per per[] = {CASE_SCALAR, CASE_GROUPS, CASE_EACH};
    case_design(c, PIO_VELOCITY, 0, CASE_SCALAR, 0, 0, 1);
    case_design(c, PIO_POSITION, 0, CASE_SCALAR, 0, 0, dx);
    case_design(c, PIO_VELOCITY, 1, CASE_EACH, 0, 0, 1);
    case_design(c, PIO_POSITION, 1, CASE_EACH, 0, 0, dx);
    case_design(c, PIO_GRAVITY, -1, CASE_SCALAR, 0, -2, 10);
    for (int body = 0; body < 2; body++) {
        const material *m = &materials[(number + 3 * body) % MATERIALS];
        for (int k = 0; k < PIO_LAW_CONSTANTS; k++) {
            const double value = m->given[k];
            if (!(fabs(value) > 0) || (m->law == PIO_LINEAR_FLUID && k == 1)) continue;
            case_design(c, (pio_quantity)(PIO_GIVEN_0 + k), body, per[(number + body + k) % 3], 0, value, 0.3 * value);
        }
        case_design(c, PIO_DENSITY, body, per[(number + body + 2) % 3], 1, log(body ? 1300 : 1000), 0.3);
    }
}

static void the_adjoint_is_the_derivative_for_every_law_parameter_and_observation(void **unused)
{
    (void)unused;
    for (int number = 0; number < MATERIALS; number++) {
        static mpm_taylor t;
        static mpm_case c;
        char what[160];
        if (D == 3 && number % 3) continue;
        corner(&c, number, 40, number % 2);
        if (number % 4 == 2) c.desc.damping = 5;
        mpm_observe_everything(&c, 0.35);
        design_everything(&c, number);
        mpm_taylor_begin(&t, &c, 0.3);
        if (c.desc.damping > 0) t.tolerance = 1e-6; /* kept bits are noise of 2^-46 dx/h in velocities */
        snprintf(what, sizeof what, "%s and %s%s", materials[number].name, materials[(number + 3) % MATERIALS].name,
                 c.desc.damping > 0 ? ", damped" : "");
        mpm_taylor_all(&t);
        mpm_taylor_end(&t, what);
        case_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest taylor[] = {
        cmocka_unit_test(the_adjoint_is_the_derivative_for_every_law_parameter_and_observation),
    };
    return case_is_f32() ? 0 : cmocka_run_group_tests(taylor, NULL, NULL);
}
