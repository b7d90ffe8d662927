/* problem.c -- a scene in another program: the handle of piola.h over a session without log output. */
#include "host/base/fail.h"
#include "host/command/command.h"
#include "host/base/signals.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SILENT = 9 }; /* how many times -q */

struct piola_problem {
    piola_options options; /* options that the session reads after it was opened, without strings of the caller */
    pio_session *session;
    double *z;              /* [variables] where the last evaluation was */
    bool evaluated, at_end; /* z was evaluated; the engine holds the last state, not the first */
    bool gradient;          /* the last evaluation had a gradient */
};

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

piola_status piola_open(piola_problem **out, const piola_options *options, piola_error *error)
{
    piola_error own = {0};
    if (!error) error = &own;
    *out = NULL;
    if (!options->scene) return pio_fail(error, PIOLA_USAGE, "piola_open: options->scene names no file");
    if (options->dry_run) return pio_fail(error, PIOLA_USAGE, "piola_open: a dry run has nothing to evaluate");
    piola_problem *p = calloc(1, sizeof *p);
    if (!p) return pio_fail_memory(error, sizeof *p, "a problem");
    p->options = *options;
    p->options.quiet = SILENT;
    p->options.verbose = 0;
    const piola_status rc = open_session(p, error);
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

size_t piola_variables(const piola_problem *p)
{
    return (size_t)p->session->model->n_variables;
}

/* Returns the parameter to which variable i belongs. */
static const pio_parameter *parameter_of(const pio_model *m, int i)
{
    int k = 0;
    while (k + 1 < m->n_parameters && m->parameters[k + 1].first <= i) k++;
    return &m->parameters[k];
}

piola_status piola_variable(const piola_problem *p, size_t i, char *name, size_t size, double *start,
                            piola_error *error)
{
    const pio_model *m = p->session->model;
    if (i >= (size_t)m->n_variables)
        return pio_fail(error, PIOLA_USAGE, "there is no variable %zu: the scene has %d", i, m->n_variables);
    const pio_parameter *parameter = parameter_of(m, (int)i);
    if (name && size) pio_model_variable_name(m, (int)i, name, size);
    if (start) *start = parameter->initial[(int)i - parameter->first];
    return PIOLA_OK;
}

/* Converts values in SI units to normalised variables. */
static piola_status normalise(piola_problem *p, const double *values, piola_error *error)
{
    const pio_model *m = p->session->model;
    p->evaluated = false; /* z is no longer where the last evaluation was */
    for (int k = 0; k < m->n_parameters; k++) {
        const pio_design_desc *d = &m->designs[k];
        const pio_parameter *own = &m->parameters[k];
        for (int v = own->first; v < own->first + own->groups * own->components; v++) {
            char name[256];
            p->z[v] = ((d->logarithmic ? log(values[v]) : values[v]) - d->a) / d->b;
            if (isfinite(p->z[v])) continue;
            pio_model_variable_name(m, v, name, sizeof name);
            return pio_fail(error, PIOLA_USAGE, "%s cannot be %g%s", name, values[v],
                            d->logarithmic ? ": with 'transform: log' it must be above 0" : "");
        }
    }
    return PIOLA_OK;
}

static piola_status sweep(piola_problem *p, bool gradient, piola_error *error)
{
    p->evaluated = false;
    pio_signals_deadline(p->options.max_walltime);
    const piola_status rc = gradient ? pio_session_gradient(p->session, p->z, NULL, error)
                                     : pio_session_forward(p->session, p->z, NULL, error);
    pio_signals_deadline(0);
    p->evaluated = rc == PIOLA_OK;
    p->gradient = gradient;
    p->at_end = !gradient;
    return rc;
}

/* Computes derivatives with respect to values in SI units. Each value depends on one variable: dJ/dvalue = dJ/dz /
 * (b dvalue/dt), with value = t or exp(t) and t = a + b z. Without a filter the engine has computed them already. */
static void derivatives(const piola_problem *p, const double *z_bar, const double *value_bar, double *gradient)
{
    const pio_model *m = p->session->model;
    for (int k = 0; k < m->n_parameters; k++) {
        const pio_design_desc *d = &m->designs[k];
        const pio_parameter *own = &m->parameters[k];
        for (int v = own->first; v < own->first + own->groups * own->components; v++)
            if (value_bar && !m->parameters[k].filter)
                gradient[v] = value_bar[v];
            else
                gradient[v] = z_bar[v] / (d->b * (d->logarithmic ? exp(d->a + d->b * p->z[v]) : 1));
    }
}

/* Returns PIOLA_USAGE if a buffer of `size` doubles is too small for `needed`. */
static piola_status check_room(const char *name, size_t size, size_t needed, piola_error *error)
{
    if (size >= needed) return PIOLA_OK;
    return pio_fail(error, PIOLA_USAGE, "%.160s has size %zu: a buffer of size %zu is too small", name, needed, size);
}

piola_status piola_evaluate(piola_problem *p, const double *values, double *J, double *gradient, size_t size,
                            piola_error *error)
{
    pio_session *s = p->session;
    piola_error own = {0};
    piola_status rc = PIOLA_OK;
    if (!error) error = &own;
    if (s->objective.n == 0 && (J || gradient))
        return pio_fail(error, PIOLA_USAGE,
                        "the scene has no objective to evaluate; pass no J and no gradient, or add one");
    if (gradient) rc = check_room("the gradient", size, piola_variables(p), error);
    if (rc) return rc;
    if (values)
        rc = normalise(p, values, error);
    else
        memcpy(p->z, s->model->z0, sizeof *p->z * (size_t)s->model->n_variables);
    if (!rc) rc = sweep(p, gradient != NULL, error);
    if (rc) return rc;
    if (J) *J = s->evaluation.J;
    if (gradient) derivatives(p, s->adjoint.z_bar, s->adjoint.value_bar, gradient);
    return PIOLA_OK;
}

/* Returns PIOLA_USAGE if observation or constraint i does not exist, or if nothing was evaluated yet. */
static piola_status check_read(const piola_problem *p, size_t i, int n, const char *what, piola_error *error)
{
    if (i >= (size_t)n) return pio_fail(error, PIOLA_USAGE, "there is no %s %zu: the scene has %d", what, i, n);
    return p->evaluated ? PIOLA_OK
                        : pio_fail(error, PIOLA_USAGE, "a %s can be read after piola_evaluate has succeeded", what);
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
    if (values) rc = check_room(what, n_values, needed, error);
    snprintf(what, sizeof what, "the list of times of '%.100s'", o->name);
    if (!rc && times) rc = check_room(what, n_times, samples, error);
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
    if (!rc && !p->gradient)
        rc = pio_fail(error, PIOLA_USAGE,
                      "the gradient of a constraint can be read after an evaluation with a gradient");
    if (!rc) rc = check_room("the gradient of a constraint", size, piola_variables(p), error);
    if (!rc) derivatives(p, s->adjoint.c_bar + i * (size_t)s->model->n_variables, NULL, gradient);
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

/* Cotangents of single states are not part of this interface: names that begin with adj_ are for files only. */
size_t piola_components(const piola_problem *p, const char *field)
{
    if (!strncmp(field, "adj_", 4) || !p->session->sim) return 0;
    const int32_t n = p->session->engine.table->components(p->session->sim, field);
    return n > 0 ? (size_t)n : 0;
}

size_t piola_items(const piola_problem *p, const char *field)
{
    if (!piola_components(p, field)) return 0;
    const int64_t n = p->session->engine.table->items(p->session->sim, field);
    return n > 0 ? (size_t)n : 0;
}

/* Runs the forward sweep again, with the same bits, if the last state is requested after a gradient, which ends at
 * state 0. The gradient fields are not changed. */
static piola_status go_to_end(piola_problem *p, piola_error *error)
{
    if (p->at_end) return PIOLA_OK;
    const piola_status rc = sweep(p, false, error);
    p->gradient = rc == PIOLA_OK;
    return rc;
}

piola_status piola_read(piola_problem *p, const char *field, double *values, size_t size, piola_error *error)
{
    const bool of_gradient = !strncmp(field, "grad_", 5);
    char what[160];
    piola_error own = {0};
    if (!error) error = &own;
    if (!piola_components(p, field)) return pio_fail(error, PIOLA_USAGE, "there is no field '%.100s'", field);
    if (!p->evaluated)
        return pio_fail(error, PIOLA_USAGE, "'%s' can be read after piola_evaluate has succeeded", field);
    if (of_gradient && !p->gradient)
        return pio_fail(error, PIOLA_USAGE, "'%s' can be read after an evaluation with a gradient", field);
    snprintf(what, sizeof what, "'%.100s'", field);
    piola_status rc = check_room(what, size, piola_items(p, field) * piola_components(p, field), error);
    if (!rc && !of_gradient) rc = go_to_end(p, error);
    return rc ? rc : p->session->engine.table->read(p->session->sim, field, values, error);
}
