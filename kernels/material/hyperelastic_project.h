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

/* Rows of a tangent; most rows of any matrix here, that of dilatation.h; most sweeps of rotations over one. */
enum { PROJECT_SIDE = DIM * DIM, PROJECT_MOST = DIM * DIM + 1, PROJECT_SWEEPS = 16 };

/* A matrix of so many rows, its upper left part, and the product of the rotations. */
typedef struct {
    int side;
    real B[PROJECT_MOST][PROJECT_MOST], V[PROJECT_MOST][PROJECT_MOST];
} project_state;

/* Applies the rotation J in the plane of axes p and q that makes B_pq zero: B = J^T B J, V = V J. B_pq is not 0. */
PIO_FN void project_rotate(project_state *s, int p, int q)
{
    real(*B)[PROJECT_MOST] = s->B, (*V)[PROJECT_MOST] = s->V;
    const real tau = (B[q][q] - B[p][p]) / (R(2) * B[p][q]), root = sqrt(R(1) + tau * tau);
    const real t = tau >= R(0) ? R(1) / (tau + root) : R(1) / (tau - root);
    const real c = R(1) / sqrt(R(1) + t * t), z = t * c;
    for (int k = 0; k < s->side; k++) {
        const real x = B[k][p], y = B[k][q], v = V[k][p], w = V[k][q];
        B[k][p] = c * x - z * y;
        B[k][q] = z * x + c * y;
        V[k][p] = c * v - z * w;
        V[k][q] = z * v + c * w;
    }
    for (int k = 0; k < s->side; k++) {
        const real x = B[p][k], y = B[q][k];
        B[p][k] = c * x - z * y;
        B[q][k] = z * x + c * y;
    }
}

/* Returns the sum of squares off the diagonal of B, and sets *all to that of all its numbers. */
PIO_FN real project_off(const project_state *s, real *all)
{
    real off = R(0);
    *all = R(0);
    for (int i = 0; i < s->side; i++)
        for (int j = 0; j < s->side; j++) {
            *all += s->B[i][j] * s->B[i][j];
            if (i != j) off += s->B[i][j] * s->B[i][j];
        }
    return off;
}

/* Replaces A [side][side], symmetric, side <= PROJECT_MOST, by A+ and returns how many eigenvalues were negative. A
 * that is not finite is left alone. */
PIO_OUTLINE_FN int project_matrix(int side, real *A)
{
    const real eps = sizeof(real) == 4 ? R(6e-8) : R(1.1e-16);
    project_state s;
    real all = R(0);
    int negative = 0;
    s.side = side;
    for (int i = 0; i < side; i++)
        for (int j = 0; j < side; j++) {
            s.B[i][j] = R(0.5) * (A[i * side + j] + A[j * side + i]);
            s.V[i][j] = R(i == j);
        }
    for (int sweep = 0; sweep < PROJECT_SWEEPS; sweep++) {
        if (!(project_off(&s, &all) > eps * eps * all)) break;
        for (int p = 0; p < side; p++)
            for (int q = p + 1; q < side; q++)
                if (s.B[p][q] * s.B[p][q] > eps * eps * R(1e-4) * all) project_rotate(&s, p, q);
    }
    project_off(&s, &all);
    if (!is_finite(all)) return 0;
    for (int k = 0; k < side; k++) {
        if (!(s.B[k][k] < -R(16) * eps * sqrt(all))) continue;
        negative++;
        for (int i = 0; i < side; i++)
            for (int j = 0; j < side; j++) A[i * side + j] -= s.B[k][k] * (s.V[i][k] * s.V[j][k]);
    }
    return negative;
}

/* The same of a tangent. */
PIO_FN int hyper_project(real A[PROJECT_SIDE][PROJECT_SIDE])
{
    return project_matrix(PROJECT_SIDE, &A[0][0]);
}

#endif
