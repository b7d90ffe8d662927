/* command_study_check.h -- the Taylor test of a study's objective and constraints. */
#ifndef PIOLA_HOST_COMMAND_STUDY_CHECK_H
#define PIOLA_HOST_COMMAND_STUDY_CHECK_H

#include "host/base/json.h"
#include "host/base/log.h"
#include "host/study/problem.h"
#include "host/verify/taylor.h"

/* A check of a study; all zero but the first members, it is empty. */
typedef struct {
    pio_study_problem *problem;
    pio_log *log;
    pio_taylor_row *rows; /* [n], to free() */
    size_t n;
    double tolerance; /* of the study: gradient.check */
    double J;         /* at the start */
} pio_study_taylor;

/* Compares J of the study and its constraints with their gradients along random directions, each gradient, and for
 * every parameter the variable with the largest derivative of J, and logs the rows. The last evaluation is at z0.
 * Returns PIOLA_OK whatever the rows say, PIOLA_INTERRUPTED, PIOLA_NO_MEMORY, and the errors of
 * pio_study_evaluate(). */
piola_status pio_study_taylor_run(pio_study_taylor *check, piola_error *error);
/* Returns PIOLA_OK if all rows passed, else PIOLA_NO, with the message. */
piola_status pio_study_taylor_verdict(const pio_study_taylor *check, piola_error *error);
/* Writes the member `check` of a result. */
void pio_study_taylor_json(const pio_study_taylor *check, pio_json *json);

#endif
