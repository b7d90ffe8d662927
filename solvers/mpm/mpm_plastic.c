/* mpm_plastic.c -- plasticity (kernels/mpm/mpm_plastic.h): what a description must hold, and plastic flow at the end of
 * every step. */
#include "solvers/mpm/mpm.h"

static piola_status check_particle(const pio_particles_desc *p, int64_t i, piola_error *error)
{
    const int plastic = p->plasticity[i], right = plastic == PIO_SNOW ? PIO_HYPER_FIXED_COROTATED : PIO_HYPER_HENCKY;
    if (plastic < 0 || plastic >= PIO_PLASTIC_LAWS)
        return sim_fail(error, PIOLA_BAD_DATA, "particle %lld: there is no plastic law %d; 0 to %d would be right",
                        (long long)i, plastic, PIO_PLASTIC_LAWS - 1);
    if (plastic != PIO_ELASTIC && p->law[i] != right)
        return sim_fail(error, PIOLA_BAD_DATA, "particle %lld: plastic law %d needs the elastic law %d (it is %d)",
                        (long long)i, plastic, right, (int)p->law[i]);
    return PIOLA_OK;
}

piola_status mpm_plastic_accepts(const pio_engine_desc *desc, piola_error *error)
{
    const pio_particles_desc *p = &desc->particles;
    int plastic = 0;
    if (p->plasticity && !p->yield)
        return sim_fail(error, PIOLA_BAD_DATA, "plastic laws need their constants, particles.yield");
    for (int64_t i = 0; p->plasticity && i < p->n; i++) {
        const piola_status rc = check_particle(p, i, error);
        if (rc) return rc;
        plastic |= p->plasticity[i] != PIO_ELASTIC;
    }
    if (plastic && desc->reversible)
        return sim_fail(error, PIOLA_BAD_DATA,
                        "plastic flow loses energy that cannot be restored; the reversible integrator has elastic "
                        "solids");
    for (int d = 0; d < desc->n_designs; d++) {
        const pio_quantity quantity = desc->designs[d].quantity;
        if (!plastic && quantity >= PIO_YIELD_0 && quantity <= PIO_YIELD_2)
            return sim_fail(error, PIOLA_BAD_DATA, "design %d is of a plastic law, and no particle has one", d);
    }
    return PIOLA_OK;
}

void mpm_plastic_upload(mpm_sim *sim, const pio_engine_desc *desc)
{
    if (!sim->plastic.used) return;
    pio_queue_zero(&sim->base.queue, sim->plastic.near, 2 * sizeof *sim->plastic.near);
    pio_queue_upload(&sim->base.queue, sim->plastic.law, desc->particles.plasticity,
                     sizeof(int) * (size_t)sim->particles.n);
}

/* clang-format off */
void mpm_plastic_start(mpm_sim *sim)
{
    pio_queue *q = &sim->base.queue;
    if (!sim->plastic.used) return;
    pio_queue_zero(q, sim->plastic.near, sizeof *sim->plastic.near);
    pio_map(q, mpm_plastic_check, sim->particles.n, NULL, .matter = mpm_matter_of(sim), .step = sim->step);
}

void mpm_plastic_adj_begin(mpm_sim *sim)
{
    if (sim->plastic.used) pio_queue_copy(&sim->base.queue, sim->plastic.near + 1, sim->plastic.near,
            sizeof *sim->plastic.near);
}

void mpm_plastic_flow(mpm_sim *sim, int counts)
{
    if (!sim->plastic.used) return;
    pio_map(&sim->base.queue, mpm_plastic, plastic_teams(sim->particles.n), NULL,
            .s = sim->particles.state[sim->particles.current], .matter = mpm_matter_of(sim),
            .order = sim->grid.lists.order, .step = sim->step, .inv_dx = sim->grid.box.inv_dx,
            .next = sim->particles.state[1 - sim->particles.current], .near = counts ? sim->plastic.near : NULL);
}

void mpm_plastic_flow_adj(mpm_sim *sim)
{
    if (!sim->plastic.used) return;
    mpm_move_trial(sim);
    pio_map(&sim->base.queue, mpm_plastic_adj, plastic_teams(sim->particles.n), NULL,
            .fwd = {.s = sim->particles.state[sim->particles.current], .matter = mpm_matter_of(sim),
            .order = sim->grid.lists.order,
                    .step = sim->step, .inv_dx = sim->grid.box.inv_dx,
                    .next = sim->particles.state[1 - sim->particles.current]},
            .next_bar = sim->particles.bar[sim->particles.current_bar],
            .bar = sim->particles.bar[1 - sim->particles.current_bar], .k_bar = sim->material.k_bar,
            .yield_bar = sim->plastic.yield_bar);
}
/* clang-format on */

/* Counts those of the forward run before the adjoint sweep: it has every step once. */
int64_t mpm_plastic_kinks(mpm_sim *sim)
{
    uint64_t near = 0;
    pio_queue_download(&sim->base.queue, &near, sim->plastic.near + 1, sizeof near);
    return (int64_t)near;
}
