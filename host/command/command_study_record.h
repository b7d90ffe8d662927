/* command_study_record.h -- what piola optimize of a study keeps of its way: evaluations.record, from which it goes on
 * after it was stopped, and history.csv, with a line for each iteration. */
#ifndef PIOLA_HOST_COMMAND_STUDY_RECORD_H
#define PIOLA_HOST_COMMAND_STUDY_RECORD_H

#include "host/base/log.h"
#include "host/results/evaluations.h"
#include "host/study/problem.h"

extern const char pio_study_record_name[]; /* of the file of evaluations */

/* All zero but the problem, it is empty. */
typedef struct {
    const pio_study_problem *problem;
    pio_evaluations *evaluations;
    FILE *history;
    double *objectives; /* [experiments] working memory */
    size_t next;        /* number of the next evaluation that is computed, plus 1 as soon as it is */
    bool advanced;      /* an evaluation was added to the record */
} pio_study_record;

/* Opens both files in a folder; with the option --resume goes on from the evaluations there. A record of another study
 * is renamed. Returns PIOLA_NO_MEMORY, PIOLA_CANNOT_CREATE, and the errors of pio_evaluations_continue() and
 * pio_evaluations_create(); *record is to close in any case. */
piola_status pio_study_record_open(pio_study_record *record, pio_log *log, const char *folder, piola_error *error);
/* Counts the evaluation that begins. Those on record are not computed, except damaged ones. */
void pio_study_record_next(pio_study_record *record);
/* Adds an evaluation, with the objectives of the experiments in the last one of the problem. Returns the errors of
 * pio_evaluations_add(). */
piola_status pio_study_record_evaluation(pio_study_record *record, size_t number, const pio_evaluation *at,
                                         piola_error *error);
/* Adds a line of the history, with the objective of each experiment. Returns PIOLA_IO. */
piola_status pio_study_record_iteration(const pio_study_record *record, const pio_iteration *at, piola_error *error);
/* Closes the files. */
void pio_study_record_close(pio_study_record *record);

#endif
