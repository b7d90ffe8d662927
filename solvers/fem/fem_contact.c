/* fem_contact.c -- contact of a mesh's surface with obstacles: points, their areas, forces, blocks of the matrix, and
 * how far a step may go. Forces of contact count as internal ones, as those of springs do. */
#include "solvers/fem/fem_friction.h"
#include "solvers/fem/fem_pairs_friction.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const uint64_t NO_LIMIT = UINT64_MAX;

/* ---- what there must be ------------------------------------------------------------------------------------------ */

piola_status fem_contact_accept(const pio_engine_desc *desc, piola_error *error)
{
    const pio_fem_desc *m = desc->fem;
    const int contacts = m->n_contacts > 0 && m->contacts;
    piola_status rc = sim_obstacles_accept(desc, error);
    if (rc) return rc;
    if ((desc->n_obstacles > 0 || m->pairs.distance > 0) != contacts)
        return sim_fail(error, PIOLA_BAD_DATA,
                        "%d obstacles, %d sets of faces: a mesh that touches obstacles or itself has faces that do",
                        (int)desc->n_obstacles, (int)m->n_contacts);
    if (desc->n_obstacles && (fem_on_lattice(m->integrator) || m->integrator == PIO_MODAL))
        return sim_fail(error, PIOLA_BAD_DATA,
                        "obstacles are for static runs, backward Euler, BDF2, Newmark and the leapfrog; the "
                        "reversible integrators and modal analysis have none");
    for (int o = 0; !rc && o < desc->n_obstacles; o++) {
        const pio_obstacle_desc *d = &desc->obstacles[o];
        if (d->behaviour != PIO_WALL_SEPARATE || d->model != PIO_CONTACT_POTENTIAL)
            rc = sim_fail(error, PIOLA_BAD_DATA, "obstacle %d: meshes separate from it, by a potential", o);
    }
    return rc;
}

/* ---- points ------------------------------------------------------------------------------------------------------ */

/* Lists the nodes of all faces, ascending, and in `at` [element_dofs] the point of each node of a face. */
static void number_points(fem_sim *f, const pio_fem_desc *m, int *number, int *at)
{
    fem_sim_contact *s = &f->contact;
    for (int i = 0; i < f->mesh.nodes; i++) number[i] = -1;
    for (const pio_contact_desc *d = m->contacts; d < m->contacts + m->n_contacts; d++)
        for (int i = 0; i < d->n * fem_nodes_of(d->type); i++) number[d->vertices[i]] = 0;
    for (int i = 0; i < f->mesh.nodes; i++) {
        if (number[i] < 0) continue;
        s->point[s->points] = i;
        number[i] = s->points++;
    }
    for (const pio_contact_desc *d = m->contacts; d < m->contacts + m->n_contacts; d++)
        for (int i = 0; i < d->n * fem_nodes_of(d->type); i++) *at++ = number[d->vertices[i]];
}

static void take_faces(fem_sim *f, const pio_fem_desc *m)
{
    fem_sim_contact *s = &f->contact;
    for (int k = 0; k < m->n_contacts; k++) {
        s->faces[k] = (fem_contact_faces){.desc = m->contacts[k], .first_element_node = s->element_dofs};
        s->element_dofs += m->contacts[k].n * fem_nodes_of(m->contacts[k].type);
    }
    s->n_faces = m->n_contacts;
}

int fem_contact_begin(fem_sim *f, const pio_engine_desc *desc)
{
    fem_sim_contact *s = &f->contact;
    const pio_fem_desc *m = desc->fem;
    if (!sim_obstacles_begin(&s->obstacles, desc)) return 0;
    if (!m->n_contacts) return 1;
    for (int o = 0; o < s->obstacles.n; o++) s->moving |= desc->obstacles[o].n_points > 0;
    s->faces = calloc((size_t)m->n_contacts, sizeof *s->faces);
    if (!s->faces) return 0;
    take_faces(f, m);
    s->point = malloc(sizeof *s->point * (size_t)f->mesh.nodes);
    int *number = malloc(sizeof *number * (size_t)f->mesh.nodes), *at = malloc(sizeof *at * (size_t)s->element_dofs);
    int rc = s->point && number && at;
    if (rc) number_points(f, m, number, at);
    if (rc) rc = fem_element_dofs_make(&s->at_point, s->points, s->element_dofs, at, f->base.interrupted);
    free(number);
    free(at);
    s->first_node_pair = f->matrix.element_blocks + f->matrix.face_blocks;
    f->matrix.face_blocks += s->points;
    return rc;
}

void fem_contact_free_plan(fem_sim *f)
{
    free(f->contact.point);
    f->contact.point = NULL;
    fem_element_dofs_free(&f->contact.at_point);
}

void fem_contact_free(fem_sim *f)
{
    fem_contact_free_plan(f);
    free(f->contact.faces);
    sim_obstacles_free(&f->contact.obstacles);
}

#define UPLOAD(target, source, count) pio_queue_upload(q, target, source, sizeof *(source) * (size_t)(count))

void fem_contact_upload(fem_sim *f, const pio_engine_desc *desc)
{
    pio_queue *q = &f->base.queue;
    const fem_sim_contact *s = &f->contact;
    if (!s->points) return;
    for (const fem_contact_faces *p = s->faces; p < s->faces + s->n_faces; p++) {
        UPLOAD(p->vertex, p->desc.vertices, (size_t)p->desc.n * (size_t)fem_nodes_of(p->desc.type));
        UPLOAD(p->owner, p->desc.owner, p->desc.n);
    }
    UPLOAD(s->node, s->point, s->points);
    UPLOAD(s->start, s->at_point.start, s->points + 1);
    UPLOAD(s->list, s->at_point.list, s->element_dofs);
    sim_obstacles_upload(&s->obstacles, q, desc, 0);
}

/* ---- areas ------------------------------------------------------------------------------------------------------- */

/* clang-format off */
static fem_contact_face_args faces_of(const fem_sim *f, const fem_contact_faces *p)
{
    return (fem_contact_face_args){
            .f = {.rule = p->rule, .plane = f->mesh.plane, .first_element_node = p->first_element_node,
                  .vertex = p->vertex, .rest = f->mesh.rest, .owner = p->owner,
                  .thick = f->materials.has_thickness ? f->materials.thickness : NULL},
            .share = f->contact.share};
}

static fem_contact_area_args area_of(const fem_sim *f)
{
    const fem_sim_contact *s = &f->contact;
    return (fem_contact_area_args){.start = s->start, .list = s->list, .share = s->share, .area = s->area};
}

void fem_contact_areas(fem_sim *f)
{
    const fem_sim_contact *s = &f->contact;
    if (!s->points) return;
    for (const fem_contact_faces *p = s->faces; p < s->faces + s->n_faces; p++) {
        const fem_contact_face_args a = faces_of(f, p);
        pio_map_with(&f->base.queue, fem_contact_face, p->desc.n, NULL, &a);
    }
    const fem_contact_area_args a = area_of(f);
    pio_map_with(&f->base.queue, fem_contact_area, s->points, NULL, &a);
}

void fem_contact_areas_adj(fem_sim *f)
{
    pio_queue *q = &f->base.queue;
    const fem_sim_contact *s = &f->contact;
    if (!s->points) return;
    pio_map(q, fem_contact_area_adj, s->points, NULL, .fwd = area_of(f), .area_bar = s->area_bar,
            .share_bar = s->share);
    for (const fem_contact_faces *p = s->faces; p < s->faces + s->n_faces; p++) {
        pio_map(q, fem_contact_face_adj, p->desc.n, NULL, .fwd = faces_of(f, p), .share_bar = s->share,
                .rest_bar = s->share_rest, .thick_contribution = p->thick_contribution);
        if (p->thick_contribution)
            pio_map(q, fem_face_thick, 1, NULL, .faces = p->desc.n, .owner = p->owner,
                    .contribution = p->thick_contribution, .thick_bar = f->materials.thickness_bar);
    }
    pio_map(q, fem_contact_rest, s->points, NULL, .node = s->node, .start = s->start, .list = s->list,
            .in = s->share_rest, .out = f->mesh.rest_bar);
}

void fem_contact_adj_begin(fem_sim *f)
{
    pio_queue *q = &f->base.queue;
    const fem_sim_contact *s = &f->contact;
    if (!s->points) return;
    pio_queue_zero(q, s->area_bar, sizeof *s->area_bar * (size_t)s->points);
    sim_obstacles_adj_begin(&s->obstacles, q);
}

/* ---- forces ------------------------------------------------------------------------------------------------ */

void fem_contact_forces(fem_sim *f, const real *u, real *out)
{
    const fem_contact_args a = fem_contact_of(f, u, out);
    if (a.obstacles) pio_map_with(&f->base.queue, fem_contact, f->contact.points, NULL, &a);
    fem_friction_forces(f, &a, fem_slip_velocity(f, u));
}

void fem_contact_forces_adj(fem_sim *f, const real *u, const real *y, real *u_bar, real *v_bar, int parameters)
{
    pio_queue *q = &f->base.queue;
    const fem_sim_contact *s = &f->contact;
    const sim_obstacle_time t = fem_obstacle_end(f, s->span);
    if (!s->obstacles.n) return;
    for (int o = 0; o < s->obstacles.n; o++) {
        pio_map(q, fem_contact_adj, s->points, NULL, .fwd = fem_contact_of(f, u, NULL), .obstacle = o,
                .points = s->points, .y = y, .u_bar = u_bar,
                .rest_bar = parameters ? f->mesh.rest_bar : NULL, .area_bar = s->area_bar,
                .contribution = s->contribution);
        fem_friction_forces_adj(f, o, u, fem_slip_velocity(f, u), y,
                                (fem_friction_bars){.u = u_bar, .v = v_bar, .parameters = parameters});
        if (parameters) sim_obstacles_gather(&s->obstacles, q, o, s->points, NULL, s->contribution);
    }
    if (parameters) sim_obstacles_place_adj(&s->obstacles, q, &t);
}

void fem_contact_rounding(fem_sim *f, const real *u, real *out)
{
    const fem_contact_args a = fem_contact_of(f, u, out);
    fem_zero_points(f, out);
    if (a.obstacles) pio_map_with(&f->base.queue, fem_contact_rounded, f->contact.points, NULL, &a);
    fem_mask_constrained(f, 0, out);
}

void fem_contact_blocks(fem_sim *f, const real *u, int projected)
{
    const fem_sim_contact *s = &f->contact;
    if (!s->points) return;
    pio_map(&f->base.queue, fem_contact_matrix, s->points, NULL, .fwd = fem_contact_of(f, u, NULL),
            .projected = projected, .first_node_pair = s->first_node_pair, .out = f->matrix.block_out);
    fem_friction_blocks(f, u, projected);
    fem_pairs_blocks(f, u, projected);
}

void fem_contact_potential(fem_sim *f, const real *u, double *energy)
{
    const fem_contact_args a = fem_contact_of(f, u, NULL);
    if (!f->contact.points) return;
    pio_sum(&f->base.queue, fem_contact_energy, f->contact.points, NULL, energy, .obstacles = a.obstacles,
            .shape = a.shape, .pose = a.pose, .coefficients = a.coefficients, .node = a.node, .area = a.area,
            .rest = a.rest, .u = a.u);
    fem_pairs_potential(f, u, energy);
}

/* ---- how far a step may go --------------------------------------------------------------------------------- */

static void open_limit(fem_sim *f)
{
    pio_queue_upload(&f->base.queue, f->contact.keys + CONTACT_LIMIT, &NO_LIMIT, sizeof NO_LIMIT);
}

/* The number of which this is the contact_key, or 1. */
static double number_of(uint64_t key)
{
    union {
        uint64_t u;
        double d;
    } b = {.u = key};
    return key == NO_LIMIT ? 1 : b.d;
}

static piola_status read_key(fem_sim *f, int which, double *value, piola_error *error)
{
    uint64_t key = NO_LIMIT;
    pio_queue_download(&f->base.queue, &key, f->contact.keys + which, sizeof key);
    *value = number_of(key);
    return sim_failed(&f->base, error);
}

/* How obstacles go on from a fraction of a span; `obstacles` 0 where none moves then. */
static contact_pose_args motion_of(const fem_sim *f, fem_span span, double passed)
{
    const sim_obstacles *all = &f->contact.obstacles;
    const sim_obstacle_time t = fem_obstacle_time(f, span, passed);
    return (contact_pose_args){.obstacles = f->contact.moving && passed < 1 ? all->n : 0, .index = t.index, .dt = t.dt,
                               .from = t.from, .to = t.to, .parameters = all->parameters,
                               .motion_start = all->motion_start, .motion = all->motion, .axis = all->motion_axis};
}

piola_status fem_contact_limit(fem_sim *f, const real *u, const real *du, double scale, double *part,
                               piola_error *error)
{
    *part = 1;
    if (!f->contact.points) return PIOLA_OK;
    open_limit(f);
    fem_pairs_limit(f, u, du, scale, f->contact.keys + CONTACT_LIMIT);
    pio_map(&f->base.queue, fem_contact_reach, f->contact.points, NULL, .fwd = fem_contact_of(f, u, NULL), .du = du,
            .scale = scale, .limit = f->contact.keys + CONTACT_LIMIT);
    return read_key(f, CONTACT_LIMIT, part, error);
}

int fem_contact_rewind(fem_sim *f, fem_span span)
{
    if (!f->contact.moving) return 0;
    fem_obstacles_move(f, span, 0);
    return 1;
}

void fem_contact_carries(fem_sim *f, const real *u, real *residual)
{
    const contact_pose_args m = motion_of(f, f->contact.span, f->contact.passed);
    if (m.obstacles)
        pio_map(&f->base.queue, fem_contact_carry, f->contact.points, NULL, .fwd = fem_contact_of(f, u, NULL),
                .motion = m, .residual = residual);
}

piola_status fem_contact_advance(fem_sim *f, const real *u, const real *du, double *part, piola_error *error)
{
    const contact_pose_args m = motion_of(f, f->contact.span, f->contact.passed);
    if (!m.obstacles) return fem_contact_limit(f, u, du, 1, part, error);
    open_limit(f);
    fem_pairs_limit(f, u, du, 1, f->contact.keys + CONTACT_LIMIT);
    pio_map(&f->base.queue, fem_contact_reach, f->contact.points, NULL, .fwd = fem_contact_of(f, u, NULL), .du = du,
            .scale = 1, .motion = m, .limit = f->contact.keys + CONTACT_LIMIT);
    const piola_status rc = read_key(f, CONTACT_LIMIT, part, error);
    if (rc) return rc;
    if (!(*part < 1)) {
        fem_obstacles_at(f, f->contact.span);
        return PIOLA_OK;
    }
    fem_obstacles_move(f, f->contact.span, f->contact.passed + *part * (1 - f->contact.passed));
    return PIOLA_OK;
}

static void watch(fem_sim *f)
{
    const fem_sim_contact *s = &f->contact;
    pio_map(&f->base.queue, fem_contact_watch, s->points, NULL, .fwd = fem_contact_of(f, f->state.u, NULL),
            .least = s->keys + CONTACT_LEAST, .gap = s->gap, .nearest = s->nearest, .touching = s->touching,
            .counts = s->counts);
}

void fem_contact_count(fem_sim *f)
{
    if (f->contact.obstacles.n) watch(f);
    fem_friction_count(f);
}

/* At the start a point is at or behind a surface. */
static piola_status overlaps(fem_sim *f, piola_error *error)
{
    pio_queue *q = &f->base.queue;
    const fem_sim_contact *s = &f->contact;
    real *gap = malloc(sizeof *gap * (size_t)s->points), X[DIM], u[DIM];
    int deepest = 0, node = 0, obstacle = 0;
    char place[100];
    if (!gap) return sim_fail(error, PIOLA_NO_MEMORY, "no host memory for %d points of contact", s->points);
    pio_queue_download(q, gap, s->gap, sizeof *gap * (size_t)s->points);
    for (int k = 1; k < s->points; k++)
        if (gap[k] < gap[deepest]) deepest = k;
    pio_queue_download(q, &node, s->node + deepest, sizeof node);
    pio_queue_download(q, &obstacle, s->nearest + deepest, sizeof obstacle);
    pio_queue_download(q, X, f->mesh.rest + (ptrdiff_t)node * DIM, sizeof X);
    pio_queue_download(q, u, f->state.u + (ptrdiff_t)node * DIM, sizeof u);
    const double depth = -(double)gap[deepest];
    char deep[50] = "touches";
    free(gap);
    if (pio_queue_failed(q)) return sim_failed(&f->base, error);
    int n = snprintf(place, sizeof place, "(%.6g, %.6g", (double)(X[0] + u[0]), (double)(X[1] + u[1]));
    if (DIM == 3) n += snprintf(place + n, sizeof place - (size_t)n, ", %.6g", (double)(X[DIM - 1] + u[DIM - 1]));
    if (depth > 0) snprintf(deep, sizeof deep, "is %.3g m deep in", depth);
    piola_failure what = sim_failure(PIOLA_FAILED_CONTACT);
    what.of = PIOLA_FAILED_NODE;
    what.item = node;
    return sim_fail_as(error, PIOLA_NUMERICAL, what,
                       "at the start node %d at %s) m %s obstacles[%d]; a gap between bodies and obstacles would be "
                       "right",
                       node, place, deep, obstacle);
}

piola_status fem_contact_start(fem_sim *f, piola_error *error)
{
    pio_queue *q = &f->base.queue;
    const fem_sim_contact *s = &f->contact;
    uint64_t keys[CONTACT_KEYS] = {NO_LIMIT, NO_LIMIT, NO_LIMIT, NO_LIMIT, NO_LIMIT};
    if (!s->points) return PIOLA_OK;
    pio_queue_upload(q, s->keys, keys, sizeof keys);
    if (!s->obstacles.n) return sim_failed(&f->base, error);
    fem_obstacles_at(f, fem_whole(-1));
    pio_queue_zero(q, s->touching, sizeof *s->touching * (size_t)s->points);
    watch(f);
    pio_queue_zero(q, s->counts, 2 * sizeof *s->counts);
    fem_friction_start(f);
    pio_queue_download(q, keys, s->keys, sizeof keys);
    if (keys[CONTACT_LEAST] == 0) return overlaps(f, error);
    return sim_failed(&f->base, error);
}

void fem_contact_leaped(fem_sim *f, double h)
{
    const fem_sim_contact *s = &f->contact;
    if (!s->obstacles.n) return;
    pio_map(&f->base.queue, fem_contact_leap, s->points, NULL, .fwd = fem_contact_of(f, f->state.u, NULL),
            .v = fem_state(f, f->state.u, STATE_V), .mass = f->motion.mass, .h = h,
            .motion = motion_of(f, s->span, 0), .square = s->square,
            .step = f->step, .needed = s->keys + CONTACT_NEEDED, .stiffer = s->keys + CONTACT_STIFFER);
}

fem_contact_need fem_contact_needed(fem_sim *f, int64_t step)
{
    uint64_t keys[CONTACT_KEYS] = {0};
    double stiffness[2] = {0};
    pio_queue_download(&f->base.queue, keys, f->contact.keys, sizeof keys);
    for (int k = 0; k < 2; k++) { /* the number whose leading bits were taken from the largest */
        const uint64_t key = keys[k ? CONTACT_PAIRS_STIFFER : CONTACT_STIFFER];
        if (key != NO_LIMIT && (int64_t)(key >> 32) == step)
            stiffness[k] = number_of((UINT32_MAX - (key & UINT32_MAX)) << 32);
    }
    return (fem_contact_need){number_of(keys[CONTACT_NEEDED] << 32), stiffness[0], stiffness[1]};
}

piola_status fem_contact_report(pio_sim *sim, pio_contact_report *report, piola_error *error)
{
    fem_sim *f = fem_of(sim);
    int counts[2] = {0};
    *report = (pio_contact_report){.points = f->contact.points};
    const piola_status rc = fem_pairs_report(f, report, error);
    fem_pairs_friction_report(f, report);
    if (rc || !f->contact.obstacles.n) return rc;
    pio_queue_download(&sim->queue, counts, f->contact.counts, sizeof counts);
    report->began = counts[0];
    report->ended = counts[1];
    fem_friction_report(f, report);
    return read_key(f, CONTACT_LEAST, &report->gap, error);
}
/* clang-format on */
