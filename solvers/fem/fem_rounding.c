/* fem_rounding.c -- what rounding does to an equilibrium (fem_newton.c). Where it ends the iteration, most of r is K
 * times what u has lost in being rounded, and K^-1 r would be no more than that. But the entries of a matrix are
 * rounded as well, and resist rigid motions a little: in a slender or an uneven body that leaves a smooth error of u,
 * many times as large, whose forces hide under those of rounding. It is solved for to all digits, and added as long as
 * it halves; what remains is how far u is off. Where most of r is what laws lose as F is rounded, K^-1 r is no better
 * than u, and says how far that is off. */
#include "solvers/fem/fem_contact.h"

#include <math.h>

static const double UNIT_ROUNDOFF = sizeof(real) == 4 ? 6e-8 : 1.1e-16;
static const double TIGHT = sizeof(real) == 4 ? 1e-4 : 1e-10; /* of solves for an error that hides under rounding */

/* clang-format off */
/* How far rounding alone can take the residual from zero: the norm of forces in which F is known to the rounding of 1,
 * and which a few roundings more go into on the way: of the strain, the stress, its product with the gradient and the
 * sum at the node. */
piola_status fem_measure_rounding(fem_sim *f, piola_error *error)
{
    pio_queue *q = &f->base.queue;
    double square = 0;
    for (const fem_element_block *p = f->mesh.block; p < f->mesh.block + f->mesh.n_blocks; p++)
        pio_map(q, fem_rigidity, p->n, NULL,
                .b = fem_block_of(f, p, RULE_STIFFNESS), .m = fem_matter_of(f), .out = f->mesh.dof_out);
    pio_queue_zero(q, f->newton.rhs, sizeof(real) * DIM * (size_t)f->mesh.nodes);
    pio_map(q, fem_node_sum, f->mesh.nodes, NULL, .start = f->mesh.dof_start, .element_node = f->mesh.dof_list,
            .in = f->mesh.dof_out, .scale = 1, .out = f->newton.rhs);
    fem_condense(f, f->newton.rhs);
    pio_sum(q, point_dot, f->mesh.nodes, NULL, f->newton.scalars, .x = f->newton.rhs, .y = f->newton.rhs);
    pio_queue_download(q, &square, f->newton.scalars, sizeof square);
    f->newton.rounding = 4 * UNIT_ROUNDOFF * sqrt(square);
    return sim_failed(&f->base, error);
}

/* lambda = K^-1 rhs; sizes: its norm, INFINITY where that cannot be solved for, and that of u, or of u before this part
 * of the step where that was larger, as where a load goes; m. */
static piola_status solve_for_error(fem_sim *f, fem_span span, pio_step_record *record, double sizes[2],
        piola_error *error)
{
    pio_queue *q = &f->base.queue;
    double squares[3] = {0};
    int32_t iterations = 0;
    fem_jacobian(f, span, f->newton.trial);
    fem_zero_points(f, f->newton.lambda);
    const piola_status rc = fem_solve_newton(f, f->newton.rhs, f->newton.lambda, TIGHT, &iterations,
            &record->indefinite, error);
    record->linear_iterations += iterations;
    fem_tie_nodes(f, f->newton.lambda);
    const int unsolved = rc == PIOLA_NUMERICAL || f->linear.indefinite;
    if (rc && !unsolved) return rc;
    if (rc && error) *error = (piola_error){0}; /* the step has not failed */
    pio_sum(q, point_dot, f->mesh.nodes, NULL, f->newton.scalars, .x = f->newton.lambda, .y = f->newton.lambda);
    pio_sum(q, point_dot, f->mesh.nodes, NULL, f->newton.scalars + 1, .x = f->newton.trial, .y = f->newton.trial);
    pio_sum(q, point_dot, f->mesh.nodes, NULL, f->newton.scalars + 2, .x = f->state.u, .y = f->state.u);
    pio_queue_download(q, squares, f->newton.scalars, sizeof squares);
    sizes[0] = unsolved ? (double)INFINITY : sqrt(squares[0]);
    sizes[1] = sqrt(fmax(squares[1], squares[2]));
    return sim_failed(&f->base, error);
}
/* clang-format on */

piola_status fem_find_hidden_error(fem_sim *f, fem_span span, pio_step_record *record, double allowed,
                                   fem_evaluation *evaluate, void *context, piola_error *error)
{
    pio_queue *q = &f->base.queue;
    const size_t bytes = sizeof(real) * DIM * (size_t)f->mesh.nodes;
    double sizes[2], residual, part, before = INFINITY;
    for (;;) {
        piola_status rc = solve_for_error(f, span, record, sizes, error);
        if (rc) return rc;
        if (sizes[0] <= f->newton.tolerance * sizes[1] || !(sizes[0] < before / 2) || !(allowed > 0)) break;
        before = sizes[0];
        rc = fem_contact_limit(f, f->newton.trial, f->newton.lambda, 1, &part, error);
        if (rc) return rc;
        if (part < 1) break;
        pio_queue_copy(q, f->newton.du, f->newton.trial, bytes);
        fem_combine(f, 1, f->newton.trial, 1, f->newton.lambda, f->newton.trial);
        rc = evaluate(context, &residual);
        if (rc) return rc;
        if (residual <= allowed) continue;
        pio_queue_copy(q, f->newton.trial, f->newton.du, bytes); /* u was better */
        rc = evaluate(context, &residual);
        if (rc) return rc;
        break;
    }
    if (!(sizes[0] > record->displacement_error)) return PIOLA_OK;
    record->displacement_error = sizes[0];
    record->displacement = sizes[1];
    return PIOLA_OK;
}
