/* disk_states.h -- states of a run on disk, while a gradient is computed: an HDF5 file that nobody else sees.
 *
 * The file is unlinked as soon as it is open, so that no process that dies leaves it behind, and all of its room is
 * reserved before the first state: a full disk is found before the run. Its name is one that no file has: what a
 * process that was killed before it could unlink leaves, an empty file, is in nobody's way. Each state has a checksum;
 * one that comes back changed is an error. */
#ifndef PIOLA_HOST_DISK_STATES_H
#define PIOLA_HOST_DISK_STATES_H

#include "solvers/engine/engine.h"

typedef struct pio_disk_states pio_disk_states;

/* Room for `places` states of `bytes` bytes in a file whose name begins with `path`. PIOLA_IO where the disk has not
 * that much. */
piola_status pio_disk_states_create(pio_disk_states **out, const char *path, int64_t places, size_t bytes,
                                    piola_error *error);
void pio_disk_states_free(pio_disk_states *d);

/* A simulation's current state, `bytes` bytes, to a place; and from it, to be the current one, number `step`: PIOLA_IO
 * where it is not what was written. */
piola_status pio_disk_states_keep(pio_disk_states *d, int64_t place, const pio_engine *engine, pio_sim *sim,
                                  piola_error *error);
piola_status pio_disk_states_fetch(pio_disk_states *d, int64_t place, int64_t step, const pio_engine *engine,
                                   pio_sim *sim, piola_error *error);

/* For those who measure: what was put is on the disk now, and no longer in memory, so far as the system allows. */
piola_status pio_disk_states_settle(pio_disk_states *d, piola_error *error);

/* Bytes of disk that so many states take. */
double pio_disk_states_bytes(int64_t places, size_t bytes);

#endif
