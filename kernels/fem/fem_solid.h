/* fem_solid.h -- internal forces of hyperelastic elements, their adjoint with respect to displacement, constants,
 * thickness and rest positions, and the element's tangent.
 *
 *     f_a = sum_q V_q P(F) g_a,    F = I + grad u,    V_q = weight det(dX/dxi) thickness */
#ifndef PIOLA_KERNELS_FEM_SOLID_H
#define PIOLA_KERNELS_FEM_SOLID_H

#include "kernels/fem/fem_solid_args.h"
#include "kernels/fem/fem.h"
#include "kernels/material/hyperelastic_project.h"
#include "kernels/material/hyperelastic_rest.h"

/* Returns the deformation gradient F = I + grad u at point p of element i of the block. */
PIO_FN mat fem_deformation(const fem_block *b, int i, const fem_point *p, const real *u)
{
    return mat_axpby(R(1), mat_diag(R(1)), R(1), fem_gradient(b, i, p, u));
}

/* Sets the nodal forces f_a = sum_q V P(F) g_a of element i, N. */
PIO_FN void fem_force(int i, const fem_force_args *a)
{
    const int nodes = a->b.rule.nodes, e = a->b.first + i;
    const hyper_constants k = fem_constants_of(&a->m, e);
    real *f = a->out + ((ptrdiff_t)a->b.first_element_node + (ptrdiff_t)i * nodes) * DIM;
    for (int c = 0; c < nodes * DIM; c++) f[c] = R(0);
    for (int q = 0; q < a->b.rule.points; q++) {
        const fem_point p = fem_point_at(&a->b, i, q);
        const mat P = hyper_P(a->m.law[e], fem_deformation(&a->b, i, &p, a->u), k);
        for (int n = 0; n < nodes; n++)
            for (int c = 0; c < DIM; c++)
                for (int d = 0; d < DIM; d++) f[n * DIM + c] += p.volume * P.m[c][d] * p.g[n][d];
    }
}

/* Adds V M g_a to each node a of an element vector `out` of [nodes][DIM] numbers: the internal force of a stress M at
 * one point. */
PIO_FN void fem_element_add(real *out, int nodes, const fem_point *p, mat M)
{
    for (int n = 0; n < nodes; n++)
        for (int c = 0; c < DIM; c++)
            for (int d = 0; d < DIM; d++) out[n * DIM + c] += p->volume * M.m[c][d] * p->g[n][d];
}

/* Sets the cotangents at element i's nodes, and adds those of its constants and thickness. */
PIO_FN void fem_force_adj(int i, const fem_force_adj_args *s)
{
    const fem_force_args *a = &s->fwd;
    const int nodes = a->b.rule.nodes, e = a->b.first + i, law = a->m.law[e];
    const ptrdiff_t at = ((ptrdiff_t)a->b.first_element_node + (ptrdiff_t)i * nodes) * DIM;
    const hyper_constants k = fem_constants_of(&a->m, e);
    hyper_constants k_bar;
    real thick_bar = R(0);
    for (int c = 0; c < PIO_LAW_CONSTANTS; c++) k_bar.k[c] = R(0);
    for (int c = 0; c < nodes * DIM; c++) {
        s->u_bar[at + c] = R(0);
        if (s->rest_bar) s->rest_bar[at + c] = R(0);
        if (s->force) s->force[at + c] = R(0);
    }
    for (int q = 0; q < a->b.rule.points; q++) {
        const fem_point p = fem_point_at(&a->b, i, q);
        const mat G = fem_gradient(&a->b, i, &p, a->u), F = mat_axpby(R(1), mat_diag(R(1)), R(1), G);
        const mat L = fem_gradient(&a->b, i, &p, s->y), dP = hyper_dP(law, F, L, k);
        fem_element_add(s->u_bar + at, nodes, &p, dP);
        if (s->k_bar) hyper_theta(law, F, mat_scale(p.volume, L), k, &k_bar);
        if (!s->rest_bar && !s->thick_bar) continue;
        const mat P = hyper_P(law, F, k);
        const real PL = mat_ddot(P, L);
        thick_bar += p.area * PL;
        if (s->force) fem_element_add(s->force + at, nodes, &p, P);
        const mat GdP = mat_t_mul(G, dP), LP = mat_t_mul(L, P);
        if (s->rest_bar)
            fem_element_add(s->rest_bar + at, nodes, &p,
                            mat_axpby(R(1), mat_axpby(R(1), mat_diag(PL), R(-1), GdP), R(-1), LP));
    }
    if (s->k_bar)
        for (int c = 0; c < PIO_LAW_CONSTANTS; c++)
            s->k_bar[field_at(a->m.elements, PIO_LAW_CONSTANTS, c, e)] += k_bar.k[c];
    if (s->thick_bar) s->thick_bar[e] += thick_bar;
}

/* ---- strain energy of an element, J; infinite where the law is not defined --------------------------------- */

/* Returns the strain energy of element i, J, or 1e300 where the law is not defined. */
PIO_FN wide fem_energy(int i, const fem_energy_args *a)
{
    const int e = a->b.first + i, law = a->m.law[e];
    const hyper_constants k = fem_constants_of(&a->m, e);
    wide sum = W(0);
    for (int q = 0; q < a->b.rule.points; q++) {
        const fem_point p = fem_point_at(&a->b, i, q);
        const mat F = fem_deformation(&a->b, i, &p, a->u);
        if (!hyper_admits(law, F)) return W(1e300);
        sum += W(p.volume) * W(hyper_psi(law, F, k));
    }
    return sum;
}

/* ---- tangent: blocks K_ab = sum_q V g_a . A . g_b of the node pairs with b >= a ----------------------
 * A_iJkL = dP_iJ/dF_kL;  K_ab,ik = sum_JL g_aJ A_iJkL g_bL. The law's Hessian is symmetric, so K_ba = K_ab^T. The
 * projected tangent has A+ of hyperelastic_project.h for A: no element's matrix is indefinite. */

/* What the lanes of a team share of one quadrature point. */
typedef struct {
    fem_point p;                        /* gradients and volume */
    real A[DIM][DIM][MATRIX];           /* [J][L][i, k], times the volume */
    real T[ELEMENT_NODES][DIM][MATRIX]; /* [L][i, k] = sum_J g_aJ A */
} fem_tangent_shared;

/* Sets what all lanes read of quadrature point q of element i: the point, and V A, with `project` V A+. */
PIO_FN void fem_tangent_point(const fem_tangent_args *a, fem_tangent_shared *s, int i, int q, int project)
{
    const int e = a->b.first + i;
    real A[MATRIX][MATRIX];
    s->p = fem_point_at(&a->b, i, q);
    hyper_tangent(a->m.law[e], fem_deformation(&a->b, i, &s->p, a->u), fem_constants_of(&a->m, e), A);
    if (project) hyper_project(A);
    for (int J = 0; J < DIM; J++)
        for (int L = 0; L < DIM; L++)
            for (int c = 0; c < DIM; c++)
                for (int k = 0; k < DIM; k++) s->A[J][L][c * DIM + k] = s->p.volume * A[c * DIM + J][k * DIM + L];
}

/* Sets the element matrix of element i, with A or its projection. */
PIO_FN void fem_tangent_of(int i, fem_tangent_shared *s, const fem_tangent_args *a, int project)
{
    real *out = a->out + ((ptrdiff_t)a->first_node_pair + (ptrdiff_t)i * a->node_pairs) * MATRIX;
    LANES (j, a->node_pairs)
        for (int c = 0; c < MATRIX; c++) out[(ptrdiff_t)j * MATRIX + c] = R(0);
    for (int q = 0; q < a->b.rule.points; q++) {
        LANES (j, 1) fem_tangent_point(a, s, i, q + j, project);
        TEAM_SYNC();
        LANES (n, a->b.rule.nodes)
            for (int L = 0; L < DIM; L++) {
                PIO_VECTOR
                for (int c = 0; c < MATRIX; c++) {
                    real t = R(0);
                    for (int J = 0; J < DIM; J++) t += s->p.g[n][J] * s->A[J][L][c];
                    s->T[n][L][c] = t;
                }
            }
        TEAM_SYNC();
        LANES (j, a->node_pairs) {
            const int n = a->node_pair[j] >> 8, o = a->node_pair[j] & 255;
            PIO_VECTOR
            for (int c = 0; c < MATRIX; c++) {
                real t = R(0);
                for (int L = 0; L < DIM; L++) t += s->T[n][L][c] * s->p.g[o][L];
                out[(ptrdiff_t)j * MATRIX + c] += t;
            }
        }
        TEAM_SYNC();
    }
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

/* Sets block b of the matrix as the sum of its node pairs, transposed where source says so; rows and columns of
 * constrained unknowns become those of the unit matrix. */
PIO_FN void fem_assemble(int b, const fem_assemble_args *a)
{
    const int row = a->row[b], column = a->column[b];
    real K[MATRIX];
    for (int c = 0; c < MATRIX; c++) K[c] = R(0);
    for (int j = a->start[b]; j < a->start[b + 1]; j++) {
        const real *in = a->element_matrices + (ptrdiff_t)(a->source[j] >> 1) * MATRIX;
        const int transposed = a->source[j] & 1;
        for (int c = 0; c < MATRIX; c++) K[c] += in[transposed ? c % DIM * DIM + c / DIM : c];
    }
    for (int c = 0; c < MATRIX; c++) {
        const int i = c / DIM, k = c % DIM,
                  open = !(a->constrained[row] >> i & 1) && !(a->constrained[column] >> k & 1);
        a->out[(ptrdiff_t)b * MATRIX + c] = open ? K[c] : row == column && i == k ? R(1) : R(0);
    }
}

/* ---- the user's parameters to the constants of the laws ----------------------------------------------------- */

/* Returns the user's parameters of element e, in the form that parameter_form[e] says. */
PIO_FN hyper_constants fem_parameters_of(const fem_constants_args *a, int e)
{
    hyper_constants parameters;
    for (int c = 0; c < PIO_LAW_CONSTANTS; c++)
        parameters.k[c] = a->parameters[field_at(a->n, PIO_LAW_CONSTANTS, c, e)];
    return parameters;
}

/* Sets the constants of the law of element e from the user's parameters, by hyper_from_parameters. */
PIO_FN void fem_constants(int e, const fem_constants_args *a)
{
    const hyper_constants k = hyper_from_parameters(a->law[e], a->parameter_form[e], fem_parameters_of(a, e));
    for (int c = 0; c < PIO_LAW_CONSTANTS; c++) a->k[field_at(a->n, PIO_LAW_CONSTANTS, c, e)] = k.k[c];
}

/* Adds the cotangents of the parameters of element e. */
PIO_FN void fem_constants_adj(int e, const fem_constants_adj_args *b)
{
    const fem_constants_args *a = &b->fwd;
    hyper_constants k_bar, parameters_bar;
    for (int c = 0; c < PIO_LAW_CONSTANTS; c++) {
        k_bar.k[c] = b->k_bar[field_at(a->n, PIO_LAW_CONSTANTS, c, e)];
        parameters_bar.k[c] = R(0);
    }
    hyper_from_parameters_adj(a->law[e], a->parameter_form[e], fem_parameters_of(a, e), k_bar, &parameters_bar);
    for (int c = 0; c < PIO_LAW_CONSTANTS; c++)
        b->parameters_bar[field_at(a->n, PIO_LAW_CONSTANTS, c, e)] += parameters_bar.k[c];
}

/* ---- before the first step: volumes positive, constants in range ------------------------------------------ */

/* Lowers the fault where element i has a volume that is not positive, or constants that its law does not allow. */
PIO_FN void fem_check(int i, const fem_check_args *a)
{
    const int e = a->b.first + i;
    int fault = -1;
    for (int q = 0; q < a->b.rule.points; q++)
        if (!(fem_point_at(&a->b, i, q).volume > R(0))) fault = FEM_INVERTED_REST;
    if (a->m.law) {
        const hyper_constants k = fem_constants_of(&a->m, e);
        for (int c = 0; c < PIO_LAW_CONSTANTS; c++)
            if (!is_finite(k.k[c])) fault = FEM_CONSTANT;
        if (!(a->m.density[e] >= R(0)) || !hyper_constants_hold(a->m.law[e], k)) fault = FEM_CONSTANT;
    }
    if (fault >= 0) atomic_min_u64(&a->step->fault, fem_fault_key(e, fault));
}

/* Lowers the fault where the law of element i is not defined at one of its points. */
PIO_FN void fem_admit(int i, const fem_admit_args *a)
{
    const int e = a->b.first + i;
    int admitted = 1;
    for (int q = 0; q < a->b.rule.points; q++) {
        const fem_point p = fem_point_at(&a->b, i, q);
        admitted &= hyper_admits(a->m.law[e], fem_deformation(&a->b, i, &p, a->u));
    }
    if (!admitted) atomic_min_u64(&a->step->fault, fem_fault_at(a->step->index, e, FEM_INADMISSIBLE));
}

#endif
