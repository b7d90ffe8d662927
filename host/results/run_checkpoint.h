/* run_checkpoint.h -- checkpoints of `run` and `grad`: written now and then and when the run is interrupted, and gone
 * on from.
 *
 * A checkpoint is where the sweep is, all memory of the simulation but the states that are kept for the sweep back, and
 * the frames so far. Kept states are made again when they are needed: a stored state is the same bits as one that is
 * computed again. */
#ifndef PIOLA_HOST_RUN_CHECKPOINT_H
#define PIOLA_HOST_RUN_CHECKPOINT_H

#include "host/results/states.h"

typedef struct pio_run_checkpoint pio_run_checkpoint;

/* Look for the checkpoint of an earlier run in the output folder, which is there; with options->resume it is the one to
 * go on from, and the session gets its plan. A checkpoint of another run is set aside, one that is damaged is left out
 * for the one before it or the beginning, and the log says so. */
piola_status pio_run_checkpoint_open(pio_run_checkpoint **out, pio_session *s, bool gradient, piola_error *error);
/* Frames of the earlier run to the file, and the hooks of `sweep`, which goes on from there. */
piola_status pio_run_checkpoint_begin(pio_run_checkpoint *c, pio_states *states, pio_sweep *sweep, piola_error *error);
/* After the sweep, which ended with `rc`: where it was interrupted within a step, what there is is written, and the
 * error says whether a new run goes on. */
piola_status pio_run_checkpoint_ended(pio_run_checkpoint *c, piola_status rc, piola_error *error);
/* The run is done: there is no checkpoint any more. */
void pio_run_checkpoint_done(pio_run_checkpoint *c);
void pio_run_checkpoint_close(pio_run_checkpoint *c); /* NULL is allowed */

#endif
