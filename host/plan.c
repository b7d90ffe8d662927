/* plan.c -- see plan.h. */
#include "host/plan.h"

#include "host/disk_states.h"
#include "host/fail.h"
#include "host/session.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum { ALIGNMENT = 256, MEASURED_STEPS = 64 }; /* of the arena's parts; most that a tape is measured with */

static double aligned(double bytes)
{
    return ceil(bytes / ALIGNMENT) * ALIGNMENT;
}

static double bytes_with(const pio_plan_request *r, int64_t slots)
{
    return (double)r->fixed + aligned((double)r->state * (double)slots);
}

/* Bytes with which steps can be taken back: state 0 is kept to prove it. */
static double taken_back(const pio_plan_request *r)
{
    return bytes_with(r, 1) + aligned(r->tape);
}

/* What carrying out the schedule comes to. */
static void count(pio_plan *plan, pio_schedule *schedule)
{
    for (schedule->at = 0;;) {
        const pio_action a = schedule->next(schedule);
        if (a.kind == PIO_DONE) break;
        plan->forward_steps += a.kind == PIO_FORWARD ? a.to - a.from : 0;
        plan->reverse_steps += a.kind == PIO_REVERSE;
        plan->unsteps += a.kind == PIO_UNSTEP;
        const bool disk = a.slot >= schedule->slots;
        plan->stores += a.kind == PIO_STORE && !disk;
        plan->restores += a.kind == PIO_RESTORE && !disk;
        plan->writes += a.kind == PIO_STORE && disk;
        plan->reads += a.kind == PIO_RESTORE && disk;
    }
    schedule->at = 0;
}

/* As many states as the budget holds, and steps use. */
static int64_t states_within(const pio_plan_request *r)
{
    const double most = (r->budget - (double)r->fixed) / (double)r->state;
    int64_t slots = most < (double)r->steps ? (int64_t)most : r->steps;
    while (slots > 0 && bytes_with(r, slots) > r->budget) slots--;
    return slots;
}

/* Seconds of what depends on the states on disk, `kept` of them, beside `slots` in memory. */
static double time_with(const pio_plan_request *r, int64_t slots, int64_t kept)
{
    return (double)pio_checkpoint_advances(r->steps, slots, kept) * r->prices.forward +
           (double)kept * (r->prices.write + r->prices.read);
}

/* The least time is convex in the number of states on disk: the first that one more does not improve. A buffer for a state on its
 * way costs one in memory. */
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

static piola_status refuse(const pio_plan_request *r, piola_error *error)
{
    const int64_t all = r->steps + (r->sweeps > 1), least = r->steps > 1;
    const double checkpoint = bytes_with(r, least);
    if (r->strategy == SCENE_STORE)
        return pio_fail(
            error, PIOLA_NO_MEMORY,
            "gradient.memory: a budget of %.0f bytes does not hold every state: this run needs %.0f bytes, "
            "%lld states of %zu bytes and %zu bytes besides; with strategy: checkpoint, %.0f bytes would do",
            r->budget, bytes_with(r, all), (long long)all, r->state, r->fixed, checkpoint);
    if (r->strategy == SCENE_REVERSE)
        return pio_fail(
            error, PIOLA_NO_MEMORY,
            "gradient.memory: a budget of %.0f bytes does not hold what taking steps back needs: %.0f bytes, a state "
            "of %zu bytes, %s%.0f bytes to take %lld steps back and %zu bytes besides; with strategy: checkpoint, "
            "%.0f bytes would do",
            r->budget, taken_back(r), r->state, r->tape_is_a_guess ? "about " : "", r->tape, (long long)r->steps,
            r->fixed, checkpoint);
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

/* Count what the plan's schedule does. */
static piola_status carry_out(pio_plan *plan, const pio_plan_request *r, piola_error *error)
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
    const double room = r->budget - bytes_with(r, 1), twice = fmin(2 * r->tape, room);
    plan.tape = (size_t)(r->tape_is_a_guess ? fmax(r->tape, floor(twice / ALIGNMENT) * ALIGNMENT) : r->tape);
    plan.bytes = (size_t)(bytes_with(r, 1) + aligned((double)plan.tape));
    return plan;
}

/* Of checkpoints and reversal, what computes fewer steps besides the run and the adjoints; PIOLA_NO_MEMORY where neither fits. */
static piola_status least_work(pio_plan *plan, const pio_plan_request *r, piola_error *error)
{
    pio_plan back = reverse(r);
    const bool can_check = bytes_with(r, r->steps > 1) <= r->budget;
    const bool can_reverse = r->reversible && taken_back(r) <= r->budget;
    if (!can_check && !can_reverse) return refuse(r, error);
    piola_status rc = can_reverse ? carry_out(&back, r, error) : PIOLA_OK;
    if (!rc && can_check) {
        *plan = checkpoint(r);
        rc = carry_out(plan, r, error);
    }
    if (rc || !can_reverse) return rc;
    if (!can_check || plan->forward_steps > back.forward_steps + back.unsteps) *plan = back;
    return PIOLA_OK;
}

piola_status pio_plan_make(pio_plan *plan, const pio_plan_request *r, piola_error *error)
{
    const bool all_fit = (double)store(r).bytes <= r->budget;
    switch (r->strategy) {
    case SCENE_REVERSE:
        if (!r->reversible)
            return pio_fail(error, PIOLA_USAGE,
                            "gradient.memory.strategy: steps of this integrator cannot be taken back; a reversible "
                            "time.integrator, or strategy: checkpoint, would be right");
        if (taken_back(r) > r->budget) return refuse(r, error);
        *plan = reverse(r);
        return carry_out(plan, r, error);
    case SCENE_CHECKPOINT:
        if (bytes_with(r, r->steps > 1) > r->budget) return refuse(r, error);
        *plan = checkpoint(r);
        return carry_out(plan, r, error);
    case SCENE_STORE:
    case SCENE_AUTO:
        if (!all_fit) return r->strategy == SCENE_STORE ? refuse(r, error) : least_work(plan, r, error);
        *plan = store(r);
    }
    return carry_out(plan, r, error);
}

piola_status pio_plan_with(pio_plan *plan, const pio_plan_request *r, int64_t slots, int64_t kept, piola_error *error)
{
    const double tape = r->strategy == SCENE_REVERSE ? (r->tape_is_a_guess ? 2 : 1) * r->tape : 0;
    *plan = (pio_plan){.strategy = r->strategy,
                       .slots = slots,
                       .kept = kept,
                       .tape = (size_t)tape,
                       .bytes = (size_t)(bytes_with(r, slots) + aligned(tape)) + (kept ? r->state : 0),
                       .disk_bytes = pio_disk_states_bytes(kept, r->state)};
    return carry_out(plan, r, error);
}

bool pio_plan_reversible(const pio_engine_desc *desc, bool *tape_is_a_guess)
{
    *tape_is_a_guess = desc->fem && desc->fem->integrator == PIO_REVERSIBLE_EULER;
    return desc->fem ? desc->fem->integrator >= PIO_REVERSIBLE_LEAPFROG : desc->reversible != 0;
}

double pio_plan_cost(const pio_plan *plan, const pio_prices *p, int64_t steps)
{
    const double adjoint = plan->strategy == SCENE_REVERSE ? p->adjoint_after : p->adjoint;
    const double gradient = (double)plan->forward_steps * p->forward + (double)plan->reverse_steps * adjoint +
                            (double)plan->unsteps * p->unstep + (double)plan->stores * p->store +
                            (double)plan->restores * p->restore + (double)plan->writes * p->write +
                            (double)plan->reads * p->read;
    return gradient / ((double)(steps > 0 ? steps : 1) * p->forward);
}

/* ---- prices ------------------------------------------------------------------------------------------------- */

/* State 0 is kept; then at most `steps` steps for a tenth of a second. `run`: how many. */
static piola_status measure_steps(pio_prices *prices, const pio_engine *engine, pio_sim *sim, int64_t steps,
                                  int64_t *run_steps, piola_error *error)
{
    int64_t run = 0;
    double begun = pio_clock();
    piola_status rc = engine->save(sim, 0, error);
    if (!rc) rc = engine->check(sim, error);
    prices->store = pio_clock() - begun;
    for (begun = pio_clock(); !rc && run < steps && pio_clock() - begun < 0.1; run++) {
        rc = engine->advance(sim, 1, error);
        if (!rc) rc = engine->check(sim, error);
    }
    prices->forward = (pio_clock() - begun) / (double)run;
    *run_steps = run;
    return rc;
}

/* Taking back `run` steps, the adjoint of the last of them, and what each left on the tape. */
static piola_status measure_back(pio_prices *prices, const pio_engine *engine, pio_sim *sim, int64_t run,
                                 const double *bar, piola_error *error)
{
    int64_t bytes = 0;
    piola_status rc = engine->taped ? engine->taped(sim, &bytes, error) : PIOLA_OK;
    prices->taped = (double)bytes / (double)run;
    if (!rc) rc = engine->reverse_begin(sim, bar, error);
    if (!rc) rc = engine->check(sim, error);
    for (int64_t s = 0; !rc && s < run; s++) {
        double begun = pio_clock();
        rc = engine->unstep(sim, error);
        if (!rc) rc = engine->check(sim, error);
        prices->unstep += (pio_clock() - begun) / (double)run;
        if (rc || s > 0) continue;
        begun = pio_clock();
        rc = engine->reverse(sim, error);
        if (!rc) rc = engine->check(sim, error);
        prices->adjoint_after = pio_clock() - begun;
    }
    return rc;
}

/* Of step 0. */
static piola_status measure_adjoint(pio_prices *prices, const pio_engine *engine, pio_sim *sim, const double *bar,
                                    piola_error *error)
{
    piola_status rc = engine->load(sim, 0, error);
    if (!rc) rc = engine->advance(sim, 1, error);
    if (!rc) rc = engine->reverse_begin(sim, bar, error);
    if (!rc) rc = engine->check(sim, error);
    double begun = pio_clock();
    if (!rc) rc = engine->load(sim, 0, error);
    if (!rc) rc = engine->check(sim, error);
    prices->restore = pio_clock() - begun;
    begun = pio_clock();
    if (!rc) rc = engine->reverse(sim, error);
    if (!rc) rc = engine->check(sim, error);
    prices->adjoint = pio_clock() - begun;
    return rc;
}

/* A state to a file in the folder, and back. */
static piola_status measure_disk(pio_prices *prices, const pio_engine *engine, pio_sim *sim, size_t bytes,
                                 const char *folder, piola_error *error)
{
    char path[1100];
    pio_disk_states *disk;
    snprintf(path, sizeof path, "%s/piola-measure-%ld.h5", folder, (long)getpid());
    piola_status rc = pio_disk_states_create(&disk, path, 1, bytes, error);
    double begun = pio_clock();
    if (!rc) rc = pio_disk_states_keep(disk, 0, engine, sim, error);
    prices->write = pio_clock() - begun;
    begun = pio_clock();
    if (!rc) rc = pio_disk_states_fetch(disk, 0, 0, engine, sim, error);
    if (!rc) rc = engine->check(sim, error);
    prices->read = pio_clock() - begun;
    pio_disk_states_free(disk);
    return rc;
}

static piola_status measure(pio_prices *prices, const pio_engine *engine, pio_sim *sim, const pio_engine_desc *desc,
                            const double *z, const double *bar, piola_error *error)
{
    bool is_a_guess;
    const bool reversible = pio_plan_reversible(desc, &is_a_guess);
    int64_t run = 0;
    piola_status rc = engine->start(sim, z, error);
    if (rc || !desc->steps) return rc;
    rc = measure_steps(prices, engine, sim, desc->steps, &run, error);
    if (!rc && reversible) rc = measure_back(prices, engine, sim, run, bar, error);
    return rc ? rc : measure_adjoint(prices, engine, sim, bar, error);
}

piola_status pio_plan_measure(pio_prices *prices, const pio_engine *engine, const pio_engine_desc *desc,
                              const double *z, const char *folder, double room, piola_error *error)
{
    pio_engine_desc small = *desc;
    pio_engine_bytes bytes;
    pio_sim *sim = NULL;
    bool is_a_guess;
    size_t n_samples = 0;
    for (int o = 0; o < desc->n_observations; o++)
        n_samples += (size_t)desc->observations[o].samples * (size_t)desc->observations[o].components;
    double *bar = malloc(sizeof *bar * (n_samples + 1));
    if (!bar) return pio_fail_memory(error, sizeof *bar * n_samples, "a measurement");
    for (size_t i = 0; i < n_samples; i++) bar[i] = 1;
    *prices = (pio_prices){0};
    small.slots = 1;
    small.first = 0;
    piola_status rc = engine->measure(&small, &bytes, error);
    small.tape = (int64_t)bytes.tape;
    if (pio_plan_reversible(desc, &is_a_guess) && is_a_guess) {
        const double steps = fmin(fmin(MEASURED_STEPS, floor(room / (double)bytes.state)), (double)small.steps);
        small.steps = (int64_t)fmax(1, steps);
        small.tape = (int64_t)bytes.state * small.steps;
    }
    if (!rc) rc = engine->create(&small, &sim, &bytes, error);
    if (!rc) rc = measure(prices, engine, sim, &small, z, bar, error);
    if (!rc && desc->steps > 0 && folder) rc = measure_disk(prices, engine, sim, bytes.state, folder, error);
    if (sim) engine->destroy(sim);
    free(bar);
    return rc;
}
