/* kernel_cases_fem_pairs_friction.h -- cases of friction between surfaces that touch each other, in the kick of
 * explicit steps. Case text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_FEM_PAIRS_FRICTION_H
#define PIOLA_TESTS_KERNEL_CASES_FEM_PAIRS_FRICTION_H

#include "kernels/fem/fem_pairs_friction.h"
#include "tests/kernels/fem/kernel_cases_fem_motion.h"
#include "tests/kernels/fem/kernel_cases_fem_pairs.h"

/* A step of the units: friction of their pairs, and what follows. */
typedef struct {
    pairs_sample s;
    fem_pair_press_args press;
    fem_pair_kick_args kick;
    fem_pair_rub_args rub;
    fem_leap_args leap;
    real *forces; /* all, on nodes */
} rubbed_sample;

/* Every seventh node has a component that is prescribed, and every eleventh has all. */
static const int *rubbed_constrained(case_io *io, int nodes)
{
    int *constrained = HOST(io, int, nodes);
    for (int i = 0; i < nodes; i++) constrained[i] = i % 11 == 0 ? (1 << DIM) - 1 : i % 7 == 0 ? 1 << i % DIM : 0;
    return PUSH(io, int, constrained, nodes);
}

/* Returns inputs and arguments; nothing is launched but the search. */
static rubbed_sample rubbed_sampled(case_io *io)
{
    rubbed_sample r;
    memset(&r, 0, sizeof r);
    r.s = pairs_sampled(io, CASE_INPUT, CASE_INPUT);
    pairs_find(io, &r.s);
    const int all = r.s.nodes * DIM, slots = r.s.room * PAIR_NODES;
    case_array *rub = case_uniform(io, CASE_INPUT, "rub", 1, PAIR_RUB, 0.3, 0.6);
    r.press.fwd = r.s.a;
    r.press.press = NEW(io, real, slots, CASE_SET);
    r.kick.s = r.s.a.s;
    r.kick.start = r.s.slot.start;
    r.kick.list = r.s.slot.list;
    r.kick.press = r.press.press;
    r.kick.v = (real *)case_upload(io, case_uniform(io, CASE_INPUT, "v", 1, all, -1, 1), CASE_REAL);
    r.kick.mass = (real *)case_upload(io, case_uniform(io, CASE_INPUT, "mass", 1, all, 1, 2), CASE_REAL);
    r.kick.force = (real *)case_upload(io, case_uniform(io, CASE_INPUT, "before", 1, all, -3, 3), CASE_REAL);
    r.kick.constrained = rubbed_constrained(io, r.s.nodes);
    r.kick.kick = r.rub.kick = 0.4;
    r.leap.kick = 0.4;
    r.kick.velocity = NEW(io, real, r.s.points * DIM, CASE_SET);
    r.kick.pace = NEW(io, real, r.s.points, CASE_SET);
    r.rub.fwd = r.s.a;
    r.rub.fwd.out = NEW(io, real, slots * DIM, CASE_SET);
    r.rub.rub = (wide *)case_upload(io, rub, CASE_WIDE);
    r.rub.velocity = r.kick.velocity;
    r.rub.pace = r.kick.pace;
    r.forces = NEW(io, real, all, CASE_SET);
    r.leap.h = 0.3;
    r.leap.force = r.forces;
    r.leap.mass = r.kick.mass;
    r.leap.constrained = r.kick.constrained;
    r.leap.target = (real *)case_upload(io, case_uniform(io, CASE_CONSTANT, "target", 1, all, -0.1, 0.1), CASE_REAL);
    r.leap.u = r.s.a.u;
    r.leap.v = r.kick.v;
    r.leap.u1 = NEW(io, real, all, CASE_SET);
    r.leap.v1 = NEW(io, real, all, CASE_SET);
    r.leap.step = fem_step_on(io, NULL);
    return r;
}

/* Adds what pairs give to nodes. */
static void rubbed_add(case_io *io, const rubbed_sample *r, const real *in, real *out)
{
    fem_pair_sum_args g;
    g.s = r->s.a.s;
    g.start = r->kick.start;
    g.list = r->kick.list;
    g.in = in;
    g.out = out;
    LAUNCH(io, fem_pair_sum, r->s.points, NULL, &g);
}

static void rubbed_forward(case_io *io, rubbed_sample *r)
{
    point_axpby_args copy;
    copy.a = R(1);
    copy.b = R(0);
    copy.x = copy.y = r->kick.force;
    copy.out = r->forces;
    LAUNCH(io, point_axpby, r->s.nodes, NULL, &copy);
    LAUNCH(io, fem_pair_press, r->s.room, &r->s.found->count, &r->press);
    LAUNCH(io, fem_pair_kick, r->s.points, NULL, &r->kick);
    LAUNCH(io, fem_pair_rub, r->s.room, &r->s.found->count, &r->rub);
    rubbed_add(io, r, r->rub.fwd.out, r->forces);
    LAUNCH(io, fem_leap, r->s.nodes, NULL, &r->leap);
}

/* What numbers of pairs give to `count` totals. */
static void rubbed_numbers(case_io *io, const rubbed_sample *r, const char *name, int count, const real *in)
{
    wide *total = NEW(io, wide, count, CASE_SET);
    for (int k = 0; k < count; k++) {
        field_sum_args f;
        f.n = r->s.room;
        f.components = count;
        f.component = k;
        f.in = in;
        LAUNCH_SUM(io, field_sum, r->s.room, &r->s.found->count, &f, total + k);
    }
    case_gradient(io, name, CASE_WIDE, 1, count, total);
}

/* The gradients of what the pairs gave to theirs. */
static void rubbed_gradients(case_io *io, const rubbed_sample *r, const fem_pair_rub_adj_args *b, real *u_bar)
{
    fem_pair_area_args n;
    real *rest_bar = NEW(io, real, r->s.nodes * DIM, CASE_ADDED);
    rubbed_add(io, r, b->u_bar, u_bar);
    rubbed_add(io, r, b->rest_bar, rest_bar);
    n.start = r->kick.start;
    n.list = r->kick.list;
    n.in = b->area_bar;
    n.out = NEW(io, real, r->s.points, CASE_ADDED);
    LAUNCH(io, fem_pair_area, r->s.points, NULL, &n);
    case_gradient(io, "u", CASE_REAL, 1, r->s.nodes * DIM, u_bar);
    case_gradient(io, "rest", CASE_REAL, 1, r->s.nodes * DIM, rest_bar);
    case_gradient(io, "area", CASE_REAL, 1, r->s.points, n.out);
    rubbed_numbers(io, r, "grip", PAIR_GRIP, b->grip_bar);
    rubbed_numbers(io, r, "rub", PAIR_RUB, b->rub_bar);
}

/* The adjoint of friction, in the order of a step. */
static void rubbed_back(case_io *io, const rubbed_sample *r, fem_pair_rub_adj_args *b, fem_pair_kick_adj_args *k)
{
    const int slots = r->s.room * PAIR_NODES;
    fem_pair_press_adj_args p;
    b->fwd = r->rub;
    b->pairs = p.pairs = r->s.room;
    b->y = k->force_bar;
    b->u_bar = p.u_bar = NEW(io, real, slots * DIM, CASE_SET);
    b->rest_bar = p.rest_bar = NEW(io, real, slots * DIM, CASE_SET);
    b->area_bar = p.area_bar = NEW(io, real, slots, CASE_SET);
    b->grip_bar = p.grip_bar = NEW_FIELD(io, PAIR_GRIP, r->s.room, CASE_SET);
    b->rub_bar = NEW_FIELD(io, PAIR_RUB, r->s.room, CASE_SET);
    b->velocity_bar = NEW(io, real, slots * DIM, CASE_SET);
    b->pace_bar = NEW(io, real, slots, CASE_SET);
    LAUNCH(io, fem_pair_rub_adj, r->s.room, &r->s.found->count, b);
    k->fwd = r->kick;
    k->rubbed = r->rub.fwd.out;
    k->velocity_bar = b->velocity_bar;
    k->pace_bar = b->pace_bar;
    k->load_bar = NEW(io, real, r->s.points, CASE_SET);
    LAUNCH(io, fem_pair_kick_adj, r->s.points, NULL, k);
    p.fwd = r->s.a;
    p.load_bar = k->load_bar;
    LAUNCH(io, fem_pair_press_adj, r->s.room, &r->s.found->count, &p);
}

/* With the step that follows, which has the masses in it too. */
static void case_fem_pair_rub(case_io *io)
{
    rubbed_sample r = rubbed_sampled(io);
    const int all = r.s.nodes * DIM;
    rubbed_forward(io, &r);
    case_out(io, "u1", CASE_REAL, 1, all, r.leap.u1);
    case_out(io, "v1", CASE_REAL, 1, all, r.leap.v1);
    if (!case_adjoint(io)) return;
    fem_leap_adj_args l;
    fem_pair_rub_adj_args b;
    fem_pair_kick_adj_args k;
    fem_leap_mass_args m;
    l.fwd = r.leap;
    l.u1_bar = COTANGENT(io, real, "u1");
    l.v1_bar = COTANGENT(io, real, "v1");
    l.u_bar = NEW(io, real, all, CASE_SET);
    l.v_bar = k.v_bar = NEW(io, real, all, CASE_SET);
    l.force_bar = k.force_bar = NEW(io, real, all, CASE_SET);
    l.target_bar = NEW(io, real, all, CASE_SET);
    LAUNCH(io, fem_leap_adj, r.s.nodes, NULL, &l);
    k.mass_bar = m.mass_bar = NEW(io, real, all, CASE_ADDED);
    rubbed_back(io, &r, &b, &k);
    m.mass = r.leap.mass;
    m.force = r.kick.force;
    m.force_bar = l.force_bar;
    LAUNCH(io, fem_leap_mass, r.s.nodes, NULL, &m);
    case_gradient(io, "v", CASE_REAL, 1, all, l.v_bar);
    case_gradient(io, "before", CASE_REAL, 1, all, l.force_bar);
    case_gradient(io, "mass", CASE_REAL, 1, all, m.mass_bar);
    rubbed_gradients(io, &r, &b, l.u_bar);
}
#define case_fem_pair_press case_fem_pair_rub
#define case_fem_pair_press_adj case_fem_pair_rub
#define case_fem_pair_kick case_fem_pair_rub
#define case_fem_pair_kick_adj case_fem_pair_rub
#define case_fem_pair_rub_adj case_fem_pair_rub

static void case_fem_pair_slip(case_io *io)
{
    pairs_sample s = pairs_sampled(io, CASE_CONSTANT, CASE_CONSTANT);
    fem_pair_slip_args w;
    pairs_find(io, &s);
    w.fwd = s.a;
    w.rub = (wide *)case_upload(io, case_uniform(io, CASE_CONSTANT, "rub", 1, PAIR_RUB, 0.3, 0.6), CASE_WIDE);
    w.v = (real *)case_upload(io, case_uniform(io, CASE_CONSTANT, "v", 1, s.nodes * DIM, -1, 1), CASE_REAL);
    w.counts = PUSH(io, uint64_t, HOST(io, uint64_t, 3), 3);
    LAUNCH(io, fem_pair_slip, s.room, &s.found->count, &w);
    case_out(io, "counts", CASE_INT64, 1, 3, w.counts);
}

#endif
