/* section_gradient.c -- comparisons of the gradient with differences, the certificate, memory and time. */
#include "host/report/report_parts.h"

#include <math.h>
#include <string.h>

static void write_cell(FILE *to, double value, int digits)
{
    fputs("<td class=\"n\">", to);
    pio_html_number(to, value, digits);
    fputs("</td>", to);
}

/* ---- the check ------------------------------------------------------------------------------------------- */

static void write_rows(FILE *to, const cfg_node *rows)
{
    fputs(
        "<div class=\"wide\"><table>\n<thead><tr><th scope=\"col\">direction</th><th class=\"n\" scope=\"col\">adjoint"
        "</th><th class=\"n\" scope=\"col\">difference</th><th class=\"n\" scope=\"col\">relative error</th>"
        "<th class=\"n\" scope=\"col\">uncertainty</th><th class=\"n\" scope=\"col\">first order</th>"
        "<th class=\"n\" scope=\"col\">second order</th><th scope=\"col\">verdict</th></tr></thead>\n<tbody>\n",
        to);
    for (size_t i = 0; i < rows->n; i++) {
        const cfg_node *row = rows->items[i];
        const char *verdict = pio_report_text(row, "verdict", "-");
        fputs("<tr><th scope=\"row\">", to);
        pio_html_text(to, pio_report_text(row, "direction", "-"));
        fputs("</th>", to);
        write_cell(to, pio_report_number(row, "adjoint"), 9);
        write_cell(to, pio_report_number(row, "difference"), 9);
        write_cell(to, pio_report_number(row, "remainder"), 2);
        write_cell(to, pio_report_number(row, "uncertainty"), 2);
        write_cell(to, pio_report_number(row, "first_order"), 3);
        write_cell(to, pio_report_number(row, "second_order"), 3);
        fprintf(to, "<td class=\"%s\" title=\"", strcmp(verdict, "passed") != 0 ? "bad" : "good");
        pio_html_text(to, pio_report_text(row, "reason", ""));
        fputs("\">", to);
        pio_html_text(to, verdict);
        fputs("</td></tr>\n", to);
    }
    fputs("</tbody></table></div>\n<p>The orders of the remainders are 1 without the gradient and 2 with it where the "
          "adjoint is the derivative.</p>\n",
          to);
}

/* Writes the comparison of this command, or what the certificate has of an earlier one. */
static void write_check(FILE *to, const pio_report *r, const cfg_node *certificate)
{
    const cfg_node *own = pio_report_get(r->result, "check"), *earlier = pio_report_get(certificate, "check");
    const cfg_node *rows = pio_report_get(own, "rows");
    fputs("<h3>Comparison with differences</h3>\n", to);
    if (own)
        pio_html_format(to, "Verdict: %s, at a relative tolerance of %s.", pio_report_text(own, "verdict", "-"),
                        pio_report_text(own, "tolerance", "-"));
    if (rows && rows->kind == CFG_SEQUENCE) {
        write_rows(to, rows);
    } else if (earlier && earlier->kind == CFG_SEQUENCE) {
        write_rows(to, earlier);
    } else if (earlier && earlier->kind == CFG_PAIRS) {
        fputs("<p>", to);
        pio_html_format(to,
                        "piola check of the same scene, %s: %s of %s directions passed at tolerance %s, on %s (%s).",
                        pio_report_text(earlier, "when", "-"), pio_report_text(earlier, "passed", "-"),
                        pio_report_text(earlier, "directions", "-"), pio_report_text(earlier, "tolerance", "-"),
                        pio_report_text(earlier, "device", "-"), pio_report_text(earlier, "engine", "-"));
        fputs("</p>\n", to);
    } else {
        pio_html_missing(to, "Not checked: piola check of this scene into the same folder would compare the gradient "
                             "with differences.");
    }
}

/* ---- the certificate ------------------------------------------------------------------------------------- */

/* Writes the scalars of a mapping; null is left out, and so are members of the names in `apart`. */
static void write_scalars(FILE *to, const cfg_node *of, const char *apart)
{
    for (size_t i = 0; of && of->kind == CFG_PAIRS && i < of->n; i++) {
        char name[200];
        const cfg_node *v = pio_report_get(of, of->keys[i]->text);
        if (!v || v->kind != CFG_SCALAR || strstr(apart, of->keys[i]->text)) continue;
        snprintf(name, sizeof name, "%s", of->keys[i]->text);
        for (char *c = name; *c; c++)
            if (*c == '_') *c = ' ';
        const double number = pio_cfg_number_of(v);
        if (strstr(name, "bytes") && isfinite(number))
            pio_html_row_bytes(to, name, number);
        else
            pio_html_row(to, name, "%s", v->text);
    }
}

/* Draws the residuals of the linear solves of all steps. */
static void draw_solves(FILE *to, pio_pool *pool, const cfg_node *list)
{
    static const char *const key[] = {"residual", "adjoint_residual"};
    static const char *const name[] = {"Newton's residual", "residual of the adjoint solve"};
    pio_series s[2];
    if (!list || list->kind != CFG_SEQUENCE || list->n < 2) return;
    double *x = pio_pool_take(pool, 3 * list->n * sizeof *x);
    if (!x) return;
    for (size_t k = 0; k < 2; k++) {
        double *y = x + (k + 1) * list->n;
        for (size_t i = 0; i < list->n; i++) {
            x[i] = (double)(i + 1);
            y[i] = pio_report_number(list->items[i], key[k]);
        }
        s[k] = (pio_series){.name = name[k], .x = x, .y = y, .n = list->n};
    }
    const pio_plot p = {.title = "Residuals of the solves at each step",
                        .x = {.name = "step", .whole = true},
                        .y = {.name = "relative residual", .log = true},
                        .series = s,
                        .n_series = 2};
    pio_plot_write(to, &p);
}

void pio_section_gradient(FILE *to, const pio_report *r, pio_pool *pool)
{
    const cfg_node *c = pio_report_get(r->result, "certificate");
    if (!c) return;
    pio_html_section(to, "gradient", "Gradient");
    write_check(to, r, c);
    fputs("<h3>Certificate</h3>\n", to);
    if (pio_report_get(c, "warning"))
        fputs("<p class=\"warn\">", to), pio_html_text(to, pio_report_text(c, "warning", "")), fputs("</p>\n", to);
    if (pio_report_get(c, "kink_warning"))
        fputs("<p class=\"warn\">", to), pio_html_text(to, pio_report_text(c, "kink_warning", "")), fputs("</p>\n", to);
    fputs("<table class=\"facts\"><tbody>\n", to);
    write_scalars(to, c, "check warning kink_warning");
    fputs("</tbody></table>\n", to);
    draw_solves(to, pool, pio_report_get(c, "linear_solves"));
    pio_html_section_end(to);
}

/* ---- memory and time ------------------------------------------------------------------------------------- */

static void write_seconds(FILE *to, const cfg_node *seconds)
{
    fputs("<h3>Wall-clock time</h3>\n<table><thead><tr><th scope=\"col\">part</th><th class=\"n\" scope=\"col\">seconds"
          "</th></tr></thead>\n<tbody>\n",
          to);
    for (size_t i = 0; i < seconds->n; i++) {
        fputs("<tr><th scope=\"row\">", to);
        pio_html_text(to, seconds->keys[i]->text);
        fputs("</th>", to);
        write_cell(to, pio_cfg_number_of(seconds->items[i]), 3);
        fputs("</tr>\n", to);
    }
    fputs("</tbody></table>\n", to);
}

void pio_section_memory(FILE *to, const pio_report *r)
{
    const cfg_node *memory = pio_report_get(r->result, "memory"), *seconds = pio_report_get(r->result, "seconds");
    pio_html_section(to, "memory", "Memory and time");
    if (memory) {
        fputs("<h3>Memory and its plan</h3>\n<table class=\"facts\"><tbody>\n", to);
        if (!pio_report_get(memory, "budget_bytes")) pio_html_row(to, "budget", "none");
        write_scalars(to, memory, "");
        write_scalars(to, pio_report_get(memory, "plan"), "");
        fputs("</tbody></table>\n", to);
    } else {
        pio_html_missing(to, "result.json says nothing of memory.");
    }
    if (seconds && seconds->kind == CFG_PAIRS) write_seconds(to, seconds);
    pio_html_section_end(to);
}
