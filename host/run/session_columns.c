/* session_columns.c -- see session_columns.h. */
#include "host/run/session_columns.h"

#include "host/base/fail.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Steps in the order in which they are tried. Differences err by h^2 of a third derivative and by the noise of a run
 * over h: with 1e-12, of long sums and of a solver that has converged, both are about 1e-8 at the first. */
static const double steps[] = {1e-4, 1e-3, 1e-5};
enum { STEPS = sizeof steps / sizeof *steps };

typedef struct {
    pio_session *s;
    const double *z;              /* [n] where */
    double *at;                   /* [n] where a run is made */
    double *here, *first, *other; /* [rows] residuals at z, and of two runs */
    double *column;               /* [rows] a new column */
    double *error;                /* [n] of the columns that r_bar has, relative; infinite before there is one */
    double *memory;               /* that of these arrays */
    bool here_known;              /* there was a run at z */
} columns;

static bool allocate(columns *c, pio_session *s, const double *z)
{
    const size_t n = (size_t)s->model->n_variables, rows = (size_t)s->residuals.n;
    *c = (columns){.s = s, .z = z, .memory = calloc(2 * n + 4 * rows, sizeof *c->memory)};
    if (!c->memory) return false;
    c->at = c->memory;
    c->error = c->at + n;
    c->here = c->error + n;
    c->first = c->here + rows;
    c->other = c->first + rows;
    c->column = c->other + rows;
    for (size_t v = 0; v < n; v++) c->error[v] = HUGE_VAL;
    return true;
}

/* Returns whether bounds leave a variable no room; then it has no column. */
static bool is_constant(const pio_model *m, int v)
{
    return !(m->lower[v] < m->upper[v]);
}

/* Computes the residuals at z, but for variable v, which is `value`. */
static piola_status run(columns *c, int v, double value, double *r, piola_error *error)
{
    pio_session *s = c->s;
    char name[sizeof s->call.sweep];
    memcpy(name, s->call.sweep, sizeof name);
    memcpy(c->at, c->z, sizeof *c->at * (size_t)s->model->n_variables);
    c->at[v] = value;
    snprintf(s->call.sweep, sizeof s->call.sweep, "%.22srun %u, ", name, (unsigned)++s->adjoint.runs);
    const piola_status rc = pio_session_forward(s, c->at, NULL, error);
    memcpy(s->call.sweep, name, sizeof name);
    if (!rc) memcpy(r, s->evaluation.r, sizeof *r * (size_t)s->residuals.observed);
    return rc;
}

/* Computes the column of variable v with step h. */
static piola_status difference(columns *c, int v, double h, piola_error *error)
{
    const pio_model *m = c->s->model;
    const double z = c->z[v], below = z - m->lower[v], above = m->upper[v] - z;
    h = fmin(h, (below + above) / 4);
    const bool central = below >= h && above >= h;
    const double side = central || above >= below ? 1 : -1, low = z - h, high = z + h, next = z + side * h,
                 far = z + 2 * side * h;
    piola_status rc = PIOLA_OK;
    if (!central && !c->here_known) rc = run(c, v, z, c->here, error);
    c->here_known |= !central && !rc;
    if (!rc) rc = run(c, v, central ? high : next, c->first, error);
    if (!rc) rc = run(c, v, central ? low : far, c->other, error);
    for (int j = 0; j < c->s->residuals.observed && !rc; j++)
        c->column[j] = central ? (c->first[j] - c->other[j]) / (high - low)
                               : (4 * c->first[j] - c->other[j] - 3 * c->here[j]) / (far - z);
    return rc;
}

/* Returns the sum of the magnitudes of a column of r_bar. */
static double size_of(const pio_session *s, int v)
{
    double size = 0;
    for (int j = 0; j < s->residuals.observed; j++) size += fabs(s->adjoint.r_bar[j * s->model->n_variables + v]);
    return size;
}

static void keep(columns *c, int v, double error)
{
    const pio_session *s = c->s;
    for (int j = 0; j < s->residuals.observed; j++) s->adjoint.r_bar[j * s->model->n_variables + v] = c->column[j];
    c->error[v] = error;
}

/* Returns by how much a column differs from the adjoint's sum, relative to its own size; what is below a millionth of
 * the largest column is compared to that. */
static double error_of(const columns *c, int v, double largest)
{
    double sum = 0, size = 0;
    for (int j = 0; j < c->s->residuals.observed; j++) {
        sum += pio_residual_sign(j) * c->column[j];
        size += fabs(c->column[j]);
    }
    const double off = fabs(sum - c->s->adjoint.sum_bar[v]);
    return off > 0 ? off / fmax(size, 1e-6 * largest) : 0;
}

/* Computes all columns with the first step, for which there is no sum yet. One that cannot be computed stays without a
 * column. */
static piola_status first_columns(columns *c, piola_error *error)
{
    const pio_model *m = c->s->model;
    for (int v = 0; v < m->n_variables; v++) {
        memset(c->column, 0, sizeof *c->column * (size_t)c->s->residuals.observed);
        const piola_status rc = is_constant(m, v) ? PIOLA_OK : difference(c, v, steps[0] * m->unit[v], error);
        if (rc && rc != PIOLA_NUMERICAL) return rc;
        keep(c, v, rc ? HUGE_VAL : 0);
    }
    return PIOLA_OK;
}

/* Compares the columns with the sum, and computes those that are not good enough again. */
static piola_status better_columns(columns *c, bool *again, piola_error *error)
{
    pio_session *s = c->s;
    const pio_model *m = s->model;
    double largest = 0;
    for (int v = 0; v < m->n_variables; v++) largest = fmax(largest, size_of(s, v));
    for (int v = 0; v < m->n_variables; v++) {
        if (is_constant(m, v)) continue;
        for (int j = 0; j < s->residuals.observed; j++) c->column[j] = s->adjoint.r_bar[j * m->n_variables + v];
        if (isfinite(c->error[v])) c->error[v] = error_of(c, v, largest);
        for (int k = 1; k < STEPS && c->error[v] > PIO_COLUMN_GOOD; k++) {
            const piola_status rc = difference(c, v, steps[k] * m->unit[v], error);
            *again = true;
            if (rc && rc != PIOLA_NUMERICAL) return rc;
            const double off = rc ? HUGE_VAL : error_of(c, v, largest);
            if (off < c->error[v]) keep(c, v, off);
        }
    }
    return PIOLA_OK;
}

/* Keeps the largest error of a column, which must not be above the limit. `near`: the error of the last run that could
 * not be computed. */
static piola_status judge(const columns *c, const piola_error *near, piola_error *error)
{
    pio_session *s = c->s;
    int worst = 0;
    char name[256];
    for (int v = 1; v < s->model->n_variables; v++)
        if (c->error[v] > c->error[worst]) worst = v;
    s->adjoint.columns_error = c->error[worst];
    if (s->adjoint.columns_error <= pio_session_jacobian_limit(s)) return PIOLA_OK;
    pio_model_variable_name(s->model, worst, name, sizeof name);
    if (!isfinite(s->adjoint.columns_error))
        return pio_fail(error, PIOLA_NUMERICAL, "no run beside this value of %s could be computed: %.400s", name,
                        near->message);
    return pio_fail_result(
        error, PIOLA_FAILED_GRADIENT,
        "the derivatives of the residuals with respect to %s, by differences of runs, differ from "
        "an adjoint sweep by %.2g of them, more than %.0e: the objective has a kink or noise here, or "
        "solvers are too inexact; optimizer.jacobian: rows would be right",
        name, s->adjoint.columns_error, pio_session_jacobian_limit(s));
}

static piola_status by_columns(pio_session *s, const double *z, const pio_sweep *extra, piola_error *error)
{
    columns c;
    bool again = extra != NULL;
    piola_error near = {0};
    if (!allocate(&c, s, z)) return pio_fail_memory(error, sizeof *z, "differences of residuals");
    s->adjoint.runs = 0;
    piola_status rc = first_columns(&c, &near);
    const piola_status found = rc ? rc : pio_session_gradient(s, z, NULL, error);
    if (!found) rc = better_columns(&c, &again, &near);
    if (rc) *error = near;
    rc = found ? found : rc;
    if (!rc) rc = judge(&c, &near, error);
    if (!rc && again) rc = pio_session_gradient(s, z, extra, error);
    free(c.memory);
    return rc;
}

piola_status pio_session_jacobian(pio_session *s, const double *z, const pio_sweep *extra, piola_error *error)
{
    const bool some = s->residuals.by_columns && s->residuals.observed > 0;
    const piola_status rc = some ? by_columns(s, z, extra, error) : pio_session_gradient(s, z, extra, error);
    if (rc || !s->residuals.n) return rc;
    const double off = pio_session_rows_error(s), limit = pio_session_jacobian_limit(s);
    if (off <= limit) return PIOLA_OK;
    return pio_fail_result(error, PIOLA_FAILED_GRADIENT,
                           "the sum of r dr/dz differs from the gradient, the result of a sweep of its own, by %.2g of "
                           "the sum of |r dr/dz|, more than %.0e: one of them is wrong, or solvers are too inexact "
                           "(piola check)",
                           off, limit);
}
