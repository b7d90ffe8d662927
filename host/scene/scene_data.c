/* scene_data.c -- the tables that a scene names must exist, have the columns and fit the time. */
#include "host/data/csv.h"
#include "host/scene/scene_private.h"

#include <limits.h>
#include <math.h>
#include <string.h>

void pio_scene_report(cfg_doc *doc, const char *path, const piola_error *error)
{
    bool found;
    const cfg_node *node = pio_cfg_find(doc->root, path, &found);
    pio_cfg_report(doc, error->status, node->mark, path, "%s", error->message);
}

bool pio_scene_table_of(const pio_scene *s, cfg_doc *doc, const char *path, const char *file, pio_csv *csv)
{
    char place[PATH_MAX];
    piola_error error;
    if (!pio_scene_file(s, file, place, sizeof place, &error) && !pio_csv_load(csv, place, &error)) {
        pio_cfg_input(doc, place, csv->sha256);
        return true;
    }
    pio_scene_report(doc, path, &error);
    return false;
}

int pio_scene_column(cfg_doc *doc, const char *path, const pio_csv *csv, const char *name)
{
    piola_error error;
    int c = pio_csv_column(csv, name, &error);
    if (c < 0) pio_scene_report(doc, path, &error);
    return c;
}

/* Checks that every time lies within the run. */
static void check_times(const pio_scene *s, cfg_doc *doc, const char *path, const pio_csv *csv, int c)
{
    piola_error error;
    for (size_t row = 0; row < csv->n_rows && c >= 0; row++) {
        double t = csv->values[row * csv->n_columns + (size_t)c];
        if (t >= 0 && t <= s->time.duration * (1 + 1e-9)) continue;
        pio_csv_fault(csv, row, (size_t)c, &error, "the time %g s is outside the run, 0 to %g s", t, s->time.duration);
        pio_scene_report(doc, path, &error);
        return;
    }
}

static void check_misfit(const pio_scene *s, cfg_doc *doc, size_t i)
{
    const scene_term *t = &s->goal.objective[i];
    pio_csv csv;
    PATH(file, "objective[%zu].data.file", i);
    PATH(time, "objective[%zu].data.time", i);
    if (!pio_scene_table_of(s, doc, file, t->data_file, &csv)) return;
    check_times(s, doc, time, &csv, pio_scene_column(doc, time, &csv, t->time_column));
    for (size_t k = 0; k < t->columns.n; k++) {
        PATH(path, "objective[%zu].data.columns[%zu]", i, k);
        pio_scene_column(doc, path, &csv, t->columns.v[k]);
    }
    pio_csv_free(&csv);
}

/* Checks that a column weight, where there is one, is not below 0. */
static void check_weights(cfg_doc *doc, const char *path, const pio_csv *csv)
{
    size_t w = 0;
    piola_error error;
    while (w < csv->n_columns && strcmp(csv->columns[w], "weight") != 0) w++;
    for (size_t r = 0; w < csv->n_columns && r < csv->n_rows; r++) {
        const double weight = csv->values[r * csv->n_columns + w];
        if (weight >= 0) continue;
        pio_csv_fault(csv, r, w, &error, "%g is below 0; a weight is at least 0", weight);
        pio_scene_report(doc, path, &error);
        return;
    }
}

/* Reports columns X, Y, Z of places at rest beside a column node, and missing ones; returns whether there are such
 * columns. */
static bool check_rest_places(const pio_scene *s, cfg_doc *doc, const char *path, const pio_csv *csv)
{
    static const char *const names[] = {"X", "Y", "Z"};
    bool places = false, numbers = false;
    for (size_t c = 0; c < csv->n_columns; c++) {
        places |= !strcmp(csv->columns[c], names[0]);
        numbers |= !strcmp(csv->columns[c], "node");
    }
    if (s->method.type != SCENE_FEM || !places) return false;
    for (int c = 0; c < s->method.dimension; c++) pio_scene_column(doc, path, csv, names[c]);
    if (numbers)
        pio_cfg_fault(doc, path,
                      "%s has a column node and a column X; a point has a number or a place at rest: remove "
                      "one of them",
                      csv->path);
    return true;
}

/* The columns are time, particle or node or X, Y[, Z], then x, y[, z][, weight]; particles and nodes are whole numbers
 * from 0. */
static void check_points(const pio_scene *s, cfg_doc *doc, size_t i)
{
    const char *const names[] = {"time", s->method.type == SCENE_FEM ? "node" : "particle", "x", "y", "z"};
    int at[5] = {0};
    pio_csv csv;
    piola_error error;
    PATH(path, "observe[%zu].points.file", i);
    if (!pio_scene_table_of(s, doc, path, s->goal.observe[i].points_file, &csv)) return;
    const bool places = check_rest_places(s, doc, path, &csv);
    for (int c = 0; c < 2 + s->method.dimension; c++)
        at[c] = places && c == 1 ? -1 : pio_scene_column(doc, path, &csv, names[c]);
    check_times(s, doc, path, &csv, at[0]);
    for (size_t row = 0; row < csv.n_rows && at[1] >= 0; row++) {
        double id = csv.values[row * csv.n_columns + (size_t)at[1]];
        if (id >= 0 && id <= 2147483647.0 && !(id > floor(id))) continue;
        pio_csv_fault(&csv, row, (size_t)at[1], &error, "%g is not the number of a %s, a whole number from 0", id,
                      names[1]);
        pio_scene_report(doc, path, &error);
        break;
    }
    check_weights(doc, path, &csv);
    pio_csv_free(&csv);
}

int pio_scene_course_column(cfg_doc *doc, const char *path, const pio_csv *csv)
{
    piola_error error;
    const int t = pio_scene_column(doc, path, csv, "time");
    for (size_t row = 1; row < csv->n_rows && t >= 0; row++) {
        const double *at = csv->values + row * csv->n_columns + t, before = *(at - csv->n_columns);
        if (*at > before) continue;
        pio_csv_fault(csv, row, (size_t)t, &error, "the times must increase, but %g s follows %g s", *at, before);
        pio_scene_report(doc, path, &error);
        break;
    }
    return t;
}

/* The columns are time and value. */
static void check_curve_file(const pio_scene *s, cfg_doc *doc, size_t i)
{
    pio_csv csv;
    PATH(path, "curves[%zu].file", i);
    if (!pio_scene_table_of(s, doc, path, s->loading.curves[i].file, &csv)) return;
    pio_scene_course_column(doc, path, &csv);
    pio_scene_column(doc, path, &csv, "value");
    pio_csv_free(&csv);
}

void pio_scene_validate_data(const pio_scene *scene, cfg_doc *doc)
{
    for (size_t i = 0; i < scene->loading.n_curves; i++)
        if (scene->loading.curves[i].file) check_curve_file(scene, doc, i);
    for (size_t i = 0; i < scene->goal.n_objective; i++)
        if (scene->goal.objective[i].type == SCENE_MISFIT) check_misfit(scene, doc, i);
    for (size_t i = 0; i < scene->goal.n_observe; i++)
        if (scene->goal.observe[i].type == PIO_DISTANCE) check_points(scene, doc, i);
}
