/* mpm_wall.c -- what walls of the grid do along themselves (kernels/mpm/mpm_wall.h), and its adjoint: launched only
 * where a description has such a wall. */
#include "solvers/mpm/mpm.h"

#include <math.h>

/* Returns 1 where a wall of this kind can have friction. */
static int can_rub(int kind)
{
    return kind == PIO_WALL_SLIP || kind == PIO_WALL_SEPARATE;
}

static piola_status check_wall(const pio_engine_desc *desc, int a, int side, piola_error *error)
{
    const double friction = desc->grid.wall_friction[a][side];
    if (!(friction >= 0) || !isfinite(friction))
        return sim_fail(error, PIOLA_BAD_DATA, "axis %d: a wall with friction of %g; 0 or more would be right", a,
                        friction);
    if (friction > 0 && !can_rub(desc->grid.wall[a][side]))
        return sim_fail(error, PIOLA_BAD_DATA,
                        "axis %d: a wall that neither slips nor separates has no friction; 0 would be right", a);
    return PIOLA_OK;
}

piola_status mpm_walls_accept(const pio_engine_desc *desc, piola_error *error)
{
    const double e = desc->grid.wall_friction_velocity;
    int rough = 0;
    for (int a = 0; a < DIM; a++)
        for (int side = 0; side < 2; side++) {
            const piola_status rc = check_wall(desc, a, side, error);
            if (rc) return rc;
            rough |= mpm_wall_is_rough(desc, a, side);
        }
    for (int d = 0; d < desc->n_designs; d++) {
        const int wall = desc->designs[d].which;
        if (desc->designs[d].quantity != PIO_WALL_FRICTION) continue;
        if (wall < 0 || wall >= BOX_WALLS || !can_rub(desc->grid.wall[wall / 2][wall % 2]))
            return sim_fail(error, PIOLA_BAD_DATA,
                            "design %d: wall %d neither slips nor separates, and has no friction", d, wall);
    }
    if (rough && desc->reversible)
        return sim_fail(error, PIOLA_BAD_DATA,
                        "what walls do along themselves dissipates; the reversible integrator has penalty walls");
    if (rough && !(e >= PIO_LEAST_VELOCITY && isfinite(e)))
        return sim_fail(error, PIOLA_BAD_DATA,
                        "friction of walls sets in at %g m/s; a velocity of at least %g would be "
                        "right",
                        e, PIO_LEAST_VELOCITY);
    return PIOLA_OK;
}

int mpm_wall_is_rough(const pio_engine_desc *desc, int a, int side)
{
    int rough = desc->grid.wall_friction[a][side] > 0 || desc->grid.wall[a][side] == PIO_WALL_STICKY_SEPARATE;
    for (int d = 0; d < desc->n_designs; d++)
        rough |= desc->designs[d].quantity == PIO_WALL_FRICTION && desc->designs[d].which == 2 * a + side;
    return rough;
}

void mpm_walls_begin(mpm_sim *sim, const pio_engine_desc *desc)
{
    sim->walls.friction_velocity = desc->grid.wall_friction_velocity;
    sim->grid.box.rough = 0;
    for (int a = 0; a < DIM; a++)
        for (int side = 0; side < 2; side++) {
            sim->walls.friction[a][side] = desc->grid.wall_friction[a][side];
            sim->grid.box.rough |= mpm_wall_is_rough(desc, a, side) << (2 * a + side);
        }
}

void mpm_walls_layout(mpm_sim *sim)
{
    pio_arena *arena = &sim->base.arena;
    if (!sim->grid.box.rough || !sim->base.adjoint) return;
    TAKE(arena, sim->walls.free_bar, field_size(sim->grid.nodes, DIM));
    TAKE(arena, sim->walls.contribution, field_size(sim->grid.nodes, BOX_WALLS));
    TAKE(arena, sim->walls.friction_bar, BOX_WALLS);
}

void mpm_walls_start(const mpm_sim *sim, mpm_step *step)
{
    /* also where no wall has friction: kernels divide by it */
    step->wall_friction_velocity = (real)(sim->grid.box.rough ? sim->walls.friction_velocity : 1);
    for (int a = 0; a < DIM; a++)
        for (int side = 0; side < 2; side++) step->wall_friction[a][side] = (real)sim->walls.friction[a][side];
}

/* clang-format off */
void mpm_walls_act(mpm_sim *sim, const mpm_grid_args *args)
{
    if (!sim->grid.box.rough) return;
    pio_map(&sim->base.queue, mpm_wall, sim->grid.nodes, &sim->step->nodes, .grid = *args);
}

void mpm_walls_adjoint(mpm_sim *sim, const mpm_grid_args *args)
{
    pio_queue *q = &sim->base.queue;
    if (!sim->grid.box.rough) return;
    pio_map(q, mpm_wall_adj, sim->grid.nodes, &sim->step->nodes,
            .fwd = *args, .velocity_bar = sim->grid.velocity_bar, .free_bar = sim->walls.free_bar,
            .friction_bar = sim->walls.contribution);
    for (int wall = 0; wall < BOX_WALLS; wall++) {
        if (!(sim->grid.box.rough >> wall & 1)) continue;
        pio_sum(q, mpm_wall_sum, sim->grid.nodes, &sim->step->nodes, sim->base.scalar,
                .l = sim->grid.lists, .nodes = sim->grid.nodes, .wall = wall, .friction_bar = sim->walls.contribution);
        pio_map(q, add_scalar, 1, NULL, .term = sim->base.scalar, .total = sim->walls.friction_bar + wall);
    }
}

void mpm_walls_rest_adjoint(mpm_sim *sim)
{
    if (!sim->grid.box.rough) return;
    pio_map(&sim->base.queue, mpm_wall_rest_adj, sim->grid.nodes, &sim->step->nodes,
            .l = sim->grid.lists, .nodes = sim->grid.nodes, .sums = mpm_grid_sums(sim),
            .free_bar = sim->walls.free_bar, .node_bar = sim->grid.node_bar);
}
/* clang-format on */
