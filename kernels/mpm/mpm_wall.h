/* mpm_wall.h -- what walls of the grid do along themselves, after mpm_grid, and its adjoint: friction, and sticking
 * while pressed.
 *
 * With u_i = p_i/m_i + h g the free velocity of a node and v_i that after mpm_grid, a wall removes from the node the
 * speed
 *
 *     r_w = max(0, n_w . (v_i - u_i))       n_w: the unit normal out of the wall
 *
 * that presses. t is v_i in the components that no wall prescribes or mirrors, so that it lies along all walls that
 * reach the node. It becomes w,
 *
 *     t' = t e/(e + b)                      b = sum of r_w of walls that stick while pressed (sticky_separate)
 *     w + r w/sqrt(|w|^2 + e^2) = t'        r = sum of mu_w r_w of the others: Coulomb's law with a smooth start, taken
 *                                           implicitly (obstacle.h)
 *
 * A slip wall reaches the node on its face, those beyond it and, as it mirrors, the one within; a separating wall the
 * nodes on its face and beyond. So in a steady state the impulses m_i r_w of all nodes add up to what the wall
 * bears. */
#ifndef PIOLA_KERNELS_MPM_WALL_H
#define PIOLA_KERNELS_MPM_WALL_H

#include "kernels/mpm/mpm_grid.h"
#include "kernels/mpm/mpm_wall_args.h"
#include "kernels/contact/obstacle.h"

/* Returns 1 where wall 2 a + side acts along itself, and reaches a node with these indices. */
PIO_FN int wall_rubs_at(const mpm_box *box, const int index[DIM], int a, int side)
{
    const int within = box->wall[a][side] == PIO_WALL_SLIP, face = box->face[a][side];
    const int reached = side == 0 ? index[a] <= face + within : index[a] >= face - within;
    return reached && (box->rough >> (2 * a + side) & 1);
}

/* What the walls do along themselves at a node. */
typedef struct {
    real mass;               /* kg */
    vec own;                 /* u, m/s; 0 without mass */
    real frees[DIM];         /* 1 for components that no wall prescribes or mirrors, else 0 */
    real removed[BOX_WALLS]; /* r_w, m/s; 0 of walls that do not act here */
    real stick, press;       /* b and r, m/s */
    int acts;                /* some r_w is above 0; then the friction of a wall has a derivative even where it is 0 */
    vec along;               /* t, m/s */
    obstacle_slide slide;    /* of t' and r; its w is that of the node */
} wall_rub;

/* Returns what the walls do along themselves at a node whose velocity after mpm_grid is v, m/s. */
PIO_FN wall_rub wall_rub_of(const mpm_grid_args *a, int node, const int index[DIM], vec v)
{
    const real e = a->step->wall_friction_velocity;
    wall_rub g;
    g.mass = a->sums[field_at(a->nodes, DIM + 1, 0, node)];
    g.own = node_stored_velocity(a->sums, a->nodes, node, a->step);
    g.stick = g.press = R(0);
    g.acts = 0;
    wall_free_components(&a->box, index, g.frees);
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) {
        g.along.x[c] = g.frees[c] * v.x[c];
        PIO_UNROLL
        for (int side = 0; side < 2; side++) {
            const real r = side == 0 ? v.x[c] - g.own.x[c] : g.own.x[c] - v.x[c];
            const int acts = r > R(0) && g.mass > R(0) && wall_rubs_at(&a->box, index, c, side);
            g.removed[2 * c + side] = acts ? r : R(0);
            g.acts |= acts;
            if (!acts) continue;
            if (a->box.wall[c][side] == PIO_WALL_STICKY_SEPARATE)
                g.stick += r;
            else
                g.press += a->step->wall_friction[c][side] * r;
        }
    }
    g.slide = obstacle_slide_of(vec_scale(e / (e + g.stick), g.along), g.press, e);
    return g;
}

/* Returns the velocity of a node after what the walls do along themselves, m/s; v is that before. */
PIO_FN vec wall_rubbed(const wall_rub *g, vec v)
{
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) v.x[c] = g->frees[c] > R(0) ? g->slide.w.x[c] : v.x[c];
    return v;
}

/* Applies friction and sticking of the walls to the velocity of active node i. */
PIO_FN void mpm_wall(int i, const mpm_wall_args *b)
{
    const mpm_grid_args *a = &b->grid;
    const int node = a->l.node_list[i];
    int index[DIM];
    node_index(&a->box, node, index);
    if (node_is_inner(&a->box, index)) return;
    const vec v = vec_load(a->velocity, a->nodes, node);
    const wall_rub g = wall_rub_of(a, node, index, v);
    if (g.acts) vec_store(a->velocity, a->nodes, node, wall_rubbed(&g, v));
}

/* Adjoint of wall_rub_of and wall_rubbed: returns v_bar of kept_bar, the cotangent of the velocity after them, and sets
 * the cotangents of u and of the friction of each wall. */
PIO_FN vec wall_rub_adj(const mpm_grid_args *a, const wall_rub *g, vec kept_bar, vec *free_bar, real *friction_bar)
{
    const real e = a->step->wall_friction_velocity, kept = e / (e + g->stick);
    real press_bar = R(0), e_bar = R(0);
    vec w_bar, v_bar;
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) w_bar.x[c] = g->frees[c] * kept_bar.x[c];
    const vec left_bar = obstacle_slide_adj(&g->slide, g->press, e, w_bar, &press_bar, &e_bar);
    const real stick_bar = -kept / (e + g->stick) * vec_dot(g->along, left_bar);
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) {
        v_bar.x[c] = g->frees[c] > R(0) ? kept * left_bar.x[c] : kept_bar.x[c];
        free_bar->x[c] = R(0);
        PIO_UNROLL
        for (int side = 0; side < 2; side++) {
            const real r = g->removed[2 * c + side], sign = side == 0 ? R(1) : R(-1);
            const int sticks = a->box.wall[c][side] == PIO_WALL_STICKY_SEPARATE;
            real r_bar = sticks ? stick_bar : a->step->wall_friction[c][side] * press_bar;
            if (!(r > R(0))) r_bar = R(0);
            v_bar.x[c] += sign * r_bar;
            free_bar->x[c] -= sign * r_bar;
            friction_bar[2 * c + side] = sticks ? R(0) : r * press_bar;
        }
    }
    return v_bar;
}

/* Adjoint of mpm_wall for active node i, whose velocity after mpm_grid is computed anew. */
PIO_FN void mpm_wall_adj(int i, const mpm_wall_adj_args *b)
{
    const mpm_grid_args *a = &b->fwd;
    const int node = a->l.node_list[i];
    int index[DIM];
    vec free_bar = vec_zero();
    real friction_bar[BOX_WALLS];
    for (int w = 0; w < BOX_WALLS; w++) friction_bar[w] = R(0);
    node_index(&a->box, node, index);
    if (!node_is_inner(&a->box, index)) {
        const wall_rub g = wall_rub_of(a, node, index, node_wall_velocity(a, NULL, node, index));
        if (g.acts) {
            const vec kept_bar = vec_load(b->velocity_bar, a->nodes, node);
            vec_store(b->velocity_bar, a->nodes, node, wall_rub_adj(a, &g, kept_bar, &free_bar, friction_bar));
        }
    }
    vec_store(b->free_bar, a->nodes, node, free_bar);
    for (int w = 0; w < BOX_WALLS; w++) b->friction_bar[field_at(a->nodes, BOX_WALLS, w, node)] = friction_bar[w];
}

/* Adds to the cotangents of mass and momentum of active node i those by its free velocity u = p/m + h g: u_bar/m, and
 * -u_bar . p/m^2. */
PIO_FN void mpm_wall_rest_adj(int i, const mpm_wall_rest_adj_args *a)
{
    const int node = a->l.node_list[i];
    const real m = a->sums[field_at(a->nodes, DIM + 1, 0, node)];
    if (!(m > R(0))) return;
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) {
        const real p_bar = a->free_bar[field_at(a->nodes, DIM, c, node)] / m;
        a->node_bar[field_at(a->nodes, DIM + 1, 1 + c, node)] += p_bar;
        a->node_bar[field_at(a->nodes, DIM + 1, 0, node)] -=
            p_bar * (a->sums[field_at(a->nodes, DIM + 1, 1 + c, node)] / m);
    }
}

/* Returns the term of active node i in dJ/dmu of one wall. */
PIO_FN wide mpm_wall_sum(int i, const mpm_wall_sum_args *a)
{
    return W(a->friction_bar[field_at(a->nodes, BOX_WALLS, a->wall, a->l.node_list[i])]);
}

#endif
