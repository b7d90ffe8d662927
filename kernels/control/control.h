/* Room kernels/control: signals of time that drive channels of control, of particles and of meshes, and what is
 * observed of them. */
/* control.h -- the activation of a channel by a signal of time, and its adjoint.
 *
 * A channel drives fibres (material.h: fibre_tau) with one activation [Pa]. Signals of time t are
 *
 *     constant    a = A
 *     sine        a = A sin(2 pi f t + phi)
 *     piecewise   a = (1 - s) q_i + s q_(i+1)                       s in [0, 1) the place of t between two knots
 *     spline      a = sum_k B_k(s) q_(i+k), k = 0 .. 3              uniform cubic B-splines (de Boor 1978)
 *
 * The values q of the knots are evenly spaced over `span`: a period after which the signal begins again, or the whole
 * run. At which time a step takes its activation, its method says. */
#ifndef PIOLA_KERNELS_CONTROL_H
#define PIOLA_KERNELS_CONTROL_H

#include "kernels/control/control_args.h"
#include "kernels/base/fields.h"
#include "kernels/base/vocabulary.h"

enum { CONTROL_BLEND = 4 }; /* most knots that count at a time */

#define CONTROL_TURN W(6.283185307179586) /* 2 pi */

/* Returns the index of a parameter (CONTROL_...) of channel c in an array [channels][CONTROL_PARAMETERS]. */
PIO_FN ptrdiff_t control_at(int channels, int parameter, int c)
{
    return field_at(channels, CONTROL_PARAMETERS, parameter, c);
}

/* Returns 2 pi f t + phi of channel c at time t s, rad, with f in Hz. */
PIO_FN wide control_angle(const control_signals *s, int c, wide t)
{
    return CONTROL_TURN * s->parameters[control_at(s->channels, CONTROL_FREQUENCY, c)] * t +
           s->parameters[control_at(s->channels, CONTROL_PHASE, c)];
}

/* Which knots count at a time and for how much: a = sum_j weight[j] value[at[j]], da/dt with rate[j]. */
typedef struct {
    int n, at[CONTROL_BLEND];
    wide weight[CONTROL_BLEND], rate[CONTROL_BLEND]; /* 1, 1/s */
} control_blend;

/* Returns which knots count at time t >= 0 s, with their weights and the derivatives of these: linear interpolation
 * between two knots, or with `cubic` uniform cubic B-splines of four (de Boor 1978). With u = t pieces/span the first
 * is number floor(u), and s = u - floor(u); past the end, what is not periodic stays at its last value. */
PIO_FN control_blend control_blend_at(const control_knots *k, int cubic, wide t)
{
    const int lost = k->periodic ? 0 : cubic ? 3 : 1, pieces = k->count - lost;
    const wide u = t * W(pieces) / W(k->span), begun = floor(u);
    control_blend b;
    int i;
    wide s = u - begun, per_second = W(pieces) / W(k->span);
    if (k->periodic) {
        i = (int)(begun - W(pieces) * floor(begun / W(pieces)));
    } else {
        i = begun < W(pieces) ? (int)begun : pieces - 1;
        if (!(begun < W(pieces))) { /* past the end the last value stays */
            s = W(1);
            per_second = W(0);
        }
    }
    b.n = cubic ? 4 : 2;
    for (int j = 0; j < CONTROL_BLEND; j++) {
        b.at[j] = k->first + (i + j) % k->count;
        b.weight[j] = b.rate[j] = W(0);
    }
    if (cubic) {
        const wide r = W(1) - s;
        b.weight[0] = r * r * r / W(6);
        b.weight[1] = W(2) / W(3) - s * s + s * s * s / W(2);
        b.weight[2] = W(2) / W(3) - r * r + r * r * r / W(2);
        b.weight[3] = s * s * s / W(6);
        b.rate[0] = -r * r / W(2) * per_second;
        b.rate[1] = (W(1.5) * s - W(2)) * s * per_second;
        b.rate[2] = (W(2) - W(1.5) * r) * r * per_second;
        b.rate[3] = s * s / W(2) * per_second;
    } else {
        b.weight[0] = W(1) - s;
        b.weight[1] = s;
        b.rate[0] = -per_second;
        b.rate[1] = per_second;
    }
    return b;
}

/* Returns 1 for signals with knots. */
PIO_FN int control_has_knots(int signal)
{
    return signal == PIO_PIECEWISE || signal == PIO_SPLINE;
}

/* Returns the largest |a| that channel c can reach, Pa: B-splines stay in the hull of their knots, networks within
 * their limit. Without knots it is |A|. */
PIO_FN wide control_most(int channels, const wide *parameters, const control_knots *knots, const wide *values, int c)
{
    wide most = W(0);
    const int count = knots ? knots[c].count : 0;
    if (!count) return fabs(parameters[control_at(channels, CONTROL_AMPLITUDE, c)]);
    for (int j = 0; j < count; j++) {
        const wide q = fabs(values[knots[c].first + j]);
        if (!(q <= most)) most = q;
    }
    return most;
}

/* What a signal is at a time: the activation, Pa, and its rate, Pa/s. */
typedef struct {
    wide value, rate;
} control_value;

/* Returns what the signal of channel c, which is no network, is at time t >= 0 s. */
PIO_FN control_value control_value_at(const control_signals *s, int c, wide t)
{
    const int signal = s->signal[c];
    control_value v;
    if (control_has_knots(signal)) {
        const control_blend b = control_blend_at(&s->knots[c], signal == PIO_SPLINE, t);
        v.value = v.rate = W(0);
        for (int j = 0; j < b.n; j++) {
            v.value += b.weight[j] * s->values[b.at[j]];
            v.rate += b.rate[j] * s->values[b.at[j]];
        }
    } else {
        const wide A = s->parameters[control_at(s->channels, CONTROL_AMPLITUDE, c)];
        const int sine = signal == PIO_SINE;
        const wide angle = sine ? control_angle(s, c, t) : W(0);
        v.value = sine ? A * sin(angle) : A;
        v.rate =
            sine ? A * CONTROL_TURN * s->parameters[control_at(s->channels, CONTROL_FREQUENCY, c)] * cos(angle) : W(0);
    }
    return v;
}

/* Adjoint of a sine. With s = sin, k = cos of the angle and w = 2 pi f, where a = A s and da/dt = A w k, and r_bar is
 * that of the rate:
 *     A_bar += a_bar s + r_bar w k,   phi_bar += angle_bar = a_bar A k - r_bar A w s,
 *     f_bar += 2 pi (angle_bar t + r_bar A k). */
PIO_FN void control_sine_adj(const control_signals *a, int c, wide t, wide a_bar, wide r_bar, wide *parameters_bar)
{
    const int n = a->channels;
    const wide A = a->parameters[control_at(n, CONTROL_AMPLITUDE, c)], angle = control_angle(a, c, t);
    const wide w = CONTROL_TURN * a->parameters[control_at(n, CONTROL_FREQUENCY, c)], k = cos(angle), s = sin(angle);
    const wide angle_bar = a_bar * A * k - r_bar * A * w * s;
    parameters_bar[control_at(n, CONTROL_AMPLITUDE, c)] += a_bar * s + r_bar * w * k;
    parameters_bar[control_at(n, CONTROL_FREQUENCY, c)] += CONTROL_TURN * (angle_bar * t + r_bar * A * k);
    parameters_bar[control_at(n, CONTROL_PHASE, c)] += angle_bar;
}

/* Adjoint of control_value_at with the cotangents v_bar: adds to those of the channel's parameters
 * [channels][CONTROL_PARAMETERS], or those of its knots' values; of a network to nothing. */
PIO_FN void control_value_adj(const control_signals *s, int c, wide t, control_value v_bar, wide *parameters_bar,
                              wide *values_bar)
{
    const int signal = s->signal[c];
    if (signal == PIO_CONSTANT) parameters_bar[control_at(s->channels, CONTROL_AMPLITUDE, c)] += v_bar.value;
    if (signal == PIO_SINE) control_sine_adj(s, c, t, v_bar.value, v_bar.rate, parameters_bar);
    if (!control_has_knots(signal)) return;
    const control_blend k = control_blend_at(&s->knots[c], signal == PIO_SPLINE, t);
    for (int j = 0; j < k.n; j++) values_bar[k.at[j]] += k.weight[j] * v_bar.value + k.rate[j] * v_bar.rate;
}

/* Sets activation, Pa, and rate, Pa/s, of channel c from its signal at time t; a network's are left alone. */
PIO_FN void control_signal(int c, const control_signal_args *a)
{
    if (a->of.signal[c] == PIO_NETWORK) return;
    const control_value v = control_value_at(&a->of, c, W(a->t));
    a->activation[c] = R(v.value);
    if (a->rate) a->rate[c] = v.rate;
}

/* Adjoint of control_signal for channel c: adds to the cotangents of its parameters, or those of its knots' values. */
PIO_FN void control_signal_adj(int c, const control_signal_adj_args *b)
{
    control_value bar;
    bar.value = b->activation_bar[c];
    bar.rate = b->rate_bar ? b->rate_bar[c] : W(0);
    control_value_adj(&b->fwd.of, c, W(b->fwd.t), bar, b->parameters_bar, b->values_bar);
}

/* ---- effort and smoothness of a control, integrals over time that the end of every step adds to ------------------
 *
 *     sample += weight sum_c w_c q_c^2,   q the activation Pa or its rate Pa/s, one item */

/* Adds the integrand of all channels to the sample; the one item is 0. */
PIO_FN void control_observe(int i, const control_observe_args *a)
{
    wide sum = W(0);
    (void)i;
    for (int c = 0; c < a->channels; c++) {
        const wide q = a->rate ? a->rate[c] : W(a->activation[c]);
        sum += W(a->channel_weight[c]) * q * q;
    }
    *a->sample += W(a->weight) * sum;
}

/* Adjoint of control_observe for channel c: q_bar += 2 weight w_c q_c sample_bar. */
PIO_FN void control_observe_adj(int c, const control_observe_adj_args *b)
{
    const control_observe_args *a = &b->fwd;
    const wide q = a->rate ? a->rate[c] : W(a->activation[c]);
    b->bar[c] += W(2 * a->weight * a->channel_weight[c]) * q * *b->sample_bar;
}

#endif
