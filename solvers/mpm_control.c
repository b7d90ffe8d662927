/* mpm_control.c -- the control stage: what a description of channels must hold, and activation[] in every step. */
#include "solvers/mpm.h"

#include <math.h>

static piola_status check_channel(const pio_engine_desc *desc, int c, piola_error *error)
{
    const pio_channel_desc *d = &desc->channels[c];
    double square = 0;
    if (d->signal != PIO_CONSTANT && d->signal != PIO_SINE)
        return sim_fail(error, PIOLA_BAD_DATA, "channel %d: there is no signal %d", c, (int)d->signal);
    if (!isfinite(d->amplitude) || !isfinite(d->frequency) || !isfinite(d->phase))
        return sim_fail(error, PIOLA_BAD_DATA,
                        "channel %d: amplitude %g Pa, frequency %g Hz and phase %g rad must be finite", c, d->amplitude,
                        d->frequency, d->phase);
    for (int a = 0; a < DIM; a++) square += pow(desc->particles.fibre[(ptrdiff_t)c * DIM + a], 2);
    if (!(fabs(square - 1) <= 1e-6))
        return sim_fail(error, PIOLA_BAD_DATA, "channel %d: its fibre has length %g and must be a unit vector", c,
                        sqrt(square));
    return PIOLA_OK;
}

piola_status mpm_control_accepts(const pio_engine_desc *desc, piola_error *error)
{
    const pio_particles_desc *p = &desc->particles;
    const int channels = desc->n_channels;
    if (channels < 0 || (channels && (!desc->channels || !p->fibre)) || (!channels && p->channel))
        return sim_fail(error, PIOLA_BAD_DATA, "%d channels of control: each needs a signal and a fibre", channels);
    for (int c = 0; c < channels; c++) {
        const piola_status rc = check_channel(desc, c, error);
        if (rc) return rc;
    }
    for (int64_t i = 0; p->channel && i < p->n; i++) {
        const int c = p->channel[i];
        if (c < -1 || c >= channels)
            return sim_fail(error, PIOLA_BAD_DATA, "particle %lld: channel %d is none of the %d", (long long)i, c,
                            channels);
        if (c >= 0 && law_is_fluid(p->law[i]))
            return sim_fail(error, PIOLA_BAD_DATA, "particle %lld: a fluid has no fibres for channel %d to drive",
                            (long long)i, c);
    }
    for (int d = 0; d < desc->n_designs; d++) {
        const pio_design_desc *e = &desc->designs[d];
        if (e->quantity >= PIO_AMPLITUDE && e->quantity <= PIO_PHASE &&
            (!channels || e->components != channels || e->groups != 1))
            return sim_fail(error, PIOLA_BAD_DATA, "design %d of control: %d x %d values for %d channels", d,
                            (int)e->groups, (int)e->components, channels);
    }
    return PIOLA_OK;
}

void mpm_control_upload(mpm_sim *sim, const pio_engine_desc *desc)
{
    pio_queue *q = &sim->base.queue;
    const pio_particles_desc *p = &desc->particles;
    const int channels = sim->n_channels;
    if (sim->channel) pio_queue_upload(q, sim->channel, p->channel, sizeof *p->channel * (size_t)sim->n);
    for (int c = 0; c < channels; c++) {
        const pio_channel_desc *d = &desc->channels[c];
        const double parameters[CONTROL_PARAMETERS] = {
            [CONTROL_AMPLITUDE] = d->amplitude, [CONTROL_FREQUENCY] = d->frequency, [CONTROL_PHASE] = d->phase};
        const int signal = (int)d->signal;
        pio_queue_upload(q, sim->signal + c, &signal, sizeof signal);
        for (int k = 0; k < CONTROL_PARAMETERS; k++)
            pio_queue_upload(q, sim->control + control_at(channels, k, c), &parameters[k], sizeof parameters[k]);
        for (int a = 0; a < DIM; a++) {
            const real n = (real)p->fibre[(ptrdiff_t)c * DIM + a];
            pio_queue_upload(q, sim->fibre + field_at(channels, DIM, a, c), &n, sizeof n);
        }
    }
}

/* clang-format off */
void mpm_control_step(mpm_sim *sim)
{
    if (sim->n_channels)
        pio_map(&sim->base.queue, mpm_control, sim->n_channels, NULL,
                .channels = sim->n_channels, .step = sim->step, .signal = sim->signal, .parameters = sim->control,
                .activation = sim->activation);
}

void mpm_control_step_adj(mpm_sim *sim)
{
    pio_queue *q = &sim->base.queue;
    if (!sim->channel) return; /* activation has no effect */
    for (int c = 0; c < sim->n_channels; c++)
        pio_sum(q, design_sum, sim->n, NULL, sim->activation_bar + c,
                .index = sim->channel, .group = c, .n = sim->n, .stored = 1, .component = 0,
                .bar = sim->activation_share);
    pio_map(q, mpm_control_adj, sim->n_channels, NULL,
            .fwd = {.channels = sim->n_channels, .step = sim->step, .signal = sim->signal, .parameters = sim->control},
            .activation_bar = sim->activation_bar, .parameters_bar = sim->control_bar);
}
/* clang-format on */
