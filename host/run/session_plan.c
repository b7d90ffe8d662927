/* session_plan.c -- chooses the memory and the kept states of a run before it starts, and logs the plan. */
#include "host/run/disk_states.h"
#include "host/base/fail.h"
#include "host/model/model_fem.h"
#include "host/run/session.h"
#include "host/base/signals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double ASSUMED_SPEED = 1e9; /* bytes/s of a disk that is not measured, to it and from it */

static void print_bytes(char out[32], double bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double v = bytes;
    int u = 0;
    for (; v >= 1024 && u < 4; u++) v /= 1024;
    snprintf(out, 32, u ? "%.1f %s" : "%.0f %s", v, units[u]);
}

static void log_size(const pio_session *s, pio_log_level level)
{
    const pio_model *m = s->model;
    if (m->fem)
        pio_log_message(s->call.log, level, "plan: %lld elements, %lld nodes, %lld load steps",
                        (long long)pio_model_items(m, false), (long long)pio_model_items(m, true), (long long)m->steps);
    else
        pio_log_message(s->call.log, level, "plan: %lld particles, %lld steps of %g s, grid of %d x %d x %d nodes",
                        (long long)m->desc.particles.n, (long long)m->steps, s->scene->time.dt, m->desc.grid.nodes[0],
                        m->desc.grid.nodes[1], s->scene->method.dimension == 3 ? m->desc.grid.nodes[2] : 1);
}

/* Returns whether the command writes checkpoints. */
static bool has_checkpoints(const pio_session *s)
{
    return !strcmp(s->call.command, "run") || !strcmp(s->call.command, "grad");
}

/* Logs the size of a checkpoint on disk. */
static void log_checkpoint(const pio_session *s, pio_log_level level)
{
    char bytes[32];
    const size_t memory = s->memory.bytes.memory + s->memory.plan.residual_log;
    if (!has_checkpoints(s)) return;
    print_bytes(bytes, (double)memory);
    pio_log_message(s->call.log, level,
                    "plan: a checkpoint takes %s (%zu bytes) of disk; two are kept, and the frames so far once more",
                    bytes, memory);
}

/* Logs the linear solver with the reason for its choice, and the memory that its library predicts. */
static void log_solver(const pio_session *s, pio_log_level level)
{
    char library[32];
    if (!s->memory.bytes.solver[0]) return;
    pio_log_message(s->call.log, PIO_INFO, "solver: %s: %s", s->memory.bytes.solver, s->memory.bytes.solver_why);
    const bool own = !strcmp(s->memory.bytes.product, "own");
    if (!own) pio_log_message(s->call.log, PIO_INFO, "products of matrix and vector: %s", s->memory.bytes.product);
    print_bytes(library, (double)s->memory.bytes.library);
    if (s->memory.bytes.library)
        pio_log_message(s->call.log, level, "plan: %s (%zu bytes) of them for %s", library, s->memory.bytes.library,
                        own ? "factors" : "libraries");
}

/* Logs all memory of the run, and what is left to the device's driver. */
static void log_total(const pio_session *s, pio_log_level level)
{
    char total[32], kept[32];
    print_bytes(total, (double)s->memory.bytes.total);
    pio_log_message(s->call.log, level, "plan: %s (%zu bytes) of %s memory in all", total, s->memory.bytes.total,
                    s->engine.table->device);
    if (!s->memory.bytes.kept) return;
    print_bytes(kept, (double)s->memory.bytes.kept);
    pio_log_message(s->call.log, level,
                    "plan: %s (%zu bytes) of what the device has free are kept for its driver: code of kernels, local "
                    "memory",
                    kept, s->memory.bytes.kept);
}

static void log_states(const pio_session *s, pio_log_level level)
{
    const pio_plan *p = &s->memory.plan;
    const long long again = (long long)(p->forward_steps - s->memory.schedule.steps);
    char state[32], disk[32];
    print_bytes(state, (double)s->memory.bytes.state);
    print_bytes(disk, p->disk_bytes);
    if (p->strategy == SCENE_REVERSE)
        pio_log_message(
            s->call.log, level,
            "plan: reverse: the first state, %s (%zu bytes), and a residual log of %zu bytes kept; %lld inverse steps",
            state, s->memory.bytes.state, p->residual_log, (long long)p->inverse_steps);
    else if (p->strategy == SCENE_CHECKPOINT)
        pio_log_message(
            s->call.log, level,
            "plan: checkpoint: %lld states of %s (%zu bytes) kept at a time, %lld steps forward for %lld, %lld "
            "of them run again",
            (long long)p->slots, state, s->memory.bytes.state, (long long)p->forward_steps,
            (long long)s->memory.schedule.steps, again);
    else
        pio_log_message(s->call.log, level,
                        "plan: store every state: %lld states of %s (%zu bytes) kept, no step run twice",
                        (long long)p->slots, state, s->memory.bytes.state);
    if (p->kept)
        pio_log_message(s->call.log, level, "plan: %lld states more on disk, %s (%.0f bytes)", (long long)p->kept, disk,
                        p->disk_bytes);
    const char *item = s->model->fem ? "node" : "particle";
    const double each = (double)s->memory.bytes.state / (double)pio_model_items(s->model, true);
    if (s->memory.bytes.slot_nodes)
        pio_log_message(
            s->call.log, level,
            "plan: a kept state is the step to it, cut after the grid update: %.1f bytes per %s, with room for %lld "
            "active nodes",
            each, item, (long long)s->memory.bytes.slot_nodes);
    else
        pio_log_message(s->call.log, level, "plan: a kept state is whole: %.1f bytes per %s", each, item);
    if (s->memory.bytes.beside_state)
        pio_log_message(s->call.log, level, "plan: beside each state the sums at nodes of its step: %zu bytes",
                        s->memory.bytes.beside_state);
}

/* Logs which steps gradient.window leaves out. */
static void log_window(const pio_session *s)
{
    const long long first = (long long)s->model->desc.first, steps = (long long)s->model->steps;
    if (first)
        pio_log_message(
            s->call.log, PIO_WARNING,
            "gradient.window: the adjoint sweep covers the last %lld of %lld steps; steps 0 to %lld are left "
            "out, and with them the effect of the initial state on J",
            steps - first, steps, first - 1);
}

/* Logs the cost of a gradient by the measured step costs of this device. */
static void log_cost(const pio_session *s, const pio_step_costs *p)
{
    pio_log_message(s->call.log, PIO_INFO,
                    "plan: a gradient takes about %.1f times the time of a run forward (measured: a step %.3g ms, its "
                    "adjoint %.3g ms, a state kept %.3g ms, restored %.3g ms)",
                    pio_plan_cost(&s->memory.plan, p, s->memory.schedule.steps), 1e3 * p->forward, 1e3 * p->adjoint,
                    1e3 * p->store, 1e3 * p->restore);
    if (s->memory.plan.strategy == SCENE_REVERSE)
        pio_log_message(s->call.log, PIO_INFO,
                        "plan: measured: an inverse step %.3g ms, its adjoint after that %.3g ms",
                        1e3 * p->inverse_step, 1e3 * p->adjoint_after);
    if (s->memory.plan.kept)
        pio_log_message(s->call.log, PIO_INFO, "plan: measured: a state to disk %.3g ms, and back %.3g ms",
                        1e3 * p->write, 1e3 * p->read);
}

/* Writes the output folder, or the nearest folder above it that exists, to out[size]. */
static void existing_folder(const pio_session *s, char *out, size_t size)
{
    snprintf(out, size, "%s", s->folder.path);
    while (access(out, F_OK)) {
        char *slash = strrchr(out, '/');
        if (!slash || slash == out) {
            snprintf(out, size, slash ? "/" : ".");
            return;
        }
        *slash = '\0';
    }
}

/* Sets the bytes of the residual log to what the first steps used, and its limit to the larger of four times that and a
 * quarter of the bytes of plain states. The latter is 32 bits per degree of freedom and step, more than stiff springs
 * needed in tests. */
static void estimate_residual_log(const pio_session *s, pio_plan_request *r)
{
    const double quarter = (double)r->state * (double)r->steps / 4;
    r->residual_log = r->costs.log_bytes_per_step * (double)r->steps;
    r->residual_log_limit =
        fmax(4 * r->residual_log, pio_session_budget(s) > 0 ? quarter : fmin(quarter, 256.0 * 1048576));
}

/* Measures step costs by a short run, to divide states between memory and disk and to log them. A scene that fails in
 * its first steps has a plan all the same, without the disk. A session for a program writes no file to measure the
 * disk: it assumes its speed, on which only the time depends. */
static piola_status measure_costs(pio_session *s, pio_plan_request *r, piola_error *error)
{
    char folder[PIO_PATH];
    existing_folder(s, folder, sizeof folder);
    const double room = (r->disk - pio_disk_states_bytes(1, r->state)) / (double)r->state + 1;
    const int64_t places = room < 1 ? 0 : room < 1e6 ? (int64_t)room : 1000000;
    const piola_status rc = pio_plan_measure(&r->costs, s->engine.table, &s->model->desc, s->model->engine_z0,
                                             r->disk > 0 && s->folder.writes ? folder : NULL, places, error);
    if (!s->folder.writes) r->costs.write = r->costs.read = (double)r->state / ASSUMED_SPEED;
    if (r->residual_log_estimated) estimate_residual_log(s, r);
    if (rc != PIOLA_NUMERICAL || r->residual_log_estimated) return rc;
    pio_log_message(s->call.log, PIO_WARNING, "plan: step costs are not known, a first step fails: %s", error->message);
    *error = (piola_error){0};
    r->disk = 0;
    return PIOLA_OK;
}

double pio_session_budget(const pio_session *s)
{
    return s->call.options->memory > 0 ? s->call.options->memory : s->scene->gradient.memory_budget;
}

/* Checks that a run without gradient, which keeps no states, is within the budget. PIOLA_NO_MEMORY otherwise. */
static piola_status fits(const pio_session *s, double budget, piola_error *error)
{
    if ((double)s->memory.bytes.total <= budget || pio_session_budget(s) <= 0) return PIOLA_OK;
    return pio_fail(error, PIOLA_NO_MEMORY, "gradient.memory: a budget of %.0f bytes holds no run: this one needs %zu",
                    budget, s->memory.bytes.total);
}

/* Computes the memory that a residual log of any size takes in addition to its own bytes. */
static piola_status measure_residual_log(const pio_session *s, pio_plan_request *r, piola_error *error)
{
    enum { LOG_BYTES = 256 };
    pio_engine_desc desc = s->model->desc;
    pio_engine_bytes bytes;
    desc.residual_log = LOG_BYTES;
    const piola_status rc = s->engine.table->measure(&desc, &bytes, error);
    if (!rc) r->residual_log_overhead = (double)bytes.total - LOG_BYTES - (double)r->fixed;
    return rc;
}

/* Leaves to a direct solver with which `auto` may have to go on what a run of `bytes` does not take. */
static void leave_rest(pio_session *s, size_t bytes)
{
    const double budget = pio_session_budget(s);
    const double limit = budget > 0 ? budget : (double)s->memory.bytes.free;
    if (s->model->fem) s->model->fem->desc.standby_memory = limit > 0 ? fmax(1, limit - (double)bytes) : 0;
}

/* A form in which states could be kept, with its memory, and its plan unless the budget is too small. */
typedef struct {
    pio_engine_bytes bytes;
    pio_plan_request request;
    pio_plan plan;
    bool over_budget;
} candidate;

/* Measures the simulation with slots for slot_nodes active nodes, and plans its gradient. If the budget is too small
 * for that, c->over_budget is true and *error says which one is enough. */
static piola_status consider(pio_session *s, bool adjoint, int64_t sweeps, int64_t slot_nodes, candidate *c,
                             piola_error *error)
{
    pio_engine_desc *desc = &s->model->desc;
    *c = (candidate){.over_budget = true};
    desc->slots = desc->residual_log = 0;
    desc->slot_nodes = slot_nodes;
    desc->slot_sums = 0;
    desc->interrupted = has_checkpoints(s) ? pio_slow_step_interruption : pio_interruption;
    piola_status rc = pio_model_explain_rejection(s->model, s->engine.table->measure(desc, &c->bytes, error), error);
    if (rc || (slot_nodes && !c->bytes.slot_nodes)) return rc;
    pio_plan_request *r = &c->request;
    *r = (pio_plan_request){.strategy = s->scene->gradient.memory_strategy,
                            .steps = s->model->steps - desc->first,
                            .first = desc->first,
                            .sweeps = sweeps,
                            .residual_log = (double)c->bytes.residual_log,
                            .fixed = c->bytes.total + s->memory.standby,
                            .state = c->bytes.state,
                            .disk = s->scene->gradient.memory_disk,
                            .budget = pio_session_budget(s) > 0 ? pio_session_budget(s) : 0.9 * (double)c->bytes.free};
    r->reversible = pio_plan_reversible(desc, &r->residual_log_estimated);
    if (!adjoint) return PIOLA_OK;
    if (r->residual_log_estimated) rc = measure_residual_log(s, r, error);
    if (rc) return rc;
    if (r->residual_log_estimated) r->residual_log = (double)r->state * fmin(PIO_ESTIMATED_STEPS, (double)r->steps);
    const bool holds = (double)(r->fixed + r->state) + r->residual_log_overhead + r->residual_log <= r->budget;
    if (holds && (s->call.options->dry_run || r->disk > 0 || r->residual_log_estimated))
        rc = measure_costs(s, r, error);
    if (!rc) rc = pio_plan_make(&c->plan, r, error);
    c->over_budget = rc == PIOLA_NO_MEMORY;
    return c->over_budget ? PIOLA_OK : rc;
}

/* Returns the measured step costs if plans depend on them; NULL if they are only logged. */
static const pio_step_costs *deciding(const candidate *c)
{
    return c->request.disk > 0 && c->request.costs.forward > 0 ? &c->request.costs : NULL;
}

/* Sets the costs of a step and of its adjoint, which are those of both forms, to the lower of the two measurements. */
static void level_costs(candidate *a, candidate *b)
{
    pio_step_costs *p = &a->request.costs, *q = &b->request.costs;
    if (!(p->forward > 0 && q->forward > 0)) return; /* they were not measured */
    p->forward = q->forward = fmin(p->forward, q->forward);
    p->adjoint = q->adjoint = fmin(p->adjoint, q->adjoint);
}

/* Where every state is stored whole and in memory, kept states have room for the sums at nodes too if the budget has
 * it: the adjoint of a step need not compute them again. */
static piola_status add_sums(pio_session *s, candidate *c, piola_error *error)
{
    pio_engine_desc *desc = &s->model->desc;
    pio_engine_bytes bytes;
    if (c->over_budget || c->bytes.slot_nodes || c->plan.kept || c->plan.inverse_steps) return PIOLA_OK;
    if (s->model->fem || c->plan.slots < c->request.steps) return PIOLA_OK;
    desc->slot_nodes = 0;
    desc->slot_sums = 1;
    const piola_status rc = s->engine.table->measure(desc, &bytes, error);
    const double more = rc ? 0 : (double)bytes.beside_state * (double)c->plan.slots;
    desc->slot_sums = more > 0 && (double)c->plan.bytes + more <= c->request.budget;
    if (!desc->slot_sums) return rc;
    c->plan.bytes += (size_t)more;
    c->bytes.beside_state = bytes.beside_state;
    return PIOLA_OK;
}

/* Chooses compact slots if they save time or memory that is needed, and otherwise whole states. */
static piola_status choose(pio_session *s, bool adjoint, int64_t sweeps, candidate *c, piola_error *error)
{
    candidate compact;
    piola_status rc = consider(s, adjoint, sweeps, 0, c, error);
    const int64_t start = c->bytes.start_nodes;
    if (!rc) log_size(s, s->call.options->dry_run ? PIO_INFO : PIO_DETAIL);
    if (!rc && adjoint && start > 0) {
        const int64_t room = pio_plan_slot_nodes(start, s->memory.slot_nodes, s->memory.nodes_needed);
        rc = consider(s, adjoint, sweeps, room, &compact, error);
        level_costs(&compact, c);
        if (!rc && !compact.over_budget &&
            (c->over_budget ||
             pio_plan_better(&compact.plan, deciding(&compact), &c->plan, deciding(c), s->model->steps)))
            *c = compact;
    }
    if (!rc && adjoint && c->over_budget) rc = PIOLA_NO_MEMORY;
    if (!rc && adjoint) rc = add_sums(s, c, error);
    s->model->desc.slot_nodes = c->bytes.slot_nodes;
    s->memory.bytes = c->bytes;
    s->memory.plan = c->plan;
    return rc || adjoint ? rc : fits(s, c->request.budget, error);
}

piola_status pio_session_plan(pio_session *s, bool adjoint, int64_t sweeps, piola_error *error)
{
    const pio_log_level level = s->call.options->dry_run ? PIO_INFO : PIO_DETAIL;
    candidate c;
    piola_status rc = choose(s, adjoint, sweeps, &c, error);
    if (!rc && adjoint) rc = pio_plan_schedule(&s->memory.plan, &c.request, &s->memory.schedule, error);
    if (rc) return rc;
    s->model->desc.slots = s->memory.plan.slots;
    s->model->desc.residual_log = (int64_t)s->memory.plan.residual_log;
    if (adjoint) s->memory.bytes.total = s->memory.plan.bytes;
    if (adjoint) log_states(s, level);
    if (adjoint) log_window(s);
    log_solver(s, level);
    log_checkpoint(s, level);
    log_total(s, level);
    if (c.request.costs.forward > 0 && s->call.options->dry_run) log_cost(s, &c.request.costs);
    return PIOLA_OK;
}

piola_status pio_session_create_sim(pio_session *s, piola_error *error)
{
    const size_t planned = s->memory.plan.bytes > s->memory.bytes.total ? s->memory.plan.bytes : s->memory.bytes.total;
    leave_rest(s, planned - s->memory.standby);
    const piola_status rc = pio_model_explain_rejection(
        s->model, s->engine.table->create(&s->model->desc, &s->sim, &s->memory.bytes, error), error);
    if (!rc && s->memory.plan.kept)
        s->memory.bytes.total += s->memory.bytes.state; /* states go to disk through a buffer */
    return rc;
}

/* Makes the request to which such a plan belongs. */
static piola_status request_of(pio_session *s, const pio_plan *plan, int64_t slot_nodes, pio_plan_request *r,
                               piola_error *error)
{
    pio_engine_desc *desc = &s->model->desc;
    pio_engine_bytes bytes;
    desc->slots = desc->residual_log = 0;
    desc->slot_nodes = slot_nodes;
    desc->slot_sums = 0;
    const piola_status rc = s->engine.table->measure(desc, &bytes, error);
    *r = (pio_plan_request){.strategy = plan->strategy,
                            .reversible = true,
                            .steps = s->model->steps - desc->first,
                            .first = desc->first,
                            .sweeps = s->memory.schedule.sweeps,
                            .residual_log = (double)plan->residual_log,
                            .fixed = bytes.total + s->memory.standby,
                            .state = bytes.state};
    desc->slots = plan->slots;
    desc->residual_log = (int64_t)plan->residual_log;
    return rc;
}

/* Restores the old plan and its simulation for later calls, after a new plan failed. */
static void restore_plan(pio_session *s, const pio_session *had, int64_t slots)
{
    piola_error unheard;
    if (s->memory.schedule.checkpoints != had->memory.schedule.checkpoints) pio_schedule_end(&s->memory.schedule);
    s->memory.schedule = had->memory.schedule;
    s->memory.plan = had->memory.plan;
    s->model->desc.slots = slots;
    s->model->desc.slot_nodes = had->memory.bytes.slot_nodes;
    s->model->desc.slot_sums = had->memory.bytes.beside_state > 0;
    pio_session_create_sim(s, &unheard);
}

piola_status pio_session_take_plan(pio_session *s, const pio_plan *plan, int64_t slot_nodes, piola_error *error)
{
    const pio_session had = *s;
    const int64_t slots = s->model->desc.slots, residual_log = s->model->desc.residual_log;
    pio_plan_request request;
    if (plan->strategy == s->memory.plan.strategy && plan->slots == s->memory.plan.slots &&
        plan->kept == s->memory.plan.kept && plan->residual_log == s->memory.plan.residual_log &&
        slot_nodes == s->memory.bytes.slot_nodes)
        return PIOLA_OK;
    piola_status rc = request_of(s, plan, slot_nodes, &request, error);
    if (!rc) rc = pio_plan_with(&s->memory.plan, &request, plan->slots, plan->kept, error);
    if (!rc) rc = pio_plan_schedule(&s->memory.plan, &request, &s->memory.schedule, error);
    if (!rc && pio_session_budget(s) > 0 && (double)s->memory.plan.bytes > pio_session_budget(s))
        rc = pio_fail(error, PIOLA_NO_MEMORY, "the checkpoint's plan takes %zu bytes, more than gradient.memory.budget",
                      s->memory.plan.bytes);
    s->engine.table->destroy(s->sim);
    s->sim = NULL;
    if (!rc) rc = pio_session_create_sim(s, error);
    if (!rc) {
        if (s->memory.schedule.checkpoints != had.memory.schedule.checkpoints) free(had.memory.schedule.checkpoints);
        log_states(s, PIO_DETAIL);
        return PIOLA_OK;
    }
    s->model->desc.residual_log = residual_log;
    restore_plan(s, &had, slots);
    return rc == PIOLA_NO_MEMORY && s->sim ? PIOLA_NO : rc;
}

/* Returns whether the last gradient ended because a direct solver needs more than its plan left, which is then kept
 * for it. */
static bool more_standby(pio_session *s, const pio_engine *e)
{
    pio_solver_change change = {0};
    if (e->solver_change) e->solver_change(s->sim, &change);
    if (change.needed <= s->memory.standby) return false;
    s->memory.standby = change.needed;
    return true;
}

piola_status pio_session_more_room(pio_session *s, piola_error *error)
{
    const pio_session had = *s;
    const pio_engine *e = s->engine.table;
    const int64_t slots = s->model->desc.slots;
    s->memory.nodes_needed = e->nodes_needed ? e->nodes_needed(s->sim) : 0;
    s->memory.slot_nodes = s->memory.bytes.slot_nodes;
    const bool standby = more_standby(s, e);
    if (s->memory.nodes_needed <= s->memory.slot_nodes && !standby) return PIOLA_NO_MEMORY;
    if (standby)
        pio_log_message(
            s->call.log, PIO_INFO,
            "plan: a direct solver, with which auto goes on, needs %zu bytes; the gradient begins anew with "
            "room for it",
            s->memory.standby);
    else
        pio_log_message(s->call.log, PIO_INFO,
                        "plan: the particles have spread: %lld nodes of the grid are active, and a kept state has room "
                        "for %lld; the gradient begins anew with more",
                        (long long)s->memory.nodes_needed, (long long)s->memory.slot_nodes);
    e->destroy(s->sim);
    s->sim = NULL;
    pio_disk_states_free(s->memory.disk);
    s->memory.disk = NULL;
    const piola_error failed = *error;
    piola_status rc = pio_session_plan(s, true, had.memory.schedule.sweeps, error);
    if (!rc) rc = pio_session_create_sim(s, error);
    if (rc == PIOLA_NO_MEMORY && standby) *error = failed; /* which names the bytes and what helps */
    if (rc) {
        s->memory.standby = had.memory.standby;
        restore_plan(s, &had, slots);
        return rc;
    }
    free(had.memory.schedule.checkpoints);
    return PIOLA_OK;
}
