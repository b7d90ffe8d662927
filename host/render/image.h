/* image.h -- an RGB picture in memory: lines and areas with analytic coverage, written as PNG.
 *
 * Pixel (x, y) covers the square [x, x+1] x [y, y+1]; x grows to the right, y downwards. Every drawing call clips at
 * the edges of the image and blends in sRGB values; coordinates that are not finite draw nothing. */
#ifndef PIOLA_HOST_IMAGE_H
#define PIOLA_HOST_IMAGE_H

#include "piola.h"

#define PIO_IMAGE_MAX_SIDE 8192 /* pixels */

typedef struct {
    uint8_t r, g, b; /* sRGB */
} pio_rgb;

typedef struct {
    int width, height;
    uint8_t *rgb;    /* [height][width][3] */
    char notes[512]; /* what a reader must know (particles left out, ...); "" when nothing; the PNG's Comment */
} pio_image;

/* How strongly a line shows at pixel (x, y), 0..1; `along` is 0 at its start and 1 at its end. */
typedef double (*pio_line_strength)(void *context, int x, int y, double along);

/* What a line is drawn with. */
typedef struct {
    double width; /* pixels; one thinner than a pixel is paler */
    pio_rgb colour;
    double alpha;               /* 0..1 */
    pio_line_strength strength; /* may be NULL: 1 everywhere */
    void *context;              /* of `strength` */
} pio_pen;

/* Sides 1..PIO_IMAGE_MAX_SIDE. PIOLA_USAGE, PIOLA_NO_MEMORY. The image is freed by pio_image_free (also when empty). */
piola_status pio_image_make(pio_image *image, int width, int height, pio_rgb background, piola_error *error);
void pio_image_free(pio_image *image);

void pio_image_blend(pio_image *image, int x, int y, pio_rgb colour, double alpha);
void pio_image_rectangle(pio_image *image, double x0, double y0, double x1, double y1, pio_rgb colour, double alpha);
/* A segment with round ends, from (x0, y0) to (x1, y1). */
void pio_image_line(pio_image *image, double x0, double y0, double x1, double y1, const pio_pen *pen);
/* A convex polygon of 3..8 corners in either turning sense. */
void pio_image_polygon(pio_image *image, double (*corners)[2], int n, pio_rgb colour, double alpha);

/* PIOLA_CANNOT_CREATE where a picture of that name would take the place of something that is neither a PNG nor
 * empty. */
piola_status pio_image_replaces(const char *path, piola_error *error);

/* Refused as above; then written beside `path` under a temporary name, flushed to the disk and renamed: `path` is whole
 * or untouched. PIOLA_CANNOT_CREATE, PIOLA_IO, PIOLA_NO_MEMORY. */
piola_status pio_image_write_png(const pio_image *image, const char *path, piola_error *error);

#endif
