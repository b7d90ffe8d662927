/* covariance.c -- see covariance.h. The derivatives A with columns scaled by D^-1 are reduced to a triangle by
 * Householder's reflections, whose singular values and vectors are found by Jacobi's rotations from one side (Hestenes
 * 1958; Golub and Van Loan 2013, section 8.6.3). With R D^-1 = U S V^T the inverse of A^T A is D^-1 V S^-2 V^T D^-1. */
#include "host/optimize/covariance.h"

#include "host/base/fail.h"
#include "host/optimize/householder.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SWEEPS = 60 };
static const double takes_part = 1e-3; /* least coefficient of a variable in a combination that counts */

static double dot(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static void rotate(double *a, double *b, size_t n, double c, double s)
{
    for (size_t i = 0; i < n; i++) {
        const double x = a[i], y = b[i];
        a[i] = c * x - s * y;
        b[i] = s * x + c * y;
    }
}

/* Makes the columns of t [n][n] orthogonal by rotations, which the rows of v [n][n] collect. */
static void orthogonalise(double *t, double *v, size_t n)
{
    bool rotated = true;
    for (int sweep = 0; sweep < MOST_SWEEPS && rotated; sweep++) {
        rotated = false;
        for (size_t i = 0; i < n; i++)
            for (size_t j = i + 1; j < n; j++) {
                double *a = t + i * n, *b = t + j * n;
                const double aa = dot(a, a, n), bb = dot(b, b, n), ab = dot(a, b, n);
                if (!(fabs(ab) > DBL_EPSILON * sqrt(aa * bb))) continue;
                const double z = (bb - aa) / (2 * ab), u = copysign(1, z) / (fabs(z) + sqrt(1 + z * z));
                const double c = 1 / sqrt(1 + u * u);
                rotate(a, b, n, c, c * u);
                rotate(v + i * n, v + j * n, n, c, c * u);
                rotated = true;
            }
    }
}

/* Sorts singular values, the lengths of the columns of t, descending, with their vectors. */
static void sort(pio_covariance *out, const double *t)
{
    const size_t n = out->n;
    for (size_t i = 0; i < n; i++) out->singular[i] = sqrt(dot(t + i * n, t + i * n, n));
    for (size_t i = 0; i < n; i++) {
        size_t most = i;
        for (size_t j = i + 1; j < n; j++)
            if (out->singular[j] > out->singular[most]) most = j;
        const double value = out->singular[i];
        out->singular[i] = out->singular[most];
        out->singular[most] = value;
        if (most != i) rotate(out->combination + i * n, out->combination + most * n, n, 0, -1);
    }
}

static void invert(pio_covariance *out, const double *lengths)
{
    const size_t n = out->n;
    while (out->unknown < n && !(out->singular[n - 1 - out->unknown] > PIO_NOT_IDENTIFIABLE * out->singular[0]))
        out->unknown++;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            for (size_t k = 0; k < n; k++) {
                const double *v = out->combination + k * n;
                if (k < n - out->unknown)
                    sum += v[i] / out->singular[k] * (v[j] / out->singular[k]);
                else if (fabs(v[i]) > takes_part || fabs(v[j]) > takes_part)
                    sum = NAN;
            }
            out->covariance[i * n + j] = sum / lengths[i] / lengths[j];
        }
}

/* Computes all; `work` has room for the matrix, a right side, the lengths of its columns and its triangle. */
static void compute(pio_covariance *out, const double *rows, size_t m, double *work)
{
    const size_t n = out->n, deep = m > n ? m : n;
    double *columns = work, *unused = work + n * deep, *lengths = unused + deep, *triangle = lengths + n;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < deep; j++) columns[i * deep + j] = j < m ? rows[j * n + i] : 0;
        lengths[i] = sqrt(dot(columns + i * deep, columns + i * deep, deep));
        if (!(lengths[i] > 0)) lengths[i] = 1;
        for (size_t j = 0; j < deep; j++) columns[i * deep + j] /= lengths[i];
    }
    pio_householder(columns, deep, n, unused);
    for (size_t i = 0; i < n; i++) {
        memcpy(triangle + i * n, columns + i * deep, n * sizeof *triangle);
        for (size_t j = 0; j < n; j++) out->combination[i * n + j] = i == j;
    }
    orthogonalise(triangle, out->combination, n);
    sort(out, triangle);
    invert(out, lengths);
}

piola_status pio_covariance_create(pio_covariance *out, const double *rows, size_t m, size_t n, piola_error *error)
{
    const size_t deep = m > n ? m : n, size = n * deep + deep + n + n * n;
    *out = (pio_covariance){.n = n,
                            .singular = calloc(n + 1, sizeof(double)),
                            .combination = calloc(n * n + 1, sizeof(double)),
                            .covariance = calloc(n * n + 1, sizeof(double))};
    double *work = calloc(size + 1, sizeof *work);
    const bool whole = out->singular && out->combination && out->covariance && work;
    if (whole) compute(out, rows, m, work);
    free(work);
    return whole ? PIOLA_OK : pio_fail_memory(error, size * sizeof *work, "the covariance of a fit");
}

void pio_covariance_free(pio_covariance *covariance)
{
    free(covariance->singular);
    free(covariance->combination);
    free(covariance->covariance);
    *covariance = (pio_covariance){0};
}
