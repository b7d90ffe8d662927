/* optimizer_constraint.c -- the violation of constraints, and the projected gradient with their multipliers. */
#include "host/optimize/optimizer_run.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_SWEEPS = 10000 };
static const double active_from = -1e-3; /* a constraint with a greater c, relative to its bound, counts as active */

size_t pio_run_rows(const pio_optimizer_problem *p)
{
    return p->n_constraints + p->n_residuals;
}

double pio_run_violation(const pio_optimizer_problem *p, const double *c)
{
    double worst = 0;
    for (size_t j = 0; j < p->n_constraints; j++) worst = fmax(worst, c[j]);
    return worst;
}

/* Returns the norm of the part of g that a step within the bounds can follow: Byrd, Lu, Nocedal, Zhu 1995, eq. 6.1. */
static double projected(const pio_optimizer_problem *p, const double *z, double g, size_t i)
{
    if (g > 0) g = fmin(g, z[i] - p->lower[i]);
    if (g < 0) g = fmax(g, z[i] - p->upper[i]);
    return fabs(g);
}

static double dot_free(const pio_optimizer_problem *p, const double *z, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < p->n; i++)
        if (z[i] > p->lower[i] && z[i] < p->upper[i]) sum += a[i] * b[i];
    return sum;
}

/* Computes lambda >= 0 that minimises |g + sum_j lambda_j a_j|^2 over the variables between their bounds, by the method
 * of Gauss and Seidel on its normal equations (Cryer 1971); 0 for constraints that are not active. */
static void least_squares(const pio_optimizer_problem *p, const pio_point *at, double *lambda, double *matrix)
{
    const size_t m = p->n_constraints, n = p->n;
    double largest = 1, change = 1;
    for (size_t j = 0; j < m; j++) {
        lambda[j] = 0;
        for (size_t k = 0; k < m; k++)
            matrix[j * (m + 1) + k] = dot_free(p, at->z, at->c_gradient + j * n, at->c_gradient + k * n);
        matrix[j * (m + 1) + m] = -dot_free(p, at->z, at->c_gradient + j * n, at->gradient);
    }
    for (int sweep = 0; sweep < MOST_SWEEPS && change > 1e-15 * largest; sweep++) {
        change = 0;
        for (size_t j = 0; j < m; j++) {
            const double *row = matrix + j * (m + 1);
            double rest = row[m];
            if (at->c[j] < active_from || !(row[j] > 0)) continue;
            for (size_t k = 0; k < m; k++)
                if (k != j) rest -= row[k] * lambda[k];
            const double next = fmax(0, rest / row[j]);
            change = fmax(change, fabs(next - lambda[j]));
            largest = fmax(largest, next);
            lambda[j] = next;
        }
    }
}

double pio_run_projected_gradient(const pio_optimizer_problem *p, const pio_point *at, double *lambda, double *matrix)
{
    double norm = 0;
    if (p->n_constraints) least_squares(p, at, lambda, matrix);
    for (size_t j = 0; j < p->n_constraints; j++) norm = fmax(norm, fabs(lambda[j] * at->c[j]));
    for (size_t i = 0; i < p->n; i++) {
        double g = at->gradient[i];
        for (size_t j = 0; j < p->n_constraints; j++) g += lambda[j] * at->c_gradient[j * p->n + i];
        norm = fmax(norm, projected(p, at->z, g, i));
    }
    return norm;
}
