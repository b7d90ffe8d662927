/* problem_design.c -- the design variables of a problem: names, targets, starts and bounds, and derivatives by
 * them; see problem.h. */
#include "host/command/problem.h"

#include "host/base/fail.h"
#include "host/scene/words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

piola_status pio_problem_room(const char *name, size_t size, size_t needed, piola_error *error)
{
    if (size >= needed) return PIOLA_OK;
    return pio_fail(error, PIOLA_USAGE, "%.160s has size %zu: a buffer of size %zu is too small", name, needed, size);
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
    while (m->parameters[k].tied) k--;
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

size_t piola_designs(const piola_problem *p)
{
    return (size_t)p->session->model->n_parameters;
}

piola_status piola_design(const piola_problem *p, size_t i, piola_design_info *info, piola_error *error)
{
    const pio_model *m = p->session->model;
    if (i >= (size_t)m->n_parameters)
        return pio_fail(error, PIOLA_USAGE, "there is no target %zu of the design: the scene has %d", i,
                        m->n_parameters);
    const pio_parameter *own = &m->parameters[i];
    const char *const *per = m->fem ? pio_mesh_per_words : pio_per_words;
    *info = (piola_design_info){.first = (size_t)own->first,
                                .groups = (size_t)own->groups,
                                .components = (size_t)own->components,
                                .filtered = own->filter != NULL,
                                .logarithmic = m->designs[i].logarithmic,
                                .tied = own->tied};
    snprintf(info->name, sizeof info->name, "%s", own->design->name);
    snprintf(info->path, sizeof info->path, "%s", own->path);
    snprintf(info->unit, sizeof info->unit, "%s", own->unit);
    snprintf(info->per, sizeof info->per, "%s", per[own->design->per]);
    return PIOLA_OK;
}

piola_status piola_bounds(const piola_problem *p, double *lower, double *upper, size_t size, piola_error *error)
{
    const pio_model *m = p->session->model;
    const piola_status rc = pio_problem_room("the list of bounds", size, piola_variables(p), error);
    if (rc) return rc;
    for (int k = 0; k < m->n_parameters; k++) {
        const pio_parameter *own = &m->parameters[k];
        for (int v = own->first; !own->tied && v < own->first + own->groups * own->components; v++) {
            if (lower) lower[v] = own->least;
            if (upper) upper[v] = own->most;
        }
    }
    return PIOLA_OK;
}

piola_status pio_problem_design(piola_problem *p, const double *values, piola_error *error)
{
    const pio_model *m = p->session->model;
    for (int write = 0; values && write < 2; write++)
        for (int k = 0; k < m->n_parameters; k++) {
            const pio_design_desc *d = &m->designs[k];
            const pio_parameter *own = &m->parameters[k];
            for (int v = own->first; v < own->first + own->groups * own->components; v++) {
                char name[256];
                const double z = ((d->logarithmic ? log(values[v]) : values[v]) - d->a) / d->b;
                if (write) p->z[v] = z;
                if (isfinite(z)) continue;
                pio_model_variable_name(m, v, name, sizeof name);
                return pio_fail(error, PIOLA_USAGE, "%s cannot be %g%s", name, values[v],
                                d->logarithmic ? ": with 'transform: log' it must be above 0" : "");
            }
        }
    if (!values) memcpy(p->z, m->z0, sizeof *p->z * (size_t)m->n_variables);
    return PIOLA_OK;
}

/* Each value depends on one variable: dJ/dvalue = dJ/dz / (b dvalue/dt), with value = t or exp(t) and t = a + b z.
 * Without a filter the engine has computed them already. */
void pio_problem_derivatives(const piola_problem *p, const double *z_bar, const double *value_bar, double *gradient)
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
