/* scene_leave.h -- loading a scene with the user's permission to name files elsewhere, and to write where it says. */
#ifndef PIOLA_HOST_SCENE_LEAVE_H
#define PIOLA_HOST_SCENE_LEAVE_H

#include "host/base/path.h"
#include "host/scene/scene.h"

/* What the user allows a scene. */
typedef struct {
    pio_allowed allowed; /* files and folders outside the scene's folder that it may name; the strings outlive it */
    /* Results will be written where the scene says: PIOLA_REFUSED where that is neither below its folder, nor below the
     * current one, nor allowed, unless `sets` say it. */
    bool writes;
} pio_scene_leave;

/* What a study (study.h) says of one of its experiments, in place of what the scene says. */
typedef struct {
    const char *name;            /* of the experiment */
    const struct cfg_node *keys; /* mapping: values of keys of the scene */
    const struct cfg_node *set;  /* mapping of paths to values, as of `--set`; NULL: none */
    const char *file, *sha256;   /* the study's file, which becomes an input of the scene */
} pio_scene_overlay;

/* The text of a scene: that of the file `path` or, where `text` is not NULL, `text` in place of it; then the file is
 * not opened. */
typedef struct {
    const char *path, *text; /* name of the file; text or NULL */
    size_t size;             /* bytes of `text` */
    /* NULL: none; the scene then has no design and no optimizer of its own. It must outlive the scene. */
    const pio_scene_overlay *over;
} pio_scene_text;

/* Reads, includes, overrides (`--set path=value`, each "a.b=text" parsed as YAML), decodes and validates a scene. On
 * failure *out is NULL, `error->status` is PIOLA_BAD_DATA, PIOLA_NO_INPUT or PIOLA_REFUSED, and every message (up to
 * 20, each `file:line:col: error: path: what, what would be right` with the source line and a caret) is printed to
 * `errors`, which may be NULL; error->message holds the first line of the first message. */
piola_status pio_scene_load(pio_scene **out, const pio_scene_text *from, const pio_scene_leave *leave,
                            const char *const *sets, size_t n_sets, FILE *errors, piola_error *error);
/* Writes the folder of a scene's results, which may have faults, into out[size]. Returns false when neither its name
 * nor its folder can be read, or results may not be written there. */
bool pio_scene_folder(const char *path, const pio_allowed *allowed, const char *const *sets, size_t n_sets, char *out,
                      size_t size);

#endif
