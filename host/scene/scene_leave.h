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

/* The text of a scene: what stands in the file `path` or, where `text` is not NULL, would stand in it; then the file is
 * not opened. */
typedef struct {
    const char *path, *text;
    size_t size; /* bytes of `text` */
} pio_scene_text;

/* Reads, includes, overrides (`--set path=value`, each "a.b=text" parsed as YAML), decodes and validates a scene. On a
 * failure *out is NULL, `error->status` is PIOLA_BAD_DATA, PIOLA_NO_INPUT or PIOLA_REFUSED, and every message (up to
 * 20, each `file:line:col: error: path: what, what would be right` with the source line and a caret) went to `errors`
 * (may be NULL: then only error->message, which holds the first message's one line). */
piola_status pio_scene_load(pio_scene **out, const pio_scene_text *from, const pio_scene_leave *leave,
                            const char *const *sets, size_t n_sets, FILE *errors, piola_error *error);
/* Where a scene's results would be, which may have faults: false when neither its name nor its folder can be read, or
 * they may not go there. */
bool pio_scene_folder(const char *path, const pio_allowed *allowed, const char *const *sets, size_t n_sets, char *out,
                      size_t size);

#endif
