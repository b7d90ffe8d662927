/* identity.h -- what an objective and its gradient depend on, as a text: where two texts are equal, so are they. */
#ifndef PIOLA_HOST_IDENTITY_H
#define PIOLA_HOST_IDENTITY_H

#include "host/session.h"

/* The resolved scene without its words, output, budget, checks and stops -- and, unless `optimizer`, without its optimizer --
 * then a hash of all data that observations and objective compare with, and the program. Not the engine and the machine.
 * free() it; NULL without memory. */
char *pio_identity(const pio_session *s, bool optimizer);

#endif
