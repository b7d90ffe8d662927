/* load_scene.h -- loads a scene as tests do: from its file, without permission to name files elsewhere. */
#ifndef PIOLA_TESTS_LOAD_SCENE_H
#define PIOLA_TESTS_LOAD_SCENE_H

#include "host/scene/scene_leave.h"

/* Loads a scene from its file, as pio_scene_load() does. */
static inline piola_status load_scene(pio_scene **out, const char *path, const char *const *sets, size_t n_sets,
                                      FILE *errors, piola_error *error)
{
    const pio_scene_leave none = {.writes = false};
    return pio_scene_load(out, &(pio_scene_text){.path = path}, &none, sets, n_sets, errors, error);
}

/* Loads a scene of a text, which need not be in the file that it names. */
static inline piola_status load_scene_text(pio_scene **out, const pio_scene_text *from, FILE *errors,
                                           piola_error *error)
{
    const pio_scene_leave none = {.writes = false};
    return pio_scene_load(out, from, &none, NULL, 0, errors, error);
}

#endif
