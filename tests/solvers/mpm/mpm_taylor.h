/* mpm_taylor.h -- Taylor remainders of the gradient of particles in chosen directions (host/verify/taylor.h), counted
 * by how they end. */
#ifndef PIOLA_TESTS_MPM_TAYLOR_H
#define PIOLA_TESTS_MPM_TAYLOR_H

#include "tests/solvers/mpm/mpm_case.h"

typedef struct {
    mpm_case *c;
    pio_sim *sim;
    double J0, tolerance;
    double shrink; /* of the windows of steps; 0: as they are */
    double z[CASE_VARIABLES], z_bar[CASE_VARIABLES];
    int passed, again, failed, undecided, quiet; /* again: not in the first window */
    double worst;
} mpm_taylor;

/* Two bodies are thrown into a corner whose walls are of different kinds (the first `kinds`), and meet there; `upper`:
 * the corner of
 * the last nodes. Velocities, spin and centre are the case's. */
void mpm_corner(mpm_case *c, int number, const case_body bodies[2], int64_t steps, int upper, int kinds);
/* Every type of observation: at the end, at two times, over windows; a distance to places so far before the end, in
 * steps. */
void mpm_observe_everything(mpm_case *c, double past);
/* Velocities and positions, of body 0 as a whole and of each particle of body 1, and gravity: designs 0 to 4. */
void mpm_design_motion(mpm_case *c);

/* Create the case's engine, and take the gradient at a random z of size `spread`. */
void mpm_taylor_begin(mpm_taylor *t, mpm_case *c, double spread);
/* Directions: random numbers, the gradient itself, one variable. `first` and `count` of the variables. */
void mpm_taylor_random(mpm_taylor *t, double *h, int first, int count);
void mpm_taylor_gradient(const mpm_taylor *t, double *h, int first, int count);
void mpm_taylor_single(double *h, int variable);
/* A direction passes when it does so in one of three windows of steps. */
pio_taylor_verdict mpm_taylor_direction(mpm_taylor *t, const char *name, const double *h);
/* For all variables and then design by design: a random direction, the gradient itself, two single variables. */
void mpm_taylor_all(mpm_taylor *t);
/* Say how it went, `what` in front; fails unless directions passed and none failed or was undecided. */
void mpm_taylor_end(mpm_taylor *t, const char *what);

#endif
