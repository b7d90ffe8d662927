/* mpm_boundary_kernels.h -- the text of the kernels of the grid and what acts on it: walls, obstacles, contact, for
 * the backends and for the dual build of tests. What launches them includes kernels/backend/table.h, which has their
 * arguments alone. */
#ifndef PIOLA_KERNELS_MPM_BOUNDARY_KERNELS_H
#define PIOLA_KERNELS_MPM_BOUNDARY_KERNELS_H

#include "kernels/mpm/mpm_grid.h"
#include "kernels/mpm/mpm_wall.h"
#include "kernels/mpm/mpm_centroid.h"
#include "kernels/mpm/mpm_push.h"
#include "kernels/mpm/mpm_obstacle.h"
#include "kernels/mpm/mpm_bend.h"
#include "kernels/mpm/mpm_contact.h"
#include "kernels/mpm/mpm_repel.h"
#include "kernels/mpm/mpm_rub.h"
#include "kernels/mpm/mpm_rub_adj.h"

#endif
