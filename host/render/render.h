/* Room host/render: draws one frame as a PNG. */
/* render.h -- a picture of one frame: particles as discs in axes (2D) or spheres in a box (3D), with a colour bar; of a
 * mesh its cells in the plane, or its outer surface in space. */
#ifndef PIOLA_HOST_RENDER_H
#define PIOLA_HOST_RENDER_H

#include "host/render/colormap.h"
#include "host/render/image.h"
#include "host/snapshot/snapshot.h"
#include "solvers/engine/vocabulary.h"

enum { PIO_MOST_NAMES = 24 };  /* names beside one colour bar */
enum { PIO_MOST_LAYERS = 16 }; /* transparent surfaces that are drawn at one place: the nearest */

/* An obstacle that a 2D picture shows behind the particles: solid on one side of a plane, a disc, a box. */
typedef struct {
    pio_shape_type shape;    /* plane, ball or box */
    double centre[2], angle; /* origin (m) and rotation (rad) of its own frame */
    double normal[2];        /* plane: normal that points out of the solid, of any length but 0, in its own frame */
    double size[2];          /* box: edges, m */
    double radius;           /* ball: radius, m */
} pio_solid;

/* How a body is drawn. */
typedef struct {
    /* Particles: a smooth surface around them, in 2D the area within a contour (host/render/level.h), not discs. So are
     * they where they are transparent */
    bool surface;
    double opacity; /* 0..1: fraction of the light from behind that a surface takes away; 1: opaque */
    double spacing; /* distance of neighbouring particles of a surface, m; 0: estimated from the points */
} pio_style;

/* What is drawn over a picture: a line through points, crosses of data, rings at places, and targets, of which a
 * coordinate that is NaN is free. */
typedef enum { PIO_MARK_PATH, PIO_MARK_DATA, PIO_MARK_PLACE, PIO_MARK_TARGET } pio_mark_kind;
typedef struct {
    pio_mark_kind kind;
    double (*at)[3]; /* [n] m; NaN: a gap of a path, nothing of data */
    size_t n;
} pio_mark;

typedef struct {
    int width, height; /* pixels, 320 x 180 to 8192 x 8192; 0: 1280 x 720 */
    int dimension;     /* 2 or 3 */
    size_t n;          /* number of particles, or of points of the mesh; 1 to 2^32 - 2, of a mesh below 2^31 */
    /* [n][3] m; in 2D the third is not read. Points that are not finite are left out and counted in the notes */
    const double *points;
    const pio_snapshot_mesh *mesh; /* NULL: particles; otherwise a mesh that satisfies the rules of snapshot.h */
    bool at_cells;                 /* the values belong to the mesh's cells, [n_cells] */
    /* [n] values that the colours show; NULL: one colour. NaN is grey, an infinite value beyond the range */
    const double *values;
    const char *field; /* name at the colour bar; NULL: none. "grad_..." and "adj_..." are signed fields */
    const char *units; /* unit of the values, such as "m/s2", "1/Pa", "Pa.s"; NULL or "": none */
    /* [n_names] what the values 0, 1, ... stand for, such as bodies: the bar has a block for each, with its name,
     * unless lo or hi is given */
    const char *const *names;
    size_t n_names; /* at most PIO_MOST_NAMES; 0: the values are numbers */
    /* [n] number of the body of each particle, or [n_cells] of each cell; NULL: all belong to body 0 */
    const uint32_t *body;
    const pio_style *styles; /* [n_styles] by the number of the body; bodies beyond are opaque, particles discs */
    size_t n_styles;
    const char *title;
    /* Second line, such as "t = 0.42 s"; NULL: none. The number of particles or cells follows it. */
    const char *caption;
    pio_map_kind map; /* colour map */
    double lo, hi;    /* range of the colour bar, in `units`; NaN: from the values, see pio_render() */
    /* The domain in m, which is drawn as an outline; an axis with a NaN is taken from the points. */
    double box_min[3], box_max[3];
    const pio_solid *solids; /* [n_solids] drawn in 2D, with finite numbers; not drawn in 3D */
    size_t n_solids;
    const pio_mark *marks; /* [n_marks] drawn in their order over what the picture shows, also behind bodies */
    size_t n_marks;
    double radius; /* half the particle spacing, m; 0: estimated from the points. Not used for meshes */
    /* 3D, degrees: at 0, 0 the view is along +y; azimuth turns the eye towards +x, from -90 to 90 */
    double azimuth, elevation;
    double zoom; /* magnification about the middle, > 0; 1: the whole box fits */
    int threads; /* number of threads, which does not change the picture; 0: as many as OpenMP offers */
} pio_picture;

/* Returns a picture with automatic choices: no points yet, NaN for range and box, the eye at azimuth 30, elevation 24,
 * zoom 1. */
pio_picture pio_picture_default(void);

/* Draws `picture` into a new image, which pio_image_free() frees. Automatic choices are:
 * - signed field (PIO_MAP_AUTO becomes diverging): by its name; or lo < 0 < hi if both are given, else if the 2nd and
 * 98th percentile have different signs and the smaller magnitude is at least a tenth of the larger;
 * - range: least to greatest value; for a signed field -m to m, where m is the greatest magnitude, or the 99th
 * percentile of the magnitudes if the greatest exceeds it 1.5 times. Values beyond appear as an arrow on the bar;
 * - mesh: thin lines along the sides of the cells, unless these are only a few pixels wide.
 * With both `lo` and `hi` the layout depends on neither the values nor their extremes.
 * A diverging map has its middle colour at 0 and the same scale on both sides, whatever the range. image->notes lists
 * what is not shown as it is (left out, outside, grey); the picture has the same line at its foot. Returns
 * PIOLA_USAGE for an invalid option, PIOLA_BAD_DATA if there is nothing that can be drawn, or PIOLA_NO_MEMORY. */
piola_status pio_render(const pio_picture *picture, pio_image *image, piola_error *error);
/* Returns in *radius, m, the radius with which pio_render() draws particles. The errors of pio_render(). */
piola_status pio_render_radius(const pio_picture *picture, double *radius, piola_error *error);

#endif
