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

/* A function of the design: number 0 is J of the study, the others are the constraints of the experiments. */
typedef struct {
    char name[200];      /* of experiment and constraint, with a colon and a space behind; "" for J */
    size_t at;           /* of a constraint: its number among the constraints and residuals of all experiments */
    double J, *gradient; /* at z0; [n] */
    double plus[STEPS], minus[STEPS];
} function;

/* What the directions share. */
typedef struct {
    pio_study_taylor *check;
    function *functions; /* [n_functions] */
    size_t n_functions;
    double *direction, *z, *c; /* [n], [n], [constraints and residuals of all experiments] */
} walk;

static piola_status values_at(const walk *w, double step, int k, piola_error *error)
{
    pio_study_problem *p = w->check->problem;
    double J = 0;
    if (pio_interrupted()) return pio_fail(error, PIOLA_INTERRUPTED, "interrupted by %s", pio_interruption());
    for (size_t v = 0; v < p->n; v++) w->z[v] = p->z0[v] + step * w->direction[v];
    const piola_status rc = pio_study_evaluate(p, w->z, false, &(pio_study_sums){.J = &J, .c = w->c}, error);
    for (size_t f = 0; !rc && f < w->n_functions; f++)
        *(step > 0 ? &w->functions[f].plus[k] : &w->functions[f].minus[k]) = f ? w->c[w->functions[f].at] : J;
    return rc;
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

/* Compares a function at the steps with its slope. */
static void judge(const walk *w, const function *f, const char *direction, const double *step, pio_taylor_row *row)
{
    double slope = 0, scale = 0, largest = 0;
    char name[460];
    for (size_t v = 0; v < w->check->problem->n; v++) {
        slope += f->gradient[v] * w->direction[v];
        scale += fabs(f->gradient[v] * w->direction[v]);
        largest = fmax(largest, fabs(f->gradient[v]));
    }
    scale = fmax(scale, rounding * largest); /* the gradient's own rounding is the least scale */
    snprintf(name, sizeof name, "%s%s", f->name, direction);
    const pio_taylor_direction d = {.name = name,
                                    .J0 = f->J,
                                    .adjoint = slope,
                                    .n = STEPS,
                                    .step = step,
                                    .plus = f->plus,
                                    .minus = f->minus,
                                    .tolerance = w->check->tolerance,
                                    .weight = largest > rounding * fabs(f->J) ? largest : fabs(f->J),
                                    .scale = scale > 0 ? scale : fabs(f->J)};
    pio_taylor_check(&d, row);
}

/* Compares the undecided functions from .. to - 1 at steps that begin with `first`. */
static piola_status compare(const walk *w, const char *name, size_t from, size_t to, double first, piola_error *error)
{
    double step[STEPS];
    for (int k = 0; k < STEPS; k++) {
        step[k] = ldexp(first, -k);
        piola_status rc = values_at(w, step[k], k, error);
        if (!rc) rc = values_at(w, -step[k], k, error);
        if (rc) return rc;
    }
    for (size_t f = from; f < to; f++) {
        pio_taylor_row *row = &w->check->rows[w->check->n + f - from];
        if (row->verdict == PIO_TAYLOR_INCONCLUSIVE) judge(w, &w->functions[f], name, step, row);
    }
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

static bool is_undecided(const walk *w, size_t rows)
{
    bool undecided = false;
    for (size_t i = 0; i < rows; i++) undecided |= w->check->rows[w->check->n + i].verdict == PIO_TAYLOR_INCONCLUSIVE;
    return undecided;
}

/* Tests the functions from .. to - 1 along the direction, scaled so that its largest entry is 1. */
static piola_status try_direction(walk *w, const char *name, size_t from, size_t to, piola_error *error)
{
    pio_study_taylor *c = w->check;
    double largest = 0;
    for (size_t v = 0; v < c->problem->n; v++) largest = fmax(largest, fabs(w->direction[v]));
    for (size_t v = 0; v < c->problem->n && largest > 0; v++) w->direction[v] /= largest;
    for (size_t f = from; f < to; f++) c->rows[c->n + f - from].verdict = PIO_TAYLOR_INCONCLUSIVE;
    piola_status rc = compare(w, name, from, to, firsts[0], error);
    for (size_t i = 1; !rc && i < sizeof firsts / sizeof *firsts && is_undecided(w, to - from); i++)
        if (within_bounds(w, firsts[i])) rc = compare(w, name, from, to, firsts[i], error);
    for (size_t f = from; !rc && f < to; f++) print_rows(c->log, &c->rows[c->n++]);
    return rc;
}

/* Returns a number that is uniform in [-1, 1), as command_check.c. */
static double next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(*state >> 11) * 0x1p-52 - 1;
}

static piola_status parameter_directions(walk *w, piola_error *error)
{
    const pio_study_problem *p = w->check->problem;
    const double *gradient = w->functions[0].gradient;
    piola_status rc = PIOLA_OK;
    for (size_t k = 0; !rc && k < p->n_parameters; k++) {
        const pio_study_parameter *of = &p->parameters[k];
        size_t best = of->first;
        char name[256];
        if (of->tied) continue;
        for (size_t v = of->first; v < of->first + of->n; v++)
            if (fabs(gradient[v]) > fabs(gradient[best])) best = v;
        for (size_t v = 0; v < p->n; v++) w->direction[v] = v == best;
        if (of->n == 1)
            snprintf(name, sizeof name, "%.200s", of->path);
        else
            snprintf(name, sizeof name, "%.200s[%zu]", of->path, best - of->first);
        rc = try_direction(w, name, 0, w->n_functions, error);
    }
    return rc;
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
        rc = try_direction(w, name, 0, w->n_functions, error);
    }
    for (size_t f = 0; !rc && f < w->n_functions; f++) {
        memcpy(w->direction, w->functions[f].gradient, p->n * sizeof *w->direction);
        rc = try_direction(w, "the gradient", f, f + 1, error);
    }
    return rc ? rc : parameter_directions(w, error);
}

/* Names the functions, and evaluates them and their gradients [m + rows][n] at z0. */
static piola_status begin(walk *w, double *gradients, piola_error *error)
{
    pio_study_problem *p = w->check->problem;
    const pio_study_sums to = {&w->check->J, w->functions[0].gradient, w->c, gradients};
    const piola_status rc = pio_study_evaluate(p, p->z0, false, &to, error);
    size_t at = 0, f = 1;
    w->functions[0].J = w->check->J;
    for (size_t e = 0; !rc && e < p->work.n; e++) {
        const pio_study_part *part = &p->parts[e];
        for (size_t i = 0; i < part->m; i++) {
            function *of = &w->functions[f++];
            snprintf(of->name, sizeof of->name, "%.64s: %.120s: ", p->call->study->experiments[e].name,
                     part->constraints[i]);
            of->at = at + i;
            of->J = w->c[of->at];
            of->gradient = gradients + of->at * p->n;
        }
        at += part->m + part->rows;
    }
    return rc;
}

piola_status pio_study_taylor_run(pio_study_taylor *check, piola_error *error)
{
    pio_study_problem *p = check->problem;
    const scene_gradient *of = &p->call->study->own.gradient;
    const size_t all = p->m + p->rows, space = ((size_t)of->check_directions + 1 + p->n_parameters) * (1 + p->m);
    double *memory = calloc(3 * p->n + all + 1, sizeof *memory), *gradients = calloc(all * p->n + 1, sizeof *gradients);
    walk w = {.check = check, .n_functions = 1 + p->m, .functions = calloc(1 + p->m, sizeof *w.functions)};
    check->tolerance = of->check_tolerance;
    check->rows = calloc(space, sizeof *check->rows);
    piola_status rc = memory && gradients && w.functions && check->rows
                          ? PIOLA_OK
                          : pio_fail_memory(error, (all + 3) * p->n * sizeof *memory, "a check");
    if (!rc) {
        w.functions[0].gradient = memory;
        w.direction = memory + p->n;
        w.z = w.direction + p->n;
        w.c = w.z + p->n;
        rc = begin(&w, gradients, error);
    }
    if (!rc) {
        pio_log_message(check->log, PIO_INFO, "check: %zu variables, tolerance %g, %d halvings from %g", p->n,
                        check->tolerance, STEPS - 1, firsts[0]);
        print_rows(check->log, NULL);
        rc = all_directions(&w, error);
    }
    if (!rc) rc = pio_study_evaluate(p, p->z0, false, &(pio_study_sums){.J = &check->J}, error);
    free(memory);
    free(gradients);
    free(w.functions);
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
