/* cpu_mpm_boundary.c -- the loops of the kernels of the grid and what acts on it: walls, obstacles, contact. */
#include "kernels/backend/cpu_loops.h"
#include "kernels/mpm/mpm_boundary_kernels.h"

#include "kernels/mpm/mpm_boundary_kernels.def"
