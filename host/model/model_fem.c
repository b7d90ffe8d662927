/* model_fem.c -- see model_fem.h: meshes, and materials of elements. */
#include "host/model/model_fem.h"

#include "host/base/fail.h"
#include "host/scene/law.h"
#include "host/scene/scene_names.h"
#include "host/scene/scene_query.h"
#include "host/base/stop.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- meshes --------------------------------------------------------------------------------------------- */

static piola_status build(const pio_scene *s, const scene_geometry *g, pio_mesh *out, piola_error *error)
{
    const pio_element_type type = g->element;
    int32_t count[3] = {1, 1, 1};
    double size[3] = {0}, corner[4][2];
    for (size_t a = 0; a < g->elements.n && a < 3; a++) count[a] = (int32_t)g->elements.v[a];
    switch (g->mesh) {
    case SCENE_MESH_BOX:
        for (int a = 0; a < s->method.dimension; a++) size[a] = g->max[a] - g->min[a];
        return pio_mesh_box(out, type, count, g->min, size, error);
    case SCENE_MESH_QUADRILATERAL:
        for (int k = 0; k < 8; k++) corner[k / 2][k % 2] = g->corners.v[k];
        return pio_mesh_quadrilateral(out, type, count, (const double(*)[2])corner, error);
    case SCENE_MESH_PLATE:
        return pio_mesh_plate(out, type, count, g->radius, g->size, g->thickness, error);
    case SCENE_MESH_FILE:
        break;
    }
    return pio_fail(error, PIOLA_INTERNAL, "no such geometry");
}

static piola_status read_file(const pio_scene *s, const scene_geometry *g, size_t number, pio_mesh *out,
                              piola_error *error)
{
    char path[PATH_MAX], where[64];
    piola_status rc = pio_scene_file(s, g->file, path, sizeof path, error);
    if (!rc) rc = pio_mesh_read(out, path, error);
    if (rc || out->dimension == s->method.dimension) return rc;
    snprintf(where, sizeof where, "geometry[%zu].file", number);
    return pio_scene_fault(s, error, where, "the mesh is %dD and method.dimension is %d", out->dimension,
                           s->method.dimension);
}

static piola_status make_mesh(const pio_model *m, size_t b, pio_mesh *out, piola_error *error)
{
    const pio_scene *s = m->scene;
    const scene_body *body = &s->matter.bodies[b];
    piola_error inner = {0};
    const scene_geometry *g = pio_scene_geometry(s, body->geometry);
    const size_t number = (size_t)(g - s->matter.geometry);
    piola_status rc = g->mesh == SCENE_MESH_FILE ? read_file(s, g, number, out, error) : build(s, g, out, &inner);
    if (rc == PIOLA_BAD_DATA && g->mesh != SCENE_MESH_FILE) {
        char where[64];
        snprintf(where, sizeof where, "geometry[%zu]", number);
        return pio_scene_fault(s, error, where, "%s", inner.message);
    }
    if (rc && g->mesh != SCENE_MESH_FILE) return pio_fail(error, rc, "%s", inner.message);
    const bool scaled = g->mesh == SCENE_MESH_FILE && !isnan(g->scale);
    const double scale = scaled ? g->scale : 1;
    if (!rc) pio_mesh_check_size(out, g->mesh == SCENE_MESH_FILE ? g->scale : 1);
    for (int64_t i = 0; !rc && i < out->n_nodes; i++)
        for (int a = 0; a < s->method.dimension; a++) out->x[3 * i + a] = scale * out->x[3 * i + a] + body->position[a];
    return rc;
}

/* ---- elements ------------------------------------------------------------------------------------------- */

/* Returns the form of a material's parameters. In plane stress the linear law has a lambda of its own; others find F33
 * (kernels/material/hyperelastic_third.h). */
static int32_t law_form(const scene_material *mat, bool stress)
{
    const int32_t lame = !(LAW_BIT(mat->model) & LAWS_OWN) && mat->by_lame_parameters;
    return lame + (stress && mat->model == PIO_HYPER_LINEAR ? 2 : 0);
}

static void set_constants(pio_model_fem *f, int64_t e, const scene_material *mat, bool stress)
{
    double *parameters = f->law_parameters + PIO_LAW_CONSTANTS * e;
    f->law[e] = pio_law_of(mat);
    f->density[e] = mat->density;
    if (f->expansion) f->expansion[e] = mat->expansion;
    f->parameter_form[e] = law_form(mat, stress);
    if (e && f->material[e] == f->material[e - 1])
        memcpy(parameters, parameters - PIO_LAW_CONSTANTS, PIO_LAW_CONSTANTS * sizeof *parameters);
    else
        pio_law_parameters(mat, parameters);
}

static piola_status set_regions(pio_model *m, size_t b, piola_error *error)
{
    const scene_body *body = &m->scene->matter.bodies[b];
    pio_model_fem *f = m->fem;
    for (size_t r = 0; r < body->n_regions; r++) {
        const scene_where *on = &body->regions[r].on;
        pio_index_list cells;
        char where[80];
        snprintf(where, sizeof where, "bodies[%zu].regions[%zu].on", b, r);
        const piola_status rc = pio_model_elements(m, where, b, on, &cells, error);
        if (rc) return rc;
        for (int32_t i = 0; i < cells.n; i++)
            f->material[cells.item[i]] = pio_scene_material_number(m->scene, body->regions[r].material);
        free(cells.item);
    }
    return PIOLA_OK;
}

/* Completes the interpolation of a body whose rest is another material. */
static void set_other(const pio_scene *s, const scene_body *body, pio_interpolation *out)
{
    const scene_material *other = pio_scene_material(s, body->other);
    out->mixed = 1;
    out->least = 0;
    out->other_form = law_form(other, s->fem.plane == PIO_PLANE_STRESS);
    out->other_density = other->density;
    pio_law_parameters(other, out->other);
}

/* Completes the interpolation of a body that chooses between its own material and a second one. */
static void set_second(const pio_scene *s, const scene_body *body, pio_interpolation *out)
{
    const scene_material *second = pio_scene_material(s, body->second);
    out->chosen = 1;
    out->second_form = law_form(second, s->fem.plane == PIO_PLANE_STRESS);
    out->second_density = second->density;
    pio_law_parameters(second, out->second);
}

static void set_relative_density(const pio_scene *s, pio_model_fem *f, int64_t e, size_t b)
{
    const scene_body *body = &s->matter.bodies[b];
    const bool partial = pio_scene_body_is_partial(body);
    f->relative_density[e] = partial ? body->relative_density : 1;
    f->interpolation[e] = partial ? (int32_t)b : -1;
    f->interpolations[b] = body->interpolation;
    if (partial && body->other) set_other(s, body, &f->interpolations[b]);
    if (partial && body->second) set_second(s, body, &f->interpolations[b]);
    if (f->choice) f->choice[e] = partial && body->second ? body->choice : 1;
}

static piola_status set_elements(pio_model *m, piola_error *error)
{
    const pio_scene *s = m->scene;
    pio_model_fem *f = m->fem;
    piola_status rc = PIOLA_OK;
    for (size_t b = 0; !rc && b < s->matter.n_bodies; b++) {
        const int own = pio_scene_material_number(s, s->matter.bodies[b].material);
        for (int64_t e = f->element_first[b]; e < f->element_first[b + 1]; e++) {
            f->body[e] = (int32_t)b;
            f->material[e] = own;
            if (f->thickness) f->thickness[e] = s->matter.bodies[b].thickness;
            if (f->temperature) f->temperature[e] = s->matter.bodies[b].temperature;
            if (f->relative_density) set_relative_density(s, f, e, b);
        }
        rc = set_regions(m, b, error);
    }
    for (int64_t e = 0; !rc && e < f->element_first[s->matter.n_bodies]; e++)
        set_constants(f, e, &s->materials.v[f->material[e]], s->fem.plane == PIO_PLANE_STRESS);
    return rc;
}

/* Makes blocks in the order of the meshes' cells, with nodes renumbered over all bodies. */
static piola_status set_blocks(pio_model *m, piola_error *error)
{
    pio_model_fem *f = m->fem;
    for (int b = 0; b < f->bodies; b++)
        for (int t = PIO_TRI3; t < PIO_ELEMENT_TYPES; t++) {
            const pio_mesh_block *from = &f->mesh[b].block[t];
            if (!from->n || pio_elements[t].dimension != f->mesh[b].dimension) continue;
            const size_t count = (size_t)from->n * (size_t)pio_elements[t].nodes;
            int32_t *nodes = malloc(sizeof *nodes * count);
            if (!nodes) return pio_fail_memory(error, sizeof *nodes * count, "elements");
            for (size_t i = 0; i < count; i++) nodes[i] = from->nodes[i] + (int32_t)f->node_first[b];
            f->blocks[f->desc.n_blocks++] = (pio_block_desc){
                .type = (pio_element_type)t,
                .n = from->n,
                .nodes = nodes,
                .dilatation = m->scene->matter.bodies[b].dilatation,
            };
        }
    return PIOLA_OK;
}

static piola_status take_elements(pio_model *m, piola_error *error)
{
    pio_model_fem *f = m->fem;
    const size_t n = (size_t)f->node_first[f->bodies], e = (size_t)f->element_first[f->bodies];
    const size_t dim = (size_t)m->scene->method.dimension;
    const bool heated = pio_scene_is_heated(m->scene);
    bool chosen = false, partial = false;
    f->rest = malloc(sizeof(double) * dim * (n + 1));
    f->law_parameters = calloc(PIO_LAW_CONSTANTS * (e + 1), sizeof(double));
    f->density = calloc(e + 1, sizeof(double));
    f->law = calloc(e + 1, sizeof(int32_t));
    f->parameter_form = calloc(e + 1, sizeof(int32_t));
    f->body = calloc(e + 1, sizeof(int32_t));
    f->material = calloc(e + 1, sizeof(int32_t));
    f->blocks = calloc((size_t)f->bodies * PIO_ELEMENT_TYPES + 1, sizeof *f->blocks);
    if (dim == 2) f->thickness = calloc(e + 1, sizeof(double));
    for (int b = 0; b < f->bodies; b++) partial |= pio_scene_body_is_partial(&m->scene->matter.bodies[b]);
    if (partial) f->relative_density = calloc(e + 1, sizeof(double));
    for (int b = 0; b < f->bodies; b++) chosen |= m->scene->matter.bodies[b].second != NULL;
    if (chosen) f->choice = calloc(e + 1, sizeof(double));
    if (partial) f->interpolation = calloc(e + 1, sizeof(int32_t));
    if (partial) f->interpolations = calloc((size_t)f->bodies + 1, sizeof *f->interpolations);
    if (heated) f->expansion = calloc(e + 1, sizeof(double));
    if (heated) f->temperature = calloc(e + 1, sizeof(double));
    if (!f->rest || !f->law_parameters || !f->density || !f->law || !f->parameter_form || !f->body || !f->material ||
        !f->blocks || (partial && (!f->relative_density || !f->interpolation || !f->interpolations)) ||
        (chosen && !f->choice) || (dim == 2 && !f->thickness) || (heated && (!f->expansion || !f->temperature)))
        return pio_fail_memory(error, sizeof(double) * (dim * n + 8 * e), "elements");
    for (int b = 0; b < f->bodies; b++)
        for (int64_t i = 0; i < f->mesh[b].n_nodes; i++)
            for (size_t a = 0; a < dim; a++)
                f->rest[(size_t)(f->node_first[b] + i) * dim + a] = f->mesh[b].x[3 * i + (int64_t)a];
    return PIOLA_OK;
}

static piola_status make_meshes(pio_model *m, piola_error *error)
{
    pio_model_fem *f = m->fem;
    const size_t bodies = m->scene->matter.n_bodies;
    f->mesh = calloc(bodies + 1, sizeof *f->mesh);
    f->node_first = calloc(bodies + 1, sizeof *f->node_first);
    f->element_first = calloc(bodies + 1, sizeof *f->element_first);
    if (!f->mesh || !f->node_first || !f->element_first)
        return pio_fail_memory(error, bodies * sizeof *f->mesh, "bodies");
    f->edge = INFINITY;
    for (size_t b = 0; b < bodies; b++) {
        f->bodies = (int)b + 1; /* to be freed, even where it is not right */
        const piola_status rc = make_mesh(m, b, &f->mesh[b], error);
        if (rc) return rc;
        f->node_first[b + 1] = f->node_first[b] + f->mesh[b].n_nodes;
        f->element_first[b + 1] = f->element_first[b] + f->mesh[b].n_cells;
        f->edge = fmin(f->edge, pio_mesh_shortest_edge(&f->mesh[b]));
        const piola_status stopped = pio_stop("measuring a mesh", error);
        if (stopped) return stopped;
    }
    if (f->node_first[bodies] > INT32_MAX || f->element_first[bodies] > INT32_MAX)
        return pio_fail(error, PIOLA_BAD_DATA, "the bodies have %lld nodes; at most 2^31 - 1 are possible",
                        (long long)f->node_first[bodies]);
    return PIOLA_OK;
}

piola_status pio_model_fem_create(pio_model *m, piola_error *error)
{
    const pio_scene *s = m->scene;
    m->fem = calloc(1, sizeof *m->fem);
    if (!m->fem) return pio_fail_memory(error, sizeof *m->fem, "a mesh");
    piola_status rc = make_meshes(m, error);
    if (!rc) rc = take_elements(m, error);
    if (!rc) rc = pio_stop("setting up elements", error);
    if (!rc) rc = set_elements(m, error);
    if (!rc) rc = pio_stop("setting up elements", error);
    if (!rc) rc = set_blocks(m, error);
    if (!rc) rc = pio_stop("setting up elements", error);
    if (!rc) rc = pio_model_supports(m, error);
    if (!rc) rc = pio_model_rings(m, error);
    if (!rc) rc = pio_model_ties(m, error);
    if (!rc) rc = pio_stop("setting up supports and loads", error);
    if (!rc) rc = pio_model_loads(m, error);
    if (!rc) rc = pio_stop("setting up supports and loads", error);
    if (!rc) rc = pio_model_contacts(m, error);
    if (!rc) rc = pio_model_vary(m, error);
    if (!rc) rc = pio_model_heat(m, error);
    if (!rc) rc = pio_model_locking(m, error);
    if (!rc && s->fem.integrator != PIO_STATIC) rc = pio_model_motion(m, error); /* also modal: integrator and masses */
    if (rc) return rc;
    pio_model_fem *f = m->fem;
    pio_fem_desc *d = &f->desc;
    d->n = f->node_first[f->bodies];
    d->rest = f->rest;
    d->blocks = f->blocks;
    d->law = f->law;
    d->parameter_form = f->parameter_form;
    d->plane = s->method.dimension == 2 ? s->fem.plane : PIO_PLANE_STRAIN;
    d->law_parameters = f->law_parameters;
    d->density = f->density;
    d->thickness = f->thickness;
    d->expansion = f->expansion;
    d->temperature = f->temperature;
    d->relative_density = f->relative_density;
    d->choice = f->choice;
    d->interpolation = f->interpolation;
    d->interpolations = f->interpolations;
    d->n_interpolations = f->relative_density ? f->bodies : 0;
    d->newton_iterations = s->fem.newton_iterations;
    d->linear_iterations = s->fem.linear_iterations;
    d->halvings = s->fem.halvings;
    d->projection = s->fem.projection;
    d->linear = s->fem.linear;
    d->direct_memory = s->fem.direct_memory;
    d->product = s->fem.product;
    d->preconditioner = s->fem.preconditioner;
    d->stress_places = pio_scene_stress_places(s);
    d->repeated = s->time.repeated;
    m->desc.fem = d;
    pio_model_precision(m, s->method.precision == SCENE_F32);
    return PIOLA_OK;
}

/* In f32 the displacement u itself and F = I + grad u are rounded, which leaves a residual of about eps |K u| at every
 * node. Measured on a cube of N elements a side, bent by 14 %: of equilibrium 3e-7 N, of the adjoint solve 5e-7
 * N^(3/2); on a square bent by 1.3 %: 6e-5 to 1.4e-4 for N = 32 to 128. */
double pio_fem_tolerance(bool f32)
{
    return f32 ? 1e-3 : 1e-10;
}

void pio_model_precision(pio_model *m, bool f32)
{
    const pio_scene *s = m->scene;
    if (!m->fem) return;
    m->fem->desc.newton_tolerance = isnan(s->fem.newton_tolerance) ? pio_fem_tolerance(f32) : s->fem.newton_tolerance;
    m->fem->desc.adjoint_tolerance =
        isnan(s->fem.adjoint_tolerance) ? pio_fem_tolerance(f32) : s->fem.adjoint_tolerance;
}

void pio_model_fem_free(pio_model_fem *f)
{
    if (!f) return;
    pio_model_vary_free(f);
    for (int b = 0; b < f->bodies; b++) pio_mesh_free(&f->mesh[b]);
    for (int b = 0; b < f->desc.n_blocks; b++) free((void *)f->blocks[b].nodes);
    for (int l = 0; l < f->desc.n_loads; l++) {
        free((void *)f->loads[l].vertices);
        free((void *)f->loads[l].owner);
    }
    pio_model_contacts_free(f);
    void *all[] = {f->mesh,
                   f->node_first,
                   f->element_first,
                   f->blocks,
                   f->body,
                   f->material,
                   f->rest,
                   f->law_parameters,
                   f->density,
                   f->thickness,
                   f->expansion,
                   f->temperature,
                   f->relative_density,
                   f->choice,
                   f->interpolation,
                   f->interpolations,
                   f->law,
                   f->parameter_form,
                   f->alpha,
                   f->beta,
                   f->displacement,
                   f->velocity,
                   f->loads,
                   f->values,
                   f->constrained_node,
                   f->constrained_axis,
                   f->constrained_support,
                   f->support_curve,
                   f->curve_start,
                   f->support_value,
                   f->curve_t,
                   f->curve_value,
                   f->support_first,
                   f->support_boundary,
                   f->follows,
                   f->follow_parameters,
                   f->tied,
                   f->tied_start,
                   f->tied_master,
                   f->tied_weight};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    free(f);
}
