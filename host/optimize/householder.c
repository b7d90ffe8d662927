/* householder.c -- see householder.h. */
#include "host/optimize/householder.h"

#include <math.h>

/* Returns |v| without overflow. */
static double norm(const double *v, size_t n)
{
    double largest = 0, sum = 0;
    for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(v[i]));
    if (!(largest > 0)) return 0;
    for (size_t i = 0; i < n; i++) sum += (v[i] / largest) * (v[i] / largest);
    return largest * sqrt(sum);
}

/* Subtracts v v^T w / (v^T v / 2) from w; v has the length n, and half = v^T v / 2. */
static void reflect(const double *v, double half, double *w, size_t n)
{
    double dot = 0;
    for (size_t i = 0; i < n; i++) dot += v[i] / half * w[i];
    for (size_t i = 0; i < n; i++) w[i] -= dot * v[i];
}

void pio_householder(double *a, size_t rows, size_t columns, double *b)
{
    for (size_t j = 0; j < columns && j < rows; j++) {
        double *v = a + j * rows + j;
        const size_t n = rows - j;
        const double length = norm(v, n), diagonal = v[0] > 0 ? -length : length;
        if (!(length > 0)) continue;
        const double scale = length;
        for (size_t i = 0; i < n; i++) v[i] /= scale;
        v[0] -= diagonal / scale;
        const double half = fabs(v[0]); /* v^T v / 2 of a column of length 1 */
        for (size_t c = j + 1; c < columns; c++) reflect(v, half, a + c * rows + j, n);
        reflect(v, half, b + j, n);
        v[0] = diagonal;
        for (size_t i = 1; i < n; i++) v[i] = 0;
    }
}

void pio_back_substitute(const double *a, size_t rows, size_t columns, double *b)
{
    for (size_t j = columns; j-- > 0;) {
        b[j] /= a[j * rows + j];
        for (size_t i = 0; i < j; i++) b[i] -= a[j * rows + i] * b[j];
    }
}
