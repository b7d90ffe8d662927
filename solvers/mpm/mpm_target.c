/* mpm_target.c -- observations of particles that are more than one sum: density on the grid, separation of two
 * parts. */
#include "solvers/mpm/mpm.h"

#include <math.h>
#include <stdlib.h>

/* ---- memory -------------------------------------------------------------------------------------------------- */

static void take_grid(mpm_sim *sim)
{
    pio_arena *arena = &sim->base.arena;
    mpm_lists_layout(sim, &sim->targets.lists);
    TAKE(arena, sim->targets.step, 1);
    TAKE(arena, sim->targets.sums, (size_t)sim->grid.max_blocks * TILE_NODES);
    TAKE(arena, sim->targets.rest, sim->grid.nodes);
}

void mpm_target_layout(mpm_sim *sim)
{
    pio_arena *arena = &sim->base.arena;
    int density = 0;
    for (int i = 0; i < sim->observe.n_observations; i++) {
        mpm_observation *o = &sim->observe.observations[i];
        const pio_observable type = o->desc.type;
        density |= type == PIO_DENSITY_MISFIT;
        if (type == PIO_DENSITY_MISFIT || type == PIO_SHAPE) TAKE(arena, o->field, sim->grid.nodes);
        if (type != PIO_SEPARATION) continue;
        TAKE(arena, o->mean, 2 * DIM);
        TAKE(arena, o->mean_bar, 2 * DIM);
    }
    if (density) take_grid(sim);
}

/* The velocity field that the particles of a body are in. */
static int field_of(const pio_particles_desc *p, int body)
{
    for (int64_t i = 0; p->field && i < p->n; i++)
        if (p->body[i] == body) return p->field[i];
    return 0;
}

/* Where the description has the number of a node of the engine, the last axis fastest; -1: it is beyond the grid. */
static ptrdiff_t place_of(const mpm_box *box, int node)
{
    int index[DIM];
    ptrdiff_t at = 0;
    node_index(box, node, index);
    for (int a = 0; a < DIM; a++) {
        if (index[a] >= box->nodes[a]) return -1;
        at = at * box->nodes[a] + index[a];
    }
    return at;
}

/* A distance is the same in the grids of all velocity fields; a density is that of the field of the body, the others
 * have none. */
void mpm_target_upload(mpm_sim *sim, mpm_observation *o, const pio_particles_desc *p)
{
    const int own = field_of(p, o->desc.body);
    if (!o->field) return;
    real *field = malloc(sizeof *field * (size_t)sim->grid.nodes);
    if (!field) {
        sim->base.queue.error.code = -1;
        return;
    }
    o->size = 0;
    for (int i = 0; i < sim->grid.nodes; i++) {
        const int there = o->desc.type == PIO_SHAPE || i / sim->grid.box.field_nodes == own;
        const ptrdiff_t at = place_of(&sim->grid.box, i);
        field[i] = there && at >= 0 ? (real)o->desc.field[at] : R(0);
        o->size += (double)field[i] * (double)field[i];
    }
    pio_queue_upload(&sim->base.queue, o->field, field, sizeof *field * (size_t)sim->grid.nodes);
    free(field);
}

/* ---- density ------------------------------------------------------------------------------------------------- */

/* Of the current state, into targets.rest. What the step before left in its own lists stays. */
static void find_rest(mpm_sim *sim, const mpm_observe_args *a, const mpm_observation *o)
{
    pio_queue *q = &sim->base.queue;
    pio_queue_copy(q, sim->targets.step, sim->step, sizeof *sim->step);
    mpm_sort_into(sim, sim->targets.lists, sim->targets.step);
    pio_map(q, mpm_deposit, sim->grid.max_blocks, &sim->targets.step->blocks, .s = a->s, .n = sim->particles.n,
            .l = sim->targets.lists, .quantity = sim->material.mass, .body = a->body, .of = a->of,
            .sums = sim->targets.sums);
    pio_map(q, mpm_density_rest, sim->grid.nodes, NULL, .l = sim->targets.lists, .box = sim->grid.box,
            .sums = sim->targets.sums, .target = o->field, .rest = sim->targets.rest);
}

void mpm_observe_density(mpm_sim *sim, const pio_sample_weight *t, int adjoint)
{
    pio_queue *q = &sim->base.queue;
    const mpm_observation *o = &sim->observe.observations[t->observation];
    const mpm_observe_args a = mpm_observe_args_of(sim, o, t->sample, 0);
    const int at = o->first + t->sample;
    find_rest(sim, &a, o);
    if (adjoint) {
        pio_map(q, mpm_deposit_adj, sim->particles.n, NULL,
                .fwd = {.s = a.s,
                        .n = sim->particles.n,
                        .l = sim->targets.lists,
                        .quantity = sim->material.mass,
                        .body = a.body,
                        .of = a.of},
                .box = sim->grid.box, .node_bar = sim->targets.rest,
                .scale = 2 * t->weight / (o->size * pow((double)sim->grid.box.dx, DIM)),
                .sample_bar = sim->base.samples_bar + at, .bar = sim->particles.bar[sim->particles.current_bar],
                .quantity_bar = sim->material.mass_bar);
        return;
    }
    pio_sum(q, mpm_density, sim->grid.nodes, NULL, sim->base.scalar, .rest = sim->targets.rest, .size = o->size);
    mpm_observe_put(sim, &a, t->weight, at);
}

/* ---- separation ---------------------------------------------------------------------------------------------- */

/* Component c of mean position number `part`. */
static mpm_observe_args mean_args(const mpm_sim *sim, const mpm_observation *o, int part, int c)
{
    mpm_observe_args a = mpm_observe_args_of(sim, o, 0, c);
    a.of = 1 + part;
    a.total = o->total + part;
    return a;
}

void mpm_observe_separation(mpm_sim *sim, const pio_sample_weight *t, int adjoint)
{
    pio_queue *q = &sim->base.queue;
    const mpm_observation *o = &sim->observe.observations[t->observation];
    const int at = o->first + t->sample;
    for (int k = 0; k < 2 * DIM; k++) {
        const mpm_observe_args a = mean_args(sim, o, k / DIM, k % DIM);
        mpm_observe_sum(sim, &a, o->mean + k);
    }
    if (!adjoint) {
        pio_map(q, mpm_separation, 1, NULL, .mean = o->mean, .weight = t->weight, .sample = sim->base.samples + at);
        return;
    }
    pio_map(q, mpm_separation_adj, 1, NULL, .fwd = {.mean = o->mean, .weight = t->weight},
            .sample_bar = sim->base.samples_bar + at, .mean_bar = o->mean_bar);
    for (int k = 0; k < 2 * DIM; k++) {
        const mpm_observe_args a = mean_args(sim, o, k / DIM, k % DIM);
        mpm_observe_sum_adj(sim, &a, o->mean + k, o->mean_bar + k, 1);
    }
}
