/* fem_fault.c -- what a fault in the step block says: element and value, in words. Runs only after a failure. */
#include "solvers/fem.h"

static double given_at(fem_sim *f, int element, int constant)
{
    real value = 0;
    const ptrdiff_t at = field_at(f->elements, HYPER_CONSTANTS, constant, element);
    pio_queue_download(&f->base.queue, &value, f->given + at, sizeof value);
    return (double)value;
}

piola_status fem_check_fault(pio_sim *sim, piola_error *error)
{
    fem_sim *f = fem_of(sim);
    fem_step step = {0};
    pio_queue_download(&sim->queue, &step, f->step, sizeof step);
    if (pio_queue_failed(&sim->queue)) return sim_failed(sim, error);
    if (step.fault == FEM_NONE) return PIOLA_OK;
    const int element = (int)(step.fault >> 4 & 0xffffffff);
    if ((step.fault & 15) == FEM_NOT_FINITE)
        return sim_fail(error, PIOLA_NUMERICAL,
                        "step %lld: the velocity of node %d is not finite; a shorter time step would be right",
                        (long long)(step.fault >> 36), element);
    if ((step.fault & 15) == FEM_INVERTED_REST)
        return sim_fail(error, PIOLA_NUMERICAL,
                        "element %d has no positive volume at rest: its nodes' order or places are wrong", element);
    real density = 0;
    pio_queue_download(&sim->queue, &density, f->density + element, sizeof density);
    return sim_fail(error, PIOLA_NUMERICAL,
                    "element %d: its law is not defined for the constants %g, %g, %g with density %g kg/m^3", element,
                    given_at(f, element, 0), given_at(f, element, 1), given_at(f, element, 2), (double)density);
}
