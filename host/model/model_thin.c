/* model_thin.c -- bodies so thin that a potential between velocity fields cannot keep two of them apart.
 *
 * A field is felt by particles of others as S(x) = sum v W (kernels/contact/repulsion.h), 1 inside and 1/2 at flat
 * surfaces, and pushes from S = 2/5 on. A run ends where a particle is at S > 1/2 and S has hardly a slope, which is
 * the middle of what it passes through. So what nowhere reaches 1/2 would be passed by another such body unnoticed. */
#include "host/model/model.h"

#include "host/base/fail.h"
#include "host/base/stop.h"
#include "host/scene/scene_names.h"
#include "host/scene/scene_query.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char doing[] = "measuring how thick bodies are";
static const double reach = 1.5; /* of W, in spacings */
static const double solid = 0.5; /* a sum that holds */

/* The particles of one field in boxes of the kernel's reach: those of box b are item[start[b]] .. item[start[b+1]-1].
 * Boxes are numbered by hash, so that some hold particles of several places. */
typedef struct {
    const pio_model *m;
    int32_t field, boxes;
    int64_t *start; /* [boxes + 2], the last of which is for sorting */
    int32_t *item;  /* [particles] */
    double *sum;    /* [particles of the model] S of the own field, as far as it is counted */
} field_boxes;

static double kernel(int dimension, double square)
{
    const double u = 1 - square / (reach * reach);
    const double scale = dimension == 3 ? 315 / (64 * M_PI * pow(reach, 3)) : 4 / (M_PI * reach * reach);
    return u > 0 ? scale * u * u * u : 0;
}

/* Returns the number of the box that is `hop` boxes away from that of particle p. */
static int32_t box_of(const field_boxes *f, int64_t p, const int hop[3])
{
    const int dim = f->m->scene->method.dimension;
    uint64_t hash = 0;
    for (int a = 0; a < dim; a++) {
        const double at = floor(f->m->position[p * dim + a] / (reach * f->m->desc.grid.spacing)) + hop[a];
        hash = (hash + (uint64_t)(int64_t)at) * UINT64_C(0x9E3779B97F4A7C15);
        hash ^= hash >> 32;
    }
    return (int32_t)(hash % (uint64_t)f->boxes);
}

/* Sorts the particles of a field into boxes. Returns PIOLA_INTERRUPTED if the program is to stop. */
static piola_status sort(field_boxes *f, piola_error *error)
{
    static const int here[3] = {0};
    const pio_model *m = f->m;
    const int64_t n = m->desc.particles.n;
    memset(f->start, 0, sizeof *f->start * ((size_t)f->boxes + 2));
    for (int64_t p = 0; p < n; p++)
        if (m->field[p] == f->field) f->start[box_of(f, p, here) + 2]++;
    for (int32_t b = 0; b < f->boxes; b++) f->start[b + 2] += f->start[b + 1];
    for (int64_t p = 0; p < n; p++) {
        const piola_status rc = pio_stop_at(p, doing, error);
        if (rc) return rc;
        if (m->field[p] == f->field) f->item[f->start[box_of(f, p, here) + 1]++] = (int32_t)p;
    }
    return PIOLA_OK;
}

/* Returns the sum of v W at particle p, as far as `enough`; or with `sums` whether a particle within the reach has a
 * sum that holds. */
static double around(const field_boxes *f, int64_t p, bool sums, double enough)
{
    const pio_model *m = f->m;
    const int dim = m->scene->method.dimension;
    const double h = m->desc.grid.spacing, cell = pow(h, dim);
    double all = 0;
    int32_t seen[27];
    int n = 0;
    for (int k = 0; k < (dim == 3 ? 27 : 9) && all < enough; k++) {
        const int32_t box = box_of(f, p, (const int[3]){k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1});
        bool again = false;
        for (int s = 0; s < n; s++) again |= seen[s] == box;
        if (again) continue;
        seen[n++] = box;
        for (int64_t i = f->start[box]; i < f->start[box + 1] && all < enough; i++) {
            const int32_t q = f->item[i];
            double square = 0;
            for (int a = 0; a < dim; a++) {
                const double x = (m->position[p * dim + a] - m->position[q * dim + a]) / h;
                square += x * x;
            }
            if (!(square < reach * reach)) continue;
            if (sums)
                all += f->sum[q] >= solid ? 1 : 0;
            else
                all += m->volume[q] / cell * kernel(dim, square);
        }
    }
    return all;
}

/* Finds a particle of a field that has no other of the field within the reach whose sum holds; *thin is -1 where there
 * is none. Returns PIOLA_INTERRUPTED if the program is to stop. */
static piola_status find_thin(field_boxes *f, int64_t *thin, piola_error *error)
{
    const int64_t n = f->m->desc.particles.n;
    piola_status rc = sort(f, error);
    *thin = -1;
    for (int64_t p = 0; !rc && p < n; p++) {
        rc = pio_stop_at(p, doing, error);
        if (!rc && f->m->field[p] == f->field) f->sum[p] = around(f, p, false, solid);
    }
    for (int64_t p = 0; !rc && *thin < 0 && p < n; p++) {
        rc = pio_stop_at(p, doing, error);
        if (rc || f->m->field[p] != f->field || f->sum[p] >= solid) continue;
        if (!(around(f, p, true, 1) > 0)) *thin = p;
    }
    return rc;
}

/* Rejects two thin particles of different fields. */
static piola_status reject(const pio_model *m, int64_t first, int64_t second, piola_error *error)
{
    const pio_scene *s = m->scene;
    const int dim = s->method.dimension;
    const int64_t p[2] = {first, second};
    char at[2][96];
    for (int k = 0; k < 2; k++) {
        const double *x = m->position + p[k] * dim;
        if (dim == 3)
            snprintf(at[k], sizeof at[k], "(%.6g, %.6g, %.6g)", x[0], x[1], x[2]);
        else
            snprintf(at[k], sizeof at[k], "(%.6g, %.6g)", x[0], x[1]);
    }
    return pio_scene_fault(s, error, "contact.model",
                           "bodies '%s' at %s and '%s' at %s are so thin that a potential cannot keep them apart; "
                           "bodies at least a spacing of the grid, %g m, thick there, with two particles across, "
                           "would be right, a smaller spacing, or 'model: grid'",
                           s->matter.bodies[m->body[first]].name, at[0], s->matter.bodies[m->body[second]].name, at[1],
                           m->desc.grid.spacing);
}

piola_status pio_model_thin(const pio_model *m, piola_error *error)
{
    const int64_t n = m->desc.particles.n;
    field_boxes f = {.m = m, .boxes = (int32_t)(n < 4096 ? 4096 : n / 4 + 1)};
    int64_t found[2] = {-1, -1};
    if (m->scene->contact.n_fields == 0 || m->scene->contact.model != PIO_CONTACT_POTENTIAL) return PIOLA_OK;
    f.start = malloc(sizeof *f.start * ((size_t)f.boxes + 2));
    f.item = malloc(sizeof *f.item * (size_t)n);
    f.sum = malloc(sizeof *f.sum * (size_t)n);
    piola_status rc = PIOLA_OK;
    if (!f.start || !f.item || !f.sum) rc = pio_fail_memory(error, sizeof *f.sum * (size_t)n, doing);
    for (; !rc && found[1] < 0 && f.field < m->desc.particles.fields; f.field++) {
        int64_t thin;
        rc = find_thin(&f, &thin, error);
        if (thin >= 0) found[found[0] >= 0] = thin;
    }
    if (!rc && found[1] >= 0) rc = reject(m, found[0], found[1], error);
    free(f.start);
    free(f.item);
    free(f.sum);
    return rc;
}
