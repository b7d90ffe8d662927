/* scene_vary_table.c -- tables that expressions name: points of a grid, or any points, as programs have them
 * (kernels/base/expression.h). */
#include "host/data/csv.h"
#include "host/scene/scene_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NEAREST = 20000, MOST_NUMBERS = 4000000 };

/* A table while it is read. */
typedef struct {
    cfg_doc *doc;
    scene_table *out;
    char path[80]; /* of the key `file` */
    pio_csv csv;
    int axis[3];   /* column of each axis, -1: the values do not vary along it */
    int value;     /* column of the values */
    double factor; /* SI units per unit of a value */
} reading;

static double number_at(const reading *r, size_t row, int column)
{
    return column < 0 ? 0 : r->csv.values[row * r->csv.n_columns + (size_t)column];
}

static int by_size(const void *a, const void *b)
{
    const double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

/* Sets plane [rows] to the different numbers of a column, ascending; returns how many there are. */
static size_t planes_of(const reading *r, int column, double *plane)
{
    size_t n = 0;
    for (size_t row = 0; row < r->csv.n_rows; row++) plane[row] = number_at(r, row, column);
    qsort(plane, r->csv.n_rows, sizeof *plane, by_size);
    for (size_t row = 0; row < r->csv.n_rows; row++)
        if (!n || plane[row] > plane[n - 1]) plane[n++] = plane[row];
    return n;
}

static size_t plane_at(const double *plane, size_t n, double x)
{
    size_t low = 0, high = n - 1;
    while (low < high) {
        const size_t middle = (low + high + 1) / 2;
        if (plane[middle] <= x)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* Sets the values of the grid's points, each of which must be there once. */
static void fill_grid(reading *r, const size_t count[3], double *const plane[3], double *value)
{
    piola_error error;
    for (size_t i = 0; i < r->csv.n_rows; i++) value[i] = NAN;
    for (size_t row = 0; row < r->csv.n_rows; row++) {
        size_t at = 0;
        for (int a = 2; a >= 0; a--) at = at * count[a] + plane_at(plane[a], count[a], number_at(r, row, r->axis[a]));
        if (!isnan(value[at])) {
            pio_csv_fault(&r->csv, row, (size_t)r->value, &error, "the point of this row is listed twice");
            pio_scene_report(r->doc, r->path, &error);
            return;
        }
        value[at] = number_at(r, row, r->value) * r->factor;
    }
}

static void make_grid(reading *r)
{
    const size_t rows = r->csv.n_rows;
    piola_error error;
    if (rows == 1) { /* it would be a constant */
        pio_csv_fault(&r->csv, 0, (size_t)r->value, &error,
                      "this is the only row, and linear interpolation needs two at least; add rows, or use "
                      "interpolation: nearest");
        pio_scene_report(r->doc, r->path, &error);
        return;
    }
    size_t count[3], all = 1, used = 3;
    double *own = pio_pool_take(&r->doc->pool, (4 * rows + 3) * sizeof *own), *plane[3];
    r->doc->no_memory |= !own;
    if (!own) return;
    for (int a = 0; a < 3; a++) {
        plane[a] = own + used;
        count[a] = planes_of(r, r->axis[a], plane[a]);
        own[a] = (double)count[a];
        used += count[a];
        all = count[a] > MOST_NUMBERS / all ? (size_t)MOST_NUMBERS + 1 : all * count[a];
    }
    if (all != rows) {
        pio_cfg_fault(r->doc, r->path,
                      "the rows are no grid: %zu, %zu and %zu different x, y and z make %zu points, and there are %zu "
                      "rows; use interpolation: nearest",
                      count[0], count[1], count[2], all, rows);
        return;
    }
    fill_grid(r, count, plane, own + used);
    r->out->numbers = own;
    r->out->n = used + rows;
}

static void make_points(reading *r)
{
    const size_t rows = r->csv.n_rows;
    if (rows > MOST_NEAREST) {
        pio_cfg_fault(r->doc, r->path,
                      "%zu points; all of them are compared to find the nearest, and at most %d are possible", rows,
                      MOST_NEAREST);
        return;
    }
    double *own = pio_pool_take(&r->doc->pool, (4 * rows + 4) * sizeof *own);
    r->doc->no_memory |= !own;
    if (!own) return;
    own[0] = (double)rows;
    for (int a = 0; a < 3; a++) own[1 + a] = r->axis[a] >= 0;
    for (size_t row = 0; row < rows; row++) {
        for (int a = 0; a < 3; a++) own[4 + 3 * row + (size_t)a] = number_at(r, row, r->axis[a]);
        own[4 + 3 * rows + row] = number_at(r, row, r->value) * r->factor;
    }
    r->out->numbers = own;
    r->out->n = 4 + 4 * rows;
}

/* Finds the columns; returns false after a fault. */
static bool find_columns(reading *r, const pio_scene *s, size_t i)
{
    bool any = false;
    PATH(column, "tables[%zu].column", i);
    for (int a = 0; a < 3; a++) {
        r->axis[a] = -1;
        for (size_t c = 0; c < r->csv.n_columns; c++)
            if (r->csv.columns[c][0] == "xyz"[a] && !r->csv.columns[c][1]) r->axis[a] = (int)c;
        any |= r->axis[a] >= 0;
    }
    r->value = pio_scene_column(r->doc, column, &r->csv, r->out->column);
    if (r->value < 0) return false;
    if (!any) pio_cfg_fault(r->doc, r->path, "there is no column x, y or z; one at least is needed");
    if (r->csv.n_rows == 0) pio_cfg_fault(r->doc, r->path, "the table has no rows");
    if (s->method.dimension == 2 && r->axis[2] >= 0)
        pio_cfg_fault(r->doc, r->path, "a 2D scene has no z, and the table has a column of it; remove that");
    return any && r->csv.n_rows > 0 && !(s->method.dimension == 2 && r->axis[2] >= 0);
}

/* Sets quantity and factor of the unit; returns false after a fault. */
static bool find_unit(reading *r, size_t i)
{
    char text[120], why[300];
    cfg_quantity quantity = CFG_ONE;
    PATH(path, "tables[%zu].unit", i);
    r->factor = 1;
    r->out->quantity = (int)CFG_ONE;
    if (!r->out->unit) return true;
    snprintf(text, sizeof text, "1 %.100s", r->out->unit);
    if (!pio_quantity_parse(text, CFG_ANY, &r->factor, why, sizeof why)) {
        pio_cfg_fault(r->doc, path, "%s", why);
        return false;
    }
    pio_unit_length(r->out->unit, &quantity);
    if (quantity == CFG_MEMORY) pio_cfg_fault(r->doc, path, "an amount of memory does not belong into expressions");
    r->out->quantity = (int)quantity;
    return quantity != CFG_MEMORY;
}

void pio_scene_complete_tables(pio_scene *s, cfg_doc *doc)
{
    for (size_t i = 0; i < s->tables.n && !pio_cfg_stop(doc); i++) {
        reading r = {.doc = doc, .out = &s->tables.v[i]};
        snprintf(r.path, sizeof r.path, "tables[%zu].file", i);
        if (!find_unit(&r, i) || !pio_scene_table_of(s, doc, r.path, r.out->file, &r.csv)) continue;
        const bool good = find_columns(&r, s, i);
        if (good && r.out->interpolation == SCENE_NEAREST) make_points(&r);
        if (good && r.out->interpolation == SCENE_GRID) make_grid(&r);
        pio_csv_free(&r.csv);
    }
}
