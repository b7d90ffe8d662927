/* test_mesh_locate.c -- the elements in which a point lies, its place in them, and the nearest point of a mesh. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "host/mesh/mesh.h"

#include <math.h>
#include <stdlib.h>

static const pio_element_type types[] = {PIO_TRI3, PIO_TRI6,  PIO_QUAD4, PIO_QUAD8, PIO_QUAD9,
                                         PIO_TET4, PIO_TET10, PIO_HEX8,  PIO_HEX20, PIO_HEX27};
enum { TYPES = sizeof types / sizeof *types, FEW = 64 };

/* splitmix64 (Steele, Lea and Flood 2014), as a number from -1 to 1. */
static double number(uint64_t *seed)
{
    uint64_t x = *seed += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return ldexp((double)((x ^ x >> 31) >> 11), -52) - 1;
}

/* A box of cells of edge 1 whose nodes are moved by up to `amount`. */
static void irregular(pio_mesh *mesh, pio_element_type type, double amount)
{
    const int32_t count[3] = {3, 2, 2};
    const double origin[3] = {0, 0, 0}, size[3] = {3, 2, 2};
    piola_error error;
    uint64_t seed = 3;
    assert_int_equal(pio_mesh_box(mesh, type, count, origin, size, &error), PIOLA_OK);
    for (int32_t i = 0; i < 3 * mesh->n_nodes; i++)
        if (i % 3 < mesh->dimension) mesh->x[i] += amount * number(&seed);
}

/* A point within the reference element. */
static void inner(const pio_element *e, uint64_t *seed, double r[3])
{
    double sum = 0;
    for (int a = 0; a < 3; a++) r[a] = 0;
    for (int a = 0; a < e->dimension; a++) {
        r[a] = number(seed);
        if (e->corners == e->dimension + 1) sum += r[a] = 0.02 + 0.48 * (1 + r[a]);
    }
    for (int a = 0; a < e->dimension && sum > 0.98; a++) r[a] *= 0.98 / sum;
}

static void place_of(const pio_mesh *mesh, int32_t cell, const double r[3], double x[3])
{
    pio_element_type type;
    double N[PIO_ELEMENT_NODES];
    const int32_t *nodes = pio_mesh_element(mesh, cell, &type);
    pio_element_values(type, r, N);
    for (int a = 0; a < 3; a++) {
        x[a] = 0;
        for (int k = 0; k < pio_elements[type].nodes; k++) x[a] += N[k] * mesh->x[3 * (size_t)nodes[k] + (size_t)a];
    }
}

/* The values are 1 at the node and 0 at the others, and their differences are the gradients. */
static void values_are_those_of_the_nodes_and_of_the_gradients(void **unused)
{
    uint64_t seed = 1;
    (void)unused;
    for (int t = 0; t < TYPES; t++) {
        const pio_element *e = &pio_elements[types[t]];
        double N[PIO_ELEMENT_NODES], gradient[PIO_ELEMENT_NODES][3], r[3], worst = 0, slope = 0;
        for (int n = 0; n < e->nodes; n++) {
            pio_element_values(types[t], e->place[n], N);
            for (int a = 0; a < e->nodes; a++) worst = fmax(worst, fabs(N[a] - (a == n)));
        }
        inner(e, &seed, r);
        pio_element_gradients(types[t], r, gradient);
        for (int c = 0; c < e->dimension; c++) {
            double low[PIO_ELEMENT_NODES], at[3] = {r[0], r[1], r[2]};
            at[c] = r[c] + 1e-4;
            pio_element_values(types[t], at, N);
            at[c] = r[c] - 1e-4;
            pio_element_values(types[t], at, low);
            for (int a = 0; a < e->nodes; a++) slope = fmax(slope, fabs((N[a] - low[a]) / 2e-4 - gradient[a][c]));
        }
        print_message("%s: off at nodes by %.2g (threshold 1e-15), from differences by %.2g (threshold 1e-8)\n",
                      e->name, worst, slope);
        assert_true(worst <= 1e-15 && slope <= 1e-8);
    }
}

static void a_point_is_found_in_its_element(void **unused)
{
    uint64_t seed = 9;
    (void)unused;
    for (int t = 0; t < TYPES; t++) {
        const pio_element *e = &pio_elements[types[t]];
        pio_mesh mesh;
        pio_mesh_locator locator;
        piola_error error;
        double worst = 0;
        irregular(&mesh, types[t], 0.08);
        assert_int_equal(pio_mesh_locator_create(&locator, &mesh, &error), PIOLA_OK);
        for (int32_t c = 0; c < mesh.n_cells; c++)
            for (int k = 0; k < 5; k++) {
                pio_mesh_point found[FEW];
                double r[3], x[3];
                int there = 0;
                inner(e, &seed, r);
                place_of(&mesh, c, r, x);
                const int32_t n = pio_mesh_locate(&locator, x, found, FEW);
                for (int32_t i = 0; i < n && i < FEW; i++) {
                    if (found[i].cell != c) continue;
                    there++;
                    for (int a = 0; a < e->dimension; a++) worst = fmax(worst, fabs(found[i].r[a] - r[a]));
                }
                assert_int_equal(there, 1);
            }
        print_message("%s: local coordinates off by %.2g (threshold 1e-12)\n", e->name, worst);
        assert_true(worst < 1e-12);
        pio_mesh_locator_free(&locator);
        pio_mesh_free(&mesh);
    }
}

/* A node is found in all elements that have it, in ascending order; with room for none they are counted. */
static void a_node_is_found_in_all_of_its_elements(void **unused)
{
    (void)unused;
    for (int t = 0; t < TYPES; t++) {
        pio_mesh mesh;
        pio_mesh_locator locator;
        piola_error error;
        int32_t most = 0;
        irregular(&mesh, types[t], 0.05);
        assert_int_equal(pio_mesh_locator_create(&locator, &mesh, &error), PIOLA_OK);
        for (int32_t i = 0; i < mesh.n_nodes; i++) {
            pio_mesh_point found[FEW];
            int32_t have = 0;
            const int32_t n = pio_mesh_locate(&locator, mesh.x + 3 * i, found, FEW);
            assert_int_equal(pio_mesh_locate(&locator, mesh.x + 3 * i, NULL, 0), n);
            for (int32_t c = 0; c < mesh.n_cells; c++) {
                pio_element_type type;
                const int32_t *nodes = pio_mesh_element(&mesh, c, &type);
                for (int k = 0; k < pio_elements[type].nodes; k++)
                    if (nodes[k] == i) assert_true(have < n && found[have++].cell == c);
            }
            assert_int_equal(have, n);
            most = have > most ? have : most;
        }
        print_message("%s: up to %d elements have a node\n", pio_elements[types[t]].name, most);
        assert_true(most >= 4);
        pio_mesh_locator_free(&locator);
        pio_mesh_free(&mesh);
    }
}

/* Outside of a box the nearest point is that of the box; no element has the place. */
static void outside_the_nearest_point_is_that_of_the_box(void **unused)
{
    static const double places[][3] = {{4, 1.3, 0.6}, {1.2, -0.5, 1.1}, {3.5, 2.5, 2.5}, {-1, 2.2, 0.4}};
    (void)unused;
    for (int t = 0; t < TYPES; t++) {
        pio_mesh mesh;
        pio_mesh_locator locator;
        piola_error error;
        double worst = 0;
        irregular(&mesh, types[t], 0);
        assert_int_equal(pio_mesh_locator_create(&locator, &mesh, &error), PIOLA_OK);
        for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
            const double high[3] = {3, 2, mesh.dimension == 3 ? 2 : 0};
            const double x[3] = {places[k][0], places[k][1], mesh.dimension == 3 ? places[k][2] : 0};
            double near[3];
            assert_int_equal(pio_mesh_locate(&locator, x, NULL, 0), 0);
            pio_mesh_nearest(&mesh, x, near);
            for (int a = 0; a < 3; a++) worst = fmax(worst, fabs(near[a] - fmin(fmax(x[a], 0), high[a])));
        }
        print_message("%s: nearest points off by %.2g (threshold 1e-6)\n", pio_elements[types[t]].name, worst);
        assert_true(worst < 1e-6);
        pio_mesh_locator_free(&locator);
        pio_mesh_free(&mesh);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_those_of_the_nodes_and_of_the_gradients),
        cmocka_unit_test(a_point_is_found_in_its_element),
        cmocka_unit_test(a_node_is_found_in_all_of_its_elements),
        cmocka_unit_test(outside_the_nearest_point_is_that_of_the_box),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
