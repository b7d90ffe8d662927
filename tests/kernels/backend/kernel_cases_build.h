/* kernel_cases_build.h -- one compilation of all cases: conversions to and from its numbers, and the table of cases.
 * The table has an entry for every line of kernels.def, so that a kernel without a case does not compile.
 *
 * The includer defines CASE_VALUE(x), CASE_DOT(x) and CASE_NUMBER(type, value, dot). */
#ifndef PIOLA_TESTS_KERNEL_CASES_BUILD_H
#define PIOLA_TESTS_KERNEL_CASES_BUILD_H

#include "tests/kernels/base/kernel_cases_host.h"
#include "tests/kernels/base/kernel_cases_rice.h"
#include "tests/kernels/linear/kernel_cases_amg_cycle.h"
#include "tests/kernels/linear/kernel_cases_amg_levels.h"
#include "tests/kernels/linear/kernel_cases_amg_modes.h"
#include "tests/kernels/linear/kernel_cases_beside.h"
#include "tests/kernels/linear/kernel_cases_direct.h"
#include "tests/kernels/linear/kernel_cases_refine.h"
#include "tests/kernels/linear/kernel_cases_linalg.h"
#include "tests/kernels/mpm/kernel_cases_contact.h"
#include "tests/kernels/mpm/kernel_cases_feedback.h"
#include "tests/kernels/mpm/kernel_cases_mpm.h"
#include "tests/kernels/mpm/kernel_cases_mpm_host.h"
#include "tests/kernels/mpm/kernel_cases_mpm_obstacle.h"
#include "tests/kernels/mpm/kernel_cases_mpm_reversible.h"
#include "tests/kernels/mpm/kernel_cases_push.h"
#include "tests/kernels/mpm/kernel_cases_repel.h"
#include "tests/kernels/mpm/kernel_cases_rub.h"
#include "tests/kernels/mpm/kernel_cases_node_velocity.h"
#include "tests/kernels/mpm/kernel_cases_wall.h"
#include "tests/kernels/mpm/kernel_cases_plastic.h"
#include "tests/kernels/mpm/kernel_cases_slot.h"
#include "tests/kernels/mpm/kernel_cases_sort.h"
#include "tests/kernels/mpm/kernel_cases_target.h"
#include "tests/kernels/fem/kernel_cases_fem_contact.h"
#include "tests/kernels/fem/kernel_cases_fem_sink.h"
#include "tests/kernels/fem/kernel_cases_fem_friction.h"
#include "tests/kernels/fem/kernel_cases_fem_couple.h"
#include "tests/kernels/fem/kernel_cases_fem_fibre.h"
#include "tests/kernels/fem/kernel_cases_fem_follow.h"
#include "tests/kernels/fem/kernel_cases_fem_integral.h"
#include "tests/kernels/fem/kernel_cases_fem_interpolate.h"
#include "tests/kernels/fem/kernel_cases_fem_load.h"
#include "tests/kernels/fem/kernel_cases_fem_motion.h"
#include "tests/kernels/fem/kernel_cases_fem_pairs.h"
#include "tests/kernels/fem/kernel_cases_fem_contact_show.h"
#include "tests/kernels/fem/kernel_cases_fem_contact_seen.h"
#include "tests/kernels/fem/kernel_cases_fem_pairs_implicit.h"
#include "tests/kernels/fem/kernel_cases_fem_pairs_friction.h"
#include "tests/kernels/fem/kernel_cases_fem_pairs_drag.h"
#include "tests/kernels/fem/kernel_cases_fem_place.h"
#include "tests/kernels/fem/kernel_cases_fem_pressure.h"
#include "tests/kernels/fem/kernel_cases_fem_probe.h"
#include "tests/kernels/fem/kernel_cases_fem_sense.h"
#include "tests/kernels/fem/kernel_cases_fem_stress.h"
#include "tests/kernels/fem/kernel_cases_fem_tangent.h"
#include "tests/kernels/fem/kernel_cases_fem_tie.h"
#include "tests/kernels/fem/kernel_cases_fem_vary.h"
#include "tests/kernels/fem/kernel_cases_lattice.h"
#include "tests/kernels/fem/kernel_cases_lattice_leap.h"

static void build_pack(void *target, case_type type, const double *value, const double *dot, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const double d = dot ? dot[i] : 0;
        (void)d;
        switch (type) {
        case CASE_INT:
            ((int *)target)[i] = (int)value[i];
            break;
        case CASE_INT64:
        case CASE_QUANTA:
            ((int64_t *)target)[i] = (int64_t)value[i];
            break;
        case CASE_DOUBLE:
            ((double *)target)[i] = value[i];
            break;
        case CASE_REAL:
        case CASE_FIELD:
            ((real *)target)[i] = CASE_NUMBER(real, value[i], d);
            break;
        case CASE_NARROW:
            ((narrow *)target)[i] = CASE_NUMBER(narrow, value[i], d);
            break;
        default:
            ((wide *)target)[i] = CASE_NUMBER(wide, value[i], d);
            break;
        }
    }
}

static void build_unpack(double *value, double *dot, const void *source, case_type type, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double v, d = 0;
        switch (type) {
        case CASE_INT:
            v = ((const int *)source)[i];
            break;
        case CASE_INT64:
        case CASE_QUANTA:
            v = (double)((const int64_t *)source)[i];
            break;
        case CASE_DOUBLE:
            v = ((const double *)source)[i];
            break;
        case CASE_REAL:
        case CASE_FIELD:
            v = CASE_VALUE(((const real *)source)[i]);
            d = CASE_DOT(((const real *)source)[i]);
            break;
        case CASE_NARROW:
            v = CASE_VALUE(((const narrow *)source)[i]);
            d = CASE_DOT(((const narrow *)source)[i]);
            break;
        default:
            v = CASE_VALUE(((const wide *)source)[i]);
            d = CASE_DOT(((const wide *)source)[i]);
            break;
        }
        value[i] = v;
        if (dot) dot[i] = d;
    }
}

/* clang-format off */
#define BUILD_SIZES {sizeof(int), sizeof(int64_t), sizeof(int64_t), sizeof(double), sizeof(real), sizeof(real), \
                     sizeof(narrow), sizeof(wide), sizeof(wide)}
#define MAP(name, adjoint) case_##name,
#define TEAM MAP
#define SUM MAP
#define SCAN MAP
static const case_function build_cases[] = {
#include "kernels/kernels.def"
#ifdef PIO_TEST_KERNEL_WITHOUT_CASE /* a test compiles this line and expects it to fail */
    MAP(kernel_without_case, NONE("negative control"))
#endif
};
/* clang-format on */
#undef MAP
#undef TEAM
#undef SUM
#undef SCAN

#endif
