/* scene_table.c -- the table of the scene file: keys, units, defaults, ranges and meanings. Further parts of it are in
 * the other files scene_table_*.c. */
#include "host/scene/scene_table.h"
#include "host/scene/scene_query.h"

#include <math.h>

static const char *const mpm_integrator_names[] = {"apic", "reversible", NULL};
static const char *const wall_slots[] = {"x_min", "x_max", "y_min", "y_max", "z_min", "z_max", NULL};

/* ---- method, time -------------------------------------------------------------------------------------- */

static bool has_penalty_walls(const void *scene)
{
    const pio_scene *s = scene;
    for (int a = 0; a < s->method.dimension; a++)
        if (s->mpm.grid.wall[a][0] == PIO_WALL_PENALTY || s->mpm.grid.wall[a][1] == PIO_WALL_PENALTY) return true;
    return false;
}

/* A wall may have friction or stick while pressed. */
static bool has_rough_walls(const void *scene)
{
    const pio_scene *s = scene;
    for (int a = 0; a < s->method.dimension; a++)
        for (int side = 0; side < 2; side++)
            if (pio_wall_is_rough(s, a, side)) return true;
    return false;
}

static bool has_wall_friction(const void *scene)
{
    const pio_scene *s = scene;
    for (int a = 0; a < s->method.dimension; a++)
        if (s->mpm.grid.wall_friction[a][0] > 0 || s->mpm.grid.wall_friction[a][1] > 0) return true;
    return false;
}

static bool has_z(const void *scene)
{
    return ((const pio_scene *)scene)->method.dimension == 3;
}

#define WALL_FRICTION(key_, axis, side, there)                                                                         \
    {                                                                                                                  \
        key_, CFG_NUMBER, AT(pio_scene, mpm.grid.wall_friction[axis][side]),                                           \
            .fallback = "0", NOT_NEGATIVE, .present = there, .meaning = "of that face"                                 \
    }
static const cfg_field wall_friction_fields[] = {WALL_FRICTION("x_min", 0, 0, NULL),
                                                 WALL_FRICTION("x_max", 0, 1, NULL),
                                                 WALL_FRICTION("y_min", 1, 0, NULL),
                                                 WALL_FRICTION("y_max", 1, 1, NULL),
                                                 WALL_FRICTION("z_min", 2, 0, has_z),
                                                 WALL_FRICTION("z_max", 2, 1, has_z),
                                                 END};
static const cfg_table wall_friction_table = {.what = "friction of walls", .fields = wall_friction_fields};

static const cfg_field grid_fields[] = {
    {"spacing", CFG_NUMBER, AT(pio_scene, mpm.grid.spacing), .required = true, .quantity = CFG_LENGTH, POSITIVE,
     .meaning = "edge of a grid cell; half of it costs 8 to 16 times the work and resolves twice the detail"},
    {"min", CFG_VECTOR, AT(pio_scene, mpm.grid.min), .required = true, .quantity = CFG_LENGTH,
     .meaning = "lower corner of the box in which everything moves"},
    {"max", CFG_VECTOR, AT(pio_scene, mpm.grid.max), .required = true, .quantity = CFG_LENGTH,
     .meaning = "upper corner, rounded up to whole cells; at least 4 cells per direction"},
    {"walls", CFG_ENUM_MAP, AT(pio_scene, mpm.grid.wall), .values = pio_wall_words, .slots = wall_slots,
     .fallback = "separate",
     .meaning = "boundary condition at a face of the box: sticky stops material, slip lets it slide, separate also "
                "lets it leave; sticky_separate lets it leave, and material that is pressed against it sticks: where "
                "the wall takes the velocity b from a node in a step, that along it becomes e/(e + b) of itself, with "
                "e = wall_friction_velocity; penalty, of the reversible integrator, pushes back what is beyond the "
                "face; one name for all faces or a mapping of x_min ... z_max and default"},
    {"wall_friction", CFG_MAPPING, .table = &wall_friction_table, .present = has_wall_friction,
     .computed = "walls are smooth",
     .meaning = "Coulomb's coefficients of faces that slip or separate: of each normal impulse this fraction acts "
                "against sliding along the face; with a larger one bodies rest on steeper slopes"},
    {"wall_friction_velocity", CFG_NUMBER, AT(pio_scene, mpm.grid.wall_friction_velocity), .fallback = "1 mm/s",
     REGULARISATION, .present = has_rough_walls,
     .meaning =
         "sliding speed e at which friction has 0.7 of its size; material that should stick creeps at about this "
         "speed, and a larger one makes derivatives milder"},
    {"wall_stiffness", CFG_NUMBER, AT(pio_scene, mpm.grid.wall_stiffness),
     .computed = "required where a wall has the type penalty", .quantity = CFG_RATE_SQUARED, POSITIVE,
     .present = has_penalty_walls,
     .meaning = "a particle at depth d in a penalty wall gets the acceleration wall_stiffness r(d) out of it, with r = "
                "d^2/spacing up to half a cell and d - spacing/4 beyond, so that it sets in smoothly; larger lets "
                "bodies penetrate less, and at most 1/dt^2 is stable: a particle of speed v penetrates by up to "
                "v/sqrt(wall_stiffness) + spacing/4, a body of pressure p by up to sqrt(2 p/(density wall_stiffness)) "
                "+ spacing/4"},
    END};
static const cfg_table grid_table = {.what = "grid", .fields = grid_fields};

static const cfg_field method_fields[] = {
    {"type", CFG_ENUM, AT(pio_scene, method.type), .required = true, .values = pio_method_words,
     .meaning = "the discretisation: mpm, material points on a grid"},
    {"dimension", CFG_INTEGER, AT(pio_scene, method.dimension), .required = true, .range = {CFG_FROM | CFG_UP_TO, 2, 3},
     .meaning = "2 (plane strain, per metre of thickness) or 3; vectors have as many entries"},
    {"precision", CFG_ENUM, AT(pio_scene, method.precision), .values = pio_precision_words, .fallback = "f32",
     .meaning =
         "f64 computes with twice the digits, memory and about twice the time; needed for tight gradient checks"},
    {"grid", CFG_MAPPING, .required = true, .table = &grid_table, .meaning = "the background grid"},
    {"flip", CFG_NUMBER, AT(pio_scene, mpm.flip), .fallback = "0", .range = {CFG_FROM | CFG_UP_TO, 0, 1},
     .meaning = "FLIP ratio, the fraction that a particle keeps in each step of what the grid does not resolve of its "
                "velocity: 0 is APIC, which filters it; larger dissipates less, splashes more and is noisier; 1 keeps "
                "all (AFLIP, Fei et al. 2021); of time.integrator: apic"},
    END};
static const cfg_table method_table = {.what = "method", .fields = method_fields};

static bool is_reversible(const void *scene)
{
    return ((const pio_scene *)scene)->mpm.integrator == SCENE_REVERSIBLE;
}

static const cfg_field time_fields[] = {
    {"integrator", CFG_ENUM, AT(pio_scene, mpm.integrator), .values = mpm_integrator_names, .fallback = "apic",
     .meaning =
         "apic: particles carry an affine velocity, robust and slightly dissipative, for every material and wall; "
         "reversible: steps on whole numbers that can be reversed to the bit, so that a gradient needs no checkpoint; "
         "it keeps energy, and is for solids and fluids without viscosity in penalty walls"},
    {"dt", CFG_NUMBER, AT(pio_scene, time.dt), .required = true, .quantity = CFG_TIME, POSITIVE,
     .meaning = "time step; larger is faster until waves cross more of a cell per step than time.cfl_limit allows"},
    {"duration", CFG_NUMBER, AT(pio_scene, time.duration), .required = true, .quantity = CFG_TIME, POSITIVE,
     .meaning = "simulated time, a whole number of steps"},
    {"cfl_limit", CFG_NUMBER, AT(pio_scene, time.cfl_limit), .fallback = "0.5", .range = {CFG_OVER | CFG_UP_TO, 0, 1},
     .meaning = "largest fraction of a cell that a particle or an elastic wave may travel in one step; larger risks "
                "instability"},
    {"damping", CFG_NUMBER, AT(pio_scene, mpm.damping), .fallback = "0", .quantity = CFG_RATE, NOT_NEGATIVE,
     .present = is_reversible,
     .meaning = "of the reversible integrator: rate at which all velocities decay; larger settles sooner; to be "
                "reversed, each step stores about 1.44 damping dt bits per velocity component"},
    END};
static const cfg_table time_table = {.what = "time", .fields = time_fields};

/* ---- optimizer, output ----------------------------------------------------------------------------------- */

static bool has_constraints(const void *s)
{
    return ((const pio_scene *)s)->goal.n_constraints > 0;
}
static bool has_stop(const void *s)
{
    return isfinite(((const pio_scene *)s)->optimizer.stop_objective);
}
static bool has_optimizer(const void *s)
{
    return ((const pio_scene *)s)->optimizer.is_set;
}
bool pio_scene_has_adjoint(const void *s)
{
    return ((const pio_scene *)s)->output.adjoint_every > 0;
}
static bool has_design(const void *s)
{
    return ((const pio_scene *)s)->goal.n_design > 0;
}
static bool has_groups(const void *s)
{
    return ((const pio_scene *)s)->matter.n_groups > 0;
}
static bool has_observe(const void *s)
{
    return ((const pio_scene *)s)->goal.n_observe > 0;
}
static bool has_obstacles(const void *s)
{
    return ((const pio_scene *)s)->obstacles.n > 0;
}
static bool has_actuators(const void *s)
{
    return ((const pio_scene *)s)->actuation.n_actuators > 0;
}
static bool has_objective(const void *s)
{
    return ((const pio_scene *)s)->goal.n_objective > 0;
}
static bool has_description(const void *s)
{
    return ((const pio_scene *)s)->input.description != NULL;
}

static const cfg_field stop_fields[] = {
    {"objective", CFG_NUMBER, AT(pio_scene, optimizer.stop_objective), .computed = "never", .present = has_stop,
     .meaning = "stop when the objective is at or below it"},
    {"relative_objective", CFG_NUMBER, AT(pio_scene, optimizer.stop_relative_objective), .fallback = "0", NOT_NEGATIVE,
     .meaning = "stop when the objective changes by at most this fraction in one iteration; 0: never"},
    {"gradient", CFG_NUMBER, AT(pio_scene, optimizer.stop_gradient), .fallback = "0", NOT_NEGATIVE,
     .meaning =
         "stop when the projected gradient of the normalised variables is at most this; 0: never. With constraints "
         "it is that of the Lagrangian, with multipliers by least squares"},
    {"feasibility", CFG_NUMBER, AT(pio_scene, optimizer.feasibility), .fallback = "1e-4", POSITIVE,
     .present = has_constraints,
     .meaning = "a constraint may be violated by this fraction of its bound (of 1 SI unit where that is 0); smaller is "
                "stricter and slower"},
    END};
static const cfg_table stop_table = {.what = "stop rule", .fields = stop_fields};

static const cfg_field optimizer_fields[] = {
    {"type", CFG_ENUM, AT(pio_scene, optimizer.type), .required = true, .values = pio_optimizer_names,
     .meaning = "adam tolerates noise, lbfgs is fast on smooth problems, mma moves carefully within bounds and handles "
                "constraints, gradient_descent follows the gradient with a line search, levenberg_marquardt fits a sum "
                "of squares (terms target, misfit and prior) in few evaluations, with an adjoint sweep for each "
                "residual or two runs for each variable. A trial point that cannot be computed is rejected and the "
                "step shortened; 40 in a row end the run"},
    {"jacobian", CFG_ENUM, AT(pio_scene, optimizer.jacobian), .fallback = "auto", .values = pio_jacobian_words,
     .only = ONLY(PIO_LEVENBERG_MARQUARDT),
     .meaning = "derivatives of the residuals: rows are exact, an adjoint sweep for each sample that is compared, at "
                "most 200; columns are central differences, two runs for each variable, in f64, each checked against "
                "an adjoint sweep; auto takes columns where twice the variables and 1 are fewer than the samples"},
    {"learning_rate", CFG_NUMBER, AT(pio_scene, optimizer.learning_rate), .fallback = "0.05", POSITIVE,
     .only = ONLY(PIO_ADAM) | ONLY(PIO_GRADIENT_DESCENT),
     .meaning =
         "size of a step, of gradient_descent the first that it tries, in units that bounds do not change: of a "
         "linear variable the largest magnitude at the start among those of its target (positions: a spacing of "
         "the grid, or the shortest edge of the mesh; all 0: 1 SI unit), of a log variable a factor of e; larger is "
         "faster until it overshoots"},
    {"max_iterations", CFG_INTEGER, AT(pio_scene, optimizer.max_iterations), .fallback = "100",
     .range = {CFG_FROM | CFG_UP_TO, 1, 1000000}, .meaning = "stop after so many iterations"},
    {"multi_start", CFG_INTEGER, AT(pio_scene, optimizer.multi_start), .fallback = "1",
     .range = {CFG_FROM | CFG_UP_TO, 1, 100000},
     .meaning =
         "`piola optimize` begins at so many points of Sobol's sequence within the bounds that every design then "
         "needs, and its result is the best that converged; 1: it begins at the design's `initial`"},
    {"stop", CFG_MAPPING, .table = &stop_table, .meaning = "stop earlier"},
    END};
const cfg_table pio_optimizer_table = {.what = "optimizer", .fields = optimizer_fields, .discriminator = "type"};

#define OF_MESHES ((ONLY(SCENE_STATES) - 1) & ~(ONLY(SCENE_STATE_CAUCHY_STRESS) - 1))

static const cfg_field states_fields[] = {
    {"every", CFG_NUMBER, AT(pio_scene, output.states_every), .computed = "time.duration/50", .quantity = CFG_TIME,
     POSITIVE, .meaning = "time between frames; smaller gives smoother films and larger files"},
    {"fields", CFG_TEXTS, AT(pio_scene, output.state_fields), .values = pio_state_words, .computed = "velocity, J",
     .without = OF_MESHES,
     .instead = "is a field of meshes, method.type: fem; particles have velocity, J, F, C, mass, "
                "pressure, hardening and e33",
     .meaning = "what is written per particle besides its position"},
    END};
static const cfg_table states_table = {.what = "states output", .fields = states_fields};

static const cfg_field adjoint_fields[] = {{"every", CFG_NUMBER, AT(pio_scene, output.adjoint_every), .required = true,
                                            .quantity = CFG_TIME, POSITIVE, .present = pio_scene_has_adjoint,
                                            .meaning = "time between frames of the adjoint fields"},
                                           END};
const cfg_table pio_adjoint_table = {.what = "adjoint output", .fields = adjoint_fields};

static const cfg_field checkpoint_fields[] = {
    {"every", CFG_NUMBER, AT(pio_scene, output.checkpoint_every), .fallback = "300", .quantity = CFG_TIME, POSITIVE,
     .meaning = "wall-clock time between checkpoints of `piola run` and `piola grad`, from which a new run continues; "
                "later where one takes more than a twentieth of the time"},
    END};
const cfg_table pio_checkpoint_table = {.what = "checkpoint output", .fields = checkpoint_fields};

static const cfg_field output_fields[] = {
    {"directory", CFG_TEXT, AT(pio_scene, output.directory), .computed = "out/NAME",
     .meaning = "folder for the results, below the current or the scene's folder, else it needs --allow"},
    {"states", CFG_MAPPING, .table = &states_table, .meaning = "frames of the motion"},
    {"adjoint", CFG_MAPPING, .table = &pio_adjoint_table, .present = pio_scene_has_adjoint, .computed = "no frames",
     .meaning = "frames of the adjoint fields"},
    {"checkpoint", CFG_MAPPING, .table = &pio_checkpoint_table,
     .meaning = "checkpoints, from which an interrupted run continues"},
    END};
static const cfg_table output_table = {.what = "output", .fields = output_fields};

static bool has_fields(const void *s)
{
    return ((const pio_scene *)s)->contact.n_fields > 0;
}

static const cfg_field scene_fields[] = {
    {"version", CFG_INTEGER, .required = true, .range = {CFG_FROM | CFG_UP_TO, 1, 1},
     .meaning = "of the scene language: 1"},
    {"name", CFG_LABEL, AT(pio_scene, input.name), .required = true,
     .meaning = "name of the scene, also of its output folder"},
    {"description", CFG_TEXT, AT(pio_scene, input.description), .present = has_description,
     .meaning = "free text, kept in the results"},
    {"seed", CFG_INTEGER, AT(pio_scene, common.seed), .fallback = "0", NOT_NEGATIVE,
     .meaning = "of all random numbers; another seed jitters particles differently"},
    {"include", CFG_TEXTS,
     .meaning = "file or files below the scene's folder that are merged first; keys here win, lists are replaced"},
    {"method", CFG_MAPPING, .required = true, .table = &method_table, .meaning = "how space is discretised"},
    {"time", CFG_MAPPING, .required = true, .table = &time_table, .meaning = "steps and duration"},
    {"gravity", CFG_VECTOR, AT(pio_scene, common.gravity), .computed = "0", .quantity = CFG_ACCELERATION,
     .meaning = "acceleration of everything"},
    {"materials", CFG_LIST, AT(pio_scene, materials.v), .second = offsetof(pio_scene, materials.n), .required = true,
     .least = 1, .table = &pio_material_table, .meaning = "what bodies are made of"},
    {"geometry", CFG_LIST, AT(pio_scene, matter.geometry), .second = offsetof(pio_scene, matter.n_geometry),
     .required = true, .least = 1, .table = &pio_geometry_table, .meaning = "shapes"},
    {"bodies", CFG_LIST, AT(pio_scene, matter.bodies), .second = offsetof(pio_scene, matter.n_bodies), .required = true,
     .least = 1, .table = &pio_body_table, .meaning = "shapes made of materials"},
    {"obstacles", CFG_LIST, AT(pio_scene, obstacles.v), .second = offsetof(pio_scene, obstacles.n),
     .table = &pio_obstacle_table, .present = has_obstacles,
     .meaning = "rigid obstacles besides the faces of the grid, at rest or moving"},
    {"groups", CFG_LIST, AT(pio_scene, matter.groups), .second = offsetof(pio_scene, matter.n_groups),
     .table = &pio_group_table, .present = has_groups, .meaning = "parts of bodies"},
    {"actuators", CFG_LIST, AT(pio_scene, actuation.actuators), .second = offsetof(pio_scene, actuation.n_actuators),
     .table = &pio_actuator_table, .present = has_actuators, .meaning = "parts of solid bodies whose fibres contract"},
    {"control", CFG_LIST, AT(pio_scene, actuation.control), .second = offsetof(pio_scene, actuation.n_control),
     .table = &pio_control_table, .present = has_actuators, .meaning = "what drives the actuators, each by one entry"},
    {"contact", CFG_MAPPING, .table = &pio_contact_table, .present = has_fields,
     .meaning = "bodies that slide on each other and separate, instead of sticking where they meet"},
    {"observe", CFG_LIST, AT(pio_scene, goal.observe), .second = offsetof(pio_scene, goal.n_observe),
     .table = &pio_observe_table, .present = has_observe, .meaning = "what is measured"},
    {"design", CFG_LIST, AT(pio_scene, goal.design), .second = offsetof(pio_scene, goal.n_design),
     .table = &pio_design_table, .present = has_design,
     .meaning = "the quantities that gradients are taken with respect to and that the optimiser changes"},
    {"objective", CFG_LIST, AT(pio_scene, goal.objective), .second = offsetof(pio_scene, goal.n_objective),
     .table = &pio_term_table, .present = has_objective, .meaning = "terms whose sum is minimised"},
    {"constraints", CFG_LIST, AT(pio_scene, goal.constraints), .second = offsetof(pio_scene, goal.n_constraints),
     .table = &pio_constraint_table, .present = has_constraints,
     .meaning = "bounds on observations that a design must satisfy"},
    {"gradient", CFG_MAPPING, .table = &pio_gradient_table, .meaning = "how gradients are computed and checked"},
    {"optimizer", CFG_MAPPING, .table = &pio_optimizer_table, .present = has_optimizer,
     .meaning = "how the design is improved"},
    {"output", CFG_MAPPING, .table = &output_table, .meaning = "what is written, and where"},
    END};
const cfg_table pio_scene_table = {.what = "scene", .fields = scene_fields};
