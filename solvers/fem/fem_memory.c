/* fem_memory.c -- the layout of a mesh's device memory. Run twice: to measure, and to take. */
#include "solvers/fem/fem_contact.h"
#include "solvers/fem/fem_control.h"
#include "solvers/fem/fem_modal.h"
#include "solvers/fem/fem_observe.h"
#include "solvers/fem/fem_pairs_friction.h"
#include "solvers/fem/fem_sink.h"
#include "solvers/fem/fem_stress.h"
#include "solvers/fem/fem_vary.h"

#include <string.h>

#define TAKE_POINTS(pointer) TAKE(&f->base.arena, pointer, DIM *(size_t)f->mesh.nodes)
#define TAKE_STATE(pointer) TAKE(&f->base.arena, pointer, DIM *(size_t)f->mesh.nodes *(size_t)f->state.n_vectors)
#define TAKE_FIELD(pointer, components) TAKE(&f->base.arena, pointer, field_size(f->mesh.elements, components))

/* Every rule once, however many blocks and loads are of its type. */
static void take_rule(fem_sim *f, int rule, pio_element_type type)
{
    pio_arena *arena = &f->base.arena;
    fem_rule *r = &f->mesh.rule[rule][type];
    if (r->points) return;
    const size_t nodes = (size_t)fem_nodes_of(type);
    const int rdim = element_rdim[type];
    const int points = fem_points_of(rule, type);
    real *w, *N, *dN;
    TAKE(arena, w, points);
    TAKE(arena, N, (size_t)points * nodes);
    TAKE(arena, dN, (size_t)points * nodes * (size_t)rdim);
    *r = (fem_rule){.type = (int)type, .nodes = (int)nodes, .points = points, .rdim = rdim, .w = w, .N = N, .dN = dN};
}

static void take_mesh(fem_sim *f)
{
    pio_arena *arena = &f->base.arena;
    for (fem_element_block *p = f->mesh.block; p < f->mesh.block + f->mesh.n_blocks; p++) {
        for (int r = 0; r < RULES; r++) take_rule(f, r, p->type);
        TAKE(arena, p->node, (size_t)p->n * (size_t)fem_nodes_of(p->type));
        TAKE(arena, p->node_pair, p->node_pairs);
    }
    TAKE_POINTS(f->mesh.rest);
    TAKE_POINTS(f->mesh.reference);
    TAKE(arena, f->supports.constrained, f->mesh.nodes);
    if (!f->setup.start_only) {
        TAKE(arena, f->mesh.dof_start, f->mesh.nodes + 1);
        TAKE(arena, f->mesh.dof_list, f->mesh.element_dofs);
    }
    const int rows = f->materials.rows ? f->materials.rows : f->mesh.elements;
    TAKE(arena, f->materials.law, rows);
    TAKE(arena, f->materials.parameter_form, rows);
    TAKE(arena, f->materials.parameters, field_size(rows, PIO_LAW_CONSTANTS));
    TAKE(arena, f->materials.k, field_size(rows, PIO_LAW_CONSTANTS));
    TAKE(arena, f->materials.density, field_size(rows, 1));
    f->materials.actual = f->materials.density;
    if (f->materials.n_interpolations) {
        TAKE(arena, f->materials.interpolation, f->mesh.elements);
        TAKE(arena, f->materials.interpolations, f->materials.n_interpolations);
        TAKE_FIELD(f->materials.relative, 1);
        TAKE_FIELD(f->materials.actual, 1);
    }
    if (f->materials.has_choice) TAKE_FIELD(f->materials.choice, 1);
    if (f->materials.has_thickness) TAKE_FIELD(f->materials.thickness, 1);
    if (!f->materials.has_heat) return;
    TAKE_FIELD(f->materials.expansion, 1);
    TAKE_FIELD(f->materials.temperature, 1);
    TAKE_FIELD(f->materials.heat, 1);
}

static void take_follow(fem_sim *f)
{
    TAKE(&f->base.arena, f->morph.fixed, f->mesh.nodes);
    TAKE(&f->base.arena, f->morph.law, f->mesh.elements);
    TAKE_FIELD(f->morph.parameters, PIO_LAW_CONSTANTS);
    TAKE_FIELD(f->morph.k, PIO_LAW_CONSTANTS);
}

static void take_loads(fem_sim *f)
{
    pio_arena *arena = &f->base.arena;
    for (fem_load *l = f->loads.load; l < f->loads.load + f->loads.n_loads; l++) {
        take_rule(f, RULE_MASS, l->desc.type);
        l->rule = f->mesh.rule[RULE_MASS][l->desc.type];
        if (l->desc.vertices) TAKE(arena, l->vertex, (size_t)l->desc.n * (size_t)fem_nodes_of(l->desc.type));
        TAKE(arena, l->owner, l->desc.n);
        const size_t tractions = DIM * (size_t)l->desc.n * (size_t)l->rule.points;
        if (l->desc.moment) TAKE(arena, l->couple_value, tractions);
        if (!f->base.adjoint) continue;
        if (l->desc.moment) TAKE(arena, l->couple_bar, tractions);
        if (l->desc.moment) TAKE(arena, l->couple_contribution, 6 * (size_t)l->desc.n);
        TAKE(arena, l->value_contribution, field_size(l->desc.n, DIM));
        if (f->materials.has_thickness && l->desc.vertices)
            TAKE(arena, l->thick_contribution, field_size(l->desc.n, 1));
    }
    TAKE(arena, f->loads.values, 3 * (size_t)f->loads.n_values);
    if (f->loads.has_totals) TAKE(arena, f->loads.areas, f->loads.n_values);
    if (f->loads.has_moments) TAKE(arena, f->loads.couples, COUPLE_NUMBERS * (size_t)f->loads.n_values);
    if (f->loads.has_moments && f->base.adjoint)
        TAKE(arena, f->loads.couples_bar, COUPLE_NUMBERS * (size_t)f->loads.n_values);
    if (!f->setup.start_only) {
        TAKE(arena, f->faces.dof_start, f->mesh.nodes + 1);
        TAKE(arena, f->faces.dof_list, f->faces.element_dofs);
        TAKE(arena, f->faces.dof_out, (size_t)f->faces.element_dofs * DIM);
    }
    TAKE_POINTS(f->faces.rest);
    TAKE_POINTS(f->faces.force);
    if (f->loads.has_followers || f->loads.has_springs) {
        TAKE_POINTS(f->faces.u);
        TAKE_POINTS(f->faces.place);
    }
    if (f->loads.has_followers) {
        TAKE_POINTS(f->forces.dead);
        TAKE_POINTS(f->newton.external_before);
    }
    if (f->loads.has_springs) TAKE_POINTS(f->forces.spring);
    if (f->loads.has_springs && f->base.adjoint) TAKE(arena, f->faces.dof_rest, (size_t)f->faces.element_dofs * DIM);
    TAKE(arena, f->supports.node, f->supports.n_constrained);
    TAKE(arena, f->supports.axis, f->supports.n_constrained);
    TAKE(arena, f->supports.support, f->supports.n_constrained);
    TAKE(arena, f->supports.value, f->supports.n_supports);
    TAKE(arena, f->supports.curve, f->supports.n_supports);
    TAKE(arena, f->curves.factor, f->curves.n_curves);
}

void fem_contact_layout(fem_sim *f, const pio_engine_desc *desc)
{
    pio_arena *arena = &f->base.arena;
    fem_sim_contact *s = &f->contact;
    if (!s->points) return;
    for (fem_contact_faces *p = s->faces; p < s->faces + s->n_faces; p++) {
        take_rule(f, RULE_MASS, p->desc.type);
        p->rule = f->mesh.rule[RULE_MASS][p->desc.type];
        TAKE(arena, p->vertex, (size_t)p->desc.n * (size_t)fem_nodes_of(p->desc.type));
        TAKE(arena, p->owner, p->desc.n);
        if (f->base.adjoint && f->materials.has_thickness) TAKE(arena, p->thick_contribution, p->desc.n);
    }
    TAKE(arena, s->node, s->points);
    TAKE(arena, s->start, s->points + 1);
    TAKE(arena, s->list, s->element_dofs);
    TAKE(arena, s->share, s->element_dofs);
    TAKE(arena, s->area, s->points);
    TAKE_POINTS(s->force);
    TAKE(arena, s->keys, CONTACT_KEYS);
    TAKE(arena, s->found, 2);
    TAKE(arena, s->gap, s->points);
    TAKE(arena, s->nearest, s->points);
    TAKE(arena, s->touching, s->points);
    TAKE(arena, s->counts, 2);
    if (s->rough) TAKE(arena, s->slides, 3);
    TAKE(arena, s->zero, 1);
    if (s->rubs) TAKE(arena, f->motion.rate, 2 * DIM * (size_t)f->mesh.nodes);
    sim_obstacles_layout(&s->obstacles, arena, desc, f->base.adjoint);
    if (!f->base.adjoint) return;
    TAKE(arena, s->share_rest, (size_t)s->element_dofs * DIM);
    TAKE(arena, s->area_bar, s->points);
    TAKE(arena, s->contribution, field_size(s->points, OBSTACLE_PARAMETERS));
}

/* `morphs`: nodes follow a design, by conjugate gradients, whatever the Jacobian is. */
static void take_matrix(fem_sim *f, int morphs)
{
    pio_arena *arena = &f->base.arena;
    pio_bsr_layout(&f->matrix.bsr, &f->base.arena, f->mesh.nodes, f->matrix.graph.blocks);
    const int general = f->matrix.kind == PIO_GENERAL;
    const unsigned symmetric = 1u << PIO_PCG | (general ? 0u : 1u << PIO_MINRES);
    const unsigned methods = (general ? 1u << PIO_GMRES : 0u) | (general && !morphs ? 0u : symmetric);
    pio_krylov_layout(&f->linear.krylov, &f->base.arena, (int64_t)f->mesh.nodes * DIM + f->linear.pressure.count,
                      methods, general ? FEM_RESTART : 1);
    pio_refine_layout(&f->linear.refine, &f->base.arena, (int64_t)f->mesh.nodes * DIM);
    if (f->linear.direct.table) pio_direct_layout(&f->linear.direct, &f->base.arena, 1);
    fem_multigrid_layout(f);
    fem_pressure_layout(f);
    fem_pairs_matrix_layout(f);
    TAKE(arena, f->matrix.block_row, f->matrix.graph.blocks);
    TAKE(arena, f->matrix.block_start, f->matrix.graph.blocks + 1);
    TAKE(arena, f->matrix.block_source, f->matrix.graph.sources);
    TAKE(arena, f->matrix.block_out, (size_t)(f->matrix.element_blocks + f->matrix.face_blocks) * DIM * DIM);
}

/* What elements give to their nodes lies where their matrices do: each is added up as soon as all elements have set it,
 * and an element of n nodes has n (n + 1)/2 blocks of a matrix, n >= 3. */
static void share_element_matrices(fem_sim *f)
{
    f->mesh.dof_out = f->matrix.block_out;
    f->mesh.dof_rest = f->mesh.dof_out ? f->mesh.dof_out + (ptrdiff_t)f->mesh.element_dofs * DIM : NULL;
}

static void take_adjoint(fem_sim *f, const pio_engine_desc *desc)
{
    pio_arena *arena = &f->base.arena;
    if (sim_ever_uses_previous_state(desc)) TAKE_POINTS(f->adjoint.between_bar);
    TAKE_STATE(f->adjoint.known);
    TAKE_STATE(f->adjoint.u_bar);
    if (fem_has_rates(f) && !fem_leaps(f)) TAKE_STATE(f->adjoint.previous_bar);
    TAKE_POINTS(f->forces.external_bar);
    if (!fem_leaps(f)) TAKE_POINTS(f->frames.force_bar);
    TAKE(arena, f->frames.u_bar, (size_t)(fem_moves(f) ? 2 : 1) * DIM * (size_t)f->mesh.nodes);
    TAKE_POINTS(f->mesh.rest_bar);
    TAKE_FIELD(f->materials.k_bar, PIO_LAW_CONSTANTS);
    TAKE_FIELD(f->materials.parameters_bar, PIO_LAW_CONSTANTS);
    TAKE_FIELD(f->materials.density_bar, 1);
    f->materials.actual_bar = f->materials.density_bar;
    if (f->materials.n_interpolations) TAKE_FIELD(f->materials.actual_bar, 1);
    if (f->materials.n_interpolations) TAKE_FIELD(f->materials.relative_bar, 1);
    if (f->materials.has_choice) TAKE_FIELD(f->materials.choice_bar, 1);
    if (f->materials.has_thickness) TAKE_FIELD(f->materials.thickness_bar, 1);
    if (f->materials.has_heat) {
        TAKE_FIELD(f->materials.expansion_bar, 1);
        TAKE_FIELD(f->materials.temperature_bar, 1);
        TAKE_FIELD(f->materials.heat_bar, 1);
    }
    if (!f->loads.weightless) TAKE_FIELD(f->loads.gravity_contribution, DIM);
    TAKE(arena, f->supports.contribution, field_size(f->supports.n_constrained, 1));
    TAKE(arena, f->loads.values_bar, 3 * (size_t)f->loads.n_values);
    TAKE(arena, f->supports.value_bar, f->supports.n_supports);
}

static void take_motion(fem_sim *f)
{
    pio_arena *arena = &f->base.arena;
    const int adjoint = f->base.adjoint;
    TAKE_POINTS(f->motion.initial_u);
    TAKE_POINTS(f->motion.initial_v);
    TAKE(arena, f->motion.rate, 2 * DIM * (size_t)f->mesh.nodes);
    TAKE_POINTS(f->motion.inertia);
    TAKE_POINTS(f->motion.drag);
    TAKE(arena, f->curves.initial_factor, f->curves.n_curves);
    if (f->damping.has_alpha) TAKE_FIELD(f->damping.alpha, 1);
    if (f->damping.has_alpha && adjoint) TAKE_FIELD(f->damping.alpha_bar, 1);
    if (f->damping.has_beta) {
        TAKE_FIELD(f->damping.beta, 1);
        TAKE_FIELD(f->damping.k, PIO_LAW_CONSTANTS);
        TAKE(arena, f->damping.law, f->mesh.elements);
    }
    if (f->damping.has_beta && adjoint) {
        TAKE_FIELD(f->damping.beta_bar, 1);
        TAKE_FIELD(f->damping.k_bar, PIO_LAW_CONSTANTS);
    }
    if (!fem_leaps(f) && !fem_on_lattice(f->motion.integrator)) return;
    TAKE_POINTS(f->motion.ones);
    TAKE_POINTS(f->motion.mass);
    if (!adjoint || !fem_leaps(f)) return;
    TAKE_POINTS(f->motion.mass_bar);
    TAKE_POINTS(f->motion.weight_bar);
    TAKE(arena, f->mesh.dof_force, (size_t)f->mesh.element_dofs * DIM);
}

int fem_nodal(pio_quantity quantity)
{
    return quantity == PIO_POSITION || quantity == PIO_VELOCITY || quantity == PIO_DISPLACED;
}

static void take_filter(fem_sim *f, fem_design *d)
{
    pio_arena *arena = &f->base.arena;
    const int n = d->desc.groups * d->desc.components;
    if (d->desc.sharpness > 0) TAKE(arena, d->projected, n);
    if (d->desc.filter->apply) return;
    const int entries = d->desc.filter->start[n];
    TAKE(arena, d->start, n + 1);
    TAKE(arena, d->from, entries);
    TAKE(arena, d->weight, entries);
    TAKE(arena, d->transposed_start, n + 1);
    TAKE(arena, d->transposed_from, entries);
    TAKE(arena, d->transposed_weight, entries);
    if (d->desc.filter->offset) TAKE(arena, d->offset, n);
}

static void take_places(fem_sim *f, fem_observation *o)
{
    pio_arena *arena = &f->base.arena;
    const size_t places = (size_t)o->desc.places;
    if (places) {
        TAKE(arena, o->place.xi, 3 * places);
        TAKE(arena, o->place.w, places);
        TAKE(arena, o->place.N, places * ELEMENT_NODES);
        TAKE(arena, o->place.dN, places * ELEMENT_NODES * DIM);
        return;
    }
    o->place.entries = o->desc.row_start[o->desc.rows];
    TAKE(arena, o->place.row_start, o->desc.rows + 1);
    TAKE(arena, o->place.row_node, o->place.entries);
    TAKE(arena, o->place.row_shape, o->place.entries);
    TAKE(arena, o->place.node_start, f->mesh.nodes + 1);
    TAKE(arena, o->place.node_row, o->place.entries);
    TAKE(arena, o->place.node_shape, o->place.entries);
    TAKE(arena, o->place.row_bar, (size_t)o->desc.rows * DIM);
}

static void take_tables(fem_sim *f)
{
    pio_arena *arena = &f->base.arena;
    int largest = 0;
    for (fem_observation *o = f->observe.observations; o < f->observe.observations + f->observe.n_observations; o++) {
        if (o->desc.places || o->desc.row_start) take_places(f, o);
        if (o->desc.places) continue;
        if (fem_of_elements(o->desc.type)) {
            TAKE_FIELD(o->element_weight, 1);
            largest |= fem_of_fields(o->desc.type) && o->desc.measure == PIO_MAXIMUM;
            continue;
        }
        if (o->desc.type == PIO_EIGENFREQUENCY || o->desc.type == PIO_GAP) continue;
        if (sim_is_of_control(o->desc.type)) {
            TAKE(arena, o->channel_weight, f->control.n_channels);
            continue;
        }
        if (o->desc.type != PIO_DISTANCE && o->desc.type != PIO_COMPLIANCE) TAKE_POINTS(o->weight);
        if (o->desc.type != PIO_DISTANCE) continue;
        if (!o->desc.row_start) TAKE(arena, o->marker, f->mesh.nodes);
        TAKE(arena, o->points, (size_t)o->desc.samples * (size_t)o->desc.rows * DIM);
        if (o->desc.point_weight) TAKE(arena, o->point_weight, (size_t)o->desc.samples * (size_t)o->desc.rows);
    }
    TAKE(arena, f->observe.sums, 2 * (PROBE_NUMBERS + 1));
    if (largest) TAKE(arena, f->observe.found, 2);
    if (largest) TAKE(arena, f->observe.top, f->mesh.elements);
    if (largest) TAKE(arena, f->observe.best, f->mesh.elements);
    int filters = 0;
    for (fem_design *d = f->design.designs; d < f->design.designs + f->design.n_designs; d++) {
        if (d->desc.filter && !filters++) TAKE(arena, f->design.filtered, f->base.n_variables);
        if (d->desc.filter) take_filter(f, d);
        if (d->desc.direction) TAKE_POINTS(d->direction);
        if (d->desc.member) TAKE(arena, d->member_start, d->desc.groups + 1);
        if (d->desc.member) TAKE(arena, d->member, d->desc.member_start[d->desc.groups]);
        if (d->desc.quantity < PIO_GRAVITY)
            TAKE(arena, d->index, fem_nodal(d->desc.quantity) ? f->mesh.nodes : f->mesh.elements);
    }
}

static void take_stress(fem_sim *f)
{
    pio_arena *arena = &f->base.arena;
    if (!f->stress.places) return;
    TAKE_FIELD(f->stress.volume, 1);
    TAKE_FIELD(f->stress.mean, FEM_TENSOR);
    if (f->stress.places & PIO_STRESS_AT_NODES) {
        TAKE(arena, f->stress.element, f->mesh.element_dofs);
        TAKE(arena, f->stress.node, field_size(f->mesh.nodes, FEM_TENSOR));
    }
    if (f->stress.places & PIO_STRESS_AT_POINTS) TAKE(arena, f->stress.at, field_size(f->stress.points, FEM_TENSOR));
}

/* What the host keeps of a simulation while it runs; the records of its steps follow. */
typedef struct {
    int64_t index, external_of, log_first, log_next;
    int32_t turned, norm_last, indefinite, projected, no_acceleration, framed, log_kept, log_checked;
    int32_t modes_ready, modes_found;
    pio_takeover elsewhere;
} fem_host;

static void host_image(pio_sim *base, void *image, int in)
{
    fem_sim *f = fem_of(base);
    fem_host *h = image;
    pio_step_record *records = (pio_step_record *)(h + 1);
    const size_t bytes = sizeof *records * (size_t)base->steps;
    if (!in) {
        *h = (fem_host){base->index,
                        f->forces.external_of,
                        f->lattice.residual_log.first,
                        f->lattice.residual_log.next,
                        base->turned,
                        base->norm_last,
                        f->linear.indefinite,
                        f->matrix.projected,
                        f->state.no_acceleration,
                        f->frames.ready,
                        f->lattice.residual_log.kept,
                        f->lattice.residual_log.checked,
                        f->modal.ready,
                        f->modal.found,
                        f->linear.standby.elsewhere};
        memcpy(records, f->stepping.records, bytes);
        return;
    }
    memcpy(f->stepping.records, records, bytes);
    f->matrix.constant.valid = 0; /* the matrix is not part of the memory */
    base->index = h->index;
    base->turned = h->turned;
    base->norm_last = h->norm_last;
    f->forces.external_of = h->external_of;
    f->linear.indefinite = h->indefinite;
    f->matrix.projected = h->projected;
    f->state.no_acceleration = h->no_acceleration;
    f->frames.ready = h->framed;
    f->lattice.residual_log.first = h->log_first;
    f->lattice.residual_log.next = h->log_next;
    f->lattice.residual_log.kept = h->log_kept;
    f->lattice.residual_log.checked = h->log_checked;
    f->modal.ready = h->modes_ready;
    f->modal.found = h->modes_found;
    f->linear.standby.elsewhere = h->elsewhere;
    f->varies.set = 0; /* what is in memory is of another time */
    f->contact.span = fem_last_span(f, base->index);
}

piola_status fem_memory_out(pio_sim *sim, size_t at, size_t n, void *bytes, piola_error *error)
{
    return sim_memory_out(sim, host_image, at, n, bytes, error);
}

piola_status fem_memory_in(pio_sim *sim, size_t at, size_t n, const void *bytes, piola_error *error)
{
    return sim_memory_in(sim, host_image, at, n, bytes, error);
}

void fem_layout(fem_sim *f, const pio_engine_desc *desc)
{
    pio_arena *arena = &f->base.arena;
    const pio_fem_desc *m = desc->fem;
    memset(f->mesh.rule, 0, sizeof f->mesh.rule); /* of the layout that measured */
    fem_state_layout(f, desc);
    f->base.host_bytes = sizeof(fem_host) + sizeof *f->stepping.records * (size_t)desc->steps;
    TAKE(arena, f->step, 1);
    TAKE_STATE(f->state.u);
    TAKE_STATE(f->state.origin);
    take_mesh(f);
    if (m->follows) take_follow(f);
    take_loads(f);
    fem_vary_layout(f, m);
    fem_tie_layout(f);
    fem_control_layout(f, desc);
    fem_contact_layout(f, desc);
    fem_sink_layout(f);
    fem_pairs_layout(f);
    fem_pairs_friction_layout(f);
    TAKE(arena, f->curves.start, f->curves.n_curves + 1);
    TAKE(arena, f->curves.t, m->curve_start[f->curves.n_curves]);
    TAKE(arena, f->curves.value, m->curve_start[f->curves.n_curves]);
    TAKE_POINTS(f->forces.internal);
    TAKE_POINTS(f->forces.external);
    TAKE_POINTS(f->newton.rhs);
    TAKE_POINTS(f->newton.du);
    TAKE_POINTS(f->newton.trial);
    TAKE_POINTS(f->newton.lambda);
    TAKE_POINTS(f->newton.y);
    f->base.scratch[0] = f->base.arena.used;
    fem_pairs_room_layout(f);
    fem_pairs_friction_room_layout(f);
    if (!f->setup.start_only) take_matrix(f, m->follows != NULL);
    if (!f->setup.start_only) share_element_matrices(f);
    f->base.scratch[1] = f->base.arena.used;
    if (f->base.adjoint) take_adjoint(f, desc);
    take_tables(f);
    take_stress(f);
    if (fem_moves(f)) take_motion(f);
    if (fem_is_modal(f)) fem_modal_layout(f);
    TAKE(arena, f->newton.scalars, 24);
    if (fem_on_lattice(f->motion.integrator)) fem_lattice_layout(f, desc);
    /* Sums go over nodes, elements, or vectors with pressures behind the displacements, DIM numbers an item, rounded
     * up. */
    const int points = f->mesh.nodes + (f->linear.pressure.count + DIM - 1) / DIM;
    const int most = points > f->mesh.elements ? points : f->mesh.elements;
    const int pairs = fem_pairs_items(f) / (DIM * DIM) + 1; /* sums are over so many items for each of these */
    sim_layout(&f->base, most > pairs ? most : pairs, fem_most_items(f));
}
