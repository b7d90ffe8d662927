/* test_pair.h -- pairs of surface parts in dual numbers, behind doubles: what test_pair_derivatives.c compares with. */
#ifndef PIOLA_TESTS_TEST_PAIR_H
#define PIOLA_TESTS_TEST_PAIR_H

#ifdef __cplusplus
extern "C" {
#endif

/* A pair, or its derivative along one direction. */
typedef struct {
    double x[12], rest[12]; /* [DIM + 1][DIM] places of its nodes, now and at rest */
    double scale, h;
} pair_point;

typedef enum {
    PAIR_DISTANCE,
    PAIR_DISTANCE_SLOPES,
    PAIR_EASE,
    PAIR_EASE_SLOPES,
    PAIR_ENERGY,
    PAIR_SLOPES
} pair_function;

/* y = f(p) and dy = df(p; dp) of a pair of this kind; returns how many numbers y has (at most 12). */
int pair_dual(pair_function f, int kind, const pair_point *p, const pair_point *dp, double *y, double *dy);

#ifdef __cplusplus
}
#endif
#endif
