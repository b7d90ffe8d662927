/* plan.h -- what a gradient keeps, from a budget of bytes: which schedule, how many states, how many steps are run
 * again. */
#ifndef PIOLA_HOST_PLAN_H
#define PIOLA_HOST_PLAN_H

#include "host/scene/scene.h"
#include "solvers/engine/engine.h"
#include "solvers/driver/schedule.h"

/* Seconds: a step forward, the adjoint of one, a state kept and restored, likewise on disk; of reversible integrators a
 * step taken back, and the adjoint of a step just after that. Bytes of the tape that a step takes. */
typedef struct {
    double forward, adjoint, store, restore, write, read;
    double unstep, adjoint_after, taped;
} pio_step_costs;

typedef struct {
    scene_strategy strategy; /* as asked */
    bool reversible;         /* steps can be taken back, */
    double tape;             /* with so many bytes of a tape in all, */
    bool tape_is_a_guess;    /* or perhaps more or fewer: up to tape_most are taken where the budget has them; */
    double tape_most;
    double tape_beside;    /* what a tape needs beside its own bytes */
    int64_t steps, sweeps; /* that are swept back; sweeps of one gradient, at least 1 */
    int64_t first;         /* steps before them, which are run forward only */
    size_t fixed, state;   /* bytes of everything but kept states, and of one of them */
    double budget, disk;   /* bytes that all may take; and on disk, 0: nothing there */
    pio_step_costs
        costs; /* read where there is a disk, or a tape is guessed: how many states go there, how long it is */
} pio_plan_request;

typedef struct {
    scene_strategy strategy; /* chosen: not auto */
    int64_t slots, kept;     /* states kept at one time at most; on disk */
    size_t tape;             /* bytes for steps that are taken back */
    size_t bytes;            /* in all, with a buffer for states that go to disk */
    double disk_bytes;
    /* of one gradient: steps run forward, states kept and restored, likewise on disk, adjoints of steps, steps taken
     * back */
    int64_t forward_steps, stores, restores, writes, reads, reverse_steps, unsteps;
} pio_plan;

/* PIOLA_NO_MEMORY with the bytes that would do where the budget cannot hold what the strategy needs. */
piola_status pio_plan_make(pio_plan *plan, const pio_plan_request *request, piola_error *error);

/* With checkpoints, so many in memory and on disk; or what else the strategy is. */
piola_status pio_plan_with(pio_plan *plan, const pio_plan_request *request, int64_t slots, int64_t kept,
                           piola_error *error);

/* The schedule of a plan, to pio_schedule_end(); PIOLA_NO_MEMORY without host memory. */
piola_status pio_plan_schedule(const pio_plan *plan, const pio_plan_request *request, pio_schedule *schedule,
                               piola_error *error);

/* Can the steps of this simulation be taken back? Into tape_is_a_guess: is it only known from a run how much of a tape
 * that takes? */
bool pio_plan_reversible(const pio_engine_desc *desc, bool *tape_is_a_guess);

/* Time of the gradient over that of a forward run. */
double pio_plan_cost(const pio_plan *plan, const pio_step_costs *costs, int64_t steps);

/* Of particles, in steps forward, as they were measured once (piola bench memory): where states are kept whole, and
 * where a state is kept in a compact slot (kernels/mpm/mpm_slot.h). They stand for costs that a run does not measure,
 * so that it has the same plan every time. */
extern const pio_step_costs pio_step_costs_whole, pio_step_costs_compact;

/* Does a gradient take less time with compact slots? Prices may be NULL: those above. */
bool pio_plan_better(const pio_plan *compact, const pio_step_costs *compact_costs, const pio_plan *whole,
                     const pio_step_costs *whole_costs, int64_t steps);

/* For how many active nodes compact slots get room: half as many again as at the start; or, where the `last` number did
 * not do and `needed` would have done so far, twice as many or more. */
int64_t pio_plan_slot_nodes(int64_t start, int64_t last, int64_t needed);

/* Steps by which the length of a tape is guessed; they run with room for plain states. */
enum { PIO_GUESSED_STEPS = 8 };

/* plan_measure.c: costs on this device and, where `folder` is not NULL, of a file there that is gone afterwards, from
 * a short run with the design z: steps for a tenth of a second, at least one, and the adjoint of one. `desc` describes
 * the simulation; its slots, tape and window are not used. `places`: most states on disk. */
piola_status pio_plan_measure(pio_step_costs *costs, const pio_engine *engine, const pio_engine_desc *desc,
                              const double *z, const char *folder, int64_t places, piola_error *error);

#endif
