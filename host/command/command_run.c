/* command_run.c -- piola run and piola grad. */
#include "host/run/equilibrium.h"
#include "host/results/certificate.h"
#include "host/command/command.h"
#include "host/command/command_study.h"
#include "host/scene/study.h"
#include "host/base/fail.h"
#include "host/results/run_checkpoint.h"
#include "host/base/signals.h"
#include "host/results/modes.h"
#include "host/results/result.h"
#include "host/results/states.h"
#include "host/run/output_folder.h"

#include <stdlib.h>

/* Logs the size of the residual log of the inverse steps. */
static void report_residual_log(const pio_session *s)
{
    const double numbers =
        (double)pio_model_items(s->model, true) * s->scene->method.dimension * (double)s->model->steps;
    if (s->memory.plan.strategy != SCENE_REVERSE || !s->memory.plan.residual_log) return;
    pio_log_message(s->call.log, PIO_INFO, "residual log: %lld bytes of %zu, %.3f bits per degree of freedom and step",
                    (long long)s->evaluation.sweep.residual_log_bytes, s->memory.plan.residual_log,
                    8 * (double)s->evaluation.sweep.residual_log_bytes / numbers);
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
    pio_equilibrium_report(s);
    pio_modes_log(s);
    if (gradient) report_residual_log(s);
    if (s->objective.n) pio_log_message(s->call.log, PIO_INFO, "J = %.12g", s->evaluation.J);
    for (int v = 0; gradient && v < s->model->n_variables && s->model->n_variables <= 12; v++) {
        char name[256];
        pio_model_variable_name(s->model, v, name, sizeof name);
        pio_log_message(s->call.log, PIO_INFO, "dJ/d %s = %.12g", name, s->adjoint.value_bar[v]);
    }
    pio_session_path(s, "states.vtkhdf", path, sizeof path);
    pio_log_message(s->call.log, PIO_INFO, "states: %s", path);
    pio_session_path(s, "result.json", path, sizeof path);
    pio_log_message(s->call.log, PIO_INFO, "result: %s", path);
    return PIOLA_OK;
}

/* Runs the simulation; *advanced: a checkpoint leads farther than the one that was found. */
static piola_status simulate(pio_session *s, bool gradient, bool *advanced, piola_error *error)
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
    s->call.shows_steps = true;
    rc = pio_run_checkpoint_begin(checkpoint, file, &sweep, error);
    if (!rc) rc = gradient ? pio_session_gradient(s, z, &sweep, error) : pio_session_forward(s, z, &sweep, error);
    rc = pio_run_checkpoint_ended(checkpoint, rc, error);
    *advanced = pio_run_checkpoint_advanced(checkpoint);
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
    if (gradient && options->scene && pio_study_is(options->scene)) return pio_command_study(options, name, error);
    piola_status rc = pio_command_no_study(options, name, error);
    if (!rc) rc = pio_command_begin(options, error);
    if (rc) return rc;
    rc = pio_command_open(&s, options, name, gradient ? PIO_GRADIENT : PIO_NO_GRADIENT, NULL, error);
    if (!rc) rc = pio_command_needs(s, error);
    if (!rc) pio_states_log_size(s, gradient);
    if (!rc && !options->dry_run) rc = pio_session_make_directory(s, error);
    if (!rc && !options->dry_run) {
        bool advanced = false;
        rc = simulate(s, gradient, &advanced, error);
        rc = pio_command_stalled(options, rc, advanced, error);
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
