/* fem_stress.h -- fields of stress and strain of a mesh, by name. */
#ifndef PIOLA_SOLVERS_FEM_STRESS_H
#define PIOLA_SOLVERS_FEM_STRESS_H

#include "solvers/fem/fem.h"

/* Decides which fields of stress can be read, once the blocks are known (fem_stress.c). Returns 0 if there are too many
 * integration points. */
int fem_stress_begin(fem_sim *f, const pio_fem_desc *mesh);
/* Returns the items of the field with the most of them. */
int fem_most_items(const fem_sim *f);
/* Uploads the elements of element nodes. Returns PIOLA_NO_MEMORY without host memory. */
piola_status fem_stress_upload(fem_sim *f, piola_error *error);

/* A field of stress or strain at one kind of place. */
typedef struct {
    int field; /* a pio_stress_field, or another number of fem_stress.c */
    pio_stress_place place;
    int components; /* as it is read: 9 of a tensor, DIM of a place, or 1 */
    int items;      /* elements, nodes or integration points */
    const real *in; /* device: where it was computed; NULL: it was not */
} fem_stress_view;
/* Finds a field by its name, such as von_mises, von_mises_nodal or von_mises_points; integration points have
 * rest_position_points (m), volume_points (m^3 at rest) and element_points too. Returns 0 if it cannot be read. */
int fem_stress_find(const fem_sim *f, const char *name, fem_stress_view *out);
/* Computes a field of the current state, and sets *out to how it is read, of which `view` is a part: a tensor as a
 * 3 x 3 matrix. */
void fem_stress_compute(fem_sim *f, fem_stress_view *view, sim_field *out);
/* Sets the name of field i of those of stress; returns 0 past the last. */
int fem_stress_name(const fem_sim *f, int i, char name[64]);

#endif
