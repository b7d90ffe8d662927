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
 * the last of them once more, or what is stored after it, so that all lanes compute with numbers of an item. */
typedef struct {
    int first, m;         /* the places first .. first + m - 1 */
    int together;         /* 1: they are stored one after the other, and so are TEAM_LANES items from item[0] on */
    int item[LANE_ROOM];  /* of each lane */
    int place[LANE_ROOM]; /* of each lane */
} lane_items;

/* Returns 1 where a CPU may move what m lanes have by these numbers as TEAM_LANES neighbours: the numbers ascend by
 * one, and below n there are so many from the first one on. */
PIO_FN int numbers_together(const int *number, int m, int n)
{
#if LANE_RECORDS
    int apart = 0;
    const int first = number[0];
    if (first + TEAM_LANES > n) return 0;
    if (m == TEAM_LANES) {
        FULL_LANES(j) apart |= number[j] - j - first;
    } else {
        for (int j = 0; j < m; j++) apart |= number[j] - j - first;
    }
    return !apart;
#else
    (void)number, (void)m, (void)n;
    return 0;
#endif
}

/* Sets the items at the places first .. first + m - 1 of an order [n]. */
PIO_FN void lanes_open(lane_items *t, const int *order, int n, int first, int m)
{
    t->first = first;
    t->m = m;
    if (PIO_LANE_LOOPS && m == TEAM_LANES) {
        FULL_LANES(j)
        {
            t->place[LANE(j)] = first + j;
            t->item[LANE(j)] = order[first + j];
        }
    } else {
        FULL_LANES(j)
        {
            const int place = first + (j < m ? j : m - 1);
            t->place[LANE(j)] = place;
            t->item[LANE(j)] = order[place];
        }
    }
    t->together = numbers_together(t->item, m, n);
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

#if PIO_NODE_ROWS
/* Copies a number, by a register of integers where a CPU has more ports for these. */
PIO_FN void number_copy(real *to, const real *from)
{
    __builtin_memcpy(to, from, sizeof *to);
}

/* Copies two numbers. */
PIO_FN void pair_copy(real *to, const real *from)
{
    __builtin_memcpy(to, from, 2 * sizeof *to);
}

/* What is read in whole registers is written in whole registers: a CPU waits for what it has to put together from
 * several stores. */
enum { JOINED = 8 };
typedef real quad_two __attribute__((vector_size(2 * QUAD * sizeof(real)), may_alias));
typedef real quad_four __attribute__((vector_size(4 * QUAD * sizeof(real)), aligned(sizeof(real)), may_alias));
typedef int64_t pair_eight __attribute__((vector_size(JOINED * sizeof(int64_t)), aligned(sizeof(real)), may_alias));

/* Returns a and b in one register. */
PIO_FN quad_two quad_with(quad a, quad b)
{
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
}

/* Copies the quads at place `at` of JOINED records. */
PIO_FN void quads_join(real (*to)[QUAD], const real *const *from, int at)
{
    PIO_UNROLL
    for (int i = 0; i < JOINED; i += 4) {
        const quad_two a = quad_with(quad_load(from[i] + at), quad_load(from[i + 1] + at));
        const quad_two b = quad_with(quad_load(from[i + 2] + at), quad_load(from[i + 3] + at));
        *(quad_four *)to[i] = __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    }
}

/* Copies the pairs at place `at` of JOINED records. */
PIO_FN void pairs_join(real (*to)[2], const real *const *from, int at)
{
    int64_t pair[JOINED];
    PIO_UNROLL_ALL
    for (int i = 0; i < JOINED; i++) __builtin_memcpy(&pair[i], from[i] + at, sizeof pair[i]);
    const pair_eight all = {pair[0], pair[1], pair[2], pair[3], pair[4], pair[5], pair[6], pair[7]};
    *(pair_eight *)to[0] = all;
}
#endif

/* Sets lanes x [components] to the records of a field that `item` names. */
PIO_FN void records_load(real (*x)[LANE_ROOM], const real *field, int components, const int *item)
{
    const int whole = components / QUAD, rest = components % QUAD, last = QUAD * whole;
    lane_records t;
#if PIO_NODE_ROWS
    for (int j = 0; j < TEAM_LANES && read_anew();
         j += JOINED) { /* not in vectors, of which gcc would pick the addresses */
        const real *from[JOINED];
        PIO_UNROLL_ALL
        for (int i = 0; i < JOINED; i++) from[i] = field + (ptrdiff_t)components * item[j + i];
        PIO_UNROLL
        for (int k = 0; k < whole; k++) quads_join(t.quad[k] + j, from, QUAD * k);
        if (rest == 2) pairs_join(t.pair + j, from, last);
        PIO_UNROLL_ALL
        for (int i = 0; i < JOINED; i++) {
            if (rest == 1) number_copy(&x[last][j + i], from[i] + last);
            if (rest == 3) pair_copy(t.quad[whole][j + i], from[i] + last);
            if (rest == 3) t.quad[whole][j + i][2] = from[i][last + 2];
        }
    }
#else
    for (int j = 0; j < TEAM_LANES; j++) {
        const real *from = field + (ptrdiff_t)components * item[j];
        PIO_UNROLL
        for (int k = 0; k < whole; k++) quad_store(t.quad[k][j], quad_load(from + QUAD * k));
        PIO_UNROLL
        for (int c = 0; c < rest; c++)
            *(rest == 1 ? &x[last][j] : rest == 2 ? &t.pair[j][c] : &t.quad[whole][j][c]) = from[last + c];
    }
#endif
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

/* As records_load, of TEAM_LANES records that are stored one after the other from `from` on. */
PIO_FN void records_load_together(real (*x)[LANE_ROOM], const real *from, int components)
{
    if (components == 1) {
        FULL_LANES(j) x[0][j] = from[j];
    } else if (components == 2) {
        FULL_LANES(j)
        {
            x[0][j] = from[2 * j];
            x[1][j] = from[2 * j + 1];
        }
    } else if (components == QUAD) {
        FULL_LANES(j)
        {
            x[0][j] = from[QUAD * j];
            x[1][j] = from[QUAD * j + 1];
            x[2][j] = from[QUAD * j + 2];
            x[3][j] = from[QUAD * j + 3];
        }
    }
}

/* Returns 1 where records of so many components are moved side by side if they are stored one after the other. */
PIO_FN int records_side_by_side(int components)
{
    return components == 1 || components == 2 || components == QUAD;
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

/* Stores all lanes x [components] as records that follow one another from `to` on, or adds them to these. */
PIO_FN void records_store_together(real *to, int components, real (*x)[LANE_ROOM], const int adds)
{
    if (components == 1) {
        FULL_LANES(j) to[j] = adds ? to[j] + x[0][j] : x[0][j];
    } else if (components == 2) {
        FULL_LANES(j)
        {
            to[2 * j] = adds ? to[2 * j] + x[0][j] : x[0][j];
            to[2 * j + 1] = adds ? to[2 * j + 1] + x[1][j] : x[1][j];
        }
    } else if (components == QUAD) {
        FULL_LANES(j)
        {
            to[QUAD * j] = adds ? to[QUAD * j] + x[0][j] : x[0][j];
            to[QUAD * j + 1] = adds ? to[QUAD * j + 1] + x[1][j] : x[1][j];
            to[QUAD * j + 2] = adds ? to[QUAD * j + 2] + x[2][j] : x[2][j];
            to[QUAD * j + 3] = adds ? to[QUAD * j + 3] + x[3][j] : x[3][j];
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

/* Loads the items of a field of n items and `components` that `item` names into lanes, x [components]; `together` is 1
 * where they are TEAM_LANES that are stored one after the other. */
PIO_FN void lanes_load_of(real (*x)[LANE_ROOM], const real *field, int n, int components, const int *item, int together)
{
#if LANE_RECORDS
    (void)n;
    if (records_side_by_side(components) && together)
        records_load_together(x, field + (ptrdiff_t)components * item[0], components);
    else
        records_load(x, field, components, item);
#else
    (void)together;
    FULL_LANES(j)
    for (int c = 0; c < components; c++) x[c][LANE(j)] = field[field_at(n, components, c, item[LANE(j)])];
#endif
}

/* Loads the numbers of the items, id [n], into lanes. */
PIO_FN void lanes_load_ids(int *x, const int *id, const lane_items *t)
{
    if (PIO_LANE_LOOPS && t->together) {
        FULL_LANES(j) x[LANE(j)] = id[t->item[0] + j];
    } else {
        FULL_LANES(j) x[LANE(j)] = id[t->item[LANE(j)]];
    }
}

/* Loads the items of a field of n items and `components` into lanes, x [components]. */
PIO_FN void lanes_load(real (*x)[LANE_ROOM], const real *field, int n, int components, const lane_items *t)
{
    lanes_load_of(x, field, n, components, t->item, t->together);
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
    lanes_load_of(x, field, n, components, t->place, t->first + TEAM_LANES <= n);
}

/* Stores lanes x [components] as the items of a field of n items, or at the places of the batch, or adds them to what
 * is there. */
PIO_FN void lanes_put(real *field, int n, int components, const lane_items *t, const int at_places,
                      real (*x)[LANE_ROOM], const int adds)
{
    const int *item = at_places ? t->place : t->item;
#if LANE_RECORDS
    (void)n;
    if (records_side_by_side(components) && (at_places || t->together) && t->m == TEAM_LANES)
        records_store_together(field + (ptrdiff_t)components * item[0], components, x, adds);
    else
        records_store(field, components, item, t->m, x, adds);
#else
    LANES (j, t->m)
        for (int c = 0; c < components; c++) {
            real *to = field + field_at(n, components, c, item[LANE(j)]);
            *to = adds ? *to + x[c][LANE(j)] : x[c][LANE(j)];
        }
#endif
}

/* Stores lanes x [components] as the items of a field of n items. */
PIO_FN void lanes_store(real *field, int n, int components, const lane_items *t, real (*x)[LANE_ROOM])
{
    lanes_put(field, n, components, t, 0, x, 0);
}

/* Stores lanes x [components] at the places of the batch, where the order itself is that of the field of n items. */
PIO_FN void lanes_store_places(real *field, int n, int components, const lane_items *t, real (*x)[LANE_ROOM])
{
    lanes_put(field, n, components, t, 1, x, 0);
}

/* Adds lanes x [components] to the items of a field of n items. */
PIO_FN void lanes_add(real *field, int n, int components, const lane_items *t, real (*x)[LANE_ROOM])
{
    lanes_put(field, n, components, t, 0, x, 1);
}

/* Sets what is stored at the places of the batch to 0, where the order itself is that of the field of n items. */
PIO_FN void lanes_clear_places(real *field, int n, int components, const lane_items *t)
{
    LANES (j, t->m)
        for (int c = 0; c < components; c++) field[field_at(n, components, c, t->first + j)] = R(0);
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
