/* mesh_locate.c -- the elements in which a point lies, and the point of a mesh that is nearest to one outside. */
#include "host/mesh/mesh.h"

#include "host/base/fail.h"
#include "host/base/stop.h"

#include <math.h>
#include <stdlib.h>

/* How far outside of the reference element a point may be, because its coordinates are rounded. */
#define EDGE 1e-6

static bool is_simplex(const pio_element *e)
{
    return e->corners == e->dimension + 1;
}

/* Returns whether r lies in the reference element, or no farther outside than `by`. */
static bool is_in(const pio_element *e, const double r[3], double by)
{
    double sum = 0, least = INFINITY, most = -INFINITY;
    for (int a = 0; a < e->dimension; a++) {
        sum += r[a];
        least = fmin(least, r[a]);
        most = fmax(most, r[a]);
    }
    return is_simplex(e) ? least >= -by && sum <= 1 + by : least >= -1 - by && most <= 1 + by;
}

/* Computes the place x of the point r of an element, m. */
static void place_of(const pio_mesh *mesh, int32_t cell, const double r[3], double x[3])
{
    pio_element_type type;
    double N[PIO_ELEMENT_NODES];
    const int32_t *nodes = pio_mesh_element(mesh, cell, &type);
    pio_element_values(type, r, N);
    for (int a = 0; a < 3; a++) {
        x[a] = 0;
        for (int n = 0; n < pio_elements[type].nodes; n++) x[a] += N[n] * mesh->x[3 * (size_t)nodes[n] + (size_t)a];
    }
}

static double square_between(const double a[3], const double b[3])
{
    double sum = 0;
    for (int c = 0; c < 3; c++) sum += (a[c] - b[c]) * (a[c] - b[c]);
    return sum;
}

/* Solves J dr = f by Cramer's rule; returns false where J is singular. */
static bool solve(int dimension, double J[3][3], const double f[3], double dr[3])
{
    if (dimension == 2) {
        const double det = J[0][0] * J[1][1] - J[0][1] * J[1][0];
        dr[0] = (f[0] * J[1][1] - f[1] * J[0][1]) / det;
        dr[1] = (f[1] * J[0][0] - f[0] * J[1][0]) / det;
        dr[2] = 0;
        return fabs(det) > 0;
    }
    double cofactor[3][3], det = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            cofactor[i][j] = J[(i + 1) % 3][(j + 1) % 3] * J[(i + 2) % 3][(j + 2) % 3] -
                             J[(i + 1) % 3][(j + 2) % 3] * J[(i + 2) % 3][(j + 1) % 3];
    for (int j = 0; j < 3; j++) det += J[0][j] * cofactor[0][j];
    for (int j = 0; j < 3; j++) {
        dr[j] = 0;
        for (int i = 0; i < 3; i++) dr[j] += cofactor[i][j] * f[i] / det;
    }
    return fabs(det) > 0;
}

/* Moves r by Newton's method to the point of an element that lies at x, with steps that bring it nearer; returns
 * whether there is one. */
static bool newton(const pio_mesh *mesh, int32_t cell, const double x[3], double r[3])
{
    pio_element_type type;
    double at[3];
    const int32_t *nodes = pio_mesh_element(mesh, cell, &type);
    const pio_element *e = &pio_elements[type];
    place_of(mesh, cell, r, at);
    for (int iteration = 0; iteration < 50; iteration++) {
        double J[3][3] = {{0}}, f[3], dr[3], gradient[PIO_ELEMENT_NODES][3], size = 0, step = 1;
        const double before = square_between(x, at);
        pio_element_gradients(type, r, gradient);
        for (int a = 0; a < 3; a++) f[a] = x[a] - at[a];
        for (int n = 0; n < e->nodes; n++)
            for (int a = 0; a < e->dimension; a++)
                for (int b = 0; b < e->dimension; b++)
                    J[a][b] += mesh->x[3 * (size_t)nodes[n] + (size_t)a] * gradient[n][b];
        if (!solve(e->dimension, J, f, dr)) return false;
        for (int a = 0; a < e->dimension; a++) size = fmax(size, fabs(dr[a]));
        if (!isfinite(size)) return false;
        if (size < 1e-9) { /* the last step */
            for (int a = 0; a < e->dimension; a++) r[a] += dr[a];
            return is_in(e, r, EDGE);
        }
        double s[3] = {0};
        for (; step > 1e-3; step /= 2) {
            for (int a = 0; a < e->dimension; a++) s[a] = r[a] + step * dr[a];
            place_of(mesh, cell, s, at);
            if (square_between(x, at) < before) break;
        }
        if (!(step > 1e-3) && size < EDGE) return is_in(e, r, EDGE); /* rounding of places far from the origin */
        for (int a = 0; a < 3; a++) r[a] = s[a];
    }
    return false;
}

/* Finds the point r of an element that lies at x, from the middle or from the nearest node; returns whether there is
 * one. */
static bool invert(const pio_mesh *mesh, int32_t cell, const double x[3], double r[3])
{
    pio_element_type type;
    const int32_t *nodes = pio_mesh_element(mesh, cell, &type);
    const pio_element *e = &pio_elements[type];
    double least = INFINITY;
    int nearest = 0;
    for (int a = 0; a < 3; a++) r[a] = a < e->dimension && is_simplex(e) ? 1.0 / (e->dimension + 1) : 0;
    if (newton(mesh, cell, x, r)) return true;
    for (int n = 0; n < e->nodes; n++) {
        const double square = square_between(x, mesh->x + 3 * (size_t)nodes[n]);
        if (square < least) nearest = n;
        least = fmin(least, square);
    }
    for (int a = 0; a < 3; a++) r[a] = a < e->dimension ? e->place[nearest][a] : 0;
    return newton(mesh, cell, x, r);
}

/* The box of a cell, larger by a quarter, since curved sides bulge over their nodes. */
static void box_of(const pio_mesh *mesh, int32_t cell, double low[3], double high[3])
{
    pio_element_type type;
    const int32_t *nodes = pio_mesh_element(mesh, cell, &type);
    for (int a = 0; a < 3; a++) {
        low[a] = INFINITY;
        high[a] = -INFINITY;
        for (int n = 0; n < pio_elements[type].nodes; n++) {
            low[a] = fmin(low[a], mesh->x[3 * (size_t)nodes[n] + (size_t)a]);
            high[a] = fmax(high[a], mesh->x[3 * (size_t)nodes[n] + (size_t)a]);
        }
    }
    const double by = 0.25 * fmax(fmax(high[0] - low[0], high[1] - low[1]), high[2] - low[2]);
    for (int a = 0; a < 3; a++) {
        low[a] -= by;
        high[a] += by;
    }
}

/* ---- in which elements ---------------------------------------------------------------------------------- */

static int by_low(const void *a, const void *b, void *context)
{
    const int32_t i = *(const int32_t *)a, j = *(const int32_t *)b;
    const double *low = context;
    return low[i] < low[j] ? -1 : low[i] > low[j] ? 1 : (i > j) - (i < j);
}

piola_status pio_mesh_locator_create(pio_mesh_locator *out, const pio_mesh *mesh, piola_error *error)
{
    const size_t n = (size_t)mesh->n_cells;
    *out = (pio_mesh_locator){.mesh = mesh, .low = malloc(sizeof(double) * (n + 1)), .cell = malloc(4 * (n + 1))};
    if (!out->low || !out->cell) {
        pio_mesh_locator_free(out);
        return pio_fail_memory(error, (sizeof(double) + 4) * n, "the elements of a point");
    }
    for (int32_t c = 0; c < mesh->n_cells; c++) {
        double low[3], high[3];
        box_of(mesh, c, low, high);
        out->low[c] = low[0];
        out->cell[c] = c;
        out->widest = fmax(out->widest, high[0] - low[0]);
    }
    const piola_status rc = pio_stop_sort(out->cell, n, sizeof *out->cell, by_low, out->low, "sorting elements", error);
    if (rc) pio_mesh_locator_free(out);
    return rc;
}

void pio_mesh_locator_free(pio_mesh_locator *l)
{
    free(l->low);
    free(l->cell);
    *l = (pio_mesh_locator){0};
}

/* Returns the first place in l->cell of an element whose box begins at x or behind it. */
static int32_t first_behind(const pio_mesh_locator *l, double x)
{
    int32_t first = 0, end = l->mesh->n_cells;
    while (first < end) {
        const int32_t half = first + (end - first) / 2;
        if (l->low[l->cell[half]] < x)
            first = half + 1;
        else
            end = half;
    }
    return first;
}

static int by_cell(const void *a, const void *b)
{
    const pio_mesh_point *p = a, *q = b;
    return (p->cell > q->cell) - (p->cell < q->cell);
}

int32_t pio_mesh_locate(const pio_mesh_locator *l, const double x[3], pio_mesh_point *out, int32_t most)
{
    int32_t n = 0;
    for (int32_t i = first_behind(l, x[0] - l->widest); i < l->mesh->n_cells && l->low[l->cell[i]] <= x[0]; i++) {
        pio_mesh_point p = {.cell = l->cell[i]};
        double low[3], high[3];
        bool near = true;
        box_of(l->mesh, p.cell, low, high);
        for (int a = 0; a < l->mesh->dimension; a++) near &= x[a] >= low[a] && x[a] <= high[a];
        if (!near || !invert(l->mesh, p.cell, x, p.r)) continue;
        if (n < most) out[n] = p;
        n++;
    }
    if (n && n <= most) qsort(out, (size_t)n, sizeof *out, by_cell);
    return n;
}

/* ---- the nearest point ----------------------------------------------------------------------------------- */

/* Moves r within the element to where the place is nearer to x, along the axes and along their differences, by shorter
 * and shorter steps; returns the squared distance. */
static double approach(const pio_mesh *mesh, int32_t cell, const double x[3], double r[3])
{
    pio_element_type type;
    double at[3];
    pio_mesh_element(mesh, cell, &type);
    const pio_element *e = &pio_elements[type];
    place_of(mesh, cell, r, at);
    double best = square_between(x, at);
    for (double step = 0.5; step > 1e-10;) {
        bool moved = false;
        for (int k = 0; k < e->dimension * (e->dimension + 1); k++) {
            const int a = k / (e->dimension + 1), b = k % (e->dimension + 1);
            for (int sign = -1; sign <= 1; sign += 2) {
                double s[3] = {r[0], r[1], r[2]};
                s[a] += sign * step;
                if (b < e->dimension && b != a) s[b] -= sign * step;
                if (!is_in(e, s, 0)) continue;
                place_of(mesh, cell, s, at);
                if (!(square_between(x, at) < best)) continue;
                best = square_between(x, at);
                for (int c = 0; c < 3; c++) r[c] = s[c];
                moved = true;
            }
        }
        if (!moved) step /= 2;
    }
    return best;
}

void pio_mesh_nearest(const pio_mesh *mesh, const double x[3], double out[3])
{
    double best = INFINITY;
    for (int32_t c = 0; c < mesh->n_cells; c++) {
        pio_element_type type;
        double low[3], high[3], to_box = 0, r[3] = {0}, nearest = INFINITY;
        const int32_t *nodes = pio_mesh_element(mesh, c, &type);
        box_of(mesh, c, low, high);
        for (int a = 0; a < 3; a++) to_box += pow(fmax(fmax(low[a] - x[a], x[a] - high[a]), 0), 2);
        if (!(to_box < best)) continue;
        for (int n = 0; n < pio_elements[type].nodes; n++) {
            const double square = square_between(x, mesh->x + 3 * (size_t)nodes[n]);
            if (!(square < nearest)) continue;
            nearest = square;
            for (int a = 0; a < 3; a++) r[a] = a < mesh->dimension ? pio_elements[type].place[n][a] : 0;
        }
        nearest = approach(mesh, c, x, r);
        if (!(nearest < best)) continue;
        best = nearest;
        place_of(mesh, c, r, out);
    }
}
