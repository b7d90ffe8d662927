/* design_map.c -- see design_map.h. */
#include "host/model/design_map.h"

#include "host/base/fail.h"
#include "host/model/design_filter.h"
#include "host/model/model_fem.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

bool pio_design_is_mapped(const scene_design *design)
{
    const scene_design_map *m = &design->map;
    return m->n_fixed || m->extrusion != SCENE_EXTRUDED_NOT || isfinite(m->symmetry[0]) || isfinite(m->symmetry[1]) ||
           isfinite(m->symmetry[2]);
}

/* ---- which elements have which variable --------------------------------------------------------------------- */

/* Marks the elements of part number k; a body that has none of it is no fault where another has some. */
static piola_status keep(pio_design_map *map, const pio_model *m, const scene_design *design, size_t k,
                         const int32_t *index, piola_error *error)
{
    const scene_fixed *part = &design->map.fixed[k];
    const pio_model_fem *f = m->fem;
    int32_t found = 0;
    char path[64];
    piola_status rc = PIOLA_OK;
    snprintf(path, sizeof path, "design[%zu].fixed[%zu].on", (size_t)(design - m->scene->goal.design), k);
    for (int b = 0; (!rc || rc == PIOLA_BAD_DATA) && b < f->bodies; b++) {
        pio_index_list list;
        bool governed = false;
        for (int64_t e = f->element_first[b]; e < f->element_first[b + 1]; e++) governed |= index[e] >= 0;
        if (!governed) continue;
        rc = pio_model_elements(m, path, (size_t)b, &part->on, &list, error);
        for (int32_t i = 0; i < list.n; i++) {
            const int32_t at = index[list.item[i]];
            if (at < 0) continue;
            map->kept[at] = part->value;
            found++;
        }
        free(list.item);
    }
    if (found && (!rc || rc == PIOLA_BAD_DATA)) return PIOLA_OK;
    return rc ? rc : pio_scene_fault(m->scene, error, path, "no element of the field lies there");
}

/* Numbers the variables in the order of their first elements, and sets shares of the volume. */
static void number_variables(pio_design_map *map, const int32_t *root, int32_t *of_root, double *volume)
{
    const int32_t n = map->elements.n;
    for (int32_t i = 0; i < n; i++) of_root[i] = -1;
    for (int32_t i = 0; i < n; i++) {
        map->variable[i] = -1;
        if (!isnan(map->kept[i])) continue;
        if (of_root[root[i]] < 0) {
            volume[map->variables] = 0;
            of_root[root[i]] = map->variables++;
        }
        map->variable[i] = of_root[root[i]];
        volume[map->variable[i]] += map->elements.volume[i];
    }
    for (int32_t i = 0; i < n; i++)
        map->share[i] = map->variable[i] < 0 ? 0 : map->elements.volume[i] / volume[map->variable[i]];
}

piola_status pio_design_map_create(pio_design_map *out, const pio_model *m, const scene_design *design,
                                   const int32_t *index, int32_t n, piola_error *error)
{
    const size_t room = (size_t)n + 1;
    *out = (pio_design_map){0};
    piola_status rc = pio_field_elements_create(&out->elements, m, index, n, error);
    if (rc) return rc;
    int32_t *root = malloc(sizeof *root * room), *of_root = malloc(sizeof *of_root * room);
    double *volume = malloc(sizeof *volume * room);
    out->variable = malloc(sizeof *out->variable * room);
    out->kept = malloc(sizeof *out->kept * room);
    out->z = malloc(sizeof *out->z * room);
    out->share = malloc(sizeof *out->share * room);
    if (!root || !of_root || !volume || !out->variable || !out->kept || !out->z || !out->share)
        rc = pio_fail_memory(error, room * 40, "a design");
    for (int32_t i = 0; !rc && i < n; i++) out->kept[i] = NAN;
    for (size_t k = 0; !rc && k < design->map.n_fixed; k++) rc = keep(out, m, design, k, index, error);
    if (!rc) rc = pio_design_tie(m, design, &out->elements, root, error);
    if (!rc) number_variables(out, root, of_root, volume);
    free(root);
    free(of_root);
    free(volume);
    if (!rc && out->variables == 0) {
        char path[64];
        snprintf(path, sizeof path, "design[%zu].fixed", (size_t)(design - m->scene->goal.design));
        return pio_scene_fault(m->scene, error, path,
                               "all elements of the field are fixed, and none is left to design");
    }
    return rc;
}

void pio_design_map_free(pio_design_map *map)
{
    pio_field_elements_free(&map->elements);
    free(map->variable);
    free(map->kept);
    free(map->z);
    free(map->share);
    *map = (pio_design_map){0};
}

/* Lists the elements of each variable, ascending: start [variables + 1], member [start[variables]]. Returns false when
 * there is no memory. */
static bool list_members(const pio_design_map *map, int32_t **start, int32_t **member)
{
    *start = calloc((size_t)map->variables + 2, sizeof **start);
    *member = malloc(sizeof **member * ((size_t)map->elements.n + 1));
    if (!*start || !*member) return false;
    for (int32_t i = 0; i < map->elements.n; i++)
        if (map->variable[i] >= 0) (*start)[map->variable[i] + 2]++;
    for (int32_t v = 0; v < map->variables; v++) (*start)[v + 2] += (*start)[v + 1];
    for (int32_t i = 0; i < map->elements.n; i++)
        if (map->variable[i] >= 0) (*member)[(*start)[map->variable[i] + 1]++] = i;
    return true;
}

/* ---- filters -------------------------------------------------------------------------------------------------- */

/* The row of one variable as it is summed: weights by column, and the columns that have one. */
typedef struct {
    double *weight; /* [variables] 0 of columns that are not listed */
    int32_t *column, columns;
    bool *listed; /* [variables] */
    double offset;
} row_sum;

static int ascending(const void *a, const void *b)
{
    const int32_t i = *(const int32_t *)a, j = *(const int32_t *)b;
    return (i > j) - (i < j);
}

/* Adds the row of element i, times its share. */
static void add_row(row_sum *r, const pio_filter_desc *h, const pio_design_map *map, int32_t i)
{
    for (int32_t e = h->start[i]; e < h->start[i + 1]; e++) {
        const int32_t j = h->from[e], v = map->variable[j];
        const double weight = map->share[i] * h->weight[e];
        if (v < 0) {
            r->offset += weight * map->z[j];
            continue;
        }
        if (!r->listed[v]) r->column[r->columns++] = v;
        r->listed[v] = true;
        r->weight[v] += weight;
    }
}

/* Moves a row to the end of the rows of `to`, which have room. */
static int32_t end_row(row_sum *r, int32_t n, int32_t *from, double *weight)
{
    qsort(r->column, (size_t)r->columns, sizeof *r->column, ascending);
    for (int32_t k = 0; k < r->columns; k++) {
        const int32_t v = r->column[k];
        from[n] = v;
        weight[n++] = r->weight[v];
        r->weight[v] = 0;
        r->listed[v] = false;
    }
    r->columns = 0;
    return n;
}

/* Makes all rows; no more entries are needed than there were. */
static void make_rows(row_sum *r, const pio_filter_desc *h, const pio_design_map *map, const int32_t *first,
                      const int32_t *member, const pio_filter_desc *to)
{
    int32_t n = 0, *start = (int32_t *)to->start;
    double *offset = (double *)to->offset;
    for (int32_t v = 0; v < map->variables; v++) {
        start[v] = n;
        r->offset = 0;
        for (int32_t k = first[v]; k < first[v + 1]; k++) add_row(r, h, map, member[k]);
        offset[v] = r->offset;
        n = end_row(r, n, (int32_t *)to->from, (double *)to->weight);
    }
    start[map->variables] = n;
}

piola_status pio_design_map_filter(pio_filter_desc **filter, const pio_design_map *map, piola_error *error)
{
    const size_t n = (size_t)map->variables + 1, entries = (size_t)(*filter)->start[map->elements.n] + 1;
    int32_t *first, *member;
    row_sum r = {.weight = calloc(n, sizeof *r.weight),
                 .column = malloc(sizeof *r.column * n),
                 .listed = calloc(n, sizeof *r.listed)};
    pio_filter_desc *to = calloc(1, sizeof *to);
    bool ok = list_members(map, &first, &member) && r.weight && r.column && r.listed && to;
    if (ok) {
        to->start = malloc(sizeof *to->start * n);
        to->offset = malloc(sizeof *to->offset * n);
        to->from = malloc(sizeof *to->from * entries);
        to->weight = malloc(sizeof *to->weight * entries);
        ok = to->start && to->offset && to->from && to->weight;
    }
    if (ok) make_rows(&r, *filter, map, first, member, to);
    if (ok) ok = pio_filter_transpose(to, map->variables);
    free(first);
    free(member);
    free(r.weight);
    free(r.column);
    free(r.listed);
    pio_filter_free(*filter);
    *filter = to;
    return ok ? PIOLA_OK : pio_fail_memory(error, entries * 24, "a filter");
}

/* ---- the model ------------------------------------------------------------------------------------------------ */

/* Sets where the model has the quantity of its elements: value of element e at [e * *stride]. NULL: nowhere. */
static double *values_of(const pio_model_fem *f, pio_quantity quantity, size_t *stride)
{
    *stride = 1;
    if (quantity == PIO_DENSITY) return f->density;
    if (quantity == PIO_THICKNESS) return f->thickness;
    if (quantity == PIO_RELATIVE_DENSITY) return f->relative_density;
    if (quantity == PIO_CHOICE) return f->choice;
    if (quantity == PIO_EXPANSION) return f->expansion;
    if (quantity == PIO_TEMPERATURE) return f->temperature;
    if (quantity == PIO_MASS_DAMPING) return f->alpha;
    if (quantity == PIO_STIFFNESS_DAMPING) return f->beta;
    *stride = PIO_LAW_CONSTANTS;
    return f->law_parameters + (quantity - PIO_LAW_PARAMETER_0);
}

piola_status pio_design_map_apply(const pio_design_map *map, pio_model *m, pio_parameter *p, pio_design_desc *d,
                                  piola_error *error)
{
    const pio_field_elements *e = &map->elements;
    int32_t free_elements = 0;
    for (int32_t i = 0; i < e->n; i++) free_elements += map->variable[i] >= 0;
    const bool tied = map->variables < free_elements;
    int32_t *index = (int32_t *)d->index, *start = NULL, *member = NULL;
    size_t stride;
    double *values = values_of(m->fem, d->quantity, &stride);
    if (tied && !list_members(map, &start, &member)) {
        free(start);
        free(member);
        return pio_fail_memory(error, sizeof *member * (size_t)e->n, "a design");
    }
    for (int32_t i = 0; i < e->n; i++) {
        index[e->item[i]] = map->variable[i];
        if (values && map->variable[i] < 0) values[(size_t)e->item[i] * stride] = map->kept[i];
    }
    for (int32_t k = 0; tied && k < start[map->variables]; k++) member[k] = e->item[member[k]];
    d->member_start = start;
    d->member = member;
    d->groups = p->groups = map->variables;
    return PIOLA_OK;
}

piola_status pio_design_map_kept(const pio_model *m, int k, double *out, piola_error *error)
{
    const pio_parameter *p = &m->parameters[k];
    const size_t n = (size_t)pio_model_items(m, false);
    size_t stride;
    const double *values = values_of(m->fem, m->designs[k].quantity, &stride);
    int32_t *index = malloc(sizeof *index * (n + 1)); /* as it was before pio_design_map_apply() */
    if (!index) return pio_fail_memory(error, sizeof *index * (n + 1), "a design");
    pio_model_fem_groups(m, p->target, p->design->per, index);
    for (size_t e = 0; values && e < n; e++)
        if (index[e] >= 0 && m->designs[k].index[e] < 0) out[e] = values[e * stride];
    free(index);
    return PIOLA_OK;
}
