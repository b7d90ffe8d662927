/* design_fields.h -- the designs that have a number for each particle or element, as fields of states.vtkhdf. */
#ifndef PIOLA_HOST_DESIGN_FIELDS_H
#define PIOLA_HOST_DESIGN_FIELDS_H

#include "host/run/session.h"

/* A quantity of which each particle or element has a value of its own in the design, such as "E" of materials.*.E. */
typedef struct {
    char of[64], name[72]; /* key of the quantity; name of the field, which is the key unless frames have such a name */
    char meaning[160];     /* description for people who read the file */
    const char *units;     /* SI unit, "1" of a plain number */
    bool in_frames;        /* every frame has it as a field of the state: relative densities */
} pio_design_field;

/* Describes field i of the scene's design, from 0, in the order of its entries; targets with the same key are one
 * field. What nodes have, and vectors, are not among them: frame 0 has those. Returns false past the last. */
bool pio_design_field_of(const pio_session *s, int i, pio_design_field *out);
/* Reads the values of the last evaluation, [items]: of items that the design does not change those of the engine, NaN
 * where it has none. Returns PIOLA_NO_MEMORY, and the errors of the engine. */
piola_status pio_design_field_read(pio_session *s, const pio_design_field *f, double *values, piola_error *error);

#endif
