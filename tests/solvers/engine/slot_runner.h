/* slot_runner.h -- gradients by schedules of two tiers: a simulation with its slots, and states on the host beside
 * it. */
#ifndef PIOLA_TESTS_SLOT_RUNNER_H
#define PIOLA_TESTS_SLOT_RUNNER_H

#include "solvers/engine/sim.h"
#include "tests/solvers/engine/sample_terms.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { SLOT_RUNNER_KEPT = 8 };

typedef struct {
    sample_terms terms; /* first, since it is the objective's context */
    const pio_engine *engine;
    pio_sim *sim;
    int64_t items; /* particles or nodes */
    int variables;
    unsigned char *kept[SLOT_RUNNER_KEPT];
} slot_runner;

/* Takes the simulation, and memory for states. */
static inline slot_runner slot_runner_of(const pio_engine *engine, pio_sim *sim, sample_terms terms, int64_t items,
                                         int variables)
{
    slot_runner r = {.terms = terms, .engine = engine, .sim = sim, .items = items, .variables = variables};
    for (int i = 0; i < SLOT_RUNNER_KEPT; i++) {
        r.kept[i] = malloc(sim->slot_bytes);
        if (!r.kept[i]) fail_msg("out of memory");
    }
    return r;
}

static inline void slot_runner_free(slot_runner *r)
{
    for (int i = 0; i < SLOT_RUNNER_KEPT; i++) free(r->kept[i]);
    r->engine->destroy(r->sim);
}

static inline piola_status slot_runner_keep(void *context, int64_t place, int64_t step, piola_error *error)
{
    const slot_runner *r = context;
    (void)step;
    return r->engine->state_out(r->sim, r->kept[place], error);
}

static inline piola_status slot_runner_fetch(void *context, int64_t place, int64_t step, piola_error *error)
{
    const slot_runner *r = context;
    return r->engine->state_in(r->sim, r->kept[place], step, error);
}

static inline pio_sweep slot_runner_sweep(slot_runner *r)
{
    return (pio_sweep){
        .context = r, .objective = sample_terms_objective, .on_keep = slot_runner_keep, .on_fetch = slot_runner_fetch};
}

#endif
