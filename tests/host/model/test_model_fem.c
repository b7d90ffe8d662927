/* test_model_fem.c -- a scene of finite elements as an engine gets it, and faults that only its meshes show. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/host/model/model_helpers.h"
#include "tests/host/scene/load_scene.h"

static void refused(const char *set, const char *words)
{
    refused_sets(&set, 1, words);
}

static void what_the_meshes_lack_is_reported_at_its_key(void **state)
{
    (void)state;
    refused("boundary=[{name: a, body: one, on: {group: botom}, type: fixed}]", "boundary[0].on: ");
    refused("boundary=[{name: a, body: one, on: {min: [2, 2], max: [3, 3]}, type: fixed}]",
            "boundary[0].on: no node of body 'one' lies there");
    refused("boundary=[{name: a, body: one, on: {group: bottom}, type: fixed}, "
            "{name: b, body: one, on: {group: left}, type: displacement, value: 1}]",
            "boundary[1].on: the node at (0, 0) is constrained along x by 'a' already");
    refused("loads=[{name: a, body: one, on: {min: [0.4, 0.4], max: [0.6, 0.6]}, type: pressure, value: 1}]",
            "loads[0].on: no outer face of body 'one' lies there");
    refused("bodies=[{name: one, geometry: block, material: soft, regions: [{on: {min: [2, 2], max: [3, 3]}, "
            "material: soft}]}]",
            "bodies[0].regions[0].on: no element lies there");
    refused("geometry=[{name: block, type: mesh, file: tet.msh}]", "geometry[0].file: the mesh is 3D");
    refused("loads=[{name: a, body: one, type: body_force, on: {min: [2, 2], max: [3, 3]}, value: [1, 0]}]",
            "loads[0].on: no element lies there");
    refused("geometry=[{name: block, type: quadrilateral, element: quad4, elements: [2, 2], "
            "corners: [0, 0, 0, 1, 1, 1, 1, 0]}]",
            "geometry[0]");
    refused("materials=[{name: soft, model: mooney_rivlin, c10: '1 kPa*(1 - 2*x/(1 m))', c01: 0, bulk: 1 MPa}]",
            "materials[0].c10: at (0.75, 0.25): c10 + c01 = -500 Pa; half the shear modulus must be above 0");
}

/* Rings have no negative radius, and on the axis nothing moves along x. */
static void rings_begin_at_the_axis(void **state)
{
    (void)state;
    const char *sets[] = {"method={type: fem, dimension: 2, plane: axisymmetric}",
                          "bodies=[{name: one, geometry: block, material: soft, position: [-0.25, 0]}]", NULL};
    refused_sets(sets, 2, "bodies[0].geometry: a node is at (-0.25, 0); x is the radius of rings, and at least 0");
    sets[1] = "boundary=[{name: a, body: one, on: {group: bottom}, type: fixed, axes: [y]}]";
    refused_sets(sets, 2,
                 "method.plane: the node of body 'one' at (0, 0) is on the axis, where nothing moves along x; fix x "
                 "there");
    sets[1] = "boundary=[{name: a, body: one, on: {group: left}, type: displacement, value: 1 mm}]";
    refused_sets(sets, 2, "method.plane: the node of body 'one' at (0, 0) is on the axis");
    sets[1] = "boundary=[{name: a, body: one, on: {group: left}, type: fixed}]";
    static const char *const moves[] = {
        "design=[{name: d, target: bodies.one.rest_position}]",
        "design=[{name: d, target: bodies.one.rest_position, per: node}]",
        "design=[{name: d, target: bodies.one.rest_position, per: node, on: {group: left}, along: normal}]"};
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++) {
        sets[2] = moves[i];
        refused_sets(sets, 3, "design[0]: it would move the node at (0, 0");
    }
    sets[2] = "design=[{name: d, target: bodies.one.rest_position, per: node, along: y}]";
    pio_scene *scene = NULL;
    pio_model *m = model_of(sets, 3, &scene);
    assert_int_equal(m->fem->desc.plane, PIO_AXISYMMETRIC);
    pio_model_free(m);
    pio_scene_free(scene);
}

/* What a scene that meshes itself is rejected for when it is read, a file shows when its mesh is. */
static void a_projected_dilatation_needs_an_element_with_a_use_for_it(void **state)
{
    (void)state;
    const char *sets[] = {"geometry=[{name: block, type: mesh, file: tri.msh}]",
                          "bodies=[{name: one, geometry: block, material: soft, dilatation: projected}]"};
    refused_sets(sets, 2, "bodies[0].dilatation: the mesh has linear triangles or tetrahedra alone");
    sets[0] = "geometry=[{name: block, type: mesh, file: wide.msh}]";
    pio_scene *scene = NULL;
    pio_model *m = model_of(sets, 2, &scene);
    assert_int_equal(m->fem->desc.blocks[0].dilatation, PIO_DILATATION_PROJECTED);
    pio_model_free(m);
    pio_scene_free(scene);
}

/* Two bodies: nodes and elements follow each other; supports, loads and designs meet their own. */
static void bodies_are_numbered_one_after_the_other(void **state)
{
    (void)state;
    static const char *const sets[] = {
        "bodies=[{name: one, geometry: block, material: soft}, {name: two, geometry: block, material: soft, position: "
        "[5, 0], thickness: 0.5}]",
        "loads=[{name: push, body: two, on: {group: top}, type: force, value: [0 N, 3 N]}]",
        "design=[{name: d, target: bodies.two.E, per: element}, {name: e, target: materials.soft.E}]"};
    pio_scene *scene = NULL;
    pio_model *m = model_of(sets, 3, &scene);
    const pio_fem_desc *d = &m->fem->desc;
    assert_int_equal(d->n, 18);
    assert_int_equal(pio_model_items(m, false), 8);
    assert_int_equal(d->n_blocks, 2);
    for (int i = 0; i < 16; i++) {
        assert_in_range(d->blocks[0].nodes[i], 0, 8);
        assert_in_range(d->blocks[1].nodes[i], 9, 17);
    }
    assert_true(fabs(d->rest[2 * 9] - 5) < 1e-12);
    assert_int_equal(d->n_constrained, 6); /* the floor of the first body */
    for (int i = 0; i < d->n_constrained; i++) assert_in_range(d->constrained_node[i], 0, 8);
    assert_int_equal(d->loads[0].n, 2);
    for (int i = 0; i < 2; i++) assert_in_range(d->loads[0].owner[i], 4, 7);
    assert_true(d->loads[0].total && fabs(d->loads[0].scale - 1) <= 0); /* the engine spreads it */
    for (int e = 0; e < 8; e++) {                                       /* the second body has an entry of its own */
        assert_int_equal(m->designs[0].index[e], e < 4 ? -1 : e - 4);
        assert_int_equal(m->designs[1].index[e], e < 4 ? 0 : -1);
    }
    pio_model_free(m);
    pio_scene_free(scene);
}

/* Two rollers that share a corner: each reaction counts what its own support holds, and nothing twice. */
static void a_reaction_is_that_of_the_unknowns_its_support_holds(void **state)
{
    (void)state;
    static const char *const sets[] = {
        "boundary=[{name: left, body: one, on: {group: left}, type: fixed, axes: x}, "
        "{name: floor, body: one, on: {group: bottom}, type: fixed, axes: y}]",
        "observe=[{name: a, type: reaction, boundary: left}, {name: b, type: reaction, boundary: floor}]"};
    pio_scene *scene = NULL;
    pio_model *m = model_of(sets, 2, &scene);
    const double *left = m->observations[0].weight, *floor_ = m->observations[1].weight;
    double sum[2][2] = {{0}};
    for (int i = 0; i < 2 * (int)m->fem->desc.n; i++) {
        sum[0][i % 2] += left[i];
        sum[1][i % 2] += floor_[i];
    }
    print_message("left holds %g along x and %g along y, floor %g and %g\n", sum[0][0], sum[0][1], sum[1][0],
                  sum[1][1]);
    assert_true(sum[0][0] == 3 && sum[0][1] == 0 && sum[1][0] == 0 && sum[1][1] == 3);
    pio_model_free(m);
    pio_scene_free(scene);
}

/* Two squares, a group of facets between them, one of those and an outer one: a load on either is refused, on the side
 * it is not. */
static void a_load_on_faces_inside_a_body_is_refused(void **state)
{
    static const char *const types[] = {"pressure, value: 1", "traction, value: [1, 0]", "follower_pressure, value: 1",
                                        "foundation, value: 1", "force, value: [1, 0]"};
    static const struct {
        const char *group, *words;
    } list[] = {
        {"middle", "loads[0].on: 1 of the 1 faces of the group 'middle' lie inside the body, between two elements"},
        {"both", "loads[0].on: 1 of the 2 faces of the group 'both' lie inside the body"},
        {"left", NULL}};
    (void)state;
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t k = 0; k < 3; k++) {
            char load[200];
            snprintf(load, sizeof load, "loads=[{name: a, body: one, on: {group: %s}, type: %s}]", list[k].group,
                     types[t]);
            const char *const sets[] = {"geometry=[{name: block, type: mesh, file: inner.msh}]",
                                        "boundary=[{name: a, body: one, on: {group: left}, type: fixed}]",
                                        "observe=[{name: a, type: volume, body: one}]", load};
            pio_scene *scene = NULL;
            pio_model *m = NULL;
            piola_error error = {0};
            if (load_scene(&scene, BASE, sets, 4, stderr, &error)) fail_msg("%s", error.message);
            const piola_status rc = pio_model_create(&m, scene, &error);
            assert_int_equal(rc, list[k].words ? PIOLA_BAD_DATA : PIOLA_OK);
            if (rc) print_message("%.*s\n", (int)strcspn(error.message, "\n"), error.message);
            if (rc && !strstr(error.message, list[k].words)) fail_msg("the message lacks '%s'", list[k].words);
            if (!rc) pio_model_free(m);
            pio_scene_free(scene);
        }
}

/* A bar that is 0.2 m thick, lying or upright, with obstacles that push from 0.01 m and from a little less or more than
 * that. */
static void an_obstacle_that_pushes_all_through_a_body_is_refused(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        char far[200];
        snprintf(far, sizeof far,
                 "obstacles=[{name: near, type: plane, normal: [0, 1], position: [0, -3], distance: 0.01}, "
                 "{name: far, type: plane, normal: [0, 1], position: [0, -3], distance: %g}]",
                 k % 2 ? 0.201 : 0.199);
        const char *const sets[] = {
            k / 2 ? "geometry=[{name: block, type: box, element: tri6, elements: [5, 2], min: [0, 0], max: [1, 0.2]}]"
                  : "geometry=[{name: block, type: box, element: quad4, elements: [2, 5], min: [0, 0], max: [0.2, 1]}]",
            "boundary=[]", "loads=[]", far};
        pio_scene *scene = NULL;
        if (k % 2) {
            refused_sets(sets, 4,
                         "obstacles[1].distance: the obstacle would push from 0.201 m away, all through the "
                         "body 'one', which is 0.2 m thick");
            continue;
        }
        pio_model_free(model_of(sets, 4, &scene));
        pio_scene_free(scene);
    }
}

/* A body force of the second body acts on its elements, or on those of its place; springs share their total; a
 * foundation has one number or one per axis. */
static void loads_that_are_no_tractions_reach_the_engine(void **state)
{
    static const char *const sets[] = {
        "bodies=[{name: one, geometry: block, material: soft}, {name: two, geometry: block, material: soft}]",
        "loads=[{name: a, body: two, type: body_force, value: [1, 2]}, {name: b, body: two, type: body_force, on: "
        "{min: "
        "[0, 0], max: [0.5, 1]}, value: [3, 4]}, {name: c, body: one, on: {group: top}, type: springs, value: [6, 0]}, "
        "{name: d, body: one, on: {group: top}, type: foundation, value: 7}, {name: e, body: one, on: {group: top}, "
        "type: "
        "foundation, value: [8, 9]}, {name: f, body: one, on: {group: top}, type: follower_pressure, value: 5}]",
        "design=[{name: k, target: loads.c.value}, {name: n, target: loads.d.value}]"};
    static const pio_load_kind kinds[] = {PIO_BODY_FORCE, PIO_BODY_FORCE, PIO_SPRINGS,
                                          PIO_FOUNDATION, PIO_SPRINGS,    PIO_FOLLOWER};
    static const int counts[] = {4, 2, 3, 2, 2, 2};
    pio_scene *scene = NULL;
    pio_model *m = model_of(sets, 3, &scene);
    const pio_fem_desc *d = &m->fem->desc;
    (void)state;
    assert_int_equal(d->n_loads, 6);
    for (int l = 0; l < 6; l++) {
        assert_int_equal(d->loads[l].kind, kinds[l]);
        assert_int_equal(d->loads[l].n, counts[l]);
        assert_int_equal(d->loads[l].curve, l >= 2 && l < 5 ? -1 : 0);
        assert_int_equal(d->loads[l].vertices == NULL, l < 2);
    }
    for (int i = 0; i < 4; i++) assert_int_equal(d->loads[0].owner[i], 4 + i);
    for (int i = 0; i < 2; i++) assert_int_equal(d->loads[1].owner[i], 4 + 2 * i);
    print_message("fraction of each of three nodes in springs: %.17g\n", d->loads[2].scale);
    assert_true(fabs(d->loads[2].scale - 1.0 / 3) < 1e-15);
    assert_int_equal(m->designs[0].components, 2);
    assert_int_equal(m->designs[1].components, 1);
    pio_model_free(m);
    pio_scene_free(scene);
}

/* A displacement with a number for each axis is as many supports; observations and designs know them as one. */
static void a_support_may_have_a_displacement_for_each_axis(void **state)
{
    static const char *const sets[] = {"boundary=[{name: floor, body: one, on: {group: bottom}, type: fixed}, {name: "
                                       "pull, body: one, on: {group: top}, "
                                       "type: displacement, axes: [y, x], value: [1 mm, 2 mm]}]",
                                       "observe=[{name: a, type: reaction, boundary: pull}]",
                                       "design=[{name: d, target: boundary.pull.value}]"};
    pio_scene *scene = NULL;
    pio_model *m = model_of(sets, 3, &scene);
    const pio_fem_desc *d = &m->fem->desc;
    double weight[2] = {0};
    (void)state;
    assert_int_equal(d->n_supports, 3);
    for (int h = 0; h < d->n_constrained; h++) {
        const bool top = d->rest[2 * d->constrained_node[h] + 1] > 0.5;
        const double want = !top ? 0 : d->constrained_axis[h] == 1 ? 1e-3 : 2e-3;
        assert_true(fabs(d->support_value[d->constrained_support[h]] - want) < 1e-18);
    }
    for (int i = 0; i < 2 * (int)d->n; i++) weight[i % 2] += m->observations[0].weight[i];
    print_message("unknowns of the reaction: %g along x, %g along y\n", weight[0], weight[1]);
    assert_true(fabs(weight[0] - 3) <= 0 && fabs(weight[1] - 3) <= 0);
    assert_int_equal(m->designs[0].components, 2);
    assert_int_equal(m->designs[0].which, 1);
    pio_model_free(m);
    pio_scene_free(scene);
}

static void regions_take_their_elements_and_the_last_one_wins(void **state)
{
    (void)state;
    static const char *const sets[] = {
        "materials=[{name: soft, model: neo_hookean, E: 1, nu: 0.2}, {name: hard, model: ogden, mu1: 2, alpha1: 2, "
        "bulk: "
        "9}]",
        "bodies=[{name: one, geometry: block, material: soft, regions: [{on: {group: all}, material: hard}, {on: {min: "
        "[0, 0], max: [0.5, 1]}, material: soft}]}]",
        "design=[{name: d, target: materials.hard.bulk}]"};
    pio_scene *scene = NULL;
    pio_model *m = model_of(sets, 3, &scene);
    for (int e = 0; e < 4; e++) {
        const int hard = e % 2; /* x runs fastest */
        assert_int_equal(m->fem->material[e], hard);
        assert_int_equal(m->fem->desc.law[e], hard ? PIO_HYPER_OGDEN : PIO_HYPER_NEO_HOOKEAN);
        assert_true(fabs(m->fem->desc.law_parameters[5 * e + 4] - (hard ? 9 : 0)) < 1e-15);
        assert_int_equal(m->designs[0].index[e], hard ? 0 : -1);
    }
    assert_int_equal(m->designs[0].quantity, PIO_LAW_PARAMETER_4);
    pio_model_free(m);
    pio_scene_free(scene);
}

static void an_integral_counts_the_elements_of_its_place_and_no_others(void **state)
{
    (void)state;
    static const char *const sets[] = {
        "bodies=[{name: one, geometry: block, material: soft}, {name: two, geometry: block, material: soft}]",
        "observe=[{name: a, type: volume, body: two}, {name: b, type: strain_energy, body: two, on: {min: [0, 0], max: "
        "[0.5, 1]}}, {name: c, type: von_mises, body: one, on: {group: all}, measure: pnorm, p: 4}]"};
    static const double want[3][8] = {{0, 0, 0, 0, 1, 1, 1, 1}, {0, 0, 0, 0, 1, 0, 1, 0}, {1, 1, 1, 1, 0, 0, 0, 0}};
    pio_scene *scene = NULL;
    pio_model *m = model_of(sets, 2, &scene);
    for (int o = 0; o < 3; o++)
        for (int e = 0; e < 8; e++) assert_true(fabs(m->observations[o].weight[e] - want[o][e]) <= 0);
    print_message("p = %g, a stress of 1e-4 of the shear modulus: %.9g Pa\n", m->observations[2].power,
                  m->observations[2].size);
    assert_true(fabs(m->observations[2].power - 4) <= 0);
    assert_true(fabs(m->observations[2].size - 1000 / 2.4 * 1e-4) < 1e-12);
    pio_model_free(m);
    pio_scene_free(scene);
    refused("observe=[{name: a, type: volume, body: one, on: {group: botom}}]", "observe[0].on: ");
    refused("observe=[{name: a, type: volume, body: one, on: {min: [2, 2], max: [3, 3]}}]",
            "observe[0].on: no element lies there");
}

/* The middle of four elements, numbered from 4 on, and the middle of one. */
static void a_point_is_observed_in_the_elements_that_have_it(void **state)
{
    (void)state;
    static const char *const sets[] = {
        "bodies=[{name: one, geometry: block, material: soft}, {name: two, geometry: block, material: soft}]",
        "observe=[{name: a, type: von_mises, body: two, point: [0.5, 0.5]}, {name: b, type: displacement, body: two, "
        "point: [0.75, 0.25]}, {name: c, type: rotation, body: one, point: [1, 0.1]}]"};
    static const double corner[4][2] = {{1, 1}, {-1, 1}, {1, -1}, {-1, -1}};
    pio_scene *scene = NULL;
    pio_model *m = model_of(sets, 2, &scene);
    const pio_observation_desc *d = m->observations;
    double sum = 0;
    assert_int_equal(d[0].places, 4);
    for (int k = 0; k < 4; k++) {
        assert_int_equal(d[0].place_element[k], 4 + k);
        for (int a = 0; a < 2; a++) assert_true(fabs(d[0].place_xi[3 * k + a] - corner[k][a]) < 1e-14);
    }
    for (int i = 0; i < 36; i++) {
        assert_true(d[1].weight[i] <= 0 || fabs(d[1].weight[i] - 0.25) < 1e-15);
        sum += d[1].weight[i];
    }
    assert_true(fabs(sum - 2) < 1e-14);
    assert_int_equal(d[2].places, 1);
    assert_int_equal(d[2].place_element[0], 1);
    pio_model_free(m);
    pio_scene_free(scene);
    refused(
        "observe=[{name: a, type: J, body: one, point: [2, 0.5]}]",
        "observe[0].point: [2, 0.5] m lies in no element of body 'one' at rest; the nearest point of its mesh is [1, "
        "0.5] m, 1 m away");
    refused(
        "observe=[{name: a, type: displacement, body: one, point: [0.5, -0.25]}]",
        "observe[0].point: [0.5, -0.25] m lies in no element of body 'one' at rest; the nearest point of its mesh is "
        "[0.5, 0] m, 0.25 m away");
    refused("observe=[{name: a, type: displacement, body: one, point: [1.9, 0.31]}]",
            "the nearest point of its mesh is [1, 0.31] m, 0.9 m away"); /* without the rounding of the search */
}

/* Rows of a table whose points are places at rest: two points at two times, of which one has no place at the first. */
static void measured_places_have_the_shape_functions_of_their_elements(void **state)
{
    (void)state;
    const char *set = "observe=[{name: a, type: distance, body: one, points: {file: rest_places.csv}}]";
    pio_scene *scene = NULL;
    pio_model *m = model_of(&set, 1, &scene);
    const pio_observation_desc *d = m->observations;
    assert_int_equal(d->rows, 2);
    assert_int_equal(d->samples, 2);
    assert_null(d->marker);
    assert_true(isnan(d->points[2]) && isnan(d->points[3]) && !isnan(d->points[6]));
    for (int r = 0; r < 2; r++) {
        const double X[2] = {r ? 0.75 : 0.25, 0.5};
        double at[2] = {0}, sum = 0;
        for (int j = d->row_start[r]; j < d->row_start[r + 1]; j++) {
            sum += d->row_shape[j];
            for (int a = 0; a < 2; a++) at[a] += d->row_shape[j] * m->fem->rest[2 * d->row_node[j] + a];
            int back = 0; /* in the transpose too */
            for (int k = d->node_start[d->row_node[j]]; k < d->node_start[d->row_node[j] + 1]; k++)
                back += d->node_row[k] == r && fabs(d->node_shape[k] - d->row_shape[j]) <= 0;
            assert_int_equal(back, 1);
        }
        assert_true(fabs(sum - 1) < 1e-15 && fabs(at[0] - X[0]) < 1e-15 && fabs(at[1] - X[1]) < 1e-15);
    }
    assert_int_equal(d->node_start[m->fem->desc.n], d->row_start[2]);
    pio_model_free(m);
    pio_scene_free(scene);
    refused(
        "observe=[{name: a, type: distance, body: one, points: {file: outside.csv}}]",
        "outside.csv:3:3: error: [2, 0.5] m lies in no element of body 'one' at rest; the nearest point of its mesh is "
        "[1, 0.5] m, 1 m away");
    refused("observe=[{name: a, type: distance, body: one, points: {file: places_twice.csv}}]",
            "places_twice.csv:3:3: error: this place at rest has two points at 1 s");
}

static void tolerances_that_are_not_given_fit_the_precision_of_the_computation(void **state)
{
    (void)state;
    static const char *const sets[] = {"method.precision=f32", "solver={tolerance: 1e-6}"};
    for (int is_set = 0; is_set < 2; is_set++) {
        pio_scene *scene = NULL;
        pio_model *m = model_of(sets, (size_t)is_set + 1, &scene);
        const pio_fem_desc *d = &m->fem->desc;
        const double of_scene[2] = {d->newton_tolerance, d->adjoint_tolerance};
        pio_model_precision(m, false); /* as `piola check` does */
        print_message("f32: %g and %g, in f64: %g and %g\n", of_scene[0], of_scene[1], d->newton_tolerance,
                      d->adjoint_tolerance);
        assert_true(fabs(of_scene[0] - (is_set ? 1e-6 : 1e-3)) < 1e-12 && fabs(of_scene[1] - 1e-3) < 1e-12);
        assert_true(fabs(d->newton_tolerance - (is_set ? 1e-6 : 1e-10)) < 1e-15);
        assert_true(fabs(d->adjoint_tolerance - 1e-10) < 1e-15);
        pio_model_free(m);
        pio_scene_free(scene);
    }
}

/* What is not bounded keeps to its own range: nu from 0.2 in (-1, 0.5), thickness from 1 above 0, E as a logarithm
 * anywhere; a load has no range, and stiffnesses may be 0. */
static void designs_without_bounds_keep_to_the_range_of_their_quantity(void **state)
{
    (void)state;
    static const char *const sets[] = {
        "loads=[{name: push, body: one, on: {group: top}, type: pressure, value: 10 Pa}, "
        "{name: bed, body: one, on: {group: left}, type: foundation, value: 5 N/m3}]",
        "design=[{name: a, target: materials.soft.nu}, {name: b, target: bodies.one.thickness, per: element}, "
        "{name: c, target: materials.soft.E, transform: log}, {name: d, target: loads.push.value}, "
        "{name: e, target: loads.bed.value}]"};
    static const double want[5][2] = {
        {-1 + 1.2e-3, 0.5 - 0.3e-3}, {1e-3, INFINITY}, {-INFINITY, INFINITY}, {-INFINITY, INFINITY}, {0, INFINITY}};
    pio_scene *scene = NULL;
    pio_model *m = model_of(sets, 2, &scene);
    assert_int_equal(m->n_parameters, 5);
    for (int k = 0; k < 5; k++) {
        const pio_parameter *p = &m->parameters[k];
        const pio_design_desc *d = &m->designs[k];
        assert_true(isinf(p->lower) && isinf(p->upper));
        for (int v = p->first; v < p->first + p->groups * p->components; v++) {
            const double least = d->a + d->b * m->lower[v], most = d->a + d->b * m->upper[v];
            if (v == p->first) print_message("  %s: %.9g to %.9g\n", p->path, least, most);
            assert_true(isinf(want[k][0]) ? isinf(least) && least < 0 : fabs(least - want[k][0]) < 1e-15);
            assert_true(isinf(want[k][1]) ? isinf(most) && most > 0 : fabs(most - want[k][1]) < 1e-15);
            assert_true(m->lower[v] < m->z0[v] && m->z0[v] < m->upper[v]);
        }
    }
    pio_model_free(m);
    pio_scene_free(scene);
}

/* A square of 100 in a file may be metres or millimetres. */
static void a_mesh_of_a_hundred_metres_is_warned_of_until_it_has_a_scale(void **state)
{
    static const char *const scales[] = {"", ", scale: 0.001", ", scale: 1", ", scale: 50"};
    static const char *const words[] = {"the box is 100 m long: a file's lengths are metres", NULL, NULL,
                                        "the box is 5000 m long, after its scale"};
    (void)state;
    for (int k = 0; k < 4; k++) {
        char geometry[128], text[512] = "";
        const char *const sets[] = {geometry};
        pio_scene *scene = NULL;
        snprintf(geometry, sizeof geometry, "geometry=[{name: block, type: mesh, file: wide.msh%s}]", scales[k]);
        pio_model *m = model_of(sets, 1, &scene);
        const bool warned = pio_model_warning(m, 0, text, sizeof text);
        print_message("%s: %s\n", geometry, warned ? text : "no word");
        assert_int_equal(warned, words[k] != NULL);
        assert_true(!warned || strstr(text, words[k]));
        assert_false(pio_model_warning(m, 1, text, sizeof text));
        const double length = m->fem->rest[2 * 2] - m->fem->rest[0];
        assert_true(fabs(length - 100 * (k == 1 ? 0.001 : k == 3 ? 50 : 1)) < 1e-9);
        pio_model_free(m);
        pio_scene_free(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_meshes_lack_is_reported_at_its_key),
        cmocka_unit_test(a_projected_dilatation_needs_an_element_with_a_use_for_it),
        cmocka_unit_test(bodies_are_numbered_one_after_the_other),
        cmocka_unit_test(a_reaction_is_that_of_the_unknowns_its_support_holds),
        cmocka_unit_test(a_load_on_faces_inside_a_body_is_refused),
        cmocka_unit_test(an_obstacle_that_pushes_all_through_a_body_is_refused),
        cmocka_unit_test(rings_begin_at_the_axis),
        cmocka_unit_test(loads_that_are_no_tractions_reach_the_engine),
        cmocka_unit_test(a_support_may_have_a_displacement_for_each_axis),
        cmocka_unit_test(regions_take_their_elements_and_the_last_one_wins),
        cmocka_unit_test(a_point_is_observed_in_the_elements_that_have_it),
        cmocka_unit_test(measured_places_have_the_shape_functions_of_their_elements),
        cmocka_unit_test(an_integral_counts_the_elements_of_its_place_and_no_others),
        cmocka_unit_test(designs_without_bounds_keep_to_the_range_of_their_quantity),
        cmocka_unit_test(tolerances_that_are_not_given_fit_the_precision_of_the_computation),
        cmocka_unit_test(a_mesh_of_a_hundred_metres_is_warned_of_until_it_has_a_scale)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
