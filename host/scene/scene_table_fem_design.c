/* scene_table_fem_design.c -- the table of designs of meshes, with their filters and projections. */
#include "host/scene/scene_query.h"
#include "host/scene/scene_table.h"

#include <math.h>

static const char *const along_names[] = {"all", "x", "y", "z", "normal", NULL};
static const char *const update_names[] = {"none", "linear_elastic", NULL};
static const char *const filter_names[] = {"cone", "helmholtz", NULL};
static const char *const extrusion_names[] = {"none", "x", "y", "z", NULL};

static bool has_part(const void *d)
{
    const scene_design *design = d;
    return design->on.group || !isnan(design->on.min[0]);
}
static bool has_along(const void *d)
{
    const scene_per per = ((const scene_design *)d)->per;
    return per == SCENE_PER_NODE || per == SCENE_PER_LATTICE;
}
static bool has_lattice(const void *d)
{
    return ((const scene_design *)d)->lattice.cells[0] > 0;
}

WHERE_TESTS(part, scene_design)
WHERE(part, scene_design)

static const cfg_field filter_fields[] = {
    {"type", CFG_ENUM, AT(scene_design, filter), .required = true, .values = filter_names,
     .meaning =
         "before the transform. cone: a mean of the variables within the radius, weighted by what is left of it "
         "and by the element's volume; of nodes by their area. helmholtz: of elements, by a differential equation "
         "with about the same reach, which keeps the field's integral (Lazarov and Sigmund 2011)"},
    {"radius", CFG_NUMBER, AT(scene_design, filter_radius), .required = true, .quantity = CFG_LENGTH, POSITIVE,
     .meaning = "between centres of elements, or nodes; details smaller than it vanish; at most what the bodies are "
                "across"},
    END};
static const cfg_table filter_table = {.what = "filter", .fields = filter_fields};

static bool has_continuation(const void *d)
{
    return ((const scene_design *)d)->double_every > 0;
}

static const cfg_field projection_fields[] = {
    {"beta", CFG_NUMBER, AT(scene_design, sharpness), .required = true, .range = {CFG_OVER | CFG_UP_TO, 0, 1024},
     .meaning = "sharpness: near 0 the projection changes nothing, at 32 hardly a value is left between the bounds"},
    {"threshold", CFG_NUMBER, AT(scene_design, threshold), .fallback = "0.5", .range = {CFG_OVER | CFG_BELOW, 0, 1},
     .meaning = "where the step is, in parts of the distance between the bounds"},
    {"end", CFG_NUMBER, AT(scene_design, sharpest), .computed = "beta", .range = {CFG_OVER | CFG_UP_TO, 0, 1024},
     .present = has_continuation, .meaning = "sharpness in the end, to which `optimize` doubles it from beta on"},
    {"double_every", CFG_INTEGER, AT(scene_design, double_every), .computed = "never",
     .range = {CFG_FROM | CFG_UP_TO, 1, 100000}, .present = has_continuation,
     .meaning = "evaluations of `optimize` after which the sharpness is doubled; before that where it finds no better "
                "design, or a stop is reached"},
    END};
const cfg_table pio_projection_table = {.what = "projection", .fields = projection_fields};

WHERE_TESTS(kept, scene_fixed)
WHERE(kept, scene_fixed)

static const cfg_field fixed_fields[] = {
    {"on", CFG_MAPPING, .required = true, .table = &kept_place_table,
     .meaning = "its elements: a group, or those whose centre lies in a box"},
    {"value", CFG_NUMBER, AT(scene_fixed, value), .required = true, .quantity = CFG_ANY,
     .meaning = "that they have after filter and projection, with the target's unit"},
    END};
static const cfg_table fixed_table = {
    .what = "part that keeps a value", .size = sizeof(scene_fixed), .fields = fixed_fields};

#define PLANE(axis, number)                                                                                            \
    static bool has_plane_##axis(const void *d)                                                                        \
    {                                                                                                                  \
        return isfinite(((const scene_design *)d)->map.symmetry[number]);                                              \
    }
PLANE(x, 0)
PLANE(y, 1)
PLANE(z, 2)

static const cfg_field symmetry_fields[] = {
    {"x", CFG_NUMBER, AT(scene_design, map.symmetry[0]), .computed = "none", .quantity = CFG_LENGTH,
     .present = has_plane_x, .meaning = "where the plane is that x is perpendicular to"},
    {"y", CFG_NUMBER, AT(scene_design, map.symmetry[1]), .computed = "none", .quantity = CFG_LENGTH,
     .present = has_plane_y, .meaning = "likewise of y"},
    {"z", CFG_NUMBER, AT(scene_design, map.symmetry[2]), .computed = "none", .quantity = CFG_LENGTH,
     .present = has_plane_z, .meaning = "likewise of z, in 3D"},
    END};
static const cfg_table symmetry_table = {.what = "planes of symmetry", .fields = symmetry_fields};

static bool has_fixed(const void *d)
{
    return ((const scene_design *)d)->map.n_fixed > 0;
}
static bool has_symmetry(const void *d)
{
    return has_plane_x(d) || has_plane_y(d) || has_plane_z(d);
}
static bool is_field(const void *d)
{
    return ((const scene_design *)d)->per == SCENE_PER_PARTICLE;
}

static const cfg_field design_fields[] = {
    {"name", CFG_NAME, AT(scene_design, name), .required = true, .meaning = "name in reports and files"},
    {"target", CFG_TEXTS, AT(scene_design, target), .present = has_own_targets,
     .meaning = "path or list of paths that change, such as materials.NAME.E, bodies.NAME.rest_position, "
                "loads.NAME.value or gravity; bodies.NAME.E is that body's own copy of its material's constant. piola "
                "params lists what a scene has"},
    {"targets", CFG_TEXTS, AT(scene_design, targets), .present = has_shared_targets,
     .meaning = TARGETS_MEANING ". Rest positions of bodies, with `per: lattice`, share the control points of one "
                                "lattice"},
    {"initial", CFG_NUMBERS, AT(scene_design, initial), .second = offsetof(scene_design, initial.n),
     .computed = "the scene's value", .quantity = CFG_ANY, .present = has_initial,
     .meaning = "value to start from, with the target's unit; a list for a vector"},
    {"bounds", CFG_PAIR, AT(scene_design, bounds), .computed = "the target's own range", .quantity = CFG_ANY,
     .present = has_bounds,
     .meaning = "[lowest, highest] of every component, with the target's unit. Without bounds `optimize` keeps to the "
                "target's own range; of an end that is not part of it, as 0 is not of E, it stays away by a thousandth "
                "of the distance at the start"},
    {"transform", CFG_ENUM, AT(scene_design, transform), .values = pio_transform_words, .fallback = "linear",
     .meaning = "log searches over orders of magnitude; it needs values above 0"},
    {"per", CFG_ENUM, AT(scene_design, per), .values = pio_mesh_per_words, .without = ONLY(SCENE_PER_GROUP),
     .fallback = "target",
     .meaning = "one value per target, per body that has it, per element (a field) or, for rest_position, per node: a "
                "shift of where it rests, 0 at first, or per control point of a `lattice`"},
    {"lattice", CFG_MAPPING, .table = &pio_lattice_table, .present = has_lattice,
     .meaning =
         "rest_position per lattice: a box of control points, each with a displacement, 0 at first, that deforms "
         "the body in it (Sederberg and Parry 1986)"},
    {"filter", CFG_MAPPING, .table = &filter_table, .present = has_filter,
     .meaning = "makes a field smooth at a length: of elements, or of the nodes of a part of the surface"},
    {"projection", CFG_MAPPING, .table = &pio_projection_table, .present = has_projection,
     .meaning =
         "moves the filtered values of a field to their bounds by a smooth step (Wang, Lazarov and Sigmund 2011)"},
    {"fixed", CFG_LIST, AT(scene_design, map.fixed), .second = offsetof(scene_design, map.n_fixed),
     .table = &fixed_table, .present = has_fixed,
     .meaning = "of a field of elements: parts that are no variables and keep a value; later ones win"},
    {"symmetry", CFG_MAPPING, .table = &symmetry_table, .present = has_symmetry,
     .meaning = "of a field of elements: planes at which its values are mirrored"},
    {"extrusion", CFG_ENUM, AT(scene_design, map.extrusion), .values = extrusion_names, .fallback = "none",
     .present = is_field, .meaning = "of a field of elements: axis along which its values are the same"},
    {"on", CFG_MAPPING, .table = &part_place_table, .present = has_part, .computed = "all of the body",
     .meaning = "rest_position per node: which nodes move"},
    {"along", CFG_ENUM, AT(scene_design, along), .values = along_names, .fallback = "all", .present = has_along,
     .meaning = "rest_position per node or lattice: in all directions, along an axis, or per node along the outward "
                "normal of the faces of `on`"},
    {"mesh_update", CFG_ENUM, AT(scene_design, mesh_update), .values = update_names,
     .computed = "linear_elastic where there is `on`, else none", .present = has_part,
     .meaning =
         "linear_elastic: nodes inside follow as those of an elastic body whose surface is moved; those of the "
         "rest of the surface stay, or slide along it where its normal is an axis; none: only the nodes of `on` move"},
    END};
const cfg_table pio_fem_design_table = {.what = "design variable of a mesh",
                                        .size = sizeof(scene_design),
                                        .fields = design_fields,
                                        .choice = {{{"target"}, {"targets"}}, true, 0}};
