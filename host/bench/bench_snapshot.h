/* bench_snapshot.h -- measurements of files of states: the times of writing, of reading and of checksums. */
#ifndef PIOLA_HOST_BENCH_SNAPSHOT_H
#define PIOLA_HOST_BENCH_SNAPSHOT_H

#include "host/snapshot/snapshot.h"
#include "host/bench/bench_case.h"

enum { PIO_SNAPSHOT_REPETITIONS = 5 };

/* Wall times of writing, s, each the least of the repetitions. */
typedef struct {
    double begin;                  /* creating the file and writing its static fields */
    double frames;                 /* writing all frames */
    double finish;                 /* finishing the file, until it is on the disk under its name */
    double all;                    /* sum of these three */
    double frame_sums, array_sums; /* checksums of arrays: within `frames`, and in all */
    double file_sums;              /* checksums of all bytes, within `finish` */
} pio_snapshot_writing;

/* Wall times of reading, s, each the least of the repetitions. */
typedef struct {
    double open; /* opening the file, until its contents are known */
    double all;  /* opening it and reading the points and fields of every frame */
} pio_snapshot_reading;

typedef struct {
    pio_bench_case_options options;   /* of the benchmark case with the particles */
    pio_snapshot_precision precision; /* of the file */
    int64_t frames;                   /* number of frames */
    const char *folder;               /* folder for the file, which is removed */
    int64_t particles;                /* number of particles */
    int64_t file_bytes;               /* bytes of the whole file */
    int64_t array_bytes, frame_bytes; /* bytes of arrays with checksums: in all, in one frame */
    pio_snapshot_writing writing;     /* times of writing */
    pio_snapshot_reading reading[2];  /* times of reading without and with the comparison of all bytes */
} pio_snapshot_bench;

/* Measures, and fills all members except the first four, which the caller sets. It begins with a repetition that is not
 * timed, and compares what it reads with what it wrote; the file is removed in any case. Returns PIOLA_CANNOT_CREATE if
 * no file can be created in the folder, PIOLA_IO if the disk is full, PIOLA_INTERNAL if the values differ,
 * PIOLA_NO_MEMORY, or PIOLA_INTERRUPTED. */
piola_status pio_snapshot_bench_measure(pio_snapshot_bench *b, piola_error *error);

#endif
