/* font.h -- text in pictures: an alphabet of strokes with analytic coverage, clipped and blended as lines are
 * (image.h). */
#ifndef PIOLA_HOST_FONT_H
#define PIOLA_HOST_FONT_H

#include "host/render/image.h"

/* Text in UTF-8: printable ASCII, the signs for times, middle dot, minus, micro and degree, and superscript digits,
 * plus and minus. Any other character is drawn as an empty box. `size` is the height of a capital in pixels, `weight`
 * the stroke over that height (0.12 normal, 0.17 bold), (x, y) the left end of the base line. */
double pio_text_width(const char *text, double size);
void pio_text_draw(pio_image *image, double x, double y, double size, double weight, pio_rgb colour, const char *text);
/* The text cut with "..." so that its width is at most `width`; `out` is terminated, never in the middle of a
 * character. */
void pio_text_fit(const char *text, double size, double width, char *out, size_t out_size);

#endif
