/* session_evaluate.c -- the evaluations of a session, its derivatives and its single steps; see session.h. */
#include "host/run/session.h"

#include "host/run/disk_states.h"
#include "host/run/output_folder.h"
#include "host/run/rigid_mode.h"
#include "host/run/session_log.h"
#include "host/model/engine_variables.h"
#include "solvers/engine/clock.h"
#include "host/base/fail.h"
#include "host/base/signals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* Computes J and c of the samples, and the cotangent of the samples for adjoint sweep number `sweep`: of the caller's
 * function of this number; or else of the constraint or residual of this number, in the last sweep of the objective. */
static piola_status on_objective(void *context, int64_t sweep, const double *samples, double *J, double *samples_bar,
                                 piola_error *error)
{
    pio_session *s = context;
    const bool of_row = samples_bar && sweep < s->adjoint.sweeps - 1;
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
    if (!rc && samples_bar && s->functions)
        s->functions->slope(s->functions->context, sweep, samples_bar);
    else if (!rc && of_row && s->residuals.by_columns)
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

/* Sums the derivatives of a sweep from the engine's variables to those of the design. */
static void set_derivatives(pio_session *s)
{
    pio_engine_variables_adj(s->model, s->adjoint.engine_bar, s->adjoint.value_bar);
    pio_engine_variables_adj(s->model, s->adjoint.engine_bar + s->model->n_engine, s->adjoint.z_bar);
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

/* Passes the derivatives of one of the caller's functions to it. */
static piola_status on_function(void *context, int64_t sweep, piola_error *error)
{
    pio_session *s = context;
    set_derivatives(s);
    const piola_status rc = check_finite(s, error);
    if (rc) return rc;
    if (s->functions->on_function) s->functions->on_function(s->functions->context, sweep);
    if (sweep < s->functions->n - 1) return PIOLA_OK;
    log_kinks(s);
    return keep_growth(s, error);
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
    set_derivatives(s);
    double *row = s->residuals.by_columns ? s->adjoint.sum_bar : s->residuals.n ? s->adjoint.r_bar : s->adjoint.c_bar;
    if (sweep < s->adjoint.sweeps - 1)
        memcpy(row + sweep * s->model->n_variables, s->adjoint.z_bar, sizeof *row * (size_t)s->model->n_variables);
    if (sweep < s->adjoint.sweeps - 1) return PIOLA_OK;
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

/* Adds the derivatives of terms of the variables themselves, which the engine does not have, times `factor`. With
 * t = a + b z~ and value = t or exp(t), dJ/dvalue = dJ/dz~ / (b dvalue/dt). */
static void add_design_terms(pio_session *s, double factor)
{
    const pio_model *m = s->model;
    if (!pio_objective_of_design(&s->objective, m, s->evaluation.filtered, s->adjoint.filtered_bar)) return;
    for (int v = 0; v < m->n_variables; v++) s->adjoint.filtered_bar[v] *= factor;
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
    sweep.on_gradient = s->functions ? on_function : on_gradient;
    sweep.on_keep = on_keep;
    sweep.on_fetch = on_fetch;
    return sweep;
}

/* Evaluates at the start first, if bounds are relative to it and z is elsewhere. */
static piola_status start_constraints(pio_session *s, const double *z, const pio_sweep *extra, piola_error *error)
{
    const pio_model *m = s->model;
    const pio_sweep sweep = {.check_every = extra ? extra->check_every : 0};
    if (!s->constraints.relative || s->evaluation.start_known || !memcmp(z, m->z0, sizeof *z * (size_t)m->n_variables))
        return PIOLA_OK;
    return pio_session_forward(s, m->z0, &sweep, error);
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
    piola_status rc = s->sim ? start_constraints(s, z, extra, error) : no_simulation(error);
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

/* Runs adjoint sweeps: of the functions, or else those of the plan. */
static piola_status run_sweeps(pio_session *s, const double *z, const pio_sweep *extra, piola_error *error)
{
    pio_sweep sweep = sweep_of(s, extra);
    const pio_sweep_arrays arrays = {.z = s->evaluation.engine_z,
                                     .samples = s->evaluation.samples,
                                     .n_samples = s->model->n_samples,
                                     .value_bar = s->adjoint.engine_bar,
                                     .z_bar = s->adjoint.engine_bar + s->model->n_engine};
    piola_status rc;
    set_values(s, z);
    begin_evaluation(s);
    do {
        pio_schedule schedule = s->memory.schedule;
        schedule.sweeps = s->functions ? s->functions->n : s->adjoint.sweeps;
        s->adjoint.n_records = 0;
        rc = pio_gradient(s->engine.table, s->sim, &schedule, &arrays, &sweep, &s->evaluation.sweep, error);
        if (s->call.shows_steps) pio_log_progress_end(s->call.log);
        sweep.resumed = NULL; /* with larger slots it begins anew */
    } while (rc == PIOLA_NO_MEMORY && (rc = pio_session_more_room(s, error)) == PIOLA_OK);
    s->call.seconds.last = pio_clock();
    pio_session_note_change(s);
    if (rc) pio_model_control_advice(s->model, error);
    if (!rc) rc = read_values(s, error);
    if (!rc) pio_session_log_calls(s);
    return rc;
}

piola_status pio_session_gradient(pio_session *s, const double *z, const pio_sweep *extra, piola_error *error)
{
    piola_status rc = s->sim ? start_constraints(s, z, extra, error) : no_simulation(error);
    if (!rc) rc = run_sweeps(s, z, extra, error);
    if (rc) return rc;
    pio_session_design_rows(s);
    add_design_terms(s, 1);
    return check_finite(s, error);
}

piola_status pio_session_derivatives(pio_session *s, const double *z, const pio_session_functions *of, double J_bar,
                                     const pio_sweep *extra, piola_error *error)
{
    piola_status rc = s->sim ? start_constraints(s, z, extra, error) : no_simulation(error);
    if (rc) return rc;
    s->functions = of;
    rc = run_sweeps(s, z, extra, error);
    s->functions = NULL;
    if (rc) return rc;
    if (J_bar < 0 || J_bar > 0) add_design_terms(s, J_bar);
    return check_finite(s, error);
}

/* ---- single steps ------------------------------------------------------------------------------------------- */

piola_status pio_session_begin_steps(pio_session *s, const double *z, piola_error *error)
{
    const pio_engine *e = s->engine.table;
    piola_status rc = s->sim ? start_constraints(s, z, NULL, error) : no_simulation(error);
    if (rc) return rc;
    set_values(s, z);
    begin_evaluation(s);
    rc = e->start(s->sim, s->evaluation.engine_z, error);
    if (!rc) rc = e->check(s->sim, error);
    if (!rc) rc = read_values(s, error);
    return rc || s->model->steps ? rc : pio_session_steps(s, 0, 1, error);
}

piola_status pio_session_steps(pio_session *s, int64_t n, int64_t check_every, piola_error *error)
{
    const pio_engine *e = s->engine.table;
    const int64_t end = e->step(s->sim) + n;
    piola_status rc = PIOLA_OK;
    for (int64_t at = end - n; !rc && at < end; at = e->step(s->sim)) {
        const int64_t next = (at / check_every + 1) * check_every;
        rc = e->advance(s->sim, (next < end ? next : end) - at, error);
        if (!rc) rc = e->check(s->sim, error);
        if (!rc) rc = on_progress(s, 0, e->step(s->sim), s->model->steps, error);
    }
    s->call.seconds.last = pio_clock();
    pio_session_note_change(s);
    double J;
    if (!rc && end == s->model->steps) rc = e->samples(s->sim, s->evaluation.samples, error);
    if (!rc && end == s->model->steps) rc = on_objective(s, -1, s->evaluation.samples, &J, NULL, error);
    if (rc) pio_model_control_advice(s->model, error);
    return rc;
}
