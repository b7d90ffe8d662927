/* scene_validate_bodies.c -- bodies from files and groups of particles: what is named exists, and files hold what they
 * must. */
#include "host/scene/fill.h"
#include "host/scene/scene_names.h"
#include "host/scene/scene_private.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- geometry ----------------------------------------------------------------------------------------------- */

/* Checks that the bodies of geometry i, which reaches from low to high [m], lie in the grid. */
static bool check_inside(const pio_scene *s, cfg_doc *doc, size_t i, const double low[3], const double high[3])
{
    const size_t before = doc->n_messages + doc->lost;
    for (size_t b = 0; b < s->matter.n_bodies; b++)
        if (!strcmp(s->matter.bodies[b].geometry, s->matter.geometry[i].name))
            pio_scene_check_inside(s, doc, b, low, high);
    return doc->n_messages + doc->lost == before;
}

static void check_mesh(const pio_scene *s, cfg_doc *doc, size_t i, const char *path)
{
    double low[3] = {0}, high[3] = {0};
    pio_shape shape;
    piola_error error;
    if (pio_shape_open(&shape, s, &s->matter.geometry[i], &error)) {
        pio_scene_report(doc, path, &error);
        return;
    }
    pio_cfg_input(doc, shape.surface.path, shape.surface.sha256);
    pio_shape_bounds(&shape, low, high);
    const piola_status rc = pio_shape_check(&shape, &error);
    if (rc) pio_scene_report(doc, path, &error);
    pio_shape_close(&shape);
    if (!rc) check_inside(s, doc, i, low, high);
}

/* Reports a fault at the row of the table, or at the key, that gives the volume of points. */
static void report_volume(const pio_scene *s, cfg_doc *doc, size_t i, const pio_csv *csv, size_t row, const char *what)
{
    piola_error error;
    PATH(file, "geometry[%zu].file", i);
    PATH(volume, "geometry[%zu].volume", i);
    if (!isnan(s->matter.geometry[i].volume)) {
        pio_cfg_fault(doc, volume, "%s", what);
        return;
    }
    pio_csv_fault(csv, row, (size_t)pio_csv_column(csv, "volume", &error), &error, "%s", what);
    pio_scene_report(doc, file, &error);
}

/* Checks that no particle is much larger than a cell and that all of them fit into the grid: else the unit is wrong. */
static void check_volumes(const pio_scene *s, cfg_doc *doc, size_t i, const pio_csv *csv, const pio_fill_result *fill)
{
    enum { MOST_CELLS = 16 };
    const char *unit = s->method.dimension == 3 ? "m3" : "m2";
    double cell = 1, box = 1, sum = 0;
    char what[400];
    for (int a = 0; a < s->method.dimension; a++) {
        cell *= s->mpm.grid.spacing;
        box *= s->mpm.grid.max[a] - s->mpm.grid.min[a];
    }
    for (int64_t p = 0; p < fill->n; p++) {
        sum += fill->volumes[p];
        if (!(fill->volumes[p] > MOST_CELLS * cell)) continue;
        snprintf(what, sizeof what,
                 "particle %lld has a volume of %g %s, %.3g cells of the grid; volumes are in %s, a column's in units "
                 "of `scale`^%d, and at most %d cells per particle are possible",
                 (long long)p, fill->volumes[p], unit, fill->volumes[p] / cell, unit, s->method.dimension, MOST_CELLS);
        report_volume(s, doc, i, csv, (size_t)p, what);
        return;
    }
    if (!(sum > box)) return;
    snprintf(what, sizeof what,
             "the points have a volume of %g %s together, more than the grid's box, %g %s; volumes are in %s, a "
             "column's in units of `scale`^%d",
             sum, unit, box, unit, unit, s->method.dimension);
    report_volume(s, doc, i, csv, 0, what);
}

static void check_points(const pio_scene *s, cfg_doc *doc, size_t i, const char *path)
{
    static const double none[3] = {0};
    const scene_geometry *g = &s->matter.geometry[i];
    double low[3] = {0}, high[3] = {0};
    pio_fill_result fill = {0};
    pio_csv csv;
    piola_error error;
    if (!pio_scene_table_of(s, doc, path, g->file, &csv)) return;
    const piola_status rc = pio_fill_points(g, &csv, none, s->method.dimension, &fill, &error);
    if (rc) pio_scene_report(doc, path, &error);
    if (!rc) pio_fill_bounds(&fill, s->method.dimension, low, high);
    if (!rc && check_inside(s, doc, i, low, high)) check_volumes(s, doc, i, &csv, &fill);
    pio_csv_free(&csv);
    free(fill.position);
    free(fill.volumes);
}

/* Checks the files of geometries, and that the bodies made of them lie in the grid. */
static void check_file(const pio_scene *s, cfg_doc *doc, size_t i)
{
    PATH(path, "geometry[%zu].file", i);
    (s->matter.geometry[i].shape == PIO_CLOSED_MESH ? check_mesh : check_points)(s, doc, i, path);
}

/* The points of a table are the particles. */
static void check_fill(const pio_scene *s, cfg_doc *doc, size_t i)
{
    const scene_geometry *g = pio_scene_geometry(s, s->matter.bodies[i].geometry);
    bool found;
    PATH(path, "bodies[%zu].fill", i);
    pio_cfg_find(doc->root, path, &found);
    if (g && g->shape == PIO_POINTS && found)
        pio_cfg_fault(doc, path, "'%s' consists of points, which are the particles themselves; remove it", g->name);
}

/* ---- groups ------------------------------------------------------------------------------------------------- */

static void check_members(const pio_scene *s, cfg_doc *doc, size_t i)
{
    PATH(path, "groups[%zu].file", i);
    pio_csv csv;
    if (!pio_scene_table_of(s, doc, path, s->matter.groups[i].file, &csv)) return;
    const int c = pio_scene_column(doc, path, &csv, "particle");
    for (size_t row = 0; row < csv.n_rows && c >= 0; row++) {
        const double id = csv.values[row * csv.n_columns + (size_t)c];
        piola_error error;
        if (id >= 0 && id <= 2147483647.0 && !(id > floor(id))) continue;
        pio_csv_fault(&csv, row, (size_t)c, &error, "%g is not the number of a particle, a whole number from 0", id);
        pio_scene_report(doc, path, &error);
        break;
    }
    pio_csv_free(&csv);
}

static void check_group(const pio_scene *s, cfg_doc *doc, size_t i)
{
    static const char axes[] = "xyz";
    const scene_group *g = &s->matter.groups[i];
    PATH(body, "groups[%zu].body", i);
    PATH(shape, "groups[%zu].geometry", i);
    pio_scene_entry(doc, body, "bodies", g->body, s->matter.bodies, s->matter.n_bodies, sizeof *s->matter.bodies);
    for (int a = 0; g->type == SCENE_GROUP_BOX && a < s->method.dimension; a++) {
        PATH(path, "groups[%zu].max[%d]", i, a);
        if (!(g->max[a] > g->min[a]))
            pio_cfg_fault(doc, path, "%g m is not above min, %g m, along %c", g->max[a], g->min[a], axes[a]);
    }
    if (g->type == SCENE_GROUP_FILE) check_members(s, doc, i);
    if (g->type != SCENE_GROUP_SHAPE) return;
    const size_t k = pio_scene_entry(doc, shape, "geometry", g->geometry, s->matter.geometry, s->matter.n_geometry,
                                     sizeof *s->matter.geometry);
    if (k < s->matter.n_geometry && s->matter.geometry[k].shape == PIO_POINTS)
        pio_cfg_fault(doc, shape,
                      "'%s' consists of points, which enclose nothing; use a box, a ball, a cylinder or a mesh",
                      g->geometry);
}

/* Returns the group, NULL after a fault. */
static const scene_group *named(const pio_scene *s, cfg_doc *doc, const char *path, const char *name)
{
    const size_t i =
        pio_scene_entry(doc, path, "groups", name, s->matter.groups, s->matter.n_groups, sizeof *s->matter.groups);
    return i < s->matter.n_groups ? &s->matter.groups[i] : NULL;
}

/* A group that is measured or driven is one of the body. */
static void check_part(const pio_scene *s, cfg_doc *doc, const char *path, const char *body, const char *group)
{
    const scene_group *g = group ? named(s, doc, path, group) : NULL;
    if (g && strcmp(g->body, body) != 0)
        pio_cfg_fault(doc, path, "'%s' is a group of body '%s', not of '%s'", g->name, g->body, body);
}

static void check_observe(const pio_scene *s, cfg_doc *doc, size_t i)
{
    const scene_observe *o = &s->goal.observe[i];
    PATH(group, "observe[%zu].group", i);
    PATH(from, "observe[%zu].from", i);
    PATH(from_group, "observe[%zu].from_group", i);
    PATH(shape, "observe[%zu].geometry", i);
    PATH(grid, "observe[%zu].grid.file", i);
    check_part(s, doc, group, o->body, o->group);
    if (o->type == PIO_SEPARATION) {
        pio_scene_entry(doc, from, "bodies", o->from, s->matter.bodies, s->matter.n_bodies, sizeof *s->matter.bodies);
        check_part(s, doc, from_group, o->from, o->from_group);
        if (!strcmp(o->from, o->body) && (!o->group || !o->from_group))
            pio_cfg_fault(doc, from,
                          "this is the distance of '%s' from itself; name another body, or a group on both sides",
                          o->body);
    }
    if (o->type == PIO_SHAPE) {
        const size_t k = pio_scene_entry(doc, shape, "geometry", o->geometry, s->matter.geometry, s->matter.n_geometry,
                                         sizeof *s->matter.geometry);
        if (k < s->matter.n_geometry && s->matter.geometry[k].shape == PIO_POINTS)
            pio_cfg_fault(doc, shape,
                          "'%s' consists of points, which have no surface; use a box, a ball, a cylinder or a mesh",
                          o->geometry);
    }
    pio_csv csv;
    if (o->type != PIO_DENSITY_MISFIT || !pio_scene_table_of(s, doc, grid, o->grid_file, &csv)) return;
    static const char *const names[] = {"i", "j", "k"};
    for (int a = 0; a < s->method.dimension; a++) pio_scene_column(doc, grid, &csv, names[a]);
    pio_scene_column(doc, grid, &csv, "density");
    pio_csv_free(&csv);
}

static void check_design(const pio_scene *s, cfg_doc *doc, size_t i)
{
    const scene_design *d = &s->goal.design[i];
    PATH(per, "design[%zu].per", i);
    PATH(groups, "design[%zu].groups", i);
    if (d->groups.n && d->per != SCENE_PER_GROUP)
        pio_cfg_fault(doc, groups, "groups need 'per: group'; add it, or remove this");
    if (d->per == SCENE_PER_GROUP && !s->matter.n_groups)
        pio_cfg_fault(doc, per, "the scene has no groups; add `groups`, or use target, body or particle");
    for (size_t k = 0; k < d->groups.n && d->per == SCENE_PER_GROUP && s->matter.n_groups; k++) {
        PATH(path, "design[%zu].groups[%zu]", i, k);
        named(s, doc, path, d->groups.v[k]);
    }
}

void pio_scene_validate_bodies(const pio_scene *s, cfg_doc *doc)
{
    for (size_t i = 0; i < s->matter.n_geometry; i++)
        if (s->matter.geometry[i].shape == PIO_POINTS ||
            (s->matter.geometry[i].shape == PIO_CLOSED_MESH && s->method.dimension == 3))
            check_file(s, doc, i);
    for (size_t i = 0; i < s->matter.n_bodies; i++) check_fill(s, doc, i);
    for (size_t i = 0; i < s->matter.n_bodies; i++) pio_scene_validate_filling(s, doc, i);
    for (size_t i = 0; i < s->matter.n_groups; i++) check_group(s, doc, i);
    for (size_t i = 0; i < s->goal.n_observe; i++) check_observe(s, doc, i);
    for (size_t i = 0; i < s->goal.n_design; i++) check_design(s, doc, i);
    for (size_t i = 0; i < s->actuation.n_actuators; i++) {
        PATH(group, "actuators[%zu].group", i);
        check_part(s, doc, group, s->actuation.actuators[i].body, s->actuation.actuators[i].group);
    }
}
