/* mesh_build.c -- structured meshes: a lattice of nodes, cut into elements and mapped into space. */
#include "host/mesh/mesh_parts.h"

#include "host/base/fail.h"
#include "host/base/signals.h"
#include "host/base/stop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PARTS = 6 };

/* A lattice with `order` steps per cell; u = (0 ... 1) along each axis, mapped to x. */
typedef struct {
    const char *name;
    pio_element_type type;
    int order;
    int32_t count[3], steps[3]; /* cells; steps of the lattice (0 along z in 2D) */
    void (*place)(const void *shape, const double u[3], double x[3]);
    const void *shape;
    int32_t sides[3][2]; /* set of groups of each side */
    int32_t second;      /* set of groups of the second half (along axis 1) of the far side of axis 0, or -1 */
    int parts;           /* elements per cell */
    int8_t offset[MOST_PARTS][PIO_ELEMENT_NODES][3]; /* offsets of their nodes, in steps */
} lattice;

/* ---- elements of a cell ------------------------------------------------------------------------------------ */

/* Simplices of the unit cell by their corners: along x then y, along y then x, ... (Kuhn 1960), mirrored where they
 * would be inverted. */
static const int8_t triangles[2][3][3] = {{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}}, {{0, 0, 0}, {1, 1, 0}, {0, 1, 0}}};
static const int8_t tetrahedra[6][4][3] = {
    {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {1, 1, 1}}, {{0, 0, 0}, {0, 1, 0}, {0, 1, 1}, {1, 1, 1}},
    {{0, 0, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}}, {{0, 0, 0}, {1, 0, 1}, {1, 0, 0}, {1, 1, 1}},
    {{0, 0, 0}, {1, 1, 0}, {0, 1, 0}, {1, 1, 1}}, {{0, 0, 0}, {0, 1, 1}, {0, 0, 1}, {1, 1, 1}}};

static void cut_cell(lattice *l)
{
    const pio_element *e = &pio_elements[l->type];
    const bool simplex = e->corners == e->dimension + 1;
    l->parts = !simplex ? 1 : e->dimension == 2 ? 2 : 6;
    for (int p = 0; p < l->parts; p++)
        for (int a = 0; a < e->nodes; a++)
            for (int i = 0; i < e->dimension; i++) {
                double at = simplex ? 0 : (e->place[a][i] + 1) / 2;
                for (int c = 1; simplex && c < e->corners; c++) /* corner 0 is the origin */
                    at += e->place[a][c - 1] * (e->dimension == 2 ? triangles[p][c][i] : tetrahedra[p][c][i]);
                l->offset[p][a][i] = (int8_t)lround(at * e->order);
            }
}

static int32_t node_at(const lattice *l, const int32_t at[3])
{
    return at[0] + (l->steps[0] + 1) * (at[1] + (l->steps[1] + 1) * at[2]);
}

/* ---- sides ------------------------------------------------------------------------------------------------- */

/* Returns the set of the side on which all these lattice points lie, or -1. */
static int32_t side_of(const lattice *l, const int32_t (*at)[3], int n)
{
    for (int axis = 0; axis < pio_elements[l->type].dimension; axis++)
        for (int end = 0; end < 2; end++) {
            int on = 0;
            bool first_half = true;
            for (int a = 0; a < n; a++) {
                on += at[a][axis] == (end ? l->steps[axis] : 0);
                first_half &= 2 * at[a][1] <= l->steps[1];
            }
            if (on == n)
                return axis == 0 && end == 1 && l->second >= 0 && !first_half ? l->second : l->sides[axis][end];
        }
    return -1;
}

static bool add_facets(pio_raw_mesh *raw, const lattice *l, const int32_t (*at)[3])
{
    const pio_element *e = &pio_elements[l->type], *of = &pio_elements[e->face_type];
    for (int f = 0; f < e->faces; f++) {
        int32_t place[PIO_FACE_NODES][3];
        for (int a = 0; a < of->nodes; a++) memcpy(place[a], at[e->face[f][a]], sizeof place[a]);
        const int32_t set = side_of(l, (const int32_t(*)[3])place, of->nodes);
        if (set < 0) continue;
        int32_t *nodes = pio_raw_element(raw, e->face_type, raw->block[e->face_type].n + 1, set);
        if (!nodes) return false;
        for (int a = 0; a < of->nodes; a++) nodes[a] = node_at(l, place[a]);
    }
    return true;
}

/* Adds the elements of one cell, and their facets on the sides. */
static bool add_cell(pio_raw_mesh *raw, const lattice *l, const int32_t cell[3], int32_t all)
{
    const pio_element *e = &pio_elements[l->type];
    bool outside = false;
    for (int i = 0; i < e->dimension; i++) outside |= cell[i] == 0 || cell[i] == l->count[i] - 1;
    for (int p = 0; p < l->parts; p++) {
        int32_t at[PIO_ELEMENT_NODES][3];
        int32_t *nodes = pio_raw_element(raw, l->type, raw->block[l->type].n + 1, all);
        if (!nodes) return false;
        for (int a = 0; a < e->nodes; a++) {
            for (int i = 0; i < 3; i++) at[a][i] = cell[i] * l->order + l->offset[p][a][i];
            nodes[a] = node_at(l, at[a]);
        }
        if (outside && !add_facets(raw, l, (const int32_t(*)[3])at)) return false;
    }
    return true;
}

/* ---- the whole --------------------------------------------------------------------------------------------- */

/* Finds or adds a group with a name, and adds its number to `group`. */
static bool name_group(pio_raw_mesh *raw, int dimension, const char *name, int32_t group[2], int *n)
{
    int32_t tag = 1;
    for (int32_t g = 0; g < raw->mesh.n_groups; g++) tag += raw->mesh.groups[g].dimension == dimension;
    const int32_t g = pio_raw_group(raw, dimension, tag);
    char *copy = strdup(name);
    if (g < 0 || !copy) {
        free(copy);
        return false;
    }
    free(raw->mesh.groups[g].name);
    raw->mesh.groups[g].name = copy;
    group[(*n)++] = g;
    return true;
}

/* Returns a set of one or two named groups; -1 without memory. */
static int32_t name_set(pio_raw_mesh *raw, int dimension, const char *name, const char *other)
{
    int32_t group[2];
    int n = 0;
    if (!name_group(raw, dimension, name, group, &n)) return -1;
    if (other && !name_group(raw, dimension, other, group, &n)) return -1;
    return pio_raw_set_add(raw, group, n);
}

static bool place_nodes(pio_mesh *mesh, const lattice *l)
{
    int32_t at[3];
    const size_t n = (size_t)(l->steps[0] + 1) * (size_t)(l->steps[1] + 1) * (size_t)(l->steps[2] + 1);
    mesh->x = malloc(n * 3 * sizeof *mesh->x);
    mesh->node_tag = malloc(n * sizeof *mesh->node_tag);
    if (!mesh->x || !mesh->node_tag) return false;
    for (at[2] = 0; at[2] <= l->steps[2]; at[2]++)
        for (at[1] = 0; at[1] <= l->steps[1] && !pio_interrupted(); at[1]++)
            for (at[0] = 0; at[0] <= l->steps[0]; at[0]++) {
                double u[3] = {0};
                for (int a = 0; a < 3; a++) u[a] = l->steps[a] ? (double)at[a] / l->steps[a] : 0;
                l->place(l->shape, u, mesh->x + 3 * (size_t)mesh->n_nodes);
                mesh->node_tag[mesh->n_nodes] = mesh->n_nodes + 1;
                mesh->n_nodes++;
            }
    return true;
}

static bool fill(pio_raw_mesh *raw, const lattice *l, const char *const (*names)[2])
{
    const int dimension = pio_elements[l->type].dimension;
    lattice sided = *l;
    int32_t cell[3];
    const int32_t all = name_set(raw, dimension, "all", NULL);
    bool good = all >= 0 && place_nodes(&raw->mesh, l);
    for (int s = 0; good && s < 2 * dimension; s++) {
        sided.sides[s / 2][s % 2] = name_set(raw, dimension - 1, names[s][0], names[s][1]);
        good = sided.sides[s / 2][s % 2] >= 0;
    }
    if (good && l->second > 0) sided.second = name_set(raw, dimension - 1, "top", NULL);
    good = good && (l->second <= 0 || sided.second >= 0);
    for (cell[2] = 0; good && cell[2] < l->count[2]; cell[2]++)
        for (cell[1] = 0; good && cell[1] < l->count[1] && !pio_interrupted(); cell[1]++)
            for (cell[0] = 0; good && cell[0] < l->count[0]; cell[0]++) good = add_cell(raw, &sided, cell, all);
    return good;
}

/* Builds the mesh. `names` are those of the near and far side along each axis; with l->second > 0, "top" is the second
 * half. */
static piola_status build(lattice *l, const int32_t *count, const char *const (*names)[2], pio_mesh *out,
                          piola_error *error)
{
    const pio_element *e = &pio_elements[l->type];
    pio_raw_mesh raw = {0};
    double nodes = 1, cells = 6;
    l->order = e->order;
    for (int a = 0; a < 3; a++) {
        l->count[a] = a < e->dimension ? count[a] : 1;
        if (l->count[a] < 1)
            return pio_fail(error, PIOLA_BAD_DATA, "%s: %d cells along axis %d; at least 1 is needed", l->name,
                            l->count[a], a);
        nodes *= a < e->dimension ? (double)e->order * l->count[a] + 1 : 1;
        cells *= l->count[a];
    }
    if (nodes > INT32_MAX / 3 || cells > INT32_MAX)
        return pio_fail(error, PIOLA_BAD_DATA,
                        "%s: %.3g nodes and up to %.3g elements; at most %d nodes and 2147483647 "
                        "elements can be numbered",
                        l->name, nodes, cells, INT32_MAX / 3);
    for (int a = 0; a < e->dimension; a++) l->steps[a] = e->order * l->count[a];
    cut_cell(l);
    raw.mesh.built = true;
    raw.mesh.name = strdup(l->name);
    const bool filled = raw.mesh.name && fill(&raw, l, names);
    const piola_status stopped = pio_stop("building a mesh", error);
    if (filled && !stopped) return pio_raw_finish(&raw, out, error);
    pio_raw_free(&raw);
    return stopped ? stopped : pio_fail_memory(error, (size_t)(nodes * 32 + cells * e->nodes * 4), "a mesh");
}

static piola_status check_type(pio_element_type type, const char *name, int least, int most, piola_error *error)
{
    if ((int)type >= 0 && type < PIO_ELEMENT_TYPES && pio_elements[type].dimension >= least &&
        pio_elements[type].dimension <= most)
        return PIOLA_OK;
    return pio_fail(error, PIOLA_BAD_DATA, "%s: it cannot be made of this type of element; use %s%s%s", name,
                    least == 2 ? "tri3, tri6, quad4, quad8, quad9" : "", least < most ? ", " : "",
                    most == 3 ? "tet4, tet10, hex8, hex20, hex27" : "");
}

static bool good_size(double size)
{
    return size > 0 && size <= 1e12;
}

/* ---- a box ------------------------------------------------------------------------------------------------- */

typedef struct {
    double origin[3], size[3];
} box_shape;

static void place_in_box(const void *shape, const double u[3], double x[3])
{
    const box_shape *s = shape;
    for (int a = 0; a < 3; a++) x[a] = s->origin[a] + u[a] * s->size[a];
}

piola_status pio_mesh_box(pio_mesh *out, pio_element_type type, const int32_t count[3], const double origin[3],
                          const double size[3], piola_error *error)
{
    static const char *const names[6][2] = {{"left"}, {"right"}, {"bottom"}, {"top"}, {"front"}, {"back"}};
    box_shape shape = {{0}, {0}};
    lattice l = {.name = "box", .type = type, .place = place_in_box, .shape = &shape, .second = -1};
    *out = (pio_mesh){0};
    const piola_status status = check_type(type, l.name, 2, 3, error);
    if (status) return status;
    for (int a = 0; a < pio_elements[type].dimension; a++) {
        shape.origin[a] = origin[a];
        shape.size[a] = size[a];
        if (!good_size(size[a]) || !(fabs(origin[a]) <= 1e12))
            return pio_fail(error, PIOLA_BAD_DATA,
                            "box: from %g m, %g m long along axis %d; a size must be above 0 and all "
                            "at most 1e12",
                            origin[a], size[a], a);
    }
    return build(&l, count, names, out, error);
}

/* ---- a quadrilateral --------------------------------------------------------------------------------------- */

typedef struct {
    double corner[4][2];
} quadrilateral_shape;

static void place_in_quadrilateral(const void *shape, const double u[3], double x[3])
{
    const quadrilateral_shape *s = shape;
    const double w[4] = {(1 - u[0]) * (1 - u[1]), u[0] * (1 - u[1]), u[0] * u[1], (1 - u[0]) * u[1]};
    x[0] = x[1] = x[2] = 0;
    for (int c = 0; c < 4; c++)
        for (int a = 0; a < 2; a++) x[a] += w[c] * s->corner[c][a];
}

piola_status pio_mesh_quadrilateral(pio_mesh *out, pio_element_type type, const int32_t count[2],
                                    const double corner[4][2], piola_error *error)
{
    static const char *const names[4][2] = {{"left"}, {"right"}, {"bottom"}, {"top"}};
    quadrilateral_shape shape;
    lattice l = {.name = "quadrilateral", .type = type, .place = place_in_quadrilateral, .shape = &shape, .second = -1};
    *out = (pio_mesh){0};
    const piola_status status = check_type(type, l.name, 2, 2, error);
    if (status) return status;
    memcpy(shape.corner, corner, sizeof shape.corner);
    for (int c = 0; c < 4; c++) {
        const double *a = corner[(c + 3) % 4], *b = corner[c], *d = corner[(c + 1) % 4];
        const double area = (b[0] - a[0]) * (d[1] - b[1]) - (b[1] - a[1]) * (d[0] - b[0]);
        if (!(fabs(b[0]) <= 1e12 && fabs(b[1]) <= 1e12) || !(area > 0))
            return pio_fail(
                error, PIOLA_BAD_DATA,
                "quadrilateral: the sides do not turn left at corner %d (%g, %g); give four corners of a convex "
                "quadrilateral, counter-clockwise",
                c, b[0], b[1]);
    }
    return build(&l, count, names, out, error);
}

/* ---- a plate with a hole ----------------------------------------------------------------------------------- */

typedef struct {
    double radius, size, thickness;
} plate_shape;

/* Maps u[0] from the hole outward, and u[1] around it from the x axis to the y axis. */
static void place_in_plate(const void *shape, const double u[3], double x[3])
{
    const plate_shape *s = shape;
    const double angle = u[1] * M_PI / 2, ratio = s->size / s->radius;
    const double far[2] = {u[1] <= 0.5 ? s->size : s->size * (2 - 2 * u[1]),
                           u[1] <= 0.5 ? 2 * u[1] * s->size : s->size};
    const double near[2] = {u[1] < 1 ? s->radius * cos(angle) : 0, s->radius * sin(angle)};
    const double part = (pow(ratio, u[0]) - 1) / (ratio - 1); /* lengths grow in proportion to the distance */
    for (int a = 0; a < 2; a++) x[a] = u[0] < 1 ? near[a] + part * (far[a] - near[a]) : far[a];
    x[2] = u[2] * s->thickness;
}

piola_status pio_mesh_plate(pio_mesh *out, pio_element_type type, const int32_t count[3], double radius, double size,
                            double thickness, piola_error *error)
{
    static const char *const names[6][2] = {{"hole"},  {"right"}, {"bottom", "symmetry_y"}, {"left", "symmetry_x"},
                                            {"front"}, {"back"}};
    const plate_shape shape = {radius, size, thickness};
    lattice l = {.name = "plate", .type = type, .place = place_in_plate, .shape = &shape, .second = 1};
    *out = (pio_mesh){0};
    const piola_status status = check_type(type, l.name, 2, 3, error);
    if (status) return status;
    if (!good_size(radius) || !good_size(size) || !(radius < size))
        return pio_fail(error, PIOLA_BAD_DATA,
                        "plate: a hole of radius %g m in a quarter of size %g m; 0 < radius < size", radius, size);
    if (pio_elements[type].dimension == 3 && !good_size(thickness))
        return pio_fail(error, PIOLA_BAD_DATA, "plate: a thickness of %g m; it must be above 0", thickness);
    if (count[1] % 2)
        return pio_fail(error, PIOLA_BAD_DATA,
                        "plate: %d cells around the quarter hole; an even number puts one edge into the plate's corner",
                        count[1]);
    return build(&l, count, names, out, error);
}
