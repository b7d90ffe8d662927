/* bench_compare.c -- see bench_compare.h. The reader takes JSON (RFC 8259) that this program writes: no escapes are
 * decoded. */
#include "host/bench/bench_compare.h"

#include "host/base/decimal.h"
#include "host/base/fail.h"
#include "host/base/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 16, KEY = 64, MOST_BYTES = 1 << 20 };

typedef struct {
    const char *at; /* next character */
    pio_figures *out;
    char path[PIO_FIGURE_PATH]; /* of the value that is read */
    int depth;
    bool no_memory;
} reader;

static void skip_blanks(reader *r)
{
    r->at += strspn(r->at, " \t\r\n");
}

/* Takes a character if it is the next one after blanks. */
static bool take(reader *r, char c)
{
    skip_blanks(r);
    if (*r->at != c) return false;
    r->at++;
    return true;
}

/* Takes a string, without its quotes, cut to `size` bytes. */
static bool take_string(reader *r, char *to, size_t size)
{
    size_t n = 0;
    if (!take(r, '"')) return false;
    for (; *r->at && *r->at != '"'; r->at++) {
        if (*r->at == '\\' && r->at[1]) r->at++;
        if (n + 1 < size) to[n++] = *r->at;
    }
    to[n] = '\0';
    return take(r, '"');
}

static pio_figure *add_figure(reader *r)
{
    pio_figures *f = r->out;
    if (f->n == f->space) {
        const size_t space = 2 * f->space + 64;
        pio_figure *list = realloc(f->list, space * sizeof *list);
        if (!list) {
            r->no_memory = true;
            return NULL;
        }
        f->list = list;
        f->space = space;
    }
    pio_figure *new = &f->list[f->n++];
    *new = (pio_figure){0};
    memcpy(new->path, r->path, sizeof new->path);
    return new;
}

/* Takes a string, a number, true, false or null. */
static bool take_scalar(reader *r)
{
    pio_figure *f = add_figure(r);
    if (!f) return false;
    if (*r->at == '"') return take_string(r, f->text, sizeof f->text);
    const size_t n = strcspn(r->at, ",]} \t\r\n");
    if (n == 0 || n >= sizeof f->text) return false;
    memcpy(f->text, r->at, n);
    r->at += n;
    f->number = pio_decimal(f->text, &f->value) == n;
    return f->number || !strcmp(f->text, "true") || !strcmp(f->text, "false") || !strcmp(f->text, "null");
}

static bool take_value(reader *r);

/* Takes the value behind a key, or an entry of a list. */
static bool take_member(reader *r, const char *dot, const char *key)
{
    const size_t n = strlen(r->path);
    const int more = snprintf(r->path + n, sizeof r->path - n, "%s%s", dot, key);
    const bool fits = more >= 0 && (size_t)more < sizeof r->path - n;
    const bool good = fits && take_value(r);
    r->path[n] = '\0';
    return good;
}

static bool take_object(reader *r)
{
    if (take(r, '}')) return true;
    do {
        char key[KEY];
        skip_blanks(r);
        if (!take_string(r, key, sizeof key) || !take(r, ':')) return false;
        if (!take_member(r, *r->path ? "." : "", key)) return false;
    } while (take(r, ','));
    return take(r, '}');
}

/* Gives the figures from `first` on, of entry `index` of the list at `path`, the first one's value for its number. */
static void name_entry(const reader *r, size_t first, const char *path, int index)
{
    char old[PIO_FIGURE_PATH], new[PIO_FIGURE_PATH], text[PIO_FIGURE_TEXT];
    snprintf(old, sizeof old, "%.150s[%d]", path, index);
    if (first == r->out->n || r->out->list[first].path[strlen(old)] != '.') return;
    memcpy(text, r->out->list[first].text, sizeof text);
    for (size_t i = first; i < r->out->n; i++) {
        char *place = r->out->list[i].path;
        snprintf(new, sizeof new, "%.70s[%.30s]%.90s", path, text, place + strlen(old));
        memcpy(place, new, sizeof new);
    }
}

static bool take_list(reader *r)
{
    int index = 0;
    if (take(r, ']')) return true;
    do {
        char number[16];
        const size_t first = r->out->n;
        snprintf(number, sizeof number, "[%d]", index);
        if (!take_member(r, "", number)) return false;
        name_entry(r, first, r->path, index++);
    } while (take(r, ','));
    return take(r, ']');
}

static bool take_value(reader *r)
{
    bool good = false;
    skip_blanks(r);
    if (++r->depth <= DEPTH) good = take(r, '{') ? take_object(r) : take(r, '[') ? take_list(r) : take_scalar(r);
    r->depth--;
    return good;
}

piola_status pio_figures_read(pio_figures *out, const char *text, const char *name, piola_error *error)
{
    *out = (pio_figures){0};
    reader r = {.at = text, .out = out};
    const pio_locale locale = pio_locale_begin();
    const bool good = take_value(&r);
    pio_locale_end(locale);
    skip_blanks(&r);
    if (good && !*r.at) return PIOLA_OK;
    pio_figures_free(out);
    if (r.no_memory) return pio_fail_memory(error, MOST_BYTES, "the figures of a benchmark");
    return pio_fail(error, PIOLA_USAGE, "%.200s is not what `piola bench --json` prints: no JSON at byte %zu", name,
                    (size_t)(r.at - text));
}

void pio_figures_free(pio_figures *figures)
{
    free(figures->list);
    *figures = (pio_figures){0};
}

static const pio_figure *find(const pio_figures *f, const char *path)
{
    for (size_t i = 0; i < f->n; i++)
        if (!strcmp(f->list[i].path, path)) return &f->list[i];
    return NULL;
}

piola_status pio_figures_load(pio_figures *out, const char *path, const char *command, piola_error *error)
{
    char *text;
    size_t size;
    *out = (pio_figures){0};
    piola_status rc = pio_file_read(path, MOST_BYTES, &text, &size, error);
    if (rc == PIOLA_BAD_DATA)
        rc = pio_fail(error, PIOLA_USAGE, "%.200s is not what `piola bench --json` prints: it is too long", path);
    if (!rc) rc = pio_figures_read(out, text, path, error);
    free(text);
    const pio_figure *of = rc ? NULL : find(out, "command");
    if (rc || (of && !strcmp(of->text, command))) return rc;
    pio_fail(error, PIOLA_USAGE, "%.200s has figures of '%.60s', and these are of '%s'", path,
             of ? of->text : "another program", command);
    pio_figures_free(out);
    return PIOLA_USAGE;
}

/* Returns whether a difference in a figure means that other things were measured. */
static bool of_case(const char *path)
{
    return !strncmp(path, "case.", 5) || !strcmp(path, "engine.precision") || !strcmp(path, "engine.dimension");
}

piola_status pio_figures_compare(const pio_figures *old, const pio_figures *new, const char *path, piola_error *error)
{
    for (size_t i = 0; i < new->n; i++) {
        const pio_figure *n = &new->list[i], *o = find(old, n->path);
        if (of_case(n->path) && (!o || strcmp(o->text, n->text)))
            return pio_fail(error, PIOLA_USAGE, "%.200s is of another case: %.60s is '%.60s' there and '%.60s' here",
                            path, n->path, o ? o->text : "missing", n->text);
    }
    const char *const said[] = {"commit", "engine.device_name", "engine.isa"};
    printf("\nfigures of %s and these, and these over those\n", path);
    for (size_t k = 0; k < sizeof said / sizeof *said; k++) {
        const pio_figure *o = find(old, said[k]), *n = find(new, said[k]);
        printf("%-60s %16.60s %16.60s\n", said[k], o ? o->text : "-", n ? n->text : "-");
    }
    for (size_t i = 0; i < new->n; i++) {
        const pio_figure *n = &new->list[i], *o = find(old, n->path);
        if (!n->number || !o || !o->number || of_case(n->path) || (n->value == 0 && o->value == 0)) continue;
        printf("%-60s %16.6g %16.6g", n->path, o->value, n->value);
        if (o->value != 0)
            printf(" %8.3f\n", n->value / o->value);
        else
            printf(" %8s\n", "-");
    }
    return PIOLA_OK;
}
