/* section_squares.c -- what a fit by least squares determined: errors, intervals, correlation (report_parts.h). */
#include "host/report/report_parts.h"

#include <math.h>

static void write_cell(FILE *to, double value, int digits)
{
    fputs("<td class=\"n\">", to);
    pio_html_number(to, value, digits);
    fputs("</td>", to);
}

static void write_intervals(FILE *to, const cfg_node *list)
{
    fputs("<div class=\"wide\"><table>\n<thead><tr><th scope=\"col\">variable</th><th class=\"n\" scope=\"col\">value"
          "</th><th class=\"n\" scope=\"col\">standard error</th><th class=\"n\" scope=\"col\">of the value</th>"
          "<th class=\"n\" scope=\"col\">95 % from</th><th class=\"n\" scope=\"col\">to</th><th scope=\"col\">unit</th>"
          "</tr></thead>\n<tbody>\n",
          to);
    for (size_t i = 0; i < list->n; i++) {
        const cfg_node *p = list->items[i];
        const double value = pio_report_number(p, "value"), error = pio_report_number(p, "standard_error");
        fputs("<tr><th scope=\"row\">", to);
        pio_html_text(to, pio_report_text(p, "variable", "-"));
        fputs("</th>", to);
        write_cell(to, value, 7);
        write_cell(to, error, 3);
        fputs("<td class=\"n\">", to);
        if (isfinite(error) && fabs(value) > 0)
            fprintf(to, "%.2g %%", 100 * fabs(error / value));
        else
            fputs("-", to);
        fputs("</td>", to);
        write_cell(to, pio_report_number(p, "lower"), 7);
        write_cell(to, pio_report_number(p, "upper"), 7);
        fputs("<td>", to);
        pio_html_text(to, pio_report_text(p, "unit", ""));
        fputs("</td></tr>\n", to);
    }
    fputs("</tbody></table></div>\n", to);
}

/* Writes a matrix of correlations as a table whose entries are marked by their size. */
static void write_correlation(FILE *to, const cfg_node *rows, const cfg_node *names)
{
    fputs("<h3>Correlation</h3>\n<div class=\"wide\"><table>\n<thead><tr><th scope=\"col\"></th>", to);
    for (size_t j = 0; j < rows->n; j++) fprintf(to, "<th class=\"n\" scope=\"col\">%zu</th>", j + 1);
    fputs("</tr></thead>\n<tbody>\n", to);
    for (size_t i = 0; i < rows->n; i++) {
        const cfg_node *row = rows->items[i];
        fprintf(to, "<tr><th scope=\"row\">%zu ", i + 1);
        if (names && i < names->n) pio_html_text(to, pio_report_text(names->items[i], "variable", ""));
        fputs("</th>", to);
        for (size_t j = 0; row->kind == CFG_SEQUENCE && j < row->n; j++) {
            const double c = pio_cfg_number_of(row->items[j]);
            fprintf(to, "<td class=\"n%s\">", i != j && fabs(c) > 0.9 ? " warn" : "");
            if (isfinite(c))
                fprintf(to, "%+.3f", c);
            else
                fputs("-", to);
            fputs("</td>", to);
        }
        fputs("</tr>\n", to);
    }
    fputs("</tbody></table></div>\n<p>Variables whose correlation is beyond 0.9, which are marked, are known in "
          "combination better than each by itself.</p>\n",
          to);
}

static void write_unknown(FILE *to, const cfg_node *list)
{
    fputs("<h3>What the data do not determine</h3>\n", to);
    if (!list || !list->n) {
        fputs("<p>Nothing: every combination of variables changes the residuals.</p>\n", to);
        return;
    }
    fputs("<p>The residuals do not change with these combinations of scaled variables:</p>\n<ul>\n", to);
    for (size_t k = 0; k < list->n; k++) {
        const cfg_node *parts = pio_report_get(list->items[k], "combination");
        fputs("<li>", to);
        for (size_t i = 0; parts && parts->kind == CFG_SEQUENCE && i < parts->n; i++)
            pio_html_format(to, "%s%+.2g %s", i ? ", " : "", pio_report_number(parts->items[i], "coefficient"),
                            pio_report_text(parts->items[i], "variable", "-"));
        fputs("</li>\n", to);
    }
    fputs("</ul>\n", to);
}

void pio_section_squares(FILE *to, const pio_report *r)
{
    const cfg_node *fit = pio_report_get(r->result, "least_squares");
    if (!fit) return;
    const cfg_node *list = pio_report_get(fit, "parameters"), *correlation = pio_report_get(fit, "correlation"),
                   *singular = pio_report_get(fit, "singular_values");
    const double variance = pio_report_number(fit, "variance");
    pio_html_section(to, "squares", "Errors of the fit");
    fputs("<table class=\"facts\"><tbody>\n", to);
    pio_html_row(to, "residuals", "%s", pio_report_text(fit, "residuals", "-"));
    pio_html_row(to, "free variables", "%s", pio_report_text(fit, "free_variables", "-"));
    pio_html_row_number(to, "variance of a residual", variance, NULL);
    fputs("<tr><th scope=\"row\">singular values, scaled</th><td>", to);
    for (size_t i = 0; singular && singular->kind == CFG_SEQUENCE && i < singular->n && i < 50; i++) {
        if (i) fputs(", ", to);
        pio_html_number(to, pio_cfg_number_of(singular->items[i]), 3);
    }
    fputs("</td></tr>\n</tbody></table>\n", to);
    if (isnan(variance))
        pio_html_missing(to, "No errors: there are no more residuals than free variables, so that nothing shows by how "
                             "much these may be off.");
    if (list && list->kind == CFG_SEQUENCE && list->n)
        write_intervals(to, list);
    else
        pio_html_missing(to, "No list of errors: result.json has it where few variables are between their bounds.");
    if (correlation && correlation->kind == CFG_SEQUENCE && correlation->n > 1)
        write_correlation(to, correlation, list && list->kind == CFG_SEQUENCE ? list : NULL);
    write_unknown(to, pio_report_get(fit, "not_identifiable"));
    pio_html_section_end(to);
}
