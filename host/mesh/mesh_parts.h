/* mesh_parts.h -- unsorted meshes, which the reader and the builders share, and the functions that sort and check them.
 */
#ifndef PIOLA_HOST_MESH_PARTS_H
#define PIOLA_HOST_MESH_PARTS_H

#include "host/mesh/mesh.h"

/* ---- numbers by tag -------------------------------------------------------------------------------------- */

typedef struct
    pio_tag_map { /* a map from tags to numbers: small keys in a table, others by open addressing, at most half full */
    size_t room, n; /* slots (a power of 2, or 0) and used slots */
    int64_t *key;
    int32_t *value; /* [room] value of each slot; -1: free */
    size_t n_direct;
    int32_t *direct; /* [n_direct] 1 + the value of this key; 0: none */
} pio_tag_map;

/* Returns the value of a key that is not in the table, or -1. */
int32_t pio_tag_find_hashed(const pio_tag_map *map, int64_t key);
/* Returns the value of a key, or -1. */
static inline int32_t pio_tag_find(const pio_tag_map *map, int64_t key)
{
    return (uint64_t)key < map->n_direct ? map->direct[key] - 1 : pio_tag_find_hashed(map, key);
}
/* Adds a new key; its value must be from 0 to 2^31 - 2. Returns false without memory. */
bool pio_tag_add(pio_tag_map *map, int64_t key, int32_t value);
/* Prepares an empty map for n keys, most of them from 0 to 2 n. Returns false without memory. */
bool pio_tag_reserve(pio_tag_map *map, size_t n);
/* Frees what a map holds. */
void pio_tag_free(pio_tag_map *map);
/* Returns one key for a dimension and a tag. */
int64_t pio_tag_key(int dimension, int32_t tag);

/* ---- an unsorted mesh ------------------------------------------------------------------------------------------ */

typedef struct pio_raw_block {
    int64_t n, room; /* elements, and memory for them */
    int32_t *nodes;  /* [n][nodes of the type] in VTK's order, numbers of nodes in raw->mesh.x */
    int64_t *tag;
    int32_t *set;  /* [n] set of groups of each element; -1: none */
    int32_t *into; /* [n] used while sorting: number among the elements that are kept, -1 for those left out */
} pio_raw_block;

typedef struct pio_raw_set {
    int32_t n;      /* number of groups */
    int32_t *group; /* [n] groups */
} pio_raw_set;

enum { PIO_MOST_GROUPS = 64 }; /* groups of one element at most */

typedef struct pio_raw_mesh {
    pio_mesh mesh; /* only name, built, x, node_tag, n_nodes and groups (without elements) are filled */
    bool repeats;  /* an element of several groups is stored once for each (MSH 2.2) */
    pio_tag_map node, group_of, set_of;
    pio_raw_block block[PIO_ELEMENT_TYPES]; /* elements by type */
    size_t n_sets, set_room, group_room;    /* sets of groups; memory for sets; memory for groups */
    pio_raw_set *sets;                      /* [n_sets] sets of groups */
} pio_raw_mesh;

/* Returns the number of the group of a tag, which is added with a name of its own if it is new; -1 without memory. */
int32_t pio_raw_group(pio_raw_mesh *raw, int dimension, int32_t tag);
/* Adds a set of n groups and returns its number; -1 without memory. */
int32_t pio_raw_set_add(pio_raw_mesh *raw, const int32_t *group, int32_t n);
/* Makes room for n more elements. Returns false without memory. */
bool pio_raw_reserve(pio_raw_mesh *raw, pio_element_type type, int64_t n);
/* Adds an element and returns the place for its nodes; NULL without memory. */
int32_t *pio_raw_element(pio_raw_mesh *raw, pio_element_type type, int64_t tag, int32_t set);
/* Frees what a raw mesh holds. */
void pio_raw_free(pio_raw_mesh *raw);

/* Sorts and checks the mesh and moves it into *out; `raw` is freed in any case. Returns PIOLA_BAD_DATA with the
 * elements or groups that are wrong, PIOLA_NO_MEMORY, or PIOLA_INTERRUPTED. */
piola_status pio_raw_finish(pio_raw_mesh *raw, pio_mesh *out, piola_error *error);

/* ---- steps of pio_raw_finish(), each with its checks ----------------------------------------------------------- */

/* Chooses the dimension, leaves out nodes of no cell, merges copies of elements in several groups, and numbers nodes
 * and elements. Returns PIOLA_BAD_DATA if there are no cells or too many elements, a 2D mesh is not in z = 0, or an
 * element occurs twice or is on no cell, PIOLA_NO_MEMORY, or PIOLA_INTERRUPTED. */
piola_status pio_raw_sort(pio_raw_mesh *raw, piola_error *error);
/* Kinds of invalid cells: all Jacobians negative, no volume, Jacobian not positive everywhere. */
enum { PIO_INVERTED, PIO_EMPTY, PIO_TANGLED, PIO_FAULTS, PIO_FAULTS_SHOWN = 5 };
/* The number of invalid cells of each kind, and the first of them. */
typedef struct pio_shape_faults {
    int64_t n[PIO_FAULTS];                       /* number of invalid cells of each kind */
    int32_t first[PIO_FAULTS][PIO_FAULTS_SHOWN]; /* the first of them */
} pio_shape_faults;
/* Computes sizes and shapes of all cells; invalid ones are added to `faults` (may be NULL). It ends early if the
 * program is to stop. */
void pio_mesh_inspect_cells(const pio_mesh *mesh, pio_mesh_quality *quality, pio_shape_faults *faults);
/* Checks size and volume, the orientation of cells, and coincident nodes, of which it warns. Returns PIOLA_BAD_DATA
 * with the first invalid cells, PIOLA_NO_MEMORY, or PIOLA_INTERRUPTED. */
piola_status pio_mesh_check(pio_mesh *mesh, piola_error *error);
/* Finds the outer faces, and the face of every facet. Returns PIOLA_BAD_DATA if the cells at a face do not match, or a
 * facet is no face of a cell, PIOLA_NO_MEMORY, or PIOLA_INTERRUPTED. */
piola_status pio_mesh_find_faces(pio_mesh *mesh, piola_error *error);

/* Adds a warning. */
void pio_mesh_warn(pio_mesh *mesh, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Fills `error` with `file: error: ...` and returns PIOLA_BAD_DATA. */
piola_status pio_mesh_fail(const pio_mesh *mesh, piola_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
