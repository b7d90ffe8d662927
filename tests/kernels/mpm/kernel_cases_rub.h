/* kernel_cases_rub.h -- the case of friction between bodies that repel each other: from the places of particles and the
 * velocities of nodes before it to those after. Case text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_RUB_H
#define PIOLA_TESTS_KERNEL_CASES_RUB_H

#include "kernels/mpm/mpm_rub_adj.h"
#include "tests/kernels/mpm/kernel_cases_repel.h"

/* The adjoint, its stages one after another. */
static void rub_gradients(case_io *io, const sample *t, const mpm_rub_args *a)
{
    const int n = t->n, fields = a->near.box.fields;
    mpm_rub_adj_args b;
    mpm_rub_sum_args s;
    wide *bar = NEW(io, wide, 2, CASE_SET);
    b.fwd = *a;
    b.fwd.near.sums = NEW(io, real, t->max_blocks * TILE_NODES * QUAD, CASE_SET);
    b.velocity_bar = FIELD_COTANGENT(io, "velocity after");
    b.impulses_bar = NEW_FIELD(io, DIM, t->nodes, CASE_SET);
    b.mass_bar = NEW(io, real, t->nodes, CASE_SET);
    b.impulse_bar = NEW_FIELD(io, DIM, n, CASE_SET);
    b.meet_bar = NEW_FIELD(io, fields * (DIM + 1), n, CASE_SET);
    b.load_bar = NEW_FIELD(io, fields, n, CASE_SET);
    b.slope_bar = NEW_FIELD(io, fields * DIM, n, CASE_SET);
    b.contribution = NEW_FIELD(io, 2, n, CASE_ZERO);
    b.seen_bar = NEW_FIELD(io, DIM + 1, n, CASE_SET);
    b.seen_node_bar = NULL;
    b.node_load_bar = NEW(io, real, t->nodes, CASE_SET);
    b.own_load_bar = NEW(io, real, n, CASE_SET);
    b.offset_bar = NEW_FIELD(io, DIM, n, CASE_ADDED);
    b.node_bar = NEW_FIELD(io, DIM + 1, t->nodes, CASE_ADDED);
    LAUNCH(io, mpm_rub_act_adj, t->nodes, &t->step->nodes, &b);
    LAUNCH(io, mpm_rub_adj, t->max_blocks, &t->step->blocks, &b);
    LAUNCH(io, mpm_rub_meet_adj, t->max_blocks, &t->step->blocks, &b);
    LAUNCH(io, mpm_rub_see_adj, t->max_blocks, &t->step->blocks, &b);
    b.seen_node_bar = sum_at_nodes(io, t, b.fwd.near.sums, DIM + 1);
    LAUNCH(io, mpm_rub_node_adj, t->nodes, &t->step->nodes, &b);
    LAUNCH(io, mpm_rub_load_adj, t->max_blocks, &t->step->blocks, &b);
    LAUNCH(io, mpm_rub_weigh_adj, t->max_blocks, &t->step->blocks, &b);
    LAUNCH(io, mpm_rub_bend, t->max_blocks, &t->step->blocks, &b);
    LAUNCH(io, mpm_rub_mass_adj, t->nodes, &t->step->nodes, &b);
    s.n = n;
    s.contribution = b.contribution;
    for (s.which = 0; s.which < 2; s.which++) LAUNCH_SUM(io, mpm_rub_sum, n, NULL, &s, bar + s.which);
    case_gradient(io, "offset", CASE_FIELD, DIM, n, b.offset_bar);
    case_gradient(io, "velocity before", CASE_FIELD, DIM, t->nodes, b.velocity_bar);
    case_gradient_of(io, "node mass", CASE_FIELD, 1, t->nodes, case_components(b.node_bar, DIM + 1, 0));
    case_gradient(io, "friction", CASE_WIDE, 1, 1, bar);
    case_gradient(io, "friction velocity", CASE_WIDE, 1, 1, bar + 1);
}

/* What repels: bodies as of case_mpm_repel. */
static mpm_repel_args rub_bodies(case_io *io, const sample *t, int fields)
{
    mpm_repel_args a;
    a.s = t->s;
    a.s.offset = (real *)case_upload(io, sample_offset(io, t), CASE_FIELD);
    a.n = t->n;
    a.radius = CONSTANTS(io, "radius", 1, t->n, 0.008, 0.012);
    a.l = t->l;
    a.step = t->step;
    a.box = t->box;
    a.stiffness = R(1e3); /* so that some contacts slide */
    a.distance = R(0.7) * t->box.dx;
    a.first = NEW_FIELD(io, fields, t->n, CASE_SET);
    a.second = NEW_FIELD(io, fields, t->n, CASE_SET);
    a.sum = NEW_FIELD(io, fields, t->n, CASE_SET);
    a.slope = NEW_FIELD(io, fields * DIM, t->n, CASE_SET);
    a.force = NULL;
    a.sums = NEW(io, real, t->max_blocks * TILE_NODES * QUAD, CASE_SET);
    return a;
}

/* Sets the loads of particles and what they make at nodes. */
static void rub_loads(case_io *io, const sample *t, mpm_rub_args *a)
{
    mpm_deposit_args d;
    LAUNCH(io, mpm_repel_fill, t->max_blocks, &t->step->blocks, &a->near);
    LAUNCH(io, mpm_rub_load, t->max_blocks, &t->step->blocks, a);
    d.s = a->near.s;
    d.n = t->n;
    d.l = t->l;
    d.quantity = a->load;
    d.body = NULL;
    d.of = 0;
    d.sums = NEW(io, real, t->max_blocks * TILE_NODES, CASE_SET);
    LAUNCH(io, mpm_deposit, t->max_blocks, &t->step->blocks, &d);
    a->loads = d.sums;
    LAUNCH(io, mpm_rub_node, t->nodes, &t->step->nodes, a);
}

/* Nodes of any velocity and mass, so that contacts slide in all ways, and friction of a size that holds some. */
static void case_mpm_rub(case_io *io)
{
    static const char *const names[] = {"two fields", "three fields", NULL};
    const int fields = 2 + case_variant(io, names);
    const sample t = sorted_sample_of(io, fields);
    mpm_rub_args a;
    design_number_args g;
    g.value = WIDES(io, "friction", 1, 1, 0.2, 0.6);
    g.out = &t.step->friction;
    LAUNCH(io, design_number, 1, NULL, &g);
    g.value = WIDES(io, "friction velocity", 1, 1, 0.1, 0.2);
    g.out = &t.step->regularisation;
    LAUNCH(io, design_number, 1, NULL, &g);
    a.near = rub_bodies(io, &t, fields);
    a.nodes = t.nodes;
    a.mass = node_masses(io, t.nodes, 0.01, 0.02);
    a.load = NEW(io, real, t.n, CASE_SET);
    a.loads = NULL;
    a.rate = NEW(io, real, t.nodes, CASE_SET);
    a.before = NEW_FIELD(io, DIM, t.nodes, CASE_SET);
    a.seen = NEW_FIELD(io, DIM + 1, t.n, CASE_SET);
    a.given = NEW_FIELD(io, fields * DIM, t.n, CASE_SET);
    a.impulse = NEW_FIELD(io, DIM, t.n, CASE_SET);
    a.impulses = NULL;
    a.velocity = REALS(io, "velocity before", DIM, t.nodes, -1, 1);
    rub_loads(io, &t, &a);
    LAUNCH(io, mpm_rub_see, t.max_blocks, &t.step->blocks, &a);
    LAUNCH(io, mpm_rub_meet, t.max_blocks, &t.step->blocks, &a);
    LAUNCH(io, mpm_rub, t.max_blocks, &t.step->blocks, &a);
    a.impulses = sum_at_nodes(io, &t, a.near.sums, DIM);
    LAUNCH(io, mpm_rub_act, t.nodes, &t.step->nodes, &a);
    case_out(io, "velocity after", CASE_FIELD, DIM, t.nodes, a.velocity);
    if (case_adjoint(io)) rub_gradients(io, &t, &a);
}
#define case_mpm_rub_load case_mpm_rub
#define case_mpm_rub_node case_mpm_rub
#define case_mpm_rub_see case_mpm_rub
#define case_mpm_rub_meet case_mpm_rub
#define case_mpm_rub_act case_mpm_rub
#define case_mpm_rub_act_adj case_mpm_rub
#define case_mpm_rub_adj case_mpm_rub
#define case_mpm_rub_meet_adj case_mpm_rub
#define case_mpm_rub_see_adj case_mpm_rub
#define case_mpm_rub_node_adj case_mpm_rub
#define case_mpm_rub_load_adj case_mpm_rub
#define case_mpm_rub_weigh_adj case_mpm_rub
#define case_mpm_rub_bend case_mpm_rub
#define case_mpm_rub_mass_adj case_mpm_rub
#define case_mpm_rub_sum case_mpm_rub

#endif
