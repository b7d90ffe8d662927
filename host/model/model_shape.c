/* model_shape.c -- see model_shape.h. */
#include "host/model/model_shape.h"

#include "host/base/fail.h"
#include "host/scene/scene_names.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool has_part(const scene_design *d)
{
    return d->on.group || !isnan(d->on.min[0]);
}

/* Keeps only the nodes of the part of the surface. */
static piola_status keep_part(const pio_model *m, const scene_design *design, const scene_path *path, const char *at,
                              int32_t *index, int32_t *groups, piola_error *error)
{
    const int b = path->index;
    const int64_t nodes = m->fem->node_first[m->fem->bodies];
    pio_index_list list;
    char on[120];
    snprintf(on, sizeof on, "%.100s.on", at);
    const piola_status rc = pio_model_nodes(m, on, m->scene->matter.bodies[b].name, &design->on, &list, error);
    if (rc) return rc;
    for (int64_t i = 0; i < nodes; i++) index[i] = -1;
    for (int32_t i = 0; i < list.n; i++) index[list.item[i]] = i;
    *groups = list.n;
    free(list.item);
    return PIOLA_OK;
}

/* Computes area times outward normal of the polygon of a face's corners, m^2 (2D: m). */
static void area_vector(const pio_mesh *mesh, const int32_t *node, int corners, double out[3])
{
    const double *x[4];
    double a[3], b[3];
    for (int k = 0; k < corners; k++) x[k] = mesh->x + 3 * (size_t)node[k];
    if (corners == 2) { /* the outside is to the right of the way from 0 to 1 */
        out[0] = x[1][1] - x[0][1];
        out[1] = x[0][0] - x[1][0];
        out[2] = 0;
        return;
    }
    for (int c = 0; c < 3; c++) {
        a[c] = corners == 3 ? x[1][c] - x[0][c] : x[2][c] - x[0][c];
        b[c] = corners == 3 ? x[2][c] - x[0][c] : x[3][c] - x[1][c];
    }
    for (int c = 0; c < 3; c++) out[c] = 0.5 * (a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3]);
}

/* Finds the nodes of outer face number i, and its area vector; returns the number of nodes. */
static int outer_face(const pio_mesh *mesh, int32_t i, int32_t node[PIO_FACE_NODES], double n[3])
{
    pio_element_type type;
    const int count = pio_mesh_face_nodes(mesh, mesh->outer[i], node);
    pio_mesh_element(mesh, mesh->outer[i].cell, &type);
    const pio_element_type face = pio_elements[type].face_type;
    area_vector(mesh, node, mesh->dimension == 2 ? 2 : face == PIO_TRI3 || face == PIO_TRI6 ? 3 : 4, n);
    return count;
}

/* Adds to each node of the outer faces that are wholly designed their area vectors. */
static void add_normals(const pio_model *m, int b, const int32_t *index, double *direction)
{
    const pio_mesh *mesh = &m->fem->mesh[b];
    const int64_t first = m->fem->node_first[b], dim = m->scene->method.dimension;
    for (int32_t i = 0; i < mesh->n_outer; i++) {
        int32_t node[PIO_FACE_NODES];
        double n[3];
        bool designed = true;
        const int count = outer_face(mesh, i, node, n);
        for (int k = 0; k < count; k++) designed &= index[first + node[k]] >= 0;
        if (!designed) continue;
        for (int k = 0; k < count; k++)
            for (int64_t c = 0; c < dim; c++) direction[(first + node[k]) * dim + c] += n[c];
    }
}

/* Finds the unit vectors in which designed nodes move, [nodes][dim]. */
static piola_status find_directions(const pio_model *m, const scene_design *design, const scene_path *path,
                                    const char *at, const int32_t *index, double **out, piola_error *error)
{
    const int64_t nodes = m->fem->node_first[m->fem->bodies], dim = m->scene->method.dimension;
    const size_t count = (size_t)(nodes * dim);
    double *direction = calloc(count + 1, sizeof *direction);
    *out = direction;
    if (!direction) return pio_fail_memory(error, sizeof *direction * count, "a shape");
    if (design->along == SCENE_ALONG_NORMAL) add_normals(m, path->index, index, direction);
    for (int64_t i = 0; i < nodes; i++) {
        double *n = direction + i * dim, length = 0;
        char along[120];
        if (design->along != SCENE_ALONG_NORMAL) n[design->along - SCENE_ALONG_X] = 1;
        for (int64_t c = 0; c < dim; c++) length = hypot(length, n[c]);
        for (int64_t c = 0; c < dim && length > 0; c++) n[c] /= length;
        if (length > 0 || index[i] < 0) continue;
        snprintf(along, sizeof along, "%.100s.along", at);
        const double *x = m->fem->rest + i * dim;
        return pio_scene_fault(
            m->scene, error, along,
            "the node at (%g, %g%s) is on no outer face that lies wholly in `on`, and so has no normal", x[0], x[1],
            dim == 3 ? ", ..." : "");
    }
    return PIOLA_OK;
}

piola_status pio_model_shape(const pio_model *m, const scene_design *design, const scene_path *path, const char *at,
                             int32_t *index, pio_design_desc *d, piola_error *error)
{
    double *direction = NULL;
    piola_status rc = PIOLA_OK;
    if (has_part(design)) rc = keep_part(m, design, path, at, index, &d->groups, error);
    if (!rc && design->along != SCENE_ALONG_ALL) rc = find_directions(m, design, path, at, index, &direction, error);
    d->direction = direction;
    return rc;
}

/* ---- the nodes that follow ------------------------------------------------------------------------------- */

/* Returns the bits of the axes that a face leaves free: those across its normal where that is an axis, else none. */
static int32_t free_axes(const double n[3], int dimension)
{
    const int32_t all = (1 << dimension) - 1;
    const double length = hypot(hypot(n[0], n[1]), n[2]);
    for (int a = 0; a < dimension; a++)
        if (fabs(n[a]) >= (1 - 1e-9) * length) return all & ~(1 << a);
    return 0;
}

/* Nodes inside the body follow along all axes; those of its surface stay on it: they slide where it is normal to an
 * axis. */
static void mark_followers(const pio_model *m, int b, int32_t *follows)
{
    const pio_mesh *mesh = &m->fem->mesh[b];
    const int64_t first = m->fem->node_first[b];
    for (int64_t i = first; i < m->fem->node_first[b + 1]; i++) follows[i] = (1 << mesh->dimension) - 1;
    for (int32_t i = 0; i < mesh->n_outer; i++) {
        int32_t node[PIO_FACE_NODES];
        double n[3];
        const int count = outer_face(mesh, i, node, n);
        for (int k = 0; k < count; k++) follows[first + node[k]] &= free_axes(n, mesh->dimension);
    }
}

/* Sets E = 1/volume (Stein, Tezduyar and Benney 2003, with their exponent 1), relative to the mean; nu = 0.3. */
static bool set_stiffness(const pio_model *m, double *parameters)
{
    const pio_model_fem *f = m->fem;
    for (int b = 0; b < f->bodies; b++) {
        const pio_mesh *mesh = &f->mesh[b];
        double *volume = malloc(sizeof *volume * ((size_t)mesh->n_cells + 1));
        if (!volume) return false;
        pio_mesh_cell_volumes(mesh, volume);
        for (int32_t e = 0; e < mesh->n_cells; e++) {
            parameters[5 * (f->element_first[b] + e)] = mesh->volume / mesh->n_cells / volume[e];
            parameters[5 * (f->element_first[b] + e) + 1] = 0.3;
        }
        free(volume);
    }
    return true;
}

piola_status pio_model_follow(pio_model *m, piola_error *error)
{
    pio_model_fem *f = m->fem;
    const size_t nodes = (size_t)f->node_first[f->bodies], elements = (size_t)f->element_first[f->bodies];
    for (int k = 0; k < m->n_parameters; k++) {
        const pio_parameter *p = &m->parameters[k];
        if (p->design->mesh_update != SCENE_MESH_ELASTIC) continue;
        if (!f->follows) {
            f->follows = calloc(nodes + 1, sizeof *f->follows);
            f->follow_parameters = calloc(5 * elements + 1, sizeof *f->follow_parameters);
            if (!f->follows || !f->follow_parameters || !set_stiffness(m, f->follow_parameters))
                return pio_fail_memory(error, 4 * nodes + 48 * elements, "the update of the mesh");
        }
        mark_followers(m, p->target->index, f->follows);
    }
    for (int k = 0; f->follows && k < m->n_parameters; k++)
        for (size_t i = 0; m->designs[k].quantity == PIO_POSITION && i < nodes; i++)
            if (m->designs[k].index[i] >= 0) f->follows[i] = 0;
    f->desc.follows = f->follows;
    f->desc.follow_parameters = f->follow_parameters;
    return PIOLA_OK;
}
