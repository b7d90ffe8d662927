/* kernel_cases_obstacle.h -- sample obstacles for the cases of what they act on: shapes, parameters, motions. Case
 * text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_OBSTACLE_H
#define PIOLA_TESTS_KERNEL_CASES_OBSTACLE_H

#include "kernels/backend/table.h"
#include "kernels/contact/contact_pose.h"
#include "tests/kernels/base/kernel_cases.h"

#include <math.h>

enum { CASE_OBSTACLES = 6, MESH_POINTS = 20 };

/* In a large run there are as many poses as take threads; the first of them act. */
static int obstacle_poses(const case_io *io)
{
    return io->large ? 4500 : CASE_OBSTACLES;
}

/* One of each shape and a second ball, of every behaviour, in the middle of the box; their reaches overlap. */
static obstacle_shape *obstacle_shapes(case_io *io)
{
    static const int type[CASE_OBSTACLES] = {PIO_PLANE, PIO_BALL,       PIO_BOX, DIM == 3 ? PIO_CYLINDER : PIO_BOX,
                                             PIO_BALL,  PIO_CLOSED_MESH};
    static const int behaviour[CASE_OBSTACLES] = {PIO_WALL_SLIP, PIO_WALL_SEPARATE, PIO_WALL_SEPARATE,
                                                  PIO_WALL_SLIP, PIO_WALL_STICKY,   PIO_WALL_SEPARATE};
    obstacle_shape *shape = HOST(io, obstacle_shape, CASE_OBSTACLES);
    for (int o = 0; o < CASE_OBSTACLES; o++) {
        shape[o].type = type[o];
        shape[o].behaviour = behaviour[o];
        shape[o].model = PIO_CONTACT_GRID;
        shape[o].axis = 1;
        shape[o].normal[DIM - 1] = R(0.8);
        shape[o].normal[0] = R(o == 0 ? 0.6 : -0.6);
        for (int a = 0; a < DIM; a++) shape[o].half[a] = R(0.05 + 0.02 * a);
        shape[o].radius = R(0.06);
        shape[o].height = R(0.05);
        shape[o].full = R(o % 2 ? 0.01 : -0.04);
        shape[o].width = R(o == 2 ? 0.2 : 0.12);
        shape[o].first = 7; /* of the coefficients below */
        shape[o].spacing = R(0.02);
        shape[o].deepest = R(0.05);
        shape[o].scale = R(1.25);
        for (int a = 0; a < DIM; a++) {
            shape[o].count[a] = MESH_POINTS + a;
            shape[o].low[a] = R(-0.01 * MESH_POINTS);
        }
    }
    return shape;
}

static const obstacle_shape *obstacle_sample(case_io *io)
{
    return PUSH(io, obstacle_shape, obstacle_shapes(io), CASE_OBSTACLES);
}

/* A lattice of numbers like distances: those of an ellipse, and something on top. */
static const real *obstacle_coefficients(case_io *io)
{
    const int count[3] = {MESH_POINTS, MESH_POINTS + 1, DIM == 3 ? MESH_POINTS + 2 : 1};
    const int n = count[0] * count[1] * count[2];
    real *c = HOST(io, real, 7 + n);
    for (int i = 0; i < n; i++) {
        const int k[3] = {i / (count[1] * count[2]), i / count[2] % count[1], i % count[2]};
        double square = 0;
        for (int a = 0; a < DIM; a++) square += pow((1 + 0.2 * a) * 0.02 * (k[a] - 0.5 * MESH_POINTS), 2);
        c[7 + i] = R(sqrt(square) - 0.08 + 0.004 * case_unit("bump", i));
    }
    return PUSH(io, real, c, 7 + n);
}

/* Parameters in one array, each kind an input of its own, those of potentials of the role `potential`: rotations small
 * and large, one of none. The places are within a box from `low` on of so many cells, of this spacing in m. */
static wide *obstacle_parameters(case_io *io, const double low[DIM], double spacing, const int cells[DIM],
                                 case_role potential)
{
    enum { GRIP = OBSTACLE_VELOCITY - OBSTACLE_FRICTION };
    const int n = obstacle_poses(io);
    const double start = potential == CASE_INPUT ? 0.4 : 0.05; /* impulses of potentials are larger */
    case_array *place = case_uniform(io, CASE_INPUT, "place", DIM, n, 0.35, 0.65);
    case_array *turn = case_uniform(io, CASE_INPUT, "rotation", OBSTACLE_TURNS, n, -1.5, 1.5);
    const case_array *grip[GRIP] = {case_uniform(io, CASE_INPUT, "friction", 1, n, 0.1, 0.8),
                                    case_uniform(io, CASE_INPUT, "friction velocity", 1, n, start, 4 * start),
                                    case_uniform(io, CASE_INPUT, "separation velocity", 1, n, 0.2, 0.4),
                                    case_uniform(io, potential, "stiffness", 1, n, 5e3, 2e4),
                                    case_uniform(io, potential, "distance", 1, n, 0.01, 0.03),
                                    case_uniform(io, CASE_INPUT, "scale", 1, n, 1.1, 1.4)};
    wide *all = HOST(io, wide, field_size(n, OBSTACLE_PARAMETERS));
    for (int a = 0; a < DIM; a++)
        for (int o = 0; o < n; o++) {
            double *x = &place->value[a * n + o];
            *x = low[a] + *x * cells[a] * spacing;
        }
    for (int a = 0; a < OBSTACLE_TURNS; a++) {
        turn->value[a * n] *= 1e-3;
        turn->value[a * n + 3] = 0;
    }
    const wide *c = (const wide *)case_pack(io, place, CASE_WIDE), *r = (const wide *)case_pack(io, turn, CASE_WIDE);
    const wide *packed[GRIP];
    for (int k = 0; k < GRIP; k++) packed[k] = (const wide *)case_pack(io, grip[k], CASE_WIDE);
    for (int o = 0; o < n; o++) {
        for (int a = 0; a < DIM; a++) all[obstacle_at(n, a, o)] = c[a * n + o];
        for (int a = 0; a < OBSTACLE_TURNS; a++) all[obstacle_at(n, OBSTACLE_ROTATION + a, o)] = r[a * n + o];
        for (int k = 0; k < GRIP; k++) all[obstacle_at(n, OBSTACLE_FRICTION + k, o)] = packed[k][o];
    }
    return PUSH(io, wide, all, field_size(n, OBSTACLE_PARAMETERS));
}

/* The gradients of obstacle_parameters; those of potentials where they are inputs. */
static void obstacle_parameter_gradients(case_io *io, int n, const wide *bar, case_role potential)
{
    static const char *const names[] = {"friction",  "friction velocity", "separation velocity",
                                        "stiffness", "distance",          "scale"};
    case_gradient_of(io, "place", CASE_WIDE, DIM, n, case_components(bar, OBSTACLE_PARAMETERS, 0));
    case_gradient_of(io, "rotation", CASE_WIDE, OBSTACLE_TURNS, n,
                     case_components(bar, OBSTACLE_PARAMETERS, OBSTACLE_ROTATION));
    for (int k = OBSTACLE_FRICTION; k < OBSTACLE_VELOCITY; k++)
        if (potential == CASE_INPUT || k < OBSTACLE_STIFFNESS || k == OBSTACLE_SCALE)
            case_gradient_of(io, names[k - OBSTACLE_FRICTION], CASE_WIDE, 1, n,
                             case_components(bar, OBSTACLE_PARAMETERS, k));
}

/* Still ones; or three points of a motion for every second, in the midst of which the step lies. Motions are inputs,
 * but for their times, which have no derivative. */
static void obstacle_motion(case_io *io, contact_pose_args *a, int moving)
{
    const int n = a->obstacles;
    int *start = HOST(io, int, n + 1);
    double *axis = HOST(io, double, 3 * n);
    case_array *motion =
        case_uniform(io, moving ? CASE_INPUT : CASE_CONSTANT, "motion", 1, 3 * n * MOTION_NUMBERS, 0, 0.1);
    for (int o = 0; o < n; o++) {
        start[o + 1] = start[o] + (moving && o % 2 == 0 ? 3 : 0);
        axis[3 * o] = 0.48;
        axis[3 * o + 1] = -0.6;
        axis[3 * o + 2] = 0.64;
        for (int k = start[o]; k < start[o + 1]; k++)
            for (int c = 0; c < MOTION_NUMBERS; c++)
                motion->value[k * MOTION_NUMBERS + c] = c == MOTION_TIME    ? 0.1 * (k - start[o])
                                                        : c == MOTION_ANGLE ? 4 * case_unit("angle", k)
                                                                            : 0.1 * case_unit("shift", 3 * k + c);
    }
    a->motion_start = PUSH(io, int, start, n + 1);
    a->motion = (const wide *)case_upload(io, motion, CASE_WIDE);
    a->axis = PUSH(io, double, axis, 3 * n);
}

/* The adjoint of contact_pose, and the gradients of motions where there are any. */
static const wide *obstacle_pose_gradients(case_io *io, const contact_pose_args *pose, const wide *pose_bar, int moving)
{
    const int n = pose->obstacles, numbers = 3 * n * MOTION_NUMBERS;
    contact_pose_adj_args p;
    p.fwd = *pose;
    p.pose_bar = pose_bar;
    p.parameters_bar = NEW(io, wide, field_size(n, OBSTACLE_PARAMETERS), CASE_ADDED);
    p.motion_bar = moving ? NEW(io, wide, numbers, CASE_ADDED) : NULL;
    LAUNCH(io, contact_pose_adj, n, NULL, &p);
    if (moving) case_gradient(io, "motion", CASE_WIDE, 1, numbers, p.motion_bar);
    return p.parameters_bar;
}

#endif
