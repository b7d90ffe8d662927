/* lanes.h -- stored items in lanes: loads and stores of the fields of a batch. */
#ifndef PIOLA_KERNELS_LANES_H
#define PIOLA_KERNELS_LANES_H

#include "kernels/base/quad.h"
#include "kernels/base/vec.h"

/* LANES_CLEAR(x) sets the variables of lanes in a struct to 0, those beyond a batch too: a CPU computes with these, and
 * some processors take a hundred times as long for what numbers too small to be normal may be left there. */
#if PIO_LANE_LOOPS && !defined(PIO_DUAL)
#define LANES_CLEAR(x) __builtin_memset(&(x), 0, sizeof(x))
#else
#define LANES_CLEAR(x) ((void)0)
#endif

/* Where lanes are loops and an item is a record, batches are moved record by record, a quad at a time. */
#define LANE_RECORDS (PIO_LANE_LOOPS && PIO_BLOCK == 1)

/* The items of a batch, which are those at m consecutive places of an order: 1 <= m <= TEAM_LANES. Lanes beyond have
 * the last of them once more, so that all lanes compute with numbers of an item. */
typedef struct {
    int first, m;         /* the places first .. first + m - 1 */
    int item[LANE_ROOM];  /* of each lane */
    int place[LANE_ROOM]; /* of each lane */
} lane_items;

/* Sets the items at the places first .. first + m - 1 of an order [n]. */
PIO_FN void lanes_open(lane_items *t, const int *order, int first, int m)
{
    t->first = first;
    t->m = m;
    FULL_LANES(j)
    {
        const int place = first + (j < m ? j : m - 1);
        t->place[LANE(j)] = place;
        t->item[LANE(j)] = order[place];
    }
}

/* Stores lanes x0 .. x3 as quads. */
PIO_FN void lanes_to_quads(real (*to)[QUAD], const real *x0, const real *x1, const real *x2, const real *x3)
{
    FULL_LANES(j)
    {
        to[j][0] = x0[LANE(j)];
        to[j][1] = x1[LANE(j)];
        to[j][2] = x2[LANE(j)];
        to[j][3] = x3[LANE(j)];
    }
}

#if LANE_RECORDS
/* Sets lanes x0 .. x3 to quads. */
PIO_FN void quads_to_lanes(real *x0, real *x1, real *x2, real *x3, real (*from)[QUAD])
{
    FULL_LANES(j)
    {
        x0[j] = from[j][0];
        x1[j] = from[j][1];
        x2[j] = from[j][2];
        x3[j] = from[j][3];
    }
}

/* Lanes as records of at most DIM * DIM components on their way to or from memory: quads, and after them pairs, triples
 * with a fourth number that means nothing, or single numbers. */
typedef struct {
    real quad[DIM * DIM / QUAD + 1][TEAM_LANES][QUAD], pair[TEAM_LANES][2], unused[LANE_ROOM];
} lane_records;

/* Sets lanes x [components] to the records of a field that `item` names. */
PIO_FN void records_load(real (*x)[LANE_ROOM], const real *field, int components, const int *item)
{
    const int whole = components / QUAD, rest = components % QUAD, last = QUAD * whole;
    lane_records t;
    for (int j = 0; j < TEAM_LANES; j++) {
        const real *from = field + (ptrdiff_t)components * item[j];
        PIO_UNROLL
        for (int k = 0; k < whole; k++) quad_store(t.quad[k][j], quad_load(from + QUAD * k));
        PIO_UNROLL
        for (int c = 0; c < rest; c++)
            *(rest == 1 ? &x[last][j] : rest == 2 ? &t.pair[j][c] : &t.quad[whole][j][c]) = from[last + c];
    }
    PIO_UNROLL
    for (int k = 0; k < whole; k++)
        quads_to_lanes(x[QUAD * k], x[QUAD * k + 1], x[QUAD * k + 2], x[QUAD * k + 3], t.quad[k]);
    if (rest == 3) quads_to_lanes(x[last], x[last + 1], x[last + 2], t.unused, t.quad[whole]);
    if (rest == 2) {
        FULL_LANES(j)
        {
            x[last][j] = t.pair[j][0];
            x[last + 1][j] = t.pair[j][1];
        }
    }
}

/* Lays lanes x [components] out as records, but for a single last component. */
PIO_FN void records_of(lane_records *t, int components, real (*x)[LANE_ROOM])
{
    const int whole = components / QUAD, rest = components % QUAD, last = QUAD * whole;
    PIO_UNROLL
    for (int k = 0; k < whole; k++)
        lanes_to_quads(t->quad[k], x[QUAD * k], x[QUAD * k + 1], x[QUAD * k + 2], x[QUAD * k + 3]);
    if (rest == 3) lanes_to_quads(t->quad[whole], x[last], x[last + 1], x[last + 2], x[last]);
    if (rest == 2) {
        FULL_LANES(j)
        {
            t->pair[j][0] = x[last][j];
            t->pair[j][1] = x[last + 1][j];
        }
    }
}

/* Stores the first m lanes x [components] as the records of a field that `item` names, or adds them to these. */
PIO_FN void records_store(real *field, int components, const int *item, int m, real (*x)[LANE_ROOM], const int adds)
{
    const int whole = components / QUAD, rest = components % QUAD, last = QUAD * whole;
    lane_records t;
    records_of(&t, components, x);
    for (int j = 0; j < m; j++) {
        real *to = field + (ptrdiff_t)components * item[j];
        PIO_UNROLL
        for (int k = 0; k < whole; k++) {
            const quad q = quad_load(t.quad[k][j]);
            quad_store(to + QUAD * k, adds ? quad_add(quad_load(to + QUAD * k), q) : q);
        }
        PIO_UNROLL
        for (int c = 0; c < rest; c++) {
            const real y = rest == 1 ? x[last][j] : rest == 2 ? t.pair[j][c] : t.quad[whole][j][c];
            to[last + c] = adds ? to[last + c] + y : y;
        }
    }
}
#endif

/* Loads the items of a field of n items and `components` that `item` names, those of the batch or its places, into
 * lanes, x [components]. */
PIO_FN void lanes_load_of(real (*x)[LANE_ROOM], const real *field, int n, int components, const int *item)
{
#if LANE_RECORDS
    (void)n;
    records_load(x, field, components, item);
#else
    FULL_LANES(j)
    for (int c = 0; c < components; c++) x[c][LANE(j)] = field[field_at(n, components, c, item[LANE(j)])];
#endif
}

/* Loads the items of a field of n items and `components` into lanes, x [components]. */
PIO_FN void lanes_load(real (*x)[LANE_ROOM], const real *field, int n, int components, const lane_items *t)
{
    lanes_load_of(x, field, n, components, t->item);
}

/* On CUDA loads again what lanes have of a field, so that it is in no registers between; on a CPU, where lanes are in
 * memory, does nothing. */
PIO_FN void lanes_reload(real (*x)[LANE_ROOM], const real *field, int n, int components, const lane_items *t)
{
#if PIO_LANE_LOOPS
    (void)x, (void)field, (void)n, (void)components, (void)t;
#else
    __asm__ volatile("" ::: "memory");
    lanes_load(x, field, n, components, t);
#endif
}

/* Loads what is stored at the places of the batch of a field of n items, in the order itself, into lanes. */
PIO_FN void lanes_load_places(real (*x)[LANE_ROOM], const real *field, int n, int components, const lane_items *t)
{
    lanes_load_of(x, field, n, components, t->place);
}

/* Stores lanes x [components] as the items of a field of n items that `item` names. */
PIO_FN void lanes_store_of(real *field, int n, int components, const int *item, int m, real (*x)[LANE_ROOM])
{
#if LANE_RECORDS
    (void)n;
    records_store(field, components, item, m, x, 0);
#else
    LANES (j, m)
        for (int c = 0; c < components; c++) field[field_at(n, components, c, item[LANE(j)])] = x[c][LANE(j)];
#endif
}

/* Stores lanes x [components] as the items of a field of n items. */
PIO_FN void lanes_store(real *field, int n, int components, const lane_items *t, real (*x)[LANE_ROOM])
{
    lanes_store_of(field, n, components, t->item, t->m, x);
}

/* Stores lanes x [components] at the places of the batch, where the order itself is that of the field of n items. */
PIO_FN void lanes_store_places(real *field, int n, int components, const lane_items *t, real (*x)[LANE_ROOM])
{
    lanes_store_of(field, n, components, t->place, t->m, x);
}

/* Adds lanes x [components] to the items of a field of n items. */
PIO_FN void lanes_add(real *field, int n, int components, const lane_items *t, real (*x)[LANE_ROOM])
{
#if LANE_RECORDS
    (void)n;
    records_store(field, components, t->item, t->m, x, 1);
#else
    LANES (j, t->m)
        for (int c = 0; c < components; c++) field[field_at(n, components, c, t->item[LANE(j)])] += x[c][LANE(j)];
#endif
}

/* Sets what is stored at the places of the batch to 0, where the order itself is that of the field of n items. */
PIO_FN void lanes_clear_places(real *field, int n, int components, const lane_items *t)
{
    LANES (j, t->m)
        for (int c = 0; c < components; c++) field[field_at(n, components, c, t->first + j)] = R(0);
}

/* What a team will read and write of its next batch, so that memory works while lanes compute. A field is stored by
 * item, by the places of the team's order, or by the numbers of items. */
enum { LANES_AHEAD = 14 };
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

/* Returns the vector of lane j, x [DIM]. */
PIO_FN vec lane_vec(real (*x)[LANE_ROOM], int j)
{
    vec r;
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) r.x[c] = x[c][LANE(j)];
    return r;
}

/* Sets the vector of lane j, x [DIM]. */
PIO_FN void lane_vec_put(real (*x)[LANE_ROOM], int j, vec v)
{
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) x[c][LANE(j)] = v.x[c];
}

/* Returns the matrix of lane j, x [DIM * DIM]. */
PIO_FN mat lane_mat(real (*x)[LANE_ROOM], int j)
{
    mat r;
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) {
        PIO_UNROLL
        for (int d = 0; d < DIM; d++) r.m[c][d] = x[DIM * c + d][LANE(j)];
    }
    return r;
}

/* Sets the matrix of lane j, x [DIM * DIM]. */
PIO_FN void lane_mat_put(real (*x)[LANE_ROOM], int j, mat v)
{
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) {
        PIO_UNROLL
        for (int d = 0; d < DIM; d++) x[DIM * c + d][LANE(j)] = v.m[c][d];
    }
}

/* Sets a matrix of lane j, x [DIM * DIM], to v where `there` is 1. */
PIO_FN void lane_mat_choose(real (*x)[LANE_ROOM], int j, int there, mat v)
{
    PIO_UNROLL_ALL
    for (int c = 0; c < DIM * DIM; c++) {
        const real old = x[c][LANE(j)];
        x[c][LANE(j)] = there ? v.m[c / DIM][c % DIM] : old;
    }
}

#endif
