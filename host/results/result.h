/* Room host/results: files that commands write: states, certificates, results, evaluations, checkpoints. */
/* result.h -- result.json, which scripts read: every command writes the same members first. */
#ifndef PIOLA_HOST_RESULT_H
#define PIOLA_HOST_RESULT_H

#include "host/base/json.h"
#include "host/optimize/optimizer.h"
#include "host/run/session.h"

/* Begins `json` with the members that all commands have; the caller adds its own, and pio_result_end() ends it. `exit`
 * and `message` are the command's status and error; if they are a success but the log could not be written, the log's
 * error replaces them. */
void pio_result_begin(pio_session *s, pio_json *json, piola_status exit, const char *message,
                      const piola_failure *failure);
/* Writes the member `failure`: null if `failure` is NULL or its kind is PIOLA_FAILED_NOT. */
void pio_failure_json(const piola_failure *failure, pio_json *json);
/* Writes the members `objective`, `terms`, `constraints`, `observations`, `data` and, at the variables z, `parameters`
 * (with their derivatives if `gradient`) of the last evaluation; multipliers [constraints.n] of an optimisation, or
 * NULL. */
void pio_result_evaluation(pio_session *s, pio_json *json, const double *z, bool gradient, const double *multipliers);
/* Writes the member `optimizer`; beta: the sharpness of projections at the end, 0: there are none. */
void pio_result_optimizer(pio_json *json, pio_optimizer_type type, const pio_optimizer_result *result, double beta);
/* Writes result.json, with --json also to standard output, and frees `json` in any case. `files` are the names of other
 * files in the folder, ended by NULL, of which those are listed that are there. Returns PIOLA_NO_MEMORY, or PIOLA_IO or
 * PIOLA_CANNOT_CREATE if the file or standard output cannot be written. */
piola_status pio_result_end(pio_session *s, pio_json *json, const char *const *files, piola_error *error);
/* Writes a complete `json` as the result.json `path`, which piola_disown_result() removes if it reports `success`, and
 * where it `prints` to standard output; frees `json` in any case. Returns the errors of pio_result_end(). */
piola_status pio_result_write(pio_json *json, const char *path, bool success, bool prints, piola_error *error);

#endif
