/* fem_friction.c -- friction of a mesh's surface at obstacles: among the internal forces of implicit steps, where its
 * velocities are those that the rule of time makes of the displacement at the end of the step, and in the kick of
 * explicit ones. */
#include "solvers/fem/fem_friction.h"
#include "solvers/fem/fem_pairs_friction.h"

void fem_friction_begin(fem_sim *f, const pio_engine_desc *desc)
{
    f->contact.rough = 0;
    for (int o = 0; o < desc->n_obstacles; o++) f->contact.rough |= desc->obstacles[o].friction > 0;
    for (int k = 0; k < desc->n_designs; k++) f->contact.rough |= desc->designs[k].quantity == PIO_OBSTACLE_FRICTION;
    f->contact.rubs = f->contact.rough && f->motion.integrator == PIO_STATIC;
}

const real *fem_rough_velocity(const fem_sim *f)
{
    return fem_has_friction(f) ? fem_state(f, f->state.u, STATE_V) : NULL;
}

/* clang-format off */
void fem_friction_forces(fem_sim *f, const fem_contact_args *a, const real *v)
{
    if (v && f->contact.rough) pio_map(&f->base.queue, fem_friction, f->contact.points, NULL, .fwd = *a, .v = v);
}

void fem_friction_forces_adj(fem_sim *f, int obstacle, const real *u, const real *v, const real *y,
                             fem_friction_bars bar)
{
    const fem_sim_contact *s = &f->contact;
    if (!s->rough || !v || !bar.v) return;
    pio_map(&f->base.queue, fem_friction_adj, s->points, NULL, .fwd = {.fwd = fem_contact_of(f, u, NULL), .v = v},
            .obstacle = obstacle, .points = s->points, .y = y, .u_bar = bar.u, .v_bar = bar.v,
            .rest_bar = bar.parameters ? f->mesh.rest_bar : NULL, .area_bar = s->area_bar,
            .contribution = s->contribution);
}

void fem_friction_blocks(fem_sim *f, const real *u, int projected)
{
    const fem_sim_contact *s = &f->contact;
    const real *v = fem_slip_velocity(f, u);
    if (!s->rough || !v) return;
    pio_map(&f->base.queue, fem_friction_matrix, s->points, NULL, .fwd = {.fwd = fem_contact_of(f, u, NULL), .v = v},
            .rate = fem_rates_at(f, s->span).v.d, .projected = projected, .first_node_pair = s->first_node_pair,
            .out = f->matrix.block_out);
}

void fem_friction_potential(fem_sim *f, fem_span span, const real *u, double *energy)
{
    const fem_contact_args a = fem_contact_of(f, f->newton.trial, NULL);
    if (!fem_has_friction(f)) return;
    if (f->contact.rubs) fem_set_rates(f, span, u);
    if (f->contact.rough)
        pio_sum(&f->base.queue, fem_friction_work, f->contact.points, NULL, energy, .fwd = a, .v = f->motion.rate,
                .rate = fem_rates_at(f, span).v.d);
    else
        pio_queue_zero(&f->base.queue, energy, sizeof *energy);
    fem_pairs_drag_potential(f, span, energy);
}

void fem_friction_start(fem_sim *f)
{
    const fem_sim_contact *s = &f->contact;
    if (s->rough) pio_queue_zero(&f->base.queue, s->slides, 3 * sizeof *s->slides);
}

void fem_friction_count(fem_sim *f)
{
    const fem_sim_contact *s = &f->contact;
    if (s->rough)
        pio_map(&f->base.queue, fem_friction_watch, s->points, NULL, .fwd = fem_contact_of(f, f->state.u, NULL),
                .v = fem_rough_velocity(f), .counts = s->slides);
}

void fem_friction_report(fem_sim *f, pio_contact_report *report)
{
    uint64_t counts[3] = {0};
    if (!f->contact.rough) return;
    pio_queue_download(&f->base.queue, counts, f->contact.slides, sizeof counts);
    report->rough = 1;
    report->stuck = (int64_t)counts[0];
    report->between = (int64_t)counts[1];
    report->slid = (int64_t)counts[2];
}

/* ---- explicit steps --------------------------------------------------------------------------------------- */

static fem_friction_leap_args leap_of(const fem_sim *f, double kick)
{
    return (fem_friction_leap_args){.fwd = fem_contact_of(f, f->state.u, f->newton.rhs),
                                    .v = fem_state(f, f->state.u, STATE_V), .mass = f->motion.mass,
                                    .constrained = f->supports.constrained, .kick = kick};
}

void fem_friction_leaps(fem_sim *f, double kick)
{
    const fem_friction_leap_args a = leap_of(f, kick);
    if (f->contact.rough) pio_map_with(&f->base.queue, fem_friction_leap, f->contact.points, NULL, &a);
}

void fem_friction_leaps_adj(fem_sim *f, double kick)
{
    pio_queue *q = &f->base.queue;
    const fem_sim_contact *s = &f->contact;
    const sim_obstacle_time t = fem_obstacle_end(f, s->span);
    if (!s->rough) return;
    for (int o = s->obstacles.n - 1; o >= 0; o--) {
        pio_map(q, fem_friction_leap_adj, s->points, NULL, .fwd = leap_of(f, kick), .obstacle = o, .points = s->points,
                .force_bar = f->newton.lambda, .u_bar = f->adjoint.u_bar,
                .v_bar = fem_state(f, f->adjoint.u_bar, STATE_V), .rest_bar = f->mesh.rest_bar,
                .mass_bar = f->motion.mass_bar, .area_bar = s->area_bar, .contribution = s->contribution);
        sim_obstacles_gather(&s->obstacles, q, o, s->points, NULL, s->contribution);
    }
    sim_obstacles_place_adj(&s->obstacles, q, &t);
}
/* clang-format on */
