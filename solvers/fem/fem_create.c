/* fem_create.c -- a mesh's simulation from its description: checks, topology, memory; then fem_upload.c. */
#include "solvers/fem/fem_contact_seen.h"
#include "solvers/fem/fem_friction.h"
#include "solvers/fem/fem_control.h"
#include "solvers/fem/fem_network.h"
#include "solvers/fem/fem_observe.h"
#include "solvers/fem/fem_pairs_friction.h"
#include "solvers/fem/fem_sink.h"
#include "solvers/fem/fem_stress.h"
#include "solvers/fem/fem_vary.h"
#include "solvers/fem/fem_supports.h"

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
        if (d->moment && (d->kind != PIO_TRACTION || d->type == PIO_POINT1 || d->total))
            return sim_fail(error, PIOLA_BAD_DATA, "load %d: a moment is a traction on faces, and no total force", l);
        for (int k = 0; k < l; k++)
            if (m->loads[k].value == d->value && (m->loads[k].total != d->total || m->loads[k].moment != d->moment))
                return sim_fail(error, PIOLA_BAD_DATA,
                                "load %d: it shares its value with load %d; both are total, or moments, or none", l, k);
        for (int i = 0; i < d->n && !d->vertices; i++)
            if (block_of(m, d->owner[i]) < 0 || block_of(m, d->owner[i]) != block_of(m, d->owner[0]))
                return sim_fail(error, PIOLA_BAD_DATA, "load %d: the elements of a body force are those of one block",
                                l);
        if (d->curve < 0 && d->kind != PIO_SPRINGS && d->kind != PIO_FOUNDATION && !m->n_varies)
            return sim_fail(error, PIOLA_BAD_DATA, "load %d: it has no curve, as springs alone may", l);
    }
    return fem_vary_check(m, error);
}

/* What a description holds that meshes do not have is an error, not left out. */
static piola_status check_parts(const pio_engine_desc *desc, piola_error *error)
{
    const char *what = desc->particles.fields > 1 ? "velocity fields of bodies" : NULL;
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
        return sim_fail(error, PIOLA_INTERNAL, "adjoint sweeps end at state %lld of %lld", (long long)desc->first,
                        (long long)desc->steps);
    if (desc->steps < 0 || desc->steps > MOST)
        return sim_fail(error, PIOLA_BAD_DATA, "%lld steps: at most %d are possible", (long long)desc->steps, MOST);
    if (m->halvings < 0 || m->halvings > 20)
        return sim_fail(error, PIOLA_BAD_DATA, "%d halvings of a step: from 0 to 20 are possible", m->halvings);
    for (int o = 0; o < desc->n_observations; o++)
        if ((m->integrator == PIO_LEAPFROG || m->integrator == PIO_REVERSIBLE_LEAPFROG) &&
            fem_reacts(desc->observations[o].type))
            return sim_fail(error, PIOLA_BAD_DATA,
                            "the leapfrog's states hold no accelerations, of which reactions are made; an implicit "
                            "integrator would be right");
    for (int b = 0; b < m->n_blocks; b++)
        for (int64_t i = 0; i < (int64_t)m->blocks[b].n * fem_nodes_of(m->blocks[b].type); i++)
            if (m->blocks[b].nodes[i] < 0 || m->blocks[b].nodes[i] >= m->n)
                return sim_fail(error, PIOLA_BAD_DATA, "an element has node %d, and there are %lld",
                                m->blocks[b].nodes[i], (long long)m->n);
    for (int b = 0; b < m->n_blocks && m->plane; b++)
        if (DIM == 3 || m->blocks[b].dilatation == PIO_DILATATION_PROJECTED)
            return sim_fail(error, PIOLA_BAD_DATA,
                            "block %d: bodies in 3D have no plane state, and plane stress and rings no projected "
                            "dilatation",
                            b);
    piola_status bad = check_parts(desc, error);
    if (!bad) bad = fem_contact_accept(desc, error);
    if (!bad) bad = fem_contact_seen_accept(desc, error);
    if (!bad) bad = fem_pairs_accept(desc, error);
    if (!bad) bad = fem_pairs_friction_accept(desc, error);
    if (!bad) bad = fem_lattice_check(desc, error);
    if (!bad) bad = fem_tie_check(m, error);
    if (!bad) bad = fem_control_check(desc, error);
    return bad ? bad : check_loads(m, error);
}

/* Element degrees of freedom of the loads, and node pairs of those that depend on the displacement: behind
 * those of the elements. */
static void take_loads(fem_sim *f, const pio_fem_desc *m)
{
    for (fem_load *l = f->loads.load; l < f->loads.load + m->n_loads; l++) {
        const pio_load_desc *d = &m->loads[l - f->loads.load];
        const int nodes = fem_nodes_of(d->type);
        *l = (fem_load){.desc = *d,
                        .first_element_node = f->faces.element_dofs,
                        .first_node_pair = f->matrix.element_blocks + f->matrix.face_blocks};
        if (d->vertices) f->faces.element_dofs += d->n * nodes;
        for (int p = 0; p < f->mesh.n_blocks; p++)
            if (!d->vertices && d->n > 0 && f->mesh.block[p].first <= d->owner[0]) l->block = p;
        f->loads.has_totals |= d->total;
        f->loads.has_moments |= d->moment;
        if (!fem_follower(l) && !fem_spring_load(l)) continue;
        f->matrix.face_blocks += d->n * nodes * nodes;
        f->loads.has_followers |= fem_follower(l);
        f->loads.has_springs |= fem_spring_load(l);
    }
}

/* Elements, element degrees of freedom and node pairs of every block, and how many there are. */
static int take_blocks(fem_sim *f, const pio_fem_desc *m)
{
    f->mesh.n_blocks = m->n_blocks;
    f->loads.n_loads = m->n_loads;
    f->mesh.block = calloc((size_t)m->n_blocks + 1, sizeof *f->mesh.block);
    f->loads.load = calloc((size_t)m->n_loads + 1, sizeof *f->loads.load);
    if (!f->mesh.block || !f->loads.load) return 0;
    for (int b = 0; b < m->n_blocks; b++) {
        const int nodes = fem_nodes_of(m->blocks[b].type), node_pairs = nodes * (nodes + 1) / 2;
        f->mesh.block[b] = (fem_element_block){.type = m->blocks[b].type,
                                               .dilatations = m->blocks[b].dilatation == PIO_DILATATION_PROJECTED
                                                                  ? element_dilatations[m->blocks[b].type]
                                                                  : 0,
                                               .n = m->blocks[b].n,
                                               .first = f->mesh.elements,
                                               .first_element_node = f->mesh.element_dofs,
                                               .first_node_pair = f->matrix.element_blocks,
                                               .node_pairs = node_pairs};
        f->mesh.elements += m->blocks[b].n;
        f->mesh.element_dofs += m->blocks[b].n * nodes;
        f->matrix.element_blocks += m->blocks[b].n * node_pairs;
    }
    take_loads(f, m);
    return 1;
}

/* The elements of an observed point. */
static int take_point(fem_observation *o)
{
    if (!o->desc.places) return 1;
    o->place.element = malloc(sizeof(int) * (size_t)o->desc.places);
    for (int k = 0; o->place.element && k < o->desc.places; k++) o->place.element[k] = o->desc.place_element[k];
    return o->place.element != NULL;
}

static void free_observation(fem_observation *o)
{
    free(o->markers);
    free(o->place.element);
}

static int take_tables(fem_sim *f, const pio_engine_desc *desc)
{
    int first = 0;
    f->observe.n_observations = desc->n_observations;
    f->design.n_designs = desc->n_designs;
    f->observe.observations = calloc((size_t)desc->n_observations + 1, sizeof *f->observe.observations);
    f->design.designs = calloc((size_t)desc->n_designs + 1, sizeof *f->design.designs);
    f->stepping.records = calloc((size_t)desc->steps + 1, sizeof *f->stepping.records);
    if (!f->observe.observations || !f->design.designs || !f->stepping.records) return 0;
    for (int o = 0; o < desc->n_observations; o++) {
        fem_observation *obs = &f->observe.observations[o];
        obs->desc = desc->observations[o];
        obs->first = first;
        first += obs->desc.samples * obs->desc.components;
        obs->markers = calloc((size_t)obs->desc.samples + 1, sizeof *obs->markers);
        if (!obs->markers || !take_point(obs)) return 0;
    }
    first = 0;
    for (int d = 0; d < desc->n_designs; d++) {
        f->design.designs[d] = (fem_design){.desc = desc->designs[d], .first = first};
        first += desc->designs[d].groups * desc->designs[d].components;
    }
    return 1;
}

/* Nodes of all element degrees of freedom, one list of `nodes` after another. */
static int *all_element_nodes(const fem_sim *f, const pio_fem_desc *m, int loads)
{
    const int count = loads ? f->faces.element_dofs : f->mesh.element_dofs, sets = loads ? m->n_loads : m->n_blocks;
    int *point = malloc(sizeof *point * ((size_t)count + 1)), *at = point;
    for (int s = 0; point && s < sets; s++) {
        const pio_element_type type = loads ? m->loads[s].type : m->blocks[s].type;
        const size_t dofs = (size_t)(loads ? m->loads[s].n : m->blocks[s].n) * (size_t)fem_nodes_of(type);
        if (loads && !m->loads[s].vertices) continue;
        memcpy(at, loads ? m->loads[s].vertices : m->blocks[s].nodes, sizeof *at * dofs);
        at += dofs;
    }
    return point;
}

/* Elements, then the faces of loads that depend on the displacement. Of a simulation that is only started: would it
 * fit? */
static int make_graph(fem_sim *f, const pio_fem_desc *m)
{
    fem_set *set = calloc((size_t)(m->n_blocks + m->n_loads) + 2, sizeof *set);
    int n = 0;
    for (int b = 0; set && b < m->n_blocks; b++)
        set[n++] = (fem_set){.nodes = fem_nodes_of(m->blocks[b].type), .n = m->blocks[b].n, .node = m->blocks[b].nodes};
    for (const fem_load *l = f->loads.load; set && l < f->loads.load + f->loads.n_loads; l++)
        if (fem_follower(l) || fem_spring_load(l))
            set[n++] =
                (fem_set){.nodes = fem_nodes_of(l->desc.type), .n = l->desc.n, .all = 1, .node = l->desc.vertices};
    if (set && f->contact.points)
        set[n++] = (fem_set){.nodes = 1, .n = f->contact.points, .all = 1, .node = f->contact.point};
    int rc = set != NULL;
    if (rc && f->setup.start_only) rc = fem_graph_fits(set, n) ? 1 : -1;
    if (rc > 0 && !f->setup.start_only)
        rc = fem_graph_make(&f->matrix.graph, f->mesh.nodes, set, n, f->ties.n ? &f->setup.stand_in : NULL,
                            f->base.interrupted);
    free(set);
    return rc;
}

/* Which element degrees of freedom are at each node. As fem_element_dofs_make. */
static int make_element_dofs(fem_sim *f, const pio_fem_desc *m)
{
    int *node = all_element_nodes(f, m, 0), *load = all_element_nodes(f, m, 1);
    const char *(*interrupted)(void) = f->base.interrupted;
    int rc = node && load;
    if (rc) rc = fem_element_dofs_make(&f->setup.at_node, f->mesh.nodes, f->mesh.element_dofs, node, interrupted);
    if (rc == 1)
        rc = fem_element_dofs_make(&f->setup.at_vertex, f->mesh.nodes, f->faces.element_dofs, load, interrupted);
    free(node);
    free(load);
    return rc;
}

static piola_status take_topology(fem_sim *f, const pio_engine_desc *desc, piola_error *error)
{
    const pio_fem_desc *m = desc->fem;
    int rc = fem_contact_begin(f, desc);
    if (rc == 1) rc = fem_sink_begin(f, desc);
    if (rc == 1) rc = fem_pairs_begin(f, desc);
    if (rc == 1 && !f->setup.start_only) rc = make_element_dofs(f, m);
    if (rc == 1) rc = make_graph(f, m);
    if (rc == -2)
        return sim_fail(error, PIOLA_INTERRUPTED, "interrupted by %s in setting up a mesh", f->base.interrupted());
    if (rc < 0) return sim_fail(error, PIOLA_BAD_DATA, "a mesh of %d elements is too large", f->mesh.elements);
    return rc ? PIOLA_OK : sim_fail(error, PIOLA_NO_MEMORY, "no host memory for %d elements", f->mesh.elements);
}

static int designs_have(const pio_engine_desc *desc, pio_quantity quantity)
{
    int has = 0;
    for (int d = 0; d < desc->n_designs; d++) has |= desc->designs[d].quantity == quantity;
    return has;
}

static void take_integrator(fem_sim *f, const pio_fem_desc *m, const pio_engine_desc *desc)
{
    f->motion.integrator = m->integrator;
    f->newton.goal = fem_goal(f, f->newton.tolerance);
    f->modal.modes = m->integrator == PIO_MODAL ? (int)desc->steps : 0;
    f->motion.lumped = (m->lumped && m->integrator != PIO_STATIC) || fem_leaps(f);
    if (fem_on_lattice(m->integrator)) fem_lattice_scale(f, desc);
    f->damping.has_alpha = m->alpha || designs_have(desc, PIO_MASS_DAMPING);
    f->damping.has_beta = m->beta || designs_have(desc, PIO_STIFFNESS_DAMPING);
}

/* Whether internal forces are linear in the displacement. */
static int is_linear(const fem_sim *f, const pio_fem_desc *m)
{
    int linear = 1;
    for (int e = 0; e < f->mesh.elements && linear; e++) linear = m->law[e] == PIO_HYPER_LINEAR;
    return linear;
}

static piola_status begin(const pio_backend *backend, const pio_engine_desc *desc, pio_sim **out, piola_error *error)
{
    const pio_fem_desc *m = desc->fem;
    piola_status bad = check_desc(desc, error);
    if (!bad && m->integrator == PIO_STATIC && desc->steps > 0) bad = fem_check_supports(m, desc->interrupted, error);
    if (bad) return bad;
    fem_sim *f = calloc(1, sizeof *f);
    if (!f) return sim_fail(error, PIOLA_NO_MEMORY, "no memory for a simulation (%zu bytes)", sizeof *f);
    *out = &f->base;
    f->mesh.nodes = (int)m->n;
    f->materials.has_thickness = m->thickness != NULL;
    f->materials.n_interpolations = m->relative_density ? m->n_interpolations : 0;
    f->materials.has_choice = f->materials.n_interpolations && m->choice;
    f->materials.has_heat = m->expansion != NULL && m->temperature != NULL;
    f->loads.n_values = m->n_values;
    f->supports.n_constrained = m->n_constrained;
    f->supports.n_supports = m->n_supports;
    f->supports.plain = m->n_varies ? m->plain_supports : m->n_supports;
    f->curves.n_curves = m->n_curves;
    f->stepping.dt = desc->dt;
    f->loads.weightless = !designs_have(desc, PIO_GRAVITY);
    for (int c = 0; c < DIM; c++) {
        f->stepping.gravity[c] = desc->gravity[c];
        f->loads.weightless &= !(fabs(desc->gravity[c]) > 0);
    }
    f->newton.tolerance = f->newton.goal = m->newton_tolerance;
    f->newton.iterations = m->newton_iterations;
    f->linear.adjoint_tolerance = m->adjoint_tolerance;
    f->linear.iterations = m->linear_iterations;
    f->stepping.halvings = m->halvings;
    f->newton.projection = m->projection;
    take_integrator(f, m, desc);
    fem_friction_begin(f, desc);
    fem_pairs_friction_begin(f, desc);
    f->setup.start_only = desc->start_only && m->integrator == PIO_STATIC && !m->follows &&
                          m->linear != PIO_SOLVE_DIRECT && m->product == PIO_OWN_PRODUCT;
    const int blocks = take_blocks(f, m);
    if (blocks && !fem_stress_begin(f, m))
        return sim_fail(error, PIOLA_BAD_DATA, "fields of stress at the integration points of %d elements are too many",
                        f->mesh.elements);
    if (!blocks || !fem_control_begin(f, desc) || !fem_vary_begin(f, m) || !fem_tie_begin(f, m) ||
        !take_tables(f, desc) || !sim_begin(&f->base, backend, desc, fem_most_items(f)))
        return sim_fail(error, PIOLA_NO_MEMORY, "no host memory for %d elements", f->mesh.elements);
    f->matrix.constant.possible = !f->loads.has_followers && !m->channel && !m->n_contacts && is_linear(f, m);
    const int sheet = m->plane == PIO_PLANE_STRESS && is_linear(f, m) && !f->materials.has_heat;
    f->mesh.plane = sheet ? (int)PIO_PLANE_STRAIN : (int)m->plane;
    const int general = f->loads.has_followers || (fem_has_friction(f) && !fem_leaps(f));
    f->matrix.kind = general ? PIO_GENERAL : PIO_SYMMETRIC; /* hyperelastic laws, dead loads and springs */
    if (!fem_rows_find(f, desc)) return sim_fail(error, PIOLA_NO_MEMORY, "no host memory for rows of constants");
    piola_status rc = take_topology(f, desc, error);
    if (!rc) rc = sim_open(&f->base, desc, error); /* a library's analysis takes memory of the device */
    fem_standby_begin(f, m);
    fem_pressure_plan(f, m);
    if (!rc) rc = fem_choose_preconditioner(f, m, error);
    if (!rc && !f->setup.start_only) rc = fem_choose_solver(f, m, error);
    if (!rc) rc = fem_choose_product(f, m, error);
    if (!rc) fem_layout(f, desc);
    return rc;
}

static void set_bytes(const fem_sim *f, pio_engine_bytes *bytes)
{
    sim_bytes(&f->base, bytes);
    memcpy(bytes->solver, f->linear.solver, sizeof bytes->solver);
    memcpy(bytes->solver_why, f->linear.solver_why, sizeof bytes->solver_why);
    memcpy(bytes->product, f->linear.product, sizeof bytes->product);
    bytes->stress_points = f->stress.points;
}

piola_status fem_measure(const pio_backend *backend, const pio_engine_desc *desc, pio_engine_bytes *bytes,
                         piola_error *error)
{
    pio_sim *sim = NULL;
    piola_status rc = begin(backend, desc, &sim, error);
    if (!rc) set_bytes(fem_of(sim), bytes);
    fem_destroy(sim);
    return rc;
}

static void free_topology(fem_sim *f)
{
    const int blocks = f->matrix.graph.blocks;
    fem_element_dofs_free(&f->setup.at_node);
    fem_element_dofs_free(&f->setup.at_vertex);
    fem_stand_in_free(&f->setup.stand_in);
    fem_contact_free_plan(f);
    fem_sink_free_plan(f);
    fem_pairs_free_plan(f);
    fem_graph_free(&f->matrix.graph);
    fem_multigrid_free_plan(f);
    f->matrix.graph.blocks = blocks;
}

piola_status fem_create(const pio_backend *backend, const pio_engine_desc *desc, pio_sim **out, pio_engine_bytes *bytes,
                        piola_error *error)
{
    pio_sim *sim = NULL;
    *out = NULL;
    piola_status rc = begin(backend, desc, &sim, error);
    if (!rc) rc = sim_allocate(sim, error);
    if (!rc) fem_layout(fem_of(sim), desc);
    if (!rc) rc = fem_upload(fem_of(sim), desc, error);
    if (!rc) rc = fem_control_upload(fem_of(sim), desc, error);
    if (rc) {
        fem_destroy(sim);
        return rc;
    }
    free_topology(fem_of(sim));
    if (bytes) set_bytes(fem_of(sim), bytes);
    *out = sim;
    return PIOLA_OK;
}

void fem_destroy(pio_sim *sim)
{
    if (!sim) return;
    fem_sim *f = fem_of(sim);
    free_topology(f);
    for (int o = 0; f->observe.observations && o < f->observe.n_observations; o++)
        free_observation(&f->observe.observations[o]);
    free(f->observe.observations);
    free(f->design.designs);
    free(f->stepping.records);
    free(f->mesh.block);
    free(f->loads.load);
    fem_contact_free(f);
    fem_sink_free(f);
    fem_networks_free(f);
    free(f->varies.list);
    free(f->materials.row_first);
    fem_standby_free(f);
    pio_product_free(&f->matrix.bsr.product);
    sim_end(sim);
    free(f);
}
