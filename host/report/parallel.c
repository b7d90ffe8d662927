/* parallel.c -- parallel coordinates (Inselberg 1985) of the members of a sweep, and responses over axes. */
#include "host/report/members.h"

#include <math.h>
#include <string.h>

enum {
    WIDTH = 960,
    HEIGHT = 360,
    LEFT = 70,
    RIGHT = 70,
    TOP = 40,
    BOTTOM = 30,
    MOST_SHOWN = 9,
    SHADES = 7,
    MOST_LINES = 8
};

/* The columns of a figure. */
typedef struct {
    const pio_member_column *column[MOST_SHOWN];
    pio_scale scale[MOST_SHOWN];
    size_t n;
    const pio_member_column *shade; /* column that the colours show; NULL: none */
} figure;

/* Finds the ends of a column's values. Returns false if there are none. */
static bool ends(const pio_member_column *c, size_t rows, double *lo, double *hi)
{
    *lo = INFINITY;
    *hi = -INFINITY;
    for (size_t i = 0; i < rows; i++) {
        *lo = fmin(*lo, c->value[i]);
        *hi = fmax(*hi, c->value[i]);
    }
    return *lo <= *hi;
}

static void add_column(figure *f, const pio_member_column *c, size_t rows)
{
    double lo, hi;
    if (f->n == MOST_SHOWN || !ends(c, rows, &lo, &hi)) return;
    const bool log = c->log || (c->kind == PIO_OF_RESULT && pio_plot_suits_log(c->value, rows));
    f->scale[f->n] = pio_scale_make(lo, hi, log, 5, false);
    if (c->words && f->scale[f->n].step < 1) f->scale[f->n].step = 1;
    f->column[f->n++] = c;
}

/* Returns whether a column answers: results, and where there are none the last samples of observations. */
bool pio_members_answers(const pio_members_table *t, const pio_member_column *c)
{
    bool results = false;
    for (size_t k = 0; k < t->n; k++) results |= t->columns[k].kind == PIO_OF_RESULT;
    return c->kind == (results ? PIO_OF_RESULT : PIO_OF_SAMPLE);
}

static double across(const figure *f, size_t a)
{
    return LEFT + (f->n > 1 ? (double)(WIDTH - LEFT - RIGHT) * (double)a / (double)(f->n - 1) : 0);
}

/* Returns the part of the axis at which a value lies; NaN: none. */
static double part(const figure *f, size_t a, size_t row)
{
    return pio_scale_at(&f->scale[a], f->column[a]->value[row]);
}

static double down(double at)
{
    return TOP + (HEIGHT - TOP - BOTTOM) * (1 - at);
}

/* ---- parallel coordinates -------------------------------------------------------------------------------- */

static void write_line(FILE *to, const figure *f, const pio_members_table *t, size_t row)
{
    int shade = SHADES / 2;
    bool drawn = false;
    for (size_t a = 0; a < f->n; a++)
        if (f->column[a] == f->shade && isfinite(part(f, a, row)))
            shade = (int)fmin(SHADES - 1, fmax(0, SHADES * part(f, a, row)));
    fprintf(to, "<path class=\"member m%d\" data-n=\"", shade);
    pio_html_text(to, t->columns[0].text[row]);
    fputs("\" data-v=\"", to);
    for (size_t a = 0; a < f->n; a++) {
        if (a) fputc(' ', to);
        if (isfinite(part(f, a, row)))
            fprintf(to, "%.4f", part(f, a, row));
        else
            fputc('-', to);
    }
    fputs("\" d=\"", to);
    for (size_t a = 0; a < f->n; a++) {
        const bool there = isfinite(part(f, a, row));
        if (there) fprintf(to, "%s%.1f %.1f", drawn ? "L" : "M", across(f, a), down(part(f, a, row)));
        drawn = there;
    }
    fputs("\"><title>member ", to);
    pio_html_text(to, t->columns[0].text[row]);
    for (size_t a = 0; a < f->n; a++) pio_html_format(to, ", %s %s", f->column[a]->name, f->column[a]->text[row]);
    fputs("</title></path>\n", to);
}

/* Writes the text of an axis of texts at a tick. */
static void write_word(FILE *to, const pio_member_column *c, size_t rows, double tick)
{
    for (size_t i = 0; i < rows; i++)
        if (fabs(c->value[i] - tick) < 0.5) {
            pio_html_text(to, c->text[i]);
            return;
        }
}

static void write_axis(FILE *to, const figure *f, size_t a, size_t rows)
{
    const pio_member_column *c = f->column[a];
    const pio_scale *s = &f->scale[a];
    const double x = across(f, a);
    fprintf(to, "<path class=\"axis\" d=\"M%.1f %dV%d\"/>\n", x, TOP, HEIGHT - BOTTOM);
    fprintf(to, "<text class=\"name\" x=\"%.1f\" y=\"%d\" text-anchor=\"%s\">", x, TOP - (a % 2 ? 24 : 10),
            a == 0          ? "start"
            : a + 1 == f->n ? "end"
                            : "middle");
    pio_html_text(to, c->name);
    if (s->exponent || *c->unit) fputs(" [", to);
    if (s->exponent) pio_html_power(to, s->exponent);
    if (s->exponent && *c->unit) fputc(' ', to);
    pio_html_text(to, c->unit);
    if (s->exponent || *c->unit) fputc(']', to);
    fputs("</text>\n", to);
    for (int k = 0; isfinite(pio_scale_tick(s, k)); k++) {
        const double tick = pio_scale_tick(s, k), y = down(pio_scale_at(s, tick));
        fprintf(to, "<path class=\"axis\" d=\"M%.1f %.1fh-5\"/><text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">", x, y,
                x - 8, y + 4);
        if (c->words)
            write_word(to, c, rows, tick);
        else
            pio_scale_label(to, s, tick);
        fputs("</text>\n", to);
    }
    fprintf(to, "<rect class=\"span\" data-a=\"%zu\" x=\"%.1f\" y=\"0\" width=\"16\" height=\"0\"/>", a, x - 8);
    fprintf(to, "<rect class=\"brush\" data-a=\"%zu\" x=\"%.1f\" y=\"%d\" width=\"28\" height=\"%d\"/>\n", a, x - 14,
            TOP, HEIGHT - TOP - BOTTOM);
}

void pio_members_parallel(FILE *to, const pio_members_table *t)
{
    figure f = {.n = 0};
    for (size_t c = 0; c < t->n; c++)
        if (t->columns[c].kind == PIO_OF_AXIS) add_column(&f, &t->columns[c], t->rows);
    const size_t axes = f.n;
    for (size_t c = 0; c < t->n; c++)
        if (pio_members_answers(t, &t->columns[c])) add_column(&f, &t->columns[c], t->rows);
    if (f.n < 2) {
        pio_html_missing(to, "Fewer than two columns have numbers.");
        return;
    }
    f.shade = f.n > axes ? f.column[axes] : NULL;
    fprintf(to,
            "<figure>\n<svg class=\"parallel\" viewBox=\"0 0 %d %d\" data-top=\"%d\" data-height=\"%d\" role=\"img\" "
            "aria-label=\"Each member as a line through its values on parallel axes\">\n",
            WIDTH, HEIGHT, TOP, HEIGHT - TOP - BOTTOM);
    for (size_t i = 0; i < t->rows; i++) write_line(to, &f, t, i);
    for (size_t a = 0; a < f.n; a++) write_axis(to, &f, a, t->rows);
    fputs("</svg>\n<figcaption>Each line is a member", to);
    if (f.shade) pio_html_format(to, ", from blue where %s is least to red where it is greatest", f.shade->name);
    fputs(". The table of members has the same numbers. <span class=\"script\">Drag along an axis to choose members, "
          "click on it to choose all: <output id=\"chosen\"></output></span></figcaption>\n</figure>\n",
          to);
}

/* ---- responses ------------------------------------------------------------------------------------------- */

/* Returns the only other axis, if there are two and it has few values; else NULL. */
static const pio_member_column *other_axis(const pio_members_table *t, const pio_member_column *x)
{
    const pio_member_column *other = NULL;
    size_t axes = 0, values = 0;
    for (size_t c = 0; c < t->n; c++) {
        axes += t->columns[c].kind == PIO_OF_AXIS;
        if (t->columns[c].kind == PIO_OF_AXIS && &t->columns[c] != x) other = &t->columns[c];
    }
    for (size_t i = 0; axes == 2 && i < t->rows; i++) {
        size_t j = 0;
        while (strcmp(other->text[j], other->text[i]) != 0) j++;
        values += j == i;
    }
    return axes == 2 && values <= MOST_LINES && values < t->rows ? other : NULL;
}

/* Returns the name of the curve of member i: the value of the other axis. */
static char *curve_name(pio_pool *pool, const pio_member_column *other, size_t i)
{
    char name[200];
    if (other->words)
        snprintf(name, sizeof name, "%.100s = %.40s", other->name, other->text[i]);
    else
        snprintf(name, sizeof name, "%.100s = %.6g %.30s", other->name, other->value[i], other->unit);
    return pio_pool_text(pool, name, strlen(name));
}

bool pio_members_response(pio_pool *pool, const pio_members_table *t, const pio_member_column *x,
                          const pio_member_column *y, pio_plot *out)
{
    char title[500];
    pio_series *s = pio_pool_take(pool, MOST_LINES * sizeof *s);
    const pio_member_column *other = other_axis(t, x);
    size_t n = 0;
    bool whole = s != NULL;
    for (size_t i = 0; whole && i < t->rows && n < MOST_LINES; i++) {
        size_t j = 0, count = 0;
        while (other && strcmp(other->text[j], other->text[i]) != 0) j++;
        if (other ? j < i : i > 0) continue;
        double *at = pio_pool_take(pool, 2 * t->rows * sizeof *at), *value = at ? at + t->rows : NULL;
        for (size_t k = i; at && k < t->rows; k++) {
            if (other && strcmp(other->text[k], other->text[i]) != 0) continue;
            at[count] = x->value[k];
            value[count++] = y->value[k];
        }
        s[n] = (pio_series){
            .name = other ? curve_name(pool, other, i) : NULL, .x = at, .y = value, .n = count, .marks = !other};
        whole = at && (!other || s[n].name);
        n++;
    }
    snprintf(title, sizeof title, "%.200s over %.200s", y->name, x->name);
    *out = (pio_plot){.title = pio_pool_text(pool, title, strlen(title)),
                      .x = {.name = x->name, .unit = x->unit, .log = x->log},
                      .y = {.name = y->name, .log = pio_plot_suits_log(y->value, t->rows)},
                      .series = s,
                      .n_series = n};
    return whole && out->title;
}

/* Draws a response over an axis. */
static void draw(FILE *to, pio_pool *pool, const pio_members_table *t, const pio_member_column *x,
                 const pio_member_column *y)
{
    pio_plot p;
    if (pio_members_response(pool, t, x, y, &p))
        pio_plot_write(to, &p);
    else
        pio_html_missing(to, "There was no memory for a figure.");
}

void pio_members_responses(FILE *to, pio_pool *pool, const pio_members_table *t)
{
    size_t drawn = 0;
    fputs("<div class=\"figures\">\n", to);
    for (size_t c = 0; c < t->n; c++) {
        if (!pio_members_answers(t, &t->columns[c])) continue;
        for (size_t a = 0; a < t->n && drawn < 24; a++) {
            if (t->columns[a].kind != PIO_OF_AXIS || t->columns[a].words) continue;
            draw(to, pool, t, &t->columns[a], &t->columns[c]);
            drawn++;
        }
    }
    fputs("</div>\n", to);
    if (!drawn) pio_html_missing(to, "No axis has numbers over which a result could be drawn.");
}
