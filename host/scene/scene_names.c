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
    const size_t i = pio_scene_find(name, s->matter.geometry, s->matter.n_geometry, sizeof *s->matter.geometry);
    return i < s->matter.n_geometry ? &s->matter.geometry[i] : NULL;
}

const scene_material *pio_scene_material(const pio_scene *s, const char *name)
{
    const size_t i = pio_scene_find(name, s->materials.v, s->materials.n, sizeof *s->materials.v);
    return i < s->materials.n ? &s->materials.v[i] : NULL;
}

const scene_body *pio_scene_body(const pio_scene *s, const char *name)
{
    const size_t i = pio_scene_find(name, s->matter.bodies, s->matter.n_bodies, sizeof *s->matter.bodies);
    return i < s->matter.n_bodies ? &s->matter.bodies[i] : NULL;
}

int pio_scene_body_number(const pio_scene *s, const char *name)
{
    const size_t i = pio_scene_find(name, s->matter.bodies, s->matter.n_bodies, sizeof *s->matter.bodies);
    return i < s->matter.n_bodies ? (int)i : -1;
}

int pio_scene_material_number(const pio_scene *s, const char *name)
{
    const size_t i = pio_scene_find(name, s->materials.v, s->materials.n, sizeof *s->materials.v);
    return i < s->materials.n ? (int)i : -1;
}

bool pio_body_is_made_of(const scene_body *b, const scene_material *m)
{
    bool used = !strcmp(m->name, b->material);
    used |= b->other && !strcmp(m->name, b->other);
    used |= b->second && !strcmp(m->name, b->second);
    for (size_t r = 0; r < b->n_regions; r++) used |= !strcmp(m->name, b->regions[r].material);
    return used;
}
