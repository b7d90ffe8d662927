/* fill_points.c -- particles from a table of points: columns x, y[, z] and, where the geometry has no volume,
 * volume. */
#include "host/scene/fill.h"

#include "host/data/csv.h"
#include "host/base/fail.h"
#include "host/base/large.h"
#include "host/base/axes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The numbers of the table's columns. */
typedef struct {
    int at[3];  /* [dimension] positions x, y, z */
    int volume; /* volume, or -1 */
} columns;

/* Returns the number of the column volume, or -1. */
static int volume_column(const pio_csv *csv)
{
    for (size_t c = 0; c < csv->n_columns; c++)
        if (!strcmp(csv->columns[c], "volume")) return (int)c;
    return -1;
}

/* Volumes are either in the table or in the scene, and above 0. */
static piola_status check_volume(const scene_geometry *g, const pio_csv *csv, int column, piola_error *error)
{
    const bool has_volume = !isnan(g->volume);
    if (has_volume && column >= 0)
        return pio_fail(error, PIOLA_BAD_DATA,
                        "%.1000s: has a column volume, and geometry '%s' a volume; keep one of them", csv->path,
                        g->name);
    if (!has_volume && column < 0)
        return pio_fail(
            error, PIOLA_BAD_DATA,
            "%.1000s: has no column volume; add it, or `volume`, that of all points together, to geometry '%s'",
            csv->path, g->name);
    for (size_t r = 0; column >= 0 && r < csv->n_rows; r++) {
        const double v = csv->values[r * csv->n_columns + (size_t)column];
        if (!(v > 0)) return pio_csv_fault(csv, r, (size_t)column, error, "%g is no volume; it must be above 0", v);
    }
    return PIOLA_OK;
}

/* Takes positions, volumes and centroid from the rows; `offset` [dimension] m is added to each position. */
static piola_status take(const scene_geometry *g, const pio_csv *csv, const columns *c, const double offset[3],
                         int dimension, pio_fill_result *out, piola_error *error)
{
    const size_t dim = (size_t)dimension, bytes = csv->n_rows * (dim + 1) * sizeof(double);
    const double unit = pow(g->scale, dimension);
    double sum = 0;
    out->n = (int64_t)csv->n_rows;
    out->position = pio_large_alloc(csv->n_rows * dim * sizeof(double));
    out->volumes = pio_large_alloc(csv->n_rows * sizeof(double));
    if (!out->position || !out->volumes) return pio_fail_memory(error, bytes, "particles");
    for (size_t r = 0; r < csv->n_rows; r++) {
        const double *row = csv->values + r * csv->n_columns;
        out->volumes[r] = c->volume < 0 ? g->volume / (double)csv->n_rows : unit * row[c->volume];
        sum += out->volumes[r];
        for (size_t a = 0; a < dim; a++) {
            const double x = g->scale * row[c->at[a]];
            out->position[r * dim + a] = x + offset[a];
            out->centroid[a] += out->volumes[r] * x;
            if (!isfinite(x) || !isfinite(sum))
                return pio_csv_fault(csv, r, (size_t)c->at[a], error, "too large for a double with scale %g", g->scale);
        }
    }
    for (size_t a = 0; a < dim; a++) out->centroid[a] /= sum;
    return PIOLA_OK;
}

static void name_unread(const pio_csv *csv, const columns *known, int dimension, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (int c = 0; c < (int)csv->n_columns; c++) {
        bool read = c == known->volume;
        for (int a = 0; a < dimension; a++) read |= c == known->at[a];
        if (read) continue;
        const int n = snprintf(out + used, size - used, "%s%.60s", used ? ", " : "", csv->columns[c]);
        if (n < 0 || (size_t)n >= size - used) {
            out[used] = '\0';
            return;
        }
        used += (size_t)n;
    }
}

void pio_fill_bounds(const pio_fill_result *fill, int dimension, double low[3], double high[3])
{
    for (int a = 0; a < dimension; a++) {
        low[a] = INFINITY;
        high[a] = -INFINITY;
        for (int64_t p = 0; p < fill->n; p++) {
            low[a] = fmin(low[a], fill->position[p * dimension + a]);
            high[a] = fmax(high[a], fill->position[p * dimension + a]);
        }
    }
}

piola_status pio_fill_points(const scene_geometry *geometry, const pio_csv *csv, const double offset[3], int dimension,
                             pio_fill_result *out, piola_error *error)
{
    columns c = {.at = {0}};
    *out = (pio_fill_result){0};
    piola_status rc = PIOLA_OK;
    for (int a = 0; a < dimension && !rc; a++) {
        c.at[a] = pio_csv_column(csv, pio_axis_names[a], error);
        if (c.at[a] < 0) rc = PIOLA_BAD_DATA;
    }
    c.volume = volume_column(csv);
    if (!rc) rc = check_volume(geometry, csv, c.volume, error);
    if (!rc) rc = take(geometry, csv, &c, offset, dimension, out, error);
    if (!rc) name_unread(csv, &c, dimension, out->unread, sizeof out->unread);
    if (rc) {
        free(out->position);
        free(out->volumes);
        *out = (pio_fill_result){0};
    }
    return rc;
}
