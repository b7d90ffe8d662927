/* cuda_contact.cu -- the grids of the kernels of contact that particles and meshes share. */
#include "kernels/backend/cuda_grids.cuh"
#include "kernels/contact/contact_kernels.h"

#include "kernels/contact/contact_kernels.def"
