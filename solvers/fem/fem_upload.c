/* fem_upload.c -- a mesh's description goes to the device, into the memory that fem_layout took. */
#include "solvers/fem/fem.h"
#include "solvers/fem/fem_contact.h"
#include "solvers/fem/fem_pairs_friction.h"
#include "solvers/fem/fem_sink.h"
#include "solvers/fem/fem_modal.h"
#include "solvers/fem/fem_observe.h"
#include "solvers/fem/fem_stress.h"
#include "solvers/fem/fem_vary.h"

#include <stdlib.h>
#include <string.h>

static int stops(const fem_sim *f)
{
    return f->base.interrupted && f->base.interrupted();
}

piola_status fem_stopped(const fem_sim *f, piola_error *error)
{
    const char *why = f->base.interrupted ? f->base.interrupted() : NULL;
    return why ? sim_fail(error, PIOLA_INTERRUPTED, "interrupted by %s in setting up a mesh", why) : PIOLA_OK;
}

/* Does nothing where the program is to stop, which fem_upload reports in the end. */
static void upload_field(fem_sim *f, real *out, const double *in, int components)
{
    pio_sim *s = &f->base;
    for (int c = 0; c < components && !stops(f); c++) {
        for (int i = 0; i < f->mesh.elements; i++) s->host_transfer[i] = in[(ptrdiff_t)i * components + c];
        pio_queue_upload(&s->queue, s->transfer, s->host_transfer, sizeof(double) * (size_t)f->mesh.elements);
        pio_map(&s->queue, field_write, f->mesh.elements, NULL, .in = s->transfer, .n = f->mesh.elements,
                .components = components, .component = c, .out = out);
    }
}

static void upload_points(fem_sim *f, real *out, const double *in)
{
    pio_sim *s = &f->base;
    for (int c = 0; c < DIM; c++) {
        for (int i = 0; i < f->mesh.nodes; i++) s->host_transfer[i] = in[(ptrdiff_t)i * DIM + c];
        pio_queue_upload(&s->queue, s->transfer, s->host_transfer, sizeof(double) * (size_t)f->mesh.nodes);
        pio_map(&s->queue, point_write, f->mesh.nodes, NULL, .component = c, .in = s->transfer, .x = out);
    }
}

static void upload_rules(fem_sim *f)
{
    for (int r = 0; r < RULES; r++)
        for (int t = 0; t < PIO_ELEMENT_TYPES; t++) {
            const fem_rule *rule = &f->mesh.rule[r][t];
            if (rule->w)
                pio_map(&f->base.queue, fem_table, rule->points, NULL, .type = t, .points = rule->points,
                        .w = (real *)(uintptr_t)rule->w, .N = (real *)(uintptr_t)rule->N,
                        .dN = (real *)(uintptr_t)rule->dN);
        }
}

#define UPLOAD(target, source, count) pio_queue_upload(q, target, source, sizeof *(source) * (size_t)(count))

static void upload_mesh(fem_sim *f, const pio_fem_desc *m)
{
    pio_queue *q = &f->base.queue;
    for (int b = 0; b < f->mesh.n_blocks; b++) {
        const fem_element_block *p = &f->mesh.block[b];
        const int nodes = fem_nodes_of(p->type);
        int node_pair[ELEMENT_NODES * (ELEMENT_NODES + 1) / 2], n = 0;
        for (int i = 0; i < nodes; i++)
            for (int j = i; j < nodes; j++) node_pair[n++] = i << 8 | j;
        UPLOAD(p->node_pair, node_pair, n);
        UPLOAD(p->node, m->blocks[b].nodes, (size_t)p->n * (size_t)nodes);
    }
    upload_points(f, f->mesh.reference, m->rest);
    pio_queue_copy(q, f->mesh.rest, f->mesh.reference, sizeof(real) * DIM * (size_t)f->mesh.nodes);
    if (!f->setup.start_only) {
        UPLOAD(f->mesh.dof_start, f->setup.at_node.start, f->mesh.nodes + 1);
        UPLOAD(f->mesh.dof_list, f->setup.at_node.list, f->mesh.element_dofs);
    }
    if (f->materials.rows) {
        fem_rows_upload(f, m);
    } else {
        UPLOAD(f->materials.law, m->law, f->mesh.elements);
        UPLOAD(f->materials.parameter_form, m->parameter_form, f->mesh.elements);
        upload_field(f, f->materials.parameters, m->law_parameters, PIO_LAW_CONSTANTS);
        upload_field(f, f->materials.density, m->density, 1);
    }
    if (f->materials.n_interpolations) {
        UPLOAD(f->materials.interpolation, m->interpolation, f->mesh.elements);
        UPLOAD(f->materials.interpolations, m->interpolations, f->materials.n_interpolations);
        upload_field(f, f->materials.relative, m->relative_density, 1);
    }
    if (f->materials.has_choice) upload_field(f, f->materials.choice, m->choice, 1);
    if (f->materials.has_thickness) upload_field(f, f->materials.thickness, m->thickness, 1);
    if (f->materials.has_heat) {
        upload_field(f, f->materials.expansion, m->expansion, 1);
        upload_field(f, f->materials.temperature, m->temperature, 1);
    }
    if (fem_is_modal(f)) fem_modal_begin(f);
    if (!fem_moves(f)) return;
    if (f->damping.alpha && m->alpha) upload_field(f, f->damping.alpha, m->alpha, 1);
    if (f->damping.beta && m->beta) upload_field(f, f->damping.beta, m->beta, 1);
    if (m->displacement) upload_points(f, f->motion.initial_u, m->displacement);
    if (m->velocity) upload_points(f, f->motion.initial_v, m->velocity);
}

/* Which unknowns stay where the mesh follows its design, and the elastic body whose motion it is. */
static piola_status upload_follow(fem_sim *f, const pio_fem_desc *m, piola_error *error)
{
    pio_queue *q = &f->base.queue;
    if (!m->follows) return PIOLA_OK;
    int *stays = calloc((size_t)f->mesh.nodes, sizeof *stays);
    if (!stays) return sim_fail(error, PIOLA_NO_MEMORY, "no host memory for %d nodes", f->mesh.nodes);
    for (int i = 0; i < f->mesh.nodes; i++) stays[i] = ~m->follows[i] & ((1 << DIM) - 1);
    UPLOAD(f->morph.fixed, stays, f->mesh.nodes);
    free(stays);
    pio_queue_zero(q, f->morph.law,
                   sizeof(int) * (size_t)f->mesh.elements); /* PIO_HYPER_LINEAR, and constants E and nu */
    upload_field(f, f->morph.parameters, m->follow_parameters, PIO_LAW_CONSTANTS);
    pio_map(q, fem_constants, f->mesh.elements, NULL, .n = f->mesh.elements, .law = f->morph.law,
            .parameter_form = f->morph.law, .parameters = f->morph.parameters, .k = f->morph.k);
    return PIOLA_OK;
}

static piola_status upload_supports(fem_sim *f, const pio_fem_desc *m, piola_error *error)
{
    pio_queue *q = &f->base.queue;
    int *constrained = calloc((size_t)f->mesh.nodes, sizeof *constrained);
    if (!constrained) return sim_fail(error, PIOLA_NO_MEMORY, "no host memory for %d nodes", f->mesh.nodes);
    for (int i = 0; i < m->ties.n; i++) constrained[m->ties.node[i]] = (1 << DIM) - 1; /* see fem_tie.c */
    for (int i = 0; i < f->supports.n_constrained; i++)
        constrained[m->constrained_node[i]] |= 1 << m->constrained_axis[i];
    UPLOAD(f->supports.constrained, constrained, f->mesh.nodes);
    const piola_status rc = f->lattice.free_list ? fem_lattice_upload(f, constrained, error) : PIOLA_OK;
    free(constrained);
    if (f->supports.n_constrained) {
        UPLOAD(f->supports.node, m->constrained_node, f->supports.n_constrained);
        UPLOAD(f->supports.axis, m->constrained_axis, f->supports.n_constrained);
        UPLOAD(f->supports.support, m->constrained_support, f->supports.n_constrained);
        UPLOAD(f->supports.value, m->support_value, f->supports.n_supports);
        UPLOAD(f->supports.curve, m->support_curve, f->supports.n_supports);
    }
    return rc;
}

static void upload_loads(fem_sim *f, const pio_fem_desc *m)
{
    pio_queue *q = &f->base.queue;
    for (const fem_load *l = f->loads.load; l < f->loads.load + f->loads.n_loads; l++) {
        if (l->vertex) UPLOAD(l->vertex, l->desc.vertices, (size_t)l->desc.n * (size_t)fem_nodes_of(l->desc.type));
        UPLOAD(l->owner, l->desc.owner, l->desc.n);
    }
    if (f->loads.n_values) UPLOAD(f->loads.values, m->values, 3 * (size_t)f->loads.n_values);
    if (!f->setup.start_only) UPLOAD(f->faces.dof_start, f->setup.at_vertex.start, f->mesh.nodes + 1);
    if (!f->setup.start_only && f->faces.element_dofs)
        UPLOAD(f->faces.dof_list, f->setup.at_vertex.list, f->faces.element_dofs);
    UPLOAD(f->curves.start, m->curve_start, f->curves.n_curves + 1);
    if (m->curve_start[f->curves.n_curves]) {
        UPLOAD(f->curves.t, m->curve_t, m->curve_start[f->curves.n_curves]);
        UPLOAD(f->curves.value, m->curve_value, m->curve_start[f->curves.n_curves]);
    }
}

static void upload_filter(fem_sim *f, const fem_design *d)
{
    pio_queue *q = &f->base.queue;
    const pio_filter_desc *h = d->desc.filter;
    const int n = d->desc.groups * d->desc.components, entries = h->start[n];
    UPLOAD(d->start, h->start, n + 1);
    UPLOAD(d->from, h->from, entries);
    UPLOAD(d->weight, h->weight, entries);
    UPLOAD(d->transposed_start, h->transposed_start, n + 1);
    UPLOAD(d->transposed_from, h->transposed_from, entries);
    UPLOAD(d->transposed_weight, h->transposed_weight, entries);
    if (d->offset) UPLOAD(d->offset, h->offset, n);
}

/* Numbers of any length become reals by the host's transfer. */
static void upload_reals(fem_sim *f, real *out, const double *in, size_t n)
{
    pio_sim *s = &f->base;
    const size_t most = (size_t)f->mesh.nodes;
    for (size_t at = 0; at < n; at += most) {
        const int part = (int)(n - at < most ? n - at : most);
        pio_queue_upload(&s->queue, s->transfer, in + at, sizeof(double) * (size_t)part);
        pio_map(&s->queue, field_write, part, NULL, .in = s->transfer, .n = part, .components = 1, .component = 0,
                .out = out + at);
    }
}

/* The point of a field in each element that has it; or the nodes of the points of a distance. */
static void upload_places(fem_sim *f, const fem_observation *o)
{
    pio_queue *q = &f->base.queue;
    const pio_observation_desc *d = &o->desc;
    const fem_observed_places *p = &o->place;
    if (d->row_start) {
        UPLOAD(p->row_start, d->row_start, d->rows + 1);
        UPLOAD(p->row_node, d->row_node, p->entries);
        upload_reals(f, p->row_shape, d->row_shape, (size_t)p->entries);
        UPLOAD(p->node_start, d->node_start, f->mesh.nodes + 1);
        UPLOAD(p->node_row, d->node_row, p->entries);
        upload_reals(f, p->node_shape, d->node_shape, (size_t)p->entries);
        return;
    }
    upload_reals(f, p->xi, d->place_xi, 3 * (size_t)d->places);
    for (ptrdiff_t k = 0; k < d->places; k++) {
        const int type = fem_block_with(f, p->element[k])->type;
        pio_map(q, fem_probe_rule, 1, NULL, .type = type, .xi = p->xi + 3 * k, .w = p->w + k,
                .N = p->N + k * ELEMENT_NODES, .dN = p->dN + k * ELEMENT_NODES * DIM);
    }
}

static void upload_tables(fem_sim *f)
{
    pio_queue *q = &f->base.queue;
    for (const fem_design *d = f->design.designs; d < f->design.designs + f->design.n_designs; d++) {
        const size_t variables = (size_t)d->desc.groups * (size_t)d->desc.components;
        if (d->index) UPLOAD(d->index, d->desc.index, fem_nodal(d->desc.quantity) ? f->mesh.nodes : f->mesh.elements);
        if (d->start) upload_filter(f, d);
        if (d->member) UPLOAD(d->member_start, d->desc.member_start, d->desc.groups + 1);
        if (d->member) UPLOAD(d->member, d->desc.member, d->desc.member_start[d->desc.groups]);
        if (d->direction) upload_points(f, d->direction, d->desc.direction);
        if (!d->desc.start) continue;
        UPLOAD(f->base.z_start + d->first, d->desc.start, variables);
        UPLOAD(f->base.reference + d->first, d->desc.reference, variables);
    }
    for (fem_observation *o = f->observe.observations; o < f->observe.observations + f->observe.n_observations; o++) {
        const pio_observation_desc *d = &o->desc;
        if (d->places || d->row_start) upload_places(f, o);
        if (o->weight) upload_points(f, o->weight, d->weight);
        if (o->element_weight) upload_field(f, o->element_weight, d->weight, 1);
        if (d->type != PIO_DISTANCE) continue;
        if (o->marker) UPLOAD(o->marker, d->marker, f->mesh.nodes);
        UPLOAD(o->points, d->points, (size_t)d->samples * (size_t)d->rows * DIM);
        if (o->point_weight) UPLOAD(o->point_weight, d->point_weight, (size_t)d->samples * (size_t)d->rows);
        sim_weigh_points(d, o->markers);
    }
}

/* What a description need not give. */
static void zero_motion(fem_sim *f)
{
    pio_queue *q = &f->base.queue;
    const size_t points = sizeof(real) * DIM * (size_t)f->mesh.nodes,
                 field = sizeof(real) * field_size(f->mesh.elements, 1);
    pio_queue_zero(q, f->motion.initial_u, points);
    pio_queue_zero(q, f->motion.initial_v, points);
    if (f->damping.alpha) pio_queue_zero(q, f->damping.alpha, field);
    if (f->damping.beta) pio_queue_zero(q, f->damping.beta, field);
    if (f->damping.beta)
        pio_queue_zero(q, f->damping.law, sizeof(int) * (size_t)f->mesh.elements); /* PIO_HYPER_LINEAR */
}

/* The blocks of the matrix and what each of them sums, where there is one. */
static piola_status upload_matrix(fem_sim *f, piola_error *error)
{
    pio_queue *q = &f->base.queue;
    if (f->setup.start_only) return PIOLA_OK;
    piola_status rc = fem_stopped(f, error);
    if (!rc) rc = pio_bsr_structure(&f->matrix.bsr, q, f->matrix.graph.row_start, f->matrix.graph.column, error);
    if (!rc) rc = fem_stopped(f, error);
    if (!rc && f->linear.direct.table) rc = pio_direct_begin(&f->linear.direct, q, &f->matrix.bsr, error);
    if (!rc && f->linear.product_table)
        rc = pio_bsr_use(&f->matrix.bsr, f->linear.product_table, f->base.ordinal, error);
    if (!rc) rc = fem_stopped(f, error);
    if (rc) return rc;
    UPLOAD(f->matrix.block_row, f->matrix.graph.row, f->matrix.graph.blocks);
    UPLOAD(f->matrix.block_start, f->matrix.graph.start, f->matrix.graph.blocks + 1);
    UPLOAD(f->matrix.block_source, f->matrix.graph.source, f->matrix.graph.sources);
    return fem_stopped(f, error);
}

piola_status fem_upload(fem_sim *f, const pio_engine_desc *desc, piola_error *error)
{
    const pio_fem_desc *m = desc->fem;
    pio_queue *q = &f->base.queue;
    piola_status rc = upload_matrix(f, error);
    if (!rc) rc = fem_multigrid_begin(f, m, error);
    if (!rc) rc = upload_supports(f, m, error);
    if (rc) return rc;
    upload_rules(f);
    if (fem_moves(f)) zero_motion(f);
    upload_mesh(f, m);
    rc = upload_follow(f, m, error);
    if (!rc) rc = fem_stress_upload(f, error);
    if (rc) return rc;
    upload_loads(f, m);
    fem_contact_upload(f, desc);
    fem_sink_upload(f);
    fem_pairs_upload(f);
    fem_pairs_friction_upload(f);
    rc = fem_vary_upload(f, m, error);
    if (!rc) rc = fem_tie_upload(f, m, error);
    if (rc) return rc;
    upload_tables(f);
    rc = fem_stopped(f, error);
    if (rc) return rc;
    return pio_queue_failed(q) ? sim_failed(&f->base, error) : PIOLA_OK;
}
