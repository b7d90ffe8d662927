/* section_starts.c -- an optimisation from several starts: what each of them gave (report_parts.h). */
#include "host/report/report_parts.h"

#include <math.h>
#include <string.h>

/* Returns the list of starts, or NULL where the optimisation has one. */
static const cfg_node *starts(const pio_report *r)
{
    const cfg_node *list = r->sweep ? NULL : pio_report_get(pio_report_get(r->result, "multi_start"), "members");
    return list && list->kind == CFG_SEQUENCE && list->n ? list : NULL;
}

bool pio_report_starts(const pio_report *r)
{
    return starts(r) != NULL;
}

/* Writes how a start ended. */
static void write_end(FILE *to, const cfg_node *of)
{
    const double code = pio_report_number(of, "exit");
    const char *cause = pio_report_text(of, "cause", NULL);
    if (isnan(code))
        fputs("not finished", to);
    else if (!cause)
        fputs(code < 0.5 ? "done" : "not converged", to);
    else
        pio_html_format(to, "exit code %.0f: %s", code, cause);
}

static void write_start(FILE *to, const cfg_node *of, bool best, bool links)
{
    static const char folder[] = "members/";
    const char *name = pio_report_text(of, "folder", ""), *number = pio_report_text(of, "number", "-");
    const size_t head = sizeof folder - 1;
    const cfg_node *sets = pio_report_get(of, "sets");
    const bool safe =
        !strncmp(name, folder, head) && name[head] && strspn(name + head, "0123456789") == strlen(name + head);
    fputs("<tr><th scope=\"row\">", to);
    if (links && safe) fprintf(to, "<a href=\"%s/\">", name);
    pio_html_format(to, "%s%s", number, best ? " (best)" : "");
    if (links && safe) fputs("</a>", to);
    fputs("</th><td>", to);
    for (size_t i = 0; sets && sets->kind == CFG_SEQUENCE && i < sets->n; i++)
        pio_html_format(to, "%s%s", i ? ", " : "", sets->items[i]->kind == CFG_SCALAR ? sets->items[i]->text : "-");
    fputs("</td><td class=\"n\">", to);
    pio_html_number(to, pio_report_number(of, "objective"), 9);
    fputs("</td><td>", to);
    write_end(to, of);
    fputs("</td></tr>\n", to);
}

void pio_section_starts(FILE *to, const pio_report *r, bool links)
{
    const cfg_node *list = starts(r);
    const double best = pio_report_number(pio_report_get(r->result, "multi_start"), "best");
    if (!list) return;
    pio_html_section(to, "starts", "Starts");
    if (isnan(best) || !pio_report_get(r->result, "parameters"))
        fputs("<p>The best is not known yet.</p>\n", to);
    else
        fprintf(to, "<p>All that follows is of start %.0f, the best of %zu.</p>\n", best, list->n);
    fputs("<div class=\"wide\"><table>\n<thead><tr><th scope=\"col\">start</th><th scope=\"col\">where</th>"
          "<th class=\"n\" scope=\"col\">J</th><th scope=\"col\">how it ended</th></tr></thead>\n<tbody>\n",
          to);
    for (size_t i = 0; i < list->n; i++) write_start(to, list->items[i], fabs(best - (double)i) < 0.5, links);
    fputs("</tbody></table></div>\n", to);
    pio_html_section_end(to);
}
