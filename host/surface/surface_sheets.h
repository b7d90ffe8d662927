/* surface_sheets.h -- the sheets of a closed surface over one bin (surface_bins.h), of which lines along w pass each
 * the same number of times.
 *
 * Members of the bin whose reaches along w overlap, one after another, are a sheet. Two triangles that share an edge
 * over the bin are of one sheet, since both reach as far as the edge; so a sheet has no rim over the bin, and every
 * line there (but through an edge) passes it as often upwards minus downwards: its degree. Where all its triangles face
 * one way and the degree is one that way, each line passes one triangle of it: about a point beside a triangle nothing
 * but this triangle is asked. */
#ifndef PIOLA_HOST_SURFACE_SHEETS_H
#define PIOLA_HOST_SURFACE_SHEETS_H

#include "host/surface/surface_bins.h"

#include <math.h>

enum { PIO_SHEETS = 32, PIO_SHEETS_LOCAL = 1024 };

typedef struct {
    const pio_bins *g;
    const int32_t *member; /* [n_members] of the bin */
    size_t n_members;
    double (*corner)[3][3]; /* [PIO_SHEETS_LOCAL] of the members, if these are not more */
    double (*box)[3][2];    /* [crowd] of each, a little larger than it is */
    signed char *faces;     /* [crowd] 1: up, -1: down, 0: not certain */
    unsigned char *sheet;   /* [crowd] of each, counted upwards */
    int n;                  /* sheets; 0 when what follows is not known */
    double low[PIO_SHEETS], high[PIO_SHEETS];
    int above[PIO_SHEETS];       /* degrees of all sheets above together */
    signed char way[PIO_SHEETS]; /* of every triangle, of which each line passes one; 0: not so */
} pio_sheets;

/* Memory for bins of up to `crowd` members; false when there is none. Free it in any case. */
bool pio_sheets_alloc(pio_sheets *out, size_t crowd);
void pio_sheets_free(pio_sheets *sheets);
/* Take the members of this bin, of which there are no sheets yet. */
void pio_sheets_take(pio_sheets *sheets, const pio_bins *g, size_t bin);
/* The sheets over the bin; at [trials][2] are points in it. */
void pio_sheets_find(pio_sheets *sheets, double (*at)[2], int trials);
/* How often the surface winds about p, mapped, which lies in the bin beside member i; false when that is not
 * certain. */
bool pio_sheets_winding(const pio_sheets *sheets, size_t i, const double p[3], int *times);

static inline void pio_bins_gather(const pio_bins *g, int32_t t, double corner[3][3])
{
    for (int k = 0; k < 3; k++)
        for (int a = 0; a < 3; a++) corner[k][a] = pio_bins_corner(g, t, k)[a];
}

/* Corners of member i, in `other` or where they lie already. */
static inline double (*pio_sheets_corners(const pio_sheets *s, size_t i, double other[3][3]))[3]
{
    if (s->n_members <= PIO_SHEETS_LOCAL) return s->corner[i];
    pio_bins_gather(s->g, s->member[i], other);
    return other;
}

/* +1 or -1 where the line along +w from p leaves or enters through the triangle, 0 where it does not meet it; *covers:
 * the line
 * both ways meets it. A product of two distances is off by less than `off`, and `bound` follows from that. */
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
