/* mesh_report.c -- what a mesh holds, for people and for programs. */
#include "host/mesh/mesh.h"

#include "host/base/fail.h"
#include "host/base/json.h"
#include "host/base/output.h"
#include "host/base/axes.h"

#include <stdio.h>
#include <stdlib.h>

static int warnings_kept(const pio_mesh *mesh)
{
    return mesh->n_warnings < PIO_MESH_WARNINGS ? mesh->n_warnings : PIO_MESH_WARNINGS;
}

/* Counts the different nodes of a group. stamp [n_nodes] is below `now` for nodes not counted yet, and becomes `now`.
 */
static int32_t count_nodes(const pio_mesh *mesh, const pio_mesh_group *group, int32_t *stamp, int32_t now)
{
    int32_t n = 0;
    for (int32_t i = 0; i < group->n; i++) {
        pio_element_type type;
        const int32_t *nodes = pio_mesh_element(mesh, group->elements[i], &type);
        for (int a = 0; a < pio_elements[type].nodes; a++) {
            n += stamp[nodes[a]] < now;
            stamp[nodes[a]] = now;
        }
    }
    return n;
}

static void print_groups(const pio_mesh *mesh, int32_t *stamp)
{
    if (mesh->n_groups) printf("groups:                    dimension   elements      nodes\n");
    for (int32_t g = 0; g < mesh->n_groups; g++) {
        const pio_mesh_group *group = &mesh->groups[g];
        printf("  %-24s %9d %10d %10d\n", group->name, group->dimension, group->n,
               count_nodes(mesh, group, stamp, g + 1));
    }
}

static void print_mesh(const pio_mesh *mesh, int32_t *stamp)
{
    pio_mesh_quality q;
    pio_mesh_measure(mesh, &q);
    printf("%s: mesh, %dD\nnodes: %d\nelements:\n", mesh->name, mesh->dimension, mesh->n_nodes);
    for (int t = PIO_ELEMENT_TYPES - 1; t >= 0; t--)
        if (mesh->block[t].n) printf("  %-8s %10d\n", pio_elements[t].name, mesh->block[t].n);
    printf("box:");
    for (int a = 0; a < mesh->dimension; a++)
        printf("%s %s %.6g .. %.6g m", a ? "," : "", pio_axis_names[a], mesh->low[a], mesh->high[a]);
    printf("\n%s: %.9g %s\n", mesh->dimension == 3 ? "volume" : "area", mesh->volume,
           mesh->dimension == 3 ? "m^3" : "m^2");
    printf("edges: %.6g .. %.6g m\nleast Jacobian over greatest in an element: %.4g\n", q.edge_min, q.edge_max,
           q.jacobian_ratio);
    pio_element_type type;
    pio_mesh_element(mesh, q.worst, &type);
    printf("worst quality of an element (1: ideal, 0: flat): %.4g, element %lld (%s)\nouter faces: %d\n", q.shape,
           (long long)pio_mesh_element_tag(mesh, q.worst), pio_elements[type].name, mesh->n_outer);
    print_groups(mesh, stamp);
    for (int w = 0; w < warnings_kept(mesh); w++) printf("warning: %s\n", mesh->warnings[w]);
    if (mesh->n_warnings > PIO_MESH_WARNINGS) printf("and %d more warnings\n", mesh->n_warnings - PIO_MESH_WARNINGS);
}

static void json_groups(pio_json *json, const pio_mesh *mesh, int32_t *stamp)
{
    pio_json_begin_array(json, "groups");
    for (int32_t g = 0; g < mesh->n_groups; g++) {
        const pio_mesh_group *group = &mesh->groups[g];
        pio_json_begin_object(json, NULL);
        pio_json_string(json, "name", group->name);
        pio_json_integer(json, "dimension", group->dimension);
        pio_json_integer(json, "tag", group->tag);
        pio_json_integer(json, "elements", group->n);
        pio_json_integer(json, "nodes", count_nodes(mesh, group, stamp, g + 1));
        pio_json_end_object(json);
    }
    pio_json_end_array(json);
}

static void write_mesh(pio_json *json, const pio_mesh *mesh, int32_t *stamp)
{
    pio_mesh_quality q;
    pio_mesh_measure(mesh, &q);
    pio_json_begin_object(json, NULL);
    pio_json_string(json, "file", mesh->name);
    pio_json_string(json, "kind", "mesh");
    pio_json_integer(json, "dimension", mesh->dimension);
    pio_json_integer(json, "nodes", mesh->n_nodes);
    pio_json_begin_object(json, "elements");
    for (int t = 0; t < PIO_ELEMENT_TYPES; t++)
        if (mesh->block[t].n) pio_json_integer(json, pio_elements[t].name, mesh->block[t].n);
    pio_json_end_object(json);
    pio_json_doubles(json, "low", mesh->low, (size_t)mesh->dimension);
    pio_json_doubles(json, "high", mesh->high, (size_t)mesh->dimension);
    pio_json_double(json, "volume", mesh->volume);
    pio_json_double(json, "edge_min", q.edge_min);
    pio_json_double(json, "edge_max", q.edge_max);
    pio_json_double(json, "jacobian_ratio", q.jacobian_ratio);
    pio_json_double(json, "shape", q.shape);
    pio_json_integer(json, "shape_element", pio_mesh_element_tag(mesh, q.worst));
    pio_json_integer(json, "slivers", q.slivers);
    pio_json_integer(json, "outer_faces", mesh->n_outer);
    json_groups(json, mesh, stamp);
    pio_json_begin_array(json, "warnings");
    for (int w = 0; w < warnings_kept(mesh); w++) pio_json_string(json, NULL, mesh->warnings[w]);
    pio_json_end_array(json);
    pio_json_integer(json, "warnings_not_listed", mesh->n_warnings - warnings_kept(mesh));
    pio_json_end_object(json);
}

piola_status pio_mesh_report(const pio_mesh *mesh, bool json, piola_error *error)
{
    piola_status status = PIOLA_OK;
    int32_t *stamp = calloc((size_t)mesh->n_nodes + 1, sizeof *stamp);
    if (!stamp) return pio_fail_memory(error, (size_t)mesh->n_nodes * sizeof *stamp, "marks of nodes");
    if (json) {
        pio_json text;
        pio_json_to_memory(&text, 2);
        write_mesh(&text, mesh, stamp);
        status = pio_json_finish(&text, error);
        if (!status) printf("%s\n", text.text);
        pio_json_free(&text);
    } else {
        print_mesh(mesh, stamp);
    }
    free(stamp);
    return status ? status : pio_output_flush(error);
}
