/* section_observations.c -- observations over time, and against data with residuals (report_parts.h). */
#include "host/report/report_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COMPONENTS = 9, MOST_OBSERVATIONS = 40 };

static void draw_observation(FILE *to, const pio_report_observation *o)
{
    pio_series s[MOST_COMPONENTS];
    char names[MOST_COMPONENTS][PIO_REPORT_COMPONENT], title[300];
    const size_t n = o->components < MOST_COMPONENTS ? o->components : MOST_COMPONENTS;
    for (size_t c = 0; c < n; c++)
        s[c] = (pio_series){.name = n > 1 ? pio_report_component(o->components, c, names[c]) : NULL,
                            .x = o->time,
                            .y = o->value + c * o->n,
                            .n = o->n};
    snprintf(title, sizeof title, "%.200s%s", o->name, n < o->components ? ", the first nine components" : "");
    const pio_plot p = {.title = title,
                        .x = {.name = "time", .unit = "s"},
                        .y = {.name = "value", .unit = o->unit},
                        .series = s,
                        .n_series = n};
    pio_plot_write(to, &p);
}

/* ---- against data ---------------------------------------------------------------------------------------- */

/* Draws one component of an observation with its data, whose error bars are one standard deviation, and below it the
 * residuals. */
static void draw_fit(FILE *to, pio_pool *pool, const pio_report_observation *o, size_t c, const double *data,
                     double sigma)
{
    char label[PIO_REPORT_COMPONENT], title[400];
    const double *value = o->value + c * o->n;
    double *residual = pio_pool_take(pool, (o->n + 1) * sizeof *residual), *zero, *bar;
    zero = pio_pool_take(pool, (o->n + 1) * sizeof *zero);
    bar = pio_pool_take(pool, (o->n + 1) * sizeof *bar);
    if (!residual || !zero || !bar) return;
    for (size_t k = 0; k < o->n; k++) {
        residual[k] = (value[k] - data[k]) / sigma;
        bar[k] = sigma;
    }
    const char *dot = o->components > 1 ? "." : "",
               *name = o->components > 1 ? pio_report_component(o->components, c, label) : "";
    const pio_series both[] = {{.name = "data", .x = o->time, .y = data, .error = bar, .n = o->n, .marks = true},
                               {.name = "computed", .x = o->time, .y = value, .n = o->n}};
    const pio_series rest[] = {{.x = o->time, .y = residual, .n = o->n, .marks = true},
                               {.x = o->time, .y = zero, .n = o->n}};
    snprintf(title, sizeof title, "%.200s%s%.20s: data and what was computed", o->name, dot, name);
    const pio_plot fit = {.title = title,
                          .x = {.name = "time", .unit = "s"},
                          .y = {.name = "value", .unit = o->unit},
                          .series = both,
                          .n_series = 2};
    pio_plot_write(to, &fit);
    snprintf(title, sizeof title, "%.200s%s%.20s: residuals, (computed - data)/sigma", o->name, dot, name);
    const pio_plot below = {.title = title,
                            .x = {.name = "time", .unit = "s"},
                            .y = {.name = "residual", .zero = true},
                            .series = rest,
                            .n_series = 2};
    pio_plot_write(to, &below);
}

/* Draws the fit of a term: of all components that it has data of. */
static void draw_data(FILE *to, pio_pool *pool, const cfg_node *term, const cfg_node *observations)
{
    pio_report_observation o;
    const char *name = pio_report_text(term, "observation", "");
    double sigma;
    if (!pio_report_observation_of(pool, name, pio_report_get(observations, name), &o)) return;
    for (size_t c = 0; c < o.components && c < MOST_COMPONENTS; c++) {
        const double *data = pio_report_data(pool, term, &o, c, &sigma);
        if (data) draw_fit(to, pool, &o, c, data, sigma);
    }
}

/* Lists the observations that have a single sample. */
static void list_single(FILE *to, pio_pool *pool, const cfg_node *all)
{
    size_t n = 0;
    for (size_t i = 0; i < all->n; i++) {
        pio_report_observation o;
        if (!pio_report_observation_of(pool, all->keys[i]->text, all->items[i], &o) || o.n > 1) continue;
        if (!n++)
            fputs("<div class=\"wide\"><table>\n<thead><tr><th scope=\"col\">observation</th><th class=\"n\" "
                  "scope=\"col\">time [s]</th><th scope=\"col\">value</th></tr></thead>\n<tbody>\n",
                  to);
        fputs("<tr><th scope=\"row\">", to);
        pio_html_text(to, o.name);
        fputs("</th><td class=\"n\">", to);
        pio_html_number(to, o.time[0], 6);
        fputs("</td><td>", to);
        for (size_t c = 0; c < o.components; c++) {
            if (c) fputs(", ", to);
            pio_html_number(to, o.value[c], 9);
        }
        fputs("</td></tr>\n", to);
    }
    if (n) fputs("</tbody></table></div>\n", to);
}

void pio_section_observations(FILE *to, const pio_report *r, pio_pool *pool)
{
    const cfg_node *all = pio_report_get(r->result, "observations"), *data = pio_report_get(r->result, "data");
    if (!all || all->kind != CFG_PAIRS || !all->n) return;
    if (data && data->kind == CFG_PAIRS && data->n) {
        pio_html_section(to, "data", "Fit against data");
        fputs("<div class=\"figures\">\n", to);
        for (size_t i = 0; i < data->n; i++) draw_data(to, pool, data->items[i], all);
        fputs("</div>\n", to);
        pio_html_section_end(to);
    }
    pio_html_section(to, "observations", "Observations");
    fputs("<p>At the end of the command, in SI units.</p>\n", to);
    list_single(to, pool, all);
    fputs("<div class=\"figures\">\n", to);
    for (size_t i = 0; i < all->n && i < MOST_OBSERVATIONS; i++) {
        pio_report_observation o;
        const bool read = pio_report_observation_of(pool, all->keys[i]->text, all->items[i], &o);
        if (read && o.n > 1) draw_observation(to, &o);
        if (!read) pio_html_missing(to, "%s: no samples.", all->keys[i]->text);
    }
    fputs("</div>\n", to);
    if (all->n > MOST_OBSERVATIONS) pio_html_missing(to, "%zu more are in result.json.", all->n - MOST_OBSERVATIONS);
    pio_html_section_end(to);
}
