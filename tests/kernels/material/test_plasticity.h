/* test_plasticity.h -- the plastic maps in dual numbers, behind doubles: what test_plasticity.c compares with. */
#ifndef PIOLA_TESTS_TEST_PLASTICITY_H
#define PIOLA_TESTS_TEST_PLASTICITY_H

#ifdef __cplusplus
extern "C" {
#endif

/* A trial state of a law, or its derivative along one direction; or what the map makes of F, third and a. */
typedef struct {
    double F[9]; /* [DIM][DIM] */
    double third, a;
    double mu, lambda, y[3]; /* h is no variable */
} plastic_state;

/* The map, and the stress that plasticity adds to the elastic law's, at x along dx: value and derivative, F, third and
 * a of the one, F of the other. Returns the branch. */
int plastic_dual(int plastic, double h, const plastic_state *x, const plastic_state *dx, plastic_state *y,
                 plastic_state *dy);
void plastic_tau_dual(int plastic, const plastic_state *x, const plastic_state *dx, plastic_state *y,
                      plastic_state *dy);

#ifdef __cplusplus
}
#endif
#endif
