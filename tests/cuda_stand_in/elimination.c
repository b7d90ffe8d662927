/* elimination.c -- see elimination.h. */
#include "tests/cuda_stand_in/elimination.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct elimination {
    const pio_direct_table *table;
    pio_direct_pattern pattern; /* what is eliminated */
    int64_t entries;            /* of the matrix as it is given */
    int64_t *from;              /* entry k of the pattern is entry from[k] of the matrix */
    double *value;
    void *factor;
    pio_direct_forecast forecast;
    int ready;
};

static const pio_direct_table *mumps(void)
{
    void *module = dlopen(STAND_IN_MUMPS, RTLD_NOW | RTLD_LOCAL);
    const pio_direct_table *table = module ? dlsym(module, "piola_direct") : NULL;
    if (!table) fprintf(stderr, "CUDA stand-in: no elimination: %s\n", dlerror());
    return table;
}

/* The entries that the elimination reads. */
static void take_pattern(elimination *e, int lower, const int *from_start, const int *from_column)
{
    int *start = calloc((size_t)e->pattern.n + 1, sizeof *start);
    int *column = calloc((size_t)e->entries + 1, sizeof *column);
    e->pattern.start = start;
    e->pattern.column = column;
    if (!start || !column) return;
    for (int i = 0; i < e->pattern.n; i++) {
        start[i + 1] = start[i];
        for (int k = from_start[i]; k < from_start[i + 1]; k++) {
            if (lower && from_column[k] > i) continue;
            e->from[start[i + 1]] = k;
            column[start[i + 1]++] = from_column[k];
        }
    }
}

elimination *elimination_analyse(pio_factor_kind kind, int n, const int *start, const int *column)
{
    char message[PIO_DIRECT_TEXT] = "no memory";
    elimination *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    e->table = mumps();
    e->pattern.n = n;
    e->entries = start[n];
    e->from = calloc((size_t)e->entries + 1, sizeof *e->from);
    e->value = calloc((size_t)e->entries + 1, sizeof *e->value);
    if (e->from) take_pattern(e, kind == PIO_FACTOR_CHOLESKY || kind == PIO_FACTOR_LDLT, start, column);
    if (e->table && e->value && e->pattern.start && e->pattern.column &&
        !e->table->analyse(0, kind, &e->pattern, (size_t)1 << 30, &e->factor, &e->forecast, message))
        return e;
    fprintf(stderr, "CUDA stand-in: no elimination: %s\n", message);
    elimination_free(e);
    return NULL;
}

pio_direct_forecast elimination_forecast(const elimination *e)
{
    return e->forecast;
}

int elimination_is_of(const elimination *e, int n, int64_t entries)
{
    return e && e->pattern.n == n && e->entries == entries;
}

pio_direct_outcome elimination_factor(elimination *e, const double *value, int *negative)
{
    char message[PIO_DIRECT_TEXT];
    for (int k = 0; k < e->pattern.start[e->pattern.n]; k++) e->value[k] = value[e->from[k]];
    const pio_direct_outcome outcome = e->table->factorise(e->factor, NULL, e->value, negative, message);
    e->ready = outcome == PIO_DIRECT_OK;
    return outcome;
}

int elimination_ready(const elimination *e)
{
    return e && e->ready;
}

pio_direct_outcome elimination_solve(elimination *e, const double *b, double *x)
{
    char message[PIO_DIRECT_TEXT];
    memmove(x, b, sizeof *x * (size_t)e->pattern.n);
    return e->table->solve(e->factor, NULL, 0, 1, x, message);
}

void elimination_free(elimination *e)
{
    if (!e) return;
    if (e->factor) e->table->release(e->factor);
    free((void *)(uintptr_t)e->pattern.start);
    free((void *)(uintptr_t)e->pattern.column);
    free(e->from);
    free(e->value);
    free(e);
}
