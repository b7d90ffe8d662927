/* fem_fibre.c -- fibres of elements (kernels/fem/fem_fibre.h): their forces are part of the internal ones, their energy
 * of the potential, their matrix of the Jacobian. */
#include "solvers/fem/fem_control.h"

static fem_fibres fibres_of(const fem_sim *f)
{
    return (fem_fibres){.channels = f->control.n_channels,
                        .channel = f->control.channel,
                        .fibre = f->control.fibre,
                        .activation = f->control.activation};
}

/* clang-format off */
void fem_fibre_forces(fem_sim *f, const fem_element_block *p, const real *u, real *out)
{
    if (!f->control.channel) return;
    pio_map(&f->base.queue, fem_fibre, p->n, NULL, .b = fem_block_of(f, p, RULE_STIFFNESS), .of = fibres_of(f),
            .u = u, .out = out);
}

void fem_fibre_forces_adj(fem_sim *f, const fem_element_block *p, const real *u, const real *y, int parameters)
{
    if (!f->control.channel) return;
    pio_map(&f->base.queue, fem_fibre_adj, p->n, NULL,
            .fwd = {.b = fem_block_of(f, p, RULE_STIFFNESS), .of = fibres_of(f), .u = u}, .y = y,
            .u_bar = f->mesh.dof_out, .rest_bar = parameters ? f->mesh.dof_rest : NULL,
            .thick_bar = parameters && f->materials.has_thickness ? f->materials.thickness_bar : NULL,
            .activation_bar = parameters ? f->control.contribution : NULL);
}

void fem_fibre_collect(fem_sim *f)
{
    pio_queue *q = &f->base.queue;
    for (int c = 0; f->control.channel && c < f->control.n_channels; c++) {
        pio_sum(q, design_sum, f->mesh.elements, NULL, f->base.scalar, .index = f->control.channel, .group = c,
                .n = f->mesh.elements, .stored = 1, .component = 0, .bar = f->control.contribution);
        pio_map(q, add_scalar, 1, NULL, .term = f->base.scalar, .total = f->control.activation_bar + c);
    }
}

void fem_fibre_energies(fem_sim *f, const real *u, double *total)
{
    pio_queue *q = &f->base.queue;
    if (!f->control.channel) return;
    for (const fem_element_block *p = f->mesh.block; p < f->mesh.block + f->mesh.n_blocks; p++) {
        pio_sum(q, fem_fibre_energy, p->n, NULL, f->base.scalar, .b = fem_block_of(f, p, RULE_STIFFNESS),
                .of = fibres_of(f), .u = u);
        pio_map(q, add_scalar, 1, NULL, .term = f->base.scalar, .total = total);
    }
}

void fem_fibre_stiffness(fem_sim *f, const fem_element_block *p, int projected)
{
    if (!f->control.channel) return;
    pio_map(&f->base.queue, fem_fibre_matrix, p->n, NULL, .b = fem_block_of(f, p, RULE_STIFFNESS),
            .of = fibres_of(f), .projected = projected, .node_pair = p->node_pair, .node_pairs = p->node_pairs,
            .first_node_pair = p->first_node_pair, .out = f->matrix.block_out);
}
/* clang-format on */
