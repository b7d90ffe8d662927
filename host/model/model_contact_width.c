/* model_contact_width.c -- bodies that are thinner than the distance from which an obstacle pushes them. */
#include "host/model/model_fem.h"

#include "host/scene/scene_query.h"

#include <math.h>
#include <stdio.h>

enum { DIRECTIONS = 64 }; /* along which the width of a body is measured at most */

/* The outer faces of body b of this set, or none: each set is of one body. */
static int is_of_body(const pio_model_fem *f, const pio_contact_desc *d, int b)
{
    return d->n > 0 && d->owner[0] >= f->element_first[b] && d->owner[0] < f->element_first[b + 1];
}

/* Sets n to the unit normal of face i, by its first corners; returns 0 where it has none. */
static int normal_of(const pio_model_fem *f, const pio_contact_desc *d, int i, int dim, double n[3])
{
    const int32_t *v = d->vertices + (ptrdiff_t)i * pio_elements[d->type].nodes;
    double side[2][3] = {{0}}, length = 0;
    for (int k = 0; k < dim - 1; k++)
        for (int c = 0; c < dim; c++)
            side[k][c] = f->rest[(ptrdiff_t)v[k + 1] * dim + c] - f->rest[(ptrdiff_t)v[0] * dim + c];
    if (dim == 2) side[1][2] = 1;
    for (int c = 0; c < 3; c++) {
        n[c] = side[0][(c + 1) % 3] * side[1][(c + 2) % 3] - side[0][(c + 2) % 3] * side[1][(c + 1) % 3];
        length += n[c] * n[c];
    }
    for (int c = 0; c < 3; c++) n[c] /= sqrt(length);
    return length > 0;
}

/* Returns how wide body b is along n, m. */
static double width_along(const pio_model_fem *f, int b, int dim, const double n[3])
{
    double low = INFINITY, high = -INFINITY;
    for (int k = 0; k < f->desc.n_contacts; k++) {
        const pio_contact_desc *d = &f->contacts[k];
        if (!is_of_body(f, d, b)) continue;
        for (ptrdiff_t i = 0; i < (ptrdiff_t)d->n * pio_elements[d->type].nodes; i++) {
            double along = 0;
            for (int c = 0; c < dim; c++) along += n[c] * f->rest[(ptrdiff_t)d->vertices[i] * dim + c];
            low = fmin(low, along);
            high = fmax(high, along);
        }
    }
    return high - low;
}

/* Returns the least width of body b along the normals of some of its faces, m: of a convex body in the plane with all
 * of them its least one, which is across a side. */
static double width_of(const pio_model_fem *f, int b, int dim)
{
    double least = INFINITY, n[3];
    for (int k = 0; k < f->desc.n_contacts; k++) {
        const pio_contact_desc *d = &f->contacts[k];
        if (!is_of_body(f, d, b)) continue;
        const int stride = d->n / DIRECTIONS + 1;
        for (int i = 0; i < d->n; i += stride)
            if (normal_of(f, d, i, dim, n)) least = fmin(least, width_along(f, b, dim, n));
    }
    return least;
}

piola_status pio_model_contact_widths(const pio_model *m, piola_error *error)
{
    const pio_scene *s = m->scene;
    const pio_model_fem *f = m->fem;
    double most = 0;
    size_t widest = 0;
    for (size_t o = 0; o < s->obstacles.n; o++) {
        if (!(s->obstacles.v[o].distance > most)) continue;
        most = s->obstacles.v[o].distance;
        widest = o;
    }
    for (int b = 0; most > 0 && b < f->bodies; b++) {
        const double width = width_of(f, b, s->method.dimension);
        char path[48];
        if (most < width) continue;
        snprintf(path, sizeof path, "obstacles[%zu].distance", widest);
        return pio_scene_fault(s, error, path,
                               "the obstacle would push from %g m away, all through the body '%s', which is %.4g m "
                               "thick; a distance of a small part of that, such as a tenth of the size of elements, "
                               "would be right",
                               most, s->matter.bodies[b].name, width);
    }
    return PIOLA_OK;
}
