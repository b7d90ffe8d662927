/* Room host/expression: the language of values that vary: a text becomes a program, with its units checked. */
/* expression.h -- expressions of place, time and named constants: compiled for kernels/base/expression.h.
 *
 *     P * (1 - (y/H)^2) * sin(2*pi*f*t)        if(x < 10 mm, 2 MPa, 0)
 *
 * Numbers with the units of scenes, + - * / ^, parentheses, comparisons within if, functions, pi, the coordinates at
 * rest x, y, z (m), the time t (s) and named constants. Every value has a dimension in m, kg and s; angles have none. A
 * number without a unit has none either, but for 0, which fits everywhere. */
#ifndef PIOLA_HOST_EXPRESSION_H
#define PIOLA_HOST_EXPRESSION_H

#include "host/config/config.h"
#include "solvers/engine/vocabulary.h"

/* Most characters of an expression, and levels of parentheses and functions in each other. */
enum { PIO_EXPRESSION_CHARACTERS = 1000, PIO_EXPRESSION_DEPTH = 40 };

/* A compiled expression: the operations of one program, see pio_operation, and its numbers, in SI units. */
typedef struct {
    int n, n_numbers;               /* operations; numbers */
    int32_t code[PIO_PROGRAM_OPS];  /* [n] */
    double number[PIO_PROGRAM_OPS]; /* [n_numbers] */
    bool in_time, in_space;         /* it has t; it has x, y or z */
    uint64_t constants, tables;     /* bit k: it has constant, or table, number k */
} pio_expression;

/* A table that expressions name: its value at the place. */
typedef struct {
    const char *name;
    cfg_quantity quantity; /* of its values */
    bool nearest;          /* that of the nearest point; else of a grid, between whose points it is linear */
} pio_expression_table;

/* Where an expression stands. */
typedef struct {
    const cfg_named *constants;         /* [n] */
    size_t n;                           /* named constants, at most 64 */
    const pio_expression_table *tables; /* [n_tables] */
    size_t n_tables;                    /* tables, at most 64 */
    int dimension;                      /* of the scene: in 2D there is no z */
    const char *no_time; /* why t makes no sense here, as "the density of a material has"; NULL: it does */
    /* why x, y, z and tables make no sense here, as "the angle of a rotation has"; NULL: they do */
    const char *no_space;
} pio_expression_scope;

/* What is wrong, and at which character, from 0. */
typedef struct {
    size_t at;
    char text[400];
} pio_expression_fault;

/* Compiles an expression whose value is to be of a quantity. Returns false with the first fault: what is wrong and what
 * would be right. No text takes more than bounded time and memory. */
bool pio_expression_compile(const char *text, const pio_expression_scope *scope, cfg_quantity quantity,
                            pio_expression *out, pio_expression_fault *fault);

/* A rotation of the scene's space, by an angle in time. */
typedef struct {
    int dimension;        /* 2: about z */
    double axis[3];       /* of length 1 */
    double center[3];     /* a place that stays, m */
    pio_expression angle; /* rad; x, y, z and tables are not part of it */
    int curve;            /* number of a curve that multiplies the angle, see PIO_OP_CURVE; -1: none */
} pio_expression_rotation;

/* Compiles one component, 0 to 2, of the displacement (R - 1)(X - center) of a place X, m. Returns false where that has
 * more operations than a program can have. */
bool pio_expression_rotate(const pio_expression_rotation *rotation, int component, pio_expression *out);

/* ---- dimensions ---------------------------------------------------------------------------------------------- */

/* Exponents of m, kg and s, in 1/PIO_DIMENSION_PARTS. */
enum { PIO_DIMENSION_PARTS = 48, PIO_DIMENSION_MOST = 40 * PIO_DIMENSION_PARTS };
typedef struct {
    int m, kg, s, K;
} pio_dimension;

pio_dimension pio_dimension_of(cfg_quantity quantity);     /* Returns the dimension of a quantity. */
bool pio_dimension_same(pio_dimension a, pio_dimension b); /* Returns whether both are the same. */
/* Returns a b^factor, with factor = over/PIO_DIMENSION_PARTS where `over` is that of a whole exponent. */
pio_dimension pio_dimension_times(pio_dimension a, pio_dimension b, int factor);
bool pio_dimension_legal(pio_dimension a); /* Returns whether no exponent is absurd. */
/* Writes a dimension in words into out[size] and returns it: "a pressure (Pa)", "a plain number", "m^2 kg^-1". */
const char *pio_dimension_text(pio_dimension dimension, char *out, size_t size);

#endif
