/* room.h -- whether there is enough memory for a scene, checked before any of it is allocated. */
#ifndef PIOLA_HOST_ROOM_H
#define PIOLA_HOST_ROOM_H

#include "host/model/model.h"

/* Returns the bytes of memory that this process could allocate now: those that the machine has available, or less where
 * a limit of the process (ulimit -v) or of its control group is lower. */
double pio_room_bytes(void);

/* Checks that there are `bytes` of memory for `what`, such as "particles". Returns PIOLA_NO_MEMORY, with both numbers,
 * if not. */
piola_status pio_room(double bytes, const char *what, piola_error *error);

/* Checks that there is memory for what a model of this scene needs at least, from its numbers alone; bodies of files
 * are counted when they are read. Returns PIOLA_NO_MEMORY, with counts and bytes, if not. */
piola_status pio_room_for_model(const pio_model *model, piola_error *error);

/* The size of what a scene describes by numbers, without files. */
typedef struct {
    double items, nodes, bytes; /* particles or elements; nodes of the grid or of meshes; memory of the host */
} pio_counts;
/* Computes the size of a scene. */
pio_counts pio_count(const pio_scene *scene);

/* Returns the bytes of memory of the host for n particles. */
double pio_particle_bytes(const pio_scene *scene, double n);

#endif
