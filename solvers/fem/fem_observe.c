/* fem_observe.c -- observations of a mesh: the contributions of states to samples, and their adjoint. */
#include "solvers/fem/fem_contact_seen.h"
#include "solvers/fem/fem_control.h"
#include "solvers/fem/fem_modal.h"
#include "solvers/fem/fem_network.h"
#include "solvers/fem/fem_observe.h"

/* Returns 1 if velocities are observed, and not displacements. */
static int of_rates(const pio_observation_desc *d)
{
    return d->type == PIO_MEAN_VELOCITY || d->type == PIO_KINETIC_ENERGY;
}

/* Returns whether moments are observed, with places of nodes and forces or momenta. */
static int of_moments(pio_observable type)
{
    return type == PIO_REACTION_MOMENT || type == PIO_ANGULAR_MOMENTUM;
}

/* `axis` of what is observed in state u; of the state before it only a sample that interpolates between both sees
 * something. */
static fem_observe_args args_of(const fem_sim *f, const fem_observation *o, const pio_sample_weight *t, int axis,
                                real *u, const real *past)
{
    const pio_observation_desc *d = &o->desc;
    const int distance = d->type == PIO_DISTANCE, sample = t->sample;
    return (fem_observe_args){.type = d->type == PIO_MEAN_VELOCITY   ? PIO_DISPLACEMENT
                                      : d->type == PIO_CONTACT_FORCE ? PIO_REACTION
                                                                     : (int)d->type,
                              .axis = axis,
                              .rest = f->mesh.rest,
                              .u = of_rates(d) ? fem_state(f, u, STATE_V) : u,
                              .force = d->type == PIO_COMPLIANCE ? f->forces.external : f->newton.trial,
                              .weight = o->weight,
                              .marker = o->marker,
                              .points = distance ? o->points + (ptrdiff_t)sample * d->rows * DIM : NULL,
                              .point_weight = o->point_weight ? o->point_weight + (ptrdiff_t)sample * d->rows : NULL,
                              .markers = distance ? o->markers[sample] : 1,
                              .past = t->past > 0 ? past : NULL,
                              .past_weight = t->past};
}

/* clang-format off */
#define OBSERVE_ARGS .type = a.type, .axis = a.axis, .rest = a.rest, .u = a.u, .force = a.force, .weight = a.weight, \
    .marker = a.marker, .points = a.points, \
    .point_weight = a.point_weight, .markers = a.markers, .past = a.past, .past_weight = a.past_weight

void fem_reaction(fem_sim *f)
{
    fem_internal(f, f->state.u, f->forces.internal);
    fem_combine(f, 1, f->forces.internal, -1, f->forces.external, f->newton.trial);
    if (fem_moves(f)) {
        fem_mass_force(f, fem_state(f, f->state.u, STATE_A), f->newton.trial);
        fem_damping_force(f, fem_state(f, f->state.u, STATE_V), f->newton.trial);
    }
    fem_tie_nodes_adj(f, f->newton.trial);
}

static fem_moment_args moment_of(const fem_sim *f, const fem_observation *o, int axis)
{
    const double *c = o->desc.center;
    return (fem_moment_args){.axis = axis, .center = {c[0], c[1], c[2]}, .rest = f->mesh.rest, .u = f->state.u,
                             .force = f->newton.trial, .weight = o->weight};
}

/* Places of points in elements, in state u; `past` as above. */
static fem_place_args place_of(const fem_sim *f, const fem_observation *o, const pio_sample_weight *t, real *u,
                               const real *past)
{
    const ptrdiff_t first = (ptrdiff_t)t->sample * o->desc.rows;
    return (fem_place_args){.start = o->place.row_start, .node = o->place.row_node, .shape = o->place.row_shape,
                            .rest = f->mesh.rest, .u = u, .past = t->past > 0 ? past : NULL, .past_weight = t->past,
                            .given = o->points + first * DIM,
                            .point_weight = o->point_weight ? o->point_weight + first : NULL,
                            .total = o->markers[t->sample]};
}

/* trial = M v */
static void momentum(fem_sim *f)
{
    pio_queue_zero(&f->base.queue, f->newton.trial, sizeof(real) * DIM * (size_t)f->mesh.nodes);
    fem_mass_force(f, fem_state(f, f->state.u, STATE_V), f->newton.trial);
}

/* scalar = component c of what is observed of nodes, or of points in elements */
static void sum_of(fem_sim *f, const fem_observation *o, const pio_sample_weight *t, int c)
{
    pio_queue *q = &f->base.queue;
    if (of_moments(o->desc.type)) {
        const fem_moment_args m = moment_of(f, o, c);
        pio_sum(q, fem_moment, f->mesh.nodes, NULL, f->base.scalar, .axis = m.axis,
                .center = {m.center[0], m.center[1], m.center[2]}, .rest = m.rest, .u = m.u, .force = m.force,
                .weight = m.weight);
    } else if (o->place.row_start) {
        const fem_place_args p = place_of(f, o, t, f->state.u, f->state.origin);
        pio_sum(q, fem_place, o->desc.rows, NULL, f->base.scalar, .start = p.start, .node = p.node, .shape = p.shape,
                .rest = p.rest, .u = p.u, .past = p.past, .past_weight = p.past_weight, .given = p.given,
                .point_weight = p.point_weight, .total = p.total);
    } else {
        const fem_observe_args a = args_of(f, o, t, c, f->state.u, f->state.origin);
        pio_sum(q, fem_observe, f->mesh.nodes, NULL, f->base.scalar, OBSERVE_ARGS);
    }
}

static void forward(fem_sim *f, const pio_sample_weight *t)
{
    pio_queue *q = &f->base.queue;
    const fem_observation *o = &f->observe.observations[t->observation];
    if (sim_is_of_control(o->desc.type)) {
        fem_observe_control(f, o, t);
        return;
    }
    if (fem_of_elements(o->desc.type)) {
        (fem_of_fields(o->desc.type) ? fem_observe_field : fem_observe_integral)(f, o, t);
        return;
    }
    if (o->desc.type == PIO_EIGENFREQUENCY) {
        fem_modal_observe(f, o, t);
        return;
    }
    if (o->desc.type == PIO_GAP) {
        fem_contact_seen_gap(f, o, t);
        return;
    }
    if (o->desc.type == PIO_CONTACT_PRESSURE) {
        fem_contact_seen_pressure(f, o, t);
        return;
    }
    if (o->desc.type == PIO_CONTACT_FORCE) fem_contact_seen_force(f, o, t);
    if (fem_reacts(o->desc.type)) fem_reaction(f);
    if (o->desc.type == PIO_KINETIC_ENERGY || o->desc.type == PIO_ANGULAR_MOMENTUM) momentum(f);
    for (int c = 0; c < o->desc.components; c++) {
        sum_of(f, o, t, c);
        pio_map(q, fem_observe_add, 1, NULL, .sum = f->base.scalar, .weight = t->weight,
                .sample = f->base.samples + o->first + t->sample * o->desc.components + c);
    }
}

/* The adjoint of component c of what is observed of nodes. */
static void nodes_adj(fem_sim *f, const pio_sample_weight *t, int c, real *v_bar)
{
    pio_queue *q = &f->base.queue;
    const fem_observation *o = &f->observe.observations[t->observation];
    const wide *bar = f->base.samples_bar + o->first + t->sample * o->desc.components + c;
    if (of_moments(o->desc.type)) {
        pio_map(q, fem_moment_adj, f->mesh.nodes, NULL, .fwd = moment_of(f, o, c), .sample_bar = bar,
                .scale = t->weight, .u_bar = f->adjoint.u_bar, .rest_bar = f->mesh.rest_bar,
                .force_bar = f->newton.y);
        return;
    }
    const fem_observe_args a = args_of(f, o, t, c, f->state.u, NULL);
    pio_map(q, fem_observe_adj, f->mesh.nodes, NULL, .o = a, .weight = t->weight, .sample_bar = bar,
            .u_bar = of_rates(&o->desc) ? v_bar : f->adjoint.u_bar,
            .force_bar = o->desc.type == PIO_COMPLIANCE ? f->forces.external_bar : f->newton.y,
            .rest_bar = f->mesh.rest_bar);
}

/* The adjoint of a distance of points in elements, in state u. */
static void places_adj(fem_sim *f, const pio_sample_weight *t, real *u, const real *past, real *past_bar)
{
    pio_queue *q = &f->base.queue;
    const fem_observation *o = &f->observe.observations[t->observation];
    pio_map(q, fem_place_adj, o->desc.rows, NULL, .fwd = place_of(f, o, t, u, past), .scale = t->weight,
            .sample_bar = f->base.samples_bar + o->first + t->sample, .place_bar = o->place.row_bar);
    pio_map(q, fem_place_node_adj, f->mesh.nodes, NULL, .start = o->place.node_start, .point = o->place.node_row,
            .shape = o->place.node_shape, .place_bar = o->place.row_bar, .past_weight = t->past,
            .u_bar = f->adjoint.u_bar, .rest_bar = f->mesh.rest_bar, .past_bar = past_bar);
}

/* The forces of a reaction and the momenta are functions of the state: their cotangents y become those of state,
 * constants and shape at once. */
static void sample_adj(fem_sim *f, const pio_sample_weight *t)
{
    pio_queue *q = &f->base.queue;
    const fem_observation *o = &f->observe.observations[t->observation];
    const int momenta = o->desc.type == PIO_KINETIC_ENERGY || o->desc.type == PIO_ANGULAR_MOMENTUM;
    if (o->desc.type == PIO_EIGENFREQUENCY) return; /* the adjoint of the step does it */
    if (o->desc.type == PIO_GAP) {
        fem_contact_seen_gap_adj(f, o, t);
        return;
    }
    if (o->desc.type == PIO_CONTACT_PRESSURE) {
        fem_contact_seen_pressure_adj(f, o, t);
        return;
    }
    if (sim_is_of_control(o->desc.type)) {
        fem_observe_control_adj(f, o, t);
        return;
    }
    if (fem_of_elements(o->desc.type)) {
        (fem_of_fields(o->desc.type) ? fem_observe_field_adj : fem_observe_integral_adj)(f, o, t);
        return;
    }
    if (o->place.row_start) {
        places_adj(f, t, f->state.u, NULL, NULL);
        return;
    }
    real *v = fem_state(f, f->state.u, STATE_V), *v_bar = fem_state(f, f->adjoint.u_bar, STATE_V);
    if (o->desc.type == PIO_REACTION_MOMENT) fem_reaction(f);
    if (momenta) momentum(f);
    if (o->desc.type != PIO_COMPLIANCE) pio_queue_zero(q, f->newton.y, sizeof(real) * DIM * (size_t)f->mesh.nodes);
    for (int c = 0; c < o->desc.components; c++) nodes_adj(f, t, c, v_bar);
    if (momenta) fem_mass_force_adj(f, v, f->newton.y, v_bar);
    if (o->desc.type == PIO_CONTACT_FORCE) fem_contact_seen_force_adj(f, o, t);
    if (!fem_reacts(o->desc.type)) return;
    fem_tie_nodes(f, f->newton.y);
    fem_internal_adj(f, f->state.u, f->newton.y, f->adjoint.u_bar, v_bar, 1);
    if (fem_moves(f)) {
        fem_mass_force_adj(f, fem_state(f, f->state.u, STATE_A), f->newton.y, fem_state(f, f->adjoint.u_bar, STATE_A));
        fem_damping_force_adj(f, v, f->newton.y, v_bar);
    }
    fem_combine(f, 1, f->forces.external_bar, -1, f->newton.y, f->forces.external_bar);
}

/* A distance at a time within the step from u to `known`. */
static void between_adj(fem_sim *f, const pio_sample_weight *t)
{
    const fem_observation *o = &f->observe.observations[t->observation];
    if (o->place.row_start) {
        places_adj(f, t, f->adjoint.known, f->state.u, f->adjoint.between_bar);
        return;
    }
    const fem_observe_args a = args_of(f, o, t, 0, f->adjoint.known, f->state.u);
    pio_map(&f->base.queue, fem_observe_adj, f->mesh.nodes, NULL, .o = a, .weight = t->weight,
            .sample_bar = f->base.samples_bar + o->first + t->sample, .u_bar = f->adjoint.u_bar,
            .rest_bar = f->mesh.rest_bar, .past_bar = f->adjoint.between_bar);
}
/* clang-format on */

void fem_adjoint_norm(fem_sim *f, int64_t index, int which)
{
    const size_t count = DIM * (size_t)f->mesh.nodes;
    sim_norm(&f->base, index, which, f->adjoint.u_bar, fem_state(f, f->adjoint.u_bar, STATE_V), count);
    if (which == NORM_WITH_SOURCES && index == f->base.index)
        sim_norm(&f->base, index, NORM_OF_STATE, f->state.u, fem_state(f, f->state.u, STATE_V), count);
}

void fem_observe_step(fem_sim *f, int64_t index)
{
    const pio_sim *s = &f->base;
    for (int i = sim_first_sample_weight(s, index); i < s->n_sample_weights && s->sample_weights[i].step == index; i++)
        forward(f, &s->sample_weights[i]);
}

/* Forces that were observed may follow the displacement: their cotangents are a part of the state's, and stay those of
 * the forces. */
void fem_observe_step_adj(fem_sim *f, int64_t index)
{
    const pio_sim *s = &f->base;
    int forces = 0;
    fem_activate(f, fem_whole(index - 1));
    for (int i = sim_first_sample_weight(s, index); i < s->n_sample_weights && s->sample_weights[i].step == index;
         i++) {
        if (s->sample_weights[i].past > 0) continue; /* the adjoint of the step before does it */
        const pio_observable type = f->observe.observations[s->sample_weights[i].observation].desc.type;
        forces |= type == PIO_COMPLIANCE || fem_reacts(type);
        if (type == PIO_COMPLIANCE || type == PIO_REACTION_MOMENT) fem_external(f, fem_whole(index - 1), f->state.u);
        sample_adj(f, &s->sample_weights[i]);
    }
    fem_control_adj(f);
    if (fem_leaps(f)) fem_networks_evaluate_adj(f);
    if (!forces || !f->loads.has_followers) return;
    fem_external(f, fem_whole(index - 1), f->state.u);
    fem_follow_adj(f, f->state.u, f->forces.external_bar, f->adjoint.u_bar);
}

void fem_observe_between_adj(fem_sim *f)
{
    const pio_sim *s = &f->base;
    const int64_t end = s->index + 1;
    if (!sim_uses_previous_state(s, end)) return;
    pio_queue_zero(&f->base.queue, f->adjoint.between_bar, sizeof(real) * DIM * (size_t)f->mesh.nodes);
    for (int i = sim_first_sample_weight(s, end); i < s->n_sample_weights && s->sample_weights[i].step == end; i++)
        if (s->sample_weights[i].past > 0) between_adj(f, &s->sample_weights[i]);
    fem_adjoint_norm(f, end, NORM_WITH_SOURCES);
}

void fem_observe_before_adj(fem_sim *f, int64_t index)
{
    if (sim_uses_previous_state(&f->base, index))
        fem_combine(f, 1, f->adjoint.u_bar, 1, f->adjoint.between_bar, f->adjoint.u_bar);
}
