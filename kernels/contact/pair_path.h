/* pair_path.h -- how far the nodes of a pair may go along straight paths before its parts come near each other.
 *
 * A plane between two convex parts that keeps all their nodes apart keeps the parts apart: whatever the unit vector n,
 *     d >= min over nodes i of the first part and j of the second of n . (x_i - x_j).
 * With the n of the nearest points these are equal, and the right side is linear in the paths. So the parts can advance
 * until one pair of nodes is as near along n as they may come, where n is found anew (conservative advancement, Mirtich
 * 1996). That is never less than the advance of additive collision detection (Li et al. 2021, "Codimensional Incremental
 * Potential Contact"), (d - least) over the most that two nodes approach each other, and does not end where parts slide
 * along each other. */
#ifndef PIOLA_KERNELS_PAIR_PATH_H
#define PIOLA_KERNELS_PAIR_PATH_H

#include "kernels/contact/pair.h"

/* The most advances along one path. */
enum { PAIR_ADVANCES = 64 };
/* What rounding may change of a distance, as a fraction of the lengths that it was found from. */
#define PAIR_ROUNDING W(1e-14)

/* Returns the number of nodes of the first part. */
PIO_FN int pair_first_nodes(int kind)
{
    return kind == PAIR_EDGES ? 2 : 1;
}

/* How far apart the nodes of the two parts are along a direction, m, and how fast they approach each other. */
typedef struct {
    wide gap;                                /* the least of n . (x_i - x_j), less what rounding may have made of it */
    wide apart[PAIR_NODES * PAIR_NODES / 4]; /* n . (x_i - x_j), less the same, of all nodes i, j of the two parts */
    wide closing[PAIR_NODES * PAIR_NODES / 4]; /* -n . (dx_i - dx_j), m for the whole path */
    int count;
} pair_gaps;

/* Returns them for the unit vector n, with the nodes at x and the paths dx, m. */
PIO_FN pair_gaps pair_gaps_of(int kind, const wide_vec x[PAIR_NODES], const wide_vec dx[PAIR_NODES], wide_vec n)
{
    const int first = pair_first_nodes(kind);
    wide size = W(0);
    pair_gaps g;
    g.count = 0;
    for (int i = 0; i < first; i++)
        for (int j = first; j < PAIR_NODES; j++) {
            const wide_vec r = wide_minus(x[i], x[j]), v = wide_minus(dx[i], dx[j]);
            size += sqrt(wide_dot(r, r)) + sqrt(wide_dot(v, v));
            g.apart[g.count] = wide_dot(n, r);
            g.closing[g.count++] = -wide_dot(n, v);
        }
    for (int k = 0; k < g.count; k++) {
        g.apart[k] -= PAIR_ROUNDING * size;
        if (k == 0 || g.apart[k] < g.gap) g.gap = g.apart[k];
    }
    return g;
}

/* Returns the part of the path x + t dx, 0..1, along which a pair of this kind keeps this fraction, 0 < kept < 1, of
 * the distance that it begins with: 1, or where it has come within 1.1 times as much, or where PAIR_ADVANCES advances
 * end. Never more than is free, up to roundings of x + t dx; 0 where the parts touch, or are so near that the distance
 * is rounding. */
PIO_FN double pair_free_path(int kind, const vec x[PAIR_NODES], const vec dx[PAIR_NODES], double kept)
{
    wide_vec from[PAIR_NODES], way[PAIR_NODES], at[PAIR_NODES];
    wide t = W(0), least = W(0);
    for (int i = 0; i < PAIR_NODES; i++) {
        from[i] = wide_of(x[i]);
        way[i] = wide_of(dx[i]);
    }
    for (int n = 0; n < PAIR_ADVANCES; n++) {
        for (int i = 0; i < PAIR_NODES; i++) at[i] = wide_along(from[i], t, way[i]);
        const pair_gaps g = pair_gaps_of(kind, at, way, pair_nearest_of(kind, at).n);
        if (n == 0) least = W(kept) * g.gap;
        if (!(g.gap > W(0) && g.gap > W(1.1) * least)) break;
        wide reach = W(1) - t;
        for (int k = 0; k < g.count; k++)
            if (g.apart[k] - least < g.closing[k] * reach) reach = (g.apart[k] - least) / g.closing[k];
        t = reach < W(1) - t ? t + reach : W(1);
        if (!(t < W(1))) return 1;
    }
    return (double)t;
}

#endif
