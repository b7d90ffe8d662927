/* sim_control.c -- what channels of control must hold, of particles and of meshes: their signals, knots and values, the
 * designs of these, and what is observed of them. */
#include "solvers/engine/sim_control.h"

#include <math.h>
#include <stdlib.h>

pio_knots_desc sim_knots_of(const pio_engine_desc *desc, int c)
{
    return desc->knots ? desc->knots[c] : (pio_knots_desc){0};
}

int sim_network_width(const pio_network_desc *k, int layer)
{
    if (layer == 0) return k->n_inputs;
    return layer > k->hidden ? k->outputs : k->width[layer - 1];
}

int sim_network_weights(const pio_network_desc *k)
{
    int count = 0;
    for (int l = 0; l <= k->hidden; l++) count += sim_network_width(k, l + 1) * (sim_network_width(k, l) + 1);
    return count;
}

/* Enough of them, among the values. */
static piola_status check_knots(const pio_engine_desc *desc, int c, piola_error *error)
{
    const pio_knots_desc k = sim_knots_of(desc, c);
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

static piola_status check_channel(const pio_engine_desc *desc, const double *fibre, int c, piola_error *error)
{
    const pio_channel_desc *d = &desc->channels[c];
    double square = 0;
    if ((int)d->signal < 0 || d->signal > PIO_NETWORK)
        return sim_fail(error, PIOLA_BAD_DATA, "channel %d: there is no signal %d", c, (int)d->signal);
    if (!isfinite(d->amplitude) || !isfinite(d->frequency) || !isfinite(d->phase))
        return sim_fail(error, PIOLA_BAD_DATA,
                        "channel %d: amplitude %g Pa, frequency %g Hz and phase %g rad must be finite", c, d->amplitude,
                        d->frequency, d->phase);
    for (int a = 0; a < DIM; a++) square += pow(fibre[(ptrdiff_t)c * DIM + a], 2);
    if (!(fabs(square - 1) <= 1e-6))
        return sim_fail(error, PIOLA_BAD_DATA, "channel %d: its fibre has length %g and must be a unit vector", c,
                        sqrt(square));
    return check_knots(desc, c, error);
}

/* No value belongs to two, so that one alone adds to its cotangent. `owned`: [values], 0. */
static piola_status check_owners(const pio_engine_desc *desc, char *owned, piola_error *error)
{
    for (int c = 0; c < desc->n_channels; c++) {
        const pio_knots_desc own = sim_knots_of(desc, c);
        for (int k = 0; k < own.count; k++)
            if (owned[own.first + k]++)
                return sim_fail(error, PIOLA_BAD_DATA, "channel %d: control value %d is another's, too", c,
                                (int)own.first + k);
    }
    for (int i = 0; i < desc->n_networks; i++) {
        const pio_network_desc *d = &desc->networks[i];
        const int weights = sim_network_weights(d), count = weights + 2 * d->n_clocks;
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
        if (!values && !sim_is_of_channels(e->quantity)) continue;
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
        if (!sim_is_of_control(d->type)) continue;
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
        if (sim_is_of_control(desc->observations[w->observation].type) && (w->step < 1 || w->past > 0))
            return sim_fail(error, PIOLA_BAD_DATA,
                            "sample weight %d of control: at the end of a step would be right, not at state %lld", t,
                            (long long)w->step);
    }
    return PIOLA_OK;
}

piola_status sim_channels_accept(const pio_engine_desc *desc, const double *fibre, int drives, piola_error *error)
{
    const int channels = desc->n_channels;
    if (channels < 0 || (channels && (!desc->channels || !fibre)) || (!channels && drives))
        return sim_fail(error, PIOLA_BAD_DATA, "%d channels of control: each needs a signal and a fibre", channels);
    piola_status rc = PIOLA_OK;
    for (int c = 0; !rc && c < channels; c++) rc = check_channel(desc, fibre, c, error);
    return rc;
}

piola_status sim_control_accepts(const pio_engine_desc *desc, piola_error *error)
{
    piola_status rc = check_values(desc, error);
    if (!rc) rc = check_designs(desc, error);
    return rc ? rc : check_observations(desc, error);
}
