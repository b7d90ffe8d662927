/* model_rings.c -- bodies of axisymmetric scenes: no node is at a negative radius, and those on the axis stay there,
 * which their supports must say and designs must not change. */
#include "host/model/model_fem.h"

#include "host/base/fail.h"
#include "host/scene/scene_query.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Below this part of the largest radius a node is on the axis. */
static const double ON_AXIS = 1e-9;

/* Returns the body of a node. */
static int body_of(const pio_model_fem *f, int64_t node)
{
    int b = 0;
    while (node >= f->node_first[b + 1]) b++;
    return b;
}

/* Returns whether bodies are sections of rings. */
static bool has_rings(const pio_scene *s)
{
    return s->method.dimension == 2 && s->fem.plane == PIO_AXISYMMETRIC;
}

/* Returns the largest radius at rest, m. */
static double largest_radius(const pio_model_fem *f)
{
    double largest = 0;
    for (int64_t i = 0; i < f->node_first[f->bodies]; i++) largest = fmax(largest, fabs(f->rest[2 * i]));
    return largest;
}

static piola_status check_node(const pio_model *m, int64_t i, double largest, bool held, piola_error *error)
{
    const pio_model_fem *f = m->fem;
    const double *X = f->rest + 2 * i;
    const int b = body_of(f, i);
    if (X[0] > ON_AXIS * largest || (held && X[0] >= -ON_AXIS * largest)) return PIOLA_OK;
    if (X[0] >= -ON_AXIS * largest)
        return pio_scene_fault(m->scene, error, "method.plane",
                               "the node of body '%s' at (%g, %g) is on the axis, where nothing moves along x; fix x "
                               "there: {type: fixed, axes: [x], on: ...}",
                               m->scene->matter.bodies[b].name, X[0], X[1]);
    char path[64];
    snprintf(path, sizeof path, "bodies[%d].geometry", b);
    return pio_scene_fault(m->scene, error, path,
                           "a node is at (%g, %g); x is the radius of rings, and at least 0: move the body", X[0],
                           X[1]);
}

piola_status pio_model_rings(pio_model *m, piola_error *error)
{
    const pio_scene *s = m->scene;
    const pio_model_fem *f = m->fem;
    const int64_t n = f->node_first[f->bodies];
    if (!has_rings(s)) return PIOLA_OK;
    bool *held = calloc((size_t)n + 1, sizeof *held);
    if (!held) return pio_fail_memory(error, (size_t)n, "nodes");
    for (int h = 0; h < f->desc.n_constrained; h++)
        if (f->constrained_axis[h] == 0)
            held[f->constrained_node[h]] =
                s->loading.boundary[f->support_boundary[f->constrained_support[h]]].type == SCENE_FIXED;
    const double largest = largest_radius(f);
    piola_status rc = PIOLA_OK;
    for (int64_t i = 0; !rc && i < n; i++) rc = check_node(m, i, largest, held[i], error);
    free(held);
    return rc;
}

piola_status pio_model_rings_designs(const pio_model *m, piola_error *error)
{
    const pio_model_fem *f = m->fem;
    if (!f || !has_rings(m->scene)) return PIOLA_OK;
    const double largest = largest_radius(f);
    for (int k = 0; k < m->n_parameters; k++) {
        const pio_design_desc *d = &m->designs[k];
        if (d->quantity != PIO_POSITION) continue;
        for (int64_t i = 0; i < f->node_first[f->bodies]; i++) {
            const double *X = f->rest + 2 * i;
            const bool along = d->direction ? !(fabs(d->direction[2 * i]) > 0) : d->component > 0;
            if (d->index[i] < 0 || along || X[0] > ON_AXIS * largest) continue;
            char path[64];
            snprintf(path, sizeof path, "design[%td]", m->parameters[k].design - m->scene->goal.design);
            return pio_scene_fault(m->scene, error, path,
                                   "it would move the node at (%g, %g) of the axis along x, where it must stay; use "
                                   "'along: y', or nodes off the axis",
                                   X[0], X[1]);
        }
    }
    return PIOLA_OK;
}
