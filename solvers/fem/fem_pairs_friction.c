/* fem_pairs_friction.c -- friction between surfaces that touch each other: what there is of it, its part of the kick of
 * explicit steps, and counts. */
#include "solvers/fem/fem_pairs_friction.h"

#include <math.h>

/* ---- what there is ----------------------------------------------------------------------------------------------- */

/* Returns whether a design is of friction between surfaces. */
static int is_designed(const pio_engine_desc *desc)
{
    int any = 0;
    for (int k = 0; k < desc->n_designs; k++) any |= fem_is_of_pairs_friction(desc->designs[k].quantity);
    return any;
}

piola_status fem_pairs_friction_accept(const pio_engine_desc *desc, piola_error *error)
{
    const pio_pairs_desc *p = &desc->fem->pairs;
    for (int k = 0; k < desc->n_designs; k++) {
        const pio_design_desc *e = &desc->designs[k];
        if (fem_is_of_pairs_friction(e->quantity) && (!(p->distance > 0) || e->components != 1 || e->groups != 1))
            return sim_fail(error, PIOLA_BAD_DATA, "design %d: it is one number, of a contact that there is", k);
    }
    if (!(p->distance > 0) || (p->friction <= 0 && p->friction >= 0 && !is_designed(desc))) return PIOLA_OK;
    if (!(p->friction >= 0 && isfinite(p->friction) && p->friction_velocity >= PIO_LEAST_VELOCITY &&
          isfinite(p->friction_velocity)))
        return sim_fail(error, PIOLA_BAD_DATA,
                        "contact: friction %g must be at least 0, and its velocity %g m/s at least %g m/s", p->friction,
                        p->friction_velocity, PIO_LEAST_VELOCITY);
    return PIOLA_OK;
}

void fem_pairs_friction_begin(fem_sim *f, const pio_engine_desc *desc)
{
    const pio_pairs_desc *p = &desc->fem->pairs;
    f->rubs = (fem_sim_pairs_friction){.on = p->distance > 0 && (p->friction > 0 || is_designed(desc)),
                                       .friction = p->friction,
                                       .velocity = p->friction_velocity};
    f->contact.rubs |= f->rubs.on && f->motion.integrator == PIO_STATIC;
}

/* clang-format off */
void fem_pairs_friction_layout(fem_sim *f)
{
    pio_arena *arena = &f->base.arena;
    fem_sim_pairs_friction *s = &f->rubs;
    const size_t points = (size_t)f->pairs.surface.points;
    if (!s->on) return;
    TAKE(arena, s->rub, PAIR_RUB);
    TAKE(arena, s->slides, 3);
    if (fem_leaps(f)) TAKE(arena, s->velocities, points * DIM);
    if (fem_leaps(f)) TAKE(arena, s->pace, points);
    if (!f->base.adjoint) return;
    TAKE(arena, s->rub_bar, PAIR_RUB);
    if (fem_leaps(f)) TAKE(arena, s->load_bar, points);
}

void fem_pairs_friction_room_layout(fem_sim *f)
{
    pio_arena *arena = &f->base.arena;
    fem_sim_pairs_friction *s = &f->rubs;
    const size_t slots = (size_t)f->pairs.room * FEM_PAIR_NODES;
    if (!s->on) return;
    if (fem_leaps(f)) TAKE(arena, s->press, slots);
    if (!f->base.adjoint) return;
    TAKE(arena, s->velocity_out, slots * DIM);
    TAKE(arena, s->rub_out, field_size(f->pairs.room, PAIR_RUB));
    if (!fem_leaps(f)) return;
    TAKE(arena, s->pace_out, slots);
    TAKE(arena, s->cotangents, slots * DIM);
}

void fem_pairs_friction_upload(fem_sim *f)
{
    const double rub[PAIR_RUB] = {f->rubs.friction, f->rubs.velocity};
    if (f->rubs.on) pio_queue_upload(&f->base.queue, f->rubs.rub, rub, sizeof rub);
}

void fem_pairs_friction_adj_begin(fem_sim *f)
{
    if (f->rubs.on) pio_queue_zero(&f->base.queue, f->rubs.rub_bar, PAIR_RUB * sizeof *f->rubs.rub_bar);
}

void fem_pairs_friction_design(fem_sim *f, pio_quantity quantity, double *value, int back)
{
    const int at = quantity == PIO_PAIR_FRICTION ? PAIR_FRICTION : PAIR_FRICTION_VELOCITY;
    if (back)
        pio_queue_copy(&f->base.queue, value, f->rubs.rub_bar + at, sizeof *value);
    else
        pio_queue_copy(&f->base.queue, f->rubs.rub + at, value, sizeof *value);
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

static fem_pair_kick_args kick_of(const fem_sim *f, double kick)
{
    const fem_sim_pairs *s = &f->pairs;
    return (fem_pair_kick_args){.s = s->surface, .start = s->slot_start, .list = s->slot, .press = f->rubs.press,
                                .v = fem_state(f, f->state.u, STATE_V), .mass = f->motion.mass,
                                .force = f->newton.rhs, .constrained = f->supports.constrained, .kick = kick,
                                .velocity = f->rubs.velocities, .pace = f->rubs.pace};
}

static fem_pair_rub_args rub_of(const fem_sim *f, double kick)
{
    return (fem_pair_rub_args){.fwd = fem_pairs_of(f, f->state.u, f->pairs.out), .rub = f->rubs.rub,
                               .velocity = f->rubs.velocities, .pace = f->rubs.pace, .kick = kick};
}

void fem_pairs_friction_leaps(fem_sim *f, double kick)
{
    pio_queue *q = &f->base.queue;
    const fem_sim_pairs *s = &f->pairs;
    const fem_pair_kick_args moved = kick_of(f, kick);
    const fem_pair_rub_args rubbed = rub_of(f, kick);
    if (!f->rubs.on) return;
    pio_map(q, fem_pair_press, s->room, &s->found->count, .fwd = rubbed.fwd, .press = f->rubs.press);
    pio_map_with(q, fem_pair_kick, s->surface.points, NULL, &moved);
    pio_map_with(q, fem_pair_rub, s->room, &s->found->count, &rubbed);
    fem_pairs_add(f, s->out, f->newton.rhs);
}

void fem_pairs_friction_leaps_adj(fem_sim *f, double kick)
{
    pio_queue *q = &f->base.queue;
    const fem_sim_pairs *s = &f->pairs;
    const fem_sim_pairs_friction *r = &f->rubs;
    const fem_pair_rub_args rubbed = rub_of(f, kick);
    if (!r->on) return;
    pio_map(q, fem_pair_rub_adj, s->room, &s->found->count, .fwd = rubbed, .pairs = s->room, .y = f->newton.lambda,
            .u_bar = r->cotangents, .rest_bar = s->rest_out, .area_bar = s->area_out, .grip_bar = s->grip_out,
            .rub_bar = r->rub_out, .velocity_bar = r->velocity_out, .pace_bar = r->pace_out);
    pio_map(q, fem_pair_kick_adj, s->surface.points, NULL, .fwd = kick_of(f, kick), .rubbed = s->out,
            .velocity_bar = r->velocity_out, .pace_bar = r->pace_out, .force_bar = f->newton.lambda,
            .v_bar = fem_state(f, f->adjoint.u_bar, STATE_V), .mass_bar = f->motion.mass_bar,
            .load_bar = r->load_bar);
    pio_map(q, fem_pair_press_adj, s->room, &s->found->count, .fwd = rubbed.fwd, .pairs = s->room,
            .load_bar = r->load_bar, .u_bar = r->cotangents, .rest_bar = s->rest_out, .area_bar = s->area_out,
            .grip_bar = s->grip_out);
    fem_pairs_add(f, r->cotangents, f->adjoint.u_bar);
    fem_pairs_parameters_adj(f);
    fem_pairs_friction_parameters_adj(f);
}

void fem_pairs_friction_parameters_adj(fem_sim *f)
{
    pio_queue *q = &f->base.queue;
    const fem_sim_pairs *s = &f->pairs;
    const fem_sim_pairs_friction *r = &f->rubs;
    for (int k = 0; k < PAIR_RUB; k++) {
        pio_sum(q, field_sum, s->room, &s->found->count, f->base.scalar, .n = s->room, .components = PAIR_RUB,
                .component = k, .in = r->rub_out);
        pio_map(q, add_scalar, 1, NULL, .term = f->base.scalar, .total = r->rub_bar + k);
    }
}

/* ---- how fast pairs slide ---------------------------------------------------------------------------------------- */

void fem_pairs_friction_start(fem_sim *f)
{
    if (f->rubs.on) pio_queue_zero(&f->base.queue, f->rubs.slides, 3 * sizeof *f->rubs.slides);
}

/* The step or fem_pairs_count() has listed all pairs that there are. */
void fem_pairs_friction_count(fem_sim *f)
{
    const fem_sim_pairs *s = &f->pairs;
    if (f->rubs.on)
        pio_map(&f->base.queue, fem_pair_slip, s->room, &s->found->count, .fwd = fem_pairs_of(f, f->state.u, NULL),
                .rub = f->rubs.rub, .v = fem_state(f, f->state.u, STATE_V), .counts = f->rubs.slides);
}

void fem_pairs_friction_report(fem_sim *f, pio_contact_report *report)
{
    uint64_t counts[3] = {0};
    if (!f->rubs.on) return;
    pio_queue_download(&f->base.queue, counts, f->rubs.slides, sizeof counts);
    report->rubs = 1;
    report->rub_stuck = (int64_t)counts[0];
    report->rub_between = (int64_t)counts[1];
    report->rub_slid = (int64_t)counts[2];
}
/* clang-format on */
