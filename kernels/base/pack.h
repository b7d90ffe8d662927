/* pack.h -- one number of each of PACK items that a thread works on side by side: a register of a CPU. A GPU, where
 * each thread has an item of its own, and dual numbers have packs of one number.
 *
 * Packs are added, multiplied and divided as numbers are, with each other and with a `real`. */
#ifndef PIOLA_KERNELS_PACK_H
#define PIOLA_KERNELS_PACK_H

#include "kernels/base/series.h"

#if PIO_PACK_BYTES
enum { PACK = PIO_PACK_BYTES / sizeof(real) };
typedef real pack __attribute__((vector_size(PIO_PACK_BYTES), may_alias));
#else
enum { PACK = 1 };
typedef real pack;
#endif

/* Returns the lanes of a pack, [PACK] numbers; those of an array of packs lie one after the other. */
PIO_FN real *pack_lanes(pack *a)
{
    return (real *)a;
}

/* Returns a pack that has the number s in all lanes. */
PIO_FN pack pack_of(real s)
{
#if PIO_PACK_BYTES
    const pack zero = {0};
    return zero + s;
#else
    return s;
#endif
}

/* Returns the natural logarithms of a pack. */
PIO_FN pack pack_log(pack a)
{
    PIO_VECTOR
    for (int j = 0; j < PACK; j++) pack_lanes(&a)[j] = real_log(pack_lanes(&a)[j]);
    return a;
}

/* Returns the roots of order DIM of a pack of positive numbers. */
PIO_FN pack pack_root(pack a)
{
    PIO_VECTOR
    for (int j = 0; j < PACK; j++) pack_lanes(&a)[j] = real_root(pack_lanes(&a)[j]);
    return a;
}

/* ---- matrices of packs, as those of vec.h --------------------------------------------------------------------- */

typedef struct {
    pack m[DIM][DIM];
} pack_mat;

/* Returns s times the identity. */
PIO_FN pack_mat pack_mat_diag(pack s)
{
    pack_mat r;
    PIO_UNROLL
    for (int i = 0; i < DIM; i++) {
        PIO_UNROLL
        for (int j = 0; j < DIM; j++) r.m[i][j] = i == j ? s : pack_of(R(0));
    }
    return r;
}

/* Returns alpha a + beta b. */
PIO_FN pack_mat pack_mat_axpby(pack alpha, pack_mat a, pack beta, pack_mat b)
{
    PIO_UNROLL
    for (int i = 0; i < DIM; i++) {
        PIO_UNROLL
        for (int j = 0; j < DIM; j++) a.m[i][j] = alpha * a.m[i][j] + beta * b.m[i][j];
    }
    return a;
}

/* Returns s a. */
PIO_FN pack_mat pack_mat_scale(pack s, pack_mat a)
{
    PIO_UNROLL
    for (int i = 0; i < DIM; i++) {
        PIO_UNROLL
        for (int j = 0; j < DIM; j++) a.m[i][j] *= s;
    }
    return a;
}

/* Returns a^T. */
PIO_FN pack_mat pack_mat_transpose(pack_mat a)
{
    pack_mat r;
    PIO_UNROLL
    for (int i = 0; i < DIM; i++) {
        PIO_UNROLL
        for (int j = 0; j < DIM; j++) r.m[i][j] = a.m[j][i];
    }
    return r;
}

/* Returns the product a b. */
PIO_FN pack_mat pack_mat_mul(pack_mat a, pack_mat b)
{
    pack_mat r;
    PIO_UNROLL
    for (int i = 0; i < DIM; i++) {
        PIO_UNROLL
        for (int j = 0; j < DIM; j++) {
            r.m[i][j] = a.m[i][0] * b.m[0][j];
            PIO_UNROLL
            for (int k = 1; k < DIM; k++) r.m[i][j] += a.m[i][k] * b.m[k][j];
        }
    }
    return r;
}

/* Returns tr a. */
PIO_FN pack pack_mat_trace(pack_mat a)
{
    pack s = a.m[0][0];
    PIO_UNROLL
    for (int i = 1; i < DIM; i++) s += a.m[i][i];
    return s;
}

/* Returns a : b. */
PIO_FN pack pack_mat_ddot(pack_mat a, pack_mat b)
{
    pack s = pack_of(R(0));
    PIO_UNROLL
    for (int i = 0; i < DIM; i++) {
        PIO_UNROLL
        for (int j = 0; j < DIM; j++) s += a.m[i][j] * b.m[i][j];
    }
    return s;
}

/* Returns cof(a), as mat_cofactor. */
PIO_FN pack_mat pack_mat_cofactor(pack_mat a)
{
    pack_mat r;
#if PIO_DIM == 3
    PIO_UNROLL
    for (int i = 0; i < 3; i++) {
        const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
        PIO_UNROLL
        for (int j = 0; j < 3; j++) {
            const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            r.m[i][j] = a.m[i1][j1] * a.m[i2][j2] - a.m[i1][j2] * a.m[i2][j1];
        }
    }
#else
    r.m[0][0] = a.m[1][1];
    r.m[0][1] = -a.m[1][0];
    r.m[1][0] = -a.m[0][1];
    r.m[1][1] = a.m[0][0];
#endif
    return r;
}

/* Returns det(a), as mat_det, with `cof` = cof(a). */
PIO_FN pack pack_mat_det(pack_mat a, pack_mat cof)
{
    pack s = a.m[0][0] * cof.m[0][0];
    PIO_UNROLL
    for (int j = 1; j < DIM; j++) s += a.m[0][j] * cof.m[0][j];
    return s;
}

/* Returns the matrix of lane j. */
PIO_FN mat pack_mat_lane(pack_mat *a, int j)
{
    mat r;
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) {
        PIO_UNROLL
        for (int d = 0; d < DIM; d++) r.m[c][d] = pack_lanes(&a->m[c][d])[j];
    }
    return r;
}

/* Sets the matrix of lane j. */
PIO_FN void pack_mat_lane_put(pack_mat *a, int j, mat v)
{
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) {
        PIO_UNROLL
        for (int d = 0; d < DIM; d++) pack_lanes(&a->m[c][d])[j] = v.m[c][d];
    }
}

/* ---- from lanes to items ---------------------------------------------------------------------------------------- */

#if PIO_PACK_BYTES
/* Exchanges item l of pack i and item i of pack l for all i, l < PACK: blocks of s x s off the diagonal, s = 1, 2, 4,
 * ... (Eklundh 1972). */
PIO_FN void pack_transpose(pack a[PACK])
{
    PIO_UNROLL_ALL
    for (int s = 1; s < PACK; s *= 2) {
        const pack zero = {0};
        __typeof__(zero < zero) low, high; /* whole numbers as long as a `real` */
        PIO_UNROLL_ALL
        for (int l = 0; l < PACK; l++) {
            low[l] = l & s ? PACK + l - s : l;
            high[l] = l & s ? PACK + l : l + s;
        }
        PIO_UNROLL_ALL
        for (int i = 0; i < PACK; i++) {
            if (i & s) continue;
            const pack x = a[i], y = a[i + s];
            a[i] = __builtin_shuffle(x, y, low);
            a[i + s] = __builtin_shuffle(x, y, high);
        }
    }
}
#endif

/* Sets out[j stride + c], the numbers c = 0 .. n-1 of the items j = 0 .. items-1, to those of lane j of packs a[n]. */
PIO_FN void packs_store(real *out, ptrdiff_t stride, int items, pack *a, int n)
{
    int c = 0;
#if PIO_PACK_BYTES
    for (; c <= n - PACK; c += PACK) {
        pack t[PACK];
        PIO_UNROLL_ALL
        for (int l = 0; l < PACK; l++) t[l] = a[c + l];
        pack_transpose(t);
        PIO_UNROLL_ALL
        for (int j = 0; j < PACK; j++)
            if (j < items) __builtin_memcpy(out + j * stride + c, &t[j], sizeof t[j]);
    }
#endif
    for (; c < n; c++)
        for (int j = 0; j < items; j++) out[j * stride + c] = pack_lanes(a + c)[j];
}

#endif
