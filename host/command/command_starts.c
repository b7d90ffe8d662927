/* command_starts.c -- piola optimize: a study, or a scene from one start or from several, the best of which is the
 * result. */
#include "host/base/fail.h"
#include "host/command/command_optimize.h"
#include "host/command/command_study.h"
#include "host/command/command_sweep.h"
#include "host/scene/scene_leave.h"
#include "host/scene/scene_private.h"
#include "host/scene/study.h"

/* Returns the scene's optimizer.multi_start; 0 if it cannot be loaded, which the command then says. */
static int starts_of(const piola_options *o)
{
    const pio_scene_leave leave = {.allowed = {o->allow, o->n_allow}, .writes = !o->directory};
    const pio_scene_text text = {.path = o->scene};
    pio_scene *scene = NULL;
    piola_error unused;
    int starts = 0;
    if (!pio_scene_load(&scene, &text, &leave, o->sets, o->n_sets, NULL, &unused))
        starts = scene->optimizer.is_set ? scene->optimizer.multi_start : 1;
    pio_scene_free(scene);
    return starts;
}

piola_status piola_optimize(const piola_options *options, piola_error *error)
{
    piola_error own = {0};
    if (!error) error = &own;
    if (options->scene && pio_study_is(options->scene)) return pio_command_study(options, "optimize", error);
    piola_options scene = *options;
    piola_sweep_options sweep = piola_sweep_options_default();
    const int starts = options->scene ? starts_of(options) : 1;
    if (starts != 1) scene.jobs = 0; /* they may be right */
    const piola_status rc = pio_command_no_study(&scene, "optimize", error);
    if (rc) return rc;
    if (starts <= 1) return pio_command_optimize(options, error);
    sweep.starts = starts;
    sweep.jobs = options->jobs;
    return pio_command_sweep(&scene, &sweep, true, error);
}
