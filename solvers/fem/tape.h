/* tape.h -- what steps must remember to be taken back: a stack of records in device memory, each of n whole numbers in
 * the code of kernels/base/rice.h. Nothing of it travels to the host but, when it asks, the number of bytes in use. */
#ifndef PIOLA_SOLVERS_TAPE_H
#define PIOLA_SOLVERS_TAPE_H

#include "kernels/backend/queue.h"

typedef struct {
    int64_t capacity; /* bytes; 0: there is no tape */
    int n, blocks;    /* numbers of a record */
    /* device [n] where they lie in the arrays that are pushed and popped, or NULL: one after another */
    const int *item;
    rice_log *state;            /* device */
    uint8_t *data;              /* device [capacity] */
    int *mode, *bytes, *offset; /* device [blocks], [blocks], [blocks + 1] */
    double *level;              /* device [1] bytes in use; -1: there was no room for a record */
    int64_t first, next;        /* the step of the oldest record, and the one that the next push would be of */
    int kept;                   /* the state before the oldest record is in a slot: steps are recorded */
    int checked;                /* since the last push the host has seen that there was room */
} pio_tape;

/* Device memory for records of n numbers on a tape of `capacity` bytes; `level` is given by who downloads it. */
void pio_tape_layout(pio_tape *t, pio_arena *arena, int64_t capacity, int n, double *level);
/* No record is left; the next is of this step. */
void pio_tape_empty(pio_tape *t, pio_queue *q, int64_t step);
/* A record at the top, of the numbers at the items' places; and off again. Steps with several records are pushed and
 * popped as often, and say when they are done. */
void pio_tape_push(pio_tape *t, pio_queue *q, const int64_t *numbers, int64_t step);
void pio_tape_pop(pio_tape *t, pio_queue *q, int64_t *numbers);
/* Here a step begins; what was pushed since is gone. */
void pio_tape_mark(pio_tape *t, pio_queue *q);
void pio_tape_rewind(pio_tape *t, pio_queue *q);
/* The device's state of the tape. */
void pio_tape_state(const pio_tape *t, pio_queue *q, rice_log *state);

#endif
