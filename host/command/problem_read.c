/* problem_read.c -- observations and constraints of a problem after an evaluation; see problem.h. */
#include "host/command/problem.h"

#include "host/base/fail.h"
#include "host/scene/words.h"

#include <stdio.h>
#include <string.h>

/* Returns PIOLA_USAGE if observation or constraint i does not exist, or if nothing was evaluated yet. */
static piola_status check_read(const piola_problem *p, size_t i, int n, const char *what, piola_error *error)
{
    if (i >= (size_t)n) return pio_fail(error, PIOLA_USAGE, "there is no %s %zu: the scene has %d", what, i, n);
    return p->evaluated
               ? PIOLA_OK
               : pio_fail(error, PIOLA_USAGE, "%s %zu can be read after piola_evaluate has succeeded", what, i);
}

size_t piola_observations(const piola_problem *p)
{
    return (size_t)p->session->model->n_outputs;
}

piola_status piola_observation(const piola_problem *p, size_t i, piola_observation_info *info, piola_error *error)
{
    const pio_model *m = p->session->model;
    if (i >= (size_t)m->n_outputs)
        return pio_fail(error, PIOLA_USAGE, "there is no observation %zu: the scene has %d", i, m->n_outputs);
    const pio_output *o = &m->outputs[i];
    *info = (piola_observation_info){.samples = (size_t)o->samples, .components = (size_t)o->components};
    snprintf(info->name, sizeof info->name, "%s", o->name);
    snprintf(info->unit, sizeof info->unit, "%s", pio_observable_units[m->observations[i].type]);
    return PIOLA_OK;
}

piola_status piola_read_observation(const piola_problem *p, size_t i, double *times, size_t n_times, double *values,
                                    size_t n_values, piola_error *error)
{
    char what[160];
    piola_status rc = check_read(p, i, p->session->model->n_outputs, "observation", error);
    if (rc) return rc;
    const pio_output *o = &p->session->model->outputs[i];
    const size_t samples = (size_t)o->samples, needed = samples * (size_t)o->components;
    snprintf(what, sizeof what, "'%.100s'", o->name);
    if (values) rc = pio_problem_room(what, n_values, needed, error);
    snprintf(what, sizeof what, "the list of times of '%.100s'", o->name);
    if (!rc && times) rc = pio_problem_room(what, n_times, samples, error);
    if (rc) return rc;
    if (values) memcpy(values, p->session->evaluation.samples + o->first, sizeof *values * needed);
    if (times) memcpy(times, o->time, sizeof *times * samples);
    return PIOLA_OK;
}

size_t piola_constraints(const piola_problem *p)
{
    return (size_t)p->session->constraints.n;
}

piola_status piola_constraint(const piola_problem *p, size_t i, char *name, size_t size, double *c, piola_error *error)
{
    const pio_session *s = p->session;
    const piola_status rc = check_read(p, i, s->constraints.n, "constraint", error);
    if (rc) return rc;
    if (name && size) snprintf(name, size, "%s", s->constraints.list[i].name);
    if (c) *c = s->evaluation.c[i];
    return PIOLA_OK;
}

piola_status piola_constraint_gradient(const piola_problem *p, size_t i, double *gradient, size_t size,
                                       piola_error *error)
{
    const pio_session *s = p->session;
    piola_status rc = check_read(p, i, s->constraints.n, "constraint", error);
    if (!rc && p->sweeps != PIO_PROBLEM_GRADIENT)
        rc = pio_fail(error, PIOLA_USAGE,
                      "the gradient of a constraint can be read after an evaluation with a gradient");
    if (!rc) rc = pio_problem_room("the gradient of a constraint", size, piola_variables(p), error);
    if (!rc) pio_problem_derivatives(p, s->adjoint.c_bar + i * (size_t)s->model->n_variables, NULL, gradient);
    return rc;
}

size_t piola_particles(const piola_problem *p)
{
    return p->session->model->fem ? 0 : (size_t)pio_model_items(p->session->model, false);
}

size_t piola_nodes(const piola_problem *p)
{
    return p->session->model->fem ? (size_t)pio_model_items(p->session->model, true) : 0;
}

size_t piola_elements(const piola_problem *p)
{
    return p->session->model->fem ? (size_t)pio_model_items(p->session->model, false) : 0;
}
