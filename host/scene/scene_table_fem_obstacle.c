/* scene_table_fem_obstacle.c -- the table of obstacles that meshes touch. */
#include "host/scene/scene_table.h"

static bool has_motion(const void *o)
{
    return ((const scene_obstacle *)o)->time.n > 0;
}

static const cfg_field obstacle_fields[] = {
    {"name", CFG_NAME, AT(scene_obstacle, name), .required = true, .meaning = "name that design paths use"},
    {"type", CFG_ENUM, AT(scene_obstacle, type), .required = true, .values = pio_shape_words,
     .without = ONLY(PIO_POINTS),
     .meaning =
         "shape, about its own origin: a plane is solid on one side, a ball is a disc in 2D, a cylinder is for 3D "
         "only, and so is a mesh, a closed surface of triangles from a file"},
    {"distance", CFG_NUMBER, AT(scene_obstacle, distance), .required = true, .quantity = CFG_LENGTH, POSITIVE,
     .meaning = "gap below which the obstacle pushes a node of the surface away, without bound as the gap goes to 0; "
                "half of it makes contact harder, steps of Newton's method more, and explicit steps shorter"},
    {"stiffness", CFG_NUMBER, AT(scene_obstacle, stiffness),
     .computed = "a hundredth of the largest Young's modulus at small strain of all materials",
     .quantity = CFG_PRESSURE, POSITIVE,
     .meaning = "pressure K, of which the obstacle presses with 1.19 K at half the distance, with 0.14 K at 0.8 of it "
                "and with 12.2 K at a tenth; larger keeps the gap nearer to the distance"},
    {"friction", CFG_NUMBER, AT(scene_obstacle, friction), .fallback = "0", NOT_NEGATIVE,
     .meaning =
         "Coulomb's coefficient: of each normal force this fraction acts against sliding; with a larger one bodies "
         "rest on steeper slopes, and the matrix of implicit and static steps is no longer symmetric"},
    {"friction_velocity", CFG_NUMBER, AT(scene_obstacle, friction_velocity), .fallback = "1 mm/s", REGULARISATION,
     .meaning = "sliding speed at which friction has 0.7 of its size; bodies that should stick creep at about this "
                "speed, and a larger one makes derivatives milder. Of a static run speeds are ways of a load step "
                "divided by its time"},
    {"position", CFG_VECTOR, AT(scene_obstacle, position), .computed = "0", .quantity = CFG_LENGTH,
     .meaning = "place of its origin; at the start no node may touch it"},
    {"rotation", CFG_SPIN, AT(scene_obstacle, rotation), .computed = "0", .quantity = CFG_ANGLE,
     .only = ONLY(PIO_PLANE) | ONLY(PIO_BOX) | ONLY(PIO_CYLINDER) | ONLY(PIO_CLOSED_MESH),
     .meaning =
         "turn about its origin: one angle in 2D, counter-clockwise, a rotation vector in 3D; a ball is the same "
         "however it is turned, though motion may spin it"},
    {"normal", CFG_VECTOR, AT(scene_obstacle, normal), .required = true, .only = ONLY(PIO_PLANE),
     .meaning = "direction out of the solid side before rotation, of any length"},
    {"size", CFG_VECTOR, AT(scene_obstacle, size), .required = true, .quantity = CFG_LENGTH, POSITIVE,
     .only = ONLY(PIO_BOX), .meaning = "edges, half of each on either side of the origin"},
    {"radius", CFG_NUMBER, AT(scene_obstacle, radius), .required = true, .quantity = CFG_LENGTH, POSITIVE,
     .only = ONLY(PIO_BALL) | ONLY(PIO_CYLINDER), .meaning = "radius"},
    {"height", CFG_NUMBER, AT(scene_obstacle, height), .required = true, .quantity = CFG_LENGTH, POSITIVE,
     .only = ONLY(PIO_CYLINDER), .meaning = "length along the axis, half on each side of the origin"},
    {"axis", CFG_ENUM, AT(scene_obstacle, axis), .required = true, .values = pio_axis_names, .only = ONLY(PIO_CYLINDER),
     .meaning = "direction of the axis before rotation"},
    {"file", CFG_TEXT, AT(scene_obstacle, file), .required = true, .only = ONLY(PIO_CLOSED_MESH),
     .meaning =
         "STL, OBJ or PLY file below the scene's folder, whose triangles lie counter-clockwise seen from outside"},
    {"scale", CFG_NUMBER, AT(scene_obstacle, scale), .fallback = "1", POSITIVE,
     .only = ONLY(PIO_BALL) | ONLY(PIO_BOX) | ONLY(PIO_CYLINDER) | ONLY(PIO_CLOSED_MESH),
     .meaning =
         "factor of its size: of radius, height and edges about the origin, or of the file's lengths, 0.001 for a file "
         "in millimetres"},
    {"resolution", CFG_NUMBER, AT(scene_obstacle, resolution), .computed = "distance", .quantity = CFG_LENGTH, POSITIVE,
     .only = ONLY(PIO_CLOSED_MESH),
     .meaning = "spacing of the points at which distances from the surface are kept; edges are rounded at about this "
                "size, and half of it takes eight times the memory"},
    {"motion", CFG_MAPPING, .table = &pio_motion_table, .present = has_motion, .computed = "it stands still",
     .meaning = "its prescribed motion, whatever it meets"},
    END};
const cfg_table pio_fem_obstacle_table = {
    .what = "obstacle of a mesh", .size = sizeof(scene_obstacle), .fields = obstacle_fields, .discriminator = "type"};
