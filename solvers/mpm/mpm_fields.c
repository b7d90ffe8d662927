/* mpm_fields.c -- fields by name, one component at a time as doubles in id order. */
#include "solvers/mpm/mpm.h"

#include <stdio.h>
#include <string.h>

/* A field that is stored as it is read. */
typedef struct {
    const real *data;
    int stored;     /* components of the array */
    int first;      /* component of it that component 0 of the field is */
    int components; /* of the field */
    int by_id;      /* stored in id order, or as the state is */
    double scale;
} stored_field;

typedef struct {
    const char *name;
    stored_field field;
} named_field;

enum { MOST_STORED = 64 };

/* Lists the fields that are stored, and returns their number. */
static int list_stored(const mpm_sim *sim, named_field out[MOST_STORED])
{
    const mpm_state *s = &sim->particles.state[sim->particles.current],
                    *bar = &sim->particles.bar[sim->particles.current_bar];
    const double inv_dx = 1 / (double)sim->grid.box.dx;
    const named_field list[] = {
        {"velocity", {s->velocity, DIM, 0, DIM, 0, 1}},
        {"C", {s->C, DIM * DIM, 0, DIM * DIM, 0, 1}},
        {"offset", {s->offset, DIM, 0, DIM, 0, 1}},
        {"hardening", {s->hardening, 1, 0, 1, 0, 1}},
        {"e33", {s->e33, 1, 0, 1, 0, 1}},
        {"adj_position", {bar->offset, DIM, 0, DIM, 0, inv_dx}},
        {"adj_velocity", {bar->velocity, DIM, 0, DIM, 0, 1}},
        {"grad_position", {sim->initial.position_bar, DIM, 0, DIM, 1, 1}},
        {"grad_velocity", {sim->initial.velocity_bar, DIM, 0, DIM, 1, 1}},
        {"grad_parameter_0", {sim->material.parameters_bar, sim->material.constants, 0, 1, 1, 1}},
        {"grad_parameter_1", {sim->material.parameters_bar, sim->material.constants, 1, 1, 1, 1}},
        {"grad_parameter_2", {sim->material.parameters_bar, sim->material.constants, 2, 1, 1, 1}},
        {"grad_parameter_3", {sim->material.parameters_bar, sim->material.constants, 3, 1, 1, 1}},
        {"grad_parameter_4", {sim->material.parameters_bar, sim->material.constants, 4, 1, 1, 1}},
        {"grad_density", {sim->material.density_bar, 1, 0, 1, 1, 1}},
        {"parameter_0", {sim->material.parameters, sim->material.constants, 0, 1, 1, 1}},
        {"parameter_1", {sim->material.parameters, sim->material.constants, 1, 1, 1, 1}},
        {"parameter_2", {sim->material.parameters, sim->material.constants, 2, 1, 1, 1}},
        {"parameter_3", {sim->material.parameters, sim->material.constants, 3, 1, 1, 1}},
        {"parameter_4", {sim->material.parameters, sim->material.constants, 4, 1, 1, 1}},
        {"density", {sim->material.density, 1, 0, 1, 1, 1}},
        {"grad_yield_0", {sim->plastic.yield_bar, PIO_PLASTIC_CONSTANTS, 0, 1, 1, 1}},
        {"grad_yield_1", {sim->plastic.yield_bar, PIO_PLASTIC_CONSTANTS, 1, 1, 1, 1}},
        {"grad_yield_2", {sim->plastic.yield_bar, PIO_PLASTIC_CONSTANTS, 2, 1, 1, 1}},
        {"yield_0", {sim->plastic.yield, PIO_PLASTIC_CONSTANTS, 0, 1, 1, 1}},
        {"yield_1", {sim->plastic.yield, PIO_PLASTIC_CONSTANTS, 1, 1, 1, 1}},
        {"yield_2", {sim->plastic.yield, PIO_PLASTIC_CONSTANTS, 2, 1, 1, 1}},
        {"relative_density", {sim->material.relative, 1, 0, 1, 1, 1}},
        {"grad_relative_density", {sim->material.relative_bar, 1, 0, 1, 1, 1}},
        {"volume", {sim->material.volume, 1, 0, 1, 1, 1}},
        {"viscosity", {sim->material.viscosity, 1, 0, 1, 1, 1}},
        {"grad_viscosity", {sim->material.viscosity_bar, 1, 0, 1, 1, 1}},
    };
    int n = 0;
    _Static_assert(sizeof list / sizeof *list <= MOST_STORED, "there is room for all of them");
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (list[i].field.data && list[i].field.first < list[i].field.stored) out[n++] = list[i];
    return n;
}

static int find_stored(const mpm_sim *sim, const char *name, stored_field *f)
{
    named_field list[MOST_STORED];
    const int n = list_stored(sim, list);
    for (int i = 0; i < n; i++)
        if (!strcmp(list[i].name, name)) {
            *f = list[i].field;
            return 1;
        }
    return 0;
}

static const struct {
    const char *name;
    int what, components;
} derived[] = {{"position", DERIVED_POSITION, DIM},
               {"J", DERIVED_J, 1},
               {"F", DERIVED_F, DIM *DIM},
               {"pressure", DERIVED_PRESSURE, 1},
               {"mass", DERIVED_MASS, 1}};
enum { DERIVED = sizeof derived / sizeof *derived };

static int find_derived(const char *name, int *components)
{
    for (int i = 0; i < DERIVED; i++)
        if (!strcmp(derived[i].name, name)) {
            *components = derived[i].components;
            return derived[i].what;
        }
    return -1;
}

int mpm_field(const pio_sim *base, int32_t i, char name[64])
{
    named_field list[MOST_STORED];
    const int n = list_stored((const mpm_sim *)base, list);
    if (i < 0 || i >= DERIVED + n) return 0;
    snprintf(name, 64, "%s", i < DERIVED ? derived[i].name : list[i - DERIVED].name);
    return 1;
}

int32_t mpm_components(const pio_sim *base, const char *field)
{
    const mpm_sim *sim = (const mpm_sim *)base;
    stored_field f;
    int components = 0;
    if (find_stored(sim, field, &f)) return f.components;
    return find_derived(field, &components) >= 0 ? components : 0;
}

static void stored_component(pio_sim *base, const void *of, int c, double *out, int stride)
{
    const mpm_sim *sim = mpm_of(base);
    const stored_field *f = of;
    pio_map(&base->queue, field_read, sim->particles.n, NULL,
            .id = f->by_id ? NULL : sim->particles.state[sim->particles.current].id, .n = sim->particles.n,
            .components = f->stored, .component = f->first + c, .stride = stride, .in = f->data, .scale = f->scale,
            .out = out);
}

static void derived_component(pio_sim *base, const void *of, int c, double *out, int stride)
{
    const mpm_sim *sim = mpm_of(base);
    pio_map(&base->queue, derived_read, sim->particles.n, NULL, .s = sim->particles.state[sim->particles.current],
            .matter = mpm_matter_of(sim), .box = sim->grid.box, .what = *(const int *)of, .component = c,
            .stride = stride, .out = out);
}

/* A field as it was found. */
typedef struct {
    stored_field stored;
    int what; /* DERIVED_... */
    sim_field field;
} found;

static piola_status find(const mpm_sim *sim, const char *name, found *f, piola_error *error)
{
    *f = (found){.field = {.items = sim->particles.n}};
    if (find_stored(sim, name, &f->stored)) {
        f->field.components = f->stored.components;
        f->field.of = &f->stored;
        f->field.component = stored_component;
        return PIOLA_OK;
    }
    f->what = find_derived(name, &f->field.components);
    if (f->what < 0) return sim_fail(error, PIOLA_USAGE, "there is no field '%s'", name);
    f->field.of = &f->what;
    f->field.component = derived_component;
    return PIOLA_OK;
}

piola_status mpm_read(pio_sim *sim, const char *field, double *values, piola_error *error)
{
    found f;
    const piola_status rc = find(mpm_of(sim), field, &f, error);
    return rc ? rc : sim_read(sim, &f.field, values, error);
}

piola_status mpm_read_device(pio_sim *sim, const char *field, double **values, piola_error *error)
{
    found f;
    *values = NULL;
    const piola_status rc = find(mpm_of(sim), field, &f, error);
    return rc ? rc : sim_read_device(sim, &f.field, values, error);
}
