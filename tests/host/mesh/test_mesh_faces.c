/* test_mesh_faces.c -- outer faces, and the faces between two cells in their order, as a plain sort of all faces has
 * them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "host/mesh/mesh_parts.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    int32_t key[4]; /* corners, ascending; -1 behind the last */
    pio_mesh_face face;
} plain_face;

static int by_number(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static int by_corners(const plain_face *a, const plain_face *b)
{
    for (int i = 0; i < 4; i++)
        if (a->key[i] != b->key[i]) return a->key[i] < b->key[i] ? -1 : 1;
    return 0;
}

static int by_cell(const pio_mesh_face *a, const pio_mesh_face *b)
{
    return a->cell != b->cell ? (a->cell > b->cell) - (a->cell < b->cell) : a->face - b->face;
}

static int in_order(const void *a, const void *b)
{
    const plain_face *x = a, *y = b;
    const int order = by_corners(x, y);
    return order ? order : by_cell(&x->face, &y->face);
}

static int outer_order(const void *a, const void *b)
{
    return by_cell(a, b);
}

static plain_face *all_faces(const pio_mesh *mesh, size_t *n)
{
    plain_face *all = calloc((size_t)mesh->n_cells * PIO_ELEMENT_FACES, sizeof *all);
    *n = 0;
    assert_non_null(all);
    for (int32_t c = 0; c < mesh->n_cells; c++) {
        pio_element_type type;
        pio_mesh_element(mesh, c, &type);
        const int corners = pio_elements[pio_elements[type].face_type].corners;
        for (int f = 0; f < pio_elements[type].faces; f++) {
            int32_t nodes[PIO_FACE_NODES];
            plain_face *to = &all[(*n)++];
            *to = (plain_face){{-1, -1, -1, -1}, {c, f}};
            pio_mesh_face_nodes(mesh, to->face, nodes);
            memcpy(to->key, nodes, (size_t)corners * sizeof *nodes);
            qsort(to->key, (size_t)corners, sizeof *to->key, by_number);
        }
    }
    qsort(all, *n, sizeof *all, in_order);
    return all;
}

/* Node i becomes node number[i]: some nodes have the least number of all around them, some the greatest. */
static void renumber(pio_mesh *mesh, uint64_t seed)
{
    int32_t *number = malloc((size_t)mesh->n_nodes * sizeof *number);
    double *x = malloc((size_t)mesh->n_nodes * 3 * sizeof *x);
    assert_true(number && x);
    for (int32_t i = 0; i < mesh->n_nodes; i++) number[i] = i;
    for (int32_t i = mesh->n_nodes - 1; i > 0; i--) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407; /* Knuth, TAOCP vol. 2, 3.3.4 */
        const int32_t j = (int32_t)((seed >> 33) % (uint64_t)(i + 1)), of = number[i];
        number[i] = number[j];
        number[j] = of;
    }
    for (int32_t i = 0; i < mesh->n_nodes; i++)
        memcpy(x + 3 * (size_t)number[i], mesh->x + 3 * (size_t)i, 3 * sizeof *x);
    memcpy(mesh->x, x, (size_t)mesh->n_nodes * 3 * sizeof *x);
    for (int t = 0; t < PIO_ELEMENT_TYPES; t++)
        for (int64_t i = 0; i < (int64_t)mesh->block[t].n * pio_elements[t].nodes; i++)
            mesh->block[t].nodes[i] = number[mesh->block[t].nodes[i]];
    free(number);
    free(x);
}

static void compare(pio_element_type type, uint64_t seed)
{
    const int32_t count[3] = {6, 5, 4};
    const double origin[3] = {0, 0, 0}, size[3] = {6, 5, 4};
    pio_mesh mesh;
    pio_face_list inner;
    piola_error error = {0};
    int32_t *other, pairs = 0, singles = 0;
    size_t n;
    assert_int_equal(pio_mesh_box(&mesh, type, count, origin, size, &error), PIOLA_OK);
    renumber(&mesh, seed);
    free(mesh.outer);
    free(mesh.facet);
    mesh.outer = mesh.facet = NULL;
    mesh.n_outer = 0;
    assert_int_equal(pio_mesh_find_faces(&mesh, &error), PIOLA_OK);
    assert_int_equal(pio_mesh_inner_faces(&mesh, &inner, &other, &error), PIOLA_OK);
    plain_face *all = all_faces(&mesh, &n);
    pio_mesh_face *outer = calloc(n, sizeof *outer);
    assert_non_null(outer);
    for (size_t i = 0; i < n; i++) {
        if (i + 1 == n || by_corners(&all[i], &all[i + 1])) {
            outer[singles++] = all[i].face;
            continue;
        }
        assert_true(pairs < inner.n);
        assert_int_equal(by_cell(&inner.item[pairs], &all[i].face), 0);
        assert_int_equal(other[pairs++], all[++i].face.cell);
    }
    qsort(outer, (size_t)singles, sizeof *outer, outer_order);
    assert_int_equal(inner.n, pairs);
    assert_int_equal(mesh.n_outer, singles);
    for (int32_t i = 0; i < singles; i++) assert_int_equal(by_cell(&mesh.outer[i], &outer[i]), 0);
    free(all);
    free(outer);
    free(inner.item);
    free(other);
    pio_mesh_free(&mesh);
}

static void faces_are_those_of_a_plain_sort(void **state)
{
    (void)state;
    for (int t = PIO_TRI3; t < PIO_ELEMENT_TYPES; t++)
        for (uint64_t seed = 1; pio_elements[t].dimension >= 2 && seed <= 5; seed++) compare((pio_element_type)t, seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faces_are_those_of_a_plain_sort),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
