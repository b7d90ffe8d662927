/* test_constraint.c -- inequalities of a scene: which there are, their values, their slopes, and bounds that are
 * relative to the start. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "host/model/constraint.h"
#include "tests/host/model/model_helpers.h"

#include <stdlib.h>

static const char *const seen =
    "observe=[{name: lid, type: displacement, body: one, on: {group: top}, at: [0.5 s, 1 s]}, "
    "{name: v, type: volume, body: one}, {name: w, type: compliance, at: 1 s}]";

static pio_model *bounded(const char *entries, pio_scene **scene, pio_constraints *all)
{
    piola_error error = {0};
    pio_model *m = model_of((const char *const[]){seen, "time={load_steps: 2}", entries}, 3, scene);
    if (pio_constraints_create(all, m, &error)) fail_msg("%s", error.message);
    return m;
}

static void end(pio_scene *scene, pio_model *m, pio_constraints *all)
{
    pio_constraints_free(all);
    assert_null(all->list);
    pio_model_free(m);
    pio_scene_free(scene);
}

static void is(const pio_constraint *c, const char *name, const char *symbol, int at)
{
    print_message("  %s %s %g, sample %d\n", c->name, c->symbol, c->bound, c->at);
    assert_string_equal(c->name, name);
    assert_string_equal(c->symbol, symbol);
    assert_int_equal(c->at, at);
}

/* Samples: lid.x, lid.y at 0.5 s, at 1 s, v, w. */
static void each_bound_of_each_sample_and_component_is_an_inequality(void **state)
{
    pio_scene *scene = NULL;
    pio_constraints all;
    (void)state;
    pio_model *m = bounded("constraints=[{of: lid.y, min: -2 mm, max: 1 mm}, {of: v, max: 0.5}, {of: lid, max: 3 mm}]",
                           &scene, &all);
    assert_int_equal(m->n_samples, 6);
    assert_int_equal(all.n, 4 + 1 + 4);
    assert_false(all.relative);
    is(&all.list[0], "lid.y.max at 0.5 s", "<=", 1);
    is(&all.list[1], "lid.y.min at 0.5 s", ">=", 1);
    is(&all.list[2], "lid.y.max at 1 s", "<=", 3);
    is(&all.list[3], "lid.y.min at 1 s", ">=", 3);
    is(&all.list[4], "v.max", "<=", 4);
    is(&all.list[5], "lid.x.max at 0.5 s", "<=", 0);
    is(&all.list[8], "lid.y.max at 1 s", "<=", 3);
    end(scene, m, &all);
}

static void values_are_fractions_of_the_bound_with_the_sign_of_its_side(void **state)
{
    const double samples[] = {0, 0.0015, 0, -0.0025, 0.4, 7};
    pio_scene *scene = NULL;
    pio_constraints all;
    (void)state;
    pio_model *m = bounded(
        "constraints=[{of: lid.y, min: -2 mm, max: 1 mm}, {of: v, min: 0.5, max: 0.8}, {of: w, max: 0}]", &scene, &all);
    const double want[] = {0.5, -1.75, -3.5, 0.25, -0.5, 0.2, 7};
    assert_int_equal(all.n, 7);
    for (int i = 0; i < 7; i++) {
        const double c = pio_constraint_value(&all.list[i], samples);
        print_message("  %s: %.15g, wanted %g, within 1e-14\n", all.list[i].name, c, want[i]);
        assert_true(fabs(c - want[i]) < 1e-14);
    }
    end(scene, m, &all);
}

/* c is linear in the samples: its slope is a difference of any size; all other samples have none, whatever was there
 * before. */
static void slopes_are_the_differences_of_values(void **state)
{
    const double samples[] = {0.1, 0.0015, -0.3, -0.0025, 0.4, 7};
    pio_scene *scene = NULL;
    pio_constraints all;
    (void)state;
    pio_model *m = bounded(
        "constraints=[{of: lid.y, min: -2 mm, max: 1 mm}, {of: v, min: 0.5, max: 0.8}, {of: w, max: 0}]", &scene, &all);
    for (int i = 0; i < all.n; i++) {
        double slope[6] = {NAN, NAN, NAN, NAN, NAN, NAN}, worst = 0, largest = 0;
        pio_constraint_slope(&all.list[i], m, slope);
        for (int k = 0; k < 6; k++) {
            double moved[6];
            memcpy(moved, samples, sizeof moved);
            moved[k] += 0.25;
            const double difference =
                (pio_constraint_value(&all.list[i], moved) - pio_constraint_value(&all.list[i], samples)) / 0.25;
            worst = fmax(worst, fabs(slope[k] - difference));
            largest = fmax(largest, fabs(slope[k]));
        }
        print_message("  %s: slope %g, off by %.1e of it, threshold 1e-12\n", all.list[i].name, largest,
                      worst / largest);
        assert_true(largest > 0 && worst < 1e-12 * largest);
    }
    end(scene, m, &all);
}

static void bounds_relative_to_the_start_are_multiples_of_what_is_there(void **state)
{
    const double start[] = {0, 0.002, 0, -0.004, 0.5, 0}, later[] = {0, 0.003, 0, -0.003, 0.55, 0};
    pio_scene *scene = NULL;
    pio_constraints all;
    piola_error error = {0};
    (void)state;
    pio_model *m = bounded("constraints=[{of: v, min: 0.9, max: 1.2, relative_to: initial}, {of: lid.y, max: 1.25, "
                           "relative_to: initial}, {of: w, max: 3}]",
                           &scene, &all);
    assert_true(all.relative);
    assert_int_equal(pio_constraints_start(&all, m, start, &error), PIOLA_OK);
    assert_int_equal(all.n, 5);
    /* These are max 0.6, min 0.45, 1.25 times 2 mm, 1.25 times -4 mm, which is below the start, and 3 as in the scene.
     * */
    const double bound[] = {0.6, 0.45, 0.0025, -0.005, 3}, want[] = {-1.0 / 12, -2.0 / 9, 0.2, 0.4, -1};
    for (int i = 0; i < 5; i++) {
        const double c = pio_constraint_value(&all.list[i], later);
        print_message("  %s %s %g: %.15g, wanted %g, within 1e-14\n", all.list[i].name, all.list[i].symbol,
                      all.list[i].bound, c, want[i]);
        assert_true(fabs(all.list[i].bound - bound[i]) < 1e-15);
        assert_true(fabs(c - want[i]) < 1e-14);
    }
    end(scene, m, &all);
}

static void a_bound_relative_to_nothing_is_refused_at_its_key(void **state)
{
    const double start[] = {0, 0, 0, 0.1, 0.5, 0};
    pio_scene *scene = NULL;
    pio_constraints all;
    (void)state;
    pio_model *m = bounded(
        "constraints=[{of: v, max: 1, relative_to: initial}, {of: lid.y, max: 2, relative_to: initial}]", &scene, &all);
    piola_error error = {0};
    assert_int_equal(pio_constraints_start(&all, m, start, &error), PIOLA_BAD_DATA);
    print_message("%s\n", error.message);
    assert_non_null(strstr(error.message, "constraints[1].relative_to: lid.y.max at 0.5 s is 0 at the start"));
    assert_non_null(strstr(error.message, "use relative_to: zero"));
    const double other[] = {0, 0.1, 0, 0.1, 0.5, 0}; /* the control: where it is not 0 it is accepted */
    assert_int_equal(pio_constraints_start(&all, m, other, &error), PIOLA_OK);
    end(scene, m, &all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_bound_of_each_sample_and_component_is_an_inequality),
        cmocka_unit_test(values_are_fractions_of_the_bound_with_the_sign_of_its_side),
        cmocka_unit_test(slopes_are_the_differences_of_values),
        cmocka_unit_test(bounds_relative_to_the_start_are_multiples_of_what_is_there),
        cmocka_unit_test(a_bound_relative_to_nothing_is_refused_at_its_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
