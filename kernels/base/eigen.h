/* eigen.h -- principal values of a symmetric tensor in three directions, in descending order, and their adjoint. */
#ifndef PIOLA_KERNELS_EIGEN_H
#define PIOLA_KERNELS_EIGEN_H

#include "kernels/base/vec.h"

/* Principal values, the largest first, and the directions of those that are not along x3 alone. */
typedef struct {
    real value[3];
    int third; /* 2D: number of the value that is t33; 3D: -1 */
    mat n;     /* its columns are the directions of the others, in their order */
} principal_values;

/* Puts value j before value i where it is larger. */
PIO_FN void principal_swap(principal_values *p, int i, int j)
{
    const real value = p->value[i];
    if (!(p->value[j] > value)) return;
    p->value[i] = p->value[j];
    p->value[j] = value;
    for (int c = 0; c < DIM; c++) {
        const real x = p->n.m[c][i];
        p->n.m[c][i] = p->n.m[c][j];
        p->n.m[c][j] = x;
    }
}

/* Turns the axes i and j so that t_ij vanishes, and V with them: tan of the angle is the smaller root of
 * t^2 + 2 t (t_jj - t_ii)/(2 t_ij) - 1 = 0 (Golub and Van Loan 2013, section 8.5). */
PIO_FN void principal_turn_axes(mat *t, mat *V, int i, int j)
{
    const real p = t->m[i][j];
    if (!(fabs(p) > R(0))) return;
    const real d = t->m[j][j] - t->m[i][i], root = sqrt(d * d + R(4) * p * p);
    const real tangent = R(2) * p / (d < R(0) ? d - root : d + root);
    const real c = R(1) / sqrt(R(1) + tangent * tangent), s = c * tangent;
    for (int k = 0; k < DIM; k++) {
        const real x = t->m[k][i], v = V->m[k][i];
        t->m[k][i] = c * x - s * t->m[k][j];
        t->m[k][j] = s * x + c * t->m[k][j];
        V->m[k][i] = c * v - s * V->m[k][j];
        V->m[k][j] = s * v + c * V->m[k][j];
    }
    for (int k = 0; k < DIM; k++) {
        const real x = t->m[i][k];
        t->m[i][k] = c * x - s * t->m[j][k];
        t->m[j][k] = s * x + c * t->m[j][k];
    }
}

/* How many sweeps are made at most: 3 to 6 do, quadratic at the end. */
enum { PRINCIPAL_SWEEPS = 15 };

/* Returns the principal values of the symmetric tensor t, of which t33 is apart in 2D, by Jacobi's rotations. */
PIO_FN principal_values principal_values_of(mat t, real t33)
{
    const real small = sizeof(real) == 4 ? R(1e-8) : R(1e-17);
    principal_values p;
    p.n = mat_diag(R(1));
    for (int sweep = 0; sweep < PRINCIPAL_SWEEPS; sweep++) {
        real off = R(0);
        for (int i = 0; i < DIM; i++)
            for (int j = i + 1; j < DIM; j++) off += t.m[i][j] * t.m[i][j];
        if (!(off > small * small * mat_ddot(t, t))) break;
        for (int i = 0; i < DIM; i++)
            for (int j = i + 1; j < DIM; j++) principal_turn_axes(&t, &p.n, i, j);
    }
    for (int i = 0; i < DIM; i++) p.value[i] = t.m[i][i];
    principal_swap(&p, 0, 1);
    if (DIM == 3) {
        principal_swap(&p, 1, DIM - 1);
        principal_swap(&p, 0, 1);
        p.third = -1;
        return p;
    }
    p.third = t33 > p.value[0] ? 0 : t33 > p.value[1] ? 1 : 2;
    for (int i = 2; i > p.third; i--) p.value[i] = p.value[i - 1];
    p.value[p.third] = t33;
    return p;
}

/* Adjoint of principal_values_of: adds to t_bar and t33_bar, by dvalue = n . dt n. Where values are equal each has the
 * directions that were found; what does not depend on their choice, such as the sum of equal ones, is right. */
PIO_FN void principal_values_adj(const principal_values *p, const real value_bar[3], mat *t_bar, real *t33_bar)
{
    for (int i = 0, k = 0; i < 3; i++) {
        if (i == p->third) {
            *t33_bar += value_bar[i];
            continue;
        }
        const vec n = mat_column(p->n, k++);
        *t_bar = mat_axpby(R(1), *t_bar, value_bar[i], mat_outer(n, n));
    }
}

#endif
