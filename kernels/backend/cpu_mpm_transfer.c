/* cpu_mpm_transfer.c -- the loops of the kernels of transfers between particles and grid. */
#include "kernels/backend/cpu_loops.h"
#include "kernels/mpm/mpm_transfer_kernels.h"

#include "kernels/mpm/mpm_transfer_kernels.def"
