/* identity.h -- what objective, gradient and a continued run depend on, as texts: where two texts are equal, so are
 * they. */
#ifndef PIOLA_HOST_IDENTITY_H
#define PIOLA_HOST_IDENTITY_H

#include "host/run/session.h"

/* What a gradient that was checked depends on: the resolved scene without its words, output, budget, checks, stops and
 * optimizer, then a hash of all data that observations and objective compare with, and the program. Not the precision,
 * the engine and the machine: a check in double certifies them all. free() it; NULL without memory. */
char *pio_identity_of_gradient(const pio_session *s);

/* What the bits of a run that is continued depend on, as lines "label: value": what must always be equal (program,
 * precision, dimension, data, scene, with the optimizer where asked) and, on lines of their own, the machine (device,
 * instruction set, processor, driver, libm, libraries of linear algebra). `more`: further such lines, each ended by a
 * newline, for what only that command depends on, or "". Made by an open session. free() it; NULL without memory. */
char *pio_identity_of_run(const pio_session *s, bool optimizer, const char *more);

typedef enum {
    PIO_SAME_RUN,
    PIO_OTHER_MACHINE, /* all else is equal */
    PIO_OTHER_RUN      /* a line that must always be equal differs, or `there` is no such text */
} pio_identity_match;

/* Compare two such texts; `differs` [size] names what differs, with both values. */
pio_identity_match pio_identity_compare(const char *there, const char *here, char *differs, size_t size);

/* May a run of `here` continue the file `path` that a run of `there` left? PIOLA_OK where they are the same, and with
 * `accept`
 * (--accept-different-machine) on another machine too: then `differs` [size] says what differs, for a warning, and is
 * "" else. PIOLA_REFUSED: of another machine; leave the file as it is. PIOLA_BAD_DATA: of another run; it may be set
 * aside. */
piola_status pio_identity_admit(const char *path, const char *there, const char *here, bool accept, char *differs,
                                size_t size, piola_error *error);

#endif
