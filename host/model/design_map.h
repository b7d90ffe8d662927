/* design_map.h -- a design field of elements of which some keep a value and some are tied. */
#ifndef PIOLA_HOST_DESIGN_MAP_H
#define PIOLA_HOST_DESIGN_MAP_H

#include "host/model/design_tie.h"

/* Elements are counted within the field. Variable g has one or more elements, which all have its value. */
typedef struct {
    pio_field_elements elements; /* of the field */
    int32_t variables;           /* number of variables */
    int32_t *variable;           /* [elements] variable of each, or -1: it keeps its value */
    double *kept;                /* [elements] this value, SI; of others NaN */
    double *z;                   /* [elements] the normalised variable of this value, which the caller sets */
    double *share;               /* [elements] part of the volume of all elements of its variable; kept: 0 */
} pio_design_map;

/* Returns whether a design entry of a mesh has parts that keep a value, planes of symmetry, or an extrusion. */
bool pio_design_is_mapped(const scene_design *design);

/* Makes the map of a design entry; element e of the model has number index[e] in the field, of which there are n, or is
 * not in it: -1. Returns PIOLA_BAD_DATA at the key where a part has no element, nothing is left to design, or an
 * element has no mirror image or column, and PIOLA_NO_MEMORY or PIOLA_INTERRUPTED; *out can be freed in any case. */
piola_status pio_design_map_create(pio_design_map *out, const pio_model *model, const scene_design *design,
                                   const int32_t *index, int32_t n, piola_error *error);
/* Frees a map. */
void pio_design_map_free(pio_design_map *map);

/* Replaces a filter of lists between all elements of the field by that of the variables: elements that are kept add
 * their weight times z to the offset, and a variable has the mean, by volume, over its elements. Returns
 * PIOLA_NO_MEMORY; *filter can be freed in any case. */
piola_status pio_design_map_filter(pio_filter_desc **filter, const pio_design_map *map, piola_error *error);

/* Sets groups, index and members of the description and the parameter to those of the variables, and in the model the
 * values that elements keep. Returns PIOLA_NO_MEMORY. */
piola_status pio_design_map_apply(const pio_design_map *map, pio_model *model, pio_parameter *parameter,
                                  pio_design_desc *desc, piola_error *error);

/* Sets out [elements] of those that parameter number `k` of a mesh's elements keeps to this value, SI; the others stay.
 * Returns PIOLA_NO_MEMORY. */
piola_status pio_design_map_kept(const pio_model *model, int k, double *out, piola_error *error);

#endif
