/* kernel_cases_repel.h -- the case of bodies that repel each other: from the places of particles to impulses at nodes.
 * Case text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_REPEL_H
#define PIOLA_TESTS_KERNEL_CASES_REPEL_H

#include "kernels/mpm/mpm_repel.h"
#include "tests/kernels/mpm/kernel_cases_mpm_obstacle.h"

/* The adjoint, its three stages one after another. */
static void repel_gradients(case_io *io, const sample *t, const mpm_repel_args *a)
{
    mpm_repel_adj_args b;
    b.fwd = *a;
    b.nodes = t->nodes;
    b.push_bar = FIELD_COTANGENT(io, "impulse");
    b.force_bar = NEW_FIELD(io, DIM, t->n, CASE_SET);
    b.bent = NEW_FIELD(io, a->box.fields, t->n, CASE_SET);
    b.offset_bar = NEW_FIELD(io, DIM, t->n, CASE_ADDED);
    LAUNCH(io, mpm_repel_adj, t->max_blocks, &t->step->blocks, &b);
    LAUNCH(io, mpm_repel_tangent, t->max_blocks, &t->step->blocks, &b);
    LAUNCH(io, mpm_repel_bend, t->max_blocks, &t->step->blocks, &b);
    case_gradient(io, "offset", CASE_FIELD, DIM, t->n, b.offset_bar);
}

/* Bodies that lie in each other, in parts; the second half of the first one has none of another near, where the box is
 * large. */
static void case_mpm_repel(case_io *io)
{
    static const char *const names[] = {"two fields", "three fields", NULL};
    const int fields = 2 + case_variant(io, names);
    const sample t = sorted_sample_of(io, fields);
    mpm_repel_args a;
    a.s = t.s;
    a.s.offset = (real *)case_upload(io, sample_offset(io, &t), CASE_FIELD);
    a.n = t.n;
    a.radius = CONSTANTS(io, "radius", 1, t.n, 0.008, 0.012);
    a.l = t.l;
    a.step = t.step;
    a.box = t.box;
    a.stiffness = R(2e4);
    a.distance = R(0.7) * t.box.dx;
    a.first = NEW_FIELD(io, fields, t.n, CASE_SET);
    a.second = NEW_FIELD(io, fields, t.n, CASE_SET);
    a.sum = a.slope = NULL;
    a.force = NEW_FIELD(io, DIM, t.n, CASE_SET);
    a.sums = NEW(io, real, t.max_blocks * TILE_NODES * QUAD, CASE_SET);
    LAUNCH(io, mpm_repel_fill, t.max_blocks, &t.step->blocks, &a);
    LAUNCH(io, mpm_repel, t.max_blocks, &t.step->blocks, &a);
    case_out(io, "impulse", CASE_FIELD, DIM, t.nodes, sum_at_nodes(io, &t, a.sums, DIM));
    case_expect(io, !plain_compares(io) || t.step->fault % 16 == FAULT_BODIES, "some particle is too deep");
    if (case_adjoint(io)) repel_gradients(io, &t, &a);
}
#define case_mpm_repel_fill case_mpm_repel
#define case_mpm_repel_adj case_mpm_repel
#define case_mpm_repel_tangent case_mpm_repel
#define case_mpm_repel_bend case_mpm_repel

#endif
