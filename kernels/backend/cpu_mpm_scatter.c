/* cpu_mpm_scatter.c -- the loops of the kernels of transfers from particles to nodes. */
#include "kernels/backend/cpu_loops.h"
#include "kernels/mpm/mpm_scatter_kernels.h"

#include "kernels/mpm/mpm_scatter_kernels.def"
