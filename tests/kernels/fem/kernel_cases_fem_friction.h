/* kernel_cases_fem_friction.h -- cases of friction between the surface of meshes and obstacles: forces, blocks of the
 * matrix, the kick of explicit steps. Case text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_FEM_FRICTION_H
#define PIOLA_TESTS_KERNEL_CASES_FEM_FRICTION_H

#include "kernels/fem/fem_friction.h"
#include "tests/kernels/fem/kernel_cases_fem_contact.h"
#include "tests/kernels/fem/kernel_cases_fem_motion.h"

/* With the velocities of the points, of role `v`; everything else is of role `other`. */
static contact_sample friction_sampled(case_io *io, case_role v, case_role other, const real **velocity)
{
    contact_roles by;
    by.u = by.place = by.force = by.friction = other;
    const contact_sample s = contact_rubbed(io, by);
    *velocity = (real *)case_upload(io, case_uniform(io, v, "v", 1, s.n * DIM, -1, 1), CASE_REAL);
    return s;
}

/* The blocks' transpose times y is the adjoint with dv/du = rate; that of the projected ones is symmetric and has no
 * negative part. */
static void friction_blocks(case_io *io, const contact_sample *s, const real *v)
{
    const int n = s->n, MATRIX_ = DIM * DIM;
    const double rate = 7;
    fem_friction_matrix_args m;
    fem_friction_adj_args b;
    point_axpby_args sum;
    case_array *y = case_uniform(io, CASE_CONSTANT, "y", 1, n * DIM, -1, 1);
    if (io->build->dual) return;
    m.fwd.fwd = s->a;
    m.fwd.v = v;
    m.rate = rate;
    m.first_node_pair = 1;
    for (int projected = 0; projected < 2; projected++) {
        m.projected = projected;
        m.out = NEW(io, real, (n + 1) * MATRIX_, CASE_ZERO);
        LAUNCH(io, fem_friction_matrix, n, NULL, &m);
        case_out(io, projected ? "projected" : "blocks", CASE_REAL, 1, (n + 1) * MATRIX_, m.out);
    }
    memset(&b, 0, sizeof b);
    b.fwd = m.fwd;
    b.points = n;
    b.y = (real *)case_upload(io, y, CASE_REAL);
    b.u_bar = NEW(io, real, n * DIM, CASE_ZERO);
    b.v_bar = NEW(io, real, n * DIM, CASE_ZERO);
    for (b.obstacle = 0; b.obstacle < CASE_OBSTACLES; b.obstacle++) LAUNCH(io, fem_friction_adj, n, NULL, &b);
    sum.a = R(1);
    sum.b = R(rate);
    sum.x = b.u_bar;
    sum.y = b.v_bar;
    sum.out = b.u_bar;
    LAUNCH(io, point_axpby, n, NULL, &sum);
    case_out(io, "product", CASE_REAL, 1, n * DIM, b.u_bar);
    if (io->prefill) return;
    const double *K = case_find(io, CASE_OUTPUT, "blocks")->value, *P = case_find(io, CASE_OUTPUT, "projected")->value;
    const double *product = case_find(io, CASE_OUTPUT, "product")->value;
    double worst = 0, least = 0, skew = 0;
    for (int k = 0; k < n; k++) {
        const int i = (int)(((int64_t)k * 617) % n);
        double form = 0;
        for (int c = 0; c < DIM; c++) {
            double all = 0, size = 1e-30;
            for (int d = 0; d < DIM; d++) {
                const int at = (k + 1) * MATRIX_ + d * DIM + c, turned = (k + 1) * MATRIX_ + c * DIM + d;
                all += K[at] * y->value[i * DIM + d];
                size += fabs(K[at]);
                form += y->value[i * DIM + c] * P[turned] * y->value[i * DIM + d];
                skew = fmax(skew, fabs(P[at] - P[turned]) / (fabs(P[at]) + fabs(P[turned]) + 1e-6));
            }
            worst = fmax(worst, fabs(all - product[i * DIM + c]) / size);
        }
        least = fmin(least, form);
    }
    case_expect(io, worst < (sizeof(real) == 4 ? 1e-3 : 1e-11),
                "the product with the blocks' transpose is the adjoint");
    case_expect(io, least > (sizeof(real) == 4 ? -1e-6 : -1e-12), "projected blocks have no negative part");
    case_expect(io, skew < (sizeof(real) == 4 ? 1e-1 : 1e-9), "projected blocks are symmetric");
}

static void case_fem_friction(case_io *io)
{
    enum { C = CASE_OBSTACLES };
    fem_friction_args a;
    const real *v;
    contact_sample s = friction_sampled(io, CASE_INPUT, CASE_INPUT, &v);
    const int n = s.n;
    s.a.out = NEW(io, real, n * DIM, CASE_ADDED);
    a.fwd = s.a;
    a.v = v;
    LAUNCH(io, fem_friction, n, NULL, &a);
    case_out(io, "force", CASE_REAL, 1, n * DIM, s.a.out);
    friction_blocks(io, &s, v);
    if (!case_adjoint(io)) return;
    fem_friction_adj_args b;
    wide *pose_bar = NEW(io, wide, field_size(C, OBSTACLE_PARAMETERS), CASE_ZERO);
    b.fwd = a;
    b.points = n;
    b.y = COTANGENT(io, real, "force");
    b.u_bar = NEW(io, real, n * DIM, CASE_ADDED);
    b.v_bar = NEW(io, real, n * DIM, CASE_ADDED);
    b.rest_bar = NEW(io, real, n * DIM, CASE_ADDED);
    b.area_bar = NEW(io, real, n, CASE_ADDED);
    for (b.obstacle = 0; b.obstacle < C; b.obstacle++) {
        b.contribution = NEW_FIELD(io, OBSTACLE_PARAMETERS, n, CASE_ZERO);
        LAUNCH(io, fem_friction_adj, n, NULL, &b);
        contact_gather(io, n, b.obstacle, b.contribution, pose_bar);
    }
    case_gradient(io, "u", CASE_REAL, 1, n * DIM, b.u_bar);
    case_gradient(io, "v", CASE_REAL, 1, n * DIM, b.v_bar);
    case_gradient(io, "rest", CASE_REAL, 1, n * DIM, b.rest_bar);
    case_gradient(io, "area", CASE_REAL, 1, n, b.area_bar);
    contact_pose_gradients(io, &s, pose_bar, 1);
}
#define case_fem_friction_adj case_fem_friction
#define case_fem_friction_matrix case_fem_friction

/* What is like a potential has the friction, divided by the rate, as its derivative by the velocities. */
static void case_fem_friction_work(case_io *io)
{
    fem_friction_work_args w;
    fem_friction_args a;
    const double rate = 3;
    contact_sample s = friction_sampled(io, CASE_INPUT, CASE_CONSTANT, &a.v);
    w.fwd = s.a;
    w.v = a.v;
    w.rate = rate;
    wide *energy = NEW(io, wide, 1, CASE_SET);
    LAUNCH_SUM(io, fem_friction_work, s.n, NULL, &w, energy);
    case_out(io, "energy", CASE_WIDE, 1, 1, energy);
    if (!case_adjoint(io)) return;
    double E_bar = 0;
    const wide *bar = COTANGENT(io, wide, "energy");
    case_expect(io, !io->machine->download(io->machine->stream, &E_bar, bar, sizeof E_bar), "a download");
    point_axpby_args scale;
    s.a.out = NEW(io, real, s.n * DIM, CASE_ZERO);
    a.fwd = s.a;
    LAUNCH(io, fem_friction, s.n, NULL, &a);
    scale.a = R(E_bar / rate);
    scale.b = R(0);
    scale.x = scale.y = s.a.out;
    scale.out = NEW(io, real, s.n * DIM, CASE_SET);
    LAUNCH(io, point_axpby, s.n, NULL, &scale);
    case_gradient(io, "v", CASE_REAL, 1, s.n * DIM, scale.out);
}

/* With the step that follows, which has the masses in it too. Every seventh node has a component that is prescribed,
 * and whose force does not count. */
static void friction_leap_adj(case_io *io, const contact_sample *s, const fem_leap_args *leap,
                              const fem_friction_leap_args *a)
{
    enum { C = CASE_OBSTACLES };
    const int n = s->n;
    fem_leap_adj_args l;
    fem_friction_leap_adj_args b;
    fem_leap_mass_args m;
    wide *pose_bar = NEW(io, wide, field_size(C, OBSTACLE_PARAMETERS), CASE_ZERO);
    l.fwd = *leap;
    l.u1_bar = COTANGENT(io, real, "u1");
    l.v1_bar = COTANGENT(io, real, "v1");
    l.u_bar = b.u_bar = NEW(io, real, n * DIM, CASE_SET);
    l.v_bar = b.v_bar = NEW(io, real, n * DIM, CASE_SET);
    l.force_bar = b.force_bar = NEW(io, real, n * DIM, CASE_SET);
    l.target_bar = NEW(io, real, n * DIM, CASE_SET);
    LAUNCH(io, fem_leap_adj, n, NULL, &l);
    b.fwd = *a;
    b.points = n;
    b.rest_bar = NEW(io, real, n * DIM, CASE_ADDED);
    b.mass_bar = m.mass_bar = NEW(io, real, n * DIM, CASE_ADDED);
    b.area_bar = NEW(io, real, n, CASE_ADDED);
    b.contribution = NEW_FIELD(io, OBSTACLE_PARAMETERS, n, CASE_SET);
    for (b.obstacle = C - 1; b.obstacle >= 0; b.obstacle--) {
        LAUNCH(io, fem_friction_leap_adj, n, NULL, &b);
        contact_gather(io, n, b.obstacle, b.contribution, pose_bar);
    }
    m.mass = leap->mass;
    m.force = a->fwd.out;
    m.force_bar = l.force_bar;
    LAUNCH(io, fem_leap_mass, n, NULL, &m);
    case_gradient(io, "u", CASE_REAL, 1, n * DIM, l.u_bar);
    case_gradient(io, "v", CASE_REAL, 1, n * DIM, l.v_bar);
    case_gradient(io, "before", CASE_REAL, 1, n * DIM, l.force_bar);
    case_gradient(io, "mass", CASE_REAL, 1, n * DIM, m.mass_bar);
    case_gradient(io, "rest", CASE_REAL, 1, n * DIM, b.rest_bar);
    case_gradient(io, "area", CASE_REAL, 1, n, b.area_bar);
    contact_pose_gradients(io, s, pose_bar, 1);
}

/* Every point is pressed by one obstacle at least. */
static void case_fem_friction_watch(case_io *io)
{
    fem_friction_watch_args w;
    contact_sample s = friction_sampled(io, CASE_CONSTANT, CASE_CONSTANT, &w.v);
    w.fwd = s.a;
    w.counts = PUSH(io, uint64_t, HOST(io, uint64_t, 3), 3);
    LAUNCH(io, fem_friction_watch, s.n, NULL, &w);
    case_out(io, "counts", CASE_INT64, 1, 3, w.counts);
}

static void case_fem_friction_leap(case_io *io)
{
    fem_friction_leap_args a;
    fem_leap_args l;
    point_axpby_args copy;
    const real *v;
    contact_sample s = friction_sampled(io, CASE_INPUT, CASE_INPUT, &v);
    const int n = s.n;
    int *constrained = HOST(io, int, n);
    for (int i = 0; i < n; i++) constrained[i] = i % 7 ? 0 : 1 << i % DIM;
    copy.a = R(1);
    copy.b = R(0);
    copy.x = copy.y = (real *)case_upload(io, case_uniform(io, CASE_INPUT, "before", 1, n * DIM, -3, 3), CASE_REAL);
    copy.out = NEW(io, real, n * DIM, CASE_SET);
    LAUNCH(io, point_axpby, n, NULL, &copy);
    a.fwd = s.a;
    a.fwd.out = copy.out;
    a.v = l.v = v;
    a.mass = l.mass = (real *)case_upload(io, case_uniform(io, CASE_INPUT, "mass", 1, n * DIM, 1, 2), CASE_REAL);
    a.constrained = l.constrained = PUSH(io, int, constrained, n);
    a.kick = 0.4;
    l.kick = 0.4;
    LAUNCH(io, fem_friction_leap, n, NULL, &a);
    l.h = 0.3;
    l.force = copy.out;
    l.target = (real *)case_upload(io, case_uniform(io, CASE_CONSTANT, "target", 1, n * DIM, -0.1, 0.1), CASE_REAL);
    l.u = s.a.u;
    l.u1 = NEW(io, real, n * DIM, CASE_SET);
    l.v1 = NEW(io, real, n * DIM, CASE_SET);
    l.step = fem_step_on(io, NULL);
    LAUNCH(io, fem_leap, n, NULL, &l);
    case_out(io, "u1", CASE_REAL, 1, n * DIM, l.u1);
    case_out(io, "v1", CASE_REAL, 1, n * DIM, l.v1);
    if (!case_adjoint(io)) return;
    a.fwd.out = (real *)(uintptr_t)copy.x; /* forces without friction */
    friction_leap_adj(io, &s, &l, &a);
}
#define case_fem_friction_leap_adj case_fem_friction_leap

#endif
