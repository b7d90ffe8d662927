/* scene_surface.h -- the closed surfaces that a scene names, each read once: its checks and its model see the same
 * bytes. */
#ifndef PIOLA_HOST_SCENE_SURFACE_H
#define PIOLA_HOST_SCENE_SURFACE_H

#include "host/scene/scene.h"
#include "host/surface/surface_inside.h"

/* Reads the surface in the file `place`, its lengths times `scale`, or finds it where it was read before. It belongs to
 * the scene until pio_scene_drop_surfaces(). Returns PIOLA_NO_MEMORY, or the errors of pio_trimesh_load(); *out is NULL
 * then. */
piola_status pio_scene_surface(const pio_scene *scene, const char *place, double scale, const pio_trimesh **out,
                               piola_error *error);
/* Makes the lines through such a surface, for tests of points inside, or finds them; they belong to the scene likewise.
 * Returns PIOLA_NO_MEMORY, PIOLA_INTERRUPTED, or PIOLA_INTERNAL if the surface is not of this scene. */
piola_status pio_scene_surface_lines(const pio_scene *scene, const pio_trimesh *surface, pio_trimesh_lines **out,
                                     piola_error *error);
/* Frees all surfaces and lines; the next request reads its file again. */
void pio_scene_drop_surfaces(const pio_scene *scene);

#endif
