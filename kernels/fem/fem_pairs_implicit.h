/* fem_pairs_implicit.h -- what implicit steps need of contact of surfaces with each other (fem_pairs.h): the potential,
 * its second derivatives, and how far points may go along a direction. */
#ifndef PIOLA_KERNELS_FEM_PAIRS_IMPLICIT_H
#define PIOLA_KERNELS_FEM_PAIRS_IMPLICIT_H

#include "kernels/fem/fem_pairs.h"
#include "kernels/fem/fem_pairs_find.h"

/* Returns Phi of pair i, J. */
PIO_FN wide fem_pair_energy(int i, const fem_pair_energy_args *a)
{
    const fem_pair_state s = fem_pair_of(a, i);
    return pair_acts(&s.p) ? pair_energy(&s.p) : W(0);
}

/* Sets rows and columns of constrained unknowns of the block of two nodes to 0. */
PIO_FN mat fem_pair_masked(mat K, int row, int column)
{
    for (int c = 0; c < DIM; c++)
        for (int d = 0; d < DIM; d++)
            if ((row >> c & 1) || (column >> d & 1)) K.m[c][d] = R(0);
    return K;
}

/* Sets the blocks of pair i. */
PIO_FN void fem_pair_matrix(int i, const fem_pair_matrix_args *b)
{
    const fem_pair_state s = fem_pair_of(&b->fwd, i);
    mat K[PAIR_NODES][PAIR_NODES];
    int constrained[PAIR_NODES];
    for (int n = 0; n < PAIR_NODES; n++) {
        constrained[n] = b->constrained[b->fwd.s.node[s.corner[n]]];
        for (int m = 0; m < PAIR_NODES; m++) K[n][m] = mat_diag(R(0));
    }
    if (pair_acts(&s.p)) {
        if (b->projected)
            pair_matrix_projected(&s.p, K);
        else
            pair_matrix(&s.p, K);
    }
    for (int n = 0; n < PAIR_NODES; n++)
        for (int m = 0; m < PAIR_NODES; m++)
            block_store(b->value, (i * PAIR_NODES + n) * PAIR_NODES + m,
                        fem_pair_masked(K[n][m], constrained[n], constrained[m]));
}

/* Adds to the block of point k what its pairs have there. */
PIO_FN void fem_pair_diagonal(int k, const fem_pair_diagonal_args *a)
{
    mat sum = block_load(a->out, a->first_node_pair + k);
    for (int j = a->start[k]; j < a->start[k + 1]; j++) {
        const int slot = a->list[j];
        sum = mat_axpby(R(1), sum, R(1), block_load(a->value, slot * PAIR_NODES + slot % PAIR_NODES));
    }
    block_store(a->out, a->first_node_pair + k, sum);
}

/* Returns whether a pair would be as near at the end of its way, at the least, as 7 digits resolve places: the
 * displacement is rounded there, node by node, and could be on the other side. */
PIO_FN int fem_pair_blurred(const fem_pair_surface *s, const fem_pair_way *w, const int *corner, int kind)
{
    real size = R(0);
    for (int n = 0; n < PAIR_NODES; n++) {
        const int node = s->node[corner[n]];
        const vec u = point_load(w->u, node), du = point_load(w->du, node);
        for (int c = 0; c < DIM; c++) {
            const real x = fabs(u.x[c]) + R(w->to) * fabs(du.x[c]);
            if (x > size) size = x;
        }
    }
    return sizeof(real) == 4 && !(CONTACT_KEPT * fem_pair_distance(s, w->rest, w->u, corner, kind) > R(1e-6) * size);
}

/* Returns how far the second part of a pair is above the first along an axis at a fraction of a way, m: the least of
 * the differences of their nodes; with `below` how far it is below. */
PIO_FN double fem_pair_clear(const fem_pair_near_args *a, const int *corner, int first, int axis, double at, int below)
{
    double least = (double)W(1e300), largest = (double)W(-1e300); /* of the part that is above, of the other */
    for (int n = 0; n < PAIR_NODES; n++) {
        const ptrdiff_t i = (ptrdiff_t)a->s.node[corner[n]] * DIM + axis;
        const double x = (double)a->way.rest[i] + (double)a->way.u[i] + at * (double)a->way.du[i];
        const int above = (n >= first) != below;
        if (above && x < least) least = x;
        if (!above && x > largest) largest = x;
    }
    return least - largest;
}

/* Returns whether the parts of a pair may come nearer than h on their way. Along an axis the least difference of nodes
 * that go straight ahead is concave in time: where it is h at both ends it is in between. So parts that go along with
 * each other do not meet, however far they go. */
PIO_FN int fem_pair_may_meet(const fem_pair_near_args *a, const int *corner, int kind)
{
    const double h = (double)a->grip[PAIR_DISTANCE];
    const int first = pair_first_nodes(kind);
    for (int c = 0; c < DIM; c++)
        for (int below = 0; below < 2; below++)
            if (fem_pair_clear(a, corner, first, c, a->way.from, below) >= h &&
                fem_pair_clear(a, corner, first, c, a->way.to, below) >= h)
                return 0;
    return 1;
}

/* Lowers the limit by the pairs of query i. */
PIO_FN void fem_pair_reach(int i, const fem_pair_reach_args *b)
{
    const fem_pair_near_args *a = &b->near;
    const pair_query q = pair_query_of(a, i);
    const int kind = q.edge ? PAIR_EDGES : PAIR_FACE;
    pair_walk w = pair_walk_of(a, &q.box, q.edge);
    int corner[FEM_PAIR_NODES];
    int looked = 0;
    for (int other = pair_walk_next(a, &w); other >= 0; other = pair_walk_next(a, &w)) {
        looked++;
        if (other < q.least || !pair_is_near(a, &q, other, corner) || !fem_pair_may_meet(a, corner, kind)) continue;
        const wide part =
            fem_pair_blurred(&a->s, &a->way, corner, kind) ? W(0) : fem_pair_free(&a->s, &a->way, corner, kind);
        if (part < W(1)) atomic_min_u64(b->limit, contact_key(part));
    }
    b->number[i] = looked;
}

#endif
