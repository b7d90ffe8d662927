/* problem.c -- a scene in another program: the handle of piola.h, its evaluation and its end; see problem.h. */
#include "host/command/problem.h"

#include "host/base/fail.h"
#include "host/scene/study.h"

#include <stdlib.h>

enum { SILENT = 9 }; /* how many times -q */

#define CHECK_SECONDS 0.05 /* between two looks whether a call is to end */

static piola_status open_session(piola_problem *p, piola_error *error)
{
    bool printed;
    piola_status rc = pio_session_open(&p->session, &p->options, "evaluate", PIO_ALL_GRADIENTS, NULL, &printed, error);
    if (rc) return rc;
    const size_t bytes = sizeof(double) * ((size_t)p->session->model->n_variables + 1);
    p->z = malloc(bytes);
    if (!p->z) return pio_fail_memory(error, bytes, "design variables");
    p->options =
        (piola_options){.quiet = SILENT, .threads = p->options.threads, .max_walltime = p->options.max_walltime};
    return PIOLA_OK;
}

/* Returns PIOLA_USAGE for an option that a problem does not read, and that is not its default. */
static piola_status check_unread(const piola_options *o, piola_error *error)
{
    static const char *const continued = "piola_run, piola_grad, piola_optimize and piola_sweep";
    static const char *const printed = "commands; a problem prints nothing, and log_json names a file for its log";
    const piola_options usual = piola_options_default();
    const struct {
        bool given;
        const char *name, *of;
    } unread[] = {{o->jobs != usual.jobs, "jobs", "studies and starts: piola_grad, piola_check and piola_optimize"},
                  {o->resume != usual.resume, "resume", continued},
                  {o->accept_machine, "accept_machine", continued},
                  {o->require_progress, "require_progress", continued},
                  {o->dry_run, "dry_run", "commands that simulate; a dry run has nothing to evaluate"},
                  {o->json, "json", printed},
                  {o->quiet != usual.quiet, "quiet", printed},
                  {o->verbose != usual.verbose, "verbose", printed},
                  {o->command_line != NULL, "command_line", "commands, which write it into result.json"}};
    for (size_t i = 0; i < sizeof unread / sizeof *unread; i++)
        if (unread[i].given)
            return pio_fail(error, PIOLA_USAGE, "piola_open does not read the option %s, which is of %s",
                            unread[i].name, unread[i].of);
    return PIOLA_OK;
}

piola_status piola_open(piola_problem **out, const piola_options *options, piola_error *error)
{
    piola_error own = {0};
    if (!error) error = &own;
    *out = NULL;
    if (!options->scene) return pio_fail(error, PIOLA_USAGE, "piola_open: options->scene names no file");
    piola_status rc = check_unread(options, error);
    if (rc) return rc;
    if (!options->text && pio_study_is(options->scene))
        return pio_fail(error, PIOLA_USAGE,
                        "%s is a study; a problem is a scene, such as that of one of its experiments. Studies are for "
                        "piola_validate, piola_grad, piola_check and piola_optimize",
                        options->scene);
    piola_problem *p = calloc(1, sizeof *p);
    if (!p) return pio_fail_memory(error, sizeof *p, "a problem");
    p->options = *options;
    p->options.quiet = SILENT;
    rc = open_session(p, error);
    if (rc)
        piola_close(p);
    else
        *out = p;
    return rc;
}

void piola_close(piola_problem *p)
{
    if (!p) return;
    pio_session_close(p->session);
    free(p->z);
    free(p);
}

void pio_problem_begin(piola_problem *p)
{
    p->evaluated = p->at_end = p->stepping = false;
    p->sweeps = PIO_PROBLEM_NO_SWEEP;
    pio_call_begin(&p->call, p->options.max_walltime);
}

piola_status pio_problem_end(piola_problem *p, piola_status rc)
{
    pio_call_end();
    const pio_sweep_result *done = &p->session->evaluation.sweep;
    const int64_t steps = p->session->model->steps;
    if (!rc && !p->stepping && steps > 0) p->step_seconds = done->forward_seconds / (double)steps;
    return rc;
}

void piola_interrupt(piola_problem *p)
{
    pio_call_stop(&p->call);
}

int64_t pio_problem_check_every(const piola_problem *p)
{
    enum { MOST = 64 };
    const double n = p->step_seconds > 0 ? CHECK_SECONDS / p->step_seconds : 1;
    return n < 1 ? 1 : n > MOST ? MOST : (int64_t)n;
}

piola_status pio_problem_sweep(piola_problem *p, bool gradient, piola_error *error)
{
    const pio_sweep sweep = {.check_every = pio_problem_check_every(p)};
    pio_problem_begin(p);
    const piola_status rc = gradient ? pio_session_gradient(p->session, p->z, &sweep, error)
                                     : pio_session_forward(p->session, p->z, &sweep, error);
    p->evaluated = rc == PIOLA_OK;
    p->at_end = !gradient;
    if (gradient) p->sweeps = PIO_PROBLEM_GRADIENT;
    return pio_problem_end(p, rc);
}

bool piola_has_objective(const piola_problem *p)
{
    return p->session->objective.n > 0;
}

piola_status piola_evaluate(piola_problem *p, const double *values, double *J, double *gradient, size_t size,
                            piola_error *error)
{
    const pio_session *s = p->session;
    piola_error own = {0};
    piola_status rc = PIOLA_OK;
    if (!error) error = &own;
    if (s->objective.n == 0 && (J || gradient))
        return pio_fail(error, PIOLA_USAGE,
                        "the scene has no objective to evaluate; pass no J and no gradient, or add one");
    if (gradient) rc = pio_problem_room("the gradient", size, piola_variables(p), error);
    if (!rc) rc = pio_problem_design(p, values, error);
    if (!rc) rc = pio_problem_sweep(p, gradient != NULL, error);
    if (rc) return rc;
    if (J) *J = s->evaluation.J;
    if (gradient) pio_problem_derivatives(p, s->adjoint.z_bar, s->adjoint.value_bar, gradient);
    return PIOLA_OK;
}
