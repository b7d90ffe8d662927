/* fem_rounding.c -- what rounding of internal forces does to an equilibrium (fem_newton.c). */
#include "solvers/fem/fem.h"

#include <math.h>

static const double UNIT_ROUNDOFF = sizeof(real) == 4 ? 6e-8 : 1.1e-16;
static const double LOOSE = 0.1; /* of a number that is a size */

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

/* What is left of r is rounding of the internal forces at this very place; what that of the place before did to the
 * last direction is of the same size, and that is how far the displacement is off. */
piola_status fem_measure_displacement_error(fem_sim *f, fem_span span, pio_step_record *record, piola_error *error)
{
    pio_queue *q = &f->base.queue;
    double squares[2] = {0};
    int32_t iterations = 0, indefinite = 0;
    fem_jacobian(f, span, f->newton.trial);
    pio_queue_zero(q, f->newton.lambda, sizeof(real) * DIM * (size_t)f->mesh.nodes);
    const piola_status rc = fem_solve_newton(f, f->newton.rhs, f->newton.lambda, LOOSE, &iterations, &indefinite,
            error);
    fem_tie_nodes(f, f->newton.lambda);
    const int unsolved = rc == PIOLA_NUMERICAL || f->linear.indefinite;
    if (rc && !unsolved) return rc;
    if (rc && error) *error = (piola_error){0}; /* the step has not failed */
    pio_sum(q, point_dot, f->mesh.nodes, NULL, f->newton.scalars, .x = f->newton.lambda, .y = f->newton.lambda);
    pio_sum(q, point_dot, f->mesh.nodes, NULL, f->newton.scalars + 1, .x = f->newton.trial, .y = f->newton.trial);
    pio_queue_download(q, squares, f->newton.scalars, sizeof squares);
    if (pio_queue_failed(q)) return sim_failed(&f->base, error);
    const double displacement_error = unsolved ? (double)INFINITY : sqrt(squares[0]);
    if (!(displacement_error > record->displacement_error)) return PIOLA_OK;
    record->displacement_error = displacement_error;
    record->displacement = sqrt(squares[1]);
    return PIOLA_OK;
}
/* clang-format on */
