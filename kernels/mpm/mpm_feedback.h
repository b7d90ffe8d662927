/* mpm_feedback.h -- networks (kernels/control/network.h) that read the motion of particles, once at the beginning of
 * every step.
 *
 *     r_c^k = (a_c^k - a_c^(k-1))/h in step k >= 1, 0 in step 0                                    Pa/s, where wanted
 *
 * Means are over the rest volumes of particles, at the state with which the step begins; one of a second set may be
 * subtracted. */
#ifndef PIOLA_KERNELS_MPM_FEEDBACK_H
#define PIOLA_KERNELS_MPM_FEEDBACK_H

#include "kernels/control/network.h"
#include "kernels/mpm/mpm_feedback_args.h"
#include "kernels/mpm/mpm_control.h"

/* Returns the weight of a particle in the mean of a set: its rest volume over that of the set, 0 outside. */
PIO_FN wide set_weight(const mpm_set *set, const mpm_matter *m, const int *body, int id)
{
    const int number = set->by_channel ? m->channel[id] : body[id];
    return set->number >= 0 && number == set->number ? W(m->volume[id]) / W(set->volume) : W(0);
}

/* Returns the weight of a particle in an input: that in its set, less that in the set from which it is seen. */
PIO_FN wide input_weight(const mpm_sight *j, const mpm_matter *m, const int *body, int id)
{
    return set_weight(&j->of, m, body, id) - set_weight(&j->from, m, body, id);
}

/* Returns the term of stored particle p in the mean that an input is, m or m/s: its weight times its place or velocity
 * along the input's axis. */
PIO_FN wide mpm_sense(int p, const mpm_sense_args *a)
{
    const mpm_sight *j = a->input;
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
        const mpm_sight *j = &a->input[i];
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

/* Stores the activation of channel c, and sets its rate from that of the step before. */
PIO_FN void network_rate(const mpm_network_args *a, int c, wide activation)
{
    wide *now = a->past + (ptrdiff_t)a->step->index * a->of.channels;
    now[c] = activation;
    a->rate[c] = a->step->index ? (activation - now[c - a->of.channels]) / W(a->step->h) : W(0);
}

/* Evaluates network i: sets its units, the activations of its channels, and their rates where there is a past. */
PIO_FN void mpm_network(int i, mpm_network_shared *sh, const mpm_network_args *a)
{
    const int first = network_evaluate(i, &a->of, control_time(a->step));
    (void)sh;
    LANES (r, a->of.shape[i].outputs) {
        const int c = a->of.shape[i].first + r;
        const wide activation = network_activation(i, &a->of, first, r);
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

/* Adjoint of mpm_network for network i. */
PIO_FN void mpm_network_adj(int i, mpm_network_adj_shared *sh, const mpm_network_adj_args *b)
{
    const mpm_network_args *a = &b->fwd;
    (void)sh;
    LANES (r, a->of.shape[i].outputs) {
        const int c = a->of.shape[i].first + r;
        const wide a_bar = b->activation_bar[c] + (a->past ? network_rate_adj(b, c) : W(0));
        network_activation_adj(i, &a->of, &b->bar, r, a_bar);
    }
    network_evaluate_adj(i, &a->of, &b->bar, control_time(a->step));
}

#endif
