/* network.h -- a feedback controller: a fully connected network from the motion of bodies to activations, and its
 * adjoint.
 *
 *     x_j   = sin or cos(2 pi f t + phi) of a clock, or (mean of a place or velocity - offset)/scale     inputs
 *     y     = tanh(W x + b)                 of every layer, the last one's y among them            hidden, outputs
 *     a_c   = limit_c y_c                                                                          Pa
 *
 * W and b of a layer lie as [rows][columns + 1], the last of a row its b. Both of a clock's inputs share its f and phi.
 * Of what a mean is, and when a network is evaluated, its method says. */
#ifndef PIOLA_KERNELS_NETWORK_H
#define PIOLA_KERNELS_NETWORK_H

#include "kernels/control/control.h"
#include "kernels/control/network_args.h"

/* Returns 2 pi f t + phi of a clock of network k at time t s, rad, with f in Hz. */
PIO_FN wide network_angle(const network_set *s, const network_shape *k, int clock, wide t)
{
    const wide *frequency = s->values + k->clock, *phase = frequency + k->clocks;
    return CONTROL_TURN * frequency[clock] * t + phase[clock];
}

/* Returns the value of an input of a network at time t s. */
PIO_FN wide network_input_at(const network_set *s, const network_shape *k, int input, wide t)
{
    const network_input *j = &s->input[input];
    if (j->kind == PIO_INPUT_SINE) return sin(network_angle(s, k, j->clock, t));
    if (j->kind == PIO_INPUT_COSINE) return cos(network_angle(s, k, j->clock, t));
    return (s->means[input] - W(j->offset)) / W(j->scale);
}

/* Evaluates network i at time t s, a unit of a layer for each lane, and returns the number of its first output among
 * the units, which all lanes may read then. */
PIO_FN int network_evaluate(int i, const network_set *s, wide t)
{
    const network_shape *k = &s->shape[i];
    const wide *w = s->values + k->weights;
    wide *x = s->units + k->unit;
    LANES (j, k->inputs) x[j] = network_input_at(s, k, k->input + j, t);
    TEAM_SYNC();
    for (int l = 0; l < k->layers; l++) {
        const int columns = k->width[l], rows = k->width[l + 1];
        wide *y = x + columns;
        LANES (r, rows) {
            const wide *row = w + (ptrdiff_t)r * (columns + 1);
            wide sum = row[columns];
            for (int c = 0; c < columns; c++) sum += row[c] * x[c];
            y[r] = tanh(sum);
        }
        TEAM_SYNC();
        x = y;
        w += (ptrdiff_t)rows * (columns + 1);
    }
    return (int)(x - s->units);
}

/* Returns the activation of output r of network i, Pa, once it is evaluated; `first`: what network_evaluate()
 * returned. */
PIO_FN wide network_activation(int i, const network_set *s, int first, int r)
{
    return s->parameters[control_at(s->channels, CONTROL_AMPLITUDE, s->shape[i].first + r)] * s->units[first + r];
}

/* Adjoint of one layer y = tanh(z), z = W x + b, with x at number `unit` and W at number `weights`: y_bar becomes z_bar
 * = (1 - y^2) y_bar, W_bar += z_bar x^T, b_bar += z_bar, and x_bar = W^T z_bar is set. */
PIO_FN void network_layer_adj(const network_set *s, const network_set_bar *b, int columns, int rows, int unit,
                              int weights)
{
    const wide *x = s->units + unit, *y = x + columns, *w = s->values + weights;
    wide *x_bar = b->units_bar + unit, *y_bar = x_bar + columns, *w_bar = b->values_bar + weights;
    LANES (r, rows) {
        wide *row = w_bar + (ptrdiff_t)r * (columns + 1);
        const wide z_bar = (W(1) - y[r] * y[r]) * y_bar[r];
        for (int c = 0; c < columns; c++) row[c] += z_bar * x[c];
        row[columns] += z_bar;
        y_bar[r] = z_bar;
    }
    TEAM_SYNC();
    LANES (c, columns) {
        wide sum = W(0);
        for (int r = 0; r < rows; r++) sum += w[(ptrdiff_t)r * (columns + 1) + c] * y_bar[r];
        x_bar[c] = sum;
    }
    TEAM_SYNC();
}

/* Adjoint of a clock, of its inputs x = sin(angle) and y = cos(angle):  angle_bar = x_bar cos - y_bar sin, f_bar += 2
 * pi t angle_bar,  phi_bar += angle_bar. */
PIO_FN void network_clock_adj(const network_set *s, const network_set_bar *b, const network_shape *k, int clock, wide t)
{
    const wide angle = network_angle(s, k, clock, t), sine = sin(angle), cosine = cos(angle);
    wide *frequency_bar = b->values_bar + k->clock, *phase_bar = frequency_bar + k->clocks, angle_bar = W(0);
    for (int j = 0; j < k->inputs; j++) {
        const network_input *in = &s->input[k->input + j];
        const wide bar = b->units_bar[k->unit + j];
        if (in->kind < PIO_INPUT_POSITION && in->clock == clock)
            angle_bar += in->kind == PIO_INPUT_SINE ? bar * cosine : -bar * sine;
    }
    frequency_bar[clock] += CONTROL_TURN * t * angle_bar;
    phase_bar[clock] += angle_bar;
}

/* Returns the number of network k's first output among the units. */
PIO_FN int network_first_output(const network_shape *k)
{
    int unit = k->unit;
    for (int l = 0; l < k->layers; l++) unit += k->width[l];
    return unit;
}

/* Adjoint of network_activation, with a_bar: sets the cotangent of the output, and adds to that of its limit. */
PIO_FN void network_activation_adj(int i, const network_set *s, const network_set_bar *b, int r, wide a_bar)
{
    const network_shape *k = &s->shape[i];
    const ptrdiff_t limit = control_at(s->channels, CONTROL_AMPLITUDE, k->first + r);
    const int unit = network_first_output(k) + r;
    b->units_bar[unit] = s->parameters[limit] * a_bar;
    b->parameters_bar[limit] += s->units[unit] * a_bar;
}

/* Adjoint of network_evaluate for network i, the last layer first, once network_activation_adj has set the cotangents
 * of its outputs: sets those of its units and means, and adds to those of its weights, frequencies and phases. */
PIO_FN void network_evaluate_adj(int i, const network_set *s, const network_set_bar *b, wide t)
{
    const network_shape *k = &s->shape[i];
    int unit = network_first_output(k), weights = k->weights;
    for (int l = 0; l < k->layers; l++) weights += k->width[l + 1] * (k->width[l] + 1);
    TEAM_SYNC();
    for (int l = k->layers - 1; l >= 0; l--) {
        unit -= k->width[l];
        weights -= k->width[l + 1] * (k->width[l] + 1);
        network_layer_adj(s, b, k->width[l], k->width[l + 1], unit, weights);
    }
    LANES (j, k->inputs) {
        const network_input *in = &s->input[k->input + j];
        b->means_bar[k->input + j] = in->kind < PIO_INPUT_POSITION ? W(0) : b->units_bar[unit + j] / W(in->scale);
    }
    LANES (c, k->clocks) network_clock_adj(s, b, k, c, t);
}

/* ---- at a time, and again --------------------------------------------------------------------------------------- */

typedef struct {
    int nothing;
} control_network_shared;

/* Evaluates network i at time t: sets its units, and the activations of its channels, not rounded. */
PIO_FN void control_network(int i, control_network_shared *sh, const control_network_args *a)
{
    const int first = network_evaluate(i, &a->of, W(a->t));
    (void)sh;
    LANES (r, a->of.shape[i].outputs) a->activation[a->of.shape[i].first + r] = network_activation(i, &a->of, first, r);
}

typedef struct {
    int nothing;
} control_network_adj_shared;

/* Adjoint of control_network for network i. */
PIO_FN void control_network_adj(int i, control_network_adj_shared *sh, const control_network_adj_args *b)
{
    const network_set *s = &b->fwd.of;
    (void)sh;
    LANES (r, s->shape[i].outputs) network_activation_adj(i, s, &b->bar, r, b->activation_bar[s->shape[i].first + r]);
    network_evaluate_adj(i, s, &b->bar, W(b->fwd.t));
}

/* Sets activation and rate of channel c, of a network, from activations of before: rate = (now - before)/h, or 0. */
PIO_FN void control_recall(int c, const control_recall_args *a)
{
    if (a->signal[c] != PIO_NETWORK) return;
    a->activation[c] = R(a->now[c]);
    if (a->rate) a->rate[c] = a->before ? (a->now[c] - a->before[c]) / W(a->h) : W(0);
}

/* Adjoint of control_recall for channel c. */
PIO_FN void control_recall_adj(int c, const control_recall_adj_args *b)
{
    const control_recall_args *a = &b->fwd;
    if (a->signal[c] != PIO_NETWORK) return;
    const wide r_bar = b->rate_bar && a->before ? b->rate_bar[c] / W(a->h) : W(0);
    b->now_bar[c] += b->activation_bar[c] + r_bar;
    if (b->rate_bar && a->before) b->before_bar[c] -= r_bar;
}

#endif
