/* mesh_query.c -- queries of a mesh: elements, groups, boxes. */
#include "host/mesh/mesh.h"

#include "host/base/fail.h"
#include "host/base/nearest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- groups ----------------------------------------------------------------------------------------------- */

/* Writes the names of groups, as many as fit: "'left' (1D), 'all' (2D)". */
static void list_groups(const pio_mesh *mesh, char *out, size_t size)
{
    size_t at = 0;
    out[0] = '\0';
    for (int32_t g = 0; g < mesh->n_groups; g++) {
        const int n = snprintf(out + at, size - at, "%s'%s' (%dD)", g ? ", " : "", mesh->groups[g].name,
                               mesh->groups[g].dimension);
        if (n < 0 || (size_t)n + 8 >= size - at) {
            snprintf(out + at, size - at, ", ...");
            return;
        }
        at += (size_t)n;
    }
}

/* Reports that a group does not exist, or has another dimension. */
static void no_group(const pio_mesh *mesh, const char *name, int dimension, piola_error *error)
{
    char known[700];
    const size_t n = (size_t)mesh->n_groups;
    for (size_t g = 0; g < n; g++) {
        const pio_mesh_group *group = &mesh->groups[g];
        if (strcmp(group->name, name) != 0) continue;
        pio_fail(error, PIOLA_BAD_DATA,
                 "%.500s: error: the group '%.127s' is of dimension %d; one of dimension %d is needed", mesh->name,
                 name, group->dimension, dimension);
        return;
    }
    list_groups(mesh, known, sizeof known);
    const char **names = calloc(n + 1, sizeof *names);
    for (size_t g = 0; names && g < n; g++) names[g] = mesh->groups[g].name;
    const char *near = names ? pio_nearest(name, names, n) : NULL;
    pio_fail(error, PIOLA_BAD_DATA, "%.500s: error: no group '%.127s'%s%s%s; %s%s", mesh->name, name,
             near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "",
             n ? "the mesh has " : "the mesh has no groups: name them as physical groups", known);
    free(names);
}

/* Returns the group of that name and dimension (-1: of any, the greatest); NULL with PIOLA_BAD_DATA if there is none.
 */
static const pio_mesh_group *find_group(const pio_mesh *mesh, const char *name, int dimension, piola_error *error)
{
    for (int32_t g = 0; g < mesh->n_groups; g++)
        if (strcmp(mesh->groups[g].name, name) == 0 && (dimension < 0 || mesh->groups[g].dimension == dimension))
            return &mesh->groups[g];
    no_group(mesh, name, dimension, error);
    return NULL;
}

/* ---- lists ------------------------------------------------------------------------------------------------ */

static piola_status list_of_marks(const pio_mesh *mesh, const uint8_t *mark, pio_index_list *out, piola_error *error)
{
    int32_t n = 0;
    for (int32_t i = 0; i < mesh->n_nodes; i++) n += mark[i];
    *out = (pio_index_list){.item = malloc((size_t)n * sizeof *out->item + 1)};
    if (!out->item) return pio_fail_memory(error, (size_t)n * sizeof *out->item, "a list of nodes");
    for (int32_t i = 0; i < mesh->n_nodes; i++)
        if (mark[i]) out->item[out->n++] = i;
    return PIOLA_OK;
}

/* Allocates one zeroed byte per node. */
static piola_status take_marks(const pio_mesh *mesh, uint8_t **mark, piola_error *error)
{
    *mark = calloc((size_t)mesh->n_nodes + 1, 1);
    return *mark ? PIOLA_OK : pio_fail_memory(error, (size_t)mesh->n_nodes, "marks of nodes");
}

piola_status pio_mesh_group_nodes(const pio_mesh *mesh, const char *name, pio_index_list *out, piola_error *error)
{
    uint8_t *mark;
    *out = (pio_index_list){0};
    if (!find_group(mesh, name, -1, error)) return PIOLA_BAD_DATA;
    piola_status status = take_marks(mesh, &mark, error);
    if (status) return status;
    for (int32_t g = 0; g < mesh->n_groups; g++) {
        const pio_mesh_group *group = &mesh->groups[g];
        if (strcmp(group->name, name) != 0) continue;
        for (int32_t i = 0; i < group->n; i++) {
            pio_element_type type;
            const int32_t *nodes = pio_mesh_element(mesh, group->elements[i], &type);
            for (int a = 0; a < pio_elements[type].nodes; a++) mark[nodes[a]] = 1;
        }
    }
    status = list_of_marks(mesh, mark, out, error);
    free(mark);
    return status;
}

void pio_mesh_center(const pio_mesh *mesh, int32_t element, double center[3])
{
    pio_element_type type;
    const int32_t *nodes = pio_mesh_element(mesh, element, &type);
    for (int a = 0; a < 3; a++) {
        double sum = 0;
        for (int k = 0; k < pio_elements[type].nodes; k++) sum += mesh->x[3 * (size_t)nodes[k] + (size_t)a];
        center[a] = sum / pio_elements[type].nodes;
    }
}

piola_status pio_mesh_group_cells(const pio_mesh *mesh, const char *name, pio_index_list *out, piola_error *error)
{
    *out = (pio_index_list){0};
    const pio_mesh_group *group = find_group(mesh, name, mesh->dimension, error);
    if (!group) return PIOLA_BAD_DATA;
    const size_t bytes = (size_t)group->n * sizeof *out->item;
    out->item = malloc(bytes + 1);
    if (!out->item) return pio_fail_memory(error, bytes, "a list of cells");
    if (bytes) memcpy(out->item, group->elements, bytes);
    out->n = group->n;
    return PIOLA_OK;
}

static int face_order(const void *a, const void *b)
{
    const pio_mesh_face *x = a, *y = b;
    return x->cell != y->cell ? (x->cell > y->cell) - (x->cell < y->cell) : (x->face > y->face) - (x->face < y->face);
}

piola_status pio_mesh_group_faces(const pio_mesh *mesh, const char *name, pio_face_list *out, piola_error *error)
{
    *out = (pio_face_list){0};
    const pio_mesh_group *group = find_group(mesh, name, mesh->dimension - 1, error);
    if (!group) return PIOLA_BAD_DATA;
    const size_t bytes = (size_t)group->n * sizeof *out->item;
    out->item = malloc(bytes + 1);
    if (!out->item) return pio_fail_memory(error, bytes, "a list of faces");
    for (int32_t i = 0; i < group->n; i++) out->item[i] = mesh->facet[group->elements[i] - mesh->n_cells];
    out->n = group->n;
    if (out->n) qsort(out->item, (size_t)out->n, sizeof *out->item, face_order);
    return PIOLA_OK;
}

int32_t pio_mesh_count_inner(const pio_mesh *mesh, const pio_face_list *faces)
{
    int32_t n = 0;
    for (int32_t i = 0; i < faces->n; i++)
        n += !bsearch(&faces->item[i], mesh->outer, (size_t)mesh->n_outer, sizeof *mesh->outer, face_order);
    return n;
}

/* ---- places ----------------------------------------------------------------------------------------------- */

piola_status pio_mesh_nodes_in_box(const pio_mesh *mesh, const double low[3], const double high[3], pio_index_list *out,
                                   piola_error *error)
{
    uint8_t *mark;
    *out = (pio_index_list){0};
    piola_status status = take_marks(mesh, &mark, error);
    if (status) return status;
    for (int32_t i = 0; i < mesh->n_nodes; i++) {
        const double *x = mesh->x + 3 * (size_t)i;
        mark[i] = 1;
        for (int a = 0; a < mesh->dimension; a++) mark[i] = mark[i] && low[a] <= x[a] && x[a] <= high[a];
    }
    status = list_of_marks(mesh, mark, out, error);
    free(mark);
    return status;
}
