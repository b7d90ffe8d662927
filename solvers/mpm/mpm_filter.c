/* mpm_filter.c -- filters of fields of particles and their projections, between the variables of a design and its
 * values; and what descriptions of particles that are filled in part must be. */
#include "solvers/mpm/mpm.h"

static int variables_of(const mpm_design *d)
{
    return d->desc.groups * d->desc.components;
}

void mpm_filter_layout(mpm_sim *sim, mpm_design *d)
{
    pio_arena *arena = &sim->base.arena;
    const int n = variables_of(d), entries = d->desc.filter->start[n];
    TAKE(arena, d->start, n + 1);
    TAKE(arena, d->from, entries);
    TAKE(arena, d->weight, entries);
    TAKE(arena, d->transposed_start, n + 1);
    TAKE(arena, d->transposed_from, entries);
    TAKE(arena, d->transposed_weight, entries);
    TAKE(arena, d->filtered, n);
    if (d->desc.sharpness > 0) TAKE(arena, d->projected, n);
}

void mpm_filter_upload(mpm_sim *sim, const mpm_design *d)
{
    pio_queue *q = &sim->base.queue;
    const pio_filter_desc *h = d->desc.filter;
    const size_t n = (size_t)variables_of(d), entries = (size_t)h->start[n];
    pio_queue_upload(q, d->start, h->start, sizeof *d->start * (n + 1));
    pio_queue_upload(q, d->from, h->from, sizeof *d->from * entries);
    pio_queue_upload(q, d->weight, h->weight, sizeof *d->weight * entries);
    pio_queue_upload(q, d->transposed_start, h->transposed_start, sizeof *d->transposed_start * (n + 1));
    pio_queue_upload(q, d->transposed_from, h->transposed_from, sizeof *d->transposed_from * entries);
    pio_queue_upload(q, d->transposed_weight, h->transposed_weight, sizeof *d->transposed_weight * entries);
}

void mpm_filter_project(pio_sim *sim, int32_t design, double sharpness)
{
    mpm_of(sim)->design.designs[design].desc.sharpness = sharpness;
}

/* clang-format off */
const double *mpm_filter_apply(mpm_sim *sim, const mpm_design *d)
{
    pio_queue *q = &sim->base.queue;
    const double *z = sim->base.z + d->first;
    if (!d->start) return z;
    pio_map(q, design_filter, variables_of(d), NULL,
            .start = d->start, .from = d->from, .weight = d->weight, .in = z, .out = d->filtered);
    if (!d->projected) return d->filtered;
    pio_map(q, design_project, variables_of(d), NULL,
            .sharpness = d->desc.sharpness, .threshold = d->desc.threshold, .in = d->filtered, .out = d->projected);
    return d->projected;
}

double *mpm_filter_bar(const mpm_sim *sim, const mpm_design *d)
{
    return !d->start ? sim->base.z_bar + d->first : d->projected ? d->projected : d->filtered;
}

void mpm_filter_adj(mpm_sim *sim, const mpm_design *d)
{
    pio_queue *q = &sim->base.queue;
    double *bar = mpm_filter_bar(sim, d);
    if (!d->start) return;
    if (d->projected)
        pio_map(q, design_project_adj, variables_of(d), NULL,
                .fwd = {.sharpness = d->desc.sharpness, .threshold = d->desc.threshold, .in = d->filtered},
                .out_bar = bar, .in_bar = bar);
    pio_map(q, design_filter, variables_of(d), NULL,
            .start = d->transposed_start, .from = d->transposed_from, .weight = d->transposed_weight, .in = bar,
            .out = sim->base.z_bar + d->first);
}
/* clang-format on */

/* ---- particles that are filled in part --------------------------------------------------------------------------- */

/* What particle i is must follow its relative density wholly. */
static piola_status check_part(const pio_particles_desc *p, int64_t i, piola_error *error)
{
    const double r = p->relative_density[i];
    if (p->interpolation[i] >= p->n_interpolations)
        return sim_fail(error, PIOLA_BAD_DATA, "particle %lld: there is no interpolation %d; at most %d would be right",
                        (long long)i, (int)p->interpolation[i], (int)p->n_interpolations - 1);
    if (!(r >= 0 && r <= 1))
        return sim_fail(error, PIOLA_BAD_DATA, "particle %lld: relative density %g; 0 to 1 would be right",
                        (long long)i, r);
    if (law_is_fluid(p->law[i]) || (p->plasticity && p->plasticity[i] != PIO_ELASTIC) ||
        (p->channel && p->channel[i] >= 0))
        return sim_fail(error, PIOLA_BAD_DATA,
                        "particle %lld: a relative density is of elastic solids that nothing drives", (long long)i);
    return PIOLA_OK;
}

piola_status mpm_interpolation_accepts(const pio_engine_desc *desc, piola_error *error)
{
    const pio_particles_desc *p = &desc->particles;
    piola_status rc = PIOLA_OK;
    for (int64_t i = 0; !rc && p->relative_density && i < p->n; i++)
        if (p->interpolation[i] >= 0) rc = check_part(p, i, error);
    for (int d = 0; !rc && d < desc->n_designs; d++)
        if (desc->designs[d].quantity == PIO_RELATIVE_DENSITY && !p->relative_density)
            rc = sim_fail(error, PIOLA_BAD_DATA, "design %d: the description has no relative density to change", d);
    return rc;
}
