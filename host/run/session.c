/* session.c -- see session.h. */
#include "host/run/session.h"

#include "host/run/disk_states.h"
#include "host/run/output_folder.h"
#include "host/run/rigid_mode.h"
#include "host/run/session_log.h"
#include "host/model/engine_variables.h"
#include "solvers/engine/clock.h"
#include "host/base/fail.h"
#include "host/scene/scene_leave.h"
#include "host/base/signals.h"
#include "host/scene/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static piola_status open_log(pio_session *s, piola_error *error)
{
    const pio_log_options options = {.level = pio_log_level_from(s->call.options->quiet, s->call.options->verbose),
                                     .json_path = s->call.options->log_json,
                                     .subject = s->call.over ? s->call.over->name : NULL};
    return pio_log_create(&s->call.log, &options, error);
}

static piola_status allocate_workspace(pio_session *s, piola_error *error)
{
    const size_t variables = (size_t)s->model->n_variables + 1, samples = (size_t)s->model->n_samples + 1,
                 m = (size_t)s->constraints.n, n_r = (size_t)s->residuals.n, sweeps = (size_t)s->memory.schedule.sweeps;
    s->evaluation.samples = calloc(2 * samples, sizeof(double));
    s->evaluation.values = calloc(variables, sizeof(double));
    s->adjoint.value_bar = calloc(variables, sizeof(double));
    s->adjoint.z_bar = calloc(variables, sizeof(double));
    s->evaluation.engine_z = calloc(2 * (size_t)s->model->n_engine + 1, sizeof(double));
    s->adjoint.engine_bar = calloc(2 * (size_t)s->model->n_engine + 1, sizeof(double));
    s->evaluation.filtered = calloc(variables, sizeof(double));
    s->adjoint.filtered_bar = calloc(variables, sizeof(double));
    s->evaluation.terms = calloc(s->objective.n + 1, sizeof(double));
    s->evaluation.c = calloc(m + 1, sizeof(double));
    s->adjoint.c_bar = calloc(s->adjoint.of_constraints ? m * variables + 1 : 1, sizeof(double));
    s->evaluation.r = calloc(n_r + 1, sizeof(double));
    s->adjoint.r_bar = calloc(n_r * variables + 1, sizeof(double));
    s->adjoint.sum_bar = calloc(variables, sizeof(double));
    s->adjoint.sample_terms = calloc(sweeps, sizeof(double));
    if (s->model->fem) s->adjoint.records = calloc(sweeps * (size_t)s->model->steps + 1, sizeof *s->adjoint.records);
    if (!s->evaluation.samples || !s->evaluation.values || !s->adjoint.value_bar || !s->adjoint.z_bar ||
        !s->evaluation.terms || !s->evaluation.filtered || !s->adjoint.filtered_bar || !s->evaluation.c ||
        !s->evaluation.engine_z || !s->adjoint.engine_bar || !s->adjoint.c_bar || !s->evaluation.r ||
        !s->adjoint.r_bar || !s->adjoint.sum_bar || !s->adjoint.sample_terms || (s->model->fem && !s->adjoint.records))
        return pio_fail_memory(error, sizeof(double) * ((5 + m + n_r) * variables + 2 * samples), "a session");
    return PIOLA_OK;
}

/* Loads the scene. *printed: its messages were printed. */
static piola_status open_scene(pio_session *s, bool *printed, piola_error *error)
{
    const piola_options *o = s->call.options;
    const pio_scene_leave leave = {.allowed = {o->allow, o->n_allow}, .writes = !o->directory};
    const pio_scene_text text = {
        .path = o->scene, .text = o->text, .size = o->text ? strlen(o->text) : 0, .over = s->call.over};
    piola_status rc =
        pio_scene_load(&s->scene, &text, &leave, o->sets, o->n_sets, s->folder.writes ? stderr : NULL, error);
    if (rc) {
        *printed = s->folder.writes;
        if (!o->directory && s->folder.writes &&
            pio_scene_folder(o->scene, &leave.allowed, o->sets, o->n_sets, s->folder.path, sizeof s->folder.path))
            pio_forget_result(o, s->folder.path);
        return rc;
    }
    const char *directory = o->directory ? o->directory : s->scene->output.directory;
    rc = pio_path_folder(directory, error);
    if (rc) return rc;
    memcpy(s->folder.path, directory, strlen(directory) + 1);
    if (s->folder.writes && !o->dry_run) rc = pio_session_lock_folder(s, error);
    if (!rc) rc = pio_model_create(&s->model, s->scene, error);
    char warning[400];
    for (int i = 0; !rc && pio_model_warning(s->model, i, warning, sizeof warning); i++)
        pio_log_message(s->call.log, PIO_WARNING, "%s", warning);
    if (!rc) rc = pio_objective_create(&s->objective, s->model, error);
    if (!rc && !strcmp(s->call.command, "optimize") && s->scene->optimizer.is_set &&
        s->scene->optimizer.type == PIO_LEVENBERG_MARQUARDT)
        rc = pio_residuals_create(&s->residuals, &s->objective, s->model, error);
    return rc ? rc : pio_constraints_create(&s->constraints, s->model, error);
}

static piola_status open_engine(pio_session *s, bool adjoint, const char *precision, piola_error *error)
{
    const char *of_scene = pio_precision_words[s->scene->method.precision];
    const char *use = s->call.options->precision ? s->call.options->precision : precision ? precision : of_scene;
    if (strcmp(use, "f32") && strcmp(use, "f64"))
        return pio_fail(error, PIOLA_USAGE, "unknown precision '%s': f32 or f64", use);
    piola_status rc = pio_engine_open(&s->engine, s->call.options->device ? s->call.options->device : "auto",
                                      s->call.options->isa, use, s->scene->method.dimension, error);
    if (rc) return rc;
    if (s->model->fem) s->engine.table = s->engine.fem;
    const bool cpu = !strcmp(s->engine.table->device, "cpu");
    pio_log_message(s->call.log, PIO_INFO, "engine: %s %s %dD%s%s on %s%s%s: %s", s->engine.table->device,
                    s->engine.table->precision, s->scene->method.dimension, cpu ? ", " : "",
                    cpu ? s->engine.table->isa : "", s->engine.device, s->engine.driver[0] ? ", " : "",
                    s->engine.driver, s->engine.why);
    pio_model_precision(s->model, !strcmp(use, "f32"));
    s->model->desc.adjoint = adjoint;
    s->model->desc.threads = s->call.options->threads;
    return PIOLA_OK;
}

static piola_status plan_simulation(pio_session *s, piola_error *error)
{
    const int64_t sweeps = (s->adjoint.of_constraints ? s->constraints.n : 0) + pio_residuals_sweeps(&s->residuals) + 1;
    const piola_status rc = pio_session_plan(s, s->model->desc.adjoint, sweeps, error);
    return rc || s->call.options->dry_run ? rc : pio_session_create_sim(s, error);
}

/* Returns the time since *mark, s, by the steady clock, and sets *mark to now. */
static double since(double *mark)
{
    const double before = *mark;
    *mark = pio_clock();
    return *mark - before;
}

piola_status pio_session_open(pio_session **out, const piola_options *options, const char *command,
                              pio_session_gradients gradients, const char *precision, bool *printed, piola_error *error)
{
    const pio_session_use use = {.command = command, .gradients = gradients, .precision = precision};
    return pio_session_open_for(out, options, &use, printed, error);
}

piola_status pio_session_open_for(pio_session **out, const piola_options *options, const pio_session_use *use,
                                  bool *printed, piola_error *error)
{
    pio_session *s = calloc(1, sizeof *s);
    *out = NULL;
    *printed = false;
    if (!s) return pio_fail_memory(error, sizeof *s, "a session");
    s->call.options = options;
    s->call.command = use->command;
    s->call.over = use->over;
    s->call.opened = pio_clock();
    s->adjoint.of_constraints = use->gradients == PIO_ALL_GRADIENTS;
    s->folder.writes = strcmp(use->command, "evaluate") != 0;
    piola_status rc = options->dry_run && options->json
                          ? pio_fail(error, PIOLA_USAGE, "--dry-run prints a plan for people; it has no --json")
                          : PIOLA_OK;
    if (!rc && options->directory) rc = pio_path_folder(options->directory, error);
    if (!rc) rc = open_log(s, error);
    double mark = s->call.opened;
    if (!rc) rc = open_scene(s, printed, error);
    s->call.seconds.scene = since(&mark);
    if (!rc) rc = open_engine(s, use->gradients != PIO_NO_GRADIENT, use->precision, error);
    s->call.seconds.engine = since(&mark);
    if (!rc && s->residuals.n)
        rc = pio_residuals_choose(&s->residuals, s->model, !strcmp(s->engine.table->precision, "f32"), error);
    if (!rc) rc = plan_simulation(s, error);
    if (!rc) rc = allocate_workspace(s, error);
    s->call.seconds.plan = since(&mark);
    if (rc) {
        rc = pio_fail_attribute(error, rc); /* a module may fail to load because memory is exhausted */
        pio_session_close(s);
    } else {
        *out = s;
    }
    return rc;
}

piola_status pio_session_end(pio_session *s, piola_status rc, piola_error *error)
{
    piola_error lost;
    const piola_status log = s ? pio_log_close(&s->call.log, &lost) : PIOLA_OK;
    pio_session_close(s);
    if (!log || (rc && rc != PIOLA_NO)) return rc;
    *error = lost;
    return log;
}

void pio_session_close(pio_session *s)
{
    if (!s) return;
    if (s->sim) s->engine.table->destroy(s->sim);
    pio_engine_close(&s->engine);
    pio_schedule_end(&s->memory.schedule);
    pio_disk_states_free(s->memory.disk);
    pio_folder_unlock(s->folder.lock);
    pio_objective_free(&s->objective);
    pio_constraints_free(&s->constraints);
    pio_residuals_free(&s->residuals);
    pio_model_free(s->model);
    pio_scene_free(s->scene);
    pio_log_close(&s->call.log, NULL);
    free(s->evaluation.samples);
    free(s->evaluation.values);
    free(s->adjoint.value_bar);
    free(s->adjoint.z_bar);
    free(s->adjoint.engine_bar);
    free(s->evaluation.engine_z);
    free(s->evaluation.filtered);
    free(s->adjoint.filtered_bar);
    free(s->adjoint.records);
    free(s->adjoint.norms);
    free(s->adjoint.sample_terms);
    free(s->evaluation.terms);
    free(s->evaluation.c);
    free(s->evaluation.r);
    free(s->adjoint.r_bar);
    free(s->adjoint.sum_bar);
    free(s->adjoint.c_bar);
    free(s);
}

/* ---- evaluation ----------------------------------------------------------------------------------------- */

static piola_status on_progress(void *context, int back, int64_t done, int64_t total, piola_error *error)
{
    pio_session *s = context;
    char stage[sizeof s->call.sweep + 16];
    snprintf(stage, sizeof stage, "%s%s", s->call.sweep, back ? "backward" : "forward");
    if (s->call.shows_steps) pio_log_progress(s->call.log, stage, done, total, "steps");
    if (!pio_interrupted()) return PIOLA_OK;
    return pio_fail(error, PIOLA_INTERRUPTED, "interrupted by %s at step %lld of %lld", pio_interruption(),
                    (long long)done, (long long)total);
}

/* Evaluates all constraints c. An evaluation at the start also sets the bounds that are relative to it. */
static piola_status evaluate_constraints(pio_session *s, const double *samples, piola_error *error)
{
    if (s->constraints.relative && !s->evaluation.start_known) {
        const piola_status rc = pio_constraints_start(&s->constraints, s->model, samples, error);
        if (rc) return rc;
        s->evaluation.start_known = true;
    }
    for (int i = 0; i < s->constraints.n; i++) {
        s->evaluation.c[i] = pio_constraint_value(&s->constraints.list[i], samples);
        if (!isfinite(s->evaluation.c[i]))
            return pio_fail_result(error, PIOLA_FAILED_OBJECTIVE,
                                   "the constraint %s is %g: it overflowed or is not a number",
                                   s->constraints.list[i].name, s->evaluation.c[i]);
    }
    return PIOLA_OK;
}

/* Computes J and c of the samples, and the cotangent of the samples for adjoint sweep number `sweep`: of the constraint
 * or residual of this number, in the last sweep of the objective. */
static piola_status on_objective(void *context, int64_t sweep, const double *samples, double *J, double *samples_bar,
                                 piola_error *error)
{
    pio_session *s = context;
    const bool of_row = samples_bar && sweep < s->memory.schedule.sweeps - 1;
    for (int o = 0; o < s->model->n_outputs; o++) {
        const pio_output *out = &s->model->outputs[o];
        for (int v = 0; v < out->samples * out->components; v++)
            if (!isfinite(samples[out->first + v]))
                return pio_fail_result(error, PIOLA_FAILED_OBJECTIVE,
                                       "observation '%s' at %g s is %g: it overflowed or is not a number", out->name,
                                       out->time[v / out->components], samples[out->first + v]);
    }
    *J = s->evaluation.J = pio_objective_evaluate(&s->objective, s->model, samples, s->evaluation.filtered,
                                                  s->evaluation.terms, samples_bar);
    if (!isfinite(*J))
        return pio_fail_result(error, PIOLA_FAILED_OBJECTIVE,
                               "the objective is %g: an observation overflowed or is not a number", *J);
    const piola_status rc = evaluate_constraints(s, samples, error);
    pio_residuals_evaluate(&s->residuals, s->model, samples, s->evaluation.filtered, s->evaluation.r);
    if (!rc && of_row && s->residuals.by_columns)
        pio_residuals_sum_slope(&s->residuals, s->model, samples_bar);
    else if (!rc && of_row && s->residuals.n)
        pio_residual_slope(&s->residuals, (int)sweep, s->model, samples_bar);
    else if (!rc && of_row)
        pio_constraint_slope(&s->constraints.list[sweep], s->model, samples_bar);
    return !rc && samples_bar ? pio_rigid_mode_check(s, samples_bar, error) : rc;
}

/* Computes how the adjoint of the last sweep grew, and logs a warning, but only once in a session. */
static piola_status keep_growth(pio_session *s, piola_error *error)
{
    const pio_engine *e = s->engine.table;
    char text[400];
    const int64_t n = e->adjoint_norms(s->sim, NULL);
    if (!s->adjoint.norms) s->adjoint.norms = calloc((size_t)n + 1, sizeof *s->adjoint.norms);
    if (!s->adjoint.norms) return pio_fail_memory(error, sizeof *s->adjoint.norms * (size_t)n, "norms of the adjoint");
    e->adjoint_norms(s->sim, s->adjoint.norms);
    s->adjoint.growth = pio_adjoint_growth(s->adjoint.norms, n, s->scene->time.dt, !strcmp(e->precision, "f32"));
    if (!pio_growth_warning(&s->adjoint.growth, text, sizeof text) || s->adjoint.growth_warned) return PIOLA_OK;
    pio_log_message(s->call.log, PIO_WARNING, "%s", text);
    s->adjoint.growth_warned = true;
    return PIOLA_OK;
}

/* Logs a warning of kinks near the last gradient, but only once in a session. */
static void log_kinks(pio_session *s)
{
    char text[500];
    if (s->adjoint.kinks_warned || !pio_kink_warning(s->engine.table, s->sim, text, sizeof text)) return;
    pio_log_message(s->call.log, PIO_WARNING, "%s", text);
    s->adjoint.kinks_warned = true;
}

/* Stores the results of an adjoint sweep: the records of the implicit steps, and the gradient of a constraint or
 * residual. */
static piola_status on_gradient(void *context, int64_t sweep, piola_error *error)
{
    pio_session *s = context;
    const int64_t steps = s->model->steps;
    const double *y_bar = s->evaluation.samples + s->model->n_samples;
    s->adjoint.sample_terms[sweep] = 0;
    for (int64_t k = 0; k < s->model->n_samples; k++)
        s->adjoint.sample_terms[sweep] += fabs(s->evaluation.samples[k] * y_bar[k]);
    for (s->adjoint.n_records = 0; s->adjoint.records && s->adjoint.n_records < steps; s->adjoint.n_records++)
        if (!s->engine.table->record(s->sim, s->adjoint.n_records,
                                     &s->adjoint.records[sweep * steps + s->adjoint.n_records]))
            break;
    pio_engine_variables_adj(s->model, s->adjoint.engine_bar, s->adjoint.value_bar);
    pio_engine_variables_adj(s->model, s->adjoint.engine_bar + s->model->n_engine, s->adjoint.z_bar);
    double *row = s->residuals.by_columns ? s->adjoint.sum_bar : s->residuals.n ? s->adjoint.r_bar : s->adjoint.c_bar;
    if (sweep < s->memory.schedule.sweeps - 1)
        memcpy(row + sweep * s->model->n_variables, s->adjoint.z_bar, sizeof *row * (size_t)s->model->n_variables);
    if (sweep < s->memory.schedule.sweeps - 1) return PIOLA_OK;
    log_kinks(s);
    return keep_growth(s, error);
}

static void set_values(pio_session *s, const double *z)
{
    pio_model_filtered(s->model, z, s->evaluation.filtered);
    pio_model_values(s->model, z, s->evaluation.values);
    pio_engine_variables(s->model, z, s->evaluation.engine_z);
}

/* Reads the values that the engine made of the design. */
static piola_status read_values(pio_session *s, piola_error *error)
{
    double *own = s->evaluation.engine_z + s->model->n_engine;
    const piola_status rc = s->engine.table->values(s->sim, own, error);
    if (!rc) pio_engine_values(s->model, own, s->evaluation.values);
    return rc;
}

/* Adds the derivatives of terms of the variables themselves, which the engine does not have. With t = a + b z~ and
 * value = t or exp(t), dJ/dvalue = dJ/dz~ / (b dvalue/dt). */
static void add_design_terms(pio_session *s)
{
    const pio_model *m = s->model;
    if (!pio_objective_of_design(&s->objective, m, s->evaluation.filtered, s->adjoint.filtered_bar)) return;
    pio_model_filtered_adj(m, s->adjoint.filtered_bar, s->adjoint.z_bar);
    for (int k = 0; k < m->n_parameters; k++) {
        const pio_design_desc *d = &m->designs[k];
        const pio_parameter *p = &m->parameters[k];
        for (int v = p->first; !p->tied && v < p->first + p->groups * p->components; v++)
            s->adjoint.value_bar[v] +=
                s->adjoint.filtered_bar[v] / (d->b * (d->logarithmic ? s->evaluation.values[v] : 1));
    }
}

/* Keeps a state on disk; the first one creates the file. */
static piola_status on_keep(void *context, int64_t slot, int64_t step, piola_error *error)
{
    pio_session *s = context;
    char path[PIO_PATH];
    (void)step;
    piola_status rc = PIOLA_OK;
    pio_session_path(s, "states-on-disk.h5", path, sizeof path);
    if (!s->memory.disk) rc = pio_folder_make(s->folder.path, error);
    if (!rc && !s->memory.disk)
        rc = pio_disk_states_create(&s->memory.disk, path, s->memory.plan.kept, s->memory.bytes.state, error);
    return rc ? rc : pio_disk_states_keep(s->memory.disk, slot, s->engine.table, s->sim, error);
}

static piola_status on_fetch(void *context, int64_t slot, int64_t step, piola_error *error)
{
    pio_session *s = context;
    return pio_disk_states_fetch(s->memory.disk, slot, step, s->engine.table, s->sim, error);
}

/* Passes each frame to the caller once: a gradient that begins anew computes them again, with the same bits. */
static piola_status on_state(void *context, int64_t frame, int64_t step, piola_error *error)
{
    pio_session *s = context;
    if (frame < s->frames.delivered) return PIOLA_OK;
    s->frames.delivered = frame + 1;
    return s->frames.on_state(s, frame, step, error);
}

static pio_sweep sweep_of(pio_session *s, const pio_sweep *extra)
{
    pio_sweep sweep = extra ? *extra : (pio_sweep){0};
    s->frames.on_state = sweep.on_state;
    s->frames.delivered = sweep.resumed ? s->frames.resumed : 0;
    if (sweep.on_state) sweep.on_state = on_state;
    sweep.context = s;
    sweep.on_progress = on_progress;
    sweep.objective = on_objective;
    sweep.on_gradient = on_gradient;
    sweep.on_keep = on_keep;
    sweep.on_fetch = on_fetch;
    return sweep;
}

/* Evaluates at the start first, if bounds are relative to it and z is elsewhere. */
static piola_status start_constraints(pio_session *s, const double *z, piola_error *error)
{
    const pio_model *m = s->model;
    if (!s->constraints.relative || s->evaluation.start_known || !memcmp(z, m->z0, sizeof *z * (size_t)m->n_variables))
        return PIOLA_OK;
    return pio_session_forward(s, m->z0, NULL, error);
}

/* Fails: an earlier call found no memory for its new plan, and then none for the old one. */
static piola_status no_simulation(piola_error *error)
{
    return pio_fail(error, PIOLA_NO_MEMORY, "the memory of this simulation is lost since a call that failed");
}

static void begin_evaluation(pio_session *s)
{
    if (!(s->call.seconds.first > 0)) s->call.seconds.first = pio_clock();
}

piola_status pio_session_forward(pio_session *s, const double *z, const pio_sweep *extra, piola_error *error)
{
    piola_status rc = s->sim ? start_constraints(s, z, error) : no_simulation(error);
    if (rc) return rc;
    const pio_sweep sweep = sweep_of(s, extra);
    const pio_sweep_arrays arrays = {.z = s->evaluation.engine_z, .samples = s->evaluation.samples};
    set_values(s, z);
    begin_evaluation(s);
    rc = pio_forward(s->engine.table, s->sim, s->model->steps, &arrays, &sweep, &s->evaluation.sweep, error);
    s->call.seconds.last = pio_clock();
    pio_session_note_change(s);
    if (!rc) rc = read_values(s, error);
    if (rc) pio_model_control_advice(s->model, error);
    if (s->call.shows_steps) pio_log_progress_end(s->call.log);
    pio_session_log_calls(s);
    return rc;
}

static piola_status check_finite(pio_session *s, piola_error *error)
{
    for (int v = 0; v < s->model->n_variables; v++) {
        char name[256];
        bool finite = isfinite(s->adjoint.value_bar[v]) && isfinite(s->adjoint.z_bar[v]);
        for (int i = 0; s->adjoint.of_constraints && i < s->constraints.n; i++)
            finite &= isfinite(s->adjoint.c_bar[i * s->model->n_variables + v]);
        for (int j = 0; j < s->residuals.n; j++) finite &= isfinite(s->adjoint.r_bar[j * s->model->n_variables + v]);
        if (finite) continue;
        pio_model_variable_name(s->model, v, name, sizeof name);
        return pio_fail_result(error, PIOLA_FAILED_GRADIENT,
                               "dJ/d%s is %g: the adjoint overflowed; a shorter time.duration or gradient.window, a "
                               "smaller weight or f64 would be right",
                               name, s->adjoint.value_bar[v]);
    }
    return PIOLA_OK;
}

piola_status pio_session_gradient(pio_session *s, const double *z, const pio_sweep *extra, piola_error *error)
{
    piola_status rc = s->sim ? start_constraints(s, z, error) : no_simulation(error);
    if (rc) return rc;
    pio_sweep sweep = sweep_of(s, extra);
    const pio_sweep_arrays arrays = {.z = s->evaluation.engine_z,
                                     .samples = s->evaluation.samples,
                                     .n_samples = s->model->n_samples,
                                     .value_bar = s->adjoint.engine_bar,
                                     .z_bar = s->adjoint.engine_bar + s->model->n_engine};
    set_values(s, z);
    begin_evaluation(s);
    do {
        s->adjoint.n_records = 0;
        rc = pio_gradient(s->engine.table, s->sim, &s->memory.schedule, &arrays, &sweep, &s->evaluation.sweep, error);
        if (s->call.shows_steps) pio_log_progress_end(s->call.log);
        sweep.resumed = NULL; /* with larger slots it begins anew */
    } while (rc == PIOLA_NO_MEMORY && (rc = pio_session_more_room(s, error)) == PIOLA_OK);
    s->call.seconds.last = pio_clock();
    pio_session_note_change(s);
    if (rc) pio_model_control_advice(s->model, error);
    if (!rc) rc = read_values(s, error);
    if (rc) return rc;
    pio_session_log_calls(s);
    pio_session_design_rows(s);
    add_design_terms(s);
    return check_finite(s, error);
}
