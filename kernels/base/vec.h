/* vec.h -- vectors and matrices of the engine's dimension as plain values, and their loads and stores.
 *
 * A field has n items of several components; field_at says where component c of item i is, and nothing else may
 * know. Matrices are row-major: component DIM*row + column. Kernels access fields only through field_at and the load
 * and store functions below. A comment says [n][components] for such an array. */
#ifndef PIOLA_KERNELS_VEC_H
#define PIOLA_KERNELS_VEC_H

#include "kernels/base/base.h"

typedef struct {
    real x[DIM];
} vec;
typedef struct {
    real m[DIM][DIM];
} mat;

/* Returns the zero vector. */
PIO_FN vec vec_zero(void)
{
    vec r;
    PIO_UNROLL
    for (int a = 0; a < DIM; a++) r.x[a] = R(0);
    return r;
}

/* Returns alpha a + beta b. */
PIO_FN vec vec_axpby(real alpha, vec a, real beta, vec b)
{
    vec r;
    PIO_UNROLL
    for (int i = 0; i < DIM; i++) r.x[i] = alpha * a.x[i] + beta * b.x[i];
    return r;
}

/* Returns s a. */
PIO_FN vec vec_scale(real s, vec a)
{
    PIO_UNROLL
    for (int i = 0; i < DIM; i++) a.x[i] *= s;
    return a;
}

/* Returns a . b. */
PIO_FN real vec_dot(vec a, vec b)
{
    real s = a.x[0] * b.x[0];
    PIO_UNROLL
    for (int i = 1; i < DIM; i++) s += a.x[i] * b.x[i];
    return s;
}

/* Returns s times the identity. */
PIO_FN mat mat_diag(real s)
{
    mat r;
    PIO_UNROLL
    for (int i = 0; i < DIM; i++) {
        PIO_UNROLL
        for (int j = 0; j < DIM; j++) r.m[i][j] = i == j ? s : R(0);
    }
    return r;
}

/* Returns alpha a + beta b. */
PIO_FN mat mat_axpby(real alpha, mat a, real beta, mat b)
{
    mat r;
    PIO_UNROLL
    for (int i = 0; i < DIM; i++) {
        PIO_UNROLL
        for (int j = 0; j < DIM; j++) r.m[i][j] = alpha * a.m[i][j] + beta * b.m[i][j];
    }
    return r;
}

/* Returns s a. */
PIO_FN mat mat_scale(real s, mat a)
{
    PIO_UNROLL
    for (int i = 0; i < DIM; i++) {
        PIO_UNROLL
        for (int j = 0; j < DIM; j++) a.m[i][j] *= s;
    }
    return a;
}

/* Returns a^T. */
PIO_FN mat mat_transpose(mat a)
{
    mat r;
    PIO_UNROLL
    for (int i = 0; i < DIM; i++) {
        PIO_UNROLL
        for (int j = 0; j < DIM; j++) r.m[i][j] = a.m[j][i];
    }
    return r;
}

/* Returns the product a b. */
PIO_FN mat mat_mul(mat a, mat b)
{
    mat r;
    PIO_UNROLL
    for (int i = 0; i < DIM; i++) {
        PIO_UNROLL
        for (int j = 0; j < DIM; j++) {
            real s = a.m[i][0] * b.m[0][j];
            PIO_UNROLL
            for (int k = 1; k < DIM; k++) s += a.m[i][k] * b.m[k][j];
            r.m[i][j] = s;
        }
    }
    return r;
}

/* Returns a b^T. */
PIO_FN mat mat_mul_t(mat a, mat b)
{
    return mat_mul(a, mat_transpose(b));
}
/* Returns a^T b. */
PIO_FN mat mat_t_mul(mat a, mat b)
{
    return mat_mul(mat_transpose(a), b);
}

/* Returns column c of a matrix. */
PIO_FN vec mat_column(mat a, int c)
{
    vec r;
    PIO_UNROLL
    for (int i = 0; i < DIM; i++) r.x[i] = a.m[i][c];
    return r;
}

/* Returns a v. */
PIO_FN vec mat_apply(mat a, vec v)
{
    vec r;
    PIO_UNROLL
    for (int i = 0; i < DIM; i++) {
        real s = a.m[i][0] * v.x[0];
        PIO_UNROLL
        for (int j = 1; j < DIM; j++) s += a.m[i][j] * v.x[j];
        r.x[i] = s;
    }
    return r;
}

/* Returns a^T v. */
PIO_FN vec mat_t_apply(mat a, vec v)
{
    return mat_apply(mat_transpose(a), v);
}

/* Returns the outer product u v^T. */
PIO_FN mat mat_outer(vec u, vec v)
{
    mat r;
    PIO_UNROLL
    for (int i = 0; i < DIM; i++) {
        PIO_UNROLL
        for (int j = 0; j < DIM; j++) r.m[i][j] = u.x[i] * v.x[j];
    }
    return r;
}

/* Returns tr a. */
PIO_FN real mat_trace(mat a)
{
    real s = a.m[0][0];
    PIO_UNROLL
    for (int i = 1; i < DIM; i++) s += a.m[i][i];
    return s;
}

/* Returns a : b = sum_ij a_ij b_ij. */
PIO_FN real mat_ddot(mat a, mat b)
{
    real s = R(0);
    PIO_UNROLL
    for (int i = 0; i < DIM; i++) {
        PIO_UNROLL
        for (int j = 0; j < DIM; j++) s += a.m[i][j] * b.m[i][j];
    }
    return s;
}

/* Bilinear cofactor form: cof(a) = mat_cofactor2(a, a), and d cof(a) = mat_cofactor2(a, da) + mat_cofactor2(da, a) in
 * 3D. In 2D the cofactor is linear, and so is its derivative. cof(a) = det(a) a^-T. */
#if PIO_DIM == 3
/* Returns r with r_ij = a_(i+1)(j+1) b_(i+2)(j+2) - a_(i+1)(j+2) b_(i+2)(j+1), indices modulo 3. */
PIO_FN mat mat_cofactor2(mat a, mat b)
{
    mat r;
    PIO_UNROLL
    for (int i = 0; i < 3; i++) {
        const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
        PIO_UNROLL
        for (int j = 0; j < 3; j++) {
            const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            r.m[i][j] = a.m[i1][j1] * b.m[i2][j2] - a.m[i1][j2] * b.m[i2][j1];
        }
    }
    return r;
}

/* Returns cof(a), which is det(a) a^-T where that exists. */
PIO_FN mat mat_cofactor(mat a)
{
    return mat_cofactor2(a, a);
}

/* Returns the derivative of cof(a) along da. */
PIO_FN mat mat_cofactor_tan(mat a, mat da)
{
    return mat_axpby(R(1), mat_cofactor2(a, da), R(1), mat_cofactor2(da, a));
}
#else
/* Returns cof(a), which is det(a) a^-T where that exists. */
PIO_FN mat mat_cofactor(mat a)
{
    mat r;
    r.m[0][0] = a.m[1][1];
    r.m[0][1] = -a.m[1][0];
    r.m[1][0] = -a.m[0][1];
    r.m[1][1] = a.m[0][0];
    return r;
}

/* Returns the derivative of cof(a) along da. */
PIO_FN mat mat_cofactor_tan(mat a, mat da)
{
    (void)a;
    return mat_cofactor(da);
}
#endif

/* Returns det(a) by expansion along the first row, with `cof` = cof(a). */
PIO_FN real mat_det(mat a, mat cof)
{
    real s = a.m[0][0] * cof.m[0][0];
    PIO_UNROLL
    for (int j = 1; j < DIM; j++) s += a.m[0][j] * cof.m[0][j];
    return s;
}

/* ---- loads and stores: `n` is the number of items in the array, `i` the item -----------------------------
 *
 * The build constant PIO_BLOCK is the layout: blocks of so many items, within a block component after component, the
 * last block padded. It is 1: an item has a record of its components, so that what is read of it, wherever it is
 * stored, lies side by side. Nothing but field_at and lanes.h depends on it (tests/solvers/mpm/test_layout.c). A field
 * takes field_size numbers. */
#ifndef PIO_BLOCK
#define PIO_BLOCK 1
#endif

/* Returns the index of component c of item i in a field of n items. */
PIO_FN ptrdiff_t field_at(int n, int components, int c, int i)
{
    (void)n;
    const unsigned item = (unsigned)i; /* so that a power of two is a shift */
    return ((ptrdiff_t)(item / PIO_BLOCK) * components + c) * PIO_BLOCK + item % PIO_BLOCK;
}

/* Returns the numbers that a field of n items takes, padding included. */
PIO_FN size_t field_size(int n, int components)
{
    return (size_t)(n + PIO_BLOCK - 1) / PIO_BLOCK * PIO_BLOCK * (size_t)components;
}

/* Returns the vector of item i of a field of DIM components. */
PIO_FN vec vec_load(const real *a, int n, int i)
{
    vec r;
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) r.x[c] = a[field_at(n, DIM, c, i)];
    return r;
}

/* Sets the vector of item i of a field of DIM components. */
PIO_FN void vec_store(real *a, int n, int i, vec v)
{
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) a[field_at(n, DIM, c, i)] = v.x[c];
}

/* Returns the matrix of item i of a field of DIM * DIM components. */
PIO_FN mat mat_load(const real *a, int n, int i)
{
    mat r;
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) {
        PIO_UNROLL
        for (int d = 0; d < DIM; d++) r.m[c][d] = a[field_at(n, DIM * DIM, DIM * c + d, i)];
    }
    return r;
}

/* Returns the matrix of DIM * DIM numbers that lie one after the other, row by row. */
PIO_FN mat mat_of(const real *a)
{
    mat r;
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) {
        PIO_UNROLL
        for (int d = 0; d < DIM; d++) r.m[c][d] = a[DIM * c + d];
    }
    return r;
}

/* Sets the matrix of item i of a field of DIM * DIM components. */
PIO_FN void mat_store(real *a, int n, int i, mat v)
{
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) {
        PIO_UNROLL
        for (int d = 0; d < DIM; d++) a[field_at(n, DIM * DIM, DIM * c + d, i)] = v.m[c][d];
    }
}

#endif
