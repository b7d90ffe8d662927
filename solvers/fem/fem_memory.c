/* fem_memory.c -- the layout of a mesh's device memory. Run twice: to measure, and to take. */
#include "solvers/fem/fem.h"

#include <string.h>

#define TAKE_POINTS(pointer) TAKE(&f->base.arena, pointer, DIM *(size_t)f->nodes)
#define TAKE_STATE(pointer) TAKE(&f->base.arena, pointer, DIM *(size_t)f->nodes *(size_t)f->n_state)
#define TAKE_FIELD(pointer, components) TAKE(&f->base.arena, pointer, field_size(f->elements, components))

/* Every rule once, however many parts and loads are of its type. */
static void take_rule(fem_sim *f, int rule, pio_element_type type)
{
    pio_arena *arena = &f->base.arena;
    fem_rule *r = &f->rule[rule][type];
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
    for (fem_part *p = f->part; p < f->part + f->n_parts; p++) {
        for (int r = 0; r < RULES; r++) take_rule(f, r, p->type);
        TAKE(arena, p->node, (size_t)p->n * (size_t)fem_nodes_of(p->type));
        TAKE(arena, p->pair, p->pairs);
    }
    TAKE_POINTS(f->rest);
    TAKE_POINTS(f->reference);
    TAKE(arena, f->held, f->nodes);
    if (!f->bare) {
        TAKE(arena, f->corner_start, f->nodes + 1);
        TAKE(arena, f->corner_list, f->corners);
        TAKE(arena, f->corner_out, (size_t)f->corners * DIM);
    }
    const int rows = f->rows ? f->rows : f->elements;
    TAKE(arena, f->law, rows);
    TAKE(arena, f->lame, rows);
    TAKE(arena, f->given, field_size(rows, HYPER_CONSTANTS));
    TAKE(arena, f->k, field_size(rows, HYPER_CONSTANTS));
    TAKE(arena, f->density, field_size(rows, 1));
    if (f->thickness) TAKE_FIELD(f->thick, 1);
}

static void take_follow(fem_sim *f)
{
    TAKE(&f->base.arena, f->stays, f->nodes);
    TAKE(&f->base.arena, f->follow_law, f->elements);
    TAKE_FIELD(f->follow_given, HYPER_CONSTANTS);
    TAKE_FIELD(f->follow_k, HYPER_CONSTANTS);
}

static void take_loads(fem_sim *f)
{
    pio_arena *arena = &f->base.arena;
    for (fem_load *l = f->load; l < f->load + f->n_loads; l++) {
        take_rule(f, RULE_MASS, l->desc.type);
        l->rule = f->rule[RULE_MASS][l->desc.type];
        if (l->desc.vertices) TAKE(arena, l->vertex, (size_t)l->desc.n * (size_t)fem_nodes_of(l->desc.type));
        TAKE(arena, l->owner, l->desc.n);
        if (!f->base.adjoint) continue;
        TAKE(arena, l->value_share, field_size(l->desc.n, DIM));
        if (f->thickness && l->desc.vertices) TAKE(arena, l->thick_share, field_size(l->desc.n, 1));
    }
    TAKE(arena, f->values, 3 * (size_t)f->n_values);
    if (f->totals) TAKE(arena, f->areas, f->n_values);
    if (!f->bare) {
        TAKE(arena, f->load_start, f->nodes + 1);
        TAKE(arena, f->load_list, f->load_corners);
        TAKE(arena, f->load_out, (size_t)f->load_corners * DIM);
    }
    TAKE_POINTS(f->vertex_rest);
    TAKE_POINTS(f->vertex_force);
    if (f->follows || f->sprung) {
        TAKE_POINTS(f->vertex_u);
        TAKE_POINTS(f->vertex_place);
    }
    if (f->follows) {
        TAKE_POINTS(f->f_dead);
        TAKE_POINTS(f->f_before);
    }
    if (f->sprung) TAKE_POINTS(f->spring_force);
    if (f->sprung && f->base.adjoint) TAKE(arena, f->load_rest, (size_t)f->load_corners * DIM);
    TAKE(arena, f->held_node, f->n_held);
    TAKE(arena, f->held_axis, f->n_held);
    TAKE(arena, f->held_support, f->n_held);
    TAKE(arena, f->support_value, f->n_supports);
    TAKE(arena, f->support_curve, f->n_supports);
    TAKE(arena, f->factor, f->n_curves);
}

/* `morphs`: nodes follow a design, by conjugate gradients, whatever the Jacobian is. */
static void take_matrix(fem_sim *f, int morphs)
{
    pio_arena *arena = &f->base.arena;
    pio_bsr_layout(&f->matrix, &f->base.arena, f->nodes, f->graph.blocks);
    const int general = f->kind == PIO_GENERAL;
    const unsigned symmetric = 1u << PIO_PCG | (general ? 0u : 1u << PIO_MINRES);
    const unsigned methods = (general ? 1u << PIO_GMRES : 0u) | (general && !morphs ? 0u : symmetric);
    pio_krylov_layout(&f->krylov, &f->base.arena, (int64_t)f->nodes * DIM, methods, general ? FEM_RESTART : 1);
    if (f->direct.table) pio_direct_layout(&f->direct, &f->base.arena, 1);
    TAKE(arena, f->block_row, f->graph.blocks);
    TAKE(arena, f->block_start, f->graph.blocks + 1);
    TAKE(arena, f->block_source, f->graph.sources);
    TAKE(arena, f->pair_out, (size_t)(f->pairs + f->load_pairs) * DIM * DIM);
}

static void take_adjoint(fem_sim *f, const pio_engine_desc *desc)
{
    pio_arena *arena = &f->base.arena;
    if (sim_looks_back_ever(desc)) TAKE_POINTS(f->past_bar);
    TAKE_STATE(f->known);
    TAKE_STATE(f->u_bar);
    if (f->integrator != PIO_STATIC && !fem_leaps(f)) TAKE_STATE(f->earlier_bar);
    TAKE_POINTS(f->f_ext_bar);
    if (!fem_leaps(f)) TAKE_POINTS(f->force_bar);
    TAKE(arena, f->frame_bar, (size_t)(f->integrator == PIO_STATIC ? 1 : 2) * DIM * (size_t)f->nodes);
    TAKE_POINTS(f->rest_bar);
    TAKE(arena, f->corner_rest, (size_t)f->corners * DIM);
    TAKE_FIELD(f->k_bar, HYPER_CONSTANTS);
    TAKE_FIELD(f->given_bar, HYPER_CONSTANTS);
    TAKE_FIELD(f->density_bar, 1);
    if (f->thickness) TAKE_FIELD(f->thick_bar, 1);
    TAKE_FIELD(f->gravity_share, DIM);
    TAKE(arena, f->held_share, field_size(f->n_held, 1));
    TAKE(arena, f->values_bar, 3 * (size_t)f->n_values);
    TAKE(arena, f->support_bar, f->n_supports);
}

static void take_motion(fem_sim *f)
{
    pio_arena *arena = &f->base.arena;
    const int adjoint = f->base.adjoint;
    TAKE_POINTS(f->initial_u);
    TAKE_POINTS(f->initial_v);
    TAKE(arena, f->rate, 2 * DIM * (size_t)f->nodes);
    TAKE_POINTS(f->inertia);
    TAKE_POINTS(f->drag);
    TAKE(arena, f->first_factor, f->n_curves);
    if (f->damped) TAKE_FIELD(f->alpha, 1);
    if (f->damped && adjoint) TAKE_FIELD(f->alpha_bar, 1);
    if (f->stiff) {
        TAKE_FIELD(f->beta, 1);
        TAKE_FIELD(f->damp_k, HYPER_CONSTANTS);
        TAKE(arena, f->damp_law, f->elements);
    }
    if (f->stiff && adjoint) {
        TAKE_FIELD(f->beta_bar, 1);
        TAKE_FIELD(f->damp_bar, HYPER_CONSTANTS);
    }
    if (!fem_leaps(f) && !fem_on_lattice(f->integrator)) return;
    TAKE_POINTS(f->ones);
    TAKE_POINTS(f->mass);
    if (!adjoint || !fem_leaps(f)) return;
    TAKE_POINTS(f->mass_bar);
    TAKE_POINTS(f->weight_bar);
    TAKE(arena, f->corner_force, (size_t)f->corners * DIM);
}

int fem_nodal(pio_quantity quantity)
{
    return quantity == PIO_POSITION || quantity == PIO_VELOCITY || quantity == PIO_DISPLACED;
}

static void take_filter(fem_sim *f, fem_design *d)
{
    pio_arena *arena = &f->base.arena;
    const int n = d->desc.groups * d->desc.components, entries = d->desc.filter->start[n];
    TAKE(arena, d->start, n + 1);
    TAKE(arena, d->from, entries);
    TAKE(arena, d->weight, entries);
    TAKE(arena, d->turned_start, n + 1);
    TAKE(arena, d->turned_from, entries);
    TAKE(arena, d->turned_weight, entries);
}

static void take_tables(fem_sim *f)
{
    pio_arena *arena = &f->base.arena;
    for (fem_observation *o = f->observations; o < f->observations + f->n_observations; o++) {
        if (fem_of_elements(o->desc.type)) {
            TAKE_FIELD(o->share, 1);
            continue;
        }
        if (o->desc.type != PIO_DISTANCE && o->desc.type != PIO_COMPLIANCE) TAKE_POINTS(o->weight);
        if (o->desc.type != PIO_DISTANCE) continue;
        TAKE(arena, o->marker, f->nodes);
        TAKE(arena, o->points, (size_t)o->desc.samples * (size_t)o->desc.rows * DIM);
        if (o->desc.point_weight) TAKE(arena, o->point_weight, (size_t)o->desc.samples * (size_t)o->desc.rows);
    }
    int filters = 0;
    for (fem_design *d = f->designs; d < f->designs + f->n_designs; d++) {
        if (d->desc.filter && !filters++) TAKE(arena, f->filtered, f->base.n_variables);
        if (d->desc.filter) take_filter(f, d);
        if (d->desc.direction) TAKE_POINTS(d->direction);
        if (d->desc.quantity < PIO_GRAVITY) TAKE(arena, d->index, fem_nodal(d->desc.quantity) ? f->nodes : f->elements);
    }
}

/* What the host keeps of a simulation while it runs; the records of its steps follow. */
typedef struct {
    int64_t index, external_of, tape_first, tape_next;
    int32_t turned, norm_last, indefinite, projected, no_acceleration, framed, tape_kept, tape_looked;
} fem_host;

static void host_image(pio_sim *base, void *image, int in)
{
    fem_sim *f = fem_of(base);
    fem_host *h = image;
    pio_step_record *records = (pio_step_record *)(h + 1);
    const size_t bytes = sizeof *records * (size_t)base->steps;
    if (!in) {
        *h = (fem_host){base->index,   f->external_of, f->tape.first,      f->tape.next, base->turned, base->norm_last,
                        f->indefinite, f->projected,   f->no_acceleration, f->framed,    f->tape.kept, f->tape.looked};
        memcpy(records, f->records, bytes);
        return;
    }
    memcpy(f->records, records, bytes);
    base->index = h->index;
    base->turned = h->turned;
    base->norm_last = h->norm_last;
    f->external_of = h->external_of;
    f->indefinite = h->indefinite;
    f->projected = h->projected;
    f->no_acceleration = h->no_acceleration;
    f->framed = h->framed;
    f->tape.first = h->tape_first;
    f->tape.next = h->tape_next;
    f->tape.kept = h->tape_kept;
    f->tape.looked = h->tape_looked;
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
    memset(f->rule, 0, sizeof f->rule); /* of the layout that measured */
    fem_state_layout(f, desc);
    f->base.host_bytes = sizeof(fem_host) + sizeof *f->records * (size_t)desc->steps;
    TAKE(arena, f->step, 1);
    TAKE_STATE(f->u);
    TAKE_STATE(f->origin);
    take_mesh(f);
    if (m->follows) take_follow(f);
    take_loads(f);
    TAKE(arena, f->curve_start, f->n_curves + 1);
    TAKE(arena, f->curve_t, m->curve_start[f->n_curves]);
    TAKE(arena, f->curve_value, m->curve_start[f->n_curves]);
    TAKE_POINTS(f->f_int);
    TAKE_POINTS(f->f_ext);
    TAKE_POINTS(f->rhs);
    TAKE_POINTS(f->du);
    TAKE_POINTS(f->trial);
    TAKE_POINTS(f->lambda);
    TAKE_POINTS(f->y);
    f->base.scratch[0] = f->base.arena.used;
    if (!f->bare) take_matrix(f, m->follows != NULL);
    f->base.scratch[1] = f->base.arena.used;
    if (f->base.adjoint) take_adjoint(f, desc);
    take_tables(f);
    if (f->integrator != PIO_STATIC) take_motion(f);
    TAKE(arena, f->scalars, 16);
    if (fem_on_lattice(f->integrator)) fem_lattice_layout(f, desc);
    TAKE(arena, f->amounts, 4);
    const int most = f->nodes > f->elements ? f->nodes : f->elements;
    sim_layout(&f->base, most, most);
}
