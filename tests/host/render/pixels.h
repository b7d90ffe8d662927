/* pixels.h -- renders a picture and reads its pixels, for tests. */
#ifndef PIOLA_TESTS_PIXELS_H
#define PIOLA_TESTS_PIXELS_H

#include "host/render/render.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* Renders a picture, or fails the test; the caller frees the image. */
static inline pio_image render(const pio_picture *p)
{
    pio_image image;
    piola_error error = {0};
    if (pio_render(p, &image, &error) != PIOLA_OK) fail_msg("%s", error.message);
    return image;
}

/* Returns the colour at column x and row y, from the upper left. */
static inline pio_rgb pixel(const pio_image *image, int x, int y)
{
    const uint8_t *p = image->rgb + 3 * ((size_t)y * (size_t)image->width + (size_t)x);
    return (pio_rgb){p[0], p[1], p[2]};
}

/* Returns whether all three channels are equal. */
static inline bool same_colour(pio_rgb a, pio_rgb b)
{
    return a.r == b.r && a.g == b.g && a.b == b.b;
}

#endif
