/* mesh_faces.c -- finds the outer faces of a mesh, and the face that every facet is. */
#include "host/base/fail.h"
#include "host/base/large.h"
#include "host/mesh/mesh_parts.h"
#include "host/base/stop.h"

#include <stdlib.h>

#define MATCHING "matching the faces of a mesh"

/* A face of a cell. Its least corner follows from where the record is stored. */
typedef struct {
    /* 1 + its second corner in ascending order and, in the low half, 1 + its third, or 0 if it has none */
    uint64_t key;
    int64_t place; /* cell, type and face, in bits from CELL, TYPE and 0 on */
} record;

enum { CELL = 8, TYPE = 4, LOW = 15 };
_Static_assert(PIO_ELEMENT_TYPES <= LOW + 1 && PIO_ELEMENT_FACES <= LOW + 1, "types and faces have 4 bits each");

typedef struct {
    int64_t n;
    int64_t *start; /* [n_nodes + 1] start of the records whose least corner is this node */
    record *face;   /* sorted by corners, then by cell and face */
} face_table;

static pio_mesh_face face_of(const record *r)
{
    return (pio_mesh_face){(int32_t)(r->place >> CELL), (int32_t)(r->place & LOW)};
}

static const pio_element *element_of(const record *r)
{
    return &pio_elements[r->place >> TYPE & LOW];
}

/* Returns the nodes of a record's cell; *local lists which of them belong to the face. */
static const int32_t *cell_of(const pio_mesh *mesh, const record *r, const int8_t **local)
{
    const pio_mesh_block *b = &mesh->block[r->place >> TYPE & LOW];
    const pio_element *e = element_of(r);
    *local = e->face[r->place & LOW];
    return b->nodes + (size_t)((r->place >> CELL) - b->first) * (size_t)e->nodes;
}

/* Returns the greatest corner of a face with four, or -1. */
static int32_t fourth(const pio_mesh *mesh, const record *r)
{
    const int8_t *local;
    int32_t most = -1;
    if (pio_elements[element_of(r)->face_type].corners < 4) return most;
    const int32_t *of = cell_of(mesh, r, &local);
    for (int a = 0; a < 4; a++) most = of[local[a]] > most ? of[local[a]] : most;
    return most;
}

/* Compares records with the same least corner by their corners alone. */
static inline int key_order(const pio_mesh *mesh, const record *a, const record *b)
{
    if (a->key != b->key) return a->key < b->key ? -1 : 1;
    const int32_t x = fourth(mesh, a), y = fourth(mesh, b);
    return (x > y) - (x < y);
}

static int record_order(const void *a, const void *b, void *mesh)
{
    const record *x = a, *y = b;
    const int order = key_order(mesh, x, y);
    return order ? order : (x->place > y->place) - (x->place < y->place);
}

/* Sorts the corners of a face in ascending order, with -1 after the last; local: NULL: 0, 1, ... */
static inline __attribute__((always_inline)) void sort_corners(const int32_t *of, const int8_t *local, int n,
                                                               int32_t key[4])
{
    for (int a = 0; a < 4; a++) key[a] = -1;
    for (int a = 0; a < n; a++) {
        const int32_t corner = of[local ? local[a] : a];
        int i = a;
        for (; i > 0 && key[i - 1] > corner; i--) key[i] = key[i - 1];
        key[i] = corner;
    }
}

static inline uint64_t key_of(const int32_t corner[4])
{
    return (uint64_t)(corner[1] + 1) << 32 | (uint64_t)(corner[2] + 1);
}

int pio_mesh_face_nodes(const pio_mesh *mesh, pio_mesh_face face, int32_t nodes[PIO_FACE_NODES])
{
    pio_element_type type;
    const int32_t *of = pio_mesh_element(mesh, face.cell, &type);
    const pio_element *e = &pio_elements[type];
    const int n = pio_elements[e->face_type].nodes;
    for (int a = 0; a < n; a++) nodes[a] = of[e->face[face.face][a]];
    return n;
}

/* ---- table of faces --------------------------------------------------------------------------------------- */

/* Counts the faces of a type's cells by their least corners, or stores them. */
static inline __attribute__((always_inline)) piola_status fill_from(const pio_mesh *mesh, int type, int corners,
                                                                    face_table *table, bool store, piola_error *error)
{
    const pio_element *e = &pio_elements[type];
    const pio_mesh_block *b = &mesh->block[type];
    for (int32_t c = 0; c < b->n; c++) {
        const piola_status rc = pio_stop_at(c, MATCHING, error);
        if (rc) return rc;
        const int32_t *of = b->nodes + (size_t)c * (size_t)e->nodes;
        for (int f = 0; f < e->faces; f++) {
            int32_t key[4];
            sort_corners(of, e->face[f], corners, key);
            if (store)
                table->face[table->start[key[0] + 1]++] =
                    (record){key_of(key), ((int64_t)b->first + c) << CELL | type << TYPE | f};
            else
                table->start[key[0] + 2]++;
        }
    }
    return PIOLA_OK;
}

static piola_status fill(const pio_mesh *mesh, face_table *table, bool store, piola_error *error)
{
    piola_status rc = PIOLA_OK;
    for (int t = 0; !rc && t < PIO_ELEMENT_TYPES; t++) {
        if (pio_elements[t].dimension != mesh->dimension) continue;
        const int corners = pio_elements[pio_elements[t].face_type].corners;
        rc = corners == 3   ? fill_from(mesh, t, 3, table, store, error)
             : corners == 4 ? fill_from(mesh, t, 4, table, store, error)
                            : fill_from(mesh, t, 2, table, store, error);
    }
    return rc;
}

/* Records with the same least corner are stored by cell and face; a stable sort makes these the last key. */
static piola_status sort_few(const pio_mesh *mesh, record *own, int64_t n, piola_error *error)
{
    enum { FEW = 64 };
    if (n > FEW)
        return pio_stop_sort(own, (size_t)n, sizeof *own, record_order, (void *)(uintptr_t)mesh, MATCHING, error);
    for (int64_t i = 1; i < n; i++) {
        const record r = own[i];
        int64_t at = i;
        for (; at > 0 && own[at - 1].key >= r.key && key_order(mesh, &own[at - 1], &r) > 0; at--) own[at] = own[at - 1];
        own[at] = r;
    }
    return PIOLA_OK;
}

static piola_status fill_sorted(const pio_mesh *mesh, face_table *table, piola_error *error)
{
    piola_status rc = fill(mesh, table, false, error);
    for (int32_t i = 2; !rc && i < mesh->n_nodes + 2; i++) table->start[i] += table->start[i - 1];
    if (!rc) rc = fill(mesh, table, true, error);
    for (int32_t i = 0; !rc && i < mesh->n_nodes; i++) {
        rc = sort_few(mesh, table->face + table->start[i], table->start[i + 1] - table->start[i], error);
        if (!rc) rc = pio_stop_at(i, MATCHING, error);
    }
    return rc;
}

static piola_status make_table(const pio_mesh *mesh, face_table *table, piola_error *error)
{
    *table = (face_table){0};
    for (int t = 0; t < PIO_ELEMENT_TYPES; t++)
        if (pio_elements[t].dimension == mesh->dimension) table->n += (int64_t)mesh->block[t].n * pio_elements[t].faces;
    const size_t starts = (size_t)mesh->n_nodes + 2, bytes = (size_t)table->n * sizeof *table->face;
    table->start = calloc(starts, sizeof *table->start);
    table->face = pio_large_alloc(bytes + 1);
    if (!table->start || !table->face) return pio_fail_memory(error, bytes + starts * sizeof *table->start, "faces");
    return fill_sorted(mesh, table, error);
}

static void free_table(face_table *table)
{
    free(table->start);
    free(table->face);
}

/* Returns 1 if both have the same corners in the same direction around the face, -1 in the opposite direction, 0 if the
 * corners or their cyclic order differ. */
static int turn(const int32_t *a, const int32_t *b, int n)
{
    int p = 0;
    while (p < n && b[p] != a[0]) p++;
    if (p == n) return 0;
    if (n == 2) return b[1 - p] != a[1] ? 0 : p == 0 ? 1 : -1;
    int same = 1, other = 1;
    for (int i = 1; i < n; i++) {
        same &= b[(p + i) % n] == a[i];
        other &= b[(p + n - i) % n] == a[i];
    }
    return same ? 1 : other ? -1 : 0;
}

/* ---- neighbours -------------------------------------------------------------------------------------------- */

/* Returns whether two linear tetrahedra have their common face on two sides, which holds for most pairs. */
static bool right_pair(const pio_mesh *mesh, const record *r)
{
    const int8_t *one, *other;
    if ((r[0].place >> TYPE & LOW) != PIO_TET4 || (r[1].place >> TYPE & LOW) != PIO_TET4) return false;
    const int32_t *of = cell_of(mesh, r, &one), *with = cell_of(mesh, r + 1, &other);
    const int32_t a = of[one[0]], b = of[one[1]], x = with[other[0]], y = with[other[1]], z = with[other[2]];
    return a == x ? b == z : a == y ? b == x : b == y; /* the corners are the same three */
}

/* Checks that the two cells of a face lie on its two sides and have the same nodes there. */
static piola_status check_pair(const pio_mesh *mesh, const record *r, int64_t n, piola_error *error)
{
    int32_t a[PIO_FACE_NODES], b[PIO_FACE_NODES];
    if (n == 2 && right_pair(mesh, r)) return PIOLA_OK;
    const long long one = (long long)pio_mesh_element_tag(mesh, face_of(r).cell);
    const long long other = (long long)pio_mesh_element_tag(mesh, face_of(r + 1).cell);
    if (n > 2)
        return pio_mesh_fail(mesh, error, "elements %lld, %lld and %lld share one face; a face has two sides at most",
                             one, other, (long long)pio_mesh_element_tag(mesh, face_of(r + 2).cell));
    const pio_element *e = &pio_elements[element_of(r)->face_type];
    const int na = pio_mesh_face_nodes(mesh, face_of(r), a);
    const int nb = pio_mesh_face_nodes(mesh, face_of(r + 1), b);
    if (na != nb)
        return pio_mesh_fail(mesh, error,
                             "elements %lld and %lld share a face that has %d nodes in one and %d in the other; give "
                             "all elements the same order and nodes",
                             one, other, na, nb);
    const int orientation = turn(a, b, e->corners);
    if (orientation >= 0)
        return pio_mesh_fail(
            mesh, error, "elements %lld and %lld %s", one, other,
            orientation ? "overlap: they lie on the same side of the face that they share; remove one of them"
                        : "share the corners of a face in different cyclic orders; the order of their nodes is wrong");
    int found = 0;
    for (int i = e->corners; i < na; i++)
        for (int j = e->corners; j < na; j++) found += a[i] == b[j];
    if (found != na - e->corners)
        return pio_mesh_fail(mesh, error,
                             "elements %lld and %lld share the corners of a face but not its middle nodes; merge "
                             "coincident nodes (Coherence Mesh; in Gmsh)",
                             one, other);
    return PIOLA_OK;
}

static int face_order(const void *a, const void *b, void *context)
{
    (void)context;
    const pio_mesh_face *x = a, *y = b;
    return x->cell != y->cell ? (x->cell > y->cell) - (x->cell < y->cell) : (x->face > y->face) - (x->face < y->face);
}

/* Returns the number of records from r on, before `end`, of the same face. */
static int64_t run_of(const pio_mesh *mesh, const record *r, const record *end)
{
    int64_t run = 1;
    while (r + run < end && r[run].key == r->key && key_order(mesh, r, r + run) == 0) run++;
    return run;
}

static piola_status add_outer(pio_mesh *mesh, const record *r, size_t *room, piola_error *error)
{
    if (mesh->n_outer == INT32_MAX) return pio_mesh_fail(mesh, error, "more than 2147483647 outer faces");
    if ((size_t)mesh->n_outer == *room) {
        *room = *room ? 2 * *room : 64;
        pio_mesh_face *outer = realloc(mesh->outer, *room * sizeof *outer);
        if (!outer) return pio_fail_memory(error, *room * sizeof *outer, "outer faces");
        mesh->outer = outer;
    }
    mesh->outer[mesh->n_outer++] = face_of(r);
    return PIOLA_OK;
}

static piola_status find_outer(pio_mesh *mesh, const face_table *table, piola_error *error)
{
    size_t room = 0;
    piola_status rc = PIOLA_OK;
    for (int32_t i = 0; !rc && i < mesh->n_nodes; i++) {
        const record *end = table->face + table->start[i + 1];
        int64_t run;
        for (const record *r = table->face + table->start[i]; !rc && r < end; r += run) {
            run = run_of(mesh, r, end);
            rc = run > 1 ? check_pair(mesh, r, run, error) : add_outer(mesh, r, &room, error);
        }
        if (!rc) rc = pio_stop_at(i, MATCHING, error);
    }
    if (rc) return rc;
    pio_mesh_face *outer = realloc(mesh->outer, (size_t)mesh->n_outer * sizeof *outer + 1);
    if (outer) mesh->outer = outer;
    return pio_stop_sort(mesh->outer, (size_t)mesh->n_outer, sizeof *mesh->outer, face_order, NULL, MATCHING, error);
}

piola_status pio_mesh_inner_faces(const pio_mesh *mesh, pio_face_list *out, int32_t **other, piola_error *error)
{
    face_table table;
    *out = (pio_face_list){0};
    *other = NULL;
    piola_status rc = make_table(mesh, &table, error);
    if (!rc) {
        out->item = malloc(((size_t)table.n / 2 + 1) * sizeof *out->item);
        *other = malloc(((size_t)table.n / 2 + 1) * sizeof **other);
        if (!out->item || !*other) rc = pio_fail_memory(error, (size_t)table.n * sizeof *out->item / 2, "inner faces");
    }
    for (int32_t i = 0; !rc && i < mesh->n_nodes; i++) {
        const record *end = table.face + table.start[i + 1];
        for (const record *r = table.face + table.start[i]; r + 1 < end; r++) {
            if (key_order(mesh, r, r + 1)) continue;
            out->item[out->n] = face_of(r);
            (*other)[out->n++] = face_of(r + 1).cell;
        }
        rc = pio_stop_at(i, MATCHING, error);
    }
    free_table(&table);
    if (!rc) return rc;
    free(out->item);
    free(*other);
    *other = NULL;
    *out = (pio_face_list){0};
    return rc;
}

/* ---- facets ------------------------------------------------------------------------------------------------ */

/* Returns the first record with these corners, or NULL; `end` is the end of those with the least of them. */
static const record *look_up(const pio_mesh *mesh, const face_table *table, const int32_t corner[4], const record **end)
{
    const int64_t first = table->start[corner[0]], last = table->start[corner[0] + 1];
    const uint64_t key = key_of(corner);
    int64_t low = first, high = last;
    *end = table->face + last;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        const record *r = &table->face[middle];
        if (r->key < key || (r->key == key && fourth(mesh, r) < corner[3]))
            low = middle + 1;
        else
            high = middle;
    }
    const record *r = table->face + low;
    return low < last && r->key == key && fourth(mesh, r) == corner[3] ? r : NULL;
}

static bool same_nodes(const int32_t *a, const int32_t *b, int n)
{
    int found = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) found += a[i] == b[j];
    return found == n;
}

static piola_status place_facet(pio_mesh *mesh, const face_table *table, int32_t facet, piola_error *error)
{
    pio_element_type type;
    const record *end;
    int32_t corner[4];
    int32_t nodes[PIO_FACE_NODES];
    const int32_t *of = pio_mesh_element(mesh, mesh->n_cells + facet, &type);
    const long long tag = (long long)pio_mesh_element_tag(mesh, mesh->n_cells + facet);
    const pio_element *e = &pio_elements[type];
    sort_corners(of, NULL, e->corners, corner);
    const record *r = look_up(mesh, table, corner, &end);
    if (!r)
        return pio_mesh_fail(mesh, error,
                             "element %lld (%s) is no face of a cell; the mesh of a boundary must be the boundary of "
                             "the mesh of its body",
                             tag, e->name);
    const bool inner = run_of(mesh, r, end) > 1;
    for (int side = 0; side <= inner; side++) {
        pio_mesh_face_nodes(mesh, face_of(r + side), nodes);
        if (element_of(r + side)->face_type != type || !same_nodes(of, nodes, e->nodes))
            return pio_mesh_fail(mesh, error,
                                 "element %lld (%s) lies on a face of element %lld, but not with the same nodes (a "
                                 "%s); give both the same order",
                                 tag, e->name, (long long)pio_mesh_element_tag(mesh, face_of(r + side).cell),
                                 pio_elements[element_of(r + side)->face_type].name);
        if (side == 0 || turn(of, nodes, e->corners) == 1) mesh->facet[facet] = face_of(r + side);
    }
    return PIOLA_OK;
}

piola_status pio_mesh_find_faces(pio_mesh *mesh, piola_error *error)
{
    face_table table;
    const size_t bytes = (size_t)mesh->n_facets * sizeof *mesh->facet;
    mesh->facet = malloc(bytes + 1);
    if (!mesh->facet) return pio_fail_memory(error, bytes, "facets");
    piola_status status = make_table(mesh, &table, error);
    if (!status) status = find_outer(mesh, &table, error);
    for (int32_t f = 0; f < mesh->n_facets && !status; f++) {
        status = pio_stop_at(f, MATCHING, error);
        if (!status) status = place_facet(mesh, &table, f, error);
    }
    free_table(&table);
    return status;
}
