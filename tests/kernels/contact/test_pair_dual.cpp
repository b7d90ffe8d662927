/* test_pair_dual.cpp -- see test_pair.h. */
#include "kernels/contact/pair_barrier.h"
#include "tests/kernels/contact/test_pair.h"

static int give(const real *r, int n, double *y, double *dy)
{
    for (int i = 0; i < n; i++) {
        y[i] = r[i].value;
        dy[i] = r[i].dot;
    }
    return n;
}

int pair_dual(pair_function f, int kind, const pair_point *p, const pair_point *dp, double *y, double *dy)
{
    vec x[PAIR_NODES], X[PAIR_NODES], out[PAIR_NODES];
    for (int k = 0; k < PAIR_NODES * DIM; k++) {
        x[k / DIM].x[k % DIM] = real(p->x[k], dp->x[k]);
        X[k / DIM].x[k % DIM] = real(p->rest[k], dp->rest[k]);
    }
    const pair_barrier b = pair_barrier_of(kind, x, X, real(p->scale, dp->scale), real(p->h, dp->h));
    const real energy = pair_energy(&b);
    if (f == PAIR_DISTANCE) return give(&b.at.d, 1, y, dy);
    if (f == PAIR_EASE) return give(&b.ease.value, 1, y, dy);
    if (f == PAIR_ENERGY) return give(&energy, 1, y, dy);
    pair_slopes(&b, out);
    for (int i = 0; i < PAIR_NODES && f != PAIR_SLOPES; i++)
        out[i] = f == PAIR_EASE_SLOPES ? b.ease.slope[i] : vec_scale(b.at.w[i], b.at.n);
    return give(out[0].x, PAIR_NODES * DIM, y, dy);
}
