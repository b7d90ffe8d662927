/* kernel_cases_flip.h -- cases of the FLIP blend. Case text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_FLIP_H
#define PIOLA_TESTS_KERNEL_CASES_FLIP_H

#include "kernels/mpm/mpm_grid.h"
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

/* Near walls alone the momentum is the same to the bit at nodes where walls act; large samples have blocks that are
 * left out, and nodes of theirs have 0. */
static void expect_near_walls(case_io *io, const sample *t, mpm_flip_spread_args a, const real *momentum)
{
    int different = 0, left_out = 0;
    if (!plain_compares(io)) return;
    a.near_walls = 1;
    a.sums = NEW(io, real, t->max_blocks * TILE_NODES * QUAD, CASE_SET);
    LAUNCH(io, mpm_flip_spread, t->max_blocks, &t->step->blocks, &a);
    const real *near_walls = sum_at_nodes(io, t, a.sums, DIM);
    for (int k = 0; k < t->step->nodes; k++) {
        int index[DIM];
        const ptrdiff_t at = field_at(t->nodes, DIM, 0, t->l.node_list[k]);
        const int same = memcmp(near_walls + at, momentum + at, sizeof *momentum) == 0;
        node_index(&t->box, t->l.node_list[k], index);
        different += !node_is_inner(&t->box, index) && !same;
        left_out += !same && near_walls[at] < R(1e-30) && near_walls[at] > R(-1e-30);
    }
    char text[200];
    snprintf(text, sizeof text, "%d nodes at walls differ, bound 0; %d others are left out, at least %d", different,
             left_out, io->large);
    case_expect(io, different == 0 && left_out >= io->large, text);
}

static void case_mpm_flip_spread(case_io *io)
{
    sample t = flip_sample(io);
    t.s.C = REALS(io, "affine", DIM * DIM, t.n, -20, 20);
    t.matter.mass = REALS(io, "particle mass", 1, t.n, 0.01, 0.02);
    mpm_flip_spread_args a;
    a.near_walls = 0;
    a.s = t.s;
    a.matter = t.matter;
    a.l = t.l;
    a.box = t.box;
    a.sums = NEW(io, real, t.max_blocks * TILE_NODES * QUAD, CASE_SET);
    LAUNCH(io, mpm_flip_spread, t.max_blocks, &t.step->blocks, &a);
    const real *momentum = sum_at_nodes(io, &t, a.sums, DIM);
    case_out(io, "node momentum", CASE_FIELD, DIM, t.nodes, momentum);
    expect_near_walls(io, &t, a, momentum);
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
