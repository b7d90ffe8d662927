/* fem_adjoint.c -- the adjoint of one implicit step. With the exact Jacobian J = K + (da/du) M + (dv/du) C at the
 * accepted state and g = u1_bar + (dv/du) v1_bar + (da/du) a1_bar the cotangent of its displacement,
 *
 *     J^T lambda = g where free, lambda = 0 where held
 *     theta_bar -= lambda^T d(f_int + M a + C v)/dtheta,   f_ext_bar += lambda,   value_bar = g - J^T lambda where held
 *     v1_bar -= C^T lambda, a1_bar -= M^T lambda, which the history takes: v1 and a1 are linear in it
 *
 * where loads follow the displacement J has -df_ext/du too
 *
 * (PHYSICS.md section 3). A quasi-static step has no history: the cotangent of the state before it is zero. */
#include "solvers/fem/fem.h"

#include <math.h>

piola_status fem_solve_adj(fem_sim *f, fem_span span, pio_step_record *record, piola_error *error)
{
    pio_queue *q = &f->base.queue;
    const size_t bytes = sizeof(real) * DIM * (size_t)f->nodes;
    const size_t state = bytes * (size_t)f->n_state;
    const int moves = f->integrator != PIO_STATIC;
    int32_t iterations = 0;
    fem_external(f, span, f->known); /* time, curves and forces */
    fem_jacobian(f, span, f->known);
    pio_queue_copy(q, f->rhs, f->u_bar, bytes);
    if (moves) { /* u1 acts through its rates too */
        const fem_rates_pair r = fem_rates_at(f, span);
        fem_combine(f, 1, f->rhs, r.v.d, fem_state(f, f->u_bar, STATE_V), f->rhs);
        fem_combine(f, 1, f->rhs, r.a.d, fem_state(f, f->u_bar, STATE_A), f->rhs);
    }
    fem_held(f, 0, f->rhs);
    pio_queue_zero(q, f->lambda, bytes);
    const piola_status rc = fem_solve_adjoint(f, f->rhs, f->lambda, &iterations, &record->adjoint_residual, error);
    record->adjoint_iterations += iterations;
    if (rc) return rc;
    double square = 0;
    pio_sum(q, point_dot, f->nodes, NULL, f->scalars, .x = f->lambda, .y = f->lambda);
    pio_queue_download(q, &square, f->scalars, sizeof square);
    record->adjoint = fmax(record->adjoint, sqrt(square));
    fem_combine(f, -1, f->lambda, 0, f->lambda, f->y);
    fem_internal_adj(f, f->known, f->y, f->u_bar, 1);
    fem_follow_adj(f, f->known, f->lambda, f->u_bar);
    if (moves) {
        fem_known_acceleration(f, span);
        fem_mass_force_adj(f, fem_state(f, f->known, STATE_A), f->y, fem_state(f, f->u_bar, STATE_A));
        fem_damping_force_adj(f, fem_state(f, f->known, STATE_V), f->y, fem_state(f, f->u_bar, STATE_V));
        fem_history_adj(f, span);
    }
    fem_supports_adj(f, f->u_bar);
    fem_combine(f, 1, f->f_ext_bar, 1, f->lambda, f->f_ext_bar);
    if (span.part == span.parts - 1) pio_queue_copy(q, f->force_bar, f->f_ext_bar, bytes);
    fem_external_adj(f, f->known);
    if (moves)
        pio_queue_copy(q, f->u_bar, f->earlier_bar, state);
    else
        pio_queue_zero(q, f->u_bar, bytes);
    pio_queue_copy(q, f->known, f->u, state);
    return sim_failed(&f->base, error);
}
