/* text_table.h -- the seam to libraries that draw text, and figures with text: one table of functions per library.
 *
 * A library is a loadable module, piola_text_NAME.so beside the engines, that exports its table as `piola_text`. Only
 * the module is linked with the library. */
#ifndef PIOLA_HOST_TEXT_TABLE_H
#define PIOLA_HOST_TEXT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PIO_TEXT_VERSION = 2 };

/* Text that is to be drawn: valid UTF-8. */
typedef struct {
    const char *text;
    double size; /* height of a capital, pixels */
    bool bold;
} pio_text_run;

/* Coverage of pixels, 0 to 255. */
typedef struct {
    uint8_t *cover;            /* [height][stride] */
    int width, height, stride; /* the stride is a multiple of 4 */
} pio_text_area;

/* What a figure becomes. */
typedef enum { PIO_PAPER_PIXELS, PIO_PAPER_SVG, PIO_PAPER_PDF } pio_paper_format;

/* Takes bytes of a figure in their order. Returns false if that fails. */
typedef bool (*pio_paper_put)(void *to, const void *bytes, size_t size);

/* A figure that is begun. */
typedef struct {
    pio_paper_format format;
    double width, height; /* whole pixels; in a PDF, points of 1/72 inch */
    const char *title;    /* of a PDF: valid UTF-8 */
    pio_paper_put put;    /* of PIXELS receives rows of RGB bytes, from the top; of the others the file */
    void *to;             /* first argument of `put` */
} pio_paper_desc;

/* How a line or an area is drawn. */
typedef struct {
    uint8_t colour[3]; /* sRGB */
    double width;      /* of a line; 0: the area within is filled */
    double dash;       /* length of dashes and of the gaps between them; 0: none */
} pio_paper_pen;

typedef struct pio_text_table {
    uint32_t version, size;
    /* Opens the fonts. Returns false with the reason in message[size] if there are none. */
    bool (*open)(char *message, size_t size);
    /* Returns the width of a text, pixels; less than 0: there was not enough memory. */
    double (*width)(const pio_text_run *run);
    /* Draws a text with the left end of its base line at (x, y), pixels. Returns false without enough memory. */
    bool (*draw)(const pio_text_run *run, double x, double y, const pio_text_area *area);

    /* Begins a white figure, whose coordinates are from its upper left corner. Returns NULL without memory. */
    void *(*paper_begin)(const pio_paper_desc *desc);
    /* Draws a line through n points, or fills it; a point that is NaN ends a line, and the next begins another one. */
    void (*paper_line)(void *paper, double (*points)[2], size_t n, const pio_paper_pen *pen);
    /* Fills discs about n points; those that are NaN have none. */
    void (*paper_discs)(void *paper, double (*points)[2], size_t n, double radius, const pio_paper_pen *pen);
    /* Writes a text with the left end of its base line at (x, y); `upward`: turned by a quarter to the left. */
    void (*paper_text)(void *paper, const pio_text_run *run, double x, double y, bool upward, const pio_paper_pen *pen);
    /* Ends the figure and frees it. Returns false if anything of it was lost: no memory, or `put` failed. */
    bool (*paper_end)(void *paper);
} pio_text_table;

#endif
