/* model_fem_loads.c -- supports, loads and their curves in time. */
#include "host/model/model_fem.h"

#include "host/data/csv.h"
#include "host/base/fail.h"
#include "host/scene/scene_names.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int32_t pio_model_curve(const pio_scene *s, const char *name)
{
    for (size_t c = 0; name && c < s->loading.n_curves; c++)
        if (!strcmp(s->loading.curves[c].name, name)) return (int32_t)c + 1;
    return 0;
}

/* Makes room for `more` points of curve c, behind all curves so far. */
static piola_status extend_curves(pio_model_fem *f, size_t c, size_t more, piola_error *error)
{
    const size_t points = (size_t)f->curve_start[c] + more, bytes = points * sizeof(double);
    if (points > INT32_MAX) return pio_fail(error, PIOLA_BAD_DATA, "the curves have more than 2^31 - 1 points");
    double *t = realloc(f->curve_t, bytes + 1);
    if (t) f->curve_t = t;
    double *value = t ? realloc(f->curve_value, bytes + 1) : NULL;
    if (!value) return pio_fail_memory(error, 2 * bytes, "curves");
    f->curve_value = value;
    f->curve_start[c + 1] = (int32_t)points;
    return PIOLA_OK;
}

/* Reads the scene's curve c from its file, as curve c + 1. */
static piola_status read_curve(pio_model *m, size_t c, piola_error *error)
{
    pio_model_fem *f = m->fem;
    char path[PATH_MAX];
    pio_csv csv;
    piola_status rc = pio_scene_file(m->scene, m->scene->loading.curves[c].file, path, sizeof path, error);
    if (rc) return rc;
    rc = pio_csv_load(&csv, path, error);
    const int t = rc ? -1 : pio_csv_column(&csv, "time", error),
              value = t < 0 ? -1 : pio_csv_column(&csv, "value", error);
    if (!rc && value < 0) rc = PIOLA_BAD_DATA;
    if (!rc) rc = extend_curves(f, c + 1, csv.n_rows, error);
    for (size_t row = 0; !rc && row < csv.n_rows; row++) {
        const double *numbers = csv.values + row * csv.n_columns;
        f->curve_t[(size_t)f->curve_start[c + 1] + row] = numbers[t];
        f->curve_value[(size_t)f->curve_start[c + 1] + row] = numbers[value];
    }
    pio_csv_free(&csv);
    return rc;
}

static piola_status set_curves(pio_model *m, piola_error *error)
{
    const pio_scene *s = m->scene;
    pio_model_fem *f = m->fem;
    f->curve_start = calloc(s->loading.n_curves + 2, sizeof *f->curve_start);
    if (!f->curve_start) return pio_fail_memory(error, s->loading.n_curves * sizeof *f->curve_start, "curves");
    piola_status rc = extend_curves(f, 0, 2, error);
    if (rc) return rc;
    f->curve_t[0] = 0;
    f->curve_t[1] = s->time.duration;
    f->curve_value[0] = s->fem.integrator == PIO_STATIC ? 0 : 1;
    f->curve_value[1] = 1;
    for (size_t c = 0; c < s->loading.n_curves; c++) {
        const scene_curve *from = &s->loading.curves[c];
        rc = from->file ? read_curve(m, c, error) : extend_curves(f, c + 1, from->time.n, error);
        if (rc) return rc;
        if (from->file) continue;
        const int32_t at = f->curve_start[c + 1];
        memcpy(f->curve_t + at, from->time.v, sizeof(double) * from->time.n);
        memcpy(f->curve_value + at, from->value.v, sizeof(double) * from->value.n);
    }
    f->desc.n_curves = (int32_t)s->loading.n_curves + 1;
    f->desc.curve_start = f->curve_start;
    f->desc.curve_t = f->curve_t;
    f->desc.curve_value = f->curve_value;
    return PIOLA_OK;
}

/* ---- supports ------------------------------------------------------------------------------------------- */

static bool constrains(const pio_scene *s, const scene_boundary *b, int axis)
{
    bool found = b->axes.n == 0;
    for (size_t a = 0; a < b->axes.n; a++) found |= b->axes.v[a][0] == "xyz"[axis];
    return found && axis < s->method.dimension;
}

/* Enters the unknowns that a boundary constrains into owner [nodes * dim], the boundary of each unknown or -1. */
static piola_status constrain(pio_model *m, size_t number, int32_t *owner, piola_error *error)
{
    const pio_scene *s = m->scene;
    const scene_boundary *b = &s->loading.boundary[number];
    pio_index_list nodes;
    char path[64];
    snprintf(path, sizeof path, "boundary[%zu].on", number);
    const piola_status rc = pio_model_nodes(m, path, b->body, &b->on, &nodes, error);
    if (rc) return rc;
    for (int32_t i = 0; i < nodes.n; i++)
        for (int a = 0; a < s->method.dimension; a++) {
            int32_t *own = &owner[(int64_t)nodes.item[i] * s->method.dimension + a];
            if (!constrains(s, b, a)) continue;
            if (*own >= 0 && b->type == SCENE_FIXED && s->loading.boundary[*own].type == SCENE_FIXED)
                continue; /* they agree */
            if (*own >= 0) {
                const double *x = m->fem->rest + (int64_t)nodes.item[i] * s->method.dimension;
                const char *rest = s->method.dimension == 3 ? ", ..." : "", *name = s->loading.boundary[*own].name;
                free(nodes.item);
                return pio_scene_fault(s, error, path,
                                       "the node at (%g, %g%s) is constrained along %c by '%s' already; leave it to "
                                       "one of them",
                                       x[0], x[1], rest, "xyz"[a], name);
            }
            *own = (int32_t)number;
        }
    free(nodes.item);
    return PIOLA_OK;
}

/* Returns the support of what this boundary constrains along an axis: another one for each number of its value. */
static int32_t support_of(const pio_model *m, int32_t number, int axis)
{
    const scene_boundary *b = &m->scene->loading.boundary[number];
    int32_t support = m->fem->support_first[number];
    if (b->type != SCENE_PRESCRIBED || b->value.n < 2) return support;
    for (size_t a = 0; a < b->axes.n && b->axes.v[a][0] != "xyz"[axis]; a++) support++;
    return support;
}

static piola_status list_constrained(pio_model *m, const int32_t *owner, piola_error *error)
{
    pio_model_fem *f = m->fem;
    const int dim = m->scene->method.dimension;
    const int64_t unknowns = f->node_first[f->bodies] * dim;
    int32_t n = 0;
    for (int64_t i = 0; i < unknowns; i++) n += owner[i] >= 0;
    const size_t bytes = sizeof(int32_t) * ((size_t)n + 1);
    f->constrained_node = malloc(bytes);
    f->constrained_axis = malloc(bytes);
    f->constrained_support = malloc(bytes);
    if (!f->constrained_node || !f->constrained_axis || !f->constrained_support)
        return pio_fail_memory(error, 3 * bytes, "supports");
    n = 0;
    for (int64_t i = 0; i < unknowns; i++) {
        if (owner[i] < 0) continue;
        f->constrained_node[n] = (int32_t)(i / dim);
        f->constrained_axis[n] = (int32_t)(i % dim);
        f->constrained_support[n++] = support_of(m, owner[i], (int)(i % dim));
    }
    f->desc.n_constrained = n;
    f->desc.constrained_node = f->constrained_node;
    f->desc.constrained_axis = f->constrained_axis;
    f->desc.constrained_support = f->constrained_support;
    return PIOLA_OK;
}

piola_status pio_model_supports(pio_model *m, piola_error *error)
{
    const pio_scene *s = m->scene;
    pio_model_fem *f = m->fem;
    const size_t unknowns = (size_t)f->node_first[f->bodies] * (size_t)s->method.dimension;
    int32_t *owner = malloc(sizeof *owner * (unknowns + 1)), n = 0;
    f->support_value = calloc(3 * s->loading.n_boundary + 1, sizeof(double));
    f->support_curve = calloc(3 * s->loading.n_boundary + 1, sizeof(int32_t));
    f->support_boundary = calloc(3 * s->loading.n_boundary + 1, sizeof(int32_t));
    f->support_first = calloc(s->loading.n_boundary + 1, sizeof(int32_t));
    piola_status rc = set_curves(m, error);
    if (!rc && (!owner || !f->support_value || !f->support_curve || !f->support_boundary || !f->support_first))
        rc = pio_fail_memory(error, sizeof *owner * unknowns, "supports");
    for (size_t i = 0; !rc && i < unknowns; i++) owner[i] = -1;
    for (size_t b = 0; !rc && b < s->loading.n_boundary; b++) {
        const scene_boundary *own = &s->loading.boundary[b];
        const bool fixed = own->type != SCENE_PRESCRIBED; /* or turned, by supports of its own (model_vary.c) */
        f->support_first[b] = n;
        for (size_t k = 0; k < (fixed ? 1 : own->value.n); k++, n++) {
            f->support_boundary[n] = (int32_t)b;
            f->support_value[n] = fixed ? 0 : own->value.v[k];
            f->support_curve[n] = fixed ? -1 : pio_model_curve(s, own->curve);
        }
        rc = constrain(m, b, owner, error);
    }
    if (!rc) rc = list_constrained(m, owner, error);
    free(owner);
    f->desc.n_supports = n;
    f->desc.support_value = f->support_value;
    f->desc.support_curve = f->support_curve;
    return rc;
}

/* ---- loads ---------------------------------------------------------------------------------------------- */

piola_status pio_model_faces(const pio_model *m, const char *path, const char *body, const scene_where *on,
                             const char *use, pio_face_list *out, piola_error *error)
{
    const pio_mesh *mesh = &m->fem->mesh[pio_scene_body_number(m->scene, body)];
    const scene_where box = pio_model_box(m, on);
    piola_error inner = {0};
    *out = (pio_face_list){0};
    const piola_status rc = on->group ? pio_mesh_group_faces(mesh, on->group, out, &inner)
                                      : pio_mesh_faces_in_box(mesh, box.min, box.max, out, &inner);
    const int32_t n = out->n, inner_faces = rc ? 0 : pio_mesh_count_inner(mesh, out);
    if (!rc && n > 0 && !inner_faces) return PIOLA_OK;
    free(out->item);
    *out = (pio_face_list){0};
    if (inner_faces)
        return pio_scene_fault(m->scene, error, path,
                               "%d of the %d faces of the group '%s' lie inside the body, between two elements; %s",
                               inner_faces, n, on->group, use);
    if (!rc) return pio_scene_fault(m->scene, error, path, "no outer face of body '%s' lies there", body);
    if (rc == PIOLA_BAD_DATA) return pio_scene_fault(m->scene, error, path, "%s", inner.message);
    return pio_fail(error, rc, "%s", inner.message);
}

static piola_status faces_at(const pio_model *m, size_t number, pio_face_list *out, piola_error *error)
{
    const scene_load *l = &m->scene->loading.loads[number];
    char path[64];
    snprintf(path, sizeof path, "loads[%zu].on", number);
    return pio_model_faces(m, path, l->body, &l->on, "a load acts on outer faces", out, error);
}

static pio_load_kind kind_of(const scene_load *l)
{
    static const pio_load_kind kinds[] = {
        [PIO_TRACTION] = PIO_TRACTION,     [PIO_PRESSURE] = PIO_PRESSURE, [PIO_FORCE] = PIO_TRACTION,
        [PIO_POINT_FORCE] = PIO_TRACTION,  [PIO_FOLLOWER] = PIO_FOLLOWER, [PIO_BODY_FORCE] = PIO_BODY_FORCE,
        [PIO_FOUNDATION] = PIO_FOUNDATION, [PIO_SPRINGS] = PIO_SPRINGS,   [PIO_MOMENT] = PIO_TRACTION};
    return l->type == PIO_FOUNDATION && l->value.n > 1 ? PIO_SPRINGS : kinds[l->type];
}

/* Adds a load to the description, which owns `vertices` and `owner` then. */
static void put_load(pio_model *m, size_t number, pio_element_type type, int32_t n, int32_t *vertices, int32_t *owner,
                     double scale)
{
    const scene_load *l = &m->scene->loading.loads[number];
    const bool springs = l->type == PIO_FOUNDATION || l->type == PIO_SPRINGS;
    m->fem->loads[m->fem->desc.n_loads++] = (pio_load_desc){.kind = kind_of(l),
                                                            .type = type,
                                                            .n = n,
                                                            .vertices = vertices,
                                                            .owner = owner,
                                                            .value = (int32_t)number,
                                                            .curve = springs ? -1 : pio_model_curve(m->scene, l->curve),
                                                            .scale = scale,
                                                            .total = l->type == PIO_FORCE,
                                                            .moment = l->type == PIO_MOMENT};
}

/* Adds the faces of one type as a load of the description. */
static piola_status add_load(pio_model *m, size_t number, const pio_face_list *faces, pio_element_type type,
                             piola_error *error)
{
    pio_model_fem *f = m->fem;
    const scene_load *l = &m->scene->loading.loads[number];
    const int b = pio_scene_body_number(m->scene, l->body), nodes = pio_elements[type].nodes;
    int32_t *vertices = malloc(sizeof *vertices * (size_t)faces->n * (size_t)nodes);
    int32_t *owner = malloc(sizeof *owner * (size_t)faces->n), n = 0;
    if (!vertices || !owner) {
        free(vertices);
        free(owner);
        return pio_fail_memory(error, sizeof *vertices * (size_t)faces->n * (size_t)nodes, "loads");
    }
    for (int32_t i = 0; i < faces->n; i++) {
        int32_t own[PIO_FACE_NODES];
        pio_element_type cell;
        pio_mesh_element(&f->mesh[b], faces->item[i].cell, &cell);
        if (pio_elements[cell].face_type != type) continue;
        pio_mesh_face_nodes(&f->mesh[b], faces->item[i], own);
        for (int k = 0; k < nodes; k++) vertices[n * nodes + k] = own[k] + (int32_t)f->node_first[b];
        owner[n++] = (int32_t)f->element_first[b] + faces->item[i].cell;
    }
    put_load(m, number, type, n, vertices, owner, 1);
    return PIOLA_OK;
}

/* Adds the same force, or the same springs, at every node there. */
static piola_status set_points(pio_model *m, size_t number, piola_error *error)
{

    const scene_load *l = &m->scene->loading.loads[number];
    char path[64];
    pio_index_list nodes;
    snprintf(path, sizeof path, "loads[%zu].on", number);
    const piola_status rc = pio_model_nodes(m, path, l->body, &l->on, &nodes, error);
    if (rc) return rc;
    int32_t *owner = calloc((size_t)nodes.n, sizeof *owner); /* a point has none that matters */
    if (!owner) {
        free(nodes.item);
        return pio_fail_memory(error, sizeof *owner * (size_t)nodes.n, "loads");
    }
    put_load(m, number, PIO_POINT1, nodes.n, nodes.item, owner, 1.0 / nodes.n);
    return PIOLA_OK;
}

/* Lists the elements of a body force, all of the body where it has no `on`. */
static piola_status elements_at(const pio_model *m, size_t number, pio_index_list *out, piola_error *error)
{
    const pio_model_fem *f = m->fem;
    const scene_load *l = &m->scene->loading.loads[number];
    const size_t b = (size_t)pio_scene_body_number(m->scene, l->body);
    char path[64];
    snprintf(path, sizeof path, "loads[%zu].on", number);
    if (l->on.group || !isnan(l->on.min[0])) return pio_model_elements(m, path, b, &l->on, out, error);
    const int64_t n = f->element_first[b + 1] - f->element_first[b];
    *out = (pio_index_list){.item = malloc(sizeof *out->item * ((size_t)n + 1))};
    if (!out->item) return pio_fail_memory(error, sizeof *out->item * (size_t)n, "loads");
    for (; out->n < n; out->n++) out->item[out->n] = (int32_t)f->element_first[b] + out->n;
    return PIOLA_OK;
}

/* Adds a load of the description for every block that has some of its elements. */
static piola_status set_body_force(pio_model *m, size_t number, piola_error *error)
{
    const pio_model_fem *f = m->fem;
    pio_index_list all;
    piola_status rc = elements_at(m, number, &all, error);
    int32_t first = 0;
    for (int b = 0; !rc && b < f->desc.n_blocks; first += f->blocks[b++].n) {
        int32_t *own = malloc(sizeof *own * ((size_t)all.n + 1)), n = 0;
        if (!own) rc = pio_fail_memory(error, sizeof *own * (size_t)all.n, "loads");
        for (int32_t i = 0; own && i < all.n; i++)
            if (all.item[i] >= first && all.item[i] < first + f->blocks[b].n) own[n++] = all.item[i];
        if (n > 0)
            put_load(m, number, f->blocks[b].type, n, NULL, own, 1);
        else
            free(own);
    }
    free(all.item);
    return rc;
}

/* A load whose faces are of several types becomes one of the description for each. */
static piola_status set_load(pio_model *m, size_t number, piola_error *error)
{
    const scene_load *l = &m->scene->loading.loads[number];
    const int b = pio_scene_body_number(m->scene, l->body);
    const pio_mesh *mesh = &m->fem->mesh[b];
    bool has[PIO_ELEMENT_TYPES] = {false};
    pio_face_list faces;
    if (l->type == PIO_POINT_FORCE || l->type == PIO_SPRINGS) return set_points(m, number, error);
    if (l->type == PIO_BODY_FORCE) return set_body_force(m, number, error);
    piola_status rc = faces_at(m, number, &faces, error);
    for (int32_t i = 0; i < faces.n; i++) {
        pio_element_type cell;
        pio_mesh_element(mesh, faces.item[i].cell, &cell);
        has[pio_elements[cell].face_type] = true;
    }
    for (int t = 0; !rc && t < PIO_ELEMENT_TYPES; t++)
        if (has[t]) rc = add_load(m, number, &faces, (pio_element_type)t, error);
    free(faces.item);
    return rc;
}

piola_status pio_model_loads(pio_model *m, piola_error *error)
{
    const pio_scene *s = m->scene;
    pio_model_fem *f = m->fem;
    piola_status rc = PIOLA_OK;
    f->loads = calloc(PIO_ELEMENT_TYPES * s->loading.n_loads + 1, sizeof *f->loads); /* one for each type at most */
    f->values = calloc(3 * s->loading.n_loads + 1, sizeof *f->values);
    if (!f->loads || !f->values) return pio_fail_memory(error, s->loading.n_loads * sizeof *f->loads, "loads");
    for (size_t l = 0; !rc && l < s->loading.n_loads; l++) {
        for (size_t c = 0; c < s->loading.loads[l].value.n && c < 3; c++)
            f->values[3 * l + c] = s->loading.loads[l].value.v[c];
        rc = set_load(m, l, error);
    }
    f->desc.loads = f->loads;
    f->desc.n_values = (int32_t)s->loading.n_loads;
    f->desc.values = f->values;
    return rc;
}
