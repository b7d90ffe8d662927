/* kernel_cases_fem_sense.h -- what networks read of a mesh. Case text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_FEM_SENSE_H
#define PIOLA_TESTS_KERNEL_CASES_FEM_SENSE_H

#include "kernels/fem/fem_sense.h"
#include "tests/kernels/fem/kernel_cases_fem_motion.h"

/* A place, two velocities by other weights, and a clock, which is no mean. */
static void case_fem_sense(case_io *io)
{
    enum { INPUTS = 4, SETS = 2 };
    const int n = case_size(io, 700);
    network_input *input = HOST(io, network_input, INPUTS);
    int *set = HOST(io, int, INPUTS);
    double *weight = HOST(io, double, SETS *n);
    for (int i = 0; i < SETS * n; i++) weight[i] = i % 3 ? (case_unit("weight", i) - 0.3) / n : 0;
    for (int j = 0; j < INPUTS; j++) {
        input[j].kind = j == 3 ? PIO_INPUT_SINE : j ? PIO_INPUT_VELOCITY : PIO_INPUT_POSITION;
        input[j].axis = j == 1 ? 0 : DIM - 1;
        set[j] = j == 1 || j == 2;
    }
    fem_sense_args a;
    fem_sense_adj_args b;
    b.input = PUSH(io, network_input, input, INPUTS);
    b.weight = PUSH(io, double, weight, SETS *n);
    a.rest = motion_points(io, "rest", n, 1);
    a.u = motion_points(io, "u", n, 0.1);
    a.v = motion_points(io, "v", n, 2);
    wide *means = NEW(io, wide, INPUTS - 1, CASE_SET);
    for (int j = 0; j < INPUTS - 1; j++) {
        a.input = b.input + j;
        a.weight = b.weight + (ptrdiff_t)set[j] * n;
        LAUNCH_SUM(io, fem_sense, n, NULL, &a, means + j);
    }
    case_out(io, "mean", CASE_WIDE, 1, INPUTS - 1, means);
    if (!case_adjoint(io)) return;
    b.nodes = n;
    b.inputs = INPUTS;
    b.set = PUSH(io, int, set, INPUTS);
    b.means_bar = COTANGENT(io, wide, "mean");
    b.rest_bar = NEW(io, real, n * DIM, CASE_ADDED);
    b.u_bar = NEW(io, real, n * DIM, CASE_ADDED);
    b.v_bar = NEW(io, real, n * DIM, CASE_ADDED);
    LAUNCH(io, fem_sense_adj, n, NULL, &b);
    case_gradient(io, "rest", CASE_REAL, 1, n * DIM, b.rest_bar);
    case_gradient(io, "u", CASE_REAL, 1, n * DIM, b.u_bar);
    case_gradient(io, "v", CASE_REAL, 1, n * DIM, b.v_bar);
}
#define case_fem_sense_adj case_fem_sense

#endif
