/* text.c -- see text.h. */
#include "host/render/text.h"
#include "host/base/fail.h"
#include "host/base/modules.h"
#include "host/render/text_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const pio_text_table *table; /* of the module; NULL: it is not open */
static _Thread_local bool lost;     /* memory was refused */

piola_status pio_text_begin(piola_error *error)
{
    char folder[PIO_PATH], why[PIO_MODULE_TEXT];
    const pio_module_head wanted = {PIO_TEXT_VERSION, sizeof *table};
    lost = false;
    if (table) return PIOLA_OK;
    pio_module_folder(folder, sizeof folder);
    const pio_text_table *found = pio_module_open(folder, "text", "cairo", wanted, why);
    if (!found)
        return pio_fail(error, PIOLA_UNAVAILABLE,
                        "a picture needs cairo, and %s: install it (Debian: libcairo2; to build Piola with it, "
                        "libcairo2-dev)",
                        why);
    if (!found->open(why, sizeof why))
        return pio_fail(error, PIOLA_UNAVAILABLE,
                        "a picture needs the font DejaVu Sans, and %s: install it (Debian: fonts-dejavu-core), or name "
                        "its folder by PIOLA_FONTS",
                        why);
    table = found;
    return PIOLA_OK;
}

piola_status pio_text_end(piola_error *error)
{
    return lost ? pio_fail(error, PIOLA_NO_MEMORY, "no memory for the text of a picture") : PIOLA_OK;
}

/* Returns the number of bytes of the character at `s`; 0 if it is no UTF-8 (RFC 3629). */
static size_t character(const char *s)
{
    const unsigned char *c = (const unsigned char *)s;
    const size_t n = c[0] < 0x80 ? 1 : c[0] >= 0xC2 && c[0] < 0xE0 ? 2 : (c[0] & 0xF0) == 0xE0 ? 3 : 4;
    if (n == 4 && !(c[0] >= 0xF0 && c[0] < 0xF5)) return 0;
    for (size_t i = 1; i < n; i++)
        if ((c[i] & 0xC0) != 0x80) return 0; /* the NUL at the end of the text, too */
    if ((c[0] == 0xE0 && c[1] < 0xA0) || (c[0] == 0xED && c[1] >= 0xA0)) return 0;
    if ((c[0] == 0xF0 && c[1] < 0x90) || (c[0] == 0xF4 && c[1] >= 0x90)) return 0;
    return n;
}

/* Copies what fits of the first `size` bytes of a text as valid UTF-8. */
static void clean(const char *text, size_t size, char out[PIO_TEXT_LONGEST])
{
    size_t used = 0;
    for (const char *at = text; at < text + size && *at;) {
        const size_t n = character(at);
        if (used + 4 >= PIO_TEXT_LONGEST) break;
        memcpy(out + used, n ? at : "\uFFFD", n ? n : 3);
        used += n ? n : 3;
        at += n ? n : 1;
    }
    out[used] = '\0';
}

void pio_text_clean(const char *text, char *out)
{
    clean(text, strlen(text), out);
}

const pio_text_table *pio_text_module(void)
{
    return table;
}

/* Returns the width of the first `size` bytes of a text. */
static double width_of(const char *text, size_t size, double height, bool bold)
{
    char valid[PIO_TEXT_LONGEST];
    clean(text, size, valid);
    const pio_text_run run = {valid, height, bold};
    if (!*valid || !(height > 0)) return 0;
    const double width = table ? table->width(&run) : -1;
    lost |= width < 0;
    return fmax(width, 0);
}

double pio_text_width(const char *text, double size, bool bold)
{
    return width_of(text, strlen(text), size, bold);
}

void pio_text_fit(const char *text, double size, double width, char *out, size_t out_size, bool bold)
{
    const size_t length = strlen(text);
    if (length < out_size && width_of(text, length, size, bold) <= width) {
        memcpy(out, text, length + 1);
        return;
    }
    const double room = width - pio_text_width("...", size, bold);
    size_t end = 0;
    while (end < length) {
        const size_t n = character(text + end) ? character(text + end) : 1;
        if (end + n + 4 > out_size || width_of(text, end + n, size, bold) > room) break;
        end += n;
    }
    snprintf(out, out_size, "%.*s...", (int)end, text);
}

void pio_text_draw(pio_image *image, double x, double y, double size, bool bold, pio_rgb colour, const char *text)
{
    char valid[PIO_TEXT_LONGEST];
    clean(text, strlen(text), valid);
    const pio_text_run run = {valid, size, bold};
    const double width = width_of(text, strlen(text), size, bold);
    if (!isfinite(x) || !isfinite(y) || !(size > 0) || fabs(x) > 1e6 || fabs(y) > 1e6 || size > 1e4 || !(width > 0))
        return;
    /* the pixels that it may cover and the image has; the base line is between two rows, which is sharper */
    const double base = floor(y) + 1;
    const int left = (int)fmax(0, floor(x - size)), right = (int)fmin(image->width, ceil(x + width + size));
    const int top = (int)fmax(0, base - 2 * ceil(size)), bottom = (int)fmin(image->height, base + ceil(size));
    if (left >= right || top >= bottom) return;
    pio_text_area area = {.width = right - left, .height = bottom - top, .stride = (right - left + 3) / 4 * 4};
    area.cover = calloc((size_t)area.height, (size_t)area.stride);
    lost |= !area.cover || !table->draw(&run, x - left, base - top, &area);
    for (int row = 0; area.cover && row < area.height; row++)
        for (int column = 0; column < area.width; column++)
            pio_image_blend(image, left + column, top + row, colour, area.cover[row * area.stride + column] / 255.);
    free(area.cover);
}
