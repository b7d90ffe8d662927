/* program.h -- programs of values that vary, evaluated by the host as engines do (kernels/base/expression.h). */
#ifndef PIOLA_SOLVERS_PROGRAM_H
#define PIOLA_SOLVERS_PROGRAM_H

#include "solvers/engine/engine.h"

/* Returns the value of a program, in SI units, at a place x [m] at rest and a time t [s]. */
double pio_program_value(const pio_program_desc *programs, int32_t program, const double x[3], double t);

#endif
