/* gpu_case.cu -- the hot kernels of particles as they run in one case: neo-Hookean solids alone. What the arguments
 * then say is a constant here, so that the compiler leaves out what other scenes need, and the instructions that remain
 * are those that the case executes. tests/rules/check_estimate.py counts them; nothing runs them. */
#include "kernels/backend/cuda_grids.cuh"
#include "kernels/mpm/mpm_boundary_kernels.h"
#include "kernels/mpm/mpm_gather_kernels.h"
#include "kernels/mpm/mpm_scatter_kernels.h"

/* In f32, 16 warps, as in cuda_mpm_scatter.cu. */
template <> struct held_for<mpm_p2g_adj_shared> {
    enum { BLOCKS = sizeof(real) == sizeof(float) ? 4 : 0 };
};

/* Sets what the case knows of the constants of particles. */
static __device__ __forceinline__ void case_matter(mpm_matter *m)
{
    m->constants = 2;
    m->one_law = 1 + PIO_HYPER_NEO_HOOKEAN;
    m->channels = 0;
    m->channel = NULL;
    m->viscosity = NULL;
    m->plasticity = NULL;
}

static __device__ __forceinline__ void case_p2g(int slot, mpm_p2g_shared *sh, const mpm_p2g_args *of)
{
    mpm_p2g_args a = *of;
    case_matter(&a.matter);
    a.s.J = NULL;
    if (!a.s.F) __builtin_unreachable();
    mpm_p2g(slot, sh, &a);
}

static __device__ __forceinline__ void case_g2p(int slot, mpm_g2p_shared *sh, const mpm_g2p_args *of)
{
    mpm_g2p_args a = *of;
    case_matter(&a.matter);
    a.s.J = NULL;
    if (!a.s.F) __builtin_unreachable();
    mpm_g2p(slot, sh, &a);
}

static __device__ __forceinline__ void case_node_velocity(int block, mpm_node_velocity_shared *sh,
                                                          const mpm_node_velocity_args *of)
{
    mpm_node_velocity(block, sh, of);
}

static __device__ __forceinline__ void case_p2g_adj(int slot, mpm_p2g_adj_shared *sh, const mpm_p2g_adj_args *of)
{
    mpm_p2g_adj_args a = *of;
    case_matter(&a.matter);
    a.s.J = NULL;
    a.adds_motion = 0;
    if (!a.s.F) __builtin_unreachable();
    mpm_p2g_adj(slot, sh, &a);
}

static __device__ __forceinline__ void case_g2p_adj(int slot, mpm_g2p_adj_shared *sh, const mpm_g2p_adj_args *of)
{
    mpm_g2p_adj_args a = *of;
    case_matter(&a.matter);
    a.s.J = NULL;
    a.clears_motion = 0;
    if (!a.s.F) __builtin_unreachable();
    mpm_g2p_adj(slot, sh, &a);
}

#define CASE(kernel)                                                                                                   \
    template __global__ void team_grid<mpm_##kernel##_shared, mpm_##kernel##_args, case_##kernel>(                     \
        int, const int *, const __grid_constant__ mpm_##kernel##_args);
CASE(p2g)
CASE(node_velocity)
CASE(g2p)
CASE(g2p_adj)
CASE(p2g_adj)
