/* mesh_tie.c -- see mesh_tie.h.
 *
 * The integrals of shape functions at corners of tri6 and quad8 are 0 and negative. There the method is applied to
 * other functions with the same span (Popp, Wohlmuth, Gee and Wall 2012): with the middle m of the edge from c to d,
 *
 *     N'_c = N_c + BENT sum_m N_m,   N'_m = (1 - 2 BENT) N_m
 *
 * whose unknowns v have u_c = v_c and u_m = (1 - 2 BENT) v_m + BENT (v_c + v_d). */
#include "host/mesh/mesh_tie.h"

#include "host/base/fail.h"
#include "host/base/stop.h"
#include "host/mesh/mesh_overlap.h"
#include "host/mesh/mesh_tie_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A part of a face that may be on none of the others, or on two, of the whole: curved sides of two meshes end at other
 * places. */
static const double UNCOVERED = 1e-3;
static const double INSIDE = 1e-6; /* of its distance to the faces: farther than that from a mesh a place is outside */
static const double BENT = PIO_TIE_BENT;

/* What a tied face has in common with one of the others: int N_a N_k. */
typedef struct {
    int face;
    double product[PIO_FACE_NODES][PIO_FACE_NODES];
} pairing;

/* ---- faces ------------------------------------------------------------------------------------------------- */

/* Returns whether the boxes of two faces are no farther from each other than the gap and what curved faces bulge. */
static bool are_near(const pio_tying *t, const pio_mesh_surface *a, const pio_mesh_surface *b)
{
    double size = 0;
    bool near = true;
    for (int c = 0; c < 3; c++) size = fmax(size, fmax(a->high[c] - a->low[c], b->high[c] - b->low[c]));
    const double by =
        t->gap + (pio_elements[a->type].order > 1 || pio_elements[b->type].order > 1 ? 0.25 : 1e-6) * size;
    for (int c = 0; c < 3; c++) near &= a->low[c] - by <= b->high[c] && b->low[c] - by <= a->high[c];
    return near;
}

/* Replaces B by A^-1 B, both [n][n]; Gauss's elimination with pivots. Returns whether A is regular. */
static bool eliminate(int n, double A[PIO_FACE_NODES][PIO_FACE_NODES], double B[PIO_FACE_NODES][PIO_FACE_NODES])
{
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(A[i][k]) > fabs(A[pivot][k])) pivot = i;
        if (!(fabs(A[pivot][k]) > 0)) return false;
        for (int j = 0; j < n; j++) {
            const double a = A[k][j], b = B[k][j];
            A[k][j] = A[pivot][j], A[pivot][j] = a;
            B[k][j] = B[pivot][j], B[pivot][j] = b;
        }
        for (int i = 0; i < n; i++) {
            const double factor = i == k ? 0 : A[i][k] / A[k][k];
            for (int j = 0; j < n && i != k; j++) A[i][j] -= factor * A[k][j], B[i][j] -= factor * B[k][j];
        }
    }
    for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++) B[k][j] /= A[k][k];
    return true;
}

/* Returns whether faces of a type have the other functions. */
static bool is_bent(pio_element_type type)
{
    return type == PIO_TRI6 || type == PIO_QUAD8;
}

/* Replaces shape functions by the other ones. */
static void bend(pio_element_type type, double N[PIO_ELEMENT_NODES])
{
    const pio_element *e = &pio_elements[type];
    for (int k = 0; is_bent(type) && k < e->edges; k++) {
        N[e->edge[k][0]] += BENT * N[e->corners + k];
        N[e->edge[k][1]] += BENT * N[e->corners + k];
        N[e->corners + k] *= 1 - 2 * BENT;
    }
}

/* Integrates what a tied face has in common with all others: int N_a N_b, int N_a, and the pairings, whose number is
 * returned; *covered is the area of all of it. */
static int integrate(const pio_tying *t, const pio_mesh_surface *s, pairing *pairs,
                     double mass[PIO_FACE_NODES][PIO_FACE_NODES], double whole[PIO_FACE_NODES], double *covered)
{
    int n = 0;
    memset(mass, 0, sizeof(double) * PIO_FACE_NODES * PIO_FACE_NODES);
    memset(whole, 0, sizeof(double) * PIO_FACE_NODES);
    *covered = 0;
    for (int f = 0; f < t->n_to; f++) {
        pio_mesh_common points[PIO_MESH_COMMON];
        pairing *p = &pairs[n];
        if (!are_near(t, s, &t->to[f])) continue;
        const int count = pio_mesh_overlap(s, &t->to[f], points);
        *p = (pairing){.face = f};
        for (int i = 0; i < count; i++) {
            double N[PIO_ELEMENT_NODES], M[PIO_ELEMENT_NODES];
            if (points[i].distance > t->gap) continue;
            pio_element_values(s->type, points[i].r[0], N);
            bend(s->type, N);
            pio_element_values(t->to[f].type, points[i].r[1], M);
            *covered += points[i].weight;
            for (int a = 0; a < s->nodes; a++) {
                whole[a] += points[i].weight * N[a];
                for (int b = 0; b < s->nodes; b++) mass[a][b] += points[i].weight * N[a] * N[b];
                for (int k = 0; k < t->to[f].nodes; k++) p->product[a][k] += points[i].weight * N[a] * M[k];
            }
        }
        n += count > 0;
    }
    return n;
}

/* Adds what a tied face gives. PIOLA_BAD_DATA, with the reason, where a part of it is on no other or on two. */
static piola_status tie_face(pio_tying *t, const pio_mesh_surface *s, pairing *pairs, pio_mesh_tie_reason *reason)
{
    double mass[PIO_FACE_NODES][PIO_FACE_NODES], dual[PIO_FACE_NODES][PIO_FACE_NODES] = {{0}}, whole[PIO_FACE_NODES];
    double covered;
    const int n = integrate(t, s, pairs, mass, whole, &covered);
    const double area = pio_mesh_surface_area(s);
    if (covered > (1 + UNCOVERED) * area) *reason = PIO_TIE_TWICE;
    if (!(covered >= (1 - UNCOVERED) * area && covered <= (1 + UNCOVERED) * area)) return PIOLA_BAD_DATA;
    for (int a = 0; a < s->nodes; a++) dual[a][a] = whole[a]; /* mass is symmetric: A^T = mass^-1 diag(whole) */
    if (!eliminate(s->nodes, mass, dual)) return PIOLA_BAD_DATA;
    for (int a = 0; a < s->nodes; a++) {
        const int32_t row = t->row[s->node[a]];
        t->size[row] += whole[a];
        for (int p = 0; p < n; p++)
            for (int k = 0; k < t->to[pairs[p].face].nodes; k++) {
                double value = 0;
                for (int b = 0; b < s->nodes; b++) value += dual[b][a] * pairs[p].product[b][k];
                if (!pio_tie_add(&t->terms, row, t->to[pairs[p].face].node[k], value)) return PIOLA_NO_MEMORY;
            }
    }
    return PIOLA_OK;
}

/* Finds the face that is nearest to a place, the point `at` of it there, and the squared distance *best, m^2. Returns
 * its number, or -1: there is none. */
static int nearest_face(const pio_tying *t, const double x[3], double at[3], double *best)
{
    int nearest = -1;
    *best = INFINITY;
    for (int f = 0; f < t->n_to; f++) {
        double r[3], y[3], square = 0, to_box = 0;
        for (int c = 0; c < 3; c++) {
            const double bulge = 0.25 * (t->to[f].high[c] - t->to[f].low[c]);
            to_box += pow(fmax(fmax(t->to[f].low[c] - bulge - x[c], x[c] - t->to[f].high[c] - bulge), 0), 2);
        }
        if (to_box >= *best || !pio_mesh_surface_find(&t->to[f], x, NULL, r)) continue;
        pio_mesh_surface_clamp(&t->to[f], r);
        pio_mesh_surface_at(&t->to[f], r, y, NULL);
        for (int c = 0; c < 3; c++) square += (y[c] - x[c]) * (y[c] - x[c]);
        if (!(square < *best)) continue;
        *best = square;
        nearest = f;
        memcpy(at, r, sizeof r);
    }
    return nearest;
}

/* Returns how far a place that is inside the other mesh is from its faces, m, if that is more than the gap, or 0. */
static double overlap_at(const pio_tying *t, const pio_mesh *to, const double x[3])
{
    double at[3], near[3] = {0}, square = 0, depth;
    if (nearest_face(t, x, at, &depth) < 0 || !(depth > t->gap * t->gap)) return 0;
    pio_mesh_nearest(to, x, near);
    for (int c = 0; c < to->dimension; c++) square += (near[c] - x[c]) * (near[c] - x[c]);
    return square < INSIDE * INSIDE * depth ? sqrt(depth) : 0;
}

/* Ties ends to the places that are nearest to them, in t->nearest; *end is where that fails. */
static piola_status tie_ends(pio_tying *t, const pio_mesh *mesh, const int32_t *node, int32_t *end)
{
    for (int32_t i = 0; i < t->rows; i++) {
        double N[PIO_ELEMENT_NODES], at[3], square;
        if (!t->end[i]) continue;
        const int f = nearest_face(t, mesh->x + 3 * (size_t)node[i], at, &square);
        *end = i;
        if (f < 0 || !(square <= t->gap * t->gap)) return PIOLA_BAD_DATA;
        pio_element_values(t->to[f].type, at, N);
        for (int k = 0; k < t->to[f].nodes; k++)
            if (!pio_tie_add(&t->terms, i, t->to[f].node[k], N[k])) return PIOLA_NO_MEMORY;
    }
    return pio_tie_gather(&t->terms, NULL, t->rows, &t->nearest) ? PIOLA_OK : PIOLA_NO_MEMORY;
}

/* ---- all of them ------------------------------------------------------------------------------------------- */

/* Lists the tied faces of each tied node. */
static bool list_faces(pio_tying *t)
{
    size_t most = 1;
    for (int f = 0; f < t->n_tied; f++) most += (size_t)t->tied[f].nodes;
    t->face_start = calloc((size_t)t->rows + 2, sizeof *t->face_start);
    t->face = malloc(sizeof *t->face * most);
    if (!t->face_start || !t->face) return false;
    for (int f = 0; f < t->n_tied; f++)
        for (int a = 0; a < t->tied[f].nodes; a++) t->face_start[t->row[t->tied[f].node[a]] + 2]++;
    for (int32_t i = 0; i < t->rows; i++) t->face_start[i + 2] += t->face_start[i + 1];
    for (int f = 0; f < t->n_tied; f++)
        for (int a = 0; a < t->tied[f].nodes; a++) t->face[t->face_start[t->row[t->tied[f].node[a]] + 1]++] = f;
    return true;
}

/* Numbers the tied nodes, ascending, in out->node; and takes all memory but that of terms. */
static bool begin(pio_tying *t, pio_mesh_ties *out, pio_mesh_side tied, pio_mesh_side to)
{
    const size_t nodes = (size_t)tied.mesh->n_nodes;
    t->tied = malloc(sizeof *t->tied * ((size_t)t->n_tied + 1));
    t->to = malloc(sizeof *t->to * ((size_t)t->n_to + 1));
    t->row = malloc(sizeof *t->row * (nodes + 1));
    t->support = calloc(nodes + 1, 1);
    t->end = calloc(nodes + 1, 1);
    t->edge = malloc(sizeof *t->edge * (nodes + 1));
    t->size = calloc(nodes + 1, sizeof *t->size);
    t->seen = calloc(nodes + 1, sizeof *t->seen);
    t->queue = malloc(sizeof *t->queue * (nodes + 1));
    out->node = malloc(sizeof *out->node * (nodes + 1));
    if (!t->tied || !t->to || !t->row || !t->support || !t->end || !t->edge || !t->size) return false;
    if (!t->seen || !t->queue || !out->node) return false;
    for (int f = 0; f < t->n_to; f++) pio_mesh_surface_of(&t->to[f], to.mesh, to.faces->item[f]);
    memset(t->row, -1, sizeof *t->row * (nodes + 1));
    for (int f = 0; f < t->n_tied; f++) {
        pio_mesh_surface_of(&t->tied[f], tied.mesh, tied.faces->item[f]);
        for (int a = 0; a < t->tied[f].nodes; a++) t->row[t->tied[f].node[a]] = 0;
    }
    for (int32_t i = 0; i < tied.mesh->n_nodes; i++) {
        if (t->row[i] < 0) continue;
        t->support[out->n] = tied.support ? tied.support[i] : 0;
        t->row[i] = out->n;
        out->node[out->n++] = i;
    }
    t->rows = out->n;
    memset(t->edge, -1, sizeof *t->edge * (nodes + 1));
    for (int f = 0; f < t->n_tied; f++) {
        const pio_mesh_surface *own = &t->tied[f];
        const pio_element *e = &pio_elements[own->type];
        for (int k = 0; is_bent(own->type) && k < e->edges; k++)
            for (int c = 0; c < 2; c++)
                t->edge[t->row[own->node[e->corners + k]]][c] = t->row[own->node[e->edge[k][c]]];
    }
    return list_faces(t);
}

/* Ties all faces, in t->pure; *fault says where and why that fails. */
static piola_status tie_faces(pio_tying *t, pio_mesh_tie_fault *fault, piola_error *error)
{
    pairing *pairs = malloc(sizeof *pairs * ((size_t)t->n_to + 1));
    piola_status rc = pairs ? PIOLA_OK : PIOLA_NO_MEMORY;
    for (int f = 0; !rc && f < t->n_tied; f++) {
        const double third[3] = {1.0 / 3, 1.0 / 3, 0}, middle[3] = {0};
        const bool triangle = pio_elements[t->tied[f].type].corners == 3;
        rc = pio_stop("tying meshes", error);
        if (rc) break;
        pio_mesh_surface_at(&t->tied[f], triangle ? third : middle, fault->x, NULL);
        rc = tie_face(t, &t->tied[f], pairs, &fault->reason);
    }
    free(pairs);
    if (!rc && !pio_tie_gather(&t->terms, t->size, t->rows, &t->pure)) rc = PIOLA_NO_MEMORY;
    return rc;
}

/* Ties all faces, and as long as supports contradict what nodes follow, makes ends of these. */
static piola_status tie_all(pio_tying *t, const pio_mesh *mesh, pio_mesh_ties *out, pio_mesh_tie_fault *fault,
                            piola_error *error)
{
    int32_t at = -1;
    *fault = (pio_mesh_tie_fault){.reason = PIO_TIE_OPEN};
    piola_status rc = tie_faces(t, fault, error);
    do {
        if (!rc) rc = tie_ends(t, mesh, out->node, &at);
        if (rc) break;
        rc = pio_tie_rows(t, out, &at);
        if (rc == PIOLA_BAD_DATA) fault->reason = PIO_TIE_ALONE;
    } while (!rc && pio_tie_new_ends(t, out));
    if (at >= 0) memcpy(fault->x, mesh->x + 3 * (size_t)out->node[at], sizeof fault->x);
    if (rc == PIOLA_BAD_DATA) return pio_fail(error, rc, "faces cannot be tied");
    return rc == PIOLA_NO_MEMORY ? pio_fail_memory(error, sizeof *t->terms.v * (size_t)t->terms.room, "ties") : rc;
}

piola_status pio_mesh_tie(pio_mesh_ties *out, pio_mesh_side tied, pio_mesh_side to, double gap,
                          pio_mesh_tie_fault *fault, piola_error *error)
{
    pio_tying t = {.n_tied = tied.faces->n, .n_to = to.faces->n, .gap = gap, .fixed = to.support};
    piola_status rc = PIOLA_OK;
    *out = (pio_mesh_ties){0};
    if (!begin(&t, out, tied, to))
        rc = pio_fail_memory(error, sizeof *t.tied * (size_t)t.n_tied, "ties");
    else
        rc = tie_all(&t, tied.mesh, out, fault, error);
    if (rc == PIOLA_BAD_DATA && fault->reason == PIO_TIE_OPEN) fault->overlap = overlap_at(&t, to.mesh, fault->x);
    free(t.tied);
    free(t.to);
    free(t.row);
    free(t.support);
    free(t.end);
    free(t.edge);
    free(t.size);
    free(t.face_start);
    free(t.face);
    free(t.seen);
    free(t.queue);
    free(t.terms.v);
    pio_mesh_ties_free(&t.pure);
    pio_mesh_ties_free(&t.nearest);
    pio_mesh_ties_free(&t.part);
    if (rc) pio_mesh_ties_free(out);
    return rc;
}

void pio_mesh_ties_free(pio_mesh_ties *ties)
{
    free(ties->node);
    free(ties->start);
    free(ties->master);
    free(ties->weight);
    *ties = (pio_mesh_ties){0};
}
