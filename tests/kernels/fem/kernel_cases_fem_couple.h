/* kernel_cases_fem_couple.h -- the case of moments on faces. Case text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_FEM_COUPLE_H
#define PIOLA_TESTS_KERNEL_CASES_FEM_COUPLE_H

#include "tests/kernels/fem/kernel_cases_fem_vary.h"

/* ---- moments --------------------------------------------------------------------------------------------- */

/* Adds one of the integrals of all faces to the numbers of the couple. */
static void couple_integral(case_io *io, const mesh_lattice *m, fem_face_args f, const int *owner, int which,
                            wide *couple)
{
    for (int t = 0; t < mesh_parts(m->dim); t++) {
        fem_couple_integral_args a;
        add_scalar_args add;
        fem_faces(io, m, &f, t, owner);
        a.f = f;
        a.which = which;
        a.couple = couple;
        add.term = NEW(io, wide, 1, CASE_SET);
        add.total = couple + which;
        LAUNCH_SUM(io, fem_couple_integral, m->part[t].n, NULL, &a, (wide *)(uintptr_t)add.term);
        LAUNCH(io, add_scalar, 1, NULL, &add);
    }
}

/* The numbers of the couple with this moment. */
static wide *couple_numbers(case_io *io, const mesh_lattice *m, const fem_face_args *f, const int *owner,
                            const wide *moment)
{
    fem_couple_center_args center;
    fem_couple_solve_args solve;
    wide *couple = NEW(io, wide, COUPLE_NUMBERS, CASE_ZERO);
    for (int k = 0; k <= DIM; k++) couple_integral(io, m, *f, owner, COUPLE_AREA + k, couple);
    center.couple = couple;
    LAUNCH(io, fem_couple_center, 1, NULL, &center);
    for (int k = 0; k < (DIM == 3 ? 6 : 2); k++) couple_integral(io, m, *f, owner, COUPLE_SECOND + k, couple);
    solve.moment = moment;
    solve.couple = couple;
    LAUNCH(io, fem_couple_solve, 1, NULL, &solve);
    return couple;
}

/* Adds the sums of the contributions of n faces to the cotangents of a and c. */
static void couple_sums(case_io *io, int n, const wide *contribution, wide *couple_bar)
{
    for (int k = 0; k < 6; k++) {
        fem_vary_sum_args s;
        add_scalar_args add;
        wide *sum = NEW(io, wide, 1, CASE_SET);
        s.contribution = contribution + (ptrdiff_t)k * n;
        LAUNCH_SUM(io, fem_vary_sum, n, NULL, &s, sum);
        add.term = sum;
        add.total = couple_bar + (k < 3 ? COUPLE_TURN + k : COUPLE_CENTER + k - 3);
        LAUNCH(io, add_scalar, 1, NULL, &add);
    }
}

/* A couple, and the cotangents of all that it depends on. */
typedef struct {
    const int *owner;
    const wide *moment;
    wide *couple, *couple_bar, *moment_bar;
    real *rest_bar, *thick_bar;
} couple_case;

/* From the cotangents of a and c to those of the moment, and of all faces by their integrals. */
static void couple_end(case_io *io, const mesh_lattice *m, fem_face_args f, const couple_case *c)
{
    fem_couple_solve_adj_args solve;
    fem_couple_center_adj_args center;
    fem_couple_integral_adj_args b;
    point_axpby_args add;
    memset(&b, 0, sizeof b);
    solve.fwd.moment = c->moment;
    solve.fwd.couple = center.fwd.couple = c->couple;
    solve.moment_bar = c->moment_bar;
    solve.couple_bar = center.couple_bar = c->couple_bar;
    LAUNCH(io, fem_couple_solve_adj, 1, NULL, &solve);
    LAUNCH(io, fem_couple_center_adj, 1, NULL, &center);
    b.fwd.couple = c->couple;
    b.couple_bar = c->couple_bar;
    b.rest_bar = NEW(io, real, m->element_dofs * DIM, CASE_SET);
    for (int t = 0; t < mesh_parts(m->dim); t++) {
        const int n = m->part[t].n;
        fem_faces(io, m, &f, t, c->owner);
        b.fwd.f = f;
        b.thick_contribution = c->thick_bar ? NEW_FIELD(io, 1, n, CASE_SET) : NULL;
        LAUNCH(io, fem_couple_integral_adj, n, NULL, &b);
        if (c->thick_bar) fem_add_thick(io, n, f.owner, b.thick_contribution, c->thick_bar);
    }
    add.a = add.b = R(1);
    add.x = c->rest_bar;
    add.y = b.rest_bar;
    add.out = c->rest_bar;
    LAUNCH(io, point_axpby, m->element_dofs, NULL, &add);
}

/* The tractions of a moment by the positions at rest, the moment and the thickness. */
static void case_fem_couple(case_io *io)
{
    enum { NUMBERS = DIM == 3 ? 3 : 1 };
    mesh_lattice m = mesh_make(io, DIM - 1);
    const int owners = m.elements / 5 + 1;
    int *owner = HOST(io, int, m.elements);
    for (int i = 0; i < m.elements; i++) owner[i] = (3 * i + i / 7) % owners;
    const int *behind = PUSH(io, int, owner, m.elements);
    fem_couple_args a;
    memset(&a, 0, sizeof a);
    a.f.thick = DIM == 2 ? REALS(io, "thickness", 1, owners, 0.5, 1.5) : NULL;
    a.f.rest = mesh_rest(io, &m, CASE_INPUT, "rest");
    const wide *moment = WIDES(io, "moment", NUMBERS, 1, -3, 5);
    wide *couple = couple_numbers(io, &m, &a.f, behind, moment);
    a.couple = couple;
    for (int t = 0; t < mesh_parts(m.dim); t++) {
        fem_faces(io, &m, &a.f, t, behind);
        const int values = m.part[t].n * a.f.rule.points * DIM;
        a.out = NEW(io, wide, values, CASE_SET);
        LAUNCH(io, fem_couple, m.part[t].n, NULL, &a);
        case_out(io, mesh_name("traction", m.part[t].type), CASE_WIDE, 1, values, a.out);
    }
    if (!case_adjoint(io)) return;
    fem_couple_adj_args b;
    wide *moment_bar = NEW(io, wide, NUMBERS, CASE_ADDED), *couple_bar = NEW(io, wide, COUPLE_NUMBERS, CASE_ZERO);
    real *thick_bar = DIM == 2 ? NEW_FIELD(io, 1, owners, CASE_ADDED) : NULL;
    b.fwd = a;
    b.rest_bar = NEW(io, real, m.element_dofs * DIM, CASE_ZERO);
    for (int t = 0; t < mesh_parts(m.dim); t++) {
        const int n = m.part[t].n;
        fem_faces(io, &m, &b.fwd.f, t, behind);
        b.faces = n;
        b.out_bar = COTANGENT(io, wide, mesh_name("traction", m.part[t].type));
        b.contribution = NEW(io, wide, 6 * n, CASE_SET);
        LAUNCH(io, fem_couple_adj, n, NULL, &b);
        couple_sums(io, n, b.contribution, couple_bar);
    }
    const couple_case end = {behind, moment, couple, couple_bar, moment_bar, b.rest_bar, thick_bar};
    couple_end(io, &m, a.f, &end);
    mesh_gradient(io, &m, "rest", b.rest_bar);
    case_gradient(io, "moment", CASE_WIDE, NUMBERS, 1, moment_bar);
    if (DIM == 2) case_gradient(io, "thickness", CASE_FIELD, 1, owners, thick_bar);
}
#define case_fem_couple_adj case_fem_couple
#define case_fem_couple_integral case_fem_couple
#define case_fem_couple_integral_adj case_fem_couple
#define case_fem_couple_center case_fem_couple
#define case_fem_couple_center_adj case_fem_couple
#define case_fem_couple_solve case_fem_couple
#define case_fem_couple_solve_adj case_fem_couple

#endif
