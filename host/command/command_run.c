/* command_run.c -- piola run and piola grad. */
#include "host/run/balance.h"
#include "host/results/certificate.h"
#include "host/command/command.h"
#include "host/base/fail.h"
#include "host/results/run_checkpoint.h"
#include "host/base/signals.h"
#include "host/snapshot/snapshot_private.h"
#include "host/results/states.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Handlers and deadline for one command. */
piola_status pio_command_begin(const piola_options *options, piola_error *error)
{
    if (options->directory) pio_forget_result(options, options->directory);
    pio_h5_restore(pio_h5_silence()); /* before anything else of HDF5 is called */
    const piola_status rc = pio_signals_install(error);
    if (!rc) pio_signals_deadline(options->max_walltime);
    return rc;
}

piola_status pio_command_refused(const piola_options *options, const char *name, piola_status rc,
                                 const piola_error *error)
{
    pio_json json;
    if (!options->json || options->dry_run) return rc;
    pio_json_to_file(&json, stdout, 2);
    pio_json_begin_object(&json, NULL);
    pio_json_string(&json, "command", name);
    pio_json_string(&json, "scene", options->scene);
    pio_json_integer(&json, "exit", rc);
    pio_json_string(&json, "message", error->message);
    pio_failure_json(&error->failure, &json);
    pio_json_end_object(&json);
    pio_json_finish(&json, NULL);
    return rc;
}

/* A result.json that tells of a failure, so that scripts need not read the log. What went wrong first is what is returned. */
piola_status pio_command_failed(pio_session *s, piola_status rc, const piola_error *error)
{
    static const char record[] = "evaluations.record";
    const char *files[10] = {NULL};
    char path[PIO_PATH];
    struct stat there;
    size_t n;
    pio_json json;
    char **partials = pio_folder_partials(s->directory, &n);
    for (size_t i = 0; i < n; i++) files[i] = partials[i];
    pio_session_path(s, record, path, sizeof path);
    if (!strcmp(s->command, "optimize") && !lstat(path, &there) && S_ISREG(there.st_mode)) files[n++] = record;
    for (size_t i = 0; i < n; i++) {
        pio_session_path(s, files[i], path, sizeof path);
        pio_log_say(s->log, PIO_INFO, "what was finished is in %s", path);
    }
    pio_result_begin(s, &json, rc, error->message, &error->failure);
    pio_result_end(s, &json, files, NULL);
    free(partials);
    return rc;
}

/* What taking steps back had to remember. */
static void tell_tape(const pio_session *s)
{
    const double numbers = (double)pio_model_items(s->model, true) * s->scene->dimension * (double)s->model->steps;
    if (s->plan.strategy != SCENE_REVERSE || !s->plan.tape) return;
    pio_log_say(s->log, PIO_INFO, "tape: %lld bytes of %zu, %.3f bits per degree of freedom and step",
                (long long)s->sweep.taped, s->plan.tape, 8 * (double)s->sweep.taped / numbers);
}

static piola_status finish_run(pio_session *s, const double *z, bool gradient, const char *certificate,
                               piola_error *error)
{
    static const char *const files[] = {"states.vtkhdf", NULL};
    pio_json json;
    char path[PIO_PATH];
    pio_result_begin(s, &json, PIOLA_OK, "done", NULL);
    pio_result_evaluation(s, &json, z, gradient, NULL);
    if (certificate) pio_certificate_json(s, NULL, 0, &json, "certificate");
    const piola_status rc = pio_result_end(s, &json, files, error);
    if (rc) return rc;
    pio_balance_tell(s);
    if (gradient) tell_tape(s);
    if (s->objective.n) pio_log_say(s->log, PIO_INFO, "J = %.12g", s->J);
    for (int v = 0; gradient && v < s->model->n_variables && s->model->n_variables <= 12; v++) {
        char name[256];
        pio_model_variable_name(s->model, v, name, sizeof name);
        pio_log_say(s->log, PIO_INFO, "dJ/d %s = %.12g", name, s->value_bar[v]);
    }
    pio_session_path(s, "states.vtkhdf", path, sizeof path);
    pio_log_say(s->log, PIO_INFO, "states: %s", path);
    pio_session_path(s, "result.json", path, sizeof path);
    pio_log_say(s->log, PIO_INFO, "result: %s", path);
    return PIOLA_OK;
}

static piola_status simulate(pio_session *s, bool gradient, piola_error *error)
{
    pio_states *file = NULL;
    pio_run_checkpoint *checkpoint = NULL;
    pio_sweep sweep = {0};
    const double *z = s->model->z0;
    char *certificate = NULL;
    piola_status rc = pio_run_checkpoint_open(&checkpoint, s, gradient, error);
    if (!rc) rc = pio_states_create(&file, s, gradient, error);
    if (rc) {
        pio_run_checkpoint_close(checkpoint);
        return rc;
    }
    pio_states_sweep(file, &sweep);
    s->steps_shown = true;
    rc = pio_run_checkpoint_begin(checkpoint, file, &sweep, error);
    if (!rc) rc = gradient ? pio_session_gradient(s, z, &sweep, error) : pio_session_forward(s, z, &sweep, error);
    rc = pio_run_checkpoint_ended(checkpoint, rc, error);
    if (!rc && gradient) {
        certificate = pio_certificate_text(s, NULL, 0);
        rc = certificate ? pio_states_gradient(file, certificate, error)
                         : pio_fail_memory(error, 4096, "the certificate");
    }
    if (!rc && !gradient) rc = pio_states_objective(file, error);
    if (rc)
        pio_states_abandon(file);
    else
        rc = pio_states_finish(file, error);
    if (!rc) pio_run_checkpoint_done(checkpoint);
    pio_run_checkpoint_close(checkpoint);
    if (!rc) rc = finish_run(s, z, gradient, certificate, error);
    free(certificate);
    return rc;
}

static piola_status command(const piola_options *options, const char *name, bool gradient, piola_error *error)
{
    pio_session *s = NULL;
    piola_error own = {0};
    if (!error) error = &own;
    piola_status rc = pio_command_begin(options, error);
    if (rc) return rc;
    rc = pio_session_open(&s, options, name, gradient ? PIO_GRADIENT : PIO_NO_GRADIENT, NULL, error);
    if (!rc && gradient && s->objective.n == 0)
        rc = pio_scene_fault(s->scene, error, "objective",
                             "a gradient needs an objective; add one that refers to `observe`");
    if (!rc && !options->dry_run) rc = pio_session_make_directory(s, error);
    if (!rc && !options->dry_run) {
        rc = simulate(s, gradient, error);
        if (rc) pio_command_failed(s, rc, error);
    }
    rc = pio_session_end(s, rc, error);
    pio_signals_restore();
    return rc;
}

piola_status piola_run(const piola_options *options, piola_error *error)
{
    return command(options, "run", false, error);
}
piola_status piola_grad(const piola_options *options, piola_error *error)
{
    return command(options, "grad", true, error);
}
