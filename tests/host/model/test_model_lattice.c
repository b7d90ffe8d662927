/* test_model_lattice.c -- lattices of control points, targets that share variables, and the map between the variables
 * of the optimiser and those of the engine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/host/model/model_helpers.h"
#include "host/model/engine_variables.h"
#include "host/model/model_lattice.h"

#include <stdlib.h>

#define SHAPE "target: bodies.one.rest_position, per: lattice, "
static const char *geometry =
    "geometry=[{name: block, type: box, element: quad4, elements: [8, 8], min: [0, 0], max: [1, 1]}]";

static pio_model *designed(const char *design, pio_scene **scene)
{
    return model_of((const char *const[]){geometry, design}, 2, scene);
}

static double sine(int i)
{
    return sin(1.7 * i + 0.3);
}

/* Bernstein polynomials of degree n have sum_i (i/n) B_i(t) = t: control points that are moved by an affine map of
 * their places move every node by that map. */
static void control_points_that_move_by_an_affine_map_move_nodes_by_it(void **state)
{
    pio_scene *scene = NULL;
    pio_model *m = designed("design=[{name: a, " SHAPE "lattice: {cells: [4, 3]}}]", &scene);
    const pio_lattice *l = m->parameters[0].lattice;
    const double A[2][2] = {{0.3, -0.2}, {0.7, 0.4}}, b[2] = {0.1, -0.6};
    double *z = malloc(sizeof *z * (size_t)m->n_variables), *out = malloc(sizeof *out * (size_t)m->n_engine), worst = 0,
           broken = 0;
    (void)state;
    assert_int_equal(m->n_variables, 2 * 5 * 4);
    assert_int_equal(m->n_engine, 2 * 81);
    for (int p = 0; p < l->points; p++)
        for (int c = 0; c < 2; c++) z[2 * p + c] = A[c][0] * l->at[p][0] / 4 + A[c][1] * l->at[p][1] / 3 + b[c];
    for (int turn = 0; turn < 2; turn++) {
        double *largest = turn ? &broken : &worst;
        if (turn) z[7] += 1e-6; /* negative control: one control point is elsewhere */
        pio_engine_variables(m, z, out);
        for (int64_t i = 0; i < m->fem->desc.n; i++)
            for (int c = 0; c < 2; c++) {
                const double *x = m->fem->rest + 2 * i, want = A[c][0] * x[0] + A[c][1] * x[1] + b[c];
                *largest = fmax(*largest, fabs(out[2 * m->designs[0].index[i] + c] - want));
            }
    }
    print_message("affine: nodes off by %.2g (limit 1e-14); one control point off by 1e-6: %.2g (must exceed)\n", worst,
                  broken);
    assert_true(worst < 1e-14);
    assert_true(broken > 1e-14);
    free(z);
    free(out);
    pio_model_free(m);
    pio_scene_free(scene);
}

/* With two cells the weights are t^2, 2 t (1 - t), (1 - t)^2, times w = s^2 (3 - 2 s) of the distance from x = 0. */
static void nodes_near_held_ones_move_by_a_smooth_step(void **state)
{
    pio_scene *scene = NULL;
    pio_model *m = designed(
        "design=[{name: a, " SHAPE "lattice: {cells: [1, 2], hold: [{group: left}], ease: 0.5}, along: y}]", &scene);
    double z[6], out[81], worst = 0;
    int moved = 0;
    (void)state;
    assert_int_equal(m->n_variables, 6);
    for (int v = 0; v < 6; v++) z[v] = sine(v);
    pio_engine_variables(m, z, out);
    for (int64_t i = 0; i < m->fem->desc.n; i++) {
        const double x = m->fem->rest[2 * i], y = m->fem->rest[2 * i + 1], s = fmin(x / 0.5, 1);
        const double B[3] = {(1 - y) * (1 - y), 2 * y * (1 - y), y * y};
        double want = 0;
        for (int j = 0; j < 3; j++) want += s * s * (3 - 2 * s) * B[j] * ((1 - x) * z[2 * j] + x * z[2 * j + 1]);
        assert_int_equal(m->designs[0].index[i] < 0, x < 1e-9);
        if (m->designs[0].index[i] < 0) continue;
        worst = fmax(worst, fabs(out[m->designs[0].index[i]] - want));
        moved++;
    }
    print_message("%d nodes move, off by %.2g (limit 1e-15)\n", moved, worst);
    assert_int_equal(moved, 72);
    assert_true(worst < 1e-15);
    pio_model_free(m);
    pio_scene_free(scene);
}

/* The box is the right half; the body goes on to the left of it, where control points stay, so that nothing tears. */
static void a_box_inside_a_body_keeps_its_cut_side(void **state)
{
    pio_scene *scene = NULL;
    pio_model *m =
        designed("design=[{name: a, " SHAPE "lattice: {cells: [2, 1], min: [0.5, 0], max: [1, 1]}}]", &scene);
    const pio_lattice *l = m->parameters[0].lattice;
    char name[80];
    (void)state;
    assert_int_equal(l->points, 4); /* of 3 x 2 those of the left side stay */
    for (int p = 0; p < l->points; p++) assert_true(l->at[p][0] > 0);
    for (int64_t i = 0; i < m->fem->desc.n; i++)
        assert_int_equal(m->designs[0].index[i] >= 0, m->fem->rest[2 * i] > 0.5 + 1e-9);
    pio_model_variable_name(m, 3, name, sizeof name);
    assert_string_equal(name, "bodies.one.rest_position[control point 2, 0].y");
    pio_model_free(m);
    pio_scene_free(scene);
}

/* Computes (S z).y - z.(S^T y) over the sum of the magnitudes of its terms. */
static double mismatch(const pio_model *m, double factor)
{
    double *z = malloc(sizeof *z * (size_t)m->n_variables), *y = malloc(sizeof *y * (size_t)m->n_engine),
           *forward = malloc(sizeof *y * (size_t)m->n_engine), *back = malloc(sizeof *z * (size_t)m->n_variables);
    double sum = 0, size = 0;
    for (int v = 0; v < m->n_variables; v++) z[v] = sine(v);
    for (int v = 0; v < m->n_engine; v++) y[v] = sine(3 * v + 1);
    pio_engine_variables(m, z, forward);
    pio_engine_variables_adj(m, y, back);
    back[m->n_variables - 1] *= factor;
    for (int v = 0; v < m->n_engine; v++) sum += forward[v] * y[v];
    for (int v = 0; v < m->n_engine; v++) size += fabs(forward[v] * y[v]);
    for (int v = 0; v < m->n_variables; v++) sum -= z[v] * back[v];
    free(z);
    free(y);
    free(forward);
    free(back);
    return fabs(sum) / size;
}

static void the_map_to_the_engine_and_its_adjoint_are_transposes(void **state)
{
    static const char *const designs[] = {
        "design=[{name: a, " SHAPE "lattice: {cells: [4, 3], hold: [{group: left}], ease: 0.3}}]",
        "design=[{name: a, targets: [loads.push.value, materials.soft.E], initial: 10 Pa}, {name: c, " SHAPE
        "lattice: {cells: [2, 2]}, along: x}]",
        "design=[{name: a, target: materials.soft.E, per: element}]"};
    static const int variables[][2] = {{40, 144}, {10, 83}, {64, 64}}; /* of the optimiser and of the engine */
    (void)state;
    for (size_t i = 0; i < sizeof designs / sizeof *designs; i++) {
        pio_scene *scene = NULL;
        pio_model *m = designed(designs[i], &scene);
        const double right = mismatch(m, 1), wrong = mismatch(m, 1.0001);
        print_message("%d variables, %d of the engine: dot products differ by %.2g (limit 1e-14), with one derivative "
                      "scaled by 1.0001 by %.2g (must exceed)\n",
                      m->n_variables, m->n_engine, right, wrong);
        assert_int_equal(m->n_variables, variables[i][0]);
        assert_int_equal(m->n_engine, variables[i][1]);
        assert_true(right < 1e-14);
        assert_true(wrong > 1e-14);
        pio_model_free(m);
        pio_scene_free(scene);
    }
}

/* Young's modulus must be above 0, a pressure may have any sign. */
static void targets_that_share_a_variable_share_its_start_and_the_range_of_all(void **state)
{
    pio_scene *scene = NULL;
    pio_model *m = designed("design=[{name: a, targets: [loads.push.value, materials.soft.E], initial: 8 Pa}]", &scene);
    double values[1];
    (void)state;
    assert_int_equal(m->n_parameters, 2);
    assert_int_equal(m->n_variables, 1);
    assert_int_equal(m->n_engine, 2);
    pio_model_values(m, m->z0, values);
    print_message("the start is %.17g Pa, wanted 8; the least value %.4g Pa, wanted a thousandth of it\n", values[0],
                  m->parameters[0].least);
    assert_true(fabs(values[0] - 8) <= 0);
    assert_true(fabs(m->parameters[0].least - 0.008) < 1e-15);
    assert_true(fabs(m->engine_z0[0] - m->engine_z0[1]) <= 0);
    pio_model_free(m);
    pio_scene_free(scene);
}

/* Two bodies side by side, of other meshes. The part that is held is in the first body, and its step reaches into the
 * second. Control points that are moved by an affine map move the nodes of both by w times it. */
static void bodies_in_one_lattice_move_by_the_same_map(void **state)
{
    static const char *const sets[] = {
        "geometry=[{name: block, type: box, element: quad4, elements: [8, 8], min: [0, 0], max: [1, 1]}, {name: more, "
        "type: box, element: quad8, elements: [3, 5], min: [1, 0], max: [2.5, 1]}]",
        "bodies=[{name: one, geometry: block, material: soft}, {name: two, geometry: more, material: soft}]",
        "design=[{name: a, targets: [bodies.two.rest_position, bodies.one.rest_position], per: lattice, lattice: "
        "{cells: [3, 2], hold: [{min: [0, 0], max: [0, 1]}], ease: 1.4}}]"};
    pio_scene *scene = NULL;
    pio_model *m = model_of(sets, 3, &scene);
    const double A[2][2] = {{0.3, -0.2}, {0.7, 0.4}}, b[2] = {0.1, -0.6};
    double *z = malloc(sizeof *z * (size_t)m->n_variables), *out = malloc(sizeof *out * (size_t)m->n_engine),
           worst[2] = {0};
    (void)state;
    assert_int_equal(m->n_parameters, 2);
    assert_int_equal(m->n_variables, 2 * 4 * 3);
    for (int k = 0; k < 2; k++) assert_int_equal(m->parameters[k].lattice->points, 12);
    for (int p = 0; p < 12; p++)
        for (int c = 0; c < 2; c++) {
            const int32_t *at = m->parameters[1].lattice->at[p];
            z[2 * p + c] = A[c][0] * 2.5 * at[0] / 3 + A[c][1] * at[1] / 2.0 + b[c];
        }
    pio_engine_variables(m, z, out);
    for (int64_t i = 0; i < m->fem->desc.n; i++) {
        const int body = i >= m->fem->node_first[1], k = 1 - body, number = m->designs[k].index[i];
        const double *x = m->fem->rest + 2 * i, aside = x[1] - round(8 * x[1]) / 8; /* of the nearest held node */
        const double s = fmin(hypot(x[0], aside) / 1.4, 1), w = s * s * (3 - 2 * s);
        assert_int_equal(number < 0, x[0] < 1e-9);
        assert_int_equal(m->designs[body].index[i], -1);
        for (int c = 0; c < 2 && number >= 0; c++) {
            const double got = out[m->parameters[k].engine_first + 2 * number + c];
            worst[body] = fmax(worst[body], fabs(got - w * (A[c][0] * x[0] + A[c][1] * x[1] + b[c])));
        }
    }
    print_message("nodes of the first body are off by %.2g, of the second by %.2g (limit 2e-15)\n", worst[0], worst[1]);
    assert_true(fmax(worst[0], worst[1]) < 2e-15);
    free(z);
    free(out);
    pio_model_free(m);
    pio_scene_free(scene);
}

static void refused(const char *design, const char *words)
{
    refused_sets((const char *const[]){geometry, design}, 2, words);
}

static void lattices_that_move_nothing_are_reported_at_their_key(void **state)
{
    (void)state;
    refused("design=[{name: a, " SHAPE "lattice: {cells: [2, 2], min: [3, 3], max: [4, 4]}}]",
            "design[0].lattice: no node of body 'one' would move");
    refused("design=[{name: a, " SHAPE "lattice: {cells: [2, 2], hold: [{group: tip}], ease: 0.1}}]",
            "design[0].lattice.hold[0]: ");
    refused("design=[{name: a, " SHAPE "lattice: {cells: [2, 2], hold: [{min: [2, 2], max: [3, 3]}], ease: 0.1}}]",
            "design[0].lattice.hold[0]: no node of body 'one' lies there");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(control_points_that_move_by_an_affine_map_move_nodes_by_it),
        cmocka_unit_test(nodes_near_held_ones_move_by_a_smooth_step),
        cmocka_unit_test(a_box_inside_a_body_keeps_its_cut_side),
        cmocka_unit_test(the_map_to_the_engine_and_its_adjoint_are_transposes),
        cmocka_unit_test(targets_that_share_a_variable_share_its_start_and_the_range_of_all),
        cmocka_unit_test(bodies_in_one_lattice_move_by_the_same_map),
        cmocka_unit_test(lattices_that_move_nothing_are_reported_at_their_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
