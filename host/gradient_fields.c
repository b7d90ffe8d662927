/* gradient_fields.c -- the gradients per particle that a scene has, by the names that its materials use. */
#include "host/states.h"

#include <stdio.h>
#include <string.h>

static bool is_fluid(const scene_material *m)
{
    return m->model >= SCENE_LINEAR_FLUID;
}
static bool has_E(const scene_material *m)
{
    return !is_fluid(m) && !m->lame;
}
static bool has_lame(const scene_material *m)
{
    return !is_fluid(m) && m->lame;
}
static bool has_gamma(const scene_material *m)
{
    return m->model == SCENE_TAIT;
}
static bool is_mooney(const scene_material *m)
{
    return m->hyper == SCENE_HYPER_MOONEY_RIVLIN;
}
static bool is_ogden(const scene_material *m)
{
    return m->hyper == SCENE_HYPER_OGDEN;
}
static bool is_hyper_E(const scene_material *m)
{
    return !is_mooney(m) && !is_ogden(m) && !m->lame;
}
static bool is_hyper_lame(const scene_material *m)
{
    return !is_mooney(m) && !is_ogden(m) && m->lame;
}

typedef struct {
    const char *of, *unit, *engine_field, *meaning;
    bool (*has)(const scene_material *); /* NULL: everything has it */
} known_field;

/* The first ones are vectors; of meshes NODAL ones. */
enum { NODAL = 3 };
static const known_field of_particles[] = {
    {"position", "m", "grad_position", "initial position", NULL},
    {"velocity", "m/s", "grad_velocity", "initial velocity", NULL},
    {"density", "kg/m3", "grad_density", "density", NULL},
    {"E", "Pa", "grad_given_0", "Young's modulus", has_E},
    {"nu", "1", "grad_given_1", "Poisson's ratio", has_E},
    {"mu", "Pa", "grad_given_0", "shear modulus mu", has_lame},
    {"lambda", "Pa", "grad_given_1", "Lame constant lambda", has_lame},
    {"bulk", "Pa", "grad_given_0", "bulk modulus", is_fluid},
    {"gamma", "1", "grad_given_1", "exponent of the Tait law", has_gamma},
    {"viscosity", "Pa.s", "grad_given_2", "viscosity", is_fluid},
    {NULL, NULL, NULL, NULL, NULL},
};
static const known_field of_meshes[] = {
    {"rest_position", "m", "grad_rest_position", "rest position", NULL},
    {"velocity", "m/s", "grad_velocity", "initial velocity", NULL},
    {"displacement", "m", "grad_displacement", "initial displacement", NULL},
    {"mass_damping", "1/s", "grad_mass_damping", "mass damping", NULL},
    {"stiffness_damping", "s", "grad_stiffness_damping", "stiffness damping", NULL},
    {"density", "kg/m3", "grad_density", "density", NULL},
    {"E", "Pa", "grad_given_0", "Young's modulus", is_hyper_E},
    {"nu", "1", "grad_given_1", "Poisson's ratio", is_hyper_E},
    {"mu", "Pa", "grad_given_0", "shear modulus mu", is_hyper_lame},
    {"lambda", "Pa", "grad_given_1", "Lame constant lambda", is_hyper_lame},
    {"c10", "Pa", "grad_given_0", "constant c10", is_mooney},
    {"c01", "Pa", "grad_given_1", "constant c01", is_mooney},
    {"bulk", "Pa", "grad_given_2", "bulk modulus", is_mooney},
    {"mu1", "Pa", "grad_given_0", "constant mu1", is_ogden},
    {"alpha1", "1", "grad_given_1", "exponent alpha1", is_ogden},
    {"mu2", "Pa", "grad_given_2", "constant mu2", is_ogden},
    {"alpha2", "1", "grad_given_3", "exponent alpha2", is_ogden},
    {"bulk_ogden", "Pa", "grad_given_4", "bulk modulus", is_ogden},
    {"thickness", "m", "grad_thickness", "thickness", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static bool scene_has(const pio_scene *s, bool (*has)(const scene_material *))
{
    if (!has) return true;
    for (size_t b = 0; b < s->n_bodies; b++) {
        const scene_body *body = &s->bodies[b];
        for (size_t m = 0; m < s->n_materials; m++) {
            bool used = !strcmp(body->material, s->materials[m].name);
            for (size_t r = 0; r < body->n_regions; r++)
                used |= !strcmp(body->regions[r].material, s->materials[m].name);
            if (used && has(&s->materials[m])) return true;
        }
    }
    return false;
}

void pio_inverse_unit(const char *unit, char *out, size_t size)
{
    if (!*unit || !strcmp(unit, "1"))
        snprintf(out, size, "1");
    else
        snprintf(out, size, "1/%s%s%s", strpbrk(unit, "/.") ? "(" : "", unit, strpbrk(unit, "/.") ? ")" : "");
}

int pio_gradient_field_of(const pio_session *s, int i, pio_gradient_field *out)
{
    const bool fem = s->model->fem != NULL;
    const known_field *list = fem ? of_meshes : of_particles;
    int seen = 0;
    for (size_t k = 0; list[k].of; k++) {
        if (!scene_has(s->scene, list[k].has) || !s->engine.table->components(s->sim, list[k].engine_field)) continue;
        if (seen++ != i) continue;
        out->components = s->engine.table->components(s->sim, list[k].engine_field);
        out->nodal = fem && k < NODAL;
        snprintf(out->name, sizeof out->name, "grad_%s", list[k].of);
        snprintf(out->engine_field, sizeof out->engine_field, "%s", list[k].engine_field);
        snprintf(out->of, sizeof out->of, "%s", list[k].of);
        pio_inverse_unit(list[k].unit, out->units, sizeof out->units);
        snprintf(out->meaning, sizeof out->meaning, "derivative of the objective with respect to the %s of each %s",
                 list[k].meaning,
                 out->nodal ? "node"
                 : fem      ? "element"
                            : "particle");
        out->has = list[k].has;
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
        pio_inverse_unit(p->unit, units, sizeof units);
        const piola_status rc = pio_snapshot_gradient(file, p->path, value + p->first, value_bar + p->first, shape,
                                                      rank, p->unit, units, error);
        if (rc) return rc;
    }
    return PIOLA_OK;
}

piola_status pio_gradient_field_read(pio_session *s, const pio_gradient_field *g, double *values, piola_error *error)
{
    const piola_status rc = s->engine.table->read(s->sim, g->engine_field, values, error);
    if (rc || !g->has) return rc;
    for (int64_t i = 0; i < pio_model_items(s->model, false); i++)
        if (!g->has(pio_model_material(s->model, i))) values[i] = 0;
    return PIOLA_OK;
}
