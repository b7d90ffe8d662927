/* kernel_cases_contact.h -- cases of contact between velocity fields. Case text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_CONTACT_H
#define PIOLA_TESTS_KERNEL_CASES_CONTACT_H

#include "tests/kernels/mpm/kernel_cases_flip.h"

/* Nodes of two or four fields with masses of any size, some without, some not active; fillings on both sides of the
 * band in which contact sets in, approaches on both sides of the regularisation velocity; walls of each kind. */
static void case_mpm_contact(case_io *io)
{
    static const char *const names[] = {"two fields", "four fields", NULL};
    const int variant = case_variant(io, names), fields = variant ? 4 : 2;
    sample t;
    t.box = sample_box(io, variant);
    t.box.fields = fields;
    t.nodes = fields * t.box.field_nodes;
    sample_any_nodes(io, &t);
    design_number_args g;
    g.value = WIDES(io, "friction", 1, 1, 0.2, 0.6);
    g.out = &t.step->friction;
    LAUNCH(io, design_number, 1, NULL, &g);
    g.value = WIDES(io, "regularisation velocity", 1, 1, 0.4, 0.6);
    g.out = &t.step->regularisation;
    LAUNCH(io, design_number, 1, NULL, &g);
    const double cell = pow((double)t.box.dx, DIM) * 1.4 / fields;
    mpm_contact_args a;
    a.l = t.l;
    a.step = t.step;
    a.box = t.box;
    a.nodes = t.nodes;
    a.fields = fields;
    a.sums = node_masses(io, t.nodes, 0.1, 1);
    a.volume = REALS(io, "node volume", 1, t.nodes, 0.1 * cell, cell);
    a.free_velocity = REALS(io, "free velocity", DIM, t.nodes, -0.9, 1);
    a.velocity = NEW_FIELD(io, DIM, t.nodes, CASE_SET);
    LAUNCH(io, mpm_contact, t.nodes, &t.step->nodes, &a);
    case_out(io, "node velocity", CASE_FIELD, DIM, t.nodes, a.velocity);
    if (!case_adjoint(io)) return;
    mpm_contact_adj_args b;
    b.fwd = a;
    b.velocity_bar = FIELD_COTANGENT(io, "node velocity");
    b.free_bar = NEW_FIELD(io, DIM, t.nodes, CASE_SET);
    b.mass_bar = NEW(io, real, t.nodes, CASE_SET);
    b.volume_bar = NEW_FIELD(io, DIM + 1, t.nodes, CASE_SET);
    b.contribution = NEW_FIELD(io, 2, t.nodes, CASE_SET);
    LAUNCH(io, mpm_contact_adj, t.nodes, &t.step->nodes, &b);
    mpm_contact_volume_adj_args c;
    c.l = t.l;
    c.box = t.box;
    c.nodes = t.nodes;
    c.mass_bar = b.mass_bar;
    c.volume_bar = b.volume_bar;
    c.node_bar = NEW_FIELD(io, DIM + 1, t.nodes, CASE_ADDED);
    c.node_volume_bar = NEW(io, real, t.nodes, CASE_SET);
    LAUNCH(io, mpm_contact_volume_adj, t.nodes, &t.step->nodes, &c);
    mpm_contact_sum_args s;
    wide *bar = NEW(io, wide, 2, CASE_SET);
    s.l = t.l;
    s.nodes = t.nodes;
    s.contribution = b.contribution;
    for (s.which = 0; s.which < 2; s.which++)
        LAUNCH_SUM(io, mpm_contact_sum, t.nodes, &t.step->nodes, &s, bar + s.which);
    case_gradient(io, "free velocity", CASE_FIELD, DIM, t.nodes, b.free_bar);
    case_gradient_of(io, "node mass", CASE_REAL, 1, t.nodes, case_components(c.node_bar, DIM + 1, 0));
    case_gradient(io, "node volume", CASE_REAL, 1, t.nodes, c.node_volume_bar);
    case_gradient(io, "friction", CASE_WIDE, 1, 1, bar);
    case_gradient(io, "regularisation velocity", CASE_WIDE, 1, 1, bar + 1);
}
#define case_mpm_contact_adj case_mpm_contact
#define case_mpm_contact_volume_adj case_mpm_contact
#define case_mpm_contact_sum case_mpm_contact

#endif
