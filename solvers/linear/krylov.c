/* krylov.c -- see krylov.h. What is computed: kernels/linear/krylov.h. */
#include "solvers/linear/krylov.h"
#include "solvers/engine/sim.h"

#include <math.h>
#include <stdio.h>

#define HAS(k, method) ((k)->methods >> (method)&1u)

typedef struct {
    const pio_krylov *k;
    pio_queue *q;
    const pio_linop *op;
    const real *b;
    real *x;
    const pio_krylov_options *options;
    int n;             /* unknowns */
    const int *active; /* limit of launches */
    krylov_state *now; /* the state that is valid */
    const uint64_t *fault;
    krylov_state seen; /* at the last check */
    int64_t downloads;
    const char *why; /* it was interrupted, or NULL */
} solve;

void pio_krylov_layout(pio_krylov *k, pio_arena *arena, int64_t unknowns, unsigned methods, int restart)
{
    *k = (pio_krylov){.unknowns = unknowns, .methods = methods, .small.m = restart};
    const int vectors = HAS(k, PIO_MINRES) ? 8 : HAS(k, PIO_PCG) ? 5 : 1;
    TAKE(arena, k->state, 2);
    for (int v = 0; v < vectors; v++) TAKE(arena, k->vector[v], unknowns);
    if (!HAS(k, PIO_GMRES)) return;
    const size_t m = (size_t)restart;
    TAKE(arena, k->basis, (m + 1) * (size_t)unknowns);
    TAKE(arena, k->small.h, m * (m + 1));
    TAKE(arena, k->small.c, m);
    TAKE(arena, k->small.s, m);
    TAKE(arena, k->small.g, m + 1);
    TAKE(arena, k->small.y, m);
}

/* ---- steps that all methods share ------------------------------------------------------------------------ */

static void call(solve *s, int (*function)(void *, const void *, void *), const real *x, real *y)
{
    if (s->q->error.code) return;
    const int rc = function(s->op->context, x, y);
    if (!rc || s->q->error.code) return;
    s->q->error.code = rc;
    snprintf(s->q->error.message, sizeof s->q->error.message, "the linear operator failed with code %d", rc);
}

static void apply(solve *s, const real *x, real *y)
{
    call(s, s->op->apply, x, y);
}

static void precondition(solve *s, const real *x, real *y)
{
    if (s->op->precondition)
        call(s, s->op->precondition, x, y);
    else
        pio_queue_copy(s->q, y, x, sizeof *y * (size_t)s->n);
}

static void dot(solve *s, const real *a, const real *b, wide *result)
{
    pio_sum(s->q, krylov_dot, s->n, s->active, result, .a = a, .b = b);
}

/* r = b - A x and its length */
static void residual(solve *s, real *r)
{
    apply(s, s->x, r);
    pio_sum(s->q, krylov_residual, s->n, NULL, &s->k->state->dot_r, .b = s->b, .r = r);
}

/* Downloads the scalars; returns 1 while the method runs. */
static int check_progress(solve *s)
{
    pio_queue_download(s->q, &s->seen, s->now, sizeof s->seen);
    s->downloads++;
    if (!s->why && s->options->interrupted) s->why = s->options->interrupted();
    return !s->why && !s->q->error.code && s->seen.stop == KRYLOV_RUNNING;
}

static void swap(real **a, real **b)
{
    real *t = *a;
    *a = *b;
    *b = t;
}

/* ---- PCG: vectors r, z, p, q ------------------------------------------------------------------------------ */

static void run_pcg(solve *s)
{
    krylov_state *state = s->k->state;
    real *r = s->k->vector[0], *z = s->k->vector[1], *p = s->k->vector[2], *q = s->k->vector[3];
    precondition(s, r, z);
    dot(s, r, z, &state->dot_z);
    pio_map(s->q, pcg_beta, 1, s->active, .state = state, .first = 1);
    pio_queue_copy(s->q, p, z, sizeof *p * (size_t)s->n);
    do {
        for (int i = 0; i < s->options->check_every; i++) {
            apply(s, p, q);
            dot(s, p, q, &state->dot_a);
            pio_map(s->q, pcg_alpha, 1, s->active, .state = state);
            pio_sum(s->q, pcg_update, s->n, s->active, &state->dot_r, .state = state, .p = p, .q = q, .x = s->x,
                    .r = r);
            precondition(s, r, z);
            dot(s, r, z, &state->dot_z);
            pio_map(s->q, pcg_beta, 1, s->active, .state = state);
            pio_map(s->q, pcg_direction, s->n, s->active, .state = state, .z = z, .p = p);
        }
    } while (check_progress(s));
}

/* ---- PCG in few launches: vectors r, z, p, q, and the r of the next iteration -------------------------------- */

enum { RECORDED = 8 }; /* iterations that are recorded together: an even number, after which all is where it was */

/* One iteration, after which state and residual are the other ones. */
static void short_iteration(solve *s, real **r, real **next_r)
{
    krylov_state *now = s->now, *next = s->k->state + (now == s->k->state);
    real *z = s->k->vector[1], *p = s->k->vector[2], *q = s->k->vector[3];
    if (!s->q->error.code && s->op->apply_active(s->op->context, &now->active_rows, p, q)) return;
    pio_sum(s->q, krylov_dot, s->n, &now->active, &now->dot_a, .a = p, .b = q);
    pio_sum(s->q, pcg_advance, s->n, NULL, &next->dot_z, .from = now, .to = next, .p = p, .q = q, .r = *r,
            .inverse = s->op->inverse, .x = s->x, .next_r = *next_r, .z = z);
    pio_sum(s->q, pcg_conjugate, s->n, &next->active, &next->dot_r, .state = next, .z = z, .r = *next_r, .p = p);
    s->now = next;
    swap(r, next_r);
}

/* Iterations up to the next check, and what the check will see: the state of a method that has stopped is verified. */
static void short_iterations(solve *s, real **r, real **next_r)
{
    real *q = s->k->vector[3];
    for (int i = 0; i < s->options->check_every; i++) {
        const int last = i % RECORDED == RECORDED - 1 || i == s->options->check_every - 1;
        if (i % RECORDED == 0) pio_queue_record(s->q);
        short_iteration(s, r, next_r);
        if (last) pio_queue_play(s->q);
    }
    apply(s, s->x, q);
    pio_sum(s->q, krylov_residual, s->n, NULL, &s->now->dot_v, .b = s->b, .r = q);
    pio_map(s->q, pcg_verify, 1, NULL, .state = s->now, .stagnation = 0.5, .fault = s->fault);
}

/* From x, of which r has the residual, to the end: the host checks only when iterations have been made. */
static void run_short_pcg(solve *s)
{
    real *r = s->k->vector[0], *next_r = s->k->vector[4], *z = s->k->vector[1];
    int running = 1;
    while (running) {
        const int restarts = s->seen.restarts;
        precondition(s, r, z);
        dot(s, r, z, &s->now->dot_z);
        pio_queue_copy(s->q, s->k->vector[2], z, sizeof *z * (size_t)s->n);
        do {
            short_iterations(s, &r, &next_r);
            running = check_progress(s);
        } while (running && s->seen.restarts == restarts);
        if (running) pio_queue_copy(s->q, r, s->k->vector[3], sizeof *r * (size_t)s->n);
    }
}

/* ---- MINRES: vectors r, y of three iterations, z of two, w of two ------------------------------------------ */

static void run_minres(solve *s)
{
    krylov_state *state = s->k->state;
    real *r = s->k->vector[0], *older = s->k->vector[1], *y = s->k->vector[2], *p = s->k->vector[3];
    real *z = s->k->vector[4], *z_next = s->k->vector[5], *w = s->k->vector[6], *w_older = s->k->vector[7];
    pio_queue_copy(s->q, y, r, sizeof *y * (size_t)s->n);
    pio_queue_zero(s->q, w, sizeof *w * (size_t)s->n);
    pio_queue_zero(s->q, w_older, sizeof *w * (size_t)s->n);
    precondition(s, y, z);
    dot(s, y, z, &state->dot_z);
    pio_map(s->q, minres_open, 1, s->active, .state = state);
    do {
        for (int i = 0; i < s->options->check_every; i++) {
            apply(s, z, p);
            pio_sum(s->q, minres_project, s->n, s->active, &state->dot_a, .state = state, .z = z, .older = older,
                    .p = p);
            pio_map(s->q, minres_orthogonalise, s->n, s->active, .state = state, .y = y, .p = p);
            precondition(s, p, z_next);
            dot(s, p, z_next, &state->dot_z);
            pio_map(s->q, minres_rotate, 1, s->active, .state = state);
            pio_sum(s->q, minres_update, s->n, s->active, &state->dot_r, .state = state, .z = z, .w = w, .next = p,
                    .older = w_older, .x = s->x, .r = r);
            pio_map(s->q, minres_judge, 1, s->active, .state = state);
            swap(&older, &y); /* older, y, p <- y, p, room */
            swap(&y, &p);
            swap(&z, &z_next);
            swap(&w, &w_older);
        }
    } while (check_progress(s));
}

/* ---- GMRES: the basis, and z ------------------------------------------------------------------------------ */

/* Column k: w = A M^-1 v_k, orthogonal to v_0 .. v_k. Each projection is taken off by the launch of the next. */
static void gmres_column(solve *s, int k)
{
    krylov_state *state = s->k->state;
    const gmres_small *t = &s->k->small;
    const size_t n = (size_t)s->n;
    real *v = s->k->basis, *w = v + n * ((size_t)k + 1), *z = s->k->vector[0];
    wide *h = t->h + (size_t)k * ((size_t)t->m + 1);
    precondition(s, v + n * (size_t)k, z);
    apply(s, z, w);
    for (int j = 0; j <= k + 1; j++)
        pio_sum(s->q, gmres_project, s->n, s->active, j <= k ? h + j : &state->dot_z, .w = w, .h = j ? h + j - 1 : NULL,
                .v = j ? v + n * ((size_t)j - 1) : NULL, .u = j <= k ? v + n * (size_t)j : NULL);
    pio_map(s->q, gmres_rotate, 1, s->active, .state = state, .t = *t, .k = k);
    pio_map(s->q, gmres_normalise, s->n, s->active, .state = state, .v = w);
}

/* One cycle from the residual in v_0. */
static void run_gmres(solve *s)
{
    krylov_state *state = s->k->state;
    const gmres_small *t = &s->k->small;
    real *z = s->k->vector[0], *v = s->k->basis, *u = v + (size_t)s->n * (size_t)t->m;
    int running = 1;
    pio_map(s->q, gmres_open, 1, s->active, .state = state, .t = *t);
    pio_map(s->q, gmres_normalise, s->n, s->active, .state = state, .v = v);
    for (int k = 0; k < t->m && running; k++) {
        gmres_column(s, k);
        if ((k + 1) % s->options->check_every == 0 && k + 1 < t->m) running = check_progress(s);
    }
    pio_map(s->q, gmres_solve, 1, NULL, .state = state, .t = *t);
    pio_map(s->q, gmres_combine, s->n, NULL, .state = state, .n = s->n, .v = v, .y = t->y, .u = u);
    precondition(s, u, z);
    pio_map(s->q, krylov_add, s->n, NULL, .z = z, .x = s->x);
}

/* ---- a solve --------------------------------------------------------------------------------------------- */

/* Checks what a solve is given. PIOLA_BAD_DATA, PIOLA_INTERNAL. */
static piola_status check_arguments(const pio_krylov *k, const pio_linop *op, const pio_krylov_options *o,
                                    piola_error *error)
{
    const piola_status rc = pio_linop_accepts(o->method, op->kind, error);
    if (rc) return rc;
    if (o->method != PIO_PCG && o->method != PIO_MINRES && o->method != PIO_GMRES)
        return sim_fail(error, PIOLA_BAD_DATA, "this method is not iterative; use PCG, MINRES or GMRES");
    if (!HAS(k, o->method) || k->unknowns < op->unknowns || (o->method == PIO_GMRES && k->small.m < 1))
        return sim_fail(error, PIOLA_INTERNAL, "a workspace of %lld unknowns is not for this method with %lld unknowns",
                        (long long)k->unknowns, (long long)op->unknowns);
    if (op->unknowns < 1 || op->unknowns > PIO_MOST_ITEMS)
        return sim_fail(error, PIOLA_BAD_DATA, "%lld unknowns; 1 to %d can be solved for", (long long)op->unknowns,
                        PIO_MOST_ITEMS);
    if (!op->apply) return sim_fail(error, PIOLA_INTERNAL, "the operator has no product");
    if (!(o->tolerance > 0 && o->tolerance < 1) || o->max_iterations < 1 || o->check_every < 1)
        return sim_fail(
            error, PIOLA_BAD_DATA,
            "tolerance %g, %d iterations, a check every %d: 0 < tolerance < 1 and at least 1 of both is right",
            o->tolerance, o->max_iterations, o->check_every);
    return PIOLA_OK;
}

static piola_status fail_with_message(const pio_krylov_result *r, const pio_krylov_options *o, piola_error *error)
{
    static const char *const names[] = {[PIO_PCG] = "PCG", [PIO_MINRES] = "MINRES", [PIO_GMRES] = "GMRES"};
    const char *name = names[o->method];
    const int i = r->iterations;
    switch (r->stop) {
    case KRYLOV_CONVERGED:
        return PIOLA_OK;
    case KRYLOV_LIMIT:
        return sim_fail(error, PIOLA_NUMERICAL,
                        "%s has not converged in %d iterations: |b - A x| / |b| is %.4g, not %.4g", name, i,
                        r->relative, o->tolerance);
    case KRYLOV_STAGNATED:
        return sim_fail(
            error, PIOLA_NUMERICAL,
            "%s stagnates at iteration %d: |b - A x| / |b| is %.4g, not %.4g, and falls no further; numbers "
            "have about %d digits here",
            name, i, r->relative, o->tolerance, sizeof(real) == sizeof(float) ? 7 : 16);
    case KRYLOV_NEGATIVE_CURVATURE:
        return sim_fail(error, PIOLA_NUMERICAL,
                        "%s, iteration %d: negative curvature, p . A p = %.6g: the operator is not positive definite; "
                        "MINRES would be right",
                        name, i, r->value);
    case KRYLOV_BREAKDOWN:
        return sim_fail(
            error, PIOLA_NUMERICAL,
            "%s breaks down at iteration %d with pivot %.6g: the operator is singular; |b - A x| / |b| is %.4g", name,
            i, r->value, r->relative);
    case KRYLOV_PRECONDITIONER:
        return sim_fail(error, PIOLA_NUMERICAL,
                        "%s, iteration %d: r . M^-1 r = %.6g: the preconditioner is not positive definite", name, i,
                        r->value);
    default:
        return sim_fail(error, PIOLA_NUMERICAL, "%s, iteration %d: a value is not finite (%g)", name, i,
                        fabs(r->value));
    }
}

static piola_status explain(const pio_krylov_result *r, const pio_krylov_options *o, piola_error *error)
{
    static const piola_failure_kind kinds[] = {[KRYLOV_LIMIT] = PIOLA_FAILED_LINEAR_LIMIT,
                                               [KRYLOV_STAGNATED] = PIOLA_FAILED_STAGNATION,
                                               [KRYLOV_NEGATIVE_CURVATURE] = PIOLA_FAILED_NEGATIVE_CURVATURE,
                                               [KRYLOV_BREAKDOWN] = PIOLA_FAILED_SINGULAR,
                                               [KRYLOV_PRECONDITIONER] = PIOLA_FAILED_PRECONDITIONER,
                                               [KRYLOV_NOT_FINITE] = PIOLA_FAILED_NOT_FINITE};
    const piola_status rc = fail_with_message(r, o, error);
    if (rc && error) error->failure = (piola_failure){.kind = kinds[r->stop], .step = -1, .residual = r->relative};
    return rc;
}

static void fill(const solve *s, pio_krylov_result *r)
{
    *r = (pio_krylov_result){.stop = s->seen.stop,
                             .iterations = s->seen.iterations,
                             .restarts = s->seen.restarts,
                             .downloads = s->downloads,
                             .rhs = sqrt(s->seen.rhs),
                             .residual = sqrt(s->seen.residual),
                             .value = s->seen.value,
                             .fault = s->seen.fault};
    r->relative = s->seen.rhs <= 0 ? 0 : r->residual / r->rhs;
}

piola_status pio_krylov_solve(const pio_krylov *k, pio_queue *q, const pio_krylov_system *system,
                              const pio_krylov_options *options, pio_krylov_result *result, piola_error *error)
{
    static void (*const run[])(solve *) = {[PIO_PCG] = run_pcg, [PIO_MINRES] = run_minres, [PIO_GMRES] = run_gmres};
    const int gmres = options->method == PIO_GMRES;
    *result =
        (pio_krylov_result){.residual = (double)NAN, .relative = (double)NAN}; /* a zero would be read as success */
    const piola_status rc = check_arguments(k, system->op, options, error);
    if (rc) return rc;
    solve s = {
        .k = k, .q = q, .op = system->op, .b = system->b, .x = system->x, .options = options, .fault = system->fault};
    s.n = (int)s.op->unknowns;
    s.now = k->state;
    s.active = &k->state->active;
    real *r = gmres ? k->basis : k->vector[0];
    pio_sum(q, krylov_dot, s.n, NULL, &k->state->dot_b, .a = s.b, .b = s.b);
    residual(&s, r);
    pio_map(q, krylov_begin, 1, NULL, .state = k->state, .unknowns = s.n, .max_iterations = options->max_iterations,
            .tolerance = options->tolerance);
    const int few = options->few_launches && options->method == PIO_PCG && s.op->apply_active &&
                    (s.op->inverse || !s.op->precondition);
    if (few) run_short_pcg(&s);
    int running = !few && check_progress(&s);
    while (running) {
        run[options->method](&s);
        if (s.why) break;
        residual(&s, r);
        pio_map(q, krylov_verify, 1, NULL, .state = k->state,
                .stagnation = gmres                 ? 0.999
                              : options->drift_ends ? 0
                                                    : 0.5);
        running = check_progress(&s);
    }
    if (s.seen.stop == KRYLOV_CONVERGED && s.seen.rhs <= 0) {
        pio_queue_zero(q, s.x, sizeof *s.x * (size_t)s.n);
        s.seen.residual = 0;
    }
    if (q->error.code) return sim_fail(error, PIOLA_UNAVAILABLE, "%s", q->error.message); /* the check has waited */
    fill(&s, result);
    if (s.why)
        return sim_fail(error, PIOLA_INTERRUPTED, "interrupted by %s after %d iterations of a linear solve", s.why,
                        result->iterations);
    return explain(result, options, error);
}
