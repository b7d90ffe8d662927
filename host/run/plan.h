/* plan.h -- plans a gradient within a budget of bytes: its schedule, its kept states, and the steps that are run
 * again. */
#ifndef PIOLA_HOST_PLAN_H
#define PIOLA_HOST_PLAN_H

#include "host/scene/scene.h"
#include "solvers/engine/engine.h"
#include "solvers/driver/schedule.h"

/* The costs of a step. */
typedef struct {
    /* s: a step, its adjoint, keeping a state in memory and restoring it, writing a state to disk and reading it. */
    double forward, adjoint, store, restore, write, read;
    /* Of reversible integrators: an inverse step, s; the adjoint of a step just after that, s; bytes of the residual
     * log per step. */
    double inverse_step, adjoint_after, log_bytes_per_step;
} pio_step_costs;

typedef struct {
    scene_strategy strategy; /* strategy of the scene */
    bool reversible;         /* the integrator has inverse steps */
    double residual_log;     /* bytes of the residual log of all steps */
    /* `residual_log` is an estimate, and up to residual_log_limit bytes are reserved if the budget has them */
    bool residual_log_estimated;
    double residual_log_limit;    /* greatest bytes of the residual log */
    double residual_log_overhead; /* bytes of memory that a residual log needs in addition to its own */
    int64_t steps, sweeps;        /* steps of an adjoint sweep; adjoint sweeps of one gradient, at least 1 */
    int64_t first;                /* steps before them, which are run forward only */
    size_t fixed, state;          /* bytes of everything except kept states; bytes of a kept state */
    double budget, disk;          /* greatest bytes in memory; greatest bytes on disk, 0: no states on disk */
    pio_step_costs costs;         /* step costs; they are used with states on disk or an estimated residual log only */
} pio_plan_request;

typedef struct {
    scene_strategy strategy; /* strategy that was chosen, never auto */
    int64_t slots, kept;     /* greatest number of states that are kept at one time: in memory; on disk */
    size_t residual_log;     /* bytes of the residual log for inverse steps */
    size_t bytes;            /* bytes of memory in all, with a buffer for states that go to disk */
    double disk_bytes;       /* bytes on disk */
    /* Numbers of one gradient: steps run forward, states kept and restored, states written to disk and read, adjoint
     * steps, inverse steps. */
    int64_t forward_steps, stores, restores, writes, reads, adjoint_steps, inverse_steps;
} pio_plan;

/* Makes the plan of a request. Returns PIOLA_NO_MEMORY, with the bytes that are enough, if the strategy needs more than
 * the budget, or PIOLA_USAGE if it needs a reversible integrator. */
piola_status pio_plan_make(pio_plan *plan, const pio_plan_request *request, piola_error *error);

/* Makes a plan with the request's strategy and with `slots` states in memory and `kept` on disk. Returns
 * PIOLA_NO_MEMORY without memory for that. */
piola_status pio_plan_with(pio_plan *plan, const pio_plan_request *request, int64_t slots, int64_t kept,
                           piola_error *error);

/* Makes the schedule of a plan, to end with pio_schedule_end(). Returns PIOLA_NO_MEMORY without memory for it. */
piola_status pio_plan_schedule(const pio_plan *plan, const pio_plan_request *request, pio_schedule *schedule,
                               piola_error *error);

/* Returns whether this simulation has inverse steps; *residual_log_estimated: only a run shows how many bytes their
 * residual log needs. */
bool pio_plan_reversible(const pio_engine_desc *desc, bool *residual_log_estimated);

/* Returns the time of a gradient over that of a run of `steps` steps. */
double pio_plan_cost(const pio_plan *plan, const pio_step_costs *costs, int64_t steps);

/* Typical costs for particles in units of a forward step, from `piola bench memory`: with whole states, and with
 * compact slots (kernels/mpm/mpm_slot.h). They are used where a run does not measure its own, so that it has the same
 * plan every time. */
extern const pio_step_costs pio_step_costs_whole, pio_step_costs_compact;

/* Returns whether a gradient takes less time with compact slots; NULL stands for the typical costs above. */
bool pio_plan_better(const pio_plan *compact, const pio_step_costs *compact_costs, const pio_plan *whole,
                     const pio_step_costs *whole_costs, int64_t steps);

/* Returns for how many active nodes compact slots have memory: 1.5 times the number at the start; or, if the `last`
 * number was too small and `needed` nodes were active so far, at least twice the last number. */
int64_t pio_plan_slot_nodes(int64_t start, int64_t last, int64_t needed);

/* Number of steps from which the bytes of a residual log are estimated; they have memory for plain states. */
enum { PIO_ESTIMATED_STEPS = 8 };

/* Measures step costs on this device (plan_measure.c) by a short run at the design z: steps for a tenth of a second, at
 * least one, and the adjoint of one; with `folder` also of a temporary file there with at most `slots` states. `desc`
 * describes the simulation; its slots, residual log and window are not used. Returns PIOLA_NUMERICAL if a step fails,
 * PIOLA_NO_MEMORY, the errors of pio_disk_states_create(), and those of the engine. */
piola_status pio_plan_measure(pio_step_costs *costs, const pio_engine *engine, const pio_engine_desc *desc,
                              const double *z, const char *folder, int64_t slots, piola_error *error);

#endif
