/* snapshot_pack.h -- the description of a snapshot as a sequence of bytes, which the child process sends to its parent.
 */
#ifndef PIOLA_HOST_SNAPSHOT_PACK_H
#define PIOLA_HOST_SNAPSHOT_PACK_H

#include "host/snapshot/snapshot.h"

/* Packs a description into *data [*bytes], which is malloc'd. Returns false without memory. */
bool pio_snapshot_pack(const pio_snapshot_info *info, char **data, size_t *bytes);
/* Fills `info` from untrusted bytes: counts, sizes and shapes of the result are consistent. Returns false if they are
 * not, or without memory; pio_snapshot_info_free() is required in that case too. */
bool pio_snapshot_unpack(pio_snapshot_info *info, char *data, size_t bytes);
/* Returns the rows of a field, by where it lies. */
int64_t pio_snapshot_info_rows(const pio_snapshot_info *info, pio_snapshot_location location);
/* Frees what a description holds. */
void pio_snapshot_info_free(pio_snapshot_info *info);

#endif
