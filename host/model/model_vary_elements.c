/* model_vary_elements.c -- values of elements that vary in space (model_vary.c): thickness, temperature and relative
 * density of bodies, constants of materials; and what must hold of elements that are heated. */
#include "host/model/model_fem.h"

#include "host/base/fail.h"
#include "host/scene/law.h"
#include "solvers/engine/program.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

piola_status pio_model_vary_items(pio_vary_desc *d, int64_t first, int64_t end, piola_error *error)
{
    int32_t *items = malloc(sizeof *items * ((size_t)(end - first) + 1));
    if (!items) return pio_fail_memory(error, sizeof *items * (size_t)(end - first), "values that vary");
    for (int64_t i = first; i < end; i++) items[i - first] = (int32_t)i;
    d->items = items;
    d->n = (int32_t)(end - first);
    return PIOLA_OK;
}

/* Sets x to the mean of the nodes of element i of a block, m. */
static void middle(const pio_model *m, const pio_block_desc *block, int32_t i, double x[3])
{
    const int nodes = pio_elements[block->type].nodes, dim = m->scene->method.dimension;
    x[0] = x[1] = x[2] = 0;
    for (int n = 0; n < nodes; n++)
        for (int c = 0; c < dim; c++)
            x[c] += m->fem->rest[(int64_t)block->nodes[(int64_t)i * nodes + n] * dim + c] / nodes;
}

/* Returns the program of a body's value of this kind. */
static int32_t program_of(const pio_model *m, scene_vary_kind kind, size_t b)
{
    int32_t program = -1;
    for (int32_t i = 0; i < m->fem->desc.programs.n; i++)
        if (m->fem->program_of[i].kind == kind && m->fem->program_of[i].index == b) program = i;
    return program;
}

/* Returns a number and its unit, of which there may be none. */
static const char *number_text(double value, const char *unit, char out[48])
{
    if (isnan(value))
        snprintf(out, 48, "not a number");
    else
        snprintf(out, 48, "%g%s%s", value, *unit ? " " : "", unit);
    return out;
}

/* Sets the thickness, temperature or relative density of an element in the middle of which is x, as designs begin with
 * it. */
static piola_status set_body(pio_model *m, size_t b, const pio_vary_desc *d, int64_t e, const double x[3],
                             piola_error *error)
{
    pio_model_fem *f = m->fem;
    const double value = pio_program_value(&f->desc.programs, d->program[0], x, 0);
    char path[64], place[80], text[48];
    pio_model_place(m, x, place, sizeof place);
    if (d->quantity == PIO_TEMPERATURE) {
        snprintf(path, sizeof path, "bodies[%zu].temperature", b);
        f->temperature[e] = value;
        if (isfinite(value)) return PIOLA_OK;
        return pio_scene_fault(m->scene, error, path, "at %s it is %s; it must be finite", place,
                               number_text(value, "K", text));
    }
    if (d->quantity == PIO_RELATIVE_DENSITY) {
        snprintf(path, sizeof path, "bodies[%zu].relative_density", b);
        f->relative_density[e] = value;
        if (value >= 0 && value <= 1) return PIOLA_OK;
        return pio_scene_fault(m->scene, error, path, "at %s it is %s; a relative density must be from 0 to 1", place,
                               number_text(value, "", text));
    }
    snprintf(path, sizeof path, "bodies[%zu].thickness", b);
    f->thickness[e] = value;
    if (value > 0 && isfinite(value)) return PIOLA_OK;
    return pio_scene_fault(m->scene, error, path, "at %s it is %s; a thickness must be above 0", place,
                           number_text(value, "m", text));
}

/* The thickness, temperature or relative density of a body's elements. */
static piola_status add_body(pio_model *m, size_t b, scene_vary_kind kind, piola_error *error)
{
    pio_model_fem *f = m->fem;
    piola_status rc = PIOLA_OK;
    if (!pio_scene_varies(m->scene, kind, b)) return PIOLA_OK;
    int64_t first = 0;
    for (int32_t k = 0; !rc && k < f->desc.n_blocks; first += f->blocks[k++].n) {
        if (f->body[first] != (int32_t)b) continue;
        pio_vary_desc *d = &f->varies[f->desc.n_varies++];
        *d = (pio_vary_desc){.components = 1, .program = {program_of(m, kind, b), -1, -1}};
        d->quantity = kind == SCENE_VARY_TEMPERATURE ? PIO_TEMPERATURE
                      : kind == SCENE_VARY_THICKNESS ? PIO_THICKNESS
                                                     : PIO_RELATIVE_DENSITY;
        rc = pio_model_vary_items(d, first, first + f->blocks[k].n, error);
        for (int32_t i = 0; !rc && i < f->blocks[k].n; i++) {
            double x[3];
            middle(m, &f->blocks[k], i, x);
            rc = set_body(m, b, d, first + i, x, error);
        }
    }
    return rc;
}

/* Lists the elements of a block, which begins with element `first` of the mesh, that are of a material. */
static piola_status list_material(pio_model *m, pio_vary_desc *d, int64_t first, int32_t count, int32_t material,
                                  piola_error *error)
{
    const pio_model_fem *f = m->fem;
    int32_t *items = malloc(sizeof *items * ((size_t)count + 1));
    if (!items) return pio_fail_memory(error, sizeof *items * (size_t)count, "values that vary");
    d->items = items;
    for (int64_t e = first; e < first + count; e++)
        if (f->material[e] == material) items[d->n++] = (int32_t)e;
    return PIOLA_OK;
}

/* Sets the constant of the elements of a list, as designs begin with it, where `field` says which. */
static piola_status set_material(pio_model *m, const pio_vary_desc *d, const pio_block_desc *block, int64_t first,
                                 const scene_vary *v, piola_error *error)
{
    pio_model_fem *f = m->fem;
    const bool density = d->quantity == PIO_DENSITY, expansion = d->quantity == PIO_EXPANSION;
    const int number = density || expansion ? 0 : (int)d->quantity - (int)PIO_LAW_PARAMETER_0;
    for (int32_t i = 0; i < d->n; i++) {
        const int64_t e = d->items[i];
        double x[3], *own = density     ? &f->density[e]
                            : expansion ? &f->expansion[e]
                                        : &f->law_parameters[PIO_LAW_CONSTANTS * e + number];
        char range[80], place[80], text[48];
        middle(m, block, (int32_t)(e - first), x);
        *own = pio_program_value(&f->desc.programs, d->program[0], x, 0);
        const bool massless = density && !(*own > 0) && m->scene->fem.integrator != PIO_STATIC;
        if (!massless && isfinite(*own) && pio_range_holds(&v->field->range, *own)) continue;
        pio_range_text(&v->field->range, range, sizeof range);
        pio_model_place(m, x, place, sizeof place);
        return pio_scene_fault(m->scene, error, v->path, "at %s it is %s; it must be %s", place,
                               number_text(*own, pio_quantity_unit(v->field->quantity), text),
                               massless ? "above 0"
                               : *range ? range
                                        : "finite");
    }
    return PIOLA_OK;
}

/* The constants of materials: expression number i, at the elements that have it. */
static piola_status add_material(pio_model *m, size_t i, const scene_vary *v, piola_error *error)
{
    pio_model_fem *f = m->fem;
    const pio_law_constant *c = pio_law_constant_of(&m->scene->materials.v[v->index], v->field->key);
    const pio_quantity other = strcmp(v->field->key, "expansion") ? PIO_DENSITY : PIO_EXPANSION;
    piola_status rc = PIOLA_OK;
    if (other == PIO_EXPANSION && !f->expansion) return PIOLA_OK; /* nothing is heated */
    int64_t first = 0;
    for (int32_t k = 0; !rc && k < f->desc.n_blocks; first += f->blocks[k++].n) {
        pio_vary_desc *d = &f->varies[f->desc.n_varies++];
        *d = (pio_vary_desc){.components = 1, .program = {(int32_t)i, -1, -1}};
        d->quantity = c ? (pio_quantity)((int)PIO_LAW_PARAMETER_0 + c->number) : other;
        rc = list_material(m, d, first, f->blocks[k].n, (int32_t)v->index, error);
        if (!rc) rc = set_material(m, d, &f->blocks[k], first, v, error);
        if (rc || d->n) continue;
        free((void *)(uintptr_t)d->items); /* none of this block */
        f->desc.n_varies--;
    }
    return rc;
}

/* Checks that the constants of elements of materials with expressions go together. */
static piola_status check_constants(const pio_model *m, piola_error *error)
{
    const pio_model_fem *f = m->fem;
    int64_t e = 0;
    for (int32_t k = 0; k < f->desc.n_blocks; k++)
        for (int32_t i = 0; i < f->blocks[k].n; i++, e++) {
            const scene_material *mat = &m->scene->materials.v[f->material[e]];
            char text[160], path[64], place[80];
            double x[3];
            if (!pio_scene_material_has_text(mat)) continue;
            const char *key = pio_law_fault(mat, f->law_parameters + PIO_LAW_CONSTANTS * e, text, sizeof text);
            if (!key) continue;
            snprintf(path, sizeof path, "materials[%d].%s", f->material[e], key);
            middle(m, &f->blocks[k], i, x);
            pio_model_place(m, x, place, sizeof place);
            return pio_scene_fault(m->scene, error, path, "at %s: %s", place, text);
        }
    return PIOLA_OK;
}

piola_status pio_model_heat(const pio_model *m, piola_error *error)
{
    const pio_model_fem *f = m->fem;
    int64_t e = 0;
    for (int32_t k = 0; f->temperature && k < f->desc.n_blocks; k++)
        for (int32_t i = 0; i < f->blocks[k].n; i++, e++) {
            const double strain = f->expansion[e] * f->temperature[e];
            char path[64], place[80];
            double x[3];
            if (strain > -1 && isfinite(strain)) continue;
            snprintf(path, sizeof path, "bodies[%d].temperature", f->body[e]);
            middle(m, &f->blocks[k], i, x);
            pio_model_place(m, x, place, sizeof place);
            return pio_scene_fault(m->scene, error, path,
                                   "at %s %g K times the expansion is a free strain of %g; one above -1 is "
                                   "needed",
                                   place, f->temperature[e], strain);
        }
    return PIOLA_OK;
}

piola_status pio_model_vary_elements(pio_model *m, piola_error *error)
{
    scene_vary v;
    piola_status rc = PIOLA_OK;
    for (size_t b = 0; !rc && b < m->scene->matter.n_bodies; b++) {
        rc = add_body(m, b, SCENE_VARY_THICKNESS, error);
        if (!rc) rc = add_body(m, b, SCENE_VARY_TEMPERATURE, error);
        if (!rc) rc = add_body(m, b, SCENE_VARY_RELATIVE_DENSITY, error);
    }
    for (size_t i = 0; !rc && pio_scene_vary(m->scene, i, &v); i++)
        if (v.kind == SCENE_VARY_MATERIAL) rc = add_material(m, i, &v, error);
    return rc ? rc : check_constants(m, error);
}
