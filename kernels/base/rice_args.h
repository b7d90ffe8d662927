/* rice_args.h -- what launches pass to the kernels of rice.h. */
#ifndef PIOLA_KERNELS_RICE_ARGS_H
#define PIOLA_KERNELS_RICE_ARGS_H

#include "kernels/base/base.h"

enum { RICE_BLOCK = 128, RICE_LIMIT = 24, RICE_HEADER = 6, RICE_RAW = 56, RICE_RUNS = 57, RICE_MODES = 64 };

/* Returns the number of blocks of a record of n numbers. */
PIO_FN int rice_blocks(int n)
{
    return (n + RICE_BLOCK - 1) / RICE_BLOCK;
}

/* The log's state, on the device. */
typedef struct {
    int64_t capacity, used; /* bytes */
    int64_t mark;           /* `used` to go back to */
    /* of the record being written or read: its first byte, and the first of its lengths; start < 0: none */
    int64_t start, end;
    int64_t fails;   /* step whose record did not fit first, -1: none */
    int64_t missing; /* bytes that it did not fit by */
} rice_log;

/* Where numbers lie: number i of the record is in[item[i]]. */
typedef struct {
    int n;           /* numbers of the record */
    const int *item; /* [n], or NULL: i */
} rice_numbers;

/* The mode and the bytes of each block. */
typedef struct {
    rice_numbers a;    /* where the numbers of the record lie */
    const int64_t *in; /* the numbers, in[item[i]] */
    int *mode, *bytes; /* [blocks]; set */
} rice_measure_args;

/* Bytes of each block, as measured or as the record in the log says; their sums are the places of the blocks. */
typedef struct {
    const int *bytes;    /* [blocks], or NULL: of the record */
    const rice_log *log; /* [1] */
    const uint8_t *data; /* [capacity] */
    int *offset;         /* [blocks + 1] set */
} rice_start_args;

/* Writes each block where RICE_OPEN of rice_move() made room. */
typedef struct {
    rice_numbers a;                   /* where the numbers of the record lie */
    const int64_t *in;                /* the numbers, in[item[i]] */
    const int *mode, *bytes, *offset; /* [blocks] */
    const rice_log *log;              /* [1] */
    uint8_t *data;                    /* [capacity]; set within the record */
} rice_write_args;

/* Reads each block of the record that RICE_CLOSE of rice_move() found. */
typedef struct {
    rice_numbers a;      /* where the numbers of the record lie */
    const int *offset;   /* [blocks + 1] */
    const rice_log *log; /* [1] */
    const uint8_t *data; /* [capacity] */
    int64_t *out;        /* set at the record's places */
} rice_read_args;

/* OPEN: room for a record, of blocks that take *total bytes, is made at the top, or there is none. CLOSE: the record at
 * the top is to be read. DROP: it is gone. MARK and REWIND: what was written since is gone. EMPTY: all is. */
enum { RICE_OPEN, RICE_CLOSE, RICE_DROP, RICE_MARK, RICE_REWIND, RICE_EMPTY };

/* An operation on the stack of records: one item. */
typedef struct {
    int what, blocks;       /* RICE_OPEN ... RICE_EMPTY; blocks of a record */
    int64_t step, capacity; /* number of the step, of OPEN; bytes of the log, of EMPTY */
    const int *total;       /* [1] of OPEN */
    uint8_t *data;          /* [capacity] */
    rice_log *log;          /* [1]; changed */
    double *level;          /* [1] for the host: bytes in use, -1 once a record did not fit; set */
} rice_move_args;

#endif
