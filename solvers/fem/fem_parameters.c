/* fem_parameters.c -- the design pipeline of a mesh: z -> values -> constants, loads, supports and rest positions, and
 * back. */
#include "solvers/fem/fem_contact.h"
#include "solvers/fem/fem_control.h"
#include "solvers/fem/fem_pairs_friction.h"
#include "solvers/fem/fem_vary.h"

#include <stdlib.h>
#include <string.h>

static int variables_of(const fem_design *d)
{
    return d->desc.groups * d->desc.components;
}

/* Calls the host's filter of a design for its part of z; the caller frees what is returned, NULL on failure. */
static double *filtered_by_host(const fem_design *d, int transposed, const double *z, piola_status *status,
                                piola_error *error)
{
    const pio_filter_desc *h = d->desc.filter;
    double *out = malloc(sizeof *out * ((size_t)variables_of(d) + 1));
    *status = out ? h->apply(h, transposed, z + d->first, out, error)
                  : sim_fail(error, PIOLA_NO_MEMORY, "there is no memory for the filter of a design");
    if (!*status) return out;
    free(out);
    return NULL;
}

piola_status fem_host_filters(fem_sim *f, const double *z, double *z_bar, piola_error *error)
{
    piola_status rc = PIOLA_OK;
    for (const fem_design *d = f->design.designs; !rc && d < f->design.designs + f->design.n_designs; d++) {
        const size_t bytes = sizeof(double) * (size_t)variables_of(d);
        if (!d->desc.filter || d->start) continue;
        double *out = filtered_by_host(d, z_bar != NULL, z_bar ? z_bar : z, &rc, error);
        if (out && z_bar) memcpy(z_bar + d->first, out, bytes);
        if (out && !z_bar) pio_queue_upload(&f->base.queue, f->design.filtered + d->first, out, bytes);
        free(out);
    }
    return rc;
}

/* clang-format off */
static void apply_one(fem_sim *f, const fem_design *d)
{
    pio_queue *q = &f->base.queue;
    const pio_design_desc *e = &d->desc;
    double *value = f->base.value + d->first;
    const fem_node_target nodes = fem_node_target_of(f, e->quantity);
    const double *z = f->base.z + d->first;
    if (d->start)
        pio_map(q, design_filter, variables_of(d), NULL,
                .start = d->start, .from = d->from, .weight = d->weight, .offset = d->offset, .in = z,
                .out = f->design.filtered + d->first);
    if (e->filter) z = f->design.filtered + d->first;
    if (d->projected) {
        pio_map(q, design_project, variables_of(d), NULL,
                .sharpness = e->sharpness, .threshold = e->threshold, .in = z, .out = d->projected);
        z = d->projected;
    }
    pio_map(q, design_value, variables_of(d), NULL,
            .z = z, .logarithmic = e->logarithmic, .a = e->a, .b = e->b,
            .start = e->start && !e->filter ? f->base.z_start + d->first : NULL,
            .reference = f->base.reference + d->first,
            .value = value);
    if (e->quantity == PIO_GRAVITY) {
        pio_queue_copy(q, f->step->gravity + e->component, value, sizeof *value * (size_t)e->components);
    } else if (e->quantity == PIO_LOAD) {
        pio_queue_copy(q, f->loads.values + 3 * e->which + e->component, value,
                       sizeof *value * (size_t)e->components);
    } else if (e->quantity == PIO_SUPPORT) {
        pio_queue_copy(q, f->supports.value + e->which, value, sizeof *value * (size_t)e->components);
    } else if (e->quantity == PIO_NAMED_CONSTANT) {
        pio_queue_copy(q, f->varies.constant + e->which, value, sizeof *value);
    } else if (fem_designs_control(e->quantity)) {
        fem_control_design(f, e, value);
    } else if (sim_is_of_obstacle(e->quantity)) {
        sim_obstacle_design(&f->contact.obstacles, q, e, value, 0);
    } else if (fem_is_of_pairs(e->quantity)) {
        fem_pairs_design(f, e->quantity, value, 0);
    } else if (fem_is_of_pairs_friction(e->quantity)) {
        fem_pairs_friction_design(f, e->quantity, value, 0);
    } else if (d->direction) {
        pio_map(q, fem_along, f->mesh.nodes, NULL, .index = d->index, .value = value, .direction = d->direction,
                .reference = nodes.reference, .rest = nodes.out);
    } else if (nodes.out) {
        fem_rest_args a = {.components = e->components, .first = e->component, .index = d->index, .value = value,
                           .reference = nodes.reference, .rest = nodes.out};
        for (int c = 0; c < DIM; c++) a.base[c] = e->base[c];
        pio_map_with(q, fem_rest, f->mesh.nodes, NULL, &a);
    } else {
        const fem_element_target t = fem_element_target_of(f, e->quantity);
        pio_map(q, design_set, f->mesh.elements, NULL,
                .n = f->mesh.elements, .components = 1, .index = d->index, .value = value, .out = t.out,
                .stored = t.components, .first = t.component);
    }
}

static fem_interpolate_args interpolation_of(const fem_sim *f)
{
    return (fem_interpolate_args){
            .of = {.n = f->mesh.elements, .law = f->materials.law, .parameter_form = f->materials.parameter_form,
                   .parameters = f->materials.parameters},
            .relative = f->materials.relative, .choice = f->materials.choice,
            .interpolation = f->materials.interpolation, .interpolations = f->materials.interpolations,
            .density = f->materials.density, .k = f->materials.k,
            .actual = f->materials.actual};
}

piola_status fem_design_apply(fem_sim *f, piola_error *error)
{
    pio_queue *q = &f->base.queue;
    fem_morph_begin(f);
    for (int d = 0; d < f->design.n_designs; d++) apply_one(f, &f->design.designs[d]);
    const piola_status rc = fem_morph(f, error);
    fem_vary_apply(f);
    fem_areas(f);
    fem_couples(f);
    fem_contact_areas(f);
    const int rows = f->materials.rows ? f->materials.rows : f->mesh.elements;
    pio_map(q, fem_constants, rows, NULL, .n = rows, .law = f->materials.law,
            .parameter_form = f->materials.parameter_form,
            .parameters = f->materials.parameters, .k = f->materials.k);
    if (f->materials.relative) {
        const fem_interpolate_args a = interpolation_of(f);
        pio_map_with(q, fem_interpolate, f->mesh.elements, NULL, &a);
    }
    if (f->materials.has_heat)
        pio_map(q, fem_heat, f->mesh.elements, NULL, .expansion = f->materials.expansion,
                .temperature = f->materials.temperature, .heat = f->materials.heat);
    for (const fem_element_block *p = f->mesh.block; p < f->mesh.block + f->mesh.n_blocks; p++)
        pio_map(q, fem_check, p->n, NULL,
                .b = fem_block_of(f, p, RULE_MASS),
                .m = f->materials.rows ? (fem_matter){.heat = f->materials.heat} : fem_matter_of(f), .step = f->step);
    if (f->materials.rows) fem_rows_check(f);
    return rc;
}

/* Takes the cotangents of a design's values to those of its variables: the map of units, the projection, the filter. */
static void values_adj(fem_sim *f, const fem_design *d)
{
    pio_queue *q = &f->base.queue;
    const pio_design_desc *e = &d->desc;
    double *value_bar = f->base.value_bar + d->first, *z_bar = f->base.z_bar + d->first;
    double *filtered = f->design.filtered + d->first, *inner_bar = d->projected ? d->projected : filtered;
    pio_map(q, design_value_adj, variables_of(d), NULL,
            .logarithmic = e->logarithmic, .a = e->a, .b = e->b, .value = f->base.value + d->first,
            .value_bar = value_bar, .z_bar = e->filter ? inner_bar : z_bar);
    if (d->projected)
        pio_map(q, design_project_adj, variables_of(d), NULL,
                .fwd = {.sharpness = e->sharpness, .threshold = e->threshold, .in = filtered},
                .out_bar = inner_bar, .in_bar = inner_bar);
    if (e->filter && !d->start) /* the host does the rest: fem_host_filters() */
        pio_queue_copy(q, z_bar, inner_bar, sizeof *z_bar * (size_t)variables_of(d));
    if (d->start)
        pio_map(q, design_filter, variables_of(d), NULL,
                .start = d->transposed_start, .from = d->transposed_from, .weight = d->transposed_weight,
                .in = inner_bar, .out = z_bar);
}

static void adjoint_of_one(fem_sim *f, const fem_design *d)
{
    pio_queue *q = &f->base.queue;
    const pio_design_desc *e = &d->desc;
    double *value_bar = f->base.value_bar + d->first;
    const fem_element_target t = fem_element_target_of(f, e->quantity);
    const fem_node_target nodes = fem_node_target_of(f, e->quantity);
    if (e->quantity == PIO_GRAVITY) {
        pio_queue_copy(q, value_bar, f->base.gravity_bar + e->component, sizeof *value_bar * (size_t)e->components);
    } else if (e->quantity == PIO_LOAD) {
        pio_queue_copy(q, value_bar, f->loads.values_bar + 3 * e->which + e->component,
                       sizeof *value_bar * (size_t)e->components);
    } else if (e->quantity == PIO_SUPPORT) {
        pio_queue_copy(q, value_bar, f->supports.value_bar + e->which, sizeof *value_bar * (size_t)e->components);
    } else if (e->quantity == PIO_NAMED_CONSTANT) {
        pio_queue_copy(q, value_bar, f->varies.constant_bar + e->which, sizeof *value_bar);
    } else if (fem_designs_control(e->quantity)) {
        fem_control_design_adj(f, e, value_bar);
    } else if (sim_is_of_obstacle(e->quantity)) {
        sim_obstacle_design(&f->contact.obstacles, q, e, value_bar, 1);
    } else if (fem_is_of_pairs(e->quantity)) {
        fem_pairs_design(f, e->quantity, value_bar, 1);
    } else if (fem_is_of_pairs_friction(e->quantity)) {
        fem_pairs_friction_design(f, e->quantity, value_bar, 1);
    } else if (d->direction) {
        pio_queue_zero(q, value_bar, sizeof *value_bar * (size_t)variables_of(d));
        pio_map(q, fem_along_adj, f->mesh.nodes, NULL,
                .index = d->index, .direction = d->direction, .rest_bar = nodes.bar, .value_bar = value_bar);
    } else if (nodes.out) {
        pio_queue_zero(q, value_bar, sizeof *value_bar * (size_t)variables_of(d));
        if (e->each)
            pio_map(q, fem_rest_each, f->mesh.nodes, NULL, .components = e->components, .first = e->component,
                    .index = d->index, .bar = nodes.bar, .value_bar = value_bar);
        else
            for (int g = 0; g < e->groups; g++)
                for (int c = 0; c < e->components; c++)
                    pio_sum(q, fem_rest_sum, f->mesh.nodes, NULL, value_bar + g * e->components + c,
                            .index = d->index, .group = g, .component = e->component + c, .bar = nodes.bar);
    } else if (d->member) {
        pio_map(q, design_members, e->groups, NULL,
                .n = f->mesh.elements, .components = 1, .start = d->member_start, .member = d->member, .bar = t.bar,
                .value_bar = value_bar, .stored = t.components, .first = t.component);
    } else if (e->each) {
        pio_map(q, design_each, f->mesh.elements, NULL,
                .n = f->mesh.elements, .components = 1, .index = d->index, .bar = t.bar, .value_bar = value_bar,
                .stored = t.components, .first = t.component);
    } else {
        for (int g = 0; g < e->groups; g++)
            pio_sum(q, design_sum, f->mesh.elements, NULL, value_bar + g,
                    .n = f->mesh.elements, .stored = t.components, .component = t.component, .index = d->index,
                    .group = g, .bar = t.bar);
    }
    values_adj(f, d);
}

piola_status fem_design_adj(fem_sim *f, piola_error *error)
{
    fem_areas_adj(f);
    fem_couples_adj(f);
    fem_contact_areas_adj(f);
    if (f->materials.relative)
        pio_map(&f->base.queue, fem_interpolate_adj, f->mesh.elements, NULL,
                .fwd = interpolation_of(f), .actual_bar = f->materials.actual_bar, .k_bar = f->materials.k_bar,
                .relative_bar = f->materials.relative_bar, .choice_bar = f->materials.choice_bar,
                .density_bar = f->materials.density_bar);
    pio_map(&f->base.queue, fem_constants_adj, f->mesh.elements, NULL,
            .fwd = {.n = f->mesh.elements, .law = f->materials.law, .parameter_form = f->materials.parameter_form,
            .parameters = f->materials.parameters}, .k_bar = f->materials.k_bar,
            .parameters_bar = f->materials.parameters_bar);
    if (f->materials.has_heat)
        pio_map(&f->base.queue, fem_heat_adj, f->mesh.elements, NULL,
                .fwd = {.expansion = f->materials.expansion, .temperature = f->materials.temperature},
                .heat_bar = f->materials.heat_bar, .expansion_bar = f->materials.expansion_bar,
                .temperature_bar = f->materials.temperature_bar);
    fem_vary_apply_adj(f);
    const piola_status rc = fem_morph_adj(f, error);
    for (int d = 0; d < f->design.n_designs; d++) adjoint_of_one(f, &f->design.designs[d]);
    return rc;
}
/* clang-format on */
