/* mesh_files.h -- Gmsh files written by the tests: any mesh in every version, kind and byte order. */
#ifndef PIOLA_TESTS_MESH_FILES_H
#define PIOLA_TESTS_MESH_FILES_H

#include "host/mesh/mesh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    bool old, binary, swap; /* version 2.2; binary; bytes in the other order */
} msh_kind;

static const msh_kind msh_kinds[] = {{true, false, false},  {true, true, false},  {true, true, true},
                                     {false, false, false}, {false, true, false}, {false, true, true}};
enum { MSH_KINDS = sizeof msh_kinds / sizeof *msh_kinds };

static inline const char *msh_kind_name(msh_kind k, char out[40])
{
    snprintf(out, 40, "%s %s%s", k.old ? "2.2" : "4.1", k.binary ? "binary" : "text", k.swap ? ", other order" : "");
    return out;
}

typedef struct {
    FILE *file;
    msh_kind kind;
} msh_output;

/* Numbers in the file's kind; in text each is followed by a blank. */
static inline void put_bytes(msh_output *o, const void *value, size_t n)
{
    unsigned char bytes[8];
    memcpy(bytes, value, n);
    for (size_t i = 0; i < n; i++) fputc(bytes[o->kind.swap ? n - 1 - i : i], o->file);
}

static inline void put_int(msh_output *o, int32_t value)
{
    if (o->kind.binary)
        put_bytes(o, &value, 4);
    else
        fprintf(o->file, "%d ", value);
}

static inline void put_size(msh_output *o, int64_t value)
{
    if (o->kind.binary)
        put_bytes(o, &value, 8);
    else
        fprintf(o->file, "%lld ", (long long)value);
}

static inline void put_double(msh_output *o, double value)
{
    if (o->kind.binary)
        put_bytes(o, &value, 8);
    else
        fprintf(o->file, "%.17g ", value);
}

static inline void put_line(msh_output *o)
{
    if (!o->kind.binary) fputc('\n', o->file);
}

/* Numbers of nodes and elements in the file leave gaps. */
static inline int64_t sparse(int32_t i)
{
    return 1000 - (i % 3) + 10 * (int64_t)i;
}

/* The groups that an element lies in, as bits. */
static inline uint64_t groups_of(const pio_mesh *mesh, int32_t element)
{
    uint64_t bits = 0;
    for (int32_t g = 0; g < mesh->n_groups; g++)
        for (int32_t i = 0; i < mesh->groups[g].n; i++)
            if (mesh->groups[g].elements[i] == element) bits |= 1ULL << g;
    return bits;
}

static inline void put_element_nodes(msh_output *o, const pio_mesh *mesh, int32_t element)
{
    pio_element_type type;
    int32_t gmsh[PIO_ELEMENT_NODES];
    const int32_t *nodes = pio_mesh_element(mesh, element, &type);
    const pio_element *e = &pio_elements[type];
    for (int a = 0; a < e->nodes; a++) gmsh[e->from_gmsh ? e->from_gmsh[a] : a] = nodes[a];
    for (int a = 0; a < e->nodes; a++)
        o->kind.old ? put_int(o, (int32_t)sparse(gmsh[a])) : put_size(o, sparse(gmsh[a]));
}

static inline void put_nodes(msh_output *o, const pio_mesh *mesh)
{
    fprintf(o->file, "$Nodes\n");
    if (o->kind.old) {
        fprintf(o->file, "%d\n", mesh->n_nodes);
    } else { /* two blocks, the second with two parametric coordinates */
        put_size(o, 2), put_size(o, mesh->n_nodes), put_size(o, 1), put_size(o, 100000000), put_line(o);
    }
    for (int block = 0; block < (o->kind.old ? 1 : 2); block++) {
        const int32_t half = o->kind.old ? mesh->n_nodes : mesh->n_nodes / 2;
        const int32_t first = block ? half : 0, end = block ? mesh->n_nodes : half;
        if (!o->kind.old) {
            put_int(o, 2), put_int(o, 1), put_int(o, block), put_size(o, end - first), put_line(o);
            for (int32_t i = first; i < end; i++) put_size(o, sparse(i)), put_line(o);
        }
        for (int32_t i = first; i < end; i++) {
            if (o->kind.old) put_int(o, (int32_t)sparse(i));
            for (int a = 0; a < 3; a++) put_double(o, mesh->x[3 * i + a]);
            for (int a = 0; a < 2 * block; a++) put_double(o, 0.25);
            put_line(o);
        }
    }
    fprintf(o->file, "%s$EndNodes\n", o->kind.binary ? "\n" : "");
}

/* 2.2: one element stands once for each of its groups. */
static inline void put_elements2(msh_output *o, const pio_mesh *mesh)
{
    int32_t n = 0;
    for (int32_t g = 0; g < mesh->n_groups; g++) n += mesh->groups[g].n;
    fprintf(o->file, "$Elements\n%d\n", n);
    for (int32_t e = 0, tag = 7; e < mesh->n_elements; e++)
        for (int32_t g = 0; g < mesh->n_groups; g++) {
            pio_element_type type;
            if (!(groups_of(mesh, e) >> g & 1)) continue;
            pio_mesh_element(mesh, e, &type);
            if (o->kind.binary)
                put_int(o, pio_elements[type].gmsh), put_int(o, 1), put_int(o, 2), put_int(o, tag++);
            else
                put_int(o, tag++), put_int(o, pio_elements[type].gmsh), put_int(o, 2);
            put_int(o, mesh->groups[g].tag), put_int(o, 1);
            put_element_nodes(o, mesh, e);
            put_line(o);
        }
    fprintf(o->file, "%s$EndElements\n", o->kind.binary ? "\n" : "");
}

/* 4.1: an entity is a dimension and a set of groups. */
typedef struct {
    int n, dimension[64];
    uint64_t groups[64];
} entity_list;

static inline entity_list entities_of(const pio_mesh *mesh)
{
    entity_list l = {0};
    for (int32_t e = 0; e < mesh->n_elements; e++) {
        pio_element_type type;
        const uint64_t groups = groups_of(mesh, e);
        pio_mesh_element(mesh, e, &type);
        int i = 0;
        while (i < l.n && (l.groups[i] != groups || l.dimension[i] != pio_elements[type].dimension)) i++;
        if (i < l.n) continue;
        l.groups[l.n] = groups;
        l.dimension[l.n++] = pio_elements[type].dimension;
    }
    return l;
}

static inline void put_entities(msh_output *o, const pio_mesh *mesh, const entity_list *l)
{
    fprintf(o->file, "$Entities\n");
    for (int d = 0; d < 4; d++) {
        int64_t n = 0;
        for (int i = 0; i < l->n; i++) n += l->dimension[i] == d;
        put_size(o, n);
    }
    put_line(o);
    for (int d = 0; d < 4; d++)
        for (int i = 0; i < l->n; i++) {
            if (l->dimension[i] != d) continue;
            put_int(o, i + 1);
            for (int a = 0; a < (d ? 6 : 3); a++) put_double(o, 0.5 * a);
            put_size(o, __builtin_popcountll(l->groups[i]));
            for (int32_t g = 0; g < mesh->n_groups; g++)
                if (l->groups[i] >> g & 1) put_int(o, g % 2 ? -mesh->groups[g].tag : mesh->groups[g].tag);
            if (d) put_size(o, 1), put_int(o, 3);
            put_line(o);
        }
    fprintf(o->file, "%s$EndEntities\n", o->kind.binary ? "\n" : "");
}

static inline void put_elements4(msh_output *o, const pio_mesh *mesh, const entity_list *l)
{
    fprintf(o->file, "$Elements\n");
    put_size(o, l->n), put_size(o, mesh->n_elements), put_size(o, 1), put_size(o, mesh->n_elements), put_line(o);
    for (int i = 0; i < l->n; i++)
        for (int pass = 0; pass < 2; pass++) {
            int64_t n = 0;
            pio_element_type type = PIO_POINT1, found = PIO_POINT1;
            for (int32_t e = 0; e < mesh->n_elements; e++) {
                pio_mesh_element(mesh, e, &type);
                if (groups_of(mesh, e) != l->groups[i] || pio_elements[type].dimension != l->dimension[i]) continue;
                n++;
                found = type;
                if (pass == 1) put_size(o, sparse(e)), put_element_nodes(o, mesh, e), put_line(o);
            }
            if (pass == 0)
                put_int(o, l->dimension[i]), put_int(o, i + 1), put_int(o, pio_elements[found].gmsh), put_size(o, n),
                    put_line(o);
        }
    fprintf(o->file, "%s$EndElements\n", o->kind.binary ? "\n" : "");
}

/* Groups keep their names, but the last one has none in the file. */
static inline void write_msh(const pio_mesh *mesh, msh_kind kind, const char *path)
{
    msh_output o = {fopen(path, "wb"), kind};
    if (!o.file) abort();
    fprintf(o.file, "$MeshFormat\n%s %d 8\n", kind.old ? "2.2" : "4.1", kind.binary);
    if (kind.binary) {
        put_int(&o, 1);
        fputc('\n', o.file);
    }
    fprintf(o.file, "$EndMeshFormat\n$PhysicalNames\n%d\n", mesh->n_groups - 1);
    for (int32_t g = 0; g < mesh->n_groups - 1; g++)
        fprintf(o.file, "%d %d \"%s\"\n", mesh->groups[g].dimension, mesh->groups[g].tag, mesh->groups[g].name);
    fprintf(o.file, "$EndPhysicalNames\n");
    const entity_list l = entities_of(mesh);
    if (!kind.old) put_entities(&o, mesh, &l);
    put_nodes(&o, mesh);
    kind.old ? put_elements2(&o, mesh) : put_elements4(&o, mesh, &l);
    if (fclose(o.file)) abort();
}

#endif
