/* design_filter.c -- see design_filter.h. Neighbours within a radius are found through cells of its size. */
#include "host/model/design_filter.h"

#include "host/base/fail.h"
#include "host/model/model_fem.h"
#include "host/model/room.h"
#include "host/base/signals.h"
#include "host/base/stop.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An element, a node or a particle that the design governs. */
typedef struct {
    int64_t cell[3];     /* in a grid of cells as large as the radius */
    int32_t body;        /* number of the body */
    int32_t number;      /* of the element, node or particle */
    int32_t variable;    /* its variable */
    double x[3], volume; /* position, m; volume or, of a node, area */
} place;

static int order(const void *a, const void *b)
{
    const place *p = a, *q = b;
    if (p->body != q->body) return p->body < q->body ? -1 : 1;
    for (int k = 2; k >= 0; k--)
        if (p->cell[k] != q->cell[k]) return p->cell[k] < q->cell[k] ? -1 : 1;
    return (p->number > q->number) - (p->number < q->number);
}

/* Returns the number of the cell along an axis, for radii of any size: beyond 2^53 all are in one cell. */
static int64_t cell_at(double x, double radius)
{
    return (int64_t)fmin(fmax(floor(x / radius), -0x1p53), 0x1p53);
}

static void middle_of(const pio_mesh *mesh, int32_t cell, double x[3])
{
    pio_element_type type;
    const int32_t *nodes = pio_mesh_element(mesh, cell, &type);
    for (int a = 0; a < 3; a++) {
        x[a] = 0;
        for (int k = 0; k < pio_elements[type].nodes; k++)
            x[a] += mesh->x[3 * (size_t)nodes[k] + (size_t)a] / pio_elements[type].nodes;
    }
}

/* Returns all governed elements, sorted by body and cell; NULL when there is no memory. */
static place *find_places(const pio_model *m, const int32_t *index, int32_t variables, double radius)
{
    const pio_model_fem *f = m->fem;
    place *places = malloc(sizeof *places * ((size_t)variables + 1));
    double *volume = malloc(sizeof *volume * ((size_t)f->element_first[f->bodies] + 1));
    size_t n = 0;
    for (int b = 0; places && volume && b < f->bodies; b++) {
        pio_mesh_cell_volumes(&f->mesh[b], volume);
        for (int32_t c = 0; c < f->mesh[b].n_cells; c++) {
            const int32_t v = index[f->element_first[b] + c];
            if (v < 0) continue;
            place *p = &places[n++];
            *p = (place){.body = b, .number = c, .variable = v, .volume = volume[c]};
            middle_of(&f->mesh[b], c, p->x);
            for (int a = 0; a < 3; a++) p->cell[a] = cell_at(p->x[a], radius);
        }
    }
    free(volume);
    if (places && n) qsort(places, n, sizeof *places, order);
    return places;
}

/* Likewise of particles, where they start. */
static place *find_particles(const pio_model *m, const int32_t *index, int32_t variables, double radius)
{
    const int dim = m->scene->method.dimension;
    const pio_particles_desc *p = &m->desc.particles;
    place *places = malloc(sizeof *places * ((size_t)variables + 1));
    size_t n = 0;
    for (int64_t i = 0; places && i < p->n; i++) {
        if (index[i] < 0) continue;
        place *q = &places[n++];
        *q = (place){.body = p->body[i], .number = (int32_t)i, .variable = index[i], .volume = p->volume[i]};
        for (int a = 0; a < dim; a++) {
            q->x[a] = p->position[i * dim + a];
            q->cell[a] = cell_at(q->x[a], radius);
        }
    }
    if (places && n) qsort(places, n, sizeof *places, order);
    return places;
}

/* Returns the first place that is not before the wanted body and cell. */
static int32_t lower_bound(const place *places, int32_t n, const place *wanted)
{
    int32_t low = 0, high = n;
    while (low < high) {
        const int32_t half = low + (high - low) / 2;
        if (order(&places[half], wanted) < 0)
            low = half + 1;
        else
            high = half;
    }
    return low;
}

/* Entries of the rows of a filter, as they are made. */
typedef struct {
    int32_t n, room; /* number of entries; room for entries */
    int32_t *from;   /* [n] variable of each entry */
    double *weight;  /* [n] its weight; those of a row add up to 1 */
    bool no_memory;  /* an allocation failed */
} entry_list;

enum { ENTRY_BYTES = sizeof(int32_t) + sizeof(double), MANY_ENTRIES = 1 << 20 };

/* Returns whether a list of many entries may grow by `more`, whose transpose is made, too: an allocation beyond what
 * the machine has can succeed, and the system then kills the process. */
static bool may_grow(const entry_list *l, int32_t more)
{
    return l->n < MANY_ENTRIES || ENTRY_BYTES * (2.0 * more + l->n) <= pio_room_bytes();
}

static void add_entry(entry_list *l, int32_t from, double weight)
{
    if (l->n == l->room) {
        const int32_t room = l->room > INT32_MAX / 2 ? INT32_MAX : 2 * l->room + 1024;
        int32_t *f = l->n == INT32_MAX || !may_grow(l, room - l->n) ? NULL : realloc(l->from, sizeof *f * (size_t)room);
        if (f) l->from = f;
        double *w = f ? realloc(l->weight, sizeof *w * (size_t)room) : NULL;
        if (w) l->weight = w;
        l->no_memory |= !w;
        if (!w) return;
        l->room = room;
    }
    l->from[l->n] = from;
    l->weight[l->n++] = weight;
}

/* Adds the row of one element or particle: its neighbours within the radius, in their order, with weights that add up
 * to 1. */
static void add_row(entry_list *l, const place *places, int32_t n, const place *p, double radius)
{
    const int32_t first = l->n;
    double sum = 0;
    for (int64_t k = -1; k <= 1; k++)
        for (int64_t j = -1; j <= 1; j++) {
            place wanted = *p; /* a run of three cells along x */
            wanted.cell[0] -= 1;
            wanted.cell[1] += j;
            wanted.cell[2] += k;
            wanted.number = -1;
            for (int32_t i = lower_bound(places, n, &wanted); i < n; i++) {
                const place *q = &places[i];
                if (q->body != p->body || q->cell[2] != wanted.cell[2] || q->cell[1] != wanted.cell[1] ||
                    q->cell[0] > p->cell[0] + 1)
                    break;
                const double d = hypot(hypot(q->x[0] - p->x[0], q->x[1] - p->x[1]), q->x[2] - p->x[2]);
                if (d >= radius) continue;
                add_entry(l, q->variable, (radius - d) * q->volume);
                sum += (radius - d) * q->volume;
                if (l->no_memory || ((l->n & 4095) == 0 && pio_interrupted())) return;
            }
        }
    for (int32_t e = first; e < l->n; e++) l->weight[e] /= sum;
}

static void free_lists(pio_filter_desc *h)
{
    free((void *)h->start);
    free((void *)h->from);
    free((void *)h->weight);
    free((void *)h->transposed_start);
    free((void *)h->transposed_from);
    free((void *)h->transposed_weight);
    free((void *)h->offset);
    free((void *)(uintptr_t)h->context);
}

bool pio_filter_transpose(pio_filter_desc *h, int32_t variables)
{
    const int32_t entries = h->start[variables];
    int32_t *start = calloc((size_t)variables + 2, sizeof *start), *from = malloc(sizeof *from * ((size_t)entries + 1));
    double *weight = malloc(sizeof *weight * ((size_t)entries + 1));
    h->transposed_start = start;
    h->transposed_from = from;
    h->transposed_weight = weight;
    if (!start || !from || !weight) return false;
    for (int32_t e = 0; e < entries; e++) start[h->from[e] + 2]++;
    for (int32_t v = 0; v < variables; v++) start[v + 2] += start[v + 1];
    for (int32_t v = 0; v < variables; v++)
        for (int32_t e = h->start[v]; e < h->start[v + 1]; e++) {
            const int32_t at = start[h->from[e] + 1]++;
            from[at] = v;
            weight[at] = h->weight[e];
        }
    return true;
}

/* Makes the rows of all variables from places, which the function frees. */
static piola_status make_filter(pio_filter_desc **out, place *places, int32_t n, int32_t variables, double radius,
                                piola_error *error)
{
    pio_filter_desc *h = calloc(1, sizeof *h);
    int32_t *start = malloc(sizeof *start * ((size_t)variables + 1)),
            *at = malloc(sizeof *at * ((size_t)variables + 1));
    entry_list l = {0};
    bool ok = h && places && start && at;
    for (int32_t i = 0; ok && i < n; i++) at[places[i].variable] = i;
    for (int32_t v = 0; ok && v < variables; v++) {
        start[v] = l.n;
        add_row(&l, places, n, &places[at[v]], radius);
        ok = !l.no_memory && !pio_interrupted();
    }
    if (ok) start[variables] = l.n;
    free(places);
    free(at);
    if (h) *h = (pio_filter_desc){.start = start, .from = l.from, .weight = l.weight};
    if (ok) ok = pio_filter_transpose(h, variables);
    *out = h;
    const piola_status stopped = pio_stop("making a filter", error);
    if (stopped) return stopped;
    return ok ? PIOLA_OK
              : pio_fail_memory(error, (size_t)l.n * 2 * ENTRY_BYTES, "a filter; a smaller radius needs less");
}

piola_status pio_cone_filter(pio_filter_desc **out, const pio_model *m, const int32_t *index, int32_t variables,
                             double radius, piola_error *error)
{
    place *places = m->fem ? find_places(m, index, variables, radius) : find_particles(m, index, variables, radius);
    return make_filter(out, places, variables, variables, radius, error);
}

/* Returns the designed nodes of a body's surface with their parts of its area and the variables of one component, *n of
 * them. *missing is one that is on no designed face, or -1. */
static place *find_surface(const pio_model *m, int b, const int32_t *index, double radius, int32_t *n, int64_t *missing)
{
    const pio_mesh *mesh = &m->fem->mesh[b];
    const int64_t first = m->fem->node_first[b];
    double *area = calloc((size_t)mesh->n_nodes + 1, sizeof *area);
    place *places = malloc(sizeof *places * ((size_t)mesh->n_nodes + 1));
    *n = 0;
    *missing = -1;
    for (int32_t i = 0; area && i < mesh->n_outer; i++) {
        int32_t node[PIO_FACE_NODES];
        const int count = pio_mesh_face_nodes(mesh, mesh->outer[i], node);
        bool designed = true;
        for (int k = 0; k < count; k++) designed &= index[first + node[k]] >= 0;
        const double contribution = designed ? pio_mesh_face_area(mesh, mesh->outer[i]) / count : 0;
        for (int k = 0; k < count; k++) area[node[k]] += contribution;
    }
    for (int32_t i = 0; area && places && i < mesh->n_nodes; i++) {
        if (!(area[i] > 0) && index[first + i] >= 0) *missing = first + i;
        if (!(area[i] > 0)) continue;
        place *p = &places[(*n)++];
        *p = (place){.body = b, .number = i, .variable = index[first + i], .volume = area[i]};
        for (int a = 0; a < 3; a++) {
            p->x[a] = mesh->x[3 * (size_t)i + (size_t)a];
            p->cell[a] = cell_at(p->x[a], radius);
        }
    }
    free(area);
    if (places && *n) qsort(places, (size_t)*n, sizeof *places, order);
    return places;
}

/* Repeats every row once per component, with the variables of that component. Returns false when there is no memory. */
static bool repeat_rows(pio_filter_desc *h, int32_t groups, int32_t components)
{
    const int32_t entries = h->start[groups], rows = groups * components;
    int32_t *start = malloc(sizeof *start * ((size_t)rows + 1)),
            *from = malloc(sizeof *from * ((size_t)entries * (size_t)components + 1));
    double *weight = malloc(sizeof *weight * ((size_t)entries * (size_t)components + 1));
    if (start && from && weight) {
        int32_t n = 0;
        for (int32_t row = 0; row < rows; row++) {
            start[row] = n;
            for (int32_t e = h->start[row / components]; e < h->start[row / components + 1]; e++) {
                from[n] = h->from[e] * components + row % components;
                weight[n++] = h->weight[e];
            }
        }
        start[rows] = n;
    }
    free_lists(h);
    *h = (pio_filter_desc){.start = start, .from = from, .weight = weight};
    return start && from && weight && pio_filter_transpose(h, rows);
}

piola_status pio_surface_filter(pio_filter_desc **out, const pio_model *m, int body, const pio_design_desc *d,
                                double radius, piola_error *error)
{
    int32_t n;
    int64_t missing;
    place *places = find_surface(m, body, d->index, radius, &n, &missing);
    *out = NULL;
    if (missing >= 0) {
        const double *x = m->fem->rest + missing * m->scene->method.dimension;
        free(places);
        return pio_fail(error, PIOLA_BAD_DATA,
                        "the node at (%g, %g%s) of body '%s' is on no outer face that lies wholly in `on`, and so has "
                        "no area to filter by",
                        x[0], x[1], m->scene->method.dimension == 3 ? ", ..." : "", m->scene->matter.bodies[body].name);
    }
    const piola_status rc = make_filter(out, places, n, d->groups, radius, error);
    if (rc || d->components == 1) return rc;
    return repeat_rows(*out, d->groups, d->components) ? PIOLA_OK : pio_fail_memory(error, (size_t)n * 24, "a filter");
}

void pio_filter_free(pio_filter_desc *h)
{
    if (!h) return;
    free_lists(h);
    free(h);
}

void pio_filter_apply(const pio_filter_desc *h, bool transposed, int32_t variables, const double *z, double *out)
{
    const int32_t *start = transposed ? h->transposed_start : h->start,
                  *from = transposed ? h->transposed_from : h->from;
    const double *weight = transposed ? h->transposed_weight : h->weight;
    piola_error error = {0};
    if (h->apply) {
        const bool failed = h->apply(h, transposed, z, out, &error);
        for (int32_t v = 0; failed && v < variables; v++) out[v] = NAN;
        return;
    }
    for (int32_t v = 0; v < variables; v++) {
        out[v] = h->offset && !transposed ? h->offset[v] : 0;
        for (int32_t e = start[v]; e < start[v + 1]; e++) out[v] += weight[e] * z[from[e]];
    }
}

void pio_filter_adj(const pio_filter_desc *h, int32_t variables, const double *out_bar, double *z_bar)
{
    double *own = h->apply ? malloc(sizeof *own * ((size_t)variables + 1)) : NULL;
    if (own) pio_filter_apply(h, true, variables, out_bar, own);
    for (int32_t v = 0; v < variables; v++) {
        if (h->apply) z_bar[v] += own ? own[v] : (double)NAN;
        for (int32_t e = h->apply ? 0 : h->transposed_start[v]; !h->apply && e < h->transposed_start[v + 1]; e++)
            z_bar[v] += h->transposed_weight[e] * out_bar[h->transposed_from[e]];
    }
    free(own);
}

/* ---- smoothness ----------------------------------------------------------------------------------------- */

static piola_status add_pairs(pio_pairs *out, const pio_model *m, int b, const int32_t *index, piola_error *error)
{
    const pio_mesh *mesh = &m->fem->mesh[b];
    const int64_t first = m->fem->element_first[b];
    pio_face_list faces;
    int32_t *other;
    const piola_status rc = pio_mesh_inner_faces(mesh, &faces, &other, error);
    if (rc) return rc;
    const size_t room = (size_t)out->n + (size_t)faces.n + 1;
    int32_t(*variable)[2] = realloc(out->variable, sizeof *variable * room);
    if (variable) out->variable = variable;
    double *weight = variable ? realloc(out->weight, sizeof *weight * room) : NULL;
    if (weight) out->weight = weight;
    double *area = weight ? realloc(out->area, sizeof *area * room) : NULL;
    if (area) out->area = area;
    for (int32_t i = 0; area && i < faces.n; i++) {
        double x[3], y[3];
        const int32_t cell = faces.item[i].cell, v = index[first + cell], w = index[first + other[i]];
        if (v < 0 || w < 0) continue;
        middle_of(mesh, cell, x);
        middle_of(mesh, other[i], y);
        variable[out->n][0] = v;
        variable[out->n][1] = w;
        area[out->n] = pio_mesh_face_area(mesh, faces.item[i]);
        weight[out->n] = area[out->n] / hypot(hypot(x[0] - y[0], x[1] - y[1]), x[2] - y[2]);
        out->n++;
    }
    free(faces.item);
    free(other);
    return area ? PIOLA_OK : pio_fail_memory(error, room * sizeof *area, "pairs of elements");
}

piola_status pio_pairs_create(pio_pairs *out, const pio_model *m, const int32_t *index, piola_error *error)
{
    piola_status rc = PIOLA_OK;
    *out = (pio_pairs){0};
    for (int b = 0; !rc && b < m->fem->bodies; b++) rc = add_pairs(out, m, b, index, error);
    return rc;
}

void pio_pairs_free(pio_pairs *pairs)
{
    free(pairs->variable);
    free(pairs->weight);
    free(pairs->area);
    *pairs = (pio_pairs){0};
}

double pio_pairs_energy(const pio_pairs *pairs, const double *z, double scale, double *z_bar)
{
    double sum = 0;
    for (int32_t p = 0; p < pairs->n; p++) {
        const int32_t i = pairs->variable[p][0], j = pairs->variable[p][1];
        const double d = z[i] - z[j];
        sum += pairs->weight[p] * d * d;
        if (!z_bar) continue;
        z_bar[i] += 2 * scale * pairs->weight[p] * d;
        z_bar[j] -= 2 * scale * pairs->weight[p] * d;
    }
    return sum;
}

/* For |d| far below width: d^2/(sqrt(d^2 + width^2) + width), which loses no digits. */
double pio_smooth_absolute(double d, double width, double scale, double *slope)
{
    const double root = hypot(d, width);
    *slope = scale * d / root;
    return d * d / (root + width);
}

double pio_pairs_variation(const pio_pairs *pairs, const double *z, double width, double scale, double *z_bar)
{
    double sum = 0, slope;
    for (int32_t p = 0; p < pairs->n; p++) {
        const int32_t i = pairs->variable[p][0], j = pairs->variable[p][1];
        sum += pairs->area[p] * pio_smooth_absolute(z[i] - z[j], width, scale * pairs->area[p], &slope);
        if (!z_bar) continue;
        z_bar[i] += slope;
        z_bar[j] -= slope;
    }
    return sum;
}
