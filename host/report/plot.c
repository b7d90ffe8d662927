/* plot.c -- see plot.h: the figure of curves. */
#include "host/report/plot.h"

#include "host/report/html.h"

#include <math.h>

/* The figure in units of its viewBox. */
enum { WIDTH = 640, HEIGHT = 300, LEFT = 76, RIGHT = 16, TOP = 12, BOTTOM = 50 };

typedef struct {
    const pio_plot *plot;
    pio_plot_frame frame;
    FILE *to;
} figure;

double pio_plot_across(const pio_plot_frame *f, double x)
{
    return f->left + (f->right - f->left) * pio_scale_at(&f->x, x);
}

double pio_plot_down(const pio_plot_frame *f, double y)
{
    return f->bottom - (f->bottom - f->top) * pio_scale_at(&f->y, y);
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
            const double bar = p->series[k].error && !of_x ? p->series[k].error[i] : 0;
            if (!isfinite(x) || !isfinite(y) || (log && !(v > 0))) continue;
            *lo = fmin(*lo, v - (isfinite(bar) && (!log || bar < v) ? bar : 0));
            *hi = fmax(*hi, v + (isfinite(bar) ? bar : 0));
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

bool pio_plot_scales(const pio_plot *plot, pio_plot_frame *f)
{
    return make_scale(plot, true, &f->x) && make_scale(plot, false, &f->y);
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
    for (int k = 0; isfinite(pio_scale_tick(&f->frame.y, k)); k++) {
        const double v = pio_scale_tick(&f->frame.y, k), y = pio_plot_down(&f->frame, v);
        fprintf(to, "<line class=\"grid\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>", LEFT, y, right, y);
        fprintf(to, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">", LEFT - 8, y + 4);
        pio_scale_label(to, &f->frame.y, v);
        fputs("</text>\n", to);
    }
    for (int k = 0; isfinite(pio_scale_tick(&f->frame.x, k)); k++) {
        const double v = pio_scale_tick(&f->frame.x, k), x = pio_plot_across(&f->frame, v);
        fprintf(to, "<line class=\"axis\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>", x, bottom, x, bottom + 5);
        fprintf(to, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">", x, bottom + 19);
        pio_scale_label(to, &f->frame.x, v);
        fputs("</text>\n", to);
    }
    fprintf(to, "<path class=\"axis\" d=\"M%d %dV%dH%d\"/>\n", LEFT, TOP, bottom, right);
    fprintf(to, "<text class=\"name\" x=\"%d\" y=\"%d\" text-anchor=\"middle\">", (LEFT + right) / 2, HEIGHT - 8);
    write_axis_name(to, &f->plot->x, &f->frame.x);
    fprintf(to, "</text>\n<text class=\"name\" transform=\"translate(16 %d) rotate(-90)\" text-anchor=\"middle\">",
            (TOP + bottom) / 2);
    write_axis_name(to, &f->plot->y, &f->frame.y);
    fputs("</text>\n", to);
}

/* ---- curves ---------------------------------------------------------------------------------------------- */

bool pio_plot_point(const pio_plot_frame *f, const pio_series *s, size_t i, double out[2])
{
    out[0] = pio_plot_across(f, s->x[i]);
    out[1] = pio_plot_down(f, s->y[i]);
    if (isfinite(out[0]) && isfinite(out[1])) return true;
    out[0] = out[1] = (double)NAN;
    return false;
}

bool pio_plot_bar(const pio_plot_frame *f, const pio_series *s, size_t i, double *x, double *from, double *end)
{
    *x = pio_plot_across(f, s->x[i]);
    *from = pio_plot_down(f, s->y[i] + s->error[i]);
    *end = pio_plot_down(f, s->y[i] - s->error[i]);
    if (isnan(*end) && f->y.log) *end = f->bottom;
    return isfinite(*x) && isfinite(*from) && isfinite(*end) && isfinite(pio_plot_down(f, s->y[i]));
}

/* Sets the least and the greatest value of each of some hundred groups. */
static size_t envelope(const pio_plot_frame *f, const pio_series *s, double out[PIO_PLOT_POINTS][2])
{
    const size_t groups = PIO_PLOT_POINTS / 2;
    size_t n = 0;
    for (size_t g = 0; g < groups; g++) {
        const size_t from = s->n * g / groups, end = s->n * (g + 1) / groups;
        size_t least = s->n, most = s->n;
        for (size_t i = from; i < end; i++) {
            if (!pio_plot_point(f, s, i, out[n])) continue;
            if (least == s->n || s->y[i] < s->y[least]) least = i;
            if (most == s->n || s->y[i] > s->y[most]) most = i;
        }
        if (least == s->n) continue;
        pio_plot_point(f, s, least < most ? least : most, out[n++]);
        pio_plot_point(f, s, least < most ? most : least, out[n++]);
    }
    return n;
}

size_t pio_plot_line(const pio_plot_frame *f, const pio_series *s, double out[PIO_PLOT_POINTS][2])
{
    if (s->n > PIO_PLOT_POINTS) return envelope(f, s, out);
    for (size_t i = 0; i < s->n; i++) pio_plot_point(f, s, i, out[i]);
    return s->n;
}

static void write_line(const figure *f, const pio_series *s)
{
    double points[PIO_PLOT_POINTS][2];
    const size_t n = pio_plot_line(&f->frame, s, points);
    bool down_pen = false;
    for (size_t i = 0; i < n; i++) {
        if (isfinite(points[i][0])) fprintf(f->to, "%s%.1f %.1f", down_pen ? "L" : "M", points[i][0], points[i][1]);
        down_pen = isfinite(points[i][0]);
    }
}

/* Writes error bars, each with its two ends. */
static void write_bars(const figure *f, const pio_series *s, size_t colour)
{
    if (!s->error) return;
    fprintf(f->to, "<path class=\"line c%zu\" d=\"", colour);
    for (size_t i = 0; i < s->n; i++) {
        double x, from, end;
        if (pio_plot_bar(&f->frame, s, i, &x, &from, &end))
            fprintf(f->to, "M%.1f %.1fV%.1fM%.1f %.1fh8M%.1f %.1fh8", x, from, end, x - 4, from, x - 4, end);
    }
    fputs("\"/>\n", f->to);
}

static void write_series(const figure *f, size_t k)
{
    const pio_series *s = &f->plot->series[k];
    const size_t colour = k % PIO_PLOT_COLOURS;
    double at[2];
    write_bars(f, s, colour);
    if (s->marks || s->n == 1) {
        fprintf(f->to, "<g class=\"dot c%zu\">", colour);
        for (size_t i = 0; i < s->n; i++)
            if (pio_plot_point(&f->frame, s, i, at))
                fprintf(f->to, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>", at[0], at[1]);
        fputs("</g>\n", f->to);
        return;
    }
    fprintf(f->to, "<path class=\"line c%zu%s\" d=\"", colour, k >= PIO_PLOT_COLOURS ? " dash" : "");
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
    figure f = {.plot = p, .to = to, .frame = {LEFT, WIDTH - RIGHT, TOP, HEIGHT - BOTTOM, {0}, {0}}};
    bool named = false;
    if (!pio_plot_scales(p, &f.frame)) {
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
