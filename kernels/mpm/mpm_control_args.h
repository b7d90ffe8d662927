/* mpm_control_args.h -- what launches pass to the kernels of mpm_control.h. */
#ifndef PIOLA_KERNELS_MPM_CONTROL_ARGS_H
#define PIOLA_KERNELS_MPM_CONTROL_ARGS_H

#include "kernels/control/control_args.h"
#include "kernels/mpm/mpm_args.h"

/* Activations of channels at the beginning of a step, see mpm_control.h: one item for each channel. */
typedef struct {
    int channels;               /* of control */
    const mpm_step *step;       /* [1] the step block */
    const int *signal;          /* [channels] a pio_signal */
    const wide *parameters;     /* [channels][CONTROL_PARAMETERS] A Pa, f Hz, phi rad */
    real *activation;           /* [channels] Pa; set, but for a network's */
    const control_knots *knots; /* [channels] */
    const wide *values;         /* values of all knots Pa, and weights and clocks of networks */
    wide *rate;                 /* [channels] da/dt Pa/s; set, but for a network's; NULL: it is of no interest */
} mpm_control_args;

/* The adjoint of mpm_control: one item for each channel. */
typedef struct {
    mpm_control_args fwd;       /* activation and rate are not read */
    const wide *activation_bar; /* [channels] J's unit per Pa */
    wide *parameters_bar;       /* [channels][CONTROL_PARAMETERS]; added to */
    wide *values_bar;           /* of knots; added to, each by its own channel */
    const wide *rate_bar;       /* [channels] J's unit per Pa/s, or NULL: 0 */
} mpm_control_adj_args;

#endif
