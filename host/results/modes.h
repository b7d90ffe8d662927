/* modes.h -- what modal analysis found, in result.json and in the certificate. */
#ifndef PIOLA_HOST_MODES_H
#define PIOLA_HOST_MODES_H

#include "host/run/session.h"

/* Writes the modes of the last evaluation as the array "modes", in their order; nothing where the scene has none. */
void pio_modes_json(const pio_session *s, pio_json *json);

#endif
