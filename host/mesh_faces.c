/* mesh_faces.c -- which faces of cells lie outside, and which face every facet is. */
#include "host/fail.h"
#include "host/mesh_parts.h"
#include "host/stop.h"

#include <stdlib.h>

#define MATCHING "matching the faces of a mesh"

typedef struct {
    int32_t key[4]; /* corners, ascending; -1 behind the last */
    int32_t cell, face;
} record;

typedef struct {
    int64_t n;
    int64_t *start; /* [n_nodes + 1] the records whose least corner is this node */
    record *face;   /* sorted by key, then by cell and face */
} face_table;

static int key_order(const record *a, const record *b)
{
    for (int i = 0; i < 4; i++)
        if (a->key[i] != b->key[i]) return a->key[i] < b->key[i] ? -1 : 1;
    return 0;
}

static int record_order(const void *a, const void *b, void *context)
{
    (void)context;
    const record *x = a, *y = b;
    const int order = key_order(x, y);
    if (order) return order;
    return x->cell != y->cell ? (x->cell > y->cell) - (x->cell < y->cell) : (x->face > y->face) - (x->face < y->face);
}

static void set_key(record *r, const int32_t *corner, int n)
{
    for (int a = 0; a < 4; a++) r->key[a] = -1;
    for (int a = 0; a < n; a++) {
        int i = a;
        for (; i > 0 && r->key[i - 1] > corner[a]; i--) r->key[i] = r->key[i - 1];
        r->key[i] = corner[a];
    }
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

static pio_element_type face_type(const pio_mesh *mesh, int32_t cell)
{
    pio_element_type type;
    pio_mesh_element(mesh, cell, &type);
    return pio_elements[type].face_type;
}

/* ---- table of faces --------------------------------------------------------------------------------------- */

static piola_status fill(const pio_mesh *mesh, face_table *table, piola_error *error)
{
    int32_t nodes[PIO_FACE_NODES];
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t c = 0; c < mesh->n_cells; c++) {
            const piola_status rc = pio_stop_at(c, MATCHING, error);
            if (rc) return rc;
            pio_element_type type;
            pio_mesh_element(mesh, c, &type);
            const pio_element *e = &pio_elements[type];
            for (int f = 0; f < e->faces; f++) {
                record r = {.cell = c, .face = f};
                pio_mesh_face_nodes(mesh, (pio_mesh_face){c, f}, nodes);
                set_key(&r, nodes, pio_elements[e->face_type].corners);
                if (pass == 0)
                    table->start[r.key[0] + 2]++;
                else
                    table->face[table->start[r.key[0] + 1]++] = r;
            }
        }
        for (int32_t i = 2; pass == 0 && i < mesh->n_nodes + 2; i++) table->start[i] += table->start[i - 1];
    }
    piola_status rc = PIOLA_OK;
    for (int32_t i = 0; !rc && i < mesh->n_nodes; i++) {
        const size_t n = (size_t)(table->start[i + 1] - table->start[i]);
        record *own = table->face + table->start[i];
        if (n > 1) rc = pio_stop_sort(own, n, sizeof *own, record_order, NULL, MATCHING, error);
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
    table->face = malloc(bytes + 1);
    if (!table->start || !table->face) return pio_fail_memory(error, bytes + starts * sizeof *table->start, "faces");
    return fill(mesh, table, error);
}

static void free_table(face_table *table)
{
    free(table->start);
    free(table->face);
}

/* 1: the corners go around the same way; -1: the other way; 0: not the same corners in a ring. */
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

/* The two cells of a face see it from two sides and with the same nodes. */
static piola_status check_pair(const pio_mesh *mesh, const record *r, int64_t n, piola_error *error)
{
    int32_t a[PIO_FACE_NODES], b[PIO_FACE_NODES];
    const long long one = (long long)pio_mesh_element_tag(mesh, r[0].cell);
    const long long other = (long long)pio_mesh_element_tag(mesh, r[1].cell);
    if (n > 2)
        return pio_mesh_fail(mesh, error, "elements %lld, %lld and %lld share one face; a face has two sides at most",
                             one, other, (long long)pio_mesh_element_tag(mesh, r[2].cell));
    const pio_element *e = &pio_elements[face_type(mesh, r[0].cell)];
    const int na = pio_mesh_face_nodes(mesh, (pio_mesh_face){r[0].cell, r[0].face}, a);
    const int nb = pio_mesh_face_nodes(mesh, (pio_mesh_face){r[1].cell, r[1].face}, b);
    if (na != nb)
        return pio_mesh_fail(
            mesh, error,
            "elements %lld and %lld share a face that one sees as linear and the other as quadratic; give "
            "all elements the same order",
            one, other);
    const int way = turn(a, b, e->corners);
    if (way >= 0)
        return pio_mesh_fail(mesh, error, "elements %lld and %lld %s", one, other,
                             way ? "overlap: they lie on the same side of the face that they share; remove one of them"
                                 : "share the corners of a face in different rings; their order of nodes is wrong");
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

static piola_status find_outer(pio_mesh *mesh, const face_table *table, piola_error *error)
{
    int64_t outer = 0, run;
    for (int pass = 0; pass < 2; pass++) {
        outer = 0;
        for (int64_t i = 0; i < table->n; i += run) {
            const record *r = &table->face[i];
            for (run = 1; i + run < table->n && key_order(r, r + run) == 0;) run++;
            if (run == 1 && pass == 1) mesh->outer[outer] = (pio_mesh_face){r->cell, r->face};
            outer += run == 1;
            const piola_status status = run > 1 && pass == 0 ? check_pair(mesh, r, run, error) : PIOLA_OK;
            if (status) return status;
        }
        if (pass == 1) break;
        if (outer > INT32_MAX) return pio_mesh_fail(mesh, error, "more than 2147483647 outer faces");
        mesh->outer = malloc((size_t)outer * sizeof *mesh->outer + 1);
        if (!mesh->outer) return pio_fail_memory(error, (size_t)outer * sizeof *mesh->outer, "outer faces");
    }
    mesh->n_outer = (int32_t)outer;
    return pio_stop_sort(mesh->outer, (size_t)outer, sizeof *mesh->outer, face_order, NULL, MATCHING, error);
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
    for (int64_t i = 0; !rc && i + 1 < table.n; i++) {
        const record *r = &table.face[i];
        if (key_order(r, r + 1)) continue;
        out->item[out->n] = (pio_mesh_face){r->cell, r->face};
        (*other)[out->n++] = r[1].cell;
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

/* First record with this key, or NULL. */
static const record *look_up(const face_table *table, const record *wanted)
{
    int64_t low = table->start[wanted->key[0]], end = table->start[wanted->key[0] + 1], high = end;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (key_order(&table->face[middle], wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && key_order(&table->face[low], wanted) == 0 ? &table->face[low] : NULL;
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
    record wanted;
    int32_t nodes[PIO_FACE_NODES];
    const int32_t *of = pio_mesh_element(mesh, mesh->n_cells + facet, &type);
    const long long tag = (long long)pio_mesh_element_tag(mesh, mesh->n_cells + facet);
    const pio_element *e = &pio_elements[type];
    set_key(&wanted, of, e->corners);
    const record *r = look_up(table, &wanted);
    if (!r)
        return pio_mesh_fail(
            mesh, error,
            "element %lld (%s) is no face of a cell; the mesh of a boundary must be the boundary of the "
            "mesh of its body",
            tag, e->name);
    const bool inner = r + 1 < table->face + table->n && key_order(r, r + 1) == 0;
    for (int side = 0; side <= inner; side++) {
        pio_mesh_face_nodes(mesh, (pio_mesh_face){r[side].cell, r[side].face}, nodes);
        if (face_type(mesh, r[side].cell) != type || !same_nodes(of, nodes, e->nodes))
            return pio_mesh_fail(
                mesh, error,
                "element %lld (%s) lies on a face of element %lld, but not with the same nodes (a %s); give "
                "both the same order",
                tag, e->name, (long long)pio_mesh_element_tag(mesh, r[side].cell),
                pio_elements[face_type(mesh, r[side].cell)].name);
        if (side == 0 || turn(of, nodes, e->corners) == 1)
            mesh->facet[facet] = (pio_mesh_face){r[side].cell, r[side].face};
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
