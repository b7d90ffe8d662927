/* design_tie.h -- elements of a design field that have one value: mirror images, and columns. */
#ifndef PIOLA_HOST_DESIGN_TIE_H
#define PIOLA_HOST_DESIGN_TIE_H

#include "host/model/model.h"

/* The elements of a design field, in the order of the model. */
typedef struct {
    int32_t n;      /* number of elements */
    int32_t *item;  /* [n] their numbers in the model, ascending */
    double *x;      /* [n][3] means of their nodes, m */
    double *volume; /* [n] m^3 (2D: m^2) */
} pio_field_elements;

/* Lists the elements with index[e] >= 0, `n` of them. Returns PIOLA_NO_MEMORY; *out can be freed in any case. */
piola_status pio_field_elements_create(pio_field_elements *out, const pio_model *model, const int32_t *index, int32_t n,
                                       piola_error *error);
/* Frees such a list. */
void pio_field_elements_free(pio_field_elements *elements);

/* Sets root [n] to the least number of the elements that are tied to each, directly or through others, by the planes of
 * symmetry and the extrusion of the design. Returns PIOLA_BAD_DATA at the key where an element has no mirror image or
 * is of no column, PIOLA_NO_MEMORY, or PIOLA_INTERRUPTED. */
piola_status pio_design_tie(const pio_model *model, const scene_design *design, const pio_field_elements *elements,
                            int32_t *root, piola_error *error);

#endif
