/* control_args.h -- what launches pass to the kernels of control.h, and what signals of channels are made of. */
#ifndef PIOLA_KERNELS_CONTROL_ARGS_H
#define PIOLA_KERNELS_CONTROL_ARGS_H

#include "kernels/base/base.h"

/* Of a network, the amplitude is the limit of its activation. */
enum { CONTROL_AMPLITUDE, CONTROL_FREQUENCY, CONTROL_PHASE, CONTROL_PARAMETERS };

/* Where the knots of a channel lie among the values of control. */
typedef struct {
    int first, count; /* piecewise: at least 2, spline: at least 4; others: 0 */
    int periodic;     /* the signal begins again after `span`, else it stays at its last value */
    double span;      /* s, > 0 */
} control_knots;

/* The signals of all channels, see control.h. */
typedef struct {
    int channels;               /* of control */
    const int *signal;          /* [channels] a pio_signal */
    const wide *parameters;     /* [channels][CONTROL_PARAMETERS] A Pa, f Hz, phi rad */
    const control_knots *knots; /* [channels] */
    const wide *values;         /* values of all knots Pa, and weights and clocks of networks */
} control_signals;

/* Activations of channels at one time by their signals, see control.h: one item for each channel. */
typedef struct {
    control_signals of; /* of all channels */
    double t;           /* s, at least 0 */
    real *activation;   /* [channels] Pa; set, but for a network's */
    wide *rate;         /* [channels] da/dt Pa/s; set, but for a network's; NULL: it is of no interest */
} control_signal_args;

/* The adjoint of control_signal: one item for each channel. */
typedef struct {
    control_signal_args fwd;    /* activation and rate are not read */
    const wide *activation_bar; /* [channels] J's unit per Pa */
    const wide *rate_bar;       /* [channels] J's unit per Pa/s, or NULL: 0 */
    wide *parameters_bar;       /* [channels][CONTROL_PARAMETERS]; added to */
    wide *values_bar;           /* of knots; added to, each by its own channel */
} control_signal_adj_args;

/* Effort or smoothness of a control over one step: one item. */
typedef struct {
    int channels;                 /* of control */
    const real *activation;       /* [channels] */
    const wide *rate;             /* [channels], instead of it; or NULL */
    const double *channel_weight; /* [channels] */
    double weight;                /* s */
    wide *sample;                 /* [1]; added to */
} control_observe_args;

/* The adjoint of control_observe: one item for each channel. */
typedef struct {
    control_observe_args fwd; /* its sample is not used */
    const wide *sample_bar;   /* [1] */
    wide *bar;                /* [channels] of the activation, or of the rate; added to */
} control_observe_adj_args;

#endif
