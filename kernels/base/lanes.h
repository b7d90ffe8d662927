/* lanes.h -- stored items in lanes: loads and stores of the fields of a batch. */
#ifndef PIOLA_KERNELS_LANES_H
#define PIOLA_KERNELS_LANES_H

#include "kernels/base/vec.h"

/* LANES_CLEAR(x) sets the variables of lanes in a struct to 0, those beyond a batch too: a CPU computes with these, and
 * some processors take a hundred times as long for what numbers too small to be normal may be left there. */
#if PIO_LANE_LOOPS && !defined(PIO_DUAL)
#define LANES_CLEAR(x) __builtin_memset(&(x), 0, sizeof(x))
#else
#define LANES_CLEAR(x) ((void)0)
#endif

/* Items that are stored side by side are copied side by side where fields are stored component after component. */
#if !PIO_LANE_LOOPS || defined(PIO_DUAL) || PIO_BLOCK
#define LANE_RUNS 0
#else
#define LANE_RUNS 1
#endif

/* The items of a batch, which are those at m consecutive places of an order: 1 <= m <= TEAM_LANES. Lanes beyond have
 * the last of them once more, so that all lanes compute with numbers of an item. */
typedef struct {
    int first, m;        /* the places first .. first + m - 1 */
    int item[LANE_ROOM]; /* of each lane */
#if LANE_RUNS
    int runs, run[TEAM_LANES + 1]; /* lanes run[r] .. run[r + 1] - 1 have items that are stored side by side */
#endif
} lane_items;

/* Sets the items at the places first .. first + m - 1 of an order [n]. */
PIO_FN void lanes_open(lane_items *t, const int *order, int first, int m)
{
    t->first = first;
    t->m = m;
    FULL_LANES(j) t->item[LANE(j)] = order[first + (j < m ? j : m - 1)];
#if LANE_RUNS
    int breaks = 0;
    PIO_VECTOR
    for (int j = 1; j < TEAM_LANES; j++) breaks += t->item[j] != t->item[j - 1] + 1;
    t->runs = 0;
    for (int j = 0; j < (breaks ? m : 1); j++)
        if (j == 0 || t->item[j] != t->item[j - 1] + 1) t->run[t->runs++] = j;
    t->run[t->runs] = m;
#endif
}

#if LANE_RUNS
/* Copies `count` numbers, RUN_WIDTH at a time where there are so many; the last of these may overlap those before. */
PIO_FN void copy_run(real *to, const real *from, int count)
{
    if (count == TEAM_LANES) {
        __builtin_memcpy(to, from, TEAM_LANES * sizeof(real));
        return;
    }
    if (count >= RUN_WIDTH) {
        for (int g = 0; g <= count - RUN_WIDTH; g += RUN_WIDTH)
            __builtin_memcpy(to + g, from + g, RUN_WIDTH * sizeof(real));
        __builtin_memcpy(to + count - RUN_WIDTH, from + count - RUN_WIDTH, RUN_WIDTH * sizeof(real));
        return;
    }
    for (int g = 0; g < count; g++) to[g] = from[g];
}

/* Copies a run of items of one component into lanes, in whole vectors: what these read beyond the run is overwritten by
 * the runs after, or lies in lanes without an item. `left` is how many numbers may be read. */
PIO_FN void load_run(real *to, const real *from, int count, ptrdiff_t left)
{
    if (count == TEAM_LANES) {
        __builtin_memcpy(to, from, TEAM_LANES * sizeof(real));
    } else if (count + RUN_WIDTH - 1 <= left) {
        for (int g = 0; g < count; g += RUN_WIDTH) __builtin_memcpy(to + g, from + g, RUN_WIDTH * sizeof(real));
    } else {
        for (int g = 0; g < count; g++) to[g] = from[g];
    }
}

/* Adds `count` numbers to others, RUN_WIDTH at a time where there are so many; the last of these may overlap those
 * before, and so are added up before them. */
PIO_FN void add_run(real *to, const real *from, int count)
{
    if (count < RUN_WIDTH) {
        for (int g = 0; g < count; g++) to[g] += from[g];
        return;
    }
    real last[RUN_WIDTH];
    PIO_VECTOR
    for (int k = 0; k < RUN_WIDTH; k++) last[k] = to[count - RUN_WIDTH + k] + from[count - RUN_WIDTH + k];
    for (int g = 0; g < count - RUN_WIDTH; g += RUN_WIDTH) {
        PIO_VECTOR
        for (int k = 0; k < RUN_WIDTH; k++) to[g + k] += from[g + k];
    }
    __builtin_memcpy(to + count - RUN_WIDTH, last, sizeof last);
}
#endif

/* Sets the lanes of a batch from m on to what lane m - 1 has, x [components]; on CUDA they loaded it. */
PIO_FN void lanes_pad(real (*x)[LANE_ROOM], int components, int m)
{
#if PIO_LANE_LOOPS
    for (int c = 0; c < components && m < TEAM_LANES; c++)
        for (int j = m; j < TEAM_LANES; j++) x[c][j] = x[c][m - 1];
#else
    (void)x, (void)components, (void)m;
#endif
}

/* Loads the items of a field of n items and `components` into lanes, x [components]. */
PIO_FN void lanes_load(real (*x)[LANE_ROOM], const real *field, int n, int components, const lane_items *t)
{
#if LANE_RUNS
    for (int r = 0; r < t->runs; r++) {
        const int lane = t->run[r], count = t->run[r + 1] - lane, item = t->item[lane];
        for (int c = 0; c < components; c++) load_run(x[c] + lane, field + (ptrdiff_t)c * n + item, count, n - item);
    }
#else
    FULL_LANES(j)
    for (int c = 0; c < components; c++) x[c][LANE(j)] = field[field_at(n, components, c, t->item[LANE(j)])];
#endif
    lanes_pad(x, components, t->m);
}

/* Stores lanes x [components] as the items of a field of n items. */
PIO_FN void lanes_store(real *field, int n, int components, const lane_items *t, real (*x)[LANE_ROOM])
{
#if LANE_RUNS
    for (int r = 0; r < t->runs; r++) {
        const int lane = t->run[r], count = t->run[r + 1] - lane, item = t->item[lane];
        for (int c = 0; c < components; c++) copy_run(field + (ptrdiff_t)c * n + item, x[c] + lane, count);
    }
#else
    LANES (j, t->m)
        for (int c = 0; c < components; c++) field[field_at(n, components, c, t->item[LANE(j)])] = x[c][LANE(j)];
#endif
}

/* Adds lanes x [components] to the items of a field of n items. */
PIO_FN void lanes_add(real *field, int n, int components, const lane_items *t, real (*x)[LANE_ROOM])
{
#if LANE_RUNS
    for (int r = 0; r < t->runs; r++) {
        const int lane = t->run[r], count = t->run[r + 1] - lane, item = t->item[lane];
        for (int c = 0; c < components; c++) add_run(field + (ptrdiff_t)c * n + item, x[c] + lane, count);
    }
#else
    LANES (j, t->m)
        for (int c = 0; c < components; c++) field[field_at(n, components, c, t->item[LANE(j)])] += x[c][LANE(j)];
#endif
}

/* Loads what is stored at the places of the batch of a field of n items, in the order itself, into lanes. */
PIO_FN void lanes_load_places(real (*x)[LANE_ROOM], const real *field, int n, int components, const lane_items *t)
{
#if LANE_RUNS
    for (int c = 0; c < components; c++) copy_run(x[c], field + (ptrdiff_t)c * n + t->first, t->m);
#else
    FULL_LANES(j)
    for (int c = 0; c < components; c++)
        x[c][LANE(j)] = field[field_at(n, components, c, t->first + (j < t->m ? j : t->m - 1))];
#endif
    lanes_pad(x, components, t->m);
}

/* Stores lanes x [components] at the places of the batch, where the order itself is that of the field of n items. */
PIO_FN void lanes_store_places(real *field, int n, int components, const lane_items *t, real (*x)[LANE_ROOM])
{
#if LANE_RUNS
    for (int c = 0; c < components; c++) copy_run(field + (ptrdiff_t)c * n + t->first, x[c], t->m);
#else
    LANES (j, t->m)
        for (int c = 0; c < components; c++) field[field_at(n, components, c, t->first + j)] = x[c][LANE(j)];
#endif
}

/* Sets what is stored at the places of the batch to 0, where the order itself is that of the field of n items. */
PIO_FN void lanes_clear_places(real *field, int n, int components, const lane_items *t)
{
    for (int c = 0; c < components; c++) {
        LANES (j, t->m) field[field_at(n, components, c, t->first + j)] = R(0);
    }
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

#endif
