/* elimination.h -- what the stand-ins of cuSOLVER and cuDSS solve with: MUMPS, by the module for the CPU
 * (kernels/backend/direct_mumps.c). Everything is on the host, or on the device that the stand-in has there. */
#ifndef PIOLA_TESTS_ELIMINATION_H
#define PIOLA_TESTS_ELIMINATION_H

#include "kernels/backend/direct.h"

typedef struct elimination elimination;

/* Copies a pattern and analyses it, of which Cholesky and LDL^T take the lower triangle. Returns NULL where that
 * fails. */
elimination *elimination_analyse(pio_factor_kind kind, int n, const int *start, const int *column);
/* Bytes and operations that the analysis predicts. */
pio_direct_forecast elimination_forecast(const elimination *e);
/* Returns whether these are the dimension and the entries that were analysed. */
int elimination_is_of(const elimination *e, int n, int64_t entries);
/* Factorises these values, in the order of the pattern; sets the number of negative pivots. */
pio_direct_outcome elimination_factor(elimination *e, const double *value, int *negative);
/* Returns whether there is a factor to solve with. */
int elimination_ready(const elimination *e);
/* Sets x [n] to the solution for b [n], which stays. */
pio_direct_outcome elimination_solve(elimination *e, const double *b, double *x);
/* NULL is allowed. */
void elimination_free(elimination *e);

#endif
