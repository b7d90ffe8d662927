/* test_mesh_read.c -- Gmsh files give the mesh that was written, in every version, kind and byte order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/host/mesh/mesh_files.h"

#include <locale.h>
#include <math.h>
#include <unistd.h>

#define GOOD PIO_SOURCE_DIR "/tests/data/good_meshes/"

static const double *place(const pio_mesh *mesh, int32_t node)
{
    return mesh->x + 3 * (size_t)node;
}

static pio_mesh read_mesh(const char *path)
{
    pio_mesh mesh;
    piola_error error = {0};
    if (pio_mesh_read(&mesh, path, &error)) fail_msg("%s", error.message);
    return mesh;
}

static bool warned(const pio_mesh *mesh, const char *words)
{
    for (int w = 0; w < mesh->n_warnings && w < PIO_MESH_WARNINGS; w++)
        if (strstr(mesh->warnings[w], words)) return true;
    return false;
}

/* ---- round trip --------------------------------------------------------------------------------------------- */

/* A box or a plate, bent so that no two places are alike. */
static pio_mesh sample(pio_element_type type, bool plate)
{
    pio_mesh mesh;
    piola_error error = {0};
    const int32_t count[3] = {2, 2, 1};
    const double origin[3] = {0, 0, 0}, size[3] = {1, 1.5, 0.5};
    const piola_status status = plate ? pio_mesh_plate(&mesh, type, count, 0.4, 1, 0.3, &error)
                                      : pio_mesh_box(&mesh, type, count, origin, size, &error);
    if (status) fail_msg("%s", error.message);
    for (int32_t i = 0; i < mesh.n_nodes; i++)
        for (int a = 0; a < mesh.dimension; a++)
            mesh.x[3 * i + a] += 0.01 * sin(1 + i + 3.0 * a) * (a + 1) / (mesh.dimension == 2 ? 1 : 2);
    return mesh;
}

static void same_group(const pio_mesh *a, const pio_mesh *b, int32_t g)
{
    const pio_mesh_group *one = &a->groups[g], *other = &b->groups[g];
    char unnamed[32];
    piola_error error;
    snprintf(unnamed, sizeof unnamed, "group_%d", one->tag);
    assert_string_equal(other->name, g == a->n_groups - 1 ? unnamed : one->name);
    assert_int_equal(one->dimension, other->dimension);
    assert_int_equal(one->tag, other->tag);
    assert_int_equal(one->n, other->n);
    if (one->dimension == a->dimension) {
        pio_index_list x, y;
        assert_int_equal(pio_mesh_group_cells(a, one->name, &x, &error), PIOLA_OK);
        assert_int_equal(pio_mesh_group_cells(b, other->name, &y, &error), PIOLA_OK);
        assert_memory_equal(x.item, y.item, (size_t)x.n * sizeof *x.item);
        free(x.item), free(y.item);
    } else {
        pio_face_list x, y;
        assert_int_equal(pio_mesh_group_faces(a, one->name, &x, &error), PIOLA_OK);
        assert_int_equal(pio_mesh_group_faces(b, other->name, &y, &error), PIOLA_OK);
        assert_memory_equal(x.item, y.item, (size_t)x.n * sizeof *x.item);
        free(x.item), free(y.item);
    }
    pio_index_list x, y;
    assert_int_equal(pio_mesh_group_nodes(a, one->name, &x, &error), PIOLA_OK);
    assert_int_equal(pio_mesh_group_nodes(b, other->name, &y, &error), PIOLA_OK);
    assert_int_equal(x.n, y.n);
    assert_memory_equal(x.item, y.item, (size_t)x.n * sizeof *x.item);
    free(x.item), free(y.item);
}

static void same_mesh(const pio_mesh *a, const pio_mesh *b)
{
    assert_int_equal(a->dimension, b->dimension);
    assert_int_equal(a->n_nodes, b->n_nodes);
    assert_int_equal(a->n_cells, b->n_cells);
    assert_int_equal(a->n_facets, b->n_facets);
    assert_memory_equal(a->x, b->x, (size_t)a->n_nodes * 3 * sizeof *a->x);
    for (int32_t i = 0; i < b->n_nodes; i++) assert_int_equal(b->node_tag[i], sparse(i));
    for (int t = 0; t < PIO_ELEMENT_TYPES; t++) {
        assert_int_equal(a->block[t].n, b->block[t].n);
        if (pio_elements[t].dimension == a->dimension && a->block[t].n)
            assert_memory_equal(a->block[t].nodes, b->block[t].nodes,
                                (size_t)a->block[t].n * (size_t)pio_elements[t].nodes * sizeof(int32_t));
    }
    assert_int_equal(a->n_outer, b->n_outer);
    assert_memory_equal(a->outer, b->outer, (size_t)a->n_outer * sizeof *a->outer);
    assert_int_equal(a->n_groups, b->n_groups);
    for (int32_t g = 0; g < a->n_groups; g++) same_group(a, b, g);
    assert_int_equal(b->n_warnings, 0);
}

/* The plate's symmetry faces lie in two groups each. */
static void every_kind_of_file_gives_the_mesh_that_was_written(void **state)
{
    (void)state;
    char path[] = "mesh_round_trip_XXXXXX.msh", name[40];
    const int file = mkstemps(path, 4);
    assert_true(file >= 0);
    close(file);
    for (int t = PIO_TRI3; t < PIO_ELEMENT_TYPES; t++)
        for (int plate = 0; plate < 2; plate++) {
            pio_mesh written = sample((pio_element_type)t, plate);
            for (int k = 0; k < MSH_KINDS; k++) {
                write_msh(&written, msh_kinds[k], path);
                pio_mesh mesh = read_mesh(path);
                same_mesh(&written, &mesh);
                pio_mesh_free(&mesh);
                if (plate) continue;
                print_message("%s, %s: %d nodes, %d elements, equal\n", pio_elements[t].name,
                              msh_kind_name(msh_kinds[k], name), written.n_nodes, written.n_elements);
            }
            pio_mesh_free(&written);
        }
    unlink(path);
}

static void numbers_have_a_point_in_every_locale(void **state)
{
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
    const char *set = NULL;
    for (size_t i = 0; i < 4 && !set; i++) set = setlocale(LC_ALL, names[i]);
    if (!set) {
        print_message("not checked: no locale with a decimal comma is installed\n");
        skip();
    }
    print_message("locale with a decimal comma: %s\n", set);
    pio_mesh mesh = read_mesh(GOOD "hex27_41.msh");
    setlocale(LC_ALL, "C");
    assert_true(fabs(mesh.volume - 24) < 1e-13);
    pio_mesh_free(&mesh);
}

/* ---- files made by hand --------------------------------------------------------------------------------------- */

static void a_tetrahedron_is_read(void **state)
{
    (void)state;
    pio_mesh mesh = read_mesh(GOOD "tet.msh");
    piola_error error;
    pio_face_list faces;
    int32_t nodes[PIO_FACE_NODES];
    assert_int_equal(mesh.dimension, 3);
    assert_true(fabs(mesh.volume - 1.0 / 6) < 1e-16);
    assert_int_equal(mesh.n_groups, 2);
    assert_int_equal(pio_mesh_group_faces(&mesh, "base", &faces, &error), PIOLA_OK);
    assert_int_equal(faces.n, 1);
    assert_int_equal(pio_mesh_face_nodes(&mesh, faces.item[0], nodes), 3);
    /* In the file the base is 1 3 2, outward already; the list gives the face of the cell, outward always. */
    const double *a = place(&mesh, nodes[0]), *b = place(&mesh, nodes[1]), *c = place(&mesh, nodes[2]);
    assert_true((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) == -1);
    free(faces.item);
    pio_mesh_free(&mesh);
}

static void check_square(const char *path)
{
    pio_mesh mesh = read_mesh(path);
    piola_error error;
    pio_index_list list;
    pio_face_list faces;
    for (int w = 0; w < mesh.n_warnings; w++) print_message("warning: %s\n", mesh.warnings[w]);
    assert_int_equal(mesh.dimension, 2);
    assert_int_equal(mesh.n_nodes, 4);
    assert_int_equal(mesh.n_facets, 1);
    assert_true(mesh.volume == 1);
    assert_true(warned(&mesh, "$NodeData is not read"));
    assert_true(warned(&mesh, "$Periodic is not read"));
    assert_true(warned(&mesh, "section $Colours is not known"));
    assert_true(warned(&mesh, "1 nodes of no cell are left out, the first is node 77"));
    assert_int_equal(mesh.n_warnings, 4);
    /* one line in two groups, the second without a name and with a negative tag; one point */
    assert_int_equal(pio_mesh_group_faces(&mesh, "left", &faces, &error), PIOLA_OK);
    assert_int_equal(faces.n, 1);
    free(faces.item);
    assert_int_equal(pio_mesh_group_faces(&mesh, "group_12", &faces, &error), PIOLA_OK);
    assert_int_equal(faces.n, 1);
    free(faces.item);
    assert_int_equal(pio_mesh_group_nodes(&mesh, "group_3", &list, &error), PIOLA_OK);
    assert_int_equal(list.n, 1);
    assert_int_equal(mesh.node_tag[list.item[0]], 3);
    free(list.item);
    pio_mesh_free(&mesh);
}

/* As it stands, and with the line ends of Windows. */
static void a_square_with_everything_around_it_is_read(void **state)
{
    (void)state;
    char path[] = "mesh_line_ends_XXXXXX.msh";
    const int file = mkstemps(path, 4);
    assert_true(file >= 0);
    FILE *from = fopen(GOOD "square.msh", "r"), *to = fdopen(file, "wb");
    assert_true(from && to);
    for (int c; (c = fgetc(from)) != EOF; fputc(c, to))
        if (c == '\n') fputc('\r', to);
    fclose(from);
    fclose(to);
    check_square(GOOD "square.msh");
    check_square(path);
    unlink(path);
}

static void a_file_is_known_by_its_name_or_its_first_bytes(void **state)
{
    (void)state;
    char path[] = "mesh_without_suffix_XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_false(pio_mesh_is_msh(path));
    assert_int_equal(write(file, "$MeshFormat\n", 12), 12);
    close(file);
    assert_true(pio_mesh_is_msh(path));
    assert_true(pio_mesh_is_msh("nowhere.msh"));
    assert_false(pio_mesh_is_msh("nowhere.vtkhdf"));
    unlink(path);
}

/* Two squares side by side; the line between them points out of the first one as 2 6 and out of the second as 6 2. */
static void a_facet_between_two_cells_is_seen_from_the_side_of_its_own_order(void **state)
{
    (void)state;
    for (int turned = 0; turned < 2; turned++) {
        char path[] = "mesh_between_XXXXXX.msh";
        const int file = mkstemps(path, 4);
        assert_true(file >= 0);
        FILE *out = fdopen(file, "w");
        fprintf(
            out,
            "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n6\n1 0 0 0\n2 1 0 0\n3 2 0 0\n5 0 1 0\n6 1 1 0\n7 2 1 0\n");
        fprintf(out, "$EndNodes\n$Elements\n3\n1 3 2 1 1 1 2 6 5\n2 3 2 1 1 2 3 7 6\n3 1 2 4 1 %s\n$EndElements\n",
                turned ? "6 2" : "2 6");
        fclose(out);
        pio_mesh mesh = read_mesh(path);
        pio_face_list faces;
        piola_error error;
        assert_int_equal(pio_mesh_group_faces(&mesh, "group_4", &faces, &error), PIOLA_OK);
        assert_int_equal(faces.n, 1);
        assert_int_equal(faces.item[0].cell, turned);
        assert_int_equal(faces.item[0].face, turned ? 3 : 1);
        assert_int_equal(mesh.n_outer, 6);
        free(faces.item);
        pio_mesh_free(&mesh);
        unlink(path);
    }
}

/* ---- warnings ------------------------------------------------------------------------------------------------ */

/* Written as 2.2 with its places scaled; `split` puts the cells of a box of two apart, with nodes of their own. */
static pio_mesh scaled(double scale, bool split)
{
    char path[] = "mesh_scaled_XXXXXX.msh";
    const int file = mkstemps(path, 4);
    assert_true(file >= 0);
    FILE *out = fdopen(file, "w");
    fprintf(out, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n8\n");
    for (int i = 0; i < 8; i++) /* 1 2 6 5 and 3 4 8 7: the first ends where the second begins */
        fprintf(out, "%d %.17g %d 0\n", i + 1, scale * (i % 4 - (i % 4 >= 2)), i / 4);
    fprintf(out, "$EndNodes\n$Elements\n2\n1 3 2 1 1 1 2 6 5\n2 3 2 1 1 %s 4 8 %s\n$EndElements\n", split ? "3" : "2",
            split ? "7" : "6");
    fclose(out);
    pio_mesh mesh = read_mesh(path);
    unlink(path);
    return mesh;
}

static void suspicious_meshes_are_read_with_warnings(void **state)
{
    (void)state;
    pio_mesh mesh = scaled(1, true);
    assert_true(warned(&mesh, "2 nodes coincide with another (within 1e-9 of the box), the first two are 2 and 3"));
    assert_int_equal(mesh.n_warnings, 1);
    assert_int_equal(mesh.n_outer, 8);
    pio_mesh_free(&mesh);
    mesh = scaled(1, false);
    assert_true(warned(&mesh, "2 nodes of no cell are left out"));
    assert_int_equal(mesh.n_warnings, 1);
    assert_int_equal(mesh.n_outer, 6);
    pio_mesh_free(&mesh);
}

/* One element of equal edges (and right angles), flattened along an axis by s, then turned, moved and enlarged, has by
 * definition the shape d s^(2/d)/(d - 1 + s^2); its Jacobian is the same everywhere, whatever s is. */
static double flattened(pio_element_type type, double s, double *jacobian_ratio)
{
    static const double ideal[2][3][3] = {
        {{1, 0.5, 0}, {0, 0.86602540378443865, 0}, {0, 0, 1}},
        {{1, 0.5, 0.5}, {0, 0.86602540378443865, 0.28867513459481288}, {0, 0, 0.81649658092772603}}};
    static const double turned[3][3] = {{0.6, 0.8, 0}, {-0.8, 0.6, 0}, {0, 0, 1}};
    const pio_element *e = &pio_elements[type];
    double x[PIO_ELEMENT_NODES][3] = {{0}};
    int32_t nodes[PIO_ELEMENT_NODES];
    pio_mesh mesh = {.dimension = e->dimension, .n_nodes = e->nodes, .n_cells = 1, .x = x[0]};
    mesh.block[type] = (pio_mesh_block){.n = 1, .nodes = nodes};
    for (int a = 0; a < e->nodes; a++) {
        double y[3] = {0};
        for (int i = 0; i < e->dimension; i++)
            for (int j = 0; j < e->dimension; j++)
                y[i] += (e->corners == e->dimension + 1 ? ideal[e->dimension - 2][i][j] : i == j) * e->place[a][j];
        y[e->dimension - 1] *= s;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) x[a][i] += 70 * turned[i][j] * y[j] + 3;
        nodes[a] = a;
    }
    if (e->dimension == 2)
        for (int a = 0; a < e->nodes; a++) x[a][2] = 0;
    pio_mesh_quality q;
    pio_mesh_measure(&mesh, &q);
    assert_int_equal(q.worst, 0);
    assert_int_equal(q.slivers, q.shape < PIO_MESH_SLIVER);
    *jacobian_ratio = q.jacobian_ratio;
    return q.shape;
}

static void shape_sees_what_is_flat_in_every_element(void **state)
{
    static const double factors[] = {1, 0.5, 0.02, 1e-3, 1e-6};
    (void)state;
    for (int t = 0; t < 8; t++)
        for (size_t k = 0; k < sizeof factors / sizeof *factors; k++) {
            const int d = pio_elements[PIO_TRI3 + t].dimension;
            const double s = factors[k], exact = d * pow(s, 2.0 / d) / (d - 1 + s * s);
            double ratio;
            const double shape = flattened((pio_element_type)(PIO_TRI3 + t), s, &ratio);
            print_message("%-6s flattened by %-6g shape %.6g, over the exact one less 1: %.1e (at most 1e-8); Jacobian "
                          "ratio %.3g\n",
                          pio_elements[PIO_TRI3 + t].name, s, shape, shape / exact - 1, ratio);
            assert_true(fabs(shape / exact - 1) <= 1e-8);
        }
}

/* Two triangles, the first of height h over an edge of sqrt(2). */
static void slivers_are_reported_with_the_worst_of_them(void **state)
{
    (void)state;
    for (int flat = 0; flat < 2; flat++) {
        char path[] = "mesh_sliver_XXXXXX.msh";
        const int file = mkstemps(path, 4);
        assert_true(file >= 0);
        FILE *out = fdopen(file, "w");
        fprintf(out,
                "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0.5 %.9g 0\n$EndNodes\n",
                flat ? 0.5000001 : 0.6);
        fprintf(out, "$Elements\n2\n2 2 2 1 1 1 2 3\n7 2 2 1 1 1 3 4\n$EndElements\n");
        fclose(out);
        pio_mesh mesh = read_mesh(path);
        for (int w = 0; w < mesh.n_warnings; w++) print_message("warning: %s\n", mesh.warnings[w]);
        assert_int_equal(mesh.n_warnings, flat);
        assert_true(!flat || warned(&mesh, "1 of 2 elements are nearly flat or long, with a quality below 0.01"));
        assert_true(!flat || warned(&mesh, "the worst with 1.2e-07: element 7 (tri3)"));
        pio_mesh_free(&mesh);
        unlink(path);
    }
}

/* A box of length `length`, checked with a scale (NaN: none); NULL: no warning about its size. */
static void size_warning_is(double length, double scale, const char *words)
{
    pio_mesh mesh = scaled(length / 2, false);
    const int before = mesh.n_warnings;
    assert_false(warned(&mesh, " m long"));
    for (int a = 0; a < 3; a++) mesh.low[a] = mesh.high[a] = 0;
    mesh.high[0] = length;
    pio_mesh_check_size(&mesh, scale);
    print_message("  %g, scale %g: %s\n", length, scale,
                  mesh.n_warnings > before ? mesh.warnings[mesh.n_warnings - 1] : "no word");
    assert_int_equal(mesh.n_warnings, before + (words != NULL));
    assert_true(!words || warned(&mesh, words));
    pio_mesh_free(&mesh);
}

static void sizes_are_checked_after_scaling(void **state)
{
    const double none = (double)NAN;
    (void)state;
    size_warning_is(100, none,
                    "the box is 100 m long: a file's lengths are metres; if these are millimetres, 'scale: 0.001'");
    size_warning_is(100, none, "(0.1 m)");
    size_warning_is(100, 0.001, NULL);
    size_warning_is(3000, 0.001, NULL);
    size_warning_is(100, 1, NULL);
    size_warning_is(9, none, NULL);
    size_warning_is(9, 1000, "the box is 9000 m long, after its scale");
    size_warning_is(2e-4, 0.001, "the box is only 2e-07 m long");
    size_warning_is(2e-7, none, "the box is only 2e-07 m long");
}

static void lists_of_many_warnings_are_cut_and_counted(void **state)
{
    (void)state;
    char path[] = "mesh_warnings_XXXXXX.msh";
    const int file = mkstemps(path, 4);
    assert_true(file >= 0);
    FILE *out = fdopen(file, "w");
    fprintf(out, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n");
    for (int i = 0; i < 20; i++) fprintf(out, "$S%d\n$EndS%d\n", i, i);
    fprintf(out, "$Nodes\n3\n1 0 0 0\n2 2e-7 0 0\n3 0 2e-7 0\n$EndNodes\n$Elements\n1\n1 2 0 1 2 3\n$EndElements\n");
    fclose(out);
    pio_mesh mesh = read_mesh(path);
    pio_mesh_check_size(&mesh, (double)NAN);
    assert_int_equal(mesh.n_warnings, 21); /* and the tiny box */
    assert_int_equal(mesh.n_groups, 0);
    pio_mesh_free(&mesh);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_file_gives_the_mesh_that_was_written),
        cmocka_unit_test(numbers_have_a_point_in_every_locale),
        cmocka_unit_test(a_tetrahedron_is_read),
        cmocka_unit_test(a_square_with_everything_around_it_is_read),
        cmocka_unit_test(a_file_is_known_by_its_name_or_its_first_bytes),
        cmocka_unit_test(a_facet_between_two_cells_is_seen_from_the_side_of_its_own_order),
        cmocka_unit_test(suspicious_meshes_are_read_with_warnings),
        cmocka_unit_test(shape_sees_what_is_flat_in_every_element),
        cmocka_unit_test(slivers_are_reported_with_the_worst_of_them),
        cmocka_unit_test(sizes_are_checked_after_scaling),
        cmocka_unit_test(lists_of_many_warnings_are_cut_and_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
