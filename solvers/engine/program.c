/* program.c -- see program.h. */
#ifndef PIO_REAL
#define PIO_REAL double
#define PIO_DIM 3
#endif
#include "kernels/base/expression.h"

#include "solvers/engine/program.h"

double pio_program_value(const pio_program_desc *p, int32_t program, const double x[3], double t)
{
    const expression_programs programs = {p->start, p->code, p->numbers, p->constants};
    const expression_at at = {{x[0], x[1], x[2]}, t};
    wide v[PIO_PROGRAM_OPS];
    return expression_value(&programs, program, &at, v);
}
