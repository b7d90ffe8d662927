/* fem_contact_seen.c -- see fem_contact_seen.h. */
#include "solvers/fem/fem_contact_seen.h"

#include "solvers/fem/fem_contact.h"
#include "solvers/fem/fem_contact_show.h"
#include "solvers/fem/fem_pairs.h"

/* In observe.sums: the sums that means and norms are made of, and their cotangents. */
enum { PRESSED, PRESSED_AREA, PRESSED_BAR, PRESSED_SUMS = 4 };

static int of_contact(pio_observable type)
{
    return type == PIO_CONTACT_FORCE || type == PIO_GAP || type == PIO_CONTACT_PRESSURE;
}

piola_status fem_contact_seen_accept(const pio_engine_desc *desc, piola_error *error)
{
    const int pairs = desc->fem->pairs.distance > 0;
    for (int k = 0; k < desc->n_observations; k++) {
        const pio_observation_desc *d = &desc->observations[k];
        if (!of_contact(d->type)) continue;
        if (d->type == PIO_CONTACT_PRESSURE) {
            if (desc->n_obstacles == 0 && !pairs)
                return sim_fail(error, PIOLA_BAD_DATA, "observation %d is of contact, and nothing touches", k);
            if (d->measure == PIO_MAXIMUM)
                return sim_fail(error, PIOLA_BAD_DATA, "observation %d: of pressures there is a mean and a norm", k);
        } else if (d->obstacle == -1) {
            if (!pairs)
                return sim_fail(error, PIOLA_BAD_DATA, "observation %d is between surfaces, which do not touch", k);
        } else if (d->obstacle < 0 || d->obstacle >= desc->n_obstacles) {
            return sim_fail(error, PIOLA_BAD_DATA, "observation %d: obstacle %d of %d", k, (int)d->obstacle,
                            (int)desc->n_obstacles);
        }
    }
    return PIOLA_OK;
}

/* clang-format off */
static fem_pair_sides sides_of(const fem_observation *o)
{
    return (fem_pair_sides){.body = o->desc.body, .other = o->desc.other};
}

/* ---- forces ------------------------------------------------------------------------------------------------------ */

void fem_contact_seen_force(fem_sim *f, const fem_observation *o, const pio_sample_weight *t)
{
    const fem_sim_pairs *s = &f->pairs;
    if (o->desc.obstacle >= 0) {
        fem_contact_observe_force(f, o, t);
        return;
    }
    fem_zero_points(f, f->newton.trial);
    fem_pairs_find(f, f->state.u);
    pio_map(&f->base.queue, fem_pair_push, s->room, &s->found->count, .fwd = fem_pairs_of(f, f->state.u, s->out),
            .sides = sides_of(o));
    fem_pairs_add(f, s->out, f->newton.trial);
}

void fem_contact_seen_force_adj(fem_sim *f, const fem_observation *o, const pio_sample_weight *t)
{
    const fem_sim_pairs *s = &f->pairs;
    if (o->desc.obstacle >= 0) {
        fem_contact_observe_force_adj(f, o, t);
        return;
    }
    fem_pairs_find(f, f->state.u);
    pio_map(&f->base.queue, fem_pair_push_adj, s->room, &s->found->count,
            .back = {.fwd = fem_pairs_of(f, f->state.u, NULL), .pairs = s->room, .y = f->newton.y, .u_bar = s->out,
                     .rest_bar = s->rest_out, .area_bar = s->area_out, .grip_bar = s->grip_out},
            .sides = sides_of(o));
    fem_pairs_add(f, s->out, f->adjoint.u_bar);
    fem_pairs_parameters_adj(f);
}

/* ---- gaps -------------------------------------------------------------------------------------------------------- */

/* Finds the pair with the least distance of those that are seen; distances are in pairs.out. */
static void least_gap(fem_sim *f, const fem_observation *o)
{
    static const uint64_t none[2] = {UINT64_MAX, UINT64_MAX};
    pio_queue *q = &f->base.queue;
    const fem_sim_pairs *s = &f->pairs;
    fem_pairs_find(f, f->state.u);
    pio_queue_upload(q, f->contact.found, none, sizeof none);
    pio_map(q, fem_pair_gap, s->room, &s->found->count, .fwd = fem_pairs_of(f, f->state.u, NULL),
            .sides = sides_of(o), .gap = s->out, .found = f->contact.found);
    pio_map(q, fem_contact_which, s->room, &s->found->count, .gap = s->out, .found = f->contact.found);
}

void fem_contact_seen_gap(fem_sim *f, const fem_observation *o, const pio_sample_weight *t)
{
    if (o->desc.obstacle >= 0) {
        fem_contact_observe_gap(f, o, t);
        return;
    }
    least_gap(f, o);
    pio_map(&f->base.queue, fem_pair_gap_add, 1, NULL, .gap = f->pairs.out, .found = f->contact.found,
            .grip = f->pairs.grip, .weight = t->weight, .sample = f->base.samples + o->first + t->sample);
}

void fem_contact_seen_gap_adj(fem_sim *f, const fem_observation *o, const pio_sample_weight *t)
{
    pio_queue *q = &f->base.queue;
    const fem_sim_pairs *s = &f->pairs;
    const wide *bar = f->base.samples_bar + o->first + t->sample;
    if (o->desc.obstacle >= 0) {
        fem_contact_observe_gap_adj(f, o, t);
        return;
    }
    least_gap(f, o);
    pio_map(q, fem_pair_gap_adj, s->room, &s->found->count, .fwd = fem_pairs_of(f, f->state.u, NULL),
            .found = f->contact.found, .weight = t->weight, .sample_bar = bar, .x_bar = s->out);
    fem_pairs_add(f, s->out, f->adjoint.u_bar);
    fem_pairs_add(f, s->out, f->mesh.rest_bar);
    pio_map(q, fem_pair_gap_none, 1, NULL, .found = f->contact.found, .weight = t->weight, .sample_bar = bar,
            .grip_bar = s->grip_bar);
}

/* ---- pressures --------------------------------------------------------------------------------------------------- */

/* Sets newton.trial to the forces of which pressures are, and observe.sums to their sums. */
static fem_contact_pressed_args press(fem_sim *f, const fem_observation *o, const pio_sample_weight *t)
{
    pio_queue *q = &f->base.queue;
    fem_contact_pressed_args a = {.node = f->contact.node, .area = f->contact.area, .force = f->newton.trial,
                                  .weight = o->weight, .power = o->desc.measure == PIO_PNORM ? o->desc.power : 0,
                                  .size = o->desc.size};
    fem_contact_show_push(f, t->step, NULL, f->newton.trial);
    pio_queue_zero(q, f->observe.sums, PRESSED_SUMS * sizeof *f->observe.sums);
    for (int c = 0; c < 2; c++) {
        a.component = -c;
        pio_sum(q, fem_contact_pressed, f->contact.points, NULL, f->base.scalar, .node = a.node, .area = a.area,
                .force = a.force, .weight = a.weight, .component = a.component, .power = a.power, .size = a.size);
        pio_map(q, fem_observe_add, 1, NULL, .sum = f->base.scalar, .weight = 1,
                .sample = f->observe.sums + PRESSED + c);
    }
    return a;
}

void fem_contact_seen_pressure(fem_sim *f, const fem_observation *o, const pio_sample_weight *t)
{
    const fem_contact_pressed_args a = press(f, o, t);
    pio_map(&f->base.queue, fem_probe_mean, 1, NULL, .count = 1, .sums = f->observe.sums + PRESSED, .power = a.power,
            .size = a.size, .weight = t->weight, .sample = f->base.samples + o->first + t->sample);
}

void fem_contact_seen_pressure_adj(fem_sim *f, const fem_observation *o, const pio_sample_weight *t)
{
    pio_queue *q = &f->base.queue;
    const fem_contact_pressed_args a = press(f, o, t);
    pio_map(q, fem_probe_mean_adj, 1, NULL,
            .fwd = {.count = 1, .sums = f->observe.sums + PRESSED, .power = a.power, .size = a.size,
                    .weight = t->weight},
            .sample_bar = f->base.samples_bar + o->first + t->sample, .sums_bar = f->observe.sums + PRESSED_BAR);
    fem_zero_points(f, f->newton.y);
    pio_map(q, fem_contact_pressed_adj, f->contact.points, NULL, .fwd = a,
            .sums_bar = f->observe.sums + PRESSED_BAR, .force_bar = f->newton.y, .area_bar = f->contact.area_bar);
    fem_contact_push_adj(f, f->newton.y, f->adjoint.u_bar);
    fem_pairs_forces_adj(f, f->state.u, f->newton.y,
                         (fem_friction_bars){.u = f->adjoint.u_bar, .parameters = 1});
}
/* clang-format on */
