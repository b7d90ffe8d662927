/* team.h -- processes that answer requests for members of a group, one after another, for as long as the team lives.
 *
 * The members are dealt out: of k processes, process p has the members p, p + k, p + 2k ... A request goes to all of
 * them, and there is one answer for each member, whatever their number and order. The processes are children of the
 * program, which inherit its memory, keep none of its files open and end with it, also if it is killed. When the
 * program is to stop (host/base/signals.h), those that are still at work get SIGTERM.
 *
 * The program must not have computed anything by threads before the team starts: of a program with threads, only the
 * calling thread lives on in a child. */
#ifndef PIOLA_HOST_STUDY_TEAM_H
#define PIOLA_HOST_STUDY_TEAM_H

#include "piola_status.h"

#include "host/study/blob.h"

typedef struct {
    size_t n;      /* members, at least one */
    void *context; /* argument of what follows */
    /* Answers a request, in the process of the member. */
    void (*work)(void *context, size_t member, pio_blob *request, pio_blob *answer);
    /* Is called in each process that was started, before it ends as it should; may be NULL. */
    void (*end)(void *context);
    /* Returns the name of a member, for messages. */
    const char *(*name)(void *context, size_t member);
    /* Is called in the program when `done` of the members have answered a request; may be NULL. */
    void (*progress)(void *context, size_t done);
    struct pio_ranks *ranks; /* ranks.h: they are the processes; NULL: there are none, children are started */
} pio_team_work;

typedef struct pio_team pio_team;

/* Starts `jobs` processes, 1 to work->n. `work` must outlive the team. Returns PIOLA_NO_MEMORY if the system permits no
 * such process. */
piola_status pio_team_start(pio_team **out, const pio_team_work *work, int jobs, piola_error *error);
/* Sends a request and receives the answers [work->n]. Returns PIOLA_INTERRUPTED if a process was ended from outside,
 * PIOLA_INTERNAL if one crashed, with its number and members, and PIOLA_NO_MEMORY; after that, the team answers no
 * more. */
piola_status pio_team_request(pio_team *team, const pio_blob *request, pio_blob *answers, piola_error *error);
/* Ends the processes and frees the team, which may be NULL. */
void pio_team_end(pio_team *team);

#endif
