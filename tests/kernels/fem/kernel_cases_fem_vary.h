/* kernel_cases_fem_vary.h -- the case of values that vary in space and time. Case text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_FEM_VARY_H
#define PIOLA_TESTS_KERNEL_CASES_FEM_VARY_H

#include "tests/kernels/fem/kernel_cases_fem_follow.h"

enum { VARY_CONSTANTS = 3 };

#define VARY_ONE(op, a) ((op) | (a) << 8)
#define VARY_TWO(op, a, b) ((op) | (a) << 8 | (b) << 16)
#define VARY_THREE(op, a, b, c) ((op) | (a) << 8 | (b) << 16 | (c) << 24)

/* Two programs that have all operations, and tables. */
static expression_programs vary_programs(case_io *io)
{
    static const int code[] = {
        PIO_OP_X, VARY_ONE(PIO_OP_CONSTANT, 0), VARY_TWO(PIO_OP_MULTIPLY, 0, 1), VARY_ONE(PIO_OP_SIN, 2),
        VARY_ONE(PIO_OP_COS, 2), VARY_TWO(PIO_OP_ADD, 3, 4), VARY_ONE(PIO_OP_NUMBER, 0), VARY_TWO(PIO_OP_ADD, 5, 6),
        VARY_ONE(PIO_OP_SQRT, 7), VARY_ONE(PIO_OP_LOG, 7), VARY_ONE(PIO_OP_TANH, 9), VARY_ONE(PIO_OP_CONSTANT, 1),
        VARY_TWO(PIO_OP_POWER, 7, 11), PIO_OP_TIME, VARY_TWO(PIO_OP_MULTIPLY, 12, 13), VARY_TWO(PIO_OP_DIVIDE, 14, 8),
        VARY_TWO(PIO_OP_SUBTRACT, 15, 10), VARY_ONE(PIO_OP_NEGATE, 11), VARY_ONE(PIO_OP_EXP, 17),
        VARY_TWO(PIO_OP_MULTIPLY, 16, 18), VARY_ONE(PIO_OP_CONSTANT, 2), VARY_TWO(PIO_OP_ADD, 19, 20),
        /* the second */
        PIO_OP_Y, PIO_OP_X, VARY_TWO(PIO_OP_MIN, 0, 1), VARY_TWO(PIO_OP_MAX, 0, 1), VARY_ONE(PIO_OP_CONSTANT, 0),
        VARY_TWO(PIO_OP_LESS, 0, 4), VARY_TWO(PIO_OP_MULTIPLY, 2, 4), VARY_THREE(PIO_OP_SELECT, 5, 6, 3),
        VARY_TWO(PIO_OP_SUBTRACT, 0, 1), VARY_ONE(PIO_OP_ABS, 8), VARY_TWO(PIO_OP_ADD, 7, 9),
        VARY_ONE(PIO_OP_NUMBER, 1), VARY_TWO(PIO_OP_AT_MOST, 11, 0), VARY_ONE(PIO_OP_SIN, 10),
        VARY_THREE(PIO_OP_SELECT, 12, 13, 10), PIO_OP_Z, VARY_ONE(PIO_OP_COS, 15), VARY_TWO(PIO_OP_MULTIPLY, 14, 16),
        VARY_ONE(PIO_OP_LINEAR_TABLE, 2), VARY_TWO(PIO_OP_ADD, 17, 18), VARY_ONE(PIO_OP_NEAREST_TABLE, 17),
        VARY_TWO(PIO_OP_MULTIPLY, 19, 20)};
    static const int start[] = {0, 22, (int)(sizeof code / sizeof *code)};
    /* two numbers; a grid of three planes of x and two of y; three points by x and y */
    static const double number[] = {3.25, 0.375, 3,   2,   1,   -0.5, 0.4, 2.1, 0.1,  1.3,  0,
                                    1.5,  0.5,   0.7, 0.2, 2.5, 1.25, 3,   1,   1,    0,    0.1,
                                    0.2,  0,     0.6, 0.3, 0,   -0.4, 1.7, 0,   0.75, 1.75, -1.25};
    expression_programs p;
    p.start = PUSH(io, int, start, 3);
    p.code = PUSH(io, int, code, sizeof code / sizeof *code);
    p.number = PUSH(io, double, number, sizeof number / sizeof *number);
    case_array *constant = case_uniform(io, CASE_INPUT, "constants", 1, VARY_CONSTANTS, 0.4, 0.9);
    p.constant = (wide *)case_upload(io, constant, CASE_WIDE);
    return p;
}

/* Adds the sums of the contributions to the constants' cotangents. */
static void vary_sums(case_io *io, const fem_vary_adj_args *b, wide *constant_bar)
{
    for (int k = 0; k < b->constants; k++) {
        fem_vary_sum_args s;
        add_scalar_args add;
        wide *sum = NEW(io, wide, 1, CASE_SET);
        s.contribution = b->contribution + (ptrdiff_t)k * b->n;
        LAUNCH_SUM(io, fem_vary_sum, b->n, NULL, &s, sum);
        add.term = sum;
        add.total = constant_bar + k;
        LAUNCH(io, add_scalar, 1, NULL, &add);
    }
}

/* What all launches have in common: the first and third numbers are programs. */
static fem_vary_args vary_args(case_io *io)
{
    fem_vary_args a;
    memset(&a, 0, sizeof a);
    a.p = vary_programs(io);
    a.components = 3;
    a.program[0] = 0;
    a.program[1] = -1;
    a.program[2] = 1;
    a.number[1] = W(0.625);
    a.step = fem_step_on(io, NULL);
    return a;
}

/* At nodes, as of constrained unknowns: each once. */
static void vary_nodes(case_io *io)
{
    const int n = case_size(io, 700);
    int *node = HOST(io, int, n);
    for (int i = 0; i < n; i++) node[i] = n - 1 - i;
    fem_vary_args a = vary_args(io);
    a.rule.nodes = 1;
    a.node = PUSH(io, int, node, n);
    a.rest = (real *)case_upload(io, case_uniform(io, CASE_INPUT, "rest", 1, n * DIM, -1, 1), CASE_REAL);
    a.out = NEW(io, wide, 3 * n, CASE_SET);
    LAUNCH(io, fem_vary, n, NULL, &a);
    case_out(io, "value", CASE_WIDE, 1, 3 * n, a.out);
    if (!case_adjoint(io)) return;
    fem_vary_adj_args b;
    wide *constant_bar = NEW(io, wide, VARY_CONSTANTS, CASE_ZERO);
    b.fwd = a;
    b.n = n;
    b.out_bar = COTANGENT(io, wide, "value");
    b.first_element_node = -1;
    b.rest_bar = NEW(io, real, n * DIM, CASE_ADDED);
    b.constants = VARY_CONSTANTS;
    b.contribution = NEW(io, wide, VARY_CONSTANTS * n, CASE_SET);
    LAUNCH(io, fem_vary_adj, n, NULL, &b);
    vary_sums(io, &b, constant_bar);
    case_gradient(io, "rest", CASE_REAL, 1, n * DIM, b.rest_bar);
    case_gradient(io, "constants", CASE_WIDE, 1, VARY_CONSTANTS, constant_bar);
}

/* At the integration points of some elements, or in their middle. */
static void vary_elements(case_io *io, int middle)
{
    mesh_body body = mesh_of(io, RULE_MASS, CASE_INPUT, CASE_CONSTANT);
    const mesh_lattice *m = &body.m;
    fem_vary_args a[MESH_TYPES];
    const fem_vary_args all = vary_args(io);
    int n[MESH_TYPES], values[MESH_TYPES];
    for (int t = 0; t < MESH_TYPES; t++) {
        a[t] = all;
        a[t].rule = body.block[t].rule;
        if (middle) a[t].rule.points = 0;
        n[t] = body_force_elements(io, &m->part[t], &a[t].item);
        a[t].first = m->part[t].first;
        a[t].node = m->nodes + m->part[t].first_element_node;
        a[t].rest = body.rest;
        values[t] = 3 * n[t] * (middle ? 1 : a[t].rule.points);
        a[t].out = NEW(io, wide, values[t], CASE_SET);
        LAUNCH(io, fem_vary, n[t], NULL, &a[t]);
        case_out(io, mesh_name("value", m->part[t].type), CASE_WIDE, 1, values[t], a[t].out);
    }
    if (!case_adjoint(io)) return;
    fem_vary_adj_args b;
    wide *constant_bar = NEW(io, wide, VARY_CONSTANTS, CASE_ZERO);
    b.rest_bar = NEW(io, real, m->element_dofs * DIM, CASE_ZERO);
    b.constants = VARY_CONSTANTS;
    for (int t = 0; t < MESH_TYPES; t++) {
        b.fwd = a[t];
        b.n = n[t];
        b.out_bar = COTANGENT(io, wide, mesh_name("value", m->part[t].type));
        b.first_element_node = m->part[t].first_element_node;
        b.contribution = NEW(io, wide, VARY_CONSTANTS * n[t], CASE_SET);
        LAUNCH(io, fem_vary_adj, n[t], NULL, &b);
        vary_sums(io, &b, constant_bar);
    }
    mesh_gradient(io, m, "rest", b.rest_bar);
    case_gradient(io, "constants", CASE_WIDE, 1, VARY_CONSTANTS, constant_bar);
}

static void case_fem_vary(case_io *io)
{
    static const char *const names[] = {"at points", "in the middle", "at nodes", NULL};
    const int variant = case_variant(io, names);
    if (variant == 2)
        vary_nodes(io);
    else
        vary_elements(io, variant == 1);
}
#define case_fem_vary_adj case_fem_vary
#define case_fem_vary_sum case_fem_vary

/* ---- the start ------------------------------------------------------------------------------------------- */

/* Constrained unknowns are set, the others stay; and their contributions to the cotangents of their supports'
 * values. */
static void case_fem_start_constrained(case_io *io)
{
    enum { SUPPORTS = 5, CURVES = 3 };
    static const char *const names[] = {"values that stay", "values in time", NULL};
    const int in_time = case_variant(io, names);
    const int nodes = case_size(io, 1100), n = nodes / 2;
    int *node = HOST(io, int, n), *axis = HOST(io, int, n), *support = HOST(io, int, n), curve[SUPPORTS];
    for (int i = 0; i < n; i++) {
        node[i] = 2 * i;
        axis[i] = i % DIM;
        support[i] = i % SUPPORTS;
    }
    for (int s = 0; s < SUPPORTS; s++) curve[s] = s % (CURVES + 1) - 1;
    fem_start_constrained_args a;
    a.node = PUSH(io, int, node, n);
    a.axis = PUSH(io, int, axis, n);
    a.support = PUSH(io, int, support, n);
    a.curve = PUSH(io, int, curve, SUPPORTS);
    a.value = WIDES(io, "value", 1, SUPPORTS, -0.3, 0.5);
    a.next_value = in_time ? WIDES(io, "next value", 1, SUPPORTS, -0.3, 0.5) : NULL;
    a.first = (wide *)case_upload(io, case_uniform(io, CASE_CONSTANT, "first", 1, CURVES, -1, 2), CASE_WIDE);
    a.next = (wide *)case_upload(io, case_uniform(io, CASE_CONSTANT, "next", 1, CURVES, -1, 2), CASE_WIDE);
    a.h = 0.25;
    a.u = NEW(io, real, nodes * DIM, CASE_ZERO);
    a.v = NEW(io, real, nodes * DIM, CASE_ZERO);
    LAUNCH(io, fem_start_constrained, n, NULL, &a);
    case_out(io, "u", CASE_REAL, 1, nodes * DIM, a.u);
    case_out(io, "v", CASE_REAL, 1, nodes * DIM, a.v);
    if (!case_adjoint(io)) return;
    fem_start_constrained_adj_args b;
    b.fwd = a;
    b.u_bar = NEW(io, real, nodes * DIM, CASE_ZERO);
    b.v_bar = NEW(io, real, nodes * DIM, CASE_ZERO);
    point_axpby_args copy; /* cotangents are the harness's own */
    copy.a = R(1);
    copy.b = R(0);
    copy.x = copy.y = COTANGENT(io, real, "u");
    copy.out = b.u_bar;
    LAUNCH(io, point_axpby, nodes, NULL, &copy);
    copy.x = copy.y = COTANGENT(io, real, "v");
    copy.out = b.v_bar;
    LAUNCH(io, point_axpby, nodes, NULL, &copy);
    b.contribution = NEW_FIELD(io, 1, n, CASE_SET);
    b.next_contribution = in_time ? NEW_FIELD(io, 1, n, CASE_SET) : NULL;
    LAUNCH(io, fem_start_constrained_adj, n, NULL, &b);
    wide *value_bar = NEW(io, wide, SUPPORTS, CASE_SET);
    design_sum_args s;
    s.n = n;
    s.stored = 1;
    s.component = 0;
    s.index = a.support;
    s.bar = b.contribution;
    for (s.group = 0; s.group < SUPPORTS; s.group++) LAUNCH_SUM(io, design_sum, n, NULL, &s, value_bar + s.group);
    case_gradient(io, "value", CASE_WIDE, 1, SUPPORTS, value_bar);
    if (!in_time) return;
    wide *next_bar = NEW(io, wide, SUPPORTS, CASE_SET);
    s.bar = b.next_contribution;
    for (s.group = 0; s.group < SUPPORTS; s.group++) LAUNCH_SUM(io, design_sum, n, NULL, &s, next_bar + s.group);
    case_gradient(io, "next value", CASE_WIDE, 1, SUPPORTS, next_bar);
}
#define case_fem_start_constrained_adj case_fem_start_constrained

#endif
