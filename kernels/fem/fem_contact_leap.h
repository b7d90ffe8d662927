/* fem_contact_leap.h -- whether an explicit step was possible at the barriers of obstacles, and which one would be. */
#ifndef PIOLA_KERNELS_FEM_CONTACT_LEAP_H
#define PIOLA_KERNELS_FEM_CONTACT_LEAP_H

#include "kernels/contact/barrier_step.h"
#include "kernels/fem/fem_contact.h"

/* Notes that step `index` would be right with these. */
PIO_FN void contact_needs(const barrier_need *need, double stiffness, int64_t index, uint64_t *needed,
                          uint64_t *stiffer)
{
    atomic_min_u64(needed, (uint64_t)index << 32 | contact_key(W(need->step)) >> 32);
    if (need->stiffness > stiffness)
        atomic_min_u64(stiffer, (uint64_t)index << 32 | (UINT32_MAX - (contact_key(W(need->stiffness)) >> 32)));
}

/* Returns how point k meets obstacle o in a step, of which it has a part free. */
PIO_FN barrier_blow fem_contact_blow(const fem_contact_leap_args *b, const contact_path *p, int o, int k, double part)
{
    const fem_contact_args *a = &b->fwd;
    const obstacle_grip *grip = &a->pose[o].grip;
    barrier_blow blow;
    double radius;
    blow.mass = (double)point_load(b->mass, a->node[k]).x[0];
    blow.area = (double)a->area[k];
    blow.stiffness = (double)grip->stiffness;
    blow.distance = (double)grip->distance;
    blow.rows = 1;
    blow.gap = (double)contact_path_distance(a, p, o, k, 0, &radius);
    const double end = (double)contact_path_distance(a, p, o, k, 1, &radius);
    blow.speed = part > 0 && part < 1 ? (1 - (double)CONTACT_KEPT) * blow.gap / (part * b->h) : (blow.gap - end) / b->h;
    blow.step = b->h;
    blow.square = b->square;
    return blow;
}

/* An explicit step is possible where point k keeps CONTACT_KEPT of its distances on its way, and where h^2 (omega^2 +
 * k/m) <= 4 with the stiffness k = A K B''/h of the barriers at its end; otherwise lowers the fault, and notes the step
 * and the stiffness that would be right. */
PIO_FN void fem_contact_leap(int k, const fem_contact_leap_args *b)
{
    const fem_contact_args *a = &b->fwd;
    const contact_path p = {b->v, -b->h, b->h, b->motion};
    const int node = a->node[k];
    wide stiff = W(0), h = W(b->h);
    int passes = 0;
    for (int o = 0; o < a->obstacles; o++) {
        const fem_contact_near r = fem_contact_near_of(a, o, k);
        passes |= contact_free_path(a, &p, o, k) < 1;
        if (r.s < R(1)) stiff += W(r.scale * barrier_of(r.s).curve / a->pose[o].grip.distance);
    }
    if (!passes && h * h * (W(b->square) + stiff / W(point_load(b->mass, node).x[0])) <= W(4)) return;
    atomic_min_u64(&b->step->fault, fem_fault_at(b->step->index, node, FEM_PASSED));
    for (int o = 0; o < a->obstacles; o++) {
        const double part = contact_free_path(a, &p, o, k);
        const barrier_blow blow = fem_contact_blow(b, &p, o, k, part);
        if (part < 1 || fem_contact_near_of(a, o, k).s < R(1)) {
            const barrier_need need = barrier_need_of(&blow);
            contact_needs(&need, blow.stiffness, b->step->index, b->needed, b->stiffer);
        }
    }
}

#endif
