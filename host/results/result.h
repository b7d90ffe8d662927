/* Room host/results: what a command writes: states, certificates, results, records of evaluations, checkpoints. */
/* result.h -- result.json: what scripts read, the same frame for every command. */
#ifndef PIOLA_HOST_RESULT_H
#define PIOLA_HOST_RESULT_H

#include "host/base/json.h"
#include "host/run/session.h"

/* Begin with what all commands tell; the caller adds its own members, and pio_result_end() ends it. */
void pio_result_begin(pio_session *s, pio_json *json, piola_status exit, const char *message,
                      const piola_failure *failure);
/* Member `failure`: null where there is none, or its kind is PIOLA_FAILED_NOT. */
void pio_failure_json(const piola_failure *failure, pio_json *json);
/* Members `objective`, `terms`, `constraints`, `observations` and `parameters` (with gradients where there are some) of
 * the last evaluation; multipliers [constraints.n] of an optimisation, or NULL. */
void pio_result_evaluation(pio_session *s, pio_json *json, const double *z, bool gradient, const double *multipliers);
/* Write the file, and stdout with --json; always releases `json`. `files`: names in the folder, NULL-terminated.
 * PIOLA_IO where the file or stdout cannot be written. */
piola_status pio_result_end(pio_session *s, pio_json *json, const char *const *files, piola_error *error);

#endif
