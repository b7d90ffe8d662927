/* render_shade.c -- turns samples into pixels: light, depth cue, contact shading, the edge of bodies, and what is
 * transparent before all that.
 *
 * In 3D two normals are mixed: that of the particle's sphere, which dominates if particles are large, and that of the
 * body's surface, found from the smoothed depths, which dominates if they are small. Occlusion: nearby surroundings
 * that rise above the tangent plane darken a pixel. Pixels depend on samples only, so that any thread may compute any
 * row. */
#include "host/render/render_parts.h"
#include "host/base/fail.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>

#define TAPS 16      /* points at which occlusion is sampled */
#define CUE 0.16f    /* fraction of the background's colour at the far end of the box */
#define DARKEST 0.45 /* light on a face turned away */
#define BAND 8       /* rows of pixels of which the transparent layers are in memory together, in each thread */
#define LAYERS_BYTES ((size_t)1 << 27) /* of these layers, from which follows how many threads draw them */

typedef struct {
    const pio_frame *f;
    const pio_samples *s;
    int w, h;               /* pixels of the plot */
    float *near;            /* [h][w] least depth of the pixel's samples; infinite: none */
    float *smooth;          /* [h][w] the same, smoothed within a body */
    float pixel;            /* units of the view per pixel at the middle of the box */
    float grain;            /* radius of a particle's disc, pixels */
    float step;             /* depth differences beyond this are edges, units */
    float bulk;             /* weight of the body's normal, 0..1 */
    int reach;              /* half the width of the smoothing, pixels */
    float front, back;      /* depths between which the depth cue works */
    float bias, range;      /* units: heights below do not count, heights above count in full */
    float tap[16][TAPS][2]; /* pixels */
    float *open;            /* [h][w] fraction of light */
} canvas;

static float smoothstep(float a, float b, float x)
{
    float t = fminf(1, fmaxf(0, (x - a) / (b - a)));
    return t * t * (3 - 2 * t);
}

/* Computes means over at most 2 reach + 1 pixels along a row (dx = 1) or a column. Neighbours count in pairs, one on
 * either side and both within an edge's step, so that a plane remains a plane up to its edge. */
static void blur(const canvas *c, const float *from, float *to, int dx)
{
#pragma omp parallel for num_threads(c->f->p.threads) schedule(static)
    for (int y = 0; y < c->h; y++) {
        for (int x = 0; x < c->w; x++) {
            ptrdiff_t at = (ptrdiff_t)y * c->w + x, stride = dx ? 1 : c->w;
            float z = from[at], sum = z, count = 1;
            int place = dx ? x : y, room = (dx ? c->w : c->h) - 1 - place;
            int reach = c->reach < place ? c->reach : place;
            if (reach > room) reach = room;
            for (int k = 1; k <= reach && z < INFINITY; k++) {
                float a = from[at - k * stride], b = from[at + k * stride], limit = c->step * (float)(k + 2) / 4;
                if (!(fabsf(a - z) < limit && fabsf(b - z) < limit)) continue;
                sum += a + b;
                count += 2;
            }
            to[at] = sum / count;
        }
    }
}

/* Returns the depth per pixel along x or y in the smoothed surface, as far as both sides belong to it. */
static float slope(const canvas *c, int x, int y, int dx)
{
    int s = c->reach / 2 + 1, place = dx ? x : y, end = dx ? c->w : c->h;
    ptrdiff_t at = (ptrdiff_t)y * c->w + x, stride = dx ? 1 : c->w;
    float z = c->smooth[at], a = place >= s ? c->smooth[at - s * stride] : INFINITY;
    float b = place + s < end ? c->smooth[at + s * stride] : INFINITY, limit = c->step * 2;
    bool has_a = fabsf(a - z) < limit, has_b = fabsf(b - z) < limit;
    if (has_a && has_b) return (b - a) / (float)(2 * s);
    return has_a ? (z - a) / (float)s : has_b ? (b - z) / (float)s : 0;
}

/* Returns the fraction of light that the surroundings leave, 0..1, before smoothing: points on a spiral, rotated from
 * pixel to pixel in a 4 x 4 pattern, that rise above the tangent plane block light. */
static float openness(const canvas *c, int x, int y)
{
    float gx = slope(c, x, y, 1), gy = slope(c, x, y, 0), z = c->smooth[(ptrdiff_t)y * c->w + x], blocked = 0;
    int turn = ((x & 3) * 4 + (y & 3)) * 7 % 16; /* 0..15, neighbours far apart */
    for (int k = 0; k < TAPS; k++) {
        const float *tap = c->tap[turn][k];
        int px = x + (int)lrintf(tap[0]), py = y + (int)lrintf(tap[1]);
        if (px < 0 || py < 0 || px >= c->w || py >= c->h) continue;
        float rise = z + gx * tap[0] + gy * tap[1] - c->smooth[(ptrdiff_t)py * c->w + px];
        if (!(rise > c->bias) || !(rise < INFINITY)) continue;
        float range = c->range;
        blocked += fminf(1, (rise - c->bias) / range) * fminf(1, 2 * range / rise);
    }
    return 1 - 0.85f * fminf(1, 1.2f * blocked / TAPS);
}

/* Returns the mean over the 4 x 4 pattern around a pixel, within the same surface. */
static float calm(const canvas *c, const float *open, int x, int y)
{
    float z = c->smooth[(ptrdiff_t)y * c->w + x], sum = 0, count = 0;
    for (int py = y - 2; py < y + 2; py++) {
        for (int px = x - 2; px < x + 2; px++) {
            if (px < 0 || py < 0 || px >= c->w || py >= c->h) continue;
            ptrdiff_t at = (ptrdiff_t)py * c->w + px;
            if (!(fabsf(c->smooth[at] - z) < c->step)) continue;
            sum += open[at];
            count += 1;
        }
    }
    return sum / count;
}

/* Returns the light on a surface; `facing` (-1..1) is the cosine between its normal and the key light. */
static float light_facing(float facing)
{
    return (float)DARKEST + (1 - (float)DARKEST) * powf(fmaxf(0, 0.5f + 0.5f * facing), 1.3f) * 1.12f;
}

static const float key[3] = {-0.46f, 0.66f, 0.594f}; /* the key light comes from the upper left, in front */

/* Returns the light on a sample at (sx, sy) of disc d, with the body's normal n (x right, y up, z to the eye). */
static float light(const canvas *c, const pio_disc *d, float sx, float sy, const float n[3])
{
    float u = (sx - d->x) / d->r, v = -(sy - d->y) / d->r, w = sqrtf(fmaxf(0, 1 - u * u - v * v)), rest = 1 - c->bulk;
    float m[3] = {rest * u + c->bulk * n[0], rest * v + c->bulk * n[1], rest * w + c->bulk * n[2]};
    float length = sqrtf(m[0] * m[0] + m[1] * m[1] + m[2] * m[2]) + 1e-6f;
    float facing = (m[0] * key[0] + m[1] * key[1] + m[2] * key[2]) / length;
    float rim = 1 - 0.35f * rest * (1 - w) * (1 - w); /* darker towards a sphere's edge */
    return light_facing(facing) * rim;
}

static pio_rgb colour_of(const canvas *c, int index)
{
    static const pio_rgb grey = {122, 122, 124}, plain = {86, 134, 178};
    if (index != PIO_GREY) return c->f->map.colour[index];
    return c->f->p.values == NULL ? plain : grey;
}

/* Adds a sample of particle or triangle `id`: its colour times `shade`, and in 3D the light on it; n is the body's
 * normal. */
static void add_sample(const canvas *c, int sx, int sy, uint32_t id, const float *n, float shade, float out[3])
{
    float line = 0, l = 1;
    int index;
    if (id >= c->s->n_discs) {
        pio_raster_value value = pio_raster_interpolate(c->s, sx, sy, id - c->s->n_discs);
        float facing = value.normal[0] * key[0] + value.normal[1] * key[1] + value.normal[2] * key[2];
        index = value.value == value.value ? pio_colormap_index((double)value.value) : PIO_GREY;
        line = value.line;
        if (n != NULL) l = light_facing(facing);
    } else {
        index = c->s->colour[id];
        if (n != NULL) l = light(c, &c->s->discs[id], (float)sx + 0.5f, (float)sy + 0.5f, n);
    }
    const pio_rgb colour = colour_of(c, index);
    const float rgb[3] = {(float)colour.r, (float)colour.g, (float)colour.b};
    const bool dark = fminf(1, l) * (0.3f * rgb[0] + 0.6f * rgb[1] + 0.1f * rgb[2]) < 62; /* lines are then pale */
    const float ink = dark ? 175 : 36, cover = line * (dark ? 0.3f : 0.5f);
    for (int k = 0; k < 3; k++) out[k] += shade * ((1 - cover) * fminf(1, l) * rgb[k] + cover * ink);
}

/* Returns the fraction of the background's colour at a depth. */
static float cue_at(const canvas *c, float depth)
{
    return CUE * fminf(1, fmaxf(0, (depth - c->front) / (c->back - c->front)));
}

/* Adds the colours of one pixel's samples, each times through[], to sum[3]; returns how many samples show a body. */
static int shade_pixel(const canvas *c, int x, int y, const float *through, float sum[3])
{
    ptrdiff_t at = (ptrdiff_t)y * c->w + x;
    float gx = slope(c, x, y, 1), gy = slope(c, x, y, 0), open = calm(c, c->open, x, y);
    float n[3] = {gx / c->pixel, -gy / c->pixel, 1}, length = sqrtf(n[0] * n[0] + n[1] * n[1] + 1);
    float cue = cue_at(c, c->near[at]);
    int covered = 0;
    for (int k = 0; k < 3; k++) n[k] /= length;
    for (int k = 0; k < PIO_SAMPLES * PIO_SAMPLES; k++) {
        int sx = PIO_SAMPLES * x + k % PIO_SAMPLES, sy = PIO_SAMPLES * y + k / PIO_SAMPLES;
        uint32_t id = c->s->owner[(ptrdiff_t)sy * c->s->width + sx];
        if (id == PIO_NO_OWNER) continue;
        add_sample(c, sx, sy, id, n, open * (1 - cue) * through[k], sum);
        sum[0] += cue * through[k] * (float)pio_paper.r;
        sum[1] += cue * through[k] * (float)pio_paper.g;
        sum[2] += cue * through[k] * (float)pio_paper.b;
        covered++;
    }
    return covered;
}

/* Returns the shade of a disc in 2D: the rim of a large disc of radius r samples is darker; the depth is the squared
 * relative distance from its middle. */
static float rim_shade(const canvas *c, ptrdiff_t sample, float r)
{
    float edge = sqrtf(c->s->depth[sample]) * r - (r - 2.2f); /* samples beyond the rim's start */
    return r > 10 && edge > 0 ? 1 - 0.28f * fminf(1, edge) * smoothstep(10, 16, r) : 1;
}

/* Computes a pixel in 2D as shade_pixel() does: the colour of the map, darker at the edge of the body and, if discs are
 * large, at the edge of a disc. */
static int flat_pixel(const canvas *c, int x, int y, const float *through, float sum[3])
{
    int covered = 0, w = c->s->width, h = c->s->height;
    for (int k = 0; k < PIO_SAMPLES * PIO_SAMPLES; k++) {
        int sx = PIO_SAMPLES * x + k % PIO_SAMPLES, sy = PIO_SAMPLES * y + k / PIO_SAMPLES;
        uint32_t id = c->s->owner[(ptrdiff_t)sy * w + sx];
        if (id == PIO_NO_OWNER) continue;
        float shade = 1;
        for (int side = 0; side < 4; side++) { /* a sample of the background within a pixel: the outline of the body */
            int nx = sx + PIO_SAMPLES * ((side == 0) - (side == 1)),
                ny = sy + PIO_SAMPLES * ((side == 2) - (side == 3));
            bool inside = nx >= 0 && ny >= 0 && nx < w && ny < h;
            if (inside && c->s->owner[(ptrdiff_t)ny * w + nx] == PIO_NO_OWNER) shade = 0.72f;
        }
        if (id < c->s->n_discs) shade = fminf(shade, rim_shade(c, (ptrdiff_t)sy * w + sx, c->s->discs[id].r));
        add_sample(c, sx, sy, id, NULL, shade * through[k], sum);
        covered++;
    }
    return covered;
}

static pio_rgb rounded(const float sum[3], float scale)
{
    return (pio_rgb){(uint8_t)(fminf(255, sum[0] * scale) + 0.5f), (uint8_t)(fminf(255, sum[1] * scale) + 0.5f),
                     (uint8_t)(fminf(255, sum[2] * scale) + 0.5f)};
}

/* ---- one picture --------------------------------------------------------------------------------------- */

static void find_depths(canvas *c)
{
    const pio_view *v = &c->f->view;
    c->pixel = (float)(v->distance / v->scale);
    float spacing = !c->s->grainy ? c->pixel / 2 : (float)(c->f->radius / v->unit);
    c->grain = spacing / c->pixel;
    c->step = fmaxf(6 * spacing, 5 * c->pixel);
    c->reach = (int)fminf(9, fmaxf(1, 2 * c->grain + 1));
    c->bulk = 0.9f * (1 - smoothstep(4, 14, c->grain));
    c->front = (float)v->distance - 0.5f;
    c->back = (float)v->distance + 0.5f;
    float far = fmaxf(5, fminf(fmaxf(0.03f * (float)c->h, 2 * c->grain), 0.06f * (float)c->h));
    c->bias = fmaxf(0.5f * spacing, c->pixel);
    c->range = 0.7f * far * c->pixel;
    for (int turn = 0; turn < 16; turn++) {
        for (int k = 0; k < TAPS; k++) {
            double angle = 2.399963 * k + 2 * M_PI * turn / 16, r = 1.5 + (double)far * (k + 0.5) / TAPS;
            c->tap[turn][k][0] = (float)(r * cos(angle));
            c->tap[turn][k][1] = (float)(r * sin(angle));
        }
    }
#pragma omp parallel for num_threads(c->f->p.threads) schedule(static)
    for (int y = 0; y < c->h; y++) {
        for (int x = 0; x < c->w; x++) {
            float z = INFINITY;
            for (int k = 0; k < PIO_SAMPLES * PIO_SAMPLES; k++) {
                ptrdiff_t sy = PIO_SAMPLES * y + k / PIO_SAMPLES, sx = PIO_SAMPLES * x + k % PIO_SAMPLES;
                z = fminf(z, c->s->depth[sy * c->s->width + sx]);
            }
            c->near[(ptrdiff_t)y * c->w + x] = z;
        }
    }
}

static void find_openness(canvas *c)
{
#pragma omp parallel for num_threads(c->f->p.threads) schedule(dynamic, 8)
    for (int y = 0; y < c->h; y++) {
        for (int x = 0; x < c->w; x++) {
            ptrdiff_t at = (ptrdiff_t)y * c->w + x;
            c->open[at] = c->near[at] < INFINITY ? openness(c, x, y) : 1;
        }
    }
}

/* Draws a pixel in which nothing is transparent. */
static void plain_pixel(const canvas *c, int x, int y, pio_image *image)
{
    static const float all[PIO_SAMPLES * PIO_SAMPLES] = {1, 1, 1, 1};
    float sum[3] = {0, 0, 0};
    if (!(c->near[(ptrdiff_t)y * c->w + x] < INFINITY)) return;
    int covered = c->f->p.dimension == 3 ? shade_pixel(c, x, y, all, sum) : flat_pixel(c, x, y, all, sum);
    if (covered == 0) return;
    pio_image_blend(image, (int)c->f->plot.x + x, (int)c->f->plot.y + y, rounded(sum, 1 / (float)covered),
                    (double)covered / (PIO_SAMPLES * PIO_SAMPLES));
}

/* Adds the light of the layers at a sample to sum[3]; returns the fraction of light that they let through. */
static float add_layers(const canvas *c, const pio_layers *l, int sx, int sy, float sum[3])
{
    static const float lit[3] = {0, 0, 1};
    const float paper[3] = {(float)pio_paper.r, (float)pio_paper.g, (float)pio_paper.b};
    const size_t at = (size_t)(sy - l->top) * (size_t)c->s->width + (size_t)sx;
    const bool space = c->f->p.dimension == 3;
    float through = 1;
    for (int k = 0; k < l->count[at]; k++) {
        const pio_layer *layer = &l->layer[at * PIO_MOST_LAYERS + (size_t)k];
        const float opacity = (float)c->s->skin.triangle[layer->triangle].opacity / PIO_OPAQUE;
        const float cue = space ? cue_at(c, layer->depth) : 0;
        float own[3] = {0, 0, 0};
        add_sample(c, sx, sy, c->s->n_discs + layer->triangle, space ? lit : NULL, 1 - cue, own);
        for (int i = 0; i < 3; i++) sum[i] += through * opacity * (own[i] + cue * paper[i]);
        through *= 1 - opacity;
    }
    return through;
}

/* Draws a pixel: what is transparent, before what is opaque or the picture behind. */
static void layered_pixel(const canvas *c, const pio_layers *l, int x, int y, pio_image *image)
{
    const int left = (int)c->f->plot.x, top = (int)c->f->plot.y;
    float sum[3] = {0, 0, 0}, through[PIO_SAMPLES * PIO_SAMPLES], behind = 0;
    int layers = 0;
    for (int k = 0; k < PIO_SAMPLES * PIO_SAMPLES; k++) {
        const int sx = PIO_SAMPLES * x + k % PIO_SAMPLES, sy = PIO_SAMPLES * y + k / PIO_SAMPLES;
        layers += l->count[(size_t)(sy - l->top) * (size_t)c->s->width + (size_t)sx];
        through[k] = add_layers(c, l, sx, sy, sum);
        if (c->s->owner[(ptrdiff_t)sy * c->s->width + sx] == PIO_NO_OWNER) behind += through[k];
    }
    if (layers == 0) {
        plain_pixel(c, x, y, image);
        return;
    }
    if (c->near[(ptrdiff_t)y * c->w + x] < INFINITY) {
        if (c->f->p.dimension == 3)
            shade_pixel(c, x, y, through, sum);
        else
            flat_pixel(c, x, y, through, sum);
    }
    const uint8_t *paper = image->rgb + 3 * ((size_t)(top + y) * (size_t)image->width + (size_t)(left + x));
    for (int i = 0; i < 3; i++) sum[i] += behind * (float)paper[i];
    pio_image_blend(image, left + x, top + y, rounded(sum, 1.0f / (PIO_SAMPLES * PIO_SAMPLES)), 1);
}

static void composite(const canvas *c, pio_image *image)
{
#pragma omp parallel for num_threads(c->f->p.threads) schedule(dynamic, 8)
    for (int y = 0; y < c->h; y++)
        for (int x = 0; x < c->w; x++) plain_pixel(c, x, y, image);
}

/* Does the same with transparent layers, band by band. Returns false without memory for them. */
static bool composite_layers(const canvas *c, pio_image *image)
{
    const int bands = (c->h + BAND - 1) / BAND;
    const size_t count = (size_t)BAND * PIO_SAMPLES * (size_t)c->s->width;
    const size_t fitting = LAYERS_BYTES / (count * (PIO_MOST_LAYERS * sizeof(pio_layer) + 1));
    const int most = c->f->p.threads, threads = fitting < (size_t)most ? (fitting > 1 ? (int)fitting : 1) : most;
    pio_layer *layer = malloc((size_t)threads * count * PIO_MOST_LAYERS * sizeof *layer);
    uint8_t *counts = malloc((size_t)threads * count);
    const bool room = layer != NULL && counts != NULL;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
    for (int band = 0; band < bands; band++) {
        if (!room) continue;
        const size_t own = count * (size_t)omp_get_thread_num();
        const int from = BAND * band, to = from + BAND < c->h ? from + BAND : c->h;
        pio_layers l = {PIO_SAMPLES * from, PIO_SAMPLES * to, layer + own * PIO_MOST_LAYERS, counts + own};
        pio_raster_layers(c->s, &l);
        for (int y = from; y < to; y++)
            for (int x = 0; x < c->w; x++) layered_pixel(c, &l, x, y, image);
    }
    free(layer);
    free(counts);
    return room;
}

static bool has_layers(const pio_skin *skin)
{
    for (size_t i = 0; i < skin->n; i++)
        if (skin->triangle[i].opacity > 0 && skin->triangle[i].opacity < PIO_OPAQUE) return true;
    return false;
}

piola_status pio_shade(const pio_frame *frame, const pio_samples *samples, pio_image *image, piola_error *error)
{
    canvas c = {.f = frame, .s = samples, .w = (int)frame->plot.w, .h = (int)frame->plot.h};
    size_t count = (size_t)c.w * (size_t)c.h;
    c.near = malloc(count * sizeof *c.near);
    c.smooth = malloc(count * sizeof *c.smooth);
    float *between = malloc(count * sizeof *between);
    piola_status status = PIOLA_OK;
    if (c.near == NULL || c.smooth == NULL || between == NULL) {
        status =
            pio_fail(error, PIOLA_NO_MEMORY, "no memory to shade the picture (%zu bytes)", 3 * count * sizeof(float));
    } else {
        find_depths(&c);
        if (frame->p.dimension == 3) {
            blur(&c, c.near, between, 1);
            blur(&c, between, c.smooth, 0);
            blur(&c, c.smooth, between, 1);
            blur(&c, between, c.smooth, 0);
            c.open = between;
            find_openness(&c);
        }
        if (!has_layers(&samples->skin))
            composite(&c, image);
        else if (!composite_layers(&c, image))
            status = pio_fail_memory(error, (size_t)BAND * (size_t)c.w * 32 * PIO_MOST_LAYERS, "what is transparent");
    }
    free(between);
    free(c.smooth);
    free(c.near);
    return status;
}
