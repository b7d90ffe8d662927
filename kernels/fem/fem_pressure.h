/* fem_pressure.h -- a nearly incompressible body's linear system with the pressures of its elements beside the
 * displacements, so that Krylov methods do not meet a large bulk modulus (Brezzi and Fortin 1991, chapter VI; Elman,
 * Silvester and Wathen 2014, chapter 4).
 *
 * An element whose dilatation is projected (fem_dilatation.h) resists the coefficients c_m of theta, whose gradients
 * are rows b_m, with a bulk modulus; the part kappa' of it above that of an element of nu = 0.3 goes into pressures:
 *
 *     K = A + sum_m kappa' d_m b_m^T b_m,    (A  B^T) (u)   (f)
 *                                            (B  -C ) (p) = (0)    has the u of K u = f,
 *
 * with B_m = s_m b_m, C_m = s_m^2/(kappa' d_m) and p_m = kappa' d_m b_m u/s_m. With s_m = kappa' d_m |b_m| the residual
 * of row m is a force, as large as what it makes of that of K u = f. The preconditioner is that of A, and for pressures
 * 1/(s_m^2/d_m (1/(mu + kappa_0) + 1/kappa')), kappa_0 = 3/2 mu + 2/DIM mu, as b A^-1 b^T is about 1/(d (mu +
 * kappa_0)). A is at hand as A u = K u - sum_m kappa' d_m b_m^T b_m u, so that the first row is computed as
 *     K u + B^T (p - B u/C). */
#ifndef PIOLA_KERNELS_FEM_PRESSURE_H
#define PIOLA_KERNELS_FEM_PRESSURE_H

#include "kernels/fem/fem_dilatation.h"
#include "kernels/fem/fem_pressure_args.h"
#include "kernels/fem/fem_solid.h"
#include "kernels/material/hyperelastic_rest.h"

/* Sets kappa' = lambda - 3/2 mu of element i at rest, or 0 where nu <= 0.49. */
PIO_FN void fem_pressure_moduli(int i, const fem_pressure_moduli_args *a)
{
    const int e = a->b.first + i;
    real mu, lambda;
    hyper_rest_moduli(a->m.law[e], fem_constants_of(&a->m, e), &mu, &lambda);
    a->moduli[e] = a->b.dilatations && lambda > PRESSURE_FROM * mu ? lambda - PRESSURE_REST * mu : R(0);
}

/* Sets b [nodes][DIM] = (1/d) sum_q V phi_m dJ/dF g_a of element i, 0 at prescribed components, and returns |b|^2. */
PIO_FN real fem_pressure_row(int i, const fem_pressure_open_args *a, const fem_dilatation *t, int m, real *b)
{
    const int nodes = a->b.rule.nodes, law = a->m.law[a->b.first + i];
    const int *node = a->b.node + (ptrdiff_t)i * nodes;
    pack d = t->gram.d[m];
    real square = R(0);
    for (int c = 0; c < nodes * DIM; c++) b[c] = R(0);
    for (int q = 0; q < a->b.rule.points; q++) {
        const fem_point p = fem_point_at(&a->b, i, q);
        pack phi[DILATATION_FUNCTIONS];
        fem_gram_functions(&t->gram, &a->b.rule, q, phi);
        const mat F = mat_axpby(R(1), mat_diag(hyper_diagonal(law)), R(1), fem_gradient(&a->b, i, &p, a->u));
        const real part = pack_lanes(&phi[m])[0] / pack_lanes(&d)[0];
        fem_element_add(b, nodes, &p, mat_scale(part, dilatation_slope(law, F)));
    }
    for (int c = 0; c < nodes * DIM; c++) {
        if (a->constrained[node[c / DIM]] >> c % DIM & 1) b[c] = R(0);
        square += b[c] * b[c];
    }
    return square;
}

/* Sets the rows of B, C and the preconditioner of element i. An element without pressures has B = 0 and C = 1, as has
 * one whose components are all prescribed. */
PIO_FN void fem_pressure_open(int i, const fem_pressure_open_args *a)
{
    const int e = a->b.first + i, numbers = a->b.rule.nodes * DIM;
    const real kappa = a->moduli[e];
    const fem_dilatation t = fem_dilatation_of(&a->b, i, a->m.law[e], a->u);
    real mu, lambda;
    hyper_rest_moduli(a->m.law[e], fem_constants_of(&a->m, e), &mu, &lambda);
    for (int m = 0; m < a->b.dilatations; m++) {
        const ptrdiff_t row = (ptrdiff_t)i * a->b.dilatations + m;
        real *b = a->B + row * numbers;
        pack lanes = t.gram.d[m];
        const real d = pack_lanes(&lanes)[0], square = fem_pressure_row(i, a, &t, m, b);
        const int open = kappa > R(0) && square > R(0);
        const real s = open ? kappa * d * sqrt(square) : R(0);
        for (int c = 0; c < numbers; c++) b[c] *= s;
        const real rest = mu + (PRESSURE_REST + R(2) / R(DIM)) * mu;
        a->compliance[a->first_pressure + row] = open ? s * s / (kappa * d) : R(1);
        a->inverse[a->first_pressure + row] = open ? d / (s * s * (R(1) / rest + R(1) / kappa)) : R(1);
    }
}

/* Sets what the pressures of element i give to its nodes, and their own rows. */
PIO_FN void fem_pressure_apply(int i, const fem_pressure_apply_args *a)
{
    const int nodes = a->b.rule.nodes, *node = a->b.node + (ptrdiff_t)i * nodes;
    real *out = a->out + ((ptrdiff_t)a->b.first_element_node + (ptrdiff_t)i * nodes) * DIM;
    for (int c = 0; c < nodes * DIM; c++) out[c] = R(0);
    for (int m = 0; m < a->b.dilatations; m++) {
        const ptrdiff_t row = (ptrdiff_t)i * a->b.dilatations + m;
        const real *B = a->B + row * nodes * DIM, C = a->compliance[a->first_pressure + row];
        real sum = R(0);
        for (int c = 0; c < nodes * DIM; c++) sum += B[c] * a->u[(ptrdiff_t)node[c / DIM] * DIM + c % DIM];
        const real p = a->p[a->first_pressure + row], q = p - sum / C;
        a->p_out[a->first_pressure + row] = sum - C * p;
        for (int c = 0; c < nodes * DIM; c++) out[c] += q * B[c];
    }
}

/* Sets number i of the pressures' preconditioner applied to a vector. */
PIO_FN void fem_pressure_scale(int i, const fem_pressure_scale_args *a)
{
    a->out[i] = a->inverse[i] * a->in[i];
}

#endif
