/* bench_fem_case.c -- see bench_fem_case.h. */
#include "host/bench/bench_fem_case.h"

#include "host/base/fail.h"
#include "host/scene/law.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double modulus = 1000, poisson = 0.3, density = 1000; /* Pa, -, kg/m^3 */
enum { ACROSS = 1 };                                               /* the axis of the force */

/* Sets the constants of a law, and lists which of them are moduli (Pa); -1 ends the list. */
static void constants(pio_hyper_law law, double parameters[5], int moduli[PIO_BENCH_FEM_CASE_MODULI + 1])
{
    pio_law_like((pio_law)law, modulus, poisson, parameters);
    memcpy(moduli, (int[]){0, -1, -1, -1}, sizeof *moduli * (PIO_BENCH_FEM_CASE_MODULI + 1));
    if (law == PIO_HYPER_MOONEY_RIVLIN) memcpy(moduli, (int[]){0, 1, 2}, sizeof *moduli * 3);
    if (law == PIO_HYPER_OGDEN) memcpy(moduli, (int[]){0, 2, 4}, sizeof *moduli * 3);
}

static piola_status allocate(pio_bench_fem_case *t, int dim, piola_error *error)
{
    const size_t nodes = (size_t)t->mesh.n_nodes, cells = (size_t)t->mesh.n_cells;
    t->rest = malloc(sizeof(double) * nodes * (size_t)dim);
    t->weight = calloc(3 * nodes, sizeof(double));
    t->law_parameters = malloc(sizeof(double) * cells * 5);
    t->density = malloc(sizeof(double) * cells);
    t->thickness = malloc(sizeof(double) * cells);
    t->law = malloc(sizeof(int32_t) * cells);
    t->parameter_form = calloc(cells, sizeof(int32_t));
    t->index = malloc(sizeof(int32_t) * cells);
    t->z = malloc(sizeof(double) * (3 + PIO_BENCH_FEM_CASE_MODULI * cells));
    if (!t->rest || !t->weight || !t->law_parameters || !t->density || !t->thickness || !t->law || !t->parameter_form ||
        !t->index || !t->z)
        return pio_fail_memory(error, sizeof(double) * (nodes * (size_t)(dim + 1) + cells * 12),
                               "a mesh of a benchmark case");
    return PIOLA_OK;
}

static void fill(pio_bench_fem_case *t, const pio_bench_fem_case_options *o, int dim)
{
    const pio_mesh *m = &t->mesh;
    double parameters[5];
    int moduli[PIO_BENCH_FEM_CASE_MODULI + 1];
    constants(o->law, parameters, moduli);
    for (int32_t i = 0; i < m->n_nodes; i++)
        for (int a = 0; a < dim; a++) t->rest[(int64_t)i * dim + a] = m->x[3 * (int64_t)i + a];
    for (int32_t e = 0; e < m->n_cells; e++) {
        memcpy(t->law_parameters + 5 * (int64_t)e, parameters, sizeof parameters);
        t->density[e] = density;
        t->thickness[e] = 1;
        t->law[e] = (int32_t)o->law;
        t->index[e] = e;
    }
    t->values[ACROSS] = o->force;
    t->design[0] = (pio_design_desc){.quantity = PIO_LOAD, .components = dim, .groups = 1, .b = 1};
    memcpy(t->z, t->values, sizeof *t->z * (size_t)dim);
    t->variables = dim;
    t->desc.n_designs = 1;
    for (int k = 0; moduli[k] >= 0; k++) {
        t->design[t->desc.n_designs++] = (pio_design_desc){.quantity = (pio_quantity)(PIO_LAW_PARAMETER_0 + moduli[k]),
                                                           .components = 1,
                                                           .groups = m->n_cells,
                                                           .index = t->index,
                                                           .each = 1,
                                                           .b = 1};
        for (int32_t e = 0; e < m->n_cells; e++) t->z[t->variables++] = parameters[moduli[k]];
    }
}

static piola_status constrain(pio_bench_fem_case *t, int dim, piola_error *error)
{
    pio_index_list left;
    const piola_status rc = pio_mesh_group_nodes(&t->mesh, "left", &left, error);
    if (rc) return rc;
    const int32_t n = left.n * dim;
    t->constrained_node = malloc(sizeof(int32_t) * (size_t)n);
    t->constrained_axis = malloc(sizeof(int32_t) * (size_t)n);
    t->constrained_support = calloc((size_t)n, sizeof(int32_t));
    for (int32_t i = 0; t->constrained_node && t->constrained_axis && i < n; i++) {
        t->constrained_node[i] = left.item[i / dim];
        t->constrained_axis[i] = i % dim;
    }
    free(left.item);
    if (!t->constrained_node || !t->constrained_axis || !t->constrained_support)
        return pio_fail_memory(error, 3 * sizeof(int32_t) * (size_t)n, "the supports of a benchmark case");
    t->support_curve = -1;
    t->fem.n_constrained = n;
    t->fem.n_supports = 1;
    return PIOLA_OK;
}

static piola_status apply_load(pio_bench_fem_case *t, pio_element_type type, piola_error *error)
{
    const int dim = t->mesh.dimension;
    const int nodes = pio_elements[pio_elements[type].face_type].nodes;
    pio_face_list right;
    const piola_status rc = pio_mesh_group_faces(&t->mesh, "right", &right, error);
    double area = 0, total = 0;
    if (rc) return rc;
    t->vertices = malloc(sizeof(int32_t) * (size_t)right.n * (size_t)nodes);
    t->owner = malloc(sizeof(int32_t) * (size_t)right.n);
    for (int32_t i = 0; t->vertices && t->owner && i < right.n; i++) {
        int32_t own[PIO_FACE_NODES];
        pio_mesh_face_nodes(&t->mesh, right.item[i], own);
        memcpy(t->vertices + (int64_t)i * nodes, own, sizeof *own * (size_t)nodes);
        t->owner[i] = right.item[i].cell;
        area += pio_mesh_face_area(&t->mesh, right.item[i]);
        for (int k = 0; k < nodes; k++)
            for (int a = 0; a < dim; a++) t->weight[own[k] * dim + a] = 1;
    }
    t->load = (pio_load_desc){.kind = PIO_TRACTION,
                              .type = pio_elements[type].face_type,
                              .n = right.n,
                              .vertices = t->vertices,
                              .owner = t->owner,
                              .scale = 1 / area};
    free(right.item);
    if (!t->vertices || !t->owner)
        return pio_fail_memory(error, sizeof(int32_t) * (size_t)(t->load.n * (nodes + 1)),
                               "the load of a benchmark case");
    for (int32_t i = 0; i < t->mesh.n_nodes; i++) total += t->weight[i * dim];
    for (int32_t i = 0; i < dim * t->mesh.n_nodes; i++) t->weight[i] /= total;
    return PIOLA_OK;
}

static void set_desc(pio_bench_fem_case *t, const pio_bench_fem_case_options *o, int dim)
{
    t->block = (pio_block_desc){.type = o->type, .n = t->mesh.n_cells, .nodes = t->mesh.block[o->type].nodes};
    t->curve_value = 1;
    t->curve_start[1] = 1;
    t->observation =
        (pio_observation_desc){.type = PIO_DISPLACEMENT, .components = dim, .samples = 1, .weight = t->weight};
    t->sample_weight = (pio_sample_weight){.step = 1, .weight = 1};
    pio_fem_desc *m = &t->fem;
    m->n = t->mesh.n_nodes;
    m->rest = t->rest;
    m->n_blocks = m->n_loads = m->n_values = m->n_curves = 1;
    m->blocks = &t->block;
    m->law = t->law;
    m->parameter_form = t->parameter_form;
    m->law_parameters = t->law_parameters;
    m->density = t->density;
    m->thickness = dim == 2 ? t->thickness : NULL;
    m->loads = &t->load;
    m->values = t->values;
    m->constrained_node = t->constrained_node;
    m->constrained_axis = t->constrained_axis;
    m->constrained_support = t->constrained_support;
    m->support_value = &t->support_value;
    m->support_curve = &t->support_curve;
    m->curve_start = t->curve_start;
    m->curve_t = &t->curve_t;
    m->curve_value = &t->curve_value;
    m->preconditioner = o->preconditioner;
    m->newton_tolerance = m->adjoint_tolerance = o->tolerance;
    m->newton_iterations = 30;
    m->linear_iterations = 20000;
    m->product = o->product;
    pio_engine_desc *d = &t->desc;
    d->size = sizeof *d;
    d->threads = o->threads;
    d->timing = o->timing;
    d->dt = 1;
    d->steps = d->slots = d->adjoint = 1;
    d->n_observations = d->n_sample_weights = 1;
    d->observations = &t->observation;
    d->sample_weights = &t->sample_weight;
    d->designs = t->design;
    d->fem = m;
}

piola_status pio_bench_fem_case_create(pio_bench_fem_case *t, const pio_bench_fem_case_options *o, piola_error *error)
{
    const int dim = pio_elements[o->type].dimension;
    const int32_t count[3] = {o->cells, o->cells, dim == 3 ? o->cells : 1};
    static const double origin[3] = {0}, size[3] = {1, 1, 1};
    memset(t, 0, sizeof *t);
    piola_status rc = pio_mesh_box(&t->mesh, o->type, count, origin, size, error);
    if (!rc) rc = allocate(t, dim, error);
    if (!rc) {
        fill(t, o, dim);
        rc = constrain(t, dim, error);
    }
    if (!rc) rc = apply_load(t, o->type, error);
    if (rc)
        pio_bench_fem_case_free(t);
    else
        set_desc(t, o, dim);
    return rc;
}

void pio_bench_fem_case_free(pio_bench_fem_case *t)
{
    void *all[] = {t->rest,
                   t->law_parameters,
                   t->density,
                   t->thickness,
                   t->weight,
                   t->z,
                   t->law,
                   t->parameter_form,
                   t->constrained_node,
                   t->constrained_axis,
                   t->constrained_support,
                   t->vertices,
                   t->owner,
                   t->index};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    pio_mesh_free(&t->mesh);
    memset(t, 0, sizeof *t);
}

double pio_bench_fem_case_defect(const pio_bench_fem_case *t, const double *gradient)
{
    double sum = 0, force = 0;
    for (int64_t i = 0; i < t->variables; i++) sum += t->z[i] * gradient[i];
    for (int32_t c = 0; c < t->design[0].components; c++) force += t->z[c] * gradient[c];
    return fabs(sum) / fabs(force);
}

double pio_bench_fem_case_objective(const double *samples, double *samples_bar)
{
    for (int c = 0; samples_bar && c < PIO_BENCH_FEM_CASE_SAMPLES; c++) samples_bar[c] = c == ACROSS;
    return samples[ACROSS];
}
