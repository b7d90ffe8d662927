/* words.c -- see words.h. */
#include "host/scene/words.h"

#include "host/scene/scene.h"

#include <stddef.h>

const char *const pio_element_words[] = {[PIO_POINT1] = "point", [PIO_LINE2] = "line2",
                                         [PIO_LINE3] = "line3",  [PIO_TRI3] = "tri3",
                                         [PIO_TRI6] = "tri6",    [PIO_QUAD4] = "quad4",
                                         [PIO_QUAD8] = "quad8",  [PIO_QUAD9] = "quad9",
                                         [PIO_TET4] = "tet4",    [PIO_TET10] = "tet10",
                                         [PIO_HEX8] = "hex8",    [PIO_HEX20] = "hex20",
                                         [PIO_HEX27] = "hex27",  NULL};
const char *const pio_plastic_words[] = {[PIO_ELASTIC] = "none",
                                         [PIO_VON_MISES] = "von_mises",
                                         [PIO_DRUCKER_PRAGER] = "drucker_prager",
                                         [PIO_HERSCHEL_BULKLEY] = "herschel_bulkley",
                                         [PIO_SNOW] = "snow",
                                         NULL};
const char *const pio_wall_words[] = {[PIO_WALL_STICKY] = "sticky",     [PIO_WALL_SLIP] = "slip",
                                      [PIO_WALL_SEPARATE] = "separate", [PIO_WALL_STICKY_SEPARATE] = "sticky_separate",
                                      [PIO_WALL_PENALTY] = "penalty",   NULL};
const char *const pio_touch_words[] = {"all", "bodies", NULL};
const char *const pio_contact_model_words[] = {
    [PIO_CONTACT_GRID] = "grid", [PIO_CONTACT_POTENTIAL] = "potential", NULL};
const char *const pio_shape_words[] = {[PIO_PLANE] = "plane",
                                       [PIO_BALL] = "ball",
                                       [PIO_BOX] = "box",
                                       [PIO_CYLINDER] = "cylinder",
                                       [PIO_CLOSED_MESH] = "mesh",
                                       [PIO_POINTS] = "points",
                                       NULL};
const char *const pio_signal_words[] = {
    [PIO_CONSTANT] = "constant", [PIO_SINE] = "sine",       [PIO_PIECEWISE] = "piecewise_linear",
    [PIO_SPLINE] = "spline",     [PIO_NETWORK] = "network", NULL};
const char *const pio_input_words[] = {[PIO_INPUT_SINE] = "sine",
                                       [PIO_INPUT_COSINE] = "cosine",
                                       [PIO_INPUT_POSITION] = "mean_position",
                                       [PIO_INPUT_VELOCITY] = "mean_velocity",
                                       [PIO_INPUT_PHASE] = "phase",
                                       NULL};
const char *const pio_load_words[] = {[PIO_TRACTION] = "traction",
                                      [PIO_PRESSURE] = "pressure",
                                      [PIO_FOLLOWER] = "follower_pressure",
                                      [PIO_SPRINGS] = "springs",
                                      [PIO_FOUNDATION] = "foundation",
                                      [PIO_BODY_FORCE] = "body_force",
                                      [PIO_FORCE] = "force",
                                      [PIO_POINT_FORCE] = "point_force",
                                      [PIO_MOMENT] = "moment",
                                      NULL};
const char *const pio_integrator_words[] = {[PIO_STATIC] = "static",
                                            [PIO_BACKWARD_EULER] = "backward_euler",
                                            [PIO_BDF2] = "bdf2",
                                            [PIO_NEWMARK] = "newmark",
                                            [PIO_LEAPFROG] = "leapfrog",
                                            [PIO_REVERSIBLE_LEAPFROG] = "reversible_leapfrog",
                                            [PIO_REVERSIBLE_EULER] = "reversible_euler",
                                            [PIO_MODAL] = "modal",
                                            NULL};
const char *const pio_solve_words[] = {
    [PIO_SOLVE_PCG] = "pcg", [PIO_SOLVE_DIRECT] = "direct", [PIO_SOLVE_AUTO] = "auto", NULL};
const char *const pio_product_words[] = {[PIO_OWN_PRODUCT] = "own", [PIO_CUSPARSE] = "cusparse", NULL};
const char *const pio_preconditioner_words[] = {[PIO_PRECONDITIONER_AUTO] = "auto",
                                                [PIO_PRECONDITIONER_JACOBI] = "jacobi",
                                                [PIO_PRECONDITIONER_MULTIGRID] = "multigrid",
                                                NULL};
const char *const pio_dilatation_words[] = {
    [PIO_DILATATION_STANDARD] = "standard", [PIO_DILATATION_PROJECTED] = "projected", NULL};
const char *const pio_projection_words[] = {
    [PIO_PROJECT_AUTO] = "auto", [PIO_PROJECT_NEVER] = "never", [PIO_PROJECT_ALWAYS] = "always", NULL};
const char *const pio_observable_words[] = {[PIO_MEAN_POSITION] = "mean_position",
                                            [PIO_MEAN_VELOCITY] = "mean_velocity",
                                            [PIO_KINETIC_ENERGY] = "kinetic_energy",
                                            [PIO_DISTANCE] = "distance",
                                            [PIO_FRONT] = "front",
                                            [PIO_SHAPE] = "shape_distance",
                                            [PIO_DENSITY_MISFIT] = "density_misfit",
                                            [PIO_SEPARATION] = "separation",
                                            [PIO_EFFORT] = "effort",
                                            [PIO_SMOOTHNESS] = "smoothness",
                                            [PIO_DISPLACEMENT] = "displacement",
                                            [PIO_REACTION] = "reaction",
                                            [PIO_CONTACT_FORCE] = "contact_force",
                                            [PIO_GAP] = "gap",
                                            [PIO_CONTACT_PRESSURE] = "contact_pressure",
                                            [PIO_COMPLIANCE] = "compliance",
                                            [PIO_EIGENFREQUENCY] = "frequency",
                                            [PIO_REACTION_MOMENT] = "reaction_moment",
                                            [PIO_ANGULAR_MOMENTUM] = "angular_momentum",
                                            [PIO_VOLUME] = "volume",
                                            [PIO_MASS] = "mass",
                                            [PIO_STRAIN_ENERGY] = "strain_energy",
                                            [PIO_OF_CAUCHY_STRESS] = "cauchy_stress",
                                            [PIO_OF_GREEN_STRAIN] = "green_strain",
                                            [PIO_OF_VON_MISES] = "von_mises",
                                            [PIO_OF_J] = "J",
                                            [PIO_OF_ENERGY_DENSITY] = "energy_density",
                                            [PIO_OF_PRINCIPAL_STRESS] = "principal_stress",
                                            [PIO_OF_ROTATION] = "rotation",
                                            [PIO_OF_RELATIVE_DENSITY] = "relative_density",
                                            [PIO_OF_GREYNESS] = "greyness",
                                            [PIO_OF_OWN_FRACTION] = "own_fraction",
                                            NULL};
const char *const pio_observable_units[] = {[PIO_MEAN_POSITION] = "m",
                                            [PIO_MEAN_VELOCITY] = "m/s",
                                            [PIO_KINETIC_ENERGY] = "J",
                                            [PIO_DISTANCE] = "m2",
                                            [PIO_FRONT] = "m",
                                            [PIO_SHAPE] = "m2",
                                            [PIO_DENSITY_MISFIT] = "",
                                            [PIO_SEPARATION] = "m",
                                            [PIO_EFFORT] = "s",
                                            [PIO_SMOOTHNESS] = "1/s",
                                            [PIO_DISPLACEMENT] = "m",
                                            [PIO_REACTION] = "N",
                                            [PIO_CONTACT_FORCE] = "N",
                                            [PIO_GAP] = "m",
                                            [PIO_CONTACT_PRESSURE] = "Pa",
                                            [PIO_COMPLIANCE] = "J",
                                            [PIO_EIGENFREQUENCY] = "Hz",
                                            [PIO_REACTION_MOMENT] = "N.m",
                                            [PIO_ANGULAR_MOMENTUM] = "kg.m2/s",
                                            [PIO_VOLUME] = "m3",
                                            [PIO_MASS] = "kg",
                                            [PIO_STRAIN_ENERGY] = "J",
                                            [PIO_OF_CAUCHY_STRESS] = "Pa",
                                            [PIO_OF_GREEN_STRAIN] = "",
                                            [PIO_OF_VON_MISES] = "Pa",
                                            [PIO_OF_J] = "",
                                            [PIO_OF_ENERGY_DENSITY] = "J/m3",
                                            [PIO_OF_PRINCIPAL_STRESS] = "Pa",
                                            [PIO_OF_ROTATION] = "rad",
                                            [PIO_OF_RELATIVE_DENSITY] = "",
                                            [PIO_OF_GREYNESS] = "",
                                            [PIO_OF_OWN_FRACTION] = "",
                                            NULL};
_Static_assert(sizeof pio_observable_units == sizeof pio_observable_words, "every observable has a unit");
const char *const pio_measure_words[] = {[PIO_MEAN] = "mean", [PIO_MAXIMUM] = "maximum", [PIO_PNORM] = "pnorm", NULL};

const char *const pio_method_words[] = {[SCENE_MPM] = "mpm", [SCENE_FEM] = "fem", NULL};
const char *const pio_jacobian_words[] = {
    [PIO_JACOBIAN_AUTO] = "auto", [PIO_JACOBIAN_ROWS] = "rows", [PIO_JACOBIAN_COLUMNS] = "columns", NULL};
const char *const pio_precision_words[] = {[SCENE_F32] = "f32", [SCENE_F64] = "f64", NULL};
const char *const pio_interpolation_words[] = {[PIO_SIMP] = "simp", [PIO_RAMP] = "ramp", NULL};
const char *const pio_transform_words[] = {[SCENE_LINEAR] = "linear", [SCENE_LOG] = "log", NULL};
const char *const pio_per_words[] = {[SCENE_PER_TARGET] = "target",
                                     [SCENE_PER_BODY] = "body",
                                     [SCENE_PER_PARTICLE] = "particle",
                                     [SCENE_PER_NODE] = "node",
                                     [SCENE_PER_GROUP] = "group",
                                     [SCENE_PER_LATTICE] = "lattice",
                                     NULL};
const char *const pio_mesh_per_words[] = {[SCENE_PER_TARGET] = "target",
                                          [SCENE_PER_BODY] = "body",
                                          [SCENE_PER_PARTICLE] = "element",
                                          [SCENE_PER_NODE] = "node",
                                          [SCENE_PER_GROUP] = "group",
                                          [SCENE_PER_LATTICE] = "lattice",
                                          NULL};
const char *const pio_term_words[] = {[SCENE_TARGET] = "target",
                                      [SCENE_ABSOLUTE] = "absolute",
                                      [SCENE_MISFIT] = "misfit",
                                      [SCENE_MINIMIZE] = "minimize",
                                      [SCENE_MAXIMIZE] = "maximize",
                                      [SCENE_INTEGRAL] = "integral",
                                      [SCENE_PNORM] = "pnorm",
                                      [SCENE_PRIOR] = "prior",
                                      [SCENE_SMOOTHNESS] = "smoothness",
                                      [SCENE_TOTAL_VARIATION] = "total_variation",
                                      NULL};
const char *const pio_state_words[] = {[SCENE_STATE_VELOCITY] = "velocity",
                                       [SCENE_STATE_J] = "J",
                                       [SCENE_STATE_F] = "F",
                                       [SCENE_STATE_C] = "C",
                                       [SCENE_STATE_MASS] = "mass",
                                       [SCENE_STATE_PRESSURE] = "pressure",
                                       [SCENE_STATE_MATERIAL] = "material",
                                       [SCENE_STATE_BODY] = "body",
                                       [SCENE_STATE_HARDENING] = "hardening",
                                       [SCENE_STATE_E33] = "e33",
                                       [SCENE_STATE_CAUCHY_STRESS] = "cauchy_stress",
                                       [SCENE_STATE_VON_MISES] = "von_mises",
                                       [SCENE_STATE_GREEN_STRAIN] = "green_strain",
                                       [SCENE_STATE_ENERGY_DENSITY] = "energy_density",
                                       [SCENE_STATE_REACTION] = "reaction",
                                       [SCENE_STATE_CONTACT_FORCE] = "contact_force",
                                       [SCENE_STATE_CONTACT_PRESSURE] = "contact_pressure",
                                       [SCENE_STATE_GAP] = "gap",
                                       NULL};
const char *const pio_gradient_per_words[] = {
    [SCENE_GRADIENT_PER_ELEMENT] = "element", [SCENE_GRADIENT_PER_VOLUME] = "volume", NULL};
const char *const pio_volume_words[] = {
    [SCENE_VOLUME_STANDARD] = "standard", [SCENE_VOLUME_QUADRATIC] = "quadratic", NULL};
const char *const pio_place_words[] = {"element", "node", "point", NULL};
