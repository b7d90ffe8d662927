/* kernel_cases_amg_modes.h -- cases of a multilevel preconditioner: rigid motions of aggregates. Case text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_AMG_MODES_H
#define PIOLA_TESTS_KERNEL_CASES_AMG_MODES_H

#include "tests/kernels/linear/kernel_cases_amg.h"

static void case_amg_place(case_io *io)
{
    static const char *const names[] = {"of the same number", "corners", NULL};
    const int corners = case_variant(io, names), nodes = case_size(io, 700), rows = corners ? nodes - 70 : nodes;
    const mg_numbers rest = mg_constants(io, "rest", CASE_REAL, nodes * DIM, -10, 10);
    const mg_numbers u = mg_constants(io, "u", CASE_REAL, nodes * DIM, -1, 1);
    int *node = HOST(io, int, rows), *still = HOST(io, int, rows); /* every third is at rest, whatever is held */
    double *wanted = HOST(io, double, rows *DIM);
    for (int i = 0; i < rows; i++) node[i] = corners ? i * 333 % nodes : i;
    for (int i = 0; i < rows; i++) still[i] = (i % 3 ? 0 : AMG_AT_REST) + i % (1 << DIM);
    amg_place_args a;
    a.node = corners ? PUSH(io, int, node, rows) : NULL;
    a.constrained = PUSH(io, int, still, rows);
    a.rest = (real *)rest.device;
    a.u = (real *)u.device;
    a.place = NEW(io, wide, rows * DIM, CASE_SET);
    LAUNCH(io, amg_place, rows, NULL, &a);
    case_out(io, "place", CASE_WIDE, 1, rows * DIM, a.place);
    for (int k = 0; k < rows * DIM; k++)
        wanted[k] =
            rest.host[node[k / DIM] * DIM + k % DIM] + (k / DIM % 3 ? u.host[node[k / DIM] * DIM + k % DIM] : 0);
    mg_expect(io, "place", wanted, 1e-15);
}

/* ---- aggregates -------------------------------------------------------------------------------------------- */

/* Which rows are whose, host and device: rows are scattered, and a tenth is in no aggregate. */
typedef struct {
    int aggregates, rows;
    int *start, *member, *aggregate;
    int *device_start, *device_member, *device_aggregate;
} mg_groups;

/* Of `each` members; of 0: one, two, or five. */
static mg_groups mg_sample_groups(case_io *io, int aggregates, int each)
{
    mg_groups g;
    g.aggregates = aggregates;
    g.start = HOST(io, int, aggregates + 1);
    for (int k = 0; k < aggregates; k++) g.start[k + 1] = g.start[k] + (each ? each : k % 5 < 2 ? k % 5 + 1 : 5);
    const int total = g.start[aggregates];
    g.rows = total + total / 10;
    g.member = HOST(io, int, g.rows);
    g.aggregate = HOST(io, int, g.rows);
    for (int i = 0; i < g.rows; i++) g.aggregate[i] = -1;
    for (int k = 0; k < aggregates; k++)
        for (int m = g.start[k]; m < g.start[k + 1]; m++) { /* 7919 is a prime that divides no number of rows here */
            g.member[m] = (int)((int64_t)m * 7919 % g.rows);
            g.aggregate[g.member[m]] = k;
        }
    g.device_start = PUSH(io, int, g.start, aggregates + 1);
    g.device_member = PUSH(io, int, g.member, total);
    g.device_aggregate = PUSH(io, int, g.aggregate, g.rows);
    return g;
}

enum { CORNERS = DIM == 3 ? 6 : 5 };
typedef enum { GROUPS_WHOLE, GROUPS_HELD, GROUPS_STRAIGHT } group_kind;

/* Member k of a group: near a corner of a cube of its own, or on a line of its own. */
static double member_place(int group, int k, int c, group_kind kind)
{
    static const int far[3] = {17, 13, 11};
    static const double direction[3] = {1, 0.4, -0.3};
    const int i = group * 8 + k;
    const double origin = group % far[c] - 5;
    if (kind == GROUPS_STRAIGHT) return origin + direction[c] * (k + 0.3 * case_unit("along", i));
    return origin + (k >> c & 1) + 0.3 * case_unit("corner", i * 3 + c);
}

/* The axes on which a member is held: one of a group on all, all of a group on one, each on one of its own, or all. */
static int member_held(int group, int k, group_kind kind)
{
    if (kind != GROUPS_HELD) return 0;
    if (group % 12 == 2) return (1 << DIM) - 1;
    if (group % 3 == 0) return k ? 0 : (1 << DIM) - 1;
    return group % 3 == 1 ? 1 : k < DIM ? 1 << k : 0;
}

/* How many modes of a group are independent. */
static int group_rank(int group, group_kind kind)
{
    if (kind == GROUPS_STRAIGHT) return group % 5 == 0 ? DIM : DIM == 3 ? 5 : 3;
    if (kind == GROUPS_HELD && group % 12 == 2) return 0;
    return AMG_MODES - (kind == GROUPS_HELD && group % 3 == 1);
}

/* Modes of a displacement at x: translations, and the cross product with each axis. */
static void rigid_motions(double b[DIM][AMG_MODES], const double *x, int held)
{
    memset(b, 0, sizeof(double[DIM][AMG_MODES]));
    for (int c = 0; c < DIM; c++) b[c][c] = 1;
    for (int k = DIM; k < AMG_MODES; k++) {
        double axis[3] = {0, 0, 0}, at[3] = {0, 0, 0};
        axis[DIM == 3 ? k - 3 : 2] = 1;
        for (int c = 0; c < DIM; c++) at[c] = x[c];
        for (int c = 0; c < DIM; c++) {
            const int d = (c + 1) % 3, e = (c + 2) % 3;
            b[c][k] = axis[d] * at[e] - axis[e] * at[d];
        }
    }
    for (int c = 0; c < DIM; c++)
        for (int k = 0; k < AMG_MODES && held >> c & 1; k++) b[c][k] = 0;
}

/* What the kernels make of a level: names of outputs begin with its name. */
typedef struct {
    int size;
    mg_groups groups;
    wide *center, *coarse_modes;
    const double *center_host, *coarse_modes_host, *basis, *q;
} mg_modes;

static const double *modes_out(case_io *io, const char *level, const char *what, case_type type, int n,
                               const void *from)
{
    char name[CASE_NAME];
    snprintf(name, sizeof name, "%s%s", level, what);
    case_out(io, name, type, 1, n, from);
    return case_find(io, CASE_OUTPUT, name)->value;
}

/* `modes` is NULL of nodes. */
static mg_modes run_modes(case_io *io, const char *level, mg_groups g, const wide *place, const int *held,
                          const wide *modes)
{
    mg_modes r;
    const int square = AMG_MODES * AMG_MODES;
    amg_modes_args a;
    amg_tentative_args t;
    a.size = t.size = r.size = mg_size(modes != NULL);
    a.member_start = g.device_start;
    a.member = g.device_member;
    a.place = t.place = place;
    a.constrained = t.constrained = held;
    a.modes = t.modes = modes;
    a.center = NEW(io, wide, g.aggregates * DIM, CASE_SET);
    a.basis = NEW(io, wide, g.aggregates * square, CASE_SET);
    a.coarse_modes = NEW(io, wide, g.aggregates * square, CASE_SET);
    LAUNCH(io, amg_modes, g.aggregates, NULL, &a);
    t.aggregate = g.device_aggregate;
    t.center = a.center;
    t.basis = a.basis;
    t.tentative = NEW(io, real, g.rows * r.size * AMG_MODES, CASE_SET);
    LAUNCH(io, amg_tentative, g.rows, NULL, &t);
    r.groups = g;
    r.center = a.center;
    r.coarse_modes = a.coarse_modes;
    r.center_host = modes_out(io, level, "centre", CASE_WIDE, g.aggregates * DIM, a.center);
    r.basis = modes_out(io, level, "W", CASE_WIDE, g.aggregates * square, a.basis);
    r.coarse_modes_host = modes_out(io, level, "C", CASE_WIDE, g.aggregates * square, a.coarse_modes);
    r.q = modes_out(io, level, "Q", CASE_REAL, g.rows * r.size * AMG_MODES, t.tentative);
    return r;
}

/* Columns of Q are orthonormal or zeros, the latter where C has no diagonal; rows without an aggregate have zeros. */
static void expect_orthonormal(case_io *io, const mg_modes *m)
{
    const int square = AMG_MODES * AMG_MODES, n = m->groups.aggregates * square;
    double *gram = HOST(io, double, n), *wanted = HOST(io, double, n), outside = 0;
    for (int k = 0; k < n; k++) wanted[k] = k % square % (AMG_MODES + 1) == 0 && m->coarse_modes_host[k] > 0 ? 1 : 0;
    for (int i = 0; i < m->groups.rows; i++) {
        const double *q = m->q + i * m->size * AMG_MODES;
        for (int r = 0; r < m->size; r++)
            for (int k = 0; k < square; k++)
                if (m->groups.aggregate[i] >= 0)
                    gram[m->groups.aggregate[i] * square + k] +=
                        q[r * AMG_MODES + k / AMG_MODES] * q[r * AMG_MODES + k % AMG_MODES];
                else
                    outside += fabs(q[r * AMG_MODES + k % AMG_MODES]);
    }
    mg_compare(io, "Q^T Q", gram, wanted, n, io->build->size[CASE_REAL] == 4 ? 2e-6 : 1e-12);
    case_expect(io, !(outside > 0), "rows without an aggregate have zeros");
}

/* Row of Q [columns] times C [AMG_MODES][AMG_MODES], added to out. */
static void times_modes(double *out, const double *q, const double *c)
{
    for (int m = 0; m < AMG_MODES; m++)
        for (int n = 0; n < AMG_MODES; n++) out[n] += q[m] * c[m * AMG_MODES + n];
}

/* Nodes of groups, on host and device, and whether they are held. */
typedef struct {
    group_kind kind;
    mg_groups groups;
    mg_numbers place;
    int *held, *device_held;
} mg_nodes;

static mg_nodes mg_sample_nodes(case_io *io, int aggregates, group_kind kind)
{
    mg_nodes n;
    n.kind = kind;
    n.groups = mg_sample_groups(io, aggregates, kind == GROUPS_STRAIGHT ? 0 : CORNERS);
    n.held = HOST(io, int, n.groups.rows);
    case_array *place = case_uniform(io, CASE_CONSTANT, "place", 1, n.groups.rows * DIM, -10, 10);
    for (int g = 0; g < aggregates; g++)
        for (int m = n.groups.start[g]; m < n.groups.start[g + 1]; m++) {
            const int k = m - n.groups.start[g], i = n.groups.member[m];
            for (int c = 0; c < DIM; c++) place->value[i * DIM + c] = member_place(g, k, c, kind);
            n.held[i] = member_held(g, k, kind);
        }
    n.place = mg_upload(io, place, CASE_WIDE);
    n.device_held = kind == GROUPS_HELD ? PUSH(io, int, n.held, n.groups.rows) : NULL;
    return n;
}

/* Q C = B of every node of an aggregate, about the mean place. */
static void expect_rigid(case_io *io, const mg_nodes *nodes, const mg_modes *m)
{
    const mg_groups *g = &nodes->groups;
    const int n = g->rows * DIM * AMG_MODES;
    double *got = HOST(io, double, n), *wanted = HOST(io, double, n), *center = HOST(io, double, g->aggregates *DIM);
    int wrong = 0;
    for (int k = 0; k < g->aggregates; k++) {
        int rank = 0;
        for (int c = 0; c < AMG_MODES; c++) rank += m->coarse_modes_host[(k * AMG_MODES + c) * AMG_MODES + c] > 0;
        wrong += rank != group_rank(k, nodes->kind);
        for (int c = 0; c < DIM; c++)
            for (int j = g->start[k]; j < g->start[k + 1]; j++)
                center[k * DIM + c] += nodes->place.host[g->member[j] * DIM + c] / (g->start[k + 1] - g->start[k]);
    }
    for (int i = 0; i < g->rows; i++) {
        double x[DIM], b[DIM][AMG_MODES];
        const int of = g->aggregate[i];
        if (of < 0) continue;
        for (int c = 0; c < DIM; c++) x[c] = nodes->place.host[i * DIM + c] - center[of * DIM + c];
        rigid_motions(b, x, nodes->held[i]);
        memcpy(wanted + i * DIM * AMG_MODES, b, sizeof b);
        for (int c = 0; c < DIM; c++)
            times_modes(got + (i * DIM + c) * AMG_MODES, m->q + (i * DIM + c) * AMG_MODES,
                        m->coarse_modes_host + of * AMG_MODES * AMG_MODES);
    }
    mg_compare(io, "mean place", m->center_host, center, g->aggregates * DIM, 1e-14);
    mg_compare(io, "Q C, of B", got, wanted, n, mg_bound(io, CASE_REAL));
    case_expect(io, !wrong, "as many modes are kept as are independent");
}

/* Q_1 Q_2 C_2 of two levels are the rigid motions of nodes about the place of an aggregate of aggregates. */
static void expect_rigid_again(case_io *io, const mg_nodes *nodes, const mg_modes *one, const mg_modes *two)
{
    const mg_groups *g = &nodes->groups;
    const int n = g->rows * DIM * AMG_MODES, square = AMG_MODES * AMG_MODES;
    double *got = HOST(io, double, n), *wanted = HOST(io, double, n);
    for (int i = 0; i < g->rows; i++) {
        double x[DIM], b[DIM][AMG_MODES];
        const int of = g->aggregate[i], over = of < 0 ? -1 : two->groups.aggregate[of];
        if (over < 0) continue;
        for (int c = 0; c < DIM; c++) x[c] = nodes->place.host[i * DIM + c] - two->center_host[over * DIM + c];
        rigid_motions(b, x, nodes->held[i]);
        memcpy(wanted + i * DIM * AMG_MODES, b, sizeof b);
        for (int c = 0; c < DIM; c++) {
            double row[AMG_MODES] = {0};
            times_modes(row, one->q + (i * DIM + c) * AMG_MODES, two->q + of * square);
            times_modes(got + (i * DIM + c) * AMG_MODES, row, two->coarse_modes_host + over * square);
        }
    }
    mg_compare(io, "Q_1 Q_2 C_2, of B", got, wanted, n, mg_bound(io, CASE_REAL));
}

static void case_amg_modes(case_io *io)
{
    static const char *const names[] = {"nodes", "nodes, some held", "nodes in a row", "aggregates", NULL};
    static const group_kind kinds[] = {GROUPS_WHOLE, GROUPS_HELD, GROUPS_STRAIGHT, GROUPS_HELD};
    const int variant = case_variant(io, names), aggregates = case_size(io, 520);
    const int square = AMG_MODES * AMG_MODES;
    mg_groups again;
    if (variant == 3) again = mg_sample_groups(io, aggregates, 2);
    const mg_nodes nodes = mg_sample_nodes(io, variant == 3 ? again.rows : aggregates, kinds[variant]);
    const mg_modes one = run_modes(io, "", nodes.groups, (wide *)nodes.place.device, nodes.device_held, NULL);
    expect_orthonormal(io, &one);
    expect_rigid(io, &nodes, &one);
    int lower = 0; /* entries below the diagonals of W and C */
    for (int k = 0; k < nodes.groups.aggregates * square; k++)
        lower += k % square / AMG_MODES > k % AMG_MODES && fabs(one.basis[k]) + fabs(one.coarse_modes_host[k]) > 0;
    case_expect(io, !lower, "W and C are upper triangular");
    if (variant < 3) return;
    const mg_modes two = run_modes(io, "next ", again, one.center, NULL, one.coarse_modes);
    expect_orthonormal(io, &two);
    expect_rigid_again(io, &nodes, &one, &two);
}
#define case_amg_tentative case_amg_modes

#endif
