/* render_parts.h -- what the parts of the renderer share; not for other files. */
#ifndef PIOLA_HOST_RENDER_PARTS_H
#define PIOLA_HOST_RENDER_PARTS_H

#include "host/render/render.h"

#define PIO_SAMPLES 2              /* samples per pixel and axis */
#define PIO_NO_OWNER UINT32_MAX    /* owner of a sample that shows no particle */
#define PIO_GREY PIO_COLORMAP_SIZE /* colour index of a particle without a value */
#define PIO_MOST_TICKS 24

typedef struct {
    double x, y, w, h; /* pixels; (x, y) is the upper left corner */
} pio_area;

typedef struct {
    double at[PIO_MOST_TICKS]; /* whole multiples of 1, 2 or 5 times a power of ten, growing */
    int n;
    int exponent; /* labels show the value / 10^exponent; a multiple of 3 */
    int decimals; /* of the labels */
} pio_ticks;

/* Maps metres to pixels: q = (p - centre) / unit; a = right.q, b = up.q, depth = distance - toward.q;
 * 3D: pixel = (x0 + scale a/depth, y0 - scale b/depth); 2D: without the division. */
typedef struct {
    int dimension;
    double centre[3], unit; /* m */
    double right[3], up[3], toward[3];
    double distance; /* of the eye from the centre, in units */
    double scale, x0, y0;
    /* 2D: scale along y over that along x: the window fills whole pixels exactly; 1 within half a pixel */
    double squeeze;
} pio_view;

typedef struct {
    pio_picture p;       /* as given, with width, height and threads filled in */
    double box[2][3];    /* m, lower and upper corner */
    double points[2][3]; /* m, of the finite points within the box given, else of all */
    double radius;       /* m */
    double size;         /* pixels, height of a capital */
    pio_area plot;       /* where particles may be drawn: whole pixels */
    pio_area bar;        /* the colour bar without its arrows */
    double bar_left;     /* pixels, left end of the column that holds the bar */
    pio_ticks bar_ticks;
    pio_view view;
    pio_map_kind kind;
    pio_colormap map;
    double lo, hi;          /* of the bar; lo < hi */
    double least, greatest; /* of the finite values */
    bool coloured;          /* there is a finite value, hence a bar */
    bool equal;             /* all values are the same */
    bool below, above;      /* values beyond the bar */
    size_t bad_points, grey, outside;
} pio_frame;

typedef struct {
    float x, y, r; /* samples, from the corner of the plot; r < 0: not drawn */
    float depth;   /* units of the view */
} pio_disc;

typedef struct {
    float x, y;      /* samples, from the corner of the plot; NaN: not to be drawn */
    float nearness;  /* 1 / depth: linear on the screen */
    float normal[3]; /* outwards: right, up, to the eye; any length */
    float value;     /* place in the map, 0..1 within the range; NaN: none */
    float place[3];  /* (p - centre) / unit of the view */
    float at[2];     /* parameters within the face, 0..1 */
} pio_vertex;

typedef struct {
    uint32_t vertex[3];
    uint8_t sides; /* of the face: 3 or 4 */
} pio_triangle;

/* The surface of a mesh as triangles. */
typedef struct {
    pio_vertex *vertex; /* [n_vertices] */
    pio_triangle *triangle;
    size_t n_vertices, n;
    float lines; /* 0..1: how strongly the sides of cells show */
} pio_skin;

typedef struct {
    int width, height; /* samples */
    float *depth;      /* [height][width], of what shows; infinite: nothing */
    uint32_t *owner;   /* [height][width], particle or triangle */
    pio_disc *discs;   /* [n] of particles, else NULL */
    uint16_t *colour;  /* [n] of particles: index into the map or PIO_GREY */
    pio_skin skin;     /* of a mesh */
} pio_samples;

/* render_style.c: of letters; of what stands back; of lines; of the background. */
extern const pio_rgb pio_ink, pio_pale, pio_line_colour, pio_paper;

/* render_survey.c: bounds, range and radius. */
piola_status pio_survey(pio_frame *frame, piola_error *error);

/* render_view.c */
void pio_view_flat(pio_view *view, double window[2][3], const pio_area *area);
/* The box fills `area` (times zoom), seen from azimuth and elevation (degrees). */
void pio_view_space(pio_view *view, double box[2][3], double azimuth, double elevation, double zoom,
                    const pio_area *area);
/* Pixel x, y and depth; false when the point is beside or behind the eye. */
bool pio_view_project(const pio_view *view, const double point[3], double out[3]);

/* render_axes.c */
/* About `most` (2 to 20) ticks: never more than most + 1, but two to five where that would leave less than two. None
 * for an empty range. */
pio_ticks pio_ticks_make(double lo, double hi, int most);
void pio_tick_label(const pio_ticks *ticks, double value, char *out, size_t size);
void pio_number(double value, int digits, char *out, size_t size); /* "4.87", "1.2×10⁻⁵" */
void pio_unit_pretty(const char *unit, char *out, size_t size);    /* "m/s2" to "m/s²", "Pa.s" to "Pa·s" */
double pio_bar_column(const pio_frame *frame);                     /* width it needs, pixels; 0 without values */
void pio_bar_draw(const pio_frame *frame, pio_image *image);
double pio_axes_left(const pio_frame *frame); /* 2D: pixels left of the plot for numbers */
void pio_axes_draw(const pio_frame *frame, pio_image *image, bool behind);
void pio_power_of_ten(int exponent, char *out, size_t size); /* "×10⁻³" */

/* render_solid.c: in 2D, before the particles. */
void pio_solids_draw(const pio_frame *frame, pio_image *image);

/* render_box.c: in 3D, the floor before the particles; frame, numbers and triad after them. */
piola_status pio_floor_draw(const pio_frame *frame, const pio_samples *samples, pio_image *image, piola_error *error);
void pio_box_draw(const pio_frame *frame, const pio_samples *samples, pio_image *image);

/* render_splat.c */
piola_status pio_splat(pio_frame *frame, pio_samples *samples, piola_error *error);
/* Empty samples of the plot. */
piola_status pio_samples_make(const pio_frame *frame, pio_samples *samples, piola_error *error);
void pio_samples_free(pio_samples *samples);
/* Where a value stands in the map: 0..1 within the range, large beyond it when infinite, NaN for none. */
double pio_value_place(const pio_frame *frame, double value);
bool pio_point_is_finite(const double *point, int dimension);

/* render_skin.c: the surface of a mesh as triangles on the screen; render_raster.c: these as samples. */
piola_status pio_skin_make(pio_frame *frame, const pio_samples *samples, pio_skin *skin, piola_error *error);
void pio_raster(const pio_frame *frame, pio_samples *samples);

/* What a sample of a mesh shows. */
typedef struct {
    float value;     /* as of a vertex */
    float normal[3]; /* of length 1, to the eye's side: right, up, to the eye */
    float line;      /* 0..1: share of the sample that a side of a cell covers */
} pio_raster_value;
pio_raster_value pio_raster_interpolate(const pio_samples *samples, int x, int y, uint32_t triangle);

/* render_shade.c */
piola_status pio_shade(const pio_frame *frame, const pio_samples *samples, pio_image *image, piola_error *error);

#endif
