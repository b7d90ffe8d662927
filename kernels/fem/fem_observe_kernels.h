/* fem_observe_kernels.h -- the text of the kernels of what is observed and shown of meshes, for the backends and for
 * the dual build of tests. What launches them includes kernels/backend/table.h, which has their arguments alone. */
#ifndef PIOLA_KERNELS_FEM_OBSERVE_KERNELS_H
#define PIOLA_KERNELS_FEM_OBSERVE_KERNELS_H

#include "kernels/fem/fem_observe.h"
#include "kernels/fem/fem_moment.h"
#include "kernels/fem/fem_place.h"
#include "kernels/fem/fem_integral.h"
#include "kernels/fem/fem_probe.h"
#include "kernels/fem/fem_stress.h"
#include "kernels/fem/fem_contact_show.h"
#include "kernels/fem/fem_contact_seen.h"

#endif
