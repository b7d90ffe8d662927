/* fem_euler_case.h -- a motion on a lattice, with a residual log, that goes out and back: for the tests of
 * residual-coded backward Euler. */
#ifndef PIOLA_TESTS_FEM_EULER_CASE_H
#define PIOLA_TESTS_FEM_EULER_CASE_H

#include "tests/solvers/fem/fem_taylor.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { D = FEM_DIM };
static const pio_element_type box = FEM_DIM == 2 ? PIO_QUAD4 : PIO_HEX8;

static const pio_engine *const engine = &piola_engine_fem;

static inline void must(piola_status rc, const piola_error *error, const char *what)
{
    if (rc) fail_msg("%s: %s", what, error->message);
}

/* Two laws in irregular elements, constrained at a side that moves, pulled, heavy, damped, and in motion from the
 * start. */
static inline void moving(fem_case *c, int64_t steps, int laws, pio_element_type even, pio_element_type odd)
{
    fem_material m[2] = {fem_material_of((pio_hyper_law)(laws % FEM_LAWS), 1000),
                         fem_material_of((pio_hyper_law)((laws + 4) % FEM_LAWS), 1500)};
    m[0].density = 3, m[1].density = 2;
    fem_case_begin(c, 0.02, steps);
    c->random = 11 + (uint64_t)laws;
    if (!fem_case_is_f32()) c->fem.newton_tolerance = 1e-10;
    double t[8], wave[8];
    for (int i = 0; i < 8; i++) t[i] = 0.02 * (double)steps * i / 7 * 0.99, wave[i] = cos(3 * i);
    const int curve = fem_case_curve(c, 8, t, wave);
    fem_case_grid(c, (fem_grid){even, odd, {2, 2, 1}, NULL, 0.15});
    fem_case_matter(c, m, 2, 0.9);
    const int moved = fem_case_support(c, 0.02, curve), steady = fem_case_support(c, 0, -1);
    for (int a = 0; a < D; a++) fem_case_hold_side(c, 0, 0, a, a == 1 ? moved : steady);
    fem_case_load(c, PIO_TRACTION, 0, 1, fem_case_value(c, 5, -8, 2), curve);
    c->desc.gravity[1] = -9.81;
    fem_case_motion(c, PIO_REVERSIBLE_EULER, 1, 5, 0.001);
    for (int i = 0; i < c->n * D; i++) {
        c->initial_velocity[i] = 0.3 * fem_case_random(c);
        c->initial_displacement[i] = 0.005 * fem_case_random(c);
    }
}

static inline int unknowns(const fem_case *c)
{
    return c->n * D - c->fem.n_constrained;
}

static inline pio_sim *started(fem_case *c, int64_t log_bytes, int threads)
{
    piola_error error = {0};
    c->desc.residual_log = log_bytes;
    pio_sim *sim = fem_case_create(c, 2, threads);
    must(engine->start(sim, NULL, &error), &error, "start");
    must(engine->save(sim, 0, &error), &error, "save");
    return sim;
}

static inline int64_t residual_log_bytes(pio_sim *sim)
{
    int64_t bytes = -1;
    piola_error error;
    must(engine->residual_log_bytes(sim, &bytes, &error), &error, "residual_log_bytes");
    return bytes;
}

static inline int64_t differs(pio_sim *sim, int64_t slot)
{
    int64_t words = -1;
    piola_error error;
    must(engine->differs(sim, slot, &words, &error), &error, "differs");
    return words;
}

/* Bits that each unknown and step have left in the residual log, after which every bit of the first state is back. */
static inline double out_and_back(pio_sim *sim, const fem_case *c, int64_t steps)
{
    piola_error error = {0};
    must(engine->advance(sim, steps, &error), &error, "out");
    must(engine->check(sim, &error), &error, "out");
    assert_true(differs(sim, 0) > 0);
    const double bits = 8 * (double)residual_log_bytes(sim) / ((double)steps * unknowns(c));
    for (int64_t s = steps; s > 0; s--) must(engine->inverse_step(sim, &error), &error, "back");
    must(engine->check(sim, &error), &error, "back");
    assert_int_equal(engine->step(sim), 0);
    assert_int_equal(residual_log_bytes(sim), 0);
    assert_int_equal(differs(sim, 0), 0);
    return bits;
}

#endif
