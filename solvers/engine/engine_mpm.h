/* engine_mpm.h -- what particles and their surroundings are described with: grid, particles, control, obstacles. */
#ifndef PIOLA_SOLVERS_ENGINE_MPM_H
#define PIOLA_SOLVERS_ENGINE_MPM_H

#include "solvers/engine/vocabulary.h"

#include <stdint.h>

/* m/s, the least speed about which contact and friction may set in: powers of it have room in f32. */
#define PIO_LEAST_ONSET 1e-9

typedef struct {
    double spacing;     /* m */
    int32_t nodes[3];   /* per axis */
    int32_t face[3][2]; /* node index of the lower and the upper wall */
    int32_t wall[3][2]; /* pio_wall */
    double origin[3];   /* place of node 0, m */
} pio_grid_desc;

/* A channel of control: its activation a in the step that begins at time t. Solids driven by it get the Kirchhoff
 * stress a (F n)(F n)^T along their fibre n; a > 0 contracts. Zero channels: no control. */
typedef struct {
    pio_signal signal; /* constant: a = amplitude; sine: a = amplitude sin(2 pi frequency t + phase) */
    double amplitude;  /* Pa; of a network: its limit, see there */
    double frequency;  /* Hz */
    double phase;      /* rad */
} pio_channel_desc;

/* Of a piecewise linear signal, or a cubic B-spline: `count` of the control values, Pa, from `first` on, evenly spaced
 * over `span` as in kernels/mpm/mpm_control.h. At least 2, and 4 of a spline; of other signals 0. */
typedef struct {
    int32_t first, count;
    int32_t periodic; /* the signal begins again after `span`, with its first knot one space after the last */
    double span;      /* s, > 0 */
} pio_knots_desc;

/* An input of a network: sines and cosines of time, or (mean - offset)/scale, the mean over the rest volumes of
 * particles of their place or velocity along an axis, at the state with which the step begins, less that of other
 * particles if there are any. */
typedef struct {
    pio_input kind;
    int32_t axis;
    int32_t clock;              /* sines, cosines: number of its clock in the network */
    int32_t of, of_channel;     /* particles: of body `of`, or where of_channel is 1 those that channel `of` drives */
    int32_t from, from_channel; /* likewise the others; -1: none */
    double offset, scale;       /* m or m/s; scale > 0 */
} pio_input_desc;

/* Fully connected layers, each tanh(W x + b); the outputs of the last are the activations of its channels over their
 * amplitudes. */
typedef struct {
    int32_t first,
        outputs; /* channels first .. first + outputs - 1, whose signal is PIO_NETWORK; in one network each */
    int32_t n_inputs;
    const pio_input_desc *inputs;
    int32_t hidden, width[PIO_NETWORK_HIDDEN]; /* layers between, and the units of each */
    /* of the control values, the first: layer after layer [rows][columns + 1], the last of a row its b */
    int32_t weights;
    int32_t n_clocks, clocks; /* likewise the first: the clocks' frequencies, Hz, then their phases, rad */
} pio_network_desc;

typedef struct {
    int64_t n;              /* particles, 1 .. 2^31 - 1 */
    const double *position; /* [n][dim] m */
    const double *velocity; /* [n][dim] m/s */
    const double *volume;   /* [n] m^3 */
    const double *density;  /* [n] kg/m^3 */
    const double *given;    /* [n][5] solids: see hyper_from_parameters; fluids: bulk Pa, gamma, viscosity Pa s */
    const int32_t *law;     /* [n] pio_hyper_law but for the linear one, or pio_fluid_law */
    const int32_t *lame;    /* [n] constants are mu, lambda */
    const int32_t *body;    /* [n] */
    int32_t bodies;
    const double *spin;     /* [bodies][dim][dim] velocity gradient of the body's rotation 1/s */
    const int32_t *channel; /* [n] channel that drives the particle, -1: none; solids only. NULL: none drives any */
    const double *fibre;    /* [channels][dim] unit direction of a channel's fibres at rest */
    /* [n] Pa s, >= 0: of solids (Kelvin and Voigt), whose Kirchhoff stress it adds J eta (C + C^T) to; of fluids it is
     * given[2], and this is not looked at. NULL: no solid is viscous. Not of the reversible integrator. */
    const double *viscosity;
    /* Particles of different fields have velocities of their own on the grid, and meet by contact
     * (kernels/mpm/mpm_contact.h). Not of the reversible integrator. */
    const int32_t *field; /* [n] 0 .. fields-1; NULL: all are in one */
    /* 1 .. 4, each with particles; 0: one. Of two that meet, the surface is that of the smaller number */
    int32_t fields;
    const int32_t *plasticity; /* [n] pio_plastic_law; NULL: nothing is plastic */
    const double *yield;       /* [n][3] constants of the plastic law, see kernels/material/plasticity.h; others 0 */
} pio_particles_desc;

enum { PIO_MOTION_NUMBERS = 5 }; /* of a point of a motion: time s, ascending; shift m along x, y and z; angle rad */

/* What particles meet besides walls: a shape about the origin of its own frame, which stands at `position`, turned by
 * `rotation`. On the grid's velocities relative to its own it acts as a wall of this kind; see
 * kernels/mpm/mpm_obstacle.h. */
typedef struct {
    pio_obstacle_type type;
    pio_wall behaviour; /* sticky, slip or separate */
    double position[3]; /* m */
    double rotation[3]; /* rad: a rotation vector; in 2D the first alone, counter-clockwise */
    double friction;    /* coefficient of slip and separate, >= 0 */
    double normal[3];   /* plane: unit, out of what is solid, in its own frame */
    double size[3];     /* box: its edges m, > 0 */
    double radius;      /* ball, cylinder, m, > 0 */
    double height;      /* cylinder: its length m, > 0 */
    int32_t axis;       /* cylinder */
    int32_t samples[3]; /* mesh: points per axis, >= 4; the outer ones lie beyond `width` and half a spacing of it */
    double low[3];      /* mesh: place of the first point, m */
    double spacing;     /* mesh: of the points, m, > 0 */
    const double *distance; /* mesh: [samples] signed distances m, the last axis fastest */
    double width; /* the condition is eased in over this distance, up to half a spacing before the surface, m, > 0 */
    double slip;  /* speed at which friction has 0.7 of its full size, m/s, >= PIO_LEAST_ONSET */
    /* it takes hold gradually at speeds along its normal from +onset to -onset, m/s, >= PIO_LEAST_ONSET */
    double onset;
    int32_t n_points; /* of its motion, straight between them; 0: it stands still */
    const double
        *motion;     /* [n_points][PIO_MOTION_NUMBERS] added to position and, after rotation, about the motion's axis */
    double turns[3]; /* that axis, in space; unit where an angle is not 0; in 2D not read */
} pio_obstacle_desc;

#endif
