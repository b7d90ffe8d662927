/* fit.c -- see fit.h. */
#include "host/results/fit.h"

#include "host/base/fail.h"
#include "host/optimize/student.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SHOWN = 12, MOST_WRITTEN = 50 }; /* free variables in the log; with covariances in result.json */
static const double confidence = 0.95, takes_part = 1e-3;

static double square_sum(const pio_fit_end *at)
{
    double sum = 0;
    for (size_t j = 0; j < at->rows; j++) sum += at->r[j] * at->r[j];
    return sum;
}

piola_status pio_fit_create(pio_fit *out, const pio_fit_end *at, piola_error *error)
{
    *out = (pio_fit){.rows = at->rows, .cost = at->cost, .variable = calloc(at->n + 1, sizeof *out->variable)};
    double *of_free = calloc(at->rows * at->n + 1, sizeof *of_free);
    size_t *number = calloc(at->n + 1, sizeof *number);
    if (!out->variable || !of_free || !number) {
        free(of_free);
        free(number);
        return pio_fail_memory(error, at->rows * at->n * sizeof *of_free, "the errors of a fit");
    }
    for (size_t v = 0; v < at->n; v++)
        if (at->z[v] > at->lower[v] && at->z[v] < at->upper[v]) number[out->n++] = v;
    for (size_t i = 0; i < out->n; i++) {
        pio_fitted *f = &out->variable[i];
        f->unit = at->name(at->context, number[i], f->name, sizeof f->name);
        f->value = at->value[number[i]];
        f->slope = at->slope[number[i]];
        for (size_t j = 0; j < at->rows; j++) of_free[j * out->n + i] = at->r_bar[j * at->n + number[i]];
    }
    const bool more = at->rows > out->n;
    out->variance = more ? square_sum(at) / (double)(at->rows - out->n) : (double)NAN;
    out->student = more ? pio_student(confidence, (int)(at->rows - out->n)) : (double)NAN;
    const piola_status rc = pio_covariance_create(&out->linear, of_free, at->rows, out->n, error);
    free(of_free);
    free(number);
    return rc;
}

/* Returns the unit of a variable of a session, and its name. */
static const char *name_of(const void *session, size_t variable, char *out, size_t size)
{
    const pio_model *m = ((const pio_session *)session)->model;
    const int v = (int)variable;
    int k = 0;
    while (k + 1 < m->n_parameters && m->parameters[k + 1].first <= v) k++;
    pio_model_variable_name(m, v, out, size);
    return m->parameters[k].unit;
}

piola_status pio_fit_of_session(pio_fit *out, const pio_session *s, const double *z, piola_error *error)
{
    const pio_model *m = s->model;
    double *slope = calloc((size_t)m->n_variables + 1, sizeof *slope);
    *out = (pio_fit){0};
    if (!slope) return pio_fail_memory(error, (size_t)m->n_variables * sizeof *slope, "the errors of a fit");
    for (int v = 0; v < m->n_variables; v++) slope[v] = pio_variable_slope(m, v, s->evaluation.filtered);
    const pio_fit_end at = {.n = (size_t)m->n_variables,
                            .rows = (size_t)s->residuals.n,
                            .z = z,
                            .lower = m->lower,
                            .upper = m->upper,
                            .value = s->evaluation.values,
                            .slope = slope,
                            .r = s->evaluation.r,
                            .r_bar = s->adjoint.r_bar,
                            .cost = {.sweeps = s->memory.schedule.sweeps,
                                     .runs = s->adjoint.runs,
                                     .by_columns = s->residuals.by_columns,
                                     .columns_error = s->adjoint.columns_error,
                                     .rows_error = pio_session_rows_error(s)},
                            .name = name_of,
                            .context = s};
    const piola_status rc = pio_fit_create(out, &at, error);
    free(slope);
    return rc;
}

void pio_fit_free(pio_fit *fit)
{
    free(fit->variable);
    pio_covariance_free(&fit->linear);
    *fit = (pio_fit){0};
}

static double covariance(const pio_fit *f, size_t i, size_t j)
{
    return f->variance * f->linear.covariance[i * f->n + j] * f->variable[i].slope * f->variable[j].slope;
}

static double standard_error(const pio_fit *f, size_t i)
{
    return sqrt(covariance(f, i, i));
}

static void write_parameter(const pio_fit *f, size_t i, pio_json *json)
{
    const pio_fitted *of = &f->variable[i];
    const double error = standard_error(f, i), wide = f->student * error;
    pio_json_begin_object(json, NULL);
    pio_json_string(json, "variable", of->name);
    pio_json_string(json, "unit", of->unit);
    pio_json_double(json, "value", of->value);
    pio_json_double(json, "standard_error", error);
    pio_json_double(json, "lower", of->value - wide);
    pio_json_double(json, "upper", of->value + wide);
    pio_json_end_object(json);
}

/* Writes the covariance of the values, or their correlation. */
static void write_matrix(const pio_fit *f, bool correlation, pio_json *json)
{
    double row[MOST_WRITTEN];
    pio_json_begin_array(json, correlation ? "correlation" : "covariance");
    for (size_t i = 0; i < f->n; i++) {
        for (size_t j = 0; j < f->n; j++)
            row[j] = correlation ? (i == j ? 1 : covariance(f, i, j) / (standard_error(f, i) * standard_error(f, j)))
                                 : covariance(f, i, j);
        pio_json_doubles(json, NULL, row, f->n);
    }
    pio_json_end_array(json);
}

static void write_unknown(const pio_fit *f, pio_json *json)
{
    pio_json_begin_array(json, "not_identifiable");
    for (size_t k = f->linear.n - f->linear.unknown; k < f->linear.n; k++) {
        pio_json_begin_object(json, NULL);
        pio_json_double(json, "singular_value", f->linear.singular[k]);
        pio_json_begin_array(json, "combination");
        for (size_t i = 0; i < f->n; i++) {
            const double part = f->linear.combination[k * f->linear.n + i];
            if (!(fabs(part) > takes_part)) continue;
            pio_json_begin_object(json, NULL);
            pio_json_string(json, "variable", f->variable[i].name);
            pio_json_double(json, "coefficient", part);
            pio_json_end_object(json);
        }
        pio_json_end_array(json);
        pio_json_end_object(json);
    }
    pio_json_end_array(json);
}

void pio_fit_json(const pio_fit *f, pio_json *json)
{
    const bool few = f->n <= MOST_WRITTEN;
    pio_json_begin_object(json, "least_squares");
    pio_json_integer(json, "residuals", (int64_t)f->rows);
    pio_json_integer(json, "sweeps", f->cost.sweeps);
    pio_json_string(json, "jacobian", f->cost.by_columns ? "columns" : "rows");
    pio_json_integer(json, "runs", f->cost.runs);
    if (f->cost.by_columns) pio_json_double(json, "columns_error", f->cost.columns_error);
    pio_json_double(json, "rows_error", f->cost.rows_error);
    pio_json_integer(json, "free_variables", (int64_t)f->n);
    pio_json_double(json, "variance", f->variance);
    pio_json_doubles(json, "singular_values", f->linear.singular, f->linear.n);
    write_unknown(f, json);
    pio_json_begin_array(json, "parameters");
    for (size_t i = 0; i < f->n && few; i++) write_parameter(f, i, json);
    pio_json_end_array(json);
    if (few) write_matrix(f, false, json);
    if (few) write_matrix(f, true, json);
    pio_json_end_object(json);
}

/* Logs a combination of variables with which the residuals do not change. */
static void log_unknown(const pio_fit *f, const double *combination, pio_log *log)
{
    char list[500] = "";
    int used = 0;
    for (size_t i = 0; i < f->n && used < 400; i++)
        if (fabs(combination[i]) > takes_part)
            used += snprintf(list + used, sizeof list - (size_t)used, "%s%.2g %.80s", used ? ", " : "", combination[i],
                             f->variable[i].name);
    pio_log_message(log, PIO_WARNING,
                    "not identifiable: J does not change with this combination of scaled variables: %s", list);
}

void pio_fit_log(const pio_fit *f, pio_log *log)
{
    for (size_t i = 0; i < f->n && i < SHOWN; i++) {
        const pio_fitted *of = &f->variable[i];
        const char *space = *of->unit ? " " : "";
        const double wide = f->student * standard_error(f, i);
        if (!isfinite(wide)) continue;
        pio_log_message(log, PIO_INFO, "%s = %.6g%s%s +- %.2g%s%s (95 %%)", of->name, of->value, space, of->unit, wide,
                        space, of->unit);
    }
    if (!isfinite(f->variance))
        pio_log_message(log, PIO_INFO, "no errors: %zu residuals do not show by how much %zu free variables may be off",
                        f->rows, f->n);
    for (size_t k = f->linear.n - f->linear.unknown; k < f->linear.n; k++)
        log_unknown(f, f->linear.combination + k * f->linear.n, log);
}
