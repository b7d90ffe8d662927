/* balance.h -- how well the forces of the last run's implicit steps balance. */
#ifndef PIOLA_HOST_BALANCE_H
#define PIOLA_HOST_BALANCE_H

#include "host/session.h"

/* A warning where rounding, and not solver.tolerance, says how well. Steps whose forces are nothing beside those of the others are
 * not counted. */
void pio_balance_tell(const pio_session *s);

#endif
