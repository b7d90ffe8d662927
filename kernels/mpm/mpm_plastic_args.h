/* mpm_plastic_args.h -- what launches pass to the kernels of mpm_plastic.h. */
#ifndef PIOLA_KERNELS_MPM_PLASTIC_ARGS_H
#define PIOLA_KERNELS_MPM_PLASTIC_ARGS_H

#include "kernels/mpm/mpm_args.h"

/* Returns how near to a change of branch, as a strain, a particle counts: a thousandth of the strains at which soft
 * things flow, or less. */
PIO_FN real plastic_near(void)
{
    return R(1e-6);
}

/* Returns how many teams n particles are, TEAM_LANES in each. */
PIO_FN int plastic_teams(int n)
{
    return n / TEAM_LANES + (n % TEAM_LANES > 0);
}

/* The return mapping of plastic particles, after mpm_g2p: a team for each TEAM_LANES particles of the new state. */
typedef struct {
    mpm_state s;       /* [n][.] state at the beginning of the step: id, hardening, e33 */
    mpm_matter matter; /* constants of particles, in id order */
    const int *order;  /* [n] where in it the particle lay that is stored as number i of the next */
    mpm_step *step;    /* how many particles; its fault is lowered where hardened snow is too stiff for the time step */
    real inv_dx;       /* 1/m */
    mpm_state next;    /* [n][.]: F, trial, becomes elastic; hardening, e33 set */
    uint64_t *near;    /* [1] particles so far that came near a change of branch; NULL: not counted */
} mpm_plastic_args;

/* The adjoint of mpm_plastic: as many teams. */
typedef struct {
    mpm_plastic_args fwd; /* next: F is the trial one; step's fault and `near` are left alone */
    mpm_state next_bar; /* [n][.] cotangents of the new state: F becomes that of the trial F; hardening, e33 are read */
    mpm_state bar;      /* [n][.] cotangents of the state before: hardening, e33 set */
    real *k_bar;        /* [n][constants] in id order; added to */
    real *yield_bar;    /* [n][PIO_PLASTIC_CONSTANTS] in id order; added to */
} mpm_plastic_adj_args;

/* Conditions that plastic constants must satisfy before the first step: one item for each particle. */
typedef struct {
    mpm_matter matter; /* constants of particles, in id order */
    mpm_step *step;    /* [1] its fault is lowered where a constant is not allowed */
} mpm_plastic_check_args;

#endif
