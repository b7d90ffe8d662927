/* objective.h -- the objective: weighted terms over observations, and its derivative with respect to the samples.
 *
 * With y[k][c] the samples and components of an observation (one component where `of: name.x`):
 *   target    weight sum_kc (y_kc - value_c)^2
 *   misfit    weight/2 sum_kc ((y_kc - data_kc)/sigma)^2
 *   minimize  weight mean_k sum_c y_kc           maximize: the negative */
#ifndef PIOLA_HOST_OBJECTIVE_H
#define PIOLA_HOST_OBJECTIVE_H

#include "host/model.h"

typedef struct {
    const scene_term *term;
    const pio_output *output;
    double *data;  /* misfit: [samples][components used], NULL otherwise */
    char name[80]; /* "misfit front", made unique by a number where needed */
} pio_term;

typedef struct {
    pio_term *terms;
    size_t n;
} pio_objective;

/* Load the data of misfit terms; their times must be those of the samples. */
piola_status pio_objective_create(pio_objective *out, const pio_model *model, piola_error *error);
void pio_objective_free(pio_objective *objective);

/* J; each term's share in values [n] (may be NULL); dJ/dsamples in samples_bar [n_samples] (may be NULL; set). */
double pio_objective_evaluate(const pio_objective *objective, const pio_model *model, const double *samples,
                              double *values, double *samples_bar);

#endif
