/* fem_linear.c -- the linear solves of a mesh: by a factor (fem_direct.c), or by which Krylov method, and what a
 * failure of it means.
 *
 * Dead loads and hyperelastic laws make the Jacobian symmetric, and positive definite at a stable state: conjugate
 * gradients, preconditioned by block-Jacobi. Where a diagonal block is not positive definite, without preconditioner.
 * Where they meet negative curvature,
 *     a Newton direction is that of the projected matrix (fem_newton.c), or, without, the iterate reached so far: it
 *     still descends (Dembo and Steihaug 1983); when that is zero, it is the residual b, as long as the curvature along
 *     it shows: (b . b/|b . K b|) b; an adjoint must be exact: MINRES takes over, which indefinite symmetric operators
 *     permit (Paige and Saunders 1975).
 * Nearly incompressible meshes have pressures beside the displacements, and MINRES (fem_pressure.c).
 * Under `auto` another solver goes on where one fails (fem_standby.c).
 * Follower loads and friction make it general: GMRES, for an adjoint with the transposed operator. Where rounding lets
 * a solve come no further, as in slender bodies, it is refined (refine.h). Where that does not help either, the iterate
 * is a Newton direction too, and the residual of Newton's method shows whether it was enough. */
#include "solvers/fem/fem.h"

#include <math.h>

static const double UNIT_ROUNDOFF = sizeof(real) == 4 ? 6e-8 : 1.1e-16;
/* Tolerance of the first part of a solve by multigrid; what rounding may leave, of the tolerance, at most. */
static const double FIRST_PART = 1e-4, ROUNDED = 0.2;

/* What is to be solved, K x = b or K^T x = b. */
typedef struct {
    const real *b;    /* device [nodes][DIM] */
    real *x;          /* device [nodes][DIM]; a first guess on entry */
    double tolerance; /* of |b - K x|/|b| */
    int iterations;   /* at most */
} request;

/* Iterations between two checks: a check is expensive on a GPU, and so is an iteration by multigrid past the end. */
static int checks(const fem_sim *f, pio_preconditioner by)
{
    if (!f->base.queue.stream) return 1;
    return by == PIO_MULTIGRID ? 4 : 16;
}

static piola_status solve(fem_sim *f, pio_linear_method method, pio_preconditioner by, const request *r,
                          pio_krylov_result *result, piola_error *error)
{
    const pio_linop op = pio_bsr_operator(&f->matrix.bsr, method == PIO_PCG ? PIO_SPD : PIO_SYMMETRIC, by);
    const pio_krylov_options options = {.method = method,
                                        .tolerance = r->tolerance,
                                        .max_iterations = r->iterations,
                                        .check_every = checks(f, by),
                                        .drift_ends = by == PIO_MULTIGRID, /* from there on digits are what it lacks */
                                        .few_launches = f->base.queue.stream != NULL,
                                        .interrupted = f->base.interrupted};
    const pio_krylov_system system = {.op = &op, .b = r->b, .fault = f->matrix.bsr.fault, .x = r->x};
    return pio_krylov_solve(&f->linear.krylov, &f->base.queue, &system, &options, result, error);
}

/* Conjugate gradients with block-Jacobi. With few launches, whether its blocks could be inverted is checked with the
 * solve. */
static piola_status with_jacobi(fem_sim *f, const request *r, pio_krylov_result *result, piola_error *error)
{
    const int few = f->base.queue.stream != NULL;
    piola_status rc = PIOLA_OK;
    if (few)
        pio_bsr_invert_begin(&f->matrix.bsr);
    else
        rc = pio_bsr_invert_diagonal(&f->matrix.bsr, error);
    if (rc) return rc;
    rc = solve(f, PIO_PCG, PIO_BLOCK_JACOBI, r, result, error);
    if (!few || result->downloads == 0 || result->fault == BLOCK_RIGHT) return rc;
    const uint64_t fault = result->fault;
    *result = (pio_krylov_result){0};
    return pio_bsr_invert_end(&f->matrix.bsr, fault, error);
}

/* Sets |K| |x|, entry by entry, times the rounding of a number, relative to |b|: which residual x can have. */
static piola_status measure_rounding(fem_sim *f, const real *x, double rhs, double *rounding, piola_error *error)
{
    pio_queue *q = &f->base.queue;
    double square = 0;
    pio_bsr_magnitude(&f->matrix.bsr, x, f->newton.y);
    pio_sum(q, point_dot, f->mesh.nodes, NULL, f->base.scalar, .x = f->newton.y, .y = f->newton.y);
    pio_queue_download(q, &square, f->base.scalar, sizeof square);
    *rounding = UNIT_ROUNDOFF * sqrt(square) / rhs;
    return sim_failed(&f->base, error);
}

/* Conjugate gradients with multigrid, or *by is not PIO_MULTIGRID. A tight tolerance is reached in two parts: where
 * rounding would end the second above it, what the first has reached is refined instead, in fewer iterations. */
static piola_status with_multigrid(fem_sim *f, const request *r, pio_preconditioner *by, pio_krylov_result *result,
                                   piola_error *error)
{
    piola_status rc = fem_multigrid_ready(f, by, error);
    if (rc || *by != PIO_MULTIGRID) return rc;
    request part = *r;
    double rounding;
    part.tolerance = fmax(r->tolerance, FIRST_PART);
    rc = solve(f, PIO_PCG, PIO_MULTIGRID, &part, result, error);
    if (!rc) fem_multigrid_took(f, result->iterations, part.tolerance);
    if (rc || !(result->relative > r->tolerance)) return rc;
    rc = measure_rounding(f, r->x, result->rhs, &rounding, error);
    if (rc || rounding > ROUNDED * r->tolerance) return rc;
    const int before = result->iterations;
    part.tolerance = r->tolerance;
    part.iterations = r->iterations > before ? r->iterations - before : 1;
    rc = solve(f, PIO_PCG, PIO_MULTIGRID, &part, result, error);
    result->iterations += before;
    return rc;
}

/* Whether a solve has shown its preconditioner not to be positive definite; x is then 0 again. */
static int try_another(fem_sim *f, piola_status rc, const request *r, const pio_krylov_result *result)
{
    if (rc != PIOLA_NUMERICAL || result->stop != KRYLOV_PRECONDITIONER) return 0;
    pio_queue_zero(&f->base.queue, r->x, sizeof(real) * DIM * (size_t)f->mesh.nodes);
    return 1;
}

/* Conjugate gradients from x = 0; iterations of all tries are counted. *by: the preconditioner that was right. */
static piola_status conjugate_gradients(fem_sim *f, const request *r, pio_preconditioner *by, int32_t *iterations,
                                        pio_krylov_result *result, piola_error *error)
{
    *iterations = 0;
    piola_status rc = with_multigrid(f, r, by, result, error);
    if (rc && *by != PIO_MULTIGRID) return rc;
    *iterations = result->iterations;
    if (*by == PIO_MULTIGRID && !try_another(f, rc, r, result)) return rc;
    *by = PIO_BLOCK_JACOBI;
    rc = with_jacobi(f, r, result, error);
    *iterations += result->iterations;
    if (!try_another(f, rc, r, result)) return rc;
    *by = PIO_UNPRECONDITIONED;
    rc = solve(f, PIO_PCG, PIO_UNPRECONDITIONED, r, result, error);
    *iterations += result->iterations;
    return rc;
}

/* x = (b . b/|b . K b|) b */
static piola_status steepest(fem_sim *f, const real *b, real *x, piola_error *error)
{
    pio_queue *q = &f->base.queue;
    const pio_linop op = pio_bsr_operator(&f->matrix.bsr, PIO_SYMMETRIC, PIO_UNPRECONDITIONED);
    double dots[2] = {0};
    if (op.apply(op.context, b, x)) return sim_failed(&f->base, error);
    pio_sum(q, point_dot, f->mesh.nodes, NULL, f->newton.scalars, .x = b, .y = b);
    pio_sum(q, point_dot, f->mesh.nodes, NULL, f->newton.scalars + 1, .x = b, .y = x);
    pio_queue_download(q, dots, f->newton.scalars, sizeof dots);
    const double length = fabs(dots[1]) > 0 ? dots[0] / fabs(dots[1]) : 1;
    fem_combine(f, length, b, 0, b, x);
    return sim_failed(&f->base, error);
}

/* Puts before what a failed solve says in which step it was, and what for. */
static piola_status outcome(const fem_sim *f, piola_status rc, int adjoint, piola_error *error)
{
    if (!rc || !error) return rc;
    const piola_error said = *error;
    piola_failure failure = said.failure;
    if (failure.kind != PIOLA_FAILED_NOT) failure.step = f->base.index;
    if (failure.kind != PIOLA_FAILED_NOT && adjoint) {
        failure.cause = failure.kind;
        failure.kind = PIOLA_FAILED_ADJOINT;
    }
    return sim_fail_as(error, rc, failure, "step %lld, %s: %.1900s", (long long)f->base.index,
                       adjoint ? "the adjoint solve" : "a direction of Newton's method", said.message);
}

/* K x = b, or K^T x = b, from x = 0, K being general. */
static piola_status general(fem_sim *f, int transposed, const request *r, pio_krylov_result *result, piola_error *error)
{
    pio_preconditioner by;
    piola_status rc = fem_multigrid_ready(f, &by, error);
    if (!rc && by == PIO_BLOCK_JACOBI) rc = pio_bsr_invert_diagonal(&f->matrix.bsr, error);
    if (rc) return rc;
    const pio_linop op = pio_bsr_operator(&f->matrix.bsr, f->matrix.kind, by), transpose = pio_linop_transposed(&op);
    const pio_krylov_options options = {.method = PIO_GMRES,
                                        .tolerance = r->tolerance,
                                        .max_iterations = r->iterations,
                                        .check_every = checks(f, by),
                                        .drift_ends = by == PIO_MULTIGRID, /* from there on digits are what it lacks */
                                        .interrupted = f->base.interrupted};
    const pio_krylov_system system = {.op = transposed ? &transpose : &op, .b = r->b, .x = r->x};
    rc = pio_krylov_solve(&f->linear.krylov, &f->base.queue, &system, &options, result, error);
    if (!rc && by == PIO_MULTIGRID) fem_multigrid_took(f, result->iterations, r->tolerance);
    return rc;
}

/* ---- what rounding has ended is refined ------------------------------------------------------------------- */

/* By which method rounding has ended a solve, and with which preconditioner. */
typedef struct {
    fem_sim *f;
    pio_linear_method method;
    pio_preconditioner by;
    int transposed;
} continued;

static piola_status go_on(void *context, const real *b, real *d, double tolerance, int max_iterations,
                          pio_krylov_result *result, piola_error *error)
{
    const continued *c = context;
    const request r = {.b = b, .x = d, .tolerance = tolerance, .iterations = max_iterations};
    return c->method == PIO_GMRES ? general(c->f, c->transposed, &r, result, error)
                                  : solve(c->f, c->method, c->by, &r, result, error);
}

/* Corrects what a solve has reached where `rc`, its status, is that rounding has ended it, or would. */
static piola_status refined(continued c, piola_status rc, const request *r, pio_krylov_result *result,
                            piola_error *error)
{
    fem_sim *f = c.f;
    const pio_refine_request t = {.matrix = &f->matrix.bsr,
                                  .transposed = c.transposed,
                                  .b = r->b,
                                  .x = r->x,
                                  .tolerance = r->tolerance,
                                  .max_iterations = r->iterations,
                                  .solver = go_on,
                                  .context = &c};
    const int stagnated = rc == PIOLA_NUMERICAL && result->stop == KRYLOV_STAGNATED;
    if (!stagnated && (rc || !(result->relative > r->tolerance))) return rc;
    if (error) *error = (piola_error){0};
    return pio_refine_solve(&f->linear.refine, &f->base.queue, &t, result, error);
}

/* ---- directions of Newton's method -------------------------------------------------------------------------- */

/* By iterations on the system with pressures, which do not show negative curvature: its preconditioner does, and a
 * direction along which the energy does not fall. */
static piola_status direction_by_pressures(fem_sim *f, const request *r, int32_t *iterations, pio_krylov_result *result,
                                           piola_error *error)
{
    double along = 0;
    int definite = 1;
    piola_status rc = PIOLA_OK;
    if (f->newton.projection == PIO_PROJECT_AUTO) rc = fem_pressure_definite(f, &definite, error);
    f->linear.indefinite = !definite;
    if (rc || !definite) return rc; /* x = 0: the caller projects */
    rc = fem_pressure_solve(f, r->b, r->x, r->tolerance, r->iterations, result, error);
    *iterations = result->iterations;
    const int stagnated = f->linear.stagnated = result->stop == KRYLOV_STAGNATED;
    const int unsuited = result->stop == KRYLOV_PRECONDITIONER; /* that of an indefinite A */
    if (rc == PIOLA_NUMERICAL && unsuited && f->newton.projection == PIO_PROJECT_AUTO && !f->matrix.projected) {
        f->linear.indefinite = 1;
        pio_queue_zero(&f->base.queue, r->x, sizeof(real) * DIM * (size_t)f->mesh.nodes);
        if (error) *error = (piola_error){0};
        return PIOLA_OK;
    }
    if (rc && !(rc == PIOLA_NUMERICAL && stagnated)) return rc;
    pio_sum(&f->base.queue, point_dot, f->mesh.nodes, NULL, f->base.scalar, .x = r->b, .y = r->x);
    pio_queue_download(&f->base.queue, &along, f->base.scalar, sizeof along);
    f->linear.indefinite = result->rhs > 0 && !(along > 0);
    f->linear.standby.unmet |= stagnated || f->linear.indefinite;
    if (error) *error = (piola_error){0};
    return f->linear.indefinite ? steepest(f, r->b, r->x, error) : sim_failed(&f->base, error);
}

/* By iterations, of which *result says how they ended. */
static piola_status iterated_direction(fem_sim *f, const request *r, int32_t *iterations, pio_krylov_result *result,
                                       piola_error *error)
{
    pio_preconditioner by = PIO_BLOCK_JACOBI;
    const int symmetric = f->matrix.kind != PIO_GENERAL;
    if (f->linear.pressure.count) return direction_by_pressures(f, r, iterations, result, error);
    piola_status rc =
        symmetric ? conjugate_gradients(f, r, &by, iterations, result, error) : general(f, 0, r, result, error);
    const int before = symmetric ? *iterations - result->iterations : 0; /* of a try that was given up */
    rc = refined((continued){f, symmetric ? PIO_PCG : PIO_GMRES, by, 0}, rc, r, result, error);
    *iterations = before + result->iterations;
    const int negative = f->linear.indefinite = result->stop == KRYLOV_NEGATIVE_CURVATURE;
    const int stagnated = f->linear.stagnated = result->stop == KRYLOV_STAGNATED;
    if (rc != PIOLA_NUMERICAL || !(negative || stagnated)) return rc;
    f->linear.standby.unmet = 1;
    if (error) *error = (piola_error){0};
    return negative && result->iterations <= 1 /* the failing one counts */ ? steepest(f, r->b, r->x, error) : PIOLA_OK;
}

/* Whether a solve that has failed may go on by a factor: what is not finite on entry stays so. */
static int may_change(const fem_sim *f, piola_status rc, const pio_krylov_result *result)
{
    return rc == PIOLA_NUMERICAL && f->linear.standby.automatic && isfinite(result->rhs);
}

/* Gets a factor ready to go on where iterations have failed with `failed`, from x = 0. Returns PIOLA_NUMERICAL, with
 * both messages in `failed`, if there can be none. */
static piola_status change(fem_sim *f, const request *r, int iterations, int adjoint, piola_error *failed,
                           piola_error *error)
{
    piola_error said = {0};
    const piola_status rc = fem_standby_ready(f, &said);
    if (rc == PIOLA_NO) {
        fem_standby_advise(f, adjoint, &said, failed);
        return PIOLA_NUMERICAL;
    }
    if (rc) return sim_fail(error, rc, "%.900s; %.900s", failed->message, said.message);
    fem_standby_count(f, 1, failed->failure, iterations);
    f->linear.standby.by_factor = 1;
    pio_queue_zero(&f->base.queue, r->x, sizeof(real) * DIM * (size_t)f->mesh.nodes);
    return PIOLA_OK;
}

/* By a factor; where that shows K to be indefinite, or fails in a run of `auto`, by iterations, unless these have been
 * tried and said `tried`. */
static piola_status factored_direction(fem_sim *f, const request *r, const piola_error *tried, int32_t *iterations,
                                       int32_t *indefinite, piola_error *error)
{
    pio_krylov_result result = {0};
    piola_error said = {0};
    piola_status rc = fem_standby_ready(f, &said);
    if (!rc) rc = fem_direct_newton(f, r->b, r->x, iterations, &said);
    const int unstable = rc == PIOLA_NO;
    f->linear.indefinite = unstable;
    if (unstable) {
        (*indefinite)++;
        if (f->newton.projection == PIO_PROJECT_AUTO && !f->matrix.projected)
            return PIOLA_OK; /* x = 0: the caller projects */
    }
    const int goes_on = unstable || (rc == PIOLA_NUMERICAL && f->linear.standby.automatic);
    if (!goes_on || tried) {
        if (unstable) said.status = PIOLA_NUMERICAL;
        if (rc && error) *error = said;
        if (rc == PIOLA_NUMERICAL || unstable) fem_standby_advise(f, 0, tried, error);
        return unstable ? PIOLA_NUMERICAL : rc;
    }
    if (!unstable) fem_standby_count(f, 0, said.failure, 1);
    pio_queue_zero(&f->base.queue, r->x, sizeof(real) * DIM * (size_t)f->mesh.nodes);
    rc = iterated_direction(f, r, iterations, &result, error);
    if (rc == PIOLA_NUMERICAL) fem_standby_advise(f, 0, unstable ? NULL : &said, error);
    return rc;
}

piola_status fem_solve_newton(fem_sim *f, const real *b, real *x, double tolerance, int32_t *iterations,
                              int32_t *indefinite, piola_error *error)
{
    const request r = {.b = b, .x = x, .tolerance = tolerance, .iterations = f->linear.iterations};
    pio_krylov_result result = {0};
    piola_error failed = {0};
    int32_t before = 0;
    int tried = 0;
    f->linear.indefinite = f->linear.stagnated = 0;
    if (!f->linear.standby.by_factor) {
        piola_status rc = iterated_direction(f, &r, iterations, &result, &failed);
        tried = may_change(f, rc, &result);
        if (tried) rc = change(f, &r, *iterations, 0, &failed, error);
        if (rc == PIOLA_NUMERICAL && !tried) fem_standby_advise(f, 0, NULL, &failed);
        if (rc && error && (rc == PIOLA_NUMERICAL || !tried)) *error = failed;
        if (rc || !tried) return outcome(f, rc, 0, error);
        before = *iterations;
    }
    const piola_status rc = factored_direction(f, &r, tried ? &failed : NULL, iterations, indefinite, error);
    *iterations += before;
    return outcome(f, rc, 0, error);
}

/* ---- an adjoint is solved to its tolerance ----------------------------------------------------------------- */

/* By iterations, refined to the tolerance; *iterations has those of all methods that were tried. */
static piola_status iterated_adjoint(fem_sim *f, const request *r, int32_t *iterations, pio_krylov_result *result,
                                     piola_error *error)
{
    pio_preconditioner by = PIO_BLOCK_JACOBI;
    if (f->matrix.kind == PIO_GENERAL) {
        piola_status rc = general(f, 1, r, result, error);
        rc = refined((continued){f, PIO_GMRES, by, 1}, rc, r, result, error);
        *iterations = result->iterations;
        return rc;
    }
    if (f->linear.pressure.count) {
        const piola_status rc = fem_pressure_solve(f, r->b, r->x, r->tolerance, r->iterations, result, error);
        *iterations = result->iterations;
        if (!try_another(f, rc, r, result)) return rc;
        if (error) *error = (piola_error){0}; /* without pressures, then */
    }
    piola_status rc = conjugate_gradients(f, r, &by, iterations, result, error);
    int before = *iterations - result->iterations; /* of tries that were given up */
    rc = refined((continued){f, PIO_PCG, by, 0}, rc, r, result, error);
    if (rc == PIOLA_NUMERICAL && result->stop == KRYLOV_NEGATIVE_CURVATURE) { /* in the solve, or in a correction */
        if (error) *error = (piola_error){0};
        pio_queue_zero(&f->base.queue, r->x, sizeof(real) * DIM * (size_t)f->mesh.nodes);
        before += result->iterations;
        rc = solve(f, PIO_MINRES, by, r, result, error);
        rc = refined((continued){f, PIO_MINRES, by, 0}, rc, r, result, error);
    }
    *iterations = before + result->iterations;
    return rc;
}

/* By a factor; where that fails in a run of `auto`, by iterations, unless these have been tried and said `tried`. */
static piola_status factored_adjoint(fem_sim *f, const request *r, const piola_error *tried, int32_t *iterations,
                                     double *residual, piola_error *error)
{
    pio_krylov_result result = {0};
    piola_error said = {0};
    piola_status rc = fem_standby_ready(f, &said);
    if (!rc) rc = fem_direct_adjoint(f, r->b, r->x, r->tolerance, iterations, residual, &said);
    const int unstable = rc == PIOLA_NO;
    const int goes_on = unstable || (rc == PIOLA_NUMERICAL && f->linear.standby.automatic);
    if (!goes_on || tried) {
        if (unstable) said.status = PIOLA_NUMERICAL;
        if (rc && error) *error = said;
        if (rc == PIOLA_NUMERICAL || unstable) fem_standby_advise(f, 1, tried, error);
        return unstable ? PIOLA_NUMERICAL : rc;
    }
    if (!unstable) fem_standby_count(f, 0, said.failure, *iterations);
    pio_queue_zero(&f->base.queue, r->x, sizeof(real) * DIM * (size_t)f->mesh.nodes);
    rc = iterated_adjoint(f, r, iterations, &result, error);
    *residual = result.relative;
    if (rc == PIOLA_NUMERICAL) fem_standby_advise(f, 1, unstable ? NULL : &said, error);
    return rc;
}

piola_status fem_solve_adjoint(fem_sim *f, const real *b, real *x, double tolerance, int32_t *iterations,
                               double *residual, piola_error *error)
{
    const request r = {.b = b, .x = x, .tolerance = tolerance, .iterations = f->linear.iterations};
    pio_krylov_result result = {0};
    piola_error failed = {0};
    int32_t before = 0;
    int tried = 0;
    if (!f->linear.standby.by_factor) {
        piola_status rc = iterated_adjoint(f, &r, iterations, &result, &failed);
        *residual = result.relative;
        tried = may_change(f, rc, &result);
        if (tried) rc = change(f, &r, *iterations, 1, &failed, error);
        if (rc == PIOLA_NUMERICAL && !tried) fem_standby_advise(f, 1, NULL, &failed);
        if (rc && error && (rc == PIOLA_NUMERICAL || !tried)) *error = failed;
        if (rc || !tried) return outcome(f, rc, 1, error);
        before = *iterations;
    }
    const piola_status rc = factored_adjoint(f, &r, tried ? &failed : NULL, iterations, residual, error);
    *iterations += before;
    return outcome(f, rc, 1, error);
}
