/* surface_sheets.h -- the sheets of a closed surface over one bin (surface_bins.h); all lines along w cross a sheet the
 * same number of times.
 *
 * Members of the bin whose extents along w overlap, one after another, form a sheet. Two triangles that share an edge
 * over the bin are in one sheet, since both extend to the edge. So a sheet has no boundary over the bin, and every line
 * there (except through an edge) crosses it equally often upwards minus downwards: its degree. If all its triangles
 * face the same way and the degree is one in that direction, each line crosses one triangle of it, and for a point
 * beside a triangle only this triangle must be tested. */
#ifndef PIOLA_HOST_SURFACE_SHEETS_H
#define PIOLA_HOST_SURFACE_SHEETS_H

#include "host/surface/surface_bins.h"

#include <math.h>

enum { PIO_SHEETS = 32, PIO_SHEETS_LOCAL = 1024 };

typedef struct {
    const pio_bins *g;     /* the bins */
    const int32_t *member; /* [n_members] triangles of the bin */
    size_t n_members;
    double (*corner)[3][3];                   /* [PIO_SHEETS_LOCAL] corners of the members, if there are not more */
    double (*box)[3][2];                      /* [crowd] box of each, slightly enlarged */
    signed char *faces;                       /* [crowd] 1: up, -1: down, 0: not certain */
    unsigned char *sheet;                     /* [crowd] sheet of each, counted upwards */
    int n;                                    /* number of sheets; 0 if the following is not known */
    double low[PIO_SHEETS], high[PIO_SHEETS]; /* extent along w */
    int above[PIO_SHEETS];                    /* sum of the degrees of all sheets above */
    signed char way[PIO_SHEETS]; /* direction of every triangle, of which each line crosses one; 0: otherwise */
} pio_sheets;

/* Allocates memory for bins of up to `crowd` members. Returns false without memory; *out must be freed in any case. */
bool pio_sheets_alloc(pio_sheets *out, size_t crowd);
/* Frees what *sheets holds. */
void pio_sheets_free(pio_sheets *sheets);
/* Takes the members of a bin; their sheets are not known yet. */
void pio_sheets_take(pio_sheets *sheets, const pio_bins *g, size_t bin);
/* Finds the sheets over the bin; at [trials][2] are points u, v in it. */
void pio_sheets_find(pio_sheets *sheets, double (*at)[2], int trials);
/* Computes the winding number about p (u, v, w), which lies in the bin beside member i. Returns false if that is not
 * certain. */
bool pio_sheets_winding(const pio_sheets *sheets, size_t i, const double p[3], int *times);

/* Copies the corners of triangle t. */
static inline void pio_bins_gather(const pio_bins *g, int32_t t, double corner[3][3])
{
    for (int k = 0; k < 3; k++)
        for (int a = 0; a < 3; a++) corner[k][a] = pio_bins_corner(g, t, k)[a];
}

/* Returns the corners of member i, in `other` or where they are stored. */
static inline double (*pio_sheets_corners(const pio_sheets *s, size_t i, double other[3][3]))[3]
{
    if (s->n_members <= PIO_SHEETS_LOCAL) return s->corner[i];
    pio_bins_gather(s->g, s->member[i], other);
    return other;
}

/* Returns +1 or -1 if the line along +w from p leaves or enters through the triangle, 0 if it does not intersect it;
 * *covers: the line in both directions does. The error of a product of two distances is less than `off`, from which
 * `bound` follows. */
static inline int pio_bins_crossing(double corner[3][3], const double p[3], bool *covers, bool *certain)
{
    double sum = 0, h = 0, bound = 0;
    int plus = 0, minus = 0;
    *covers = false;
    for (int k = 0; k < 3; k++) {
        const double *s = corner[k == 2 ? 0 : k + 1], *e = corner[k == 0 ? 2 : k - 1];
        const double eu = e[0] - s[0], ev = e[1] - s[1], pu = p[0] - s[0], pv = p[1] - s[1], up = corner[k][2] - p[2];
        const double c = eu * pv - ev * pu,
                     off = 8 * PIO_BINS_OFF * (fabs(eu) + fabs(ev) + fabs(pu) + fabs(pv) + PIO_BINS_OFF);
        plus += c > off;
        minus += c < -off;
        h += c * up;
        sum += fabs(c);
        bound += off * (fabs(up) + 4 * PIO_BINS_OFF);
        if (plus && minus) return 0;
    }
    bound = 2 * bound + 4 * PIO_BINS_OFF * sum;
    if (plus + minus < 3 || !(fabs(h) > bound)) {
        *certain = false;
        return 0;
    }
    *covers = true;
    return (h > 0) == (plus == 3) ? (plus ? 1 : -1) : 0;
}

#endif
