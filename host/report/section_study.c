/* section_study.c -- the experiments of a study: a table of their parts of J, with their folders (report_parts.h). */
#include "host/report/report_parts.h"

#include <math.h>
#include <string.h>

enum { MOST_NAME = 64 };

/* Returns the list of experiments, or NULL where the result is not that of a study. */
static const cfg_node *experiments(const pio_report *r)
{
    const cfg_node *list = r->sweep ? NULL : pio_report_get(r->result, "experiments");
    return list && list->kind == CFG_SEQUENCE && list->n ? list : NULL;
}

bool pio_report_study(const pio_report *r)
{
    return experiments(r) || (!r->sweep && pio_report_get(r->result, "study"));
}

const char *pio_report_experiment(const pio_report *r, size_t i)
{
    static const char safe[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
    const cfg_node *list = experiments(r);
    if (!list || i >= list->n) return NULL;
    const char *name = pio_report_text(list->items[i], "name", "");
    const size_t length = strlen(name);
    return length <= MOST_NAME && strspn(name, safe) == length ? name : "";
}

/* Returns whether J is a smooth maximum over the experiments. */
static bool is_maximum(const pio_report *r)
{
    const cfg_node *combine = pio_report_get(r->result, "combine");
    return combine && !strcmp(pio_report_text(combine, "type", ""), "maximum");
}

static void write_experiment(FILE *to, const pio_report *r, size_t i, bool links)
{
    const cfg_node *of = experiments(r)->items[i];
    const char *safe = pio_report_experiment(r, i);
    const double weight = pio_report_number(of, "weight"), J = pio_report_number(of, "objective");
    fputs("<tr><th scope=\"row\">", to);
    if (links && *safe) fprintf(to, "<a href=\"experiments/%s/\">", safe);
    pio_html_text(to, pio_report_text(of, "name", "-"));
    if (links && *safe) fputs("</a>", to);
    fputs("</th><td>", to);
    pio_html_text(to, pio_report_text(of, "scene", "-"));
    const double values[] = {weight, J, weight * J, pio_report_number(of, "gradient_weight")};
    for (size_t k = 0; k < (is_maximum(r) ? 4 : 3); k++) {
        fputs("</td><td class=\"n\">", to);
        pio_html_number(to, values[k], 9);
    }
    fputs("</td></tr>\n", to);
}

void pio_section_study(FILE *to, const pio_report *r, bool links)
{
    const cfg_node *list = experiments(r);
    pio_html_section(to, "experiments", "Experiments");
    if (!list) {
        pio_html_missing(to, "The study has no result.");
        pio_html_section_end(to);
        return;
    }
    fprintf(
        to,
        "<p>J of the study is %s of the weighted J.</p>\n<div class=\"wide\"><table>\n<thead><tr>"
        "<th scope=\"col\">experiment</th><th scope=\"col\">scene</th><th class=\"n\" scope=\"col\">weight</th>"
        "<th class=\"n\" scope=\"col\">J</th><th class=\"n\" scope=\"col\">weighted J</th>%s</tr></thead>\n<tbody>\n",
        is_maximum(r) ? "a smooth maximum" : "the sum",
        is_maximum(r) ? "<th class=\"n\" scope=\"col\">weight in the gradient</th>" : "");
    for (size_t i = 0; i < list->n; i++) write_experiment(to, r, i, links);
    fputs("</tbody></table></div>\n", to);
    pio_html_missing(to, "Observations, gradient and scene of each experiment are in experiments/NAME, of which piola "
                         "report makes a page, too.");
    pio_html_section_end(to);
}
