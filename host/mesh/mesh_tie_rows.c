/* mesh_tie_rows.c -- see mesh_tie_rows.h. */
#include "host/mesh/mesh_tie_rows.h"

#include <math.h>
#include <stdlib.h>

static const double NOTHING = 1e-13;   /* a weight that rounding makes */
static const double NEGLIGIBLE = 1e-9; /* a weight that contradicts no support */

static int by_row(const void *a, const void *b)
{
    const pio_tie_term *p = a, *q = b;
    if (p->row != q->row) return p->row < q->row ? -1 : 1;
    if (p->master != q->master) return p->master < q->master ? -1 : 1;
    return (p->order > q->order) - (p->order < q->order);
}

bool pio_tie_add(pio_tie_terms *t, int32_t row, int32_t master, double value)
{
    if (t->n == t->room) {
        const int32_t room = 2 * t->room + 1024;
        pio_tie_term *more = realloc(t->v, sizeof *more * (size_t)room);
        if (!more) return false;
        t->v = more;
        t->room = room;
    }
    t->v[t->n] = (pio_tie_term){row, master, t->n, value};
    t->n++;
    return true;
}

bool pio_tie_gather(pio_tie_terms *t, const double *size, int32_t rows, pio_mesh_ties *out)
{
    int32_t entries = 0;
    if (t->n) qsort(t->v, (size_t)t->n, sizeof *t->v, by_row);
    free(out->start);
    free(out->master);
    free(out->weight);
    out->start = calloc((size_t)rows + 1, sizeof *out->start);
    out->master = malloc(sizeof *out->master * ((size_t)t->n + 1));
    out->weight = malloc(sizeof *out->weight * ((size_t)t->n + 1));
    if (!out->start || !out->master || !out->weight) return false;
    for (int32_t i = 0, next; i < t->n; i = next) {
        const pio_tie_term *first = &t->v[i];
        double sum = 0;
        for (next = i; next < t->n && t->v[next].row == first->row && t->v[next].master == first->master;)
            sum += t->v[next++].value;
        if (size) sum /= size[first->row];
        if (fabs(sum) <= NOTHING) continue;
        out->master[entries] = first->master;
        out->weight[entries++] = sum;
        out->start[first->row + 1] = entries;
    }
    for (int32_t i = 0; i < rows; i++) /* rows without entries */
        if (out->start[i + 1] < out->start[i]) out->start[i + 1] = out->start[i];
    t->n = 0;
    return true;
}

/* Adds a number times row `of` of some rows to a row. */
static bool add_row(pio_tying *t, const pio_mesh_ties *rows, int32_t row, int32_t of, double factor)
{
    bool ok = true;
    for (int32_t k = rows->start[of]; ok && k < rows->start[of + 1]; k++)
        ok = pio_tie_add(&t->terms, row, rows->master[k], factor * rows->weight[k]);
    return ok;
}

/* ---- ends -------------------------------------------------------------------------------------------------- */

/* Returns whether a node that follows the masters of a row contradicts its supports: along an axis of these, one of the
 * masters is not fixed. */
static bool contradicts(const pio_tying *t, int32_t node, const pio_mesh_ties *rows, int32_t row)
{
    bool found = false;
    for (int32_t k = rows->start[row]; t->support[node] && k < rows->start[row + 1]; k++) {
        const int fixed = t->fixed ? t->fixed[rows->master[k]] : 0;
        found |= fabs(rows->weight[k]) > NEGLIGIBLE && (t->support[node] & ~fixed);
    }
    return found;
}

int32_t pio_tie_new_ends(pio_tying *t, const pio_mesh_ties *rows)
{
    int32_t n = 0;
    for (int32_t i = 0; i < t->rows; i++) {
        if (t->end[i] || !contradicts(t, i, rows, i)) continue;
        t->end[i] = 1;
        n++;
    }
    for (int32_t i = 0; i < t->rows; i++) /* v of a middle that is an end is that of the ends of its edge, too */
        for (int c = 0; t->end[i] && t->edge[i][0] >= 0 && c < 2; c++) t->end[t->edge[i][c]] = 1;
    return n;
}

/* Lists, in t->queue from *first on, the nodes that take the part of an end: of the nearest ring of faces around it
 * with such nodes those that are no ends, and whose supports that part does not contradict. Returns how many. */
static int32_t find_heirs(pio_tying *t, int32_t end, int32_t *first)
{
    int32_t begin = 0, tail = 1, n = 0;
    t->queue[0] = end;
    t->seen[end] = end + 1;
    while (!n && begin < tail) {
        const int32_t ring = tail;
        for (; begin < ring; begin++)
            for (int32_t f = t->face_start[t->queue[begin]]; f < t->face_start[t->queue[begin] + 1]; f++)
                for (int a = 0; a < t->tied[t->face[f]].nodes; a++) {
                    const int32_t other = t->row[t->tied[t->face[f]].node[a]];
                    if (t->seen[other] == end + 1) continue;
                    t->seen[other] = end + 1;
                    t->queue[tail++] = other;
                }
        for (int32_t i = ring; i < tail; i++) n += !t->end[t->queue[i]] && !contradicts(t, t->queue[i], &t->part, end);
        *first = ring;
    }
    for (int32_t i = *first, kept = *first; n && i < tail; i++) {
        const int32_t other = t->queue[i];
        if (!t->end[other] && !contradicts(t, other, &t->part, end)) t->queue[kept++] = other;
    }
    return n;
}

/* Sets t->part to what ends leave, (M_ck - D_c v_ck)/D_c: v of an end is u, of the middle of an edge (u_m - BENT (u_c +
 * u_d))/(1 - 2 BENT). */
static bool find_parts(pio_tying *t)
{
    bool ok = true;
    for (int32_t i = 0; ok && i < t->rows; i++) {
        const bool middle = t->edge[i][0] >= 0;
        const double own = middle ? 1 / (1 - 2 * PIO_TIE_BENT) : 1;
        if (!t->end[i]) continue;
        ok = add_row(t, &t->pure, i, i, 1) && add_row(t, &t->nearest, i, i, -own);
        for (int c = 0; ok && middle && c < 2; c++) ok = add_row(t, &t->nearest, i, t->edge[i][c], PIO_TIE_BENT * own);
    }
    return ok && pio_tie_gather(&t->terms, NULL, t->rows, &t->part);
}

/* Adds the parts of all ends to the rows of their heirs. */
static piola_status pass_on(pio_tying *t, int32_t *alone)
{
    if (!find_parts(t)) return PIOLA_NO_MEMORY;
    for (int32_t i = 0; i < t->rows; i++) t->seen[i] = 0;
    for (int32_t i = 0; i < t->rows; i++) {
        double most = 0;
        int32_t first = 0;
        for (int32_t k = t->part.start[i]; k < t->part.start[i + 1]; k++) most = fmax(most, fabs(t->part.weight[k]));
        if (!t->end[i] || most <= NEGLIGIBLE) continue;
        const int32_t n = find_heirs(t, i, &first);
        *alone = i;
        if (!n) return PIOLA_BAD_DATA;
        for (int32_t h = first; h < first + n; h++)
            if (!add_row(t, &t->part, t->queue[h], i, t->size[i] / t->size[t->queue[h]] / n)) return PIOLA_NO_MEMORY;
    }
    return PIOLA_OK;
}

/* ---- all rows ---------------------------------------------------------------------------------------------- */

piola_status pio_tie_rows(pio_tying *t, pio_mesh_ties *out, int32_t *alone)
{
    bool bent = false, ok = true;
    const piola_status rc = pass_on(t, alone);
    if (rc) return rc;
    for (int32_t i = 0; ok && i < t->rows; i++) {
        ok = add_row(t, t->end[i] ? &t->nearest : &t->pure, i, i, 1);
        bent |= t->edge[i][0] >= 0;
    }
    ok = ok && pio_tie_gather(&t->terms, NULL, t->rows, out);
    for (int32_t i = 0; ok && bent && i < t->rows; i++) { /* these were rows of v */
        const bool middle = t->edge[i][0] >= 0 && !t->end[i];
        ok = add_row(t, out, i, i, middle ? 1 - 2 * PIO_TIE_BENT : 1);
        for (int c = 0; ok && middle && c < 2; c++) ok = add_row(t, out, i, t->edge[i][c], PIO_TIE_BENT);
    }
    if (bent) ok = ok && pio_tie_gather(&t->terms, NULL, t->rows, out);
    return ok ? PIOLA_OK : PIOLA_NO_MEMORY;
}
