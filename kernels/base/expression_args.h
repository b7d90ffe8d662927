/* expression_args.h -- programs of values that vary in space and time, as kernels read them. */
#ifndef PIOLA_KERNELS_EXPRESSION_ARGS_H
#define PIOLA_KERNELS_EXPRESSION_ARGS_H

#include "kernels/base/base.h"
#include "kernels/base/vocabulary.h"

/* All programs of a simulation, one after another. A program is a list of at most PIO_PROGRAM_OPS operations, of which
 * each may use the values of those before it; the value of the last one is the program's. */
typedef struct {
    const int *start;     /* [programs + 1] where each begins, and the last ends */
    const int *code;      /* their operations, see vocabulary.h */
    const double *number; /* numbers that stand in programs, and those of tables and curves, in SI units */
    const wide *constant; /* named constants, in SI units */
} expression_programs;

/* Cotangents that the adjoint of a value adds to. */
typedef struct {
    wide x[3];        /* of the coordinates */
    wide *constant;   /* of the constants 0 .. constants - 1, `stride` numbers apart */
    int constants;    /* how many are wanted */
    ptrdiff_t stride; /* from one to the next */
} expression_bar;

#endif
