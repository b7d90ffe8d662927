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
    const scene_term *term;   /* the entry of the scene */
    const pio_output *output; /* its observation; smoothness: NULL */
    int component;            /* of the observation; -1: all */
    double *data;             /* misfit: [samples][components used] SI, NULL otherwise */
    int n_pairs, *first;      /* smoothness: number of the design's targets; [n_pairs] first variable of each */
    pio_pairs *pairs;         /* smoothness: [n_pairs] pairs of neighbours of each target */
    char name[80];            /* "misfit_front", made unique by a number where needed */
} pio_term;

typedef struct {
    pio_term *terms; /* [n] terms, in the order of the scene */
    size_t n;        /* number of terms */
} pio_objective;

/* Makes the objective of a model, which must outlive it, and loads the data of misfit terms. Returns PIOLA_BAD_DATA if
 * their times are not those of the samples, PIOLA_NO_MEMORY, and the errors of pio_scene_file() and pio_csv_load();
 * *out can be freed in any case. */
piola_status pio_objective_create(pio_objective *out, const pio_model *model, piola_error *error);
/* Frees the objective. */
void pio_objective_free(pio_objective *objective);

/* Returns J at samples [n_samples], SI, and filtered variables [n_variables]. Sets values [n] to the contribution of
 * each term, and samples_bar [n_samples] to dJ/dsamples; either may be NULL. */
double pio_objective_evaluate(const pio_objective *objective, const pio_model *model, const double *samples,
                              const double *filtered, double *values, double *samples_bar);
/* Sets filtered_bar [n_variables] to the contribution of smoothness terms to dJ/d(filtered). Returns whether there are
 * such terms. */
bool pio_objective_of_design(const pio_objective *objective, const pio_model *model, const double *filtered,
                             double *filtered_bar);

#endif
