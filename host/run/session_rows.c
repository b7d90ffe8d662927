/* session_rows.c -- the derivatives of residuals, for Levenberg and Marquardt's method; see session.h. */
#include "host/run/session.h"

#include <math.h>
#include <string.h>

void pio_session_design_rows(pio_session *s)
{
    for (int j = s->residuals.observed; j < s->residuals.n; j++)
        pio_residual_of_design(&s->residuals, j, s->model, s->evaluation.filtered, s->adjoint.filtered_bar,
                               s->adjoint.r_bar + j * s->model->n_variables);
}

double pio_session_jacobian_limit(const pio_session *s)
{
    return !strcmp(s->engine.table->precision, "f32") ? 1e-2 : 1e-4;
}

double pio_session_rows_error(const pio_session *s)
{
    double worst = 0, largest = 0;
    for (int v = 0; v < s->model->n_variables && s->residuals.n; v++) {
        double sum = 0, size = 0;
        if (s->residuals.by_columns && !(s->model->lower[v] < s->model->upper[v])) continue; /* it has no column */
        for (int j = 0; j < s->residuals.n; j++) {
            const double part = s->evaluation.r[j] * s->adjoint.r_bar[j * s->model->n_variables + v];
            sum += part;
            size += fabs(part);
        }
        worst = fmax(worst, fabs(sum - s->adjoint.z_bar[v]));
        largest = fmax(largest, size);
    }
    return largest > 0 ? worst / largest : worst;
}
