/* kernel_names.c -- what messages and reports call the kernels: see queue.h. */
#include "kernels/backend/queue.h"

const char *const pio_kernel_names[KERNEL_TIMERS] = {
#define MAP(name, adjoint) #name,
#define TEAM MAP
#define SUM MAP
#define SCAN MAP
#include "kernels/kernels.def"
#undef MAP
#undef TEAM
#undef SUM
#undef SCAN
    "copy", "direct solver", "product by a library"};
