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

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A part of a face that may be on none of the others, or on two, of the whole: curved sides of two meshes end at other places. */
static const double UNCOVERED = 1e-3;
static const double NOTHING = 1e-13; /* a weight that rounding makes */
static const double BENT = 0.2;

/* A contribution to the weight of a master. */
typedef struct {
    int32_t row, master, order; /* number of the tied node; node of the other mesh; contributions before it */
    double value;
} term;

/* What a tied face has in common with one of the others: int N_a N_k. */
typedef struct {
    int face;
    double product[PIO_FACE_NODES][PIO_FACE_NODES];
} pairing;

/* A node beside one that a support has, whose part it takes. */
typedef struct {
    int32_t end, row;
} heir;

typedef struct {
    pio_mesh_surface *tied, *to; /* [n_tied], [n_to] */
    int n_tied, n_to;
    double gap;
    int32_t *row;           /* [nodes of the tied mesh] number of a tied node, or -1 */
    char *end;              /* [rows] 1: a support has it, and it follows the place that is nearest to it */
    double *size;           /* [rows] D_a */
    int32_t (*edge)[2];     /* [rows] corners of the edge of tri6 or quad8 whose middle it is, or -1 */
    heir *heirs;            /* [n_heirs] by end */
    int32_t n_heirs, *heir; /* [rows + 1] where those of each row begin */
    term *terms;            /* [n_terms] */
    int32_t n_terms, room;
    pairing *pairs; /* [n_to] of the face at hand */
} tying;

static int by_row(const void *a, const void *b)
{
    const term *p = a, *q = b;
    if (p->row != q->row) return p->row < q->row ? -1 : 1;
    if (p->master != q->master) return p->master < q->master ? -1 : 1;
    return (p->order > q->order) - (p->order < q->order);
}

/* Adds a contribution. Returns whether there was memory. */
static bool add_term(tying *t, int32_t row, int32_t master, double value)
{
    if (t->n_terms == t->room) {
        const int32_t room = 2 * t->room + 1024;
        term *more = realloc(t->terms, sizeof *more * (size_t)room);
        if (!more) return false;
        t->terms = more;
        t->room = room;
    }
    t->terms[t->n_terms] = (term){row, master, t->n_terms, value};
    t->n_terms++;
    return true;
}

/* Adds a contribution to a row, or where that is of an end to its heirs. */
static bool add_part(tying *t, int32_t row, int32_t master, double value)
{
    const int32_t first = t->heir[row], n = t->heir[row + 1] - first;
    bool ok = true;
    if (!t->end[row]) return add_term(t, row, master, value);
    for (int32_t h = first; ok && h < first + n; h++) ok = add_term(t, t->heirs[h].row, master, value / n);
    return ok;
}

/* ---- faces ------------------------------------------------------------------------------------------------- */

/* Returns whether the boxes of two faces are no farther from each other than the gap and what curved faces bulge. */
static bool are_near(const tying *t, const pio_mesh_surface *a, const pio_mesh_surface *b)
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
static int integrate(tying *t, const pio_mesh_surface *s, double mass[PIO_FACE_NODES][PIO_FACE_NODES],
                     double whole[PIO_FACE_NODES], double *covered)
{
    int n = 0;
    memset(mass, 0, sizeof(double) * PIO_FACE_NODES * PIO_FACE_NODES);
    memset(whole, 0, sizeof(double) * PIO_FACE_NODES);
    *covered = 0;
    for (int f = 0; f < t->n_to; f++) {
        pio_mesh_common points[PIO_MESH_COMMON];
        pairing *p = &t->pairs[n];
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
static piola_status tie_face(tying *t, const pio_mesh_surface *s, pio_mesh_tie_reason *reason)
{
    double mass[PIO_FACE_NODES][PIO_FACE_NODES], dual[PIO_FACE_NODES][PIO_FACE_NODES] = {{0}}, whole[PIO_FACE_NODES];
    double covered;
    const int n = integrate(t, s, mass, whole, &covered);
    const double area = pio_mesh_surface_area(s);
    if (covered > (1 + UNCOVERED) * area) *reason = PIO_TIE_TWICE;
    if (!(covered >= (1 - UNCOVERED) * area && covered <= (1 + UNCOVERED) * area)) return PIOLA_BAD_DATA;
    for (int a = 0; a < s->nodes; a++) dual[a][a] = whole[a]; /* mass is symmetric: A^T = mass^-1 diag(whole) */
    if (!eliminate(s->nodes, mass, dual)) return PIOLA_BAD_DATA;
    for (int a = 0; a < s->nodes; a++) {
        const int32_t row = t->row[s->node[a]];
        t->size[row] += whole[a];
        for (int p = 0; p < n; p++)
            for (int k = 0; k < t->to[t->pairs[p].face].nodes; k++) {
                double value = 0;
                for (int b = 0; b < s->nodes; b++) value += dual[b][a] * t->pairs[p].product[b][k];
                if (!add_part(t, row, t->to[t->pairs[p].face].node[k], value)) return PIOLA_NO_MEMORY;
            }
    }
    return PIOLA_OK;
}

/* Finds the face that is nearest to a place, and its shape functions there. Returns its number, or -1: it is farther
 * away than the gap. */
static int nearest_face(const tying *t, const double x[3], double N[PIO_ELEMENT_NODES])
{
    double best = INFINITY, at[3] = {0};
    int nearest = -1;
    for (int f = 0; f < t->n_to; f++) {
        double r[3], y[3], square = 0, to_box = 0;
        for (int c = 0; c < 3; c++) {
            const double bulge = 0.25 * (t->to[f].high[c] - t->to[f].low[c]);
            to_box += pow(fmax(fmax(t->to[f].low[c] - bulge - x[c], x[c] - t->to[f].high[c] - bulge), 0), 2);
        }
        if (to_box >= best || !pio_mesh_surface_find(&t->to[f], x, NULL, r)) continue;
        pio_mesh_surface_clamp(&t->to[f], r);
        pio_mesh_surface_at(&t->to[f], r, y, NULL);
        for (int c = 0; c < 3; c++) square += (y[c] - x[c]) * (y[c] - x[c]);
        if (!(square < best)) continue;
        best = square;
        nearest = f;
        memcpy(at, r, sizeof at);
    }
    if (!(best <= t->gap * t->gap)) return -1;
    pio_element_values(t->to[nearest].type, at, N);
    return nearest;
}

/* Ties a node that a support has to the place that is nearest to it, and takes what it is there from its heirs: its v
 * is u, of the middle of an edge (u_m - BENT (u_c + u_d))/(1 - 2 BENT). */
static piola_status tie_end(tying *t, int32_t row, const pio_mesh *mesh, const int32_t *node)
{
    const int32_t *edge = t->edge[row], of[3] = {row, edge[0], edge[1]};
    const double own = edge[0] < 0 ? 1 : 1 / (1 - 2 * BENT);
    for (int i = 0; i < (edge[0] < 0 ? 1 : 3); i++) {
        double N[PIO_ELEMENT_NODES];
        const int f = nearest_face(t, mesh->x + 3 * (size_t)node[of[i]], N);
        if (f < 0) return PIOLA_BAD_DATA;
        for (int k = 0; k < t->to[f].nodes; k++) {
            const double part = (i ? -BENT * own : own) * N[k];
            if (!add_part(t, row, t->to[f].node[k], -t->size[row] * part)) return PIOLA_NO_MEMORY;
            if (i == 0 && !add_term(t, row, t->to[f].node[k], N[k])) return PIOLA_NO_MEMORY;
        }
    }
    t->size[row] = 1;
    return PIOLA_OK;
}

/* ---- all of them ------------------------------------------------------------------------------------------- */

static int by_end(const void *a, const void *b)
{
    const heir *p = a, *q = b;
    return p->end != q->end ? (p->end < q->end ? -1 : 1) : (p->row > q->row) - (p->row < q->row);
}

/* Lists, for each node that a support has, those beside it on tied faces that follow by the mortar method. */
static bool find_heirs(tying *t, int32_t rows)
{
    size_t most = 1;
    int32_t n = 0;
    for (int f = 0; f < t->n_tied; f++) most += (size_t)(t->tied[f].nodes * t->tied[f].nodes);
    t->heirs = malloc(sizeof *t->heirs * most);
    t->heir = calloc((size_t)rows + 1, sizeof *t->heir);
    if (!t->heirs || !t->heir) return false;
    for (int f = 0; f < t->n_tied; f++)
        for (int a = 0; a < t->tied[f].nodes; a++)
            for (int b = 0; b < t->tied[f].nodes; b++) {
                const int32_t end = t->row[t->tied[f].node[a]], row = t->row[t->tied[f].node[b]];
                if (t->end[end] && !t->end[row]) t->heirs[n++] = (heir){end, row};
            }
    qsort(t->heirs, (size_t)n, sizeof *t->heirs, by_end);
    for (int32_t i = 0; i < n; i++) /* each once */
        if (!i || by_end(&t->heirs[i], &t->heirs[i - 1])) t->heirs[t->n_heirs++] = t->heirs[i];
    for (int32_t i = 0; i < t->n_heirs; i++) t->heir[t->heirs[i].end + 1]++;
    for (int32_t i = 0; i < rows; i++) t->heir[i + 1] += t->heir[i];
    return true;
}

/* Numbers the tied nodes, ascending, in out->node; and takes all memory but that of terms. */
static bool begin(tying *t, pio_mesh_ties *out, pio_mesh_side tied, pio_mesh_side to)
{
    const size_t nodes = (size_t)tied.mesh->n_nodes;
    t->tied = malloc(sizeof *t->tied * ((size_t)t->n_tied + 1));
    t->to = malloc(sizeof *t->to * ((size_t)t->n_to + 1));
    t->pairs = malloc(sizeof *t->pairs * ((size_t)t->n_to + 1));
    t->row = malloc(sizeof *t->row * (nodes + 1));
    t->end = calloc(nodes + 1, 1);
    t->edge = malloc(sizeof *t->edge * (nodes + 1));
    t->size = calloc(nodes + 1, sizeof *t->size);
    out->node = malloc(sizeof *out->node * (nodes + 1));
    if (!t->tied || !t->to || !t->pairs || !t->row || !t->end || !t->edge || !t->size || !out->node) return false;
    for (int f = 0; f < t->n_to; f++) pio_mesh_surface_of(&t->to[f], to.mesh, to.faces->item[f]);
    memset(t->row, -1, sizeof *t->row * (nodes + 1));
    for (int f = 0; f < t->n_tied; f++) {
        pio_mesh_surface_of(&t->tied[f], tied.mesh, tied.faces->item[f]);
        for (int a = 0; a < t->tied[f].nodes; a++) t->row[t->tied[f].node[a]] = 0;
    }
    for (int32_t i = 0; i < tied.mesh->n_nodes; i++) {
        if (t->row[i] < 0) continue;
        t->row[i] = out->n;
        out->node[out->n++] = i;
    }
    memset(t->edge, -1, sizeof *t->edge * (nodes + 1));
    for (int f = 0; f < t->n_tied; f++) {
        const pio_mesh_surface *own = &t->tied[f];
        const pio_element *e = &pio_elements[own->type];
        for (int a = 0; a < own->nodes; a++) t->end[t->row[own->node[a]]] = tied.ends && tied.ends[own->node[a]];
        for (int k = 0; is_bent(own->type) && k < e->edges; k++)
            for (int c = 0; c < 2; c++)
                t->edge[t->row[own->node[e->corners + k]]][c] = t->row[own->node[e->edge[k][c]]];
    }
    return find_heirs(t, out->n);
}

/* Adds the terms of each master, and divides them by D_a. */
static bool gather(tying *t, pio_mesh_ties *out)
{
    int32_t entries = 0;
    qsort(t->terms, (size_t)t->n_terms, sizeof *t->terms, by_row);
    free(out->start);
    free(out->master);
    free(out->weight);
    out->start = calloc((size_t)out->n + 1, sizeof *out->start);
    out->master = malloc(sizeof *out->master * ((size_t)t->n_terms + 1));
    out->weight = malloc(sizeof *out->weight * ((size_t)t->n_terms + 1));
    if (!out->start || !out->master || !out->weight) return false;
    for (int32_t i = 0, next; i < t->n_terms; i = next) {
        const term *first = &t->terms[i];
        double sum = 0;
        for (next = i; next < t->n_terms && t->terms[next].row == first->row && t->terms[next].master == first->master;)
            sum += t->terms[next++].value;
        sum /= t->size[first->row];
        if (fabs(sum) <= NOTHING) continue;
        out->master[entries] = first->master;
        out->weight[entries++] = sum;
        out->start[first->row + 1] = entries;
    }
    return true;
}

/* Adds a number times what row `of` is to a row. */
static bool add_row(tying *t, const pio_mesh_ties *out, int32_t row, int32_t of, double factor)
{
    bool ok = true;
    for (int32_t k = out->start[of]; ok && k < out->start[of + 1]; k++)
        ok = add_term(t, row, out->master[k], factor * out->weight[k]);
    return ok;
}

/* Computes the rows of v, and of these those of u. */
static bool finish(tying *t, pio_mesh_ties *out)
{
    bool bent = false, ok = gather(t, out);
    for (int32_t i = 0; i < out->n; i++) bent |= t->edge[i][0] >= 0;
    if (!ok || !bent) return ok;
    t->n_terms = 0;
    for (int32_t i = 0; ok && i < out->n; i++) {
        const bool middle = t->edge[i][0] >= 0 && !t->end[i];
        t->size[i] = 1;
        ok = add_row(t, out, i, i, middle ? 1 - 2 * BENT : 1);
        for (int c = 0; ok && middle && c < 2; c++) ok = add_row(t, out, i, t->edge[i][c], BENT);
    }
    return ok && gather(t, out);
}

/* Ties all faces and nodes; *fault says where and why that fails. */
static piola_status tie_all(tying *t, const pio_mesh *mesh, const pio_mesh_ties *out, pio_mesh_tie_fault *fault,
                            piola_error *error)
{
    piola_status rc = PIOLA_OK;
    *fault = (pio_mesh_tie_fault){.reason = PIO_TIE_OPEN};
    for (int f = 0; !rc && f < t->n_tied; f++) {
        const double third[3] = {1.0 / 3, 1.0 / 3, 0}, middle[3] = {0};
        const bool triangle = pio_elements[t->tied[f].type].corners == 3;
        rc = pio_stop("tying meshes", error);
        if (rc) return rc;
        pio_mesh_surface_at(&t->tied[f], triangle ? third : middle, fault->x, NULL);
        rc = tie_face(t, &t->tied[f], &fault->reason);
    }
    for (int32_t i = 0; !rc && i < out->n; i++) {
        if (!t->end[i]) continue;
        memcpy(fault->x, mesh->x + 3 * (size_t)out->node[i], sizeof fault->x);
        if (t->heir[i] == t->heir[i + 1]) {
            fault->reason = PIO_TIE_ALONE;
            rc = PIOLA_BAD_DATA;
        } else {
            rc = tie_end(t, i, mesh, out->node);
        }
    }
    if (rc == PIOLA_BAD_DATA) return pio_fail(error, rc, "faces cannot be tied");
    return rc ? pio_fail_memory(error, sizeof *t->terms * (size_t)t->room, "ties") : rc;
}

piola_status pio_mesh_tie(pio_mesh_ties *out, pio_mesh_side tied, pio_mesh_side to, double gap,
                          pio_mesh_tie_fault *fault, piola_error *error)
{
    tying t = {.n_tied = tied.faces->n, .n_to = to.faces->n, .gap = gap};
    piola_status rc = PIOLA_OK;
    *out = (pio_mesh_ties){0};
    if (!begin(&t, out, tied, to))
        rc = pio_fail_memory(error, sizeof *t.pairs * (size_t)t.n_to, "ties");
    else
        rc = tie_all(&t, tied.mesh, out, fault, error);
    if (!rc && !finish(&t, out)) rc = pio_fail_memory(error, sizeof *t.terms * (size_t)t.n_terms, "ties");
    free(t.tied);
    free(t.to);
    free(t.pairs);
    free(t.row);
    free(t.end);
    free(t.edge);
    free(t.size);
    free(t.terms);
    free(t.heirs);
    free(t.heir);
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
