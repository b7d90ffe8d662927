/* mpm_contact.c -- velocity fields of their own and the contact between them (kernels/mpm_contact.h): launched only where a
 * description has several. */
#include "solvers/mpm.h"

#include <math.h>
#include <stdlib.h>

/* How full a node is of a field is told by its mass there, so all particles of a field have one density. */
static piola_status check_densities(const pio_particles_desc *p, piola_error *error)
{
    double density[CONTACT_FIELDS] = {0};
    for (int64_t i = 0; p->fields > 1 && i < p->n; i++) {
        double *own = &density[p->field[i]];
        if (!(*own > 0)) *own = p->density[i];
        if (*own != p->density[i])
            return sim_fail(
                error, PIOLA_BAD_DATA,
                "particle %lld: a density of %g kg/m3 in velocity field %d of %g; one density in each would be "
                "right",
                (long long)i, p->density[i], p->field[i], *own);
    }
    return PIOLA_OK;
}

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
    return check_densities(p, error);
}

piola_status mpm_contact_accepts(const pio_engine_desc *desc, piola_error *error)
{
    const int several = desc->particles.fields > 1;
    const piola_status rc = check_fields(&desc->particles, error);
    if (rc) return rc;
    if (several && desc->reversible)
        return sim_fail(error, PIOLA_BAD_DATA,
                        "contact of velocity fields loses motion that cannot be taken back; the reversible integrator "
                        "has one field");
    if (several && !(desc->friction >= 0 && isfinite(desc->friction)))
        return sim_fail(error, PIOLA_BAD_DATA, "friction of %g; 0 or more would be right", desc->friction);
    if (several && !(desc->onset > 0 && isfinite(desc->onset)))
        return sim_fail(error, PIOLA_BAD_DATA, "contact sets in at %g m/s; a velocity above 0 would be right",
                        desc->onset);
    for (int d = 0; d < desc->n_designs; d++) {
        if (desc->designs[d].quantity == PIO_FRICTION && !several)
            return sim_fail(error, PIOLA_BAD_DATA, "design %d: one velocity field has no friction", d);
        if (desc->designs[d].quantity == PIO_DENSITY && several)
            return sim_fail(error, PIOLA_BAD_DATA, "design %d: densities are not to be designed with several fields",
                            d);
    }
    return PIOLA_OK;
}

void mpm_contact_upload(mpm_sim *sim, const pio_engine_desc *desc)
{
    const pio_particles_desc *p = &desc->particles;
    double mass[CONTACT_FIELDS] = {0}, volume[CONTACT_FIELDS] = {0};
    real per_mass[CONTACT_FIELDS];
    if (sim->box.fields < 2) return;
    for (int64_t i = 0; i < p->n; i++) {
        mass[p->field[i]] += p->density[i] * p->volume[i];
        volume[p->field[i]] += p->volume[i];
    }
    for (int f = 0; f < sim->box.fields; f++) per_mass[f] = (real)(volume[f] / mass[f] / pow(desc->grid.spacing, DIM));
    pio_queue_upload(&sim->base.queue, sim->per_mass, per_mass, sizeof *per_mass * (size_t)sim->box.fields);
}

/* clang-format off */
#define CONTACT .l = sim->lists, .step = sim->step, .box = sim->box, .nodes = sim->nodes, .fields = sim->box.fields, \
    .sums = sim->node_sums, .per_mass = sim->per_mass, .onset = (real)sim->onset, .free_velocity = sim->free_velocity

void mpm_contact_step(mpm_sim *sim)
{
    if (sim->box.fields > 1)
        pio_map(&sim->base.queue, mpm_contact, sim->nodes, &sim->step->nodes, CONTACT, .velocity = sim->node_velocity);
}

void mpm_contact_reverse(mpm_sim *sim)
{
    pio_queue *q = &sim->base.queue;
    if (sim->box.fields < 2) return;
    pio_map(q, mpm_contact_adj, sim->nodes, &sim->step->nodes,
            .fwd = {CONTACT}, .velocity_bar = sim->node_velocity_bar, .free_bar = sim->node_velocity_bar,
            .mass_bar = sim->contact_bar, .share = sim->contact_share);
    pio_sum(q, mpm_contact_sum, sim->nodes, &sim->step->nodes, sim->base.scalar,
            .l = sim->lists, .share = sim->contact_share);
    pio_map(q, add_scalar, 1, NULL, .term = sim->base.scalar, .total = sim->friction_bar);
}

void mpm_contact_mass_reverse(mpm_sim *sim)
{
    if (sim->box.fields > 1)
        pio_map(&sim->base.queue, mpm_contact_mass_adj, sim->nodes, &sim->step->nodes,
                .l = sim->lists, .box = sim->box, .nodes = sim->nodes, .fields = sim->box.fields,
                .per_mass = sim->per_mass, .mass_bar = sim->contact_bar, .node_bar = sim->node_bar);
}
/* clang-format on */
