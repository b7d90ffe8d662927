/* kernel_cases_lattice.h -- the case of motions on a lattice: a step, and the same step reversed. Case text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_LATTICE_H
#define PIOLA_TESTS_KERNEL_CASES_LATTICE_H

#include "tests/kernels/fem/kernel_cases_fem_motion.h"

static const double lattice_per_metre = 1048576.0, lattice_per_speed = 262144.0;

static const real *lattice_points(case_io *io, const char *name, int n, double low, double high)
{
    return (const real *)case_upload(io, case_uniform(io, CASE_CONSTANT, name, 1, n * DIM, low, high), CASE_REAL);
}

/* Each constrained unknown belongs to one of two supports, the second of which has a curve. */
static void lattice_hold(case_io *io, fem_lattice s, int n, fem_step *step)
{
    int *node = HOST(io, int, n), *axis = HOST(io, int, n), *support = HOST(io, int, n), curve[2] = {-1, 0};
    for (int i = 0; i < n; i++) node[i] = i, axis[i] = i % DIM, support[i] = i / 3 % 2;
    fem_lattice_constrain_args a;
    a.node = PUSH(io, int, node, n);
    a.axis = PUSH(io, int, axis, n);
    a.support = PUSH(io, int, support, n);
    a.curve = PUSH(io, int, curve, 2);
    a.value = (wide *)case_upload(io, case_uniform(io, CASE_CONSTANT, "value", 1, 2, 0.1, 0.3), CASE_WIDE);
    a.before = (wide *)case_upload(io, case_uniform(io, CASE_CONSTANT, "before", 1, 1, -1, 1), CASE_WIDE);
    a.after = a.now = (wide *)case_upload(io, case_uniform(io, CASE_CONSTANT, "after", 1, 1, -1, 1), CASE_WIDE);
    a.before_value = a.now_value = NULL;
    a.h = 0.25;
    a.s = s;
    a.step = step;
    LAUNCH(io, fem_lattice_constrain, n, NULL, &a);
}

typedef struct {
    int n, all;
    const int *constrained;
    fem_lattice s;
    fem_step *step;
} lattice_body;

/* Numbers to the lattice, constrained unknowns by their supports. */
static lattice_body lattice_of_body(case_io *io)
{
    lattice_body b;
    b.n = case_size(io, 700);
    b.all = b.n * DIM;
    int *mask = HOST(io, int, b.n);
    for (int i = 0; i < b.n; i++) mask[i] = 1 << i % DIM; /* the unknowns that lattice_hold() holds */
    b.constrained = PUSH(io, int, mask, b.n);
    b.step = fem_step_on(io, NULL);
    b.s.u = (int64_t *)case_new(io, CASE_INT64, (size_t)(2 * b.all), CASE_SET);
    b.s.v = b.s.u + b.all;
    b.s.per_metre = lattice_per_metre;
    b.s.per_speed = lattice_per_speed;
    fem_lattice_round_args a;
    a.constrained = b.constrained;
    a.step = b.step;
    a.per = lattice_per_metre;
    a.x = lattice_points(io, "u", b.n, -1, 1);
    a.out = b.s.u;
    LAUNCH(io, fem_lattice_round, b.n, NULL, &a);
    a.per = lattice_per_speed;
    a.x = lattice_points(io, "v", b.n, -2, 2);
    a.out = b.s.v;
    LAUNCH(io, fem_lattice_round, b.n, NULL, &a);
    lattice_hold(io, b.s, b.n, b.step);
    case_out(io, "state", CASE_INT64, 1, 2 * b.all, b.s.u);
    return b;
}

static void lattice_numbers(case_io *io, const lattice_body *b)
{
    fem_lattice_read_args a;
    a.s = b->s;
    a.u = NEW(io, real, b->all, CASE_SET);
    a.v = NEW(io, real, b->all, CASE_SET);
    LAUNCH(io, fem_lattice_read, b->n, NULL, &a);
    case_out(io, "state after", CASE_INT64, 1, 2 * b->all, b->s.u);
    case_out(io, "u after", CASE_REAL, 1, b->all, a.u);
    case_out(io, "v after", CASE_REAL, 1, b->all, a.v);
}

static void lattice_judge(case_io *io, const lattice_body *b, int off)
{
    case_out(io, "state again", CASE_INT64, 1, 2 * b->all, b->s.u);
    case_out(io, "fault", CASE_INT64, 1, 1, &b->step->fault);
    const double *one = case_find(io, CASE_OUTPUT, "state")->value;
    const double *again = case_find(io, CASE_OUTPUT, "state again")->value;
    const double fault = case_find(io, CASE_OUTPUT, "fault")->value[0];
    int differ = 0;
    for (int i = 0; i < 2 * b->all; i++) differ += fabs(one[i] - again[i]) > 0;
    case_expect(io, !differ, "what was added is taken away");
    case_expect(io, off ? fabs(fault - ldexp(3, 36) - (300 * 16 + FEM_OFF_LATTICE)) < 0.5 : fault < 0,
                "the fault, or none");
}

static void case_fem_lattice_drift(case_io *io)
{
    static const char *const names[] = {"on the lattice", "one force is too large for it", NULL};
    const int off = case_variant(io, names);
    const lattice_body b = lattice_of_body(io);
    case_array *force = case_uniform(io, CASE_CONSTANT, "force", 1, b.all, -5, 5);
    if (off) force->value[300 * DIM + 1] = 1e15;
    int64_t *r = (int64_t *)case_new(io, CASE_INT64, (size_t)b.all, CASE_SET);
    fem_lattice_kick_args kick;
    kick.constrained = b.constrained;
    kick.mass = lattice_points(io, "mass", b.n, 1, 3);
    kick.force = (const real *)case_upload(io, force, CASE_REAL);
    kick.per_speed = lattice_per_speed;
    kick.h = 0.25;
    kick.sign = 1;
    kick.v = b.s.v;
    kick.out = b.s.v;
    kick.step = b.step;
    fem_lattice_drift_args drift;
    drift.constrained = b.constrained;
    drift.s = b.s;
    drift.h = 0.25;
    drift.sign = 1;
    drift.step = b.step;
    LAUNCH(io, fem_lattice_kick, b.n, NULL, &kick);
    LAUNCH(io, fem_lattice_drift, b.n, NULL, &drift);
    lattice_numbers(io, &b);
    fem_lattice_sum_args sum; /* r = v - (v - change) is the change */
    drift.sign = kick.sign = -1;
    kick.out = r;
    sum.x = b.s.v;
    sum.y = r;
    sum.sign = -1;
    sum.out = r;
    LAUNCH(io, fem_lattice_drift, b.n, NULL, &drift);
    LAUNCH(io, fem_lattice_kick, b.n, NULL, &kick);
    LAUNCH(io, fem_lattice_sum, b.n, NULL, &sum);
    sum.out = b.s.v;
    LAUNCH(io, fem_lattice_sum, b.n, NULL, &sum);
    case_out(io, "change", CASE_INT64, 1, b.all, r);
    lattice_judge(io, &b, off);
}
#define case_fem_lattice_read case_fem_lattice_drift
#define case_fem_lattice_round case_fem_lattice_drift
#define case_fem_lattice_kick case_fem_lattice_drift
#define case_fem_lattice_sum case_fem_lattice_drift
#define case_fem_lattice_constrain case_fem_lattice_drift

#endif
