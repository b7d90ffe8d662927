/* check_record.h -- check.json: what piola check found, for the certificates of later gradients of the same scene. */
#ifndef PIOLA_HOST_CHECK_RECORD_H
#define PIOLA_HOST_CHECK_RECORD_H

#include "host/run/session.h"

/* Forget what an earlier check left in the folder. */
void pio_check_record_forget(const pio_session *s);
/* Leave in the folder that `passed` of `directions` passed. */
piola_status pio_check_record_write(const pio_session *s, int64_t directions, int64_t passed, piola_error *error);
/* What a check of the same scene, data and program left there, as a member `key`; false when there is none. */
bool pio_check_record_json(const pio_session *s, pio_json *json, const char *key);

#endif
