/* bench_snapshot.h -- measuring files of states: what writing them, reading them and their checksums take. */
#ifndef PIOLA_HOST_BENCH_SNAPSHOT_H
#define PIOLA_HOST_BENCH_SNAPSHOT_H

#include "host/snapshot/snapshot.h"
#include "host/bench/trial.h"

enum { PIO_SNAPSHOT_REPETITIONS = 5 };

/* s of wall time, each the best of the repetitions. */
typedef struct {
    double begin;                  /* creating the file, and what is written once */
    double frames;                 /* writing all of them */
    double finish;                 /* until the file is on the disk, under its name */
    double all;                    /* the three of them */
    double frame_sums, array_sums; /* checksums of arrays: within `frames`, and within all */
    double file_sums;              /* those of all bytes, within `finish` */
} pio_snapshot_writing;

/* Likewise. */
typedef struct {
    double open; /* until it is known what the file holds */
    double all;  /* opening it, and reading the points and the fields of every frame */
} pio_snapshot_reading;

typedef struct {
    pio_trial_options options; /* of the particles */
    pio_snapshot_precision precision;
    int64_t frames;
    const char *folder; /* for the file, which is removed */
    int64_t particles;
    int64_t file_bytes;               /* of the whole file */
    int64_t array_bytes, frame_bytes; /* of arrays that have checksums: in all, in one frame */
    pio_snapshot_writing writing;
    pio_snapshot_reading reading[2]; /* without the comparison of all bytes with their checksums; with it */
} pio_snapshot_bench;

/* Fill everything but the first four members, which are given. Begins with a repetition that is not timed, and compares
 * what it reads with what it wrote. PIOLA_CANNOT_CREATE where the folder takes no file, PIOLA_IO where the disk is
 * full, PIOLA_INTERRUPTED; the file is removed in any case. */
piola_status pio_snapshot_bench_measure(pio_snapshot_bench *b, piola_error *error);

#endif
