/* test_scene.c -- good scenes decode to the right values; overrides; places of later faults. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "host/base/path.h"
#include "tests/host/scene/scene_helpers.h"

#include "host/base/decimal.h"
#include "host/scene/scene_private.h"
#include "tests/host/scene/load_scene.h"

#include <locale.h>

/* ---- good scenes --------------------------------------------------------------------------------------- */

static void the_2d_scene_has_its_exact_values(void **state)
{
    (void)state;
    pio_scene *s = load_good(GOOD "solids_2d.yaml", NULL, 0);
    assert_string_equal(s->input.name, "solids-2d");
    assert_true(strncmp(s->input.text, "# Every unit", 12) == 0);
    assert_int_equal(s->common.seed, 42);
    assert_int_equal(s->method.dimension, 2);
    assert_int_equal(s->method.precision, SCENE_F64);
    equal(s->mpm.grid.spacing, 0.02);
    equal(s->mpm.grid.max[1], 1);
    assert_int_equal(s->mpm.grid.wall[0][0], PIO_WALL_STICKY);
    assert_int_equal(s->mpm.grid.wall[0][1], PIO_WALL_SLIP);
    assert_int_equal(s->mpm.grid.wall[1][0], PIO_WALL_SLIP);
    assert_int_equal(s->mpm.grid.wall[1][1], PIO_WALL_SEPARATE);
    equal(s->time.dt, 1e-4);
    equal(s->time.duration, 0.5);
    equal(s->time.cfl_limit, 0.4);
    equal(s->common.gravity[0], 0);
    equal(s->common.gravity[1], -9.81);
    assert_int_equal(s->materials.n, 2);
    equal(s->materials.v[0].E, 120e3);
    equal(s->materials.v[0].density, 1070);
    assert_false(s->materials.v[0].by_lame_parameters);
    equal(s->materials.v[0].mu, 120e3 / (2 * (1 + 0.3)));
    assert_true(s->materials.v[1].by_lame_parameters);
    equal(s->materials.v[1].mu, 4e5);
    equal(s->materials.v[1].lambda, 6e5);
    equal(s->materials.v[1].nu, 6e5 / (2 * (6e5 + 4e5)));
    equal(s->materials.v[1].E, 4e5 * (3 * 6e5 + 2 * 4e5) / (6e5 + 4e5));
    equal(s->matter.geometry[1].center[0], 0.6);
    equal(s->matter.geometry[1].radius, 0.1);
    equal(s->matter.bodies[0].position[0], 0.05);
    equal(s->matter.bodies[0].velocity[1], 0.2);
    equal(s->matter.bodies[0].angular_velocity[2], 180 * (3.14159265358979323846 / 180));
    assert_int_equal(s->matter.bodies[0].particles_per_cell, 4);
    assert_int_equal(s->matter.bodies[1].particles_per_cell, 6);
    assert_int_equal(s->matter.bodies[1].fill, SCENE_JITTERED);
    pio_scene_free(s);
}

static void observations_and_designs_have_their_exact_values(void **state)
{
    (void)state;
    pio_scene *s = load_good(GOOD "solids_2d.yaml", NULL, 0);
    assert_int_equal(s->goal.n_observe, 6);
    assert_int_equal(s->goal.observe[0].at.n, 1);
    equal(s->goal.observe[0].at.v[0], 0.5);
    equal(s->goal.observe[1].at.v[0], 0.1);
    equal(s->goal.observe[1].at.v[2], 0.3);
    equal(s->goal.observe[2].over[0], 0.4);
    assert_int_equal(s->goal.observe[2].at.n, 0);
    assert_int_equal(s->goal.observe[3].at.n, 4);
    equal(s->goal.observe[3].at.v[3], 0.5);
    equal(s->goal.observe[3].over[0], -1);
    equal(s->goal.observe[3].sharpness, 200);
    equal(s->goal.observe[4].sharpness, 200);
    equal(s->goal.observe[3].quantile, 0);
    equal(s->goal.observe[4].quantile, 0.99);
    assert_string_equal(s->goal.observe[5].points_file, "parts/points.csv");
    assert_int_equal(s->goal.observe[5].at.n, 0);
    assert_int_equal(s->goal.n_design, 4);
    assert_int_equal(s->goal.design[0].transform, SCENE_LOG);
    assert_int_equal(s->goal.design[0].per, SCENE_PER_PARTICLE);
    equal(s->goal.design[0].bounds[1], 2e6);
    assert_int_equal(s->goal.design[1].target.n, 2);
    equal(s->goal.design[1].initial.v[1], 5e5);
    assert_true(isinf(s->goal.design[1].bounds[0]) && s->goal.design[1].bounds[0] < 0 &&
                isinf(s->goal.design[1].bounds[1]));
    equal(s->goal.design[2].initial.v[0], 0.5);
    assert_int_equal(s->goal.design[3].initial.n, 0);
    assert_int_equal(s->goal.n_objective, 5);
    equal(s->goal.objective[0].value.v[0], 0.8);
    assert_int_equal(s->goal.objective[0].component, -1);
    equal(s->goal.objective[1].sigma, 0.005);
    assert_string_equal(s->goal.objective[1].time_column, "t");
    equal(s->goal.objective[2].weight, 1e-3);
    assert_string_equal(s->goal.objective[3].of, "place");
    assert_int_equal(s->goal.objective[3].component, 1);
    assert_int_equal(s->gradient.check_directions, 5);
    equal(s->gradient.check_tolerance, 1e-5);
    equal(s->gradient.memory_budget, 1610612736.0);
    assert_true(s->optimizer.is_set);
    assert_int_equal(s->optimizer.max_iterations, 10); /* 010 is decimal */
    equal(s->optimizer.stop_objective, -1.5);
    assert_string_equal(s->output.directory, "out/somewhere");
    equal(s->output.adjoint_every, 0.04);
    assert_int_equal(s->output.state_fields.n, 8);
    pio_scene_free(s);
}

static void defaults_are_filled_in(void **state)
{
    (void)state;
    pio_scene *s = load_good(GOOD "fluids_3d.yaml", NULL, 0);
    assert_int_equal(s->common.seed, 0);
    assert_int_equal(s->method.precision, SCENE_F32);
    assert_int_equal(s->mpm.grid.wall[2][1], PIO_WALL_STICKY);
    equal(s->time.cfl_limit, 0.5);
    equal(s->common.gravity[2], 0);
    equal(s->materials.v[0].gamma, 7);
    equal(s->materials.v[0].viscosity, 1e-3);
    equal(s->materials.v[1].viscosity, 0);
    equal(s->materials.v[0].E, 0);
    assert_int_equal(s->matter.bodies[0].particles_per_cell, 8);
    equal(s->matter.bodies[1].angular_velocity[2], 6.5);
    equal(s->goal.observe[0].sharpness, 80);
    assert_int_equal(s->goal.observe[1].at.n, 2);
    assert_int_equal(s->goal.objective[0].component, 2);
    equal(s->goal.objective[0].weight, 1);
    assert_int_equal(s->gradient.check_directions, 3);
    equal(s->gradient.check_tolerance, 1e-6);
    equal(s->gradient.memory_budget, 0);
    assert_int_equal(s->optimizer.max_iterations, 100);
    equal(s->optimizer.learning_rate, 0.05);
    assert_true(isinf(s->optimizer.stop_objective));
    equal(s->optimizer.stop_gradient, 0);
    assert_string_equal(s->output.directory, "out/fluids_3d");
    equal(s->output.states_every, 0.1 / 50);
    assert_int_equal(s->output.state_fields.n, 2);
    assert_string_equal(s->output.state_fields.v[1], "J");
    equal(s->output.adjoint_every, 0);
    pio_scene_free(s);
}

#define HENCKY "materials.soft={name: soft, model: hencky, E: 1 kPa, nu: 0.2, density: 1000, plasticity: "

/* Contact between solids is a potential, with cut fills, unless other keys say what is meant. */
static void contact_is_what_bodies_and_keys_say(void **state)
{
    static const char fields[] = "contact.fields=[{bodies: one}]", solid[] = "bodies.two.material=soft";
    static const struct {
        const char *sets[3];
        pio_contact_model model;
    } list[] = {
        {{fields, solid, "seed=1"}, PIO_CONTACT_POTENTIAL},
        {{fields, "seed=1", "seed=1"}, PIO_CONTACT_GRID}, /* a fluid */
        {{fields, solid, HENCKY "{type: drucker_prager, friction_angle: 30 deg}}"}, PIO_CONTACT_GRID},
        {{fields, solid, HENCKY "{type: von_mises, yield_stress: 1 kPa}}"}, PIO_CONTACT_POTENTIAL},
        {{fields, solid, "bodies.two.relative_density=0.5"}, PIO_CONTACT_GRID},
        {{fields, solid, "contact.friction=0.1"}, PIO_CONTACT_GRID},
        {{fields, solid, "contact.regularisation_velocity=1"}, PIO_CONTACT_GRID},
        {{fields, solid, "design=[{name: d, target: contact.friction}]"}, PIO_CONTACT_GRID},
        {{fields, solid, "contact.stiffness=1 kPa"}, PIO_CONTACT_POTENTIAL},
        {{"contact={fields: [{bodies: one}], friction: 0.1, friction_velocity: 1 mm/s}", solid, "seed=1"},
         PIO_CONTACT_POTENTIAL},
        {{fields, solid, "design=[{name: d, target: contact.friction_velocity}]"}, PIO_CONTACT_POTENTIAL},
        {{fields, solid, "contact.model=grid"}, PIO_CONTACT_GRID},
    };
    (void)state;
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        pio_scene *s = load_good(BAD "parts/base.yaml", list[k].sets, 3);
        print_message("%s, %s: model %d\n", list[k].sets[1], list[k].sets[2], (int)s->contact.model);
        assert_int_equal(s->contact.model, list[k].model);
        for (size_t b = 0; b < 2; b++)
            assert_int_equal(s->matter.bodies[b].fill,
                             list[k].model == PIO_CONTACT_POTENTIAL ? SCENE_CUT : SCENE_REGULAR);
        pio_scene_free(s);
    }
    const char *own[] = {fields, solid, "bodies.two.fill={method: jittered}"};
    pio_scene *s = load_good(BAD "parts/base.yaml", own, 3);
    assert_int_equal(s->matter.bodies[1].fill, SCENE_JITTERED);
    assert_true(fabs(s->contact.stiffness - 1e3 * 0.8 / (1.2 * 0.6) / 4) < 1e-9);
    equal(s->contact.distance, 0.05);
    pio_scene_free(s);
}

static void included_files_come_first_and_merge(void **state)
{
    (void)state;
    pio_scene *s = load_good(GOOD "included.yaml", NULL, 0);
    equal(s->time.dt, 1e-3);             /* defaults.yaml */
    equal(s->time.duration, 2);          /* the file itself wins */
    equal(s->time.cfl_limit, 0.25);      /* more.yaml wins over deeper.yaml */
    assert_int_equal(s->common.seed, 6); /* deeper.yaml, included later than defaults.yaml */
    assert_int_equal(s->materials.n, 1); /* lists are replaced */
    assert_int_equal(s->optimizer.type, PIO_MMA);
    assert_int_equal(s->optimizer.max_iterations, 7);
    pio_scene_free(s);
}

/* ---- --set --------------------------------------------------------------------------------------------- */

static void overrides_reach_every_kind_of_place(void **state)
{
    (void)state;
    const char *sets[] = {"time.dt=0.5 ms",           "materials.soft.E=20 kPa",
                          "materials[1].mu=1 MPa",    "gravity[1]=-1",
                          "method.grid.walls=slip",   "bodies.b.fill={particles_per_cell: 9}",
                          "output.states.fields=[J]", "gradient.check.directions=1",
                          "description=a = b"};
    pio_scene *s = load_good(GOOD "solids_2d.yaml", sets, sizeof sets / sizeof *sets);
    equal(s->time.dt, 5e-4);
    equal(s->materials.v[0].E, 20e3);
    equal(s->materials.v[1].mu, 1e6);
    equal(s->common.gravity[1], -1);
    assert_int_equal(s->mpm.grid.wall[0][0], PIO_WALL_SLIP);
    assert_int_equal(s->matter.bodies[1].particles_per_cell, 9);
    assert_int_equal(s->matter.bodies[1].fill, SCENE_REGULAR);
    assert_int_equal(s->output.state_fields.n, 1);
    assert_int_equal(s->gradient.check_directions, 1);
    assert_string_equal(s->input.description, "a = b");
    pio_scene_free(s);
    const char *create[] = {"gradient.memory.budget=1 MiB"};
    s = load_good(GOOD "fluids_3d.yaml", create, 1);
    equal(s->gradient.memory_budget, 1048576);
    pio_scene_free(s);
}

static void wrong_overrides_point_into_the_override(void **state)
{
    (void)state;
    static const struct {
        const char *set, *words;
    } cases[] = {
        {"time.dt=1 mm", "--set:1:9: error: time.dt: '1 mm' is a length"},
        {"time.dt", "--set:1:1: error: expected path=value"},
        {"=3", "--set:1:1: error: expected path=value"},
        {"time.dt=", "no value after '='"},
        {"time.dt=[1", "--set:1:"},
        {"time.dtt=1", "--set:1:6: error: time: unknown key 'dtt'; did you mean 'dt'?"},
        {"materials.sotf.E=1", "--set:1:11: error: no entry is named 'sotf'; did you mean 'soft'?"},
        {"materials[7].E=1", "--set:1:10: error: the list has 2 entries; [7] is not one of them"},
        {"materials[x].E=1", "--set:1:10: error: malformed path"},
        {"materials[-1].E=1", "malformed path"},
        {"time..dt=1", "malformed path"},
        {"time.=1", "malformed path"},
        {"time]=1", "--set:1:1: error: unknown key 'time]'"},
        {"name.x=1", "--set:1:6: error: the scene has a single value here"},
        {"time[0]=1", "--set:1:5: error: an index is for a list"},
        {"include=x.yaml", "--set:1:1: error: include cannot be set"},
        {"seed=!!int 3", "--set:1:6: error: tags are not read"},
        {"seed=*x", "--set:1:6: error: alias '*x' has no anchor"},
        {"bodies.a.material=stone", "--set:1:19: error: bodies[0].material: materials has no entry named 'stone'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        outcome o = load_bad(GOOD "solids_2d.yaml", &cases[i].set, 1);
        if (o.status != PIOLA_BAD_DATA || !strstr(o.error.message, cases[i].words))
            fail_msg("--set %s: status %d, '%s', want '%s'", cases[i].set, (int)o.status, o.error.message,
                     cases[i].words);
        free(o.text);
    }
}

/* ---- after loading ------------------------------------------------------------------------------------- */

static void later_faults_find_their_place(void **state)
{
    (void)state;
    pio_scene *s = load_good(GOOD "solids_2d.yaml", NULL, 0);
    piola_error error;
    assert_int_equal(pio_scene_fault(s, &error, "bodies[1].geometry", "is %d", 7), PIOLA_BAD_DATA);
    assert_non_null(
        strstr(error.message, "solids_2d.yaml:23:15: error: bodies[1].geometry: is 7\n    23 |     geometry: disc\n"));
    pio_scene_fault(s, &error, "time.dt", "x"); /* within a line */
    assert_non_null(strstr(error.message, ":11:12: error: time.dt: x\n"));
    pio_scene_fault(s, &error, "bodies[0].fill.method", "x"); /* absent: the nearest above it */
    assert_non_null(strstr(error.message, ":20:5: error: bodies[0].fill.method: x\n"));
    pio_scene_free(s);
}

static void files_stay_below_the_scene(void **state)
{
    (void)state;
    pio_scene *s = load_good(GOOD "solids_2d.yaml", NULL, 0);
    char path[PIO_PATH];
    piola_error error;
    assert_int_equal(pio_scene_file(s, "parts/speed.csv", path, sizeof path, &error), PIOLA_OK);
    assert_string_equal(path, GOOD "parts/speed.csv");
    assert_int_equal(pio_scene_file(s, "parts/../parts/./speed.csv", path, sizeof path, &error), PIOLA_OK);
    assert_int_equal(pio_scene_file(s, "../bad_scenes/empty.yaml", path, sizeof path, &error), PIOLA_REFUSED);
    assert_int_equal(pio_scene_file(s, "parts/../../x", path, sizeof path, &error), PIOLA_REFUSED);
    assert_int_equal(pio_scene_file(s, "/etc/hostname", path, sizeof path, &error), PIOLA_REFUSED);
    assert_int_equal(pio_scene_file(s, "none.csv", path, sizeof path, &error), PIOLA_NO_INPUT);
    assert_int_equal(pio_scene_file(s, "parts/speed.csv", path, 10, &error), PIOLA_NO_INPUT);
    pio_scene_free(s);
}

/* The resolved scene of a text that stands for the file at `path`; free() it. */
static char *resolved(const char *path, const char *text)
{
    pio_scene *scene;
    piola_error error = {0};
    char *out = NULL;
    size_t size;
    FILE *to = open_memstream(&out, &size);
    assert_non_null(to);
    const pio_scene_text from = {.path = path, .text = text, .size = strlen(text)};
    if (load_scene_text(&scene, &from, stderr, &error)) fail_msg("%s", error.message);
    pio_scene_resolved(scene, to);
    fclose(to);
    pio_scene_free(scene);
    return out;
}

/* What reads YAML 1.1 and writes it again makes `true` of the key `on`. */
static void a_round_trip_through_yaml_1_1_loses_no_key(void **state)
{
    (void)state;
    static const char *const written[] = {"true:", "True:"};
    const char *path = GOOD "meshes_2d.yaml";
    char *text = slurp(path), *want = resolved(path, text);
    for (size_t k = 0; k < 2; k++) {
        char *spoiled = calloc(2 * strlen(text) + 1, 1), *to = spoiled;
        int changed = 0;
        assert_non_null(spoiled);
        for (const char *at = text; *at;) {
            const bool here = at > text && (at[-1] == ' ' || at[-1] == '{') && !strncmp(at, "on:", 3);
            if (here) to += sprintf(to, "%s", written[k]);
            if (!here) *to++ = *at;
            at += here ? 3 : 1;
            changed += here;
        }
        char *got = resolved(path, spoiled);
        print_message("%d keys 'on' written as '%s'\n", changed, written[k]);
        assert_true(changed >= 5);
        assert_string_equal(got, want);
        assert_non_null(strstr(got, "\"on\""));
        free(got);
        free(spoiled);
    }
    free(want);
    free(text);
}

static void another_locale_changes_nothing(void **state)
{
    (void)state;
    char text[64];
    const char *const locales[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
    bool comma = false;
    for (size_t i = 0; i < 4 && !comma; i++) comma = setlocale(LC_ALL, locales[i]) != NULL;
    pio_locale old = pio_locale_begin();
    snprintf(text, sizeof text, "%.1f", 0.5);
    assert_string_equal(text, "0.5");
    pio_locale_end(old);
    snprintf(text, sizeof text, "%.1f", 0.5);
    print_message("a locale with a decimal comma %s: 0.5 prints as %s\n", comma ? "was set" : "is not installed", text);
    pio_scene *s = load_good(GOOD "solids_2d.yaml", NULL, 0);
    equal(s->time.cfl_limit, 0.4);
    pio_scene_free(s);
    setlocale(LC_ALL, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_2d_scene_has_its_exact_values),
        cmocka_unit_test(observations_and_designs_have_their_exact_values),
        cmocka_unit_test(defaults_are_filled_in),
        cmocka_unit_test(contact_is_what_bodies_and_keys_say),
        cmocka_unit_test(included_files_come_first_and_merge),
        cmocka_unit_test(overrides_reach_every_kind_of_place),
        cmocka_unit_test(wrong_overrides_point_into_the_override),
        cmocka_unit_test(later_faults_find_their_place),
        cmocka_unit_test(files_stay_below_the_scene),
        cmocka_unit_test(a_round_trip_through_yaml_1_1_loses_no_key),
        cmocka_unit_test(another_locale_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
