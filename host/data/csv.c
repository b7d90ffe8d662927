/* csv.c -- numeric tables: how they are read from text and queried. */
#include "host/data/csv.h"
#include "host/base/decimal.h"
#include "host/base/fail.h"
#include "host/base/large.h"
#include "host/base/nearest.h"
#include "host/base/stop.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_COLUMNS 1000

static piola_status fault_at(const pio_csv *csv, size_t byte, piola_error *error, const char *format, va_list args)
{
    char what[sizeof error->message];
    int line = 1, column = 1;
    if (!error) return PIOLA_BAD_DATA;
    for (size_t i = 0; csv->text && i < byte; i++) {
        if (csv->text[i] == '\n') {
            line++;
            column = 1;
        } else if (((unsigned char)csv->text[i] & 0xC0) != 0x80) {
            column++;
        }
    }
    vsnprintf(what, sizeof what, format, args);
    if (!csv->text) return pio_fail(error, PIOLA_BAD_DATA, "%.1000s: error: %s", csv->path, what);
    return pio_fail(error, PIOLA_BAD_DATA, "%.1000s:%d:%d: error: %s", csv->path, line, column, what);
}

static piola_status fault(const pio_csv *csv, size_t byte, piola_error *error, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static piola_status fault(const pio_csv *csv, size_t byte, piola_error *error, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    piola_status status = fault_at(csv, byte, error, format, args);
    va_end(args);
    return status;
}

static piola_status no_memory(piola_error *error, size_t bytes)
{
    return pio_fail(error, PIOLA_NO_MEMORY, "a table needs %zu bytes of memory", bytes);
}

/* One cell: its first byte and the one after its last, without blanks. `at` is the byte after the comma. */
typedef struct cell {
    size_t begin, end;
    bool last; /* it is the last of its line */
} cell;

static cell next_cell(const char *text, size_t *at)
{
    cell c = {.begin = *at};
    c.end = c.begin + strcspn(text + c.begin, ",\n");
    c.last = text[c.end] != ',';
    *at = c.end + (text[c.end] != '\0');
    while (c.begin < c.end && (text[c.begin] == ' ' || text[c.begin] == '\t')) c.begin++;
    while (c.end > c.begin && (text[c.end - 1] == ' ' || text[c.end - 1] == '\t' || text[c.end - 1] == '\r')) c.end--;
    return c;
}

/* Goes to the next line that holds cells. Returns false at the end. */
static bool next_line(const char *text, size_t *at)
{
    for (;;) {
        size_t blank = strspn(text + *at, " \t\r");
        if (text[*at + blank] == '\0') return false;
        if (text[*at + blank] != '\n' && text[*at + blank] != '#') return true;
        *at += strcspn(text + *at, "\n");
        if (text[*at]) ++*at;
    }
}

static piola_status read_header(pio_csv *csv, size_t *at, piola_error *error)
{
    cell c;
    size_t count = 1, probe = *at;
    while (!(c = next_cell(csv->text, &probe)).last) count++;
    if (count > MOST_COLUMNS) return fault(csv, *at, error, "%zu columns; at most %d are read", count, MOST_COLUMNS);
    csv->columns = calloc(count, sizeof(char *));
    if (!csv->columns) return no_memory(error, count * sizeof(char *));
    do {
        c = next_cell(csv->text, at);
        bool quoted = c.end - c.begin >= 2 && csv->text[c.begin] == '"' && csv->text[c.end - 1] == '"';
        size_t begin = c.begin + quoted, length = c.end - c.begin - 2 * (size_t)quoted;
        if (length == 0) return fault(csv, c.begin, error, "an empty column name; the first line names the columns");
        char *name = calloc(length + 1, 1);
        if (!name) return no_memory(error, length + 1);
        memcpy(name, csv->text + begin, length);
        csv->columns[csv->n_columns++] = name;
        for (size_t i = 0; i + 1 < csv->n_columns; i++)
            if (strcmp(csv->columns[i], name) == 0)
                return fault(csv, c.begin, error, "the column '%.60s' occurs twice", name);
        if (pio_number_length(name) == length)
            return fault(csv, c.begin, error, "'%.60s' is a number; the first line must name the columns", name);
    } while (!c.last);
    return PIOLA_OK;
}

static piola_status read_number(const pio_csv *csv, const cell *c, const char *name, double *value, piola_error *error)
{
    size_t length = c->end - c->begin;
    int shown = (int)(length < 60 ? length : 60);
    const char *text = csv->text + c->begin;
    if (length == 0) return fault(csv, c->begin, error, "an empty cell in column '%.60s'; give a number", name);
    if (pio_decimal(text, value) != length)
        return fault(csv, c->begin, error, "'%.*s' in column '%.60s' is not a number; give a finite decimal number",
                     shown, text, name);
    if (!isfinite(*value)) return fault(csv, c->begin, error, "'%.*s' is too large for a double", shown, text);
    return PIOLA_OK;
}

static bool blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Reads a cell that holds a number and nothing else but blanks, and moves `at` behind its comma. Returns false
 * otherwise; read_number() then reports the reason. */
static bool try_number(const char *text, size_t *at, double *value, bool *last)
{
    size_t i = *at;
    while (text[i] == ' ' || text[i] == '\t') i++;
    const size_t length = pio_decimal(text + i, value);
    i += length;
    while (blank(text[i])) i++;
    *last = text[i] != ',';
    if (!length || !isfinite(*value) || (*last && text[i] && text[i] != '\n')) return false;
    *at = i + (text[i] != '\0');
    return true;
}

static piola_status read_row(pio_csv *csv, size_t *at, piola_error *error)
{
    size_t begin = *at, n = 0;
    double *row = csv->values + csv->n_rows * csv->n_columns;
    cell c = {.last = false};
    do {
        if (n < csv->n_columns && try_number(csv->text, at, row + n, &c.last)) continue;
        c = next_cell(csv->text, at);
        if (n == csv->n_columns)
            return fault(csv, c.begin, error, "more cells than the %zu columns of the header", csv->n_columns);
        piola_status status = read_number(csv, &c, csv->columns[n], row + n, error);
        if (status) return status;
    } while (n++, !c.last);
    if (n < csv->n_columns)
        return fault(csv, begin, error, "%zu cells in this row, but the header has %zu columns", n, csv->n_columns);
    csv->row_at[++csv->n_rows] = begin;
    return PIOLA_OK;
}

static piola_status read_table(pio_csv *csv, size_t size, piola_error *error)
{
    size_t at = 0, rows = 0;
    if (size >= 3 && memcmp(csv->text, "\xEF\xBB\xBF", 3) == 0) { /* byte order mark */
        memmove(csv->text, csv->text + 3, size - 2);
        size -= 3;
    }
    if (strlen(csv->text) != size) return fault(csv, strlen(csv->text), error, "a zero byte; a table is plain text");
    if (!next_line(csv->text, &at))
        return fault(csv, 0, error, "the file is empty; its first line must name the columns");
    size_t header = at;
    piola_status status = read_header(csv, &at, error);
    if (status) return status;
    for (size_t probe = at; !status && next_line(csv->text, &probe); rows++) {
        status = pio_stop_at((int64_t)rows, "reading a table", error);
        probe += strcspn(csv->text + probe, "\n");
        if (csv->text[probe]) probe++;
    }
    if (status) return status;
    if (!rows) return fault(csv, at ? at - 1 : 0, error, "no rows behind the header");
    size_t bytes = rows * csv->n_columns * sizeof(double);
    csv->values = pio_large_alloc(bytes);
    csv->row_at = pio_large_alloc((rows + 1) * sizeof *csv->row_at);
    if (!csv->values || !csv->row_at) return no_memory(error, bytes);
    csv->row_at[0] = header;
    while (!status && next_line(csv->text, &at)) {
        status = read_row(csv, &at, error);
        if (!status) status = pio_stop_at((int64_t)csv->n_rows, "reading a table", error);
    }
    return status;
}

piola_status pio_csv_of_text(pio_csv *csv, size_t size, piola_error *error)
{
    const pio_locale old = pio_locale_begin();
    const piola_status status = read_table(csv, size, error);
    pio_locale_end(old);
    return status;
}

void pio_csv_free(pio_csv *csv)
{
    if (!csv) return;
    for (size_t i = 0; i < csv->n_columns; i++) free(csv->columns[i]);
    free(csv->columns);
    free(csv->values);
    free(csv->row_at);
    free(csv->path);
    free(csv->text);
    *csv = (pio_csv){0};
}

int pio_csv_column(const pio_csv *csv, const char *name, piola_error *error)
{
    for (size_t i = 0; i < csv->n_columns; i++)
        if (strcmp(csv->columns[i], name) == 0) return (int)i;
    const char *near = pio_nearest(name, (const char *const *)csv->columns, csv->n_columns);
    fault(csv, csv->text ? csv->row_at[0] : 0, error, "no column '%.60s'; %s%.60s%s", name,
          near ? "did you mean '" : "the first is '", near ? near : csv->columns[0], near ? "'?" : "'");
    return -1;
}

piola_status pio_csv_fault(const pio_csv *csv, size_t row, size_t column, piola_error *error, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!csv->text) {
        char where[300], what[600];
        snprintf(where, sizeof where, "%.200s[%zu]", csv->columns[column], row);
        vsnprintf(what, sizeof what, format, args);
        va_end(args);
        piola_status status = fault(csv, 0, error, "/%s: %s", where, what);
        return status;
    }
    size_t at = csv->row_at[row + 1];
    cell c = next_cell(csv->text, &at);
    for (size_t i = 0; i < column; i++) c = next_cell(csv->text, &at);
    piola_status status = fault_at(csv, c.begin, error, format, args);
    va_end(args);
    return status;
}
