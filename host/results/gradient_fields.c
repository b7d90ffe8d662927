/* gradient_fields.c -- see gradient_fields.h. */
#include "host/results/gradient_fields.h"

#include "host/base/fail.h"
#include "host/model/model_fem.h"
#include "host/scene/design_path.h"
#include "host/scene/design_table.h"
#include "host/scene/words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns whether the engine has the field of the row; rings have no thickness. */
static bool engine_has(const pio_session *s, const design_row *row)
{
    if (row->quantity == PIO_THICKNESS && s->model->fem && s->model->fem->desc.plane == PIO_AXISYMMETRIC) return false;
    return s->engine.table->components(s->sim, row->field) > 0;
}

/* Returns the row of a quantity that materials have beside the constants of their laws; NULL if no row has this key. */
static const design_row *row_beside(const char *key)
{
    const design_row *row;
    for (size_t r = 0; (row = pio_design_row(r)); r++)
        if (row->owner == SCENE_OWNER_MATERIAL && row->key && !strcmp(row->key, key)) return row;
    return NULL;
}

/* Returns whether `key` names a constant of some law. */
static bool is_constant(const char *key)
{
    const pio_law_constant *c;
    for (int i = 0; (c = pio_law_every_constant(i)); i++)
        if (!strcmp(c->key, key)) return true;
    return false;
}

/* Returns whether a material of a body has this constant. The viscosity of solids is not a constant of their laws. */
static bool scene_has(const pio_session *session, const design_row *row, const char *key)
{
    const pio_scene *s = session->scene;
    const design_row *beside = row_beside(key);
    if (beside && engine_has(session, beside)) return true;
    for (size_t b = 0; b < s->matter.n_bodies; b++) {
        const scene_body *body = &s->matter.bodies[b];
        for (size_t m = 0; m < s->materials.n; m++) {
            bool used = !strcmp(body->material, s->materials.v[m].name);
            for (size_t r = 0; r < body->n_regions; r++)
                used |= !strcmp(body->regions[r].material, s->materials.v[m].name);
            if (used && row->constant(&s->materials.v[m], key)) return true;
        }
    }
    return false;
}

/* Writes the unit of a derivative with respect to a quantity in `unit` ("" or "1" for a plain number), such as "1/Pa"
 * or "1/(m/s)". */
static void inverse_unit(const char *unit, char *out, size_t size)
{
    if (!*unit || !strcmp(unit, "1"))
        snprintf(out, size, "1");
    else
        snprintf(out, size, "1/%s%s%s", strpbrk(unit, "/.") ? "(" : "", unit, strpbrk(unit, "/.") ? ")" : "");
}

/* Returns the row of the scene's field i, NULL past the last. *constant is the constant of a row for laws, otherwise
 * NULL. */
static const design_row *row_of(const pio_session *s, int i, const pio_law_constant **constant)
{
    const design_row *row;
    for (size_t r = 0; (row = pio_design_row(r)); r++) {
        *constant = NULL;
        for (int k = 0; row->every && (*constant = row->every(k)); k++)
            if (scene_has(s, row, (*constant)->key) && i-- == 0) return row;
        if (row->key && row->field && !is_constant(row->key) && engine_has(s, row) && i-- == 0) return row;
    }
    return NULL;
}

/* Describes field i of the derivatives with respect to what each item has; returns 0 past the last. */
static int field_of(const pio_session *s, int i, pio_gradient_field *out)
{
    const pio_law_constant *c;
    const design_row *row = row_of(s, i, &c);
    if (!row) return 0;
    const bool fem = s->model->fem != NULL;
    *out = (pio_gradient_field){.constant = c != NULL, .quantity = c ? c->meaning : row->meaning};
    out->components = c ? 1 : s->engine.table->components(s->sim, row->field);
    out->nodal = fem && !c && pio_nodal(row->quantity);
    snprintf(out->of, sizeof out->of, "%s", c ? c->key : row->key);
    snprintf(out->name, sizeof out->name, "grad_%.26s", out->of);
    snprintf(out->engine_field, sizeof out->engine_field, "%s", c ? "" : row->field);
    inverse_unit(c ? c->unit : pio_quantity_unit(pio_design_row_unit(s->scene, row)), out->units, sizeof out->units);
    snprintf(out->meaning, sizeof out->meaning, "derivative of the objective with respect to the %s of each %s",
             out->quantity,
             out->nodal ? "node"
             : fem      ? "element"
                        : "particle");
    return 1;
}

/* Returns whether fields of elements are wanted as they are, or over volumes. */
static bool is_wanted(const pio_session *s, const char *per)
{
    const scene_strings *list = &s->scene->output.gradient_per;
    bool wanted = false;
    for (size_t i = 0; i < list->n; i++) wanted |= !strcmp(list->v[i], per);
    return wanted;
}

static void make_per_volume(pio_gradient_field *g)
{
    const size_t name = strlen(g->name), units = strlen(g->units), meaning = strlen(g->meaning);
    g->per_volume = true;
    snprintf(g->name + name, sizeof g->name - name, "_per_volume");
    snprintf(g->units + units, sizeof g->units - units, "/m3");
    snprintf(g->meaning + meaning, sizeof g->meaning - meaning, ", over its volume at rest");
}

int pio_gradient_field_of(const pio_session *s, int i, pio_gradient_field *out)
{
    for (int k = 0; field_of(s, k, out); k++) {
        const bool of_elements = s->model->fem && !out->nodal;
        if ((!of_elements || is_wanted(s, pio_gradient_per_words[SCENE_GRADIENT_PER_ELEMENT])) && i-- == 0) return 1;
        if (!of_elements || !is_wanted(s, pio_gradient_per_words[SCENE_GRADIENT_PER_VOLUME]) || i-- != 0) continue;
        make_per_volume(out);
        return 1;
    }
    return 0;
}

piola_status pio_write_parameters(pio_snapshot *file, const pio_model *m, const double *value, const double *value_bar,
                                  piola_error *error)
{
    for (int k = 0; k < m->n_parameters; k++) {
        const pio_parameter *p = &m->parameters[k];
        int64_t shape[2] = {p->groups, p->components};
        char units[64];
        const int rank = p->groups > 1 ? (p->components > 1 ? 2 : 1) : p->components > 1 ? 1 : 0;
        if (p->groups == 1) shape[0] = p->components;
        inverse_unit(p->unit, units, sizeof units);
        const pio_snapshot_gradient g = {p->path, value + p->first, value_bar + p->first, rank, shape, p->unit, units};
        const piola_status rc = pio_snapshot_put_gradient(file, &g, error);
        if (rc) return rc;
    }
    return PIOLA_OK;
}

/* Which of the engine's fields of a quantity is read, and what the items have that lack it. */
typedef struct {
    size_t skip;   /* letters of the name of the field of derivatives that the name of the field does not have */
    double absent; /* value of those items */
} reading;

static const reading derivatives = {0, 0}, own_values = {sizeof "grad_" - 1, (double)NAN};

/* Reads a constant of laws, or the derivatives with respect to it. Each law has it at another of the engine's numbers,
 * so every number is read once. The viscosity of solids belongs to no law; its field is 0 for fluids. */
static piola_status read_constant(pio_session *s, const char *key, reading what, double *values, double *one,
                                  piola_error *error)
{
    const int64_t items = pio_model_items(s->model, false);
    const design_row *row, *beside = row_beside(key);
    for (int64_t i = 0; i < items; i++) values[i] = what.absent;
    if (beside && engine_has(s, beside)) {
        const piola_status rc = s->engine.table->read(s->sim, beside->field + what.skip, values, error);
        if (rc) return rc;
    }
    for (size_t r = 0; (row = pio_design_row(r)); r++)
        for (int number = 0; row->constant && number < PIO_LAW_CONSTANTS; number++) {
            char field[32];
            snprintf(field, sizeof field, "%.20s%d", row->field + what.skip, number);
            if (!s->engine.table->components(s->sim, field)) continue;
            const piola_status rc = s->engine.table->read(s->sim, field, one, error);
            if (rc) return rc;
            for (int64_t i = 0; i < items; i++) {
                const pio_law_constant *c = row->constant(pio_model_material(s->model, i), key);
                if (c && c->number == number) values[i] = one[i];
            }
        }
    return PIOLA_OK;
}

/* Computes the volumes of all elements at rest, [elements] m^3, of the places and thicknesses that the design has; x
 * has room for [nodes][3] and for [elements]. */
static piola_status read_volumes(pio_session *s, double *x, double *volume, piola_error *error)
{
    const pio_model_fem *f = s->model->fem;
    const int64_t nodes = pio_model_items(s->model, true), elements = pio_model_items(s->model, false);
    const int dim = s->scene->method.dimension;
    const bool rings = dim == 2 && s->scene->fem.plane == PIO_AXISYMMETRIC;
    piola_status rc = s->engine.table->read(s->sim, "rest_position", x, error);
    for (int64_t i = nodes - 1; !rc && i >= 0; i--)
        for (int a = 2; a >= 0; a--) x[3 * i + a] = a < dim ? x[dim * i + a] : 0;
    for (int b = 0; !rc && b < f->bodies; b++) {
        pio_mesh mesh = f->mesh[b];
        mesh.x = x + 3 * f->node_first[b];
        (rings ? pio_mesh_ring_volumes : pio_mesh_cell_volumes)(&mesh, volume + f->element_first[b]);
    }
    if (rc || dim == 3) return rc;
    rc = s->engine.table->read(s->sim, "thickness", x, error);
    for (int64_t e = 0; !rc && e < elements; e++) volume[e] *= x[e];
    return rc;
}

static piola_status divide_by_volumes(pio_session *s, const pio_gradient_field *g, double *values, piola_error *error)
{
    const int64_t nodes = pio_model_items(s->model, true), elements = pio_model_items(s->model, false);
    const int64_t most = 3 * nodes > elements ? 3 * nodes : elements;
    const size_t bytes = sizeof(double) * (size_t)(most + elements);
    double *x = malloc(bytes), *volume = x + most;
    if (!x) return pio_fail_memory(error, bytes, "volumes of elements");
    const piola_status rc = read_volumes(s, x, volume, error);
    for (int64_t v = 0; !rc && v < elements * g->components; v++) values[v] /= volume[v / g->components];
    free(x);
    return rc;
}

static piola_status read_field(pio_session *s, const pio_gradient_field *g, reading what, double *values,
                               piola_error *error)
{
    if (!g->constant) return s->engine.table->read(s->sim, g->engine_field + what.skip, values, error);
    const size_t bytes = sizeof(double) * (size_t)pio_model_items(s->model, false);
    double *one = malloc(bytes);
    if (!one) return pio_fail_memory(error, bytes, "a field of constants");
    const piola_status rc = read_constant(s, g->of, what, values, one, error);
    free(one);
    return rc;
}

/* Finds the number, and the row, of a constant that all items have by the same one. Returns false if they have not. */
static bool one_number(const pio_session *s, const char *key, const design_row **of, int *number)
{
    const int64_t items = pio_model_items(s->model, false);
    const design_row *row;
    for (size_t r = 0; (row = pio_design_row(r)); r++) {
        int64_t have = 0;
        for (int64_t i = 0; row->constant && i < items; i++) {
            const pio_law_constant *c = row->constant(pio_model_material(s->model, i), key);
            if (!c || (i > 0 && c->number != *number)) break;
            *number = c->number;
            *of = row;
            have++;
        }
        if (have == items) return true;
    }
    return false;
}

bool pio_gradient_field_source(const pio_session *s, const pio_gradient_field *g, char name[64])
{
    const design_row *row = row_beside(g->of);
    int number = 0;
    if (g->per_volume) return false;
    snprintf(name, 64, "%s", g->engine_field);
    if (!g->constant) return true;
    if ((row && engine_has(s, row)) || !one_number(s, g->of, &row, &number)) return false;
    snprintf(name, 64, "%.20s%d", row->field, number);
    return s->engine.table->components(s->sim, name) > 0;
}

piola_status pio_gradient_field_read(pio_session *s, const pio_gradient_field *g, double *values, piola_error *error)
{
    const piola_status rc = read_field(s, g, derivatives, values, error);
    return rc || !g->per_volume ? rc : divide_by_volumes(s, g, values, error);
}

piola_status pio_quantity_read(pio_session *s, const char *key, double *values, piola_error *error)
{
    pio_gradient_field g;
    for (int i = 0; field_of(s, i, &g); i++) {
        if (strcmp(g.of, key) || g.nodal || g.components != 1) continue;
        if (g.constant || s->engine.table->components(s->sim, g.engine_field + own_values.skip) == 1)
            return read_field(s, &g, own_values, values, error);
    }
    for (int64_t i = 0; i < pio_model_items(s->model, false); i++) values[i] = (double)NAN;
    return PIOLA_OK;
}
