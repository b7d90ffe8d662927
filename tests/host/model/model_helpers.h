/* model_helpers.h -- what the tests of models of meshes share; included once per program, behind cmocka.h. */
#ifndef PIOLA_TESTS_MODEL_HELPERS_H
#define PIOLA_TESTS_MODEL_HELPERS_H

#include "host/model/model_fem.h"
#include "tests/host/scene/load_scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#ifndef PIO_SOURCE_DIR
#define PIO_SOURCE_DIR "."
#endif
#define BASE PIO_SOURCE_DIR "/tests/data/bad_scenes/parts/mesh.yaml"

/* Returns the model of the scene of BASE with these keys set, and the scene in *scene. */
static inline pio_model *model_of(const char *const *sets, size_t n, pio_scene **scene)
{
    pio_model *model = NULL;
    piola_error error = {0};
    if (load_scene(scene, BASE, sets, n, stderr, &error)) fail_msg("%s", error.message);
    if (pio_model_create(&model, *scene, &error)) fail_msg("%s", error.message);
    return model;
}

/* Checks that the scene is good, and that its model fails with a message that has these words. */
static inline void refused_sets(const char *const *sets, size_t n, const char *words)
{
    pio_scene *scene = NULL;
    pio_model *none = NULL;
    piola_error error = {0};
    if (load_scene(&scene, BASE, sets, n, stderr, &error)) fail_msg("%s", error.message);
    assert_int_equal(pio_model_create(&none, scene, &error), PIOLA_BAD_DATA);
    assert_null(none);
    print_message("%.*s\n", (int)strcspn(error.message, "\n"), error.message);
    if (!strstr(error.message, words)) fail_msg("the message lacks '%s'", words);
    pio_scene_free(scene);
}

#endif
