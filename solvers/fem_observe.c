/* fem_observe.c -- observations of a mesh: which states touch which samples, forwards and back. */
#include "solvers/fem.h"

static fem_observe_args args_of(const fem_sim *f, const fem_observation *o, int sample, int axis)
{
    static const int type[] = {[PIO_DISPLACEMENT] = FEM_DISPLACEMENT,
                               [PIO_REACTION] = FEM_REACTION,
                               [PIO_DISTANCE] = FEM_DISTANCE,
                               [PIO_COMPLIANCE] = FEM_COMPLIANCE};
    const pio_observation_desc *d = &o->desc;
    const int distance = d->type == PIO_DISTANCE;
    return (fem_observe_args){.type = type[d->type],
                              .axis = axis,
                              .rest = f->rest,
                              .u = f->u,
                              .force = d->type == PIO_REACTION ? f->trial : f->f_ext,
                              .weight = o->weight,
                              .marker = o->marker,
                              .points = distance ? o->points + (ptrdiff_t)sample * d->rows * DIM : NULL,
                              .markers = distance ? o->markers[sample] : 1};
}

/* clang-format off */
#define OBSERVE_ARGS .type = a.type, .axis = a.axis, .rest = a.rest, .u = a.u, .force = a.force, .weight = a.weight, \
    .marker = a.marker, .points = a.points, .markers = a.markers

static void forward(fem_sim *f, const pio_touch *t)
{
    pio_queue *q = &f->base.queue;
    const fem_observation *o = &f->observations[t->observation];
    if (o->desc.type == PIO_REACTION) {
        fem_internal(f, f->u, f->f_int);
        fem_combine(f, 1, f->f_int, -1, f->f_ext, f->trial);
    }
    for (int c = 0; c < o->desc.components; c++) {
        const fem_observe_args a = args_of(f, o, t->sample, c);
        pio_sum(q, fem_observe, f->nodes, NULL, f->base.scalar, OBSERVE_ARGS);
        pio_map(q, fem_observe_add, 1, NULL, .sum = f->base.scalar, .weight = t->weight,
                .sample = f->base.samples + o->first + t->sample * o->desc.components + c);
    }
}

/* The forces of a reaction are f_int - f_ext. f_int is a function of the state: its cotangents become those of state,
 * constants and shape at once. */
static void reverse(fem_sim *f, const pio_touch *t)
{
    pio_queue *q = &f->base.queue;
    const fem_observation *o = &f->observations[t->observation];
    const int reaction = o->desc.type == PIO_REACTION;
    if (reaction) pio_queue_zero(q, f->y, sizeof(real) * DIM * (size_t)f->nodes);
    for (int c = 0; c < o->desc.components; c++) {
        const fem_observe_args a = args_of(f, o, t->sample, c);
        pio_map(q, fem_observe_adj, f->nodes, NULL, .o = a, .weight = t->weight,
                .sample_bar = f->base.samples_bar + o->first + t->sample * o->desc.components + c, .u_bar = f->u_bar,
                .force_bar = reaction ? f->y : f->f_ext_bar, .rest_bar = f->rest_bar);
    }
    if (!reaction) return;
    fem_internal_adj(f, f->u, f->y, f->u_bar, 1);
    fem_combine(f, 1, f->f_ext_bar, -1, f->y, f->f_ext_bar);
}
/* clang-format on */

void fem_observe_step(fem_sim *f, int64_t index)
{
    const pio_sim *s = &f->base;
    for (int i = sim_first_touch(s, index); i < s->n_touches && s->touches[i].step == index; i++)
        forward(f, &s->touches[i]);
}

void fem_observe_step_adj(fem_sim *f, int64_t index)
{
    const pio_sim *s = &f->base;
    for (int i = sim_first_touch(s, index); i < s->n_touches && s->touches[i].step == index; i++) {
        if (f->observations[s->touches[i].observation].desc.type == PIO_COMPLIANCE)
            fem_external(f, fem_whole(index - 1));
        reverse(f, &s->touches[i]);
    }
}
