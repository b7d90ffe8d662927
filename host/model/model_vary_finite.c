/* model_vary_finite.c -- values of loads, supports and initial states that vary (model_vary.c) must be finite where
 * they act, at the ends of the first, the middle and the last step.
 *
 * Loads are evaluated in every face or element at one point towards each corner, which are Gauss's where its sides have
 * two. What is infinite elsewhere, or in other steps alone, is an error of the run. */
#include "host/base/stop.h"
#include "host/model/model_fem.h"
#include "solvers/engine/program.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TIMES = 3 };
static const double outward = 0.57735026918962576; /* 1/sqrt(3): from the middle of a face to its corner */

void pio_model_place(const pio_model *m, const double x[3], char *out, size_t size)
{
    if (m->scene->method.dimension == 2)
        snprintf(out, size, "(%g, %g)", x[0], x[1]);
    else
        snprintf(out, size, "(%g, %g, %g)", x[0], x[1], x[2]);
}

/* Adds to x the position at rest of a node times its weight, m. */
static void add_node(const pio_model *m, int32_t node, double weight, double x[3])
{
    const int dim = m->scene->method.dimension;
    for (int c = 0; c < dim; c++) x[c] += weight * m->fem->rest[(int64_t)node * dim + c];
}

/* Returns the name of the key that has the expression of a program. */
static const char *path_of(const pio_model *m, int32_t program, char *out, size_t size)
{
    const pio_scene *s = m->scene;
    const scene_vary *v = &m->fem->program_of[program];
    const bool one = (v->kind == SCENE_VARY_LOAD && s->loading.loads[v->index].value.n == 1) ||
                     (v->kind == SCENE_VARY_BOUNDARY && s->loading.boundary[v->index].value.n == 1);
    snprintf(out, size, "%s", v->path);
    if (v->kind == SCENE_VARY_ANGLE) snprintf(out, size, "boundary[%zu].angle", v->index);
    if (one) *strrchr(out, '[') = '\0'; /* one number, without a list */
    return out;
}

/* Checks the components of a value at the place x, m. */
static piola_status check_at(const pio_model *m, const pio_vary_desc *d, const double x[3], piola_error *error)
{
    const int64_t step[TIMES] = {1, (m->steps + 1) / 2, m->steps};
    for (int k = 0; k < (d->in_time ? TIMES : 1); k++)
        for (int c = 0; c < d->components; c++) {
            const double t = (double)step[k] * m->scene->time.dt;
            char place[80], path[80], when[40] = "";
            if (d->program[c] < 0) continue;
            const double value = pio_program_value(&m->fem->desc.programs, d->program[c], x, t);
            if (isfinite(value)) continue;
            pio_model_place(m, x, place, sizeof place);
            if (d->in_time) snprintf(when, sizeof when, " and t = %g s", t);
            return pio_scene_fault(m->scene, error, path_of(m, d->program[c], path, sizeof path),
                                   "at %s%s the expression is %s; it must be finite", place, when,
                                   isnan(value) ? "not a number" : "infinite");
        }
    return PIOLA_OK;
}

/* Checks the value of a load in a face or an element with these nodes. */
static piola_status check_face(const pio_model *m, const pio_vary_desc *d, pio_element_type type, const int32_t *nodes,
                               piola_error *error)
{
    const pio_element *e = &pio_elements[type];
    piola_status rc = PIOLA_OK;
    for (int k = 0; !rc && k < e->corners; k++) {
        double r[3] = {0}, x[3] = {0}, N[PIO_ELEMENT_NODES];
        for (int j = 0; j < e->dimension; j++) {
            for (int a = 0; a < e->corners; a++) r[j] += (1 - outward) * e->place[a][j] / e->corners;
            r[j] += outward * e->place[k][j];
        }
        pio_element_values(type, r, N);
        for (int a = 0; a < e->nodes; a++) add_node(m, nodes[a], N[a], x);
        rc = check_at(m, d, x, error);
    }
    return rc;
}

/* Returns the nodes of an element, and its type. */
static const int32_t *nodes_of(const pio_model *m, int32_t element, pio_element_type *type)
{
    const pio_block_desc *block = m->fem->blocks;
    for (; element >= block->n; block++) element -= block->n;
    *type = block->type;
    return block->nodes + (int64_t)element * pio_elements[block->type].nodes;
}

static piola_status check_load(const pio_model *m, const pio_vary_desc *d, piola_error *error)
{
    const pio_load_desc *l = &m->fem->loads[d->which];
    piola_status rc = PIOLA_OK;
    for (int32_t i = 0; !rc && i < l->n; i++) {
        pio_element_type type = l->type;
        const int32_t *nodes =
            l->vertices ? l->vertices + (int64_t)i * pio_elements[type].nodes : nodes_of(m, l->owner[i], &type);
        rc = check_face(m, d, type, nodes, error);
    }
    return rc;
}

/* Checks a value of constrained unknowns or of nodes, which are its items. */
static piola_status check_nodes(const pio_model *m, const pio_vary_desc *d, piola_error *error)
{
    piola_status rc = PIOLA_OK;
    for (int32_t i = 0; !rc && i < d->n; i++) {
        double x[3] = {0};
        add_node(m, d->quantity == PIO_SUPPORT ? m->fem->constrained_node[d->items[i]] : d->items[i], 1, x);
        rc = check_at(m, d, x, error);
    }
    return rc;
}

piola_status pio_model_vary_finite(const pio_model *m, piola_error *error)
{
    piola_status rc = PIOLA_OK;
    for (int32_t v = 0; !rc && v < m->fem->desc.n_varies; v++) {
        const pio_vary_desc *d = &m->fem->varies[v];
        if (d->quantity == PIO_LOAD) rc = check_load(m, d, error);
        if (d->quantity == PIO_SUPPORT || d->quantity == PIO_DISPLACED || d->quantity == PIO_VELOCITY)
            rc = check_nodes(m, d, error);
        if (!rc) rc = pio_stop("setting up supports and loads", error);
    }
    return rc;
}
