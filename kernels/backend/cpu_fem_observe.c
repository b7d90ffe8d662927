/* cpu_fem_observe.c -- the loops of the kernels of what is observed and shown of meshes. */
#include "kernels/backend/cpu_loops.h"
#include "kernels/fem/fem_observe_kernels.h"

#include "kernels/fem/fem_observe_kernels.def"
