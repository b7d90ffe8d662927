/* mpm_gather_kernels.h -- the text of the kernels of transfers from nodes to particles, for the backends and for the
 * dual build of tests. What launches them includes kernels/backend/table.h, which has their arguments alone. */
#ifndef PIOLA_KERNELS_MPM_GATHER_KERNELS_H
#define PIOLA_KERNELS_MPM_GATHER_KERNELS_H

#include "kernels/mpm/mpm_g2p.h"
#include "kernels/mpm/mpm_flip.h"
#include "kernels/mpm/mpm_derived.h"

#endif
