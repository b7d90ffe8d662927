/* hyper_in_space.c -- the hyperelastic laws in three dimensions, for tests of those in the plane. f64. */
#undef PIO_DIM
#define PIO_DIM 3
#include "tests/kernels/material/hyper_in_space.h"
#include "kernels/material/hyperelastic_stress.h"

void hyper_in_space(int law, const double F[3][3], const double k[PIO_LAW_CONSTANTS], double P[3][3],
                    double sigma[3][3], double *mises)
{
    hyper_constants c;
    mat f;
    for (int i = 0; i < PIO_LAW_CONSTANTS; i++) c.k[i] = k[i];
    for (int i = 0; i < 9; i++) f.m[i / 3][i % 3] = F[i / 3][i % 3];
    const mat p = hyper_P(law, f, c);
    const hyper_cauchy_stress s = hyper_cauchy(law, 0, f, c);
    for (int i = 0; i < 9; i++) {
        P[i / 3][i % 3] = p.m[i / 3][i % 3];
        sigma[i / 3][i % 3] = s.s.m[i / 3][i % 3];
    }
    *mises = sqrt(von_mises_square(law, 0, f, c));
}

void hyper_in_space_along(int law, const double F[3][3], const double dF[3][3], const double k[PIO_LAW_CONSTANTS],
                          hyper_change *out)
{
    hyper_constants c, bar;
    mat f, d;
    for (int i = 0; i < PIO_LAW_CONSTANTS; i++) c.k[i] = k[i], bar.k[i] = 0;
    for (int i = 0; i < 9; i++) f.m[i / 3][i % 3] = F[i / 3][i % 3], d.m[i / 3][i % 3] = dF[i / 3][i % 3];
    const mat p = hyper_dP(law, f, d, c);
    hyper_theta(law, f, d, c, &bar);
    out->psi = hyper_psi(law, f, c);
    for (int i = 0; i < 9; i++) out->dP[i / 3][i % 3] = p.m[i / 3][i % 3];
    for (int i = 0; i < PIO_LAW_CONSTANTS; i++) out->theta[i] = bar.k[i], bar.k[i] = 0;
    hyper_psi_theta(law, f, 1, c, &bar);
    for (int i = 0; i < PIO_LAW_CONSTANTS; i++) out->by_k[i] = bar.k[i];
}
