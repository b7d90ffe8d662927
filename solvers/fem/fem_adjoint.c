/* fem_adjoint.c -- the adjoint of one implicit step. With the exact Jacobian J = K + (da/du) M + (dv/du) C at the
 * accepted state and g = u1_bar + (dv/du) v1_bar + (da/du) a1_bar the cotangent of its displacement,
 *
 *     J^T lambda = g where free, lambda = 0 where constrained
 *     theta_bar -= lambda^T d(f_int + M a + C v)/dtheta,   f_ext_bar += lambda
 *     value_bar = g - J^T lambda where constrained
 *     v1_bar -= C^T lambda, a1_bar -= M^T lambda, which the history takes: v1 and a1 are linear in it
 *
 * where loads follow the displacement J has -df_ext/du too
 *
 * The entries of an assembled matrix are rounded, and so is the force that it finds in a rigid motion, which is 0: in a
 * slender or an uneven body this moves the solution of J^T lambda = g by many times the tolerance of its residual.
 * Elements take the gradient of lambda first, and find that 0. What they leave of g is therefore the residual that
 * counts, and is solved for anew: all that is taken from lambda is linear in it, so corrections are added up one by
 * one, and their sum is never rounded (Higham 2002, chapter 12). None of them is solved for to all digits at once:
 * what rounding of the matrix takes away again would be iterations in vain.
 *
 * Friction depends on v1, which acts as that of damping does. A quasi-static step without it has no history: the
 * cotangent of the state before it is zero. */
#include "solvers/fem/fem_control.h"

#include <math.h>

/* Tolerances of the first solve and of a correction. Conjugate gradients that begin anew lose what they know of the
 * matrix: with 1e-6 in place of 1e-8 slender bodies take a tenth less, and uneven ones a tenth more. A request near
 * rounding is made of one solve, which finds whether it can be met. */
static const double FIRST = 1e-8, NEAR_ROUNDING = 1e-11;
static const double LOOSEST = 0.1, TIGHTEST = sizeof(real) == 4 ? 1e-3 : 1e-6;

/* rhs = g, or what elements have left of it. */
static void collect(fem_sim *f, fem_span span)
{
    pio_queue *q = &f->base.queue;
    pio_queue_copy(q, f->newton.rhs, f->adjoint.u_bar, sizeof(real) * DIM * (size_t)f->mesh.nodes);
    if (fem_has_rates(f)) { /* u1 acts through its rates too */
        const fem_rate_set r = fem_rates_at(f, span);
        fem_combine(f, 1, f->newton.rhs, r.v.d, fem_state(f, f->adjoint.u_bar, STATE_V), f->newton.rhs);
        if (fem_moves(f))
            fem_combine(f, 1, f->newton.rhs, r.a.d, fem_state(f, f->adjoint.u_bar, STATE_A), f->newton.rhs);
    }
    fem_condense(f, f->newton.rhs);
}

/* Takes what lambda contributes from u1_bar, v1_bar, a1_bar and theta_bar, and adds it to f_ext_bar. */
static void spread(fem_sim *f)
{
    fem_tie_nodes(f, f->newton.lambda);
    fem_combine(f, -1, f->newton.lambda, 0, f->newton.lambda, f->newton.y);
    fem_internal_adj(f, f->adjoint.known, f->newton.y, f->adjoint.u_bar, fem_state(f, f->adjoint.u_bar, STATE_V), 1);
    fem_follow_adj(f, f->adjoint.known, f->newton.lambda, f->adjoint.u_bar);
    if (fem_moves(f)) {
        fem_mass_force_adj(f, fem_state(f, f->adjoint.known, STATE_A), f->newton.y,
                           fem_state(f, f->adjoint.u_bar, STATE_A));
        fem_damping_force_adj(f, fem_state(f, f->adjoint.known, STATE_V), f->newton.y,
                              fem_state(f, f->adjoint.u_bar, STATE_V));
    }
    fem_combine(f, 1, f->forces.external_bar, 1, f->newton.lambda, f->forces.external_bar);
}

/* Sets the norms of rhs and of lambda. */
static piola_status measure(fem_sim *f, double norms[2], piola_error *error)
{
    pio_queue *q = &f->base.queue;
    pio_sum(q, point_dot, f->mesh.nodes, NULL, f->newton.scalars, .x = f->newton.rhs, .y = f->newton.rhs);
    pio_sum(q, point_dot, f->mesh.nodes, NULL, f->newton.scalars + 1, .x = f->newton.lambda, .y = f->newton.lambda);
    pio_queue_download(q, norms, f->newton.scalars, 2 * sizeof *norms);
    for (int i = 0; i < 2; i++) norms[i] = sqrt(norms[i]);
    return sim_failed(&f->base, error);
}

/* Solves for lambda and spreads it, and again for what elements leave, until that is within the tolerance or does not
 * even halve: then rounding of the elements' forces is what is left. */
static piola_status solve(fem_sim *f, fem_span span, pio_step_record *record, piola_error *error)
{
    double norms[2], before = INFINITY, lambda = 0, residual = 0;
    double tolerance = f->linear.adjoint_tolerance;
    if (tolerance >= NEAR_ROUNDING) tolerance = fmax(tolerance, FIRST);
    fem_zero_points(f, f->newton.lambda);
    collect(f, span);
    piola_status rc = measure(f, norms, error);
    const double first = norms[0];
    while (!rc) {
        int32_t iterations = 0;
        rc = fem_solve_adjoint(f, f->newton.rhs, f->newton.lambda, tolerance, &iterations, &residual, error);
        record->adjoint_iterations += iterations;
        if (rc) return rc;
        spread(f);
        collect(f, span);
        rc = measure(f, norms, error);
        lambda = fmax(lambda, norms[1]);
        residual = norms[0] > 0 ? norms[0] / first : norms[0]; /* NaN stays */
        if (rc || residual <= f->linear.adjoint_tolerance) break;
        if (!(residual <= before / 2)) {
            record->adjoint_error = fmax(record->adjoint_error, norms[1] / lambda);
            break;
        }
        before = residual;
        tolerance = fmin(fmax(0.5 * f->linear.adjoint_tolerance / residual, TIGHTEST), LOOSEST);
        fem_zero_points(f, f->newton.lambda);
    }
    if (!(residual <= record->adjoint_residual)) record->adjoint_residual = residual; /* NaN stays */
    record->adjoint = fmax(record->adjoint, lambda);
    return rc;
}

piola_status fem_solve_adj(fem_sim *f, fem_span span, pio_step_record *record, piola_error *error)
{
    pio_queue *q = &f->base.queue;
    const size_t bytes = sizeof(real) * DIM * (size_t)f->mesh.nodes;
    const size_t state = bytes * (size_t)f->state.n_vectors;
    const int moves = fem_moves(f), history = fem_has_rates(f);
    fem_multigrid_expire(f);
    fem_external(f, span, f->adjoint.known); /* time, curves and forces */
    fem_jacobian(f, span, f->adjoint.known);
    if (moves) fem_known_acceleration(f, span);
    const piola_status rc = solve(f, span, record, error);
    if (rc) return rc;
    fem_control_adj(f);
    if (history) fem_history_adj(f, span);
    fem_tie_nodes_adj(f, f->adjoint.u_bar);
    fem_supports_adj(f, f->adjoint.u_bar);
    if (span.part == span.parts - 1) pio_queue_copy(q, f->frames.force_bar, f->forces.external_bar, bytes);
    fem_external_adj(f, f->adjoint.known);
    if (history)
        pio_queue_copy(q, f->adjoint.u_bar, f->adjoint.previous_bar, state);
    else
        pio_queue_zero(q, f->adjoint.u_bar, bytes);
    pio_queue_copy(q, f->adjoint.known, f->state.u, state);
    return sim_failed(&f->base, error);
}
