/* font.h -- text in pictures, with an alphabet of strokes that have analytic coverage, clipped and blended as lines are
 * (image.h).
 *
 * Text is UTF-8: printable ASCII, the signs for times, middle dot, minus, micro and degree, and superscript digits,
 * plus and minus. Any other character is drawn as an empty box. `size` is the height of a capital in pixels. */
#ifndef PIOLA_HOST_FONT_H
#define PIOLA_HOST_FONT_H

#include "host/render/image.h"

/* Returns the width of a text in pixels. */
double pio_text_width(const char *text, double size);
/* Draws a text with its left end at (x, y) on the base line, in pixels. `weight` is the width of a stroke over `size`
 * (0.12 normal, 0.17 bold). */
void pio_text_draw(pio_image *image, double x, double y, double size, double weight, pio_rgb colour, const char *text);
/* Copies the text, shortened with "..." so that its width is at most `width` pixels; `out` is terminated and never ends
 * within a character. */
void pio_text_fit(const char *text, double size, double width, char *out, size_t out_size);

#endif
