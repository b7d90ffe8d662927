/* certificate.h -- what vouches for a gradient: how it was made, and its last comparison with differences. */
#ifndef PIOLA_HOST_CERTIFICATE_H
#define PIOLA_HOST_CERTIFICATE_H

#include "host/run/session.h"
#include "host/verify/taylor.h"

/* The certificate as a member `key` of json. An explicit scheme has no linear solves, so residuals are absent; `check`
 * holds the rows [n]; without rows, what piola check left in the folder for this very scene, or the words "not
 * checked". */
void pio_certificate_json(const pio_session *s, const pio_taylor_row *rows, size_t n, pio_json *json, const char *key);
/* The same as a text of its own; free() it. NULL without memory. */
char *pio_certificate_text(const pio_session *s, const pio_taylor_row *rows, size_t n);
/* The rows as an array `key`. */
void pio_check_rows_json(const pio_taylor_row *rows, size_t n, pio_json *json, const char *key);

#endif
