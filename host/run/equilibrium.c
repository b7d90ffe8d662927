/* equilibrium.c -- see equilibrium.h. */
#include "host/run/equilibrium.h"

#include "host/model/model_fem.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Reads the record of step k of the engine's last run. Returns 0 if nothing was solved there. */
static int record_of(const pio_session *s, int64_t k, pio_step_record *r)
{
    return s->model->fem && s->engine.table->record(s->sim, k, r) && r->parts > 0;
}

/* The same of the adjoint, in the sweep of any constraint or of the objective. */
static void report_adjoint(const pio_session *s, bool f32)
{
    const double tolerance = s->model->fem ? s->model->fem->desc.adjoint_tolerance : 0;
    pio_step_record worst = {0};
    int64_t at = 0;
    for (int64_t i = 0; i < s->memory.schedule.sweeps && s->adjoint.records; i++)
        for (int64_t k = 0; k < s->adjoint.n_records; k++) {
            const pio_step_record *r = &s->adjoint.records[i * s->model->steps + k];
            if (!(r->adjoint_error > worst.adjoint_error)) continue;
            worst = *r;
            at = k;
        }
    if (!(worst.adjoint_error > tolerance)) return;
    pio_log_message(
        s->call.log, PIO_WARNING,
        "step %lld: numbers of %d digits leave %.2g of what the adjoint is solved for, and that puts it off "
        "by about %.2g of itself; solver.adjoint_tolerance is %g%s",
        (long long)at, f32 ? 7 : 16, worst.adjoint_residual, worst.adjoint_error, tolerance,
        f32 ? "; f64 would be right" : "");
}

void pio_equilibrium_report(const pio_session *s)
{
    const bool f32 = !strcmp(s->engine.table->precision, "f32");
    pio_step_record r, worst = {0};
    double displacement = 0;
    char moved[80] = "how far that moves it is not known, as its stiffness is not positive definite";
    int64_t at = 0;
    report_adjoint(s, f32);
    for (int64_t k = 0; k < s->model->steps && record_of(s, k, &r); k++) {
        displacement = fmax(displacement, r.displacement);
        if (!(r.displacement_error > worst.displacement_error)) continue;
        worst = r;
        at = k;
    }
    if (!s->model->fem || !(worst.displacement_error > s->model->fem->desc.newton_tolerance * displacement)) return;
    if (isfinite(worst.displacement_error))
        snprintf(moved, sizeof moved, "that puts the displacement off by about %.2g of itself",
                 worst.displacement_error / displacement);
    pio_log_message(
        s->call.log, PIO_WARNING,
        "step %lld: numbers of %d digits leave %.2g of the forces out of balance, and %s; solver.tolerance is %g%s",
        (long long)at, f32 ? 7 : 16, worst.residual, moved, s->model->fem->desc.newton_tolerance,
        f32 ? "; f64 would be right" : "");
}

double pio_equilibrium_error_bound(const pio_session *s, int64_t sweep)
{
    const double epsilon = strcmp(s->engine.table->precision, "f32") ? DBL_EPSILON : (double)FLT_EPSILON;
    double bound = epsilon * s->adjoint.sample_terms[sweep];
    pio_step_record r;
    for (int64_t k = 0; k < s->adjoint.n_records && record_of(s, k, &r); k++) {
        const int parts = s->scene->fem.integrator == PIO_STATIC
                              ? 1
                              : r.parts; /* in a static step the residual forces of earlier parts have no effect */
        bound += parts * s->adjoint.records[sweep * s->model->steps + k].adjoint * r.residual * r.forces;
    }
    return bound;
}
