/* model_target.c -- see model_target.h. */
#include "host/model/model_target.h"

#include "host/data/csv.h"
#include "host/base/fail.h"
#include "host/model/model_groups.h"
#include "host/scene/scene_names.h"
#include "host/model/shape_distance.h"
#include "host/base/stop.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- observed particles ------------------------------------------------------------------------------------- */

/* Returns whether particle p is in the group, or without a group in the body. */
static bool holds(const pio_model *m, size_t body, const char *group, int64_t p)
{
    return m->body[p] == (int32_t)body && (!group || m->groups[pio_model_group(m, group)][p]);
}

static piola_status set_members(const pio_model *m, const scene_observe *o, pio_observation_desc *d, piola_error *error)
{
    const int64_t n = m->desc.particles.n;
    const bool two = o->type == PIO_SEPARATION;
    const size_t own = (size_t)pio_scene_body_number(m->scene, o->body),
                 other = two ? (size_t)pio_scene_body_number(m->scene, o->from) : 0;
    if (!o->group && !two) return PIOLA_OK;
    int32_t *member = calloc((size_t)n, sizeof *member);
    if (!member) return pio_fail_memory(error, sizeof *member * (size_t)n, "a group");
    d->member = member;
    for (int64_t p = 0; p < n; p++) {
        member[p] = holds(m, own, o->group, p);
        if (!two || !holds(m, other, o->from_group, p)) continue;
        if (member[p]) {
            char path[48];
            snprintf(path, sizeof path, "observe[%zu].from", (size_t)(o - m->scene->goal.observe));
            return pio_scene_fault(m->scene, error, path,
                                   "particle %lld of body '%s' is in both parts; they must not overlap",
                                   (long long)(p - m->body_first[own]), o->body);
        }
        member[p] = 2;
    }
    return PIOLA_OK;
}

/* ---- shapes and densities ------------------------------------------------------------------------------------ */

static int64_t nodes_of(const pio_model *m)
{
    int64_t n = 1;
    for (int a = 0; a < m->scene->method.dimension; a++) n *= m->desc.grid.nodes[a];
    return n;
}

static piola_status set_shape(const pio_model *m, const scene_observe *o, pio_observation_desc *d, piola_error *error)
{
    const pio_grid_desc *g = &m->desc.grid;
    const int dim = m->scene->method.dimension;
    const int64_t n = nodes_of(m);
    pio_shape shape;
    pio_shape_measure measure;
    double *field = malloc(sizeof *field * (size_t)n);
    if (!field) return pio_fail_memory(error, sizeof *field * (size_t)n, "a shape");
    d->field = field;
    d->outside = o->side == SCENE_OUTSIDE;
    piola_status rc = pio_shape_open(&shape, m->scene, pio_scene_geometry(m->scene, o->geometry), error);
    if (rc) return rc;
    rc = pio_shape_measure_open(&measure, &shape, error);
    const bool open = !rc;
    for (int64_t i = 0; !rc && i < n; i++) {
        int64_t rest = i;
        double x[3] = {0};
        for (int a = dim - 1; a >= 0; a--) {
            x[a] = g->origin[a] + g->spacing * (double)(rest % g->nodes[a]);
            rest /= g->nodes[a];
        }
        field[i] = pio_shape_distance(&measure, x);
        rc = pio_stop_at(i, "measuring distances from a shape", error);
    }
    if (open) pio_shape_measure_close(&measure);
    pio_shape_close(&shape);
    return rc;
}

/* Sets densities at the nodes of the box from the rows of the table; the lowest wall is node 0 of the file. */
static piola_status place_density(const pio_model *m, const pio_csv *csv, const int at[4], double *field,
                                  piola_error *error)
{
    const pio_grid_desc *g = &m->desc.grid;
    const int dim = m->scene->method.dimension;
    double size = 0;
    for (size_t r = 0; r < csv->n_rows; r++) {
        const double *row = csv->values + r * csv->n_columns;
        int64_t node = 0;
        for (int a = 0; a < dim; a++) {
            const double i = row[at[a]], most = g->face[a][1] - g->face[a][0];
            if (!(i >= 0 && i <= most && i <= floor(i)))
                return pio_csv_fault(csv, r, (size_t)at[a], error,
                                     "%g is not the number of a node, 0 to %g along this axis", i, most);
            node = node * g->nodes[a] + g->face[a][0] + (int64_t)i;
        }
        if (!(row[at[3]] >= 0))
            return pio_csv_fault(csv, r, (size_t)at[3], error, "%g is below 0; a density is at least 0", row[at[3]]);
        if (!isnan(field[node])) return pio_csv_fault(csv, r, (size_t)at[0], error, "this node is listed twice");
        field[node] = row[at[3]];
        size += row[at[3]];
    }
    if (!(size > 0)) return pio_csv_fault(csv, 0, (size_t)at[3], error, "all densities are 0; one must be above");
    return PIOLA_OK;
}

static piola_status set_density(const pio_model *m, const scene_observe *o, pio_observation_desc *d, piola_error *error)
{
    static const char *const names[] = {"i", "j", "k"};
    const int64_t n = nodes_of(m);
    char path[PATH_MAX];
    pio_csv csv;
    int at[4] = {0};
    double *field = malloc(sizeof *field * (size_t)n);
    if (!field) return pio_fail_memory(error, sizeof *field * (size_t)n, "a density");
    d->field = field;
    for (int64_t i = 0; i < n; i++) field[i] = NAN;
    piola_status rc = pio_scene_file(m->scene, o->grid_file, path, sizeof path, error);
    if (!rc) rc = pio_csv_load(&csv, path, error);
    if (rc) return rc;
    for (int a = 0; !rc && a <= m->scene->method.dimension; a++) {
        int *own = a < m->scene->method.dimension ? &at[a] : &at[3];
        *own = pio_csv_column(&csv, own == &at[3] ? "density" : names[a], error);
        if (*own < 0) rc = PIOLA_BAD_DATA;
    }
    if (!rc) rc = place_density(m, &csv, at, field, error);
    for (int64_t i = 0; i < n; i++) field[i] = isnan(field[i]) ? 0 : field[i];
    pio_csv_free(&csv);
    return rc;
}

piola_status pio_model_target(const pio_model *m, const scene_observe *o, pio_observation_desc *d, piola_error *error)
{
    const piola_status rc = set_members(m, o, d, error);
    if (rc) return rc;
    if (o->type == PIO_SHAPE) return set_shape(m, o, d, error);
    if (o->type != PIO_DENSITY_MISFIT) return PIOLA_OK;
    char path[48];
    snprintf(path, sizeof path, "observe[%zu].grid.file", (size_t)(o - m->scene->goal.observe));
    return pio_scene_attribute_error(m->scene, set_density(m, o, d, error), error, path);
}
