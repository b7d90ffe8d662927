/* expression.h -- the value of an expression of place, time and named constants, and its derivatives.
 *
 * A program is a straight line of operations v_k = f_k(v_i, v_j, ...) with i, j < k (host/expression compiles it). Its
 * derivatives come from the same line in the other order (Griewank and Walther 2008, chapter 3):
 *
 *     v_bar_n-1 = y_bar,   v_bar_i += v_bar_k df_k/dv_i   for k = n-1 .. 0
 *
 * Where v_bar_k is 0 nothing is added, so that what `if` does not choose may be infinite. At kinks of abs, min, max and
 * if, the derivative is that of the side whose value is taken. */
#ifndef PIOLA_KERNELS_EXPRESSION_H
#define PIOLA_KERNELS_EXPRESSION_H

#include "kernels/base/expression_args.h"

/* Where a program is evaluated. */
typedef struct {
    wide x[3]; /* coordinates at rest, m; in 2D the third is 0 */
    wide t;    /* s */
} expression_at;

/* Returns operand number i, 0 to 2, of an operation: the number of the operation that it is the value of. */
PIO_FN int expression_operand(int code, int i)
{
    return code >> (8 + 8 * i) & 255;
}

/* ---- tables ------------------------------------------------------------------------------------------------- */

/* Where a place is between the planes of a regular grid. */
typedef struct {
    int below[3];        /* number of the plane below, of each axis */
    wide part[3];        /* how far it is to the next: 0 .. 1, and less or more outside of the grid */
    wide part_by_x[3];   /* 1/m: its derivative */
    int count[3];        /* planes of each axis; 1: the axis does not matter */
    const double *value; /* [count[2]][count[1]][count[0]] values at the points */
} expression_cell;

/* Finds the cell of a grid, outside of it the one at its boundary. Its numbers are the three counts, the planes of each
 * axis, ascending, and the values. */
PIO_FN expression_cell expression_cell_of(const double *table, const wide *x)
{
    expression_cell c;
    const double *plane = table + 3;
    for (int a = 0; a < 3; a++) {
        const int n = (int)table[a];
        int low = 0, high = n - 1;
        while (high - low > 1) {
            const int middle = (low + high) / 2;
            if (x[a] < W(plane[middle]))
                high = middle;
            else
                low = middle;
        }
        c.count[a] = n;
        c.below[a] = low;
        c.part_by_x[a] = n > 1 ? W(1) / W(plane[high] - plane[low]) : W(0);
        c.part[a] = (x[a] - W(plane[low])) * c.part_by_x[a];
        plane += n;
    }
    c.value = plane;
    return c;
}

/* Returns sum_k v_k prod_a w_a over the corners k of the cell, w_a = part or 1 - part of axis a; of axis `by`, -1: of
 * none, its derivative in x instead. */
PIO_FN wide expression_grid(const expression_cell *c, int by)
{
    wide sum = W(0);
    for (int k = 0; k < 8; k++) {
        ptrdiff_t at = 0;
        wide w = W(1);
        for (int a = 2; a >= 0; a--) {
            const int up = k >> a & 1, i = c->below[a] + up;
            at = at * c->count[a] + (i < c->count[a] ? i : c->count[a] - 1);
            if (a == by)
                w *= up ? c->part_by_x[a] : -c->part_by_x[a];
            else
                w *= up ? c->part[a] : W(1) - c->part[a];
        }
        sum += w * W(c->value[at]);
    }
    return sum;
}

/* Returns the value of the nearest point, the first of those that are equally near. The numbers are how many points
 * there are, 1 for each axis that counts, else 0, their places [n][3], m, and their values [n]. */
PIO_FN wide expression_nearest(const double *table, const wide *x)
{
    const int n = (int)table[0];
    const double *place = table + 4;
    wide least = W(0);
    int nearest = 0;
    for (int i = 0; i < n; i++) {
        wide far = W(0);
        for (int a = 0; a < 3; a++) {
            const wide d = W(table[1 + a]) * (x[a] - W(place[3 * (ptrdiff_t)i + a]));
            far += d * d;
        }
        if (i && !(far < least)) continue;
        least = far;
        nearest = i;
    }
    return W(place[3 * (ptrdiff_t)n + nearest]);
}

/* Returns the value of a curve at a time: piecewise linear, constant outside. Its numbers are how many points it has,
 * their times [n], ascending, s, and their values [n]. */
PIO_FN wide expression_curve(const double *curve, wide t)
{
    const int n = (int)curve[0];
    const double *time = curve + 1, *value = time + n;
    int i = 0;
    while (i + 1 < n && W(time[i + 1]) <= t) i++;
    if (i + 1 == n || t <= W(time[i])) return W(value[i]);
    return W(value[i]) + W(value[i + 1] - value[i]) * ((t - W(time[i])) / W(time[i + 1] - time[i]));
}

/* Returns the value of an operation that has no operands. */
PIO_FN wide expression_leaf(const expression_programs *p, int code, const expression_at *at)
{
    const int op = code & 255, which = code >> 8;
    if (op == PIO_OP_NUMBER) return W(p->number[which]);
    if (op == PIO_OP_CONSTANT) return p->constant[which];
    if (op == PIO_OP_NEAREST_TABLE) return expression_nearest(p->number + which, at->x);
    if (op == PIO_OP_CURVE) return expression_curve(p->number + which, at->t);
    if (op < PIO_OP_LINEAR_TABLE) return op == PIO_OP_TIME ? at->t : at->x[op - PIO_OP_X];
    const expression_cell cell = expression_cell_of(p->number + which, at->x);
    return expression_grid(&cell, -1);
}

/* Its adjoint, where its cotangent is `bar`: to constants and coordinates. */
PIO_FN void expression_leaf_adj(const expression_programs *p, int code, const expression_at *at, wide bar,
                                expression_bar *bars)
{
    const int op = code & 255, which = code >> 8;
    if (op == PIO_OP_CONSTANT && which < bars->constants) bars->constant[which * bars->stride] += bar;
    if (op >= PIO_OP_X && op <= PIO_OP_Z) bars->x[op - PIO_OP_X] += bar;
    if (op != PIO_OP_LINEAR_TABLE) return;
    const expression_cell cell = expression_cell_of(p->number + which, at->x);
    for (int a = 0; a < 3; a++) bars->x[a] += bar * expression_grid(&cell, a);
}

/* ---- operations --------------------------------------------------------------------------------------------- */

/* Returns the value of an operation of one operand. */
PIO_FN wide expression_one(int op, wide a)
{
    switch (op) {
    case PIO_OP_NEGATE:
        return -a;
    case PIO_OP_SQRT:
        return sqrt(a);
    case PIO_OP_EXP:
        return exp(a);
    case PIO_OP_LOG:
        return log(a);
    case PIO_OP_SIN:
        return sin(a);
    case PIO_OP_COS:
        return cos(a);
    case PIO_OP_TANH:
        return tanh(a);
    default:
        return fabs(a);
    }
}

/* Returns the derivative of an operation of one operand a, whose value is v. */
PIO_FN wide expression_one_adj(int op, wide a, wide v)
{
    switch (op) {
    case PIO_OP_NEGATE:
        return W(-1);
    case PIO_OP_SQRT:
        return W(0.5) / v;
    case PIO_OP_EXP:
        return v;
    case PIO_OP_LOG:
        return W(1) / a;
    case PIO_OP_SIN:
        return cos(a);
    case PIO_OP_COS:
        return -sin(a);
    case PIO_OP_TANH:
        return W(1) - v * v;
    default:
        return a < W(0) ? W(-1) : W(1);
    }
}

/* Returns a^b = exp(b log a) of a >= 0; what is below 0 has whole powers alone, which are products. */
PIO_FN wide expression_power(wide a, wide b)
{
    if (!(a > W(0))) return a < W(0) ? sqrt(a) : b > W(0) ? W(0) : b < W(0) ? W(1) / a : W(1);
    return exp(b * log(a));
}

/* Returns the value of an operation of two operands. */
PIO_FN wide expression_two(int op, wide a, wide b)
{
    switch (op) {
    case PIO_OP_ADD:
        return a + b;
    case PIO_OP_SUBTRACT:
        return a - b;
    case PIO_OP_MULTIPLY:
        return a * b;
    case PIO_OP_DIVIDE:
        return a / b;
    case PIO_OP_POWER:
        return expression_power(a, b);
    case PIO_OP_MIN:
        return b < a ? b : a;
    case PIO_OP_MAX:
        return b > a ? b : a;
    case PIO_OP_LESS:
        return a < b ? W(1) : W(0);
    default:
        return a <= b ? W(1) : W(0);
    }
}

/* Sets d[0] and d[1] to the derivatives of an operation of two operands, whose value is v. */
PIO_FN void expression_two_adj(int op, wide a, wide b, wide v, wide *d)
{
    const int other = op == PIO_OP_MIN ? b < a : b > a;
    d[0] = d[1] = W(0);
    switch (op) {
    case PIO_OP_ADD:
        d[0] = d[1] = W(1);
        break;
    case PIO_OP_SUBTRACT:
        d[0] = W(1), d[1] = W(-1);
        break;
    case PIO_OP_MULTIPLY:
        d[0] = b, d[1] = a;
        break;
    case PIO_OP_DIVIDE:
        d[0] = W(1) / b, d[1] = -v / b;
        break;
    case PIO_OP_POWER:
        d[0] = b * expression_power(a, b - W(1));
        d[1] = a > W(0) ? v * log(a) : W(0);
        break;
    case PIO_OP_MIN:
    case PIO_OP_MAX:
        d[other] = W(1);
        break;
    default:
        break; /* a comparison is constant on either side */
    }
}

/* Sets the values v [PIO_PROGRAM_OPS] of all operations of a program, and returns that of the last. */
PIO_OUTLINE_FN wide expression_value(const expression_programs *p, int program, const expression_at *at, wide *v)
{
    const int *code = p->code + p->start[program], n = p->start[program + 1] - p->start[program];
    for (int k = 0; k < n; k++) {
        const int op = code[k] & 255, i = expression_operand(code[k], 0), j = expression_operand(code[k], 1);
        if (op < PIO_OP_NEGATE)
            v[k] = expression_leaf(p, code[k], at);
        else if (op < PIO_OP_ADD)
            v[k] = expression_one(op, v[i]);
        else if (op < PIO_OP_SELECT)
            v[k] = expression_two(op, v[i], v[j]);
        else
            v[k] = v[i] > W(0) ? v[j] : v[expression_operand(code[k], 2)];
    }
    return v[n - 1];
}

/* The adjoint of expression_value: `v` as that set it, y_bar the cotangent of the value. */
PIO_OUTLINE_FN void expression_value_adj(const expression_programs *p, int program, const expression_at *at,
                                         const wide *v, wide y_bar, expression_bar *bars)
{
    const int *code = p->code + p->start[program], n = p->start[program + 1] - p->start[program];
    wide v_bar[PIO_PROGRAM_OPS], d[2];
    for (int k = 0; k < n; k++) v_bar[k] = W(0);
    v_bar[n - 1] = y_bar;
    for (int k = n - 1; k >= 0; k--) {
        const int op = code[k] & 255, i = expression_operand(code[k], 0), j = expression_operand(code[k], 1);
        const wide bar = v_bar[k];
        if (bar >= W(0) && bar <= W(0)) continue;
        if (op < PIO_OP_NEGATE) {
            expression_leaf_adj(p, code[k], at, bar, bars);
            continue;
        }
        if (op < PIO_OP_ADD) {
            v_bar[i] += bar * expression_one_adj(op, v[i], v[k]);
        } else if (op < PIO_OP_SELECT) {
            expression_two_adj(op, v[i], v[j], v[k], d);
            v_bar[i] += bar * d[0];
            v_bar[j] += bar * d[1];
        } else {
            v_bar[v[i] > W(0) ? j : expression_operand(code[k], 2)] += bar;
        }
    }
}

#endif
