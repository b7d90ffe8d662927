/* constraint.h -- inequalities over observations: c <= 0, and their derivative with respect to the samples.
 *
 * With y one sample of one component of an observation, and m and M its least and greatest value allowed,
 *     c = (y - M)/s   or   c = (m - y)/s,    s = |M|, |m|, or 1 SI unit where that is 0
 * so that c is a share of the bound. With `relative_to: initial` the bounds are multiples of y at the start of the
 * design. An entry of the scene makes one inequality for each of its bounds, samples and components. */
#ifndef PIOLA_HOST_CONSTRAINT_H
#define PIOLA_HOST_CONSTRAINT_H

#include "host/model/model.h"

typedef struct {
    const scene_constraint *entry;
    int at;             /* of y among all samples */
    int sign;           /* +1: y <= bound, -1: y >= bound */
    double bound;       /* SI */
    double scale;       /* s, SI */
    char name[120];     /* "volume.max", "tip.x.min at 0.5 s" */
    const char *symbol; /* "<=" or ">=" */
} pio_constraint;

typedef struct {
    pio_constraint *list;
    int n;
    bool relative; /* some bounds wait for pio_constraints_start */
} pio_constraints;

piola_status pio_constraints_create(pio_constraints *out, const pio_model *model, piola_error *error);
void pio_constraints_free(pio_constraints *constraints);
/* Bounds that are relative to the start, from the samples there: PIOLA_BAD_DATA at the entry when a value there is
 * 0. */
piola_status pio_constraints_start(pio_constraints *constraints, const pio_model *model, const double *samples,
                                   piola_error *error);
/* c of one of them. */
double pio_constraint_value(const pio_constraint *constraint, const double *samples);
/* dc/dsamples [n_samples]; set. */
void pio_constraint_slope(const pio_constraint *constraint, const pio_model *model, double *samples_bar);

#endif
