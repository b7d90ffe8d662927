/* test_mesh_cells.c -- sizes and shapes of many cells at once are those of each cell alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "host/mesh/mesh.h"

#include <math.h>
#include <string.h>

/* A mesh of one cell is computed exactly; of many, most cells are only estimated. Each cell alone, then the extremes of
 * all. */
static pio_mesh_quality cell_by_cell(const pio_mesh *mesh)
{
    pio_mesh_quality all = {INFINITY, 0, INFINITY, -INFINITY, 0, 1, INFINITY, -1, 0};
    for (int32_t c = 0; c < mesh->n_cells; c++) {
        pio_element_type type;
        pio_mesh_quality q;
        pio_mesh one = *mesh;
        int32_t *nodes = (int32_t *)(uintptr_t)pio_mesh_element(mesh, c, &type);
        memset(one.block, 0, sizeof one.block);
        one.block[type] = (pio_mesh_block){.n = 1, .nodes = nodes};
        pio_mesh_measure(&one, &q);
        all.edge_min = fmin(all.edge_min, q.edge_min);
        all.edge_max = fmax(all.edge_max, q.edge_max);
        all.cell_min = fmin(all.cell_min, q.cell_min);
        all.cell_max = fmax(all.cell_max, q.cell_max);
        all.jacobian_ratio = fmin(all.jacobian_ratio, q.jacobian_ratio);
        all.volume += q.volume;
        all.slivers += q.slivers;
        if (q.shape < all.shape) {
            all.shape = q.shape;
            all.worst = c;
        }
    }
    return all;
}

/* splitmix64 (Steele, Lea and Flood 2014), as a number from -1 to 1. */
static double number(uint64_t *seed)
{
    uint64_t x = *seed += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return ldexp((double)((x ^ x >> 31) >> 11), -52) - 1;
}

static void move(pio_mesh *mesh, double amount, double step)
{
    uint64_t seed = 7;
    for (int32_t i = 0; i < 3 * mesh->n_nodes; i++)
        if (i % 3 < mesh->dimension) mesh->x[i] = step * nearbyint((mesh->x[i] + amount * number(&seed)) / step);
}

static void same(double a, double b)
{
    assert_memory_equal(&a, &b, sizeof a);
}

/* Places are moved by up to `amount` of a cell's edge, and to a grid of so many bits: then many edges and shapes are
 * the same, or differ in their last bits alone. */
static void compare(pio_element_type type, double amount, double size, int bits)
{
    const int32_t n = pio_elements[type].order == 1 ? 11 : 4, count[3] = {n + 2, n + 1, n};
    const double origin[3] = {-size, 0.25 * size, 0}, sizes[3] = {(n + 2) * size, (n + 1) * size, n * size};
    pio_mesh mesh;
    piola_error error = {0};
    pio_mesh_quality q;
    assert_int_equal(pio_mesh_box(&mesh, type, count, origin, sizes, &error), PIOLA_OK);
    move(&mesh, amount * size, ldexp(size, -bits));
    const pio_mesh_quality all = cell_by_cell(&mesh);
    pio_mesh_measure(&mesh, &q);
    print_message("type %d moved by %g of %g: shape %g, %lld slivers, Jacobians %g\n", type, amount, size, q.shape,
                  (long long)q.slivers, q.jacobian_ratio);
    same(q.edge_min, all.edge_min);
    same(q.edge_max, all.edge_max);
    same(q.cell_min, all.cell_min);
    same(q.cell_max, all.cell_max);
    same(q.jacobian_ratio, all.jacobian_ratio);
    same(q.volume, all.volume);
    same(q.shape, all.shape);
    assert_int_equal(q.worst, all.worst);
    assert_int_equal(q.slivers, all.slivers);
    same(pio_mesh_shortest_edge(&mesh), all.edge_min);
    pio_mesh_free(&mesh);
}

static void many_cells_are_as_each_alone(void **state)
{
    (void)state;
    const double amounts[] = {0, 1e-15, 0.05, 0.5}, sizes[] = {1, 3e-7, 2e10};
    for (int t = PIO_TRI3; t < PIO_ELEMENT_TYPES; t++)
        for (size_t a = 0; a < sizeof amounts / sizeof *amounts; a++)
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
                for (int bits = 4; pio_elements[t].dimension >= 2 && bits < 60; bits += 24)
                    compare((pio_element_type)t, amounts[a], sizes[s], bits);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_cells_are_as_each_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
