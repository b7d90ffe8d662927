/* mpm_control.h -- control: what fills activation[], once at the beginning of every step, and its adjoint.
 *
 * A channel drives the fibres of its particles (material.h: fibre_tau) with one activation [Pa]. The first controllers
 * are signals of time; with t = index h, read from the step block: constant   a = A sine       a = A sin(2 pi f t +
 * phi) */
#ifndef PIOLA_KERNELS_MPM_CONTROL_H
#define PIOLA_KERNELS_MPM_CONTROL_H

#include "kernels/mpm.h"

enum { SIGNAL_CONSTANT, SIGNAL_SINE }; /* as pio_signal of the engine's table */
enum { CONTROL_AMPLITUDE, CONTROL_FREQUENCY, CONTROL_PHASE, CONTROL_PARAMETERS };

typedef struct {
    int channels;
    const mpm_step *step;
    const int *signal;      /* [channels] SIGNAL_... */
    const wide *parameters; /* [CONTROL_PARAMETERS][channels] A Pa, f Hz, phi rad */
    real *activation;       /* [channels] Pa; set */
} mpm_control_args;

#define CONTROL_TURN W(6.283185307179586) /* 2 pi */

/* Where a parameter of channel c lies. */
PIO_FN ptrdiff_t control_at(int channels, int parameter, int c)
{
    return field_at(channels, CONTROL_PARAMETERS, parameter, c);
}

/* 2 pi f t + phi */
PIO_FN wide control_angle(const mpm_control_args *a, int c)
{
    const wide t = W(a->step->index) * W(a->step->h);
    return CONTROL_TURN * a->parameters[control_at(a->channels, CONTROL_FREQUENCY, c)] * t +
           a->parameters[control_at(a->channels, CONTROL_PHASE, c)];
}

PIO_FN void mpm_control(int c, const mpm_control_args *a)
{
    const wide A = a->parameters[control_at(a->channels, CONTROL_AMPLITUDE, c)];
    a->activation[c] = R(a->signal[c] == SIGNAL_SINE ? A * sin(control_angle(a, c)) : A);
}

/* With s = sin, k = cos of the angle:  A_bar += a_bar s,  f_bar += a_bar A k 2 pi t,  phi_bar += a_bar A k. */
typedef struct {
    mpm_control_args fwd;       /* activation is not read */
    const wide *activation_bar; /* [channels] J's unit per Pa */
    wide *parameters_bar;       /* [CONTROL_PARAMETERS][channels]; added to */
} mpm_control_adj_args;

PIO_FN void mpm_control_adj(int c, const mpm_control_adj_args *b)
{
    const mpm_control_args *a = &b->fwd;
    const int n = a->channels;
    const wide a_bar = b->activation_bar[c];
    if (a->signal[c] != SIGNAL_SINE) {
        b->parameters_bar[control_at(n, CONTROL_AMPLITUDE, c)] += a_bar;
        return;
    }
    const wide angle = control_angle(a, c), t = W(a->step->index) * W(a->step->h);
    const wide angle_bar = a_bar * a->parameters[control_at(n, CONTROL_AMPLITUDE, c)] * cos(angle);
    b->parameters_bar[control_at(n, CONTROL_AMPLITUDE, c)] += a_bar * sin(angle);
    b->parameters_bar[control_at(n, CONTROL_FREQUENCY, c)] += angle_bar * CONTROL_TURN * t;
    b->parameters_bar[control_at(n, CONTROL_PHASE, c)] += angle_bar;
}

#endif
