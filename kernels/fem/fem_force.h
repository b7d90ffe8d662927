/* fem_force.h -- internal forces of hyperelastic elements, and their adjoint with respect to displacement, constants,
 * thickness, rest positions and thermal strain (hyperelastic_heat.h).
 *
 *     f_a = sum_q V_q P(F) g_a,    F = I + grad u (see hyper_diagonal),    V_q = weight det(dX/dxi) thickness
 *
 * Rings and sheets have points of their own, see fem_third.h. */
#ifndef PIOLA_KERNELS_FEM_FORCE_H
#define PIOLA_KERNELS_FEM_FORCE_H

#include "kernels/fem/fem_batch.h"
#include "kernels/fem/fem_solid_args.h"
#include "kernels/fem/fem_terms.h"
#include "kernels/fem/fem_third.h"
#include "kernels/material/hyperelastic_heat.h"

/* ---- stress of a batch: laws that have terms in packs, others lane by lane --------------------------------------- */

/* Returns P of the elements of a batch at F, Pa; `r` are the terms of their law where it has such, for V = 1. */
PIO_FN pack_mat fem_batch_P(const fem_matter *m, const fem_block *b, fem_batch *t, pack_mat F, fem_terms r)
{
    const pack mu = t->k[0], lambda = t->k[1];
    if (fem_has_terms(t->law) && !t->heated) return fem_terms_P(t->law, F, mu, lambda, r);
    pack_mat P = F;
    for (int j = 0; j < PACK; j++) {
        const int law = m->law[b->first + fem_batch_item(t, j)];
        const hyper_constants k = fem_batch_constants(t, j);
        const mat F_j = pack_mat_lane(&F, j);
        pack_mat_lane_put(&P, j, t->heated ? heat_P(law, F_j, k, pack_lanes(&t->heat)[j]) : hyper_P(law, F_j, k));
    }
    return P;
}

/* Returns the derivative of P along L, Pa. */
PIO_FN pack_mat fem_batch_dP(const fem_matter *m, const fem_block *b, fem_batch *t, pack_mat F, pack_mat L, fem_terms r)
{
    if (fem_has_terms(t->law) && !t->heated) return fem_terms_dP(t->law, L, r);
    pack_mat dP = F;
    for (int j = 0; j < PACK; j++) {
        const int law = m->law[b->first + fem_batch_item(t, j)];
        const mat F_j = pack_mat_lane(&F, j), L_j = pack_mat_lane(&L, j);
        const hyper_constants k = fem_batch_constants(t, j);
        pack_mat_lane_put(&dP, j,
                          t->heated ? heat_dP(law, F_j, L_j, k, pack_lanes(&t->heat)[j]) : hyper_dP(law, F_j, L_j, k));
    }
    return dP;
}

/* Adds P_bar : dP/dk to the cotangents of the constants. */
PIO_FN void fem_batch_theta(const fem_matter *m, const fem_block *b, fem_batch *t, pack_mat F, pack_mat P_bar,
                            fem_terms r, pack k_bar[PIO_LAW_CONSTANTS])
{
    if (fem_has_terms(t->law) && !t->heated) {
        fem_terms_theta(t->law, F, P_bar, r, &k_bar[0], &k_bar[1]);
        return;
    }
    for (int j = 0; j < PACK; j++) {
        const int law = m->law[b->first + fem_batch_item(t, j)];
        hyper_constants bar;
        for (int c = 0; c < PIO_LAW_CONSTANTS; c++) bar.k[c] = pack_lanes(&k_bar[c])[j];
        const hyper_constants k = fem_batch_constants(t, j);
        const mat F_j = pack_mat_lane(&F, j), bar_j = pack_mat_lane(&P_bar, j);
        if (t->heated)
            heat_theta(law, F_j, bar_j, k, pack_lanes(&t->heat)[j], &bar);
        else
            hyper_theta(law, F_j, bar_j, k, &bar);
        for (int c = 0; c < PIO_LAW_CONSTANTS; c++) pack_lanes(&k_bar[c])[j] = bar.k[c];
    }
}

/* Adds P_bar : dP/de to the cotangents of the thermal strains. */
PIO_OUTLINE_FN void fem_batch_heat(const fem_matter *m, const fem_block *b, fem_batch *t, const pack_mat *F,
                                   const pack_mat *P_bar, pack *heat_bar)
{
    pack_mat own = *F, bar = *P_bar;
    for (int j = 0; j < PACK; j++) {
        const int law = m->law[b->first + fem_batch_item(t, j)];
        pack_lanes(heat_bar)[j] += heat_slope(law, pack_mat_lane(&own, j), pack_mat_lane(&bar, j),
                                              fem_batch_constants(t, j), pack_lanes(&t->heat)[j]);
    }
}

/* ---- forces ----------------------------------------------------------------------------------------------------- */

/* Sets the nodal forces f_a = sum_q V P(F) g_a of the batch that begins with element i, N. */
PIO_FN void fem_force(int i, const fem_force_args *a)
{
    const int nodes = a->b.rule.nodes;
    real *out = a->out + ((ptrdiff_t)a->b.first_element_node + (ptrdiff_t)i * nodes) * DIM;
    fem_batch t;
    fem_batch_nodes X, u;
    fem_batch_point p;
    BATCH_SUMS(f, out);
    if (!fem_batch_begins(i)) return;
    fem_batch_open(&t, &a->b, &a->m, i);
    fem_batch_load(&X, &t, &a->b, a->b.rest);
    fem_batch_load(&u, &t, &a->b, a->u);
    fem_batch_clear(f, nodes);
    for (int q = 0; q < a->b.rule.points; q++) {
        fem_batch_point_at(&p, &t, &X, &a->b.rule, q);
#if PIO_DIM == 2
        if (t.plane) {
            third_batch x;
            third_batch_stress(&a->m, &a->b, &t, &p, &u, &x);
            third_batch_add(f, nodes, &p, &x);
            continue;
        }
#endif
        const pack_mat F = fem_batch_deformation(&t, &p, &u, nodes);
        const fem_terms r = fem_terms_of(t.law, F, t.k[0], t.k[1], pack_of(R(1)));
        fem_batch_add(f, nodes, &p, fem_batch_P(&a->m, &a->b, &t, F, r));
    }
    fem_batch_store(out, &t, f, nodes);
}

/* The sums of the adjoint of the elements of a batch. */
typedef struct {
    pack k_bar[PIO_LAW_CONSTANTS], thick_bar, heat_bar;
} fem_force_bar;

/* Sets the sums to 0. */
PIO_FN void fem_force_bar_clear(fem_force_bar *bar)
{
    bar->thick_bar = bar->heat_bar = pack_of(R(0));
    for (int c = 0; c < PIO_LAW_CONSTANTS; c++) bar->k_bar[c] = pack_of(R(0));
}

/* Adds the cotangents of the constants, the thickness and the thermal strain of a batch to those of its elements. */
PIO_FN void fem_force_bar_add(const fem_force_adj_args *s, const fem_batch *t, fem_force_bar *bar)
{
    const fem_force_args *a = &s->fwd;
    for (int j = 0; j < t->m; j++) {
        const int e = a->b.first + t->first + j;
        for (int c = 0; c < PIO_LAW_CONSTANTS && s->k_bar; c++)
            s->k_bar[field_at(a->m.elements, PIO_LAW_CONSTANTS, c, e)] += pack_lanes(&bar->k_bar[c])[j];
        if (s->thick_bar) s->thick_bar[e] += pack_lanes(&bar->thick_bar)[j];
        if (s->heat_bar) s->heat_bar[e] += pack_lanes(&bar->heat_bar)[j];
    }
}

/* What the adjoint of a batch reads and adds to, [nodes][DIM] each; rest_bar and force are NULL where they are not
 * wanted. */
typedef struct {
    fem_batch_nodes X, u, y;
    pack *u_bar, *rest_bar, *force;
    fem_force_bar bar;
} fem_force_work;

#if PIO_DIM == 2
/* Adds the cotangents of a quadrature point, which is p, of rings or sheets. */
PIO_FN void fem_third_force_adj(const fem_force_adj_args *s, fem_batch *t, const fem_batch_point *p, fem_force_work *w)
{
    const fem_force_args *a = &s->fwd;
    const int nodes = a->b.rule.nodes;
    third_batch x;
    third_batch_stress(&a->m, &a->b, t, p, &w->u, &x);
    third_batch_along(&a->m, &a->b, t, p, &w->y, &x);
    fem_batch_add(w->u_bar, nodes, p, x.dP);
    fem_batch_add_ring(w->u_bar, nodes, p, x.dP33);
    if (s->k_bar) third_batch_theta(&a->m, &a->b, t, p, &x, w->bar.k_bar);
    if (s->heat_bar) third_batch_heat(&a->m, &a->b, t, p, &x, &w->bar.heat_bar);
    if (!s->rest_bar && !s->thick_bar) return;
    if (w->force) third_batch_add(w->force, nodes, p, &x);
    w->bar.thick_bar += p->area * third_batch_rest(w->rest_bar, nodes, p, &x, fem_batch_gradient(p, &w->u, nodes));
}
#endif

/* Adds the cotangents of a quadrature point, which is p. */
PIO_FN void fem_plain_force_adj(const fem_force_adj_args *s, fem_batch *t, const fem_batch_point *p, fem_force_work *w)
{
    const fem_force_args *a = &s->fwd;
    const int nodes = a->b.rule.nodes;
    const pack one = pack_of(R(1));
    const pack_mat G = fem_batch_gradient(p, &w->u, nodes);
    const pack_mat F = pack_mat_axpby(one, G, one, pack_mat_diag(t->diagonal));
    const pack_mat L = fem_batch_gradient(p, &w->y, nodes);
    const fem_terms r = fem_terms_of(t->law, F, t->k[0], t->k[1], one);
    const pack_mat dP = fem_batch_dP(&a->m, &a->b, t, F, L, r);
    fem_batch_add(w->u_bar, nodes, p, dP);
    const pack_mat P_bar = pack_mat_scale(p->volume, L);
    if (s->k_bar) fem_batch_theta(&a->m, &a->b, t, F, P_bar, r, w->bar.k_bar);
    if (s->heat_bar) fem_batch_heat(&a->m, &a->b, t, &F, &P_bar, &w->bar.heat_bar);
    if (!s->rest_bar && !s->thick_bar) return;
    const pack_mat P = fem_batch_P(&a->m, &a->b, t, F, r);
    const pack PL = pack_mat_ddot(P, L);
    w->bar.thick_bar += p->area * PL;
    if (w->force) fem_batch_add(w->force, nodes, p, P);
    const pack_mat GdP = pack_mat_mul(pack_mat_transpose(G), dP), LP = pack_mat_mul(pack_mat_transpose(L), P);
    if (w->rest_bar)
        fem_batch_add(w->rest_bar, nodes, p,
                      pack_mat_axpby(one, pack_mat_axpby(one, pack_mat_diag(PL), -one, GdP), -one, LP));
}

/* Sets the cotangents at the nodes of the batch that begins with element i, and adds those of its constants, thickness
 * and thermal strains. */
PIO_FN void fem_force_adj(int i, const fem_force_adj_args *s)
{
    const fem_force_args *a = &s->fwd;
    const int nodes = a->b.rule.nodes;
    const ptrdiff_t at = ((ptrdiff_t)a->b.first_element_node + (ptrdiff_t)i * nodes) * DIM;
    fem_batch t;
    fem_batch_point p;
    fem_force_work w;
    BATCH_SUMS(u_bar, s->u_bar + at);
    BATCH_SUMS(rest_bar, s->rest_bar ? s->rest_bar + at : NULL);
    BATCH_SUMS(force, s->force ? s->force + at : NULL);
    if (!fem_batch_begins(i)) return;
    fem_batch_open(&t, &a->b, &a->m, i);
    fem_batch_load(&w.X, &t, &a->b, a->b.rest);
    fem_batch_load(&w.u, &t, &a->b, a->u);
    fem_batch_load(&w.y, &t, &a->b, s->y);
    w.u_bar = u_bar;
    w.rest_bar = s->rest_bar ? rest_bar : NULL;
    w.force = s->force ? force : NULL;
    fem_force_bar_clear(&w.bar);
    fem_batch_clear(u_bar, nodes);
    if (s->rest_bar) fem_batch_clear(rest_bar, nodes);
    if (s->force) fem_batch_clear(force, nodes);
    for (int q = 0; q < a->b.rule.points; q++) {
        fem_batch_point_at(&p, &t, &w.X, &a->b.rule, q);
#if PIO_DIM == 2
        if (t.plane) {
            fem_third_force_adj(s, &t, &p, &w);
            continue;
        }
#endif
        fem_plain_force_adj(s, &t, &p, &w);
    }
    fem_batch_store(s->u_bar + at, &t, u_bar, nodes);
    if (s->rest_bar) fem_batch_store(s->rest_bar + at, &t, rest_bar, nodes);
    if (s->force) fem_batch_store(s->force + at, &t, force, nodes);
    fem_force_bar_add(s, &t, &w.bar);
}

#endif
