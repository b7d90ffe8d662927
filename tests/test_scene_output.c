/* test_scene_output.c -- JSON Schema, key reference and resolved scenes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "host/scene_private.h"
#include "tests/scene_helpers.h"

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

static void the_schema_is_json_and_names_every_key(void **state)
{
    (void)state;
    char *text = schema();
    assert_true(is_json(text));
    assert_false(is_json("{\"a\": 1,}")); /* negative control */
    assert_non_null(strstr(text, "http://json-schema.org/draft-07/schema#"));
    const char *const keys[] = {"\"particles_per_cell\"", "\"relative_objective\"", "\"z_max\"",
                                "\"exclusiveMaximum\""};
    for (size_t i = 0; i < 4; i++) assert_non_null(strstr(text, keys[i]));
    print_message("schema: %zu bytes\n", strlen(text));
    free(text);
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
    assert_non_null(strstr(text, "| `boundary[].value` | number or list | m | required | - | *displacement*:"));
    assert_non_null(
        strstr(text, "| `gradient.memory.budget` | number | B | nine tenths of what the device has free | above 0 |"));
    print_message("reference: %zu rows\n", rows);
    free(text);
}

static const char *const good_scenes[] = {"solids_2d",
                                          "fluids_3d",
                                          "constraint_2d",
                                          "included",
                                          "meshes_2d",
                                          "meshes_3d",
                                          "motion",
                                          "motion_newmark",
                                          "motion_leapfrog",
                                          "motion_euler",
                                          "plane_stress",
                                          "laws_3d",
                                          "reversible_2d",
                                          "reversible_3d",
                                          "obstacles_2d",
                                          "obstacles_3d",
                                          "control_2d",
                                          "groups_2d",
                                          "bodies_3d",
                                          "motion_reversible_leapfrog",
                                          "motion_reversible_euler"};
enum { GOOD_SCENES = sizeof good_scenes / sizeof *good_scenes };

static void a_resolved_scene_loads_to_itself(void **state)
{
    (void)state;
    for (size_t i = 0; i < GOOD_SCENES; i++) {
        char path[512], copy[512];
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
        char path[512];
        snprintf(path, sizeof path, GOOD "%s.yaml", good_scenes[i]);
        pio_scene *s = load_good(path, NULL, 0);
        if (methods >> s->method & 1) pio_scene_resolved(s, to);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_schema_is_json_and_names_every_key),
        cmocka_unit_test(the_reference_has_a_row_for_every_key),
        cmocka_unit_test(a_resolved_scene_loads_to_itself),
        cmocka_unit_test(every_enum_value_is_used_by_a_good_scene),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
