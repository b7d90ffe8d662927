/* mpm_reversible_case.h -- scenes of the reversible integrator, runs there and back, and what of a state must be the
 * same. */
#ifndef PIOLA_TESTS_MPM_REVERSIBLE_CASE_H
#define PIOLA_TESTS_MPM_REVERSIBLE_CASE_H

#include "tests/solvers/mpm/mpm_case.h"
#include "tests/sanitized.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const case_material materials[] = {
    {"neo-Hookean", PIO_HYPER_NEO_HOOKEAN, 0, {2e4, 0.3}},
    {"St Venant-Kirchhoff", PIO_HYPER_ST_VENANT, 0, {2e4, 0.3}},
    {"fixed corotated", PIO_HYPER_FIXED_COROTATED, 1, {8e3, 9e3}},
    {"neo-Hookean iso", PIO_HYPER_NEO_HOOKEAN_ISO, 0, {2e4, 0.3}},
    {"stable neo-Hookean", PIO_HYPER_STABLE_NEO_HOOKEAN, 0, {2e4, 0.3}},
    {"Mooney-Rivlin", PIO_HYPER_MOONEY_RIVLIN, 0, {3e3, 1e3, 1.5e4}},
    {"Ogden", PIO_HYPER_OGDEN, 0, {4e3, 2, -1e3, -2, 1.5e4}},
    {"Hencky", PIO_HYPER_HENCKY, 0, {2e4, 0.3}},
    {"linear fluid", PIO_LINEAR_FLUID, 0, {2e4, 1}},
    {"Tait", PIO_TAIT, 0, {2e4, 7}},
    {"Ogden, quadratic", PIO_HYPER_OGDEN | PIO_VOLUME_QUADRATIC, 0, {4e3, 2, -1e3, -2, 1.5e4}},
    {"neo-Hookean, quadratic", PIO_HYPER_NEO_HOOKEAN | PIO_VOLUME_QUADRATIC, 0, {2e4, 0.3}},
};
enum { MATERIALS = 10, FIRST_FLUID = 8, EVERY_MATERIAL = 12, WALL_NODE = 3 }; /* the last two go with those before */

/* Every face is a penalty wall. */
static inline void penalty_walls(mpm_case *c, double stiffness)
{
    c->desc.reversible = 1;
    c->desc.penalty = stiffness;
    for (int a = 0; a < CASE_DIM; a++)
        for (int side = 0; side < 2; side++)
            case_wall(c, a, side, PIO_WALL_PENALTY, side ? c->desc.grid.nodes[a] - 1 - WALL_NODE : WALL_NODE);
}

/* Two bodies that fly at each other and fall on a floor, in a closed box; `per` particles along an edge of a cell. */
static inline void collision_of(mpm_case *c, const case_material *one, const case_material *two, int64_t steps, int per)
{
    const int nodes[3] = {24, 20, 14};
    const double lo[2][3] = {{0.4, 0.32, 0.45}, {1.2, 0.36, 0.5}}, hi[2][3] = {{0.9, 0.92, 0.75}, {1.7, 0.86, 0.8}};
    case_init(c, nodes[0], nodes[1], nodes[2], 0.1, 1e-3, steps);
    penalty_walls(c, 4e4);
    c->desc.gravity[1] = -9.81;
    case_body first = case_body_of(one, 1000), second = case_body_of(two, 1200);
    const double v[2][3] = {{2, -0.8, 0.3}, {-1.5, -0.5, -0.4}};
    memcpy(first.velocity, v[0], sizeof v[0]);
    memcpy(second.velocity, v[1], sizeof v[1]);
    memcpy(second.centre, lo[1], sizeof lo[1]);
    second.spin[0][1] = 1.1;
    second.spin[1][0] = -1.4;
    case_block(c, &first, lo[0], hi[0], per, 0.3);
    case_block(c, &second, lo[1], hi[1], per, 0.3);
}

static inline void collision(mpm_case *c, const case_material *one, const case_material *two, int64_t steps)
{
    collision_of(c, one, two, steps, 2);
}

/* The state on the lattice, `bytes` long; to be freed. */
static inline unsigned char *state_of(mpm_case *c, pio_sim *sim, size_t *bytes)
{
    pio_engine_bytes measured;
    piola_error error;
    if (piola_engine.measure(&c->desc, &measured, &error)) fail_msg("measure: %s", error.message);
    unsigned char *state = malloc(measured.state);
    assert_non_null(state);
    if (piola_engine.state_out(sim, state, &error)) fail_msg("state: %s", error.message);
    *bytes = measured.state;
    return state;
}

static inline uint64_t hash_of(mpm_case *c, pio_sim *sim)
{
    size_t bytes;
    unsigned char *state = state_of(c, sim, &bytes);
    const uint64_t hash = case_hash(CASE_HASH_START, state, bytes);
    free(state);
    return hash;
}

static inline void must(piola_status rc, const char *what, const piola_error *error)
{
    if (rc) fail_msg("%s: %s", what, error->message);
}

static inline void forwards(pio_sim *sim, int64_t steps)
{
    piola_error error;
    must(piola_engine.advance(sim, steps, &error), "advance", &error);
    must(piola_engine.check(sim, &error), "check", &error);
}

static inline void backwards(pio_sim *sim, int64_t steps)
{
    piola_error error;
    for (int64_t s = 0; s < steps; s++) must(piola_engine.inverse_step(sim, &error), "inverse_step", &error);
    must(piola_engine.check(sim, &error), "check", &error);
}

static inline int64_t differing(pio_sim *sim, int64_t slot)
{
    int64_t words = -1;
    piola_error error;
    must(piola_engine.differs(sim, slot, &words, &error), "differs", &error);
    return words;
}

static inline void start_and_keep(pio_sim *sim)
{
    piola_error error;
    must(piola_engine.start(sim, NULL, &error), "start", &error);
    must(piola_engine.check(sim, &error), "start", &error);
    must(piola_engine.save(sim, 0, &error), "save", &error);
}

#endif
