/* checkpoint_file.h -- the files of a run's checkpoint, in a folder of their own: `even` and `odd`, of which the one
 * with the higher number is the newer, and `frames`, which both refer to.
 *
 * A checkpoint is written under another name, synced and renamed, so that a kill or a power cut leaves it whole or not
 * there, and the one before it is there until then. Frames are only ever added behind those that a checkpoint refers
 * to, and are synced before it gets its name. Beside them single states lie in `state-N`: they save time where states
 * are made again, and one that is not there or damaged costs no more than that, so they are not synced. All of it has
 * checksums (CRC-32); numbers are as the processor has them, since only the same machine goes on. */
#ifndef PIOLA_HOST_CHECKPOINT_FILE_H
#define PIOLA_HOST_CHECKPOINT_FILE_H

#include "solvers/driver/driver.h"

#include <stdio.h>

/* What a checkpoint says besides the memory of the simulation. Members of 8 bytes only: it is stored as it is. */
typedef struct {
    uint64_t number;                                 /* of the checkpoint: they rise */
    int64_t strategy, slots, kept, slot_nodes, tape; /* of the plan, see plan.h */
    pio_place place;
    uint64_t frames; /* bytes of the file of frames that belong to it */
    uint64_t memory; /* bytes of the simulation's */
} pio_checkpoint_head;

/* Bytes at .. at + n - 1 of a stream, to or from `bytes`; in ascending order without gaps. */
typedef piola_status pio_checkpoint_stream(void *context, size_t at, size_t n, void *bytes, piola_error *error);

/* The checkpoint of head.number, in place of the one before the last. PIOLA_IO, PIOLA_CANNOT_CREATE, and what `out`
 * says. */
piola_status pio_checkpoint_write(const char *folder, const pio_checkpoint_head *head, const char *identity,
                                  pio_checkpoint_stream *out, void *context, piola_error *error);

/* The checkpoint of even (0) or odd (1) number, all of it verified: *identity, to free(). PIOLA_NO_INPUT: there is
 * none. PIOLA_BAD_DATA: it is damaged. PIOLA_IO: it cannot be opened or read. PIOLA_NO_MEMORY. */
piola_status pio_checkpoint_read(const char *folder, int odd, pio_checkpoint_head *head, char **identity,
                                 piola_error *error);
/* The memory of one that was read, to `in`. */
piola_status pio_checkpoint_memory(const char *folder, const pio_checkpoint_head *head, pio_checkpoint_stream *in,
                                   void *context, piola_error *error);

/* The file of frames, of which the first `bytes` bytes stay; a number of an open file, or -1. */
int pio_checkpoint_frames(const char *folder, uint64_t bytes, piola_error *error);
/* A frame, or the adjoint fields of one. */
typedef struct {
    bool adjoint;
    int64_t number;    /* of the frame */
    const void *bytes; /* [n] */
    size_t n;
} pio_checkpoint_frame;

/* One more, at *end, which moves on. */
piola_status pio_checkpoint_add(int file, const char *folder, uint64_t *end, const pio_checkpoint_frame *frame,
                                piola_error *error);
piola_status pio_checkpoint_sync(int file, const char *folder, piola_error *error);
/* All of the first `bytes` bytes, in their order, verified before they are told; `each` NULL: verified only.
 * PIOLA_BAD_DATA: damaged. */
piola_status pio_checkpoint_walk(const char *folder, uint64_t bytes,
                                 piola_status (*each)(void *context, const pio_checkpoint_frame *frame,
                                                      piola_error *error),
                                 void *context, piola_error *error);

/* State number `step`, n bytes: written, in place of one that is there; read, PIOLA_BAD_DATA where it is not what was
 * written; gone. */
piola_status pio_checkpoint_put_state(const char *folder, int64_t step, const void *bytes, size_t n,
                                      piola_error *error);
piola_status pio_checkpoint_get_state(const char *folder, int64_t step, void *bytes, size_t n, piola_error *error);
void pio_checkpoint_drop_state(const char *folder, int64_t step);
/* Numbers of the states that are there, the first `most` that are found, in no order; how many. */
int pio_checkpoint_list_states(const char *folder, int64_t *steps, int most);

/* The folder with all that this module puts there; nothing where it is not. */
void pio_checkpoint_remove(const char *folder);

#endif
