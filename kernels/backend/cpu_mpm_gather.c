/* cpu_mpm_gather.c -- the loops of the kernels of transfers from nodes to particles. */
#include "kernels/backend/cpu_loops.h"
#include "kernels/mpm/mpm_gather_kernels.h"

#include "kernels/mpm/mpm_gather_kernels.def"
