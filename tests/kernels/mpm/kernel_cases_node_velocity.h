/* kernel_cases_node_velocity.h -- the case of sums and velocities of nodes in one launch. Case text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_NODE_VELOCITY_H
#define PIOLA_TESTS_KERNEL_CASES_NODE_VELOCITY_H

#include "tests/kernels/mpm/kernel_cases_mpm.h"

/* Sums of tiles as p2g could have set them: positive masses, of some places 0; a momentum of either sign. */
static const real *tile_sums_of(case_io *io, const sample *t)
{
    const int places = t->max_blocks * TILE_NODES;
    case_array *q = case_uniform(io, CASE_CONSTANT, "tile sums", 1, places * QUAD, -0.2, 0.2);
    for (int i = 0; i < places; i++) {
        double *sum = q->value + (size_t)i * QUAD;
        const int none = case_unit("without mass", i) < 0.2;
        sum[0] = none ? 0 : fabs(sum[0]) + 0.01;
        for (int c = 1; c < QUAD; c++) sum[c] *= none || c > DIM ? 0 : sum[0];
    }
    return (const real *)case_upload(io, q, CASE_REAL);
}

/* mpm_node_velocity against its plain twins, mpm_node_sum and mpm_grid: the same bits at active nodes. */
static void case_mpm_node_velocity(case_io *io)
{
    static const int grids[] = {GRID_WALLS, GRID_OTHER_WALLS, GRID_CORNERS, GRID_NARROW, GRID_NARROWER};
    static const char *const names[] = {
        "walls", "walls, other kinds", "corners", "faces 2 and 3 apart", "faces 1 and 2 apart", NULL};
    sample t;
    t.box = grid_box(io, grids[case_variant(io, names)]);
    sample_particles(io, &t);
    t.s.id = PUSH(io, int, t.id, t.n);
    t.s.cell = PUSH(io, int, t.cell, t.n);
    sample_step(io, &t);
    sample_lists(io, &t);
    mpm_grid_args g;
    mpm_node_velocity_args a;
    a.grid.l = t.l;
    a.grid.step = t.step;
    a.grid.box = t.box;
    a.grid.nodes = t.nodes;
    a.grid.sums = NULL;
    a.grid.velocity = NEW_FIELD(io, DIM, t.nodes, CASE_SET);
    a.tiles = tile_sums_of(io, &t);
    a.sums = NEW_FIELD(io, DIM + 1, t.nodes, CASE_SET);
    LAUNCH(io, mpm_node_velocity, t.blocks, NULL, &a);
    g = a.grid;
    g.sums = sum_at_nodes(io, &t, a.tiles, DIM + 1);
    g.velocity = NEW_FIELD(io, DIM, t.nodes, CASE_SET);
    LAUNCH(io, mpm_grid, t.nodes, &t.step->nodes, &g);
    case_out(io, "node sums", CASE_FIELD, DIM + 1, t.nodes, a.sums);
    case_out(io, "node velocity", CASE_FIELD, DIM, t.nodes, a.grid.velocity);
    case_out(io, "plain sums", CASE_FIELD, DIM + 1, t.nodes, g.sums);
    case_out(io, "plain velocity", CASE_FIELD, DIM, t.nodes, g.velocity);
    case_out(io, "nodes", CASE_INT, 1, 1, &t.step->nodes);
    const int active = (int)case_find(io, CASE_OUTPUT, "nodes")->value[0];
    case_out(io, "node_list", CASE_INT, 1, active, t.l.node_list);
    const double *list = case_find(io, CASE_OUTPUT, "node_list")->value;
    int same = active > 0;
    for (int c = 0; c < 2 * DIM + 1; c++) {
        const int of_sums = c <= DIM, part = of_sums ? c : c - DIM - 1;
        const double *one = case_find(io, CASE_OUTPUT, of_sums ? "node sums" : "node velocity")->value,
                     *two = case_find(io, CASE_OUTPUT, of_sums ? "plain sums" : "plain velocity")->value;
        for (int i = 0; i < active; i++) {
            const size_t at = (size_t)part * (size_t)t.nodes + (size_t)list[i];
            same = same && one[at] >= two[at] && one[at] <= two[at];
        }
    }
    case_expect(io, same, "sums and velocities of active nodes are those of mpm_node_sum and mpm_grid");
}

#endif
