/* test_scene_output.c -- JSON Schema, key reference and resolved scenes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "host/base/path.h"
#include "host/scene/scene_private.h"
#include "host/scene/study.h"
#include "tests/host/scene/scene_helpers.h"

#include <unistd.h>

/* ---- output -------------------------------------------------------------------------------------------- */

/* Strict JSON (RFC 8259): returns what follows the value, or NULL. */
static const char *json_value(const char *s);

static const char *blank(const char *s)
{
    return s + strspn(s, " \t\r\n");
}

static const char *json_string(const char *s)
{
    if (*s++ != '"') return NULL;
    for (; *s && *s != '"'; s++) {
        if ((unsigned char)*s < 32) return NULL;
        if (*s == '\\' && !strchr("\"\\/bfnrtu", *++s)) return NULL;
    }
    return *s ? s + 1 : NULL;
}

static const char *json_members(const char *s, char close, bool keyed)
{
    s = blank(s + 1);
    if (*s == close) return s + 1;
    for (;;) {
        if (keyed && (!(s = json_string(blank(s))) || *(s = blank(s)) != ':')) return NULL;
        s = json_value(blank(s + keyed));
        if (!s) return NULL;
        s = blank(s);
        if (*s == close) return s + 1;
        if (*s++ != ',') return NULL;
    }
}

static const char *json_value(const char *s)
{
    char *end;
    if (*s == '{') return json_members(s, '}', true);
    if (*s == '[') return json_members(s, ']', false);
    if (*s == '"') return json_string(s);
    if (strncmp(s, "true", 4) == 0 || strncmp(s, "null", 4) == 0) return s + 4;
    if (strncmp(s, "false", 5) == 0) return s + 5;
    if (*s != '-' && (*s < '0' || *s > '9')) return NULL;
    strtod(s, &end);
    return end;
}

static bool is_json(const char *text)
{
    const char *end = json_value(blank(text));
    return end && !*blank(end);
}

static char *schema(void)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    assert_non_null(to);
    pio_scene_schema(to);
    assert_int_equal(fclose(to), 0);
    return text;
}

static char *resolved(const pio_scene *scene)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    assert_non_null(to);
    pio_scene_resolved(scene, to);
    assert_int_equal(fclose(to), 0);
    return text;
}

/* ---- keys of the tables in the schema ---------------------------------------------------------------------- */

/* The value of a member of a JSON object, entry number n of an array; NULL where there is none. */
static const char *member(const char *object, const char *key)
{
    const size_t length = strlen(key);
    if (!object || *object != '{') return NULL;
    for (const char *s = blank(object + 1); *s == '"'; s = blank(s + 1)) {
        const char *name = s + 1;
        s = blank(blank(json_string(s)) + 1);
        if (!strncmp(name, key, length) && name[length] == '"') return s;
        s = blank(json_value(s));
        if (*s != ',') break;
    }
    return NULL;
}

static const char *entry(const char *array, int n)
{
    if (!array || *array != '[') return NULL;
    const char *s = blank(array + 1);
    for (; n > 0 && *s != ']'; n--) {
        s = blank(json_value(s));
        if (*s == ',') s = blank(s + 1);
    }
    return *s == ']' ? NULL : s;
}

typedef struct {
    const char *definitions;
    int keys, missing;
} sought;

static void seek(sought *n, const char *found, const char *what, const char *key)
{
    n->keys++;
    if (found) return;
    n->missing++;
    print_message("the schema of a %s lacks '%s'\n", what, key);
}

static void seek_table(sought *n, const cfg_table *table, const char *schema);

/* The keys of a table's variant among its properties; -1: of all. */
static void seek_fields(sought *n, const cfg_table *table, int variant, const char *properties)
{
    for (const cfg_field *f = table->fields; f->key; f++) {
        char name[64];
        if (!pio_field_legal(f, variant)) continue;
        const char *own = member(properties, f->key), *kinds = member(own, "anyOf"), *below = entry(kinds, 0);
        seek(n, own, table->what, f->key);
        for (size_t k = 0; f->slots && f->slots[k]; k++)
            seek(n, member(member(entry(kinds, 1), "properties"), f->slots[k]), f->key, f->slots[k]);
        snprintf(name, sizeof name, "%s", f->table ? f->table->what : "");
        for (char *c = name; *c; c++)
            if (*c == ' ') *c = '_';
        if (own && f->table) seek_table(n, f->table, f->type == CFG_LIST ? member(n->definitions, name) : below);
    }
}

static void seek_table(sought *n, const cfg_table *table, const char *schema)
{
    if (!table->discriminator) {
        seek_fields(n, table, -1, member(schema, "properties"));
        return;
    }
    const cfg_field *tag = pio_table_field(table, table->discriminator);
    const char *kinds = member(schema, "oneOf") ? member(schema, "oneOf") : member(schema, "anyOf");
    for (int v = 0, at = 0; tag->values[v]; v++)
        if (pio_value_legal(tag, v)) seek_fields(n, table, v, member(entry(kinds, at++), "properties"));
}

/* Keys of all variants of all tables of studies and of both methods, in a whole file and in one that includes another.
 */
static int missing_of_schema(const char *text)
{
    sought n = {.definitions = member(text, "definitions")};
    const char *scenes = member(text, "else");
    for (int whole = 0; whole < 2; whole++)
        seek_table(&n, &pio_study_table, member(member(text, "then"), whole ? "else" : "then"));
    for (int fem = 0; fem < 2; fem++)
        for (int whole = 0; whole < 2; whole++) { /* the first of what is not fem is a scene that includes its method */
            const char *of = fem ? member(scenes, "then") : member(member(scenes, "else"), "else");
            seek_table(&n, fem ? &pio_fem_scene_table : &pio_scene_table, member(of, whole ? "else" : "then"));
        }
    print_message("schema: %d places of keys, %d missing (threshold 0)\n", n.keys, n.missing);
    assert_true(n.keys > 1000);
    return n.missing;
}

static void the_schema_is_json_and_names_every_key(void **state)
{
    (void)state;
    char *text = schema();
    assert_true(is_json(text));
    assert_false(is_json("{\"a\": 1,}")); /* negative control */
    assert_non_null(strstr(text, "http://json-schema.org/draft-07/schema#"));
    assert_non_null(strstr(text, "\"exclusiveMaximum\""));
    assert_int_equal(missing_of_schema(text), 0);
    char *spoiled = strdup(text);
    assert_non_null(spoiled);
    char *gone = strstr(spoiled, "\"particles_per_cell\"");
    assert_non_null(gone);
    gone[1] = '_'; /* negative control: another key stands there */
    assert_true(missing_of_schema(spoiled) > 0);
    free(spoiled);
    free(text);
}

/* ---- paths of keys ------------------------------------------------------------------------------------------- */

/* Calls what(path, context) for every key of a table and of those below it: "materials[].E", "method.grid.walls.x_min"
 * of slots; returns how many of them it denies. */
typedef bool each_path(const char *path, const void *context);
static int denied(const cfg_table *table, const char *above, bool slots, each_path *what, const void *context,
                  int *keys)
{
    int no = 0;
    for (const cfg_field *f = table->fields; f->key; f++) {
        char path[CFG_PATH];
        const int n = snprintf(path, sizeof path, "%.400s%s%s%s", above, *above ? "." : "", f->key,
                               f->type == CFG_LIST ? "[]" : "");
        no += !what(path, context);
        ++*keys;
        for (size_t k = 0; slots && f->slots && f->slots[k]; k++, ++*keys) {
            snprintf(path + n, sizeof path - (size_t)n, ".%s", f->slots[k]);
            no += !what(path, context);
        }
        path[n] = '\0';
        if (f->table) no += denied(f->table, path, slots, what, context, keys);
    }
    return no;
}

static bool has_row(const char *path, const void *reference)
{
    char row[CFG_PATH + 8];
    snprintf(row, sizeof row, "\n| `%s` | ", path);
    if (strstr(reference, row)) return true;
    print_message("the reference has no row for %s\n", path);
    return false;
}

static void the_reference_has_a_row_for_every_key(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size, rows = 0;
    FILE *to = open_memstream(&text, &size);
    assert_non_null(to);
    pio_scene_reference(to);
    fclose(to);
    for (const char *line = text; *line; line = strchr(line, '\n') + 1, rows++) {
        size_t bars = 0;
        if (*line != '|') continue; /* the headings of the two methods */
        for (const char *c = line; *c != '\n'; c++) bars += *c == '|';
        if (bars != 7) fail_msg("a row with %zu bars: %.*s", bars, (int)strcspn(line, "\n"), line);
    }
    assert_non_null(strstr(
        text, "| `materials[].nu` | number | - | - | above -1 and below 0.5 | *st_venant_kirchhoff, fixed_corotated, "
              "neo_hookean, neo_hookean_iso, stable_neo_hookean, hencky*:"));
    assert_non_null(
        strstr(text, "| `boundary[].value` | number, expression or list | m | required | - | *displacement*:"));
    assert_non_null(
        strstr(text, "| `gradient.memory.budget` | number | B | nine tenths of what the device has free | above 0 |"));
    char *fem = strstr(text, "\nScenes of `method: {type: fem}`");
    int keys = 0, missing = 0;
    assert_non_null(fem);
    missing += denied(&pio_fem_scene_table, "", false, has_row, fem, &keys);
    *fem = '\0';
    missing += denied(&pio_scene_table, "", false, has_row, text, &keys);
    print_message("reference: %zu rows, %d keys, %d without a row (threshold 0)\n", rows, keys, missing);
    assert_false(has_row("materials[].no_such_key", text)); /* negative control */
    assert_int_equal(missing, 0);
    free(text);
}

static const char *const good_scenes[] = {"solids_2d",
                                          "fluids_3d",
                                          "constraint_2d",
                                          "terms_2d",
                                          "included",
                                          "meshes_2d",
                                          "meshes_3d",
                                          "motion",
                                          "modal",
                                          "motion_newmark",
                                          "driven_2d",
                                          "motion_leapfrog",
                                          "motion_euler",
                                          "plane_stress",
                                          "axisymmetric",
                                          "laws_3d",
                                          "reversible_2d",
                                          "reversible_3d",
                                          "walls_3d",
                                          "obstacles_2d",
                                          "potential_2d",
                                          "sized_2d",
                                          "repelled_2d",
                                          "obstacles_3d",
                                          "control_2d",
                                          "learned_2d",
                                          "learned_mesh",
                                          "plastic_2d",
                                          "plastic_3d",
                                          "groups_2d",
                                          "bodies_3d",
                                          "motion_reversible_leapfrog",
                                          "motion_reversible_euler",
                                          "varying_2d",
                                          "varying_3d",
                                          "varying_motion",
                                          "turning_3d",
                                          "tied_2d",
                                          "volumes_2d",
                                          "volumes_3d",
                                          "heated_2d",
                                          "heated_motion",
                                          "heated_rings",
                                          "topology_2d",
                                          "topology_mapped",
                                          "topology_mapped_3d",
                                          "topology_motion",
                                          "filled_2d",
                                          "filled_reversible",
                                          "least_squares_2d",
                                          "least_squares_columns",
                                          "least_squares_mpm",
                                          "lattices_2d",
                                          "lattice_of_two_2d",
                                          "lattice_3d",
                                          "shared_2d",
                                          "mixed_2d",
                                          "three_materials_2d",
                                          "touched_2d",
                                          "collided_2d",
                                          "pressed_2d",
                                          "rubbed_2d",
                                          "touched_3d",
                                          "sized_3d"};
enum { GOOD_SCENES = sizeof good_scenes / sizeof *good_scenes };

static void a_resolved_scene_loads_to_itself(void **state)
{
    (void)state;
    for (size_t i = 0; i < GOOD_SCENES; i++) {
        char path[PIO_PATH], copy[PIO_PATH];
        snprintf(path, sizeof path, GOOD "%s.yaml", good_scenes[i]);
        snprintf(copy, sizeof copy, GOOD "resolved_%ld.tmp", (long)getpid());
        pio_scene *s = load_good(path, NULL, 0);
        char *once = resolved(s);
        pio_scene_free(s);
        assert_true(is_json(once));
        FILE *to = fopen(copy, "w"); /* beside the scene: its data files are named relative to it */
        assert_non_null(to);
        fputs(once, to);
        fclose(to);
        s = load_good(copy, NULL, 0);
        char *twice = resolved(s);
        pio_scene_free(s);
        remove(copy);
        assert_string_equal(once, twice);
        free(once);
        free(twice);
    }
}

/* ---- what good scenes use ------------------------------------------------------------------------------------ */

/* Does some resolved good scene hold "key": "value" (or, for lists, the value alone)? */
static bool used(const char *all, const cfg_field *f, const char *value)
{
    char words[200];
    if (f->type == CFG_TEXTS) snprintf(words, sizeof words, "\"%s\"", value);
    if (f->type == CFG_ENUM) snprintf(words, sizeof words, "\"%s\": \"%s\"", f->key, value);
    if (f->type == CFG_ENUM_MAP) snprintf(words, sizeof words, "\"%s\": \"%s\"", f->slots[0], value);
    if (strstr(all, words)) return true;
    for (size_t s = 1; f->type == CFG_ENUM_MAP && f->slots[s]; s++) {
        snprintf(words, sizeof words, "\"%s\": \"%s\"", f->slots[s], value);
        if (strstr(all, words)) return true;
    }
    return false;
}

static void walk(const cfg_table *table, const char *all, int *values, int *unused)
{
    for (const cfg_field *f = table->fields; f->key; f++) {
        if (f->table) walk(f->table, all, values, unused);
        const char *value[CFG_MOST_VALUES];
        const size_t n = f->values ? pio_field_values(f, value) : 0;
        for (size_t v = 0; v < n; v++, ++*values) {
            if (used(all, f, value[v])) continue;
            print_message("no good scene uses %s: %s\n", f->key, value[v]);
            ++*unused;
        }
    }
}

/* Values of enums of a table that no good scene of these methods, a bit for each, has. */
static int unused_values(const cfg_table *table, unsigned methods)
{
    char *all = NULL;
    size_t size;
    int values = 0, unused = 0;
    FILE *to = open_memstream(&all, &size);
    assert_non_null(to);
    for (size_t i = 0; i < GOOD_SCENES; i++) {
        char path[PIO_PATH];
        snprintf(path, sizeof path, GOOD "%s.yaml", good_scenes[i]);
        pio_scene *s = load_good(path, NULL, 0);
        if (methods >> s->method.type & 1) pio_scene_resolved(s, to);
        pio_scene_free(s);
    }
    fclose(to);
    walk(table, all, &values, &unused);
    print_message("%d enum values, %d unused (threshold 0)\n", values, unused);
    free(all);
    return unused;
}

static void every_enum_value_is_used_by_a_good_scene(void **state)
{
    (void)state;
    const unsigned particles = 1u << SCENE_MPM, meshes = 1u << SCENE_FEM;
    assert_int_equal(unused_values(&pio_scene_table, particles | meshes), 0);
    assert_int_equal(unused_values(&pio_fem_scene_table, particles | meshes), 0);
    assert_int_equal(unused_values(&pio_material_table, particles), 0); /* laws: of each method */
    assert_int_equal(unused_values(&pio_fem_material_table, meshes), 0);
}

/* Is something at this path, [] being any entry of a list? */
static bool holds(const cfg_node *node, const char *path)
{
    char key[80];
    const size_t n = strcspn(path, ".[");
    snprintf(key, sizeof key, "%.*s", (int)n, path);
    const cfg_node *item = node->kind == CFG_PAIRS ? pio_cfg_get(node, key, NULL) : NULL;
    const char *rest = path + n;
    if (!item || !*rest) return item != NULL;
    if (*rest == '.') return holds(item, rest + 1);
    if (!rest[2]) return true;
    for (size_t i = 0; i < item->n; i++)
        if (item->kind == CFG_SEQUENCE && holds(item->items[i], rest + 3)) return true;
    return false;
}

typedef struct {
    pio_scene *scene[GOOD_SCENES];
    scene_method_type method;
} good;

static bool is_used(const char *path, const void *context)
{
    const good *all = context;
    for (size_t i = 0; i < GOOD_SCENES; i++)
        if (all->scene[i]->method.type == all->method && holds(all->scene[i]->input.source->doc.root, path))
            return true;
    if (!strcmp(path, "include")) return true; /* what it names has taken its place */
    print_message("no good scene of %s has %s\n", all->method == SCENE_FEM ? "fem" : "mpm", path);
    return false;
}

static void every_key_is_used_by_a_good_scene(void **state)
{
    (void)state;
    good all = {.method = SCENE_MPM};
    int keys = 0, unused = 0;
    for (size_t i = 0; i < GOOD_SCENES; i++) {
        char path[PIO_PATH];
        snprintf(path, sizeof path, GOOD "%s.yaml", good_scenes[i]);
        all.scene[i] = load_good(path, NULL, 0);
    }
    assert_false(is_used("materials[].no_such_key", &all)); /* negative control */
    unused += denied(&pio_scene_table, "", true, is_used, &all, &keys);
    all.method = SCENE_FEM;
    unused += denied(&pio_fem_scene_table, "", true, is_used, &all, &keys);
    for (size_t i = 0; i < GOOD_SCENES; i++) pio_scene_free(all.scene[i]);
    print_message("%d keys, %d unused (threshold 0)\n", keys, unused);
    assert_int_equal(unused, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_schema_is_json_and_names_every_key),
        cmocka_unit_test(the_reference_has_a_row_for_every_key),
        cmocka_unit_test(a_resolved_scene_loads_to_itself),
        cmocka_unit_test(every_enum_value_is_used_by_a_good_scene),
        cmocka_unit_test(every_key_is_used_by_a_good_scene),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
