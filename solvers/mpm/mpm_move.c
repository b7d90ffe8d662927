/* mpm_move.c -- the end of a step: particles move, by the grid of mpm_transfer. */
#include "solvers/mpm/mpm.h"

void mpm_move(mpm_sim *sim, int counts)
{
    mpm_move_trial(sim);
    mpm_flip_keep(sim);
    mpm_plastic_flow(sim, counts);
}
