/* kernel_cases_wall.h -- the case of what walls of the grid do along themselves. Case text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_WALL_H
#define PIOLA_TESTS_KERNEL_CASES_WALL_H

#include "tests/kernels/mpm/kernel_cases_mpm.h"

/* All walls that may have friction have it; `sticks`: those that separate stick while pressed. */
static void roughen(mpm_box *box, int sticks)
{
    for (int a = 0; a < DIM; a++)
        for (int side = 0; side < 2; side++) {
            if (sticks && box->wall[a][side] == PIO_WALL_SEPARATE) box->wall[a][side] = PIO_WALL_STICKY_SEPARATE;
            if (box->wall[a][side] != PIO_WALL_STICKY) box->rough |= 1 << (2 * a + side);
        }
}

static const char *const mu_names[] = {"mu x_min", "mu x_max", "mu y_min", "mu y_max", "mu z_min", "mu z_max"};

static int has_mu(const mpm_box *box, int wall)
{
    return (box->rough >> wall & 1) && box->wall[wall / 2][wall % 2] != PIO_WALL_STICKY_SEPARATE;
}

/* Coefficients as designs set them. */
static void wall_frictions(case_io *io, const sample *t)
{
    for (int wall = 0; wall < BOX_WALLS; wall++) {
        design_number_args g;
        if (!has_mu(&t->box, wall)) continue;
        g.value = WIDES(io, mu_names[wall], 1, 1, 0.1, 0.8);
        g.out = &t->step->wall_friction[wall / 2][wall % 2];
        LAUNCH(io, design_number, 1, NULL, &g);
    }
}

static void count_wall_bends(case_io *io, const sample *t, const mpm_grid_args *a)
{
    mpm_wall_bends_args w;
    w.fwd = *a;
    w.momentum = CONSTANTS(io, "momentum without forces", DIM, t->nodes, -0.05, 0.05);
    w.fraction = R(0.1);
    wide *count = NEW(io, wide, 1, CASE_SET);
    LAUNCH_SUM(io, mpm_wall_bends, t->nodes, &t->step->nodes, &w, count);
    case_out(io, "bends of walls", CASE_WIDE, 1, 1, count);
    case_expect(io, case_find(io, CASE_OUTPUT, "bends of walls")->value[0] >= 1, "some node is near a bend of a wall");
}

static void wall_gradients(case_io *io, const sample *t, const mpm_grid_args *a)
{
    mpm_wall_adj_args b;
    b.fwd = *a;
    b.velocity_bar = FIELD_COTANGENT(io, "velocity along walls");
    b.free_bar = NEW_FIELD(io, DIM, t->nodes, CASE_SET);
    b.friction_bar = NEW_FIELD(io, BOX_WALLS, t->nodes, CASE_SET);
    LAUNCH(io, mpm_wall_adj, t->nodes, &t->step->nodes, &b);
    for (int wall = 0; wall < BOX_WALLS; wall++) {
        mpm_wall_sum_args s;
        if (!has_mu(&t->box, wall)) continue;
        wide *mu_bar = NEW(io, wide, 1, CASE_SET);
        s.l = t->l;
        s.nodes = t->nodes;
        s.wall = wall;
        s.friction_bar = b.friction_bar;
        LAUNCH_SUM(io, mpm_wall_sum, t->nodes, &t->step->nodes, &s, mu_bar);
        case_gradient(io, mu_names[wall], CASE_WIDE, 1, 1, mu_bar);
    }
    mpm_grid_adj_args g;
    g.fwd = *a;
    g.velocity_bar = b.velocity_bar;
    g.node_bar = NEW_FIELD(io, DIM + 1, t->nodes, CASE_SET);
    LAUNCH(io, mpm_grid_adj, t->nodes, &t->step->nodes, &g);
    mpm_wall_rest_adj_args r;
    r.l = t->l;
    r.nodes = t->nodes;
    r.sums = a->sums;
    r.free_bar = b.free_bar;
    r.node_bar = g.node_bar;
    LAUNCH(io, mpm_wall_rest_adj, t->nodes, &t->step->nodes, &r);
    case_gradient_of(io, "node mass", CASE_REAL, 1, t->nodes, case_components(g.node_bar, DIM + 1, 0));
    case_gradient_of(io, "node momentum", CASE_REAL, DIM, t->nodes, case_components(g.node_bar, DIM + 1, 1));
}

/* mpm_grid, then mpm_wall, against their adjoints. */
static void case_mpm_wall(case_io *io)
{
    static const int grids[] = {GRID_WALLS,  GRID_OTHER_WALLS, GRID_ANY_NODES, GRID_CORNERS,
                                GRID_NARROW, GRID_NARROWER,    GRID_WALLS,     GRID_OTHER_WALLS};
    static const char *const names[] = {"friction",
                                        "friction, other walls",
                                        "friction, any nodes",
                                        "friction in corners",
                                        "2 and 3 apart",
                                        "1 and 2 apart",
                                        "sticking while pressed",
                                        "sticking, other walls",
                                        NULL};
    const int variant = case_variant(io, names);
    sample t;
    t.box = grid_box(io, grids[variant]);
    roughen(&t.box, variant >= 6);
    sample_particles(io, &t);
    t.s.id = PUSH(io, int, t.id, t.n);
    t.s.cell = PUSH(io, int, t.cell, t.n);
    if (grids[variant] == GRID_ANY_NODES) {
        sample_any_nodes(io, &t);
    } else {
        sample_step(io, &t);
        sample_lists(io, &t);
    }
    wall_frictions(io, &t);
    mpm_wall_args a;
    a.grid.l = t.l;
    a.grid.step = t.step;
    a.grid.box = t.box;
    a.grid.nodes = t.nodes;
    a.grid.sums = grid_sums(io, t.nodes);
    a.grid.velocity = NEW_FIELD(io, DIM, t.nodes, CASE_SET);
    LAUNCH(io, mpm_grid, t.nodes, &t.step->nodes, &a.grid);
    LAUNCH(io, mpm_wall, t.nodes, &t.step->nodes, &a);
    case_out(io, "velocity along walls", CASE_FIELD, DIM, t.nodes, a.grid.velocity);
    count_wall_bends(io, &t, &a.grid);
    if (case_adjoint(io)) wall_gradients(io, &t, &a.grid);
}
#define case_mpm_wall_adj case_mpm_wall
#define case_mpm_wall_rest_adj case_mpm_wall
#define case_mpm_wall_sum case_mpm_wall

#endif
