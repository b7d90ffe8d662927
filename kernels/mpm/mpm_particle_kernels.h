/* mpm_particle_kernels.h -- the text of the kernels of the particles of the material point method alone: state,
 * order, plastic flow, control, checkpoints, observations, for the backends and for the dual build of tests. What
 * launches them includes kernels/backend/table.h, which has their arguments alone. */
#ifndef PIOLA_KERNELS_MPM_PARTICLE_KERNELS_H
#define PIOLA_KERNELS_MPM_PARTICLE_KERNELS_H

#include "kernels/mpm/mpm_start.h"
#include "kernels/mpm/mpm_interpolate.h"
#include "kernels/mpm/mpm_control.h"
#include "kernels/mpm/mpm_feedback.h"
#include "kernels/mpm/mpm_sort.h"
#include "kernels/mpm/mpm_plastic.h"
#include "kernels/mpm/mpm_slot.h"
#include "kernels/mpm/mpm_observe.h"
#include "kernels/mpm/mpm_quantile.h"
#include "kernels/mpm/mpm_deposit.h"
#include "kernels/mpm/mpm_target.h"
#include "kernels/mpm/mpm_design.h"

#endif
