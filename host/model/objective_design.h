/* objective_design.h -- terms of the objective that are functions of a design entry alone; objective.h lists them. */
#ifndef PIOLA_HOST_OBJECTIVE_DESIGN_H
#define PIOLA_HOST_OBJECTIVE_DESIGN_H

#include "host/model/objective.h"

/* Finds the targets of the design entry that the term names and, where the term is about neighbours, their pairs.
 * Returns PIOLA_NO_MEMORY or PIOLA_INTERRUPTED; *term is to be freed by pio_design_term_free() in any case. */
piola_status pio_design_term_create(pio_term *term, const pio_model *model, piola_error *error);
/* Frees what pio_design_term_create() made. */
void pio_design_term_free(pio_term *term);

/* Returns the term at filtered variables [n_variables]; adds its derivative to filtered_bar [n_variables], which may be
 * NULL. */
double pio_design_term(const pio_term *term, const pio_model *model, const double *filtered, double *filtered_bar);

#endif
