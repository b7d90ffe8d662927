/* expression_code.c -- see expression_code.h. An operation that is there already, with the same operands, is used
 * again; operations of numbers alone are carried out. */
#include "host/expression/expression_code.h"

#include <math.h>
#include <string.h>

enum { TOO_LONG = -2 };

pio_term pio_term_number(double number, pio_dimension unit, size_t at)
{
    return (pio_term){.op = -1, .number = number, .unit = unit, .at = at};
}

/* Returns the number of an operation, which is added where it is not there yet; -2 where there is no room. */
static int emit(pio_expression *e, int32_t code)
{
    for (int k = 0; k < e->n; k++)
        if (e->code[k] == code) return k;
    if (e->n == PIO_PROGRAM_OPS) return TOO_LONG;
    e->code[e->n] = code;
    return e->n++;
}

static int number_of(pio_expression *e, double number)
{
    int k = 0;
    while (k < e->n_numbers && memcmp(&e->number[k], &number, sizeof number) != 0) k++;
    if (k == PIO_PROGRAM_OPS) return TOO_LONG;
    if (k == e->n_numbers) e->number[e->n_numbers++] = number;
    return emit(e, PIO_OP_NUMBER | k << 8);
}

static int operation_of(pio_expression *e, const pio_term *term)
{
    return term->op == -1 ? number_of(e, term->number) : term->op;
}

/* Computes an operation of numbers; returns false where that is left to the program. */
static bool fold(pio_operation op, const pio_term *a, const pio_term *b, double *out)
{
    if (a->op != -1 || (b && b->op != -1)) return false;
    if (op == PIO_OP_NEGATE)
        *out = -a->number;
    else if (op == PIO_OP_ADD)
        *out = a->number + b->number;
    else if (op == PIO_OP_SUBTRACT)
        *out = a->number - b->number;
    else if (op == PIO_OP_MULTIPLY)
        *out = a->number * b->number;
    else if (op == PIO_OP_DIVIDE)
        *out = a->number / b->number;
    else
        return false;
    return isfinite(*out);
}

pio_term pio_term_make(pio_expression *e, pio_operation op, const pio_term *a, const pio_term *b, const pio_term *c,
                       size_t at)
{
    pio_term made = {.op = -1, .at = at};
    if (!c && fold(op, a, b, &made.number)) return made;
    const pio_term *const operand[] = {a, b, c};
    int32_t code = (int32_t)op;
    for (int i = 0; i < 3 && operand[i]; i++) {
        const int k = operation_of(e, operand[i]);
        if (k < 0) return (pio_term){.op = TOO_LONG, .at = at};
        code |= k << (8 + 8 * i);
    }
    made.op = emit(e, code);
    return made;
}

pio_term pio_term_leaf(pio_expression *e, pio_operation op, int which, pio_dimension unit, size_t at)
{
    return (pio_term){.op = emit(e, (int32_t)op | which << 8), .unit = unit, .at = at};
}

pio_term pio_term_power(pio_expression *e, const pio_term *base, int n, size_t at)
{
    if (n == 1) return *base;
    const pio_term half = pio_term_power(e, base, n / 2, at);
    const pio_term even = pio_term_make(e, PIO_OP_MULTIPLY, &half, &half, NULL, at);
    return n % 2 ? pio_term_make(e, PIO_OP_MULTIPLY, &even, base, NULL, at) : even;
}

bool pio_term_finish(pio_expression *e, const pio_term *term)
{
    const int last = operation_of(e, term);
    if (last < 0) return false;
    e->n = last + 1;
    return true;
}
