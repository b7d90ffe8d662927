/* cuda_mpm_particle.cu -- the grids of the kernels of the particles of the material point method alone: state,
 * order, plastic flow, control, checkpoints, observations. */
#include "kernels/backend/cuda_grids.cuh"
#include "kernels/mpm/mpm_particle_kernels.h"

#include "kernels/mpm/mpm_particle_kernels.def"
