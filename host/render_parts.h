/* render_parts.h -- what the parts of the renderer share; not for other files. */
#ifndef PIOLA_HOST_RENDER_PARTS_H
#define PIOLA_HOST_RENDER_PARTS_H

#include "host/render.h"

#define PIO_SAMPLES 2              /* samples per pixel and axis */
#define PIO_NOBODY UINT32_MAX      /* owner of a sample that shows no particle */
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
    double
        squeeze; /* 2D: scale along y over that along x: the window fills whole pixels exactly; 1 within half a pixel */
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
    int width, height; /* samples */
    float *depth;      /* [height][width], of what shows; infinite: nothing */
    uint32_t *owner;   /* [height][width] */
    pio_disc *discs;   /* [n] */
    uint16_t *colour;  /* [n], index into the map or PIO_GREY */
} pio_samples;

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

/* render_box.c: in 3D, the floor before the particles; frame, numbers and triad after them. */
piola_status pio_floor_draw(const pio_frame *frame, const pio_samples *samples, pio_image *image, piola_error *error);
void pio_box_draw(const pio_frame *frame, const pio_samples *samples, pio_image *image);

/* render_splat.c */
piola_status pio_splat(pio_frame *frame, pio_samples *samples, piola_error *error);
void pio_samples_free(pio_samples *samples);

/* render_shade.c */
piola_status pio_shade(const pio_frame *frame, const pio_samples *samples, pio_image *image, piola_error *error);

#endif
