/* squares_bench.h -- sums of squares with known minima, for Levenberg and Marquardt's method. */
#ifndef PIOLA_TESTS_SQUARES_BENCH_H
#define PIOLA_TESTS_SQUARES_BENCH_H

#include "tests/host/optimize/optimizer_bench.h"

enum { MOST_RESIDUALS = 32, SAMPLES = 12 };

/* J = |r|^2/2 and its gradient by the residuals and rows of the task. */
static inline double half_square(const task *t, const double *z, double *g)
{
    double r[MOST_RESIDUALS], rows[MOST_RESIDUALS * N_MAX], J = 0;
    t->constraints(t, z, r, rows);
    for (size_t i = 0; i < t->n; i++) g[i] = 0;
    for (size_t j = 0; j < t->m; j++) {
        J += r[j] * r[j] / 2;
        for (size_t i = 0; i < t->n; i++) g[i] += r[j] * rows[j * t->n + i];
    }
    return J;
}

/* Rosenbrock's function as residuals: 10 (y - x^2), 1 - x; least at (1, 1) with J = 0. */
static inline void valley(const task *t, const double *z, double *r, double *rows)
{
    (void)t;
    r[0] = 10 * (z[1] - z[0] * z[0]), r[1] = 1 - z[0];
    rows[0] = -20 * z[0], rows[1] = 10, rows[2] = -1, rows[3] = 0;
}

/* Powell's singular function (More, Garbow and Hillstrom 1981, number 13): least at 0, where two of the four singular
 * values are 0. */
static inline void singular(const task *t, const double *z, double *r, double *rows)
{
    const double a = z[1] - 2 * z[2], b = z[0] - z[3], five = sqrt(5), ten = sqrt(10);
    (void)t;
    memset(rows, 0, 16 * sizeof *rows);
    r[0] = z[0] + 10 * z[1], r[1] = five * (z[2] - z[3]), r[2] = a * a, r[3] = ten * b * b;
    rows[0] = 1, rows[1] = 10, rows[6] = five, rows[7] = -five;
    rows[9] = 2 * a, rows[10] = -4 * a, rows[12] = 2 * ten * b, rows[15] = -2 * ten * b;
}

/* Twelve values near 2 exp(-0.7 t) + 0.5, with errors that no curve of this form has; the parameters are the factor,
 * the rate and the constant. */
static inline void decay(const task *t, const double *z, double *r, double *rows)
{
    (void)t;
    for (int k = 0; k < SAMPLES; k++) {
        const double at = 0.4 * k, e = exp(-z[1] * at), error = 0.02 * ((k * 5) % 7 - 3);
        r[k] = z[0] * e + z[2] - (2 * exp(-0.7 * at) + 0.5 + error);
        rows[3 * k] = e, rows[3 * k + 1] = -at * z[0] * e, rows[3 * k + 2] = 1;
    }
}

/* Linear, of x + y and x - y alone in four equations, while a third variable is a second name of y. */
static inline void deficient(const task *t, const double *z, double *r, double *rows)
{
    static const double a[4][2] = {{1, 1}, {1, -1}, {2, 1}, {1, 3}}, b[4] = {3, 1, 4, 7};
    (void)t;
    for (int k = 0; k < 4; k++) {
        const double y = z[1] + z[2];
        r[k] = a[k][0] * z[0] + a[k][1] * y - b[k];
        rows[3 * k] = a[k][0], rows[3 * k + 1] = rows[3 * k + 2] = a[k][1];
    }
}

/* x + y - 3 and x - y. */
static inline void lines(const task *t, const double *z, double *r, double *rows)
{
    (void)t;
    r[0] = z[0] + z[1] - 3, r[1] = z[0] - z[1];
    rows[0] = rows[1] = rows[2] = 1, rows[3] = -1;
}

typedef void residuals(const task *t, const double *z, double *r, double *rows);

static inline void set_up_squares(bench *b, size_t n, size_t m, residuals *of, const double *z0)
{
    set_up(b, PIO_LEVENBERG_MARQUARDT, n, half_square);
    b->t.constraints = of;
    b->t.m = b->p.n_residuals = m;
    memcpy(b->z0, z0, n * sizeof *z0);
}

#endif
