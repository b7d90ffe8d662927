/* mpm_start_args.h -- what launches pass to the kernels of mpm_start.h. */
#ifndef PIOLA_KERNELS_MPM_START_ARGS_H
#define PIOLA_KERNELS_MPM_START_ARGS_H

#include "kernels/contact/contact_pose_args.h"
#include "kernels/mpm/mpm_args.h"
#include "kernels/mpm/mpm_control_args.h"

/* Per particle in id order: the constants of its law from the user's parameters (law_from_parameters), and its mass,
 * density times volume. */
typedef struct {
    int n, constants;                /* particles; constants of each */
    const int *law, *parameter_form; /* [n] a number of laws.h; HYPER_LAME_PARAMETERS or 0 */
    const real *parameters;          /* [n][constants] */
    const real *density;             /* [n] kg/m^3 */
    const real *volume;              /* [n] m^3 */
    real *k, *mass;                  /* [n][constants], [n] kg; set */
} mpm_constants_args;

/* The adjoint of mpm_constants: one item for each particle. */
typedef struct {
    mpm_constants_args fwd;             /* k and mass are not read */
    const real *k_bar, *mass_bar;       /* [n][constants], [n] */
    real *parameters_bar, *density_bar; /* [n][constants], [n]; added to */
} mpm_constants_adj_args;

/* State 0, stored in id order: F = I, J = 1, no plastic strain, C (where there is one) = the spin of the body. */
typedef struct {
    int n;                /* particles */
    const int *cell;      /* [n] base node */
    const real *offset;   /* [n][DIM] */
    const real *velocity; /* [n][DIM] m/s */
    const int *body;      /* [n] */
    const real *spin;     /* [bodies][DIM * DIM] velocity gradient of the body's rotation, 1/s */
    mpm_state out;        /* set */
} mpm_start_args;

/* offset = (x - x_base)/dx, so dJ/dx = dJ/doffset / dx; V and m are constant. */
typedef struct {
    int n;                             /* particles */
    real inv_dx;                       /* 1/m */
    mpm_state bar;                     /* cotangents of state 0, in id order */
    real *position_bar, *velocity_bar; /* [n][DIM] 1/m, s/m; added to */
} mpm_start_adj_args;

/* What must hold before the first step, per particle: constants in range, and the step short enough for the explicit
 * scheme:  h c/dx <= cfl with c^2 = (lambda + 2 mu + |A|)/rho at rest or K/rho, A the largest activation,  and
 * 4 d h eta/(rho dx^2) <= 1 (diffusion of momentum by eta (C + C^T): Courant, Friedrichs, Lewy 1928; the 2 of
 * div 2 eta D included). With obstacles that have a potential of stiffness K, whose frequency is added to that of the
 * material, omega^2 = 2.9 c^2/dx^2 (measured in 2D, without obstacles: h c/dx = 1.17) + K/(rho dx^2):  h omega <= 2;
 * where bodies repel each other with a stiffness K, 4 K/(rho dx^2) more (mpm_repel.h) */
typedef struct {
    mpm_matter matter;               /* constants of particles, in id order */
    const real *density;             /* [n] kg/m^3 */
    mpm_step *step;                  /* [1] its fault is lowered where a condition does not hold */
    real inv_dx;                     /* 1/m */
    const wide *parameters;          /* as in mpm_control_args, read where the matter has channels */
    const control_knots *knots;      /* likewise, or NULL: there are none */
    const wide *values;              /* values of all knots, Pa */
    int obstacles;                   /* of the scene */
    const obstacle_shape *shape;     /* [obstacles] */
    const wide *obstacle_parameters; /* [OBSTACLE_PARAMETERS][obstacles] */
    real repulsion;                  /* stiffness of bodies that repel each other, Pa; 0: they do not */
} mpm_check_args;

/* The end of a step (one item): count it; after a fault nothing more is computed, so that the faulty state stays. */
typedef struct {
    mpm_step *step; /* [1] the step block; changed */
} mpm_advance_args;

/* A state was restored (one item): continue from its number. */
typedef struct {
    mpm_step *step; /* [1] the step block; changed */
    int64_t index;  /* number of the step that comes next */
} mpm_set_index_args;

#endif
