/* options.c -- from arguments to settings. */
#include "tools/options.h"

#include "host/base/fail.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

tool_settings tool_settings_default(void)
{
    return (tool_settings){.command = TOOL_COMMANDS,
                           .common = piola_options_default(),
                           .sweep = piola_sweep_options_default(),
                           .bench = piola_bench_options_default(),
                           .bench_fem = piola_bench_fem_options_default(),
                           .bench_memory = piola_bench_memory_options_default(),
                           .bench_snapshot = piola_bench_snapshot_options_default(),
                           .render = piola_render_options_default(),
                           .film = piola_film_options_default(),
                           .export = piola_export_options_default(),
                           .report = piola_report_options_default(),
                           .plot = piola_plot_options_default()};
}

void tool_settings_free(tool_settings *s)
{
    free(s->sets.v);
    free(s->allow.v);
    free(s->over.v);
    free(s->sbatch.v);
    free(s->curves.v);
    free(s->history.v);
    free(s->responses.v);
    s->sets = s->allow = s->over = s->sbatch = (tool_list){0};
}

/* ---- did you mean --------------------------------------------------------------------------------------- */

static int least_of(int a, int b, int c)
{
    return a < b ? (a < c ? a : c) : (b < c ? b : c);
}

/* Returns the number of insertions, deletions, replacements and swaps of neighbours that turn a into b (optimal string
 * alignment); words longer than 30 letters are far from everything. */
static int distance(const char *a, const char *b)
{
    int row[32][32];
    const int n = (int)strlen(a), m = (int)strlen(b);
    if (n > 30 || m > 30) return INT_MAX;
    for (int i = 0; i <= n; i++) row[i][0] = i;
    for (int j = 0; j <= m; j++) row[0][j] = j;
    for (int i = 1; i <= n; i++)
        for (int j = 1; j <= m; j++) {
            const int same = a[i - 1] == b[j - 1];
            row[i][j] = least_of(row[i - 1][j] + 1, row[i][j - 1] + 1, row[i - 1][j - 1] + !same);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && row[i - 2][j - 2] + 1 < row[i][j])
                row[i][j] = row[i - 2][j - 2] + 1;
        }
    return row[n][m];
}

typedef struct {
    const char *word, *best;
    int least;
} nearest;

static void consider(nearest *n, const char *candidate)
{
    const int d = distance(n->word, candidate), most = 1 + (int)strlen(candidate) / 4;
    if (d > most || d >= n->least) return;
    n->best = candidate;
    n->least = d;
}

/* Returns "; did you mean 'x'?" or "". */
static const char *did_you_mean(const nearest *n, const char *dashes, char out[64])
{
    out[0] = '\0';
    if (n->best) snprintf(out, 64, "; did you mean '%s%s'?", dashes, n->best);
    return out;
}

/* ---- values --------------------------------------------------------------------------------------------- */

/* Reads the number at the start of *text and moves *text behind it. It is decimal only, while strtod accepts more. */
static bool take_number(const char **text, double *value)
{
    char *end;
    const char *at = *text + (**text == '-' || **text == '+');
    if (!isdigit((unsigned char)at[0]) && !(at[0] == '.' && isdigit((unsigned char)at[1]))) return false;
    if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X')) return false;
    *value = strtod(*text, &end);
    *text = end;
    return isfinite(*value);
}

static piola_status bad_value(const tool_option *o, const char *text, const char *want, piola_error *error)
{
    return pio_fail(error, PIOLA_USAGE, "--%s: '%s' is not %s", o->name, text, want);
}

static piola_status set_number(const tool_option *o, const char *text, void *to, piola_error *error)
{
    char want[120];
    const char *at = text;
    double v;
    const bool whole = o->kind != OPTION_NUMBER;
    if (o->most < 1e15)
        snprintf(want, sizeof want, "a %snumber from %.15g to %.15g", whole ? "whole " : "", o->least, o->most);
    else
        snprintf(want, sizeof want, "a %snumber of at least %.15g", whole ? "whole " : "", o->least);
    if (!take_number(&at, &v) || *at || v < o->least || v > o->most || (whole && fabs(v - floor(v)) > 0))
        return bad_value(o, text, want, error);
    if (o->kind == OPTION_INTEGER)
        *(int *)to = (int)v;
    else if (o->kind == OPTION_WIDE)
        *(int64_t *)to = (int64_t)v;
    else
        *(double *)to = v;
    return PIOLA_OK;
}

static piola_status set_time(const tool_option *o, const char *text, void *to, piola_error *error)
{
    static const char *const units[] = {"", "s", "m", "h"};
    static const double seconds[] = {1, 1, 60, 3600};
    const char *at = text;
    double v;
    if (take_number(&at, &v) && v > 0)
        for (size_t u = 0; u < sizeof units / sizeof *units; u++)
            if (!strcmp(at, units[u])) {
                *(double *)to = v * seconds[u];
                return PIOLA_OK;
            }
    return bad_value(o, text, "a time above 0: seconds, or 90s, 10m, 2h", error);
}

static piola_status set_size(const tool_option *o, const char *text, void *to, piola_error *error)
{
    const char *at = text;
    double v[2] = {0, 0};
    bool good = take_number(&at, &v[0]) && *at++ == 'x' && take_number(&at, &v[1]) && !*at;
    for (int i = 0; i < 2; i++) good = good && v[i] >= o->least && v[i] <= o->most && !(fabs(v[i] - floor(v[i])) > 0);
    if (!good) return bad_value(o, text, "WIDTHxHEIGHT in pixels, as 1280x720, from 320x180 to 8192x8192", error);
    for (int i = 0; i < 2; i++) ((int *)to)[i] = (int)v[i];
    return PIOLA_OK;
}

static piola_status set_range(const tool_option *o, const char *text, void *to, piola_error *error)
{
    const char *at = text;
    double v[2];
    if (!take_number(&at, &v[0]) || *at++ != ',' || !take_number(&at, &v[1]) || *at || !(v[0] < v[1]))
        return bad_value(o, text, "LO,HI with LO below HI, as -1,1", error);
    memcpy(to, v, sizeof v);
    return PIOLA_OK;
}

static piola_status set_choice(const tool_option *o, const char *text, void *to, piola_error *error)
{
    char list[200] = "", hint[64];
    nearest near = {text, NULL, INT_MAX};
    size_t used = 0;
    for (const char *const *v = o->values; *v; v++) {
        if (!strcmp(*v, text)) {
            if (o->kind == OPTION_FIRST)
                *(bool *)to = v == o->values;
            else
                *(const char **)to = *v;
            return PIOLA_OK;
        }
        consider(&near, *v);
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", *v);
    }
    return pio_fail(error, PIOLA_USAGE, "--%s: unknown value '%s'; there are: %s%s", o->name, text, list,
                    did_you_mean(&near, "", hint));
}

/* Sets an option; `text` is NULL for one without an argument. */
static piola_status set(tool_settings *s, const tool_option *o, const char *text, piola_error *error)
{
    void *to = (char *)s + o->offset;
    s->given[o - tool_options] = true;
    switch (o->kind) {
    case OPTION_FLAG:
        *(bool *)to = true;
        break;
    case OPTION_COUNT:
        ++*(int *)to;
        break;
    case OPTION_TEXT:
        if (!*text) return pio_fail(error, PIOLA_USAGE, "--%s needs %s, not an empty text", o->name, o->argument);
        *(const char **)to = text;
        break;
    case OPTION_LIST:
        ((tool_list *)to)->v[((tool_list *)to)->n++] = text;
        break;
    case OPTION_CHOICE:
    case OPTION_FIRST:
        return set_choice(o, text, to, error);
    case OPTION_INTEGER:
    case OPTION_WIDE:
    case OPTION_NUMBER:
        return set_number(o, text, to, error);
    case OPTION_TIME:
        return set_time(o, text, to, error);
    case OPTION_SIZE:
        return set_size(o, text, to, error);
    case OPTION_RANGE:
        return set_range(o, text, to, error);
    }
    return PIOLA_OK;
}

/* ---- words ---------------------------------------------------------------------------------------------- */

typedef struct {
    int argc;
    char **argv;
    int at;
} words;

static const char *command_name(const tool_settings *s)
{
    return s->command == TOOL_COMMANDS ? "piola" : tool_commands[s->command].name;
}

/* Returns the option called `name` (or `letter`) that the command has; otherwise NULL, with the reason in `error`. */
static const tool_option *find(const tool_settings *s, const char *name, char letter, piola_error *error)
{
    char others[200] = "", hint[64], shown[80];
    nearest near = {name ? name : "", NULL, INT_MAX};
    unsigned taken = 0;
    size_t used = 0;
    for (const tool_option *o = tool_options; o->name; o++) {
        const bool legal = o->commands >> s->command & 1;
        if (name ? !strcmp(o->name, name) : letter && o->letter == letter) {
            if (legal) return o;
            taken |= o->commands;
        }
        if (legal && name) consider(&near, o->name);
    }
    snprintf(shown, sizeof shown, name ? "--%.70s" : "-%.1s", name ? name : &letter);
    for (int c = 0; c < TOOL_COMMANDS; c++)
        if (taken >> c & 1)
            used +=
                (size_t)snprintf(others + used, sizeof others - used, "%s%s", used ? ", " : "", tool_commands[c].name);
    if (taken)
        pio_fail(error, PIOLA_USAGE, "%s does nothing for '%s'; it belongs to: %s", shown, command_name(s), others);
    else
        pio_fail(error, PIOLA_USAGE, "unknown option '%s'%s", shown, did_you_mean(&near, "--", hint));
    return NULL;
}

/* Parses --name, --name=value, or --name value. */
static piola_status take_long(words *w, tool_settings *s, piola_error *error)
{
    char name[64];
    const char *word = w->argv[w->at] + 2, *equals = strchr(word, '=');
    snprintf(name, sizeof name, "%.*s", equals ? (int)(equals - word) : 63, word);
    const tool_option *o = find(s, name, 0, error);
    if (!o) return PIOLA_USAGE;
    const char *value = equals ? equals + 1 : NULL;
    if (!o->argument && value) return pio_fail(error, PIOLA_USAGE, "--%s takes no value", o->name);
    if (o->argument && !value) {
        if (w->at + 1 >= w->argc) return pio_fail(error, PIOLA_USAGE, "--%s needs a value: %s", o->name, o->argument);
        value = w->argv[++w->at];
    }
    return set(s, o, value, error);
}

/* Parses -v, -qq, -oDIR, or -o DIR. */
static piola_status take_short(words *w, tool_settings *s, piola_error *error)
{
    for (const char *at = w->argv[w->at] + 1; *at; at++) {
        const tool_option *o = find(s, NULL, *at, error);
        if (!o) return PIOLA_USAGE;
        const char *value = at[1] ? at + 1 : NULL;
        if (o->argument && !value) {
            if (w->at + 1 >= w->argc)
                return pio_fail(error, PIOLA_USAGE, "-%c needs a value: %s", o->letter, o->argument);
            value = w->argv[++w->at];
        }
        const piola_status rc = set(s, o, o->argument ? value : NULL, error);
        if (rc || o->argument) return rc;
    }
    return PIOLA_OK;
}

static piola_status take_word(tool_settings *s, const char *word, piola_error *error)
{
    char hint[64];
    if (s->command == TOOL_COMMANDS) {
        nearest near = {word, NULL, INT_MAX};
        if (!strcmp(word, "help")) { /* `piola help COMMAND` is `piola COMMAND --help` */
            s->help = true;
            return PIOLA_OK;
        }
        for (int c = 0; c < TOOL_COMMANDS; c++) {
            if (!strcmp(tool_commands[c].name, word)) {
                s->command = (tool_id)c;
                return PIOLA_OK;
            }
            consider(&near, tool_commands[c].name);
        }
        return pio_fail(error, PIOLA_USAGE, "unknown command '%.100s'%s", word, did_you_mean(&near, "", hint));
    }
    const tool_command *c = &tool_commands[s->command];
    if (!c->argument)
        return pio_fail(error, PIOLA_USAGE, "'%s' takes no argument; '%.200s' is one too many", c->name, word);
    if (s->argument)
        return pio_fail(error, PIOLA_USAGE, "'%s' takes one %s; '%.200s' is one too many", c->name, c->argument, word);
    s->argument = word;
    return PIOLA_OK;
}

static bool benches(const char *what, piola_error *error)
{
    if (!strcmp(what, "mpm") || !strcmp(what, "fem") || !strcmp(what, "memory") || !strcmp(what, "snapshot"))
        return true;
    pio_fail(error, PIOLA_USAGE, "there is nothing called '%.100s' to bench; there are: mpm, fem, memory, snapshot",
             what);
    return false;
}

static bool given(const tool_settings *s, const char *name)
{
    for (const tool_option *o = tool_options; o->name; o++)
        if (s->given[o - tool_options] && !strcmp(o->name, name)) return true;
    return false;
}

/* Reports options of one benchmark that are given for another. */
static piola_status finish_bench(tool_settings *s, piola_error *error)
{
    for (const tool_option *o = tool_options; o->name; o++) {
        if (!s->given[o - tool_options]) continue;
        if (o->bench && !strstr(o->bench, s->argument))
            return pio_fail(error, PIOLA_USAGE, "--%s does nothing for 'bench %s'; it belongs to: bench %s", o->name,
                            s->argument, o->bench);
    }
    s->bench_memory.device = s->bench_fem.device = s->bench.device = s->common.device;
    s->bench_memory.isa = s->bench_fem.isa = s->bench.isa = s->common.isa;
    if (s->common.precision)
        s->bench_snapshot.precision = s->bench_memory.precision = s->bench_fem.precision = s->bench.precision =
            s->common.precision;
    s->bench_memory.threads = s->bench_fem.threads = s->bench.threads = s->common.threads;
    s->bench_snapshot.json = s->bench_memory.json = s->bench_fem.json = s->bench.json = s->common.json;
    s->bench_fem.law = s->bench.law;
    s->bench_fem.compare = s->bench.compare;
    if (s->bench.sizes && !given(s, "particles")) s->bench.particles = INT32_MAX;
    if (given(s, "dimension")) s->bench_snapshot.dimension = s->bench_fem.dimension = s->bench.dimension;
    if (given(s, "particles")) s->bench_snapshot.particles = s->bench_memory.particles = s->bench.particles;
    if (given(s, "steps")) s->bench_snapshot.frames = s->bench_memory.steps = s->bench.steps;
    if (s->output) s->bench_snapshot.folder = s->output;
    return PIOLA_OK;
}

static void finish_plot(tool_settings *s)
{
    s->plot.output = s->output;
    s->plot.curves = s->curves.v;
    s->plot.n_curves = s->curves.n;
    s->plot.history = s->history.v;
    s->plot.n_history = s->history.n;
    s->plot.responses = s->responses.v;
    s->plot.n_responses = s->responses.n;
    s->plot.width = s->render.width;
    s->plot.height = s->render.height;
}

/* Checks what needs the whole command line. */
static piola_status finish(tool_settings *s, piola_error *error)
{
    if (s->help || s->version) return PIOLA_OK;
    if (s->command == TOOL_COMMANDS) return pio_fail(error, PIOLA_USAGE, "a command is missing");
    const tool_command *c = &tool_commands[s->command];
    if (c->argument && !s->argument) return pio_fail(error, PIOLA_USAGE, "'%s' needs %s", c->name, c->argument);
    if (s->command == TOOL_RENDER && !s->output)
        return pio_fail(error, PIOLA_USAGE, "'render' needs the picture to write: -o FILE.png");
    if (s->command == TOOL_FILM && !s->output)
        return pio_fail(error, PIOLA_USAGE, "'film' needs the film to write: -o FILE.png or -o FILE.webm");
    if (s->command == TOOL_PLOT && !s->output)
        return pio_fail(error, PIOLA_USAGE, "'plot' needs the figure to write: -o FILE.svg, FILE.pdf or FILE.png");
    if (s->command == TOOL_EXPORT && !s->export.to)
        return pio_fail(error, PIOLA_USAGE, "'export' needs the format to write: --to vtu, csv, npy or stl");
    s->common.scene = s->info.file = s->render.file = s->export.file = s->argument;
    s->plot.folder = s->report.folder = s->argument;
    s->common.directory = s->render.output = s->export.output = s->report.output = s->output;
    s->export.frame = s->render.frame;
    s->export.no_verify = s->render.no_verify = s->info.no_verify;
    s->info.json = s->common.json;
    s->common.sets = s->sets.v;
    s->common.n_sets = s->sets.n;
    s->common.allow = s->allow.v;
    s->common.n_allow = s->allow.n;
    s->sweep.over = s->over.v;
    s->sweep.n_over = s->over.n;
    s->sweep.sbatch = s->sbatch.v;
    s->sweep.n_sbatch = s->sbatch.n;
    finish_plot(s);
    s->report.threads = s->render.threads = s->common.threads;
    s->film.picture = s->render;
    if (s->command == TOOL_BENCH) return benches(s->argument, error) ? finish_bench(s, error) : PIOLA_USAGE;
    if (s->render.width && (s->render.width < 320 || s->render.height < 180))
        return pio_fail(error, PIOLA_USAGE, "--size: '%dx%d' is below 320x180", s->render.width, s->render.height);
    return PIOLA_OK;
}

piola_status tool_parse(int argc, char **argv, tool_settings *s, piola_error *error)
{
    words w = {argc, argv, 1};
    bool only_words = false;
    piola_status rc = PIOLA_OK;
    s->sets.v = calloc((size_t)argc + 1, sizeof *s->sets.v);
    s->allow.v = calloc((size_t)argc + 1, sizeof *s->allow.v);
    s->over.v = calloc((size_t)argc + 1, sizeof *s->over.v);
    s->sbatch.v = calloc((size_t)argc + 1, sizeof *s->sbatch.v);
    s->curves.v = calloc((size_t)argc + 1, sizeof *s->curves.v);
    s->history.v = calloc((size_t)argc + 1, sizeof *s->history.v);
    s->responses.v = calloc((size_t)argc + 1, sizeof *s->responses.v);
    if (!s->sets.v || !s->allow.v || !s->over.v || !s->sbatch.v || !s->curves.v || !s->history.v || !s->responses.v)
        return pio_fail(error, PIOLA_NO_MEMORY, "no memory for %d arguments", argc);
    for (; !rc && w.at < argc; w.at++) {
        const char *word = argv[w.at];
        if (only_words || word[0] != '-' || !word[1])
            rc = take_word(s, word, error);
        else if (!strcmp(word, "--"))
            only_words = true;
        else
            rc = word[1] == '-' ? take_long(&w, s, error) : take_short(&w, s, error);
    }
    return rc ? rc : finish(s, error);
}
