/* model_groups.c -- see model_groups.h. */
#include "host/model/model_groups.h"

#include "host/data/csv.h"
#include "host/base/fail.h"
#include "host/scene/scene_names.h"
#include "host/scene/shape.h"
#include "host/base/stop.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- members ------------------------------------------------------------------------------------------------ */

static void find_box(const pio_model *m, const scene_group *g, size_t b, unsigned char *in)
{
    const int dim = m->scene->method.dimension;
    for (int64_t p = m->body_first[b]; p < m->body_first[b + 1]; p++) {
        in[p] = 1;
        for (int a = 0; a < dim; a++) {
            const double x = m->position[p * dim + a];
            in[p] &= x >= g->min[a] && x <= g->max[a];
        }
    }
}

static piola_status find_shape(const pio_model *m, const scene_group *g, size_t b, unsigned char *in,
                               piola_error *error)
{
    const int dim = m->scene->method.dimension;
    pio_shape shape;
    piola_status rc = pio_shape_open(&shape, m->scene, pio_scene_geometry(m->scene, g->geometry), error);
    const bool open = !rc;
    for (int64_t p = m->body_first[b]; !rc && p < m->body_first[b + 1]; p++) {
        double x[3] = {0};
        memcpy(x, m->position + p * dim, sizeof *x * (size_t)dim);
        in[p] = pio_shape_holds(&shape, x);
        rc = pio_stop_at(p, "finding the particles of a group", error);
    }
    if (open) pio_shape_close(&shape);
    return rc;
}

static piola_status find_listed(const pio_model *m, const scene_group *g, size_t b, unsigned char *in,
                                piola_error *error)
{
    const int64_t n = m->body_first[b + 1] - m->body_first[b];
    char path[PATH_MAX];
    pio_csv csv;
    piola_status rc = pio_scene_file(m->scene, g->file, path, sizeof path, error);
    if (rc) return rc;
    rc = pio_csv_load(&csv, path, error);
    if (rc) return rc;
    const int c = pio_csv_column(&csv, "particle", error);
    if (c < 0) rc = PIOLA_BAD_DATA;
    for (size_t row = 0; !rc && row < csv.n_rows; row++) {
        const double id = csv.values[row * csv.n_columns + (size_t)c];
        if (!(id < (double)n))
            rc = pio_csv_fault(&csv, row, (size_t)c, error, "particle %.0f: body '%s' has %lld, numbered from 0", id,
                               g->body, (long long)n);
        else
            in[m->body_first[b] + (int64_t)id] = 1;
    }
    pio_csv_free(&csv);
    return rc;
}

static piola_status find(pio_model *m, size_t i, piola_error *error)
{
    const scene_group *g = &m->scene->matter.groups[i];
    const size_t b = (size_t)pio_scene_body_number(m->scene, g->body),
                 n = (size_t)m->body_first[m->scene->matter.n_bodies];
    unsigned char *in = m->groups[i] = calloc(n, 1);
    piola_status rc = in ? PIOLA_OK : pio_fail_memory(error, n, "a group");
    int64_t count = 0;
    if (!rc && g->type == SCENE_GROUP_BOX) find_box(m, g, b, in);
    if (!rc && g->type == SCENE_GROUP_SHAPE) rc = find_shape(m, g, b, in, error);
    char path[40];
    snprintf(path, sizeof path, "groups[%zu].file", i);
    if (!rc && g->type == SCENE_GROUP_FILE)
        rc = pio_scene_attribute_error(m->scene, find_listed(m, g, b, in, error), error, path);
    for (size_t p = 0; !rc && p < n; p++) count += in[p];
    if (rc || count) return rc;
    snprintf(path, sizeof path, "groups[%zu]", i);
    return pio_scene_fault(m->scene, error, path, "no particle of body '%s' is in group '%s'", g->body, g->name);
}

piola_status pio_model_groups(pio_model *m, piola_error *error)
{
    m->groups = calloc(m->scene->matter.n_groups + 1, sizeof *m->groups);
    if (!m->groups) return pio_fail_memory(error, (m->scene->matter.n_groups + 1) * sizeof *m->groups, "groups");
    piola_status rc = PIOLA_OK;
    for (size_t i = 0; !rc && i < m->scene->matter.n_groups; i++) rc = find(m, i, error);
    return rc;
}

void pio_model_groups_free(pio_model *m)
{
    for (size_t i = 0; m->groups && i < m->scene->matter.n_groups; i++) free(m->groups[i]);
    free(m->groups);
}

size_t pio_model_group(const pio_model *m, const char *name)
{
    size_t i = 0;
    while (i + 1 < m->scene->matter.n_groups && strcmp(m->scene->matter.groups[i].name, name) != 0) i++;
    return i;
}

/* ---- designs ------------------------------------------------------------------------------------------------ */

static bool chosen(const scene_design *d, const char *name)
{
    for (size_t k = 0; k < d->groups.n; k++)
        if (!strcmp(d->groups.v[k], name)) return true;
    return d->groups.n == 0;
}

bool pio_model_is_grouped(const pio_model *m, const scene_design *design, int64_t particle)
{
    for (size_t i = 0; i < m->scene->matter.n_groups; i++)
        if (chosen(design, m->scene->matter.groups[i].name) && m->groups[i][particle]) return true;
    return false;
}

piola_status pio_model_number_groups(const pio_model *m, const scene_design *design, const char *path, int32_t *index,
                                     int32_t *groups, piola_error *error)
{
    enum { GOVERNED = -2, FREE = -1 };
    const int64_t n = m->body_first[m->scene->matter.n_bodies];
    *groups = 0;
    for (int64_t p = 0; p < n; p++) index[p] = index[p] >= 0 ? GOVERNED : FREE;
    for (size_t i = 0; i < m->scene->matter.n_groups; i++) {
        const scene_group *g = &m->scene->matter.groups[i];
        const int64_t first = m->body_first[(size_t)pio_scene_body_number(m->scene, g->body)];
        bool any = false;
        if (!chosen(design, g->name)) continue;
        for (int64_t p = 0; p < n; p++) {
            if (!m->groups[i][p] || index[p] == FREE) continue;
            if (index[p] >= 0)
                return pio_scene_fault(
                    m->scene, error, path,
                    "particle %lld of body '%s' is in the groups '%s' and '%s', and can have one value "
                    "only; name groups that do not overlap",
                    (long long)(p - first), g->body, pio_model_group_name(m, design, index, index[p]), g->name);
            index[p] = *groups;
            any = true;
        }
        *groups += any;
    }
    for (int64_t p = 0; p < n; p++)
        if (index[p] == GOVERNED) index[p] = FREE;
    return PIOLA_OK;
}

const char *pio_model_group_name(const pio_model *m, const scene_design *design, const int32_t *index, int32_t k)
{
    const int64_t n = m->body_first[m->scene->matter.n_bodies];
    int64_t p = 0;
    while (p + 1 < n && index[p] != k) p++;
    for (size_t i = 0; i < m->scene->matter.n_groups; i++)
        if (chosen(design, m->scene->matter.groups[i].name) && m->groups[i][p]) return m->scene->matter.groups[i].name;
    return "";
}
