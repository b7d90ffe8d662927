/* image.h -- an RGB picture in memory: lines and areas with analytic coverage, written as PNG.
 *
 * Pixel (x, y) covers the square [x, x+1] x [y, y+1]; x grows to the right, y downwards. Every drawing function clips
 * at the edges of the image and blends sRGB values; it draws nothing for coordinates that are not finite. */
#ifndef PIOLA_HOST_IMAGE_H
#define PIOLA_HOST_IMAGE_H

#include "host/base/new_file.h"

#define PIO_IMAGE_MAX_SIDE 8192 /* pixels */

typedef struct {
    uint8_t r, g, b; /* sRGB */
} pio_rgb;

typedef struct {
    int width, height; /* pixels */
    uint8_t *rgb;      /* [height][width][3] */
    /* What the reader of the picture must know (particles left out, ...), the PNG's Comment; "" if nothing. */
    char notes[512];
} pio_image;

/* Returns the opacity of a line at pixel (x, y), 0..1; `along` is 0 at its start and 1 at its end. */
typedef double (*pio_line_strength)(void *context, int x, int y, double along);

/* The pen with which a line is drawn. */
typedef struct {
    double width; /* pixels; a line thinner than a pixel is paler */
    pio_rgb colour;
    double alpha;               /* 0..1 */
    pio_line_strength strength; /* opacity along the line; NULL: 1 everywhere */
    void *context;              /* argument of `strength` */
} pio_pen;

/* Allocates an image with sides of 1 to PIO_IMAGE_MAX_SIDE pixels. Returns PIOLA_USAGE for other sides, or
 * PIOLA_NO_MEMORY. */
piola_status pio_image_make(pio_image *image, int width, int height, pio_rgb background, piola_error *error);
/* Frees the pixels of an image, which may be empty. */
void pio_image_free(pio_image *image);

/* Blends a colour into one pixel; alpha is 0..1. */
void pio_image_blend(pio_image *image, int x, int y, pio_rgb colour, double alpha);
/* Blends a colour into the rectangle from (x0, y0) to (x1, y1), in pixels. */
void pio_image_rectangle(pio_image *image, double x0, double y0, double x1, double y1, pio_rgb colour, double alpha);
/* Draws a segment with round ends from (x0, y0) to (x1, y1), in pixels. */
void pio_image_line(pio_image *image, double x0, double y0, double x1, double y1, const pio_pen *pen);
/* Fills a convex polygon of 3 to 8 corners in either orientation. */
void pio_image_polygon(pio_image *image, double (*corners)[2], int n, pio_rgb colour, double alpha);

/* Returns PIOLA_CANNOT_CREATE if a picture of that name would replace a file that is neither a PNG nor empty. */
piola_status pio_image_replaces(const char *path, piola_error *error);

/* Writes a PNG under a temporary name beside `path`, flushes it to disk and renames it, so that `path` is complete or
 * unchanged. Existing files are replaced only as pio_image_replaces() allows. Returns PIOLA_CANNOT_CREATE if that does
 * not or the file cannot be created, PIOLA_IO if writing fails, PIOLA_USAGE for an empty image, or PIOLA_NO_MEMORY. */
piola_status pio_image_write_png(const pio_image *image, const char *path, piola_error *error);

/* ---- parts of a PNG (ISO/IEC 15948) ---- */

enum { PIO_PNG_SIGNATURE = 8 };                             /* bytes with which a PNG begins */
extern const char pio_png_signature[PIO_PNG_SIGNATURE + 1]; /* these bytes, and a NUL */
/* Writes the signature and the chunks IHDR and sRGB of a picture of RGB, or of indices into a palette. Returns PIOLA_IO
 * if writing fails. */
piola_status pio_png_head(pio_new_file *file, int width, int height, bool palette, piola_error *error);
/* Writes a chunk of four letters with `size` < 2^31 bytes. Returns PIOLA_IO if writing fails. */
piola_status pio_png_chunk(pio_new_file *file, const char *type, const uint8_t *data, size_t size, piola_error *error);

#endif
