/* Room host/render: draws one frame as a PNG. */
/* render.h -- a picture of particles for a report: 2D discs in axes, or 3D spheres in a box, with a colour bar. Of a
 * mesh: its cells in the plane, or its outer surface in space. */
#ifndef PIOLA_HOST_RENDER_H
#define PIOLA_HOST_RENDER_H

#include "host/render/colormap.h"
#include "host/render/image.h"
#include "host/snapshot/snapshot.h"

/* What a 2D picture shows behind the particles: solid on one side of a plane, a disc, a box. */
typedef enum { PIO_SOLID_PLANE, PIO_SOLID_BALL, PIO_SOLID_BOX } pio_solid_shape;
typedef struct {
    pio_solid_shape shape;
    double centre[2], angle; /* m, rad, of its own frame */
    double normal[2];        /* plane: out of the solid side, of any length but 0, in its own frame */
    double size[2];          /* box, m */
    double radius;           /* ball, m */
} pio_solid;

typedef struct {
    int width, height;    /* pixels, 320 x 180 to 8192 x 8192; 0: 1280 x 720 */
    int dimension;        /* 2 or 3 */
    size_t n;             /* particles, or points of the mesh; 1 to 2^32 - 2, of a mesh below 2^31 */
    const double *points; /* [n][3], m; in 2D the third is not read. Not finite: left out and counted in the notes */
    const pio_snapshot_mesh *mesh; /* NULL: particles. It keeps the rules of snapshot.h */
    bool at_cells;                 /* the values are those of the mesh's cells, [n_cells] */
    const double *values; /* [n], what the colours show; NULL: one colour. NaN: grey; infinite: beyond the range */
    const char *field;    /* name beside the colour bar; NULL: none. "grad_..." and "adj_..." mean a signed field */
    const char *units;    /* of the values, as in "m/s2", "1/Pa", "Pa.s"; NULL or "": none */
    const char *title;    /* NULL: none */
    const char *caption;  /* second line, "t = 0.42 s"; NULL: none. The number of particles or cells follows */
    pio_map_kind map;
    double lo, hi;                 /* range of the colour bar, in units; NaN: from the values, see pio_render */
    double box_min[3], box_max[3]; /* m, the domain, drawn as an outline; an axis with a NaN: from the points */
    const pio_solid *solids;       /* [n_solids], 2D: finite numbers; in 3D not drawn */
    size_t n_solids;
    double radius;             /* m, half the particle spacing; 0: estimated from the points. Not for meshes */
    double azimuth, elevation; /* degrees, 3D: 0, 0 looks along +y; azimuth turns the eye towards +x; -90..90 */
    double zoom;               /* > 0, about the middle; 1: the whole box fits */
    int threads;               /* 0: what OpenMP offers; the picture does not depend on it */
} pio_picture;

/* Everything automatic: no points yet, NaN for range and box, the eye at azimuth 30, elevation 24, zoom 1. */
pio_picture pio_picture_default(void);

/* Draws `picture` into a new image (freed by pio_image_free). Automatic choices:
 * - signed field (PIO_MAP_AUTO becomes diverging): by its name; or lo < 0 < hi when both are given, else 2nd and 98th
 *   percentile on both sides of 0; the smaller side at least a tenth of the larger;
 * - range: least to greatest value; for a signed field -m to m, m the greatest magnitude, or the 99th percentile of the
 *   magnitudes where the greatest exceeds it 1.5 times. Values beyond show as an arrow on the bar.
 * - of a mesh: thin lines along the sides of the cells, unless these are only a few pixels wide.
 * A diverging map has its middle colour at 0 and the same scale on both sides, whatever the range.
 * image->notes lists what is not shown as it is (left out, outside, grey); the picture has the same line at its foot.
 * PIOLA_USAGE for a bad option, PIOLA_BAD_DATA without any particle to draw, PIOLA_NO_MEMORY. */
piola_status pio_render(const pio_picture *picture, pio_image *image, piola_error *error);

#endif
