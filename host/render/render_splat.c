/* render_splat.c -- draws particles as discs (2D) or spheres (3D) into samples, each owned by the nearest particle.
 *
 * A sample belongs to the particle with the least (depth, index), so that the result depends neither on the order of
 * drawing nor on the number of threads. In 2D the depth is the squared distance from the disc's centre, so that
 * overlapping discs meet halfway. */
#include "host/render/render_parts.h"
#include "host/base/fail.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SLICES 4096    /* slices of depth, for drawing from front to back */
#define BEYOND (-2.0f) /* radius of a disc outside the plot */
#define ABSENT (-1.0f) /* radius of a particle whose position is not finite, or that is drawn within a surface */

void pio_samples_free(pio_samples *s)
{
    free(s->depth);
    free(s->owner);
    free(s->discs);
    free(s->colour);
    free(s->skin.vertex);
    free(s->skin.triangle);
    memset(s, 0, sizeof *s);
}

piola_status pio_samples_make(const pio_frame *f, pio_samples *s, piola_error *error)
{
    memset(s, 0, sizeof *s);
    s->width = PIO_SAMPLES * (int)f->plot.w;
    s->height = PIO_SAMPLES * (int)f->plot.h;
    size_t count = (size_t)s->width * (size_t)s->height;
    s->depth = malloc(count * sizeof *s->depth);
    s->owner = malloc(count * sizeof *s->owner);
    if (s->depth == NULL || s->owner == NULL) {
        pio_samples_free(s);
        return pio_fail(error, PIOLA_NO_MEMORY, "no memory to draw the picture (%zu bytes)", count * 8);
    }
    for (size_t i = 0; i < count; i++) s->depth[i] = INFINITY, s->owner[i] = PIO_NO_OWNER;
    return PIOLA_OK;
}

static piola_status make_discs(const pio_frame *f, pio_samples *s, piola_error *error)
{
    piola_status status = pio_samples_make(f, s, error);
    if (status != PIOLA_OK) return status;
    s->discs = malloc(f->p.n * sizeof *s->discs);
    s->colour = malloc(f->p.n * sizeof *s->colour);
    s->n_discs = (uint32_t)f->p.n;
    if (s->discs != NULL && s->colour != NULL) return PIOLA_OK;
    pio_samples_free(s);
    return pio_fail(error, PIOLA_NO_MEMORY, "no memory to draw %zu particles (%zu bytes)", f->p.n,
                    f->p.n * (sizeof *s->discs + sizeof *s->colour));
}

/* Returns the radius with which a disc of radius r (pixels) is drawn: small discs are larger, so that a dense body
 * shows no holes; large ones nearly touch. */
static double drawn(double r, int dimension)
{
    double small = dimension == 2 ? 1.45 : 1.65, large = dimension == 2 ? 1.0 : 1.05, from = dimension == 2 ? 2 : 3;
    double t = fmin(1, fmax(0, (r - from) / 9));
    return fmax(0.4, r * (small + (large - small) * t * t * (3 - 2 * t)));
}

static pio_disc disc_of(const pio_frame *f, const double *p, int width, int height)
{
    pio_disc none = {0, 0, ABSENT, 0}, beyond = {0, 0, BEYOND, 0};
    double at[3];
    if (!pio_point_is_finite(p, f->p.dimension)) return none;
    if (!pio_view_project(&f->view, p, at)) return beyond;
    double r = PIO_SAMPLES * drawn(f->radius / f->view.unit * f->view.scale / at[2], f->p.dimension);
    double x = PIO_SAMPLES * (at[0] - f->plot.x), y = PIO_SAMPLES * (at[1] - f->plot.y);
    if (!(x + r > 0 && y + r > 0 && x - r < width && y - r < height)) return beyond;
    return (pio_disc){(float)x, (float)y, (float)r, (float)at[2]};
}

double pio_value_place(const pio_frame *f, double value)
{
    const double beyond = 1e6;
    double t = f->kind == PIO_MAP_DIVERGING ? 0.5 + 0.5 * value / fmax(fabs(f->lo), fabs(f->hi))
                                            : (value - f->lo) / (f->hi - f->lo);
    if (isnan(value)) return value;
    return isinf(value) ? (value > 0 ? beyond : -beyond) : fmin(beyond, fmax(-beyond, t));
}

static uint16_t colour_of(const pio_frame *f, double value)
{
    return isnan(value) ? PIO_GREY : (uint16_t)pio_colormap_index(pio_value_place(f, value));
}

/* Returns whether a point lies outside a box (m). */
static bool is_beyond(const pio_frame *f, const double *p, const double low[3], const double high[3])
{
    for (int k = 0; k < f->p.dimension; k++)
        if (!(p[k] >= low[k] && p[k] <= high[k])) return true;
    return false;
}

static void place_discs(pio_frame *f, pio_samples *s)
{
    ptrdiff_t n = (ptrdiff_t)f->p.n;
    bool values = f->p.values != NULL;
#pragma omp parallel for num_threads(f->p.threads) schedule(static)
    for (ptrdiff_t i = 0; i < n; i++) {
        s->discs[i] = disc_of(f, f->p.points + 3 * i, s->width, s->height);
        s->colour[i] = values && f->coloured ? colour_of(f, f->p.values[i]) : PIO_GREY;
    }
    f->outside = f->far_away = 0;
    double low[3], high[3];
    pio_surface_bounds(f, low, high);
    for (ptrdiff_t i = 0; i < n; i++) {
        f->outside += s->discs[i].r == BEYOND;
        if (pio_is_surface(&f->p, (size_t)i)) {
            f->far_away += s->discs[i].r > 0 && is_beyond(f, f->p.points + 3 * i, low, high);
            s->discs[i].r = ABSENT;
        }
        s->grainy = s->grainy || s->discs[i].r > 0;
    }
}

/* Lists the discs to draw, front to back by slices of depth (3D), else in their order. Returns their number. */
static size_t front_to_back(const pio_frame *f, const pio_samples *s, uint32_t *order)
{
    size_t start[SLICES + 1] = {0}, n = f->p.n;
    float near = INFINITY, far = 0;
    for (size_t i = 0; i < n; i++) {
        if (s->discs[i].r < 0) continue;
        near = fminf(near, s->discs[i].depth);
        far = fmaxf(far, s->discs[i].depth);
    }
    float scale = far > near ? (SLICES - 1) / (far - near) : 0;
    for (size_t i = 0; i < n; i++) {
        if (s->discs[i].r > 0) start[1 + (size_t)((s->discs[i].depth - near) * scale)]++;
    }
    for (int k = 0; k < SLICES; k++) start[k + 1] += start[k];
    for (size_t i = 0; i < n; i++) {
        if (s->discs[i].r > 0) order[start[(size_t)((s->discs[i].depth - near) * scale)]++] = (uint32_t)i;
    }
    return start[SLICES - 1];
}

/* Draws disc `id` into the rows [top, bottom). `thick`: the sphere's radius in units of depth; 0 for a flat disc. */
static void draw_disc(pio_samples *s, uint32_t id, int top, int bottom, float thick)
{
    pio_disc d = s->discs[id];
    int y0 = (int)fmaxf((float)top, floorf(d.y - d.r)), y1 = (int)fminf((float)(bottom - 1), d.y + d.r);
    float inverse = 1 / (d.r * d.r), front = d.depth - thick;
    for (int y = y0; y <= y1; y++) {
        float dy = (float)y + 0.5f - d.y, left = d.r * d.r - dy * dy;
        if (left <= 0) continue;
        float half = sqrtf(left);
        int x0 = (int)fmaxf(0, ceilf(d.x - half - 0.5f)),
            x1 = (int)fminf((float)(s->width - 1), floorf(d.x + half - 0.5f));
        float *depth = s->depth + (size_t)y * (size_t)s->width;
        uint32_t *owner = s->owner + (size_t)y * (size_t)s->width;
        for (int x = x0; x <= x1; x++) {
            if (thick > 0 && depth[x] < front) continue;
            float dx = (float)x + 0.5f - d.x, q = (dx * dx + dy * dy) * inverse;
            float z = thick > 0 ? d.depth - thick * sqrtf(fmaxf(0, 1 - q)) : q;
            if (z > depth[x] || (!(z < depth[x]) && id >= owner[x])) continue;
            depth[x] = z;
            owner[x] = id;
        }
    }
}

piola_status pio_splat(pio_frame *f, pio_samples *s, piola_error *error)
{
    piola_status status = make_discs(f, s, error);
    if (status != PIOLA_OK) return status;
    uint32_t *order = malloc(f->p.n * sizeof *order);
    if (order == NULL) {
        pio_samples_free(s);
        return pio_fail(error, PIOLA_NO_MEMORY, "no memory to order %zu particles", f->p.n);
    }
    place_discs(f, s);
    size_t count = front_to_back(f, s, order);
    float thick = f->p.dimension == 3 ? fmaxf(1e-9f, (float)(f->radius / f->view.unit)) : 0;
    int bands = f->p.threads == 1 ? 1 : 4 * f->p.threads;
    if (bands > s->height) bands = s->height;
#pragma omp parallel for num_threads(f->p.threads) schedule(dynamic, 1)
    for (int band = 0; band < bands; band++) {
        int top = (int)((int64_t)s->height * band / bands), bottom = (int)((int64_t)s->height * (band + 1) / bands);
        for (size_t i = 0; i < count; i++) {
            const pio_disc *d = &s->discs[order[i]];
            if (d->y + d->r >= (float)top && d->y - d->r < (float)bottom) draw_disc(s, order[i], top, bottom, thick);
        }
    }
    free(order);
    return PIOLA_OK;
}
