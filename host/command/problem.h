/* problem.h -- what a problem of piola.h is: a session without log output, and what it has done last. */
#ifndef PIOLA_HOST_PROBLEM_H
#define PIOLA_HOST_PROBLEM_H

#include "host/base/signals.h"
#include "host/run/session.h"
#include "piola.h"

/* What the adjoint sweeps of the last evaluation were of. */
typedef enum {
    PIO_PROBLEM_NO_SWEEP, /* there were none */
    PIO_PROBLEM_GRADIENT, /* of J and the constraints */
    PIO_PROBLEM_PULLBACK, /* of one function of J and the observations */
    PIO_PROBLEM_JACOBIAN  /* of every value of the observations */
} pio_problem_sweeps;

struct piola_problem {
    piola_options options; /* options that the session reads after it was opened, without strings of the caller */
    pio_session *session;
    double *z;                 /* [variables] where the last evaluation, or the run of single steps, is */
    bool evaluated;            /* z was evaluated */
    bool at_end;               /* the engine holds the last state, not the first */
    bool stepping;             /* the engine holds a state of a run of single steps, evaluated at its end */
    pio_problem_sweeps sweeps; /* of the last evaluation */
    pio_call call;             /* by which the call that runs is ended */
    double step_seconds;       /* that a step of the last evaluation took; 0: unknown */
};

/* Begins a call that computes: what was evaluated before is lost, and piola_interrupt() and the time limit end it. */
void pio_problem_begin(piola_problem *p);
/* Ends a call that computes. Returns rc. */
piola_status pio_problem_end(piola_problem *p, piola_status rc);
/* Returns after how many steps a call looks whether it is to end. */
int64_t pio_problem_check_every(const piola_problem *p);
/* Checks values in SI units, and makes them, NULL: the start, the normalised variables of the problem. Returns
 * PIOLA_USAGE, and changes nothing, if one cannot be. */
piola_status pio_problem_design(piola_problem *p, const double *values, piola_error *error);
/* Evaluates forward, or with the gradients of J and the constraints. Returns the errors of piola_evaluate(). */
piola_status pio_problem_sweep(piola_problem *p, bool gradient, piola_error *error);
/* Computes derivatives by values in SI units from those by z and by the values after filters; the latter may be NULL.
 */
void pio_problem_derivatives(const piola_problem *p, const double *z_bar, const double *value_bar, double *gradient);
/* Returns PIOLA_USAGE if a buffer of `size` doubles is too small for `needed`. */
piola_status pio_problem_room(const char *name, size_t size, size_t needed, piola_error *error);
/* Reads a field into memory of its own on the device, as the member read_device of pio_engine does. Returns the errors
 * of piola_read() and of that member, or PIOLA_USAGE for derivatives that no field of the device has as they are. */
piola_status pio_problem_field_device(piola_problem *p, const char *field, double **values, piola_error *error);

#endif
