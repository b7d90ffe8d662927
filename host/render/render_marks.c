/* render_marks.c -- targets, data and paths over a picture. */
#include "host/render/render_parts.h"

#include <math.h>

static const pio_rgb mark_ink = {190, 18, 60}; /* no colour of the maps is near it */

/* Cuts the segment from a to b to the area (Liang and Barsky 1984). Returns false if nothing of it is there. */
static bool cut(const pio_area *area, double a[2], double b[2])
{
    const double low[2] = {area->x, area->y}, up[2] = {area->x + area->w, area->y + area->h};
    double from = 0, to = 1, d[2] = {b[0] - a[0], b[1] - a[1]};
    for (int k = 0; k < 2; k++) {
        const double one = (low[k] - a[k]) / d[k], other = (up[k] - a[k]) / d[k];
        if (fabs(d[k]) < 1e-9 && (a[k] < low[k] || a[k] > up[k])) return false;
        if (fabs(d[k]) < 1e-9) continue;
        from = fmax(from, fmin(one, other));
        to = fmin(to, fmax(one, other));
    }
    if (!(from <= to)) return false;
    for (int k = 0; k < 2; k++) {
        b[k] = a[k] + to * d[k];
        a[k] += from * d[k];
    }
    return true;
}

/* Draws a segment with a pale edge, which is seen before any colour, first the edge (`behind`), then the line. */
static void line(const pio_frame *f, pio_image *image, const double from[2], const double end[2], bool behind)
{
    double a[2] = {from[0], from[1]}, b[2] = {end[0], end[1]};
    const double width = fmax(1.2, f->size / 6);
    const pio_pen pen = {.colour = behind ? pio_paper : mark_ink,
                         .width = behind ? width + fmax(1.5, f->size / 5) : width,
                         .alpha = behind ? 0.8 : 1};
    if (cut(&f->plot, a, b)) pio_image_line(image, a[0], a[1], b[0], b[1], &pen);
}

/* Draws a sign of straight lines about a point: a cross in a ring of a target, a plus of data, a ring of a place. */
static void sign(const pio_frame *f, pio_image *image, pio_mark_kind kind, const double at[2])
{
    enum { SIDES = 24 };
    const double r = kind == PIO_MARK_DATA ? 0.45 * f->size : f->size, arm = kind == PIO_MARK_TARGET ? 1.5 * r : r;
    for (int behind = 1; behind >= 0; behind--) {
        for (int k = 0; kind != PIO_MARK_PLACE && k < 2; k++) {
            const double a[2] = {at[0] - (k ? 0 : arm), at[1] - (k ? arm : 0)},
                         b[2] = {at[0] + (k ? 0 : arm), at[1] + (k ? arm : 0)};
            line(f, image, a, b, behind);
        }
        for (int k = 0; kind != PIO_MARK_DATA && k < SIDES; k++) {
            const double one = 2 * M_PI * k / SIDES, other = 2 * M_PI * (k + 1) / SIDES, half = 0.6 * r;
            const double a[2] = {at[0] + half * cos(one), at[1] + half * sin(one)},
                         b[2] = {at[0] + half * cos(other), at[1] + half * sin(other)};
            line(f, image, a, b, behind);
        }
    }
}

static bool within(const pio_area *area, const double at[2])
{
    return at[0] >= area->x && at[0] <= area->x + area->w && at[1] >= area->y && at[1] <= area->y + area->h;
}

/* Draws the segments of a path; a point that is not finite is a gap. */
static void path(const pio_frame *f, pio_image *image, const pio_mark *m)
{
    for (int behind = 1; behind >= 0; behind--) {
        double last[3], at[3] = {0, 0, 0};
        bool drawing = false;
        for (size_t i = 0; i < m->n; i++) {
            const bool there =
                pio_point_is_finite(m->at[i], f->p.dimension) && pio_view_project(&f->view, m->at[i], at);
            if (there && drawing) line(f, image, last, at, behind);
            for (int k = 0; k < 3; k++) last[k] = at[k];
            drawing = there;
        }
    }
}

/* Draws the line on which one coordinate of a target lies, where the other is free (2D). */
static bool level(const pio_frame *f, pio_image *image, const double target[3])
{
    const pio_area *p = &f->plot;
    double at[3], whole[3] = {0, 0, 0};
    int known = -1;
    if (f->p.dimension != 2 || isnan(target[0]) == isnan(target[1])) return false;
    known = isnan(target[0]);
    whole[known] = target[known];
    whole[1 - known] = f->view.centre[1 - known];
    pio_view_project(&f->view, whole, at);
    const double a[2] = {known ? p->x : at[0], known ? at[1] : p->y},
                 b[2] = {known ? p->x + p->w : at[0], known ? at[1] : p->y + p->h};
    for (int behind = 1; behind >= 0; behind--) line(f, image, a, b, behind);
    return true;
}

void pio_marks_draw(pio_frame *f, pio_image *image)
{
    for (size_t k = 0; k < f->p.n_marks; k++) {
        const pio_mark *m = &f->p.marks[k];
        double at[3];
        if (m->kind == PIO_MARK_PATH) path(f, image, m);
        for (size_t i = 0; m->kind != PIO_MARK_PATH && i < m->n; i++) {
            if (m->kind == PIO_MARK_TARGET && level(f, image, m->at[i])) continue;
            if (!pio_point_is_finite(m->at[i], f->p.dimension)) continue;
            if (pio_view_project(&f->view, m->at[i], at) && within(&f->plot, at))
                sign(f, image, m->kind, at);
            else
                f->marks_outside++;
        }
    }
}
