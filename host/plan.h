/* plan.h -- what a gradient keeps, from a budget of bytes: which schedule, how many states, how many steps are run again. */
#ifndef PIOLA_HOST_PLAN_H
#define PIOLA_HOST_PLAN_H

#include "host/scene.h"
#include "solvers/engine.h"
#include "solvers/schedule.h"

/* Seconds: a step forward, the adjoint of one, a state kept and restored, likewise on disk. */
typedef struct {
    double forward, adjoint, store, restore, write, read;
} pio_prices;

typedef struct {
    scene_strategy strategy; /* as asked */
    int64_t steps, sweeps;   /* sweeps back of one gradient, at least 1 */
    size_t fixed, state;     /* bytes of everything but kept states, and of one of them */
    double budget, disk;     /* bytes that all may take; and on disk, 0: nothing there */
    pio_prices prices;       /* read where there is a disk: they decide how many states go there */
} pio_plan_request;

typedef struct {
    bool checkpoints;    /* else every state is kept */
    int64_t slots, kept; /* states kept at one time at most; on disk */
    size_t bytes;        /* in all, with a buffer for states that go to disk */
    double disk_bytes;
    /* of one gradient: steps run forward, states kept and restored, likewise on disk, adjoints of steps */
    int64_t forward_steps, stores, restores, writes, reads, reverse_steps;
} pio_plan;

/* PIOLA_NO_MEMORY with the bytes that would do where the budget cannot hold what the strategy needs. */
piola_status pio_plan_make(pio_plan *plan, const pio_plan_request *request, piola_error *error);

/* With checkpoints, so many in memory and on disk; or every state where that is the strategy. */
piola_status pio_plan_with(pio_plan *plan, const pio_plan_request *request, int64_t slots, int64_t kept,
                           piola_error *error);

/* The schedule of a plan; without host memory its `checkpoints` are NULL though the plan has some. To pio_schedule_end. */
pio_schedule pio_plan_schedule(const pio_plan *plan, const pio_plan_request *request);

/* Time of the gradient over that of a forward run. */
double pio_plan_cost(const pio_plan *plan, const pio_prices *prices, int64_t steps);

/* Of particles, in steps forward, as they were measured once (piola bench memory): where states are kept whole, and where a state is
 * kept in a compact slot (kernels/mpm_slot.h). They stand for prices that a run does not measure, so that it has the same plan every
 * time. */
extern const pio_prices pio_prices_whole, pio_prices_compact;

/* Does a gradient take less time with compact slots? Prices may be NULL: those above. */
bool pio_plan_better(const pio_plan *compact, const pio_prices *compact_prices, const pio_plan *whole,
                     const pio_prices *whole_prices, int64_t steps);

/* For how many active nodes compact slots get room: half as many again as at the start; or, where the `last` number did not do and
 * `needed` would have done so far, twice as many or more. */
int64_t pio_plan_slot_nodes(int64_t start, int64_t last, int64_t needed);

/* Prices on this device and, where `folder` is not NULL, of a file there that is gone afterwards and holds at most `places` states, from
 * a short run with the design z: steps for a tenth of a second, at least one, and the adjoint of one. `desc` describes the simulation; its slots are not used. */
piola_status pio_plan_measure(pio_prices *prices, const pio_engine *engine, const pio_engine_desc *desc,
                              const double *z, const char *folder, int64_t places, piola_error *error);

#endif
