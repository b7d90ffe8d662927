/* network_args.h -- networks that drive channels of control, and what launches pass to the kernels of network.h. */
#ifndef PIOLA_KERNELS_NETWORK_ARGS_H
#define PIOLA_KERNELS_NETWORK_ARGS_H

#include "kernels/base/base.h"

enum { NETWORK_LAYERS = 5 }; /* most: four hidden and that of the outputs */

/* An input of a network: a clock, or (mean - offset)/scale of a place or a velocity. */
typedef struct {
    int kind, axis;       /* a pio_network_input; the axis of a place or velocity */
    int clock;            /* sine, cosine: number of its clock */
    double offset, scale; /* m or m/s */
} network_input;

/* A network, and where its numbers lie among those of all networks. */
typedef struct {
    int first, outputs;            /* channels that it drives: first .. first + outputs - 1 */
    int inputs, input;             /* how many, and the number of the first among all */
    int layers;                    /* that of the outputs counted: 1 .. NETWORK_LAYERS */
    int width[NETWORK_LAYERS + 1]; /* inputs, and units of each layer */
    int weights;                   /* of the first one among the values of control */
    int clocks;                    /* how many it has */
    int clock; /* likewise of the first frequency, Hz; the other clocks' follow, and then the phases, rad */
    int unit;  /* of the first input among the units; the layers' follow */
} network_shape;

/* All networks, what they read, and what their layers make of it. */
typedef struct {
    int channels;               /* of control */
    const network_shape *shape; /* [networks] */
    const network_input *input; /* of all networks */
    const wide *means;          /* of inputs that are means, m or m/s */
    const wide *parameters;     /* [channels][CONTROL_PARAMETERS] amplitudes are limits, Pa */
    const wide *values;         /* of control: weights, frequencies and phases of all networks */
    wide *units;                /* inputs and what the layers make of them; set */
} network_set;

/* Cotangents of a network_set. */
typedef struct {
    wide *units_bar;      /* of units; set */
    wide *means_bar;      /* of inputs; set, 0 of clocks */
    wide *parameters_bar; /* [channels][CONTROL_PARAMETERS]; added to */
    wide *values_bar;     /* added to */
} network_set_bar;

/* Activations by networks at one time: one team for each network. */
typedef struct {
    network_set of;   /* all networks */
    double t;         /* of the clocks, s */
    wide *activation; /* [channels] Pa; set for a network's */
} control_network_args;

/* The adjoint of control_network: one team for each network. */
typedef struct {
    control_network_args fwd;   /* activation is not read; units are as it left them */
    const wide *activation_bar; /* [channels] J's unit per Pa */
    network_set_bar bar;        /* of what the networks have */
} control_network_adj_args;

/* The activations of networks that were evaluated before, and their rates: one item for each channel. */
typedef struct {
    const int *signal;  /* [channels] a pio_signal; of others than networks nothing is set */
    const wide *now;    /* [channels] activations, Pa */
    const wide *before; /* [channels] those of a step before; NULL: rates are 0 */
    double h;           /* s, the time between them, above 0 */
    real *activation;   /* [channels] Pa; set */
    wide *rate;         /* [channels] Pa/s; set; NULL: they are of no interest */
} control_recall_args;

/* The adjoint of control_recall: one item for each channel. */
typedef struct {
    control_recall_args fwd;    /* only signal, before and h are read */
    const wide *activation_bar; /* [channels] J's unit per Pa */
    const wide *rate_bar;       /* [channels] J's unit per Pa/s, or NULL: 0 */
    wide *now_bar, *before_bar; /* [channels] added to; before_bar is read where there are rates and `before` */
} control_recall_adj_args;

#endif
