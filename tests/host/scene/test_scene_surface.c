/* test_scene_surface.c -- a surface that a scene names is read once, until it is dropped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "host/scene/scene_private.h"
#include "host/scene/scene_surface.h"
#include "host/scene/shape.h"

#include <stdio.h>
#include <string.h>

#define FILE_NAME "scene_surface.obj"

/* A tetrahedron with edges of this length along the axes. */
static void write_surface(double length)
{
    FILE *file = fopen(FILE_NAME, "w");
    assert_non_null(file);
    fprintf(file, "v 0 0 0\nv %g 0 0\nv 0 %g 0\nv 0 0 %g\n", length, length, length);
    fprintf(file, "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    assert_int_equal(fclose(file), 0);
}

static const pio_trimesh *surface_of(const pio_scene *scene, double scale)
{
    const pio_trimesh *surface;
    piola_error error;
    if (pio_scene_surface(scene, FILE_NAME, scale, &surface, &error)) fail_msg("%s", error.message);
    return surface;
}

static void a_surface_is_read_once_until_it_is_dropped(void **state)
{
    struct scene_source source = {0};
    const pio_scene scene = {.input.source = &source};
    pio_trimesh_lines *lines, *again;
    (void)state;
    write_surface(1);
    const pio_trimesh *one = surface_of(&scene, 1);
    assert_int_equal(pio_scene_surface_lines(&scene, one, &lines, NULL), PIOLA_OK);
    write_surface(2);
    const pio_trimesh *scaled = surface_of(&scene, 3);
    assert_true(scaled->high[0] >= 6 && scaled->high[0] <= 6);
    assert_ptr_equal(surface_of(&scene, 1), one);
    assert_true(one->high[0] >= 1 && one->high[0] <= 1);
    assert_int_equal(pio_scene_surface_lines(&scene, one, &again, NULL), PIOLA_OK);
    assert_ptr_equal(lines, again);
    pio_scene_drop_surfaces(&scene);
    one = surface_of(&scene, 1);
    assert_true(one->high[0] >= 2 && one->high[0] <= 2);
    pio_scene_drop_surfaces(&scene);
    assert_null(source.surfaces);
}

static void a_surface_that_fails_is_not_kept(void **state)
{
    struct scene_source source = {0};
    const pio_scene scene = {.input.source = &source};
    const pio_trimesh *surface;
    piola_error error;
    (void)state;
    assert_int_equal(remove(FILE_NAME), 0);
    assert_int_equal(pio_scene_surface(&scene, FILE_NAME, 1, &surface, &error), PIOLA_NO_INPUT);
    assert_null(surface);
    assert_null(source.surfaces);
}

/* A shape that is closed takes nothing away from another of the same file. */
static void shapes_borrow_what_the_scene_has(void **state)
{
    struct scene_source source = {0};
    const pio_scene scene = {.input.source = &source, .method.dimension = 3};
    const scene_geometry mesh = {.shape = PIO_CLOSED_MESH, .scale = 1, .file = (char *)(uintptr_t)FILE_NAME};
    static const double in[3] = {0.1, 0.1, 0.1}, out[3] = {0.9, 0.9, 0.9};
    static char here[] = ".";
    pio_shape first, second;
    piola_error error;
    (void)state;
    write_surface(1);
    source.doc.folder = here;
    if (pio_shape_open(&first, &scene, &mesh, &error)) fail_msg("%s", error.message);
    if (pio_shape_open(&second, &scene, &mesh, &error)) fail_msg("%s", error.message);
    assert_ptr_equal(first.surface.vertex, second.surface.vertex);
    pio_shape_close(&first);
    assert_true(pio_shape_holds(&second, in));
    assert_false(pio_shape_holds(&second, out));
    pio_shape_close(&second);
    pio_scene_drop_surfaces(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_surface_is_read_once_until_it_is_dropped),
        cmocka_unit_test(a_surface_that_fails_is_not_kept),
        cmocka_unit_test(shapes_borrow_what_the_scene_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
