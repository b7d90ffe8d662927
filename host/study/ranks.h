/* ranks.h -- a team (team.h) of processes that mpirun has started: the ranks, of which rank 0 is the program.
 *
 * Of k ranks, rank r has the members r, r + k, r + 2k ... The others only answer requests: each answer is broadcast by
 * its rank, in the order of the members, and nothing is summed by MPI. */
#ifndef PIOLA_HOST_STUDY_RANKS_H
#define PIOLA_HOST_STUDY_RANKS_H

#include "host/study/team.h"

typedef struct pio_ranks pio_ranks;

/* Returns the number of processes that mpirun has started, 0 without mpirun. */
int pio_ranks_started(void);
/* Joins the other ranks. *number: of this one; all of them must call it. Returns PIOLA_UNAVAILABLE if there is no MPI,
 * or it is not that of mpirun, and PIOLA_NO_MEMORY. */
piola_status pio_ranks_begin(pio_ranks **out, int *number, piola_error *error);
/* Rank 0: sends a request and receives the answers [work->n]. Returns PIOLA_INTERRUPTED if a rank has ended, with its
 * number and members, and PIOLA_NO_MEMORY; after that, the ranks answer no more. */
piola_status pio_ranks_request(pio_ranks *ranks, const pio_team_work *work, const pio_blob *request, pio_blob *answers,
                               piola_error *error);
/* The other ranks: answers requests until rank 0 ends, and returns its exit code. `work` may be NULL: a request then
 * ends all ranks with `failure`. Returns PIOLA_INTERRUPTED if rank 0 has ended without one. */
piola_status pio_ranks_serve(pio_ranks *ranks, const pio_team_work *work, piola_status failure);
/* Rank 0 sends the others its exit code; all leave MPI, except when one has ended before. Frees it; may be NULL. */
void pio_ranks_end(pio_ranks *ranks, piola_status exit);

#endif
