/* check_record.h -- check.json: the result of `piola check`, for the certificates of later gradients of the same
 * scene. */
#ifndef PIOLA_HOST_CHECK_RECORD_H
#define PIOLA_HOST_CHECK_RECORD_H

#include "host/run/session.h"

/* Removes check.json from the output folder, where an earlier check may have left it. */
void pio_check_record_forget(const pio_session *s);
/* Writes check.json to the output folder: `passed` of `directions` directions passed. Returns PIOLA_NO_MEMORY, and the
 * errors of pio_write_file_atomically(). */
piola_status pio_check_record_write(const pio_session *s, int64_t directions, int64_t passed, piola_error *error);
/* Writes the result that a check of the same scene, data and program left there, as the member `key`. Returns false,
 * and writes nothing, if there is none. */
bool pio_check_record_json(const pio_session *s, pio_json *json, const char *key);

#endif
