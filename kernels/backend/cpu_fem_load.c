/* cpu_fem_load.c -- the loops of the kernels of loads, motion and vectors of meshes. */
#include "kernels/backend/cpu_loops.h"
#include "kernels/fem/fem_load_kernels.h"

#include "kernels/fem/fem_load_kernels.def"
