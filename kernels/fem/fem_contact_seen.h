/* fem_contact_seen.h -- what objectives see of contact besides single obstacles: the force between bodies and their
 * least distance, by pairs of surfaces, and the mean or the norm of the pressure at nodes; with adjoints. */
#ifndef PIOLA_KERNELS_FEM_CONTACT_SEEN_H
#define PIOLA_KERNELS_FEM_CONTACT_SEEN_H

#include "kernels/fem/fem_contact_seen_args.h"
#include "kernels/fem/fem_pairs.h"
#include "kernels/fem/fem_probe.h"

/* ---- between bodies ---------------------------------------------------------------------------------------------- */

/* Sets whether the nodes of each of the two parts of a pair count: they are of the body, and the other part is of the
 * other one. */
PIO_FN void fem_pair_seen(const fem_pair_surface *s, const int *corner, fem_pair_sides sides, int seen[2])
{
    const int first = s->body[corner[0]], second = s->body[corner[PAIR_NODES - 1]];
    seen[0] = first == sides.body && (sides.other < 0 || second == sides.other);
    seen[1] = second == sides.body && (sides.other < 0 || first == sides.other);
}

/* Returns the part, 0 or 1, that node n of a pair is of. */
PIO_FN int fem_pair_side(int kind, int n)
{
    return n >= (kind == PAIR_EDGES ? 2 : 1);
}

/* Sets -dPhi/dx of the nodes of pair i that count. */
PIO_FN void fem_pair_push(int i, const fem_pair_push_args *b)
{
    const fem_pair_state s = fem_pair_of(&b->fwd, i);
    vec out[PAIR_NODES];
    int seen[2];
    fem_pair_seen(&b->fwd.s, s.corner, b->sides, seen);
    for (int n = 0; n < PAIR_NODES; n++) out[n] = vec_zero();
    if (pair_acts(&s.p)) pair_slopes(&s.p, out);
    for (int n = 0; n < PAIR_NODES; n++) out[n] = vec_scale(R(seen[fem_pair_side(s.kind, n)] ? -1 : 0), out[n]);
    fem_pair_store(b->fwd.out, i, out);
}

/* Sets the cotangents that pair i gives: those of dPhi/dx are -y of the nodes that count, and 0 of others. */
PIO_FN void fem_pair_push_adj(int i, const fem_pair_push_adj_args *b)
{
    const fem_pair_args *a = &b->back.fwd;
    const fem_pair_state s = fem_pair_of(a, i);
    vec y[PAIR_NODES];
    int seen[2];
    fem_pair_seen(&a->s, s.corner, b->sides, seen);
    fem_pair_load(&a->s, s.corner, b->back.y, y);
    for (int n = 0; n < PAIR_NODES; n++) y[n] = vec_scale(R(seen[fem_pair_side(s.kind, n)] ? -1 : 0), y[n]);
    fem_pair_back(i, &b->back, &s, y);
}

/* Sets the distance of pair i, and lowers the key. */
PIO_FN void fem_pair_gap(int i, const fem_pair_gap_args *b)
{
    const fem_pair_args *a = &b->fwd;
    const int *corner = a->corner + (ptrdiff_t)i * PAIR_NODES;
    int seen[2];
    fem_pair_seen(&a->s, corner, b->sides, seen);
    b->gap[i] = R(a->grip[PAIR_DISTANCE]);
    if (!seen[0] && !seen[1]) return;
    const real d = fem_pair_distance(&a->s, a->rest, a->u, corner, i < a->found->faces ? PAIR_FACE : PAIR_EDGES);
    if (!(d < b->gap[i])) return;
    b->gap[i] = d;
    atomic_min_u64(b->found, contact_key(W(d)));
}

/* Adds the least distance to the sample; the one item is 0. */
PIO_FN void fem_pair_gap_add(int i, const fem_pair_gap_add_args *a)
{
    (void)i;
    *a->sample += W(a->weight) * (a->found[1] == UINT64_MAX ? a->grip[PAIR_DISTANCE] : W(a->gap[a->found[1]]));
}

/* Sets what pair i gives to the cotangents of its nodes. */
PIO_FN void fem_pair_gap_adj(int i, const fem_pair_gap_adj_args *b)
{
    const fem_pair_args *a = &b->fwd;
    const int *corner = a->corner + (ptrdiff_t)i * PAIR_NODES;
    vec X[PAIR_NODES], x[PAIR_NODES];
    for (int n = 0; n < PAIR_NODES; n++) X[n] = vec_zero();
    if (b->found[1] == (uint64_t)i) {
        fem_pair_places(&a->s, a->rest, a->u, corner, X, x);
        const pair_near near = pair_near_of(i < a->found->faces ? PAIR_FACE : PAIR_EDGES, x);
        for (int n = 0; n < PAIR_NODES; n++) X[n] = vec_scale(R(W(b->weight) * *b->sample_bar) * near.w[n], near.n);
    }
    fem_pair_store(b->x_bar, i, X);
}

/* Adds to the cotangent of h, if that is what was seen; the one item is 0. */
PIO_FN void fem_pair_gap_none(int i, const fem_pair_gap_none_args *b)
{
    (void)i;
    if (b->found[1] == UINT64_MAX) b->grip_bar[PAIR_DISTANCE] += W(b->weight) * *b->sample_bar;
}

/* ---- pressures --------------------------------------------------------------------------------------------------- */

/* Returns |force|/A of point k, Pa, and 0 without an area. */
PIO_FN wide fem_contact_pressure_of(const fem_contact_pressed_args *a, int k)
{
    const vec f = point_load(a->force, a->node[k]);
    const real square = vec_dot(f, f);
    return square > R(0) && a->area[k] > R(0) ? W(sqrt(square)) / W(a->area[k]) : W(0);
}

/* Returns the term of point k. */
PIO_FN wide fem_contact_pressed(int k, const fem_contact_pressed_args *a)
{
    const real w = a->weight[(ptrdiff_t)a->node[k] * DIM];
    const wide p = fem_contact_pressure_of(a, k);
    if (!(fabs(w) > R(0))) return W(0);
    if (a->component < 0) return W(w * a->area[k]);
    return W(w * a->area[k]) * (a->power > 0 ? probe_power(p / W(a->size), a->power) : p);
}

/* Sets the cotangents of the force on point k's node, and adds to that of its area. With S = (p/s0)^P and p = |f|/A the
 * term w A S has d/df = w P S/p f/|f| and d/dA = w (1 - P) S; of a mean P is 1 and S is p. */
PIO_FN void fem_contact_pressed_adj(int k, const fem_contact_pressed_adj_args *b)
{
    const fem_contact_pressed_args *a = &b->fwd;
    const int node = a->node[k];
    const wide w = W(a->weight[(ptrdiff_t)node * DIM]), P = W(a->power > 0 ? a->power : 1);
    const wide p = fem_contact_pressure_of(a, k);
    const wide S = a->power > 0 ? probe_power(p / W(a->size), a->power) : p;
    vec out = vec_zero();
    if (p > W(0)) out = vec_scale(R(b->sums_bar[0] * w * P * S / p / (p * W(a->area[k]))), point_load(a->force, node));
    point_store(b->force_bar, node, out);
    b->area_bar[k] += R(w * (b->sums_bar[0] * (W(1) - P) * S + b->sums_bar[1]));
}

#endif
