/* gradient_fields.c -- see gradient_fields.h. */
#include "host/results/gradient_fields.h"

#include "host/base/fail.h"
#include "host/scene/plastic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *of, *unit, *engine_field, *meaning;
} known_field;

/* Of everything; the first ones are vectors, of meshes NODAL ones. The constants of laws come between these and the
 * last. */
enum { NODAL = 3 };
static const known_field of_particles[] = {
    {"position", "m", "grad_position", "initial position (velocities and volumes kept)"},
    {"velocity", "m/s", "grad_velocity", "initial velocity"},
    {"density", "kg/m3", "grad_density", "density"},
};
static const known_field of_meshes[] = {
    {"rest_position", "m", "grad_rest_position", "rest position (velocities at the start kept)"},
    {"velocity", "m/s", "grad_velocity", "initial velocity"},
    {"displacement", "m", "grad_displacement", "initial displacement"},
    {"mass_damping", "1/s", "grad_mass_damping", "mass damping"},
    {"stiffness_damping", "s", "grad_stiffness_damping", "stiffness damping"},
    {"density", "kg/m3", "grad_density", "density"},
    {"thickness", "m", "grad_thickness", "thickness"},
};
enum { OF_PARTICLES = sizeof of_particles / sizeof *of_particles, OF_MESHES = sizeof of_meshes / sizeof *of_meshes };

/* Does anything that bodies are made of have this constant? Solids have their viscosity beside those of their laws. */
static bool scene_has(const pio_session *session, const char *constant)
{
    const pio_scene *s = session->scene;
    if (!strcmp(constant, "viscosity") && session->engine.table->components(session->sim, "grad_viscosity"))
        return true;
    for (size_t b = 0; b < s->n_bodies; b++) {
        const scene_body *body = &s->bodies[b];
        for (size_t m = 0; m < s->n_materials; m++) {
            bool used = !strcmp(body->material, s->materials[m].name);
            for (size_t r = 0; r < body->n_regions; r++)
                used |= !strcmp(body->regions[r].material, s->materials[m].name);
            if (used && (pio_law_constant_of(&s->materials[m], constant) ||
                         pio_plastic_constant_of(&s->materials[m], constant)))
                return true;
        }
    }
    return false;
}

/* Unit of a derivative with respect to something in `unit` ("" or "1": a plain number): "1/Pa", "1/(m/s)". */
static void inverse_unit(const char *unit, char *out, size_t size)
{
    if (!*unit || !strcmp(unit, "1"))
        snprintf(out, size, "1");
    else
        snprintf(out, size, "1/%s%s%s", strpbrk(unit, "/.") ? "(" : "", unit, strpbrk(unit, "/.") ? ")" : "");
}

/* Field i of those that the scene has: NULL past the last. Constants of laws have no engine field of their own. */
static const known_field *field_of(const pio_session *s, int i, known_field *constant)
{
    const bool fem = s->model->fem != NULL;
    const known_field *list = fem ? of_meshes : of_particles;
    const int n = fem ? OF_MESHES : OF_PARTICLES, before = fem ? OF_MESHES - 1 : OF_PARTICLES;
    const pio_law_constant *c;
    for (int k = 0; k < before; k++)
        if (s->engine.table->components(s->sim, list[k].engine_field) && i-- == 0) return &list[k];
    for (int k = 0; (c = pio_law_every_constant(k)); k++) {
        if (!scene_has(s, c->key) || i-- != 0) continue;
        *constant = (known_field){c->key, c->unit, NULL, c->meaning};
        return constant;
    }
    for (int k = 0; !fem && (c = pio_plastic_every_constant(k)); k++) {
        if (!scene_has(s, c->key) || i-- != 0) continue;
        *constant = (known_field){c->key, c->unit, NULL, c->meaning};
        return constant;
    }
    for (int k = before; k < n; k++)
        if (s->engine.table->components(s->sim, list[k].engine_field) && i-- == 0) return &list[k];
    return NULL;
}

int pio_gradient_field_of(const pio_session *s, int i, pio_gradient_field *out)
{
    const bool fem = s->model->fem != NULL;
    known_field constant;
    const known_field *f = field_of(s, i, &constant);
    if (!f) return 0;
    out->constant = !f->engine_field;
    out->components = out->constant ? 1 : s->engine.table->components(s->sim, f->engine_field);
    out->nodal = fem && f >= of_meshes && f < of_meshes + NODAL;
    snprintf(out->name, sizeof out->name, "grad_%s", f->of);
    snprintf(out->engine_field, sizeof out->engine_field, "%s", out->constant ? "" : f->engine_field);
    snprintf(out->of, sizeof out->of, "%s", f->of);
    inverse_unit(f->unit, out->units, sizeof out->units);
    snprintf(out->meaning, sizeof out->meaning, "derivative of the objective with respect to the %s of each %s",
             f->meaning,
             out->nodal ? "node"
             : fem      ? "element"
                        : "particle");
    return 1;
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

/* Number of a constant of this material, of the plastic law or of the elastic one; -1: it has none of this key. */
static int number_of(const scene_material *m, const char *key, bool plastic)
{
    const pio_law_constant *c = plastic ? pio_plastic_constant_of(m, key) : pio_law_constant_of(m, key);
    return c ? c->number : -1;
}

/* The constant is another of the engine's numbers for each law: every number is read once. Viscosity of solids is of no
 * law; that field is 0 at fluids. */
static piola_status read_constant(pio_session *s, const char *key, double *values, double *one, piola_error *error)
{
    const int64_t items = pio_model_items(s->model, false);
    const char *beside = !strcmp(key, "viscosity") ? "grad_viscosity" : "";
    for (int64_t i = 0; i < items; i++) values[i] = 0;
    if (s->engine.table->components(s->sim, beside)) {
        const piola_status rc = s->engine.table->read(s->sim, beside, values, error);
        if (rc) return rc;
    }
    for (int k = 0; k < PIO_LAW_CONSTANTS + PIO_PLASTIC_CONSTANTS; k++) {
        char field[32];
        const bool plastic = k >= PIO_LAW_CONSTANTS;
        const int number = plastic ? k - PIO_LAW_CONSTANTS : k;
        snprintf(field, sizeof field, plastic ? "grad_yield_%d" : "grad_given_%d", number);
        if (!s->engine.table->components(s->sim, field)) continue;
        const piola_status rc = s->engine.table->read(s->sim, field, one, error);
        if (rc) return rc;
        for (int64_t i = 0; i < items; i++)
            if (number_of(pio_model_material(s->model, i), key, plastic) == number) values[i] = one[i];
    }
    return PIOLA_OK;
}

piola_status pio_gradient_field_read(pio_session *s, const pio_gradient_field *g, double *values, piola_error *error)
{
    if (!g->constant) return s->engine.table->read(s->sim, g->engine_field, values, error);
    const size_t bytes = sizeof(double) * (size_t)pio_model_items(s->model, false);
    double *one = malloc(bytes);
    if (!one) return pio_fail_memory(error, bytes, "a gradient field");
    const piola_status rc = read_constant(s, g->of, values, one, error);
    free(one);
    return rc;
}
