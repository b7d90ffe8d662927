/* kernel_cases_target.h -- cases of the density on the grid and of the distance between two mean positions. Case
 * text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_TARGET_H
#define PIOLA_TESTS_KERNEL_CASES_TARGET_H

#include "tests/kernels/mpm/kernel_cases_sample.h"

/* A target of the size of what there is; half of the particles are observed. */
static void case_mpm_density(case_io *io)
{
    sample t;
    t.box = sample_box(io, 0);
    sample_particles(io, &t);
    sample_state(io, &t, CASE_CONSTANT);
    sample_step(io, &t);
    sample_lists(io, &t);
    int *body = HOST(io, int, t.n);
    for (int i = 0; i < t.n; i++) body[i] = (int)(2 * case_unit("body", i));
    mpm_deposit_args a;
    a.s = t.s;
    a.n = t.n;
    a.quantity = REALS(io, "mass", 1, t.n, 0.01, 0.02);
    a.l = t.l;
    a.body = PUSH(io, int, body, t.n);
    a.of = 1;
    a.sums = NEW(io, real, t.max_blocks * TILE_NODES, CASE_SET);
    LAUNCH(io, mpm_deposit, t.max_blocks, &t.step->blocks, &a);
    mpm_density_rest_args r;
    r.l = t.l;
    r.box = t.box;
    r.sums = a.sums;
    r.target = CONSTANTS(io, "target", 1, t.nodes, 0, DIM == 3 ? 1000 : 40);
    r.rest = NEW(io, real, t.nodes, CASE_SET);
    LAUNCH(io, mpm_density_rest, t.nodes, NULL, &r);
    mpm_density_args d;
    d.rest = r.rest;
    d.size = DIM == 3 ? 3e8 : 2e5;
    wide *sum = NEW(io, wide, 1, CASE_SET);
    LAUNCH_SUM(io, mpm_density, t.nodes, NULL, &d, sum);
    case_out(io, "sum", CASE_WIDE, 1, 1, sum);
    case_no_influence(io, "velocity");
    if (!case_adjoint(io)) return;
    mpm_deposit_adj_args b;
    b.fwd = a;
    b.box = t.box;
    b.node_bar = r.rest;
    b.scale = 2 / (d.size * pow((double)t.box.dx, DIM));
    b.sample_bar = COTANGENT(io, wide, "sum");
    b.bar = sample_new_state(io, t.n, CASE_ADDED);
    b.quantity_bar = NEW_FIELD(io, 1, t.n, CASE_ADDED);
    LAUNCH(io, mpm_deposit_adj, t.n, NULL, &b);
    case_gradient(io, "offset", CASE_FIELD, DIM, t.n, b.bar.offset);
    case_gradient(io, "velocity", CASE_FIELD, DIM, t.n, b.bar.velocity);
    case_gradient(io, "mass", CASE_FIELD, 1, t.n, b.quantity_bar);
}
#define case_mpm_density_rest case_mpm_density

/* The volume at the active nodes; of all particles, or of some. */
static void case_mpm_deposit(case_io *io)
{
    static const char *const names[] = {"all", "some", NULL};
    const int some = case_variant(io, names);
    sample t;
    t.box = sample_box(io, some);
    sample_particles(io, &t);
    sample_state(io, &t, CASE_CONSTANT);
    sample_step(io, &t);
    sample_lists(io, &t);
    int *body = HOST(io, int, t.n);
    for (int i = 0; i < t.n; i++) body[i] = (int)(2 * case_unit("body", i));
    mpm_deposit_args a;
    a.s = t.s;
    a.n = t.n;
    a.l = t.l;
    a.quantity = REALS(io, "volume", 1, t.n, 0.01, 0.02);
    a.body = some ? PUSH(io, int, body, t.n) : NULL;
    a.of = 1;
    a.sums = NEW(io, real, t.max_blocks * TILE_NODES, CASE_SET);
    LAUNCH(io, mpm_deposit, t.max_blocks, &t.step->blocks, &a);
    mpm_deposit_sum_args s;
    s.l = t.l;
    s.box = t.box;
    s.sums = a.sums;
    s.out = NEW(io, real, t.nodes, CASE_SET);
    LAUNCH(io, mpm_deposit_sum, t.nodes, &t.step->nodes, &s);
    case_out(io, "node volume", CASE_REAL, 1, t.nodes, s.out);
    case_no_influence(io, "velocity");
    if (!case_adjoint(io)) return;
    mpm_deposit_adj_args b;
    b.fwd = a;
    b.box = t.box;
    b.node_bar = COTANGENT(io, real, "node volume");
    b.scale = 1;
    b.sample_bar = NULL;
    b.bar = sample_new_state(io, t.n, CASE_ADDED);
    b.quantity_bar = NEW_FIELD(io, 1, t.n, CASE_ADDED);
    LAUNCH(io, mpm_deposit_adj, t.n, NULL, &b);
    case_gradient(io, "offset", CASE_FIELD, DIM, t.n, b.bar.offset);
    case_gradient(io, "velocity", CASE_FIELD, DIM, t.n, b.bar.velocity);
    case_gradient(io, "volume", CASE_FIELD, 1, t.n, b.quantity_bar);
}
#define case_mpm_deposit_adj case_mpm_deposit
#define case_mpm_deposit_sum case_mpm_deposit

static void case_mpm_separation(case_io *io)
{
    mpm_separation_args a;
    a.mean = WIDES(io, "mean", 1, 2 * DIM, -1, 1);
    a.weight = 0.7;
    a.sample = NEW(io, wide, 1, CASE_ADDED);
    LAUNCH(io, mpm_separation, 1, NULL, &a);
    case_out(io, "sample", CASE_WIDE, 1, 1, a.sample);
    if (!case_adjoint(io)) return;
    mpm_separation_adj_args b;
    b.fwd = a;
    b.sample_bar = COTANGENT(io, wide, "sample");
    b.mean_bar = NEW(io, wide, 2 * DIM, CASE_SET);
    LAUNCH(io, mpm_separation_adj, 1, NULL, &b);
    case_gradient(io, "mean", CASE_WIDE, 1, 2 * DIM, b.mean_bar);
}
#define case_mpm_separation_adj case_mpm_separation

#endif
