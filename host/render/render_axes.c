/* render_axes.c -- ticks, numbers, the colour bar and the axes of a 2D picture. */
#include "host/render/render_parts.h"
#include "host/render/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers ------------------------------------------------------------------------------------------- */

/* Places ticks at the multiples of unit 10^power in the range, each with one rounding. */
static void place_ticks(pio_ticks *t, double lo, double hi, int unit, int power)
{
    double decade = pow(10, abs(power)), step = power < 0 ? unit / decade : unit * decade, slack = 1e-9 * (hi - lo);
    double last = floor((hi + slack) / step);
    t->n = 0;
    for (double k = ceil((lo - slack) / step); k <= last && t->n < PIO_MOST_TICKS; k++) {
        t->at[t->n++] = power < 0 ? k * unit / decade : k * unit * decade;
    }
}

pio_ticks pio_ticks_make(double lo, double hi, int most)
{
    pio_ticks t = {.n = 0};
    double span = hi - lo, largest = fmax(fabs(lo), fabs(hi));
    if (!(span > 1e-299) || !isfinite(span) || most < 1) return t;
    if (most > PIO_MOST_TICKS - 1) most = PIO_MOST_TICKS - 1;
    int power = (int)floor(log10(span / most));
    double parts = span / most / pow(10, power);
    int unit = parts <= 1 + 1e-9 ? 1 : parts <= 2 + 1e-9 ? 2 : parts <= 5 + 1e-9 ? 5 : 10;
    if (unit == 10) unit = 1, power++;
    place_ticks(&t, lo, hi, unit, power);
    if (most > 1 && t.n < 2) { /* a scale needs two */
        power -= unit == 1;
        unit = unit == 1 ? 5 : unit == 2 ? 1 : 2;
        place_ticks(&t, lo, hi, unit, power);
    }
    int magnitude = (int)floor(log10(largest) + 1e-9);
    t.exponent = magnitude >= -2 && magnitude <= 3 ? 0 : 3 * (int)floor(magnitude / 3.0);
    t.decimals = t.exponent > power ? t.exponent - power : 0;
    if (t.decimals > 15) t.decimals = 15;
    return t;
}

pio_ticks pio_ticks_named(const pio_picture *p)
{
    pio_ticks t = {.n = (int)p->n_names};
    for (int i = 0; i < t.n; i++) t.at[i] = i;
    return t;
}

/* Copies `text` with a true minus sign and a decimal point in any locale, and without "-0". */
static void typeset(const char *text, char *out, size_t size)
{
    size_t n = 0;
    bool nothing = strpbrk(text, "123456789") == NULL;
    for (; *text != '\0' && n + 4 < size; text++) {
        if (*text == '-') {
            if (!nothing) n += (size_t)snprintf(out + n, size - n, "\u2212");
        } else {
            out[n++] = *text == ',' ? '.' : *text;
        }
    }
    out[n] = '\0';
}

void pio_power_of_ten(int exponent, char *out, size_t size)
{
    static const char *const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    char plain[16];
    int n = snprintf(out, size, "×10%s", exponent < 0 ? "⁻" : "");
    snprintf(plain, sizeof plain, "%d", abs(exponent));
    for (const char *c = plain; *c != '\0' && n > 0 && (size_t)n < size; c++) {
        n += snprintf(out + n, size - (size_t)n, "%s", digits[*c - '0']);
    }
}

void pio_tick_label(const pio_ticks *ticks, double value, char *out, size_t size)
{
    char plain[64];
    double power = pow(10, abs(ticks->exponent));
    snprintf(plain, sizeof plain, "%.*f", ticks->decimals, ticks->exponent < 0 ? value * power : value / power);
    typeset(plain, out, size);
}

void pio_number(double value, int digits, char *out, size_t size)
{
    char plain[64], power[48] = "", whole[128];
    snprintf(plain, sizeof plain, "%.*g", digits, value);
    char *e = strchr(plain, 'e');
    if (e != NULL) {
        pio_power_of_ten(atoi(e + 1), power, sizeof power);
        *e = '\0';
    }
    typeset(plain, whole, sizeof whole);
    snprintf(out, size, "%s%s", whole, power);
}

void pio_unit_pretty(const char *unit, char *out, size_t size)
{
    static const char *const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    size_t n = 0;
    bool raised = false; /* inside an exponent */
    for (const char *c = unit; *c != '\0' && n + 5 < size; c++) {
        bool letter_before =
            c > unit && (raised || c[-1] == '^' || c[-1] == ')' || (c[-1] | 32) >= 'a') && c[-1] != '/';
        bool digit = *c >= '0' && *c <= '9';
        if (*c == '^') continue;
        if (digit && letter_before) {
            n += (size_t)snprintf(out + n, size - n, "%s", digits[*c - '0']);
            raised = true;
            continue;
        }
        if (*c == '-' && letter_before && c[1] >= '0' && c[1] <= '9') {
            n += (size_t)snprintf(out + n, size - n, "⁻");
            raised = true;
            continue;
        }
        raised = false;
        if (*c == '*' || (*c == '.' && c > unit && !(c[1] >= '0' && c[1] <= '9'))) {
            n += (size_t)snprintf(out + n, size - n, "·");
        } else {
            out[n++] = *c;
        }
    }
    out[n] = '\0';
}

/* ---- colour bar ---------------------------------------------------------------------------------------- */

typedef struct {
    char field[256], unit[192], least[128], greatest[128];
} bar_words;

/* Returns whether the caller gave both ends of the bar, as of the pictures of a film, which are laid out alike. */
static bool is_held(const pio_frame *f)
{
    return !isnan(f->p.lo) && !isnan(f->p.hi);
}

/* Writes what is beside tick i of the bar. */
static void bar_label(const pio_frame *f, int i, char *out, size_t size)
{
    if (f->named)
        snprintf(out, size, "%s", f->p.names[i]);
    else
        pio_tick_label(&f->bar_ticks, f->bar_ticks.at[i], out, size);
}

static bar_words bar_texts(const pio_frame *f)
{
    bar_words w;
    char pretty[128] = "", power[48] = "", number[96];
    if (f->p.units != NULL) pio_unit_pretty(f->p.units, pretty, sizeof pretty);
    if (f->bar_ticks.exponent != 0) pio_power_of_ten(f->bar_ticks.exponent, power, sizeof power);
    snprintf(w.unit, sizeof w.unit, "%s%s%s", power, power[0] != '\0' && pretty[0] != '\0' ? " " : "", pretty);
    snprintf(w.field, sizeof w.field, "%s", f->p.field != NULL ? f->p.field : "");
    double tens = pow(10, abs(f->bar_ticks.exponent)), largest = fmax(fabs(f->least), fabs(f->greatest));
    double span = f->greatest - f->least, lost = f->equal || !(span > 0) ? 0 : floor(log10(largest / span));
    int digits = 4 + (is_held(f) ? 0 : (int)fmin(12, fmax(0, lost))); /* enough to distinguish least and greatest */
    pio_number(f->bar_ticks.exponent < 0 ? f->greatest * tens : f->greatest / tens, digits, number, sizeof number);
    snprintf(w.greatest, sizeof w.greatest, "%s %s", f->equal ? "all" : "max", number);
    pio_number(f->bar_ticks.exponent < 0 ? f->least * tens : f->least / tens, digits, number, sizeof number);
    snprintf(w.least, sizeof w.least, "min %s", number);
    if (f->least > f->greatest) snprintf(w.greatest, sizeof w.greatest, "no values");
    if (f->equal || f->named || f->least > f->greatest) w.least[0] = '\0';
    if (f->named) w.greatest[0] = '\0';
    return w;
}

double pio_bar_column(const pio_frame *f)
{
    char label[128];
    double labels = 0, s = f->size;
    if (!f->coloured) return 0;
    bar_words w = bar_texts(f);
    for (int i = 0; i < f->bar_ticks.n; i++) {
        bar_label(f, i, label, sizeof label);
        labels = fmax(labels, pio_text_width(label, s, false));
    }
    double width = 1.8 * s + 1.2 * s + labels;
    width = fmax(width, pio_text_width(w.field, 1.05 * s, true));
    width = fmax(width, pio_text_width(w.unit, s, false));
    if (is_held(f)) /* whatever the extremes are */
        width = fmax(width, pio_text_width("max \u22128.888\u00d710\u207b\u2078\u2078", 0.85 * s, false));
    else
        width =
            fmax(width, fmax(pio_text_width(w.least, 0.85 * s, false), pio_text_width(w.greatest, 0.85 * s, false)));
    return fmin(width + 0.3 * s, 0.3 * f->p.width);
}

static double part_of_range(const pio_frame *f, double value)
{
    return (value - f->lo) / (f->hi - f->lo);
}

/* Returns the colour of a value, by its position on the map, 0..1; the map of a diverging field is symmetric about 0.
 */
static pio_rgb colour_at(const pio_frame *f, double value)
{
    double t = part_of_range(f, value);
    if (f->kind == PIO_MAP_DIVERGING) t = 0.5 + 0.5 * value / fmax(fabs(f->lo), fabs(f->hi));
    return f->map.colour[pio_colormap_index(t)];
}

static void bar_scale(const pio_frame *f, pio_image *image)
{
    const pio_area *b = &f->bar;
    double s = f->size, right = b->x + b->w, tip = 0.75 * b->w;
    const pio_pen pen = {fmax(1, s / 10), pio_line_colour, 1, NULL, NULL};
    for (int row = (int)b->y; row < (int)(b->y + b->h); row++) {
        double value = f->hi - (row + 0.5 - b->y) / b->h * (f->hi - f->lo);
        if (f->named) value = floor(value + 0.5);
        pio_image_rectangle(image, b->x, row, right, row + 1.0, colour_at(f, value), 1);
    }
    for (int end = 0; end < 2; end++) {
        double y = end == 0 ? b->y : b->y + b->h, beyond = end == 0 ? y - tip : y + tip;
        double corners[3][2] = {{b->x, y}, {right, y}, {b->x + b->w / 2, beyond}};
        bool shown = end == 0 ? f->above : f->below;
        if (shown) {
            pio_image_polygon(image, corners, 3, colour_at(f, end == 0 ? f->hi : f->lo), 1);
            pio_image_line(image, corners[0][0], y, corners[2][0], beyond, &pen);
            pio_image_line(image, corners[1][0], y, corners[2][0], beyond, &pen);
        } else {
            pio_image_line(image, b->x, y, right, y, &pen);
        }
    }
    pio_image_line(image, b->x, b->y, b->x, b->y + b->h, &pen);
    pio_image_line(image, right, b->y, right, b->y + b->h, &pen);
    for (int i = 0; i < f->bar_ticks.n; i++) {
        char whole[128], label[128];
        double y = floor(b->y + b->h * (1 - part_of_range(f, f->bar_ticks.at[i]))) + 0.5;
        bar_label(f, i, whole, sizeof whole);
        pio_text_fit(whole, s, image->width - right - 0.95 * s, label, sizeof label, false);
        pio_image_line(image, right, y, right + 0.45 * s, y, &pen);
        pio_text_draw(image, right + 0.95 * s, y + s / 2, s, false, pio_ink, label);
    }
}

void pio_bar_draw(const pio_frame *f, pio_image *image)
{
    char cut[256];
    double s = f->size, tip = 0.75 * f->bar.w, room = image->width - f->bar_left - s;
    if (!f->coloured) return;
    bar_words w = bar_texts(f);
    bar_scale(f, image);
    double head = f->bar.y - tip - 1.1 * s, foot = f->bar.y + f->bar.h + tip + 2.1 * s;
    if (w.unit[0] != '\0') {
        pio_text_fit(w.unit, s, room, cut, sizeof cut, false);
        pio_text_draw(image, f->bar_left, head, s, false, pio_ink, cut);
        head -= 1.9 * s;
    }
    pio_text_fit(w.field, 1.05 * s, room, cut, sizeof cut, true);
    pio_text_draw(image, f->bar_left, head, 1.05 * s, true, pio_ink, cut);
    pio_text_draw(image, f->bar_left, foot, 0.85 * s, false, pio_pale, w.greatest);
    pio_text_draw(image, f->bar_left, foot + 1.6 * s, 0.85 * s, false, pio_pale, w.least);
}

/* ---- axes of a 2D picture ------------------------------------------------------------------------------ */

/* Returns the range in m that the plot shows along `axis`. */
static void window(const pio_frame *f, int axis, double *lo, double *hi)
{
    double pixels = axis == 0 ? f->plot.w : f->plot.h, scale = f->view.scale * (axis == 0 ? 1 : f->view.squeeze);
    double half = pixels / 2 / scale * f->view.unit;
    *lo = f->view.centre[axis] - half;
    *hi = f->view.centre[axis] + half;
}

static pio_ticks axis_ticks(const pio_frame *f, int axis)
{
    double lo, hi, length = axis == 0 ? f->plot.w : f->plot.h;
    window(f, axis, &lo, &hi);
    pio_ticks t = {.n = 0};
    for (int most = (int)fmax(1, length / ((axis == 0 ? 6 : 4) * f->size)); most >= 1; most--) {
        char label[64];
        double widest = 0;
        t = pio_ticks_make(lo, hi, most);
        for (int i = 0; i < t.n; i++) {
            pio_tick_label(&t, t.at[i], label, sizeof label);
            widest = fmax(widest, pio_text_width(label, f->size, false));
        }
        if (axis == 1 || (widest + 1.5 * f->size) * t.n <= length + widest) break;
    }
    return t;
}

double pio_axes_left(const pio_frame *f)
{
    pio_ticks t = axis_ticks(f, 1);
    double widest = 0;
    for (int i = 0; i < t.n; i++) {
        char label[64];
        pio_tick_label(&t, t.at[i], label, sizeof label);
        widest = fmax(widest, pio_text_width(label, f->size, false));
    }
    return widest + 1.3 * f->size;
}

static void axis_title(int axis, const pio_ticks *t, char *out, size_t size)
{
    char power[48] = "";
    if (t->exponent != 0) pio_power_of_ten(t->exponent, power, sizeof power);
    snprintf(out, size, "%c (%s%sm)", "xyz"[axis], power, power[0] != '\0' ? " " : "");
}

/* Draws the outline of the domain where it lies within the plot. */
static void domain_outline(const pio_frame *f, pio_image *image, double width)
{
    const pio_pen pen = {width, pio_line_colour, 1, NULL, NULL};
    double a[3], b[3], left = f->plot.x, right = left + f->plot.w, top = f->plot.y, bottom = top + f->plot.h;
    pio_view_project(&f->view, f->box[0], a);
    pio_view_project(&f->view, f->box[1], b);
    for (int k = 0; k < 2; k++) {
        double x = k == 0 ? a[0] : b[0], y = k == 0 ? a[1] : b[1];
        double x0 = fmax(a[0], left), x1 = fmin(b[0], right), y0 = fmax(b[1], top), y1 = fmin(a[1], bottom);
        if (x > left - 1 && x < right + 1 && y0 < y1) {
            pio_image_line(image, x, y0, x, y1, &pen);
        }
        if (y > top - 1 && y < bottom + 1 && x0 < x1) {
            pio_image_line(image, x0, y, x1, y, &pen);
        }
    }
}

void pio_axes_draw(const pio_frame *f, pio_image *image, bool behind)
{
    static const pio_rgb grid = {228, 231, 235};
    double s = f->size, bottom = f->plot.y + f->plot.h, right = f->plot.x + f->plot.w, hair = fmax(1, s / 10);
    const pio_pen pen = {hair, pio_line_colour, 1, NULL, NULL}, line = {hair, grid, 1, NULL, NULL};
    const pio_pen border = {hair, pio_pale, 1, NULL, NULL};
    if (behind) pio_image_rectangle(image, f->plot.x, f->plot.y, right, bottom, (pio_rgb){255, 255, 255}, 1);
    for (int axis = 0; axis < 2; axis++) {
        pio_ticks t = axis_ticks(f, axis);
        char label[96];
        for (int i = 0; i < t.n; i++) {
            double p[3] = {f->view.centre[0], f->view.centre[1], 0}, at[3];
            p[axis] = t.at[i];
            pio_view_project(&f->view, p, at);
            double x = axis == 0 ? floor(at[0]) + 0.5 : f->plot.x, y = axis == 1 ? floor(at[1]) + 0.5 : bottom;
            if (behind) {
                if (axis == 0) pio_image_line(image, x, f->plot.y, x, bottom, &line);
                if (axis == 1) pio_image_line(image, x, y, right, y, &line);
                continue;
            }
            pio_tick_label(&t, t.at[i], label, sizeof label);
            double wide = pio_text_width(label, s, false), tick = 0.5 * s;
            pio_image_line(image, x, y, axis == 0 ? x : x - tick, axis == 0 ? y + tick : y, &pen);
            pio_text_draw(image, axis == 0 ? x - wide / 2 : x - 1.0 * s - wide, axis == 0 ? y + 2.1 * s : y + s / 2, s,
                          false, pio_ink, label);
        }
        if (behind) continue;
        axis_title(axis, &t, label, sizeof label);
        double wide = pio_text_width(label, s, false);
        pio_text_draw(image, axis == 0 ? f->plot.x + (f->plot.w - wide) / 2 : fmax(s, f->plot.x - wide / 2),
                      axis == 0 ? bottom + 4.1 * s : f->plot.y - s, s, false, pio_ink, label);
    }
    if (behind) return;
    double inset = hair / 2;
    pio_image_line(image, f->plot.x - inset, f->plot.y, f->plot.x - inset, bottom, &border);
    pio_image_line(image, right + inset, f->plot.y, right + inset, bottom, &border);
    pio_image_line(image, f->plot.x, f->plot.y - inset, right, f->plot.y - inset, &border);
    pio_image_line(image, f->plot.x, bottom + inset, right, bottom + inset, &border);
    domain_outline(f, image, 1.4 * hair);
}
