/* kernel_cases_flip.h -- cases of the FLIP blend. Case text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_FLIP_H
#define PIOLA_TESTS_KERNEL_CASES_FLIP_H

#include "tests/kernels/mpm/kernel_cases_mpm.h"

/* Everything before the grid; F, J and the constants, on which nothing here depends, are no inputs. */
static sample flip_sample(case_io *io)
{
    sample t;
    t.box = sample_box(io, 0);
    sample_particles(io, &t);
    sample_state(io, &t, CASE_CONSTANT);
    sample_matter(io, &t, CASE_CONSTANT);
    sample_step(io, &t);
    sample_lists(io, &t);
    return t;
}

static void case_mpm_flip_spread(case_io *io)
{
    sample t = flip_sample(io);
    t.s.C = REALS(io, "affine", DIM * DIM, t.n, -20, 20);
    t.matter.mass = REALS(io, "particle mass", 1, t.n, 0.01, 0.02);
    mpm_flip_spread_args a;
    a.s = t.s;
    a.matter = t.matter;
    a.l = t.l;
    a.box = t.box;
    a.sums = NEW(io, real, t.max_blocks * TILE_NODES * QUAD, CASE_SET);
    LAUNCH(io, mpm_flip_spread, t.max_blocks, &t.step->blocks, &a);
    const real *momentum = sum_at_nodes(io, &t, a.sums, DIM);
    case_out(io, "node momentum", CASE_FIELD, DIM, t.nodes, momentum);
    if (!case_adjoint(io)) return;
    mpm_flip_spread_adj_args b;
    b.fwd = a;
    b.nodes = t.nodes;
    b.momentum_bar = FIELD_COTANGENT(io, "node momentum");
    b.bar = sample_new_state(io, t.n, CASE_ADDED);
    b.mass_bar = NEW_FIELD(io, 1, t.n, CASE_ADDED);
    LAUNCH(io, mpm_flip_spread_adj, t.max_blocks, &t.step->blocks, &b);
    case_gradient(io, "offset", CASE_FIELD, DIM, t.n, b.bar.offset);
    case_gradient(io, "velocity", CASE_FIELD, DIM, t.n, b.bar.velocity);
    case_gradient(io, "affine", CASE_FIELD, DIM * DIM, t.n, b.bar.C);
    case_gradient(io, "particle mass", CASE_FIELD, 1, t.n, b.mass_bar);
}
#define case_mpm_flip_spread_adj case_mpm_flip_spread

/* The FLIP ratio is set as a design sets it. */
static void case_mpm_flip(case_io *io)
{
    sample t = flip_sample(io);
    design_number_args g;
    g.value = WIDES(io, "FLIP ratio", 1, 1, 0.3, 0.9);
    g.out = &t.step->flip_ratio;
    LAUNCH(io, design_number, 1, NULL, &g);
    case_out(io, "FLIP ratio set", CASE_REAL, 1, 1, &t.step->flip_ratio);
    mpm_flip_args a;
    a.s = t.s;
    a.n = t.n;
    a.l = t.l;
    a.step = t.step;
    a.box = t.box;
    a.nodes = t.nodes;
    a.sums = node_masses(io, t.nodes, 0.01, 0.2);
    a.momentum = REALS(io, "node momentum", DIM, t.nodes, -0.2, 0.2);
    a.velocity = NEW_FIELD(io, DIM, t.n, CASE_ADDED);
    LAUNCH(io, mpm_flip, t.max_blocks, &t.step->blocks, &a);
    case_out(io, "added velocity", CASE_FIELD, DIM, t.n, a.velocity);
    if (!case_adjoint(io)) return;
    mpm_flip_adj_args b;
    b.fwd = a;
    b.next_bar = FIELD_COTANGENT(io, "added velocity");
    b.bar = sample_new_state(io, t.n, CASE_ADDED);
    b.contribution = NEW_FIELD(io, 1, t.n, CASE_SET);
    b.sums = NEW(io, real, t.max_blocks * TILE_NODES * QUAD, CASE_SET);
    LAUNCH(io, mpm_flip_adj, t.max_blocks, &t.step->blocks, &b);
    mpm_quotient_adj_args c;
    c.l = t.l;
    c.nodes = t.nodes;
    c.sums = a.sums;
    c.y = a.momentum;
    c.y_bar = sum_at_nodes(io, &t, b.sums, DIM);
    c.node_bar = NEW_FIELD(io, DIM + 1, t.nodes, CASE_ADDED);
    LAUNCH(io, mpm_quotient_adj, t.nodes, &t.step->nodes, &c);
    mpm_flip_sum_args s;
    wide *ratio_bar = NEW(io, wide, 1, CASE_SET);
    s.contribution = b.contribution;
    LAUNCH_SUM(io, mpm_flip_sum, t.n, NULL, &s, ratio_bar);
    case_gradient(io, "offset", CASE_FIELD, DIM, t.n, b.bar.offset);
    case_gradient(io, "velocity", CASE_FIELD, DIM, t.n, b.bar.velocity);
    case_gradient(io, "node momentum", CASE_FIELD, DIM, t.nodes, c.y_bar);
    case_gradient_of(io, "node mass", CASE_REAL, 1, t.nodes, case_components(c.node_bar, DIM + 1, 0));
    case_gradient(io, "FLIP ratio", CASE_WIDE, 1, 1, ratio_bar);
}
#define case_mpm_flip_adj case_mpm_flip
#define case_mpm_quotient_adj case_mpm_flip
#define case_mpm_flip_sum case_mpm_flip
#define case_design_number case_mpm_flip

#endif
