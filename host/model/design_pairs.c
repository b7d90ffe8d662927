/* design_pairs.c -- pairs of particles, over which the smoothness and the variation of a field are sums. */
#include "host/model/design_filter.h"

#include "host/base/fail.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The mean of |e.g|/|g| over all directions e. */
static double mean_cosine(int dim)
{
    return dim == 2 ? 2 / 3.14159265358979323846 : 0.5;
}

/* Returns twice the distance of particles, V^(1/dim) of the mean volume V, in the body where it is largest; 0 without
 * particles. */
static double reach(const pio_model *m, const int32_t *index)
{
    double largest = 0;
    for (size_t b = 0; b < m->scene->matter.n_bodies; b++) {
        double volume = 0;
        int64_t n = 0;
        for (int64_t p = m->body_first[b]; p < m->body_first[b + 1]; p++)
            if (index[p] >= 0) {
                volume += m->desc.particles.volume[p];
                n++;
            }
        if (n) largest = fmax(largest, 2 * pow(volume / (double)n, 1.0 / m->scene->method.dimension));
    }
    return largest;
}

static double distance(const pio_model *m, int32_t p, int32_t q)
{
    const int dim = m->scene->method.dimension;
    const double *x = m->desc.particles.position + (int64_t)p * dim, *y = m->desc.particles.position + (int64_t)q * dim;
    double square = 0;
    for (int a = 0; a < dim; a++) square += (x[a] - y[a]) * (x[a] - y[a]);
    return sqrt(square);
}

/* Appends the pairs of variable i, whose row of the filter is w_ij; particle[v] is the one of a variable. */
static void add_row(pio_pairs *out, const pio_model *m, const pio_filter_desc *w, int32_t i, const int32_t *particle)
{
    const int dim = m->scene->method.dimension;
    const double V = m->desc.particles.volume[particle[i]];
    double moment = 0; /* sum_j w_ij r_ij^2 */
    for (int32_t e = w->start[i]; e < w->start[i + 1]; e++) {
        const double r = distance(m, particle[i], particle[w->from[e]]);
        moment += w->weight[e] * r * r;
    }
    for (int32_t e = w->start[i]; e < w->start[i + 1] && moment > 0; e++) {
        if (w->from[e] == i) continue;
        const double part = V * w->weight[e] / moment;
        out->variable[out->n][0] = i;
        out->variable[out->n][1] = w->from[e];
        out->weight[out->n] = dim * part;
        out->area[out->n++] = part * distance(m, particle[i], particle[w->from[e]]) / mean_cosine(dim);
    }
}

/* With e_ij the direction from particle i to j, the mean of (e.grad z)^2 over all directions is |grad z|^2/dim, and
 * that of |e.grad z| is |grad z| times mean_cosine(). Weights of that mean are w_ij r_ij^2, w of a cone filter: finite
 * where particles are close. Hence
 *
 *     int |grad z|^2 = sum_i V_i dim sum_j w_ij (z_i - z_j)^2 / sum_j w_ij r_ij^2. */
piola_status pio_particle_pairs(pio_pairs *out, const pio_model *m, const int32_t *index, piola_error *error)
{
    pio_filter_desc *w = NULL;
    int32_t n = 0;
    *out = (pio_pairs){0};
    for (int64_t p = 0; p < m->desc.particles.n; p++) n += index[p] >= 0;
    int32_t *particle = malloc(sizeof *particle * ((size_t)n + 1));
    if (!particle) return pio_fail_memory(error, sizeof *particle * (size_t)n, "pairs of particles");
    for (int64_t p = 0; p < m->desc.particles.n; p++)
        if (index[p] >= 0) particle[index[p]] = (int32_t)p;
    piola_status rc = pio_cone_filter(&w, m, index, n, reach(m, index), error);
    if (!rc) {
        const size_t room = (size_t)w->start[n] + 1;
        out->variable = malloc(sizeof *out->variable * room);
        out->weight = malloc(sizeof *out->weight * room);
        out->area = malloc(sizeof *out->area * room);
        if (!out->variable || !out->weight || !out->area)
            rc = pio_fail_memory(error, room * (sizeof *out->variable + 2 * sizeof *out->area), "pairs of particles");
    }
    for (int32_t i = 0; !rc && i < n; i++) add_row(out, m, w, i, particle);
    pio_filter_free(w);
    free(particle);
    return rc;
}
