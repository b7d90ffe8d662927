/* model_obstacle.c -- makes the descriptions of a scene's obstacles. */
#include "host/surface/distance_grid.h"
#include "host/base/fail.h"
#include "host/model/model.h"
#include "host/scene/design_path.h"
#include "host/scene/scene_private.h"
#include "host/scene/scene_surface.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sets out to v divided by its length; 0 stays as it was. */
static void unit(const double v[3], int dim, double out[3])
{
    double square = 0;
    for (int a = 0; a < dim; a++) square += v[a] * v[a];
    for (int a = 0; a < dim && square > 0; a++) out[a] = v[a] / sqrt(square);
}

static piola_status set_motion(pio_obstacle_desc *d, const scene_obstacle *from, piola_error *error)
{
    const size_t n = from->time.n, bytes = sizeof(double) * n * PIO_MOTION_NUMBERS;
    double *motion = n ? calloc(n, sizeof(double) * PIO_MOTION_NUMBERS) : NULL;
    if (!n) return PIOLA_OK;
    if (!motion) return pio_fail_memory(error, bytes, "the motion of an obstacle");
    for (size_t k = 0; k < n; k++) {
        double *point = motion + k * PIO_MOTION_NUMBERS;
        point[0] = from->time.v[k];
        for (int a = 0; a < 3; a++)
            if (from->shift[a].n) point[1 + a] = from->shift[a].v[k];
        if (from->angle.n) point[4] = from->angle.v[k];
    }
    d->motion = motion;
    d->n_points = (int32_t)n;
    return PIOLA_OK;
}

/* Returns how far from the surface of obstacle i distances are needed, m: of half its size, too, where that is a
 * design. */
static double reach(const pio_scene *s, size_t i)
{
    const scene_obstacle *o = &s->obstacles.v[i];
    const double acts = s->method.type == SCENE_FEM ? o->width : o->width + s->mpm.grid.spacing / 2;
    const bool shrinks = pio_design_of(s, SCENE_OWNER_OBSTACLE, (int32_t)i, PIO_OBSTACLE_SCALE);
    return shrinks ? acts * o->scale / pio_scene_scales(o).lo : acts;
}

/* Computes for a mesh the distances around its surface as far as the obstacle acts. */
static piola_status set_distances(const pio_model *m, size_t i, pio_obstacle_desc *d, piola_error *error)
{
    const scene_obstacle *from = &m->scene->obstacles.v[i];
    char file[PATH_MAX], path[48];
    const pio_trimesh *surface;
    pio_distance_grid grid = {0};
    if (from->type != PIO_CLOSED_MESH) return PIOLA_OK;
    piola_status rc = pio_scene_file(m->scene, from->file, file, sizeof file, error);
    if (!rc) rc = pio_scene_surface(m->scene, file, from->scale, &surface, error);
    if (!rc) rc = pio_distance_grid_create(&grid, surface, from->resolution, reach(m->scene, i), error);
    snprintf(path, sizeof path, "obstacles[%zu].resolution", i);
    if (rc) return pio_scene_attribute_error(m->scene, rc, error, path);
    memcpy(d->samples, grid.count, sizeof d->samples);
    memcpy(d->low, grid.low, sizeof d->low);
    d->spacing = grid.spacing;
    d->distance = grid.distance;
    return PIOLA_OK;
}

piola_status pio_model_obstacles(pio_model *m, piola_error *error)
{
    const pio_scene *s = m->scene;
    piola_status rc = PIOLA_OK;
    m->obstacles = calloc(s->obstacles.n + 1, sizeof *m->obstacles);
    if (!m->obstacles) return pio_fail_memory(error, s->obstacles.n * sizeof *m->obstacles, "obstacles");
    for (size_t i = 0; !rc && i < s->obstacles.n; i++) {
        const scene_obstacle *from = &s->obstacles.v[i];
        pio_obstacle_desc *d = &m->obstacles[i];
        *d = (pio_obstacle_desc){.type = from->type,
                                 .behaviour = from->behaviour,
                                 .model = from->model,
                                 .stiffness = from->stiffness,
                                 .contact_distance = from->distance,
                                 .friction = from->friction,
                                 .scale = from->scale,
                                 .radius = from->scale * from->radius,
                                 .height = from->scale * from->height,
                                 .axis = from->axis,
                                 .width = from->width,
                                 .separation_velocity = from->separation_velocity,
                                 .friction_velocity = from->friction_velocity};
        memcpy(d->position, from->position, sizeof d->position);
        for (int a = 0; a < 3; a++) d->size[a] = from->scale * from->size[a];
        memcpy(d->rotation, from->rotation, sizeof d->rotation);
        if (s->method.dimension == 2) d->rotation[0] = from->rotation[2];
        if (from->type == PIO_PLANE) unit(from->normal, s->method.dimension, d->normal);
        unit(from->turns, 3, d->turns);
        m->desc.n_obstacles = (int32_t)i + 1;
        rc = set_motion(d, from, error);
        if (!rc) rc = set_distances(m, i, d, error);
    }
    m->desc.obstacles = m->obstacles;
    return rc;
}
