/* mesh_pieces.h -- how test meshes are cut: nodes of every element type, in the order of VTK's cell types, and the
 * pieces that a cell of a lattice is cut into. Integers only; nothing here is shared with the engine. C11 and C++17.
 *
 * Types are numbered as pio_element_type is. */
#ifndef PIOLA_TESTS_MESH_PIECES_H
#define PIOLA_TESTS_MESH_PIECES_H

enum {
    MESH_LINE2 = 1,
    MESH_LINE3,
    MESH_TRI3,
    MESH_TRI6,
    MESH_QUAD4,
    MESH_QUAD8,
    MESH_QUAD9,
    MESH_TET4,
    MESH_TET10,
    MESH_HEX8,
    MESH_HEX20,
    MESH_HEX27
};

static const int mesh_nodes_of[13] = {1, 2, 3, 3, 6, 4, 8, 9, 4, 10, 8, 20, 27};
static const int mesh_dim_of[13] = {0, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3};

/* Places of the nodes of simplices and of products, 0 .. 2 along each axis of the reference element; linear and
 * serendipity types are the first nodes of the quadratic ones. */
static const int mesh_simplex_nodes[2][10][3] = {
    {{0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}},
    {{0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {0, 0, 2}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}}};
static const int mesh_product_nodes[3][27][3] = {
    {{0, 0, 0}, {2, 0, 0}, {1, 0, 0}},
    {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}, {1, 0, 0}, {2, 1, 0}, {1, 2, 0}, {0, 1, 0}, {1, 1, 0}},
    {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}, {0, 0, 2}, {2, 0, 2}, {2, 2, 2}, {0, 2, 2}, {1, 0, 0},
     {2, 1, 0}, {1, 2, 0}, {0, 1, 0}, {1, 0, 2}, {2, 1, 2}, {1, 2, 2}, {0, 1, 2}, {0, 0, 1}, {2, 0, 1},
     {2, 2, 1}, {0, 2, 1}, {0, 1, 1}, {2, 1, 1}, {1, 0, 1}, {1, 2, 1}, {1, 1, 0}, {1, 1, 2}, {1, 1, 1}}};

static inline int mesh_is_simplex(int type)
{
    return type == MESH_TRI3 || type == MESH_TRI6 || type == MESH_TET4 || type == MESH_TET10;
}

static inline int mesh_is_quadratic(int type)
{
    return type == MESH_LINE3 || type == MESH_TRI6 || type == MESH_QUAD8 || type == MESH_QUAD9 || type == MESH_TET10 ||
           type == MESH_HEX20 || type == MESH_HEX27;
}

/* Place of a node in the reference element, 0 .. 2 along each axis. */
static inline const int *mesh_node_place(int type, int a)
{
    const int dim = mesh_dim_of[type];
    return mesh_is_simplex(type) ? mesh_simplex_nodes[dim - 2][a] : mesh_product_nodes[dim - 1][a];
}

static inline int mesh_cuts(int type) /* pieces of a square or cube */
{
    return !mesh_is_simplex(type) ? 1 : mesh_dim_of[type] == 2 ? 2 : 6;
}

/* Corner c of simplex `cut` of a unit square or cube: one more axis is walked with every corner (Kuhn 1960), the last
 * two corners swapped where that would be left-handed. Every face is cut along its diagonal from the lowest to the
 * highest corner, so that neighbours fit. */
static inline void mesh_simplex_corner(int dim, int cut, int c, int place[3])
{
    static const int walk2[2][3] = {{0, 1, 0}, {1, 0, 0}};
    static const int walk3[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    const int *walk = dim == 2 ? walk2[cut] : walk3[cut], odd = cut >= (dim == 2 ? 1 : 3);
    if (odd && c >= dim - 1) c = 2 * dim - 1 - c;
    place[0] = place[1] = place[2] = 0;
    for (int k = 0; k < c; k++) place[walk[k]] = 1;
}

/* Place of node a of piece `cut` of a cell, in nodes' spacings from the cell's first corner: a cell is one spacing wide
 * for linear types, two for quadratic ones. */
static inline void mesh_place(int type, int cut, int a, int place[3])
{
    const int dim = mesh_dim_of[type], size = mesh_is_quadratic(type) ? 2 : 1, *at = mesh_node_place(type, a);
    place[0] = place[1] = place[2] = 0;
    if (!mesh_is_simplex(type)) {
        for (int c = 0; c < dim; c++) place[c] = size * at[c] / 2;
        return;
    }
    for (int corner = 0; corner <= dim; corner++) { /* 2 L_corner = at[corner - 1], and the rest for the first */
        int end[3], weight = corner ? at[corner - 1] : 2;
        for (int c = 0; c < dim && !corner; c++) weight -= at[c];
        mesh_simplex_corner(dim, cut, corner, end);
        for (int c = 0; c < dim; c++) place[c] += weight * end[c];
    }
    for (int c = 0; c < dim; c++) place[c] = size * place[c] / 2;
}

#endif
