/* command_study_check.c -- see command_study_check.h. Directions and steps are those of command_check.c. */
#include "host/command/command_study_check.h"

#include "host/base/fail.h"
#include "host/base/signals.h"
#include "host/results/certificate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 11 };
static const double firsts[] = {1e-3, 8e-3, 6.4e-2, 6.25e-5}; /* first steps, until one of them decides */
static const double rounding = 1e-12;                         /* of a gradient, relative to its largest entry */

/* What the directions share. */
typedef struct {
    pio_study_taylor *check;
    double J, *gradient;   /* at z0; [n] */
    double *direction, *z; /* [n] */
} walk;

static piola_status value_at(const walk *w, double step, double *J, piola_error *error)
{
    const pio_study_problem *p = w->check->problem;
    if (pio_interrupted()) return pio_fail(error, PIOLA_INTERRUPTED, "interrupted by %s", pio_interruption());
    for (size_t v = 0; v < p->n; v++) w->z[v] = p->z0[v] + step * w->direction[v];
    return pio_study_evaluate(w->check->problem, w->z, false, &(pio_study_sums){.J = J}, error);
}

/* Returns whether steps along the direction stay within the bounds. */
static bool within_bounds(const walk *w, double first)
{
    const pio_study_problem *p = w->check->problem;
    bool within = true;
    for (size_t v = 0; v < p->n; v++)
        within &= p->z0[v] - first * fabs(w->direction[v]) >= p->lower[v] &&
                  p->z0[v] + first * fabs(w->direction[v]) <= p->upper[v];
    return within;
}

/* Compares J at steps that begin with `first` with the slope. */
static piola_status compare(const walk *w, const char *name, double first, pio_taylor_row *row, piola_error *error)
{
    double step[STEPS], plus[STEPS], minus[STEPS], slope = 0, scale = 0, largest = 0;
    for (int k = 0; k < STEPS; k++) {
        step[k] = ldexp(first, -k);
        piola_status rc = value_at(w, step[k], &plus[k], error);
        if (!rc) rc = value_at(w, -step[k], &minus[k], error);
        if (rc) return rc;
    }
    for (size_t v = 0; v < w->check->problem->n; v++) {
        slope += w->gradient[v] * w->direction[v];
        scale += fabs(w->gradient[v] * w->direction[v]);
        largest = fmax(largest, fabs(w->gradient[v]));
    }
    scale = fmax(scale, rounding * largest); /* the gradient's own rounding is the least scale */
    const pio_taylor_direction d = {.name = name,
                                    .J0 = w->J,
                                    .adjoint = slope,
                                    .n = STEPS,
                                    .step = step,
                                    .plus = plus,
                                    .minus = minus,
                                    .tolerance = w->check->tolerance,
                                    .weight = largest > rounding * fabs(w->J) ? largest : fabs(w->J),
                                    .scale = scale > 0 ? scale : fabs(w->J)};
    pio_taylor_check(&d, row);
    return PIOLA_OK;
}

static void print_rows(pio_log *log, const pio_taylor_row *row)
{
    char *text = NULL, *rest = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to) return;
    if (row)
        pio_taylor_print_row(to, row);
    else
        pio_taylor_print_header(to);
    if (fclose(to) == 0)
        for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
            pio_log_message(log, PIO_INFO, "%s", line);
    free(text);
}

/* Tests the direction, scaled so that its largest entry is 1. */
static piola_status try_direction(walk *w, const char *name, piola_error *error)
{
    pio_study_taylor *c = w->check;
    pio_taylor_row *row = &c->rows[c->n];
    double largest = 0;
    for (size_t v = 0; v < c->problem->n; v++) largest = fmax(largest, fabs(w->direction[v]));
    for (size_t v = 0; v < c->problem->n && largest > 0; v++) w->direction[v] /= largest;
    piola_status rc = compare(w, name, firsts[0], row, error);
    for (size_t i = 1; !rc && i < sizeof firsts / sizeof *firsts && row->verdict == PIO_TAYLOR_INCONCLUSIVE; i++)
        if (within_bounds(w, firsts[i])) rc = compare(w, name, firsts[i], row, error);
    if (rc) return rc;
    print_rows(c->log, row);
    c->n++;
    return PIOLA_OK;
}

/* Returns a number that is uniform in [-1, 1), as command_check.c. */
static double next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(*state >> 11) * 0x1p-52 - 1;
}

static piola_status all_directions(walk *w, piola_error *error)
{
    const pio_study_problem *p = w->check->problem;
    const pio_study *study = p->call->study;
    uint64_t state = (uint64_t)study->own.common.seed + 1;
    piola_status rc = PIOLA_OK;
    for (int d = 0; !rc && d < study->own.gradient.check_directions; d++) {
        char name[32];
        snprintf(name, sizeof name, "random %d", d + 1);
        for (size_t v = 0; v < p->n; v++) w->direction[v] = next_random(&state);
        rc = try_direction(w, name, error);
    }
    if (!rc) memcpy(w->direction, w->gradient, p->n * sizeof *w->direction);
    if (!rc) rc = try_direction(w, "the gradient", error);
    for (size_t k = 0; !rc && k < p->n_parameters; k++) {
        const pio_study_parameter *of = &p->parameters[k];
        size_t best = of->first;
        char name[256];
        for (size_t v = of->first; v < of->first + of->n; v++)
            if (fabs(w->gradient[v]) > fabs(w->gradient[best])) best = v;
        for (size_t v = 0; v < p->n; v++) w->direction[v] = v == best;
        if (of->n == 1)
            snprintf(name, sizeof name, "%.200s", of->path);
        else
            snprintf(name, sizeof name, "%.200s[%zu]", of->path, best - of->first);
        rc = try_direction(w, name, error);
    }
    return rc;
}

piola_status pio_study_taylor_run(pio_study_taylor *check, piola_error *error)
{
    pio_study_problem *p = check->problem;
    const scene_gradient *of = &p->call->study->own.gradient;
    const size_t space = (size_t)of->check_directions + 1 + p->n_parameters;
    double *memory = calloc(3 * p->n + 1, sizeof *memory);
    walk w = {.check = check, .gradient = memory, .direction = memory + p->n, .z = memory + 2 * p->n};
    check->tolerance = of->check_tolerance;
    check->rows = calloc(space, sizeof *check->rows);
    piola_status rc = memory && check->rows ? PIOLA_OK : pio_fail_memory(error, space * sizeof *check->rows, "a check");
    if (!rc) rc = pio_study_evaluate(p, p->z0, false, &(pio_study_sums){.J = &w.J, .gradient = w.gradient}, error);
    if (!rc) {
        pio_log_message(check->log, PIO_INFO, "check: %zu variables, tolerance %g, %d halvings from %g", p->n,
                        check->tolerance, STEPS - 1, firsts[0]);
        print_rows(check->log, NULL);
        rc = all_directions(&w, error);
    }
    if (!rc) rc = pio_study_evaluate(p, p->z0, false, &(pio_study_sums){.J = &w.J}, error);
    free(memory);
    return rc;
}

static size_t count(const pio_study_taylor *check, pio_taylor_verdict verdict)
{
    size_t n = 0;
    for (size_t i = 0; i < check->n; i++) n += check->rows[i].verdict == verdict;
    return n;
}

piola_status pio_study_taylor_verdict(const pio_study_taylor *check, piola_error *error)
{
    const size_t passed = count(check, PIO_TAYLOR_PASSED), failed = count(check, PIO_TAYLOR_FAILED);
    if (passed == check->n) return PIOLA_OK;
    return pio_fail(error, PIOLA_NO, "%s: %zu of %zu directions passed at tolerance %g, %zu failed, %zu undecided",
                    failed ? "the gradient is not the derivative" : "undecided, which is not a pass", passed, check->n,
                    check->tolerance, failed, check->n - passed - failed);
}

void pio_study_taylor_json(const pio_study_taylor *check, pio_json *json)
{
    const size_t passed = count(check, PIO_TAYLOR_PASSED), failed = count(check, PIO_TAYLOR_FAILED);
    pio_json_begin_object(json, "check");
    pio_json_bool(json, "passed", passed == check->n);
    pio_json_string(json, "verdict", passed == check->n ? "passed" : failed ? "FAILED" : "undecided");
    pio_json_integer(json, "failed", (int64_t)failed);
    pio_json_integer(json, "undecided", (int64_t)(check->n - passed - failed));
    pio_json_double(json, "tolerance", check->tolerance);
    pio_check_rows_json(check->rows, check->n, json, "rows");
    pio_json_end_object(json);
}
