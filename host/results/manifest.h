/* manifest.h -- what a file must say so that its bits can be made again. */
#ifndef PIOLA_HOST_MANIFEST_H
#define PIOLA_HOST_MANIFEST_H

#include "host/run/session.h"
#include "host/snapshot/snapshot.h"

/* What describes program, build, engine, machine, inputs and run. A file that was read is the pair "sha256 FILE". */
typedef struct {
    pio_snapshot_pair *pair; /* [n], also as JSON */
    size_t n;
    char *json, *resolved; /* the resolved scene, as JSON */
} pio_manifest;
/* On failure it is empty. */
piola_status pio_manifest_create(pio_manifest *out, const pio_session *s, piola_error *error);
void pio_manifest_free(pio_manifest *m);
const char *pio_build_commit(void); /* of the last configuration, or "unknown" */
/* The resolved scene as JSON; free() it. NULL without memory. */
char *pio_resolved_json(const pio_scene *scene);

#endif
