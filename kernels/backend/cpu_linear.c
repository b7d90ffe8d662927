/* cpu_linear.c -- the loops of the kernels of linear solves. */
#include "kernels/backend/cpu_loops.h"
#include "kernels/linear/linear_kernels.h"

#include "kernels/linear/linear_kernels.def"
