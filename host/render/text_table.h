/* text_table.h -- the seam to libraries that draw text: one table of functions per library.
 *
 * A library is a loadable module, piola_text_NAME.so beside the engines, that exports its table as `piola_text`. Only
 * the module is linked with the library. */
#ifndef PIOLA_HOST_TEXT_TABLE_H
#define PIOLA_HOST_TEXT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PIO_TEXT_VERSION = 1 };

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

typedef struct {
    uint32_t version, size;
    /* Opens the fonts. Returns false with the reason in message[size] if there are none. */
    bool (*open)(char *message, size_t size);
    /* Returns the width of a text, pixels; less than 0: there was not enough memory. */
    double (*width)(const pio_text_run *run);
    /* Draws a text with the left end of its base line at (x, y), pixels. Returns false without enough memory. */
    bool (*draw)(const pio_text_run *run, double x, double y, const pio_text_area *area);
} pio_text_table;

#endif
