/* scene_surface.h -- the closed surfaces that a scene names, each read once: its checks and its model see the same
 * bytes. */
#ifndef PIOLA_HOST_SCENE_SURFACE_H
#define PIOLA_HOST_SCENE_SURFACE_H

#include "host/scene/scene.h"
#include "host/surface/surface_inside.h"

/* The surface in the file `place`, its lengths times `scale`. It stays the scene's until pio_scene_drop_surfaces().
 * Fails as pio_trimesh_load() does, and *out is NULL then. */
piola_status pio_scene_surface(const pio_scene *scene, const char *place, double scale, const pio_trimesh **out,
                               piola_error *error);
/* Lines through such a surface, which stay the scene's likewise; PIOLA_NO_MEMORY and PIOLA_INTERRUPTED are possible. */
piola_status pio_scene_surface_lines(const pio_scene *scene, const pio_trimesh *surface, pio_trimesh_lines **out,
                                     piola_error *error);
/* A model has what it needs of them. What is asked for after this is read again. */
void pio_scene_drop_surfaces(const pio_scene *scene);

#endif
