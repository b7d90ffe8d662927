/* drawing.h -- the frames of a snapshot as pictures, for the commands that draw. */
#ifndef PIOLA_HOST_DRAWING_H
#define PIOLA_HOST_DRAWING_H

#include "host/config/config.h"
#include "host/render/render.h"
#include "host/snapshot/snapshot.h"

/* The quantity that the colours show: one stored component, or the root of the sum of squares of all. */
typedef struct {
    const pio_snapshot_field_info *info;
    int component; /* stored component; -1: magnitude, or the number itself for one component */
    char label[200];
} pio_drawn_field;

/* A snapshot that is being drawn. */
typedef struct {
    const piola_render_options *options;
    pio_snapshot_file *file;
    const pio_snapshot_info *info;
    int64_t frame; /* the frame that the arrays hold */
    double factor; /* of displacements */
    pio_drawn_field field;
    double *points, *values;
    double lo, hi;          /* ends of the colour bar over all frames; NaN: not held */
    double radius;          /* of particles in all frames, m; 0: of each frame */
    pio_snapshot_mesh mesh; /* cells; n_cells = 0 for particles */
    char *text;             /* the scene in the file: JSON, which is YAML too */
    cfg_doc doc;            /* what it holds */
    cfg_node *scene;        /* its root; NULL: none */
    pio_solid *solids;
    char *names[PIO_MOST_NAMES]; /* [n_names] of bodies or materials, where the field has their numbers */
    size_t n_names;
    char title[200], caption[100];
    pio_picture picture;
} pio_drawing;

/* Opens the file of `options`, which must outlive the drawing, chooses what is drawn, and with options->hold finds the
 * ends of axes and colours that hold for all frames. pio_drawing_close() is called after any outcome. Returns
 * PIOLA_USAGE for a field or frame that is not there, PIOLA_NO_MEMORY, and the errors of pio_snapshot_open(). */
piola_status pio_drawing_open(pio_drawing *d, const piola_render_options *options, piola_error *error);
/* Draws a frame, of which -1 is the last, into a new image, which pio_image_free() frees. Returns the errors of
 * pio_render() and those of reading a snapshot. */
piola_status pio_drawing_frame(pio_drawing *d, int64_t frame, pio_image *image, piola_error *error);
/* Closes the file and frees what the drawing holds. */
void pio_drawing_close(pio_drawing *d);

/* Chooses the field of the options (drawing_field.c). Returns PIOLA_USAGE if there is none that a picture can show. */
piola_status pio_drawing_choose_field(pio_drawing *d, piola_error *error);
/* Returns the field whose name has these `length` bytes; NULL: there is none (drawing_field.c). */
const pio_snapshot_field_info *pio_drawing_find(const pio_snapshot_info *info, const char *name, size_t length);

#endif
