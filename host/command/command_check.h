/* command_check.h -- what piola check says of its directions. */
#ifndef PIOLA_HOST_COMMAND_CHECK_H
#define PIOLA_HOST_COMMAND_CHECK_H

#include "host/run/session.h"
#include "host/verify/taylor.h"

/* Writes result and record of the rows [n] of a check, and logs the verdict. `equilibrium` is Newton's tolerance of the
 * runs that were compared, 0: they have none. Returns PIOLA_NO if a row has not passed, else the errors of writing. */
piola_status pio_check_report(pio_session *session, const pio_taylor_row *rows, size_t n, double equilibrium,
                              piola_error *error);

#endif
