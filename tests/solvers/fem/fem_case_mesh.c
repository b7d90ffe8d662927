/* fem_case_mesh.c -- the meshes of fem_case.h: a lattice of nodes, cells cut into elements, sides cut into faces; and
 * the materials of its laws. */
#include "tests/solvers/fem/fem_case.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { D = FEM_DIM };

const char *const fem_type_names[PIO_ELEMENT_TYPES] = {"point1", "line2", "line3", "tri3", "tri6",  "quad4", "quad8",
                                                       "quad9",  "tet4",  "tet10", "hex8", "hex20", "hex27"};
#if PIO_DIM == 3
const pio_element_type fem_types[FEM_TYPES] = {PIO_TET4, PIO_HEX8, PIO_TET10, PIO_HEX27, PIO_HEX20};
#else
const pio_element_type fem_types[FEM_TYPES] = {PIO_TRI3, PIO_QUAD4, PIO_TRI6, PIO_QUAD9, PIO_QUAD8};
#endif

const char *const fem_law_names[2 * PIO_VOLUME_QUADRATIC] = {
    "linear",
    "St Venant-Kirchhoff",
    "fixed corotated",
    "neo-Hookean",
    "neo-Hookean iso",
    "stable neo-Hookean",
    "Mooney-Rivlin",
    "Ogden",
    "Hencky",
    [PIO_VOLUME_QUADRATIC | PIO_HYPER_NEO_HOOKEAN] = "neo-Hookean, quadratic",
    [PIO_VOLUME_QUADRATIC | PIO_HYPER_NEO_HOOKEAN_ISO] = "neo-Hookean iso, quadratic",
    [PIO_VOLUME_QUADRATIC | PIO_HYPER_MOONEY_RIVLIN] = "Mooney-Rivlin, quadratic",
    [PIO_VOLUME_QUADRATIC | PIO_HYPER_OGDEN] = "Ogden, quadratic"};

int fem_next_law(int law)
{
    do law++;
    while (law < 2 * PIO_VOLUME_QUADRATIC && !fem_law_names[law]);
    return law;
}

fem_material fem_material_of(pio_hyper_law law, double modulus)
{
    fem_material m = {.law = law, .parameters = {modulus, 0.3}, .density = 1000};
    const int law_alone = (int)law & ~PIO_VOLUME_QUADRATIC;
    if (law_alone == PIO_HYPER_MOONEY_RIVLIN)
        memcpy(m.parameters, (double[5]){0.12 * modulus, 0.07 * modulus, 0.8 * modulus}, 40);
    if (law_alone == PIO_HYPER_OGDEN)
        memcpy(m.parameters, (double[5]){0.35 * modulus, 1.7, -0.08 * modulus, -2.1, 0.8 * modulus},
               sizeof m.parameters);
    return m;
}

static void *own(fem_case *c, size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    if (!memory || c->n_owned == (int)(sizeof c->owned / sizeof *c->owned)) fail_msg("the test ran out of memory");
    return c->owned[c->n_owned++] = memory;
}

int fem_case_at(const fem_case *c, int i, int j, int k)
{
    return c->node_at[(k * c->lines[1] + j) * c->lines[0] + i];
}

static void place_of(const fem_case *c, int index, int at[3])
{
    at[0] = index % c->lines[0];
    at[1] = index / c->lines[0] % c->lines[1];
    at[2] = index / (c->lines[0] * c->lines[1]);
}

int fem_case_on_side(const fem_case *c, int node, int axis, int side)
{
    int index = 0, at[3];
    while (c->node_at[index] != node) index++;
    place_of(c, index, at);
    return at[axis] == (side ? c->lines[axis] - 1 : 0);
}

/* Where a vertex is: moved at random, unless it lies on the border. */
static void place_vertex(fem_case *c, const int at[3], fem_map map, double jitter, double *x)
{
    double s[3] = {0}, to[3] = {0};
    int inside = 1;
    for (int a = 0; a < D; a++) inside = inside && at[a] > 0 && at[a] < c->lines[a] - 1;
    for (int a = 0; a < D; a++) {
        const double move = jitter * fem_case_random(c);
        s[a] = (at[a] + (inside ? c->order * move : 0)) / (c->lines[a] - 1);
    }
    memcpy(to, s, sizeof to);
    if (map) map(s, to);
    memcpy(x, to, sizeof *x * D);
}

/* A node between vertices: half-way between the two ends of the edge on which it lies, or in the middle of all vertices
 * around it. In simplices the edge goes from the lowest to the highest of them. */
static void place_between(const fem_case *c, const int at[3], int simplex, double *x)
{
    int odd[3] = {0}, n = 0;
    for (int a = 0; a < D; a++)
        if (at[a] % 2) odd[n++] = a;
    const int ends = 1 << n;
    memset(x, 0, sizeof *x * D);
    for (int k = 0; k < ends; k += simplex ? ends - 1 : 1) {
        int end[3] = {at[0], at[1], at[2]};
        for (int i = 0; i < n; i++) end[odd[i]] += k >> i & 1 ? 1 : -1;
        const double *X = c->rest + D * fem_case_at(c, end[0], end[1], end[2]);
        for (int a = 0; a < D; a++) x[a] += X[a] / (simplex ? 2 : ends);
    }
}

static void place_nodes(fem_case *c, fem_map map, double jitter, int simplex)
{
    c->n = c->lines[0] * c->lines[1] * c->lines[2];
    c->node_at = own(c, (size_t)c->n, sizeof *c->node_at);
    c->rest = own(c, (size_t)c->n * D, sizeof *c->rest);
    for (int i = 0; i < c->n; i++) c->node_at[i] = i;
    for (int i = c->n - 1; i > 0; i--) { /* shuffled (Fisher and Yates) */
        const int j = (int)((fem_case_random(c) + 1) / 2 * (i + 1)), t = c->node_at[i];
        c->node_at[i] = c->node_at[j];
        c->node_at[j] = t;
    }
    for (int between = 0; between < c->order; between++)
        for (int i = 0; i < c->n; i++) {
            int at[3], odd = 0;
            place_of(c, i, at);
            for (int a = 0; a < D; a++) odd = odd || at[a] % c->order;
            if (odd && between) place_between(c, at, simplex, c->rest + D * c->node_at[i]);
            if (!odd && !between) place_vertex(c, at, map, jitter, c->rest + D * c->node_at[i]);
        }
}

/* The elements of one type: in even or in odd cells, or in all (parity -1). */
static void cut_cells(fem_case *c, pio_block_desc *b, pio_element_type type, const int cells[3], int parity)
{
    const int nodes = mesh_nodes_of[type], all = cells[0] * cells[1] * cells[2];
    int32_t *node = own(c, (size_t)all * (size_t)(mesh_cuts((int)type) * nodes), sizeof *node);
    *b = (pio_block_desc){.type = type, .nodes = node};
    for (int cell = 0; cell < all; cell++) {
        const int base[3] = {cell % cells[0], cell / cells[0] % cells[1], cell / (cells[0] * cells[1])};
        if (parity >= 0 && (base[0] + base[1] + base[2]) % 2 != parity) continue;
        for (int cut = 0; cut < mesh_cuts((int)type); cut++, b->n++)
            for (int a = 0; a < nodes; a++) {
                int at[3];
                mesh_place((int)type, cut, a, at);
                *node++ =
                    fem_case_at(c, at[0] + c->order * base[0], at[1] + c->order * base[1], at[2] + c->order * base[2]);
            }
    }
    c->elements += b->n;
}

/* Drops the nodes of no element: serendipity elements leave the middles of cells and faces out. */
static void drop_nodes(fem_case *c)
{
    const int lattice = c->n;
    int *number = own(c, (size_t)lattice, sizeof *number), n = 0;
    for (int b = 0; b < c->fem.n_blocks; b++)
        for (int i = 0; i < c->block[b].n * mesh_nodes_of[c->block[b].type]; i++) number[c->block[b].nodes[i]] = 1;
    for (int i = 0; i < lattice; i++) {
        memmove(c->rest + n * D, c->rest + i * D, sizeof *c->rest * D);
        number[i] = number[i] ? n++ : -1;
    }
    for (int b = 0; b < c->fem.n_blocks; b++) {
        int32_t *node = (int32_t *)c->block[b].nodes; /* they are the case's own */
        for (int i = 0; i < c->block[b].n * mesh_nodes_of[c->block[b].type]; i++) node[i] = number[node[i]];
    }
    for (int i = 0; i < lattice; i++) c->node_at[i] = number[c->node_at[i]];
    c->n = n;
}

void fem_case_grid(fem_case *c, fem_grid grid)
{
    const pio_element_type even = grid.even, odd = grid.odd;
    const int cells[3] = {grid.cells[0], grid.cells[1], D == 3 ? grid.cells[2] : 1};
    c->order = mesh_is_quadratic((int)even) ? 2 : 1;
    for (int a = 0; a < 3; a++) c->lines[a] = a < D ? c->order * cells[a] + 1 : 1;
    place_nodes(c, grid.map, grid.jitter, mesh_is_simplex((int)even) || mesh_is_simplex((int)odd));
    cut_cells(c, &c->block[0], even, cells, even == odd ? -1 : 0);
    if (even != odd) cut_cells(c, &c->block[1], odd, cells, 1);
    c->fem.n_blocks = even == odd ? 1 : 2;
    drop_nodes(c);
}

/* ---- sides ----------------------------------------------------------------------------------------------- */

static pio_element_type face_of(pio_element_type type)
{
    switch (type) {
    case PIO_TET4:
        return PIO_TRI3;
    case PIO_TET10:
        return PIO_TRI6;
    case PIO_HEX8:
        return PIO_QUAD4;
    case PIO_HEX20:
        return PIO_QUAD8;
    case PIO_HEX27:
        return PIO_QUAD9;
    default:
        return mesh_is_quadratic((int)type) ? PIO_LINE3 : PIO_LINE2;
    }
}

/* Place of a node of a face, which is at `p` within the face of the cell at `base` (in cells), on a side of the box;
 * outward by the order of the nodes. */
static void face_place(const fem_case *c, const int base[3], const int p[3], int axis, int side, int at[3])
{
    const int order = c->order;
    for (int k = 0; k < 3; k++) at[k] = order * base[k];
    at[axis] = side ? c->lines[axis] - 1 : 0;
    if (D == 2) { /* the outward normal is the tangent turned to the right */
        at[1 - axis] += (side == 1) == (axis == 0) ? p[0] : order - p[0];
    } else {
        at[(axis + 1) % 3] += side ? p[0] : p[1];
        at[(axis + 2) % 3] += side ? p[1] : p[0];
    }
}

/* The element of a block that has all nodes of a face, or -1. */
static int owner_of(const pio_block_desc *b, const int32_t *face, int count)
{
    const int nodes = mesh_nodes_of[b->type];
    for (int e = 0; e < b->n; e++) {
        int found = 0;
        for (int i = 0; i < count; i++)
            for (int a = 0; a < nodes; a++) found += b->nodes[e * nodes + a] == face[i];
        if (found == count) return e;
    }
    return -1;
}

/* Faces of one block on a side; those of other blocks' cells have no owner in it. */
static void load_block(fem_case *c, int block, pio_load_desc *l, int axis, int side)
{
    const pio_element_type type = face_of(c->block[block].type);
    const int nodes = mesh_nodes_of[type], cuts = mesh_cuts((int)type);
    const int first = block ? c->block[0].n : 0;
    int cells[3], faces;
    for (int a = 0; a < 3; a++) cells[a] = a >= D || a == axis ? 1 : (c->lines[a] - 1) / c->order;
    faces = cells[0] * cells[1] * cells[2] * cuts;
    int32_t *vertices = own(c, (size_t)(faces * nodes), sizeof *vertices),
            *owner = own(c, (size_t)faces, sizeof *owner);
    for (int f = 0; f < faces; f++) {
        const int cell = f / cuts,
                  base[3] = {cell % cells[0], cell / cells[0] % cells[1], cell / (cells[0] * cells[1])};
        int32_t *face = vertices + l->n * nodes;
        for (int a = 0; a < nodes; a++) {
            int within[3], at[3];
            mesh_place((int)type, f % cuts, a, within);
            face_place(c, base, within, axis, side, at);
            face[a] = fem_case_at(c, at[0], at[1], at[2]);
        }
        const int e = owner_of(&c->block[block], face, nodes);
        if (e >= 0) owner[l->n++] = first + e;
    }
    l->type = type;
    l->vertices = vertices;
    l->owner = owner;
}

static pio_load_desc *next_load(fem_case *c)
{
    if (c->fem.n_loads == FEM_MOST) fail_msg("too many loads");
    return &c->load[c->fem.n_loads];
}

void fem_case_springs(fem_case *c, int node, int value)
{
    pio_load_desc *l = next_load(c);
    int32_t *vertex = own(c, 1, sizeof *vertex);
    vertex[0] = node;
    *l = (pio_load_desc){
        .kind = PIO_SPRINGS, .type = PIO_POINT1, .n = 1, .vertices = vertex, .owner = own(c, 1, sizeof *vertex)};
    l->value = value;
    l->curve = -1;
    l->scale = 1;
    c->fem.n_loads++;
}

void fem_case_body_force(fem_case *c, int block, int value, int curve)
{
    pio_load_desc *l = next_load(c);
    const int first = block ? c->block[0].n : 0;
    int32_t *owner = own(c, (size_t)c->block[block].n, sizeof *owner);
    *l = (pio_load_desc){.kind = PIO_BODY_FORCE, .type = c->block[block].type, .owner = owner};
    for (int e = 0; e < c->block[block].n; e++)
        if (e % 4 != 3) owner[l->n++] = first + e;
    l->value = value;
    l->curve = curve;
    l->scale = 1;
    c->fem.n_loads++;
}

void fem_case_load(fem_case *c, pio_load_kind kind, int axis, int side, int value, int curve)
{
    for (int b = 0; b < c->fem.n_blocks; b++) {
        pio_load_desc *l = next_load(c);
        *l = (pio_load_desc){.kind = kind, .value = value, .curve = curve, .scale = 1};
        load_block(c, b, l, axis, side);
        if (l->n) c->fem.n_loads++;
    }
}

void fem_case_contact(fem_case *c, int axis, int side)
{
    const int first = c->fem.n_loads;
    fem_case_load(c, PIO_TRACTION, axis, side, 0, 0);
    for (int l = first; l < c->fem.n_loads; l++)
        c->contact[c->fem.n_contacts++] = (pio_contact_desc){
            .type = c->load[l].type, .n = c->load[l].n, .vertices = c->load[l].vertices, .owner = c->load[l].owner};
    c->fem.n_loads = first;
}

pio_obstacle_desc *fem_case_obstacle(fem_case *c, pio_shape_type type, double stiffness, double distance)
{
    pio_obstacle_desc *o = &c->obstacle[c->desc.n_obstacles++];
    *o = (pio_obstacle_desc){.type = type,
                             .behaviour = PIO_WALL_SEPARATE,
                             .model = PIO_CONTACT_POTENTIAL,
                             .stiffness = stiffness,
                             .contact_distance = distance,
                             .friction_velocity = 1e-3,
                             .separation_velocity = 1e-3,
                             .width = distance,
                             .scale = 1};
    return o;
}

void fem_case_block(fem_case *c, pio_hyper_law law, int steps)
{
    const fem_material m = fem_material_of(law, 1000);
    const int quadratic = FEM_DIM == 2;
    fem_case_begin(c, 1.0 / (steps > 0 ? steps : 1), steps);
    if (!fem_case_is_f32()) c->fem.newton_tolerance = c->fem.adjoint_tolerance = 1e-8;
    const pio_element_type type = quadratic ? PIO_QUAD9 : PIO_HEX8;
    fem_case_grid(c, (fem_grid){type, type, {4, 2, 2}, NULL, 0.1});
    fem_case_matter(c, &m, 1, 1);
    fem_case_clamp(c, 0, 0);
    fem_case_load(c, PIO_TRACTION, 0, 1, fem_case_value(c, 20, -20, 0), 0);
    fem_case_sample(c, fem_case_observe(c, PIO_DISPLACEMENT, 1), steps, 0, 1);
}

/* ---- points within elements --------------------------------------------------------------------------------- */

void fem_case_point(fem_case *c, int observation, int n, const int *elements, const double *xi)
{
    pio_observation_desc *d = &c->observation[observation];
    int32_t *element = own(c, (size_t)n, sizeof *element);
    double *at = own(c, 3 * (size_t)n, sizeof *at);
    for (int k = 0; k < n; k++) element[k] = elements[k];
    memcpy(at, xi, sizeof *at * 3 * (size_t)n);
    d->places = n;
    d->place_element = element;
    d->place_xi = at;
}

void fem_case_places(fem_case *c, int observation)
{
    enum { EACH = 3 };
    pio_observation_desc *d = &c->observation[observation];
    const int rows = d->rows, entries = EACH * rows;
    int32_t *start = own(c, (size_t)rows + 1, sizeof *start), *node = own(c, (size_t)entries, sizeof *node);
    int32_t *from = own(c, (size_t)c->n + 2, sizeof *from), *row = own(c, (size_t)entries, sizeof *row);
    double *shape = own(c, (size_t)entries, sizeof *shape), *back = own(c, (size_t)entries, sizeof *back);
    for (int j = 0; j < entries; j++) {
        start[j / EACH + 1] = EACH * (j / EACH + 1);
        node[j] = (j / EACH + 5 * (j % EACH)) % c->n;
        shape[j] = j % EACH == 0 ? 0.7 : j % EACH == 1 ? 0.5 : -0.2;
        from[node[j] + 2]++;
    }
    for (int i = 0; i < c->n; i++) from[i + 2] += from[i + 1];
    for (int j = 0; j < entries; j++) {
        const int at = from[node[j] + 1]++;
        row[at] = j / EACH;
        back[at] = shape[j];
    }
    d->marker = NULL;
    d->row_start = start;
    d->row_node = node;
    d->row_shape = shape;
    d->node_start = from;
    d->node_row = row;
    d->node_shape = back;
}
