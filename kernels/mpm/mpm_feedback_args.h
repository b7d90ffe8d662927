/* mpm_feedback_args.h -- what launches pass to the kernels of mpm_feedback.h. */
#ifndef PIOLA_KERNELS_MPM_FEEDBACK_ARGS_H
#define PIOLA_KERNELS_MPM_FEEDBACK_ARGS_H

#include "kernels/mpm/mpm_args.h"

enum { NETWORK_LAYERS = 5 }; /* most: four hidden and that of the outputs */

/* Particles: those of a body, or those that a channel drives. */
typedef struct {
    int number, by_channel; /* of the body or the channel; -1: no particles */
    double volume;          /* m^3, of all of them */
} mpm_set;

/* An input of a network: a clock, or (mean - offset)/scale of a place or a velocity. */
typedef struct {
    int kind, axis;       /* a pio_network_input; the axis of a place or velocity */
    int clock;            /* sine, cosine: number of its clock */
    mpm_set of, from;     /* what is seen, and from where */
    double offset, scale; /* m or m/s */
} mpm_input;

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
} mpm_network_shape;

/* Terms of the mean that an input of a network is: one for each particle. */
typedef struct {
    mpm_state s;            /* [n][.] */
    mpm_matter matter;      /* constants of particles, in id order */
    mpm_box box;            /* the grid and its walls */
    const int *body;        /* [n] in id order */
    const mpm_input *input; /* [1] */
} mpm_sense_args;

/* The adjoint of mpm_sense, for all inputs in one pass: one item for each particle. */
typedef struct {
    mpm_sense_args fwd;    /* `input`: [inputs], all of them */
    int inputs;            /* of all networks */
    const wide *means_bar; /* [inputs] */
    mpm_state bar;         /* stored as the state is; added to */
} mpm_sense_adj_args;

/* Activations by feedback networks, see mpm_feedback.h: one team for each network. */
typedef struct {
    int channels;                      /* of control */
    const mpm_step *step;              /* [1] the step block */
    const mpm_network_shape *networks; /* [teams] */
    const mpm_input *inputs;           /* of all networks */
    const wide *means;                 /* [inputs] of those that are means */
    const wide *parameters;            /* as in mpm_control_args: amplitudes are limits */
    const wide *values;                /* of control: weights, frequencies and phases of all networks */
    wide *units;                       /* inputs and what the layers make of them; set */
    real *activation;                  /* [channels] Pa; set */
    wide *past; /* [steps][channels] activations, not rounded: this step's are set, those of the step before are read;
                 * NULL: rates are of no interest */
    wide *rate; /* [channels] Pa/s; set where there is a past */
} mpm_network_args;

/* The adjoint of mpm_network, one team for each network. Backwards through the layers, with y = tanh(z), z = W x + b:
 *     z_bar = (1 - y^2) y_bar,   W_bar += z_bar x^T,   b_bar += z_bar,   x_bar = W^T z_bar */
typedef struct {
    mpm_network_args fwd;       /* units as the forward stage left them; activation is not read */
    const wide *activation_bar; /* [channels] J's unit per Pa */
    wide *unit_bar;             /* of units; set */
    wide *means_bar;            /* [inputs]; set */
    wide *parameters_bar;       /* [channels][CONTROL_PARAMETERS]; added to */
    wide *values_bar;           /* added to */
    const wide *rate_bar;       /* [channels] J's unit per Pa/s, where there is a past */
    wide *past_bar; /* [channels] of this step's activations, from the step after; becomes that of the step before's */
} mpm_network_adj_args;

#endif
