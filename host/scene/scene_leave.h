/* scene_leave.h -- loading a scene with the user's leave to name files elsewhere, and to write where it says. */
#ifndef PIOLA_HOST_SCENE_LEAVE_H
#define PIOLA_HOST_SCENE_LEAVE_H

#include "host/base/path.h"
#include "host/scene/scene.h"

/* What the user allows a scene. */
typedef struct {
    pio_allowed allowed; /* files and folders outside the scene's that it may name; the strings outlive the scene */
    /* Results go where the scene says: PIOLA_REFUSED where that is neither below its folder, nor below the current one,
     * nor allowed, unless `sets` say it. */
    bool writes;
} pio_scene_leave;

/* pio_scene_load with that leave. */
piola_status pio_scene_load_with(pio_scene **out, const char *path, const pio_scene_leave *leave,
                                 const char *const *sets, size_t n_sets, FILE *errors, piola_error *error);
/* Where a scene's results would be, which may have faults: false when neither its name nor its folder can be read, or
 * they may not go there. */
bool pio_scene_folder(const char *path, const pio_allowed *allowed, const char *const *sets, size_t n_sets, char *out,
                      size_t size);

#endif
