/* command_study.c -- piola grad, check and optimize for a study. */
#include "host/command/command_study.h"

#include "host/base/fail.h"
#include "host/base/folder.h"
#include "host/base/json.h"
#include "host/base/new_file.h"
#include "host/base/signals.h"
#include "host/base/threads.h"
#include "host/command/best.h"
#include "host/command/command.h"
#include "host/command/command_study_check.h"
#include "host/command/command_study_record.h"
#include "host/optimize/optimizer.h"
#include "host/results/result.h"
#include "host/run/output_folder.h"
#include "host/study/problem.h"
#include "host/study/ranks.h"
#include "host/study/study_fit.h"

#include <errno.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double rounding_f64 = 1e-12, rounding_f32 = 1e-6; /* relative rounding of J, as of command_optimize.c */

typedef struct {
    pio_study_call call; /* first: the team's context is this struct, too */
    const char *name;    /* of the command */
    pio_log *log;
    pio_folder *lock;
    char folder[PIO_PATH];
    int jobs, rank; /* rank: of mpirun */
    pio_study_problem problem;
    pio_study_record record; /* of piola optimize */
    pio_study_taylor taylor; /* of piola check */
} study;

static void path_of(const study *s, const char *name, char out[PIO_PATH])
{
    pio_path_join(out, PIO_PATH, s->folder, name);
}

static void on_progress(void *context, size_t done)
{
    const study *s = context;
    char stage[40];
    if (s->record.next)
        snprintf(stage, sizeof stage, "evaluation %zu", s->record.next - 1);
    else
        snprintf(stage, sizeof stage, "experiments");
    pio_log_progress(s->log, stage, (int64_t)done, (int64_t)s->call.study->n, "experiments");
}

/* ---- evaluations ----------------------------------------------------------------------------------------- */

static piola_status evaluate(void *p, const double *z, double *J, double *gradient, double *c, double *c_gradient,
                             piola_error *error)
{
    study *s = p;
    pio_study_record_next(&s->record);
    const pio_study_sums to = {J, gradient, c, c_gradient};
    return pio_study_evaluate(&s->problem, z, false, &to, error);
}

static piola_status on_evaluation(void *p, size_t number, const pio_evaluation *at, piola_error *error)
{
    study *s = p;
    if (isnan(at->J))
        pio_log_message(s->log, PIO_WARNING, "evaluation %zu failed, its trial point is rejected: %s", number,
                        error->message);
    return pio_study_record_evaluation(&s->record, number, at, error);
}

static piola_status on_iteration(void *p, const pio_iteration *at, piola_error *error)
{
    study *s = p;
    char missed[60] = "";
    if (at->violation > 0) snprintf(missed, sizeof missed, ", violation %.3g", at->violation);
    pio_log_message(s->log, PIO_INFO, "iteration %4d: J = %.9g, projected gradient %.3g%s, %zu evaluations%s",
                    at->number, at->at.J, at->projected_gradient, missed, at->evaluations,
                    at->replayed ? " (replayed)" : "");
    const piola_status rc = pio_study_record_iteration(&s->record, at, error);
    if (rc || !pio_interrupted()) return rc;
    return pio_fail(error, PIOLA_INTERRUPTED, "interrupted by %s after iteration %d", pio_interruption(), at->number);
}

static void begin_stage(void *p, int stage)
{
    study *s = p;
    piola_error unused;
    (void)pio_study_stage(&s->problem, stage, &unused); /* a process that has ended fails in the evaluation, too */
    pio_log_message(s->log, PIO_INFO, "stage %d: projections are sharper", stage + 1);
}

/* ---- results --------------------------------------------------------------------------------------------- */

static void write_experiments(const study *s, pio_json *json)
{
    pio_json_begin_array(json, "experiments");
    for (size_t e = 0; e < s->call.study->n; e++) {
        const study_experiment *of = &s->call.study->experiments[e];
        const pio_study_part *part = &s->problem.parts[e];
        char folder[100];
        snprintf(folder, sizeof folder, "experiments/%.64s", of->name);
        pio_json_begin_object(json, NULL);
        pio_json_string(json, "name", of->name);
        pio_json_string(json, "scene", of->scene);
        pio_json_double(json, "weight", of->weight);
        pio_json_double(json, "objective", part->J);
        pio_json_double(json, "gradient_weight", of->weight * part->factor);
        if (isfinite(of->threshold)) pio_json_double(json, "threshold", of->threshold);
        pio_json_begin_object(json, "constraints");
        for (size_t i = 0; i < part->m; i++) pio_json_double(json, part->constraints[i], part->c[i]);
        pio_json_end_object(json);
        pio_json_string(json, "folder", folder);
        pio_json_end_object(json);
    }
    pio_json_end_array(json);
}

/* Writes the values of a parameter and the sum of the experiments' derivatives, in their order. */
static void write_parameter(const study *s, const pio_study_parameter *of, pio_json *json)
{
    const pio_study_part *first = &s->problem.parts[of->of];
    double *sum = calloc(of->n + 1, sizeof *sum);
    for (size_t e = 0; e < s->call.study->n && sum; e++) {
        const pio_study_part *part = &s->problem.parts[e];
        for (size_t v = 0; v < part->n; v++)
            if (part->map[v] >= of->first && part->map[v] < of->first + of->n)
                sum[part->map[v] - of->first] += part->factor * part->value_bar[v];
    }
    pio_json_begin_object(json, of->path);
    pio_json_string(json, "design", of->design);
    pio_json_string(json, "unit", of->unit);
    if (of->n == 1) {
        pio_json_double(json, "value", first->values[of->of_first]);
        pio_json_double(json, "initial", of->initial[0]);
        if (sum) pio_json_double(json, "gradient", sum[0]);
    } else {
        pio_json_doubles(json, "value", first->values + of->of_first, of->n);
        pio_json_doubles(json, "initial", of->initial, of->n);
        if (sum) pio_json_doubles(json, "gradient", sum, of->n);
    }
    pio_json_end_object(json);
    free(sum);
}

static void begin_result(const study *s, pio_json *json, piola_status exit, const char *message)
{
    pio_json_to_memory(json, 2);
    pio_json_begin_object(json, NULL);
    pio_json_string(json, "command", s->name);
    pio_json_string(json, "program", "piola " PIOLA_VERSION);
    pio_json_string(json, "study", s->call.options->scene);
    pio_json_integer(json, "exit", exit);
    pio_json_string(json, "message", message);
}

static piola_status end_result(const study *s, pio_json *json, piola_error *error)
{
    char path[PIO_PATH];
    pio_json_end_object(json);
    path_of(s, "result.json", path);
    piola_status rc = pio_json_finish(json, error);
    if (!rc) rc = pio_write_file_atomically(path, json->text, json->size, error);
    if (!rc && s->call.options->json &&
        (fwrite(json->text, 1, json->size, stdout) != json->size || putchar('\n') == EOF || fflush(stdout)))
        rc = pio_fail(error, PIOLA_IO, "cannot write the result to standard output: %s",
                      errno ? strerror(errno) : "output was lost");
    pio_json_free(json);
    return rc;
}

/* Returns the bound at which variable v is, to a relative 1e-9 of their distance, as words; "" between them. */
static const char *at_bound(const pio_study_problem *p, const double *z, size_t v)
{
    const double range = p->upper[v] - p->lower[v], fraction = 1e-9;
    const bool low = z[v] <= p->lower[v] + fraction * (isfinite(range) ? range : fabs(p->lower[v])),
               high = z[v] >= p->upper[v] - fraction * (isfinite(range) ? range : fabs(p->upper[v]));
    return low && high ? ", constant" : low ? ", at its lower bound" : high ? ", at its upper bound" : "";
}

/* Logs the values of a parameter, or of one with many the least and the greatest. */
static void log_values(const study *s, const pio_study_parameter *of, const double *z)
{
    enum { MOST_SHOWN = 12 };
    const double *value = s->problem.parts[of->of].values + of->of_first;
    const char *space = of->unit[0] ? " " : "";
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (size_t i = 0; i < of->n; i++) {
        char number[40] = "";
        least = fmin(least, value[i]);
        most = fmax(most, value[i]);
        if (of->n > 1) snprintf(number, sizeof number, "[%zu]", i);
        if (of->n <= MOST_SHOWN)
            pio_log_message(s->log, PIO_INFO, "%s%s = %.9g%s%s%s", of->path, number, value[i], space, of->unit,
                            at_bound(&s->problem, z, of->first + i));
    }
    if (of->n > MOST_SHOWN)
        pio_log_message(s->log, PIO_INFO, "%s = %.9g to %.9g%s%s: %zu values", of->path, least, most, space, of->unit,
                        of->n);
}

/* Writes the result of the best design, where the experiments have written their files. */
static piola_status report(const study *s, double J, const pio_optimizer_result *r, piola_status verdict,
                           piola_error *error)
{
    pio_json json;
    pio_fit fit = {0};
    piola_status rc = r && s->problem.rows ? pio_study_fit(&fit, &s->problem, r->z, error) : PIOLA_OK;
    if (rc) {
        pio_fit_free(&fit);
        return rc;
    }
    begin_result(s, &json, verdict, r ? r->sentence : verdict ? error->message : "done");
    pio_json_null(&json, "failure");
    pio_json_double(&json, "objective", J);
    pio_study_combine_json(&s->problem, &json);
    write_experiments(s, &json);
    pio_json_begin_object(&json, "parameters");
    for (size_t k = 0; k < s->problem.n_parameters; k++) write_parameter(s, &s->problem.parameters[k], &json);
    pio_json_end_object(&json);
    if (r) pio_result_optimizer(&json, s->call.study->own.optimizer.type, r, 0);
    if (r && s->problem.rows) pio_fit_json(&fit, &json);
    if (s->taylor.n) pio_study_taylor_json(&s->taylor, &json);
    rc = end_result(s, &json, error);
    if (!rc && r && s->problem.rows) pio_fit_log(&fit, s->log);
    pio_fit_free(&fit);
    if (rc) return rc;
    for (size_t k = 0; r && k < s->problem.n_parameters; k++)
        if (!s->problem.parameters[k].tied) log_values(s, &s->problem.parameters[k], r->z);
    for (size_t e = 0; e < s->call.study->n; e++)
        pio_log_message(s->log, PIO_INFO, "%s: J = %.9g, weight %g, %.4g in the gradient",
                        s->call.study->experiments[e].name, s->problem.parts[e].J, s->call.study->experiments[e].weight,
                        s->call.study->experiments[e].weight * s->problem.parts[e].factor);
    pio_log_message(s->log, verdict ? PIO_WARNING : PIO_INFO, "%s; results are in %s",
                    r         ? r->sentence
                    : verdict ? error->message
                              : "done",
                    s->folder);
    if (!r) return verdict;
    return verdict ? pio_fail(error, verdict, "the optimiser did not converge: %s", r->sentence) : PIOLA_OK;
}

/* Reports a failure in result.json. */
static void report_failure(const study *s, piola_status rc, const piola_error *failure)
{
    pio_json json;
    piola_error unused;
    begin_result(s, &json, rc, failure->message);
    pio_failure_json(&failure->failure, &json);
    (void)end_result(s, &json, &unused);
}

/* ---- the optimisation ------------------------------------------------------------------------------------ */

static pio_optimizer_definition definition_of(const study *s, int *stages)
{
    const scene_optimizer *o = &s->call.study->own.optimizer;
    pio_optimizer_definition d = {.type = o->type,
                                  .max_iterations = o->max_iterations,
                                  .learning_rate = o->learning_rate,
                                  .stop_objective = o->stop_objective,
                                  .stop_relative_objective = o->stop_relative_objective,
                                  .stop_gradient = o->stop_gradient,
                                  .feasibility = o->feasibility,
                                  .rounding = rounding_f64};
    *stages = 1;
    for (size_t e = 0; e < s->call.study->n; e++) {
        const pio_study_part *part = &s->problem.parts[e];
        if (part->f32) d.rounding = rounding_f32;
        if (part->stages > *stages) *stages = part->stages;
        if (part->stage_evaluations > d.stage_evaluations) d.stage_evaluations = part->stage_evaluations;
    }
    return d;
}

static piola_status optimize(study *s, piola_error *error)
{
    pio_study_problem *p = &s->problem;
    pio_optimizer_result result = {0};
    pio_optimizer_problem problem = {.n = p->n,
                                     .n_constraints = p->m,
                                     .n_residuals = p->rows,
                                     .z0 = p->z0,
                                     .lower = p->lower,
                                     .upper = p->upper,
                                     .unit = p->unit,
                                     .context = s,
                                     .evaluate = evaluate,
                                     .iteration = on_iteration,
                                     .on_evaluation = on_evaluation,
                                     .begin_stage = begin_stage};
    double J = 0;
    s->record.problem = p;
    piola_status rc = pio_study_record_open(&s->record, s->log, s->folder, error);
    if (rc) return rc;
    const pio_optimizer_definition definition = definition_of(s, &problem.stages);
    problem.replay = pio_evaluations_list(s->record.evaluations, &problem.n_replay);
    if (problem.n_replay)
        pio_log_message(s->log, PIO_INFO, "resuming: %zu evaluations are on record", problem.n_replay);
    pio_log_progress_recurs(s->log);
    const piola_status verdict = pio_optimize(&problem, &definition, &result, error);
    rc = verdict == PIOLA_OK || verdict == PIOLA_NO ? PIOLA_OK : verdict;
    if (!rc) rc = pio_study_evaluate(p, result.z, true, &(pio_study_sums){.J = &J}, error);
    pio_log_progress_end(s->log);
    if (!rc) rc = report(s, J, &result, verdict, error);
    if (rc == PIOLA_INTERRUPTED) {
        const piola_error why = *error;
        pio_fail(error, rc,
                 "%.1500s; the evaluations until then are in %.400s; run again with --resume auto to continue",
                 why.message, pio_study_record_name);
    }
    pio_optimizer_result_free(&result);
    return rc;
}

static piola_status gradient(study *s, piola_error *error)
{
    double J = 0;
    const piola_status rc = pio_study_evaluate(&s->problem, s->problem.z0, true, &(pio_study_sums){.J = &J}, error);
    pio_log_progress_end(s->log);
    return rc ? rc : report(s, J, NULL, PIOLA_OK, error);
}

static piola_status check(study *s, piola_error *error)
{
    s->taylor = (pio_study_taylor){.problem = &s->problem, .log = s->log};
    const piola_status rc = pio_study_taylor_run(&s->taylor, error);
    pio_log_progress_end(s->log);
    if (rc) return rc;
    return report(s, s->taylor.J, NULL, pio_study_taylor_verdict(&s->taylor, error), error);
}

/* Does what the command is called after. */
static piola_status execute(study *s, piola_error *error)
{
    if (!strcmp(s->name, "check")) return check(s, error);
    return strcmp(s->name, "grad") ? optimize(s, error) : gradient(s, error);
}

/* ---- the command ----------------------------------------------------------------------------------------- */

static piola_status check_study(const study *s, const pio_study *of, piola_error *error)
{
    if (s->call.options->dry_run && s->call.options->json)
        return pio_fail(error, PIOLA_USAGE, "--dry-run prints a plan for people; it has no --json");
    if (!pio_study_entries(of))
        return pio_study_fault(of, error, "design", "a study needs a `design:` that its experiments share");
    if (!strcmp(s->name, "optimize") && !of->own.optimizer.is_set)
        return pio_study_fault(of, error, "optimizer",
                               "piola optimize needs an `optimizer:`, for instance {type: lbfgs}");
    return PIOLA_OK;
}

/* Divides threads and memory, and locks the folder. */
static piola_status prepare(study *s, const pio_study *of, piola_error *error)
{
    const piola_options *o = s->call.options;
    const char *folder = o->directory ? o->directory : of->own.output.directory;
    const int all = o->threads > 0 ? o->threads : omp_get_max_threads();
    const double budget = o->memory > 0 ? o->memory : of->own.gradient.memory_budget;
    s->jobs = o->jobs > 0 ? o->jobs : 1;
    if (s->call.ranks) s->jobs = pio_ranks_started();
    if ((size_t)s->jobs > of->n) s->jobs = (int)of->n;
    s->call.threads = s->jobs == 1 || s->call.ranks ? o->threads : all / s->jobs > 0 ? all / s->jobs : 1;
    s->call.memory = budget / (double)of->n;
    piola_status rc = pio_threads_check(o->threads, error);
    if (!rc) rc = pio_path_folder(folder, error);
    if (rc) return rc;
    snprintf(s->folder, sizeof s->folder, "%s", folder);
    s->call.folder = s->folder;
    s->call.slots = pio_study_slots(of);
    if (!s->call.slots) return pio_fail_memory(error, of->n, "the experiments of a study");
    if (o->dry_run || s->rank) return PIOLA_OK;
    pio_forget_result(o, s->folder);
    rc = pio_folder_make(s->folder, error);
    return rc ? rc : pio_folder_lock(&s->lock, s->folder, "piola, a study", error);
}

/* Joins the ranks, if mpirun has started the command. */
static piola_status join(study *s, piola_error *error)
{
    if (!pio_ranks_started()) return PIOLA_OK;
    if (s->call.options->jobs > 0)
        return pio_fail(error, PIOLA_USAGE, "--jobs starts processes, and so does mpirun: one of them would be right");
    return pio_ranks_begin(&s->call.ranks, &s->rank, error);
}

/* What a rank other than 0 does, in place of everything else: it prints nothing. */
static piola_status serve(study *s, const pio_scene_leave *leave, piola_error *error)
{
    const piola_options *o = s->call.options;
    pio_study *of = NULL;
    FILE *nowhere = fopen("/dev/null", "we");
    piola_status rc = nowhere ? pio_study_load(&of, o->scene, leave, o->sets, o->n_sets, nowhere, error) : PIOLA_IO;
    s->call.study = of;
    if (!rc) rc = prepare(s, of, error);
    const pio_team_work work = {
        .n = of ? of->n : 0, .context = &s->call, .work = pio_study_work, .ranks = s->call.ranks};
    rc = pio_ranks_serve(s->call.ranks, rc ? NULL : &work, rc);
    error->message[0] = '\0';
    if (nowhere) fclose(nowhere);
    pio_ranks_end(s->call.ranks, rc);
    pio_study_end(&s->call);
    pio_study_free(of);
    pio_signals_restore();
    return rc;
}

/* Logs what the experiments take, of which each has logged its plan. */
static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

static void log_plan(const study *s)
{
    double bytes = 0;
    char maximum[200];
    for (size_t e = 0; e < s->call.study->n; e++) bytes += (double)s->problem.parts[e].bytes;
    pio_log_message(
        s->log, PIO_INFO,
        "plan: %zu experiment%s in %d process%s, %zu design variable%s, %zu constraint%s, %zu residual%s, %.0f bytes "
        "of memory in all",
        s->call.study->n, plural(s->call.study->n), s->jobs, s->jobs > 1 ? "es" : "", s->problem.n,
        plural(s->problem.n), s->problem.m, plural(s->problem.m), s->problem.rows, plural(s->problem.rows), bytes);
    if (pio_study_combine_text(&s->problem, maximum, sizeof maximum))
        pio_log_message(s->log, PIO_INFO, "plan: %s", maximum);
}

piola_status pio_command_study(const piola_options *options, const char *name, piola_error *error)
{
    study s = {.call = {.options = options, .command = name, .write_best = pio_write_best}, .name = name};
    const pio_scene_leave leave = {.allowed = {options->allow, options->n_allow}, .writes = !options->directory};
    const pio_log_options log = {.level = pio_log_level_from(options->quiet, options->verbose),
                                 .json_path = options->log_json};
    pio_study *of = NULL;
    piola_error lost;
    piola_status rc = pio_command_begin(options, error);
    if (!rc) rc = join(&s, error);
    if (!rc && s.rank) return serve(&s, &leave, error);
    if (rc) {
        pio_ranks_end(s.call.ranks, rc);
        pio_signals_restore();
        return rc;
    }
    rc = pio_study_load(&of, options->scene, &leave, options->sets, options->n_sets, stderr, error);
    if (rc) error->message[0] = '\0'; /* all messages were printed */
    s.call.study = of;
    if (!rc) rc = check_study(&s, of, error);
    if (!rc) rc = pio_log_create(&s.log, &log, error);
    if (!rc) rc = prepare(&s, of, error);
    if (!rc) rc = pio_study_problem_open(&s.problem, &s.call, options->dry_run ? 1 : s.jobs, on_progress, error);
    pio_log_progress_end(s.log);
    if (!rc) log_plan(&s);
    if (!rc && !options->dry_run) rc = execute(&s, error);
    rc = pio_command_stalled(options, rc, s.record.advanced, error);
    if (rc && rc != PIOLA_NO && s.lock) report_failure(&s, rc, error);
    pio_study_record_close(&s.record);
    if (s.problem.call) pio_study_problem_close(&s.problem);
    free(s.taylor.rows);
    const piola_status closed = pio_log_close(&s.log, &lost);
    pio_ranks_end(s.call.ranks, rc ? rc : closed);
    if (closed && !rc) *error = lost;
    pio_folder_unlock(s.lock);
    pio_study_end(&s.call);
    pio_study_free(of);
    pio_signals_restore();
    return rc ? rc : closed;
}

piola_status pio_command_no_study(const piola_options *options, const char *name, piola_error *error)
{
    const bool optimize = !strcmp(name, "optimize");
    if (options->scene && pio_study_is(options->scene))
        return pio_fail(
            error, PIOLA_USAGE,
            "%s is a study; piola %s takes a scene, such as that of one of its experiments. Studies are for "
            "piola validate, grad, check and optimize",
            options->scene, name);
    if (pio_ranks_started() > 1)
        return pio_fail(error, PIOLA_USAGE, "mpirun is for studies, files with `experiments:`; %s is a scene",
                        options->scene ? options->scene : "this");
    if (options->jobs > 0)
        return pio_fail(error, PIOLA_USAGE, "--jobs is for studies, files with `experiments:`%s; %s is a scene%s",
                        optimize ? ", and for several starts" : "", options->scene ? options->scene : "this",
                        optimize ? " without optimizer.multi_start above 1" : "");
    return PIOLA_OK;
}
