/* render_obstacles.h -- obstacles of the scene in a snapshot as shapes of a picture. */
#ifndef PIOLA_HOST_RENDER_OBSTACLES_H
#define PIOLA_HOST_RENDER_OBSTACLES_H

#include "host/config/config.h"
#include "host/render/render.h"

/* Of a 2D file, with `root` its resolved scene: where they are in this frame, with the values that a design found and
 * moved as far as they are; in a history as they are at the start. Returns how many; free *solids. In 3D, or where the
 * scene does not say enough: none. Without memory PIO_NO_SOLIDS. */
#define PIO_NO_SOLIDS ((size_t)-1)
size_t pio_render_obstacles(pio_snapshot_file *file, cfg_node *root, int64_t frame, pio_solid **solids);

#endif
