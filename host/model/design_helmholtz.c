/* design_helmholtz.c -- see design_helmholtz.h. The elements of the field are the unknowns. */
#include "host/model/design_helmholtz.h"

#include "host/base/fail.h"
#include "host/model/design_filter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The equation and its vectors, one block of memory. */
typedef struct {
    int32_t n, variables;
    int32_t *start, *column;    /* [n + 1]; [start[n]] columns of K beside the diagonal */
    int32_t *variable;          /* [n] see pio_design_map, with the next two */
    double *kept, *share;       /* [n] */
    double *entry, *diagonal;   /* [start[n]]; [n] numbers of K */
    double *volume;             /* [n] m^3 (2D: m^2) */
    double *b, *u, *r, *p, *Kp; /* [n] vectors of the solve */
} helmholtz;

/* Returns a block with room for all arrays, zero; NULL when there is no memory. */
static helmholtz *allocate(int32_t n, int32_t pairs)
{
    const size_t many = (size_t)n + 2, entries = 2 * (size_t)pairs + 1;
    helmholtz *h =
        calloc(1, sizeof *h + sizeof(double) * (10 * many + entries) + sizeof(int32_t) * (2 * many + entries));
    if (!h) return NULL;
    double *number = (double *)(h + 1);
    double **const vectors[] = {&h->kept, &h->share, &h->diagonal, &h->volume, &h->b, &h->u, &h->r, &h->p, &h->Kp};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++, number += many) *vectors[i] = number;
    h->entry = number;
    h->start = (int32_t *)(number + entries);
    h->variable = h->start + many;
    h->column = h->variable + many;
    h->n = n;
    return h;
}

static void assemble(helmholtz *h, const pio_pairs *pairs, double r2)
{
    for (int32_t k = 0; k < pairs->n; k++)
        for (int side = 0; side < 2; side++) h->start[pairs->variable[k][side] + 2]++;
    for (int32_t i = 0; i < h->n; i++) h->start[i + 2] += h->start[i + 1];
    for (int32_t i = 0; i < h->n; i++) h->diagonal[i] = h->volume[i];
    for (int32_t k = 0; k < pairs->n; k++)
        for (int side = 0; side < 2; side++) {
            const int32_t i = pairs->variable[k][side], at = h->start[i + 1]++;
            h->column[at] = pairs->variable[k][1 - side];
            h->entry[at] = -r2 * pairs->weight[k];
            h->diagonal[i] += r2 * pairs->weight[k];
        }
}

/* ---- the solve ------------------------------------------------------------------------------------------------ */

static double dot(int32_t n, const double *x, const double *y)
{
    double sum = 0;
    for (int32_t i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

/* Solves K u = b by preconditioned conjugate gradients (Hestenes and Stiefel 1952). The condition of K grows with the
 * square of radius over edge: some dozens of iterations are usual. */
static piola_status solve(const helmholtz *h, piola_error *error)
{
    const int32_t n = h->n;
    const double goal = 1e-28 * dot(n, h->b, h->b); /* square of the residual */
    double rz = 0;
    memset(h->u, 0, sizeof *h->u * (size_t)n);
    for (int32_t i = 0; i < n; i++) {
        h->r[i] = h->b[i];
        h->p[i] = h->r[i] / h->diagonal[i];
        rz += h->r[i] * h->p[i];
    }
    for (int64_t k = 0; k < 10 * (int64_t)n + 100; k++) {
        const double left = dot(n, h->r, h->r);
        if (left <= goal) return PIOLA_OK;
        if (!isfinite(left)) break;
        for (int32_t i = 0; i < n; i++) {
            h->Kp[i] = h->diagonal[i] * h->p[i];
            for (int32_t e = h->start[i]; e < h->start[i + 1]; e++) h->Kp[i] += h->entry[e] * h->p[h->column[e]];
        }
        const double alpha = rz / dot(n, h->p, h->Kp);
        double next = 0;
        for (int32_t i = 0; i < n; i++) {
            h->u[i] += alpha * h->p[i];
            h->r[i] -= alpha * h->Kp[i];
            next += h->r[i] * h->r[i] / h->diagonal[i];
        }
        const double beta = next / rz;
        rz = next;
        for (int32_t i = 0; i < n; i++) h->p[i] = h->r[i] / h->diagonal[i] + beta * h->p[i];
    }
    return pio_fail(error, PIOLA_NUMERICAL,
                    "the equation of a design's filter was not solved to 1e-14; its variables may not be finite");
}

/* out_v = sum share_e u_e with K u = V x; what rounding adds to the least and greatest x is taken away. */
static piola_status forward(const helmholtz *h, const double *z, double *out, piola_error *error)
{
    double least = INFINITY, most = -INFINITY;
    for (int32_t e = 0; e < h->n; e++) {
        const double x = h->variable[e] < 0 ? h->kept[e] : z[h->variable[e]];
        least = fmin(least, x);
        most = fmax(most, x);
        h->b[e] = h->volume[e] * x;
    }
    const piola_status rc = solve(h, error);
    if (rc) return rc;
    memset(out, 0, sizeof *out * (size_t)h->variables);
    for (int32_t e = 0; e < h->n; e++)
        if (h->variable[e] >= 0) out[h->variable[e]] += h->share[e] * h->u[e];
    for (int32_t v = 0; v < h->variables; v++) out[v] = fmin(fmax(out[v], least), most);
    return PIOLA_OK;
}

static piola_status apply(const pio_filter_desc *filter, int transposed, const double *z, double *out,
                          piola_error *error)
{
    const helmholtz *h = filter->context;
    if (!transposed) return forward(h, z, out, error);
    for (int32_t e = 0; e < h->n; e++) h->b[e] = h->variable[e] < 0 ? 0 : h->share[e] * z[h->variable[e]];
    const piola_status rc = solve(h, error);
    if (rc) return rc;
    memset(out, 0, sizeof *out * (size_t)h->variables);
    for (int32_t e = 0; e < h->n; e++)
        if (h->variable[e] >= 0) out[h->variable[e]] += h->volume[e] * h->u[e];
    return PIOLA_OK;
}

piola_status pio_helmholtz_filter(pio_filter_desc **out, const pio_design_map *map, const pio_model *m,
                                  const int32_t *index, double radius, piola_error *error)
{
    const int32_t n = map->elements.n;
    pio_pairs pairs;
    piola_status rc = pio_pairs_create(&pairs, m, index, error);
    helmholtz *h = rc ? NULL : allocate(n, pairs.n);
    *out = calloc(1, sizeof **out);
    if (!rc && (!h || !*out)) rc = pio_fail_memory(error, sizeof(double) * 12 * (size_t)n, "a filter");
    if (!rc) {
        h->variables = map->variables;
        memcpy(h->variable, map->variable, sizeof *h->variable * (size_t)n);
        memcpy(h->kept, map->z, sizeof *h->kept * (size_t)n);
        memcpy(h->share, map->share, sizeof *h->share * (size_t)n);
        memcpy(h->volume, map->elements.volume, sizeof *h->volume * (size_t)n);
        assemble(h, &pairs, radius * radius / 12);
        **out = (pio_filter_desc){.apply = apply, .context = h};
    } else {
        free(h);
    }
    pio_pairs_free(&pairs);
    return rc;
}
