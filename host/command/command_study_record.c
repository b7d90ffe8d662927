/* command_study_record.c -- see command_study_record.h. */
#include "host/command/command_study_record.h"

#include "host/base/fail.h"
#include "host/run/output_folder.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char pio_study_record_name[] = "evaluations.record";
static const char history[] = "history.csv";

/* Goes on from a record. That of another study is renamed. Returns PIOLA_NO_INPUT where there is none. */
static piola_status go_on(pio_study_record *r, const char *path, const pio_evaluation_size *size, const char *identity,
                          pio_log *log, piola_error *error)
{
    char aside[PIO_PATH + 40];
    const bool accept = r->problem->call->options->accept_machine;
    const piola_status rc = pio_evaluations_continue(&r->evaluations, path, size, identity, accept, error);
    if (rc != PIOLA_NO) return rc;
    snprintf(aside, sizeof aside, "%s.previous", path);
    for (int i = 2; access(aside, F_OK) == 0; i++) snprintf(aside, sizeof aside, "%s.previous.%d", path, i);
    pio_log_message(log, PIO_WARNING, "beginning anew: %s; it is now %s", error->message, aside);
    if (rename(path, aside))
        return pio_fail(error, PIOLA_CANNOT_CREATE, "cannot rename %s to %s: %s", path, aside, strerror(errno));
    return PIOLA_NO_INPUT;
}

/* Creates the history with its first line. */
static piola_status begin_history(pio_study_record *r, const char *folder, piola_error *error)
{
    char path[PIO_PATH];
    const pio_study *study = r->problem->call->study;
    pio_path_join(path, PIO_PATH, folder, history);
    r->history = fopen(path, "we");
    if (!r->history) return pio_fail(error, PIOLA_CANNOT_CREATE, "cannot create %s: %s", path, strerror(errno));
    fprintf(r->history, "iteration,evaluations,objective,projected_gradient,violation");
    for (size_t e = 0; e < study->n; e++) fprintf(r->history, ",objective.%s", study->experiments[e].name);
    fputc('\n', r->history);
    return PIOLA_OK;
}

piola_status pio_study_record_open(pio_study_record *r, pio_log *log, const char *folder, piola_error *error)
{
    char path[PIO_PATH];
    const pio_study_problem *p = r->problem;
    const pio_evaluation_size size = {.n = p->n, .m = p->m + p->rows, .beside = p->work.n};
    char *identity = pio_study_identity(p);
    r->objectives = calloc(p->work.n, sizeof *r->objectives);
    if (!identity || !r->objectives) {
        free(identity);
        return pio_fail_memory(error, 1 << 16, "the study's identity");
    }
    pio_path_join(path, PIO_PATH, folder, pio_study_record_name);
    piola_status rc = PIOLA_NO_INPUT;
    if (p->call->options->resume) rc = go_on(r, path, &size, identity, log, error);
    if (rc == PIOLA_NO_INPUT) rc = pio_evaluations_create(&r->evaluations, path, &size, identity, error);
    free(identity);
    return rc ? rc : begin_history(r, folder, error);
}

void pio_study_record_next(pio_study_record *r)
{
    size_t recorded;
    const pio_evaluation *list = pio_evaluations_list(r->evaluations, &recorded);
    while (r->next < recorded && list[r->next].z) r->next++;
    r->next++;
}

piola_status pio_study_record_evaluation(pio_study_record *r, size_t number, const pio_evaluation *at,
                                         piola_error *error)
{
    for (size_t e = 0; e < r->problem->work.n; e++)
        r->objectives[e] = isnan(at->J) ? (double)NAN : r->problem->parts[e].J; /* those of a failed one are older */
    const piola_status rc = pio_evaluations_add(r->evaluations, number, at, r->objectives, error);
    r->advanced |= !rc;
    return rc;
}

piola_status pio_study_record_iteration(const pio_study_record *r, const pio_iteration *at, piola_error *error)
{
    const double *replayed = at->replayed ? pio_evaluations_beside(r->evaluations, at->evaluations - 1) : NULL;
    fprintf(r->history, "%d,%zu,%.17g,%.17g,%.17g", at->number, at->evaluations, at->at.J, at->projected_gradient,
            at->violation);
    for (size_t e = 0; e < r->problem->work.n; e++)
        fprintf(r->history, ",%.17g", replayed ? replayed[e] : r->problem->parts[e].J);
    fputc('\n', r->history);
    return fflush(r->history) ? pio_fail(error, PIOLA_IO, "cannot write %s: %s", history, strerror(errno)) : PIOLA_OK;
}

void pio_study_record_close(pio_study_record *r)
{
    if (r->history) fclose(r->history);
    pio_evaluations_close(r->evaluations);
    free(r->objectives);
}
