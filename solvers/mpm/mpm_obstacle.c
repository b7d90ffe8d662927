/* mpm_obstacle.c -- obstacles (kernels/mpm/mpm_obstacle.h): what a description of them must hold, and their part of a
 * step. */
#include "solvers/mpm/mpm.h"

#include <math.h>
#include <stdlib.h>

_Static_assert((int)PIO_MOTION_NUMBERS == (int)MOTION_NUMBERS, "descriptions and kernels have the same motions");

enum { MOST_POINTS = 1 << 30 };

/* ---- what they must be ------------------------------------------------------------------------------------------ */

static int is_unit(const double v[3])
{
    double square = 0;
    for (int a = 0; a < DIM; a++) square += v[a] * v[a];
    return fabs(square - 1) <= 1e-6;
}

/* Points of a mesh's lattice; 0 of other shapes, and where there are none. */
static size_t points_of(const pio_obstacle_desc *d)
{
    size_t n = 1;
    if (d->type != PIO_CLOSED_MESH || !d->distance) return 0;
    for (int a = 0; a < DIM; a++) n *= d->samples[a] >= 4 ? (size_t)d->samples[a] : 0;
    return n;
}

static int is_lattice(const pio_obstacle_desc *d)
{
    const size_t n = points_of(d);
    if (!n || !(d->spacing > 0 && isfinite(d->spacing))) return 0;
    for (int a = 0; a < DIM; a++)
        if (!isfinite(d->low[a])) return 0;
    for (size_t i = 0; i < n; i++)
        if (!isfinite(d->distance[i])) return 0;
    return 1;
}

static int is_shape(const pio_obstacle_desc *d)
{
    switch (d->type) {
    case PIO_PLANE:
        return is_unit(d->normal);
    case PIO_BALL:
        return d->radius > 0 && isfinite(d->radius);
    case PIO_BOX:
        for (int a = 0; a < DIM; a++)
            if (!(d->size[a] > 0 && isfinite(d->size[a]))) return 0;
        return 1;
    case PIO_CYLINDER:
        return DIM == 3 && d->radius > 0 && d->height > 0 && isfinite(d->radius) && isfinite(d->height) &&
               d->axis >= 0 && d->axis < DIM;
    case PIO_CLOSED_MESH:
        return is_lattice(d);
    case PIO_POINTS:
        break;
    }
    return 0;
}

static piola_status check_motion(const pio_obstacle_desc *d, int o, piola_error *error)
{
    int turns = 0;
    for (int k = 0; k < d->n_points; k++) {
        const double *p = d->motion + (ptrdiff_t)k * MOTION_NUMBERS;
        for (int c = 0; c < MOTION_NUMBERS; c++)
            if (!isfinite(p[c]))
                return sim_fail(error, PIOLA_BAD_DATA, "obstacle %d: point %d of its motion is not finite", o, k);
        if (k && !(p[MOTION_TIME] > p[MOTION_TIME - MOTION_NUMBERS]))
            return sim_fail(error, PIOLA_BAD_DATA,
                            "obstacle %d: the times of its motion must increase, but %g s follows %g s", o,
                            p[MOTION_TIME], p[MOTION_TIME - MOTION_NUMBERS]);
        turns |= fabs(p[MOTION_ANGLE]) > 0;
    }
    if (DIM == 3 && turns && !is_unit(d->turns))
        return sim_fail(error, PIOLA_BAD_DATA, "obstacle %d: the axis of its motion must be a unit vector", o);
    return PIOLA_OK;
}

static piola_status check_obstacle(const pio_obstacle_desc *d, int o, piola_error *error)
{
    if (!is_shape(d))
        return sim_fail(error, PIOLA_BAD_DATA,
                        "obstacle %d: a plane with a unit normal, a ball, a box or (in 3D) a cylinder of positive "
                        "sizes, or a mesh with finite distances at 4 points or more an axis would be right",
                        o);
    if (d->behaviour != PIO_WALL_STICKY && d->behaviour != PIO_WALL_SLIP && d->behaviour != PIO_WALL_SEPARATE)
        return sim_fail(error, PIOLA_BAD_DATA, "obstacle %d: sticky, slip or separate would be right", o);
    for (int a = 0; a < 3; a++)
        if (!isfinite(d->position[a]) || !isfinite(d->rotation[a]))
            return sim_fail(error, PIOLA_BAD_DATA, "obstacle %d: its position and rotation must be finite", o);
    if (!(d->friction >= 0 && isfinite(d->friction) && d->width > 0 && isfinite(d->width) &&
          d->friction_velocity >= PIO_LEAST_VELOCITY && isfinite(d->friction_velocity) &&
          d->separation_velocity >= PIO_LEAST_VELOCITY && isfinite(d->separation_velocity)))
        return sim_fail(error, PIOLA_BAD_DATA,
                        "obstacle %d: friction %g must be at least 0, width %g m above 0, friction velocity %g m/s and "
                        "separation velocity %g m/s at least %g m/s",
                        o, d->friction, d->width, d->friction_velocity, d->separation_velocity, PIO_LEAST_VELOCITY);
    return check_motion(d, o, error);
}

static piola_status check_design(const pio_engine_desc *desc, int k, piola_error *error)
{
    const pio_design_desc *e = &desc->designs[k];
    const int components = e->quantity == PIO_OBSTACLE_POSITION   ? DIM
                           : e->quantity == PIO_OBSTACLE_ROTATION ? OBSTACLE_TURNS
                                                                  : 1;
    if (e->which < 0 || e->which >= desc->n_obstacles || e->components != components || e->groups != 1)
        return sim_fail(error, PIOLA_BAD_DATA,
                        "design %d: %d x %d values of obstacle %d; %d values of one of %d would be right", k,
                        (int)e->groups, (int)e->components, (int)e->which, components, (int)desc->n_obstacles);
    return PIOLA_OK;
}

piola_status mpm_obstacles_accept(const pio_engine_desc *desc, piola_error *error)
{
    piola_status rc = PIOLA_OK;
    if (desc->n_obstacles < 0 || (desc->n_obstacles > 0 && !desc->obstacles))
        return sim_fail(error, PIOLA_BAD_DATA, "%d obstacles: none are described", (int)desc->n_obstacles);
    if (desc->reversible && desc->n_obstacles > 0)
        return sim_fail(
            error, PIOLA_BAD_DATA,
            "obstacles dissipate energy that cannot be restored; APIC has them, the reversible integrator has "
            "penalty walls");
    size_t points = 0;
    for (int o = 0; !rc && o < desc->n_obstacles; o++) {
        rc = check_obstacle(&desc->obstacles[o], o, error);
        points += points_of(&desc->obstacles[o]);
    }
    if (!rc && points > MOST_POINTS)
        rc = sim_fail(error, PIOLA_BAD_DATA, "the meshes of obstacles have %zu distances; at most %d are possible",
                      points, (int)MOST_POINTS);
    for (int k = 0; !rc && k < desc->n_designs; k++)
        if (mpm_is_of_obstacle(desc->designs[k].quantity)) rc = check_design(desc, k, error);
    return rc;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

int mpm_obstacles_begin(mpm_sim *sim, const pio_engine_desc *desc)
{
    sim->obstacles.n_obstacles = desc->n_obstacles;
    sim->obstacles.driven = calloc((size_t)desc->n_obstacles + 1, 1);
    if (!sim->obstacles.driven) return 0;
    for (int o = 0; o < desc->n_obstacles; o++) {
        sim->obstacles.separating |= desc->obstacles[o].behaviour == PIO_WALL_SEPARATE;
        sim->obstacles.sliding |= desc->obstacles[o].behaviour != PIO_WALL_STICKY;
    }
    for (int k = 0; k < desc->n_designs; k++)
        if (mpm_is_of_obstacle(desc->designs[k].quantity)) sim->obstacles.driven[desc->designs[k].which] = 1;
    return 1;
}

void mpm_obstacles_layout(mpm_sim *sim, const pio_engine_desc *desc)
{
    pio_arena *arena = &sim->base.arena;
    const int n = sim->obstacles.n_obstacles;
    size_t points = 0, distances = 0, parameters = field_size(n, OBSTACLE_PARAMETERS);
    if (!n) return;
    for (int o = 0; o < n; o++) {
        points += (size_t)desc->obstacles[o].n_points;
        distances += points_of(&desc->obstacles[o]);
    }
    TAKE(arena, sim->obstacles.shape, n);
    TAKE(arena, sim->obstacles.motion_start, n + 1);
    TAKE(arena, sim->obstacles.motion, points * MOTION_NUMBERS + 1);
    TAKE(arena, sim->obstacles.motion_axis, 3 * n);
    TAKE(arena, sim->obstacles.parameters, parameters);
    TAKE(arena, sim->obstacles.pose, n);
    TAKE(arena, sim->obstacles.centroid_moment, field_size(sim->grid.nodes, DIM));
    if (distances) TAKE(arena, sim->obstacles.coefficients, distances);
    if (!sim->base.adjoint) return;
    TAKE(arena, sim->obstacles.parameters_bar, parameters);
    TAKE(arena, sim->obstacles.pose_bar, parameters);
    TAKE(arena, sim->obstacles.velocity_before, field_size(sim->grid.nodes, DIM));
    TAKE(arena, sim->obstacles.contribution, field_size(sim->grid.nodes, OBSTACLE_PARAMETERS));
    TAKE(arena, sim->obstacles.centroid_bar, field_size(sim->grid.nodes, DIM));
}

/* Coefficients of the spline: distances minus a sixth of their second differences. The spline then is the function at
 * the points up to the fourth power of the spacing, and a plane's is exact. Returns 0 without memory. */
static int upload_distances(mpm_sim *sim, const pio_obstacle_desc *d, int first)
{
    const size_t n = points_of(d);
    real *c = n ? malloc(sizeof *c * n) : NULL;
    if (n && !c) return 0;
    for (size_t i = 0; i < n; i++) {
        size_t stride = 1, rest = i;
        double bend = 0;
        for (int a = DIM - 1; a >= 0; a--) {
            const size_t count = (size_t)d->samples[a], at = rest % count;
            if (at > 0 && at + 1 < count)
                bend += d->distance[i + stride] - 2 * d->distance[i] + d->distance[i - stride];
            stride *= count;
            rest /= count;
        }
        c[i] = (real)(d->distance[i] - bend / 6);
    }
    if (n) pio_queue_upload(&sim->base.queue, sim->obstacles.coefficients + first, c, sizeof *c * n);
    free(c);
    return 1;
}

/* The material of a node at the rim of a body lies half a spacing inside it, so that the condition is complete where
 * the rim touches. */
static obstacle_shape shape_of(const pio_obstacle_desc *d, real dx)
{
    obstacle_shape s = {.type = (int)d->type,
                        .behaviour = (int)d->behaviour,
                        .axis = d->axis,
                        .radius = (real)d->radius,
                        .height = (real)(d->height / 2),
                        .full = dx / 2,
                        .width = (real)d->width,
                        .spacing = (real)d->spacing};
    for (int a = 0; a < DIM; a++) {
        s.normal[a] = (real)d->normal[a];
        s.half[a] = (real)(d->size[a] / 2);
        s.count[a] = d->samples[a];
        s.low[a] = (real)d->low[a];
    }
    return s;
}

void mpm_obstacles_upload(mpm_sim *sim, const pio_engine_desc *desc)
{
    pio_queue *q = &sim->base.queue;
    int start = 0, first = 0;
    for (int o = 0; o < sim->obstacles.n_obstacles; o++) {
        const pio_obstacle_desc *d = &desc->obstacles[o];
        obstacle_shape shape = shape_of(d, sim->grid.box.dx);
        double p[OBSTACLE_PARAMETERS];
        for (int a = 0; a < DIM; a++) p[a] = d->position[a];
        for (int a = 0; a < OBSTACLE_TURNS; a++) p[OBSTACLE_ROTATION + a] = d->rotation[a];
        p[OBSTACLE_FRICTION] = d->friction;
        p[OBSTACLE_FRICTION_VELOCITY] = d->friction_velocity;
        p[OBSTACLE_SEPARATION_VELOCITY] = d->separation_velocity;
        shape.first = first;
        if (!upload_distances(sim, d, first)) q->error.code = -1;
        first += (int)points_of(d);
        pio_queue_upload(q, sim->obstacles.shape + o, &shape, sizeof shape);
        pio_queue_upload(q, sim->obstacles.motion_axis + (ptrdiff_t)3 * o, d->turns, sizeof d->turns);
        for (int k = 0; k < OBSTACLE_PARAMETERS; k++)
            pio_queue_upload(q, sim->obstacles.parameters + obstacle_at(sim->obstacles.n_obstacles, k, o), p + k,
                             sizeof *p);
        if (d->n_points)
            pio_queue_upload(q, sim->obstacles.motion + (ptrdiff_t)start * MOTION_NUMBERS, d->motion,
                             sizeof *d->motion * MOTION_NUMBERS * (size_t)d->n_points);
        start += d->n_points;
        pio_queue_upload(q, sim->obstacles.motion_start + o + 1, &start, sizeof start);
    }
}

/* ---- a step -------------------------------------------------------------------------------------------------- */

/* clang-format off */
#define POSE                                                                                                           \
    .obstacles = sim->obstacles.n_obstacles, .step = sim->step, .dt = sim->stepping.dt, \
    .parameters = sim->obstacles.parameters, .motion_start = sim->obstacles.motion_start, \
    .motion = sim->obstacles.motion, .axis = sim->obstacles.motion_axis, .pose = sim->obstacles.pose
#define ACT                                                                                                            \
    .l = sim->grid.lists, .box = sim->grid.box, .nodes = sim->grid.nodes, .obstacles = sim->obstacles.n_obstacles, \
    .shape = sim->obstacles.shape, .coefficients = sim->obstacles.coefficients, .pose = sim->obstacles.pose, \
    .sums = sim->grid.node_sums, .moment = sim->obstacles.centroid_moment, .before = sim->obstacles.velocity_before, \
    .velocity = sim->grid.velocity
/* Of what obstacles met in the step: at least `least` of how much their conditions bend within this part of its forces'
 * change; 0: near their edges. */
void mpm_obstacles_count(mpm_sim *sim, real part, real least)
{
    pio_queue *q = &sim->base.queue;
    if (!(least > 0))
        pio_sum(q, mpm_obstacle_kinks, sim->grid.nodes, &sim->step->nodes, sim->base.scalar, .fwd = {ACT},
                .limit = part);
    else
        pio_sum(q, mpm_obstacle_bends, sim->grid.nodes, &sim->step->nodes, sim->base.scalar,
                .fwd = {ACT}, .step = sim->step, .momentum = sim->grid.node_bar, .fraction = part, .least = least);
}

#define CENTROID .s = sim->particles.state[sim->particles.current], .matter = mpm_matter_of(sim), \
    .l = sim->grid.lists, .box = sim->grid.box

void mpm_obstacles_act(mpm_sim *sim)
{
    pio_queue *q = &sim->base.queue;
    if (!sim->obstacles.n_obstacles) return;
    pio_map(q, mpm_centroid, sim->grid.max_blocks, &sim->step->blocks, CENTROID, .sums = sim->grid.tiles);
    pio_map(q, mpm_node_sum, sim->grid.blocks, NULL,
            .l = sim->grid.lists, .box = sim->grid.box, .sums = sim->grid.tiles, .components = DIM,
            .nodes = sim->grid.nodes, .out = sim->obstacles.centroid_moment);
    pio_halo(q, sim->obstacles.centroid_moment);
    pio_map(q, mpm_obstacle_pose, sim->obstacles.n_obstacles, NULL, POSE);
    pio_map(q, mpm_obstacle, sim->grid.nodes, &sim->step->nodes, ACT);
}

void mpm_obstacles_adj_begin(mpm_sim *sim)
{
    pio_queue *q = &sim->base.queue;
    const size_t bytes = sizeof *sim->obstacles.parameters_bar * field_size(sim->obstacles.n_obstacles,
            OBSTACLE_PARAMETERS);
    if (!sim->obstacles.n_obstacles) return;
    pio_queue_zero(q, sim->obstacles.parameters_bar, bytes);
    pio_queue_zero(q, sim->obstacles.pose_bar, bytes);
}

void mpm_obstacles_adj(mpm_sim *sim)
{
    pio_queue *q = &sim->base.queue;
    const int n = sim->obstacles.n_obstacles;
    if (!n) return;
    for (int o = n - 1; o >= 0; o--) {
        pio_map(q, mpm_obstacle_adj, sim->grid.nodes, &sim->step->nodes,
                .fwd = {ACT}, .obstacle = o, .velocity_bar = sim->grid.velocity_bar,
                .contribution = sim->obstacles.contribution, .place_bar = sim->obstacles.centroid_bar);
        for (int k = 0; k < OBSTACLE_PARAMETERS && sim->obstacles.driven[o]; k++)
            pio_sum(q, field_sum, sim->grid.nodes, &sim->step->nodes, sim->obstacles.pose_bar + obstacle_at(n, k, o),
                    .n = sim->grid.nodes, .components = OBSTACLE_PARAMETERS, .component = k,
                    .in = sim->obstacles.contribution);
    }
    pio_map(q, mpm_obstacle_pose_adj, n, NULL,
            .fwd = {POSE}, .pose_bar = sim->obstacles.pose_bar, .parameters_bar = sim->obstacles.parameters_bar);
}

void mpm_obstacles_mass_adjoint(mpm_sim *sim)
{
    pio_queue *q = &sim->base.queue;
    if (!sim->obstacles.n_obstacles) return;
    pio_map(q, mpm_quotient_adj, sim->grid.nodes, &sim->step->nodes,
            .l = sim->grid.lists, .nodes = sim->grid.nodes, .sums = sim->grid.node_sums,
            .y = sim->obstacles.centroid_moment, .y_bar = sim->obstacles.centroid_bar, .node_bar = sim->grid.node_bar);
    pio_halo(q, sim->obstacles.centroid_bar);
    pio_map(q, mpm_centroid_adj, sim->grid.max_blocks, &sim->step->blocks,
            .fwd = {CENTROID}, .nodes = sim->grid.nodes, .moment_bar = sim->obstacles.centroid_bar,
            .bar = sim->particles.bar[1 - sim->particles.current_bar], .mass_bar = sim->material.mass_bar);
}
/* clang-format on */

/* ---- designs ------------------------------------------------------------------------------------------------- */

void mpm_obstacle_design(mpm_sim *sim, const mpm_design *d, double *value, double *parameters, int back)
{
    static const int first[] = {[PIO_OBSTACLE_POSITION] = 0,
                                [PIO_OBSTACLE_ROTATION] = OBSTACLE_ROTATION,
                                [PIO_OBSTACLE_FRICTION] = OBSTACLE_FRICTION,
                                [PIO_OBSTACLE_FRICTION_VELOCITY] = OBSTACLE_FRICTION_VELOCITY,
                                [PIO_OBSTACLE_SEPARATION_VELOCITY] = OBSTACLE_SEPARATION_VELOCITY};
    for (int c = 0; c < d->desc.components; c++) {
        const int number = first[d->desc.quantity] + d->desc.component + c;
        double *own = parameters + obstacle_at(sim->obstacles.n_obstacles, number, d->desc.which);
        pio_queue_copy(&sim->base.queue, back ? value + c : own, back ? own : value + c, sizeof *value);
    }
}
