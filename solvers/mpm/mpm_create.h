/* mpm_create.h -- building and freeing a simulation from its description. */
#ifndef PIOLA_SOLVERS_MPM_CREATE_H
#define PIOLA_SOLVERS_MPM_CREATE_H

#include "solvers/mpm/mpm.h"

/* The member measure of pio_engine; nothing is allocated on the device. Returns PIOLA_BAD_DATA for a description that
 * cannot be, PIOLA_INTERNAL for one of another build, PIOLA_NO_MEMORY without host memory, or PIOLA_UNAVAILABLE if the
 * device cannot be opened. */
piola_status mpm_measure(const pio_backend *backend, const pio_engine_desc *desc, pio_engine_bytes *bytes,
                         piola_error *error);
/* The member create of pio_engine. Returns the errors of mpm_measure(), PIOLA_NO_MEMORY of the device,
 * PIOLA_INTERRUPTED, and PIOLA_UNAVAILABLE after an error of the device. */
piola_status mpm_create(const pio_backend *backend, const pio_engine_desc *desc, pio_sim **out, pio_engine_bytes *bytes,
                        piola_error *error);
/* The member destroy of pio_engine. */
void mpm_destroy(pio_sim *sim);

#endif
