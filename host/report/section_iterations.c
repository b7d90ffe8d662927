/* section_iterations.c -- curves over the iterations of an optimisation, and the objective at its end. */
#include "host/report/report_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CURVES = 12 };

static const pio_plot_axis iteration = {.name = "iteration", .whole = true};

/* Draws one curve over the iterations. */
static void draw(FILE *to, const pio_report *r, const char *title, const char *name, const double *y, bool zero)
{
    const pio_series s = {.x = r->steps.number, .y = y, .n = r->steps.n};
    const pio_plot p = {.title = title,
                        .x = iteration,
                        .y = {.name = name, .log = !zero && pio_plot_suits_log(y, r->steps.n), .zero = zero},
                        .series = &s,
                        .n_series = 1};
    pio_plot_write(to, &p);
}

/* ---- designs --------------------------------------------------------------------------------------------- */

/* Draws the values of a design of a few numbers, and the sizes of its derivatives. */
static void draw_design(FILE *to, const pio_report *r, const pio_snapshot_gradient_info *g)
{
    const size_t n = (size_t)g->size, steps = (size_t)g->iterations;
    double *v = malloc((2 * n + 1) * steps * sizeof *v), *row = malloc((2 * n + 1) * sizeof *row), *x = r->steps.number;
    pio_series s[MOST_CURVES];
    char names[MOST_CURVES][32], title[400];
    bool read = v && row;
    for (size_t k = 0; read && k < steps; k++) {
        read = !pio_snapshot_read_gradient(r->history.file, g->path, (int64_t)k, row, row + n, NULL);
        for (size_t i = 0; i < n; i++) v[i * steps + k] = row[i];
    }
    for (size_t i = 0; i < n; i++) {
        snprintf(names[i], sizeof names[i], "entry %zu", i);
        s[i] = (pio_series){.name = n > 1 ? names[i] : NULL, .x = x, .y = v + i * steps, .n = steps};
    }
    snprintf(title, sizeof title, "%.300s at each iteration", g->path);
    const pio_plot p = {.title = title,
                        .x = iteration,
                        .y = {.name = "value", .unit = g->units, .log = v && pio_plot_suits_log(v, n * steps)},
                        .series = s,
                        .n_series = n};
    if (read)
        pio_plot_write(to, &p);
    else
        pio_html_missing(to, "%s cannot be read from history.vtkhdf.", g->path);
    free(v);
    free(row);
}

/* Draws the norms of the gradients with respect to each parameter, which have units of their own. */
static void draw_norms(FILE *to, const pio_report *r)
{
    const pio_snapshot_info *info = r->history.info;
    const size_t n = info->n_gradients < MOST_CURVES ? info->n_gradients : MOST_CURVES, steps = r->steps.n;
    double *norm = calloc(n * steps + 1, sizeof *norm);
    pio_series s[MOST_CURVES];
    char names[MOST_CURVES][300];
    for (size_t i = 0; norm && i < n; i++) {
        const pio_snapshot_gradient_info *g = &info->gradients[i];
        double *grad = malloc((size_t)g->size * sizeof *grad + 1);
        for (size_t k = 0; k < steps; k++) {
            double sum = 0;
            const bool read = grad && (int64_t)k < g->iterations &&
                              !pio_snapshot_read_gradient(r->history.file, g->path, (int64_t)k, NULL, grad, NULL);
            for (int64_t j = 0; read && j < g->size; j++) sum += grad[j] * grad[j];
            norm[i * steps + k] = read ? sqrt(sum) : (double)NAN;
        }
        free(grad);
        snprintf(names[i], sizeof names[i], "%.200s%s%.60s%s", g->path, *g->grad_units ? " [" : "", g->grad_units,
                 *g->grad_units ? "]" : "");
        s[i] = (pio_series){.name = names[i], .x = r->steps.number, .y = norm + i * steps, .n = steps};
    }
    const pio_plot p = {.title = "Norm of the gradient with respect to each parameter, in its own unit",
                        .x = iteration,
                        .y = {.name = "|dJ/dvalue|", .log = true},
                        .series = s,
                        .n_series = n};
    if (norm && n) pio_plot_write(to, &p);
    free(norm);
}

/* ---- measures -------------------------------------------------------------------------------------------- */

/* Draws what the history holds of each iteration beside J, all of one kind in one figure: names begin with `kind`. */
static void draw_kind(FILE *to, const pio_report *r, const char *kind, const char *title, const char *axis, bool zero)
{
    const pio_snapshot_info *info = r->history.info;
    pio_series s[MOST_CURVES];
    size_t n = 0;
    const size_t length = strlen(kind);
    bool log = !zero;
    for (size_t t = 0; t < info->n_terms && n < MOST_CURVES; t++) {
        if (strncmp(info->terms[t], kind, length)) continue;
        log = log && pio_plot_suits_log(r->steps.terms[t], r->steps.n);
        s[n++] = (pio_series){
            .name = info->terms[t] + length, .x = r->steps.number, .y = r->steps.terms[t], .n = r->steps.n};
    }
    const pio_plot p = {
        .title = title, .x = iteration, .y = {.name = axis, .log = log, .zero = zero}, .series = s, .n_series = n};
    if (n) pio_plot_write(to, &p);
}

static void draw_all(FILE *to, const pio_report *r)
{
    const pio_snapshot_info *info = r->history.info;
    const double *projected = pio_report_step(r, "projected_gradient"), *violation = pio_report_step(r, "violation"),
                 *beta = pio_report_step(r, "beta"), *evaluations = pio_report_step(r, "evaluations");
    fputs("<div class=\"figures\">\n", to);
    draw(to, r, "Objective at each iteration", "J", r->steps.objective, false);
    draw_kind(to, r, "term ", "Terms of the objective at each iteration", "part of J", false);
    if (projected)
        draw(to, r, "Norm of the projected gradient, of scaled variables, at each iteration", "projected gradient",
             projected, false);
    draw_norms(to, r);
    draw_kind(to, r, "constraint ", "Constraints at each iteration: satisfied at 0 and below", "fraction of the bound",
              true);
    if (violation) draw(to, r, "Largest violation of a constraint at each iteration", "violation", violation, true);
    if (beta) draw(to, r, "Sharpness of the projections at each iteration", "beta", beta, false);
    if (evaluations) draw(to, r, "Evaluations until each iteration", "evaluations", evaluations, true);
    for (size_t i = 0, shown = 0; i < info->n_gradients && shown < MOST_CURVES; i++) {
        const pio_snapshot_gradient_info *g = &info->gradients[i];
        if (g->size > 3 || g->iterations != (int64_t)r->steps.n) continue;
        draw_design(to, r, g);
        shown++;
    }
    fputs("</div>\n", to);
}

/* Lists the objective at every iteration, for those who cannot see a curve. */
static void list_all(FILE *to, const pio_report *r)
{
    const pio_snapshot_info *info = r->history.info;
    fputs("<details><summary>The same as a table</summary>\n<div class=\"wide\"><table>\n<thead><tr>"
          "<th class=\"n\" scope=\"col\">iteration</th><th class=\"n\" scope=\"col\">J</th>",
          to);
    for (size_t t = 0; t < info->n_terms; t++) {
        fputs("<th class=\"n\" scope=\"col\">", to);
        pio_html_text(to, info->terms[t]);
        fputs("</th>", to);
    }
    fputs("</tr></thead>\n<tbody>\n", to);
    for (size_t k = 0; k < r->steps.n; k++) {
        fprintf(to, "<tr><td class=\"n\">%zu</td><td class=\"n\">", k);
        pio_html_number(to, r->steps.objective[k], 9);
        for (size_t t = 0; t < info->n_terms; t++) {
            fputs("</td><td class=\"n\">", to);
            pio_html_number(to, r->steps.terms[t][k], 6);
        }
        fputs("</td></tr>\n", to);
    }
    fputs("</tbody></table></div></details>\n", to);
}

void pio_section_iterations(FILE *to, const pio_report *r)
{
    if (strcmp(pio_report_command(r), "optimize") != 0) return;
    pio_html_section(to, "iterations", "Iterations");
    if (r->steps.n) {
        draw_all(to, r);
        list_all(to, r);
    } else {
        pio_html_missing(to, "No curves. %s", r->history.file ? "history.vtkhdf has no iteration." : r->history.why);
    }
    pio_html_section_end(to);
}

/* ---- the objective at the end ---------------------------------------------------------------------------- */

static void write_terms(FILE *to, const cfg_node *terms, double J)
{
    fputs("<div class=\"wide\"><table>\n<thead><tr><th scope=\"col\">term</th><th class=\"n\" scope=\"col\">value</th>"
          "<th class=\"n\" scope=\"col\">of J</th></tr></thead>\n<tbody>\n",
          to);
    for (size_t i = 0; i < terms->n; i++) {
        const double v = pio_cfg_number_of(terms->items[i]);
        fputs("<tr><th scope=\"row\">", to);
        pio_html_text(to, terms->keys[i]->text);
        fputs("</th><td class=\"n\">", to);
        pio_html_number(to, v, 9);
        fputs("</td><td class=\"n\">", to);
        if (fabs(J) > 0) fprintf(to, "%.1f %%", 100 * v / J);
        fputs("</td></tr>\n", to);
    }
    fputs("<tr><th scope=\"row\">J</th><td class=\"n\">", to);
    pio_html_number(to, J, 9);
    fputs("</td><td class=\"n\"></td></tr>\n</tbody></table></div>\n", to);
}

static void write_constraints(FILE *to, const cfg_node *list)
{
    fputs("<h3>Constraints</h3>\n<div class=\"wide\"><table>\n<thead><tr><th scope=\"col\">constraint</th>"
          "<th class=\"n\" scope=\"col\">value</th><th class=\"n\" scope=\"col\">must be</th>"
          "<th class=\"n\" scope=\"col\">multiplier</th><th scope=\"col\">verdict</th></tr></thead>\n<tbody>\n",
          to);
    for (size_t i = 0; i < list->n; i++) {
        const cfg_node *c = list->items[i];
        const bool missed = pio_report_number(c, "violation") > 0;
        fputs("<tr><th scope=\"row\">", to);
        pio_html_text(to, pio_report_text(c, "constraint", "-"));
        fputs("</th><td class=\"n\">", to);
        pio_html_number(to, pio_report_number(c, "value"), 9);
        fputs("</td><td class=\"n\">", to);
        pio_html_format(to, "%s ", pio_report_text(c, "must_be", ""));
        pio_html_number(to, pio_report_number(c, "bound"), 9);
        fputs("</td><td class=\"n\">", to);
        pio_html_number(to, pio_report_number(c, "multiplier"), 4);
        fprintf(to, "</td><td class=\"%s\">", missed ? "warn" : "good");
        if (missed) {
            fputs("missed by ", to);
            pio_html_number(to, pio_report_number(c, "violation"), 3);
            fputs(" of its bound", to);
        } else {
            fputs("satisfied", to);
        }
        fputs("</td></tr>\n", to);
    }
    fputs("</tbody></table></div>\n", to);
}

void pio_section_objective(FILE *to, const pio_report *r)
{
    const cfg_node *terms = pio_report_get(r->result, "terms"), *list = pio_report_get(r->result, "constraints");
    if (!terms) return;
    pio_html_section(to, "objective", "Objective");
    if (terms->kind == CFG_PAIRS && terms->n)
        write_terms(to, terms, pio_report_number(r->result, "objective"));
    else
        pio_html_missing(to, "The scene has no objective.");
    if (list && list->kind == CFG_SEQUENCE && list->n) write_constraints(to, list);
    pio_html_section_end(to);
}
