/* figure.c -- see figure.h: the layout of a figure, and what is drawn in it. */
#include "host/report/figure.h"

#include "host/base/fail.h"
#include "host/render/paper.h"
#include "host/render/text.h"
#include "host/report/html.h"

#include <math.h>
#include <stdio.h>

enum { LABEL = 400 }; /* bytes of a label */

static const pio_rgb ink = {28, 31, 36}, dim = {92, 99, 110}, grid = {222, 225, 230};
/* Those of pages (page.c), which people who do not see red or green distinguish too (Okabe and Ito 2008). */
static const pio_rgb colours[PIO_PLOT_COLOURS] = {{0x00, 0x72, 0xb2}, {0xd5, 0x5e, 0x00}, {0x00, 0x9e, 0x73},
                                                  {0xb8, 0x58, 0x9a}, {0xb0, 0x7d, 0x00}, {0x3a, 0x9b, 0xd9},
                                                  {0x6b, 0x4f, 0xa0}, {0x33, 0x33, 0x33}};

typedef struct {
    const pio_plot *plot;
    pio_plot_frame frame;
    pio_paper *paper;
    double width, height, size; /* of the figure; height of a capital */
} figure;

/* ---- text ------------------------------------------------------------------------------------------------ */

static void label_of(const pio_scale *scale, double tick, char out[LABEL])
{
    char text[PIO_SCALE_TEXT];
    pio_scale_text(scale, tick, text);
    /* the sign for minus is as wide as a digit */
    snprintf(out, LABEL, "%s%s", text[0] == '-' ? "\u2212" : "", text + (text[0] == '-'));
}

/* Writes the name of an axis with the power of ten of its labels and its unit. */
static void axis_name(const pio_plot_axis *a, const pio_scale *s, char out[LABEL])
{
    char power[PIO_HTML_POWER] = "";
    const char *unit = a->unit ? a->unit : "", *name = a->name ? a->name : "";
    if (s->exponent) pio_html_power_text(s->exponent, power);
    if (*power || *unit)
        snprintf(out, LABEL, "%.200s [%s%s%.60s]", name, power, *power && *unit ? " " : "", unit);
    else
        snprintf(out, LABEL, "%.200s", name);
}

static double width_of(const figure *f, const char *text)
{
    return pio_text_width(text, f->size, false);
}

/* Writes a text whose base line begins at x, ends there (align 1) or has its middle there (align 0.5). */
static void put(const figure *f, double x, double y, double align, pio_rgb colour, const char *text)
{
    const pio_place_of_text at = {.x = x - align * width_of(f, text), .y = y, .size = f->size, .colour = colour};
    pio_paper_text(f->paper, &at, text);
}

/* ---- the legend ------------------------------------------------------------------------------------------ */

static void put_key(const figure *f, size_t k, double x, double y)
{
    const pio_series *s = &f->plot->series[k];
    const pio_rgb colour = colours[k % PIO_PLOT_COLOURS];
    double line[2][2] = {{x, y}, {x + 3 * f->size, y}}, middle[1][2] = {{x + 1.5 * f->size, y}};
    const pio_pen_of_paper pen = {colour, f->size / 5, k >= PIO_PLOT_COLOURS ? f->size / 2 : 0};
    if (s->marks || s->n == 1)
        pio_paper_discs(f->paper, middle, 1, f->size / 2.4, colour);
    else
        pio_paper_line(f->paper, line, 2, &pen);
}

/* Places the entries of the legend in lines from `top` on, draws them if `draws`, and returns where they end. */
static double legend(const figure *f, double top, bool draws)
{
    const double s = f->size, right = f->width - 1.5 * s;
    double x = f->frame.left, y = top;
    bool any = false;
    for (size_t k = 0; k < f->plot->n_series; k++) {
        char text[LABEL];
        if (!f->plot->series[k].name) continue;
        pio_text_fit(f->plot->series[k].name, s, right - f->frame.left - 4 * s, text, sizeof text, false);
        const double wide = 4 * s + width_of(f, text);
        if (any && x + wide > right) {
            x = f->frame.left;
            y += 2.2 * s;
        }
        any = true;
        if (draws) put_key(f, k, x, y + s / 2);
        if (draws) put(f, x + 4 * s, y + s, 0, ink, text);
        x += wide + 2.5 * s;
    }
    return any ? y + 2.4 * s : top;
}

/* ---- axes ------------------------------------------------------------------------------------------------ */

/* Returns the width of the widest label of the upright axis. */
static double widest(const figure *f)
{
    double wide = 0;
    for (int k = 0; isfinite(pio_scale_tick(&f->frame.y, k)); k++) {
        char text[LABEL];
        label_of(&f->frame.y, pio_scale_tick(&f->frame.y, k), text);
        wide = fmax(wide, width_of(f, text));
    }
    return wide;
}

/* Returns half the width of the label at the right end of the lower axis, as far as it is beyond the axis. */
static double beyond(const figure *f)
{
    char text[LABEL] = "";
    for (int k = 0; isfinite(pio_scale_tick(&f->frame.x, k)); k++)
        label_of(&f->frame.x, pio_scale_tick(&f->frame.x, k), text);
    return width_of(f, text) / 2;
}

static void put_line(const figure *f, double x0, double y0, double x1, double y1, pio_rgb colour)
{
    double line[2][2] = {{x0, y0}, {x1, y1}};
    const pio_pen_of_paper pen = {colour, fmax(0.5, f->size / 10), 0};
    pio_paper_line(f->paper, line, 2, &pen);
}

/* Draws lines and labels of the upright axis, and ticks and labels of the lower one. Lines are in the middles of
 * pixels, and labels that would touch the one before are left out. */
static void put_ticks(const figure *f)
{
    const pio_plot_frame *at = &f->frame;
    const double s = f->size;
    double end = -INFINITY;
    char text[LABEL];
    for (int k = 0; isfinite(pio_scale_tick(&at->y, k)); k++) {
        const double y = floor(pio_plot_down(at, pio_scale_tick(&at->y, k))) + 0.5;
        label_of(&at->y, pio_scale_tick(&at->y, k), text);
        put_line(f, at->left, y, at->right, y, grid);
        put(f, at->left - s, y + s / 2, 1, dim, text);
    }
    for (int k = 0; isfinite(pio_scale_tick(&at->x, k)); k++) {
        const double x = floor(pio_plot_across(at, pio_scale_tick(&at->x, k))) + 0.5;
        label_of(&at->x, pio_scale_tick(&at->x, k), text);
        put_line(f, x, at->bottom, x, at->bottom + s / 2, dim);
        if (x - width_of(f, text) / 2 < end + s) continue;
        put(f, x, at->bottom + 2 * s, 0.5, dim, text);
        end = x + width_of(f, text) / 2;
    }
}

static void put_axes(const figure *f)
{
    const pio_plot_frame *at = &f->frame;
    const double s = f->size, x = floor(at->left) + 0.5, y = floor(at->bottom) + 0.5;
    char name[LABEL], text[LABEL];
    put_ticks(f);
    put_line(f, x, at->top, x, y, dim);
    put_line(f, x, y, at->right, y, dim);
    axis_name(&f->plot->x, &at->x, name);
    pio_text_fit(name, s, at->right - at->left, text, sizeof text, false);
    put(f, (at->left + at->right) / 2, f->height - 1.2 * s, 0.5, ink, text);
    axis_name(&f->plot->y, &at->y, name);
    pio_text_fit(name, s, at->bottom - at->top, text, sizeof text, false);
    const pio_place_of_text upward = {
        .x = 2.2 * s, .y = (at->top + at->bottom + width_of(f, text)) / 2, .size = s, .upward = true, .colour = ink};
    pio_paper_text(f->paper, &upward, text);
}

/* ---- curves ---------------------------------------------------------------------------------------------- */

static void put_bars(const figure *f, const pio_series *s, pio_rgb colour)
{
    const pio_pen_of_paper pen = {colour, fmax(0.5, f->size / 9), 0};
    const double half = f->size / 2.4;
    for (size_t i = 0; s->error && i < s->n; i++) {
        double x, from, end;
        if (!pio_plot_bar(&f->frame, s, i, &x, &from, &end)) continue;
        double line[8][2] = {{x, from},        {x, end},         {(double)NAN, 0}, {x - half, from},
                             {x + half, from}, {(double)NAN, 0}, {x - half, end},  {x + half, end}};
        pio_paper_line(f->paper, line, 8, &pen);
    }
}

static void put_series(const figure *f, size_t k)
{
    const pio_series *s = &f->plot->series[k];
    const pio_rgb colour = colours[k % PIO_PLOT_COLOURS];
    const pio_pen_of_paper pen = {colour, f->size / 5, k >= PIO_PLOT_COLOURS ? f->size / 2 : 0};
    put_bars(f, s, colour);
    if (s->marks || s->n == 1) {
        for (size_t i = 0; i < s->n; i++) {
            double at[1][2];
            if (pio_plot_point(&f->frame, s, i, at[0])) pio_paper_discs(f->paper, at, 1, f->size / 2.6, colour);
        }
        return;
    }
    double points[PIO_PLOT_POINTS][2];
    const size_t n = pio_plot_line(&f->frame, s, points);
    pio_paper_line(f->paper, points, n, &pen);
}

piola_status pio_figure_write(const pio_plot *plot, const char *path, int width, int height, const char *heading,
                              piola_error *error)
{
    figure f = {.plot = plot, .width = width, .height = height};
    if (!pio_plot_scales(plot, &f.frame))
        return pio_fail(error, PIOLA_BAD_DATA, "%.200s: no finite value to draw", plot->title);
    const piola_status rc = pio_paper_begin(&f.paper, path, width, height, plot->title, error);
    if (rc) return rc;
    const double s = f.size = fmax(6.5, 9 * fmin(width / 960., height / 600.));
    double top = 1.5 * s;
    f.frame.left = floor(5 * s + widest(&f));
    f.frame.right = floor(f.width - fmax(1.5 * s, beyond(&f) + s / 2));
    f.frame.bottom = floor(f.height - 5.2 * s);
    if (heading) {
        char text[LABEL];
        pio_text_fit(heading, 1.3 * s, f.width - f.frame.left - 1.5 * s, text, sizeof text, true);
        const pio_place_of_text at = {f.frame.left, top + 1.3 * s, 1.3 * s, true, false, ink};
        pio_paper_text(f.paper, &at, text);
        top += 3.2 * s;
    }
    /* a legend that leaves less than half of the figure to its curves is left out */
    const double below = legend(&f, top, false);
    const bool fits = below < f.height / 2;
    if (fits) legend(&f, top, true);
    f.frame.top = floor((fits ? below : top) + s / 2);
    put_axes(&f);
    for (size_t k = 0; k < plot->n_series; k++) put_series(&f, k);
    return pio_paper_end(f.paper, path, error);
}
