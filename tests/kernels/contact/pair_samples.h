/* pair_samples.h -- the common data of the tests of pairs of surface parts: pairs by chance and in hard states, their
 * distance by a search, and reports. Needs what cmocka.h needs before it. */
#ifndef PIOLA_TESTS_PAIR_SAMPLES_H
#define PIOLA_TESTS_PAIR_SAMPLES_H

#include "kernels/contact/pair.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

static const double EPS = sizeof(real) == 4 ? (double)FLT_EPSILON : DBL_EPSILON;

enum { KINDS = DIM - 1 };
static const char *const kind_names[] = {DIM == 2 ? "point, edge" : "point, triangle", "two edges"};

/* Nodes anywhere, so that all regions occur; parts next to each other; parts that have nearly no area, or of edges
 * nearly no angle. */
enum { SCATTERED, CLOSE, SLIVER, STATES };
static const char *const state_names[STATES] = {"scattered", "close", "slivers"};

static uint64_t seed;
static inline double uniform(double lo, double hi)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return lo + (hi - lo) * (double)(seed >> 11) * 0x1p-53;
}

/* The larger; NaN if one of them is, so that it is never lost. */
static inline double worse(double a, double b)
{
    return isnan(a) || isnan(b) ? (double)NAN : a > b ? a : b;
}

static int failures;
static inline void report(const char *of, const char *what, double measured, double bound)
{
    printf("%-16s %-56s %8.1e  bound %.1e\n", of, what, measured, bound);
    failures += !(measured <= bound);
}
/* A negative control: what is measured of a planted fault must be above the bound. */
static inline void report_control(const char *of, const char *what, double measured, double bound)
{
    printf("%-16s control: %-47s %8.1e  above %.1e\n", of, what, measured, bound);
    failures += !(measured > bound);
}
static inline void all_must_hold(void)
{
    const int count = failures;
    failures = 0;
    if (count) fail_msg("%d bounds do not hold", count);
}

/* ---- pairs --------------------------------------------------------------------------------------------------- */

static inline vec random_vec(double size)
{
    vec v;
    for (int c = 0; c < DIM; c++) v.x[c] = (real)uniform(-size, size);
    return v;
}

/* The nodes of the first part. */
static inline int first_part(int kind)
{
    return kind == PAIR_EDGES ? 2 : 1;
}

/* Moves the first part along n until the distance is this; parts that cross stay. */
static inline void bring_near(int kind, vec x[PAIR_NODES], double d)
{
    const pair_near p = pair_near_of(kind, x);
    for (int i = 0; i < first_part(kind); i++) x[i] = vec_axpby(R(1), x[i], (real)d - p.d, p.n);
}

/* Shifts the first part so that the nearest points are in the interior of both, this distance apart. */
static inline void place_inside(int kind, vec x[PAIR_NODES], double d)
{
    const double b1 = uniform(0.05, 0.45), b2 = uniform(0.05, 0.45);
    double m[DIM], size = 0, r[DIM], a[DIM][2];
    for (int c = 0; c < DIM; c++) { /* two directions, and the way from one point to the other */
        const double y[4] = {(double)x[0].x[c], (double)x[1].x[c], (double)x[2].x[c], (double)x[DIM].x[c]};
        a[c][0] = kind == PAIR_EDGES ? y[1] - y[0] : y[2] - y[1];
        a[c][1] = kind == PAIR_EDGES ? y[DIM] - y[2] : y[DIM] - y[1];
        r[c] = kind == PAIR_EDGES ? y[2] + b2 * a[c][1] - y[0] - b1 * a[c][0]
                                  : y[1] + b1 * a[c][0] + (DIM == 3 ? b2 * a[c][1] : 0) - y[0];
    }
    for (int c = 0; c < DIM; c++) {
        const int e = (c + 1) % DIM, f = (c + 2) % DIM;
        m[c] = DIM == 2 ? (c ? a[0][0] : -a[1][0]) : a[e][0] * a[f][1] - a[f][0] * a[e][1];
        size += m[c] * m[c];
    }
    for (int i = 0; i < first_part(kind); i++)
        for (int c = 0; c < DIM; c++) x[i].x[c] += (real)(r[c] + d * m[c] / sqrt(size));
}

/* A pair by chance; every other one that is not scattered has its nearest points in the interior of its parts. */
static inline void sample_pair(int kind, int state, vec x[PAIR_NODES])
{
    const double d = pow(10, uniform(-3, -1));
    for (int i = 0; i < PAIR_NODES; i++) x[i] = random_vec(0.5);
    if (state == SLIVER && DIM == 2) x[2] = vec_axpby(R(1), x[1], (real)pow(10, uniform(-4, -2)), random_vec(1));
    if (state == SLIVER && DIM == 3) { /* the last node is moved to where an area vanishes */
        const vec e = vec_axpby(R(1), x[1], R(-1), x[kind == PAIR_EDGES ? 0 : 2]);
        x[3] = vec_axpby(R(1), x[2], (real)uniform(0.3, 1.3), e);
        x[3] = vec_axpby(R(1), x[3], (real)pow(10, uniform(-4, -2)), random_vec(1));
    }
    if (state == SCATTERED) return;
    if (uniform(0, 1) < 0.5)
        place_inside(kind, x, d);
    else
        bring_near(kind, x, d);
}

/* ---- the distance by a search ---------------------------------------------------------------------------------- */

typedef long double exact;

/* Square of the distance of q + b1 a1 from the points b2 a2, 0 <= b2 <= most. */
static inline exact square_at(const exact q[DIM], const exact a1[DIM], const exact a2[DIM], exact b1, exact most)
{
    exact along = 0, size = 0, s = 0;
    for (int c = 0; c < DIM; c++) {
        along += (q[c] + b1 * a1[c]) * a2[c];
        size += a2[c] * a2[c];
    }
    exact b2 = size > 0 ? along / size : 0;
    b2 = b2 < 0 ? 0 : b2 > most ? most : b2;
    for (int c = 0; c < DIM; c++) {
        const exact r = q[c] + b1 * a1[c] - b2 * a2[c];
        s += r * r;
    }
    return s;
}

/* The distance of the parts with nodes at x + t dx: golden section over one parameter, the best of the other for each,
 * of a convex function. */
static inline double searched_distance(int kind, const vec x[PAIR_NODES], const vec dx[PAIR_NODES], double t)
{
    const exact golden = 0.61803398874989484820458683436563812L;
    exact at[PAIR_NODES][DIM], q[DIM], a1[DIM], a2[DIM], lo = 0, hi = 1;
    for (int i = 0; i < PAIR_NODES; i++)
        for (int c = 0; c < DIM; c++) at[i][c] = (exact)x[i].x[c] + (dx ? (exact)t * (exact)dx[i].x[c] : (exact)0);
    for (int c = 0; c < DIM; c++) {
        const int edges = kind == PAIR_EDGES;
        q[c] = at[0][c] - at[edges ? 2 : 1][c];
        a1[c] = edges ? at[1][c] - at[0][c] : at[1][c] - at[2][c];
        a2[c] = DIM == 2 ? 0 : edges ? at[DIM][c] - at[2][c] : at[DIM][c] - at[1][c];
    }
    for (int n = 0; n < 80; n++) {
        const exact l = hi - golden * (hi - lo), h = lo + golden * (hi - lo);
        if (square_at(q, a1, a2, l, kind == PAIR_EDGES ? 1 : 1 - l) <
            square_at(q, a1, a2, h, kind == PAIR_EDGES ? 1 : 1 - h))
            hi = h;
        else
            lo = l;
    }
    exact least = square_at(q, a1, a2, lo, kind == PAIR_EDGES ? 1 : 1 - lo);
    for (int n = 0; n < 2; n++) {
        const exact s = square_at(q, a1, a2, n, kind == PAIR_EDGES ? 1 : 1 - n);
        if (s < least) least = s;
    }
    return (double)sqrtl(least);
}

#endif
