/* scene_table_obstacle.c -- the table of obstacles, still or moving. */
#include "host/scene/scene_table.h"

#include <math.h>

static bool has_motion(const void *o)
{
    return ((const scene_obstacle *)o)->time.n > 0;
}
/* The resolved scene has the numbers of a motion file, not its name. */
static bool never(const void *o)
{
    (void)o;
    return false;
}
static bool on_grid(const void *o)
{
    return ((const scene_obstacle *)o)->model == PIO_CONTACT_GRID;
}
static bool has_potential(const void *o)
{
    return ((const scene_obstacle *)o)->model == PIO_CONTACT_POTENTIAL;
}
static bool separates_on_grid(const void *o)
{
    return on_grid(o) && ((const scene_obstacle *)o)->behaviour == PIO_WALL_SEPARATE;
}
static bool is_rough(const void *o)
{
    return ((const scene_obstacle *)o)->behaviour != PIO_WALL_STICKY;
}
static bool has_x(const void *o)
{
    return ((const scene_obstacle *)o)->shift[0].n > 0;
}
static bool has_y(const void *o)
{
    return ((const scene_obstacle *)o)->shift[1].n > 0;
}
static bool has_z(const void *o)
{
    return ((const scene_obstacle *)o)->shift[2].n > 0;
}
static bool has_angle(const void *o)
{
    return ((const scene_obstacle *)o)->angle.n > 0;
}
static bool has_axis(const void *o)
{
    const scene_obstacle *own = o;
    return fabs(own->turns[0]) + fabs(own->turns[1]) + fabs(own->turns[2]) > 0;
}

#define COURSE(text, a, test)                                                                                          \
    {                                                                                                                  \
        text, CFG_NUMBERS, AT(scene_obstacle, shift[a]),                                                               \
            .second = offsetof(scene_obstacle, shift[a].n), .computed = "0", .quantity = CFG_LENGTH, .present = test,  \
            .meaning = "shift of the obstacle along " text " at these times"                                           \
    }

static const cfg_field motion_fields[] = {
    {"time", CFG_NUMBERS, AT(scene_obstacle, time), .second = offsetof(scene_obstacle, time.n), .quantity = CFG_TIME,
     NOT_NEGATIVE,
     .meaning =
         "increasing times; between them it moves and turns evenly, before the first and after the last it rests"},
    COURSE("x", 0, has_x),
    COURSE("y", 1, has_y),
    COURSE("z", 2, has_z),
    {"angle", CFG_NUMBERS, AT(scene_obstacle, angle), .second = offsetof(scene_obstacle, angle.n), .computed = "0",
     .quantity = CFG_ANGLE, .present = has_angle,
     .meaning = "turn about its position at these times, after its rotation; larger steps turn it faster"},
    {"file", CFG_TEXT, AT(scene_obstacle, motion_file), .present = never,
     .meaning = "CSV or HDF5 below the scene's folder instead, with columns time (s) and any of x, y, z (m) and angle "
                "(rad)"},
    {"axis", CFG_VECTOR, AT(scene_obstacle, turns), .computed = "z", .present = has_axis,
     .meaning = "direction about which the angle turns, of any length; for 3D only"},
    END};
const cfg_table pio_motion_table = {
    .what = "motion", .fields = motion_fields, .choice = {{{"time"}, {"file"}}, true, 0}};

static const cfg_field obstacle_fields[] = {
    {"name", CFG_NAME, AT(scene_obstacle, name), .required = true, .meaning = "name that design paths use"},
    {"type", CFG_ENUM, AT(scene_obstacle, type), .required = true, .values = pio_shape_words,
     .without = ONLY(PIO_POINTS),
     .meaning =
         "shape, about its own origin: a plane is solid on one side, a ball is a disc in 2D, a cylinder is for 3D "
         "only, and so is a mesh, a closed surface of triangles from a file"},
    {"behaviour", CFG_ENUM, AT(scene_obstacle, behaviour), .fallback = "separate", .values = pio_wall_words,
     .without = ONLY(PIO_WALL_PENALTY) | ONLY(PIO_WALL_STICKY_SEPARATE),
     .meaning =
         "boundary condition at its surface: sticky stops material, slip lets it slide, separate also lets it leave"},
    {"model", CFG_ENUM, AT(scene_obstacle, model), .values = pio_contact_model_words,
     .computed = "potential where it separates and all bodies are elastic or von Mises solids, without width and "
                 "separation_velocity; else grid",
     .meaning =
         "how it acts: grid changes the velocities of nodes, and takes energy from what bounces; potential pushes "
         "particles of solids by a force that depends on where they are alone, and returns their energy; for separate"},
    {"position", CFG_VECTOR, AT(scene_obstacle, position), .computed = "0", .quantity = CFG_LENGTH,
     .meaning = "place of its origin; moving it into a body pushes the body out"},
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
    {"resolution", CFG_NUMBER, AT(scene_obstacle, resolution), .computed = "half of method.grid.spacing",
     .quantity = CFG_LENGTH, POSITIVE, .only = ONLY(PIO_CLOSED_MESH),
     .meaning = "spacing of the points at which distances from the surface are kept; edges are rounded at about this "
                "size, and half of it takes eight times the memory"},
    {"friction", CFG_NUMBER, AT(scene_obstacle, friction), .fallback = "0", NOT_NEGATIVE, .present = is_rough,
     .meaning = "Coulomb's coefficient, of slip and separate: of each normal impulse this fraction acts against "
                "sliding; with a larger one bodies rest on steeper slopes"},
    {"friction_velocity", CFG_NUMBER, AT(scene_obstacle, friction_velocity), .fallback = "1 mm/s", REGULARISATION,
     .present = is_rough,
     .meaning = "sliding speed at which friction has 0.7 of its size; material that should stick creeps at about this "
                "speed, and a larger one makes derivatives milder"},
    {"separation_velocity", CFG_NUMBER, AT(scene_obstacle, separation_velocity),
     .computed = "0.1 method.grid.spacing/time.duration", REGULARISATION, .present = separates_on_grid,
     .meaning = "model grid: material that approaches faster than this is stopped completely, material that leaves "
                "faster is free; "
                "between, contact sets in gradually, so that derivatives have no kink. Larger makes them milder; "
                "material that touches without load is pushed off with up to this speed, whatever the time step, and "
                "slowed along the surface by up to friction times it"},
    {"width", CFG_NUMBER, AT(scene_obstacle, width), .computed = "1.5 method.grid.spacing", .quantity = CFG_LENGTH,
     POSITIVE, .present = on_grid,
     .meaning =
         "model grid: the effect of the obstacle grows gradually over this distance, up to half a grid spacing before "
         "its surface, "
         "where it is complete; larger is smoother and softer. Below a spacing, what a body does depends on where the "
         "surface lies between rows of nodes"},
    {"stiffness", CFG_NUMBER, AT(scene_obstacle, stiffness), .quantity = CFG_PRESSURE, POSITIVE,
     .computed = "the largest lambda + 2 mu of the bodies' materials", .present = has_potential,
     .meaning =
         "model potential: particles are pushed back by this times how deep they are, for each spacing and area; "
         "larger keeps them further out and needs a smaller time step"},
    {"distance", CFG_NUMBER, AT(scene_obstacle, distance), .quantity = CFG_LENGTH, POSITIVE,
     .computed = "a quarter of method.grid.spacing", .present = has_potential,
     .meaning = "model potential: depth over which its stiffness grows from nothing, at most a spacing; larger is "
                "smoother and softer"},
    {"motion", CFG_MAPPING, .table = &pio_motion_table, .present = has_motion, .computed = "it stands still",
     .meaning = "its prescribed motion, whatever it meets"},
    END};
const cfg_table pio_obstacle_table = {
    .what = "obstacle", .size = sizeof(scene_obstacle), .fields = obstacle_fields, .discriminator = "type"};
