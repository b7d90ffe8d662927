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
/* Returns whether the observation is of a body. */
static inline bool sees_body(const void *o)
{
    return ((const scene_observe *)o)->body != NULL;
}
/* Returns whether it is of an obstacle. */
static inline bool sees_obstacle(const void *o)
{
    return ((const scene_observe *)o)->obstacle != NULL;
}
/* Returns whether it is of another body, too. */
static inline bool sees_other(const void *o)
{
    return ((const scene_observe *)o)->other != NULL;
}
/* Returns whether the targets of the design entry have variables of their own. */
static inline bool has_own_targets(const void *d)
{
    return ((const scene_design *)d)->targets.n == 0;
}
/* Returns whether the targets of the design entry share their variables. */
static inline bool has_shared_targets(const void *d)
{
    return !has_own_targets(d);
}
#define TARGETS_MEANING                                                                                                \
    "list of paths, as of `target`, of several bodies or materials, that all have the values of the same variables: "  \
    "one for each component"
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
/* Returns whether the design entry has a filter. */
static inline bool has_filter(const void *d)
{
    return ((const scene_design *)d)->filter_radius > 0;
}
/* Returns whether the design entry has a projection. */
static inline bool has_projection(const void *d)
{
    return ((const scene_design *)d)->sharpness > 0;
}

/* Tables of `on`: a part of a body, by group or box. */
#define WHERE(name, type)                                                                                              \
    static const cfg_field name##_place_fields[] = {                                                                   \
        {"group", CFG_TEXT, AT(type, on.group), .present = name##_group,                                               \
         .meaning = "name of a group: of a box the sides left, right (least and greatest x), bottom, top (y) and in "  \
                    "3D front, back (z), other names of other meshes that are built here, or a physical group of a "   \
                    "file"},                                                                                           \
        {"min", CFG_VECTOR, AT(type, on.min), .quantity = CFG_LENGTH, .present = name##_box,                           \
         .meaning = "lower corner of a box that holds it at rest; a plane is a flat box"},                             \
        {"max", CFG_VECTOR, AT(type, on.max), .quantity = CFG_LENGTH, .present = name##_box,                           \
         .meaning = "upper corner of the box"},                                                                        \
        END};                                                                                                          \
    static const cfg_table name##_place_table = {                                                                      \
        .what = "place", .fields = name##_place_fields, .choice = {{{"group"}, {"min", "max"}}, true, 0}};
#define WHERE_TESTS(name, type)                                                                                        \
    static bool name##_group(const void *s)                                                                            \
    {                                                                                                                  \
        return ((const type *)s)->on.group != NULL;                                                                    \
    }                                                                                                                  \
    static bool name##_box(const void *s)                                                                              \
    {                                                                                                                  \
        return !((const type *)s)->on.group;                                                                           \
    }

#endif
