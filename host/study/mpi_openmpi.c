/* mpi_openmpi.c -- ranks by Open MPI. */
#include "host/study/mpi_table.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { CHUNK = 1 << 30 }; /* bytes of a broadcast: MPI counts by int */
static const struct timespec moment = {.tv_nsec = 200000};

static bool fail(char *message, const char *what)
{
    snprintf(message, PIO_MPI_TEXT, "%s", what);
    return false;
}

/* Returns whether the ranks are distinct, and a sum over them is their count. */
static bool check(int rank, int count)
{
    int one = 1, sum = 0;
    int *ranks = calloc((size_t)count, sizeof *ranks);
    bool right = ranks && MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS &&
                 MPI_Allgather(&rank, 1, MPI_INT, ranks, 1, MPI_INT, MPI_COMM_WORLD) == MPI_SUCCESS && sum == count;
    for (int r = 0; r < count && right; r++) right = ranks[r] == r;
    free(ranks);
    return right;
}

static bool begin(int *rank, int *count, char *message)
{
    const char *started = getenv("OMPI_COMM_WORLD_SIZE");
    int level = 0;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS)
        return fail(message, "Open MPI cannot begin");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    MPI_Comm_size(MPI_COMM_WORLD, count);
    if (!started || atoi(started) != *count)
        return fail(message, "MPI has another number of ranks than mpirun has started: it is not that of mpirun");
    if (!check(*rank, *count)) return fail(message, "the ranks of MPI are not distinct, or do not reach each other");
    return true;
}

static bool broadcast(int from, void *bytes, size_t size, bool (*give_up)(void *), void *context)
{
    for (size_t done = 0; done < size;) {
        const int n = size - done < CHUNK ? (int)(size - done) : CHUNK;
        MPI_Request request;
        int arrived = 0;
        if (MPI_Ibcast((char *)bytes + done, n, MPI_BYTE, from, MPI_COMM_WORLD, &request) != MPI_SUCCESS) return false;
        for (;;) {
            if (MPI_Test(&request, &arrived, MPI_STATUS_IGNORE) != MPI_SUCCESS) return false;
            if (arrived) break;
            if (give_up(context)) return false;
            nanosleep(&moment, NULL);
        }
        done += (size_t)n;
    }
    return true;
}

static void end(void)
{
    MPI_Finalize();
}

static void abandon(int code)
{
    MPI_Abort(MPI_COMM_WORLD, code);
}

__attribute__((visibility("default"))) extern const pio_mpi_table piola_mpi;
const pio_mpi_table piola_mpi = {.version = PIO_MPI_VERSION,
                                 .size = sizeof(pio_mpi_table),
                                 .begin = begin,
                                 .broadcast = broadcast,
                                 .end = end,
                                 .abandon = abandon};
