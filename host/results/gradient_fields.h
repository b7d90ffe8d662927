/* gradient_fields.h -- the gradients per particle that a scene has, by the names that its materials use. */
#ifndef PIOLA_HOST_GRADIENT_FIELDS_H
#define PIOLA_HOST_GRADIENT_FIELDS_H

#include "host/run/session.h"
#include "host/snapshot/snapshot.h"

/* Gradient fields per particle, element or node that the scene's materials have: "grad_E" of "materials.*.E", from the
 * engine's field "grad_given_0" of the particles whose law has it there. Returns 0 past the last. */
typedef struct {
    char name[32], engine_field[32], of[32], units[32], meaning[96];
    int components;
    bool nodal;    /* of a mesh: values are at nodes, else of elements */
    bool constant; /* of laws, which only some materials have; it has no engine field of its own */
} pio_gradient_field;
int pio_gradient_field_of(const pio_session *s, int i, pio_gradient_field *out);
/* Every design's values and derivatives [n_variables] into /piola/gradient/<path>. */
piola_status pio_write_parameters(pio_snapshot *file, const pio_model *m, const double *value, const double *value_bar,
                                  piola_error *error);
/* Read one: [n][components], 0 for particles that have no such constant. */
piola_status pio_gradient_field_read(pio_session *s, const pio_gradient_field *g, double *values, piola_error *error);

#endif
