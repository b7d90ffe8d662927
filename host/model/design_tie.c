/* design_tie.c -- see design_tie.h. Sets of tied elements are trees, whose root is the least number. */
#include "host/model/design_tie.h"

#include "host/base/fail.h"
#include "host/base/stop.h"
#include "host/model/model_fem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double NEAR = 1e-4; /* parts of the shortest edge by which centres may differ: files round coordinates */

piola_status pio_field_elements_create(pio_field_elements *out, const pio_model *m, const int32_t *index, int32_t n,
                                       piola_error *error)
{
    const pio_model_fem *f = m->fem;
    const size_t all = (size_t)f->element_first[f->bodies] + 1;
    double *volume = malloc(sizeof *volume * all);
    *out = (pio_field_elements){.item = malloc(sizeof *out->item * ((size_t)n + 1)),
                                .x = calloc(3 * ((size_t)n + 1), sizeof *out->x),
                                .volume = malloc(sizeof *out->volume * ((size_t)n + 1))};
    const bool ok = volume && out->item && out->x && out->volume;
    for (int b = 0; ok && b < f->bodies; b++) {
        const pio_mesh *mesh = &f->mesh[b];
        pio_mesh_cell_volumes(mesh, volume);
        for (int32_t c = 0; c < mesh->n_cells; c++) {
            pio_element_type type;
            const int32_t *nodes = pio_mesh_element(mesh, c, &type);
            if (index[f->element_first[b] + c] < 0) continue;
            double *x = out->x + 3 * (size_t)out->n;
            for (int k = 0; k < pio_elements[type].nodes; k++)
                for (int a = 0; a < 3; a++)
                    x[a] += mesh->x[3 * (size_t)nodes[k] + (size_t)a] / pio_elements[type].nodes;
            out->item[out->n] = (int32_t)f->element_first[b] + c;
            out->volume[out->n++] = volume[c];
        }
    }
    free(volume);
    return ok ? PIOLA_OK : pio_fail_memory(error, all * sizeof *volume, "a design");
}

void pio_field_elements_free(pio_field_elements *e)
{
    free(e->item);
    free(e->x);
    free(e->volume);
    *e = (pio_field_elements){0};
}

static int32_t root_of(const int32_t *root, int32_t i)
{
    while (root[i] != i) i = root[i];
    return i;
}

static void tie(int32_t *root, int32_t i, int32_t j)
{
    const int32_t p = root_of(root, i), q = root_of(root, j), least = p < q ? p : q;
    root[p] = root[q] = least;
    root[i] = root[j] = least; /* shortens the paths */
}

/* ---- mirror images ------------------------------------------------------------------------------------------ */

/* An element in a grid of cells as large as the shortest edge. */
typedef struct {
    int64_t cell[3];
    int32_t number;
} place;

static int order(const void *a, const void *b)
{
    const place *p = a, *q = b;
    for (int k = 0; k < 3; k++)
        if (p->cell[k] != q->cell[k]) return p->cell[k] < q->cell[k] ? -1 : 1;
    return (p->number > q->number) - (p->number < q->number);
}

static double distance(const double *x, const double *y)
{
    return hypot(hypot(x[0] - y[0], x[1] - y[1]), x[2] - y[2]);
}

/* Returns the element whose centre is at x, of several the least, or -1; `places` are sorted. */
static int32_t find(const place *places, const pio_field_elements *e, double edge, const double x[3])
{
    int32_t found = -1;
    for (int k = 0; k < 8; k++) { /* the cells of the corners of a cube about x */
        place wanted = {.number = -1};
        for (int a = 0; a < 3; a++) wanted.cell[a] = (int64_t)floor((x[a] + (k >> a & 1 ? NEAR : -NEAR) * edge) / edge);
        int32_t low = 0, high = e->n;
        while (low < high) {
            const int32_t half = low + (high - low) / 2;
            if (order(&places[half], &wanted) < 0)
                low = half + 1;
            else
                high = half;
        }
        for (; low < e->n && !memcmp(places[low].cell, wanted.cell, sizeof wanted.cell); low++) {
            const int32_t i = places[low].number;
            if (distance(e->x + 3 * (size_t)i, x) <= NEAR * edge && (found < 0 || i < found)) found = i;
        }
    }
    return found;
}

static piola_status no_image(const pio_model *m, const char *path, const pio_field_elements *e, int32_t i,
                             const double image[3], piola_error *error)
{
    double nearest = INFINITY;
    char here[80], there[80];
    for (int32_t j = 0; j < e->n; j++) nearest = fmin(nearest, distance(e->x + 3 * (size_t)j, image));
    pio_model_place(m, e->x + 3 * (size_t)i, here, sizeof here);
    pio_model_place(m, image, there, sizeof there);
    return pio_scene_fault(m->scene, error, path,
                           "the element with its centre at %s has no mirror image: none is at %s, and the nearest "
                           "centre is %.3g m from there; move the plane, or use a mesh that is symmetrical",
                           here, there, nearest);
}

static piola_status mirror(const pio_model *m, const scene_design *design, int axis, const place *places,
                           const pio_field_elements *e, int32_t *root, piola_error *error)
{
    char path[64];
    snprintf(path, sizeof path, "design[%zu].symmetry.%c", (size_t)(design - m->scene->goal.design), "xyz"[axis]);
    for (int32_t i = 0; i < e->n; i++) {
        double image[3];
        memcpy(image, e->x + 3 * (size_t)i, sizeof image);
        image[axis] = 2 * design->map.symmetry[axis] - image[axis];
        const int32_t j = find(places, e, m->fem->edge, image);
        if (j < 0) return no_image(m, path, e, i, image, error);
        if (fabs(e->volume[i] - e->volume[j]) > 1e-3 * e->volume[i]) {
            char here[80];
            pio_model_place(m, image, here, sizeof here);
            return pio_scene_fault(m->scene, error, path,
                                   "the element with its centre at %s is %.3g times as large as its mirror image; use "
                                   "a mesh that is symmetrical",
                                   here, e->volume[j] / e->volume[i]);
        }
        tie(root, i, j);
    }
    return PIOLA_OK;
}

static piola_status mirror_all(const pio_model *m, const scene_design *design, const pio_field_elements *e,
                               int32_t *root, piola_error *error)
{
    const double *planes = design->map.symmetry;
    if (!isfinite(planes[0]) && !isfinite(planes[1]) && !isfinite(planes[2])) return PIOLA_OK;
    place *places = malloc(sizeof *places * ((size_t)e->n + 1));
    if (!places) return pio_fail_memory(error, sizeof *places * (size_t)e->n, "a design");
    for (int32_t i = 0; i < e->n; i++) {
        places[i].number = i;
        for (int a = 0; a < 3; a++) places[i].cell[a] = (int64_t)floor(e->x[3 * (size_t)i + (size_t)a] / m->fem->edge);
    }
    qsort(places, (size_t)e->n, sizeof *places, order);
    piola_status rc = PIOLA_OK;
    for (int axis = 0; !rc && axis < 3; axis++)
        if (isfinite(planes[axis])) rc = mirror(m, design, axis, places, e, root, error);
    free(places);
    return rc;
}

/* ---- columns ------------------------------------------------------------------------------------------------ */

/* An element by a coordinate that all of its column have. */
typedef struct {
    double at;
    int32_t number;
} aside;

static int by_place(const void *a, const void *b)
{
    const aside *p = a, *q = b;
    if (p->at < q->at || p->at > q->at) return p->at < q->at ? -1 : 1;
    return (p->number > q->number) - (p->number < q->number);
}

/* Ties the elements of list[n] that differ by no more than `near` along all axes from `axis` on except `extruded`. */
static void tie_columns(aside *list, int32_t n, const pio_field_elements *e, int axis, int extruded, double near,
                        int32_t *root)
{
    if (axis == extruded) axis++;
    if (axis > 2) {
        for (int32_t i = 1; i < n; i++) tie(root, list[0].number, list[i].number);
        return;
    }
    for (int32_t i = 0; i < n; i++) list[i].at = e->x[3 * (size_t)list[i].number + (size_t)axis];
    qsort(list, (size_t)n, sizeof *list, by_place);
    for (int32_t first = 0, i = 1; i <= n; i++) {
        if (i < n && list[i].at - list[i - 1].at <= near) continue;
        tie_columns(list + first, i - first, e, axis + 1, extruded, near, root);
        first = i;
    }
}

/* Returns the area, in 2D the length, of a face as seen along an axis. */
static double seen_along(const pio_mesh *mesh, pio_mesh_face face, int axis)
{
    int32_t node[PIO_FACE_NODES];
    pio_element_type type;
    pio_mesh_face_nodes(mesh, face, node);
    pio_mesh_element(mesh, face.cell, &type);
    const int corners = pio_elements[pio_elements[type].face_type].corners, p = (axis + 1) % 3, q = (axis + 2) % 3;
    const double *first = mesh->x + 3 * (size_t)node[0];
    if (mesh->dimension == 2) return fabs(mesh->x[3 * (size_t)node[1] + (size_t)(1 - axis)] - first[1 - axis]);
    double sum = 0;
    for (int k = 1; k + 1 < corners; k++) {
        const double *x = mesh->x + 3 * (size_t)node[k], *y = mesh->x + 3 * (size_t)node[k + 1];
        sum += (x[p] - first[p]) * (y[q] - first[q]) - (x[q] - first[q]) * (y[p] - first[p]);
    }
    return fabs(sum) / 2;
}

/* Returns PIOLA_BAD_DATA where two elements of a body share a face across the axis and are not of one column. */
static piola_status check_columns(const pio_model *m, const scene_design *design, int b, const pio_field_elements *e,
                                  const int32_t *local, const int32_t *root, piola_error *error)
{
    const pio_mesh *mesh = &m->fem->mesh[b];
    const int64_t first = m->fem->element_first[b];
    const int axis = (int)design->map.extrusion - SCENE_EXTRUDED_X;
    const double least = NEAR * pow(m->fem->edge, mesh->dimension - 1);
    pio_face_list faces;
    int32_t *other;
    piola_status rc = pio_mesh_inner_faces(mesh, &faces, &other, error);
    for (int32_t k = 0; !rc && k < faces.n; k++) {
        const int32_t i = local[first + faces.item[k].cell], j = local[first + other[k]];
        if (i < 0 || j < 0 || root_of(root, i) == root_of(root, j)) continue;
        if (seen_along(mesh, faces.item[k], axis) <= least) continue;
        double x[3], y[3];
        char here[80], there[80], path[64];
        memcpy(x, e->x + 3 * (size_t)i, sizeof x);
        memcpy(y, e->x + 3 * (size_t)j, sizeof y);
        pio_model_place(m, x, here, sizeof here);
        pio_model_place(m, y, there, sizeof there);
        x[axis] = y[axis] = 0;
        snprintf(path, sizeof path, "design[%zu].extrusion", (size_t)(design - m->scene->goal.design));
        rc = pio_scene_fault(m->scene, error, path,
                             "the elements with centres at %s and %s follow each other along %c, and are %.3g m aside; "
                             "extrusion needs a mesh of columns along %c",
                             here, there, "xyz"[axis], distance(x, y), "xyz"[axis]);
    }
    free(faces.item);
    free(other);
    return rc;
}

static piola_status extrude(const pio_model *m, const scene_design *design, const pio_field_elements *e, int32_t *root,
                            piola_error *error)
{
    const pio_model_fem *f = m->fem;
    const size_t all = (size_t)f->element_first[f->bodies] + 1;
    aside *list = malloc(sizeof *list * ((size_t)e->n + 1));
    int32_t *local = malloc(sizeof *local * all), *column = malloc(sizeof *column * ((size_t)e->n + 1));
    piola_status rc = list && local && column ? PIOLA_OK : pio_fail_memory(error, all * sizeof *list, "a design");
    for (size_t k = 0; !rc && k < all; k++) local[k] = -1;
    for (int32_t i = 0; !rc && i < e->n; i++) {
        local[e->item[i]] = i;
        list[i].number = column[i] = i;
    }
    if (!rc) tie_columns(list, e->n, e, 0, (int)design->map.extrusion - SCENE_EXTRUDED_X, NEAR * f->edge, column);
    for (int b = 0; !rc && b < f->bodies; b++) rc = check_columns(m, design, b, e, local, column, error);
    for (int32_t i = 0; !rc && i < e->n; i++) tie(root, i, root_of(column, i));
    free(list);
    free(local);
    free(column);
    return rc;
}

piola_status pio_design_tie(const pio_model *m, const scene_design *design, const pio_field_elements *e, int32_t *root,
                            piola_error *error)
{
    for (int32_t i = 0; i < e->n; i++) root[i] = i;
    piola_status rc = mirror_all(m, design, e, root, error);
    if (!rc && design->map.extrusion != SCENE_EXTRUDED_NOT) rc = extrude(m, design, e, root, error);
    for (int32_t i = 0; !rc && i < e->n; i++) root[i] = root_of(root, i);
    return rc ? rc : pio_stop("tying the elements of a design", error);
}
