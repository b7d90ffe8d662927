/* balance.h -- how well the forces of the last run's implicit steps balance. */
#ifndef PIOLA_HOST_BALANCE_H
#define PIOLA_HOST_BALANCE_H

#include "host/run/session.h"

/* A warning where rounding, and not solver.tolerance, says how well, and where that puts the displacement off by more
 * than solver.tolerance of itself. Measured: by one more solve with the forces that are left
 * (pio_step_record.doubt). */
void pio_balance_report(const pio_session *s);

/* By how much J (or the constraint of that sweep back) of the last run may be off, other than by rounding of its sum: a
 * force r that is out of balance changes it by lambda . r, and the engine's numbers have their digits. Of lambda there
 * is the norm, from the last gradient: an upper bound. Unit of J. */
double pio_balance_doubt(const pio_session *s, int64_t sweep);

#endif
