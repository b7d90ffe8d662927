/* image.c -- pixels, lines and areas with analytic coverage, and the PNG file. */
#include "host/render/image.h"
#include "host/base/fail.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

piola_status pio_image_make(pio_image *image, int width, int height, pio_rgb background, piola_error *error)
{
    memset(image, 0, sizeof *image);
    if (width < 1 || height < 1 || width > PIO_IMAGE_MAX_SIDE || height > PIO_IMAGE_MAX_SIDE) {
        return pio_fail(error, PIOLA_USAGE, "a picture of %d x %d pixels: each side must be 1 to %d", width, height,
                        PIO_IMAGE_MAX_SIDE);
    }
    size_t pixels = (size_t)width * (size_t)height;
    image->rgb = malloc(pixels * 3);
    if (image->rgb == NULL) {
        return pio_fail(error, PIOLA_NO_MEMORY, "no memory for a picture of %d x %d pixels (%zu bytes)", width, height,
                        pixels * 3);
    }
    image->width = width;
    image->height = height;
    for (size_t i = 0; i < pixels; i++) {
        image->rgb[3 * i] = background.r;
        image->rgb[3 * i + 1] = background.g;
        image->rgb[3 * i + 2] = background.b;
    }
    return PIOLA_OK;
}

void pio_image_free(pio_image *image)
{
    if (image == NULL) return;
    free(image->rgb);
    memset(image, 0, sizeof *image);
}

/* ---- drawing ------------------------------------------------------------------------------------------- */

static uint8_t mix(uint8_t from, uint8_t to, double alpha)
{
    return (uint8_t)((double)from + ((double)to - (double)from) * alpha + 0.5);
}

void pio_image_blend(pio_image *image, int x, int y, pio_rgb colour, double alpha)
{
    if (x < 0 || y < 0 || x >= image->width || y >= image->height || !(alpha > 0)) return;
    uint8_t *p = image->rgb + 3 * ((size_t)y * (size_t)image->width + (size_t)x);
    double a = fmin(alpha, 1);
    p[0] = mix(p[0], colour.r, a);
    p[1] = mix(p[1], colour.g, a);
    p[2] = mix(p[2], colour.b, a);
}

/* Returns `v` as an integer in [lo, hi]. */
static int clamped(double v, int lo, int hi)
{
    return v <= lo ? lo : v >= hi ? hi : (int)floor(v);
}

static double overlap(double a, double b, int pixel)
{
    return fmin(b, pixel + 1.0) - fmax(a, (double)pixel);
}

void pio_image_rectangle(pio_image *image, double x0, double y0, double x1, double y1, pio_rgb colour, double alpha)
{
    if (!isfinite(x0) || !isfinite(y0) || !isfinite(x1) || !isfinite(y1)) return;
    int bottom = clamped(ceil(y1), 0, image->height), right = clamped(ceil(x1), 0, image->width);
    for (int y = clamped(y0, 0, image->height); y < bottom; y++) {
        for (int x = clamped(x0, 0, image->width); x < right; x++) {
            double cover = fmax(0, overlap(x0, x1, x)) * fmax(0, overlap(y0, y1, y));
            pio_image_blend(image, x, y, colour, alpha * cover);
        }
    }
}

void pio_image_line(pio_image *image, double x0, double y0, double x1, double y1, const pio_pen *pen)
{
    const double width = pen->width;
    if (!isfinite(x0) || !isfinite(y0) || !isfinite(x1) || !isfinite(y1) || !(width > 0)) return;
    double dx = x1 - x0, dy = y1 - y0, length2 = dx * dx + dy * dy;
    /* a line thinner than a pixel is paler */
    double half = fmax(width, 1) / 2, reach = half + 1, faint = fmin(width, 1);
    int bottom = clamped(fmax(y0, y1) + reach, -1, image->height - 1);
    for (int y = clamped(fmin(y0, y1) - reach, 0, image->height); y <= bottom; y++) {
        double from = fmin(x0, x1), to = fmax(x0, x1), cy = y + 0.5;
        if (fabs(dy) > 1e-9) { /* the part of the segment within `reach` of this row */
            double ta = (cy - reach - y0) / dy, tb = (cy + reach - y0) / dy;
            double first = fmax(0, fmin(ta, tb)), last = fmin(1, fmax(ta, tb));
            from = fmin(x0 + first * dx, x0 + last * dx);
            to = fmax(x0 + first * dx, x0 + last * dx);
        }
        int right = clamped(to + reach, -1, image->width - 1);
        for (int x = clamped(from - reach, 0, image->width); x <= right; x++) {
            double px = x + 0.5 - x0, py = cy - y0;
            double t = length2 > 0 ? fmin(1, fmax(0, (px * dx + py * dy) / length2)) : 0;
            double cover = fmin(1, half + 0.5 - hypot(px - t * dx, py - t * dy)) * faint * pen->alpha;
            if (!(cover > 0)) continue;
            const double shown = pen->strength ? cover * pen->strength(pen->context, x, y, t) : cover;
            pio_image_blend(image, x, y, pen->colour, shown);
        }
    }
}

void pio_image_polygon(pio_image *image, double (*corners)[2], int n, pio_rgb colour, double alpha)
{
    double nx[8], ny[8], at[8]; /* for each edge: unit normal to the inside, and its position along that normal */
    double box[4] = {INFINITY, INFINITY, -INFINITY, -INFINITY}, area = 0;
    if (n < 3 || n > 8) return;
    for (int i = 0; i < n; i++) {
        const double *p = corners[i], *q = corners[(i + 1) % n];
        if (!isfinite(p[0]) || !isfinite(p[1])) return;
        area += p[0] * q[1] - q[0] * p[1];
        box[0] = fmin(box[0], p[0]), box[1] = fmin(box[1], p[1]);
        box[2] = fmax(box[2], p[0]), box[3] = fmax(box[3], p[1]);
    }
    for (int i = 0; i < n; i++) {
        const double *p = corners[i], *q = corners[(i + 1) % n];
        double length = fmax(hypot(q[0] - p[0], q[1] - p[1]), 1e-12), side = area > 0 ? 1 : -1;
        nx[i] = -side * (q[1] - p[1]) / length;
        ny[i] = side * (q[0] - p[0]) / length;
        at[i] = nx[i] * p[0] + ny[i] * p[1];
    }
    int bottom = clamped(ceil(box[3]), 0, image->height), right = clamped(ceil(box[2]), 0, image->width);
    for (int y = clamped(box[1], 0, image->height); y < bottom; y++) {
        for (int x = clamped(box[0], 0, image->width); x < right; x++) {
            double cover = 1;
            for (int i = 0; i < n; i++) cover = fmin(cover, 0.5 + nx[i] * (x + 0.5) + ny[i] * (y + 0.5) - at[i]);
            pio_image_blend(image, x, y, colour, alpha * cover);
        }
    }
}

/* ---- PNG (ISO/IEC 15948) ------------------------------------------------------------------------------- */

static void big_endian(uint8_t *to, uint32_t v)
{
    to[0] = (uint8_t)(v >> 24);
    to[1] = (uint8_t)(v >> 16);
    to[2] = (uint8_t)(v >> 8);
    to[3] = (uint8_t)v;
}

const char pio_png_signature[PIO_PNG_SIGNATURE + 1] = "\x89PNG\r\n\x1a\n";

piola_status pio_png_chunk(pio_new_file *file, const char *type, const uint8_t *data, size_t size, piola_error *error)
{
    uint8_t head[8], tail[4];
    big_endian(head, (uint32_t)size);
    memcpy(head + 4, type, 4);
    uLong sum = crc32(0, head + 4, 4);
    if (size > 0) sum = crc32(sum, data, (uInt)size);
    big_endian(tail, (uint32_t)sum);
    piola_status rc = pio_new_file_write(file, head, 8, error);
    if (!rc && size > 0) rc = pio_new_file_write(file, data, size, error);
    return rc ? rc : pio_new_file_write(file, tail, 4, error);
}

static uint8_t paeth(int left, int up, int corner)
{
    int p = left + up - corner, dl = abs(p - left), du = abs(p - up), dc = abs(p - corner);
    return (uint8_t)(dl <= du && dl <= dc ? left : du <= dc ? up : corner);
}

/* Passes one row of `bytes` through filter `type` (0 none, 1 sub, 2 up, 4 Paeth) into out[1 + bytes]. Returns the sum
 * of the magnitudes, which indicates how well it will compress. */
static uint64_t filter_row(uint8_t *out, const uint8_t *row, const uint8_t *above, size_t bytes, uint8_t type)
{
    uint64_t sum = 0;
    out[0] = type;
    for (size_t i = 0; i < bytes; i++) {
        uint8_t left = i >= 3 ? row[i - 3] : 0, up = above != NULL ? above[i] : 0;
        uint8_t corner = i >= 3 && above != NULL ? above[i - 3] : 0;
        uint8_t guess = type == 1 ? left : type == 2 ? up : type == 4 ? paeth(left, up, corner) : 0;
        uint8_t rest = (uint8_t)(row[i] - guess);
        out[i + 1] = rest;
        sum += rest < 128 ? rest : 256u - rest;
    }
    return sum;
}

/* Returns the compressed pixels, or NULL without memory. `scratch` has room for the filtered rows and one more. */
static uint8_t *compressed(const pio_image *image, uint8_t *scratch, size_t *size)
{
    static const uint8_t types[4] = {0, 1, 2, 4};
    size_t bytes = 3 * (size_t)image->width, rows = (size_t)image->height;
    uint8_t *trial = scratch + rows * (bytes + 1);
    for (size_t y = 0; y < rows; y++) {
        const uint8_t *row = image->rgb + y * bytes, *above = y > 0 ? row - bytes : NULL;
        uint64_t best = UINT64_MAX;
        for (int k = 0; k < 4; k++) {
            uint64_t sum = filter_row(trial, row, above, bytes, types[k]);
            if (sum >= best) continue;
            best = sum;
            memcpy(scratch + y * (bytes + 1), trial, bytes + 1);
        }
    }
    uLongf room = compressBound((uLong)(rows * (bytes + 1)));
    uint8_t *out = malloc(room);
    if (out == NULL) return NULL;
    if (compress2(out, &room, scratch, (uLong)(rows * (bytes + 1)), 6) != Z_OK) {
        free(out);
        return NULL;
    }
    *size = room;
    return out;
}

piola_status pio_png_head(pio_new_file *file, int width, int height, bool palette, piola_error *error)
{
    uint8_t header[13] = {0}, intent = 0; /* intent 0: perceptual */
    big_endian(header, (uint32_t)width);
    big_endian(header + 4, (uint32_t)height);
    header[8] = 8;               /* bits per sample */
    header[9] = palette ? 3 : 2; /* indices into a palette, or RGB */
    piola_status rc = pio_new_file_write(file, pio_png_signature, PIO_PNG_SIGNATURE, error);
    if (!rc) rc = pio_png_chunk(file, "IHDR", header, sizeof header, error);
    return rc ? rc : pio_png_chunk(file, "sRGB", &intent, 1, error);
}

static piola_status put_png(pio_new_file *file, const pio_image *image, const uint8_t *data, size_t size,
                            piola_error *error)
{
    char comment[sizeof image->notes + 8];
    const int length = snprintf(comment, sizeof comment, "Comment%c%s", '\0', image->notes);
    piola_status rc = pio_png_head(file, image->width, image->height, false, error);
    if (!rc && image->notes[0] != '\0')
        rc = pio_png_chunk(file, "tEXt", (const uint8_t *)comment, (size_t)length, error);
    if (!rc) rc = pio_png_chunk(file, "IDAT", data, size, error);
    return rc ? rc : pio_png_chunk(file, "IEND", NULL, 0, error);
}

/* Writes `data` as a PNG, which gets its name when it is complete. */
static piola_status put_file(const pio_image *image, const uint8_t *data, size_t size, const char *path,
                             piola_error *error)
{
    pio_new_file new;
    pio_new_file_leftovers_beside(path);
    piola_status rc = pio_new_file_begin(&new, path, error);
    if (rc) return rc;
    rc = put_png(&new, image, data, size, error);
    if (!rc) rc = pio_new_file_place(&new, error);
    pio_new_file_drop(&new);
    return rc;
}

piola_status pio_image_replaces(const char *path, piola_error *error)
{
    return pio_new_file_replaces(path, pio_png_signature, PIO_PNG_SIGNATURE, "PNG picture", error);
}

piola_status pio_image_write_png(const pio_image *image, const char *path, piola_error *error)
{
    size_t packed = (size_t)image->height * (3 * (size_t)image->width + 1), row = 3 * (size_t)image->width + 1,
           size = 0;
    if (image->rgb == NULL) return pio_fail(error, PIOLA_USAGE, "%s: there is no picture to write", path);
    const piola_status rc = pio_image_replaces(path, error);
    if (rc) return rc;
    uint8_t *scratch = malloc(packed + row), *data = scratch == NULL ? NULL : compressed(image, scratch, &size);
    piola_status status = PIOLA_OK;
    if (data == NULL) {
        status = pio_fail(error, PIOLA_NO_MEMORY, "%s: no memory to compress the picture (about %zu bytes)", path,
                          2 * packed);
    } else {
        status = put_file(image, data, size, path, error);
    }
    free(data);
    free(scratch);
    return status;
}
