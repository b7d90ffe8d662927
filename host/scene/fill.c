/* fill.c -- see fill.h. */
#include "host/scene/fill.h"

#include "host/base/fail.h"
#include "host/base/random.h"
#include "host/base/stop.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
    scene_fill method;      /* regular or jittered */
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
    const size_t bytes = sizeof(double) * (size_t)dimension * (size_t)sites;
    out->position = malloc(bytes);
    if (!out->position) return pio_fail_memory(error, bytes, "particle positions");
    const lattice on = {.method = how->method,
                        .seed = how->seed,
                        .stream = how->stream,
                        .low = {low[0], low[1], low[2]},
                        .step = {step[0], step[1], step[2]},
                        .count = {count[1], count[2]}};
    piola_status rc = PIOLA_OK;
    for (int64_t site = 0; !rc && site < (int64_t)sites; site++) {
        double x[3] = {0};
        bool in = true;
        rc = pio_stop_at(site, "filling a body with particles", error);
        place_site(&on, dimension, site, x);
        if (!rc && shape->is->shape != PIO_BOX) rc = pio_shape_holds_once(shape, x, &in, error);
        if (rc || !in) continue;
        for (int a = 0; a < dimension; a++) out->position[out->n * dimension + a] = x[a] + how->offset[a];
        out->n++;
    }
    if (!rc && out->n == 0)
        rc = pio_fail(error, PIOLA_BAD_DATA,
                      "geometry '%s' holds no particle at spacing %g m with %d per cell; it is too small%s",
                      shape->is->name, how->spacing, how->particles_per_cell,
                      shape->is->shape == PIO_CLOSED_MESH ? ", unless its `scale` is wrong" : "");
    if (rc) {
        free(out->position);
        out->position = NULL;
        return rc;
    }
    out->volume = pio_shape_volume(shape) / (double)out->n;
    return PIOLA_OK;
}
