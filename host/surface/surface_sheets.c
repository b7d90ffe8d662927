/* surface_sheets.c -- see surface_sheets.h. */
#include "host/surface/surface_sheets.h"

#include <stdlib.h>

enum { SLICES = 64 };

bool pio_sheets_alloc(pio_sheets *out, size_t crowd)
{
    *out = (pio_sheets){.corner = malloc(PIO_SHEETS_LOCAL * sizeof *out->corner),
                        .box = malloc((crowd + 1) * sizeof *out->box),
                        .faces = malloc(crowd + 1),
                        .sheet = malloc(crowd + 1)};
    return out->corner && out->box && out->faces && out->sheet;
}

void pio_sheets_free(pio_sheets *s)
{
    free(s->corner);
    free(s->box);
    free(s->faces);
    free(s->sheet);
    *s = (pio_sheets){0};
}

/* Returns 1 if counter-clockwise as seen from above, -1 if clockwise, 0 if that is not certain. */
static signed char facing(double corner[3][3])
{
    const double au = corner[1][0] - corner[0][0], av = corner[1][1] - corner[0][1], bu = corner[2][0] - corner[0][0],
                 bv = corner[2][1] - corner[0][1];
    const double c = au * bv - av * bu,
                 off = 8 * PIO_BINS_OFF * (fabs(au) + fabs(av) + fabs(bu) + fabs(bv) + PIO_BINS_OFF);
    return (signed char)((c > off) - (c < -off));
}

void pio_sheets_take(pio_sheets *s, const pio_bins *g, size_t bin)
{
    s->g = g;
    s->member = g->member + g->start[bin];
    s->n_members = g->start[bin + 1] - g->start[bin];
    s->n = 0;
    for (size_t i = 0; i < s->n_members; i++) __builtin_prefetch(g->s->triangle + 3 * (size_t)s->member[i]);
    for (size_t i = 0; i < s->n_members; i++)
        for (int k = 0; k < 3; k++) {
            __builtin_prefetch(pio_bins_corner(g, s->member[i], k));
            __builtin_prefetch(pio_bins_corner(g, s->member[i], k) + 2);
        }
    for (size_t i = 0; i < s->n_members; i++) {
        double other[3][3];
        double(*corner)[3] = s->n_members <= PIO_SHEETS_LOCAL ? s->corner[i] : other;
        pio_bins_gather(g, s->member[i], corner);
        const double *const corners[3] = {corner[0], corner[1], corner[2]};
        for (int a = 0; a < 3; a++) pio_bins_box(corners, a, &s->box[i][a][0], &s->box[i][a][1]);
        s->faces[i] = facing(corner);
    }
}

/* Numbers the sheets: a member covers the slices of w from its first to its last; runs of covered slices are sheets. */
static void number_sheets(pio_sheets *s)
{
    double low = INFINITY, high = -INFINITY;
    unsigned char sheet_of[SLICES];
    uint64_t reached = 0;
    for (size_t i = 0; i < s->n_members; i++) {
        const double *w = s->box[i][2];
        low = w[0] < low ? w[0] : low;
        high = w[1] > high ? w[1] : high;
    }
    const double per = (SLICES - 1) / (high - low);
    for (size_t i = 0; i < s->n_members; i++) {
        const double *w = s->box[i][2];
        const unsigned from = (unsigned)(int)((w[0] - low) * per), to = (unsigned)(int)((w[1] - low) * per);
        s->sheet[i] = (unsigned char)from;
        reached |= UINT64_MAX << from & UINT64_MAX >> (SLICES - 1 - to);
    }
    s->n = 0;
    for (unsigned k = 0; k < SLICES; k++) {
        s->n += (reached >> k & 1) && !(k && (reached >> (k - 1) & 1));
        sheet_of[k] = (unsigned char)(s->n - 1);
    }
    for (int k = 0; k < s->n; k++) {
        s->low[k] = INFINITY;
        s->high[k] = -INFINITY;
    }
    for (size_t i = 0; i < s->n_members; i++) {
        const unsigned char own = s->sheet[i] = sheet_of[s->sheet[i]];
        const double *w = s->box[i][2];
        s->low[own] = w[0] < s->low[own] ? w[0] : s->low[own];
        s->high[own] = w[1] > s->high[own] ? w[1] : s->high[own];
    }
}

/* Finds the degrees of the sheets with a line that passes certainly beside or through each triangle. Returns false if
 * this line does not. */
static bool find_degrees(const pio_sheets *s, const double at[2], int degree[PIO_SHEETS])
{
    for (int k = 0; k < s->n; k++) degree[k] = 0;
    for (size_t i = 0; i < s->n_members; i++) {
        double(*box)[2] = s->box[i], other[3][3];
        const double below[3] = {at[0], at[1], box[2][0] - 1};
        bool certain = true, covers;
        if ((at[0] < box[0][0]) | (at[0] > box[0][1]) | (at[1] < box[1][0]) | (at[1] > box[1][1])) continue;
        degree[s->sheet[i]] += pio_bins_crossing(pio_sheets_corners(s, i, other), below, &covers, &certain);
        if (!certain) return false;
    }
    return true;
}

void pio_sheets_find(pio_sheets *s, double (*at)[2], int trials)
{
    int degree[PIO_SHEETS], above = 0;
    bool known = false;
    s->n = 0;
    if (!s->n_members) return;
    number_sheets(s);
    for (int k = 0; k < trials && !known; k++) known = find_degrees(s, at[k], degree);
    if (!known) {
        s->n = 0;
        return;
    }
    for (int k = s->n - 1; k >= 0; k--) {
        s->above[k] = above;
        above += degree[k];
        s->way[k] = (signed char)(degree[k] == 1 || degree[k] == -1 ? degree[k] : 0);
    }
    for (size_t i = 0; i < s->n_members; i++) {
        signed char *way = &s->way[s->sheet[i]];
        *way = s->faces[i] == *way ? *way : 0;
    }
}

bool pio_sheets_winding(const pio_sheets *s, size_t i, const double p[3], int *times)
{
    if (!s->n) return false;
    const int k = s->sheet[i];
    double other[3][3];
    bool certain = true, covers;
    if (!s->way[k]) return false;
    if (k && !(p[2] - 4 * PIO_BINS_OFF > s->high[k - 1])) return false;
    if (k + 1 < s->n && !(p[2] + 4 * PIO_BINS_OFF < s->low[k + 1])) return false;
    *times = s->above[k] + pio_bins_crossing(pio_sheets_corners(s, i, other), p, &covers, &certain);
    return certain && covers;
}
