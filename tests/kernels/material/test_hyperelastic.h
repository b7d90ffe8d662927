/* test_hyperelastic.h -- the hyperelastic laws in dual numbers, behind doubles: what test_hyperelastic.c compares
 * with. */
#ifndef PIOLA_TESTS_TEST_HYPERELASTIC_H
#define PIOLA_TESTS_TEST_HYPERELASTIC_H

#ifdef __cplusplus
extern "C" {
#endif

/* A point of a law, or its derivative along one direction. */
typedef struct {
    double F[9]; /* [DIM][DIM] */
    double k[5]; /* the law's constants, or the user's parameters */
} hyper_point;

typedef enum { HYPER_PSI, HYPER_STRESS, HYPER_FROM_PARAMETERS } hyper_function;

/* y = f(x) and dy = df(x; dx); returns how many numbers y has (at most 9). `by_lame_parameters` is for
 * HYPER_FROM_PARAMETERS. */
int hyper_dual(hyper_function f, int law, int by_lame_parameters, const hyper_point *x, const hyper_point *dx,
               double *y, double *dy);

#ifdef __cplusplus
}
#endif
#endif
