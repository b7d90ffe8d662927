/* command_optimize.c -- improves the design of a scene from one start; a killed run continues from its evaluations. */
#include "host/command/best.h"
#include "host/results/certificate.h"
#include "host/command/command.h"
#include "host/command/command_optimize.h"
#include "host/results/residual_file.h"
#include "host/results/result.h"
#include "host/run/output_folder.h"
#include "host/results/evaluations.h"
#include "host/results/fit.h"
#include "host/base/fail.h"
#include "host/results/history.h"
#include "host/results/identity.h"
#include "host/render/image.h"
#include "host/base/signals.h"
#include "host/run/session_columns.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double rounding_f64 = 1e-12,
                    rounding_f32 =
                        1e-6; /* relative rounding of J: eps times 10, in f64 times 1e4 because of long sums */
#define RECORD "evaluations.record"
static const char old_record[] = "evaluations.h5"; /* the record of earlier versions */

typedef struct {
    pio_session *s;
    pio_history *history;
    pio_evaluations *evaluations;
    size_t next; /* number of the next evaluation that is not on record */
    bool rows_logged;
    bool computed; /* an evaluation was computed and is on record */
} context;

/* Names the evaluation whose progress is shown. Those on record are not computed, except damaged ones. */
static void name_evaluation(context *c)
{
    size_t recorded;
    const pio_evaluation *list = pio_evaluations_list(c->evaluations, &recorded);
    while (c->next < recorded && list[c->next].z) c->next++;
    snprintf(c->s->call.sweep, sizeof c->s->call.sweep, "evaluation %zu, ", c->next++);
}

/* Logs, at the first evaluation that is computed, how well the rows of the residuals agree with the gradient. */
static void log_rows(context *c)
{
    const pio_session *s = c->s;
    if (!c->rows_logged)
        pio_log_message(s->call.log, PIO_INFO,
                        "%s: sum r dr/dz differs from the gradient, of a sweep of its own, by %.2g of sum |r dr/dz|",
                        s->residuals.by_columns ? "columns" : "rows", pio_session_rows_error(s));
    if (!c->rows_logged && s->residuals.by_columns)
        pio_log_message(s->call.log, PIO_INFO,
                        "columns: by differences of %lld runs, which differ from an adjoint sweep by %.2g at most",
                        (long long)s->adjoint.runs, s->adjoint.columns_error);
    c->rows_logged = true;
}

static piola_status evaluate(void *p, const double *z, double *J, double *gradient, double *c, double *c_gradient,
                             piola_error *error)
{
    pio_session *s = ((context *)p)->s;
    name_evaluation(p);
    const piola_status rc = pio_session_jacobian(s, z, NULL, error);
    if (rc) return rc;
    *J = s->evaluation.J;
    const size_t n = (size_t)s->model->n_variables, m = (size_t)s->constraints.n;
    memcpy(gradient, s->adjoint.z_bar, sizeof *gradient * n);
    if (s->residuals.n) {
        const size_t rows = (size_t)s->residuals.n;
        memcpy(c, s->evaluation.r, sizeof *c * rows);
        memcpy(c_gradient, s->adjoint.r_bar, sizeof *c_gradient * rows * n);
        log_rows(p);
    }
    memcpy(c, s->evaluation.c, sizeof *c * m);
    memcpy(c_gradient, s->adjoint.c_bar, sizeof *c_gradient * m * n);
    return PIOLA_OK;
}

static piola_status on_evaluation(void *p, size_t number, const pio_evaluation *at, piola_error *error)
{
    context *c = p;
    if (isnan(at->J))
        pio_log_message(c->s->call.log, PIO_WARNING, "evaluation %zu failed, its trial point is rejected: %s", number,
                        error->message);
    const piola_status rc = pio_evaluations_add(c->evaluations, number, at, c->s->evaluation.terms, error);
    c->computed |= rc == PIOLA_OK;
    return rc;
}

static piola_status on_iteration(void *p, const pio_iteration *at, piola_error *error)
{
    context *c = p;
    char missed[60] = "", rejected[60] = "", sharp[40] = "";
    const double beta = pio_session_sharpness(c->s);
    if (at->violation > 0) snprintf(missed, sizeof missed, ", violation %.3g", at->violation);
    if (at->rejected > 0) snprintf(rejected, sizeof rejected, ", %zu of them rejected", at->rejected);
    if (beta > 0) snprintf(sharp, sizeof sharp, ", beta %.4g", beta);
    pio_log_message(c->s->call.log, PIO_INFO,
                    "iteration %4d: J = %.9g, projected gradient %.3g%s%s, %zu evaluations%s%s", at->number, at->at.J,
                    at->projected_gradient, missed, sharp, at->evaluations, rejected,
                    at->replayed ? " (replayed)" : "");
    const piola_status rc =
        pio_history_add(c->history, at, pio_evaluations_beside(c->evaluations, at->evaluations - 1), error);
    if (rc || !pio_interrupted()) return rc;
    return pio_fail(error, PIOLA_INTERRUPTED,
                    "interrupted by %s after iteration %d; run again with --resume auto to continue",
                    pio_interruption(), at->number);
}

static void begin_stage(void *p, int stage)
{
    context *c = p;
    pio_session_begin_stage(c->s, stage);
    pio_log_message(c->s->call.log, PIO_INFO, "stage %d: projections with beta %.4g", stage + 1,
                    pio_session_sharpness(c->s));
}

/* Returns the bound at which a value is, to a relative 1e-9 of their distance, as words; "" between them. */
static const char *at_bound(const pio_parameter *p, double value)
{
    const double range = p->upper - p->lower, fraction = 1e-9;
    const double below = fraction * (isfinite(range) ? range : fabs(p->lower)),
                 above = fraction * (isfinite(range) ? range : fabs(p->upper));
    const bool low = value <= p->lower + below, high = value >= p->upper - above;
    return low && high ? ", constant" : low ? ", at its lower bound" : high ? ", at its upper bound" : "";
}

/* Logs the values of a parameter, or of one with many the least, the greatest, and how many are at a bound. */
static void log_values(const pio_session *s, const pio_parameter *p)
{
    enum { MOST_SHOWN = 12 };
    const int n = p->groups * p->components;
    const double *value = s->evaluation.values + p->first;
    const char *space = p->unit[0] ? " " : "";
    double least = HUGE_VAL, most = -HUGE_VAL;
    int low = 0, high = 0;
    for (int i = 0; i < n; i++) {
        char name[256];
        const char *where = at_bound(p, value[i]);
        least = fmin(least, value[i]);
        most = fmax(most, value[i]);
        low += strstr(where, "lower") != NULL;
        high += strstr(where, "upper") != NULL;
        if (n > MOST_SHOWN) continue;
        pio_model_variable_name(s->model, p->first + i, name, sizeof name);
        pio_log_message(s->call.log, PIO_INFO, "%s = %.9g%s%s%s", name, value[i], space, p->unit, where);
    }
    if (n <= MOST_SHOWN) return;
    pio_log_message(s->call.log, PIO_INFO,
                    "%s = %.9g to %.9g%s%s: %d values, %d at their lower bound, %d at their upper", p->path, least,
                    most, space, p->unit, n, low, high);
}

/* The first is of fits alone. */
static const char *const files_of_fit[] = {
    PIO_RESIDUAL_FILE, "states.vtkhdf", "history.vtkhdf", RECORD, "picture.png", NULL};

/* Returns the files that the command writes beside result.json. */
static const char *const *files_of(const pio_session *s)
{
    return files_of_fit + (s->residuals.n == 0);
}

/* Logs the outcome, the values that were found, and the files. */
static void log_result(const pio_session *s, const pio_optimizer_result *r, piola_status verdict, const pio_fit *fit)
{
    char path[PIO_PATH];
    pio_log_message(s->call.log, verdict ? PIO_WARNING : PIO_INFO, "%s", r->sentence);
    for (int k = 0; k < s->model->n_parameters && k < 12; k++)
        if (!s->model->parameters[k].tied) log_values(s, &s->model->parameters[k]);
    if (s->residuals.n) pio_fit_log(fit, s->call.log);
    for (int i = 0; i < s->constraints.n && i < 12; i++) {
        const pio_constraint *of = &s->constraints.list[i];
        pio_log_message(s->call.log, PIO_INFO, "%s: %.9g %s %.9g", of->name, s->evaluation.samples[of->at], of->symbol,
                        of->bound);
    }
    const char *const *files = files_of(s);
    for (size_t i = 0; files[i]; i++) {
        pio_session_path(s, files[i], path, sizeof path);
        if (access(path, F_OK)) continue; /* the picture, where none can be drawn */
        pio_log_message(s->call.log, PIO_INFO, "wrote %s", path);
    }
    pio_session_path(s, "result.json", path, sizeof path);
    pio_log_message(s->call.log, PIO_INFO, "wrote %s", path);
}

static piola_status report(pio_session *s, const pio_optimizer_result *r, piola_status verdict, piola_error *error)
{
    pio_json json;
    pio_fit fit = {0};
    piola_status rc = s->residuals.n ? pio_fit_of_session(&fit, s, r->z, error) : PIOLA_OK;
    if (rc) {
        pio_fit_free(&fit);
        return rc;
    }
    pio_result_begin(s, &json, verdict, r->sentence, NULL);
    pio_result_evaluation(s, &json, r->z, true, r->multipliers);
    pio_result_optimizer(&json, s->scene->optimizer.type, r, pio_session_sharpness(s));
    if (s->residuals.n) pio_fit_json(&fit, &json);
    pio_certificate_json(s, NULL, 0, &json, "certificate");
    rc = pio_result_end(s, &json, files_of(s), error);
    if (!rc) log_result(s, r, verdict, &fit);
    pio_fit_free(&fit);
    if (!rc && verdict) rc = pio_fail(error, verdict, "the optimiser did not converge: %s", r->sentence);
    return rc;
}

/* Logs the condition of the record: an unfinished last evaluation is normal after a kill; damage and another machine
 * are warnings. */
static void log_condition(context *c)
{
    pio_log *log = c->s->call.log;
    char text[PIO_PATH + 400];
    if (*pio_evaluations_differ(c->evaluations))
        pio_log_message(log, PIO_WARNING,
                        "continuing a record of another machine, so the bits are those of neither: %s",
                        pio_evaluations_differ(c->evaluations));
    const int64_t cut = pio_evaluations_cut(c->evaluations);
    if (cut)
        pio_log_message(log, PIO_INFO, RECORD ": %lld bytes of an evaluation that was not finished were cut off",
                        (long long)cut);
    if (pio_evaluations_damaged(c->evaluations, text, sizeof text)) pio_log_message(log, PIO_WARNING, "%s", text);
}

/* Logs that there is no record. One of an earlier version, which kept it in HDF5, remains and is a warning. */
static void log_none(const pio_session *s, const char *why)
{
    char path[PIO_PATH];
    pio_session_path(s, old_record, path, sizeof path);
    if (access(path, F_OK))
        pio_log_message(s->call.log, PIO_DETAIL, "nothing to resume from: %s", why);
    else
        pio_log_message(
            s->call.log, PIO_WARNING,
            "beginning anew: %s is the record of an earlier version of Piola, which this one cannot continue; it "
            "is left as it is",
            path);
}

/* Returns how many numbers an evaluation has; beside it are the terms of J. */
static pio_evaluation_size size_of(const pio_session *s)
{
    return (pio_evaluation_size){(size_t)s->model->n_variables, (size_t)(s->constraints.n + s->residuals.n),
                                 s->objective.n};
}

/* Continues from the record of an earlier run. One of another scene, data or program is renamed, never overwritten; one
 * of another machine is an error. */
static piola_status continue_from(context *c, const char *path, const char *identity, piola_error *error)
{
    pio_session *s = c->s;
    char aside[PIO_PATH + 40];
    const pio_evaluation_size size = size_of(s);
    const piola_status rc =
        pio_evaluations_continue(&c->evaluations, path, &size, identity, s->call.options->accept_machine, error);
    if (rc == PIOLA_OK) log_condition(c);
    if (rc == PIOLA_NO_INPUT) log_none(s, error->message);
    if (rc == PIOLA_BAD_DATA && error) {
        const piola_error why = *error;
        return pio_fail(error, rc, "%s; it is left as it is; if it is moved away, the run begins anew", why.message);
    }
    if (rc != PIOLA_NO) return rc;
    snprintf(aside, sizeof aside, "%s.previous", path);
    for (int i = 2; access(aside, F_OK) == 0; i++) snprintf(aside, sizeof aside, "%s.previous.%d", path, i);
    if (rename(path, aside))
        return pio_fail(error, PIOLA_CANNOT_CREATE, "cannot rename %s to %s: %s", path, aside, strerror(errno));
    pio_log_message(s->call.log, PIO_WARNING, "beginning anew: %s; it is now %s", error->message, aside);
    return PIOLA_NO_INPUT;
}

static piola_status open_evaluations(context *c, piola_error *error)
{
    pio_session *s = c->s;
    char path[PIO_PATH];
    char *identity = pio_identity_of_run(s, true, "");
    if (!identity) return pio_fail_memory(error, 1 << 16, "the run's identity");
    pio_session_path(s, RECORD, path, sizeof path);
    piola_status rc = s->call.options->resume ? continue_from(c, path, identity, error) : PIOLA_NO_INPUT;
    const pio_evaluation_size size = size_of(s);
    if (rc == PIOLA_NO_INPUT) rc = pio_evaluations_create(&c->evaluations, path, &size, identity, error);
    free(identity);
    return rc;
}

static piola_status finish_history(context *c, piola_error *error)
{
    char *certificate = pio_certificate_text(c->s, NULL, 0);
    if (!certificate) return pio_fail_memory(error, 4096, "the certificate");
    pio_history *history = c->history;
    c->history = NULL;
    const piola_status rc = pio_history_finish(history, certificate, error);
    free(certificate);
    return rc;
}

/* Logs what an evaluation of residuals costs. */
static void log_squares(const pio_session *s)
{
    char runs[80] = "";
    if (s->residuals.by_columns)
        snprintf(runs, sizeof runs, ", and %lld runs or more for differences", 2 * (long long)s->model->n_variables);
    pio_log_message(s->call.log, PIO_INFO,
                    "levenberg_marquardt: %d residuals of observations and %d of priors; each evaluation takes %lld "
                    "adjoint sweeps%s",
                    s->residuals.observed, s->residuals.n - s->residuals.observed, (long long)s->memory.schedule.sweeps,
                    runs);
}

static piola_status run_optimizer(context *c, piola_error *error)
{
    pio_session *s = c->s;
    const scene_optimizer *o = &s->scene->optimizer;
    pio_optimizer_result result = {0};
    pio_optimizer_problem problem = {.n = (size_t)s->model->n_variables,
                                     .n_constraints = (size_t)s->constraints.n,
                                     .n_residuals = (size_t)s->residuals.n,
                                     .z0 = s->model->z0,
                                     .lower = s->model->lower,
                                     .upper = s->model->upper,
                                     .unit = s->model->unit,
                                     .context = c,
                                     .evaluate = evaluate,
                                     .iteration = on_iteration,
                                     .on_evaluation = on_evaluation,
                                     .begin_stage = begin_stage};
    int stage_evaluations;
    problem.stages = pio_session_stages(s, &stage_evaluations);
    const bool f32 = !strcmp(s->engine.table->precision, "f32");
    problem.replay = pio_evaluations_list(c->evaluations, &problem.n_replay);
    const pio_optimizer_definition definition = {.type = o->type,
                                                 .max_iterations = o->max_iterations,
                                                 .learning_rate = o->learning_rate,
                                                 .stop_objective = o->stop_objective,
                                                 .stop_relative_objective = o->stop_relative_objective,
                                                 .stop_gradient = o->stop_gradient,
                                                 .stage_evaluations = stage_evaluations,
                                                 .feasibility = o->feasibility,
                                                 .rounding = f32 ? rounding_f32 : rounding_f64};
    if (s->residuals.n) log_squares(s);
    if (problem.n_replay)
        pio_log_message(s->call.log, PIO_INFO, "resuming: %zu evaluations are on record", problem.n_replay);
    s->call.shows_steps = true;
    pio_log_progress_recurs(s->call.log);
    const piola_status verdict = pio_optimize(&problem, &definition, &result, error);
    piola_status rc = verdict == PIOLA_OK || verdict == PIOLA_NO ? PIOLA_OK : verdict;
    if (!rc) rc = pio_write_best(s, result.z, error);
    if (!rc && s->residuals.n) rc = pio_residual_file_write(s, error);
    if (!rc) rc = finish_history(c, error); /* its certificate describes the last gradient */
    if (!rc) rc = report(s, &result, verdict, error);
    pio_optimizer_result_free(&result);
    return rc;
}

piola_status pio_command_optimize(const piola_options *options, piola_error *error)
{
    context c = {0};
    piola_status rc = pio_command_begin(options, error);
    if (rc) return rc;
    rc = pio_command_open(&c.s, options, "optimize", PIO_ALL_GRADIENTS, NULL, error);
    pio_session *s = c.s;
    if (!rc) rc = pio_command_needs(s, error);
    if (!rc && !options->dry_run) {
        char picture[PIO_PATH];
        rc = pio_session_make_directory(s, error);
        pio_session_path(s, "picture.png", picture, sizeof picture);
        if (!rc) rc = pio_image_replaces(picture, error); /* an error is found before the run, not after it */
        if (!rc && s->residuals.n) rc = pio_residual_file_replaces(s->folder.path, error);
        if (!rc) rc = open_evaluations(&c, error);
        if (!rc) rc = pio_history_create(&c.history, s, error);
        if (!rc) rc = run_optimizer(&c, error);
        pio_history_abandon(c.history);
        pio_evaluations_close(c.evaluations);
        rc = pio_command_stalled(options, rc, c.computed, error);
        if (rc && rc != PIOLA_NO) pio_command_failed(s, rc, error);
    }
    rc = pio_session_end(s, rc, error);
    pio_signals_restore();
    return rc;
}
