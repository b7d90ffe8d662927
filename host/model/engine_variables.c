/* engine_variables.c -- see engine_variables.h. */
#include "host/model/engine_variables.h"

#include "host/model/model_lattice.h"

#include <string.h>

/* Returns the number of the engine's variables of a parameter. */
static size_t engine_count(const pio_model *m, int k)
{
    return (size_t)m->designs[k].groups * (size_t)m->designs[k].components;
}

void pio_engine_variables(const pio_model *m, const double *z, double *engine_z)
{
    for (int k = 0; k < m->n_parameters; k++) {
        const pio_parameter *p = &m->parameters[k];
        if (p->lattice)
            pio_lattice_apply(p->lattice, p->components, z + p->first, engine_z + p->engine_first);
        else
            memcpy(engine_z + p->engine_first, z + p->first, sizeof *z * engine_count(m, k));
    }
}

void pio_engine_variables_adj(const pio_model *m, const double *engine_bar, double *bar)
{
    memset(bar, 0, sizeof *bar * (size_t)m->n_variables);
    for (int k = 0; k < m->n_parameters; k++) {
        const pio_parameter *p = &m->parameters[k];
        const double *own = engine_bar + p->engine_first;
        if (p->lattice)
            pio_lattice_adj(p->lattice, p->components, own, bar + p->first);
        else
            for (size_t v = 0; v < engine_count(m, k); v++) bar[(size_t)p->first + v] += own[v];
    }
}

void pio_engine_values(const pio_model *m, const double *engine_values, double *values)
{
    for (int k = 0; k < m->n_parameters; k++) {
        const pio_parameter *p = &m->parameters[k];
        if (!p->lattice)
            memcpy(values + p->first, engine_values + p->engine_first, sizeof *values * engine_count(m, k));
    }
}
