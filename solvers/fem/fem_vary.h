/* fem_vary.h -- values that vary in space and time (fem_vary.c), and where quantities of elements and nodes are. */
#ifndef PIOLA_SOLVERS_FEM_VARY_H
#define PIOLA_SOLVERS_FEM_VARY_H

#include "solvers/fem/fem_sim.h"

/* Returns whether these are values of a load. */
static inline int fem_varies_load(const fem_varying *v)
{
    return v->desc.quantity == PIO_LOAD;
}

/* Returns whether they are of supports. */
static inline int fem_varies_support(const fem_varying *v)
{
    return v->desc.quantity == PIO_SUPPORT;
}

/* Returns whether they are of nodes. */
static inline int fem_varies_nodes(const fem_varying *v)
{
    return v->desc.quantity == PIO_DISPLACED || v->desc.quantity == PIO_VELOCITY;
}

/* Sets the values at the time of the step block, of supports those of the supports too (fem_vary_values.c). */
void fem_vary_set(fem_sim *f, const fem_varying *v);
/* Its adjoint: from value_bar to constants and rest positions; see fem_vary_adj_args. */
void fem_vary_values_adj(fem_sim *f, const fem_varying *v, int first_element_node, real *rest_bar);

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
/* Sets those of loads and supports that vary in time, at the time of the step block, the end of `span`; nothing where
 * they are those of this span already. */
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

/* Where a quantity of elements is, and its cotangents (fem_target.c). */
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
