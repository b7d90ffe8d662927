/* fem_pairs_matrix.c -- contact of surfaces with each other in implicit steps: its potential, its part of the matrix,
 * and how far a direction may go.
 *
 * Which pairs there are changes from iteration to iteration, and the pattern of the assembled matrix does not: each
 * pair has a matrix of its own, of which the blocks on the diagonal are assembled and the others are beside the matrix
 * (bsr.h), where products find them through the lists of the points' pairs. So nothing of it goes through the host.
 * Preconditioners have the diagonal alone: block-Jacobi is positive definite where the whole is. With friction
 * (fem_pairs_drag.c) matrices of pairs are not symmetric, and solves are by GMRES. */
#include "solvers/fem/fem_pairs_friction.h"

/* clang-format off */
void fem_pairs_matrix_layout(fem_sim *f)
{
    pio_arena *arena = &f->base.arena;
    fem_sim_pairs *s = &f->pairs;
    if (!s->on || fem_leaps(f)) return;
    TAKE(arena, s->item, f->mesh.nodes);
    TAKE(arena, s->value, (size_t)s->room * FEM_PAIR_NODES * FEM_PAIR_NODES * DIM * DIM);
}

void fem_pairs_potential(fem_sim *f, const real *u, double *energy)
{
    pio_queue *q = &f->base.queue;
    const fem_sim_pairs *s = &f->pairs;
    if (!s->on) return;
    fem_pairs_find(f, u);
    pio_sum(q, fem_pair_energy, s->room, &s->found->count, f->base.scalar, .s = s->surface, .found = s->found,
            .corner = s->pair, .grip = s->grip, .area = f->contact.area, .part = s->part, .rest = f->mesh.rest, .u = u);
    pio_map(q, add_scalar, 1, NULL, .term = f->base.scalar, .total = energy);
}

void fem_pairs_pressed(fem_sim *f, real *out)
{
    if (f->pairs.on) fem_pairs_add(f, f->pairs.out, out);
}

void fem_pairs_blocks(fem_sim *f, const real *u, int projected)
{
    pio_queue *q = &f->base.queue;
    const fem_sim_pairs *s = &f->pairs;
    if (!s->value) return;
    fem_pairs_find(f, u);
    pio_map(q, fem_pair_matrix, s->room, &s->found->count, .fwd = fem_pairs_of(f, u, NULL), .projected = projected,
            .constrained = f->supports.constrained, .value = s->value);
    fem_pairs_drag_blocks(f, u, projected);
    pio_map(q, fem_pair_diagonal, s->surface.points, NULL, .start = s->slot_start, .list = s->slot, .value = s->value,
            .first_node_pair = f->contact.first_node_pair, .out = f->matrix.block_out);
}

bsr_beside fem_pairs_beside(const fem_sim *f)
{
    const fem_sim_pairs *s = &f->pairs;
    return (bsr_beside){.items = s->value ? s->surface.points : 0, .size = FEM_PAIR_NODES, .row = s->surface.node,
                        .item = s->item, .start = s->slot_start, .list = s->slot, .member = s->pair,
                        .value = s->value};
}

void fem_pairs_limit(fem_sim *f, const real *u, const real *du, double scale, uint64_t *limit)
{
    const fem_sim_pairs *s = &f->pairs;
    const fem_pair_way way = {.rest = f->mesh.rest, .u = u, .du = du, .from = 0, .to = scale};
    if (!s->on) return;
    fem_pairs_sort(f, &way);
    pio_map(&f->base.queue, fem_pair_reach, s->surface.points + s->surface.edges, NULL,
            .near = fem_pairs_near(f, &way), .number = s->number, .limit = limit);
}
/* clang-format on */
