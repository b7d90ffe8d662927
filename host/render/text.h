/* text.h -- text in pictures, by a module of cairo (text_table.h), clipped and blended as lines are (image.h).
 *
 * Text is UTF-8, in which bytes that are none become U+FFFD. `size` is the height of a capital in pixels. */
#ifndef PIOLA_HOST_TEXT_H
#define PIOLA_HOST_TEXT_H

#include "host/render/image.h"

enum { PIO_TEXT_LONGEST = 2048 }; /* bytes of a text that is drawn */

/* Opens the module and its fonts, before other functions are called. Returns PIOLA_UNAVAILABLE if either is missing. */
piola_status pio_text_begin(piola_error *error);
/* Returns PIOLA_NO_MEMORY if a text was not measured or drawn since pio_text_begin(). */
piola_status pio_text_end(piola_error *error);
/* Returns the width of a text in pixels. */
double pio_text_width(const char *text, double size, bool bold);
/* Draws a text with its left end at (x, y) on the base line, in pixels. */
void pio_text_draw(pio_image *image, double x, double y, double size, bool bold, pio_rgb colour, const char *text);
/* Copies the text, shortened with "..." so that its width is at most `width` pixels; `out` is terminated and never ends
 * within a character. */
void pio_text_fit(const char *text, double size, double width, char *out, size_t out_size, bool bold);

/* Copies what fits of a text as valid UTF-8 to out[PIO_TEXT_LONGEST]. */
void pio_text_clean(const char *text, char *out);
/* Returns the table of the module, once pio_text_begin() opened it. */
const struct pio_text_table *pio_text_module(void);

#endif
