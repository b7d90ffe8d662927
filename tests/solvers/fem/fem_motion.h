/* fem_motion.h -- what is observed and designed where gradients of motions are tested. */
#ifndef PIOLA_TESTS_FEM_MOTION_H
#define PIOLA_TESTS_FEM_MOTION_H

#include "tests/solvers/fem/fem_case.h"

#include <math.h>

/* Observations of these n types, of two samples: the end, and states 0, 2 and 3; distances also between two states. */
static inline void fem_motion_observe(fem_case *c, const pio_observable *type, int n)
{
    for (int k = 0; k < n; k++) {
        const int o = fem_case_observe(c, type[k], 2);
        fem_case_sample(c, o, c->desc.steps, 0, 1);
        fem_case_sample(c, o, 0, 1, 0.3);
        fem_case_sample(c, o, 2, 1, 0.5);
        fem_case_sample(c, o, 3, 1, -0.4);
        for (int t = 0; type[k] == PIO_DISTANCE && t < c->desc.n_sample_weights; t++)
            if (c->sample_weight[t].observation == o)
                c->sample_weight[t].past = 0.2 * (double)(c->sample_weight[t].step % 4);
    }
}

/* Everything that a motion with load 0, supports 0 and 1 and both dampings depends on. */
static inline void fem_motion_design(fem_case *c)
{
    fem_case_design(c, PIO_POSITION, -1, FEM_EACH, fem_linear(0, 0.02), 0);
    fem_case_design(c, PIO_VELOCITY, -1, FEM_EACH, fem_linear(0, 0.2), 0);
    fem_case_design(c, PIO_DISPLACED, -1, FEM_GROUPS, fem_linear(0, 0.01), 0);
    fem_case_design(c, PIO_GRAVITY, -1, FEM_SCALAR, fem_linear(-9, 2), 0);
    fem_case_design(c, PIO_LOAD, -1, FEM_SCALAR, fem_linear(6, 2), 0);
    fem_case_design(c, PIO_SUPPORT, -1, FEM_SCALAR, fem_linear(0.02, 0.01), 0);
    fem_case_design(c, PIO_SUPPORT, -1, FEM_SCALAR, fem_linear(0, 0.01), 1);
    fem_case_design(c, PIO_MASS_DAMPING, -1, FEM_EACH, fem_linear(5, 3), 0);
    fem_case_design(c, PIO_STIFFNESS_DAMPING, -1, FEM_GROUPS, fem_logarithmic(log(0.001), 0.3), 0);
    if (FEM_DIM == 2) fem_case_design(c, PIO_THICKNESS, -1, FEM_EACH, fem_linear(0.9, 0.1), 0);
    fem_case_design_matter(c);
}

#endif
