/* hyperelastic_rest.h -- the hyperelastic laws at rest: their moduli, and which constants give a stable body. None
 * of it depends on the choice of the volumetric energy. */
#ifndef PIOLA_KERNELS_HYPERELASTIC_REST_H
#define PIOLA_KERNELS_HYPERELASTIC_REST_H

#include "kernels/material/hyperelastic.h"

/* Sets mu and lambda of small strains about the rest shape, Pa, from the law's constants: the last column of the table
 * of hyperelastic.h. */
PIO_FN void hyper_rest_moduli(int law, hyper_constants k, real *mu, real *lambda)
{
    law = hyper_own(law);
    *mu = k.k[0];
    *lambda = k.k[1];
    if (law == PIO_HYPER_NEO_HOOKEAN_ISO) {
        *lambda = k.k[1] - R(2.0 / 3) * *mu;
    } else if (law == PIO_HYPER_MOONEY_RIVLIN) {
        *mu = R(2) * (k.k[0] + k.k[1]);
        *lambda = k.k[2] - R(2.0 / 3) * *mu;
    } else if (law == PIO_HYPER_OGDEN) {
        *mu = R(0.5) * (k.k[0] * k.k[1] + k.k[2] * k.k[3]);
        *lambda = k.k[4] - R(2.0 / 3) * *mu;
    }
}

/* Adjoint of hyper_rest_moduli: adds to k_bar its transposed derivative applied to mu_bar and lambda_bar. */
PIO_FN void hyper_rest_moduli_adj(int law, hyper_constants k, real mu_bar, real lambda_bar, hyper_constants *k_bar)
{
    law = hyper_own(law);
    const int bulk = law == PIO_HYPER_NEO_HOOKEAN_ISO ? 1
                     : law == PIO_HYPER_MOONEY_RIVLIN ? 2
                     : law == PIO_HYPER_OGDEN         ? 4
                                                      : -1;
    if (bulk >= 0) mu_bar -= R(2.0 / 3) * lambda_bar;
    k_bar->k[bulk >= 0 ? bulk : 1] += lambda_bar;
    if (law == PIO_HYPER_MOONEY_RIVLIN) {
        k_bar->k[0] += R(2) * mu_bar;
        k_bar->k[1] += R(2) * mu_bar;
    } else if (law == PIO_HYPER_OGDEN) {
        for (int c = 0; c < 4; c++) k_bar->k[c] += R(0.5) * mu_bar * k.k[c ^ 1];
    } else {
        k_bar->k[0] += mu_bar;
    }
}

/* Returns 1 where shear and bulk modulus at rest are above 0: the body at rest is stable. In the plane the linear law
 * has lambda + mu for a bulk modulus. */
PIO_FN int hyper_constants_hold(int law, hyper_constants k)
{
    law = hyper_own(law);
    real mu = k.k[0], bulk = k.k[1] + R(2.0 / 3) * k.k[0];
    if (law == PIO_HYPER_LINEAR && DIM == 2) {
        bulk = k.k[1] + k.k[0];
    } else if (law == PIO_HYPER_NEO_HOOKEAN_ISO) {
        bulk = k.k[1];
    } else if (law == PIO_HYPER_MOONEY_RIVLIN) {
        mu = R(2) * (k.k[0] + k.k[1]);
        bulk = k.k[2];
    } else if (law == PIO_HYPER_OGDEN) {
        mu = R(0.5) * (k.k[0] * k.k[1] + k.k[2] * k.k[3]);
        bulk = k.k[4];
    }
    return mu > R(0) && bulk > R(0);
}

#endif
