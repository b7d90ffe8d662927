/* fit.c -- see fit.h. */
#include "host/results/fit.h"

#include "host/base/fail.h"
#include "host/optimize/student.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SHOWN = 12, MOST_WRITTEN = 50 }; /* free variables in the log; with covariances in result.json */
static const double confidence = 0.95, takes_part = 1e-3;

typedef char name[256];

static double square_sum(const pio_session *s)
{
    double sum = 0;
    for (int j = 0; j < s->residuals.n; j++) sum += s->evaluation.r[j] * s->evaluation.r[j];
    return sum;
}

piola_status pio_fit_create(pio_fit *out, const pio_session *s, const double *z, piola_error *error)
{
    const pio_model *m = s->model;
    const size_t all = (size_t)m->n_variables, rows = (size_t)s->residuals.n;
    *out = (pio_fit){.variable = calloc(all, sizeof *out->variable), .slope = calloc(all, sizeof *out->slope)};
    double *of_free = calloc(rows * all + 1, sizeof *of_free);
    if (!out->variable || !out->slope || !of_free) {
        free(of_free);
        return pio_fail_memory(error, rows * all * sizeof *of_free, "the errors of a fit");
    }
    for (int v = 0; v < m->n_variables; v++)
        if (z[v] > m->lower[v] && z[v] < m->upper[v]) out->variable[out->n++] = v;
    for (int i = 0; i < out->n; i++) {
        out->slope[i] = pio_variable_slope(m, out->variable[i], s->evaluation.filtered);
        for (size_t j = 0; j < rows; j++)
            of_free[j * (size_t)out->n + (size_t)i] = s->adjoint.r_bar[j * all + (size_t)out->variable[i]];
    }
    const int degrees = s->residuals.n - out->n;
    out->variance = degrees > 0 ? square_sum(s) / degrees : (double)NAN;
    out->student = degrees > 0 ? pio_student(confidence, degrees) : (double)NAN;
    const piola_status rc = pio_covariance_create(&out->linear, of_free, rows, (size_t)out->n, error);
    free(of_free);
    return rc;
}

void pio_fit_free(pio_fit *fit)
{
    free(fit->variable);
    free(fit->slope);
    pio_covariance_free(&fit->linear);
    *fit = (pio_fit){0};
}

static double covariance(const pio_fit *f, int i, int j)
{
    return f->variance * f->linear.covariance[i * f->n + j] * f->slope[i] * f->slope[j];
}

static double standard_error(const pio_fit *f, int i)
{
    return sqrt(covariance(f, i, i));
}

static const pio_parameter *parameter_of(const pio_session *s, int v)
{
    int k = 0;
    while (k + 1 < s->model->n_parameters && s->model->parameters[k + 1].first <= v) k++;
    return &s->model->parameters[k];
}

static void write_parameter(const pio_fit *f, const pio_session *s, int i, pio_json *json)
{
    const int v = f->variable[i];
    const double value = s->evaluation.values[v], error = standard_error(f, i), wide = f->student * error;
    name text;
    pio_model_variable_name(s->model, v, text, sizeof text);
    pio_json_begin_object(json, NULL);
    pio_json_string(json, "variable", text);
    pio_json_string(json, "unit", parameter_of(s, v)->unit);
    pio_json_double(json, "value", value);
    pio_json_double(json, "standard_error", error);
    pio_json_double(json, "lower", value - wide);
    pio_json_double(json, "upper", value + wide);
    pio_json_end_object(json);
}

/* Writes the covariance of the values, or their correlation. */
static void write_matrix(const pio_fit *f, bool correlation, pio_json *json)
{
    double row[MOST_WRITTEN];
    pio_json_begin_array(json, correlation ? "correlation" : "covariance");
    for (int i = 0; i < f->n; i++) {
        for (int j = 0; j < f->n; j++)
            row[j] = correlation ? (i == j ? 1 : covariance(f, i, j) / (standard_error(f, i) * standard_error(f, j)))
                                 : covariance(f, i, j);
        pio_json_doubles(json, NULL, row, (size_t)f->n);
    }
    pio_json_end_array(json);
}

static void write_unknown(const pio_fit *f, const pio_session *s, pio_json *json)
{
    pio_json_begin_array(json, "not_identifiable");
    for (size_t k = f->linear.n - f->linear.unknown; k < f->linear.n; k++) {
        pio_json_begin_object(json, NULL);
        pio_json_double(json, "singular_value", f->linear.singular[k]);
        pio_json_begin_array(json, "combination");
        for (int i = 0; i < f->n; i++) {
            const double part = f->linear.combination[k * f->linear.n + (size_t)i];
            name text;
            if (!(fabs(part) > takes_part)) continue;
            pio_model_variable_name(s->model, f->variable[i], text, sizeof text);
            pio_json_begin_object(json, NULL);
            pio_json_string(json, "variable", text);
            pio_json_double(json, "coefficient", part);
            pio_json_end_object(json);
        }
        pio_json_end_array(json);
        pio_json_end_object(json);
    }
    pio_json_end_array(json);
}

void pio_fit_json(const pio_fit *f, const pio_session *s, pio_json *json)
{
    const bool few = f->n <= MOST_WRITTEN;
    pio_json_begin_object(json, "least_squares");
    pio_json_integer(json, "residuals", s->residuals.n);
    pio_json_integer(json, "sweeps", s->memory.schedule.sweeps);
    pio_json_string(json, "jacobian", s->residuals.by_columns ? "columns" : "rows");
    pio_json_integer(json, "runs", s->adjoint.runs);
    if (s->residuals.by_columns) pio_json_double(json, "columns_error", s->adjoint.columns_error);
    pio_json_double(json, "rows_error", pio_session_rows_error(s));
    pio_json_integer(json, "free_variables", f->n);
    pio_json_double(json, "variance", f->variance);
    pio_json_doubles(json, "singular_values", f->linear.singular, f->linear.n);
    write_unknown(f, s, json);
    pio_json_begin_array(json, "parameters");
    for (int i = 0; i < f->n && few; i++) write_parameter(f, s, i, json);
    pio_json_end_array(json);
    if (few) write_matrix(f, false, json);
    if (few) write_matrix(f, true, json);
    pio_json_end_object(json);
}

void pio_fit_log(const pio_fit *f, const pio_session *s)
{
    for (int i = 0; i < f->n && i < SHOWN; i++) {
        const int v = f->variable[i];
        const char *unit = parameter_of(s, v)->unit;
        const double wide = f->student * standard_error(f, i);
        name text;
        if (!isfinite(wide)) continue;
        pio_model_variable_name(s->model, v, text, sizeof text);
        pio_log_message(s->call.log, PIO_INFO, "%s = %.6g%s%s +- %.2g%s%s (95 %%)", text, s->evaluation.values[v],
                        *unit ? " " : "", unit, wide, *unit ? " " : "", unit);
    }
    if (!isfinite(f->variance))
        pio_log_message(s->call.log, PIO_INFO,
                        "no errors: %d residuals do not show by how much %d free variables may be off", s->residuals.n,
                        f->n);
    for (size_t k = f->linear.n - f->linear.unknown; k < f->linear.n; k++) {
        char list[500] = "";
        int used = 0;
        for (int i = 0; i < f->n && used < 400; i++) {
            const double part = f->linear.combination[k * f->linear.n + (size_t)i];
            name text;
            if (!(fabs(part) > takes_part)) continue;
            pio_model_variable_name(s->model, f->variable[i], text, sizeof text);
            used += snprintf(list + used, sizeof list - (size_t)used, "%s%.2g %.80s", used ? ", " : "", part, text);
        }
        pio_log_message(s->call.log, PIO_WARNING,
                        "not identifiable: J does not change with this combination of scaled variables: %s", list);
    }
}
