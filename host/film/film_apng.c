/* film_apng.c -- an animated PNG: chunks acTL, fcTL and fdAT of APNG 1.0. Pictures are kept compressed until the
 * palette of all is known; then each is written as the rectangle that changed, with transparent pixels where it did
 * not. */
#include "host/base/fail.h"
#include "host/film/film_parts.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { KEPT_LEVEL = 1, WRITTEN_LEVEL = 9 }; /* of compression */

typedef struct {
    uint8_t *data; /* compressed RGB */
    size_t size;
} packed;

typedef struct {
    pio_film_format format;
    pio_palette palette;
    packed *kept;   /* [pictures] */
    uint8_t *rgb;   /* [height][width][3] one picture */
    uint8_t *shown; /* [height][width] numbers of colours of the picture before */
    uint8_t *next;  /* [height][width] those of the picture that is being written */
    uint8_t *rows;  /* [height][1 + width] rows of a rectangle, each after its filter, none */
    uint8_t *chunk; /* [4 + room] sequence number and compressed rows */
    size_t room;
    uint32_t sequence; /* number of the next chunk of the animation */
} apng;

static void big_endian(uint8_t *to, uint32_t v, int bytes)
{
    for (int i = 0; i < bytes; i++) to[i] = (uint8_t)(v >> (8 * (bytes - 1 - i)));
}

static void close_apng(void *state)
{
    apng *a = state;
    if (!a) return;
    for (int64_t i = 0; a->kept && i < a->format.pictures; i++) free(a->kept[i].data);
    free(a->kept);
    free(a->rgb);
    free(a->shown);
    free(a->next);
    free(a->rows);
    free(a->chunk);
    pio_palette_free(&a->palette);
    free(a);
}

static piola_status open_apng(const pio_film_format *format, void **state, piola_error *error)
{
    const size_t pixels = (size_t)format->width * (size_t)format->height;
    apng *a = *state = calloc(1, sizeof *a);
    if (!a) return pio_fail_memory(error, sizeof *a, "a film");
    a->format = *format;
    a->room = compressBound((uLong)(3 * pixels));
    a->kept = calloc((size_t)format->pictures, sizeof *a->kept);
    a->rgb = malloc(3 * pixels);
    a->shown = malloc(pixels);
    a->next = malloc(pixels);
    a->rows = malloc(pixels + (size_t)format->height);
    a->chunk = malloc(4 + a->room);
    if (!a->kept || !a->rgb || !a->shown || !a->next || !a->rows || !a->chunk)
        return pio_fail_memory(error, 9 * pixels, "pictures of a film");
    return pio_palette_make(&a->palette, error);
}

static piola_status add_apng(void *state, pio_new_file *file, const pio_image *image, int64_t at, piola_error *error)
{
    apng *a = state;
    uLongf size = (uLongf)a->room;
    (void)file;
    const uLong bytes = 3 * (uLong)image->width * (uLong)image->height;
    if (compress2(a->chunk, &size, image->rgb, bytes, KEPT_LEVEL) != Z_OK)
        return pio_fail_memory(error, a->room, "the compression of a picture");
    uint8_t *data = malloc(size);
    if (!data) return pio_fail_memory(error, size, "a picture of a film");
    memcpy(data, a->chunk, size);
    a->kept[at] = (packed){data, size};
    pio_palette_count(&a->palette, image);
    return PIOLA_OK;
}

/* Reads picture `at` as numbers of colours. */
static piola_status read_kept(apng *a, int64_t at, piola_error *error)
{
    const size_t pixels = (size_t)a->format.width * (size_t)a->format.height;
    uLongf size = (uLongf)(3 * pixels);
    if (uncompress(a->rgb, &size, a->kept[at].data, (uLong)a->kept[at].size) != Z_OK)
        return pio_fail_memory(error, 3 * pixels, "a picture of a film");
    for (size_t i = 0; i < pixels; i++) {
        const uint8_t *c = a->rgb + 3 * i;
        a->next[i] = a->palette.index[(uint32_t)c[0] << 16 | (uint32_t)c[1] << 8 | c[2]];
    }
    free(a->kept[at].data);
    a->kept[at].data = NULL;
    return PIOLA_OK;
}

typedef struct {
    int x0, y0, x1, y1; /* [x0, x1) x [y0, y1) */
} rectangle;

/* Returns the least rectangle with all that differs from the picture before; one pixel if nothing does. */
static rectangle changed(const apng *a)
{
    const int w = a->format.width, h = a->format.height;
    rectangle r = {w, h, 0, 0};
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            const size_t i = (size_t)y * (size_t)w + (size_t)x;
            if (a->next[i] == a->shown[i]) continue;
            if (x < r.x0) r.x0 = x;
            if (x >= r.x1) r.x1 = x + 1;
            if (y < r.y0) r.y0 = y;
            r.y1 = y + 1;
        }
    return r.x1 > 0 ? r : (rectangle){0, 0, 1, 1};
}

/* Compresses the pixels of a rectangle after the four bytes of a sequence number; where `over`, those that did not
 * change are transparent. */
static piola_status pack(apng *a, rectangle r, bool over, size_t *size, piola_error *error)
{
    const size_t w = (size_t)a->format.width;
    uint8_t *to = a->rows;
    for (int y = r.y0; y < r.y1; y++) {
        *to++ = 0;
        for (int x = r.x0; x < r.x1; x++) {
            const size_t i = (size_t)y * w + (size_t)x;
            *to++ = over && a->next[i] == a->shown[i] ? 0 : a->next[i];
        }
    }
    uLongf packed_size = (uLongf)a->room;
    if (compress2(a->chunk + 4, &packed_size, a->rows, (uLong)(to - a->rows), WRITTEN_LEVEL) != Z_OK)
        return pio_fail_memory(error, a->room, "the compression of a picture");
    *size = packed_size;
    return PIOLA_OK;
}

static int divisor(int a, int b)
{
    while (b) {
        const int rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static piola_status put_control(apng *a, pio_new_file *file, rectangle r, bool over, piola_error *error)
{
    uint8_t c[26];
    const int common = divisor(100, a->format.rate);
    big_endian(c, a->sequence++, 4);
    big_endian(c + 4, (uint32_t)(r.x1 - r.x0), 4);
    big_endian(c + 8, (uint32_t)(r.y1 - r.y0), 4);
    big_endian(c + 12, (uint32_t)r.x0, 4);
    big_endian(c + 16, (uint32_t)r.y0, 4);
    big_endian(c + 20, (uint32_t)(100 / common), 2); /* it is shown for 100 / rate seconds */
    big_endian(c + 22, (uint32_t)(a->format.rate / common), 2);
    c[24] = 0;    /* it stays where the next one does not change it */
    c[25] = over; /* 1: over the picture before; 0: instead of it */
    return pio_png_chunk(file, "fcTL", c, sizeof c, error);
}

static piola_status put_picture(apng *a, pio_new_file *file, int64_t at, piola_error *error)
{
    const rectangle whole = {0, 0, a->format.width, a->format.height};
    size_t size = 0;
    piola_status rc = read_kept(a, at, error);
    if (rc) return rc;
    const rectangle r = at ? changed(a) : whole;
    rc = put_control(a, file, r, at > 0, error);
    if (!rc) rc = pack(a, r, at > 0, &size, error);
    if (rc) return rc;
    if (at) {
        big_endian(a->chunk, a->sequence++, 4);
        rc = pio_png_chunk(file, "fdAT", a->chunk, size + 4, error);
    } else {
        rc = pio_png_chunk(file, "IDAT", a->chunk + 4, size, error);
    }
    uint8_t *other = a->shown;
    a->shown = a->next;
    a->next = other;
    return rc;
}

static piola_status put_palette(const apng *a, pio_new_file *file, piola_error *error)
{
    uint8_t colours[3 * (PIO_PALETTE_MOST + 1)] = {0}, clear = 0;
    for (int i = 1; i <= a->palette.n; i++) {
        colours[3 * i] = a->palette.colour[i].r;
        colours[3 * i + 1] = a->palette.colour[i].g;
        colours[3 * i + 2] = a->palette.colour[i].b;
    }
    const piola_status rc = pio_png_chunk(file, "PLTE", colours, 3 * ((size_t)a->palette.n + 1), error);
    return rc ? rc : pio_png_chunk(file, "tRNS", &clear, 1, error); /* number 0 is transparent */
}

static piola_status finish_apng(void *state, pio_new_file *file, piola_error *error)
{
    apng *a = state;
    uint8_t animation[8];
    big_endian(animation, (uint32_t)a->format.pictures, 4);
    big_endian(animation + 4, 0, 4); /* it is repeated without end */
    piola_status rc = pio_palette_choose(&a->palette, error);
    if (!rc) rc = pio_png_head(file, a->format.width, a->format.height, true, error);
    if (!rc) rc = pio_png_chunk(file, "acTL", animation, sizeof animation, error);
    if (!rc) rc = put_palette(a, file, error);
    for (int64_t i = 0; !rc && i < a->format.pictures; i++) {
        rc = pio_film_poll(&a->format, error);
        if (!rc) rc = put_picture(a, file, i, error);
    }
    return rc ? rc : pio_png_chunk(file, "IEND", NULL, 0, error);
}

const pio_film_kind pio_film_apng = {.end = ".png",
                                     .kind = "PNG picture",
                                     .head = pio_png_signature,
                                     .head_size = PIO_PNG_SIGNATURE,
                                     .open = open_apng,
                                     .add = add_apng,
                                     .finish = finish_apng,
                                     .close = close_apng};
