/* model_contact.c -- the faces of bodies that touch obstacles: all outer ones. */
#include "host/base/fail.h"
#include "host/model/model_fem.h"

#include <stdlib.h>

/* Adds the outer faces of one type of a body to the description, if there are any. */
static piola_status add_faces(pio_model_fem *f, int b, pio_element_type type, piola_error *error)
{
    const pio_mesh *mesh = &f->mesh[b];
    const int nodes = pio_elements[type].nodes;
    int32_t n = 0;
    pio_element_type cell;
    for (int32_t i = 0; i < mesh->n_outer; i++) {
        pio_mesh_element(mesh, mesh->outer[i].cell, &cell);
        n += pio_elements[cell].face_type == type;
    }
    if (!n) return PIOLA_OK;
    const size_t bytes = sizeof(int32_t) * (size_t)n * (size_t)(nodes + 1);
    int32_t *vertices = malloc(bytes), *owner = malloc(sizeof *owner * (size_t)n);
    f->contacts[f->desc.n_contacts++] = (pio_contact_desc){.type = type, .n = n, .vertices = vertices, .owner = owner};
    if (!vertices || !owner) return pio_fail_memory(error, bytes, "faces that touch obstacles");
    for (int32_t i = 0, k = 0; i < mesh->n_outer; i++) {
        int32_t own[PIO_FACE_NODES];
        pio_mesh_element(mesh, mesh->outer[i].cell, &cell);
        if (pio_elements[cell].face_type != type) continue;
        pio_mesh_face_nodes(mesh, mesh->outer[i], own);
        for (int a = 0; a < nodes; a++) vertices[k * nodes + a] = own[a] + (int32_t)f->node_first[b];
        owner[k++] = (int32_t)f->element_first[b] + mesh->outer[i].cell;
    }
    return PIOLA_OK;
}

piola_status pio_model_contacts(pio_model *m, piola_error *error)
{
    pio_model_fem *f = m->fem;
    piola_status rc = PIOLA_OK;
    if (!m->scene->obstacles.n) return PIOLA_OK;
    f->contacts = calloc((size_t)f->bodies * PIO_ELEMENT_TYPES, sizeof *f->contacts);
    if (!f->contacts) return pio_fail_memory(error, sizeof *f->contacts, "faces that touch obstacles");
    for (int b = 0; b < f->bodies; b++)
        for (int t = 0; !rc && t < PIO_ELEMENT_TYPES; t++) rc = add_faces(f, b, (pio_element_type)t, error);
    f->desc.contacts = f->contacts;
    return rc;
}

void pio_model_contacts_free(pio_model_fem *f)
{
    for (int k = 0; f->contacts && k < f->desc.n_contacts; k++) {
        free((void *)(uintptr_t)f->contacts[k].vertices);
        free((void *)(uintptr_t)f->contacts[k].owner);
    }
    free(f->contacts);
}
