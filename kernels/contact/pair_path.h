/* pair_path.h -- how far the nodes of a pair may go along straight paths before its parts come near each other.
 *
 * A plane between two convex parts that keeps all their nodes apart keeps the parts apart: for |n| <= 1,
 *     d >= min over nodes i of the first part and j of the second of n . (x_i - x_j).
 * With the n of the nearest points these are equal, and the right side is linear in the paths. So the parts can advance
 * until one pair of nodes is as near along n as they may come, where n is found anew (conservative advancement,
 * Mirtich 1996). That is never less than the advance of additive collision detection (Li et al. 2021, "Codimensional
 * Incremental Potential Contact"), (d - least) over the most that two nodes approach each other, and does not end where
 * parts slide along each other.
 *
 * Where parts turn, both go on by small fractions of a length. There the plane turns too: between the n of two times,
 * mixed evenly, the right side is quadratic, and where its least value is enough all of the span between is free. */
#ifndef PIOLA_KERNELS_PAIR_PATH_H
#define PIOLA_KERNELS_PAIR_PATH_H

#include "kernels/contact/pair.h"

/* The most advances along one path: random ones take 2 to 13, and of 1e5 one more than 64. */
enum { PAIR_ADVANCES = 128 };
/* What rounding may change of a distance, as a fraction of the lengths that it was found from. */
#define PAIR_ROUNDING W(1e-14)

/* Returns the number of nodes of the first part. */
PIO_FN int pair_first_nodes(int kind)
{
    return kind == PAIR_EDGES ? 2 : 1;
}

/* A place on the path of a pair. */
typedef struct {
    wide_vec from[PAIR_NODES], way[PAIR_NODES]; /* nodes go from here by this, m */
    int kind;
} pair_path;

/* How far apart the nodes of the two parts are along the n of the nearest points, and how fast they approach each
 * other. */
typedef struct {
    wide gap;                                  /* the least of n . (x_i - x_j), m */
    wide apart[PAIR_NODES * PAIR_NODES / 4];   /* n . (x_i - x_j) of all nodes i, j of the two parts, m */
    wide closing[PAIR_NODES * PAIR_NODES / 4]; /* -n . (dx_i - dx_j), m for the whole path */
    int count;
} pair_gaps;

/* Returns them at a time t of the path, each gap less what rounding may have made of it. */
PIO_FN pair_gaps pair_gaps_at(const pair_path *p, wide t)
{
    const int first = pair_first_nodes(p->kind);
    wide_vec x[PAIR_NODES];
    wide size = W(0);
    pair_gaps g;
    for (int i = 0; i < PAIR_NODES; i++) x[i] = wide_along(p->from[i], t, p->way[i]);
    const wide_vec n = pair_nearest_of(p->kind, x).n;
    g.count = 0;
    for (int i = 0; i < first; i++)
        for (int j = first; j < PAIR_NODES; j++) {
            const wide_vec r = wide_minus(x[i], x[j]), v = wide_minus(p->way[i], p->way[j]);
            size += sqrt(wide_dot(r, r)) + sqrt(wide_dot(v, v));
            g.apart[g.count] = wide_dot(n, r);
            g.closing[g.count++] = -wide_dot(n, v);
        }
    g.gap = g.apart[0];
    for (int k = 0; k < g.count; k++) {
        g.apart[k] -= PAIR_ROUNDING * size;
        if (k == 0 || g.apart[k] < g.gap) g.gap = g.apart[k];
    }
    return g;
}

/* Returns for how much of the path, at most `most`, all gaps along the same n stay `least`, m, or more. */
PIO_FN wide pair_gaps_reach(const pair_gaps *g, wide least, wide most)
{
    for (int k = 0; k < g->count; k++)
        if (g->apart[k] - least < g->closing[k] * most) most = (g->apart[k] - least) / g->closing[k];
    return most;
}

/* Returns whether all gaps stay `least`, m, or more in a span of the path, with n going evenly from that at its
 * beginning to that at its end. They are a (1 - s)^2 + 2 b s (1 - s) + c s^2 beyond `least`: never negative where a and
 * c are not, and b is not or b^2 <= a c. */
PIO_FN int pair_gaps_stay(const pair_gaps *begin, const pair_gaps *end, wide span, wide least)
{
    int stay = 1;
    for (int k = 0; k < begin->count; k++) {
        const wide a = begin->apart[k] - least, c = end->apart[k] - least;
        const wide b = W(0.5) * (a - span * begin->closing[k] + c + span * end->closing[k]);
        stay = stay && a >= W(0) && c >= W(0) && (b >= W(0) || b * b <= a * c);
    }
    return stay;
}

/* Returns the part of the path x + t dx, 0..1, along which a pair of this kind keeps this fraction, 0 < kept < 1, of
 * the distance that it begins with: 1, or where it has come within 1.1 times as much, or where PAIR_ADVANCES advances
 * end. Never more than is free, up to roundings of x + t dx; 0 where the parts touch, or are so near that the distance
 * is rounding. */
PIO_FN double pair_free_path(int kind, const vec x[PAIR_NODES], const vec dx[PAIR_NODES], double kept)
{
    pair_path p;
    wide t = W(0), span = W(1);
    p.kind = kind;
    for (int i = 0; i < PAIR_NODES; i++) {
        p.from[i] = wide_of(x[i]);
        p.way[i] = wide_of(dx[i]);
    }
    pair_gaps g = pair_gaps_at(&p, t);
    const wide least = W(kept) * g.gap;
    if (!(g.gap > W(0))) return 0;
    for (int n = 0; n < PAIR_ADVANCES && g.gap > W(1.1) * least; n++) {
        const wide reach = pair_gaps_reach(&g, least, W(1) - t);
        if (!(t + reach < W(1))) return 1;
        if (span > W(1) - t) span = W(1) - t;
        const int turns = span > W(2) * reach;
        const wide step = turns ? span : reach;
        const pair_gaps next = pair_gaps_at(&p, t + step);
        if (turns && !pair_gaps_stay(&g, &next, step, least)) {
            span *= W(0.5);
            continue;
        }
        t += step;
        if (!(t < W(1))) return 1;
        g = next;
        span = W(2) * step;
    }
    return (double)t;
}

#endif
