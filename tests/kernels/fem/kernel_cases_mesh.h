/* kernel_cases_mesh.h -- the meshes, laws and faces of all FEM cases. Case text: C11 and C++17.
 *
 * A lattice of irregular nodes, two spacings to a cell; every cell is cut into elements of one type, and the five types
 * of the dimension take turns, so that all of them share nodes. Faces are made likewise, of a lattice of one dimension
 * less. */
#ifndef PIOLA_TESTS_KERNEL_CASES_MESH_H
#define PIOLA_TESTS_KERNEL_CASES_MESH_H

#include "kernels/fem/fem_element.h"
#include "kernels/backend/table.h"
#include "tests/kernels/base/kernel_cases.h"
#include "tests/kernels/material/case_laws.h"
#include "tests/host/mesh/mesh_pieces.h"

enum { MESH_TYPES = 5 };

/* Element types of 1, 2 and 3 dimensions, linear first. */
static const int mesh_types[4][MESH_TYPES] = {{0, 0, 0, 0, 0},
                                              {PIO_LINE2, PIO_LINE3, 0, 0, 0},
                                              {PIO_TRI3, PIO_TRI6, PIO_QUAD4, PIO_QUAD8, PIO_QUAD9},
                                              {PIO_TET4, PIO_TET10, PIO_HEX8, PIO_HEX20, PIO_HEX27}};
static const char *const mesh_names[PIO_ELEMENT_TYPES] = {"point1", "line2", "line3", "tri3", "tri6",  "quad4", "quad8",
                                                          "quad9",  "tet4",  "tet10", "hex8", "hex20", "hex27"};

/* Elements of one type, and the numbers of their first element and element node. */
typedef struct {
    int type, n, first, first_element_node;
} mesh_part;

typedef struct {
    int dim, cells[3], points, elements, element_dofs;
    mesh_part part[MESH_TYPES];
    int *point;       /* host: [element_dofs] node of each of them, part after part */
    const int *nodes; /* device: the same */
    /* device: of each part, its element degrees of freedom at each node, ascending */
    int *start[MESH_TYPES], *list[MESH_TYPES];
} mesh_lattice;

static int mesh_parts(int dim) /* how many types there are */
{
    return dim == 1 ? 2 : MESH_TYPES;
}

static int mesh_pieces(int type) /* of a cell: linear elements are half as long */
{
    return mesh_cuts(type) * (mesh_is_quadratic(type) ? 1 : 1 << element_rdim[type]);
}

static int mesh_lines(const mesh_lattice *m, int axis) /* of nodes */
{
    return axis < m->dim ? 2 * m->cells[axis] + 1 : 1;
}

static void mesh_cell(const mesh_lattice *m, int cell, int base[3])
{
    base[0] = 2 * (cell % m->cells[0]);
    base[1] = m->dim > 1 ? 2 * (cell / m->cells[0] % m->cells[1]) : 0;
    base[2] = m->dim > 2 ? 2 * (cell / (m->cells[0] * m->cells[1])) : 0;
}

/* Node a of a piece of the cell with this first corner; the linear pieces of a half each come one half after
 * another. */
static int mesh_point(const mesh_lattice *m, const int base[3], int type, int piece, int a)
{
    const int half = piece / mesh_cuts(type);
    int at[3];
    mesh_place(type, piece % mesh_cuts(type), a, at);
    for (int c = 0; c < m->dim; c++) at[c] += base[c] + (half >> c & 1);
    return (at[2] * mesh_lines(m, 1) + at[1]) * mesh_lines(m, 0) + at[0];
}

/* Nodes of the elements of one type, cell by cell. */
static int mesh_fill(const mesh_lattice *m, int t, int cells, int *point)
{
    const int type = m->part[t].type;
    int n = 0;
    for (int cell = 0; cell < cells; cell++) {
        int base[3];
        if (cell % mesh_parts(m->dim) != t) continue;
        mesh_cell(m, cell, base);
        for (int piece = 0; piece < mesh_pieces(type); piece++)
            for (int a = 0; a < element_nodes[type]; a++, n++)
                if (point) point[n] = mesh_point(m, base, type, piece, a);
    }
    return n / element_nodes[type];
}

static void mesh_element_dofs(case_io *io, mesh_lattice *m, int t)
{
    const int first = m->part[t].first_element_node, n = m->part[t].n * element_nodes[m->part[t].type];
    int *start = HOST(io, int, m->points + 2), *list = HOST(io, int, n);
    for (int i = 0; i < n; i++) start[m->point[first + i] + 2]++;
    for (int p = 0; p < m->points; p++) start[p + 2] += start[p + 1];
    for (int i = 0; i < n; i++) list[start[m->point[first + i] + 1]++] = first + i;
    m->start[t] = PUSH(io, int, start, m->points + 1);
    m->list[t] = PUSH(io, int, list, n);
}

/* A lattice of a body (DIM) or of faces (DIM - 1): so many cells that a large run has more than 4096 elements of the
 * first type, and a small one each law in an element of each type. */
static mesh_lattice mesh_make(case_io *io, int dim)
{
    static const int cells[2][4][3] = {{{0, 0, 0}, {12, 1, 1}, {8, 9, 1}, {3, 5, 5}},
                                       {{0, 0, 0}, {4200, 1, 1}, {52, 52, 1}, {8, 8, 7}}};
    mesh_lattice m;
    int count = 1;
    memset(&m, 0, sizeof m);
    m.dim = dim;
    m.points = 1;
    for (int a = 0; a < dim; a++) {
        m.cells[a] = cells[io->large][dim][a];
        count *= m.cells[a];
        m.points *= mesh_lines(&m, a);
    }
    for (int t = 0; t < mesh_parts(dim); t++) {
        m.part[t].type = mesh_types[dim][t];
        m.part[t].first = m.elements;
        m.part[t].first_element_node = m.element_dofs;
        m.part[t].n = mesh_fill(&m, t, count, NULL);
        m.elements += m.part[t].n;
        m.element_dofs += m.part[t].n * element_nodes[m.part[t].type];
        case_expect(io, dim < DIM || m.part[t].n >= CASE_SOLIDS, "each law in an element of each type");
    }
    m.point = HOST(io, int, m.element_dofs);
    for (int t = 0; t < mesh_parts(dim); t++) mesh_fill(&m, t, count, m.point + m.part[t].first_element_node);
    for (int t = 0; t < mesh_parts(dim); t++) mesh_element_dofs(io, &m, t);
    m.nodes = PUSH(io, int, m.point, m.element_dofs);
    return m;
}

#define MESH_SPACING 0.3

/* Places of the lattice's nodes [points][DIM], each moved by up to a seventh of the spacing, at positive x, as rings
 * have them; faces lie on a curved sheet. */
static real *mesh_rest(case_io *io, const mesh_lattice *m, case_role role, const char *name)
{
    case_array *x = case_uniform(io, role, name, 1, m->points * DIM, -MESH_SPACING / 7, MESH_SPACING / 7);
    for (int i = 0; i < m->points; i++) {
        const int at[3] = {i % mesh_lines(m, 0), i / mesh_lines(m, 0) % mesh_lines(m, 1),
                           i / (mesh_lines(m, 0) * mesh_lines(m, 1))};
        for (int c = 0; c < DIM; c++) x->value[i * DIM + c] += MESH_SPACING * (at[c] + (c == 0));
        if (m->dim < DIM) x->value[i * DIM + DIM - 1] += 0.2 * sin(0.7 * at[0] + 0.4 * at[1]);
    }
    return (real *)case_upload(io, x, CASE_REAL);
}

/* A nodal vector [points][DIM]. */
static real *mesh_vector(case_io *io, const mesh_lattice *m, case_role role, const char *name, double size)
{
    return (real *)case_upload(io, case_uniform(io, role, name, 1, m->points * DIM, -size, size), CASE_REAL);
}

static fem_rule mesh_rule(case_io *io, int rule, int type)
{
    fem_table_args a;
    fem_rule r;
    a.type = r.type = type;
    a.points = r.points = element_points[rule][type];
    r.nodes = element_nodes[type];
    r.rdim = element_rdim[type];
    a.w = NEW(io, real, r.points, CASE_SET);
    a.N = NEW(io, real, r.points * r.nodes, CASE_SET);
    a.dN = NEW(io, real, r.points * r.nodes * r.rdim, CASE_SET);
    LAUNCH(io, fem_table, r.points, NULL, &a);
    r.w = a.w;
    r.N = a.N;
    r.dN = a.dN;
    return r;
}

/* A body: the lattice of DIM dimensions with its rest positions, thickness in 2D and one block per type. */
typedef struct {
    mesh_lattice m;
    real *rest, *thick;
    fem_block block[MESH_TYPES];
    int *law; /* host [elements] */
    fem_matter matter;
} mesh_body;

/* Constants of the size of 1e4 Pa for every law, those that a law has not are numbers too; each law in turn, or with
 * `only` >= 0 that law alone, which is not Ogden's. */
static void mesh_matter_of(case_io *io, mesh_body *b, case_role role, int only)
{
    const int n = b->m.elements;
    case_array *k = case_uniform(io, role, "k", PIO_LAW_CONSTANTS, n, 5e3, 2e4);
    b->law = HOST(io, int, n);
    for (int t = 0; t < MESH_TYPES; t++)
        for (int i = 0; i < b->m.part[t].n; i++) {
            const int e = b->m.part[t].first + i;
            b->law[e] = only >= 0 ? only : case_solid(i);
            if (!case_is_ogden(b->law[e])) continue;
            k->value[n + e] = 1.4 + 1.6 * case_unit("alpha 1", e);
            k->value[2 * n + e] *= -0.5;
            k->value[3 * n + e] = -1.5 - case_unit("alpha 2", e);
        }
    b->matter.elements = n;
    b->matter.law = PUSH(io, int, b->law, n);
    b->matter.k = (real *)case_upload(io, k, CASE_FIELD);
    b->matter.density = NULL;
    b->matter.heat = NULL;
    b->matter.relative = NULL;
}

/* Gives the elements thermal strains of up to a twentieth, every fifth one none. */
static void mesh_heat(case_io *io, mesh_body *b, case_role role)
{
    case_array *heat = case_uniform(io, role, "heat", 1, b->m.elements, -0.05, 0.05);
    for (int e = 0; e < b->m.elements; e += 5) heat->value[e] = 0;
    b->matter.heat = (real *)case_upload(io, heat, CASE_FIELD);
}

static void mesh_matter(case_io *io, mesh_body *b, case_role role)
{
    mesh_matter_of(io, b, role, -1);
}

static mesh_body mesh_of(case_io *io, int rule, case_role rest, case_role thick)
{
    mesh_body b;
    memset(&b, 0, sizeof b);
    b.m = mesh_make(io, DIM);
    b.rest = mesh_rest(io, &b.m, rest, "rest");
    b.thick = NULL;
    if (DIM == 2)
        b.thick = (real *)case_upload(io, case_uniform(io, thick, "thickness", 1, b.m.elements, 0.5, 1.5), CASE_FIELD);
    for (int t = 0; t < MESH_TYPES; t++) {
        const mesh_part *p = &b.m.part[t];
        fem_block *k = &b.block[t];
        k->rule = mesh_rule(io, rule, p->type);
        k->n = p->n;
        k->first = p->first;
        k->first_element_node = p->first_element_node;
        k->node = b.m.nodes + p->first_element_node;
        k->rest = b.rest;
        k->thick = b.thick;
    }
    return b;
}

/* Displacements u of a body that is stretched and pressed along x by turns, by a sixth, beside random ones: where means
 * of J are near 1, the energy of a volume has few digits, and where u is much larger than an element, its gradient. */
static const real *mesh_stretched(case_io *io, const mesh_lattice *m)
{
    const double quarter = 8 * MESH_SPACING; /* of the period */
    case_array *u = case_uniform(io, CASE_INPUT, "u", 1, m->points * DIM, -MESH_SPACING / 12, MESH_SPACING / 12);
    const case_array *rest = case_find(io, CASE_INPUT, "rest");
    if (!rest) rest = case_find(io, CASE_CONSTANT, "rest");
    for (int i = 0; i < m->points * DIM; i += DIM) {
        const double x = fmod(rest->value[i] + quarter, 4 * quarter) - quarter;
        u->value[i] += 0.16 * (x < quarter ? x : 2 * quarter - x);
    }
    return (real *)case_upload(io, u, CASE_REAL);
}

/* Projects the dilatation, on constants at least: those of linear simplices are their own. */
static void mesh_dilate(mesh_body *b)
{
    for (int t = 0; t < MESH_TYPES; t++) {
        const int functions = element_dilatations[b->m.part[t].type];
        b->block[t].dilatations = functions > 0 ? functions : 1;
    }
}

/* Makes the body one of rings or sheets, of which there are none in 3D. */
static void mesh_plane(mesh_body *b, pio_plane_state plane)
{
    for (int t = 0; t < MESH_TYPES; t++) b->block[t].plane = DIM == 2 ? (int)plane : 0;
}

/* What belongs to one type: "force tri3". */
static const char *mesh_name(const char *what, int type)
{
    static char name[CASE_NAME];
    strcpy(name, what);
    strcat(name, " ");
    return strcat(name, mesh_names[type]);
}

/* out += scale times the sum over the element nodes, of one type, of each node. */
static void mesh_add(case_io *io, const mesh_lattice *m, int t, const real *dofs, double scale, real *out)
{
    fem_node_sum_args a;
    a.start = m->start[t];
    a.element_node = m->list[t];
    a.in = dofs;
    a.scale = R(scale);
    a.out = out;
    LAUNCH(io, fem_node_sum, m->points, NULL, &a);
}

/* The element vector and its assembled sum for each element type: outputs. */
static void mesh_out(case_io *io, const mesh_lattice *m, const char *what, const real *dofs)
{
    case_out(io, "element dofs", CASE_REAL, 1, m->element_dofs * DIM, dofs);
    for (int t = 0; t < mesh_parts(m->dim); t++) {
        real *sum = NEW(io, real, m->points * DIM, CASE_ADDED);
        mesh_add(io, m, t, dofs, 1, sum);
        case_out(io, mesh_name(what, m->part[t].type), CASE_REAL, 1, m->points * DIM, sum);
    }
}

/* A gradient from element vectors: the sum over all element types. */
static void mesh_gradient(case_io *io, const mesh_lattice *m, const char *input, const real *dofs)
{
    real *sum = NEW(io, real, m->points * DIM, CASE_ADDED);
    for (int t = 0; t < mesh_parts(m->dim); t++) mesh_add(io, m, t, dofs, 1, sum);
    case_gradient(io, input, CASE_REAL, 1, m->points * DIM, sum);
}

#endif
