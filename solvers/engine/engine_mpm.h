/* engine_mpm.h -- what particles and their surroundings are described with: grid, particles, control. */
#ifndef PIOLA_SOLVERS_ENGINE_MPM_H
#define PIOLA_SOLVERS_ENGINE_MPM_H

#include "solvers/engine/vocabulary.h"

#include <stdint.h>

/* The least regularisation velocity of contact and friction, m/s: powers of it fit f32. */
#define PIO_LEAST_VELOCITY 1e-9

/* The background grid. */
typedef struct {
    double spacing;     /* of the nodes, m */
    int32_t nodes[3];   /* number along each axis */
    int32_t face[3][2]; /* node index of the lower and the upper wall of each axis */
    int32_t wall[3][2]; /* pio_wall of each */
    /* Friction of slip and separating walls, coefficients >= 0, of the others 0; and the sliding velocity at which it
     * has 0.7 of its limit, and sticky_separate walls halve a velocity that is pressed as fast, m/s >=
     * PIO_LEAST_VELOCITY where there is such a wall (kernels/mpm/mpm_wall.h). */
    double wall_friction[3][2], wall_friction_velocity;
    double origin[3]; /* position of node 0, m */
} pio_grid_desc;

/* A channel of control: its activation a in the step that begins at time t. Solids driven by it get the Kirchhoff
 * stress a (F n)(F n)^T along their fibre n; a > 0 contracts. Zero channels: no control. */
typedef struct {
    pio_signal signal; /* constant: a = amplitude; sine: a = amplitude sin(2 pi frequency t + phase) */
    double amplitude;  /* Pa; of a network: the bound of a, see pio_network_desc */
    double frequency;  /* Hz */
    double phase;      /* rad */
} pio_channel_desc;

/* The knots of a piecewise linear signal, or of a cubic B-spline: `count` of the control values, Pa, from `first` on,
 * evenly spaced over `span` as in kernels/control/control.h. At least 2, and 4 of a spline; of other signals 0. */
typedef struct {
    int32_t first, count; /* the first control value; how many */
    int32_t periodic;     /* 1: the signal begins again after `span`, with its first knot one space after the last */
    double span;          /* s, > 0 */
} pio_knots_desc;

/* An input of a network: sines and cosines of time, or (mean - offset)/scale, where mean is that of the positions or
 * velocities of particles along an axis, weighted with rest volumes, at the beginning of the step, minus that of other
 * particles if there are any; or the sum of those of a mesh's nodes with weights, when fem_network.c says. */
typedef struct {
    pio_network_input kind;     /* sine, cosine, or mean position or velocity */
    int32_t axis;               /* of means: 0 .. dim-1 */
    int32_t clock;              /* sines, cosines: number of its clock in the network */
    int32_t of, of_channel;     /* particles: of body `of`, or where of_channel is 1 those that channel `of` drives */
    int32_t from, from_channel; /* likewise those whose mean is subtracted; -1: none */
    double offset, scale;       /* of means: m or m/s; scale > 0 */
    /* Of a mesh, in place of of .. from_channel: [nodes] weights; inputs that follow each other may share them. */
    const double *node_weight;
} pio_input_desc;

/* Fully connected layers, each tanh(W x + b); the outputs of the last are the activations of its channels, divided by
 * their amplitudes. */
typedef struct {
    /* channels first .. first + outputs - 1, whose signal is PIO_NETWORK; each belongs to one network */
    int32_t first, outputs;
    int32_t n_inputs;                          /* number of inputs, the columns of the first layer */
    const pio_input_desc *inputs;              /* [n_inputs] */
    int32_t hidden, width[PIO_NETWORK_HIDDEN]; /* number of hidden layers, and of the units of each */
    /* first weight among the control values: layer after layer [rows][columns + 1], each row ends with b */
    int32_t weights;
    int32_t n_clocks, clocks; /* number; index of their frequencies, Hz, which their phases, rad, follow */
} pio_network_desc;

/* Particles at the start, and their materials. */
typedef struct {
    int64_t n;              /* number of particles, 1 .. 2^31 - 1 */
    const double *position; /* [n][dim] m */
    const double *velocity; /* [n][dim] m/s */
    const double *volume;   /* [n] at rest, m^3 */
    const double *density;  /* [n] kg/m^3 */
    /* [n][5] solids: see hyper_from_parameters; fluids: bulk Pa, gamma, viscosity Pa s */
    const double *law_parameters;
    const int32_t *law;            /* [n] pio_hyper_law but for the linear one, or pio_fluid_law */
    const int32_t *parameter_form; /* [n] 1: the parameters are mu, lambda */
    const int32_t *body;           /* [n] body of each particle, 0 .. bodies-1 */
    int32_t bodies;                /* number of bodies */
    const double *spin;            /* [bodies][dim][dim] initial velocity gradient of each body's rotation, 1/s */
    const int32_t *channel;        /* [n] channel that drives the particle, a solid's, or -1; NULL: none drives any */
    const double *fibre;           /* [channels][dim] unit direction of a channel's fibres at rest */
    /* [n] viscosity eta of solids (Kelvin-Voigt), Pa s, >= 0, which adds J eta (C + C^T) to the Kirchhoff stress;
     * that of fluids is law_parameters[2], and this is not read. NULL: no solid is viscous. Not of the reversible
     * integrator. */
    const double *viscosity;
    /* [n] velocity field of each particle, 0 .. fields-1; NULL: there is one. Fields have velocities of their own on
     * the grid and interact by contact (kernels/mpm/mpm_contact.h). Not of the reversible integrator. */
    const int32_t *field;
    /* number of velocity fields, 1 .. 4, each with particles; 0: one. The field with the smaller number defines the
     * contact surface */
    int32_t fields;
    const int32_t *plasticity;      /* [n] pio_plastic_law; NULL: nothing is plastic */
    const double *relative_density; /* [n] 0 .. 1, of what is full 1, see mpm_interpolate_args; NULL: all is full */
    const int32_t *interpolation;   /* [n] number of its interpolation, a solid's, or -1: it is full; likewise NULL */
    int32_t n_interpolations;       /* number of interpolations */
    const pio_interpolation *interpolations; /* [n_interpolations] how stiffness follows the relative density */
    const double *yield; /* [n][3] constants of the plastic law, see kernels/material/plasticity.h; unused: 0 */
} pio_particles_desc;

#endif
