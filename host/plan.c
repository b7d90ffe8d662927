/* plan.c -- see plan.h. */
#include "host/plan.h"

#include "host/disk_states.h"
#include "host/fail.h"
#include "host/session.h"

#include <math.h>
#include <stdlib.h>

enum { ALIGNMENT = 256 }; /* of the arena's parts */

const pio_prices pio_prices_whole = {.forward = 1, .adjoint = 2, .store = 0.1, .restore = 0.1};
const pio_prices pio_prices_compact = {.forward = 1, .adjoint = 2, .store = 0.1, .restore = 0.6};

static double bytes_with(const pio_plan_request *r, int64_t slots)
{
    return (double)r->fixed + (double)((r->state * (size_t)slots + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
}

/* What carrying out the schedule comes to. */
static void count(pio_plan *plan, pio_schedule *schedule)
{
    for (schedule->at = 0;;) {
        const pio_action a = schedule->next(schedule);
        if (a.kind == PIO_DONE) break;
        plan->forward_steps += a.kind == PIO_FORWARD ? a.to - a.from : 0;
        plan->reverse_steps += a.kind == PIO_REVERSE;
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

static piola_status refuse(const pio_plan_request *r, int64_t all, int64_t least, piola_error *error)
{
    const double need = bytes_with(r, r->strategy == SCENE_STORE ? all : least);
    if (r->strategy == SCENE_STORE)
        return pio_fail(
            error, PIOLA_NO_MEMORY,
            "gradient.memory: a budget of %.0f bytes does not hold every state: this run needs %.0f bytes, "
            "%lld states of %zu bytes and %zu bytes besides; with strategy: checkpoint, %.0f bytes would do",
            r->budget, need, (long long)all, r->state, r->fixed, bytes_with(r, least));
    return pio_fail(
        error, PIOLA_NO_MEMORY,
        "gradient.memory: a budget of %.0f bytes holds no gradient: this run needs %.0f bytes, %zu bytes and "
        "%lld states of %zu bytes",
        r->budget, need, r->fixed, (long long)least, r->state);
}

/* Count what the plan's schedule does. */
static piola_status carry_out(pio_plan *plan, const pio_plan_request *r, piola_error *error)
{
    pio_schedule schedule = pio_plan_schedule(plan, r);
    if (plan->checkpoints && !schedule.checkpoints)
        return pio_fail_memory(error, sizeof(int64_t) * (size_t)plan->slots, "the plan of a gradient");
    count(plan, &schedule);
    pio_schedule_end(&schedule);
    return PIOLA_OK;
}

piola_status pio_plan_make(pio_plan *plan, const pio_plan_request *r, piola_error *error)
{
    const int64_t all = r->steps + (r->sweeps > 1), least = r->steps > 1;
    const bool all_fit = bytes_with(r, all) <= r->budget;
    *plan = (pio_plan){.checkpoints = r->strategy == SCENE_CHECKPOINT || (r->strategy == SCENE_AUTO && !all_fit)};
    if (plan->checkpoints ? bytes_with(r, least) > r->budget : !all_fit) return refuse(r, all, least, error);
    plan->slots = plan->checkpoints ? states_within(r) : all;
    plan->bytes = (size_t)bytes_with(r, plan->slots);
    if (plan->checkpoints && r->disk > 0 && plan->slots < r->steps) use_disk(plan, r);
    return carry_out(plan, r, error);
}

piola_status pio_plan_with(pio_plan *plan, const pio_plan_request *r, int64_t slots, int64_t kept, piola_error *error)
{
    *plan = (pio_plan){.checkpoints = r->strategy != SCENE_STORE,
                       .slots = slots,
                       .kept = kept,
                       .bytes = (size_t)bytes_with(r, slots) + (kept ? r->state : 0),
                       .disk_bytes = pio_disk_states_bytes(kept, r->state)};
    return carry_out(plan, r, error);
}

pio_schedule pio_plan_schedule(const pio_plan *plan, const pio_plan_request *r)
{
    return plan->checkpoints ? pio_schedule_checkpoint(r->steps, plan->slots, plan->kept, r->sweeps)
                             : pio_schedule_store_all(r->steps, r->sweeps);
}

double pio_plan_cost(const pio_plan *plan, const pio_prices *p, int64_t steps)
{
    const double gradient = (double)plan->forward_steps * p->forward + (double)plan->reverse_steps * p->adjoint +
                            (double)plan->stores * p->store + (double)plan->restores * p->restore +
                            (double)plan->writes * p->write + (double)plan->reads * p->read;
    return gradient / ((double)(steps > 0 ? steps : 1) * p->forward);
}

int64_t pio_plan_slot_nodes(int64_t start, int64_t last, int64_t needed)
{
    if (last < 1) return start + start / 2;
    return needed + needed / 4 > 2 * last ? needed + needed / 4 : 2 * last;
}

bool pio_plan_better(const pio_plan *compact, const pio_prices *compact_prices, const pio_plan *whole,
                     const pio_prices *whole_prices, int64_t steps)
{
    const bool known = compact_prices && whole_prices;
    return pio_plan_cost(compact, known ? compact_prices : &pio_prices_compact, steps) <
           pio_plan_cost(whole, known ? whole_prices : &pio_prices_whole, steps);
}

/* ---- prices ------------------------------------------------------------------------------------------------- */

/* A machine has other things to do now and then: what takes a moment is measured a few times, and the least counts. */
enum { FEW = 3 };
static const double moment = 0.1; /* s */

static void lower(double *least, double begun)
{
    *least = fmin(*least, pio_clock() - begun);
}

/* The middle one of n > 0 values, which are put in order. */
static double middle_of(double *v, int n)
{
    for (int i = 1; i < n; i++) {
        const double x = v[i];
        int k = i;
        for (; k > 0 && v[k - 1] > x; k--) v[k] = v[k - 1];
        v[k] = x;
    }
    return v[n / 2];
}

/* State 1 is kept, where there is more than one step: state 0 may take no room and be made anew. */
static piola_status measure_store(pio_prices *prices, const pio_engine *engine, pio_sim *sim, int64_t kept,
                                  piola_error *error)
{
    piola_status rc = engine->advance(sim, kept, error);
    if (!rc) rc = engine->check(sim, error);
    prices->store = HUGE_VAL;
    for (int i = 0; !rc && i < FEW; i++) {
        const double begun = pio_clock();
        rc = engine->save(sim, 0, error);
        if (!rc) rc = engine->check(sim, error);
        lower(&prices->store, begun);
    }
    return rc;
}

/* Steps for a moment, and a few in any case unless they take long: that of the middle. */
static piola_status measure_steps(pio_prices *prices, const pio_engine *engine, pio_sim *sim, int64_t steps,
                                  piola_error *error)
{
    double taken[64], begun = pio_clock(), all = begun;
    piola_status rc = PIOLA_OK;
    int run = 0;
    while (!rc && run < 64 && run < steps && pio_clock() - all < (run < FEW ? 10 : 1) * moment) {
        rc = engine->advance(sim, 1, error);
        if (!rc) rc = engine->check(sim, error);
        taken[run++] = pio_clock() - begun;
        begun = pio_clock();
    }
    if (!rc) prices->forward = middle_of(taken, run);
    return rc;
}

/* Of the step after the state that was kept. */
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
    lower(&prices->restore, begun);
    begun = pio_clock();
    if (!rc) rc = engine->reverse(sim, error);
    if (!rc) rc = engine->check(sim, error);
    lower(&prices->adjoint, begun);
    return rc;
}

static piola_status measure_adjoints(pio_prices *prices, const pio_engine *engine, pio_sim *sim, int n_samples,
                                     piola_error *error)
{
    const double all = pio_clock();
    double *bar = calloc((size_t)n_samples + 1, sizeof *bar);
    if (!bar) return pio_fail_memory(error, sizeof *bar * (size_t)n_samples, "a measurement");
    for (int i = 0; i < n_samples; i++) bar[i] = 1;
    piola_status rc = PIOLA_OK;
    prices->restore = prices->adjoint = HUGE_VAL;
    for (int i = 0; !rc && i < FEW && (i == 0 || pio_clock() - all < 10 * moment); i++)
        rc = measure_adjoint(prices, engine, sim, bar, error);
    free(bar);
    return rc;
}

/* The state that is kept `places` times to the disk, and from there: not to a cache that a longer run would overflow. */
static piola_status measure_moves(pio_prices *prices, pio_disk_states *disk, int64_t places, const pio_engine *engine,
                                  pio_sim *sim, piola_error *error)
{
    piola_status rc = engine->load(sim, 0, error);
    if (!rc) rc = engine->check(sim, error);
    double begun = pio_clock();
    for (int64_t p = 0; !rc && p < places; p++) rc = pio_disk_states_keep(disk, p, engine, sim, error);
    if (!rc) rc = pio_disk_states_settle(disk, error);
    prices->write = fmin(prices->write, (pio_clock() - begun) / (double)places);
    begun = pio_clock();
    for (int64_t p = 0; !rc && p < places; p++)
        rc = pio_disk_states_fetch(disk, p, engine->step(sim), engine, sim, error);
    if (!rc) rc = engine->check(sim, error);
    prices->read = fmin(prices->read, (pio_clock() - begun) / (double)places);
    return rc;
}

/* As many states as make up 64 MiB, 2 to 64 of them and no more than `most`, to a file in the folder and back; the best of a few
 * times. */
static piola_status measure_disk(pio_prices *prices, const pio_engine *engine, pio_sim *sim, size_t bytes,
                                 const char *folder, int64_t most, piola_error *error)
{
    const double enough = fmin(64, fmax(2, 64.0 * 1048576 / (double)bytes));
    const int64_t places = most < (int64_t)enough ? most : (int64_t)enough;
    char path[1100];
    pio_disk_states *disk = NULL;
    if (places < 1) return PIOLA_OK;
    snprintf(path, sizeof path, "%s/piola-measure.h5", folder);
    piola_status rc = pio_disk_states_create(&disk, path, places, bytes, error);
    prices->write = prices->read = HUGE_VAL;
    for (int i = 0; !rc && i < FEW; i++) rc = measure_moves(prices, disk, places, engine, sim, error);
    pio_disk_states_free(disk);
    return rc;
}

piola_status pio_plan_measure(pio_prices *prices, const pio_engine *engine, const pio_engine_desc *desc,
                              const double *z, const char *folder, int64_t places, piola_error *error)
{
    pio_engine_desc small = *desc;
    pio_engine_bytes bytes;
    pio_sim *sim = NULL;
    int n_samples = 0;
    for (int o = 0; o < desc->n_observations; o++)
        n_samples += desc->observations[o].samples * desc->observations[o].components;
    small.slots = 1;
    *prices = (pio_prices){0};
    piola_status rc = engine->create(&small, &sim, &bytes, error);
    if (!rc) rc = engine->start(sim, z, error);
    const int64_t kept = desc->steps > 1;
    if (!rc && desc->steps > 0) rc = measure_store(prices, engine, sim, kept, error);
    if (!rc && desc->steps > 0) rc = measure_steps(prices, engine, sim, desc->steps - kept, error);
    if (!rc && desc->steps > 0) rc = measure_adjoints(prices, engine, sim, n_samples, error);
    if (!rc && desc->steps > 0 && folder) rc = measure_disk(prices, engine, sim, bytes.state, folder, places, error);
    if (sim) engine->destroy(sim);
    return rc;
}
