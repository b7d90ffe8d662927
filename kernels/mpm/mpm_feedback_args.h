/* mpm_feedback_args.h -- what launches pass to the kernels of mpm_feedback.h. */
#ifndef PIOLA_KERNELS_MPM_FEEDBACK_ARGS_H
#define PIOLA_KERNELS_MPM_FEEDBACK_ARGS_H

#include "kernels/control/network_args.h"
#include "kernels/mpm/mpm_args.h"

/* Particles: those of a body, or those that a channel drives. */
typedef struct {
    int number, by_channel; /* of the body or the channel; -1: no particles */
    double volume;          /* m^3, of all of them */
} mpm_set;

/* What an input of a network sees: the mean of `of`, less that of `from`; of a clock, no particles. */
typedef struct {
    int kind, axis;   /* of the input: a pio_network_input; the axis of a place or velocity */
    mpm_set of, from; /* what is seen, and from where */
} mpm_sight;

/* Terms of the mean that an input of a network is: one for each particle. */
typedef struct {
    mpm_state s;            /* [n][.] */
    mpm_matter matter;      /* constants of particles, in id order */
    mpm_box box;            /* the grid and its walls */
    const int *body;        /* [n] in id order */
    const mpm_sight *input; /* [1] */
} mpm_sense_args;

/* The adjoint of mpm_sense, for all inputs in one pass: one item for each particle. */
typedef struct {
    mpm_sense_args fwd;    /* `input`: [inputs], all of them */
    int inputs;            /* of all networks */
    const wide *means_bar; /* [inputs] */
    mpm_state bar;         /* stored as the state is; added to */
} mpm_sense_adj_args;

/* Activations by feedback networks at the beginning of a step, see mpm_feedback.h: one team for each network. */
typedef struct {
    network_set of;       /* all networks */
    const mpm_step *step; /* [1] the step block */
    real *activation;     /* [channels] Pa; set */
    wide *past; /* [steps][channels] activations, not rounded: this step's are set, those of the step before are read;
                 * NULL: rates are of no interest */
    wide *rate; /* [channels] Pa/s; set where there is a past */
} mpm_network_args;

/* The adjoint of mpm_network: one team for each network. */
typedef struct {
    mpm_network_args fwd;       /* units as the forward stage left them; activation is not read */
    const wide *activation_bar; /* [channels] J's unit per Pa */
    network_set_bar bar;        /* of what the networks have */
    const wide *rate_bar;       /* [channels] J's unit per Pa/s, where there is a past */
    wide *past_bar; /* [channels] of this step's activations, from the step after; becomes that of the step before's */
} mpm_network_adj_args;

#endif
