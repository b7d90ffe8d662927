/* fem_load_kernels.h -- the text of the kernels of loads, motion and vectors of meshes, for the backends
 * and for the dual build of tests. What launches them includes kernels/backend/table.h, which has their
 * arguments alone. */
#ifndef PIOLA_KERNELS_FEM_LOAD_KERNELS_H
#define PIOLA_KERNELS_FEM_LOAD_KERNELS_H

#include "kernels/control/network.h"
#include "kernels/fem/fem.h"
#include "kernels/fem/fem_load.h"
#include "kernels/fem/fem_contact.h"
#include "kernels/fem/fem_contact_leap.h"
#include "kernels/fem/fem_contact_sink.h"
#include "kernels/fem/fem_couple.h"
#include "kernels/fem/fem_fibre.h"
#include "kernels/fem/fem_follow.h"
#include "kernels/fem/fem_friction.h"
#include "kernels/fem/fem_inertia.h"
#include "kernels/fem/fem_lattice.h"
#include "kernels/fem/fem_lattice_leap.h"
#include "kernels/fem/fem_sense.h"
#include "kernels/fem/fem_shape.h"
#include "kernels/fem/fem_tie.h"
#include "kernels/fem/fem_vary.h"
#include "kernels/fem/surface.h"

#endif
