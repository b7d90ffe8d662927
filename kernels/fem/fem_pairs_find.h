/* fem_pairs_find.h -- which pieces of the surface are near each other.
 *
 * Pieces and edges are grouped by the cell that the lowest corner of their box is in, by a counting sort whose groups
 * are put in order; a cell is so long that a point or an edge has to look into three along each axis. Different cells
 * may have one group: what is listed is compared by its cell. The pairs are listed in the order of points and then of
 * edges, of each in the order of cells, and in a cell in that of numbers, so that the list is a pure function of the
 * positions, whatever the number of threads. */
#ifndef PIOLA_KERNELS_FEM_PAIRS_FIND_H
#define PIOLA_KERNELS_FEM_PAIRS_FIND_H

#include "kernels/fem/fem_contact.h"
#include "kernels/fem/fem_pairs.h"

/* ---- boxes and cells --------------------------------------------------------------------------------------------- */

/* Of so many pieces one may go far, of a level above this one; the cell of those along all axes, where no place is. */
enum { PAIR_FEW = 64, PAIR_NEAR_LEVEL = 2, PAIR_FAR_CELL = -2000000000 };

/* A box, least and largest coordinates, m. */
typedef struct {
    double low[DIM], high[DIM];
} pair_box;

/* Returns how many points piece or edge i has, and sets *corner to where they are. */
PIO_FN int pair_piece(const fem_pair_surface *s, int i, const int **corner)
{
    const int edge = i >= s->faces;
    *corner =
        edge ? s->corner + (ptrdiff_t)s->faces * DIM + (ptrdiff_t)(i - s->faces) * 2 : s->corner + (ptrdiff_t)i * DIM;
    return edge ? 2 : DIM;
}

/* Makes the box larger by the way of a point. */
PIO_FN void pair_box_add(pair_box *b, const fem_pair_way *w, int node)
{
    const vec X = point_load(w->rest, node), u = point_load(w->u, node);
    for (int end = 0; end < (w->du ? 2 : 1); end++)
        for (int c = 0; c < DIM; c++) {
            double x = (double)X.x[c] + (double)u.x[c];
            if (w->du) x += (end ? w->to : w->from) * (double)point_load(w->du, node).x[c];
            if (!(x >= b->low[c])) b->low[c] = x;
            if (!(x <= b->high[c])) b->high[c] = x;
        }
}

/* Returns the box of n points on their way. */
PIO_FN pair_box pair_box_of(const fem_pair_surface *s, const fem_pair_way *w, const int *corner, int n)
{
    pair_box b;
    for (int c = 0; c < DIM; c++) {
        b.low[c] = (double)W(1e300);
        b.high[c] = (double)W(-1e300);
    }
    for (int a = 0; a < n; a++) pair_box_add(&b, w, s->node[corner[a]]);
    return b;
}

/* The length of which a key of a longest side is (fem_pair_box), m. */
PIO_FN double pair_length_of(const uint64_t *most)
{
    union {
        uint64_t u;
        double d;
    } b;
    b.u = UINT64_MAX - *most;
    return b.d;
}

/* Returns the longest side of a box, m. */
PIO_FN double pair_longest(const double *box)
{
    double longest = 0;
    for (int c = 0; c < DIM; c++)
        if (box[DIM + c] - box[c] > longest) longest = box[DIM + c] - box[c];
    return longest;
}

/* Returns the level of a box: 0 where it is no longer than the longest that rests, and l where 2^l times that are. */
PIO_FN int pair_level(const double *box, const fem_pair_far *far)
{
    const double longest = pair_longest(box);
    double top = pair_length_of(far->piece);
    int level = 0;
    for (; level < PAIR_LEVELS - 1 && longest > top; level++) top *= 2;
    return level;
}

/* Returns whether a piece goes far: those of the highest levels do, as far as they are one in PAIR_FEW or fewer. Cells
 * as long as those boxes would have most of the surface in them, for the sake of a few. */
PIO_FN int pair_goes_far(const double *box, const fem_pair_far *far)
{
    int level = PAIR_LEVELS - 1, above = 0;
    if (!far->levels) return 0;
    for (; level > PAIR_NEAR_LEVEL && above + far->levels[level] <= far->pieces / PAIR_FEW; level--)
        above += far->levels[level];
    return pair_level(box, far) > level;
}

/* Sets the box of piece or edge i, and counts it or lowers the key. */
PIO_FN void fem_pair_box(int i, const fem_pair_box_args *a)
{
    const int *corner;
    const int n = pair_piece(&a->s, i, &corner);
    const pair_box b = pair_box_of(&a->s, &a->way, corner, n);
    double *out = a->box + (ptrdiff_t)i * 2 * DIM;
    for (int c = 0; c < DIM; c++) {
        out[c] = b.low[c];
        out[DIM + c] = b.high[c];
    }
    if (a->far.levels)
        atomic_add_int(&a->far.levels[pair_level(out, &a->far)], 1);
    else
        atomic_min_u64(a->most, UINT64_MAX - contact_key(W(pair_longest(out))));
}

/* Lowers the key by the box of piece or edge i, if it does not go far. */
PIO_FN void fem_pair_most(int i, const fem_pair_most_args *a)
{
    const double *box = a->box + (ptrdiff_t)i * 2 * DIM;
    if (!pair_goes_far(box, &a->far)) atomic_min_u64(a->most, UINT64_MAX - contact_key(W(pair_longest(box))));
}

/* Returns how long a cell is, m. */
PIO_FN double pair_cell_size(const uint64_t *most, const wide *grip)
{
    return pair_length_of(most) + (double)grip[PAIR_DISTANCE];
}

/* Returns in which cell along an axis a coordinate is. */
PIO_FN int pair_cell_of(double x, double size)
{
    const double at = floor(x / size);
    return at > 1000000000 ? 1000000000 : at > -1000000000 ? (int)at : -1000000000; /* NaN: the least */
}

/* Returns the group of a cell: the bits of its place, mixed (Steele, Lea and Flood 2014: SplitMix). Edges have others
 * than pieces. */
PIO_FN int pair_group_of(const int cell[DIM], int edge, int groups)
{
    uint64_t h = (uint64_t)edge;
    for (int c = 0; c < DIM; c++) {
        h = (h ^ (uint64_t)(uint32_t)cell[c]) * UINT64_C(0xbf58476d1ce4e5b9);
        h = (h ^ h >> 27) * UINT64_C(0x94d049bb133111eb);
        h ^= h >> 31;
    }
    return (int)(h & (uint64_t)(groups - 1));
}

/* Sets cell and group of piece or edge i. */
PIO_FN void fem_pair_cell(int i, const fem_pair_cell_args *a)
{
    const double size = pair_cell_size(a->most, a->grip);
    const double *box = a->box + (ptrdiff_t)i * 2 * DIM;
    const int far = pair_goes_far(box, &a->far);
    int *cell = a->cell + (ptrdiff_t)i * DIM;
    for (int c = 0; c < DIM; c++) cell[c] = far ? PAIR_FAR_CELL : pair_cell_of(box[c], size);
    a->key[i] = pair_group_of(cell, i >= a->s.faces, a->groups);
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

/* Counts item i in its group. */
PIO_FN void fem_pair_count(int i, const fem_pair_count_args *a)
{
    atomic_add_int(&a->count[a->key[i]], 1);
}

/* Returns the number of items of group i. */
PIO_FN uint64_t fem_pair_start(int i, const fem_pair_start_args *a)
{
    return (uint64_t)a->count[i];
}

/* Sets where those of group i begin, or beyond the last group how many there are. */
PIO_FN void fem_pair_start_put(int i, uint64_t before, const fem_pair_start_args *a)
{
    a->start[i] = (int)before;
}

/* Puts item i into any free place of its group, from the first to the last; count[] ends at 0. */
PIO_FN void fem_pair_place(int i, const fem_pair_place_args *a)
{
    const int k = a->key[i];
    a->list[a->start[k + 1] - atomic_add_int(&a->count[k], -1)] = i;
}

/* Puts the items of group k into ascending order, by insertion, since groups have few. */
PIO_FN void fem_pair_order(int k, const fem_pair_order_args *a)
{
    int *list = a->list;
    for (int j = a->start[k] + 1; j < a->start[k + 1]; j++) {
        const int item = list[j];
        int at = j;
        for (; at > a->start[k] && list[at - 1] > item; at--) list[at] = list[at - 1];
        list[at] = item;
    }
}

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

/* What looks for others: a point among faces, or an edge among edges behind it. */
typedef struct {
    int edge, n;   /* 1: it is an edge; its points */
    int least;     /* the least number of a piece or edge that it looks for */
    int corner[2]; /* its points */
    pair_box box;  /* on its way, larger by h on all sides */
} pair_query;

/* Returns query i: of point i, or of edge i - points. */
PIO_FN pair_query pair_query_of(const fem_pair_near_args *a, int i)
{
    pair_query q;
    const double h = (double)a->grip[PAIR_DISTANCE];
    q.edge = i >= a->s.points;
    q.n = q.edge ? 2 : 1;
    q.least = 0;
    q.corner[0] = q.corner[1] = i;
    if (q.edge) {
        const int *corner, own = i - a->s.points + a->s.faces;
        pair_piece(&a->s, own, &corner);
        q.least = own + 1;
        q.corner[0] = corner[0];
        q.corner[1] = corner[1];
    }
    q.box = pair_box_of(&a->s, &a->way, q.corner, q.n);
    for (int c = 0; c < DIM; c++) {
        q.box.low[c] -= h;
        q.box.high[c] += h;
    }
    return q;
}

/* Returns whether a query and a piece or edge may be a pair: different points, boxes that meet, and, where points rest,
 * a distance below h. Sets the points of the pair. */
PIO_FN int pair_is_near(const fem_pair_near_args *a, const pair_query *q, int other, int out[FEM_PAIR_NODES])
{
    const double *box = a->box + (ptrdiff_t)other * 2 * DIM;
    const int *corner, n = pair_piece(&a->s, other, &corner);
    for (int c = 0; c < DIM; c++)
        if (!(box[c] <= q->box.high[c] && box[DIM + c] >= q->box.low[c])) return 0;
    if (!a->s.itself && a->s.body[q->corner[0]] == a->s.body[corner[0]]) return 0;
    for (int k = 0; k < q->n; k++) out[k] = q->corner[k];
    for (int k = 0; k < n; k++) {
        if (corner[k] == q->corner[0] || corner[k] == q->corner[q->n - 1]) return 0;
        out[q->n + k] = corner[k];
    }
    if (a->way.du) return 1;
    return fem_pair_distance(&a->s, a->way.rest, a->way.u, out, q->edge ? PAIR_EDGES : PAIR_FACE) <
           R(a->grip[PAIR_DISTANCE]);
}

/* A walk over the pieces, or over the edges, whose boxes may meet one. */
typedef struct {
    int first[DIM], last[DIM], cell[DIM]; /* cells in which their lowest corners are; the one at hand */
    int edge, at, end;                    /* 1: edges; the next place in the list, and the end of the group */
    int all, far;                         /* 1: over everything; 1: there is a cell of what goes far, still to come */
} pair_walk;

/* Begins to read the group of the cell at hand. */
PIO_FN void pair_walk_cell(const fem_pair_near_args *a, pair_walk *w)
{
    const int group = pair_group_of(w->cell, w->edge, a->groups);
    w->at = a->start[group];
    w->end = a->start[group + 1];
}

/* Returns the walk over what may meet a box: a few cells along each axis, also where a place is not finite, and what
 * goes far; of a box that is itself longer than cells, over everything. */
PIO_FN pair_walk pair_walk_of(const fem_pair_near_args *a, const pair_box *b, int edge)
{
    pair_walk w;
    const double h = (double)a->grip[PAIR_DISTANCE], size = pair_cell_size(a->most, a->grip), longest = size - h;
    w.all = 0;
    w.far = a->way.du != NULL;
    for (int c = 0; c < DIM && w.far; c++) w.all |= b->high[c] - b->low[c] > (double)W(1.0000001) * longest + 2 * h;
    for (int c = 0; c < DIM; c++) { /* a little more than the longest side, for rounding */
        w.first[c] = w.cell[c] = pair_cell_of(b->low[c] - (double)W(1.0000001) * longest, size);
        w.last[c] = pair_cell_of(b->high[c], size);
        if (w.last[c] > w.first[c] + 3) w.last[c] = w.first[c] + 3;
    }
    w.edge = edge;
    pair_walk_cell(a, &w);
    if (w.all) {
        w.at = 0;
        w.end = a->start[a->groups];
    }
    return w;
}

/* Goes on to the cell of what goes far; returns 0 if that is done. */
PIO_FN int pair_walk_far(const fem_pair_near_args *a, pair_walk *w)
{
    if (!w->far || w->all) return 0;
    w->far = 0;
    for (int c = 0; c < DIM; c++) w->cell[c] = w->first[c] = w->last[c] = PAIR_FAR_CELL;
    pair_walk_cell(a, w);
    return 1;
}

/* Returns the next piece or edge of the walk, or -1 at its end. */
PIO_FN int pair_walk_next(const fem_pair_near_args *a, pair_walk *w)
{
    for (;;) {
        while (w->at < w->end) {
            const int other = a->list[w->at++], *cell = a->cell + (ptrdiff_t)other * DIM;
            int same = (other >= a->s.faces) == w->edge;
            for (int c = 0; c < DIM; c++) same &= w->all || cell[c] == w->cell[c];
            if (same) return other;
        }
        int more = 0;
        for (int c = 0; c < DIM && !more && !w->all; c++) {
            more = w->cell[c] < w->last[c];
            w->cell[c] = more ? w->cell[c] + 1 : w->first[c];
        }
        if (more)
            pair_walk_cell(a, w);
        else if (!pair_walk_far(a, w))
            return -1;
    }
}

/* Returns how many pairs query i has; writes the points of those to `out`, if it is not NULL, that fit into `room`. */
PIO_FN int pair_search(const fem_pair_near_args *a, int i, int *out, int room)
{
    const pair_query q = pair_query_of(a, i);
    pair_walk w = pair_walk_of(a, &q.box, q.edge);
    int corner[FEM_PAIR_NODES], found = 0;
    for (int other = pair_walk_next(a, &w); other >= 0; other = pair_walk_next(a, &w)) {
        if (other < q.least || !pair_is_near(a, &q, other, corner)) continue;
        for (int k = 0; k < FEM_PAIR_NODES && out && found < room; k++)
            out[(ptrdiff_t)found * FEM_PAIR_NODES + k] = corner[k];
        found++;
    }
    return found;
}

/* Sets the number of pairs of query i. */
PIO_FN void fem_pair_near(int i, const fem_pair_near_args *a)
{
    a->number[i] = pair_search(a, i, NULL, 0);
}

/* Returns that number. */
PIO_FN uint64_t fem_pair_first(int i, const fem_pair_first_args *a)
{
    return (uint64_t)a->number[i];
}

/* Sets where the pairs of query i begin, and how many there are of each kind; beyond the last query how many in all. */
PIO_FN void fem_pair_first_put(int i, uint64_t before, const fem_pair_first_args *a)
{
    const int number = before < INT32_MAX ? (int)before : INT32_MAX, listed = number < a->room ? number : a->room;
    if (i == a->s.points) a->found->faces = listed;
    if (i < a->s.points + a->s.edges) {
        a->first[i] = number;
        return;
    }
    a->found->count = listed;
    a->found->slots = listed * FEM_PAIR_NODES;
    if (number > a->found->most) a->found->most = number;
}

/* Lists the pairs of query i, as far as there is room. */
PIO_FN void fem_pair_list(int i, const fem_pair_list_args *a)
{
    const int at = a->first[i];
    if (a->number[i] && at < a->room) pair_search(a, i, a->corner + (ptrdiff_t)at * FEM_PAIR_NODES, a->room - at);
}

/* ---- overlaps ---------------------------------------------------------------------------------------------------- */

/* Returns the volume, in 2D the area, that the differences of DIM points to the first span, with sign; x [DIM + 1]. */
PIO_FN double pair_volume(double x[DIM + 1][DIM])
{
    double e[DIM][DIM];
    for (int k = 0; k < DIM; k++)
        for (int c = 0; c < DIM; c++) e[k][c] = x[k + 1][c] - x[0][c];
#if PIO_DIM == 3
    return e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) - e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
           e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
#else
    return e[0][0] * e[1][1] - e[0][1] * e[1][0];
#endif
}

/* Returns the volume of DIM + 1 points of the surface. */
PIO_FN double pair_volume_of(const fem_pair_near_args *a, const int point[DIM + 1])
{
    double x[DIM + 1][DIM];
    for (int k = 0; k <= DIM; k++) {
        const int node = a->s.node[point[k]];
        const vec X = point_load(a->way.rest, node), u = point_load(a->way.u, node);
        for (int c = 0; c < DIM; c++) x[k][c] = (double)X.x[c] + (double)u.x[c];
    }
    return pair_volume(x);
}

/* Returns what rounding of places may make of the volume of points of two boxes. */
PIO_FN double pair_volume_rounding(const double *low, const double *high)
{
    double largest = 0, longest = 0, volume;
    for (int c = 0; c < DIM; c++) {
        const double own = fabs(low[c]) > fabs(high[c]) ? fabs(low[c]) : fabs(high[c]);
        if (own > largest) largest = own;
        if (high[c] - low[c] > longest) longest = high[c] - low[c];
    }
    volume = (sizeof(real) == 4 ? (double)W(1e-6) : (double)W(1e-14)) * largest;
    for (int c = 1; c < DIM; c++) volume *= longest;
    return volume;
}

/* Returns whether the way from point p to q passes through a piece with these corners: p and q are on two sides of it,
 * by more than rounding, as of pieces in one plane, and the way turns the same way around all of its edges. */
PIO_FN int pair_passes(const fem_pair_near_args *a, int p, int q, const int *corner)
{
    int t[DIM + 2], left = 0, right = 0;
    for (int k = 0; k < DIM; k++) t[k] = corner[k];
    t[DIM] = p;
    t[DIM + 1] = q;
    const pair_box all = pair_box_of(&a->s, &a->way, t, DIM + 2);
    const double from = pair_volume_of(a, t), least = pair_volume_rounding(all.low, all.high);
    t[DIM] = q;
    const double to = pair_volume_of(a, t);
    if (!((from > least && to < -least) || (from < -least && to > least))) return 0;
    for (int k = 0; k < DIM; k++) {
        t[0] = p;
        t[1] = q;
        for (int c = 0; c < DIM - 1; c++) t[2 + c] = corner[(k + c) % DIM];
        const double side = DIM == 3 || k == 0 ? pair_volume_of(a, t) : -pair_volume_of(a, t);
        left += side > 0;
        right += side < 0;
    }
    return left == DIM || right == DIM;
}

/* Finds whether edge i, in 2D piece i, passes through a piece. */
PIO_FN void fem_pair_cross(int i, const fem_pair_cross_args *b)
{
    const fem_pair_near_args *a = &b->near;
    const int own = DIM == 3 ? i + a->s.faces : i, *corner, *face;
    pair_piece(&a->s, own, &corner);
    const pair_box box = pair_box_of(&a->s, &a->way, corner, 2);
    pair_walk w = pair_walk_of(a, &box, 0);
    for (int other = pair_walk_next(a, &w); other >= 0; other = pair_walk_next(a, &w)) {
        int shares = 0;
        pair_piece(&a->s, other, &face);
        for (int k = 0; k < DIM; k++) shares |= face[k] == corner[0] || face[k] == corner[1];
        if (shares || (!a->s.itself && a->s.body[corner[0]] == a->s.body[face[0]])) continue;
        if (pair_passes(a, corner[0], corner[1], face)) atomic_min_u64(b->fault, (uint64_t)own << 32 | (uint64_t)other);
    }
}

#endif
