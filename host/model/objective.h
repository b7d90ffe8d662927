/* objective.h -- the objective: weighted terms over observations, and its derivative with respect to the samples.
 *
 * With y[k][c] the samples and components of an observation (one component where `of: name.x`):
 *   target    weight sum_kc (y_kc - value_c)^2
 *   misfit    weight/2 sum_kc ((y_kc - data_kc)/sigma)^2
 *   absolute  weight sum_kc |y_kc - value_c|, with |d| = sqrt(d^2 + width^2) - width
 *   minimize  weight mean_k y_k                  maximize: the negative
 *   integral  weight int y dt                    over the samples, by the trapezoidal rule
 *   pnorm     weight (mean_k |y_k|^p)^(1/p)
 * and of a design entry, with z its variables after its filter and v its values, SI,
 *   smoothness      weight sum_p A_p/h_p (z_i - z_j)^2   over pairs p of neighbours, see design_filter.h
 *   total_variation weight sum_p A_p |z_i - z_j|         (Rudin, Osher and Fatemi 1992)
 *   prior           weight/2 sum_i ((v_i - mean_c)/sigma)^2
 *   minimize        weight mean_i v_i                    maximize: the negative */
#ifndef PIOLA_HOST_OBJECTIVE_H
#define PIOLA_HOST_OBJECTIVE_H

#include "host/model/design_filter.h"

typedef struct {
    const scene_term *term;   /* the entry of the scene */
    const pio_output *output; /* its observation; of a design entry: NULL */
    int component;            /* of the observation; -1: all */
    double *data;             /* misfit: [samples][components used] SI, NULL otherwise */
    int n_targets, *target;   /* of a design entry: how many targets it has; [n_targets] number of each in the model */
    pio_pairs *pairs;         /* of a design entry: [n_targets] pairs of neighbours, where the term is about them */
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
/* Sets filtered_bar [n_variables] to the contribution of terms of design entries to dJ/d(filtered). Returns whether
 * there are such terms. */
bool pio_objective_of_design(const pio_objective *objective, const pio_model *model, const double *filtered,
                             double *filtered_bar);

#endif
