/* mpm_obstacle_case.h -- obstacles for tests of the MPM engine. */
#ifndef PIOLA_TESTS_MPM_OBSTACLE_CASE_H
#define PIOLA_TESTS_MPM_OBSTACLE_CASE_H

#include "tests/solvers/mpm/mpm_taylor.h"

#include <math.h>

enum { D = CASE_DIM, MOST = 6 };

/* An obstacle on the case's list; `up`: the axis along which the plane's normal points. */
static inline pio_obstacle_desc *add_obstacle(mpm_case *c, pio_obstacle_desc list[MOST], pio_shape_type type,
                                              pio_wall behaviour, int up)
{
    pio_obstacle_desc *o = &list[c->desc.n_obstacles++];
    *o = (pio_obstacle_desc){.type = type,
                             .behaviour = behaviour,
                             .width = 1.5 * c->desc.grid.spacing,
                             .friction_velocity = 1e-3,
                             .separation_velocity = 1e-3,
                             .scale = 1};
    o->normal[up] = 1;
    c->desc.obstacles = list;
    return o;
}

/* Makes a mesh of it: the distances from a ball of this radius at the points of a lattice; or, about so, from one that
 * is flat. */
enum { POINTS = 25 };
static double distances[POINTS * POINTS * (D == 3 ? POINTS : 1)];

static inline void mesh_of_ball(pio_obstacle_desc *o, double radius, double reach, double flat)
{
    o->type = PIO_CLOSED_MESH;
    o->distance = distances;
    o->spacing = 2 * (radius + reach) / (POINTS - 5);
    for (int a = 0; a < D; a++) {
        o->samples[a] = POINTS;
        o->low[a] = -o->spacing * (POINTS - 1) / 2;
    }
    for (int i = 0; i < (int)(sizeof distances / sizeof *distances); i++) {
        double square = 0;
        for (int a = D - 1, rest = i; a >= 0; a--, rest /= POINTS)
            square += pow((1 + flat * a) * (o->low[a] + rest % POINTS * o->spacing), 2);
        distances[i] = sqrt(square) - radius;
    }
}

/* Two bodies meet obstacles of every shape and kind, some of which move; everything of them is designed. */
static inline void crowd(mpm_case *c, pio_obstacle_desc list[MOST], int number, int64_t steps)
{
    static const double motion[3][PIO_MOTION_NUMBERS] = {
        {0, 0, 0, 0, 0}, {0.03, 0.01, 0.02, 0.01, 0.1}, {1, 0.1, 0, 0, 2}};
    static const case_body bodies[2] = {{.law = PIO_HYPER_NEO_HOOKEAN, .parameters = {2e4, 0.3}, .density = 1000},
                                        {.law = PIO_LINEAR_FLUID, .parameters = {2e4, 1, 20}, .density = 1000}};
    static const pio_wall kinds[3] = {PIO_WALL_SEPARATE, PIO_WALL_SLIP, PIO_WALL_STICKY};
    mpm_corner(c, number, bodies, steps, 0, 3);
    for (int a = 0; a < D; a++) case_wall(c, a, 0, PIO_WALL_SLIP, 1);
    static const pio_shape_type types[6] = {PIO_PLANE, PIO_BALL,       PIO_BOX, D == 3 ? PIO_CYLINDER : PIO_BOX,
                                            PIO_BALL,  PIO_CLOSED_MESH};
    static const double place[6] = {0.24, 0.3,  0.58,
                                    0.21, 0.36, 0.66}; /* along every axis: a design has one constant */
    for (int k = 0; k < 6; k++) {
        pio_obstacle_desc *o = add_obstacle(c, list, types[k], kinds[(k + number) % 3], 1);
        for (int a = 0; a < D; a++) {
            o->position[a] = place[k];
            o->rotation[a] = 0.1 + 0.2 * k;
            o->size[a] = 0.2 + 0.03 * a;
        }
        o->radius = 0.13;
        o->height = 0.25;
        o->axis = D - 1;
        o->friction = 0.2 + 0.1 * k;
        o->friction_velocity = 0.05;
        o->separation_velocity = 0.05;
        o->turns[0] = 0.6;
        o->turns[D - 1] = 0.8;
        o->motion = &motion[0][0];
        o->n_points = k % 2 ? 3 : 0;
        if (o->type == PIO_CLOSED_MESH) mesh_of_ball(o, o->radius, o->width + c->desc.grid.spacing / 2, 0.4);
    }
    case_design(c, PIO_VELOCITY, -1, CASE_EACH, 0, 0, 1);
    for (int k = 0; k < 6; k++) {
        const pio_obstacle_desc *o = &list[k];
        if (k == number || k == number + 1) continue; /* there is room for four */
        const int first = c->desc.n_designs;
        case_design(c, PIO_OBSTACLE_POSITION, -1, CASE_SCALAR, 0, place[k], 0.02);
        if (o->type != PIO_BALL) /* round */
            case_design(c, PIO_OBSTACLE_ROTATION, -1, CASE_SCALAR, 0, o->rotation[0], 0.2);
        if (o->behaviour != PIO_WALL_STICKY)
            case_design(c, PIO_OBSTACLE_FRICTION, -1, CASE_SCALAR, k % 2, k % 2 ? log(o->friction) : o->friction, 0.1);
        for (int e = first; e < c->desc.n_designs; e++) c->design[e].which = k;
    }
}

#endif
