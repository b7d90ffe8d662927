/* kernel_cases_push.h -- the case of obstacles with a potential: from their parameters and the places of particles to
 * velocities of the grid. Case text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_PUSH_H
#define PIOLA_TESTS_KERNEL_CASES_PUSH_H

#include "kernels/mpm/mpm_obstacle.h"
#include "tests/kernels/mpm/kernel_cases_mpm_obstacle.h"

/* The launches of the case. */
typedef struct {
    contact_pose_args pose;
    mpm_push_args push; /* of the first obstacle */
    mpm_push_add_args add;
    mpm_grid_args grid;
    mpm_obstacle_args rub;
} push_case;

/* The sample obstacles, all with a potential; each has a field of impulses, the last one the first. */
static void push_obstacles(case_io *io, push_case *c, const sample *t, int moving)
{
    obstacle_shape *shape = obstacle_shapes(io);
    int *number = HOST(io, int, CASE_OBSTACLES);
    for (int o = 0; o < CASE_OBSTACLES; o++) {
        shape[o].model = PIO_CONTACT_POTENTIAL;
        number[o] = CASE_OBSTACLES - 1 - o;
    }
    c->pose.obstacles = obstacle_poses(io);
    c->pose.index = &t->step->index;
    c->pose.dt = 0.004;
    c->pose.at = c->pose.from = 0;
    c->pose.to = 1;
    c->pose.parameters = obstacle_parameters(io, t->box.origin, 0.0437, t->box.nodes, CASE_INPUT);
    c->pose.pose = PUSH(io, obstacle_pose, HOST(io, obstacle_pose, c->pose.obstacles), c->pose.obstacles);
    obstacle_motion(io, &c->pose, moving);
    c->rub.shape = PUSH(io, obstacle_shape, shape, CASE_OBSTACLES);
    c->rub.push_number = PUSH(io, int, number, CASE_OBSTACLES);
    c->rub.coefficients = obstacle_coefficients(io);
}

/* Mass and momentum, each an input. */
static const real *push_sums(case_io *io, int nodes)
{
    case_array *mass = case_uniform(io, CASE_INPUT, "node mass", 1, nodes, 0.05, 0.2);
    case_array *momentum = case_uniform(io, CASE_INPUT, "node momentum", DIM, nodes, -0.1, 0.1);
    for (int i = 3; i < nodes; i += 19) mass->value[i] = 0;
    const real *m = (const real *)case_pack(io, mass, CASE_REAL), *p = (const real *)case_pack(io, momentum, CASE_REAL);
    real *sums = HOST(io, real, field_size(nodes, DIM + 1));
    for (int i = 0; i < nodes; i++) {
        sums[field_at(nodes, DIM + 1, 0, i)] = m[i];
        for (int a = 0; a < DIM; a++) sums[field_at(nodes, DIM + 1, 1 + a, i)] = p[a * nodes + i];
    }
    return PUSH(io, real, sums, field_size(nodes, DIM + 1));
}

/* As mpm_push_args, of the impulses or the levers of obstacle o. */
static mpm_push_args push_of_obstacle(const push_case *c, int o, int lever)
{
    mpm_push_args a = c->push;
    a.lever = lever;
    a.shape = c->rub.shape + o;
    a.pose = c->pose.pose + o;
    return a;
}

/* The adjoint of mpm_push of all obstacles: adds to the cotangents of poses, and returns those of offsets. */
static const real *push_particle_gradients(case_io *io, const sample *t, const push_case *c, const real *push_bar,
                                           wide *pose_bar)
{
    const int n = c->pose.obstacles;
    wide *term = NEW(io, wide, 1, CASE_SET);
    mpm_push_adj_args e;
    e.nodes = t->nodes;
    e.offset_bar = NEW_FIELD(io, DIM, t->n, CASE_ADDED);
    e.force_bar = NEW_FIELD(io, DIM, t->n, CASE_SET);
    e.direction_bar = NEW_FIELD(io, DIM, t->n, CASE_SET);
    for (int o = 0; o < CASE_OBSTACLES; o++) {
        mpm_push_sum_args s;
        e.fwd = s.fwd = push_of_obstacle(c, o, 0);
        e.push_bar = push_bar + push_field(t->nodes, CASE_OBSTACLES - 1 - o);
        e.lever_bar = e.push_bar + push_field(t->nodes, CASE_OBSTACLES);
        LAUNCH(io, mpm_push_adj, t->max_blocks, &t->step->blocks, &e);
        s.force_bar = e.force_bar;
        s.direction_bar = e.direction_bar;
        for (s.component = 0; s.component < OBSTACLE_PARAMETERS; s.component++) {
            add_scalar_args total;
            if (s.component >= OBSTACLE_FRICTION && s.component < OBSTACLE_STIFFNESS) continue;
            if (s.component >= OBSTACLE_VELOCITY) break;
            LAUNCH_SUM(io, mpm_push_sum, t->n, &t->step->particles, &s, term);
            total.term = term;
            total.total = pose_bar + obstacle_at(n, s.component, o);
            LAUNCH(io, add_scalar, 1, NULL, &total);
        }
    }
    return e.offset_bar;
}

static void push_gradients(case_io *io, const sample *t, const push_case *c, int moving)
{
    const int n = c->pose.obstacles, nodes = t->nodes;
    wide *pose_bar = NEW(io, wide, field_size(n, OBSTACLE_PARAMETERS), CASE_ZERO);
    mpm_obstacle_adj_args b;
    mpm_grid_adj_args g;
    mpm_push_add_adj_args d;
    g.fwd = c->grid;
    g.velocity_bar = FIELD_COTANGENT(io, "grid velocity");
    g.node_bar = NEW_FIELD(io, DIM + 1, nodes, CASE_SET);
    LAUNCH(io, mpm_grid_adj, nodes, &t->step->nodes, &g);
    b.fwd = c->rub;
    b.velocity_bar = FIELD_COTANGENT(io, "velocity after");
    b.contribution = NEW_FIELD(io, OBSTACLE_PARAMETERS, nodes, CASE_SET);
    b.place_bar = NULL;
    b.push_bar = NEW(io, real, push_field(nodes, 2 * CASE_OBSTACLES), CASE_ZERO); /* 0 of levers */
    for (int o = CASE_OBSTACLES - 1; o >= 0; o--) {
        b.obstacle = o;
        LAUNCH(io, mpm_obstacle_adj, nodes, &t->step->nodes, &b);
        for (int k = 0; k < OBSTACLE_PARAMETERS; k++) {
            field_sum_args s;
            s.n = nodes;
            s.components = OBSTACLE_PARAMETERS;
            s.component = k;
            s.in = b.contribution;
            LAUNCH_SUM(io, field_sum, nodes, &t->step->nodes, &s, pose_bar + obstacle_at(n, k, o));
        }
    }
    d.fwd = c->add;
    d.push_bar = b.push_bar;
    d.node_bar = g.node_bar;
    LAUNCH(io, mpm_push_add_adj, nodes, &t->step->nodes, &d);
    const real *offset_bar = push_particle_gradients(io, t, c, b.push_bar, pose_bar);
    const wide *parameters_bar = obstacle_pose_gradients(io, &c->pose, pose_bar, moving);
    case_gradient(io, "offset", CASE_FIELD, DIM, t->n, offset_bar);
    case_gradient_of(io, "node mass", CASE_FIELD, 1, nodes, case_components(d.node_bar, DIM + 1, 0));
    case_gradient_of(io, "node momentum", CASE_FIELD, DIM, nodes, case_components(d.node_bar, DIM + 1, 1));
    case_gradient(io, "velocity before", CASE_FIELD, DIM, nodes, b.velocity_bar);
    obstacle_parameter_gradients(io, n, parameters_bar, CASE_INPUT);
}

/* The impulses of all obstacles at nodes, then their levers. */
static void push_impulses(case_io *io, const sample *t, const push_case *c, real *push)
{
    for (int k = 0; k < 2 * CASE_OBSTACLES; k++) {
        const int o = k % CASE_OBSTACLES, lever = k / CASE_OBSTACLES;
        const mpm_push_args a = push_of_obstacle(c, o, lever);
        mpm_node_sum_args s;
        LAUNCH(io, mpm_push, t->max_blocks, &t->step->blocks, &a);
        s.l = t->l;
        s.box = t->box;
        s.sums = a.sums;
        s.components = DIM;
        s.nodes = t->nodes;
        s.out = push + push_field(t->nodes, lever * CASE_OBSTACLES + CASE_OBSTACLES - 1 - o);
        LAUNCH(io, mpm_node_sum, t->blocks, NULL, &s);
    }
}

static void case_mpm_push(case_io *io)
{
    static const char *const names[] = {"still", "moving", NULL};
    const int moving = case_variant(io, names);
    sample t = sorted_sample(io);
    push_case c;
    memset(&c, 0, sizeof c);
    t.s.offset = (real *)case_upload(io, sample_offset(io, &t), CASE_FIELD);
    t.s.velocity = CONSTANTS(io, "velocity", DIM, t.n, -1, 1);
    push_obstacles(io, &c, &t, moving);
    LAUNCH(io, contact_pose, c.pose.obstacles, NULL, &c.pose);
    real *push = NEW(io, real, push_field(t.nodes, 2 * CASE_OBSTACLES), CASE_SET);
    c.push.s = t.s;
    c.push.n = t.n;
    c.push.radius = CONSTANTS(io, "radius", 1, t.n, 0.01, 0.012);
    c.push.l = t.l;
    c.push.step = t.step;
    c.push.box = t.box;
    c.push.coefficients = c.rub.coefficients;
    c.push.sums = NEW(io, real, t.max_blocks * TILE_NODES * QUAD, CASE_SET);
    push_impulses(io, &t, &c, push);
    c.add.l = t.l;
    c.add.nodes = t.nodes;
    c.add.fields = 2 * CASE_OBSTACLES;
    c.add.push = push;
    c.add.sums = push_sums(io, t.nodes);
    c.add.out = NEW_FIELD(io, DIM + 1, t.nodes, CASE_SET);
    LAUNCH(io, mpm_push_add, t.nodes, &t.step->nodes, &c.add);
    c.grid.l = t.l;
    c.grid.step = t.step;
    c.grid.box = t.box;
    c.grid.nodes = t.nodes;
    c.grid.sums = c.add.out;
    c.grid.velocity = NEW_FIELD(io, DIM, t.nodes, CASE_SET);
    LAUNCH(io, mpm_grid, t.nodes, &t.step->nodes, &c.grid);
    c.rub.l = t.l;
    c.rub.box = t.box;
    c.rub.nodes = t.nodes;
    c.rub.obstacles = CASE_OBSTACLES;
    c.rub.pose = c.pose.pose;
    c.rub.push = push;
    c.rub.sums = c.add.sums;
    c.rub.before = NEW_FIELD(io, DIM, t.nodes, CASE_SET);
    c.rub.velocity = REALS(io, "velocity before", DIM, t.nodes, -1, 1);
    LAUNCH(io, mpm_obstacle, t.nodes, &t.step->nodes, &c.rub);
    case_out(io, "grid velocity", CASE_FIELD, DIM, t.nodes, c.grid.velocity);
    case_out(io, "velocity after", CASE_FIELD, DIM, t.nodes, c.rub.velocity);
    case_expect(io, !plain_compares(io) || t.step->fault % 16 == FAULT_DEPTH, "some particle is too deep");
    case_no_influence(io, "separation velocity");
    if (case_adjoint(io)) push_gradients(io, &t, &c, moving);
}
#define case_mpm_push_adj case_mpm_push
#define case_mpm_push_sum case_mpm_push
#define case_mpm_push_add case_mpm_push
#define case_mpm_push_add_adj case_mpm_push

#endif
