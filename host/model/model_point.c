/* model_point.c -- points of bodies that are observed, in the elements that have them. */
#include "host/model/model_fem.h"

#include "host/base/fail.h"
#include "host/scene/scene_names.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Writes a place as many numbers as the dimension. */
static void place_text(int dimension, const double x[3], char *out, size_t size)
{
    if (dimension == 2)
        snprintf(out, size, "[%.9g, %.9g]", x[0], x[1]);
    else
        snprintf(out, size, "[%.9g, %.9g, %.9g]", x[0], x[1], x[2]);
}

/* Returns a coordinate without the digits that are no more than rounding of the mesh. */
static double rounded(const pio_model *m, double x)
{
    const double unit = pow(10, floor(log10(m->fem->edge)) - 6);
    return round(x / unit) * unit + 0.0; /* no -0 */
}

/* Says where a body is nearest to a place outside of it. */
static piola_status outside(const pio_model *m, int body, const double x[3], piola_error *error)
{
    const int dim = m->scene->method.dimension;
    double near[3] = {0}, square = 0;
    char at[80], there[80];
    pio_mesh_nearest(&m->fem->mesh[body], x, near);
    for (int a = 0; a < dim; a++) square += (near[a] - x[a]) * (near[a] - x[a]);
    for (int a = 0; a < dim; a++) near[a] = rounded(m, near[a]);
    place_text(dim, x, at, sizeof at);
    place_text(dim, near, there, sizeof there);
    return pio_fail(error, PIOLA_BAD_DATA,
                    "%s m lies in no element of body '%s' at rest; the nearest point of its mesh is %s m, %.3g m away",
                    at, m->scene->matter.bodies[body].name, there, sqrt(square));
}

piola_status pio_model_find(const pio_model *m, int body, const pio_mesh_locator *locator, const double x[3],
                            pio_mesh_point *out, piola_error *error)
{
    enum { FEW = 64 };
    pio_mesh_point few[FEW];
    const int32_t n = pio_mesh_locate(locator, x, few, FEW);
    if (n == 0) return outside(m, body, x, error);
    *out = few[0];
    for (int32_t i = 1; i < (n < FEW ? n : FEW); i++)
        if (few[i].cell < out->cell) *out = few[i];
    return PIOLA_OK;
}

/* Lists the elements that have the observed point; the caller frees *out. */
static piola_status elements_of(const pio_model *m, size_t o, pio_mesh_point **out, int32_t *n, piola_error *error)
{
    const scene_observe *s = &m->scene->goal.observe[o];
    const int body = pio_scene_body_number(m->scene, s->body);
    const double x[3] = {s->point[0], s->point[1], m->scene->method.dimension == 3 ? s->point[2] : 0};
    pio_mesh_locator locator;
    piola_error inner;
    char path[64];
    *out = NULL;
    piola_status rc = pio_mesh_locator_create(&locator, &m->fem->mesh[body], error);
    if (rc) return rc;
    *n = pio_mesh_locate(&locator, x, NULL, 0);
    *out = malloc(sizeof **out * ((size_t)*n + 1));
    if (!*out)
        rc = pio_fail_memory(error, sizeof **out * (size_t)*n, "an observed point");
    else
        pio_mesh_locate(&locator, x, *out, *n);
    pio_mesh_locator_free(&locator);
    snprintf(path, sizeof path, "observe[%zu].point", o);
    if (rc || *n > 0) return rc;
    outside(m, body, x, &inner);
    return pio_scene_fault(m->scene, error, path, "%s", inner.message);
}

piola_status pio_model_point(const pio_model *m, int o, pio_observation_desc *d, piola_error *error)
{
    pio_mesh_point *points;
    int32_t n;
    piola_status rc = elements_of(m, (size_t)o, &points, &n, error);
    int32_t *element = rc ? NULL : malloc(sizeof *element * (size_t)n);
    double *xi = rc ? NULL : malloc(sizeof *xi * 3 * (size_t)n);
    d->place_element = element;
    d->place_xi = xi;
    if (!rc && (!element || !xi)) rc = pio_fail_memory(error, sizeof *points * (size_t)n, "an observed point");
    for (int32_t k = 0; !rc && k < n; k++) {
        element[k] = points[k].cell + (int32_t)m->fem->element_first[d->body];
        for (int a = 0; a < 3; a++) xi[3 * k + a] = points[k].r[a];
    }
    d->places = rc ? 0 : n;
    free(points);
    return rc;
}

piola_status pio_model_point_weights(const pio_model *m, size_t o, double *weight, piola_error *error)
{
    const int body = pio_scene_body_number(m->scene, m->scene->goal.observe[o].body);
    const int64_t dim = m->scene->method.dimension;
    pio_mesh_point *points;
    pio_element_type type;
    double N[PIO_ELEMENT_NODES];
    int32_t n;
    const piola_status rc = elements_of(m, o, &points, &n, error);
    if (!rc) {
        const int32_t *nodes = pio_mesh_element(&m->fem->mesh[body], points[0].cell, &type);
        pio_element_values(type, points[0].r, N);
        for (int a = 0; a < pio_elements[type].nodes; a++)
            for (int64_t c = 0; c < dim; c++) weight[(m->fem->node_first[body] + nodes[a]) * dim + c] = N[a];
    }
    free(points);
    return rc;
}
