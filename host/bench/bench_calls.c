/* bench_calls.c -- see bench_calls.h. */
#include "host/bench/bench_calls.h"

#include <stdio.h>

static void print_row(const char *name, const pio_device_calls *c, int64_t steps)
{
    const double n = (double)steps;
    printf("%-10s %9.1f  %9.1f  %9.1f  %9.2f\n", name, (double)c->launches / n, (double)c->copies / n,
           (double)c->waits / n, (double)c->graphs / n);
}

void pio_bench_calls_print(const pio_bench_calls *calls)
{
    printf("\nper step     launches     copies      waits     graphs\n");
    print_row("forward", &calls->forward, calls->steps);
    print_row("adjoint", &calls->adjoint, calls->steps);
}

static void write_row(pio_json *json, const char *name, const pio_device_calls *c, int64_t steps)
{
    const double n = (double)steps;
    pio_json_begin_object(json, name);
    pio_json_double(json, "launches", (double)c->launches / n);
    pio_json_double(json, "copies", (double)c->copies / n);
    pio_json_double(json, "waits", (double)c->waits / n);
    pio_json_double(json, "graphs", (double)c->graphs / n);
    pio_json_end_object(json);
}

void pio_bench_calls_json(pio_json *json, const pio_bench_calls *calls)
{
    pio_json_begin_object(json, "calls_per_step");
    write_row(json, "forward", &calls->forward, calls->steps);
    write_row(json, "adjoint", &calls->adjoint, calls->steps);
    pio_json_end_object(json);
}
