/* kernel_cases_lattice_leap.h -- the case of the leapfrog on a lattice: a step, and the same step reversed. Case
 * text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_LATTICE_LEAP_H
#define PIOLA_TESTS_KERNEL_CASES_LATTICE_LEAP_H

#include "tests/kernels/fem/kernel_cases_fem_motion.h"

enum { LEAP_NODE = 300, LEAP_STEP = 3 }; /* where something is wrong; the step of fem_step_on */
static const double leap_per_metre = 0x1p40, leap_per_speed = 0x1p44;

static int64_t *leap_quanta(case_io *io, const char *name, int n, double size)
{
    case_array *k = case_uniform(io, CASE_CONSTANT, name, 1, n * DIM, -size, size);
    for (int i = 0; i < n * DIM; i++) k->value[i] = floor(k->value[i]);
    return (int64_t *)case_upload(io, k, CASE_INT64);
}

/* How many of the numbers that went in and came out differ. */
static int leap_differ(const case_io *io, const char *in, const char *out)
{
    const case_array *a = case_find(io, CASE_CONSTANT, in), *b = case_find(io, CASE_OUTPUT, out);
    int count = 0;
    for (int i = 0; i < a->count; i++) count += fabs(a->value[i] - b->value[i]) > 0;
    return count;
}

/* A step and the reversed step: the state is what it was, whether or not something did not fit. */
static void case_fem_lattice_leap(case_io *io)
{
    static const char *const names[] = {"fits", "a velocity does not fit", "a place does not fit",
                                        "a force is not finite", NULL};
    const int variant = case_variant(io, names), n = case_size(io, 700), all = n * DIM;
    int *constrained = HOST(io, int, n);
    for (int i = 0; i < n; i++) constrained[i] = i % 5 == 2 ? (1 << DIM) - 1 : i % 7 == 1 ? 2 : 0;
    case_array *force = case_uniform(io, CASE_CONSTANT, "force", 1, all, -5, 5);
    if (variant == 1) force->value[LEAP_NODE * DIM] = 1e9;
    if (variant == 3) force->value[LEAP_NODE * DIM] = (double)NAN;
    fem_lattice_leap_args a;
    a.s.u = leap_quanta(io, "u0", n, leap_per_metre);
    a.s.v = leap_quanta(io, "v0", n, leap_per_speed);
    a.s.per_metre = leap_per_metre;
    a.s.per_speed = leap_per_speed;
    a.constrained = PUSH(io, int, constrained, n);
    a.h = variant == 2 ? 1e9 : 0.3; /* every place */
    a.kick = 0.15;
    a.mass = (real *)case_upload(io, case_uniform(io, CASE_CONSTANT, "mass", 1, all, 1, 3), CASE_REAL);
    a.force = (real *)case_upload(io, force, CASE_REAL);
    a.u = NEW(io, real, all, CASE_SET);
    a.v = NEW(io, real, all, CASE_SET);
    a.step = fem_step_on(io, NULL);
    a.sign = a.kicks = a.drifts = 1;
    LAUNCH(io, fem_lattice_leap, n, NULL, &a);
    case_out(io, "fault", CASE_INT64, 1, 1, &a.step->fault);
    case_out(io, "u1", CASE_INT64, 1, all, a.s.u);
    case_out(io, "v1", CASE_INT64, 1, all, a.s.v);
    case_out(io, "u", CASE_REAL, 1, all, a.u);
    case_out(io, "v", CASE_REAL, 1, all, a.v);
    const double fault = case_find(io, CASE_OUTPUT, "fault")->value[0];
    const double node = variant == 2 ? 0 : LEAP_NODE;
    const double expected = variant ? ldexp((double)LEAP_STEP, 36) + node * 16 + FEM_OFF_LATTICE : -1;
    case_expect(io, fabs(fault - expected) < 0.5, "no fault, or that of this step and the first node");
    case_expect(io, leap_differ(io, "v0", "v1") > n, "the step changes velocities");
    const double *u = case_find(io, CASE_OUTPUT, "u")->value, *k = case_find(io, CASE_OUTPUT, "u1")->value;
    double worst = 0;
    for (int i = 0; i < all; i++) worst = fmax(worst, fabs(u[i] - k[i] / leap_per_metre) / fmax(1, fabs(u[i])));
    case_expect(io, worst < 1e-6, "the numbers are those of the quanta");

    a.sign = -1;
    a.kicks = 0;
    LAUNCH(io, fem_lattice_leap, n, NULL, &a);
    a.kicks = 1;
    a.drifts = 0;
    LAUNCH(io, fem_lattice_leap, n, NULL, &a);
    case_out(io, "u2", CASE_INT64, 1, all, a.s.u);
    case_out(io, "v2", CASE_INT64, 1, all, a.s.v);
    case_expect(io, leap_differ(io, "u0", "u2") + leap_differ(io, "v0", "v2") == 0,
                "the inverse step returns to the bit");
}

#endif
