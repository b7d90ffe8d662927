/* fem_taylor.h -- Taylor remainders of a mesh's gradient in chosen directions (host/verify/taylor.h), counted by how
 * they end. */
#ifndef PIOLA_TESTS_FEM_TAYLOR_H
#define PIOLA_TESTS_FEM_TAYLOR_H

#include "tests/solvers/fem/fem_case.h"

typedef struct {
    fem_case *c;
    pio_sim *sim;
    double J0, tolerance;
    double z[FEM_VARIABLES], z_bar[FEM_VARIABLES], h[FEM_VARIABLES];
    int passed, again, failed, undecided, quiet; /* again: not in the first window */
    double worst;
} taylor_run;

/* Create the case's engine, and take the gradient at a random z of size `spread`. */
void taylor_begin(taylor_run *t, fem_case *c, double spread);
/* Say how it went, `what` in front; fails unless directions passed and none failed or was undecided. */
void taylor_end(taylor_run *t, const char *what);
/* Directions: random numbers, the gradient itself, one variable. `first` and `count` of the variables. */
pio_taylor_verdict random_direction(taylor_run *t, const char *name, int first, int count);
pio_taylor_verdict gradient_direction(taylor_run *t, const char *name, int first, int count);
pio_taylor_verdict single_direction(taylor_run *t, const char *name, int variable);
/* The variable whose derivative is the largest. */
int steepest(const taylor_run *t, int first, int count);
/* All variables at once; every design by itself. */
void everything(taylor_run *t);
void design_by_design(taylor_run *t);

#endif
