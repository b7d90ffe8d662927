/* render_obstacles.h -- the obstacles of a snapshot's scene as shapes of a picture. */
#ifndef PIOLA_HOST_RENDER_OBSTACLES_H
#define PIOLA_HOST_RENDER_OBSTACLES_H

#include "host/config/config.h"
#include "host/render/render.h"

/* Number of shapes that pio_render_obstacles() returns without memory. */
#define PIO_NO_SOLIDS ((size_t)-1)
/* Lists the obstacles of a 2D file, whose resolved scene is `root`: where they are in this frame, with the values that
 * an optimisation found and with their motion; in a history, where they are at the start. Returns their number, and the
 * caller frees *solids. There are none in 3D, or where the scene is incomplete. */
size_t pio_render_obstacles(pio_snapshot_file *file, cfg_node *root, int64_t frame, pio_solid **solids);

#endif
