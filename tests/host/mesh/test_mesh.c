/* test_mesh.c -- kinds of elements, meshes that are built here, and questions to them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "host/mesh/mesh.h"
#include "tests/host/base/json_checker.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CELLS = 10 };
static const pio_element_type cells[CELLS] = {PIO_TRI3, PIO_TRI6,  PIO_QUAD4, PIO_QUAD8, PIO_QUAD9,
                                              PIO_TET4, PIO_TET10, PIO_HEX8,  PIO_HEX20, PIO_HEX27};

/* ---- helpers ------------------------------------------------------------------------------------------------ */

static void near(const char *what, double measured, double exact, double threshold)
{
    const double off = fabs(measured - exact);
    print_message("%-44s %.17g, off by %.1e (at most %.1e)\n", what, measured, off, threshold);
    assert_true(off <= threshold);
}

static const double *place(const pio_mesh *mesh, int32_t node)
{
    return mesh->x + 3 * (size_t)node;
}

static pio_mesh box_of(pio_element_type type)
{
    pio_mesh mesh;
    piola_error error = {0};
    const int32_t count[3] = {3, 2, 4};
    const double origin[3] = {-1, 0.5, 2}, size[3] = {1.5, 1, 2};
    if (pio_mesh_box(&mesh, type, count, origin, size, &error)) fail_msg("%s", error.message);
    return mesh;
}

/* The vector area of a face times two, pointing out; by its corners (exact for flat ones). */
static void outward(const pio_mesh *mesh, pio_mesh_face face, double normal[3], double middle[3])
{
    int32_t nodes[PIO_FACE_NODES];
    const int n = pio_mesh_face_nodes(mesh, face, nodes), c = mesh->dimension == 2 ? 2 : n == 3 || n == 6 ? 3 : 4;
    memset(normal, 0, 3 * sizeof *normal);
    memset(middle, 0, 3 * sizeof *middle);
    for (int a = 0; a < c; a++)
        for (int i = 0; i < 3; i++) middle[i] += place(mesh, nodes[a])[i] / c;
    if (c == 2) {
        normal[0] = 2 * (place(mesh, nodes[1])[1] - place(mesh, nodes[0])[1]);
        normal[1] = 2 * (place(mesh, nodes[0])[0] - place(mesh, nodes[1])[0]);
        return;
    }
    for (int a = 0; a < c; a++) {
        const double *x = place(mesh, nodes[a]), *y = place(mesh, nodes[(a + 1) % c]);
        for (int i = 0; i < 3; i++) normal[i] += x[(i + 1) % 3] * y[(i + 2) % 3] - x[(i + 2) % 3] * y[(i + 1) % 3];
    }
}

/* ---- elements ----------------------------------------------------------------------------------------------- */

/* Shape functions from their gradients: sum_a dN_a/dr_j = 0 and sum_a place_a,i dN_a/dr_j = delta_ij, at any place. */
static void gradients_reproduce_linear_fields(void **state)
{
    (void)state;
    const double r[3] = {0.13, 0.37, 0.21};
    double worst = 0;
    for (int t = PIO_LINE2; t < PIO_ELEMENT_TYPES; t++) {
        const pio_element *e = &pio_elements[t];
        double g[PIO_ELEMENT_NODES][3] = {{0}};
        pio_element_gradients((pio_element_type)t, r, g);
        for (int j = 0; j < e->dimension; j++)
            for (int i = -1; i < e->dimension; i++) {
                double sum = 0;
                for (int a = 0; a < e->nodes; a++) sum += g[a][j] * (i < 0 ? 1 : e->place[a][i]);
                worst = fmax(worst, fabs(sum - (i == j ? 1 : 0)));
            }
    }
    near("sums of shape gradients", worst, 0, 1e-14);
}

/* The same for x_i x_k, which quadratic elements must reproduce and linear simplices must not. */
static void quadratic_elements_reproduce_quadratic_fields(void **state)
{
    (void)state;
    const double r[3] = {0.13, 0.37, 0.21};
    double worst = 0, linear = 0;
    for (int t = PIO_LINE2; t < PIO_ELEMENT_TYPES; t++) {
        const pio_element *e = &pio_elements[t];
        double g[PIO_ELEMENT_NODES][3] = {{0}};
        pio_element_gradients((pio_element_type)t, r, g);
        for (int j = 0; j < e->dimension; j++)
            for (int i = 0; i < e->dimension; i++)
                for (int k = 0; k < e->dimension; k++) {
                    double sum = 0;
                    for (int a = 0; a < e->nodes; a++) sum += g[a][j] * e->place[a][i] * e->place[a][k];
                    const double off = fabs(sum - (i == j) * r[k] - (k == j) * r[i]);
                    if (e->order == 2)
                        worst = fmax(worst, off);
                    else
                        linear = fmax(linear, off);
                }
    }
    near("quadratic fields, quadratic elements", worst, 0, 1e-14);
    print_message("negative control: linear elements are off by %.2g\n", linear);
    assert_true(linear > 0.1);
}

/* Middle nodes lie on the middle of their edges, in faces as well. */
static void middle_nodes_lie_between_their_corners(void **state)
{
    (void)state;
    for (int t = PIO_LINE2; t < PIO_ELEMENT_TYPES; t++) {
        const pio_element *e = &pio_elements[t];
        for (int m = 0; e->order == 2 && m < e->edges; m++)
            for (int i = 0; i < 3; i++)
                assert_true(2 * e->place[e->corners + m][i] == e->place[e->edge[m][0]][i] + e->place[e->edge[m][1]][i]);
        const pio_element *f = &pio_elements[e->face_type];
        for (int s = 0; e->order == 2 && s < e->faces; s++) {
            assert_int_equal(f->order, e->order);
            for (int m = 0; m < f->edges; m++)
                for (int i = 0; i < 3; i++)
                    assert_true(2 * e->place[e->face[s][f->corners + m]][i] ==
                                e->place[e->face[s][f->edge[m][0]]][i] + e->place[e->face[s][f->edge[m][1]]][i]);
            for (int i = 0; f->nodes == 9 && i < 3; i++)
                assert_true(4 * e->place[e->face[s][8]][i] == e->place[e->face[s][0]][i] + e->place[e->face[s][1]][i] +
                                                                  e->place[e->face[s][2]][i] +
                                                                  e->place[e->face[s][3]][i]);
        }
    }
}

/* ---- boxes ---------------------------------------------------------------------------------------------------- */

static void a_box_has_its_volume_and_surface(void **state)
{
    (void)state;
    for (int t = 0; t < CELLS; t++) {
        pio_mesh mesh = box_of(cells[t]);
        double gauss = 0, closed[3] = {0}, area = 0;
        const bool flat = mesh.dimension == 2;
        for (int32_t i = 0; i < mesh.n_outer; i++) {
            double normal[3], middle[3];
            outward(&mesh, mesh.outer[i], normal, middle);
            for (int a = 0; a < 3; a++) {
                gauss += middle[a] * normal[a] / 2 / mesh.dimension; /* volume by the divergence of x */
                closed[a] += normal[a] / 2;
            }
            area += sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]) / 2;
        }
        print_message("%s: %d nodes, %d cells, %d outer faces\n", pio_elements[cells[t]].name, mesh.n_nodes,
                      mesh.n_cells, mesh.n_outer);
        near("  volume by quadrature", mesh.volume, flat ? 1.5 : 3, 1e-14);
        near("  volume by outward faces", gauss, flat ? 1.5 : 3, 1e-13);
        near("  surface", area, flat ? 5 : 13, 1e-13);
        for (int a = 0; a < 3; a++) assert_true(fabs(closed[a]) < 1e-13);
        pio_mesh_free(&mesh);
    }
}

/* The box that holds what is within `tolerance` of the plane x_axis = at, all in m. */
static void plane(int axis, double at, double tolerance, double low[3], double high[3])
{
    for (int a = 0; a < 3; a++) {
        low[a] = a == axis ? at - tolerance : (double)-INFINITY;
        high[a] = a == axis ? at + tolerance : (double)INFINITY;
    }
}

/* Nodes of a box of n cells along each axis, 0 where it has no extent. */
static int box_nodes(pio_element_type type, int nx, int ny, int nz)
{
    const int order = pio_elements[type].order;
    if (type != PIO_QUAD8 && type != PIO_HEX20) return (order * nx + 1) * (order * ny + 1) * (order * nz + 1);
    const int vertices = (nx + 1) * (ny + 1) * (nz + 1);
    return vertices + nx * (ny + 1) * (nz + 1) + (nx + 1) * ny * (nz + 1) + (nx + 1) * (ny + 1) * nz;
}

static void counts_of_a_box_are_right(void **state)
{
    (void)state;
    static const int parts[CELLS] = {2, 2, 1, 1, 1, 6, 6, 1, 1, 1}, face_parts[CELLS] = {1, 1, 1, 1, 1, 2, 2, 1, 1, 1};
    static const char *const side[6] = {"left", "right", "bottom", "top", "front", "back"};
    for (int t = 0; t < CELLS; t++) {
        pio_mesh mesh = box_of(cells[t]);
        piola_error error;
        const int d = mesh.dimension, n[3] = {3, 2, d == 3 ? 4 : 0};
        const int cubes = d == 3 ? 24 : 6;
        int total = 0;
        assert_int_equal(mesh.n_cells, cubes * parts[t]);
        assert_int_equal(mesh.n_nodes, box_nodes(cells[t], n[0], n[1], n[2]));
        for (int32_t i = 0; i < mesh.n_nodes; i++) assert_int_equal(mesh.node_tag[i], i + 1);
        for (int s = 0; s < 2 * d; s++) {
            pio_face_list faces, flat_faces;
            pio_index_list nodes, flat;
            const int a = s / 2, across = n[(a + 1) % d] * (d == 3 ? n[(a + 2) % 3] : 1);
            double low[3], high[3];
            plane(a, s % 2 ? mesh.high[a] : mesh.low[a], 1e-9, low, high);
            assert_int_equal(pio_mesh_group_faces(&mesh, side[s], &faces, &error), PIOLA_OK);
            assert_int_equal(pio_mesh_faces_in_box(&mesh, low, high, &flat_faces, &error), PIOLA_OK);
            assert_int_equal(pio_mesh_group_nodes(&mesh, side[s], &nodes, &error), PIOLA_OK);
            assert_int_equal(pio_mesh_nodes_in_box(&mesh, low, high, &flat, &error), PIOLA_OK);
            assert_int_equal(faces.n, across * face_parts[t]);
            assert_int_equal(flat_faces.n, faces.n);
            assert_memory_equal(flat_faces.item, faces.item, (size_t)faces.n * sizeof *faces.item);
            assert_int_equal(nodes.n, box_nodes(cells[t], n[(a + 1) % d], d == 3 ? n[(a + 2) % 3] : 0, 0));
            assert_int_equal(flat.n, nodes.n);
            assert_memory_equal(flat.item, nodes.item, (size_t)nodes.n * sizeof *nodes.item);
            for (int32_t i = 0; i < faces.n; i++) {
                double out[3], middle[3];
                outward(&mesh, faces.item[i], out, middle);
                assert_true(s % 2 ? out[a] > 0 : out[a] < 0);
            }
            total += faces.n;
            free(faces.item), free(flat_faces.item), free(nodes.item), free(flat.item);
        }
        assert_int_equal(total, mesh.n_outer);
        assert_int_equal(mesh.n_facets, mesh.n_outer);
        assert_int_equal(mesh.n_warnings, 0);
        pio_mesh_free(&mesh);
    }
}

static void a_box_of_nodes_is_cut_out(void **state)
{
    (void)state;
    pio_mesh mesh = box_of(PIO_HEX27);
    piola_error error;
    pio_index_list list;
    const double low[3] = {-1, 0.5, 2}, high[3] = {-0.75, 1.5, 2.25};
    assert_int_equal(pio_mesh_nodes_in_box(&mesh, low, high, &list, &error), PIOLA_OK);
    assert_int_equal(list.n, 2 * 5 * 2); /* steps of 1/4 along each axis; the ends belong to it */
    for (int32_t i = 1; i < list.n; i++) assert_true(list.item[i] > list.item[i - 1]);
    free(list.item);
    assert_int_equal(pio_mesh_group_cells(&mesh, "all", &list, &error), PIOLA_OK);
    assert_int_equal(list.n, mesh.n_cells);
    for (int32_t i = 0; i < list.n; i++) assert_int_equal(list.item[i], i);
    free(list.item);
    pio_mesh_free(&mesh);
}

/* ---- other shapes ------------------------------------------------------------------------------------------- */

static void cooks_membrane_has_its_area(void **state)
{
    (void)state;
    const double corner[4][2] = {{0, 0}, {48, 44}, {48, 60}, {0, 44}};
    const int32_t count[2] = {5, 4};
    for (int t = 0; t < 5; t++) { /* the plane ones */
        pio_mesh mesh;
        piola_error error = {0};
        pio_face_list faces;
        double length = 0;
        assert_int_equal(pio_mesh_quadrilateral(&mesh, cells[t], count, corner, &error), PIOLA_OK);
        near(pio_elements[cells[t]].name, mesh.volume, 1440, 1e-11);
        assert_int_equal(pio_mesh_group_faces(&mesh, "right", &faces, &error), PIOLA_OK);
        assert_int_equal(faces.n, 4);
        for (int32_t i = 0; i < faces.n; i++) {
            double normal[3], middle[3];
            outward(&mesh, faces.item[i], normal, middle);
            assert_true(normal[0] > 0 && fabs(normal[1]) < 1e-12 && fabs(middle[0] - 48) < 1e-12);
            length += normal[0] / 2;
        }
        near("  length of the loaded side", length, 16, 1e-12);
        free(faces.item);
        assert_int_equal(pio_mesh_group_faces(&mesh, "left", &faces, &error), PIOLA_OK);
        free(faces.item);
        pio_mesh_free(&mesh);
    }
}

/* Linear elements see the hole as a polygon; quadratic ones as parabolas through the middles of its arcs (a parabola
 * over the chord c with height h has the area 2/3 c h). */
static void a_plate_has_its_volume(void **state)
{
    (void)state;
    const int32_t count[3] = {6, 8, 2};
    const double radius = 0.3, size = 1, thickness = 0.2, step = M_PI / 2 / count[1];
    for (int t = 0; t < CELLS; t++) {
        const pio_element *e = &pio_elements[cells[t]];
        pio_mesh mesh;
        piola_error error = {0};
        double hole = count[1] * radius * radius * sin(step) / 2;
        if (e->order == 2) hole += count[1] * 2.0 / 3 * 2 * radius * sin(step / 2) * radius * (1 - cos(step / 2));
        if (pio_mesh_plate(&mesh, cells[t], count, radius, size, thickness, &error)) fail_msg("%s", error.message);
        near(e->name, mesh.volume, (size * size - hole) * (e->dimension == 3 ? thickness : 1), 1e-14);
        if (e->order == 2)
            near("  the true one", mesh.volume / (e->dimension == 3 ? thickness : 1), 1 - M_PI * 0.09 / 4, 1e-5);
        int32_t faces = 0;
        for (int32_t g = 0; g < mesh.n_groups; g++)
            faces += mesh.groups[g].dimension == e->dimension - 1 && !strstr(mesh.groups[g].name, "symmetry")
                         ? mesh.groups[g].n
                         : 0;
        assert_int_equal(faces, mesh.n_outer); /* every outer face is in one group of a side */
        pio_mesh_free(&mesh);
    }
}

static void sides_of_a_plate_lie_where_they_should(void **state)
{
    (void)state;
    const int32_t count[3] = {4, 6, 1};
    pio_mesh mesh;
    piola_error error;
    pio_index_list a, b;
    assert_int_equal(pio_mesh_plate(&mesh, PIO_HEX27, count, 0.25, 2, 0.1, &error), PIOLA_OK);
    assert_int_equal(pio_mesh_group_nodes(&mesh, "hole", &a, &error), PIOLA_OK);
    double worst = 0;
    for (int32_t i = 0; i < a.n; i++)
        worst = fmax(worst, fabs(hypot(place(&mesh, a.item[i])[0], place(&mesh, a.item[i])[1]) - 0.25));
    near("distance of the hole's nodes from its circle", worst, 0, 1e-16);
    free(a.item);
    static const struct {
        const char *name, *other;
        int axis;
        double at;
    } sides[] = {{"left", "symmetry_x", 0, 0}, {"bottom", "symmetry_y", 1, 0}, {"right", "right", 0, 2},
                 {"top", "top", 1, 2},         {"front", "front", 2, 0},       {"back", "back", 2, 0.1}};
    for (size_t s = 0; s < sizeof sides / sizeof *sides; s++) {
        double low[3], high[3];
        plane(sides[s].axis, sides[s].at, 0, low, high);
        assert_int_equal(pio_mesh_group_nodes(&mesh, sides[s].name, &a, &error), PIOLA_OK);
        assert_int_equal(pio_mesh_nodes_in_box(&mesh, low, high, &b, &error), PIOLA_OK);
        assert_int_equal(a.n, b.n);
        assert_memory_equal(a.item, b.item, (size_t)a.n * sizeof *a.item);
        free(b.item);
        assert_int_equal(pio_mesh_group_nodes(&mesh, sides[s].other, &b, &error), PIOLA_OK);
        assert_int_equal(a.n, b.n);
        free(a.item), free(b.item);
    }
    pio_mesh_free(&mesh);
}

/* ---- quality, errors, lookups ------------------------------------------------------------------------------- */

static void quality_has_edges_and_volumes(void **state)
{
    (void)state;
    pio_mesh mesh = box_of(PIO_HEX8);
    pio_mesh_quality q;
    const double corner[4][2] = {{0, 0}, {48, 44}, {48, 60}, {0, 44}};
    const int32_t count[2] = {1, 1};
    piola_error error;
    pio_mesh_measure(&mesh, &q);
    near("shortest edge", q.edge_min, 0.5, 1e-15);
    near("longest edge", q.edge_max, 0.5, 1e-15);
    near("least cell", q.cell_min, 0.125, 1e-16);
    near("greatest cell", q.cell_max, 0.125, 1e-16);
    near("Jacobians, least over greatest", q.jacobian_ratio, 1, 1e-14);
    pio_mesh_free(&mesh);
    assert_int_equal(pio_mesh_quadrilateral(&mesh, PIO_QUAD4, count, corner, &error), PIOLA_OK);
    pio_mesh_measure(&mesh, &q);
    near("Jacobians of Cook's membrane as one cell", q.jacobian_ratio, 16.0 / 44, 1e-15);
    pio_mesh_free(&mesh);
}

static void expect(piola_status status, const piola_error *error, const char *words)
{
    print_message("%s\n", error->message);
    assert_int_equal(status, PIOLA_BAD_DATA);
    assert_int_equal(error->status, PIOLA_BAD_DATA);
    assert_non_null(strstr(error->message, words));
}

static void a_group_that_is_missing_is_reported_with_a_likely_one(void **state)
{
    (void)state;
    pio_mesh mesh = box_of(PIO_TRI3);
    piola_error error = {0};
    pio_index_list list;
    pio_face_list faces;
    expect(pio_mesh_group_nodes(&mesh, "botom", &list, &error), &error, "no group 'botom'; did you mean 'bottom'?");
    assert_null(list.item);
    expect(pio_mesh_group_cells(&mesh, "left", &list, &error), &error, "'left' is of dimension 1; one of dimension 2");
    expect(pio_mesh_group_faces(&mesh, "all", &faces, &error), &error, "'all' is of dimension 2; one of dimension 1");
    pio_mesh_free(&mesh);
}

/* Returns the output with or without `json`; the caller frees it. */
static char *report_of(const pio_mesh *mesh, bool json)
{
    char *text = calloc(1, 8000);
    piola_error error = {0};
    FILE *file = tmpfile();
    assert_true(text && file);
    fflush(stdout);
    const int kept = dup(1);
    assert_true(kept >= 0 && dup2(fileno(file), 1) == 1);
    const piola_status status = pio_mesh_report(mesh, json, &error);
    fflush(stdout);
    assert_true(dup2(kept, 1) == 1);
    close(kept);
    rewind(file);
    assert_true(fread(text, 1, 7999, file) > 0);
    fclose(file);
    assert_int_equal(status, PIOLA_OK);
    return text;
}

static void a_report_lists_groups_sizes_and_warnings(void **state)
{
    (void)state;
    pio_mesh mesh = box_of(PIO_QUAD9);
    mesh.n_warnings = 1;
    strcpy(mesh.warnings[0], "a \"quoted\" warning");
    char *text = report_of(&mesh, false);
    static const char *const wanted[] = {"box: mesh, 2D\nnodes: 35\n",
                                         "  quad9             6\n",
                                         "  line3            10\n",
                                         "x -1 .. 0.5 m, y 0.5 .. 1.5 m",
                                         "area: 1.5 m^2",
                                         "worst quality of an element (1: ideal, 0: flat): 1, element ",
                                         "  all                              2          6         35\n",
                                         "  left                             1          2          5\n",
                                         "warning: a \"quoted\" warning\n"};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (!strstr(text, wanted[i])) fail_msg("no '%s' in\n%s", wanted[i], text);
    free(text);
    text = report_of(&mesh, true);
    assert_null(check_json(text));
    assert_non_null(strstr(text, "\"volume\": 1.5"));
    assert_non_null(strstr(text, "a \\\"quoted\\\" warning"));
    free(text);
    pio_mesh_free(&mesh);
}

static void builders_refuse_what_makes_no_sense(void **state)
{
    (void)state;
    pio_mesh mesh;
    piola_error e = {0};
    const double zero[3] = {0}, one[3] = {1, 1, 1}, flat[3] = {1, 0, 1};
    const double crossed[4][2] = {{0, 0}, {1, 0}, {0, 1}, {1, 1}}, clockwise[4][2] = {{0, 0}, {0, 1}, {1, 1}, {1, 0}};
    const int32_t good[3] = {2, 2, 2}, none[3] = {2, 0, 2}, huge[3] = {2000, 2000, 2000}, odd[3] = {2, 3, 2};
    expect(pio_mesh_box(&mesh, PIO_HEX8, none, zero, one, &e), &e, "0 cells along axis 1; at least 1");
    expect(pio_mesh_box(&mesh, PIO_HEX8, huge, zero, one, &e), &e, "can be numbered");
    expect(pio_mesh_box(&mesh, PIO_HEX8, good, zero, flat, &e), &e, "a size must be above 0");
    expect(pio_mesh_box(&mesh, PIO_LINE2, good, zero, one, &e), &e, "use tri3");
    expect(pio_mesh_quadrilateral(&mesh, PIO_HEX8, good, clockwise, &e), &e, "use tri3, tri6, quad4, quad8, quad9");
    expect(pio_mesh_quadrilateral(&mesh, PIO_QUAD4, good, crossed, &e), &e, "do not turn left at corner 2");
    expect(pio_mesh_quadrilateral(&mesh, PIO_QUAD4, good, clockwise, &e), &e, "counter-clockwise");
    expect(pio_mesh_plate(&mesh, PIO_QUAD4, good, 1, 1, 1, &e), &e, "0 < radius < size");
    expect(pio_mesh_plate(&mesh, PIO_QUAD4, odd, 0.5, 1, 1, &e), &e, "an even number");
    expect(pio_mesh_plate(&mesh, PIO_HEX8, good, 0.5, 1, (double)NAN, &e), &e, "a thickness of nan");
    pio_mesh_free(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_reproduce_linear_fields),
        cmocka_unit_test(quadratic_elements_reproduce_quadratic_fields),
        cmocka_unit_test(middle_nodes_lie_between_their_corners),
        cmocka_unit_test(a_box_has_its_volume_and_surface),
        cmocka_unit_test(counts_of_a_box_are_right),
        cmocka_unit_test(a_box_of_nodes_is_cut_out),
        cmocka_unit_test(cooks_membrane_has_its_area),
        cmocka_unit_test(a_plate_has_its_volume),
        cmocka_unit_test(sides_of_a_plate_lie_where_they_should),
        cmocka_unit_test(quality_has_edges_and_volumes),
        cmocka_unit_test(a_group_that_is_missing_is_reported_with_a_likely_one),
        cmocka_unit_test(a_report_lists_groups_sizes_and_warnings),
        cmocka_unit_test(builders_refuse_what_makes_no_sense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
