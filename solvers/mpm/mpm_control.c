/* mpm_control.c -- the control stage: what a description of channels must hold, and activation[] in every step. */
#include "solvers/mpm/mpm.h"

#include <math.h>
#include <stdlib.h>

static pio_knots_desc knots_of(const pio_engine_desc *desc, int c)
{
    return desc->knots ? desc->knots[c] : (pio_knots_desc){0};
}

/* Enough of them, among the values. */
static piola_status check_knots(const pio_engine_desc *desc, int c, piola_error *error)
{
    const pio_knots_desc k = knots_of(desc, c);
    const pio_signal signal = desc->channels[c].signal;
    const int least = signal == PIO_PIECEWISE ? 2 : signal == PIO_SPLINE ? 4 : 0;
    if (least ? k.count < least : k.count != 0)
        return sim_fail(error, PIOLA_BAD_DATA, "channel %d: %d knots; its signal has %s%d", c, (int)k.count,
                        least ? "at least " : "", least);
    if (!least) return PIOLA_OK;
    if (k.first < 0 || k.count > desc->n_control_values - k.first)
        return sim_fail(error, PIOLA_BAD_DATA, "channel %d: knots %d to %d are not all among the %d control values", c,
                        (int)k.first, (int)k.first + (int)k.count - 1, (int)desc->n_control_values);
    if (!isfinite(k.span) || !(k.span > 0))
        return sim_fail(error, PIOLA_BAD_DATA, "channel %d: its knots span %g s; a time above 0 would be right", c,
                        k.span);
    return PIOLA_OK;
}

static piola_status check_channel(const pio_engine_desc *desc, int c, piola_error *error)
{
    const pio_channel_desc *d = &desc->channels[c];
    double square = 0;
    if ((int)d->signal < 0 || d->signal > PIO_NETWORK)
        return sim_fail(error, PIOLA_BAD_DATA, "channel %d: there is no signal %d", c, (int)d->signal);
    if (!isfinite(d->amplitude) || !isfinite(d->frequency) || !isfinite(d->phase))
        return sim_fail(error, PIOLA_BAD_DATA,
                        "channel %d: amplitude %g Pa, frequency %g Hz and phase %g rad must be finite", c, d->amplitude,
                        d->frequency, d->phase);
    for (int a = 0; a < DIM; a++) square += pow(desc->particles.fibre[(ptrdiff_t)c * DIM + a], 2);
    if (!(fabs(square - 1) <= 1e-6))
        return sim_fail(error, PIOLA_BAD_DATA, "channel %d: its fibre has length %g and must be a unit vector", c,
                        sqrt(square));
    return check_knots(desc, c, error);
}

/* No value belongs to two, so that one alone adds to its cotangent. `owned`: [values], 0. */
static piola_status check_owners(const pio_engine_desc *desc, char *owned, piola_error *error)
{
    for (int c = 0; c < desc->n_channels; c++) {
        const pio_knots_desc own = knots_of(desc, c);
        for (int k = 0; k < own.count; k++)
            if (owned[own.first + k]++)
                return sim_fail(error, PIOLA_BAD_DATA, "channel %d: control value %d is another's, too", c,
                                (int)own.first + k);
    }
    for (int i = 0; i < desc->n_networks; i++) {
        const pio_network_desc *d = &desc->networks[i];
        const int weights = mpm_network_weights(d), count = weights + 2 * d->n_clocks;
        for (int k = 0; k < count; k++) {
            const int at = k < weights ? d->weights + k : d->clocks + k - weights;
            if (owned[at]++)
                return sim_fail(error, PIOLA_BAD_DATA, "network %d: control value %d is another's, too", i, at);
        }
    }
    return PIOLA_OK;
}

static piola_status check_values(const pio_engine_desc *desc, piola_error *error)
{
    const int n = desc->n_control_values;
    if (n < 0 || (n && !desc->control_values))
        return sim_fail(error, PIOLA_BAD_DATA, "%d values of control: there are none", n);
    for (int i = 0; i < n; i++)
        if (!isfinite(desc->control_values[i]))
            return sim_fail(error, PIOLA_BAD_DATA, "control value %d: %g must be finite", i, desc->control_values[i]);
    char *owned = calloc((size_t)n + 1, 1);
    if (!owned) return sim_fail(error, PIOLA_NO_MEMORY, "no host memory for %d values of control", n);
    const piola_status rc = check_owners(desc, owned, error);
    free(owned);
    return rc;
}

/* Designs of control are of channels, or of values, that there are. */
static piola_status check_designs(const pio_engine_desc *desc, piola_error *error)
{
    for (int d = 0; d < desc->n_designs; d++) {
        const pio_design_desc *e = &desc->designs[d];
        const int values = e->quantity == PIO_CONTROL_VALUES;
        const int most = values && desc->n_channels ? desc->n_control_values : desc->n_channels;
        if (!values && !mpm_is_of_channels(e->quantity)) continue;
        if (e->groups == 1 && e->which >= 0 && e->components >= 1 && e->components <= most - e->which) continue;
        return sim_fail(error, PIOLA_BAD_DATA, "design %d of control: %d x %d values from %d on, for %d %s", d,
                        (int)e->groups, (int)e->components, (int)e->which, most, values ? "values" : "channels");
    }
    return PIOLA_OK;
}

/* Effort and smoothness are of the steps that end at their samples. */
static piola_status check_observations(const pio_engine_desc *desc, piola_error *error)
{
    for (int o = 0; o < desc->n_observations; o++) {
        const pio_observation_desc *d = &desc->observations[o];
        if (!mpm_is_of_control(d->type)) continue;
        if (!d->channel_weight || d->components != 1 || !desc->n_channels)
            return sim_fail(error, PIOLA_BAD_DATA,
                            "observation %d of control: one component and a weight of each of %d channels", o,
                            (int)desc->n_channels);
        for (int c = 0; c < desc->n_channels; c++)
            if (!isfinite(d->channel_weight[c]) || !(d->channel_weight[c] >= 0))
                return sim_fail(error, PIOLA_BAD_DATA, "observation %d: the weight %g of channel %d must be 0 or above",
                                o, d->channel_weight[c], c);
    }
    for (int t = 0; t < desc->n_sample_weights; t++) {
        const pio_sample_weight *w = &desc->sample_weights[t];
        if (mpm_is_of_control(desc->observations[w->observation].type) && (w->step < 1 || w->past > 0))
            return sim_fail(error, PIOLA_BAD_DATA,
                            "sample weight %d of control: at the end of a step would be right, not at state %lld", t,
                            (long long)w->step);
    }
    return PIOLA_OK;
}

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
    const pio_particles_desc *p = &desc->particles;
    const int channels = desc->n_channels;
    if (channels < 0 || (channels && (!desc->channels || !p->fibre)) || (!channels && p->channel))
        return sim_fail(error, PIOLA_BAD_DATA, "%d channels of control: each needs a signal and a fibre", channels);
    piola_status rc = PIOLA_OK;
    for (int c = 0; !rc && c < channels; c++) rc = check_channel(desc, c, error);
    if (!rc) rc = mpm_networks_accept(desc, error);
    if (!rc) rc = check_values(desc, error);
    if (!rc) rc = check_driven(desc, error);
    if (!rc) rc = check_designs(desc, error);
    return rc ? rc : check_observations(desc, error);
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
        const pio_knots_desc k = knots_of(desc, c);
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
    pio_map(&sim->base.queue, mpm_control_observe, 1, NULL,
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
        if (!mpm_is_of_control(o->desc.type)) continue;
        pio_map(&sim->base.queue, mpm_control_observe_adj, sim->control.n_channels, NULL,
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
