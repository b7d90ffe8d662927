/* cpu_mpm_reversible.c -- the loops of the kernels of the reversible integrator of particles. */
#include "kernels/backend/cpu_loops.h"
#include "kernels/mpm/mpm_reversible_kernels.h"

#include "kernels/mpm/mpm_reversible_kernels.def"
