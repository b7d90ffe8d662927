/* residual_log.h -- the residual log, which inverse steps read: a stack of records in device memory, each of n whole
 * numbers in the code of kernels/base/rice.h. Nothing of it is copied to the host except the number of bytes in use. */
#ifndef PIOLA_SOLVERS_RESIDUAL_LOG_H
#define PIOLA_SOLVERS_RESIDUAL_LOG_H

#include "kernels/backend/queue.h"

typedef struct {
    int64_t capacity; /* bytes; 0: there is no log */
    int n, blocks;    /* numbers of a record; blocks of their code */
    /* device [n] their indices in the arrays that are pushed and popped; NULL: one after another */
    const int *item;
    rice_log *state;            /* device: the top of the stack */
    uint8_t *data;              /* device [capacity] the records */
    int *mode, *bytes, *offset; /* device [blocks], [blocks], [blocks + 1]: code, bytes and place of each block */
    double *level;              /* device [1] bytes in use; -1: there was no room for a record */
    int64_t first, next;        /* the step of the oldest record, and the one that the next push would be of */
    int kept;                   /* 1: the state before the oldest record is in a slot, so steps are recorded */
    int checked;                /* 1: the host has checked since the last push that there was room */
} pio_residual_log;

/* Lays out device memory for records of n numbers in a log of `capacity` bytes; the caller supplies `level`. */
void pio_residual_log_layout(pio_residual_log *log, pio_arena *arena, int64_t capacity, int n, double *level);
/* Removes all records; the next is of this step. */
void pio_residual_log_empty(pio_residual_log *log, pio_queue *q, int64_t step);
/* Pushes a record of the numbers at the items' indices. A step may push several records. */
void pio_residual_log_push(pio_residual_log *log, pio_queue *q, const int64_t *numbers, int64_t step);
/* Pops the last record into `numbers`. */
void pio_residual_log_pop(pio_residual_log *log, pio_queue *q, int64_t *numbers);
/* Marks the beginning of a step. */
void pio_residual_log_mark(pio_residual_log *log, pio_queue *q);
/* Removes what was pushed since the mark. */
void pio_residual_log_rewind(pio_residual_log *log, pio_queue *q);
/* Downloads the top of the stack. */
void pio_residual_log_state(const pio_residual_log *log, pio_queue *q, rice_log *state);

#endif
