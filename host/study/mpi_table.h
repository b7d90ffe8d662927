/* mpi_table.h -- the seam to MPI (the Message Passing Interface Forum's MPI: A Message-Passing Interface Standard,
 * version 3.1, 2015): one table of functions per library.
 *
 * A library is a loadable module, piola_mpi_NAME.so in the folder of the engines, that exports its table as
 * `piola_mpi`. Only the module is linked with the library, and its names are its own: MUMPS brings functions that are
 * called as those of MPI and do nothing. */
#ifndef PIOLA_HOST_MPI_TABLE_H
#define PIOLA_HOST_MPI_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PIO_MPI_VERSION = 1, PIO_MPI_TEXT = 256 };

typedef struct {
    uint32_t version, size;
    /* Joins the other ranks. Returns false, with message[PIO_MPI_TEXT], if that failed, or if the ranks are not 0 to
     * count - 1, each once, and a sum over them is not their count. */
    bool (*begin)(int *rank, int *count, char *message);
    /* Sends bytes [size] of rank `from` to all others. Calls `give_up` from time to time. Returns false if it gave up,
     * or MPI reports a failure; after that only abandon() is allowed. */
    bool (*broadcast)(int from, void *bytes, size_t size, bool (*give_up)(void *), void *context);
    /* Leaves, with all others. */
    void (*end)(void);
    /* Ends all ranks at once with this exit code. */
    void (*abandon)(int code);
} pio_mpi_table;

#endif
