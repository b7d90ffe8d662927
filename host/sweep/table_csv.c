/* table_csv.c -- writes the table of a sweep as comma-separated values (RFC 4180). */
#include "host/sweep/table.h"

#include "host/base/csv_text.h"
#include "host/base/fail.h"
#include "host/base/new_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_axis_name(FILE *to, const pio_axis *a)
{
    char name[PIO_MEMBER_TEXT + CFG_PATH];
    const char *unit = pio_quantity_unit(a->quantity);
    snprintf(name, sizeof name, "parameters/%.900s%s%s%s", a->path, *unit ? " [" : "", unit, *unit ? "]" : "");
    fputc(',', to);
    pio_csv_put_text(to, name);
}

/* Writes the names of a column's values: with the number of the sample and of the component where there are several. */
static void put_column_names(FILE *to, const pio_table_column *c)
{
    char name[1200];
    for (size_t k = 0; k < c->most; k++) {
        const size_t samples = c->most / c->inner;
        size_t used = (size_t)snprintf(name, sizeof name, "%.1100s", c->name);
        if (samples > 1) used += (size_t)snprintf(name + used, sizeof name - used, "[%zu]", k / c->inner);
        if (c->inner > 1) snprintf(name + used, sizeof name - used, "[%zu]", k % c->inner);
        fputc(',', to);
        pio_csv_put_text(to, name);
    }
}

static void put_row(FILE *to, const pio_table *t, int64_t i)
{
    const pio_table_member *end = &t->ends[i];
    char text[PIO_MEMBER_TEXT];
    fprintf(to, "%lld,", (long long)i);
    pio_csv_put_text(to, end->folder ? end->folder : "");
    fputc(',', to);
    if (end->exit >= 0) fprintf(to, "%d", end->exit);
    fputc(',', to);
    pio_csv_put_text(to, end->cause ? end->cause : "");
    for (size_t a = 0; a < t->members->n_axes; a++) {
        fputc(',', to);
        pio_members_text(t->members, i, a, text);
        if (t->members->axes[a].numbers)
            pio_csv_put_number(to, pio_members_value(t->members, i, a));
        else
            pio_csv_put_text(to, text);
    }
    for (size_t c = 0; c < t->n_columns; c++) {
        const pio_cells *cells = &t->columns[c].cells[i];
        for (size_t k = 0; k < t->columns[c].most; k++) {
            fputc(',', to);
            if (k < cells->n) pio_csv_put_number(to, cells->v[k]);
        }
    }
    fputs("\r\n", to);
}

piola_status pio_table_write_csv(const pio_table *t, const char *path, piola_error *error)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to) return pio_fail_memory(error, 1 << 16, "sweep.csv");
    fputs("member,folder,exit,cause", to);
    for (size_t a = 0; a < t->members->n_axes; a++) put_axis_name(to, &t->members->axes[a]);
    for (size_t c = 0; c < t->n_columns; c++) put_column_names(to, &t->columns[c]);
    fputs("\r\n", to);
    for (int64_t i = 0; i < t->members->n; i++) put_row(to, t, i);
    const bool lost = ferror(to) | fclose(to);
    const piola_status rc =
        lost ? pio_fail_memory(error, size, "sweep.csv") : pio_write_file_atomically(path, text, size, error);
    free(text);
    return rc;
}
