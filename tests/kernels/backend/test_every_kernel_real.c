/* test_every_kernel_real.c -- the cases in the engine's own numbers. */
#define CASE_VALUE(x) ((double)(x))
#define CASE_DOT(x) ((void)(x), 0.0)
#define CASE_NUMBER(type, value, dot) ((type)(value))
#include "tests/kernels/backend/kernel_cases_build.h"

const case_build case_build_real = {0, DIM, BUILD_SIZES, build_pack, build_unpack, build_cases};
