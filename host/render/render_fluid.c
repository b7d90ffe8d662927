/* render_fluid.c -- surfaces around particles as triangles on the screen, body by body (host/render/level.h). */
#include "host/base/fail.h"
#include "host/render/level.h"
#include "host/render/render_parts.h"
#include "host/render/spacing.h"

#include <math.h>
#include <stdlib.h>

/* The particles of one body. */
typedef struct {
    double *points; /* [n][3] m */
    float *values;  /* [n] positions in the map; NULL: there are no values */
    size_t n;
} matter;

static piola_status gather(const pio_frame *f, size_t body, matter *m, piola_error *error)
{
    const pio_picture *p = &f->p;
    const bool valued = p->values != NULL && f->coloured;
    for (size_t i = 0; i < p->n; i++) m->n += (p->body != NULL ? p->body[i] : 0) == body;
    m->points = malloc((m->n + 1) * 3 * sizeof *m->points);
    m->values = valued ? malloc((m->n + 1) * sizeof *m->values) : NULL;
    if (m->points == NULL || (valued && m->values == NULL))
        return pio_fail_memory(error, m->n * 28, "the particles of a surface");
    m->n = 0;
    for (size_t i = 0; i < p->n; i++) {
        if ((p->body != NULL ? p->body[i] : 0) != body) continue;
        for (size_t k = 0; k < 3; k++) m->points[3 * m->n + k] = p->points[3 * i + k];
        /* just beyond the ends is as far as a mean may be drawn */
        if (valued) m->values[m->n] = (float)fmin(1.01, fmax(-0.01, pio_value_place(f, p->values[i])));
        if (valued && isnan(p->values[i])) m->values[m->n] = NAN;
        m->n++;
    }
    return PIOLA_OK;
}

/* Copies one vertex of a surface. */
static void copy_vertex(const pio_frame *f, const pio_level_surface *s, size_t i, pio_vertex *out)
{
    const pio_view *v = &f->view;
    const pio_level_vertex *from = &s->vertex[i];
    double place[3];
    for (int k = 0; k < 3; k++) place[k] = s->origin[k] + s->spacing * (double)from->place[k];
    *out = (pio_vertex){.value = from->value};
    pio_skin_place(f, place, out);
    for (int k = 0; k < 3; k++) {
        out->normal[0] += (float)((double)from->normal[k] * v->right[k]);
        out->normal[1] += (float)((double)from->normal[k] * v->up[k]);
        out->normal[2] += (float)((double)from->normal[k] * v->toward[k]);
    }
}

/* Adds a surface behind the triangles that are there. */
static piola_status append(const pio_frame *f, const pio_level_surface *s, uint16_t opacity, pio_skin *skin,
                           piola_error *error)
{
    const size_t vertices = skin->n_vertices + s->n_vertices, triangles = skin->n + s->n;
    if (vertices + f->p.n >= PIO_NO_OWNER || triangles + f->p.n >= PIO_NO_OWNER)
        return pio_fail(error, PIOLA_BAD_DATA, "surfaces of %zu triangles: too many for one picture", triangles);
    pio_vertex *v = realloc(skin->vertex, (vertices + 1) * sizeof *v);
    if (v != NULL) skin->vertex = v;
    pio_triangle *t = realloc(skin->triangle, (triangles + 1) * sizeof *t);
    if (t != NULL) skin->triangle = t;
    if (v == NULL || t == NULL)
        return pio_fail_memory(error, vertices * sizeof *v + triangles * sizeof *t, "the surface of particles");
#pragma omp parallel for num_threads(f->p.threads) schedule(static)
    for (size_t i = 0; i < s->n_vertices; i++) copy_vertex(f, s, i, &v[skin->n_vertices + i]);
    for (size_t i = 0; i < s->n; i++) {
        t[skin->n + i] = (pio_triangle){.opacity = opacity};
        for (int k = 0; k < 3; k++) t[skin->n + i].vertex[k] = (uint32_t)skin->n_vertices + s->triangle[i][k];
    }
    skin->n_vertices = vertices;
    skin->n = triangles;
    return PIOLA_OK;
}

static piola_status add_body(const pio_frame *f, size_t body, pio_skin *skin, piola_error *error)
{
    const pio_style *style = &f->p.styles[body];
    const double pixel = f->view.unit / f->view.scale * (f->p.dimension == 3 ? f->view.distance : 1);
    matter m = {0};
    pio_level_surface surface = {0};
    pio_level_set set = {.dimension = f->p.dimension, .cell = pixel, .threads = f->p.threads};
    pio_surface_bounds(f, set.low, set.high); /* what has flown far away needs no grid */
    piola_status rc = gather(f, body, &m, error);
    if (!rc && m.n > 0) {
        set.n = m.n;
        set.points = m.points;
        set.values = m.values;
        set.spacing = style->spacing > 0 ? style->spacing : pio_survey_spacing(m.points, m.n, f->p.dimension);
        if (!(set.spacing > 0)) set.spacing = 2 * f->radius;
        rc = pio_level_make(&set, &surface, error);
        if (!rc) rc = append(f, &surface, (uint16_t)lrint(PIO_OPAQUE * style->opacity), skin, error);
    }
    pio_level_free(&surface);
    free(m.points);
    free(m.values);
    return rc;
}

piola_status pio_fluid_make(const pio_frame *f, pio_skin *skin, piola_error *error)
{
    piola_status rc = PIOLA_OK;
    for (size_t body = 0; body < f->p.n_styles && !rc; body++)
        if (f->p.styles[body].surface || f->p.styles[body].opacity < 1) rc = add_body(f, body, skin, error);
    return rc;
}
