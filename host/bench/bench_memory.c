/* bench_memory.c -- see bench_memory.h. */
#include "host/bench/bench_memory.h"

#include "host/run/disk_states.h"
#include "host/base/fail.h"
#include "host/base/path.h"
#include "solvers/engine/clock.h"
#include "solvers/driver/driver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PLAIN = 1, REVERSIBLE = 2 }; /* kinds of integrators, as bits */
static const struct {
    scene_strategy strategy;
    int slots, kept, of; /* 0 slots: every state is kept; of: kinds of integrators that have this row */
} strategies[PIO_MEMORY_ROWS] = {{SCENE_STORE, 0, 0, PLAIN | REVERSIBLE}, {SCENE_CHECKPOINT, 100, 0, PLAIN},
                                 {SCENE_CHECKPOINT, 50, 0, PLAIN},        {SCENE_CHECKPOINT, 20, 0, PLAIN | REVERSIBLE},
                                 {SCENE_CHECKPOINT, 10, 0, PLAIN},        {SCENE_CHECKPOINT, 5, 0, PLAIN},
                                 {SCENE_CHECKPOINT, 10, 50, PLAIN},       {SCENE_REVERSE, 1, 0, REVERSIBLE}};

typedef struct {
    pio_memory_case *c;
    const pio_engine *engine;
    pio_engine_desc desc; /* of the benchmark case */
    const double *z;
    const char *folder;
    int n_samples, objective; /* number of samples; number of the sample that is the objective */
    int64_t variables;
    double *samples, *z_bar, *first; /* [2 n_samples]; [variables] gradient of this row and of the first */
    pio_sim *sim;
    pio_disk_states *disk;
} runner;

static piola_status objective(void *context, int64_t sweep, const double *samples, double *J, double *samples_bar,
                              piola_error *error)
{
    const runner *r = context;
    (void)sweep, (void)error;
    *J = samples[r->objective];
    for (int i = 0; samples_bar && i < r->n_samples; i++) samples_bar[i] = i == r->objective;
    return PIOLA_OK;
}

static piola_status on_keep(void *context, int64_t slot, int64_t step, piola_error *error)
{
    const runner *r = context;
    (void)step;
    return pio_disk_states_keep(r->disk, slot, r->engine, r->sim, error);
}

static piola_status on_fetch(void *context, int64_t slot, int64_t step, piola_error *error)
{
    const runner *r = context;
    return pio_disk_states_fetch(r->disk, slot, step, r->engine, r->sim, error);
}

/* Measures the least time of the repetitions, s, after one that is not timed; without a schedule those of a forward
 * sweep. */
static piola_status best_of(runner *r, pio_schedule *schedule, double *best, piola_error *error)
{
    const pio_sweep sweep = {.context = r, .objective = objective, .on_keep = on_keep, .on_fetch = on_fetch};
    pio_sweep_result result;
    const pio_sweep_arrays arrays = {.z = r->z, .samples = r->samples, .n_samples = r->n_samples, .z_bar = r->z_bar};
    piola_status rc = PIOLA_OK;
    *best = HUGE_VAL;
    for (int i = 0; !rc && i <= PIO_MEMORY_REPETITIONS; i++) {
        const double begun = pio_clock();
        rc = schedule ? pio_gradient(r->engine, r->sim, schedule, &arrays, &sweep, &result, error)
                      : pio_forward(r->engine, r->sim, r->desc.steps, &arrays, &sweep, &result, error);
        if (i > 0) *best = fmin(*best, pio_clock() - begun);
    }
    return rc;
}

static piola_status measure_row(runner *r, const pio_plan_request *request, pio_memory_row *row, piola_error *error)
{
    char path[PIO_PATH];
    pio_engine_bytes bytes;
    pio_schedule schedule = {0};
    r->desc.slots = row->plan.slots;
    r->desc.residual_log = (int64_t)row->plan.residual_log;
    snprintf(path, sizeof path, "%s/piola-bench-%ld.h5", r->folder, (long)getpid());
    piola_status rc = pio_plan_schedule(&row->plan, request, &schedule, error);
    if (!rc) rc = r->engine->create(&r->desc, &r->sim, &bytes, error);
    if (!rc && row->kept) rc = pio_disk_states_create(&r->disk, path, row->kept, r->c->bytes.state, error);
    if (!rc) rc = best_of(r, &schedule, &row->gradient, error);
    if (!rc && r->c->n_rows == 0) memcpy(r->first, r->z_bar, sizeof *r->first * (size_t)r->variables);
    if (!rc) r->c->same &= !memcmp(r->first, r->z_bar, sizeof *r->first * (size_t)r->variables);
    if (r->sim) r->engine->destroy(r->sim);
    r->sim = NULL;
    pio_disk_states_free(r->disk);
    r->disk = NULL;
    pio_schedule_end(&schedule);
    return rc;
}

/* Makes a row and its plan with exactly its numbers of states, whatever their bytes. */
static piola_status plan_row(const runner *r, int strategy, pio_plan_request *request, pio_memory_row *row,
                             piola_error *error)
{
    const pio_memory_case *c = r->c;
    const int64_t slots = strategies[strategy].slots ? strategies[strategy].slots : c->steps;
    bool estimated;
    *request = (pio_plan_request){.strategy = strategies[strategy].strategy,
                                  .steps = c->steps,
                                  .sweeps = 1,
                                  .reversible = pio_plan_reversible(&r->desc, &estimated),
                                  .fixed = c->bytes.total,
                                  .state = c->bytes.state};
    request->residual_log_estimated = estimated;
    request->residual_log = estimated ? c->costs.log_bytes_per_step * (double)c->steps : (double)c->bytes.residual_log;
    *row = (pio_memory_row){.slots = slots, .kept = strategies[strategy].kept};
    return pio_plan_with(&row->plan, request, slots, row->kept, error);
}

static piola_status measure(runner *r, piola_error *error)
{
    pio_memory_case *c = r->c;
    pio_plan_request request;
    bool estimated;
    const int kind = pio_plan_reversible(&r->desc, &estimated) ? REVERSIBLE : PLAIN;
    r->desc.slots = 0;
    r->desc.adjoint = 1;
    c->steps = r->desc.steps;
    c->same = true;
    piola_status rc = r->engine->measure(&r->desc, &c->bytes, error);
    if (!rc) rc = pio_plan_measure(&c->costs, r->engine, &r->desc, r->z, r->folder, INT64_MAX, error);
    if (!rc) rc = r->engine->create(&r->desc, &r->sim, &c->bytes, error);
    if (!rc) rc = best_of(r, NULL, &c->forward, error);
    if (r->sim) r->engine->destroy(r->sim);
    r->sim = NULL;
    for (int i = 0; !rc && i < PIO_MEMORY_ROWS; i++) {
        pio_memory_row *row = &c->rows[c->n_rows];
        if (!(strategies[i].of & kind) || strategies[i].slots + strategies[i].kept >= c->steps) continue;
        rc = plan_row(r, i, &request, row, error);
        if (!rc) rc = measure_row(r, &request, row, error);
        row->predicted = pio_plan_cost(&row->plan, &c->costs, c->steps);
        c->n_rows += !rc;
    }
    return rc;
}

static piola_status run(runner *r, piola_error *error)
{
    r->samples = calloc(2 * (size_t)r->n_samples, sizeof *r->samples);
    r->z_bar = calloc((size_t)r->variables, sizeof *r->z_bar);
    r->first = calloc((size_t)r->variables, sizeof *r->first);
    const piola_status rc = r->samples && r->z_bar && r->first
                                ? measure(r, error)
                                : pio_fail_memory(error, 16 * (size_t)r->variables, "a benchmark");
    free(r->samples);
    free(r->z_bar);
    free(r->first);
    return rc;
}

/* Sets for how many active nodes a compact slot has memory, as the plan of a run does. */
static piola_status give_room(runner *r, piola_error *error)
{
    pio_engine_bytes bytes;
    r->desc.adjoint = 1;
    const piola_status rc = r->engine->measure(&r->desc, &bytes, error);
    if (!rc) r->desc.slot_nodes = pio_plan_slot_nodes(bytes.start_nodes, 0, 0);
    return rc;
}

piola_status pio_bench_memory_mpm(pio_memory_case *c, const pio_engine_module *engine, pio_bench_case_options options,
                                  pio_memory_particles what, const char *folder, piola_error *error)
{
    pio_bench_case bench_case;
    piola_status rc = pio_bench_case_create(&bench_case, &options, error);
    if (rc) return rc;
    const bool reversible = what == PIO_MEMORY_REVERSIBLE, compact = what == PIO_MEMORY_COMPACT;
    *c = (pio_memory_case){.method = "mpm",
                           .integrator = reversible ? "reversible" : "apic",
                           .compact = compact,
                           .items = bench_case.desc.particles.n};
    bench_case.desc.reversible = reversible;
    bench_case.desc.penalty =
        reversible ? 1e6 : 0; /* 1/s^2: a particle of 1 m/s enters a wall by 1 mm and a quarter of a cell */
    for (int a = 0; reversible && a < options.dimension; a++)
        bench_case.desc.grid.wall[a][0] = bench_case.desc.grid.wall[a][1] = PIO_WALL_PENALTY;
    runner r = {.c = c,
                .engine = engine->table,
                .desc = bench_case.desc,
                .z = bench_case.velocity,
                .folder = folder,
                .n_samples = 2 * options.dimension,
                .variables = options.dimension};
    if (compact) rc = give_room(&r, error);
    if (!rc) rc = run(&r, error);
    pio_bench_case_free(&bench_case);
    return rc;
}

piola_status pio_bench_memory_fem(pio_memory_case *c, const pio_engine_module *engine,
                                  pio_bench_fem_case_options options, pio_integrator integrator, int64_t steps,
                                  const char *folder, piola_error *error)
{
    static const char *const names[] = {[PIO_LEAPFROG] = "leapfrog",
                                        [PIO_REVERSIBLE_LEAPFROG] = "reversible_leapfrog",
                                        [PIO_REVERSIBLE_EULER] = "reversible_euler"};
    const double wave = 1.2; /* m/s, no less than sqrt((lambda + 2 mu)/rho) of the material */
    pio_bench_fem_case bench_case;
    piola_status rc = pio_bench_fem_case_create(&bench_case, &options, error);
    if (rc) return rc;
    const bool solves = integrator == PIO_REVERSIBLE_EULER;
    *c = (pio_memory_case){.method = "fem", .integrator = names[integrator], .items = bench_case.fem.n};
    bench_case.fem.integrator = integrator;
    bench_case.fem.lumped = 1;
    bench_case.desc.steps = steps;
    bench_case.desc.dt = (solves ? 3 : 0.3) / options.cells / wave;
    bench_case.sample_weight.step = steps;
    runner r = {.c = c,
                .engine = engine->fem,
                .desc = bench_case.desc,
                .z = bench_case.z,
                .folder = folder,
                .n_samples = PIO_BENCH_FEM_CASE_SAMPLES,
                .objective = 1, /* the deflection along the force */
                .variables = bench_case.variables};
    rc = run(&r, error);
    pio_bench_fem_case_free(&bench_case);
    return rc;
}
