/* fem_create.c -- a mesh's simulation from its description: checks, topology, memory, uploads. */
#include "solvers/fem_rigid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Most steps, nodes, elements: local indices are 32 bits wide. */
enum { MOST = 2147483000 / (27 * 9) };

/* The block that has this element, or -1. */
static int block_of(const pio_fem_desc *m, int element)
{
    for (int b = 0, first = 0; b < m->n_blocks; first += m->blocks[b++].n)
        if (element >= first && element < first + m->blocks[b].n) return b;
    return -1;
}

static piola_status check_loads(const pio_fem_desc *m, piola_error *error)
{
    for (int l = 0; l < m->n_loads; l++) {
        const pio_load_desc *d = &m->loads[l];
        if ((d->kind == PIO_BODY_FORCE) == (d->vertices != NULL))
            return sim_fail(error, PIOLA_BAD_DATA, "load %d: a body force acts on elements, all else on vertices", l);
        if (d->type == PIO_POINT1 && d->kind != PIO_TRACTION && d->kind != PIO_SPRINGS)
            return sim_fail(error, PIOLA_BAD_DATA, "load %d: a point has no normal; a traction or springs would do", l);
        if (d->total && (d->kind != PIO_TRACTION || d->type == PIO_POINT1))
            return sim_fail(error, PIOLA_BAD_DATA, "load %d: a total force is a traction on faces", l);
        for (int k = 0; k < l; k++)
            if (m->loads[k].value == d->value && m->loads[k].total != d->total)
                return sim_fail(error, PIOLA_BAD_DATA,
                                "load %d: it shares its value with load %d; both are total, or none", l, k);
        for (int i = 0; i < d->n && !d->vertices; i++)
            if (block_of(m, d->owner[i]) < 0 || block_of(m, d->owner[i]) != block_of(m, d->owner[0]))
                return sim_fail(error, PIOLA_BAD_DATA, "load %d: the elements of a body force are those of one block",
                                l);
        if (d->curve < 0 && d->kind != PIO_SPRINGS && d->kind != PIO_FOUNDATION)
            return sim_fail(error, PIOLA_BAD_DATA, "load %d: it has no curve, as springs alone may", l);
    }
    return PIOLA_OK;
}

/* What a description holds that meshes do not have is refused, not left out. */
static piola_status check_parts(const pio_engine_desc *desc, piola_error *error)
{
    const char *what = desc->n_obstacles            ? "obstacles"
                       : desc->n_channels           ? "actuators"
                       : desc->particles.fields > 1 ? "velocity fields of bodies"
                                                    : NULL;
    if (!what) return PIOLA_OK;
    return sim_fail(error, PIOLA_BAD_DATA, "a mesh has no %s; particles (MPM) have", what);
}

static piola_status check_desc(const pio_engine_desc *desc, piola_error *error)
{
    const pio_fem_desc *m = desc->fem;
    if (desc->size != sizeof *desc)
        return sim_fail(error, PIOLA_INTERNAL, "engine and program are of different builds");
    if (m->n < 1 || m->n > MOST)
        return sim_fail(error, PIOLA_BAD_DATA, "%lld nodes: from 1 to %d are possible", (long long)m->n, MOST);
    if (desc->first < 0 || (desc->first > 0 && desc->first >= desc->steps))
        return sim_fail(error, PIOLA_INTERNAL, "sweeps back end at state %lld of %lld", (long long)desc->first,
                        (long long)desc->steps);
    if (desc->steps < 0 || desc->steps > MOST)
        return sim_fail(error, PIOLA_BAD_DATA, "%lld steps: at most %d are possible", (long long)desc->steps, MOST);
    if (m->halvings < 0 || m->halvings > 20)
        return sim_fail(error, PIOLA_BAD_DATA, "%d halvings of a step: from 0 to 20 are possible", m->halvings);
    for (int o = 0; o < desc->n_observations; o++)
        if ((m->integrator == PIO_LEAPFROG || m->integrator == PIO_REVERSIBLE_LEAPFROG) &&
            desc->observations[o].type == PIO_REACTION)
            return sim_fail(error, PIOLA_BAD_DATA,
                            "the leapfrog's states hold no accelerations, of which reactions are made; an implicit "
                            "integrator would be right");
    for (int b = 0; b < m->n_blocks; b++)
        for (int64_t i = 0; i < (int64_t)m->blocks[b].n * fem_nodes_of(m->blocks[b].type); i++)
            if (m->blocks[b].nodes[i] < 0 || m->blocks[b].nodes[i] >= m->n)
                return sim_fail(error, PIOLA_BAD_DATA, "an element has node %d, and there are %lld",
                                m->blocks[b].nodes[i], (long long)m->n);
    piola_status bad = check_parts(desc, error);
    if (!bad) bad = fem_lattice_check(desc, error);
    return bad ? bad : check_loads(m, error);
}

/* Corners of the loads, and pairs of those that depend on the displacement: behind those of the elements. */
static void take_loads(fem_sim *f, const pio_fem_desc *m)
{
    for (fem_load *l = f->load; l < f->load + m->n_loads; l++) {
        const pio_load_desc *d = &m->loads[l - f->load];
        const int nodes = fem_nodes_of(d->type);
        *l = (fem_load){.desc = *d, .corner = f->load_corners, .first_pair = f->pairs + f->load_pairs};
        if (d->vertices) f->load_corners += d->n * nodes;
        for (int p = 0; p < f->n_parts; p++)
            if (!d->vertices && d->n > 0 && f->part[p].first <= d->owner[0]) l->part = p;
        f->totals |= d->total;
        if (!fem_follower(l) && !fem_spring_load(l)) continue;
        f->load_pairs += d->n * nodes * nodes;
        f->follows |= fem_follower(l);
        f->sprung |= fem_spring_load(l);
    }
}

/* Elements, corners and pairs of every part, and how many there are. */
static int take_parts(fem_sim *f, const pio_fem_desc *m)
{
    f->n_parts = m->n_blocks;
    f->n_loads = m->n_loads;
    f->part = calloc((size_t)m->n_blocks + 1, sizeof *f->part);
    f->load = calloc((size_t)m->n_loads + 1, sizeof *f->load);
    if (!f->part || !f->load) return 0;
    for (int b = 0; b < m->n_blocks; b++) {
        const int nodes = fem_nodes_of(m->blocks[b].type), pairs = nodes * (nodes + 1) / 2;
        f->part[b] = (fem_part){.type = m->blocks[b].type,
                                .n = m->blocks[b].n,
                                .first = f->elements,
                                .corner = f->corners,
                                .first_pair = f->pairs,
                                .pairs = pairs};
        f->elements += m->blocks[b].n;
        f->corners += m->blocks[b].n * nodes;
        f->pairs += m->blocks[b].n * pairs;
    }
    take_loads(f, m);
    return 1;
}

static int take_tables(fem_sim *f, const pio_engine_desc *desc)
{
    int first = 0;
    f->n_observations = desc->n_observations;
    f->n_designs = desc->n_designs;
    f->observations = calloc((size_t)desc->n_observations + 1, sizeof *f->observations);
    f->designs = calloc((size_t)desc->n_designs + 1, sizeof *f->designs);
    f->records = calloc((size_t)desc->steps + 1, sizeof *f->records);
    if (!f->observations || !f->designs || !f->records) return 0;
    for (int o = 0; o < desc->n_observations; o++) {
        fem_observation *obs = &f->observations[o];
        obs->desc = desc->observations[o];
        obs->first = first;
        first += obs->desc.samples * obs->desc.components;
        obs->markers = calloc((size_t)obs->desc.samples + 1, sizeof *obs->markers);
        if (!obs->markers) return 0;
    }
    first = 0;
    for (int d = 0; d < desc->n_designs; d++) {
        f->designs[d] = (fem_design){.desc = desc->designs[d], .first = first};
        first += desc->designs[d].groups * desc->designs[d].components;
    }
    return 1;
}

/* Points of all corners, one list of `nodes` after another. */
static int *all_corners(const fem_sim *f, const pio_fem_desc *m, int loads)
{
    const int count = loads ? f->load_corners : f->corners, sets = loads ? m->n_loads : m->n_blocks;
    int *point = malloc(sizeof *point * ((size_t)count + 1)), *at = point;
    for (int s = 0; point && s < sets; s++) {
        const pio_element_type type = loads ? m->loads[s].type : m->blocks[s].type;
        const size_t corners = (size_t)(loads ? m->loads[s].n : m->blocks[s].n) * (size_t)fem_nodes_of(type);
        if (loads && !m->loads[s].vertices) continue;
        memcpy(at, loads ? m->loads[s].vertices : m->blocks[s].nodes, sizeof *at * corners);
        at += corners;
    }
    return point;
}

/* Elements, then the faces of loads that depend on the displacement. */
static int make_graph(fem_sim *f, const pio_fem_desc *m)
{
    fem_set *set = calloc((size_t)(m->n_blocks + m->n_loads) + 1, sizeof *set);
    int n = 0;
    for (int b = 0; set && b < m->n_blocks; b++)
        set[n++] = (fem_set){.nodes = fem_nodes_of(m->blocks[b].type), .n = m->blocks[b].n, .node = m->blocks[b].nodes};
    for (const fem_load *l = f->load; set && l < f->load + f->n_loads; l++)
        if (fem_follower(l) || fem_spring_load(l))
            set[n++] =
                (fem_set){.nodes = fem_nodes_of(l->desc.type), .n = l->desc.n, .all = 1, .node = l->desc.vertices};
    const int rc = set ? fem_graph_make(&f->graph, f->nodes, set, n, f->base.interrupted) : 0;
    free(set);
    return rc;
}

static piola_status take_topology(fem_sim *f, const pio_fem_desc *m, piola_error *error)
{
    int *corner = all_corners(f, m, 0), *load = all_corners(f, m, 1);
    int rc = corner && load && fem_corners_make(&f->at_node, f->nodes, f->corners, corner) &&
             fem_corners_make(&f->at_vertex, f->nodes, f->load_corners, load);
    free(corner);
    free(load);
    if (rc) rc = make_graph(f, m);
    if (rc == -2)
        return sim_fail(error, PIOLA_INTERRUPTED, "interrupted by %s in setting up a mesh", f->base.interrupted());
    if (rc < 0) return sim_fail(error, PIOLA_BAD_DATA, "a mesh of %d elements is too large", f->elements);
    return rc ? PIOLA_OK : sim_fail(error, PIOLA_NO_MEMORY, "no host memory for %d elements", f->elements);
}

static int designs_have(const pio_engine_desc *desc, pio_quantity quantity)
{
    int has = 0;
    for (int d = 0; d < desc->n_designs; d++) has |= desc->designs[d].quantity == quantity;
    return has;
}

static void take_integrator(fem_sim *f, const pio_fem_desc *m, const pio_engine_desc *desc)
{
    f->integrator = m->integrator;
    f->newton_goal = fem_goal(f, f->newton_tolerance);
    f->lumped = (m->lumped && m->integrator != PIO_STATIC) || fem_leaps(f);
    if (fem_on_lattice(m->integrator)) fem_lattice_scale(f, desc);
    f->damped = m->alpha || designs_have(desc, PIO_MASS_DAMPING);
    f->stiff = m->beta || designs_have(desc, PIO_STIFFNESS_DAMPING);
}

static piola_status begin(const pio_backend *backend, const pio_engine_desc *desc, pio_sim **out, piola_error *error)
{
    const pio_fem_desc *m = desc->fem;
    piola_status bad = check_desc(desc, error);
    if (!bad && m->integrator == PIO_STATIC && desc->steps > 0) bad = fem_check_supports(m, error);
    if (bad) return bad;
    fem_sim *f = calloc(1, sizeof *f);
    if (!f) return sim_fail(error, PIOLA_NO_MEMORY, "no memory for a simulation (%zu bytes)", sizeof *f);
    *out = &f->base;
    f->nodes = (int)m->n;
    f->thickness = m->thickness != NULL;
    f->n_values = m->n_values;
    f->n_held = m->n_held;
    f->n_supports = m->n_supports;
    f->n_curves = m->n_curves;
    f->dt = desc->dt;
    for (int c = 0; c < DIM; c++) f->gravity[c] = desc->gravity[c];
    f->newton_tolerance = f->newton_goal = m->newton_tolerance;
    f->newton_iterations = m->newton_iterations;
    f->adjoint_tolerance = m->adjoint_tolerance;
    f->linear_iterations = m->linear_iterations;
    f->halvings = m->halvings;
    f->projection = m->projection;
    take_integrator(f, m, desc);
    if (!take_parts(f, m) || !take_tables(f, desc) ||
        !sim_begin(&f->base, backend, desc, f->nodes > f->elements ? f->nodes : f->elements))
        return sim_fail(error, PIOLA_NO_MEMORY, "no host memory for %d elements", f->elements);
    f->kind = f->follows ? PIO_GENERAL : PIO_SYMMETRIC; /* hyperelastic laws, dead loads and springs */
    piola_status rc = take_topology(f, m, error);
    if (!rc) rc = fem_choose_solver(f, m, error);
    if (!rc) rc = fem_choose_product(f, m, error);
    if (!rc) fem_layout(f, desc);
    return rc;
}

static void tell_bytes(const fem_sim *f, pio_engine_bytes *bytes)
{
    sim_bytes(&f->base, bytes);
    memcpy(bytes->solver, f->solver, sizeof bytes->solver);
    memcpy(bytes->solver_why, f->solver_why, sizeof bytes->solver_why);
    memcpy(bytes->product, f->product, sizeof bytes->product);
}

piola_status fem_measure(const pio_backend *backend, const pio_engine_desc *desc, pio_engine_bytes *bytes,
                         piola_error *error)
{
    pio_sim *sim = NULL;
    piola_status rc = begin(backend, desc, &sim, error);
    if (!rc) rc = sim_survey(sim, desc, error);
    if (!rc) tell_bytes(fem_of(sim), bytes);
    fem_destroy(sim);
    return rc;
}

/* ---- uploading ------------------------------------------------------------------------------------------ */

static void upload_field(fem_sim *f, real *out, const double *in, int components)
{
    pio_sim *s = &f->base;
    for (int c = 0; c < components; c++) {
        for (int i = 0; i < f->elements; i++) s->host_transfer[i] = in[(ptrdiff_t)i * components + c];
        pio_queue_upload(&s->queue, s->transfer, s->host_transfer, sizeof(double) * (size_t)f->elements);
        pio_map(&s->queue, field_write, f->elements, NULL, .in = s->transfer, .n = f->elements,
                .components = components, .component = c, .out = out);
    }
}

static void upload_points(fem_sim *f, real *out, const double *in)
{
    pio_sim *s = &f->base;
    for (int c = 0; c < DIM; c++) {
        for (int i = 0; i < f->nodes; i++) s->host_transfer[i] = in[(ptrdiff_t)i * DIM + c];
        pio_queue_upload(&s->queue, s->transfer, s->host_transfer, sizeof(double) * (size_t)f->nodes);
        pio_map(&s->queue, point_write, f->nodes, NULL, .component = c, .in = s->transfer, .x = out);
    }
}

static void upload_rules(fem_sim *f)
{
    for (int r = 0; r < RULES; r++)
        for (int t = 0; t < PIO_ELEMENT_TYPES; t++) {
            const fem_rule *rule = &f->rule[r][t];
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
    for (int b = 0; b < f->n_parts; b++) {
        const fem_part *p = &f->part[b];
        const int nodes = fem_nodes_of(p->type);
        int pair[ELEMENT_NODES * (ELEMENT_NODES + 1) / 2], n = 0;
        for (int i = 0; i < nodes; i++)
            for (int j = i; j < nodes; j++) pair[n++] = i << 8 | j;
        UPLOAD(p->pair, pair, n);
        UPLOAD(p->node, m->blocks[b].nodes, (size_t)p->n * (size_t)nodes);
    }
    upload_points(f, f->reference, m->rest);
    pio_queue_copy(q, f->rest, f->reference, sizeof(real) * DIM * (size_t)f->nodes);
    UPLOAD(f->corner_start, f->at_node.start, f->nodes + 1);
    UPLOAD(f->corner_list, f->at_node.list, f->corners);
    UPLOAD(f->law, m->law, f->elements);
    UPLOAD(f->lame, m->lame, f->elements);
    upload_field(f, f->given, m->given, HYPER_CONSTANTS);
    upload_field(f, f->density, m->density, 1);
    if (f->thickness) upload_field(f, f->thick, m->thickness, 1);
    if (f->integrator == PIO_STATIC) return;
    if (f->alpha && m->alpha) upload_field(f, f->alpha, m->alpha, 1);
    if (f->beta && m->beta) upload_field(f, f->beta, m->beta, 1);
    if (m->displacement) upload_points(f, f->initial_u, m->displacement);
    if (m->velocity) upload_points(f, f->initial_v, m->velocity);
}

/* Which unknowns stay where the mesh follows its design, and the elastic body whose motion it is. */
static piola_status upload_follow(fem_sim *f, const pio_fem_desc *m, piola_error *error)
{
    pio_queue *q = &f->base.queue;
    if (!m->follows) return PIOLA_OK;
    int *stays = calloc((size_t)f->nodes, sizeof *stays);
    if (!stays) return sim_fail(error, PIOLA_NO_MEMORY, "no host memory for %d nodes", f->nodes);
    for (int i = 0; i < f->nodes; i++) stays[i] = ~m->follows[i] & ((1 << DIM) - 1);
    UPLOAD(f->stays, stays, f->nodes);
    free(stays);
    pio_queue_zero(q, f->follow_law, sizeof(int) * (size_t)f->elements); /* HYPER_LINEAR, and constants E and nu */
    upload_field(f, f->follow_given, m->follow_given, HYPER_CONSTANTS);
    pio_map(q, fem_constants, f->elements, NULL, .n = f->elements, .law = f->follow_law, .lame = f->follow_law,
            .given = f->follow_given, .k = f->follow_k);
    return PIOLA_OK;
}

static piola_status upload_supports(fem_sim *f, const pio_fem_desc *m, piola_error *error)
{
    pio_queue *q = &f->base.queue;
    int *held = calloc((size_t)f->nodes, sizeof *held);
    if (!held) return sim_fail(error, PIOLA_NO_MEMORY, "no host memory for %d nodes", f->nodes);
    for (int i = 0; i < f->n_held; i++) held[m->held_node[i]] |= 1 << m->held_axis[i];
    UPLOAD(f->held, held, f->nodes);
    const piola_status rc = f->free_list ? fem_lattice_upload(f, held, error) : PIOLA_OK;
    free(held);
    if (f->n_held) {
        UPLOAD(f->held_node, m->held_node, f->n_held);
        UPLOAD(f->held_axis, m->held_axis, f->n_held);
        UPLOAD(f->held_support, m->held_support, f->n_held);
        UPLOAD(f->support_value, m->support_value, f->n_supports);
        UPLOAD(f->support_curve, m->support_curve, f->n_supports);
    }
    return rc;
}

static void upload_loads(fem_sim *f, const pio_fem_desc *m)
{
    pio_queue *q = &f->base.queue;
    for (const fem_load *l = f->load; l < f->load + f->n_loads; l++) {
        if (l->vertex) UPLOAD(l->vertex, l->desc.vertices, (size_t)l->desc.n * (size_t)fem_nodes_of(l->desc.type));
        UPLOAD(l->owner, l->desc.owner, l->desc.n);
    }
    if (f->n_values) UPLOAD(f->values, m->values, 3 * (size_t)f->n_values);
    UPLOAD(f->load_start, f->at_vertex.start, f->nodes + 1);
    if (f->load_corners) UPLOAD(f->load_list, f->at_vertex.list, f->load_corners);
    UPLOAD(f->curve_start, m->curve_start, f->n_curves + 1);
    if (m->curve_start[f->n_curves]) {
        UPLOAD(f->curve_t, m->curve_t, m->curve_start[f->n_curves]);
        UPLOAD(f->curve_value, m->curve_value, m->curve_start[f->n_curves]);
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
    UPLOAD(d->turned_start, h->turned_start, n + 1);
    UPLOAD(d->turned_from, h->turned_from, entries);
    UPLOAD(d->turned_weight, h->turned_weight, entries);
}

static void upload_tables(fem_sim *f)
{
    pio_queue *q = &f->base.queue;
    for (const fem_design *d = f->designs; d < f->designs + f->n_designs; d++) {
        const size_t variables = (size_t)d->desc.groups * (size_t)d->desc.components;
        if (d->index) UPLOAD(d->index, d->desc.index, fem_nodal(d->desc.quantity) ? f->nodes : f->elements);
        if (d->start) upload_filter(f, d);
        if (d->direction) upload_points(f, d->direction, d->desc.direction);
        if (!d->desc.start) continue;
        UPLOAD(f->base.z_start + d->first, d->desc.start, variables);
        UPLOAD(f->base.described + d->first, d->desc.described, variables);
    }
    for (fem_observation *o = f->observations; o < f->observations + f->n_observations; o++) {
        const pio_observation_desc *d = &o->desc;
        if (o->weight) upload_points(f, o->weight, d->weight);
        if (o->share) upload_field(f, o->share, d->weight, 1);
        if (d->type != PIO_DISTANCE) continue;
        UPLOAD(o->marker, d->marker, f->nodes);
        UPLOAD(o->points, d->points, (size_t)d->samples * (size_t)d->rows * DIM);
        if (o->point_weight) UPLOAD(o->point_weight, d->point_weight, (size_t)d->samples * (size_t)d->rows);
        sim_weigh_points(d, o->markers);
    }
}

/* What a description need not give. */
static void zero_motion(fem_sim *f)
{
    pio_queue *q = &f->base.queue;
    const size_t points = sizeof(real) * DIM * (size_t)f->nodes, field = sizeof(real) * field_size(f->elements, 1);
    pio_queue_zero(q, f->initial_u, points);
    pio_queue_zero(q, f->initial_v, points);
    if (f->alpha) pio_queue_zero(q, f->alpha, field);
    if (f->beta) pio_queue_zero(q, f->beta, field);
    if (f->beta) pio_queue_zero(q, f->damp_law, sizeof(int) * (size_t)f->elements); /* HYPER_LINEAR */
}

static piola_status upload_all(fem_sim *f, const pio_fem_desc *m, piola_error *error)
{
    pio_queue *q = &f->base.queue;
    piola_status rc = pio_bsr_structure(&f->matrix, q, f->graph.row_start, f->graph.column, error);
    if (!rc && f->direct.table) rc = pio_direct_begin(&f->direct, q, &f->matrix, error);
    if (!rc && f->product_table) rc = pio_bsr_use(&f->matrix, f->product_table, f->base.ordinal, error);
    if (!rc) rc = upload_supports(f, m, error);
    if (rc) return rc;
    UPLOAD(f->block_row, f->graph.row, f->graph.blocks);
    UPLOAD(f->block_start, f->graph.start, f->graph.blocks + 1);
    UPLOAD(f->block_source, f->graph.source, f->graph.sources);
    upload_rules(f);
    if (f->integrator != PIO_STATIC) zero_motion(f);
    upload_mesh(f, m);
    rc = upload_follow(f, m, error);
    if (rc) return rc;
    upload_loads(f, m);
    upload_tables(f);
    return pio_queue_failed(q) ? sim_failed(&f->base, error) : PIOLA_OK;
}

static void free_topology(fem_sim *f)
{
    const int blocks = f->graph.blocks;
    fem_corners_free(&f->at_node);
    fem_corners_free(&f->at_vertex);
    fem_graph_free(&f->graph);
    f->graph.blocks = blocks;
}

piola_status fem_create(const pio_backend *backend, const pio_engine_desc *desc, pio_sim **out, pio_engine_bytes *bytes,
                        piola_error *error)
{
    pio_sim *sim = NULL;
    *out = NULL;
    piola_status rc = begin(backend, desc, &sim, error);
    if (!rc) rc = sim_open(sim, desc, error);
    if (!rc) fem_layout(fem_of(sim), desc);
    if (!rc) rc = upload_all(fem_of(sim), desc->fem, error);
    if (rc) {
        fem_destroy(sim);
        return rc;
    }
    free_topology(fem_of(sim));
    if (bytes) tell_bytes(fem_of(sim), bytes);
    *out = sim;
    return PIOLA_OK;
}

void fem_destroy(pio_sim *sim)
{
    if (!sim) return;
    fem_sim *f = fem_of(sim);
    free_topology(f);
    for (int o = 0; f->observations && o < f->n_observations; o++) free(f->observations[o].markers);
    free(f->observations);
    free(f->designs);
    free(f->records);
    free(f->part);
    free(f->load);
    pio_direct_free(&f->direct);
    pio_product_free(&f->matrix.product);
    sim_end(sim);
    free(f);
}
