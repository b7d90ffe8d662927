/* fem_pairs_surface.c -- what touches: flat pieces of the outer faces and their edges, on the host, and the memory of
 * their contact. */
#include "solvers/fem/fem_pairs.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_PIECES = 8, LEAST_GROUPS = 64 };

/* The pieces that faces are cut into, by nodes of the face, which are in the order of VTK: quadrilaterals along the
 * diagonal from their first node, curved faces between all their nodes. */
static const signed char cut_line2[] = {0, 1}, cut_line3[] = {0, 2, 2, 1};
static const signed char cut_tri3[] = {0, 1, 2}, cut_tri6[] = {0, 3, 5, 3, 1, 4, 5, 4, 2, 3, 4, 5};
static const signed char cut_quad4[] = {0, 1, 2, 0, 2, 3};
static const signed char cut_quad8[] = {0, 4, 7, 4, 1, 5, 5, 2, 6, 6, 3, 7, 4, 5, 6, 4, 6, 7};
static const signed char cut_quad9[] = {0, 4, 8, 0, 8, 7, 4, 1, 5, 4, 5, 8, 8, 5, 2, 8, 2, 6, 7, 8, 6, 7, 6, 3};

const signed char *fem_pieces_of(pio_element_type type, int *pieces)
{
    static const struct {
        pio_element_type type;
        int pieces;
        const signed char *nodes;
    } cuts[] = {{PIO_LINE2, 1, cut_line2}, {PIO_LINE3, 2, cut_line3}, {PIO_TRI3, 1, cut_tri3},  {PIO_TRI6, 4, cut_tri6},
                {PIO_QUAD4, 2, cut_quad4}, {PIO_QUAD8, 6, cut_quad8}, {PIO_QUAD9, 8, cut_quad9}};
    for (size_t k = 0; k < sizeof cuts / sizeof *cuts; k++) {
        if (cuts[k].type != type) continue;
        *pieces = cuts[k].pieces;
        return cuts[k].nodes;
    }
    *pieces = 0;
    return NULL;
}

/* ---- what there must be ------------------------------------------------------------------------------------------ */

piola_status fem_pairs_accept(const pio_engine_desc *desc, piola_error *error)
{
    const pio_fem_desc *m = desc->fem;
    const pio_pairs_desc *p = &m->pairs;
    for (int k = 0; k < desc->n_designs; k++) {
        const pio_design_desc *e = &desc->designs[k];
        if (fem_is_of_pairs(e->quantity) && (!(p->distance > 0) || e->components != 1 || e->groups != 1))
            return sim_fail(error, PIOLA_BAD_DATA, "design %d: it is one number, of a contact that there is", k);
    }
    if (!(p->distance > 0)) return PIOLA_OK;
    if (!(p->stiffness > 0 && isfinite(p->stiffness) && isfinite(p->distance) && p->room > 0 && p->body &&
          p->room < INT32_MAX / (FEM_PAIR_NODES * FEM_PAIR_NODES)))
        return sim_fail(
            error, PIOLA_BAD_DATA,
            "contact: stiffness %g Pa and distance %g m must be above 0, and room for %d pairs from 1 to %d",
            p->stiffness, p->distance, (int)p->room, INT32_MAX / (FEM_PAIR_NODES * FEM_PAIR_NODES) - 1);
    if (fem_on_lattice(m->integrator) || m->integrator == PIO_MODAL)
        return sim_fail(error, PIOLA_BAD_DATA,
                        "contact of surfaces with each other is for static runs, backward Euler, BDF2, Newmark and the "
                        "leapfrog; the reversible integrators and modal analysis have none");
    if (m->integrator != PIO_LEAPFROG && m->linear == PIO_SOLVE_DIRECT)
        return sim_fail(error, PIOLA_BAD_DATA,
                        "solver.linear is direct: where surfaces touch each other the matrix's pattern changes, which "
                        "no factor follows; 'linear: auto' or 'linear: pcg' would be right");
    if (m->ties.n)
        return sim_fail(error, PIOLA_BAD_DATA,
                        "tied nodes touch what they are tied to: a mesh has ties or contact of "
                        "surfaces with each other, not both");
    for (int k = 0; k < m->n_contacts; k++) {
        int pieces;
        if (!fem_pieces_of(m->contacts[k].type, &pieces))
            return sim_fail(error, PIOLA_BAD_DATA, "contact: set %d has faces of a type that has no pieces", k);
    }
    return PIOLA_OK;
}

/* ---- pieces and edges -------------------------------------------------------------------------------------------- */

typedef struct {
    int low, high; /* points */
} edge;

static int by_points(const void *a, const void *b)
{
    const edge *x = a, *y = b;
    if (x->low != y->low) return x->low < y->low ? -1 : 1;
    return x->high < y->high ? -1 : x->high > y->high;
}

/* Edges of all pieces, each once and ascending, behind these; and of how many each point is an end. 0 without
 * memory. */
static int list_edges(fem_sim_pairs *s)
{
    const int faces = s->surface.faces, sides = 3 * faces;
    edge *all = malloc(sizeof *all * ((size_t)sides + 1));
    if (!all) return 0;
    for (int k = 0; k < sides; k++) {
        const int a = s->corners[k], b = s->corners[k / 3 * 3 + (k + 1) % 3];
        all[k] = (edge){a < b ? a : b, a < b ? b : a};
    }
    qsort(all, (size_t)sides, sizeof *all, by_points);
    int *at = s->corners + (ptrdiff_t)faces * 3;
    for (int k = 0; k < sides; k++) {
        if (k && !by_points(&all[k], &all[k - 1])) continue;
        *at++ = all[k].low;
        *at++ = all[k].high;
        s->parts[all[k].low]++;
        s->parts[all[k].high]++;
        s->surface.edges++;
    }
    free(all);
    return 1;
}

static void list_pieces(const fem_sim *f, const pio_fem_desc *m, fem_sim_pairs *s)
{
    int *at = s->corners;
    for (const pio_contact_desc *d = m->contacts; d < m->contacts + m->n_contacts; d++) {
        int pieces;
        const signed char *cut = fem_pieces_of(d->type, &pieces);
        for (int i = 0; i < d->n; i++)
            for (int k = 0; k < pieces * DIM; k++)
                *at++ = s->items[d->vertices[(ptrdiff_t)i * fem_nodes_of(d->type) + cut[k]]];
    }
    for (int k = 0; k < f->contact.points; k++) s->bodies[k] = m->pairs.body[f->contact.point[k]];
}

int fem_pairs_begin(fem_sim *f, const pio_engine_desc *desc)
{
    const pio_fem_desc *m = desc->fem;
    fem_sim_pairs *s = &f->pairs;
    if (!(m->pairs.distance > 0)) return 1;
    *s = (fem_sim_pairs){.on = 1,
                         .room = m->pairs.room,
                         .groups = LEAST_GROUPS,
                         .stiffness = m->pairs.stiffness,
                         .distance = m->pairs.distance,
                         .surface = {.points = f->contact.points, .itself = m->pairs.itself}};
    for (int k = 0; k < m->n_contacts; k++) {
        int pieces;
        fem_pieces_of(m->contacts[k].type, &pieces);
        s->surface.faces += m->contacts[k].n * pieces;
    }
    const size_t points = (size_t)s->surface.points + 1, faces = (size_t)s->surface.faces + 1;
    s->items = malloc(sizeof *s->items * (size_t)f->mesh.nodes);
    s->corners = malloc(sizeof *s->corners * faces * (DIM + 6));
    s->bodies = malloc(sizeof *s->bodies * points);
    s->parts = calloc(points, sizeof *s->parts);
    int rc = s->items && s->corners && s->bodies && s->parts;
    for (int i = 0; rc && i < f->mesh.nodes; i++) s->items[i] = -1;
    for (int k = 0; rc && k < s->surface.points; k++) s->items[f->contact.point[k]] = k;
    if (rc) list_pieces(f, m, s);
    if (rc && DIM == 3) rc = list_edges(s);
    for (int k = 0; rc && k < s->surface.points; k++) /* an eighth of the area of each end, shared by its edges */
        s->parts[k] = s->parts[k] > 0 ? R(0.125) / s->parts[k] : 0;
    while (s->groups < s->surface.faces + s->surface.edges) s->groups *= 2;
    return rc;
}

void fem_pairs_free_plan(fem_sim *f)
{
    fem_sim_pairs *s = &f->pairs;
    free(s->corners);
    free(s->bodies);
    free(s->parts);
    free(s->items);
    s->corners = s->bodies = s->items = NULL;
    s->parts = NULL;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

int fem_pairs_items(const fem_sim *f)
{
    const fem_sim_pairs *s = &f->pairs;
    const int queries = s->surface.points + s->surface.edges, most = queries > s->groups ? queries : s->groups;
    return !s->on ? 0 : most > s->room ? most : s->room;
}

void fem_pairs_layout(fem_sim *f)
{
    pio_arena *arena = &f->base.arena;
    fem_sim_pairs *s = &f->pairs;
    const size_t points = (size_t)s->surface.points, edges = (size_t)s->surface.edges;
    const size_t pieces = (size_t)s->surface.faces + edges;
    if (!s->on) return;
    TAKE(arena, s->body, points);
    TAKE(arena, s->corner, (size_t)s->surface.faces * DIM + 2 * edges);
    TAKE(arena, s->part, points);
    TAKE(arena, s->box, pieces * 2 * DIM);
    TAKE(arena, s->levels, PAIR_LEVELS);
    TAKE(arena, s->cell, pieces * DIM);
    TAKE(arena, s->key, pieces);
    TAKE(arena, s->count, s->groups);
    TAKE(arena, s->start, s->groups + 1);
    TAKE(arena, s->list, pieces);
    TAKE(arena, s->number, points + edges);
    TAKE(arena, s->first, points + edges);
    TAKE(arena, s->found, 1);
    TAKE(arena, s->slots, points);
    TAKE(arena, s->slot_start, points + 1);
    TAKE(arena, s->keys, PAIR_KEYS);
    TAKE(arena, s->grip, PAIR_GRIP);
    TAKE(arena, s->gap, points);
    TAKE(arena, s->touching, points);
    TAKE(arena, s->counts, 2);
    s->surface.node = f->contact.node;
    s->surface.body = s->body;
    s->surface.corner = s->corner;
    if (f->base.adjoint) TAKE(arena, s->grip_bar, PAIR_GRIP);
}

void fem_pairs_room_layout(fem_sim *f)
{
    pio_arena *arena = &f->base.arena;
    fem_sim_pairs *s = &f->pairs;
    const size_t slots = (size_t)s->room * FEM_PAIR_NODES;
    if (!s->on) return;
    TAKE(arena, s->pair, slots);
    TAKE(arena, s->slot, slots);
    TAKE(arena, s->out, slots * DIM);
    if (!f->base.adjoint) return;
    TAKE(arena, s->rest_out, slots * DIM);
    TAKE(arena, s->area_out, slots);
    TAKE(arena, s->grip_out, field_size(s->room, PAIR_GRIP));
}

#define UPLOAD(target, source, count) pio_queue_upload(q, target, source, sizeof *(source) * (size_t)(count))

void fem_pairs_upload(fem_sim *f)
{
    pio_queue *q = &f->base.queue;
    const fem_sim_pairs *s = &f->pairs;
    const double grip[PAIR_GRIP] = {s->stiffness, s->distance};
    if (!s->on) return;
    UPLOAD(s->corner, s->corners, s->surface.faces * DIM + 2 * s->surface.edges);
    UPLOAD(s->body, s->bodies, s->surface.points);
    UPLOAD(s->grip, grip, PAIR_GRIP);
    UPLOAD(s->part, s->parts, s->surface.points);
    if (s->item) UPLOAD(s->item, s->items, f->mesh.nodes);
}
