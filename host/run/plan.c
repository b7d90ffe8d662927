/* plan.c -- see plan.h. */
#include "host/run/plan.h"

#include "host/run/disk_states.h"
#include "host/base/fail.h"

#include <math.h>

enum { ALIGNMENT = 256 }; /* bytes, of the arrays in the arena */

static double aligned(double bytes)
{
    return ceil(bytes / ALIGNMENT) * ALIGNMENT;
}

const pio_step_costs pio_step_costs_whole = {.forward = 1, .adjoint = 2, .store = 0.1, .restore = 0.1};
const pio_step_costs pio_step_costs_compact = {.forward = 1, .adjoint = 2, .store = 0.1, .restore = 0.6};

static double bytes_with(const pio_plan_request *r, int64_t slots)
{
    return (double)r->fixed + aligned((double)r->state * (double)slots);
}

/* Returns the bytes of a gradient with inverse steps; state 0 is kept to verify them. */
static double reverse_bytes(const pio_plan_request *r)
{
    return bytes_with(r, 1) + aligned(r->residual_log) + r->residual_log_overhead;
}

/* Counts the actions of a schedule. */
static void count(pio_plan *plan, pio_schedule *schedule)
{
    for (schedule->at = 0;;) {
        const pio_action a = schedule->next(schedule);
        if (a.kind == PIO_DONE) break;
        plan->forward_steps += a.kind == PIO_FORWARD ? a.to - a.from : 0;
        plan->adjoint_steps += a.kind == PIO_ADJOINT_STEP;
        plan->inverse_steps += a.kind == PIO_INVERSE_STEP;
        const bool disk = a.slot >= schedule->slots;
        plan->stores += a.kind == PIO_STORE && !disk;
        plan->restores += a.kind == PIO_RESTORE && !disk;
        plan->writes += a.kind == PIO_STORE && disk;
        plan->reads += a.kind == PIO_RESTORE && disk;
    }
    schedule->at = 0;
}

/* Returns the number of states that the budget holds, no more than there are steps. */
static int64_t states_within(const pio_plan_request *r)
{
    const double most = (r->budget - (double)r->fixed) / (double)r->state;
    int64_t slots = most < (double)r->steps ? (int64_t)most : r->steps;
    while (slots > 0 && bytes_with(r, slots) > r->budget) slots--;
    return slots;
}

/* Returns the time, s, of the work that depends on the number of states on disk: `kept` there and `slots` in memory. */
static double time_with(const pio_plan_request *r, int64_t slots, int64_t kept)
{
    return (double)pio_checkpoint_advances(r->steps, slots, kept) * r->costs.forward +
           (double)kept * (r->costs.write + r->costs.read);
}

/* Moves states to disk if that saves time. The time is convex in their number, so the best number is the first that one
 * more does not improve. A buffer for transfers takes the place of one state in memory. */
static void use_disk(pio_plan *plan, const pio_plan_request *r)
{
    pio_plan_request with = *r;
    const double room = (r->disk - pio_disk_states_bytes(1, r->state)) / (double)r->state + 1;
    int64_t low = 0, high = room < (double)r->steps - 1 ? (int64_t)room : r->steps - 1;
    with.fixed += r->state;
    const int64_t slots = bytes_with(&with, 1) <= r->budget ? states_within(&with) : 0;
    if (slots < 1) return;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (time_with(r, slots, middle + 1) < time_with(r, slots, middle))
            low = middle + 1;
        else
            high = middle;
    }
    if (low < 1 || time_with(r, slots, low) >= time_with(r, plan->slots, 0)) return;
    plan->slots = slots;
    plan->kept = low;
    plan->bytes = (size_t)bytes_with(&with, slots);
    plan->disk_bytes = pio_disk_states_bytes(low, r->state);
}

/* Fails because the budget is too small, and says how many bytes are enough. */
static piola_status over_budget(const pio_plan_request *r, piola_error *error)
{
    const int64_t all = r->steps + (r->sweeps > 1), least = r->steps > 1;
    const double checkpoint = bytes_with(r, least);
    if (r->strategy == SCENE_STORE)
        return pio_fail(
            error, PIOLA_NO_MEMORY,
            "gradient.memory: a budget of %.0f bytes does not hold every state: this run needs %.0f bytes, "
            "%lld states of %zu bytes and %zu bytes besides; with strategy: checkpoint, %.0f bytes would do",
            r->budget, bytes_with(r, all), (long long)all, r->state, r->fixed, checkpoint);
    if (r->strategy == SCENE_REVERSE) {
        const bool known =
            !r->residual_log_estimated ||
            r->costs.log_bytes_per_step > 0; /* the estimate comes from a run, for which this budget may be too small */
        return pio_fail(
            error, PIOLA_NO_MEMORY,
            "gradient.memory: a budget of %.0f bytes does not hold what inverse steps need: %s%.0f bytes, a state "
            "of %zu bytes, %.0f bytes%s of a residual log for %lld steps and %zu bytes besides; with strategy: "
            "checkpoint, %.0f bytes would do",
            r->budget, known ? "" : "more than ", reverse_bytes(r), r->state, r->residual_log,
            !known                      ? " and more"
            : r->residual_log_estimated ? ", about,"
                                        : "",
            (long long)r->steps, r->fixed, checkpoint);
    }
    return pio_fail(
        error, PIOLA_NO_MEMORY,
        "gradient.memory: a budget of %.0f bytes holds no gradient: this run needs %.0f bytes, %zu bytes and "
        "%lld states of %zu bytes",
        r->budget, checkpoint, r->fixed, (long long)least, r->state);
}

piola_status pio_plan_schedule(const pio_plan *plan, const pio_plan_request *r, pio_schedule *schedule,
                               piola_error *error)
{
    *schedule = plan->strategy == SCENE_CHECKPOINT
                    ? pio_schedule_checkpoint(r->steps, plan->slots, plan->kept, r->sweeps)
                : plan->strategy == SCENE_REVERSE ? pio_schedule_reverse(r->steps, r->sweeps)
                                                  : pio_schedule_store_all(r->steps, r->sweeps);
    *schedule = pio_schedule_window(*schedule, r->first);
    if (plan->strategy != SCENE_CHECKPOINT || schedule->checkpoints) return PIOLA_OK;
    return pio_fail_memory(error, sizeof(int64_t) * (size_t)plan->slots, "the plan of a gradient");
}

/* Makes the schedule of the plan and counts its actions. PIOLA_NO_MEMORY. */
static piola_status count_actions(pio_plan *plan, const pio_plan_request *r, piola_error *error)
{
    pio_schedule schedule;
    const piola_status rc = pio_plan_schedule(plan, r, &schedule, error);
    if (rc) return rc;
    count(plan, &schedule);
    pio_schedule_end(&schedule);
    return PIOLA_OK;
}

static pio_plan store(const pio_plan_request *r)
{
    const int64_t all = r->steps + (r->sweeps > 1);
    return (pio_plan){.strategy = SCENE_STORE, .slots = all, .bytes = (size_t)bytes_with(r, all)};
}

static pio_plan checkpoint(const pio_plan_request *r)
{
    const int64_t slots = states_within(r);
    pio_plan plan = {.strategy = SCENE_CHECKPOINT, .slots = slots, .bytes = (size_t)bytes_with(r, slots)};
    if (r->disk > 0 && slots < r->steps) use_disk(&plan, r);
    return plan;
}

static pio_plan reverse(const pio_plan_request *r)
{
    pio_plan plan = {.strategy = SCENE_REVERSE, .slots = 1};
    const double most = fmin(r->residual_log_limit, r->budget - bytes_with(r, 1) - r->residual_log_overhead);
    plan.residual_log = (size_t)(r->residual_log_estimated ? fmax(r->residual_log, floor(most / ALIGNMENT) * ALIGNMENT)
                                                           : r->residual_log);
    plan.bytes = (size_t)(bytes_with(r, 1) + aligned((double)plan.residual_log) + r->residual_log_overhead);
    return plan;
}

/* Chooses between checkpoints and inverse steps by the number of additional steps. PIOLA_NO_MEMORY if neither fits. */
static piola_status least_work(pio_plan *plan, const pio_plan_request *r, piola_error *error)
{
    pio_plan back = reverse(r);
    const bool can_check = bytes_with(r, r->steps > 1) <= r->budget;
    const bool can_reverse = r->reversible && reverse_bytes(r) <= r->budget;
    if (!can_check && !can_reverse) return over_budget(r, error);
    piola_status rc = can_reverse ? count_actions(&back, r, error) : PIOLA_OK;
    if (!rc && can_check) {
        *plan = checkpoint(r);
        rc = count_actions(plan, r, error);
    }
    if (rc || !can_reverse) return rc;
    if (!can_check || plan->forward_steps > back.forward_steps + back.inverse_steps) *plan = back;
    return PIOLA_OK;
}

piola_status pio_plan_make(pio_plan *plan, const pio_plan_request *r, piola_error *error)
{
    const bool all_fit = (double)store(r).bytes <= r->budget;
    switch (r->strategy) {
    case SCENE_REVERSE:
        if (!r->reversible)
            return pio_fail(error, PIOLA_USAGE,
                            "gradient.memory.strategy: steps of this integrator cannot be reversed; a reversible "
                            "time.integrator, or strategy: checkpoint, would be right");
        if (reverse_bytes(r) > r->budget) return over_budget(r, error);
        *plan = reverse(r);
        return count_actions(plan, r, error);
    case SCENE_CHECKPOINT:
        if (bytes_with(r, r->steps > 1) > r->budget) return over_budget(r, error);
        *plan = checkpoint(r);
        return count_actions(plan, r, error);
    case SCENE_STORE:
    case SCENE_AUTO:
        if (!all_fit) return r->strategy == SCENE_STORE ? over_budget(r, error) : least_work(plan, r, error);
        *plan = store(r);
    }
    return count_actions(plan, r, error);
}

piola_status pio_plan_with(pio_plan *plan, const pio_plan_request *r, int64_t slots, int64_t kept, piola_error *error)
{
    const double residual_log =
        r->strategy == SCENE_REVERSE ? (r->residual_log_estimated ? 2 : 1) * r->residual_log : 0;
    *plan = (pio_plan){.strategy = r->strategy,
                       .slots = slots,
                       .kept = kept,
                       .residual_log = (size_t)residual_log,
                       .bytes = (size_t)(bytes_with(r, slots) + aligned(residual_log)) + (kept ? r->state : 0),
                       .disk_bytes = pio_disk_states_bytes(kept, r->state)};
    return count_actions(plan, r, error);
}

bool pio_plan_reversible(const pio_engine_desc *desc, bool *residual_log_estimated)
{
    *residual_log_estimated = desc->fem && desc->fem->integrator == PIO_REVERSIBLE_EULER;
    const pio_integrator of_mesh = desc->fem ? desc->fem->integrator : PIO_STATIC;
    if (!desc->fem) return desc->reversible != 0;
    return of_mesh == PIO_REVERSIBLE_LEAPFROG || of_mesh == PIO_REVERSIBLE_EULER;
}

double pio_plan_cost(const pio_plan *plan, const pio_step_costs *p, int64_t steps)
{
    const double adjoint = plan->strategy == SCENE_REVERSE ? p->adjoint_after : p->adjoint;
    const double gradient = (double)plan->forward_steps * p->forward + (double)plan->adjoint_steps * adjoint +
                            (double)plan->inverse_steps * p->inverse_step + (double)plan->stores * p->store +
                            (double)plan->restores * p->restore + (double)plan->writes * p->write +
                            (double)plan->reads * p->read;
    return gradient / ((double)(steps > 0 ? steps : 1) * p->forward);
}

int64_t pio_plan_slot_nodes(int64_t start, int64_t last, int64_t needed)
{
    if (last < 1) return start + start / 2;
    return needed + needed / 4 > 2 * last ? needed + needed / 4 : 2 * last;
}

bool pio_plan_better(const pio_plan *compact, const pio_step_costs *compact_costs, const pio_plan *whole,
                     const pio_step_costs *whole_costs, int64_t steps)
{
    const bool known = compact_costs && whole_costs;
    return pio_plan_cost(compact, known ? compact_costs : &pio_step_costs_compact, steps) <
           pio_plan_cost(whole, known ? whole_costs : &pio_step_costs_whole, steps);
}
