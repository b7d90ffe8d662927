/* test_model_vary.c -- values that vary: faults that only the places show where they act. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/host/model/model_helpers.h"
#include "tests/host/scene/load_scene.h"

static void refused(const char *set, const char *words)
{
    refused_sets(&set, 1, words);
}

static void expressions_are_finite_where_they_act(void **state)
{
    (void)state;
    refused("loads=[{name: a, body: one, on: {group: top}, type: pressure, value: 10 Pa*(1 m)/(x - x)}]",
            "loads[0].value: at (0.394338, 1) the expression is infinite; it must be finite");
    refused("loads=[{name: a, body: one, on: {group: top}, type: traction, value: [0, 10 Pa*sqrt(-x/(1 m))]}]",
            "loads[0].value[1]: at (0.394338, 1) the expression is not a number; it must be finite");
    refused("loads=[{name: a, body: one, on: {group: top}, type: pressure, value: 10 Pa*sqrt(0.5 - t/(1 s))}]",
            "loads[0].value: at (0.394338, 1) and t = 1 s the expression is not a number");
    refused("loads=[{name: a, body: one, on: {min: [1, 1], max: [1, 1]}, type: point_force, value: [1 N*log(-y/(1 m)), "
            "0]}]",
            "loads[0].value[0]: at (1, 1) the expression is not a number");
    refused("loads=[{name: a, body: one, type: body_force, value: ['1 N/(1 m^3)/max(0, x/(1 m) - 2)', 0]}]",
            "loads[0].value[0]: at (0.105662, 0.105662) the expression is infinite; it must be finite");
    refused("boundary=[{name: a, body: one, on: {group: bottom}, type: displacement, value: [1 mm*sqrt(-x/(1 m)), 0]}]",
            "boundary[0].value[0]: at (0.5, 0) the expression is not a number; it must be finite");
    refused("boundary=[{name: a, body: one, on: {group: bottom}, type: displacement, axes: x, "
            "value: 1 mm*(1 m)/(x - x)}]",
            "boundary[0].value: at (0, 0) the expression is ");
    refused("boundary=[{name: a, body: one, on: {group: bottom}, type: rotation, center: [0, 0], "
            "angle: 0.1*sqrt(0.5 - t/(1 s))}]",
            "boundary[0].angle: at (0, 0) and t = 1 s the expression is not a number");
    const char *sets[] = {
        "time={integrator: newmark, dt: 0.1 s, duration: 1 s}",
        "materials=[{name: soft, model: neo_hookean, E: 1 kPa, nu: 0.2, density: 1}]",
        "bodies=[{name: one, geometry: block, material: soft, velocity: [0, 1 m/(1 s)/(x - x)*1 m]}]"};
    refused_sets(sets, 3, "bodies[0].velocity[1]: at (0, 0) the expression is ");
}

static void constants_are_in_their_range(void **state)
{
    (void)state;
    refused("materials=[{name: soft, model: neo_hookean, E: 1 kPa, nu: 0.4 + 0.2*x/(1 m)}]",
            "materials[0].nu: at (0.75, 0.25) it is 0.55; it must be above -1 and below 0.5");
    refused("materials=[{name: soft, model: neo_hookean, E: 1 kPa*sqrt(-x/(1 m)), nu: 0.3}]",
            "materials[0].E: at (0.25, 0.25) it is not a number; it must be above 0");
    refused("materials=[{name: soft, model: neo_hookean, E: 1 kPa*(0.5 - x/(1 m)), nu: 0.3}]",
            "materials[0].E: at (0.75, 0.25) it is -250 Pa; it must be above 0");
}

/* An edge and a step between those that are evaluated may be singular: a load is not evaluated there. */
static void expressions_may_be_infinite_where_they_do_not_act(void **state)
{
    const char *sets[] = {"loads=[{name: a, body: one, on: {group: top}, type: pressure, value: "
                          "10 Pa/sqrt(x/(1 m))*(1 s)/t}]"};
    pio_scene *scene = NULL;
    (void)state;
    pio_model *m = model_of(sets, 1, &scene);
    assert_int_equal(m->fem->desc.n_varies, 1);
    pio_model_free(m);
    pio_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(constants_are_in_their_range),
                                       cmocka_unit_test(expressions_are_finite_where_they_act),
                                       cmocka_unit_test(expressions_may_be_infinite_where_they_do_not_act)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
