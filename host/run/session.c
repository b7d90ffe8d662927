/* session.c -- opening and closing a session; see session.h. */
#include "host/run/session.h"

#include "host/run/disk_states.h"
#include "host/run/output_folder.h"
#include "solvers/engine/clock.h"
#include "host/base/fail.h"
#include "host/base/threads.h"
#include "host/scene/scene_leave.h"
#include "host/scene/words.h"

#include <stdlib.h>
#include <string.h>

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
    s->adjoint.sweeps = (s->adjoint.of_constraints ? s->constraints.n : 0) + pio_residuals_sweeps(&s->residuals) + 1;
    /* A program may want the derivatives of any number of functions: the plan is one for several. */
    const int64_t sweeps = s->folder.writes || s->adjoint.sweeps > 1 ? s->adjoint.sweeps : 2;
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

/* Returns PIOLA_USAGE for a number that the options of the command could not be either, or for options that exclude
 * each other. */
static piola_status check_numbers(const piola_options *options, piola_error *error)
{
    const piola_status rc = pio_threads_check(options->threads, error);
    if (rc) return rc;
    if (!(options->memory >= 0))
        return pio_fail(error, PIOLA_USAGE,
                        "a memory of %g bytes: it must be above 0, or 0 for the scene's budget or what there is",
                        options->memory);
    if (!(options->max_walltime >= 0))
        return pio_fail(error, PIOLA_USAGE, "max_walltime is %g s: it must be above 0, or 0 for none",
                        options->max_walltime);
    if (options->dry_run && options->json)
        return pio_fail(error, PIOLA_USAGE, "--dry-run prints a plan for people; it has no --json");
    return PIOLA_OK;
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
    piola_status rc = check_numbers(options, error);
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
