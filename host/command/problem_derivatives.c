/* problem_derivatives.c -- derivatives of the observations of a problem, by adjoint sweeps; see problem.h. */
#include "host/command/problem.h"

#include "host/base/fail.h"

#include <math.h>
#include <string.h>

size_t piola_samples(const piola_problem *p)
{
    return (size_t)p->session->model->n_samples;
}

/* Runs the adjoint sweeps of functions at the problem's z. */
static piola_status sweep(piola_problem *p, const pio_session_functions *of, double J_bar, pio_problem_sweeps sweeps,
                          piola_error *error)
{
    const pio_sweep extra = {.check_every = pio_problem_check_every(p)};
    pio_problem_begin(p);
    const piola_status rc = pio_session_derivatives(p->session, p->z, of, J_bar, &extra, error);
    p->evaluated = rc == PIOLA_OK;
    p->sweeps = sweeps;
    return pio_problem_end(p, rc);
}

/* ---- one function ------------------------------------------------------------------------------------------- */

typedef struct {
    const piola_problem *problem;
    const piola_cotangents *bar;
} cotangent;

static void cotangent_slope(void *context, int64_t i, double *samples_bar)
{
    const cotangent *c = context;
    (void)i;
    for (size_t k = 0; k < piola_samples(c->problem); k++)
        samples_bar[k] = c->bar->J * samples_bar[k] + (c->bar->samples ? c->bar->samples[k] : 0);
}

static piola_status check_cotangents(const piola_problem *p, const piola_cotangents *bar, piola_error *error)
{
    if (!isfinite(bar->J)) return pio_fail(error, PIOLA_USAGE, "the cotangent of J is %g; it must be finite", bar->J);
    if (p->session->objective.n == 0 && fabs(bar->J) > 0)
        return pio_fail(error, PIOLA_USAGE, "the scene has no objective: the cotangent of J is %g and must be 0",
                        bar->J);
    if (!bar->samples) return PIOLA_OK;
    const piola_status rc =
        pio_problem_room("the list of cotangents of observations", bar->n_samples, piola_samples(p), error);
    for (size_t k = 0; !rc && k < piola_samples(p); k++)
        if (!isfinite(bar->samples[k]))
            return pio_fail(error, PIOLA_USAGE, "cotangent %zu of the observations is %g; it must be finite", k,
                            bar->samples[k]);
    return rc;
}

piola_status piola_pullback(piola_problem *p, const double *values, const piola_cotangents *bar, double *gradient,
                            size_t size, piola_error *error)
{
    const pio_session *s = p->session;
    cotangent c = {p, bar};
    const pio_session_functions one = {.n = 1, .slope = cotangent_slope, .context = &c};
    piola_error own = {0};
    if (!error) error = &own;
    piola_status rc = pio_problem_room("the gradient", size, piola_variables(p), error);
    if (!rc) rc = check_cotangents(p, bar, error);
    if (!rc) rc = pio_problem_design(p, values, error);
    if (!rc) rc = sweep(p, &one, bar->J, PIO_PROBLEM_PULLBACK, error);
    if (!rc) pio_problem_derivatives(p, s->adjoint.z_bar, s->adjoint.value_bar, gradient);
    return rc;
}

/* ---- all values --------------------------------------------------------------------------------------------- */

typedef struct {
    const piola_problem *problem;
    double *jacobian; /* [samples][variables] */
} rows;

static void row_slope(void *context, int64_t i, double *samples_bar)
{
    const rows *r = context;
    memset(samples_bar, 0, sizeof *samples_bar * piola_samples(r->problem));
    samples_bar[i] = 1;
}

static void set_row(void *context, int64_t i)
{
    const rows *r = context;
    const pio_session_adjoint *a = &r->problem->session->adjoint;
    pio_problem_derivatives(r->problem, a->z_bar, a->value_bar, r->jacobian + (size_t)i * piola_variables(r->problem));
}

piola_status piola_jacobian(piola_problem *p, const double *values, double *jacobian, size_t size, piola_error *error)
{
    const size_t samples = piola_samples(p), variables = piola_variables(p);
    rows r = {p, jacobian};
    const pio_session_functions each = {
        .n = (int64_t)samples, .slope = row_slope, .on_function = set_row, .context = &r};
    piola_error own = {0};
    if (!error) error = &own;
    if (samples == 0) return pio_fail(error, PIOLA_USAGE, "the scene has no observations to differentiate");
    if (variables && samples > SIZE_MAX / sizeof *jacobian / variables)
        return pio_fail(error, PIOLA_NO_MEMORY, "no memory has room for %zu x %zu derivatives", samples, variables);
    piola_status rc = pio_problem_room("the Jacobian", size, samples * variables, error);
    if (!rc) rc = pio_problem_design(p, values, error);
    return rc ? rc : sweep(p, &each, 0, PIO_PROBLEM_JACOBIAN, error);
}
