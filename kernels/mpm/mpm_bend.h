/* mpm_bend.h -- how near a step went to where the conditions of obstacles and of walls bend: counts, of no derivative.
 *
 * In a step forces change the velocity of a node by
 *
 *     dv_i = (p_i - p0_i)/m_i + h g,   p0_i = sum_p w_ip m_p (v_p + C_p (x_i - x_p))       p0: the momentum without
 *     forces (mpm_flip.h)
 *
 * A condition u -> u' has a derivative that says nothing about the next step where it bends within a fraction e
 * of that. With e along the normal, and along the sliding velocity,
 *
 *     B = s |u'(u + e) - 2 u'(u) + u'(u - e)|/|e|
 *
 * is 0 where the condition is linear, up to 1 at the edge of a condition that ends at once, and above that only where
 * a large friction sets in: there the derivative is up to its coefficient, over a range of velocities that is shorter
 * than e. */
#ifndef PIOLA_KERNELS_MPM_BEND_H
#define PIOLA_KERNELS_MPM_BEND_H

#include "kernels/mpm/mpm_bend_args.h"
#include "kernels/mpm/mpm_obstacle.h"
#include "kernels/mpm/mpm_wall.h"

/* Returns |dv_i|, m/s, by which forces change the velocity of a node in the step; 0 where it has no mass. Shapes: sums
 * [nodes][DIM + 1] m_i and p_i, momentum [nodes][DIM] p0_i. */
PIO_FN real node_step_change(const real *sums, const real *momentum, int nodes, int node, const mpm_step *step)
{
    const real m = sums[field_at(nodes, DIM + 1, 0, node)];
    vec dv = vec_zero();
    if (!(m > R(0))) return R(0);
    PIO_UNROLL
    for (int c = 0; c < DIM; c++)
        dv.x[c] = (sums[field_at(nodes, DIM + 1, 1 + c, node)] - momentum[field_at(nodes, DIM, c, node)]) / m +
                  step->h * step->gravity[c];
    return sqrt(vec_dot(dv, dv));
}

/* ---- obstacles ------------------------------------------------------------------------------------------------- */

/* Returns u', m/s, the velocity relative to an obstacle after its condition, and u itself where the condition does not
 * act; `normal` is a unit vector. */
PIO_FN vec bend_after(int behaviour, const obstacle_grip *grip, vec normal, vec u)
{
    const obstacle_contact c = obstacle_contact_of(behaviour, grip, normal, u);
    return c.acts ? c.kept : u;
}

/* Returns |u'(u + e d) - 2 u'(u) + u'(u - e d)|, m/s, with e > 0 m/s and d a unit vector. */
PIO_OUTLINE_FN real bend_along(int behaviour, const obstacle_grip *grip, vec normal, vec u, vec d, real e)
{
    const vec up = bend_after(behaviour, grip, normal, vec_axpby(R(1), u, e, d)),
              down = bend_after(behaviour, grip, normal, vec_axpby(R(1), u, -e, d)),
              both = vec_axpby(R(1), vec_axpby(R(1), up, R(1), down), R(-2), bend_after(behaviour, grip, normal, u));
    return sqrt(vec_dot(both, both));
}

/* Returns |w(t + e) - 2 w(t) + w(t - e)|/e, 1, of the friction of an obstacle with a potential along the velocity t
 * with which a node slides, e > 0 m/s; 0 where it does not act or slide. */
PIO_OUTLINE_FN real bend_of_friction(const node_friction *f, const obstacle_grip *grip, real e)
{
    if (!f->acts) return R(0);
    const vec t = vec_axpby(R(1), f->u, -f->across, f->normal);
    const real slides = sqrt(vec_dot(t, t)), r = grip->friction * f->load, v = grip->friction_velocity;
    if (!(slides > R(0))) return R(0);
    const vec d = vec_scale(e / slides, t);
    const vec both = vec_axpby(R(1), obstacle_slide_of(vec_axpby(R(1), t, R(1), d), r, v).w, R(1),
                               obstacle_slide_of(vec_axpby(R(1), t, R(-1), d), r, v).w);
    const vec bend = vec_axpby(R(1), both, R(-2), f->slide.w);
    return sqrt(vec_dot(bend, bend)) / e;
}

/* Returns how many conditions of active node i bend within a fraction of what the step changes. */
PIO_FN wide mpm_obstacle_bends(int i, const mpm_obstacle_bends_args *b)
{
    const mpm_obstacle_args *a = &b->fwd;
    const obstacle_node at = obstacle_node_of(a, i);
    const real e = b->fraction * node_step_change(a->sums, b->momentum, a->nodes, at.node, b->step);
    int count = 0;
    vec v = vec_load(a->before, a->nodes, at.node), u;
    obstacle_reach r;
    obstacle_contact c;
    for (int o = 0; o < a->obstacles && e > R(0); o++) {
        const int behaviour = a->shape[o].behaviour;
        const obstacle_grip *grip = &a->pose[o].grip;
        if (a->shape[o].model == PIO_CONTACT_POTENTIAL) {
            const node_friction f = node_friction_of(a, o, &at, v);
            count += bend_of_friction(&f, grip, e) > b->least;
            v = obstacle_rubs(a, o, &at, v);
            continue;
        }
        if (!obstacle_meets(a, o, &at, v, &r, &u, &c)) continue;
        if (behaviour != PIO_WALL_STICKY) {
            const real slides = sqrt(vec_dot(c.along, c.along));
            real bend = bend_along(behaviour, grip, r.normal, u, r.normal, e);
            if (slides > R(0)) {
                const real along = bend_along(behaviour, grip, r.normal, u, vec_scale(R(1) / slides, c.along), e);
                bend = along > bend ? along : bend;
            }
            count += r.blend * bend > b->least * e;
        }
        if (c.acts)
            v = vec_axpby(R(1), v, r.blend, obstacle_change(&a->box, at.index, vec_axpby(R(1), c.kept, R(-1), u)));
    }
    return W(count);
}

/* ---- walls of the grid ------------------------------------------------------------------------------------------- */

/* Returns how many walls that act along themselves bend at a node within e, m/s: slip walls, whose friction sets in
 * where they begin to press; and B above 1/2 along the sliding velocity, with friction that its change by e does not
 * alter. v: the node's velocity after mpm_grid. */
PIO_FN int wall_rub_bends(const mpm_grid_args *a, int node, const int index[DIM], vec v, real e)
{
    const wall_rub g = wall_rub_of(a, node, index, v);
    const real slides = sqrt(vec_dot(g.along, g.along)), start = a->step->wall_friction_velocity;
    int count = 0;
    for (int c = 0; c < DIM; c++)
        for (int side = 0; side < 2; side++) {
            const wall_images w = wall_images_of(&a->box, field_first(&a->box, node), index, c);
            const int alone = w.count > 1 && !(wall_unknown_of(&w, a, NULL, c).mass > g.mass); /* no ghost has mass */
            count += a->box.wall[c][side] == PIO_WALL_SLIP && wall_rubs_at(&a->box, index, c, side) && !alone &&
                     fabs(v.x[c] - g.own.x[c]) < e;
        }
    if (!(slides > R(0)) || !(g.press > R(0))) return count;
    const vec step = vec_scale(e / slides, g.along);
    const vec up = obstacle_slide_of(vec_axpby(R(1), g.along, R(1), step), g.press, start).w,
              down = obstacle_slide_of(vec_axpby(R(1), g.along, R(-1), step), g.press, start).w,
              bend = vec_axpby(R(1), vec_axpby(R(1), up, R(1), down), R(-2), g.slide.w);
    return count + (sqrt(vec_dot(bend, bend)) > R(0.5) * e);
}

/* Returns how many separating walls act on active node i while its speed along their normal is below e: they set in or
 * end at once where the velocity changes by e. And how often what walls do along themselves bends there. */
PIO_FN wide mpm_wall_bends(int i, const mpm_wall_bends_args *b)
{
    const mpm_grid_args *a = &b->fwd;
    const int node = a->l.node_list[i];
    int index[DIM], count = 0;
    node_index(&a->box, node, index);
    if (node_is_inner(&a->box, index)) return W(0);
    const vec v = node_stored_velocity(a->sums, a->nodes, node, a->step);
    const real e = b->fraction * node_step_change(a->sums, b->momentum, a->nodes, node, a->step);
    for (int c = 0; c < DIM; c++)
        for (int side = 0; side < 2; side++) {
            const int reached = side == 0 ? index[c] <= a->box.face[c][0] : index[c] >= a->box.face[c][1];
            const int kind = a->box.wall[c][side];
            count += reached && (kind == PIO_WALL_SEPARATE || kind == PIO_WALL_STICKY_SEPARATE) && fabs(v.x[c]) < e;
        }
    if (a->box.rough && e > R(0)) count += wall_rub_bends(a, node, index, node_wall_velocity(a, NULL, node, index), e);
    return W(count);
}

#endif
