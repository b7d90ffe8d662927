/* scene_table_fem.c -- the table of scenes of `method: {type: fem}`: what differs from scene_table.c. */
#include "host/scene/scene_query.h"
#include "host/scene/scene_table.h"

#include <math.h>

static const char *const mesh_names[] = {"box", "quadrilateral", "plate", "mesh", NULL};
static const char *const support_names[] = {"fixed", "displacement", "rotation", NULL};
static const char *const interpolation_names[] = {"linear", "nearest", NULL};

/* ---- geometry, bodies ---------------------------------------------------------------------------------- */

#define FACES (ONLY(PIO_TRI3) - 1) /* elements with fewer than two dimensions */
#define BUILT (ONLY(SCENE_MESH_BOX) | ONLY(SCENE_MESH_QUADRILATERAL) | ONLY(SCENE_MESH_PLATE))

static bool has_plate_thickness(const void *g)
{
    return ((const scene_geometry *)g)->thickness > 0;
}

static const cfg_field geometry_fields[] = {
    {"name", CFG_NAME, AT(scene_geometry, name), .required = true, .meaning = "name that bodies use"},
    {"type", CFG_ENUM, AT(scene_geometry, mesh), .required = true, .values = mesh_names,
     .meaning = "what is meshed: a box; a quadrilateral (2D) with given corners; a quarter of a square plate with a "
                "hole about the origin; mesh reads a Gmsh file"},
    {"element", CFG_ENUM, AT(scene_geometry, element), .required = true, .values = pio_element_words, .without = FACES,
     .only = BUILT, .meaning = "kind of element; its dimension is the scene's"},
    {"elements", CFG_NUMBERS, AT(scene_geometry, elements), .second = offsetof(scene_geometry, elements.n),
     .required = true, .range = {CFG_FROM | CFG_UP_TO, 1, 100000}, .only = BUILT,
     .meaning = "cells per axis (plate: outward, around the quarter hole, through the thickness); triangles halve and "
                "tetrahedra cut a cell in six"},
    {"min", CFG_VECTOR, AT(scene_geometry, min), .required = true, .quantity = CFG_LENGTH, .only = ONLY(SCENE_MESH_BOX),
     .meaning = "lower corner"},
    {"max", CFG_VECTOR, AT(scene_geometry, max), .required = true, .quantity = CFG_LENGTH, .only = ONLY(SCENE_MESH_BOX),
     .meaning = "upper corner"},
    {"corners", CFG_NUMBERS, AT(scene_geometry, corners), .second = offsetof(scene_geometry, corners.n),
     .required = true, .quantity = CFG_LENGTH, .only = ONLY(SCENE_MESH_QUADRILATERAL),
     .meaning = "x0, y0, x1, y1, x2, y2, x3, y3, counter-clockwise; elements lie along the sides 0-1 and 0-3"},
    {"radius", CFG_NUMBER, AT(scene_geometry, radius), .required = true, .quantity = CFG_LENGTH, POSITIVE,
     .only = ONLY(SCENE_MESH_PLATE), .meaning = "of the hole"},
    {"size", CFG_NUMBER, AT(scene_geometry, size), .required = true, .quantity = CFG_LENGTH, POSITIVE,
     .only = ONLY(SCENE_MESH_PLATE), .meaning = "edge of the quarter, above the radius"},
    {"thickness", CFG_NUMBER, AT(scene_geometry, thickness), .fallback = "0", .quantity = CFG_LENGTH, NOT_NEGATIVE,
     .only = ONLY(SCENE_MESH_PLATE), .present = has_plate_thickness, .meaning = "of the plate in 3D"},
    {"file", CFG_TEXT, AT(scene_geometry, file), .required = true, .only = ONLY(SCENE_MESH_FILE),
     .meaning = "Gmsh file, MSH 2.2 or 4.1, below the scene's folder; physical groups keep their names"},
    {"scale", CFG_NUMBER, AT(scene_geometry, scale), .computed = "1", POSITIVE, .only = ONLY(SCENE_MESH_FILE),
     .meaning = "factor of the file's lengths: 0.001 reads millimetres; without it 1, and a warning where that makes "
                "more than 10 m"},
    END};
static const cfg_table geometry_table = {
    .what = "meshed geometry", .size = sizeof(scene_geometry), .fields = geometry_fields, .discriminator = "type"};

WHERE_TESTS(region, scene_region)
WHERE(region, scene_region)

static const cfg_field region_fields[] = {
    {"on", CFG_MAPPING, .required = true, .table = &region_place_table,
     .meaning = "its elements: a group, or those whose centre lies in a box"},
    {"material", CFG_NAME, AT(scene_region, material), .required = true, .meaning = "what it is made of"},
    END};
static const cfg_table region_table = {.what = "region", .size = sizeof(scene_region), .fields = region_fields};

static bool has_regions(const void *b)
{
    return ((const scene_body *)b)->n_regions > 0;
}

static bool has_second(const void *b)
{
    return ((const scene_body *)b)->second != NULL;
}
static bool is_mixed(const void *b)
{
    return ((const scene_body *)b)->other != NULL;
}
static bool is_half_empty(const void *b)
{
    return !is_mixed(b);
}

static const cfg_field stiffness_fields[] = {
    {"type", CFG_ENUM, AT(scene_body, interpolation.type), .values = pio_interpolation_words, .fallback = "simp",
     .meaning = "fraction of the stiffness at relative density r: simp, least + (1 - least) r^power; ramp, least + "
                "(1 - least) r/(1 + power (1 - r))"},
    {"power", CFG_NUMBER, AT(scene_body, interpolation.power), .fallback = "3", .range = {CFG_FROM | CFG_UP_TO, 0, 100},
     .meaning = "how much values between 0 and 1 cost: p of simp, at least 1; q of ramp"},
    {"least", CFG_NUMBER, AT(scene_body, interpolation.least), .fallback = "1e-9",
     .range = {CFG_OVER | CFG_UP_TO, 0, 1}, .present = is_half_empty,
     .meaning = "the fraction at r = 0, above 0, so that equations can be solved"},
    {"other", CFG_NAME, AT(scene_body, other), .computed = "none: the rest is empty", .present = is_mixed,
     .meaning =
         "a material of the same law that the rest of an element is made of: moduli are s times those of the body "
         "and 1 - s times those of the other, densities r and 1 - r times"},
    {"second", CFG_NAME, AT(scene_body, second), .computed = "none: it is the body's own", .present = has_second,
     .meaning = "a material of the same law that what is filled may be instead of the body's own, by `choice` c: its "
                "moduli are t and 1 - t times those of the two, t the formula of s without `least`, of c; its density "
                "c and 1 - c times"},
    END};
static const cfg_table stiffness_table = {.what = "interpolation", .fields = stiffness_fields};

static const cfg_field body_fields[] = {
    {"name", CFG_NAME, AT(scene_body, name), .required = true, .meaning = "name that other entries use"},
    {"geometry", CFG_NAME, AT(scene_body, geometry), .required = true, .meaning = "name of an entry of geometry"},
    {"material", CFG_NAME, AT(scene_body, material), .required = true, .meaning = "name of an entry of materials"},
    {"regions", CFG_LIST, AT(scene_body, regions), .second = offsetof(scene_body, n_regions), .table = &region_table,
     .present = has_regions, .meaning = "groups of elements made of something else; later ones win"},
    {"dilatation", CFG_ENUM, AT(scene_body, dilatation), .values = pio_dilatation_words, .fallback = "standard",
     .meaning =
         "change of volume of an element: standard, that of F at each point, which locks where nu is near 0.5; "
         "projected, its mean over the element (in quad9 and hex27 its projection on linear functions), which does not "
         "lock; of no use to tri3 and tet4"},
    {"position", CFG_VECTOR, AT(scene_body, position), .computed = "0", .quantity = CFG_LENGTH,
     .meaning = "shift of the geometry"},
    {"displacement", CFG_VECTOR, AT(scene_body, displacement), .computed = "0", .quantity = CFG_LENGTH,
     .texts = offsetof(scene_body, displacement_text), .meaning = "of its free nodes at the start of a motion"},
    {"velocity", CFG_VECTOR, AT(scene_body, velocity), .computed = "0", .quantity = CFG_VELOCITY,
     .texts = offsetof(scene_body, velocity_text), .meaning = "of its free nodes at the start of a motion"},
    {"angular_velocity", CFG_SPIN, AT(scene_body, angular_velocity), .computed = "0", .quantity = CFG_ANGLE_RATE,
     .meaning = "rotation about the mean of its nodes at the start of a motion: one number in 2D, a vector in 3D"},
    {"thickness", CFG_NUMBER, AT(scene_body, thickness), .fallback = "1", .quantity = CFG_LENGTH, POSITIVE,
     .texts = offsetof(scene_body, thickness_text), .instead_of = 1,
     .meaning = "in 2D: how deep the body is; forces are in proportion; rings have none"},
    {"temperature", CFG_NUMBER, AT(scene_body, temperature), .fallback = "0", .quantity = CFG_TEMPERATURE,
     .texts = offsetof(scene_body, temperature_text), .instead_of = 1, .present = pio_scene_body_is_heated,
     .meaning = "above that at which the body at rest has no stress; from the beginning to the end"},
    {"relative_density", CFG_NUMBER, AT(scene_body, relative_density), .computed = "none: the body is full",
     .quantity = CFG_ONE, .range = {CFG_FROM | CFG_UP_TO, 0, 1}, .texts = offsetof(scene_body, relative_density_text),
     .instead_of = 1, .present = pio_scene_body_is_partial,
     .meaning = "part of the volume that is filled, which multiplies mass and observed volume, and by `interpolation` "
                "the stiffness; what topology optimisation designs"},
    {"choice", CFG_NUMBER, AT(scene_body, choice), .computed = "none: there is no second material", .quantity = CFG_ONE,
     .range = {CFG_FROM | CFG_UP_TO, 0, 1}, .present = has_second,
     .meaning =
         "which part of what is filled is the body's own material, 1 - c of it being `interpolation.second`; what "
         "a design of several materials designs beside `relative_density`"},
    {"interpolation", CFG_MAPPING, .table = &stiffness_table, .present = pio_scene_body_is_partial,
     .meaning = "how the stiffness follows the relative density"},
    END};
static const cfg_table body_table = {.what = "meshed body", .size = sizeof(scene_body), .fields = body_fields};

/* ---- boundary, loads, curves ---------------------------------------------------------------------------- */

WHERE_TESTS(support, scene_boundary)
WHERE(support, scene_boundary)
WHERE_TESTS(face, scene_load)
WHERE(face, scene_load)
WHERE_TESTS(seen, scene_observe)
WHERE(seen, scene_observe)

static bool has_axis(const void *s)
{
    const double *axis = ((const scene_boundary *)s)->axis;
    return fabs(axis[0]) + fabs(axis[1]) + fabs(axis[2]) > 0;
}
static bool support_curve(const void *s)
{
    return ((const scene_boundary *)s)->curve != NULL;
}
static bool load_curve(const void *s)
{
    return ((const scene_load *)s)->curve != NULL;
}
static bool load_place(const void *s)
{
    const scene_load *l = s;
    return l->on.group || !isnan(l->on.min[0]);
}
#define SPRUNG (ONLY(PIO_FOUNDATION) | ONLY(PIO_SPRINGS))

static const cfg_field boundary_fields[] = {
    {"name", CFG_NAME, AT(scene_boundary, name), .required = true, .meaning = "name that observe and design use"},
    {"body", CFG_NAME, AT(scene_boundary, body), .required = true, .meaning = "name of the constrained body"},
    {"on", CFG_MAPPING, .required = true, .table = &support_place_table, .meaning = "its constrained nodes"},
    {"type", CFG_ENUM, AT(scene_boundary, type), .required = true, .values = support_names,
     .meaning = "fixed keeps the nodes where they are, displacement moves them, rotation turns them as a rigid body"},
    {"axes", CFG_TEXTS, AT(scene_boundary, axes), .values = pio_axis_names, .computed = "all",
     .meaning = "constrained directions; the others stay free"},
    {"value", CFG_NUMBERS, AT(scene_boundary, value), .second = offsetof(scene_boundary, value.n), .required = true,
     .quantity = CFG_LENGTH, .only = ONLY(SCENE_PRESCRIBED), .texts = offsetof(scene_boundary, value_text),
     .meaning =
         "displacement along each of the axes, where the curve is 1: one number for all, or one for each of them"},
    {"angle", CFG_NUMBER, AT(scene_boundary, angle), .required = true, .quantity = CFG_ANGLE,
     .only = ONLY(SCENE_ROTATION), .texts = offsetof(scene_boundary, angle_text),
     .meaning = "rotation, where the curve is 1: counter-clockwise as seen from where the axis points to; of any size"},
    {"center", CFG_VECTOR, AT(scene_boundary, center), .required = true, .quantity = CFG_LENGTH,
     .only = ONLY(SCENE_ROTATION), .meaning = "place about which they turn"},
    {"axis", CFG_VECTOR, AT(scene_boundary, axis), .computed = "3D: required; 2D: out of the plane",
     .only = ONLY(SCENE_ROTATION), .present = has_axis, .meaning = "direction of the axis through it, in 3D"},
    {"curve", CFG_NAME, AT(scene_boundary, curve), .computed = "static: 0 to 1 over the duration, else 1",
     .only = ONLY(SCENE_PRESCRIBED) | ONLY(SCENE_ROTATION), .present = support_curve,
     .meaning = "name of an entry of curves"},
    END};
static const cfg_table boundary_table = {
    .what = "support", .size = sizeof(scene_boundary), .fields = boundary_fields, .discriminator = "type"};

static const cfg_field load_fields[] = {
    {"name", CFG_NAME, AT(scene_load, name), .required = true, .meaning = "name that design paths use"},
    {"body", CFG_NAME, AT(scene_load, body), .required = true, .meaning = "name of the body that is loaded"},
    {"on", CFG_MAPPING, .table = &face_place_table, .present = load_place,
     .computed = "of a body_force the whole body, else required", .needed = 0x1ffu & ~ONLY(PIO_BODY_FORCE),
     .meaning = "what of it is loaded: its outer faces; of point_force and springs its nodes; of body_force its "
                "elements, a group or those whose centre lies in a box"},
    {"type", CFG_ENUM, AT(scene_load, type), .required = true, .values = pio_load_words,
     .meaning =
         "traction: force per area at rest, a vector; force: its total given, spread evenly over the area at rest; "
         "moment: a traction without resultant whose moment it is, in proportion to the distance from the faces' "
         "centroid, whose directions stay while the face turns; pressure: pushes inward, along the normal at rest; "
         "follower_pressure: along the normal of the "
         "deformed face, on its area; point_force: a force, shared equally by nodes; body_force: force per volume at "
         "rest; foundation: springs per area at rest between faces and the ground; springs: the same at nodes, their "
         "total shared equally; springs count as supports, and their forces as internal ones"},
    {"value", CFG_NUMBERS, AT(scene_load, value), .second = offsetof(scene_load, value.n), .required = true,
     .quantity = CFG_ANY, .texts = offsetof(scene_load, value_text),
     .meaning = "where the curve is 1: one number for a pressure, and for a moment in 2D, else one per axis; "
                "stiffnesses are at least 0: of a "
                "foundation one number acts along the normal at rest"},
    {"curve", CFG_NAME, AT(scene_load, curve), .computed = "static: 0 to 1 over the duration, else 1",
     .only = 0x1ffu & ~SPRUNG, .present = load_curve, .meaning = "name of an entry of curves"},
    END};
static const cfg_table load_table = {
    .what = "load", .size = sizeof(scene_load), .fields = load_fields, .discriminator = "type"};

static bool has_unit(const void *t)
{
    return ((const scene_table *)t)->unit != NULL;
}

static const cfg_field table_fields[] = {
    {"name", CFG_NAME, AT(scene_table, name), .required = true, .meaning = "name that expressions use"},
    {"file", CFG_TEXT, AT(scene_table, file), .required = true,
     .meaning =
         "CSV or HDF5 with columns of values and of x, y or z (m at rest), those of the axes along which they vary; "
         "below the scene's folder"},
    {"column", CFG_TEXT, AT(scene_table, column), .required = true, .meaning = "name of the column of values"},
    {"unit", CFG_TEXT, AT(scene_table, unit), .computed = "plain numbers", .present = has_unit,
     .meaning = "of the values, such as MPa"},
    {"interpolation", CFG_ENUM, AT(scene_table, interpolation), .required = true, .values = interpolation_names,
     .meaning =
         "linear: the points are all those of a grid of planes, of any distances, in any order; values are linear "
         "along each axis within its cells, and go on so outside; nearest: the value of the nearest of any "
         "points, at most 20,000"},
    END};
static const cfg_table table_table = {.what = "table", .size = sizeof(scene_table), .fields = table_fields};

static bool has_file(const void *c)
{
    return ((const scene_curve *)c)->file != NULL;
}
static bool has_numbers(const void *c)
{
    return !has_file(c);
}

static const cfg_field curve_fields[] = {
    {"name", CFG_NAME, AT(scene_curve, name), .required = true, .meaning = "name that boundary and loads use"},
    {"time", CFG_NUMBERS, AT(scene_curve, time), .second = offsetof(scene_curve, time.n), .quantity = CFG_TIME,
     NOT_NEGATIVE, .present = has_numbers, .meaning = "increasing times"},
    {"value", CFG_NUMBERS, AT(scene_curve, value), .second = offsetof(scene_curve, value.n), .present = has_numbers,
     .meaning = "factors at these times, straight lines between them, constant outside"},
    {"file", CFG_TEXT, AT(scene_curve, file), .present = has_file,
     .meaning = "CSV or HDF5 with columns time (s) and value instead, below the scene's folder"},
    END};
static const cfg_table curve_table = {.what = "curve",
                                      .size = sizeof(scene_curve),
                                      .fields = curve_fields,
                                      .choice = {{{"time", "value"}, {"file"}}, true, 0}};

/* ---- observe ------------------------------------------------------------------------------------------- */

#define OF_CONTROL (ONLY(PIO_EFFORT) | ONLY(PIO_SMOOTHNESS))
/* Observables that only particles have: those before DISPLACEMENT except these. */
#define OF_PARTICLES                                                                                                   \
    ((ONLY(PIO_DISPLACEMENT) - 1) &                                                                                    \
     ~(ONLY(PIO_MEAN_VELOCITY) | ONLY(PIO_KINETIC_ENERGY) | ONLY(PIO_DISTANCE) | OF_CONTROL))
#define MEANS (ONLY(PIO_DISPLACEMENT) | ONLY(PIO_MEAN_VELOCITY))
#define MEASURED                                                                                                       \
    (ONLY(PIO_OF_CAUCHY_STRESS) | ONLY(PIO_OF_GREEN_STRAIN) | ONLY(PIO_OF_VON_MISES) | ONLY(PIO_OF_J) |                \
     ONLY(PIO_OF_ENERGY_DENSITY) | ONLY(PIO_OF_PRINCIPAL_STRESS) | ONLY(PIO_OF_RELATIVE_DENSITY) |                     \
     ONLY(PIO_OF_GREYNESS) | ONLY(PIO_OF_OWN_FRACTION))
#define FIELDS (MEASURED | ONLY(PIO_OF_ROTATION))
#define INTEGRALS (ONLY(PIO_VOLUME) | ONLY(PIO_MASS) | ONLY(PIO_STRAIN_ENERGY))
#define MOMENTS (ONLY(PIO_REACTION_MOMENT) | ONLY(PIO_ANGULAR_MOMENTUM))
#define REACTIONS (ONLY(PIO_REACTION) | ONLY(PIO_REACTION_MOMENT))
#define TOUCHED (ONLY(PIO_CONTACT_FORCE) | ONLY(PIO_GAP))
#define PRESSED ONLY(PIO_CONTACT_PRESSURE)
#define SAMPLED                                                                                                        \
    (MEANS | MOMENTS | FIELDS | TOUCHED | PRESSED | ONLY(PIO_REACTION) | ONLY(PIO_COMPLIANCE) |                        \
     ONLY(PIO_KINETIC_ENERGY) | ONLY(PIO_STRAIN_ENERGY))
#define OF_BODY                                                                                                        \
    (MEANS | FIELDS | INTEGRALS | PRESSED | ONLY(PIO_DISTANCE) | ONLY(PIO_KINETIC_ENERGY) | ONLY(PIO_ANGULAR_MOMENTUM))

static bool has_on(const void *o)
{
    const scene_observe *observe = o;
    return observe->on.group || !isnan(observe->on.min[0]);
}

static bool has_control(const void *o)
{
    return ((const scene_observe *)o)->control.n > 0;
}

static bool has_point(const void *o)
{
    return !isnan(((const scene_observe *)o)->point[0]);
}

static bool has_no_point(const void *o)
{
    return !has_point(o);
}

static bool has_power(const void *o)
{
    return ((const scene_observe *)o)->measure == PIO_PNORM;
}

static const cfg_field points_fields[] = {
    {"file", CFG_TEXT, AT(scene_observe, points_file), .required = true,
     .meaning = "CSV, or HDF5 with one-dimensional datasets, of columns time, node or, for points within elements, "
                "their place at rest X, Y[, Z], then the measured place x, y[, z] and, where points count differently, "
                "weight; below the scene's folder"},
    END};
static const cfg_table points_table = {.what = "set of points", .fields = points_fields};

static const cfg_field observe_fields[] = {
    {"name", CFG_NAME, AT(scene_observe, name), .required = true, .meaning = "name that objectives use"},
    {"type", CFG_ENUM, AT(scene_observe, type), .required = true, .values = pio_observable_words,
     .without = OF_PARTICLES,
     .meaning =
         "what is measured: the mean displacement of nodes, the total force of a support on the body and its "
         "moment about a centre, the mean squared distance of points from measured places, the work of the "
         "loads (external forces times displacements), the mean velocity of nodes, kinetic energy and angular "
         "momentum; the total force of an obstacle on the bodies, or of other bodies on one, the least gap between "
         "them, "
         "and the pressure of contact on a body's surface, friction not counted, by all that touches it; of elements: "
         "volume and mass at rest and the energy of their strain; and, at a point or over "
         "elements, Cauchy's stress and Green's strain (components xx, yy, zz, xy, in 3D yz, xz), von Mises' "
         "stress, volume ratio, strain energy per volume at rest, principal stresses (1, 2, 3, the largest "
         "first), rotation (2D: an angle; 3D: a rotation vector x, y, z), relative density r, whose mean is the "
         "fraction of the volume that is filled, greyness, 4 r (1 - r), and own_fraction, r c with the choice c, whose "
         "mean is the fraction of the volume that is the body's own material; of modal analysis the frequency of a "
         "mode; of control its effort, the integral over time of the squares of activations, each step with that at "
         "its "
         "end, or its smoothness, that of the squares of their rates, the smaller, the smoother"},
    {"body", CFG_NAME, AT(scene_observe, body), .computed = "none", .only = OF_BODY | TOUCHED, .needed = OF_BODY,
     .present = sees_body,
     .meaning = "name of the body; of contact_force and gap, in place of obstacle, that whose surface touches others"},
    {"other", CFG_NAME, AT(scene_observe, other), .computed = "any", .only = TOUCHED, .present = sees_other,
     .meaning = "with body: name of the body that it touches; of a gap also the same body, which touches itself"},
    {"on", CFG_MAPPING, .table = &seen_place_table, .only = MEANS | FIELDS | INTEGRALS, .present = has_on,
     .computed = "the whole body",
     .meaning =
         "what of it is measured: nodes of displacement and mean_velocity, else elements, a group or those whose "
         "centre lies in a box"},
    {"point", CFG_VECTOR, AT(scene_observe, point), .computed = "none", .quantity = CFG_LENGTH, .only = MEANS | FIELDS,
     .present = has_point,
     .meaning =
         "instead of on: one point of the body, by its place at rest, which moves with the elements that have it; "
         "stress and strain of a point that several elements have are the mean of theirs"},
    {"measure", CFG_ENUM, AT(scene_observe, measure), .values = pio_measure_words, .fallback = "mean",
     .only = MEASURED | PRESSED, .present = has_no_point,
     .meaning =
         "of the values over elements, each component for itself, or of pressures at nodes of the surface: mean, "
         "by volume or area at rest; maximum, the largest at an integration point; pnorm, the p-mean of absolute "
         "values, a smooth stand-in for the largest"},
    {"p", CFG_NUMBER, AT(scene_observe, power), .fallback = "8", .range = {CFG_FROM | CFG_UP_TO, 2, 32},
     .only = MEASURED | PRESSED, .present = has_power,
     .meaning = "of pnorm: its exponent; larger is nearer to the largest value and less smooth"},
    {"mode", CFG_NUMBERS, AT(scene_observe, mode), .second = offsetof(scene_observe, mode.n), .required = true,
     .range = {CFG_FROM, 1, 0}, .only = ONLY(PIO_EIGENFREQUENCY),
     .meaning = "number of the mode, 1 the lowest, rigid motions included; or [first, last], the mean of their "
                "frequencies, which has a derivative where they are repeated"},
    {"control", CFG_TEXTS, AT(scene_observe, control), .computed = "all", .only = OF_CONTROL, .present = has_control,
     .meaning = "name or names of entries of control whose activations count"},
    {"boundary", CFG_NAME, AT(scene_observe, boundary), .required = true, .only = REACTIONS,
     .meaning = "name of an entry of boundary"},
    {"obstacle", CFG_NAME, AT(scene_observe, obstacle), .computed = "none", .only = TOUCHED, .present = sees_obstacle,
     .meaning = "name of an entry of obstacles; one of obstacle and body is needed"},
    {"center", CFG_VECTOR, AT(scene_observe, center), .required = true, .quantity = CFG_LENGTH, .only = MOMENTS,
     .meaning = "place about which moments are taken; arms go from it to the deformed places of nodes"},
    {"points", CFG_MAPPING, .table = &points_table, .required = true, .only = ONLY(PIO_DISTANCE),
     .meaning =
         "measured places of nodes, numbered from 0 in the body, or of points by their place at rest; their times "
         "are the samples; linear between two steps"},
    {"at", CFG_NUMBERS, AT(scene_observe, at), .second = offsetof(scene_observe, at.n), .computed = "the final time",
     .quantity = CFG_TIME, NOT_NEGATIVE, .only = SAMPLED, .present = has_at,
     .meaning = "time or increasing list of times, one sample each"},
    {"over", CFG_PAIR, AT(scene_observe, over), .quantity = CFG_TIME, NOT_NEGATIVE, .only = SAMPLED,
     .present = has_over, .meaning = "[from, to]: one sample, the mean over the window"},
    {"every", CFG_NUMBER, AT(scene_observe, every), .quantity = CFG_TIME, POSITIVE, .only = SAMPLED,
     .present = has_every, .meaning = "one sample at every multiple of it, up to the end"},
    END};
static const cfg_table observe_table = {.what = "observation of a mesh",
                                        .size = sizeof(scene_observe),
                                        .fields = observe_fields,
                                        .discriminator = "type",
                                        .choice = {{{"at"}, {"over"}, {"every"}}, false, SAMPLED}};

/* ---- the scene ------------------------------------------------------------------------------------------ */

#define HAS(group, name)                                                                                               \
    static bool has_##name(const void *s)                                                                              \
    {                                                                                                                  \
        return ((const pio_scene *)s)->group.n_##name > 0;                                                             \
    }
HAS(loading, boundary)
HAS(loading, loads)
HAS(loading, curves)
HAS(loading, ties)
static bool has_tables(const void *s)
{
    return ((const pio_scene *)s)->tables.n > 0;
}
static bool has_constants(const void *s)
{
    return ((const pio_scene *)s)->constants.n > 0;
}
static bool has_obstacles(const void *s)
{
    return ((const pio_scene *)s)->obstacles.n > 0;
}
static bool has_touch(const void *s)
{
    return ((const pio_scene *)s)->touch.distance > 0;
}
HAS(actuation, actuators)
HAS(goal, observe)
HAS(goal, design)
HAS(goal, objective)
HAS(goal, constraints)

static bool has_optimizer(const void *s)
{
    return ((const pio_scene *)s)->optimizer.is_set;
}
static bool has_description(const void *s)
{
    return ((const pio_scene *)s)->input.description != NULL;
}

#define LIST(group, name) CFG_LIST, AT(pio_scene, group.name), .second = offsetof(pio_scene, group.n_##name)

static const cfg_field scene_fields[] = {
    {"version", CFG_INTEGER, .required = true, .range = {CFG_FROM | CFG_UP_TO, 1, 1},
     .meaning = "of the scene language: 1"},
    {"name", CFG_LABEL, AT(pio_scene, input.name), .required = true,
     .meaning = "name of the scene, also of its output folder"},
    {"description", CFG_TEXT, AT(pio_scene, input.description), .present = has_description,
     .meaning = "free text, kept in the results"},
    {"seed", CFG_INTEGER, AT(pio_scene, common.seed), .fallback = "0", NOT_NEGATIVE,
     .meaning = "of all random numbers: the directions of `piola check`"},
    {"include", CFG_TEXTS,
     .meaning = "file or files below the scene's folder that are merged first; keys here win, lists are replaced"},
    {"method", CFG_MAPPING, .required = true, .table = &pio_fem_method_table, .meaning = "how space is discretised"},
    {"time", CFG_MAPPING, .table = &pio_fem_time_table, .meaning = "load steps, or steps of a motion"},
    {"solver", CFG_MAPPING, .table = &pio_fem_solver_table, .meaning = "tolerances of equilibrium and adjoint"},
    {"gravity", CFG_VECTOR, AT(pio_scene, common.gravity), .computed = "0", .quantity = CFG_ACCELERATION,
     .meaning = "acceleration of everything that has a density"},
    {"constants", CFG_NAMED, AT(pio_scene, constants.v), .second = offsetof(pio_scene, constants.n),
     .quantity = CFG_ANY, .present = has_constants,
     .meaning = "numbers that expressions name, such as {H: 10 mm, f: 3 Hz}, of any unit; without one they are plain "
                "numbers. A design may change them, by the path constants.NAME"},
    {"tables", CFG_LIST, AT(pio_scene, tables.v), .second = offsetof(pio_scene, tables.n), .table = &table_table,
     .present = has_tables, .meaning = "values at points, which expressions name"},
    {"materials", CFG_LIST, AT(pio_scene, materials.v), .second = offsetof(pio_scene, materials.n), .required = true,
     .least = 1, .table = &pio_fem_material_table, .meaning = "what bodies are made of"},
    {"geometry", LIST(matter, geometry), .required = true, .least = 1, .table = &geometry_table, .meaning = "meshes"},
    {"bodies", LIST(matter, bodies), .required = true, .least = 1, .table = &body_table,
     .meaning = "meshes made of materials"},
    {"boundary", LIST(loading, boundary), .table = &boundary_table, .present = has_boundary,
     .meaning = "where bodies are constrained"},
    {"loads", LIST(loading, loads), .table = &load_table, .present = has_loads, .meaning = "what acts on bodies"},
    {"curves", LIST(loading, curves), .table = &curve_table, .present = has_curves, .meaning = "courses in time"},
    {"ties", LIST(loading, ties), .table = &pio_tie_table, .present = has_ties,
     .meaning = "faces of bodies that follow those of others, whose meshes need not match"},
    {"actuators", LIST(actuation, actuators), .table = &pio_actuator_table, .present = has_actuators,
     .meaning = "parts of bodies whose fibres contract"},
    {"control", LIST(actuation, control), .table = &pio_control_table, .present = has_actuators,
     .meaning = "what drives the actuators, each by one entry"},
    {"obstacles", CFG_LIST, AT(pio_scene, obstacles.v), .second = offsetof(pio_scene, obstacles.n),
     .table = &pio_fem_obstacle_table, .present = has_obstacles,
     .meaning = "rigid obstacles that outer faces of bodies touch, at rest or moving"},
    {"contact", CFG_MAPPING, .table = &pio_fem_contact_table, .present = has_touch, .computed = "surfaces do not touch",
     .meaning = "contact of the outer faces of all bodies with each other"},
    {"observe", LIST(goal, observe), .table = &observe_table, .present = has_observe, .meaning = "what is measured"},
    {"design", LIST(goal, design), .table = &pio_fem_design_table, .present = has_design,
     .meaning = "the quantities that gradients are taken with respect to and that the optimiser changes"},
    {"objective", LIST(goal, objective), .table = &pio_fem_term_table, .present = has_objective,
     .meaning = "terms whose sum is minimised"},
    {"constraints", LIST(goal, constraints), .table = &pio_constraint_table, .present = has_constraints,
     .meaning = "bounds on observations that a design must satisfy"},
    {"gradient", CFG_MAPPING, .table = &pio_gradient_table, .meaning = "how gradients are computed and checked"},
    {"optimizer", CFG_MAPPING, .table = &pio_optimizer_table, .present = has_optimizer,
     .meaning = "how the design is improved"},
    {"output", CFG_MAPPING, .table = &pio_fem_output_table, .meaning = "what is written, and where"},
    END};
const cfg_table pio_fem_scene_table = {.what = "scene", .fields = scene_fields};
