/* fill.c -- see fill.h. */
#include "host/fill.h"

#include "host/fail.h"

#include <math.h>
#include <stdlib.h>

/* SplitMix64 (Steele, Lea, Flood 2014) of a counter: the same number whatever was drawn before. */
static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

/* In [0, 1). */
static double uniform(uint64_t seed, uint64_t stream, uint64_t item, uint64_t axis)
{
    return (double)(mix(mix(mix(mix(seed) + stream) + item) + axis) >> 11) * 0x1p-53;
}

double pio_uniform(uint64_t seed, uint64_t stream, uint64_t item, uint64_t axis)
{
    return uniform(seed, stream, item, axis);
}

static void bounds_of(const scene_geometry *g, int dimension, double low[3], double high[3])
{
    for (int a = 0; a < dimension; a++) {
        if (g->shape == SCENE_BOX) {
            low[a] = g->min[a];
            high[a] = g->max[a];
        } else {
            const double r = g->shape == SCENE_CYLINDER && a == g->axis ? g->height / 2 : g->radius;
            low[a] = g->center[a] - r;
            high[a] = g->center[a] + r;
        }
    }
}

double pio_shape_volume(const scene_geometry *g, int dimension)
{
    double v = 1;
    switch (g->shape) {
    case SCENE_BOX:
        for (int a = 0; a < dimension; a++) v *= g->max[a] - g->min[a];
        return v;
    case SCENE_BALL:
        return dimension == 2 ? M_PI * g->radius * g->radius : 4.0 / 3 * M_PI * pow(g->radius, 3);
    default:
        return M_PI * g->radius * g->radius * g->height;
    }
}

void pio_shape_centroid(const scene_geometry *g, int dimension, double centroid[3])
{
    double low[3] = {0}, high[3] = {0};
    bounds_of(g, dimension, low, high);
    for (int a = 0; a < 3; a++) centroid[a] = (low[a] + high[a]) / 2;
}

static int inside(const scene_geometry *g, int dimension, const double x[3])
{
    double r2 = 0;
    if (g->shape == SCENE_BOX) return 1;
    for (int a = 0; a < dimension; a++) {
        const double d = x[a] - g->center[a];
        if (g->shape == SCENE_CYLINDER && a == g->axis) {
            if (fabs(d) > g->height / 2) return 0;
        } else {
            r2 += d * d;
        }
    }
    return r2 <= g->radius * g->radius;
}

piola_status pio_fill(const scene_geometry *shape, const double offset[3], int dimension, double spacing,
                      int particles_per_cell, scene_fill method, uint64_t seed, uint64_t stream, pio_fill_result *out,
                      piola_error *error)
{
    double low[3] = {0}, high[3] = {0}, step[3] = {1, 1, 1}, sites = 1;
    int64_t count[3] = {1, 1, 1};
    const double wanted = spacing / pow(particles_per_cell, 1.0 / dimension);
    *out = (pio_fill_result){0};
    bounds_of(shape, dimension, low, high);
    for (int a = 0; a < dimension; a++) {
        count[a] = (int64_t)fmax(1, round((high[a] - low[a]) / wanted));
        step[a] = (high[a] - low[a]) / (double)count[a];
        sites *= (double)count[a];
    }
    if (sites > 2147483647.0)
        return pio_fail(error, PIOLA_BAD_DATA, "geometry '%s' would take %.3g particles; a larger spacing is needed",
                        shape->name, sites);
    const size_t bytes = sizeof(double) * (size_t)dimension * (size_t)sites;
    out->position = malloc(bytes);
    if (!out->position) return pio_fail_memory(error, bytes, "particle positions");
    for (int64_t site = 0; site < (int64_t)sites; site++) {
        const int64_t at[3] = {site / (count[1] * count[2]), site / count[2] % count[1], site % count[2]};
        double x[3] = {0};
        for (int a = 0; a < dimension; a++) {
            const double u = method == SCENE_JITTERED ? uniform(seed, stream, (uint64_t)site, (uint64_t)a) : 0.5;
            x[a] = low[a] + ((double)at[a] + u) * step[a];
        }
        if (!inside(shape, dimension, x)) continue;
        for (int a = 0; a < dimension; a++) out->position[out->n * dimension + a] = x[a] + offset[a];
        out->n++;
    }
    if (out->n == 0) {
        free(out->position);
        out->position = NULL;
        return pio_fail(error, PIOLA_BAD_DATA,
                        "geometry '%s' holds no particle at spacing %g m with %d per cell; it is too small",
                        shape->name, spacing, particles_per_cell);
    }
    out->volume = pio_shape_volume(shape, dimension) / (double)out->n;
    return PIOLA_OK;
}
