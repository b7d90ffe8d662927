/* modes.h -- what modal analysis found, in result.json, in the certificate and in the log. */
#ifndef PIOLA_HOST_MODES_H
#define PIOLA_HOST_MODES_H

#include "host/run/session.h"

/* Writes the modes of the last evaluation as the array "modes", in their order; nothing where the scene has none. */
void pio_modes_json(const pio_session *s, pio_json *json);

/* Logs the frequencies, Hz, of the first twelve modes of the last evaluation, which of them are rigid motions, and how
 * many more there are; nothing where the scene has none. */
void pio_modes_log(const pio_session *s);

#endif
