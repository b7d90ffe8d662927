/* scene_table.c -- THE table of the scene file: keys, units, defaults, ranges and meanings. */
#include "host/scene_private.h"

#include <math.h>

#define AT(type, member) .offset = offsetof(type, member), .size = sizeof(((type *)0)->member)
#define POSITIVE .range = {CFG_OVER, 0, 0}
#define NOT_NEGATIVE .range = {CFG_FROM, 0, 0}
#define ONLY(v) (1u << (v))
#define END                                                                                                            \
    {                                                                                                                  \
        .key = NULL                                                                                                    \
    }

static const char *const type_names[] = {"mpm", "fem", NULL};
static const char *const precision_names[] = {"f32", "f64", NULL};
static const char *const wall_names[] = {"sticky", "slip", "separate", "penalty", NULL};
static const char *const mpm_integrator_names[] = {"apic", "reversible", NULL};
static const char *const wall_slots[] = {"x_min", "x_max", "y_min", "y_max", "z_min", "z_max", NULL};
static const char *const shape_names[] = {"box", "ball", "cylinder", NULL};
static const char *const axis_names[] = {"x", "y", "z", NULL};
static const char *const fill_names[] = {"regular", "jittered", NULL};
static const char *const observable_names[] = {"mean_position", "mean_velocity", "kinetic_energy",
                                               "distance",      "front",         NULL};
static const char *const relative_names[] = {"zero", "initial", NULL};
static const char *const transform_names[] = {"linear", "log", NULL};
static const char *const per_names[] = {"target", "body", "particle", NULL};
static const char *const term_names[] = {"target", "misfit", "minimize", "maximize", NULL};
static const char *const fem_term_names[] = {"target", "misfit", "minimize", "maximize", "smoothness", NULL};
static const char *const optimizer_names[] = {"adam", "lbfgs", "mma", NULL};
static const char *const state_names[] = {"velocity", "J", "F", "C", "mass", "pressure", "material", "body", NULL};

/* ---- method, time -------------------------------------------------------------------------------------- */

static bool has_penalty_walls(const void *scene)
{
    const pio_scene *s = scene;
    for (int a = 0; a < s->dimension; a++)
        if (s->grid.wall[a][0] == SCENE_WALL_PENALTY || s->grid.wall[a][1] == SCENE_WALL_PENALTY) return true;
    return false;
}

static const cfg_field grid_fields[] = {
    {"spacing", CFG_NUMBER, AT(pio_scene, grid.spacing), .required = true, .quantity = CFG_LENGTH, POSITIVE,
     .meaning = "edge of a grid cell; half of it costs 8 to 16 times the work and resolves twice the detail"},
    {"min", CFG_VECTOR, AT(pio_scene, grid.min), .required = true, .quantity = CFG_LENGTH,
     .meaning = "lower corner of the box in which everything moves"},
    {"max", CFG_VECTOR, AT(pio_scene, grid.max), .required = true, .quantity = CFG_LENGTH,
     .meaning = "upper corner, rounded up to whole cells; at least 4 cells per direction"},
    {"walls", CFG_ENUM_MAP, AT(pio_scene, grid.wall), .values = wall_names, .slots = wall_slots, .fallback = "separate",
     .meaning =
         "what a face of the box does: sticky holds, slip lets slide, separate also lets leave; penalty, of the "
         "reversible "
         "integrator, pushes back what is beyond the face; one name for all faces or a mapping of x_min ... z_max and "
         "default"},
    {"wall_stiffness", CFG_NUMBER, AT(pio_scene, grid.wall_stiffness), .computed = "required where a wall is penalty",
     .quantity = CFG_RATE_SQUARED, POSITIVE, .present = has_penalty_walls,
     .meaning = "a particle at depth d in a penalty wall gets the acceleration wall_stiffness r(d) out of it, with r = "
                "d^2/spacing up to half a cell and d - spacing/4 beyond, so that it eases in; larger lets bodies in "
                "less far, and at most 1/dt^2 is stable: a particle of speed v goes in by up to v/sqrt(wall_stiffness) "
                "+ spacing/4, a body of pressure p by up to sqrt(2 p/(density wall_stiffness)) + spacing/4"},
    END};
static const cfg_table grid_table = {.what = "grid", .fields = grid_fields};

static const cfg_field method_fields[] = {
    {"type", CFG_ENUM, AT(pio_scene, method), .required = true, .values = type_names,
     .meaning = "the discretisation: mpm, material points on a grid"},
    {"dimension", CFG_INTEGER, AT(pio_scene, dimension), .required = true, .range = {CFG_FROM | CFG_UP_TO, 2, 3},
     .meaning = "2 (plane strain, per metre of thickness) or 3; vectors have as many entries"},
    {"precision", CFG_ENUM, AT(pio_scene, precision), .values = precision_names, .fallback = "f32",
     .meaning =
         "f64 computes with twice the digits, memory and about twice the time; needed for tight gradient checks"},
    {"grid", CFG_MAPPING, .required = true, .table = &grid_table, .meaning = "the background grid"},
    END};
static const cfg_table method_table = {.what = "method", .fields = method_fields};

static bool is_reversible(const void *scene)
{
    return ((const pio_scene *)scene)->mpm_integrator == SCENE_REVERSIBLE;
}

static const cfg_field time_fields[] = {
    {"integrator", CFG_ENUM, AT(pio_scene, mpm_integrator), .values = mpm_integrator_names, .fallback = "apic",
     .meaning =
         "apic: particles carry an affine velocity, robust and slightly dissipative, for every material and wall; "
         "reversible: steps on whole numbers that can be taken back to the bit, so that a gradient needs no "
         "checkpoint; "
         "it keeps energy, and is for solids and fluids without viscosity in penalty walls"},
    {"dt", CFG_NUMBER, AT(pio_scene, dt), .required = true, .quantity = CFG_TIME, POSITIVE,
     .meaning = "time step; larger is faster until waves cross more of a cell per step than time.cfl_limit allows"},
    {"duration", CFG_NUMBER, AT(pio_scene, duration), .required = true, .quantity = CFG_TIME, POSITIVE,
     .meaning = "simulated time, a whole number of steps"},
    {"cfl_limit", CFG_NUMBER, AT(pio_scene, cfl_limit), .fallback = "0.5", .range = {CFG_OVER | CFG_UP_TO, 0, 1},
     .meaning =
         "largest share of a cell that a particle or an elastic wave may travel in one step; larger risks instability"},
    {"damping", CFG_NUMBER, AT(pio_scene, damping), .fallback = "0", .quantity = CFG_RATE, NOT_NEGATIVE,
     .present = is_reversible,
     .meaning =
         "of the reversible integrator: rate at which all velocities decay; larger settles sooner, and to go back the "
         "steps keep about 1.44 damping dt bits per velocity component each"},
    END};
static const cfg_table time_table = {.what = "time", .fields = time_fields};

/* ---- geometry, bodies ---------------------------------------------------------------------------------- */

static const cfg_field geometry_fields[] = {
    {"name", CFG_NAME, AT(scene_geometry, name), .required = true, .meaning = "name that bodies use"},
    {"type", CFG_ENUM, AT(scene_geometry, shape), .required = true, .values = shape_names,
     .meaning = "shape; a ball is a disc in 2D, a cylinder is for 3D only"},
    {"min", CFG_VECTOR, AT(scene_geometry, min), .required = true, .quantity = CFG_LENGTH, .only = ONLY(SCENE_BOX),
     .meaning = "lower corner"},
    {"max", CFG_VECTOR, AT(scene_geometry, max), .required = true, .quantity = CFG_LENGTH, .only = ONLY(SCENE_BOX),
     .meaning = "upper corner"},
    {"center", CFG_VECTOR, AT(scene_geometry, center), .required = true, .quantity = CFG_LENGTH,
     .only = ONLY(SCENE_BALL) | ONLY(SCENE_CYLINDER), .meaning = "centre"},
    {"radius", CFG_NUMBER, AT(scene_geometry, radius), .required = true, .quantity = CFG_LENGTH, POSITIVE,
     .only = ONLY(SCENE_BALL) | ONLY(SCENE_CYLINDER), .meaning = "radius"},
    {"height", CFG_NUMBER, AT(scene_geometry, height), .required = true, .quantity = CFG_LENGTH, POSITIVE,
     .only = ONLY(SCENE_CYLINDER), .meaning = "length along the axis, half on each side of the centre"},
    {"axis", CFG_ENUM, AT(scene_geometry, axis), .required = true, .values = axis_names, .only = ONLY(SCENE_CYLINDER),
     .meaning = "direction of the axis"},
    END};
static const cfg_table geometry_table = {
    .what = "geometry", .size = sizeof(scene_geometry), .fields = geometry_fields, .discriminator = "type"};

static const cfg_field fill_fields[] = {
    {"particles_per_cell", CFG_INTEGER, AT(scene_body, particles_per_cell), .computed = "4 in 2D, 8 in 3D",
     .range = {CFG_FROM | CFG_UP_TO, 1, 512},
     .meaning =
         "particles in a full cell; more is smoother and costs time and memory in proportion; regular: a square (2D) "
         "or a cube (3D)"},
    {"method", CFG_ENUM, AT(scene_body, fill), .values = fill_names, .fallback = "regular",
     .meaning = "regular places particles on a lattice, jittered at random within it (by the scene's seed)"},
    END};
static const cfg_table fill_table = {.what = "fill", .fields = fill_fields};

static const cfg_field body_fields[] = {
    {"name", CFG_NAME, AT(scene_body, name), .required = true, .meaning = "name that observe and design paths use"},
    {"geometry", CFG_NAME, AT(scene_body, geometry), .required = true, .meaning = "name of an entry of geometry"},
    {"material", CFG_NAME, AT(scene_body, material), .required = true, .meaning = "name of an entry of materials"},
    {"position", CFG_VECTOR, AT(scene_body, position), .computed = "0", .quantity = CFG_LENGTH,
     .meaning = "shift of the geometry at the start"},
    {"velocity", CFG_VECTOR, AT(scene_body, velocity), .computed = "0", .quantity = CFG_VELOCITY,
     .meaning = "velocity at the start"},
    {"angular_velocity", CFG_SPIN, AT(scene_body, angular_velocity), .computed = "0", .quantity = CFG_ANGLE_RATE,
     .meaning = "rotation about the centroid at the start: one number in 2D, a vector in 3D"},
    {"fill", CFG_MAPPING, .table = &fill_table, .meaning = "how the shape is filled with particles"},
    END};
static const cfg_table body_table = {.what = "body", .size = sizeof(scene_body), .fields = body_fields};

/* ---- observe, design, objective ------------------------------------------------------------------------ */

#define SAMPLED (ONLY(SCENE_MEAN_POSITION) | ONLY(SCENE_MEAN_VELOCITY) | ONLY(SCENE_KINETIC_ENERGY) | ONLY(SCENE_FRONT))

static bool has_at(const void *o)
{
    const scene_observe *observe = o;
    return observe->at.n > 0 && !(observe->every > 0);
}
static bool has_over(const void *o)
{
    return ((const scene_observe *)o)->over[0] >= 0;
}
static bool has_every(const void *o)
{
    return ((const scene_observe *)o)->every > 0;
}

static const cfg_field points_fields[] = {{"file", CFG_TEXT, AT(scene_observe, points_file), .required = true,
                                           .meaning = "CSV, or HDF5 with one-dimensional datasets, of columns time, "
                                                      "particle, x, y[, z] and, where points count differently, "
                                                      "weight; below the scene's folder"},
                                          END};
static const cfg_table points_table = {.what = "set of points", .fields = points_fields};

static const cfg_field observe_fields[] = {
    {"name", CFG_NAME, AT(scene_observe, name), .required = true, .meaning = "name that objectives use"},
    {"type", CFG_ENUM, AT(scene_observe, type), .required = true, .values = observable_names,
     .meaning =
         "what is measured: a body's mean position, mean velocity or kinetic energy, the distance of its particles "
         "from measured points, or how far its front has come"},
    {"body", CFG_NAME, AT(scene_observe, body), .required = true, .meaning = "name of the body that is measured"},
    {"axis", CFG_ENUM, AT(scene_observe, axis), .required = true, .values = axis_names, .only = ONLY(SCENE_FRONT),
     .meaning = "direction in which the front advances"},
    {"sharpness", CFG_NUMBER, AT(scene_observe, sharpness), .computed = "4/method.grid.spacing",
     .quantity = CFG_WAVE_NUMBER, POSITIVE, .only = ONLY(SCENE_FRONT),
     .meaning = "of the smooth maximum; larger is nearer to the foremost particle and less smooth"},
    {"points", CFG_MAPPING, .table = &points_table, .required = true, .only = ONLY(SCENE_DISTANCE),
     .meaning = "measured places of particles; their times are the samples; linear between two steps"},
    {"at", CFG_NUMBERS, AT(scene_observe, at), .second = offsetof(scene_observe, at.n), .computed = "the final time",
     .quantity = CFG_TIME, NOT_NEGATIVE, .only = SAMPLED, .present = has_at,
     .meaning = "time or increasing list of times, one sample each"},
    {"over", CFG_PAIR, AT(scene_observe, over), .quantity = CFG_TIME, NOT_NEGATIVE, .only = SAMPLED,
     .present = has_over, .meaning = "[from, to]: one sample, the mean over the window"},
    {"every", CFG_NUMBER, AT(scene_observe, every), .quantity = CFG_TIME, POSITIVE, .only = SAMPLED,
     .present = has_every, .meaning = "one sample at every multiple of it, up to the end"},
    END};
static const cfg_table observe_table = {.what = "observation",
                                        .size = sizeof(scene_observe),
                                        .fields = observe_fields,
                                        .discriminator = "type",
                                        .choice = {{{"at"}, {"over"}, {"every"}}, false, SAMPLED}};

static bool has_initial(const void *d)
{
    return ((const scene_design *)d)->initial.n > 0;
}
static bool has_bounds(const void *d)
{
    return isfinite(((const scene_design *)d)->bounds[0]);
}

static const cfg_field design_fields[] = {
    {"name", CFG_NAME, AT(scene_design, name), .required = true, .meaning = "name in reports and files"},
    {"target", CFG_TEXTS, AT(scene_design, target), .required = true,
     .meaning = "path or list of paths that change: materials.NAME.KEY, bodies.NAME.position, bodies.NAME.velocity, "
                "bodies.NAME.KEY (that body's own copy of its material's constant KEY), gravity"},
    {"initial", CFG_NUMBERS, AT(scene_design, initial), .second = offsetof(scene_design, initial.n),
     .computed = "the scene's value", .quantity = CFG_ANY, .present = has_initial,
     .meaning = "value to start from, with the target's unit; a list for a vector"},
    {"bounds", CFG_PAIR, AT(scene_design, bounds), .computed = "the target's own range", .quantity = CFG_ANY,
     .present = has_bounds,
     .meaning = "[lowest, highest] of every component, with the target's unit. Without bounds `optimize` keeps to the "
                "target's own range; of an end that is not part of it, as 0 is not of E, it stays away by a thousandth "
                "of the distance at the start"},
    {"transform", CFG_ENUM, AT(scene_design, transform), .values = transform_names, .fallback = "linear",
     .meaning = "log searches over orders of magnitude; it needs values above 0"},
    {"per", CFG_ENUM, AT(scene_design, per), .values = per_names, .fallback = "target",
     .meaning = "one value per target, per body that has it, or per particle (a field)"},
    END};
static const cfg_table design_table = {
    .what = "design variable", .size = sizeof(scene_design), .fields = design_fields};

static const cfg_field data_fields[] = {
    {"file", CFG_TEXT, AT(scene_term, data_file), .required = true,
     .meaning =
         "CSV with a header line, or HDF5 whose one-dimensional datasets are the columns, below the scene's folder"},
    {"time", CFG_TEXT, AT(scene_term, time_column), .fallback = "time", .meaning = "column of the times, in s"},
    {"columns", CFG_TEXTS, AT(scene_term, columns), .required = true,
     .meaning = "columns of the measured values, one per component of `of`, in SI units"},
    END};
static const cfg_table data_table = {.what = "data source", .fields = data_fields};

/* Of particles; meshes have smoothness too. */
#define TERM_FIELDS(names, type_meaning, of_meaning)                                                                   \
    {                                                                                                                  \
        {"type", CFG_ENUM, AT(scene_term, type), .required = true, .values = names, .meaning = type_meaning},          \
            {"of",                                                                                                     \
             CFG_COMPONENT,                                                                                            \
             AT(scene_term, of),                                                                                       \
             .second = offsetof(scene_term, component),                                                                \
             .required = true,                                                                                         \
             .meaning = of_meaning},                                                                                   \
            {"value",                                                                                                  \
             CFG_NUMBERS,                                                                                              \
             AT(scene_term, value),                                                                                    \
             .second = offsetof(scene_term, value.n),                                                                  \
             .required = true,                                                                                         \
             .quantity = CFG_ANY,                                                                                      \
             .only = ONLY(SCENE_TARGET),                                                                               \
             .meaning = "wanted value, one number per component"},                                                     \
            {"data",                                                                                                   \
             CFG_MAPPING,                                                                                              \
             .table = &data_table,                                                                                     \
             .required = true,                                                                                         \
             .only = ONLY(SCENE_MISFIT),                                                                               \
             .meaning = "measurements"},                                                                               \
            {"sigma",                                                                                                  \
             CFG_NUMBER,                                                                                               \
             AT(scene_term, sigma),                                                                                    \
             .fallback = "1",                                                                                          \
             .quantity = CFG_ANY,                                                                                      \
             POSITIVE,                                                                                                 \
             .only = ONLY(SCENE_MISFIT),                                                                               \
             .meaning = "standard deviation of the measurements; smaller counts for more"},                            \
            {"weight",        CFG_NUMBER,   AT(scene_term, weight),                                                    \
             .fallback = "1", NOT_NEGATIVE, .meaning = "factor of this term in the sum; 0 switches it off"},           \
            END                                                                                                        \
    }
#define TERM_TYPES                                                                                                     \
    "target: squared distance from a value; misfit: from measured data; minimize, maximize: the observation itself"

static const cfg_field term_fields[] =
    TERM_FIELDS(term_names, TERM_TYPES, "name of an observation, with .x, .y or .z for one component");
const cfg_table pio_term_table = {
    .what = "term", .size = sizeof(scene_term), .fields = term_fields, .discriminator = "type"};

static const cfg_field fem_term_fields[] = TERM_FIELDS(
    fem_term_names,
    TERM_TYPES "; smoothness: the sum over inner faces of area/distance (z1 - z2)^2, z a design's variables after its "
               "filter, scaled by its bounds or start",
    "name of an observation, with .x, .y or .z for one component; smoothness: name of a design entry");
const cfg_table pio_fem_term_table = {
    .what = "term of a mesh", .size = sizeof(scene_term), .fields = fem_term_fields, .discriminator = "type"};

/* ---- constraints ---------------------------------------------------------------------------------------- */

static bool has_min(const void *c)
{
    return isfinite(((const scene_constraint *)c)->min);
}
static bool has_max(const void *c)
{
    return isfinite(((const scene_constraint *)c)->max);
}

static const cfg_field constraint_fields[] = {
    {"of", CFG_COMPONENT, AT(scene_constraint, of), .second = offsetof(scene_constraint, component), .required = true,
     .meaning =
         "name of an observation, with .x, .y or .z for one component; the bounds hold for each of its samples and "
         "components, and each is one more sweep back"},
    {"min", CFG_NUMBER, AT(scene_constraint, min), .quantity = CFG_ANY, .computed = "none", .present = has_min,
     .meaning = "least value"},
    {"max", CFG_NUMBER, AT(scene_constraint, max), .quantity = CFG_ANY, .computed = "none", .present = has_max,
     .meaning = "greatest value"},
    {"relative_to", CFG_ENUM, AT(scene_constraint, relative_to), .values = relative_names, .fallback = "zero",
     .meaning = "initial: min and max are multiples of the value that the first design has"},
    END};
const cfg_table pio_constraint_table = {
    .what = "constraint", .size = sizeof(scene_constraint), .fields = constraint_fields};

/* ---- optimizer, output ----------------------------------------------------------------------------------- */

static bool has_constraints(const void *s)
{
    return ((const pio_scene *)s)->n_constraints > 0;
}
static bool has_stop(const void *s)
{
    return isfinite(((const pio_scene *)s)->optimizer.stop_objective);
}
static bool has_optimizer(const void *s)
{
    return ((const pio_scene *)s)->has_optimizer;
}
bool pio_scene_has_adjoint(const void *s)
{
    return ((const pio_scene *)s)->output.adjoint_every > 0;
}
static bool has_design(const void *s)
{
    return ((const pio_scene *)s)->n_design > 0;
}
static bool has_observe(const void *s)
{
    return ((const pio_scene *)s)->n_observe > 0;
}
static bool has_objective(const void *s)
{
    return ((const pio_scene *)s)->n_objective > 0;
}
static bool has_description(const void *s)
{
    return ((const pio_scene *)s)->description != NULL;
}

static const cfg_field stop_fields[] = {
    {"objective", CFG_NUMBER, AT(pio_scene, optimizer.stop_objective), .computed = "never", .present = has_stop,
     .meaning = "stop when the objective is at or below it"},
    {"relative_objective", CFG_NUMBER, AT(pio_scene, optimizer.stop_relative_objective), .fallback = "0", NOT_NEGATIVE,
     .meaning = "stop when the objective changes by at most this share in one iteration; 0: never"},
    {"gradient", CFG_NUMBER, AT(pio_scene, optimizer.stop_gradient), .fallback = "0", NOT_NEGATIVE,
     .meaning =
         "stop when the projected gradient of the normalised variables is at most this; 0: never. With constraints "
         "it is that of the Lagrangian, with multipliers by least squares"},
    {"feasibility", CFG_NUMBER, AT(pio_scene, optimizer.feasibility), .fallback = "1e-4", POSITIVE,
     .present = has_constraints,
     .meaning = "by this share of its bound (of 1 SI unit where that is 0) a constraint may be missed; smaller is "
                "stricter and slower"},
    END};
static const cfg_table stop_table = {.what = "stop rule", .fields = stop_fields};

static const cfg_field optimizer_fields[] = {
    {"type", CFG_ENUM, AT(pio_scene, optimizer.type), .required = true, .values = optimizer_names,
     .meaning = "adam bears noise, lbfgs is fast on smooth problems, mma moves carefully within bounds"},
    {"learning_rate", CFG_NUMBER, AT(pio_scene, optimizer.learning_rate), .fallback = "0.05", POSITIVE,
     .only = ONLY(SCENE_ADAM),
     .meaning = "size of a step in normalised variables; larger is faster until it overshoots"},
    {"max_iterations", CFG_INTEGER, AT(pio_scene, optimizer.max_iterations), .fallback = "100",
     .range = {CFG_FROM | CFG_UP_TO, 1, 1000000}, .meaning = "stop after so many iterations"},
    {"stop", CFG_MAPPING, .table = &stop_table, .meaning = "stop earlier"},
    END};
const cfg_table pio_optimizer_table = {.what = "optimizer", .fields = optimizer_fields, .discriminator = "type"};

static const cfg_field states_fields[] = {
    {"every", CFG_NUMBER, AT(pio_scene, output.states_every), .computed = "time.duration/50", .quantity = CFG_TIME,
     POSITIVE, .meaning = "time between frames; smaller gives smoother films and larger files"},
    {"fields", CFG_TEXTS, AT(pio_scene, output.state_fields), .values = state_names, .computed = "velocity, J",
     .meaning = "what is written per particle besides its position"},
    END};
static const cfg_table states_table = {.what = "states output", .fields = states_fields};

static const cfg_field adjoint_fields[] = {{"every", CFG_NUMBER, AT(pio_scene, output.adjoint_every), .required = true,
                                            .quantity = CFG_TIME, POSITIVE, .present = pio_scene_has_adjoint,
                                            .meaning = "time between frames of the adjoint fields"},
                                           END};
const cfg_table pio_adjoint_table = {.what = "adjoint output", .fields = adjoint_fields};

static const cfg_field output_fields[] = {
    {"directory", CFG_TEXT, AT(pio_scene, output.directory), .computed = "out/NAME",
     .meaning = "folder for the results"},
    {"states", CFG_MAPPING, .table = &states_table, .meaning = "frames of the motion"},
    {"adjoint", CFG_MAPPING, .table = &pio_adjoint_table, .present = pio_scene_has_adjoint, .computed = "no frames",
     .meaning = "frames of the adjoint fields"},
    END};
static const cfg_table output_table = {.what = "output", .fields = output_fields};

static const cfg_field scene_fields[] = {
    {"version", CFG_INTEGER, .required = true, .range = {CFG_FROM | CFG_UP_TO, 1, 1},
     .meaning = "of the scene language: 1"},
    {"name", CFG_LABEL, AT(pio_scene, name), .required = true,
     .meaning = "name of the scene, also of its output folder"},
    {"description", CFG_TEXT, AT(pio_scene, description), .present = has_description,
     .meaning = "free text, kept in the results"},
    {"seed", CFG_INTEGER, AT(pio_scene, seed), .fallback = "0", NOT_NEGATIVE,
     .meaning = "of all random numbers; another seed jitters particles differently"},
    {"include", CFG_TEXTS,
     .meaning = "file or files below the scene's folder that are merged first; keys here win, lists are "
                "replaced"},
    {"method", CFG_MAPPING, .required = true, .table = &method_table, .meaning = "how space is discretised"},
    {"time", CFG_MAPPING, .required = true, .table = &time_table, .meaning = "steps and duration"},
    {"gravity", CFG_VECTOR, AT(pio_scene, gravity), .computed = "0", .quantity = CFG_ACCELERATION,
     .meaning = "acceleration of everything"},
    {"materials", CFG_LIST, AT(pio_scene, materials), .second = offsetof(pio_scene, n_materials), .required = true,
     .least = 1, .table = &pio_material_table, .meaning = "what bodies are made of"},
    {"geometry", CFG_LIST, AT(pio_scene, geometry), .second = offsetof(pio_scene, n_geometry), .required = true,
     .least = 1, .table = &geometry_table, .meaning = "shapes"},
    {"bodies", CFG_LIST, AT(pio_scene, bodies), .second = offsetof(pio_scene, n_bodies), .required = true, .least = 1,
     .table = &body_table, .meaning = "shapes made of materials"},
    {"observe", CFG_LIST, AT(pio_scene, observe), .second = offsetof(pio_scene, n_observe), .table = &observe_table,
     .present = has_observe, .meaning = "what is measured"},
    {"design", CFG_LIST, AT(pio_scene, design), .second = offsetof(pio_scene, n_design), .table = &design_table,
     .present = has_design, .meaning = "what gradients are taken of and the optimizer changes"},
    {"objective", CFG_LIST, AT(pio_scene, objective), .second = offsetof(pio_scene, n_objective),
     .table = &pio_term_table, .present = has_objective, .meaning = "terms whose sum is minimised"},
    {"constraints", CFG_LIST, AT(pio_scene, constraints), .second = offsetof(pio_scene, n_constraints),
     .table = &pio_constraint_table, .present = has_constraints,
     .meaning = "bounds of observations that a design keeps"},
    {"gradient", CFG_MAPPING, .table = &pio_gradient_table, .meaning = "how gradients are computed and checked"},
    {"optimizer", CFG_MAPPING, .table = &pio_optimizer_table, .present = has_optimizer,
     .meaning = "how the design is improved"},
    {"output", CFG_MAPPING, .table = &output_table, .meaning = "what is written, and where"},
    END};
const cfg_table pio_scene_table = {.what = "scene", .fields = scene_fields};
