/* palette.c -- a median cut (Heckbert 1982), in which the box with the greatest sum of squared deviations is cut at its
 * mean along the axis along which they are greatest (Wan, Wong and Prusinkiewicz 1990). All sums have a fixed order. */
#include "host/base/fail.h"
#include "host/film/film_parts.h"

#include <stdlib.h>
#include <string.h>

enum { COLOURS = 1 << 24 };

/* Colours that one colour will stand for: key[from .. to - 1]. */
typedef struct {
    size_t from, to;
    double weight, mean[3];
    double deviation[3]; /* sums of squares, weighted by the numbers of pixels */
} box;

static int channel(uint32_t key, int axis)
{
    return (int)(key >> (16 - 8 * axis) & 255);
}

piola_status pio_palette_make(pio_palette *p, piola_error *error)
{
    *p = (pio_palette){.count = calloc(COLOURS, sizeof *p->count)};
    return p->count ? PIOLA_OK : pio_fail_memory(error, COLOURS * sizeof *p->count, "the colours of a film");
}

void pio_palette_free(pio_palette *p)
{
    free(p->count);
    free(p->index);
    *p = (pio_palette){0};
}

void pio_palette_count(pio_palette *p, const pio_image *image)
{
    const size_t pixels = (size_t)image->width * (size_t)image->height;
    for (size_t i = 0; i < pixels; i++) {
        const uint8_t *c = image->rgb + 3 * i;
        uint32_t *count = &p->count[(uint32_t)c[0] << 16 | (uint32_t)c[1] << 8 | c[2]];
        *count += *count < UINT32_MAX;
    }
}

static box measured(const pio_palette *p, const uint32_t *key, size_t from, size_t to)
{
    box b = {.from = from, .to = to};
    for (size_t i = from; i < to; i++) {
        const double w = p->count[key[i]];
        b.weight += w;
        for (int k = 0; k < 3; k++) b.mean[k] += w * channel(key[i], k);
    }
    for (int k = 0; k < 3; k++) b.mean[k] /= b.weight;
    for (size_t i = from; i < to; i++)
        for (int k = 0; k < 3; k++) {
            const double d = channel(key[i], k) - b.mean[k];
            b.deviation[k] += p->count[key[i]] * d * d;
        }
    return b;
}

static double error_of(const box *b)
{
    return b->to - b->from > 1 ? b->deviation[0] + b->deviation[1] + b->deviation[2] : 0;
}

/* Orders the keys of a box so that those up to the mean along its longest axis are first. Returns where the others
 * begin. */
static size_t cut(const box *b, uint32_t *key)
{
    int axis = 0;
    size_t at = b->from;
    for (int k = 1; k < 3; k++)
        if (b->deviation[k] > b->deviation[axis]) axis = k;
    for (size_t i = b->from; i < b->to; i++) {
        if (channel(key[i], axis) > b->mean[axis]) continue;
        const uint32_t other = key[at];
        key[at++] = key[i];
        key[i] = other;
    }
    return at;
}

/* Returns the colour of most of a box's pixels if there is one, so that paper and lines keep theirs, or the mean. */
static pio_rgb colour_of(const pio_palette *p, const uint32_t *key, const box *b)
{
    uint32_t most = key[b->from];
    for (size_t i = b->from; i < b->to; i++)
        if (p->count[key[i]] > p->count[most]) most = key[i];
    if (2.0 * p->count[most] >= b->weight)
        return (pio_rgb){(uint8_t)channel(most, 0), (uint8_t)channel(most, 1), (uint8_t)channel(most, 2)};
    return (pio_rgb){(uint8_t)(b->mean[0] + 0.5), (uint8_t)(b->mean[1] + 0.5), (uint8_t)(b->mean[2] + 0.5)};
}

/* Returns the number of boxes into which the m keys are cut. */
static int cut_all(const pio_palette *p, uint32_t *key, size_t m, box boxes[PIO_PALETTE_MOST])
{
    int n = 1;
    boxes[0] = measured(p, key, 0, m);
    while (n < PIO_PALETTE_MOST) {
        int worst = 0;
        for (int i = 1; i < n; i++)
            if (error_of(&boxes[i]) > error_of(&boxes[worst])) worst = i;
        if (!(error_of(&boxes[worst]) > 0)) break;
        const box whole = boxes[worst];
        const size_t middle = cut(&whole, key);
        if (middle == whole.from || middle == whole.to) break; /* rounding left a mean beyond all values */
        boxes[worst] = measured(p, key, whole.from, middle);
        boxes[n++] = measured(p, key, middle, whole.to);
    }
    return n;
}

static uint8_t nearest(const pio_palette *p, uint32_t key)
{
    int best = 1, least = 1 << 30;
    for (int i = 1; i <= p->n; i++) {
        const int r = channel(key, 0) - p->colour[i].r, g = channel(key, 1) - p->colour[i].g,
                  b = channel(key, 2) - p->colour[i].b, d = r * r + g * g + b * b;
        if (d < least) least = d, best = i;
    }
    return (uint8_t)best;
}

piola_status pio_palette_choose(pio_palette *p, piola_error *error)
{
    box boxes[PIO_PALETTE_MOST];
    size_t m = 0;
    for (size_t c = 0; c < COLOURS; c++) m += p->count[c] > 0;
    uint32_t *key = malloc((m ? m : 1) * sizeof *key);
    p->index = malloc(COLOURS);
    if (!key || !p->index) {
        free(key);
        return pio_fail_memory(error, COLOURS + m * sizeof *key, "the colours of a film");
    }
    m = 0;
    for (uint32_t c = 0; c < COLOURS; c++)
        if (p->count[c] > 0) key[m++] = c;
    p->n = m ? cut_all(p, key, m, boxes) : 0;
    for (int i = 0; i < p->n; i++) p->colour[i + 1] = colour_of(p, key, &boxes[i]);
    for (size_t i = 0; i < m; i++) p->index[key[i]] = nearest(p, key[i]);
    free(key);
    return PIOLA_OK;
}
