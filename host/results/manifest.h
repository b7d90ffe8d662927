/* manifest.h -- what a file must contain so that its bits can be reproduced. */
#ifndef PIOLA_HOST_MANIFEST_H
#define PIOLA_HOST_MANIFEST_H

#include "host/run/session.h"
#include "host/snapshot/snapshot.h"

/* Descriptions of program, build, engine, machine, inputs and run. A file that was read is the pair "sha256 FILE". */
typedef struct {
    pio_snapshot_pair *pair; /* [n] pairs */
    size_t n;                /* number of pairs */
    char *json, *resolved;   /* the pairs, and the resolved scene, as JSON */
} pio_manifest;

/* Makes the manifest of a session; on failure it is empty. Returns PIOLA_NO_MEMORY, or PIOLA_NO_INPUT if the engine's
 * file cannot be read. */
piola_status pio_manifest_create(pio_manifest *out, const pio_session *s, piola_error *error);
/* Frees what a manifest holds; an empty one is allowed. */
void pio_manifest_free(pio_manifest *m);
/* Returns the commit of the sources when the build was configured, or "unknown". */
const char *pio_build_commit(void);
/* Returns the resolved scene as JSON, to free(); NULL without memory. */
char *pio_resolved_json(const pio_scene *scene);

#endif
