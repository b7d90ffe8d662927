/* kernel_cases_slot.h -- compact slots: what is put into one comes out of it, particle by particle and node by node.
 * Case text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_SLOT_H
#define PIOLA_TESTS_KERNEL_CASES_SLOT_H

#include "tests/kernels/mpm/kernel_cases_sample.h"

static mpm_slot sample_slot(case_io *io, const sample *t, int room)
{
    int *rank = HOST(io, int, t->n), count[2] = {0, 0};
    mpm_slot slot;
    memset(&slot, 0, sizeof slot);
    for (int i = 0; i < t->n; i++) rank[i] = count[law_is_fluid(t->law[i])]++;
    slot.n = t->n;
    slot.solids = count[0];
    slot.plastic = 0;
    slot.room = room;
    slot.law = t->matter.law;
    slot.rank = PUSH(io, int, rank, t->n);
    slot.cell = NEW(io, int, t->n, CASE_SET);
    slot.offset = NEW_FIELD(io, DIM, t->n, CASE_SET);
    slot.F = NEW_FIELD(io, DIM * DIM, count[0], CASE_SET);
    slot.J = NEW_FIELD(io, 1, count[1], CASE_SET);
    slot.grid = NEW_FIELD(io, DIM, room, CASE_SET);
    return slot;
}

/* Does stored particle p, in id order, have these components of an input? */
static int same_parts(const case_io *io, const sample *t, const char *in, const char *out, int parts, int p)
{
    const double *x = case_find(io, CASE_INPUT, in)->value, *y = case_find(io, CASE_OUTPUT, out)->value;
    int same = 1;
    for (int c = 0; c < parts; c++) same = same && y[c * t->n + t->id[p]] == (double)R(x[c * t->n + p]);
    return same;
}

static int same_particles(const case_io *io, const sample *t)
{
    const double *cell = case_find(io, CASE_OUTPUT, "next cell")->value;
    int same = 1;
    for (int p = 0; p < t->n; p++) {
        same = same && (int)cell[t->id[p]] == t->cell[p] && same_parts(io, t, "offset", "next offset", DIM, p);
        same = same && (law_is_fluid(t->law[t->id[p]]) ? same_parts(io, t, "J", "next J", 1, p)
                                                       : same_parts(io, t, "F", "next F", DIM * DIM, p));
    }
    return same;
}

static void case_mpm_slot_put(case_io *io)
{
    static const char *const names[] = {"room for all nodes", "too little room", NULL};
    const int little = case_variant(io, names), room = io->large ? 4200 : 25;
    sample t = sample_mpm(io, CASE_CONSTANT);
    const mpm_slot slot = sample_slot(io, &t, little ? room : t.nodes);
    mpm_advance_args end; /* the step is over: its nodes are counted */
    end.step = t.step;
    LAUNCH(io, mpm_advance, 1, NULL, &end);
    mpm_slot_put_args a;
    a.s = t.s;
    a.slot = slot;
    LAUNCH(io, mpm_slot_put, t.n, &t.step->particles, &a);
    mpm_slot_get_args b;
    b.s = sample_new_state(io, t.n, CASE_SET);
    b.slot = slot;
    LAUNCH(io, mpm_slot_get, t.n, &t.step->particles, &b);
    sample_out_state(io, &b.s, t.n);
    case_expect(io, same_particles(io, &t), "every particle comes back with its cell, offset and F or J");
    mpm_slot_put_nodes_args c;
    c.l = t.l;
    c.step = t.step;
    c.nodes = t.nodes;
    c.velocity = REALS(io, "node velocity", DIM, t.nodes, -1.5, 1.5);
    c.slot = slot;
    LAUNCH(io, mpm_slot_put_nodes, slot.room, &t.step->nodes, &c);
    mpm_slot_get_nodes_args d;
    d.l = t.l;
    d.nodes = t.nodes;
    d.slot = slot;
    d.velocity = NEW_FIELD(io, DIM, t.nodes, CASE_SET);
    LAUNCH(io, mpm_slot_get_nodes, slot.room, &t.step->nodes, &d);
    case_out(io, "velocity again", CASE_FIELD, DIM, t.nodes, d.velocity);
    case_out(io, "fault", CASE_INT64, 1, 1, &t.step->fault);
    case_out(io, "most", CASE_INT, 1, 1, &t.step->most_nodes);
    case_out(io, "node_list", CASE_INT, 1, little ? room : (int)case_find(io, CASE_OUTPUT, "most")->value[0],
             t.l.node_list);
    const case_array *list = case_find(io, CASE_OUTPUT, "node_list");
    const double *in = case_find(io, CASE_INPUT, "node velocity")->value;
    const double *out = case_find(io, CASE_OUTPUT, "velocity again")->value;
    int same = 1;
    for (int i = 0; i < list->count * DIM; i++) {
        const int at = (int)list->value[i / DIM] + i % DIM * t.nodes;
        same = same && out[at] == (double)R(in[at]);
    }
    case_expect(io, same, "the nodes that there is room for come back with their velocities");
    case_expect(io, (case_find(io, CASE_OUTPUT, "fault")->value[0] >= 0) == little,
                "a fault where there is too little room, and only there");
}
#define case_mpm_slot_put_nodes case_mpm_slot_put
#define case_mpm_slot_get case_mpm_slot_put
#define case_mpm_slot_get_nodes case_mpm_slot_put

#endif
