/* kernel_cases_mpm.h -- cases of the four stages of a step, and what surrounds a run. Case text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_MPM_H
#define PIOLA_TESTS_KERNEL_CASES_MPM_H

#include "kernels/contact/contact_pose.h"
#include "tests/kernels/mpm/kernel_cases_control.h"
#include "tests/kernels/mpm/kernel_cases_interpolate.h"
#include "tests/kernels/mpm/kernel_cases_plain.h"
#include "tests/kernels/mpm/kernel_cases_plastic.h"

/* ---- constants and state 0 ------------------------------------------------------------------------------ */

/* Every law: solids as E and nu or as mu and lambda or by their own constants, fluids as K, gamma, eta; each constant
 * an input of its own. In the second variant no law has more than two, and no more are kept. */
static void case_mpm_constants(case_io *io)
{
    static const char *const names[] = {"every law", "neo-Hookean and Hencky alone", NULL};
    const int n = case_size(io, 1500), few = case_variant(io, names), count = few ? 2 : PIO_LAW_CONSTANTS;
    int *law = HOST(io, int, n), *form = HOST(io, int, n);
    case_array *g[PIO_LAW_CONSTANTS];
    g[0] = case_uniform(io, CASE_INPUT, "parameter0", 1, n, 1e3, 2e5);
    g[1] = case_uniform(io, CASE_INPUT, "parameter1", 1, n, -0.3, 0.47);
    for (int c = 2; c < count; c++) g[c] = case_uniform(io, CASE_INPUT, constant_names[1][c], 1, n, 0, 2);
    for (int i = 0; i < n; i++) {
        law[i] = few ? (i % 2 ? PIO_HYPER_NEO_HOOKEAN : PIO_HYPER_HENCKY) : 1 + i % (PIO_LAWS - 1);
        form[i] = i / 16 % 2;
        if (law_is_fluid(law[i]))
            g[1]->value[i] = 1 + 6.5 * case_unit("gamma", i);
        else if (form[i])
            g[1]->value[i] *= 1e5;
    }
    real *parameters = HOST(io, real, field_size(n, count));
    for (int c = 0; c < count; c++) {
        const real *one = (const real *)case_pack(io, g[c], CASE_REAL);
        for (int i = 0; i < n; i++) parameters[field_at(n, count, c, i)] = one[i];
    }
    mpm_constants_args a;
    a.n = n;
    a.constants = count;
    a.law = PUSH(io, int, law, n);
    a.parameter_form = PUSH(io, int, form, n);
    a.parameters = PUSH(io, real, parameters, field_size(n, count));
    a.density = REALS(io, "density", 1, n, 500, 2000);
    a.volume = CONSTANTS(io, "volume", 1, n, 1e-6, 2e-6);
    a.k = NEW_FIELD(io, count, n, CASE_SET);
    a.mass = NEW_FIELD(io, 1, n, CASE_SET);
    LAUNCH(io, mpm_constants, n, NULL, &a);
    case_out(io, "k", CASE_FIELD, count, n, a.k);
    case_out(io, "mass", CASE_FIELD, 1, n, a.mass);
    if (!case_adjoint(io)) return;
    mpm_constants_adj_args b;
    b.fwd = a;
    b.k_bar = FIELD_COTANGENT(io, "k");
    b.mass_bar = FIELD_COTANGENT(io, "mass");
    b.parameters_bar = NEW_FIELD(io, count, n, CASE_ADDED);
    b.density_bar = NEW_FIELD(io, 1, n, CASE_ADDED);
    LAUNCH(io, mpm_constants_adj, n, NULL, &b);
    for (int c = 0; c < count; c++)
        case_gradient_of(io, constant_names[1][c], CASE_REAL, 1, n, case_components(b.parameters_bar, count, c));
    case_gradient(io, "density", CASE_FIELD, 1, n, b.density_bar);
}
#define case_mpm_constants_adj case_mpm_constants

/* The input is the position; offset = position/dx - base, with base = 7. */
static void case_mpm_start(case_io *io)
{
    enum { BODIES = 3 };
    const int n = case_size(io, 1500);
    const mpm_box box = sample_box(io, 0);
    int *cell = HOST(io, int, n), *body = HOST(io, int, n);
    const real *x = (const real *)case_pack(
        io, case_uniform(io, CASE_INPUT, "position", DIM, n, 7.5 * 0.0437, 8.5 * 0.0437), CASE_FIELD);
    real *offset = HOST(io, real, field_size(n, DIM));
    for (int i = 0; i < n; i++) {
        cell[i] = i % 97;
        body[i] = (int)(BODIES * case_unit("body", i));
    }
    for (size_t i = 0; i < field_size(n, DIM); i++) offset[i] = x[i] * box.inv_dx - R(7);
    mpm_start_args a;
    a.n = n;
    a.cell = PUSH(io, int, cell, n);
    a.offset = PUSH(io, real, offset, field_size(n, DIM));
    a.velocity = REALS(io, "velocity", DIM, n, -1, 1);
    a.body = PUSH(io, int, body, n);
    a.spin = (real *)case_upload(io, case_uniform(io, CASE_CONSTANT, "spin", BODIES, DIM * DIM, -1, 1), CASE_REAL);
    a.out = sample_new_state(io, n, CASE_SET);
    LAUNCH(io, mpm_start, n, NULL, &a);
    sample_out_state(io, &a.out, n);
    if (!case_adjoint(io)) return;
    mpm_start_adj_args b;
    b.n = n;
    b.inv_dx = box.inv_dx;
    b.bar = a.out;
    b.bar.offset = FIELD_COTANGENT(io, "next offset");
    b.bar.velocity = FIELD_COTANGENT(io, "next velocity");
    b.position_bar = NEW_FIELD(io, DIM, n, CASE_ADDED);
    b.velocity_bar = NEW_FIELD(io, DIM, n, CASE_ADDED);
    LAUNCH(io, mpm_start_adj, n, NULL, &b);
    case_gradient(io, "position", CASE_FIELD, DIM, n, b.position_bar);
    case_gradient(io, "velocity", CASE_FIELD, DIM, n, b.velocity_bar);
}
#define case_mpm_start_adj case_mpm_start

/* Two obstacles, of which the stiffer one acts on the grid; that with the potential is stiff too with `stiff`. */
static void check_obstacles(case_io *io, mpm_check_args *a, int stiff)
{
    obstacle_shape *shape = HOST(io, obstacle_shape, 2);
    wide *parameters = HOST(io, wide, field_size(2, OBSTACLE_PARAMETERS));
    shape[0].model = PIO_CONTACT_GRID;
    shape[1].model = PIO_CONTACT_POTENTIAL;
    parameters[obstacle_at(2, OBSTACLE_STIFFNESS, 0)] = W(1e9);
    parameters[obstacle_at(2, OBSTACLE_STIFFNESS, 1)] = W(stiff ? 2e7 : 1e3);
    a->obstacles = 2;
    a->shape = PUSH(io, obstacle_shape, shape, 2);
    a->obstacle_parameters = PUSH(io, wide, parameters, field_size(2, OBSTACLE_PARAMETERS));
}

static void case_mpm_check(case_io *io)
{
    static const char *const names[] = {"in order",      "constant",           "wave",    "viscosity", "several",
                                        "viscous solid", "negative viscosity", "contact", "bodies",    NULL};
    const int v = case_variant(io, names);
    sample t;
    t.box = sample_box(io, 0);
    sample_particles(io, &t);
    sample_matter(io, &t, CASE_CONSTANT);
    case_array *density = case_uniform(io, CASE_CONSTANT, "density", 1, t.n, 800, 1200);
    if (v == 1) density->value[700] = -1;
    if (v == 2) density->value[600] = 1e-3;
    if (v == 4)
        for (int i = 300; i < t.n; i += 7) density->value[i] = i % 2 ? 1e-3 : 0;
    case_array *viscosity = case_uniform(io, CASE_CONSTANT, "viscosity of solids", 1, t.n, 0, 1);
    if (v == 5 || v == 6)
        for (int i = 0; i < t.n; i++)
            if (!law_is_fluid(t.law[i]) && i > 500) viscosity->value[i] = v == 5 ? 2e3 : -1;
    if (v == 5 || v == 6) t.matter.viscosity = (real *)case_upload(io, viscosity, CASE_FIELD);
    mpm_check_args a;
    a.matter = t.matter;
    a.density = (real *)case_upload(io, density, CASE_FIELD);
    /* viscosity: a grid so fine that a step short enough for sound is too long */
    a.inv_dx = R(v == 3 ? 8e3 : 1 / 0.0437);
    mpm_step *step = HOST(io, mpm_step, 1);
    step->index = 7;
    step->fault = FAULT_NONE;
    step->h = R(v == 3 ? 6e-6 : 1e-3);
    step->cfl = R(0.9);
    a.step = PUSH(io, mpm_step, step, 1);
    a.parameters = a.values = NULL;
    a.knots = NULL;
    check_obstacles(io, &a, v == 7);
    a.repulsion = R(v == 8 ? 5e6 : 1e3);
    LAUNCH(io, mpm_check, t.n, NULL, &a);
    case_out(io, "fault", CASE_INT64, 1, 1, &a.step->fault);
    static const double kind[] = {0,
                                  FAULT_CONSTANT,
                                  FAULT_WAVE_CFL,
                                  FAULT_VISCOUS,
                                  0,
                                  FAULT_VISCOUS,
                                  FAULT_CONSTANT,
                                  FAULT_CONTACT,
                                  FAULT_CONTACT};
    const double fault = io->arrays[io->n_arrays - 1].value[0];
    case_expect(io, v == 0 ? fault < 0 : fault >= 0, "a fault where there is one, and only there");
    if (v > 0 && v != 4) case_expect(io, (int)((int64_t)fault & 15) == (int)kind[v], "the fault is of its kind");
}

/* ---- particles to grid: mpm_p2g and mpm_node_sum against mpm_p2g_adj, mpm_p2g_rest_adj ---------------------- */

static real *sum_at_nodes(case_io *io, const sample *t, const real *sums, int components)
{
    mpm_node_sum_args a;
    a.l = t->l;
    a.box = t->box;
    a.sums = sums;
    a.components = components;
    a.nodes = t->nodes;
    a.out = NEW_FIELD(io, components, t->nodes, CASE_SET);
    LAUNCH(io, mpm_node_sum, t->blocks, NULL, &a);
    return a.out;
}

/* Node sums of which the mass is an input, and nothing else is read; some nodes have none. */
static real *node_masses(case_io *io, int nodes, double low, double high)
{
    case_array *mass = case_uniform(io, CASE_INPUT, "node mass", 1, nodes, low, high);
    for (int i = 3; i < nodes; i += 19) mass->value[i] = 0;
    const real *m = (const real *)case_pack(io, mass, CASE_REAL);
    real *sums = HOST(io, real, field_size(nodes, DIM + 1));
    for (int i = 0; i < nodes; i++) sums[field_at(nodes, DIM + 1, 0, i)] = m[i];
    return PUSH(io, real, sums, field_size(nodes, DIM + 1));
}

/* Memory for the cotangents of the materials. */
static void new_matter_bars(case_io *io, int n, mpm_p2g_adj_args *b)
{
    b->mass_bar = NEW_FIELD(io, 1, n, CASE_ADDED);
    b->k_bar = NEW_FIELD(io, PIO_LAW_CONSTANTS, n, CASE_ADDED);
    b->activation_bar = NEW_FIELD(io, 1, n, CASE_SET);
    b->viscosity_bar = NEW_FIELD(io, 1, n, CASE_ADDED);
}

/* Sums at nodes and their adjoint; `kind`: without or with what only mpm_p2g_rest_adj differentiates. */
enum { P2G_LANES, P2G_LAWS, P2G_FIBRES, P2G_VISCOUS, P2G_PLASTIC, P2G_VISCOUS_PLASTIC };
static void p2g_and_adjoint(case_io *io, int kind)
{
    const int fibres = kind == P2G_FIBRES, viscous = kind == P2G_VISCOUS || kind == P2G_VISCOUS_PLASTIC;
    const int plastic = kind >= P2G_PLASTIC;
    sample t = sample_mpm(io, CASE_INPUT);
    if (kind == P2G_LANES) sample_lane_laws(io, &t); /* which have fewer constants */
    for (int c = FLUID_CONSTANTS; kind == P2G_LANES && c < PIO_LAW_CONSTANTS; c++)
        case_no_influence(io, constant_names[0][c]);
    if (fibres) sample_fibres(io, &t);
    if (viscous) t.matter.viscosity = REALS(io, "viscosity of solids", 1, t.n, 1, 30);
    if (plastic) sample_yield(io, &t, 2); /* stress depends on the third only, snow's */
    mpm_p2g_args a;
    a.s = t.s;
    a.matter = t.matter;
    a.l = t.l;
    a.step = t.step;
    a.box = t.box;
    a.sums = NEW(io, real, t.max_blocks * TILE_NODES * QUAD, CASE_SET);
    LAUNCH(io, mpm_p2g, t.max_blocks, &t.step->blocks, &a);
    const real *sums = sum_at_nodes(io, &t, a.sums, DIM + 1);
    case_out(io, "tile sums", CASE_REAL, 1, t.max_blocks * TILE_NODES * QUAD, a.sums);
    case_out(io, "node sums", CASE_FIELD, DIM + 1, t.nodes, sums);
    plain_p2g(io, &a, sums, t.nodes);
    if (!case_adjoint(io)) return;
    mpm_p2g_adj_args b;
    memset(&b, 0, sizeof b);
    b.s = t.s;
    b.matter = t.matter;
    b.l = t.l;
    b.step = t.step;
    b.box = t.box;
    b.nodes = t.nodes;
    b.node_bar = FIELD_COTANGENT(io, "node sums");
    b.bar = sample_new_state(io, t.n, CASE_ADDED);
    b.adds_motion = kind > P2G_LAWS;
    if (!b.adds_motion) {
        b.bar.velocity = NEW_FIELD(io, DIM, t.n, CASE_SET);
        b.bar.C = NEW_FIELD(io, DIM * DIM, t.n, CASE_SET);
    }
    new_matter_bars(io, t.n, &b);
    if (plastic) new_yield_bars(io, t.n, &b.bar, &b.yield_bar, CASE_ADDED);
    if (kind == P2G_LANES)
        LAUNCH(io, mpm_p2g_adj, t.max_blocks, &t.step->blocks, &b);
    else
        LAUNCH(io, mpm_p2g_rest_adj, t.max_blocks, &t.step->blocks, &b);
    case_gradient(io, "offset", CASE_FIELD, DIM, t.n, b.bar.offset);
    case_gradient(io, "velocity", CASE_FIELD, DIM, t.n, b.bar.velocity);
    case_gradient(io, "C", CASE_FIELD, DIM * DIM, t.n, b.bar.C);
    case_gradient(io, "F", CASE_FIELD, DIM * DIM, t.n, b.bar.F);
    case_gradient(io, "J", CASE_FIELD, 1, t.n, b.bar.J);
    case_gradient(io, "mass", CASE_FIELD, 1, t.n, b.mass_bar);
    for (int c = 0; c < PIO_LAW_CONSTANTS; c++)
        case_gradient_of(io, constant_names[0][c], CASE_REAL, 1, t.n, case_components(b.k_bar, PIO_LAW_CONSTANTS, c));
    if (fibres) sum_contributions(io, &t, b.activation_bar);
    if (viscous) case_gradient(io, "viscosity of solids", CASE_FIELD, 1, t.n, b.viscosity_bar);
    if (plastic) yield_gradients(io, t.n, 2, &b.bar, b.yield_bar);
}

static void case_mpm_p2g(case_io *io)
{
    p2g_and_adjoint(io, P2G_LANES);
}
#define case_mpm_p2g_adj case_mpm_p2g

static void case_mpm_p2g_rest_adj(case_io *io)
{
    static const char *const names[] = {
        "laws", "laws and fibres", "laws and viscous solids", "laws and plasticity", "laws and viscous plasticity",
        NULL};
    p2g_and_adjoint(io, P2G_LAWS + case_variant(io, names));
}
#define case_mpm_node_sum case_mpm_p2g

/* ---- grid: gravity as a design, mpm_grid; mpm_grid_adj, mpm_gravity_sum ----------------------------------- */

enum { GRID_WALLS, GRID_OTHER_WALLS, GRID_ANY_NODES, GRID_CORNERS, GRID_NARROW, GRID_NARROWER };

/* Walls of the last variants: corners in which several axes mirror; then faces so near to each other that a node has
 * ghosts on both sides (2), that each is the other's mirror (1), that both are next to the nodes between (3). */
static mpm_box grid_box(const case_io *io, int variant)
{
    static const int wall[3][3][2] = {
        {{PIO_WALL_STICKY, PIO_WALL_SLIP}, {PIO_WALL_SLIP, PIO_WALL_STICKY}, {PIO_WALL_STICKY, PIO_WALL_SLIP}},
        {{PIO_WALL_STICKY, PIO_WALL_STICKY}, {PIO_WALL_SLIP, PIO_WALL_SEPARATE}, {PIO_WALL_SLIP, PIO_WALL_SLIP}},
        {{PIO_WALL_SLIP, PIO_WALL_SLIP}, {PIO_WALL_STICKY, PIO_WALL_SLIP}, {PIO_WALL_SEPARATE, PIO_WALL_STICKY}}};
    static const int apart[2][3] = {{2, 3, 4}, {1, 2, 3}};
    mpm_box box = sample_box(io, variant == GRID_OTHER_WALLS);
    if (variant < GRID_CORNERS) return box;
    for (int a = 0; a < DIM; a++) {
        for (int side = 0; side < 2; side++) box.wall[a][side] = wall[variant - GRID_CORNERS][a][side];
        if (variant >= GRID_NARROW) box.face[a][1] = box.face[a][0] + apart[variant - GRID_NARROW][a];
    }
    return box;
}

/* Whether a number is that of a node of the grid, and not beyond it in the last block of an axis. */
static int in_grid(const mpm_box *box, int node)
{
    int index[DIM], inside = 1;
    node_index(box, node, index);
    for (int a = 0; a < DIM; a++) inside = inside && index[a] < box->nodes[a];
    return inside;
}

/* Instead of the lists of a sort: two of three nodes are active, whatever their neighbours are, so that any of the
 * nodes that mirror each other may be missing. */
static void sample_any_nodes(case_io *io, sample *t)
{
    uint64_t *active = HOST(io, uint64_t, t->nodes / BLOCK_NODES);
    int *list = HOST(io, int, t->nodes), nodes = 0;
    mpm_step *step = HOST(io, mpm_step, 1);
    for (int i = 0; i < t->nodes; i++) {
        if (!in_grid(&t->box, i) || !(case_unit("active", i) < 2.0 / 3)) continue;
        list[nodes++] = i;
        active[i / BLOCK_NODES] |= UINT64_C(1) << i % BLOCK_NODES;
    }
    step->index = 41;
    step->fault = FAULT_NONE;
    step->nodes = nodes;
    step->h = R(0.004);
    step->wall_friction_velocity = R(0.3);
    t->step = PUSH(io, mpm_step, step, 1);
    memset(&t->l, 0, sizeof t->l);
    t->l.active = PUSH(io, uint64_t, active, t->nodes / BLOCK_NODES);
    t->l.node_list = PUSH(io, int, list, t->nodes);
}

/* Masses of any size, some nodes without; a velocity of either sign at every wall. */
static const real *grid_sums(case_io *io, int nodes)
{
    case_array *mass = case_uniform(io, CASE_INPUT, "node mass", 1, nodes, 0.01, 0.2);
    case_array *momentum = case_uniform(io, CASE_INPUT, "node momentum", DIM, nodes, -0.2, 0.2);
    for (int i = 0; i < nodes; i++) {
        if (i % 19 == 3) mass->value[i] = 0;
        for (int c = 0; c < DIM; c++) momentum->value[c * nodes + i] *= mass->value[i] > 0 ? 1 : 0;
    }
    real *sums = HOST(io, real, field_size(nodes, DIM + 1));
    const real *m = (const real *)case_pack(io, mass, CASE_REAL), *p = (const real *)case_pack(io, momentum, CASE_REAL);
    for (int i = 0; i < nodes; i++) {
        sums[field_at(nodes, DIM + 1, 0, i)] = m[i];
        for (int c = 0; c < DIM; c++) sums[field_at(nodes, DIM + 1, 1 + c, i)] = p[c * nodes + i];
    }
    return PUSH(io, real, sums, field_size(nodes, DIM + 1));
}

static void case_mpm_grid(case_io *io)
{
    static const char *const names[] = {"walls",   "walls, other kinds",  "walls, any nodes",
                                        "corners", "faces 2 and 3 apart", "faces 1 and 2 apart",
                                        NULL};
    const int variant = case_variant(io, names);
    sample t;
    t.box = grid_box(io, variant);
    sample_particles(io, &t);
    t.s.id = PUSH(io, int, t.id, t.n);
    t.s.cell = PUSH(io, int, t.cell, t.n);
    if (variant < GRID_ANY_NODES) {
        sample_step(io, &t);
        sample_lists(io, &t);
    } else {
        sample_any_nodes(io, &t);
    }
    design_gravity_args g;
    g.step = t.step;
    g.first = 0;
    g.components = DIM;
    g.value = WIDES(io, "gravity", DIM, 1, -10, 10);
    LAUNCH(io, design_gravity, 1, NULL, &g);
    mpm_grid_args a;
    a.l = t.l;
    a.step = t.step;
    a.box = t.box;
    a.nodes = t.nodes;
    a.sums = grid_sums(io, t.nodes);
    a.velocity = NEW_FIELD(io, DIM, t.nodes, CASE_SET);
    LAUNCH(io, mpm_grid, t.nodes, &t.step->nodes, &a);
    case_out(io, "gravity set", CASE_REAL, DIM, 1, t.step->gravity);
    case_out(io, "node velocity", CASE_FIELD, DIM, t.nodes, a.velocity);
    if (!case_adjoint(io)) return;
    mpm_grid_adj_args b;
    b.fwd = a;
    b.velocity_bar = FIELD_COTANGENT(io, "node velocity");
    b.node_bar = NEW_FIELD(io, DIM + 1, t.nodes, CASE_SET);
    LAUNCH(io, mpm_grid_adj, t.nodes, &t.step->nodes, &b);
    wide *term = NEW(io, wide, DIM, CASE_SET), *total = NEW(io, wide, DIM, CASE_ADDED);
    for (int c = 0; c < DIM; c++) {
        mpm_gravity_sum_args s;
        s.l = t.l;
        s.step = t.step;
        s.nodes = t.nodes;
        s.component = c;
        s.sums = a.sums;
        s.node_bar = b.node_bar;
        LAUNCH_SUM(io, mpm_gravity_sum, t.nodes, &t.step->nodes, &s, term + c);
        add_scalar_args add;
        add.term = term + c;
        add.total = total + c;
        LAUNCH(io, add_scalar, 1, NULL, &add);
    }
    case_gradient_of(io, "node mass", CASE_REAL, 1, t.nodes, case_components(b.node_bar, DIM + 1, 0));
    case_gradient_of(io, "node momentum", CASE_REAL, DIM, t.nodes, case_components(b.node_bar, DIM + 1, 1));
    case_gradient(io, "gravity", CASE_WIDE, DIM, 1, total);
}
#define case_mpm_grid_adj case_mpm_grid
#define case_mpm_gravity_sum case_mpm_grid
#define case_design_gravity case_mpm_grid
#define case_add_scalar case_mpm_grid

/* ---- grid to particles: mpm_g2p against mpm_g2p_adj and mpm_node_sum --------------------------------------- */

static void case_mpm_g2p(case_io *io)
{
    static const char *const names[] = {"a step", "faults", NULL};
    const int faults = case_variant(io, names);
    sample t = sample_mpm(io, CASE_CONSTANT);
    case_array *velocity = case_uniform(io, CASE_INPUT, "node velocity", DIM, t.nodes, -1.5, 1.5);
    if (faults) { /* too fast, inside out, out of the grid and, at one node, not a number */
        for (int i = 0; i < DIM * t.nodes; i++) velocity->value[i] *= i % 5 == 0 ? 40 : 3;
        velocity->value[t.cell[t.n / 2]] = (double)NAN;
    }
    mpm_g2p_args a;
    a.s = t.s;
    a.matter = t.matter;
    a.l = t.l;
    a.step = t.step;
    a.box = t.box;
    a.nodes = t.nodes;
    a.velocity = (real *)case_upload(io, velocity, CASE_FIELD);
    a.next = sample_new_state(io, t.n, CASE_SET);
    LAUNCH(io, mpm_g2p, t.max_blocks, &t.step->blocks, &a);
    sample_out_state(io, &a.next, t.n);
    case_out(io, "fault", CASE_INT64, 1, 1, &t.step->fault);
    case_expect(io, (case_find(io, CASE_OUTPUT, "fault")->value[0] >= 0) == faults,
                "a fault where there is one, and only there");
    if (faults) return;
    plain_g2p(io, &a);
    if (!case_adjoint(io)) return;
    mpm_g2p_adj_args b;
    b.s = t.s;
    b.matter = t.matter;
    b.l = t.l;
    b.step = t.step;
    b.box = t.box;
    b.nodes = t.nodes;
    b.velocity = a.velocity;
    b.next_bar = a.next;
    b.next_bar.offset = FIELD_COTANGENT(io, "next offset");
    b.next_bar.velocity = FIELD_COTANGENT(io, "next velocity");
    b.next_bar.C = FIELD_COTANGENT(io, "next C");
    b.next_bar.F = FIELD_COTANGENT(io, "next F");
    b.next_bar.J = FIELD_COTANGENT(io, "next J");
    b.bar = sample_new_state(io, t.n, CASE_SET);
    b.clears_motion = 1;
    b.sums = NEW(io, real, t.max_blocks * TILE_NODES * QUAD, CASE_SET);
    LAUNCH(io, mpm_g2p_adj, t.max_blocks, &t.step->blocks, &b);
    const real *velocity_bar = sum_at_nodes(io, &t, b.sums, DIM);
    plain_g2p_adj(io, &b, velocity_bar, t.nodes);
    case_no_influence(io, "velocity"); /* they reach the end of the step through the grid only */
    case_no_influence(io, "C");
    case_gradient(io, "offset", CASE_FIELD, DIM, t.n, b.bar.offset);
    case_gradient(io, "velocity", CASE_FIELD, DIM, t.n, b.bar.velocity);
    case_gradient(io, "C", CASE_FIELD, DIM * DIM, t.n, b.bar.C);
    case_gradient(io, "F", CASE_FIELD, DIM * DIM, t.n, b.bar.F);
    case_gradient(io, "J", CASE_FIELD, 1, t.n, b.bar.J);
    case_gradient(io, "node velocity", CASE_FIELD, DIM, t.nodes, velocity_bar);
}
#define case_mpm_g2p_adj case_mpm_g2p

/* ---- the step block -------------------------------------------------------------------------------------- */

static void case_mpm_advance(case_io *io)
{
    static const char *const names[] = {"no fault", "a fault", NULL};
    const int fault = case_variant(io, names);
    mpm_step *host = HOST(io, mpm_step, 1);
    host->index = 5;
    host->fault = fault ? fault_key(5, 77, FAULT_CFL) : FAULT_NONE;
    host->particles = host->blocks = host->nodes = 9;
    mpm_step *step = PUSH(io, mpm_step, host, 1);
    mpm_advance_args a;
    a.step = step;
    LAUNCH(io, mpm_advance, 1, NULL, &a);
    case_out(io, "index", CASE_INT64, 1, 1, &step->index);
    case_out(io, "particles", CASE_INT, 1, 1, &step->particles);
    case_out(io, "blocks", CASE_INT, 1, 1, &step->blocks);
    case_out(io, "nodes", CASE_INT, 1, 1, &step->nodes);
    mpm_set_index_args b;
    b.step = step;
    b.index = (int64_t)1 << 40;
    LAUNCH(io, mpm_set_index, 1, NULL, &b);
    case_out(io, "index set", CASE_INT64, 1, 1, &step->index);
}
#define case_mpm_set_index case_mpm_advance

#endif
