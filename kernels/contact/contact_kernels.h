/* contact_kernels.h -- the text of the kernels of contact that particles and meshes share, for the backends and for the
 * dual build of tests. What launches them includes kernels/backend/table.h, which has their arguments alone. */
#ifndef PIOLA_KERNELS_CONTACT_KERNELS_H
#define PIOLA_KERNELS_CONTACT_KERNELS_H

#include "kernels/contact/contact_pose.h"

#endif
