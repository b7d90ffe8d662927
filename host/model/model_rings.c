/* model_rings.c -- bodies of axisymmetric scenes: no node is at a negative radius, and those on the axis stay there, which
 * their supports must say. */
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
    const pio_model_fem *f = m->fem;
    const int64_t n = f->node_first[f->bodies];
    double largest = 0;
    if (m->scene->method.dimension == 3 || m->scene->fem.plane != PIO_AXISYMMETRIC) return PIOLA_OK;
    bool *held = calloc((size_t)n + 1, sizeof *held);
    if (!held) return pio_fail_memory(error, (size_t)n, "nodes");
    for (int h = 0; h < f->desc.n_constrained; h++)
        if (f->constrained_axis[h] == 0) held[f->constrained_node[h]] = true;
    for (int64_t i = 0; i < n; i++) largest = fmax(largest, fabs(f->rest[2 * i]));
    piola_status rc = PIOLA_OK;
    for (int64_t i = 0; !rc && i < n; i++) rc = check_node(m, i, largest, held[i], error);
    free(held);
    return rc;
}
