/* fem_tangent.h -- the tangent of elements, and the matrix of the mesh that is their sum.
 *
 * Blocks K_ab = sum_q V g_a . A . g_b of the node pairs with b >= a:
 *     A_iJkL = dP_iJ/dF_kL;  K_ab,ik = sum_JL g_aJ A_iJkL g_bL.
 * The law's Hessian is symmetric, so K_ba = K_ab^T. The projected tangent has A+ of hyperelastic_project.h for A: no
 * element's matrix is indefinite.
 *
 * Of laws with the terms of fem_terms.h it is, with x_a = X g_a,
 *     K_ab = sum_q V (s x_a x_b^T + t x_b x_a^T + (g_a . M g_b) I + (g_a . g_b) N)
 * in which A need not be known.
 *
 * Rings and sheets (fem_third.h) have A by F and F33, and of rings a third slope N_a/r with the first component. */
#ifndef PIOLA_KERNELS_FEM_TANGENT_H
#define PIOLA_KERNELS_FEM_TANGENT_H

#include "kernels/fem/fem_batch.h"
#include "kernels/fem/fem_solid_args.h"
#include "kernels/fem/fem_terms.h"
#include "kernels/fem/fem_third.h"
#include "kernels/material/hyperelastic_heat.h"
#include "kernels/material/hyperelastic_project.h"

/* ---- element matrices ------------------------------------------------------------------------------------------- */

enum {
    TERM_X = 0,                      /* x_a */
    TERM_S = DIM,                    /* s x_a */
    TERM_T = 2 * DIM,                /* t x_a */
    TERM_M = 3 * DIM,                /* M g_a */
    SLOPES = 3,                      /* of a shape function: in 2D the third is that of rings */
    ELEMENT_TERMS = SLOPES * MATRIX, /* numbers of a node: 4 DIM of these, or SLOPES MATRIX of fem_tangent_node */
    ELEMENT_PAIRS = ELEMENT_NODES * (ELEMENT_NODES + 1) / 2
};

/* What the lanes of a team share of one quadrature point. */
typedef struct {
    fem_batch t;
    fem_batch_nodes X, u; /* rest positions and displacement */
    fem_batch_point p;    /* gradients and volume */
    int by_terms;         /* 1: the law's terms, 0: A */
    fem_terms terms;
    pack A[SLOPES][SLOPES][MATRIX];          /* [J][L][i, k], times the volume */
    pack node[ELEMENT_NODES][ELEMENT_TERMS]; /* [L][i, k] = sum_J g_aJ A, or TERM_... */
#if PIO_LANE_LOOPS
    pack K[ELEMENT_PAIRS * MATRIX];
#endif
} fem_tangent_shared;

/* Sets V A of the lanes, or V A+ with `project`. Returns whether A+ is not A in one of them. */
PIO_FN int fem_tangent_hessian(const fem_tangent_args *a, fem_tangent_shared *s, pack_mat F, int project)
{
    int negative = 0;
    for (int j = 0; j < PACK; j++) {
        const int law = a->m.law[a->b.first + fem_batch_item(&s->t, j)];
        const real V = pack_lanes(&s->p.volume)[j];
        real A[MATRIX][MATRIX];
        if (s->t.heated)
            heat_tangent(law, pack_mat_lane(&F, j), fem_batch_constants(&s->t, j), pack_lanes(&s->t.heat)[j], A);
        else
            hyper_tangent(law, pack_mat_lane(&F, j), fem_batch_constants(&s->t, j), A);
        if (project) negative |= hyper_project(A) > 0;
        for (int J = 0; J < DIM; J++)
            for (int L = 0; L < DIM; L++)
                for (int c = 0; c < DIM; c++)
                    for (int k = 0; k < DIM; k++)
                        pack_lanes(&s->A[J][L][c * DIM + k])[j] = V * A[c * DIM + J][k * DIM + L];
    }
    return negative;
}

#if PIO_DIM == 2
/* Returns the row of the matrix of hyper_third_tangent for component i and slope J, or -1: F33 goes with x alone. */
PIO_FN int fem_third_row(int i, int J)
{
    return J < DIM ? i * DIM + J : i == 0 ? THIRD_SIDE - 1 : -1;
}

/* The same for rings and sheets. */
PIO_FN int fem_third_hessian(const fem_tangent_args *a, fem_tangent_shared *s, pack_mat F, int project)
{
    pack ring = fem_batch_ring_gradient(&s->p, &s->u, a->b.rule.nodes);
    int negative = 0;
    for (int j = 0; j < PACK; j++) {
        const int law = third_law(&a->m, &a->b, &s->t, j);
        const hyper_constants k = fem_batch_constants(&s->t, j);
        const mat F_j = pack_mat_lane(&F, j);
        const real V = pack_lanes(&s->p.volume)[j], e = pack_lanes(&s->t.heat)[j];
        const real third = fem_third_of(s->t.plane, law, F_j, pack_lanes(&ring)[j], k, e);
        real A[THIRD_SIDE][THIRD_SIDE];
        heat_third_tangent(s->t.plane, law, F_j, third, k, e, A);
        if (project) negative |= project_matrix(THIRD_SIDE, &A[0][0]) > 0;
        for (int n = 0; n < SLOPES * SLOPES * MATRIX; n++) {
            const int J = n / (SLOPES * MATRIX), L = n / MATRIX % SLOPES, c = n % MATRIX / DIM, d = n % DIM;
            const int row = fem_third_row(c, J), column = fem_third_row(d, L);
            pack_lanes(&s->A[J][L][c * DIM + d])[j] = row < 0 || column < 0 ? R(0) : V * A[row][column];
        }
    }
    return negative;
}
#endif

/* Sets the terms of the law at quadrature point q, or A. */
PIO_FN void fem_tangent_point(const fem_tangent_args *a, fem_tangent_shared *s, int project)
{
    const int law = s->t.law;
    const pack_mat F = fem_batch_deformation(&s->t, &s->p, &s->u, a->b.rule.nodes);
#if PIO_DIM == 2
    if (s->t.plane) {
        s->by_terms = 0;
        fem_third_hessian(a, s, F, project);
        return;
    }
#endif
    s->by_terms = fem_has_terms(law) && !s->t.heated;
    if (!s->by_terms || project) s->by_terms &= !fem_tangent_hessian(a, s, F, project);
    if (s->by_terms) s->terms = fem_terms_of(law, F, s->t.k[0], s->t.k[1], s->p.volume);
}

/* Adds what the third slope of node n gives to the products with A, and sets those of A's third column. */
PIO_FN void fem_tangent_ring_node(fem_tangent_shared *s, int n)
{
    const pack ring = s->p.N[n] * s->p.per_radius;
    pack *to = s->node[n];
    for (int L = 0; L < SLOPES; L++)
        for (int c = 0; c < MATRIX; c++) {
            pack t = L < DIM ? to[L * MATRIX + c] : pack_of(R(0));
            for (int J = L < DIM ? DIM : 0; J < SLOPES; J++) t += (J < DIM ? s->p.g[n][J % DIM] : ring) * s->A[J][L][c];
            to[L * MATRIX + c] = t;
        }
}

/* Sets what the pairs of node n need. */
PIO_FN void fem_tangent_node(fem_tangent_shared *s, int n)
{
    const pack *g = s->p.g[n];
    pack *to = s->node[n];
    if (!s->by_terms) {
        for (int L = 0; L < DIM; L++) {
            PIO_UNROLL_ALL
            for (int c = 0; c < MATRIX; c++) {
                pack t = g[0] * s->A[0][L][c];
                PIO_UNROLL
                for (int J = 1; J < DIM; J++) t += g[J] * s->A[J][L][c];
                to[L * MATRIX + c] = t;
            }
        }
        if (DIM == 2 && s->t.plane) fem_tangent_ring_node(s, n);
        return;
    }
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) {
        pack x = s->terms.X.m[c][0] * g[0], y = s->terms.M.m[c][0] * g[0];
        PIO_UNROLL
        for (int d = 1; d < DIM; d++) {
            x += s->terms.X.m[c][d] * g[d];
            y += s->terms.M.m[c][d] * g[d];
        }
        to[TERM_X + c] = x;
        to[TERM_S + c] = s->terms.s * x;
        to[TERM_T + c] = s->terms.t * x;
        to[TERM_M + c] = y;
    }
}

/* What a node gives to its pairs by the law's terms: read before K is written, which the compiler takes for the same
 * memory. */
typedef struct {
    pack x[DIM], s[DIM], t[DIM], m[DIM], g[DIM];
} fem_node_terms;

/* Returns the terms of node n. */
PIO_FN fem_node_terms fem_node_terms_of(const fem_tangent_shared *s, int n)
{
    fem_node_terms r;
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) {
        r.x[c] = s->node[n][TERM_X + c];
        r.s[c] = s->node[n][TERM_S + c];
        r.t[c] = s->node[n][TERM_T + c];
        r.m[c] = s->node[n][TERM_M + c];
        r.g[c] = s->p.g[n][c];
    }
    return r;
}

/* Returns a . b, [DIM] each. */
PIO_FN pack packs_dot(const pack *a, const pack *b)
{
    pack r = a[0] * b[0];
    PIO_UNROLL
    for (int d = 1; d < DIM; d++) r += a[d] * b[d];
    return r;
}

/* Adds to K [MATRIX] what one quadrature point gives to the pair of nodes n and o by the law's terms. */
PIO_FN void fem_tangent_pair_of_terms(const fem_tangent_shared *s, int n, int o, pack *K)
{
    const fem_node_terms a = fem_node_terms_of(s, n), b = fem_node_terms_of(s, o);
    const pack right = packs_dot(a.g, b.m), left = packs_dot(a.g, b.g);
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) {
        pack row[DIM];
        PIO_UNROLL
        for (int k = 0; k < DIM; k++) row[k] = K[c * DIM + k] + a.s[c] * b.x[k];
        row[c] += right;
        PIO_UNROLL
        for (int k = 0; k < DIM; k++) K[c * DIM + k] = row[k] + a.t[k] * b.x[c];
    }
    if (!fem_has_left_term(s->t.law)) return;
    PIO_UNROLL_ALL
    for (int c = 0; c < MATRIX; c++) K[c] += left * s->terms.N.m[c / DIM][c % DIM];
}

/* Adds to K [MATRIX] what one quadrature point gives to the pair of nodes n and o. */
PIO_FN void fem_tangent_pair(const fem_tangent_shared *s, int n, int o, pack *K)
{
    if (s->by_terms) {
        fem_tangent_pair_of_terms(s, n, o, K);
        return;
    }
    const pack *a = s->node[n], *b = s->p.g[o];
    pack g[DIM];
    PIO_UNROLL
    for (int L = 0; L < DIM; L++) g[L] = b[L];
    PIO_UNROLL_ALL
    for (int c = 0; c < MATRIX; c++) {
        pack t = K[c];
        PIO_UNROLL
        for (int L = 0; L < DIM; L++) t += a[L * MATRIX + c] * g[L];
        K[c] = t;
    }
    if (DIM == 3 || !s->t.plane) return;
    const pack ring = s->p.N[o] * s->p.per_radius;
    for (int c = 0; c < MATRIX; c++) K[c] += a[DIM % SLOPES * MATRIX + c] * ring;
}

/* Returns where the element matrices of a batch are summed, [node pairs][MATRIX]. */
PIO_FN pack *fem_tangent_sums(fem_tangent_shared *s, const fem_tangent_args *a, int i)
{
#if PIO_LANE_LOOPS
    (void)a, (void)i;
    return s->K;
#else
    (void)s;
    return a->out + ((ptrdiff_t)a->first_node_pair + (ptrdiff_t)i * a->node_pairs) * MATRIX;
#endif
}

/* Sets the element matrices of the batch that begins with element i, with A or its projection. */
PIO_FN void fem_tangent_of(int i, fem_tangent_shared *s, const fem_tangent_args *a, int project)
{
    if (!fem_batch_begins(i)) return;
    pack *K = fem_tangent_sums(s, a, i);
    LANES (j, a->node_pairs)
        for (int c = 0; c < MATRIX; c++) K[(ptrdiff_t)j * MATRIX + c] = pack_of(R(0));
    LANES (j, 1) {
        fem_batch_open(&s->t, &a->b, &a->m, i + j);
        fem_batch_load(&s->X, &s->t, &a->b, a->b.rest);
        fem_batch_load(&s->u, &s->t, &a->b, a->u);
    }
    TEAM_SYNC();
    for (int q = 0; q < a->b.rule.points; q++) {
        LANES (j, 1) fem_batch_jacobian(&s->p, &s->t, &s->X, &a->b.rule, q + j);
        TEAM_SYNC();
        LANES (n, a->b.rule.nodes) fem_batch_slope(&s->p, &a->b.rule, q, n);
        TEAM_SYNC();
        LANES (j, 1) fem_tangent_point(a, s, project + j);
        TEAM_SYNC();
        LANES (n, a->b.rule.nodes) fem_tangent_node(s, n);
        TEAM_SYNC();
        LANES (j, a->node_pairs)
            fem_tangent_pair(s, a->node_pair[j] >> 8, a->node_pair[j] & 255, K + (ptrdiff_t)j * MATRIX);
        TEAM_SYNC();
    }
#if PIO_LANE_LOOPS
    const int numbers = a->node_pairs * MATRIX;
    packs_store(a->out + (ptrdiff_t)a->first_node_pair * MATRIX + (ptrdiff_t)i * numbers, numbers, s->t.m, K, numbers);
#endif
}

/* Sets the element matrix of element i. */
PIO_FN void fem_tangent(int i, fem_tangent_shared *s, const fem_tangent_args *a)
{
    fem_tangent_of(i, s, a, 0);
}

/* The same for the projected tangent. */
typedef fem_tangent_shared fem_tangent_projected_shared;

/* Sets the element matrix of element i with the projected tangent. */
PIO_FN void fem_tangent_projected(int i, fem_tangent_projected_shared *s, const fem_tangent_projected_args *a)
{
    fem_tangent_of(i, s, a, 1);
}

/* How many blocks ahead the node pairs of a block are prefetched: they are strewn over the element matrices. */
enum { ASSEMBLE_AHEAD = 16 };

/* Prefetches the node pairs of block b. */
PIO_FN void fem_assemble_prefetch(int b, const fem_assemble_args *a)
{
    for (int j = a->start[b]; j < a->start[b + 1]; j++) {
        const real *in = a->element_matrices + (ptrdiff_t)(a->source[j] >> 1) * MATRIX;
        PIO_PREFETCH(in, 0);
        PIO_PREFETCH(in + MATRIX - 1, 0);
    }
}

/* Sets block b of the matrix as the sum of its node pairs, transposed where source says so; rows and columns of
 * constrained unknowns become those of the unit matrix. */
PIO_FN void fem_assemble(int b, const fem_assemble_args *a)
{
    const int row = a->row[b], column = a->column[b];
    mat K = mat_diag(R(0)), turned = mat_diag(R(0));
    if (b < a->blocks - ASSEMBLE_AHEAD) fem_assemble_prefetch(b + ASSEMBLE_AHEAD, a);
    for (int j = a->start[b]; j < a->start[b + 1]; j++) {
        const mat in = block_load(a->element_matrices, a->source[j] >> 1);
        const real weight = a->weight ? a->weight[j] : R(1);
        if (a->source[j] & 1)
            turned = mat_axpby(R(1), turned, weight, in);
        else
            K = mat_axpby(R(1), K, weight, in);
    }
    K = mat_axpby(R(1), K, R(1), mat_transpose(turned));
    for (int c = 0; c < MATRIX; c++) {
        const int i = c / DIM, k = c % DIM,
                  open = !(a->constrained[row] >> i & 1) && !(a->constrained[column] >> k & 1);
        a->out[(ptrdiff_t)b * MATRIX + c] = open ? K.m[i][k] : row == column && i == k ? R(1) : R(0);
    }
}

#endif
