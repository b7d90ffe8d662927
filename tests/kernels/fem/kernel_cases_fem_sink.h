/* kernel_cases_fem_sink.h -- cases of obstacles that are in faces between nodes. Case text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_FEM_SINK_H
#define PIOLA_TESTS_KERNEL_CASES_FEM_SINK_H

#include "kernels/fem/fem_contact_sink.h"
#include "tests/kernels/fem/kernel_cases_fem_contact.h"

/* Flat pieces between points that are next to each other in their numbers, which are of different obstacles: large, and
 * many of them deep in some obstacle. */
static void case_fem_contact_sink(case_io *io)
{
    contact_sample s = contact_sampled(io, CASE_CONSTANT, CASE_CONSTANT);
    const int n = s.n;
    fem_contact_sink_args a;
    int *corner = HOST(io, int, n *DIM);
    int64_t *state = HOST(io, int64_t, n);
    memset(&a, 0, sizeof a);
    for (int i = 0; i < n; i++) {
        state[i] = i % 7 ? -1 : 2; /* some were in one before */
        for (int k = 0; k < DIM; k++) corner[i * DIM + k] = (i + k * (1 + i % 5)) % n;
    }
    a.fwd = s.a;
    a.corner = PUSH(io, int, corner, n *DIM);
    a.state = 3;
    a.state_of = PUSH(io, int64_t, state, n);
    a.depth = (real *)case_upload(io, case_uniform(io, CASE_CONSTANT, "depth", 1, n, 0, 1), CASE_REAL);
    a.obstacle = PUSH(io, int, HOST(io, int, n), n);
    a.first = contact_open(io);
    LAUNCH(io, fem_contact_sink, n, NULL, &a);
    case_out(io, "state", CASE_INT64, 1, n, a.state_of);
    case_out(io, "depth", CASE_REAL, 1, n, a.depth);
    case_out(io, "obstacle", CASE_INT, 1, n, a.obstacle);
    case_out(io, "first", CASE_INT64, 1, 1, a.first);
}

#endif
