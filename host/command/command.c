/* command.c -- see command.h. */
#include "host/command/command.h"

#include "host/base/fail.h"
#include "host/base/signals.h"
#include "host/results/result.h"
#include "host/run/output_folder.h"
#include "host/snapshot/snapshot_private.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *piola_version(void)
{
    return PIOLA_VERSION;
}

piola_status pio_command_begin(const piola_options *options, piola_error *error)
{
    piola_status rc = pio_command_no_text(options, error);
    if (rc) return rc;
    if (options->directory) pio_forget_result(options, options->directory);
    pio_h5_restore(pio_h5_silence()); /* before any other call of HDF5 */
    rc = pio_signals_install(error);
    if (!rc) pio_signals_deadline(options->max_walltime);
    return rc;
}

piola_status pio_command_no_text(const piola_options *options, piola_error *error)
{
    if (!options->text) return PIOLA_OK;
    return pio_fail(error, PIOLA_USAGE, "options->text is for piola_open alone: commands read the file of the scene");
}

void pio_command_print_failure(const piola_options *options, const char *name, piola_status rc,
                               const piola_error *error)
{
    pio_json json;
    if (!options->json || options->dry_run) return;
    pio_json_to_file(&json, stdout, 2);
    pio_json_begin_object(&json, NULL);
    pio_json_string(&json, "command", name);
    pio_json_string(&json, "scene", options->scene);
    pio_json_integer(&json, "exit", rc);
    pio_json_string(&json, "message", error->message);
    pio_failure_json(&error->failure, &json);
    pio_json_end_object(&json);
    pio_json_finish(&json, NULL);
}

piola_status pio_command_stalled(const piola_options *options, piola_status rc, bool progress, piola_error *error)
{
    if (rc != PIOLA_INTERRUPTED || progress || !options->require_progress) return rc;
    error->status = PIOLA_NO_PROGRESS;
    pio_fail_append(error, "; nothing new is on disk since this command began, so running it again for as long would "
                           "lead no farther: give it more time");
    return PIOLA_NO_PROGRESS;
}

piola_status pio_command_open(pio_session **out, const piola_options *options, const char *name,
                              pio_session_gradients gradients, const char *precision, piola_error *error)
{
    bool printed;
    piola_status rc = pio_session_open(out, options, name, gradients, precision, &printed, error);
    if (!rc) return rc;
    rc = pio_command_stalled(options, rc, false, error);
    pio_command_print_failure(options, name, rc, error);
    if (printed) error->message[0] = '\0'; /* not to be printed twice */
    return rc;
}

piola_status pio_command_needs(const pio_session *s, piola_error *error)
{
    const bool optimize = !strcmp(s->call.command, "optimize"), grad = !strcmp(s->call.command, "grad");
    if (grad && s->objective.n == 0)
        return pio_scene_fault(s->scene, error, "objective",
                               "a gradient needs an objective; add one that refers to `observe`");
    if (!optimize) return PIOLA_OK;
    if (!s->scene->optimizer.is_set)
        return pio_scene_fault(s->scene, error, "optimizer",
                               "piola optimize needs an `optimizer:`, for instance {type: lbfgs}");
    if (s->model->n_variables == 0)
        return pio_scene_fault(s->scene, error, "design", "piola optimize needs a `design:` to improve");
    if (s->objective.n == 0)
        return pio_scene_fault(s->scene, error, "objective", "piola optimize needs an `objective:`");
    return PIOLA_OK;
}

piola_status pio_command_failed(pio_session *s, piola_status rc, const piola_error *error)
{
    static const char record[] = "evaluations.record";
    const char *files[10] = {NULL};
    char path[PIO_PATH];
    struct stat there;
    size_t n;
    pio_json json;
    char **partials = pio_folder_partials(s->folder.path, &n);
    for (size_t i = 0; i < n; i++) files[i] = partials[i];
    pio_session_path(s, record, path, sizeof path);
    if (!strcmp(s->call.command, "optimize") && !lstat(path, &there) && S_ISREG(there.st_mode)) files[n++] = record;
    for (size_t i = 0; i < n; i++) {
        pio_session_path(s, files[i], path, sizeof path);
        pio_log_message(s->call.log, PIO_INFO, "what was finished is in %s", path);
    }
    pio_result_begin(s, &json, rc, error->message, &error->failure);
    pio_result_end(s, &json, files, NULL);
    free(partials);
    return rc;
}
