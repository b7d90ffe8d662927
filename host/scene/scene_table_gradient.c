/* scene_table_gradient.c -- the tables of how gradients are checked, what memory they may take, and how far back in
 * time they go. */
#include "host/scene/scene_table.h"

static const char *const strategy_names[] = {"auto", "store", "checkpoint", "reverse", NULL};

static bool has_budget(const void *s)
{
    return ((const pio_scene *)s)->gradient.memory_budget > 0;
}
static bool has_disk(const void *s)
{
    return ((const pio_scene *)s)->gradient.memory_disk > 0;
}
static bool has_memory(const void *s)
{
    return has_budget(s) || has_disk(s) || ((const pio_scene *)s)->gradient.memory_strategy != SCENE_AUTO;
}

static const cfg_field check_fields[] = {{"directions", CFG_INTEGER, AT(pio_scene, gradient.check_directions),
                                          .fallback = "3", .range = {CFG_FROM | CFG_UP_TO, 1, 100},
                                          .meaning = "random directions in which the adjoint is compared with "
                                                     "differences, besides the gradient's and one of each entry of "
                                                     "`design`; each costs 22 runs; a single variable has only one"},
                                         {"tolerance", CFG_NUMBER, AT(pio_scene, gradient.check_tolerance),
                                          .fallback = "1e-6", POSITIVE,
                                          .meaning = "largest relative difference that passes"},
                                         END};
const cfg_table pio_check_table = {.what = "gradient check", .fields = check_fields};

static const cfg_field memory_fields[] = {
    {"budget", CFG_NUMBER, AT(pio_scene, gradient.memory_budget), .computed = "nine tenths of what the device has free",
     .quantity = CFG_MEMORY, POSITIVE, .present = has_budget,
     .meaning =
         "bytes that the computation may hold; less keeps fewer states and runs more steps again, with the same "
         "gradient to the bit; a run that cannot do with it is rejected before it starts, with the bytes needed"},
    {"disk", CFG_NUMBER, AT(pio_scene, gradient.memory_disk), .computed = "none", .quantity = CFG_MEMORY, POSITIVE,
     .present = has_disk,
     .meaning = "bytes of disk, in the output folder, for more states where the budget does not hold all; as many are "
                "kept there as save time by the step costs that a short run measures"},
    {"strategy", CFG_ENUM, AT(pio_scene, gradient.memory_strategy), .values = strategy_names, .fallback = "auto",
     .meaning =
         "store keeps every state; checkpoint keeps as many as the budget holds and runs steps again, the fewest "
         "that can be; reverse keeps the first alone and reverses every step, for reversible integrators; auto "
         "stores "
         "where the budget holds all, and else does of the other two what computes fewer steps besides the run"},
    END};
static const cfg_table memory_table = {.what = "memory budget", .fields = memory_fields};

static bool has_window(const void *s)
{
    return ((const pio_scene *)s)->gradient.window > 0;
}

static const cfg_field gradient_fields[] = {
    {"check", CFG_MAPPING, .table = &pio_check_table, .meaning = "how `piola check` tests the gradient"},
    {"memory", CFG_MAPPING, .table = &memory_table, .present = has_memory, .meaning = "what the adjoint sweep may use"},
    {"window", CFG_NUMBER, AT(pio_scene, gradient.window), .computed = "time.duration", .quantity = CFG_TIME, POSITIVE,
     .present = has_window,
     .meaning =
         "the adjoint sweep goes over this much of the end of the run, a whole number of steps; a shorter one keeps an "
         "adjoint that grows within bounds and takes less time and memory, and its gradient is not the derivative of "
         "the objective: what earlier steps and the initial state do to it is left out"},
    END};
const cfg_table pio_gradient_table = {.what = "gradient", .fields = gradient_fields};
