/* lanes.h -- stored items in lanes: loads and stores of the fields of a batch. */
#ifndef PIOLA_KERNELS_LANES_H
#define PIOLA_KERNELS_LANES_H

#include "kernels/base/vec.h"

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
    t->runs = 0;
    for (int j = 0; j < m; j++)
        if (j == 0 || t->item[j] != t->item[j - 1] + 1) t->run[t->runs++] = j;
    t->run[t->runs] = m;
#endif
}

#if LANE_RUNS
/* Copies `count` numbers, RUN_WIDTH at a time where there are so many; the last of these may overlap those before. */
PIO_FN void copy_run(real *to, const real *from, int count)
{
    if (count >= RUN_WIDTH) {
        for (int g = 0; g <= count - RUN_WIDTH; g += RUN_WIDTH)
            __builtin_memcpy(to + g, from + g, RUN_WIDTH * sizeof(real));
        __builtin_memcpy(to + count - RUN_WIDTH, from + count - RUN_WIDTH, RUN_WIDTH * sizeof(real));
        return;
    }
    for (int g = 0; g < count; g++) to[g] = from[g];
}

/* Adds `count` numbers to others, RUN_WIDTH at a time where there are so many. */
PIO_FN void add_run(real *to, const real *from, int count)
{
    int g = 0;
    for (; g <= count - RUN_WIDTH; g += RUN_WIDTH) {
        PIO_VECTOR
        for (int k = 0; k < RUN_WIDTH; k++) to[g + k] += from[g + k];
    }
    for (; g < count; g++) to[g] += from[g];
}
#endif

/* Sets the lanes from m on to what lane m - 1 has, x [components]; on CUDA they loaded it. */
PIO_FN void lanes_pad(real (*x)[LANE_ROOM], int components, int m)
{
#if PIO_LANE_LOOPS
    for (int c = 0; c < components; c++)
        for (int j = m; j < LANE_ROOM; j++) x[c][j] = x[c][m - 1];
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
        for (int c = 0; c < components; c++) copy_run(x[c] + lane, field + (ptrdiff_t)c * n + item, count);
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
