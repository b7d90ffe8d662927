/* kernel_cases_mpm_reversible.h -- cases of the reversible integrator. In the dual build numbers on
 * lattices are real ones, so that the products are those of the map whose rounding is differentiated as the identity.
 * Case text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_MPM_REVERSIBLE_H
#define PIOLA_TESTS_KERNEL_CASES_MPM_REVERSIBLE_H

#include "tests/kernels/mpm/kernel_cases_mpm.h"

#ifdef PIO_DUAL
#define CASE_TYPE_quanta CASE_WIDE
#else
#define CASE_TYPE_quanta CASE_QUANTA
#endif
#define CASE_TYPE_uint64_t CASE_INT64
#define CASE_TYPE_uint32_t CASE_INT

/* The sample's state on a lattice. */
static mpm_lattice sample_lattice(case_io *io, const sample *t, int damping)
{
    mpm_lattice_round_args a;
    a.s = t->s;
    a.t.n = t->n;
    a.t.bits = 50;
    a.t.x = NEW(io, quanta, field_size(t->n, DIM), CASE_SET);
    a.t.v = NEW(io, quanta, field_size(t->n, DIM), CASE_SET);
    a.t.l = NEW(io, quanta, field_size(t->n, 1), CASE_SET);
    a.t.F = NEW(io, quanta, field_size(t->n, DIM * DIM), CASE_SET);
    a.t.kept = damping ? NEW(io, uint64_t, field_size(t->n, DIM), CASE_SET) : NULL;
    a.law = t->matter.law;
    a.box = t->box;
    a.step = t->step;
    LAUNCH(io, mpm_lattice_round, t->n, NULL, &a);
    return a.t;
}

/* All that two kernels say of one state, to rounding: what the first takes the second gives. Particles lie in the order
 * of ids. */
static void case_mpm_lattice_round(case_io *io)
{
    sample t;
    t.box = sample_box(io, 0);
    sample_particles(io, &t);
    for (int i = 0; i < t.n; i++) t.id[i] = i;
    sample_state(io, &t, CASE_INPUT);
    sample_matter(io, &t, CASE_CONSTANT);
    sample_step(io, &t);
    mpm_lattice_read_args a;
    a.t = sample_lattice(io, &t, 1);
    a.law = t.matter.law;
    a.box = t.box;
    a.step = t.step;
    a.out = sample_new_state(io, t.n, CASE_SET);
    LAUNCH(io, mpm_lattice_read, t.n, NULL, &a);
    case_out(io, "places", CASE_TYPE_quanta, 1, (int)field_size(t.n, DIM), a.t.x);
    case_out(io, "logarithms", CASE_TYPE_quanta, 1, (int)field_size(t.n, 1), a.t.l);
    case_out(io, "next cell", CASE_INT, 1, t.n, a.out.cell);
    case_out(io, "next offset", CASE_FIELD, DIM, t.n, a.out.offset);
    case_out(io, "next velocity", CASE_FIELD, DIM, t.n, a.out.velocity);
    case_out(io, "next F", CASE_FIELD, DIM * DIM, t.n, a.out.F);
    case_out(io, "next J", CASE_FIELD, 1, t.n, a.out.J);
    static const char *const names[3] = {"offset", "velocity", "F"};
    static const char *const next[3] = {"next offset", "next velocity", "next F"};
    double worst = 0;
    for (int f = 0; f < 3; f++) {
        const case_array *x = case_find(io, CASE_INPUT, names[f]), *y = case_find(io, CASE_OUTPUT, next[f]);
        for (int i = 0; i < x->parts * t.n; i++)
            if (f < 2 || !law_is_fluid(t.law[i % t.n])) worst = fmax(worst, fabs(x->value[i] - y->value[i]));
    }
    case_expect(io, worst < (sizeof(real) == 4 ? 2e-6 : 4e-15), "a state comes back from the lattice as it went there");
}
#define case_mpm_lattice_read case_mpm_lattice_round

/* ---- force and momentum at nodes, before the mean ------------------------------------------------------------ */

static void case_mpm_force(case_io *io)
{
    static const char *const names[] = {"laws", "laws and fibres", NULL};
    const int fibres = case_variant(io, names);
    sample t = sample_mpm(io, CASE_INPUT);
    if (fibres) sample_fibres(io, &t);
    mpm_force_adj_args b;
    b.fwd.s = t.s;
    b.fwd.matter = t.matter;
    b.fwd.l = t.l;
    b.fwd.box = t.box;
    b.fwd.sums = NEW(io, real, t.max_blocks * TILE_NODES * QUAD, CASE_SET);
    LAUNCH(io, mpm_force, t.max_blocks, &t.step->blocks, &b.fwd);
    case_out(io, "tile sums", CASE_REAL, 1, t.max_blocks * TILE_NODES * QUAD, b.fwd.sums);
    case_out(io, "node sums", CASE_FIELD, DIM + 1, t.nodes, sum_at_nodes(io, &t, b.fwd.sums, DIM + 1));
    if (!case_adjoint(io)) return;
    b.nodes = t.nodes;
    b.node_bar = FIELD_COTANGENT(io, "node sums");
    b.bar = sample_new_state(io, t.n, CASE_ADDED);
    b.mass_bar = NEW_FIELD(io, 1, t.n, CASE_ADDED);
    b.k_bar = NEW_FIELD(io, PIO_LAW_CONSTANTS, t.n, CASE_ADDED);
    b.activation_bar = NEW_FIELD(io, 1, t.n, CASE_SET);
    LAUNCH(io, mpm_force_adj, t.max_blocks, &t.step->blocks, &b);
    case_no_influence(io, "velocity");
    case_no_influence(io, "C");
    case_gradient(io, "offset", CASE_FIELD, DIM, t.n, b.bar.offset);
    case_gradient(io, "velocity", CASE_FIELD, DIM, t.n, NEW_FIELD(io, DIM, t.n, CASE_ZERO));
    case_gradient(io, "C", CASE_FIELD, DIM * DIM, t.n, NEW_FIELD(io, DIM * DIM, t.n, CASE_ZERO));
    case_gradient(io, "F", CASE_FIELD, DIM * DIM, t.n, b.bar.F);
    case_gradient(io, "J", CASE_FIELD, 1, t.n, b.bar.J);
    case_gradient(io, "mass", CASE_FIELD, 1, t.n, b.mass_bar);
    for (int c = 0; c < PIO_LAW_CONSTANTS; c++)
        case_gradient_of(io, constant_names[0][c], CASE_REAL, 1, t.n, case_components(b.k_bar, PIO_LAW_CONSTANTS, c));
    if (fibres) sum_contributions(io, &t, b.activation_bar);
}
#define case_mpm_force_adj case_mpm_force

/* Places and velocities as inputs; constants and, where that is said, masses. */
static sample sample_motion(case_io *io, int masses)
{
    sample t;
    t.box = sample_box(io, 0);
    sample_particles(io, &t);
    t.s.id = PUSH(io, int, t.id, t.n);
    t.s.cell = PUSH(io, int, t.cell, t.n);
    t.s.offset = (real *)case_upload(io, sample_offset(io, &t), CASE_FIELD);
    t.s.velocity = REALS(io, "velocity", DIM, t.n, -1, 1);
    t.s.C = NULL;
    sample_matter(io, &t, CASE_CONSTANT);
    if (masses) t.matter.mass = REALS(io, "masses", 1, t.n, 0.5, 2);
    sample_step(io, &t);
    sample_lists(io, &t);
    return t;
}

static void sample_strained(case_io *io, sample *t)
{
    case_array *F = case_uniform(io, CASE_INPUT, "F", DIM * DIM, t->n, -0.2, 0.2);
    for (int a = 0; a < DIM; a++)
        for (int p = 0; p < t->n; p++) F->value[(DIM + 1) * a * t->n + p] += 1;
    t->s.F = (real *)case_upload(io, F, CASE_FIELD);
    t->F_after = (real *)case_upload(io, F, CASE_FIELD);
    const case_array *J = case_uniform(io, CASE_INPUT, "J", 1, t->n, 0.8, 1.25);
    t->s.J = (real *)case_upload(io, J, CASE_FIELD);
    t->J_after = (real *)case_upload(io, J, CASE_FIELD);
}

/* For what has neither. */
static void sample_unstrained(case_io *io, sample *t)
{
    case_array *F = case_uniform(io, CASE_CONSTANT, "identity", DIM * DIM, t->n, 0, 1);
    for (int c = 0; c < DIM * DIM; c++)
        for (int p = 0; p < t->n; p++) F->value[c * t->n + p] = c % (DIM + 1) == 0;
    t->s.F = (real *)case_upload(io, F, CASE_FIELD);
    t->s.J = (real *)case_upload(io, case_uniform(io, CASE_CONSTANT, "J", 1, t->n, 1, 1), CASE_FIELD);
}

static mpm_momentum_args momentum_args(case_io *io, const sample *t)
{
    mpm_momentum_args a;
    a.s = t->s;
    a.matter = t->matter;
    a.l = t->l;
    a.box = t->box;
    a.velocity = t->s.velocity;
    a.sums = NEW(io, real, t->max_blocks * TILE_NODES * QUAD, CASE_SET);
    LAUNCH(io, mpm_momentum, t->max_blocks, &t->step->blocks, &a);
    return a;
}

/* The adjoint from cotangents of mass and momentum at nodes, and the gradients it leaves; those of offsets are added to
 * what there is. */
static void momentum_adjoint(case_io *io, const sample *t, const mpm_momentum_args *a, const real *node_bar,
                             real *offset_bar, real *mass_bar)
{
    mpm_momentum_adj_args b;
    b.fwd = *a;
    b.nodes = t->nodes;
    b.node_bar = node_bar;
    b.offset_bar = offset_bar;
    b.velocity_bar = NEW_FIELD(io, DIM, t->n, CASE_ADDED);
    b.mass_bar = mass_bar;
    LAUNCH(io, mpm_momentum_adj, t->max_blocks, &t->step->blocks, &b);
    case_gradient(io, "offset", CASE_FIELD, DIM, t->n, b.offset_bar);
    case_gradient(io, "velocity", CASE_FIELD, DIM, t->n, b.velocity_bar);
    case_gradient(io, "masses", CASE_FIELD, 1, t->n, b.mass_bar);
}

static void case_mpm_momentum(case_io *io)
{
    sample t = sample_motion(io, 1);
    const mpm_momentum_args a = momentum_args(io, &t);
    case_out(io, "node sums", CASE_FIELD, DIM + 1, t.nodes, sum_at_nodes(io, &t, a.sums, DIM + 1));
    if (!case_adjoint(io)) return;
    momentum_adjoint(io, &t, &a, FIELD_COTANGENT(io, "node sums"), NEW_FIELD(io, DIM, t.n, CASE_ADDED),
                     NEW_FIELD(io, 1, t.n, CASE_ADDED));
}
#define case_mpm_momentum_adj case_mpm_momentum

/* ---- strain: from means at nodes; and after momentum and means ----------------------------------------------------
 * What is tested is the force of what was strained, on which every component has an influence. */

static mpm_strain_args strain_args(case_io *io, const sample *t, const real *mean)
{
    mpm_strain_args a;
    a.t = sample_lattice(io, t, 0);
    a.s = t->s;
    a.s.F = t->F_after; /* in place, as in a run: of fluids, F stays as it is */
    a.s.J = t->J_after;
    a.law = t->matter.law;
    a.l = t->l;
    a.step = t->step;
    a.box = t->box;
    a.nodes = t->nodes;
    a.mean = mean;
    a.sign = 1;
    LAUNCH(io, mpm_strain, t->max_blocks, &t->step->blocks, &a);
    case_out(io, "fault", CASE_INT64, 1, 1, &t->step->fault);
    return a;
}

static mpm_force_adj_args strained_force(case_io *io, const sample *t, const mpm_strain_args *strain)
{
    mpm_force_adj_args b;
    b.fwd.s = strain->s;
    b.fwd.matter = t->matter;
    b.fwd.l = t->l;
    b.fwd.box = t->box;
    b.fwd.sums = NEW(io, real, t->max_blocks * TILE_NODES * QUAD, CASE_SET);
    LAUNCH(io, mpm_force, t->max_blocks, &t->step->blocks, &b.fwd);
    case_out(io, "force sums", CASE_FIELD, DIM + 1, t->nodes, sum_at_nodes(io, t, b.fwd.sums, DIM + 1));
    b.nodes = t->nodes;
    return b;
}

/* Cotangents of the state, and at nodes of the velocity. */
static real *strain_adjoint(case_io *io, const sample *t, const mpm_strain_args *a, mpm_force_adj_args *force)
{
    force->node_bar = FIELD_COTANGENT(io, "force sums");
    memset(&force->bar, 0, sizeof force->bar);
    force->bar.offset = NEW_FIELD(io, DIM, t->n, CASE_ADDED);
    force->bar.F = NEW_FIELD(io, DIM * DIM, t->n, CASE_ZERO);
    force->bar.J = NEW_FIELD(io, 1, t->n, CASE_ZERO);
    force->mass_bar = NEW_FIELD(io, 1, t->n, CASE_ADDED);
    force->k_bar = NEW_FIELD(io, PIO_LAW_CONSTANTS, t->n, CASE_ADDED);
    force->activation_bar = NULL;
    LAUNCH(io, mpm_force_adj, t->max_blocks, &t->step->blocks, force);
    mpm_strain_adj_args b;
    b.fwd = *a;
    b.fwd.s = t->s;
    b.bar = force->bar;
    b.sums = NEW(io, real, t->max_blocks * TILE_NODES * QUAD, CASE_SET);
    LAUNCH(io, mpm_strain_adj, t->max_blocks, &t->step->blocks, &b);
    case_gradient(io, "F", CASE_FIELD, DIM * DIM, t->n, b.bar.F);
    case_gradient(io, "J", CASE_FIELD, 1, t->n, b.bar.J);
    return sum_at_nodes(io, t, b.sums, DIM);
}

/* Means at nodes: masses, and an input or not. */
static real *node_means(case_io *io, const case_array *mean, int nodes)
{
    real *all = HOST(io, real, field_size(nodes, DIM + 1));
    const real *v = (const real *)case_pack(io, mean, CASE_REAL);
    for (int i = 0; i < nodes; i++) {
        all[field_at(nodes, DIM + 1, 0, i)] = R(0.1);
        for (int c = 0; c < DIM; c++) all[field_at(nodes, DIM + 1, 1 + c, i)] = v[c * nodes + i];
    }
    return PUSH(io, real, all, field_size(nodes, DIM + 1));
}

/* Does the reversed step give the state before? */
static void strain_inverse(case_io *io, const sample *t, mpm_strain_args a)
{
    const mpm_lattice before = sample_lattice(io, t, 0);
    a.sign = -1;
    LAUNCH(io, mpm_strain, t->max_blocks, &t->step->blocks, &a);
    case_out(io, "F before", CASE_TYPE_quanta, 1, (int)field_size(t->n, DIM * DIM), before.F);
    case_out(io, "F again", CASE_TYPE_quanta, 1, (int)field_size(t->n, DIM * DIM), a.t.F);
    case_out(io, "l before", CASE_TYPE_quanta, 1, (int)field_size(t->n, 1), before.l);
    case_out(io, "l again", CASE_TYPE_quanta, 1, (int)field_size(t->n, 1), a.t.l);
    const case_array *x[2] = {case_find(io, CASE_OUTPUT, "F before"), case_find(io, CASE_OUTPUT, "l before")};
    const case_array *y[2] = {case_find(io, CASE_OUTPUT, "F again"), case_find(io, CASE_OUTPUT, "l again")};
    for (int k = 0; k < 2; k++)
        case_expect(io, !memcmp(x[k]->bytes, y[k]->bytes, x[k]->size), "a strain and its inverse leave no trace");
}

static void case_mpm_strain(case_io *io)
{
    static const char *const names[] = {"a step", "inverse", "faults", NULL};
    const int variant = case_variant(io, names);
    sample t = sample_motion(io, 0);
    sample_strained(io, &t);
    case_array *velocity = case_uniform(io, CASE_INPUT, "node velocity", DIM, t.nodes, -1.5, 1.5);
    if (variant == 2) { /* inside out, turned too far and, at one node, not a number */
        for (int i = 0; i < DIM * t.nodes; i++) velocity->value[i] *= i % 5 == 0 ? 40 : 9;
        velocity->value[t.cell[t.n / 2]] = (double)NAN;
    }
    const mpm_strain_args a = strain_args(io, &t, node_means(io, velocity, t.nodes));
    case_expect(io, (case_find(io, CASE_OUTPUT, "fault")->value[0] >= 0) == (variant == 2),
                "a fault where there is one, and only there");
    if (variant == 1 && !io->build->dual) strain_inverse(io, &t, a);
    if (variant) return;
    mpm_force_adj_args force = strained_force(io, &t, &a);
    if (!case_adjoint(io)) return;
    const real *velocity_bar = strain_adjoint(io, &t, &a, &force);
    case_no_influence(io, "velocity");
    case_gradient(io, "offset", CASE_FIELD, DIM, t.n, force.bar.offset);
    case_gradient(io, "velocity", CASE_FIELD, DIM, t.n, NEW_FIELD(io, DIM, t.n, CASE_ZERO));
    case_gradient(io, "node velocity", CASE_FIELD, DIM, t.nodes, velocity_bar);
}
#define case_mpm_strain_adj case_mpm_strain

static void case_mpm_node_mean(case_io *io)
{
    sample t = sample_motion(io, 1);
    sample_strained(io, &t);
    const mpm_momentum_args a = momentum_args(io, &t);
    mpm_node_mean_args m;
    m.l = t.l;
    m.box = t.box;
    m.sums = a.sums;
    m.components = DIM + 1;
    m.nodes = t.nodes;
    m.out = NEW_FIELD(io, DIM + 1, t.nodes, CASE_SET);
    LAUNCH(io, mpm_node_mean, t.nodes, &t.step->nodes, &m);
    const mpm_strain_args s = strain_args(io, &t, m.out);
    mpm_force_adj_args force = strained_force(io, &t, &s);
    if (!case_adjoint(io)) return;
    mpm_node_mean_adj_args b;
    b.l = t.l;
    b.nodes = t.nodes;
    b.mean = m.out;
    b.mean_bar = strain_adjoint(io, &t, &s, &force);
    b.node_bar = NEW_FIELD(io, DIM + 1, t.nodes, CASE_SET);
    LAUNCH(io, mpm_node_mean_adj, t.nodes, &t.step->nodes, &b);
    momentum_adjoint(io, &t, &a, b.node_bar, force.bar.offset, force.mass_bar);
}
#define case_mpm_node_mean_adj case_mpm_node_mean

/* ---- kick ------------------------------------------------------------------------------------------------------- */

enum { KICK_WALLS, KICK_FREE, KICK_DAMPED, KICK_BACK, KICK_FAULTS };

static void kick_inverse(case_io *io, const sample *t, mpm_kick_args a)
{
    const mpm_lattice before = sample_lattice(io, t, 1);
    a.sign = -1;
    LAUNCH(io, mpm_kick, t->max_blocks, &t->step->blocks, &a);
    case_out(io, "v before", CASE_TYPE_quanta, 1, (int)field_size(t->n, DIM), before.v);
    case_out(io, "v again", CASE_TYPE_quanta, 1, (int)field_size(t->n, DIM), a.t.v);
    case_out(io, "kept again", CASE_INT64, 1, (int)field_size(t->n, DIM), a.t.kept);
    const case_array *x = case_find(io, CASE_OUTPUT, "v before"), *y = case_find(io, CASE_OUTPUT, "v again");
    case_expect(io, !memcmp(x->bytes, y->bytes, x->size), "a kick and its inverse leave no trace");
    const double *kept = case_find(io, CASE_OUTPUT, "kept again")->value;
    int left = 0; /* padding may hold anything */
    for (int i = 0; i < t->n; i++)
        for (int c = 0; c < DIM; c++) left += kept[field_at(t->n, DIM, c, i)] != 0;
    case_expect(io, left == 0, "the inverse leaves no bit in the log");
}

static mpm_kick_args kick_args(case_io *io, sample *t, int variant)
{
    mpm_kick_args a;
    case_array *mean = case_uniform(io, CASE_INPUT, "node acceleration", DIM, t->nodes, -50, 50);
    if (variant == KICK_FAULTS) mean->value[t->cell[t->n / 2]] = (double)NAN;
    a.t = sample_lattice(io, t, variant >= KICK_DAMPED);
    a.s = t->s;
    a.l = t->l;
    a.step = t->step;
    a.box = t->box;
    a.nodes = t->nodes;
    a.mean = node_means(io, mean, t->nodes);
    a.stiffness = R(900);
    a.damping = ((int64_t)1 << DAMPING_BITS) - 777;
    a.sign = a.keep = 1;
    a.next_v = a.t.v;
    a.velocity = NEW_FIELD(io, DIM, t->n, CASE_SET);
    LAUNCH(io, mpm_kick, t->max_blocks, &t->step->blocks, &a);
    case_out(io, "next velocity", CASE_FIELD, DIM, t->n, a.velocity);
    case_out(io, "fault", CASE_INT64, 1, 1, &t->step->fault);
    return a;
}

static void case_mpm_kick(case_io *io)
{
    static const char *const names[] = {"walls", "free", "damped", "inverse", "faults", NULL};
    const int variant = case_variant(io, names);
    sample t = sample_motion(io, 0);
    sample_unstrained(io, &t);
    for (int c = 0; c < DIM && variant == KICK_WALLS; c++) t.box.wall[c][c % 2] = t.box.wall[c][1] = PIO_WALL_PENALTY;
    design_gravity_args g;
    g.step = t.step;
    g.first = 0;
    g.components = DIM;
    g.value = WIDES(io, "gravity", DIM, 1, -10, 10);
    LAUNCH(io, design_gravity, 1, NULL, &g);
    const mpm_kick_args a = kick_args(io, &t, variant);
    case_expect(io, (case_find(io, CASE_OUTPUT, "fault")->value[0] >= 0) == (variant == KICK_FAULTS),
                "a fault where there is one, and only there");
    if (variant == KICK_BACK && !io->build->dual) kick_inverse(io, &t, a);
    if (variant >= KICK_BACK || !case_adjoint(io)) return;
    mpm_kick_adj_args b;
    b.fwd = a;
    b.gamma = variant == KICK_DAMPED ? R(a.damping) / R((int64_t)1 << DAMPING_BITS) : R(1);
    b.offset_bar = NEW_FIELD(io, DIM, t.n, CASE_ADDED);
    b.velocity_bar = FIELD_COTANGENT(io, "next velocity");
    b.sums = NEW(io, real, t.max_blocks * TILE_NODES * QUAD, CASE_SET);
    wide *gravity_bar = NEW(io, wide, DIM, CASE_SET);
    for (int c = 0; c < DIM; c++) {
        mpm_kick_gravity_args s;
        s.n = t.n;
        s.component = c;
        s.step = t.step;
        s.velocity_bar = b.velocity_bar;
        LAUNCH_SUM(io, mpm_kick_gravity, t.n, NULL, &s, gravity_bar + c);
    }
    LAUNCH(io, mpm_kick_adj, t.max_blocks, &t.step->blocks, &b);
    case_gradient(io, "offset", CASE_FIELD, DIM, t.n, b.offset_bar);
    case_gradient(io, "velocity", CASE_FIELD, DIM, t.n, b.velocity_bar);
    case_gradient(io, "node acceleration", CASE_FIELD, DIM, t.nodes, sum_at_nodes(io, &t, b.sums, DIM));
    case_gradient(io, "gravity", CASE_WIDE, DIM, 1, gravity_bar);
}
#define case_mpm_kick_adj case_mpm_kick
#define case_mpm_kick_gravity case_mpm_kick

/* ---- drift, and what is kept ------------------------------------------------------------------------------------ */

static void case_mpm_drift(case_io *io)
{
    static const char *const names[] = {"a step", "faults", NULL};
    const int faults = case_variant(io, names);
    sample t = sample_motion(io, 0);
    sample_unstrained(io, &t);
    mpm_drift_args a;
    a.t = sample_lattice(io, &t, 0);
    a.sign = 1;
    a.box = t.box;
    if (faults) a.box.nodes[0] = 5; /* most particles are outside */
    a.step = t.step;
    a.id = t.s.id;
    a.x = a.t.x;
    a.next_x = NEW(io, quanta, field_size(t.n, DIM), CASE_SET);
    a.from = t.s.cell;
    a.cell = NEW(io, int, t.n, CASE_SET);
    a.offset = NEW_FIELD(io, DIM, t.n, CASE_SET);
    a.v = a.t.v;
    LAUNCH(io, mpm_drift, t.n, &t.step->particles, &a);
    case_out(io, "next cell", CASE_INT, 1, t.n, a.cell);
    case_out(io, "next offset", CASE_FIELD, DIM, t.n, a.offset);
    case_out(io, "fault", CASE_INT64, 1, 1, &t.step->fault);
    case_expect(io, (case_find(io, CASE_OUTPUT, "fault")->value[0] >= 0) == faults,
                "a fault where there is one, and only there");
    if (faults || !case_adjoint(io)) return;
    mpm_drift_adj_args b;
    b.n = t.n;
    b.step = t.step;
    b.inv_dx = t.box.inv_dx;
    b.offset_bar = FIELD_COTANGENT(io, "next offset");
    b.velocity_bar = NEW_FIELD(io, DIM, t.n, CASE_ADDED);
    LAUNCH(io, mpm_drift_adj, t.n, NULL, &b);
    case_gradient(io, "offset", CASE_FIELD, DIM, t.n, b.offset_bar); /* as it is */
    case_gradient(io, "velocity", CASE_FIELD, DIM, t.n, b.velocity_bar);
}
#define case_mpm_drift_adj case_mpm_drift

static void case_mpm_log_residuals(case_io *io)
{
    static const char *const names[] = {"to a residual log", "dropped", "and back", NULL};
    const int variant = case_variant(io, names), n = case_size(io, 5000);
    uint64_t *kept = HOST(io, uint64_t, n);
    for (int i = 0; i < n; i++) kept[i] = (uint64_t)(549755813888.0 * case_unit("kept", i));
    mpm_log_residuals_args a;
    a.sign = 1;
    a.kept = PUSH(io, uint64_t, kept, n);
    a.log = variant == 1 ? NULL : NEW(io, uint32_t, n, CASE_SET);
    LAUNCH(io, mpm_log_residuals, n, NULL, &a);
    if (variant == 0) case_out(io, "residual log", CASE_INT, 1, n, a.log);
    a.sign = -1;
    if (variant == 2) LAUNCH(io, mpm_log_residuals, n, NULL, &a);
    case_out(io, "kept", CASE_INT64, 1, n, a.kept);
    const case_array *left = case_find(io, CASE_OUTPUT, "kept");
    int as_it_was = 1;
    for (int i = 0; i < n; i++)
        as_it_was = as_it_was && (uint64_t)left->value[i] == (variant == 2 ? kept[i] : kept[i] >> 32);
    case_expect(io, as_it_was, "what is logged comes back");
}

#endif
