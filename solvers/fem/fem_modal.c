/* fem_modal.c -- modal analysis: the lowest eigenfrequencies and shapes of free vibrations about rest,
 *
 *     K phi = lambda M phi,   phi^T M phi = 1,   frequency = sqrt(lambda)/(2 pi)
 *
 * K is the stiffness at rest, with springs, M the mass matrix, consistent or lumped, both of the unknowns that no
 * support constrains. They are those of the linear law, since every law is Hooke's at rest: K phi is what damping by
 * the stiffness makes of a velocity phi with beta = 1 (fem_mass.c), so that its adjoint is that of damping.
 *
 * Eigenvalues are those of Lanczos's method, shifted and inverted (kernels/backend/eigen.h). The shift is below all of
 * them, so that K - shift M is positive definite where a body is free to move, too:
 *
 *     shift = -SHIFT u^T K u/(u^T M u),   u = X - centre of mass
 *
 * the quotient of a uniform stretch, without supports and springs; it is of the order of the first stretching mode. An
 * eigenvalue below ZERO |shift| is that of a rigid motion, and is 0.
 *
 * None may be missing: K - s M is factorised once more, with s in the gap behind the last mode or the cluster that it
 * belongs to, and has as many negative pivots as there are eigenvalues below s (Sylvester's law of inertia; Ericsson
 * and Ruhe 1980). */
#include "solvers/fem/fem.h"
#include "solvers/fem/fem_modal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double SHIFT = 1e-4, ZERO = 1e-8;
static const double TOLERANCE = 1e-13,
                    LOOSE = 1e-8; /* of a solve's residual: wanted; accepted where it falls no further */
enum { MORE = 2, RESTARTS = 3000, ATTEMPTS = 4 }; /* eigenvalues beyond those wanted; restarts; of Lanczos's method */

typedef struct {
    fem_sim *f;
    int n, free;     /* unknowns; those that no support constrains */
    int found;       /* eigenvalues that were computed */
    double *lambda;  /* [found] 1/s^2, ascending */
    double *vectors; /* [found][n] */
    real *host;      /* [n] of a transfer */
    void *problem;   /* of the library */
} eigenproblem;

/* ---- choice and memory ------------------------------------------------------------------------------------------- */

/* Basis of Lanczos's method for so many eigenvalues. */
static int basis_of(int wanted, int free)
{
    const int basis = 2 * wanted + 18;
    return basis < free ? basis : free;
}

static int most_wanted(const fem_sim *f)
{
    const int more = f->modal.modes + MORE + 2 * ATTEMPTS * MORE, most = f->modal.free - 1;
    return more < most ? more : most;
}

piola_status fem_modal_choose(fem_sim *f, const pio_fem_desc *m, char name[128], piola_error *error)
{
    char message[PIO_EIGEN_TEXT] = "";
    const pio_backend *backend = f->base.arena.backend;
    f->modal.free = (int)m->n * DIM - m->n_constrained;
    f->modal.repeated = m->repeated;
    if (sizeof(real) != sizeof(double))
        return sim_fail(error, PIOLA_BAD_DATA, "modal analysis is computed in f64; in f32 it is not to be had");
    if (!backend->eigen)
        return sim_fail(error, PIOLA_UNAVAILABLE,
                        "there is no library of eigenproblems for %s, by which modal analysis is done; a CPU would be "
                        "right",
                        backend->name);
    f->modal.table = pio_eigen_open(backend->eigen, message);
    if (!f->modal.table || f->modal.table->probe(name, message))
        return sim_fail(error, PIOLA_UNAVAILABLE, "no library of eigenproblems for %s: %s", backend->name, message);
    if (f->modal.modes + MORE >= f->modal.free)
        return sim_fail(error, PIOLA_BAD_DATA, "%d modes of a body with %d free unknowns; at most %d are possible",
                        f->modal.modes, f->modal.free, f->modal.free > MORE ? f->modal.free - MORE - 1 : 0);
    const int most = most_wanted(f), n = (int)m->n * DIM;
    f->base.library +=
        f->modal.table->bytes(n, basis_of(most, f->modal.free)) + sizeof(double) * ((size_t)most + 2) * (size_t)n;
    return PIOLA_OK;
}

void fem_modal_layout(fem_sim *f)
{
    const size_t vector = DIM * (size_t)f->mesh.nodes;
    pio_arena *arena = &f->base.arena;
    TAKE(arena, f->modal.shape, vector * (size_t)f->modal.modes);
    TAKE(arena, f->motion.inertia, vector);
    TAKE(arena, f->motion.drag, vector);
    TAKE(arena, f->damping.beta, field_size(f->mesh.elements, 1));
    TAKE(arena, f->damping.k, field_size(f->mesh.elements, PIO_LAW_CONSTANTS));
    TAKE(arena, f->damping.law, f->mesh.elements);
    if (!f->base.adjoint) return;
    TAKE(arena, f->damping.beta_bar, field_size(f->mesh.elements, 1));
    TAKE(arena, f->damping.k_bar, field_size(f->mesh.elements, PIO_LAW_CONSTANTS));
}

void fem_modal_begin(fem_sim *f)
{
    pio_sim *s = &f->base;
    for (int e = 0; e < f->mesh.elements; e++) s->host_transfer[e] = 1;
    pio_queue_upload(&s->queue, s->transfer, s->host_transfer, sizeof(double) * (size_t)f->mesh.elements);
    pio_map(&s->queue, field_write, f->mesh.elements, NULL, .in = s->transfer, .n = f->mesh.elements, .components = 1,
            .component = 0, .out = f->damping.beta);
    pio_queue_zero(&s->queue, f->damping.law, sizeof(int) * (size_t)f->mesh.elements); /* PIO_HYPER_LINEAR */
}

void fem_modal_start(fem_sim *f)
{
    f->modal.ready = 0;
    pio_map(&f->base.queue, fem_damping, f->mesh.elements, NULL, .m = fem_matter_of(f), .plane = f->mesh.plane,
            .beta = f->damping.beta, .out = f->damping.k);
}

/* ---- K, M and their transfers ------------------------------------------------------------------------------------ */

void fem_modal_stiffness(fem_sim *f, const real *x, real *out)
{
    fem_zero_points(f, out);
    fem_damping_force(f, x, out);
    fem_springs(f, x, out);
    pio_halo(&f->base.queue, out);
}

static void mass(fem_sim *f, const real *x, real *out)
{
    fem_zero_points(f, out);
    fem_mass_force(f, x, out);
}

static double dot(fem_sim *f, const real *x, const real *y)
{
    double sum = 0;
    pio_sum(&f->base.queue, point_dot, f->mesh.nodes, NULL, f->base.scalar, .x = x, .y = y);
    pio_queue_download(&f->base.queue, &sum, f->base.scalar, sizeof sum);
    return sum;
}

static void put(const eigenproblem *e, const double *x, real *device)
{
    for (int i = 0; i < e->n; i++) e->host[i] = (real)x[i];
    pio_queue_upload(&e->f->base.queue, device, e->host, sizeof *device * (size_t)e->n);
}

static void get(const eigenproblem *e, const real *device, double *x)
{
    pio_queue_download(&e->f->base.queue, e->host, device, sizeof *device * (size_t)e->n);
    for (int i = 0; i < e->n; i++) x[i] = (double)e->host[i];
}

/* Factorises K - shift M; *negative: the number of eigenvalues below the shift. */
static piola_status factor(fem_sim *f, double shift, int *negative, piola_error *error)
{
    f->modal.shift = shift;
    fem_zero_points(f, f->newton.trial);
    fem_jacobian(f, fem_whole(0), f->newton.trial);
    return pio_direct_factor(&f->linear.direct, 0, negative, error);
}

/* ---- the shift --------------------------------------------------------------------------------------------------- */

/* out = X - c, c the centre of mass of all bodies. */
static void stretch(fem_sim *f, real *out)
{
    pio_queue *q = &f->base.queue;
    pio_queue_copy(q, out, f->mesh.rest, sizeof(real) * DIM * (size_t)f->mesh.nodes);
    for (int c = 0; c < DIM; c++) {
        pio_map(q, point_uniform, f->mesh.nodes, NULL, .step = f->step, .axis = c, .out = f->newton.du);
        mass(f, f->newton.du, f->newton.rhs);
        const double total = dot(f, f->newton.du, f->newton.rhs), moment = dot(f, f->mesh.rest, f->newton.rhs);
        fem_combine(f, 1, out, -moment / total, f->newton.du, out);
    }
}

/* Returns the shift, below all eigenvalues. */
static double shift_of(fem_sim *f)
{
    real *u = f->newton.trial, *forces = f->newton.y;
    stretch(f, u);
    fem_zero_points(f, forces);
    fem_damping_force(f, u, forces);
    mass(f, u, f->newton.rhs);
    return -SHIFT * dot(f, u, forces) / dot(f, u, f->newton.rhs);
}

/* ---- Lanczos's method -------------------------------------------------------------------------------------------- */

/* y = (K - shift M)^-1 b, where free. */
static piola_status invert(fem_sim *f, real *b, real *y, piola_error *error)
{
    pio_direct_result result = {0};
    const pio_direct_request request = {.columns = 1, .b = b, .x = y, .tolerance = TOLERANCE};
    fem_mask_constrained(f, 0, b);
    fem_zero_points(f, y);
    const piola_status rc = pio_direct_solve(&f->linear.direct, &request, &result, error);
    return rc == PIOLA_NUMERICAL && result.relative <= LOOSE ? PIOLA_OK : rc;
}

static piola_status serve(const eigenproblem *e, const pio_eigen_request *r, piola_error *error)
{
    fem_sim *f = e->f;
    real *x = f->newton.du, *b = f->newton.rhs, *y = f->newton.lambda;
    piola_status rc = PIOLA_OK;
    if (r->task == PIO_EIGEN_SOLVE) {
        put(e, r->mx, b);
    } else {
        put(e, r->x, x);
        fem_mask_constrained(f, 0, x);
        mass(f, x, b);
        fem_mask_constrained(f, 0, b);
    }
    if (r->task != PIO_EIGEN_MASS) rc = invert(f, b, y, error);
    if (!rc) get(e, r->task == PIO_EIGEN_MASS ? b : y, r->y);
    f->modal.solves += r->task != PIO_EIGEN_MASS;
    if (!rc && f->base.interrupted && f->base.interrupted())
        rc = sim_fail(error, PIOLA_INTERRUPTED, "interrupted by %s in modal analysis", f->base.interrupted());
    return rc ? rc : sim_failed(&f->base, error);
}

static piola_status failed(pio_eigen_outcome outcome, const char *message, piola_error *error)
{
    if (outcome == PIO_EIGEN_NO_MEMORY) return sim_fail(error, PIOLA_NO_MEMORY, "modal analysis: %s", message);
    if (outcome == PIO_EIGEN_NOT_CONVERGED)
        return sim_fail_as(error, PIOLA_NUMERICAL, sim_failure(PIOLA_FAILED_EIGENVALUES), "modal analysis: %s",
                           message);
    return sim_fail(error, PIOLA_INTERNAL, "modal analysis: %s", message);
}

/* The first vector: numbers without order, the same in every run. */
static void first_vector(double *x, int n)
{
    uint64_t state = UINT64_C(0x9e3779b97f4a7c15);
    for (int i = 0; i < n; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        x[i] = (double)(state >> 11) * 0x1p-53 - 0.5;
    }
}

/* Computes `wanted` eigenvalues from the shift on, of the matrix that is factorised. */
static piola_status lanczos(eigenproblem *e, int wanted, piola_error *error)
{
    fem_sim *f = e->f;
    const pio_eigen_table *t = f->modal.table;
    const pio_eigen_problem problem = {.n = e->n,
                                       .wanted = wanted,
                                       .basis = basis_of(wanted, e->free),
                                       .restarts = RESTARTS,
                                       .shift = f->modal.shift,
                                       .start = e->vectors};
    char message[PIO_EIGEN_TEXT] = "";
    pio_eigen_request request = {.task = PIO_EIGEN_DONE};
    piola_status rc = PIOLA_OK;
    first_vector(e->vectors, e->n);
    pio_eigen_outcome outcome = t->begin(&problem, &e->problem, message);
    if (!outcome) outcome = t->step(e->problem, &request, message);
    while (!rc && !outcome && request.task != PIO_EIGEN_DONE) {
        rc = serve(e, &request, error);
        if (!rc) outcome = t->step(e->problem, &request, message);
    }
    if (!rc && !outcome) outcome = t->result(e->problem, e->lambda, e->vectors, message);
    t->end(e->problem);
    e->problem = NULL;
    e->found = wanted;
    return !rc && outcome ? failed(outcome, message, error) : rc;
}

/* ---- modes ------------------------------------------------------------------------------------------------------- */

int fem_modal_repeated(const fem_sim *f, double lower, double upper)
{
    return upper - lower <= f->modal.repeated * fabs(upper);
}

/* Returns how many of the eigenvalues lie before the first gap behind the modes that are wanted; 0: there is none. */
static int before_gap(const eigenproblem *e)
{
    const double zero = ZERO * fabs(e->f->modal.below_all);
    for (int m = e->f->modal.modes; m < e->found; m++)
        if (e->lambda[m] > zero && !fem_modal_repeated(e->f, fmax(e->lambda[m - 1], 0), e->lambda[m])) return m;
    return 0;
}

/* Counts the eigenvalues below a number in the gap behind the first `m`. */
static piola_status count(eigenproblem *e, int m, int *below, piola_error *error)
{
    const double shift = (fmax(e->lambda[m - 1], 0) + e->lambda[m]) / 2;
    e->f->modal.counted_at = shift;
    return factor(e->f, shift, below, error);
}

/* Computes eigenvalues until a gap is behind those that are wanted and none before it is missing. */
static piola_status complete(eigenproblem *e, piola_error *error)
{
    fem_sim *f = e->f;
    const int most = most_wanted(f);
    int wanted = f->modal.modes + MORE < most ? f->modal.modes + MORE : most, below = 0, gap = 0;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        int negative = 0;
        piola_status rc = factor(f, f->modal.below_all, &negative, error);
        if (!rc && negative)
            return sim_fail_as(
                error, PIOLA_NUMERICAL, sim_failure(PIOLA_FAILED_EIGENVALUES),
                "modal analysis: the stiffness at rest has %d negative eigenvalue%s, and nothing vibrates", negative,
                negative == 1 ? "" : "s");
        if (!rc) rc = lanczos(e, wanted, error);
        if (rc) return rc;
        gap = before_gap(e);
        if (gap) rc = count(e, gap, &below, error);
        if (rc) return rc;
        f->modal.counted = below;
        f->modal.found = gap;
        if (gap && below == gap) return PIOLA_OK;
        if (wanted == most) break;
        wanted = wanted + 2 * MORE < most ? wanted + 2 * MORE : most;
    }
    if (gap)
        return sim_fail_as(error, PIOLA_NUMERICAL, sim_failure(PIOLA_FAILED_EIGENVALUES),
                           "modal analysis: %d eigenvalues were found below %.9g Hz, and by the pivots there are %d",
                           gap, sqrt(f->modal.counted_at) / (2 * M_PI), below);
    return sim_fail_as(
        error, PIOLA_NUMERICAL, sim_failure(PIOLA_FAILED_EIGENVALUES),
        "modal analysis: mode %d is one of a cluster whose end is not among the first %d modes; fewer or "
        "more modes, or a smaller time.repeated, would be right",
        f->modal.modes, e->found);
}

/* Turns a shape so that the first of its components that are as large as any, but for a millionth, is positive. */
static double sign_of(const double *x, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    for (int i = 0; i < n; i++)
        if (fabs(x[i]) >= most * (1 - 1e-6)) return x[i] < 0 ? -1 : 1;
    return 1;
}

/* Makes shape and record of one mode: eigenvalue by Rayleigh's quotient, and the residual |K phi - lambda M phi|
 * relative to that of a vector which is no mode, max(lambda, |shift|) |M phi|. */
static void take_mode(eigenproblem *e, int mode)
{
    fem_sim *f = e->f;
    const double *x = e->vectors + (size_t)mode * (size_t)e->n;
    real *phi = f->modal.shape + (size_t)mode * (size_t)e->n, *Kx = f->newton.rhs, *Mx = f->newton.y;
    put(e, x, phi);
    fem_mask_constrained(f, 0, phi);
    mass(f, phi, Mx);
    fem_combine(f, sign_of(x, e->n) / sqrt(dot(f, phi, Mx)), phi, 0, phi, phi);
    mass(f, phi, Mx);
    fem_modal_stiffness(f, phi, Kx);
    fem_mask_constrained(f, 0, Mx);
    fem_mask_constrained(f, 0, Kx);
    const double quotient = dot(f, phi, Kx) / dot(f, phi, Mx), scale = fabs(f->modal.below_all);
    const double lambda = quotient > ZERO * scale ? quotient : 0, size = sqrt(dot(f, Mx, Mx));
    fem_combine(f, 1, Kx, -lambda, Mx, Kx);
    f->stepping.records[mode] = (pio_step_record){.parts = 1,
                                                  .eigenvalue = lambda,
                                                  .frequency = sqrt(lambda) / (2 * M_PI),
                                                  .residual = sqrt(dot(f, Kx, Kx)) / (fmax(lambda, scale) * size),
                                                  .linear_iterations = mode ? 0 : f->modal.solves,
                                                  .modes_found = f->modal.found,
                                                  .modes_counted = f->modal.counted,
                                                  .counted_at = sqrt(f->modal.counted_at) / (2 * M_PI)};
}

static piola_status solve(fem_sim *f, piola_error *error)
{
    const size_t n = DIM * (size_t)f->mesh.nodes, most = (size_t)most_wanted(f);
    eigenproblem e = {.f = f, .n = (int)n, .free = f->modal.free};
    e.vectors = malloc(sizeof(double) * (most * n + most));
    e.host = malloc(sizeof *e.host * n);
    piola_status rc = PIOLA_OK;
    if (!e.vectors || !e.host) rc = sim_fail(error, PIOLA_NO_MEMORY, "no host memory for %zu modes", most);
    if (!rc) {
        e.lambda = e.vectors + most * n;
        f->modal.solves = 0;
        f->modal.below_all = shift_of(f);
        rc = complete(&e, error);
    }
    for (int mode = 0; !rc && mode < f->modal.modes; mode++) take_mode(&e, mode);
    free(e.vectors);
    free(e.host);
    if (!rc) rc = sim_failed(&f->base, error);
    f->modal.ready = !rc;
    return rc;
}

const real *fem_modal_shape(const fem_sim *f, int64_t state)
{
    return f->modal.shape + (size_t)(state - 1) * DIM * (size_t)f->mesh.nodes;
}

piola_status fem_modal_step(fem_sim *f, piola_error *error)
{
    const piola_status rc = f->modal.ready ? PIOLA_OK : solve(f, error);
    if (rc) return rc;
    fem_keep_origin(f);
    f->base.index++;
    pio_queue_copy(&f->base.queue, f->state.u, fem_modal_shape(f, f->base.index),
                   sizeof(real) * DIM * (size_t)f->mesh.nodes);
    return sim_failed(&f->base, error);
}
