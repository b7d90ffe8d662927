/* ranks.c -- see ranks.h. */
#include "host/study/ranks.h"

#include "host/base/fail.h"
#include "host/base/modules.h"
#include "host/study/mpi_table.h"
#include "solvers/engine/clock.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double AGAIN = 0.1; /* s between two searches for ranks that have ended */

/* Where a rank is. */
typedef struct {
    int64_t pid;
    char host[64];
} place;

struct pio_ranks {
    const pio_mpi_table *table;
    int number, count;
    place *places; /* [count] */
    int dead;      /* number of a rank that has ended; -1: none */
    bool broken;   /* no more is sent */
    double next;   /* when they are searched for again */
};

int pio_ranks_started(void)
{
    const char *size = getenv("OMPI_COMM_WORLD_SIZE");
    return size ? atoi(size) : 0;
}

/* Returns whether a rank of this machine has ended. Those of other machines are mpirun's to see. */
static bool has_ended(void *context)
{
    pio_ranks *r = context;
    if (pio_clock() < r->next) return false;
    r->next = pio_clock() + AGAIN;
    for (int k = 0; k < r->count && r->dead < 0; k++)
        if (r->places[k].pid && !strcmp(r->places[k].host, r->places[r->number].host) &&
            kill((pid_t)r->places[k].pid, 0) && errno == ESRCH)
            r->dead = k;
    return r->dead >= 0;
}

static bool send_all(pio_ranks *r, int from, void *bytes, size_t size)
{
    if (!r->broken) r->broken = !r->table->broadcast(from, bytes, size, has_ended, r);
    return !r->broken;
}

/* Broadcasts a blob of a rank. */
static bool send_blob(pio_ranks *r, int from, pio_blob *b)
{
    int64_t size = (int64_t)b->size;
    if (!send_all(r, from, &size, sizeof size)) return false;
    if (r->number != from && !pio_blob_resize(b, (size_t)size)) r->table->abandon(PIOLA_NO_MEMORY);
    return send_all(r, from, b->data, (size_t)size);
}

piola_status pio_ranks_begin(pio_ranks **out, int *number, piola_error *error)
{
    char folder[PIO_PATH], why[PIO_MODULE_TEXT];
    const pio_module_head wanted = {PIO_MPI_VERSION, sizeof(pio_mpi_table)};
    pio_ranks *r = *out = calloc(1, sizeof *r);
    if (!r) return pio_fail_memory(error, sizeof *r, "the ranks of a study");
    r->dead = -1;
    r->broken = true;
    pio_module_folder(folder, sizeof folder);
    r->table = pio_module_open(folder, "mpi", "openmpi", wanted, why);
    if (!r->table)
        return pio_fail(error, PIOLA_UNAVAILABLE,
                        "mpirun needs Open MPI, and %s: install it (Debian: libopenmpi3; to build Piola with it, "
                        "libopenmpi-dev)",
                        why);
    if (!r->table->begin(&r->number, &r->count, why)) return pio_fail(error, PIOLA_UNAVAILABLE, "mpirun: %s", why);
    *number = r->number;
    r->places = calloc((size_t)r->count, sizeof *r->places);
    if (!r->places) return pio_fail_memory(error, sizeof *r->places, "the ranks of a study");
    place here = {.pid = getpid()};
    gethostname(here.host, sizeof here.host - 1);
    r->places[r->number] = here;
    r->broken = false;
    for (int k = 0; k < r->count; k++)
        if (!send_all(r, k, &r->places[k], sizeof *r->places))
            return pio_fail(error, PIOLA_UNAVAILABLE, "rank %d ended at the start", k);
    return PIOLA_OK;
}

/* Computes the own answers, and exchanges all of them. */
static bool exchange(pio_ranks *r, const pio_team_work *work, pio_blob *request, pio_blob *answers)
{
    bool sent = true;
    for (size_t m = (size_t)r->number; m < work->n; m += (size_t)r->count) {
        request->at = 0;
        pio_blob_clear(&answers[m]);
        work->work(work->context, m, request, &answers[m]);
        if (answers[m].failed) r->table->abandon(PIOLA_NO_MEMORY);
    }
    for (size_t m = 0; m < work->n && sent; m++) {
        sent = send_blob(r, (int)(m % (size_t)r->count), &answers[m]);
        answers[m].at = 0;
        if (sent && work->progress) work->progress(work->context, m + 1);
    }
    return sent;
}

piola_status pio_ranks_request(pio_ranks *r, const pio_team_work *work, const pio_blob *request, pio_blob *answers,
                               piola_error *error)
{
    pio_blob own = *request;
    char members[600] = "";
    size_t used = 0;
    if (request->failed) return pio_fail_memory(error, request->size, "a request to the experiments");
    if (send_blob(r, 0, &own) && exchange(r, work, &own, answers)) return PIOLA_OK;
    if (r->dead < 0) return pio_fail(error, PIOLA_INTERRUPTED, "the ranks of mpirun do not reach each other any more");
    for (size_t m = (size_t)r->dead; m < work->n && used < sizeof members; m += (size_t)r->count)
        used += (size_t)snprintf(members + used, sizeof members - used, "%s%.64s", used ? ", " : "",
                                 work->name(work->context, m));
    return pio_fail(error, PIOLA_INTERRUPTED, "rank %d of %d, process %lld, of the experiments %s, has ended", r->dead,
                    r->count, (long long)r->places[r->dead].pid, members);
}

piola_status pio_ranks_serve(pio_ranks *r, const pio_team_work *work, piola_status failure)
{
    pio_blob request = {0};
    pio_blob *answers = work ? calloc(work->n, sizeof *answers) : NULL;
    int64_t size = 0;
    while (send_all(r, 0, &size, sizeof size) && size >= 0) {
        if (!answers || !pio_blob_resize(&request, (size_t)size))
            r->table->abandon(work ? (int)PIOLA_NO_MEMORY : (int)failure);
        if (!send_all(r, 0, request.data, (size_t)size) || !exchange(r, work, &request, answers)) break;
    }
    for (size_t m = 0; answers && m < work->n; m++) pio_blob_free(&answers[m]);
    pio_blob_free(&request);
    free(answers);
    return size < 0 ? (piola_status)(-1 - size) : PIOLA_INTERRUPTED;
}

void pio_ranks_end(pio_ranks *r, piola_status exit)
{
    int64_t last = -1 - (int64_t)exit;
    if (!r) return;
    if (r->number == 0) send_all(r, 0, &last, sizeof last);
    if (!r->broken) r->table->end();
    free(r->places);
    free(r);
}
