/* design_filter.h -- fields of a design over the elements of meshes or over particles: the cone filter, and the energy
 * and the variation of a field, which terms of the objective use. */
#ifndef PIOLA_HOST_DESIGN_FILTER_H
#define PIOLA_HOST_DESIGN_FILTER_H

#include "host/model/model.h"

/* Makes the cone filter of a design with one variable per element (Bruns and Tortorelli 2001; Bourdin 2001), over the
 * mesh of the scene, or per particle:
 *
 *     z~_i = sum_j w_ij z_j / sum_j w_ij,   w_ij = max(0, radius - |x_i - x_j|) V_j
 *
 * x: means of the elements' nodes, or places of particles at the start, m; V: volumes; those of other bodies do not
 * count. index[e] is the variable of
 * element e of the model, or -1; the radius is in m. Returns PIOLA_NO_MEMORY or PIOLA_INTERRUPTED; *out, which may be
 * NULL, is to be freed in any case. */
piola_status pio_cone_filter(pio_filter_desc **out, const pio_model *model, const int32_t *index, int32_t variables,
                             double radius, piola_error *error);
/* Makes the same filter for shifts of a body's surface nodes, the [groups][components] of `design` (vertex morphing:
 * Hojjat, Stavropoulou and Bletzinger 2014), with the part of the area of designed faces that belongs to a node for V.
 * index[i] of the design is the group of node i. Returns PIOLA_BAD_DATA if a node is on no designed face,
 * PIOLA_NO_MEMORY, or PIOLA_INTERRUPTED. */
piola_status pio_surface_filter(pio_filter_desc **out, const pio_model *model, int body, const pio_design_desc *design,
                                double radius, piola_error *error);
/* Makes the lists of the transpose from the rows of a filter, ascending. Returns false when there is no memory. */
bool pio_filter_transpose(pio_filter_desc *filter, int32_t variables);
/* Frees a filter of any kind, which may be NULL. */
void pio_filter_free(pio_filter_desc *filter);

/* Sets out = H z + c, or with `transposed` H^T z, both [variables]; out is not z. Where the filter is a function that
 * fails, as it has before in the engine, out is NaN. */
void pio_filter_apply(const pio_filter_desc *filter, bool transposed, int32_t variables, const double *z, double *out);

/* Adds H^T out_bar to z_bar, both [variables]; adds NaN where a function fails. */
void pio_filter_adj(const pio_filter_desc *filter, int32_t variables, const double *out_bar, double *z_bar);

/* Pairs of elements with a common face, both governed by one design. Then sum weight (z_i - z_j)^2 is the integral of
 * |grad z|^2 except for a factor that the mesh does not change. Of particles, pairs of those that are nearer than twice
 * their mean distance, each in both orders, with weights that make it that integral (design_pairs.c). */
typedef struct pio_pairs {
    int32_t n, (*variable)[2]; /* number of pairs; [n] variables of the two elements or particles */
    double *weight;            /* [n] area of the face over the distance of the centres, m (2D: 1) */
    double *area;              /* [n] of the face, m^2 (2D: m) */
} pio_pairs;

/* Finds the pairs of a design of elements; index[e] is the variable of element e of the model, or -1. Returns
 * PIOLA_NO_MEMORY or PIOLA_INTERRUPTED; *out can be freed in any case. */
piola_status pio_pairs_create(pio_pairs *out, const pio_model *model, const int32_t *index, piola_error *error);
/* Does so for particles, index[p] being the variable of particle p. Returns PIOLA_NO_MEMORY or PIOLA_INTERRUPTED; *out
 * can be freed in any case. */
piola_status pio_particle_pairs(pio_pairs *out, const pio_model *model, const int32_t *index, piola_error *error);
/* Frees pairs. */
void pio_pairs_free(pio_pairs *pairs);

/* Returns sum_p weight_p (z_i - z_j)^2 of z [variables]; adds its derivative times `scale` to z_bar [variables], which
 * may be NULL. */
double pio_pairs_energy(const pio_pairs *pairs, const double *z, double scale, double *z_bar);

/* Returns |d| = sqrt(d^2 + width^2) - width, width > 0; sets *slope to `scale` times its derivative. */
double pio_smooth_absolute(double d, double width, double scale, double *slope);
/* Returns sum_p area_p |z_i - z_j| of z [variables], by pio_smooth_absolute(): the integral of the variation of a field
 * that is constant in elements, or about that of |grad z| over particles; adds its derivative times `scale` to z_bar
 * [variables], which may be NULL. */
double pio_pairs_variation(const pio_pairs *pairs, const double *z, double width, double scale, double *z_bar);

#endif
