/* study_fit.c -- see study_fit.h. */
#include "host/study/study_fit.h"

#include "host/base/fail.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Returns the parameter of a variable. */
static const pio_study_parameter *parameter_of(const pio_study_problem *p, size_t v)
{
    size_t k = 0;
    while (k + 1 < p->n_parameters && p->parameters[k + 1].first <= v) k++;
    return &p->parameters[k];
}

/* Returns the number of the variable in the experiment that was the first to have it. */
static size_t number_there(const pio_study_parameter *of, size_t v)
{
    return of->of_first + (v - of->first);
}

/* Returns the unit of a variable, and its name. */
static const char *name_of(const void *problem, size_t v, char *out, size_t size)
{
    const pio_study_problem *p = problem;
    const pio_study_parameter *of = parameter_of(p, v);
    snprintf(out, size, "%s", p->parts[of->of].names[number_there(of, v)]);
    return of->unit;
}

/* Appends the residuals of an experiment, with their derivatives spread over the variables of the study. */
static size_t append(const pio_study_problem *p, const pio_study_part *part, double *r, double *r_bar)
{
    memcpy(r, part->r, part->rows * sizeof *r);
    for (size_t j = 0; j < part->rows; j++)
        for (size_t v = 0; v < part->n; v++) r_bar[j * p->n + part->map[v]] = part->r_bar[j * part->n + v];
    return part->rows;
}

/* Adds what the derivatives of an experiment cost. */
static void add_cost(pio_fit_cost *sum, const pio_fit_cost *of)
{
    sum->sweeps += of->sweeps;
    sum->runs += of->runs;
    sum->by_columns |= of->by_columns;
    sum->columns_error = fmax(sum->columns_error, of->columns_error);
    sum->rows_error = fmax(sum->rows_error, of->rows_error);
}

piola_status pio_study_fit(pio_fit *out, const pio_study_problem *p, const double *z, piola_error *error)
{
    const size_t size = p->rows * (p->n + 1) + 2 * p->n + 1;
    double *memory = calloc(size, sizeof *memory);
    *out = (pio_fit){0};
    if (!memory) return pio_fail_memory(error, size * sizeof *memory, "the errors of a fit");
    double *value = memory, *slope = value + p->n, *r = slope + p->n, *r_bar = r + p->rows;
    pio_fit_end at = {.n = p->n,
                      .z = z,
                      .lower = p->lower,
                      .upper = p->upper,
                      .value = value,
                      .slope = slope,
                      .r = r,
                      .r_bar = r_bar,
                      .name = name_of,
                      .context = p};
    for (size_t v = 0; v < p->n; v++) {
        const pio_study_parameter *of = parameter_of(p, v);
        value[v] = p->parts[of->of].values[number_there(of, v)];
        slope[v] = p->parts[of->of].slope[number_there(of, v)];
    }
    for (size_t e = 0; e < p->work.n; e++) {
        const pio_study_part *part = &p->parts[e];
        if (!part->rows || !(p->call->study->experiments[e].weight > 0)) continue;
        at.rows += append(p, part, r + at.rows, r_bar + at.rows * p->n);
        add_cost(&at.cost, &part->cost);
    }
    const piola_status rc = pio_fit_create(out, &at, error);
    free(memory);
    return rc;
}
