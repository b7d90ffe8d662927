/* fem_step.c -- a step of a mesh in each direction, with its record. */
#include "solvers/fem.h"

piola_status fem_forward(fem_sim *f, piola_error *error)
{
    pio_step_record *record = &f->records[f->base.index];
    *record = (pio_step_record){0};
    const piola_status rc = fem_solve(f, fem_whole(f->base.index), record, error);
    if (!rc) f->base.index++;
    return rc;
}

piola_status fem_reverse(fem_sim *f, piola_error *error)
{
    pio_step_record *record = &f->records[f->base.index];
    record->adjoint_iterations = 0;
    return fem_solve_adj(f, fem_whole(f->base.index), record, error);
}
