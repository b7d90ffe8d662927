/* mpm_reversible_kernels.h -- the text of the kernels of the reversible integrator of particles, for the backends
 * and for the dual build of tests. What launches them includes kernels/backend/table.h, which has their arguments
 * alone. */
#ifndef PIOLA_KERNELS_MPM_REVERSIBLE_KERNELS_H
#define PIOLA_KERNELS_MPM_REVERSIBLE_KERNELS_H

#include "kernels/mpm/mpm_reversible.h"
#include "kernels/mpm/mpm_reversible_force.h"
#include "kernels/mpm/mpm_reversible_move.h"

#endif
