/* mpm_between.c -- the adjoint of what is observed between the ends of a step. */
#include "solvers/mpm/mpm.h"

/* Cotangents of the current state, with which the step begins, into past_bar; or (NULL) of the other one, its end, into
 * the bar at hand. */
static void between_adj(mpm_sim *sim, real *past_bar)
{
    pio_sim *s = &sim->base;
    const int64_t end = s->index + 1;
    for (int i = sim_first_sample_weight(s, end); i < s->n_sample_weights && s->sample_weights[i].step == end; i++) {
        const pio_sample_weight *t = &s->sample_weights[i];
        const mpm_observation *o = &sim->observe.observations[t->observation];
        if (!(t->past > 0)) continue;
        const mpm_observe_args a = mpm_observe_args_between(sim, t, sim->particles.current);
        pio_map(&s->queue, mpm_observe_adj, sim->particles.n, NULL, .o = a, .sum = s->scalar,
                .sample_bar = s->samples_bar + o->first + t->sample, .weight = t->weight,
                .bar = sim->particles.bar[sim->particles.current_bar], .mass_bar = sim->material.mass_bar,
                .past_bar = past_bar);
    }
}

void mpm_observe_between_adj(mpm_sim *sim)
{
    if (!sim_uses_previous_state(&sim->base, sim->base.index + 1)) return;
    if (!sim->reversible.used) mpm_move(sim, 0);
    between_adj(sim, NULL);
    mpm_adjoint_norm(sim, &sim->particles.bar[sim->particles.current_bar], sim->base.index + 1, NORM_WITH_SOURCES);
}

void mpm_observe_before_adj(mpm_sim *sim)
{
    between_adj(sim, sim->particles.bar[1 - sim->particles.current_bar].offset);
}
