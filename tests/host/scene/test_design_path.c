/* test_design_path.c -- what a design may change is what the table of design paths has, and messages list its rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/host/scene/load_scene.h"
#include "tests/host/scene/scene_helpers.h"

#include "host/mesh/mesh.h"
#include "host/scene/design_path.h"
#include "host/scene/design_table.h"
#include "host/scene/scene_names.h"
#include "host/scene/scene_private.h"
#include "host/scene/scene_query.h"
#include "host/scene/words.h"

#include <dirent.h>

enum { MOST_PATHS = 400 };

/* ---- scenes ---------------------------------------------------------------------------------------------- */

/* A scene of a text that includes parts of the bad scenes; its messages into *messages, where they may be. */
static pio_scene *scene_of(const char *text, char **messages)
{
    size_t size = 0;
    piola_error error = {0};
    pio_scene *scene = NULL;
    FILE *to = open_memstream(messages, &size);
    assert_non_null(to);
    const pio_scene_text from = {.path = BAD "design_path_test.yaml", .text = text, .size = strlen(text)};
    (void)load_scene_text(&scene, &from, to, &error);
    assert_int_equal(fclose(to), 0);
    return scene;
}

/* Scenes of both methods in which each kind of owner has each of its quantities, and a name of each kind. */
#define PARTICLES                                                                                                      \
    "include: parts/base.yaml\n"                                                                                       \
    "obstacles: [{name: floor, type: box, size: [0.2, 0.1], position: [0.5, 0.1]}]\n"                                  \
    "actuators: [{name: left, body: one, fibre: [1, 0], on: {min: [0, 0], max: [0.5, 1]}},\n"                          \
    "            {name: right, body: one, fibre: [1, 0], on: {min: [0.5, 0], max: [1, 1]}}]\n"                         \
    "control: [{name: gait, type: sine, actuators: left, amplitude: 1 kPa, frequency: 5 Hz, phase: 1 rad},\n"          \
    "          {name: mind, type: network, actuators: right, limit: 1 kPa,\n"                                          \
    "           inputs: [{type: phase, frequency: 5 Hz}]}]\n"                                                          \
    "contact: {fields: [{bodies: one}]}\n"
#define MESHES                                                                                                         \
    "include: parts/mesh.yaml\n"                                                                                       \
    "time: {integrator: newmark, dt: 1 ms, duration: 5 ms}\n"                                                          \
    "materials: [{name: soft, model: neo_hookean, E: 1 kPa, nu: 0.2, density: 1000, mass_damping: 1 1/s,\n"            \
    "             stiffness_damping: 1 ms}]\n"                                                                         \
    "loads: [{name: push, body: one, on: {group: right}, type: force, value: [1 N, 0]}]\n"                             \
    "boundary: [{name: pull, body: one, on: {group: left}, type: displacement, axes: x, value: 1 mm}]\n"

static const struct {
    scene_owner owner;
    const char *list, *name, *scene;
} owners[] = {{SCENE_OWNER_ALL, "", "", PARTICLES},
              {SCENE_OWNER_MATERIAL, "materials", "soft", PARTICLES},
              {SCENE_OWNER_BODY, "bodies", "one", PARTICLES},
              {SCENE_OWNER_CONTROL, "control", "gait", PARTICLES},
              {SCENE_OWNER_CONTROL, "control", "mind", PARTICLES},
              {SCENE_OWNER_OBSTACLE, "obstacles", "floor", PARTICLES},
              {SCENE_OWNER_MATERIAL, "materials", "soft", MESHES},
              {SCENE_OWNER_BODY, "bodies", "one", MESHES},
              {SCENE_OWNER_LOAD, "loads", "push", MESHES},
              {SCENE_OWNER_BOUNDARY, "boundary", "pull", MESHES}};

/* The struct that an owner of these scenes has in the scene; of a body's material the material's. */
static const void *struct_of(const pio_scene *s, scene_owner owner, const char *name)
{
    const void *const lists[SCENE_OWNERS] = {s,
                                             s->materials.v,
                                             s->matter.bodies,
                                             s->actuation.control,
                                             s->loading.loads,
                                             s->loading.boundary,
                                             s->constants.v,
                                             s->obstacles.v};
    const size_t n[SCENE_OWNERS] = {1,
                                    1,
                                    s->matter.n_bodies,
                                    s->actuation.n_control,
                                    s->loading.n_loads,
                                    s->loading.n_boundary,
                                    s->constants.n,
                                    s->obstacles.n};
    const size_t bytes[SCENE_OWNERS] = {0,
                                        0,
                                        sizeof *s->matter.bodies,
                                        sizeof *s->actuation.control,
                                        sizeof *s->loading.loads,
                                        sizeof *s->loading.boundary,
                                        sizeof *s->constants.v,
                                        sizeof *s->obstacles.v};
    if (owner == SCENE_OWNER_ALL || owner == SCENE_OWNER_MATERIAL) return lists[owner];
    const size_t i = pio_scene_find(name, lists[owner], n[owner], bytes[owner]);
    assert_true(i < n[owner]);
    return (const char *)lists[owner] + i * bytes[owner];
}

/* Has this owner the quantity of the row, by the row itself? Of a material it needs the key, too. */
static bool expected(const pio_scene *s, const design_row *row, scene_owner owner, const char *name)
{
    const bool of_material = row->owner == SCENE_OWNER_MATERIAL;
    if (row->owner != owner && !(of_material && owner == SCENE_OWNER_BODY)) return false;
    if (of_material && !pio_table_field(pio_scene_materials(s), row->key)) return false;
    return (!row->has || row->has(s, struct_of(s, row->owner, name))) && !pio_scene_has_no(s, row->key);
}

/* ---- messages -------------------------------------------------------------------------------------------- */

/* Does the list of words after "there are: ", with ", " between them, have this one? */
static bool lists(const char *message, const char *word)
{
    const size_t length = strlen(word);
    const char *at = strstr(message, "; there are: ");
    for (at = at ? at + strlen("; there are: ") : NULL; at;) {
        if (!strncmp(at, word, length) && (at[length] == ',' || at[length] == '\n' || !at[length])) return true;
        const char *next = strpbrk(at, ",\n");
        at = next && *next == ',' ? next + 2 : NULL;
    }
    return false;
}

/* Compares the message with the rows: it lists those that the owner has, and no others; returns how many these are. */
static size_t check_message(const pio_scene *s, scene_owner owner, const char *list, const char *name,
                            const char *message)
{
    size_t found = 0;
    const design_row *row;
    for (size_t r = 0; (row = pio_design_row(r)); r++) {
        char path[200];
        bool has = false;
        if (!row->key) continue;
        if (row->owner != owner && !(row->owner == SCENE_OWNER_MATERIAL && owner == SCENE_OWNER_BODY)) continue;
        const design_row *other; /* of rows with one key any */
        for (size_t q = 0; (other = pio_design_row(q)); q++)
            has |= other->owner == row->owner && other->key && !strcmp(other->key, row->key) &&
                   expected(s, other, owner, name);
        snprintf(path, sizeof path, "%s%s%s%s%s", list, *list ? "." : "", name, *name ? "." : "", row->key);
        if (has != lists(message, path)) fail_msg("%s: the message %s it", path, has ? "lacks" : "lists");
        found += has;
    }
    return found;
}

static void an_unknown_key_is_answered_with_the_rows_of_its_owner(void **state)
{
    (void)state;
    for (size_t o = 0; o < sizeof owners / sizeof *owners; o++) {
        char text[2000], *messages = NULL, *unused = NULL;
        const char *list = owners[o].list, *name = owners[o].name;
        pio_scene *good = scene_of(owners[o].scene, &unused);
        if (!good) fail_msg("%s", unused);
        snprintf(text, sizeof text, "%sdesign: [{name: d, target: %s%s%s%sqqqqqqqqqqqqqqqqqqqq}]\n", owners[o].scene,
                 list, *list ? "." : "", name, *name ? "." : "");
        assert_null(scene_of(text, &messages));
        print_message("%s", messages);
        assert_non_null(strstr(messages, "design_path_test.yaml:"));
        assert_non_null(strstr(messages, "design[0].target"));
        assert_non_null(strstr(messages, "there is no design quantity '"));
        const size_t found = check_message(good, owners[o].owner, list, name, messages);
        if (!found) fail_msg("nothing of %s is listed", list);
        free(messages);
        free(unused);
        pio_scene_free(good);
    }
}

static void velocities_of_obstacles_are_listed(void **state)
{
    (void)state;
    char *messages = NULL;
    assert_null(scene_of(PARTICLES "design: [{name: d, target: obstacles.floor.qqqqqqqqqqqqqqqqqqqq}]\n", &messages));
    const char *const all[] = {"obstacles.floor.position", "obstacles.floor.rotation", "obstacles.floor.friction",
                               "obstacles.floor.friction_velocity", "obstacles.floor.separation_velocity"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!lists(messages, all[i])) fail_msg("%s is not in: %s", all[i], messages);
    assert_false(lists(messages, "obstacles.floor.thickness"));
    free(messages);
}

/* ---- the table ------------------------------------------------------------------------------------------- */

/* Each path of the scene is parsed as what it was made of, and has a value; rows that it has are marked. */
static void check_scene(const pio_scene *s, bool *met)
{
    scene_path known[MOST_PATHS];
    const size_t n = pio_design_paths(s, known, MOST_PATHS);
    assert_true(n <= MOST_PATHS);
    for (size_t i = 0; i < n; i++) {
        char text[200];
        scene_path parsed;
        scene_target target;
        pio_design_path_text(s, &known[i], text, sizeof text);
        if (!pio_design_path_parse(s, text, &parsed)) fail_msg("%s: %s is not parsed", s->input.path, text);
        if (!pio_design_path_same(&parsed, &known[i]) || strcmp(parsed.key, known[i].key) != 0)
            fail_msg("%s: %s is parsed as another path", s->input.path, text);
        for (size_t j = 0; j < i; j++)
            if (pio_design_path_same(&known[j], &known[i])) fail_msg("%s: %s is listed twice", s->input.path, text);
        pio_design_path_target(s, &parsed, &target);
        assert_true(target.components >= 1);
        assert_true(target.quantity != CFG_ANY);
        for (int c = 0; c < target.components; c++) assert_true(isfinite(pio_target_value(&target, (size_t)c)));
        for (size_t r = 0; pio_design_row(r); r++) met[r] |= pio_design_row(r) == known[i].row;
    }
    for (size_t d = 0; d < s->goal.n_design; d++)
        for (size_t k = 0; k < s->goal.design[d].target.n; k++) {
            char text[200];
            pio_design_path_text(s, &s->goal.design[d].path[k], text, sizeof text);
            assert_string_equal(text, s->goal.design[d].target.v[k]);
        }
}

static void every_row_is_met_by_a_good_scene_and_parsed_as_itself(void **state)
{
    (void)state;
    bool met[100] = {false};
    DIR *folder = opendir(GOOD);
    assert_non_null(folder);
    for (const struct dirent *e; (e = readdir(folder));) {
        const char *end = strrchr(e->d_name, '.');
        char path[600];
        if (!end || strcmp(end, ".yaml") != 0) continue;
        snprintf(path, sizeof path, GOOD "%s", e->d_name);
        pio_scene *s = load_good(path, NULL, 0);
        check_scene(s, met);
        pio_scene_free(s);
    }
    closedir(folder);
    char *messages = NULL;
    pio_scene *s = scene_of(PARTICLES, &messages);
    if (!s) fail_msg("%s", messages);
    check_scene(s, met);
    pio_scene_free(s);
    free(messages);
    for (size_t r = 0; pio_design_row(r); r++)
        if (!met[r]) fail_msg("row %zu, %s, is in no scene", r, pio_design_row(r)->key);
}

static void what_the_scene_lacks_is_not_parsed(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",
                                        ".",
                                        "gravity.z",
                                        "gravity.w",
                                        "gravity.x.x",
                                        "gravity.",
                                        "bodies.one.velocity.z",
                                        "obstacles.floor.rotation.x",
                                        "method.spacing",
                                        "materials.soft",
                                        "materials.soft.",
                                        "materials.sof.E",
                                        "materials.softer.E",
                                        "materials.soft.E.x",
                                        "materials.soft.mu",
                                        "materials.soft.name",
                                        "materials.soft.position",
                                        "bodies.soft.E",
                                        "bodies.one.rest_position",
                                        "bodies.one.thickness",
                                        "control.gait.knots",
                                        "control.gait.weights",
                                        "control.mind.amplitude",
                                        "loads.floor.value",
                                        "obstacles.floor.value",
                                        "obstacle.floor.position",
                                        "obstacles..position"};
    char *messages = NULL;
    pio_scene *s = scene_of(PARTICLES, &messages);
    if (!s) fail_msg("%s", messages);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        scene_path path;
        if (pio_design_path_parse(s, wrong[i], &path)) fail_msg("'%s' is parsed as %s", wrong[i], path.key);
        assert_null(path.key);
    }
    pio_scene_free(s);
    free(messages);
}

static void a_component_is_the_number_of_its_axis(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        double value;
    } right[] = {{"gravity.y", -7},
                 {"loads.push.value.x", 1},
                 {"loads.push.value.y", 2},
                 {"boundary.pull.value.x", 4e-3},
                 {"boundary.pull.value.y", 3e-3},
                 {"bodies.one.velocity.x", 0.5},
                 {"bodies.one.displacement.y", 2e-3}};
    char *messages = NULL;
    pio_scene *s = scene_of("include: parts/mesh.yaml\n"
                            "materials: [{name: soft, model: linear, E: 1 kPa, nu: 0.2, density: 1000}]\n"
                            "time: {integrator: newmark, dt: 1 ms, duration: 5 ms}\n"
                            "gravity: [0, -7]\n"
                            "bodies: [{name: one, geometry: block, material: soft, velocity: [0.5, 0],\n"
                            "          displacement: [0, 2 mm]}]\n"
                            "loads: [{name: push, body: one, on: {group: right}, type: force, value: [1 N, 2 N]}]\n"
                            "boundary: [{name: pull, body: one, on: {group: left}, type: displacement, axes: [y, x],\n"
                            "            value: [3 mm, 4 mm]}]\n",
                            &messages);
    if (!s) fail_msg("%s", messages);
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        char text[200];
        scene_path path, whole;
        scene_target t;
        if (!pio_design_path_parse(s, right[i].path, &path)) fail_msg("%s is not parsed", right[i].path);
        pio_design_path_text(s, &path, text, sizeof text);
        assert_string_equal(text, right[i].path);
        pio_design_path_target(s, &path, &t);
        assert_int_equal(t.components, 1);
        equal(t.value[0], right[i].value);
        snprintf(text, sizeof text, "%.*s", (int)strlen(right[i].path) - 2, right[i].path);
        assert_true(pio_design_path_parse(s, text, &whole));
        assert_true(pio_design_path_overlaps(&whole, &path));
        assert_false(pio_design_path_same(&whole, &path));
        assert_int_equal(pio_design_path_overlaps(&path, &(scene_path){.owner = path.owner,
                                                                       .index = path.index,
                                                                       .quantity = path.quantity,
                                                                       .part = 1 - path.part}),
                         0);
    }
    pio_scene_free(s);
    free(messages);
}

/* Unit and range of a row are those of the key with which the scene gives the value, where it has one of that name. */
static void rows_have_the_units_and_ranges_of_keys(void **state)
{
    (void)state;
    static const struct {
        scene_owner owner;
        const cfg_table *table;
    } tables[] = {{SCENE_OWNER_BODY, &pio_body_table},
                  {SCENE_OWNER_CONTROL, &pio_control_table},
                  {SCENE_OWNER_OBSTACLE, &pio_obstacle_table}};
    size_t compared = 0;
    const design_row *row;
    for (size_t r = 0; (row = pio_design_row(r)); r++)
        for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
            if (row->owner != tables[t].owner || row->component) continue; /* clocks are keys of inputs */
            const cfg_field *f = pio_table_field(tables[t].table, row->key);
            if (!f || f->type == CFG_MAPPING) continue;
            if (f->quantity != row->unit) fail_msg("%s: another unit than its key", row->key);
            assert_int_equal(f->range.ends, row->range.ends);
            equal(f->range.lo, row->range.lo);
            equal(f->range.hi, row->range.hi);
            compared++;
        }
    print_message("units and ranges of %zu rows are those of keys\n", compared);
    assert_true(compared >= 10);
}

/* Along the radius of rings no weight acts. */
static void of_the_weight_of_rings_the_part_along_the_axis_is_listed(void **state)
{
    (void)state;
    pio_scene *s = load_good(GOOD "axisymmetric.yaml", NULL, 0);
    scene_path paths[MOST_PATHS];
    const size_t n = pio_design_paths(s, paths, MOST_PATHS);
    int along = 0, whole = 0;
    for (size_t i = 0; i < n && i < MOST_PATHS; i++) {
        char text[200];
        pio_design_path_text(s, &paths[i], text, sizeof text);
        along += !strcmp(text, "gravity.y");
        whole += !strcmp(text, "gravity");
    }
    assert_int_equal(along, 1);
    assert_int_equal(whole, 0);
    pio_scene_free(s);
}

static void scenes_and_meshes_have_the_same_words_for_elements(void **state)
{
    (void)state;
    for (int t = 0; t < PIO_ELEMENT_TYPES; t++) assert_string_equal(pio_element_words[t], pio_elements[t].name);
    assert_null(pio_element_words[PIO_ELEMENT_TYPES]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_unknown_key_is_answered_with_the_rows_of_its_owner),
        cmocka_unit_test(velocities_of_obstacles_are_listed),
        cmocka_unit_test(every_row_is_met_by_a_good_scene_and_parsed_as_itself),
        cmocka_unit_test(what_the_scene_lacks_is_not_parsed),
        cmocka_unit_test(a_component_is_the_number_of_its_axis),
        cmocka_unit_test(rows_have_the_units_and_ranges_of_keys),
        cmocka_unit_test(of_the_weight_of_rings_the_part_along_the_axis_is_listed),
        cmocka_unit_test(scenes_and_meshes_have_the_same_words_for_elements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
