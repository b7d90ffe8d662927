/* disk_states.h -- states of a run on disk, while a gradient is computed: an HDF5 file without a name.
 *
 * The file is unlinked as soon as it is open, so that a process that is killed does not leave it behind, and all of its
 * space is reserved before the first state, so that a full disk is found before the run. Its name is one that no file
 * has: the empty file that a process leaves if it is killed before it unlinks it does not disturb others. Each state
 * has a checksum; reading a state that has changed is an error. */
#ifndef PIOLA_HOST_DISK_STATES_H
#define PIOLA_HOST_DISK_STATES_H

#include "solvers/engine/engine.h"

typedef struct pio_disk_states pio_disk_states;

/* Creates a file, whose name begins with `path`, with space for `slots` states of `bytes` bytes. Returns PIOLA_IO if
 * the disk has less, PIOLA_CANNOT_CREATE if the file cannot be created, or PIOLA_NO_MEMORY. */
piola_status pio_disk_states_create(pio_disk_states **out, const char *path, int64_t slots, size_t bytes,
                                    piola_error *error);
/* Frees `d`, which may be NULL, and closes the file, which then no longer exists. */
void pio_disk_states_free(pio_disk_states *d);

/* Writes the current state of a simulation, `bytes` bytes, to a slot. Returns PIOLA_IO if writing fails,
 * PIOLA_INTERNAL if there is no such slot, and the errors of the engine. */
piola_status pio_disk_states_keep(pio_disk_states *d, int64_t slot, const pio_engine *engine, pio_sim *sim,
                                  piola_error *error);
/* Reads a slot and makes it the current state, number `step`. Returns PIOLA_IO if it cannot be read or is not what was
 * written, PIOLA_INTERNAL if nothing was, and the errors of the engine. */
piola_status pio_disk_states_fetch(pio_disk_states *d, int64_t slot, int64_t step, const pio_engine *engine,
                                   pio_sim *sim, piola_error *error);

/* Syncs the file and removes its pages from the system's cache as far as possible, for measurements. Returns PIOLA_IO
 * if that fails. */
piola_status pio_disk_states_sync(pio_disk_states *d, piola_error *error);

/* Returns the bytes of disk of `slots` states of `bytes` bytes. */
double pio_disk_states_bytes(int64_t slots, size_t bytes);

#endif
