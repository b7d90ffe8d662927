/* fem_control.c -- channels of control of a mesh: what their description must hold, their activations, the adjoint of
 * these, and what is observed of them.
 *
 * A channel's activation is a signal of time (kernels/control/control.h), taken when loads are: at the end of a span,
 * and by explicit steps at the time of the state whose forces they are. It does not depend on the state, so that slots
 * hold nothing of it, and a step backwards finds it again. Of networks, those of all states are remembered
 * (fem_network.c). */
#include "solvers/fem/fem_control.h"
#include "solvers/fem/fem_network.h"

/* ---- description ------------------------------------------------------------------------------------------------ */

static piola_status check_driven(const pio_engine_desc *desc, piola_error *error)
{
    const pio_fem_desc *m = desc->fem;
    int64_t e = 0;
    for (int b = 0; b < m->n_blocks && m->channel; b++)
        for (int32_t i = 0; i < m->blocks[b].n; i++, e++)
            if (m->channel[e] < -1 || m->channel[e] >= desc->n_channels)
                return sim_fail(error, PIOLA_BAD_DATA, "element %lld: channel %d is none of the %d", (long long)e,
                                m->channel[e], (int)desc->n_channels);
    return PIOLA_OK;
}

piola_status fem_control_check(const pio_engine_desc *desc, piola_error *error)
{
    const pio_fem_desc *m = desc->fem;
    piola_status rc = sim_channels_accept(desc, m->fibre, m->channel != NULL, error);
    if (rc) return rc;
    if (desc->n_channels && m->integrator == PIO_MODAL)
        return sim_fail(error, PIOLA_BAD_DATA, "modal analysis knows no actuators; a motion would be right");
    rc = fem_networks_check(desc, error);
    if (!rc) rc = sim_control_accepts(desc, error);
    return rc ? rc : check_driven(desc, error);
}

int fem_control_begin(fem_sim *f, const pio_engine_desc *desc)
{
    f->control.n_channels = desc->n_channels;
    f->control.n_values = desc->n_channels ? desc->n_control_values : 0;
    for (int o = 0; o < desc->n_observations; o++) f->control.has_rates |= desc->observations[o].type == PIO_SMOOTHNESS;
    return fem_networks_begin(f, desc);
}

void fem_control_layout(fem_sim *f, const pio_engine_desc *desc)
{
    pio_arena *arena = &f->base.arena;
    fem_sim_control *c = &f->control;
    const size_t channels = (size_t)c->n_channels, elements = (size_t)f->mesh.elements;
    if (!channels) return;
    fem_networks_layout(f, desc);
    if (desc->fem->channel) TAKE(arena, c->channel, elements);
    TAKE(arena, c->signal, channels);
    TAKE(arena, c->fibre, field_size(c->n_channels, DIM));
    TAKE(arena, c->activation, field_size(c->n_channels, 1));
    TAKE(arena, c->parameters, field_size(c->n_channels, CONTROL_PARAMETERS));
    TAKE(arena, c->knots, channels);
    if (c->n_values) TAKE(arena, c->values, c->n_values);
    if (c->has_rates) TAKE(arena, c->rate, channels);
    if (!f->base.adjoint) return;
    TAKE(arena, c->activation_bar, channels);
    TAKE(arena, c->contribution, field_size(f->mesh.elements, 1));
    TAKE(arena, c->parameters_bar, field_size(c->n_channels, CONTROL_PARAMETERS));
    if (c->n_values) TAKE(arena, c->values_bar, c->n_values);
    if (c->has_rates) TAKE(arena, c->rate_bar, channels);
}

/* Numbers of one channel. */
static void upload_channel(fem_sim *f, const pio_engine_desc *desc, int c)
{
    pio_queue *q = &f->base.queue;
    const fem_sim_control *to = &f->control;
    const pio_channel_desc *d = &desc->channels[c];
    const double parameters[CONTROL_PARAMETERS] = {
        [CONTROL_AMPLITUDE] = d->amplitude, [CONTROL_FREQUENCY] = d->frequency, [CONTROL_PHASE] = d->phase};
    const int signal = (int)d->signal;
    const pio_knots_desc k = sim_knots_of(desc, c);
    const control_knots knots = {k.first, k.count, k.periodic, k.span};
    pio_queue_upload(q, to->signal + c, &signal, sizeof signal);
    pio_queue_upload(q, to->knots + c, &knots, sizeof knots);
    for (int i = 0; i < CONTROL_PARAMETERS; i++)
        pio_queue_upload(q, to->parameters + field_at(to->n_channels, CONTROL_PARAMETERS, i, c), &parameters[i],
                         sizeof parameters[i]);
    for (int a = 0; a < DIM; a++) {
        const real n = (real)desc->fem->fibre[(ptrdiff_t)c * DIM + a];
        pio_queue_upload(q, to->fibre + field_at(to->n_channels, DIM, a, c), &n, sizeof n);
    }
}

piola_status fem_control_upload(fem_sim *f, const pio_engine_desc *desc, piola_error *error)
{
    pio_queue *q = &f->base.queue;
    const fem_sim_control *c = &f->control;
    if (!c->n_channels) return PIOLA_OK;
    fem_networks_upload(f, desc);
    if (c->channel) pio_queue_upload(q, c->channel, desc->fem->channel, sizeof *c->channel * (size_t)f->mesh.elements);
    for (int i = 0; i < c->n_channels; i++) upload_channel(f, desc, i);
    if (c->n_values) pio_queue_upload(q, c->values, desc->control_values, sizeof *c->values * (size_t)c->n_values);
    for (int o = 0; o < f->observe.n_observations; o++)
        if (f->observe.observations[o].channel_weight)
            pio_queue_upload(q, f->observe.observations[o].channel_weight, desc->observations[o].channel_weight,
                             sizeof(double) * (size_t)c->n_channels);
    return pio_queue_failed(q) ? sim_failed(&f->base, error) : PIOLA_OK;
}

/* ---- activations ------------------------------------------------------------------------------------------------ */

static control_signals signals_of(const fem_sim *f)
{
    const fem_sim_control *c = &f->control;
    return (control_signals){.channels = c->n_channels,
                             .signal = c->signal,
                             .parameters = c->parameters,
                             .knots = c->knots,
                             .values = c->values};
}

/* clang-format off */
void fem_activate(fem_sim *f, fem_span span)
{
    fem_sim_control *c = &f->control;
    if (!c->n_channels) return;
    c->t = f->stepping.dt * ((double)span.step + (double)(span.part + 1) / (double)span.parts);
    pio_map(&f->base.queue, control_signal, c->n_channels, NULL, .of = signals_of(f), .t = c->t,
            .activation = c->activation, .rate = c->rate);
    fem_networks_recall(f, span.step + 1);
}

void fem_control_adj(fem_sim *f)
{
    pio_queue *q = &f->base.queue;
    fem_sim_control *c = &f->control;
    const size_t bytes = sizeof *c->activation_bar * (size_t)c->n_channels;
    if (!c->n_channels) return;
    pio_map(q, control_signal_adj, c->n_channels, NULL, .fwd = {.of = signals_of(f), .t = c->t},
            .activation_bar = c->activation_bar, .rate_bar = c->rate_bar, .parameters_bar = c->parameters_bar,
            .values_bar = c->values_bar);
    fem_networks_recall_adj(f);
    pio_queue_zero(q, c->activation_bar, bytes);
    if (c->rate_bar) pio_queue_zero(q, c->rate_bar, bytes);
}

void fem_control_adj_begin(fem_sim *f)
{
    pio_queue *q = &f->base.queue;
    fem_sim_control *c = &f->control;
    const size_t bytes = sizeof *c->activation_bar * (size_t)c->n_channels;
    if (!c->n_channels) return;
    pio_queue_zero(q, c->activation_bar, bytes);
    if (c->rate_bar) pio_queue_zero(q, c->rate_bar, bytes);
    fem_networks_adj_begin(f);
    pio_queue_zero(q, c->parameters_bar, sizeof *c->parameters_bar * field_size(c->n_channels, CONTROL_PARAMETERS));
    if (c->n_values) pio_queue_zero(q, c->values_bar, sizeof *c->values_bar * (size_t)c->n_values);
}

/* ---- observations ----------------------------------------------------------------------------------------------- */

void fem_observe_control(fem_sim *f, const fem_observation *o, const pio_sample_weight *t)
{
    pio_map(&f->base.queue, control_observe, 1, NULL, .channels = f->control.n_channels,
            .activation = f->control.activation, .rate = o->desc.type == PIO_SMOOTHNESS ? f->control.rate : NULL,
            .channel_weight = o->channel_weight, .weight = t->weight, .sample = f->base.samples + o->first + t->sample);
}

void fem_observe_control_adj(fem_sim *f, const fem_observation *o, const pio_sample_weight *t)
{
    const int rates = o->desc.type == PIO_SMOOTHNESS;
    pio_map(&f->base.queue, control_observe_adj, f->control.n_channels, NULL,
            .fwd = {.channels = f->control.n_channels, .activation = f->control.activation,
                    .rate = rates ? f->control.rate : NULL, .channel_weight = o->channel_weight, .weight = t->weight},
            .sample_bar = f->base.samples_bar + o->first + t->sample,
            .bar = rates ? f->control.rate_bar : f->control.activation_bar);
}
/* clang-format on */

/* ---- designs ---------------------------------------------------------------------------------------------------- */

int fem_designs_control(pio_quantity quantity)
{
    return quantity == PIO_CONTROL_VALUES || sim_is_of_channels(quantity);
}

/* Returns where component k of a design is among the parameters of all channels. */
static ptrdiff_t parameter_at(const fem_sim *f, const pio_design_desc *d, int k)
{
    static const int number[] = {
        [PIO_AMPLITUDE] = CONTROL_AMPLITUDE, [PIO_FREQUENCY] = CONTROL_FREQUENCY, [PIO_PHASE] = CONTROL_PHASE};
    return field_at(f->control.n_channels, CONTROL_PARAMETERS, number[d->quantity], d->which + k);
}

void fem_control_design(fem_sim *f, const pio_design_desc *d, const double *value)
{
    pio_queue *q = &f->base.queue;
    if (d->quantity == PIO_CONTROL_VALUES) {
        pio_queue_copy(q, f->control.values + d->which, value, sizeof *value * (size_t)d->components);
        return;
    }
    for (int k = 0; k < d->components; k++)
        pio_queue_copy(q, f->control.parameters + parameter_at(f, d, k), value + k, sizeof *value);
}

void fem_control_design_adj(fem_sim *f, const pio_design_desc *d, double *value_bar)
{
    pio_queue *q = &f->base.queue;
    if (d->quantity == PIO_CONTROL_VALUES) {
        pio_queue_copy(q, value_bar, f->control.values_bar + d->which, sizeof *value_bar * (size_t)d->components);
        return;
    }
    for (int k = 0; k < d->components; k++)
        pio_queue_copy(q, value_bar + k, f->control.parameters_bar + parameter_at(f, d, k), sizeof *value_bar);
}
