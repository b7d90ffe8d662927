/* colormap.h -- colour maps in which equal steps of the number appear as equal steps of colour. */
#ifndef PIOLA_HOST_COLORMAP_H
#define PIOLA_HOST_COLORMAP_H

#include "host/render/image.h"

#define PIO_COLORMAP_SIZE 1025 /* odd: the middle of a diverging map is one entry */

typedef enum {
    PIO_MAP_AUTO,       /* the renderer chooses by the name and the values of the field */
    PIO_MAP_SEQUENTIAL, /* dark violet, blue, green, yellow; lightness only grows */
    PIO_MAP_DIVERGING   /* blue below zero, light grey at zero, red above */
} pio_map_kind;

typedef struct {
    pio_rgb colour[PIO_COLORMAP_SIZE];
} pio_colormap;

/* Computes a colour map; PIO_MAP_AUTO gives the sequential one. */
void pio_colormap_make(pio_colormap *map, pio_map_kind kind);
/* Returns the entry for `t` in 0..1. Values below and above give the ends, NaN gives the middle. */
int pio_colormap_index(double t);

#endif
