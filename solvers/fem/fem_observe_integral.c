/* fem_observe_integral.c -- integrals over a body (kernels/fem/fem_integral.h) as observations: volume, mass, strain
 * energy. */
#include "solvers/fem/fem.h"
#include "solvers/fem/fem_observe.h"

int fem_of_elements(pio_observable type)
{
    return type >= PIO_VOLUME;
}

/* Forces have the rule of the stiffness, masses their own. */
static int rule_of(pio_observable type)
{
    return type == PIO_STRAIN_ENERGY ? RULE_STIFFNESS : RULE_MASS;
}

static fem_integral_args args_of(const fem_sim *f, const fem_observation *o, const fem_element_block *p)
{
    return (fem_integral_args){.b = fem_block_of(f, p, rule_of(o->desc.type)),
                               .m = fem_matter_of(f),
                               .type = (int)o->desc.type,
                               .u = f->state.u,
                               .weight = o->element_weight};
}

/* clang-format off */
void fem_observe_integral(fem_sim *f, const fem_observation *o, const pio_sample_weight *t)
{
    pio_queue *q = &f->base.queue;
    for (const fem_element_block *p = f->mesh.block; p < f->mesh.block + f->mesh.n_blocks; p++) {
        const fem_integral_args a = args_of(f, o, p);
        pio_sum(q, fem_integral, p->n, NULL, f->base.scalar, .b = a.b, .m = a.m, .type = a.type, .u = a.u,
                .weight = a.weight);
        pio_map(q, fem_observe_add, 1, NULL, .sum = f->base.scalar, .weight = t->weight,
                .sample = f->base.samples + o->first + t->sample);
    }
}

void fem_add_observed(fem_sim *f)
{
    pio_queue *q = &f->base.queue;
    pio_map(q, fem_node_sum, f->mesh.nodes, NULL,
            .start = f->mesh.dof_start, .element_node = f->mesh.dof_list, .in = f->mesh.dof_out, .scale = 1,
            .out = f->adjoint.u_bar);
    pio_map(q, fem_node_sum, f->mesh.nodes, NULL,
            .start = f->mesh.dof_start, .element_node = f->mesh.dof_list, .in = f->mesh.dof_rest, .scale = 1,
            .out = f->mesh.rest_bar);
    pio_halo(q, f->adjoint.u_bar);
}

/* From the cotangent of an integral to those of displacement, constants, densities, thickness and shape. */
void fem_observe_integral_adj(fem_sim *f, const fem_observation *o, const pio_sample_weight *t)
{
    for (const fem_element_block *p = f->mesh.block; p < f->mesh.block + f->mesh.n_blocks; p++)
        pio_map(&f->base.queue, fem_integral_adj, p->n, NULL,
                .fwd = args_of(f, o, p), .integral_bar = f->base.samples_bar + o->first + t->sample,
                .scale = t->weight, .u_bar = f->mesh.dof_out, .rest_bar = f->mesh.dof_rest,
                .k_bar = f->materials.k_bar, .density_bar = f->materials.actual_bar,
                .thick_bar = f->materials.has_thickness ? f->materials.thickness_bar : NULL,
                .heat_bar = f->materials.heat_bar, .relative_bar = f->materials.relative_bar);
    fem_add_observed(f);
}
/* clang-format on */
