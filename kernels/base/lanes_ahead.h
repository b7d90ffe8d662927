/* lanes_ahead.h -- what the items of the next batch will need, prefetched while lanes compute. */
#ifndef PIOLA_KERNELS_LANES_AHEAD_H
#define PIOLA_KERNELS_LANES_AHEAD_H

#include "kernels/base/lanes.h"

/* What a team will read and write of its next batch, so that memory works while lanes compute. A field is stored by
 * item, by the places of the team's order, or by the numbers of items. */
enum { LANES_AHEAD = 14, AHEAD_ITEMS = 8, AHEAD_LEAST = 4096, LINE_BYTES = 64 };
enum { AHEAD_ITEM, AHEAD_PLACE, AHEAD_ID };
typedef struct {
    const int *order, *id; /* [n] the team's; numbers of items, NULL where no field is stored so */
    int end;               /* the place after the last of the team */
    int fields;
    int by[LANES_AHEAD], components[LANES_AHEAD], writes[LANES_AHEAD];
    const real *field[LANES_AHEAD]; /* [n][components] */
} lanes_ahead;

/* Returns what reads nothing yet of the items at the places of an order before `end`. */
PIO_FN lanes_ahead ahead_of(const int *order, const int *id, int end)
{
    lanes_ahead h;
    h.order = order;
    h.id = id;
    h.end = end;
    h.fields = 0;
    return h;
}

/* Adds a field to what will be read, or written, or instead of NULL another one of as many components at least. */
PIO_FN void ahead_add(lanes_ahead *h, int by, int writes, const real *field, int components, const real *instead)
{
#if LANE_RECORDS
    h->by[h->fields] = by;
    h->writes[h->fields] = writes;
    h->components[h->fields] = components;
    h->field[h->fields++] = field ? field : instead;
#else
    (void)h, (void)by, (void)writes, (void)field, (void)components, (void)instead;
#endif
}

/* Prefetches the items at the places begin .. end - 1: a hint, no value depends on it. */
PIO_FN void ahead_fetch(const lanes_ahead *h, int begin, int end)
{
#if LANE_RECORDS
    if (end > h->end) end = h->end;
    for (int place = begin; place < end; place++) {
        const int item = h->order[place], id = h->id ? h->id[item] : 0;
        PIO_UNROLL_ALL
        for (int k = 0; k < h->fields; k++) {
            const ptrdiff_t i = h->by[k] == AHEAD_ITEM ? item : h->by[k] == AHEAD_PLACE ? place : id;
            if (h->writes[k])
                PIO_PREFETCH(h->field[k] + h->components[k] * i, 1);
            else
                PIO_PREFETCH(h->field[k] + h->components[k] * i, 0);
        }
    }
#else
    (void)h, (void)begin, (void)end;
#endif
}

#if PIO_NODE_ROWS
/* Prefetches a part 0 .. TEAM_LANES / AHEAD_ITEMS - 1 of the batch that begins at place `next` of all n, of this team
 * or another, unless n are so few that they stay in a cache: a hint, no value depends on it. A kernel does so between
 * its stages, since memory takes few requests at a time. Fields that are stored by item are prefetched as if neighbours
 * were stored one after the other, which most are. */
PIO_FN void ahead_part(const lanes_ahead *h, int n, int next, int part)
{
    const int first = next + AHEAD_ITEMS * part;
    if (n < AHEAD_LEAST || first + AHEAD_ITEMS > n) return;
    PIO_UNROLL_ALL
    for (int k = 0; k < h->fields; k++) {
        if (h->by[k] == AHEAD_ID) continue;
        const int bytes = h->components[k] * (int)sizeof(real);
        const ptrdiff_t i = h->by[k] == AHEAD_ITEM ? h->order[first] : first;
        const char *from = (const char *)h->field[k] + bytes * i;
        PIO_UNROLL_ALL
        for (int at = 0; at < AHEAD_ITEMS * bytes; at += LINE_BYTES) PIO_PREFETCH(from + at, 0);
    }
    if (!h->id) return;
    for (int j = 0; j < AHEAD_ITEMS; j++) {
        const ptrdiff_t id = h->id[h->order[first + j]];
        PIO_UNROLL_ALL
        for (int k = 0; k < h->fields; k++)
            if (h->by[k] == AHEAD_ID) PIO_PREFETCH(h->field[k] + h->components[k] * id, 0);
    }
}
#else
/* Nothing: others prefetch while they go from run to run. */
PIO_FN void ahead_part(const lanes_ahead *h, int n, int next, int part)
{
    (void)h, (void)n, (void)next, (void)part;
}
#endif

#endif
