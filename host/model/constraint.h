/* constraint.h -- inequalities over observations: c <= 0, and their derivative with respect to the samples.
 *
 * With y one sample of one component of an observation, and m and M its least and greatest value allowed,
 *     c = (y - M)/s   or   c = (m - y)/s,    s = |M|, |m|, or 1 SI unit where that is 0
 * so that c is a fraction of the bound. With `relative_to: initial` the bounds are multiples of y at the start of the
 * design. An entry of the scene makes one inequality for each of its bounds, samples and components. */
#ifndef PIOLA_HOST_CONSTRAINT_H
#define PIOLA_HOST_CONSTRAINT_H

#include "host/model/model.h"

typedef struct {
    const scene_constraint *entry; /* the entry of the scene */
    int at;                        /* index of y among all samples */
    int sign;                      /* +1: y <= bound, -1: y >= bound */
    double bound;                  /* M or m, SI; relative ones: after pio_constraints_start() */
    double scale;                  /* s, SI */
    char name[120];                /* name in reports: "volume.max", "tip.x.min at 0.5 s" */
    const char *symbol;            /* "<=" or ">=" */
} pio_constraint;

typedef struct {
    pio_constraint *list; /* [n] inequalities, in the order of the scene */
    int n;                /* number of inequalities */
    bool relative;        /* some bounds need pio_constraints_start() */
} pio_constraints;

/* Makes the inequalities of a model, which must outlive them. Returns PIOLA_NO_MEMORY without memory for them; *out can
 * be freed in any case. */
piola_status pio_constraints_create(pio_constraints *out, const pio_model *model, piola_error *error);
/* Frees the inequalities. */
void pio_constraints_free(pio_constraints *constraints);
/* Sets bounds that are relative to the start of the design from its samples [n_samples], SI. Returns PIOLA_BAD_DATA at
 * the key of an entry whose value there is 0. */
piola_status pio_constraints_start(pio_constraints *constraints, const pio_model *model, const double *samples,
                                   piola_error *error);
/* Returns c of an inequality, a fraction of its bound, for samples [n_samples]. */
double pio_constraint_value(const pio_constraint *constraint, const double *samples);
/* Sets samples_bar [n_samples] to dc/dsamples. */
void pio_constraint_slope(const pio_constraint *constraint, const pio_model *model, double *samples_bar);

#endif
