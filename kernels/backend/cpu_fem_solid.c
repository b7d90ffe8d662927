/* cpu_fem_solid.c -- the loops of the kernels of the solid elements: tables, forces, tangents, integrals. */
#include "kernels/backend/cpu_loops.h"
#include "kernels/fem/fem_solid_kernels.h"

#include "kernels/fem/fem_solid_kernels.def"
