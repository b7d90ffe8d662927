/* export_csv.c -- tables for spreadsheets: one row per point, and of a mesh with fields there one row per cell or per
 * integration point. */
#include "host/export/export.h"
#include "host/base/decimal.h"
#include "host/base/fail.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The columns of a table, with one row per point, cell or integration point. */
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
    for (int k = 0; k < e->info->dimension && t->location != PIO_SNAPSHOT_INTEGRATION; k++)
        fprintf(t->out, ",%c [m]", "xyz"[k]);
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

/* What a row begins with, and how the first line of such a table does, by location. */
static const struct {
    const char *head, *mark, *ending;
} tables[] = {[PIO_SNAPSHOT_POINT] = {"point", "point,x [m],y [m]", ""},
              [PIO_SNAPSHOT_CELL] = {"cell,type", "cell,type,x [m],y [m]", "_cells"},
              [PIO_SNAPSHOT_INTEGRATION] = {"integration point", "integration point,", "_integration_points"}};

/* Rows of integration points have their places in fields. */
static void put_rows(const table *t)
{
    const pio_export *e = t->e;
    const bool cells = t->location == PIO_SNAPSHOT_CELL;
    put_head(t, tables[t->location].head);
    for (int64_t row = 0; row < t->rows && !ferror(t->out); row++) {
        fprintf(t->out, "%lld", (long long)row);
        if (cells) fprintf(t->out, ",%d", e->mesh->types[row]);
        for (int k = 0; k < e->info->dimension && t->location != PIO_SNAPSHOT_INTEGRATION; k++)
            put_number(t, cells ? middle(e, row, k) : e->points[3 * row + k], false);
        put_fields(t, row);
    }
}

static piola_status write_table(const pio_export *e, const char *out, pio_snapshot_location location,
                                piola_error *error)
{
    const int64_t rows[] = {e->info->n_points, e->info->n_cells, e->info->n_integration};
    table t = {.e = e, .location = location, .rows = rows[location]};
    pio_export_file file;
    piola_status rc = pio_export_begin(&file, out, tables[location].mark, error);
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
static char *table_name(const char *out, pio_snapshot_location location)
{
    const char *slash = strrchr(out, '/'), *dot = strrchr(out, '.'), *ending = tables[location].ending;
    const size_t size = strlen(out) + strlen(ending) + 1,
                 stem = dot && dot > (slash ? slash + 1 : out) ? (size_t)(dot - out) : strlen(out);
    char *name = malloc(size);
    if (name) snprintf(name, size, "%.*s%s%s", (int)stem, out, ending, out + stem);
    return name;
}

static bool has_fields_at(const pio_export *e, pio_snapshot_location location)
{
    bool has = location == PIO_SNAPSHOT_POINT;
    for (size_t i = 0; i < e->info->n_fields; i++) has |= e->info->fields[i].location == location;
    return has;
}

piola_status pio_export_csv(const pio_export *e, const char *out, piola_error *error)
{
    char *name[PIO_SNAPSHOT_INTEGRATION + 1] = {NULL};
    const int places = sizeof name / sizeof *name;
    piola_status rc = PIOLA_OK;
    for (int k = 0; k < places && !rc; k++) {
        if (!has_fields_at(e, (pio_snapshot_location)k)) continue;
        name[k] = table_name(out, (pio_snapshot_location)k);
        if (!name[k]) rc = pio_fail_memory(error, strlen(out) + 32, "a file's name");
        if (k && !rc && pio_export_foreign(name[k], tables[k].mark, 512))
            rc = pio_fail(error, PIOLA_CANNOT_CREATE,
                          "%s exists and was not written by this command: remove it, or give another name with -o",
                          name[k]);
    }
    for (int k = 0; k < places && !rc; k++)
        if (name[k]) rc = write_table(e, name[k], (pio_snapshot_location)k, error);
    for (int k = 0; k < places; k++) free(name[k]);
    return rc;
}
