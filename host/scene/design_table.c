/* design_table.c -- see design_table.h. */
#include "host/scene/design_table.h"

#include "host/scene/plastic.h"
#include "host/scene/scene_query.h"
#include "solvers/engine/engine_mpm.h"

#include <stddef.h>

/* ---- which owners have what ------------------------------------------------------------------------------ */

static bool moves(const pio_scene *s, const void *owner)
{
    (void)owner;
    return s->method.type == SCENE_MPM || (s->fem.integrator != PIO_STATIC && s->fem.integrator != PIO_MODAL);
}

/* Returns whether a design may change damping: not without inertia, nor that of the reversible leapfrog. */
static bool damps(const pio_scene *s, const void *owner)
{
    return moves(s, owner) && s->fem.integrator != PIO_REVERSIBLE_LEAPFROG;
}

static bool has_weight(const pio_scene *s, const void *owner)
{
    (void)owner;
    return pio_scene_is_heavy(s) && !(s->method.type == SCENE_FEM && s->fem.integrator == PIO_MODAL);
}

static bool is_apic(const pio_scene *s, const void *owner)
{
    (void)owner;
    return s->method.type == SCENE_MPM && s->mpm.integrator == SCENE_APIC;
}

static bool has_touch(const pio_scene *s, const void *owner)
{
    (void)owner;
    return s->method.type == SCENE_FEM && s->touch.distance > 0;
}

static bool has_contact(const pio_scene *s, const void *owner)
{
    return is_apic(s, owner) && s->contact.n_fields > 0;
}

static bool has_grid_contact(const pio_scene *s, const void *owner)
{
    return has_contact(s, owner) && s->contact.model == PIO_CONTACT_GRID;
}

static bool has_repulsion(const pio_scene *s, const void *owner)
{
    return has_contact(s, owner) && s->contact.model == PIO_CONTACT_POTENTIAL;
}

static bool of_particles(const pio_scene *s, const void *owner)
{
    (void)owner;
    return s->method.type == SCENE_MPM;
}

static bool of_mesh(const pio_scene *s, const void *owner)
{
    (void)owner;
    return s->method.type == SCENE_FEM;
}

static bool are_numbers(char *const texts[3])
{
    return !texts[0] && !texts[1] && !texts[2];
}

static bool has_velocity(const pio_scene *s, const void *owner)
{
    return moves(s, owner) && (!owner || are_numbers(((const scene_body *)owner)->velocity_text));
}

static bool has_displacement(const pio_scene *s, const void *owner)
{
    return of_mesh(s, owner) && moves(s, owner) &&
           (!owner || are_numbers(((const scene_body *)owner)->displacement_text));
}

static bool has_thickness(const pio_scene *s, const void *owner)
{
    return of_mesh(s, owner) && s->method.dimension == 2 && s->fem.plane != PIO_AXISYMMETRIC &&
           (!owner || !((const scene_body *)owner)->thickness_text);
}

static bool has_relative_density(const pio_scene *s, const void *owner)
{
    bool any = false;
    for (size_t b = 0; b < s->matter.n_bodies; b++)
        if (!owner || owner == &s->matter.bodies[b])
            any |= !s->matter.bodies[b].relative_density_text && pio_scene_body_is_partial(&s->matter.bodies[b]);
    return any;
}

static bool has_choice(const pio_scene *s, const void *owner)
{
    bool any = false;
    for (size_t b = 0; b < s->matter.n_bodies; b++)
        if (!owner || owner == &s->matter.bodies[b]) any |= s->matter.bodies[b].second != NULL;
    return any;
}

/* Modes are those without heat. */
static bool heats(const pio_scene *s)
{
    return s->method.type == SCENE_FEM && s->fem.integrator != PIO_MODAL;
}

static bool has_expansion(const pio_scene *s, const void *owner)
{
    bool any = false;
    (void)owner;
    for (size_t b = 0; heats(s) && b < s->matter.n_bodies; b++) any |= pio_scene_body_is_heated(&s->matter.bodies[b]);
    return any;
}

static bool has_temperature(const pio_scene *s, const void *owner)
{
    bool any = false;
    for (size_t b = 0; heats(s) && b < s->matter.n_bodies; b++)
        if (!owner || owner == &s->matter.bodies[b])
            any |= !s->matter.bodies[b].temperature_text && pio_scene_body_expands(s, b);
    return any;
}

static pio_signal signal_of(const void *control)
{
    return ((const scene_control *)control)->type;
}

static bool is_signal(const pio_scene *s, const void *control)
{
    (void)s;
    return signal_of(control) == PIO_SINE || signal_of(control) == PIO_CONSTANT;
}

static bool is_sine(const pio_scene *s, const void *control)
{
    (void)s;
    return signal_of(control) == PIO_SINE;
}

static bool has_knots(const pio_scene *s, const void *control)
{
    (void)s;
    return signal_of(control) == PIO_PIECEWISE || signal_of(control) == PIO_SPLINE;
}

static bool is_network(const pio_scene *s, const void *control)
{
    (void)s;
    return signal_of(control) == PIO_NETWORK;
}

/* Of a network's control values, its weights come first, then the frequencies and the phases of its clocks. */
static size_t after_weights(const void *control)
{
    return ((const scene_control *)control)->weights.n;
}

static size_t after_frequencies(const void *control)
{
    return after_weights(control) + ((const scene_control *)control)->clock[0].n;
}

/* Of a value that varies the constants are designed. */
static bool is_no_spring(const pio_scene *s, const void *load)
{
    (void)s;
    return !pio_load_is_springs(load) && !((const scene_load *)load)->value_text;
}

static bool is_spring(const pio_scene *s, const void *load)
{
    (void)s;
    return pio_load_is_springs(load);
}

static bool is_prescribed(const pio_scene *s, const void *boundary)
{
    (void)s;
    return ((const scene_boundary *)boundary)->type == SCENE_PRESCRIBED &&
           !((const scene_boundary *)boundary)->value_text;
}

static bool is_turned(const pio_scene *s, const void *boundary)
{
    (void)s;
    return ((const scene_boundary *)boundary)->type == SCENE_ROTATION &&
           !((const scene_boundary *)boundary)->angle_text;
}

/* A rotation does not change a ball. */
static bool is_no_ball(const pio_scene *s, const void *obstacle)
{
    (void)s;
    return ((const scene_obstacle *)obstacle)->type != PIO_BALL;
}

/* A plane has no size. */
static bool has_size(const pio_scene *s, const void *obstacle)
{
    (void)s;
    return ((const scene_obstacle *)obstacle)->type != PIO_PLANE;
}

/* Along an axis: whether the obstacle's motion has shifts, and the number of the axis. */
#define SHIFTS(axis, a)                                                                                                \
    static bool shifts_##axis(const pio_scene *s, const void *obstacle)                                                \
    {                                                                                                                  \
        (void)s;                                                                                                       \
        return ((const scene_obstacle *)obstacle)->shift[a].n > 0;                                                     \
    }                                                                                                                  \
    static size_t number_of_##axis(const void *obstacle)                                                               \
    {                                                                                                                  \
        (void)obstacle;                                                                                                \
        return a;                                                                                                      \
    }
SHIFTS(x, 0)
SHIFTS(y, 1)
SHIFTS(z, 2)

static bool turns(const pio_scene *s, const void *obstacle)
{
    (void)s;
    return ((const scene_obstacle *)obstacle)->angle.n > 0;
}

static bool slides(const pio_scene *s, const void *obstacle)
{
    (void)s;
    return ((const scene_obstacle *)obstacle)->behaviour != PIO_WALL_STICKY;
}

/* Of a face: whether it can have friction, and its number among the faces. */
#define RUBS(face, a, side)                                                                                            \
    static bool face##_rubs(const pio_scene *s, const void *owner)                                                     \
    {                                                                                                                  \
        return is_apic(s, owner) && (a) < s->method.dimension && pio_wall_can_rub(s->mpm.grid.wall[a][side]);          \
    }                                                                                                                  \
    static size_t face##_number(const void *owner)                                                                     \
    {                                                                                                                  \
        (void)owner;                                                                                                   \
        return 2 * (a) + (side);                                                                                       \
    }
RUBS(x_min, 0, 0)
RUBS(x_max, 0, 1)
RUBS(y_min, 1, 0)
RUBS(y_max, 1, 1)
RUBS(z_min, 2, 0)
RUBS(z_max, 2, 1)

static bool has_potential(const pio_scene *s, const void *obstacle)
{
    (void)s;
    return ((const scene_obstacle *)obstacle)->model == PIO_CONTACT_POTENTIAL;
}

/* That of a surface of triangles that meshes touch is as far as its distances are kept. */
static bool has_distance(const pio_scene *s, const void *obstacle)
{
    const int kept = s->method.type == SCENE_FEM && ((const scene_obstacle *)obstacle)->type == PIO_CLOSED_MESH;
    return has_potential(s, obstacle) && !kept;
}

static bool separates(const pio_scene *s, const void *obstacle)
{
    return !has_potential(s, obstacle) && ((const scene_obstacle *)obstacle)->behaviour == PIO_WALL_SEPARATE;
}

/* ---- the table ------------------------------------------------------------------------------------------- */

#define IN(type, member) .offset = offsetof(type, member)
#define ANY .range = {0}
#define FROM(least) .range = {CFG_FROM, least, 0}
#define ABOVE(least) .range = {CFG_OVER, least, 0}

/* The quantities of a material are those of its bodies, too, each by its own path. Of rows with the same key, the one
 * that the owner has counts. */
// clang-format off
static const design_row rows[] = {
    {SCENE_OWNER_ALL, "gravity", PIO_GRAVITY, CFG_ACCELERATION, ANY, DESIGN_VECTOR,
     IN(pio_scene, common.gravity), .has = has_weight, .parts = true},
    {SCENE_OWNER_ALL, "method.flip", PIO_FLIP, CFG_ONE, .range = {CFG_FROM | CFG_UP_TO, 0, 1}, DESIGN_NUMBER,
     IN(pio_scene, mpm.flip), .has = is_apic},
    {SCENE_OWNER_ALL, "contact.friction", PIO_FRICTION, CFG_ONE, FROM(0), DESIGN_NUMBER,
     IN(pio_scene, contact.friction), .has = has_contact},
    {SCENE_OWNER_ALL, "contact.regularisation_velocity", PIO_REGULARISATION_VELOCITY, CFG_VELOCITY,
     FROM(PIO_LEAST_VELOCITY), DESIGN_NUMBER, IN(pio_scene, contact.regularisation_velocity), .has = has_grid_contact},
    {SCENE_OWNER_ALL, "contact.friction_velocity", PIO_REGULARISATION_VELOCITY, CFG_VELOCITY,
     FROM(PIO_LEAST_VELOCITY), DESIGN_NUMBER, IN(pio_scene, contact.friction_velocity), .has = has_repulsion},
    {SCENE_OWNER_ALL, "contact.stiffness", PIO_PAIR_STIFFNESS, CFG_PRESSURE, ABOVE(0), DESIGN_NUMBER,
     IN(pio_scene, touch.stiffness), .has = has_touch},
    {SCENE_OWNER_ALL, "contact.distance", PIO_PAIR_DISTANCE, CFG_LENGTH, ABOVE(0), DESIGN_NUMBER,
     IN(pio_scene, touch.distance), .has = has_touch},
    {SCENE_OWNER_ALL, "contact.friction", PIO_PAIR_FRICTION, CFG_ONE, FROM(0), DESIGN_NUMBER,
     IN(pio_scene, touch.friction), .has = has_touch},
    {SCENE_OWNER_ALL, "contact.friction_velocity", PIO_PAIR_FRICTION_VELOCITY, CFG_VELOCITY,
     FROM(PIO_LEAST_VELOCITY), DESIGN_NUMBER, IN(pio_scene, touch.friction_velocity), .has = has_touch},
    {SCENE_OWNER_ALL, "method.grid.wall_friction.x_min", PIO_WALL_FRICTION, CFG_ONE, FROM(0), DESIGN_NUMBER,
     IN(pio_scene, mpm.grid.wall_friction[0][0]), .has = x_min_rubs, .component = x_min_number},
    {SCENE_OWNER_ALL, "method.grid.wall_friction.x_max", PIO_WALL_FRICTION, CFG_ONE, FROM(0), DESIGN_NUMBER,
     IN(pio_scene, mpm.grid.wall_friction[0][1]), .has = x_max_rubs, .component = x_max_number},
    {SCENE_OWNER_ALL, "method.grid.wall_friction.y_min", PIO_WALL_FRICTION, CFG_ONE, FROM(0), DESIGN_NUMBER,
     IN(pio_scene, mpm.grid.wall_friction[1][0]), .has = y_min_rubs, .component = y_min_number},
    {SCENE_OWNER_ALL, "method.grid.wall_friction.y_max", PIO_WALL_FRICTION, CFG_ONE, FROM(0), DESIGN_NUMBER,
     IN(pio_scene, mpm.grid.wall_friction[1][1]), .has = y_max_rubs, .component = y_max_number},
    {SCENE_OWNER_ALL, "method.grid.wall_friction.z_min", PIO_WALL_FRICTION, CFG_ONE, FROM(0), DESIGN_NUMBER,
     IN(pio_scene, mpm.grid.wall_friction[2][0]), .has = z_min_rubs, .component = z_min_number},
    {SCENE_OWNER_ALL, "method.grid.wall_friction.z_max", PIO_WALL_FRICTION, CFG_ONE, FROM(0), DESIGN_NUMBER,
     IN(pio_scene, mpm.grid.wall_friction[2][1]), .has = z_max_rubs, .component = z_max_number},

    /* This is the order in which results have the gradients of each particle, element and node. */
    {SCENE_OWNER_BODY, "position", PIO_POSITION, CFG_LENGTH, ANY, DESIGN_VECTOR, IN(scene_body, position),
     .has = of_particles, .parts = true, .field = "grad_position",
     .meaning = "initial position (velocities and volumes kept)"},
    {SCENE_OWNER_BODY, "rest_position", PIO_POSITION, CFG_LENGTH, ANY, DESIGN_VECTOR, IN(scene_body, position),
     .has = of_mesh, .parts = true, .field = "grad_rest_position",
     .meaning = "rest position (velocities at the start kept)"},
    {SCENE_OWNER_BODY, "velocity", PIO_VELOCITY, CFG_VELOCITY, ANY, DESIGN_VECTOR, IN(scene_body, velocity),
     .has = has_velocity, .parts = true, .field = "grad_velocity", .meaning = "initial velocity"},
    {SCENE_OWNER_BODY, "displacement", PIO_DISPLACED, CFG_LENGTH, ANY, DESIGN_VECTOR, IN(scene_body, displacement),
     .has = has_displacement, .parts = true, .field = "grad_displacement", .meaning = "initial displacement"},
    {SCENE_OWNER_MATERIAL, "mass_damping", PIO_MASS_DAMPING, CFG_ANY,
     .has = damps, .optional = true, .field = "grad_mass_damping", .meaning = "mass damping"},
    {SCENE_OWNER_MATERIAL, "stiffness_damping", PIO_STIFFNESS_DAMPING, CFG_ANY,
     .has = damps, .optional = true, .field = "grad_stiffness_damping", .meaning = "stiffness damping"},
    {SCENE_OWNER_MATERIAL, "density", PIO_DENSITY, CFG_ANY, .field = "grad_density", .meaning = "density"},
    {SCENE_OWNER_MATERIAL, "expansion", PIO_EXPANSION, CFG_ANY, .has = has_expansion, .field = "grad_expansion",
     .meaning = "thermal expansion"},
    {SCENE_OWNER_MATERIAL, NULL, PIO_LAW_PARAMETER_0, CFG_ANY, .constant = pio_law_constant_of,
     .every = pio_law_every_constant, .field = "grad_parameter_"},
    {SCENE_OWNER_MATERIAL, NULL, PIO_YIELD_0, CFG_ANY, .constant = pio_plastic_constant_of,
     .every = pio_plastic_every_constant, .field = "grad_yield_"},
    {SCENE_OWNER_MATERIAL, "viscosity", PIO_VISCOSITY, CFG_ANY, .has = of_particles, .field = "grad_viscosity"},
    {SCENE_OWNER_BODY, "thickness", PIO_THICKNESS, CFG_LENGTH, ABOVE(0), DESIGN_NUMBER, IN(scene_body, thickness),
     .has = has_thickness, .field = "grad_thickness", .meaning = "thickness"},
    {SCENE_OWNER_BODY, "relative_density", PIO_RELATIVE_DENSITY, CFG_ONE, .range = {CFG_FROM | CFG_UP_TO, 0, 1},
     DESIGN_NUMBER, IN(scene_body, relative_density), .has = has_relative_density, .field = "grad_relative_density",
     .meaning = "relative density"},
    {SCENE_OWNER_BODY, "choice", PIO_CHOICE, CFG_ONE, .range = {CFG_FROM | CFG_UP_TO, 0, 1}, DESIGN_NUMBER,
     IN(scene_body, choice), .has = has_choice, .field = "grad_choice", .meaning = "choice"},
    {SCENE_OWNER_BODY, "temperature", PIO_TEMPERATURE, CFG_TEMPERATURE, ANY, DESIGN_NUMBER,
     IN(scene_body, temperature), .has = has_temperature, .field = "grad_temperature", .meaning = "temperature"},

    {SCENE_OWNER_CONTROL, "amplitude", PIO_AMPLITUDE, CFG_PRESSURE, ANY, DESIGN_NUMBER,
     IN(scene_control, amplitude), .has = is_signal},
    {SCENE_OWNER_CONTROL, "frequency", PIO_FREQUENCY, CFG_FREQUENCY, ANY, DESIGN_NUMBER,
     IN(scene_control, frequency), .has = is_sine},
    {SCENE_OWNER_CONTROL, "phase", PIO_PHASE, CFG_ANGLE, ANY, DESIGN_NUMBER,
     IN(scene_control, phase), .has = is_sine},
    {SCENE_OWNER_CONTROL, "knots", PIO_CONTROL_VALUES, CFG_PRESSURE, ANY, DESIGN_LIST,
     IN(scene_control, knots), .has = has_knots, .item = "knot"},
    {SCENE_OWNER_CONTROL, "frequency", PIO_CONTROL_VALUES, CFG_FREQUENCY, FROM(0), DESIGN_LIST,
     IN(scene_control, clock[0]), .has = is_network, .item = "clock", .component = after_weights},
    {SCENE_OWNER_CONTROL, "phase", PIO_CONTROL_VALUES, CFG_ANGLE, ANY, DESIGN_LIST,
     IN(scene_control, clock[1]), .has = is_network, .item = "clock", .component = after_frequencies},
    {SCENE_OWNER_CONTROL, "weights", PIO_CONTROL_VALUES, CFG_ONE, ANY, DESIGN_LIST,
     IN(scene_control, weights), .has = is_network, .item = "weight"},
    {SCENE_OWNER_CONTROL, "limit", PIO_AMPLITUDE, CFG_PRESSURE, ABOVE(0), DESIGN_LIST,
     IN(scene_control, limit), .has = is_network, .item = "output"},

    {SCENE_OWNER_LOAD, "value", PIO_LOAD, CFG_ANY, ANY, DESIGN_FEW,
     IN(scene_load, value), .has = is_no_spring, .parts = true},
    {SCENE_OWNER_LOAD, "value", PIO_LOAD, CFG_ANY, FROM(0), DESIGN_FEW,
     IN(scene_load, value), .has = is_spring, .parts = true},

    {SCENE_OWNER_BOUNDARY, "value", PIO_SUPPORT, CFG_LENGTH, ANY, DESIGN_FEW,
     IN(scene_boundary, value), .has = is_prescribed, .parts = true},
    {SCENE_OWNER_BOUNDARY, "angle", PIO_NAMED_CONSTANT, CFG_ANGLE, ANY, DESIGN_NUMBER,
     IN(scene_boundary, angle), .has = is_turned},

    {SCENE_OWNER_CONSTANT, "value", PIO_NAMED_CONSTANT, CFG_ANY, ANY, DESIGN_NUMBER, IN(cfg_named, value)},

    {SCENE_OWNER_OBSTACLE, "position", PIO_OBSTACLE_POSITION, CFG_LENGTH, ANY, DESIGN_VECTOR,
     IN(scene_obstacle, position), .parts = true},
    {SCENE_OWNER_OBSTACLE, "rotation", PIO_OBSTACLE_ROTATION, CFG_ANGLE, ANY, DESIGN_ROTATION,
     IN(scene_obstacle, rotation), .has = is_no_ball, .parts = true},
    {SCENE_OWNER_OBSTACLE, "friction", PIO_OBSTACLE_FRICTION, CFG_ONE, FROM(0), DESIGN_NUMBER,
     IN(scene_obstacle, friction), .has = slides},
    {SCENE_OWNER_OBSTACLE, "friction_velocity", PIO_OBSTACLE_FRICTION_VELOCITY, CFG_VELOCITY,
     FROM(PIO_LEAST_VELOCITY), DESIGN_NUMBER, IN(scene_obstacle, friction_velocity), .has = slides},
    {SCENE_OWNER_OBSTACLE, "separation_velocity", PIO_OBSTACLE_SEPARATION_VELOCITY, CFG_VELOCITY,
     FROM(PIO_LEAST_VELOCITY), DESIGN_NUMBER, IN(scene_obstacle, separation_velocity), .has = separates},
    {SCENE_OWNER_OBSTACLE, "stiffness", PIO_OBSTACLE_STIFFNESS, CFG_PRESSURE, ABOVE(0), DESIGN_NUMBER,
     IN(scene_obstacle, stiffness), .has = has_potential},
    {SCENE_OWNER_OBSTACLE, "distance", PIO_OBSTACLE_DISTANCE, CFG_LENGTH, ABOVE(0), DESIGN_NUMBER,
     IN(scene_obstacle, distance), .has = has_distance},
    {SCENE_OWNER_OBSTACLE, "scale", PIO_OBSTACLE_SCALE, CFG_ONE, ABOVE(0), DESIGN_NUMBER,
     IN(scene_obstacle, scale), .has = has_size},
    {SCENE_OWNER_OBSTACLE, "motion.x", PIO_OBSTACLE_SHIFT, CFG_LENGTH, ANY, DESIGN_LIST,
     IN(scene_obstacle, shift[0]), .has = shifts_x, .item = "point", .component = number_of_x},
    {SCENE_OWNER_OBSTACLE, "motion.y", PIO_OBSTACLE_SHIFT, CFG_LENGTH, ANY, DESIGN_LIST,
     IN(scene_obstacle, shift[1]), .has = shifts_y, .item = "point", .component = number_of_y},
    {SCENE_OWNER_OBSTACLE, "motion.z", PIO_OBSTACLE_SHIFT, CFG_LENGTH, ANY, DESIGN_LIST,
     IN(scene_obstacle, shift[2]), .has = shifts_z, .item = "point", .component = number_of_z},
    {SCENE_OWNER_OBSTACLE, "motion.angle", PIO_OBSTACLE_ANGLE, CFG_ANGLE, ANY, DESIGN_LIST,
     IN(scene_obstacle, angle), .has = turns, .item = "point"},
};
// clang-format on

const design_row *pio_design_row(size_t i)
{
    return i < sizeof rows / sizeof *rows ? &rows[i] : NULL;
}
