/* test_material.h -- the pure functions in dual numbers, behind doubles: what test_material.c compares with. */
#ifndef PIOLA_TESTS_TEST_MATERIAL_H
#define PIOLA_TESTS_TEST_MATERIAL_H

#ifdef __cplusplus
extern "C" {
#endif

/* A point of a law, or its derivative along one direction. */
typedef struct {
    double F[9], C[9]; /* [DIM][DIM] */
    double J;
    double k[5];
    double n[3], a; /* fibre */
} point;

typedef enum { PSI, STRESS_P, TAU, PRESSURE, FLUID_TAU, LAME_PARAMETERS, FIBRE, ROTATION, LOGARITHM, WEIGHTS } function;

/* y = f(x) and dy = df(x; dx); returns how many numbers y has (at most 18). LAME_PARAMETERS reads k[0], k[1] as E and
 * nu; LOGARITHM reads J; WEIGHTS reads n as offset and gives w[DIM][3]. */
int dual_value(function f, int law, const point *x, const point *dx, double *y, double *dy);

#ifdef __cplusplus
}
#endif
#endif
