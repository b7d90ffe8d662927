/* kernel_cases_fem_contact_seen.h -- cases of what objectives see of contact: forces between bodies, the least distance
 * of two, and pressures. Case text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_FEM_CONTACT_SEEN_H
#define PIOLA_TESTS_KERNEL_CASES_FEM_CONTACT_SEEN_H

#include "kernels/fem/fem_contact_seen.h"
#include "tests/kernels/fem/kernel_cases_fem_pairs.h"

/* Adds what pairs give, `in`, to nodes, and says that it is the gradient of an input of these. */
static void seen_gradient(case_io *io, const pairs_sample *s, real *in, const char *of)
{
    fem_pair_sum_args g;
    g.s = s->a.s;
    g.start = s->slot.start;
    g.list = s->slot.list;
    g.in = in;
    g.out = NEW(io, real, s->nodes * DIM, CASE_ADDED);
    LAUNCH(io, fem_pair_sum, s->points, NULL, &g);
    case_gradient(io, of, CASE_REAL, 1, s->nodes * DIM, g.out);
}

/* The force of body 1 on body 0, and that of anything on body 1. */
static void case_fem_pair_push(case_io *io)
{
    static const char *const names[] = {"of the other body", "of any body", NULL};
    const int any = case_variant(io, names);
    pairs_sample s = pairs_sampled(io, CASE_INPUT, CASE_INPUT);
    fem_pair_push_args a;
    fem_pair_sum_args g;
    pairs_find(io, &s);
    a.fwd = s.a;
    a.sides.body = any ? 1 : 0;
    a.sides.other = any ? -1 : 1;
    a.fwd.out = NEW(io, real, s.room * PAIR_NODES * DIM, CASE_SET);
    LAUNCH(io, fem_pair_push, s.room, &s.found->count, &a);
    g.s = s.a.s;
    g.start = s.slot.start;
    g.list = s.slot.list;
    g.in = a.fwd.out;
    g.out = NEW(io, real, s.nodes * DIM, CASE_ADDED);
    LAUNCH(io, fem_pair_sum, s.points, NULL, &g);
    case_out(io, "force", CASE_REAL, 1, s.nodes * DIM, g.out);
    if (!case_adjoint(io)) return;
    fem_pair_push_adj_args b;
    fem_pair_area_args n;
    wide *grip_bar = NEW(io, wide, PAIR_GRIP, CASE_SET);
    b.back.fwd = s.a;
    b.back.pairs = s.room;
    b.back.y = COTANGENT(io, real, "force");
    b.back.u_bar = NEW(io, real, s.room * PAIR_NODES * DIM, CASE_SET);
    b.back.rest_bar = NEW(io, real, s.room * PAIR_NODES * DIM, CASE_SET);
    b.back.area_bar = NEW(io, real, s.room * PAIR_NODES, CASE_SET);
    b.back.grip_bar = NEW_FIELD(io, PAIR_GRIP, s.room, CASE_SET);
    b.sides = a.sides;
    LAUNCH(io, fem_pair_push_adj, s.room, &s.found->count, &b);
    seen_gradient(io, &s, b.back.u_bar, "u");
    seen_gradient(io, &s, b.back.rest_bar, "rest");
    n.start = s.slot.start;
    n.list = s.slot.list;
    n.in = b.back.area_bar;
    n.out = NEW(io, real, s.points, CASE_ADDED);
    LAUNCH(io, fem_pair_area, s.points, NULL, &n);
    case_gradient(io, "area", CASE_REAL, 1, s.points, n.out);
    for (int k = 0; k < PAIR_GRIP; k++) {
        field_sum_args f;
        f.n = s.room;
        f.components = PAIR_GRIP;
        f.component = k;
        f.in = b.back.grip_bar;
        LAUNCH_SUM(io, field_sum, s.room, &s.found->count, &f, grip_bar + k);
    }
    case_gradient(io, "grip", CASE_WIDE, 1, PAIR_GRIP, grip_bar);
}
#define case_fem_pair_push_adj case_fem_pair_push

/* The least distance of two bodies; of a body that is not there the distance of contact. */
static void case_fem_pair_gap(case_io *io)
{
    static const char *const names[] = {"of two bodies", "of none", NULL};
    const int none = case_variant(io, names);
    pairs_sample s = pairs_sampled(io, CASE_INPUT, CASE_INPUT);
    fem_pair_gap_args a;
    fem_contact_which_args w;
    fem_pair_gap_add_args add;
    uint64_t *found = HOST(io, uint64_t, 2);
    found[0] = found[1] = UINT64_MAX;
    ((case_array *)(uintptr_t)case_find(io, CASE_INPUT, "area"))->role = CASE_CONSTANT; /* no distance has any */
    pairs_find(io, &s);
    a.fwd = s.a;
    a.sides.body = 1;
    a.sides.other = none ? 7 : 0;
    a.gap = NEW(io, real, s.room, CASE_SET);
    a.found = PUSH(io, uint64_t, found, 2);
    LAUNCH(io, fem_pair_gap, s.room, &s.found->count, &a);
    w.gap = a.gap;
    w.found = a.found;
    LAUNCH(io, fem_contact_which, s.room, &s.found->count, &w);
    add.gap = a.gap;
    add.found = a.found;
    add.grip = s.a.grip;
    add.weight = 0.7;
    add.sample = NEW(io, wide, 1, CASE_ADDED);
    LAUNCH(io, fem_pair_gap_add, 1, NULL, &add);
    case_out(io, "gap", CASE_WIDE, 1, 1, add.sample);
    if (!case_adjoint(io)) return;
    fem_pair_gap_adj_args b;
    fem_pair_gap_none_args h;
    b.fwd = s.a;
    b.found = h.found = a.found;
    b.weight = h.weight = 0.7;
    b.sample_bar = h.sample_bar = COTANGENT(io, wide, "gap");
    b.x_bar = NEW(io, real, s.room * PAIR_NODES * DIM, CASE_SET);
    LAUNCH(io, fem_pair_gap_adj, s.room, &s.found->count, &b);
    seen_gradient(io, &s, b.x_bar, "u");
    seen_gradient(io, &s, b.x_bar, "rest");
    h.grip_bar = NEW(io, wide, PAIR_GRIP, CASE_ADDED);
    LAUNCH(io, fem_pair_gap_none, 1, NULL, &h);
    case_gradient(io, "grip", CASE_WIDE, 1, PAIR_GRIP, h.grip_bar);
}
#define case_fem_pair_gap_adj case_fem_pair_gap
#define case_fem_pair_gap_add case_fem_pair_gap
#define case_fem_pair_gap_none case_fem_pair_gap

/* Sums of pressures, and of a power of them, over two points in three; some points have no force. */
static void case_fem_contact_pressed(case_io *io)
{
    static const char *const names[] = {"mean", "norm", NULL};
    const int norm = case_variant(io, names), n = case_size(io, 5000);
    int *node = HOST(io, int, n);
    fem_contact_pressed_args a;
    wide *sum = NEW(io, wide, 2, CASE_SET);
    case_array *area = case_uniform(io, CASE_INPUT, "area", 1, n, 0.01, 0.02);
    case_array *force = case_uniform(io, CASE_INPUT, "force", 1, (n + 1) * DIM, -1, 1);
    case_array *weight = case_uniform(io, CASE_CONSTANT, "weight", 1, (n + 1) * DIM, 1, 1);
    for (int k = 0; k < n; k++) {
        node[k] = k + 1;
        if (k % 3 == 2) weight->value[(k + 1) * DIM] = 0;
        for (int c = 0; c < DIM && k % 7 == 1; c++) force->value[(k + 1) * DIM + c] = 0;
    }
    a.node = PUSH(io, int, node, n);
    a.area = (real *)case_upload(io, area, CASE_REAL);
    a.force = (real *)case_upload(io, force, CASE_REAL);
    a.weight = (real *)case_upload(io, weight, CASE_REAL);
    a.power = norm ? 5 : 0;
    a.size = 60;
    for (int c = 0; c < 2; c++) {
        a.component = -c;
        LAUNCH_SUM(io, fem_contact_pressed, n, NULL, &a, sum + c);
    }
    case_out(io, "sums", CASE_WIDE, 1, 2, sum);
    if (!case_adjoint(io)) return;
    fem_contact_pressed_adj_args b;
    b.fwd = a;
    b.sums_bar = COTANGENT(io, wide, "sums");
    b.force_bar = NEW(io, real, (n + 1) * DIM, CASE_ZERO);
    b.area_bar = NEW(io, real, n, CASE_ADDED);
    LAUNCH(io, fem_contact_pressed_adj, n, NULL, &b);
    case_gradient(io, "force", CASE_REAL, 1, (n + 1) * DIM, b.force_bar);
    case_gradient(io, "area", CASE_REAL, 1, n, b.area_bar);
}
#define case_fem_contact_pressed_adj case_fem_contact_pressed

#endif
