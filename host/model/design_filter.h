/* design_filter.h -- fields of a design over the elements of meshes: the cone filter, and how far a field is from
 * smooth. */
#ifndef PIOLA_HOST_DESIGN_FILTER_H
#define PIOLA_HOST_DESIGN_FILTER_H

#include "host/model/model.h"

/* The cone filter of a design with one variable per element (Bruns and Tortorelli 2001; Bourdin 2001), over the mesh as
 * described:
 *
 *     z~_i = sum_j w_ij z_j / sum_j w_ij,   w_ij = max(0, radius - |x_i - x_j|) V_j
 *
 * x: means of the elements' nodes, V: volumes; elements of other bodies do not count. index[e]: variable of element e,
 * or -1. */
piola_status pio_cone_filter(pio_filter_desc **out, const pio_model *model, const int32_t *index, int32_t variables,
                             double radius, piola_error *error);
/* The same for shifts of a body's surface nodes, the [groups][components] of `design` (vertex morphing: Hojjat,
 * Stavropoulou and Bletzinger 2014), with a node's share of the designed faces' area for V. index[i] of the design:
 * variable of node i. */
piola_status pio_surface_filter(pio_filter_desc **out, const pio_model *model, int body, const pio_design_desc *design,
                                double radius, piola_error *error);
void pio_filter_free(pio_filter_desc *filter);

/* out = H z, or with `turned` H^T z; [variables], out is not z. */
void pio_filter_apply(const pio_filter_desc *filter, bool turned, int32_t variables, const double *z, double *out);

/* Pairs of elements with a common face, both governed by one design: variables of the two, and the face's area over the
 * distance of the elements' middles (m, in 2D 1). Then sum area/distance (z_i - z_j)^2 is the integral of |grad z|^2
 * but for a factor that the mesh does not change. */
typedef struct pio_pairs {
    int32_t n, (*variable)[2];
    double *weight;
} pio_pairs;

piola_status pio_pairs_create(pio_pairs *out, const pio_model *model, const int32_t *index, piola_error *error);
void pio_pairs_free(pio_pairs *pairs);

/* sum_p weight_p (z_i - z_j)^2; its derivative times `scale` is added to z_bar, which may be NULL. */
double pio_pairs_energy(const pio_pairs *pairs, const double *z, double scale, double *z_bar);

#endif
