/* fem_fields.c -- fields of a mesh by name, one component at a time as doubles. */
#include "solvers/fem/fem_contact_show.h"
#include "solvers/fem/fem_control.h"
#include "solvers/fem/fem_modal.h"
#include "solvers/fem/fem_observe.h"
#include "solvers/fem/fem_stress.h"

#include <stdio.h>
#include <string.h>

/* Fields that are made when they are read. */
typedef enum { STORED, INTERNAL_FORCE, REACTION, CONTACT_FORCE, CONTACT_PRESSURE, CONTACT_GAP, FRAME } fem_source;

/* Nodal: x, plus y where that is not NULL. Of elements: one component of a field. */
typedef struct {
    const real *x, *y;
    int nodal, components, stored, first;
    fem_source source;
} fem_field;

static const real *bar_of(const fem_sim *f, int which)
{
    return f->adjoint.u_bar ? fem_state(f, f->adjoint.u_bar, which) : NULL;
}

/* Returns a vector of the current state as fields show it: on a lattice slots hold the state. */
static const real *now(const fem_sim *f, int which)
{
    return f->lattice.state && f->state.kept_at[which] < 0 ? NULL : fem_state(f, f->state.u, which);
}

typedef struct {
    const char *name;
    fem_field field;
} named_field;

enum { MOST_FIELDS = 64 };

/* Lists the fields that there are, beside those of stress, and returns their number. */
static int list_fields(const fem_sim *f, named_field out[MOST_FIELDS])
{
    const int all = PIO_LAW_CONSTANTS, still = !fem_moves(f), rates = f->frames.u_bar && !still;
    const int reacts = f->motion.integrator == PIO_STATIC || (f->state.vector_at[STATE_A] >= 0 && !f->lattice.state);
    const real *touch = f->contact.points ? f->newton.trial : NULL;
    const named_field list[] = {
#define FIELD(letter, name, when, kept, unit, meaning) {#name, {now(f, STATE_##letter), NULL, 1, DIM, DIM, 0, STORED}},
#include "kernels/fem/fem_fields.def"
#undef FIELD
        {"position", {f->mesh.rest, f->state.u, 1, DIM, DIM, 0, STORED}},
        {"rest_position", {f->mesh.rest, NULL, 1, DIM, DIM, 0, STORED}},
        {"internal_force", {f->newton.trial, NULL, 1, DIM, DIM, 0, INTERNAL_FORCE}},
        {"reaction", {reacts ? f->newton.trial : NULL, NULL, 1, DIM, DIM, 0, REACTION}},
        {"contact_force", {touch, NULL, 1, DIM, DIM, 0, CONTACT_FORCE}},
        {"contact_pressure", {touch, NULL, 1, 1, DIM, 0, CONTACT_PRESSURE}},
        {"gap", {touch, NULL, 1, 1, DIM, 0, CONTACT_GAP}},
        {"external_force", {f->forces.external, NULL, 1, DIM, DIM, 0, STORED}},
        {"adj_displacement", {f->frames.u_bar, NULL, 1, DIM, DIM, 0, FRAME}},
        {"adj_velocity", {rates ? f->frames.u_bar + DIM * (size_t)f->mesh.nodes : NULL, NULL, 1, DIM, DIM, 0, FRAME}},
        {"adj_force", {f->frames.force_bar, NULL, 1, DIM, DIM, 0, STORED}},
        {"grad_velocity", {bar_of(f, STATE_V), NULL, 1, DIM, DIM, 0, STORED}},
        {"grad_displacement", {f->motion.initial_u ? f->adjoint.u_bar : NULL, NULL, 1, DIM, DIM, 0, STORED}},
        {"mass_damping", {f->damping.alpha, NULL, 0, 1, 1, 0, STORED}},
        {"stiffness_damping", {still ? NULL : f->damping.beta, NULL, 0, 1, 1, 0, STORED}},
        {"grad_mass_damping", {f->damping.alpha_bar, NULL, 0, 1, 1, 0, STORED}},
        {"grad_stiffness_damping", {still ? NULL : f->damping.beta_bar, NULL, 0, 1, 1, 0, STORED}},
        {"grad_rest_position", {f->mesh.rest_bar, NULL, 1, DIM, DIM, 0, STORED}},
        {"parameter_0", {f->materials.parameters, NULL, 0, 1, all, 0, STORED}},
        {"parameter_1", {f->materials.parameters, NULL, 0, 1, all, 1, STORED}},
        {"parameter_2", {f->materials.parameters, NULL, 0, 1, all, 2, STORED}},
        {"parameter_3", {f->materials.parameters, NULL, 0, 1, all, 3, STORED}},
        {"parameter_4", {f->materials.parameters, NULL, 0, 1, all, 4, STORED}},
        {"density", {f->materials.density, NULL, 0, 1, 1, 0, STORED}},
        {"thickness", {f->materials.thickness, NULL, 0, 1, 1, 0, STORED}},
        {"relative_density", {f->materials.relative, NULL, 0, 1, 1, 0, STORED}},
        {"choice", {f->materials.choice, NULL, 0, 1, 1, 0, STORED}},
        {"expansion", {f->materials.expansion, NULL, 0, 1, 1, 0, STORED}},
        {"temperature", {f->materials.temperature, NULL, 0, 1, 1, 0, STORED}},
        {"grad_parameter_0", {f->materials.parameters_bar, NULL, 0, 1, all, 0, STORED}},
        {"grad_parameter_1", {f->materials.parameters_bar, NULL, 0, 1, all, 1, STORED}},
        {"grad_parameter_2", {f->materials.parameters_bar, NULL, 0, 1, all, 2, STORED}},
        {"grad_parameter_3", {f->materials.parameters_bar, NULL, 0, 1, all, 3, STORED}},
        {"grad_parameter_4", {f->materials.parameters_bar, NULL, 0, 1, all, 4, STORED}},
        {"grad_density", {f->materials.density_bar, NULL, 0, 1, 1, 0, STORED}},
        {"grad_thickness", {f->materials.thickness_bar, NULL, 0, 1, 1, 0, STORED}},
        {"grad_relative_density", {f->materials.relative_bar, NULL, 0, 1, 1, 0, STORED}},
        {"grad_choice", {f->materials.choice_bar, NULL, 0, 1, 1, 0, STORED}},
        {"grad_expansion", {f->materials.expansion_bar, NULL, 0, 1, 1, 0, STORED}},
        {"grad_temperature", {f->materials.temperature_bar, NULL, 0, 1, 1, 0, STORED}},
    };
    int n = 0;
    _Static_assert(sizeof list / sizeof *list <= MOST_FIELDS, "there is room for all of them");
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (list[i].field.x) out[n++] = list[i];
    return n;
}

static int find(const fem_sim *f, const char *name, fem_field *out)
{
    named_field list[MOST_FIELDS];
    const int n = list_fields(f, list);
    for (int i = 0; i < n; i++)
        if (!strcmp(list[i].name, name)) {
            *out = list[i].field;
            return 1;
        }
    return 0;
}

int fem_field_name(const pio_sim *sim, int32_t i, char name[64])
{
    const fem_sim *f = (const fem_sim *)sim;
    named_field list[MOST_FIELDS];
    const int n = list_fields(f, list);
    if (i < 0 || i >= n) return i >= n && fem_stress_name(f, i - n, name);
    snprintf(name, 64, "%s", list[i].name);
    return 1;
}

/* The field is made, where it is not as it is read. */
static piola_status ready(fem_sim *f, const fem_field *d, piola_error *error)
{
    const int accelerates = fem_moves(f) && d->source == REACTION;
    if (f->state.no_acceleration && (accelerates || d->x == fem_state(f, f->state.u, STATE_A)))
        return sim_fail(error, PIOLA_USAGE, "the acceleration of state %lld was not kept with it",
                        (long long)f->base.index);
    if (d->source == INTERNAL_FORCE || d->source == REACTION) fem_activate(f, fem_whole(f->base.index - 1));
    if (d->source == INTERNAL_FORCE)
        (fem_is_modal(f) ? fem_modal_stiffness : fem_internal)(
            f, f->state.u, f->newton.trial); /* internal is that of the last evaluation, wherever it was */
    if (d->source == REACTION) {
        if (f->forces.external_of != f->base.index) fem_external(f, fem_whole(f->base.index - 1), f->state.u);
        fem_reaction(f);
        fem_mask_constrained(f, 1, f->newton.trial);
    }
    if (d->source == CONTACT_FORCE) fem_contact_show_force(f, f->newton.trial);
    if (d->source == CONTACT_PRESSURE) fem_contact_show_pressure(f, f->newton.trial);
    if (d->source == CONTACT_GAP) fem_contact_show_gap(f, f->newton.trial);
    return d->source == FRAME ? fem_frame_adj(f, error) : PIOLA_OK;
}

int32_t fem_components(const pio_sim *sim, const char *field)
{
    fem_field f;
    fem_stress_view v;
    if (fem_stress_find((const fem_sim *)sim, field, &v)) return v.components;
    return find((const fem_sim *)sim, field, &f) ? f.components : 0;
}

int64_t fem_items(const pio_sim *sim, const char *field)
{
    const fem_sim *f = (const fem_sim *)sim;
    fem_field d;
    fem_stress_view v;
    if (fem_stress_find(f, field, &v)) return v.items;
    if (!find(f, field, &d)) return 0;
    return d.nodal ? f->mesh.nodes : f->mesh.elements;
}

static void component(pio_sim *sim, const void *of, int c, double *out, int stride)
{
    const fem_sim *f = fem_of(sim);
    const fem_field *d = of;
    if (d->nodal)
        pio_map(&sim->queue, point_read, f->mesh.nodes, NULL, .component = c, .stride = stride, .scale = 1, .x = d->x,
                .y = d->y, .out = out);
    else
        pio_map(&sim->queue, field_read, f->mesh.elements, NULL, .in = d->x, .n = f->mesh.elements,
                .components = d->stored, .component = d->first + c, .stride = stride, .scale = 1, .out = out);
}

/* A field as it was found. */
typedef struct {
    fem_field stored;
    fem_stress_view stress;
    sim_field field;
} found;

/* Finds a field and makes it, where it is not as it is read. */
static piola_status make(fem_sim *f, const char *name, found *out, piola_error *error)
{
    *out = (found){.field = {.of = &out->stored, .component = component}};
    if (fem_stress_find(f, name, &out->stress)) {
        fem_stress_compute(f, &out->stress, &out->field);
        return PIOLA_OK;
    }
    if (!find(f, name, &out->stored)) return sim_fail(error, PIOLA_USAGE, "there is no field '%s'", name);
    out->field.items = out->stored.nodal ? f->mesh.nodes : f->mesh.elements;
    out->field.components = out->stored.components;
    return ready(f, &out->stored, error);
}

piola_status fem_read(pio_sim *sim, const char *field, double *values, piola_error *error)
{
    found d;
    const piola_status rc = make(fem_of(sim), field, &d, error);
    return rc ? rc : sim_read(sim, &d.field, values, error);
}

piola_status fem_read_device(pio_sim *sim, const char *field, double **values, piola_error *error)
{
    found d;
    *values = NULL;
    const piola_status rc = make(fem_of(sim), field, &d, error);
    return rc ? rc : sim_read_device(sim, &d.field, values, error);
}
