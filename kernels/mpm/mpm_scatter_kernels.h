/* mpm_scatter_kernels.h -- the text of the kernels of transfers from particles to nodes, for the backends and for the
 * dual build of tests. What launches them includes kernels/backend/table.h, which has their arguments alone. */
#ifndef PIOLA_KERNELS_MPM_SCATTER_KERNELS_H
#define PIOLA_KERNELS_MPM_SCATTER_KERNELS_H

#include "kernels/mpm/mpm_p2g.h"

#endif
