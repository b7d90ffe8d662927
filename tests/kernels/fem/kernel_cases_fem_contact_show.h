/* kernel_cases_fem_contact_show.h -- cases of what is known of contact besides its forces: gaps and pressures
 * that frames show, and rounding. Case text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_FEM_CONTACT_SHOW_H
#define PIOLA_TESTS_KERNEL_CASES_FEM_CONTACT_SHOW_H

#include "tests/kernels/fem/kernel_cases_fem_pairs.h"

/* Returns gaps of nodes as far as anything reaches. */
static real *show_far(case_io *io, int nodes, int obstacles, const obstacle_pose *pose, const wide *grip)
{
    fem_contact_far_args a;
    a.obstacles = obstacles;
    a.pose = pose;
    a.grip = grip;
    a.out = NEW(io, real, nodes * DIM, CASE_ZERO);
    LAUNCH(io, fem_contact_far, nodes, NULL, &a);
    return a.out;
}

/* Gaps between points and obstacles, of which some are nearer than the distance of contact and some are not; pressures
 * are forces for each area, and 0 without one. */
static void case_fem_contact_gaps(case_io *io)
{
    contact_sample s = contact_sampled(io, CASE_CONSTANT, CASE_CONSTANT);
    case_array *force = case_uniform(io, CASE_CONSTANT, "force", 1, s.n * DIM, -1, 1);
    fem_contact_gaps_args g;
    fem_contact_pressure_args p;
    g.fwd = s.a;
    g.fwd.obstacles = 2; /* all points are near one of more */
    g.out = show_far(io, s.n, g.fwd.obstacles, s.a.pose, NULL);
    LAUNCH(io, fem_contact_gaps, s.n, NULL, &g);
    case_out(io, "gap", CASE_REAL, 1, s.n * DIM, g.out);
    p.node = s.a.node;
    p.area = s.a.area;
    p.force = (real *)case_upload(io, force, CASE_REAL);
    p.out = NEW(io, real, s.n * DIM, CASE_ZERO);
    LAUNCH(io, fem_contact_pressure, s.n, NULL, &p);
    case_out(io, "pressure", CASE_REAL, 1, s.n * DIM, p.out);
    if (io->prefill || io->build->dual) return;
    const double *gap = case_find(io, CASE_OUTPUT, "gap")->value;
    double most = 0;
    int near = 0, far = 0;
    for (int i = 0; i < s.n; i++) most = fmax(most, gap[i * DIM]);
    for (int i = 0; i < s.n; i++) {
        near += gap[i * DIM] < most;
        far += !(gap[i * DIM] < most);
    }
    case_expect(io, near > s.n / 100 && far > s.n / 100, "points are near obstacles, and others are not");
}
#define case_fem_contact_far case_fem_contact_gaps
#define case_fem_contact_pressure case_fem_contact_gaps

/* What rounding of places makes of forces. */
static void case_fem_contact_rounded(case_io *io)
{
    contact_sample s = contact_sampled(io, CASE_CONSTANT, CASE_CONSTANT);
    s.a.out = NEW(io, real, s.n * DIM, CASE_ADDED);
    LAUNCH(io, fem_contact_rounded, s.n, NULL, &s.a);
    case_out(io, "rounded", CASE_REAL, 1, s.n * DIM, s.a.out);
}

/* Gaps between parts of a surface. */
static void case_fem_pair_gaps(case_io *io)
{
    pairs_sample s = pairs_sampled(io, CASE_CONSTANT, CASE_CONSTANT);
    fem_pair_gaps_args g;
    pairs_find(io, &s);
    g.fwd = s.a;
    g.start = s.slot.start;
    g.list = s.slot.list;
    g.out = show_far(io, s.nodes, 0, NULL, s.a.grip);
    LAUNCH(io, fem_pair_gaps, s.points, NULL, &g);
    case_out(io, "gap", CASE_REAL, 1, s.nodes * DIM, g.out);
}

#endif
