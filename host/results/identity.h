/* identity.h -- texts of everything that an objective, a gradient or a continued run depends on: equal texts mean equal
 * results. */
#ifndef PIOLA_HOST_IDENTITY_H
#define PIOLA_HOST_IDENTITY_H

#include "host/run/session.h"

/* Returns what a checked gradient depends on, to free(): the resolved scene without its description, output, budget,
 * checks, stopping criteria and optimizer, then a hash of the mesh and of all data that observations and the objective
 * read, and the program. Precision, engine and machine are left out, because a check in double certifies them all. NULL
 * without memory. */
char *pio_identity_of_gradient(const pio_session *s);

/* Returns what the bits of a continued run depend on, as lines "label: value", to free(): what must always be equal
 * (program, precision, dimension, data, scene, and with `optimizer` the scene's optimizer) and, on lines of their own,
 * the machine (device, instruction set, processor, driver, libm, libraries of linear algebra). `more` is "" or further
 * such lines, each ended by a newline, for what only that command depends on. NULL without memory. */
char *pio_identity_of_run(const pio_session *s, bool optimizer, const char *more);

typedef enum {
    PIO_SAME_RUN,      /* every line is equal */
    PIO_OTHER_MACHINE, /* only lines about the machine differ */
    PIO_OTHER_RUN      /* a line that must always be equal differs, or `there` is no such text */
} pio_identity_match;

/* Compares two such texts; `differs` [size] names the lines that differ, with both values, or is "". */
pio_identity_match pio_identity_compare(const char *there, const char *here, char *differs, size_t size);

/* Decides whether a run of identity `here` may continue the file `path`, which a run of identity `there` wrote. Returns
 * PIOLA_OK if they are the same, and with `accept` (--accept-different-machine) on another machine too; then `differs`
 * [size] names the differences for a warning, otherwise it is "". Returns PIOLA_REFUSED if the file is of another
 * machine and must not be changed, and PIOLA_BAD_DATA if it is of another run and may be renamed. */
piola_status pio_identity_admit(const char *path, const char *there, const char *here, bool accept, char *differs,
                                size_t size, piola_error *error);

#endif
