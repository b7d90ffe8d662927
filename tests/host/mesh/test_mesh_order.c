/* test_mesh_order.c -- nodes of Gmsh's files arrive in the order of VTK: those of every second-order element of 3D, and
 * of serendipity elements as Gmsh itself writes them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "host/mesh/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* VTK's order, from the drawings in its headers: which corners a node is the mean of; hex20 has the first 20 of hex27.
 */
static const char *const vtk_tet10[10] = {"0", "1", "2", "3", "01", "12", "02", "03", "13", "23"};
static const char *const vtk_hex27[27] = {"0",  "1",  "2",    "3",    "4",    "5",    "6",    "7",    "01",
                                          "12", "23", "30",   "45",   "56",   "67",   "74",   "04",   "15",
                                          "26", "37", "0473", "1265", "0154", "3762", "0321", "4567", "01234567"};

static double worst_off(const pio_mesh *mesh, pio_element_type type, const char *const *means, const char *from_file)
{
    const int32_t *nodes = mesh->block[type].nodes;
    double worst = 0;
    for (int a = 0; a < pio_elements[type].nodes; a++)
        for (int i = 0; i < 3; i++) {
            double mean = 0;
            const size_t n = strlen(means[a]);
            for (size_t c = 0; c < n; c++) mean += place(mesh, nodes[means[a][c] - '0'])[i] / (double)n;
            /* the control reads the nodes in the file's own order, which is their number there */
            const int32_t node = from_file ? a : nodes[a];
            worst = fmax(worst, fabs(mean - place(mesh, node)[i]));
        }
    return worst;
}

static void middle_nodes_arrive_in_the_order_of_vtk(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        pio_element_type type;
        const char *const *means;
        double volume;
    } cases[] = {{GOOD "tet10_22.msh", PIO_TET10, vtk_tet10, 4},  {GOOD "tet10_41.msh", PIO_TET10, vtk_tet10, 4},
                 {GOOD "hex20_22.msh", PIO_HEX20, vtk_hex27, 24}, {GOOD "hex20_41.msh", PIO_HEX20, vtk_hex27, 24},
                 {GOOD "hex27_22.msh", PIO_HEX27, vtk_hex27, 24}, {GOOD "hex27_41.msh", PIO_HEX27, vtk_hex27, 24}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        pio_mesh mesh = read_mesh(cases[c].file);
        const double off = worst_off(&mesh, cases[c].type, cases[c].means, NULL);
        const double control = worst_off(&mesh, cases[c].type, cases[c].means, "as it stands");
        print_message("%s: nodes off by %.1e (at most 1e-15); in Gmsh's order by %.2g (at least 1); volume %.15g\n",
                      strrchr(cases[c].file, '/') + 1, off, control, mesh.volume);
        assert_true(off <= 1e-15 && control >= 1);
        assert_true(fabs(mesh.volume - cases[c].volume) <= 1e-13);
        assert_int_equal(mesh.n_outer, pio_elements[cases[c].type].faces);
        pio_mesh_free(&mesh);
    }
}

/* Two cells of 1 m, written by Gmsh 4.15.2 with Mesh.SecondOrderIncomplete = 1 (without blanks at line ends); how far a
 * middle node is at most from the middle of its edge, in VTK's order or in that of the file. */
static double off_its_edge(const pio_mesh *mesh, pio_element_type type, bool as_in_file)
{
    const pio_element *e = &pio_elements[type];
    double worst = 0;
    for (int32_t c = 0; c < mesh->n_cells; c++)
        for (int m = 0; m < e->edges; m++) {
            const int32_t *of = mesh->block[type].nodes + c * e->nodes;
            int at = e->corners + m;
            for (int a = 0; as_in_file && a < e->nodes; a++) /* the node that the file has in this place */
                if (e->from_gmsh && e->from_gmsh[a] == e->corners + m) at = a;
            for (int i = 0; i < 3; i++)
                worst = fmax(worst, fabs((place(mesh, of[e->edge[m][0]])[i] + place(mesh, of[e->edge[m][1]])[i]) / 2 -
                                         place(mesh, of[at])[i]));
        }
    return worst;
}

static void serendipity_elements_are_read_as_gmsh_writes_them(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        pio_element_type type;
        int nodes;
    } cases[] = {{GOOD "quad8_gmsh.msh", PIO_QUAD8, 13}, {GOOD "hex20_gmsh.msh", PIO_HEX20, 32}};
    for (size_t k = 0; k < 2; k++) {
        pio_mesh mesh = read_mesh(cases[k].file);
        piola_error error;
        pio_face_list faces;
        double area = 0;
        const double off = off_its_edge(&mesh, cases[k].type, false);
        const double control = off_its_edge(&mesh, cases[k].type, true);
        assert_int_equal(pio_mesh_group_faces(&mesh, "base", &faces, &error), PIOLA_OK);
        for (int32_t i = 0; i < faces.n; i++) area += pio_mesh_face_area(&mesh, faces.item[i]);
        print_message("%s: middle nodes off by %.1e (at most 1e-11), in the file's order by %.2g; volume %.12g, base "
                      "%.12g (2 each, to 1e-11)\n",
                      strrchr(cases[k].file, '/') + 1, off, control, mesh.volume, area);
        assert_true(off <= 1e-11 && (cases[k].type == PIO_QUAD8 || control >= 0.5));
        assert_true(fabs(mesh.volume - 2) <= 1e-11 && fabs(area - 2) <= 1e-11);
        assert_int_equal(mesh.n_nodes, cases[k].nodes);
        assert_int_equal(faces.n, 2);
        assert_int_equal(mesh.n_warnings, 0);
        free(faces.item);
        pio_mesh_free(&mesh);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(middle_nodes_arrive_in_the_order_of_vtk),
        cmocka_unit_test(serendipity_elements_are_read_as_gmsh_writes_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
