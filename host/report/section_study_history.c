/* section_study_history.c -- curves over the iterations of a study, from its history.csv (report_parts.h). */
#include "host/report/report_parts.h"

#include "host/base/decimal.h"
#include "host/base/file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 26, MOST_COLUMNS = 4000, MOST_CURVES = 12 };
enum { COLUMNS_OF_ALL = 5 }; /* before those of the experiments */
static const char of_experiment[] = "objective.";

/* The table: values of row i and column k are value[k * rows + i]. */
typedef struct {
    char *text; /* of the file, cut into names by NULs */
    const char **name;
    double *value;
    size_t columns, rows;
} table;

static void release(table *t)
{
    free(t->text);
    free(t->name);
    free(t->value);
}

static size_t count(const char *text, char c)
{
    size_t n = 0;
    for (; *text; text++) n += *text == c;
    return n;
}

/* Reads the names of the columns, and returns where the rows begin; NULL where there is no such line. */
static char *read_names(table *t)
{
    char *end = strchr(t->text, '\n'), *at = t->text;
    if (!end || end == t->text) return NULL;
    *end = '\0';
    t->columns = count(t->text, ',') + 1;
    if (t->columns > MOST_COLUMNS) return NULL;
    t->name = calloc(t->columns, sizeof *t->name);
    for (size_t k = 0; t->name && k < t->columns; k++) {
        t->name[k] = at;
        at += strcspn(at, ",");
        *at++ = '\0';
    }
    return t->name ? end + 1 : NULL;
}

/* Reads the rows, as long as they are whole; what is no number is NaN. */
static void read_rows(table *t, const char *at)
{
    const size_t most = count(at, '\n');
    t->value = calloc(t->columns * most + 1, sizeof *t->value);
    const pio_locale old = pio_locale_begin();
    for (const char *end; t->value && (end = strchr(at, '\n')); at = end + 1, t->rows++)
        for (size_t k = 0; k < t->columns; k++) {
            double *v = &t->value[k * most + t->rows];
            if (at >= end || !pio_decimal(at, v)) *v = NAN;
            at += strcspn(at, ",\n");
            at += *at == ',';
        }
    pio_locale_end(old);
}

static bool read_table(table *t, const pio_report *r)
{
    char path[PIO_PATH];
    size_t size;
    piola_error unused;
    if (!pio_path_join(path, sizeof path, r->folder, "history.csv") ||
        pio_file_read(path, MOST_BYTES, &t->text, &size, &unused))
        return false;
    const char *rows = strlen(t->text) == size ? read_names(t) : NULL;
    if (rows) read_rows(t, rows);
    return t->rows > 0;
}

/* Draws the columns whose name is `name`, or begins with it where there are several. */
static void draw(FILE *to, const table *t, const char *title, const char *axis, const char *name, bool several)
{
    pio_series s[MOST_CURVES];
    const size_t length = strlen(name);
    size_t n = 0;
    bool log = true;
    for (size_t k = 1; k < t->columns && n < MOST_CURVES; k++) {
        const double *y = t->value + k * t->rows;
        if (several ? strncmp(t->name[k], name, length) : strcmp(t->name[k], name)) continue;
        log = log && pio_plot_suits_log(y, t->rows);
        s[n++] = (pio_series){.name = several ? t->name[k] + length : NULL, .x = t->value, .y = y, .n = t->rows};
    }
    const pio_plot p = {.title = title,
                        .x = {.name = "iteration", .whole = true},
                        .y = {.name = axis, .log = log},
                        .series = s,
                        .n_series = n};
    if (n) pio_plot_write(to, &p);
}

/* Draws J, its parts and the gradient. */
static void draw_all(FILE *to, const table *t)
{
    fputs("<div class=\"figures\">\n", to);
    draw(to, t, "Objective at each iteration", "J", "objective", false);
    draw(to, t, "Objective of each experiment, without its weight, at each iteration", "J", of_experiment, true);
    draw(to, t, "Norm of the projected gradient, of scaled variables, at each iteration", "projected gradient",
         "projected_gradient", false);
    fputs("</div>\n", to);
    if (t->columns > COLUMNS_OF_ALL + MOST_CURVES)
        pio_html_missing(to, "The first %d experiments are drawn; history.csv has all.", (int)MOST_CURVES);
}

void pio_section_study_history(FILE *to, const pio_report *r)
{
    table t = {0};
    if (strcmp(pio_report_command(r), "optimize") != 0) return;
    pio_html_section(to, "iterations", "Iterations");
    if (read_table(&t, r))
        draw_all(to, &t);
    else
        pio_html_missing(to, "No curves. There is no history.csv with iterations.");
    pio_html_section_end(to);
    release(&t);
}
