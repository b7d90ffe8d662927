/* scene_table.h -- macros and tests of presence that the tables of the scene file share. */
#ifndef PIOLA_HOST_SCENE_TABLE_H
#define PIOLA_HOST_SCENE_TABLE_H

#include "host/base/axes.h"
#include "host/scene/scene_private.h"
#include "host/scene/words.h"

#include <math.h>

#define AT(type, member) .offset = offsetof(type, member), .size = sizeof(((type *)0)->member)
#define POSITIVE .range = {CFG_OVER, 0, 0}
#define NOT_NEGATIVE .range = {CFG_FROM, 0, 0}
/* Speeds over which something sets in gradually: powers of smaller ones underflow in f32. The engine has the same
 * lower limit. */
#define REGULARISATION .quantity = CFG_VELOCITY, .range = {CFG_FROM, PIO_LEAST_VELOCITY, 0}
#define ONLY(v) (1u << (v))
#define END                                                                                                            \
    {                                                                                                                  \
        .key = NULL                                                                                                    \
    }

/* Returns whether the observation has a list of times; those of `every` do not count. Such tests let a key be printed
 * only where it was given. */
static inline bool has_at(const void *o)
{
    const scene_observe *observe = o;
    return observe->at.n > 0 && !(observe->every > 0);
}
/* Returns whether the observation has a window. */
static inline bool has_over(const void *o)
{
    return ((const scene_observe *)o)->over[0] >= 0;
}
/* Returns whether the observation has a period of samples. */
static inline bool has_every(const void *o)
{
    return ((const scene_observe *)o)->every > 0;
}
/* Returns whether the design entry has initial values. */
static inline bool has_initial(const void *d)
{
    return ((const scene_design *)d)->initial.n > 0;
}
/* Returns whether the design entry has bounds. */
static inline bool has_bounds(const void *d)
{
    return isfinite(((const scene_design *)d)->bounds[0]);
}

#endif
