/* test_model_shape.c -- a part of a body's surface as a design: its nodes, their directions and filter, and the
 * nodes that follow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/host/model/model_helpers.h"

#define SHAPE "target: bodies.one.rest_position, per: node, "

static const char *geometry =
    "geometry=[{name: block, type: box, element: quad4, elements: [4, 4], min: [0, 0], max: [1, 1]}]";

static pio_model *designed(const char *design, pio_scene **scene)
{
    return model_of((const char *const[]){geometry, design}, 2, scene);
}

/* On the top of 5 x 5 nodes: five nodes that move along y; the nine inside follow along both axes, those of the sides
 * along y and those of the floor along x, and the lower corners stay. */
static void a_moved_edge_is_followed_by_what_can_follow(void **state)
{
    pio_scene *scene = NULL;
    pio_model *m = designed("design=[{name: a, " SHAPE "on: {group: top}, along: y}]", &scene);
    int moved = 0, sets[4] = {0};
    (void)state;
    assert_int_equal(m->n_variables, 5);
    for (int64_t i = 0; i < m->fem->desc.n; i++) {
        const double x = m->fem->rest[2 * i], y = m->fem->rest[2 * i + 1];
        const bool top = y > 0.99, floor = y < 0.01, side = x < 0.01 || x > 0.99;
        const int want = top ? 0 : side && floor ? 0 : side ? 2 : floor ? 1 : 3;
        assert_int_equal(m->designs[0].index[i] >= 0, top);
        assert_true(!top || fabs(m->designs[0].direction[2 * i + 1] - 1) <= 0);
        assert_int_equal(m->fem->desc.follows[i], want);
        moved += top;
        sets[want]++;
    }
    print_message("%d nodes moved; %d stay or are moved, %d follow along x, %d along y, %d along both\n", moved,
                  sets[0], sets[1], sets[2], sets[3]);
    pio_model_free(m);
    pio_scene_free(scene);
}

/* The normals of a disc's edge are radii, to the chord's order; a plate has a quarter of a hole, outward is inward
 * there. */
static void normals_point_out_of_the_body(void **state)
{
    static const char *const plate =
        "geometry=[{name: block, type: plate, element: quad9, elements: [3, 8], radius: 0.2, size: 1}]";
    pio_scene *scene = NULL;
    pio_model *m = model_of(
        (const char *const[]){plate, "boundary=[{name: a, body: one, on: {group: symmetry_x}, type: fixed}]",
                              "loads=[{name: push, body: one, on: {group: right}, type: pressure, value: 1}]",
                              "observe=[{name: v, type: volume, body: one}]",
                              "design=[{name: a, " SHAPE "on: {group: hole}, along: normal, mesh_update: none}]"},
        5, &scene);
    double worst = 0;
    (void)state;
    assert_null(m->fem->desc.follows);
    for (int64_t i = 0; i < m->fem->desc.n; i++) {
        const double *x = m->fem->rest + 2 * i, *n = m->designs[0].direction + 2 * i, r = hypot(x[0], x[1]);
        if (m->designs[0].index[i] < 0) continue;
        assert_true(fabs(r - 0.2) < 1e-12);
        worst = fmax(worst, hypot(n[0] + x[0] / r, n[1] + x[1] / r));
    }
    print_message("%d nodes of the hole: normals differ from the radii inward by %.2g, threshold 0.11\n",
                  m->n_variables, worst);
    assert_int_equal(m->n_variables, 17);
    assert_true(worst < 0.11); /* half of a face's angle at the ends: pi/2/8/2 */
    pio_model_free(m);
    pio_scene_free(scene);
}

/* Weights (1 - d/radius) area: on an edge of spacing 1/4 the end nodes have half the area of the others. */
static void a_filter_of_a_surface_is_a_mean_weighted_by_area(void **state)
{
    pio_scene *scene = NULL;
    pio_model *m = designed("design=[{name: a, " SHAPE "on: {group: top}, filter: {type: cone, radius: 0.5}}]", &scene);
    double ones[10], z[10] = {0}, out[10];
    (void)state;
    assert_int_equal(m->n_variables, 10);
    for (int v = 0; v < 10; v++) ones[v] = 1;
    pio_model_filtered(m, ones, out);
    for (int v = 0; v < 10; v++) assert_true(fabs(out[v] - 1) < 1e-15);
    int end = -1, next = -1;
    for (int64_t i = 0; i < m->fem->desc.n; i++) {
        const double x = m->fem->rest[2 * i];
        if (m->designs[0].index[i] >= 0 && x < 0.01) end = m->designs[0].index[i];
        if (m->designs[0].index[i] >= 0 && fabs(x - 0.25) < 0.01) next = m->designs[0].index[i];
    }
    z[2 * end + 1] = 1; /* y of the left corner: 0.5 of 0.5 + 0.5 there, 0.25 of 0.25 + 1 + 0.5 beside it */
    pio_model_filtered(m, z, out);
    print_message("a corner's shift counts %.6f there, wanted 0.5, and %.6f beside it, wanted %.6f\n", out[2 * end + 1],
                  out[2 * next + 1], 0.25 / 1.75);
    assert_true(fabs(out[2 * end + 1] - 0.5) < 1e-12);
    assert_true(fabs(out[2 * next + 1] - 0.25 / 1.75) < 1e-12);
    assert_true(fabs(out[2 * end]) <= 0 && fabs(out[2 * next]) <= 0); /* x is apart */
    pio_model_free(m);
    pio_scene_free(scene);
}

static void refused(const char *design, const char *words)
{
    refused_sets((const char *const[]){geometry, design}, 2, words);
}

static void what_cannot_be_a_shape_is_reported_at_its_key(void **state)
{
    (void)state;
    refused("design=[{name: a, " SHAPE "on: {group: tip}}]", "design[0].on: ");
    refused("design=[{name: a, " SHAPE "on: {min: [2, 2], max: [3, 3]}}]",
            "design[0].on: no node of body 'one' lies there");
    refused("design=[{name: a, " SHAPE "on: {min: [0, 0], max: [0.6, 0.6]}, filter: {type: cone, radius: 0.3}}]",
            "design[0].filter: the node at (0.5, 0.5) of body 'one' is on no outer face");
    refused("design=[{name: a, " SHAPE "on: {min: [0.5, 0.5], max: [0.5, 1]}, along: normal}]",
            "design[0].along: the node at (0.5, 0.5) is on no outer face");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_moved_edge_is_followed_by_what_can_follow),
        cmocka_unit_test(normals_point_out_of_the_body),
        cmocka_unit_test(a_filter_of_a_surface_is_a_mean_weighted_by_area),
        cmocka_unit_test(what_cannot_be_a_shape_is_reported_at_its_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
