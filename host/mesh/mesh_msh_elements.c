/* mesh_msh_elements.c -- $Elements of a Gmsh file. */
#include "host/mesh/mesh_msh.h"

/* Types that Gmsh writes and that are not read, and what would be right (Gmsh Reference Manual, element types). */
static const char unstructured[] = "mesh with tetrahedra, or with hexahedra alone (Transfinite Volume, Recombine)";
static const char lower[] = "mesh with order 1 or 2 (Mesh.ElementOrder)";
static const struct {
    int32_t gmsh;
    const char *name, *advice;
} unsupported[] = {
    {6, "prism6", unstructured},   {7, "pyramid5", unstructured},
    {13, "prism18", unstructured}, {14, "pyramid14", unstructured},
    {18, "prism15", unstructured}, {19, "pyramid13", unstructured},
    {20, "tri9", lower},           {21, "tri10", lower},
    {22, "tri12", lower},          {23, "tri15", lower},
    {24, "tri15i", lower},         {25, "tri21", lower},
    {26, "line4", lower},          {27, "line5", lower},
    {28, "line6", lower},          {29, "tet20", lower},
    {30, "tet35", lower},          {31, "tet56", lower},
    {36, "quad16", lower},         {92, "hex64", lower},
    {93, "hex125", lower},
};

/* Returns the element type by Gmsh's number; fails for those that are not supported. */
static pio_element_type kind_of(msh_input *in, int32_t gmsh)
{
    if (in->status) return PIO_POINT1;
    for (int t = 0; t < PIO_ELEMENT_TYPES; t++)
        if (pio_elements[t].gmsh == gmsh) return (pio_element_type)t;
    for (size_t i = 0; i < sizeof unsupported / sizeof *unsupported; i++)
        if (unsupported[i].gmsh == gmsh) {
            msh_fail(in, "elements of type %d (%s) are not supported; %s", gmsh, unsupported[i].name,
                     unsupported[i].advice);
            return PIO_POINT1;
        }
    msh_fail(
        in,
        "elements of type %d are not known; tri3, tri6, quad4, quad8, quad9, tet4, tet10, hex8, hex20 and hex27 with "
        "their boundaries are read",
        gmsh);
    return PIO_POINT1;
}

/* Returns the set of one physical group (2.2), which is added if it is new; -1 for tag 0. */
static int32_t single_set(msh_input *in, int dimension, int32_t tag)
{
    if (in->status || tag == 0) return -1;
    if (tag == INT32_MIN) {
        msh_fail(in, "%d is out of range for a physical tag", tag);
        return -1;
    }
    const int32_t positive = tag < 0 ? -tag : tag; /* the sign is an orientation */
    const int64_t key = pio_tag_key(dimension, positive);
    const int32_t known = pio_tag_find(&in->raw.set_of, key);
    if (known >= 0) return known;
    const int32_t group = pio_raw_group(&in->raw, dimension, positive);
    const int32_t set = group < 0 ? -1 : pio_raw_set_add(&in->raw, &group, 1);
    if (set < 0 || !pio_tag_add(&in->raw.set_of, key, set)) msh_no_memory(in, sizeof(pio_raw_set), "a physical group");
    return set;
}

/* Reads the nodes of an element; `set` is its set of groups, or -1. */
static void read_element(msh_input *in, pio_element_type type, int64_t tag, int32_t set)
{
    const pio_element *e = &pio_elements[type];
    int32_t node[PIO_ELEMENT_NODES];
    for (int a = 0; a < e->nodes; a++) {
        const int64_t number = in->old ? msh_int(in, "the number of a node") : msh_size(in, "the number of a node");
        if (in->status) return;
        node[a] = pio_tag_find(&in->raw.node, number);
        if (node[a] < 0) {
            msh_fail(in, "element %lld (%s) has node %lld, which $Nodes does not have", (long long)tag, e->name,
                     (long long)number);
            return;
        }
        for (int b = 0; b < a; b++)
            if (node[b] == node[a]) {
                msh_fail(in, "element %lld (%s) has node %lld twice; its nodes must differ", (long long)tag, e->name,
                         (long long)number);
                return;
            }
    }
    int32_t *to = pio_raw_element(&in->raw, type, tag, set);
    if (!to) {
        msh_no_memory(in, sizeof node, "the elements of a mesh");
        return;
    }
    for (int a = 0; a < e->nodes; a++) to[a] = node[e->from_gmsh ? e->from_gmsh[a] : a];
}

/* ---- version 2.2 ------------------------------------------------------------------------------------------- */

/* Reads the tags of an element: the first is its physical group, the rest (entity, partitions) are not used. */
static int32_t read_tags(msh_input *in, int32_t n, int dimension)
{
    int32_t physical = 0;
    for (int32_t i = 0; i < n && !in->status; i++) {
        const int32_t tag = msh_int(in, "a tag of an element");
        if (i == 0) physical = tag;
    }
    return single_set(in, dimension, physical);
}

static void check_tags(msh_input *in, int32_t n)
{
    if (n < 0) msh_fail(in, "%d where the number of tags is expected; it is 0 or more", n);
}

static void read_text_element(msh_input *in)
{
    msh_begin_record(in);
    const int32_t tag = msh_int(in, "the number of an element");
    const pio_element_type type = kind_of(in, msh_int(in, "the type of an element"));
    const int32_t tags = msh_int(in, "the number of tags");
    check_tags(in, tags);
    const int32_t set = read_tags(in, tags, pio_elements[type].dimension);
    read_element(in, type, tag, set);
    msh_end_record(in, "the nodes of an element");
}

/* Reads a run of elements of one type and returns their number. */
static int64_t read_binary_run(msh_input *in, int64_t most)
{
    const pio_element_type type = kind_of(in, msh_int(in, "the type of elements"));
    const int32_t n = msh_int(in, "the number of elements that follow"), tags = msh_int(in, "the number of tags");
    check_tags(in, tags);
    if (n < 1 || n > most)
        msh_fail(in, "%d elements follow, but %lld of those that $Elements promises are left", n, (long long)most);
    if (!in->status) msh_check_count(in, n, 4 * (1 + (int64_t)tags + pio_elements[type].nodes), "elements");
    if (!in->status && !pio_raw_reserve(&in->raw, type, n))
        msh_no_memory(in, (size_t)n * (size_t)(12 + 4 * pio_elements[type].nodes), "the elements of a mesh");
    for (int32_t i = 0; i < n && !in->status; i++) {
        const int32_t tag = msh_int(in, "the number of an element");
        const int32_t set = read_tags(in, tags, pio_elements[type].dimension);
        read_element(in, type, tag, set);
    }
    return n;
}

void msh_read_elements2(msh_input *in)
{
    const int64_t n = msh_text_integer(in, 0, INT64_MAX, "the number of elements");
    msh_check_count(in, n, in->binary ? 8 : 9, "elements");
    msh_end_line(in, "the number of elements");
    for (int64_t i = 0; i < n && !in->status;) {
        if (in->binary) {
            i += read_binary_run(in, n - i);
        } else {
            read_text_element(in);
            i++;
        }
    }
    msh_end_section(in, "Elements");
}

/* ---- version 4.1 ------------------------------------------------------------------------------------------- */

static int64_t read_block(msh_input *in, int64_t most)
{
    msh_begin_record(in);
    const int32_t dimension = msh_int(in, "the dimension of an entity"), entity = msh_int(in, "the tag of an entity");
    const pio_element_type type = kind_of(in, msh_int(in, "the type of elements"));
    const int64_t n = msh_size(in, "the number of elements in a block");
    if (dimension != pio_elements[type].dimension)
        msh_fail(in, "a block of %s in an entity of dimension %d; %s is of dimension %d", pio_elements[type].name,
                 dimension, pio_elements[type].name, pio_elements[type].dimension);
    if (n > most)
        msh_fail(in, "a block of %lld elements, but only %lld of those that $Elements promises are left", (long long)n,
                 (long long)most);
    if (!in->status) msh_check_count(in, n, (in->binary ? 8 : 2) * (1 + (int64_t)pio_elements[type].nodes), "elements");
    const int32_t set = pio_tag_find(&in->raw.set_of, pio_tag_key(dimension, entity));
    if (in->has_entities && set < 0)
        msh_fail(in, "a block of the entity %d of dimension %d, which $Entities does not have", entity, dimension);
    msh_end_record(in, "the head of a block");
    if (!in->status && !pio_raw_reserve(&in->raw, type, n))
        msh_no_memory(in, (size_t)n * (size_t)(12 + 4 * pio_elements[type].nodes), "the elements of a mesh");
    for (int64_t i = 0; i < n && !in->status; i++) {
        msh_begin_record(in);
        const int64_t tag = msh_size(in, "the number of an element");
        read_element(in, type, tag, set);
        msh_end_record(in, "the nodes of an element");
    }
    return n;
}

void msh_read_elements4(msh_input *in)
{
    int64_t done = 0;
    msh_begin_record(in);
    const int64_t blocks = msh_size(in, "the number of blocks");
    const int64_t n = msh_size(in, "the number of elements");
    msh_size(in, "the least number of an element");
    msh_size(in, "the greatest number of an element");
    if (!in->status) msh_check_count(in, n, in->binary ? 16 : 4, "elements");
    if (!in->status) msh_check_count(in, blocks, in->binary ? 20 : 8, "blocks of elements");
    msh_end_record(in, "the numbers of $Elements");
    if (!in->status && !in->has_entities)
        pio_mesh_warn(&in->raw.mesh, "there is no $Entities before $Elements: no element is in a physical group");
    for (int64_t i = 0; i < blocks && !in->status; i++) done += read_block(in, n - done);
    if (!in->status && done != n)
        msh_fail(in, "the blocks hold %lld elements, but $Elements promises %lld", (long long)done, (long long)n);
    msh_end_section(in, "Elements");
}
