/* fill.c -- see fill.h. */
#include "host/scene/fill.h"

#include "host/base/fail.h"
#include "host/base/random.h"
#include "host/base/stop.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
    scene_fill method;      /* regular, jittered or cut */
    uint64_t seed, stream;  /* of the random numbers of jitter */
    double low[3], step[3]; /* lower corner; spacing along each axis, m */
    int64_t count[2];       /* sites along y and z */
} lattice;

static void place_site(const lattice *l, int dimension, int64_t site, double x[3])
{
    const int64_t at[3] = {site / (l->count[0] * l->count[1]), site / l->count[1] % l->count[0], site % l->count[1]};
    for (int a = 0; a < dimension; a++) {
        const double u =
            l->method == SCENE_JITTERED ? pio_uniform(l->seed, l->stream, (uint64_t)site, (uint64_t)a) : 0.5;
        x[a] = l->low[a] + ((double)at[a] + u) * l->step[a];
    }
}

/* The part of a cell of the lattice that is inside a shape. */
typedef struct {
    double part;      /* 0 .. 1 */
    double centre[3]; /* its centroid, m */
} cut_cell;

/* Samples of a cell, in a grid of so many along each axis. */
typedef struct {
    int along;     /* samples along an axis */
    double wide;   /* size of the grid over that of the cell */
    int inside;    /* how many are inside the shape */
    double sum[3]; /* of the places of those, from the cell's middle, in cells */
} cut_samples;

/* Finds which samples of the cell about x are inside the shape. Returns the errors of pio_shape_holds_once(). */
static piola_status count_samples(const pio_shape *shape, const lattice *l, const double x[3], cut_samples *s,
                                  piola_error *error)
{
    const int dimension = shape->dimension, n = s->along * s->along * (dimension == 3 ? s->along : 1);
    piola_status rc = PIOLA_OK;
    for (int k = 0; !rc && k < n; k++) {
        double at[3] = {0}, u[3] = {0};
        bool in = false;
        for (int a = 0, rest = k; a < dimension; a++, rest /= s->along) {
            u[a] = s->wide * ((rest % s->along + 0.5) / s->along - 0.5);
            at[a] = x[a] + u[a] * l->step[a];
        }
        rc = pio_shape_holds_once(shape, at, &in, error);
        if (rc || !in) continue;
        s->inside++;
        for (int a = 0; a < dimension; a++) s->sum[a] += u[a];
    }
    return rc;
}

/* Finds the part of the cell about x. Most are inside or outside with their corners. Returns the errors of
 * pio_shape_holds_once(). */
static piola_status cut_of(const pio_shape *shape, const lattice *l, const double x[3], cut_cell *out,
                           piola_error *error)
{
    const int dimension = shape->dimension;
    cut_samples corners = {.along = 2, .wide = 2 * (1 - 1e-9)}, fine = {.along = dimension == 3 ? 8 : 16, .wide = 1};
    bool middle;
    *out = (cut_cell){0, {x[0], x[1], x[2]}};
    piola_status rc = pio_shape_holds_once(shape, x, &middle, error);
    if (!rc) rc = count_samples(shape, l, x, &corners, error);
    if (rc || (!middle && corners.inside == 0)) return rc;
    out->part = 1;
    if (middle && corners.inside == 1 << dimension) return PIOLA_OK;
    rc = count_samples(shape, l, x, &fine, error);
    out->part = fine.inside / pow(fine.along, dimension);
    for (int a = 0; a < dimension && fine.inside > 0; a++) out->centre[a] += fine.sum[a] / fine.inside * l->step[a];
    return rc;
}

/* Adds the particle of a site, if it has one. Returns the errors of pio_shape_holds_once(). */
static piola_status add_site(const pio_shape *shape, const pio_filling *how, const lattice *on, int64_t site,
                             pio_fill_result *out, piola_error *error)
{
    static const double least = 1.0 / 30; /* part of a cell */
    const int dimension = shape->dimension;
    double x[3] = {0};
    bool in = true;
    piola_status rc = PIOLA_OK;
    place_site(on, dimension, site, x);
    if (out->volumes) {
        cut_cell cell;
        rc = cut_of(shape, on, x, &cell, error);
        in = cell.part > least;
        out->volumes[out->n] = cell.part;
        for (int a = 0; a < 3; a++) x[a] = cell.centre[a];
    } else if (shape->is->shape != PIO_BOX) {
        rc = pio_shape_holds_once(shape, x, &in, error);
    }
    if (rc || !in) return rc;
    for (int a = 0; a < dimension; a++) out->position[out->n * dimension + a] = x[a] + how->offset[a];
    out->n++;
    return PIOLA_OK;
}

/* Makes the parts of cells volumes. */
static void scale_volumes(const pio_shape *shape, pio_fill_result *out)
{
    double sum = 0;
    for (int64_t i = 0; i < out->n; i++) sum += out->volumes[i];
    for (int64_t i = 0; i < out->n; i++) out->volumes[i] *= pio_shape_volume(shape) / sum;
}

piola_status pio_fill(const pio_shape *shape, const pio_filling *how, pio_fill_result *out, piola_error *error)
{
    const int dimension = shape->dimension;
    double low[3] = {0}, high[3] = {0}, step[3] = {1, 1, 1}, sites = 1;
    int64_t count[3] = {1, 1, 1};
    const double wanted = how->spacing / pow(how->particles_per_cell, 1.0 / dimension);
    *out = (pio_fill_result){0};
    pio_shape_bounds(shape, low, high);
    pio_shape_centroid(shape, out->centroid);
    for (int a = 0; a < dimension; a++) {
        const double wide = fmax(1, round((high[a] - low[a]) / wanted));
        count[a] = (int64_t)fmin(wide, 9e15);
        step[a] = (high[a] - low[a]) / wide;
        sites *= wide;
    }
    if (sites > 2147483647.0)
        return pio_fail(error, PIOLA_BAD_DATA, "geometry '%s' would take %.3g particles; a larger spacing is needed",
                        shape->is->name, sites);
    const bool cut = how->method == SCENE_CUT && shape->is->shape != PIO_BOX; /* a box fits its cells */
    const size_t bytes = sizeof(double) * (size_t)dimension * (size_t)sites;
    out->position = malloc(bytes);
    out->volumes = cut ? malloc(sizeof(double) * (size_t)sites) : NULL;
    if (!out->position || (cut && !out->volumes)) {
        free(out->position);
        free(out->volumes);
        out->position = out->volumes = NULL;
        return pio_fail_memory(error, bytes, "particle positions");
    }
    const lattice on = {.method = how->method,
                        .seed = how->seed,
                        .stream = how->stream,
                        .low = {low[0], low[1], low[2]},
                        .step = {step[0], step[1], step[2]},
                        .count = {count[1], count[2]}};
    piola_status rc = PIOLA_OK;
    for (int64_t site = 0; !rc && site < (int64_t)sites; site++) {
        rc = pio_stop_at(site, "filling a body with particles", error);
        if (!rc) rc = add_site(shape, how, &on, site, out, error);
    }
    if (!rc && out->n == 0)
        rc = pio_fail(error, PIOLA_BAD_DATA,
                      "geometry '%s' holds no particle at spacing %g m with %d per cell; it is too small%s",
                      shape->is->name, how->spacing, how->particles_per_cell,
                      shape->is->shape == PIO_CLOSED_MESH ? ", unless its `scale` is wrong" : "");
    if (rc) {
        free(out->position);
        free(out->volumes);
        out->position = out->volumes = NULL;
        return rc;
    }
    if (out->volumes) scale_volumes(shape, out);
    out->volume = pio_shape_volume(shape) / (double)out->n;
    return PIOLA_OK;
}
