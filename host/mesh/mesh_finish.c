/* mesh_finish.c -- unsorted meshes, and how they become meshes. */
#include "host/mesh/mesh_parts.h"

#include "host/base/fail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int32_t pio_raw_group(pio_raw_mesh *raw, int dimension, int32_t tag)
{
    const int64_t key = pio_tag_key(dimension, tag);
    const int32_t known = pio_tag_find(&raw->group_of, key), n = raw->mesh.n_groups;
    if (known >= 0) return known;
    if ((size_t)n == raw->group_room) {
        const size_t room = raw->group_room ? 2 * raw->group_room : 8;
        pio_mesh_group *groups = room < INT32_MAX ? realloc(raw->mesh.groups, room * sizeof *groups) : NULL;
        if (!groups) return -1;
        raw->mesh.groups = groups;
        raw->group_room = room;
    }
    char *name = malloc(24);
    if (!name || !pio_tag_add(&raw->group_of, key, n)) {
        free(name);
        return -1;
    }
    snprintf(name, 24, "group_%d", tag);
    raw->mesh.groups[n] = (pio_mesh_group){.name = name, .dimension = dimension, .tag = tag};
    return raw->mesh.n_groups++;
}

int32_t pio_raw_set_add(pio_raw_mesh *raw, const int32_t *group, int32_t n)
{
    if (raw->n_sets == raw->set_room) {
        const size_t room = raw->set_room ? 2 * raw->set_room : 8;
        pio_raw_set *sets = room < INT32_MAX ? realloc(raw->sets, room * sizeof *sets) : NULL;
        if (!sets) return -1;
        raw->sets = sets;
        raw->set_room = room;
    }
    int32_t *copy = malloc((size_t)n * sizeof *copy + 1);
    if (!copy) return -1;
    if (n) memcpy(copy, group, (size_t)n * sizeof *copy);
    raw->sets[raw->n_sets] = (pio_raw_set){n, copy};
    return (int32_t)raw->n_sets++;
}

static bool grow(pio_raw_block *b, size_t nodes, size_t room)
{
    int32_t *grown = realloc(b->nodes, room * nodes * sizeof *grown);
    if (!grown) return false;
    b->nodes = grown;
    int64_t *tag = realloc(b->tag, room * sizeof *tag);
    if (!tag) return false;
    b->tag = tag;
    int32_t *set = realloc(b->set, room * sizeof *set);
    if (!set) return false;
    b->set = set;
    b->room = (int64_t)room;
    return true;
}

bool pio_raw_reserve(pio_raw_mesh *raw, pio_element_type type, int64_t n)
{
    pio_raw_block *b = &raw->block[type];
    const int64_t needed = b->n + n,
                  more = b->room +
                         b->room / 2; /* grow by half, so that many small blocks do not move the array each time */
    if (needed <= b->room) return true;
    return grow(b, (size_t)pio_elements[type].nodes, (size_t)(needed > more ? needed : more));
}

int32_t *pio_raw_element(pio_raw_mesh *raw, pio_element_type type, int64_t tag, int32_t set)
{
    pio_raw_block *b = &raw->block[type];
    const size_t nodes = (size_t)pio_elements[type].nodes;
    if (b->n == b->room && !grow(b, nodes, b->room ? 2 * (size_t)b->room : 64)) return NULL;
    b->tag[b->n] = tag;
    b->set[b->n] = set;
    return b->nodes + nodes * (size_t)b->n++;
}

void pio_raw_free(pio_raw_mesh *raw)
{
    for (int t = 0; t < PIO_ELEMENT_TYPES; t++) {
        free(raw->block[t].nodes);
        free(raw->block[t].tag);
        free(raw->block[t].set);
        free(raw->block[t].into);
    }
    for (size_t s = 0; s < raw->n_sets; s++) free(raw->sets[s].group);
    free(raw->sets);
    pio_tag_free(&raw->node);
    pio_tag_free(&raw->group_of);
    pio_tag_free(&raw->set_of);
    pio_mesh_free(&raw->mesh);
    *raw = (pio_raw_mesh){0};
}

void pio_mesh_free(pio_mesh *mesh)
{
    if (!mesh) return;
    for (int t = 0; t < PIO_ELEMENT_TYPES; t++) {
        free(mesh->block[t].nodes);
        free(mesh->block[t].tag);
    }
    for (int32_t g = 0; g < mesh->n_groups; g++) {
        free(mesh->groups[g].name);
        free(mesh->groups[g].elements);
    }
    free(mesh->groups);
    free(mesh->name);
    free(mesh->x);
    free(mesh->node_tag);
    free(mesh->outer);
    free(mesh->facet);
    *mesh = (pio_mesh){0};
}

/* ---- groups ---------------------------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Counts or stores every group of every element that is kept. */
static void spread(const pio_raw_mesh *raw, pio_mesh *mesh, bool store)
{
    for (int32_t g = 0; g < mesh->n_groups; g++) mesh->groups[g].n = 0;
    for (int t = 0; t < PIO_ELEMENT_TYPES; t++) {
        const pio_raw_block *b = &raw->block[t];
        for (int64_t i = 0; i < b->n; i++) {
            if (b->set[i] < 0 || b->into[i] < 0) continue;
            const pio_raw_set *set = &raw->sets[b->set[i]];
            for (int32_t k = 0; k < set->n; k++) {
                pio_mesh_group *group = &mesh->groups[set->group[k]];
                if (store) group->elements[group->n] = mesh->block[t].first + b->into[i];
                group->n++;
            }
        }
    }
}

static piola_status put_in_groups(const pio_raw_mesh *raw, pio_mesh *mesh, piola_error *error)
{
    spread(raw, mesh, false);
    for (int32_t g = 0; g < mesh->n_groups; g++) {
        pio_mesh_group *group = &mesh->groups[g];
        const size_t bytes = (size_t)group->n * sizeof *group->elements;
        group->elements = malloc(bytes + 1);
        if (!group->elements) return pio_fail_memory(error, bytes, "a group of a mesh");
    }
    spread(raw, mesh, true);
    for (int32_t g = 0; g < mesh->n_groups; g++) {
        pio_mesh_group *group = &mesh->groups[g];
        bool sorted = true;
        for (int32_t i = 1; i < group->n; i++) sorted &= group->elements[i] >= group->elements[i - 1];
        if (!sorted) qsort(group->elements, (size_t)group->n, sizeof *group->elements, by_number);
        for (int32_t i = 1; i < group->n; i++)
            if (group->elements[i] == group->elements[i - 1])
                return pio_mesh_fail(mesh, error,
                                     "element %lld is listed twice in group '%s'; a group may list each element once",
                                     (long long)pio_mesh_element_tag(mesh, group->elements[i]), group->name);
        if (!group->n)
            pio_mesh_warn(mesh, "the group '%s' has no elements%s", group->name,
                          raw->repeats ? " (with Mesh.SaveAll, Gmsh loses the groups of MSH 2.2; use 4.1)" : "");
    }
    return PIOLA_OK;
}

static int by_dimension_and_name(const void *a, const void *b)
{
    const pio_mesh_group *x = a, *y = b;
    return x->dimension != y->dimension ? y->dimension - x->dimension : strcmp(x->name, y->name);
}

static int by_dimension_and_tag(const void *a, const void *b)
{
    const pio_mesh_group *x = a, *y = b;
    return x->dimension != y->dimension ? y->dimension - x->dimension : (x->tag > y->tag) - (x->tag < y->tag);
}

static piola_status sort_groups(pio_mesh *mesh, piola_error *error)
{
    const size_t n = (size_t)mesh->n_groups;
    if (n) qsort(mesh->groups, n, sizeof *mesh->groups, by_dimension_and_name);
    for (size_t g = 1; g < n; g++) {
        const pio_mesh_group *one = &mesh->groups[g - 1], *other = &mesh->groups[g];
        if (by_dimension_and_name(one, other) == 0)
            return pio_mesh_fail(
                mesh, error, "two physical groups of dimension %d are named '%s' (tags %d and %d); names must differ",
                one->dimension, one->name, one->tag, other->tag);
    }
    if (n) qsort(mesh->groups, n, sizeof *mesh->groups, by_dimension_and_tag);
    return PIOLA_OK;
}

piola_status pio_raw_finish(pio_raw_mesh *raw, pio_mesh *out, piola_error *error)
{
    piola_status status = pio_raw_sort(raw, error);
    if (!status) status = put_in_groups(raw, &raw->mesh, error);
    if (!status) status = sort_groups(&raw->mesh, error);
    if (!status) status = pio_mesh_check(&raw->mesh, error);
    if (!status) status = pio_mesh_find_faces(&raw->mesh, error);
    if (!status) {
        *out = raw->mesh;
        raw->mesh = (pio_mesh){0};
    }
    pio_raw_free(raw);
    return status;
}
