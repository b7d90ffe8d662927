/* scene_surface.c -- see scene_surface.h. */
#include "host/scene/scene_surface.h"

#include "host/base/fail.h"
#include "host/scene/scene_private.h"

#include <stdlib.h>
#include <string.h>

struct scene_surface {
    pio_trimesh surface;        /* the surface, scaled */
    pio_trimesh_lines *lines;   /* NULL until they are requested */
    double scale;               /* factor of the lengths of its file */
    struct scene_surface *next; /* the next of the list, or NULL */
};

piola_status pio_scene_surface(const pio_scene *scene, const char *place, double scale, const pio_trimesh **out,
                               piola_error *error)
{
    struct scene_surface *is = scene->input.source->surfaces;
    *out = NULL;
    while (is && (strcmp(is->surface.path, place) != 0 || is->scale < scale || is->scale > scale)) is = is->next;
    if (!is) {
        is = calloc(1, sizeof *is);
        if (!is) return pio_fail_memory(error, sizeof *is, "a surface");
        const piola_status rc = pio_trimesh_load(&is->surface, place, scale, error);
        if (rc) {
            free(is);
            return rc;
        }
        is->scale = scale;
        is->next = scene->input.source->surfaces;
        scene->input.source->surfaces = is;
    }
    *out = &is->surface;
    return PIOLA_OK;
}

piola_status pio_scene_surface_lines(const pio_scene *scene, const pio_trimesh *surface, pio_trimesh_lines **out,
                                     piola_error *error)
{
    struct scene_surface *is = scene->input.source->surfaces;
    piola_status rc = PIOLA_OK;
    while (is && &is->surface != surface) is = is->next;
    if (!is) return pio_fail(error, PIOLA_INTERNAL, "a surface that does not belong to the scene");
    if (!is->lines) rc = pio_trimesh_lines_create(&is->lines, surface, error);
    *out = is->lines;
    return rc;
}

void pio_scene_drop_surfaces(const pio_scene *scene)
{
    for (struct scene_surface *is = scene->input.source->surfaces, *next; is; is = next) {
        next = is->next;
        pio_trimesh_lines_free(is->lines);
        pio_trimesh_free(&is->surface);
        free(is);
    }
    scene->input.source->surfaces = NULL;
}
