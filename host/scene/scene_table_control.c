/* scene_table_control.c -- the tables of actuators, and of what drives them. */
#include "host/scene/scene_table.h"

#include <math.h>

#define KNOTS (ONLY(PIO_PIECEWISE) | ONLY(PIO_SPLINE))
#define MEANS (ONLY(PIO_INPUT_POSITION) | ONLY(PIO_INPUT_VELOCITY))

/* ---- actuators ------------------------------------------------------------------------------------------- */

static bool has_place(const void *a)
{
    return !isnan(((const scene_actuator *)a)->on.min[0]);
}

static bool has_group(const void *a)
{
    return ((const scene_actuator *)a)->group != NULL;
}

static const cfg_field place_fields[] = {{"min", CFG_VECTOR, AT(scene_actuator, on.min), .required = true,
                                          .quantity = CFG_LENGTH, .meaning = "lower corner"},
                                         {"max", CFG_VECTOR, AT(scene_actuator, on.max), .required = true,
                                          .quantity = CFG_LENGTH, .meaning = "upper corner, which is not part of it"},
                                         END};
static const cfg_table place_table = {.what = "place", .fields = place_fields};

static const cfg_field actuator_fields[] = {
    {"name", CFG_NAME, AT(scene_actuator, name), .required = true, .meaning = "name that control uses"},
    {"body", CFG_NAME, AT(scene_actuator, body), .required = true, .meaning = "name of a solid body"},
    {"group", CFG_NAME, AT(scene_actuator, group), .computed = "the whole body", .present = has_group,
     .meaning = "name of a group of it whose particles or, of its mesh file, elements these are"},
    {"fibre", CFG_VECTOR, AT(scene_actuator, fibre), .required = true,
     .meaning = "direction of the fibres at the start, of any length; they turn and stretch with the body, and an "
                "activation a pulls along them with the Kirchhoff stress a (F n)(F n)^T: above 0 they contract"},
    {"on", CFG_MAPPING, .table = &place_table, .computed = "everywhere", .present = has_place,
     .meaning = "a box: those of the body's or the group's particles, or of its elements by their centres, that lie in "
                "it at the start"},
    END};
const cfg_table pio_actuator_table = {.what = "actuator", .size = sizeof(scene_actuator), .fields = actuator_fields};

/* ---- control --------------------------------------------------------------------------------------------- */

static bool has_period(const void *c)
{
    return ((const scene_control *)c)->period > 0;
}
static bool has_hidden(const void *c)
{
    return ((const scene_control *)c)->hidden.n > 0;
}
static bool has_file(const void *c)
{
    return ((const scene_control *)c)->weights_file != NULL;
}
static bool has_no_file(const void *c)
{
    return !has_file(c);
}
static bool has_dataset(const void *c)
{
    return ((const scene_control *)c)->weights_dataset != NULL;
}
static bool has_other(const void *i)
{
    return ((const scene_input *)i)->relative_to != NULL;
}

static const cfg_field input_fields[] = {
    {"type", CFG_ENUM, AT(scene_input, type), .required = true, .values = pio_input_words,
     .without = ONLY(PIO_INPUT_SINE) | ONLY(PIO_INPUT_COSINE),
     .meaning = "phase: two inputs, sine and cosine of 2 pi frequency t + phase; mean_position and mean_velocity: one "
                "input per axis, the mean over particles or elements, weighted by their volumes at the start (an "
                "element's is spread evenly over its nodes), at the beginning of a step; of a place how far it is from "
                "where it was at the start"},
    {"frequency", CFG_NUMBER, AT(scene_input, frequency), .required = true, .quantity = CFG_FREQUENCY, NOT_NEGATIVE,
     .only = ONLY(PIO_INPUT_PHASE), .meaning = "of this clock; larger steps faster"},
    {"phase", CFG_NUMBER, AT(scene_input, phase), .fallback = "0", .quantity = CFG_ANGLE, .only = ONLY(PIO_INPUT_PHASE),
     .meaning = "of this clock at the start"},
    {"of", CFG_NAME, AT(scene_input, of), .required = true, .only = MEANS,
     .meaning = "name of a body, or of an actuator"},
    {"relative_to", CFG_NAME, AT(scene_input, relative_to), .computed = "none", .only = MEANS, .present = has_other,
     .meaning = "name of another body or actuator whose mean is subtracted"},
    {"scale", CFG_NUMBER, AT(scene_input, scale), .required = true, .quantity = CFG_ANY, POSITIVE, .only = MEANS,
     .meaning = "a length or a velocity that counts as 1; smaller gives the input more weight"},
    END};
static const cfg_table input_table = {
    .what = "input", .size = sizeof(scene_input), .fields = input_fields, .discriminator = "type"};

static const cfg_field weights_fields[] = {
    {"file", CFG_TEXT, AT(scene_control, weights_file), .required = true,
     .meaning = "HDF5, such as the states.vtkhdf of an optimisation, below the scene's folder"},
    {"dataset", CFG_TEXT, AT(scene_control, weights_dataset), .computed = "/piola/gradient/control.NAME.weights/value",
     .present = has_dataset, .meaning = "in it, with as many numbers as the network has weights"},
    END};
static const cfg_table weights_table = {.what = "set of weights", .fields = weights_fields};

static const cfg_field control_fields[] = {
    {"name", CFG_NAME, AT(scene_control, name), .required = true, .meaning = "name that observe and design paths use"},
    {"type", CFG_ENUM, AT(scene_control, type), .required = true, .values = pio_signal_words,
     .meaning = "a signal of time: constant, sine, piecewise_linear or spline (cubic, uniform) with values at knots; "
                "or a feedback network, fully connected with tanh"},
    {"actuators", CFG_TEXTS, AT(scene_control, actuators), .required = true,
     .meaning =
         "name of the actuator that it drives; a network may drive a list of them, each by an output of its own"},
    {"amplitude", CFG_NUMBER, AT(scene_control, amplitude), .required = true, .quantity = CFG_PRESSURE,
     .only = ONLY(PIO_CONSTANT) | ONLY(PIO_SINE),
     .meaning = "A of the activation A, or A sin(2 pi frequency t + phase); more contracts further and makes waves "
                "faster"},
    {"frequency", CFG_NUMBER, AT(scene_control, frequency), .required = true, .quantity = CFG_FREQUENCY,
     .only = ONLY(PIO_SINE), .meaning = "of the sine"},
    {"phase", CFG_NUMBER, AT(scene_control, phase), .fallback = "0", .quantity = CFG_ANGLE, .only = ONLY(PIO_SINE),
     .meaning = "of the sine at the start"},
    {"knots", CFG_NUMBERS, AT(scene_control, knots), .second = offsetof(scene_control, knots.n), .required = true,
     .quantity = CFG_PRESSURE, .only = KNOTS,
     .meaning = "activations at evenly spaced times, at least 2; of a spline its coefficients, at least 4, which it "
                "approximates"},
    {"period", CFG_NUMBER, AT(scene_control, period), .computed = "none", .quantity = CFG_TIME, POSITIVE, .only = KNOTS,
     .present = has_period,
     .meaning = "time after which the signal begins again, smoothly where it is a spline; without one the knots span "
                "the whole run"},
    {"hidden", CFG_NUMBERS, AT(scene_control, hidden), .second = offsetof(scene_control, hidden.n),
     .computed = "no layer between", .only = ONLY(PIO_NETWORK), .present = has_hidden,
     .meaning = "units of each hidden layer, at most 4 of 1 to 256; more can do more and has more weights to learn"},
    {"inputs", CFG_LIST, AT(scene_control, inputs), .second = offsetof(scene_control, n_inputs), .required = true,
     .least = 1, .table = &input_table, .only = ONLY(PIO_NETWORK), .meaning = "inputs of the network"},
    {"limit", CFG_NUMBERS, AT(scene_control, limit), .second = offsetof(scene_control, limit.n), .required = true,
     .quantity = CFG_PRESSURE, POSITIVE, .only = ONLY(PIO_NETWORK),
     .meaning = "activations lie between -limit and limit; one for all actuators, or a list of one for each"},
    {"weight_scale", CFG_NUMBER, AT(scene_control, weight_scale), .fallback = "1", NOT_NEGATIVE,
     .only = ONLY(PIO_NETWORK), .present = has_no_file,
     .meaning = "weights start at random, by the scene's seed, within this over the root of the layer's inputs, and "
                "biases at 0; larger starts with more motion"},
    {"weights", CFG_MAPPING, .table = &weights_table, .computed = "at random", .only = ONLY(PIO_NETWORK),
     .present = has_file, .meaning = "read from a file instead: layer after layer, the rows of (W, b)"},
    END};
const cfg_table pio_control_table = {
    .what = "control", .size = sizeof(scene_control), .fields = control_fields, .discriminator = "type"};
