/* kernel_cases_fem_contact.h -- cases of contact between the surface of meshes and obstacles. Case text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_FEM_CONTACT_H
#define PIOLA_TESTS_KERNEL_CASES_FEM_CONTACT_H

#include "kernels/fem/fem_contact.h"
#include "tests/kernels/contact/kernel_cases_obstacle.h"
#include "tests/kernels/fem/kernel_cases_fem_follow.h"

/* ---- areas ------------------------------------------------------------------------------------------------ */

static void case_fem_contact_face(case_io *io)
{
    static const char *const names[] = {"no rings", DIM == 3 ? NULL : "rings", NULL};
    const int rings = case_variant(io, names);
    mesh_lattice m = mesh_make(io, DIM - 1);
    const int owners = m.elements / 5 + 1, *behind;
    int *owner = HOST(io, int, m.elements);
    for (int i = 0; i < m.elements; i++) owner[i] = (3 * i + i / 7) % owners;
    behind = PUSH(io, int, owner, m.elements);
    fem_contact_face_args a;
    fem_contact_area_args s[MESH_TYPES];
    memset(&a.f, 0, sizeof a.f);
    a.f.rest = mesh_rest(io, &m, CASE_INPUT, "rest");
    if (DIM == 2) a.f.thick = REALS(io, "thickness", 1, owners, 0.5, 1.5);
    if (rings) a.f.plane = PIO_AXISYMMETRIC;
    a.share = NEW(io, real, m.element_dofs, CASE_SET);
    for (int t = 0; t < mesh_parts(m.dim); t++) {
        fem_faces(io, &m, &a.f, t, behind);
        LAUNCH(io, fem_contact_face, m.part[t].n, NULL, &a);
        s[t].start = m.start[t];
        s[t].list = m.list[t];
        s[t].share = a.share;
        s[t].area = NEW(io, real, m.points, CASE_SET);
    }
    for (int t = 0; t < mesh_parts(m.dim); t++) {
        LAUNCH(io, fem_contact_area, m.points, NULL, &s[t]);
        case_out(io, mesh_name("area", m.part[t].type), CASE_REAL, 1, m.points, s[t].area);
    }
    if (!case_adjoint(io)) return;
    real *X_bar = NEW(io, real, m.points * DIM, CASE_ADDED), *share_bar = NEW(io, real, m.element_dofs, CASE_SET);
    real *dof_bar = NEW(io, real, m.element_dofs * DIM, CASE_SET);
    real *thick_bar = DIM == 2 ? NEW_FIELD(io, 1, owners, CASE_ADDED) : NULL;
    int *node = HOST(io, int, m.points);
    for (int i = 0; i < m.points; i++) node[i] = i;
    fem_contact_rest_args r;
    r.node = PUSH(io, int, node, m.points);
    for (int t = 0; t < mesh_parts(m.dim); t++) {
        fem_contact_area_adj_args b;
        fem_contact_face_adj_args c;
        b.fwd = s[t];
        b.area_bar = COTANGENT(io, real, mesh_name("area", m.part[t].type));
        b.share_bar = share_bar;
        LAUNCH(io, fem_contact_area_adj, m.points, NULL, &b);
        fem_faces(io, &m, &a.f, t, behind);
        c.fwd = a;
        c.share_bar = share_bar;
        c.rest_bar = dof_bar;
        c.thick_contribution = DIM == 2 ? NEW_FIELD(io, 1, m.part[t].n, CASE_SET) : NULL;
        LAUNCH(io, fem_contact_face_adj, m.part[t].n, NULL, &c);
        if (DIM == 2) fem_add_thick(io, m.part[t].n, a.f.owner, c.thick_contribution, thick_bar);
        r.start = m.start[t];
        r.list = m.list[t];
        r.in = dof_bar;
        r.out = X_bar;
        LAUNCH(io, fem_contact_rest, m.points, NULL, &r);
    }
    case_gradient(io, "rest", CASE_REAL, 1, m.points * DIM, X_bar);
    if (DIM == 2) case_gradient(io, "thickness", CASE_FIELD, 1, owners, thick_bar);
}
#define case_fem_contact_face_adj case_fem_contact_face
#define case_fem_contact_area case_fem_contact_face
#define case_fem_contact_area_adj case_fem_contact_face
#define case_fem_contact_rest case_fem_contact_face

/* ---- points near obstacles -------------------------------------------------------------------------------- */

/* The rotation by r, 2D: r[0]; the formula of Rodrigues in doubles, the same in every build. */
static void contact_turn(const double *r, double Q[DIM][DIM])
{
#if PIO_DIM == 2
    Q[0][0] = Q[1][1] = cos(r[0]);
    Q[1][0] = sin(r[0]);
    Q[0][1] = -Q[1][0];
#else
    const double square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2], a = sqrt(square);
    const double p = a > 0 ? sin(a) / a : 1, q = a > 0 ? (1 - cos(a)) / square : 0.5;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const double cross = i == j ? 0 : (j == (i + 1) % 3 ? -r[(i + 2) % 3] : r[(i + 1) % 3]);
            Q[i][j] = (i == j) * (1 - q * square) + p * cross + q * r[i] * r[j];
        }
#endif
}

/* A place y outside obstacle o of obstacle_sample(), at about `off` from it, in its frame. */
static void contact_outside(int o, int k, double off, double y[DIM])
{
    double dir[DIM], length = 0, weighted = 0;
    for (int a = 0; a < DIM; a++) {
        dir[a] = case_unit("direction", DIM * k + a) - 0.5;
        if (fabs(dir[a]) < 0.05) dir[a] = 0.05; /* away from edges, where a second derivative jumps */
        length += dir[a] * dir[a];
        weighted += pow((1 + 0.2 * a) * dir[a], 2);
    }
    length = sqrt(length);
    for (int a = 0; a < DIM; a++) {
        const double sign = dir[a] < 0 ? -1 : 1, half = 0.05 + 0.02 * a;
        const int active = k / CASE_OBSTACLES % 4 == 3 || a == k / CASE_OBSTACLES % DIM;
        if (o == 1 || o == 4)
            y[a] = (0.06 + off) * dir[a] / length;
        else if (o == 5)
            y[a] = (0.08 + off) * dir[a] / sqrt(weighted);
        else
            y[a] = active ? sign * (half + 0.6 * off) : 1.4 * half * dir[a];
    }
    if (o == 0) { /* the normal is 0.6 along the first axis and 0.8 along the last */
        for (int a = 0; a < DIM; a++) y[a] = 0.3 * dir[a];
        const double across = 0.6 * y[0] + 0.8 * y[DIM - 1];
        y[0] += 0.6 * (off - across);
        y[DIM - 1] += 0.8 * (off - across);
    }
#if PIO_DIM == 3
    if (o == 3) {
        const double p = sqrt(dir[0] * dir[0] + dir[2] * dir[2]);
        const int side = k / CASE_OBSTACLES % 3;
        y[0] = dir[0] / p * (side != 1 ? 0.06 + 0.6 * off : 0.04);
        y[2] = dir[2] / p * (side != 1 ? 0.06 + 0.6 * off : 0.04);
        y[1] = side != 0 ? (dir[1] < 0 ? -1 : 1) * (0.05 + 0.6 * off) : 0.08 * dir[1];
    }
#endif
}

/* The arguments of the forces, and of the poses; the obstacles stand far from each other in front of the plane. */
typedef struct {
    int n;
    fem_contact_args a;
    contact_pose_args pose;
    const int64_t *zero;
} contact_sample;

/* Numbers of each obstacle, of which the last two are those of friction. */
static const struct {
    const char *name;
    int at;
    double low, high;
} contact_own[5] = {{"scale", OBSTACLE_SCALE, 1.25, 1.25},
                    {"stiffness", OBSTACLE_STIFFNESS, 50, 90},
                    {"distance", OBSTACLE_DISTANCE, 0.04, 0.05},
                    {"friction", OBSTACLE_FRICTION, 0.2, 0.9},
                    {"friction velocity", OBSTACLE_FRICTION_VELOCITY, 0.2, 0.6}};

/* What a case differentiates by. */
typedef struct {
    case_role u, place;        /* displacements; places at rest and of obstacles */
    case_role force, friction; /* what forces alone depend on; what friction alone does */
} contact_roles;

static void contact_parameters(case_io *io, contact_sample *s, contact_roles by, const case_array *place,
                               const case_array *turn)
{
    enum { C = CASE_OBSTACLES };
    const wide *c = (const wide *)case_pack(io, place, CASE_WIDE), *r = (const wide *)case_pack(io, turn, CASE_WIDE);
    wide *all = HOST(io, wide, field_size(C, OBSTACLE_PARAMETERS));
    for (int o = 0; o < C; o++) {
        for (int a = 0; a < DIM; a++) all[obstacle_at(C, a, o)] = c[a * C + o];
        for (int a = 0; a < OBSTACLE_TURNS; a++) all[obstacle_at(C, OBSTACLE_ROTATION + a, o)] = r[a * C + o];
    }
    for (int k = 0; k < 5; k++) {
        const case_array *own = case_uniform(io,
                                             k == 0  ? by.place
                                             : k < 3 ? by.force
                                                     : by.friction,
                                             contact_own[k].name, 1, C, contact_own[k].low, contact_own[k].high);
        const wide *x = (const wide *)case_pack(io, own, CASE_WIDE);
        for (int o = 0; o < C; o++) all[obstacle_at(C, contact_own[k].at, o)] = x[o];
    }
    s->pose.parameters = PUSH(io, wide, all, field_size(C, OBSTACLE_PARAMETERS));
}

/* Sets the poses of obstacles that move evenly in the first second of their motion, which is not that of the poses. */
static void contact_poses(case_io *io, contact_sample *s, case_role role)
{
    enum { C = CASE_OBSTACLES };
    int *start = HOST(io, int, C + 1);
    int64_t *zero = HOST(io, int64_t, 1);
    double *axis = HOST(io, double, 3 * C);
    case_array *motion = case_uniform(io, role, "motion", 1, 3 * C * MOTION_NUMBERS, 0, 0.1);
    for (int o = 0; o < C; o++) {
        start[o + 1] = start[o] + (o % 2 ? 3 : 0);
        axis[3 * o + 2] = 1;
        for (int k = start[o]; k < start[o + 1]; k++)
            for (int c = 0; c < MOTION_NUMBERS; c++)
                motion->value[k * MOTION_NUMBERS + c] = c == MOTION_TIME ? 0.5 * (k - start[o])
                                                        : k == start[o]
                                                            ? 0
                                                            : 0.1 * case_unit("motion", MOTION_NUMBERS * k + c);
    }
    s->zero = PUSH(io, int64_t, zero, 1);
    s->pose.obstacles = C;
    s->pose.index = s->zero;
    s->pose.dt = 1;
    s->pose.at = s->pose.from = 0;
    s->pose.to = 1;
    s->pose.motion_start = PUSH(io, int, start, C + 1);
    s->pose.motion = (const wide *)case_upload(io, motion, CASE_WIDE);
    s->pose.axis = PUSH(io, double, axis, 3 * C);
    s->pose.pose = PUSH(io, obstacle_pose, HOST(io, obstacle_pose, C), C);
    LAUNCH(io, contact_pose, C, NULL, &s->pose);
}

static contact_sample contact_rubbed(case_io *io, contact_roles by)
{
    enum { C = CASE_OBSTACLES };
    contact_sample s;
    memset(&s, 0, sizeof s);
    const int n = s.n = case_size(io, 700);
    case_array *place = case_uniform(io, by.place, "place", DIM, C, -0.05, 0.05);
    case_array *turn = case_uniform(io, by.place, "rotation", OBSTACLE_TURNS, C, -1.5, 1.5);
    for (int o = 0; o < C; o++) {
        place->value[o] += 0.8 * 0.6 * o;
        place->value[(DIM - 1) * C + o] += 0.8 * 0.8 * o;
    }
    for (int a = 0; a < OBSTACLE_TURNS; a++) turn->value[a * C] *= 1e-3;
    case_array *u = case_uniform(io, by.u, "u", 1, n * DIM, -0.1, 0.1);
    case_array *rest = case_uniform(io, by.place, "rest", 1, n * DIM, 0, 1);
    int *node = HOST(io, int, n);
    for (int k = 0; k < n; k++) {
        const int o = k % C, i = node[k] = (int)(((int64_t)k * 617) % n);
        double y[DIM], r[3] = {0}, Q[DIM][DIM];
        for (int a = 0; a < OBSTACLE_TURNS; a++) r[a] = turn->value[a * C + o];
        contact_turn(r, Q);
        contact_outside(o, k, 0.04 * (0.25 + 0.65 * case_unit("off", k)), y);
        for (int a = 0; a < DIM; a++) {
            double x = place->value[a * C + o];
            for (int b = 0; b < DIM; b++) x += Q[a][b] * y[b];
            rest->value[i * DIM + a] = x - u->value[i * DIM + a];
        }
    }
    contact_parameters(io, &s, by, place, turn);
    contact_poses(io, &s, by.place);
    s.a.obstacles = C;
    s.a.shape = obstacle_sample(io);
    s.a.coefficients = obstacle_coefficients(io);
    s.a.pose = s.pose.pose;
    s.a.node = PUSH(io, int, node, n);
    s.a.rest = (real *)case_upload(io, rest, CASE_REAL);
    s.a.u = (real *)case_upload(io, u, CASE_REAL);
    s.a.area = (real *)case_upload(io, case_uniform(io, by.force, "area", 1, n, 0.01, 0.02), CASE_REAL);
    return s;
}

/* `role` of places, `force` of what forces alone depend on, without friction; u is an input. */
static contact_sample contact_sampled(case_io *io, case_role role, case_role force)
{
    const contact_roles by = {CASE_INPUT, role, force, CASE_CONSTANT};
    return contact_rubbed(io, by);
}

/* ---- forces ------------------------------------------------------------------------------------------------ */

/* Blocks times y are the adjoint for y alone, and the projected ones have no negative part: they are larger. */
static void contact_blocks(case_io *io, const contact_sample *s)
{
    const int n = s->n, MATRIX_ = DIM * DIM;
    fem_contact_matrix_args m;
    fem_contact_adj_args b;
    case_array *y = case_uniform(io, CASE_CONSTANT, "y", 1, n * DIM, -1, 1);
    if (io->build->dual) return;
    m.fwd = s->a;
    m.first_node_pair = 1;
    for (int projected = 0; projected < 2; projected++) {
        m.projected = projected;
        m.out = NEW(io, real, (n + 1) * MATRIX_, CASE_ZERO);
        LAUNCH(io, fem_contact_matrix, n, NULL, &m);
        case_out(io, projected ? "projected" : "blocks", CASE_REAL, 1, (n + 1) * MATRIX_, m.out);
    }
    memset(&b, 0, sizeof b);
    b.fwd = s->a;
    b.points = n;
    b.y = (real *)case_upload(io, y, CASE_REAL);
    b.u_bar = NEW(io, real, n * DIM, CASE_ZERO);
    for (b.obstacle = 0; b.obstacle < CASE_OBSTACLES; b.obstacle++) LAUNCH(io, fem_contact_adj, n, NULL, &b);
    case_out(io, "product", CASE_REAL, 1, n * DIM, b.u_bar);
    if (io->prefill) return;
    const double *K = case_find(io, CASE_OUTPUT, "blocks")->value, *P = case_find(io, CASE_OUTPUT, "projected")->value;
    const double *product = case_find(io, CASE_OUTPUT, "product")->value;
    double worst = 0, least = 0;
    for (int k = 0; k < n; k++) {
        const int i = (int)(((int64_t)k * 617) % n);
        double form = 0;
        for (int c = 0; c < DIM; c++) {
            double sum = 0, size = 1e-30;
            for (int d = 0; d < DIM; d++) {
                const int at = (k + 1) * MATRIX_ + c * DIM + d;
                sum += K[at] * y->value[i * DIM + d];
                size += fabs(K[at]);
                form += y->value[i * DIM + c] * P[at] * y->value[i * DIM + d];
            }
            worst = fmax(worst, fabs(sum - product[i * DIM + c]) / size);
        }
        least = fmin(least, form);
    }
    case_expect(io, worst < (sizeof(real) == 4 ? 1e-4 : 1e-12), "the product with the blocks is the adjoint");
    case_expect(io, least > -1e-12, "projected blocks have no negative part");
}

/* Adds the contributions of points to the cotangents of the pose of obstacle o. */
static void contact_gather(case_io *io, int n, int o, const real *contribution, wide *pose_bar)
{
    for (int k = 0; k < OBSTACLE_PARAMETERS; k++) {
        field_sum_args f;
        f.n = n;
        f.components = OBSTACLE_PARAMETERS;
        f.component = k;
        f.in = contribution;
        LAUNCH_SUM(io, field_sum, n, NULL, &f, pose_bar + obstacle_at(CASE_OBSTACLES, k, o));
    }
}

/* The gradients of all parameters of obstacles; `friction`: of those of friction too. */
static void contact_pose_gradients(case_io *io, const contact_sample *s, const wide *pose_bar, int friction)
{
    enum { C = CASE_OBSTACLES };
    const wide *bar = obstacle_pose_gradients(io, &s->pose, pose_bar, 1);
    case_gradient_of(io, "place", CASE_WIDE, DIM, C, case_components(bar, OBSTACLE_PARAMETERS, 0));
    case_gradient_of(io, "rotation", CASE_WIDE, OBSTACLE_TURNS, C,
                     case_components(bar, OBSTACLE_PARAMETERS, OBSTACLE_ROTATION));
    for (int k = 0; k < (friction ? 5 : 3); k++)
        case_gradient_of(io, contact_own[k].name, CASE_WIDE, 1, C,
                         case_components(bar, OBSTACLE_PARAMETERS, contact_own[k].at));
}

static void contact_gradients(case_io *io, const contact_sample *s)
{
    enum { C = CASE_OBSTACLES };
    const int n = s->n;
    fem_contact_adj_args b;
    wide *pose_bar = NEW(io, wide, field_size(C, OBSTACLE_PARAMETERS), CASE_ZERO);
    b.fwd = s->a;
    b.points = n;
    b.y = COTANGENT(io, real, "force");
    b.u_bar = NEW(io, real, n * DIM, CASE_ADDED);
    b.rest_bar = NEW(io, real, n * DIM, CASE_ADDED);
    b.area_bar = NEW(io, real, n, CASE_ADDED);
    b.contribution = NEW_FIELD(io, OBSTACLE_PARAMETERS, n, CASE_SET);
    for (b.obstacle = 0; b.obstacle < C; b.obstacle++) {
        LAUNCH(io, fem_contact_adj, n, NULL, &b);
        contact_gather(io, n, b.obstacle, b.contribution, pose_bar);
    }
    case_gradient(io, "u", CASE_REAL, 1, n * DIM, b.u_bar);
    case_gradient(io, "rest", CASE_REAL, 1, n * DIM, b.rest_bar);
    case_gradient(io, "area", CASE_REAL, 1, n, b.area_bar);
    contact_pose_gradients(io, s, pose_bar, 0);
}

static void case_fem_contact(case_io *io)
{
    contact_sample s = contact_sampled(io, CASE_INPUT, CASE_INPUT);
    s.a.out = NEW(io, real, s.n * DIM, CASE_ADDED);
    LAUNCH(io, fem_contact, s.n, NULL, &s.a);
    case_out(io, "force", CASE_REAL, 1, s.n * DIM, s.a.out);
    contact_blocks(io, &s);
    if (case_adjoint(io)) contact_gradients(io, &s);
}
#define case_fem_contact_adj case_fem_contact
#define case_fem_contact_matrix case_fem_contact

/* The forces are the gradient of the energy. */
static void case_fem_contact_energy(case_io *io)
{
    contact_sample s = contact_sampled(io, CASE_CONSTANT, CASE_CONSTANT);
    wide *energy = NEW(io, wide, 1, CASE_SET);
    LAUNCH_SUM(io, fem_contact_energy, s.n, NULL, &s.a, energy);
    case_out(io, "energy", CASE_WIDE, 1, 1, energy);
    if (!case_adjoint(io)) return;
    double E_bar = 0;
    const wide *bar = COTANGENT(io, wide, "energy");
    case_expect(io, !io->machine->download(io->machine->stream, &E_bar, bar, sizeof E_bar), "a download");
    point_axpby_args scale;
    s.a.out = NEW(io, real, s.n * DIM, CASE_ZERO);
    LAUNCH(io, fem_contact, s.n, NULL, &s.a);
    scale.a = R(E_bar);
    scale.b = R(0);
    scale.x = scale.y = s.a.out;
    scale.out = NEW(io, real, s.n * DIM, CASE_SET);
    LAUNCH(io, point_axpby, s.n, NULL, &scale);
    case_gradient(io, "u", CASE_REAL, 1, s.n * DIM, scale.out);
}

/* The least gap from the third obstacle, a box, and its adjoint. */
static void case_fem_contact_gap(case_io *io)
{
    contact_sample s = contact_sampled(io, CASE_INPUT, CASE_CONSTANT);
    fem_contact_gap_args a;
    fem_contact_which_args w;
    fem_contact_gap_add_args add;
    uint64_t *found = HOST(io, uint64_t, 2);
    found[0] = found[1] = UINT64_MAX;
    a.fwd = s.a;
    a.obstacle = 2;
    a.gap = NEW(io, real, s.n, CASE_SET);
    a.found = PUSH(io, uint64_t, found, 2);
    LAUNCH(io, fem_contact_gap, s.n, NULL, &a);
    w.gap = a.gap;
    w.found = a.found;
    LAUNCH(io, fem_contact_which, s.n, NULL, &w);
    add.gap = a.gap;
    add.found = a.found;
    add.weight = 0.7;
    add.sample = NEW(io, wide, 1, CASE_ADDED);
    LAUNCH(io, fem_contact_gap_add, 1, NULL, &add);
    case_out(io, "gap", CASE_WIDE, 1, 1, add.sample);
    if (!case_adjoint(io)) return;
    enum { C = CASE_OBSTACLES };
    fem_contact_gap_adj_args b;
    wide *pose_bar = NEW(io, wide, field_size(C, OBSTACLE_PARAMETERS), CASE_ZERO);
    b.fwd = a;
    b.points = s.n;
    b.weight = 0.7;
    b.sample_bar = COTANGENT(io, wide, "gap");
    b.u_bar = NEW(io, real, s.n * DIM, CASE_ADDED);
    b.rest_bar = NEW(io, real, s.n * DIM, CASE_ADDED);
    b.contribution = NEW_FIELD(io, OBSTACLE_PARAMETERS, s.n, CASE_SET);
    LAUNCH(io, fem_contact_gap_adj, s.n, NULL, &b);
    contact_gather(io, s.n, 2, b.contribution, pose_bar);
    const wide *bar = obstacle_pose_gradients(io, &s.pose, pose_bar, 1);
    case_no_influence(io, "motion"); /* a box that does not move */
    case_gradient(io, "u", CASE_REAL, 1, s.n * DIM, b.u_bar);
    case_gradient(io, "rest", CASE_REAL, 1, s.n * DIM, b.rest_bar);
    case_gradient_of(io, "place", CASE_WIDE, DIM, C, case_components(bar, OBSTACLE_PARAMETERS, 0));
    case_gradient_of(io, "rotation", CASE_WIDE, OBSTACLE_TURNS, C,
                     case_components(bar, OBSTACLE_PARAMETERS, OBSTACLE_ROTATION));
    case_gradient_of(io, "scale", CASE_WIDE, 1, C, case_components(bar, OBSTACLE_PARAMETERS, OBSTACLE_SCALE));
}
#define case_fem_contact_which case_fem_contact_gap
#define case_fem_contact_gap_add case_fem_contact_gap
#define case_fem_contact_gap_adj case_fem_contact_gap

/* ---- how far points may move ------------------------------------------------------------------------------- */

static uint64_t *contact_open(case_io *io)
{
    uint64_t *key = HOST(io, uint64_t, 1);
    *key = UINT64_MAX;
    return PUSH(io, uint64_t, key, 1);
}

static void case_fem_contact_reach(case_io *io)
{
    contact_sample s = contact_sampled(io, CASE_CONSTANT, CASE_CONSTANT);
    const int n = s.n;
    fem_contact_reach_args a, m;
    fem_contact_watch_args w;
    fem_contact_carry_args r;
    fem_contact_leap_args l;
    fem_step *step = HOST(io, fem_step, 1); /* zeros */
    step->fault = UINT64_MAX;
    memset(&a, 0, sizeof a);
    a.fwd = w.fwd = m.fwd = r.fwd = l.fwd = s.a;
    a.du = l.v = (real *)case_upload(io, case_uniform(io, CASE_CONSTANT, "du", 1, n * DIM, -0.05, 0.05), CASE_REAL);
    a.scale = 1;
    a.limit = contact_open(io);
    LAUNCH(io, fem_contact_reach, n, NULL, &a);
    w.least = contact_open(io);
    w.gap = NEW(io, real, n, CASE_SET);
    w.nearest = NEW(io, int, n, CASE_SET);
    w.touching = PUSH(io, int, HOST(io, int, n), n);
    w.counts = PUSH(io, int, HOST(io, int, 2), 2);
    LAUNCH(io, fem_contact_watch, n, NULL, &w);
    m.du = NULL; /* points rest, obstacles move */
    m.scale = 1;
    m.motion = r.motion = l.motion = s.pose;
    m.limit = contact_open(io);
    LAUNCH(io, fem_contact_reach, n, NULL, &m);
    r.residual = NEW(io, real, n * DIM, CASE_ADDED);
    LAUNCH(io, fem_contact_carry, n, NULL, &r);
    case_out(io, "residual", CASE_REAL, 1, n * DIM, r.residual);
    l.mass = (real *)case_upload(io, case_uniform(io, CASE_CONSTANT, "mass", 1, n * DIM, 1, 2), CASE_REAL);
    l.h = 0.5;
    l.square = 3;
    l.step = PUSH(io, fem_step, step, 1);
    l.needed = contact_open(io);
    l.stiffer = contact_open(io);
    LAUNCH(io, fem_contact_leap, n, NULL, &l);
    /* keys have the bits of the numbers that they are of (contact_key) */
    case_out(io, "limit", CASE_DOUBLE, 1, 1, a.limit);
    case_out(io, "least", CASE_DOUBLE, 1, 1, w.least);
    case_out(io, "nearest", CASE_INT, 1, n, w.nearest);
    case_out(io, "touching", CASE_INT, 1, n, w.touching);
    case_out(io, "counts", CASE_INT, 1, 2, w.counts);
    case_out(io, "sweep", CASE_DOUBLE, 1, 1, m.limit);
    case_out(io, "needed", CASE_INT64, 1, 1, l.needed);
    case_out(io, "stiffer", CASE_INT64, 1, 1, l.stiffer);
}
#define case_fem_contact_watch case_fem_contact_reach
#define case_fem_contact_carry case_fem_contact_reach
#define case_fem_contact_leap case_fem_contact_reach

#endif
