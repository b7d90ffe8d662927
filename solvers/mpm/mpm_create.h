/* mpm_create.h -- building and freeing a simulation from its description. */
#ifndef PIOLA_SOLVERS_MPM_CREATE_H
#define PIOLA_SOLVERS_MPM_CREATE_H

#include "solvers/mpm/mpm.h"

/* The member measure of pio_engine; nothing is allocated on the device. */
piola_status mpm_measure(const pio_backend *backend, const pio_engine_desc *desc, pio_engine_bytes *bytes,
                         piola_error *error);
/* The member create of pio_engine. */
piola_status mpm_create(const pio_backend *backend, const pio_engine_desc *desc, pio_sim **out, pio_engine_bytes *bytes,
                        piola_error *error);
/* The member destroy of pio_engine. */
void mpm_destroy(pio_sim *sim);

#endif
