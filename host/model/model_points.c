/* model_points.c -- measured places of particles, of nodes and of points within elements: tables of observed distances.
 *
 * A row of a table has a time, what was measured, a measured place and a weight. What was measured is a number of a
 * particle or a node, or, where the table has a column X, a place at rest: the material point there. */
#include "host/data/csv.h"
#include "host/base/fail.h"
#include "host/base/stop.h"
#include "host/model/model_fem.h"
#include "host/model/room.h"
#include "host/scene/scene_names.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLACING "placing the points of an observation"

enum { TIME, FIRST = 1, MOST = 3 };

typedef struct {
    pio_csv csv;
    bool of_places;         /* rows have places at rest, and no numbers */
    int time, what[MOST];   /* columns: time; number of the particle or node, or X, Y, Z */
    int place[MOST];        /* x, y, z */
    int weight;             /* -1: there is none */
    const char *name;       /* of a number: particle, node */
    size_t n_times, n_what; /* distinct ones */
    double *times;          /* [n_times] s, increasing */
    size_t *number;         /* [rows] of what each row measured: 0 .. n_what-1 */
    size_t *first;          /* [n_what] a row that measured it */
} point_table;

static double value_of(const point_table *t, size_t row, int column)
{
    return t->csv.values[row * t->csv.n_columns + (size_t)column];
}

static int find_column(const pio_csv *csv, const char *name)
{
    for (size_t c = 0; c < csv->n_columns; c++)
        if (!strcmp(csv->columns[c], name)) return (int)c;
    return -1;
}

/* Reads the table and finds its columns; there is always something to free. */
static piola_status read_table(const pio_model *m, int o, point_table *t, piola_error *error)
{
    static const char *const places[] = {"X", "Y", "Z"}, *const measured[] = {"x", "y", "z"};
    char path[PATH_MAX];
    piola_status rc = pio_scene_file(m->scene, m->scene->goal.observe[o].points_file, path, sizeof path, error);
    if (!rc) rc = pio_csv_load(&t->csv, path, error);
    if (rc) return rc;
    t->name = m->fem ? "node" : "particle";
    t->of_places = m->fem && find_column(&t->csv, "X") >= 0;
    t->weight = find_column(&t->csv, "weight");
    t->time = pio_csv_column(&t->csv, "time", error);
    if (t->time < 0) return PIOLA_BAD_DATA;
    for (int c = 0; c < m->scene->method.dimension; c++) {
        t->place[c] = pio_csv_column(&t->csv, measured[c], error);
        if (t->place[c] < 0) return PIOLA_BAD_DATA;
        if (c && !t->of_places) continue;
        t->what[c] = pio_csv_column(&t->csv, t->of_places ? places[c] : t->name, error);
        if (t->what[c] < 0) return PIOLA_BAD_DATA;
    }
    return PIOLA_OK;
}

/* ---- what and when ----------------------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b, void *context)
{
    (void)context;
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

typedef struct {
    const point_table *table;
    int columns; /* of what was measured */
} row_order;

static int by_what(const void *a, const void *b, void *context)
{
    const size_t i = *(const size_t *)a, j = *(const size_t *)b;
    const row_order *o = context;
    for (int c = 0; c < o->columns; c++) {
        const double x = value_of(o->table, i, o->table->what[c]), y = value_of(o->table, j, o->table->what[c]);
        if (x < y || x > y) return x < y ? -1 : 1;
    }
    return 0;
}

/* Finds the distinct times. */
static piola_status find_times(point_table *t, piola_error *error)
{
    const size_t rows = t->csv.n_rows;
    t->times = malloc(sizeof *t->times * (rows + 1));
    if (!t->times) return pio_fail_memory(error, sizeof *t->times * rows, "points");
    for (size_t r = 0; r < rows; r++) t->times[r] = value_of(t, r, t->time);
    const piola_status rc = pio_stop_sort(t->times, rows, sizeof *t->times, by_value, NULL, PLACING, error);
    for (size_t r = 0; !rc && r < rows; r++)
        if (t->n_times == 0 || t->times[r] > t->times[t->n_times - 1]) t->times[t->n_times++] = t->times[r];
    return rc;
}

/* Numbers what was measured, in ascending order. */
static piola_status find_what(const pio_model *m, point_table *t, piola_error *error)
{
    const size_t rows = t->csv.n_rows;
    size_t *order = malloc(sizeof *order * (rows + 1));
    row_order by = {t, t->of_places ? m->scene->method.dimension : 1};
    t->number = malloc(sizeof *t->number * (rows + 1));
    t->first = malloc(sizeof *t->first * (rows + 1));
    piola_status rc =
        order && t->number && t->first ? PIOLA_OK : pio_fail_memory(error, 3 * sizeof *order * rows, "points");
    for (size_t r = 0; !rc && r < rows; r++) order[r] = r;
    if (!rc) rc = pio_stop_sort(order, rows, sizeof *order, by_what, &by, PLACING, error);
    for (size_t i = 0; !rc && i < rows; i++) {
        if (i == 0 || by_what(&order[i - 1], &order[i], &by) != 0) t->first[t->n_what++] = order[i];
        t->number[order[i]] = t->n_what - 1;
    }
    free(order);
    return rc;
}

static size_t time_of(const point_table *t, double x)
{
    size_t low = 0, high = t->n_times - 1;
    while (low < high) {
        const size_t half = low + (high - low) / 2;
        if (t->times[half] < x)
            low = half + 1;
        else
            high = half;
    }
    return low;
}

/* Checks the memory for a position of every point at every time: a table with another time in each row would need many
 * positions for few rows. */
static piola_status check_room(const point_table *t, int dim, piola_error *error)
{
    const double places = (double)t->n_times * (double)t->n_what;
    if (places * dim > INT32_MAX)
        return pio_fail(
            error, PIOLA_BAD_DATA,
            "%zu times of %zu points make a table of %.4g entries, most of them empty; at most %d are possible",
            t->n_times, t->n_what, places, INT32_MAX / dim);
    return pio_room(places * (double)sizeof(double) * (dim + 1), "points", error);
}

/* ---- measured places ---------------------------------------------------------------------------------------- */

/* Checks that at every time a point has a weight. */
static piola_status check_weights(const point_table *t, const pio_observation_desc *d, piola_error *error)
{
    for (size_t k = 0; d->point_weight && k < t->n_times; k++) {
        double sum = 0;
        size_t row = 0;
        for (size_t i = 0; i < t->n_what; i++) sum += d->point_weight[k * t->n_what + i];
        if (sum > 0) continue;
        while (value_of(t, row, t->time) < t->times[k] || value_of(t, row, t->time) > t->times[k]) row++;
        return pio_csv_fault(&t->csv, row, (size_t)t->weight, error, "all weights at %.9g s are 0; one must be above",
                             t->times[k]);
    }
    return PIOLA_OK;
}

static piola_status measured_twice(const point_table *t, size_t row, piola_error *error)
{
    const double time = value_of(t, row, t->time);
    if (t->of_places)
        return pio_csv_fault(&t->csv, row, (size_t)t->what[0], error, "this place at rest has two points at %.9g s",
                             time);
    return pio_csv_fault(&t->csv, row, (size_t)t->what[0], error, "%s %.0f has two points at %.9g s", t->name,
                         value_of(t, row, t->what[0]), time);
}

/* Fills points and weights of the description, whose owner is the model even if a row is wrong. */
static piola_status place_rows(const pio_model *m, const point_table *t, pio_observation_desc *d, piola_error *error)
{
    const size_t dim = (size_t)m->scene->method.dimension, n = t->n_times * t->n_what;
    double *points = malloc(sizeof *points * n * dim), *weights = t->weight < 0 ? NULL : calloc(n, sizeof *weights);
    piola_status rc = PIOLA_OK;
    d->samples = (int32_t)t->n_times;
    d->rows = (int32_t)t->n_what;
    d->points = points;
    d->point_weight = weights;
    if (!points || (t->weight >= 0 && !weights)) return pio_fail_memory(error, sizeof *points * n * dim, "points");
    for (size_t i = 0; i < n * dim; i++) points[i] = NAN;
    for (size_t r = 0; !rc && r < t->csv.n_rows; r++) {
        const size_t k = time_of(t, value_of(t, r, t->time)) * t->n_what + t->number[r];
        if (!isnan(points[k * dim])) rc = measured_twice(t, r, error);
        for (size_t c = 0; c < dim; c++) points[k * dim + c] = value_of(t, r, t->place[c]);
        if (weights) weights[k] = value_of(t, r, t->weight);
        if (!rc) rc = pio_stop_at((int64_t)r, PLACING, error);
    }
    return rc ? rc : check_weights(t, d, error);
}

/* ---- particles and nodes by number; points by their place at rest -------------------------------------------- */

/* Sets the row of each particle or node. */
static piola_status mark(const pio_model *m, const point_table *t, pio_observation_desc *d, piola_error *error)
{
    const int64_t *bodies = m->fem ? m->fem->node_first : m->body_first;
    const int64_t first = bodies[d->body], end = bodies[d->body + 1], n = pio_model_items(m, true);
    int32_t *marker = malloc(sizeof *marker * (size_t)n);
    if (!marker) return pio_fail_memory(error, sizeof *marker * (size_t)n, "points");
    d->marker = marker;
    for (int64_t i = 0; i < n; i++) marker[i] = -1;
    for (size_t i = 0; i < t->n_what; i++) {
        const double id = value_of(t, t->first[i], t->what[0]);
        if (id >= (double)(end - first))
            return pio_csv_fault(&t->csv, t->first[i], (size_t)t->what[0], error,
                                 "%s %.0f: the body has %lld, numbered from 0", t->name, id, (long long)(end - first));
        marker[first + (int64_t)id] = (int32_t)i;
    }
    return PIOLA_OK;
}

/* Sets the nodes and shape functions of row i, which lies in the element p of the body. */
static void set_row(const pio_model *m, pio_observation_desc *d, size_t i, const pio_mesh_point *p)
{
    const pio_mesh *mesh = &m->fem->mesh[d->body];
    int32_t *start = (int32_t *)(uintptr_t)d->row_start, *node = (int32_t *)(uintptr_t)d->row_node;
    pio_element_type type;
    const int32_t *nodes = pio_mesh_element(mesh, p->cell, &type);
    pio_element_values(type, p->r, (double *)(uintptr_t)d->row_shape + start[i]);
    for (int a = 0; a < pio_elements[type].nodes; a++)
        node[start[i] + a] = nodes[a] + (int32_t)m->fem->node_first[d->body];
    start[i + 1] = start[i] + pio_elements[type].nodes;
}

/* Makes the transpose: the rows of each node. */
static piola_status transpose(const pio_model *m, pio_observation_desc *d, piola_error *error)
{
    const size_t nodes = (size_t)pio_model_items(m, true), entries = (size_t)d->row_start[d->rows];
    int32_t *start = calloc(nodes + 2, sizeof *start), *row = malloc(sizeof *row * (entries + 1));
    double *shape = malloc(sizeof *shape * (entries + 1));
    d->node_start = start;
    d->node_row = row;
    d->node_shape = shape;
    if (!start || !row || !shape) return pio_fail_memory(error, (sizeof *row + sizeof *shape) * entries, "points");
    for (size_t j = 0; j < entries; j++) start[d->row_node[j] + 2]++;
    for (size_t i = 0; i < nodes; i++) start[i + 2] += start[i + 1];
    for (int32_t r = 0; r < d->rows; r++)
        for (int32_t j = d->row_start[r]; j < d->row_start[r + 1]; j++) {
            const int32_t at = start[d->row_node[j] + 1]++;
            row[at] = r;
            shape[at] = d->row_shape[j];
        }
    return PIOLA_OK;
}

/* Finds the element of each place at rest. */
static piola_status place_in_elements(const pio_model *m, const point_table *t, pio_observation_desc *d,
                                      piola_error *error)
{
    const size_t rows = t->n_what, entries = rows * PIO_ELEMENT_NODES;
    pio_mesh_locator locator;
    int32_t *start = calloc(rows + 1, sizeof *start), *node = malloc(sizeof *node * (entries + 1));
    double *shape = malloc(sizeof *shape * (entries + 1));
    d->row_start = start;
    d->row_node = node;
    d->row_shape = shape;
    if (entries > INT32_MAX || !start || !node || !shape)
        return pio_fail_memory(error, (sizeof *node + sizeof *shape) * entries, "points");
    piola_status rc = pio_mesh_locator_create(&locator, &m->fem->mesh[d->body], error);
    if (rc) return rc;
    for (size_t i = 0; !rc && i < rows; i++) {
        pio_mesh_point p;
        double X[3] = {0};
        piola_error inner;
        for (int c = 0; c < m->scene->method.dimension; c++) X[c] = value_of(t, t->first[i], t->what[c]);
        if (pio_model_find(m, d->body, &locator, X, &p, &inner))
            rc = pio_csv_fault(&t->csv, t->first[i], (size_t)t->what[0], error, "%s", inner.message);
        else
            set_row(m, d, i, &p);
        if (!rc) rc = pio_stop_at((int64_t)i, PLACING, error);
    }
    pio_mesh_locator_free(&locator);
    return rc ? rc : transpose(m, d, error);
}

static void free_table(point_table *t)
{
    pio_csv_free(&t->csv);
    free(t->times);
    free(t->number);
    free(t->first);
}

piola_status pio_model_points(pio_model *m, int o, piola_error *error)
{
    pio_observation_desc *d = &m->observations[o];
    point_table t = {0};
    char path[64];
    piola_status rc = read_table(m, o, &t, error);
    if (!rc) rc = find_times(&t, error);
    if (!rc) rc = find_what(m, &t, error);
    if (!rc) rc = check_room(&t, m->scene->method.dimension, error);
    if (!rc) rc = t.of_places ? PIOLA_OK : mark(m, &t, d, error);
    if (!rc) rc = place_rows(m, &t, d, error);
    if (!rc && t.of_places) rc = place_in_elements(m, &t, d, error);
    m->outputs[o].time = t.times;
    t.times = NULL;
    free_table(&t);
    snprintf(path, sizeof path, "observe[%d].points.file", o);
    return pio_scene_attribute_error(m->scene, rc, error, path);
}
