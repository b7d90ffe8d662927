/* fem_leap_case.h -- bodies that swing by the reversible leapfrog, for its tests. */
#ifndef PIOLA_TESTS_FEM_LEAP_CASE_H
#define PIOLA_TESTS_FEM_LEAP_CASE_H

#include "tests/solvers/fem/fem_case.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { D = FEM_DIM, LEAP_FOLLOWER = 1 };
static const pio_element_type leap_box = FEM_DIM == 2 ? PIO_QUAD4 : PIO_HEX8;
static const pio_engine *const engine = &piola_engine_fem;

static inline void must(piola_status rc, const piola_error *error, const char *what)
{
    if (rc) fail_msg("%s: %s", what, error->message);
}

static inline void leap_map(const double s[3], double x[3])
{
    x[0] = 1.2 * s[0] + 0.2 * s[1];
    x[1] = 0.7 * s[1] + 0.1 * s[0] * s[0];
    x[2] = 0.6 * s[2] + 0.1 * s[1];
}

/* Two laws in irregular elements, heavy, in motion from the start; clamped at a side that moves up and down, pulled in
 * the course of time, pressed by what follows the body, and on springs. Value 0: the traction, 1: the pressure. */
static inline void leap_moving(fem_case *c, pio_integrator integrator, int64_t steps, int law, pio_element_type even,
                               pio_element_type odd)
{
    const double dt = 0.0003;
    fem_material m[2] = {fem_material_of((pio_hyper_law)(law % FEM_LAWS), 1000),
                         fem_material_of((pio_hyper_law)((law + 4) % FEM_LAWS), 1500)};
    m[0].density = 3, m[1].density = 2;
    fem_case_begin(c, dt, steps);
    c->random = 11 + (uint64_t)law;
    const double T = dt * (double)steps;
    const int wave = fem_case_curve(c, 4, (double[]){0, 0.3 * T, 0.6 * T, T}, (double[]){0.4, 1, -0.3, 0.5});
    fem_case_grid(c, (fem_grid){even, odd, {2, 2, 1}, leap_map, 0.15});
    fem_case_matter(c, m, 2, 0.9);
    const int moved = fem_case_support(c, 0.02, wave), steady = fem_case_support(c, 0.001, -1);
    for (int a = 0; a < D; a++) fem_case_hold_side(c, 0, 0, a, a == 1 ? moved : steady);
    fem_case_load(c, PIO_TRACTION, 0, 1, fem_case_value(c, 5, -8, 2), wave);
    fem_case_load(c, PIO_FOLLOWER, 1, 1, fem_case_value(c, 10, 0, 0), wave);
    fem_case_load(c, PIO_FOUNDATION, 1, 0, fem_case_value(c, 50, 0, 0), -1);
    fem_case_springs(c, fem_case_at(c, 2, 0, 0), fem_case_value(c, 4, 5, 6));
    c->desc.gravity[1] = -9.81;
    fem_case_motion(c, integrator, 1, 0, 0);
    for (int i = 0; i < c->n * D; i++) {
        c->initial_velocity[i] = 0.3 * fem_case_random(c);
        c->initial_displacement[i] = 0.003 * fem_case_random(c);
    }
}

/* At state 0, which slot 0 holds. */
static inline pio_sim *leap_started(fem_case *c, int64_t slots, int threads)
{
    piola_error error = {0};
    pio_sim *sim = fem_case_create(c, slots, threads);
    must(engine->start(sim, NULL, &error), &error, "start");
    must(engine->save(sim, 0, &error), &error, "save");
    return sim;
}

static inline void leap_out(pio_sim *sim, int64_t steps)
{
    piola_error error = {0};
    must(engine->advance(sim, steps, &error), &error, "out");
    must(engine->check(sim, &error), &error, "out");
}

static inline void leap_back(pio_sim *sim, int64_t steps)
{
    piola_error error = {0};
    for (int64_t s = 0; s < steps; s++) must(engine->inverse_step(sim, &error), &error, "back");
    must(engine->check(sim, &error), &error, "back");
}

static inline int64_t leap_differs(pio_sim *sim, int64_t slot)
{
    piola_error error = {0};
    int64_t words = -1;
    must(engine->differs(sim, slot, &words, &error), &error, "differs");
    return words;
}

#endif
