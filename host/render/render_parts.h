/* render_parts.h -- what the files of the renderer share; other files do not include it. */
#ifndef PIOLA_HOST_RENDER_PARTS_H
#define PIOLA_HOST_RENDER_PARTS_H

#include "host/render/render.h"

#define PIO_SAMPLES 2              /* samples per pixel and axis */
#define PIO_NO_OWNER UINT32_MAX    /* owner of a sample that shows nothing */
#define PIO_GREY PIO_COLORMAP_SIZE /* colour index of a particle without a value */
#define PIO_MOST_TICKS PIO_MOST_NAMES
#define PIO_OPAQUE 65535 /* opacity of what hides all behind it */

typedef struct {
    double x, y, w, h; /* pixels; (x, y) is the upper left corner */
} pio_area;

typedef struct {
    double at[PIO_MOST_TICKS]; /* multiples of 1, 2 or 5 times a power of ten, in increasing order */
    int n;
    int exponent; /* labels show the value / 10^exponent, which is a multiple of 3 */
    int decimals; /* decimals of the labels */
} pio_ticks;

/* A map from metres to pixels: q = (p - centre) / unit; a = right.q, b = up.q, depth = distance - toward.q. In 3D pixel
 * = (x0 + scale a/depth, y0 - scale b/depth); in 2D without the division. */
typedef struct {
    int dimension;          /* 2 or 3 */
    double centre[3], unit; /* m */
    double right[3], up[3], toward[3];
    double distance; /* distance of the eye from the centre, in units */
    double scale, x0, y0;
    /* 2D: scale along y over that along x, so that the window fills whole pixels exactly; it is 1 within half a pixel.
     */
    double squeeze;
} pio_view;

typedef struct {
    pio_picture p;       /* the picture as given, with width, height and threads filled in */
    double box[2][3];    /* lower and upper corner, m */
    double points[2][3]; /* bounds of the finite points within the given box, else of all finite points, m */
    double radius;       /* m */
    double size;         /* height of a capital, pixels */
    pio_area plot;       /* area where particles may be drawn, in whole pixels */
    pio_area bar;        /* the colour bar without its arrows */
    double bar_left;     /* left end of the column that holds the bar, pixels */
    pio_ticks bar_ticks;
    pio_view view;                    /* map from metres to pixels */
    pio_map_kind kind;                /* sequential or diverging */
    pio_colormap map;                 /* colours */
    double lo, hi;                    /* range of the bar, lo < hi */
    double least, greatest;           /* extremes of the finite values */
    bool coloured;                    /* there is a finite value, and so a bar */
    bool equal;                       /* all values are the same */
    bool named;                       /* the values are numbers of names */
    bool below, above;                /* there are values beyond the bar */
    size_t bad_points, grey, outside; /* numbers of what the notes list */
    size_t marks_outside;             /* likewise, of targets and data */
    size_t far_away;                  /* likewise, of particles of surfaces that are within the picture */
} pio_frame;

typedef struct {
    float x, y, r; /* in samples, from the corner of the plot; r < 0: not drawn */
    float depth;   /* depth in units of the view */
} pio_disc;

typedef struct {
    float x, y;      /* in samples, from the corner of the plot; NaN: not drawn */
    float nearness;  /* 1 / depth, which is linear on the screen */
    float normal[3]; /* outward normal, of any length: right, up, to the eye */
    float value;     /* position in the map, 0..1 within the range; NaN: none */
    float place[3];  /* (p - centre) / unit of the view */
    float at[2];     /* parameters within the face, 0..1 */
} pio_vertex;

typedef struct {
    uint32_t vertex[3]; /* numbers of its vertices */
    uint8_t sides;      /* number of sides of the face along which there are lines: 3 or 4; 0: none */
    uint16_t opacity;   /* 0..PIO_OPAQUE */
} pio_triangle;

/* Surfaces of a mesh or of particles as triangles. */
typedef struct {
    pio_vertex *vertex; /* [n_vertices] */
    pio_triangle *triangle;
    size_t n_vertices, n; /* vertices; triangles */
    float lines;          /* opacity of the sides of cells, 0..1 */
} pio_skin;

typedef struct {
    int width, height; /* samples */
    float *depth;      /* [height][width] depth of what is shown; infinite: nothing */
    uint32_t *owner;   /* [height][width] number of the particle, or n_discs + number of the triangle */
    pio_disc *discs;   /* [n_discs] discs of particles, else NULL */
    uint16_t *colour;  /* [n_discs] of particles: index into the map, or PIO_GREY */
    uint32_t n_discs;  /* number of particles; 0 for a mesh */
    bool grainy;       /* some particles are drawn as discs */
    pio_skin skin;     /* triangles of surfaces */
} pio_samples;

/* Colours of text, of what is in the background, of lines, and of the background itself (render_style.c). */
extern const pio_rgb pio_ink, pio_pale, pio_line_colour, pio_paper;

/* Finds bounds, range and radius of the picture (render_survey.c). Returns PIOLA_BAD_DATA if no point is finite or the
 * box is too thin or too large, PIOLA_USAGE if the radius is larger than the box, or PIOLA_NO_MEMORY. */
piola_status pio_survey(pio_frame *frame, piola_error *error);

/* Finds the bounds, m, beyond which a particle is part of no surface: a quarter of the box, and of the particles in it,
 * around them (render_survey.c). */
void pio_surface_bounds(const pio_frame *frame, double low[3], double high[3]);

/* ---- render_view.c ------------------------------------------------------------------------------------------- */

/* Makes the 2D view in which the window (m) fills the area. */
void pio_view_flat(pio_view *view, double window[2][3], const pio_area *area);
/* Makes the 3D view in which the box (m) fills the area (times zoom), seen from azimuth and elevation (degrees). */
void pio_view_space(pio_view *view, double box[2][3], double azimuth, double elevation, double zoom,
                    const pio_area *area);
/* Projects a point (m) to pixel x, y and depth. Returns false if it is beside or behind the eye. */
bool pio_view_project(const pio_view *view, const double point[3], double out[3]);

/* ---- render_axes.c ------------------------------------------------------------------------------------------- */

/* Chooses about `most` (2 to 20) ticks, at most `most` + 1, but two to five if there would be less than two. An empty
 * range has none. */
pio_ticks pio_ticks_make(double lo, double hi, int most);
/* Returns a tick at each of the names of the picture. */
pio_ticks pio_ticks_named(const pio_picture *picture);
/* Writes the label of a tick. */
void pio_tick_label(const pio_ticks *ticks, double value, char *out, size_t size);
/* Writes a number with this many digits: "4.87", "1.2×10⁻⁵". */
void pio_number(double value, int digits, char *out, size_t size);
/* Writes a unit for people: "m/s2" becomes "m/s²", "Pa.s" becomes "Pa·s". */
void pio_unit_pretty(const char *unit, char *out, size_t size);
/* Returns the width in pixels that the column of the colour bar needs; 0 without values. */
double pio_bar_column(const pio_frame *frame);
/* Draws the colour bar. */
void pio_bar_draw(const pio_frame *frame, pio_image *image);
/* Returns the pixels left of the plot that numbers need (2D). */
double pio_axes_left(const pio_frame *frame);
/* Draws the axes (2D): what lies behind the particles, or the rest. */
void pio_axes_draw(const pio_frame *frame, pio_image *image, bool behind);
/* Writes a power of ten: "×10⁻³". */
void pio_power_of_ten(int exponent, char *out, size_t size);

/* Draws the obstacles in 2D, before the particles (render_solid.c). */
void pio_solids_draw(const pio_frame *frame, pio_image *image);

/* Draws targets, data and paths, and counts those beyond the plot (render_marks.c). */
void pio_marks_draw(pio_frame *frame, pio_image *image);
/* Draws the floor with its shadow in 3D, before the particles (render_box.c). Returns PIOLA_NO_MEMORY without memory
 * for the shadow. */
piola_status pio_floor_draw(const pio_frame *frame, const pio_samples *samples, pio_image *image, piola_error *error);
/* Draws frame, numbers and triad in 3D, after the particles (render_box.c). */
void pio_box_draw(const pio_frame *frame, const pio_samples *samples, pio_image *image);

/* ---- render_splat.c ------------------------------------------------------------------------------------------ */

/* Draws the particles into samples. Returns PIOLA_NO_MEMORY without memory for their discs. */
piola_status pio_splat(pio_frame *frame, pio_samples *samples, piola_error *error);
/* Allocates the samples of the plot, all empty. Returns PIOLA_NO_MEMORY if that fails. */
piola_status pio_samples_make(const pio_frame *frame, pio_samples *samples, piola_error *error);
/* Frees what the samples hold. */
void pio_samples_free(pio_samples *samples);
/* Returns the position of a value in the map: 0..1 within the range, large beyond it if infinite, NaN for none. */
double pio_value_place(const pio_frame *frame, double value);
/* Returns whether the coordinates of a point are finite. */
bool pio_point_is_finite(const double *point, int dimension);

/* Makes triangles on the screen of a mesh's surface (render_skin.c). Returns PIOLA_BAD_DATA if there are too many for
 * one picture, or PIOLA_NO_MEMORY. */
piola_status pio_skin_make(pio_frame *frame, const pio_samples *samples, pio_skin *skin, piola_error *error);
/* Places a point (m) on the screen: all but normal, value and parameters (render_skin.c). */
void pio_skin_place(const pio_frame *frame, const double point[3], pio_vertex *out);
/* Adds the surfaces of particles to the triangles (render_fluid.c). Returns PIOLA_BAD_DATA if there are too many for
 * one picture, or PIOLA_NO_MEMORY. */
piola_status pio_fluid_make(const pio_frame *frame, pio_skin *skin, piola_error *error);
/* Returns whether the body of a particle is drawn as a surface around its particles (render_style.c). */
bool pio_is_surface(const pio_picture *picture, size_t item);
/* Returns the opacity of the body of a particle or a cell, 0..PIO_OPAQUE (render_style.c). */
uint16_t pio_opacity(const pio_picture *picture, size_t item);

/* Draws the opaque triangles into samples (render_raster.c). */
void pio_raster(const pio_frame *frame, pio_samples *samples);

/* What is transparent at a sample, from the nearest. */
typedef struct {
    uint32_t triangle; /* its number */
    float depth;
} pio_layer;

/* Transparent triangles in some rows of samples. */
typedef struct {
    int top, bottom;  /* the rows [top, bottom) */
    pio_layer *layer; /* [bottom - top][width][PIO_MOST_LAYERS] */
    uint8_t *count;   /* [bottom - top][width] layers */
} pio_layers;

/* Draws the transparent triangles into layers, for rows top..bottom - 1 (render_raster.c). At each sample these are the
 * nearest by (depth, number) of those before what is opaque, so that they depend neither on the order of drawing nor on
 * the rows that are drawn together. */
void pio_raster_layers(const pio_samples *samples, pio_layers *layers);

/* The interpolated values of a mesh at a sample. */
typedef struct {
    float value;     /* position in the map, as of a vertex */
    float normal[3]; /* unit normal on the side of the eye: right, up, to the eye */
    float line;      /* fraction of the sample that the line along a side of a cell covers, 0..1 */
} pio_raster_value;
/* Interpolates the values of a triangle at the sample (x, y). */
pio_raster_value pio_raster_interpolate(const pio_samples *samples, int x, int y, uint32_t triangle);

/* Turns samples into colours of the image (render_shade.c). Returns PIOLA_NO_MEMORY without memory for that. */
piola_status pio_shade(const pio_frame *frame, const pio_samples *samples, pio_image *image, piola_error *error);

#endif
