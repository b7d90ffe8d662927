/* model_particles.c -- the particles of a scene's bodies. They are numbered by body, then by the cell they start in,
 * then by lattice; points are numbered as in their file. */
#include "host/model/model.h"

#include "host/base/fail.h"
#include "host/base/stop.h"
#include "host/data/csv.h"
#include "host/model/room.h"
#include "host/scene/fill.h"
#include "host/scene/law.h"
#include "host/scene/plastic.h"
#include "host/scene/scene_names.h"
#include "host/scene/scene_query.h"
#include "host/scene/shape.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint64_t cell;   /* number of the cell in which the particle starts */
    int64_t lattice; /* number of the particle as it was filled */
} sort_key;

enum { DIGIT = 11, BUCKETS = 1 << DIGIT }; /* bits that one pass sorts by */

/* Sorts keys by their cells, by one digit after another; keys of one cell keep their order. `most` is the largest cell.
 * On return *key holds them; the two arrays may be exchanged. */
static piola_status sort_keys(sort_key **key, sort_key **other, int64_t n, uint64_t most, piola_error *error)
{
    int64_t start[BUCKETS + 1];
    for (int shift = 0; shift < 64 && most >> shift; shift += DIGIT) {
        memset(start, 0, sizeof start);
        for (int64_t i = 0; i < n; i++) start[((*key)[i].cell >> shift & (BUCKETS - 1)) + 1]++;
        for (int b = 0; b < BUCKETS; b++) start[b + 1] += start[b];
        for (int64_t i = 0; i < n; i++) {
            (*other)[start[(*key)[i].cell >> shift & (BUCKETS - 1)]++] = (*key)[i];
            const piola_status rc = pio_stop_at(i, "sorting particles", error);
            if (rc) return rc;
        }
        sort_key *sorted = *other;
        *other = *key;
        *key = sorted;
    }
    return PIOLA_OK;
}

/* Finds the cells of the particles, and the largest of them, *most. Particles may lie outside the grid: an engine
 * rejects them. */
static piola_status find_cells(const pio_model *m, const pio_fill_result *f, sort_key *key, uint64_t *most,
                               piola_error *error)
{
    const pio_grid_desc *g = &m->desc.grid;
    const int dim = m->scene->method.dimension;
    for (int64_t i = 0; i < f->n; i++) {
        const piola_status rc = pio_stop_at(i, "sorting particles", error);
        if (rc) return rc;
        key[i] = (sort_key){0, i};
        for (int a = 0; a < dim; a++) {
            const double u = floor((f->position[i * dim + a] - g->origin[a]) / g->spacing - 0.5);
            key[i].cell = key[i].cell * (uint64_t)g->nodes[a] + (uint64_t)fmax(0, fmin(u, g->nodes[a] - 1));
        }
        if (key[i].cell > *most) *most = key[i].cell;
    }
    return PIOLA_OK;
}

/* Puts the particles of one fill in the order of their cells. */
static piola_status order_by_cell(const pio_model *m, pio_fill_result *f, piola_error *error)
{
    const int dim = m->scene->method.dimension;
    const size_t bytes = sizeof(double) * (size_t)(f->n * dim);
    sort_key *key = malloc(sizeof *key * (size_t)f->n), *other = malloc(sizeof *other * (size_t)f->n);
    double *sorted = malloc(bytes), *volumes = f->volumes ? malloc(sizeof(double) * (size_t)f->n) : NULL;
    uint64_t most = 0;
    piola_status rc = PIOLA_OK;
    if (!key || !other || !sorted || (f->volumes && !volumes))
        rc = pio_fail_memory(error, bytes + 2 * sizeof *key * (size_t)f->n, "particle positions");
    if (!rc) rc = find_cells(m, f, key, &most, error);
    if (!rc) rc = sort_keys(&key, &other, f->n, most, error);
    for (int64_t i = 0; !rc && i < f->n; i++)
        memcpy(sorted + i * dim, f->position + key[i].lattice * dim, sizeof(double) * (size_t)dim);
    for (int64_t i = 0; !rc && f->volumes && i < f->n; i++) volumes[i] = f->volumes[key[i].lattice];
    free(key);
    free(other);
    if (rc) {
        free(sorted);
        free(volumes);
        return rc;
    }
    free(f->position);
    free(f->volumes);
    f->position = sorted;
    f->volumes = volumes;
    return PIOLA_OK;
}

/* Warns of a surface that is smaller than a cell, because its unit is probably wrong. */
static void check_size(pio_model *m, const pio_shape *shape)
{
    const pio_trimesh *s = &shape->surface;
    double size = 0;
    for (int a = 0; a < 3; a++) size = fmax(size, s->high[a] - s->low[a]);
    if (shape->lines && size < m->scene->mpm.grid.spacing)
        pio_model_warn(m, "geometry '%s': %s is %g m long with `scale` %g, less than a cell of the grid, %g m",
                       shape->is->name, shape->is->file, size, shape->is->scale, m->scene->mpm.grid.spacing);
}

/* Makes particles from points, which keep the order of their file. */
static piola_status take_points(pio_model *m, const scene_body *body, pio_fill_result *f, piola_error *error)
{
    const scene_geometry *g = pio_scene_geometry(m->scene, body->geometry);
    char path[PATH_MAX];
    pio_csv csv = {0};
    piola_status rc = pio_scene_file(m->scene, g->file, path, sizeof path, error);
    if (!rc) rc = pio_csv_load(&csv, path, error);
    if (!rc) rc = pio_fill_points(g, &csv, body->position, m->scene->method.dimension, f, error);
    pio_csv_free(&csv);
    if (rc) return rc;
    if (f->unread[0])
        pio_model_warn(m, "geometry '%s': nothing reads these columns of %s: %s; x, y%s and volume are read", g->name,
                       g->file, f->unread, m->scene->method.dimension == 3 ? ", z" : "");
    return PIOLA_OK;
}

static piola_status fill_body(pio_model *m, size_t b, pio_fill_result *f, piola_error *error)
{
    const pio_scene *s = m->scene;
    const scene_body *body = &s->matter.bodies[b];
    piola_error inner;
    pio_shape shape;
    if (pio_scene_geometry(s, body->geometry)->shape == PIO_POINTS) return take_points(m, body, f, error);
    piola_status rc = pio_shape_open(&shape, s, pio_scene_geometry(s, body->geometry), error);
    if (rc) return rc;
    check_size(m, &shape);
    if (shape.lines) { /* of a file: now its volume is known */
        const double n =
            pio_shape_volume(&shape) / pow(s->mpm.grid.spacing, s->method.dimension) * body->particles_per_cell;
        rc = pio_room(pio_particle_bytes(s, n), "particles", error);
        if (rc) {
            pio_shape_close(&shape);
            return rc;
        }
    }
    const pio_filling how = {.offset = {body->position[0], body->position[1], body->position[2]},
                             .spacing = s->mpm.grid.spacing,
                             .particles_per_cell = body->particles_per_cell,
                             .method = body->fill,
                             .seed = (uint64_t)s->common.seed,
                             .stream = b};
    rc = pio_fill(&shape, &how, f, &inner);
    pio_shape_close(&shape);
    if (rc == PIOLA_BAD_DATA) {
        char path[64];
        snprintf(path, sizeof path, "bodies[%zu].geometry", b);
        return pio_scene_fault(s, error, path, "%s", inner.message);
    }
    if (rc) return pio_fail(error, rc, "%s", inner.message);
    return order_by_cell(m, f, error);
}

/* Sets out [dim][dim] to the velocity gradient of a rotation by w, 1/s: v = w x r. In 2D w is about z. */
static void spin_matrix(const double w[3], int dim, double *out)
{
    const double full[3][3] = {{0, -w[2], w[1]}, {w[2], 0, -w[0]}, {-w[1], w[0], 0}};
    for (int i = 0; i < dim; i++)
        for (int j = 0; j < dim; j++) out[i * dim + j] = full[i][j];
}

static bool is_solid(const scene_material *mat)
{
    return LAW_BIT(mat->model) & LAWS_HYPERELASTIC;
}

/* Returns whether a solid has viscosity, or a design may give it some. */
static bool has_viscous_solids(const pio_scene *s)
{
    for (size_t b = 0; b < s->matter.n_bodies; b++) {
        const scene_material *mat = pio_scene_material(s, s->matter.bodies[b].material);
        if (is_solid(mat) && mat->viscosity > 0) return true;
    }
    for (size_t d = 0; d < s->goal.n_design; d++)
        for (size_t t = 0; t < s->goal.design[d].target.n; t++)
            if (s->goal.design[d].path[t].quantity == PIO_VISCOSITY) return true;
    return false;
}

static void set_particle(pio_model *m, size_t b, int64_t i, const double *x, double volume, const double *centroid)
{
    const int dim = m->scene->method.dimension;
    const scene_body *body = &m->scene->matter.bodies[b];
    const scene_material *mat = pio_scene_material(m->scene, body->material);
    const double *spin = m->spin + (size_t)dim * (size_t)dim * b;
    for (int a = 0; a < dim; a++) {
        m->position[i * dim + a] = x[a];
        m->velocity[i * dim + a] = body->velocity[a];
        for (int c = 0; c < dim; c++) m->velocity[i * dim + a] += spin[a * dim + c] * (x[c] - centroid[c]);
    }
    m->volume[i] = volume;
    m->density[i] = mat->density;
    m->law[i] = pio_law_of(mat);
    m->parameter_form[i] = mat->by_lame_parameters;
    m->body[i] = (int32_t)b;
    pio_law_parameters(mat, m->law_parameters + PIO_LAW_CONSTANTS * i);
    if (m->field) m->field[i] = (int32_t)pio_scene_field(m->scene, body->name);
    if (m->viscosity) m->viscosity[i] = is_solid(mat) ? mat->viscosity : 0;
    if (m->relative_density) {
        const bool partial = pio_scene_body_is_partial(body);
        m->relative_density[i] = partial ? body->relative_density : 1;
        m->interpolation[i] = partial ? (int32_t)b : -1;
        m->interpolations[b] = body->interpolation;
    }
    if (!m->plasticity) return;
    m->plasticity[i] = (int32_t)mat->plasticity;
    pio_plastic_parameters(mat, m->yield + PIO_PLASTIC_CONSTANTS * i);
}

/* Takes the memory of relative densities, if there are any. */
static piola_status take_filling(pio_model *m, size_t n, piola_error *error)
{
    if (!pio_scene_has_partial_bodies(m->scene)) return PIOLA_OK;
    m->relative_density = malloc(sizeof(double) * n);
    m->interpolation = malloc(sizeof(int32_t) * n);
    m->interpolations = calloc(m->scene->matter.n_bodies, sizeof *m->interpolations);
    if (m->relative_density && m->interpolation && m->interpolations) return PIOLA_OK;
    return pio_fail_memory(error, (sizeof(double) + sizeof(int32_t)) * n, "relative densities");
}

static piola_status take_particles(pio_model *m, int64_t n, piola_error *error)
{
    const size_t dim = (size_t)m->scene->method.dimension, count = (size_t)n;
    m->position = malloc(sizeof(double) * dim * count);
    m->velocity = malloc(sizeof(double) * dim * count);
    m->volume = malloc(sizeof(double) * count);
    m->density = malloc(sizeof(double) * count);
    m->law_parameters = calloc(PIO_LAW_CONSTANTS * count, sizeof(double));
    const bool viscous = has_viscous_solids(m->scene);
    if (viscous) m->viscosity = malloc(sizeof(double) * count);
    const bool several = m->scene->contact.n_fields > 0;
    if (several) m->field = malloc(sizeof(int32_t) * count);
    m->law = malloc(sizeof(int32_t) * count);
    m->parameter_form = malloc(sizeof(int32_t) * count);
    m->body = malloc(sizeof(int32_t) * count);
    if (!m->position || !m->velocity || !m->volume || !m->density || !m->law_parameters || !m->law ||
        !m->parameter_form || !m->body || (viscous && !m->viscosity) || (several && !m->field))
        return pio_fail_memory(error, sizeof(double) * count * (2 * dim + 8), "particles");
    const piola_status rc = take_filling(m, count, error);
    if (rc || !pio_scene_is_plastic(m->scene)) return rc;
    m->plasticity = malloc(sizeof(int32_t) * count);
    m->yield = calloc(PIO_PLASTIC_CONSTANTS * count, sizeof(double));
    if (!m->plasticity || !m->yield)
        return pio_fail_memory(error, sizeof(double) * count * (PIO_PLASTIC_CONSTANTS + 1), "plastic particles");
    return PIOLA_OK;
}

piola_status pio_model_particles(pio_model *m, piola_error *error)
{
    const pio_scene *s = m->scene;
    const size_t dim = (size_t)s->method.dimension;
    pio_fill_result *fill = calloc(s->matter.n_bodies, sizeof *fill);
    piola_status rc = PIOLA_OK;
    m->body_first = calloc(s->matter.n_bodies + 1, sizeof *m->body_first);
    m->spin = calloc(s->matter.n_bodies * dim * dim, sizeof *m->spin);
    if (!fill || !m->body_first || !m->spin) rc = pio_fail_memory(error, s->matter.n_bodies * sizeof *fill, "bodies");
    for (size_t b = 0; !rc && b < s->matter.n_bodies; b++) {
        rc = fill_body(m, b, &fill[b], error);
        m->body_first[b + 1] = m->body_first[b] + fill[b].n;
    }
    if (!rc) rc = take_particles(m, m->body_first[s->matter.n_bodies], error);
    for (size_t b = 0; !rc && b < s->matter.n_bodies; b++) {
        double centroid[3];
        for (int a = 0; a < s->method.dimension; a++)
            centroid[a] = fill[b].centroid[a] + s->matter.bodies[b].position[a];
        spin_matrix(s->matter.bodies[b].angular_velocity, s->method.dimension, m->spin + b * dim * dim);
        for (int64_t i = 0; !rc && i < fill[b].n; i++) {
            set_particle(m, b, m->body_first[b] + i, fill[b].position + i * s->method.dimension,
                         fill[b].volumes ? fill[b].volumes[i] : fill[b].volume, centroid);
            rc = pio_stop_at(i, "setting up particles", error);
        }
    }
    for (size_t b = 0; fill && b < s->matter.n_bodies; b++) {
        free(fill[b].position);
        free(fill[b].volumes);
    }
    free(fill);
    if (!rc)
        m->desc.particles = (pio_particles_desc){.n = m->body_first[s->matter.n_bodies],
                                                 .position = m->position,
                                                 .velocity = m->velocity,
                                                 .volume = m->volume,
                                                 .density = m->density,
                                                 .law_parameters = m->law_parameters,
                                                 .law = m->law,
                                                 .parameter_form = m->parameter_form,
                                                 .body = m->body,
                                                 .bodies = (int32_t)s->matter.n_bodies,
                                                 .viscosity = m->viscosity,
                                                 .relative_density = m->relative_density,
                                                 .interpolation = m->interpolation,
                                                 .n_interpolations = (int32_t)s->matter.n_bodies,
                                                 .interpolations = m->interpolations,
                                                 .field = m->field,
                                                 .fields = s->contact.n_fields > 0 ? pio_scene_fields(s) : 1,
                                                 .spin = m->spin,
                                                 .plasticity = m->plasticity,
                                                 .yield = m->yield};
    return rc;
}
