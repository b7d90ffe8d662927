/* fem_pairs.h -- contact of surfaces of meshes with each other by a barrier potential (Li et al. 2020, "Incremental
 * Potential Contact"), with adjoints.
 *
 * Pairs are of points and faces and, in 3D, of two edges. With the distance d of a pair, its mollifier e and the
 * barrier B of kernels/contact/pair_barrier.h, and K (stiffness, Pa) and h (distance, m) of the contact,
 *
 *     Phi = sum over pairs of m K h e B(d/h)
 *
 * m is an area at rest: with A_k that of point k (fem_contact.h), A/2 in 2D and A/4 in 3D of a point and a face, so
 * that both sides of a contact have all of it in 2D and half of it in 3D, and sum_k A_k/(8 n_k) over the ends of two
 * edges, of which n_k end there. So K is about the pressure that the contact has at half the distance; how much it is
 * exactly depends on how many pieces are near each other. */
#ifndef PIOLA_KERNELS_FEM_PAIRS_H
#define PIOLA_KERNELS_FEM_PAIRS_H

#include "kernels/contact/pair_barrier.h"
#include "kernels/contact/pair_path.h"
#include "kernels/fem/fem_contact_leap.h"
#include "kernels/fem/fem_pairs_args.h"

/* The part of its area that a point has in a pair with a face. */
#define PAIR_FACE_PART R(DIM == 2 ? 0.5 : 0.25)

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

/* Sets the places of the nodes of a pair, at rest and displaced, from the first node at rest and displaced, m. */
PIO_FN void fem_pair_places(const fem_pair_surface *s, const real *rest, const real *u, const int *corner,
                            vec X[PAIR_NODES], vec x[PAIR_NODES])
{
    const int first = s->node[corner[0]];
    const vec X0 = point_load(rest, first), u0 = point_load(u, first);
    for (int a = 0; a < PAIR_NODES; a++) {
        const int node = s->node[corner[a]];
        X[a] = vec_axpby(R(1), point_load(rest, node), R(-1), X0);
        x[a] = vec_axpby(R(1), X[a], R(1), vec_axpby(R(1), point_load(u, node), R(-1), u0));
    }
}

/* Returns the distance of two pieces of the surface, m. */
PIO_FN real fem_pair_distance(const fem_pair_surface *s, const real *rest, const real *u, const int *corner, int kind)
{
    vec X[PAIR_NODES], x[PAIR_NODES];
    fem_pair_places(s, rest, u, corner, X, x);
    return pair_near_of(kind, x).d;
}

/* Returns the part of the area of its node number a that a pair has. */
PIO_FN real fem_pair_part(const fem_pair_args *a, int kind, const int *corner, int n)
{
    if (kind == PAIR_EDGES) return a->part[corner[n]];
    return n == 0 ? PAIR_FACE_PART : R(0);
}

/* Returns m of a pair, m^2. */
PIO_FN real fem_pair_area_of(const fem_pair_args *a, int kind, const int *corner)
{
    real m = R(0);
    for (int n = 0; n < PAIR_NODES; n++) m += fem_pair_part(a, kind, corner, n) * a->area[corner[n]];
    return m;
}

/* A pair as it is. */
typedef struct {
    int kind;          /* PAIR_FACE, PAIR_EDGES */
    const int *corner; /* [PAIR_NODES] its points */
    vec X[PAIR_NODES]; /* at rest, from its first node, m */
    real area;         /* m, m^2 */
    pair_barrier p;    /* its potential */
} fem_pair_state;

/* Returns pair number i. */
PIO_FN fem_pair_state fem_pair_of(const fem_pair_args *a, int i)
{
    fem_pair_state s;
    vec x[PAIR_NODES];
    s.kind = i < a->found->faces ? PAIR_FACE : PAIR_EDGES;
    s.corner = a->corner + (ptrdiff_t)i * PAIR_NODES;
    fem_pair_places(&a->s, a->rest, a->u, s.corner, s.X, x);
    s.area = fem_pair_area_of(a, s.kind, s.corner);
    s.p = pair_barrier_of(s.kind, x, s.X, s.area * R(a->grip[PAIR_STIFFNESS]), R(a->grip[PAIR_DISTANCE]));
    return s;
}

/* Sets vectors of nodes of a pair. */
PIO_FN void fem_pair_load(const fem_pair_surface *s, const int *corner, const real *from, vec out[PAIR_NODES])
{
    for (int n = 0; n < PAIR_NODES; n++) out[n] = point_load(from, s->node[corner[n]]);
}

/* Sets what pair i gives to its nodes. */
PIO_FN void fem_pair_store(real *out, int i, const vec v[PAIR_NODES])
{
    for (int n = 0; n < PAIR_NODES; n++) point_store(out, i * PAIR_NODES + n, v[n]);
}

/* ---- forces ------------------------------------------------------------------------------------------------------ */

/* Sets dPhi/dx of pair i. */
PIO_FN void fem_pair(int i, const fem_pair_args *a)
{
    const fem_pair_state s = fem_pair_of(a, i);
    vec out[PAIR_NODES];
    for (int n = 0; n < PAIR_NODES; n++) out[n] = vec_zero();
    if (pair_acts(&s.p)) pair_slopes(&s.p, out);
    fem_pair_store(a->out, i, out);
}

/* Sets the cotangents that pair i, which is s, gives where those of dPhi/dx of its nodes are y. With y . dPhi/dx =
 * m K (...), those of x are d^2 Phi/dx^2 y; those of X are these, as x = X + u, and what the mollifier has of lengths
 * at rest; m_bar = K k_bar/.., K_bar = m k_bar. */
PIO_FN void fem_pair_back(int i, const fem_pair_adj_args *b, const fem_pair_state *s, const vec y[PAIR_NODES])
{
    const fem_pair_args *a = &b->fwd;
    vec x_bar[PAIR_NODES], X_bar[PAIR_NODES];
    real scale_bar = R(0), h_bar = R(0);
    for (int n = 0; n < PAIR_NODES; n++) x_bar[n] = X_bar[n] = vec_zero();
    if (pair_acts(&s->p)) {
        pair_product(&s->p, y, x_bar);
        for (int n = 0; n < PAIR_NODES; n++) X_bar[n] = x_bar[n];
        if (b->rest_bar) pair_slopes_adj(&s->p, y, s->X, &scale_bar, &h_bar, X_bar);
    }
    fem_pair_store(b->u_bar, i, x_bar);
    if (!b->rest_bar) return;
    fem_pair_store(b->rest_bar, i, X_bar);
    for (int n = 0; n < PAIR_NODES; n++)
        b->area_bar[(ptrdiff_t)i * PAIR_NODES + n] =
            fem_pair_part(a, s->kind, s->corner, n) * R(a->grip[PAIR_STIFFNESS]) * scale_bar;
    b->grip_bar[field_at(b->pairs, PAIR_GRIP, PAIR_STIFFNESS, i)] = s->area * scale_bar;
    b->grip_bar[field_at(b->pairs, PAIR_GRIP, PAIR_DISTANCE, i)] = h_bar;
}

/* Sets the cotangents that pair i gives. */
PIO_FN void fem_pair_adj(int i, const fem_pair_adj_args *b)
{
    const fem_pair_state s = fem_pair_of(&b->fwd, i);
    vec y[PAIR_NODES];
    fem_pair_load(&b->fwd.s, s.corner, b->y, y);
    fem_pair_back(i, b, &s, y);
}

/* Adds to the node of point k what pairs give to it. */
PIO_FN void fem_pair_sum(int k, const fem_pair_sum_args *a)
{
    const int node = a->s.node[k];
    vec sum = vec_zero();
    for (int j = a->start[k]; j < a->start[k + 1]; j++) sum = vec_axpby(R(1), sum, R(1), point_load(a->in, a->list[j]));
    point_store(a->out, node, vec_axpby(R(1), point_load(a->out, node), R(1), sum));
}

/* Adds to the number of point k what pairs give to it. */
PIO_FN void fem_pair_area(int k, const fem_pair_area_args *a)
{
    real sum = R(0);
    for (int j = a->start[k]; j < a->start[k + 1]; j++) sum += a->in[a->list[j]];
    a->out[k] += sum;
}

/* ---- how far points may move ------------------------------------------------------------------------------------- */

/* Sets where the nodes of a pair begin, from the first node displaced, and the way of each, m. */
PIO_FN void fem_pair_ways(const fem_pair_surface *s, const fem_pair_way *w, const int *corner, vec x[PAIR_NODES],
                          vec way[PAIR_NODES])
{
    vec X[PAIR_NODES];
    fem_pair_places(s, w->rest, w->u, corner, X, x);
    fem_pair_load(s, corner, w->du, way);
    for (int n = 0; n < PAIR_NODES; n++) {
        x[n] = vec_axpby(R(1), x[n], R(w->from), vec_axpby(R(1), way[n], R(-1), point_load(w->du, s->node[corner[0]])));
        way[n] = vec_scale(R(w->to - w->from), way[n]);
    }
}

/* Returns the part of a way along which a pair keeps CONTACT_KEPT of the distance that it begins with. */
PIO_FN wide fem_pair_free(const fem_pair_surface *s, const fem_pair_way *w, const int *corner, int kind)
{
    vec x[PAIR_NODES], way[PAIR_NODES];
    fem_pair_ways(s, w, corner, x, way);
    return W(pair_free_path(kind, x, way, (double)CONTACT_KEPT));
}

/* Returns node number n of pair i's row sum of absolute values of the stiff part of d^2 Phi/dx^2, k e B''/h g g^T with
 * g_n = w_n n, N/m. */
PIO_FN real fem_pair_stiffness(const fem_pair_state *s, int n)
{
    real all = R(0);
    for (int b = 0; b < PAIR_NODES; b++) all += fabs(s->p.at.w[b]);
    return s->p.scale * s->p.ease.value * s->p.B.curve / s->p.h * fabs(s->p.at.w[n]) * all;
}

/* Makes a blow the worst of pair i, which has a part of its way free: the least gap and the greatest speed. */
PIO_FN void fem_pair_blow(const fem_pair_leap_args *b, const fem_pair_way *way, int i, double part, barrier_blow *blow)
{
    const fem_pair_args *a = &b->fwd;
    const int kind = i < a->found->faces ? PAIR_FACE : PAIR_EDGES, *corner = a->corner + (ptrdiff_t)i * PAIR_NODES;
    vec x[PAIR_NODES], dx[PAIR_NODES];
    fem_pair_ways(&a->s, way, corner, x, dx);
    const double gap = (double)pair_near_of(kind, x).d, end = (double)fem_pair_of(a, i).p.at.d;
    if (!(part < 1 || end < blow->distance)) return;
    const double speed = part > 0 && part < 1 ? (1 - (double)CONTACT_KEPT) * gap / (part * b->h) : (gap - end) / b->h;
    if (gap < blow->gap) blow->gap = gap;
    if (speed > blow->speed) blow->speed = speed;
}

/* Row sum of the stiffness of the pairs of a point, in units of that of one, with half of its area: its own, and those
 * of its neighbours' points that it is near. */
enum { PAIR_ROWS = 6 };

/* An explicit step is possible where all pairs of point k keep CONTACT_KEPT of their distances on their way, and where
 * h^2 (omega^2 + k/m) <= 4 with the sum k of fem_pair_stiffness() of its pairs at its end, a bound of what they add to
 * the squares of frequencies (Gershgorin); otherwise lowers the fault, and notes the step and the stiffness that would
 * be right. */
PIO_FN void fem_pair_leap(int k, const fem_pair_leap_args *b)
{
    const fem_pair_args *a = &b->fwd;
    const fem_pair_way way = {a->rest, a->u, b->v, -b->h, 0};
    const int node = a->s.node[k];
    wide stiff = W(0), h = W(b->h), mass = W(point_load(b->mass, node).x[0]);
    int passes = 0;
    for (int j = b->start[k]; j < b->start[k + 1]; j++) {
        const int i = b->list[j] / PAIR_NODES;
        passes |= fem_pair_free(&a->s, &way, a->corner + (ptrdiff_t)i * PAIR_NODES,
                                i < a->found->faces ? PAIR_FACE : PAIR_EDGES) < W(1);
        const fem_pair_state s = fem_pair_of(a, i);
        if (pair_acts(&s.p)) stiff += W(fem_pair_stiffness(&s, b->list[j] % PAIR_NODES));
    }
    if (!passes && h * h * (W(b->square) + stiff / mass) <= W(4)) return;
    const double K = (double)a->grip[PAIR_STIFFNESS], most = (double)a->grip[PAIR_DISTANCE];
    barrier_blow blow = {(double)mass, (double)(R(0.5) * a->area[k]), K, most, PAIR_ROWS, most, 0, b->h, b->square};
    for (int j = b->start[k]; j < b->start[k + 1]; j++) {
        const int i = b->list[j] / PAIR_NODES;
        fem_pair_blow(b, &way, i,
                      (double)fem_pair_free(&a->s, &way, a->corner + (ptrdiff_t)i * PAIR_NODES,
                                            i < a->found->faces ? PAIR_FACE : PAIR_EDGES),
                      &blow);
    }
    const barrier_need need = barrier_need_of(&blow);
    atomic_min_u64(&b->step->fault, fem_fault_at(b->step->index, node, FEM_PASSED));
    contact_needs(&need, K, b->step->index, b->needed, b->stiffer);
}

/* Sets the gap of point k, and counts it where it came within reach of another or left. */
PIO_FN void fem_pair_watch(int k, const fem_pair_watch_args *b)
{
    const fem_pair_args *a = &b->fwd;
    const real h = R(a->grip[PAIR_DISTANCE]);
    real gap = h;
    for (int j = b->start[k]; j < b->start[k + 1]; j++) {
        const int i = b->list[j] / PAIR_NODES, *corner = a->corner + (ptrdiff_t)i * PAIR_NODES;
        const real d = fem_pair_distance(&a->s, a->rest, a->u, corner, i < a->found->faces ? PAIR_FACE : PAIR_EDGES);
        if (b->own && a->s.body[corner[0]] != a->s.body[corner[PAIR_NODES - 1]]) continue;
        if (!(d >= gap)) gap = d;
    }
    const int touching = gap < h;
    if (touching && !b->touching[k]) atomic_add_int(b->counts, 1);
    if (!touching && b->touching[k]) atomic_add_int(b->counts + 1, 1);
    b->gap[k] = gap;
    b->touching[k] = touching;
    atomic_min_u64(b->least, contact_key(W(gap)));
}

#endif
