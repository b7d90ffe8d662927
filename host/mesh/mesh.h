/* Room host/mesh: meshes of finite elements: read from Gmsh or built, checked, and asked. */
/* mesh.h -- finite-element meshes: nodes, elements by type, named groups. Read from Gmsh files or built here.
 *
 * Nodes of an element are in VTK's order (VTK User's Guide, chapter 19; vtkQuadraticTetra.h, vtkBiQuadraticQuad.h,
 * vtkTriQuadraticHexahedron.h). Cells are the elements of the mesh's dimension, facets those of one less: the cells are
 * the elements 0 ... n_cells-1, the facets follow, then edges of a 3D mesh, then points. Every cell has a positive
 * Jacobian at its nodes and at the points of its quadrature rule, and every node belongs to a cell. */
#ifndef PIOLA_HOST_MESH_H
#define PIOLA_HOST_MESH_H

#include "solvers/engine/engine.h"

/* ---- kinds of elements ---------------------------------------------------------------------------------- */

enum { PIO_ELEMENT_NODES = 27, PIO_ELEMENT_FACES = 6, PIO_ELEMENT_EDGES = 12, PIO_FACE_NODES = 9 }; /* at most */

typedef struct pio_element {
    const char *name;
    int nodes, corners, dimension, order;
    int vtk, gmsh; /* their numbers for it */
    int faces, edges;
    pio_element_type face_type;
    /* Faces (in 2D: edges) by local nodes, in VTK's order of face_type, seen from outside counter-clockwise; in 2D the
     * outside is to the right of the way from node 0 to node 1. Hexahedra: x-, x+, y-, y+, z-, z+. */
    int8_t face[PIO_ELEMENT_FACES][PIO_FACE_NODES];
    int8_t edge[PIO_ELEMENT_EDGES][2]; /* by corners; the middle node of edge e is corners + e */
    const int8_t *from_gmsh;           /* node a is Gmsh's node from_gmsh[a]; NULL: the same order */
    /* [nodes][3] places in the reference element: simplices 0 <= r, s, t and r + s + t <= 1; else -1 <= r, s, t <=
     * 1. */
    const double (*place)[3];
} pio_element;

extern const pio_element pio_elements[PIO_ELEMENT_TYPES];

/* dN_a/dr_j into gradient[a][j] at the place r of the reference element. */
void pio_element_gradients(pio_element_type type, const double r[3], double gradient[PIO_ELEMENT_NODES][3]);

/* ---- meshes --------------------------------------------------------------------------------------------- */

typedef struct pio_mesh_block { /* all elements of one type */
    int32_t n, first;           /* numbers first ... first + n - 1 */
    int32_t *nodes;             /* [n][nodes of the type] */
    int64_t *tag;               /* [n] number in the file, from 1 */
} pio_mesh_block;

typedef struct pio_mesh_group {
    char *name;        /* unique in its dimension; "group_<tag>" where the file has none */
    int dimension;     /* of its elements */
    int32_t tag;       /* in the file */
    int32_t n;         /* elements; may be 0 */
    int32_t *elements; /* [n] ascending */
} pio_mesh_group;

typedef struct pio_mesh_face {
    int32_t cell, face; /* face of the element's table */
} pio_mesh_face;

enum { PIO_MESH_WARNINGS = 16, PIO_MESH_WARNING = 256 };

typedef struct pio_mesh {
    char *name;    /* the file, or what was built */
    bool built;    /* not from a file */
    int dimension; /* 2 (z = 0) or 3 */
    int32_t n_nodes, n_cells, n_facets, n_elements;
    double *x;         /* [n_nodes][3] m */
    int64_t *node_tag; /* [n_nodes] number in the file, from 1 */
    pio_mesh_block block[PIO_ELEMENT_TYPES];
    int32_t n_groups, n_outer;
    pio_mesh_group *groups; /* by dimension, greatest first, then by tag */
    pio_mesh_face *outer;   /* [n_outer] faces with one neighbour, by cell and face */
    pio_mesh_face *facet;   /* [n_facets] the face that a facet is; between two cells, of the cell from which the
                               facet's own order of nodes points outward */
    double low[3], high[3]; /* bounding box, m */
    double volume;          /* m^3 (2D: m^2) */
    int n_warnings;         /* may exceed the number that is kept */
    char warnings[PIO_MESH_WARNINGS][PIO_MESH_WARNING];
} pio_mesh;

/* Read a Gmsh file, MSH 2.2 or 4.1, ASCII or binary in either byte order (Gmsh Reference Manual, "MSH file format").
 * A file of triangles and quadrangles that lie in z = 0 (within 1e-9 of its box) is 2D and z becomes 0. Nodes of no
 * cell are left out, with a warning. On failure *out is empty (safe to free) and status is PIOLA_NO_INPUT,
 * PIOLA_BAD_DATA or PIOLA_NO_MEMORY; the message begins with `file:line:`, `file: offset N:` or, for the mesh as a
 * whole, `file:`. */
piola_status pio_mesh_read(pio_mesh *out, const char *path, piola_error *error);
void pio_mesh_free(pio_mesh *mesh);

/* Is it such a file, by its first bytes or its name? */
bool pio_mesh_is_msh(const char *path);

/* ---- builders: nodes and elements in the order x, y, z, x fastest; the group of all cells is "all" ------- */

/* A box of count[a] cells per axis; triangles halve, tetrahedra cut a cell in six (Kuhn 1960: conforming). The type's
 * dimension is the mesh's. Groups left, right, bottom, top (and in 3D front, back): x-, x+, y-, y+, z-, z+. */
piola_status pio_mesh_box(pio_mesh *out, pio_element_type type, const int32_t count[3], const double origin[3],
                          const double size[3], piola_error *error);

/* 2D: four corners, counter-clockwise, mapped bilinearly; count[0] cells from corner 0 to 1 and count[1] from 0 to 3.
 * Groups left (side 3-0), right (1-2), bottom (0-1), top (2-3). */
piola_status pio_mesh_quadrilateral(pio_mesh *out, pio_element_type type, const int32_t count[2],
                                    const double corner[4][2], piola_error *error);

/* Quarter of a square plate with a hole: 0 <= x, y <= size without the disc of `radius` about the origin. count: cells
 * outward, around the quarter hole (even), and through the thickness (3D). Cells grow outward in proportion to their
 * distance from the origin. Groups hole, right (x = size), top (y = size), left and symmetry_x (x = 0), bottom and
 * symmetry_y (y = 0), in 3D front (z = 0) and back (z = thickness). `thickness` is not used in 2D. */
piola_status pio_mesh_plate(pio_mesh *out, pio_element_type type, const int32_t count[3], double radius, double size,
                            double thickness, piola_error *error);

/* ---- questions; lists are ascending and without repeats; free(list.item) ---------------------------------- */

typedef struct pio_index_list {
    int32_t n;
    int32_t *item; /* never NULL after success */
} pio_index_list;

typedef struct pio_face_list {
    int32_t n;
    pio_mesh_face *item;
} pio_face_list;

/* Nodes of an element, and its type. */
const int32_t *pio_mesh_element(const pio_mesh *mesh, int32_t element, pio_element_type *type);
int64_t pio_mesh_element_tag(const pio_mesh *mesh, int32_t element);
/* Nodes of a face in VTK's order, its outside as told above; returns how many. */
int pio_mesh_face_nodes(const pio_mesh *mesh, pio_mesh_face face, int32_t nodes[PIO_FACE_NODES]);

/* Nodes of all groups of the name, whatever their dimension; PIOLA_BAD_DATA where there is none, as below. */
piola_status pio_mesh_group_nodes(const pio_mesh *mesh, const char *name, pio_index_list *out, piola_error *error);
piola_status pio_mesh_group_cells(const pio_mesh *mesh, const char *name, pio_index_list *out, piola_error *error);
/* Each facet as the face of a cell; how many of a list are not outer faces. */
int32_t pio_mesh_count_inner(const pio_mesh *mesh, const pio_face_list *faces);
piola_status pio_mesh_group_faces(const pio_mesh *mesh, const char *name, pio_face_list *out, piola_error *error);

/* low[a] <= x[a] <= high[a] for every axis of the mesh. */
piola_status pio_mesh_nodes_in_box(const pio_mesh *mesh, const double low[3], const double high[3], pio_index_list *out,
                                   piola_error *error);
/* The outer faces all of whose nodes are in the box, and how large a face is: m^2, in 2D m. */
piola_status pio_mesh_faces_in_box(const pio_mesh *mesh, const double low[3], const double high[3], pio_face_list *out,
                                   piola_error *error);
double pio_mesh_face_area(const pio_mesh *mesh, pio_mesh_face face);
/* Volume of every cell, [n_cells] m^3 (2D: m^2). */
void pio_mesh_cell_volumes(const pio_mesh *mesh, double *volume);
/* Faces between two cells, each once as the first cell has it, and the other cell in other[i]; free both. */
piola_status pio_mesh_inner_faces(const pio_mesh *mesh, pio_face_list *out, int32_t **other, piola_error *error);
/* |(x - origin) . normal| <= tolerance |normal|; the normal must not vanish. */
piola_status pio_mesh_nodes_on_plane(const pio_mesh *mesh, const double origin[3], const double normal[3],
                                     double tolerance, pio_index_list *out, piola_error *error);
/* The outer faces all of whose nodes are such nodes. */
piola_status pio_mesh_faces_on_plane(const pio_mesh *mesh, const double origin[3], const double normal[3],
                                     double tolerance, pio_face_list *out, piola_error *error);

#define PIO_MESH_SLIVER 0.01 /* of shape: below it a mesh gets a warning */
typedef struct pio_mesh_quality {
    double edge_min, edge_max; /* between corners, m */
    double cell_min, cell_max; /* volume of a cell, m^3 (2D: m^2) */
    double volume;             /* their sum */
    double jacobian_ratio; /* least over the cells of (least / greatest Jacobian at its points): 1 for affine cells */
    /* Least over the cells and their points of the mean ratio of the map from the ideal element, one of equal edges and
     * (of quadrilaterals and hexahedra) right angles: 1 for that, 0 for a flat one. A triangle of height h << 1 over an
     * edge of 1 has
     * 2.3 h, a rectangle of sides 1 and h 2 h, a brick of sides 1, 1 and h 1.5 h^(2/3). */
    double shape;
    int32_t worst;   /* cell that has it */
    int64_t slivers; /* cells below PIO_MESH_SLIVER */
} pio_mesh_quality;
void pio_mesh_measure(const pio_mesh *mesh, pio_mesh_quality *out);
/* The quality's edge_min alone. */
double pio_mesh_shortest_edge(const pio_mesh *mesh);

/* A warning where the box, as it was read, and then times `scale`, is of a size that unlike units make: more than 10 m
 * without a scale (NaN), with one more than 1 km; less than 1 um. */
void pio_mesh_check_size(pio_mesh *mesh, double scale);

/* What the mesh holds, for people on stdout or as one JSON text. */
piola_status pio_mesh_report(const pio_mesh *mesh, bool json, piola_error *error);

#endif
