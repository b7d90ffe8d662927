/* snapshot_pack.h -- what a snapshot holds as a row of bytes, from the process that read it to the one that asked. */
#ifndef PIOLA_HOST_SNAPSHOT_PACK_H
#define PIOLA_HOST_SNAPSHOT_PACK_H

#include "host/snapshot/snapshot.h"

/* *data [*bytes] is malloc'd; false without memory. */
bool pio_snapshot_pack(const pio_snapshot_info *info, char **data, size_t *bytes);
/* Fill `info` from bytes that nobody vouches for: counts, sizes and shapes of what comes out fit each other. False when
 * they do not, or without memory; pio_snapshot_info_free() then too. */
bool pio_snapshot_unpack(pio_snapshot_info *info, char *data, size_t bytes);
void pio_snapshot_info_free(pio_snapshot_info *info);

#endif
