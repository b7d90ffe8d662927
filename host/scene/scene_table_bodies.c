/* scene_table_bodies.c -- the tables of shapes, and of bodies that particles are made of. */
#include "host/scene/scene_query.h"
#include "host/scene/scene_table.h"

#include <math.h>

static const char *const fill_names[] = {"regular", "jittered", "cut", NULL};

static bool has_volume(const void *g)
{
    return !isnan(((const scene_geometry *)g)->volume);
}

static const cfg_field geometry_fields[] = {
    {"name", CFG_NAME, AT(scene_geometry, name), .required = true, .meaning = "name that bodies use"},
    {"type", CFG_ENUM, AT(scene_geometry, shape), .required = true, .values = pio_shape_words,
     .without = ONLY(PIO_PLANE),
     .meaning = "shape; a ball is a disc in 2D, cylinder and mesh are for 3D only. mesh: a closed surface of "
                "triangles, filled "
                "with particles; points: the particles themselves"},
    {"min", CFG_VECTOR, AT(scene_geometry, min), .required = true, .quantity = CFG_LENGTH, .only = ONLY(PIO_BOX),
     .meaning = "lower corner"},
    {"max", CFG_VECTOR, AT(scene_geometry, max), .required = true, .quantity = CFG_LENGTH, .only = ONLY(PIO_BOX),
     .meaning = "upper corner"},
    {"center", CFG_VECTOR, AT(scene_geometry, center), .required = true, .quantity = CFG_LENGTH,
     .only = ONLY(PIO_BALL) | ONLY(PIO_CYLINDER), .meaning = "centre"},
    {"radius", CFG_NUMBER, AT(scene_geometry, radius), .required = true, .quantity = CFG_LENGTH, POSITIVE,
     .only = ONLY(PIO_BALL) | ONLY(PIO_CYLINDER), .meaning = "radius"},
    {"height", CFG_NUMBER, AT(scene_geometry, height), .required = true, .quantity = CFG_LENGTH, POSITIVE,
     .only = ONLY(PIO_CYLINDER), .meaning = "length along the axis, half on each side of the centre"},
    {"axis", CFG_ENUM, AT(scene_geometry, axis), .required = true, .values = pio_axis_names, .only = ONLY(PIO_CYLINDER),
     .meaning = "direction of the axis"},
    {"file", CFG_TEXT, AT(scene_geometry, file), .required = true, .only = ONLY(PIO_CLOSED_MESH) | ONLY(PIO_POINTS),
     .meaning =
         "below the scene's folder. mesh: .stl, .obj or .ply, its corners counter-clockwise as seen from outside; "
         "points: "
         ".ply, .csv or HDF5 with one-dimensional datasets, of columns x, y[, z] and, without the key volume, volume; "
         "one particle for each row, numbered as the rows are"},
    {"scale", CFG_NUMBER, AT(scene_geometry, scale), .fallback = "1", POSITIVE,
     .only = ONLY(PIO_CLOSED_MESH) | ONLY(PIO_POINTS),
     .meaning =
         "factor of all lengths in the file: 1e-3 for a file in millimetres; volumes get its third power, in 2D its "
         "square"},
    {"volume", CFG_NUMBER, AT(scene_geometry, volume), .computed = "the column volume", .quantity = CFG_VOLUME,
     POSITIVE, .only = ONLY(PIO_POINTS), .present = has_volume,
     .meaning = "of all points together, the same for each; in 2D per metre of thickness"},
    END};
const cfg_table pio_geometry_table = {
    .what = "geometry", .size = sizeof(scene_geometry), .fields = geometry_fields, .discriminator = "type"};

static const cfg_field fill_fields[] = {
    {"particles_per_cell", CFG_INTEGER, AT(scene_body, particles_per_cell), .computed = "4 in 2D, 8 in 3D",
     .range = {CFG_FROM | CFG_UP_TO, 1, 512},
     .meaning =
         "particles in a full cell; more is smoother and costs time and memory in proportion; regular and cut: a "
         "square (2D) or a cube (3D)"},
    {"method", CFG_ENUM, AT(scene_body, fill), .values = fill_names,
     .computed = "cut where contact.model is potential, else regular",
     .meaning = "regular places particles of one volume on a lattice, where its sites are inside, jittered at random "
                "within it (by the scene's seed); cut gives each the part of its site that is inside the shape: its "
                "volume, at its centroid, so that surfaces are smooth"},
    END};
static const cfg_table fill_table = {.what = "fill", .fields = fill_fields};

static bool is_filled(const void *b)
{
    return !((const scene_body *)b)->of_points;
}

static const cfg_field stiffness_fields[] = {
    {"type", CFG_ENUM, AT(scene_body, interpolation.type), .values = pio_interpolation_words, .fallback = "simp",
     .meaning = "fraction of the stiffness at relative density r: simp, least + (1 - least) r^power; ramp, least + "
                "(1 - least) r/(1 + power (1 - r)); that of the mass is least + (1 - least) r"},
    {"power", CFG_NUMBER, AT(scene_body, interpolation.power), .fallback = "3", .range = {CFG_FROM | CFG_UP_TO, 0, 100},
     .meaning = "how much values between 0 and 1 cost: p of simp, at least 1; q of ramp"},
    {"least", CFG_NUMBER, AT(scene_body, interpolation.least), .fallback = "1e-3",
     .range = {CFG_OVER | CFG_UP_TO, 0, 1},
     .meaning = "the fraction of stiffness and of mass at r = 0, so that waves there are as fast as in what is full"},
    END};
static const cfg_table stiffness_table = {.what = "interpolation", .fields = stiffness_fields};

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
    {"fill", CFG_MAPPING, .table = &fill_table, .present = is_filled,
     .meaning = "how the shape is filled with particles"},
    {"relative_density", CFG_NUMBER, AT(scene_body, relative_density), .computed = "none: the body is full",
     .quantity = CFG_ONE, .range = {CFG_FROM | CFG_UP_TO, 0, 1}, .present = pio_scene_body_is_partial,
     .meaning = "of elastic solids: part of the volume that is filled, which multiplies observed volume, by `least` "
                "the mass and by `interpolation` the stiffness; what topology optimisation designs"},
    {"interpolation", CFG_MAPPING, .table = &stiffness_table, .present = pio_scene_body_is_partial,
     .meaning = "how the stiffness follows the relative density"},
    END};
const cfg_table pio_body_table = {.what = "body", .size = sizeof(scene_body), .fields = body_fields};

/* ---- groups ---------------------------------------------------------------------------------------------- */

static const char *const group_names[] = {"box", "geometry", "file", NULL};

static const cfg_field group_fields[] = {
    {"name", CFG_NAME, AT(scene_group, name), .required = true, .meaning = "name that observe and design use"},
    {"body", CFG_NAME, AT(scene_group, body), .required = true,
     .meaning = "name of the body whose particles these are"},
    {"type", CFG_ENUM, AT(scene_group, type), .required = true, .values = group_names,
     .meaning = "which particles: those that start in a box, those that start in a shape, or those that a file lists"},
    {"min", CFG_VECTOR, AT(scene_group, min), .required = true, .quantity = CFG_LENGTH, .only = ONLY(SCENE_GROUP_BOX),
     .meaning = "lower corner"},
    {"max", CFG_VECTOR, AT(scene_group, max), .required = true, .quantity = CFG_LENGTH, .only = ONLY(SCENE_GROUP_BOX),
     .meaning = "upper corner"},
    {"geometry", CFG_NAME, AT(scene_group, geometry), .required = true, .only = ONLY(SCENE_GROUP_SHAPE),
     .meaning = "name of an entry of geometry, at its own place"},
    {"file", CFG_TEXT, AT(scene_group, file), .required = true, .only = ONLY(SCENE_GROUP_FILE),
     .meaning = "CSV, HDF5 or .ply below the scene's folder, with a column particle: numbers within the body, from 0"},
    END};
const cfg_table pio_group_table = {
    .what = "group", .size = sizeof(scene_group), .fields = group_fields, .discriminator = "type"};
