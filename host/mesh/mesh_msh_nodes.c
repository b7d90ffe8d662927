/* mesh_msh_nodes.c -- $Entities and $Nodes of a Gmsh file. */
#include "host/mesh/mesh_msh.h"

#include <math.h>
#include <stdlib.h>

/* Coordinates farther from the origin than this, in m, are taken for errors. */
#define FAR 1e12

/* ---- $Entities (4.1): which physical groups the points, curves, surfaces and volumes of the model lie in ---- */

static const char *const entity_name[4] = {"point", "curve", "surface", "volume"};

/* Makes a set of groups of the physical tags of an entity. */
static void read_groups(msh_input *in, int dimension, int32_t tag)
{
    int32_t group[PIO_MOST_GROUPS], n = 0;
    const int64_t tags = msh_size(in, "the number of physical tags");
    if (tags > PIO_MOST_GROUPS)
        msh_fail(in, "the %s %d lies in %lld physical groups; at most %d are read", entity_name[dimension], tag,
                 (long long)tags, PIO_MOST_GROUPS);
    for (int64_t i = 0; i < tags && !in->status; i++) {
        const int32_t signed_tag = msh_int(in, "a physical tag"); /* the sign is an orientation */
        if (signed_tag == INT32_MIN) msh_fail(in, "%d is out of range for a physical tag", signed_tag);
        if (in->status || signed_tag == 0) continue;
        const int32_t g = pio_raw_group(&in->raw, dimension, abs(signed_tag));
        bool new = true;
        for (int32_t k = 0; k < n; k++) new &= group[k] != g;
        if (g < 0) msh_no_memory(in, sizeof(pio_mesh_group), "a physical group");
        if (new &&g >= 0) group[n++] = g;
    }
    if (in->status) return;
    if (pio_tag_find(&in->raw.set_of, pio_tag_key(dimension, tag)) >= 0) {
        msh_fail(in, "the %s %d is defined twice", entity_name[dimension], tag);
        return;
    }
    const int32_t set = pio_raw_set_add(&in->raw, group, n);
    if (set < 0 || !pio_tag_add(&in->raw.set_of, pio_tag_key(dimension, tag), set))
        msh_no_memory(in, sizeof(pio_raw_set), "an entity");
}

static void read_entity(msh_input *in, int dimension)
{
    msh_begin_record(in);
    const int32_t tag = msh_int(in, "the tag of an entity");
    for (int a = 0; a < (dimension ? 6 : 3) && !in->status; a++) msh_double(in, "a coordinate of an entity");
    read_groups(in, dimension, tag);
    if (dimension) {
        const int64_t n = msh_size(in, "the number of bounding entities");
        if (!in->status) msh_check_count(in, n, in->binary ? 4 : 2, "bounding entities");
        for (int64_t i = 0; i < n && !in->status; i++) msh_int(in, "the tag of a bounding entity");
    }
    msh_end_record(in, "an entity");
}

void msh_read_entities(msh_input *in)
{
    int64_t n[4] = {0};
    msh_begin_record(in);
    for (int d = 0; d < 4; d++) n[d] = msh_size(in, "the number of entities");
    msh_end_record(in, "the numbers of entities");
    for (int d = 0; d < 4 && !in->status; d++) {
        msh_check_count(in, n[d], in->binary ? (d ? 68 : 36) : (d ? 18 : 10), "entities");
        for (int64_t i = 0; i < n[d] && !in->status; i++) read_entity(in, d);
    }
    msh_end_section(in, "Entities");
}

/* ---- $Nodes ------------------------------------------------------------------------------------------------ */

/* Makes room for n nodes. */
static void reserve_nodes(msh_input *in, int64_t n)
{
    pio_mesh *mesh = &in->raw.mesh;
    if (in->status) return;
    const size_t count = (size_t)n;
    mesh->x = malloc(count * 3 * sizeof *mesh->x + 1);
    mesh->node_tag = malloc(count * sizeof *mesh->node_tag + 1);
    if (!mesh->x || !mesh->node_tag || !pio_tag_reserve(&in->raw.node, count))
        msh_no_memory(in, count * 56, "the nodes of a mesh");
}

/* Adds a node with the number `tag`. */
static void begin_node(msh_input *in, int64_t tag)
{
    pio_mesh *mesh = &in->raw.mesh;
    if (in->status) return;
    if (tag < 1)
        msh_fail(in, "a node of number %lld; numbers begin with 1", (long long)tag);
    else if (pio_tag_find(&in->raw.node, tag) >= 0)
        msh_fail(in, "node %lld is defined twice", (long long)tag);
    else if (!pio_tag_add(&in->raw.node, tag, mesh->n_nodes))
        msh_no_memory(in, in->raw.node.room, "the nodes of a mesh");
    else
        mesh->node_tag[mesh->n_nodes++] = tag;
}

/* Reads its three coordinates. */
static void read_coordinates(msh_input *in, int32_t node)
{
    for (int a = 0; a < 3 && !in->status; a++) {
        const double x = msh_double(in, "a coordinate");
        if (!in->status && !isfinite(x))
            msh_fail(in, "the %c of node %lld is %s; give a finite number", 'x' + a,
                     (long long)in->raw.mesh.node_tag[node], isnan(x) ? "not a number (NaN)" : "infinite");
        else if (fabs(x) > FAR)
            msh_fail(in, "the %c of node %lld is %g m; at most %g m from the origin can be right", 'x' + a,
                     (long long)in->raw.mesh.node_tag[node], x, FAR);
        in->raw.mesh.x[3 * (size_t)node + (size_t)a] = x;
    }
}

void msh_read_nodes2(msh_input *in)
{
    const int64_t n = msh_text_integer(in, 0, INT64_MAX, "the number of nodes");
    msh_check_count(in, n, in->binary ? 28 : 8, "nodes");
    msh_end_line(in, "the number of nodes");
    reserve_nodes(in, n);
    for (int64_t i = 0; i < n && !in->status; i++) {
        msh_begin_record(in);
        begin_node(in, msh_int(in, "the number of a node"));
        read_coordinates(in, (int32_t)i);
        msh_end_record(in, "a node");
    }
    msh_end_section(in, "Nodes");
}

/* Reads the nodes of one entity: their numbers, then their coordinates and, with `parametric`, parameters on the
 * entity. */
static void read_node_block(msh_input *in, int64_t most)
{
    msh_begin_record(in);
    const int32_t dimension = msh_int(in, "the dimension of an entity");
    msh_int(in, "the tag of an entity");
    const int32_t parametric = msh_int(in, "0 or 1 (parametric)");
    const int64_t n = msh_size(in, "the number of nodes in a block");
    if (dimension < 0 || dimension > 3) msh_fail(in, "an entity of dimension %d; it goes from 0 to 3", dimension);
    if (parametric != 0 && parametric != 1) msh_fail(in, "%d where 0 or 1 (parametric) is expected", parametric);
    if (n > most)
        msh_fail(in, "a block of %lld nodes, but only %lld of those that $Nodes promises are left", (long long)n,
                 (long long)most);
    msh_end_record(in, "the head of a block");
    const int32_t first = in->raw.mesh.n_nodes;
    for (int64_t i = 0; i < n && !in->status; i++) {
        msh_begin_record(in);
        begin_node(in, msh_size(in, "the number of a node"));
        msh_end_record(in, "the number of a node");
    }
    for (int64_t i = 0; i < n && !in->status; i++) {
        msh_begin_record(in);
        read_coordinates(in, first + (int32_t)i);
        for (int a = 0; a < dimension * parametric && !in->status; a++) msh_double(in, "a parametric coordinate");
        msh_end_record(in, "a node");
    }
}

void msh_read_nodes4(msh_input *in)
{
    msh_begin_record(in);
    const int64_t blocks = msh_size(in, "the number of blocks");
    const int64_t n = msh_size(in, "the number of nodes");
    msh_size(in, "the least number of a node");
    msh_size(in, "the greatest number of a node");
    if (!in->status) msh_check_count(in, n, in->binary ? 32 : 8, "nodes");
    if (!in->status) msh_check_count(in, blocks, in->binary ? 20 : 8, "blocks of nodes");
    msh_end_record(in, "the numbers of $Nodes");
    reserve_nodes(in, n);
    for (int64_t i = 0; i < blocks && !in->status; i++) read_node_block(in, n - in->raw.mesh.n_nodes);
    if (!in->status && in->raw.mesh.n_nodes != n)
        msh_fail(in, "the blocks hold %d nodes, but $Nodes promises %lld", in->raw.mesh.n_nodes, (long long)n);
    msh_end_section(in, "Nodes");
}
