/* balance.c -- see balance.h. */
#include "host/balance.h"

#include "host/model_fem.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Step number k of the engine's last run; 0: nothing was solved there. */
static int record_of(const pio_session *s, int64_t k, pio_step_record *r)
{
    return s->model->fem && s->engine.table->record(s->sim, k, r) && r->parts > 0;
}

void pio_balance_tell(const pio_session *s)
{
    pio_step_record r, worst = {0};
    double forces = 0;
    int64_t at = 0;
    for (int64_t k = 0; k < s->model->steps && record_of(s, k, &r); k++) {
        forces = fmax(forces, r.forces);
        if (!(r.residual * r.forces > worst.residual * worst.forces)) continue;
        worst = r;
        at = k;
    }
    if (!s->model->fem || !(worst.residual * worst.forces > s->model->fem->desc.newton_tolerance * forces)) return;
    pio_log_say(
        s->log, PIO_WARNING,
        "step %lld: numbers of %d digits leave %.2g of the forces out of balance, more than solver.tolerance %g: "
        "the loads are small beside the rounding of stresses%s",
        (long long)at, strcmp(s->engine.table->precision, "f32") ? 16 : 7, worst.residual,
        s->model->fem->desc.newton_tolerance, strcmp(s->engine.table->precision, "f32") ? "" : "; f64 would be right");
}

double pio_balance_doubt(const pio_session *s, int64_t sweep)
{
    const double epsilon = strcmp(s->engine.table->precision, "f32") ? DBL_EPSILON : (double)FLT_EPSILON;
    double doubt = epsilon * s->terms_of_samples[sweep];
    pio_step_record r;
    for (int64_t k = 0; k < s->n_records && record_of(s, k, &r); k++) {
        const int parts =
            s->scene->integrator == SCENE_STATIC ? 1 : r.parts; /* of a static step only the last one counts */
        doubt += parts * s->records[sweep * s->model->steps + k].adjoint * r.residual * r.forces;
    }
    return doubt;
}
