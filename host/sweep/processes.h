/* processes.h -- runs items of work in child processes, a number of them at the same time.
 *
 * A child inherits the memory of the program, does one item and ends; what it computes reaches the program by files and
 * by a short answer. If it crashes, the item has failed and the others go on. Children keep none of the program's files
 * open and end with it, also if it is killed. When the program is to stop (host/base/signals.h), children get SIGTERM,
 * and no further item is begun.
 *
 * The program must not have computed anything by threads before: of a program with threads, only the calling thread
 * lives on in a child. */
#ifndef PIOLA_HOST_SWEEP_PROCESSES_H
#define PIOLA_HOST_SWEEP_PROCESSES_H

#include "piola_status.h"

enum { PIO_PROCESS_ANSWER = 4096 };

/* How an item ended. */
typedef struct {
    int exit;                        /* a piola_status, or 128 plus the number of the signal that ended the process */
    piola_error error;               /* of an item that failed */
    double seconds;                  /* wall-clock time of the process */
    char answer[PIO_PROCESS_ANSWER]; /* what the work wrote; zero where the process gave none */
} pio_process_end;

typedef struct {
    int jobs;             /* greatest number of processes at the same time, at least 1 */
    const int64_t *items; /* [n] numbers of the items, in the order in which they are begun */
    int64_t n;
    void *context;
    /* Does an item, in the child; answer[PIO_PROCESS_ANSWER] is zero at first. */
    piola_status (*work)(void *context, int64_t item, char *answer, piola_error *error);
    /* Receives the end of an item, in the program, one at a time. */
    void (*ended)(void *context, int64_t item, const pio_process_end *end);
    /* Receives the exit code of an item that was stopped with the program, likewise; NULL: nothing does. */
    void (*stopped)(void *context, int64_t item, int exit);
} pio_processes;

/* Runs all items and waits for them. Items that did not come to an end because the program is to stop are not
 * reported. Returns PIOLA_INTERRUPTED if there are such items, or PIOLA_NO_MEMORY if no process can be started. */
piola_status pio_processes_run(const pio_processes *p, piola_error *error);

#endif
