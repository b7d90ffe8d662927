/* expression_code.h -- private to host/expression: operations of the program that is being compiled. */
#ifndef PIOLA_HOST_EXPRESSION_CODE_H
#define PIOLA_HOST_EXPRESSION_CODE_H

#include "host/expression/expression.h"

/* A value while an expression is compiled. */
typedef struct {
    int op;             /* number of its operation; -1: a number that no operation has yet */
    double number;      /* of such a number, in SI units */
    pio_dimension unit; /* its dimension */
    bool fits;          /* the number 0, which fits every dimension */
    bool truth;         /* a comparison */
    size_t at;          /* its first character, or that of its operator */
} pio_term;

pio_term pio_term_number(double number, pio_dimension unit, size_t at); /* Returns a number. */
/* Returns the value of an operation of up to three operands, NULL where there are fewer, without its dimension; numbers
 * are computed with at once. op is -2 where the program would be too long. */
pio_term pio_term_make(pio_expression *e, pio_operation op, const pio_term *a, const pio_term *b, const pio_term *c,
                       size_t at);
/* Returns the value of an operation without operands: a constant or a table with the number `which`, a coordinate or
 * the time. */
pio_term pio_term_leaf(pio_expression *e, pio_operation op, int which, pio_dimension unit, size_t at);
/* Returns base^n, n >= 1, by products. */
pio_term pio_term_power(pio_expression *e, const pio_term *base, int n, size_t at);
/* Makes a term the last operation, so that it is the program's value. Returns false where the program is too long. */
bool pio_term_finish(pio_expression *e, const pio_term *term);

#endif
