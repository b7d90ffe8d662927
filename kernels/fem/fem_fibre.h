/* fem_fibre.h -- fibres of elements that contract, beside the stress of their law; and their adjoint.
 *
 *     psi = a (|F n|^2 - 1)/2     P = a (F n) n^T     energy and stress per volume at rest, n a unit vector at rest
 *     f_a = sum_q V a s_a v,   s_a = grad N_a . n,   v = F n = n + sum_b u_b s_b
 *
 * the Kirchhoff stress a (F n)(F n)^T of particles (material.h: fibre_tau; Hu et al. 2019). It is linear in u: the
 * element matrix is sum_q V a s_a s_b I. F is always I + grad u here, also where the law is linear. Fibres lie in the
 * plane: the energy knows neither F33 of sheets and rings nor the dilatation, so that it is the same whatever these
 * are. */
#ifndef PIOLA_KERNELS_FEM_FIBRE_H
#define PIOLA_KERNELS_FEM_FIBRE_H

#include "kernels/fem/fem_batch.h"
#include "kernels/fem/fem_fibre_args.h"

/* Returns the channel that drives element i of the block, or -1. */
PIO_FN int fibre_channel(const fem_fibres *f, const fem_block *b, int i)
{
    return f->channel[b->first + i];
}

/* ---- forces, of elements in packs ------------------------------------------------------------------------------- */

/* The fibres of a batch of elements; lanes without any have a = 0 and n = 0. */
typedef struct {
    fem_batch t; /* elements, plane and thickness alone are set */
    int driven;  /* a lane has fibres */
    pack n[DIM]; /* unit vector at rest */
    pack a;      /* Pa */
} fibre_batch;

/* Sets the fibres of the batch that begins with element i of the block. */
PIO_FN void fibre_batch_open(fibre_batch *f, const fem_block *b, const fem_fibres *of, int i)
{
    f->t.first = i;
    f->t.m = b->n - i < PACK ? b->n - i : PACK;
    f->t.plane = DIM == 2 ? b->plane : 0;
    f->driven = 0;
    for (int j = 0; j < PACK; j++) {
        const int item = fem_batch_item(&f->t, j), channel = fibre_channel(of, b, item);
        pack_lanes(&f->t.thick)[j] = b->thick ? b->thick[b->first + item] : R(1);
        pack_lanes(&f->a)[j] = channel < 0 ? R(0) : of->activation[channel];
        for (int c = 0; c < DIM; c++)
            pack_lanes(&f->n[c])[j] = channel < 0 ? R(0) : of->fibre[field_at(of->channels, DIM, c, channel)];
        f->driven |= channel >= 0;
    }
}

/* Returns s_k, the slope of the shape function of node k along the fibres, 1/m. */
PIO_FN pack fibre_batch_slope(const fibre_batch *f, const fem_batch_point *p, int k)
{
    pack s = p->g[k][0] * f->n[0];
    PIO_UNROLL
    for (int c = 1; c < DIM; c++) s += p->g[k][c] * f->n[c];
    return s;
}

/* Sets d to the derivative along the fibres of the field with values y at the nodes, sum_k y_k s_k. */
PIO_FN void fibre_batch_derivative(const fibre_batch *f, const fem_batch_point *p, const fem_batch_nodes *y, int nodes,
                                   pack d[DIM])
{
    for (int c = 0; c < DIM; c++) d[c] = pack_of(R(0));
    for (int k = 0; k < nodes; k++) {
        const pack s = fibre_batch_slope(f, p, k);
        PIO_UNROLL
        for (int c = 0; c < DIM; c++) d[c] += fem_batch_at(y, k, c) * s;
    }
}

/* Adds V a s_k d to each node k of element vectors. */
PIO_FN void fibre_batch_add(const fibre_batch *f, pack *sums, int nodes, const fem_batch_point *p, const pack d[DIM])
{
    const pack size = p->volume * f->a;
    for (int k = 0; k < nodes; k++) {
        const pack s = size * fibre_batch_slope(f, p, k);
        PIO_UNROLL
        for (int c = 0; c < DIM; c++) sums[k * DIM + c] += s * d[c];
    }
}

/* Adds element vectors to `out`, that of the first element; on CUDA they are there already. */
PIO_FN void fibre_batch_store(real *out, const fibre_batch *f, pack *sums, int nodes)
{
#if PIO_LANE_LOOPS
    for (int j = 0; j < f->t.m; j++)
        for (int c = 0; c < nodes * DIM; c++) out[(ptrdiff_t)j * nodes * DIM + c] += pack_lanes(sums + c)[j];
#else
    (void)out, (void)f, (void)sums, (void)nodes;
#endif
}

/* Sets element vectors to 0; on CUDA they are summed where they are. */
PIO_FN void fibre_batch_clear(pack *sums, int nodes)
{
#if PIO_LANE_LOOPS
    fem_batch_clear(sums, nodes);
#else
    (void)sums, (void)nodes;
#endif
}

/* Adds f_k to the nodes of the batch that begins with element i, N. */
PIO_FN void fem_fibre(int i, const fem_fibre_args *a)
{
    const int nodes = a->b.rule.nodes;
    real *out = a->out + ((ptrdiff_t)a->b.first_element_node + (ptrdiff_t)i * nodes) * DIM;
    fibre_batch f;
    fem_batch_nodes X, u;
    fem_batch_point p;
    BATCH_SUMS(force, out);
    if (!fem_batch_begins(i)) return;
    fibre_batch_open(&f, &a->b, &a->of, i);
    if (!f.driven) return;
    fem_batch_load(&X, &f.t, &a->b, a->b.rest);
    fem_batch_load(&u, &f.t, &a->b, a->u);
    fibre_batch_clear(force, nodes);
    for (int q = 0; q < a->b.rule.points; q++) {
        pack v[DIM];
        fem_batch_point_at(&p, &f.t, &X, &a->b.rule, q);
        fibre_batch_derivative(&f, &p, &u, nodes, v);
        for (int c = 0; c < DIM; c++) v[c] += f.n[c];
        fibre_batch_add(&f, force, nodes, &p, v);
    }
    fibre_batch_store(out, &f, force, nodes);
}

/* A quadrature point of a batch, with the derivatives along the fibres of X + u and of the cotangents y. */
typedef struct {
    fem_batch_point p;
    pack v[DIM], w[DIM], vw; /* F n, sum_k y_k s_k, and their product */
} fibre_point;

/* Adds V a M g_k, and what moves the circumference of a ring, to the cotangents of the rest positions, where
 * M = (v . w) I - L^T v n^T - G^T w n^T, from dV = V tr H, d(grad u) = -G H and dL = -L H; G and L are the gradients of
 * u and y. */
PIO_FN void fibre_rest_adj(const fibre_batch *f, const fibre_point *x, pack *rest_bar, int nodes, pack_mat G,
                           pack_mat L)
{
    const fem_batch_point *p = &x->p;
    const pack size = p->volume * f->a;
    pack turned[DIM];
    for (int c = 0; c < DIM; c++) {
        turned[c] = pack_of(R(0));
        PIO_UNROLL
        for (int d = 0; d < DIM; d++) turned[c] += L.m[d][c] * x->v[d] + G.m[d][c] * x->w[d];
    }
    for (int k = 0; k < nodes; k++) {
        const pack s = fibre_batch_slope(f, p, k);
        PIO_UNROLL
        for (int c = 0; c < DIM; c++) rest_bar[k * DIM + c] += size * (x->vw * p->g[k][c] - turned[c] * s);
        if (DIM == 2) rest_bar[k * DIM] += size * x->vw * (p->N[k] * p->per_radius);
    }
}

/* Adds the cotangents of activations, which are set, and thicknesses to those of the elements of a batch. */
PIO_FN void fibre_bar_add(const fem_fibre_adj_args *s, const fibre_batch *f, pack a_bar, pack thick_bar)
{
    for (int j = 0; j < f->t.m; j++) {
        const int item = fem_batch_item(&f->t, j), e = s->fwd.b.first + item;
        if (fibre_channel(&s->fwd.of, &s->fwd.b, item) < 0) continue;
        if (s->activation_bar) s->activation_bar[e] = pack_lanes(&a_bar)[j];
        if (s->thick_bar) s->thick_bar[e] += pack_lanes(&thick_bar)[j];
    }
}

/* Adjoint of fem_fibre for the batch that begins with element i. With w = sum_k y_k s_k:
 *     u_bar_k += sum_q V a s_k w,   a_bar = sum_q V v . w,   thickness_bar += sum_q area a v . w. */
PIO_FN void fem_fibre_adj(int i, const fem_fibre_adj_args *s)
{
    const fem_fibre_args *a = &s->fwd;
    const int nodes = a->b.rule.nodes;
    const ptrdiff_t at = ((ptrdiff_t)a->b.first_element_node + (ptrdiff_t)i * nodes) * DIM;
    fibre_batch f;
    fem_batch_nodes X, u, y;
    fibre_point x;
    pack a_bar = pack_of(R(0)), thick_bar = pack_of(R(0));
    BATCH_SUMS(u_bar, s->u_bar + at);
    BATCH_SUMS(rest_bar, s->rest_bar ? s->rest_bar + at : NULL);
    if (!fem_batch_begins(i)) return;
    fibre_batch_open(&f, &a->b, &a->of, i);
    if (!f.driven) return;
    fem_batch_load(&X, &f.t, &a->b, a->b.rest);
    fem_batch_load(&u, &f.t, &a->b, a->u);
    fem_batch_load(&y, &f.t, &a->b, s->y);
    fibre_batch_clear(u_bar, nodes);
    if (s->rest_bar) fibre_batch_clear(rest_bar, nodes);
    for (int q = 0; q < a->b.rule.points; q++) {
        fem_batch_point_at(&x.p, &f.t, &X, &a->b.rule, q);
        fibre_batch_derivative(&f, &x.p, &u, nodes, x.v);
        fibre_batch_derivative(&f, &x.p, &y, nodes, x.w);
        x.vw = pack_of(R(0));
        for (int c = 0; c < DIM; c++) {
            x.v[c] += f.n[c];
            x.vw += x.v[c] * x.w[c];
        }
        fibre_batch_add(&f, u_bar, nodes, &x.p, x.w);
        if (s->rest_bar)
            fibre_rest_adj(&f, &x, rest_bar, nodes, fem_batch_gradient(&x.p, &u, nodes),
                           fem_batch_gradient(&x.p, &y, nodes));
        a_bar += x.p.volume * x.vw;
        thick_bar += x.p.area * f.a * x.vw;
    }
    fibre_batch_store(s->u_bar + at, &f, u_bar, nodes);
    if (s->rest_bar) fibre_batch_store(s->rest_bar + at, &f, rest_bar, nodes);
    fibre_bar_add(s, &f, a_bar, thick_bar);
}

/* ---- energy and matrix, of one element -------------------------------------------------------------------------- */

/* Returns s_a, the slope of the shape function of node a along the fibres n, 1/m. */
PIO_FN real fibre_slope(const fem_point *p, int a, vec n)
{
    real s = R(0);
    for (int c = 0; c < DIM; c++) s += p->g[a][c] * n.x[c];
    return s;
}

/* Returns the energy of the fibres of element i, J. */
PIO_FN wide fem_fibre_energy(int i, const fem_fibre_energy_args *a)
{
    const int channel = fibre_channel(&a->of, &a->b, i);
    wide sum = W(0);
    if (channel < 0) return sum;
    const vec n = vec_load(a->of.fibre, a->of.channels, channel);
    for (int q = 0; q < a->b.rule.points; q++) {
        const fem_point p = fem_point_at(&a->b, i, q);
        const vec d = mat_apply(fem_gradient(&a->b, i, &p, a->u), n);
        const real stretch = R(2) * vec_dot(n, d) + vec_dot(d, d); /* |F n|^2 - 1 */
        sum += W(p.volume) * W(R(0.5) * a->of.activation[channel] * stretch);
    }
    return sum;
}

/* Adds the element matrix of element i. */
PIO_FN void fem_fibre_matrix(int i, const fem_fibre_matrix_args *a)
{
    const int channel = fibre_channel(&a->of, &a->b, i);
    if (channel < 0 || (a->projected && !(a->of.activation[channel] > R(0)))) return;
    const vec n = vec_load(a->of.fibre, a->of.channels, channel);
    real *out = a->out + ((ptrdiff_t)a->first_node_pair + (ptrdiff_t)i * a->node_pairs) * DIM * DIM;
    for (int q = 0; q < a->b.rule.points; q++) {
        const fem_point p = fem_point_at(&a->b, i, q);
        for (int k = 0; k < a->node_pairs; k++) {
            const real sa = fibre_slope(&p, a->node_pair[k] >> 8, n), sb = fibre_slope(&p, a->node_pair[k] & 255, n);
            const real size = p.volume * a->of.activation[channel] * sa * sb;
            for (int c = 0; c < DIM; c++) out[(k * DIM + c) * DIM + c] += size;
        }
    }
}

#endif
