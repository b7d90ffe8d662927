/* fem_pairs.c -- contact of surfaces with each other: which pieces are near, their forces and how far a step may go.
 * Forces of contact count as internal ones, as those of springs do. */

#include "solvers/fem/fem_pairs.h"

#include <math.h>

/* Surfaces touch at this fraction of the contact's distance. */
static const double TOUCHES = 1e-6;

/* clang-format off */
/* ---- which pairs are near ---------------------------------------------------------------------------------------- */

/* Sets the key to what is never lowered, without the host. */
static void open_key(fem_sim *f, int which)
{
    pio_queue_copy(&f->base.queue, f->pairs.keys + which, f->pairs.keys + PAIR_NONE, sizeof *f->pairs.keys);
}

/* Sets the boxes of pieces and edges on a way, counts their levels or sets the key to the longest side of any. */
static void boxes(fem_sim *f, const fem_pair_way *way, const fem_pair_far *far, int which)
{
    const fem_sim_pairs *s = &f->pairs;
    open_key(f, which);
    pio_map(&f->base.queue, fem_pair_box, s->surface.faces + s->surface.edges, NULL, .s = s->surface, .way = *way,
            .far = *far, .box = s->box, .most = s->keys + which);
}

/* Lists items by the group of each, of which the first *limit count. */
static void group(fem_sim *f, int items, const int *limit, const fem_pair_count_args *a)
{
    pio_queue *q = &f->base.queue;
    pio_map_with(q, fem_pair_count, items, limit, a);
    pio_scan_with(q, fem_pair_start, a->groups, a);
    pio_map_with(q, fem_pair_place, items, limit, a);
    pio_map_with(q, fem_pair_order, a->groups, NULL, a);
}

fem_pair_near_args fem_pairs_near(const fem_sim *f, const fem_pair_way *way)
{
    const fem_sim_pairs *s = &f->pairs;
    return (fem_pair_near_args){.s = s->surface, .way = *way, .grip = s->grip, .box = s->box,
                                .most = s->keys + PAIR_LONGEST, .groups = s->groups, .cell = s->cell, .key = s->key,
                                .start = s->start, .list = s->list, .room = s->room, .number = s->number,
                                .first = s->first, .found = s->found, .corner = s->pair};
}

void fem_pairs_sort(fem_sim *f, const fem_pair_way *way)
{
    pio_queue *q = &f->base.queue;
    const fem_sim_pairs *s = &f->pairs;
    const int pieces = s->surface.faces + s->surface.edges;
    const fem_pair_way here = {.rest = way->rest, .u = way->u};
    fem_pair_far far = {.piece = s->keys + PAIR_PIECE, .pieces = pieces};
    if (way->du) {
        boxes(f, &here, &far, PAIR_PIECE);
        far.levels = s->levels;
        pio_queue_zero(q, s->levels, PAIR_LEVELS * sizeof *s->levels);
    }
    boxes(f, way, &far, PAIR_LONGEST);
    if (way->du)
        pio_map(q, fem_pair_most, pieces, NULL, .far = far, .box = s->box, .most = s->keys + PAIR_LONGEST);
    pio_map(q, fem_pair_cell, pieces, NULL, .s = s->surface, .grip = s->grip, .box = s->box,
            .most = s->keys + PAIR_LONGEST, .far = far, .groups = s->groups, .cell = s->cell, .key = s->key);
    group(f, pieces, NULL, &(fem_pair_count_args){.groups = s->groups, .key = s->key, .count = s->count,
                                                  .start = s->start, .list = s->list});
}

/* Lists the pairs that are near on a way. */
static void find(fem_sim *f, const fem_pair_way *way)
{
    pio_queue *q = &f->base.queue;
    const fem_sim_pairs *s = &f->pairs;
    const int queries = s->surface.points + s->surface.edges;
    const fem_pair_near_args a = fem_pairs_near(f, way);
    fem_pairs_sort(f, way);
    pio_map_with(q, fem_pair_near, queries, NULL, &a);
    pio_scan_with(q, fem_pair_first, queries, &a);
    pio_map_with(q, fem_pair_list, queries, NULL, &a);
    group(f, s->room * FEM_PAIR_NODES, &s->found->slots,
          &(fem_pair_count_args){.groups = s->surface.points, .key = s->pair, .count = s->slots,
                                 .start = s->slot_start, .list = s->slot});
}

void fem_pairs_find(fem_sim *f, const real *u)
{
    const fem_pair_way way = {.rest = f->mesh.rest, .u = u};
    find(f, &way);
}

/* ---- forces ------------------------------------------------------------------------------------------------------ */

fem_pair_args fem_pairs_of(const fem_sim *f, const real *u, real *out)
{
    const fem_sim_pairs *s = &f->pairs;
    return (fem_pair_args){.s = s->surface, .found = s->found, .corner = s->pair, .grip = s->grip,
                           .area = f->contact.area, .part = s->part, .rest = f->mesh.rest, .u = u, .out = out};
}

void fem_pairs_add(fem_sim *f, const real *in, real *out)
{
    const fem_sim_pairs *s = &f->pairs;
    pio_map(&f->base.queue, fem_pair_sum, s->surface.points, NULL, .s = s->surface, .start = s->slot_start,
            .list = s->slot, .in = in, .out = out);
}

void fem_pairs_parameters_adj(fem_sim *f)
{
    pio_queue *q = &f->base.queue;
    const fem_sim_pairs *s = &f->pairs;
    fem_pairs_add(f, s->rest_out, f->mesh.rest_bar);
    pio_map(q, fem_pair_area, s->surface.points, NULL, .start = s->slot_start, .list = s->slot, .in = s->area_out,
            .out = f->contact.area_bar);
    for (int k = 0; k < PAIR_GRIP; k++) {
        pio_sum(q, field_sum, s->room, &s->found->count, f->base.scalar, .n = s->room, .components = PAIR_GRIP,
                .component = k, .in = s->grip_out);
        pio_map(q, add_scalar, 1, NULL, .term = f->base.scalar, .total = s->grip_bar + k);
    }
}

void fem_pairs_adj_begin(fem_sim *f)
{
    if (f->pairs.on) pio_queue_zero(&f->base.queue, f->pairs.grip_bar, PAIR_GRIP * sizeof *f->pairs.grip_bar);
}

void fem_pairs_design(fem_sim *f, pio_quantity quantity, double *value, int back)
{
    const int at = quantity == PIO_PAIR_STIFFNESS ? PAIR_STIFFNESS : PAIR_DISTANCE;
    if (back)
        pio_queue_copy(&f->base.queue, value, f->pairs.grip_bar + at, sizeof *value);
    else
        pio_queue_copy(&f->base.queue, f->pairs.grip + at, value, sizeof *value);
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

void fem_pairs_leaped(fem_sim *f, double h)
{
    const fem_sim_pairs *s = &f->pairs;
    const real *v = fem_state(f, f->state.u, STATE_V);
    const fem_pair_way way = {.rest = f->mesh.rest, .u = f->state.u, .du = v, .from = -h, .to = 0};
    if (!s->on) return;
    find(f, &way);
    pio_map(&f->base.queue, fem_pair_leap, s->surface.points, NULL, .fwd = fem_pairs_of(f, f->state.u, NULL),
            .start = s->slot_start, .list = s->slot, .v = v, .mass = f->motion.mass, .h = h,
            .square = f->contact.square, .step = f->step, .needed = f->contact.keys + CONTACT_NEEDED,
            .stiffer = f->contact.keys + CONTACT_PAIRS_STIFFER);
}

static void watch(fem_sim *f, const real *u, int own)
{
    const fem_sim_pairs *s = &f->pairs;
    pio_map(&f->base.queue, fem_pair_watch, s->surface.points, NULL, .fwd = fem_pairs_of(f, u, NULL),
            .start = s->slot_start, .list = s->slot, .own = own, .least = s->keys + PAIR_LEAST_GAP, .gap = s->gap,
            .touching = s->touching, .counts = s->counts);
}

/* An explicit step has listed all pairs of its way. */
void fem_pairs_count(fem_sim *f)
{
    if (!f->pairs.on) return;
    if (!fem_leaps(f)) fem_pairs_find(f, f->state.u);
    watch(f, f->state.u, 0);
}

void fem_pairs_gaps(fem_sim *f, const real *u, real *out)
{
    const fem_sim_pairs *s = &f->pairs;
    if (!s->on) return;
    fem_pairs_find(f, u);
    pio_map(&f->base.queue, fem_pair_gaps, s->surface.points, NULL, .fwd = fem_pairs_of(f, u, NULL),
            .start = s->slot_start, .list = s->slot, .out = out);
}

piola_status fem_pairs_check(fem_sim *f, piola_error *error)
{
    fem_pair_found found = {0};
    const fem_sim_pairs *s = &f->pairs;
    if (!s->on) return PIOLA_OK;
    pio_queue_download(&f->base.queue, &found, s->found, sizeof found);
    if (f->base.queue.error.code) return sim_failed(&f->base, error);
    if (found.most <= s->room) return PIOLA_OK;
    return sim_fail(error, PIOLA_NO_MEMORY,
                    "contact: %d pairs of pieces of surfaces are near each other, and there is room for %d; "
                    "`contact.pairs: %.0f` would be right",
                    found.most, s->room, fmin(2.0 * found.most, 1e8));
}

piola_status fem_pairs_report(fem_sim *f, pio_contact_report *report, piola_error *error)
{
    fem_pair_found found = {0};
    const fem_sim_pairs *s = &f->pairs;
    union {
        uint64_t u;
        double d;
    } least = {0};
    int counts[2] = {0};
    if (!s->on) return PIOLA_OK;
    pio_queue_download(&f->base.queue, &found, s->found, sizeof found);
    pio_queue_download(&f->base.queue, counts, s->counts, sizeof counts);
    pio_queue_download(&f->base.queue, &least.u, s->keys + PAIR_LEAST_GAP, sizeof least);
    report->pairs = found.most;
    report->room = s->room;
    report->met = counts[0];
    report->parted = counts[1];
    report->nearest = least.d;
    return sim_failed(&f->base, error);
}

/* ---- the start --------------------------------------------------------------------------------------------------- */

/* Sets *least to the least distance in u of the pairs that are listed. */
static piola_status least_distance(fem_sim *f, const real *u, int own, double *least, piola_error *error)
{
    union {
        uint64_t u;
        double d;
    } key = {0};
    open_key(f, PAIR_LEAST_GAP);
    fem_pairs_find(f, u);
    watch(f, u, own);
    pio_queue_download(&f->base.queue, &key.u, f->pairs.keys + PAIR_LEAST_GAP, sizeof key);
    *least = key.d;
    return sim_failed(&f->base, error);
}

piola_status fem_pairs_start(fem_sim *f, piola_error *error)
{
    pio_queue *q = &f->base.queue;
    fem_sim_pairs *s = &f->pairs;
    const fem_pair_way way = {.rest = f->mesh.rest, .u = f->state.u};
    const uint64_t keys[PAIR_KEYS] = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
    uint64_t edge = UINT64_MAX;
    double grip[PAIR_GRIP] = {0}, least;
    if (!s->on) return PIOLA_OK;
    pio_queue_upload(q, s->keys, keys, sizeof keys);
    pio_queue_download(q, grip, s->grip, sizeof grip);
    pio_queue_zero(q, s->found, sizeof *s->found);
    pio_queue_zero(q, s->touching, sizeof *s->touching * (size_t)s->surface.points);
    fem_zero_points(f, f->newton.trial);
    piola_status rc = s->surface.itself ? least_distance(f, f->newton.trial, 1, &least, error) : PIOLA_OK;
    if (!rc && s->surface.itself && least < grip[PAIR_DISTANCE])
        rc = fem_pairs_too_near(f, f->newton.trial, 1, "a `contact.distance` of less than that, of less than the "
                                "thickness and the elements of every body, or `contact.between: bodies` would be right",
                                error);
    if (rc) return rc;
    rc = least_distance(f, f->state.u, 0, &least, error);
    if (rc) return rc;
    pio_map(q, fem_pair_cross, DIM == 3 ? s->surface.edges : s->surface.faces, NULL, .near = fem_pairs_near(f, &way),
            .fault = s->keys + PAIR_CROSSING);
    pio_queue_download(q, &edge, s->keys + PAIR_CROSSING, sizeof edge);
    if (edge != UINT64_MAX) return fem_pairs_crossing(f, edge, error);
    if (!(least > TOUCHES * grip[PAIR_DISTANCE]))
        return fem_pairs_too_near(f, f->state.u, 0, "a gap between them would be right", error);
    rc = fem_pairs_inside(f, error);
    if (rc) return rc;
    pio_queue_zero(q, s->counts, 2 * sizeof *s->counts);
    return fem_pairs_check(f, error);
}
/* clang-format on */
