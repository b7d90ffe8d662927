/* fem_vary.h -- values that vary in space and time (fem_vary.c), and where quantities of elements and nodes are. */
#ifndef PIOLA_SOLVERS_FEM_VARY_H
#define PIOLA_SOLVERS_FEM_VARY_H

#include "solvers/fem/fem_sim.h"

/* Takes over the list of values that vary, once loads and blocks are known (fem_vary.c). Returns 0 without host
 * memory. */
int fem_vary_begin(fem_sim *f, const pio_fem_desc *mesh);
/* Returns PIOLA_BAD_DATA where the description has values that vary of what cannot. */
piola_status fem_vary_check(const pio_fem_desc *mesh, piola_error *error);
/* Lays out their memory, in the arena. */
void fem_vary_layout(fem_sim *f, const pio_fem_desc *mesh);
/* Uploads their programs and items. Returns PIOLA_NO_MEMORY without host memory. */
piola_status fem_vary_upload(fem_sim *f, const pio_fem_desc *mesh, piola_error *error);
/* Sets all of them, once constants and rest positions are known, and of what is not a load the quantities that have
 * them. */
void fem_vary_apply(fem_sim *f);
/* Sets those of loads and supports that vary in time, at the time of the step block, which is that of the end of `span`;
 * nothing where they are those of this span already. */
void fem_vary_in_time(fem_sim *f, fem_span span);
/* Returns whether all values of loads and supports are finite; else `what` says of what one is not. */
int fem_vary_is_finite(fem_sim *f, char what[48]);
/* Adds to the cotangents of constants, and to `rest_bar`, [element dofs][DIM], those by way of a load's value, whose
 * cotangent is in varies->value_bar. */
void fem_vary_load_adj(fem_sim *f, const fem_load *l, real *rest_bar);
/* The same of supports, whose values have the cotangents `contribution` [constrained unknowns] at the time of the step
 * block: to mesh.rest_bar. */
void fem_vary_supports_adj(fem_sim *f, const real *contribution);
/* The adjoint of fem_vary_apply() in all that is not of loads and supports. */
void fem_vary_apply_adj(fem_sim *f);

/* Where a quantity of elements is, and its cotangents (fem_parameters.c). */
typedef struct {
    real *out, *bar;           /* [elements][components] */
    int components, component; /* of the field; which of them it is */
} fem_element_target;
fem_element_target fem_element_target_of(const fem_sim *f, pio_quantity quantity); /* Returns it. */
/* Where a quantity of nodes is, [nodes][DIM]: its reference, the quantity, its cotangents; NULL: of something else. */
typedef struct {
    real *reference, *out, *bar;
} fem_node_target;
fem_node_target fem_node_target_of(const fem_sim *f, pio_quantity quantity); /* Returns it. */

#endif
