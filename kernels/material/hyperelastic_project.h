/* hyperelastic_project.h -- the tangent of a law without its negative part: what Newton's method puts in place of a
 * Hessian that is not positive (Teran, Sifakis, Irving and Fedkiw 2005, section 5; Smith, de Goes and Kim 2019).
 *
 *     A = sum_k l_k v_k v_k^T,   A+ = sum_k max(l_k, 0) v_k v_k^T = A - sum_{l_k < 0} l_k v_k v_k^T
 *
 * for the symmetric DIM^2 x DIM^2 matrix A of hyper_tangent, of any law, its eigenvectors by Jacobi's rotations (Golub
 * and Van Loan 2013, section 8.5). Where no l_k is negative by more than rounding, A keeps its bits. */
#ifndef PIOLA_KERNELS_HYPERELASTIC_PROJECT_H
#define PIOLA_KERNELS_HYPERELASTIC_PROJECT_H

#include "kernels/base/vec.h"

/* Rows of a tangent, and most sweeps of rotations over it. */
enum { PROJECT_SIDE = DIM * DIM, PROJECT_SWEEPS = 16 };

/* Applies the rotation J in the plane of axes p and q that makes B_pq zero: B = J^T B J, V = V J. B_pq is not 0. */
PIO_FN void project_rotate(real B[PROJECT_SIDE][PROJECT_SIDE], real V[PROJECT_SIDE][PROJECT_SIDE], int p, int q)
{
    const real tau = (B[q][q] - B[p][p]) / (R(2) * B[p][q]), root = sqrt(R(1) + tau * tau);
    const real t = tau >= R(0) ? R(1) / (tau + root) : R(1) / (tau - root);
    const real c = R(1) / sqrt(R(1) + t * t), s = t * c;
    for (int k = 0; k < PROJECT_SIDE; k++) {
        const real x = B[k][p], y = B[k][q], v = V[k][p], w = V[k][q];
        B[k][p] = c * x - s * y;
        B[k][q] = s * x + c * y;
        V[k][p] = c * v - s * w;
        V[k][q] = s * v + c * w;
    }
    for (int k = 0; k < PROJECT_SIDE; k++) {
        const real x = B[p][k], y = B[q][k];
        B[p][k] = c * x - s * y;
        B[q][k] = s * x + c * y;
    }
}

/* Returns the sum of squares off the diagonal of B, and sets *all to that of all its numbers. */
PIO_FN real project_off(real B[PROJECT_SIDE][PROJECT_SIDE], real *all)
{
    real off = R(0);
    *all = R(0);
    for (int i = 0; i < PROJECT_SIDE; i++)
        for (int j = 0; j < PROJECT_SIDE; j++) {
            *all += B[i][j] * B[i][j];
            if (i != j) off += B[i][j] * B[i][j];
        }
    return off;
}

/* Replaces A by A+ and returns how many eigenvalues were negative. A that is not finite is left alone. */
PIO_FN int hyper_project(real A[PROJECT_SIDE][PROJECT_SIDE])
{
    const real eps = sizeof(real) == 4 ? R(6e-8) : R(1.1e-16);
    real B[PROJECT_SIDE][PROJECT_SIDE], V[PROJECT_SIDE][PROJECT_SIDE], all = R(0);
    int negative = 0;
    for (int i = 0; i < PROJECT_SIDE; i++)
        for (int j = 0; j < PROJECT_SIDE; j++) {
            B[i][j] = R(0.5) * (A[i][j] + A[j][i]);
            V[i][j] = R(i == j);
        }
    for (int sweep = 0; sweep < PROJECT_SWEEPS; sweep++) {
        if (!(project_off(B, &all) > eps * eps * all)) break;
        for (int p = 0; p < PROJECT_SIDE; p++)
            for (int q = p + 1; q < PROJECT_SIDE; q++)
                if (B[p][q] * B[p][q] > eps * eps * R(1e-4) * all) project_rotate(B, V, p, q);
    }
    project_off(B, &all);
    if (!is_finite(all)) return 0;
    for (int k = 0; k < PROJECT_SIDE; k++) {
        if (!(B[k][k] < -R(16) * eps * sqrt(all))) continue;
        negative++;
        for (int i = 0; i < PROJECT_SIDE; i++)
            for (int j = 0; j < PROJECT_SIDE; j++) A[i][j] -= B[k][k] * (V[i][k] * V[j][k]);
    }
    return negative;
}

#endif
