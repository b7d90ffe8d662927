/* problem_fields.c -- fields of a problem: those of the engine, and derivatives by the names of snapshots; see
 * problem.h. */
#include "host/command/problem.h"

#include "host/base/fail.h"
#include "host/results/gradient_fields.h"

#include <stdio.h>
#include <string.h>

/* The engine's fields of states and of what bodies consist of, with their SI units. Those of derivatives, and
 * parameters, have a name for each constant (gradient_fields.h). */
static const struct {
    const char *name, *unit;
} of_states[] = {{"position", "m"},
                 {"velocity", "m/s"},
                 {"C", "1/s"},
                 {"F", ""},
                 {"pressure", "Pa"},
                 {"mass", "kg"},
                 {"volume", "m3"},
                 {"hardening", ""},
                 {"e33", ""},
                 {"displacement", "m"},
                 {"acceleration", "m/s2"},
                 {"past_displacement", "m"},
                 {"past_velocity", "m/s"},
                 {"rest_position", "m"},
                 {"rest_position_points", "m"},
                 {"volume_points", "m3"},
                 {"element_points", ""},
                 {"internal_force", "N"},
                 {"external_force", "N"},
                 {"reaction", "N"},
                 {"contact_force", "N"},
                 {"contact_pressure", "Pa"},
                 {"gap", "m"},
                 {"density", "kg/m3"},
                 {"viscosity", "Pa.s"},
                 {"thickness", "m"},
                 {"relative_density", ""},
                 {"choice", ""},
                 {"expansion", "1/K"},
                 {"temperature", "K"},
                 {"mass_damping", "1/s"},
                 {"stiffness_damping", "s"}};
/* Fields of meshes that scenes request, each in elements, at nodes and at integration points. */
static const struct {
    const char *name, *unit;
} of_stress[] = {
    {"cauchy_stress", "Pa"}, {"von_mises", "Pa"}, {"green_strain", ""}, {"J", ""}, {"energy_density", "J/m3"}};
static const char *const endings[] = {"", "_nodal", "_points"};

enum {
    STATES = sizeof of_states / sizeof *of_states,
    ENDINGS = sizeof endings / sizeof *endings,
    STRESSES = ENDINGS * sizeof of_stress / sizeof *of_stress
};

/* Returns the numbers per item of a field of the engine, 0 if it has none of that name. Cotangents of single states are
 * not part of this interface: names that begin with adj_ are for files only. */
static size_t engine_components(const piola_problem *p, const char *field)
{
    if (!strncmp(field, "adj_", 4) || !p->session->sim) return 0;
    const int32_t n = p->session->engine.table->components(p->session->sim, field);
    return n > 0 ? (size_t)n : 0;
}

/* Finds the derivatives of this name that the engine has by another one. */
static bool find_gradient(const piola_problem *p, const char *field, pio_gradient_field *out)
{
    if (strncmp(field, "grad_", 5) != 0 || !p->session->sim) return false;
    for (int i = 0; pio_gradient_field_of(p->session, i, out); i++)
        if (!strcmp(out->name, field)) return true;
    return false;
}

size_t piola_components(const piola_problem *p, const char *field)
{
    pio_gradient_field g;
    const size_t n = engine_components(p, field);
    return n || !find_gradient(p, field, &g) ? n : (size_t)g.components;
}

size_t piola_items(const piola_problem *p, const char *field)
{
    pio_gradient_field g;
    if (engine_components(p, field)) {
        const int64_t n = p->session->engine.table->items(p->session->sim, field);
        return n > 0 ? (size_t)n : 0;
    }
    return find_gradient(p, field, &g) ? (size_t)pio_model_items(p->session->model, g.nodal) : 0;
}

/* Describes field i of states, of those that any problem may have. Returns whether this one has it. */
static bool state_field(const piola_problem *p, size_t i, piola_field_info *out)
{
    const size_t k = i - STATES;
    *out = (piola_field_info){.items = 0};
    if (i < STATES) {
        snprintf(out->name, sizeof out->name, "%s", of_states[i].name);
        snprintf(out->unit, sizeof out->unit, "%s", of_states[i].unit);
    } else {
        snprintf(out->name, sizeof out->name, "%s%s", of_stress[k / ENDINGS].name, endings[k % ENDINGS]);
        snprintf(out->unit, sizeof out->unit, "%s", of_stress[k / ENDINGS].unit);
    }
    out->components = piola_components(p, out->name);
    out->items = piola_items(p, out->name);
    return out->components > 0;
}

/* Describes field i; returns false past the last, and with *count how many there are. */
static bool field_of(const piola_problem *p, size_t i, size_t *count, piola_field_info *out)
{
    pio_gradient_field g;
    *count = 0;
    for (size_t k = 0; k < STATES + STRESSES; k++)
        if (state_field(p, k, out) && (*count)++ == i) return true;
    for (int k = 0; p->session->sim && pio_gradient_field_of(p->session, k, &g); k++)
        if ((*count)++ == i) {
            *out = (piola_field_info){.components = piola_components(p, g.name), .items = piola_items(p, g.name)};
            snprintf(out->name, sizeof out->name, "%s", g.name);
            snprintf(out->unit, sizeof out->unit, "%s", g.units);
            return true;
        }
    return false;
}

size_t piola_fields(const piola_problem *p)
{
    piola_field_info none;
    size_t count;
    field_of(p, SIZE_MAX, &count, &none);
    return count;
}

piola_status piola_field(const piola_problem *p, size_t i, piola_field_info *info, piola_error *error)
{
    size_t count;
    if (field_of(p, i, &count, info)) return PIOLA_OK;
    return pio_fail(error, PIOLA_USAGE, "there is no field %zu: the scene has %zu", i, count);
}

/* Runs the forward sweep again, with the same bits, if the last state is requested after adjoint sweeps, which end at
 * state 0. The fields of derivatives are not changed. */
static piola_status go_to_end(piola_problem *p, piola_error *error)
{
    if (p->at_end || p->stepping) return PIOLA_OK;
    const pio_problem_sweeps sweeps = p->sweeps;
    const piola_status rc = pio_problem_sweep(p, false, error);
    if (!rc) p->sweeps = sweeps;
    return rc;
}

static piola_status fail_field(const piola_problem *p, const char *field, piola_error *error)
{
    const pio_session *s = p->session;
    pio_gradient_field g;
    char name[64];
    int n = 0;
    const piola_status rc = pio_fail(error, PIOLA_USAGE, "there is no field '%.100s'", field);
    for (int i = 0; s->sim && s->engine.table->field(s->sim, i, name); i++) {
        if (!engine_components(p, name)) continue;
        pio_fail_append(error, n++ ? ", " : "; there are: ");
        pio_fail_append(error, name);
    }
    for (int i = 0; s->sim && pio_gradient_field_of(s, i, &g); i++) {
        if (engine_components(p, g.name)) continue;
        pio_fail_append(error, n++ ? ", " : "; there are: ");
        pio_fail_append(error, g.name);
    }
    return rc;
}

/* Prepares a read into room for `size` doubles, as piola_read() describes it. */
static piola_status prepare(piola_problem *p, const char *field, size_t size, piola_error *error)
{
    const bool of_gradient = !strncmp(field, "grad_", 5);
    const size_t components = piola_components(p, field);
    char what[160];
    if (!components) return fail_field(p, field, error);
    if (!p->evaluated && !p->stepping)
        return pio_fail(error, PIOLA_USAGE, "'%s' can be read after piola_evaluate has succeeded", field);
    if (of_gradient && p->sweeps != PIO_PROBLEM_GRADIENT && p->sweeps != PIO_PROBLEM_PULLBACK)
        return pio_fail(error, PIOLA_USAGE, "'%s' can be read after an evaluation with a gradient", field);
    snprintf(what, sizeof what, "'%.100s'", field);
    const piola_status rc = pio_problem_room(what, size, piola_items(p, field) * components, error);
    return rc || of_gradient ? rc : go_to_end(p, error);
}

piola_status piola_read(piola_problem *p, const char *field, double *values, size_t size, piola_error *error)
{
    pio_gradient_field g = {.components = 0};
    piola_error own = {0};
    if (!error) error = &own;
    const piola_status rc = prepare(p, field, size, error);
    if (rc) return rc;
    if (engine_components(p, field)) return p->session->engine.table->read(p->session->sim, field, values, error);
    find_gradient(p, field, &g);
    return pio_gradient_field_read(p->session, &g, values, error);
}

piola_status pio_problem_field_device(piola_problem *p, const char *field, double **values, piola_error *error)
{
    pio_gradient_field g = {.components = 0};
    char source[64];
    *values = NULL;
    const piola_status rc = prepare(p, field, SIZE_MAX, error);
    if (rc) return rc;
    snprintf(source, sizeof source, "%.63s", field);
    if (!engine_components(p, field) &&
        (!find_gradient(p, field, &g) || !pio_gradient_field_source(p->session, &g, source)))
        return pio_fail(error, PIOLA_USAGE,
                        "'%s' is put together on the host from what the device holds; piola_read reads it, and there "
                        "are tensors of the fields of the device, such as grad_parameter_0",
                        field);
    return p->session->engine.table->read_device(p->session->sim, source, values, error);
}
