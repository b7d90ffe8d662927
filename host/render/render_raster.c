/* render_raster.c -- draws triangles into samples, each owned by the nearest triangle, and interpolates their values.
 *
 * A sample belongs to the triangle with the least (depth, index), so that the picture depends neither on the order of
 * drawing nor on the number of threads. In 2D all depths are 1. */
#include "host/render/render_parts.h"

#include <math.h>
#include <string.h>

/* Half the width of the line along a side of a cell, in samples: each of two neighbours draws one half. */
#define LINE 1.1f

/* Returns twice the signed area of (a, b, p). */
static double side_of(const pio_vertex *a, const pio_vertex *b, double x, double y)
{
    return ((double)b->x - (double)a->x) * (y - (double)a->y) - ((double)b->y - (double)a->y) * (x - (double)a->x);
}

/* Computes the barycentric coordinates of a point. Returns false for a triangle without area on the screen. */
static bool barycentric(const pio_vertex *const v[3], double x, double y, double out[3])
{
    const double area = side_of(v[0], v[1], (double)v[2]->x, (double)v[2]->y);
    if (!(area < 0 || area > 0)) return false;
    for (int k = 0; k < 3; k++) out[k] = side_of(v[(k + 1) % 3], v[(k + 2) % 3], x, y) / area;
    return true;
}

static float least(float a, float b, float c)
{
    return fminf(a, fminf(b, c));
}

static float most(float a, float b, float c)
{
    return fmaxf(a, fmaxf(b, c));
}

/* Adds triangle `id` to the layers of a sample: the nearest by (depth, number) remain. */
static void add_layer(pio_layer *layer, uint8_t *count, float depth, uint32_t id)
{
    int at = *count;
    while (at > 0 && (layer[at - 1].depth > depth || (!(layer[at - 1].depth < depth) && layer[at - 1].triangle > id)))
        at--;
    if (at == PIO_MOST_LAYERS) return;
    if (*count < PIO_MOST_LAYERS) ++*count;
    for (int k = *count - 1; k > at; k--) layer[k] = layer[k - 1];
    layer[at] = (pio_layer){id, depth};
}

/* Draws triangle `id` into the rows [top, bottom), as what is shown, or into layers before it unless these are NULL. */
static void draw(const pio_samples *s, uint32_t id, int top, int bottom, pio_layers *layers)
{
    const pio_triangle *t = &s->skin.triangle[id];
    const pio_vertex *v[3] = {&s->skin.vertex[t->vertex[0]], &s->skin.vertex[t->vertex[1]],
                              &s->skin.vertex[t->vertex[2]]};
    const float low = least(v[0]->y, v[1]->y, v[2]->y), high = most(v[0]->y, v[1]->y, v[2]->y);
    if (!(high >= (float)top && low < (float)bottom)) return;
    const float left = least(v[0]->x, v[1]->x, v[2]->x), right = most(v[0]->x, v[1]->x, v[2]->x);
    const double area = side_of(v[0], v[1], (double)v[2]->x, (double)v[2]->y);
    if (!(area < 0 || area > 0) || !(right >= 0 && left < (float)s->width)) return;
    const int y0 = (int)fmaxf((float)top, ceilf(low - 0.5f)), y1 = (int)fminf((float)(bottom - 1), floorf(high - 0.5f));
    const int x0 = (int)fmaxf(0, ceilf(left - 0.5f)), x1 = (int)fminf((float)(s->width - 1), floorf(right - 0.5f));
    double dx[3], sense = area > 0 ? 1 : -1;
    for (int k = 0; k < 3; k++) dx[k] = sense * ((double)v[(k + 1) % 3]->y - (double)v[(k + 2) % 3]->y);
    for (int y = y0; y <= y1; y++) {
        float *depth = s->depth + (size_t)y * (size_t)s->width;
        uint32_t *owner = s->owner + (size_t)y * (size_t)s->width;
        double e[3];
        for (int k = 0; k < 3; k++) e[k] = sense * side_of(v[(k + 1) % 3], v[(k + 2) % 3], x0 + 0.5, y + 0.5);
        for (int x = x0; x <= x1; x++) {
            const double in[3] = {e[0] + dx[0] * (x - x0), e[1] + dx[1] * (x - x0), e[2] + dx[2] * (x - x0)};
            if (in[0] < 0 || in[1] < 0 || in[2] < 0) continue;
            const double near =
                in[0] * (double)v[0]->nearness + in[1] * (double)v[1]->nearness + in[2] * (double)v[2]->nearness;
            const float z = (float)(fabs(area) / near);
            if (layers != NULL) {
                const size_t at = (size_t)(y - layers->top) * (size_t)s->width + (size_t)x;
                if (z < depth[x]) add_layer(layers->layer + at * PIO_MOST_LAYERS, &layers->count[at], z, id);
                continue;
            }
            if (z > depth[x] || (!(z < depth[x]) && s->n_discs + id >= owner[x])) continue;
            depth[x] = z;
            owner[x] = s->n_discs + id;
        }
    }
}

static bool shown(const pio_samples *s, const pio_triangle *t)
{
    float sum = 0;
    for (int k = 0; k < 3; k++) sum += s->skin.vertex[t->vertex[k]].x;
    return sum == sum && sum < INFINITY && sum > -INFINITY;
}

void pio_raster(const pio_frame *f, pio_samples *s)
{
    int bands = f->p.threads == 1 ? 1 : 4 * f->p.threads;
    if (bands > s->height) bands = s->height;
#pragma omp parallel for num_threads(f->p.threads) schedule(dynamic, 1)
    for (int band = 0; band < bands; band++) {
        int top = (int)((int64_t)s->height * band / bands), bottom = (int)((int64_t)s->height * (band + 1) / bands);
        for (size_t i = 0; i < s->skin.n; i++) {
            const pio_triangle *t = &s->skin.triangle[i];
            if (t->opacity == PIO_OPAQUE && shown(s, t)) draw(s, (uint32_t)i, top, bottom, NULL);
        }
    }
}

void pio_raster_layers(const pio_samples *s, pio_layers *layers)
{
    memset(layers->count, 0, (size_t)(layers->bottom - layers->top) * (size_t)s->width);
    for (size_t i = 0; i < s->skin.n; i++) {
        const pio_triangle *t = &s->skin.triangle[i];
        const bool seen = t->opacity > 0 && t->opacity < PIO_OPAQUE;
        if (seen && shown(s, t)) draw(s, (uint32_t)i, layers->top, layers->bottom, layers);
    }
}

/* Returns the distance of a point of the face from its k-th side, in parameters: 0 there, 1 at the opposite side or
 * corner. */
static double from_side(const pio_triangle *t, const pio_vertex *v, int k)
{
    const double a = (double)v->at[0], b = (double)v->at[1];
    const double four[4] = {a, b, 1 - a, 1 - b}, three[3] = {a, b, 1 - a - b};
    return t->sides == 4 ? four[k] : three[k];
}

/* Returns how much of the sample lies under the line along a side of the face. Parameters are linear over the triangle,
 * so that a distance is their difference over their slope on the screen. */
static float line_at(const pio_triangle *t, const pio_vertex *const v[3], const double lambda[3])
{
    const double area = side_of(v[0], v[1], (double)v[2]->x, (double)v[2]->y);
    double line = 0;
    for (int side = 0; side < t->sides; side++) {
        double here = 0, slope[2] = {0, 0};
        for (int k = 0; k < 3; k++) {
            const pio_vertex *a = v[(k + 1) % 3], *b = v[(k + 2) % 3];
            const double g = from_side(t, v[k], side);
            here += lambda[k] * g;
            slope[0] += g * ((double)a->y - (double)b->y) / area;
            slope[1] += g * ((double)b->x - (double)a->x) / area;
        }
        line = fmax(line, (double)LINE + 0.5 - here / fmax(hypot(slope[0], slope[1]), 1e-9));
    }
    return (float)fmin(1, line);
}

pio_raster_value pio_raster_interpolate(const pio_samples *s, int x, int y, uint32_t id)
{
    const pio_triangle *t = &s->skin.triangle[id];
    const pio_vertex *v[3] = {&s->skin.vertex[t->vertex[0]], &s->skin.vertex[t->vertex[1]],
                              &s->skin.vertex[t->vertex[2]]};
    double lambda[3] = {1, 0, 0}, w[3], sum = 0, n[3] = {0, 0, 0}, value = 0;
    (void)barycentric(v, x + 0.5, y + 0.5, lambda);
    for (int k = 0; k < 3; k++)
        sum += w[k] = lambda[k] * (double)v[k]->nearness; /* linear in space, not on the screen */
    for (int k = 0; k < 3; k++) {
        value += w[k] / sum * (double)v[k]->value;
        for (int c = 0; c < 3; c++) n[c] += w[k] / sum * (double)v[k]->normal[c];
    }
    if (v[0]->value == v[1]->value && v[1]->value == v[2]->value) value = (double)v[0]->value;
    /* On the screen y points down: a face that turns counter-clockwise seen by the eye has a negative area there. */
    const double away = side_of(v[0], v[1], (double)v[2]->x, (double)v[2]->y) > 0 ? -1 : 1;
    n[2] = fmax(0, away * n[2]);
    n[0] *= away;
    n[1] *= away;
    const double length = fmax(1e-300, sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]));
    return (pio_raster_value){.value = (float)value,
                              .normal = {(float)(n[0] / length), (float)(n[1] / length), (float)(n[2] / length)},
                              .line = s->skin.lines * line_at(t, v, lambda)};
}
