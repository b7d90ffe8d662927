/* cpu_fem_pairs.c -- the loops of the kernels of contact of surfaces with each other. */
#include "kernels/backend/cpu_loops.h"
#include "kernels/fem/fem_pairs_kernels.h"

#include "kernels/fem/fem_pairs_kernels.def"
