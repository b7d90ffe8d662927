/* test_model_groups.c -- groups of particles in designs and observations, shapes and wanted densities on the grid. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "host/model/model_groups.h"
#include "tests/host/scene/load_scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FLAT PIO_SOURCE_DIR "/tests/data/good_scenes/groups_2d.yaml"
#define SPACE PIO_SOURCE_DIR "/tests/data/good_scenes/bodies_3d.yaml"

typedef struct {
    pio_scene *scene;
    pio_model *model;
} made;

static made make(const char *path, const char *const *sets, size_t n)
{
    made m = {0};
    piola_error error;
    if (load_scene(&m.scene, path, sets, n, stderr, &error)) fail_msg("%s", error.message);
    if (pio_model_create(&m.model, m.scene, &error)) fail_msg("%s", error.message);
    return m;
}

static void drop(made *m)
{
    pio_model_free(m->model);
    pio_scene_free(m->scene);
}

static int count(const pio_model *m, const char *group)
{
    int n = 0;
    for (int64_t p = 0; p < m->desc.particles.n; p++) n += m->groups[pio_model_group(m, group)][p];
    return n;
}

/* The strip's particles are numbered as its file's rows: four to a column of 25 mm, from x = 212.5 mm on. */
static void a_group_holds_the_particles_that_start_there_or_are_listed(void **state)
{
    made m = make(FLAT, NULL, 0);
    const pio_model *o = m.model;
    (void)state;
    assert_int_equal(o->desc.particles.n, 64);
    print_message("root %d, middle %d, tip %d, all %d\n", count(o, "root"), count(o, "middle"), count(o, "tip"),
                  count(o, "all"));
    assert_int_equal(count(o, "tip"), 16);
    assert_int_equal(count(o, "all"), 64);
    for (int64_t p = 0; p < 64; p++) {
        const double x = 0.2 + 0.0125 + 0.025 * (double)(p / 4), y = 0.2 + 0.0125 + 0.025 * (double)(p % 4);
        assert_true(fabs(o->position[2 * p] - x) < 1e-6 && fabs(o->position[2 * p + 1] - y) < 1e-6);
        assert_true(fabs(o->volume[p] - 0.000625) < 1e-9);
        assert_int_equal(o->groups[pio_model_group(o, "tip")][p], p >= 48);
        assert_int_equal(o->groups[pio_model_group(o, "middle")][p], x > 0.31 && x < 0.45);
        assert_int_equal(o->groups[pio_model_group(o, "root")][p], hypot(x - 0.2, y - 0.25) <= 0.1);
    }
    drop(&m);
}

static void a_design_has_a_value_for_each_group_and_leaves_the_rest(void **state)
{
    made m = make(FLAT, NULL, 0);
    const pio_model *o = m.model;
    char name[128];
    int left = 0;
    (void)state;
    assert_int_equal(o->parameters[0].groups, 2);
    assert_int_equal(o->designs[0].each, 0);
    for (int64_t p = 0; p < 64; p++) {
        const int32_t k = o->designs[0].index[p];
        const bool root = o->groups[pio_model_group(o, "root")][p], tip = o->groups[pio_model_group(o, "tip")][p];
        assert_int_equal(k, root ? 0 : tip ? 1 : -1); /* in the order of the scene's groups */
        left += k < 0;
    }
    assert_true(left > 0);
    pio_model_variable_name(o, 1, name, sizeof name);
    print_message("%s; %d particles keep their modulus\n", name, left);
    assert_string_equal(name, "materials.soft.E[group tip]");
    assert_int_equal(o->parameters[1].groups, 1); /* `groups: all` */
    pio_model_variable_name(o, 2, name, sizeof name);
    assert_string_equal(name, "materials.soft.density[group all]");
    drop(&m);
}

/* A body's own entry for some of its groups leaves the rest of the body to the material's entry. */
static void what_is_in_no_group_of_a_bodys_entry_is_governed_by_its_materials(void **state)
{
    static const char *const sets[] = {
        "design=[{name: all, target: materials.soft.E}, {name: tip, target: bodies.beam.E, per: group, groups: tip}]"};
    static const char *const pairs[] = {"design=[{name: rest, target: materials.soft.E, per: group, groups: [all]}, "
                                        "{name: ends, target: bodies.beam.E, "
                                        "per: group, groups: [root, tip]}]"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        made m = make(FLAT, i ? pairs : sets, 1);
        const pio_model *o = m.model;
        int materials = 0, own = 0;
        for (int64_t p = 0; p < 64; p++) {
            const bool tip = o->groups[pio_model_group(o, "tip")][p], root = o->groups[pio_model_group(o, "root")][p];
            assert_int_equal(o->designs[1].index[p], i ? (root ? 0 : tip ? 1 : -1) : tip ? 0 : -1);
            assert_int_equal(o->designs[0].index[p], tip || (i && root) ? -1 : 0);
            materials += o->designs[0].index[p] >= 0;
            own += o->designs[1].index[p] >= 0;
        }
        print_message("%d particles by the material's entry, %d by the body's, of 64\n", materials, own);
        assert_int_equal(materials + own, 64);
        drop(&m);
    }
}

static void an_observation_of_a_group_is_of_its_particles(void **state)
{
    made m = make(FLAT, NULL, 0);
    const pio_model *o = m.model;
    (void)state;
    for (int64_t p = 0; p < 64; p++) assert_int_equal(o->observations[0].member[p], p >= 48);
    assert_null(o->observations[4].member); /* of the body */
    const pio_grid_desc *g = &o->desc.grid;
    double sum = 0;
    for (int32_t i = 0; i < g->nodes[0] * g->nodes[1]; i++) sum += o->observations[4].field[i];
    const int32_t node = (g->face[0][0] + 4) * g->nodes[1] + g->face[1][0] + 6;
    assert_true(fabs(o->observations[4].field[node] - 500) <= 0 && fabs(sum - 12500) <= 0);
    drop(&m);
}

static void separations_and_shapes_are_described(void **state)
{
    made m = make(SPACE, NULL, 0);
    const pio_model *o = m.model;
    const pio_grid_desc *g = &o->desc.grid;
    int parts[3] = {0};
    (void)state;
    for (int64_t p = 0; p < o->desc.particles.n; p++) parts[o->observations[4].member[p]]++;
    print_message("parts of one body: %d and %d of %lld particles\n", parts[1], parts[2],
                  (long long)o->desc.particles.n);
    assert_int_equal(parts[1], count(o, "foot"));
    assert_int_equal(parts[2], count(o, "side"));
    assert_true(parts[1] > 0 && parts[2] > 0);
    for (int32_t i = 0; i < g->nodes[0]; i++) { /* along x through the ball's centre, on nodes */
        const double x = g->origin[0] + 0.1 * i;
        const int32_t node = (i * g->nodes[1] + g->face[1][0] + 6) * g->nodes[2] + g->face[2][0] + 6;
        assert_true(fabs(o->observations[2].field[node] - (fabs(x - 0.6) - 0.2)) < 1e-12);
        const double out[3] = {x < 0 ? -x : 0, 0.6, 0.6}; /* from the wedge x + y + z <= 0.4: its long edge */
        if (x <= 0) assert_true(fabs(o->observations[1].field[node] - hypot(out[0], hypot(0.4, 0.4))) < 1e-12);
    }
    assert_int_equal(o->observations[0].outside, 1);
    assert_int_equal(o->observations[1].outside, 0);
    drop(&m);
}

static void expect(const char *path, const char *const *sets, size_t n, const char *words)
{
    pio_scene *scene = NULL;
    pio_model *model = NULL;
    piola_error error = {0};
    piola_status rc = load_scene(&scene, path, sets, n, NULL, &error);
    if (!rc) rc = pio_model_create(&model, scene, &error);
    print_message("%s\n", error.message);
    assert_int_equal(rc, PIOLA_BAD_DATA);
    assert_null(model);
    if (!strstr(error.message, words)) fail_msg("the message lacks '%s'", words);
    pio_scene_free(scene);
}

static void write_table(const char *text)
{
    FILE *file = fopen(PIO_SOURCE_DIR "/tests/data/good_scenes/parts/table.csv", "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void faults_that_only_particles_show_are_refused_too(void **state)
{
    static const char
        *const listed[] = {"groups[2].file=parts/table.csv"},
               *const empty[] = {"groups[1].max=[0.32, 0.1]"}, *const overlap[] = {"design[0].groups=[tip, all]"},
               *const grid[] = {"observe[4].grid.file=parts/table.csv"}, *const both[] = {"observe[4].from_group=foot"};
    (void)state;
    write_table("particle\n3\n64\n");
    expect(FLAT, listed, 1, "error: groups[2].file: ");
    expect(FLAT, listed, 1, "table.csv:3:1: error: particle 64: body 'beam' has 64, numbered from 0");
    expect(FLAT, empty, 1, "groups[1]: no particle of body 'beam' is in group 'middle'");
    expect(FLAT, overlap, 1, "design[0].per: particle 48 of body 'beam' is in the groups 'tip' and 'all'");
    expect(SPACE, both, 1, "observe[4].from: particle");
    write_table("i,j,density\n1,1,5\n1,11,5\n");
    expect(FLAT, grid, 1, "error: observe[4].grid.file: ");
    expect(FLAT, grid, 1, "table.csv:3:3: error: 11 is not the number of a node, 0 to 10 along this axis");
    write_table("i,j,density\n1,1,5\n1,1,5\n");
    expect(FLAT, grid, 1, "table.csv:3:1: error: this node is listed twice");
    write_table("i,j,density\n1,1,-5\n");
    expect(FLAT, grid, 1, "table.csv:2:5: error: -5 is below 0");
    write_table("i,j,density\n1,1,0\n");
    expect(FLAT, grid, 1, "table.csv:2:5: error: all densities are 0");
    assert_int_equal(remove(PIO_SOURCE_DIR "/tests/data/good_scenes/parts/table.csv"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_group_holds_the_particles_that_start_there_or_are_listed),
        cmocka_unit_test(a_design_has_a_value_for_each_group_and_leaves_the_rest),
        cmocka_unit_test(what_is_in_no_group_of_a_bodys_entry_is_governed_by_its_materials),
        cmocka_unit_test(an_observation_of_a_group_is_of_its_particles),
        cmocka_unit_test(separations_and_shapes_are_described),
        cmocka_unit_test(faults_that_only_particles_show_are_refused_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
