/* certificate.h -- the certificate of a gradient: how it was computed, and its last comparison with finite
 * differences. */
#ifndef PIOLA_HOST_CERTIFICATE_H
#define PIOLA_HOST_CERTIFICATE_H

#include "host/run/session.h"
#include "host/verify/taylor.h"

/* Writes the certificate of the last gradient as the member `key` of `json`. An explicit scheme has no linear solves,
 * so residuals are absent. The member `check` has the rows [n]; for n = 0 the result that `piola check` stored in the
 * output folder for the same scene, data and program, or the words "not checked". */
void pio_certificate_json(const pio_session *s, const pio_taylor_row *rows, size_t n, pio_json *json, const char *key);
/* Returns the certificate as JSON text of its own, to free(); NULL without memory. */
char *pio_certificate_text(const pio_session *s, const pio_taylor_row *rows, size_t n);
/* Writes the rows [n] of a comparison with finite differences as the array `key`. */
void pio_check_rows_json(const pio_taylor_row *rows, size_t n, pio_json *json, const char *key);

#endif
