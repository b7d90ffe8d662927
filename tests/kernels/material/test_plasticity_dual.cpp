/* test_plasticity_dual.cpp -- see test_plasticity.h. */
#include "kernels/material/plasticity_map.h"
#include "tests/kernels/material/test_plasticity.h"

/* What the map is of, in dual numbers. */
struct dual_state {
    mat F;
    real third, a;
    plastic_matter m;
};

static dual_state take(double h, const plastic_state *x, const plastic_state *dx)
{
    dual_state s;
    for (int i = 0; i < DIM * DIM; i++) s.F.m[i / DIM][i % DIM] = real(x->F[i], dx->F[i]);
    s.third = real(x->third, dx->third);
    s.a = real(x->a, dx->a);
    s.m.mu = real(x->mu, dx->mu);
    s.m.lambda = real(x->lambda, dx->lambda);
    for (int c = 0; c < PIO_PLASTIC_CONSTANTS; c++) s.m.y[c] = real(x->y[c], dx->y[c]);
    s.m.h = h;
    return s;
}

static void give(const mat &F, plastic_state *y, plastic_state *dy)
{
    for (int i = 0; i < DIM * DIM; i++) {
        y->F[i] = F.m[i / DIM][i % DIM].value;
        dy->F[i] = F.m[i / DIM][i % DIM].dot;
    }
}

int plastic_dual(int plastic, double h, const plastic_state *x, const plastic_state *dx, plastic_state *y,
                 plastic_state *dy)
{
    dual_state s = take(h, x, dx);
    const plastic_outcome w =
        plastic == PIO_SNOW ? snow_map(&s.F, &s.a, &s.m) : hencky_map(plastic, &s.F, &s.third, &s.a, &s.m);
    give(s.F, y, dy);
    y->third = s.third.value;
    dy->third = s.third.dot;
    y->a = s.a.value;
    dy->a = s.a.dot;
    return w.branch;
}

void plastic_tau_dual(int plastic, const plastic_state *x, const plastic_state *dx, plastic_state *y, plastic_state *dy)
{
    const dual_state s = take(1, x, dx);
    give(plastic_tau(plastic, s.F, s.third, s.a, &s.m), y, dy);
}
