/* room.h -- whether there is memory for what a scene asks, told before anything of it is taken. */
#ifndef PIOLA_HOST_ROOM_H
#define PIOLA_HOST_ROOM_H

#include "host/model/model.h"

/* Bytes of memory that this process could take now: what the machine has available, or less where a limit of the
 * process (ulimit -v) or of its control group is lower. */
double pio_room_bytes(void);

/* PIOLA_NO_MEMORY, naming both numbers, where `bytes` are more than that; `what` needs them: "particles". */
piola_status pio_room(double bytes, const char *what, piola_error *error);

/* What a model of this scene takes at least, from its numbers alone. PIOLA_NO_MEMORY, naming counts and bytes, where
 * that is more than there is room for. Bodies of files are counted when they are read. */
piola_status pio_room_for_model(const pio_model *model, piola_error *error);

/* Items that a scene describes by numbers, without files: sites of particles, or elements; nodes of the grid, or of
 * meshes. */
typedef struct {
    double items, nodes, bytes;
} pio_counts;
pio_counts pio_count(const pio_scene *scene);

/* Bytes of the host for n particles. */
double pio_particle_bytes(const pio_scene *scene, double n);

#endif
