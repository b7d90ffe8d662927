/* kernel_cases_mpm_obstacle.h -- the case of obstacles: from their parameters by their poses to the grid's velocities.
 * Case text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_MPM_OBSTACLE_H
#define PIOLA_TESTS_KERNEL_CASES_MPM_OBSTACLE_H

#include "kernels/mpm/mpm_obstacle.h"
#include "tests/kernels/contact/kernel_cases_obstacle.h"
#include "tests/kernels/mpm/kernel_cases_mpm.h"

static void obstacle_gradients(case_io *io, const contact_pose_args *pose, const mpm_obstacle_args *a,
                               const mpm_step *step, int moving)
{
    const int n = pose->obstacles;
    mpm_obstacle_adj_args b;
    wide *pose_bar = NEW(io, wide, field_size(n, OBSTACLE_PARAMETERS), CASE_ZERO);
    b.fwd = *a;
    b.velocity_bar = FIELD_COTANGENT(io, "velocity after");
    b.contribution = NEW_FIELD(io, OBSTACLE_PARAMETERS, a->nodes, CASE_SET);
    b.place_bar = NEW_FIELD(io, DIM, a->nodes, CASE_SET);
    b.push_bar = NULL;
    for (int o = CASE_OBSTACLES - 1; o >= 0; o--) {
        b.obstacle = o;
        LAUNCH(io, mpm_obstacle_adj, a->nodes, &step->nodes, &b);
        for (int k = 0; k < OBSTACLE_PARAMETERS; k++) {
            field_sum_args s;
            s.n = a->nodes;
            s.components = OBSTACLE_PARAMETERS;
            s.component = k;
            s.in = b.contribution;
            LAUNCH_SUM(io, field_sum, a->nodes, &step->nodes, &s, pose_bar + obstacle_at(n, k, o));
        }
    }
    const wide *parameters_bar = obstacle_pose_gradients(io, pose, pose_bar, moving);
    mpm_quotient_adj_args e;
    e.l = a->l;
    e.nodes = a->nodes;
    e.sums = a->sums;
    e.y = a->moment;
    e.y_bar = b.place_bar;
    e.node_bar = NEW_FIELD(io, DIM + 1, a->nodes, CASE_ADDED);
    LAUNCH(io, mpm_quotient_adj, a->nodes, &step->nodes, &e);
    case_gradient(io, "moment", CASE_FIELD, DIM, a->nodes, e.y_bar);
    case_gradient_of(io, "node mass", CASE_FIELD, 1, a->nodes, case_components(e.node_bar, DIM + 1, 0));
    case_gradient(io, "velocity before", CASE_FIELD, DIM, a->nodes, b.velocity_bar);
    obstacle_parameter_gradients(io, n, parameters_bar, CASE_CONSTANT);
}

/* Sorted particles of so many velocity fields, of which nothing is read but where they are. */
static sample sorted_sample_of(case_io *io, int fields)
{
    sample t;
    t.box = sample_box(io, 0);
    t.box.fields = fields;
    sample_particles(io, &t);
    t.s.id = PUSH(io, int, t.id, t.n);
    t.s.cell = PUSH(io, int, t.cell, t.n);
    sample_step(io, &t);
    sample_lists(io, &t);
    return t;
}

static sample sorted_sample(case_io *io)
{
    return sorted_sample_of(io, 1);
}

static void case_mpm_centroid(case_io *io)
{
    sample t = sorted_sample(io);
    mpm_centroid_args a;
    t.s.offset = (real *)case_upload(io, sample_offset(io, &t), CASE_FIELD);
    memset(&t.matter, 0, sizeof t.matter);
    t.matter.n = t.n;
    t.matter.mass = REALS(io, "particle mass", 1, t.n, 0.01, 0.02);
    a.s = t.s;
    a.matter = t.matter;
    a.l = t.l;
    a.box = t.box;
    a.sums = NEW(io, real, t.max_blocks * TILE_NODES * QUAD, CASE_SET);
    LAUNCH(io, mpm_centroid, t.max_blocks, &t.step->blocks, &a);
    case_out(io, "moment", CASE_FIELD, DIM, t.nodes, sum_at_nodes(io, &t, a.sums, DIM));
    if (!case_adjoint(io)) return;
    mpm_centroid_adj_args b;
    b.fwd = a;
    b.nodes = t.nodes;
    b.moment_bar = FIELD_COTANGENT(io, "moment");
    b.bar = sample_new_state(io, t.n, CASE_ADDED);
    b.mass_bar = NEW_FIELD(io, 1, t.n, CASE_ADDED);
    LAUNCH(io, mpm_centroid_adj, t.max_blocks, &t.step->blocks, &b);
    case_gradient(io, "offset", CASE_FIELD, DIM, t.n, b.bar.offset);
    case_gradient(io, "particle mass", CASE_FIELD, 1, t.n, b.mass_bar);
}
#define case_mpm_centroid_adj case_mpm_centroid

/* Counts fall as the least bend that counts grows, and where nothing changes there are none. */
static void obstacle_bends(case_io *io, const sample *t, mpm_obstacle_args a)
{
    static const double least[] = {0.01, 0.3, 30};
    mpm_obstacle_bends_args b;
    mpm_wall_bends_args w;
    b.fwd = a;
    b.step = w.fwd.step = t->step;
    b.momentum = w.momentum = CONSTANTS(io, "momentum without forces", DIM, t->nodes, -0.05, 0.05);
    b.fraction = w.fraction = R(0.1);
    w.fwd.l = t->l;
    w.fwd.box = t->box;
    w.fwd.nodes = t->nodes;
    w.fwd.sums = a.sums;
    w.fwd.velocity = NULL;
    wide *count[4];
    for (int k = 0; k < 4; k++) count[k] = NEW(io, wide, 1, CASE_SET);
    for (int k = 0; k < 3; k++) {
        b.least = R(least[k]);
        LAUNCH_SUM(io, mpm_obstacle_bends, t->nodes, &t->step->nodes, &b, count[k]);
    }
    LAUNCH_SUM(io, mpm_wall_bends, t->nodes, &t->step->nodes, &w, count[3]);
    case_out(io, "bends, any", CASE_WIDE, 1, 1, count[0]);
    case_out(io, "bends", CASE_WIDE, 1, 1, count[1]);
    case_out(io, "bends, steep", CASE_WIDE, 1, 1, count[2]);
    case_out(io, "bends of walls", CASE_WIDE, 1, 1, count[3]);
    const double any = case_find(io, CASE_OUTPUT, "bends, any")->value[0],
                 some = case_find(io, CASE_OUTPUT, "bends")->value[0],
                 steep = case_find(io, CASE_OUTPUT, "bends, steep")->value[0];
    case_expect(io, any > some && some > steep && steep >= 0, "fewer nodes are near sharper bends");
}

static void case_mpm_obstacle(case_io *io)
{
    static const char *const names[] = {"still", "moving", NULL};
    const int moving = case_variant(io, names);
    const sample t = sorted_sample(io);
    contact_pose_args p;
    mpm_obstacle_args a;
    p.obstacles = obstacle_poses(io);
    p.index = &t.step->index;
    p.dt = 0.004;
    p.at = p.from = 0;
    p.to = 1;
    p.parameters = obstacle_parameters(io, t.box.origin, 0.0437, t.box.nodes, CASE_CONSTANT);
    p.pose = PUSH(io, obstacle_pose, HOST(io, obstacle_pose, p.obstacles), p.obstacles);
    obstacle_motion(io, &p, moving);
    LAUNCH(io, contact_pose, p.obstacles, NULL, &p);
    a.l = t.l;
    a.box = t.box;
    a.nodes = t.nodes;
    a.obstacles = CASE_OBSTACLES;
    a.shape = obstacle_sample(io);
    a.pose = p.pose;
    a.coefficients = obstacle_coefficients(io);
    a.sums = node_masses(io, t.nodes, 0.01, 0.2);
    a.push_number = NULL;
    a.push = NULL;
    a.moment = REALS(io, "moment", DIM, t.nodes, -0.00025, 0.00025);
    a.before = NEW_FIELD(io, DIM, t.nodes, CASE_SET);
    a.velocity = REALS(io, "velocity before", DIM, t.nodes, -1, 1);
    LAUNCH(io, mpm_obstacle, t.nodes, &t.step->nodes, &a);
    mpm_obstacle_kinks_args k;
    k.fwd = a;
    k.limit = R(1);
    wide *kinks = NEW(io, wide, 1, CASE_SET);
    LAUNCH_SUM(io, mpm_obstacle_kinks, t.nodes, &t.step->nodes, &k, kinks);
    obstacle_bends(io, &t, a);
    case_out(io, "velocity after", CASE_FIELD, DIM, t.nodes, a.velocity);
    case_out(io, "kinks", CASE_WIDE, 1, 1, kinks);
    case_expect(io, case_find(io, CASE_OUTPUT, "kinks")->value[0] >= 1, "some node is near the edge of a contact");
    if (case_adjoint(io)) obstacle_gradients(io, &p, &a, t.step, moving);
}
#define case_contact_pose case_mpm_obstacle
#define case_contact_pose_adj case_mpm_obstacle
#define case_mpm_obstacle_adj case_mpm_obstacle
#define case_mpm_obstacle_kinks case_mpm_obstacle
#define case_mpm_obstacle_bends case_mpm_obstacle
#define case_mpm_wall_bends case_mpm_obstacle

#endif
