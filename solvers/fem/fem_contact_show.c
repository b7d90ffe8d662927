/* fem_contact_show.c -- see fem_contact_show.h. */
#include "solvers/fem/fem_contact_show.h"

#include "solvers/fem/fem_friction.h"
#include "solvers/fem/fem_pairs.h"

fem_contact_args fem_contact_show_push(fem_sim *f, int64_t state, const real *v, real *out)
{
    const fem_contact_args a = fem_contact_of(f, f->state.u, out);
    fem_obstacles_at(f, fem_last_span(f, state));
    fem_zero_points(f, out);
    if (a.obstacles) pio_map_with(&f->base.queue, fem_contact, f->contact.points, NULL, &a);
    fem_pairs_forces(f, f->state.u, v, out);
    return a;
}

void fem_contact_show_force(fem_sim *f, real *out)
{
    const real *v = fem_rough_velocity(f);
    const fem_contact_args a = fem_contact_show_push(f, f->base.index, v, out);
    fem_friction_forces(f, &a, v);
    fem_combine(f, -1, out, 0, out, out);
}

void fem_contact_show_pressure(fem_sim *f, real *out)
{
    fem_contact_show_push(f, f->base.index, NULL, out);
    pio_map(&f->base.queue, fem_contact_pressure, f->contact.points, NULL, .node = f->contact.node,
            .area = f->contact.area, .force = out, .out = out);
}

void fem_contact_show_gap(fem_sim *f, real *out)
{
    const fem_contact_args a = fem_contact_of(f, f->state.u, NULL);
    fem_obstacles_at(f, fem_last_span(f, f->base.index));
    pio_map(&f->base.queue, fem_contact_far, f->mesh.nodes, NULL, .obstacles = a.obstacles, .pose = a.pose,
            .grip = f->pairs.on ? f->pairs.grip : NULL, .out = out);
    pio_map(&f->base.queue, fem_contact_gaps, f->contact.points, NULL, .fwd = a, .out = out);
    fem_pairs_gaps(f, f->state.u, out);
}
