/* mpm_grid.h -- the grid update of one step, and its adjoint:  v_i = walls(p_i/m_i + h g). */
#ifndef PIOLA_KERNELS_MPM_GRID_H
#define PIOLA_KERNELS_MPM_GRID_H

#include "kernels/mpm_sort.h"

typedef struct {
    mpm_lists l;
    const mpm_step *step;
    mpm_box box;
    int nodes;
    const real *sums; /* [DIM + 1][nodes] mass kg, momentum kg m/s */
    real *velocity;   /* [DIM][nodes] m/s; set for active nodes */
} mpm_grid_args;

/* Bit a is set where the walls let component a of the velocity v through, for a node with these indices. A separating wall
 * holds what moves into it; all walls act at and beyond their face. */
PIO_FN int wall_passes(const mpm_box *box, const int index[DIM], vec v)
{
    int passes = (1 << DIM) - 1;
    PIO_UNROLL
    for (int a = 0; a < DIM; a++) {
        PIO_UNROLL
        for (int side = 0; side < 2; side++) {
            const int reached = side == 0 ? index[a] <= box->face[a][0] : index[a] >= box->face[a][1];
            if (!reached) continue;
            if (box->wall[a][side] == WALL_STICKY) passes = 0;
            if (box->wall[a][side] == WALL_SLIP || (side == 0 ? v.x[a] < R(0) : v.x[a] > R(0))) passes &= ~(1 << a);
        }
    }
    return passes;
}

/* Velocity before the walls act. A node that only weights rounded to zero reach has no mass and stays at rest. */
PIO_FN vec node_free_velocity(const real *sums, int nodes, int node, const mpm_step *step)
{
    const real m = sums[node];
    vec v = vec_zero();
    if (!(m > R(0))) return v;
    PIO_UNROLL
    for (int a = 0; a < DIM; a++) v.x[a] = sums[(ptrdiff_t)(1 + a) * nodes + node] / m + step->h * step->gravity[a];
    return v;
}

PIO_FN void mpm_grid(int i, const mpm_grid_args *a)
{
    const int node = a->l.node_list[i];
    int index[DIM];
    node_index(&a->box, node, index);
    vec v = node_free_velocity(a->sums, a->nodes, node, a->step);
    const int passes = wall_passes(&a->box, index, v);
    PIO_UNROLL
    for (int c = 0; c < DIM; c++)
        if (!(passes >> c & 1)) v.x[c] = R(0);
    vec_store(a->velocity, a->nodes, node, v);
}

/* Adjoint: with v_bar after the walls, p_bar = v_bar/m, m_bar = -v_bar . p/m^2, and the gravity's share h v_bar stays in
 * place in `velocity_bar` for mpm_gravity_sum. */
typedef struct {
    mpm_lists l;
    const mpm_step *step;
    mpm_box box;
    int nodes;
    const real *sums;   /* [DIM + 1][nodes] mass kg, momentum kg m/s */
    real *velocity_bar; /* [DIM][nodes] in: dJ/dv_i; out: the same before the walls; active nodes */
    real *node_bar;     /* [DIM + 1][nodes] dJ/dm_i, dJ/dp_i; set for active nodes */
} mpm_grid_adj_args;

PIO_FN void mpm_grid_adj(int i, const mpm_grid_adj_args *a)
{
    const int node = a->l.node_list[i];
    const real m = a->sums[node];
    int index[DIM];
    node_index(&a->box, node, index);
    const int passes = wall_passes(&a->box, index, node_free_velocity(a->sums, a->nodes, node, a->step));
    real m_bar = R(0);
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) {
        const ptrdiff_t at = (ptrdiff_t)c * a->nodes + node, sum_at = at + a->nodes;
        const real v_bar = m > R(0) && (passes >> c & 1) ? a->velocity_bar[at] : R(0);
        const real p_bar = m > R(0) ? v_bar / m : R(0);
        a->velocity_bar[at] = v_bar;
        a->node_bar[sum_at] = p_bar;
        m_bar -= m > R(0) ? p_bar * (a->sums[sum_at] / m) : R(0);
    }
    a->node_bar[node] = m_bar;
}

/* Term of dJ/dg for one component: h v_bar_i, summed over active nodes. */
typedef struct {
    mpm_lists l;
    const mpm_step *step;
    const real *velocity_bar; /* [nodes] one component */
} mpm_gravity_sum_args;

PIO_FN wide mpm_gravity_sum(int i, const mpm_gravity_sum_args *a)
{
    return W(a->step->h) * W(a->velocity_bar[a->l.node_list[i]]);
}

#endif
