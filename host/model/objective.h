/* objective.h -- the objective: weighted terms over observations, and its derivative with respect to the samples.
 *
 * With y[k][c] the samples and components of an observation (one component where `of: name.x`):
 *   target    weight sum_kc (y_kc - value_c)^2
 *   misfit    weight/2 sum_kc ((y_kc - data_kc)/sigma)^2
 *   minimize  weight mean_k sum_c y_kc           maximize: the negative
 * and of a design's variables z, after its filter,
 *   smoothness weight sum_p w_p (z_i - z_j)^2   over pairs p of neighbours, see design_filter.h */
#ifndef PIOLA_HOST_OBJECTIVE_H
#define PIOLA_HOST_OBJECTIVE_H

#include "host/model/design_filter.h"

typedef struct {
    const scene_term *term;
    const pio_output *output;
    double *data;        /* misfit: [samples][components used], NULL otherwise */
    int n_pairs, *first; /* smoothness: of each of the design's targets, pairs and first variable; output is NULL */
    pio_pairs *pairs;
    char name[80]; /* "misfit front", made unique by a number where needed */
} pio_term;

typedef struct {
    pio_term *terms;
    size_t n;
} pio_objective;

/* Load the data of misfit terms; their times must be those of the samples. */
piola_status pio_objective_create(pio_objective *out, const pio_model *model, piola_error *error);
void pio_objective_free(pio_objective *objective);

/* J at these samples and (filtered) variables; each term's share in values [n] (may be NULL); dJ/dsamples in
 * samples_bar [n_samples] (may be NULL; set). */
double pio_objective_evaluate(const pio_objective *objective, const pio_model *model, const double *samples,
                              const double *filtered, double *values, double *samples_bar);
/* What terms of the variables add to dJ/d(filtered), [n_variables]; set. Returns whether there are such terms. */
bool pio_objective_of_design(const pio_objective *objective, const pio_model *model, const double *filtered,
                             double *filtered_bar);

#endif
