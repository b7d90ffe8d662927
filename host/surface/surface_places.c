/* surface_places.c -- gives vertices with equal coordinates one number, found by a hash of the coordinates. See
 * surface_parts.h. */
#include "host/surface/surface_parts.h"

#include "host/base/fail.h"
#include "host/base/large.h"
#include "host/base/stop.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { FIRST_SLOTS = 1 << 12 };

void pio_place_key(uint64_t key[8])
{
    enum { KEYS = 8 };
    for (size_t i = 0; i < KEYS; i++) key[i] = (i + 1) * 0x9e3779b97f4a7c15u;
    /* A system without random numbers yet leaves the values above. */
    (void)!getrandom(key, KEYS * sizeof *key, GRND_NONBLOCK);
}

/* Makes room for n more positions; at most half of the slots are used. */
static bool make_room(pio_triangles *t, pio_input *in, size_t n)
{
    if (in->status) return false;
    if (t->n_places + n > t->vertex_room) {
        t->vertex_room = 2 * t->vertex_room + 2 * n;
        double *more = realloc(t->vertex, t->vertex_room * 3 * sizeof *more);
        if (!more) {
            pio_input_no_memory(in, t->vertex_room * 3 * sizeof *more, "a surface");
            return false;
        }
        t->vertex = more;
    }
    if (2 * (t->n_places + n) <= t->slots) return true;
    if (!t->slots) pio_place_key(t->key);
    t->slots = t->slots ? 4 * t->slots : FIRST_SLOTS;
    free(t->slot);
    t->slot = calloc(t->slots, sizeof *t->slot);
    if (!t->slot) {
        pio_input_no_memory(in, t->slots * sizeof *t->slot, "a surface");
        return false;
    }
    for (size_t p = 0; p < t->n_places && !in->status; p++) {
        size_t at = pio_place_hash(t->key, t->vertex + 3 * p) & (t->slots - 1);
        while (t->slot[at]) at = (at + 1) & (t->slots - 1);
        t->slot[at] = (uint32_t)p + 1;
        pio_input_poll(in);
    }
    return !in->status;
}

/* Returns the position of x; the search begins at the slot that its hash gives. */
static int32_t place_of(pio_triangles *t, const double x[3], size_t at)
{
    for (;; at = (at + 1) & (t->slots - 1)) {
        const uint32_t is = t->slot[at];
        if (!is) break;
        if (!memcmp(t->vertex + 3 * (size_t)(is - 1), x, 3 * sizeof *x)) return (int32_t)(is - 1);
    }
    memcpy(t->vertex + 3 * t->n_places, x, 3 * sizeof *x);
    t->slot[at] = (uint32_t)++t->n_places;
    return (int32_t)(t->n_places - 1);
}

void pio_triangles_places(pio_triangles *t, pio_input *in, size_t n, double (*x)[3], int32_t *place)
{
    size_t slot[PIO_PLACES];
    if (!make_room(t, in, n)) return;
    for (size_t i = 0; i < n; i++) { /* distant memory is prefetched before it is needed */
        for (int a = 0; a < 3; a++) x[i][a] = t->scale * x[i][a] + 0.0; /* turn -0 into 0 */
        slot[i] = pio_place_hash(t->key, x[i]) & (t->slots - 1);
        __builtin_prefetch(&t->slot[slot[i]]);
    }
    for (size_t i = 0; i < n; i++)
        if (t->slot[slot[i]]) __builtin_prefetch(t->vertex + 3 * (size_t)(t->slot[slot[i]] - 1));
    for (size_t i = 0; i < n; i++) place[i] = place_of(t, x[i], slot[i]);
}

void pio_triangles_end(pio_triangles *t, pio_input *in)
{
    const size_t n = t->n_vertices - t->n_waiting;
    if (!t->n_waiting) return;
    while (!in->status && t->place_room < t->n_vertices)
        if (!pio_input_room(in, &t->place, t->place_room, &t->place_room, sizeof *t->place)) return;
    if (!in->status) pio_triangles_places(t, in, t->n_waiting, t->waiting, t->place + n);
    t->n_waiting = 0;
}

void pio_triangles_free(pio_triangles *t)
{
    free(t->place);
    free(t->vertex);
    free(t->slot);
    free(t->triangle);
    t->place = NULL;
    t->vertex = NULL;
    t->slot = NULL;
    t->triangle = NULL;
}

/* ---- the surface's order -------------------------------------------------------------------------------------- */

/* Makes corners numbers of the surface's vertices, and leaves out triangles with two equal ones; number[place] is the
 * vertex, -1 for none. *same: every vertex has the number of its position. */
static piola_status renumber(const pio_triangles *t, pio_trimesh *s, int32_t *number, bool *same, piola_error *error)
{
    *same = true;
    for (size_t i = 0; i < t->n_triangles; i++) {
        const piola_status rc = pio_stop_at((int64_t)i, PIO_ORDERING, error);
        if (rc) return rc;
        int32_t own[3];
        for (int k = 0; k < 3; k++) {
            const int32_t corner = t->triangle[3 * i + (size_t)k];
            own[k] = t->place ? t->place[corner] : corner;
        }
        if (own[0] == own[1] || own[1] == own[2] || own[2] == own[0]) continue;
        for (int k = 0; k < 3; k++) {
            int32_t *is = &number[own[k]];
            if (*is < 0) {
                *same = *same && own[k] == s->n_vertices;
                *is = s->n_vertices++;
            }
            s->triangle[3 * s->n_triangles + k] = *is;
        }
        s->n_triangles++;
    }
    return PIOLA_OK;
}

/* Moves vertices into the order of their numbers. */
static piola_status move_vertices(const pio_triangles *t, pio_trimesh *s, const int32_t *number, piola_error *error)
{
    const size_t bytes = ((size_t)s->n_vertices + 1) * 3 * sizeof *s->vertex;
    s->vertex = pio_large_alloc(bytes);
    if (!s->vertex) return pio_fail_memory(error, bytes, "a surface");
    for (size_t p = 0; p < t->n_places; p++)
        if (number[p] >= 0) memcpy(s->vertex + 3 * number[p], t->vertex + 3 * p, 3 * sizeof *s->vertex);
    return PIOLA_OK;
}

piola_status pio_triangles_order(pio_triangles *t, pio_trimesh *s, piola_error *error)
{
    const size_t bytes = (t->n_places + 1) * sizeof(int32_t);
    bool same;
    free(t->slot);
    t->slot = NULL;
    int32_t *number = pio_large_alloc(bytes);
    if (!number) return pio_fail_memory(error, bytes, "a surface");
    memset(number, 255, bytes); /* -1 */
    s->triangle = t->triangle;  /* no corner is written before it is read */
    piola_status rc = renumber(t, s, number, &same, error);
    t->triangle = NULL;
    if (!rc && same) {
        double *less = realloc(t->vertex, ((size_t)s->n_vertices + 1) * 3 * sizeof *less);
        s->vertex = less ? less : t->vertex;
        t->vertex = NULL;
    } else if (!rc) {
        rc = move_vertices(t, s, number, error);
    }
    free(number);
    return rc;
}
