/* scene_table_tie.c -- the table of ties between meshes. */
#include "host/scene/scene_table.h"

#include <math.h>

static bool has_group(const void *t)
{
    return ((const scene_tie *)t)->on.group != NULL;
}
static bool has_box(const void *t)
{
    return !has_group(t);
}
static bool opposite_group(const void *t)
{
    return ((const scene_tie *)t)->to_on.group != NULL;
}
static bool opposite_box(const void *t)
{
    return !opposite_group(t);
}
static bool opposite_place(const void *t)
{
    return opposite_group(t) || !isnan(((const scene_tie *)t)->to_on.min[0]);
}
static bool has_gap(const void *t)
{
    return !isnan(((const scene_tie *)t)->gap);
}

/* A part of a body, by group or box. */
#define PLACE(name, member, is_group, is_box)                                                                          \
    static const cfg_field name##_fields[] = {                                                                         \
        {"group", CFG_TEXT, AT(scene_tie, member.group), .present = is_group,                                          \
         .meaning = "name of a group, as in boundary"},                                                                \
        {"min", CFG_VECTOR, AT(scene_tie, member.min), .quantity = CFG_LENGTH, .present = is_box,                      \
         .meaning = "lower corner of a box that holds it at rest; a plane is a flat box"},                             \
        {"max", CFG_VECTOR, AT(scene_tie, member.max), .quantity = CFG_LENGTH, .present = is_box,                      \
         .meaning = "upper corner of the box"},                                                                        \
        END};                                                                                                          \
    static const cfg_table name##_table = {                                                                            \
        .what = "place", .fields = name##_fields, .choice = {{{"group"}, {"min", "max"}}, true, 0}};
PLACE(own, on, has_group, has_box)
PLACE(opposite, to_on, opposite_group, opposite_box)

static const cfg_field tie_fields[] = {
    {"name", CFG_NAME, AT(scene_tie, name), .required = true, .meaning = "name of the tie"},
    {"body", CFG_NAME, AT(scene_tie, body), .required = true,
     .meaning = "name of the body whose nodes follow: better that with the finer mesh"},
    {"on", CFG_MAPPING, .required = true, .table = &own_table, .meaning = "its outer faces that are tied"},
    {"to", CFG_NAME, AT(scene_tie, to), .required = true, .meaning = "name of the body that they follow"},
    {"to_on", CFG_MAPPING, .table = &opposite_table, .present = opposite_place, .computed = "all of its outer faces",
     .meaning = "the outer faces of that body that they may follow"},
    {"gap", CFG_NUMBER, AT(scene_tie, gap), .quantity = CFG_LENGTH, POSITIVE, .present = has_gap,
     .computed = "a thousandth of the shortest edge of all meshes",
     .meaning = "largest distance of tied faces from those that they follow, at rest"},
    END};
const cfg_table pio_tie_table = {.what = "tie", .size = sizeof(scene_tie), .fields = tie_fields};
