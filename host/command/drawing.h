/* drawing.h -- the frames of a snapshot as pictures, for the commands that draw. */
#ifndef PIOLA_HOST_DRAWING_H
#define PIOLA_HOST_DRAWING_H

#include "host/config/config.h"
#include "host/render/render.h"
#include "host/snapshot/snapshot.h"
#include "piola.h"

/* The quantity that the colours show: one stored component, or the root of the sum of squares of all. */
typedef struct {
    const pio_snapshot_field_info *info;
    int component; /* stored component; -1: magnitude, or the number itself for one component */
    char label[200];
} pio_drawn_field;

/* The cells of a mesh that are drawn, where some are hidden. */
typedef struct {
    const pio_snapshot_field_info *info; /* the field that decides; NULL: all are drawn */
    double least;                        /* cells in which it is below this are hidden; one without a value is drawn */
    double *by;                          /* [n_cells of the file] its values in the frame */
    pio_snapshot_mesh mesh;              /* what is left in the frame; n_cells = 0: nothing, so that all are drawn */
} pio_drawn_cells;

/* How the bodies are drawn. */
typedef struct {
    pio_style *styles; /* [n] */
    size_t n;          /* bodies; 0: all are opaque, particles discs */
    bool known;        /* it is known what belongs to which body */
    /* [rows] number of the body of each particle or cell of the file, and of those that are drawn; NULL: one body */
    uint32_t *all, *shown;
} pio_drawn_bodies;

/* What is drawn over all frames alike: of each place that the scene observes its targets, data and path. */
typedef struct {
    pio_mark *list;     /* [n] */
    size_t n, places;   /* marks; observed places */
    bool more;          /* there are more places than are drawn */
    double (*place)[3]; /* [frames][places] m, where they are in each frame; NULL: no path is drawn */
    double (*now)[3];   /* [places] those of the frame; the last mark's */
} pio_drawn_marks;

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
    pio_drawn_cells shown;
    pio_drawn_bodies bodies;
    char *text;      /* the scene in the file: JSON, which is YAML too */
    cfg_doc doc;     /* what it holds */
    cfg_node *scene; /* its root; NULL: none */
    pio_solid *solids;
    pio_drawn_marks marks;
    char *names[PIO_MOST_NAMES]; /* [n_names] of bodies or materials, where the field has their numbers */
    size_t n_names;
    char title[200], caption[300];
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
/* Reads options->hide_below and makes room for the cells that remain (drawing_hidden.c). Returns PIOLA_USAGE if it is
 * no FIELD=VALUE, or the file has no such field of cells, and PIOLA_NO_MEMORY. */
piola_status pio_drawing_choose_hidden(pio_drawing *d, piola_error *error);
/* Finds the cells of this frame that are drawn, moves the values of cells to their places, and adds to the caption what
 * was hidden (drawing_hidden.c). Returns the errors of pio_snapshot_read_field(). */
piola_status pio_drawing_hide(pio_drawing *d, piola_error *error);
/* Finds what options->targets and options->paths request, where the scene observes mean positions of bodies or
 * displacements of points (drawing_marks.c). Returns PIOLA_NO_MEMORY and the errors of reading a snapshot. */
piola_status pio_drawing_choose_marks(pio_drawing *d, piola_error *error);
/* Sets the marks of this frame, and adds to the caption what they are (drawing_marks.c). */
void pio_drawing_mark(pio_drawing *d);
/* Frees what pio_drawing_choose_marks() made (drawing_marks.c). */
void pio_drawing_free_marks(pio_drawing *d);
/* Frees what pio_drawing_choose_hidden() made (drawing_hidden.c). */
void pio_drawing_free_hidden(pio_drawing *d);
/* Chooses how bodies are drawn by options->surface and options->opacity, after the scene was read (drawing_bodies.c).
 * Returns PIOLA_USAGE for a body that is not there and a value out of range, PIOLA_NO_MEMORY, and the errors of
 * pio_snapshot_read_field(). */
piola_status pio_drawing_choose_bodies(pio_drawing *d, piola_error *error);
/* Frees what pio_drawing_choose_bodies() made (drawing_bodies.c). */
void pio_drawing_free_bodies(pio_drawing *d);
/* Returns the field whose name has these `length` bytes; NULL: there is none (drawing_field.c). */
const pio_snapshot_field_info *pio_drawing_find(const pio_snapshot_info *info, const char *name, size_t length);

#endif
