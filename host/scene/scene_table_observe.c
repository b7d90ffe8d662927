/* scene_table_observe.c -- the tables of what is observed of particles, of design, and of objective and constraints. */
#include "host/scene/scene_table.h"

#include <math.h>

static const char *const side_names[] = {"outside", "surface", NULL};
static const char *const relative_names[] = {"zero", "initial", NULL};

/* ---- observe, design, objective ------------------------------------------------------------------------ */

/* Of what particles are at rest. */
#define MATTER (ONLY(PIO_VOLUME) | ONLY(PIO_MASS) | ONLY(PIO_OF_RELATIVE_DENSITY) | ONLY(PIO_OF_GREYNESS))
#define OF_MESHES (~0u << PIO_DISPLACEMENT & ~MATTER) /* observables of meshes alone */
#define SAMPLED                                                                                                        \
    (ONLY(PIO_MEAN_POSITION) | ONLY(PIO_MEAN_VELOCITY) | ONLY(PIO_KINETIC_ENERGY) | ONLY(PIO_FRONT) |                  \
     ONLY(PIO_SHAPE) | ONLY(PIO_DENSITY_MISFIT) | ONLY(PIO_SEPARATION))

static bool has_group(const void *o)
{
    return ((const scene_observe *)o)->group != NULL;
}

#define OF_CONTROL (ONLY(PIO_EFFORT) | ONLY(PIO_SMOOTHNESS))

static bool has_control(const void *o)
{
    return ((const scene_observe *)o)->control.n > 0;
}

static const cfg_field points_fields[] = {{"file", CFG_TEXT, AT(scene_observe, points_file), .required = true,
                                           .meaning = "CSV, or HDF5 with one-dimensional datasets, of columns time, "
                                                      "particle, x, y[, z] and, where points count differently, "
                                                      "weight; below the scene's folder"},
                                          END};
static const cfg_table points_table = {.what = "set of points", .fields = points_fields};

static bool has_quantile(const void *o)
{
    return ((const scene_observe *)o)->quantile > 0;
}

static bool has_from_group(const void *o)
{
    return ((const scene_observe *)o)->from_group != NULL;
}

static const cfg_field grid_file_fields[] = {{"file", CFG_TEXT, AT(scene_observe, grid_file), .required = true,
                                              .meaning = "CSV, HDF5 or .ply below the scene's folder, of columns i, "
                                                         "j[, k], numbers of a node from 0 at method.grid.min, and "
                                                         "density in kg/m3; nodes that are not listed have 0"},
                                             END};
static const cfg_table grid_file_table = {.what = "density grid", .fields = grid_file_fields};

static const cfg_field observe_fields[] = {
    {"name", CFG_NAME, AT(scene_observe, name), .required = true, .meaning = "name that objectives use"},
    {"type", CFG_ENUM, AT(scene_observe, type), .required = true, .values = pio_observable_words, .without = OF_MESHES,
     .meaning =
         "what is measured: a body's mean position, mean velocity or kinetic energy, the distance of its particles "
         "from measured points, how far its front has come, the mean squared distance of its particles from a shape, "
         "the misfit of its density on the grid to a given one, or the distance of its mean position from another "
         "body's; of control its effort, the integral over time of the squares of activations, or its smoothness, that "
         "of the squares of their rates, the smaller, the smoother; a network's rate in a step is its activation less "
         "that of the step before, over the time step, and 0 in the first; and of what particles are, at any time, "
         "volume and mass, relative density, whose mean is the fraction of the volume that is filled, and greyness, "
         "4 r (1 - r); volume counts what is filled"},
    {"body", CFG_NAME, AT(scene_observe, body), .required = true, .only = SAMPLED | MATTER | ONLY(PIO_DISTANCE),
     .meaning = "name of the body that is measured"},
    {"group", CFG_NAME, AT(scene_observe, group), .computed = "the whole body", .only = SAMPLED | MATTER,
     .present = has_group, .meaning = "name of a group of it that is measured instead of the whole"},
    {"control", CFG_TEXTS, AT(scene_observe, control), .computed = "all", .only = OF_CONTROL, .present = has_control,
     .meaning = "name or names of entries of control whose activations count"},
    {"axis", CFG_ENUM, AT(scene_observe, axis), .required = true, .values = pio_axis_names, .only = ONLY(PIO_FRONT),
     .meaning = "direction in which the front advances"},
    {"sharpness", CFG_NUMBER, AT(scene_observe, sharpness), .computed = "4/method.grid.spacing",
     .quantity = CFG_WAVE_NUMBER, POSITIVE, .only = ONLY(PIO_FRONT),
     .meaning = "s of a front: without quantile that of the smooth maximum, larger being nearer to the foremost "
                "particle and less smooth; with quantile each particle's mass is spread over about 4/s"},
    {"quantile", CFG_NUMBER, AT(scene_observe, quantile), .range = {CFG_OVER | CFG_BELOW, 0, 1},
     .only = ONLY(PIO_FRONT), .present = has_quantile,
     .meaning =
         "fraction of the mass that lies below the place, such as 0.99: the root y of sum m S(sharpness (x - y)) "
         "= (1 - quantile) sum m with S(t) = 1/(1 + exp(-t)). Without it the place is ln(sum m exp(sharpness x)/"
         "sum m)/sharpness, a mean in which what lies foremost counts most: it lies behind the foremost "
         "particles by ln(mass/mass within 1/sharpness of them)/sharpness, with the default by one to two cells"},
    {"geometry", CFG_NAME, AT(scene_observe, geometry), .required = true, .only = ONLY(PIO_SHAPE),
     .meaning = "name of the entry of geometry from which the distance is measured, at its own place; it is smoothed "
                "over a cell"},
    {"side", CFG_ENUM, AT(scene_observe, side), .values = side_names, .fallback = "outside", .only = ONLY(PIO_SHAPE),
     .meaning = "outside: particles inside have no distance, so that they may be anywhere there; surface: all are "
                "drawn to it"},
    {"grid", CFG_MAPPING, .table = &grid_file_table, .required = true, .only = ONLY(PIO_DENSITY_MISFIT),
     .meaning = "the desired density at nodes of the grid; the misfit is the sum of squared differences over that of "
                "its squares"},
    {"from", CFG_NAME, AT(scene_observe, from), .required = true, .only = ONLY(PIO_SEPARATION),
     .meaning = "name of the other body, or of the same with a group"},
    {"from_group", CFG_NAME, AT(scene_observe, from_group), .computed = "the whole body", .only = ONLY(PIO_SEPARATION),
     .present = has_from_group, .meaning = "name of a group of it"},
    {"points", CFG_MAPPING, .table = &points_table, .required = true, .only = ONLY(PIO_DISTANCE),
     .meaning = "measured places of particles; their times are the samples; linear between two steps"},
    {"at", CFG_NUMBERS, AT(scene_observe, at), .second = offsetof(scene_observe, at.n), .computed = "the final time",
     .quantity = CFG_TIME, NOT_NEGATIVE, .only = SAMPLED, .present = has_at,
     .meaning = "time or increasing list of times, one sample each"},
    {"over", CFG_PAIR, AT(scene_observe, over), .quantity = CFG_TIME, NOT_NEGATIVE, .only = SAMPLED,
     .present = has_over, .meaning = "[from, to]: one sample, the mean over the window"},
    {"every", CFG_NUMBER, AT(scene_observe, every), .quantity = CFG_TIME, POSITIVE, .only = SAMPLED,
     .present = has_every, .meaning = "one sample at every multiple of it, up to the end"},
    END};
const cfg_table pio_observe_table = {.what = "observation",
                                     .size = sizeof(scene_observe),
                                     .fields = observe_fields,
                                     .discriminator = "type",
                                     .choice = {{{"at"}, {"over"}, {"every"}}, false, SAMPLED}};

static bool has_named(const void *d)
{
    return ((const scene_design *)d)->groups.n > 0;
}

static const char *const filter_names[] = {"cone", NULL};

static const cfg_field filter_fields[] = {
    {"type", CFG_ENUM, AT(scene_design, filter), .required = true, .values = filter_names,
     .meaning = "cone: a mean of the variables within the radius at the start, weighted by what is left of it and by "
                "the particle's volume, before the transform"},
    {"radius", CFG_NUMBER, AT(scene_design, filter_radius), .required = true, .quantity = CFG_LENGTH, POSITIVE,
     .meaning = "between particles at the start; details smaller than it vanish; at most what the bodies are across"},
    END};
static const cfg_table filter_table = {.what = "filter", .fields = filter_fields};

static const cfg_field design_fields[] = {
    {"name", CFG_NAME, AT(scene_design, name), .required = true, .meaning = "name in reports and files"},
    {"target", CFG_TEXTS, AT(scene_design, target), .present = has_own_targets,
     .meaning = "path or list of paths that change, such as materials.NAME.E, bodies.NAME.velocity, control.NAME.knots "
                "or gravity; bodies.NAME.E is that body's own copy of its material's constant, and frequency and phase "
                "of a network are those of its clocks, the inputs of type phase. piola params lists what a scene has"},
    {"targets", CFG_TEXTS, AT(scene_design, targets), .present = has_shared_targets, .meaning = TARGETS_MEANING},
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
    {"per", CFG_ENUM, AT(scene_design, per), .values = pio_per_words, .fallback = "target",
     .without = ONLY(SCENE_PER_NODE) | ONLY(SCENE_PER_LATTICE),
     .meaning = "one value per target, per body that has it, per particle (a field), or per group of particles; what "
                "is in none of the groups keeps the scene's value, or is governed by its material's entry beside a "
                "body's own"},
    {"filter", CFG_MAPPING, .table = &filter_table, .present = has_filter,
     .meaning = "makes a field of particles smooth at a length"},
    {"projection", CFG_MAPPING, .table = &pio_projection_table, .present = has_projection,
     .meaning =
         "moves the filtered values of a field to their bounds by a smooth step (Wang, Lazarov and Sigmund 2011)"},
    {"groups", CFG_TEXTS, AT(scene_design, groups), .computed = "all groups of the bodies that the target governs",
     .present = has_named, .meaning = "with per: group, the names of the groups"},
    END};
const cfg_table pio_design_table = {.what = "design variable",
                                    .size = sizeof(scene_design),
                                    .fields = design_fields,
                                    .choice = {{{"target"}, {"targets"}}, true, 0}};

static bool has_mean(const void *t)
{
    return ((const scene_term *)t)->mean.n > 0;
}

static const cfg_field data_fields[] = {
    {"file", CFG_TEXT, AT(scene_term, data_file), .required = true,
     .meaning =
         "CSV with a header line, or HDF5 whose one-dimensional datasets are the columns, below the scene's folder"},
    {"time", CFG_TEXT, AT(scene_term, time_column), .fallback = "time", .meaning = "column of the times, in s"},
    {"columns", CFG_TEXTS, AT(scene_term, columns), .required = true,
     .meaning = "columns of the measured values, one per component of `of`, in SI units"},
    END};
static const cfg_table data_table = {.what = "data source", .fields = data_fields};

/* Keys of terms of both methods. */
#define TERM_FIELDS(type_meaning, of_meaning)                                                                          \
    {                                                                                                                  \
        {"type", CFG_ENUM, AT(scene_term, type), .required = true, .values = pio_term_words, .meaning = type_meaning}, \
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
             .only = ONLY(SCENE_TARGET) | ONLY(SCENE_ABSOLUTE),                                                        \
             .meaning = "target value, one number per component"},                                                     \
            {"width",                                                                                                  \
             CFG_NUMBER,                                                                                               \
             AT(scene_term, width),                                                                                    \
             .required = true,                                                                                         \
             .quantity = CFG_ANY,                                                                                      \
             POSITIVE,                                                                                                 \
             .only = ONLY(SCENE_ABSOLUTE) | ONLY(SCENE_TOTAL_VARIATION),                                               \
             .meaning = "a difference d counts as sqrt(d^2 + width^2) - width: well below the width as d^2/(2 "        \
                        "width), with a derivative at 0, and far above it as its magnitude; absolute: in the unit of " \
                        "the observation; total_variation: of variables that are scaled by their bounds or start, "    \
                        "such as 0.01"},                                                                               \
            {"mean",                                                                                                   \
             CFG_NUMBERS,                                                                                              \
             AT(scene_term, mean),                                                                                     \
             .second = offsetof(scene_term, mean.n),                                                                   \
             .computed = "the values at the start",                                                                    \
             .quantity = CFG_ANY,                                                                                      \
             .present = has_mean,                                                                                      \
             .only = ONLY(SCENE_PRIOR),                                                                                \
             .meaning = "expected value of the design, one number, or one per component"},                             \
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
             .only = ONLY(SCENE_MISFIT) | ONLY(SCENE_PRIOR),                                                           \
             .needed = ONLY(SCENE_PRIOR),                                                                              \
             .meaning = "standard deviation, of the measurements or of the prior; smaller counts for more"},           \
            {"p",                                                                                                      \
             CFG_NUMBER,                                                                                               \
             AT(scene_term, power),                                                                                    \
             .fallback = "8",                                                                                          \
             .range = {CFG_FROM | CFG_UP_TO, 2, 32},                                                                   \
             .only = ONLY(SCENE_PNORM),                                                                                \
             .meaning = "exponent; larger is nearer to the largest sample and less smooth"},                           \
            {"weight",        CFG_NUMBER,   AT(scene_term, weight),                                                    \
             .fallback = "1", NOT_NEGATIVE, .meaning = "factor of this term in the sum; 0 switches it off"},           \
            END                                                                                                        \
    }
#define TERM_TYPES                                                                                                     \
    "target: squared distance from a value; absolute: absolute difference from one; misfit: from measured data; "      \
    "minimize, maximize: the observation itself, or the mean value of a design entry; integral: the observation's "    \
    "integral over time, by the trapezoidal rule; pnorm: the p-mean of the magnitudes of its samples, a smooth "       \
    "stand-in for the largest over times or load steps; prior: ((value - mean)/sigma)^2/2 of each value of a design "  \
    "entry"
#define TERM_OF                                                                                                        \
    "name of an observation, with .x or the like for one component; prior, and where minimize and maximize name no "   \
    "observation: of a design entry"

#define PAIR_OF "; smoothness, total_variation: of a design entry"

static const cfg_field term_fields[] =
    TERM_FIELDS(TERM_TYPES "; smoothness: the integral of the squared slope of a design's field of particles at the "
                           "start, by differences z1 - z2 of near ones, z the variables after the filter, scaled by "
                           "bounds or start; total_variation: that of the magnitude of the slope: a jump costs no more "
                           "than a slope",
                TERM_OF PAIR_OF);
const cfg_table pio_term_table = {
    .what = "term", .size = sizeof(scene_term), .fields = term_fields, .discriminator = "type"};

static const cfg_field fem_term_fields[] =
    TERM_FIELDS(TERM_TYPES "; smoothness: the sum over inner faces of area/distance (z1 - z2)^2, z a design's "
                           "variables after its filter, scaled by its bounds or start; total_variation: that of area "
                           "times the magnitude of z1 - z2: a jump costs no more than a slope",
                TERM_OF PAIR_OF);
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
         "name of an observation, with .x or the like for one component; the bounds hold for each of its samples and "
         "components, and each is one more adjoint sweep"},
    {"min", CFG_NUMBER, AT(scene_constraint, min), .quantity = CFG_ANY, .computed = "none", .present = has_min,
     .meaning = "least value"},
    {"max", CFG_NUMBER, AT(scene_constraint, max), .quantity = CFG_ANY, .computed = "none", .present = has_max,
     .meaning = "greatest value"},
    {"relative_to", CFG_ENUM, AT(scene_constraint, relative_to), .values = relative_names, .fallback = "zero",
     .meaning = "initial: min and max are multiples of the value that the first design has"},
    END};
const cfg_table pio_constraint_table = {
    .what = "constraint", .size = sizeof(scene_constraint), .fields = constraint_fields};
