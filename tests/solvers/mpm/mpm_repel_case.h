/* mpm_repel_case.h -- bodies that repel each other, for tests of the MPM engine. */
#ifndef PIOLA_TESTS_MPM_REPEL_CASE_H
#define PIOLA_TESTS_MPM_REPEL_CASE_H

#include "tests/solvers/mpm/mpm_taylor.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { D = CASE_DIM };

/* The elastic solid of all bodies: waves of 36.7 m/s. */
static const double solid_E = 1e6, solid_nu = 0.3, solid_density = 1000;

/* Body b is in velocity field b, and all repel each other with a quarter of the solid's lambda + 2 mu. */
static inline void repel_all(mpm_case *c, int bodies)
{
    c->desc.contact_model = PIO_CONTACT_POTENTIAL;
    c->desc.contact_stiffness = solid_E * (1 - solid_nu) / ((1 + solid_nu) * (1 - 2 * solid_nu)) / 4;
    c->desc.contact_distance = c->desc.grid.spacing / 2;
    for (int b = 1; b < bodies; b++) case_field(c, b, b);
}

static inline pio_sim *repel_start(mpm_case *c, const double *z)
{
    piola_error error;
    pio_sim *sim = case_create(c, 0, 1);
    if (piola_engine.start(sim, z, &error)) fail_msg("start: %s", error.message);
    return sim;
}

static inline void repel_advance(pio_sim *sim, int64_t steps)
{
    piola_error error;
    if (piola_engine.advance(sim, steps, &error) || piola_engine.check(sim, &error)) fail_msg("%s", error.message);
}

/* Mean of a component of a field over a body, by volume. */
static inline double mean_of(const mpm_case *c, pio_sim *sim, const char *field, int body, int component)
{
    double *all = case_read(sim, field, c->n), sum = 0, volume = 0;
    const int components = piola_engine.components(sim, field);
    for (int64_t p = 0; p < c->n; p++) {
        if (c->body[p] != body) continue;
        sum += c->volume[p] * all[p * components + component];
        volume += c->volume[p];
    }
    free(all);
    return sum / volume;
}

#endif
