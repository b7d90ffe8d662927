/* fem_adjoint.c -- the adjoint of one quasi-static step. With K the exact Jacobian at the accepted state u and u_bar its
 * cotangent,
 *
 *     K^T lambda = u_bar where free, lambda = 0 where held
 *     theta_bar -= lambda^T df_int/dtheta,   f_ext_bar += lambda,   value_bar = u_bar - K^T lambda where held
 *
 * (PHYSICS.md section 3). A quasi-static step has no history: the cotangent of the state before it is zero. */
#include "solvers/fem.h"

/* clang-format off */
/* value_bar of every support from the total cotangent of its unknowns. */
static void supports_adj(fem_sim *f)
{
    pio_queue *q = &f->base.queue;
    if (!f->n_held) return;
    pio_map(q, fem_prescribe_adj, f->n_held, NULL,
            .node = f->held_node, .axis = f->held_axis, .support = f->held_support, .curve = f->support_curve,
            .factor = f->factor, .u_bar = f->u_bar, .share = f->held_share);
    for (int s = 0; s < f->n_supports; s++) {
        pio_sum(q, design_sum, f->n_held, NULL, f->base.scalar,
                 .n = f->n_held, .stored = 1, .index = f->held_support, .group = s, .bar = f->held_share);
        pio_map(q, add_scalar, 1, NULL, .term = f->base.scalar, .total = f->support_bar + s);
    }
}
/* clang-format on */

piola_status fem_solve_adj(fem_sim *f, fem_span span, pio_step_record *record, piola_error *error)
{
    pio_queue *q = &f->base.queue;
    const size_t bytes = sizeof(real) * DIM * (size_t)f->nodes;
    int32_t iterations = 0;
    fem_external(f, span); /* time, curves and forces */
    fem_assemble_at(f, f->known);
    pio_queue_copy(q, f->rhs, f->u_bar, bytes);
    fem_held(f, 0, f->rhs);
    pio_queue_zero(q, f->lambda, bytes);
    const piola_status rc = fem_solve_adjoint(f, f->rhs, f->lambda, &iterations, &record->adjoint_residual, error);
    record->adjoint_iterations += iterations;
    if (rc) return rc;
    fem_combine(f, -1, f->lambda, 0, f->lambda, f->y);
    fem_internal_adj(f, f->known, f->y, f->u_bar, 1);
    supports_adj(f);
    fem_combine(f, 1, f->f_ext_bar, 1, f->lambda, f->f_ext_bar);
    fem_external_adj(f);
    pio_queue_zero(q, f->u_bar, bytes);
    pio_queue_copy(q, f->known, f->u, bytes);
    return sim_failed(&f->base, error);
}
