/* model_contact.c -- the faces of bodies that touch obstacles and each other: all outer ones. */
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

/* Describes the contact of these faces with each other; its bodies are those of the scene. */
static piola_status add_pairs(pio_model *m, piola_error *error)
{
    enum { LEAST_ROOM = 1000, MOST_ROOM = 100000000, ROOM_2D = 4, ROOM_3D = 16 };
    pio_model_fem *f = m->fem;
    const scene_touch *t = &m->scene->touch;
    const int64_t nodes = f->node_first[f->bodies];
    const size_t bytes = sizeof *f->contact_body * (size_t)nodes;
    int64_t points = 0;
    if (!(t->distance > 0)) return PIOLA_OK;
    f->contact_body = malloc(bytes + 1);
    unsigned char *outer = calloc((size_t)nodes + 1, 1);
    for (int k = 0; outer && k < f->desc.n_contacts; k++) {
        const pio_contact_desc *d = &f->contacts[k];
        for (ptrdiff_t i = 0; i < (ptrdiff_t)d->n * pio_elements[d->type].nodes; i++) {
            points += !outer[d->vertices[i]];
            outer[d->vertices[i]] = 1;
        }
    }
    const int ok = outer && f->contact_body;
    free(outer);
    if (!ok) return pio_fail_memory(error, bytes, "surfaces that touch each other");
    for (int b = 0; b < f->bodies; b++)
        for (int64_t i = f->node_first[b]; i < f->node_first[b + 1]; i++) f->contact_body[i] = b;
    const int64_t room = (m->scene->method.dimension == 3 ? ROOM_3D : ROOM_2D) * points;
    f->desc.pairs = (pio_pairs_desc){.stiffness = t->stiffness,
                                     .distance = t->distance,
                                     .friction = t->friction,
                                     .friction_velocity = t->friction_velocity,
                                     .itself = t->between == SCENE_TOUCH_ALL,
                                     .room = t->pairs > 0        ? t->pairs
                                             : room < LEAST_ROOM ? LEAST_ROOM
                                             : room < MOST_ROOM  ? (int32_t)room
                                                                 : MOST_ROOM,
                                     .body = f->contact_body};
    return PIOLA_OK;
}

piola_status pio_model_contacts(pio_model *m, piola_error *error)
{
    pio_model_fem *f = m->fem;
    piola_status rc = PIOLA_OK;
    if (!m->scene->obstacles.n && !(m->scene->touch.distance > 0)) return PIOLA_OK;
    f->contacts = calloc((size_t)f->bodies * PIO_ELEMENT_TYPES, sizeof *f->contacts);
    if (!f->contacts) return pio_fail_memory(error, sizeof *f->contacts, "faces that touch obstacles");
    for (int b = 0; b < f->bodies; b++)
        for (int t = 0; !rc && t < PIO_ELEMENT_TYPES; t++) rc = add_faces(f, b, (pio_element_type)t, error);
    f->desc.contacts = f->contacts;
    if (!rc) rc = pio_model_contact_widths(m, error);
    return rc ? rc : add_pairs(m, error);
}

void pio_model_contacts_free(pio_model_fem *f)
{
    for (int k = 0; f->contacts && k < f->desc.n_contacts; k++) {
        free((void *)(uintptr_t)f->contacts[k].vertices);
        free((void *)(uintptr_t)f->contacts[k].owner);
    }
    free(f->contacts);
    free(f->contact_body);
}
