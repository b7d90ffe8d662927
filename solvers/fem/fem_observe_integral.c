/* fem_observe_integral.c -- integrals over a body (kernels/fem/fem_integral.h) as observations: volume, mass, strain
 * energy, the norm of stress. */
#include "solvers/fem/fem.h"

enum { SUMS, SUMS_BAR = 2 }; /* in observe.integrals: A and B of the norm, and their cotangents */

int fem_of_elements(pio_observable type)
{
    return type == PIO_VOLUME || type == PIO_MASS || type == PIO_STRAIN_ENERGY || type == PIO_STRESS;
}

/* Forces and stresses have the rule of the stiffness, masses their own. */
static int rule_of(pio_observable type)
{
    return type == PIO_VOLUME || type == PIO_MASS ? RULE_MASS : RULE_STIFFNESS;
}

static fem_integral_args args_of(const fem_sim *f, const fem_observation *o, const fem_element_block *p, int integral,
                                 int rule)
{
    return (fem_integral_args){.b = fem_block_of(f, p, rule),
                               .m = fem_matter_of(f),
                               .type = integral,
                               .form = f->materials.parameter_form,
                               .u = f->state.u,
                               .weight = o->element_weight,
                               .power = o->desc.power,
                               .size = o->desc.size};
}

/* clang-format off */
#define INTEGRAL_ARGS .b = a.b, .m = a.m, .type = a.type, .form = a.form, .u = a.u, .weight = a.weight, \
    .power = a.power, \
    .size = a.size

/* total += weight times the integral, block after block */
static void add_integral(fem_sim *f, const fem_observation *o, int integral, double weight, wide *total)
{
    pio_queue *q = &f->base.queue;
    for (const fem_element_block *p = f->mesh.block; p < f->mesh.block + f->mesh.n_blocks; p++) {
        const fem_integral_args a = args_of(f, o, p, integral, rule_of(o->desc.type));
        pio_sum(q, fem_integral, p->n, NULL, f->base.scalar, INTEGRAL_ARGS);
        pio_map(q, fem_observe_add, 1, NULL, .sum = f->base.scalar, .weight = weight, .sample = total);
    }
}

static void norm_sums(fem_sim *f, const fem_observation *o)
{
    pio_queue_zero(&f->base.queue, f->observe.integrals, 2 * sizeof *f->observe.integrals);
    add_integral(f, o, PIO_STRESS, 1, f->observe.integrals + SUMS);
    add_integral(f, o, PIO_VOLUME, 1, f->observe.integrals + SUMS + 1);
}

void fem_observe_integral(fem_sim *f, const fem_observation *o, const pio_sample_weight *t)
{
    wide *sample = f->base.samples + o->first + t->sample;
    if (o->desc.type != PIO_STRESS) {
        add_integral(f, o, o->desc.type, t->weight, sample);
        return;
    }
    norm_sums(f, o);
    pio_map(&f->base.queue, fem_norm, 1, NULL, .sums = f->observe.integrals + SUMS, .power = o->desc.power,
            .size = o->desc.size, .weight = t->weight, .sample = sample);
}

/* From the cotangent of an integral, scale times *bar, to those of displacement, constants, density, thickness and
 * shape. */
static void add_integral_adj(fem_sim *f, const fem_observation *o, int integral, double scale, const wide *bar)
{
    pio_queue *q = &f->base.queue;
    for (const fem_element_block *p = f->mesh.block; p < f->mesh.block + f->mesh.n_blocks; p++)
        pio_map(q, fem_integral_adj, p->n, NULL,
                .fwd = args_of(f, o, p, integral, rule_of(o->desc.type)), .integral_bar = bar, .scale = scale,
                .u_bar = f->mesh.dof_out, .rest_bar = f->mesh.dof_rest, .k_bar = f->materials.k_bar,
                .density_bar = f->materials.density_bar,
                .thick_bar = f->materials.has_thickness ? f->materials.thickness_bar : NULL);
    pio_map(q, fem_node_sum, f->mesh.nodes, NULL,
            .start = f->mesh.dof_start, .element_node = f->mesh.dof_list, .in = f->mesh.dof_out, .scale = 1,
            .out = f->adjoint.u_bar);
    pio_map(q, fem_node_sum, f->mesh.nodes, NULL,
            .start = f->mesh.dof_start, .element_node = f->mesh.dof_list, .in = f->mesh.dof_rest, .scale = 1,
            .out = f->mesh.rest_bar);
    pio_halo(q, f->adjoint.u_bar);
}

void fem_observe_integral_adj(fem_sim *f, const fem_observation *o, const pio_sample_weight *t)
{
    const wide *sample_bar = f->base.samples_bar + o->first + t->sample;
    if (o->desc.type != PIO_STRESS) {
        add_integral_adj(f, o, o->desc.type, t->weight, sample_bar);
        return;
    }
    norm_sums(f, o);
    pio_map(&f->base.queue, fem_norm_adj, 1, NULL,
            .fwd = {.sums = f->observe.integrals + SUMS, .power = o->desc.power, .size = o->desc.size,
            .weight = t->weight}, .sample_bar = sample_bar, .sums_bar = f->observe.integrals + SUMS_BAR);
    add_integral_adj(f, o, PIO_STRESS, 1, f->observe.integrals + SUMS_BAR);
    add_integral_adj(f, o, PIO_VOLUME, 1, f->observe.integrals + SUMS_BAR + 1);
}
/* clang-format on */
