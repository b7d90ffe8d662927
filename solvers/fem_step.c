/* fem_step.c -- a step of a mesh in each direction, with its record. */
#include "solvers/fem.h"

piola_status fem_forward(fem_sim *f, piola_error *error)
{
    pio_step_record *record = &f->records[f->base.index];
    *record = (pio_step_record){.parts = 1};
    const fem_span span = fem_whole(f->base.index);
    const piola_status rc =
        f->integrator == PIO_LEAPFROG ? fem_leapfrog(f, span, error) : fem_solve(f, span, record, error);
    if (!rc) f->base.index++;
    return rc;
}

piola_status fem_reverse(fem_sim *f, piola_error *error)
{
    pio_step_record *record = &f->records[f->base.index];
    record->adjoint_iterations = 0;
    const fem_span span = fem_whole(f->base.index);
    return f->integrator == PIO_LEAPFROG ? fem_leapfrog_adj(f, span, error) : fem_solve_adj(f, span, record, error);
}
