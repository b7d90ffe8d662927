/* mesh.c -- messages about a mesh, and its elements by their number. */
#include "host/mesh/mesh_parts.h"

#include "host/base/fail.h"

#include <stdarg.h>
#include <stdio.h>

void pio_mesh_warn(pio_mesh *mesh, const char *format, ...)
{
    if (mesh->n_warnings < PIO_MESH_WARNINGS) {
        va_list list;
        va_start(list, format);
        vsnprintf(mesh->warnings[mesh->n_warnings], PIO_MESH_WARNING, format, list);
        va_end(list);
    }
    mesh->n_warnings++;
}

piola_status pio_mesh_fail(const pio_mesh *mesh, piola_error *error, const char *format, ...)
{
    char text[1400];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return pio_fail(error, PIOLA_BAD_DATA, "%.500s: error: %s", mesh->name, text);
}

const int32_t *pio_mesh_element(const pio_mesh *mesh, int32_t element, pio_element_type *type)
{
    int t = 0;
    while (t < PIO_ELEMENT_TYPES - 1 &&
           (element < mesh->block[t].first || element - mesh->block[t].first >= mesh->block[t].n))
        t++;
    *type = (pio_element_type)t;
    return mesh->block[t].nodes + (size_t)(element - mesh->block[t].first) * (size_t)pio_elements[t].nodes;
}

int64_t pio_mesh_element_tag(const pio_mesh *mesh, int32_t element)
{
    pio_element_type type;
    pio_mesh_element(mesh, element, &type);
    return mesh->block[type].tag[element - mesh->block[type].first];
}
