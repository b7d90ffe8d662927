/* fem_contact_observe.c -- what is observed of single obstacles: their forces on a mesh and the least gap, and how the
 * cotangents of forces reach places and obstacles. */
#include "solvers/fem/fem_friction.h"

/* clang-format off */
/* Forces of obstacle o alone, whose poses are those of the observed state from now on. */
static fem_contact_args only(fem_sim *f, const pio_sample_weight *t, int o, real *out)
{
    fem_contact_args a = fem_contact_of(f, f->state.u, out);
    fem_obstacles_at(f, fem_last_span(f, t->step));
    a.obstacles = 1;
    a.shape += o;
    a.pose += o;
    return a;
}

void fem_contact_observe_force(fem_sim *f, const fem_observation *o, const pio_sample_weight *t)
{
    const fem_contact_args a = only(f, t, o->desc.obstacle, f->newton.trial);
    fem_zero_points(f, f->newton.trial);
    pio_map_with(&f->base.queue, fem_contact, f->contact.points, NULL, &a);
    fem_friction_forces(f, &a, fem_rough_velocity(f));
    fem_combine(f, -1, f->newton.trial, 0, f->newton.trial, f->newton.trial);
}

/* From the contributions of the points to the cotangents of obstacle o alone. */
static void pose_adj(fem_sim *f, int o)
{
    const fem_sim_contact *s = &f->contact;
    const sim_obstacle_time t = fem_obstacle_end(f, s->span);
    pio_queue_zero(&f->base.queue, s->obstacles.pose_bar,
                   sizeof *s->obstacles.pose_bar * field_size(s->obstacles.n, OBSTACLE_PARAMETERS));
    sim_obstacles_gather(&s->obstacles, &f->base.queue, o, s->points, NULL, s->contribution);
    sim_obstacles_place_adj(&s->obstacles, &f->base.queue, &t);
}

void fem_contact_push_adj(fem_sim *f, const real *y, real *u_bar)
{
    const fem_sim_contact *s = &f->contact;
    const sim_obstacle_time t = fem_obstacle_time(f, s->span, 1);
    if (!s->obstacles.n) return;
    pio_queue_zero(&f->base.queue, s->obstacles.pose_bar,
                   sizeof *s->obstacles.pose_bar * field_size(s->obstacles.n, OBSTACLE_PARAMETERS));
    for (int o = 0; o < s->obstacles.n; o++) {
        pio_map(&f->base.queue, fem_contact_adj, s->points, NULL, .fwd = fem_contact_of(f, f->state.u, NULL),
                .obstacle = o, .points = s->points, .y = y, .u_bar = u_bar, .rest_bar = f->mesh.rest_bar,
                .area_bar = s->area_bar, .contribution = s->contribution);
        sim_obstacles_gather(&s->obstacles, &f->base.queue, o, s->points, NULL, s->contribution);
    }
    sim_obstacles_place_adj(&s->obstacles, &f->base.queue, &t);
}

void fem_contact_observe_force_adj(fem_sim *f, const fem_observation *o, const pio_sample_weight *t)
{
    const fem_sim_contact *s = &f->contact;
    fem_obstacles_at(f, fem_last_span(f, t->step));
    fem_combine(f, -1, f->newton.y, 0, f->newton.y, f->newton.y);
    pio_map(&f->base.queue, fem_contact_adj, s->points, NULL, .fwd = fem_contact_of(f, f->state.u, NULL),
            .obstacle = o->desc.obstacle, .points = s->points, .y = f->newton.y, .u_bar = f->adjoint.u_bar,
            .rest_bar = f->mesh.rest_bar, .area_bar = s->area_bar, .contribution = s->contribution);
    fem_friction_forces_adj(f, o->desc.obstacle, f->state.u, fem_rough_velocity(f), f->newton.y,
                            (fem_friction_bars){.u = f->adjoint.u_bar,
                                                .v = fem_state(f, f->adjoint.u_bar, STATE_V), .parameters = 1});
    pose_adj(f, o->desc.obstacle);
}

/* Finds the least gap of the observed obstacle. */
static fem_contact_gap_args least_gap(fem_sim *f, const fem_observation *o, const pio_sample_weight *t)
{
    const uint64_t none[2] = {UINT64_MAX, UINT64_MAX};
    const fem_sim_contact *s = &f->contact;
    const fem_contact_gap_args a = {.fwd = fem_contact_of(f, f->state.u, NULL), .obstacle = o->desc.obstacle,
                                    .gap = s->gap, .found = s->found};
    fem_obstacles_at(f, fem_last_span(f, t->step));
    pio_queue_upload(&f->base.queue, s->found, none, sizeof none);
    pio_map_with(&f->base.queue, fem_contact_gap, s->points, NULL, &a);
    pio_map(&f->base.queue, fem_contact_which, s->points, NULL, .gap = s->gap, .found = s->found);
    return a;
}

void fem_contact_observe_gap(fem_sim *f, const fem_observation *o, const pio_sample_weight *t)
{
    const fem_contact_gap_args a = least_gap(f, o, t);
    pio_map(&f->base.queue, fem_contact_gap_add, 1, NULL, .gap = a.gap, .found = a.found, .weight = t->weight,
            .sample = f->base.samples + o->first + t->sample);
}

void fem_contact_observe_gap_adj(fem_sim *f, const fem_observation *o, const pio_sample_weight *t)
{
    const fem_contact_gap_args a = least_gap(f, o, t);
    pio_map(&f->base.queue, fem_contact_gap_adj, f->contact.points, NULL, .fwd = a, .points = f->contact.points,
            .weight = t->weight, .sample_bar = f->base.samples_bar + o->first + t->sample, .u_bar = f->adjoint.u_bar,
            .rest_bar = f->mesh.rest_bar, .contribution = f->contact.contribution);
    pose_adj(f, o->desc.obstacle);
}
/* clang-format on */
