/* plot.c -- see plot.h: the figure of curves. */
#include "host/report/plot.h"

#include "host/report/html.h"

#include <math.h>

/* The figure in units of its viewBox. */
enum { WIDTH = 640, HEIGHT = 300, LEFT = 76, RIGHT = 16, TOP = 12, BOTTOM = 50, MOST_POINTS = 1200 };

typedef struct {
    const pio_plot *plot;
    pio_scale x, y;
    FILE *to;
} figure;

static double across(const figure *f, double x)
{
    return LEFT + (WIDTH - LEFT - RIGHT) * pio_scale_at(&f->x, x);
}

static double down(const figure *f, double y)
{
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * pio_scale_at(&f->y, y);
}

bool pio_plot_suits_log(const double *v, size_t n)
{
    double lo = INFINITY, hi = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(v[i])) continue;
        lo = fmin(lo, v[i]);
        hi = fmax(hi, v[i]);
    }
    return lo > 0 && hi >= 50 * lo;
}

/* Finds the ends of the values that can be shown, of x or of y. Returns false if there are none. */
static bool ends(const pio_plot *p, bool of_x, bool log, double *lo, double *hi)
{
    *lo = INFINITY;
    *hi = -INFINITY;
    for (size_t k = 0; k < p->n_series; k++)
        for (size_t i = 0; i < p->series[k].n; i++) {
            const double x = p->series[k].x[i], y = p->series[k].y[i], v = of_x ? x : y;
            if (!isfinite(x) || !isfinite(y) || (log && !(v > 0))) continue;
            *lo = fmin(*lo, v);
            *hi = fmax(*hi, v);
        }
    return *lo <= *hi;
}

static bool make_scale(const pio_plot *p, bool of_x, pio_scale *s)
{
    const pio_plot_axis *a = of_x ? &p->x : &p->y;
    double lo, hi;
    bool log = a->log && ends(p, of_x, true, &lo, &hi);
    if (!log && !ends(p, of_x, false, &lo, &hi)) return false;
    if (a->zero && !log) {
        lo = fmin(lo, 0);
        hi = fmax(hi, 0);
    }
    *s = pio_scale_make(lo, hi, log, of_x ? 8 : 5, !of_x);
    if (a->whole && s->step < 1) s->step = 1, s->decimals = 0;
    return true;
}

/* ---- axes ------------------------------------------------------------------------------------------------ */

static void write_axis_name(FILE *to, const pio_plot_axis *a, const pio_scale *s)
{
    const bool unit = a->unit && *a->unit;
    pio_html_text(to, a->name);
    if (!unit && !s->exponent) return;
    fputs(" [", to);
    if (s->exponent) pio_html_power(to, s->exponent);
    if (s->exponent && unit) fputc(' ', to);
    pio_html_text(to, a->unit);
    fputc(']', to);
}

static void write_axes(const figure *f)
{
    FILE *to = f->to;
    const int bottom = HEIGHT - BOTTOM, right = WIDTH - RIGHT;
    for (int k = 0; isfinite(pio_scale_tick(&f->y, k)); k++) {
        const double v = pio_scale_tick(&f->y, k), y = down(f, v);
        fprintf(to, "<line class=\"grid\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>", LEFT, y, right, y);
        fprintf(to, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">", LEFT - 8, y + 4);
        pio_scale_label(to, &f->y, v);
        fputs("</text>\n", to);
    }
    for (int k = 0; isfinite(pio_scale_tick(&f->x, k)); k++) {
        const double v = pio_scale_tick(&f->x, k), x = across(f, v);
        fprintf(to, "<line class=\"axis\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>", x, bottom, x, bottom + 5);
        fprintf(to, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">", x, bottom + 19);
        pio_scale_label(to, &f->x, v);
        fputs("</text>\n", to);
    }
    fprintf(to, "<path class=\"axis\" d=\"M%d %dV%dH%d\"/>\n", LEFT, TOP, bottom, right);
    fprintf(to, "<text class=\"name\" x=\"%d\" y=\"%d\" text-anchor=\"middle\">", (LEFT + right) / 2, HEIGHT - 8);
    write_axis_name(to, &f->plot->x, &f->x);
    fprintf(to, "</text>\n<text class=\"name\" transform=\"translate(16 %d) rotate(-90)\" text-anchor=\"middle\">",
            (TOP + bottom) / 2);
    write_axis_name(to, &f->plot->y, &f->y);
    fputs("</text>\n", to);
}

/* ---- curves ---------------------------------------------------------------------------------------------- */

static bool shown(const figure *f, const pio_series *s, size_t i)
{
    return isfinite(pio_scale_at(&f->x, s->x[i])) && isfinite(pio_scale_at(&f->y, s->y[i]));
}

static void write_line(const figure *f, const pio_series *s)
{
    bool down_pen = false;
    for (size_t i = 0; i < s->n; i++) {
        if (!shown(f, s, i)) {
            down_pen = false;
            continue;
        }
        fprintf(f->to, "%s%.1f %.1f", down_pen ? "L" : "M", across(f, s->x[i]), down(f, s->y[i]));
        down_pen = true;
    }
}

/* Writes a line of very many points by the least and the greatest value of each of some hundred groups. */
static void write_envelope(const figure *f, const pio_series *s)
{
    const size_t groups = MOST_POINTS / 2;
    bool begun = false;
    for (size_t g = 0; g < groups; g++) {
        const size_t from = s->n * g / groups, end = s->n * (g + 1) / groups;
        size_t least = s->n, most = s->n;
        for (size_t i = from; i < end; i++) {
            if (!shown(f, s, i)) continue;
            if (least == s->n || s->y[i] < s->y[least]) least = i;
            if (most == s->n || s->y[i] > s->y[most]) most = i;
        }
        if (least == s->n) continue;
        const size_t first = least < most ? least : most, second = least < most ? most : least;
        fprintf(f->to, "%s%.1f %.1fL%.1f %.1f", begun ? "L" : "M", across(f, s->x[first]), down(f, s->y[first]),
                across(f, s->x[second]), down(f, s->y[second]));
        begun = true;
    }
}

static void write_series(const figure *f, size_t k)
{
    const pio_series *s = &f->plot->series[k];
    const size_t colour = k % PIO_PLOT_COLOURS;
    if (s->marks || s->n == 1) {
        fprintf(f->to, "<g class=\"dot c%zu\">", colour);
        for (size_t i = 0; i < s->n; i++)
            if (shown(f, s, i))
                fprintf(f->to, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>", across(f, s->x[i]), down(f, s->y[i]));
        fputs("</g>\n", f->to);
        return;
    }
    fprintf(f->to, "<path class=\"line c%zu%s\" d=\"", colour, k >= PIO_PLOT_COLOURS ? " dash" : "");
    if (s->n > MOST_POINTS)
        write_envelope(f, s);
    else
        write_line(f, s);
    fputs("\"/>\n", f->to);
}

static void write_legend(FILE *to, const pio_plot *p)
{
    fputs("<ul class=\"legend\">", to);
    for (size_t k = 0; k < p->n_series; k++) {
        const pio_series *s = &p->series[k];
        if (!s->name) continue;
        fputs("<li><svg class=\"key\" viewBox=\"0 0 22 10\" aria-hidden=\"true\">", to);
        if (s->marks || s->n == 1)
            fprintf(to, "<g class=\"dot c%zu\"><circle cx=\"11\" cy=\"5\" r=\"3.5\"/></g>", k % PIO_PLOT_COLOURS);
        else
            fprintf(to, "<path class=\"line c%zu%s\" d=\"M0 5H22\"/>", k % PIO_PLOT_COLOURS,
                    k >= PIO_PLOT_COLOURS ? " dash" : "");
        fputs("</svg> ", to);
        pio_html_text(to, s->name);
        fputs("</li>", to);
    }
    fputs("</ul>\n", to);
}

void pio_plot_write(FILE *to, const pio_plot *p)
{
    figure f = {.plot = p, .to = to};
    bool named = false;
    if (!make_scale(p, true, &f.x) || !make_scale(p, false, &f.y)) {
        pio_html_missing(to, "%s: no finite value to draw.", p->title);
        return;
    }
    fprintf(to, "<figure class=\"plot\">\n<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", WIDTH, HEIGHT);
    pio_html_text(to, p->title);
    fputs("\">\n", to);
    write_axes(&f);
    for (size_t k = 0; k < p->n_series; k++) {
        write_series(&f, k);
        named |= p->series[k].name != NULL;
    }
    fputs("</svg>\n", to);
    if (named) write_legend(to, p);
    fputs("<figcaption>", to);
    pio_html_text(to, p->title);
    fputs("</figcaption>\n</figure>\n", to);
}
