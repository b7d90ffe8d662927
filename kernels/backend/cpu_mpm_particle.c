/* cpu_mpm_particle.c -- the loops of the kernels of the particles of the material point method alone: state, order,
 * plastic flow, control, checkpoints, observations. */
#include "kernels/backend/cpu_loops.h"
#include "kernels/mpm/mpm_particle_kernels.h"

#include "kernels/mpm/mpm_particle_kernels.def"
