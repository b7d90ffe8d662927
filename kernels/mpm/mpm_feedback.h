/* mpm_feedback.h -- a feedback controller: a fully connected network from the motion of bodies to activations, and
 * its adjoint.
 *
 *     x_j   = sin or cos(2 pi f t + phi) of a clock, or (mean of a place or velocity - offset)/scale     inputs
 *     y     = tanh(W x + b)                 of every layer, the last one's y among them            hidden, outputs
 *     a_c   = limit_c y_c                                                                          Pa
 *     r_c^k = (a_c^k - a_c^(k-1))/h in step k >= 1, 0 in step 0                                    Pa/s, where wanted
 *
 * Means are over the rest volumes of particles, at the state with which the step begins; one of a second set may be
 * subtracted. W and b of a layer lie as [rows][columns + 1], the last of a row its b. Both of a clock's inputs share
 * its f and phi. */
#ifndef PIOLA_KERNELS_MPM_FEEDBACK_H
#define PIOLA_KERNELS_MPM_FEEDBACK_H

#include "kernels/mpm/mpm_feedback_args.h"
#include "kernels/mpm/mpm_control.h"

/* Returns the weight of a particle in the mean of a set: its rest volume over that of the set, 0 outside. */
PIO_FN wide set_weight(const mpm_set *set, const mpm_matter *m, const int *body, int id)
{
    const int number = set->by_channel ? m->channel[id] : body[id];
    return set->number >= 0 && number == set->number ? W(m->volume[id]) / W(set->volume) : W(0);
}

/* Returns the weight of a particle in an input: that in its set, less that in the set from which it is seen. */
PIO_FN wide input_weight(const mpm_input *j, const mpm_matter *m, const int *body, int id)
{
    return set_weight(&j->of, m, body, id) - set_weight(&j->from, m, body, id);
}

/* Returns the term of stored particle p in the mean that an input is, m or m/s: its weight times its place or velocity
 * along the input's axis. */
PIO_FN wide mpm_sense(int p, const mpm_sense_args *a)
{
    const mpm_input *j = a->input;
    const wide weight = input_weight(j, &a->matter, a->body, a->s.id[p]);
    const ptrdiff_t at = field_at(a->matter.n, DIM, j->axis, p);
    if (j->kind == PIO_INPUT_VELOCITY) return weight * W(a->s.velocity[at]);
    return weight * particle_position(&a->box, a->s.cell[p], a->s.offset[at], j->axis);
}

/* Adjoint of mpm_sense for stored particle p and all inputs: adds to the cotangents of its offset and its velocity. */
PIO_FN void mpm_sense_adj(int p, const mpm_sense_adj_args *b)
{
    const mpm_sense_args *a = &b->fwd;
    const int id = a->s.id[p];
    for (int i = 0; i < b->inputs; i++) {
        const mpm_input *j = &a->input[i];
        const ptrdiff_t at = field_at(a->matter.n, DIM, j->axis, p);
        if (j->kind < PIO_INPUT_POSITION) continue;
        const wide weight = input_weight(j, &a->matter, a->body, id) * b->means_bar[i];
        if (j->kind == PIO_INPUT_VELOCITY)
            b->bar.velocity[at] += R(weight);
        else
            b->bar.offset[at] += R(weight * W(a->box.dx));
    }
}

typedef struct {
    int nothing;
} mpm_network_shared;

/* Returns 2 pi f t + phi of a clock of network k at the beginning of the step, rad, with f in Hz. */
PIO_FN wide network_angle(const mpm_network_args *a, const mpm_network_shape *k, int clock)
{
    const wide *frequency = a->values + k->clock, *phase = frequency + k->clocks;
    return CONTROL_TURN * frequency[clock] * control_time(a->step) + phase[clock];
}

/* Returns the value of an input of a network at the beginning of the step. */
PIO_FN wide network_input(const mpm_network_args *a, const mpm_network_shape *k, int input)
{
    const mpm_input *j = &a->inputs[input];
    if (j->kind == PIO_INPUT_SINE) return sin(network_angle(a, k, j->clock));
    if (j->kind == PIO_INPUT_COSINE) return cos(network_angle(a, k, j->clock));
    return (a->means[input] - W(j->offset)) / W(j->scale);
}

/* Stores the activation of channel c, and sets its rate from that of the step before. */
PIO_FN void network_rate(const mpm_network_args *a, int c, wide activation)
{
    wide *now = a->past + (ptrdiff_t)a->step->index * a->channels;
    now[c] = activation;
    a->rate[c] = a->step->index ? (activation - now[c - a->channels]) / W(a->step->h) : W(0);
}

/* Evaluates network i, a unit of a layer for each lane: sets its units, the activations of its channels, and their
 * rates where there is a past. */
PIO_FN void mpm_network(int i, mpm_network_shared *sh, const mpm_network_args *a)
{
    const mpm_network_shape *k = &a->networks[i];
    const wide *w = a->values + k->weights;
    wide *x = a->units + k->unit;
    (void)sh;
    LANES (j, k->inputs) x[j] = network_input(a, k, k->input + j);
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
    LANES (r, k->outputs) {
        const int c = k->first + r;
        const wide activation = a->parameters[control_at(a->channels, CONTROL_AMPLITUDE, c)] * x[r];
        a->activation[c] = R(activation);
        if (a->past) network_rate(a, c, activation);
    }
}

typedef struct {
    int nothing;
} mpm_network_adj_shared;

/* Returns what the rates add to a_bar_c of this step k, (r_bar^k - r_bar^(k+1))/h, of which the step after has left
 * -r_bar^(k+1)/h in past_bar; there it leaves -r_bar^k/h for the step before. r_bar^0 = 0: that rate is constant. */
PIO_FN wide network_rate_adj(const mpm_network_adj_args *b, int c)
{
    const mpm_step *step = b->fwd.step;
    const wide later = b->past_bar[c], r_bar = step->index ? b->rate_bar[c] / W(step->h) : W(0);
    b->past_bar[c] = -r_bar;
    return later + r_bar;
}

/* Adjoint of one layer y = tanh(z), z = W x + b, with x at number `unit` and W at number `weights`: y_bar becomes z_bar
 * = (1 - y^2) y_bar, W_bar += z_bar x^T, b_bar += z_bar, and x_bar = W^T z_bar is set. */
PIO_FN void network_layer_adj(const mpm_network_adj_args *b, int columns, int rows, int unit, int weights)
{
    const wide *x = b->fwd.units + unit, *y = x + columns, *w = b->fwd.values + weights;
    wide *x_bar = b->unit_bar + unit, *y_bar = x_bar + columns, *w_bar = b->values_bar + weights;
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
PIO_FN void network_clock_adj(const mpm_network_adj_args *b, const mpm_network_shape *k, int clock)
{
    const mpm_network_args *a = &b->fwd;
    const wide angle = network_angle(a, k, clock), s = sin(angle), c = cos(angle);
    wide *frequency_bar = b->values_bar + k->clock, *phase_bar = frequency_bar + k->clocks, angle_bar = W(0);
    for (int j = 0; j < k->inputs; j++) {
        const mpm_input *in = &a->inputs[k->input + j];
        const wide bar = b->unit_bar[k->unit + j];
        if (in->kind < PIO_INPUT_POSITION && in->clock == clock)
            angle_bar += in->kind == PIO_INPUT_SINE ? bar * c : -bar * s;
    }
    frequency_bar[clock] += CONTROL_TURN * control_time(a->step) * angle_bar;
    phase_bar[clock] += angle_bar;
}

/* Adjoint of mpm_network for network i, the last layer first: sets the cotangents of its units and means, and adds to
 * those of its limits, weights, frequencies and phases. */
PIO_FN void mpm_network_adj(int i, mpm_network_adj_shared *sh, const mpm_network_adj_args *b)
{
    const mpm_network_args *a = &b->fwd;
    const mpm_network_shape *k = &a->networks[i];
    int unit = k->unit, weights = k->weights;
    (void)sh;
    for (int l = 0; l < k->layers; l++) {
        unit += k->width[l];
        weights += k->width[l + 1] * (k->width[l] + 1);
    }
    LANES (r, k->outputs) {
        const ptrdiff_t limit = control_at(a->channels, CONTROL_AMPLITUDE, k->first + r);
        const wide a_bar = b->activation_bar[k->first + r] + (a->past ? network_rate_adj(b, k->first + r) : W(0));
        b->unit_bar[unit + r] = a->parameters[limit] * a_bar;
        b->parameters_bar[limit] += a->units[unit + r] * a_bar;
    }
    TEAM_SYNC();
    for (int l = k->layers - 1; l >= 0; l--) {
        unit -= k->width[l];
        weights -= k->width[l + 1] * (k->width[l] + 1);
        network_layer_adj(b, k->width[l], k->width[l + 1], unit, weights);
    }
    LANES (j, k->inputs) {
        const mpm_input *in = &a->inputs[k->input + j];
        b->means_bar[k->input + j] = in->kind < PIO_INPUT_POSITION ? W(0) : b->unit_bar[unit + j] / W(in->scale);
    }
    LANES (c, k->clocks) network_clock_adj(b, k, c);
}

#endif
