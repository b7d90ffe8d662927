/* mesh_element.c -- the table of element types, and gradients of shape functions. */
#include "host/mesh/mesh.h"

/* VTK node a is Gmsh node from_gmsh[a]. Gmsh Reference Manual, "Node ordering": its tet10 has the middles of (2,3) and
 * (1,3) as nodes 8 and 9, its hex27 the middles of the edges 01 03 04 12 15 23 26 37 45 47 56 67 as 8 ... 19 and those
 * of the faces z- y- x- x+ y+ z+ as 20 ... 25; its hex20 are the first 20 of these. */
static const int8_t tet10_from_gmsh[10] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 8};
static const int8_t hex27_from_gmsh[27] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  11, 13, 9,  16, 18,
                                           19, 17, 10, 12, 14, 15, 22, 23, 21, 24, 20, 25, 26};

static const double line_place[3][3] = {{-1, 0, 0}, {1, 0, 0}, {0, 0, 0}};
static const double tri_place[6][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.5, 0, 0}, {0.5, 0.5, 0}, {0, 0.5, 0}};
static const double quad_place[9][3] = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0},  {-1, 1, 0}, {0, -1, 0},
                                        {1, 0, 0},   {0, 1, 0},  {-1, 0, 0}, {0, 0, 0}};
static const double tet_place[10][3] = {{0, 0, 0},     {1, 0, 0},   {0, 1, 0},   {0, 0, 1},     {0.5, 0, 0},
                                        {0.5, 0.5, 0}, {0, 0.5, 0}, {0, 0, 0.5}, {0.5, 0, 0.5}, {0, 0.5, 0.5}};
static const double hex_place[27][3] = {
    {-1, -1, -1}, {1, -1, -1}, {1, 1, -1},  {-1, 1, -1}, {-1, -1, 1}, {1, -1, 1}, {1, 1, 1},  {-1, 1, 1},  {0, -1, -1},
    {1, 0, -1},   {0, 1, -1},  {-1, 0, -1}, {0, -1, 1},  {1, 0, 1},   {0, 1, 1},  {-1, 0, 1}, {-1, -1, 0}, {1, -1, 0},
    {1, 1, 0},    {-1, 1, 0},  {-1, 0, 0},  {1, 0, 0},   {0, -1, 0},  {0, 1, 0},  {0, 0, -1}, {0, 0, 1},   {0, 0, 0}};

#define TRI_EDGES .edges = 3, .edge = {{0, 1}, {1, 2}, {2, 0}}
#define QUAD_EDGES .edges = 4, .edge = {{0, 1}, {1, 2}, {2, 3}, {3, 0}}
#define TET_EDGES .edges = 6, .edge = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}}
#define HEX_EDGES                                                                                                      \
    .edges = 12,                                                                                                       \
    .edge = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6}, {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}}

const pio_element pio_elements[PIO_ELEMENT_TYPES] = {
    [PIO_POINT1] = {"point", 1, 1, 0, 1, .vtk = 1, .gmsh = 15, .place = tri_place},
    [PIO_LINE2] = {"line2", 2, 2, 1, 1, .vtk = 3, .gmsh = 1, .edges = 1, .edge = {{0, 1}}, .place = line_place},
    [PIO_LINE3] = {"line3", 3, 2, 1, 2, .vtk = 21, .gmsh = 8, .edges = 1, .edge = {{0, 1}}, .place = line_place},
    [PIO_TRI3] = {"tri3", 3, 3, 2, 1, .vtk = 5, .gmsh = 2, .faces = 3, .face_type = PIO_LINE2, TRI_EDGES,
                  .face = {{0, 1}, {1, 2}, {2, 0}}, .place = tri_place},
    [PIO_TRI6] = {"tri6", 6, 3, 2, 2, .vtk = 22, .gmsh = 9, .faces = 3, .face_type = PIO_LINE3, TRI_EDGES,
                  .face = {{0, 1, 3}, {1, 2, 4}, {2, 0, 5}}, .place = tri_place},
    [PIO_QUAD4] = {"quad4", 4, 4, 2, 1, .vtk = 9, .gmsh = 3, .faces = 4, .face_type = PIO_LINE2, QUAD_EDGES,
                   .face = {{0, 1}, {1, 2}, {2, 3}, {3, 0}}, .place = quad_place},
    [PIO_QUAD8] = {"quad8", 8, 4, 2, 2, .vtk = 23, .gmsh = 16, .faces = 4, .face_type = PIO_LINE3, QUAD_EDGES,
                   .face = {{0, 1, 4}, {1, 2, 5}, {2, 3, 6}, {3, 0, 7}}, .place = quad_place},
    [PIO_QUAD9] = {"quad9", 9, 4, 2, 2, .vtk = 28, .gmsh = 10, .faces = 4, .face_type = PIO_LINE3, QUAD_EDGES,
                   .face = {{0, 1, 4}, {1, 2, 5}, {2, 3, 6}, {3, 0, 7}}, .place = quad_place},
    [PIO_TET4] = {"tet4", 4, 4, 3, 1, .vtk = 10, .gmsh = 4, .faces = 4, .face_type = PIO_TRI3, TET_EDGES,
                  .face = {{0, 1, 3}, {1, 2, 3}, {2, 0, 3}, {0, 2, 1}}, .place = tet_place},
    [PIO_TET10] = {"tet10", 10, 4, 3, 2, .vtk = 24, .gmsh = 11, .faces = 4, .face_type = PIO_TRI6, TET_EDGES,
                   .face = {{0, 1, 3, 4, 8, 7}, {1, 2, 3, 5, 9, 8}, {2, 0, 3, 6, 7, 9}, {0, 2, 1, 6, 5, 4}},
                   .from_gmsh = tet10_from_gmsh, .place = tet_place},
    [PIO_HEX8] = {"hex8", 8, 8, 3, 1, .vtk = 12, .gmsh = 5, .faces = 6, .face_type = PIO_QUAD4, HEX_EDGES,
                  .face = {{0, 4, 7, 3}, {1, 2, 6, 5}, {0, 1, 5, 4}, {3, 7, 6, 2}, {0, 3, 2, 1}, {4, 5, 6, 7}},
                  .place = hex_place},
    [PIO_HEX20] = {"hex20", 20, 8, 3, 2, .vtk = 25, .gmsh = 17, .faces = 6, .face_type = PIO_QUAD8, HEX_EDGES,
                   .face = {{0, 4, 7, 3, 16, 15, 19, 11},
                            {1, 2, 6, 5, 9, 18, 13, 17},
                            {0, 1, 5, 4, 8, 17, 12, 16},
                            {3, 7, 6, 2, 19, 14, 18, 10},
                            {0, 3, 2, 1, 11, 10, 9, 8},
                            {4, 5, 6, 7, 12, 13, 14, 15}},
                   .from_gmsh = hex27_from_gmsh, .place = hex_place},
    [PIO_HEX27] = {"hex27", 27, 8, 3, 2, .vtk = 29, .gmsh = 12, .faces = 6, .face_type = PIO_QUAD9, HEX_EDGES,
                   .face = {{0, 4, 7, 3, 16, 15, 19, 11, 20},
                            {1, 2, 6, 5, 9, 18, 13, 17, 21},
                            {0, 1, 5, 4, 8, 17, 12, 16, 22},
                            {3, 7, 6, 2, 19, 14, 18, 10, 23},
                            {0, 3, 2, 1, 11, 10, 9, 8, 24},
                            {4, 5, 6, 7, 12, 13, 14, 15, 25}},
                   .from_gmsh = hex27_from_gmsh, .place = hex_place},
};

bool pio_element_has_one_dilatation(pio_element_type type)
{
    return pio_elements[type].order == 1 && pio_elements[type].corners == pio_elements[type].dimension + 1;
}

/* Computes the Lagrange polynomial on [-1, 1] of the node at `node` (-1, 0 or 1), and its derivative. */
static void line_shape(int order, double node, double r, double *value, double *slope)
{
    const bool middle = node > -0.5 && node < 0.5;
    if (order == 1) {
        *value = (1 + node * r) / 2;
        *slope = node / 2;
    } else {
        *value = middle ? 1 - r * r : r * (r + node) / 2;
        *slope = middle ? -2 * r : r + node / 2;
    }
}

static void box_gradients(const pio_element *e, const double r[3], double gradient[PIO_ELEMENT_NODES][3])
{
    for (int a = 0; a < e->nodes; a++) {
        double value[3], slope[3];
        for (int j = 0; j < e->dimension; j++) line_shape(e->order, e->place[a][j], r[j], &value[j], &slope[j]);
        for (int j = 0; j < e->dimension; j++) {
            gradient[a][j] = slope[j];
            for (int k = 0; k < e->dimension; k++)
                if (k != j) gradient[a][j] *= value[k];
        }
    }
}

/* Serendipity elements: see shape_serendipity of kernels/fem/fem_element.h. */
static void serendipity_gradients(const pio_element *e, const double r[3], double gradient[PIO_ELEMENT_NODES][3])
{
    const int d = e->dimension;
    for (int a = 0; a < e->nodes; a++) {
        const double *at = e->place[a];
        double value[3], slope[3], sum = 1 - d, all = 1;
        for (int j = 0; j < d; j++) {
            line_shape(at[j] * at[j] > 0.5 ? 1 : 2, at[j], r[j], &value[j], &slope[j]);
            sum += at[j] * r[j];
            all *= value[j];
        }
        for (int j = 0; j < d; j++) {
            double product = slope[j];
            for (int k = 0; k < d; k++)
                if (k != j) product *= value[k];
            gradient[a][j] = a < e->corners ? sum * product + at[j] * all : product;
        }
    }
}

/* In barycentric coordinates L, the shape functions are L, or L (2 L - 1) at corners and 4 L_a L_b in the middle of an
 * edge. */
static void simplex_gradients(const pio_element *e, const double r[3], double gradient[PIO_ELEMENT_NODES][3])
{
    double L[4] = {1, 0, 0, 0}, dL[4][3] = {{-1, -1, -1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int j = 0; j < e->dimension; j++) {
        L[0] -= r[j];
        L[j + 1] = r[j];
    }
    for (int j = 0; j < e->dimension; j++) {
        for (int a = 0; a < e->corners; a++) gradient[a][j] = dL[a][j] * (e->order == 1 ? 1 : 4 * L[a] - 1);
        for (int m = 0; e->order == 2 && m < e->edges; m++) {
            const int a = e->edge[m][0], b = e->edge[m][1];
            gradient[e->corners + m][j] = 4 * (dL[a][j] * L[b] + L[a] * dL[b][j]);
        }
    }
}

void pio_element_gradients(pio_element_type type, const double r[3], double gradient[PIO_ELEMENT_NODES][3])
{
    const pio_element *e = &pio_elements[type];
    if (e->dimension > 0 && e->corners == e->dimension + 1 && e->dimension > 1)
        simplex_gradients(e, r, gradient);
    else if (type == PIO_QUAD8 || type == PIO_HEX20)
        serendipity_gradients(e, r, gradient);
    else
        box_gradients(e, r, gradient);
}

/* The values that go with box_gradients, serendipity_gradients and simplex_gradients. */
static void product_values(const pio_element *e, const double r[3], double value[PIO_ELEMENT_NODES])
{
    const bool serendipity = e->order == 2 && e->nodes < (e->dimension == 2 ? 9 : e->dimension == 3 ? 27 : 3);
    for (int a = 0; a < e->nodes; a++) {
        double N, slope, sum = 1 - e->dimension;
        value[a] = 1;
        for (int j = 0; j < e->dimension; j++) {
            const double at = e->place[a][j];
            line_shape(serendipity && at * at > 0.5 ? 1 : e->order, at, r[j], &N, &slope);
            value[a] *= N;
            sum += at * r[j];
        }
        if (serendipity && a < e->corners) value[a] *= sum;
    }
}

void pio_element_values(pio_element_type type, const double r[3], double value[PIO_ELEMENT_NODES])
{
    const pio_element *e = &pio_elements[type];
    if (e->dimension < 2 || e->corners != e->dimension + 1) {
        product_values(e, r, value);
        return;
    }
    double L[4] = {1, 0, 0, 0};
    for (int j = 0; j < e->dimension; j++) {
        L[0] -= r[j];
        L[j + 1] = r[j];
    }
    for (int a = 0; a < e->corners; a++) value[a] = e->order == 1 ? L[a] : L[a] * (2 * L[a] - 1);
    for (int m = 0; e->order == 2 && m < e->edges; m++) value[e->corners + m] = 4 * L[e->edge[m][0]] * L[e->edge[m][1]];
}
