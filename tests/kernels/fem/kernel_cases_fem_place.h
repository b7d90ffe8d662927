/* kernel_cases_fem_place.h -- cases of moments about a centre, and of distances from places within elements. Case
 * text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_FEM_PLACE_H
#define PIOLA_TESTS_KERNEL_CASES_FEM_PLACE_H

#include "tests/kernels/fem/kernel_cases_mesh.h"

static real *place_vector(case_io *io, case_role role, const char *name, int nodes, double size)
{
    return (real *)case_upload(io, case_uniform(io, role, name, 1, nodes * DIM, -size, size), CASE_REAL);
}

static void case_fem_moment(case_io *io)
{
    static const char *const names[] = {"about x", "about y", "about z", NULL};
    const int nodes = case_size(io, 1100);
    fem_moment_args a;
    a.axis = case_variant(io, names);
    for (int c = 0; c < 3; c++) a.center[c] = 0.3 - 0.2 * c;
    a.rest = place_vector(io, CASE_INPUT, "rest", nodes, 1);
    a.u = place_vector(io, CASE_INPUT, "u", nodes, 0.3);
    a.force = place_vector(io, CASE_INPUT, "force", nodes, 5);
    a.weight = place_vector(io, CASE_CONSTANT, "weight", nodes, 2);
    if (DIM == 2) a.axis = 0;
    wide *sum = NEW(io, wide, 1, CASE_SET);
    LAUNCH_SUM(io, fem_moment, nodes, NULL, &a, sum);
    case_out(io, "moment", CASE_WIDE, 1, 1, sum);
    if (!case_adjoint(io)) return;
    fem_moment_adj_args b;
    b.fwd = a;
    b.sample_bar = COTANGENT(io, wide, "moment");
    b.scale = 1;
    b.u_bar = NEW(io, real, nodes * DIM, CASE_ADDED);
    b.rest_bar = NEW(io, real, nodes * DIM, CASE_ADDED);
    b.force_bar = NEW(io, real, nodes * DIM, CASE_ADDED);
    LAUNCH(io, fem_moment_adj, nodes, NULL, &b);
    case_gradient(io, "u", CASE_REAL, 1, nodes * DIM, b.u_bar);
    case_gradient(io, "rest", CASE_REAL, 1, nodes * DIM, b.rest_bar);
    case_gradient(io, "force", CASE_REAL, 1, nodes * DIM, b.force_bar);
}
#define case_fem_moment_adj case_fem_moment

/* Points of four nodes each, of which each node has several or none; every seventh has no place. */
static void case_fem_place(case_io *io)
{
    enum { EACH = 4 };
    static const char *const names[] = {"at a step", "between two steps", NULL};
    const int nodes = case_size(io, 1100), points = nodes / 2, entries = EACH * points;
    const int between = case_variant(io, names);
    int *start = HOST(io, int, points + 1), *node = HOST(io, int, entries);
    int *from = HOST(io, int, nodes + 2), *point = HOST(io, int, entries);
    double *given = HOST(io, double, points *DIM), *weight = HOST(io, double, points);
    case_array *N = case_uniform(io, CASE_CONSTANT, "shape", 1, entries, -0.1, 0.9);
    case_array *back = case_uniform(io, CASE_CONSTANT, "shape of nodes", 1, entries, 0, 1);
    fem_place_args a;
    a.total = 0;
    for (int p = 0; p < points; p++) {
        start[p + 1] = EACH * (p + 1);
        weight[p] = p % 3;
        a.total += p % 7 == 4 ? 0 : weight[p];
        for (int c = 0; c < DIM; c++)
            given[p * DIM + c] = p % 7 == 4 ? (double)NAN : 2 * case_unit("given", p * DIM + c) - 1;
    }
    for (int j = 0; j < entries; j++) node[j] = (int)(case_unit("node", j / EACH) * (nodes - EACH)) + j % EACH;
    for (int j = 0; j < entries; j++) from[node[j] + 2]++;
    for (int i = 0; i < nodes; i++) from[i + 2] += from[i + 1];
    for (int j = 0; j < entries; j++) {
        const int at = from[node[j] + 1]++;
        point[at] = j / EACH;
        back->value[at] = N->value[j];
    }
    a.start = PUSH(io, int, start, points + 1);
    a.node = PUSH(io, int, node, entries);
    a.shape = (real *)case_upload(io, N, CASE_REAL);
    a.rest = place_vector(io, CASE_INPUT, "rest", nodes, 1);
    a.u = place_vector(io, CASE_INPUT, "u", nodes, 0.3);
    const real *past = place_vector(io, CASE_INPUT, "past", nodes, 0.3);
    a.past = between ? past : NULL;
    a.past_weight = between ? 0.3 : 0;
    a.given = PUSH(io, double, given, points *DIM);
    a.point_weight = PUSH(io, double, weight, points);
    wide *sum = NEW(io, wide, 1, CASE_SET);
    LAUNCH_SUM(io, fem_place, points, NULL, &a, sum);
    case_out(io, "distance", CASE_WIDE, 1, 1, sum);
    if (!case_adjoint(io)) return;
    fem_place_adj_args b;
    b.fwd = a;
    b.sample_bar = COTANGENT(io, wide, "distance");
    b.scale = 1;
    b.place_bar = NEW(io, real, points * DIM, CASE_SET);
    LAUNCH(io, fem_place_adj, points, NULL, &b);
    fem_place_node_adj_args n;
    n.start = PUSH(io, int, from, nodes + 1);
    n.point = PUSH(io, int, point, entries);
    n.shape = (real *)case_upload(io, back, CASE_REAL);
    n.place_bar = b.place_bar;
    n.past_weight = a.past_weight;
    n.u_bar = NEW(io, real, nodes * DIM, CASE_ADDED);
    n.rest_bar = NEW(io, real, nodes * DIM, CASE_ADDED);
    n.past_bar = NEW(io, real, nodes * DIM, CASE_ADDED);
    LAUNCH(io, fem_place_node_adj, nodes, NULL, &n);
    case_gradient(io, "u", CASE_REAL, 1, nodes * DIM, n.u_bar);
    case_gradient(io, "rest", CASE_REAL, 1, nodes * DIM, n.rest_bar);
    case_gradient(io, "past", CASE_REAL, 1, nodes * DIM, n.past_bar);
}
#define case_fem_place_adj case_fem_place
#define case_fem_place_node_adj case_fem_place

#endif
