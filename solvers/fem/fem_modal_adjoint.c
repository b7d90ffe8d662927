/* fem_modal_adjoint.c -- frequencies as observations, and their derivatives. With phi^T M phi = 1
 *
 *     dlambda = phi^T (dK - lambda dM) phi
 *
 * (Fox and Kapoor 1968): no linear solve, and no derivative of a shape. K phi is linear in phi, so that phi^T dK phi is
 * the adjoint of K phi with phi as cotangents, by the constants.
 *
 * Of repeated eigenvalues the shapes are any basis of their space, and so a single one has no derivative; the sum of
 * all of them has one, the trace of that form on the space, which is the sum of the formula over any such basis. The
 * cotangents of a cluster must therefore be equal. */
#include "solvers/fem/fem.h"
#include "solvers/fem/fem_modal.h"

#include <math.h>
#include <stdlib.h>

static const double EQUAL = 1e-9; /* cotangents of a cluster may differ by this fraction: weights are rounded */

void fem_modal_observe(fem_sim *f, const fem_observation *o, const pio_sample_weight *t)
{
    pio_queue *q = &f->base.queue;
    const double frequency = f->stepping.records[t->step - 1].frequency;
    pio_queue_upload(q, f->base.scalar, &frequency, sizeof frequency);
    pio_map(q, fem_observe_add, 1, NULL, .sum = f->base.scalar, .weight = t->weight,
            .sample = f->base.samples + o->first + t->sample);
}

/* Returns dJ/d(frequency) of mode number `state`, from the cotangents of all samples, host [samples]. */
static double frequency_bar(const fem_sim *f, int64_t state, const double *samples_bar)
{
    const pio_sim *s = &f->base;
    double bar = 0;
    for (int i = sim_first_sample_weight(s, state); i < s->n_sample_weights && s->sample_weights[i].step == state;
         i++) {
        const pio_sample_weight *t = &s->sample_weights[i];
        const fem_observation *o = &f->observe.observations[t->observation];
        if (o->desc.type == PIO_EIGENFREQUENCY) bar += t->weight * samples_bar[o->first + t->sample];
    }
    return bar;
}

static piola_status refuse(int64_t mode, piola_error *error, const char *why, double first, double second)
{
    piola_failure what = sim_failure(PIOLA_FAILED_REPEATED);
    what.step = mode;
    return sim_fail_as(error, PIOLA_NUMERICAL, what, why, (long long)mode, first, second);
}

piola_status fem_modal_check(const fem_sim *f, const double *samples_bar, piola_error *error)
{
    const pio_step_record *r = f->stepping.records;
    for (int64_t k = 1; k <= f->modal.modes; k++) {
        const double bar = frequency_bar(f, k, samples_bar);
        if (fabs(bar) > 0 && !(r[k - 1].eigenvalue > 0))
            return refuse(k, error,
                          "mode %lld is a rigid motion: its frequency, %g Hz, has no derivative, and that of the "
                          "objective by it is %g; a higher mode would be right",
                          0, bar);
        if (k == f->modal.modes) break;
        const double next = frequency_bar(f, k + 1, samples_bar);
        if (!fem_modal_repeated(f, r[k - 1].eigenvalue, r[k].eigenvalue)) continue;
        if (fabs(bar - next) > EQUAL * fmax(fabs(bar), fabs(next)))
            return refuse(
                k, error,
                "the frequencies of mode %lld, %.12g Hz, and of the next, %.12g Hz, are repeated, and a single "
                "one of them has no derivative; the mean of all of them has: 'mode: [first, last]'",
                r[k - 1].frequency, r[k].frequency);
    }
    const int64_t last = f->modal.modes;
    if (f->modal.found > last && fabs(frequency_bar(f, last, samples_bar)) > 0)
        return refuse(
            last, error,
            "the frequency of mode %lld, %.12g Hz, is repeated beyond the modes that are computed, and has no "
            "derivative alone; time.modes of %g or more would be right",
            r[last - 1].frequency, (double)f->modal.found);
    return PIOLA_OK;
}

piola_status fem_modal_adj(fem_sim *f, piola_error *error)
{
    pio_queue *q = &f->base.queue;
    const int64_t state = f->base.index + 1;
    pio_step_record *r = &f->stepping.records[state - 1];
    const real *phi = fem_modal_shape(f, state);
    double *samples_bar = malloc(sizeof *samples_bar * ((size_t)f->base.n_samples + 1));
    if (!samples_bar) return sim_fail(error, PIOLA_NO_MEMORY, "no host memory for %d samples", f->base.n_samples);
    if (f->base.n_samples)
        pio_queue_download(q, samples_bar, f->base.samples_bar, sizeof *samples_bar * (size_t)f->base.n_samples);
    const double bar = frequency_bar(f, state, samples_bar);
    free(samples_bar);
    fem_zero_points(f, f->adjoint.u_bar);
    r->adjoint = 0;
    if (!(fabs(bar) > 0)) return sim_failed(&f->base, error);
    const double lambda_bar = bar / (8 * M_PI * M_PI * r->frequency);
    fem_combine(f, lambda_bar, phi, 0, phi, f->newton.y);
    fem_zero_points(f, f->newton.rhs);
    fem_damping_force_adj(f, phi, f->newton.y, NULL);
    fem_springs_adj(f, phi, f->newton.y, f->newton.rhs, 1);
    fem_combine(f, -lambda_bar * r->eigenvalue, phi, 0, phi, f->newton.y);
    fem_mass_force_adj(f, phi, f->newton.y, NULL);
    return sim_failed(&f->base, error);
}

void fem_modal_end(fem_sim *f)
{
    pio_map(&f->base.queue, fem_damping_adj, f->mesh.elements, NULL,
            .fwd = {.m = fem_matter_of(f), .plane = f->mesh.plane, .beta = f->damping.beta},
            .out_bar = f->damping.k_bar, .k_bar = f->materials.k_bar, .beta_bar = f->damping.beta_bar);
}
