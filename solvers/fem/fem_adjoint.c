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
 * A quasi-static step has no history: the cotangent of the state before it is zero. */
#include "solvers/fem/fem.h"

#include <math.h>

piola_status fem_solve_adj(fem_sim *f, fem_span span, pio_step_record *record, piola_error *error)
{
    pio_queue *q = &f->base.queue;
    const size_t bytes = sizeof(real) * DIM * (size_t)f->mesh.nodes;
    const size_t state = bytes * (size_t)f->state.n_vectors;
    const int moves = fem_moves(f);
    int32_t iterations = 0;
    fem_multigrid_expire(f);
    fem_external(f, span, f->adjoint.known); /* time, curves and forces */
    fem_jacobian(f, span, f->adjoint.known);
    pio_queue_copy(q, f->newton.rhs, f->adjoint.u_bar, bytes);
    if (moves) { /* u1 acts through its rates too */
        const fem_rate_set r = fem_rates_at(f, span);
        fem_combine(f, 1, f->newton.rhs, r.v.d, fem_state(f, f->adjoint.u_bar, STATE_V), f->newton.rhs);
        fem_combine(f, 1, f->newton.rhs, r.a.d, fem_state(f, f->adjoint.u_bar, STATE_A), f->newton.rhs);
    }
    fem_condense(f, f->newton.rhs);
    pio_queue_zero(q, f->newton.lambda, bytes);
    const piola_status rc =
        fem_solve_adjoint(f, f->newton.rhs, f->newton.lambda, &iterations, &record->adjoint_residual, error);
    record->adjoint_iterations += iterations;
    if (rc) return rc;
    fem_tie_nodes(f, f->newton.lambda);
    double square = 0;
    pio_sum(q, point_dot, f->mesh.nodes, NULL, f->newton.scalars, .x = f->newton.lambda, .y = f->newton.lambda);
    pio_queue_download(q, &square, f->newton.scalars, sizeof square);
    record->adjoint = fmax(record->adjoint, sqrt(square));
    fem_combine(f, -1, f->newton.lambda, 0, f->newton.lambda, f->newton.y);
    fem_internal_adj(f, f->adjoint.known, f->newton.y, f->adjoint.u_bar, 1);
    fem_follow_adj(f, f->adjoint.known, f->newton.lambda, f->adjoint.u_bar);
    if (moves) {
        fem_known_acceleration(f, span);
        fem_mass_force_adj(f, fem_state(f, f->adjoint.known, STATE_A), f->newton.y,
                           fem_state(f, f->adjoint.u_bar, STATE_A));
        fem_damping_force_adj(f, fem_state(f, f->adjoint.known, STATE_V), f->newton.y,
                              fem_state(f, f->adjoint.u_bar, STATE_V));
        fem_history_adj(f, span);
    }
    fem_tie_nodes_adj(f, f->adjoint.u_bar);
    fem_supports_adj(f, f->adjoint.u_bar);
    fem_combine(f, 1, f->forces.external_bar, 1, f->newton.lambda, f->forces.external_bar);
    if (span.part == span.parts - 1) pio_queue_copy(q, f->frames.force_bar, f->forces.external_bar, bytes);
    fem_external_adj(f, f->adjoint.known);
    if (moves)
        pio_queue_copy(q, f->adjoint.u_bar, f->adjoint.previous_bar, state);
    else
        pio_queue_zero(q, f->adjoint.u_bar, bytes);
    pio_queue_copy(q, f->adjoint.known, f->state.u, state);
    return sim_failed(&f->base, error);
}
