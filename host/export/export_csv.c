/* export_csv.c -- tables for spreadsheets: one row per point, and of a mesh with fields of cells one row per cell. */
#include "host/export/export.h"
#include "host/base/decimal.h"
#include "host/base/fail.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The columns of a table, with one row per point or cell. */
typedef struct {
    double **values; /* [n_fields] values of the fields of this location, else NULL */
    const pio_export *e;
    pio_snapshot_location location;
    int64_t rows;
    FILE *out;
} table;

static void release(table *t)
{
    for (size_t i = 0; t->values && i < t->e->info->n_fields; i++) free(t->values[i]);
    free(t->values);
}

static piola_status read_columns(table *t, piola_error *error)
{
    const pio_snapshot_info *info = t->e->info;
    piola_status rc = PIOLA_OK;
    t->values = calloc(info->n_fields + 1, sizeof *t->values);
    if (!t->values) return pio_fail_memory(error, info->n_fields * sizeof *t->values, "a table");
    for (size_t i = 0; i < info->n_fields && !rc; i++)
        if (info->fields[i].location == t->location)
            rc = pio_export_field(t->e, &info->fields[i], &t->values[i], error);
    return rc;
}

/* Writes a number in the shorter of two lengths that reads back as the same value; a field of f32 needs at most 9
 * digits. */
static void put_number(const table *t, double v, bool integer)
{
    char text[40];
    const bool single = t->e->info->precision == PIO_SNAPSHOT_F32;
    if (integer) {
        fprintf(t->out, ",%.0f", v);
        return;
    }
    if (!isfinite(v)) {
        fputs(isnan(v) ? ",nan" : v > 0 ? ",inf" : ",-inf", t->out);
        return;
    }
    snprintf(text, sizeof text, "%.*g", single ? 7 : 15, v);
    const double back = strtod(text, NULL);
    const bool same = single ? !(fabs((double)(float)back - (double)(float)v) > 0) : !(fabs(back - v) > 0);
    if (!same) snprintf(text, sizeof text, "%.*g", single ? 9 : 17, v);
    fprintf(t->out, ",%s", text);
}

static void put_head(const table *t, const char *first)
{
    const pio_export *e = t->e;
    fputs(first, t->out);
    for (int k = 0; k < e->info->dimension; k++) fprintf(t->out, ",%c [m]", "xyz"[k]);
    for (size_t i = 0; i < e->info->n_fields; i++) {
        const pio_snapshot_field_info *v = &e->info->fields[i];
        for (int c = 0; t->values[i] && c < v->components; c++) {
            char letters[16];
            (void)pio_export_component(e, v, c, letters);
            fprintf(t->out, ",%s%s [%s]", v->name, letters, *v->units ? v->units : "1");
        }
    }
    fputc('\n', t->out);
}

static void put_fields(const table *t, int64_t row)
{
    for (size_t i = 0; i < t->e->info->n_fields; i++) {
        const pio_snapshot_field_info *v = &t->e->info->fields[i];
        char letters[16];
        for (int c = 0; t->values[i] && c < v->components; c++)
            put_number(t, t->values[i][row * v->stored + pio_export_component(t->e, v, c, letters)], v->integer);
    }
    fputc('\n', t->out);
}

/* Returns the mean of a cell's nodes along one axis, m. */
static double middle(const pio_export *e, int64_t cell, int axis)
{
    const pio_snapshot_mesh *m = e->mesh;
    double sum = 0;
    for (int64_t k = m->offsets[cell]; k < m->offsets[cell + 1]; k++) sum += e->points[3 * m->connectivity[k] + axis];
    return sum / (double)(m->offsets[cell + 1] - m->offsets[cell]);
}

static void put_rows(const table *t)
{
    const pio_export *e = t->e;
    const bool cells = t->location == PIO_SNAPSHOT_CELL;
    put_head(t, cells ? "cell,type" : "point");
    for (int64_t row = 0; row < t->rows && !ferror(t->out); row++) {
        fprintf(t->out, "%lld", (long long)row);
        if (cells) fprintf(t->out, ",%d", e->mesh->types[row]);
        for (int k = 0; k < e->info->dimension; k++)
            put_number(t, cells ? middle(e, row, k) : e->points[3 * row + k], false);
        put_fields(t, row);
    }
}

static piola_status write_table(const pio_export *e, const char *out, pio_snapshot_location location,
                                piola_error *error)
{
    const bool cells = location == PIO_SNAPSHOT_CELL;
    table t = {.e = e, .location = location, .rows = cells ? e->info->n_cells : e->info->n_points};
    pio_export_file file;
    piola_status rc = pio_export_begin(&file, out, cells ? "cell,type,x [m],y [m]" : "point,x [m],y [m]", error);
    if (rc) return rc;
    t.out = file.file;
    rc = read_columns(&t, error);
    const pio_locale old = pio_locale_begin();
    if (!rc) put_rows(&t);
    pio_locale_end(old);
    release(&t);
    return pio_export_end(&file, rc, error);
}

/* Turns "a/b.csv" into "a/b_cells.csv"; NULL without memory. */
static char *cells_name(const char *out)
{
    const char *slash = strrchr(out, '/'), *dot = strrchr(out, '.');
    const size_t size = strlen(out) + 8,
                 stem = dot && dot > (slash ? slash + 1 : out) ? (size_t)(dot - out) : strlen(out);
    char *name = malloc(size);
    if (name) snprintf(name, size, "%.*s_cells%s", (int)stem, out, out + stem);
    return name;
}

piola_status pio_export_csv(const pio_export *e, const char *out, piola_error *error)
{
    bool cells = false;
    for (size_t i = 0; i < e->info->n_fields; i++) cells |= e->info->fields[i].location == PIO_SNAPSHOT_CELL;
    char *second = cells_name(out);
    piola_status rc = PIOLA_OK;
    if (!second) return pio_fail_memory(error, strlen(out) + 8, "a file's name");
    if (cells && pio_export_foreign(second, "cell,type,x [m],y [m]", 512))
        rc = pio_fail(error, PIOLA_CANNOT_CREATE,
                      "%s exists and was not written by this command: remove it, or give another name with -o", second);
    if (!rc) rc = write_table(e, out, PIO_SNAPSHOT_POINT, error);
    if (!rc && cells) rc = write_table(e, second, PIO_SNAPSHOT_CELL, error);
    free(second);
    return rc;
}
