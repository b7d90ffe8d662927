/* mpm_kinks.c -- kinks of the motion near which a gradient went, counted in the adjoint sweep: kernels/mpm/mpm_bend.h,
 * mpm_obstacle.h and mpm_plastic.h. */
#include "solvers/mpm/mpm.h"

enum { KINK_CONTACT, KINK_BEND, KINK_STEEP, KINK_WALL, KINKS };
static const real PART = R(0.1); /* of the velocity that forces change in a step */
static const real BENT = R(0.5); /* a condition that ends at once has 1 where it does */
static const real STEEP = R(2);  /* nothing but friction with a large coefficient has more than 1 */

void mpm_kinks_begin(mpm_sim *sim, const pio_engine_desc *desc)
{
    for (int a = 0; a < DIM; a++)
        for (int side = 0; side < 2; side++)
            sim->kinks.wall_bends |= desc->grid.wall[a][side] == PIO_WALL_SEPARATE || mpm_wall_is_rough(desc, a, side);
    sim->kinks.wall_bends &= !desc->reversible;
}

static int any(const mpm_sim *sim)
{
    return sim->obstacles.sliding || sim->kinks.wall_bends;
}

void mpm_kinks_layout(mpm_sim *sim)
{
    if (any(sim) && sim->base.adjoint) TAKE(&sim->base.arena, sim->kinks.counts, KINKS);
}

void mpm_kinks_start(mpm_sim *sim)
{
    if (any(sim)) pio_queue_zero(&sim->base.queue, sim->kinks.counts, sizeof *sim->kinks.counts * KINKS);
}

/* clang-format off */
static void add(mpm_sim *sim, int kind)
{
    pio_map(&sim->base.queue, add_scalar, 1, NULL, .term = sim->base.scalar, .total = sim->kinks.counts + kind);
}

/* node_bar = the momentum of the grid without forces: what forces change is the difference from it. Where there are
 * walls alone, only that of nodes at which they act is needed, and the others' may be 0. */
static void spread_momentum(mpm_sim *sim)
{
    pio_queue *q = &sim->base.queue;
    pio_map(q, mpm_flip_spread, sim->grid.max_blocks, &sim->step->blocks,
            .near_walls = !sim->obstacles.sliding, .s = sim->particles.state[sim->particles.current],
            .matter = mpm_matter_of(sim), .l = sim->grid.lists, .box = sim->grid.box, .sums = sim->grid.tiles);
    pio_map(q, mpm_node_sum, sim->grid.blocks, NULL,
            .l = sim->grid.lists, .box = sim->grid.box, .sums = sim->grid.tiles, .components = DIM,
            .nodes = sim->grid.nodes, .out = sim->grid.node_bar);
    pio_halo(q, sim->grid.node_bar);
}

void mpm_kinks_count(mpm_sim *sim)
{
    if (!any(sim)) return;
    spread_momentum(sim);
    if (sim->obstacles.separating) {
        mpm_obstacles_count(sim, R(1), R(0));
        add(sim, KINK_CONTACT);
    }
    if (sim->obstacles.sliding) {
        mpm_obstacles_count(sim, PART, BENT);
        add(sim, KINK_BEND);
        mpm_obstacles_count(sim, PART, STEEP);
        add(sim, KINK_STEEP);
    }
    if (!sim->kinks.wall_bends) return;
    pio_sum(&sim->base.queue, mpm_wall_bends, sim->grid.nodes, &sim->step->nodes, sim->base.scalar,
            .fwd = {.l = sim->grid.lists, .step = sim->step, .box = sim->grid.box, .nodes = sim->grid.nodes,
            .sums = mpm_grid_sums(sim)}, .momentum = sim->grid.node_bar, .fraction = PART);
    add(sim, KINK_WALL);
}
/* clang-format on */

/* Kinds that there are, in this order; the last is that of plastic laws. */
int64_t mpm_kinks(pio_sim *base, int32_t i, pio_kinks *kinks)
{
    static const pio_kinks list[KINKS + 1] = {
        {"nodes times steps within separation_velocity of separation from a separating obstacle", "separation_velocity",
         1, NULL},
        {"nodes times steps at which contact or friction with a separating or slipping obstacle began or ended within "
         "a tenth of the velocity that forces change in the step",
         "1", (double)PART, NULL},
        {"nodes times steps at which a large friction with an obstacle set in over less than a tenth of the velocity "
         "that forces change in the step, and so amplified small changes",
         "1", (double)PART,
         "this gradient may be much larger than what differences show, though each of its digits is right; a larger "
         "friction_velocity and separation_velocity, a smaller friction, or sticky would be right"},
        {"nodes times steps at which contact with a separating wall of the grid, or friction with a wall of it, began "
         "or ended within a tenth of the velocity that forces change in the step",
         "1", (double)PART, NULL},
        {"particles times steps near a change of branch of a plastic law", "1", 0, NULL}};
    mpm_sim *sim = mpm_of(base);
    const int has[KINKS + 1] = {sim->obstacles.separating, sim->obstacles.sliding, sim->obstacles.sliding,
                                sim->kinks.wall_bends, sim->plastic.used};
    double count = 0;
    int kind = 0;
    for (; kind <= KINKS && sim->base.adjoint; kind++)
        if (has[kind] && i-- == 0) break;
    if (kind > KINKS || !sim->base.adjoint) return -1;
    *kinks = list[kind];
    if (kind == KINKS) kinks->tolerance = (double)plastic_near();
    if (kind == KINKS) return mpm_plastic_kinks(sim);
    pio_queue_download(&base->queue, &count, sim->kinks.counts + kind, sizeof count);
    return (int64_t)count;
}
