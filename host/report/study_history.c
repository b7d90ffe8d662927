/* study_history.c -- history.csv of a study as columns (report_parts.h). */
#include "host/report/report_parts.h"

#include "host/base/decimal.h"
#include "host/base/fail.h"
#include "host/base/file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 26, MOST_COLUMNS = 4000 };

static size_t count(const char *text, char c)
{
    size_t n = 0;
    for (; *text; text++) n += *text == c;
    return n;
}

/* Reads the names of the columns, and returns where the rows begin; NULL where there is no such line, or no memory. */
static char *read_names(pio_pool *pool, char *text, pio_report_history *h)
{
    char *end = strchr(text, '\n'), *at = text;
    if (!end || end == text) return NULL;
    *end = '\0';
    h->columns = count(text, ',') + 1;
    if (h->columns > MOST_COLUMNS) return NULL;
    h->name = pio_pool_take(pool, h->columns * sizeof *h->name);
    for (size_t k = 0; h->name && k < h->columns; k++) {
        h->name[k] = at;
        at += strcspn(at, ",");
        *at++ = '\0';
    }
    return h->name ? end + 1 : NULL;
}

/* Reads the rows, as long as they are whole; what is no number is NaN. */
static void read_rows(pio_pool *pool, const char *at, pio_report_history *h)
{
    const size_t most = count(at, '\n');
    double *value = pio_pool_take(pool, (h->columns * most + 1) * sizeof *value);
    h->value = pio_pool_take(pool, (h->columns + 1) * sizeof *h->value);
    if (!value || !h->value) return;
    for (size_t k = 0; k < h->columns; k++) h->value[k] = value + k * most;
    const pio_locale old = pio_locale_begin();
    for (const char *end; (end = strchr(at, '\n')); at = end + 1, h->rows++)
        for (size_t k = 0; k < h->columns; k++) {
            double *v = &value[k * most + h->rows];
            if (at >= end || !pio_decimal(at, v)) *v = (double)NAN;
            at += strcspn(at, ",\n");
            at += *at == ',';
        }
    pio_locale_end(old);
}

bool pio_report_read_history(const pio_report *r, pio_pool *pool, pio_report_history *out)
{
    char path[PIO_PATH], *text = NULL;
    size_t size;
    piola_error unused;
    *out = (pio_report_history){0};
    if (!pio_path_join(path, sizeof path, r->folder, "history.csv") ||
        pio_file_read(path, MOST_BYTES, &text, &size, &unused))
        return false;
    char *own = strlen(text) == size ? pio_pool_text(pool, text, size) : NULL;
    free(text);
    const char *rows = own ? read_names(pool, own, out) : NULL;
    if (rows) read_rows(pool, rows, out);
    return out->rows > 0;
}

const double *pio_report_history_column(const pio_report_history *h, const char *name)
{
    for (size_t k = 0; h->rows && k < h->columns; k++)
        if (!strcmp(h->name[k], name)) return h->value[k];
    return NULL;
}
