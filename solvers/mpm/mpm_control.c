/* mpm_control.c -- the control stage: what a description of channels must hold, and activation[] in every step. */
#include "solvers/mpm/mpm.h"

/* Channels of particles. */
static piola_status check_driven(const pio_engine_desc *desc, piola_error *error)
{
    const pio_particles_desc *p = &desc->particles;
    for (int64_t i = 0; p->channel && i < p->n; i++) {
        const int c = p->channel[i];
        if (c < -1 || c >= desc->n_channels)
            return sim_fail(error, PIOLA_BAD_DATA, "particle %lld: channel %d is none of the %d", (long long)i, c,
                            (int)desc->n_channels);
        if (c >= 0 && law_is_fluid(p->law[i]))
            return sim_fail(error, PIOLA_BAD_DATA, "particle %lld: a fluid has no fibres for channel %d to drive",
                            (long long)i, c);
    }
    return PIOLA_OK;
}

piola_status mpm_control_accepts(const pio_engine_desc *desc, piola_error *error)
{
    piola_status rc = sim_channels_accept(desc, desc->particles.fibre, desc->particles.channel != NULL, error);
    if (!rc) rc = mpm_networks_accept(desc, error);
    if (!rc) rc = sim_control_accepts(desc, error);
    return rc ? rc : check_driven(desc, error);
}

void mpm_control_upload(mpm_sim *sim, const pio_engine_desc *desc)
{
    pio_queue *q = &sim->base.queue;
    const pio_particles_desc *p = &desc->particles;
    const int channels = sim->control.n_channels;
    if (sim->control.channel)
        pio_queue_upload(q, sim->control.channel, p->channel, sizeof *p->channel * (size_t)sim->particles.n);
    for (int c = 0; c < channels; c++) {
        const pio_channel_desc *d = &desc->channels[c];
        const double parameters[CONTROL_PARAMETERS] = {
            [CONTROL_AMPLITUDE] = d->amplitude, [CONTROL_FREQUENCY] = d->frequency, [CONTROL_PHASE] = d->phase};
        const int signal = (int)d->signal;
        pio_queue_upload(q, sim->control.signal + c, &signal, sizeof signal);
        for (int k = 0; k < CONTROL_PARAMETERS; k++)
            pio_queue_upload(q, sim->control.parameters + control_at(channels, k, c), &parameters[k],
                             sizeof parameters[k]);
        for (int a = 0; a < DIM; a++) {
            const real n = (real)p->fibre[(ptrdiff_t)c * DIM + a];
            pio_queue_upload(q, sim->control.fibre + field_at(channels, DIM, a, c), &n, sizeof n);
        }
        const pio_knots_desc k = sim_knots_of(desc, c);
        const control_knots knots = {k.first, k.count, k.periodic, k.span};
        pio_queue_upload(q, sim->control.knots + c, &knots, sizeof knots);
    }
    if (sim->control.n_values)
        pio_queue_upload(q, sim->control.values, desc->control_values, sizeof(double) * (size_t)sim->control.n_values);
    mpm_networks_upload(sim);
    for (int o = 0; o < sim->observe.n_observations; o++)
        if (sim->observe.observations[o].channel_weight)
            pio_queue_upload(q, sim->observe.observations[o].channel_weight, desc->observations[o].channel_weight,
                             sizeof(double) * (size_t)channels);
}

/* clang-format off */
#define CONTROL_ARGS .channels = sim->control.n_channels, .step = sim->step, .signal = sim->control.signal, \
    .parameters = sim->control.parameters, \
    .knots = sim->control.knots, .values = sim->control.values

void mpm_control_step(mpm_sim *sim)
{
    if (!sim->control.n_channels) return;
    pio_map(&sim->base.queue, mpm_control, sim->control.n_channels, NULL,
            CONTROL_ARGS, .activation = sim->control.activation, .rate = sim->control.rate);
    mpm_networks_step(sim);
}

void mpm_observe_control(mpm_sim *sim, const pio_sample_weight *t)
{
    const mpm_observation *o = &sim->observe.observations[t->observation];
    pio_map(&sim->base.queue, control_observe, 1, NULL,
            .channels = sim->control.n_channels, .activation = sim->control.activation,
            .rate = o->desc.type == PIO_SMOOTHNESS ? sim->control.rate : NULL, .channel_weight = o->channel_weight,
            .weight = t->weight,
            .sample = sim->base.samples + o->first + t->sample);
}

/* Cotangents of activations and rates from what is sampled at the end of the step. */
static void observe_adj(mpm_sim *sim)
{
    const pio_sim *s = &sim->base;
    const int64_t end = s->index + 1;
    for (int i = sim_first_sample_weight(s, end); i < s->n_sample_weights && s->sample_weights[i].step == end; i++) {
        const pio_sample_weight *t = &s->sample_weights[i];
        const mpm_observation *o = &sim->observe.observations[t->observation];
        const int rates = o->desc.type == PIO_SMOOTHNESS;
        if (!sim_is_of_control(o->desc.type)) continue;
        pio_map(&sim->base.queue, control_observe_adj, sim->control.n_channels, NULL,
                .fwd = {.channels = sim->control.n_channels, .activation = sim->control.activation,
                .rate = rates ? sim->control.rate : NULL,
                        .channel_weight = o->channel_weight, .weight = t->weight},
                .sample_bar = s->samples_bar + o->first + t->sample,
                .bar = rates ? sim->control.rate_bar : sim->control.activation_bar);
    }
}

void mpm_control_step_adj(mpm_sim *sim, const mpm_state *bar)
{
    pio_queue *q = &sim->base.queue;
    const size_t bytes = sizeof *sim->control.activation_bar * (size_t)sim->control.n_channels;
    if (!sim->control.n_channels) return;
    if (!sim->control.channel) pio_queue_zero(q, sim->control.activation_bar, bytes); /* activations move nothing */
    for (int c = 0; sim->control.channel && c < sim->control.n_channels; c++)
        pio_sum(q, design_sum, sim->particles.n, NULL, sim->control.activation_bar + c,
                .index = sim->control.channel, .group = c, .n = sim->particles.n, .stored = 1, .component = 0,
                .bar = sim->control.contribution);
    if (sim->control.rate_bar) pio_queue_zero(q, sim->control.rate_bar, bytes);
    observe_adj(sim);
    pio_map(q, mpm_control_adj, sim->control.n_channels, NULL,
            .fwd = {CONTROL_ARGS}, .activation_bar = sim->control.activation_bar,
            .parameters_bar = sim->control.parameters_bar, .values_bar = sim->control.values_bar,
            .rate_bar = sim->control.rate_bar);
    mpm_networks_step_adj(sim, bar);
}
/* clang-format on */
