/* Room host/mesh: meshes of finite elements: read from Gmsh or built, checked, and queried. */
/* mesh.h -- finite-element meshes: nodes, elements by type, and named groups. They are read from Gmsh files or built
 * here.
 *
 * Nodes of an element are in VTK's order (VTK User's Guide, chapter 19; vtkQuadraticTetra.h, vtkQuadraticQuad.h,
 * vtkBiQuadraticQuad.h, vtkQuadraticHexahedron.h, vtkTriQuadraticHexahedron.h). Cells are the elements of the mesh's
 * dimension, facets those of one dimension less: the cells are the elements 0 ... n_cells-1, the facets follow, then
 * edges of a 3D mesh, then points. Every cell has a positive Jacobian at its nodes and at the points of its quadrature
 * rule, and every node belongs to a cell. */
#ifndef PIOLA_HOST_MESH_H
#define PIOLA_HOST_MESH_H

#include "solvers/engine/engine.h"

/* ---- kinds of elements ---------------------------------------------------------------------------------- */

enum { PIO_ELEMENT_NODES = 27, PIO_ELEMENT_FACES = 6, PIO_ELEMENT_EDGES = 12, PIO_FACE_NODES = 9 }; /* at most */

typedef struct pio_element {
    const char *name;                     /* name in scenes, such as "hex8" */
    int nodes, corners, dimension, order; /* order: degree of the shape functions, 1 or 2 */
    int vtk, gmsh;                        /* numbers of the type in VTK and in Gmsh */
    int faces, edges;
    pio_element_type face_type; /* type of its faces */
    /* Local nodes of the faces (in 2D: edges), in VTK's order of face_type, counter-clockwise as seen from outside; in
     * 2D the outside is to the right of the direction from node 0 to node 1. Hexahedra: x-, x+, y-, y+, z-, z+. */
    int8_t face[PIO_ELEMENT_FACES][PIO_FACE_NODES];
    int8_t edge[PIO_ELEMENT_EDGES][2]; /* corners of each edge; the middle node of edge e is corners + e */
    const int8_t *from_gmsh;           /* node a is Gmsh's node from_gmsh[a]; NULL: the same order */
    /* [nodes][3] coordinates in the reference element: of simplices 0 <= r, s, t and r + s + t <= 1; of others -1 <= r,
     * s, t <= 1. */
    const double (*place)[3];
} pio_element;

extern const pio_element pio_elements[PIO_ELEMENT_TYPES];
/* Returns whether the gradient of a displacement is constant in an element, and its dilatation with it: linear
 * triangles and tetrahedra. */
bool pio_element_has_one_dilatation(pio_element_type type);

/* Computes the derivatives dN_a/dr_j of the shape functions at the point r of the reference element into
 * gradient[a][j]. */
void pio_element_gradients(pio_element_type type, const double r[3], double gradient[PIO_ELEMENT_NODES][3]);

/* Computes the values of the shape functions at the point r of the reference element into value[a]. */
void pio_element_values(pio_element_type type, const double r[3], double value[PIO_ELEMENT_NODES]);

/* ---- meshes --------------------------------------------------------------------------------------------- */

typedef struct pio_mesh_block { /* all elements of one type */
    int32_t n, first;           /* their number; they are elements first ... first + n - 1 */
    int32_t *nodes;             /* [n][nodes of the type] */
    int64_t *tag;
} pio_mesh_block;

typedef struct pio_mesh_group {
    char *name;        /* unique in its dimension; "group_<tag>" if the file has no name */
    int dimension;     /* dimension of its elements */
    int32_t tag;       /* tag in the file */
    int32_t n;         /* number of elements; may be 0 */
    int32_t *elements; /* [n] in ascending order */
} pio_mesh_group;

typedef struct pio_mesh_face {
    int32_t cell, face; /* an element, and the number of one of its faces in pio_element.face */
} pio_mesh_face;

enum { PIO_MESH_WARNINGS = 16, PIO_MESH_WARNING = 256 };

typedef struct pio_mesh {
    char *name;    /* name of the file, or of the shape that was built */
    bool built;    /* it was built, not read from a file */
    int dimension; /* 2 (z = 0) or 3 */
    int32_t n_nodes, n_cells, n_facets, n_elements;
    double *x;         /* [n_nodes][3] m */
    int64_t *node_tag; /* [n_nodes] number in the file, from 1 */
    pio_mesh_block block[PIO_ELEMENT_TYPES];
    int32_t n_groups, n_outer; /* groups; outer faces */
    pio_mesh_group *groups;    /* [n_groups] sorted by dimension, greatest first, then by tag */
    pio_mesh_face *outer;      /* [n_outer] faces of one cell only, sorted by cell and face */
    /* [n_facets] face of a cell that each facet is; of two cells, the one from which the facet's own order of nodes
     * points outward */
    pio_mesh_face *facet;
    double low[3], high[3]; /* bounding box, m */
    double volume;          /* m^3 (2D: m^2) */
    int n_warnings;         /* number of warnings, of which the first PIO_MESH_WARNINGS are kept */
    char warnings[PIO_MESH_WARNINGS][PIO_MESH_WARNING];
} pio_mesh;

/* Reads a Gmsh file, MSH 2.2 or 4.1, ASCII or binary in either byte order (Gmsh Reference Manual, "MSH file format"). A
 * file of triangles and quadrangles in the plane z = 0 (within 1e-9 of its box) gives a 2D mesh, with z set to 0. Nodes
 * of no cell are left out, with a warning. On failure *out is empty (safe to free) and the status is PIOLA_NO_INPUT,
 * PIOLA_BAD_DATA, PIOLA_NO_MEMORY or PIOLA_INTERRUPTED; the message begins with `file:line:`, `file: offset N:` or, for
 * the mesh as a whole, `file:`. */
piola_status pio_mesh_read(pio_mesh *out, const char *path, piola_error *error);
/* Frees what a mesh holds. */
void pio_mesh_free(pio_mesh *mesh);

/* Returns whether a file is a Gmsh file, by its first bytes or its name. */
bool pio_mesh_is_msh(const char *path);

/* ---- builders: nodes and elements in the order x, y, z, x fastest; the group of all cells is "all" ------- */

/* Builds a box from `origin` with edges `size` (m) and count[a] cells along each axis; triangles halve a cell,
 * tetrahedra divide it into six (Kuhn 1960: conforming). The dimension of the element type is that of the mesh. The
 * groups left, right, bottom, top (and in 3D front, back) are the sides x-, x+, y-, y+, z-, z+. Returns PIOLA_BAD_DATA
 * for sizes or counts that make no mesh, PIOLA_NO_MEMORY, or PIOLA_INTERRUPTED. */
piola_status pio_mesh_box(pio_mesh *out, pio_element_type type, const int32_t count[3], const double origin[3],
                          const double size[3], piola_error *error);

/* Builds a 2D mesh of the quadrilateral with four corners (m), counter-clockwise, by bilinear mapping; count[0] cells
 * lie from corner 0 to 1, and count[1] from 0 to 3. Groups are left (side 3-0), right (1-2), bottom (0-1) and top
 * (2-3). Returns PIOLA_BAD_DATA for another order of the corners, a type of element that is not 2D, or counts that make
 * no mesh, PIOLA_NO_MEMORY, or PIOLA_INTERRUPTED. */
piola_status pio_mesh_quadrilateral(pio_mesh *out, pio_element_type type, const int32_t count[2],
                                    const double corner[4][2], piola_error *error);

/* Builds a quarter of a square plate with a hole: 0 <= x, y <= size (m) without the disc of `radius` (m) about the
 * origin. `count` is the number of cells outward, around the quarter hole (even), and through the thickness (3D). Cells
 * grow outward in proportion to their distance from the origin. Groups are hole, right (x = size), top (y = size), left
 * and symmetry_x (x = 0), bottom and symmetry_y (y = 0), in 3D also front (z = 0) and back (z = thickness). `thickness`
 * is not used in 2D. Returns PIOLA_BAD_DATA for sizes or counts that make no mesh, PIOLA_NO_MEMORY, or
 * PIOLA_INTERRUPTED. */
piola_status pio_mesh_plate(pio_mesh *out, pio_element_type type, const int32_t count[3], double radius, double size,
                            double thickness, piola_error *error);

/* ---- queries; lists are in ascending order without repeats, and the caller frees list.item ------------------- */

typedef struct pio_index_list {
    int32_t n;     /* length of the list */
    int32_t *item; /* [n] indices; never NULL after success */
} pio_index_list;

typedef struct pio_face_list {
    int32_t n;           /* length of the list */
    pio_mesh_face *item; /* [n] faces; never NULL after success */
} pio_face_list;

/* Returns the nodes of an element, and its type in *type. */
const int32_t *pio_mesh_element(const pio_mesh *mesh, int32_t element, pio_element_type *type);
/* Sets the centre of an element, the mean of its nodes, m; of a mesh in 2D z is 0. */
void pio_mesh_center(const pio_mesh *mesh, int32_t element, double center[3]);
/* Returns the number that an element has in the file, from 1. */
int64_t pio_mesh_element_tag(const pio_mesh *mesh, int32_t element);
/* Writes the nodes of a face in VTK's order, oriented as in pio_element.face; returns their number. */
int pio_mesh_face_nodes(const pio_mesh *mesh, pio_mesh_face face, int32_t nodes[PIO_FACE_NODES]);

/* Lists the nodes of all groups of that name, of any dimension. Returns PIOLA_BAD_DATA if there is none, or
 * PIOLA_NO_MEMORY. */
piola_status pio_mesh_group_nodes(const pio_mesh *mesh, const char *name, pio_index_list *out, piola_error *error);
/* Lists the cells of the group of that name. Returns PIOLA_BAD_DATA if there is none, or PIOLA_NO_MEMORY. */
piola_status pio_mesh_group_cells(const pio_mesh *mesh, const char *name, pio_index_list *out, piola_error *error);
/* Returns how many faces of a list are not outer faces. */
int32_t pio_mesh_count_inner(const pio_mesh *mesh, const pio_face_list *faces);
/* Lists the facets of the group of that name, each as a face of a cell. Returns PIOLA_BAD_DATA if there is none, or
 * PIOLA_NO_MEMORY. */
piola_status pio_mesh_group_faces(const pio_mesh *mesh, const char *name, pio_face_list *out, piola_error *error);

/* Lists the nodes with low[a] <= x[a] <= high[a] (m) for every axis of the mesh. Returns PIOLA_NO_MEMORY if that fails;
 * an empty list is no error. */
piola_status pio_mesh_nodes_in_box(const pio_mesh *mesh, const double low[3], const double high[3], pio_index_list *out,
                                   piola_error *error);
/* Lists the outer faces whose nodes all lie in the box (m). Returns PIOLA_NO_MEMORY if that fails; an empty list is no
 * error. */
piola_status pio_mesh_faces_in_box(const pio_mesh *mesh, const double low[3], const double high[3], pio_face_list *out,
                                   piola_error *error);
/* Returns the area of a face in m^2, in 2D its length in m. */
double pio_mesh_face_area(const pio_mesh *mesh, pio_mesh_face face);
/* Computes the volume of every cell, [n_cells] m^3 (2D: m^2). */
void pio_mesh_cell_volumes(const pio_mesh *mesh, double *volume);
/* Computes the volume of the ring that every cell of a 2D mesh sweeps about the axis x = 0, [n_cells] m^3. */
void pio_mesh_ring_volumes(const pio_mesh *mesh, double *volume);
/* Lists the faces between two cells, each once as a face of the first cell; other[i] is the other cell. The caller
 * frees both lists. Returns PIOLA_NO_MEMORY or PIOLA_INTERRUPTED. */
piola_status pio_mesh_inner_faces(const pio_mesh *mesh, pio_face_list *out, int32_t **other, piola_error *error);

/* Finds elements by points (mesh_locate.c). */
typedef struct pio_mesh_locator {
    const pio_mesh *mesh;
    double *low;   /* [n_cells] where the box of each element begins along x, m */
    int32_t *cell; /* [n_cells] elements, in the order of that */
    double widest; /* width of the widest box, m */
} pio_mesh_locator;
/* A point of an element: its coordinates in the reference element. */
typedef struct pio_mesh_point {
    int32_t cell; /* number of the element */
    double r[3];
} pio_mesh_point;
/* Prepares a mesh, which must stay, for pio_mesh_locate(). Returns PIOLA_NO_MEMORY or PIOLA_INTERRUPTED. */
piola_status pio_mesh_locator_create(pio_mesh_locator *out, const pio_mesh *mesh, piola_error *error);
/* Frees what a locator holds. */
void pio_mesh_locator_free(pio_mesh_locator *locator);
/* Returns the number of elements in which the place x (m) lies, or outside of which it is by no more than a millionth
 * of an element, and writes up to `most` of them; all, in ascending order, if they are no more than that. The point in
 * the reference element is found by Newton's method. */
int32_t pio_mesh_locate(const pio_mesh_locator *locator, const double x[3], pio_mesh_point *out, int32_t most);
/* Computes the point of the mesh that is nearest to x, m. */
void pio_mesh_nearest(const pio_mesh *mesh, const double x[3], double out[3]);

#define PIO_MESH_SLIVER 0.01 /* shape below which an element is a sliver, of which the user is warned */
typedef struct pio_mesh_quality {
    double edge_min, edge_max; /* shortest and longest edge between corners, m */
    double cell_min, cell_max; /* least and greatest volume of a cell, m^3 (2D: m^2) */
    double volume;             /* total volume, m^3 (2D: m^2) */
    double jacobian_ratio; /* least over the cells of (least / greatest Jacobian at its points); 1 for affine cells */
    /* The least, over the cells and their points, of the mean ratio of the map from the ideal element, which has equal
     * edges and (for quadrilaterals and hexahedra) right angles: 1 for that, 0 for a flat one. A triangle of height h
     * << 1 over an edge of 1 has 2.3 h, a rectangle of sides 1 and h 2 h, a brick of sides 1, 1 and h 1.5 h^(2/3).
     */
    double shape;
    int32_t worst;   /* the cell with the least shape */
    int64_t slivers; /* number of cells whose shape is below PIO_MESH_SLIVER */
} pio_mesh_quality;
/* Computes the quality of a mesh. */
void pio_mesh_measure(const pio_mesh *mesh, pio_mesh_quality *out);
/* Computes edge_min alone, m. */
double pio_mesh_shortest_edge(const pio_mesh *mesh);

/* Adds a warning if the size of the box, as it was read and after multiplication by `scale`, suggests wrong units: if
 * it is more than 10 m without a scale (NaN), more than 1 km with one, or less than 1 um. */
void pio_mesh_check_size(pio_mesh *mesh, double scale);

/* Prints what the mesh holds to stdout, as text or as one JSON object. Returns PIOLA_NO_MEMORY, or PIOLA_IO if any of
 * the output was lost. */
piola_status pio_mesh_report(const pio_mesh *mesh, bool json, piola_error *error);

#endif
