/* kernel_dots.c -- see kernel_dots.h. */
#include "tests/kernels/backend/kernel_dots.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *take(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);
    if (!p) {
        fprintf(stderr, "dot products: out of memory\n");
        exit(71);
    }
    return p;
}

static int length(const case_array *a)
{
    return a->parts * a->count;
}

static void run(case_io *io, const case_build *build, case_machine *machine, int kernel)
{
    io->build = build;
    io->machine = machine;
    case_run(io, kernel);
    if (io->error[0]) {
        fprintf(stderr, "case %d, %s build: %s\n", kernel, build->dual ? "dual" : "plain", io->error);
        exit(70);
    }
}

static case_machine machine_with(const void *kernels)
{
    case_machine m = case_host_machine;
    m.kernels = kernels;
    return m;
}

/* Size of entry i of an input, for directions: its value, or where that is zero the size of its component. */
static double scale_of(const case_array *x, int i)
{
    if (fabs(x->value[i]) > 0) return fabs(x->value[i]);
    const double rms = case_rms(x->value + i / x->count * x->count, x->count);
    return rms > 0 ? rms : 1;
}

/* The adjoint once for every component of every output that has a cotangent. */
static void measure_blocks(dot_table *t, int kernel, const void *kernels)
{
    case_machine machine = machine_with(kernels);
    for (int k = 0; k < t->base.n_arrays; k++)
        if (t->base.weight[k]) t->n_blocks += t->base.arrays[k].parts;
    t->blocks = take((size_t)t->n_blocks, sizeof *t->blocks);
    int b = 0;
    for (int k = 0; k < t->base.n_arrays; k++)
        for (int part = 0; t->base.weight[k] && part < t->base.arrays[k].parts; part++, b++) {
            case_io *io = take(1, sizeof *io);
            io->variant = t->base.variant;
            io->weights = &t->base;
            io->only_output = k;
            io->only_part = part;
            run(io, &case_build_real, &machine, kernel);
            t->blocks[b].output = k;
            t->blocks[b].part = part;
            t->blocks[b].gradient = take((size_t)t->n_inputs, sizeof(double *));
            for (int i = 0; i < t->n_inputs; i++) {
                const case_array *g = case_find(io, CASE_GRADIENT, t->input[i]->name);
                t->blocks[b].gradient[i] = take((size_t)length(g), sizeof(double));
                memcpy(t->blocks[b].gradient[i], g->value, sizeof(double) * (size_t)length(g));
            }
            case_free(io);
            free(io);
        }
}

/* <w, J v> of one component of one output. */
static double forward_of(const dot_table *t, const case_io *dual, int output, int part)
{
    const case_array *y = case_find(dual, CASE_OUTPUT, t->base.arrays[output].name);
    double s = 0;
    for (int i = part * y->count; i < (part + 1) * y->count; i++) s += t->base.weight[output][i] * y->dot[i];
    return s;
}

static void compare_values(dot_table *t, const case_io *dual)
{
    for (int k = 0; k < t->base.n_arrays; k++) {
        const case_array *a = &t->base.arrays[k], *b = case_find(dual, a->role, a->name);
        if (a->role != CASE_OUTPUT || !b) continue;
        const double rms = case_rms(a->value, length(a));
        for (int i = 0; i < length(a); i++) {
            const double d = fabs(a->value[i] - b->value[i]) / (rms > 0 ? rms : 1);
            if (isnan(d) || d > t->largest_difference) t->largest_difference = d; /* NaN stays */
        }
    }
}

/* The dual build along `v` of one input. */
static void measure_direction(dot_table *t, int kernel, int input, int part, const double *v)
{
    case_machine machine = machine_with(case_kernels_dual);
    case_io *io = take(1, sizeof *io);
    io->variant = t->base.variant;
    io->only_output = -1;
    io->direction_of = t->input[input]->name;
    io->direction = v;
    run(io, &case_build_dual, &machine, kernel);
    compare_values(t, io);
    dot_direction *d = &t->directions[t->n_directions++];
    *d = (dot_direction){.input = input, .part = part};
    d->v = take((size_t)length(t->input[input]), sizeof *v);
    memcpy(d->v, v, sizeof *v * (size_t)length(t->input[input]));
    d->forward = take((size_t)t->n_blocks, sizeof *d->forward);
    for (int b = 0; b < t->n_blocks; b++)
        d->forward[part < 0 ? 0 : b] += forward_of(t, io, t->blocks[b].output, t->blocks[b].part);
    case_free(io);
    free(io);
}

static void measure_input(dot_table *t, int kernel, int input)
{
    const case_array *x = case_find(&t->base, CASE_INPUT, t->input[input]->name);
    const int n = length(x);
    double *v = take((size_t)n, sizeof *v);
    for (int part = 0; part < x->parts; part++) {
        memset(v, 0, sizeof *v * (size_t)n);
        for (int i = part * x->count; i < (part + 1) * x->count; i++)
            v[i] = (2 * case_unit(x->name, i + 7000001) - 1) * scale_of(x, i);
        measure_direction(t, kernel, input, part, v);
    }
    for (int i = 0; i < n; i++) v[i] = t->input[input]->value[i] * scale_of(x, i) * scale_of(x, i);
    measure_direction(t, kernel, input, -1, v);
    free(v);
}

void dot_measure(dot_table *t, int kernel, int variant, const void *kernels)
{
    case_machine machine = machine_with(kernels);
    memset(t, 0, sizeof *t);
    t->base.variant = variant;
    t->base.only_output = -1;
    run(&t->base, &case_build_real, &machine, kernel);
    int parts = 0;
    for (int k = 0; k < t->base.n_arrays; k++)
        if (t->base.arrays[k].role == CASE_GRADIENT) {
            t->input[t->n_inputs++] = &t->base.arrays[k];
            parts += t->base.arrays[k].parts;
        }
    if (!t->n_inputs) return;
    measure_blocks(t, kernel, kernels);
    t->directions = take((size_t)(parts + t->n_inputs), sizeof *t->directions);
    for (int i = 0; i < t->n_inputs; i++) measure_input(t, kernel, i);
}

void dot_free(dot_table *t)
{
    for (int b = 0; b < t->n_blocks; b++) {
        for (int i = 0; i < t->n_inputs; i++) free(t->blocks[b].gradient[i]);
        free(t->blocks[b].gradient);
    }
    for (int d = 0; d < t->n_directions; d++) {
        free(t->directions[d].v);
        free(t->directions[d].forward);
    }
    free(t->blocks);
    free(t->directions);
    case_free(&t->base);
}

/* <J^T w, v> with the damage of a negative control; block -1 is all of w. *size: root sum of squares of the terms. */
static double backward_of(const dot_table *t, const dot_direction *d, int block, const dot_control *c, double *size)
{
    const case_array *g = t->input[d->input];
    const double *value = block < 0 ? g->value : t->blocks[block].gradient[d->input];
    const dot_damage damage = c->input == d->input ? c->damage : DOT_AS_IT_IS;
    double s = 0, squares = 0;
    for (int i = 0; i < length(g); i++) {
        double x = value[i];
        if (damage == DOT_SCALED) x *= 1 + 1e-6;
        if (damage == DOT_ONE_ENTRY && i == c->at) x = -x;
        if (damage == DOT_NOT_FINITE && i == c->at) x = (double)NAN;
        if (damage == DOT_LOST_PART && i / g->count == c->at) x = 0;
        s += x * d->v[i];
        squares += x * d->v[i] * x * d->v[i];
    }
    *size = sqrt(squares);
    return s;
}

static void check_one(const dot_table *t, const dot_direction *d, int block, const dot_control *control, dot_result *to)
{
    double size;
    const double f = d->forward[block < 0 ? 0 : block], b = backward_of(t, d, block, control, &size);
    size = fmax(size, fmax(fabs(f), fabs(b)));
    const int zero = fabs(f) <= 0 && fabs(b) <= 0; /* NaN is not */
    const double error = zero ? 0 : fabs(f - b) / size;
    to->products++;
    to->zero += zero;
    to->failed += !(error <= DOT_BOUND);
    if (error > to->worst || isnan(error)) to->worst = error;
}

int dot_check(const dot_table *t, const dot_control *control, dot_result *result)
{
    int failed = 0;
    for (int i = 0; i < t->n_inputs; i++) result[i] = (dot_result){0};
    for (int k = 0; k < t->n_directions; k++) {
        const dot_direction *d = &t->directions[k];
        dot_result *to = &result[d->input];
        const int before = to->failed;
        for (int b = 0; b < t->n_blocks && d->part >= 0; b++) check_one(t, d, b, control, to);
        if (d->part < 0) check_one(t, d, -1, control, to);
        failed += to->failed - before;
    }
    return failed;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int dot_middle_entry(const dot_table *t, int input)
{
    const case_array *g = t->input[input], *x = case_find(&t->base, CASE_INPUT, g->name);
    const int n = length(g);
    double *sorted = take((size_t)n, sizeof *sorted);
    int nonzero = 0, at = -1;
    for (int i = 0; i < n; i++)
        if (fabs(g->value[i]) > 0) sorted[nonzero++] = fabs(g->value[i]) * scale_of(x, i);
    qsort(sorted, (size_t)nonzero, sizeof *sorted, ascending);
    for (int i = 0; i < n && at < 0 && nonzero; i++)
        if (fabs(g->value[i]) > 0 && fabs(g->value[i]) * scale_of(x, i) >= sorted[nonzero / 2]) at = i;
    free(sorted);
    return at;
}
