/* mpm_control.h -- control of particles: what fills activation[], once at the beginning of every step, and its adjoint.
 *
 * Signals of time (kernels/control/control.h) are taken at t = index h, read from the step block. A network's channels
 * are filled by mpm_feedback.h. */
#ifndef PIOLA_KERNELS_MPM_CONTROL_H
#define PIOLA_KERNELS_MPM_CONTROL_H

#include "kernels/control/control.h"
#include "kernels/mpm/mpm_control_args.h"
#include "kernels/mpm/mpm.h"

/* Returns t = index h, the time at the beginning of the step, s. */
PIO_FN wide control_time(const mpm_step *step)
{
    return W(step->index) * W(step->h);
}

/* Returns the signals of all channels. */
PIO_FN control_signals mpm_signals_of(const mpm_control_args *a)
{
    control_signals s;
    s.channels = a->channels;
    s.signal = a->signal;
    s.parameters = a->parameters;
    s.knots = a->knots;
    s.values = a->values;
    return s;
}

/* Sets activation, Pa, and rate, Pa/s, of channel c from its signal at the beginning of the step; a network's are left
 * alone. */
PIO_FN void mpm_control(int c, const mpm_control_args *a)
{
    const control_signals s = mpm_signals_of(a);
    if (s.signal[c] == PIO_NETWORK) return;
    const control_value v = control_value_at(&s, c, control_time(a->step));
    a->activation[c] = R(v.value);
    if (a->rate) a->rate[c] = v.rate;
}

/* Adjoint of mpm_control for channel c: adds to the cotangents of its parameters, or those of its knots' values. */
PIO_FN void mpm_control_adj(int c, const mpm_control_adj_args *b)
{
    const control_signals s = mpm_signals_of(&b->fwd);
    control_value bar;
    bar.value = b->activation_bar[c];
    bar.rate = b->rate_bar ? b->rate_bar[c] : W(0);
    control_value_adj(&s, c, control_time(b->fwd.step), bar, b->parameters_bar, b->values_bar);
}

#endif
