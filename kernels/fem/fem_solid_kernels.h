/* fem_solid_kernels.h -- the text of the kernels of the solid elements: tables, forces, tangents, for the
 * backends and for the dual build of tests. What launches them includes kernels/backend/table.h, which has their
 * arguments alone. */
#ifndef PIOLA_KERNELS_FEM_SOLID_KERNELS_H
#define PIOLA_KERNELS_FEM_SOLID_KERNELS_H

#include "kernels/fem/fem_element.h"
#include "kernels/fem/fem_solid.h"
#include "kernels/fem/fem_force.h"
#include "kernels/fem/fem_tangent.h"
#include "kernels/fem/fem_dilated.h"
#include "kernels/fem/fem_dilated_tangent.h"
#include "kernels/fem/fem_pressure.h"

#endif
