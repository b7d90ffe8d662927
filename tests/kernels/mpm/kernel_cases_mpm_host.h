/* kernel_cases_mpm_host.h -- cases of observations, moved bodies and derived fields: what the host sees of particles.
 * Case text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_MPM_HOST_H
#define PIOLA_TESTS_KERNEL_CASES_MPM_HOST_H

#include "tests/kernels/base/kernel_cases_host.h"
#include "tests/kernels/mpm/kernel_cases_sample.h"

/* ---- observations: total mass, sum, value; the adjoint covers all three ------------------------------------- */

/* The state before is stored in the opposite order. */
static void observe_past(case_io *io, const sample *t, mpm_observe_args *a)
{
    int *at = HOST(io, int, t->n), *cell = HOST(io, int, t->n);
    for (int i = 0; i < t->n; i++) {
        at[i] = t->n - 1 - i;
        cell[t->n - 1 - i] = t->cell[(i + 5) % t->n];
    }
    memset(&a->past, 0, sizeof a->past);
    a->past.cell = PUSH(io, int, cell, t->n);
    a->past.offset = REALS(io, "past offset", DIM, t->n, 0.5, 1.5);
    a->past_at = a->past_weight > 0 ? PUSH(io, int, at, t->n) : NULL;
}

/* Every second particle has a point, of which some are missing. */
static void observe_points(case_io *io, const sample *t, mpm_observe_args *a)
{
    enum { ROWS = 400 };
    int *marker = HOST(io, int, t->n);
    double *points = HOST(io, double, ROWS *DIM);
    for (int i = 0; i < t->n; i++) marker[i] = i < 2 * ROWS && i % 2 ? i / 2 : -1;
    for (int i = 0; i < ROWS * DIM; i++) points[i] = i / DIM % 7 == 4 ? (double)NAN : 0.4 * case_unit("points", i);
    a->marker = PUSH(io, int, marker, t->n);
    a->points = PUSH(io, double, points, ROWS *DIM);
    a->point_weight = NULL;
    a->markers = ROWS;
}

static void observe_front(case_io *io, mpm_observe_args *a)
{
    wide *place = HOST(io, wide, 1);
    place[0] = W(0.2);
    a->ref = 0.2;
    a->place = a->type == PIO_FRONT ? PUSH(io, wide, place, 1) : NULL;
    a->sharpness = 30;
}

/* Finds the quantile, as a solver does, and sets where the observation reads its place. */
static void observe_quantile(case_io *io, const sample *t, mpm_observe_args *a)
{
    wide *search = NEW(io, wide, QUANTILE_NUMBERS, CASE_SET), *slope = NEW(io, wide, 1, CASE_SET);
    int *particles = NEW(io, int, 1, CASE_SET);
    mpm_quantile_begin_args begin;
    begin.box = a->box;
    begin.axis = a->axis;
    begin.sharpness = a->sharpness;
    begin.step = t->step;
    begin.search = search;
    begin.particles = particles;
    LAUNCH(io, mpm_quantile_begin, 1, NULL, &begin);
    a->place = search;
    mpm_quantile_step_args step;
    step.quantile = a->quantile;
    step.sharpness = a->sharpness;
    step.total = a->total;
    step.beyond = search + QUANTILE_BEYOND;
    step.slope = slope;
    step.search = search;
    step.particles = particles;
    for (int k = 0; k < QUANTILE_STEPS; k++) {
        LAUNCH_SUM(io, mpm_quantile_beyond, t->n, particles, a, search + QUANTILE_BEYOND);
        LAUNCH_SUM(io, mpm_observe, t->n, particles, a, slope);
        LAUNCH(io, mpm_quantile_step, 1, NULL, &step);
    }
    case_out(io, "left", CASE_INT, 1, 1, particles);
    case_expect(io, !(case_find(io, CASE_OUTPUT, "left")->value[0] > 0), "a quantile that is found");
}

static const char *const observed_names[] = {"mean position",  "mean velocity",
                                             "kinetic energy", "distance",
                                             "front",          "distance between two steps",
                                             "shape",          "outside",
                                             "volume",         "mass",
                                             "greyness",       "filled",
                                             "quantile",       NULL};

/* Returns the observable of a variant of case_mpm_observe. */
static int observed_type(int variant)
{
    static const int after[] = {PIO_DISTANCE,    PIO_SHAPE, PIO_SHAPE, PIO_VOLUME, PIO_MASS, PIO_OF_RELATIVE_DENSITY,
                                PIO_OF_GREYNESS, PIO_FRONT};
    return variant <= PIO_FRONT ? variant : after[variant - PIO_FRONT - 1];
}

/* Their adjoint; `between`: also the part of a distance that belongs to the state before. */
static void observe_gradients(case_io *io, const sample *t, const mpm_observe_args *a, const wide *sum, int between)
{
    mpm_observe_adj_args b;
    b.o = *a;
    b.sum = sum;
    b.sample_bar = COTANGENT(io, wide, "sample");
    b.weight = 0.7;
    b.bar = sample_new_state(io, t->n, CASE_ADDED);
    b.mass_bar = NEW_FIELD(io, 1, t->n, CASE_ADDED);
    b.relative_bar = NEW_FIELD(io, 1, t->n, CASE_ADDED);
    b.past_bar = NULL;
    LAUNCH(io, mpm_observe_adj, t->n, NULL, &b);
    real *past_bar = NEW_FIELD(io, DIM, t->n, CASE_ADDED);
    b.past_bar = past_bar;
    if (between) LAUNCH(io, mpm_observe_adj, t->n, NULL, &b);
    case_gradient(io, "past offset", CASE_FIELD, DIM, t->n, past_bar);
    case_gradient(io, "offset", CASE_FIELD, DIM, t->n, b.bar.offset);
    case_gradient(io, "velocity", CASE_FIELD, DIM, t->n, b.bar.velocity);
    case_gradient(io, "mass", CASE_FIELD, 1, t->n, b.mass_bar);
    case_gradient(io, "relative", CASE_FIELD, 1, t->n, b.relative_bar);
}

static void case_mpm_observe(case_io *io)
{
    enum { BODIES = 2 };
    mpm_observe_args a;
    const int variant = case_variant(io, observed_names), between = variant == PIO_FRONT + 1;
    a.type = observed_type(variant);
    a.outside = variant == PIO_FRONT + 3;
    sample t;
    t.box = sample_box(io, 0);
    sample_particles(io, &t);
    sample_state(io, &t, CASE_CONSTANT);
    sample_laws(io, &t);
    sample_step(io, &t);
    int *body = HOST(io, int, t.n);
    for (int i = 0; i < t.n; i++) body[i] = (int)(BODIES * case_unit("body", i));
    a.s = t.s;
    memset(&a.matter, 0, sizeof a.matter);
    a.matter.n = t.n;
    a.matter.mass = REALS(io, "mass", 1, t.n, 0.01, 0.02);
    a.matter.volume = CONSTANTS(io, "volume", 1, t.n, 1e-5, 2e-5);
    a.relative = REALS(io, "relative", 1, t.n, 0.05, 0.95);
    a.box = t.box;
    a.body = PUSH(io, int, body, t.n);
    a.of = 1;
    a.axis = DIM - 1;
    a.field = CONSTANTS(io, "signed distance", 1, t.nodes, -0.2, 0.3);
    observe_front(io, &a);
    a.quantile = observed_names[variant + 1] ? 0 : 0.7;
    observe_points(io, &t, &a);
    a.past_weight = between ? 0.3 : 0;
    observe_past(io, &t, &a);
    wide *total = NEW(io, wide, 1, CASE_SET), *sum = NEW(io, wide, 1, CASE_SET), *value = NEW(io, wide, 1, CASE_ADDED);
    a.total = total;
    LAUNCH_SUM(io, mpm_observe_mass, t.n, NULL, &a, total);
    if (a.quantile > 0) observe_quantile(io, &t, &a);
    LAUNCH_SUM(io, mpm_observe, t.n, NULL, &a, sum);
    mpm_observe_add_args add;
    add.o = a;
    add.sum = sum;
    add.weight = 0.7;
    add.sample = value;
    LAUNCH(io, mpm_observe_add, 1, NULL, &add);
    case_out(io, "total mass", CASE_WIDE, 1, 1, total);
    case_out(io, "sum", CASE_WIDE, 1, 1, sum);
    case_out(io, "sample", CASE_WIDE, 1, 1, value);
    if (case_adjoint(io)) observe_gradients(io, &t, &a, sum, between);
}
#define case_mpm_observe_mass case_mpm_observe
#define case_mpm_observe_add case_mpm_observe
#define case_mpm_observe_adj case_mpm_observe
#define case_mpm_quantile_begin case_mpm_observe
#define case_mpm_quantile_beyond case_mpm_observe
#define case_mpm_quantile_step case_mpm_observe

/* ---- design and fields ----------------------------------------------------------------------------------- */

/* Positions: offset_bar to position_bar is mpm_start_adj, then design_sum. */
static void case_design_move(case_io *io)
{
    static const char *const names[] = {"within the grid", "out of the grid", "along one axis", NULL};
    const int variant = case_variant(io, names), out = variant == 1;
    sample t;
    t.box = sample_box(io, 0);
    sample_particles(io, &t);
    sample_step(io, &t);
    int middle = 0; /* a cell with three others on every side */
    for (int c = 0; c < DIM; c++) middle += node_step(&t.box, c, 3);
    for (int i = 0; i < t.n && !out; i++) t.cell[i] = middle;
    design_move_args a;
    a.n = t.n;
    a.components = variant == 2 ? 1 : DIM;
    a.first = variant == 2;
    a.index = PUSH(io, int, design_index(io, t.n), t.n);
    a.value = WIDES(io, "move", DESIGN_GROUPS, a.components, -0.04, 0.04);
    for (int c = 0; c < DIM; c++) a.base[c] = 0.01 * (c + 1);
    a.reference_cell = PUSH(io, int, t.cell, t.n);
    a.reference_offset = CONSTANTS(io, "reference", DIM, t.n, 0.5, 1.5);
    a.box = t.box;
    a.step = t.step;
    a.cell = PUSH(io, int, t.cell, t.n);
    a.offset = NEW_FIELD(io, DIM, t.n, CASE_SET);
    LAUNCH(io, design_move, t.n, NULL, &a);
    case_out(io, "cell", CASE_INT, 1, t.n, a.cell);
    case_out(io, "offset", CASE_FIELD, DIM, t.n, a.offset);
    case_out(io, "fault", CASE_INT64, 1, 1, &t.step->fault);
    case_expect(io, (case_find(io, CASE_OUTPUT, "fault")->value[0] >= 0) == out,
                "a fault where there is one, and only there");
    if (out || !case_adjoint(io)) return;
    mpm_start_adj_args b;
    b.n = t.n;
    b.inv_dx = t.box.inv_dx;
    memset(&b.bar, 0, sizeof b.bar);
    b.bar.offset = FIELD_COTANGENT(io, "offset");
    b.bar.velocity = NEW_FIELD(io, DIM, t.n, CASE_ADDED);
    b.position_bar = NEW_FIELD(io, DIM, t.n, CASE_ZERO);
    b.velocity_bar = NEW_FIELD(io, DIM, t.n, CASE_ADDED);
    LAUNCH(io, mpm_start_adj, t.n, NULL, &b);
    design_sum_args sum;
    sum.index = a.index;
    sum.group = 0;
    sum.n = t.n;
    sum.stored = DIM;
    sum.component = a.first;
    sum.bar = b.position_bar;
    design_sums(io, sum, a.components, "move");
}

static void case_derived_read(case_io *io)
{
    static const char *const names[] = {"position", "J", "F", "pressure", "mass", NULL};
    const int what = case_variant(io, names), parts = what == DERIVED_POSITION ? DIM
                                                      : what == DERIVED_F      ? DIM * DIM
                                                                               : 1;
    sample t = sample_mpm(io, CASE_CONSTANT);
    double *out = NEW(io, double, parts *t.n, CASE_SET);
    derived_read_args a;
    a.stride = parts;
    a.s = t.s;
    a.matter = t.matter;
    a.box = t.box;
    a.what = what;
    for (a.component = 0; a.component < parts; a.component++) {
        a.out = out + a.component;
        LAUNCH(io, derived_read, t.n, NULL, &a);
    }
    case_out(io, "derived", CASE_DOUBLE, 1, parts * t.n, out);
}

#endif
