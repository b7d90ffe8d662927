/* run_checkpoint.h -- checkpoints of `run` and `grad`: they are written at intervals and when the run is interrupted,
 * and a later run continues from them.
 *
 * A checkpoint has the position of the sweep, all memory of the simulation except the states that are kept for the
 * adjoint sweep, and the frames so far. Kept states are recomputed when they are needed, with the same bits as those
 * that were stored. */
#ifndef PIOLA_HOST_RUN_CHECKPOINT_H
#define PIOLA_HOST_RUN_CHECKPOINT_H

#include "host/results/states.h"

typedef struct pio_run_checkpoint pio_run_checkpoint;

/* Opens the checkpoints of the output folder, which exists. With options->resume the checkpoint of an earlier run is
 * the one to continue from, and the session takes over its plan; otherwise it is removed. A checkpoint of another run
 * is renamed; in place of a damaged one the run continues from the one before it or from the beginning; the log reports
 * both. Returns PIOLA_REFUSED if it is of another machine, PIOLA_IO if it cannot be read, PIOLA_CANNOT_CREATE if it
 * cannot be renamed, PIOLA_NO_MEMORY, and the other errors of pio_session_take_plan(). */
piola_status pio_run_checkpoint_open(pio_run_checkpoint **out, pio_session *s, bool gradient, piola_error *error);
/* Writes the frames of the earlier run to the file of states, and sets the callbacks of `sweep`, which continues from
 * the checkpoint. Returns PIOLA_BAD_DATA if the frames do not belong to this run, and the errors of
 * pio_checkpoint_walk() and pio_states_in(). */
piola_status pio_run_checkpoint_begin(pio_run_checkpoint *c, pio_states *states, pio_sweep *sweep, piola_error *error);
/* Called after the sweep, which ended with `rc`. If it was interrupted within a step, writes a checkpoint of the state
 * before that step; the message of *error then says how to continue. Returns rc, or if that fails the errors of
 * pio_checkpoint_write(). */
piola_status pio_run_checkpoint_ended(pio_run_checkpoint *c, piola_status rc, piola_error *error);
/* Returns whether a checkpoint was written whose position is not that from which the run continued. */
bool pio_run_checkpoint_advanced(const pio_run_checkpoint *c);
/* Removes the checkpoints of a run that is complete. */
void pio_run_checkpoint_done(pio_run_checkpoint *c);
/* Frees `c`, which may be NULL; the files remain. */
void pio_run_checkpoint_close(pio_run_checkpoint *c);

#endif
