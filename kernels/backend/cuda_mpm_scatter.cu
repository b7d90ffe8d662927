/* cuda_mpm_scatter.cu -- the grids of the kernels of transfers from particles to nodes. */
#include "kernels/backend/cuda_grids.cuh"
#include "kernels/mpm/mpm_scatter_kernels.h"

/* In f32, 16 warps: the 128 registers that each thread then has suffice. */
template <> struct held_for<mpm_p2g_adj_shared> {
    enum { BLOCKS = sizeof(real) == sizeof(float) ? 4 : 0 };
};

#include "kernels/mpm/mpm_scatter_kernels.def"
