/* snapshot_surface.c -- finds the outer faces of a mesh.
 *
 * A face is identified by its corners. Faces are distributed into bins by their lowest corner and sorted within a bin
 * by the others: equal neighbours are inside the body. */
#include "host/snapshot/snapshot_surface.h"
#include "host/base/fail.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_FACES = 6 };

typedef struct {
    int type, faces, of; /* type of the cell; number and type of its faces */
    int8_t node[MOST_FACES][9];
} solid;

/* Faces as in VTK, counter-clockwise as seen from outside. */
static const solid solids[] = {{PIO_CELL_TET4, 4, PIO_CELL_TRI3, {{0, 1, 3}, {1, 2, 3}, {2, 0, 3}, {0, 2, 1}}},
                               {PIO_CELL_TET10,
                                4,
                                PIO_CELL_TRI6,
                                {{0, 1, 3, 4, 8, 7}, {1, 2, 3, 5, 9, 8}, {2, 0, 3, 6, 7, 9}, {0, 2, 1, 6, 5, 4}}},
                               {PIO_CELL_HEX8,
                                6,
                                PIO_CELL_QUAD4,
                                {{0, 4, 7, 3}, {1, 2, 6, 5}, {0, 1, 5, 4}, {3, 7, 6, 2}, {0, 3, 2, 1}, {4, 5, 6, 7}}},
                               {PIO_CELL_HEX20,
                                6,
                                PIO_CELL_QUAD8,
                                {{0, 4, 7, 3, 16, 15, 19, 11},
                                 {1, 2, 6, 5, 9, 18, 13, 17},
                                 {0, 1, 5, 4, 8, 17, 12, 16},
                                 {3, 7, 6, 2, 19, 14, 18, 10},
                                 {0, 3, 2, 1, 11, 10, 9, 8},
                                 {4, 5, 6, 7, 12, 13, 14, 15}}},
                               {PIO_CELL_HEX27,
                                6,
                                PIO_CELL_QUAD9,
                                {{0, 4, 7, 3, 16, 15, 19, 11, 20},
                                 {1, 2, 6, 5, 9, 18, 13, 17, 21},
                                 {0, 1, 5, 4, 8, 17, 12, 16, 22},
                                 {3, 7, 6, 2, 19, 14, 18, 10, 23},
                                 {0, 3, 2, 1, 11, 10, 9, 8, 24},
                                 {4, 5, 6, 7, 12, 13, 14, 15, 25}}}};

static const solid *solid_of(int type)
{
    for (size_t i = 0; i < sizeof solids / sizeof *solids; i++)
        if (solids[i].type == type) return &solids[i];
    return NULL;
}

static int corners_of(int type)
{
    return type == PIO_CELL_TRI3 || type == PIO_CELL_TRI6 ? 3 : 4;
}

/* ---- which faces are outer ------------------------------------------------------------------------------- */

typedef struct {
    int64_t corner[4]; /* in ascending order; a triangle's last is -1 */
    int64_t face;      /* 6 * cell + number */
} key;

static key key_of(const pio_snapshot_mesh *m, int64_t cell, const solid *s, int face)
{
    const int64_t *node = m->connectivity + m->offsets[cell];
    const int n = corners_of(s->of);
    key k = {.corner = {-1, -1, -1, -1}, .face = MOST_FACES * cell + face};
    for (int i = 0; i < n; i++) {
        const int64_t mine = node[s->node[face][i]];
        int at = i;
        for (; at > 0 && k.corner[at - 1] > mine; at--) k.corner[at] = k.corner[at - 1];
        k.corner[at] = mine;
    }
    return k;
}

static int compare(const void *a, const void *b)
{
    const key *p = a, *q = b;
    for (int i = 1; i < 4; i++)
        if (p->corner[i] != q->corner[i]) return p->corner[i] < q->corner[i] ? -1 : 1;
    return p->face < q->face ? -1 : p->face > q->face;
}

static bool same(const key *p, const key *q)
{
    return p->corner[1] == q->corner[1] && p->corner[2] == q->corner[2] && p->corner[3] == q->corner[3];
}

/* Sorts a bin; bins are small in ordinary meshes, and qsort is for the others. */
static void sort_bin(key *k, size_t n)
{
    if (n > 64) {
        qsort(k, n, sizeof *k, compare);
        return;
    }
    for (size_t i = 1; i < n; i++) {
        const key mine = k[i];
        size_t at = i;
        for (; at > 0 && compare(&k[at - 1], &mine) > 0; at--) k[at] = k[at - 1];
        k[at] = mine;
    }
}

/* Visits every face of a solid: counts it in its bin, or stores its number there. */
static void visit(const pio_snapshot_mesh *m, size_t *start, int64_t *bins)
{
    for (int64_t c = 0; c < m->n_cells; c++) {
        const solid *s = solid_of(m->types[c]);
        for (int face = 0; s && face < s->faces; face++) {
            const key k = key_of(m, c, s, face);
            if (bins)
                bins[start[k.corner[0]]++] = k.face;
            else
                start[k.corner[0] + 1]++;
        }
    }
}

/* Sets outer[6 * cell + number] for faces that no other cell has. `start` [n_points + 2] is zero; `bins` is as visit()
 * fills it. */
static bool mark(const pio_snapshot_mesh *m, int64_t n_points, const size_t *end, const int64_t *bins, bool *outer)
{
    size_t room = 0;
    for (int64_t i = 0; i < n_points; i++) {
        const size_t n = end[i] - (i ? end[i - 1] : 0);
        if (n > room) room = n;
    }
    key *k = malloc((room + 1) * sizeof *k);
    for (int64_t i = 0; i < n_points && k; i++) {
        const size_t first = i ? end[i - 1] : 0, n = end[i] - first;
        for (size_t j = 0; j < n; j++) {
            const int64_t id = bins[first + j], cell = id / MOST_FACES;
            k[j] = key_of(m, cell, solid_of(m->types[cell]), (int)(id % MOST_FACES));
        }
        sort_bin(k, n);
        for (size_t j = 0; j < n; j++) {
            const bool twin = (j > 0 && same(&k[j - 1], &k[j])) || (j + 1 < n && same(&k[j], &k[j + 1]));
            outer[k[j].face] = !twin;
        }
    }
    free(k);
    return k != NULL;
}

/* ---- their nodes ----------------------------------------------------------------------------------------- */

/* Flips the orientation of a face; its first corner stays. */
static void flip(pio_face *f)
{
    static const int8_t three[6] = {0, 2, 1, 5, 4, 3}, four[9] = {0, 3, 2, 1, 7, 6, 5, 4, 8};
    const pio_face old = *f;
    const int8_t *order = corners_of(f->type) == 3 ? three : four;
    for (int i = 0; i < pio_cell_nodes(f->type); i++) f->node[i] = old.node[order[i]];
}

/* Returns whether the vector product of two sides or of the diagonals points against the outward direction: up in the
 * plane, else from the middle of the cell to that of the face. */
static bool points_inwards(const pio_face *f, const pio_snapshot_mesh *m, int dimension, const double *points)
{
    const int n = corners_of(f->type), all = pio_cell_nodes(m->types[f->cell]);
    const double *p[4];
    double a[3], b[3], out[3] = {0, 0, dimension == 2};
    for (int i = 0; i < n; i++) p[i] = points + 3 * (size_t)f->node[i];
    for (int k = 0; k < 3; k++) {
        a[k] = p[n == 3 ? 1 : 2][k] - p[0][k];
        b[k] = p[n == 3 ? 2 : 3][k] - p[n == 3 ? 0 : 1][k];
        if (dimension == 2) continue;
        for (int i = 0; i < n; i++) out[k] += p[i][k] / n;
        for (int i = 0; i < all; i++) out[k] -= points[3 * m->connectivity[m->offsets[f->cell] + i] + k] / all;
    }
    const double product = (a[1] * b[2] - a[2] * b[1]) * out[0] + (a[2] * b[0] - a[0] * b[2]) * out[1] +
                           (a[0] * b[1] - a[1] * b[0]) * out[2];
    return product < 0;
}

static pio_face face_of(const pio_snapshot_mesh *m, int64_t cell, const solid *s, int number)
{
    const int64_t *node = m->connectivity + m->offsets[cell];
    pio_face f = {.cell = cell, .type = s ? (uint8_t)s->of : m->types[cell]};
    for (int i = 0; i < pio_cell_nodes(f.type); i++) f.node[i] = (int32_t)node[s ? s->node[number][i] : i];
    return f;
}

/* Stores the outer faces in `face`, or with NULL only counts them. */
static size_t gather(const pio_snapshot_mesh *m, int dimension, const double *points, const bool *outer, pio_face *face)
{
    size_t n = 0;
    for (int64_t c = 0; c < m->n_cells; c++) {
        const solid *s = solid_of(m->types[c]);
        for (int k = 0; k < (s ? s->faces : 1); k++) {
            if (s && !outer[MOST_FACES * c + k]) continue;
            if (face) {
                face[n] = face_of(m, c, s, k);
                if ((s || dimension == 2) && points_inwards(&face[n], m, dimension, points)) flip(&face[n]);
            }
            n++;
        }
    }
    return n;
}

piola_status pio_surface_make(pio_surface *out, const pio_snapshot_mesh *m, int dimension, int64_t n_points,
                              const double *points, piola_error *error)
{
    *out = (pio_surface){.n = 0};
    if (n_points > INT32_MAX)
        return pio_fail(error, PIOLA_BAD_DATA, "a mesh of %lld points: surfaces are made of at most %d",
                        (long long)n_points, INT32_MAX);
    size_t *start = calloc((size_t)n_points + 2, sizeof *start), faces = MOST_FACES * (size_t)m->n_cells;
    bool *outer = calloc(faces, sizeof *outer), marked = false;
    int64_t *bins = NULL;
    if (start && outer) {
        visit(m, start, NULL);
        for (int64_t i = 0; i < n_points; i++) start[i + 1] += start[i];
        bins = malloc((start[n_points] + 1) * sizeof *bins);
    }
    if (bins) {
        visit(m, start, bins); /* afterwards start[i] is the end of bin i */
        marked = mark(m, n_points, start, bins, outer);
    }
    if (marked) {
        out->n = gather(m, dimension, points, outer, NULL);
        out->face = malloc((out->n + 1) * sizeof *out->face);
        if (out->face) gather(m, dimension, points, outer, out->face);
    }
    free(start);
    free(outer);
    free(bins);
    return out->face ? PIOLA_OK
                     : pio_fail_memory(error, faces * (sizeof *outer + sizeof *bins), "the surface of a mesh");
}

void pio_surface_free(pio_surface *s)
{
    free(s->face);
    *s = (pio_surface){.n = 0};
}
