/* scene_helpers.h -- what the tests of scene files share; included once per program, behind cmocka.h. */
#ifndef PIOLA_TESTS_SCENE_HELPERS_H
#define PIOLA_TESTS_SCENE_HELPERS_H

#include "host/base/file.h"
#include "host/scene/scene.h"
#include "tests/host/scene/load_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifndef PIO_SOURCE_DIR
#define PIO_SOURCE_DIR "."
#endif
#define GOOD PIO_SOURCE_DIR "/tests/data/good_scenes/"
#define BAD PIO_SOURCE_DIR "/tests/data/bad_scenes/"

/* Loads a scene that must be good. */
static inline pio_scene *load_good(const char *path, const char *const *sets, size_t n)
{
    pio_scene *scene;
    piola_error error = {0};
    piola_status status = load_scene(&scene, path, sets, n, stderr, &error);
    if (status) fail_msg("%s", error.message);
    return scene;
}

/* Returns the whole file, ended by a NUL, or NULL. */
static inline char *slurp(const char *path)
{
    char *text = NULL;
    size_t size;
    return pio_file_read(path, 1u << 24, &text, &size, NULL) ? NULL : text;
}

/* Fails the test unless both numbers are the same, to the bit except the sign of zero. */
static inline void equal(double got, double want)
{
    if (got < want || got > want || isnan(got)) fail_msg("got %.17g, want %.17g", got, want);
}

typedef struct outcome {
    piola_status status; /* of loading */
    piola_error error;   /* of loading */
    char *text;          /* what was printed; free() it */
} outcome;

/* Loads a scene that may be bad. */
static inline outcome load_bad(const char *path, const char *const *sets, size_t n)
{
    outcome o = {0};
    size_t size = 0;
    pio_scene *scene = (pio_scene *)&o; /* must be overwritten */
    FILE *to = open_memstream(&o.text, &size);
    assert_non_null(to);
    o.status = load_scene(&scene, path, sets, n, to, &o.error);
    assert_int_equal(fclose(to), 0);
    if (o.status) assert_null(scene);
    if (!o.status) pio_scene_free(scene);
    return o;
}

#endif
