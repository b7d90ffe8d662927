/* optimizer_bench.h -- objectives with known minima, and callbacks that count, fail, stop and record on demand. */
#ifndef PIOLA_TESTS_OPTIMIZER_BENCH_H
#define PIOLA_TESTS_OPTIMIZER_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "host/optimize/optimizer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_MAX = 64, RECORD_MAX = 20000 };

typedef struct record {
    size_t n, m, size;
    double *z, *J, *gradient, *c; /* c: and its gradients after it */
    pio_evaluation *list;
} record;

typedef struct task {
    size_t n;
    double (*function)(const struct task *t, const double *z, double *gradient);
    void (*constraints)(const struct task *t, const double *z, double *c, double *c_gradient); /* of m, or NULL */
    size_t m;
    double factor;            /* on J and its gradient */
    double gradient_factor;   /* a wrong gradient, for the controls */
    double constraint_factor; /* likewise of the constraints */
    size_t calls;
    size_t fail_at; /* the call that fails, counted from 1; 0: none */
    piola_status fail_with;
    double fail_value;                                    /* J of that call when fail_with is PIOLA_OK */
    bool fail_constraint;                                 /* it is not J that has it: `constraints` sees to it */
    bool (*fails)(const struct task *t, const double *z); /* where no evaluation is possible; NULL: nowhere */
    int stop_at;     /* the iteration at which the callback requests a stop; -1: never */
    int iterations;  /* times the iteration callback was called */
    size_t recorded; /* times on_evaluation was called */
    size_t failures; /* of these: with an evaluation that had failed */
    size_t rejected; /* rejected points that the last iteration received */
    char words[200]; /* why the last of them had */
    double last_J;
    bool rose;
    record *record;
} task;

static inline double rosenbrock(const task *t, const double *z, double *g)
{
    double J = 0;
    for (size_t i = 0; i < t->n; i++) g[i] = 0;
    for (size_t i = 0; i + 1 < t->n; i++) {
        double a = 1 - z[i], b = z[i + 1] - z[i] * z[i];
        J += a * a + 100 * b * b;
        g[i] += -2 * a - 400 * z[i] * b;
        g[i + 1] += 200 * b;
    }
    return J;
}

/* sum w_i (z_i - c_i)^2 + 3, w_i = 1 + i, c_i = i/10: the minimum is 3 at c, or at c clamped to the bounds. */
static inline double quadratic(const task *t, const double *z, double *g)
{
    double J = 3;
    for (size_t i = 0; i < t->n; i++) {
        double w = 1 + (double)i, d = z[i] - 0.1 * (double)i;
        J += w * d * d;
        g[i] = 2 * w * d;
    }
    return J;
}

static inline piola_status evaluate(void *context, const double *z, double *J, double *gradient, double *c,
                                    double *c_gradient, piola_error *error)
{
    task *t = context;
    t->calls++;
    if (t->calls == t->fail_at && t->fail_with != PIOLA_OK) {
        error->status = t->fail_with;
        snprintf(error->message, sizeof error->message, "step 17: particle 4 left the domain");
        return t->fail_with;
    }
    if (t->fails && t->fails(t, z)) {
        error->status = PIOLA_NUMERICAL;
        snprintf(error->message, sizeof error->message, "step 17: particle 4 left the domain");
        return PIOLA_NUMERICAL;
    }
    *J = t->factor * t->function(t, z, gradient);
    for (size_t i = 0; i < t->n; i++) gradient[i] *= t->factor * t->gradient_factor;
    if (t->m) t->constraints(t, z, c, c_gradient);
    for (size_t i = 0; i < t->m * t->n; i++) c_gradient[i] *= t->constraint_factor;
    if (t->calls == t->fail_at && !t->fail_constraint) *J = t->fail_value;
    return PIOLA_OK;
}

static inline piola_status iteration(void *context, const pio_iteration *at, piola_error *error)
{
    task *t = context;
    (void)error;
    assert_int_equal(at->number, t->iterations);
    if (at->number > 0 && at->at.J >= t->last_J) t->rose = true;
    t->last_J = at->at.J;
    t->rejected = at->rejected;
    t->iterations++;
    return at->number == t->stop_at ? PIOLA_INTERRUPTED : PIOLA_OK;
}

static inline piola_status on_evaluation(void *context, size_t number, const pio_evaluation *at, piola_error *error)
{
    task *t = context;
    record *r = t->record;
    t->recorded++;
    assert_int_equal(isnan(at->J) != 0, error->message[0] != '\0');
    t->failures += isnan(at->J) != 0;
    if (isnan(at->J)) snprintf(t->words, sizeof t->words, "%.199s", error->message);
    if (!r) return PIOLA_OK;
    assert_int_equal(number, r->size);
    assert_true(r->size < RECORD_MAX);
    memcpy(r->z + r->size * r->n, at->z, r->n * sizeof *r->z);
    memcpy(r->gradient + r->size * r->n, at->gradient, r->n * sizeof *r->z);
    r->J[r->size] = at->J;
    const size_t width = r->m * (1 + r->n);
    double *c = r->c + r->size * width;
    for (size_t j = 0; j < r->m; j++) c[j] = at->c[j];
    for (size_t k = 0; k < r->m * r->n; k++) c[r->m + k] = at->c_gradient[k];
    r->list[r->size] = (pio_evaluation){r->z + r->size * r->n, at->J, r->gradient + r->size * r->n, c, c + r->m};
    r->size++;
    return PIOLA_OK;
}

static inline record new_record(size_t n, size_t m)
{
    record r = {.n = n, .m = m};
    r.c = calloc(m * (n + 1) * RECORD_MAX + 1, sizeof *r.c);
    r.z = calloc(2 * n * RECORD_MAX, sizeof *r.z);
    r.J = calloc(RECORD_MAX, sizeof *r.J);
    r.list = calloc(RECORD_MAX, sizeof *r.list);
    assert_true(r.z && r.J && r.list && r.c);
    r.gradient = r.z + n * RECORD_MAX;
    return r;
}

static inline void free_record(record *r)
{
    free(r->z);
    free(r->J);
    free(r->c);
    free(r->list);
}

/* ---- a problem with arrays ------------------------------------------------------------------------------- */

typedef struct bench {
    task t;
    pio_optimizer_problem p;
    pio_optimizer_definition d;
    double z0[N_MAX], lower[N_MAX], upper[N_MAX];
} bench;

static inline void set_up(bench *b, pio_optimizer_type type, size_t n,
                          double (*function)(const task *, const double *, double *))
{
    memset(b, 0, sizeof *b);
    b->t =
        (task){.n = n, .function = function, .factor = 1, .gradient_factor = 1, .constraint_factor = 1, .stop_at = -1};
    for (size_t i = 0; i < n; i++) {
        b->z0[i] = i % 2 ? 1 : -1.2; /* Rosenbrock's start */
        b->lower[i] = -HUGE_VAL;
        b->upper[i] = HUGE_VAL;
    }
    b->p = (pio_optimizer_problem){.n = n,
                                   .z0 = b->z0,
                                   .lower = b->lower,
                                   .upper = b->upper,
                                   .context = &b->t,
                                   .evaluate = evaluate,
                                   .iteration = iteration,
                                   .on_evaluation = on_evaluation};
    b->d = (pio_optimizer_definition){.type = type,
                                      .max_iterations = 200,
                                      .learning_rate = 0.05,
                                      .stop_objective = -HUGE_VAL,
                                      .feasibility = 1e-8,
                                      .rounding = 1e-12};
}

static inline void say(const char *name, const bench *b, const pio_optimizer_result *r)
{
    printf("%-34s %-5s J %.3e pg %.1e  %d iterations %zu evaluations; %s\n", name, pio_optimizer_name(b->d.type), r->J,
           r->projected_gradient, r->iterations, r->evaluations, r->sentence);
}

static inline double distance(const double *a, const double *b, size_t n)
{
    double d = 0;
    for (size_t i = 0; i < n; i++) d = fmax(d, fabs(a[i] - b[i]));
    return d;
}

#endif
