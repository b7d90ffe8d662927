/* gradient_fields.h -- the gradients per particle, element or node of a scene, named as its materials name the
 * parameters. */
#ifndef PIOLA_HOST_GRADIENT_FIELDS_H
#define PIOLA_HOST_GRADIENT_FIELDS_H

#include "host/run/session.h"
#include "host/snapshot/snapshot.h"

/* A gradient field of a scene, such as "grad_E" of "materials.*.E". */
typedef struct {
    /* Name of the field, "grad_E"; the engine's field with its values, "" if `constant`; key of the parameter, "E";
     * unit of the derivative, "1/Pa"; description for people who read the file. */
    char name[64], engine_field[32], of[32], units[40], meaning[160];
    const char *quantity; /* what the parameter is, "Young's modulus" */
    int components;       /* numbers per item */
    bool nodal;           /* in a mesh: items are nodes; otherwise elements */
    bool per_volume;      /* over the volume of the element at rest, as output.gradient requests */
    /* The parameter is a constant of laws, which only some materials have: its values come from the engine's field of
     * that constant in each law, such as "grad_parameter_0". */
    bool constant;
} pio_gradient_field;

/* Describes gradient field i of the scene, from 0. Returns 0 past the last, otherwise 1. */
int pio_gradient_field_of(const pio_session *s, int i, pio_gradient_field *out);
/* Writes the values and derivatives [n_variables] of every design to /piola/gradient/<path>. Returns the errors of
 * pio_snapshot_put_gradient(). */
piola_status pio_write_parameters(pio_snapshot *file, const pio_model *m, const double *value, const double *value_bar,
                                  piola_error *error);
/* Sets the name of the engine's field that has the values of this one for all items; false if there is none. */
bool pio_gradient_field_source(const pio_session *s, const pio_gradient_field *g, char name[64]);
/* Reads a field, [items][components], with 0 for items whose law has no such constant. Returns PIOLA_NO_MEMORY, and the
 * errors of the engine. */
piola_status pio_gradient_field_read(pio_session *s, const pio_gradient_field *g, double *values, piola_error *error);
/* Reads the values [items] that each particle or element has of a scalar quantity now, by its key, "E": NaN for items
 * whose law has no such constant, and for all where the engine keeps no such values. Returns PIOLA_NO_MEMORY, and the
 * errors of the engine. */
piola_status pio_quantity_read(pio_session *s, const char *key, double *values, piola_error *error);

#endif
