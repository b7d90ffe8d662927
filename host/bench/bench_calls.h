/* bench_calls.h -- what the steps of a benchmark give the device to do, for reports. */
#ifndef PIOLA_HOST_BENCH_CALLS_H
#define PIOLA_HOST_BENCH_CALLS_H

#include "host/base/json.h"
#include "solvers/driver/driver.h"

typedef struct {
    pio_device_calls forward, adjoint; /* of all steps of a gradient, and of their adjoints */
    int64_t steps;                     /* number of both, >= 1 */
} pio_bench_calls;

/* Prints a table of launches, copies, waits and graphs per step. */
void pio_bench_calls_print(const pio_bench_calls *calls);

/* Writes the same as member `calls_per_step` of the object that is open. */
void pio_bench_calls_json(pio_json *json, const pio_bench_calls *calls);

#endif
