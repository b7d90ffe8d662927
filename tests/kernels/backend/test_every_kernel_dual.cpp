/* test_every_kernel_dual.cpp -- the cases and all kernels in dual numbers, one item after the other. */
#define CASE_VALUE(x) ((x).value)
#define CASE_DOT(x) ((x).dot)
#define CASE_NUMBER(type, value, dot) (type((value), (dot)))
#include "tests/kernels/backend/kernel_cases_build.h"

#include "kernels/base/base_kernels.h"
#include "kernels/contact/contact_kernels.h"
#include "kernels/fem/fem_load_kernels.h"
#include "kernels/fem/fem_observe_kernels.h"
#include "kernels/fem/fem_pairs_kernels.h"
#include "kernels/fem/fem_solid_kernels.h"
#include "kernels/linear/linear_kernels.h"
#include "kernels/mpm/mpm_particle_kernels.h"
#include "kernels/mpm/mpm_scatter_kernels.h"
#include "kernels/mpm/mpm_gather_kernels.h"
#include "kernels/mpm/mpm_boundary_kernels.h"
#include "kernels/mpm/mpm_reversible_kernels.h"

/* clang-format off */
#define MAP(name, adjoint)                                                                                             \
    static int name##_dual(pio_stream, int n, const int *limit, const name##_args *a)                                  \
    {                                                                                                                  \
        for (int i = 0; i < n && !(limit && i >= *limit); i++) name(i, a);                                             \
        return 0;                                                                                                      \
    }
#define TEAM(name, adjoint)                                                                                            \
    static int name##_dual(pio_stream, int n, const int *limit, const name##_args *a)                                  \
    {                                                                                                                  \
        static name##_shared shared;                                                                                   \
        for (int i = 0; i < n && !(limit && i >= *limit); i++) name(i, &shared, a);                                    \
        return 0;                                                                                                      \
    }
#define SUM(name, adjoint)                                                                                             \
    static int name##_dual(pio_stream, int n, const int *limit, const name##_args *a, wide *sum, wide *)               \
    {                                                                                                                  \
        *sum = W(0);                                                                                                   \
        for (int i = 0; i < n && !(limit && i >= *limit); i++) *sum += name(i, a);                                     \
        return 0;                                                                                                      \
    }
#define SCAN(name, adjoint)                                                                                            \
    static int name##_dual(pio_stream, int n, const name##_args *a, int *)                                             \
    {                                                                                                                  \
        uint64_t sum = 0;                                                                                              \
        for (int i = 0; i < n; i++) {                                                                                  \
            const uint64_t number = name(i, a);                                                                        \
            name##_put(i, sum, a);                                                                                     \
            sum += number;                                                                                             \
        }                                                                                                              \
        name##_put(n, sum, a);                                                                                         \
        return 0;                                                                                                      \
    }
#include "kernels/kernels.def"
#undef MAP
#undef TEAM
#undef SUM
#undef SCAN

#define MAP(name, adjoint) name##_dual,
#define TEAM MAP
#define SUM MAP
#define SCAN MAP
static const pio_kernels kernels_dual = {
#include "kernels/kernels.def"
};
/* clang-format on */

const void *const case_kernels_dual = &kernels_dual;
const case_build case_build_dual = {1, DIM, BUILD_SIZES, build_pack, build_unpack, build_cases};
