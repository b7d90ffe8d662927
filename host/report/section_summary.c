/* section_summary.c -- what was requested, how it ended, and the pictures (report_parts.h). */
#include "host/report/report_parts.h"

#include <math.h>
#include <string.h>

const char *pio_report_name(const pio_report *r)
{
    const char *file = pio_report_text(r->result, pio_report_study(r) ? "study" : "scene", "");
    const char *slash = strrchr(file, '/');
    return pio_report_text(r->scene, "name", slash ? slash + 1 : *file ? file : "results");
}

/* Returns the value of a pair of the manifest, or "". */
static const char *manifest(const pio_report *r, const char *key)
{
    const pio_snapshot_info *info = r->states.info ? r->states.info : r->history.info;
    for (size_t i = 0; info && i < info->n_pairs; i++)
        if (!strcmp(info->pairs[i].key, key)) return info->pairs[i].value;
    return "";
}

/* ---- the table of contents ------------------------------------------------------------------------------- */

static void write_link(FILE *to, bool there, const char *id, const char *title)
{
    if (there) fprintf(to, "<li><a href=\"#%s\">%s</a></li>\n", id, title);
}

static void write_contents(FILE *to, const pio_report *r)
{
    const cfg_node *result = r->result, *o = pio_report_get(result, "observations"),
                   *data = pio_report_get(result, "data");
    const bool ended = pio_report_get(result, "parameters") != NULL, study = pio_report_study(r);
    fputs("<nav aria-label=\"Contents\"><ul>\n", to);
    write_link(to, r->sweep, "members", "Members");
    write_link(to, r->sweep, "parallel", "Parallel coordinates");
    write_link(to, r->sweep, "responses", "Responses");
    write_link(to, study, "experiments", "Experiments");
    write_link(to, pio_report_starts(r), "starts", "Starts");
    write_link(to, !r->sweep, "pictures", "Pictures");
    write_link(to, !strcmp(pio_report_command(r), "optimize"), "iterations", "Iterations");
    write_link(to, ended && !r->sweep && !study, "objective", "Objective");
    write_link(to, ended && pio_report_get(result, "parameters")->n, "parameters", "Parameters");
    write_link(to, pio_report_get(result, "least_squares") != NULL, "squares", "Errors of the fit");
    write_link(to, o && o->n && data && data->n, "data", "Fit against data");
    write_link(to, o && o->n, "observations", "Observations");
    write_link(to, pio_report_get(result, "certificate") != NULL, "gradient", "Gradient");
    write_link(to, !r->sweep && !study, "memory", "Memory and time");
    write_link(to, !r->sweep && !study, "scene", "Scene");
    write_link(to, true, "files", "Files");
    fputs("</ul></nav>\n", to);
}

/* ---- the summary ----------------------------------------------------------------------------------------- */

/* Writes how it ended: in words and in a colour. */
static void write_state(FILE *to, const pio_report *r)
{
    const double code = pio_report_number(r->result, "exit");
    const char *message = pio_report_text(r->result, "message", ""), *word = "failed", *look = "bad";
    const bool check = !strcmp(pio_report_command(r), "check");
    if (isnan(code)) {
        word = "not ended";
        look = "warn";
    } else if (code < 0.5) {
        word = check ? "passed" : "done";
        look = "good";
    } else if (code < 1.5) {
        word = check ? "not passed" : "not converged";
        look = "warn";
    } else if (fabs(code - 75) < 0.5) {
        word = "interrupted";
        look = "warn";
    } else if (fabs(code - 78) < 0.5) {
        word = "members failed";
        look = "warn";
    }
    fprintf(to, "<p><span class=\"state %s\">%s</span> ", look, word);
    pio_html_text(to, message);
    if (isfinite(code)) fprintf(to, " <span class=\"lead\">(exit code %.0f)</span>", code);
    fputs("</p>\n", to);
}

static void write_failure(FILE *to, const pio_report *r)
{
    const cfg_node *f = pio_report_get(r->result, "failure");
    if (!f || f->kind != CFG_PAIRS) return;
    fputs("<h3>What failed</h3>\n<table class=\"facts\"><tbody>\n", to);
    for (size_t i = 0; i < f->n; i++)
        if (f->items[i]->kind == CFG_SCALAR && *f->items[i]->text)
            pio_html_row(to, f->keys[i]->text, "%s", f->items[i]->text);
    fputs("</tbody></table>\n", to);
}

static void write_program(FILE *to, const pio_report *r)
{
    const cfg_node *engine = pio_report_get(r->result, "engine");
    const char *commit = manifest(r, "commit"), *line = manifest(r, "command_line"), *driver;
    if (*line) pio_html_row(to, "command line", "%s", line);
    const bool study = pio_report_study(r);
    pio_html_row(to, study ? "study file" : "scene file", "%s",
                 pio_report_text(r->result, study ? "study" : "scene", "-"));
    pio_html_row(to, "program", "%s%s%s", pio_report_text(r->result, "program", "-"), *commit ? ", commit " : "",
                 commit);
    if (*manifest(r, "created")) pio_html_row(to, "written", "%s", manifest(r, "created"));
    if (!engine) return;
    driver = pio_report_text(engine, "driver", "");
    pio_html_row(to, "machine", "%s%s%s", pio_report_text(engine, "device_name", "-"), *driver ? ", driver " : "",
                 driver);
    pio_html_row(to, "engine", "%s, %s, %sD, %s", pio_report_text(engine, "device", "-"),
                 pio_report_text(engine, "precision", "-"), pio_report_text(engine, "dimension", "-"),
                 pio_report_text(engine, "isa", "-"));
    if (pio_report_get(r->result, "solver"))
        pio_html_row(to, "linear solver", "%s", pio_report_text(pio_report_get(r->result, "solver"), "linear", "-"));
}

static void write_outcome(FILE *to, const pio_report *r)
{
    const cfg_node *o = pio_report_get(r->result, "optimizer");
    const double J = pio_report_number(r->result, "objective");
    if (r->steps.n && isfinite(J)) {
        fputs("<tr><th scope=\"row\">objective J</th><td>", to);
        pio_html_number(to, r->steps.objective[0], 6);
        fputs(" at the start, ", to);
        pio_html_number(to, J, 6);
        fputs(" at the end</td></tr>\n", to);
    } else if (isfinite(J)) {
        pio_html_row_number(to, "objective J", J, NULL);
    }
    if (o)
        pio_html_row(to, "optimiser", "%s: %s iterations, %s evaluations, %s of them rejected",
                     pio_report_text(o, "type", "-"), pio_report_text(o, "iterations", "-"),
                     pio_report_text(o, "evaluations", "-"), pio_report_text(o, "rejected", "-"));
    const double seconds = pio_report_number(pio_report_get(r->result, "seconds"), "total");
    if (isfinite(seconds)) pio_html_row(to, "wall-clock time", "%.3g s", seconds);
}

static void write_sweep(FILE *to, const pio_report *r)
{
    pio_html_row(to, "members", "%s of piola %s, %s: %s finished, %s failed, %s left",
                 pio_report_text(r->result, "n_members", "-"), pio_report_text(r->result, "what", "-"),
                 pio_report_text(r->result, "sampling", "-"), pio_report_text(r->result, "finished", "-"),
                 pio_report_text(r->result, "failed", "-"), pio_report_text(r->result, "left", "-"));
    if (pio_report_get(r->result, "best"))
        pio_html_row(to, "best member", "%s", pio_report_text(r->result, "best", "-"));
    const cfg_node *axes = pio_report_get(r->result, "axes");
    for (size_t a = 0; axes && axes->kind == CFG_SEQUENCE && a < axes->n; a++)
        pio_html_row(to, a ? "" : "axes", "%s", pio_report_text(axes->items[a], "over", "-"));
}

void pio_section_summary(FILE *to, const pio_report *r)
{
    fputs("<header>\n<h1>", to);
    pio_html_text(to, pio_report_name(r));
    fputs("</h1>\n<p class=\"lead\">", to);
    pio_html_text(to, pio_report_text(r->scene, "description", ""));
    fputs("</p>\n", to);
    write_state(to, r);
    fputs("<table class=\"facts\"><tbody>\n", to);
    if (r->sweep) write_sweep(to, r);
    write_outcome(to, r);
    write_program(to, r);
    fputs("</tbody></table>\n", to);
    write_failure(to, r);
    write_contents(to, r);
    fputs("</header>\n", to);
}

/* ---- pictures -------------------------------------------------------------------------------------------- */

static void write_picture(FILE *to, const pio_report_picture *p)
{
    const bool film = !strncmp(p->type, "video/", 6);
    fputs("<figure>\n", to);
    fputs(film ? "<video controls loop muted playsinline title=\"" : "<img alt=\"", to);
    pio_html_format(to, "%s. %s", p->title, p->detail);
    fputs("\" src=\"", to);
    pio_html_data(to, p->type, p->bytes, p->size);
    fputs(film ? "\"></video>\n<figcaption>" : "\">\n<figcaption>", to);
    pio_html_text(to, p->title);
    fputs("</figcaption>\n</figure>\n", to);
}

void pio_section_pictures(FILE *to, const pio_report *r)
{
    pio_html_section(to, "pictures", "Pictures");
    fputs("<div class=\"figures\">\n", to);
    for (size_t i = 0; i < r->n_pictures; i++)
        if (!*r->pictures[i].missing) write_picture(to, &r->pictures[i]);
    fputs("</div>\n", to);
    for (size_t i = 0; i < r->n_pictures; i++)
        if (*r->pictures[i].missing) pio_html_missing(to, "%s: %s", r->pictures[i].title, r->pictures[i].missing);
    if (!r->states.file && !pio_report_study(r)) pio_html_missing(to, "No pictures of states. %s", r->states.why);
    pio_html_section_end(to);
}
