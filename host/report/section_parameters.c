/* section_parameters.c -- what is designed: starts, ends, bounds, errors of a fit (report_parts.h). */
#include "host/report/report_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A parameter of result.json. */
typedef struct {
    const char *path, *unit;
    const cfg_node *node;
    double lower, upper; /* bounds of its design in the scene; NaN: none, or unknown */
} parameter;

/* Returns the entry of a list of mappings by its name, or NULL. */
static const cfg_node *named(const cfg_node *list, const char *name)
{
    for (size_t i = 0; list && list->kind == CFG_SEQUENCE && i < list->n; i++)
        if (!strcmp(pio_report_text(list->items[i], "name", ""), name)) return list->items[i];
    return NULL;
}

static parameter get_parameter(const pio_report *r, size_t i)
{
    const cfg_node *all = pio_report_get(r->result, "parameters");
    parameter p = {.path = all->keys[i]->text, .node = all->items[i], .lower = (double)NAN, .upper = (double)NAN};
    p.unit = pio_report_text(p.node, "unit", "");
    const cfg_node *design = named(pio_report_get(r->scene, "design"), pio_report_text(p.node, "design", ""));
    const cfg_node *bounds = pio_report_get(design, "bounds");
    if (bounds && bounds->kind == CFG_SEQUENCE && bounds->n == 2) {
        p.lower = pio_cfg_number_of(bounds->items[0]);
        p.upper = pio_cfg_number_of(bounds->items[1]);
    }
    return p;
}

/* Returns -1 at the lower bound, 1 at the upper, to a relative 1e-9 of their distance, 0 between. */
static int at_bound(const parameter *p, double value)
{
    const double slack = 1e-9 * fabs(p->upper - p->lower);
    if (value <= p->lower + slack) return -1;
    return value >= p->upper - slack ? 1 : 0;
}

static void write_bound(FILE *to, const parameter *p, double value)
{
    const int at = at_bound(p, value);
    if (isnan(p->lower))
        fputs("-", to);
    else if (at)
        fprintf(to, "<strong class=\"warn\">at its %s bound</strong>", at < 0 ? "lower" : "upper");
    else
        fputs("between its bounds", to);
}

static void write_cell(FILE *to, double value, int digits)
{
    fputs("<td class=\"n\">", to);
    pio_html_number(to, value, digits);
    fputs("</td>", to);
}

/* ---- single numbers -------------------------------------------------------------------------------------- */

/* Returns entry k of a number or a list; NaN if there is none. */
static double entry(const cfg_node *node, size_t k)
{
    if (!node || node->kind == CFG_PAIRS) return (double)NAN;
    if (node->kind == CFG_SCALAR) return k ? (double)NAN : pio_cfg_number_of(node);
    return k < node->n ? pio_cfg_number_of(node->items[k]) : (double)NAN;
}

static void write_values(FILE *to, const parameter *p)
{
    const cfg_node *value = pio_report_get(p->node, "value");
    const size_t n = value->kind == CFG_SEQUENCE ? value->n : 1;
    for (size_t k = 0; k < n; k++) {
        const double v = entry(value, k), start = entry(pio_report_get(p->node, "initial"), k);
        fputs("<tr><th scope=\"row\">", to);
        pio_html_text(to, p->path);
        if (n > 1) fprintf(to, "[%zu]", k);
        fputs("</th>", to);
        write_cell(to, start, 6);
        write_cell(to, v, 9);
        fputs("<td>", to);
        pio_html_text(to, *p->unit ? p->unit : "1");
        fputs("</td>", to);
        write_cell(to, p->lower, 6);
        write_cell(to, p->upper, 6);
        fputs("<td>", to);
        write_bound(to, p, v);
        fputs("</td>", to);
        write_cell(to, entry(pio_report_get(p->node, "gradient"), k), 5);
        fputs("</tr>\n", to);
    }
}

/* ---- fields ---------------------------------------------------------------------------------------------- */

/* Reads a row of a gradient's value from a file of states or a history, [*n]; NULL if it is not there. */
static double *read_value(const pio_report_states *s, const char *path, size_t *n)
{
    for (size_t i = 0; s->info && i < s->info->n_gradients; i++) {
        const pio_snapshot_gradient_info *g = &s->info->gradients[i];
        if (strcmp(g->path, path) != 0 || g->iterations < 1) continue;
        double *v = malloc((size_t)g->size * sizeof *v + 1);
        *n = (size_t)g->size;
        if (v && !pio_snapshot_read_gradient(s->file, path, 0, v, NULL, NULL)) return v;
        free(v);
        return NULL;
    }
    return NULL;
}

static void write_spread(FILE *to, const char *when, const parameter *p, const double *v, size_t n)
{
    double lo = INFINITY, hi = -INFINITY, sum = 0;
    size_t low = 0, high = 0;
    for (size_t i = 0; i < n; i++) {
        lo = fmin(lo, v[i]);
        hi = fmax(hi, v[i]);
        sum += v[i];
        low += at_bound(p, v[i]) < 0;
        high += at_bound(p, v[i]) > 0;
    }
    fprintf(to, "<tr><th scope=\"row\">%s</th>", when);
    write_cell(to, lo, 6);
    write_cell(to, sum / (double)n, 6);
    write_cell(to, hi, 6);
    fprintf(to, "<td class=\"n\">%zu</td><td class=\"n\">%zu</td></tr>\n", low, high);
}

/* Draws how many of the values lie where, as bars. */
static void draw_histogram(FILE *to, const parameter *p, const double *v, size_t n)
{
    enum { BARS = 32, WIDTH = 640, HEIGHT = 180, LEFT = 60, BOTTOM = 140, WIDE = 560, HIGH = 125 };
    size_t count[BARS] = {0}, most = 1;
    double lo = INFINITY, hi = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        lo = fmin(lo, v[i]);
        hi = fmax(hi, v[i]);
    }
    if (!(hi > lo)) return;
    const pio_scale s = pio_scale_make(lo, hi, false, 8, false);
    for (size_t i = 0; i < n; i++) {
        const double at = BARS * pio_scale_at(&s, v[i]);
        const size_t bar = at >= BARS ? BARS - 1 : at > 0 ? (size_t)at : 0;
        if (++count[bar] > most) most = count[bar];
    }
    fprintf(to, "<figure class=\"plot\">\n<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", WIDTH, HEIGHT);
    pio_html_format(to, "How the %zu values of %s are distributed at the end", n, p->path);
    fputs("\">\n", to);
    for (int b = 0; b < BARS; b++) {
        const double high = (double)HIGH * (double)count[b] / (double)most;
        fprintf(to, "<rect class=\"bar\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n",
                LEFT + WIDE * b / (double)BARS, BOTTOM - high, WIDE / (double)BARS - 1, high);
    }
    fprintf(to, "<path class=\"axis\" d=\"M%d %dH%d\"/>\n", LEFT, BOTTOM, LEFT + WIDE);
    fprintf(to, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%zu</text>\n", LEFT - 6, BOTTOM - HIGH + 8, most);
    for (int k = 0; isfinite(pio_scale_tick(&s, k)); k++) {
        const double tick = pio_scale_tick(&s, k);
        fprintf(to, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">", LEFT + WIDE * pio_scale_at(&s, tick),
                BOTTOM + 16);
        pio_scale_label(to, &s, tick);
        fputs("</text>\n", to);
    }
    fprintf(to, "<text class=\"name\" x=\"%d\" y=\"%d\" text-anchor=\"middle\">value at the end", LEFT + WIDE / 2,
            BOTTOM + 34);
    if (s.exponent || *p->unit) fputs(" [", to);
    if (s.exponent) pio_html_power(to, s.exponent);
    if (s.exponent && *p->unit) fputc(' ', to);
    pio_html_text(to, p->unit);
    if (s.exponent || *p->unit) fputs("]", to);
    fputs("</text>\n</svg>\n<figcaption>", to);
    pio_html_format(to, "How many of the %zu values of %s lie where", n, p->path);
    fputs("</figcaption>\n</figure>\n", to);
}

static void write_field(FILE *to, const pio_report *r, const parameter *p)
{
    size_t n_start = 0, n_end = 0;
    double *start = read_value(&r->history, p->path, &n_start), *end = read_value(&r->states, p->path, &n_end);
    fputs("<h3>", to);
    pio_html_format(to, "%s: %s values", p->path, pio_report_text(p->node, "values", "-"));
    fputs("</h3>\n", to);
    if (isfinite(p->lower)) {
        fputs("<p>Bounds: ", to);
        pio_html_number(to, p->lower, 6);
        fputs(" to ", to);
        pio_html_number(to, p->upper, 6);
        pio_html_format(to, " %s", p->unit);
        fputs("</p>\n", to);
    }
    if (start || end) {
        fputs("<div class=\"wide\"><table>\n<thead><tr><th scope=\"col\"></th><th class=\"n\" scope=\"col\">least</th>"
              "<th class=\"n\" scope=\"col\">mean</th><th class=\"n\" scope=\"col\">greatest</th>"
              "<th class=\"n\" scope=\"col\">at the lower bound</th><th class=\"n\" scope=\"col\">at the upper</th>"
              "</tr></thead>\n<tbody>\n",
              to);
        if (start && n_start) write_spread(to, "start", p, start, n_start);
        if (end && n_end) write_spread(to, "end", p, end, n_end);
        fputs("</tbody></table></div>\n", to);
    }
    if (end && n_end) draw_histogram(to, p, end, n_end);
    if (!end) pio_html_missing(to, "Its values are in states.vtkhdf, which is not there or cannot be read.");
    free(start);
    free(end);
}

void pio_section_parameters(FILE *to, const pio_report *r)
{
    const cfg_node *all = pio_report_get(r->result, "parameters");
    size_t single = 0;
    if (!all || all->kind != CFG_PAIRS || !all->n) return;
    for (size_t i = 0; i < all->n; i++) single += pio_report_get(all->items[i], "value") != NULL;
    pio_html_section(to, "parameters", "Parameters");
    if (!r->scene) pio_html_missing(to, "Bounds are not known: they are in the scene, which states.vtkhdf would have.");
    if (single) {
        fputs("<div class=\"wide\"><table>\n<thead><tr><th scope=\"col\">parameter</th><th class=\"n\" scope=\"col\">"
              "start</th><th class=\"n\" scope=\"col\">end</th><th scope=\"col\">unit</th><th class=\"n\" "
              "scope=\"col\">lower bound</th><th class=\"n\" scope=\"col\">upper bound</th><th scope=\"col\">where</th>"
              "<th class=\"n\" scope=\"col\">dJ/dvalue</th></tr></thead>\n<tbody>\n",
              to);
        for (size_t i = 0; i < all->n; i++) {
            const parameter p = get_parameter(r, i);
            if (pio_report_get(p.node, "value")) write_values(to, &p);
        }
        fputs("</tbody></table></div>\n", to);
    }
    for (size_t i = 0; i < all->n; i++) {
        const parameter p = get_parameter(r, i);
        if (!pio_report_get(p.node, "value")) write_field(to, r, &p);
    }
    pio_html_section_end(to);
}
