/* test_model_warning.c -- what is legal and surely a mistake has a warning, and good scenes have none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "host/base/path.h"
#include "host/model/model.h"
#include "tests/host/scene/scene_helpers.h"

#define TABLE GOOD "parts/warned.csv"

static void write_table(const char *text)
{
    FILE *file = fopen(TABLE, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* The warnings about a good scene with changes: `count` of them, the first with these words. */
static void expect_of(const char *name, const char *const *sets, size_t n, int count, const char *words)
{
    char path[PIO_PATH], text[400];
    pio_model *m;
    piola_error error = {0};
    int found = 0;
    snprintf(path, sizeof path, GOOD "%s.yaml", name);
    pio_scene *s = load_good(path, sets, n);
    if (pio_model_create(&m, s, &error)) fail_msg("%s", error.message);
    for (; pio_model_warning(m, found, text, sizeof text); found++) {
        print_message("%s\n", text);
        if (found == 0 && count && !strstr(text, words)) fail_msg("the warning lacks '%s'", words);
    }
    if (found != count) fail_msg("%s: %d warnings, not %d", n ? sets[0] : name, found, count);
    pio_model_free(m);
    pio_scene_free(s);
}

static void expect(const char *name, const char *set, int count, const char *words)
{
    expect_of(name, &set, set != NULL, count, words);
}

static void good_scenes_have_no_warnings(void **state)
{
    static const char *const names[] = {"control_2d", "obstacles_2d", "obstacles_3d", "bodies_3d", "groups_2d"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) expect(names[i], NULL, 0, "");
}

static void signals_that_steps_cannot_follow(void **state)
{
    (void)state;
    expect("control_2d", "control[3].period=1 ms", 0, "");
    expect("control_2d", "control[3].period=0.9 ms", 1, "control 'wave': the period of 0.0009 s");
    expect("control_2d", "control[1].frequency=-1.5 kHz", 1, "control 'swing': the period of");
    expect("control_2d", "control[4].inputs[0].frequency=2 kHz", 1, "control 'mind': the period of its phase");
}

static void motions_that_nobody_sees(void **state)
{
    (void)state;
    expect("obstacles_2d", "obstacles[1].motion.time=[0.1, 0.2, 0.3]", 1,
           "obstacle 'paddle': its motion begins at 0.1 s");
    expect("obstacles_2d", "obstacles[1].motion.time=[0.09, 0.2, 0.3]", 0, "");
    expect("obstacles_2d", "obstacles[1].motion.x=[0, 2.9, 0]", 0, "");
    expect("obstacles_2d", "obstacles[1].motion.x=[0, 3.1, 0]", 1,
           "obstacle 'paddle': it moves 0.155 m in one time step");
    expect("obstacles_2d", "obstacles[1].motion.angle=[0, 20, 0]", 1, "obstacle 'paddle': it moves 0.206");
}

static void geometry_of_another_unit(void **state)
{
    (void)state;
    const char *small[] = {"geometry[0]={name: cube, type: mesh, file: parts/octahedron.obj, scale: 0.3e-3}",
                           "bodies[0]={name: a, geometry: cube, material: soft, position: [0.5, 0.6, 0.5], "
                           "fill: {particles_per_cell: 1}}"};
    expect_of("obstacles_3d", small, 2, 1,
              "geometry 'cube': parts/octahedron.obj is 0.09 m long with `scale` 0.0003, less than a cell of the grid, "
              "0.1 m");
    small[0] = "geometry[0]={name: cube, type: mesh, file: parts/octahedron.obj, scale: 0.001}";
    expect_of("obstacles_3d", small, 2, 0, "");
    write_table("x,vx,y,z,vy\n-100,1,-100,-100,1\n100,1,100,100,1\n");
    expect("bodies_3d", "geometry[1].file=parts/warned.csv", 1,
           "geometry 'cloud': nothing reads these columns of parts/warned.csv: vx, vy; x, y, z and volume are read");
    assert_int_equal(remove(TABLE), 0);
}

/* The block of quad9 elements is of rubber and projected; the strip is of tri3 elements. */
static void elements_that_lock(void **state)
{
    (void)state;
    const char *rubber = "materials[3]={name: rubber, model: neo_hookean, E: 1 MPa, nu: 0.4995}";
    const char *sets[] = {rubber, "bodies[3]={name: block, geometry: block, material: rubber}"};
    expect("meshes_2d", NULL, 0, "");
    expect("meshes_3d", NULL, 0, "");
    expect_of("meshes_2d", sets, 1, 0, "");
    expect_of("meshes_2d", sets, 2, 1,
              "body 'block': quad9 elements lock where nu is 0.4995, and are too stiff; use dilatation: projected");
    sets[1] = "bodies[2]={name: strip, geometry: strip, material: rubber}";
    expect_of("meshes_2d", sets, 2, 1,
              "body 'strip': tri3 elements lock where nu is 0.4995, and are too stiff; use tri6 with dilatation: "
              "projected");
    sets[0] = "materials[3]={name: rubber, model: neo_hookean, E: 1 MPa, nu: 0.49}";
    expect_of("meshes_2d", sets, 2, 0, "");
    expect("meshes_3d", "materials[2].bulk=100 MPa", 1,
           "body 'c': where nu is 0.498501 the pressures of hex8 elements oscillate");
}

/* Gravity along z, and sides of boxes along y. */
static void sides_that_are_not_above(void **state)
{
    (void)state;
    const char *sets[] = {"materials[0].density=1000", "gravity=[0, -9.9, -9.81]", "boundary[2].on={group: bottom}"};
    expect_of("meshes_3d", sets, 3, 0, "");
    sets[1] = "gravity=[0, 1, -9.81]";
    expect_of("meshes_3d", sets, 2, 0, ""); /* `top` of a plate is its edge */
    expect_of("meshes_3d", sets, 3, 1,
              "boundary 'hold_c': 'bottom' is the side of the box where y is least, and gravity acts along z; the side "
              "below is 'front'");
    sets[2] = "loads[0].on={group: top}";
    expect_of("meshes_3d", sets, 3, 1,
              "load 'push': 'top' is the side of the box where y is greatest, and gravity acts "
              "along z; the side above is 'back'");
    sets[1] = "gravity=[0, 0, 9.81]";
    expect_of("meshes_3d", sets, 3, 1, "the side above is 'front'");
}

static void expansions_without_heat(void **state)
{
    (void)state;
    expect("heated_motion", NULL, 0, "");
    expect("heated_2d", NULL, 0, "");
    /* the design of its temperature heats a body that begins without; otherwise nothing does */
    const char *sets[] = {"bodies[0].temperature=0", "design[1]={name: nu, target: materials.soft.nu}",
                          "design[0]={name: weight, target: materials.soft.density}"};
    expect_of("heated_motion", sets, 2, 0, "");
    expect_of("heated_motion", sets, 3, 1, "material 'soft': its expansion has no effect");
    expect("meshes_2d", "materials[0].expansion=1e-5 1/K", 1, "material 'small': its expansion has no effect");
    expect("modal", "materials[0].expansion=1e-5 1/K", 0, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_scenes_have_no_warnings), cmocka_unit_test(signals_that_steps_cannot_follow),
        cmocka_unit_test(motions_that_nobody_sees),     cmocka_unit_test(geometry_of_another_unit),
        cmocka_unit_test(elements_that_lock),           cmocka_unit_test(sides_that_are_not_above),
        cmocka_unit_test(expansions_without_heat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
