/* mesh_area.c -- faces in a box, and how large a face is. */
#include "host/mesh/mesh.h"

#include "host/base/fail.h"

#include <math.h>
#include <stdlib.h>

piola_status pio_mesh_faces_in_box(const pio_mesh *mesh, const double low[3], const double high[3], pio_face_list *out,
                                   piola_error *error)
{
    const size_t bytes = sizeof *out->item * ((size_t)mesh->n_outer + 1);
    *out = (pio_face_list){.item = malloc(bytes)};
    if (!out->item) return pio_fail_memory(error, bytes, "a list of faces");
    for (int32_t i = 0; i < mesh->n_outer; i++) {
        int32_t nodes[PIO_FACE_NODES];
        const int n = pio_mesh_face_nodes(mesh, mesh->outer[i], nodes);
        bool inside = true;
        for (int k = 0; k < n; k++)
            for (int a = 0; a < mesh->dimension; a++) {
                const double x = mesh->x[3 * (size_t)nodes[k] + (size_t)a];
                inside &= x >= low[a] && x <= high[a];
            }
        if (inside) out->item[out->n++] = mesh->outer[i];
    }
    return PIOLA_OK;
}

/* Returns |dx/dr| of a line, |dx/dr x dx/ds| of a face, at the point r. */
static double density(const pio_mesh *mesh, pio_element_type type, const int32_t *nodes, const double r[3])
{
    double gradient[PIO_ELEMENT_NODES][3], t[2][3] = {{0}};
    pio_element_gradients(type, r, gradient);
    for (int n = 0; n < pio_elements[type].nodes; n++)
        for (int d = 0; d < pio_elements[type].dimension; d++)
            for (int a = 0; a < 3; a++) t[d][a] += gradient[n][d] * mesh->x[3 * (size_t)nodes[n] + (size_t)a];
    if (pio_elements[type].dimension == 1) return sqrt(t[0][0] * t[0][0] + t[0][1] * t[0][1] + t[0][2] * t[0][2]);
    const double c[3] = {t[0][1] * t[1][2] - t[0][2] * t[1][1], t[0][2] * t[1][0] - t[0][0] * t[1][2],
                         t[0][0] * t[1][1] - t[0][1] * t[1][0]};
    return sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
}

/* It is integrated by Gauss' rule of three points per axis, or by the rule of six for triangles (Strang and Fix 1973),
 * with which loads are integrated on curved faces. */
double pio_mesh_face_area(const pio_mesh *mesh, pio_mesh_face face)
{
    static const double x[3] = {-0.77459666924148337704, 0, 0.77459666924148337704}, w[3] = {5.0 / 9, 8.0 / 9, 5.0 / 9};
    static const double small[2] = {0.44594849091596488632, 0.091576213509770743460};
    static const double weight[2] = {0.11169079483900573285, 0.054975871827660933819};
    pio_element_type cell;
    int32_t nodes[PIO_FACE_NODES];
    double area = 0;
    pio_mesh_element(mesh, face.cell, &cell);
    pio_mesh_face_nodes(mesh, face, nodes);
    const pio_element_type type = pio_elements[cell].face_type;
    if (type == PIO_TRI3 || type == PIO_TRI6) {
        for (int k = 0; k < 6; k++) {
            const double s = small[k / 3], l = 1 - 2 * s;
            area += weight[k / 3] * density(mesh, type, nodes, (double[3]){k % 3 == 0 ? l : s, k % 3 == 1 ? l : s, 0});
        }
        return area;
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < (pio_elements[type].dimension == 2 ? 3 : 1); j++)
            area += w[i] * (pio_elements[type].dimension == 2 ? w[j] : 1) *
                    density(mesh, type, nodes, (double[3]){x[i], pio_elements[type].dimension == 2 ? x[j] : 0, 0});
    return area;
}
