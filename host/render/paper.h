/* paper.h -- a figure of lines and text as PNG, SVG or PDF, drawn by the module of cairo (text_table.h).
 *
 * Coordinates are from the upper left corner: pixels of a PNG and of an SVG, in a PDF points of 1/72 inch. The same
 * figure has the same bytes: a PDF is dated 1970, and all formats have the letters of DejaVu Sans, of which SVG holds
 * the outlines and PDF the font. */
#ifndef PIOLA_HOST_PAPER_H
#define PIOLA_HOST_PAPER_H

#include "host/render/image.h"

typedef struct pio_paper pio_paper;

/* How a line or an area is drawn. */
typedef struct {
    pio_rgb colour;
    double width; /* of a line; 0: the area within is filled */
    double dash;  /* length of dashes and of the gaps between them; 0: none */
} pio_pen_of_paper;

/* Returns PIOLA_USAGE if the name does not end in .png, .svg or .pdf, and PIOLA_CANNOT_CREATE if a file is there that
 * no figure of that format may replace. */
piola_status pio_paper_replaces(const char *path, piola_error *error);
/* Begins a figure of whole pixels, whose format the end of `path` says; the title is text for readers of SVG and PDF,
 * not drawn. pio_text_width() can be called then. Returns PIOLA_UNAVAILABLE without the module or its fonts, the errors
 * of pio_paper_replaces(), or PIOLA_NO_MEMORY. */
piola_status pio_paper_begin(pio_paper **out, const char *path, int width, int height, const char *title,
                             piola_error *error);
/* Draws a line through n points, or fills the area within; a point that is NaN ends a line, the next begins another. */
void pio_paper_line(pio_paper *paper, double (*points)[2], size_t n, const pio_pen_of_paper *pen);
/* Fills discs about n points, of which those that are NaN have none. */
void pio_paper_discs(pio_paper *paper, double (*points)[2], size_t n, double radius, pio_rgb colour);
/* Text to be drawn in a figure. */
typedef struct {
    double x, y; /* left end of the base line */
    double size; /* height of a capital */
    bool bold, upward;
    pio_rgb colour;
} pio_place_of_text;
/* Writes a text; bytes that are not UTF-8 become U+FFFD. */
void pio_paper_text(pio_paper *paper, const pio_place_of_text *at, const char *text);
/* Writes the file, which appears complete or not at all, and frees the figure. Returns PIOLA_NO_MEMORY, and the errors
 * of pio_write_file_atomically() and pio_image_write_png(). */
piola_status pio_paper_end(pio_paper *paper, const char *path, piola_error *error);
/* Frees a figure that is not written; it may be NULL. */
void pio_paper_drop(pio_paper *paper);

#endif
