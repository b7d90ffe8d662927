/* section_sweep.c -- the members of a sweep: what there is of each (report_parts.h). */
#include "host/report/members.h"

#include <math.h>
#include <string.h>

enum { EXIT = 2, CAUSE = 3, MOST_ROWS = 5000, MOST_DESIGNS = 12 };

/* Returns whether a column is in the table of members. */
static bool listed(const pio_members_table *t, size_t c, bool optimize)
{
    const pio_column_kind kind = t->columns[c].kind;
    size_t designs = 0;
    for (size_t k = 0; k < c; k++) designs += t->columns[k].kind == PIO_OF_DESIGN;
    if (kind == PIO_OF_DESIGN) return optimize && designs < MOST_DESIGNS;
    return kind == PIO_OF_AXIS || kind == PIO_OF_RESULT;
}

static void write_heading(FILE *to, const char *name, const char *unit)
{
    fputs("<th scope=\"col\">", to);
    pio_html_text(to, name);
    if (*unit) pio_html_format(to, " [%s]", unit);
    fputs("</th>", to);
}

static void write_member(FILE *to, const pio_members_table *t, size_t i, bool optimize)
{
    const char *code = t->columns[EXIT].text[i];
    const bool good = !strcmp(code, "0");
    fputs("<tr id=\"member", to);
    pio_html_text(to, t->columns[0].text[i]);
    fputs("\"><th scope=\"row\">", to);
    pio_html_text(to, t->columns[0].text[i]);
    fprintf(to, "</th><td class=\"n %s\" data-v=\"", good ? "good" : *code ? "bad" : "warn");
    pio_html_text(to, code);
    fputs("\">", to);
    pio_html_text(to, *code ? code : "not run");
    fputs("</td>", to);
    for (size_t c = CAUSE + 1; c < t->n; c++) {
        const pio_member_column *of = &t->columns[c];
        if (!listed(t, c, optimize)) continue;
        fprintf(to, "<td%s data-v=\"", of->words ? "" : " class=\"n\"");
        pio_html_text(to, of->text[i]);
        fputs("\">", to);
        if (of->words || isnan(of->value[i]))
            pio_html_text(to, of->text[i]);
        else
            pio_html_number(to, of->value[i], 6);
        fputs("</td>", to);
    }
    fputs("</tr>\n", to);
}

/* Writes all members as a table, which the script sorts. */
static void write_table(FILE *to, const pio_members_table *t, bool optimize)
{
    const size_t rows = t->rows < MOST_ROWS ? t->rows : MOST_ROWS;
    fputs("<div class=\"wide\"><table class=\"sortable\">\n<thead><tr>", to);
    write_heading(to, "member", "");
    write_heading(to, "exit", "");
    for (size_t c = CAUSE + 1; c < t->n; c++)
        if (listed(t, c, optimize)) write_heading(to, t->columns[c].name, t->columns[c].unit);
    fputs("</tr></thead>\n<tbody>\n", to);
    for (size_t i = 0; i < rows; i++) write_member(to, t, i, optimize);
    fputs("</tbody></table></div>\n", to);
    if (rows < t->rows) pio_html_missing(to, "%zu more members are in sweep.csv.", t->rows - rows);
}

static void write_failures(FILE *to, const pio_members_table *t)
{
    size_t n = 0;
    for (size_t i = 0; i < t->rows; i++) {
        if (!*t->columns[CAUSE].text[i]) continue;
        if (!n++)
            fputs("<h3>Members that failed</h3>\n<div class=\"wide\"><table>\n<thead><tr><th scope=\"col\">member</th>"
                  "<th scope=\"col\">exit</th><th scope=\"col\">cause</th></tr></thead>\n<tbody>\n",
                  to);
        fputs("<tr><th scope=\"row\">", to);
        pio_html_text(to, t->columns[0].text[i]);
        fputs("</th><td class=\"n\">", to);
        pio_html_text(to, t->columns[EXIT].text[i]);
        fputs("</td><td>", to);
        pio_html_text(to, t->columns[CAUSE].text[i]);
        fputs("</td></tr>\n", to);
    }
    if (n) fputs("</tbody></table></div>\n", to);
}

void pio_section_sweep(FILE *to, const pio_report *r, pio_pool *pool)
{
    pio_members_table t;
    piola_error error = {0};
    const piola_status rc = pio_members_read(r, pool, &t, &error);
    pio_html_section(to, "members", "Members");
    if (rc) {
        pio_html_missing(to, "The table of members cannot be read: %s", error.message);
        pio_html_section_end(to);
        return;
    }
    write_failures(to, &t);
    fputs("<p class=\"script\">A click on a heading sorts the members by that column.</p>\n", to);
    write_table(to, &t, !strcmp(pio_report_text(r->result, "what", ""), "optimize"));
    pio_html_section_end(to);
    pio_html_section(to, "parallel", "Parallel coordinates");
    pio_members_parallel(to, &t);
    pio_html_section_end(to);
    pio_html_section(to, "responses", "Responses");
    pio_members_responses(to, pool, &t);
    pio_html_section_end(to);
}
