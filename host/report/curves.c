/* curves.c -- see curves.h. */
#include "host/report/curves.h"

#include "host/base/fail.h"
#include "host/report/members.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_SERIES = 64, LIST = 1200, MOST_ENTRIES = 12 };

/* A plot that is being made. */
typedef struct {
    const pio_report *report;
    pio_pool *pool;
    pio_plot plot;
    pio_series series[MOST_SERIES];
    const char *unit, *of; /* of the curves, NULL: there is none yet; the name of the first */
    bool log;              /* a logarithmic axis suits all curves */
    bool lost;             /* there was no memory */
    char names[LIST];      /* of the curves, for the title */
} maker;

/* Adds a name to a list of them. */
static void list(char text[LIST], const char *name)
{
    const size_t used = strlen(text);
    snprintf(text + used, LIST - used, "%s%.200s", used ? ", " : "", name);
}

static const char *keep(maker *m, const char *text)
{
    const char *own = pio_pool_text(m->pool, text, strlen(text));
    m->lost |= !own;
    return own;
}

/* Adds a curve, which must have the unit of those before. */
static piola_status add(maker *m, const pio_series *s, const char *unit, piola_error *error)
{
    if (m->plot.n_series == MOST_SERIES)
        return pio_fail(error, PIOLA_USAGE, "more than %d curves in one figure", MOST_SERIES);
    if (m->unit && strcmp(m->unit, unit) != 0)
        return pio_fail(error, PIOLA_USAGE,
                        "'%.200s' has the unit '%s' and '%.200s' '%s': the curves of a figure have "
                        "one axis, so that their units must be the same",
                        m->of, m->unit, s->name, unit);
    if (!m->unit) {
        m->unit = unit;
        m->of = s->name;
    }
    m->series[m->plot.n_series++] = *s;
    return PIOLA_OK;
}

/* ---- observations over time ------------------------------------------------------------------------------ */

/* Adds the data that component c is compared with. */
static piola_status add_data(maker *m, const pio_report_observation *o, size_t c, const char *name, piola_error *error)
{
    const cfg_node *data = pio_report_get(m->report->result, "data");
    piola_status rc = PIOLA_OK;
    for (size_t i = 0; !rc && data && data->kind == CFG_PAIRS && i < data->n; i++) {
        char title[400];
        double sigma;
        if (strcmp(pio_report_text(data->items[i], "observation", ""), o->name) != 0) continue;
        const double *value = pio_report_data(m->pool, data->items[i], o, c, &sigma);
        double *bar = value ? pio_pool_take(m->pool, (o->n + 1) * sizeof *bar) : NULL;
        if (!bar) continue;
        for (size_t k = 0; k < o->n; k++) bar[k] = sigma;
        snprintf(title, sizeof title, "%.300s, data", name);
        const pio_series s = {.name = keep(m, title), .x = o->time, .y = value, .error = bar, .n = o->n, .marks = true};
        rc = add(m, &s, o->unit, error);
    }
    return rc;
}

/* Adds an observation: all components if `suffix` is "", else the one that it names. Returns PIOLA_NO if it has none of
 * that name. */
static piola_status add_observation(maker *m, const pio_report_observation *o, const char *suffix, piola_error *error)
{
    piola_status rc = PIOLA_NO;
    for (size_t c = 0; c < o->components; c++) {
        char text[PIO_REPORT_COMPONENT], number[PIO_REPORT_COMPONENT], name[400];
        const char *component = pio_report_component(o->components, c, text);
        snprintf(number, sizeof number, "%zu", c);
        if (*suffix && strcmp(suffix, component) != 0 && strcmp(suffix, number) != 0) continue;
        snprintf(name, sizeof name, "%.300s%s%s", o->name, o->components > 1 ? "." : "",
                 o->components == 1  ? ""
                 : o->components > 3 ? number
                                     : component);
        const pio_series s = {.name = keep(m, name), .x = o->time, .y = o->value + c * o->n, .n = o->n};
        rc = add_data(m, o, c, name, error);
        if (!rc) rc = add(m, &s, o->unit, error);
        if (rc) return rc;
    }
    return rc;
}

static piola_status unknown_curve(const maker *m, const char *name, piola_error *error)
{
    char names[LIST] = "";
    const cfg_node *all = pio_report_get(m->report->result, "observations");
    for (size_t i = 0; all && all->kind == CFG_PAIRS && i < all->n; i++) list(names, all->keys[i]->text);
    return pio_fail(error, PIOLA_USAGE,
                    "--curve: there is no observation '%.200s' in %.500s/result.json; there are: %s. One component is "
                    "called tip.x, or tip.0",
                    name, m->report->folder, *names ? names : "none");
}

static piola_status add_curve(maker *m, const char *name, piola_error *error)
{
    const cfg_node *all = pio_report_get(m->report->result, "observations"), *node = pio_report_get(all, name);
    const char *dot = strrchr(name, '.'), *suffix = "";
    pio_report_observation o;
    if (!node && dot) {
        const char *whole = pio_pool_text(m->pool, name, (size_t)(dot - name));
        node = whole ? pio_report_get(all, whole) : NULL;
        suffix = dot + 1;
    }
    if (!node || (node != pio_report_get(all, name) && !*suffix)) return unknown_curve(m, name, error);
    const char *own = *suffix ? pio_pool_text(m->pool, name, (size_t)(dot - name)) : name;
    if (!own) return pio_fail_memory(error, strlen(name), "a curve");
    if (!pio_report_observation_of(m->pool, own, node, &o))
        return pio_fail(error, PIOLA_BAD_DATA, "%.500s/result.json: the observation '%.200s' has no samples",
                        m->report->folder, own);
    const piola_status rc = add_observation(m, &o, suffix, error);
    return rc == PIOLA_NO ? unknown_curve(m, name, error) : rc;
}

/* ---- over iterations ------------------------------------------------------------------------------------- */

/* Returns whether a column of the history is called so, with or without the word that says what it is. */
static bool is_called(const char *column, const char *name)
{
    static const char *const words[] = {"", "term ", "constraint "};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (!strncmp(column, words[k], strlen(words[k])) && !strcmp(column + strlen(words[k]), name)) return true;
    return false;
}

/* Adds a column of the history of a study; `name` may be that of an experiment, for its objective. */
static piola_status add_study(maker *m, const char *name, piola_error *error)
{
    char own[CFG_PATH], names[LIST] = "";
    pio_report_history h;
    if (!pio_report_read_history(m->report, m->pool, &h))
        return pio_fail(error, PIOLA_USAGE, "--history: %.500s/history.csv has no iterations, or is not there",
                        m->report->folder);
    const double *y = pio_report_history_column(&h, name);
    snprintf(own, sizeof own, "objective.%.300s", name);
    if (!y) y = pio_report_history_column(&h, own);
    for (size_t k = 1; !y && k < h.columns; k++) list(names, h.name[k]);
    if (!y)
        return pio_fail(error, PIOLA_USAGE, "--history: %.500s/history.csv has no '%.200s'; there are: %s",
                        m->report->folder, name, names);
    const pio_series s = {.name = name, .x = h.value[0], .y = y, .n = h.rows};
    return add(m, &s, "", error);
}

static piola_status unknown_history(const maker *m, const char *name, piola_error *error)
{
    char names[LIST] = "objective";
    const pio_snapshot_info *info = m->report->history.info;
    if (!info) return pio_fail(error, PIOLA_USAGE, "--history: %.500s", m->report->history.why);
    for (size_t t = 0; t < info->n_terms; t++) list(names, info->terms[t]);
    for (size_t i = 0; i < info->n_gradients; i++)
        if (info->gradients[i].size <= MOST_ENTRIES) list(names, info->gradients[i].path);
    return pio_fail(error, PIOLA_USAGE, "--history: %.500s/history.vtkhdf has no '%.200s'; there are: %s",
                    m->report->folder, name, names);
}

/* Adds the values of a design of few numbers. */
static piola_status add_design(maker *m, const pio_snapshot_gradient_info *g, piola_error *error)
{
    const size_t n = (size_t)g->size, steps = (size_t)g->iterations;
    double *v = pio_pool_take(m->pool, (n * steps + 2 * n + 1) * sizeof *v), *row = v ? v + n * steps : NULL;
    piola_status rc = v ? PIOLA_OK : pio_fail_memory(error, n * steps * sizeof *v, "a design");
    for (size_t k = 0; !rc && k < steps; k++) {
        rc = pio_snapshot_read_gradient(m->report->history.file, g->path, (int64_t)k, row, row + n, error);
        for (size_t i = 0; !rc && i < n; i++) v[i * steps + k] = row[i];
    }
    for (size_t i = 0; !rc && i < n; i++) {
        char name[400];
        snprintf(name, sizeof name, n > 1 ? "%.300s[%zu]" : "%.300s", g->path, i);
        const pio_series s = {.name = keep(m, name), .x = m->report->steps.number, .y = v + i * steps, .n = steps};
        rc = add(m, &s, g->units, error);
    }
    return rc;
}

static piola_status add_history(maker *m, const char *name, piola_error *error)
{
    const pio_report_steps *steps = &m->report->steps;
    const pio_snapshot_info *info = m->report->history.info;
    pio_series s = {.name = name, .x = steps->number, .n = steps->n};
    if (pio_report_study(m->report)) return add_study(m, name, error);
    if (!steps->n) return unknown_history(m, name, error);
    if (!strcmp(name, "objective")) s.y = steps->objective;
    for (size_t t = 0; !s.y && t < info->n_terms; t++)
        if (is_called(info->terms[t], name)) s.y = steps->terms[t];
    if (s.y) return add(m, &s, "", error);
    for (size_t i = 0; i < info->n_gradients; i++)
        if (!strcmp(info->gradients[i].path, name) && info->gradients[i].size <= MOST_ENTRIES &&
            info->gradients[i].iterations == (int64_t)steps->n)
            return add_design(m, &info->gradients[i], error);
    return unknown_history(m, name, error);
}

/* ---- over an axis of a sweep ----------------------------------------------------------------------------- */

static bool is_response(const pio_member_column *c)
{
    return c->kind == PIO_OF_RESULT || c->kind == PIO_OF_SAMPLE || c->kind == PIO_OF_DESIGN;
}

/* Returns the axis of this name, or without one the first of numbers; NULL: there is none. */
static const pio_member_column *find_axis(const pio_members_table *t, const char *name)
{
    for (size_t c = 0; c < t->n; c++) {
        const pio_member_column *of = &t->columns[c];
        if (of->kind == PIO_OF_AXIS && !of->words && (!name || !strcmp(of->name, name))) return of;
    }
    return NULL;
}

/* Reports the names of axes (`axes`) or of responses. */
static piola_status unknown_column(const pio_members_table *t, bool axes, const char *name, piola_error *error)
{
    char names[LIST] = "";
    for (size_t c = 0; c < t->n; c++)
        if (axes ? t->columns[c].kind == PIO_OF_AXIS && !t->columns[c].words : is_response(&t->columns[c]))
            list(names, t->columns[c].name);
    if (!name) return pio_fail(error, PIOLA_USAGE, "--response: no axis of the sweep has numbers");
    return pio_fail(error, PIOLA_USAGE, "--%s: sweep.csv has no '%.200s'; there are: %s", axes ? "over" : "response",
                    name, *names ? names : "none");
}

/* Returns whether a column is called so, or has a sample of the observation of that name. */
static bool is_of(const pio_member_column *c, const char *name)
{
    const size_t length = strlen(name);
    return !strcmp(c->name, name) ||
           (c->kind == PIO_OF_SAMPLE && !strncmp(c->name, name, length) && !strncmp(c->name + length, "/value", 6));
}

static piola_status add_response(maker *m, const pio_members_table *t, const pio_member_column *x, const char *name,
                                 piola_error *error)
{
    size_t found = 0;
    for (size_t c = 0; c < t->n; c++) {
        pio_plot one;
        if (!is_response(&t->columns[c]) || !is_of(&t->columns[c], name)) continue;
        found++;
        if (!pio_members_response(m->pool, t, x, &t->columns[c], &one))
            return pio_fail_memory(error, t->rows * sizeof(double), "a response");
        for (size_t k = 0; k < one.n_series; k++) {
            char text[500];
            pio_series s = one.series[k];
            snprintf(text, sizeof text, "%.200s%s%.200s", t->columns[c].name, s.name ? ", " : "", s.name ? s.name : "");
            s.name = keep(m, text);
            const piola_status rc = add(m, &s, t->columns[c].unit, error);
            if (rc) return rc;
        }
        m->log = m->log && one.y.log;
    }
    return found ? PIOLA_OK : unknown_column(t, false, name, error);
}

static piola_status add_responses(maker *m, const pio_curves_wanted *w, piola_error *error)
{
    pio_members_table t;
    piola_status rc = pio_members_read(m->report, m->pool, &t, error);
    if (rc) return rc;
    const pio_member_column *x = find_axis(&t, w->over);
    if (!x) return unknown_column(&t, true, w->over, error);
    m->plot.x = (pio_plot_axis){.name = x->name, .unit = x->unit, .log = x->log};
    for (size_t i = 0; !rc && i < w->n_responses; i++) rc = add_response(m, &t, x, w->responses[i], error);
    return rc;
}

/* ---- all of it ------------------------------------------------------------------------------------------- */

static piola_status add_all(maker *m, const pio_curves_wanted *w, piola_error *error)
{
    piola_status rc = PIOLA_OK;
    if ((w->n_curves > 0) + (w->n_history > 0) + (w->n_responses > 0) != 1)
        return pio_fail(error, PIOLA_USAGE,
                        "a figure needs --curve, --history or --response, one of them, which may be repeated");
    if (w->over && !w->n_responses) return pio_fail(error, PIOLA_USAGE, "--over belongs to --response");
    const bool either = pio_report_starts(m->report); /* the folder is that of the best start, and has all of them */
    if (!either && m->report->sweep != (w->n_responses > 0))
        return pio_fail(error, PIOLA_USAGE, "%.500s is the folder of %s: %s there", m->report->folder,
                        m->report->sweep ? "a sweep" : "one run",
                        m->report->sweep ? "--response and --over are" : "--curve and --history are");
    if (w->n_responses) return add_responses(m, w, error);
    if (w->n_history) m->plot.x = (pio_plot_axis){.name = "iteration", .whole = true};
    if (w->n_curves) m->plot.x = (pio_plot_axis){.name = "time", .unit = "s"};
    for (size_t i = 0; !rc && i < w->n_curves; i++) rc = add_curve(m, w->curves[i], error);
    for (size_t i = 0; !rc && i < w->n_history; i++) rc = add_history(m, w->history[i], error);
    m->log = w->n_history > 0;
    for (size_t k = 0; k < m->plot.n_series; k++) m->log = m->log && pio_plot_suits_log(m->series[k].y, m->series[k].n);
    return rc;
}

/* Returns what the upright axis is called: the one curve, data beside it apart, or what they all are. */
static const char *axis_name(const maker *m, const pio_curves_wanted *w)
{
    const char *only = NULL;
    size_t lines = 0;
    for (size_t k = 0; k < m->plot.n_series; k++) {
        if (m->series[k].error) continue;
        only = m->series[k].name;
        lines++;
    }
    return lines == 1 ? only : w->n_responses ? "result" : "value";
}

static bool is_log(const maker *m, const pio_curves_wanted *w)
{
    return w->scale ? !strcmp(w->scale, "log") : m->log;
}

piola_status pio_curves_make(const pio_report *r, const pio_curves_wanted *w, pio_pool *pool, pio_plot *out,
                             piola_error *error)
{
    maker *m = pio_pool_take(pool, sizeof *m);
    char title[LIST + 400];
    if (!m) return pio_fail_memory(error, sizeof *m, "a figure");
    *m = (maker){.report = r, .pool = pool, .log = w->n_responses > 0};
    const piola_status rc = add_all(m, w, error);
    if (rc) return rc;
    for (size_t k = 0; k < m->plot.n_series; k++) list(m->names, m->series[k].name ? m->series[k].name : "");
    snprintf(title, sizeof title, "%.200s: %.900s over %.200s", r->sweep ? "sweep" : pio_report_name(r), m->names,
             m->plot.x.name);
    m->plot.title = keep(m, title);
    m->plot.y = (pio_plot_axis){.name = axis_name(m, w), .unit = m->unit, .log = is_log(m, w)};
    if (m->plot.n_series == 1) m->series[0].name = NULL; /* the axis says it */
    m->plot.series = m->series;
    *out = m->plot;
    return m->lost ? pio_fail_memory(error, sizeof *m, "a figure") : PIOLA_OK;
}
