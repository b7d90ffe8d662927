/* checkpoint_file.h -- the files of a run's checkpoints, in a folder of their own: `even` and `odd`, of which the one
 * with the higher number is the newer, and `frames`, to which both refer.
 *
 * A checkpoint is written under another name, synced and renamed, so that after a kill or a power cut it is whole or
 * absent, and the one before it exists until then. Frames are only appended after those to which a checkpoint refers,
 * and are synced before it gets its name. In addition the files `state-N` have single states, which save time when
 * states are recomputed; an absent or damaged one only costs that time, so they are not synced. Everything has CRC-32
 * checksums; numbers are in the processor's format, because only the same machine continues. */
#ifndef PIOLA_HOST_CHECKPOINT_FILE_H
#define PIOLA_HOST_CHECKPOINT_FILE_H

#include "solvers/driver/driver.h"

#include <stdio.h>

/* The head of a checkpoint, before the memory of the simulation. All members have 8 bytes, because it is stored as it
 * is. */
typedef struct {
    uint64_t number; /* number of the checkpoint; a later one has a higher number */
    int64_t strategy, slots, kept, slot_nodes, residual_log; /* the plan, see plan.h */
    pio_place place;                                         /* position of the sweep */
    uint64_t frames;                                         /* bytes of the file of frames that belong to it */
    uint64_t memory;                                         /* bytes of the simulation's memory */
} pio_checkpoint_head;

/* Returns whether both are the same position in the schedule. */
bool pio_checkpoint_same_place(const pio_place *a, const pio_place *b);

/* Copies the bytes at .. at + n - 1 of a stream to or from `bytes`; it is called in ascending order without gaps. */
typedef piola_status pio_checkpoint_stream(void *context, size_t at, size_t n, void *bytes, piola_error *error);

/* Writes the checkpoint of head->number, which replaces the one before the last; `out` supplies its memory. Returns
 * PIOLA_CANNOT_CREATE if the folder or the file cannot be created, PIOLA_IO if writing fails, PIOLA_NO_MEMORY, and the
 * errors of `out`. */
piola_status pio_checkpoint_write(const char *folder, const pio_checkpoint_head *head, const char *identity,
                                  pio_checkpoint_stream *out, void *context, piola_error *error);

/* Reads the head of the checkpoint of even (0) or odd (1) number and *identity, to free(), and verifies all of its
 * bytes. Returns PIOLA_NO_INPUT if there is none, PIOLA_BAD_DATA if it is damaged, PIOLA_IO if it cannot be opened or
 * read, or PIOLA_NO_MEMORY. */
piola_status pio_checkpoint_read(const char *folder, int odd, pio_checkpoint_head *head, char **identity,
                                 piola_error *error);
/* Passes the memory of the checkpoint with this head to `in`. Returns the errors of pio_checkpoint_read() and of `in`.
 */
piola_status pio_checkpoint_memory(const char *folder, const pio_checkpoint_head *head, pio_checkpoint_stream *in,
                                   void *context, piola_error *error);

/* Opens the file of frames, creates it and its folder if necessary, and truncates it to `bytes` bytes. Returns a
 * descriptor, or -1 with the error PIOLA_CANNOT_CREATE or PIOLA_IO. */
int pio_checkpoint_frames(const char *folder, uint64_t bytes, piola_error *error);
/* A frame, or the adjoint fields of one. */
typedef struct {
    bool adjoint;      /* these are the adjoint fields */
    int64_t number;    /* number of the frame */
    const void *bytes; /* [n] contents */
    size_t n;          /* number of bytes */
} pio_checkpoint_frame;

/* Writes a frame at byte *end of the file, which then moves behind it. Returns PIOLA_IO if that fails. */
piola_status pio_checkpoint_add(int file, const char *folder, uint64_t *end, const pio_checkpoint_frame *frame,
                                piola_error *error);
/* Syncs the file of frames and its folder. Returns PIOLA_IO if that fails. */
piola_status pio_checkpoint_sync(int file, const char *folder, piola_error *error);
/* Verifies each frame in the first `bytes` bytes, in order, and then passes it to `each`, unless that is NULL. Returns
 * PIOLA_BAD_DATA if a frame is damaged, PIOLA_IO if the file cannot be read, PIOLA_NO_MEMORY, and the errors of `each`.
 */
piola_status pio_checkpoint_walk(const char *folder, uint64_t bytes,
                                 piola_status (*each)(void *context, const pio_checkpoint_frame *frame,
                                                      piola_error *error),
                                 void *context, piola_error *error);

/* Writes state number `step`, n bytes, and replaces an existing one. Returns PIOLA_IO if that fails. */
piola_status pio_checkpoint_put_state(const char *folder, int64_t step, const void *bytes, size_t n,
                                      piola_error *error);
/* Reads state number `step`, n bytes. Returns PIOLA_BAD_DATA if it is not what was written, or PIOLA_IO if it cannot be
 * read. */
piola_status pio_checkpoint_get_state(const char *folder, int64_t step, void *bytes, size_t n, piola_error *error);
/* Removes state number `step`, if there is one. */
void pio_checkpoint_drop_state(const char *folder, int64_t step);
/* Lists the numbers of existing states in steps[most], in no order, at most `most` of them. Returns how many. */
int pio_checkpoint_list_states(const char *folder, int64_t *steps, int most);

/* Removes the files of this module and the folder, if they exist. */
void pio_checkpoint_remove(const char *folder);

#endif
