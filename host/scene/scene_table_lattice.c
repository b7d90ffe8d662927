/* scene_table_lattice.c -- the table of lattices of control points, of designs of meshes. */
#include "host/scene/scene_table.h"

static bool has_box(const void *d)
{
    return !isnan(((const scene_design *)d)->lattice.min[0]);
}
static bool has_hold(const void *d)
{
    return ((const scene_design *)d)->lattice.n_hold > 0;
}
static bool by_group(const void *h)
{
    return ((const scene_hold *)h)->on.group != NULL;
}
static bool by_box(const void *h)
{
    return !by_group(h);
}

static const cfg_field hold_fields[] = {
    {"group", CFG_TEXT, AT(scene_hold, on.group), .present = by_group, .meaning = "name of a group, as of `on`"},
    {"min", CFG_VECTOR, AT(scene_hold, on.min), .quantity = CFG_LENGTH, .present = by_box,
     .meaning = "lower corner of a box that holds it at rest; a plane is a flat box"},
    {"max", CFG_VECTOR, AT(scene_hold, on.max), .quantity = CFG_LENGTH, .present = by_box,
     .meaning = "upper corner of the box"},
    END};
static const cfg_table hold_table = {.what = "place",
                                     .size = sizeof(scene_hold),
                                     .fields = hold_fields,
                                     .choice = {{{"group"}, {"min", "max"}}, true, 0}};

static const cfg_field lattice_fields[] = {
    {"cells", CFG_VECTOR, AT(scene_design, lattice.cells), .required = true,
     .range = {CFG_FROM | CFG_UP_TO, 1, PIO_MOST_LATTICE_CELLS},
     .meaning = "along each axis, with one control point more than cells; they are the degrees of the Bernstein "
                "polynomials that spread the displacements"},
    {"min", CFG_VECTOR, AT(scene_design, lattice.min), .computed = "that of the box around the body",
     .quantity = CFG_LENGTH, .present = has_box,
     .meaning = "lower corner of the box; nodes outside stay, and where the body goes on beyond a side, so do the "
                "control points of that side"},
    {"max", CFG_VECTOR, AT(scene_design, lattice.max), .computed = "that of the box around the body",
     .quantity = CFG_LENGTH, .present = has_box, .meaning = "upper corner of the box"},
    {"hold", CFG_LIST, AT(scene_design, lattice.hold), .second = offsetof(scene_design, lattice.n_hold),
     .table = &hold_table, .present = has_hold, .meaning = "parts of the body that stay where they are"},
    {"ease", CFG_NUMBER, AT(scene_design, lattice.ease), .computed = "required beside `hold`", .quantity = CFG_LENGTH,
     POSITIVE, .present = has_hold,
     .meaning = "distance from the nodes of `hold` at which others move in full: a smooth step from 0 to 1 multiplies "
                "their displacements"},
    END};
const cfg_table pio_lattice_table = {
    .what = "lattice", .fields = lattice_fields, .choice = {{{"min", "max"}}, false, 0}};
