/* mpm_contact.c -- velocity fields of their own and the contact between them (kernels/mpm/mpm_contact.h): launched only
 * where a description has several. */
#include "solvers/mpm/mpm.h"

#include <math.h>

static piola_status check_fields(const pio_particles_desc *p, piola_error *error)
{
    int64_t members[CONTACT_FIELDS] = {0};
    if (p->fields > CONTACT_FIELDS || (p->fields > 1 && !p->field))
        return sim_fail(error, PIOLA_BAD_DATA,
                        "%d velocity fields: each particle needs the number of its own, and from 1 to %d are possible",
                        p->fields, CONTACT_FIELDS);
    for (int64_t i = 0; p->fields > 1 && i < p->n; i++) {
        if (p->field[i] < 0 || p->field[i] >= p->fields)
            return sim_fail(error, PIOLA_BAD_DATA, "particle %lld: velocity field %d is none of the %d", (long long)i,
                            p->field[i], p->fields);
        members[p->field[i]]++;
    }
    for (int f = 0; p->fields > 1 && f < p->fields; f++)
        if (!members[f]) return sim_fail(error, PIOLA_BAD_DATA, "no particle is in velocity field %d", f);
    return PIOLA_OK;
}

piola_status mpm_contact_accepts(const pio_engine_desc *desc, piola_error *error)
{
    const int several = desc->particles.fields > 1, on_grid = several && desc->contact_model == PIO_CONTACT_GRID;
    const piola_status rc = check_fields(&desc->particles, error);
    if (rc) return rc;
    if (several && desc->reversible)
        return sim_fail(error, PIOLA_BAD_DATA,
                        "contact of velocity fields loses motion that cannot be restored; the reversible integrator "
                        "has one field");
    if (on_grid && !(desc->friction >= 0 && isfinite(desc->friction)))
        return sim_fail(error, PIOLA_BAD_DATA, "friction of %g; 0 or more would be right", desc->friction);
    if (on_grid && !(desc->regularisation_velocity >= PIO_LEAST_VELOCITY && isfinite(desc->regularisation_velocity)))
        return sim_fail(error, PIOLA_BAD_DATA, "contact sets in at %g m/s; a velocity of at least %g would be right",
                        desc->regularisation_velocity, PIO_LEAST_VELOCITY);
    for (int d = 0; d < desc->n_designs; d++)
        if ((desc->designs[d].quantity == PIO_FRICTION || desc->designs[d].quantity == PIO_REGULARISATION_VELOCITY) &&
            !several)
            return sim_fail(error, PIOLA_BAD_DATA, "design %d: one velocity field has no friction", d);
    return PIOLA_OK;
}

/* clang-format off */
#define CONTACT .l = sim->grid.lists, .step = sim->step, .box = sim->grid.box, .nodes = sim->grid.nodes, \
    .fields = sim->grid.box.fields, .sums = sim->grid.node_sums, .volume = sim->contact.node_volume, \
    .free_velocity = sim->contact.free_velocity
#define VOLUME .s = sim->particles.state[sim->particles.current], .n = sim->particles.n, .l = sim->grid.lists, \
    .quantity = sim->material.volume

void mpm_contact_step(mpm_sim *sim)
{
    pio_queue *q = &sim->base.queue;
    if (!sim->contact.on_grid) return;
    pio_map(q, mpm_deposit, sim->grid.max_blocks, &sim->step->blocks, VOLUME, .sums = sim->grid.tiles);
    pio_map(q, mpm_deposit_sum, sim->grid.nodes, &sim->step->nodes,
            .l = sim->grid.lists, .box = sim->grid.box, .sums = sim->grid.tiles, .out = sim->contact.node_volume);
    pio_halo(q, sim->contact.node_volume);
    pio_map(q, mpm_contact, sim->grid.nodes, &sim->step->nodes, CONTACT, .velocity = sim->grid.velocity);
}

void mpm_contact_adjoint(mpm_sim *sim)
{
    pio_queue *q = &sim->base.queue;
    if (!sim->contact.on_grid) return;
    pio_map(q, mpm_contact_adj, sim->grid.nodes, &sim->step->nodes,
            .fwd = {CONTACT}, .velocity_bar = sim->grid.velocity_bar, .free_bar = sim->grid.velocity_bar,
            .mass_bar = sim->contact.mass_bar, .volume_bar = sim->contact.volume_bar,
            .contribution = sim->contact.contribution);
    for (int k = 0; k < 2; k++) {
        pio_sum(q, mpm_contact_sum, sim->grid.nodes, &sim->step->nodes, sim->base.scalar,
                .l = sim->grid.lists, .nodes = sim->grid.nodes, .which = k, .contribution = sim->contact.contribution);
        pio_map(q, add_scalar, 1, NULL, .term = sim->base.scalar, .total = sim->contact.parameters_bar + k);
    }
}

void mpm_contact_matter_adjoint(mpm_sim *sim)
{
    pio_queue *q = &sim->base.queue;
    if (!sim->contact.on_grid) return;
    pio_map(q, mpm_contact_volume_adj, sim->grid.nodes, &sim->step->nodes,
            .l = sim->grid.lists, .box = sim->grid.box, .nodes = sim->grid.nodes, .mass_bar = sim->contact.mass_bar,
            .volume_bar = sim->contact.volume_bar, .node_bar = sim->grid.node_bar,
            .node_volume_bar = sim->contact.node_volume_bar);
    pio_halo(q, sim->contact.node_volume_bar);
    pio_map(q, mpm_deposit_adj, sim->particles.n, &sim->step->particles,
            .fwd = {VOLUME}, .box = sim->grid.box, .node_bar = sim->contact.node_volume_bar, .scale = 1,
            .bar = sim->particles.bar[1 - sim->particles.current_bar]);
}
/* clang-format on */
