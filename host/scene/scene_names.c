/* scene_names.c -- see scene_names.h. */
#include "host/scene/scene_names.h"

#include <string.h>

size_t pio_scene_find(const char *name, const void *items, size_t n, size_t size)
{
    for (size_t i = 0; i < n && name; i++) {
        const char *own;
        memcpy(&own, (const char *)items + i * size, sizeof own);
        if (own && !strcmp(own, name)) return i;
    }
    return n;
}

const scene_geometry *pio_scene_geometry(const pio_scene *s, const char *name)
{
    const size_t i = pio_scene_find(name, s->geometry, s->n_geometry, sizeof *s->geometry);
    return i < s->n_geometry ? &s->geometry[i] : NULL;
}

const scene_material *pio_scene_material(const pio_scene *s, const char *name)
{
    const size_t i = pio_scene_find(name, s->materials, s->n_materials, sizeof *s->materials);
    return i < s->n_materials ? &s->materials[i] : NULL;
}

const scene_body *pio_scene_body(const pio_scene *s, const char *name)
{
    const size_t i = pio_scene_find(name, s->bodies, s->n_bodies, sizeof *s->bodies);
    return i < s->n_bodies ? &s->bodies[i] : NULL;
}

int pio_scene_body_number(const pio_scene *s, const char *name)
{
    const size_t i = pio_scene_find(name, s->bodies, s->n_bodies, sizeof *s->bodies);
    return i < s->n_bodies ? (int)i : -1;
}

int pio_scene_material_number(const pio_scene *s, const char *name)
{
    const size_t i = pio_scene_find(name, s->materials, s->n_materials, sizeof *s->materials);
    return i < s->n_materials ? (int)i : -1;
}
