/* mesh_parts.h -- what the reader and the builders of meshes share: a mesh as it comes, before it is put in order. */
#ifndef PIOLA_HOST_MESH_PARTS_H
#define PIOLA_HOST_MESH_PARTS_H

#include "host/mesh/mesh.h"

/* ---- numbers by tag -------------------------------------------------------------------------------------- */

typedef struct pio_tag_map { /* small keys in a table, others by open addressing, half full at most */
    size_t room, n;          /* room: a power of 2, or 0 */
    int64_t *key;
    int32_t *value; /* -1: free */
    size_t n_direct;
    int32_t *direct; /* [n_direct] 1 + the value of this key; 0: none */
} pio_tag_map;

/* -1: none. */
int32_t pio_tag_find_hashed(const pio_tag_map *map, int64_t key);
static inline int32_t pio_tag_find(const pio_tag_map *map, int64_t key)
{
    return (uint64_t)key < map->n_direct ? map->direct[key] - 1 : pio_tag_find_hashed(map, key);
}
/* The key must be new and the value not negative and below 2^31 - 1. False: no memory. */
bool pio_tag_add(pio_tag_map *map, int64_t key, int32_t value);
/* Make ready, while it is empty, for n keys that are mostly 0 .. 2 n. False: no memory. */
bool pio_tag_reserve(pio_tag_map *map, size_t n);
void pio_tag_free(pio_tag_map *map);
/* A dimension and a tag as one key. */
int64_t pio_tag_key(int dimension, int32_t tag);

/* ---- a mesh as it comes ---------------------------------------------------------------------------------- */

typedef struct pio_raw_block {
    int64_t n, room;
    int32_t *nodes; /* [n][nodes of the type], VTK's order, numbers in raw->x */
    int64_t *tag;
    int32_t *set;  /* the groups it lies in; -1: none */
    int32_t *into; /* [n] used when put in order: its number among those kept, -1 when left out */
} pio_raw_block;

typedef struct pio_raw_set {
    int32_t n;
    int32_t *group;
} pio_raw_set;

enum { PIO_MOST_GROUPS = 64 }; /* of one element */

typedef struct pio_raw_mesh {
    pio_mesh mesh; /* name, built, x, node_tag, n_nodes and, without elements, groups */
    bool repeats;  /* an element of several groups stands once for each (MSH 2.2) */
    pio_tag_map node, group_of, set_of;
    pio_raw_block block[PIO_ELEMENT_TYPES];
    size_t n_sets, set_room, group_room;
    pio_raw_set *sets;
} pio_raw_mesh;

/* Number of the group of a tag, made when new with a name of its own; -1: no memory. */
int32_t pio_raw_group(pio_raw_mesh *raw, int dimension, int32_t tag);
/* Add a set of groups; its number, or -1: no memory. */
int32_t pio_raw_set_add(pio_raw_mesh *raw, const int32_t *group, int32_t n);
/* Room for n more elements. False: no memory. */
bool pio_raw_reserve(pio_raw_mesh *raw, pio_element_type type, int64_t n);
/* Room for one more element: its nodes, in place; NULL: no memory. */
int32_t *pio_raw_element(pio_raw_mesh *raw, pio_element_type type, int64_t tag, int32_t set);
void pio_raw_free(pio_raw_mesh *raw);

/* Put in order, check, and move into *out; raw is freed, whatever comes out. */
piola_status pio_raw_finish(pio_raw_mesh *raw, pio_mesh *out, piola_error *error);

/* ---- its parts, each with its checks --------------------------------------------------------------------- */

/* Choose the dimension; leave out nodes of no cell; merge elements that stand for several groups; number. */
piola_status pio_raw_sort(pio_raw_mesh *raw, piola_error *error);
/* Cells that are wrong: how many, and the first of them. */
enum { PIO_REVERSED, PIO_EMPTY, PIO_TANGLED, PIO_FAULTS, PIO_FAULTS_SHOWN = 5 };
typedef struct pio_shape_faults {
    int64_t n[PIO_FAULTS];
    int32_t first[PIO_FAULTS][PIO_FAULTS_SHOWN];
} pio_shape_faults;
/* Sizes and shapes of all cells; faults (may be NULL) are added. Ends early where the program is to stop. */
void pio_mesh_inspect_cells(const pio_mesh *mesh, pio_mesh_quality *quality, pio_shape_faults *faults);
/* Box, volume, orientation, coincident nodes. */
piola_status pio_mesh_check(pio_mesh *mesh, piola_error *error);
/* Outer faces, and the face of every facet. */
piola_status pio_mesh_find_faces(pio_mesh *mesh, piola_error *error);

void pio_mesh_warn(pio_mesh *mesh, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* `file: error: ...`; returns PIOLA_BAD_DATA. */
piola_status pio_mesh_fail(const pio_mesh *mesh, piola_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
