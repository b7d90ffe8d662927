/* obstacles.c -- obstacles of particles or meshes (kernels/contact/): what a description of them must hold, their
 * arrays, and where they are in a step. */
#include "solvers/engine/obstacles.h"

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

static int is_of_motion(pio_quantity quantity)
{
    return quantity == PIO_OBSTACLE_SHIFT || quantity == PIO_OBSTACLE_ANGLE;
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
    if (!(d->scale > 0 && isfinite(d->scale))) return 0;
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
                        "sizes, or a mesh with finite distances at 4 points or more an axis would be right, of a scale "
                        "above 0",
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
    if (d->model == PIO_CONTACT_POTENTIAL &&
        !(d->stiffness > 0 && isfinite(d->stiffness) && d->contact_distance > 0 && isfinite(d->contact_distance)))
        return sim_fail(error, PIOLA_BAD_DATA, "obstacle %d: stiffness %g Pa and distance %g m must be above 0", o,
                        d->stiffness, d->contact_distance);
    return check_motion(d, o, error);
}

static piola_status check_design(const pio_engine_desc *desc, int k, piola_error *error)
{
    const pio_design_desc *e = &desc->designs[k];
    const int known = e->which >= 0 && e->which < desc->n_obstacles, moves = is_of_motion(e->quantity);
    const int all = e->quantity == PIO_OBSTACLE_POSITION   ? DIM
                    : e->quantity == PIO_OBSTACLE_ROTATION ? OBSTACLE_TURNS
                    : moves && known                       ? (int)desc->obstacles[e->which].n_points
                                                           : 1;
    const int first = moves ? 0 : e->component, n = e->components;
    if (!known || first < 0 || n < 1 || n > all - first || (moves && n != all) || e->groups != 1)
        return sim_fail(error, PIOLA_BAD_DATA,
                        "design %d: %d x %d values of obstacle %d from component %d; at most %d values of one of %d "
                        "would be right",
                        k, (int)e->groups, n, (int)e->which, first, all, (int)desc->n_obstacles);
    if (e->quantity == PIO_OBSTACLE_SHIFT && (e->component < 0 || e->component >= DIM))
        return sim_fail(error, PIOLA_BAD_DATA, "design %d: axis %d of a motion, of %d", k, (int)e->component, DIM);
    if (DIM == 3 && e->quantity == PIO_OBSTACLE_ANGLE && !is_unit(desc->obstacles[e->which].turns))
        return sim_fail(error, PIOLA_BAD_DATA, "obstacle %d: the axis of its motion must be a unit vector",
                        (int)e->which);
    return PIOLA_OK;
}

piola_status sim_obstacles_accept(const pio_engine_desc *desc, piola_error *error)
{
    piola_status rc = PIOLA_OK;
    if (desc->n_obstacles < 0 || (desc->n_obstacles > 0 && !desc->obstacles))
        return sim_fail(error, PIOLA_BAD_DATA, "%d obstacles: none are described", (int)desc->n_obstacles);
    size_t points = 0;
    for (int o = 0; !rc && o < desc->n_obstacles; o++) {
        rc = check_obstacle(&desc->obstacles[o], o, error);
        points += points_of(&desc->obstacles[o]);
    }
    if (!rc && points > MOST_POINTS)
        rc = sim_fail(error, PIOLA_BAD_DATA, "the meshes of obstacles have %zu distances; at most %d are possible",
                      points, (int)MOST_POINTS);
    for (int k = 0; !rc && k < desc->n_designs; k++)
        if (sim_is_of_obstacle(desc->designs[k].quantity)) rc = check_design(desc, k, error);
    return rc;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

int sim_obstacles_begin(sim_obstacles *all, const pio_engine_desc *desc)
{
    all->n = desc->n_obstacles;
    all->driven = calloc((size_t)desc->n_obstacles + 1, 1);
    all->first_point = calloc((size_t)desc->n_obstacles + 1, sizeof *all->first_point);
    if (!all->driven || !all->first_point) return 0;
    for (int o = 0; o < all->n; o++) all->first_point[o + 1] = all->first_point[o] + desc->obstacles[o].n_points;
    for (int k = 0; k < desc->n_designs; k++)
        if (sim_is_of_obstacle(desc->designs[k].quantity))
            all->driven[desc->designs[k].which] |= is_of_motion(desc->designs[k].quantity) ? 3 : 1;
    return 1;
}

void sim_obstacles_free(sim_obstacles *all)
{
    free(all->driven);
    free(all->first_point);
    all->driven = NULL;
    all->first_point = NULL;
}

static size_t motion_numbers(const sim_obstacles *all)
{
    return (size_t)all->first_point[all->n] * MOTION_NUMBERS + 1;
}

void sim_obstacles_layout(sim_obstacles *all, pio_arena *arena, const pio_engine_desc *desc, int adjoint)
{
    const int n = all->n;
    size_t distances = 0, parameters = field_size(n, OBSTACLE_PARAMETERS);
    int moved = 0;
    if (!n) return;
    for (int o = 0; o < n; o++) {
        moved |= all->driven[o] & 2;
        distances += points_of(&desc->obstacles[o]);
    }
    TAKE(arena, all->shape, n);
    TAKE(arena, all->motion_start, n + 1);
    TAKE(arena, all->motion, motion_numbers(all));
    TAKE(arena, all->motion_axis, 3 * n);
    TAKE(arena, all->parameters, parameters);
    TAKE(arena, all->pose, n);
    if (distances) TAKE(arena, all->coefficients, distances);
    if (!adjoint) return;
    TAKE(arena, all->parameters_bar, parameters);
    TAKE(arena, all->pose_bar, parameters);
    if (moved) TAKE(arena, all->motion_bar, motion_numbers(all));
}

/* Coefficients of the spline: distances minus a sixth of their second differences. The spline then is the function at
 * the points up to the fourth power of the spacing, and a plane's is exact. Returns 0 without memory. */
static int upload_distances(const sim_obstacles *all, pio_queue *q, const pio_obstacle_desc *d, int first)
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
    if (n) pio_queue_upload(q, all->coefficients + first, c, sizeof *c * n);
    free(c);
    return 1;
}

/* Returns half the thickness of an obstacle where that is least, or of a mesh its greatest depth, m. */
static double deepest_of(const pio_obstacle_desc *d)
{
    double deepest = 1e30; /* a plane has no other side */
    if (d->type == PIO_BALL || d->type == PIO_CYLINDER) deepest = d->radius;
    if (d->type == PIO_CYLINDER) deepest = fmin(deepest, d->height / 2);
    for (int a = 0; a < DIM && d->type == PIO_BOX; a++) deepest = fmin(deepest, d->size[a] / 2);
    if (d->type != PIO_CLOSED_MESH) return deepest;
    deepest = 0;
    for (size_t i = 0; i < points_of(d); i++) deepest = fmax(deepest, -d->distance[i]);
    return deepest;
}

static obstacle_shape shape_of(const pio_obstacle_desc *d, double full)
{
    obstacle_shape s = {.type = (int)d->type,
                        .behaviour = (int)d->behaviour,
                        .model = (int)d->model,
                        .axis = d->axis,
                        .radius = (real)d->radius,
                        .height = (real)(d->height / 2),
                        .full = (real)full,
                        .width = (real)d->width,
                        .scale = (real)d->scale,
                        .deepest = (real)deepest_of(d),
                        .spacing = (real)d->spacing};
    for (int a = 0; a < DIM; a++) {
        s.normal[a] = (real)d->normal[a];
        s.half[a] = (real)(d->size[a] / 2);
        s.count[a] = d->samples[a];
        s.low[a] = (real)d->low[a];
    }
    return s;
}

void sim_obstacles_upload(const sim_obstacles *all, pio_queue *q, const pio_engine_desc *desc, double full)
{
    int first = 0;
    for (int o = 0; o < all->n; o++) {
        const pio_obstacle_desc *d = &desc->obstacles[o];
        obstacle_shape shape = shape_of(d, full);
        double p[OBSTACLE_PARAMETERS] = {0};
        for (int a = 0; a < DIM; a++) p[a] = d->position[a];
        for (int a = 0; a < OBSTACLE_TURNS; a++) p[OBSTACLE_ROTATION + a] = d->rotation[a];
        p[OBSTACLE_FRICTION] = d->friction;
        p[OBSTACLE_FRICTION_VELOCITY] = d->friction_velocity;
        p[OBSTACLE_SEPARATION_VELOCITY] = d->separation_velocity;
        p[OBSTACLE_STIFFNESS] = d->stiffness;
        p[OBSTACLE_DISTANCE] = d->contact_distance;
        p[OBSTACLE_SCALE] = d->scale;
        shape.first = first;
        if (!upload_distances(all, q, d, first)) q->error.code = -1;
        first += (int)points_of(d);
        pio_queue_upload(q, all->shape + o, &shape, sizeof shape);
        pio_queue_upload(q, all->motion_axis + (ptrdiff_t)3 * o, d->turns, sizeof d->turns);
        for (int k = 0; k < OBSTACLE_PARAMETERS; k++)
            pio_queue_upload(q, all->parameters + obstacle_at(all->n, k, o), p + k, sizeof *p);
        if (d->n_points)
            pio_queue_upload(q, all->motion + (ptrdiff_t)all->first_point[o] * MOTION_NUMBERS, d->motion,
                             sizeof *d->motion * MOTION_NUMBERS * (size_t)d->n_points);
    }
    if (all->n) pio_queue_upload(q, all->motion_start, all->first_point, sizeof(int) * ((size_t)all->n + 1));
}

/* ---- a step ------------------------------------------------------------------------------------------------------ */

/* clang-format off */
#define POSE                                                                                                           \
    .obstacles = all->n, .index = time->index, .dt = time->dt, .at = time->at, .from = time->from, .to = time->to, \
    .parameters = all->parameters, .motion_start = all->motion_start, .motion = all->motion, \
    .axis = all->motion_axis, .pose = all->pose
/* clang-format on */

void sim_obstacles_place(const sim_obstacles *all, pio_queue *q, const sim_obstacle_time *time)
{
    if (all->n) pio_map(q, contact_pose, all->n, NULL, POSE);
}

void sim_obstacles_adj_begin(const sim_obstacles *all, pio_queue *q)
{
    const size_t bytes = sizeof *all->parameters_bar * field_size(all->n, OBSTACLE_PARAMETERS);
    if (!all->n) return;
    pio_queue_zero(q, all->parameters_bar, bytes);
    pio_queue_zero(q, all->pose_bar, bytes);
    if (all->motion_bar) pio_queue_zero(q, all->motion_bar, sizeof *all->motion_bar * motion_numbers(all));
}

void sim_obstacles_gather(const sim_obstacles *all, pio_queue *q, int o, int items, const int *limit,
                          const real *contribution)
{
    const int used = all->driven[o] & 2 ? OBSTACLE_PARAMETERS : OBSTACLE_VELOCITY;
    for (int k = 0; k < used && all->driven[o]; k++)
        pio_sum(q, field_sum, items, limit, all->pose_bar + obstacle_at(all->n, k, o), .n = items,
                .components = OBSTACLE_PARAMETERS, .component = k, .in = contribution);
}

void sim_obstacles_place_adj(const sim_obstacles *all, pio_queue *q, const sim_obstacle_time *time)
{
    if (all->n)
        pio_map(q, contact_pose_adj, all->n, NULL, .fwd = {POSE}, .pose_bar = all->pose_bar,
                .parameters_bar = all->parameters_bar, .motion_bar = all->motion_bar);
}

/* ---- designs ------------------------------------------------------------------------------------------------- */

/* Shifts along one axis, or angles, at all points of a motion. */
static void motion_design(const sim_obstacles *all, pio_queue *q, const pio_design_desc *d, double *value, int back)
{
    const int number = d->quantity == PIO_OBSTACLE_ANGLE ? (int)MOTION_ANGLE : (int)MOTION_SHIFT + d->component;
    for (int k = 0; k < d->components; k++) {
        const ptrdiff_t at = (ptrdiff_t)(all->first_point[d->which] + k) * MOTION_NUMBERS + number;
        if (back)
            pio_queue_copy(q, value + k, all->motion_bar + at, sizeof *value);
        else
            pio_queue_copy(q, all->motion + at, value + k, sizeof *value);
    }
}

void sim_obstacle_design(const sim_obstacles *all, pio_queue *q, const pio_design_desc *d, double *value, int back)
{
    static const int first[] = {[PIO_OBSTACLE_POSITION] = 0,
                                [PIO_OBSTACLE_ROTATION] = OBSTACLE_ROTATION,
                                [PIO_OBSTACLE_FRICTION] = OBSTACLE_FRICTION,
                                [PIO_OBSTACLE_FRICTION_VELOCITY] = OBSTACLE_FRICTION_VELOCITY,
                                [PIO_OBSTACLE_SEPARATION_VELOCITY] = OBSTACLE_SEPARATION_VELOCITY,
                                [PIO_OBSTACLE_STIFFNESS] = OBSTACLE_STIFFNESS,
                                [PIO_OBSTACLE_DISTANCE] = OBSTACLE_DISTANCE,
                                [PIO_OBSTACLE_SCALE] = OBSTACLE_SCALE};
    if (is_of_motion(d->quantity)) {
        motion_design(all, q, d, value, back);
        return;
    }
    for (int c = 0; c < d->components; c++) {
        const ptrdiff_t at = obstacle_at(all->n, first[d->quantity] + d->component + c, d->which);
        if (back)
            pio_queue_copy(q, value + c, all->parameters_bar + at, sizeof *value);
        else
            pio_queue_copy(q, all->parameters + at, value + c, sizeof *value);
    }
}
