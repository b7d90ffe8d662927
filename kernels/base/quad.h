/* quad.h -- four numbers that move together, such as the mass and the momentum of a node: one register of a CPU, one
 * load or store of a GPU. */
#ifndef PIOLA_KERNELS_QUAD_H
#define PIOLA_KERNELS_QUAD_H

#include "kernels/base/base.h"

enum { QUAD = 4 };

#if !PIO_VECTOR_QUADS
typedef struct {
    real x[QUAD];
} quad;

/* Returns four numbers that are 0. */
PIO_FN quad quad_zero(void)
{
    quad r;
    PIO_UNROLL
    for (int c = 0; c < QUAD; c++) r.x[c] = R(0);
    return r;
}

/* Returns a + b. */
PIO_FN quad quad_add(quad a, quad b)
{
    PIO_UNROLL
    for (int c = 0; c < QUAD; c++) a.x[c] += b.x[c];
    return a;
}

/* Returns a + s b. */
PIO_FN quad quad_fma(quad a, real s, quad b)
{
    PIO_UNROLL
    for (int c = 0; c < QUAD; c++) a.x[c] += s * b.x[c];
    return a;
}

/* Returns the four numbers at `from`. */
PIO_FN quad quad_load(const real *from)
{
    quad r;
    PIO_UNROLL
    for (int c = 0; c < QUAD; c++) r.x[c] = from[c];
    return r;
}

/* Returns the four numbers at `from` with more digits. */
PIO_FN quad quad_widen(const narrow *from)
{
    quad r;
    PIO_UNROLL
    for (int c = 0; c < QUAD; c++) r.x[c] = R(from[c]);
    return r;
}

/* Sets the four numbers at `to`. */
PIO_FN void quad_store(real *to, quad a)
{
    PIO_UNROLL
    for (int c = 0; c < QUAD; c++) to[c] = a.x[c];
}

/* Returns a + k b for k = 0, 1 or 2. */
PIO_FN quad quad_steps(quad a, int k, quad b)
{
    return quad_fma(a, R(k), b);
}
#else
typedef real quad __attribute__((vector_size(QUAD * sizeof(real)), aligned(sizeof(real)), may_alias));

/* Returns four numbers that are 0. */
PIO_FN quad quad_zero(void)
{
    const quad r = {0};
    return r;
}

/* Returns a, b, c, d. This and the two after are for text that has quads where PIO_VECTOR_QUADS is 1 alone. */
PIO_FN quad quad_of(real a, real b, real c, real d)
{
    const quad r = {a, b, c, d};
    return r;
}

/* Returns number i of a quad. */
PIO_FN real quad_number(quad a, int i)
{
    return a[i];
}

/* Returns a + b c, number by number. */
PIO_FN quad quad_fma_quad(quad a, quad b, quad c)
{
    return a + b * c;
}

/* Returns a + b. */
PIO_FN quad quad_add(quad a, quad b)
{
    return a + b;
}

/* Returns a + s b. */
PIO_FN quad quad_fma(quad a, real s, quad b)
{
    return a + s * b;
}

/* Returns the four numbers at `from`. */
PIO_FN quad quad_load(const real *from)
{
    return *(const quad *)from;
}

/* Four numbers of fewer digits. */
typedef narrow narrow_quad __attribute__((vector_size(QUAD * sizeof(narrow)), aligned(sizeof(narrow)), may_alias));

/* Returns the four numbers at `from`. */
PIO_FN narrow_quad narrow_load(const narrow *from)
{
    return *(const narrow_quad *)from;
}

/* Returns the four numbers at `from` with more digits. */
PIO_FN quad quad_widen(const narrow *from)
{
    return __builtin_convertvector(narrow_load(from), quad);
}

/* Sets the four numbers at `to`. */
PIO_FN void quad_store(real *to, quad a)
{
    *(quad *)to = a;
}

/* Returns a + k b for k = 0, 1 or 2, by additions: where k is a constant the sums are shared. */
PIO_FN quad quad_steps(quad a, int k, quad b)
{
    if (k > 0) a += b;
    if (k > 1) a += b;
    return a;
}
#endif

#if PIO_QUAD_ROWS
/* Four quads in one register, such as three neighbouring nodes and one that counts for nothing. */
typedef real quad_row __attribute__((vector_size(QUAD * QUAD * sizeof(real)), aligned(sizeof(real)), may_alias));

/* Returns four quads that are 0. */
PIO_FN quad_row row_zero(void)
{
    const quad_row r = {0};
    return r;
}

/* Returns four times the quad at `from`, after which twelve more numbers can be read. */
PIO_FN quad_row row_of(const real *from)
{
    const quad_row a = *(const quad_row *)from;
    return __builtin_shufflevector(a, a, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3);
}

/* Returns quads of the first number at `from`, of the second, of the third and of the fourth; as above. */
PIO_FN quad_row row_numbers(const real *from)
{
    const quad_row a = *(const quad_row *)from;
    return __builtin_shufflevector(a, a, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
}

/* Returns k times the quad at `from` as quad k = 0, 1, 2, and 0 as the fourth; as above. */
PIO_FN quad_row row_steps(const real *from)
{
    const quad_row k = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 0, 0, 0, 0};
    return k * row_of(from);
}
#endif

#endif
