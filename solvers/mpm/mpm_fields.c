/* mpm_fields.c -- fields by name, one component at a time through a device buffer of doubles in id order. */
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

static int find_stored(const mpm_sim *sim, const char *name, stored_field *f)
{
    const mpm_state *s = &sim->particles.state[sim->particles.current],
                    *bar = &sim->particles.bar[sim->particles.current_bar];
    const double inv_dx = 1 / (double)sim->grid.box.dx;
    const struct {
        const char *name;
        stored_field field;
    } list[] = {
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
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (!strcmp(list[i].name, name) && list[i].field.data && list[i].field.first < list[i].field.stored) {
            *f = list[i].field;
            return 1;
        }
    return 0;
}

static int find_derived(const char *name, int *components)
{
    static const struct {
        const char *name;
        int what, components;
    } list[] = {{"position", DERIVED_POSITION, DIM},
                {"J", DERIVED_J, 1},
                {"F", DERIVED_F, DIM * DIM},
                {"pressure", DERIVED_PRESSURE, 1},
                {"mass", DERIVED_MASS, 1}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (!strcmp(list[i].name, name)) {
            *components = list[i].components;
            return list[i].what;
        }
    return -1;
}

int32_t mpm_components(const pio_sim *base, const char *field)
{
    const mpm_sim *sim = (const mpm_sim *)base;
    stored_field f;
    int components = 0;
    if (find_stored(sim, field, &f)) return f.components;
    return find_derived(field, &components) >= 0 ? components : 0;
}

piola_status mpm_read(pio_sim *base, const char *field, double *values, piola_error *error)
{
    mpm_sim *sim = mpm_of(base);
    pio_queue *q = &sim->base.queue;
    const mpm_state *s = &sim->particles.state[sim->particles.current];
    stored_field f = {0};
    int components = 0, what = -1;
    if (find_stored(sim, field, &f))
        components = f.components;
    else
        what = find_derived(field, &components);
    if (!components) return sim_fail(error, PIOLA_USAGE, "there is no field '%s'", field);
    for (int c = 0; c < components; c++) {
        if (what < 0)
            pio_map(q, field_read, sim->particles.n, NULL, .id = f.by_id ? NULL : s->id, .n = sim->particles.n,
                    .components = f.stored, .component = f.first + c, .in = f.data, .scale = f.scale,
                    .out = sim->base.transfer);
        else
            pio_map(q, derived_read, sim->particles.n, NULL, .s = *s, .matter = mpm_matter_of(sim),
                    .box = sim->grid.box, .what = what, .component = c, .out = sim->base.transfer);
        pio_queue_download(q, sim->base.host_transfer, sim->base.transfer, sizeof(double) * (size_t)sim->particles.n);
        if (pio_queue_failed(q)) return sim_fail(error, PIOLA_UNAVAILABLE, "%s", q->error.message);
        for (int i = 0; i < sim->particles.n; i++) values[(ptrdiff_t)i * components + c] = sim->base.host_transfer[i];
    }
    return PIOLA_OK;
}
