/* cuda_fem_solid.cu -- the grids of the kernels of the solid elements: tables, forces, tangents, integrals. */
#include "kernels/backend/cuda_grids.cuh"
#include "kernels/fem/fem_solid_kernels.h"

#include "kernels/fem/fem_solid_kernels.def"
