/* hyperelastic_samples.h -- the common data of the tests of hyperelastic laws: constants and states of deformation by
 * chance, and reports. Needs what cmocka.h needs before it. */
#ifndef PIOLA_TESTS_HYPERELASTIC_SAMPLES_H
#define PIOLA_TESTS_HYPERELASTIC_SAMPLES_H

#include "kernels/material/hyperelastic.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SAMPLES = 500 };
static const double EPS = sizeof(real) == 4 ? (double)FLT_EPSILON : DBL_EPSILON;

/* The numbers of laws are below this; those of PIO_VOLUME_QUADRATIC are not next to each other. */
enum { LAW_NUMBERS = 2 * PIO_VOLUME_QUADRATIC };
static const char *const law_names[LAW_NUMBERS] = {
    "linear",
    "St Venant-Kirchhoff",
    "fixed corotated",
    "neo-Hookean",
    "neo-Hookean iso",
    "stable neo-Hookean",
    "Mooney-Rivlin",
    "Ogden",
    "Hencky",
    [PIO_VOLUME_QUADRATIC | PIO_HYPER_NEO_HOOKEAN] = "neo-Hookean, quad.",
    [PIO_VOLUME_QUADRATIC | PIO_HYPER_NEO_HOOKEAN_ISO] = "neo-Hook. iso, quad.",
    [PIO_VOLUME_QUADRATIC | PIO_HYPER_MOONEY_RIVLIN] = "Mooney-R., quadratic",
    [PIO_VOLUME_QUADRATIC | PIO_HYPER_OGDEN] = "Ogden, quadratic"};

/* The law that follows in the loops of tests, or LAW_NUMBERS. */
static inline int next_law(int law)
{
    do law++;
    while (law < LAW_NUMBERS && !law_names[law]);
    return law;
}

static uint64_t seed;
static inline double uniform(double lo, double hi)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return lo + (hi - lo) * (double)(seed >> 11) * 0x1p-53;
}

/* The larger; NaN if one of them is, so that it is never lost. */
static inline double worse(double a, double b)
{
    return isnan(a) || isnan(b) ? (double)NAN : a > b ? a : b;
}

static int failures;
static inline void report(const char *law, const char *what, double measured, double bound)
{
    printf("%-20s %-46s %8.1e  bound %.1e\n", law, what, measured, bound);
    failures += !(measured <= bound);
}
static inline void all_must_hold(void)
{
    const int count = failures;
    failures = 0;
    if (count) fail_msg("%d bounds do not hold", count);
}

/* ---- points -------------------------------------------------------------------------------------------------- */

static inline mat matrix_of(const double *v)
{
    mat m;
    for (int i = 0; i < HYPER_NUMBERS; i++) m.m[i / DIM][i % DIM] = (real)v[i];
    return m;
}
static inline hyper_constants constants_of(const double *k)
{
    hyper_constants c;
    for (int i = 0; i < PIO_LAW_CONSTANTS; i++) c.k[i] = (real)k[i];
    return c;
}
static inline double norm(mat a)
{
    return sqrt((double)mat_ddot(a, a));
}
static inline double distance(mat a, mat b)
{
    return norm(mat_axpby(R(1), a, R(-1), b));
}

/* What a law is a function of at F: the linear one of F - I. */
static inline mat argument_of(int law, mat F)
{
    return mat_axpby(R(1), F, hyper_diagonal(law) - R(1), mat_diag(R(1)));
}

/* The laws, compiled once each. */
static inline real law_psi(int law, mat F, hyper_constants c)
{
    return hyper_psi(law, F, c);
}
static inline mat law_P(int law, mat F, hyper_constants c)
{
    return hyper_P(law, F, c);
}
static inline mat law_dP(int law, mat F, mat dF, hyper_constants c)
{
    return hyper_dP(law, F, dF, c);
}

/* A rotation by a random angle: in each plane of two axes one. */
static inline mat random_rotation(void)
{
    mat q = mat_diag(R(1));
    for (int a = 0; a < DIM; a++)
        for (int b = a + 1; b < DIM; b++) {
            const double t = uniform(-3.14159, 3.14159);
            mat g = mat_diag(R(1));
            g.m[a][a] = g.m[b][b] = (real)cos(t);
            g.m[a][b] = (real)-sin(t);
            g.m[b][a] = (real)sin(t);
            q = mat_mul(q, g);
        }
    return q;
}

static inline mat random_matrix(double size)
{
    mat m;
    for (int i = 0; i < HYPER_NUMBERS; i++) m.m[i / DIM][i % DIM] = (real)uniform(-size, size);
    return m;
}

static inline mat diagonal(const double *s)
{
    mat d = mat_diag(R(0));
    for (int i = 0; i < DIM; i++) d.m[i][i] = (real)s[i];
    return d;
}

/* States of deformation: of moderate strain; of large stretch; with two stretches, or all, 1e-12 to 1e-3 apart; equal;
 * and equal without a rotation, so that nothing is off by rounding. */
enum { MODERATE, LARGE, TWO_NEAR, ALL_NEAR, EQUAL, EQUAL_STRAIGHT, STATES };

static inline mat sample_state(int kind)
{
    double s[3];
    if (kind == MODERATE) return mat_axpby(R(1), mat_diag(R(1)), R(1), random_matrix(0.2));
    s[0] = uniform(0, 1) < 0.5 ? uniform(0.6, 0.9) : uniform(1.1, 1.6);
    for (int i = 1; i < 3; i++) s[i] = s[0] * (1 + pow(10, uniform(-12, -3)) * (uniform(0, 1) < 0.5 ? 1 : -1));
    if (kind == TWO_NEAR) s[2] = uniform(0.6, 1.6);
    if (kind == EQUAL || kind == EQUAL_STRAIGHT) s[1] = s[2] = s[0];
    if (kind == LARGE)
        for (int i = 0; i < 3; i++) s[i] = pow(4, uniform(-1, 1));
    if (kind == EQUAL_STRAIGHT) return diagonal(s);
    const mat Q = random_rotation();
    return mat_mul(Q, mat_mul_t(diagonal(s), random_rotation()));
}

/* Every third Ogden law has one term. */
static inline void sample_constants(int law, double *k)
{
    static int count;
    memset(k, 0, PIO_LAW_CONSTANTS * sizeof *k);
    for (int i = 0; i < (hyper_own(law) == PIO_HYPER_MOONEY_RIVLIN ? 3 : 2); i++) k[i] = uniform(1e4, 1e5);
    if (hyper_own(law) != PIO_HYPER_OGDEN) return;
    k[1] = uniform(1, 3);
    k[4] = uniform(1e4, 1e5);
    if (++count % 3 == 0) return;
    k[2] = -uniform(1e4, 1e5);
    k[3] = -uniform(1, 5);
}

/* mu and lambda of small strain, as the table of hyperelastic.h has them. */
static inline void small_strain(int law, const double *k, double *mu, double *lambda)
{
    law = hyper_own(law);
    *mu = k[0];
    *lambda = k[1];
    if (law == PIO_HYPER_NEO_HOOKEAN_ISO) *lambda = k[1] - 2.0 / 3 * k[0];
    if (law == PIO_HYPER_MOONEY_RIVLIN) *mu = 2 * (k[0] + k[1]), *lambda = k[2] - 2.0 / 3 * *mu;
    if (law == PIO_HYPER_OGDEN) *mu = 0.5 * (k[0] * k[1] + k[2] * k[3]), *lambda = k[4] - 2.0 / 3 * *mu;
}
static inline double stiffness(int law, const double *k)
{
    double mu, lambda;
    small_strain(law, k, &mu, &lambda);
    return 2 * mu + fabs(lambda);
}

#endif
