/* kernel_cases_host.h -- cases of design variables and fields: what the host sees of any simulation. Case text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_HOST_H
#define PIOLA_TESTS_KERNEL_CASES_HOST_H

#include "kernels/backend/table.h"
#include "kernels/material/law.h"
#include "tests/kernels/base/kernel_cases.h"

#include <math.h>
#include <string.h>

/* ---- design ---------------------------------------------------------------------------------------------- */

static void case_design_value(case_io *io)
{
    static const char *const names[] = {"linear", "logarithmic", NULL};
    const int n = case_size(io, 700);
    design_value_args a;
    a.logarithmic = case_variant(io, names);
    a.z = WIDES(io, "z", 1, n, 0, 1);
    a.a = 8.5;
    a.b = 2.25;
    a.start = a.reference = NULL;
    a.value = NEW(io, wide, n, CASE_SET);
    a.value_bar = NULL;
    a.z_bar = NULL;
    LAUNCH(io, design_value, n, NULL, &a);
    case_out(io, "value", CASE_WIDE, 1, n, a.value);
    if (!case_adjoint(io)) return;
    a.value_bar = COTANGENT(io, wide, "value");
    a.z_bar = NEW(io, wide, n, CASE_SET);
    LAUNCH(io, design_value_adj, n, NULL, &a);
    case_gradient(io, "z", CASE_WIDE, 1, n, a.z_bar);
}
#define case_design_value_adj case_design_value

/* Rows of one to five neighbours, and those of the transpose; without and with constants. */
static void case_design_filter(case_io *io)
{
    static const char *const names[] = {"linear", "affine", NULL};
    const int n = case_size(io, 700), all = 5 * n, variant = case_variant(io, names);
    int *start = HOST(io, int, n + 1), *from = HOST(io, int, all);
    int *transposed_start = HOST(io, int, n + 2), *transposed_from = HOST(io, int, all), entries = 0;
    double *weight = HOST(io, double, all), *transposed_weight = HOST(io, double, all);
    for (int i = 0; i < n; i++) {
        for (int j = i - i % 3; j <= i + i % 2 + 1 && j < n; j++, entries++) {
            from[entries] = j;
            weight[entries] = 0.2 + case_unit("weight", entries);
            transposed_start[j + 2]++;
        }
        start[i + 1] = entries;
    }
    for (int j = 0; j < n; j++) transposed_start[j + 2] += transposed_start[j + 1];
    for (int i = 0; i < n; i++)
        for (int k = start[i]; k < start[i + 1]; k++) {
            const int at = transposed_start[from[k] + 1]++;
            transposed_from[at] = i;
            transposed_weight[at] = weight[k];
        }
    design_filter_args a;
    a.start = PUSH(io, int, start, n + 1);
    a.from = PUSH(io, int, from, entries);
    a.weight = PUSH(io, double, weight, entries);
    double *offset = HOST(io, double, n);
    for (int i = 0; i < n; i++) offset[i] = case_unit("offset", i);
    a.offset = variant ? PUSH(io, double, offset, n) : NULL;
    a.in = WIDES(io, "z", 1, n, 0, 1);
    a.out = NEW(io, wide, n, CASE_SET);
    LAUNCH(io, design_filter, n, NULL, &a);
    case_out(io, "filtered", CASE_WIDE, 1, n, a.out);
    if (!case_adjoint(io)) return;
    a.start = PUSH(io, int, transposed_start, n + 1);
    a.from = PUSH(io, int, transposed_from, entries);
    a.weight = PUSH(io, double, transposed_weight, entries);
    a.offset = NULL;
    a.in = COTANGENT(io, wide, "filtered");
    a.out = NEW(io, wide, n, CASE_SET);
    LAUNCH(io, design_filter, n, NULL, &a);
    case_gradient(io, "z", CASE_WIDE, 1, n, a.out);
}

/* A step that is nearly none, one about another threshold, and one so sharp that most values are 0 or 1. */
static void case_design_project(case_io *io)
{
    static const char *const names[] = {"soft", "aside", "sharp", NULL};
    const int n = case_size(io, 700), variant = case_variant(io, names);
    design_project_args a;
    a.sharpness = variant == 0 ? 0.5 : variant == 1 ? 6 : 64;
    a.threshold = variant == 1 ? 0.3 : 0.5;
    a.in = WIDES(io, "filtered", 1, n, 0, 1);
    a.out = NEW(io, wide, n, CASE_SET);
    LAUNCH(io, design_project, n, NULL, &a);
    case_out(io, "projected", CASE_WIDE, 1, n, a.out);
    const double *out = case_find(io, CASE_OUTPUT, "projected")->value;
    int within = 1;
    for (int i = 0; i < n; i++) within &= out[i] >= 0 && out[i] <= 1;
    case_expect(io, within || io->prefill, "projected values lie from 0 to 1");
    if (!case_adjoint(io)) return;
    design_project_adj_args b;
    b.fwd = a;
    b.out_bar = COTANGENT(io, wide, "projected");
    b.in_bar = NEW(io, wide, n, CASE_SET);
    LAUNCH(io, design_project_adj, n, NULL, &b);
    case_gradient(io, "filtered", CASE_WIDE, 1, n, b.in_bar);
}
#define case_design_project_adj case_design_project

enum { DESIGN_GROUPS = 5 };

/* Particles to so many groups, of which some may be empty; every eleventh belongs to none. */
static int *design_index_of(case_io *io, int n, int groups)
{
    int *index = HOST(io, int, n);
    for (int i = 0; i < n; i++) index[i] = i % 11 == 6 ? -1 : (int)(groups * case_unit("group", i));
    return index;
}

/* The same of DESIGN_GROUPS. */
static int *design_index(case_io *io, int n)
{
    return design_index_of(io, n, DESIGN_GROUPS);
}

/* design_sum for every value, of `components` components of a field from a.component on: the adjoint of design_set and
 * design_move. */
static void design_sums(case_io *io, design_sum_args a, int components, const char *input)
{
    wide *value_bar = NEW(io, wide, DESIGN_GROUPS * components, CASE_SET);
    for (int g = 0; g < DESIGN_GROUPS; g++)
        for (int c = 0; c < components; c++) {
            design_sum_args one = a;
            one.group = g;
            one.component = a.component + c;
            LAUNCH_SUM(io, design_sum, a.n, NULL, &one, value_bar + g * components + c);
        }
    case_gradient(io, input, CASE_WIDE, DESIGN_GROUPS, components, value_bar);
}

/* The same by design_members. */
static void design_lists(case_io *io, const int *index, int groups, const design_set_args *set, const real *bar)
{
    int *start = HOST(io, int, groups + 1), *member = HOST(io, int, set->n), *next = HOST(io, int, groups);
    for (int i = 0; i < set->n; i++)
        if (index[i] >= 0) start[index[i] + 1]++;
    for (int g = 0; g < groups; g++) {
        start[g + 1] += start[g];
        next[g] = start[g];
    }
    for (int i = 0; i < set->n; i++)
        if (index[i] >= 0) member[next[index[i]]++] = i;
    design_members_args b;
    b.n = set->n;
    b.components = set->components;
    b.first = set->first;
    b.stored = set->stored;
    b.start = PUSH(io, int, start, groups + 1);
    b.member = PUSH(io, int, member, set->n);
    b.bar = bar;
    b.value_bar = NEW(io, wide, groups * set->components, CASE_SET);
    LAUNCH(io, design_members, groups, NULL, &b);
    case_gradient(io, "value", CASE_WIDE, groups, set->components, b.value_bar);
}

static void case_design_set(case_io *io)
{
    static const char *const names[] = {"set",
                                        "moved from a reference",
                                        "each particle its own",
                                        "one component",
                                        "one component, each",
                                        "lists",
                                        "one component, lists",
                                        NULL};
    const int n = case_size(io, 1300), variant = case_variant(io, names), each = variant == 2 || variant == 4,
              all = variant < 3 || variant == 5;
    const int groups = variant > 4 && n > 4096 ? n : (int)DESIGN_GROUPS; /* lists have a thread for each group */
    design_set_args a;
    int *index = design_index_of(io, n, groups), *own = HOST(io, int, n);
    for (int i = 0; i < n; i++) own[i] = index[i] < 0 ? -1 : (i + 500) % n;
    a.n = n;
    a.components = all ? DIM : 1;
    a.first = all ? 0 : 1;
    a.stored = all ? (int)DIM : (int)FLUID_CONSTANTS;
    a.index = each ? PUSH(io, int, own, n) : PUSH(io, int, index, n);
    a.value = each ? WIDES(io, "value", 1, n * a.components, -3, 3) : WIDES(io, "value", groups, a.components, -3, 3);
    a.reference = variant == 1 ? CONSTANTS(io, "reference", DIM, n, -1, 1) : NULL;
    for (int c = 0; c < DIM; c++) a.base[c] = 0.3 + c;
    a.out = NEW_FIELD(io, a.stored, n, CASE_SET);
    LAUNCH(io, design_set, n, NULL, &a);
    case_out(io, "quantity", CASE_FIELD, a.stored, n, a.out);
    const double *set = case_find(io, CASE_OUTPUT, "quantity")->value;
    int others = 0; /* numbers outside the components that are to be set */
    for (int i = 0; i < a.stored * n && !io->prefill; i++)
        others += fabs(set[i]) > 0 && (i / n < a.first || i / n >= a.first + a.components);
    case_expect(io, others == 0, "no other component is set");
    if (!case_adjoint(io)) return;
    const real *bar = FIELD_COTANGENT(io, "quantity");
    if (variant > 4) {
        design_lists(io, index, groups, &a, bar);
        return;
    }
    if (!each) {
        design_sum_args sum;
        sum.index = a.index;
        sum.group = 0;
        sum.n = n;
        sum.stored = a.stored;
        sum.component = a.first;
        sum.bar = bar;
        design_sums(io, sum, a.components, "value");
        return;
    }
    design_each_args b;
    b.n = n;
    b.components = a.components;
    b.first = a.first;
    b.stored = a.stored;
    b.index = a.index;
    b.bar = bar;
    b.value_bar = NEW(io, wide, a.components * n, CASE_SET);
    LAUNCH(io, design_each, n, NULL, &b);
    case_gradient(io, "value", CASE_WIDE, 1, n * a.components, b.value_bar);
}
#define case_design_sum case_design_set
#define case_design_each case_design_set
#define case_design_members case_design_set

/* ---- fields ---------------------------------------------------------------------------------------------- */

/* One component of a field to one of another. */
static void case_field_read(case_io *io)
{
    enum { COMPONENTS = 4, READ = 1, WRITTEN = 2, STRIDE = 3 };
    const int n = case_size(io, 1000);
    int *id = HOST(io, int, n);
    for (int i = 0; i < n; i++) id[i] = (i * 333 + 17) % n; /* 333 is prime to n: a permutation */
    field_read_args a;
    a.id = PUSH(io, int, id, n);
    a.n = n;
    a.components = COMPONENTS;
    a.component = READ;
    a.stride = 1;
    a.in = REALS(io, "stored", COMPONENTS, n, -2, 2);
    a.scale = 1.0 / 3;
    a.out = NEW(io, double, n, CASE_SET);
    LAUNCH(io, field_read, n, NULL, &a);
    case_out(io, "in id order", CASE_DOUBLE, 1, n, a.out);
    field_write_args b;
    b.id = a.id;
    b.in = a.out;
    b.n = n;
    b.components = COMPONENTS;
    b.component = WRITTEN;
    b.out = NEW_FIELD(io, COMPONENTS, n, CASE_SET);
    LAUNCH(io, field_write, n, NULL, &b);
    case_out(io, "stored again", CASE_FIELD, COMPONENTS, n, b.out);
    const double *in = case_find(io, CASE_INPUT, "stored")->value,
                 *out = case_find(io, CASE_OUTPUT, "stored again")->value;
    double worst = 0;
    for (int i = 0; i < n; i++) worst = fmax(worst, fabs(out[WRITTEN * n + i] - in[READ * n + i] / 3));
    case_expect(io, worst < 1e-6, "what was read is written again, scaled, to its component");
    a.id = NULL;
    a.out = NEW(io, double, n, CASE_SET);
    LAUNCH(io, field_read, n, NULL, &a);
    case_out(io, "without ids", CASE_DOUBLE, 1, n, a.out);
    a.id = PUSH(io, int, id, n);
    a.stride = STRIDE;
    double *const apart = NEW(io, double, STRIDE *n, CASE_ZERO);
    a.out = apart + 1;
    LAUNCH(io, field_read, n, NULL, &a);
    case_out(io, "side by side", CASE_DOUBLE, 1, STRIDE * n, apart);
    const double *alone = case_find(io, CASE_OUTPUT, "in id order")->value,
                 *several = case_find(io, CASE_OUTPUT, "side by side")->value;
    worst = 0;
    for (int i = 0; i < STRIDE * n; i++)
        worst = fmax(worst, fabs(several[i] - (i % STRIDE == 1 ? alone[i / STRIDE] : 0)));
    case_expect(io, worst <= 0, "a component lies beside others, which stay as they are");
}
#define case_field_write case_field_read

static void case_count_not_finite(case_io *io)
{
    const int n = case_size(io, 3000);
    case_array *x = case_uniform(io, CASE_CONSTANT, "field", 1, n, -1, 1);
    x->value[0] = (double)NAN;
    x->value[1500] = (double)INFINITY;
    x->value[n - 1] = -(double)INFINITY;
    count_not_finite_args a;
    a.in = (real *)case_upload(io, x, CASE_REAL);
    wide *sum = NEW(io, wide, 1, CASE_SET);
    LAUNCH_SUM(io, count_not_finite, n, NULL, &a, sum);
    case_out(io, "count", CASE_WIDE, 1, 1, sum);
    const double counted = case_find(io, CASE_OUTPUT, "count")->value[0];
    case_expect(io, counted > 2.5 && counted < 3.5, "three values are not finite");
}

/* The highest bit of one word and the lowest of another are not the same. */
static void case_words_differ(case_io *io)
{
    const int n = case_size(io, 5001);
    uint32_t *first = HOST(io, uint32_t, n), *second = HOST(io, uint32_t, n);
    for (int i = 0; i < n; i++) first[i] = second[i] = (uint32_t)(4294967296.0 * case_unit("word", i));
    second[3] ^= 0x80000000u;
    second[n - 1] ^= 1u;
    words_differ_args a;
    a.a = PUSH(io, uint32_t, first, n);
    a.b = PUSH(io, uint32_t, second, n);
    wide *sum = NEW(io, wide, 1, CASE_SET);
    LAUNCH_SUM(io, words_differ, n, NULL, &a, sum);
    case_out(io, "count", CASE_WIDE, 1, 1, sum);
    const double count = case_find(io, CASE_OUTPUT, "count")->value[0];
    case_expect(io, count > 1.5 && count < 2.5, "two words differ");
}

#endif
