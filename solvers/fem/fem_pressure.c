/* fem_pressure.c -- linear solves of nearly incompressible meshes, with the pressures of their elements beside the
 * displacements (kernels/fem/fem_pressure.h).
 *
 * Elements whose dilatation is projected have pressures where nu is above 0.49 in the description, in static runs in
 * f64, as long as the matrix is symmetric and the scene does not request block-Jacobi. Inertia holds a motion's volume
 * better than they do, and f32 has no digits for what they are computed from. The system with them is symmetric and
 * indefinite: MINRES, preconditioned by that of A and a number for each pressure (Paige and Saunders 1975; Elman,
 * Silvester and Wathen 2014, chapter 4). A is the matrix assembled without what the pressures carry, for its
 * preconditioner alone: products are those with K, and what they have too much of is taken off. The residual of K u = f
 * is computed of u alone, and corrected by further solves until it is within the tolerance (refine.h), so that errors
 * of the pressures do not count. */
#include "solvers/fem/fem.h"
#include "kernels/material/hyperelastic_rest.h"

#include <math.h>

static const double FIRST_PART = sizeof(real) == 4 ? 1e-3 : 1e-6; /* of a solve, what refining goes on from */

static int64_t displacements(const fem_sim *f)
{
    return (int64_t)f->mesh.nodes * DIM;
}

/* ---- which meshes have pressures --------------------------------------------------------------------------------- */

/* Whether an element of the description has kappa' > 0. */
static int nearly_incompressible(const pio_fem_desc *m, int e)
{
    hyper_constants parameters = {{0}};
    real mu, lambda;
    for (int c = 0; c < hyper_count(m->law[e]); c++)
        parameters.k[c] = (real)m->law_parameters[(ptrdiff_t)e * PIO_LAW_CONSTANTS + c];
    hyper_rest_moduli(m->law[e], hyper_from_parameters(m->law[e], m->parameter_form[e], parameters), &mu, &lambda);
    return lambda > PRESSURE_FROM * mu;
}

void fem_pressure_plan(fem_sim *f, const pio_fem_desc *m)
{
    int some = 0, count = 0, e = 0;
    for (fem_element_block *p = f->mesh.block; p < f->mesh.block + f->mesh.n_blocks; p++) {
        p->first_pressure = count;
        count += p->n * p->dilatations;
        for (int i = 0; i < p->n; i++, e++) some |= p->dilatations && nearly_incompressible(m, e);
    }
    const int solves = f->motion.integrator == PIO_STATIC && sizeof(real) == 8 && !f->setup.start_only &&
                       f->matrix.kind != PIO_GENERAL && !f->ties.n; /* pressures act on tied nodes, too */
    f->linear.pressure.count = some && solves && m->preconditioner != PIO_PRECONDITIONER_JACOBI ? count : 0;
}

void fem_pressure_layout(fem_sim *f)
{
    pio_arena *arena = &f->base.arena;
    fem_sim_pressure *s = &f->linear.pressure;
    size_t rows = 0;
    if (!s->count) return;
    for (const fem_element_block *p = f->mesh.block; p < f->mesh.block + f->mesh.n_blocks; p++)
        rows += (size_t)p->n * (size_t)p->dilatations * (size_t)fem_nodes_of(p->type) * DIM;
    TAKE(arena, s->moduli, f->mesh.elements);
    TAKE(arena, s->B, rows);
    TAKE(arena, s->compliance, s->count);
    TAKE(arena, s->inverse, s->count);
    TAKE(arena, s->right, displacements(f) + s->count);
    TAKE(arena, s->solution, displacements(f) + s->count);
}

/* Sets B, C and the preconditioner of the pressures for the matrix at hand. */
static void open(fem_sim *f)
{
    fem_sim_pressure *s = &f->linear.pressure;
    real *B = s->B;
    if (s->opened) return;
    for (const fem_element_block *p = f->mesh.block; p < f->mesh.block + f->mesh.n_blocks; p++) {
        if (!p->dilatations) continue;
        pio_map(&f->base.queue, fem_pressure_open, p->n, NULL, .b = fem_block_of(f, p, RULE_STIFFNESS),
                .m = fem_matter_of(f), .u = f->matrix.at, .moduli = s->moduli, .constrained = f->supports.constrained,
                .first_pressure = p->first_pressure, .B = B, .compliance = s->compliance, .inverse = s->inverse);
        B += (ptrdiff_t)p->n * p->dilatations * fem_nodes_of(p->type) * DIM;
    }
    s->opened = 1;
}

/* ---- the operator ------------------------------------------------------------------------------------------------ */

/* What the operator is made of: the matrix with the preconditioner of A. */
typedef struct {
    fem_sim *f;
    pio_linop matrix;
} coupled;

/* y = (K u + B^T (p - B u/C), B u - C p) */
static int apply(void *context, const void *x, void *y)
{
    const coupled *c = context;
    fem_sim *f = c->f;
    const fem_sim_pressure *s = &f->linear.pressure;
    const real *u = x, *p = u + displacements(f), *B = s->B;
    real *u_out = y, *p_out = u_out + displacements(f);
    if (c->matrix.apply(c->matrix.context, u, u_out)) return f->base.queue.error.code;
    pio_queue_zero(&f->base.queue, f->mesh.dof_out, sizeof *f->mesh.dof_out * DIM * (size_t)f->mesh.element_dofs);
    for (const fem_element_block *b = f->mesh.block; b < f->mesh.block + f->mesh.n_blocks; b++) {
        if (!b->dilatations) continue;
        pio_map(&f->base.queue, fem_pressure_apply, b->n, NULL, .b = fem_block_of(f, b, RULE_STIFFNESS),
                .first_pressure = b->first_pressure, .B = B, .compliance = s->compliance, .u = u, .p = p,
                .out = f->mesh.dof_out, .p_out = p_out);
        B += (ptrdiff_t)b->n * b->dilatations * fem_nodes_of(b->type) * DIM;
    }
    fem_add_element_dofs(f, f->mesh.dof_out, u_out);
    return f->base.queue.error.code;
}

static int precondition(void *context, const void *x, void *y)
{
    const coupled *c = context;
    fem_sim *f = c->f;
    const fem_sim_pressure *s = &f->linear.pressure;
    const real *r = x;
    real *z = y;
    pio_map(&f->base.queue, fem_pressure_scale, s->count, NULL, .inverse = s->inverse, .in = r + displacements(f),
            .out = z + displacements(f));
    return c->matrix.precondition(c->matrix.context, r, z);
}

/* ---- solves ------------------------------------------------------------------------------------------------------ */

/* Gets the preconditioner of A ready, which *by names, and the pressures. */
static piola_status ready(fem_sim *f, pio_preconditioner *by, piola_error *error)
{
    piola_status rc = fem_multigrid_ready(f, by, error);
    if (!rc && *by == PIO_BLOCK_JACOBI && !f->linear.pressure.opened) {
        fem_pressure_reduce(f, 1);
        rc = pio_bsr_invert_diagonal(&f->matrix.bsr, error);
        fem_pressure_reduce(f, 0);
    }
    if (!rc) open(f);
    return rc;
}

/* The mesh and the preconditioner of its corrections. */
typedef struct {
    fem_sim *f;
    pio_preconditioner by;
} solver;

/* K d = b by MINRES on the system with pressures, from 0. */
static piola_status solve(void *context, const real *b, real *d, double tolerance, int max_iterations,
                          pio_krylov_result *result, piola_error *error)
{
    const solver *t = context;
    fem_sim *f = t->f;
    pio_queue *q = &f->base.queue;
    fem_sim_pressure *s = &f->linear.pressure;
    const size_t bytes = sizeof *b * (size_t)displacements(f), rest = sizeof *b * (size_t)s->count;
    coupled c = {f, pio_bsr_operator(&f->matrix.bsr, PIO_SYMMETRIC, t->by)};
    const pio_linop op = {.kind = PIO_SYMMETRIC,
                          .unknowns = displacements(f) + s->count,
                          .context = &c,
                          .apply = apply,
                          .precondition = precondition};
    const pio_krylov_options options = {.method = PIO_MINRES,
                                        .tolerance = fmax(tolerance, FIRST_PART),
                                        .max_iterations = max_iterations,
                                        .check_every = q->stream ? 4 : 1,
                                        .drift_ends = 1,
                                        .interrupted = f->base.interrupted};
    pio_queue_copy(q, s->right, b, bytes);
    pio_queue_zero(q, s->right + displacements(f), rest);
    pio_queue_zero(q, s->solution, bytes + rest);
    const pio_krylov_system system = {.op = &op, .b = s->right, .x = s->solution};
    const piola_status rc = pio_krylov_solve(&f->linear.krylov, q, &system, &options, result, error);
    pio_queue_copy(q, d, s->solution, bytes);
    if (!rc) fem_multigrid_took(f, result->iterations, options.tolerance);
    return rc;
}

piola_status fem_pressure_definite(fem_sim *f, int *definite, piola_error *error)
{
    fem_sim_multigrid *g = &f->linear.multigrid;
    pio_preconditioner by;
    *definite = 1;
    if (!g->chosen || f->matrix.projected) return PIOLA_OK;
    if (!f->linear.pressure.opened) g->slow = 1; /* numbers of this matrix show it */
    const piola_status rc = ready(f, &by, error);
    *definite = !g->negative;
    return rc;
}

piola_status fem_pressure_solve(fem_sim *f, const real *b, real *x, double tolerance, int max_iterations,
                                pio_krylov_result *result, piola_error *error)
{
    solver t = {.f = f};
    piola_status rc = ready(f, &t.by, error);
    if (!rc) rc = solve(&t, b, x, 0.5 * tolerance, max_iterations, result, error);
    if (rc == PIOLA_NUMERICAL && result->stop == KRYLOV_STAGNATED) rc = PIOLA_OK; /* what it has reached helps */
    if (rc || !(result->rhs > 0)) return rc;
    if (error) *error = (piola_error){0};
    const pio_refine_request request = {.matrix = &f->matrix.bsr,
                                        .b = b,
                                        .x = x,
                                        .tolerance = tolerance,
                                        .max_iterations = max_iterations,
                                        .solver = solve,
                                        .context = &t};
    return pio_refine_solve(&f->linear.refine, &f->base.queue, &request, result, error);
}
